/* sph_device_pressure.c: the parts of the search for pressure on a device, with the bits of the
 * processor. sph_project.c says which comes when; the kernels are in sph_pressure.cl. */
#include "water/sph_device_state.h"

#include "base/context.h"
#include "device/device_group.h"

static rv_status sum_parts(rvi_sph *w, uint32_t first, size_t kinds) {
    const uint32_t count = (uint32_t)w->count, room = (uint32_t)whole(w),
                   blocks = (uint32_t)rvi_sph_most_blocks(w);
    const size_t used = (w->count + RVI_SPH_BLOCK - 1) / RVI_SPH_BLOCK;
    const rvi_device_arg args[] = {
        terms(w, RVI_DEVICE_READ), sums(w),           LOCAL(RVI_DEVICE_GROUP * sizeof(float)),
        RVI_VALUE(room),           RVI_VALUE(blocks), RVI_VALUE(first),
        RVI_VALUE(count)};
    rv_status status =
        rvi_device_run(w->device, "sph_pressure", "sph_sum_parts", used * RVI_SPH_SLICE, kinds,
                       args, (int)(sizeof args / sizeof args[0]));
    if (status == RV_OK)
        status = rvi_device_fetch(w->device, w->sums[0]);
    return status == RV_OK ? rvi_poll(w->ctx) : status;
}

static rv_status sum_blocks(rvi_sph *w, uint32_t kind) {
    const uint32_t count = (uint32_t)w->count, room = (uint32_t)whole(w),
                   blocks = (uint32_t)rvi_sph_most_blocks(w);
    const size_t used = (w->count + RVI_SPH_BLOCK - 1) / RVI_SPH_BLOCK;
    const rvi_device_arg args[] = {
        terms(w, RVI_DEVICE_READ), sums(w),           LOCAL(RVI_SPH_BLOCK * sizeof(float)),
        RVI_VALUE(room),           RVI_VALUE(blocks), RVI_VALUE(kind),
        RVI_VALUE(count)};
    rv_status status = PRESSURE("sph_sum_blocks", used * RVI_DEVICE_GROUP);
    if (status == RV_OK)
        status = rvi_device_fetch(w->device, w->sums[0]);
    return status == RV_OK ? rvi_poll(w->ctx) : status;
}

rv_status rvi_sph_device_guess(const rvi_sph_solve *s) {
    rvi_sph *w = s->w;
    const uint32_t count = (uint32_t)w->count;
    const float scale = rvi_sph_guess_scale(s);
    const float *k = s->displaces ? w->particles.displacement_k : w->particles.velocity_k;
    const rvi_device_arg args[] = {READ(k), WRITE(w->k), RVI_VALUE(scale), RVI_VALUE(count)};
    return PRESSURE("sph_guess", count);
}

static rv_status accelerate(rvi_sph *w, const float *k, float dt, bool project) {
    const uint32_t count = (uint32_t)w->count, stride = (uint32_t)w->stride;
    const rvi_v4 *predicted = project ? w->predicted : NULL, *to = project ? w->projected : NULL;
    const rvi_device_arg args[] = {READ(k),
                                   columns(w, RVI_DEVICE_READ),
                                   gradients(w, RVI_DEVICE_READ),
                                   READ(w->column_count),
                                   READ(w->wall_density),
                                   WRITE(w->acceleration),
                                   READ(predicted),
                                   WRITE(to),
                                   RVI_VALUE(w->quantum),
                                   RVI_VALUE(dt),
                                   RVI_VALUE(stride),
                                   RVI_VALUE(count)};
    return PRESSURE("sph_accelerate", count);
}

rv_status rvi_sph_device_accelerate(const rvi_sph_solve *s) {
    return accelerate(s->w, s->from, s->cg.dt, false);
}

rv_status rvi_sph_device_project(const rvi_sph_solve *s) {
    return accelerate(s->w, s->w->k, s->cg.dt, true);
}

rv_status rvi_sph_device_begin(const rvi_sph_solve *s) {
    rvi_sph *w = s->w;
    const uint32_t count = (uint32_t)w->count, stride = (uint32_t)w->stride,
                   room = (uint32_t)whole(w);
    const rvi_device_arg args[] = {READ(w->projected),
                                   columns(w, RVI_DEVICE_READ),
                                   gradients(w, RVI_DEVICE_READ),
                                   READ(w->column_count),
                                   READ(w->wall_density),
                                   READ(w->density),
                                   READ(w->diagonal),
                                   CHANGE(w->k),
                                   WRITE(w->inverse_diagonal),
                                   WRITE(w->residual),
                                   WRITE(w->direction),
                                   terms(w, RVI_DEVICE_WRITE),
                                   RVI_VALUE(room),
                                   RVI_VALUE(w->quantum),
                                   RVI_VALUE(w->desc.spacing),
                                   RVI_VALUE(s->cg.dt),
                                   RVI_VALUE(s->cg.relaxation),
                                   RVI_VALUE(s->cg.threshold),
                                   RVI_VALUE(stride),
                                   RVI_VALUE(count)};
    rv_status status = PRESSURE("sph_cg_begin", count);
    return status == RV_OK ? sum_parts(w, RVI_SPH_ACTIVE, 2) : status;
}

