/* detail_noise.h: gradient noise for pictures: patches in the grass, bumps in the rock, bends of a
 * line. Quick: one table of gradients, repeated every RVI_DETAIL_NOISE lattice
 * cells. */
#ifndef RVI_PICTURE_DETAIL_NOISE_H
#define RVI_PICTURE_DETAIL_NOISE_H

#include "base/math.h"

enum {
    RVI_DETAIL_NOISE = 64,
    RVI_DETAIL_NOISE_SEED = 5
}; /* one noise for all pictures of a land */

typedef struct rvi_detail_noise {
    float gradients[RVI_DETAIL_NOISE * RVI_DETAIL_NOISE][2];
} rvi_detail_noise;

#ifndef __OPENCL_VERSION__
void rvi_detail_noise_make(rvi_detail_noise *detail, uint64_t seed);
#endif

typedef struct rvi_bump {
    float value;  /* about -1 to 1 */
    float dx, dy; /* its slope, for each lattice cell */
} rvi_bump;

/* Quintic fades (K. Perlin, Improving noise, 2002). Inline: a pixel asks a dozen times. */
static inline RVI_GRID const float *
rvi_detail_noise_gradient(RVI_GRID const rvi_detail_noise *detail, int x, int y) {
    return detail
        ->gradients[(y & (RVI_DETAIL_NOISE - 1)) * RVI_DETAIL_NOISE + (x & (RVI_DETAIL_NOISE - 1))];
}

static inline rvi_bump rvi_detail_noise_at(RVI_GRID const rvi_detail_noise *detail, float x,
                                           float y) {
    int i = (int)x, j = (int)y;
    i -= x < (float)i;
    j -= y < (float)j;
    float u = x - (float)i, v = y - (float)j;
    RVI_GRID const float *a = rvi_detail_noise_gradient(detail, i, j),
                         *b = rvi_detail_noise_gradient(detail, i + 1, j);
    RVI_GRID const float *c = rvi_detail_noise_gradient(detail, i, j + 1),
                         *d = rvi_detail_noise_gradient(detail, i + 1, j + 1);
    float va = a[0] * u + a[1] * v, vb = b[0] * (u - 1) + b[1] * v;
    float vc = c[0] * u + c[1] * (v - 1), vd = d[0] * (u - 1) + d[1] * (v - 1);
    float fu = u * u * u * (u * (u * 6 - 15) + 10), fv = v * v * v * (v * (v * 6 - 15) + 10);
    float su = 30 * u * u * (u - 1) * (u - 1), sv = 30 * v * v * (v - 1) * (v - 1);
    float cross = va - vb - vc + vd;
    rvi_bump bump;
    bump.value = va + fu * (vb - va) + fv * (vc - va) + fu * fv * cross;
    bump.dx = a[0] + fu * (b[0] - a[0]) + fv * (c[0] - a[0]) +
              fu * fv * (a[0] - b[0] - c[0] + d[0]) + su * (vb - va + fv * cross);
    bump.dy = a[1] + fu * (b[1] - a[1]) + fv * (c[1] - a[1]) +
              fu * fv * (a[1] - b[1] - c[1] + d[1]) + sv * (vc - va + fu * cross);
    return bump;
}

/* Octaves, each turned against the one before, 2.03 times finer and `gain` times as high; the first
 * has height 1. */
static inline float rvi_detail_noise_sum(RVI_GRID const rvi_detail_noise *detail, float x, float y,
                                         int octaves, float gain) {
    float sum = 0, height = 1;
    for (int k = 0; k < octaves; k++) {
        sum += height * rvi_detail_noise_at(detail, x, y).value;
        float turned = 2.03f * (0.8f * x - 0.6f * y) + 17.3f;
        y = 2.03f * (0.6f * x + 0.8f * y) + 5.7f;
        x = turned;
        height *= gain;
    }
    return sum;
}

#endif
