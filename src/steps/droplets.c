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

/* What drops leave on a cell, beside each other because a step of a drop needs both. */
typedef struct trace {
    float flow; /* water that ran over it */
    float laid; /* metres of sediment */
} trace;

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
    float *h;
    trace *traces;
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
    int leg;              /* steps a drop makes in a round, at most */
    struct drop *drops;   /* one a slot of the rounds */
    tile_result *results; /* one a tile */
    /* Only with give=same, one for each layer: */
    float *loads;    /* of each slot: what its drop carries of it */
    double *laid_on; /* of each tile: what was laid on it, metres on one cell */
} flood;

/* What a drop carries, and where what it lays down is counted; NULL: all becomes the top. */
typedef struct cargo {
    float *load;
    double *laid_on;
} cargo;

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
                          float amount, const cargo *c) {
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
            lost += rvi_layers_take_parts(f->job->land, below, want, soft, c->load);
            f->h[here] = layers_height(f->job->land, below);
        } else {
            want *= soft;
            float left = f->h[here] - want;
            lost += f->h[here] - left;
            if (c->load) /* the apron knows no layers */
                c->load[f->job->land->layer_count - 1] += f->h[here] - left;
            f->h[here] = left;
        }
    }
    return lost;
}

/* Takes up to `amount` metres around the drop; returns what came. */
static RVI_HOT float take(const flood *f, int x, int y, const plane *p, float amount,
                          const cargo *c) {
    float w[RVI_BRUSH_RUNS * RVI_LANES];
    float sum = rvi_brush_weigh(&f->brush, p->u, p->v, w);
    int reach = (int)f->brush.radius + 2;
    if (x < reach || y < reach || x >= f->width - reach || y >= f->height - reach)
        sum = clip_weights(f, x, y, w);
    float share = amount / sum;
    if (f->layered)
        return take_layered(f, x, y, p, w, share, c);
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
    f->traces[i].laid += given;
    return given;
}

/* The same as lay_corner on all four, where there is one layer and no mask. */
static RVI_HOT float lay_plain(const flood *f, int x, int y, rvi_v4 amounts, float sediment) {
    size_t north = at(f, x, y), south = north + f->stride;
    float *h[4] = {f->h + north, f->h + north + 1, f->h + south, f->h + south + 1};
    rvi_v4 ground = {*h[0], *h[1], *h[2], *h[3]};
    rvi_v4 raised = ground + amounts, given = raised - ground;
    trace *traces[4] = {f->traces + north, f->traces + north + 1, f->traces + south,
                        f->traces + south + 1};
    float sum = 0.0f;
    for (int k = 0; k < 4; k++) {
        if (given[k] > sediment - sum)
            continue; /* rounding would make sediment out of nothing */
        *h[k] = raised[k];
        traces[k]->laid += given[k];
        sum += given[k];
    }
    return sum;
}

/* The same, each material on its own layer; in the apron, of each its share. */
static float lay_same(const flood *f, int x, int y, float amount, const cargo *c) {
    rv_terrain *land = f->job->land;
    size_t i = at(f, x, y), below = land_cell(f, x, y);
    float given = 0.0f, sum = 0.0f;
    if (below != SIZE_MAX) {
        given = rvi_layers_lay_parts(land, below, amount, c->load, c->laid_on);
        f->h[i] = layers_height(land, below);
        f->traces[i].laid += given;
        return given;
    }
    for (int l = 0; l < land->layer_count; l++)
        sum += c->load[l];
    float share = sum > amount ? amount / sum : 1.0f;
    for (int l = 0; l < land->layer_count; l++) {
        float raised = f->h[i] + share * c->load[l], gain = raised - f->h[i];
        if (!(gain > 0.0f && gain <= c->load[l]))
            continue;
        f->h[i] = raised;
        c->load[l] -= gain;
        given += gain;
    }
    f->traces[i].laid += given;
    return given;
}

