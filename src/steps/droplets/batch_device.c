/* batch_device.c: rounds of drop_batch.c on a device. The kernels are in batch_drops.cl. */
#include "device/device_sum.h"
#include "steps/droplets/drop_run.h"

#include <string.h>

enum { NARROW_DISC = 5 }; /* up to which a crew of few items makes a move */

#define RUN(name, width, height)                                                                   \
    RVI_RUN(f->job->device, "batch_drops", name, (size_t)(width), (size_t)(height), args)

/* Functions, and the blurred change map the processor alone knows. */
bool rvi_batch_device_can(const rvi_drop_run *f) {
    const rv_terrain *land = f->job->land;
    return !rvi_erosion_fn_there(land) && !(f->p->blend > 0.0f);
}

static rvi_device_arg grid(const rvi_drop_run *f, rvi_device_use use, const int32_t *values) {
    return (rvi_device_arg){use, values, f->count * sizeof *values};
}

static rvi_device_arg longs(const rvi_drop_run *f, rvi_device_use use, const uint32_t *values) {
    return (rvi_device_arg){use, values, 2 * f->count * sizeof *values};
}

static rvi_device_arg map(const rvi_drop_run *f, rvi_device_use use, const float *values) {
    return rvi_map_arg(f->job->land, use, values);
}

static rvi_device_arg slots(const rvi_drop_run *f, rvi_device_use use) {
    const rvi_drop_batch *b = &f->batch;
    return (rvi_device_arg){use, b->slots, (size_t)b->rules.slots * sizeof *b->slots};
}

static rvi_device_arg crowd(const rvi_drop_run *f) {
    const rvi_drop_batch *b = &f->batch;
    return (rvi_device_arg){RVI_DEVICE_CHANGE, b->crowd, 2 * b->blocks * sizeof *b->crowd};
}

static rvi_device_arg ended(const rvi_drop_run *f) {
    return (rvi_device_arg){RVI_DEVICE_CHANGE, f->batch.ended, sizeof *f->batch.ended};
}

static rvi_device_arg rain_cells(const rvi_drop_run *f) {
    const uint32_t *cells = f->batch.rain.cells;
    return (rvi_device_arg){RVI_DEVICE_READ, cells,
                            (size_t)f->width * (size_t)f->height * sizeof *cells};
}

static rvi_device_arg rain_rows(const rvi_drop_run *f) {
    const uint64_t *rows = f->batch.rain.rows;
    return (rvi_device_arg){RVI_DEVICE_READ, rows, (size_t)f->height * sizeof *rows};
}

static rv_status clear_grids(const rvi_drop_run *f) {
    const rvi_device_arg all[] = {
        slots(f, RVI_DEVICE_CHANGE),
        grid(f, RVI_DEVICE_CHANGE, f->batch.ground),
        grid(f, RVI_DEVICE_CHANGE, f->batch.change),
        longs(f, RVI_DEVICE_CHANGE, f->batch.laid),
        longs(f, RVI_DEVICE_CHANGE, f->batch.flow),
        crowd(f),
        ended(f),
    };
    rv_status status = RV_OK;
    for (size_t k = 0; k < sizeof all / sizeof all[0] && status == RV_OK; k++)
        status = rvi_device_zero(f->job->device, all[k].memory, all[k].size);
    return status;
}

rv_status rvi_batch_device_fill(rvi_drop_run *f) {
    const rv_terrain *land = f->job->land;
    const rvi_drop_apron apron = rvi_drops_apron(f);
    const rvi_device_arg args[] = {
        map(f, RVI_DEVICE_READ, land->surface),
        grid(f, RVI_DEVICE_CHANGE, f->batch.ground),
        RVI_VALUE(apron),
        RVI_VALUE(f->batch.rules),
    };
    rv_status status = clear_grids(f);
    if (status == RV_OK)
        status = rvi_device_copy(f->job->device, land->surface, f->before,
                                 rvi_cells(land) * sizeof *f->before);
    return status == RV_OK ? RUN("batch_fill", f->width, f->height) : status;
}

rv_status rvi_batch_device_begin(rvi_drop_run *f) {
    const rvi_drop_batch *b = &f->batch;
    const rvi_batch_round round = rvi_batch_round_of(f, b->round);
    const uint64_t next = 0;
    const rvi_device_arg args[] = {
        slots(f, RVI_DEVICE_CHANGE),
        crowd(f),
        RVI_VALUE(next),
        ended(f),
        rain_cells(f),
        rain_rows(f),
        RVI_VALUE(round),
        RVI_VALUE(b->rules),
    };
    return RUN("batch_begin", b->rules.slots, 1);
}

