/* own_images.c: images that a user gives for a picture. */
#include "picture/own_images.h"
#include "base/math.h"

#include <math.h>

static const unsigned char *pixel_at(const rvi_own_image *image, int x, int y) {
    return image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}

static double fraction(double x) {
    return x - rvi_floor(x);
}

/* ---- normals ---- */

/* Between four pixels, which go round at the edges where the map is repeated. */
static void mix_normals(const rvi_own_image *image, double x, double y, bool round,
                        float normal[3]) {
    int x0 = (int)x, y0 = (int)y, w = image->width, h = image->height;
    float u = (float)(x - (double)x0), v = (float)(y - (double)y0);
    int x1 = round ? (x0 + 1) % w : rvi_mini(x0 + 1, w - 1);
    int y1 = round ? (y0 + 1) % h : rvi_mini(y0 + 1, h - 1);
    const unsigned char *nw = pixel_at(image, x0, y0), *ne = pixel_at(image, x1, y0),
                        *sw = pixel_at(image, x0, y1), *se = pixel_at(image, x1, y1);
    for (int c = 0; c < 3; c++) {
        float north = (float)nw[c] + u * ((float)ne[c] - (float)nw[c]);
        float south = (float)sw[c] + u * ((float)se[c] - (float)sw[c]);
        normal[c] = (north + v * (south - north)) / 127.5f - 1;
    }
}

/* -0.3 and 2.3 both mirror 0.3 beyond the ends of 0 to 1; *sign: does it run backwards there? */
static double mirror(double x, float *sign) {
    double part = 2.0 * fraction(0.5 * x);
    *sign = part > 1.0 ? -1.0f : 1.0f;
    return part > 1.0 ? 2.0 - part : part;
}

void rvi_normal_map_slope(const rvi_normal_map *map, double x, double y, double wide, double high,
                          float slope[2]) {
    const rvi_own_image *image = &map->image;
    float normal[3], sign[2] = {1, 1};
    if (isnan(map->tile)) {
        double u = wide > 0.0 ? mirror(x / wide, &sign[0]) : 0.0;
        double v = high > 0.0 ? mirror(y / high, &sign[1]) : 0.0;
        mix_normals(image, u * (image->width - 1), v * (image->height - 1), false, normal);
    } else {
        double size = (double)map->tile, tall = size * image->height / image->width;
        /* Just below 1 a fraction may round to it. */
        double px = fraction(x / size) * image->width, py = fraction(y / tall) * image->height;
        px = px < image->width ? px : 0.0;
        py = py < image->height ? py : 0.0;
        mix_normals(image, px, py, true, normal);
    }
    float up = rvi_maxf(normal[2], 0.05f); /* nothing overhangs */
    slope[0] = sign[0] * -normal[0] / up;
    slope[1] = sign[1] * normal[1] / up;
}

float rvi_normal_map_pixel(const rvi_normal_map *map, double wide) {
    double size = isnan(map->tile) ? wide : (double)map->tile;
    return (float)(size / map->image.width);
}

/* ---- the sky ---- */

/* The tone map turned over: which light is shown as that. */
static float light_of(float shown, float exposure) {
    float a = 2.43f * shown - 2.51f, b = 0.59f * shown - 0.03f, c = 0.14f * shown;
    return rvi_maxf(0, (-b - sqrtf(b * b - 4 * a * c)) / (2 * a)) / exposure;
}

void rvi_sky_image_make(rvi_sky_image *sky, rvi_own_image image, const rvi_tone_map *tones) {
    sky->image = image;
    for (int i = 0; i < 256; i++) {
        float level = (float)i / 255;
        float linear =
            level <= 0.04045f ? level / 12.92f : rvi_powf((level + 0.055f) / 1.055f, 2.4f);
        sky->light[i] = light_of(linear, tones->exposure);
    }
}

/* The row of an elevation in radians, and the row above which the image ends. */
static float row_of(const rvi_own_image *image, float elevation) {
    bool sphere = image->width == 2 * image->height;
    float horizon = sphere ? 0.5f * (float)image->height : (float)image->height;
    return horizon - elevation * (float)image->width / (float)(2 * RVI_PI);
}

void rvi_sky_image_at(const rvi_sky_image *sky, const float along[3], float out[3]) {
    const rvi_own_image *image = &sky->image;
    float level = sqrtf(along[0] * along[0] + along[1] * along[1]);
    double turn = fraction((double)rvi_atan2f(along[0], -along[1]) / (2 * RVI_PI));
    float row = row_of(image, rvi_atan2f(along[2], level)) - 0.5f;
    float x = (float)turn * (float)image->width - 0.5f;
    x = x < 0 ? x + (float)image->width : x;
    row = rvi_clampf(row, 0, (float)(image->height - 1));
    int x0 = rvi_mini((int)x, image->width - 1), x1 = (x0 + 1) % image->width;
    int y0 = (int)row, y1 = rvi_mini(y0 + 1, image->height - 1);
    float u = x - (float)x0, v = row - (float)y0;
    for (int c = 0; c < 3; c++) {
        float above = sky->light[pixel_at(image, x0, y0)[c]];
        float below = sky->light[pixel_at(image, x0, y1)[c]];
        above += u * (sky->light[pixel_at(image, x1, y0)[c]] - above);
        below += u * (sky->light[pixel_at(image, x1, y1)[c]] - below);
        out[c] = above + v * (below - above);
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
