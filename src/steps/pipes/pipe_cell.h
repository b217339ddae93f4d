/* pipe_cell.h: the arithmetic of one pipe and of one cell of pipes.c, values in, values out. */
#ifndef RVI_STEPS_PIPES_PIPE_CELL_H
#define RVI_STEPS_PIPES_PIPE_CELL_H

#include "base/math.h"

#include <math.h>
#include <stdbool.h>

/* Loops over a row are vectorised only when all of their body is in them, and when the compiler
 * takes our word that no array that is written overlaps another. */
#if defined(__GNUC__)
#define RVI_PIPE_HOT inline __attribute__((always_inline))
#else
#define RVI_PIPE_HOT inline
#endif
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* sanitizers keep loops from being vectorised */
#define RVI_PIPE_APART _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define RVI_PIPE_APART _Pragma("GCC ivdep")
#else
#define RVI_PIPE_APART
#endif

#define RVI_PIPE_DRY 1e-5f   /* m: below it a cell is dry and its sediment lies on the ground */
#define RVI_PIPE_NONE 1e-15f /* what is less counts as nothing: floats stay far from subnormal */
#define RVI_PIPE_KEEP                                                                              \
    0x1p-20f /* share of its water a cell keeps, so that rounding takes no more                    \
              */

/* What is the same for all cells in one round. */
typedef struct rvi_pipe_rules {
    float dt;        /* s */
    float share;     /* dt width / cell^2, in s/m: times a flux it is a change of depth */
    float pull_axis; /* g dt / length of a pipe, in m/s */
    float pull_corner;
    float drag;       /* 4 friction dt, in s */
    float half_width; /* half the width of a pipe in cells */
    float per_cell;   /* 1 / cell */
    float cell;       /* m */
    float drop;       /* m: times the sine of the tilt, the most a cell loses in one round */
    float capacity, min_tilt, max_depth;
    float dissolve, deposit; /* shares in this round */
    float evaporate;         /* share in this round */
    float film;              /* m: what is thinner evaporates whole */
} rvi_pipe_rules;

/* condition ? a : b without a branch, which could keep compilers from vectorising a loop over it.
 */
static RVI_PIPE_HOT float rvi_pipe_pick(bool condition, float a, float b) {
    uint32_t mask = -(uint32_t)condition;
    return rvi_float_from_bits((rvi_bits_of_float(a) & mask) | (rvi_bits_of_float(b) & ~mask));
}
static RVI_PIPE_HOT float rvi_pipe_positive(float x) {
    return rvi_pipe_pick(x > 0.0f, x, 0.0f);
}

typedef struct rvi_pipe_flow {
    float flux;  /* per metre of width, m2/s */
    float speed; /* of the water in the pipe, m/s */
} rvi_pipe_flow;

/* The flux of a pipe from i to j, per metre of its width, after one round: gravity pulls along the
 * fall of the water surface, friction holds back, both at the end of the round. A fall within the
 * rounding of the depths is none: so a lake that is level stays so to the bit. */
static RVI_PIPE_HOT rvi_pipe_flow rvi_pipe_flux(float q, float pull, float drag, float bed_i,
                                                float depth_i, float bed_j, float depth_j) {
    float rise = bed_j - bed_i;
    float fall = (depth_i - depth_j) - rise;
    bool falls = fabsf(fall) > 0x1p-22f * (depth_i + depth_j);
    fall = rvi_pipe_pick(falls, fall, 0.0f);
    float up = rvi_pipe_positive(rise), down = up - rise;
    float h = rvi_maxf(depth_i - up, depth_j - down);
    float push = q + pull * h * fall;
    float root = sqrtf(h * h + drag * fabsf(push));
    rvi_pipe_flow flow;
    flow.speed = 2.0f * push / (h + root + 1e-30f);
    flow.flux = flow.speed * h;
    flow.speed = rvi_pipe_pick(h > RVI_PIPE_DRY, fabsf(flow.speed), 0.0f);
    return flow;
}

/* What of the flux of a pipe from i to j its cells could give. */
static RVI_PIPE_HOT float rvi_pipe_limited(float q, float limit_i, float limit_j) {
    return q * rvi_pipe_pick(q > 0.0f, limit_i, limit_j);
}

typedef struct rvi_pipe_gift {
    float limit;   /* the share of what the pipes ask of a cell that it can give */
    float carries; /* sediment that goes with a metre of water asked for */
} rvi_pipe_gift;

static RVI_PIPE_HOT rvi_pipe_gift rvi_pipe_give(float depth, float sediment, float asked) {
    float per = (1.0f - RVI_PIPE_KEEP) / (rvi_maxf(asked, depth) + 1e-30f);
    rvi_pipe_gift gift;
    gift.limit = rvi_pipe_pick(asked > depth, depth * per, 1.0f);
    gift.carries = rvi_pipe_pick(depth > RVI_PIPE_DRY, sediment * per, 0.0f);
    return gift;
}

/* The flux that two pairs of opposite pipes ask of a cell, all of them outward. Opposite pipes are
 * added first, then pairs: a map that is turned or flipped gives the same bits. */
static RVI_PIPE_HOT float rvi_pipe_asked(float e, float w, float s, float n) {
    return (rvi_pipe_positive(e) + rvi_pipe_positive(w)) +
           (rvi_pipe_positive(s) + rvi_pipe_positive(n));
}

/* One pipe as its cell sees it, or what several of them bring. */
typedef struct rvi_pipe_side {
    float in;      /* water that comes in, limited */
    float carried; /* sediment that comes in */
    float fall;    /* flux out before the limit, times the fall */
} rvi_pipe_side;

