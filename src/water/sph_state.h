/* sph_state.h: the inside of the water: its arrays, and what the parts of a step do with them.
 *
 * A step sorts the particles into cells, lists the neighbours of each, and then makes passes over
 * the lists, with a slice of particles side by side. Each particle gathers from its neighbours in
 * the order of its list and writes what is its own: neither threads nor vector units change a sum.
 */
#ifndef RVI_WATER_SPH_STATE_H
#define RVI_WATER_SPH_STATE_H

#include "water/sph.h"

#include <stdalign.h>

/* Particles that a thread takes at once, and those that go side by side; and the room for
 * candidates. */
enum { RVI_SPH_BLOCK = 512, RVI_SPH_SLICE = 16, RVI_SPH_PACK = 1024, RVI_SPH_SUMS = 5 };

/* In spacings: how far from all others a new particle must be. */
#define RVI_SPH_ROOM 0.9f

/* What belongs to a particle from step to step. */
typedef struct rvi_drops {
    rvi_v4 *places, *speeds;
    rvi_v4 *halves; /* from the speeds to those half a step later; NULL in projected water */
    float *pressures, *pushes; /* of the density and of the divergence, over density squared */
    float *ages;
    double *sediments;
    uint32_t *numbers;
} rvi_drops;

/* Candidates for the lists of a cell's particles, side by side, with room for a slice more. */
typedef struct rvi_sph_pack {
    alignas(64) float x[RVI_SPH_PACK + RVI_SPH_SLICE];
    float y[RVI_SPH_PACK + RVI_SPH_SLICE], z[RVI_SPH_PACK + RVI_SPH_SLICE];
    uint32_t which[RVI_SPH_PACK + RVI_SPH_SLICE];
    size_t count;
    uint32_t cell; /* of which these are all candidates */
} rvi_sph_pack;

/* Conjugate gradients; sums have a number of each block. */
typedef struct rvi_sph_round {
    float dt;
    float share;         /* of a density that is too high that shall go */
    float slack;         /* who has more left gets a say */
    float far, keep;     /* how far along the way, and how much of it is kept */
    double *product;     /* of what is left, or of what the way does, with the way */
    double *rest;        /* what is left of those who have a say */
    double *others;      /* and of the others */
    double *mixed, *own; /* what the way does with what is left and with itself */
} rvi_sph_round;

/* The passes over neighbours for one vector unit: sph_passes.inc. Each takes the particles from
 * `first`, where a slice begins, to `end`. */
typedef struct rvi_sph_passes {
    int lanes;
    void (*list_near)(rvi_sph *w, const rvi_sph_pack *c, size_t first, size_t end); /* of a cell */
    void (*prepare)(rvi_sph *w, float dt, size_t first, size_t end); /* of a slice just listed */
    void (*weak_density)(rvi_sph *w, float dt, size_t first, size_t end); /* the same */
    void (*pull)(rvi_sph *w, const float *k, size_t first, size_t end);   /* what k does: `pull` */
    void (*begin_round)(rvi_sph *w, const rvi_sph_round *r, size_t first, size_t end);
    void (*try_way)(rvi_sph *w, const rvi_sph_round *r, size_t first, size_t end);
    void (*go_way)(rvi_sph *w, const rvi_sph_round *r, size_t first, size_t end);
    void (*weak_force)(rvi_sph *w, size_t first, size_t end);
} rvi_sph_passes;
extern const rvi_sph_passes rvi_sph_passes_4, rvi_sph_passes_8, rvi_sph_passes_16;

/* What the time of a step goes to: who is where; pressure, with who is near whom (of the weak
 * solver all forces of particles on each other); walls and moves. */
enum { RVI_SPH_SORTING, RVI_SPH_PRESSING, RVI_SPH_MOVING };

typedef struct rvi_spring { /* a source as it runs */
    rvi_sph_source is;
    float low[3];
    int counts[3];
    size_t next; /* place of its block that is tried next */
    double due;  /* particles */
} rvi_spring;

