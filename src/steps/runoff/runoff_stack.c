/* runoff_stack.c: rounds of runoff.c on a device where the land has layers, or bedrock that has
 * bands. The kernels are in runoff_stack.cl. */
#include "steps/runoff/runoff_device_cell.h"
#include "steps/runoff/runoff_run.h"

#include <string.h>

#define RUN(name, width, height) RVI_RUN(r->job->device, "runoff_stack", name, width, height, args)

static size_t layers_of(const rvi_runoff *r) {
    return (size_t)r->job->land->layer_count;
}

void rvi_runoff_stack_list(rvi_runoff *r) {
    if (!r->stacked)
        return;
    rvi_job_buffer(r->job, &r->yields, layers_of(r), sizeof *r->yields, "the layers");
    rvi_job_grid(r->job, &r->sends[0], "the water that moves");
    rvi_job_grid(r->job, &r->sends[1], "the sediment that moves");
}

static rvi_device_arg map(const rvi_runoff *r, rvi_device_use use, const float *values) {
    return (rvi_device_arg){use, values, rvi_cells(r->job->land) * sizeof *values};
}
#define READ(values) map(r, RVI_DEVICE_READ, values)
#define WRITE(values) map(r, RVI_DEVICE_WRITE, values)
#define CHANGE(values) map(r, RVI_DEVICE_CHANGE, values)

static rvi_device_arg columns(const rvi_runoff *r) {
    size_t count = rvi_runoff_blocks(r) * (size_t)r->width;
    return (rvi_device_arg){RVI_DEVICE_CHANGE, r->columns, count * sizeof *r->columns};
}

static rvi_device_arg stack(const rvi_runoff *r, rvi_device_use use) {
    return (rvi_device_arg){use, r->stack.room,
                            layers_of(r) * rvi_cells(r->job->land) * sizeof *r->stack.room};
}

/* The arguments that most kernels begin with. */
#define LAND                                                                                       \
    READ(r->base), READ(r->now.ground), READ(r->now.cut), READ(r->now.water),                      \
        stack(r, RVI_DEVICE_READ), RVI_BEDROCK(&r->factor),                                        \
        (rvi_device_arg){RVI_DEVICE_READ, r->yields, layers_of(r) * sizeof *r->yields},            \
        RVI_VALUE(f), RVI_VALUE(r->job->land->layer_count)

static rv_status give(rvi_runoff *r, rvi_runoff_shape f) {
    const rvi_device_arg args[] = {
        LAND,
        READ(r->now.sediment),
        READ(r->now.deposited),
        READ(r->now.flow),
        WRITE(r->next.ground),
        WRITE(r->next.cut),
        WRITE(r->next.water),
        WRITE(r->next.sediment),
        WRITE(r->next.deposited),
        WRITE(r->next.flow),
        WRITE(r->sends[0]),
        WRITE(r->sends[1]),
        READ(r->factor.cells),
        READ(r->mask),
        READ(r->mean),
        columns(r),
        RVI_VALUE(r->rules),
    };
    return RUN("stack_give", (size_t)r->width, rvi_runoff_blocks(r));
}

static rv_status gather(rvi_runoff *r, rvi_runoff_shape f) {
    const rvi_device_arg args[] = {
        LAND,
        CHANGE(r->next.water),
        CHANGE(r->next.sediment),
        READ(r->sends[0]),
        READ(r->sends[1]),
        READ(r->rain),
        columns(r),
        {RVI_DEVICE_CHANGE, r->off, rvi_runoff_border(r) * sizeof *r->off},
        RVI_VALUE(r->rules),
    };
    return RUN("stack_gather", (size_t)r->width, rvi_runoff_blocks(r));
}

rv_status rvi_runoff_stack_round(rvi_runoff *r, const rvi_runoff_shape *f) {
    rv_status status = give(r, *f);
    return status == RV_OK ? gather(r, *f) : status;
}

/* ---- ground that is taken over the width of a channel ---- */

rv_status rvi_runoff_stack_flow(rvi_runoff *r, const rvi_runoff_shape *shape) {
    const rvi_runoff_shape f = *shape;
    const rvi_device_arg args[] = {LAND, WRITE(r->mean), RVI_VALUE(r->rules)};
    return RUN("stack_flow", (size_t)r->width, (size_t)r->height);
}

