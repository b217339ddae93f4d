/* sph_weak.c: weakly compressible water with the kernels of M. Mueller, D. Charypar and M. Gross
 * (2003) and the rules of the library Fluids v.2 (R. Hoetzlein, 2009), to compare with.
 *
 *     rho_i = m 315 / (64 pi h^9) sum_j (h^2 - r^2)^3,  j other than i
 *     p_i   = stiffness (rho_i - rho)
 *     a_i   = m sum_j (h - r) / (rho_i rho_j) [ 45 / (pi h^6) (h - r) (p_i + p_j) / (2 r) (x_i -
 * x_j)
 *                                              + 45 / (pi h^6) viscosity (v_j - v_i) ]
 */
#include "solid/sph_state.h"

#include "base/math.h"
#include "solid/sph_lanes.h"

static float power(float x, int n) {
    float y = 1;
    for (; n > 0; n--)
        y *= x;
    return y;
}

static void density_block(void *arg, int64_t block) {
    rvi_sph *w = arg;
    const rvi_sph_weak *weak = &w->desc.weak;
    float h2 = w->radius * w->radius;
    float norm = weak->mass * 315 / (64 * (float)RVI_PI * power(w->radius, 9));
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        const uint32_t *near = w->near + i * w->stride, *end = near + w->near_count[i];
        rvi_v4 at = w->drops.places[i], v = w->drops.speeds[i], sum = {0};
        for (; near < end; near += 4) {
            rvi_four n = rvi_four_of(w->drops.places, near);
            rvi_way d = rvi_way_from(&n, at);
            rvi_v4 c = rvi_v4_max(h2 - d.square, rvi_v4_all(0.0f));
            sum += c * c * c;
        }
        float others = rvi_maxf(rvi_v4_sum(sum) - h2 * h2 * h2, 0.0f);
        float density = rvi_maxf(norm * others, 1e-3f * w->desc.density);
        float pressure = (density - w->desc.density) * weak->stiffness;
        w->fill[i] = density / w->desc.density;
        w->pascals[i] = pressure;
        w->pull[i] = (rvi_v4){at[0], at[1], at[2], pressure};
        w->calm[i] = (rvi_v4){v[0], v[1], v[2], 1 / density};
    }
}

static void force_block(void *arg, int64_t block) {
    rvi_sph *w = arg;
    const rvi_sph_weak *weak = &w->desc.weak;
    const float *g = w->desc.gravity;
    float h = w->radius, steep = 45 / ((float)RVI_PI * power(h, 6));
    float thick = steep * weak->viscosity, limit = weak->limit;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        const uint32_t *near = w->near + i * w->stride, *end = near + w->near_count[i];
        rvi_v4 at = w->pull[i], own = w->calm[i], sx = {0}, sy = {0}, sz = {0};
        for (; near < end; near += 4) {
            rvi_four n = rvi_four_of(w->pull, near), v = rvi_four_of(w->calm, near);
            rvi_way d = rvi_way_from(&n, at);
            rvi_v4 r = rvi_v4_sqrt(d.square);
            rvi_v4 c = rvi_v4_max(h - r, rvi_v4_all(0.0f)), both = c * (own[3] * v.w);
            rvi_v4 push = 0.5f * steep * c * (at[3] + n.w) / rvi_v4_max(r, rvi_v4_all(1e-6f * h));
            sx += both * (push * d.x + thick * (v.x - own[0]));
            sy += both * (push * d.y + thick * (v.y - own[1]));
            sz += both * (push * d.z + thick * (v.z - own[2]));
        }
        rvi_v4 a = weak->mass * (rvi_v4){rvi_v4_sum(sx), rvi_v4_sum(sy), rvi_v4_sum(sz), 0};
        float size = sqrtf((a[0] * a[0] + a[1] * a[1]) + a[2] * a[2]);
        a = size > limit ? limit / size * a : a;
        a += w->shove[i] + (rvi_v4){g[0], g[1], g[2], 0};
        w->wish[i] = (rvi_v4){own[0], own[1], own[2], 0} + w->step * a;
        w->other.pressures[i] = w->drops.pressures[i];
        w->other.pushes[i] = w->drops.pushes[i];
    }
}

rv_status rvi_sph_weaken(rvi_sph *w, float longest, float *dt) {
    *dt = w->step = rvi_minf(w->desc.weak.step, longest);
    rv_status status = rvi_sph_each(w, density_block, w);
    return status == RV_OK ? rvi_sph_each(w, force_block, w) : status;
}
