/* particles.c: particles of water that roll down the land with a velocity of their own.
 *
 * After N. Chiba, K. Muraoka, K. Fujita, An erosion model based on velocity fields for the visual
 * simulation of mountain scenery, 1998, in its simple form. A particle starts anywhere with some
 * water w, a velocity v downhill (moves a step; a move is a length) and no sediment s (metres on
 * the square that it stands for, as wide as a move), w = 1 and v = 0 unless told. In each step it
 *     speeds up  v += acceleration n,  n the part along the map of the unit normal of the surface,
 *                whose slopes are metres by metres
 *     rubs       v *= 1 - friction
 *     moves      pos' = pos + v, but at most by one move; dh = h(pos') - h(pos)
 *     can carry  c = capacity |v| w move
 *     overfull   s > c: lays down deposition (s - c)
 *     else       takes min(softness (c - s), -dh), nothing uphill
 *     dries      w -= evaporation
 * It takes and lays down where it was before the move, nothing from below where it goes and nothing
 * above where it came from, nor above its slope beside lower ground. Both fade out towards these
 * heights, so that no step is left there, and banks give more than the bed: gullies are as wide as
 * they are deep. At its end it lays down what it has left, on a wider disc where there is no room:
 * when it is dry, or after max_path steps; but not over an open edge. The method names no bound on
 * what is taken; without -dh a particle digs itself a pit on its way. The factor `move` makes
 * metres of sediment out of a velocity: land that is larger in all directions, with its moves,
 * wears to the same shape. With move=auto a particle stands for a square of 0.6 moves. With
 * place=disc it takes from a disc (brush.h) and feels and fills the cells within a move of it
 * (near_cells.h), so that finer cells change nothing but the detail. On cells too coarse for that
 * the disc is wider, but not the move; fewer particles, which stand for wider squares, do. With
 * place=bilinear slopes and heights are those of the bilinear surface, and the four corners of the
 * cell give and get by their weight; with place=nearest all of it is at the nearest vertex. The
 * order in which particles run is that of drop_rounds.h; with order=batch all particles on their
 * way make their steps together, as batch_cell.h and particle_move.h say.
 */
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "steps/particles/particle_move.h"
#include "steps/step.h"
#include "terrain/layers.h"
#include "wear/drop_batch.h"
#include "wear/drop_ends.h"
#include "wear/drop_lengths.h"
#include "wear/drop_rounds.h"
#include "wear/erosion_factor.h"
#include "wear/fill_level.h"
#include "wear/floor.h"
#include "wear/near_cells.h"

#include <math.h>
#include <string.h>

typedef struct tile_sums {
    double eroded, deposited, left_map, suspended; /* metres on one cell */
    uint64_t steps;
    rvi_drop_ends ends;
} tile_sums;

/* One run of the step. Particles work on the terrain itself: once they run nothing can fail, and
 * each leaves the land whole. */
typedef struct rolling {
    const rv_particles_params *p;
    rvi_job *job;
    int width, height, most_steps;
    float *h; /* the surface */
    float *flow, *eroded, *deposited;
    const float *mask; /* NULL: 1 everywhere */
    rvi_erosion_factor factor;
    bool layered;
    float floor, per_cell; /* 1 / cell */
    float radius, move;    /* in cells */
    float end_radius;      /* of the disc that gets what has no room at the end of the path */
    float near;            /* half the width of what it feels and fills: a move, or a cell */
    float apart;           /* side of the square that a particle stands for, in cells */
    float share;           /* apart^2: a metre on that square, on one cell */
    rvi_rounds rounds;
    tile_sums *sums; /* one a tile */
    /* Only with give=same, of each tile one for each layer: */
    float *loads;         /* what the running particle carries of it */
    double *deposited_on; /* what was deposited on it, metres on one cell */
    rvi_batch batch;      /* only with order=batch */
    rvi_particle_law law;
} rolling;

/* What a particle carries, and where what it lays down is counted; NULL: all becomes the top. */
typedef struct cargo {
    float *load;
    double *deposited_on;
} cargo;

/* ---- the ground under a particle ---- */

/* What a particle feels of the ground, and where. */
typedef struct footing {
    int x, y;             /* the cell it is in, or with place=nearest the nearest vertex */
    float u, v;           /* cells from there */
    float height, gx, gy; /* metres; metres a cell */
} footing;

