/* river_cell.h: the arithmetic of one cell of rivers.c, for the processor and for devices. */
#ifndef RVI_STEPS_RIVERS_RIVER_CELL_H
#define RVI_STEPS_RIVERS_RIVER_CELL_H

#include "base/math.h"
#include "base/random.h"

#ifndef __OPENCL_VERSION__
#include <math.h>
#include <stddef.h>
#endif

enum { RVI_SIDE = 1, RVI_SEA = 2 }; /* of `fixed` */
enum { RVI_AREAS = 4096 };
#define RVI_RAIN 0x1p-24 /* full rain is counted in parts of this size */

/* Where valleys lie farther apart, by up to `spacing` times as `wide` says, a river begins with as
 * many times the area, squared. What of it is more than at other places cuts nothing, so that
 * slopes are as steep as elsewhere, and ground creeps `rvi_river_apart` times as fast. */
static inline float rvi_river_apart(float wide, float spacing) {
    return 1.0f + (spacing - 1.0f) * wide;
}

static inline float rvi_river_begins(float source, float wide, float spacing) {
    float apart = rvi_river_apart(wide, spacing);
    return source * (apart * apart);
}

static inline float rvi_river_counts(float area, float source, float begins) {
    return rvi_maxf(area - (begins - source), source);
}

/* How much of shapes that coarse cells cannot hold is left, where it would be exp(-decay). */
static inline double rvi_river_stays(double decay, float apart) {
    decay *= (double)apart;
    return decay < 50.0 ? rvi_exp_double(-decay) : 0.0;
}

static inline double rvi_within(double a, double low, double high) {
    return a < low ? low : a > high ? high : a;
}

static inline double rvi_least(double a, double b) {
    return a < b ? a : b;
}

/* ---- the base level: river_base.c ---- */

enum { RVI_OPEN_NORTH = 1, RVI_OPEN_EAST = 2, RVI_OPEN_SOUTH = 4, RVI_OPEN_WEST = 8 };

static inline int rvi_on_side(uint32_t sides, int x, int y, int width, int height) {
    uint32_t on = (y == 0 ? RVI_OPEN_NORTH : 0) | (x == width - 1 ? RVI_OPEN_EAST : 0) |
                  (y == height - 1 ? RVI_OPEN_SOUTH : 0) | (x == 0 ? RVI_OPEN_WEST : 0);
    return (on & sides) != 0;
}

/* Cells along the edge, clockwise from the north-west, and how many there are. */
static inline size_t rvi_ring_length(int width, int height) {
    size_t w = (size_t)width, h = (size_t)height;
    return w < 3 || h < 3 ? w * h : 2 * (w + h) - 4;
}

static inline size_t rvi_ring_cell(int width, int height, size_t place) {
    size_t w = (size_t)width, h = (size_t)height;
    if (w < 3 || h < 3 || place < w)
        return place;
    if (place < w + h - 1)
        return (place - (w - 1)) * w + w - 1;
    if (place < 2 * w + h - 2)
        return h * w - 1 - (place - (w + h - 2));
    return (h - 1 - (place - (2 * w + h - 3))) * w;
}

/* The lowest of the cells around one, or itself. */
static inline size_t rvi_lowest_around(RVI_GRID const double *h, int width, int height,
                                       size_t cell) {
    int x = (int)(cell % (size_t)width), y = (int)(cell / (size_t)width);
    size_t lowest = cell;
    for (int ny = y - 1; ny <= y + 1; ny++)
        for (int nx = x - 1; nx <= x + 1; nx++) {
            if (nx < 0 || ny < 0 || nx >= width || ny >= height)
                continue;
            size_t i = (size_t)ny * (size_t)width + (size_t)nx;
            lowest = h[i] < h[lowest] ? i : lowest;
        }
    return lowest;
}

/* Is there no way down from it to more than `pit` below? */
static inline int rvi_is_low(RVI_GRID const double *h, int width, int height, size_t cell,
                             double pit) {
    double least = h[cell] - pit;
    size_t from = (size_t)width * (size_t)height;
    while (cell != from && h[cell] >= least) {
        from = cell;
        cell = rvi_lowest_around(h, width, height, cell);
    }
    return cell == from;
}

