/* sky_cell.h: the light of sun and sky, for the processor and for devices; sky.c has the equations.
 */
#ifndef RVI_PICTURE_SKY_CELL_H
#define RVI_PICTURE_SKY_CELL_H

#include "base/math.h"
#include "base/vector.h"

typedef struct rvi_sky {
    float sun[3]; /* where it stands: east, south, up, of length 1 */
    float sunlight[3];
    float zenith[3], horizon[3]; /* colours */
    float glow;                  /* how bright the air around the sun is */
} rvi_sky;

/* The colour in a direction; below the horizon that of the horizon. */
static inline void rvi_sky_at(const rvi_sky *sky, const float along[3], float out[3]) {
    float e = rvi_maxf(along[2], 0), up = 1.2f * e / (e + 0.2f);
    float c = rvi_maxf(0, rvi_dot3f(along, sky->sun));
    float c2 = c * c, c4 = c2 * c2, c8 = c4 * c4, c16 = c8 * c8, c32 = c16 * c16;
    float c128 = c32 * c32 * c32 * c32, c512 = c128 * c128 * c128 * c128;
    float glow = sky->glow * (0.2f * c4 * c2 + 0.25f * c32 + c512 * c512);
    for (int k = 0; k < 3; k++) {
        float air = sky->horizon[k] + up * (sky->zenith[k] - sky->horizon[k]);
        out[k] = air + glow * sky->sunlight[k];
    }
}

/* The light that falls on ground which faces `normal`, from all of the sky. */
static inline void rvi_sky_above(const rvi_sky *sky, const float normal[3], float out[3]) {
    float up = 0.5f + 0.5f * normal[2];
    /* The side of the sky where the sun stands is brighter. */
    float across = sqrtf(sky->sun[0] * sky->sun[0] + sky->sun[1] * sky->sun[1]) + 1e-6f;
    float to = (normal[0] * sky->sun[0] + normal[1] * sky->sun[1]) / across;
    float side = 1 + 0.25f * to;
    for (int k = 0; k < 3; k++) {
        float above = 0.4f * sky->zenith[k] + 0.6f * sky->horizon[k];
        out[k] = up * side * above + (1 - up) * 0.18f * sky->horizon[k];
    }
}

/* All light there: `sun` of the sun's is not in shadow, `open` of the sky is seen, what stands on a
 * floor of the colour `ground` throws some back. */
static inline void rvi_sky_light(const rvi_sky *sky, const float ground[3], const float normal[3],
                                 float sun, float open, float out[3]) {
    float facing = rvi_dot3f(normal, sky->sun);
    float direct = sun * rvi_maxf(0, facing), above[3];
    rvi_sky_above(sky, normal, above);
    float around = 0.10f + 0.25f * (1 - open);
    for (int c = 0; c < 3; c++) {
        float bounce = around * sky->sunlight[c] * rvi_maxf(sky->sun[2], 0) * 0.3f;
        bounce += 0.5f * (1 - normal[2]) * open * 0.9f * ground[c] * sky->sunlight[c] *
                  rvi_maxf(sky->sun[2], 0);
        out[c] = direct * sky->sunlight[c] + open * open * above[c] + bounce;
    }
}

#endif
