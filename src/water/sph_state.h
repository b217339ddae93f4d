/* sph_state.h: the inside of the water: its arrays, and the parts of a step. Only src/water
 * includes it; others use sph.h.
 *
 * A step sorts the particles into cells, lists the neighbours of each, and then makes passes over
 * the lists, with a slice of particles side by side. Each particle gathers from its neighbours in
 * the order of its list and writes only what is its own: neither the number of threads nor the
 * vector unit changes a sum.
 */
#ifndef RVI_WATER_SPH_STATE_H
#define RVI_WATER_SPH_STATE_H

#include "device/device.h"
#include "water/sph_particle.h"
#include "water/sph_passes.h"

/* In spacings: a new particle is at least so far from all others. */
#define RVI_SPH_ROOM 0.9f
/* The longest step, in sqrt(spacing / acceleration). */
#define RVI_SPH_LONGEST_STEP 0.1f
/* In spacings: no displacement is longer. */
#define RVI_SPH_LONGEST_SHIFT 0.2f
/* In spacings: no particle comes nearer to a wall. */
#define RVI_SPH_STOP 0.2f

/* What belongs to a particle from step to step. */
typedef struct rvi_sph_particles {
    rvi_v4 *places, *speeds;
    rvi_v4 *half_kicks; /* leapfrog: change of speed in half a step; NULL in the solver `project` */
    float *velocity_k, *displacement_k; /* the first guesses of k in the next step */
    float *ages;
    double *sediments;
    uint32_t *numbers;
} rvi_sph_particles;

typedef struct rvi_sph_source_state { /* a source while it runs */
    rvi_sph_source desc;
    float low[3];
    int counts[3]; /* places of its block along x, y, z */
    size_t next;   /* the place that is tried next */
    double due;    /* particles that shall come */
} rvi_sph_source_state;

typedef struct rvi_sph_remote rvi_sph_remote; /* sph_device.c */

struct rvi_sph {
    rv_context *ctx;
    rvi_sph_desc desc;
    float size[3];                      /* m: of the box */
    float radius;                       /* m: of the smoothing */
    float volume;                       /* m3 of a particle */
    float kernel_norm, kernel_gradient; /* W = norm (1-q)^4 (1+4q), grad W = gradient (1-q)^3
                                           (x_i-x_j), q = |x_i-x_j| / radius */
    float quantum;         /* V grad W is rounded to multiples of it, alike for both of a pair */
    float missing_density; /* share of the density that a particle on a wall lacks */
    float wall_reach;      /* m: nearer walls add to the density */
    float rest_virial;     /* pressure over k of a lattice at rest */
    float viscosity;       /* m2/s, with the smoothing */
    float friction_rate;   /* 1/s: the unit of friction */
    rvi_sph_rules rules;
    const rvi_sph_passes *passes;
    rvi_wall_index rock;
    size_t count, capacity;
    rvi_sph_particles particles, next; /* a step or a sort writes `next`; then they are swapped */
    uint32_t next_number;              /* of the next new particle */
    double time;
    float step; /* s: the last one; before the first, that of water at rest */
    int iterations[2];
    float compression;
    rvi_sph_times times;
    rvi_sph_source_state *sources;
    size_t source_count;
    rvi_sph_gone_fn on_gone;
    void *on_gone_user;
    /* The grid. */
    float cell_size;
    int cells[3];              /* along x, y, z */
    uint32_t *cell_start;      /* of each cell: its first particle */
    uint32_t *cell_of, *order; /* before the sort */
    uint32_t *home_cell;       /* of particles, after the sort */
    uint32_t *nearest_face;    /* of the rock when the step began, or RVI_NO_FACE */
    float *x, *y, *z;          /* places, after the sort */
    float max_speed2;          /* m2/s2 */
    float potential_range;     /* m2/s2: gravity times the height of the water */
    /* Neighbours. */
    uint32_t *lists;           /* while they are made: one slice of each piece */
    uint32_t *neighbour_count; /* of particles */
    size_t stride;             /* room in each list */
    uint32_t *columns;         /* the lists of all slices: twice the numbers of particles */
    size_t *column_start;      /* of slices: the first column */
    uint32_t *column_count;    /* of slices: the length of the longest list */
    int16_t *gradients;        /* V grad W of columns, in quanta; NULL in the weak solver */
    /* Of a step; with room for a whole last slice. */
    rvi_v4 *predicted;         /* speeds without pressure, and then those of the move */
    rvi_v4 *shift;             /* m/s: displacement that restores the density, beside the speed */
    rvi_v4 *acceleration;      /* by pressure; in the weak solver by all neighbours */
    rvi_v4 *projected;         /* predicted speeds with that; NULL in the weak solver */
    rvi_v4 *wall_density;      /* x, y, z: gradient of the rock's density; w: that density */
    rvi_v4 *wall_acceleration; /* by penalty walls */
    rvi_v4 *weak_places;       /* place and pressure; NULL in the solver `project` */
    rvi_v4 *weak_speeds;       /* speed and 1 / density; NULL in the solver `project` */
    float *clearance;          /* m: no face of the rock is nearer; after the step too */
    float *density;            /* as a share of that at rest */
    float *pressure;           /* Pa */
    float *virial;             /* pressure over k and density */
    float *k;                  /* pressure over density squared */
    float *diagonal;           /* of A, without dt^2 */
    float *inverse_diagonal;   /* of A; 0 for particles that are not active */
    float *residual, *direction, *ap; /* of conjugate gradients; ap = A direction */
    /* Between steps. */
    rvi_v4 *loads;              /* of the drift of sediment */
    uint8_t *leaves;            /* has a particle no way out of the rock? */
    double *sums[RVI_SPH_SUMS]; /* a part for each block */
    uint32_t *counts;           /* one or two of each piece */
    /* On a device. */
    rvi_device *device;     /* of this step; NULL: the processor does it */
    rvi_sph_remote *remote; /* NULL: no step was there yet */
    unsigned told;          /* which reasons to use the processor the user knows */
};

