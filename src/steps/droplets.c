/* droplets.c: drops of water that run down the land and carry it with them.
 *
 * H. T. Beyer, Implementation of a method for hydraulic erosion, TU Muenchen, 2015 (numbers in
 * brackets are its equations). Lengths along the map are cells; heights and sediment are metres,
 * and count in units of the map's relief R, so that metres or feet give the same shape. A drop has
 * a place, a direction, speed 1, water 1 and no sediment. In each step it
 *     turns      dir = normalise(dir inertia - g / R (1 - inertia))                       (5.1)
 *     moves      pos' = pos + dir, dh = h(pos') - h(pos)                            (5.2, 5.3)
 *     can carry  c = max(-dh, min_slope R) speed water capacity                           (5.4)
 *     uphill     lays down min(sediment, dh): fills the pit it came from
 *     overfull   lays down (sediment - c) deposition                                      (5.5)
 *     else       takes min((c - sediment) erosion, -dh)                                   (5.6)
 *     speeds up  speed' = sqrt(max(0, speed^2 - dh / R gravity))                          (5.7)
 *     dries      water' = water (1 - evaporation)                                         (5.8)
 * Equation 5.7 is printed with +dh, which would slow a drop that runs downhill. A drop ends after
 * max_path steps, over an open edge, or in a pit: when it must climb, cannot fill the pit, and is
 * too slow to get out. What it takes comes from a disc (brush.h), what it lays down goes to the
 * four corners of its cell, both where it was before the move; a cell gives what its hardness, mask
 * and layers let it, and the drop gains exactly what the cells lost.
 *
 * Order. Drops run in rounds. In a round the map is cut into square tiles, COLOURS x COLOURS
 * colours of them, wide enough that drops of two tiles of one colour cannot meet; colours follow
 * each other, tiles of a colour run side by side, drops of a tile in the order of their number.
 * Every round cuts elsewhere. Nothing of this depends on the number of threads.
 */
#include "base/math.h"
#include "base/random.h"
#include "base/threads.h"
#include "steps/brush.h"
#include "steps/step.h"
#include "terrain/smooth.h"

#include <math.h>
#include <string.h>

enum { COLOURS = 4, MOST_IN_ROUND = 1 << 16, LEAST_IN_ROUND = 16 };

/* What a random number is drawn for. */
enum { DRAW_PLACE = 1 << 20, DRAW_CELL, DRAW_TILES };

/* Where and how much it rains, as running sums of whole numbers. */
typedef struct rain_map {
    uint32_t *cells; /* running sum within each row */
    uint64_t *rows;  /* running sum of rows */
} rain_map;

typedef struct tile_result {
    double taken, laid, carried_off, afloat; /* metres on one cell */
    uint64_t drop_steps;
} tile_result;

/* One run of the step. The grids are the map with the apron around it, and a border that no drop
 * enters, into which lanes may reach: cell (x, y) of the map is at (y + off_y) * stride + x +
 * off_x. */
typedef struct flood {
    const rv_droplets_params *p;
    rvi_job *job;
    int width, height; /* of map and apron */
    int margin;
    int border;
    size_t stride, count;
    float *h, *flow, *laid;
    float *before;     /* the surface of the terrain when the step began */
    float *soft;       /* erosion factor, NULL: 1 everywhere */
    const float *mask; /* of the terrain, or NULL */
    bool layered;
    float relief, floor;
    float steer, pull, min_fall; /* (1 - inertia) / R, gravity / R, min_slope R */
    uint64_t drops, done;
    rvi_brush brush;
    rain_map rain;
    /* the round */
    int tile, tiles_x, tiles_y;
    int shift_x, shift_y;
    int in_round, most_in_round;
    float *drop_x, *drop_y;
    int *drop_tile;  /* of each drop of the round */
    int *order;      /* drops sorted by tile */
    int *tile_start; /* first of each tile in `order`, one more at the end */
    tile_result *results;
    int *colour_tiles; /* the tiles of the colour that runs */
} flood;

static RVI_HOT size_t at(const flood *f, int x, int y) {
    return (size_t)(y + f->border) * f->stride + (size_t)(x + f->border);
}