static RVI_HOT void stand_between(const rolling *r, float px, float py, footing *f) {
    int x = (int)px, y = (int)py;
    float u = px - (float)x, v = py - (float)y;
    size_t i = (size_t)y * (size_t)r->width + (size_t)x, below = i + (size_t)r->width;
    float h00 = r->h[i], h10 = r->h[i + 1], h01 = r->h[below], h11 = r->h[below + 1];
    f->x = x, f->y = y;
    f->u = u, f->v = v;
    f->height = (h00 * (1.0f - u) + h10 * u) * (1.0f - v) + (h01 * (1.0f - u) + h11 * u) * v;
    f->gx = (h10 - h00) * (1.0f - v) + (h11 - h01) * v;
    f->gy = (h01 - h00) * (1.0f - u) + (h11 - h10) * u;
}

static void stand_nearest(const rolling *r, float px, float py, footing *f) {
    int x = (int)(px + 0.5f), y = (int)(py + 0.5f);
    int x0 = rvi_maxi(x - 1, 0), x1 = rvi_mini(x + 1, r->width - 1);
    int y0 = rvi_maxi(y - 1, 0), y1 = rvi_mini(y + 1, r->height - 1);
    size_t stride = (size_t)r->width, row = (size_t)y * stride;
    f->x = x, f->y = y;
    f->height = r->h[row + (size_t)x];
    f->u = f->v = 0.0f;
    f->gx = (r->h[row + (size_t)x1] - r->h[row + (size_t)x0]) / (float)(x1 - x0);
    f->gy = (r->h[(size_t)y1 * stride + (size_t)x] - r->h[(size_t)y0 * stride + (size_t)x]) /
            (float)(y1 - y0);
}

static void stand_within(const rolling *r, float px, float py, footing *f) {
    rvi_near_cells nx, ny;
    rvi_near_cells_make(px, r->near, r->width, &nx);
    rvi_near_cells_make(py, r->near, r->height, &ny);
    f->x = (int)px, f->y = (int)py;
    f->u = px - (float)f->x, f->v = py - (float)f->y;
    f->height = f->gx = f->gy = 0.0f;
    for (int j = 0; j < ny.count; j++) {
        const float *h = r->h + (size_t)(ny.first + j) * (size_t)r->width + nx.first;
        float mean = 0.0f, slope = 0.0f;
        for (int i = 0; i < nx.count; i++) {
            mean += h[i] * nx.weight[i];
            slope += h[i] * nx.slope[i];
        }
        f->height += mean * ny.weight[j];
        f->gx += slope * ny.weight[j];
        f->gy += mean * ny.slope[j];
    }
}

static RVI_HOT void stand(const rolling *r, float x, float y, footing *f) {
    if (r->p->place == RV_particles_place_nearest)
        stand_nearest(r, x, y, f);
    else if (r->near > 1.0f && r->p->place == RV_particles_place_disc)
        stand_within(r, x, y, f);
    else
        stand_between(r, x, y, f);
}

/* The erosion factor of the bedrock at a cell. As under drops, the plane that touches the land
 * stands for the heights of the cells, or the first that is through a band would be dug out alone.
 */
static RVI_HOT float band_factor(const rolling *r, const footing *f, int x, int y) {
    if (!rvi_factor_rock_there(&r->factor))
        return 1.0f;
    size_t i = (size_t)y * (size_t)r->width + (size_t)x;
    const rv_terrain *land = r->job->land;
    float cover = r->h[i] - land->layers[0].thickness[i];
    float east = (float)(x - f->x) - f->u, south = (float)(y - f->y) - f->v;
    float top = f->height + (f->gx * east + f->gy * south) - cover;
    return rvi_factor_rock(&r->factor, i, top);
}

/* Takes up to `want` metres from a cell, and none of it below `level`; returns what came. */
static RVI_HOT double take_cell(const rolling *r, const footing *f, int x, int y, float want,
                                float level, const cargo *c) {
    size_t i = (size_t)y * (size_t)r->width + (size_t)x;
    double got = 0.0;
    want *= rvi_factor_cell(&r->factor, i);
    if (!r->layered)
        want *= rvi_factor_ground(&r->factor, i, r->h[i]);
    want = rvi_minf(want, rvi_maxf(r->h[i] - level, 0.0f));
    if (r->layered) {
        rvi_layers_take(r->job->land, i, want, band_factor(r, f, x, y), c->load, &got);
        r->h[i] = rvi_layers_height(r->job->land, i);
    } else {
        float left = r->h[i] - want * band_factor(r, f, x, y);
        got = (double)r->h[i] - (double)left;
        r->h[i] = left;
    }
    r->eroded[i] += (float)got;
    return got;
}

