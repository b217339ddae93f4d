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
 * The order in which drops run is that of rounds.h.
 */
#include "base/math.h"
#include "base/random.h"
#include "base/threads.h"
#include "steps/brush.h"
#include "steps/rounds.h"
#include "terrain/bands.h"
#include "terrain/smooth.h"

#include <math.h>
#include <string.h>

enum { APRON_TURN = 16 }; /* cells */

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
    double sum_before;
    float *before;     /* the surface of the terrain when the step began */
    float *soft;       /* erosion factor, NULL: 1 everywhere */
    float *bands;      /* where the bands of the bedrock lie (bands.h), NULL: there are none */
    const float *mask; /* of the terrain, or NULL */
    bool layered;
    float relief, floor;
    float steer, pull, min_fall; /* (1 - inertia) / R, gravity / R, min_slope R */
    rvi_brush brush;
    rvi_rounds *rounds;
    float *change; /* both only for blend > 0 */
    rvi_smoother *smoother;
    tile_result *results; /* one a tile */
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
    rvi_v4 lost[2] = {{0}, {0}}, floor = rvi_v4_all(f->floor);
    for (int r = 0; r < brush->run_count; r++) {
        ptrdiff_t to = (ptrdiff_t)brush->runs[r].dy * (ptrdiff_t)f->stride + brush->runs[r].dx;
        for (int half = 0; half < 2; half++, to += 4) {
            rvi_v4 h = rvi_v4_load(cell + to);
            rvi_v4 want = rvi_v4_load(w + r * RVI_LANES + 4 * half) * amount;
            want = soft ? want * rvi_v4_load(soft + to) : want;
            rvi_v4 left = rvi_v4_max(h - want, rvi_v4_min(h, floor));
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

/* The plane that touches the land under a drop, u and v cells from the corner of its cell. */
typedef struct plane {
    float u, v, height, gx, gy;
} plane;

/* The erosion factor of the bedrock's bands at one cell of the brush, `cover` metres below the
 * plane. The plane stands for the heights of the cells: a cell that is the first to be through a
 * hard band would else be dug out alone, and all ground would be pits. */
static RVI_HOT float band_factor(const flood *f, const plane *p, int i, const float *bands,
                                 float cover) {
    float z = p->height + (p->gx * (f->brush.dx[i] - p->u) + p->gy * (f->brush.dy[i] - p->v));
    return rvi_strata_band(&f->job->land->strata, z - cover - *bands);
}

static RVI_HOT void weigh_bands(const flood *f, size_t cell, const plane *p, float *w) {
    for (int r = 0; r < f->brush.run_count; r++) {
        size_t row = cell + (size_t)f->brush.runs[r].dy * f->stride + (size_t)f->brush.runs[r].dx;
        for (int i = 0; i < RVI_LANES; i++)
            w[r * RVI_LANES + i] *= band_factor(f, p, r * RVI_LANES + i, f->bands + row + i, 0.0f);
    }
}

static float take_layered(const flood *f, int x, int y, const plane *p, const float *w,
                          float amount) {
    float lost = 0.0f;
    for (int i = 0; i < f->brush.run_count * RVI_LANES; i++) {
        if (w[i] == 0.0f)
            continue;
        int cx = x + (int)f->brush.dx[i], cy = y + (int)f->brush.dy[i];
        size_t here = at(f, cx, cy), below = land_cell(f, cx, cy);
        float room = rvi_maxf(f->h[here] - f->floor, 0.0f);
        float want = rvi_minf(amount * w[i] * (f->soft ? f->soft[here] : 1.0f), room);
        bool apron = below == SIZE_MAX;
        float cover = apron ? 0.0f : f->h[here] - f->job->land->layers[0].thickness[below];
        float soft = f->bands ? band_factor(f, p, i, f->bands + here, cover) : 1.0f;
        if (!apron) {
            lost += rvi_layers_take_soft(f->job->land, below, want, soft);
            f->h[here] = layers_height(f->job->land, below);
        } else {
            want *= soft;
            float left = f->h[here] - want;
            lost += f->h[here] - left;
            f->h[here] = left;
        }
    }
    return lost;
}

/* Takes up to `amount` metres around the drop; returns what came. */
static RVI_HOT float take(const flood *f, int x, int y, const plane *p, float amount) {
    float w[RVI_BRUSH_RUNS * RVI_LANES];
    float sum = rvi_brush_weigh(&f->brush, p->u, p->v, w);
    int reach = (int)f->brush.radius + 2;
    if (x < reach || y < reach || x >= f->width - reach || y >= f->height - reach)
        sum = clip_weights(f, x, y, w);
    float share = amount / sum;
    if (f->layered)
        return take_layered(f, x, y, p, w, share);
    if (f->bands)
        weigh_bands(f, at(f, x, y), p, w);
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
                float taken = take(f, x, y, &(plane){u, v, old, gx, gy}, amount);
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
    bool over_land = land_cell(f, (int)d->x, (int)d->y) != SIZE_MAX;
    *(over_land ? &sum->afloat : &sum->carried_off) += (double)d->sediment;
    return step;
}

static void run_one(void *arg, int tile, uint64_t number, float x, float y) {
    const flood *f = arg;
    tile_result *sum = &f->results[tile];
    drop d = {.x = x, .y = y, .speed = 1.0f, .water = 1.0f, .number = number};
    sum->drop_steps += (uint64_t)run_drop(f, &d, sum);
}

/* ---- before and after ---- */

static void size_grids(flood *f) {
    const rv_terrain *land = f->job->land;
    if (f->p->border == RV_droplets_border_apron)
        f->margin = f->p->margin == RV_AUTO_INT ? f->p->max_path : f->p->margin;
    f->width = land->width + 2 * f->margin;
    f->height = land->height + 2 * f->margin;
    rvi_brush_make(&f->brush, f->p->radius);
    f->border = f->brush.reach;
    f->stride = (size_t)(f->width + 2 * f->border);
    f->count = f->stride * (size_t)(f->height + 2 * f->border);
}

/* What run_flood will need at most: it may find a mask, and rounds are of bounded size. */
static size_t plan_memory(const flood *f) {
    const rv_droplets_params *p = f->p;
    size_t cells = rvi_cells(f->job->land);
    size_t grids = (rvi_strata_there(f->job->land) ? 5 : 4) * f->count,
           rain = p->rain[0] ? f->count : 0;
    size_t maps = cells + (p->blend > 0.0f ? 3 * cells : 0);
    return (grids + rain + maps) * sizeof(float) + ((size_t)3 << 19);
}

static void *grid(flood *f, const char *what) {
    return rvi_alloc(f->job->ctx, f->count, sizeof(float), what);
}

/* Everything, before the first drop falls: nothing can fail for memory when the land has changed.
 */
static rv_status allocate(flood *f) {
    rv_context *ctx = f->job->ctx;
    const rv_terrain *land = f->job->land;
    f->h = grid(f, "the eroded land");
    f->flow = grid(f, "the flow of drops");
    f->laid = grid(f, "the sediment");
    f->before = rvi_alloc(ctx, rvi_cells(land), sizeof(float), "the land as it was");
    if (!f->h || !f->flow || !f->laid || !f->before)
        return RV_ERROR_MEMORY;
    if (f->p->blend == 0.0f)
        return RV_OK;
    f->change = rvi_alloc(ctx, rvi_cells(land), sizeof(float), "the change map");
    if (!f->change)
        return RV_ERROR_MEMORY;
    return rvi_smoother_create(ctx, land->width, land->height, f->p->blur, &f->smoother);
}

static void release(flood *f) {
    void *all[] = {f->h, f->flow, f->laid, f->before, f->soft, f->bands, f->change, f->results};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rvi_free(f->job->ctx, all[i]);
    rvi_rounds_destroy(f->rounds);
    rvi_smoother_destroy(f->smoother);
}

/* How the apron goes on i cells beyond the edge: edge + w (edge - mirrored). At first w is 1 and
 * slopes run on without a crease; it falls to -1, the mirrored land itself, within `turn` cells. */
static float apron_weight(int i, int turn) {
    float t = rvi_minf((float)i / (float)turn, 1.0f);
    return 1.0f - 2.0f * t * t * (3.0f - 2.0f * t);
}

/* The index in 0 ... size - 1 at the edge that i lies beyond, and how far beyond it lies. */
static int nearest(int i, int size, int *beyond) {
    int edge = i < 0 ? 0 : i >= size ? size - 1 : i;
    *beyond = i > edge ? i - edge : edge - i;
    return edge;
}

static float beyond_edge(float edge, float mirrored, int beyond) {
    return beyond == 0 ? edge : edge + apron_weight(beyond, APRON_TURN) * (edge - mirrored);
}

static void fill_heights(flood *f) {
    const rv_terrain *land = f->job->land;
    for (int y = 0; y < f->height; y++) {
        int out_y, edge_y = nearest(y - f->margin, land->height, &out_y);
        const float *row = land->surface + (size_t)edge_y * (size_t)land->width;
        const float *other =
            land->surface + (size_t)rvi_mirror(y - f->margin, land->height) * (size_t)land->width;
        for (int x = 0; x < f->width; x++) {
            int out_x, edge_x = nearest(x - f->margin, land->width, &out_x);
            int other_x = rvi_mirror(x - f->margin, land->width);
            float here = beyond_edge(row[edge_x], row[other_x], out_x);
            float there = beyond_edge(other[edge_x], other[other_x], out_x);
            f->h[at(f, x, y)] = beyond_edge(here, there, out_y);
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

static void band_rows(void *arg, int first, int end) {
    const flood *f = arg;
    const rv_terrain *land = f->job->land;
    double cell = (double)land->cell, west = -cell * (double)f->margin;
    for (int y = first; y < end; y++)
        rvi_strata_row(&land->strata, west, cell * (double)(y - f->margin), cell, f->width,
                       f->bands + at(f, 0, y));
}

static rv_status find_bands(flood *f) {
    if (!rvi_strata_there(f->job->land))
        return RV_OK;
    f->bands = grid(f, "the bands of the bedrock");
    if (!f->bands)
        return RV_ERROR_MEMORY;
    return rvi_parallel_rows(f->job->ctx, f->height, band_rows, f);
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

/* The change map, part of it blurred (5.10): change + blend (blurred - change). Blurring leaves the
 * sum as it is; but hard or masked ground is not lowered by it, and no ground below the floor, so
 * what it raises and what it lowers are brought to the same sum: nothing is won or lost. */
static rv_status blend_change(flood *f) {
    rv_terrain *land = f->job->land;
    size_t cells = rvi_cells(land), width = (size_t)land->width;
    float *change = f->change;
    for (size_t i = 0; i < cells; i++)
        change[i] = land->surface[i] - f->before[i];
    rv_status status = rvi_smoother_run(f->smoother, change);
    if (status != RV_OK)
        return status;
    double raised = 0.0, lowered = 0.0;
    for (size_t i = 0; i < cells; i++) {
        float now = land->surface[i];
        float by = f->p->blend * (change[i] - (now - f->before[i]));
        if (by > 0.0f) {
            by *= f->mask ? f->mask[i] : 1.0f;
        } else {
            size_t g = at(f, (int)(i % width) + f->margin, (int)(i / width) + f->margin);
            by *= f->soft ? f->soft[g] : 1.0f;
            by = rvi_maxf(by, rvi_minf(f->floor - now, 0.0f));
        }
        *(by > 0.0f ? &raised : &lowered) += (double)by;
        change[i] = by;
    }
    float up = raised > -lowered ? (float)(-lowered / raised) : 1.0f;
    float down = raised < -lowered ? (float)(raised / -lowered) : 1.0f;
    double owed = 0.0; /* what rounding kept from the cells before: the next one gets it */
    for (size_t i = 0; i < cells; i++) {
        if (change[i] == 0.0f)
            continue;
        owed += (double)(change[i] * (change[i] > 0.0f ? up : down));
        double least = (double)rvi_minf(f->floor - land->surface[i], 0.0f);
        owed -= rvi_layers_shift(land, i, (float)(owed > least ? owed : least));
    }
    return rvi_terrain_sum_layers(land);
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

static double land_sum(const rv_terrain *land) {
    double sum = 0.0;
    for (int l = 0; l < land->layer_count; l++)
        sum += rvi_sum(land->ctx, land->layers[l].thickness, rvi_cells(land));
    return sum;
}

/* Adds the tiles up, in order. The apron is not land: of what moved there, only the difference it
 * makes to the map counts, as carried off (or, below 0, as carried in). */
static void close_ledger(flood *f) {
    rvi_job *job = f->job;
    double taken = 0.0, laid = 0.0, off = 0.0, afloat = 0.0;
    for (int t = 0; t < rvi_rounds_tiles(f->rounds); t++) {
        const tile_result *r = &f->results[t];
        taken += r->taken;
        laid += r->laid;
        off += r->carried_off;
        afloat += r->afloat;
        job->drop_steps += r->drop_steps;
    }
    if (f->margin > 0) {
        double change = land_sum(job->land) - f->sum_before;
        laid = 0.0;
        for (int y = 0; y < job->land->height; y++)
            for (int x = 0; x < job->land->width; x++)
                laid += (double)f->laid[at(f, x + f->margin, y + f->margin)];
        taken = laid - change;
        off = -change - afloat;
    }
    double area = (double)job->land->cell * (double)job->land->cell;
    job->ledger = (rv_ledger){taken * area, laid * area, off * area, afloat * area};
}

/* Rain falls on the apron as on the map. */
static rv_status plan_rounds(flood *f) {
    rv_context *ctx = f->job->ctx;
    const rv_terrain *land = f->job->land;
    double cells = (double)rvi_cells(land);
    double drops = f->p->drops == RV_AUTO_INT ? cells / 2.0 : (double)f->p->drops;
    double more = (double)f->width * (double)f->height / cells;
    rvi_rounds_desc desc = {
        .width = f->width,
        .height = f->height,
        .reach = f->p->max_path + 1 + f->brush.reach,
        .cost = (double)f->p->max_path * (1.0 + (double)f->brush.run_count / 8.0),
        .drops = (uint64_t)(drops * more + 0.5),
        .seed = f->p->seed,
        .run = run_one,
        .arg = f,
    };
    rv_status status = RV_OK;
    if (f->p->rain[0] != '\0') {
        float *image;
        status = rvi_job_image(f->job, f->p->rain, &image);
        if (status != RV_OK)
            return status;
        status =
            rvi_rain_make(ctx, image, land->width, land->height, f->margin, f->p->rain, &desc.rain);
        rvi_free(ctx, image);
    }
    if (status == RV_OK)
        status = rvi_rounds_create(ctx, &desc, &f->rounds);
    else
        rvi_rain_free(ctx, &desc.rain);
    if (status != RV_OK)
        return status;
    size_t tiles = (size_t)rvi_rounds_tiles(f->rounds);
    f->results = rvi_alloc(ctx, tiles, sizeof *f->results, "the tiles");
    return f->results ? RV_OK : RV_ERROR_MEMORY;
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
    rv_status status = allocate(f);
    if (status == RV_OK)
        status = fill_factors(f);
    if (status == RV_OK)
        status = find_bands(f);
    if (status == RV_OK)
        status = plan_rounds(f);
    if (status != RV_OK)
        return status;
    memcpy(f->before, land->surface, rvi_cells(land) * sizeof(float));
    f->sum_before = land_sum(land);
    fill_heights(f);
    return RV_OK;
}

static rv_status run_rounds(flood *f) {
    rv_status status = RV_OK;
    while (status == RV_OK && rvi_rounds_done(f->rounds) < 1.0) {
        status = rvi_rounds_next(f->rounds);
        if (status != RV_OK)
            break;
        if (rvi_progress_due(f->job->ctx))
            show_land(f);
        status = rvi_job_progress(f->job, rvi_rounds_done(f->rounds));
    }
    return status;
}

static rv_status run_flood(flood *f) {
    rv_terrain *land = f->job->land;
    rv_status status = prepare(f);
    if (status != RV_OK)
        return status;
    static const char *const names[3] = {"flow", "eroded", "deposited"};
    float *fields[3];
    status = rvi_fields_make(land, names, 3, fields);
    if (status != RV_OK)
        return status;
    /* On flat land, or land one cell wide, no drop can run. */
    if (f->relief > 0.0f && land->width > 1 && land->height > 1)
        status = run_rounds(f);
    /* A run that was stopped is whole too: all that follows belongs to the drops that did run. */
    show_land(f);
    close_ledger(f);
    leave_fields(f, fields[0], fields[1], fields[2]);
    rv_status blended = f->p->blend > 0.0f ? blend_change(f) : RV_OK;
    return status == RV_OK ? blended : status;
}

rv_status rvi_step_droplets(rvi_job *job, const rv_droplets_params *p) {
    flood *f = rvi_alloc(job->ctx, 1, sizeof *f, "the drops");
    if (!f)
        return RV_ERROR_MEMORY;
    f->p = p;
    f->job = job;
    size_grids(f);
    float *none;
    rv_status status = RV_OK;
    if (!job->planning) {
        status = run_flood(f);
    } else {
        job->memory = plan_memory(f);
        if (p->rain[0] != '\0')
            status = rvi_job_image(job, p->rain, &none);
    }
    release(f);
    rvi_free(job->ctx, f);
    return status;
}