/* ---- sph_cells.c ---- */
rv_status rvi_sph_sort(rvi_sph *w);
typedef struct rvi_sph_lister { /* what is done with new lists while they are in the cache */
    rvi_sph *w;
    float dt;
    bool walls; /* of the particles of a piece are found before */
    void (*slice)(rvi_sph *w, float dt, size_t first, size_t end);
    void (*piece)(void *arg, int64_t piece); /* may be NULL */
    void *arg;
} rvi_sph_lister;
rv_status rvi_sph_list_neighbours(rvi_sph_lister *l);
rv_status rvi_sph_resize_lists(rvi_sph *w, size_t stride);
size_t rvi_sph_stride_for(size_t longest); /* list, and some more */
/* After a sort: is no particle nearer? */
bool rvi_sph_is_free(const rvi_sph *w, const float at[3], float distance);
/* The same without one, where none but `others` can be. */
bool rvi_sph_is_free_of(const rvi_sph *w, const uint32_t *others, size_t count, const float at[3],
                        float distance);
static inline uint32_t rvi_sph_cell_number(const rvi_sph *w, rvi_v4 p) {
    int x = rvi_sph_cell_along(&w->rules, 0, p[0]), y = rvi_sph_cell_along(&w->rules, 1, p[1]),
        z = rvi_sph_cell_along(&w->rules, 2, p[2]);
    return (uint32_t)((z * w->cells[1] + y) * w->cells[0] + x);
}

/* ---- sph_walls.c ---- */
void rvi_sph_find_walls(rvi_sph *w, int64_t piece);
typedef struct rvi_sph_near_walls {
    rvi_v4 density, acceleration; /* as wall_density and wall_acceleration */
    float clearance;
    uint32_t face;
} rvi_sph_near_walls;
/* Of a particle at that place with that speed. */
rvi_sph_near_walls rvi_sph_walls_at(const rvi_sph *w, rvi_v4 at, rvi_v4 v);
/* `particles` by `predicted` and `shift` to `next`. Counts those of `next` with a number that is
 * not finite, or faster than the root of `fastest2`. */
rv_status rvi_sph_move(rvi_sph *w, float dt, float fastest2, double *bad);
/* Goes a path beside rock. A particle that finds no place stays where it was, at rest. */
void rvi_sph_walk(const rvi_sph *w, rvi_sph_walker *g);
/* Faces have moved: pushes particle i to where it may be; false: there is no way out of the rock.
 * `jumped`: faces may have passed it. */
bool rvi_sph_push_out_one(rvi_sph *w, size_t i, bool jumped);

/* ---- sph_project.c, sph_weak.c: find `predicted`, `shift` and the time of the step ---- */
rv_status rvi_sph_solve_project(rvi_sph *w, float longest, float *dt);
rv_status rvi_sph_solve_weak(rvi_sph *w, float longest, float *dt);

typedef struct rvi_sph_solve { /* the search for pressure */
    rvi_sph *w;
    bool displaces;    /* finds displacements, else velocities */
    double tolerance;  /* mean of |residual| that may be left */
    const float *from; /* the k that accelerate takes */
    rvi_sph_cg cg;
} rvi_sph_solve;

/* The k of the last step are the first guess: less of them after a shorter step, whose pressure may
 * have been very large. */
static inline float rvi_sph_guess_scale(const rvi_sph_solve *s) {
    float ratio = s->w->step / s->cg.dt;
    return rvi_minf(ratio * ratio, 1.0f);
}

