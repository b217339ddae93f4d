/* maps.c: normals, sky, slope, curvature and ground of every cell.
 *
 * With h exaggerated, and beyond the edge going on as it slopes there,
 *
 *     p = (h(x + 1) - h(x - 1)) / (2 cell),  q = (h(y + 1) - h(y - 1)) / (2 cell), y to the south
 *     normal    (-p, q, 1) / sqrt(1 + p^2 + q^2) as east, north, up
 *     slope     atan sqrt(p^2 + q^2)
 *     curvature (4 h - its four neighbours) / (2 cell^2), the mean one where the land is level
 */
#include "picture/maps.h"
#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"
#include "picture/land_cover.h"
#include "picture/occlusion.h"
#include "picture/overlay.h"
#include "picture/palette.h"
#include "picture/shade.h"
#include "terrain/hardness_volume.h"

#include <math.h>

typedef struct mapping {
    const rv_terrain *land;
    const rvi_map *how;
    const rvi_cover_rules *rules;
    float *values;
    float limit;
    const float *shown; /* a field */
    unsigned char *out;
} mapping;

static void slopes_at(const mapping *m, int x, int y, float slope[2]) {
    float scale = m->how->z / (2 * m->land->cell);
    slope[0] = scale * (rvi_height_at(m->land, x + 1, y) - rvi_height_at(m->land, x - 1, y));
    slope[1] = scale * (rvi_height_at(m->land, x, y + 1) - rvi_height_at(m->land, x, y - 1));
}

static unsigned char byte(float level) {
    return (unsigned char)(rvi_clampf(level, 0, 255) + 0.5f);
}

/* ---- one cell after the other ---- */

static void normal_rows(void *arg, int first, int end) {
    const mapping *m = arg;
    for (int y = first; y < end; y++)
        for (int x = 0; x < m->land->width; x++) {
            float slope[2];
            slopes_at(m, x, y, slope);
            float up = 1 / sqrtf(1 + slope[0] * slope[0] + slope[1] * slope[1]);
            float normal[3] = {-slope[0] * up, (m->how->down ? -slope[1] : slope[1]) * up, up};
            unsigned char *to = m->out + 3 * ((size_t)y * (size_t)m->land->width + (size_t)x);
            for (int c = 0; c < 3; c++)
                to[c] = byte(127.5f + 127.5f * normal[c]);
        }
}

rv_status rvi_map_normal(const rv_terrain *land, const rvi_map *map, unsigned char *rgb) {
    mapping m = {.land = land, .how = map, .out = rgb};
    return rvi_parallel_rows(land->ctx, land->height, normal_rows, &m);
}

static void slope_rows(void *arg, int first, int end) {
    const mapping *m = arg;
    for (int y = first; y < end; y++)
        for (int x = 0; x < m->land->width; x++) {
            float slope[2];
            slopes_at(m, x, y, slope);
            float angle = rvi_atanf(sqrtf(slope[0] * slope[0] + slope[1] * slope[1]));
            m->out[(size_t)y * (size_t)m->land->width + (size_t)x] =
                byte(angle * (float)(510 / RVI_PI));
        }
}

rv_status rvi_map_slope(const rv_terrain *land, const rvi_map *map, unsigned char *grey) {
    mapping m = {.land = land, .how = map, .out = grey};
    return rvi_parallel_rows(land->ctx, land->height, slope_rows, &m);
}

static void byte_rows(void *arg, int first, int end) {
    const mapping *m = arg;
    size_t from = (size_t)first * (size_t)m->land->width, to = (size_t)end * (size_t)m->land->width;
    for (size_t i = from; i < to; i++)
        m->out[i] = byte(255 * m->values[i]);
}

