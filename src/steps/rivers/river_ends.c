/* river_ends.c: what rivers.c does before the first time step and after the last one, on a device.
 * The kernels are in river_ends.cl. The land is on the device already and stays there; the host
 * gets to know what it needs to look at the edge of the map. */
#include "base/threads.h"
#include "steps/rivers/river_cut.h"
#include "steps/rivers/river_shape.h"

#include <string.h>

#define GRID(use, grid, count)                                                                     \
    (rvi_device_arg) {                                                                             \
        RVI_DEVICE_##use, grid, (count) * sizeof *(grid)                                           \
    }
#define READ(grid) GRID(READ, grid, r->cells)
#define WRITE(grid) GRID(WRITE, grid, r->cells)
#define CHANGE(grid) GRID(CHANGE, grid, r->cells)
#define RUN(name, width, height)                                                                   \
    RVI_RUN(r->job->device, "river_ends", name, (size_t)(width), (size_t)(height), args)

/* ---- before ---- */

static size_t above(const rvi_rivers *r) {
    return (size_t)r->land->layer_count - 1;
}

/* Heights and what was before are of the map alone: coarser levels have means of them. */
static rv_status take_layer(rvi_rivers *r, int layer, bool map) {
    const uint64_t count = r->cells;
    size_t layers = (size_t)r->land->layer_count;
    const rvi_device_arg args[] = {
        READ(r->land->layers[layer].thickness),
        layer > 0 ? CHANGE(map ? r->h : NULL) : WRITE(map ? r->h : NULL),
        WRITE(map ? r->bed : NULL),
        GRID(WRITE, map ? r->before : NULL, layers * r->cells),
        GRID(WRITE, r->stack, above(r) * r->cells),
        RVI_VALUE(layer),
        RVI_VALUE(count),
    };
    return RUN("take_layer", r->cells, 1);
}

rv_status rvi_rivers_device_layers(rvi_rivers *r) {
    rv_status status = RV_OK;
    for (int l = 0; l < r->land->layer_count && status == RV_OK; l++)
        status = take_layer(r, l, true);
    return status;
}

/* Sides that sink take from layers that the host asks how hard they are. */
static rv_status show_host(rvi_rivers *r) {
    bool sinks = r->p->border != RV_rivers_border_outlets && r->p->border != RV_rivers_border_open;
    rv_status status = RV_OK;
    if (sinks)
        status = rvi_memory_fetch(r->job->ctx, (float *)(uintptr_t)r->mask);
    return status == RV_OK && sinks ? rvi_memory_fetch(r->job->ctx, r->factor.bands) : status;
}

rv_status rvi_rivers_device_begin_level(rvi_rivers *r) {
    rv_status status = RV_OK;
    rvi_factor_tell(&r->factor);
    for (size_t l = 0; l <= above(r); l++)
        r->yields[l] = r->land->layers[l].erodibility;
    for (int l = 1; l < r->land->layer_count && r->start && status == RV_OK; l++)
        status = take_layer(r, l, false);
    if (status == RV_OK && r->owed)
        status = rvi_device_zero(r->job->device, r->owed, r->cells * sizeof *r->owed);
    if (status == RV_OK && r->lifted)
        status = rvi_device_zero(r->job->device, r->lifted, r->cells * sizeof *r->lifted);
    return status == RV_OK ? show_host(r) : status;
}

rv_status rvi_rivers_device_uplift(rvi_rivers *r, bool given) {
    const uint64_t count = r->cells;
    const int is_given = given;
    const rvi_device_arg args[] = {given ? CHANGE(r->uplift) : WRITE(r->uplift), READ(r->mask),
                                   RVI_VALUE(is_given), RVI_VALUE(count)};
    return RUN("hold_uplift", r->cells, 1);
}

rv_status rvi_rivers_device_fix(rvi_rivers *r, uint32_t sides, bool *any) {
    const rvi_base_law law = {.sea = (double)r->p->sea,
                              .width = r->land->width,
                              .height = r->land->height,
                              .sides = sides,
                              .coarse = r->start != NULL};
    const rvi_device_arg args[] = {CHANGE(r->h), r->start ? CHANGE(r->fixed) : WRITE(r->fixed),
                                   GRID(CHANGE, r->any_fixed, 1), RVI_VALUE(law)};
    rv_status status = rvi_device_zero(r->job->device, r->any_fixed, sizeof *r->any_fixed);
    if (status == RV_OK)
        status = RUN("fix_cells", r->land->width, r->land->height);
    if (status == RV_OK)
        status = rvi_device_fetch(r->job->device, r->any_fixed);
    *any = *r->any_fixed != 0;
    return status;
}

rv_status rvi_rivers_device_fix_cell(rvi_rivers *r, size_t cell) {
    const uint64_t at = cell;
    const rvi_device_arg args[] = {CHANGE(r->fixed), RVI_VALUE(at)};
    return RUN("fix_cell", 1, 1);
}

rv_status rvi_rivers_device_sides(rvi_rivers *r, bool in) {
    const int width = r->land->width, height = r->land->height, way = in;
    size_t places = rvi_ring_length(width, height);
    rvi_device *d = r->job->device;
    rv_status status = RV_OK;
    for (size_t k = 0; in && k < places; k++)
        r->sides[k] = r->fixed[rvi_ring_cell(width, height, k)];
    if (in)
        status = rvi_device_send_part(d, r->sides, places, 0, places);
    if (status != RV_OK)
        return status;
    const rvi_device_arg args[] = {CHANGE(r->fixed), GRID(CHANGE, r->sides, places),
                                   RVI_VALUE(width), RVI_VALUE(height), RVI_VALUE(way)};
    status = RUN("fixed_sides", places, 1);
    if (in || status != RV_OK)
        return status;
    status = rvi_device_fetch(d, r->sides);
    for (size_t k = 0; status == RV_OK && k < places; k++)
        r->fixed[rvi_ring_cell(width, height, k)] = r->sides[k];
    return status == RV_OK ? rvi_rivers_device_edge_out(r, true) : status;
}

