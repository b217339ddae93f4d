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
 * it has, and what it gets it has room for. Both of a pair compute the same bits, one adding what
 * the other takes away: nothing vanishes. */
#include "solid/wear_state.h"

#include "base/math.h"

typedef struct drift {
    rvi_wear *w;
    double spread, sink;
    double dust; /* two that have less leave it */
} drift;

static void load_block(void *arg, int64_t block) {
    const drift *d = arg;
    const rvi_sph *water = d->w->water;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(water, block); i++) {
        const uint32_t *near;
        double s = water->drops.sediments[i], room = 1 - s / d->w->most;
        size_t count = rvi_sph_neighbours(water, i, &near);
        d->w->loads[i] = (rvi_load){.sediment = s,
                                    .room = room > 0 ? room : 0,
                                    .few = 0.45 / (double)(count > 0 ? count : 1)};
    }
}

static double lesser(double a, double b) {
    return a < b ? a : b;
}

/* What i gets from j. */
static double get(const drift *d, size_t i, size_t j) {
    const rvi_sph *water = d->w->water;
    const rvi_load *to = &d->w->loads[i], *from = &d->w->loads[j];
    if (from->sediment < d->dust && to->sediment < d->dust)
        return 0;
    rvi_v4 way = water->drops.places[i] - water->drops.places[j];
    float square = (way[0] * way[0] + way[1] * way[1]) + way[2] * way[2];
    float u = rvi_maxf(1 - sqrtf(square) / water->radius, 0.0f);
    double c = -2 * (double)(water->volume * water->steep * u * u * u);
    double few = lesser(to->few, from->few);
    double spreads = lesser(d->spread * c, few) * (from->sediment - to->sediment);
    double higher = ((double)way[0] * d->w->up[0] + (double)way[1] * d->w->up[1]) +
                    (double)way[2] * d->w->up[2]; /* i over j */
    double share = lesser(d->sink * c * (higher < 0 ? -higher : higher), few);
    double sinks =
        higher < 0 ? share * (from->sediment * to->room) : -(share * (to->sediment * from->room));
    return spreads + sinks;
}

static void drift_block(void *arg, int64_t block) {
    const drift *d = arg;
    const rvi_sph *water = d->w->water;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(water, block); i++) {
        const uint32_t *near;
        size_t count = rvi_sph_neighbours(water, i, &near);
        double sum = 0;
        for (size_t k = 0; k < count; k++)
            sum += near[k] != i ? get(d, i, near[k]) : 0;
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
               .spread = (double)w->desc.spread * (double)water->step,
               .sink = (double)w->desc.settle * (double)water->step,
               .dust = 1e-12 * w->most};
    rv_status status = rvi_sph_each(water, load_block, &d);
    if (status == RV_OK)
        status = rvi_sph_each(water, drift_block, &d);
    if (status == RV_OK)
        memcpy(water->drops.sediments, w->drifted, water->count * sizeof *w->drifted);
    return status;
}