/* How deep a pit beside an outlet may be, so many time steps before a tenth of them is over. */
static inline double rvi_pit_allowed(double rise, double share, int early) {
    return early > 0 ? rise * share * early : 0.0;
}

/* ---- rock that is harder or softer: river_rock.c ---- */

/* The times that stand for the rock: no time step is so late. */
#define RVI_ROCK UINT64_C(0xffffffffffffffff)
#define RVI_STRENGTH UINT64_C(0xfffffffffffffffe)

/* Points of a lattice with a number each, 0 to 1. */
static inline float rvi_rock_point(uint64_t seed, uint32_t x, uint32_t y, uint64_t which) {
    return rvi_unit(rvi_random(seed, (uint64_t)y << 32 | x, which));
}

static inline float rvi_rock_between(float a, float b, float share) {
    return a + (b - a) * share;
}

/* The number at a cell, `side` lattice steps wide. */
static inline float rvi_rock_at(uint64_t seed, uint32_t column, uint32_t row, float side,
                                uint64_t which) {
    float x = (float)column * side, y = (float)row * side;
    uint32_t ix = (uint32_t)x, iy = (uint32_t)y;
    float u = rvi_smoothstep(0.0f, 1.0f, x - (float)ix);
    float v = rvi_smoothstep(0.0f, 1.0f, y - (float)iy);
    float north = rvi_rock_between(rvi_rock_point(seed, ix, iy, which),
                                   rvi_rock_point(seed, ix + 1, iy, which), u);
    float south = rvi_rock_between(rvi_rock_point(seed, ix, iy + 1, which),
                                   rvi_rock_point(seed, ix + 1, iy + 1, which), u);
    return rvi_rock_between(north, south, v);
}

/* How easily rivers cut the rock, relative to the mean. */
static inline float rvi_rock_hard(uint64_t seed, uint32_t x, uint32_t y, float side, float vary) {
    return 1.0f + vary * (2.0f * rvi_rock_at(seed, x, y, side, RVI_ROCK) - 1.0f);
}

/* How steep it stands. Three octaves: rock is weak in small places and in large ones. */
static inline float rvi_rock_strength(uint64_t seed, uint32_t x, uint32_t y, float side,
                                      float vary) {
    float sum = 0.0f;
    for (int octave = 0; octave < 3; octave++, side *= 0.5f)
        sum += rvi_rock_at(seed, x, y, side, RVI_STRENGTH - (uint64_t)octave) - 0.5f;
    return 1.0f + vary * rvi_clampf(1.6f * sum, -1.0f, 1.0f);
}

/* ---- how deep rivers cut: river_cut.c ---- */

enum { RVI_RIVER_TRIES = 12 };
enum {
    RVI_CUT_BANDS = 16
}; /* most bands of the bedrock that a river cuts through in a time step */
#define RVI_LEAST_FALL 0.002 /* of the floor of a lake that was filled, metres per metre */

/* s + g s^n = s0 for s. Newton's method: where x^n bends upwards it comes down to the solution from
 * a point above it, else up from one below; both start so near that it ends in a few tries. */
static inline double rvi_river_slope_after(double s0, double g, double n) {
    if (n == 1.0)
        return s0 / (1.0 + g);
    if (n == 2.0)
        return 2.0 * s0 / (1.0 + sqrt(1.0 + 4.0 * g * s0));
    if (!(g > 0.0))
        return s0;
    double part = n > 1.0 ? s0 : 0.5 * s0;
    double bound = (double)rvi_power((float)(part / g), (float)(1.0 / n));
    double s = bound < part ? bound : part;
    for (int i = 0; i < RVI_RIVER_TRIES && s > 0.0; i++) {
        double rate = g * (double)rvi_power((float)s, (float)(n - 1.0));
        double next = s - (s + rate * s - s0) / (1.0 + n * rate);
        next = next > 0.0 ? next : 0.0;
        double moved = next - s;
        s = next;
        if (moved < 1e-9 * s && moved > -1e-9 * s)
            break;
    }
    return s < s0 ? s : s0;
}

/* Where n is 1, s + g s = s0: the share of any slope, and of any fall, that is left. */
static inline double rvi_river_share_left(double g) {
    return 1.0 / (1.0 + g);
}

