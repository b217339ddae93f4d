/* sph.h: water as particles (smoothed particle hydrodynamics) in a box, among walls of rock.
 *
 *     rvi_sph_desc desc = rvi_sph_desc_default();
 *     rvi_sph *water;
 *     rvi_sph_create(ctx, &desc, mesh, &water);
 *     rvi_sph_fill(water, low, high);
 *     rvi_sph_run(water, 0.04);             // a frame
 *     rvi_sph_destroy(water);
 *
 * All is metres, seconds and kilograms. Particles change their places in the arrays from step to
 * step; their numbers stay. The same bits come from any number of threads.
 */
#ifndef RVI_WATER_SPH_H
#define RVI_WATER_SPH_H

#include "base/lanes.h"
#include "water/wall_index.h"

typedef enum rvi_sph_solver {
    RVI_SPH_PROJECT, /* pressure keeps the density, after DFSPH */
    RVI_SPH_WEAK,    /* pressure follows the density, as in the library Fluids v.2 */
} rvi_sph_solver;

typedef enum rvi_sph_wall {
    RVI_SPH_COMPLETE, /* the rock fills up the density of the water beside it */
    RVI_SPH_PENALTY,  /* a spring and a damper push the water away */
} rvi_sph_wall;

/* What only the weakly compressible solver and penalty walls know. */
typedef struct rvi_sph_weak {
    float radius;    /* m: of the smoothing */
    float mass;      /* kg of a particle */
    float stiffness; /* Pa m3/kg: pressure per density above that at rest */
    float viscosity; /* Pa s */
    float limit;     /* m/s2: no acceleration is larger */
    float step;      /* s: always the same */
} rvi_sph_weak;

typedef struct rvi_sph_desc {
    rvi_sph_solver solver;
    rvi_sph_wall wall;
    double low[3], high[3]; /* the box that no particle leaves */
    bool open[3][2];        /* but through open sides: of x, y, z the low and the high one */
    float spacing;          /* m between particles at rest, each of which is spacing^3 of water */
    float density;          /* kg/m3 at rest */
    float gravity[3];       /* m/s2 */
    float viscosity;        /* m2/s */
    float smoothing;  /* more of it, in spacing * sqrt(|gravity| spacing): what keeps grids quiet */
    float tension;    /* m/s2: how much particles at the surface pull each other */
    float friction;   /* 0: water glides along walls; per sqrt(spacing / |gravity|) */
    float courant;    /* how much of the spacing the fastest particle goes in a step */
    float tolerance;  /* mean change of the density in a step that pressure may leave, as a share */
    int iterations;   /* of the pressure, at most */
    size_t most;      /* particles; the oldest leave for new ones */
    float penalty[2]; /* 1/s2 and 1/s: stiffness and damping of penalty walls */
    float penalty_reach; /* m: where they begin to push */
    rvi_sph_weak weak;
} rvi_sph_desc;

rvi_sph_desc rvi_sph_desc_default(void); /* water in a box of 1 m, 0.02 m between particles */
rvi_sph_desc rvi_sph_desc_weak(void);    /* constants of Fluids v.2 (R. Hoetzlein, 2009) */

/* New water: a block of particles that come one by one where there is room. */
typedef struct rvi_sph_source {
    double low[3], size[3]; /* m */
    float speed[3];         /* m/s */
    double rate;            /* particles a second */
} rvi_sph_source;

/* A particle that leaves, and what it takes along. */
typedef struct rvi_sph_gone {
    uint32_t number;
    float age;       /* s */
    double sediment; /* m3 */
    double at[3];
} rvi_sph_gone;
typedef void (*rvi_sph_gone_fn)(void *user, const rvi_sph_gone *gone);

typedef struct rvi_sph rvi_sph;

/* `rock` may be NULL; it is closed, as rv_mesh_check demands, and is not needed afterwards. */
rv_status rvi_sph_create(rv_context *ctx, const rvi_sph_desc *desc, const rv_mesh *rock,
                         rvi_sph **out);
void rvi_sph_destroy(rvi_sph *water); /* NULL is fine */

rv_status rvi_sph_add(rvi_sph *water, const double at[3], const float speed[3], double sediment);
/* A block of particles at rest, without those that would be in the rock or where water is. */
rv_status rvi_sph_fill(rvi_sph *water, const double low[3], const double high[3]);
rv_status rvi_sph_add_source(rvi_sph *water, const rvi_sph_source *source);
void rvi_sph_on_gone(rvi_sph *water, rvi_sph_gone_fn tell, void *user);

/* One step of at most `longest` seconds. When it fails or is cancelled, no particle has moved. */
rv_status rvi_sph_step(rvi_sph *water, float longest);
rv_status rvi_sph_run(rvi_sph *water, double seconds);

/* ---- What can be seen ---- */

typedef struct rvi_sph_view {
    size_t count;
    const rvi_v4 *places; /* x, y, z from the low corner of the box */
    const rvi_v4 *speeds;
    const float *densities;  /* shares of that at rest, of the last step */
    const float *pressures;  /* Pa, of the last step */
    const float *ages;       /* s */
    double *sediments;       /* m3; may be written */
    const uint32_t *numbers; /* in the order in which they came */
    double time;             /* s */
    float step;              /* s: the last one */
    int iterations[2];       /* of the last step: of velocities, of displacements */
    float compression;       /* mean of what was above the density at rest when it began */
} rvi_sph_view;
rvi_sph_view rvi_sph_look(const rvi_sph *water);

double rvi_sph_energy(const rvi_sph *water);                /* J: of motion and height */
void rvi_sph_momentum(const rvi_sph *water, double out[3]); /* kg m/s */
const rvi_wall_index *rvi_sph_rock(const rvi_sph *water);
/* Is no particle in the rock, nearer to it than it may be, or out of the box? */
bool rvi_sph_dry(const rvi_sph *water);

/* For tests: at most that many lanes of the vector unit, which changes the time only. */
void rvi_sph_narrow(rvi_sph *water, int lanes);

#endif