rv_status rvi_sph_device_apply(const rvi_sph_solve *s) {
    rvi_sph *w = s->w;
    const uint32_t count = (uint32_t)w->count, stride = (uint32_t)w->stride,
                   room = (uint32_t)whole(w);
    const rvi_device_arg args[] = {READ(w->acceleration),
                                   columns(w, RVI_DEVICE_READ),
                                   gradients(w, RVI_DEVICE_READ),
                                   READ(w->column_count),
                                   READ(w->wall_density),
                                   READ(w->inverse_diagonal),
                                   READ(w->residual),
                                   READ(w->direction),
                                   WRITE(w->ap),
                                   terms(w, RVI_DEVICE_WRITE),
                                   RVI_VALUE(room),
                                   RVI_VALUE(w->quantum),
                                   RVI_VALUE(s->cg.dt),
                                   RVI_VALUE(stride),
                                   RVI_VALUE(count)};
    rv_status status = PRESSURE("sph_cg_apply", count);
    return status == RV_OK ? sum_parts(w, RVI_SPH_R_P, 4) : status;
}

rv_status rvi_sph_device_update(const rvi_sph_solve *s) {
    rvi_sph *w = s->w;
    const uint32_t count = (uint32_t)w->count, room = (uint32_t)whole(w);
    const rvi_device_arg args[] = {READ(w->inverse_diagonal),
                                   READ(w->ap),
                                   CHANGE(w->k),
                                   CHANGE(w->residual),
                                   CHANGE(w->direction),
                                   terms(w, RVI_DEVICE_WRITE),
                                   RVI_VALUE(room),
                                   RVI_VALUE(s->cg.alpha),
                                   RVI_VALUE(s->cg.beta),
                                   RVI_VALUE(count)};
    rv_status status = PRESSURE("sph_cg_update", count);
    return status == RV_OK ? sum_parts(w, RVI_SPH_INACTIVE, 2) : status;
}

rv_status rvi_sph_device_clamp(const rvi_sph_solve *s) {
    rvi_sph *w = s->w;
    const uint32_t count = (uint32_t)w->count, room = (uint32_t)whole(w);
    const rvi_device_arg args[] = {READ(w->diagonal),          CHANGE(w->k),
                                   terms(w, RVI_DEVICE_WRITE), RVI_VALUE(room),
                                   RVI_VALUE(s->cg.dt),        RVI_VALUE(count)};
    rv_status status = PRESSURE("sph_clamp", count);
    return status == RV_OK ? sum_blocks(w, RVI_SPH_CLAMPED) : status;
}

rv_status rvi_sph_device_finish_velocities(const rvi_sph_solve *s) {
    rvi_sph *w = s->w;
    const uint32_t count = (uint32_t)w->count, room = (uint32_t)whole(w);
    const rvi_device_arg args[] = {READ(w->k),
                                   READ(w->density),
                                   READ(w->virial),
                                   READ(w->projected),
                                   WRITE(w->predicted),
                                   WRITE(w->shift),
                                   WRITE(w->pressure),
                                   WRITE(w->next.velocity_k),
                                   WRITE(w->next.displacement_k),
                                   terms(w, RVI_DEVICE_WRITE),
                                   RVI_VALUE(room),
                                   RVI_VALUE(w->desc.density),
                                   RVI_VALUE(count)};
    rv_status status = PRESSURE("sph_finish_velocities", count);
    return status == RV_OK ? sum_blocks(w, RVI_SPH_EXCESS) : status;
}

rv_status rvi_sph_device_finish_displacements(const rvi_sph_solve *s) {
    rvi_sph *w = s->w;
    const uint32_t count = (uint32_t)w->count;
    const float longest = RVI_SPH_LONGEST_SHIFT * w->desc.spacing;
    const rvi_device_arg args[] = {
        READ(w->k),      READ(w->acceleration), WRITE(w->next.displacement_k),
        WRITE(w->shift), RVI_VALUE(s->cg.dt),   RVI_VALUE(longest),
        RVI_VALUE(count)};
    return PRESSURE("sph_finish_displacements", count);
}
