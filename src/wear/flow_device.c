/* flow_device.c: where the water of every cell goes, found on a device; flow_cells.cl has the
 * kernels, measure/flowgraph.c the definitions.
 *
 * - Directions: a cell an item. Pits get numbers as they come: nothing hangs on them.
 * - Tiles: a group finds in its own memory by which cell of the rim of the tile the water of each
 *   cell leaves it, and how far away that is, by jumps that get twice as long in each round. Then
 *   the same between the rims of tiles, which are a sixteenth of the cells: basins, and what comes
 *   from other tiles (pointer jumping; A. Jain and others, FastFlow, 2024, on all cells). Sums are
 *   whole numbers, so that it does not matter who adds first.
 * - The tree of basins in rounds (O. Boruvka, 1926), as in flow_basins.c; the least pass is found
 *   in four stages of 32 bits, because not all devices compare 64 at once. Which end of a pass is
 *   nearer to basin 0 is seen on a tour around the tree (R. E. Tarjan and U. Vishkin, An efficient
 *   parallel biconnectivity algorithm, 1985): the way that comes first leads away from it.
 * - The order, for work that needs the receiver first, or the donors: a step is what of a tile
 *   leads through equally many tiles to its end, and a round the steps of equally many; in a step
 *   the cells stand level by level, by how far away they leave the tile. There are some hundred
 *   rounds, where levels of single cells would be ten thousand.
 */
#include "wear/flow_device.h"
#include "base/context.h"
#include "device/device_group.h"

#include <assert.h>
#include <string.h>

/* FEW: rounds whose beginnings are kept in a short list. BATCH: rounds of jumps that are queued
 * before it is asked whether they got everywhere. */
enum { FEW = 4096, BATCH = 8, WALK_ARGS = 7, MOST_ARGS = 40 };

static size_t tiles(const rvi_flow *f) {
    return (size_t)f->across * (size_t)f->down;
}

/* The area, and 64 bits of the discharge. */
static size_t lanes(const rvi_flow *f) {
    return f->discharges ? 3 : 1;
}

void rvi_flow_device_list(rvi_flow_device *r, rvi_flow *f, rvi_buffers *buffers) {
    r->f = f;
    rvi_buffers_add(buffers, &r->levels, f->cells, sizeof *r->levels, "the order of rivers");
    size_t pieces = rvi_flow_pieces(f->width, f->height);
    for (int k = 0; k < 2; k++)
        rvi_buffers_add(buffers, &r->ways[k], pieces, sizeof *r->ways[k], "the rims of tiles");
    for (int k = 0; k < 3; k++)
        rvi_buffers_add(buffers, &r->sums[k], lanes(f) * pieces, sizeof *r->sums[k],
                        "the rims of tiles");
    rvi_buffers_add(buffers, &r->few, FEW, sizeof *r->few, "the order of rivers");
    rvi_buffers_add(buffers, &r->counters, RVI_FLOW_COUNTERS, sizeof *r->counters, "the basins");
    rvi_buffers_add(buffers, &r->jumped, RVI_FLOW_JUMPS, sizeof *r->jumped, "the basins");
    for (int k = 0; k < 2; k++)
        rvi_buffers_add(buffers, &r->tour[k], 2 * rvi_flow_basins(f), sizeof *r->tour[k],
                        "the basins");
}

/* ---- arguments ---- */

rvi_flow_shape rvi_flow_shape_of(const rvi_flow *f) {
    return (rvi_flow_shape){.mixed = rvi_mix(f->seed),
                            .seed = f->seed,
                            .when = f->when,
                            .width = f->width,
                            .height = f->height,
                            .across = f->across,
                            .down = f->down,
                            .wander = f->wander,
                            .rain = f->rain != NULL};
}

/* What only the device uses: its old content is there, or does not matter. */
#define OWN(grid, count)                                                                           \
    (rvi_device_arg) {                                                                             \
        RVI_DEVICE_WRITE, grid, (count) * sizeof *(grid)                                           \
    }
#define READ(grid, count)                                                                          \
    (rvi_device_arg) {                                                                             \
        RVI_DEVICE_READ, grid, (count) * sizeof *(grid)                                            \
    }
#define RUN(name, width, height)                                                                   \
    rvi_device_run(r->d, "flow_cells", name, width, height, args,                                  \
                   (int)(sizeof args / sizeof args[0]))