/* ---- sph_device.c ---- */
/* Where the next step runs; NULL: on the processor. */
rvi_device *rvi_sph_choose_device(rvi_sph *w);
void rvi_sph_device_destroy(rvi_sph *w);
/* The host has changed these of the particles, which rvi_sph_fetch had brought back. */
enum { RVI_SPH_PLACES = 1, RVI_SPH_SEDIMENTS = 2, RVI_SPH_OTHERS = 4, RVI_SPH_ALL = 7 };
void rvi_sph_changed(rvi_sph *w, unsigned what);
void rvi_sph_appended(rvi_sph *w, size_t particle); /* and those behind it */
void rvi_sph_rock_changed(rvi_sph *w);
/* The processor is going to change any array: the device forgets them, and what it knew better is
 * brought back. */
rv_status rvi_sph_leave_device(rvi_sph *w);
/* The parts of a step. */
rv_status rvi_sph_device_sort(rvi_sph *w);
bool rvi_sph_device_leaves(const rvi_sph *w); /* after the sort: is a particle at an open side? */
rv_status rvi_sph_device_show_cells(rvi_sph *w); /* after the sort: cells and places */
rv_status rvi_sph_device_walls(rvi_sph *w);
/* `listed` false: the device has no room for the lists. */
rv_status rvi_sph_device_list(rvi_sph *w, float dt, bool *listed);
rv_status rvi_sph_device_guess(const rvi_sph_solve *s);
rv_status rvi_sph_device_project(const rvi_sph_solve *s);
rv_status rvi_sph_device_begin(const rvi_sph_solve *s);
rv_status rvi_sph_device_accelerate(const rvi_sph_solve *s);
rv_status rvi_sph_device_apply(const rvi_sph_solve *s);
rv_status rvi_sph_device_update(const rvi_sph_solve *s);
rv_status rvi_sph_device_clamp(const rvi_sph_solve *s);
rv_status rvi_sph_device_finish_velocities(const rvi_sph_solve *s);
rv_status rvi_sph_device_finish_displacements(const rvi_sph_solve *s);
rv_status rvi_sph_device_move(rvi_sph *w, float dt);
rv_status rvi_sph_device_check(rvi_sph *w, float fastest2, double *bad);
bool rvi_sph_device_lists(const rvi_sph *w); /* has the device the neighbours of all particles? */
rv_status rvi_sph_device_drift(rvi_sph *w, const rvi_sph_drift_rules *d);

/* ---- sph_sources.c ---- */
/* `sorted`: do the particles stand in the order of their cells, before and after? */
rv_status rvi_sph_run_sources(rvi_sph *w, float dt, bool *sorted);
size_t rvi_sph_source_places(const rvi_sph_source_state *s);

/* ---- sph.c ---- */
rv_status rvi_sph_each_block(rvi_sph *w, void (*fn)(void *arg, int64_t block), void *arg);
size_t rvi_sph_block_begin(int64_t block);
size_t rvi_sph_block_end(const rvi_sph *w, int64_t block);
/* The same in smaller pieces, for what sums up nothing: they leave fewer threads without work. */
enum { RVI_SPH_PIECE = 128 };
rv_status rvi_sph_each_piece(rvi_sph *w, void (*fn)(void *arg, int64_t piece), void *arg);
size_t rvi_sph_piece_begin(int64_t piece);
size_t rvi_sph_piece_end(const rvi_sph *w, int64_t piece);
/* All arrays; returns how many there are. */
enum { RVI_SPH_ARRAYS = 64 };
size_t rvi_sph_arrays(const rvi_sph *w, void *out[RVI_SPH_ARRAYS]);
static inline size_t rvi_sph_most_blocks(const rvi_sph *w) {
    return w->capacity / RVI_SPH_BLOCK + 1;
}
double rvi_sph_sum(const rvi_sph *w, int number); /* of `sums` */
double rvi_sph_max(const rvi_sph *w, int number);
rv_status rvi_sph_append(rvi_sph *w, const float at[3], const float speed[3], double sediment);

/* m: farther walls do nothing to a particle. */
static inline float rvi_sph_reach(const rvi_sph *w) {
    return w->desc.wall == RVI_SPH_PENALTY ? w->desc.penalty_reach : w->wall_reach;
}

static inline rvi_sph_pair rvi_sph_pair_of(const rvi_sph *w) {
    return (rvi_sph_pair){.per_radius = 1 / w->radius,
                          .gradient = w->volume * w->kernel_gradient,
                          .viscosity = 10 * w->viscosity,
                          .small = 0.01f * w->radius * w->radius,
                          .tension =
                              -w->desc.tension * w->volume * w->kernel_norm / w->desc.spacing,
                          .quanta = 1 / w->quantum};
}

/* Neighbour n of a particle, of neighbour_count, when the last step began; itself is one. */
static inline uint32_t rvi_sph_neighbour(const rvi_sph *w, size_t particle, size_t n) {
    size_t start = w->column_start[particle / RVI_SPH_SLICE] + particle % RVI_SPH_SLICE;
    return w->columns[start + n * RVI_SPH_SLICE] / 2;
}

#endif
