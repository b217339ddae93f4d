/* batch_device.c: rounds of drop_batch.c on a device. The kernels are in batch_grids.cl, and those
 * that move drops in a file of the step (batch_crew.h). */
#include "device/device_sum.h"
#include "wear/drop_batch.h"

#include <string.h>

enum { NARROW_DISC = 5 }; /* up to which a crew of few items makes a move */

#define RUN(name, width, height)                                                                   \
    RVI_RUN(b->job->device, "batch_grids", name, (size_t)(width), (size_t)(height), args)

static rvi_device_arg grid(const rvi_batch *b, rvi_device_use use, const int32_t *values) {
    return (rvi_device_arg){use, values, b->count * sizeof *values};
}

static rvi_device_arg longs(const rvi_batch *b, rvi_device_use use, const uint32_t *values) {
    return (rvi_device_arg){use, values, 2 * b->count * sizeof *values};
}

static rvi_device_arg map(const rvi_batch *b, rvi_device_use use, const float *values) {
    return rvi_map_arg(b->job->land, use, values);
}

/* Of layers: grids of the map, and those of them on bedrock. */
static size_t layer_grids(const rvi_batch *b, int from) {
    return b->depth ? (size_t)(b->rules.layers - from) * rvi_cells(b->job->land) : 0;
}

static rvi_device_arg under(const rvi_batch *b, rvi_device_use use) {
    return (rvi_device_arg){use, b->under, layer_grids(b, 0) * sizeof *b->under};
}

static rvi_device_arg depth(const rvi_batch *b, rvi_device_use use) {
    return (rvi_device_arg){use, b->depth, layer_grids(b, 1) * sizeof *b->depth};
}

static rvi_device_arg soft(const rvi_batch *b) {
    return (rvi_device_arg){RVI_DEVICE_READ, b->soft, (size_t)b->rules.layers * sizeof *b->soft};
}

static rvi_device_arg slots(const rvi_batch *b, rvi_device_use use) {
    return (rvi_device_arg){use, b->slots, (size_t)b->rules.slots * sizeof *b->slots};
}

static rvi_device_arg crowd(const rvi_batch *b) {
    return (rvi_device_arg){RVI_DEVICE_CHANGE, b->crowd, 2 * b->blocks * sizeof *b->crowd};
}

static rvi_device_arg ended(const rvi_batch *b) {
    return (rvi_device_arg){RVI_DEVICE_CHANGE, b->ended, sizeof *b->ended};
}

static rvi_device_arg rain_cells(const rvi_batch *b) {
    const uint32_t *cells = b->rain.cells;
    return (rvi_device_arg){RVI_DEVICE_READ, cells,
                            (size_t)b->width * (size_t)b->height * sizeof *cells};
}

static rvi_device_arg rain_rows(const rvi_batch *b) {
    const uint64_t *rows = b->rain.rows;
    return (rvi_device_arg){RVI_DEVICE_READ, rows, (size_t)b->height * sizeof *rows};
}

static rv_status clear_grids(const rvi_batch *b) {
    const rvi_device_arg all[] = {
        slots(b, RVI_DEVICE_CHANGE),
        grid(b, RVI_DEVICE_CHANGE, b->ground),
        grid(b, RVI_DEVICE_CHANGE, b->change),
        longs(b, RVI_DEVICE_CHANGE, b->laid),
        longs(b, RVI_DEVICE_CHANGE, b->flow),
        crowd(b),
        ended(b),
    };
    rv_status status = RV_OK;
    for (size_t k = 0; k < sizeof all / sizeof all[0] && status == RV_OK; k++)
        status = rvi_device_zero(b->job->device, all[k].memory, all[k].size);
    return status;
}

static rv_status fill_layers(const rvi_batch *b) {
    const rv_terrain *land = b->job->land;
    rv_status status = rvi_device_zero(b->job->device, b->under, under(b, RVI_DEVICE_READ).size);
    if (status == RV_OK)
        status = rvi_device_zero(b->job->device, b->depth, depth(b, RVI_DEVICE_READ).size);
    for (int l = 0; l < land->layer_count && status == RV_OK; l++) {
        const rvi_device_arg args[] = {
            map(b, RVI_DEVICE_READ, land->layers[l].thickness),
            under(b, RVI_DEVICE_CHANGE),
            depth(b, RVI_DEVICE_CHANGE),
            RVI_VALUE(l),
            RVI_VALUE(b->rules),
        };
        status = RUN("batch_fill_layer", land->width, land->height);
    }
    return status;
}

