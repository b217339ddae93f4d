/* sph.h: water as particles (smoothed particle hydrodynamics) in a box, among walls of rock.
 *
 *     rvi_sph_desc desc = rvi_sph_desc_default();
 *     rvi_sph *water;
 *     rvi_sph_create(ctx, &desc, mesh, &water);
 *     rvi_sph_fill(water, low, high);
 *     rvi_sph_run(water, 0.04);             // a frame
 *     rvi_sph_destroy(water);
 *
 * All units are metres, seconds and kilograms. Particles change their index in the arrays from step
 * to step; their numbers stay. The same bits come from any number of threads.
 *
 * This header is all that others know of the water: verbs change it, and views show it.
 */
#ifndef RVI_WATER_SPH_H
#define RVI_WATER_SPH_H

#include "base/archive.h"
#include "base/lanes.h"
#include "water/wall_index.h"

typedef enum rvi_sph_solver {
    RVI_SPH_PROJECT, /* pressure keeps the density, after DFSPH */
    RVI_SPH_WEAK,    /* pressure follows the density, as in the library Fluids v.2 */
} rvi_sph_solver;

typedef enum rvi_sph_wall {
    RVI_SPH_COMPLETE, /* the rock completes the density of the water beside it */
    RVI_SPH_PENALTY,  /* a spring and a damper push the water away */
} rvi_sph_wall;

/* Parameters of the weakly compressible solver only. */
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
    double low[3], high[3]; /* m: the box, which particles leave only through open sides */
    double origin[3];       /* m: is added to places in sentences */
    bool open[3][2];        /* of x, y, z: the low and the high side */
    float spacing;          /* m between particles at rest, each of which is spacing^3 of water */
    float density;          /* kg/m3 at rest */
    float gravity[3];       /* m/s2 */
    float viscosity;        /* m2/s */
    float smoothing;  /* numerical viscosity, in spacing * sqrt(|gravity| spacing): damps noise */
    float tension;    /* m/s2: surface tension, as an attraction of particles */
    float friction;   /* of walls, in sqrt(|gravity| / spacing); 0: water slides */
    float courant;    /* in spacings: no particle moves farther in a step */
    float tolerance;  /* mean error of the density in a step that pressure may leave, as a share */
    int iterations;   /* of the pressure solver, at most */
    size_t most;      /* particles: then the oldest leave for new ones */
    float penalty[2]; /* 1/s2 and 1/s: stiffness and damping of penalty walls */
    float penalty_reach; /* m: nearer particles are pushed */
    rvi_sph_weak weak;
} rvi_sph_desc;

rvi_sph_desc rvi_sph_desc_default(void); /* water in a box of 1 m, 0.02 m between particles */
rvi_sph_desc rvi_sph_desc_weak(void);    /* constants of Fluids v.2 (R. Hoetzlein, 2009) */

/* New water: a block of places in which particles appear, one by one, where there is room. */
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
/* Removes the particles i with leaves[i] != 0; rvi_sph_on_gone is told of each. */
void rvi_sph_remove(rvi_sph *water, const uint8_t *leaves);
void rvi_sph_on_gone(rvi_sph *water, rvi_sph_gone_fn tell, void *user);

rv_status rvi_sph_add_source(rvi_sph *water, const rvi_sph_source *source);
/* For sources that do not run by their rate: in the next step source `number`, counted in the order
 * in which they were added, gives its whole block, or nothing. */
void rvi_sph_pulse_source(rvi_sph *water, size_t number, bool on);

/* One step of at most `longest` seconds. When it fails or is cancelled, no particle has moved.
 * RV_ERROR_INTERNAL: the step would have made a number that is not finite or a speed that no water
 * has, or taken no time. */
rv_status rvi_sph_step(rvi_sph *water, float longest);
rv_status rvi_sph_run(rvi_sph *water, double seconds);

/* ---- Sediment ---- */

void rvi_sph_set_sediment(rvi_sph *water, size_t particle, double sediment); /* m3 */

