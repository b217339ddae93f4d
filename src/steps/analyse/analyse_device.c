/* analyse_device.c: analyse.c on a device. The kernels are in analyse_cells.cl.
 *
 * Levels of lakes come from wear/flow_device.c, receivers from drainage_cell.h. How many steps a
 * cell of a flat is from where that spills is found tile by tile, from neighbour to neighbour, in
 * rounds until no tile changes; there are as many as tiles that the longest way crosses. Lengths
 * are not added up: sides and corners are counted. */
#include "steps/analyse/analyse_run.h"

/* ROUNDS: that are queued before it is asked whether anything has changed. */
enum { ROUNDS = 8, COUNTERS_WIDE = 1 << 16 };

void rvi_analyse_device_list(rvi_analysis *a, rvi_job *job) {
    const rv_terrain *land = job->land;
    size_t cells = rvi_cells(land);
    const char *what = "the land that drains";
    rvi_flow_prepare(&a->flow, job->ctx, land->width, land->height, false, &job->buffers);
    rvi_flow_device_list(&a->on, &a->flow, &job->buffers);
    rvi_job_buffer(job, &a->heights, cells, sizeof *a->heights, what);
    rvi_job_buffer(job, &a->kind, cells, 1, what);
    rvi_job_buffer(job, &a->fixed, cells, 1, what);
    rvi_job_buffer(job, &a->orders, cells, 1, "the orders of streams");
    rvi_job_buffer(job, &a->level, cells, 1, what);
    rvi_job_grid(job, &a->filled, what);
    rvi_job_buffer(job, &a->steps, cells, sizeof *a->steps, what);
    rvi_job_buffer(job, &a->changed, rvi_flow_pieces(land->width, land->height) / RVI_PIECES,
                   sizeof *a->changed, what);
    rvi_job_buffer(job, &a->last, 1, sizeof *a->last, what);
    rvi_job_buffer(job, &a->counts, RVI_COUNTS, sizeof *a->counts, what);
    if (a->files)
        rvi_job_buffer(job, &a->receiver, cells, sizeof *a->receiver, "the ways of water");
}

#define GRID(use, grid)                                                                            \
    (rvi_device_arg) {                                                                             \
        RVI_DEVICE_##use, grid, a->flow.cells * sizeof *(grid)                                     \
    }
#define FEW(use, grid, count)                                                                      \
    (rvi_device_arg) {                                                                             \
        RVI_DEVICE_##use, grid, (count) * sizeof *(grid)                                           \
    }
#define COUNT(args) (int)(sizeof args / sizeof args[0])
#define RUN(name)                                                                                  \
    rvi_device_run(d, "analyse_cells", name, (size_t)a->flow.width, (size_t)a->flow.height, args,  \
                   COUNT(args))
#define WALK(up, name) rvi_flow_device_walk(&a->on, up, "analyse_cells", name, args, COUNT(args))

/* ---- receivers ---- */

static rv_status find_kinds(const rvi_analysis *a, rvi_device *d, const rv_terrain *land) {
    const rvi_flow_shape shape = rvi_flow_shape_of(&a->flow);
    const rvi_device_arg args[] = {GRID(READ, rvi_field_get(land, "hole")), GRID(WRITE, a->kind),
                                   RVI_VALUE(shape)};
    return RUN("analyse_kinds");
}

static rv_status fill_lakes(rvi_analysis *a, rvi_device *d, const rv_terrain *land) {
    const rvi_flow_shape shape = rvi_flow_shape_of(&a->flow);
    const rvi_device_arg args[] = {GRID(READ, land->surface), GRID(READ, a->kind),
                                   GRID(WRITE, a->heights), GRID(WRITE, a->fixed),
                                   RVI_VALUE(shape)};
    rv_status status = RUN("analyse_start");
    a->flow.h = a->heights;
    a->flow.fixed = a->fixed;
    a->on.d = d;
    return status == RV_OK ? rvi_flow_device_fill(&a->on) : status;
}

static rv_status find_levels(const rvi_analysis *a, rvi_device *d) {
    const rvi_flow *f = &a->flow;
    const rvi_flow_shape shape = rvi_flow_shape_of(f);
    const rvi_device_arg args[] = {GRID(READ, a->heights), GRID(READ, f->lakes ? f->basin : NULL),
                                   FEW(READ, f->lakes ? f->spill : NULL, rvi_flow_basins(f)),
                                   GRID(WRITE, a->filled), RVI_VALUE(shape)};
    return RUN("analyse_fill");
}

