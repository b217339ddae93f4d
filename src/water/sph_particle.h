/* sph_particle.h: what a particle does by itself: its cell, the walls around it, its speed and its
 * way. C and OpenCL C compile it; the equations are those of sph_walls.c and sph_project.c. */
#ifndef RVI_WATER_SPH_PARTICLE_H
#define RVI_WATER_SPH_PARTICLE_H

#include "base/math.h"

#include <math.h>
#include <stdbool.h>

/* A thread takes a block of particles at once; the particles of a slice go side by side. */
enum { RVI_SPH_BLOCK = 512, RVI_SPH_SLICE = 16 };

/* What is summed up over all particles; each has a part for each block. */
enum {
    RVI_SPH_R_P, /* of conjugate gradients: sph_passes.h */
    RVI_SPH_P_AP,
    RVI_SPH_R_MAP,
    RVI_SPH_AP_MAP,
    RVI_SPH_INACTIVE,
    RVI_SPH_ACTIVE,
    RVI_SPH_R_Z,
    RVI_SPH_CLAMPED, /* residual that comes by no pressure below 0 */
    RVI_SPH_EXCESS,  /* density */
    RVI_SPH_SUMS
};

enum { RVI_SPH_WALLS = 6 + 4 }; /* around a particle: of the box and of the rock */

/* Of water: what all particles have in common. */
typedef struct rvi_sph_rules {
    float size[3];         /* m: of the box */
    float low[3], high[3]; /* m: between these no side of the box stops a particle */
    int open[3][2];        /* sides of the box */
    float gravity[3];      /* m/s2 */
    float cell_size;       /* m */
    int cells[3];          /* along x, y, z */
    float radius, spacing; /* m */
    float stop;            /* m: no particle comes nearer to a wall */
    float kernel_volume;   /* of a particle, times the norm of the kernel */
    float quantum;         /* of V grad W */
    float density;         /* kg/m3 at rest */
    float missing_density; /* share of the density that a particle on a wall lacks */
    float rest_virial;     /* pressure over k of a lattice at rest */
    float friction;        /* 1/s */
    float wall_reach;      /* m: nearer walls add to the density */
    int penalty_walls;     /* do they push instead? */
    float penalty[2], penalty_reach;
} rvi_sph_rules;

/* Of a pair: what the loop over neighbours needs. */
typedef struct rvi_sph_pair {
    float per_radius; /* 1/m */
    float gradient;   /* V grad W without (1-q)^3 (x_i-x_j) */
    float viscosity, small, tension;
    float quanta; /* 1 over the quantum */
} rvi_sph_pair;

typedef struct rvi_sph_wall_grid { /* over the rock */
    float per_cell;                /* 1/m */
    int cells[3];
    float reach; /* m: farther walls do nothing */
} rvi_sph_wall_grid;

/* Of the drift of sediment: sph_sediment.c. */
typedef struct rvi_sph_drift_rules {
    float spread, sink; /* over the time of a step */
    float gradient;     /* c_ij without (1 - q)^3 */
    float radius;       /* m */
    float most;         /* m3 in a particle */
    float least;        /* m3: particles with less keep it */
    float up[3];        /* against gravity; 0 without it */
} rvi_sph_drift_rules;

/* What a step on a device counts. */
enum {
    RVI_SPH_FASTEST, /* the square of a speed, and the highest and the lowest potential: bits */
    RVI_SPH_HIGHEST,
    RVI_SPH_LOWEST,
    RVI_SPH_LEAVES,  /* is a particle at an open side? */
    RVI_SPH_NEAR,    /* particles that only the host can go on with */
    RVI_SPH_LONGEST, /* list of neighbours, of those that found no room */
    RVI_SPH_BAD,     /* particles with a number that is not finite, or that are too fast */
    RVI_SPH_COUNTERS = 16
};

enum { RVI_SPH_CHUNK = 64 }; /* cells that an item of a device adds up */

