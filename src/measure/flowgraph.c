/* flowgraph.c: the flow direction of every cell of land that changes.
 *
 * Water goes to the neighbour with the steepest fall, corners being sqrt 2 as far; of
 * equals the first of E W S N SE NW SW NE. J. Fairfield and P. Leymarie, Drainage networks from
 * grid digital elevation models, 1991: on an even slope that falls between two of the eight
 * directions this always takes the same one. So the fall to corners is divided by 2 - u instead of
 * sqrt 2, u random in [0, 1): the direction is right on average. `wander` mixes both.
 *
 * Where all water ends at a fixed cell that is all. Else, G. Cordonnier, B. Bovy and J. Braun, A
 * versatile, linear complexity algorithm for flow routing in topographies with depressions, 2019:
 * cells that drain to one pit are a basin, and where two basins meet lowest is a pass. A flood goes
 * from basin to basin, by the lowest pass first, and each basin spills by the pass that it came by:
 * the path from there down to the pit is turned around. A cell c of basin b has the level
 *
 *     level(c) = max(h(c), level(b)),   level(b) = max(pass, level of the basin it spills to)
 *
 * Where pits are many, as on flat land, cells are flooded instead of basins, from those that drain
 * (R. Barnes, C. Lehman and D. Mulla, Priority-flood, 2014):
 *
 *     level(n) = max(h(n), level(c))      c: the cell that the flood came from, metres
 *
 * and their direction is the steepest fall of that level, or, where there is none, to c. Only cells
 * with lower neighbours must wait for all lower cells to be flooded; the others are done at once.
 * Both give the same levels.
 *
 * The order follows the directions: from each cell that nothing flows to, down to the first one
 * that still waits for other donors. It is local in memory, unlike an order by height.
 */
#include "measure/flowgraph.h"
#include "base/math.h"
#include "base/random.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

enum { DONE = 255, BEFORE = 16384, WINDOW = 256, TILE = 64 };

static const int east[8] = {1, -1, 0, 0, 1, -1, -1, 1};
static const int south[8] = {0, 0, 1, -1, 1, -1, 1, -1};

static size_t neighbour(const rvi_flow *f, size_t cell, int direction) {
    return (size_t)((ptrdiff_t)cell + f->step[direction]);
}

/* ---- memory ---- */

/* Bytes around the grid of directions: what looks over its edge finds none that leads back. */
static size_t guard(size_t width) {
    return width + 64;
}

void rvi_flow_prepare(rvi_flow *f, rv_context *ctx, int width, int height, rvi_buffers *buffers) {
    size_t cells = (size_t)width * (size_t)height, around = guard((size_t)width);
    size_t blocks = (size_t)height / RVI_ROWS + 1;
    *f = (rvi_flow){.ctx = ctx, .width = width, .height = height, .cells = cells};
    f->flood = rvi_priority_flood_make(ctx, width, height, east, south);
    memcpy(f->step, f->flood.step, sizeof f->step);
    rvi_buffers_add(buffers, &f->direction_room, cells + 2 * around, 1, "the flow directions");
    rvi_buffers_add(buffers, &f->donors, cells, 1, "the flow directions");
    rvi_buffers_add(buffers, &f->lake, cells, 1, "the lakes");
    rvi_buffers_add(buffers, &f->order, cells, sizeof *f->order, "the order of rivers");
    rvi_buffers_add(buffers, &f->level, cells, sizeof *f->level, "the level of lakes");
    rvi_buffers_add(buffers, &f->heap, cells, sizeof *f->heap, "the front of a flood");
    rvi_buffers_add(buffers, &f->pits, blocks, sizeof *f->pits, "the pits");
}

void rvi_flow_begin(rvi_flow *f) {
    size_t around = guard((size_t)f->width);
    memset(f->direction_room, RVI_END, f->cells + 2 * around);
    f->direction = f->direction_room + around;
}

/* ---- the steepest direction ---- */

static void weigh_corners(rvi_flow *f) {
    const double even = 0.70710678118654752;
    for (int i = 0; i < 256; i++) {
        double u = ((double)i + 0.5) / 256.0;
        f->corner[i] = even + (double)f->wander * (1.0 / (2.0 - u) - even);
    }
}

/* Random bits for eight cells of a row from one whose column is divisible by 8 on: a byte each. The
 * same place gets the same on maps of other widths. */