/* Lays `amount` of `sediment` down on the corners of the cell; returns what stayed there. */
static RVI_HOT float lay(const flood *f, int x, int y, float u, float v, float amount,
                         float sediment, const cargo *c) {
    rvi_v4 w = {(1.0f - u) * (1.0f - v), u * (1.0f - v), (1.0f - u) * v, u * v};
    if (!f->layered && !f->mask)
        return lay_plain(f, x, y, amount * w, sediment);
    float given = 0.0f;
    for (int k = 0; k < 4; k++) {
        int cx = x + (k & 1), cy = y + (k >> 1);
        float part = amount * w[k];
        if (f->mask) {
            size_t below = land_cell(f, cx, cy);
            part *= below != SIZE_MAX ? f->mask[below] : 1.0f;
        }
        given += c->load ? lay_same(f, cx, cy, rvi_minf(part, sediment - given), c)
                         : lay_corner(f, cx, cy, part, sediment - given);
    }
    return given;
}

/* Asks for memory that will be written soon. */
#if defined(__GNUC__)
#define RVI_PREFETCH(address) __builtin_prefetch(address, 1)
#else
#define RVI_PREFETCH(address) ((void)(address))
#endif

/* ---- drops, four in the lanes of a vector ---- */

/* Drops of two tiles that may run side by side cannot meet, so it is the same whether they run one
 * after the other or step by step together: each lane runs the drops of a tile of its own. (More
 * lanes than four were slower: their land did not fit into the nearest cache.) */
enum { LANES = 4, LEG = 32 };

/* A drop between two rounds; 0 sediment where there is none. */
typedef struct drop {
    float dx, dy, speed, water, sediment;
    int step;
} drop;

typedef struct lane {
    const int *next, *end; /* slots of the drops of its tile that wait */
    int tile, slot;
    int first; /* steps the drop had made before this round */
    int most;  /* steps it may make in it */
    bool ended, idle;
    cargo cargo;
} lane;

typedef struct group {
    rvi_v4 x, y, dx, dy;
    rvi_v4 speed, water, sediment;
    rvi_m4 left; /* steps until the drop has to stop for this round */
    lane lanes[LANES];
    int idle;     /* lanes without a drop */
    bool stopped; /* a drop has ended */
} group;

/* The tiles that one call has to run. */
typedef struct batch {
    const int *tiles;
    int count, begun;
} batch;

/* The corners of a cell in each lane. */
typedef struct corners {
    rvi_v4 nw, ne, sw, se;
} corners;

static RVI_HOT corners look(const flood *f, rvi_m4 x, rvi_m4 y) {
    const float *a = f->h + at(f, x[0], y[0]), *b = f->h + at(f, x[1], y[1]);
    const float *c = f->h + at(f, x[2], y[2]), *d = f->h + at(f, x[3], y[3]);
    size_t s = f->stride;
    return (corners){
        {a[0], b[0], c[0], d[0]},
        {a[1], b[1], c[1], d[1]},
        {a[s], b[s], c[s], d[s]},
        {a[s + 1], b[s + 1], c[s + 1], d[s + 1]},
    };
}

static RVI_HOT rvi_v4 height_in(const corners *c, rvi_v4 u, rvi_v4 v) {
    return (c->nw * (1.0f - u) + c->ne * u) * (1.0f - v) + (c->sw * (1.0f - u) + c->se * u) * v;
}

static RVI_HOT rvi_m4 whole(rvi_v4 v) {
    return __builtin_convertvector(v, rvi_m4);
}

static RVI_HOT rvi_v4 part(rvi_v4 v, rvi_m4 w) {
    return v - __builtin_convertvector(w, rvi_v4);
}

static RVI_HOT bool all_lanes(rvi_m4 m) {
    return (m[0] & m[1] & m[2] & m[3]) != 0;
}