#define CELLS(grid) OWN(grid, f->cells)
#define BASINS(grid) OWN(grid, rvi_flow_basins(f))
#define PIECES(grid) OWN(grid, rvi_flow_pieces(f->width, f->height))
#define COUNTERS OWN(r->counters, RVI_FLOW_COUNTERS)

static rv_status clear_counters(rvi_flow_device *r) {
    return rvi_device_zero(r->d, r->counters, RVI_FLOW_COUNTERS * sizeof *r->counters);
}

static rv_status fetch_counters(rvi_flow_device *r) {
    rv_status status = rvi_device_fetch(r->d, r->counters);
    return status == RV_OK ? rvi_poll(r->f->ctx) : status;
}

/* Rounds of jumps that get everywhere. */
static int jumps(size_t count) {
    int rounds = 1;
    for (size_t far = 1; far < count; far *= RVI_FLOW_FAR)
        rounds++;
    assert(rounds <= RVI_FLOW_JUMPS);
    return rounds;
}

/* ---- directions and basins ---- */

static rv_status direct(rvi_flow_device *r, const rvi_flow_shape *shape) {
    const rvi_flow *f = r->f;
    const rvi_device_arg args[] = {READ(f->h, f->cells),
                                   READ(f->fixed, f->cells),
                                   CELLS(f->direction),
                                   CELLS(f->basin),
                                   COUNTERS,
                                   RVI_VALUE(*shape)};
    rv_status status = clear_counters(r);
    return status == RV_OK ? RUN("flow_direct", (size_t)f->width, (size_t)f->height) : status;
}

static rv_status find_tile_roots(rvi_flow_device *r, const rvi_flow_shape *shape) {
    const rvi_flow *f = r->f;
    const rvi_device_arg args[] = {
        CELLS(f->direction), CELLS(f->area), RVI_LOCAL(RVI_TILE * RVI_TILE * sizeof(uint32_t)),
        RVI_LOCAL((2 * RVI_TILE_BITS + 1) * sizeof(uint32_t)), RVI_VALUE(*shape)};
    return RUN("flow_tile_roots", tiles(f) * RVI_FLOW_GROUP, 1);
}

static rv_status jump_rims(rvi_flow_device *r) {
    const rvi_flow *f = r->f;
    const uint32_t count = (uint32_t)rvi_flow_pieces(f->width, f->height);
    rv_status status = rvi_device_zero(r->d, r->jumped, RVI_FLOW_JUMPS * sizeof *r->jumped);
    for (int round = 0; status == RV_OK && round < jumps(count); round++) {
        const rvi_device_arg args[] = {PIECES(f->root), OWN(r->jumped, RVI_FLOW_JUMPS),
                                       RVI_VALUE(count), RVI_VALUE(round)};
        status = RUN("flow_rim_jump", count, 1);
    }
    return status;
}

/* What a group finds in its tile stands in the memory of areas, which come later. */
static rv_status label_basins(rvi_flow_device *r, const rvi_flow_shape *shape) {
    const rvi_flow *f = r->f;
    rv_status status = find_tile_roots(r, shape);
    if (status != RV_OK)
        return status;
    const rvi_device_arg rims[] = {CELLS(f->direction), CELLS(f->area), CELLS(f->basin),
                                   PIECES(f->root), RVI_VALUE(*shape)};
    status =
        rvi_device_run(r->d, "flow_cells", "flow_rim_basins", tiles(f) * RVI_PIECES, 1, rims, 5);
    if (status == RV_OK)
        status = jump_rims(r);
    if (status != RV_OK)
        return status;
    const rvi_device_arg args[] = {CELLS(f->area), PIECES(f->root), CELLS(f->direction),
                                   CELLS(f->basin), RVI_VALUE(*shape)};
    return RUN("flow_label", (size_t)f->width, (size_t)f->height);
}

/* ---- the tree of basins ---- */

/* Cells beside other basins, in the memory of areas: `count` of them from `from` on. */
typedef struct border_list {
    uint32_t from, count;
} border_list;

static rv_status list_borders(rvi_flow_device *r, const rvi_flow_shape *shape, border_list *list) {
    const rvi_flow *f = r->f;
    const rvi_device_arg args[] = {CELLS(f->basin), CELLS(f->area), COUNTERS,
                                   RVI_LOCAL(2 * sizeof(uint32_t)), RVI_VALUE(*shape)};
    rv_status status = RUN("flow_list", (size_t)f->width, (size_t)f->height);
    if (status == RV_OK)
        status = fetch_counters(r);
    *list = (border_list){0, r->counters[RVI_FLOW_LISTED]};
    return status;
}

