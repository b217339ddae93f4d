/* flowgraph.c: where the water of every cell goes.
 *
 * One result is possible, whatever the number of threads, because everything is defined without
 * an order:
 *
 * - Direction. Water goes to the neighbour with the steepest fall, corners being sqrt 2 as far; of
 *   equals to the first of E W S N SE NW SW NE. On an even slope that falls between two of the
 *   eight directions this always takes the same one. So with `wander` the slope is that of the
 *   steepest of eight triangles, each of the cell, a side and a corner beside it (D. G. Tarboton, A
 *   new method for the determination of flow directions and upslope areas in grid digital elevation
 *   models, 1997). It falls by a to the side and by b from there to the corner, 0 < b < a: water
 *   goes to the corner if u a < b, u random in [0, 1), else to the side, so that the direction is
 *   right on average. With less `wander` u comes nearer to 1/2. Where nothing around is lower,
 *   water goes to the neighbour at the same height that has the least random number, if that is
 *   less than the cell's own; else the cell is a pit.
 * - Basins, levels and ways out of pits: flow_basins.c.
 * - Areas are whole numbers, and so is rain: sums in any order are the same.
 *
 * Work is cut into square tiles (after R. Barnes, Parallel non-divergent flow accumulation for
 * trillion cell digital elevation models on desktops or clusters, 2017). The cells of a tile whose
 * water leaves it by one cell are a piece; those whose water ends in the tile are piece 0. Cells of
 * a piece stand one after the other, receivers before donors. Pieces are a forest of some hundredth
 * of the cells, which one thread can put in order; what leaves a piece is its count and what comes
 * to it. Work that needs the receiver first goes from piece to piece, by their depth in the forest:
 * those of one depth side by side.
 */
#include "measure/flowgraph.h"
#include "base/context.h"
#include "base/lanes.h"
#include "base/math.h"
#include "base/random.h"
#include "base/threads.h"
#include "measure/flow_basins.h"

#include <assert.h>
#include <string.h>

/* CHUNK: cells for one thread to take at once; less is not worth waking another. STEPS: cells in a
 * row without asking whether to stop. */
enum { CELLS = RVI_TILE * RVI_TILE, CHUNK = 1024, STEPS = 16384 };

static const int east[8] = {1, -1, 0, 0, 1, -1, -1, 1};
static const int south[8] = {0, 0, 1, -1, 1, -1, 1, -1};

typedef struct box {
    size_t x, y, wide, high;
    size_t corner;   /* the first cell */
    uint16_t *order; /* of its cells */
} box;

static box tile_box(const rvi_flow *f, size_t tile) {
    box b = {.x = tile % (size_t)f->across * RVI_TILE, .y = tile / (size_t)f->across * RVI_TILE};
    size_t width = (size_t)f->width, wide = width - b.x, high = (size_t)f->height - b.y;
    b.wide = wide < RVI_TILE ? wide : RVI_TILE;
    b.high = high < RVI_TILE ? high : RVI_TILE;
    b.corner = b.y * width + b.x;
    b.order = f->order + b.y * width + b.x * b.high;
    return b;
}

static size_t tiles(const rvi_flow *f) {
    return (size_t)f->across * (size_t)f->down;
}

/* ---- memory ---- */

static size_t tiles_along(int cells) {
    return ((size_t)cells + RVI_TILE - 1) / RVI_TILE;
}

size_t rvi_flow_pieces(int width, int height) {
    return tiles_along(width) * tiles_along(height) * RVI_PIECES;
}

rv_status rvi_flow_allowed(rv_context *ctx, int width, int height) {
    if ((uint64_t)width * (uint64_t)height <= UINT32_MAX)
        return RV_OK;
    return rvi_fail(ctx, RV_ERROR_USAGE,
                    "A map of %d x %d cells is too large to route water on it: it may have %lu.",
                    width, height, (unsigned long)UINT32_MAX);
}