static rv_status settle(const rvi_drop_run *f, uint64_t now) {
    const rvi_drop_batch *b = &f->batch;
    const uint64_t count = f->count, blocks = b->blocks;
    const rvi_device_arg args[] = {
        grid(f, RVI_DEVICE_CHANGE, b->ground),
        grid(f, RVI_DEVICE_CHANGE, b->change),
        RVI_VALUE(count),
        crowd(f),
        RVI_VALUE(now),
        RVI_VALUE(blocks),
    };
    return RUN("batch_settle", count > blocks ? count : blocks, 1);
}

rv_status rvi_batch_device_round(rvi_drop_run *f) {
    const rvi_drop_batch *b = &f->batch;
    const rvi_batch_round round = rvi_batch_round_of(f, b->round);
    const uint64_t now = b->round % 2 * b->blocks, next = b->blocks - now;
    const int felt_rows = 2 * f->near_reach + 2;
    const bool narrow = b->rules.reach <= NARROW_DISC && f->near_reach <= NARROW_DISC;
    const size_t crews = narrow ? RVI_BATCH_NARROW / RVI_BATCH_NARROW_COLUMNS : 1; /* in a group */
    const rvi_device_arg args[] = {
        slots(f, RVI_DEVICE_CHANGE),
        grid(f, RVI_DEVICE_READ, b->ground),
        grid(f, RVI_DEVICE_CHANGE, b->change),
        longs(f, RVI_DEVICE_CHANGE, b->laid),
        longs(f, RVI_DEVICE_CHANGE, b->flow),
        crowd(f),
        RVI_VALUE(now),
        RVI_VALUE(next),
        ended(f),
        {RVI_DEVICE_READ, f->factor.cells, f->count * sizeof *f->factor.cells},
        map(f, RVI_DEVICE_READ, f->mask),
        rain_cells(f),
        rain_rows(f),
        RVI_BEDROCK(&f->factor),
        RVI_VALUE(round),
        RVI_VALUE(b->rules),
        {RVI_DEVICE_LOCAL, NULL, crews * RVI_BATCH_MEETINGS * sizeof(uint32_t)},
        {RVI_DEVICE_LOCAL, NULL, crews * 16 * (size_t)felt_rows * sizeof(float)},
        RVI_VALUE(felt_rows),
    };
    const size_t groups = ((size_t)b->rules.slots + crews - 1) / crews;
    const char *kernels[2][2] = {{"batch_bare_wide", "batch_bare_narrow"},
                                 {"batch_rock_wide", "batch_rock_narrow"}};
    const size_t items = groups * (narrow ? RVI_BATCH_NARROW : RVI_BATCH_WIDE);
    rv_status status = RUN(kernels[rvi_factor_rock_there(&f->factor)][narrow], items, 1);
    return status == RV_OK ? settle(f, now) : status;
}

rv_status rvi_batch_device_show(rvi_drop_run *f) {
    const rv_terrain *land = f->job->land;
    const rvi_device_arg args[] = {
        map(f, RVI_DEVICE_READ, f->before),
        grid(f, RVI_DEVICE_READ, f->batch.ground),
        map(f, RVI_DEVICE_WRITE, land->surface),
        RVI_VALUE(f->batch.rules),
    };
    return RUN("batch_show", land->width, land->height);
}

static rv_status sum_slots(const rvi_drop_run *f) {
    const rvi_drop_batch *b = &f->batch;
    const rvi_device_arg args[] = {
        slots(f, RVI_DEVICE_READ),
        {RVI_DEVICE_CHANGE, b->sums, RVI_BATCH_SUMS * sizeof *b->sums},
        RVI_VALUE(b->rules),
    };
    rv_status status = rvi_device_zero(f->job->device, b->sums, RVI_BATCH_SUMS * sizeof *b->sums);
    if (status == RV_OK)
        status = RUN("batch_sums", RVI_BATCH_SUMS, 1);
    return status == RV_OK ? rvi_device_fetch(f->job->device, b->sums) : status;
}

rv_status rvi_batch_device_leave(rvi_drop_run *f, double *won) {
    rvi_device *d = f->job->device;
    const rvi_drop_batch *b = &f->batch;
    const rv_terrain *land = f->job->land;
    const rvi_device_arg args[] = {
        map(f, RVI_DEVICE_READ, f->before),
        grid(f, RVI_DEVICE_READ, b->ground),
        longs(f, RVI_DEVICE_READ, b->laid),
        longs(f, RVI_DEVICE_READ, b->flow),
        map(f, RVI_DEVICE_CHANGE, f->fields[0]),
        map(f, RVI_DEVICE_CHANGE, f->fields[1]),
        map(f, RVI_DEVICE_CHANGE, f->fields[2]),
        map(f, RVI_DEVICE_WRITE, b->rest),
        RVI_VALUE(b->rules),
        RVI_VALUE(b->by),
    };
    rv_status status = RUN("batch_leave", land->width, land->height);
    if (status == RV_OK)
        status = rvi_device_sum(d, f->job->ctx, b->rest, rvi_cells(land), won);
    return status == RV_OK ? sum_slots(f) : status;
}
