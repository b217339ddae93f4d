/* wear.h: what water erodes from a solid, carries and deposits, and what the moving wall does to
 * the water.
 *
 *     rvi_wear_desc desc = rvi_wear_desc_default(spacing);
 *     rvi_wear_create(ctx, &desc, water, rock, &wear);
 *     rvi_sph_step(water, longest), rvi_wear_step(wear);   // in each frame
 *     rvi_wear_destroy(wear);   // before the water and the rock
 *
 * Shear rate, stress and erosion follow equations 6.2 to 6.4 of V. Skorkovska (2012):
 *
 *     theta = |v tangential| / max(l, closest spacing),   tau = K theta^m,
 *     erosion = k (tau - tau_c)^a  metres a second, on spacing^2 for each particle.
 *
 * Volumes are m3 and doubles. The change of the rock's volume is measured exactly, and particles
 * get exactly what their vertices gave. */
#ifndef RVI_SCENE_WEAR_H
#define RVI_SCENE_WEAR_H

#include "mesh/edit_mesh.h"
#include "mesh/tessellate.h"
#include "scene/wear_regions.h"
#include "water/sph.h"

typedef struct rvi_rock_material {
    char name[32];
    float critical; /* tau_c of 6.4: shear stress below which nothing is eroded */
    float rate;     /* k of 6.4: metres a second per unit of stress above it */
    float colour[3];
} rvi_rock_material;

typedef struct rvi_wear_desc {
    float thickness, index, exponent; /* K and m of 6.2, a of 6.4 */
    float reach;    /* in spacings: particles that are nearer to a face erode and deposit */
    float closest;  /* in spacings: the distance l of 6.3 is never less */
    float farthest; /* in spacings: no vertex moves farther in a step; less than 0.2 */
    float least;    /* in spacings: shorter moves of vertices wait (owed) until there is more */
    float most;     /* sediment that a particle holds at most, as a share of its volume */
    float deposit;  /* 1/s: share of its sediment that a particle deposits on level ground where
                       the stress is below the critical one */
    float level;    /* how much erosion and deposition level the surface; 0: not at all */
    float settle;   /* m/s: how fast sediment sinks, from particle to particle */
    float spread;   /* m2/s: how fast sediment spreads between particles */
    rvi_tessellation scheme;
    float limit; /* m: near water, the corners of a face are at most so far from the particle */
    const rvi_rock_material *materials; /* copied; at least one */
    size_t material_count;
    /* Which material is at a place (metres) of the solid, such as rvi_regions_at.
     * RVI_NO_MATERIAL: the first one. NULL: the first one everywhere. Called from several
     * threads. */
    size_t (*material_at)(const void *user, const double at[3]);
    const void *user;
    /* Is told of particles that leave, after they are booked; NULL is fine. */
    rvi_sph_gone_fn gone;
    void *gone_user;
} rvi_wear_desc;

rvi_wear_desc rvi_wear_desc_default(float spacing);

/* All in m3. At all times, to 1e-9 of what moved and what is owed,
 *     lost = eroded - deposited = suspended + left_map + owed. */
typedef struct rvi_wear_ledger {
    double first, volume;     /* of the solid: when it began, and now */
    double lost;              /* first - volume, from exact numbers */
    double eroded, deposited; /* what moved vertices took from the solid and gave to it, in sum */
    double suspended;         /* in particles now, less what they had when it began */
    double left_map;          /* gone with particles that left */
    double owed;              /* lost by the rock and not yet given to particles; may be negative */
    double owed_sizes;        /* what single vertices owe or are owed, without signs */
    double reshaped;          /* lost by dividing and joining faces; part of eroded - deposited */
    size_t refused;           /* moves of vertices that were refused or shortened, in all */
    size_t pushed_out;        /* particles that a moving wall has pushed, in all */
    size_t trapped; /* particles removed because there was no way out of the rock, in all */
} rvi_wear_ledger;

typedef struct rvi_wear rvi_wear;

/* Borrows both. The water's walls become those of the rock, so that it can be created without rock.
 * Takes over rvi_sph_on_gone. Particles with sediment must be there before. */
rv_status rvi_wear_create(rv_context *ctx, const rvi_wear_desc *desc, rvi_sph *water,
                          rvi_edit_mesh *rock, rvi_wear **out);
void rvi_wear_destroy(rvi_wear *wear); /* NULL is fine */

/* After each rvi_sph_step: sediment moves between particles, is eroded and deposited; vertices
 * move, faces near the water are divided, and particles that the rock has come too near to are
 * pushed out. When it fails or is cancelled, rock, water and ledger still agree. */
rv_status rvi_wear_step(rvi_wear *wear);
/* Before the water steps again: rebuilds walls that could not follow the rock, without memory. */
rv_status rvi_wear_repair(rvi_wear *wear);

rvi_wear_ledger rvi_wear_ledger_of(const rvi_wear *wear);
/* Is the sum of all volumes finite? It is only if all its parts are. */
bool rvi_wear_is_finite(const rvi_wear *wear);
/* m3 that a material has lost to particles and gained from them, in sum. */
void rvi_wear_material_ledger(const rvi_wear *wear, size_t material, double *eroded,
                              double *deposited);

/* Writes what a checkpoint keeps beside the rock and the particles, as plain numbers; returns how
 * many. NULL: only counts them. To resume, create all, and then restore. */
size_t rvi_wear_checkpoint(rvi_wear *wear, double *numbers);
rv_status rvi_wear_restore(rvi_wear *wear, const double *numbers, size_t count);

/* For tests: a step with these contacts of these particles instead of those that there are, without
 * dividing faces and without drift of sediment. */
rv_status rvi_wear_step_at(rvi_wear *wear, const rvi_contact *contacts, const uint32_t *particles,
                           size_t count);

#endif