/* What a vertex k of the cell counts. */
static RVI_HOT float corner_weight(const rolling *r, const footing *f, int k) {
    if (r->p->place == RV_particles_place_nearest)
        return k == 0 ? 1.0f : 0.0f;
    return (k & 1 ? f->u : 1.0f - f->u) * (k >> 1 ? f->v : 1.0f - f->v);
}

/* The cells of a disc that lie on the map. */
typedef struct disc {
    float radius;       /* cells */
    int x0, y0, x1, y1; /* all inclusive */
} disc;

static disc disc_around(const rolling *r, const footing *f, float radius) {
    int reach = (int)ceilf(radius);
    return (disc){radius, rvi_maxi(f->x + 1 - reach, 0), rvi_maxi(f->y + 1 - reach, 0),
                  rvi_mini(f->x + reach, r->width - 1), rvi_mini(f->y + reach, r->height - 1)};
}

enum { MOST_DISC = (2 * RVI_BRUSH_RADIUS) * (2 * RVI_BRUSH_RADIUS) };

/* How many times the bed a high bank counts. */
static const float BANK = 3.0f;

/* What each cell of the disc counts: nothing where it is not above `low`, as the bed where it is
 * above that by 1 / `steep`, and up to BANK times that where it is higher. Returns the sum. */
static float disc_weights(const rolling *r, const footing *f, const disc *d, float low, float steep,
                          float *w) {
    float sum = 0.0f, west = (float)(d->x0 - f->x) - f->u;
    int count = d->x1 - d->x0 + 1;
    for (int y = d->y0; y <= d->y1; y++, w += count) {
        const float *h = r->h + (size_t)y * (size_t)r->width + d->x0;
        float dy = (float)(y - f->y) - f->v;
        for (int i = 0; i < count; i++) {
            float dx = west + (float)i;
            float weight = rvi_maxf(d->radius - sqrtf(dx * dx + dy * dy), 0.0f);
            w[i] = weight * rvi_clampf((h[i] - low) * steep, 0.0f, BANK);
        }
        for (int i = 0; i < count; i++)
            sum += w[i];
    }
    return sum;
}

static double take_disc(const rolling *r, const footing *f, float amount, float fall,
                        const cargo *c) {
    double taken = 0.0;
    float w[MOST_DISC], level = rvi_maxf(f->height - fall, r->floor);
    disc d = disc_around(r, f, r->radius);
    float sum = disc_weights(r, f, &d, f->height - fall, 1.0f / fall, w);
    float share = sum > 0.0f ? amount / sum : 0.0f;
    for (int y = d.y0, i = 0; y <= d.y1; y++)
        for (int x = d.x0; x <= d.x1; x++, i++)
            if (w[i] > 0.0f)
                taken += take_cell(r, f, x, y, share * w[i], level, c);
    return taken;
}

/* Takes up to `amount` metres; returns what came. */
static double take(const rolling *r, const footing *f, float amount, float fall, const cargo *c) {
    if (r->p->place == RV_particles_place_disc)
        return take_disc(r, f, amount, fall, c);
    double taken = 0.0;
    for (int k = 0; k < 4; k++) {
        float weight = corner_weight(r, f, k);
        if (weight > 0.0f)
            taken += take_cell(r, f, f->x + (k & 1), f->y + (k >> 1), amount * weight, r->floor, c);
    }
    return taken;
}

/* The room for what a particle lays down: nothing stays above `level`, and all of its part only on
 * cells below that by 1 / `steep`. */
typedef struct room {
    float level, steep;
} room;

static const room ANY_ROOM = {INFINITY, 1.0f};

/* Lays up to `part` metres down on a cell where there is room, never more than `left`; returns what
 * stayed there. */