void rvi_flow_prepare(rvi_flow *f, rv_context *ctx, int width, int height, bool rain,
                      rvi_buffers *buffers) {
    size_t cells = (size_t)width * (size_t)height, pieces = rvi_flow_pieces(width, height);
    const char *what = "the pieces of rivers";
    *f = (rvi_flow){
        .ctx = ctx, .width = width, .height = height, .cells = cells, .discharges = rain};
    f->across = (int)tiles_along(width);
    f->down = (int)tiles_along(height);
    for (int k = 0; k < 8; k++)
        f->step[k] = (ptrdiff_t)south[k] * width + east[k];
    rvi_buffers_add(buffers, &f->direction, cells, 1, "the flow directions");
    rvi_buffers_add(buffers, &f->order, cells, sizeof *f->order, "the order of rivers");
    rvi_buffers_add(buffers, &f->part, cells, 1, what);
    rvi_buffers_add(buffers, &f->drowned, cells, sizeof *f->drowned, "the lakes");
    rvi_buffers_add(buffers, &f->area, cells, sizeof *f->area, "the drained areas");
    if (rain)
        rvi_buffers_add(buffers, &f->discharge, cells, sizeof *f->discharge, "the discharge");
    rvi_buffers_add(buffers, &f->turned, tiles(f), 1, what);
    rvi_buffers_add(buffers, &f->pits, tiles(f), sizeof *f->pits, "the pits");
    rvi_buffers_add(buffers, &f->pieces, tiles(f), sizeof *f->pieces, what);
    rvi_buffers_add(buffers, &f->start, pieces, sizeof *f->start, what);
    rvi_buffers_add(buffers, &f->root, pieces, sizeof *f->root, what);
    rvi_buffers_add(buffers, &f->parent, pieces, sizeof *f->parent, what);
    rvi_buffers_add(buffers, &f->waits, pieces, sizeof *f->waits, what);
    rvi_buffers_add(buffers, &f->depth, pieces, sizeof *f->depth, what);
    rvi_buffers_add(buffers, &f->donors_first, pieces, sizeof *f->donors_first, what);
    rvi_buffers_add(buffers, &f->rank, pieces, sizeof *f->rank, what);
    rvi_buffers_add(buffers, &f->total, pieces, sizeof *f->total, what);
    rvi_buffers_add(buffers, &f->block, pieces + 1, sizeof *f->block, what);
    rvi_buffers_add(buffers, &f->round, pieces + 1, sizeof *f->round, what);
    rvi_buffers_add(buffers, &f->done, pieces, sizeof *f->done, what);
    rvi_basins_prepare(f, buffers);
}

/* ---- directions ---- */

static void make_turns(rvi_flow *f) {
    for (uint32_t i = 0; i < 256; i++)
        f->turn[i] = rvi_flow_turn(f->wander, i);
}

/* The turns of some cells of a row from one whose column is divisible by 8 on. The same place gets
 * the same on maps of other widths. */
static void turn_row(const rvi_flow *f, size_t x, size_t y, size_t count, double *turn) {
    for (size_t i = 0; i < count; i += 8) {
        uint64_t bits = rvi_random(f->seed, (uint64_t)y << 32 | (x + i) / 8, f->when);
        for (size_t k = 0; k < 8; k++)
            turn[i + k] = f->turn[bits >> 8 * k & 255];
    }
}

/* Of a cell at the edge of the map. */
static unsigned char direction_at_edge(const rvi_flow *f, size_t x, size_t y, double turn) {
    int direction = f->wander > 0.0f
                        ? rvi_flow_between(f->h, f->width, f->height, (int)x, (int)y, turn)
                        : rvi_flow_steepest(f->h, f->width, f->height, (int)x, (int)y);
    return (unsigned char)direction;
}

/* Two cells at a time. */
typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_mask __attribute__((vector_size(16)));

static RVI_HOT pair load(const double *from) {
    pair v;
    memcpy(&v, from, sizeof v);
    return v;
}