/* How much of what comes by may settle: nothing where it is half as steep as what slides. */
static inline double rvi_river_settles(double fall, double distance, double stands) {
    double steep = fall / distance / stands;
    return steep < 0.25 ? 1.0 : steep < 0.5 ? 2.0 - 4.0 * steep : 0.0;
}

/* How high a cell must be so that water leaves it: above its receiver by the least fall, where that
 * is raised or where it is flat. `to`: the receiver's height as it will be, `was`: as it is. */
static inline double rvi_river_filled(double level, int flat, double to, double was,
                                      double distance) {
    double least = to + RVI_LEAST_FALL * distance;
    return (flat || to > was) && least > level ? least : level;
}

/* ---- layers ---- */

/* How thick a layer is that wins `by`, or loses less than it has, as a float; `by` becomes what
 * that rounded off. */
static inline float rvi_river_thickness(float was, double *by) {
    double has = (double)was, now = has + *by;
    float to = now > 0.0 ? (float)now : 0.0f;
    *by -= (double)to - has;
    return to;
}

/* ---- what slides: river_slide.c ---- */

/* How high a cell may stand beside one side. */
static inline double rvi_steep_stands(double far, double a, double b) {
    double p = rvi_least(a - b, 0.70710678118654752 * far);
    p = p > 0.0 ? p : 0.0;
    return rvi_least(a + sqrt(far * far - p * p), b + 1.41421356237309505 * far);
}

/* How high ground of height h may stand at most, with the ground around it in a circle from the
 * north. */
static inline double rvi_steep_lower(double h, const double *around, double far) {
    double u = h, lowest = around[0];
    for (int k = 1; k < 8; k++)
        lowest = rvi_least(lowest, around[k]);
    if (h - lowest <= far) /* u is higher than that */
        return h;
    for (int k = 0; k < 8; k += 2)
        u = rvi_least(
            u, rvi_steep_stands(far, around[k], rvi_least(around[k + 1], around[(k + 7) % 8])));
    return u;
}

/* ---- what creeps: hillslope.c, floodplain.c ---- */

/* Ground that crept between fixed cells and others: metres on one cell. */
typedef struct rvi_side_flux {
    double in,
        out; /* from fixed cells, which stay as high as they are; to them, where it is gone */
    double
        rounding; /* by how much doubles may miss it: by little, but D dt / cell^2 may be large */
} rvi_side_flux;

static inline void rvi_creep_cross(double number, double side, double land, rvi_side_flux *flux) {
    double in = number * (side - land);
    flux->rounding += number * 0x1p-46 * fabs(side);
    *(in > 0.0 ? &flux->in : &flux->out) += in > 0.0 ? in : -in;
}

/* Where ground creeps very far, heights are counted from one of them, the datum: what crosses is
 * D dt / cell^2 times a difference, and on high land that would miss what doubles round off. What
 * does not move stays as it is to the last bit. */
#define RVI_CREEP_FAR 1024.0 /* D dt / cell^2 */
static inline double rvi_creep_from(double h, double datum) {
    return h - datum;
}

static inline double rvi_creep_back(double was, double to, double datum) {
    return was + (to - rvi_creep_from(was, datum));
}

/* Slopes up to which floods level ground fully, and from which on not at all. */
#define RVI_LEVELLED 0.035
#define RVI_DRY 0.07

/* `east` and `south`: how far apart both heights are, in cells; 0: there is no slope. */
static inline double rvi_flood_slope(double west_h, double east_h, double east, double north_h,
                                     double south_h, double south, double cell) {
    double across = east > 0.0 ? (east_h - west_h) / (east * cell) : 0.0;
    double along = south > 0.0 ? (south_h - north_h) / (south * cell) : 0.0;
    return sqrt(across * across + along * along);
}

static inline double rvi_flood_wet(double steepness) {
    double wet = (RVI_DRY - steepness) / (RVI_DRY - RVI_LEVELLED);
    return wet < 0.0 ? 0.0 : wet > 1.0 ? 1.0 : wet;
}

/* ---- from coarse cells to finer ones: river_levels.c ---- */

