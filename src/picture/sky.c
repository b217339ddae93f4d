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