/* q runs outward; what the cell at the other end gives, carries, and its surface. */
static RVI_PIPE_HOT rvi_pipe_side rvi_pipe_see(float q, float limit, float carries, float beyond,
                                               float surface) {
    rvi_pipe_side s;
    float out = rvi_pipe_positive(q), in = out - q;
    s.in = in * limit;
    s.carried = in * carries;
    s.fall = out * (surface - beyond);
    return s;
}

static RVI_PIPE_HOT rvi_pipe_side rvi_pipe_sum_sides(rvi_pipe_side w, rvi_pipe_side e,
                                                     rvi_pipe_side n, rvi_pipe_side s) {
    rvi_pipe_side sum;
    sum.in = (w.in + e.in) + (n.in + s.in);
    sum.carried = (w.carried + e.carried) + (n.carried + s.carried);
    sum.fall = (w.fall + e.fall) + (n.fall + s.fall);
    return sum;
}

/* Falls along diagonals are longer. */
static RVI_PIPE_HOT rvi_pipe_side rvi_pipe_add_corners(rvi_pipe_side sides, rvi_pipe_side corners) {
    sides.in += corners.in;
    sides.carried += corners.carried;
    sides.fall += 0.70710678f * corners.fall;
    return sides;
}

typedef struct rvi_pipe_state {
    float depth, rest; /* water, and what of it was lost to rounding so far */
    float sediment;
    float evaporated;
    float speed;     /* m/s */
    float take, lay; /* what the water would take and lay; not both */
} rvi_pipe_state;

/* The sums over a cell's pipes. Fluxes are per metre of width. */
typedef struct rvi_pipe_sums {
    float in, out;       /* water, limited */
    float carried, lost; /* sediment in and out */
    float asked, fall;   /* flux out before the limit, and that times the fall of the water
                            surface along its pipe, per cell length */
} rvi_pipe_sums;

static RVI_PIPE_HOT rvi_pipe_state rvi_pipe_cell(const rvi_pipe_rules *r, rvi_pipe_sums sum,
                                                 float depth, float rest, float sediment,
                                                 float rain) {
    rvi_pipe_state now;
    float gain = (r->share * (sum.in - sum.out) + rain) + rest;
    float wet = depth + gain;
    now.evaporated = rvi_pipe_pick(wet > r->film, r->evaporate * wet, wet);
    gain -= now.evaporated;
    wet = depth + gain;
    wet = rvi_pipe_pick(wet > RVI_PIPE_NONE, wet, 0.0f);
    now.rest = gain - (wet - depth);
    now.depth = wet;

    float fall = rvi_pipe_positive(sum.fall) * r->per_cell;
    float slope = sqrtf((sum.asked * sum.asked + fall * fall) + 1e-30f);
    float sine = rvi_maxf(fall / slope, r->min_tilt);
    float mean = 0.5f * (depth + wet);
    float through = r->half_width * (sum.in + sum.out);
    float speed = rvi_pipe_pick(mean > RVI_PIPE_DRY, through / (mean + 1e-30f), 0.0f);
    float can = r->capacity * sine * speed * rvi_minf(mean, r->max_depth);

    float carried = sediment + r->share * (sum.carried - sum.lost);
    carried = rvi_pipe_pick(carried > RVI_PIPE_NONE, carried, 0.0f);
    now.sediment = carried;
    float room = can - carried;
    float most = r->drop * sine;
    now.take = rvi_minf(r->dissolve * rvi_pipe_positive(room), most);
    now.lay = r->deposit * rvi_pipe_positive(-room);
    now.take = rvi_pipe_pick(wet > RVI_PIPE_DRY, now.take, 0.0f);
    now.lay = rvi_pipe_pick(wet > RVI_PIPE_DRY, now.lay, carried);
    return now;
}

/* The change of the ground after it rose by `by`. The sediment will lose exactly what the ground
 * gained, so that must not be rounded to more than there is. */
static RVI_PIPE_HOT float rvi_pipe_ground(float change, float by, float sediment) {
    float after = change + by;
    float less = change + (by - 0x1p-22f * fabsf(after));
    return rvi_pipe_pick(after - change > sediment, rvi_maxf(less, change), after);
}

/* ---- give=same: what the sediment is made of ---- */

/* The sediment of one layer in the water that comes through one pipe, q outward, from a cell that
 * carries so much, and has `part` of that layer in its sediment. */
static inline float rvi_pipe_part_in(float q, float carries, float part, float sediment) {
    float carried = rvi_pipe_positive(-q) * carries;
    return sediment > 0.0f ? carried * (part / sediment) : 0.0f;
}

/* What is left of a part after the water took what it carries, and brought some. */
static inline float rvi_pipe_part_left(float part, float sediment, float lost, float in,
                                       float share) {
    float left = sediment > 0.0f ? part * (1.0f - share * lost / sediment) : 0.0f;
    return rvi_pipe_positive(left) + share * in;
}

/* What comes off bare rock that water within the width of its channel asks for. */
typedef struct rvi_pipe_taken {
    float came, share; /* metres, and of what was asked */
    float change;      /* of the ground, afterwards */
} rvi_pipe_taken;

/* `factor` is that of the cell, `by_height` that of the height where it ends. */
static inline rvi_pipe_taken rvi_pipe_take_bare(float asked, float factor, float by_height,
                                                float change) {
    rvi_pipe_taken t = {0.0f, 0.0f, change};
    if (!(asked > RVI_PIPE_NONE))
        return t;
    t.change = change - asked * factor * by_height;
    t.came = change - t.change;
    t.share = t.came / asked;
    return t;
}

#endif
