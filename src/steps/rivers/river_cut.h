/* river_cut.h: how deep rivers cut in one time step. Used by rivers.c alone. */
#ifndef RVI_STEPS_RIVERS_RIVER_CUT_H
#define RVI_STEPS_RIVERS_RIVER_CUT_H

#include "measure/flowgraph.h"
#include "steps/rivers/alluvium_cell.h"
#include "steps/rivers/hillslope.h"
#include "steps/rivers/river_cell.h"
#include "steps/step.h"
#include "wear/erosion_factor.h"
#include "wear/flow_device.h"

/* What cells have won and lost in all, metres on one cell. */
typedef struct rvi_cell_sums {
    double eroded, deposited, raised;
    double rounded; /* what layers won by becoming floats */
} rvi_cell_sums;

typedef struct rvi_rivers {
    rvi_job *job;
    const rv_rivers_params *p;
    rv_terrain *land; /* of the job, or `coarse` */
    rv_terrain coarse;
    rvi_layer *layers; /* of `coarse`, and their grids */
    float *thickness;
    rvi_flow flow;
    size_t cells;
    double metres; /* width of a cell */
    double apart;  /* that of a coarser level, in cells of the next finer one */
    double time;   /* years, in `steps` */
    int steps;
    double *start;     /* the surface at the start; NULL: of the finest level */
    const float *mask; /* NULL: none */
    float *mask_room;  /* of a coarser level */
    size_t brought;    /* cells that have got what the coarser level changed */
    bool sea;          /* is there any, for water to leave the map to? */
    float *flooded;    /* of places along the edge: how high a lake has stood over them, metres */
    double base;       /* that sides sink to, metres */
    double datum;      /* a height of this land, metres: rvi_creep_from() */
    double least;      /* no ground is brought lower from a coarser level: the sea, the base, or the
                          lowest point there was */
    double *h;         /* surface, metres; where the sea is, its level */
    double *next;      /* the surface after hillslope diffusion; NULL: there is none */
    unsigned char *fixed; /* base level: RVI_SIDE or RVI_SEA; else 0 */
    bool *lake;           /* does it lie under one in this time step? */
    double *water;        /* the level of that; scratch of the diffusion after it */
    float *rain;          /* of each cell, 0 to 1; NULL: 1 */
    uint32_t *rain_parts; /* the same in RVI_RAIN */
    bool gathered;        /* are the areas that drain through whole? */
    double *load;  /* ground that rivers carry through in a time step, metres on the area that
                      drains through; NULL: they lay down nothing */
    double *risen; /* the surface after uplift, before rivers cut; scratch of what fills lakes */
    float *uplift; /* share of the uplift, 0 to 1; NULL: 1 */
    rvi_erosion_factor factor;
    bool even;       /* is that 1 everywhere? */
    float *loose;    /* how fast ground moves sideways, relative to `mobility`; NULL: by `factor` */
    double mobility; /* the greatest rate at which ground creeps or floods level it, m2 a year */
    double *bed;     /* top of the bedrock when the land has layers or bands; NULL: h */
    double *owed;    /* what layers over bedrock that nothing takes from won, or lost, beyond what
                        floats hold, metres; NULL: there are none */
    float *before;   /* every layer as it was */
    rvi_cell_sums *cell_sums; /* since then, of a layer in each block of rows */
    int summed;               /* which layer that is */
    double *lifted;           /* metres of uplift until now; NULL: `rise` everywhere */
    double rise;
    float *wide;        /* of each cell, 0 to 1: how much farther apart valleys lie; NULL: 0 */
    float source;       /* cells that drain through where a river begins */
    float of_lattice;   /* cell, in steps of the lattice of hard and soft rock */
    float *rock;        /* how easily the rock of a river is cut; NULL: 1 */
    double dt;          /* years */
    double cut[2];      /* G for one cell of area: what a slope loses; to sides and to corners */
    double distance[2]; /* metres */
    double stands;      /* greatest slope */
    float *strength;    /* of each cell, relative to that; NULL: 1 */
    float power[RVI_AREAS];       /* area^m for small areas, in cells */
    bool loaded;                  /* is `load` that of a time step? */
    bool carries;                 /* is what they cut still to be carried, or counted? */
    bool rest;                    /* are there cells that are still to be lifted? */
    double *sums;                 /* of each piece of the flow, or block of rows: what left it */
    unsigned char *moved, *moves; /* of slides: cells that moved in the round before, or do now */
    unsigned char *busy[2];       /* is there one in RVI_TILE cells of a row? */
    float *fields[3];             /* of the land: flow, eroded, deposited */
    size_t follow;                /* the first cell whose layers have not yet followed what crept */
    rvi_side_flux *flux;          /* of each part of the diffusion */
    /* Only on a device. */
    rvi_flow_device on;
    bool bedded;     /* is there `bed`? */
    double *edge[3]; /* heights of the edge, and of `bed` and `owed` there */
    float *yields;   /* the erodibility of each layer */
    float *stack;    /* layers above the bedrock; NULL: none. Their edge: */
    float *edge_stack;
    unsigned char *sides;   /* `fixed` of the edge */
    unsigned char *low;     /* of places along the edge: is no deep pit beside them? */
    double *tile_left;      /* what left the map in each tile */
    unsigned char *crossed; /* does ground creep to fixed cells in RVI_CREEP_STRIP of a row? */
    uint32_t *any_fixed;    /* not 0: there is a cell that keeps its height */
    uint32_t *slide_list[2], *slide_seen, *slide_count; /* of the parts of rows that may slide */
    unsigned char *spills; /* of each tile: may alluvium spill in it? NULL: there is none */
    uint32_t *fans;        /* how many there are, or whether any alluvium has spilled */
    /* The ledger, metres on one cell: */
    double left; /* cut by rivers, slid into them, sunk with the sides, or crept over them */
    double came; /* crept in from the sides, which keep their height */
} rvi_rivers;

