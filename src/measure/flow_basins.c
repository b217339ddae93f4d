/* flow_basins.c: where basins spill, and water that is led on from there.
 *
 * G. Cordonnier, B. Bovy and J. Braun, A versatile, linear complexity algorithm for flow routing in
 * topographies with depressions, 2019; A. Jain, B. Kerbl, J. Gain, B. Finley and G. Cordonnier,
 * FastFlow, 2024. Cells that drain to one pit are a basin; those that drain to fixed cells are
 * basin 0. Between two cells beside each other that are of two basins there is a pass, as high as
 * the higher of them. Passes have an order: by height, then by a random number that no other pass
 * has. So the tree of basins whose passes are the lowest (minimum spanning tree) is the only one,
 * and each basin spills by the pass that leads to basin 0 in it. The path from there down to the
 * pit is turned around. Of a cell c of basin b:
 *
 *     level(c) = max(h(c), spill(b)),   spill(b) = max(pass, spill of the basin it leads to)
 *
 * which is the least, over all ways to a fixed cell, of the greatest height on the way.
 *
 * The tree is found in rounds (O. Boruvka, 1926): basins that are joined take the lowest pass out
 * of them, all of them at once, and are joined with what lies beyond.
 */
#include "measure/flow_basins.h"
#include "base/context.h"
#include "base/lanes.h"
#include "base/random.h"
#include "base/threads.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { LISTED = 4096 }; /* cells for one thread to take at once */

/* Directions in which passes are looked for: so each is found once. */
static const unsigned char ahead[4] = {0, 2, 4, 6};

size_t rvi_flow_basins(const rvi_flow *f) {
    return ((size_t)f->width + 1) / 2 * (((size_t)f->height + 1) / 2) + 1;
}

void rvi_basins_prepare(rvi_flow *f, rvi_buffers *buffers) {
    rvi_basins *b = &f->basins;
    size_t most = rvi_flow_basins(f);
    size_t blocks = (size_t)f->height / RVI_ROWS + 1;
    const char *what = "the basins";
    rvi_buffers_add(buffers, &f->basin, f->cells, sizeof *f->basin, what);
    rvi_buffers_add(buffers, &f->spill, most, sizeof *f->spill, what);
    rvi_buffers_add(buffers, &b->joined, most, sizeof *b->joined, what);
    rvi_buffers_add(buffers, &b->height, most, sizeof *b->height, what);
    rvi_buffers_add(buffers, &b->pass, most, sizeof *b->pass, what);
    rvi_buffers_add(buffers, &b->tree, most, sizeof *b->tree, what);
    rvi_buffers_add(buffers, &b->by, most, sizeof *b->by, what);
    rvi_buffers_add(buffers, &b->first, most + 1, sizeof *b->first, what);
    rvi_buffers_add(buffers, &b->around, 2 * most, sizeof *b->around, what);
    rvi_buffers_add(buffers, &b->queue, most, sizeof *b->queue, what);
    rvi_buffers_add(buffers, &b->listed, blocks, sizeof *b->listed, what);
    rvi_buffers_add(buffers, &b->kept, f->cells, 1, what);
}

/* ---- cells beside other basins ---- */

static uint64_t pass_number(const rvi_flow *f, size_t cell, unsigned k) {
    size_t y = cell / (size_t)f->width, x = cell - y * (size_t)f->width;
    return rvi_flow_pass(x, y, cell, k, rvi_mix(f->seed));
}

static size_t pass_beyond(const rvi_flow *f, uint64_t pass) {
    return (size_t)((ptrdiff_t)rvi_flow_pass_cell(pass) + f->step[ahead[pass & 3]]);
}

/* Directions ahead that do not lead over the edge, a bit each. */
static unsigned inside(const rvi_flow *f, size_t x, size_t y) {
    unsigned right = x + 1 < (size_t)f->width, below = y + 1 < (size_t)f->height, left = x > 0;
    return right | below << 1 | (right & below) << 2 | (left & below) << 3;
}