static RVI_HOT pair pick(pair_mask which, pair yes, pair no) {
    return (pair)((which & (pair_mask)yes) | (~which & (pair_mask)no));
}

/* Of two or more cells with all eight neighbours, when water does not wander. */
static void steepest_inside(const rvi_flow *f, const double *h, size_t count, unsigned char *out) {
    for (size_t i = 0; i < count; i += 2) {
        if (i + 1 == count)
            i--; /* the last two once more */
        pair here = load(h + i), best = {0.0, 0.0};
        pair_mask direction = {RVI_END, RVI_END};
        for (int k = 0; k < 8; k++) {
            pair fall = here - load(h + i + f->step[k]);
            fall = k < 4 ? fall : fall * RVI_FLOW_CORNER;
            pair_mask steeper = fall > best, number = {k, k};
            direction = (steeper & number) | (~steeper & direction);
            best = pick(steeper, fall, best);
        }
        out[i] = (unsigned char)direction[0];
        out[i + 1] = (unsigned char)direction[1];
    }
}

/* When it does: rvi_flow_between of two cells. */
static void between_inside(const rvi_flow *f, const double *h, size_t count, const double *turn,
                           unsigned char *out) {
    const pair none = {0.0, 0.0};
    for (size_t i = 0; i < count; i += 2) {
        if (i + 1 == count)
            i--; /* the last two once more */
        pair here = load(h + i), by = load(turn + i), best = none;
        pair_mask direction = {RVI_END, RVI_END};
        for (int t = 0; t < 8; t++) {
            int side = rvi_flow_side(t), corner = rvi_flow_beside(t);
            pair there = load(h + i + f->step[side]), along = here - there;
            pair across = there - load(h + i + f->step[corner]);
            across = pick(across > none, across, none);
            pair over = across - along;
            over = pick(over > none, over, none);
            pair fall = along * along + across * across - 0.5 * over * over;
            fall = pick(along + across > none, fall, none);
            pair_mask to_corner = by * along<across, steeper = fall> best;
            pair_mask one = {side, side}, other = {corner, corner};
            pair_mask to = (to_corner & other) | (~to_corner & one);
            direction = (steeper & to) | (~steeper & direction);
            best = pick(steeper, fall, best);
        }
        out[i] = (unsigned char)direction[0];
        out[i + 1] = (unsigned char)direction[1];
    }
}

/* Where nothing seems to be lower. */
static unsigned char direction_on_flat(const rvi_flow *f, size_t x, size_t y) {
    int to =
        f->wander > 0.0f ? rvi_flow_steepest(f->h, f->width, f->height, (int)x, (int)y) : RVI_END;
    if (to == RVI_END)
        to = rvi_flow_on_flat(f->h, f->width, f->height, (int)x, (int)y, rvi_mix(f->seed));
    return (unsigned char)to;
}

static void direct_row(const rvi_flow *f, const box *b, size_t y) {
    double turn[RVI_TILE] = {0.0};
    size_t width = (size_t)f->width, row = y * width, to = b->x + b->wide;
    bool wanders = f->wander > 0.0f;
    if (wanders)
        turn_row(f, b->x, y, b->wide, turn);
    size_t west = b->x == 0 ? 1 : b->x, right = to == width ? width - 1 : to;
    bool edge = y == 0 || y + 1 == (size_t)f->height || right < west + 2; /* or no two inside */
    if (!edge && wanders)
        between_inside(f, f->h + row + west, right - west, turn + (west - b->x),
                       f->direction + row + west);
    else if (!edge)
        steepest_inside(f, f->h + row + west, right - west, f->direction + row + west);
    for (size_t x = b->x; x < to; x++)
        if (edge || x == 0 || x + 1 == width)
            f->direction[row + x] = direction_at_edge(f, x, y, turn[x - b->x]);
}

