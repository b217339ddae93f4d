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

#include <math.h>

typedef struct colour {
    float height; /* 0: the lowest point, 1: the highest */
    float rgb[3]; /* 0 to 255 */
} colour;

/* A school atlas: valleys green, slopes ochre and brown, rock grey, summits white. */
static const colour COLOURS[] = {
    {0.00f, {84, 130, 88}},   {0.15f, {126, 161, 107}}, {0.31f, {180, 189, 136}},
    {0.47f, {204, 186, 138}}, {0.62f, {175, 143, 107}}, {0.76f, {148, 129, 115}},
    {0.88f, {188, 184, 182}}, {1.00f, {249, 250, 252}},
};
enum { COLOUR_COUNT = sizeof COLOURS / sizeof COLOURS[0] };

typedef struct shading {
    const rv_terrain *land;
    float scale;           /* z / (8 cell) */
    float up, east, north; /* the direction of the light */
    float low, high;       /* heights, for the colours */
    unsigned char *out;
} shading;

float rvi_height_at(const rv_terrain *land, int x, int y) {
    int column = rvi_maxi(0, rvi_mini(x, land->width - 1));
    int row = rvi_maxi(0, rvi_mini(y, land->height - 1));
    const float *at = land->surface + (size_t)row * (size_t)land->width + (size_t)column;
    float height = *at;
    if (x != column && land->width > 1)
        height += *at - at[x < 0 ? 1 : -1];
    if (y != row && land->height > 1)
        height += *at - *(y < 0 ? at + land->width : at - land->width);
    return height;
}

/* s from the eight neighbours, row by row from the north-west. */
static float light_on(const shading *s, const float n[8]) {
    float p = s->scale * ((n[2] + 2 * n[4] + n[7]) - (n[0] + 2 * n[3] + n[5]));
    float q = s->scale * ((n[0] + 2 * n[1] + n[2]) - (n[5] + 2 * n[6] + n[7]));
    return (s->up - (p * s->east + q * s->north)) / sqrtf(1 + p * p + q * q);
}

static float light_at_edge(const shading *s, int x, int y) {
    const rv_terrain *land = s->land;
    return light_on(s,
                    (float[8]){rvi_height_at(land, x - 1, y - 1), rvi_height_at(land, x, y - 1),
                               rvi_height_at(land, x + 1, y - 1), rvi_height_at(land, x - 1, y),
                               rvi_height_at(land, x + 1, y), rvi_height_at(land, x - 1, y + 1),
                               rvi_height_at(land, x, y + 1), rvi_height_at(land, x + 1, y + 1)});
}

static float light_at(const shading *s, int x, int y) {
    const rv_terrain *land = s->land;
    if (x == 0 || y == 0 || x == land->width - 1 || y == land->height - 1)
        return light_at_edge(s, x, y);
    const float *at = land->surface + (size_t)y * (size_t)land->width + (size_t)x;
    const float *above = at - land->width, *below = at + land->width;
    return light_on(
        s, (float[8]){above[-1], above[0], above[1], at[-1], at[1], below[-1], below[0], below[1]});
}

static void grey_rows(void *arg, int first, int end) {
    const shading *s = arg;
    int width = s->land->width;
    for (int y = first; y < end; y++)
        for (int x = 0; x < width; x++) {
            float grey = 1 + 254 * rvi_clampf(light_at(s, x, y), 0, 1);
            s->out[(size_t)y * (size_t)width + (size_t)x] = (unsigned char)(grey + 0.5f);
        }
}

void rvi_shade_colour(float height, float rgb[3]) {
    int k = 1;
    while (k < COLOUR_COUNT - 1 && height > COLOURS[k].height)
        k++;
    const colour *a = &COLOURS[k - 1], *b = &COLOURS[k];
    float t = rvi_clampf((height - a->height) / (b->height - a->height), 0, 1);
    for (int c = 0; c < 3; c++)
        rgb[c] = a->rgb[c] + t * (b->rgb[c] - a->rgb[c]);
}

static void land_rows(void *arg, int first, int end) {
    const shading *s = arg;
    int width = s->land->width;
    float span = s->high > s->low ? s->high - s->low : 1;
    for (int y = first; y < end; y++)
        for (int x = 0; x < width; x++) {
            size_t i = (size_t)y * (size_t)width + (size_t)x;
            float rgb[3];
            rvi_shade_colour((s->land->surface[i] - s->low) / span, rgb);
            /* Flat ground keeps its colour; shadows are not black, for the sky lights them too, and
             * slopes that face the light go towards white. */
            float light = rvi_clampf(light_at(s, x, y), 0, 1);
            float dark = light < s->up ? 0.3f + 0.7f * (light / s->up) : 1;
            float white = light > s->up ? 0.5f * (light - s->up) / (1 - s->up) : 0;
            for (int c = 0; c < 3; c++) {
                float value = dark * rgb[c] + white * (255 - rgb[c]);
                s->out[3 * i + (size_t)c] = (unsigned char)(value + 0.5f);
            }
        }
}

static shading prepare(const rv_terrain *land, const rvi_light *light, unsigned char *out) {
    float degree = (float)(RVI_PI / 180);
    float azimuth = light->azimuth * degree, altitude = light->altitude * degree;
    return (shading){
        .land = land,
        .scale = light->z / (8 * land->cell),
        .up = rvi_sinf(altitude),
        .east = rvi_cosf(altitude) * rvi_sinf(azimuth),
        .north = rvi_cosf(altitude) * rvi_cosf(azimuth),
        .out = out,
    };
}

rv_status rvi_shade_grey(const rv_terrain *land, const rvi_light *light, unsigned char *grey) {
    shading s = prepare(land, light, grey);
    return rvi_parallel_rows(land->ctx, land->height, grey_rows, &s);
}

rv_status rvi_shade_land(const rv_terrain *land, const rvi_light *light, unsigned char *rgb) {
    shading s = prepare(land, light, rgb);
    rvi_range(land->ctx, land->surface, rvi_cells(land), &s.low, &s.high);
    return rvi_parallel_rows(land->ctx, land->height, land_rows, &s);
}
