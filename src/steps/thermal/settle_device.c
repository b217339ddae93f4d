/* settle_device.c: until=settled on a device: the search of slide_settle.c, and which cells are too
 * steep. The kernels are in settle_cells.cl. */
#include "steps/thermal/slide.h"

#include <string.h>

#define RUN(name, width, height)                                                                   \
    RVI_RUN(s->job->device, "settle_cells", name, (size_t)(width), (size_t)(height), args)

static rvi_device_arg grid(const rvi_slide *s, rvi_device_use use, const float *values) {
    return (rvi_device_arg){use, values, s->count * sizeof *values};
}

static size_t strips(int rows) {
    return (size_t)((rows + RVI_SETTLE_STRIP - 1) / RVI_SETTLE_STRIP);
}

void rvi_settle_device_list(rvi_slide *s) {
    rvi_job_buffer(s->job, &s->steep_lanes, 2 * RVI_SETTLE_LANES, sizeof *s->steep_lanes,
                   "what is too steep");
}

rv_status rvi_settle_device_harden(rvi_slide *s) {
    const uint64_t count = s->count;
    const rvi_device_arg args[] = {
        grid(s, RVI_DEVICE_CHANGE, s->factor.cells),
        RVI_VALUE(count),
    };
    return s->factor.cells ? RUN("settle_harder", s->stride, s->height + 2) : RV_OK;
}

/* ---- one step ---- */

static rv_status set_heights(const rvi_slide *s) {
    const rvi_settling *t = &s->settling;
    const rvi_device_arg args[] = {
        grid(s, RVI_DEVICE_READ, t->h0),
        grid(s, RVI_DEVICE_READ, t->g[RVI_SETTLE_ABOVE]),
        grid(s, RVI_DEVICE_READ, t->g[RVI_SETTLE_BELOW]),
        grid(s, RVI_DEVICE_READ, t->g[RVI_SETTLE_LEFT]),
        grid(s, RVI_DEVICE_READ, t->g[RVI_SETTLE_RIGHT]),
        grid(s, RVI_DEVICE_CHANGE, t->h),
        RVI_VALUE(s->width),
    };
    return RUN("settle_heights", s->width, s->height);
}

static rv_status flow(const rvi_slide *s) {
    const rvi_settling *t = &s->settling;
    const int open = s->open;
    rvi_device_arg args[] = {
        grid(s, RVI_DEVICE_READ, t->h),
        grid(s, RVI_DEVICE_CHANGE, t->f[RVI_SETTLE_ABOVE]),
        grid(s, RVI_DEVICE_CHANGE, t->f[RVI_SETTLE_BELOW]),
        grid(s, RVI_DEVICE_CHANGE, t->f[RVI_SETTLE_LEFT]),
        grid(s, RVI_DEVICE_CHANGE, t->f[RVI_SETTLE_RIGHT]),
        grid(s, RVI_DEVICE_CHANGE, t->g[RVI_SETTLE_ABOVE]),
        grid(s, RVI_DEVICE_CHANGE, t->g[RVI_SETTLE_BELOW]),
        grid(s, RVI_DEVICE_CHANGE, t->g[RVI_SETTLE_LEFT]),
        grid(s, RVI_DEVICE_CHANGE, t->g[RVI_SETTLE_RIGHT]),
        grid(s, RVI_DEVICE_READ, t->east),
        grid(s, RVI_DEVICE_READ, t->west),
        grid(s, RVI_DEVICE_READ, t->south),
        grid(s, RVI_DEVICE_READ, t->north),
        RVI_VALUE(s->width),
        RVI_VALUE(s->height),
        RVI_VALUE(open),
        RVI_VALUE(t->limit),
        RVI_VALUE(t->momentum),
    };
    return RUN("settle_flow", s->width + 1, s->height + 1);
}