rv_status rvi_batch_device_fill(rvi_batch *b) {
    const rv_terrain *land = b->job->land;
    const rvi_drop_apron apron = rvi_batch_apron(b);
    const rvi_device_arg args[] = {
        map(b, RVI_DEVICE_READ, land->surface),
        grid(b, RVI_DEVICE_CHANGE, b->ground),
        RVI_VALUE(apron),
        RVI_VALUE(b->rules),
    };
    rv_status status = clear_grids(b);
    if (status == RV_OK)
        status = rvi_device_copy(b->job->device, land->surface, b->before,
                                 rvi_cells(land) * sizeof *b->before);
    if (status == RV_OK && b->depth)
        status = fill_layers(b);
    return status == RV_OK ? RUN("batch_fill", b->width, b->height) : status;
}

rv_status rvi_batch_device_begin(rvi_batch *b) {
    const rvi_batch_round round = rvi_batch_round_of(b, b->round);
    const uint64_t next = 0;
    const rvi_device_arg args[] = {
        slots(b, RVI_DEVICE_CHANGE),
        crowd(b),
        RVI_VALUE(next),
        ended(b),
        rain_cells(b),
        rain_rows(b),
        RVI_VALUE(round),
        RVI_VALUE(b->rules),
    };
    return RUN("batch_begin", b->rules.slots, 1);
}

/* Before the sums of the round become part of the ground. */
static rv_status settle_layers(const rvi_batch *b) {
    const rvi_device_arg args[] = {
        grid(b, RVI_DEVICE_READ, b->change),
        depth(b, RVI_DEVICE_CHANGE),
        RVI_VALUE(b->rules),
    };
    return RUN("batch_settle_layers", b->rules.land_width, b->rules.land_height);
}

static rv_status settle(const rvi_batch *b, uint64_t now) {
    const uint64_t count = b->count, blocks = b->blocks;
    const rvi_device_arg args[] = {
        grid(b, RVI_DEVICE_CHANGE, b->ground),
        grid(b, RVI_DEVICE_CHANGE, b->change),
        RVI_VALUE(count),
        crowd(b),
        RVI_VALUE(now),
        RVI_VALUE(blocks),
    };
    rv_status status = b->depth ? settle_layers(b) : RV_OK;
    if (status != RV_OK)
        return status;
    const uint64_t items = (count + RVI_BATCH_SETTLED - 1) / RVI_BATCH_SETTLED;
    return RUN("batch_settle", items > blocks ? items : blocks, 1);
}

rv_status rvi_batch_device_round(rvi_batch *b) {
    const rvi_batch_round round = rvi_batch_round_of(b, b->round);
    const uint64_t now = b->round % 2 * b->blocks, next = b->blocks - now;
    const int felt_rows = 2 * b->near_reach + 2;
    const bool narrow = b->rules.reach <= NARROW_DISC && b->near_reach <= NARROW_DISC;
    const size_t crews = narrow ? RVI_BATCH_NARROW / RVI_BATCH_NARROW_COLUMNS : 1; /* in a group */
    const rvi_device_arg args[] = {
        slots(b, RVI_DEVICE_CHANGE),
        grid(b, RVI_DEVICE_READ, b->ground),
        grid(b, RVI_DEVICE_CHANGE, b->change),
        longs(b, RVI_DEVICE_CHANGE, b->laid),
        longs(b, RVI_DEVICE_CHANGE, b->flow),
        crowd(b),
        RVI_VALUE(now),
        RVI_VALUE(next),
        ended(b),
        {RVI_DEVICE_READ, b->factor.cells, b->count * sizeof *b->factor.cells},
        map(b, RVI_DEVICE_READ, b->mask),
        rain_cells(b),
        rain_rows(b),
        RVI_BEDROCK(&b->factor),
        depth(b, RVI_DEVICE_READ),
        soft(b),
        RVI_VALUE(round),
        RVI_VALUE(b->rules),
        {RVI_DEVICE_VALUE, b->d.law, b->d.law_size},
        {RVI_DEVICE_LOCAL, NULL, crews * RVI_BATCH_MEETINGS * sizeof(uint32_t)},
        {RVI_DEVICE_LOCAL, NULL, crews * 16 * (size_t)felt_rows * sizeof(float)},
        RVI_VALUE(felt_rows),
    };
    const size_t groups = ((size_t)b->rules.slots + crews - 1) / crews;
    const char *kernels[2][2] = {{"batch_bare_wide", "batch_bare_narrow"},
                                 {"batch_rock_wide", "batch_rock_narrow"}};
    const size_t items = groups * (narrow ? RVI_BATCH_NARROW : RVI_BATCH_WIDE);
    rv_status status = RVI_RUN(b->job->device, b->d.kernels,
                               kernels[rvi_factor_rock_there(&b->factor)][narrow], items, 1, args);
    return status == RV_OK ? settle(b, now) : status;
}

