/* wear.h: what water takes from a solid, carries and lays down, and what the moving wall does to
 * the water.
 *
 *     rvi_wear_desc desc = rvi_wear_desc_default(spacing);
 *     rvi_wear_create(ctx, &desc, water, skin, &wear);
 *     for each frame: rvi_sph_step(water, longest), rvi_wear_step(wear);
 *     rvi_wear_destroy(wear); before the water and the skin
 *
 * Shear rate, stress and erosion follow equations 6.2 to 6.4 of V. Skorkovska (2012):
 *
 *     theta = |v tangential| / max(l, closest spacing),   tau = K theta^m,
 *     taken = k (tau - tau_c)^a  metres a second, on spacing^2 for each particle.
 *
 * Volumes are m3 and doubles. What the skin's volume really did, measured exactly, is the truth:
 * particles get what their vertices gave, and no more. */
#ifndef RVI_SCENE_WEAR_H
#define RVI_SCENE_WEAR_H

#include "mesh/edit_mesh.h"
#include "mesh/tessellate.h"
#include "scene/wear_regions.h"
#include "water/sph.h"

typedef struct rvi_material {
    char name[32];
    float critical; /* shear stress below which nothing is eroded (6.4) */
    float rate;     /* k of 6.4: metres a second per unit of stress above it */
    float colour[3];
} rvi_material;

typedef struct rvi_wear_desc {
    float thickness, index, exponent; /* K and m of 6.2, a of 6.4 */
    float reach;    /* in spacings: particles that are nearer to a face take and lay */
    float closest;  /* in spacings: l of 6.3 is never less */
    float farthest; /* in spacings: no vertex moves farther in a step; less than 0.2 */
    float least;    /* in spacings: less than that is kept (owed) until more is asked for */
    float most;     /* sediment that a particle holds at most, as a share of its volume */
    float lay;      /* share of its sediment that a particle lays down a second on level ground
                       where the stress is below the critical one */
    float level;    /* how much what is eroded or deposited levels the surface; 0: not at all */
    float settle;   /* m/s: how fast sediment sinks, from particle to particle */
    float spread;   /* m2/s: how fast sediment spreads between particles */
    rvi_tessellation scheme;
    float limit;                   /* m: d, how far a particle's face may have its corners */
    const rvi_material *materials; /* copied; at least one */
    size_t material_count;
    /* Which material is at a place (metres) of the solid: RVI_NO_MATERIAL: the first. NULL: the
     * first everywhere. Called from several threads. rvi_regions_at is one. */
    size_t (*material_at)(const void *user, const double at[3]);
    const void *user;
    /* Is told of particles that leave, after they are booked; NULL is fine. */
    rvi_sph_gone_fn gone;
    void *gone_user;
} rvi_wear_desc;

rvi_wear_desc rvi_wear_desc_default(float spacing);

/* All in m3. At all times, to 1e-9 of what moved,
 *     lost = taken - laid = afloat + carried_off + owed. */
typedef struct rvi_wear_ledger {
    double first, volume;     /* of the solid: when it began, and now */
    double lost;              /* first - volume, from exact numbers */
    double eroded, deposited; /* what moved vertices took from the solid and added to it, in sum */
    double suspended;         /* in particles now, less what they had when it began */
    double left_map;          /* gone with particles that left */
    double owed;       /* moved by the skin, and not yet by particles, or the other way round */
    double reshaped;   /* what dividing and joining faces took; part of eroded - deposited */
    size_t refused;    /* moves of vertices that were refused or cut short, in all */
    size_t pushed_out; /* particles that a moving wall has pushed, in all */
    size_t trapped;    /* particles removed because there was no way out of the rock, in all */
} rvi_wear_ledger;

typedef struct rvi_wear rvi_wear;

/* Borrows both; the water's walls become those of the skin, so that it can have been made without
 * rock. Takes over rvi_sph_on_gone. Particles that come with sediment come before. */
rv_status rvi_wear_create(rv_context *ctx, const rvi_wear_desc *desc, rvi_sph *water,
                          rvi_edit_mesh *skin, rvi_wear **out);
void rvi_wear_destroy(rvi_wear *wear); /* NULL is fine */

/* After each rvi_sph_step: sediment goes between particles, is taken and laid; vertices move, faces
 * near the water are divided, and particles that the rock has come too near to are put out. When it
 * fails or is cancelled, skin, water and ledger fit together all the same. */
rv_status rvi_wear_step(rvi_wear *wear);
/* Before the water steps again: walls that a want of memory has kept from following the skin. */
rv_status rvi_wear_mend(rvi_wear *wear);

rvi_wear_ledger rvi_wear_look(const rvi_wear *wear);
/* m3 that each material has lost to particles and gained from them, in sum. */
void rvi_wear_material(const rvi_wear *wear, size_t material, double *eroded, double *deposited);

/* What a checkpoint keeps beside the skin and the particles, in plain numbers; returns how many.
 * NULL: only counts them. To resume, create all, and then restore. */
size_t rvi_wear_keep(rvi_wear *wear, double *numbers);
rv_status rvi_wear_restore(rvi_wear *wear, const double *numbers, size_t count);

#endif