static uint64_t chance(const rvi_flow *f, size_t x, size_t y) {
    return f->wander > 0.0f ? rvi_random(f->seed, (uint64_t)y << 32 | x / 8, f->when) : 0;
}

static double corner_weight(const rvi_flow *f, uint64_t bits, size_t x) {
    return f->corner[bits >> 8 * (x % 8) & 255];
}

/* Of a cell at the edge of the map. */
static unsigned char direction_at_edge(const rvi_flow *f, size_t cell, double corner) {
    int x = (int)(cell % (size_t)f->width), y = (int)(cell / (size_t)f->width);
    double best = 0.0;
    unsigned char direction = RVI_END;
    for (int k = 0; k < 8; k++) {
        int nx = x + east[k], ny = y + south[k];
        if (nx < 0 || ny < 0 || nx >= f->width || ny >= f->height)
            continue;
        double fall = (f->h[cell] - f->h[neighbour(f, cell, k)]) * (k < 4 ? 1.0 : corner);
        direction = fall > best ? (unsigned char)k : direction;
        best = fall > best ? fall : best;
    }
    return direction;
}

static unsigned char direction_inside(const rvi_flow *f, size_t cell, double corner) {
    const double *h = f->h + cell;
    double best = 0.0;
    int direction = RVI_END;
    for (int k = 0; k < 8; k++) {
        double fall = (h[0] - h[f->step[k]]) * (k < 4 ? 1.0 : corner);
        direction = fall > best ? k : direction;
        best = fall > best ? fall : best;
    }
    return (unsigned char)direction;
}

static void direction_rows(void *arg, int first, int end) {
    rvi_flow *f = arg;
    size_t pits = 0, cell = (size_t)first * (size_t)f->width;
    uint64_t bits = 0;
    for (int y = first; y < end; y++)
        for (int x = 0; x < f->width; x++, cell++) {
            if (x % 8 == 0)
                bits = chance(f, (size_t)x, (size_t)y);
            if (f->fixed[cell]) {
                f->direction[cell] = RVI_END;
                continue;
            }
            bool edge = x == 0 || y == 0 || x == f->width - 1 || y == f->height - 1;
            double corner = corner_weight(f, bits, (size_t)x);
            unsigned char direction =
                edge ? direction_at_edge(f, cell, corner) : direction_inside(f, cell, corner);
            f->direction[cell] = direction;
            pits += direction == RVI_END;
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
            count = (unsigned char)(count + (f->direction[(ptrdiff_t)i + f->step[k]] == (k ^ 1)));
        donors[i] = count;
    }
}

/* From a cell that nothing flows to as far as nothing else is missing. */
static size_t follow_one(rvi_flow *f, size_t cell, size_t count) {
    unsigned char *donors = f->donors;
    for (;;) {
        donors[cell] = DONE;
        f->order[count++] = (uint32_t)cell;
        if (f->direction[cell] == RVI_END)
            return count;
        cell = neighbour(f, cell, f->direction[cell]);
        if (--donors[cell] != 0)
            return count;
    }
}

/* By square tiles: what follows each other in the order then lies near in memory, on wide maps too.
 */
static rv_status follow(rvi_flow *f) {
    rv_status status = rvi_parallel_rows(f->ctx, f->height, donor_rows, f);
    size_t count = 0, width = (size_t)f->width, height = (size_t)f->height;
    for (size_t ty = 0; ty < height; ty += TILE)
        for (size_t tx = 0; status == RV_OK && tx < width; tx += TILE) {
            status = rvi_poll(f->ctx);
            size_t bottom = ty + TILE < height ? ty + TILE : height;
            size_t right = tx + TILE < width ? tx + TILE : width;
            for (size_t y = ty; y < bottom; y++)
                for (size_t x = tx; x < right; x++)
                    if (f->donors[y * width + x] == 0)
                        count = follow_one(f, y * width + x, count);
        }
    return status;
}

/* ---- lakes ---- */

/* Of `lake`, beside RVI_FLOODED. SHORE: drained, and the flood starts there. DRY: it has yet to
 * come. */
enum { DRAINED = 0, DRY = 2, SHORE = 3 };

/* Numbers the pits from 1 on and gives each cell the number of the one it drains to, 0 for none. */
static rv_status label_basins(rvi_flow *f, uint32_t *label) {
    rv_status status = RV_OK;
    uint32_t count = 0;
    for (size_t k = f->cells; status == RV_OK && k-- > 0;) {
        size_t c = f->order[k];
        if (k % BEFORE == 0)
            status = rvi_poll(f->ctx);
        if (f->direction[c] == RVI_END)
            label[c] = f->fixed[c] ? 0 : ++count;
        else
            label[c] = label[neighbour(f, c, f->direction[c])];
    }
    return status;
}

