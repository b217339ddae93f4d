/* pipes.c: shallow water that runs through pipes between cells, and wears the ground below it.
 *
 * J. F. O'Brien, J. K. Hodgins, Dynamic simulation of splashing fluids, 1995 (the pipes); X. Mei,
 * P. Decaudin, B.-G. Hu, Fast hydraulic erosion simulation and visualization on GPU, 2007 (limit,
 * velocity, capacity, transport); O. Stava and others, Interactive terrain modeling using hydraulic
 * erosion, 2008; P. D. Bates, M. S. Horritt, T. J. Fewtrell, A simple inertial formulation of the
 * shallow water equations, 2010 (the cross-section of a pipe is the water in it). Metres, seconds.
 *
 * A cell of side l has bed b, depth d, sediment s (metres of ground). A pipe of width w joins it to
 * each neighbour at distance L: four with w = l, or eight with w = l tan(22.5 deg), the sides of an
 * octagon. In each round, for each pipe from i to j
 *     fall    F = (b + d)i - (b + d)j, 0 where that is within the rounding of d
 *     filled  h = max(bi + di, bj + dj) - max(bi, bj)
 *     pushed  p = K q + g dt h F / L
 *     held    q' = p - cf dt q' |q'| / h^2, so q' = 2 p h / (h + sqrt(h^2 + 4 cf dt |p|))   [m^2/s]
 * and for each cell, with out = sum of q' w that leave it, K = min(1, d l^2 / (dt out)), f = K q'
 * w, depth   d' = d + dt (sum f in - sum f out) / l^2 + rain dt, then times exp(-evaporation dt)
 *     speed   v = (sum f in + sum f out) / (2 l) / mean of d and d'
 *     tilt    of the water surface along the pipes that leave, weighted by their flux
 *     can     C = capacity max(sin tilt, min_tilt) v min(d, max_depth)
 *     take    (1 - exp(-dissolve dt)) (C - s), at most a quarter of the drop to the next cell
 *     lay     (1 - exp(-deposit dt)) (s - C); all of it where the cell is dry
 * Sediment moves before that along the pipes, f s / d from the cell the water leaves (flux), or
 * after it along the velocity v: s(x) = s(x - v dt) (backward) or shared among the cells round
 * x + v dt (forward). Down a slope of any direction eight pipes carry the same to 1.5 % when cf is
 * 1.2 friction, because the friction of a pipe knows only its own flux; four do to 9 %. A round
 * lasts dt <= courant l / (sqrt(g max d) + max v), courant = 0.7 with eight pipes (waves are stable
 * up to 1) and 0.5 with four (0.71).
 *
 * Grids have a ring of ghost cells. Where the border is open they continue the slope of the land as
 * it was when the step began and hold no water; where it is a wall they are too high for any.
 */
#include "base/threads.h"
#include "steps/pipe_cell.h"
#include "steps/step.h"
#include "steps/strata.h"

#include <math.h>
#include <string.h>

enum { ROWS = 32 };       /* of a block of work */
enum { BLOCK_ROWS = 17 }; /* of numbers a block keeps while it is worked on */
/* Column 1, the first of the map, lies on a cache line; loops over pipes, which begin at column 0,
 * begin at the line before. */
enum { START = 15, PAD = 3 };
enum { EAST, SOUTH, SOUTH_EAST, SOUTH_WEST, PIPES };
#define WALL 1e30f

typedef struct block_result {
    double evaporated; /* metres on one cell */
    float depth, speed;
    bool done; /* in this round and pass */
} block_result;

/* The pipe SOUTH_WEST at (x, y) runs from (x + 1, y) to (x, y + 1); the others begin at (x, y). */
typedef struct flood {
    const rv_pipes_params *p;
    rvi_job *job;
    int width, height;
    size_t stride, count; /* of a grid with its ghosts */
    bool eight, layered;
    float *bed;                                /* when the step began */
    float *change[2], *depth[2], *sediment[2]; /* [0] is now, [1] is for what comes */
    float *rest;                               /* of the depth, lost to rounding */
    float *q[PIPES];                           /* flux per metre of width, before the limit */
    float *limit;                              /* K */
    float *laid, *flow;                        /* since the step began, metres */
    float *soft, *mask;                        /* factors of taking and of laying, or NULL: 1 */
    float *bands;                              /* of the bedrock (strata.h), by cell of the map */
    float *source;                             /* rain and spring in m/s, NULL: rain alone */
    float *move_x, *move_y;                    /* v dt in cells, for backward and forward */
    float *grids;                              /* room for all of the above */
    size_t grids_used;
    float *rows;           /* room for the rows of each block */
    double volume, afloat; /* before the step, m3 */
    rvi_pipe_rules rules;
    float rain; /* m/s */
    double source_sum;
    block_result *blocks;
    int block_count;
    float deepest, fastest;
    double seconds;
    int rounds;
    double carried_off; /* metres on one cell */
} flood;

/* ---- one round: the pipes ---- */

/* Makes the bed of one row, ghosts included. */
static const float *fill_bed(const flood *f, int y, float *bed) {
    const float *restrict before = f->bed + (size_t)y * f->stride;
    const float *restrict change = f->change[0] + (size_t)y * f->stride;
    RVI_PIPE_APART
    for (int x = -PAD; x < f->width + 2; x++)
        bed[x] = before[x] + change[x];
    return bed;
}

/* One row of cells and their limits, for the pipes that begin or end there. */
typedef struct ends {
    const float *bed, *depth, *limit;
} ends;

static RVI_PIPE_HOT rvi_pipe_run push_pipe(float q, float pull, float drag, const ends *from, int i,
                                           const ends *to, int j) {
    float limited = q * rvi_pipe_pick(q > 0.0f, from->limit[i], to->limit[j]);
    return rvi_pipe_flux(limited, pull, drag, from->bed[i], from->depth[i], to->bed[j],
                         to->depth[j]);
}