static RVI_HOT double lay_cell(const rolling *r, int x, int y, float part, room to, double left,
                               const cargo *c) {
    rv_terrain *land = r->job->land;
    size_t i = (size_t)y * (size_t)r->width + (size_t)x;
    float *top = &land->layers[land->layer_count - 1].thickness[i];
    float below = rvi_maxf(to.level - r->h[i], 0.0f);
    part *= (r->mask ? r->mask[i] : 1.0f) * rvi_minf(below * to.steep, 1.0f);
    part = rvi_minf(rvi_minf(part, below), (float)left);
    if (c->load) {
        double laid = left;
        rvi_layers_lay(land, i, part, c->load, c->deposited_on, &left);
        laid -= left;
        r->h[i] = rvi_layers_height(land, i);
        r->deposited[i] += (float)laid;
        return laid;
    }
    float raised = *top + part;
    if ((double)raised - (double)*top > left) /* rounding must not make sediment out of nothing */
        raised -= (raised < 0.0f ? -raised : raised) * 0x1p-23f;
    double gain = (double)raised - (double)*top;
    if (!(gain > 0.0 && gain <= left))
        return 0.0;
    *top = raised;
    if (r->layered)
        r->h[i] = rvi_layers_height(land, i);
    r->deposited[i] += (float)gain;
    return gain;
}

/* Lays `amount` of `sediment` down on the cells within a move; returns what stayed there. */
static double lay_within(const rolling *r, const footing *f, float amount, room to, double sediment,
                         const cargo *c) {
    rvi_near_cells nx, ny;
    double given = 0.0;
    rvi_near_cells_make((float)f->x + f->u, r->near, r->width, &nx);
    rvi_near_cells_make((float)f->y + f->v, r->near, r->height, &ny);
    for (int j = 0; j < ny.count; j++)
        for (int i = 0; i < nx.count; i++)
            given += lay_cell(r, nx.first + i, ny.first + j, amount * ny.weight[j] * nx.weight[i],
                              to, sediment - given, c);
    return given;
}

/* Lays down `amount` of `sediment` where there is room; returns what stayed there. */
static double lay(const rolling *r, const footing *f, float amount, room to, double sediment,
                  const cargo *c) {
    if (r->near > 1.0f && r->p->place == RV_particles_place_disc)
        return lay_within(r, f, amount, to, sediment, c);
    double given = 0.0;
    for (int k = 0; k < 4; k++) {
        float weight = corner_weight(r, f, k);
        if (weight > 0.0f)
            given += lay_cell(r, f->x + (k & 1), f->y + (k >> 1), amount * weight, to,
                              sediment - given, c);
    }
    return given;
}

/* The room near a particle that `came` from above. */
static room room_below(const rolling *r, const footing *f, float came) {
    rvi_fill_ground ground = {r->h, (size_t)r->width, r->width, r->height};
    float fall = came - f->height;
    return (room){rvi_fill_level(&ground, f->x, f->y, r->near, r->move, came, f->height),
                  fall > 0.0f ? 0.5f / fall : 0.0f};
}

/* Lays `sediment` down on the cells of a disc where there is room; returns what stayed there. */
static double lay_disc(const rolling *r, const footing *f, float radius, double sediment, room to,
                       const cargo *c) {
    double given = 0.0;
    float w[MOST_DISC];
    disc d = disc_around(r, f, radius);
    float sum = disc_weights(r, f, &d, -INFINITY, 1.0f, w);
    for (int y = d.y0, i = 0; y <= d.y1; y++)
        for (int x = d.x0; x <= d.x1; x++, i++)
            if (w[i] > 0.0f)
                given += lay_cell(r, x, y, (float)sediment * (w[i] / sum), to, sediment - given, c);
    return given;
}

/* Of what a particle carries, what is left to rounding. */
static const double TRIFLE = 0x1p-10;

/* All of it, at the end: where there is room for it, else anywhere on a disc twice as wide, so that
 * it dams no valley. */
static double lay_all(const rolling *r, const footing *f, float came, double sediment,
                      const cargo *c) {
    if (r->p->place != RV_particles_place_disc)
        return lay(r, f, (float)sediment, ANY_ROOM, sediment, c);
    double given = lay_disc(r, f, r->radius, sediment, room_below(r, f, came), c);
    double left = sediment - given;
    return left > sediment * TRIFLE ? given + lay_disc(r, f, r->end_radius, left, ANY_ROOM, c)
                                    : given;
}

/* ---- one particle ---- */

typedef struct particle {
    float x, y, vx, vy, speed;
    float water;
    double sediment; /* of which the ledger is exact */
    float came;      /* height of the place before */
    cargo cargo;
} particle;

static void push(const rolling *r, particle *q, const footing *f) {
    float gx = f->gx * r->per_cell, gy = f->gy * r->per_cell;
    float along = r->p->acceleration / sqrtf(1.0f + gx * gx + gy * gy);
    float rub = 1.0f - r->p->friction;
    q->vx = (q->vx - gx * along) * rub;
    q->vy = (q->vy - gy * along) * rub;
    q->speed = sqrtf(q->vx * q->vx + q->vy * q->vy);
}