static rv_status show_layers(const rvi_batch *b) {
    const rv_terrain *land = b->job->land;
    rv_status status = RV_OK;
    for (int l = 0; l < land->layer_count && status == RV_OK; l++) {
        const rvi_device_arg args[] = {
            map(b, RVI_DEVICE_READ, b->before),
            grid(b, RVI_DEVICE_READ, b->ground),
            under(b, RVI_DEVICE_READ),
            depth(b, RVI_DEVICE_READ),
            map(b, RVI_DEVICE_WRITE, land->layers[l].thickness),
            RVI_VALUE(l),
            RVI_VALUE(b->rules),
        };
        status = RUN("batch_show_layer", land->width, land->height);
    }
    return status;
}

rv_status rvi_batch_device_show(rvi_batch *b) {
    const rv_terrain *land = b->job->land;
    if (b->depth)
        return show_layers(b);
    const rvi_device_arg args[] = {
        map(b, RVI_DEVICE_READ, b->before),
        grid(b, RVI_DEVICE_READ, b->ground),
        map(b, RVI_DEVICE_WRITE, land->surface),
        RVI_VALUE(b->rules),
    };
    return RUN("batch_show", land->width, land->height);
}

static rv_status sum_slots(const rvi_batch *b) {
    const rvi_device_arg args[] = {
        slots(b, RVI_DEVICE_READ),
        {RVI_DEVICE_CHANGE, b->sums, RVI_BATCH_SUMS * sizeof *b->sums},
        RVI_VALUE(b->rules),
    };
    rv_status status = rvi_device_zero(b->job->device, b->sums, RVI_BATCH_SUMS * sizeof *b->sums);
    if (status == RV_OK)
        status = RUN("batch_sums", RVI_BATCH_SUMS, 1);
    return status == RV_OK ? rvi_device_fetch(b->job->device, b->sums) : status;
}

rv_status rvi_batch_device_leave(rvi_batch *b, double *won) {
    rvi_device *d = b->job->device;
    const rv_terrain *land = b->job->land;
    const rvi_device_arg args[] = {
        map(b, RVI_DEVICE_READ, b->before),
        grid(b, RVI_DEVICE_READ, b->ground),
        longs(b, RVI_DEVICE_READ, b->laid),
        longs(b, RVI_DEVICE_READ, b->flow),
        map(b, RVI_DEVICE_CHANGE, b->fields[0]),
        map(b, RVI_DEVICE_CHANGE, b->fields[1]),
        map(b, RVI_DEVICE_CHANGE, b->fields[2]),
        map(b, RVI_DEVICE_WRITE, b->rest),
        under(b, RVI_DEVICE_READ),
        depth(b, RVI_DEVICE_READ),
        RVI_VALUE(b->rules),
        RVI_VALUE(b->by),
    };
    rv_status status = RUN("batch_leave", land->width, land->height);
    if (status == RV_OK)
        status = rvi_device_sum(d, b->job->ctx, b->rest, rvi_cells(land), won);
    return status == RV_OK ? sum_slots(b) : status;
}