static RVI_HOT double level_of(const void *arg, size_t cell) {
    const rvi_flow *f = arg;
    return f->lake[cell] == RVI_FLOODED ? f->level[cell] : f->h[cell];
}

/* Cells that drain and lie beside one that does not. */
static rv_status start_flood(rvi_flow *f) {
    f->flood.heap = f->heap;
    f->flood.waiting = 0;
    f->flood.risen = -INFINITY;
    f->first = f->end = 0;
    const uint32_t *label = (const uint32_t *)(const void *)f->heap;
    for (size_t c = 0; c < f->cells; c++) {
        if (rvi_poll_at(f->ctx, c) != RV_OK)
            return RV_CANCELLED;
        f->lake[c] = label[c] == 0 ? DRAINED : DRY;
    }
    for (size_t c = 0; c < f->cells; c++) {
        if (rvi_poll_at(f->ctx, c) != RV_OK)
            return RV_CANCELLED;
        if (f->lake[c] != DRY)
            continue;
        unsigned inside = rvi_flood_inside(&f->flood, c);
        for (int k = 0; k < 8; k++) {
            size_t n = neighbour(f, c, k);
            if (!(inside >> k & 1) || f->lake[n] != DRAINED)
                continue;
            f->lake[n] = SHORE;
            f->order[f->end++] = (uint32_t)n;
        }
    }
    return RV_OK;
}

/* The next cell to look around from. By chance it is not always the first: a flood that grows
 * evenly would drain lakes along straight lines. */
static RVI_HOT bool next_flooded(void *arg, size_t *cell) {
    rvi_flow *f = arg;
    if (f->first == f->end)
        return false;
    size_t first = f->first++, other = first;
    if (f->wander > 0.0f) {
        size_t most = f->end - first < WINDOW ? f->end - first : WINDOW;
        other += (size_t)((rvi_random(f->seed, first, f->when) >> 32) * most >> 32);
    }
    *cell = f->order[other];
    f->order[other] = f->order[first];
    return true;
}

static RVI_HOT bool is_dry(const void *arg, size_t cell) {
    return ((const rvi_flow *)arg)->lake[cell] == DRY;
}

static RVI_HOT double height_of(const void *arg, size_t cell) {
    return ((const rvi_flow *)arg)->h[cell];
}

static RVI_HOT void reach(void *arg, size_t cell, size_t from, int direction, double level) {
    rvi_flow *f = arg;
    (void)from;
    f->level[cell] = level;
    f->lake[cell] = RVI_FLOODED;
    f->direction[cell] = (unsigned char)(direction ^ 1);
    f->order[f->end++] = (uint32_t)cell;
}

static rv_status flood_cells(rvi_flow *f) {
    static const rvi_flood_functions call = {next_flooded, level_of, is_dry, height_of, reach};
    rv_status status = start_flood(f);
    return status == RV_OK ? rvi_flood_rise(&f->flood, &call, f) : status;
}

/* The steepest fall of the level, where there is one. */
static void drain_rows(void *arg, int first, int end) {
    rvi_flow *f = arg;
    size_t c = (size_t)first * (size_t)f->width, to = (size_t)end * (size_t)f->width;
    uint64_t bits = 0;
    for (; c < to; c++) {
        size_t x = c % (size_t)f->width;
        if (x % 8 == 0)
            bits = chance(f, x, c / (size_t)f->width);
        if (f->lake[c] != RVI_FLOODED)
            continue;
        double best = 0.0, level = f->level[c], corner = corner_weight(f, bits, x);
        unsigned inside = rvi_flood_inside(&f->flood, c);
        for (int k = 0; k < 8; k++) {
            if (!(inside >> k & 1))
                continue;
            double fall = (level - level_of(f, neighbour(f, c, k))) * (k < 4 ? 1.0 : corner);
            if (fall > best) {
                best = fall;
                f->direction[c] = (unsigned char)k;
            }
        }
    }
}

/* ---- few pits: the graph of their basins ---- */

/* Where two basins meet lowest: between a cell and its neighbour `direction` - 1. */
typedef struct pass {
    uint32_t a, b, cell, direction; /* direction 0: an empty place of the table */
} pass;