rv_status rvi_map_occlusion(const rv_terrain *land, const rvi_map *map, unsigned char *grey) {
    rvi_relief relief = {0};
    rv_status status = rvi_relief_create(land, 0, false, &relief);
    if (status != RV_OK)
        return status;
    size_t cells = (size_t)relief.width * (size_t)relief.height;
    mapping m = {.land = land, .how = map, .out = grey};
    m.values = rvi_alloc(land->ctx, cells, sizeof(float), "the sky over the land");
    status = m.values ? RV_OK : RV_ERROR_MEMORY;
    float side = (float)(rvi_maxi(relief.width, relief.height) - 1) * relief.cell;
    if (status == RV_OK)
        status = rvi_occlusion_make(&relief, 0, isnan(map->reach) ? 0.1f * side : map->reach,
                                    map->z, m.values);
    if (status == RV_OK && relief.width != land->width) /* one column became two */
        for (size_t i = 1; i < (size_t)land->height; i++)
            m.values[i] = m.values[2 * i];
    if (status == RV_OK)
        status = rvi_parallel_rows(land->ctx, land->height, byte_rows, &m);
    rvi_free(land->ctx, m.values);
    rvi_relief_destroy(&relief);
    return status;
}

/* ---- curvature ---- */

static void curvature_rows(void *arg, int first, int end) {
    const mapping *m = arg;
    const rv_terrain *land = m->land;
    float scale = m->how->z / (2 * land->cell * land->cell);
    for (int y = first; y < end; y++)
        for (int x = 0; x < land->width; x++) {
            float around = (rvi_height_at(land, x + 1, y) + rvi_height_at(land, x - 1, y)) +
                           (rvi_height_at(land, x, y + 1) + rvi_height_at(land, x, y - 1));
            float bend = scale * (4 * rvi_height_at(land, x, y) - around);
            m->values[(size_t)y * (size_t)land->width + (size_t)x] = bend;
        }
}

static void size_rows(void *arg, int first, int end) {
    const mapping *m = arg;
    size_t from = (size_t)first * (size_t)m->land->width, to = (size_t)end * (size_t)m->land->width;
    for (size_t i = from; i < to; i++)
        m->values[i] = fabsf(m->values[i]);
}

static void bend_rows(void *arg, int first, int end) {
    const mapping *m = arg;
    size_t from = (size_t)first * (size_t)m->land->width, to = (size_t)end * (size_t)m->land->width;
    for (size_t i = from; i < to; i++)
        m->out[i] = byte(128 + (m->limit > 0 ? 127 * m->values[i] / m->limit : 0));
}

rv_status rvi_map_curvature(const rv_terrain *land, const rvi_map *map, unsigned char *grey) {
    mapping m = {.land = land, .how = map, .limit = map->limit, .out = grey};
    m.values = rvi_alloc(land->ctx, rvi_cells(land), sizeof(float), "the curvature");
    if (!m.values)
        return RV_ERROR_MEMORY;
    rv_status status = rvi_parallel_rows(land->ctx, land->height, curvature_rows, &m);
    if (status == RV_OK && isnan(map->limit)) {
        status = rvi_parallel_rows(land->ctx, land->height, size_rows, &m);
        if (status == RV_OK)
            status = rvi_overlay_limit(land, m.values, &m.limit);
        if (status == RV_OK)
            status = rvi_parallel_rows(land->ctx, land->height, curvature_rows, &m);
    }
    if (status == RV_OK)
        status = rvi_parallel_rows(land->ctx, land->height, bend_rows, &m);
    rvi_free(land->ctx, m.values);
    return status;
}

/* ---- a field ---- */

static void field_rows(void *arg, int first, int end) {
    const mapping *m = arg;
    size_t last = (size_t)end * (size_t)m->land->width;
    for (size_t i = (size_t)first * (size_t)m->land->width; i < last; i++)
        m->out[i] = byte(m->limit > 0 ? 255 * rvi_maxf(m->shown[i], 0) / m->limit : 0);
}

rv_status rvi_map_field(const rv_terrain *land, const rvi_map *map, const char *name,
                        unsigned char *grey) {
    mapping m = {.land = land, .how = map, .limit = map->limit, .out = grey};
    rv_status status = RV_OK;
    m.shown = rv_terrain_field(land, name);
    if (rvi_volume_shows(land, name)) {
        m.shown = m.values = rvi_alloc(land->ctx, rvi_cells(land), sizeof(float), "the hardness");
        status = m.values ? rvi_volume_surface(land, m.values) : RV_ERROR_MEMORY;
    }
    if (status == RV_OK && isnan(map->limit))
        status = rvi_overlay_limit(land, m.shown, &m.limit);
    if (status == RV_OK)
        status = rvi_parallel_rows(land->ctx, land->height, field_rows, &m);
    rvi_free(land->ctx, m.values);
    return status;
}