/* Where it moves to. false: over the edge. At a wall it loses the part of its velocity that runs
 * into it. */
static bool move(const rolling *r, particle *q, float *x, float *y) {
    float scale = q->speed > 1.0f ? 1.0f / q->speed : 1.0f;
    float max_x = (float)(r->width - 1), max_y = (float)(r->height - 1);
    *x = q->x + q->vx * scale * r->move;
    *y = q->y + q->vy * scale * r->move;
    bool in_x = *x >= 0.0f && *x < max_x, in_y = *y >= 0.0f && *y < max_y;
    if (in_x && in_y)
        return true;
    if (r->p->border == RV_particles_border_open)
        return false;
    /* The largest places from which the cell to the east and south is still on the map. */
    *x = rvi_clampf(*x, 0.0f, max_x * (1.0f - 0x1p-23f));
    *y = rvi_clampf(*y, 0.0f, max_y * (1.0f - 0x1p-23f));
    q->vx = in_x ? q->vx : 0.0f;
    q->vy = in_y ? q->vy : 0.0f;
    return true;
}

static void exchange(const rolling *r, particle *q, const footing *from, const footing *to,
                     tile_sums *sum) {
    const rv_particles_params *p = r->p;
    float fall = from->height - to->height;
    float carries = p->capacity * q->speed * q->water * r->job->land->cell * r->move * r->share;
    float sediment = (float)q->sediment;
    if (sediment > carries) {
        bool wide = p->place == RV_particles_place_disc;
        room near = wide ? room_below(r, from, rvi_maxf(q->came, to->height)) : ANY_ROOM;
        float surplus = (sediment - carries) * p->deposition;
        double given = lay(r, from, surplus, near, q->sediment, &q->cargo);
        sum->deposited += given;
        q->sediment -= given;
        return;
    }
    float amount = rvi_minf((carries - sediment) * p->softness, fall * r->share);
    if (amount > 0.0f) {
        double taken = take(r, from, amount, fall, &q->cargo);
        sum->eroded += taken;
        q->sediment += taken;
    }
}

/* Its water on the cell it is in, or on those within half a move of it. */
static void leave_flow(const rolling *r, const particle *q) {
    float half = r->p->place == RV_particles_place_disc ? 0.5f * r->near : 0.5f;
    if (!(half > 0.5f)) {
        size_t over = (size_t)(int)(q->y + 0.5f) * (size_t)r->width + (size_t)(int)(q->x + 0.5f);
        r->flow[over] += q->water * r->share;
        return;
    }
    int x0 = rvi_maxi((int)ceilf(q->x - half), 0), y0 = rvi_maxi((int)ceilf(q->y - half), 0);
    int x1 = rvi_mini((int)floorf(q->x + half), r->width - 1);
    int y1 = rvi_mini((int)floorf(q->y + half), r->height - 1);
    float each = q->water * r->share / (float)((x1 - x0 + 1) * (y1 - y0 + 1));
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++)
            r->flow[(size_t)y * (size_t)r->width + (size_t)x] += each;
}

/* With its first speed, straight down; on level ground there is no such way. */
static void start(const rolling *r, particle *q, const footing *f) {
    float slope = sqrtf(f->gx * f->gx + f->gy * f->gy);
    if (!(r->p->first_speed > 0.0f && slope > 0.0f))
        return;
    q->vx = -f->gx / slope * r->p->first_speed;
    q->vy = -f->gy / slope * r->p->first_speed;
}

/* Is no cell around the nearest one lower? */
static bool in_pit(const rolling *r, const particle *q) {
    int x = (int)(q->x + 0.5f), y = (int)(q->y + 0.5f);
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int nx = x + dx, ny = y + dy;
            bool inside = nx >= 0 && ny >= 0 && nx < r->width && ny < r->height;
            if (inside && r->h[(size_t)ny * (size_t)r->width + (size_t)nx] <
                              r->h[(size_t)y * (size_t)r->width + (size_t)x])
                return false;
        }
    return true;
}

enum { LOOK = 64 }; /* steps between two looks whether the user wants to stop */