/* The cell of the terrain below a cell of the grid, or SIZE_MAX in the apron. */
static size_t land_cell(const flood *f, int x, int y) {
    const rv_terrain *land = f->job->land;
    int lx = x - f->margin, ly = y - f->margin;
    if (lx < 0 || ly < 0 || lx >= land->width || ly >= land->height)
        return SIZE_MAX;
    return (size_t)ly * (size_t)land->width + (size_t)lx;
}

/* ---- taking and laying down ---- */

/* Cells outside the map weigh nothing; returns what the others weigh. */
static float clip_weights(const flood *f, int x, int y, float *w) {
    float sum = 0.0f;
    for (int i = 0; i < f->brush.run_count * RVI_LANES; i++) {
        int cx = x + (int)f->brush.dx[i], cy = y + (int)f->brush.dy[i];
        if (cx < 0 || cy < 0 || cx >= f->width || cy >= f->height)
            w[i] = 0.0f;
        sum += w[i];
    }
    return sum;
}

/* Takes amount * w from each cell, times its factor where there is one; returns what came. */
static RVI_HOT float take_runs(const flood *f, float *cell, const float *w, float amount,
                               const float *soft) {
    const rvi_brush *brush = &f->brush;
    rvi_v4 lost[2] = {{0}, {0}};
    for (int r = 0; r < brush->run_count; r++) {
        ptrdiff_t to = (ptrdiff_t)brush->runs[r].dy * (ptrdiff_t)f->stride + brush->runs[r].dx;
        for (int half = 0; half < 2; half++, to += 4) {
            rvi_v4 h = rvi_v4_load(cell + to);
            rvi_v4 want = rvi_v4_load(w + r * RVI_LANES + 4 * half) * amount;
            want = soft ? want * rvi_v4_load(soft + to) : want;
            rvi_v4 left = h - rvi_v4_min(want, rvi_v4_positive(h - f->floor));
            lost[half] += h - left;
            rvi_v4_store(cell + to, left);
        }
    }
    return rvi_lane_sum(lost[0], lost[1]);
}

static float layers_height(const rv_terrain *land, size_t cell) {
    float h = land->layers[0].thickness[cell];
    for (int l = 1; l < land->layer_count; l++)
        h += land->layers[l].thickness[cell];
    return h;
}

static float take_layered(const flood *f, int x, int y, const float *w, float amount) {
    float lost = 0.0f;
    for (int i = 0; i < f->brush.run_count * RVI_LANES; i++) {
        if (w[i] == 0.0f)
            continue;
        int cx = x + (int)f->brush.dx[i], cy = y + (int)f->brush.dy[i];
        size_t here = at(f, cx, cy), below = land_cell(f, cx, cy);
        float room = rvi_maxf(f->h[here] - f->floor, 0.0f);
        float want = rvi_minf(amount * w[i] * (f->soft ? f->soft[here] : 1.0f), room);
        if (below != SIZE_MAX) {
            lost += rvi_layers_take(f->job->land, below, want);
            f->h[here] = layers_height(f->job->land, below);
        } else {
            float left = f->h[here] - want;
            lost += f->h[here] - left;
            f->h[here] = left;
        }
    }
    return lost;
}

/* Takes up to `amount` metres around the drop; returns what came. */
static RVI_HOT float take(const flood *f, int x, int y, float u, float v, float amount) {
    float w[RVI_BRUSH_RUNS * RVI_LANES];
    float sum = rvi_brush_weigh(&f->brush, u, v, w);
    int reach = (int)f->brush.radius + 2;
    if (x < reach || y < reach || x >= f->width - reach || y >= f->height - reach)
        sum = clip_weights(f, x, y, w);
    float share = amount / sum;
    if (f->layered)
        return take_layered(f, x, y, w, share);
    float *cell = f->h + at(f, x, y);
    return f->soft ? take_runs(f, cell, w, share, f->soft + (cell - f->h))
                   : take_runs(f, cell, w, share, NULL);
}

/* Adds up to `amount` to one corner, never more than `left`; returns what it got. */
static RVI_HOT float lay_corner(const flood *f, int x, int y, float amount, float left) {
    size_t i = at(f, x, y);
    size_t below = f->layered ? land_cell(f, x, y) : SIZE_MAX;
    float *ground = &f->h[i];
    if (below != SIZE_MAX)
        ground = &f->job->land->layers[f->job->land->layer_count - 1].thickness[below];
    float raised = *ground + amount;
    float given = raised - *ground;
    if (given > left)
        return 0.0f; /* rounding would make sediment out of nothing */
    *ground = raised;
    if (below != SIZE_MAX)
        f->h[i] = layers_height(f->job->land, below);
    f->laid[i] += given;
    return given;
}

