/* pipe_grid.h: what a cell of pipes.c asks of the grids around it, and what is counted, for the
 * processor and for devices. */
#ifndef RVI_STEPS_PIPES_PIPE_GRID_H
#define RVI_STEPS_PIPES_PIPE_GRID_H

#include "steps/pipes/pipe_cell.h"

#define RVI_PIPE_WALL 1e30f

/* Of a device: columns that a group works on, those of them on each side that it only looks at, and
 * the rows of numbers that it keeps, with four and with eight pipes a cell. */
enum { RVI_PIPE_GROUP = 128, RVI_PIPE_BESIDE = 2, RVI_PIPE_KEPT = 40, RVI_PIPE_KEPT_8 = 56 };
enum { RVI_PIPE_ROWS = 32 }; /* of a block of work, whose columns are summed up one by one */
enum { RVI_PIPE_EAST, RVI_PIPE_SOUTH, RVI_PIPE_SOUTH_EAST, RVI_PIPE_SOUTH_WEST, RVI_PIPE_WAYS };

/* What is the same for all cells in all rounds. */
typedef struct rvi_pipe_shape {
    int width, height,
        stride;            /* a grid has a ring of ghosts: cell (1, 1) is the first of the map */
    int eight, wall;       /* 1 or 0 */
    int backward, forward; /* the transport; neither: along the pipes */
} rvi_pipe_shape;

/* The pipe RVI_PIPE_SOUTH_WEST at (x, y) runs from (x + 1, y) to (x, y + 1); the others begin at
 * (x, y). */
typedef struct rvi_pipe_net {
    rvi_pipe_shape shape;
    RVI_GRID const float *q[RVI_PIPE_WAYS], *limit;
    float half_width; /* of a pipe in cells */
} rvi_pipe_net;

/* ---- the flux of a cell as a vector ---- */

static inline bool rvi_pipe_may_leave(const rvi_pipe_net *f, int dx, int dy) {
    return (dx != 0 || dy != 0) && (f->shape.eight || dx == 0 || dy == 0);
}

/* The flux that leaves the cell at i towards its neighbour at (dx, dy), before the limit. */
static inline float rvi_pipe_leaving(const rvi_pipe_net *f, size_t i, int dx, int dy) {
    size_t up = i - (size_t)f->shape.stride;
    if (dy == 0)
        return dx > 0 ? f->q[RVI_PIPE_EAST][i] : -f->q[RVI_PIPE_EAST][i - 1];
    if (dx == 0)
        return dy > 0 ? f->q[RVI_PIPE_SOUTH][i] : -f->q[RVI_PIPE_SOUTH][up];
    if (dx == dy)
        return dx > 0 ? f->q[RVI_PIPE_SOUTH_EAST][i] : -f->q[RVI_PIPE_SOUTH_EAST][up - 1];
    return dy > 0 ? f->q[RVI_PIPE_SOUTH_WEST][i - 1] : -f->q[RVI_PIPE_SOUTH_WEST][up];
}

/* The place of a neighbour. */
static inline size_t rvi_pipe_beside(const rvi_pipe_net *f, size_t i, int dx, int dy) {
    return (size_t)((int64_t)i + (int64_t)dy * (int64_t)f->shape.stride + (int64_t)dx);
}

typedef struct rvi_pipe_vector {
    float x, y;
} rvi_pipe_vector;

/* The same, limited. */
static inline float rvi_pipe_given(const rvi_pipe_net *f, size_t i, int dx, int dy) {
    if (!rvi_pipe_may_leave(f, dx, dy))
        return 0.0f;
    float q = rvi_pipe_leaving(f, i, dx, dy);
    return q * (q > 0.0f ? f->limit[i] : f->limit[rvi_pipe_beside(f, i, dx, dy)]);
}

/* The limited flux through a cell, in m2/s: the mean of both sides. */
static inline rvi_pipe_vector rvi_pipe_through(const rvi_pipe_net *f, size_t i) {
    float to_se = rvi_pipe_given(f, i, 1, 1) - rvi_pipe_given(f, i, -1, -1);
    float to_sw = rvi_pipe_given(f, i, -1, 1) - rvi_pipe_given(f, i, 1, -1);
    float to_e = rvi_pipe_given(f, i, 1, 0) - rvi_pipe_given(f, i, -1, 0);
    float to_s = rvi_pipe_given(f, i, 0, 1) - rvi_pipe_given(f, i, 0, -1);
    rvi_pipe_vector through;
    through.x = f->half_width * (to_e + (to_se - to_sw));
    through.y = f->half_width * (to_s + (to_se + to_sw));
    return through;
}

/* The velocity of the water as it stands. Where a cell has just run nearly dry, the depth of the
 * water that came in counts. */