/* ---- what lies on the ground ---- */

static void splat_rows(void *arg, int first, int end) {
    const mapping *m = arg;
    const rv_terrain *land = m->land;
    for (int y = first; y < end; y++)
        for (int x = 0; x < land->width; x++) {
            float slope[2];
            slopes_at(m, x, y, slope);
            rvi_cover cover = rvi_cover_at(m->rules, x, y, rvi_height_at(land, x, y), slope, 1);
            float parts[4] = {cover.weight[RVI_COVER_ROCK], cover.weight[RVI_COVER_GRASS],
                              cover.weight[RVI_COVER_SEDIMENT] + cover.weight[RVI_COVER_SAND],
                              cover.weight[RVI_COVER_SNOW]};
            unsigned char *to = m->out + 4 * ((size_t)y * (size_t)land->width + (size_t)x);
            int sum = 0, most = 0;
            for (int c = 0; c < 4; c++) {
                to[c] = byte(255 * parts[c]);
                sum += to[c];
                most = to[c] > to[most] ? c : most;
            }
            to[most] = (unsigned char)(to[most] + 255 - sum); /* what rounding made of them */
        }
}

/* Linear light as a byte of sRGB. */
static unsigned char srgb_byte(float light) {
    float l = light > 0.0f ? (light < 1.0f ? light : 1.0f) : 0.0f;
    float s = l <= 0.0031308f ? 12.92f * l : 1.055f * rvi_powf(l, 1.0f / 2.4f) - 0.055f;
    return byte(255 * s);
}

static void colour_rows(void *arg, int first, int end) {
    const mapping *m = arg;
    const rv_terrain *land = m->land;
    const rvi_palette *palette = rvi_palette_of(m->how->dry ? RVI_LOOK_DESERT : RVI_LOOK_ALPINE);
    for (int y = first; y < end; y++)
        for (int x = 0; x < land->width; x++) {
            float slope[2], light[3];
            slopes_at(m, x, y, slope);
            rvi_cover cover = rvi_cover_at(m->rules, x, y, rvi_height_at(land, x, y), slope, 1);
            rvi_palette_ground(palette, &cover, 0, light);
            unsigned char *to = m->out + 3 * ((size_t)y * (size_t)land->width + (size_t)x);
            for (int c = 0; c < 3; c++)
                to[c] = srgb_byte(light[c]);
        }
}

static rv_status map_cover(const rv_terrain *land, const rvi_map *map,
                           void (*rows)(void *arg, int first, int end), unsigned char *out) {
    rvi_relief relief = {0};
    rvi_cover_rules rules = {0};
    rvi_map plain = *map;
    plain.z = 1; /* what grows on a slope does not depend on how it is shown */
    mapping m = {.land = land, .how = &plain, .rules = &rules, .out = out};
    rv_status status = rvi_relief_create(land, 0, false, &relief);
    rvi_detail_noise *detail = rvi_alloc(land->ctx, 1, sizeof *detail, "the noise of a picture");
    if (status == RV_OK && !detail)
        status = RV_ERROR_MEMORY;
    if (status == RV_OK) {
        rvi_detail_noise_make(detail, RVI_DETAIL_NOISE_SEED);
        status = rvi_cover_prepare(&relief, detail, map->snow, map->dry, NULL, &rules);
    }
    if (status == RV_OK)
        status = rvi_parallel_rows(land->ctx, land->height, rows, &m);
    rvi_cover_release(&rules);
    rvi_free(land->ctx, detail);
    rvi_relief_destroy(&relief);
    return status;
}

rv_status rvi_map_splat(const rv_terrain *land, const rvi_map *map, unsigned char *rgba) {
    return map_cover(land, map, splat_rows, rgba);
}

rv_status rvi_map_colour(const rv_terrain *land, const rvi_map *map, unsigned char *rgb) {
    return map_cover(land, map, colour_rows, rgb);
}