/* Cubic convolution (R. Keys, 1981): weights of four cells, the second of which lies `t` before the
 * place. */
static inline void rvi_level_cubic(double t, double *w) {
    double a = -0.5, u = 1.0 - t;
    w[0] = a * t * u * u;
    w[1] = 1.0 - (a + 3.0) * t * t + (a + 2.0) * t * t * t;
    w[2] = 1.0 - (a + 3.0) * u * u + (a + 2.0) * u * u * u;
    w[3] = a * u * t * t;
}

/* Cells along one axis and their weights. */
enum { RVI_MOST_TAPS = 9 };
typedef struct rvi_taps {
    int first, count;
    double weight[RVI_MOST_TAPS];
} rvi_taps;

/* Those of `count` places from `first` on, the last of which may lie beyond the edge of a map of
 * `cells`: there ground goes on as steep as before it, z = 2 z(edge) - z(as far inside). */
static inline rvi_taps rvi_taps_fold(int first, int count, const double *weight, int cells) {
    int last = cells - 1;
    rvi_taps t = {first < 0 ? 0 : first > cells - count ? cells - count : first, count, {0.0}};
    for (int k = 0; k < count; k++) {
        int i = first + k, edge = i < 0 ? 0 : last;
        double w = weight[k];
        if (i < 0 || i > last) {
            t.weight[edge - t.first] += 2.0 * w;
            w = -w;
            i = 2 * edge - i;
        }
        t.weight[i - t.first] += w;
    }
    return t;
}

static inline rvi_taps rvi_level_four(double at, int cells) {
    double weight[4], base = floor(at);
    rvi_level_cubic(at - base, weight);
    return rvi_taps_fold((int)base - 1, 4, weight, cells);
}

static inline double rvi_level_at(RVI_GRID const double *field, int width, int height, double x,
                                  double y) {
    rvi_taps across = rvi_level_four(x, width), down = rvi_level_four(y, height);
    double sum = 0.0;
    for (size_t j = 0; j < 4; j++)
        for (size_t i = 0; i < 4; i++)
            sum += down.weight[j] * across.weight[i] *
                   field[((size_t)down.first + j) * (size_t)width + (size_t)across.first + i];
    return sum;
}

/* Bends: on coarse cells rivers run along rows, columns and diagonals, and finer cells would keep
 * the straight lines. So what the coarse level changed is taken from up to RVI_BEND coarse cells
 * beside, by a smooth random function of the place in metres that has its points RVI_BEND_EVERY
 * coarse cells apart; less so within RVI_BEND_EDGE cells of the edge, or outlets would move into
 * the map or out of it. The land itself is not bent, as far as its shape is still there: creep and
 * slides would take bent cells for slopes. */
#define RVI_BEND 1.0
#define RVI_BEND_EVERY 4.0
#define RVI_BEND_EDGE 4.0
enum { RVI_BEND_X = 0xBE7D, RVI_BEND_Y };

static inline double rvi_bend_point(uint64_t seed, uint64_t x, uint64_t y, uint64_t which) {
    return 2.0 * (double)rvi_unit(rvi_random(seed, y << 32 | x, which)) - 1.0;
}

static inline double rvi_bend_at(uint64_t seed, double x, double y, uint64_t which) {
    uint64_t ix = (uint64_t)x, iy = (uint64_t)y;
    double u = x - (double)ix, v = y - (double)iy;
    u = u * u * (3.0 - 2.0 * u);
    v = v * v * (3.0 - 2.0 * v);
    double west = rvi_bend_point(seed, ix, iy, which);
    double east = rvi_bend_point(seed, ix + 1, iy, which);
    double north = west + (east - west) * u;
    west = rvi_bend_point(seed, ix, iy + 1, which);
    east = rvi_bend_point(seed, ix + 1, iy + 1, which);
    double south = west + (east - west) * u;
    return north + (south - north) * v;
}

/* From the edge of the map, in cells; less than 0: beyond it. */
static inline double rvi_level_edge(int width, int height, double x, double y) {
    double east = (double)width - 1.0 - x, south = (double)height - 1.0 - y;
    double of_x = x < east ? x : east, of_y = y < south ? y : south;
    return of_x < of_y ? of_x : of_y;
}