/* All but one square in a few hundred are at rest. */
static rv_status look(const rvi_slide *s, bool *settled) {
    const rvi_settling *t = &s->settling;
    const int open = s->open;
    const size_t bytes = 2 * RVI_SETTLE_LANES * sizeof *s->steep_lanes;
    const rvi_device_arg args[] = {
        grid(s, RVI_DEVICE_READ, t->h),
        grid(s, RVI_DEVICE_READ, t->f[RVI_SETTLE_ABOVE]),
        grid(s, RVI_DEVICE_READ, t->f[RVI_SETTLE_BELOW]),
        grid(s, RVI_DEVICE_READ, t->f[RVI_SETTLE_LEFT]),
        grid(s, RVI_DEVICE_READ, t->f[RVI_SETTLE_RIGHT]),
        grid(s, RVI_DEVICE_READ, t->east),
        grid(s, RVI_DEVICE_READ, t->west),
        grid(s, RVI_DEVICE_READ, t->south),
        grid(s, RVI_DEVICE_READ, t->north),
        {RVI_DEVICE_CHANGE, s->steep_lanes, bytes},
        RVI_VALUE(s->width),
        RVI_VALUE(s->height),
        RVI_VALUE(open),
        RVI_VALUE(t->limit),
        RVI_VALUE(t->margin),
    };
    rv_status status = rvi_device_zero(s->job->device, s->steep_lanes, bytes);
    if (status == RV_OK)
        status = RUN("settle_count", s->width + 1, strips(s->height + 1));
    if (status == RV_OK)
        status = rvi_device_fetch(s->job->device, s->steep_lanes);
    int64_t busy = 0, restless = 0;
    for (int k = 0; k < RVI_SETTLE_LANES; k++) {
        busy += s->steep_lanes[2 * k];
        restless += s->steep_lanes[2 * k + 1];
    }
    *settled = rvi_settle_rests(busy, restless);
    return status;
}

rv_status rvi_settle_device_step(rvi_slide *s, bool *settled) {
    rv_status status = set_heights(s);
    if (status == RV_OK && s->settling.counting)
        status = look(s, settled);
    return status == RV_OK ? flow(s) : status;
}

/* ---- before and after ---- */

static rv_status find_limits(const rvi_slide *s) {
    const rvi_settling *t = &s->settling;
    const int open = s->open;
    const rvi_device_arg args[] = {
        grid(s, RVI_DEVICE_READ, s->factor.cells),
        grid(s, RVI_DEVICE_READ, s->takes),
        grid(s, RVI_DEVICE_CHANGE, t->east),
        grid(s, RVI_DEVICE_CHANGE, t->west),
        grid(s, RVI_DEVICE_CHANGE, t->south),
        grid(s, RVI_DEVICE_CHANGE, t->north),
        RVI_VALUE(s->width),
        RVI_VALUE(s->height),
        RVI_VALUE(open),
        RVI_VALUE(s->yields[0]),
    };
    return RUN("settle_limits", s->width + 1, s->height + 1);
}

rv_status rvi_settle_device_begin(rvi_slide *s) {
    const rvi_settling *t = &s->settling;
    const size_t bytes = s->count * sizeof(float);
    rvi_device *d = s->job->device;
    float *const zero[] = {t->f[0],  t->f[1],  t->f[2],      t->f[3],     t->g[0],
                           t->g[1],  t->g[2],  t->g[3],      t->east,     t->west,
                           t->south, t->north, s->slides[0], s->slides[1]};
    rv_status status = RV_OK;
    for (size_t k = 0; k < sizeof zero / sizeof zero[0] && status == RV_OK; k++)
        if (zero[k])
            status = rvi_device_zero(d, zero[k], bytes);
    if (status == RV_OK && t->limited)
        status = find_limits(s);
    if (status == RV_OK)
        status = rvi_device_copy(d, s->h, t->h0, bytes);
    return status == RV_OK ? rvi_device_copy(d, s->h, t->h, bytes) : status;
}

/* What has left the map is whole quanta, so that the order of a sum does not matter. */
static rv_status take_off_edge(rvi_slide *s) {
    const size_t bytes = rvi_slide_edge(s) * sizeof *s->off_edge;
    rv_status status = rvi_device_fetch(s->job->device, s->off_edge);
    s->left_map = 0.0;
    for (size_t k = 0; k < rvi_slide_edge(s); k++)
        s->left_map += s->off_edge[k];
    memset(s->off_edge, 0, bytes);
    return status == RV_OK ? rvi_device_zero(s->job->device, s->off_edge, bytes) : status;
}

