/* alluvium_device.c: alluvium.c on a device; the kernels are in alluvium_cells.cl.
 *
 * - Fans: a group a fan, its items side by side on a ring. The highest of all fans on a cell is
 *   found in two stages of 32 bits, because not all devices compare 64 at once.
 * - What spills: a group a tile, in its own memory, until nothing moves; then the tiles beside
 *   those of which the rim has moved. Every second tile in both directions works at a time.
 */
#include "base/context.h"
#include "steps/rivers/alluvium_shape.h"
#include "steps/rivers/river_cut.h"

#include <string.h>

enum { BATCH = 4 }; /* rounds of tiles that are queued before it is asked whether anything moved */

static size_t spill_across(const rvi_rivers *r) {
    return ((size_t)r->land->width + RVI_SPILL_TILE - 1) / RVI_SPILL_TILE;
}

static size_t spill_down(const rvi_rivers *r) {
    return ((size_t)r->land->height + RVI_SPILL_TILE - 1) / RVI_SPILL_TILE;
}

void rvi_alluvium_device_list(rvi_rivers *r) {
    if (r->land != r->job->land || !(r->p->alluvium > 0.0f))
        return;
    rvi_job_buffer(r->job, &r->spills, spill_across(r) * spill_down(r), 1, "the alluvium");
    rvi_job_buffer(r->job, &r->fans, 1, sizeof *r->fans, "the alluvium");
}

#define GRID(use, grid, count)                                                                     \
    (rvi_device_arg) {                                                                             \
        RVI_DEVICE_##use, grid, (count) * sizeof *(grid)                                           \
    }
#define READ(grid) GRID(READ, grid, r->cells)
#define WRITE(grid) GRID(WRITE, grid, r->cells)
#define CHANGE(grid) GRID(CHANGE, grid, r->cells)
#define RUN(name, width, height)                                                                   \
    RVI_RUN(r->job->device, "alluvium_cells", name, width, height, args)
#define WALK(name)                                                                                 \
    rvi_flow_device_walk(&r->on, true, "alluvium_cells", name, args,                               \
                         (int)(sizeof args / sizeof args[0]))

static size_t wide(const rvi_rivers *r) {
    return (size_t)r->land->width;
}

static size_t high(const rvi_rivers *r) {
    return (size_t)r->land->height;
}

/* ---- along the rivers ---- */

#define TILE_OF_DOUBLES RVI_LOCAL(RVI_TILE *RVI_TILE * sizeof(double))

/* Of each cell, slope and depth: in memory that is free until alluvium moves sideways. */
static rv_status find_beds(rvi_rivers *r, const rvi_alluvium_law *law) {
    const rvi_flow *f = &r->flow;
    const uint64_t count = r->cells;
    const rvi_device_arg args[] = {READ(f->area),   READ(r->wide),   WRITE(r->next),
                                   WRITE(r->risen), RVI_VALUE(*law), RVI_VALUE(count)};
    return RUN("bury_beds", r->cells, 1);
}

rv_status rvi_alluvium_device_bury(rvi_rivers *r, const rvi_alluvium_law *law) {
    const rvi_flow *f = &r->flow;
    const rvi_device_arg args[] = {TILE_OF_DOUBLES, READ(r->h),        WRITE(r->water),
                                   READ(r->fixed),  RVI_FLOW_LAKES(f), READ(r->next),
                                   READ(r->risen),  RVI_VALUE(*law)};
    rv_status status = find_beds(r, law);
    return status == RV_OK ? WALK("alluvium_bury") : status;
}

static rv_status find_banks(rvi_rivers *r, const rvi_alluvium_law *law) {
    const rvi_flow *f = &r->flow;
    const rvi_device_arg args[] = {READ(f->direction), READ(f->area), READ(r->loose),
                                   WRITE(r->risen), RVI_VALUE(*law)};
    return RUN("bank_heights", wide(r), high(r));
}

rv_status rvi_alluvium_device_bank(rvi_rivers *r, const rvi_alluvium_law *law) {
    const rvi_flow *f = &r->flow;
    const rvi_device_arg args[] = {TILE_OF_DOUBLES,
                                   READ(r->h),
                                   WRITE(r->water),
                                   READ(r->fixed),
                                   READ(f->lakes ? f->drowned : NULL),
                                   READ(r->risen),
                                   RVI_VALUE(*law)};
    rv_status status = find_banks(r, law);
    return status == RV_OK ? WALK("alluvium_bank") : status;
}

/* ---- fans ---- */

/* To the memory of basins, which are found anew before they are used again. */
static rv_status list_fans(rvi_rivers *r, const rvi_alluvium_law *law) {
    const rvi_flow *f = &r->flow;
    const rvi_device_arg args[] = {
        READ(f->direction), READ(r->fixed), READ(f->area),   READ(r->wide),
        READ(r->h),         READ(r->water), WRITE(f->basin), GRID(CHANGE, r->fans, 1),
        RVI_VALUE(*law)};
    rv_status status = rvi_device_zero(r->job->device, r->fans, sizeof *r->fans);
    if (status == RV_OK)
        status = RUN("fan_list", wide(r), high(r));
    return status == RV_OK ? rvi_device_fetch(r->job->device, r->fans) : status;
}

