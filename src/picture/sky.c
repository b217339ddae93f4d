/* sky.c: a clear sky: pale at the horizon, deep overhead, bright around the sun.
 *
 * With e the sine of the height above the horizon and c the cosine of the angle to the sun,
 *
 *     colour = horizon + (zenith - horizon) 1.2 e / (e + 0.2) + glow (c^6 / 5 + c^32 / 4 + c^1024)
 *
 * The sun's light passes 1 / (sin altitude + 0.06) times the air that it passes overhead, which
 * takes more of the blue than of the red.
 */
#include "picture/sky.h"
#include "base/math.h"
#include "base/vector.h"

#include <math.h>

void rvi_sky_place_sun(rvi_sky *sky, float azimuth, float altitude) {
    float a = azimuth * (float)(RVI_PI / 180), h = altitude * (float)(RVI_PI / 180);
    sky->sun[0] = rvi_cosf(h) * rvi_sinf(a);
    sky->sun[1] = -rvi_cosf(h) * rvi_cosf(a);
    sky->sun[2] = rvi_sinf(h);
    float air = 1 / (rvi_maxf(sky->sun[2], 0) + 0.06f);
    static const float takes[3] = {0.030f, 0.065f, 0.125f};
    for (int c = 0; c < 3; c++)
        sky->sunlight[c] *= rvi_expf(-takes[c] * (air - 1));
    /* Below 10 degrees the sky turns: warm along the horizon, darker above. */
    static const float dusk[3] = {1.12f, 0.62f, 0.36f}, night[3] = {0.30f, 0.34f, 0.48f};
    float low = 1 - rvi_smoothstep(0, 10, altitude);
    for (int c = 0; c < 3 && low > 0; c++) {
        sky->horizon[c] *= 1 + low * (0.75f * dusk[c] - 1);
        sky->zenith[c] *= 1 + low * (night[c] + 0.2f - 1);
    }
}

void rvi_sky_time(float hours, float *azimuth, float *altitude) {
    /* The hour angle; at the equinox the sun rises at 6 in the east and stands 45 degrees high at
     * noon. East, north and up of it: */
    float angle = (hours - 12) * (float)(RVI_PI / 12);
    float half = 0.70710678f, east = -rvi_sinf(angle), north = -half * rvi_cosf(angle),
          up = half * rvi_cosf(angle);
    float a = rvi_atan2f(east, north) * (float)(180 / RVI_PI);
    *azimuth = a < 0 ? a + 360 : a;
    *altitude = rvi_atan2f(up, sqrtf(east * east + north * north)) * (float)(180 / RVI_PI);
}

void rvi_sky_at(const rvi_sky *sky, const float along[3], float out[3]) {
    if (sky->image) {
        rvi_sky_image_at(sky->image, along, out);
        return;
    }
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
static void light_of_sky(const rvi_sky *sky, const float normal[3], float out[3]) {
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

void rvi_sky_light(const rvi_sky *sky, const float floor[3], const float normal[3], float sun,
                   float open, float out[3]) {
    float facing = rvi_dot3f(normal, sky->sun);
    float direct = sun * rvi_maxf(0, facing), above[3];
    light_of_sky(sky, normal, above);
    float around = 0.10f + 0.25f * (1 - open);
    for (int c = 0; c < 3; c++) {
        float bounce = around * sky->sunlight[c] * rvi_maxf(sky->sun[2], 0) * 0.3f;
        bounce += 0.5f * (1 - normal[2]) * open * 0.9f * floor[c] * sky->sunlight[c] *
                  rvi_maxf(sky->sun[2], 0);
        out[c] = direct * sky->sunlight[c] + open * open * above[c] + bounce;
    }
}
