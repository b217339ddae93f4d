/* shade.c: hill shading with gdaldem's formula and numbers.
 *
 * B. K. P. Horn, Hill shading and the reflectance map, Proceedings of the IEEE 69, 1981. In the
 * window
 *
 *     a b c
 *     d e f    of heights around cell e, north above,
 *     g h i
 *
 *     p = z ((c + 2 f + i) - (a + 2 d + g)) / (8 cell)     slope towards east
 *     q = z ((a + 2 b + c) - (g + 2 h + i)) / (8 cell)     slope towards north
 *     s = (sin alt - cos alt (p sin az + q cos az)) / sqrt(1 + p^2 + q^2)
 *     grey = 1 + 254 s, rounded; 1 where s is not above 0
 *
 * Beyond the edge the land goes on at the slope it has there, as with gdaldem's -compute_edges
 * (which repeats cells in the four corners; here a plane has one shade up to its corners).
 */
#include "picture/shade.h"
#include "base/context.h"
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"

typedef struct shading {
    const rv_terrain *land;
    rvi_shade_rules k;
    unsigned char *out;
} shading;

float rvi_height_at(const rv_terrain *land, int x, int y) {
    return rvi_shade_height(land->surface, land->width, land->height, x, y);
}

static void grey_rows(void *arg, int first, int end) {
    const shading *s = arg;
    int width = s->land->width;
    for (int y = first; y < end; y++)
        for (int x = 0; x < width; x++)
            s->out[(size_t)y * (size_t)width + (size_t)x] =
                rvi_shade_grey_of(rvi_shade_light_at(&s->k, s->land->surface, x, y));
}

void rvi_shade_colour(float height, float rgb[3]) {
    for (int c = 0; c < 3; c++)
        rgb[c] = rvi_shade_part(height, c);
}

static void land_rows(void *arg, int first, int end) {
    const shading *s = arg;
    int width = s->land->width;
    for (int y = first; y < end; y++)
        for (int x = 0; x < width; x++) {
            size_t i = (size_t)y * (size_t)width + (size_t)x;
            float rgb[3], light = rvi_shade_light_at(&s->k, s->land->surface, x, y);
            rvi_shade_colour((s->land->surface[i] - s->k.low) / s->k.span, rgb);
            for (int c = 0; c < 3; c++)
                s->out[3 * i + (size_t)c] = rvi_shade_lit(&s->k, rgb[c], light);
        }
}

rvi_shade_rules rvi_shade_prepare(const rv_terrain *land, const rvi_light *light, float low,
                                  float high) {
    float degree = (float)(RVI_PI / 180);
    float azimuth = light->azimuth * degree, altitude = light->altitude * degree;
    return (rvi_shade_rules){
        .scale = light->z / (8 * land->cell),
        .up = rvi_sinf(altitude),
        .east = rvi_cosf(altitude) * rvi_sinf(azimuth),
        .north = rvi_cosf(altitude) * rvi_cosf(azimuth),
        .low = low,
        .span = high > low ? high - low : 1,
        .width = land->width,
        .height = land->height,
    };
}

rv_status rvi_shade_grey(const rv_terrain *land, const rvi_light *light, unsigned char *grey) {
    shading s = {land, rvi_shade_prepare(land, light, 0, 1), grey};
    return rvi_parallel_rows(land->ctx, land->height, grey_rows, &s);
}

rv_status rvi_shade_land(const rv_terrain *land, const rvi_light *light, unsigned char *rgb) {
    float low, high;
    rvi_range(land->ctx, land->surface, rvi_cells(land), &low, &high);
    shading s = {land, rvi_shade_prepare(land, light, low, high), rgb};
    return rvi_parallel_rows(land->ctx, land->height, land_rows, &s);
}
