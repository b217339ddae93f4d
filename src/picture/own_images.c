/* own_images.c: images that a user gives for a picture. */
#include "picture/own_images.h"
#include "base/math.h"

#include <math.h>

/* The tone map turned over: which light is shown as that. */
static float light_of(float shown, float exposure) {
    float a = 2.43f * shown - 2.51f, b = 0.59f * shown - 0.03f, c = 0.14f * shown;
    return rvi_maxf(0, (-b - sqrtf(b * b - 4 * a * c)) / (2 * a)) / exposure;
}

void rvi_sky_image_light(const rvi_tone_map *tones, float light[256]) {
    for (int i = 0; i < 256; i++) {
        float level = (float)i / 255;
        float linear =
            level <= 0.04045f ? level / 12.92f : rvi_powf((level + 0.055f) / 1.055f, 2.4f);
        light[i] = light_of(linear, tones->exposure);
    }
}

void rvi_sky_image_mean(const rvi_sky_image *sky, float horizon[3], float zenith[3]) {
    enum { AROUND = 32, UP = 8 };
    for (int c = 0; c < 3; c++)
        horizon[c] = zenith[c] = 0;
    for (int i = 0; i < AROUND; i++)
        for (int k = 0; k < UP; k++) {
            float turn = (float)(2 * RVI_PI) * ((float)i + 0.5f) / AROUND;
            float up = (float)(RVI_PI / 2) * ((float)k + 0.5f) / UP, light[3];
            float along[3] = {rvi_cosf(up) * rvi_sinf(turn), rvi_cosf(up) * rvi_cosf(turn),
                              rvi_sinf(up)};
            rvi_sky_image_at(sky, along, light);
            for (int c = 0; c < 3; c++) {
                horizon[c] += k == 0 ? light[c] / AROUND : 0;
                zenith[c] += k >= UP / 2 ? light[c] / (AROUND * UP / 2) : 0;
            }
        }
}