typedef struct basins {
    rvi_flow *f;
    const uint32_t *label;
    uint32_t count;           /* with 0, what drains by itself */
    pass *table;              /* in the memory of levels; a cell for two of its places at least */
    size_t mask;              /* places - 1, a power of two */
    double *level;            /* at which each basin spills */
    uint32_t *by;             /* the pass it spills by */
    uint32_t *first, *passes; /* those of each basin, one after the other */
    uint64_t *queue;          /* passes by the level at which water comes over them */
    size_t waiting;           /* in it */
    size_t used;              /* places of the table */
} basins;

/* Basins have less than 3 passes on average where no flow crosses; where there are more than the
 * graph has room for, cells are flooded. */
enum { PASSES = 4, ROOM = 64 };

static double pass_height(const basins *g, const pass *p) {
    double a = g->f->h[p->cell], b = g->f->h[neighbour(g->f, p->cell, (int)p->direction - 1)];
    return a > b ? a : b;
}

static void meet(basins *g, size_t cell, int direction) {
    if (g->used > (size_t)PASSES * g->count)
        return;
    size_t n = neighbour(g->f, cell, direction);
    uint32_t a = g->label[cell], b = g->label[n], low = a < b ? a : b, high = a < b ? b : a;
    pass here = {low, high, (uint32_t)cell, (uint32_t)direction + 1};
    size_t at = (size_t)rvi_mix((uint64_t)high << 32 | low) & g->mask;
    while (g->table[at].direction != 0 && (g->table[at].a != low || g->table[at].b != high))
        at = (at + 1) & g->mask;
    bool fresh = g->table[at].direction == 0;
    g->used += fresh;
    if (fresh || pass_height(g, &here) < pass_height(g, &g->table[at]))
        g->table[at] = here;
}

static rv_status find_passes(basins *g) {
    rvi_flow *f = g->f;
    const uint32_t *label = g->label;
    size_t width = (size_t)f->width;
    memset(g->table, 0, (g->mask + 1) * sizeof *g->table);
    for (size_t y = 0; y < (size_t)f->height; y++) {
        if (rvi_poll(f->ctx) != RV_OK)
            return RV_CANCELLED;
        bool below = y + 1 < (size_t)f->height;
        for (size_t x = 0, c = y * width; x < width; x++, c++) {
            if (x + 1 < width && label[c] != label[c + 1])
                meet(g, c, 0);
            if (below && label[c] != label[c + width])
                meet(g, c, 2);
            if (below && x + 1 < width && label[c] != label[c + width + 1])
                meet(g, c, 4);
            if (below && x > 0 && label[c] != label[c + width - 1])
                meet(g, c, 6);
        }
    }
    return RV_OK;
}

static void sort_passes(basins *g) {
    memset(g->first, 0, (g->count + 1) * sizeof *g->first);
    for (size_t i = 0; i <= g->mask; i++)
        if (g->table[i].direction != 0) {
            g->first[g->table[i].a]++;
            g->first[g->table[i].b]++;
        }
    uint32_t sum = 0;
    for (uint32_t b = 0; b <= g->count; b++) {
        sum += g->first[b];
        g->first[b] = sum; /* the end, until its passes are put before it */
    }
    for (size_t i = 0; i <= g->mask; i++)
        if (g->table[i].direction != 0) {
            g->passes[--g->first[g->table[i].a]] = (uint32_t)i;
            g->passes[--g->first[g->table[i].b]] = (uint32_t)i;
        }
}

/* All passes of a basin whose level is known wait for their turn. */
static void open_basin(basins *g, uint32_t basin) {
    for (uint32_t k = g->first[basin]; k < g->first[basin + 1]; k++) {
        const pass *p = &g->table[g->passes[k]];
        double height = pass_height(g, p), level = g->level[basin];
        if (g->by[p->a] == UINT32_MAX || g->by[p->b] == UINT32_MAX)
            rvi_heap_push(g->queue, &g->waiting,
                          rvi_level_key((float)(height > level ? height : level), g->passes[k]));
    }
}