static void run_particle(const rolling *r, int tile, float x, float y) {
    tile_sums *sum = &r->sums[tile];
    particle q = {.x = x, .y = y, .water = r->p->first_water, .came = INFINITY};
    if (r->loads) {
        size_t layers = (size_t)r->job->land->layer_count;
        q.cargo =
            (cargo){r->loads + (size_t)tile * layers, r->deposited_on + (size_t)tile * layers};
        memset(q.cargo.load, 0, layers * sizeof(float));
    }
    footing here, next;
    stand(r, x, y, &here);
    start(r, &q, &here);
    for (int step = 0; step < r->most_steps && q.water > 0.0f; step++) {
        push(r, &q, &here);
        leave_flow(r, &q);
        sum->steps++;
        if (!move(r, &q, &x, &y)) {
            sum->left_map += rvi_max(q.sediment, 0.0);
            sum->ends.left_map++;
            return;
        }
        stand(r, x, y, &next);
        exchange(r, &q, &here, &next, sum);
        q.came = here.height;
        q.x = x;
        q.y = y;
        q.water -= r->p->evaporation;
        stand(r, x, y, &here); /* the ground may have changed under it */
        if (step % LOOK == LOOK - 1 && rvi_parallel_stopped(r->job->ctx))
            break; /* it lays down what it has: the books close */
    }
    double given = q.sediment > 0.0 ? lay_all(r, &here, q.came, q.sediment, &q.cargo) : 0.0;
    sum->deposited += given;
    q.sediment -= given;
    sum->suspended += rvi_max(q.sediment, 0.0); /* it is, but for rounding */
    (*(in_pit(r, &q) ? &sum->ends.pits : &sum->ends.whole))++;
}

static void run_tiles(void *arg, rvi_taker *tiles) {
    const rolling *r = arg;
    rvi_slot *slots = rvi_rounds_slots(&r->rounds);
    for (int tile; (tile = rvi_take(tiles)) >= 0;) {
        int particles;
        const int *in = rvi_rounds_in(&r->rounds, tile, &particles);
        for (int i = 0; i < particles; i++) {
            rvi_slot *slot = &slots[in[i]];
            if (rvi_parallel_stopped(r->job->ctx))
                return; /* those that wait carry nothing */
            run_particle(r, tile, slot->x, slot->y);
            slot->ended = true;
        }
        rvi_taken(tiles, tile);
    }
}

/* A round takes long on large land: it is seen between two of its tiles, too. */
static rv_status look(void *arg) {
    const rolling *r = arg;
    return rvi_progress_look(r->job->ctx, r->job->land);
}

/* ---- before and after ---- */

static bool carries_materials(const rolling *r) {
    return r->p->give != RV_particles_give_top && r->layered;
}

/* Units that a particle may touch beyond its radius where a cell is at most two of them wide. */
static const double BESIDE = 11.0;

static uint64_t particles_wanted(const rolling *r) {
    double unit = (double)r->apart, cells = (double)rvi_cells(r->job->land);
    double drops = r->p->drops == RV_AUTO_INT ? ceil(cells / (unit * unit)) : (double)r->p->drops;
    return (uint64_t)fmin(drops, 1e13);
}

static rvi_rounds_desc describe_rounds(rolling *r) {
    double unit = (double)r->apart;
    double radius = (double)r->radius / unit;
    double beside = rvi_max((double)r->end_radius, (double)r->near + 2.0) + 3.0;
    double touched = rvi_max(radius + BESIDE, beside / unit);
    return (rvi_rounds_desc){
        .width = r->width,
        .height = r->height,
        .unit = unit,
        .reach = (int)ceil((double)r->most_steps * (double)r->move / unit) + (int)ceil(touched),
        .cost = (double)r->most_steps,
        .drops = particles_wanted(r),
        .seed = r->p->seed,
        .run = run_tiles,
        .arg = r,
        .look = look,
    };
}

static rv_status fill(rolling *r) {
    rvi_job *job = r->job;
    const rv_terrain *land = job->land;
    float low, high;
    rvi_range(job->ctx, land->surface, rvi_cells(land), &low, &high);
    r->per_cell = 1.0f / land->cell;
    r->h = land->surface;
    r->mask = rvi_field_get(land, "mask");
    rvi_factor_shape map = rvi_factor_map(land);
    rv_status status = rvi_floor_find(job, r->p->floor, low, high, NULL, &r->floor);
    if (status == RV_OK)
        status = rvi_factor_make(job, &map, &r->factor);
    if (status == RV_OK)
        status = rvi_rain_load(job, r->p->rain, 0, &r->rounds.d.rain);
    if (status == RV_OK)
        rvi_rounds_begin(&r->rounds);
    return status;
}