/* Two pipes of each cell in a row: east and south, or south-east and south-west. */
static RVI_PIPE_HOT void push_two(const flood *f, int y, const ends *upper, const ends *lower,
                                  float *fastest, const bool corners) {
    const size_t row = (size_t)y * f->stride;
    const ends a = *upper, b = *lower;
    const float pull = corners ? f->rules.pull_corner : f->rules.pull_axis, drag = f->rules.drag;
    float *restrict first = f->q[corners ? SOUTH_EAST : EAST] + row;
    float *restrict second = f->q[corners ? SOUTH_WEST : SOUTH] + row, *restrict most = fastest;
    const int count = f->width + 1;
    RVI_PIPE_APART
    for (int x = -PAD; x < count; x++) {
        rvi_pipe_run one, two;
        if (corners) {
            one = push_pipe(first[x], pull, drag, &a, x, &b, x + 1);
            two = push_pipe(second[x], pull, drag, &a, x + 1, &b, x);
        } else {
            one = push_pipe(first[x], pull, drag, &a, x, &a, x + 1);
            two = push_pipe(second[x], pull, drag, &a, x, &b, x);
        }
        first[x] = one.flux;
        second[x] = two.flux;
        most[x] = rvi_maxf(rvi_maxf(one.speed, two.speed), most[x]);
    }
}

static void push_row(const flood *f, int y, const float *bed, const float *below, float *fastest) {
    size_t row = (size_t)y * f->stride, next = row + f->stride;
    ends upper = {bed, f->depth[0] + row, f->limit + row};
    ends lower = {below, f->depth[0] + next, f->limit + next};
    push_two(f, y, &upper, &lower, fastest, false);
    if (f->eight)
        push_two(f, y, &upper, &lower, fastest, true);
}

static float *block_rows(const flood *f, int64_t block) {
    return f->rows + (size_t)block * BLOCK_ROWS * f->stride + START;
}

/* Rows 0 to height; row 0 holds the pipes that leave the ghosts in the north. */
static void push_block(void *arg, int64_t block) {
    const flood *f = arg;
    int first = (int)block * ROWS, end = rvi_mini(first + ROWS, f->height + 1);
    float *rows = block_rows(f, block), *fastest = rows + 2 * f->stride;
    float *two[2] = {rows, rows + f->stride};
    memset(fastest - PAD, 0, f->stride * sizeof(float));
    fill_bed(f, first, two[first & 1]);
    for (int y = first; y < end; y++) {
        fill_bed(f, y + 1, two[(y + 1) & 1]);
        push_row(f, y, two[y & 1], two[(y + 1) & 1], fastest);
    }
    f->blocks[block].speed = 0.0f;
    for (int x = 0; x <= f->width; x++)
        f->blocks[block].speed = rvi_maxf(f->blocks[block].speed, fastest[x]);
    f->blocks[block].done = true;
}

/* ---- one round: the cells ---- */

/* Three rows of what a cell asks of its neighbours. */
typedef struct view {
    float *limit;   /* K */
    float *carries; /* K times sediment in a metre of water */
    float *surface;
    float *asked; /* flux that would leave without the limit */
} view;

static RVI_PIPE_HOT void fill_view_of(const flood *f, int y, const view *v, const bool eight) {
    const size_t row = (size_t)y * f->stride, up = row - f->stride;
    const int width = f->width;
    const float share = f->rules.share;
    const float carry = f->p->transport == RV_pipes_transport_flux ? 1.0f : 0.0f;
    const float *restrict bed = f->bed + row, *restrict change = f->change[0] + row;
    const float *restrict depth = f->depth[0] + row, *restrict sediment = f->sediment[0] + row;
    float *restrict limit = v->limit, *restrict carries = v->carries,
                    *restrict surface = v->surface, *restrict asked = v->asked;
    RVI_PIPE_APART
    for (int x = 0; x < width + 2; x++) {
        limit[x] = carries[x] = 0.0f;
        surface[x] = (bed[x] + change[x]) + depth[x];
    }
    if (y == 0 || y == f->height + 1)
        return;
    const float *restrict e = f->q[EAST] + row, *restrict s = f->q[SOUTH] + row;
    const float *restrict n = f->q[SOUTH] + up;
    const float *restrict se = eight ? f->q[SOUTH_EAST] + row : e;
    const float *restrict nw = eight ? f->q[SOUTH_EAST] + up : e;
    const float *restrict sw = eight ? f->q[SOUTH_WEST] + row : e;
    const float *restrict ne = eight ? f->q[SOUTH_WEST] + up : e;
    RVI_PIPE_APART
    for (int x = 1; x <= width; x++) {
        float out = (rvi_pipe_positive(e[x]) + rvi_pipe_positive(-e[x - 1])) +
                    (rvi_pipe_positive(s[x]) + rvi_pipe_positive(-n[x]));
        if (eight)
            out += (rvi_pipe_positive(se[x]) + rvi_pipe_positive(-nw[x - 1])) +
                   (rvi_pipe_positive(sw[x - 1]) + rvi_pipe_positive(-ne[x]));
        asked[x] = out;
        rvi_pipe_gift gift = rvi_pipe_give(depth[x], sediment[x], out * share);
        limit[x] = gift.limit;
        carries[x] = carry * gift.carries;
    }
}

static void fill_view(const flood *f, int y, const view *v) {
    if (f->eight)
        fill_view_of(f, y, v, true);
    else
        fill_view_of(f, y, v, false);
}

/* The pipes of one row of cells and their ends. */
typedef struct row_pipes {
    const float *e, *s, *n, *se, *nw, *sw, *ne;
    view north, here, south;
} row_pipes;

static row_pipes pipes_of(const flood *f, int y, const view *views) {
    const size_t row = (size_t)y * f->stride, up = row - f->stride;
    float *const *q = f->q;
    row_pipes p = {.e = q[EAST] + row, .s = q[SOUTH] + row, .n = q[SOUTH] + up};
    p.se = f->eight ? q[SOUTH_EAST] + row : p.e;
    p.nw = f->eight ? q[SOUTH_EAST] + up : p.e;
    p.sw = f->eight ? q[SOUTH_WEST] + row : p.e;
    p.ne = f->eight ? q[SOUTH_WEST] + up : p.e;
    p.north = views[(y - 1) % 3];
    p.here = views[y % 3];
    p.south = views[(y + 1) % 3];
    return p;
}

/* One pipe as its cell sees it: q runs outward, j is the other end. */
typedef struct pipe_side {
    float in, out; /* water: limited, and before the limit */
    float carried; /* sediment that comes in */
    float fall;    /* out times the fall */
} pipe_side;

static RVI_PIPE_HOT pipe_side see_pipe(float q, const view *row, int j, float surface) {
    pipe_side s;
    s.out = rvi_pipe_positive(q);
    float in = s.out - q;
    s.in = in * row->limit[j];
    s.carried = in * row->carries[j];
    s.fall = s.out * (surface - row->surface[j]);
    return s;
}

/* What comes in through the pipes of a row of cells, and the flux that leaves times its fall. */
typedef struct row_sums {
    float *in, *carried, *fall;
} row_sums;