/* To the other half of the memory, if both fit. */
static rv_status shorten_borders(rvi_flow_device *r, const rvi_flow_shape *shape,
                                 border_list *list) {
    const rvi_flow *f = r->f;
    uint32_t half = (uint32_t)(f->cells / 2), to = list->from == 0 ? half : 0;
    uint32_t before = r->counters[RVI_FLOW_LISTED], base = to - before; /* may wrap around */
    if (list->count > half)
        return fetch_counters(r);
    const rvi_device_arg args[] = {CELLS(f->area),
                                   CELLS(f->basin),
                                   BASINS(f->basins.joined),
                                   COUNTERS,
                                   RVI_LOCAL(2 * sizeof(uint32_t)),
                                   RVI_VALUE(*shape),
                                   RVI_VALUE(list->from),
                                   RVI_VALUE(list->count),
                                   RVI_VALUE(base)};
    rv_status status = RUN("flow_shorten", list->count, 1);
    if (status == RV_OK)
        status = fetch_counters(r);
    *list = (border_list){to, r->counters[RVI_FLOW_LISTED] - before};
    return status;
}

static rv_status offer(rvi_flow_device *r, const rvi_flow_shape *shape, const border_list *list,
                       int stage) {
    const rvi_flow *f = r->f;
    const rvi_basins *b = &f->basins;
    const rvi_device_arg args[] = {
        CELLS(f->area),         CELLS(f->basin),  BASINS(b->joined), READ(f->h, f->cells),
        BASINS(b->height),      BASINS(b->pass),  RVI_VALUE(*shape), RVI_VALUE(list->from),
        RVI_VALUE(list->count), RVI_VALUE(stage),
    };
    return RUN("flow_offer", list->count, 1);
}

static rv_status on_names(rvi_flow_device *r, const char *kernel, uint32_t *names, uint32_t count) {
    const rvi_flow *f = r->f;
    const rvi_device_arg args[] = {BASINS(names), RVI_VALUE(count)};
    return RUN(kernel, count, 1);
}

static rv_status clear_offers(rvi_flow_device *r, uint32_t count) {
    const rvi_flow *f = r->f;
    const rvi_device_arg args[] = {BASINS(f->basins.height), BASINS(f->basins.pass),
                                   RVI_VALUE(count)};
    return RUN("flow_no_offers", 2 * (size_t)count, 1);
}

static rv_status rename_basins(rvi_flow_device *r, uint32_t count) {
    const rvi_flow *f = r->f;
    const rvi_device_arg args[] = {BASINS(f->basins.queue), BASINS(f->basins.joined),
                                   RVI_VALUE(count)};
    return RUN("flow_rename", count, 1);
}

static rv_status join(rvi_flow_device *r, const rvi_flow_shape *shape, uint32_t count) {
    const rvi_flow *f = r->f;
    const rvi_basins *b = &f->basins;
    const rvi_device_arg args[] = {CELLS(f->basin),   BASINS(b->joined), BASINS(b->pass),
                                   BASINS(b->queue),  BASINS(b->tree),   COUNTERS,
                                   RVI_VALUE(*shape), RVI_VALUE(count)};
    rv_status status = RUN("flow_join", count, 1);
    for (int k = jumps(count); status == RV_OK && k > 0; k--)
        status = on_names(r, "flow_jump", b->queue, count);
    return status == RV_OK ? rename_basins(r, count) : status;
}

static rv_status make_tree(rvi_flow_device *r, const rvi_flow_shape *shape, uint32_t count) {
    border_list list;
    rv_status status = list_borders(r, shape, &list);
    if (status == RV_OK)
        status = on_names(r, "flow_names", r->f->basins.joined, count);
    while (status == RV_OK && r->counters[RVI_FLOW_PASSES] + 1 < count) {
        status = clear_offers(r, count);
        for (int stage = 0; status == RV_OK && stage < 4; stage++)
            status = offer(r, shape, &list, stage);
        if (status == RV_OK)
            status = join(r, shape, count);
        if (status == RV_OK)
            status = shorten_borders(r, shape, &list);
    }
    return status;
}

/* ---- the way out ---- */