/* Returns how many pits there are. */
static uint32_t direct_tile(const rvi_flow *f, const box *b) {
    uint32_t pits = 0;
    for (size_t y = b->y; y < b->y + b->high; y++) {
        direct_row(f, b, y);
        size_t row = y * (size_t)f->width;
        for (size_t x = b->x; x < b->x + b->wide; x++) {
            if (f->fixed[row + x])
                f->direction[row + x] = RVI_END;
            else if (f->direction[row + x] == RVI_END) {
                f->direction[row + x] = direction_on_flat(f, x, y);
                pits += f->direction[row + x] == RVI_END;
            }
        }
    }
    return pits;
}

/* ---- pieces of a tile ---- */

typedef struct sorting {
    unsigned char donors[CELLS]; /* of each place, a bit for each direction that leads to it */
    unsigned char part[CELLS];
    uint16_t exits[RVI_PIECES];
    size_t exit_count, ends; /* ends: cells where water ends stand at the start of the order */
} sorting;

static void find_donors(const rvi_flow *f, const box *b, sorting *s) {
    static const int to[8] = {
        1, -1, RVI_TILE, -RVI_TILE, RVI_TILE + 1, -RVI_TILE - 1, RVI_TILE - 1, 1 - RVI_TILE};
    memset(s->donors, 0, sizeof s->donors);
    for (size_t y = 0; y < b->high; y++) {
        const unsigned char *direction = f->direction + b->corner + y * (size_t)f->width;
        bool rim = y == 0 || y + 1 == b->high;
        for (size_t x = 0; x < b->wide; x++) {
            size_t place = y * RVI_TILE + x;
            unsigned k = direction[x];
            if (k == RVI_END) {
                b->order[s->ends++] = (uint16_t)place;
                continue;
            }
            if (rim || x == 0 || x + 1 == b->wide) {
                size_t nx = x + (size_t)east[k], ny = y + (size_t)south[k]; /* may wrap around */
                if (nx >= b->wide || ny >= b->high) {
                    s->exits[s->exit_count++] = (uint16_t)place;
                    continue;
                }
            }
            s->donors[(size_t)((ptrdiff_t)place + to[k])] |= (unsigned char)(1u << k);
        }
    }
}

/* Adds to the order from `tail` on what drains to the cells from `head` on. */
static size_t gather_donors(const box *b, sorting *s, size_t head, size_t tail, unsigned part) {
    static const int from[8] = {
        -1, 1, -RVI_TILE, RVI_TILE, -RVI_TILE - 1, RVI_TILE + 1, 1 - RVI_TILE, RVI_TILE - 1};
    uint16_t *order = b->order;
    for (; head < tail; head++) {
        unsigned place = order[head], donors = s->donors[place];
        s->part[place] = (unsigned char)part;
        for (; donors != 0; donors &= donors - 1)
            order[tail++] = (uint16_t)((int)place + from[__builtin_ctz(donors)]);
    }
    return tail;
}

/* Tells who comes from other tiles to which pieces the cells at the edge belong. */
static void mark_rim(const rvi_flow *f, const box *b, const sorting *s) {
    for (size_t y = 0; y < b->high; y++) {
        unsigned char *part = f->part + b->corner + y * (size_t)f->width;
        const unsigned char *from = s->part + y * RVI_TILE;
        bool rim = y == 0 || y + 1 == b->high;
        for (size_t x = 0; x < b->wide; x += rim || x + 1 == b->wide ? 1 : b->wide - 1)
            part[x] = from[x];
    }
}

