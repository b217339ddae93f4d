/* sph_weak.c: weakly compressible water with the kernels of M. Mueller, D. Charypar and M. Gross
 * (2003) and the rules of the library Fluids v.2 (R. Hoetzlein, 2009), to compare with.
 *
 *     rho_i = m 315 / (64 pi h^9) sum_j (h^2 - r^2)^3,  j other than i
 *     p_i   = stiffness (rho_i - rho)
 *     a_i   = m 45 / (pi h^6) sum_j (h - r) / (rho_i rho_j) F_ij
 *     F_ij  = (h - r) (p_i + p_j) / (2 r) (x_i - x_j) + viscosity (v_j - v_i)
 *
 * Leapfrog: places move with the speeds of half a step later, and forces use those of the step. */
#include "water/sph_state.h"

#include "base/math.h"

static void force_block(void *arg, int64_t block) {
    rvi_sph *w = arg;
    size_t first = rvi_sph_block_begin(block), end = rvi_sph_block_end(w, block);
    const float *g = w->desc.gravity;
    float limit = w->desc.weak.limit;
    w->passes->weak_force(w, first, end);
    for (size_t i = first; i < end; i++) {
        rvi_v4 a = w->acceleration[i];
        float length = sqrtf((a[0] * a[0] + a[1] * a[1]) + a[2] * a[2]);
        a = length > limit ? limit / length * a : a;
        a += w->wall_acceleration[i] + (rvi_v4){g[0], g[1], g[2], 0};
        w->predicted[i] = (w->particles.speeds[i] + w->particles.half_kicks[i]) + w->step * a;
        w->next.half_kicks[i] = 0.5f * w->step * a;
        w->shift[i] = (rvi_v4){0};
        w->next.velocity_k[i] = w->particles.velocity_k[i];
        w->next.displacement_k[i] = w->particles.displacement_k[i];
    }
}

rv_status rvi_sph_solve_weak(rvi_sph *w, float longest, float *dt) {
    *dt = w->step = rvi_minf(w->desc.weak.step, longest);
    rvi_sph_lister lister = {.w = w, .dt = *dt, .walls = true, .slice = w->passes->weak_density};
    rv_status status = rvi_sph_list_neighbours(&lister);
    return status == RV_OK ? rvi_sph_each_block(w, force_block, w) : status;
}