/* Of a row: the bits in which the basin of a cell differs from those ahead of it. */
static void compare_row(const rvi_flow *f, size_t y, size_t from, size_t to, uint32_t *out) {
    const uint32_t *row = f->basin + y * (size_t)f->width;
    const uint32_t *below = y + 1 < (size_t)f->height ? row + f->width : row;
    size_t last = (size_t)f->width - 1;
    for (size_t x = from; x < to; x++)
        if (x == 0 || x == last)
            out[x - from] = (row[x] ^ row[x < last ? x + 1 : x]) | (row[x] ^ below[x]) |
                            (row[x] ^ below[x < last ? x + 1 : x]) |
                            (row[x] ^ below[x > 0 ? x - 1 : x]);
    size_t first = from > 0 ? from : 1, end = to < last ? to : last;
    for (size_t x = first; x < end; x++)
        out[x - from] = (row[x] ^ row[x + 1]) | (row[x] ^ below[x]) | (row[x] ^ below[x + 1]) |
                        (row[x] ^ below[x - 1]);
}

/* The list is in the memory of areas, which come later. */
static void list_rows(void *arg, int first, int end) {
    rvi_flow *f = arg;
    size_t width = (size_t)f->width, count = 0;
    uint32_t *list = f->area + (size_t)first * width;
    uint32_t differs[RVI_TILE];
    for (size_t y = (size_t)first; y < (size_t)end; y++)
        for (size_t x = 0; x < width; x += RVI_TILE) {
            size_t to = x + RVI_TILE < width ? x + RVI_TILE : width;
            uint32_t any = 0;
            compare_row(f, y, x, to, differs);
            for (size_t i = 0; i < to - x; i++)
                any |= differs[i];
            for (size_t i = 0; any && i < to - x; i++)
                if (differs[i])
                    list[count++] = (uint32_t)(y * width + x + i);
        }
    f->basins.listed[first / RVI_ROWS] = count;
}

static rv_status close_list(rvi_flow *f) {
    size_t count = 0, width = (size_t)f->width;
    for (size_t b = 0; b * RVI_ROWS < (size_t)f->height; b++) {
        if (rvi_poll(f->ctx) != RV_OK)
            return RV_CANCELLED;
        memmove(f->area + count, f->area + b * RVI_ROWS * width,
                f->basins.listed[b] * sizeof *f->area);
        count += f->basins.listed[b];
    }
    f->basins.list = count;
    return RV_OK;
}

/* ---- the tree ---- */

/* The lesser stays, whoever comes first. */
static void lower_to(uint64_t *value, uint64_t to) {
    _Atomic uint64_t *shared = (_Atomic uint64_t *)value;
    uint64_t now = atomic_load_explicit(shared, memory_order_relaxed);
    while (to < now && !atomic_compare_exchange_weak_explicit(
                           shared, &now, to, memory_order_relaxed, memory_order_relaxed))
        ;
}

/* Passes beside a cell: calls `fn` for both basins of each, and says whether there are any. */
static RVI_HOT bool each_pass(rvi_flow *f, size_t cell,
                              void (*fn)(rvi_flow *, uint32_t, uint64_t, size_t, unsigned)) {
    const uint32_t *basin = f->basin + cell, *joined = f->basins.joined;
    uint32_t width = (uint32_t)f->width, y = (uint32_t)cell / width, here = joined[basin[0]];
    unsigned in = inside(f, (uint32_t)cell - y * width, y);
    bool any = false;
    for (unsigned k = 0; k < 4; k++) {
        ptrdiff_t step = f->step[ahead[k]];
        uint32_t there = in >> k & 1 ? joined[basin[step]] : here;
        if (here == there)
            continue;
        double a = f->h[cell], z = f->h[(size_t)((ptrdiff_t)cell + step)];
        uint64_t height = rvi_flow_height_key(a > z ? a : z);
        fn(f, here, height, cell, k);
        fn(f, there, height, cell, k);
        any = true;
    }
    return any;
}