static void sort_tile(const rvi_flow *f, size_t tile, const box *b) {
    sorting s;
    s.exit_count = s.ends = 0;
    uint16_t *start = f->start + tile * RVI_PIECES;
    uint32_t *root = f->root + tile * RVI_PIECES;
    find_donors(f, b, &s);
    start[0] = 0;
    root[0] = 0;
    size_t tail = gather_donors(b, &s, 0, s.ends, 0);
    for (size_t k = 0; k < s.exit_count; k++) {
        size_t place = s.exits[k];
        start[k + 1] = (uint16_t)tail;
        root[k + 1] =
            (uint32_t)(b->corner + place / RVI_TILE * (size_t)f->width + place % RVI_TILE);
        b->order[tail] = (uint16_t)place;
        tail = gather_donors(b, &s, tail, tail + 1, (unsigned)k + 1);
    }
    start[s.exit_count + 1] = (uint16_t)tail;
    f->pieces[tile] = (uint16_t)(s.exit_count + 1);
    mark_rim(f, b, &s);
}

static void make_tile(void *arg, int64_t tile) {
    rvi_flow *f = arg;
    box b = tile_box(f, (size_t)tile);
    f->pits[tile] = direct_tile(f, &b);
    sort_tile(f, (size_t)tile, &b);
}

static void make_turned(void *arg, int64_t tile) {
    rvi_flow *f = arg;
    box b = tile_box(f, (size_t)tile);
    if (f->turned[tile])
        sort_tile(f, (size_t)tile, &b);
    f->turned[tile] = 0;
}

static rvi_flow_piece get_piece(const rvi_flow *f, size_t number) {
    box b = tile_box(f, number / RVI_PIECES);
    size_t count = (size_t)f->start[number + 1] - f->start[number];
    return (rvi_flow_piece){b.order + f->start[number], count, b.corner, (size_t)f->width, number};
}

/* ---- the forest of pieces ---- */

static void find_parents(void *arg, int64_t tile) {
    rvi_flow *f = arg;
    size_t first = (size_t)tile * RVI_PIECES, width = (size_t)f->width;
    f->parent[first] = (uint32_t)first;
    f->waits[first] = 0;
    for (size_t p = first + 1; p < first + f->pieces[tile]; p++) {
        size_t to = rvi_flow_receiver(f, f->root[p]), y = to / width, x = to - y * width;
        size_t other = y / RVI_TILE * (size_t)f->across + x / RVI_TILE;
        f->parent[p] = (uint32_t)(other * RVI_PIECES + f->part[to]);
        f->waits[p] = 0;
    }
}

/* In loops over the pieces of all tiles. */
static rv_status poll_tile(const rvi_flow *f, size_t tile) {
    return rvi_poll_at(f->ctx, tile * RVI_PIECES);
}

/* From a piece that nothing flows to as far as nothing else is missing. */
static size_t follow(rvi_flow *f, size_t piece, size_t count) {
    for (;;) {
        f->waits[piece] = UINT32_MAX; /* it is in the order */
        f->donors_first[count++] = (uint32_t)piece;
        if (f->parent[piece] == piece)
            return count;
        piece = f->parent[piece];
        if (--f->waits[piece] != 0)
            return count;
    }
}

/* All pieces, donors before receivers. */
static rv_status order_pieces(rvi_flow *f) {
    rv_status status = rvi_parallel(f->ctx, (int64_t)tiles(f), find_parents, f);
    if (status != RV_OK)
        return status;
    for (size_t t = 0; status == RV_OK && t < tiles(f); t++) {
        for (size_t p = t * RVI_PIECES + 1; p < t * RVI_PIECES + f->pieces[t]; p++)
            f->waits[f->parent[p]]++;
        status = poll_tile(f, t);
    }
    f->count = 0;
    for (size_t t = 0; status == RV_OK && t < tiles(f); t++) {
        for (size_t p = t * RVI_PIECES; p < t * RVI_PIECES + f->pieces[t]; p++)
            if (f->waits[p] == 0)
                f->count = follow(f, p, f->count);
        status = poll_tile(f, t);
    }
    return status;
}

