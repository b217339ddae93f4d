/* wear_drift.c: sediment goes from particle to particle: it sinks and it spreads.
 *
 * With c_ij = 2 V |dW/dr| / r of the kernel W, the same for both of a pair,
 *
 *     spreading:  ds_i = dt D sum_j c_ij (s_j - s_i)         (L. Brookshaw, 1985)
 *     sinking:    i gives j, which lies z_ij lower,  dt v c_ij z_ij s_i (1 - s_j / most)
 *
 * In a lattice at rest the sum over all lower j of c_ij z_ij^2 is 1, so that the middle of the
 * sediment sinks with the speed v; the last factor leaves out who is full. No pair moves more than
 * a share of 0.45 over the number of neighbours, for either of the two ways: what a particle gives
 * it has, and what it gets it has room for. Both of a pair compute the same floats, one adding what
 * the other takes away, in doubles: nothing vanishes. */
#include "scene/wear_state.h"

#include "base/math.h"

typedef struct drift {
    rvi_wear *w;
    float spread, sink, steep;
    float dust; /* those that have less keep it */
    float up[3];
} drift;

/* Of a particle: its sediment, the share of what it can hold that is free, and the largest share
 * that it exchanges with one neighbour. */
static void load_block(void *arg, int64_t block) {
    const drift *d = arg;
    const rvi_sph *water = d->w->water;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(water, block); i++) {
        float s = (float)water->drops.sediments[i];
        uint32_t count = water->near_count[i];
        d->w->loads[i] = (rvi_v4){s > d->dust ? s : 0.0f, rvi_maxf(1 - s / (float)d->w->most, 0.0f),
                                  0.45f / (float)(count > 0 ? count : 1), 0};
    }
}

static RVI_HOT rvi_four four_of(const rvi_v4 *from, const uint32_t which[4]) {
    return rvi_four_from(from[which[0]], from[which[1]], from[which[2]], from[which[3]]);
}

/* What i gets from four others; nothing from itself. */
static RVI_HOT rvi_v4 get(const drift *d, size_t i, const uint32_t which[4]) {
    const rvi_sph *water = d->w->water;
    const rvi_v4 zero = {0}, at = water->drops.places[i], to = d->w->loads[i];
    rvi_four n = four_of(water->drops.places, which), from = four_of(d->w->loads, which);
    rvi_v4 x = at[0] - n.x, y = at[1] - n.y, z = at[2] - n.z;
    rvi_v4 u = rvi_v4_max(1.0f - rvi_v4_sqrt((x * x + y * y) + z * z) / water->radius, zero);
    rvi_v4 c = d->steep * (u * u * u), few = rvi_v4_min(rvi_v4_all(to[2]), from.z);
    rvi_v4 spreads = rvi_v4_min(d->spread * c, few) * (from.x - to[0]);
    rvi_v4 higher = (x * d->up[0] + y * d->up[1]) + z * d->up[2]; /* i over the others */
    rvi_v4 falls = rvi_v4_min(d->sink * c * rvi_v4_max(-higher, zero), few) * (from.x * to[1]);
    rvi_v4 drops = rvi_v4_min(d->sink * c * rvi_v4_max(higher, zero), few) * (to[0] * from.y);
    return spreads + (falls - drops);
}

/* Have four particles nothing to give? */
static RVI_HOT bool clear(const drift *d, const uint32_t which[4]) {
    const rvi_v4 *loads = d->w->loads;
    return (loads[which[0]][0] + loads[which[1]][0]) + (loads[which[2]][0] + loads[which[3]][0]) <=
           0;
}

static void drift_block(void *arg, int64_t block) {
    const drift *d = arg;
    const rvi_sph *water = d->w->water;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(water, block); i++) {
        size_t count = water->near_count[i];
        double sum = 0;
        for (size_t k = 0; k < count; k += 4) {
            uint32_t which[4];
            for (size_t l = 0; l < 4; l++)
                which[l] = k + l < count ? rvi_sph_neighbour(water, i, k + l) : (uint32_t)i;
            if (d->w->loads[i][0] <= 0 && clear(d, which))
                continue;
            rvi_v4 gets = get(d, i, which);
            sum += ((double)gets[0] + (double)gets[1]) + ((double)gets[2] + (double)gets[3]);
        }
        d->w->drifted[i] = water->drops.sediments[i] + sum;
    }
}

rv_status rvi_wear_drift(rvi_wear *w) {
    rvi_sph *water = w->water;
    bool any = false;
    for (size_t i = 0; i < water->count && !any; i++)
        any = water->drops.sediments[i] != 0;
    if (!any || (w->desc.settle <= 0 && w->desc.spread <= 0))
        return RV_OK;
    drift d = {.w = w,
               .spread = w->desc.spread * water->step,
               .sink = w->desc.settle * water->step,
               .steep = -2 * water->volume * water->steep,
               .dust = 1e-7f * (float)w->most,
               .up = {(float)w->up[0], (float)w->up[1], (float)w->up[2]}};
    rv_status status = rvi_sph_each(water, load_block, &d);
    if (status == RV_OK)
        status = rvi_sph_each(water, drift_block, &d);
    if (status == RV_OK)
        memcpy(water->drops.sediments, w->drifted, water->count * sizeof *w->drifted);
    return status;
}