static rv_status receive(const rvi_analysis *a, rvi_device *d) {
    const rvi_flow_shape shape = rvi_flow_shape_of(&a->flow);
    const rvi_device_arg args[] = {GRID(READ, a->filled),          GRID(READ, a->fixed),
                                   GRID(WRITE, a->flow.direction), GRID(WRITE, a->steps),
                                   GRID(WRITE, a->level),          RVI_VALUE(shape)};
    return RUN("analyse_receive");
}

static rv_status cross_flats(const rvi_analysis *a, rvi_device *d) {
    const rvi_flow_shape shape = rvi_flow_shape_of(&a->flow);
    size_t tiles = (size_t)shape.across * (size_t)shape.down, side = RVI_TILE + 2;
    rv_status status = rvi_device_zero(d, a->changed, tiles * sizeof *a->changed);
    if (status == RV_OK)
        status = rvi_device_zero(d, a->last, sizeof *a->last);
    uint32_t round = 0;
    do {
        for (int k = 0; status == RV_OK && k < ROUNDS; k++, round++) {
            const rvi_device_arg args[] = {GRID(CHANGE, a->steps),
                                           GRID(READ, a->level),
                                           FEW(CHANGE, a->changed, tiles),
                                           FEW(CHANGE, a->last, 1),
                                           RVI_LOCAL(side * side * sizeof(uint32_t)),
                                           RVI_LOCAL(3 * sizeof(uint32_t)),
                                           RVI_VALUE(shape),
                                           RVI_VALUE(round)};
            status = rvi_device_run(d, "analyse_cells", "analyse_cross", tiles * RVI_FLOW_GROUP, 1,
                                    args, COUNT(args));
        }
        if (status == RV_OK)
            status = rvi_device_fetch(d, a->last);
        if (status == RV_OK)
            status = rvi_poll(a->flow.ctx);
    } while (status == RV_OK && a->last[0] == round);
    return status;
}

static rv_status leave_flats(const rvi_analysis *a, rvi_device *d) {
    const rvi_flow_shape shape = rvi_flow_shape_of(&a->flow);
    const rvi_device_arg args[] = {GRID(READ, a->filled), GRID(READ, a->steps),
                                   GRID(CHANGE, a->flow.direction), RVI_VALUE(shape)};
    return RUN("analyse_flats");
}

/* ---- along the streams ---- */

static rv_status find_orders(rvi_analysis *a) {
    const uint32_t channel = (uint32_t)a->p->channel;
    const rvi_device_arg args[] = {GRID(READ, a->flow.direction), GRID(READ, a->filled),
                                   GRID(READ, a->flow.area), GRID(CHANGE, a->orders),
                                   RVI_VALUE(channel)};
    return WALK(false, "analyse_orders");
}

static rv_status find_distances(rvi_analysis *a, double cell) {
    const rvi_device_arg args[] = {GRID(READ, a->flow.direction), GRID(READ, a->orders),
                                   GRID(CHANGE, a->distance),
                                   GRID(CHANGE, a->files ? a->outlet : NULL), RVI_VALUE(cell)};
    return WALK(true, "analyse_distances");
}

static rv_status count(const rvi_analysis *a, rvi_device *d) {
    const rvi_flow_shape shape = rvi_flow_shape_of(&a->flow);
    const uint64_t cells = a->flow.cells;
    size_t items = cells < COUNTERS_WIDE ? a->flow.cells : COUNTERS_WIDE;
    const rvi_device_arg args[] = {GRID(READ, a->flow.direction),
                                   GRID(READ, a->kind),
                                   GRID(READ, a->orders),
                                   FEW(CHANGE, a->counts, RVI_COUNTS),
                                   RVI_LOCAL(RVI_COUNTS * sizeof(uint32_t)),
                                   RVI_VALUE(shape),
                                   RVI_VALUE(cells)};
    rv_status status = rvi_device_zero(d, a->counts, RVI_COUNTS * sizeof *a->counts);
    if (status == RV_OK)
        status = rvi_device_run(d, "analyse_cells", "analyse_count",
                                (items + RVI_FLOW_GROUP - 1) / RVI_FLOW_GROUP * RVI_FLOW_GROUP, 1,
                                args, COUNT(args));
    return status == RV_OK ? rvi_device_fetch(d, a->counts) : status;
}