/* By depth, receivers first. */
static rv_status rank_pieces(rvi_flow *f) {
    uint32_t deepest = 0, *at = f->waits;
    rv_status status = RV_OK;
    memset(at, 0, f->count * sizeof *at);
    for (size_t i = f->count; status == RV_OK && i-- > 0;) {
        uint32_t p = f->donors_first[i];
        status = rvi_poll_at(f->ctx, i);
        f->depth[p] = f->parent[p] == p ? 0 : f->depth[f->parent[p]] + 1;
        deepest = f->depth[p] > deepest ? f->depth[p] : deepest;
        at[f->depth[p]]++;
    }
    for (uint32_t d = 0, sum = 0; d <= deepest; d++) {
        uint32_t these = at[d];
        at[d] = sum;
        sum += these;
    }
    for (size_t i = f->count; status == RV_OK && i-- > 0;) {
        uint32_t p = f->donors_first[i];
        status = rvi_poll_at(f->ctx, i);
        f->rank[at[f->depth[p]]++] = p;
    }
    return status;
}

static size_t piece_cells(const rvi_flow *f, size_t piece) {
    return (size_t)f->start[piece + 1] - f->start[piece];
}

/* The end of the pieces that are as deep as the one at `i`, and their cells. */
static size_t end_of_depth(const rvi_flow *f, size_t i, size_t *cells) {
    uint32_t depth = f->depth[f->rank[i]];
    for (*cells = 0; i < f->count && f->depth[f->rank[i]] == depth; i++)
        *cells += piece_cells(f, f->rank[i]);
    return i;
}

/* Blocks of pieces that one thread takes at once, and rounds of blocks that run side by side. A few
 * cells of one depth are not worth a round: one block takes all that follow each other. */
static rv_status make_rounds(rvi_flow *f) {
    size_t open = 0; /* cells of the last round, where it is one block that takes more; else 0 */
    f->blocks = f->rounds = 0;
    for (size_t i = 0, end, cells; i < f->count; i = end) {
        if (rvi_poll(f->ctx) != RV_OK)
            return RV_CANCELLED;
        end = end_of_depth(f, i, &cells);
        bool small = cells < 2 * CHUNK;
        if (small && open > 0 && open + cells < STEPS) {
            open += cells;
            continue;
        }
        open = small ? cells + 1 : 0;
        f->round[f->rounds++] = (uint32_t)f->blocks;
        f->block[f->blocks++] = (uint32_t)i;
        for (size_t filled = 0; !small && i < end; i++) {
            if (filled >= CHUNK) {
                f->block[f->blocks++] = (uint32_t)i;
                filled = 0;
            }
            filled += piece_cells(f, f->rank[i]);
        }
    }
    f->round[f->rounds] = (uint32_t)f->blocks;
    f->block[f->blocks] = (uint32_t)f->count;
    return RV_OK;
}

/* ---- what comes through ---- */

static void sum_rain(void *arg, int64_t tile) {
    const rvi_flow *f = arg;
    for (size_t k = 0; k < f->pieces[tile]; k++) {
        rvi_flow_piece p = get_piece(f, (size_t)tile * RVI_PIECES + k);
        uint64_t sum = 0;
        for (size_t i = 0; i < p.count; i++)
            sum += f->rain[rvi_flow_cell(&p, i)];
        f->total[p.number] = sum;
    }
}

static void fill_area(void *arg, int first, int end) {
    const rvi_flow *f = arg;
    size_t to = (size_t)end * (size_t)f->width;
    for (size_t c = (size_t)first * (size_t)f->width; c < to; c++) {
        f->area[c] = 1;
        if (f->rain)
            f->discharge[c] = f->rain[c];
    }
}

/* What leaves a piece, and where it comes to the next. */
static rv_status hand_over(rvi_flow *f) {
    rv_status status = RV_OK;
    for (size_t t = 0; status == RV_OK && t < tiles(f); t++) {
        for (size_t p = t * RVI_PIECES; p < t * RVI_PIECES + f->pieces[t]; p++)
            f->waits[p] = (uint32_t)piece_cells(f, p);
        status = poll_tile(f, t);
    }
    for (size_t i = 0; status == RV_OK && i < f->count; i++) {
        uint32_t p = f->donors_first[i], parent = f->parent[p];
        status = rvi_poll_at(f->ctx, i);
        if (parent == p)
            continue;
        size_t to = rvi_flow_receiver(f, f->root[p]);
        f->waits[parent] += f->waits[p];
        f->area[to] += f->waits[p];
        if (f->rain) {
            f->total[parent] += f->total[p];
            f->discharge[to] += f->total[p];
        }
    }
    return status;
}