static inline rvi_pipe_vector rvi_pipe_velocity(const rvi_pipe_net *f, RVI_GRID const float *bed,
                                                RVI_GRID const float *change,
                                                RVI_GRID const float *water, size_t i) {
    float depth = water[i], ground = bed[i] + change[i];
    rvi_pipe_vector v = {0.0f, 0.0f};
    if (!(depth > RVI_PIPE_DRY))
        return v;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            size_t j = rvi_pipe_beside(f, i, dx, dy);
            float down = rvi_maxf(ground - (bed[j] + change[j]), 0.0f);
            if (rvi_pipe_may_leave(f, dx, dy) && rvi_pipe_leaving(f, i, dx, dy) < 0.0f)
                depth = rvi_maxf(depth, water[j] - down);
        }
    v = rvi_pipe_through(f, i);
    v.x /= depth;
    v.y /= depth;
    return v;
}

/* ---- sediment along the velocity ---- */

/* How far it moves, in cells; never beyond the next. */
static inline rvi_pipe_vector rvi_pipe_move(const rvi_pipe_net *f, const rvi_pipe_rules *r,
                                            float before, float after, size_t i) {
    float mean = 0.5f * (before + after);
    float per = mean > RVI_PIPE_DRY ? r->dt * r->per_cell / mean : 0.0f;
    rvi_pipe_vector flux = rvi_pipe_through(f, i), move;
    move.x = rvi_clampf(per * flux.x, -1.0f, 1.0f);
    move.y = rvi_clampf(per * flux.y, -1.0f, 1.0f);
    return move;
}

/* Nothing passes a wall. `from` is the side a cell's sediment comes from or goes to: -1 or 1. */
static inline float rvi_pipe_hold(const rvi_pipe_shape *f, float move, int at, int last,
                                  float from) {
    float to = from * move;
    bool out = (at == 1 && to < 0.0f) || (at == last && to > 0.0f);
    return out && f->wall ? 0.0f : move;
}

/* Where sediment moves, and how much there is. */
typedef struct rvi_pipe_drift {
    RVI_GRID const float *x, *y, *sediment;
} rvi_pipe_drift;

/* Where the sediment of this cell was: between it and three neighbours. The two that change places
 * when the map is turned are added first. */
static inline float rvi_pipe_look_back(const rvi_pipe_shape *f, rvi_pipe_drift d, int x, int y) {
    size_t stride = (size_t)f->stride, i = (size_t)y * stride + (size_t)x;
    float u = rvi_pipe_hold(f, d.x[i], x, f->width, -1.0f);
    float v = rvi_pipe_hold(f, d.y[i], y, f->height, -1.0f);
    size_t i_x = u > 0.0f ? i - 1 : i + 1, i_y = v > 0.0f ? i - stride : i + stride;
    size_t i_xy = u > 0.0f ? i_y - 1 : i_y + 1;
    u = u > 0.0f ? u : -u;
    v = v > 0.0f ? v : -v;
    RVI_GRID const float *s = d.sediment;
    float near = s[i] * ((1.0f - u) * (1.0f - v)) + s[i_xy] * (u * v);
    return near + (s[i_x] * (u * (1.0f - v)) + s[i_y] * (v * (1.0f - u)));
}

/* What the cell at (x + dx, y + dy) sends here. */
static inline float rvi_pipe_sent(const rvi_pipe_shape *f, rvi_pipe_drift d, int x, int y, int dx,
                                  int dy) {
    int from_x = x + dx, from_y = y + dy;
    size_t i = (size_t)from_y * (size_t)f->stride + (size_t)from_x;
    float u = rvi_pipe_hold(f, d.x[i], from_x, f->width, 1.0f);
    float v = rvi_pipe_hold(f, d.y[i], from_y, f->height, 1.0f);
    float along_x = dx == 0 ? 1.0f - (u > 0.0f ? u : -u) : rvi_pipe_positive((float)-dx * u);
    float along_y = dy == 0 ? 1.0f - (v > 0.0f ? v : -v) : rvi_pipe_positive((float)-dy * v);
    return d.sediment[i] * (along_x * along_y);
}

static inline float rvi_pipe_gather(const rvi_pipe_shape *f, rvi_pipe_drift d, int x, int y) {
    float sides = (rvi_pipe_sent(f, d, x, y, -1, 0) + rvi_pipe_sent(f, d, x, y, 1, 0)) +
                  (rvi_pipe_sent(f, d, x, y, 0, -1) + rvi_pipe_sent(f, d, x, y, 0, 1));
    float corners = (rvi_pipe_sent(f, d, x, y, -1, -1) + rvi_pipe_sent(f, d, x, y, 1, 1)) +
                    (rvi_pipe_sent(f, d, x, y, 1, -1) + rvi_pipe_sent(f, d, x, y, -1, 1));
    return rvi_pipe_sent(f, d, x, y, 0, 0) + (sides + corners);
}

static inline float rvi_pipe_drifted(const rvi_pipe_shape *f, rvi_pipe_drift d, int x, int y) {
    float now = f->backward ? rvi_pipe_look_back(f, d, x, y) : rvi_pipe_gather(f, d, x, y);
    return now > RVI_PIPE_NONE ? now : 0.0f;
}