/* Lifts the land and cuts into it. A stop comes before both, or leaves a rest that the second call
 * lets only rise. */
rv_status rvi_rivers_cut(rvi_rivers *r);
rv_status rvi_rivers_lift_rest(rvi_rivers *r);

/* Calls fn(arg, first, end) for rows from cell *done on, on all threads. A stop comes between two
 * parts of the map: the next call does the rest. */
rv_status rvi_rivers_rows(rvi_rivers *r, size_t *done, void (*fn)(void *arg, int first, int end),
                          void *arg);

/* How many times as far apart valleys lie. */
static inline float rvi_rivers_apart(const rvi_rivers *r, size_t cell) {
    return r->wide ? rvi_river_apart(r->wide[cell], r->p->spacing) : 1.0f;
}

/* How much drains through a cell where a river begins, in cells. */
static inline float rvi_rivers_begins(const rvi_rivers *r, size_t cell) {
    return r->wide ? rvi_river_begins(r->source, r->wide[cell], r->p->spacing) : r->source;
}

/* By how much the land rises in a time step, metres. */
static inline double rvi_rivers_rise(const rvi_rivers *r) {
    return (double)r->p->uplift * 0.001 * r->dt;
}

/* Uplift of one cell, by its share. */
void rvi_rivers_lift(rvi_rivers *r, size_t cell, double by);

/* Takes along the rivers what they and slides have cut, where they lay down a part of it; else it
 * leaves the map. */
rv_status rvi_rivers_carry(rvi_rivers *r);

/* After the last time step, where they lay down a part: fills the lakes that are left from what
 * they have carried off the map. */
rv_status rvi_rivers_fill_lakes(rvi_rivers *r);

/* Raises the land to `water`, where that is higher, by a share of it; the material is what rivers
 * have carried off the map, or would have brought from beyond it. `before`: room for the land as it
 * was. */
rv_status rvi_rivers_raise(rvi_rivers *r, double share, double *before);