static rv_status tour(rvi_flow_device *r, const rvi_flow_shape *shape, uint32_t ways) {
    const rvi_flow *f = r->f;
    const rvi_basins *b = &f->basins;
    const rvi_device_arg args[] = {CELLS(f->basin),
                                   BASINS(b->tree),
                                   OWN(b->first, rvi_flow_basins(f) + 1),
                                   OWN(b->around, 2 * rvi_flow_basins(f)),
                                   OWN(r->tour[0], 2 * rvi_flow_basins(f)),
                                   RVI_VALUE(*shape),
                                   RVI_VALUE(ways)};
    rv_status status = RUN("flow_tour", ways, 1);
    for (int k = jumps(ways); status == RV_OK && k > 0; k--) {
        const rvi_device_arg tours[] = {OWN(r->tour[0], 2 * rvi_flow_basins(f)),
                                        OWN(r->tour[1], 2 * rvi_flow_basins(f)), RVI_VALUE(ways)};
        uint64_t *swap = r->tour[0];
        status = rvi_device_run(r->d, "flow_cells", "flow_count_tour", ways, 1, tours, 3);
        r->tour[0] = r->tour[1];
        r->tour[1] = swap;
    }
    return status;
}

static rv_status link_passes(rvi_flow_device *r, const rvi_flow_shape *shape, uint32_t ways) {
    const rvi_flow *f = r->f;
    const rvi_basins *b = &f->basins;
    const uint32_t count = ways / 2 + 1;
    const rvi_device_arg first[] = {OWN(b->first, rvi_flow_basins(f) + 1), RVI_VALUE(count)};
    rv_status status = rvi_device_run(r->d, "flow_cells", "flow_no_ways", count, 1, first, 2);
    if (status != RV_OK)
        return status;
    const rvi_device_arg args[] = {CELLS(f->basin),
                                   BASINS(b->tree),
                                   OWN(b->first, rvi_flow_basins(f) + 1),
                                   OWN(b->around, 2 * rvi_flow_basins(f)),
                                   RVI_VALUE(*shape),
                                   RVI_VALUE(ways)};
    return RUN("flow_link", ways, 1);
}

static rv_status find_spills(rvi_flow_device *r, const rvi_flow_shape *shape, uint32_t passes) {
    rvi_flow *f = r->f;
    const rvi_basins *b = &f->basins;
    const uint32_t count = passes + 1;
    double *spill[2] = {f->spill, (double *)b->height};
    uint32_t *to[2] = {b->queue, b->joined};
    int rounds = jumps(count) + jumps(count) % 2; /* so that it ends where it began */
    const rvi_device_arg args[] = {
        CELLS(f->basin),      BASINS(b->tree),   OWN(r->tour[0], 2 * rvi_flow_basins(f)),
        READ(f->h, f->cells), BASINS(b->by),     BASINS(to[0]),
        BASINS(spill[0]),     RVI_VALUE(*shape), RVI_VALUE(passes)};
    rv_status status = RUN("flow_spills", passes, 1);
    for (int k = 0; status == RV_OK && k < rounds; k++) {
        int from = k % 2, next = 1 - from;
        const rvi_device_arg raise[] = {BASINS(to[from]), BASINS(spill[from]), BASINS(to[next]),
                                        BASINS(spill[next]), RVI_VALUE(count)};
        status = rvi_device_run(r->d, "flow_cells", "flow_raise", count, 1, raise, 5);
    }
    return status;
}

static rv_status turn_paths(rvi_flow_device *r, const rvi_flow_shape *shape, uint32_t count) {
    const rvi_flow *f = r->f;
    const rvi_device_arg args[] = {CELLS(f->direction),  CELLS(f->basin),   BASINS(f->basins.tree),
                                   BASINS(f->basins.by), RVI_VALUE(*shape), RVI_VALUE(count)};
    return RUN("flow_turn", count, 1);
}

static rv_status drown(rvi_flow_device *r, const rvi_flow_shape *shape) {
    const rvi_flow *f = r->f;
    const rvi_device_arg args[] = {READ(f->h, f->cells), CELLS(f->basin), BASINS(f->spill),
                                   CELLS(f->drowned), RVI_VALUE(*shape)};
    return RUN("flow_drown", (size_t)f->width, (size_t)f->height);
}

static rv_status cross_pits(rvi_flow_device *r, const rvi_flow_shape *shape, uint32_t pits) {
    rv_status status = turn_paths(r, shape, pits + 1);
    return status == RV_OK ? drown(r, shape) : status;
}