static RVI_HOT void offer_height(rvi_flow *f, uint32_t basin, uint64_t height, size_t cell,
                                 unsigned k) {
    (void)cell, (void)k;
    lower_to(&f->basins.height[basin], height);
}

static RVI_HOT void offer_pass(rvi_flow *f, uint32_t basin, uint64_t height, size_t cell,
                               unsigned k) {
    if (f->basins.height[basin] == height)
        lower_to(&f->basins.pass[basin], pass_number(f, cell, k));
}

static void offer_heights(void *arg, int64_t block) {
    rvi_flow *f = arg;
    size_t from = (size_t)block * LISTED, to = from + LISTED;
    for (size_t i = from; i < to && i < f->basins.list; i++)
        f->basins.kept[i] = each_pass(f, f->area[i], offer_height);
}

static void offer_passes(void *arg, int64_t block) {
    rvi_flow *f = arg;
    size_t from = (size_t)block * LISTED, to = from + LISTED;
    for (size_t i = from; i < to && i < f->basins.list; i++)
        if (f->basins.kept[i])
            each_pass(f, f->area[i], offer_pass);
}

/* Cells between basins that are joined now are left out. */
static rv_status shorten_list(rvi_flow *f) {
    size_t kept = 0;
    for (size_t i = 0; i < f->basins.list; i++) {
        if (rvi_poll_at(f->ctx, i) != RV_OK)
            return RV_CANCELLED;
        f->area[kept] = f->area[i];
        kept += f->basins.kept[i];
    }
    f->basins.list = kept;
    return RV_OK;
}

/* The basins, joined as they are, on the other side of the pass of a basin. */
static uint32_t beyond(const rvi_flow *f, uint32_t basin) {
    const rvi_basins *b = &f->basins;
    uint32_t one = b->joined[f->basin[rvi_flow_pass_cell(b->pass[basin])]];
    return one != basin ? one : b->joined[f->basin[pass_beyond(f, b->pass[basin])]];
}

/* Each takes its pass; of two that take the same one the lower number stays. The new name stands in
 * `queue` until all have chosen. */
static rv_status join(rvi_flow *f) {
    rvi_basins *b = &f->basins;
    for (uint32_t i = 0; i < b->count; i++) {
        if (rvi_poll_at(f->ctx, i) != RV_OK)
            return RV_CANCELLED;
        b->queue[i] = b->joined[i];
        if (b->joined[i] != i || i == 0)
            continue;
        uint32_t to = beyond(f, i);
        bool both = to != 0 && b->pass[to] == b->pass[i];
        if (both && i < to)
            continue;
        b->queue[i] = to;
        b->tree[b->passes++] = b->pass[i];
    }
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t to = i;
        if (rvi_poll_at(f->ctx, i) != RV_OK)
            return RV_CANCELLED;
        while (b->queue[to] != to)
            to = b->queue[to];
        for (uint32_t at = i, next; at != to; at = next) {
            next = b->queue[at];
            b->queue[at] = to;
        }
    }
    return rvi_copy(f->ctx, b->joined, b->queue, b->count * sizeof *b->joined);
}

static rv_status make_tree(rvi_flow *f) {
    rvi_basins *b = &f->basins;
    rv_status status = rvi_parallel_rows(f->ctx, f->height, list_rows, f);
    if (status == RV_OK)
        status = close_list(f);
    b->passes = 0;
    for (uint32_t i = 0; status == RV_OK && i < b->count; i++) {
        status = rvi_poll_at(f->ctx, i);
        b->joined[i] = i;
    }
    while (status == RV_OK && b->passes + 1 < b->count) {
        memset(b->height, 255, b->count * sizeof *b->height);
        memset(b->pass, 255, b->count * sizeof *b->pass);
        int64_t blocks = (int64_t)((b->list + LISTED - 1) / LISTED);
        status = rvi_parallel(f->ctx, blocks, offer_heights, f);
        if (status == RV_OK)
            status = rvi_parallel(f->ctx, blocks, offer_passes, f);
        if (status == RV_OK)
            status = join(f);
        if (status == RV_OK)
            status = shorten_list(f);
    }
    return status;
}