/* Lays `amount` of `sediment` down on the corners of the cell; returns what stayed there. */
static RVI_HOT float lay(const flood *f, int x, int y, float u, float v, float amount,
                         float sediment) {
    float w[4] = {(1.0f - u) * (1.0f - v), u * (1.0f - v), (1.0f - u) * v, u * v};
    float given = 0.0f;
    for (int k = 0; k < 4; k++) {
        int cx = x + (k & 1), cy = y + (k >> 1);
        float part = amount * w[k];
        if (f->mask) {
            size_t below = land_cell(f, cx, cy);
            part *= below != SIZE_MAX ? f->mask[below] : 1.0f;
        }
        given += lay_corner(f, cx, cy, part, sediment - given);
    }
    return given;
}

/* ---- one drop ---- */

typedef struct drop {
    float x, y, dx, dy;
    float speed, water, sediment;
    uint64_t number;
} drop;

/* Keeps a drop inside closed borders: it slides along the wall. false: it is stuck in a corner. */
static RVI_HOT bool hold_inside(const flood *f, const drop *d, float *x, float *y) {
    /* The largest places from which the cell to the east and south is still on the map. */
    float most_x = (float)(f->width - 1) * (1.0f - 0x1p-23f);
    float most_y = (float)(f->height - 1) * (1.0f - 0x1p-23f);
    *x = rvi_clampf(*x, 0.0f, most_x);
    *y = rvi_clampf(*y, 0.0f, most_y);
    return *x != d->x || *y != d->y;
}

static RVI_HOT void turn(const flood *f, drop *d, float gx, float gy, int step) {
    d->dx = d->dx * f->p->inertia - gx * f->steer;
    d->dy = d->dy * f->p->inertia - gy * f->steer;
    float length = sqrtf(d->dx * d->dx + d->dy * d->dy);
    if (length > 0.0f) {
        float scale = 1.0f / length;
        d->dx *= scale;
        d->dy *= scale;
        return;
    }
    float angle =
        rvi_unit(rvi_random(f->p->seed, d->number, (uint64_t)step)) * (float)(2.0 * RVI_PI);
    d->dx = rvi_cosf(angle);
    d->dy = rvi_sinf(angle);
}

/* Runs one drop to its end; returns how many steps it made. */
static RVI_HOT int run_drop(const flood *f, drop *d, tile_result *sum) {
    const rv_droplets_params *p = f->p;
    const float max_x = (float)(f->width - 1), max_y = (float)(f->height - 1);
    int step = 0;
    while (step < p->max_path) {
        int x = (int)d->x, y = (int)d->y;
        float u = d->x - (float)x, v = d->y - (float)y;
        const float *c = f->h + at(f, x, y);
        float h00 = c[0], h10 = c[1], h01 = c[f->stride], h11 = c[f->stride + 1];
        float gx = (h10 - h00) * (1.0f - v) + (h11 - h01) * v;
        float gy = (h01 - h00) * (1.0f - u) + (h11 - h10) * u;
        float old = (h00 * (1.0f - u) + h10 * u) * (1.0f - v) + (h01 * (1.0f - u) + h11 * u) * v;
        turn(f, d, gx, gy, step);
        f->flow[at(f, (int)(d->x + 0.5f), (int)(d->y + 0.5f))] += d->water;
        step++;

        float new_x = d->x + d->dx, new_y = d->y + d->dy;
        if (!(new_x >= 0.0f && new_y >= 0.0f && new_x < max_x && new_y < max_y)) {
            if (p->border != RV_droplets_border_wall) {
                sum->carried_off += (double)d->sediment;
                return step;
            }
            if (!hold_inside(f, d, &new_x, &new_y)) {
                float given = lay(f, x, y, u, v, d->sediment, d->sediment);
                sum->laid += (double)given;
                d->sediment -= given;
                break;
            }
        }
        int nx = (int)new_x, ny = (int)new_y;
        float s = new_x - (float)nx, t = new_y - (float)ny;
        c = f->h + at(f, nx, ny);
        float now = (c[0] * (1.0f - s) + c[1] * s) * (1.0f - t) +
                    (c[f->stride] * (1.0f - s) + c[f->stride + 1] * s) * t;
        float dh = now - old;
        float capacity = rvi_maxf(-dh, f->min_fall) * d->speed * d->water * p->capacity;
        bool trapped = false;
        if (dh > 0.0f || d->sediment > capacity) {
            float surplus = (d->sediment - capacity) * p->deposition;
            float amount = dh > 0.0f ? rvi_minf(d->sediment, dh) : surplus;
            trapped = dh > d->sediment;
            float given = lay(f, x, y, u, v, amount, d->sediment);
            sum->laid += (double)given;
            d->sediment -= given;
        } else {
            float amount = rvi_minf((capacity - d->sediment) * p->erosion, -dh);
            if (amount > 0.0f) {
                float taken = take(f, x, y, u, v, amount);
                sum->taken += (double)taken;
                d->sediment += taken;
            }
        }
        float energy = d->speed * d->speed - dh * f->pull;
        if (trapped && !(energy > 0.0f))
            break;
        d->speed = sqrtf(rvi_maxf(energy, 0.0f));
        d->water *= 1.0f - p->evaporation;
        d->x = new_x;
        d->y = new_y;
    }
    sum->afloat += (double)d->sediment;
    return step;
}