/* The cell of a grid over the rock. */
static inline int rvi_sph_wall_cell(float per_cell, int cells, float x) {
    return (int)rvi_clampf(x * per_cell, 0.0f, (float)(cells - 1));
}

static inline int rvi_sph_cell_along(const rvi_sph_rules *r, int axis, float x) {
    return (int)rvi_clampf(x / r->cell_size, 0.0f, (float)(r->cells[axis] - 1));
}

/* ---- Walls ---- */

typedef struct rvi_sph_walls { /* all around a particle */
    float distance[RVI_SPH_WALLS], share[RVI_SPH_WALLS], away[RVI_SPH_WALLS][3];
    int count;
} rvi_sph_walls;

static inline void rvi_sph_add_wall(rvi_sph_walls *a, float distance, float share,
                                    const float away[3]) {
    a->distance[a->count] = distance;
    a->share[a->count] = share;
    for (int i = 0; i < 3; i++)
        a->away[a->count][i] = away[i];
    a->count++;
}

/* Those of the box. */
static inline void rvi_sph_box_walls(const rvi_sph_rules *r, const float p[3], float reach,
                                     rvi_sph_walls *a) {
    a->count = 0;
    for (int i = 0; i < 3; i++) {
        float low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
        low[i] = 1;
        high[i] = -1;
        if (p[i] < reach && !r->open[i][0])
            rvi_sph_add_wall(a, p[i], 1, low);
        if (r->size[i] - p[i] < reach && !r->open[i][1])
            rvi_sph_add_wall(a, r->size[i] - p[i], 1, high);
    }
}

/* The gradient of the density of the rock, and that density. */
static inline void rvi_sph_complete(const rvi_sph_rules *r, const rvi_sph_walls *a, float out[4]) {
    float behind[RVI_SPH_WALLS], gradient[RVI_SPH_WALLS], water = 1;
    float deep = r->wall_reach - 0.5f * r->spacing;
    for (int k = 0; k < a->count; k++) {
        float x = rvi_maxf((r->wall_reach - a->distance[k]) / deep, 0.0f),
              full = a->share[k] * r->missing_density;
        behind[k] = rvi_minf(full * x * x * x, 0.9f);
        gradient[k] = -3 / deep * full * x * x;
        water *= 1 - behind[k];
    }
    out[0] = out[1] = out[2] = 0;
    out[3] = 1 - water;
    for (int k = 0; k < a->count; k++) {
        float others = gradient[k];
        for (int l = 0; l < a->count; l++)
            others *= l == k ? 1.0f : 1 - behind[l];
        for (int i = 0; i < 3; i++)
            out[i] += others * a->away[k][i];
    }
}

/* The acceleration k^s d n - k^d (v . n) n of each wall (equation 6.1 of V. Skorkovska, 2012, with
 * the damping against the motion). */
static inline void rvi_sph_penalty(const rvi_sph_rules *r, const rvi_sph_walls *a, const float v[3],
                                   float out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < a->count; k++) {
        float deep = r->penalty_reach - a->distance[k];
        if (deep <= 0)
            continue;
        float along = (v[0] * a->away[k][0] + v[1] * a->away[k][1]) + v[2] * a->away[k][2];
        float force = r->penalty[0] * deep - r->penalty[1] * along;
        for (int i = 0; i < 3; i++)
            out[i] += force * a->away[k][i];
    }
}

/* ---- Pressure ---- */

/* Pressure over k: in the water by the virial of the pairs, at a wall by the force on the wall. */
static inline float rvi_sph_virial(const rvi_sph_rules *r, const float wall[4], float pairs) {
    if (wall[3] < 0.5f * r->missing_density)
        return pairs;
    float gradient = sqrtf((wall[0] * wall[0] + wall[1] * wall[1]) + wall[2] * wall[2]);
    return rvi_minf(gradient * r->spacing, r->rest_virial);
}

/* The speed after a step without pressure, with the friction of walls. `other`: the acceleration
 * by neighbours; `push`: that by penalty walls. */
