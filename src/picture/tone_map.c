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