static void run_tile(const flood *f, int tile) {
    tile_result *sum = &f->results[tile];
    for (int i = f->tile_start[tile]; i < f->tile_start[tile + 1]; i++) {
        int k = f->order[i];
        drop d = {.x = f->drop_x[k],
                  .y = f->drop_y[k],
                  .speed = 1.0f,
                  .water = 1.0f,
                  .number = f->done + (uint64_t)k};
        sum->drop_steps += (uint64_t)run_drop(f, &d, sum);
    }
}

/* ---- rounds, tiles and colours ---- */

static void run_block(void *arg, int64_t block) {
    const flood *f = arg;
    run_tile(f, f->colour_tiles[block]);
}

/* The first index of a running sum that is above r. */
#define FIRST_ABOVE(sums, count, r, out)                                                           \
    do {                                                                                           \
        int low_ = 0, high_ = (count)-1;                                                           \
        while (low_ < high_) {                                                                     \
            int middle_ = low_ + (high_ - low_) / 2;                                               \
            if ((sums)[middle_] > (r))                                                             \
                high_ = middle_;                                                                   \
            else                                                                                   \
                low_ = middle_ + 1;                                                                \
        }                                                                                          \
        (out) = low_;                                                                              \
    } while (0)

static void draw_by_rain(const flood *f, uint64_t number, float *x, float *y) {
    uint64_t r = rvi_random(f->p->seed, number, DRAW_CELL) % f->rain.rows[f->height - 1];
    int row, column;
    FIRST_ABOVE(f->rain.rows, f->height, r, row);
    r -= row > 0 ? f->rain.rows[row - 1] : 0;
    const uint32_t *cells = f->rain.cells + (size_t)row * (size_t)f->width;
    FIRST_ABOVE(cells, f->width, r, column);
    *x = rvi_maxf((float)column + *x - 0.5f, 0.0f);
    *y = rvi_maxf((float)row + *y - 0.5f, 0.0f);
}

static void place_drops(void *arg, int first, int end) {
    const flood *f = arg;
    float span_x = (float)(f->width - 1), span_y = (float)(f->height - 1);
    for (int k = first; k < end; k++) {
        uint64_t number = f->done + (uint64_t)k;
        uint64_t bits = rvi_random(f->p->seed, number, DRAW_PLACE);
        float x = (float)(bits >> 32) * 0x1p-32f, y = (float)(bits & 0xffffffffu) * 0x1p-32f;
        if (f->rain.rows) {
            draw_by_rain(f, number, &x, &y);
        } else {
            x *= span_x;
            y *= span_y;
        }
        /* A float may round up to the edge itself, where there is no cell to the east or south. */
        x = rvi_minf(x, span_x * (1.0f - 0x1p-23f));
        y = rvi_minf(y, span_y * (1.0f - 0x1p-23f));
        f->drop_x[k] = x;
        f->drop_y[k] = y;
        f->drop_tile[k] =
            ((int)y + f->shift_y) / f->tile * f->tiles_x + ((int)x + f->shift_x) / f->tile;
    }
}

