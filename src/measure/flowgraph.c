/* flowgraph.c: one way down for every cell of land that changes.
 *
 * The way of a cell goes to the neighbour with the steepest fall, corners being sqrt 2 as far; of
 * equals the first of E W S N SE NW SW NE. J. Fairfield and P. Leymarie, Drainage networks from
 * grid digital elevation models, 1991: on an even slope that falls between two of the eight
 * directions this always takes the same one. So the fall to corners is divided by 2 - u instead of
 * sqrt 2, u random in [0, 1): the way is right on average. `wander` mixes both.
 *
 * Where all ways end at a fixed cell that is all. Else the cells whose way ends in a pit are
 * flooded from those around them (R. Barnes, C. Lehman and D. Mulla, Priority-flood, 2014):
 *
 *     level(n) = max(h(n), level(c))      c: the cell that the flood came from, metres
 *
 * and their way is the steepest fall of that level, or, where there is none, to c. Only cells with
 * lower neighbours must wait for all lower cells to be flooded; the others are done at once, so the
 * cost is near to linear, and nothing when there are no pits.
 *
 * The order follows the ways: from each cell that nothing flows to, down to the first one that
 * still waits for other donors. It is local in memory, unlike an order by height.
 */
#include "measure/flowgraph.h"
#include "base/context.h"
#include "base/math.h"
#include "base/random.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

enum { DONE = 255, BEFORE = 16384 };

static const int east[8] = {1, -1, 0, 0, 1, -1, -1, 1};
static const int south[8] = {0, 0, 1, -1, 1, -1, 1, -1};

static size_t neighbour(const rvi_flow *f, size_t cell, int way) {
    return (size_t)((ptrdiff_t)cell + f->step[way]);
}

/* ---- memory ---- */

/* Bytes around the grid of ways: what looks over its edge finds no way that leads back. */
static size_t guard(size_t width) {
    return width + 64;
}

size_t rvi_flow_memory(size_t width, size_t height) {
    size_t cells = width * height;
    return cells * (1 + 1 + 1 + 4 + 8 + 8) + 2 * guard(width) + 8 * (height / RVI_ROWS + 1) + 1024;
}

rv_status rvi_flow_make(rv_context *ctx, int width, int height, rvi_flow *out) {
    size_t cells = (size_t)width * (size_t)height, around = guard((size_t)width);
    size_t blocks = (size_t)height / RVI_ROWS + 1;
    *out = (rvi_flow){.ctx = ctx, .width = width, .height = height, .cells = cells};
    for (int k = 0; k < 8; k++)
        out->step[k] = (ptrdiff_t)south[k] * width + east[k];
    out->ways = rvi_alloc(ctx, cells + 2 * around, 1, "the ways of water");
    out->donors = rvi_alloc(ctx, cells, 1, "the ways of water");
    out->lake = rvi_alloc(ctx, cells, 1, "the lakes");
    out->order = rvi_alloc(ctx, cells, sizeof *out->order, "the order of rivers");
    out->level = rvi_alloc(ctx, cells, sizeof *out->level, "the level of lakes");
    out->heap = rvi_alloc(ctx, cells, sizeof *out->heap, "the front of a flood");
    out->pits = rvi_alloc(ctx, blocks, sizeof *out->pits, "the pits");
    if (!out->ways || !out->donors || !out->lake || !out->order || !out->level || !out->heap ||
        !out->pits) {
        rvi_flow_free(out);
        return RV_ERROR_MEMORY;
    }
    memset(out->ways, RVI_END, cells + 2 * around);
    out->way = out->ways + around;
    return RV_OK;
}

void rvi_flow_free(rvi_flow *f) {
    void *all[] = {f->ways, f->donors, f->lake, f->order, f->level, f->heap, f->pits};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rvi_free(f->ctx, all[i]);
    *f = (rvi_flow){.ctx = f->ctx};
}

/* ---- the steepest way ---- */

static void weigh_corners(rvi_flow *f) {
    const double even = 0.70710678118654752;
    for (int i = 0; i < 256; i++) {
        double u = ((double)i + 0.5) / 256.0;
        f->corner[i] = even + (double)f->wander * (1.0 / (2.0 - u) - even);
    }
}

/* Random bits for eight cells from one whose index is divisible by 8 on: a byte each. */
static uint64_t chance(const rvi_flow *f, size_t cell) {
    return f->wander > 0.0f ? rvi_random(f->seed, cell / 8, f->when) : 0;
}

static double corner_weight(const rvi_flow *f, uint64_t bits, size_t cell) {
    return f->corner[bits >> 8 * (cell % 8) & 255];
}