/* Raises the top layer or takes from the layers from the top; h follows. */
void rvi_rivers_shift(rvi_rivers *r, size_t cell, double by);

/* Routes the water, and rain with it. */
rv_status rvi_rivers_route(rvi_rivers *r);

/* Fills `rain_parts`. */
rv_status rvi_rivers_rain(rvi_rivers *r);

/* The erosion factor of bare ground, without its band. */
static inline double rvi_rivers_factor(const rvi_rivers *r, size_t cell) {
    float factor = rvi_factor_cell(&r->factor, cell);
    return (double)(factor * rvi_factor_ground(&r->factor, cell, (float)r->h[cell]));
}

/* The factor of a layer where it ends, besides that of the cell: its erodibility and its height. */
double rvi_rivers_layer_factor(const rvi_rivers *r, size_t cell, int layer);

/* ---- river_rock.c ---- */

/* Fills `rock` and `strength`. */
rv_status rvi_rivers_rock(rvi_rivers *r);

/* ---- floodplain.c ---- */

/* Fills `loose`: how fast the ground of each cell creeps, and floods level it. */
rv_status rvi_rivers_loosen(rvi_rivers *r);

/* ---- alluvium.c ---- */

/* After the last time step: buries the floors of valleys under alluvium. */
rv_status rvi_rivers_bury(rvi_rivers *r);

/* ---- river_slide.c ---- */

/* Is there an angle at which ground slides? */
static inline bool rvi_rivers_slide_at_all(const rv_rivers_params *p) {
    return p->talus < 89.9f;
}

/* Lets what is too steep slide, for some rounds or to the end. A stop leaves it between two rounds.
 */
rv_status rvi_rivers_slide(rvi_rivers *r, bool to_the_end);

/* Takes from a cell what slides, or what of its layers may. */
void rvi_rivers_slide_to(rvi_rivers *r, size_t cell, double to);

/* ---- river_base.c ---- */

/* Finds the cells that are the base level in all of the time, and the base. */
rv_status rvi_rivers_base(rvi_rivers *r);
/* Finds the cells that water leaves the map at in a time step, with border=outlets. */
rv_status rvi_rivers_outlets(rvi_rivers *r, int step);
/* Takes them from the next coarser level. */
void rvi_rivers_keep_outlets(rvi_rivers *fine, const rvi_rivers *coarse);
/* Lets the sides that do so sink to the base, by a share of what is left. */
rv_status rvi_rivers_sink_sides(rvi_rivers *r, double share);

/* ---- river_device.c ---- */

/* Has it layers, bands or hardness in three dimensions? */
bool rvi_rivers_layered(const rv_terrain *land);
bool rvi_rivers_device_can(const rvi_rivers *r);
void rvi_rivers_device_list(rvi_rivers *r);
void rvi_rivers_device_begin(rvi_rivers *r);
/* The edge comes to the processor, with or without its layers, and goes back with them as that has
 * changed it. */
rv_status rvi_rivers_device_edge_out(rvi_rivers *r, bool layers);
rv_status rvi_rivers_device_edge_in(rvi_rivers *r);
/* As those of the processor. */
rv_status rvi_rivers_device_cut(rvi_rivers *r, double rise);
rv_status rvi_rivers_device_slide(rvi_rivers *r, int rounds, bool last);
rv_status rvi_rivers_device_carry(rvi_rivers *r);
rv_status rvi_rivers_device_fill_lakes(rvi_rivers *r);
rv_status rvi_rivers_device_raise(rvi_rivers *r, double share, double *before);
rv_status rvi_rivers_device_loosen(rvi_rivers *r);
rv_status rvi_rivers_device_creep(rvi_rivers *r, const rvi_hillslope *s);
rv_status rvi_rivers_device_creep_near(rvi_rivers *r, bool back);
rv_status rvi_rivers_device_follow(rvi_rivers *r);
rv_status rvi_rivers_device_bring(rvi_rivers *fine, const rvi_rivers *coarse, double decay);
rv_status rvi_rivers_device_show(const rvi_rivers *r);
rv_status rvi_rivers_device_show_level(const rvi_rivers *map, const rvi_rivers *coarse);