/* Opposite pipes are added first, then pairs: a map that is turned or flipped gives the same bits.
 * This loop and the one over the cells are apart because processors look only so far ahead. */
static RVI_PIPE_HOT void sum_row_of(int width, const row_pipes *pipes, const row_sums *to,
                                    const bool eight) {
    const row_pipes p = *pipes;
    float *restrict in = to->in, *restrict carried = to->carried, *restrict fall = to->fall;
    RVI_PIPE_APART
    for (int x = 1; x <= width; x++) {
        const float top = p.here.surface[x];
        pipe_side e = see_pipe(p.e[x], &p.here, x + 1, top);
        pipe_side w = see_pipe(-p.e[x - 1], &p.here, x - 1, top);
        pipe_side s = see_pipe(p.s[x], &p.south, x, top);
        pipe_side n = see_pipe(-p.n[x], &p.north, x, top);
        float in_sum = (w.in + e.in) + (n.in + s.in);
        float carried_sum = (w.carried + e.carried) + (n.carried + s.carried);
        float fall_sum = (w.fall + e.fall) + (n.fall + s.fall);
        if (eight) {
            pipe_side se = see_pipe(p.se[x], &p.south, x + 1, top);
            pipe_side nw = see_pipe(-p.nw[x - 1], &p.north, x - 1, top);
            pipe_side sw = see_pipe(p.sw[x - 1], &p.south, x - 1, top);
            pipe_side ne = see_pipe(-p.ne[x], &p.north, x + 1, top);
            in_sum += (nw.in + se.in) + (ne.in + sw.in);
            carried_sum += (nw.carried + se.carried) + (ne.carried + sw.carried);
            fall_sum += 0.70710678f * ((nw.fall + se.fall) + (ne.fall + sw.fall));
        }
        in[x] = in_sum;
        carried[x] = carried_sum;
        fall[x] = fall_sum;
    }
}

static void sum_row(const flood *f, const row_pipes *p, const row_sums *to) {
    if (f->eight)
        sum_row_of(f->width, p, to, true);
    else
        sum_row_of(f->width, p, to, false);
}

static RVI_PIPE_HOT rvi_pipe_sums sums_at(const view *v, const row_sums *s, int x) {
    float asked = v->asked[x];
    return (rvi_pipe_sums){.in = s->in[x],
                           .out = v->limit[x] * asked,
                           .carried = s->carried[x],
                           .lost = v->carries[x] * asked,
                           .asked = asked,
                           .fall = s->fall[x]};
}

/* What a block keeps of each column until its last row is done. */
typedef struct columns {
    float *depth, *evaporated;
} columns;

/* The plain case: bare rock, nothing held back, the same rain everywhere. */
static void plain_row(const flood *f, int y, const view *here, const row_sums *sums,
                      const columns *most) {
    const size_t row = (size_t)y * f->stride;
    const rvi_pipe_rules r = f->rules;
    const view v = *here;
    const row_sums from = *sums;
    const float rain = f->rain * r.dt;
    const int width = f->width;
    const float *restrict depth = f->depth[0] + row, *restrict sediment = f->sediment[0] + row;
    const float *restrict change = f->change[0] + row;
    float *restrict depth_to = f->depth[1] + row, *restrict sediment_to = f->sediment[1] + row;
    float *restrict change_to = f->change[1] + row, *restrict rest = f->rest + row;
    float *restrict limit = f->limit + row, *restrict laid = f->laid + row;
    float *restrict flow = f->flow + row;
    float *restrict deepest = most->depth;
    float *restrict evaporated = most->evaporated;
    RVI_PIPE_APART
    for (int x = 1; x <= width; x++) {
        rvi_pipe_sums sum = sums_at(&v, &from, x);
        rvi_pipe_state now = rvi_pipe_cell(&r, sum, depth[x], rest[x], sediment[x], rain);
        float after = rvi_pipe_ground(change[x], now.lay - now.take, now.sediment);
        float moved = after - change[x];
        depth_to[x] = now.depth;
        rest[x] = now.rest;
        change_to[x] = after;
        sediment_to[x] = now.sediment - moved;
        limit[x] = v.limit[x];
        laid[x] += rvi_pipe_positive(moved);
        flow[x] += r.share * sum.out;
        deepest[x] = rvi_maxf(now.depth, deepest[x]);
        evaporated[x] += now.evaporated;
    }
}

/* Takes from or lays on the layers of one cell; returns by how much the ground rose. */
static float move_layers(const flood *f, size_t cell, float take, float lay, float sediment) {
    rv_terrain *land = f->job->land;
    if (take > 0.0f) {
        float rock = land->layers[0].thickness[cell];
        return -rvi_layers_take_soft(land, cell, take, rvi_strata_soft(land, f->bands, cell, rock));
    }
    float *top = &land->layers[land->layer_count - 1].thickness[cell];
    float before = *top;
    *top = rvi_pipe_ground(before, lay, sediment);
    return *top - before;
}

/* Any case: mask, hardness, layers, rain by an image. */
static void any_row(const flood *f, int y, const view *here, const row_sums *sums,
                    const columns *most) {
    const size_t row = (size_t)y * f->stride;
    const rvi_pipe_rules *r = &f->rules;
    for (int x = 1; x <= f->width; x++) {
        size_t i = row + (size_t)x;
        rvi_pipe_sums sum = sums_at(here, sums, x);
        float rain = (f->source ? f->source[i] : f->rain) * r->dt;
        rvi_pipe_state now =
            rvi_pipe_cell(r, sum, f->depth[0][i], f->rest[i], f->sediment[0][i], rain);
        float take = now.take * (f->soft ? f->soft[i] : 1.0f);
        float lay = now.lay * (f->mask ? f->mask[i] : 1.0f);
        float before = f->change[0][i], moved, after;
        size_t cell = (size_t)(y - 1) * (size_t)f->width + (size_t)(x - 1);
        if (f->layered) {
            moved = move_layers(f, cell, take, lay, now.sediment);
            after = before + moved;
        } else {
            take *= rvi_strata_soft(f->job->land, f->bands, cell, f->bed[i] + before);
            after = rvi_pipe_ground(before, lay - take, now.sediment);
            moved = after - before;
        }
        f->depth[1][i] = now.depth;
        f->rest[i] = now.rest;
        f->change[1][i] = after;
        f->sediment[1][i] = now.sediment - moved;
        f->limit[i] = here->limit[x];
        f->laid[i] += rvi_pipe_positive(moved);
        f->flow[i] += r->share * sum.out;
        most->depth[x] = rvi_maxf(now.depth, most->depth[x]);
        most->evaporated[x] += now.evaporated;
    }
}