/* Counting sort by tile; drops of a tile keep their order. */
static void sort_drops(flood *f) {
    int tiles = f->tiles_x * f->tiles_y;
    memset(f->tile_start, 0, ((size_t)tiles + 1) * sizeof *f->tile_start);
    for (int k = 0; k < f->in_round; k++)
        f->tile_start[f->drop_tile[k] + 1]++;
    for (int t = 0; t < tiles; t++)
        f->tile_start[t + 1] += f->tile_start[t];
    for (int k = 0; k < f->in_round; k++)
        f->order[f->tile_start[f->drop_tile[k]]++] = k;
    for (int t = tiles; t > 0; t--)
        f->tile_start[t] = f->tile_start[t - 1];
    f->tile_start[0] = 0;
}

static rv_status run_colour(flood *f, int colour) {
    int count = 0;
    for (int ty = colour / COLOURS; ty < f->tiles_y; ty += COLOURS)
        for (int tx = colour % COLOURS; tx < f->tiles_x; tx += COLOURS) {
            int tile = ty * f->tiles_x + tx;
            if (f->tile_start[tile + 1] > f->tile_start[tile])
                f->colour_tiles[count++] = tile;
        }
    return count > 0 ? rvi_parallel(f->job->ctx, count, run_block, f) : RV_OK;
}

static rv_status run_round(flood *f, uint64_t round) {
    uint64_t bits = rvi_random(f->p->seed, round, DRAW_TILES);
    f->shift_x = (int)((bits & 0xffffff) % (uint64_t)f->tile);
    f->shift_y = (int)((bits >> 24 & 0xffffff) % (uint64_t)f->tile);
    int first_colour = (int)(bits >> 48) % (COLOURS * COLOURS);
    uint64_t left = f->drops - f->done;
    f->in_round = left < (uint64_t)f->most_in_round ? (int)left : f->most_in_round;
    rv_status status = rvi_parallel_rows(f->job->ctx, f->in_round, place_drops, f);
    if (status != RV_OK)
        return status;
    sort_drops(f);
    for (int c = 0; status == RV_OK && c < COLOURS * COLOURS; c++)
        status = run_colour(f, (first_colour + c) % (COLOURS * COLOURS));
    f->done += (uint64_t)f->in_round;
    return status;
}

/* ---- before and after ---- */

static void plan_tiles(flood *f) {
    /* Two tiles of a colour have COLOURS - 1 others between them: room for a drop from each. */
    int gap = 2 * (f->p->max_path + f->brush.reach);
    f->tile = (gap + COLOURS - 2) / (COLOURS - 1);
    f->tiles_x = f->width / f->tile + 2;
    f->tiles_y = f->height / f->tile + 2;
    /* Rounds are short enough that someone who waits for the end of a tile does not wait long. */
    double cells = (double)f->width * (double)f->height;
    double tiles = rvi_maxf(1.0f, (float)(cells / ((double)f->tile * (double)f->tile)));
    double cost = (double)f->p->max_path * (1.0 + (double)f->brush.run_count / 8.0);
    double most = 262144.0 / cost * tiles;
    most = most < cells / 16.0 ? most : cells / 16.0;
    f->most_in_round = most < LEAST_IN_ROUND  ? LEAST_IN_ROUND
                       : most > MOST_IN_ROUND ? MOST_IN_ROUND
                                              : (int)most;
}

static void *grid(flood *f, const char *what) {
    return rvi_alloc(f->job->ctx, f->count, sizeof(float), what);
}