typedef struct rvi_sph_drift {
    float settle; /* m/s: how fast sediment sinks from particle to particle */
    float spread; /* m2/s: how fast it diffuses between particles */
    double most;  /* m3 that a particle holds at most */
} rvi_sph_drift;
/* Moves sediment between particles, over the time of the last step. The sum stays the same. When it
 * fails or is cancelled, no sediment has moved. */
rv_status rvi_sph_drift_sediment(rvi_sph *water, const rvi_sph_drift *drift);

/* ---- Rock that changes ---- */

/* The rock is now made of these faces. When it fails, the rock is what it was. */
rv_status rvi_sph_set_rock(rvi_sph *water, const rvi_wall_change *faces, size_t count);
/* Some faces have changed. When it fails, memory has run out, and rvi_sph_set_rock must follow
 * before the next step. */
rv_status rvi_sph_change_rock(rvi_sph *water, const rvi_wall_change *changes, size_t count);

/* The nearest place of the rock within `reach` of each particle, after a step. `touches` has room
 * for all; where there is none, the face is RVI_NO_FACE and the distance `reach`. */
rv_status rvi_sph_touch_rock(rvi_sph *water, float reach, rvi_touch *touches);
/* After faces have changed: pushes particles out that the rock is now too near to, and removes
 * those that have no way out. `touches` and `reach`: from before the change. `farthest`: in
 * spacings; no vertex has moved farther, except where faces came, went or jumped. Counts both. */
void rvi_sph_push_out(rvi_sph *water, const rvi_touch *touches, float reach, float farthest,
                      size_t *pushed_out, size_t *trapped);

/* ---- Views: read only, valid until the water changes ---- */

/* After a step on a device, before all that looks at particles or changes them: views, too. */
rv_status rvi_sph_fetch(rvi_sph *water);

/* Seconds that the parts of the last step took. */
typedef struct rvi_sph_times {
    double sort;     /* particles into cells; sources */
    double pressure; /* walls, neighbours and pressure; in the weak solver all forces */
    double move;     /* moves */
} rvi_sph_times;

typedef struct rvi_sph_view {
    size_t count;
    const rvi_v4 *places; /* x, y, z from the low corner of the box */
    const rvi_v4 *speeds;
    const float *densities;  /* shares of that at rest, of the last step */
    const float *pressures;  /* Pa, of the last step */
    const float *ages;       /* s */
    const double *sediments; /* m3 */
    const uint32_t *numbers; /* in the order in which they came */
    float volume;            /* m3 of a particle */
    double time;             /* s */
    float step;              /* s: the last one; before the first, that of water at rest */
    int iterations[2];       /* of the last step: of velocities, of displacements */
    float compression;       /* mean of what was above the density at rest when it began */
    rvi_sph_times times;
} rvi_sph_view;
rvi_sph_view rvi_sph_view_of(const rvi_sph *water);

const rvi_sph_desc *rvi_sph_desc_of(const rvi_sph *water);
const rvi_wall_index *rvi_sph_rock(const rvi_sph *water);
double rvi_sph_energy(const rvi_sph *water);                /* J: of motion and height */
void rvi_sph_momentum(const rvi_sph *water, double out[3]); /* kg m/s */
/* Is a place, from the low corner of the box, in the rock, nearer to it than a particle may be, or
 * out of the box? */
bool rvi_sph_in_rock(const rvi_sph *water, const float at[3]);
/* Is no particle at such a place? */
bool rvi_sph_none_in_rock(const rvi_sph *water);

/* ---- Checkpoints ---- */

/* Writes all that the next steps depend on, and with it a number of the caller. */
rv_status rvi_sph_checkpoint(rvi_sph *water, int64_t frame, rvi_archive_writer *to);
/* Into water that was created alike, with the same sources. When it fails, the water can only be
 * destroyed. */
rv_status rvi_sph_restore(rvi_sph *water, int64_t *frame, rvi_archive *from);

/* ---- For tests ---- */

/* At most that many lanes of the vector unit, which changes the time only. */
void rvi_sph_limit_lanes(rvi_sph *water, int lanes);
/* The neighbours of a particle when the last step began, itself among them, in rising order: writes
 * at most `room` of them and returns how many there are. */
size_t rvi_sph_neighbours(const rvi_sph *water, size_t particle, uint32_t *out, size_t room);

#endif