rv_status rvi_runoff_stack_want(rvi_runoff *r, const rvi_runoff_shape *shape) {
    const rvi_runoff_shape f = *shape;
    const rvi_device_arg args[] = {LAND,          READ(r->now.sediment), READ(r->mean),
                                   READ(r->rain), WRITE(r->want),        RVI_VALUE(r->rules)};
    return RUN("stack_want", (size_t)r->width, (size_t)r->height);
}

rv_status rvi_runoff_stack_banks(rvi_runoff *r, const rvi_runoff_shape *shape) {
    const rvi_runoff_shape f = *shape;
    const float per = rvi_runoff_per_bank(r);
    const rvi_device_arg args[] = {LAND, WRITE(r->spare), RVI_VALUE(per)};
    return RUN("stack_banks", (size_t)r->width, (size_t)r->height);
}

rv_status rvi_runoff_stack_take(rvi_runoff *r, const rvi_runoff_shape *shape) {
    const rvi_runoff_shape f = *shape;
    const rvi_device_arg args[] = {
        LAND,
        READ(r->spare),
        CHANGE(r->now.ground),
        CHANGE(r->now.cut),
        CHANGE(r->asked),
        READ(r->factor.cells),
        columns(r),
        RVI_VALUE(r->rules),
    };
    return RUN("stack_take", (size_t)r->width, rvi_runoff_blocks(r));
}

/* ---- before and after ---- */

static rv_status fill_layer(rvi_runoff *r, int layer) {
    const rv_terrain *land = r->job->land;
    const uint64_t cells = rvi_cells(land);
    const rvi_device_arg args[] = {
        READ(land->layers[layer].thickness),
        stack(r, layer == 0 ? RVI_DEVICE_WRITE : RVI_DEVICE_CHANGE),
        RVI_VALUE(cells),
        RVI_VALUE(layer),
    };
    return RUN("stack_layer", (size_t)cells, 1);
}

/* Bedrock alone is its own base. */
rv_status rvi_runoff_stack_fill(rvi_runoff *r) {
    const rv_terrain *land = r->job->land;
    for (int l = 0; l < land->layer_count; l++)
        r->yields[l] = land->layers[l].erodibility;
    rv_status status = RV_OK;
    if (r->layered)
        status = rvi_device_zero(r->job->device, r->now.cut, rvi_cells(land) * sizeof(float));
    for (int l = 0; r->layered && l < land->layer_count && status == RV_OK; l++)
        status = fill_layer(r, l);
    return status;
}

static rv_status show_layer(rvi_runoff *r, rvi_runoff_shape f, int layer) {
    const rvi_device_arg args[] = {LAND, WRITE(r->job->land->layers[layer].thickness),
                                   RVI_VALUE(layer)};
    return RUN("stack_show_layer", rvi_cells(r->job->land), 1);
}

rv_status rvi_runoff_stack_show(rvi_runoff *r, const rvi_runoff_shape *shape) {
    const rvi_runoff_shape f = *shape;
    const rvi_device_arg args[] = {LAND, READ(r->now.sediment), WRITE(r->fields[0]),
                                   WRITE(r->fields[1]), columns(r)};
    rv_status status = RUN("stack_show", (size_t)r->width, rvi_runoff_blocks(r));
    for (int l = 0; l < r->job->land->layer_count && status == RV_OK; l++)
        status = show_layer(r, f, l);
    return status == RV_OK ? rvi_job_sum_layers(r->job, r->job->land) : status;
}

rv_status rvi_runoff_stack_leave(rvi_runoff *r, const rvi_runoff_shape *shape) {
    const rvi_runoff_shape f = *shape;
    const rvi_device_arg args[] = {
        LAND,
        READ(r->now.flow),
        READ(r->now.deposited),
        CHANGE(r->fields[2]),
        CHANGE(r->fields[3]),
        CHANGE(r->fields[4]),
        RVI_VALUE(r->per_round),
    };
    return RUN("stack_leave", rvi_cells(r->job->land), 1);
}