static void turn_anywhere(const flood *f, group *g, int k) {
    const lane *l = &g->lanes[k];
    uint64_t number = rvi_rounds_slots(f->rounds)[l->slot].number;
    uint64_t step = (uint64_t)(l->first + l->most - g->left[k]);
    float angle = rvi_unit(rvi_random(f->p->seed, number, step)) * (float)(2.0 * RVI_PI);
    g->dx[k] = rvi_cosf(angle);
    g->dy[k] = rvi_sinf(angle);
}

static RVI_HOT void turn(const flood *f, group *g, rvi_v4 gx, rvi_v4 gy) {
    rvi_v4 dx = g->dx * f->p->inertia - gx * f->steer;
    rvi_v4 dy = g->dy * f->p->inertia - gy * f->steer;
    rvi_v4 length = rvi_v4_sqrt(dx * dx + dy * dy);
    rvi_v4 scale = 1.0f / length;
    g->dx = dx * scale;
    g->dy = dy * scale;
    if (!all_lanes(length > 0.0f))
        for (int k = 0; k < LANES; k++)
            if (!(length[k] > 0.0f) && !g->lanes[k].idle)
                turn_anywhere(f, g, k);
}

static RVI_HOT void lay_lane(const flood *f, group *g, int k, int x, int y, float u, float v,
                             float amount) {
    float given = lay(f, x, y, u, v, amount, g->sediment[k], &g->lanes[k].cargo);
    f->results[g->lanes[k].tile].laid += (double)given;
    g->sediment[k] -= given;
}

/* The drop ends; what it carries is afloat, or has left the map. */
static void end_drop(const flood *f, group *g, int k, bool left) {
    tile_result *sum = &f->results[g->lanes[k].tile];
    bool over_land = !left && land_cell(f, (int)g->x[k], (int)g->y[k]) != SIZE_MAX;
    *(over_land ? &sum->afloat : &sum->carried_off) += (double)g->sediment[k];
    g->sediment[k] = 0.0f;
    g->lanes[k].ended = true;
    g->stopped = true;
}

/* Keeps a drop inside closed borders: it slides along the wall. false: it is stuck in a corner. */
static bool hold_inside(const flood *f, const group *g, int k, rvi_v4 *x, rvi_v4 *y) {
    /* The largest places from which the cell to the east and south is still on the map. */
    float most_x = (float)(f->width - 1) * (1.0f - 0x1p-23f);
    float most_y = (float)(f->height - 1) * (1.0f - 0x1p-23f);
    (*x)[k] = rvi_clampf((*x)[k], 0.0f, most_x);
    (*y)[k] = rvi_clampf((*y)[k], 0.0f, most_y);
    return (*x)[k] != g->x[k] || (*y)[k] != g->y[k];
}

static void stay(const group *g, int k, rvi_v4 *x, rvi_v4 *y) {
    (*x)[k] = g->x[k];
    (*y)[k] = g->y[k];
}

/* A drop would leave the map in this step. */
static void meet_border(const flood *f, group *g, int k, rvi_v4 *x, rvi_v4 *y) {
    bool wall = f->p->border == RV_droplets_border_wall;
    if (wall && hold_inside(f, g, k, x, y))
        return;
    if (wall) {
        int cx = (int)g->x[k], cy = (int)g->y[k];
        lay_lane(f, g, k, cx, cy, g->x[k] - (float)cx, g->y[k] - (float)cy, g->sediment[k]);
    }
    end_drop(f, g, k, !wall);
    stay(g, k, x, y);
}

static RVI_HOT void move(const flood *f, group *g, rvi_v4 *x, rvi_v4 *y) {
    *x = g->x + g->dx;
    *y = g->y + g->dy;
    rvi_m4 inside =
        (*x >= 0.0f) & (*y >= 0.0f) & (*x < (float)(f->width - 1)) & (*y < (float)(f->height - 1));
    if (all_lanes(inside) && g->idle == 0)
        return;
    for (int k = 0; k < LANES; k++) {
        if (g->lanes[k].idle)
            stay(g, k, x, y);
        else if (!inside[k])
            meet_border(f, g, k, x, y);
    }
}