/* Adds the tiles up, in order. */
static rv_status close_ledger(rvi_job *job) {
    rolling *r = job->state;
    double eroded = 0.0, deposited = 0.0, left_map = 0.0, suspended = 0.0;
    rvi_drop_ends ends = {0};
    int tiles = rvi_rounds_tiles(&r->rounds), layers = job->land->layer_count;
    for (int t = 0; t < tiles; t++) {
        const tile_sums *sum = &r->sums[t];
        eroded += sum->eroded;
        deposited += sum->deposited;
        left_map += sum->left_map;
        suspended += sum->suspended;
        job->drop_steps += sum->steps;
        rvi_drop_ends_add(&ends, &sum->ends);
    }
    rvi_drop_ends_tell(job->land, &ends);
    double area = (double)job->land->cell * (double)job->land->cell;
    for (int k = 0; r->deposited_on && k < tiles * layers; k++)
        job->deposited_on[k % layers] += area * r->deposited_on[k];
    job->ledger = (rv_ledger){.eroded = eroded * area,
                              .deposited = deposited * area,
                              .left_map = left_map * area,
                              .suspended = suspended * area};
    return RV_OK;
}

static rv_status run(rvi_job *job) {
    rolling *r = job->state;
    rv_status status = fill(r);
    if (status == RV_OK)
        status = rvi_figures_begin(job->land, RVI_DROP_FIGURES);
    if (status != RV_OK)
        return status;
    job->begun = true;
    bool wide = r->width > 1 && r->height > 1; /* on land one cell wide nothing can roll */
    while (wide && status == RV_OK && rvi_rounds_done(&r->rounds) < 1.0) {
        status = rvi_rounds_next(&r->rounds);
        if (status == RV_OK)
            status = rvi_job_progress(job, rvi_rounds_done(&r->rounds));
    }
    return status;
}

static const float AUTO_RADIUS = 50.0f, AUTO_MOST = 32.0f; /* m; cells */
/* Moves in a radius; what a particle stands for, in moves. */
static const float AUTO_MOVES = 2.5f, AUTO_APART = 0.6f;
/* In cells: the least radius that shows no direction of the grid, and the least of all. */
static const float AUTO_EVEN = 2.5f, AUTO_LEAST = 1.5f;
/* In cells: how wide a move is, and what a particle stands for where their number is chosen. */
static const float LEAST_MOVE = 0.02f, LEAST_APART = 0.5f;

/* A dry particle ends: steps that none can make need no room on the map. */
static int count_steps(const rv_particles_params *p) {
    float most = p->evaporation > 0.0f ? p->first_water / p->evaporation + 2.0f : 1e9f;
    return most < (float)p->max_path ? (int)most : p->max_path;
}

/* The radius in metres where `meant` is the one in nature. On cells too coarse for it the disc is
 * wider, but on still coarser ones it grows only with the square root of the cell: a disc of a
 * fixed number of cells would make other land of cells twice as wide. */
static float shown_radius(float meant, float cell) {
    float wide = rvi_minf(AUTO_EVEN * cell, 2.0f * sqrtf(meant * cell));
    return rvi_maxf(meant, rvi_maxf(wide, AUTO_LEAST * cell));
}

/* Metres become cells. Where cells are too coarse for the radius that is meant the disc is wider,
 * but a particle moves and takes no more than it would on finer cells. */
static rv_status measure_lengths(rolling *r) {
    float cell = r->job->land->cell;
    float meant = isnan(r->p->radius) ? rvi_minf(AUTO_RADIUS, AUTO_MOST * cell)
                                      : rvi_length(r->p->radius, cell);
    float radius = isnan(r->p->radius) ? shown_radius(meant, cell) : meant;
    float move = isnan(r->p->move) ? rvi_maxf(meant / AUTO_MOVES, LEAST_MOVE * cell)
                                   : rvi_length(r->p->move, cell);
    rv_status status = rvi_drop_lengths_check(r->job->ctx, "particles", radius, move, cell);
    if (status != RV_OK)
        return status;
    r->radius = rvi_maxf(radius / cell, 1.0f);
    r->end_radius = rvi_minf(2.0f * r->radius, (float)RVI_BRUSH_RADIUS);
    r->move = move / cell;
    r->near = rvi_maxf(r->move, 1.0f);
    r->apart = isnan(r->p->move) ? AUTO_APART * r->move : r->move;
    if (r->p->drops == RV_AUTO_INT)
        r->apart = rvi_maxf(r->apart, LEAST_APART);
    r->share = r->apart * r->apart;
    return RV_OK;
}