/* Of a cell at the edge of the map. */
static unsigned char way_at_edge(const rvi_flow *f, size_t cell, double corner) {
    int x = (int)(cell % (size_t)f->width), y = (int)(cell / (size_t)f->width);
    double best = 0.0;
    unsigned char way = RVI_END;
    for (int k = 0; k < 8; k++) {
        int nx = x + east[k], ny = y + south[k];
        if (nx < 0 || ny < 0 || nx >= f->width || ny >= f->height)
            continue;
        double fall = (f->h[cell] - f->h[neighbour(f, cell, k)]) * (k < 4 ? 1.0 : corner);
        way = fall > best ? (unsigned char)k : way;
        best = fall > best ? fall : best;
    }
    return way;
}

static unsigned char way_inside(const rvi_flow *f, size_t cell, double corner) {
    const double *h = f->h + cell;
    double best = 0.0;
    int way = RVI_END;
    for (int k = 0; k < 8; k++) {
        double fall = (h[0] - h[f->step[k]]) * (k < 4 ? 1.0 : corner);
        way = fall > best ? k : way;
        best = fall > best ? fall : best;
    }
    return (unsigned char)way;
}

static void way_rows(void *arg, int first, int end) {
    rvi_flow *f = arg;
    size_t pits = 0, cell = (size_t)first * (size_t)f->width;
    uint64_t bits = chance(f, cell);
    for (int y = first; y < end; y++)
        for (int x = 0; x < f->width; x++, cell++) {
            if (cell % 8 == 0)
                bits = chance(f, cell);
            if (f->fixed[cell]) {
                f->way[cell] = RVI_END;
                continue;
            }
            bool edge = x == 0 || y == 0 || x == f->width - 1 || y == f->height - 1;
            double corner = corner_weight(f, bits, cell);
            unsigned char way = edge ? way_at_edge(f, cell, corner) : way_inside(f, cell, corner);
            f->way[cell] = way;
            pits += way == RVI_END;
        }
    f->pits[first / RVI_ROWS] = pits;
}

/* ---- the order ---- */

/* How many cells send their water to each. Ways never lead over
 * the edge, so a neighbour that is none, being at the other end of a row, never counts. */
static void donor_rows(void *arg, int first, int end) {
    rvi_flow *f = arg;
    size_t from = (size_t)first * (size_t)f->width, to = (size_t)end * (size_t)f->width;
    unsigned char *restrict donors = f->donors;
    for (size_t i = from; i < to; i++) {
        unsigned char count = 0;
        for (int k = 0; k < 8; k++)
            count = (unsigned char)(count + (f->way[(ptrdiff_t)i + f->step[k]] == (k ^ 1)));
        donors[i] = count;
    }
}

static rv_status follow(rvi_flow *f) {
    rv_status status = rvi_parallel_rows(f->ctx, f->height, donor_rows, f);
    unsigned char *donors = f->donors;
    size_t count = 0;
    for (size_t i = 0; status == RV_OK && i < f->cells; i++) {
        if (i % BEFORE == 0)
            status = rvi_poll(f->ctx);
        if (donors[i] != 0)
            continue;
        for (size_t c = i;;) {
            donors[c] = DONE;
            f->order[count++] = (uint32_t)c;
            if (f->way[c] == RVI_END)
                break;
            c = neighbour(f, c, f->way[c]);
            if (--donors[c] != 0)
                break;
        }
    }
    return status;
}

/* ---- lakes ---- */

/* Of `lake`, beside RVI_FLOODED. SHORE: drained, and the flood starts there. DRY: it has yet to
 * come. */
enum { DRAINED = 0, DRY = 2, SHORE = 3 };

static rv_status mark_drained(rvi_flow *f) {
    rv_status status = RV_OK;
    for (size_t k = f->cells; status == RV_OK && k-- > 0;) {
        size_t c = f->order[k];
        if (k % BEFORE == 0)
            status = rvi_poll(f->ctx);
        if (f->way[c] == RVI_END)
            f->lake[c] = f->fixed[c] ? DRAINED : DRY;
        else
            f->lake[c] = f->lake[neighbour(f, c, f->way[c])];
    }
    return status;
}

/* Orders as the level does, then by index. */
static uint64_t key_of(double level, size_t cell) {
    uint32_t bits;
    float plain = (float)level + 0.0f; /* no -0 */
    memcpy(&bits, &plain, sizeof bits);
    bits = bits >> 31 ? ~bits : bits | 0x80000000;
    return (uint64_t)bits << 32 | cell;
}

static void wait(rvi_flow *f, size_t cell, double level) {
    uint64_t key = key_of(level, cell), *heap = f->heap;
    size_t i = f->waiting++;
    while (i > 0 && heap[(i - 1) / 4] > key) {
        heap[i] = heap[(i - 1) / 4];
        i = (i - 1) / 4;
    }
    heap[i] = key;
}