/* ---- what is counted ---- */

/* Of a column of a block since the step began, metres on one cell. */
typedef struct rvi_pipe_column {
    double evaporated, taken, laid;
    double held; /* taken - laid, of all rounds added up */
} rvi_pipe_column;

/* Adds what the cells of the column did in a round. */
static inline void rvi_pipe_count(RVI_GRID rvi_pipe_column *c, float evaporated, float taken,
                                  float laid) {
    c->evaporated += (double)evaporated;
    c->taken += (double)taken;
    c->laid += (double)laid;
    c->held += c->taken - c->laid;
}

/* Of a place of the border since the step began: what left the map, metres on one cell. */
typedef struct rvi_pipe_off {
    double water, sediment;
    double held; /* sediment, of all rounds added up */
} rvi_pipe_off;

/* Places of the border: rows 1 and `height`, then columns 1 and `width` between them. */
static inline int rvi_pipe_places(const rvi_pipe_shape *f) {
    return 2 * (f->width + f->height);
}

/* False: there is no such place, or another is the same. */
static inline bool rvi_pipe_place(const rvi_pipe_shape *f, int place, int *x, int *y) {
    bool row = place < 2 * f->width;
    int at = row ? place : place - 2 * f->width, side = row ? f->width : f->height;
    bool far = at >= side;
    at = far ? at - side : at;
    *x = row ? at + 1 : far ? f->width : 1;
    *y = !row ? at + 1 : far ? f->height : 1;
    if (row)
        return !far || f->height > 1;
    return *y > 1 && *y < f->height && (!far || f->width > 1);
}

/* Water that leaves over the edge of the map in this round, and what it carries. */
static inline void rvi_pipe_count_edge(RVI_GRID rvi_pipe_off *to, const rvi_pipe_net *f,
                                       const rvi_pipe_rules *r, float depth, float sediment, int x,
                                       int y) {
    size_t i = (size_t)y * (size_t)f->shape.stride + (size_t)x;
    float asked = 0.0f;
    double off = 0.0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (!rvi_pipe_may_leave(f, dx, dy))
                continue;
            float q = rvi_pipe_positive(rvi_pipe_leaving(f, i, dx, dy));
            bool inside =
                x + dx >= 1 && x + dx <= f->shape.width && y + dy >= 1 && y + dy <= f->shape.height;
            asked += q;
            off += inside ? 0.0 : (double)q;
        }
    rvi_pipe_gift gift = rvi_pipe_give(depth, sediment, asked * r->share);
    to->water += off * (double)r->share * (double)f->limit[i];
    if (!f->shape.backward && !f->shape.forward)
        to->sediment += off * (double)r->share * (double)gift.carries;
}

/* Of what a cell sends forward, the part that has no cell to land on. */
static inline void rvi_pipe_count_sent(RVI_GRID rvi_pipe_off *to, const rvi_pipe_shape *f,
                                       rvi_pipe_drift d, int x, int y) {
    size_t i = (size_t)y * (size_t)f->stride + (size_t)x;
    float u = d.x[i], v = d.y[i];
    bool off_x = (x == 1 && u < 0.0f) || (x == f->width && u > 0.0f);
    bool off_y = (y == 1 && v < 0.0f) || (y == f->height && v > 0.0f);
    double stays_x = off_x ? 1.0 - (double)fabsf(u) : 1.0;
    double stays_y = off_y ? 1.0 - (double)fabsf(v) : 1.0;
    to->sediment += (double)d.sediment[i] * (1.0 - stays_x * stays_y);
}

/* Both, of a place of the border; `drift` holds the sediment on its way. */
static inline void rvi_pipe_count_off_at(RVI_GRID rvi_pipe_off *to, const rvi_pipe_net *f,
                                         const rvi_pipe_rules *r, RVI_GRID const float *depth,
                                         RVI_GRID const float *sediment, rvi_pipe_drift drift,
                                         int place) {
    int x, y;
    if (!rvi_pipe_place(&f->shape, place, &x, &y))
        return;
    size_t i = (size_t)y * (size_t)f->shape.stride + (size_t)x;
    rvi_pipe_count_edge(to, f, r, depth[i], sediment[i], x, y);
    if (f->shape.forward)
        rvi_pipe_count_sent(to, &f->shape, drift, x, y);
    to->held += to->sediment;
}

/* ---- before and after ---- */

/* The largest float that is not above the ground: what that leaves stays suspended. */
static inline float rvi_pipe_height(float bed, float change) {
    double height = (double)bed + (double)change;
    float lower = (float)height;
    if ((double)lower > height)
        lower *= lower > 0.0f ? 1.0f - 0x1p-24f : 1.0f + 0x1p-23f;
    return lower;
}

/* What of the ground lies above that height. */
static inline double rvi_pipe_above(float bed, float change, float height) {
    return ((double)bed + (double)change) - (double)height;
}

#endif