/* A coarse level, as the finer one sees it. */
typedef struct rvi_coarse_law {
    double beyond_x, beyond_y; /* how far the map goes on behind its last cells, in cells */
    uint64_t seed;
    int width, height;
} rvi_coarse_law;

/* The last cell of a coarse level may lie before the edge of the map. What was changed there
 * belongs to the edge, and what is beside it moves out with it: else slopes would go on below a
 * river or a base level at the edge of the coarse land. */
static inline double rvi_level_drawn_in(double at, int cells, double beyond) {
    double first = (double)cells - 1.0 - RVI_BEND_EDGE, far = at - first;
    return beyond > 0.0 && far > 0.0 ? first + far * (RVI_BEND_EDGE / (RVI_BEND_EDGE + beyond))
                                     : at;
}

/* The coarse cell that a place has what was changed from. */
static inline void rvi_level_bend(const rvi_coarse_law *c, double x, double y, double *from_x,
                                  double *from_y) {
    x = rvi_level_drawn_in(x, c->width, c->beyond_x);
    y = rvi_level_drawn_in(y, c->height, c->beyond_y);
    double edge = rvi_level_edge(c->width, c->height, x, y);
    double px = x / RVI_BEND_EVERY, py = y / RVI_BEND_EVERY;
    double far = RVI_BEND * (edge < 0.0 ? 0.0 : edge < RVI_BEND_EDGE ? edge / RVI_BEND_EDGE : 1.0);
    *from_x = x + far * rvi_bend_at(c->seed, px, py, RVI_BEND_X);
    *from_y = y + far * rvi_bend_at(c->seed, px, py, RVI_BEND_Y);
}

/* Weights of four cells that are never less than 0: the cubic B-spline. Beyond the edge ground
 * counts as that of the edge. The first cell is that of rvi_level_four(). */
static inline rvi_taps rvi_level_soft(double at, int cells) {
    double base = floor(at), t = at - base, u = 1.0 - t;
    const double weight[4] = {u * u * u / 6.0, (4.0 - 6.0 * t * t + 3.0 * t * t * t) / 6.0,
                              (4.0 - 6.0 * u * u + 3.0 * u * u * u) / 6.0, t * t * t / 6.0};
    int first = (int)base - 1, last = cells - 1;
    rvi_taps taps = {first < 0 ? 0 : first > cells - 4 ? cells - 4 : first, 4, {0.0}};
    for (int k = 0; k < 4; k++) {
        int i = first + k < 0 ? 0 : first + k > last ? last : first + k;
        taps.weight[i - taps.first] += weight[k];
    }
    return taps;
}

/* How much of the shape that a coarse level had around a place is still there, 0 to 1: the
 * regression of the land after on that before. It is 1 where ground did not change, or sank evenly.
 */
static inline double rvi_level_kept(RVI_GRID const double *start, RVI_GRID const double *h,
                                    int width, int height, double x, double y) {
    rvi_taps across = rvi_level_soft(x, width), down = rvi_level_soft(y, height);
    size_t corner = (size_t)down.first * (size_t)width + (size_t)across.first;
    double from = start[corner], to = h[corner];
    double mean = 0.0, mean_to = 0.0, square = 0.0, both = 0.0;
    for (size_t j = 0; j < 4; j++)
        for (size_t i = 0; i < 4; i++) {
            size_t cell = corner + j * (size_t)width + i;
            double w = down.weight[j] * across.weight[i], a = start[cell] - from, b = h[cell] - to;
            mean += w * a;
            mean_to += w * b;
            square += w * a * a;
            both += w * a * b;
        }
    square -= mean * mean;
    both -= mean * mean_to;
    return both < square ? both > 0.0 ? both / square : 0.0 : 1.0;
}

/* The coarse land at a place in coarse cells, before and after. */
static inline void rvi_level_land(RVI_GRID const double *start, RVI_GRID const double *h,
                                  const rvi_coarse_law *c, double x, double y, double *before,
                                  double *after) {
    int width = c->width, height = c->height;
    double from_x, from_y;
    rvi_level_bend(c, x, y, &from_x, &from_y);
    *before = rvi_level_at(start, width, height, x, y);
    double beside = rvi_level_at(start, width, height, from_x, from_y);
    double kept = rvi_level_kept(start, h, width, height, from_x, from_y);
    *after = *before + (rvi_level_at(h, width, height, from_x, from_y) - beside) -
             (1.0 - kept) * (*before - beside);
}

