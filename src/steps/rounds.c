/* rounds.c: drops in rounds, tiles and colours (see rounds.h). */
#include "steps/rounds.h"
#include "base/math.h"
#include "base/random.h"
#include "base/threads.h"

#include <string.h>

enum { MOST_IN_ROUND = 1 << 16, LEAST_IN_ROUND = 16, MOST_TILES = 4096 };

/* What a random number is drawn for; runs may use smaller numbers for their own. */
enum { DRAW_PLACE = 1 << 20, DRAW_CELL, DRAW_TILES };

struct rvi_rounds {
    rv_context *ctx;
    rvi_rounds_desc d;
    uint64_t round, done;
    int colours;                /* along each side of the pattern */
    int tile, tiles_x, tiles_y; /* side in cells, and how many */
    int shift_x, shift_y;       /* where this round cuts */
    int in_round, most_in_round;
    float *x, *y;     /* of each drop of the round */
    int *tile_of;     /* its tile */
    int *order;       /* drops sorted by tile */
    int *start;       /* first of each tile in `order`, and one more for the end */
    int first_colour; /* runs first in this round */
    int *waits, *queue;
};

/* ---- rain ---- */

int rvi_mirror(int i, int size) {
    int m = i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
    return rvi_maxi(0, rvi_mini(m, size - 1));
}

rv_status rvi_rain_make(rv_context *ctx, const float *image, int width, int height, int margin,
                        const char *name, rvi_rain *out) {
    int wide = width + 2 * margin, high = height + 2 * margin;
    out->cells = rvi_alloc(ctx, (size_t)wide * (size_t)high, sizeof *out->cells, "the rain");
    out->rows = rvi_alloc(ctx, (size_t)high, sizeof *out->rows, "the rain");
    if (!out->cells || !out->rows)
        return RV_ERROR_MEMORY;
    uint64_t total = 0;
    for (int y = 0; y < high; y++) {
        const float *row = image + (size_t)rvi_mirror(y - margin, height) * (size_t)width;
        uint32_t sum = 0; /* a row with its margins has fewer than 131072 cells of at most 32767 */
        for (int x = 0; x < wide; x++) {
            float much = rvi_clampf(row[rvi_mirror(x - margin, width)], 0.0f, 1.0f);
            sum += (uint32_t)(much * 32767.0f + 0.5f);
            out->cells[(size_t)y * (size_t)wide + (size_t)x] = sum;
        }
        total += sum;
        out->rows[y] = total;
    }
    if (total == 0)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: is black everywhere, so no drop can fall.", name);
    return RV_OK;
}

void rvi_rain_free(rv_context *ctx, rvi_rain *rain) {
    rvi_free(ctx, rain->cells);
    rvi_free(ctx, rain->rows);
}