static void gather_tile(void *arg, int64_t tile) {
    const rvi_flow *f = arg;
    box b = tile_box(f, (size_t)tile);
    const uint16_t *start = f->start + (size_t)tile * RVI_PIECES;
    rvi_flow_piece all = {b.order, b.wide * b.high, b.corner, (size_t)f->width, 0};
    for (size_t k = f->pieces[tile]; k-- > 0;)
        for (size_t i = start[k + 1]; i-- > start[k] + (size_t)(k > 0);) {
            size_t cell = rvi_flow_cell(&all, i), to = rvi_flow_receiver(f, cell);
            if (to == cell)
                continue;
            f->area[to] += f->area[cell];
            if (f->rain)
                f->discharge[to] += f->discharge[cell];
        }
}

static rv_status gather(rvi_flow *f) {
    rv_status status = rvi_parallel_rows(f->ctx, f->height, fill_area, f);
    if (status == RV_OK && f->rain)
        status = rvi_parallel(f->ctx, (int64_t)tiles(f), sum_rain, f);
    if (status == RV_OK)
        status = hand_over(f);
    return status == RV_OK ? rvi_parallel(f->ctx, (int64_t)tiles(f), gather_tile, f) : status;
}

/* ---- lakes ---- */

/* The basin of a cell whose water ends in its tile is known there; the others follow. */
static void label_ends(void *arg, int64_t tile) {
    const rvi_flow *f = arg;
    rvi_flow_piece p = get_piece(f, (size_t)tile * RVI_PIECES);
    uint32_t next = f->pits[tile];
    for (size_t i = 0; i < p.count; i++) {
        size_t cell = rvi_flow_cell(&p, i), to = rvi_flow_receiver(f, cell);
        f->basin[cell] = to != cell ? f->basin[to] : f->fixed[cell] ? 0 : ++next;
    }
}

static void label_others(void *arg, int64_t tile) {
    const rvi_flow *f = arg;
    for (size_t k = 1; k < f->pieces[tile]; k++) {
        rvi_flow_piece p = get_piece(f, (size_t)tile * RVI_PIECES + k);
        for (size_t i = 0; i < p.count; i++)
            f->basin[rvi_flow_cell(&p, i)] = f->depth[p.number];
    }
}

/* Pits are numbered from 1 on, by tiles. */
static rv_status label_basins(rvi_flow *f) {
    uint32_t sum = 0;
    for (size_t t = 0; t < tiles(f); t++) {
        uint32_t these = f->pits[t];
        f->pits[t] = sum;
        sum += these;
    }
    f->basins.count = (size_t)sum + 1;
    assert(f->basins.count <= rvi_flow_basins(f)); /* no two pits are side by side */
    rv_status status = rvi_parallel(f->ctx, (int64_t)tiles(f), label_ends, f);
    for (size_t i = f->count; status == RV_OK && i-- > 0;) {
        uint32_t p = f->donors_first[i], parent = f->parent[p];
        status = rvi_poll_at(f->ctx, i);
        if (parent != p)
            f->depth[p] = parent % RVI_PIECES == 0 ? f->basin[rvi_flow_receiver(f, f->root[p])]
                                                   : f->depth[parent];
    }
    return status == RV_OK ? rvi_parallel(f->ctx, (int64_t)tiles(f), label_others, f) : status;
}

static void drown_rows(void *arg, int first, int end) {
    const rvi_flow *f = arg;
    size_t to = (size_t)end * (size_t)f->width;
    for (size_t c = (size_t)first * (size_t)f->width; c < to; c++)
        f->drowned[c] = f->spill[f->basin[c]] > f->h[c];
}

