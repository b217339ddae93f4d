/* detail_noise.c: the table of gradients. */
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
