/* grain.c: the table of gradients, and noise of several octaves. */
#include "picture/grain.h"
#include "base/math.h"
#include "base/random.h"

void rvi_grain_make(rvi_grain *grain, uint64_t seed) {
    for (int i = 0; i < RVI_GRAIN * RVI_GRAIN; i++) {
        float angle = rvi_unit(rvi_random(seed, (uint64_t)i, 0)) * (float)(2 * RVI_PI);
        grain->gradients[i][0] = 1.5f * rvi_cosf(angle);
        grain->gradients[i][1] = 1.5f * rvi_sinf(angle);
    }
}

float rvi_grain_sum(const rvi_grain *grain, float x, float y, int octaves, float gain) {
    float sum = 0, height = 1;
    for (int k = 0; k < octaves; k++) {
        sum += height * rvi_grain_at(grain, x, y).value;
        float turned = 2.03f * (0.8f * x - 0.6f * y) + 17.3f;
        y = 2.03f * (0.6f * x + 0.8f * y) + 5.7f;
        x = turned;
        height *= gain;
    }
    return sum;
}