static rv_status cross_pits(rvi_flow *f) {
    rv_status status = label_basins(f);
    if (status == RV_OK)
        status = rvi_basins_drain(f);
    if (status == RV_OK)
        status = rvi_parallel_rows(f->ctx, f->height, drown_rows, f);
    if (status == RV_OK)
        status = rvi_parallel(f->ctx, (int64_t)tiles(f), make_turned, f);
    return status == RV_OK ? order_pieces(f) : status;
}

void rvi_flow_begin(rvi_flow *f) {
    memset(f->turned, 0, tiles(f));
}

rv_status rvi_flow_route(rvi_flow *f) {
    make_turns(f);
    rv_status status = rvi_parallel(f->ctx, (int64_t)tiles(f), make_tile, f);
    f->lakes = false;
    for (size_t t = 0; t < tiles(f); t++)
        f->lakes |= f->pits[t] > 0;
    if (status == RV_OK)
        status = order_pieces(f);
    if (status == RV_OK && f->lakes)
        status = cross_pits(f);
    if (status == RV_OK)
        status = gather(f);
    if (status == RV_OK)
        status = rank_pieces(f);
    return status == RV_OK ? make_rounds(f) : status;
}

/* ---- work along the rivers ---- */

typedef struct walk {
    rvi_flow *f;
    rvi_flow_fn fn;
    void *arg;
    size_t first; /* block of the round */
} walk;

static void walk_up(void *arg, int64_t block) {
    const walk *w = arg;
    const rvi_flow *f = w->f;
    size_t b = w->first + (size_t)block;
    for (size_t i = f->block[b]; i < f->block[b + 1]; i++) {
        rvi_flow_piece piece = get_piece(f, f->rank[i]);
        w->fn(w->arg, &piece);
    }
}

static void walk_down(void *arg, int64_t block) {
    const walk *w = arg;
    const rvi_flow *f = w->f;
    size_t b = w->first + (size_t)block;
    for (size_t i = f->block[b + 1]; i-- > f->block[b];) {
        rvi_flow_piece piece = get_piece(f, f->rank[i]);
        w->fn(w->arg, &piece);
    }
}

rv_status rvi_flow_up(rvi_flow *f, rvi_flow_fn fn, void *arg) {
    walk w = {f, fn, arg, 0};
    rv_status status = RV_OK;
    memset(f->done, 0, f->blocks * sizeof *f->done);
    for (size_t r = 0; status == RV_OK && r < f->rounds; r++) {
        w.first = f->round[r];
        status = rvi_parallel_rest(f->ctx, (int64_t)(f->round[r + 1] - f->round[r]),
                                   f->done + w.first, walk_up, &w);
    }
    return status;
}

rv_status rvi_flow_up_rest(rvi_flow *f, rvi_flow_fn fn, void *arg) {
    walk w = {f, fn, arg, 0};
    return rvi_parallel_rest(f->ctx, (int64_t)f->blocks, f->done, walk_up, &w);
}

rv_status rvi_flow_down(rvi_flow *f, rvi_flow_fn fn, void *arg) {
    walk w = {f, fn, arg, 0};
    rv_status status = RV_OK;
    for (size_t r = f->rounds; status == RV_OK && r-- > 0;) {
        w.first = f->round[r];
        status = rvi_parallel(f->ctx, (int64_t)(f->round[r + 1] - f->round[r]), walk_down, &w);
    }
    return status;
}

void rvi_flow_finish_down(rvi_flow *f, rvi_flow_fn fn, void *arg) {
    walk w = {f, fn, arg, 0};
    for (size_t r = f->rounds; r-- > 0;) {
        w.first = f->round[r];
        rvi_finish(f->ctx, (int64_t)(f->round[r + 1] - f->round[r]), walk_down, &w);
    }
}