static rv_status allocate(flood *f) {
    rv_context *ctx = f->job->ctx;
    size_t drops = (size_t)f->most_in_round;
    size_t tiles = (size_t)f->tiles_x * (size_t)f->tiles_y;
    f->h = grid(f, "the eroded land");
    f->flow = grid(f, "the flow of drops");
    f->laid = grid(f, "the sediment");
    f->before = rvi_alloc(ctx, rvi_cells(f->job->land), sizeof(float), "the land as it was");
    f->drop_x = rvi_alloc(ctx, drops, sizeof *f->drop_x, "the drops");
    f->drop_y = rvi_alloc(ctx, drops, sizeof *f->drop_y, "the drops");
    f->drop_tile = rvi_alloc(ctx, drops, sizeof *f->drop_tile, "the drops");
    f->order = rvi_alloc(ctx, drops, sizeof *f->order, "the drops");
    f->tile_start = rvi_alloc(ctx, tiles + 1, sizeof *f->tile_start, "the tiles");
    f->results = rvi_alloc(ctx, tiles, sizeof *f->results, "the tiles");
    f->colour_tiles = rvi_alloc(ctx, tiles, sizeof *f->colour_tiles, "the tiles");
    return f->h && f->flow && f->laid && f->before && f->drop_x && f->drop_y && f->drop_tile &&
                   f->order && f->tile_start && f->results && f->colour_tiles
               ? RV_OK
               : RV_ERROR_MEMORY;
}

static void release(flood *f) {
    rv_context *ctx = f->job->ctx;
    void *all[] = {f->h,       f->before,       f->flow,       f->laid,     f->soft,
                   f->drop_x,  f->drop_y,       f->drop_tile,  f->order,    f->tile_start,
                   f->results, f->colour_tiles, f->rain.cells, f->rain.rows};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rvi_free(ctx, all[i]);
}

/* The index that a place outside 0 ... size - 1 mirrors to, and whether it is outside. */
static int mirror(int i, int size, bool *outside) {
    *outside = i < 0 || i >= size;
    int m = i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
    return m < 0 ? 0 : m >= size ? size - 1 : m;
}

/* The apron goes on as the land came: mirrored at the edge and turned over, 2 h(edge) -
 * h(mirrored), so that slopes run on without a crease. */
static void fill_heights(flood *f) {
    const rv_terrain *land = f->job->land;
    int w = land->width, h = land->height;
    for (int y = 0; y < f->height; y++) {
        bool out_y, out_x;
        int ly = mirror(y - f->margin, h, &out_y);
        const float *row = land->surface + (size_t)ly * (size_t)w;
        const float *edge_row = land->surface + (size_t)(y < f->margin ? 0 : h - 1) * (size_t)w;
        for (int x = 0; x < f->width; x++) {
            int lx = mirror(x - f->margin, w, &out_x);
            int edge = x < f->margin ? 0 : w - 1;
            float value = out_x ? 2.0f * row[edge] - row[lx] : row[lx];
            float on_edge = out_x ? 2.0f * edge_row[edge] - edge_row[lx] : edge_row[lx];
            f->h[at(f, x, y)] = out_y ? 2.0f * on_edge - value : value;
        }
    }
}

/* The erosion factor of thesis section 5.2: mask, hardness and, for bare bedrock, its erodibility.
 */
static rv_status fill_factors(flood *f) {
    const rv_terrain *land = f->job->land;
    const float *hardness = rvi_field_get(land, "hardness");
    float bare = f->layered ? 1.0f : land->layers[0].erodibility;
    f->mask = rvi_field_get(land, "mask");
    if (!f->mask && !hardness && bare == 1.0f)
        return RV_OK;
    f->soft = grid(f, "the erosion factor");
    if (!f->soft)
        return RV_ERROR_MEMORY;
    for (int y = 0; y < f->height; y++)
        for (int x = 0; x < f->width; x++) {
            size_t below = land_cell(f, x, y);
            float soft = bare;
            if (below != SIZE_MAX)
                soft *=
                    (f->mask ? f->mask[below] : 1.0f) * (hardness ? 1.0f - hardness[below] : 1.0f);
            f->soft[at(f, x, y)] = soft;
        }
    return RV_OK;
}