/* What a coarse level changed, to be looked at: a place in cells along an axis: the cell before it,
 * and how far on it lies. */
static inline size_t rvi_level_before(double at, int count, double *part) {
    double last = (double)(count - 1);
    at = at < 0.0 ? 0.0 : at > last ? last : at;
    size_t cell = count > 1 && at == last ? (size_t)count - 2 : (size_t)at;
    *part = at - (double)cell;
    return cell;
}

static inline double rvi_level_changed(RVI_GRID const double *start, RVI_GRID const double *h,
                                       size_t cell) {
    return h[cell] - start[cell];
}

/* Between four coarse cells around a place. */
static inline double rvi_level_change(RVI_GRID const double *start, RVI_GRID const double *h,
                                      int width, int height, double x, double y) {
    double u, v;
    size_t wide = (size_t)width, east = wide > 1, south = height > 1 ? wide : 0;
    size_t c = wide * rvi_level_before(y, height, &v) + rvi_level_before(x, width, &u);
    double north = rvi_level_changed(start, h, c);
    double below = rvi_level_changed(start, h, c + south);
    north += u * (rvi_level_changed(start, h, c + east) - north);
    below += u * (rvi_level_changed(start, h, c + south + east) - below);
    return north + v * (below - north);
}

/* ---- from fine cells to coarser ones: river_levels.c ---- */

/* What a fine cell `d` cells beside a coarse one counts for: the integral of a hat that falls to 0
 * at `reach` cells, times the one cell wide that stands for the fine cell between its neighbours.
 * So an even slope stays as it is, wherever the coarse cell lies. */
static inline double rvi_level_cube(double a) {
    double b = fabs(a);
    return b * b * b;
}

static inline double rvi_level_bump(double d, double reach) {
    return rvi_level_cube(d - reach) + rvi_level_cube(d + reach) - 2.0 * rvi_level_cube(d);
}

static inline double rvi_level_weight(double d, double reach) {
    double sum = rvi_level_bump(d - 1.0, reach) + rvi_level_bump(d + 1.0, reach) -
                 2.0 * rvi_level_bump(d, reach);
    return sum / (12.0 * reach * reach);
}

/* Of a coarse cell, the place of which is `at` in `cells` fine ones. */
static inline rvi_taps rvi_level_hat(double at, double reach, int cells) {
    double weight[RVI_MOST_TAPS];
    int first = (int)ceil(at - reach - 1.0), count = (int)floor(at + reach + 1.0) - first + 1;
    count = count < RVI_MOST_TAPS ? count : RVI_MOST_TAPS;
    for (int k = 0; k < count; k++)
        weight[k] = rvi_level_weight((double)(first + k) - at, reach);
    return rvi_taps_fold(first, count, weight, cells);
}

/* A grid of a fine level: floats, or doubles where there are none. */
typedef struct rvi_fine_grid {
    RVI_GRID const float *floats;
    RVI_GRID const double *doubles;
    int width;
} rvi_fine_grid;

static inline double rvi_level_mean(const rvi_fine_grid *fine, const rvi_taps *across,
                                    const rvi_taps *down) {
    double sum = 0.0;
    for (int j = 0; j < down->count; j++) {
        size_t cell = (size_t)(down->first + j) * (size_t)fine->width + (size_t)across->first;
        for (int i = 0; i < across->count; i++) {
            double value = fine->floats ? (double)fine->floats[cell + (size_t)i]
                                        : fine->doubles[cell + (size_t)i];
            sum += across->weight[i] * down->weight[j] * value;
        }
    }
    return sum;
}

/* The fine cell nearest to a coarse one, along an axis. */
static inline size_t rvi_level_nearest(double apart, size_t coarse, int cells) {
    size_t at = (size_t)(apart * (double)coarse + 0.5);
    return at < (size_t)cells ? at : (size_t)cells - 1;
}

#endif