static void sum_network(rvi_analysis *a, double cell) {
    rvi_network_counts sums = {.land = a->counts[RVI_COUNT_LAND]};
    for (int w = 1; w <= RVI_ORDERS; w++) {
        sums.streams[w] = a->counts[RVI_COUNT_STREAMS + w];
        sums.sides[w] = a->counts[RVI_COUNT_SIDES + w];
        sums.corners[w] = a->counts[RVI_COUNT_CORNERS + w];
    }
    rvi_network_sum(&a->network, &sums, cell);
}

rv_status rvi_analyse_device_run(rvi_analysis *a, rvi_device *d, const rv_terrain *land,
                                 uint32_t *streams) {
    rv_status status = find_kinds(a, d, land);
    if (status == RV_OK)
        status = fill_lakes(a, d, land);
    if (status == RV_OK)
        status = find_levels(a, d);
    if (status == RV_OK)
        status = receive(a, d);
    if (status == RV_OK)
        status = cross_flats(a, d);
    if (status == RV_OK)
        status = leave_flats(a, d);
    if (status == RV_OK)
        status = rvi_flow_device_order(&a->on);
    if (status == RV_OK)
        status = find_orders(a);
    if (status == RV_OK)
        status = find_distances(a, (double)land->cell);
    if (status == RV_OK)
        status = count(a, d);
    if (status != RV_OK)
        return status;
    sum_network(a, (double)land->cell);
    *streams = a->counts[RVI_COUNT_FIRST];
    return RV_OK;
}

/* ---- what is told ---- */

rv_status rvi_analyse_device_fetch(rvi_analysis *a, rvi_device *d, const rv_terrain *land) {
    const rvi_flow_shape shape = rvi_flow_shape_of(&a->flow);
    const rvi_device_arg args[] = {GRID(READ, a->flow.direction), GRID(WRITE, a->receiver),
                                   RVI_VALUE(shape)};
    rv_status status = RUN("analyse_receivers");
    void *const grids[] = {a->receiver, a->flow.area, a->orders, a->outlet, land->surface};
    for (size_t k = 0; status == RV_OK && k < sizeof grids / sizeof grids[0]; k++)
        status = rvi_device_fetch(d, grids[k]);
    a->ground = (rvi_ground){.ctx = land->ctx,
                             .width = land->width,
                             .height = land->height,
                             .cell = (double)land->cell,
                             .z = land->surface};
    a->drainage = (rvi_drainage){.width = land->width,
                                 .height = land->height,
                                 .receiver = a->receiver,
                                 .area = a->flow.area};
    a->network.order = a->orders;
    return status;
}

static rv_status tell_ways(const rvi_analysis *a, rvi_device *d, double cell) {
    const rvi_flow_shape shape = rvi_flow_shape_of(&a->flow);
    const rvi_device_arg args[] = {GRID(READ, a->flow.direction),
                                   GRID(READ, a->orders),
                                   GRID(READ, a->filled),
                                   GRID(READ, a->flow.area),
                                   GRID(READ, a->distance),
                                   GRID(WRITE, a->out[RVI_AREA]),
                                   GRID(WRITE, a->out[RVI_RECEIVER]),
                                   GRID(WRITE, a->out[RVI_ORDER]),
                                   GRID(WRITE, a->out[RVI_DISTANCE]),
                                   RVI_VALUE(shape),
                                   RVI_VALUE(cell)};
    return RUN("analyse_ways");
}

rv_status rvi_analyse_device_fields(const rvi_analysis *a, rvi_device *d, const rv_terrain *land) {
    const rvi_flow_shape shape = rvi_flow_shape_of(&a->flow);
    const double cell = (double)land->cell;
    const rvi_device_arg args[] = {
        GRID(READ, land->surface),          GRID(READ, a->kind), GRID(WRITE, a->out[RVI_SLOPE]),
        GRID(WRITE, a->out[RVI_CURVATURE]), RVI_VALUE(shape),    RVI_VALUE(cell)};
    rv_status status = tell_ways(a, d, cell);
    return status == RV_OK ? RUN("analyse_shapes") : status;
}