static void cell_block(void *arg, int64_t block) {
    const flood *f = arg;
    int first = (int)block * ROWS + 1, end = rvi_mini(first + ROWS, f->height + 1);
    float *rows = block_rows(f, block);
    view views[3];
    for (int i = 0; i < 3; i++, rows += 4 * f->stride)
        views[i] = (view){rows, rows + f->stride, rows + 2 * f->stride, rows + 3 * f->stride};
    row_sums sums = {rows, rows + f->stride, rows + 2 * f->stride};
    rows += 3 * f->stride;
    columns most = {rows, rows + f->stride};
    memset(rows, 0, (2 * f->stride - PAD) * sizeof(float));
    bool plain = !f->soft && !f->mask && !f->layered && !f->source && !f->bands;
    fill_view(f, first - 1, &views[(first - 1) % 3]);
    fill_view(f, first, &views[first % 3]);
    for (int y = first; y < end; y++) {
        fill_view(f, y + 1, &views[(y + 1) % 3]);
        row_pipes p = pipes_of(f, y, views);
        sum_row(f, &p, &sums);
        if (plain)
            plain_row(f, y, &p.here, &sums, &most);
        else
            any_row(f, y, &p.here, &sums, &most);
    }
    block_result *result = &f->blocks[block];
    result->depth = 0.0f;
    for (int x = 1; x <= f->width; x++) {
        result->depth = rvi_maxf(result->depth, most.depth[x]);
        result->evaporated += (double)most.evaporated[x];
    }
    result->done = true;
}

/* ---- the flux of a cell as a vector ---- */

static bool may_leave(const flood *f, int dx, int dy) {
    return (dx != 0 || dy != 0) && (f->eight || dx == 0 || dy == 0);
}

/* The flux that leaves cell (x, y) towards (x + dx, y + dy), before the limit. */
static float leaving(const flood *f, int x, int y, int dx, int dy) {
    size_t i = (size_t)y * f->stride + (size_t)x;
    float *const *q = f->q;
    if (dy == 0)
        return dx > 0 ? q[EAST][i] : -q[EAST][i - 1];
    if (dx == 0)
        return dy > 0 ? q[SOUTH][i] : -q[SOUTH][i - f->stride];
    if (dx == dy)
        return dx > 0 ? q[SOUTH_EAST][i] : -q[SOUTH_EAST][i - f->stride - 1];
    return dy > 0 ? q[SOUTH_WEST][i - 1] : -q[SOUTH_WEST][i - f->stride];
}

/* The limited flux through a cell, in m2/s: the mean of both sides. */
static void find_through(const flood *f, int x, int y, float *through_x, float *through_y) {
    size_t i = (size_t)y * f->stride + (size_t)x;
    float out[3][3] = {{0}};
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (!may_leave(f, dx, dy))
                continue;
            float q = leaving(f, x, y, dx, dy);
            size_t j = (size_t)((ptrdiff_t)i + dy * (ptrdiff_t)f->stride + dx);
            out[dy + 1][dx + 1] = q * (q > 0.0f ? f->limit[i] : f->limit[j]);
        }
    float to_se = out[2][2] - out[0][0], to_sw = out[2][0] - out[0][2];
    *through_x = f->rules.half_width * ((out[1][2] - out[1][0]) + (to_se - to_sw));
    *through_y = f->rules.half_width * ((out[2][1] - out[0][1]) + (to_se + to_sw));
}

/* ---- one round: sediment along the velocity ---- */

/* How far sediment moves in this round, in cells; never beyond the next. */
static void move_block(void *arg, int64_t block) {
    const flood *f = arg;
    int first = (int)block * ROWS + 1, end = rvi_mini(first + ROWS, f->height + 1);
    for (int y = first; y < end; y++)
        for (int x = 1; x <= f->width; x++) {
            size_t i = (size_t)y * f->stride + (size_t)x;
            float mean = 0.5f * (f->depth[0][i] + f->depth[1][i]), flux_x, flux_y;
            float per = mean > RVI_PIPE_DRY ? f->rules.dt * f->rules.per_cell / mean : 0.0f;
            find_through(f, x, y, &flux_x, &flux_y);
            f->move_x[i] = rvi_clampf(per * flux_x, -1.0f, 1.0f);
            f->move_y[i] = rvi_clampf(per * flux_y, -1.0f, 1.0f);
        }
    f->blocks[block].done = true;
}

/* Nothing passes a wall. `from` is the side a cell's sediment comes from or goes to: -1 or 1. */
static float hold_inside(const flood *f, float move, int at, int last, float from) {
    float to = from * move;
    bool out = (at == 1 && to < 0.0f) || (at == last && to > 0.0f);
    return out && f->p->border == RV_pipes_border_wall ? 0.0f : move;
}

/* Where the sediment of this cell was: between it and three neighbours. The two that change places
 * when the map is turned are added first. */
static float look_back(const flood *f, const float *s, int x, int y) {
    size_t i = (size_t)y * f->stride + (size_t)x;
    float u = hold_inside(f, f->move_x[i], x, f->width, -1.0f);
    float v = hold_inside(f, f->move_y[i], y, f->height, -1.0f);
    size_t i_x = u > 0.0f ? i - 1 : i + 1, i_y = v > 0.0f ? i - f->stride : i + f->stride;
    size_t i_xy = u > 0.0f ? i_y - 1 : i_y + 1;
    u = u > 0.0f ? u : -u;
    v = v > 0.0f ? v : -v;
    float near = s[i] * ((1.0f - u) * (1.0f - v)) + s[i_xy] * (u * v);
    return near + (s[i_x] * (u * (1.0f - v)) + s[i_y] * (v * (1.0f - u)));
}

/* What the cell at (x + dx, y + dy) sends here. */
static float sent(const flood *f, const float *s, int x, int y, int dx, int dy) {
    int from_x = x + dx, from_y = y + dy;
    size_t i = (size_t)from_y * f->stride + (size_t)from_x;
    float u = hold_inside(f, f->move_x[i], from_x, f->width, 1.0f);
    float v = hold_inside(f, f->move_y[i], from_y, f->height, 1.0f);
    float along_x = dx == 0 ? 1.0f - (u > 0.0f ? u : -u) : rvi_pipe_positive((float)-dx * u);
    float along_y = dy == 0 ? 1.0f - (v > 0.0f ? v : -v) : rvi_pipe_positive((float)-dy * v);
    return s[i] * (along_x * along_y);
}