/* ---- the way out ---- */

/* Lists the passes of each basin. */
static rv_status list_passes(const rvi_flow *f) {
    const rvi_basins *b = &f->basins;
    uint32_t sum = 0;
    memset(b->first, 0, (b->count + 1) * sizeof *b->first);
    for (size_t i = 0; i < b->passes; i++) {
        if (rvi_poll_at(f->ctx, i) != RV_OK)
            return RV_CANCELLED;
        b->first[f->basin[rvi_flow_pass_cell(b->tree[i])]]++;
        b->first[f->basin[pass_beyond(f, b->tree[i])]]++;
    }
    for (size_t i = 0; i <= b->count; i++) {
        sum += b->first[i];
        b->first[i] = sum; /* the end, until its passes are put before it */
    }
    for (size_t i = 0; i < b->passes; i++) {
        if (rvi_poll_at(f->ctx, i) != RV_OK)
            return RV_CANCELLED;
        b->around[--b->first[f->basin[rvi_flow_pass_cell(b->tree[i])]]] = (uint32_t)i;
        b->around[--b->first[f->basin[pass_beyond(f, b->tree[i])]]] = (uint32_t)i;
    }
    return RV_OK;
}

/* From basin 0 on, along the tree. */
static rv_status find_spills(rvi_flow *f) {
    rvi_basins *b = &f->basins;
    size_t tail = 0;
    f->spill[0] = -INFINITY;
    b->by[0] = UINT32_MAX;
    b->queue[tail++] = 0;
    for (size_t head = 0; head < tail; head++) {
        if (rvi_poll_at(f->ctx, head) != RV_OK)
            return RV_CANCELLED;
        uint32_t from = b->queue[head];
        for (uint32_t k = b->first[from]; k < b->first[from + 1]; k++) {
            uint64_t pass = b->tree[b->around[k]];
            size_t one = rvi_flow_pass_cell(pass), other = pass_beyond(f, pass);
            uint32_t to = f->basin[one] == from ? f->basin[other] : f->basin[one];
            if (b->around[k] == b->by[from])
                continue;
            double height = f->h[one] > f->h[other] ? f->h[one] : f->h[other];
            f->spill[to] = height > f->spill[from] ? height : f->spill[from];
            b->by[to] = b->around[k];
            b->queue[tail++] = to;
        }
    }
    return RV_OK;
}

static void turn(rvi_flow *f, size_t cell, unsigned direction) {
    size_t y = cell / (size_t)f->width, x = cell - y * (size_t)f->width;
    f->direction[cell] = (unsigned char)direction;
    f->turned[y / RVI_TILE * (size_t)f->across + x / RVI_TILE] = 1;
}

/* Turns the path from the pass of a basin down to its pit around. `turned` counts the cells of
 * all paths. */
static rv_status turn_path(rvi_flow *f, uint32_t basin, size_t *turned) {
    uint64_t pass = f->basins.tree[f->basins.by[basin]];
    unsigned direction = ahead[pass & 3];
    size_t cell = rvi_flow_pass_cell(pass);
    if (f->basin[cell] != basin) {
        cell = pass_beyond(f, pass);
        direction ^= 1;
    }
    for (;;) {
        unsigned old = f->direction[cell];
        turn(f, cell, direction);
        if (rvi_poll_at(f->ctx, ++*turned) != RV_OK)
            return RV_CANCELLED;
        if (old == RVI_END)
            return RV_OK;
        cell = (size_t)((ptrdiff_t)cell + f->step[old]);
        direction = old ^ 1;
    }
}

rv_status rvi_basins_drain(rvi_flow *f) {
    rv_status status = make_tree(f);
    if (status == RV_OK)
        status = list_passes(f);
    if (status == RV_OK)
        status = find_spills(f);
    size_t turned = 0;
    for (uint32_t i = 1; status == RV_OK && i < f->basins.count; i++)
        status = turn_path(f, i, &turned);
    return status;
}
