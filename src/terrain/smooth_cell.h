/* smooth_cell.h: the arithmetic of one cell of smooth.c, for the processor and for devices. */
#ifndef RVI_TERRAIN_SMOOTH_CELL_H
#define RVI_TERRAIN_SMOOTH_CELL_H

#include "base/math.h"

/* Which of n cells a mirror at both ends shows in place i. */
static inline int rvi_smooth_mirror(int64_t i, int n) {
    int64_t turn = i % (2 * (int64_t)n);
    turn = turn < 0 ? turn + 2 * (int64_t)n : turn;
    return (int)(turn < n ? turn : 2 * (int64_t)n - 1 - turn);
}

/* ---- narrow blurs ---- */

/* What two cells that lie alike on both sides bring. */
static inline float rvi_smooth_pair(float weight, float above, float below, float twice) {
    return weight * ((above + below) - twice);
}

/* ---- wide blurs: four boxes and two taps ---- */

/* The filters of one axis. */
typedef struct rvi_smooth_boxes {
    double end;  /* a */
    double part; /* 1 / (2 r + 1 + 2 a) */
    double tap;  /* c */
    int reach;   /* r */
    int far;     /* s */
} rvi_smooth_boxes;

/* To the nearest whole number, of two the even one. */
static inline int32_t rvi_smooth_nearest(double v) {
    return (int32_t)((v + RVI_ROUND) - RVI_ROUND);
}

/* sum: of the cells within reach; beside: of those just beyond it. */
static inline int32_t rvi_smooth_box(const rvi_smooth_boxes *b, double sum, double beside) {
    return rvi_smooth_nearest((sum + b->end * beside) * b->part);
}

static inline int32_t rvi_smooth_tap(const rvi_smooth_boxes *b, double here, double beside) {
    return rvi_smooth_nearest(here + b->tap * (beside - 2 * here));
}

/* ---- after ---- */

static inline float rvi_smooth_blend(float sharp, float smooth, float amount) {
    return sharp + amount * (smooth - sharp);
}

#endif
