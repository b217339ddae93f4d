/* slide_device.c: rounds of slide_layers.c on a device. The kernels are in slide_stack.cl. */
#include "steps/thermal/slide.h"

#include <string.h>

#define RUN(name, width, height)                                                                   \
    RVI_RUN(s->job->device, "slide_stack", name, (size_t)(width), (size_t)(height), args)

/* A function says how hard the rock is where the processor alone can ask. */
bool rvi_slide_device_can(const rvi_slide *s) {
    return !rvi_erosion_fn_there(s->job->land);
}

static rvi_device_arg grid(const rvi_slide *s, rvi_device_use use, const float *values) {
    return (rvi_device_arg){use, values, s->count * sizeof *values};
}

static rvi_device_arg stack(const rvi_slide *s, rvi_device_use use, const double *values) {
    return (rvi_device_arg){use, values, (size_t)s->layers * s->count * sizeof *values};
}

static rvi_device_arg before(const rvi_slide *s, rvi_device_use use) {
    return (rvi_device_arg){use, s->before, (size_t)s->layers * s->cells * sizeof *s->before};
}

/* The arguments that kernels of a round have in common. */
enum { STACK = 14 };
static void set_stack(const rvi_slide *s, const rvi_slide_rules *k, rvi_device_arg args[STACK]) {
    size_t layers = (size_t)s->layers;
    const rvi_device_arg all[STACK] = {
        grid(s, RVI_DEVICE_READ, s->h),
        {RVI_DEVICE_READ, s->limit, 2 * layers * sizeof *s->limit},
        {RVI_DEVICE_READ, s->yields, layers * sizeof *s->yields},
        grid(s, RVI_DEVICE_READ, s->takes),
        grid(s, RVI_DEVICE_READ, s->factor.cells),
        grid(s, RVI_DEVICE_CHANGE, s->height_part),
        stack(s, RVI_DEVICE_CHANGE, s->thick),
        stack(s, RVI_DEVICE_CHANGE, s->give),
        {RVI_DEVICE_CHANGE, s->exposed, s->count * sizeof *s->exposed},
        {RVI_DEVICE_CHANGE, s->giving, s->count * sizeof *s->giving},
        {RVI_DEVICE_CHANGE, s->to, s->count * sizeof *s->to},
        grid(s, RVI_DEVICE_READ, s->slides[0]),
        grid(s, RVI_DEVICE_READ, s->slides[1]),
        {RVI_DEVICE_VALUE, k, sizeof *k},
    };
    memcpy(args, all, sizeof all);
}

static rv_status plan(const rvi_slide *s, const rvi_slide_rules *k) {
    const rvi_device_arg rock[] = {RVI_BEDROCK(&s->factor)};
    rvi_device_arg args[STACK + sizeof rock / sizeof rock[0]];
    set_stack(s, k, args);
    memcpy(args + STACK, rock, sizeof rock);
    return RUN("stack_plan", s->width, s->height);
}

static rv_status move(const rvi_slide *s, const rvi_slide_rules *k) {
    rvi_device_arg args[STACK + 2];
    set_stack(s, k, args);
    args[STACK] = grid(s, RVI_DEVICE_CHANGE, s->next); /* its ring stays */
    args[STACK + 1] =
        (rvi_device_arg){RVI_DEVICE_CHANGE, s->off_edge, rvi_slide_edge(s) * sizeof *s->off_edge};
    return RUN("stack_move", s->width, s->height);
}

rv_status rvi_slide_device_round(rvi_slide *s) {
    const rvi_slide_rules k = rvi_slide_stack_of(s).k;
    rv_status status = plan(s, &k);
    if (status == RV_OK)
        status = move(s, &k);
    float *now = s->h;
    s->h = status == RV_OK ? s->next : now;
    s->next = status == RV_OK ? now : s->next;
    return status;
}

/* ---- before ---- */

static rv_status fill_layers(const rvi_slide *s, const rvi_slide_rules *k) {
    const rv_terrain *land = s->job->land;
    rv_status status = RV_OK;
    for (int l = 0; l < s->layers && status == RV_OK; l++) {
        rvi_device_use use = l == 0 ? RVI_DEVICE_WRITE : RVI_DEVICE_CHANGE;
        const rvi_device_arg args[] = {
            rvi_map_arg(land, RVI_DEVICE_READ, land->layers[l].thickness),
            before(s, use),
            stack(s, use, s->thick),
            RVI_VALUE(*k),
            RVI_VALUE(l),
        };
        status = RUN("stack_layer", s->width, s->height);
    }
    return status;
}

