/* slide_cell.h: the arithmetic of a cell whose ground slides, for the processor and for devices. */
#ifndef RVI_STEPS_THERMAL_SLIDE_CELL_H
#define RVI_STEPS_THERMAL_SLIDE_CELL_H

#include "base/math.h"

/* Directions come in opposite pairs: d and d ^ 1. The first four run along the axes. */
enum { RVI_EAST, RVI_WEST, RVI_SOUTH, RVI_NORTH, RVI_SE, RVI_NW, RVI_SW, RVI_NE, RVI_DIRECTIONS };
enum { RVI_STRAIGHT = 0x0f, RVI_ALL_DIRECTIONS = 0xff };

/* How ground slides where there is one layer and nothing that holds it back. */
typedef struct rvi_slide_law {
    float rate, limit; /* along the axes: share of the excess that slides, fall that stands */
    float rate_across, limit_across;     /* the same along the diagonals */
    float magic;                         /* rounds to quanta */
    unsigned directions, off_directions; /* that count; in which ground may leave the map */
} rvi_slide_law;

/* To the nearest quantum; -x gives minus what x gives. */
static inline float rvi_slide_round(float x, float magic) {
    return (x + magic) - magic;
}

/* By how much a fall is more than stands, 0 or more. */
static inline float rvi_slide_excess(float fall, float limit) {
    return rvi_maxf(fall - limit, 0.0f);
}

/* How much of a fall stands. A device has one instruction for each of both; which zero they give
 * does not matter here. */
static inline float rvi_slide_stands(float fall, float limit) {
#ifdef __OPENCL_VERSION__
    return fmin(fmax(fall, -limit), limit);
#else
    return rvi_minf(rvi_maxf(fall, -limit), limit);
#endif
}

/* What a cell loses to a neighbour that lies lower by `fall`, or gains (below 0) from a higher one.
 */
static inline float rvi_slide_net(float fall, float rate, float limit, float magic) {
    float stands = rvi_slide_stands(fall, limit);
    return rvi_slide_round(rate * (fall - stands), magic);
}

/* The same of four neighbours in pairs that face each other. */
static inline float rvi_slide_net4(float h, float a, float b, float c, float d, float rate,
                                   float limit, float magic) {
    return (rvi_slide_net(h - a, rate, limit, magic) + rvi_slide_net(h - b, rate, limit, magic)) +
           (rvi_slide_net(h - c, rate, limit, magic) + rvi_slide_net(h - d, rate, limit, magic));
}

/* The height as whole quanta; what is left over, at most half of one, never moves. */
static inline float rvi_slide_snapped(float h, double quantum) {
    double magic = 0x1.8p52 * quantum;
    return (float)(((double)h + magic) - magic);
}

/* To the quantum below, for a value that must not grow. */
static inline double rvi_slide_floor(double x, double quantum, double magic) {
    double near = (x + magic) - magic;
    return near > x ? near - quantum : near;
}

/* Bedrock that was `before` and now ends at `now` quanta: what did not move is as it was, to the
 * bit. */
static inline float rvi_slide_bedrock(double now, float before, double quantum) {
    double was = (double)rvi_slide_snapped(before, quantum);
    return now == was ? before : (float)(now + ((double)before - was));
}

/* Land that is to settle does so, however hard it is. */
static inline float rvi_slide_harder(int settles, float factor) {
    return settles && factor > 0.0f ? 1.0f : factor;
}

/* Outside the land goes on at the slope of its edge, to `beyond`, but not further than twice its
 * relief. */
static inline float rvi_slide_outside(float beyond, float lowest, float highest, double quantum) {
    float relief = highest - lowest;
    return rvi_slide_snapped(rvi_clampf(beyond, lowest - relief, highest + relief), quantum);
}

/* What the cells of a layer won and lost, metres on one cell. Each row has RVI_SLIDE_LANES of them:
 * lane k adds up every so many-th cell from k on. */
enum { RVI_SLIDE_LANES = 8 };
typedef struct rvi_slide_tally {
    double eroded, deposited;
    double rounded; /* what heights won when they became floats, or lost (below 0) */
} rvi_slide_tally;

/* Of one cell: `moved` is what it won before it became a float. */
static inline rvi_slide_tally rvi_slide_count(float before, float now, double moved) {
    double change = (double)now - (double)before;
    rvi_slide_tally t;
    t.eroded = change > 0.0 ? 0.0 : -change;
    t.deposited = change > 0.0 ? change : 0.0;
    t.rounded = change - moved;
    return t;
}

/* Directions in which a neighbour is on the map. */
static inline unsigned rvi_slide_on_map(int x, int y, int width, int height) {
    unsigned directions = RVI_ALL_DIRECTIONS;
    directions &= x > 0 ? 0xffu : ~(1u << RVI_WEST | 1u << RVI_NW | 1u << RVI_SW);
    directions &= y > 0 ? 0xffu : ~(1u << RVI_NORTH | 1u << RVI_NW | 1u << RVI_NE);
    directions &= x < width - 1 ? 0xffu : ~(1u << RVI_EAST | 1u << RVI_SE | 1u << RVI_NE);
    directions &= y < height - 1 ? 0xffu : ~(1u << RVI_SOUTH | 1u << RVI_SE | 1u << RVI_SW);
    return directions;
}

#endif
