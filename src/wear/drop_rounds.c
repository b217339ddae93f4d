/* drop_rounds.c: drops in rounds, tiles and colours (see drop_rounds.h). */
#include "wear/drop_rounds.h"
#include "base/math.h"
#include "base/random.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

enum { MOST_IN_ROUND = 1 << 18, LEAST_IN_ROUND = 16, SIDE_BY_SIDE = 64, MOST_COLOURS = 8 };

/* What a random number is drawn for, beside those of drop_fall.h. */
#define DRAW_TILES (UINT64_C(1) << 61)

/* Lets the new drops of the round fall; those that miss the land have ended. */
static void drop_new(void *arg, int first, int end) {
    const rvi_rounds *r = arg;
    for (int k = first; k < end; k++) {
        float x, y;
        uint64_t bits;
        bool hit = rvi_fall_place(&r->squares, r->tried + (uint64_t)k, false, &x, &y, &bits);
        rvi_fall_rain(&r->squares, r->d.rain.cells, r->d.rain.rows, &x, &y);
        r->slots[r->list[r->in_round + k]] = (rvi_slot){x, y, bits, .fresh = true, .ended = !hit};
    }
}

/* Of `tried` new drops those that fell on the land, in their order, as many as are wanted. */
static void keep_fallen(rvi_rounds *r, int tried) {
    for (int k = r->in_round; tried > 0 && r->begun < r->d.drops; k++, tried--) {
        int slot = r->list[k];
        if (r->slots[slot].ended)
            continue;
        r->list[k] = r->list[r->in_round];
        r->list[r->in_round++] = slot;
        r->begun++;
    }
}

/* Counting sort by tile; drops of a tile keep their order. */
static void sort_drops(rvi_rounds *r) {
    int tiles = r->tiles_x * r->tiles_y;
    float per_cell = (float)(1.0 / r->d.unit);
    memset(r->start, 0, ((size_t)tiles + 1) * sizeof *r->start);
    for (int k = 0; k < r->in_round; k++) {
        const rvi_slot *slot = &r->slots[r->list[k]];
        int tile_x = ((int)((slot->x + 0.5f) * per_cell) + r->shift_x) / r->tile;
        int tile_y = ((int)((slot->y + 0.5f) * per_cell) + r->shift_y) / r->tile;
        r->tile_of[k] = tile_y * r->tiles_x + tile_x;
        r->start[r->tile_of[k] + 1]++;
    }
    for (int t = 0; t < tiles; t++)
        r->start[t + 1] += r->start[t];
    for (int k = 0; k < r->in_round; k++)
        r->order[r->start[r->tile_of[k]]++] = r->list[k];
    for (int t = tiles; t > 0; t--)
        r->start[t] = r->start[t - 1];
    r->start[0] = 0;
}

/* The list without the drops that have ended; their slots are free. */
static void keep_running(rvi_rounds *r) {
    int kept = 0, gone = 0;
    for (int k = 0; k < r->in_round; k++) {
        int slot = r->list[k];
        r->slots[slot].fresh = false;
        if (r->slots[slot].ended)
            r->order[gone++] = slot;
        else
            r->list[kept++] = slot;
    }
    memcpy(r->list + kept, r->order, (size_t)gone * sizeof *r->list);
    r->in_round = kept;
}

static void set_turns(rvi_rounds *r, int first_colour) {
    int n = r->colours;
    for (int y = 0; y < r->tiles_y; y++)
        for (int x = 0; x < r->tiles_x; x++) {
            int turn = y % n * n + x % n - first_colour;
            r->turn[y * r->tiles_x + x] = (uint8_t)(turn < 0 ? turn + n * n : turn);
        }
}

/* The tiles so near to a tile that drops of both may meet. */
typedef struct around {
    int x0, x1, y0, y1; /* all inclusive */
} around;

static around tiles_around(const rvi_rounds *r, int tile) {
    int x = tile % r->tiles_x, y = tile / r->tiles_x, near = r->colours - 1;
    return (around){rvi_maxi(0, x - near), rvi_mini(r->tiles_x - 1, x + near),
                    rvi_maxi(0, y - near), rvi_mini(r->tiles_y - 1, y + near)};
}

/* Those whose turn comes later: they wait for this one. */
static int followers(void *arg, int tile, int *out) {
    const rvi_rounds *r = arg;
    around a = tiles_around(r, tile);
    int count = 0;
    for (int y = a.y0; y <= a.y1; y++)
        for (int t = y * r->tiles_x + a.x0; t <= y * r->tiles_x + a.x1; t++)
            if (r->turn[t] > r->turn[tile])
                out[count++] = t;
    return count;
}

static void count_waits(void *arg, int first, int end) {
    const rvi_rounds *r = arg;
    for (int tile = first; tile < end; tile++) {
        around a = tiles_around(r, tile);
        int count = 0;
        for (int y = a.y0; y <= a.y1; y++)
            for (int t = y * r->tiles_x + a.x0; t <= y * r->tiles_x + a.x1; t++)
                count += r->turn[t] < r->turn[tile];
        r->waits[tile] = count;
    }
}