static rv_status fill_rain(flood *f) {
    rv_context *ctx = f->job->ctx;
    const rv_terrain *land = f->job->land;
    if (f->p->rain[0] == '\0')
        return RV_OK;
    float *image;
    rv_status status = rvi_job_image(f->job, f->p->rain, &image);
    if (status != RV_OK)
        return status;
    f->rain.cells =
        rvi_alloc(ctx, (size_t)f->width * (size_t)f->height, sizeof(uint32_t), "the rain");
    f->rain.rows = rvi_alloc(ctx, (size_t)f->height, sizeof(uint64_t), "the rain");
    if (!f->rain.cells || !f->rain.rows) {
        rvi_free(ctx, image);
        return RV_ERROR_MEMORY;
    }
    uint64_t total = 0;
    for (int y = 0; y < f->height; y++) {
        uint32_t sum = 0;
        bool outside;
        int ly = mirror(y - f->margin, land->height, &outside);
        for (int x = 0; x < f->width; x++) {
            int lx = mirror(x - f->margin, land->width, &outside);
            float much = image[(size_t)ly * (size_t)land->width + (size_t)lx];
            sum += (uint32_t)(rvi_clampf(much, 0.0f, 1.0f) * 65535.0f + 0.5f);
            f->rain.cells[(size_t)y * (size_t)f->width + (size_t)x] = sum;
        }
        f->rain.rows[y] = total += sum;
    }
    rvi_free(ctx, image);
    if (total == 0)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: is black everywhere, so no drop can fall.",
                        f->p->rain);
    return RV_OK;
}

/* Brings the land up to date with the grid of the drops. */
static void show_land(const flood *f) {
    rv_terrain *land = f->job->land;
    if (f->layered) {
        rvi_terrain_sum_layers(land);
        return;
    }
    for (int y = 0; y < land->height; y++)
        memcpy(land->surface + (size_t)y * (size_t)land->width,
               f->h + at(f, f->margin, y + f->margin), (size_t)land->width * sizeof(float));
}

/* The change map, part of it blurred (5.10). The blur leaves the sum as it is; where mask or floor
 * hold cells back, what is raised elsewhere is scaled so that nothing is won or lost. */
static rv_status blend_change(flood *f) {
    rv_terrain *land = f->job->land;
    rv_context *ctx = f->job->ctx;
    size_t cells = rvi_cells(land);
    float b = f->p->blend;
    float *change = rvi_alloc(ctx, cells, sizeof(float), "the change map");
    if (!change)
        return RV_ERROR_MEMORY;
    for (size_t i = 0; i < cells; i++)
        change[i] = land->surface[i] - f->before[i];
    rv_status status = rvi_smooth(ctx, change, land->width, land->height, f->p->blur);
    double before = 0.0, raised = 0.0, lowered = 0.0;
    for (size_t i = 0; status == RV_OK && i < cells; i++) {
        float sharp = land->surface[i] - f->before[i];
        float c = b * change[i] + (1.0f - b) * sharp;
        c *= f->mask ? f->mask[i] : 1.0f;
        c = rvi_maxf(c, rvi_minf(f->floor, f->before[i]) - f->before[i]);
        before += (double)sharp;
        *(c > 0.0f ? &raised : &lowered) += (double)c;
        change[i] = c;
    }
    float scale = raised > 0.0 ? rvi_maxf((float)((before - lowered) / raised), 0.0f) : 1.0f;
    for (size_t i = 0; status == RV_OK && i < cells; i++) {
        float c = change[i] > 0.0f ? change[i] * scale : change[i];
        rvi_layers_shift(land, i, f->before[i] + c - land->surface[i]);
    }
    rvi_free(ctx, change);
    return status == RV_OK ? rvi_terrain_sum_layers(land) : status;
}

/* What the drops left behind for those who paint the land. */
static void leave_fields(const flood *f, float *flow, float *eroded, float *deposited) {
    const rv_terrain *land = f->job->land;
    for (int y = 0; y < land->height; y++)
        for (int x = 0; x < land->width; x++) {
            size_t i = (size_t)y * (size_t)land->width + (size_t)x;
            size_t g = at(f, x + f->margin, y + f->margin);
            flow[i] += f->flow[g];
            deposited[i] += f->laid[g];
            eroded[i] += rvi_maxf(f->laid[g] - (f->h[g] - f->before[i]), 0.0f);
        }
}

/* Adds the tiles up, in order. The apron is not land: of what moved there, only the difference it
 * makes to the map counts, as carried off (or, below 0, as carried in). */