static float gather(const flood *f, const float *s, int x, int y) {
    float sides = (sent(f, s, x, y, -1, 0) + sent(f, s, x, y, 1, 0)) +
                  (sent(f, s, x, y, 0, -1) + sent(f, s, x, y, 0, 1));
    float corners = (sent(f, s, x, y, -1, -1) + sent(f, s, x, y, 1, 1)) +
                    (sent(f, s, x, y, 1, -1) + sent(f, s, x, y, -1, 1));
    return sent(f, s, x, y, 0, 0) + (sides + corners);
}

static void transport_block(void *arg, int64_t block) {
    const flood *f = arg;
    int first = (int)block * ROWS + 1, end = rvi_mini(first + ROWS, f->height + 1);
    const float *s = f->sediment[1];
    for (int y = first; y < end; y++)
        for (int x = 1; x <= f->width; x++) {
            float now = f->p->transport == RV_pipes_transport_backward ? look_back(f, s, x, y)
                                                                       : gather(f, s, x, y);
            f->sediment[0][(size_t)y * f->stride + (size_t)x] = now > RVI_PIPE_NONE ? now : 0.0f;
        }
    f->blocks[block].done = true;
}

/* ---- one round: what leaves the map ---- */

static void count_cell_off(flood *f, int x, int y) {
    size_t i = (size_t)y * f->stride + (size_t)x;
    const float share = f->rules.share;
    float asked = 0.0f;
    double off = 0.0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (!may_leave(f, dx, dy))
                continue;
            float q = rvi_pipe_positive(leaving(f, x, y, dx, dy));
            bool inside = x + dx >= 1 && x + dx <= f->width && y + dy >= 1 && y + dy <= f->height;
            asked += q;
            off += inside ? 0.0 : (double)q;
        }
    rvi_pipe_gift gift = rvi_pipe_give(f->depth[0][i], f->sediment[0][i], asked * share);
    f->job->water.carried_off += off * (double)share * (double)f->limit[i];
    if (f->p->transport == RV_pipes_transport_flux)
        f->carried_off += off * (double)share * (double)gift.carries;
}

/* Of what a cell sends forward, the part that has no cell to land on. */
static void count_sent_off(flood *f, int x, int y) {
    size_t i = (size_t)y * f->stride + (size_t)x;
    float u = f->move_x[i], v = f->move_y[i];
    bool off_x = (x == 1 && u < 0.0f) || (x == f->width && u > 0.0f);
    bool off_y = (y == 1 && v < 0.0f) || (y == f->height && v > 0.0f);
    double stays_x = off_x ? 1.0 - (double)fabsf(u) : 1.0;
    double stays_y = off_y ? 1.0 - (double)fabsf(v) : 1.0;
    f->carried_off += (double)f->sediment[1][i] * (1.0 - stays_x * stays_y);
}

static void count_border(flood *f, void (*count)(flood *f, int x, int y)) {
    for (int x = 1; x <= f->width; x++) {
        count(f, x, 1);
        if (f->height > 1)
            count(f, x, f->height);
    }
    for (int y = 2; y < f->height; y++) {
        count(f, 1, y);
        if (f->width > 1)
            count(f, f->width, y);
    }
}

/* ---- rounds ---- */

/* Runs all blocks. A stop that is asked for meanwhile must not leave half a round. */
static rv_status run_blocks(flood *f, int count, void (*fn)(void *arg, int64_t block)) {
    for (int b = 0; b < f->block_count; b++)
        f->blocks[b].done = false;
    rv_status status = rvi_parallel(f->job->ctx, count, fn, f);
    for (int b = 0; status != RV_OK && b < count; b++)
        if (!f->blocks[b].done)
            fn(f, b);
    return status;
}

static void swap(float **pair) {
    float *held = pair[0];
    pair[0] = pair[1];
    pair[1] = held;
}

/* How long the next round lasts. Water that is about to run is taken to be as deep as a thousandth
 * of a cell, and as fast as a fall of half a hundredth of a cell makes it. */
static float choose_dt(const flood *f, double left) {
    const rv_pipes_params *p = f->p;
    float cell = f->rules.cell, deepest = rvi_maxf(f->deepest, 0.001f * cell);
    float fastest = rvi_maxf(f->fastest, sqrtf(0.01f * p->gravity * cell));
    float courant = f->eight ? 0.7f : 0.5f;
    float dt = courant * cell / (sqrtf(p->gravity * deepest) + fastest + 1e-30f);
    dt = isnan(p->dt) ? dt : rvi_minf(dt, p->dt);
    return (double)dt < left ? dt : (float)left;
}

static void set_rules(flood *f, float dt) {
    const rv_pipes_params *p = f->p;
    rvi_pipe_rules *r = &f->rules;
    float width = f->eight ? 0.41421356f : 1.0f;
    r->dt = dt;
    r->share = dt * width * r->per_cell;
    r->pull_axis = p->gravity * dt * r->per_cell;
    r->pull_corner = r->pull_axis * 0.70710678f;
    r->drag = 4.0f * p->friction * dt * (f->eight ? 1.2f : 1.0f);
    r->half_width = 0.5f * width;
    r->capacity = p->capacity;
    r->min_tilt = p->min_tilt;
    r->max_depth = p->max_depth;
    r->drop = 0.25f * r->cell;
    r->dissolve = 1.0f - rvi_expf(-p->dissolve * dt);
    r->deposit = 1.0f - rvi_expf(-p->deposit * dt);
    r->evaporate = 1.0f - rvi_expf(-p->evaporation * dt);
    r->film = p->evaporation > 0.0f ? 1e-6f : -1.0f;
}

static rv_status run_round(flood *f, float dt) {
    set_rules(f, dt);
    int cells = (f->height + ROWS - 1) / ROWS;
    rv_status pushed = run_blocks(f, f->block_count, push_block);
    rv_status moved = run_blocks(f, cells, cell_block);
    rv_status carried = f->move_x ? run_blocks(f, cells, move_block) : RV_OK;
    if (f->p->border == RV_pipes_border_open)
        count_border(f, count_cell_off);
    if (f->p->border == RV_pipes_border_open && f->p->transport == RV_pipes_transport_forward)
        count_border(f, count_sent_off);
    rv_status landed = f->move_x ? run_blocks(f, cells, transport_block) : RV_OK;
    if (!f->move_x)
        swap(f->sediment);
    swap(f->depth);
    swap(f->change);
    f->deepest = f->fastest = 0.0f;
    for (int b = 0; b < f->block_count; b++) {
        f->deepest = rvi_maxf(f->deepest, f->blocks[b].depth);
        f->fastest = rvi_maxf(f->fastest, f->blocks[b].speed);
    }
    f->job->water.rained += (double)dt * f->source_sum;
    f->seconds += (double)dt;
    bool whole = pushed == RV_OK && moved == RV_OK && carried == RV_OK && landed == RV_OK;
    return whole ? RV_OK : RV_CANCELLED;
}