static rv_status lay_fans(rvi_rivers *r, const rvi_alluvium_law *law, int stage) {
    const rvi_flow *f = &r->flow;
    const rvi_device_arg args[] = {READ(f->direction),
                                   READ(r->fixed),
                                   READ(f->area),
                                   READ(r->h),
                                   READ(r->water),
                                   READ(f->basin),
                                   CHANGE(r->next),
                                   RVI_LOCAL(3 * RVI_REACH),
                                   RVI_LOCAL(3 * RVI_FAN_SIDES * sizeof(int32_t)),
                                   RVI_LOCAL(3 * RVI_FAN_SIDES * sizeof(int32_t)),
                                   RVI_VALUE(*law),
                                   RVI_VALUE(stage)};
    return RUN("fan_rings", (size_t)*r->fans * RVI_FAN_GROUP, 1);
}

rv_status rvi_alluvium_device_fans(rvi_rivers *r, const rvi_alluvium_law *law) {
    const uint64_t count = r->cells;
    rv_status status = list_fans(r, law);
    if (status != RV_OK || *r->fans == 0)
        return status;
    status = rvi_device_zero(r->job->device, r->next, r->cells * sizeof *r->next);
    for (int stage = 0; status == RV_OK && stage < 2; stage++)
        status = lay_fans(r, law, stage);
    const rvi_device_arg args[] = {READ(r->next), CHANGE(r->water), RVI_VALUE(count)};
    if (status == RV_OK)
        status = RUN("fan_raise", r->cells, 1);
    return status == RV_OK ? rvi_poll(r->job->ctx) : status;
}

/* ---- over divides ---- */

static rv_status spill_round(rvi_rivers *r, const rvi_alluvium_law *law) {
    int odd_x = 0, odd_y = 0;
    const size_t width = RVI_SPILL_TILE + 2;
    const rvi_device_arg args[] = {READ(r->h),
                                   CHANGE(r->water),
                                   GRID(CHANGE, r->spills, spill_across(r) * spill_down(r)),
                                   GRID(CHANGE, r->fans, 1),
                                   RVI_LOCAL(width * width * sizeof(double)),
                                   RVI_LOCAL(3 * sizeof(uint32_t)),
                                   RVI_VALUE(*law),
                                   RVI_VALUE(odd_x),
                                   RVI_VALUE(odd_y)};
    rv_status status = RV_OK;
    for (odd_y = 0; odd_y < 2; odd_y++)
        for (odd_x = 0; odd_x < 2 && status == RV_OK; odd_x++)
            status = RUN("spill_tiles", (spill_across(r) + 1) / 2 * RVI_SPILL_GROUP,
                         (spill_down(r) + 1) / 2);
    return status;
}

static rv_status spill_all(rvi_rivers *r, const rvi_alluvium_law *law) {
    rvi_device *d = r->job->device;
    size_t count = spill_across(r) * spill_down(r);
    rv_status status = RV_OK;
    memset(r->spills, 1, count);
    rvi_device_forget(d, r->spills, count);
    do {
        for (int k = 0; k < BATCH && status == RV_OK; k++) {
            if (k == BATCH - 1)
                status = rvi_device_zero(d, r->fans, sizeof *r->fans);
            if (status == RV_OK)
                status = spill_round(r, law);
        }
        if (status == RV_OK)
            status = rvi_device_fetch(d, r->fans);
        if (status == RV_OK)
            status = rvi_poll(r->job->ctx);
    } while (status == RV_OK && *r->fans);
    return status;
}

static rv_status hold(rvi_rivers *r) {
    const uint64_t count = r->cells;
    const rvi_device_arg args[] = {READ(r->h), CHANGE(r->water), WRITE(r->next), READ(r->mask),
                                   RVI_VALUE(count)};
    return RUN("spill_hold", r->cells, 1);
}

static rv_status give(rvi_rivers *r, const rvi_alluvium_law *law) {
    const rvi_device_arg args[] = {READ(r->h), READ(r->water), CHANGE(r->next), READ(r->mask),
                                   RVI_VALUE(*law)};
    rv_status status = RUN("spill_give", wide(r), high(r));
    return status == RV_OK
               ? rvi_device_copy(r->job->device, r->next, r->water, r->cells * sizeof *r->water)
               : status;
}

rv_status rvi_alluvium_device_spill(rvi_rivers *r, const rvi_alluvium_law *law) {
    rv_status status = r->mask ? hold(r) : RV_OK;
    if (status == RV_OK)
        status = spill_all(r, law);
    return status == RV_OK && r->mask ? give(r, law) : status;
}

/* ---- sideways ---- */

static rv_status loosen(rvi_rivers *r, const rvi_alluvium_law *law) {
    const rvi_device_arg args[] = {READ(r->h),     READ(r->water),  READ(r->fixed), WRITE(r->loose),
                                   WRITE(r->next), WRITE(r->risen), RVI_VALUE(*law)};
    return RUN("alluvium_loosen", wide(r), high(r));
}

static rv_status settle(rvi_rivers *r, const rvi_alluvium_law *law) {
    const rvi_device_arg args[] = {READ(r->h), READ(r->risen), READ(r->next), WRITE(r->water),
                                   RVI_VALUE(*law)};
    return RUN("alluvium_settle", wide(r), high(r));
}

rv_status rvi_alluvium_device_level(rvi_rivers *r, const rvi_alluvium_law *law,
                                    const rvi_hillslope *s) {
    rv_status status = loosen(r, law);
    if (status == RV_OK)
        status = rvi_rivers_device_creep(r, s);
    if (status == RV_OK)
        status = settle(r, law);
    return status == RV_OK ? rvi_poll(r->job->ctx) : status;
}