static void list_buffers(rolling *r) {
    rvi_job *job = r->job;
    rvi_rounds_desc desc = describe_rounds(r);
    rvi_rounds_prepare(&r->rounds, job->ctx, &desc, &job->buffers);
    rvi_factor_shape map = rvi_factor_map(job->land);
    rvi_factor_list(job, &map, &r->factor);
    size_t tiles = (size_t)rvi_rounds_tiles(&r->rounds), layers = (size_t)job->land->layer_count;
    rvi_job_buffer(job, &r->sums, tiles, sizeof *r->sums, "the tiles");
    if (!carries_materials(r))
        return;
    rvi_job_buffer(job, &r->loads, tiles * layers, sizeof *r->loads, "what particles carry");
    rvi_job_buffer(job, &r->deposited_on, tiles * layers, sizeof *r->deposited_on, "the ledger");
}

/* ---- order=batch ---- */

static void move_particle(const rvi_batch_grids *g, const rvi_batch_rules *r, const void *law,
                          const rvi_batch_round *t, rvi_batch_slot *slot) {
    rvi_particle_move(g, r, law, t, slot, true);
}

static rv_status run_batch(rvi_job *job) {
    rolling *r = job->state;
    return rvi_batch_run(&r->batch);
}

static rv_status close_batch(rvi_job *job) {
    rolling *r = job->state;
    return rvi_batch_close(&r->batch);
}

static rvi_particle_law law_of(const rolling *r) {
    const rv_particles_params *p = r->p;
    float cell = r->job->land->cell;
    return (rvi_particle_law){
        .acceleration = p->acceleration,
        .keeps = 1.0f - p->friction,
        .capacity = p->capacity * cell * r->move * r->share,
        .deposition = p->deposition,
        .softness = p->softness,
        .evaporation = p->evaporation,
        .per_cell = 1.0f / cell,
    };
}

static rv_status prepare_batch(rolling *r) {
    rvi_job *job = r->job;
    if (r->p->place != RV_particles_place_disc)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "particles: order=batch is for place=disc, not for place=%s.",
                        r->p->place == RV_particles_place_nearest ? "nearest" : "bilinear");
    if (carries_materials(r))
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "particles: order=batch is for give=top, not for give=same.");
    job->run = run_batch;
    job->close = close_batch;
    r->law = law_of(r);
    return rvi_batch_prepare(&r->batch, job,
                             &(rvi_batch_desc){
                                 .move = move_particle,
                                 .kernels = "batch_particles",
                                 .law = &r->law,
                                 .law_size = sizeof r->law,
                                 .rain = r->p->rain,
                                 .border = 4,
                                 .turn = 1,
                                 .drops = particles_wanted(r),
                                 .seed = r->p->seed,
                                 .radius = r->radius,
                                 .last = r->end_radius,
                                 .move_length = r->move,
                                 .near = r->near,
                                 .apart = r->apart,
                                 .bank = BANK,
                                 .floor = r->p->floor,
                                 .first_water = r->p->first_water,
                                 .first_speed = r->p->first_speed,
                                 .most_moves = r->most_steps,
                                 .wall = r->p->border == RV_particles_border_wall,
                                 .on_flat = true,
                                 .on_device = true,
                             });
}

rv_status rvi_step_particles(rvi_job *job, const rv_particles_params *p) {
    const rv_terrain *land = job->land;
    rolling *r = rvi_job_begin(job, sizeof *r, run, close_ledger);
    if (!r)
        return RV_ERROR_MEMORY;
    r->p = p;
    r->job = job;
    r->width = land->width;
    r->height = land->height;
    r->layered = land->layer_count > 1;
    r->most_steps = count_steps(p);
    rv_status status = measure_lengths(r);
    if (status != RV_OK)
        return status;
    if (p->order == RV_particles_order_batch)
        return prepare_batch(r);
    list_buffers(r);
    status = rvi_rain_list(job, p->rain, 0, &r->rounds.d.rain);
    if (status == RV_OK)
        status = rvi_job_field(job, "flow", &r->flow);
    if (status == RV_OK)
        status = rvi_job_field(job, "eroded", &r->eroded);
    return status == RV_OK ? rvi_job_field(job, "deposited", &r->deposited) : status;
}