rv_status rvi_rivers_device_low(rvi_rivers *r, int step) {
    const int width = r->land->width, height = r->land->height, early = r->steps / 2 - step;
    const double rise = rvi_rivers_rise(r);
    size_t length = rvi_ring_length(width, height);
    const rvi_flow *f = &r->flow;
    const rvi_device_arg args[] = {READ(r->h),
                                   READ(r->uplift),
                                   READ(f->lakes ? f->basin : NULL),
                                   GRID(READ, f->lakes ? f->spill : NULL, rvi_flow_basins(f)),
                                   GRID(CHANGE, r->flooded, length),
                                   GRID(WRITE, r->low, length),
                                   RVI_VALUE(rise),
                                   RVI_VALUE(width),
                                   RVI_VALUE(height),
                                   RVI_VALUE(early)};
    rv_status status = RUN("find_low", length, 1);
    return status == RV_OK ? rvi_device_fetch(r->job->device, r->low) : status;
}

rv_status rvi_rivers_device_rock(rvi_rivers *r) {
    const rvi_rock_noise law = {.seed = r->p->seed,
                                .side = r->of_lattice,
                                .vary = r->p->vary,
                                .talus_vary = r->p->talus_vary,
                                .width = r->land->width};
    const rvi_device_arg args[] = {WRITE(r->rock), WRITE(r->strength), RVI_VALUE(law)};
    return RUN("make_rock", r->land->width, r->land->height);
}

rv_status rvi_rivers_device_rain(rvi_rivers *r) {
    const uint64_t count = r->cells;
    const rvi_device_arg args[] = {READ(r->rain), WRITE(r->rain_parts), RVI_VALUE(count)};
    return RUN("count_rain", r->cells, 1);
}

/* ---- to coarser cells ---- */

static rvi_coarsen_law coarsen_law(const rvi_rivers *fine, const rvi_rivers *coarse) {
    return (rvi_coarsen_law){.apart = coarse->apart,
                             .reach = rvi_level_reach(coarse, fine),
                             .width = fine->land->width,
                             .height = fine->land->height,
                             .coarse_width = coarse->land->width,
                             .coarse_height = coarse->land->height};
}

rv_status rvi_rivers_device_coarsen(const rvi_rivers *fine, const rvi_rivers *coarse,
                                    const float *from, float *to, double low, double high) {
    const rvi_rivers *r = coarse;
    rvi_coarsen_law law = coarsen_law(fine, coarse);
    law.low = low;
    law.high = high;
    const rvi_device_arg args[] = {GRID(READ, from, fine->cells), WRITE(to), RVI_VALUE(law)};
    return RUN("coarsen", r->land->width, r->land->height);
}

rv_status rvi_rivers_device_coarsen_doubles(const rvi_rivers *fine, const rvi_rivers *coarse,
                                            const double *from, double *to) {
    const rvi_rivers *r = coarse;
    const rvi_coarsen_law law = coarsen_law(fine, coarse);
    const rvi_device_arg args[] = {GRID(READ, from, fine->cells), WRITE(to), RVI_VALUE(law)};
    return RUN("coarsen_doubles", r->land->width, r->land->height);
}

rv_status rvi_rivers_device_coarsen_sea(const rvi_rivers *fine, const rvi_rivers *coarse) {
    const rvi_rivers *r = coarse;
    const rvi_coarsen_law law = coarsen_law(fine, coarse);
    const rvi_device_arg args[] = {GRID(READ, fine->fixed, fine->cells), WRITE(r->fixed),
                                   RVI_VALUE(law)};
    return RUN("coarsen_sea", r->land->width, r->land->height);
}

/* ---- after ---- */

rv_status rvi_rivers_device_show_flow(const rvi_rivers *r, float *flow) {
    const double cell = (double)r->land->cell * (double)r->land->cell;
    const uint64_t count = r->cells;
    const rvi_device_arg args[] = {READ(r->flow.area),
                                   READ(r->flow.rain ? r->flow.discharge : NULL), WRITE(flow),
                                   RVI_VALUE(cell), RVI_VALUE(count)};
    return RUN("show_flow", r->cells, 1);
}

rv_status rvi_rivers_device_sum_layer(rvi_rivers *r, int layer, float *const *fields) {
    const size_t height = (size_t)r->land->height, blocks = (height + RVI_ROWS - 1) / RVI_ROWS;
    const rvi_close_law law = {.rise = r->rise,
                               .cells = r->cells,
                               .block = RVI_ROWS * (uint64_t)r->land->width,
                               .layer = layer};
    const rvi_device_arg args[] = {
        READ(r->land->layers[layer].thickness),
        GRID(READ, r->before, (size_t)r->land->layer_count * r->cells),
        READ(r->lifted),
        READ(r->fixed),
        READ(r->bed ? r->bed : r->h),
        READ(layer > 0 && layer + 1 == r->land->layer_count ? r->owed : NULL),
        CHANGE(fields[0]),
        CHANGE(fields[1]),
        GRID(WRITE, r->cell_sums, blocks),
        {RVI_DEVICE_LOCAL, NULL, RVI_CLOSE_SUMS * RVI_CLOSE_GROUP * sizeof(double)},
        RVI_VALUE(law),
    };
    rv_status status = RUN("close_layer", blocks * RVI_CLOSE_GROUP, 1);
    return status == RV_OK ? rvi_device_fetch(r->job->device, r->cell_sums) : status;
}