struct rvi_sph {
    rv_context *ctx;
    rvi_sph_desc desc;
    float size[3];     /* of the box */
    float radius;      /* of the smoothing */
    float volume;      /* of a particle */
    float norm, steep; /* the kernel is norm (1-q)^4 (1+4q), its gradient steep (1-q)^3 (x_i-x_j) */
    float grain;       /* what V grad W is rounded to, alike for both of a pair */
    float missing;     /* density that a particle on a wall does not get from the water */
    float skin;        /* where walls begin */
    float moment;      /* pressure over k of a lattice at rest, by its virial */
    float viscosity;   /* m2/s, with the smoothing */
    float rub;         /* 1/s: what friction is measured in */
    const rvi_sph_passes *passes;
    rvi_wall_index rock;
    size_t count, room;
    rvi_drops drops, other; /* `other` is where the next ones are made */
    uint32_t born;          /* particles so far */
    double time;
    float step;
    int iterations[2];
    float compression;
    double took[3]; /* seconds of the last step: RVI_SPH_SORTING ... */
    rvi_spring *springs;
    size_t spring_count;
    rvi_sph_gone_fn tell;
    void *user;
    /* The grid. */
    float cell;
    int cells[3];
    uint32_t *starts;          /* of each cell in the order of particles */
    uint32_t *cell_of, *order; /* before they are sorted */
    uint32_t *home;            /* the cell, after they are */
    uint32_t *beside;          /* a face of the rock near which it began, or none */
    float *x, *y, *z;          /* places, after they are */
    float fastest;             /* the largest square of a speed */
    float fall;                /* m2/s2: gravity times the height of the water */
    uint32_t *near;            /* lists as they are made, of one slice of each block */
    uint32_t *near_count;      /* how long each list is */
    uint32_t *columns;         /* the lists of all slices: twice the numbers */
    size_t *column_start;      /* where those of each slice begin */
    uint32_t *column_count;    /* how long the longest of its lists is */
    size_t stride;             /* room in each list */
    int16_t *slopes;           /* V grad W of columns in grains, for the projecting solver */
    /* Of a step; with room for a whole last slice. */
    float *k, *way; /* pressure over density squared, and the direction to a better one */
    rvi_v4 *wish;   /* the speed that forces ask for, and then that of the move */
    rvi_v4 *calm;   /* what a particle is displaced by besides, per step */
    rvi_v4 *pull;   /* acceleration by pressure */
    rvi_v4 *flow;   /* speed with that */
    rvi_v4 *wall;   /* gradient of the rock's density, and that density */
    rvi_v4 *shove;  /* acceleration by penalty walls */
    float *far;     /* no face of the rock is nearer; after the step too */
    float *fill;    /* density, as a share */
    float *stiff;   /* how much a particle's pressure changes its own density */
    float *ease;    /* how much pressure undoes it; 0 for those who have no say */
    float *left;    /* what the pressure shall still undo */
    float *does;    /* what a direction does to it */
    float *virial;  /* pressure over k and density */
    float *pascals; /* pressure */
    double *sums[RVI_SPH_SUMS]; /* of each block */
};

/* ---- sph_cells.c ---- */
rv_status rvi_sph_sort(rvi_sph *w);
typedef struct rvi_sph_lister { /* what is done with lists while they are at hand */
    rvi_sph *w;
    float dt;
    void (*slice)(rvi_sph *w, float dt, size_t first, size_t end);
    void (*block)(void *arg, int64_t block); /* or NULL */
    void *arg;
} rvi_sph_lister;
rv_status rvi_sph_list(rvi_sph_lister *l);
rv_status rvi_sph_widen(rvi_sph *w, size_t stride);
bool rvi_sph_free_at(const rvi_sph *w, const float at[3], float distance); /* after sorting */

/* ---- sph_walls.c ---- */
rv_status rvi_sph_meet_walls(rvi_sph *w);
rv_status rvi_sph_move(rvi_sph *w, float dt);              /* by `wish`, from `drops` to `other` */
bool rvi_sph_in_rock(const rvi_sph *w, const float at[3]); /* or too near to it */
/* Faces have moved: puts particle i where it may be; false: there is no way out of the rock.
 * `jumped`: they may have passed it. */
bool rvi_sph_put_out(rvi_sph *w, size_t i, bool jumped);

/* ---- sph_project.c, sph_weak.c: fill in `wish` and the step ---- */
rv_status rvi_sph_project(rvi_sph *w, float longest, float *dt);
rv_status rvi_sph_weaken(rvi_sph *w, float longest, float *dt);
rv_status rvi_sph_weaken_end(rvi_sph *w); /* after the move */

/* ---- sph_springs.c ---- */
rv_status rvi_sph_pour(rvi_sph *w, float dt, bool *changed);
void rvi_sph_remove(rvi_sph *w, const uint8_t *leaves); /* tells of each that does */

/* ---- sph.c ---- */
rv_status rvi_sph_each(rvi_sph *w, void (*fn)(void *arg, int64_t block), void *arg);
size_t rvi_sph_begin(int64_t block);
size_t rvi_sph_end(const rvi_sph *w, int64_t block);
double rvi_sph_sum(const rvi_sph *w, int number); /* of `sums` */
double rvi_sph_most(const rvi_sph *w, int number);
rv_status rvi_sph_place(rvi_sph *w, const float at[3], const float speed[3], double sediment);

/* Neighbour n of a particle, of near_count, as of the last step's beginning; itself is one. */
static inline uint32_t rvi_sph_neighbour(const rvi_sph *w, size_t particle, size_t n) {
    size_t start = w->column_start[particle / RVI_SPH_SLICE] + particle % RVI_SPH_SLICE;
    return w->columns[start + n * RVI_SPH_SLICE] / 2;
}

#endif