/* A flood of basins instead of cells: from those that drain, by the lowest pass of all. */
static rv_status flood_basins(basins *g) {
    for (uint32_t b = 0; b < g->count; b++)
        g->by[b] = UINT32_MAX;
    g->by[0] = 0;
    g->level[0] = -INFINITY;
    open_basin(g, 0);
    for (size_t done = 0; g->waiting > 0; done++) {
        if (done % BEFORE == 0 && rvi_poll(g->f->ctx) != RV_OK)
            return RV_CANCELLED;
        size_t at = (size_t)(uint32_t)rvi_heap_pop(g->queue, &g->waiting);
        const pass *p = &g->table[at];
        bool known_a = g->by[p->a] != UINT32_MAX, known_b = g->by[p->b] != UINT32_MAX;
        if (known_a && known_b)
            continue;
        uint32_t from = known_a ? p->a : p->b, to = known_a ? p->b : p->a;
        double height = pass_height(g, p);
        g->level[to] = height > g->level[from] ? height : g->level[from];
        g->by[to] = (uint32_t)at;
        open_basin(g, to);
    }
    return RV_OK;
}

/* Turns the path from the pass of a basin down to its pit around. */
static void turn_path(const basins *g, uint32_t basin) {
    rvi_flow *f = g->f;
    const pass *p = &g->table[g->by[basin]];
    int direction = (int)p->direction - 1;
    bool inside = g->label[p->cell] == basin;
    size_t cell = inside ? p->cell : neighbour(f, p->cell, direction);
    direction = inside ? direction : direction ^ 1;
    for (;;) {
        unsigned char old = f->direction[cell];
        f->direction[cell] = (unsigned char)direction;
        if (old == RVI_END)
            return;
        cell = neighbour(f, cell, old);
        direction = old ^ 1;
    }
}

/* Lays the graph into memory that nothing else uses now. */
static basins lay_graph(rvi_flow *f, size_t pits) {
    size_t places = 64;
    while (places < 4 * PASSES * (pits + 1))
        places *= 2;
    size_t count = pits + 1;
    unsigned char *room = (unsigned char *)f->heap + (f->cells * 4 + 63) / 64 * 64;
    basins g = {.f = f, .count = (uint32_t)count, .mask = places - 1};
    g.label = (const uint32_t *)(const void *)f->heap;
    g.table = (pass *)(void *)f->level;
    g.queue = (uint64_t *)(void *)room;
    g.level = (double *)(void *)(g.queue + 2 * PASSES * count);
    g.by = (uint32_t *)(void *)(g.level + count);
    g.first = g.by + count;
    g.passes = g.first + count + 1;
    return g;
}

typedef struct levels {
    rvi_flow *f;
    const basins *g;
} levels;

static void level_rows(void *arg, int first, int end) {
    const levels *l = arg;
    rvi_flow *f = l->f;
    size_t to = (size_t)end * (size_t)f->width;
    for (size_t c = (size_t)first * (size_t)f->width; c < to; c++) {
        uint32_t basin = l->g->label[c];
        double level = l->g->level[basin];
        f->lake[c] = basin == 0 ? DRAINED : RVI_FLOODED;
        f->level[c] = f->h[c] > level ? f->h[c] : level;
    }
}

/* *done is false when there is no room for the graph, and nothing has changed. */
static rv_status drain_basins(rvi_flow *f, size_t pits, bool *done) {
    *done = (pits + 64) * ROOM < f->cells;
    if (!*done)
        return RV_OK;
    basins g = lay_graph(f, pits);
    rv_status status = find_passes(&g);
    *done = g.used <= (size_t)PASSES * g.count;
    if (status != RV_OK || !*done)
        return status;
    sort_passes(&g);
    status = flood_basins(&g);
    for (uint32_t b = 1; status == RV_OK && b < g.count; b++)
        turn_path(&g, b);
    levels l = {f, &g};
    return status == RV_OK ? rvi_parallel_rows(f->ctx, f->height, level_rows, &l) : status;
}

rv_status rvi_flow_route(rvi_flow *f) {
    weigh_corners(f);
    rv_status status = rvi_parallel_rows(f->ctx, f->height, direction_rows, f);
    size_t pits = 0;
    for (int b = 0; b * RVI_ROWS < f->height; b++)
        pits += f->pits[b];
    f->lakes = pits > 0;
    if (status == RV_OK)
        status = follow(f);
    if (status != RV_OK || !f->lakes)
        return status;
    status = label_basins(f, (uint32_t *)(void *)f->heap);
    bool done = false;
    if (status == RV_OK)
        status = drain_basins(f, pits, &done);
    if (status == RV_OK && !done)
        status = flood_cells(f);
    if (status == RV_OK && !done)
        status = rvi_parallel_rows(f->ctx, f->height, drain_rows, f);
    return status == RV_OK ? follow(f) : status;
}