/* Brings the land up to date. Heights are rounded down and what that leaves is afloat: so nothing
 * is won or lost. `settle` false: only for the eye. */
static void show_land(const flood *f, bool settle) {
    rv_terrain *land = f->job->land;
    if (f->layered) {
        rvi_terrain_sum_layers(land);
        return;
    }
    for (int y = 0; y < f->height; y++)
        for (int x = 0; x < f->width; x++) {
            size_t i = (size_t)(y + 1) * f->stride + (size_t)(x + 1);
            double height = (double)f->bed[i] + (double)f->change[0][i];
            float lower = (float)height;
            if ((double)lower > height)
                lower *= lower > 0.0f ? 1.0f - 0x1p-24f : 1.0f + 0x1p-23f;
            land->surface[(size_t)y * (size_t)f->width + (size_t)x] = lower;
            if (settle)
                f->sediment[0][i] += (float)(height - (double)lower);
        }
}

static rv_status run_rounds(flood *f) {
    const rv_pipes_params *p = f->p;
    rv_status status = RV_OK;
    const double end = (double)p->time;
    while (status == RV_OK) {
        double left = end - f->seconds;
        if (left <= 1e-6 * end || (p->rounds != RV_AUTO_INT && f->rounds >= p->rounds))
            break;
        status = run_round(f, choose_dt(f, left));
        f->rounds++;
        double done = f->seconds / end;
        if (p->rounds != RV_AUTO_INT)
            done = fmax(done, (double)f->rounds / (double)p->rounds);
        if (status == RV_OK && rvi_progress_due(f->job->ctx))
            show_land(f, false);
        if (status == RV_OK)
            status = rvi_job_progress(f->job, done < 1.0 ? done : 1.0);
    }
    return status;
}

/* ---- before and after ---- */

static bool needs_soft(const rv_terrain *land) {
    bool hard_bedrock = land->layer_count == 1 && land->layers[0].erodibility != 1.0f;
    return hard_bedrock || rvi_field_get(land, "mask") || rvi_field_get(land, "hardness");
}

/* How many grids this run needs. A plan does not know yet of mask and hardness. */
static size_t grid_count(const flood *f) {
    const rv_pipes_params *p = f->p;
    const rv_terrain *land = f->job->land;
    size_t grids = f->eight ? 15 : 13;
    if (p->transport != RV_pipes_transport_flux)
        grids += 2;
    if (f->job->planning || needs_soft(land))
        grids++;
    if (f->job->planning || rvi_field_get(land, "mask"))
        grids++;
    return p->rain_image[0] || p->spring_rate > 0.0f ? grids + 1 : grids;
}

/* Grids lie one after the other, each begun elsewhere in a page: processors take a write for a read
 * of the same place in another page, and wait. */
static size_t grid_spacing(const flood *f) {
    return (f->count + 1023) / 1024 * 1024 + 48;
}

static size_t plan_memory(const flood *f) {
    size_t rows = (size_t)f->block_count * BLOCK_ROWS * f->stride + START;
    size_t image = f->p->rain_image[0] ? rvi_cells(f->job->land) : 0;
    image += rvi_strata_there(f->job->land) ? rvi_cells(f->job->land) : 0;
    return (grid_count(f) * grid_spacing(f) + rows + image) * sizeof(float) +
           (size_t)f->block_count * sizeof(block_result) + 4096;
}

static float *next_grid(flood *f) {
    return f->grids + f->grids_used++ * grid_spacing(f) + START;
}

static rv_status allocate(flood *f) {
    rv_context *ctx = f->job->ctx;
    size_t blocks = (size_t)f->block_count;
    f->grids = rvi_alloc(ctx, grid_count(f) * grid_spacing(f), sizeof(float), "running water");
    f->rows =
        rvi_alloc(ctx, blocks * BLOCK_ROWS * f->stride + START, sizeof(float), "rows of water");
    f->blocks = rvi_alloc(ctx, blocks, sizeof *f->blocks, "the blocks");
    if (!f->grids || !f->rows || !f->blocks)
        return RV_ERROR_MEMORY;
    f->bed = next_grid(f);
    for (int i = 0; i < 2; i++) {
        f->change[i] = next_grid(f);
        f->depth[i] = next_grid(f);
        f->sediment[i] = next_grid(f);
    }
    f->rest = next_grid(f);
    for (int i = 0; i < (f->eight ? 4 : 2); i++)
        f->q[i] = next_grid(f);
    f->limit = next_grid(f);
    f->laid = next_grid(f);
    f->flow = next_grid(f);
    if (f->p->transport == RV_pipes_transport_flux)
        return RV_OK;
    f->move_x = next_grid(f);
    f->move_y = next_grid(f);
    return RV_OK;
}

static void release(flood *f) {
    rvi_free(f->job->ctx, f->grids);
    rvi_free(f->job->ctx, f->rows);
    rvi_free(f->job->ctx, f->blocks);
    rvi_free(f->job->ctx, f->bands);
}

/* A field of the map goes into a grid; one that is not there leaves it as it is. */
static void fill_grid(const flood *f, const float *field, float *to) {
    for (int y = 0; field && y < f->height; y++)
        memcpy(to + (size_t)(y + 1) * f->stride + 1, field + (size_t)y * (size_t)f->width,
               (size_t)f->width * sizeof(float));
}

/* The ground of the ghosts; the slope goes on. */
static void fill_ghosts(flood *f) {
    int w = f->width, h = f->height;
    for (int y = 0; y < h + 2; y++)
        for (int x = 0; x < w + 2; x++) {
            if (x >= 1 && x <= w && y >= 1 && y <= h)
                continue;
            int edge_x = rvi_mini(rvi_maxi(x, 1), w), edge_y = rvi_mini(rvi_maxi(y, 1), h);
            int in_x = rvi_mini(rvi_maxi(2 * edge_x - x, 1), w);
            int in_y = rvi_mini(rvi_maxi(2 * edge_y - y, 1), h);
            float edge = f->bed[(size_t)edge_y * f->stride + (size_t)edge_x];
            float inner = f->bed[(size_t)in_y * f->stride + (size_t)in_x];
            bool wall = f->p->border == RV_pipes_border_wall;
            f->bed[(size_t)y * f->stride + (size_t)x] = wall ? WALL : 2.0f * edge - inner;
        }
}

