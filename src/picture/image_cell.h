/* image_cell.h: a place in an image that a user gives for a picture, for the processor and for
 * devices. */
#ifndef RVI_PICTURE_IMAGE_CELL_H
#define RVI_PICTURE_IMAGE_CELL_H

#include "base/math.h"

#ifndef __OPENCL_VERSION__
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#endif

/* Three bytes a pixel; NULL: there is none. */
typedef struct rvi_own_image {
    int width, height;
    RVI_GRID const uint8_t *rgb;
} rvi_own_image;

/* Red is east, green north, blue up, each 127.5 + 127.5 n. */
typedef struct rvi_normal_map {
    rvi_own_image image;
    float tile; /* metres of one copy from west to east, repeated; NaN: one copy over all land */
} rvi_normal_map;

/* A sky all around: its left edge is north, then comes east. Twice as wide as high: the whole
 * sphere, with the horizon in the middle; wider: a strip that stands on the horizon, as high as its
 * width says. Colours are those that the picture shall show. */
typedef struct rvi_sky_image {
    rvi_own_image image;
    RVI_GRID const float *light; /* of each byte, before the tone map */
} rvi_sky_image;

static inline RVI_GRID const uint8_t *rvi_image_pixel(const rvi_own_image *image, int x, int y) {
    return image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}

static inline double rvi_image_fraction(double x) {
    return x - rvi_floor(x);
}

/* ---- normals ---- */

/* Between four pixels, which go round at the edges where the map is repeated. */
static inline void rvi_image_normal(const rvi_own_image *image, double x, double y, bool round,
                                    float normal[3]) {
    int x0 = (int)x, y0 = (int)y, w = image->width, h = image->height;
    float u = (float)(x - (double)x0), v = (float)(y - (double)y0);
    int x1 = round ? (x0 + 1) % w : rvi_mini(x0 + 1, w - 1);
    int y1 = round ? (y0 + 1) % h : rvi_mini(y0 + 1, h - 1);
    RVI_GRID const uint8_t *nw = rvi_image_pixel(image, x0, y0),
                           *ne = rvi_image_pixel(image, x1, y0),
                           *sw = rvi_image_pixel(image, x0, y1),
                           *se = rvi_image_pixel(image, x1, y1);
    for (int c = 0; c < 3; c++) {
        float north = (float)nw[c] + u * ((float)ne[c] - (float)nw[c]);
        float south = (float)sw[c] + u * ((float)se[c] - (float)sw[c]);
        normal[c] = (north + v * (south - north)) / 127.5f - 1;
    }
}

/* -0.3 and 2.3 both mirror 0.3 beyond the ends of 0 to 1; *sign: does it run backwards there? */
static inline double rvi_image_mirror(double x, float *sign) {
    double part = 2.0 * rvi_image_fraction(0.5 * x);
    *sign = part > 1.0 ? -1.0f : 1.0f;
    return part > 1.0 ? 2.0 - part : part;
}

/* The slopes eastwards and southwards at a place, in metres from the north-west corner of land that
 * is `wide` x `high` metres. Beyond its edges one copy over all land is mirrored, as the land is.
 */
static inline void rvi_normal_map_slope(const rvi_normal_map *map, double x, double y, double wide,
                                        double high, float slope[2]) {
    const rvi_own_image *image = &map->image;
    float normal[3], sign[2] = {1, 1};
    if (isnan(map->tile)) {
        double u = wide > 0.0 ? rvi_image_mirror(x / wide, &sign[0]) : 0.0;
        double v = high > 0.0 ? rvi_image_mirror(y / high, &sign[1]) : 0.0;
        rvi_image_normal(image, u * (image->width - 1), v * (image->height - 1), false, normal);
    } else {
        double size = (double)map->tile, tall = size * image->height / image->width;
        /* Just below 1 a fraction may round to it. */
        double px = rvi_image_fraction(x / size) * image->width,
               py = rvi_image_fraction(y / tall) * image->height;
        px = px < image->width ? px : 0.0;
        py = py < image->height ? py : 0.0;
        rvi_image_normal(image, px, py, true, normal);
    }
    float up = rvi_maxf(normal[2], 0.05f); /* nothing overhangs */
    slope[0] = sign[0] * -normal[0] / up;
    slope[1] = sign[1] * normal[1] / up;
}

/* Metres between pixels of the map. */
static inline float rvi_normal_map_pixel(const rvi_normal_map *map, double wide) {
    double size = isnan(map->tile) ? wide : (double)map->tile;
    return (float)(size / map->image.width);
}

/* ---- the sky ---- */

/* The row of an elevation in radians, and the row above which the image ends. */
static inline float rvi_sky_row(const rvi_own_image *image, float elevation) {
    bool sphere = image->width == 2 * image->height;
    float horizon = sphere ? 0.5f * (float)image->height : (float)image->height;
    return horizon - elevation * (float)image->width / (float)(2 * RVI_PI);
}

static inline void rvi_sky_image_at(const rvi_sky_image *sky, const float along[3], float out[3]) {
    const rvi_own_image *image = &sky->image;
    float level = sqrtf(along[0] * along[0] + along[1] * along[1]);
    double turn = rvi_image_fraction((double)rvi_angle(along[0], -along[1]) / (2 * RVI_PI));
    float row = rvi_sky_row(image, rvi_angle(along[2], level)) - 0.5f;
    float x = (float)turn * (float)image->width - 0.5f;
    x = x < 0 ? x + (float)image->width : x;
    row = rvi_clampf(row, 0, (float)(image->height - 1));
    int x0 = rvi_mini((int)x, image->width - 1), x1 = (x0 + 1) % image->width;
    int y0 = (int)row, y1 = rvi_mini(y0 + 1, image->height - 1);
    float u = x - (float)x0, v = row - (float)y0;
    for (int c = 0; c < 3; c++) {
        float above = sky->light[rvi_image_pixel(image, x0, y0)[c]];
        float below = sky->light[rvi_image_pixel(image, x0, y1)[c]];
        above += u * (sky->light[rvi_image_pixel(image, x1, y0)[c]] - above);
        below += u * (sky->light[rvi_image_pixel(image, x1, y1)[c]] - below);
        out[c] = above + v * (below - above);
    }
}

#endif
