/* sph_sediment.c: sediment goes from particle to particle: it sinks and it spreads.
 *
 * With c_ij = 2 V |dW/dr| / r of the kernel W, the same for both of a pair,
 *
 *     spreading:  ds_i = dt D sum_j c_ij (s_j - s_i)         (L. Brookshaw, 1985)
 *     sinking:    i gives j, which lies z_ij lower,  dt v c_ij z_ij s_i (1 - s_j / most)
 *
 * In a lattice at rest the sum over all lower j of c_ij z_ij^2 is 1, so that the centre of the
 * sediment sinks at the speed v; the last factor leaves out particles that are full. For each of
 * the two, no pair moves more than a share of 0.45 over the number of neighbours: a particle gives
 * only what it has, and gets only what it has room for. Both of a pair compute the same floats, one
 * adds what the other subtracts, in doubles: nothing vanishes. */
#include "water/sph_state.h"

#include "base/math.h"
#include "base/vector.h"

typedef rvi_v4 lanes;
#define HOT RVI_HOT

static HOT lanes smaller(lanes a, lanes b) {
    return rvi_v4_min(a, b);
}

static HOT lanes larger(lanes a, lanes b) {
    return rvi_v4_max(a, b);
}

static HOT lanes root(lanes v) {
    return rvi_v4_sqrt(v);
}

#include "water/sph_drift.inc"

typedef struct drift {
    rvi_sph *w;
    rvi_sph_drift_rules rules;
} drift;

void rvi_sph_set_sediment(rvi_sph *w, size_t particle, double sediment) {
    w->particles.sediments[particle] = sediment;
    rvi_sph_changed(w, RVI_SPH_SEDIMENTS);
}

static void load_piece(void *arg, int64_t piece) {
    const drift *d = arg;
    rvi_sph *w = d->w;
    uint32_t loaded = 0;
    for (size_t i = rvi_sph_piece_begin(piece); i < rvi_sph_piece_end(w, piece); i++) {
        drift_load load =
            drift_load_of(&d->rules, w->particles.sediments[i], w->neighbour_count[i]);
        w->loads[i] = (rvi_v4){load.sediment, load.room, load.limit, 0};
        loaded += w->particles.sediments[i] != 0;
    }
    w->counts[piece] = loaded;
}

static bool any_loaded(const rvi_sph *w) {
    uint32_t any = 0;
    for (size_t i = 0; i * RVI_SPH_PIECE < w->count; i++)
        any |= w->counts[i];
    return any != 0;
}

static RVI_HOT rvi_four four_of(const rvi_v4 *from, const uint32_t which[4]) {
    return rvi_four_from(from[which[0]], from[which[1]], from[which[2]], from[which[3]]);
}

/* What i gets from four others. */
static RVI_HOT rvi_v4 get(const drift *d, size_t i, const uint32_t which[4]) {
    const rvi_sph *w = d->w;
    const rvi_v4 at = w->particles.places[i], own = w->loads[i];
    rvi_four n = four_of(w->particles.places, which), from = four_of(w->loads, which);
    return drift_get(&d->rules, at[0] - n.x, at[1] - n.y, at[2] - n.z,
                     (drift_load){own[0], own[1], own[2]}, from.x, from.y, from.z);
}

/* Have four particles nothing to give? */
static RVI_HOT bool are_clear(const rvi_v4 *loads, const uint32_t which[4]) {
    return (loads[which[0]][0] + loads[which[1]][0]) + (loads[which[2]][0] + loads[which[3]][0]) <=
           0;
}

static void drift_piece(void *arg, int64_t piece) {
    const drift *d = arg;
    rvi_sph *w = d->w;
    for (size_t i = rvi_sph_piece_begin(piece); i < rvi_sph_piece_end(w, piece); i++) {
        size_t count = w->neighbour_count[i];
        double sum = 0;
        for (size_t k = 0; k < count; k += 4) {
            uint32_t which[4];
            for (size_t l = 0; l < 4; l++)
                which[l] = k + l < count ? rvi_sph_neighbour(w, i, k + l) : (uint32_t)i;
            if (w->loads[i][0] <= 0 && are_clear(w->loads, which))
                continue;
            rvi_v4 gets = get(d, i, which);
            sum += ((double)gets[0] + (double)gets[1]) + ((double)gets[2] + (double)gets[3]);
        }
        w->next.sediments[i] = w->particles.sediments[i] + sum;
    }
}

static rvi_sph_drift_rules rules_of(const rvi_sph *w, const rvi_sph_drift *desc) {
    const float *g = w->desc.gravity;
    float length = rvi_length3f(g);
    rvi_sph_drift_rules d = {.spread = desc->spread * w->step,
                             .sink = desc->settle * w->step,
                             .gradient = -2 * w->volume * w->kernel_gradient,
                             .radius = w->radius,
                             .most = (float)desc->most,
                             .least = 1e-7f * (float)desc->most};
    for (int i = 0; i < 3; i++)
        d.up[i] = length > 0 ? -(g[i] / length) : 0.0f;
    return d;
}

rv_status rvi_sph_drift_sediment(rvi_sph *w, const rvi_sph_drift *desc) {
    if (desc->settle <= 0 && desc->spread <= 0)
        return RV_OK;
    drift d = {w, rules_of(w, desc)};
    bool device = rvi_sph_device_lists(w);
    rv_status status = device ? rvi_sph_device_drift(w, &d.rules) : rvi_sph_leave_device(w);
    if (!device && status == RV_OK)
        status = rvi_sph_each_piece(w, load_piece, &d);
    if (!device && (status != RV_OK || !any_loaded(w)))
        return status;
    if (!device)
        status = rvi_sph_each_piece(w, drift_piece, &d);
    if (status == RV_OK) {
        double *swap = w->particles.sediments;
        w->particles.sediments = w->next.sediments;
        w->next.sediments = swap;
    }
    return status;
}