static void fill_factors(flood *f) {
    const rv_terrain *land = f->job->land;
    const float *hardness = rvi_field_get(land, "hardness"), *mask = rvi_field_get(land, "mask");
    float bare = f->layered ? 1.0f : land->layers[0].erodibility;
    if (mask) {
        f->mask = next_grid(f);
        fill_grid(f, mask, f->mask);
    }
    if (!needs_soft(land))
        return;
    f->soft = next_grid(f);
    for (int y = 0; y < f->height; y++)
        for (int x = 0; x < f->width; x++) {
            size_t i = (size_t)y * (size_t)f->width + (size_t)x;
            float soft = (mask ? mask[i] : 1.0f) * (hardness ? 1.0f - hardness[i] : 1.0f);
            f->soft[(size_t)(y + 1) * f->stride + (size_t)(x + 1)] = bare * soft;
        }
}

/* Shares the spring among the cells within its radius, at least the nearest one. */
static rv_status add_spring(flood *f) {
    const rv_pipes_params *p = f->p;
    float cell = f->rules.cell, wide = (float)(f->width - 1), high = (float)(f->height - 1);
    float sx = isnan(p->spring_x) ? 0.5f * wide : p->spring_x / cell;
    float sy = isnan(p->spring_y) ? 0.5f * high : p->spring_y / cell;
    if (sx > wide || sy > high)
        return rvi_fail(f->job->ctx, RV_ERROR_USAGE,
                        "pipes: the spring at %g m, %g m lies outside the map of %g m x %g m.",
                        (double)(sx * cell), (double)(sy * cell), (double)(wide * cell),
                        (double)(high * cell));
    float radius = p->spring_radius / cell, near2 = radius * radius;
    int mid_x = (int)(sx + 0.5f), mid_y = (int)(sy + 0.5f);
    for (int turn = 0, cells = 0; turn < 2; turn++)
        for (int y = 0; y < f->height; y++)
            for (int x = 0; x < f->width; x++) {
                float dx = (float)x - sx, dy = (float)y - sy;
                if (dx * dx + dy * dy > near2 && !(x == mid_x && y == mid_y))
                    continue;
                cells += turn == 0;
                if (turn == 1)
                    f->source[(size_t)(y + 1) * f->stride + (size_t)(x + 1)] +=
                        p->spring_rate / ((float)cells * cell * cell);
            }
    return RV_OK;
}

static rv_status fill_source(flood *f) {
    const rv_pipes_params *p = f->p;
    f->rain = p->rain / 3.6e6f;
    f->source_sum = (double)f->rain * (double)rvi_cells(f->job->land);
    if (!p->rain_image[0] && !(p->spring_rate > 0.0f))
        return RV_OK;
    rv_status status = RV_OK;
    f->source = next_grid(f);
    if (p->rain_image[0]) {
        float *image;
        status = rvi_job_image(f->job, p->rain_image, &image);
        if (status == RV_OK)
            fill_grid(f, image, f->source);
        rvi_free(f->job->ctx, image);
    }
    if (status != RV_OK)
        return status;
    for (int y = 1; y <= f->height; y++)
        for (int x = 1; x <= f->width; x++) {
            float *here = &f->source[(size_t)y * f->stride + (size_t)x];
            *here = f->rain * (p->rain_image[0] ? *here : 1.0f);
        }
    if (p->spring_rate > 0.0f)
        status = add_spring(f);
    f->source_sum = rvi_sum(f->job->ctx, f->source, f->count);
    return status;
}

/* The pipes take up the velocity that an earlier step left. */
static void fill_flux(flood *f, const float *vx, const float *vy) {
    for (int y = 1; y <= f->height; y++)
        for (int x = 1; x <= f->width; x++) {
            size_t i = (size_t)y * f->stride + (size_t)x;
            size_t cell = (size_t)(y - 1) * (size_t)f->width + (size_t)(x - 1);
            float d = f->depth[0][i];
            f->limit[i] = 1.0f;
            f->deepest = rvi_maxf(f->deepest, d);
            if (!vx || !vy || !(d > RVI_PIPE_DRY))
                continue;
            float speed = sqrtf(vx[cell] * vx[cell] + vy[cell] * vy[cell]);
            f->fastest = rvi_maxf(f->fastest, speed);
            /* For now the grids to come hold the flux of each cell. */
            f->change[1][i] = d * vx[cell];
            f->sediment[1][i] = d * vy[cell];
        }
    const float *qx = f->change[1], *qy = f->sediment[1];
    for (int y = 0; y <= f->height; y++)
        for (int x = 0; x <= f->width; x++) {
            size_t i = (size_t)y * f->stride + (size_t)x, s = i + f->stride;
            f->q[EAST][i] = 0.5f * (qx[i] + qx[i + 1]);
            f->q[SOUTH][i] = 0.5f * (qy[i] + qy[s]);
            if (!f->eight)
                continue;
            float down = (qx[i] + qy[i]) + (qx[s + 1] + qy[s + 1]);
            float up = (qy[i + 1] - qx[i + 1]) + (qy[s] - qx[s]);
            f->q[SOUTH_EAST][i] = 0.35355339f * down;
            f->q[SOUTH_WEST][i] = 0.35355339f * up;
        }
    memset(f->change[1], 0, f->count * sizeof(float));
    memset(f->sediment[1], 0, f->count * sizeof(float));
}

typedef struct left_behind {
    float *water, *sediment, *x, *y, *flow, *eroded, *deposited;
} left_behind;

static rv_status make_fields(rv_terrain *land, left_behind *l) {
    static const char *const names[] = {"water", "sediment", "velocity_x", "velocity_y",
                                        "flow",  "eroded",   "deposited"};
    float *f[7];
    rv_status status = rvi_fields_make(land, names, 7, f);
    if (status == RV_OK)
        *l = (left_behind){f[0], f[1], f[2], f[3], f[4], f[5], f[6]};
    return status;
}