/* Takes or lays down what the drop's capacity asks for; returns whether it is caught in a pit. */
static RVI_HOT bool exchange(const flood *f, group *g, int k, int x, int y, const plane *ground,
                             float dh, float capacity) {
    float sediment = g->sediment[k];
    if (dh > 0.0f || sediment > capacity) {
        float surplus = (sediment - capacity) * f->p->deposition;
        float amount = dh > 0.0f ? rvi_minf(sediment, dh) : surplus;
        lay_lane(f, g, k, x, y, ground->u, ground->v, amount);
        return dh > sediment;
    }
    float amount = rvi_minf((capacity - sediment) * f->p->erosion, -dh);
    if (amount > 0.0f) {
        float taken = take(f, x, y, ground, amount, &g->lanes[k].cargo);
        f->results[g->lanes[k].tile].taken += (double)taken;
        g->sediment[k] += taken;
    }
    return false;
}

/* One step of the drops of all lanes. */
static RVI_HOT void step_group(const flood *f, group *g) {
    rvi_m4 x = whole(g->x), y = whole(g->y);
    rvi_v4 u = part(g->x, x), v = part(g->y, y);
    rvi_m4 near_x = whole(g->x + 0.5f), near_y = whole(g->y + 0.5f);
    size_t near[LANES];
    for (int k = 0; k < LANES; k++) {
        near[k] = at(f, near_x[k], near_y[k]);
        RVI_PREFETCH(f->traces + near[k]);
    }
    corners c = look(f, x, y);
    rvi_v4 gx = (c.ne - c.nw) * (1.0f - v) + (c.se - c.sw) * v;
    rvi_v4 gy = (c.sw - c.nw) * (1.0f - u) + (c.se - c.ne) * u;
    rvi_v4 old = height_in(&c, u, v);
    turn(f, g, gx, gy);
    rvi_v4 new_x, new_y;
    move(f, g, &new_x, &new_y);
    rvi_m4 nx = whole(new_x), ny = whole(new_y);
    corners d = look(f, nx, ny);
    rvi_v4 dh = height_in(&d, part(new_x, nx), part(new_y, ny)) - old;
    rvi_v4 capacity =
        rvi_v4_max(-dh, rvi_v4_all(f->min_fall)) * g->speed * g->water * f->p->capacity;
    rvi_v4 energy = g->speed * g->speed - dh * f->pull;
    for (int k = 0; k < LANES; k++) {
        if (g->lanes[k].idle)
            continue;
        f->traces[near[k]].flow += g->water[k];
        if (g->lanes[k].ended)
            continue;
        plane ground = {u[k], v[k], old[k], gx[k], gy[k]};
        bool trapped = exchange(f, g, k, x[k], y[k], &ground, dh[k], capacity[k]);
        if (trapped && !(energy[k] > 0.0f))
            end_drop(f, g, k, false);
    }
    g->speed = rvi_v4_sqrt(rvi_v4_max(energy, rvi_v4_all(0.0f)));
    g->water *= 1.0f - f->p->evaporation;
    g->x = new_x;
    g->y = new_y;
    g->left -= 1;
}