static void close_ledger(flood *f) {
    rvi_job *job = f->job;
    double taken = 0.0, laid = 0.0, off = 0.0, afloat = 0.0;
    for (int t = 0; t < f->tiles_x * f->tiles_y; t++) {
        const tile_result *r = &f->results[t];
        taken += r->taken;
        laid += r->laid;
        off += r->carried_off;
        afloat += r->afloat;
        job->drop_steps += r->drop_steps;
    }
    if (f->margin > 0) {
        double change = 0.0;
        laid = 0.0;
        for (int y = 0; y < job->land->height; y++)
            for (int x = 0; x < job->land->width; x++) {
                size_t i = (size_t)y * (size_t)job->land->width + (size_t)x;
                size_t g = at(f, x + f->margin, y + f->margin);
                change += (double)(f->h[g] - f->before[i]);
                laid += (double)f->laid[g];
            }
        taken = laid - change;
        off = -change - afloat;
    }
    double area = (double)job->land->cell * (double)job->land->cell;
    job->ledger = (rv_ledger){taken * area, laid * area, off * area, afloat * area};
}

static rv_status prepare(flood *f) {
    const rv_terrain *land = f->job->land;
    float low, high;
    rvi_range(f->job->ctx, land->surface, rvi_cells(land), &low, &high);
    f->relief = high - low;
    float relief = f->relief > 0.0f ? f->relief : 1.0f;
    f->steer = (1.0f - f->p->inertia) / relief;
    f->pull = f->p->gravity / relief;
    f->min_fall = f->p->min_slope * relief;
    f->floor = isnan(f->p->floor) ? low : f->p->floor;
    f->layered = land->layer_count > 1;
    if (f->p->border == RV_droplets_border_apron)
        f->margin = f->p->margin == RV_AUTO_INT ? f->p->max_path : f->p->margin;
    f->width = land->width + 2 * f->margin;
    f->height = land->height + 2 * f->margin;
    double cells = (double)land->width * (double)land->height;
    double drops = f->p->drops == RV_AUTO_INT ? cells : (double)f->p->drops;
    f->drops = (uint64_t)(drops * ((double)f->width * (double)f->height / cells) + 0.5);
    rvi_brush_make(&f->brush, f->p->radius);
    f->border = f->brush.reach;
    f->stride = (size_t)(f->width + 2 * f->border);
    f->count = f->stride * (size_t)(f->height + 2 * f->border);
    plan_tiles(f);
    rv_status status = allocate(f);
    if (status == RV_OK)
        status = fill_factors(f);
    if (status == RV_OK)
        status = fill_rain(f);
    if (status != RV_OK)
        return status;
    memcpy(f->before, land->surface, rvi_cells(land) * sizeof(float));
    fill_heights(f);
    return RV_OK;
}

static rv_status run_rounds(flood *f) {
    rv_status status = RV_OK;
    for (uint64_t round = 0; status == RV_OK && f->done < f->drops; round++) {
        status = run_round(f, round);
        if (status == RV_OK && rvi_progress_due(f->job->ctx)) {
            show_land(f);
            status = rvi_job_progress(f->job, (double)f->done / (double)f->drops);
        }
    }
    return status;
}

static rv_status run_flood(flood *f) {
    rv_terrain *land = f->job->land;
    rv_status status = prepare(f);
    if (status != RV_OK)
        return status;
    float *flow = rvi_field_make(land, "flow");
    float *eroded = rvi_field_make(land, "eroded");
    float *deposited = rvi_field_make(land, "deposited");
    if (!flow || !eroded || !deposited)
        return RV_ERROR_MEMORY;
    /* On flat land, or land one cell wide, no drop can run. */
    if (f->relief > 0.0f && land->width > 1 && land->height > 1)
        status = run_rounds(f);
    /* A run that was stopped is whole too: all that follows belongs to the drops that did run. */
    show_land(f);
    close_ledger(f);
    leave_fields(f, flow, eroded, deposited);
    rv_status blended = f->p->blend > 0.0f ? blend_change(f) : RV_OK;
    return status == RV_OK ? blended : status;
}

rv_status rvi_step_droplets(rvi_job *job, const rv_droplets_params *p) {
    flood *f = rvi_alloc(job->ctx, 1, sizeof *f, "the drops");
    if (!f)
        return RV_ERROR_MEMORY;
    f->p = p;
    f->job = job;
    rv_status status = run_flood(f);
    release(f);
    rvi_free(job->ctx, f);
    return status;
}