rv_status rvi_flow_device_fill(rvi_flow_device *r) {
    const rvi_flow_shape shape = rvi_flow_shape_of(r->f);
    rv_status status = direct(r, &shape);
    if (status == RV_OK)
        status = fetch_counters(r);
    if (status != RV_OK)
        return status;
    uint32_t pits = r->counters[RVI_FLOW_PITS];
    r->f->lakes = pits > 0;
    if (pits == 0)
        return RV_OK;
    status = label_basins(r, &shape);
    if (status == RV_OK)
        status = make_tree(r, &shape, pits + 1);
    if (status == RV_OK)
        status = link_passes(r, &shape, 2 * pits);
    if (status == RV_OK)
        status = tour(r, &shape, 2 * pits);
    return status == RV_OK ? find_spills(r, &shape, pits) : status;
}

/* ---- what comes through, and the order ---- */

#define SUMS(k) OWN(r->sums[k], lanes(f) * rvi_flow_pieces(f->width, f->height))

static void swap_ways(rvi_flow_device *r) {
    uint64_t *first = r->ways[0];
    r->ways[0] = r->ways[1];
    r->ways[1] = first;
}

static rv_status begin_rims(rvi_flow_device *r, const rvi_flow_shape *shape) {
    const rvi_flow *f = r->f;
    rv_status status = find_tile_roots(r, shape);
    if (status != RV_OK)
        return status;
    const rvi_device_arg sums[] = {CELLS(f->area),
                                   CELLS(f->direction),
                                   READ(f->rain, f->cells),
                                   SUMS(0),
                                   RVI_LOCAL(lanes(f) * RVI_PIECES * sizeof(uint32_t)),
                                   RVI_VALUE(*shape)};
    status =
        rvi_device_run(r->d, "flow_cells", "flow_rim_sums", tiles(f) * RVI_FLOW_GROUP, 1, sums, 6);
    if (status != RV_OK)
        return status;
    const rvi_device_arg args[] = {CELLS(f->direction), CELLS(f->area), PIECES(r->ways[0]),
                                   RVI_VALUE(*shape)};
    return RUN("flow_rim_ways", tiles(f) * RVI_PIECES, 1);
}

static rv_status clear_sums(rvi_flow_device *r, int k) {
    return rvi_device_zero(r->d, r->sums[k],
                           lanes(r->f) * rvi_flow_pieces(r->f->width, r->f->height) *
                               sizeof *r->sums[k]);
}

/* Ends with the sums in sums[0] and the ways in ways[0]. */
static rv_status gather_rims(rvi_flow_device *r, const rvi_flow_shape *shape) {
    const rvi_flow *f = r->f;
    uint32_t round = 0;
    rv_status status = clear_sums(r, 1);
    do {
        for (int k = 0; status == RV_OK && k < BATCH; k++, round++) {
            const rvi_device_arg args[] = {
                PIECES(r->ways[0]), PIECES(r->ways[1]), SUMS(0),         SUMS(1), SUMS(2),
                COUNTERS,           RVI_VALUE(*shape),  RVI_VALUE(round)};
            uint32_t *first = r->sums[0];
            status = RUN("flow_rim_gather", tiles(f) * RVI_PIECES, 1);
            swap_ways(r);
            r->sums[0] = r->sums[1];
            r->sums[1] = r->sums[2];
            r->sums[2] = first;
        }
        if (status == RV_OK)
            status = fetch_counters(r);
    } while (status == RV_OK && r->counters[RVI_FLOW_GOES] == round);
    return status;
}

static rv_status order_cells(rvi_flow_device *r, const rvi_flow_shape *shape) {
    const rvi_flow *f = r->f;
    const rvi_device_arg comes[] = {
        CELLS(f->direction), PIECES(r->ways[0]), SUMS(0), SUMS(1), COUNTERS, RVI_VALUE(*shape)};
    rv_status status = clear_sums(r, 1);
    if (status == RV_OK)
        status = rvi_device_run(r->d, "flow_cells", "flow_rim_comes", tiles(f) * RVI_PIECES, 1,
                                comes, 6);
    if (status != RV_OK)
        return status;
    const rvi_device_arg args[] = {CELLS(f->direction),
                                   CELLS(f->area),
                                   PIECES(r->ways[0]),
                                   SUMS(1),
                                   READ(f->rain, f->cells),
                                   CELLS(f->discharge),
                                   CELLS(f->order),
                                   CELLS(r->levels),
                                   PIECES(f->start),
                                   PIECES(f->depth),
                                   PIECES(f->waits),
                                   RVI_LOCAL(RVI_TILE * RVI_TILE * sizeof(uint32_t)),
                                   RVI_LOCAL(RVI_TILE * RVI_TILE * sizeof(uint16_t)),
                                   RVI_LOCAL(RVI_TILE * RVI_TILE * sizeof(uint16_t)),
                                   RVI_LOCAL(RVI_TILE * RVI_TILE),
                                   RVI_LOCAL((3 * RVI_PIECES + 3) * sizeof(uint32_t)),
                                   RVI_VALUE(*shape)};
    status = RUN("flow_order", tiles(f) * RVI_FLOW_GROUP, 1);
    if (status == RV_OK)
        status = fetch_counters(r);
    r->rounds = r->counters[RVI_FLOW_ROUNDS] > 0 ? r->counters[RVI_FLOW_ROUNDS] : 1;
    return status;
}