/* Puts the next drop of the batch into a lane. false: there is none. */
static bool begin_drop(const flood *f, batch *b, group *g, int k) {
    lane *l = &g->lanes[k];
    while (l->next == l->end) {
        if (b->begun == b->count)
            return false;
        int drops;
        l->tile = b->tiles[b->begun++];
        l->next = rvi_rounds_in(f->rounds, l->tile, &drops);
        l->end = l->next + drops;
    }
    l->slot = *l->next++;
    l->ended = false;
    const rvi_slot *slot = &rvi_rounds_slots(f->rounds)[l->slot];
    drop fresh = {.speed = 1.0f, .water = 1.0f};
    const drop *d = slot->fresh ? &fresh : &f->drops[l->slot];
    g->x[k] = slot->x, g->y[k] = slot->y;
    g->dx[k] = d->dx, g->dy[k] = d->dy;
    g->speed[k] = d->speed, g->water[k] = d->water, g->sediment[k] = d->sediment;
    l->first = d->step;
    l->most = rvi_mini(f->leg, f->p->max_path - d->step);
    g->left[k] = l->most;
    if (f->loads) {
        size_t layers = (size_t)f->job->land->layer_count;
        l->cargo.load = f->loads + (size_t)l->slot * layers;
        l->cargo.laid_on = f->laid_on + (size_t)l->tile * layers;
        if (slot->fresh)
            memset(l->cargo.load, 0, layers * sizeof(float));
    }
    return true;
}

/* The drop has run as far as it can in this round. */
static void leave_drop(const flood *f, group *g, int k) {
    lane *l = &g->lanes[k];
    int made = l->most - g->left[k];
    if (!l->ended && l->first + made == f->p->max_path)
        end_drop(f, g, k, false);
    f->results[l->tile].drop_steps += (uint64_t)made;
    f->drops[l->slot] =
        (drop){g->dx[k], g->dy[k], g->speed[k], g->water[k], g->sediment[k], l->first + made};
    rvi_slot *slot = &rvi_rounds_slots(f->rounds)[l->slot];
    slot->x = g->x[k], slot->y = g->y[k];
    slot->ended = l->ended;
}

/* Fills the lanes; returns whether there is a drop to run. An idle lane stands where another of its
 * group began: what it does is not used, but it must not look at land that others work on. */
static bool begin_group(const flood *f, batch *b, group *g) {
    *g = (group){.left = {0}};
    for (int k = 0; k < LANES; k++) {
        if (begin_drop(f, b, g, k))
            continue;
        g->lanes[k].idle = true;
        g->idle++;
        g->left[k] = -1;
        g->x[k] = g->x[0];
        g->y[k] = g->y[0];
    }
    return g->idle < LANES;
}

/* Lanes whose drop has stopped get the next one; returns whether there is one to run. */
static bool change_drops(const flood *f, batch *b, group *g) {
    g->stopped = false;
    for (int k = 0; k < LANES; k++) {
        lane *l = &g->lanes[k];
        if (l->idle || (!l->ended && g->left[k] != 0))
            continue;
        leave_drop(f, g, k);
        l->idle = !begin_drop(f, b, g, k);
        g->idle += l->idle;
    }
    return g->idle < LANES;
}

static void run_tiles(void *arg, const int *tiles, int count) {
    const flood *f = arg;
    batch b = {tiles, count, 0};
    group g;
    bool running = begin_group(f, &b, &g);
    while (running) {
        step_group(f, &g);
        if (g.stopped || !all_lanes(g.left != 0))
            running = change_drops(f, &b, &g);
    }
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
    int legs = (f->p->max_path + LEG - 1) / LEG;
    f->leg = (f->p->max_path + legs - 1) / legs;
    f->stride = (size_t)(f->width + 2 * f->border);
    f->count = f->stride * (size_t)(f->height + 2 * f->border);
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
    f->traces = rvi_alloc(ctx, f->count, sizeof *f->traces, "the traces of drops");
    f->before = rvi_alloc(ctx, rvi_cells(land), sizeof(float), "the land as it was");
    if (!f->h || !f->traces || !f->before)
        return RV_ERROR_MEMORY;
    if (f->p->blend == 0.0f)
        return RV_OK;
    f->change = rvi_alloc(ctx, rvi_cells(land), sizeof(float), "the change map");
    if (!f->change)
        return RV_ERROR_MEMORY;
    return rvi_smoother_create(ctx, land->width, land->height, f->p->blur, &f->smoother);
}