static rv_status set_land(rvi_slide *s) {
    const rvi_settling *t = &s->settling;
    const rvi_slide_rules k = rvi_slide_stack_of(s).k;
    const rvi_device_arg args[] = {
        grid(s, RVI_DEVICE_READ, t->h0),
        grid(s, RVI_DEVICE_READ, t->f[RVI_SETTLE_ABOVE]),
        grid(s, RVI_DEVICE_READ, t->f[RVI_SETTLE_BELOW]),
        grid(s, RVI_DEVICE_READ, t->f[RVI_SETTLE_LEFT]),
        grid(s, RVI_DEVICE_READ, t->f[RVI_SETTLE_RIGHT]),
        grid(s, RVI_DEVICE_CHANGE, s->h), /* its ring stays */
        {RVI_DEVICE_CHANGE, s->off_edge, rvi_slide_edge(s) * sizeof *s->off_edge},
        RVI_VALUE(k),
    };
    rv_status status = RUN("settle_set", s->width, s->height);
    return status == RV_OK ? take_off_edge(s) : status;
}

static rv_status plan_slides(const rvi_slide *s) {
    const rvi_settling *t = &s->settling;
    const rvi_device_arg args[] = {
        grid(s, RVI_DEVICE_READ, t->f[RVI_SETTLE_ABOVE]),
        grid(s, RVI_DEVICE_READ, t->f[RVI_SETTLE_BELOW]),
        grid(s, RVI_DEVICE_READ, t->f[RVI_SETTLE_LEFT]),
        grid(s, RVI_DEVICE_READ, t->f[RVI_SETTLE_RIGHT]),
        grid(s, RVI_DEVICE_CHANGE, s->slides[0]),
        grid(s, RVI_DEVICE_CHANGE, s->slides[1]),
        RVI_VALUE(s->width),
        RVI_VALUE(s->height),
        RVI_VALUE(s->quantum),
        RVI_VALUE(s->slide_rounds),
    };
    return RUN("settle_plan", s->width + 1, s->height + 1);
}

rv_status rvi_settle_device_end(rvi_slide *s) {
    return s->layers == 1 ? set_land(s) : plan_slides(s);
}

rv_status rvi_settle_device_bedrock(rvi_slide *s) {
    const rvi_device_arg args[] = {
        grid(s, RVI_DEVICE_READ, s->h),
        {RVI_DEVICE_CHANGE, s->thick, s->count * sizeof *s->thick},
        RVI_VALUE(s->width),
    };
    return RUN("settle_bedrock", s->width, s->height);
}

/* ---- is it settled? ---- */

rv_status rvi_settle_device_steep(rvi_slide *s, size_t *count) {
    const rvi_slide_rules k = rvi_slide_stack_of(s).k;
    const size_t layers = (size_t)s->layers;
    const size_t bytes = 2 * RVI_SETTLE_LANES * sizeof *s->steep_lanes;
    const rvi_device_arg args[] = {
        grid(s, RVI_DEVICE_READ, s->h),
        {RVI_DEVICE_READ, s->limit, 2 * layers * sizeof *s->limit},
        {RVI_DEVICE_READ, s->margin, 2 * layers * sizeof *s->margin},
        {RVI_DEVICE_READ, s->yields, layers * sizeof *s->yields},
        grid(s, RVI_DEVICE_READ, s->takes),
        grid(s, RVI_DEVICE_READ, s->factor.cells),
        {RVI_DEVICE_CHANGE, s->thick, layers * s->count * sizeof *s->thick},
        RVI_BEDROCK(&s->factor),
        {RVI_DEVICE_CHANGE, s->steep_lanes, bytes},
        RVI_VALUE(k),
    };
    rv_status status = rvi_device_zero(s->job->device, s->steep_lanes, bytes);
    if (status == RV_OK)
        status = RUN("settle_steep", s->width, strips(s->height));
    if (status == RV_OK)
        status = rvi_device_fetch(s->job->device, s->steep_lanes);
    *count = 0;
    for (int lane = 0; lane < RVI_SETTLE_LANES; lane++)
        *count += (size_t)s->steep_lanes[lane];
    return status;
}
