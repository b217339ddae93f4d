/* tone_map.c: tone curve, sRGB curve, dither. */
#include "picture/tone_map.h"
#include "base/math.h"

#include <assert.h>
#include <math.h>

void rvi_tone_map_make(rvi_tone_map *d, float exposure) {
    d->exposure = exposure;
    for (int i = 0; i < RVI_TONE_STEPS + 2; i++) {
        float v = (float)i / RVI_TONE_STEPS;
        float level = v <= 0.0031308f ? 12.92f * v : 1.055f * rvi_powf(v, 1 / 2.4f) - 0.055f;
        d->curve[i] = 255 * rvi_minf(level, 1);
    }
}

rvi_colour rvi_tone_map_apply(const rvi_tone_map *d, rvi_colour c) {
    for (int k = 0; k < 3; k++) {
        float x = c.v[k] * d->exposure;
        assert(x >= 0 && x <= 1e30f);
        c.v[k] = rvi_minf(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f), 1);
    }
    return c;
}

bool rvi_colours_differ(const rvi_colour *a, const rvi_colour *b) {
    for (int k = 0; k < 3; k++)
        if (fabsf(sqrtf(a->v[k]) - sqrtf(b->v[k])) > 0.06f)
            return true;
    return false;
}

/* A thresholding pattern of B. Bayer, 1973, so that slow gradients show no steps. */
static float dither(int x, int y) {
    static const unsigned char order[8][8] = {
        {0, 32, 8, 40, 2, 34, 10, 42},  {48, 16, 56, 24, 50, 18, 58, 26},
        {12, 44, 4, 36, 14, 46, 6, 38}, {60, 28, 52, 20, 62, 30, 54, 22},
        {3, 35, 11, 43, 1, 33, 9, 41},  {51, 19, 59, 27, 49, 17, 57, 25},
        {15, 47, 7, 39, 13, 45, 5, 37}, {63, 31, 55, 23, 61, 29, 53, 21}};
    return ((float)order[y & 7][x & 7] + 0.5f) / 64;
}

void rvi_tone_map_put(const rvi_tone_map *d, int x, int y, const rvi_colour *c,
                      unsigned char to[3]) {
    for (int k = 0; k < 3; k++) {
        float at = rvi_clampf(c->v[k], 0, 1) * RVI_TONE_STEPS;
        int i = (int)at;
        float level = d->curve[i] + (at - (float)i) * (d->curve[i + 1] - d->curve[i]);
        to[k] = (unsigned char)(level + dither(x, y));
    }
}
