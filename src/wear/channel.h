/* channel.h: spreads what water would erode over the width of its channel.
 *
 * Water that gathers in one cell erodes only that cell, which draws still more water to it: the
 * narrower a channel, the faster it grows, and on a grid it ends one cell wide (T. R. Smith, F. P.
 * Bretherton, Stability and the conservation of mass in drainage basin evolution, 1972). So what
 * the water of cell j would take, T_j, is asked of all ground round it, and what comes off goes to
 * the water that asked for it, so that nothing is lost:
 *     asked       D_i = sum_j K_ij T_j
 *     comes off   A_i <= D_i, as mask, hardness and layers allow
 *     goes to     S_j = T_j sum_i K_ij A_i / D_i,  sum_j S_j = sum_i A_i
 * K is a bell of standard deviation width / 4, so that it is about as wide as that. It is made of
 * levels of 3 x 3 numbers that stand 1, 1, 2, 2, 4, 4 ... cells apart (M. J. Shensa, The discrete
 * wavelet transform: wedding the a trous and Mallat algorithms, 1992), each with its own neighbours
 * in pairs, so that a turned map gives the turned result. At the border the grid is mirrored: K
 * stays symmetric, and no part of T is lost.
 */
#ifndef RVI_WEAR_CHANNEL_H
#define RVI_WEAR_CHANNEL_H

#include "base/context.h"
#include "device/device.h"
#include "wear/channel_cell.h"

enum { RVI_CHANNEL_LEVELS = 32 };

typedef struct rvi_channel {
    int count; /* of levels; 0: nothing is spread */
    rvi_channel_level level[RVI_CHANNEL_LEVELS];
} rvi_channel;

/* The width and the cell in metres. What is narrower than three cells is spread over three: fewer
 * cannot show a direction. 0: none. */
rvi_channel rvi_channel_of(float width, float cell);

/* Where cell (x, y) is in the grids: first + y * stride + x. */
typedef struct rvi_channel_grid {
    int width, height;
    size_t first, stride;
} rvi_channel_grid;

/* *to becomes the spread of `from`, which may be *to itself; *spare is lost. Both may point to each
 * other's grid afterwards. RV_CANCELLED: both are lost. No stop interrupts the second. */
rv_status rvi_channel_spread(rv_context *ctx, const rvi_channel *s, const rvi_channel_grid *shape,
                             const float *from, float **to, float **spare);
void rvi_channel_finish(rv_context *ctx, const rvi_channel *s, const rvi_channel_grid *shape,
                        const float *from, float **to, float **spare);
/* The same on a device, queued; grids have `count` numbers. */
rv_status rvi_channel_queue(rvi_device *d, const rvi_channel *s, const rvi_channel_grid *shape,
                            size_t count, const float *from, float **to, float **spare);

#endif