/* Water and sediment below 0 would be none of ours. */
static rv_status check_fields(const flood *f) {
    static const char *const names[] = {"water", "sediment"};
    for (int k = 0; k < 2; k++) {
        const float *field = rvi_field_get(f->job->land, names[k]);
        for (size_t i = 0; field && i < rvi_cells(f->job->land); i++)
            if (!(field[i] >= 0.0f && field[i] < 1e9f))
                return rvi_fail(f->job->ctx, RV_ERROR_INPUT,
                                "pipes: the %s in row %zu, column %zu is %g m.", names[k],
                                i / (size_t)f->width, i % (size_t)f->width, (double)field[i]);
    }
    return RV_OK;
}

static rv_status prepare(flood *f) {
    const rv_terrain *land = f->job->land;
    rv_status status = check_fields(f);
    if (status == RV_OK)
        status = allocate(f);
    if (status == RV_OK)
        status = rvi_strata_map(land, &f->bands);
    if (status == RV_OK)
        status = fill_source(f);
    if (status != RV_OK)
        return status;
    fill_factors(f);
    fill_grid(f, land->surface, f->bed);
    fill_ghosts(f);
    fill_grid(f, rvi_field_get(land, "water"), f->depth[0]);
    fill_grid(f, rvi_field_get(land, "sediment"), f->sediment[0]);
    fill_flux(f, rvi_field_get(land, "velocity_x"), rvi_field_get(land, "velocity_y"));
    double area = (double)f->rules.cell * (double)f->rules.cell;
    f->volume = rv_terrain_volume(land);
    f->afloat = area * rvi_sum(f->job->ctx, f->sediment[0], f->count);
    f->job->water.before = area * rvi_sum(f->job->ctx, f->depth[0], f->count);
    return RV_OK;
}

/* The velocity of the water as it stands. Where a cell has just run nearly dry, the depth of the
 * water that came in counts. */
static void find_velocity(const flood *f, int x, int y, float *vx, float *vy) {
    size_t i = (size_t)y * f->stride + (size_t)x;
    float depth = f->depth[0][i], bed = f->bed[i] + f->change[0][i];
    *vx = *vy = 0.0f;
    if (!(depth > RVI_PIPE_DRY))
        return;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            size_t j = (size_t)((ptrdiff_t)i + dy * (ptrdiff_t)f->stride + dx);
            float down = rvi_maxf(bed - (f->bed[j] + f->change[0][j]), 0.0f);
            if (may_leave(f, dx, dy) && leaving(f, x, y, dx, dy) < 0.0f)
                depth = rvi_maxf(depth, f->depth[0][j] - down);
        }
    find_through(f, x, y, vx, vy);
    *vx /= depth;
    *vy /= depth;
}

/* What the water leaves behind for the next step and for those who paint the land. */
static void leave_fields(const flood *f, const left_behind *to) {
    const rv_terrain *land = f->job->land;
    const float area = f->rules.cell * f->rules.cell;
    for (int y = 0; y < f->height; y++)
        for (int x = 0; x < f->width; x++) {
            size_t cell = (size_t)y * (size_t)f->width + (size_t)x;
            size_t i = (size_t)(y + 1) * f->stride + (size_t)(x + 1);
            to->water[cell] = f->depth[0][i];
            to->sediment[cell] = f->sediment[0][i];
            to->flow[cell] += f->flow[i] * area;
            to->deposited[cell] += f->laid[i];
            float rose = land->surface[cell] - f->bed[i];
            to->eroded[cell] += rvi_pipe_positive(f->laid[i] - rose);
            find_velocity(f, x + 1, y + 1, &to->x[cell], &to->y[cell]);
        }
}

/* What the land lost is known from the land, what was laid from the rounds. Backward transport wins
 * and loses sediment: what is missing counts as carried off, and is said. */
static void close_ledger(flood *f) {
    rvi_job *job = f->job;
    double area = (double)f->rules.cell * (double)f->rules.cell;
    rv_ledger *l = &job->ledger;
    l->laid = area * rvi_sum(job->ctx, f->laid, f->count);
    l->taken = l->laid - (rv_terrain_volume(job->land) - f->volume);
    l->afloat = area * rvi_sum(job->ctx, f->sediment[0], f->count) - f->afloat;
    l->carried_off = area * f->carried_off;
    if (f->p->transport == RV_pipes_transport_backward) {
        l->carried_off = l->taken - l->laid - l->afloat;
        rvi_log(job->ctx,
                "pipes: backward transport lost %.4g m3 of sediment, with what left the map",
                l->carried_off);
    }
    if (f->rounds > 0)
        rvi_log(job->ctx,
                "pipes: %.6g s in %d rounds, the last of %.3g s; water up to %.3g m deep, "
                "%.3g m/s fast",
                f->seconds, f->rounds, (double)f->rules.dt, (double)f->deepest, (double)f->fastest);
    rv_water *w = &job->water;
    w->evaporated = 0.0;
    for (int b = 0; b < f->block_count; b++)
        w->evaporated += area * f->blocks[b].evaporated;
    w->rained *= area;
    w->carried_off *= area;
    w->standing = area * (rvi_sum(job->ctx, f->depth[0], f->count));
}

static rv_status run_flood(flood *f) {
    left_behind fields;
    rv_status status = prepare(f);
    if (status == RV_OK)
        status = make_fields(f->job->land, &fields);
    if (status != RV_OK)
        return status;
    status = run_rounds(f);
    /* A run that was stopped is whole too: all that follows belongs to the rounds that did run. */
    show_land(f, true);
    close_ledger(f);
    leave_fields(f, &fields);
    return status;
}

rv_status rvi_step_pipes(rvi_job *job, const rv_pipes_params *p) {
    flood *f = rvi_alloc(job->ctx, 1, sizeof *f, "the water");
    if (!f)
        return RV_ERROR_MEMORY;
    const rv_terrain *land = job->land;
    f->p = p;
    f->job = job;
    f->width = land->width;
    f->height = land->height;
    f->stride = ((size_t)land->width + 2 + PAD + 15) / 16 * 16;
    f->count = f->stride * (size_t)(land->height + 2);
    f->eight = p->neighbours == RV_pipes_neighbours_8;
    f->layered = land->layer_count > 1;
    f->block_count = (f->height + 1 + ROWS - 1) / ROWS;
    f->rules.cell = land->cell;
    f->rules.per_cell = 1.0f / land->cell;
    job->memory = plan_memory(f);
    rv_status status = job->planning ? RV_OK : run_flood(f);
    release(f);
    rvi_free(job->ctx, f);
    return status;
}
