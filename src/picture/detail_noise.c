/* detail_noise.c: the table of gradients, and noise of several octaves. */
#include "picture/detail_noise.h"
#include "base/math.h"
#include "base/random.h"

void rvi_detail_noise_make(rvi_detail_noise *detail, uint64_t seed) {
    for (int i = 0; i < RVI_DETAIL_NOISE * RVI_DETAIL_NOISE; i++) {
        float angle = rvi_unit(rvi_random(seed, (uint64_t)i, 0)) * (float)(2 * RVI_PI);
        detail->gradients[i][0] = 1.5f * rvi_cosf(angle);
        detail->gradients[i][1] = 1.5f * rvi_sinf(angle);
    }
}

float rvi_detail_noise_sum(const rvi_detail_noise *detail, float x, float y, int octaves,
                           float gain) {
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