static rv_status fill_heights(const rvi_slide *s, const rvi_slide_rules *k) {
    const rvi_device_arg args[] = {stack(s, RVI_DEVICE_READ, s->thick),
                                   grid(s, RVI_DEVICE_WRITE, s->h), RVI_VALUE(*k)};
    return RUN("stack_heights", s->width, s->height);
}

static rv_status fill_ring(const rvi_slide *s, const rvi_slide_rules *k) {
    const rvi_device_arg args[] = {grid(s, RVI_DEVICE_CHANGE, s->h), RVI_VALUE(*k),
                                   RVI_VALUE(s->highest)};
    return RUN("stack_ring", s->width + 2, s->height + 2);
}

static rv_status fill_takes(const rvi_slide *s, const rvi_slide_rules *k) {
    const rv_terrain *land = s->job->land;
    const rvi_device_arg args[] = {rvi_map_arg(land, RVI_DEVICE_READ, rvi_field_get(land, "mask")),
                                   grid(s, RVI_DEVICE_WRITE, s->takes), RVI_VALUE(*k)};
    return s->takes ? RUN("stack_takes", s->width + 2, s->height + 2) : RV_OK;
}

/* What rounds change and the host has not filled. */
static rv_status clear_grids(const rvi_slide *s) {
    const rvi_device_arg all[] = {
        stack(s, RVI_DEVICE_CHANGE, s->give),
        {RVI_DEVICE_CHANGE, s->exposed, s->count * sizeof *s->exposed},
        {RVI_DEVICE_CHANGE, s->giving, s->count * sizeof *s->giving},
        {RVI_DEVICE_CHANGE, s->to, s->count * sizeof *s->to},
        grid(s, RVI_DEVICE_CHANGE, s->height_part),
        {RVI_DEVICE_CHANGE, s->off_edge, rvi_slide_edge(s) * sizeof *s->off_edge},
    };
    rv_status status = RV_OK;
    for (size_t i = 0; i < sizeof all / sizeof all[0] && status == RV_OK; i++)
        if (all[i].memory)
            status = rvi_device_zero(s->job->device, all[i].memory, all[i].size);
    return status;
}

rv_status rvi_slide_device_fill(rvi_slide *s) {
    const rvi_slide_rules k = rvi_slide_stack_of(s).k;
    rv_status status = clear_grids(s);
    if (status == RV_OK)
        status = fill_layers(s, &k);
    if (status == RV_OK)
        status = fill_heights(s, &k);
    if (status == RV_OK)
        status = fill_ring(s, &k);
    if (status == RV_OK)
        status = fill_takes(s, &k);
    return status == RV_OK ? rvi_device_copy(s->job->device, s->h, s->next, s->count * sizeof *s->h)
                           : status;
}

/* ---- after ---- */

rv_status rvi_slide_device_show(rvi_slide *s) {
    const rvi_slide_rules k = rvi_slide_stack_of(s).k;
    rv_terrain *land = s->job->land;
    rv_status status = RV_OK;
    for (int l = 0; l < s->layers && status == RV_OK; l++) {
        const rvi_device_arg args[] = {
            before(s, RVI_DEVICE_READ),
            stack(s, RVI_DEVICE_READ, s->thick),
            rvi_map_arg(land, RVI_DEVICE_WRITE, land->layers[l].thickness),
            RVI_VALUE(k),
            RVI_VALUE(l),
        };
        status = RUN("stack_show", s->width, s->height);
    }
    return status == RV_OK ? rvi_job_sum_layers(s->job, land) : status;
}

rv_status rvi_slide_device_count(const rvi_slide *s, int layer) {
    const rvi_slide_rules k = rvi_slide_stack_of(s).k;
    const rv_terrain *land = s->job->land;
    size_t lanes = (size_t)s->height * RVI_SLIDE_LANES;
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_READ, land->layers[layer].thickness),
        before(s, RVI_DEVICE_READ),
        stack(s, RVI_DEVICE_READ, s->thick),
        rvi_map_arg(land, RVI_DEVICE_CHANGE, s->eroded),
        rvi_map_arg(land, RVI_DEVICE_CHANGE, s->deposited),
        {RVI_DEVICE_WRITE, s->tallies, lanes * sizeof *s->tallies},
        RVI_VALUE(k),
        RVI_VALUE(layer),
    };
    rv_status status = RUN("stack_count", RVI_SLIDE_LANES, s->height);
    return status == RV_OK ? rvi_device_fetch(s->job->device, s->tallies) : status;
}