static void release(flood *f) {
    void *all[] = {f->h,      f->traces, f->before,  f->soft,  f->bands,
                   f->change, f->drops,  f->results, f->loads, f->laid_on};
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
            flow[i] += f->traces[g].flow;
            deposited[i] += f->traces[g].laid;
            eroded[i] += rvi_maxf(f->traces[g].laid - (f->h[g] - f->before[i]), 0.0f);
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
    int on_their_way; /* when the user asked to stop */
    const int *slots = rvi_rounds_afloat(f->rounds, &on_their_way);
    for (int i = 0; i < on_their_way; i++)
        afloat += (double)f->drops[slots[i]].sediment;
    if (f->margin > 0) {
        double change = land_sum(job->land) - f->sum_before;
        laid = 0.0;
        for (int y = 0; y < job->land->height; y++)
            for (int x = 0; x < job->land->width; x++)
                laid += (double)f->traces[at(f, x + f->margin, y + f->margin)].laid;
        taken = laid - change;
        off = -change - afloat;
    }
    double area = (double)job->land->cell * (double)job->land->cell;
    int layers = job->land->layer_count;
    for (int k = 0; f->laid_on && k < rvi_rounds_tiles(f->rounds) * layers; k++)
        job->laid_on[k % layers] += area * f->laid_on[k];
    job->ledger = (rv_ledger){taken * area, laid * area, off * area, afloat * area, 0.0};
}

/* Rain falls on the apron as on the map. */
static rvi_rounds_desc describe_rounds(flood *f) {
    double cells = (double)rvi_cells(f->job->land);
    double drops = f->p->drops == RV_AUTO_INT ? cells / 2.0 : (double)f->p->drops;
    double more = (double)f->width * (double)f->height / cells;
    return (rvi_rounds_desc){
        .width = f->width,
        .height = f->height,
        .reach = f->leg + 1 + f->brush.reach,
        .cost = (double)f->leg * (1.0 + (double)f->brush.run_count / 8.0),
        .drops = (uint64_t)(drops * more + 0.5),
        .seed = f->p->seed,
        .run = run_tiles,
        .arg = f,
    };
}

static bool carries_materials(const flood *f) {
    return f->p->give != RV_droplets_give_top && f->job->land->layer_count > 1;
}

/* What run_flood will need at most: it may find a mask. */
static size_t plan_memory(flood *f) {
    const rv_droplets_params *p = f->p;
    size_t cells = rvi_cells(f->job->land);
    size_t grids = (rvi_strata_there(f->job->land) ? 5 : 4) * f->count,
           rain = p->rain[0] ? f->count : 0;
    size_t maps = cells + (p->blend > 0.0f ? 3 * cells : 0);
    rvi_rounds_desc desc = describe_rounds(f);
    size_t kinds = carries_materials(f) ? (size_t)f->job->land->layer_count : 0;
    size_t rounds = rvi_rounds_memory(&desc, sizeof(drop) + kinds * sizeof(float),
                                      sizeof(tile_result) + kinds * sizeof(double));
    return (grids + rain + maps) * sizeof(float) + rounds + ((size_t)1 << 16);
}

static rv_status plan_rounds(flood *f) {
    rv_context *ctx = f->job->ctx;
    const rv_terrain *land = f->job->land;
    rvi_rounds_desc desc = describe_rounds(f);
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
    size_t most = (size_t)rvi_rounds_most(f->rounds);
    f->results = rvi_alloc(ctx, tiles, sizeof *f->results, "the tiles");
    f->drops = rvi_alloc(ctx, most, sizeof *f->drops, "the drops");
    if (!f->results || !f->drops)
        return RV_ERROR_MEMORY;
    if (!carries_materials(f))
        return RV_OK;
    size_t layers = (size_t)land->layer_count;
    f->loads = rvi_alloc(ctx, most * layers, sizeof *f->loads, "what drops carry");
    f->laid_on = rvi_alloc(ctx, tiles * layers, sizeof *f->laid_on, "the ledger");
    return f->loads && f->laid_on ? RV_OK : RV_ERROR_MEMORY;
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
