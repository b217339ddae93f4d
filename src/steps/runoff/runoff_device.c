/* runoff_device.c: rounds of runoff.c on a device. The kernels, for one layer of ground whose
 * factor does not change with its height, are in runoff_cells.cl; runoff_stack.c has those for
 * others. */
#include "device/device_range.h"
#include "steps/runoff/runoff_device_cell.h"
#include "steps/runoff/runoff_run.h"

bool rvi_runoff_device_can(const rvi_runoff *r) {
    const rv_terrain *land = r->job->land;
    return !r->same && !rvi_erosion_fn_there(land);
}

void rvi_runoff_device_list(rvi_runoff *r) {
    rvi_column_sums sums = rvi_runoff_column_sums(r);
    rvi_job_buffer(r->job, &r->lanes, 1, rvi_column_sums_bytes(&sums), "the ledger");
    rvi_job_buffer(r->job, &r->parts, RVI_DEVICE_PARTS, sizeof *r->parts, "the range");
    r->stacked = r->layered || rvi_rock_differs(r->job->land);
    rvi_runoff_stack_list(r);
}

static rvi_runoff_shape shape_of(const rvi_runoff *r) {
    bool large = (int64_t)r->width * r->height > 1 << 21;
    return (rvi_runoff_shape){.width = r->width,
                              .height = r->height,
                              .eight = r->eight,
                              .wall = r->p->border == RV_runoff_border_wall,
                              .rows = large ? 4 * RVI_RUNOFF_ROWS : RVI_RUNOFF_ROWS};
}

static rvi_device_arg map(const rvi_runoff *r, rvi_device_use use, const float *values) {
    return (rvi_device_arg){use, values, rvi_cells(r->job->land) * sizeof *values};
}

static rvi_device_arg columns(const rvi_runoff *r, rvi_device_use use) {
    size_t count = rvi_runoff_blocks(r) * (size_t)r->width;
    return (rvi_device_arg){use, r->columns, count * sizeof *r->columns};
}

static rvi_device_arg off(const rvi_runoff *r) {
    return (rvi_device_arg){RVI_DEVICE_CHANGE, r->off, rvi_runoff_border(r) * sizeof *r->off};
}

#define READ(values) map(r, RVI_DEVICE_READ, values)
#define WRITE(values) map(r, RVI_DEVICE_WRITE, values)
#define CHANGE(values) map(r, RVI_DEVICE_CHANGE, values)
#define RUN(name, width, height) RVI_RUN(r->job->device, "runoff_cells", name, width, height, args)

rv_status rvi_runoff_device_round(rvi_runoff *r) {
    const rvi_runoff_shape f = shape_of(r);
    if (r->stacked)
        return rvi_runoff_stack_round(r, &f);
    const rvi_device_arg args[] = {
        READ(r->base),
        READ(r->now.ground),
        WRITE(r->next.ground),
        READ(r->now.water),
        WRITE(r->next.water),
        READ(r->now.sediment),
        WRITE(r->next.sediment),
        READ(r->now.deposited),
        WRITE(r->next.deposited),
        READ(r->now.flow),
        WRITE(r->next.flow),
        READ(r->factor.cells),
        READ(r->mask),
        READ(r->mean),
        READ(r->rain),
        columns(r, RVI_DEVICE_CHANGE),
        off(r),
        {RVI_DEVICE_LOCAL, NULL, 3 * RVI_RUNOFF_KEPT * RVI_RUNOFF_GROUP * sizeof(float)},
        RVI_VALUE(f),
        RVI_VALUE(r->rules),
    };
    size_t inside = RVI_RUNOFF_GROUP - 2 * RVI_RUNOFF_BESIDE,
           groups = ((size_t)r->width + inside - 1) / inside;
    return RUN("runoff_round", groups * RVI_RUNOFF_GROUP,
               (size_t)((r->height + f.rows - 1) / f.rows));
}

/* ---- ground that is taken over the width of a channel ---- */

static rv_status flow(rvi_runoff *r, const rvi_runoff_shape *f) {
    if (r->stacked)
        return rvi_runoff_stack_flow(r, f);
    const rvi_device_arg args[] = {READ(r->base),  READ(r->now.ground), READ(r->now.water),
                                   WRITE(r->mean), RVI_VALUE(*f),       RVI_VALUE(r->rules)};
    return RUN("runoff_flow", (size_t)r->width, (size_t)r->height);
}

rv_status rvi_runoff_device_find_mean(rvi_runoff *r) {
    const rvi_runoff_shape f = shape_of(r);
    const rvi_channel_grid grid = {r->width, r->height, 0, (size_t)r->width};
    size_t cells = rvi_cells(r->job->land);
    rv_status status = flow(r, &f);
    if (status == RV_OK)
        status = rvi_channel_queue(r->job->device, &r->channel, &grid, cells, r->mean, &r->mean,
                                   &r->spare);
    return status;
}

static rv_status want(rvi_runoff *r, const rvi_runoff_shape *f) {
    if (r->stacked)
        return rvi_runoff_stack_want(r, f);
    const rvi_device_arg args[] = {READ(r->base),         READ(r->now.ground), READ(r->now.water),
                                   READ(r->now.sediment), READ(r->mean),       READ(r->rain),
                                   WRITE(r->want),        RVI_VALUE(*f),       RVI_VALUE(r->rules)};
    return RUN("runoff_want", (size_t)r->width, (size_t)r->height);
}