/* ---- alluvium_device.c ---- */

void rvi_alluvium_device_list(rvi_rivers *r);
/* The parts of alluvium.c. */
rv_status rvi_alluvium_device_bury(rvi_rivers *r, const rvi_alluvium_law *law);
rv_status rvi_alluvium_device_fans(rvi_rivers *r, const rvi_alluvium_law *law);
rv_status rvi_alluvium_device_spill(rvi_rivers *r, const rvi_alluvium_law *law);
rv_status rvi_alluvium_device_level(rvi_rivers *r, const rvi_alluvium_law *law,
                                    const rvi_hillslope *s);
rv_status rvi_alluvium_device_bank(rvi_rivers *r, const rvi_alluvium_law *law);

/* ---- river_ends.c ---- */

/* As those of the processor. The land of the map becomes heights; a level gets its layers. */
rv_status rvi_rivers_device_layers(rvi_rivers *r);
rv_status rvi_rivers_device_begin_level(rvi_rivers *r);
rv_status rvi_rivers_device_uplift(rvi_rivers *r, bool given);
rv_status rvi_rivers_device_fix(rvi_rivers *r, uint32_t sides, bool *any);
rv_status rvi_rivers_device_fix_cell(rvi_rivers *r, size_t cell);
rv_status rvi_rivers_device_low(rvi_rivers *r, int step); /* fills `low` */
rv_status rvi_rivers_device_rock(rvi_rivers *r);
rv_status rvi_rivers_device_rain(rvi_rivers *r);
rv_status rvi_rivers_device_coarsen(const rvi_rivers *fine, const rvi_rivers *coarse,
                                    const float *from, float *to, double low, double high);
rv_status rvi_rivers_device_coarsen_doubles(const rvi_rivers *fine, const rvi_rivers *coarse,
                                            const double *from, double *to);
rv_status rvi_rivers_device_coarsen_sea(const rvi_rivers *fine, const rvi_rivers *coarse);
rv_status rvi_rivers_device_show_flow(const rvi_rivers *r, float *flow);
/* Of a layer: fills `cell_sums`; `fields`: eroded and deposited. */
rv_status rvi_rivers_device_sum_layer(rvi_rivers *r, int layer, float *const *fields);
/* `fixed` of the edge comes to the host, with the heights there, or goes to the device. */
rv_status rvi_rivers_device_sides(rvi_rivers *r, bool in);

/* ---- river_levels.c ---- */

enum { RVI_RIVER_LEVELS = 6 };

/* How many levels there are, from the map itself to the coarsest. */
int rvi_levels_count(const rv_rivers_params *p, const rv_terrain *land);
/* The time of each level and its steps. */
void rvi_levels_share(rvi_rivers *level, int count, const rv_rivers_params *p);
/* The outline of the next level after `fine`, whose cells are those of the coarsest, halved so many
 * times. */
void rvi_level_outline(rvi_rivers *coarse, const rvi_rivers *fine, int halved);
/* Fills the grids of that level from the finer one, by means of rvi_level_hat() with this reach. */
rv_status rvi_level_fill(rvi_rivers *coarse, const rvi_rivers *fine, int halved);
/* What a finer level must know of it. */
rvi_coarse_law rvi_level_law(const rvi_rivers *coarse, const rvi_rivers *fine);
double rvi_level_reach(const rvi_rivers *coarse, const rvi_rivers *fine);
/* Brings to a level what the coarser one changed. After a stop the next call does the rest. */
rv_status rvi_level_bring(rvi_rivers *fine, const rvi_rivers *coarse);
/* Lays what a coarser level has changed so far over the map as it was, for who looks at the land
 * meanwhile; the run itself goes on from its own heights. */
rv_status rvi_level_show(const rvi_rivers *map, const rvi_rivers *coarse);

#endif