/* The first index of a running sum, of rows or of cells, that is above n. */
static int first_above(const uint64_t *rows, const uint32_t *cells, int count, uint64_t n) {
    int low = 0, high = count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if ((cells ? cells[middle] : rows[middle]) > n)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* A place by the rain; *x and *y come in as random numbers in [0, 1). */
static void draw_by_rain(const rvi_rounds *r, uint64_t number, float *x, float *y) {
    const rvi_rain *rain = &r->d.rain;
    uint64_t n = rvi_random(r->d.seed, number, DRAW_CELL) % rain->rows[r->d.height - 1];
    int row = first_above(rain->rows, NULL, r->d.height, n);
    n -= row > 0 ? rain->rows[row - 1] : 0;
    int column = first_above(NULL, rain->cells + (size_t)row * (size_t)r->d.width, r->d.width, n);
    *x = rvi_maxf((float)column + *x - 0.5f, 0.0f);
    *y = rvi_maxf((float)row + *y - 0.5f, 0.0f);
}

/* ---- rounds ---- */

static void place_drops(void *arg, int first, int end) {
    const rvi_rounds *r = arg;
    float span_x = (float)(r->d.width - 1), span_y = (float)(r->d.height - 1);
    for (int k = first; k < end; k++) {
        uint64_t number = r->done + (uint64_t)k;
        uint64_t bits = rvi_random(r->d.seed, number, DRAW_PLACE);
        float x = rvi_unit(bits), y = rvi_unit(bits << 32);
        if (r->d.rain.rows) {
            draw_by_rain(r, number, &x, &y);
        } else {
            x *= span_x;
            y *= span_y;
        }
        /* A float may round up to the edge itself, where there is no cell to the east or south. */
        r->x[k] = rvi_minf(x, span_x * (1.0f - 0x1p-23f));
        r->y[k] = rvi_minf(y, span_y * (1.0f - 0x1p-23f));
        int tile_x = ((int)r->x[k] + r->shift_x) / r->tile;
        int tile_y = ((int)r->y[k] + r->shift_y) / r->tile;
        r->tile_of[k] = tile_y * r->tiles_x + tile_x;
    }
}

/* Counting sort by tile; drops of a tile keep their order. */
static void sort_drops(rvi_rounds *r) {
    int tiles = r->tiles_x * r->tiles_y;
    memset(r->start, 0, ((size_t)tiles + 1) * sizeof *r->start);
    for (int k = 0; k < r->in_round; k++)
        r->start[r->tile_of[k] + 1]++;
    for (int t = 0; t < tiles; t++)
        r->start[t + 1] += r->start[t];
    for (int k = 0; k < r->in_round; k++)
        r->order[r->start[r->tile_of[k]]++] = k;
    for (int t = tiles; t > 0; t--)
        r->start[t] = r->start[t - 1];
    r->start[0] = 0;
}

static void run_tile(void *arg, int tile) {
    const rvi_rounds *r = arg;
    for (int i = r->start[tile]; i < r->start[tile + 1]; i++) {
        int k = r->order[i];
        r->d.run(r->d.arg, tile, r->done + (uint64_t)k, r->x[k], r->y[k]);
    }
}

/* When the colour of a tile has its turn. */
static int turn_of(const rvi_rounds *r, int x, int y) {
    int n = r->colours, colour = y % n * n + x % n;
    return (colour - r->first_colour + n * n) % (n * n);
}

/* Tiles so near that drops of both may meet, and whose turn comes later: they wait for this one. */
static int followers(void *arg, int tile, int *out) {
    const rvi_rounds *r = arg;
    int x = tile % r->tiles_x, y = tile / r->tiles_x, count = 0;
    int turn = turn_of(r, x, y), near = r->colours - 1;
    for (int ny = rvi_maxi(0, y - near); ny <= rvi_mini(r->tiles_y - 1, y + near); ny++)
        for (int nx = rvi_maxi(0, x - near); nx <= rvi_mini(r->tiles_x - 1, x + near); nx++)
            if (turn_of(r, nx, ny) > turn)
                out[count++] = ny * r->tiles_x + nx;
    return count;
}

static rv_status run_tiles(rvi_rounds *r) {
    int near[RVI_FOLLOWERS], tiles = rvi_rounds_tiles(r);
    memset(r->waits, 0, (size_t)tiles * sizeof *r->waits);
    for (int t = 0; t < tiles; t++)
        for (int i = followers(r, t, near) - 1; i >= 0; i--)
            r->waits[near[i]]++;
    rvi_graph graph = {tiles, r->waits, r->queue, followers, run_tile, r};
    return rvi_parallel_graph(r->ctx, &graph);
}

rv_status rvi_rounds_next(rvi_rounds *r) {
    uint64_t bits = rvi_random(r->d.seed, r->round++, DRAW_TILES);
    r->shift_x = (int)((bits & 0xffffff) % (uint64_t)r->tile);
    r->shift_y = (int)((bits >> 24 & 0xffffff) % (uint64_t)r->tile);
    r->first_colour = (int)(bits >> 48) % (r->colours * r->colours);
    uint64_t left = r->d.drops - r->done;
    r->in_round = left < (uint64_t)r->most_in_round ? (int)left : r->most_in_round;
    rv_status status = rvi_parallel_rows(r->ctx, r->in_round, place_drops, r);
    if (status != RV_OK)
        return status;
    sort_drops(r);
    status = run_tiles(r);
    r->done += (uint64_t)r->in_round;
    return status;
}

double rvi_rounds_done(const rvi_rounds *r) {
    return r->d.drops > 0 ? (double)r->done / (double)r->d.drops : 1.0;
}

int rvi_rounds_tiles(const rvi_rounds *r) {
    return r->tiles_x * r->tiles_y;
}

/* Two tiles of a colour have colours - 1 others between them: room for the reach of a drop from
 * each. More colours make narrower tiles, of which more can run side by side. */
static void cut_tiles_with(rvi_rounds *r, int colours) {
    r->colours = colours;
    r->tile = (2 * r->d.reach + colours - 2) / (colours - 1);
    r->tiles_x = r->d.width / r->tile + 2;
    r->tiles_y = r->d.height / r->tile + 2;
}

static void cut_tiles(rvi_rounds *r) {
    cut_tiles_with(r, 8);
    if (r->tiles_x * r->tiles_y > MOST_TILES)
        cut_tiles_with(r, 4); /* on a large map enough run side by side, and there are fewer */
    /* Who wants to stop waits for the end of a tile: its drops must not take long. */
    double cells = (double)r->d.width * (double)r->d.height;
    double tiles = cells / ((double)r->tile * (double)r->tile);
    double most = 262144.0 / r->d.cost * (tiles > 1.0 ? tiles : 1.0);
    most = most < cells / 16.0 ? most : cells / 16.0;
    r->most_in_round = most < LEAST_IN_ROUND  ? LEAST_IN_ROUND
                       : most > MOST_IN_ROUND ? MOST_IN_ROUND
                                              : (int)most;
}

rv_status rvi_rounds_create(rv_context *ctx, const rvi_rounds_desc *desc, rvi_rounds **out) {
    *out = NULL;
    rvi_rounds *r = rvi_alloc(ctx, 1, sizeof *r, "the drops");
    if (!r) {
        rvi_rain rain = desc->rain;
        rvi_rain_free(ctx, &rain);
        return RV_ERROR_MEMORY;
    }
    r->ctx = ctx;
    r->d = *desc;
    cut_tiles(r);
    size_t drops = (size_t)r->most_in_round, tiles = (size_t)rvi_rounds_tiles(r);
    r->x = rvi_alloc(ctx, drops, sizeof *r->x, "the drops");
    r->y = rvi_alloc(ctx, drops, sizeof *r->y, "the drops");
    r->tile_of = rvi_alloc(ctx, drops, sizeof *r->tile_of, "the drops");
    r->order = rvi_alloc(ctx, drops, sizeof *r->order, "the drops");
    r->start = rvi_alloc(ctx, tiles + 1, sizeof *r->start, "the tiles");
    r->waits = rvi_alloc(ctx, tiles, sizeof *r->waits, "the tiles");
    r->queue = rvi_alloc(ctx, tiles, sizeof *r->queue, "the tiles");
    if (!r->x || !r->y || !r->tile_of || !r->order || !r->start || !r->waits || !r->queue) {
        rvi_rounds_destroy(r);
        return RV_ERROR_MEMORY;
    }
    *out = r;
    return RV_OK;
}

void rvi_rounds_destroy(rvi_rounds *r) {
    if (!r)
        return;
    void *all[] = {r->x, r->y, r->tile_of, r->order, r->start, r->waits, r->queue};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rvi_free(r->ctx, all[i]);
    rvi_rain_free(r->ctx, &r->d.rain);
    rvi_free(r->ctx, r);
}