static size_t lowest_waiting(rvi_flow *f) {
    uint64_t *heap = f->heap, first = heap[0], key = heap[--f->waiting];
    size_t i = 0;
    for (size_t child = 1; child < f->waiting; child = 4 * i + 1) {
        size_t end = child + 4 < f->waiting ? child + 4 : f->waiting, least = child;
        for (size_t k = child + 1; k < end; k++)
            least = heap[k] < heap[least] ? k : least;
        if (heap[least] >= key)
            break;
        heap[i] = heap[least];
        i = least;
    }
    heap[i] = key;
    return (size_t)(uint32_t)first;
}

static double level_of(const rvi_flow *f, size_t cell) {
    return f->lake[cell] == RVI_FLOODED ? f->level[cell] : f->h[cell];
}

/* The ways from a cell that do not lead over the edge of the map, as bits. */
static unsigned ways_inside(const rvi_flow *f, size_t cell) {
    uint32_t w = (uint32_t)f->width, y = (uint32_t)cell / w, x = (uint32_t)cell - y * w;
    unsigned ways = 255;
    ways &= x == 0 ? ~(1u << 1 | 1u << 5 | 1u << 6) : ways;
    ways &= x + 1 == w ? ~(1u << 0 | 1u << 4 | 1u << 7) : ways;
    ways &= y == 0 ? ~(1u << 3 | 1u << 5 | 1u << 7) : ways;
    ways &= y + 1 == (uint32_t)f->height ? ~(1u << 2 | 1u << 4 | 1u << 6) : ways;
    return ways;
}

/* Floods all neighbours that can be; waits when there are others. */
static void look_around(rvi_flow *f, size_t cell) {
    double level = level_of(f, cell);
    bool fills = level <= f->risen, lower = false;
    unsigned ways = ways_inside(f, cell);
    for (int k = 0; k < 8; k++) {
        size_t n = neighbour(f, cell, k);
        if (!(ways >> k & 1) || f->lake[n] != DRY)
            continue;
        double h = f->h[n];
        if (h < level && !fills) {
            lower = true;
            continue;
        }
        f->level[n] = h > level ? h : level;
        f->lake[n] = RVI_FLOODED;
        f->way[n] = (unsigned char)(k ^ 1);
        f->order[f->end++] = (uint32_t)n;
    }
    if (lower)
        wait(f, cell, level);
}

/* Cells that drain and lie beside one that does not. */
static void start_flood(rvi_flow *f) {
    f->waiting = f->first = f->end = 0;
    f->risen = -INFINITY;
    for (size_t c = 0; c < f->cells; c++) {
        if (f->lake[c] != DRY)
            continue;
        unsigned ways = ways_inside(f, c);
        for (int k = 0; k < 8; k++) {
            size_t n = neighbour(f, c, k);
            if (!(ways >> k & 1) || f->lake[n] != DRAINED)
                continue;
            f->lake[n] = SHORE;
            wait(f, n, f->h[n]);
        }
    }
}

static rv_status flood(rvi_flow *f) {
    start_flood(f);
    for (size_t done = 0; f->first < f->end || f->waiting > 0; done++) {
        if (done % BEFORE == 0 && rvi_poll(f->ctx) != RV_OK)
            return RV_CANCELLED;
        size_t cell;
        if (f->first < f->end) {
            cell = f->order[f->first++];
        } else {
            cell = lowest_waiting(f);
            f->risen = level_of(f, cell);
        }
        look_around(f, cell);
    }
    return RV_OK;
}

/* The steepest fall of the level, where there is one. */
static void drain_rows(void *arg, int first, int end) {
    rvi_flow *f = arg;
    size_t c = (size_t)first * (size_t)f->width, to = (size_t)end * (size_t)f->width;
    uint64_t bits = chance(f, c);
    for (; c < to; c++) {
        if (c % 8 == 0)
            bits = chance(f, c);
        if (f->lake[c] != RVI_FLOODED)
            continue;
        double best = 0.0, level = f->level[c], corner = corner_weight(f, bits, c);
        unsigned ways = ways_inside(f, c);
        for (int k = 0; k < 8; k++) {
            if (!(ways >> k & 1))
                continue;
            double fall = (level - level_of(f, neighbour(f, c, k))) * (k < 4 ? 1.0 : corner);
            if (fall > best) {
                best = fall;
                f->way[c] = (unsigned char)k;
            }
        }
    }
}

rv_status rvi_flow_route(rvi_flow *f) {
    weigh_corners(f);
    rv_status status = rvi_parallel_rows(f->ctx, f->height, way_rows, f);
    size_t pits = 0;
    for (int b = 0; b * RVI_ROWS < f->height; b++)
        pits += f->pits[b];
    f->lakes = pits > 0;
    if (status == RV_OK)
        status = follow(f);
    if (status != RV_OK || !f->lakes)
        return status;
    status = mark_drained(f);
    if (status == RV_OK)
        status = flood(f);
    if (status == RV_OK)
        status = rvi_parallel_rows(f->ctx, f->height, drain_rows, f);
    return status == RV_OK ? follow(f) : status;
}
