/* sph_weak.c: weakly compressible water with the kernels of M. Mueller, D. Charypar and M. Gross
 * (2003) and the rules of the library Fluids v.2 (R. Hoetzlein, 2009), to compare with.
 *
 *     rho_i = m 315 / (64 pi h^9) sum_j (h^2 - r^2)^3,  j other than i
 *     p_i   = stiffness (rho_i - rho)
 *     a_i   = m sum_j (h - r) / (rho_i rho_j) [ 45 / (pi h^6) (h - r) (p_i + p_j) / (2 r) (x_i -
 * x_j)
 *                                              + 45 / (pi h^6) viscosity (v_j - v_i) ]
 *
 * Speeds leap: places go with those of half a step later, and forces see those of the step. */
#include "water/sph_state.h"

#include "base/math.h"

static void force_block(void *arg, int64_t block) {
    rvi_sph *w = arg;
    size_t first = rvi_sph_begin(block), end = rvi_sph_end(w, block);
    const float *g = w->desc.gravity;
    float limit = w->desc.weak.limit;
    w->passes->weak_force(w, first, end);
    for (size_t i = first; i < end; i++) {
        rvi_v4 a = w->calm[i];
        float size = sqrtf((a[0] * a[0] + a[1] * a[1]) + a[2] * a[2]);
        a = size > limit ? limit / size * a : a;
        a += w->shove[i] + (rvi_v4){g[0], g[1], g[2], 0};
        w->wish[i] = (w->drops.speeds[i] + w->drops.halves[i]) + w->step * a;
        w->other.halves[i] = 0.5f * w->step * a;
        w->calm[i] = (rvi_v4){0};
        w->other.pressures[i] = w->drops.pressures[i];
        w->other.pushes[i] = w->drops.pushes[i];
    }
}

static void speed_block(void *arg, int64_t block) {
    rvi_sph *w = arg;
    size_t end = rvi_sph_end(w, block);
    for (size_t i = rvi_sph_begin(block); i < end; i++)
        w->other.speeds[i] -= w->other.halves[i];
}

rv_status rvi_sph_weaken_end(rvi_sph *w) {
    return rvi_sph_each(w, speed_block, w);
}

rv_status rvi_sph_weaken(rvi_sph *w, float longest, float *dt) {
    *dt = w->step = rvi_minf(w->desc.weak.step, longest);
    rvi_sph_lister lister = {.w = w, .dt = *dt, .slice = w->passes->weak_density};
    rv_status status = rvi_sph_list(&lister);
    return status == RV_OK ? rvi_sph_each(w, force_block, w) : status;
}