static void run_some(void *arg, rvi_taker *taker) {
    const rvi_rounds *r = arg;
    r->d.run(r->d.arg, taker);
}

static rv_status look(void *arg) {
    const rvi_rounds *r = arg;
    return r->d.look(r->d.arg);
}

static rv_status run_tiles(rvi_rounds *r) {
    int tiles = rvi_rounds_tiles(r);
    rv_status status = rvi_parallel_rows(r->ctx, tiles, count_waits, r);
    if (status != RV_OK)
        return status;
    rvi_graph graph = {tiles, r->waits, r->queue, followers, run_some, r, r->d.look ? look : NULL};
    return rvi_parallel_graph(r->ctx, &graph);
}

rv_status rvi_rounds_next(rvi_rounds *r) {
    uint64_t bits = rvi_random(r->d.seed, r->round++, DRAW_TILES);
    r->shift_x = (int)((bits & 0xffffff) % (uint64_t)r->tile);
    r->shift_y = (int)((bits >> 24 & 0xffffff) % (uint64_t)r->tile);
    set_turns(r, (int)(bits >> 48) % (r->colours * r->colours));
    int tried = r->begun < r->d.drops ? r->most_in_round - r->in_round : 0;
    rv_status status = rvi_parallel_rows(r->ctx, tried, drop_new, r);
    if (status != RV_OK)
        return status;
    keep_fallen(r, tried);
    r->tried += (uint64_t)tried;
    sort_drops(r);
    status = run_tiles(r);
    keep_running(r);
    return status;
}

double rvi_rounds_done(const rvi_rounds *r) {
    return r->d.drops > 0 ? (double)(r->begun - (uint64_t)r->in_round) / (double)r->d.drops : 1.0;
}

int rvi_rounds_tiles(const rvi_rounds *r) {
    return r->tiles_x * r->tiles_y;
}

int rvi_rounds_most(const rvi_rounds *r) {
    return r->most_in_round;
}

rvi_slot *rvi_rounds_slots(const rvi_rounds *r) {
    return r->slots;
}

const int *rvi_rounds_in(const rvi_rounds *r, int tile, int *count) {
    *count = r->start[tile + 1] - r->start[tile];
    return r->order + r->start[tile];
}

const int *rvi_rounds_running(const rvi_rounds *r, int *count) {
    *count = r->in_round;
    return r->list;
}

/* Two tiles of a colour have colours - 1 others between them: room for the reach of a drop from
 * each. More colours make narrower tiles, of which more can run side by side; fewer keep more drops
 * where the cache holds the land. */
static void cut_tiles(rvi_rounds *r) {
    double wide = (double)r->d.width / r->d.unit, high = (double)r->d.height / r->d.unit;
    double squares = wide * high, tiles;
    for (r->colours = 2;; r->colours++) {
        r->tile = (2 * r->d.reach + r->colours) / (r->colours - 1);
        tiles = squares / ((double)r->tile * (double)r->tile);
        if (r->colours == MOST_COLOURS || tiles >= SIDE_BY_SIDE * r->colours * r->colours)
            break;
    }
    r->tiles_x = (int)wide / r->tile + 2;
    r->tiles_y = (int)high / r->tile + 2;
    /* Who wants to stop waits for the end of a round, if no thread asks: it must not take long. */
    double most = 32768.0 / r->d.cost * (tiles > 1.0 ? tiles : 1.0);
    most = most < squares / 8.0 ? most : squares / 8.0;
    r->most_in_round = most < LEAST_IN_ROUND  ? LEAST_IN_ROUND
                       : most > MOST_IN_ROUND ? MOST_IN_ROUND
                                              : (int)most;
}

void rvi_rounds_prepare(rvi_rounds *r, rv_context *ctx, const rvi_rounds_desc *desc,
                        rvi_buffers *buffers) {
    *r = (rvi_rounds){.ctx = ctx, .d = *desc};
    cut_tiles(r);
    r->squares =
        rvi_fall_squares_of(desc->width, desc->height, desc->margin, desc->unit, desc->seed);
    size_t drops = (size_t)r->most_in_round, tiles = (size_t)rvi_rounds_tiles(r);
    rvi_buffers_add(buffers, &r->slots, drops, sizeof *r->slots, "the drops");
    rvi_buffers_add(buffers, &r->list, drops, sizeof *r->list, "the drops");
    rvi_buffers_add(buffers, &r->tile_of, drops, sizeof *r->tile_of, "the drops");
    rvi_buffers_add(buffers, &r->order, drops, sizeof *r->order, "the drops");
    rvi_buffers_add(buffers, &r->start, tiles + 1, sizeof *r->start, "the tiles");
    rvi_buffers_add(buffers, &r->turn, tiles, sizeof *r->turn, "the tiles");
    rvi_buffers_add(buffers, &r->waits, tiles, sizeof *r->waits, "the tiles");
    rvi_buffers_add(buffers, &r->queue, tiles, sizeof *r->queue, "the tiles");
}

void rvi_rounds_begin(rvi_rounds *r) {
    for (int k = 0; k < r->most_in_round; k++)
        r->list[k] = k;
}