static rv_status count_steps(rvi_flow_device *r, uint32_t *counts, size_t room) {
    const rvi_flow *f = r->f;
    const uint32_t count = (uint32_t)tiles(f);
    const rvi_device_arg args[] = {PIECES(f->waits), PIECES(f->depth), OWN(counts, room),
                                   RVI_VALUE(count)};
    rv_status status = rvi_device_zero(r->d, counts, room * sizeof *counts);
    if (status == RV_OK)
        status = RUN("flow_count_steps", count, 1);
    return status == RV_OK ? rvi_device_fetch(r->d, counts) : status;
}

/* Steps by rounds; the host knows where each round begins. */
static rv_status list_steps(rvi_flow_device *r) {
    rvi_flow *f = r->f;
    size_t pieces = rvi_flow_pieces(f->width, f->height);
    bool few = r->rounds <= FEW;
    uint32_t *counts = few ? r->few : f->rank, sum = 0;
    size_t room = few ? FEW : pieces;
    const uint32_t count = (uint32_t)tiles(f);
    rv_status status = count_steps(r, counts, room);
    if (status != RV_OK)
        return status;
    for (size_t k = 0; k <= r->rounds; k++) {
        f->block[k] = sum;
        sum += k < r->rounds ? counts[k] : 0;
    }
    memcpy(counts, f->block, r->rounds * sizeof *counts);
    status =
        rvi_device_send_part(r->d, counts, room * sizeof *counts, 0, r->rounds * sizeof *counts);
    if (status != RV_OK)
        return status;
    const rvi_device_arg args[] = {PIECES(f->waits), PIECES(f->depth), READ(counts, room),
                                   PIECES(f->donors_first), RVI_VALUE(count)};
    return RUN("flow_list_steps", count, 1);
}

rv_status rvi_flow_device_walk(rvi_flow_device *r, bool up, const char *file, const char *name,
                               const rvi_device_arg *more, int count) {
    const rvi_flow *f = r->f;
    const rvi_flow_shape shape = rvi_flow_shape_of(f);
    const int upwards = up;
    uint32_t first = 0;
    rvi_device_arg args[MOST_ARGS] = {PIECES(f->donors_first), CELLS(f->order),  CELLS(r->levels),
                                      PIECES(f->start),        RVI_VALUE(shape), RVI_VALUE(first),
                                      RVI_VALUE(upwards)};
    assert(WALK_ARGS + count <= MOST_ARGS);
    memcpy(args + WALK_ARGS, more, (size_t)count * sizeof *more);
    rv_status status = RV_OK;
    for (size_t k = 0; status == RV_OK && k < r->rounds; k++) {
        size_t round = up ? k : r->rounds - 1 - k;
        first = f->block[round];
        size_t steps = f->block[round + 1] - first;
        status =
            rvi_device_run(r->d, file, name, steps * RVI_FLOW_WALKERS, 1, args, WALK_ARGS + count);
    }
    return status;
}

rv_status rvi_flow_device_order(rvi_flow_device *r) {
    const rvi_flow_shape shape = rvi_flow_shape_of(r->f);
    rv_status status = begin_rims(r, &shape);
    if (status == RV_OK)
        status = gather_rims(r, &shape);
    if (status == RV_OK)
        status = order_cells(r, &shape);
    return status == RV_OK ? list_steps(r) : status;
}

rv_status rvi_flow_device_route(rvi_flow_device *r) {
    const rvi_flow_shape shape = rvi_flow_shape_of(r->f);
    rv_status status = rvi_flow_device_fill(r);
    if (status == RV_OK && r->f->lakes)
        status = cross_pits(r, &shape, r->counters[RVI_FLOW_PITS]);
    return status == RV_OK ? rvi_flow_device_order(r) : status;
}