static rv_status banks(rvi_runoff *r, const rvi_runoff_shape *f) {
    if (r->stacked)
        return rvi_runoff_stack_banks(r, f);
    const float per = rvi_runoff_per_bank(r);
    const rvi_device_arg args[] = {READ(r->base), READ(r->now.ground), WRITE(r->spare),
                                   RVI_VALUE(*f), RVI_VALUE(per)};
    return RUN("runoff_banks", (size_t)r->width, (size_t)r->height);
}

static rv_status take(rvi_runoff *r, const rvi_runoff_shape *f) {
    if (r->stacked)
        return rvi_runoff_stack_take(r, f);
    const rvi_device_arg args[] = {READ(r->base),         READ(r->spare),
                                   CHANGE(r->now.ground), CHANGE(r->asked),
                                   READ(r->factor.cells), columns(r, RVI_DEVICE_CHANGE),
                                   RVI_VALUE(*f),         RVI_VALUE(r->rules)};
    return RUN("runoff_take", (size_t)r->width, rvi_runoff_blocks(r));
}

static rv_status carry(rvi_runoff *r, const rvi_runoff_shape *f) {
    const rvi_device_arg args[] = {READ(r->want), READ(r->asked), CHANGE(r->now.sediment),
                                   RVI_VALUE(*f)};
    return RUN("runoff_carry", (size_t)r->width, (size_t)r->height);
}

rv_status rvi_runoff_device_wear(rvi_runoff *r) {
    rvi_device *d = r->job->device;
    const rvi_runoff_shape f = shape_of(r);
    const rvi_channel_grid grid = {r->width, r->height, 0, (size_t)r->width};
    size_t cells = rvi_cells(r->job->land);
    r->rules.softness = rvi_runoff_share(r->p->softness, (float)r->waited * r->per_round);
    rv_status status = want(r, &f);
    r->rules.softness = 0.0f;
    if (status == RV_OK)
        status = rvi_channel_queue(d, &r->channel, &grid, cells, r->want, &r->asked, &r->spare);
    if (status == RV_OK)
        status = banks(r, &f);
    if (status == RV_OK)
        status = take(r, &f);
    if (status == RV_OK)
        status = rvi_channel_queue(d, &r->channel, &grid, cells, r->asked, &r->asked, &r->spare);
    if (status == RV_OK)
        status = carry(r, &f);
    r->waited = 0;
    return status;
}

/* ---- before and after ---- */

static rv_status clear_grids(rvi_runoff *r) {
    const float *grids[] = {r->now.ground, r->now.deposited, r->now.flow,
                            r->want,       r->asked,         r->spare};
    rvi_device *d = r->job->device;
    rv_status status = rvi_device_zero(d, r->columns, columns(r, RVI_DEVICE_READ).size);
    if (status == RV_OK)
        status = rvi_device_zero(d, r->off, off(r).size);
    for (size_t k = 0; status == RV_OK && k < sizeof grids / sizeof grids[0]; k++)
        if (grids[k])
            status = rvi_device_zero(d, grids[k], rvi_cells(r->job->land) * sizeof(float));
    return status;
}

rv_status rvi_runoff_device_fill(rvi_runoff *r) {
    const rv_terrain *land = r->job->land;
    const rvi_runoff_shape f = shape_of(r);
    const rvi_device_arg args[] = {
        READ(land->surface),
        READ(rvi_field_get(land, "water")),
        READ(rvi_field_get(land, "sediment")),
        WRITE(r->base),
        WRITE(r->now.water),
        WRITE(r->now.sediment),
        RVI_VALUE(f),
    };
    rv_status status = clear_grids(r);
    if (status == RV_OK && r->stacked)
        status = rvi_runoff_stack_fill(r);
    return status == RV_OK ? RUN("runoff_fill", (size_t)r->width, (size_t)r->height) : status;
}

rv_status rvi_runoff_device_rain(rvi_runoff *r) {
    const rvi_runoff_shape f = shape_of(r);
    const rvi_device_arg args[] = {CHANGE(r->now.water), READ(r->rain), RVI_VALUE(f),
                                   RVI_VALUE(r->p->water)};
    return RUN("runoff_rain", (size_t)r->width, (size_t)r->height);
}

rv_status rvi_runoff_device_show(rvi_runoff *r) {
    const rvi_runoff_shape f = shape_of(r);
    if (r->layered)
        return rvi_runoff_stack_show(r, &f);
    const rvi_device_arg args[] = {
        READ(r->base),         READ(r->now.ground),           READ(r->now.water),
        READ(r->now.sediment), WRITE(r->job->land->surface),  WRITE(r->fields[0]),
        WRITE(r->fields[1]),   columns(r, RVI_DEVICE_CHANGE), RVI_VALUE(f),
    };
    return RUN("runoff_show", (size_t)r->width, rvi_runoff_blocks(r));
}

rv_status rvi_runoff_device_leave(rvi_runoff *r) {
    const rvi_runoff_shape f = shape_of(r);
    if (r->layered)
        return rvi_runoff_stack_leave(r, &f);
    const rvi_device_arg args[] = {
        READ(r->job->land->surface), READ(r->base),        READ(r->now.flow),
        READ(r->now.deposited),      CHANGE(r->fields[2]), CHANGE(r->fields[3]),
        CHANGE(r->fields[4]),        RVI_VALUE(f),         RVI_VALUE(r->per_round),
    };
    return RUN("runoff_leave", (size_t)r->width, (size_t)r->height);
}

rv_status rvi_runoff_device_sums(rvi_runoff *r, rvi_runoff_column *sum) {
    const rvi_column_sums sums = rvi_runoff_column_sums(r);
    rv_status status = rvi_column_sums_device(r->job->device, &sums, r->lanes, sum);
    return status == RV_OK ? rvi_device_fetch(r->job->device, r->off) : status;
}