static inline void rvi_sph_predict(const rvi_sph_rules *r, float dt, const float speed[3],
                                   const float other[3], const float push[3], const float wall[4],
                                   float out[3]) {
    float friction = r->friction * dt, v[3];
    for (int i = 0; i < 3; i++)
        v[i] = speed[i] + dt * ((r->gravity[i] + other[i]) + push[i]);
    float square = (wall[0] * wall[0] + wall[1] * wall[1]) + wall[2] * wall[2];
    float into = (wall[0] * v[0] + wall[1] * v[1]) + wall[2] * v[2];
    float rest = 1 / (1 + friction * rvi_minf(2 * wall[3], 1.0f));
    float share = square > 0 ? into / square : 1.0f;
    for (int i = 0; i < 3; i++) {
        float normal = share * wall[i];
        out[i] = normal + rest * (v[i] - normal);
    }
}

/* The displacement beside the speed, not longer than `longest` in the time dt. */
static inline void rvi_sph_limit_shift(float dt, float longest, const float acceleration[3],
                                       float out[3]) {
    float by[3];
    for (int i = 0; i < 3; i++)
        by[i] = dt * acceleration[i];
    float length = dt * sqrtf((by[0] * by[0] + by[1] * by[1]) + by[2] * by[2]);
    for (int i = 0; i < 3; i++)
        out[i] = length > longest ? longest / length * by[i] : by[i];
}

/* ---- Moves ---- */

typedef struct rvi_sph_walker {
    float at[3], speed[3];
    float path[3]; /* m: what is left to go */
} rvi_sph_walker;

static inline float rvi_sph_length(const float v[3]) {
    return sqrtf((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
}

/* Is it where no side of the box stops a particle? */
static inline bool rvi_sph_in_box(const rvi_sph_rules *r, const float at[3]) {
    return at[0] >= r->low[0] && at[0] <= r->high[0] && at[1] >= r->low[1] && at[1] <= r->high[1] &&
           at[2] >= r->low[2] && at[2] <= r->high[2];
}

static inline bool rvi_sph_at_open_side(const rvi_sph_rules *r, const float at[3]) {
    for (int i = 0; i < 3; i++)
        if ((r->open[i][0] && at[i] <= 0) || (r->open[i][1] && at[i] >= r->size[i]))
            return true;
    return false;
}

/* Goes `share` of the path, but not out of the box. Where the box stops it, the path ends. */
static inline void rvi_sph_go(const rvi_sph_rules *r, rvi_sph_walker *g, float share) {
    for (int i = 0; i < 3; i++) {
        float to = g->at[i] + share * g->path[i];
        float kept = rvi_clampf(to, r->low[i], r->high[i]);
        bool stops = !r->open[i][kept < to];
        g->path[i] = kept == to ? g->path[i] * (1 - share) : 0.0f;
        if ((kept > to && g->speed[i] < 0) || (kept < to && g->speed[i] > 0))
            g->speed[i] = stops ? 0.0f : g->speed[i];
        g->at[i] = kept;
    }
}

/* Most particles meet no wall on their path. `to`: where it ends. */
static inline bool rvi_sph_meets_no_wall(const rvi_sph_rules *r, float clearance,
                                         const float path[3], const float to[3]) {
    return rvi_sph_in_box(r, to) && rvi_sph_length(path) <= clearance - r->stop;
}

/* Goes a path that meets at most the sides of the box. False: it may meet rock. */
static inline bool rvi_sph_goes_freely(const rvi_sph_rules *r, float clearance, rvi_sph_walker *g) {
    bool free = rvi_sph_length(g->path) <= clearance - r->stop;
    if (free)
        rvi_sph_go(r, g, 1);
    return free;
}

/* What is left of the distance to the nearest face after a way. */
static inline float rvi_sph_still_clear(float clearance, const float way[3]) {
    return clearance - 1.001f * rvi_sph_length(way);
}

#endif
