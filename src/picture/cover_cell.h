/* cover_cell.h: what lies on the ground at a place, for the processor and for devices; land_cover.c
 * has the equations. */
#ifndef RVI_PICTURE_COVER_CELL_H
#define RVI_PICTURE_COVER_CELL_H

#include "picture/detail_noise.h"
#include "picture/relief_cell.h"

typedef enum rvi_cover_kind {
    RVI_COVER_ROCK,
    RVI_COVER_GRASS,
    RVI_COVER_SEDIMENT,
    RVI_COVER_SNOW,
    RVI_COVER_SAND,
    RVI_COVER_KINDS
} rvi_cover_kind;

/* The numbers of the rules for a whole map. Heights are metres, slopes tangents:
 *
 *     snow             the middle of the snow line; RVI_NO_SNOW
 *     grass            where grass ends
 *     valley           how far below that woods get no denser, beside the relief
 *     steep            what is steeper is rock
 *     relief_of        metres between the lowest and the highest point
 *     patch            size of the larger patches, in cells of the relief
 *     flow_most, deposited_most          what counts as much
 *     band_thickness, band_hardness      as in rvi_strata
 *     dry              sand instead of grass
 *     layers           of the terrain
 *     volume           is the bedrock harder here and there in three dimensions? */
#define RVI_COVER_NUMBERS                                                                          \
    float snow, grass, valley, steep, relief_of, patch;                                            \
    float flow_most, deposited_most;                                                               \
    float band_thickness, band_hardness;                                                           \
    int dry, layers, volume

typedef struct rvi_cover_numbers {
    RVI_COVER_NUMBERS;
} rvi_cover_numbers;

enum { RVI_COVER_LAYERS = 8 }; /* that a device can show, the bedrock among them */

typedef struct rvi_cover_rules {
    RVI_COVER_NUMBERS;
    const rvi_relief *relief;
    RVI_GRID const rvi_detail_noise *detail;
    RVI_GRID const float *flow, *deposited, *eroded, *water; /* fields of the terrain, or NULL */
    RVI_GRID const float *edges; /* of the terrain: where the lowest band of the bedrock begins;
                                    NULL: no bands */
    RVI_GRID const float *band_edge, *band_soft; /* of each band, as in rvi_strata */
#ifdef __OPENCL_VERSION__
    RVI_GRID const float *thickness[RVI_COVER_LAYERS];
    RVI_GRID const uint32_t *colours;
#else
    float *memory; /* of `edges`, where they are its own */
#endif
} rvi_cover_rules;

#define RVI_NO_SNOW 1e30f

/* How far noise shifts the snow line up or down, beside the relief of the map. */
#define RVI_SNOW_SHIFT 0.1f

typedef struct rvi_cover {
    float weight[RVI_COVER_KINDS]; /* of each kind; together 1 */
    float brown;                   /* of the grass: how much of it is dry */
    float wood;                    /* of the grass: how much of it is under trees */
    float wet;                     /* by running or shallow water */
    float patch, fine;             /* noise of large and small patches, about -1 to 1 */
    float layer;                   /* how much of the ground below the snow is layers */
    float layer_rgb[3];            /* their colour, linear; of layers without one below 0 */
} rvi_cover;

/* sRGB bytes as linear light, 0 to 1. */
static inline void rvi_linear_from_bytes(uint32_t rgb, float out[3]) {
    for (int c = 0; c < 3; c++) {
        float v = (float)((rgb >> (16 - 8 * c)) & 255) / 255;
        out[c] = v <= 0.04045f ? v / 12.92f : rvi_power((v + 0.055f) / 1.055f, 2.4f);
    }
}

/* The thickness of a layer of the terrain, and its colour. */
#ifdef __OPENCL_VERSION__
static inline RVI_GRID const float *rvi_cover_thickness(const rvi_cover_rules *rules, int layer) {
    return rules->thickness[layer];
}
static inline uint32_t rvi_cover_colour(const rvi_cover_rules *rules, int layer) {
    return rules->colours[layer];
}
#else
const float *rvi_cover_thickness(const rvi_cover_rules *rules, int layer);
uint32_t rvi_cover_colour(const rvi_cover_rules *rules, int layer);
#endif

RVI_CONSTANT float RVI_SHORE_AROUND[8][2] = {{1, 0},  {0.71f, 0.71f},   {0, 1},  {-0.71f, 0.71f},
                                             {-1, 0}, {-0.71f, -0.71f}, {0, -1}, {0.71f, -0.71f}};

/* A film of water wets the ground it lies on; water that stands wets a strip above its level. On a
 * steep shore the depth between two cells says nothing about how far up the water comes. */
static inline float rvi_cover_wet_by_water(const rvi_cover_rules *rules, double x, double y,
                                           float z) {
    const rvi_relief *r = rules->relief;
    float depth = rvi_relief_field(r, rules->water, x, y),
          shallow = rvi_relief_shallow_of(r->land_cell);
    if (depth <= shallow || !r->water)
        return rvi_smoothstep(0, shallow, depth);
    float level = rvi_grid_at(r->water, r->width, r->height, x, y);
    return 1 - rvi_smoothstep(0, rvi_clampf(0.08f * r->land_cell, 0.1f, 3), z - level);
}

static inline float rvi_cover_wetness(const rvi_cover_rules *rules, double x, double y, float z) {
    float wet = 0;
    if (rules->flow && rules->flow_most > 0 && !rules->dry) {
        float share =
            rvi_clampf(rvi_relief_field(rules->relief, rules->flow, x, y) / rules->flow_most, 0, 1);
        wet = rvi_smoothstep(0.25f, 1, share);
    }
    return rules->water ? rvi_maxf(wet, rvi_cover_wet_by_water(rules, x, y, z)) : wet;
}

/* 1 at the edge of standing water, 0 where the ground is well above it or none is near. */
static inline float rvi_cover_shore(const rvi_cover_rules *rules, double x, double y, float z) {
    const rvi_relief *r = rules->relief;
    float reach = 1.6f / r->step, best = 0, cell = r->land_cell;
    float high = rvi_clampf(0.15f * cell, 0.3f, 6), shallow = rvi_relief_shallow_of(r->land_cell);
    for (int k = 0; k < 8; k++) {
        double px = x + (double)(reach * RVI_SHORE_AROUND[k][0]),
               py = y + (double)(reach * RVI_SHORE_AROUND[k][1]);
        float depth = rvi_relief_field(r, rules->water, px, py);
        if (depth <= shallow)
            continue;
        float level = rvi_grid_at(r->z, r->width, r->height, px, py) + depth;
        best = rvi_maxf(best, (1 - rvi_smoothstep(0.4f, 1, (z - level) / high)) *
                                  rvi_smoothstep(1, 6, depth / shallow));
    }
    return rvi_minf(best, 1);
}

static inline void rvi_cover_take_layers(const rvi_cover_rules *rules, double x, double y,
                                         rvi_cover *cover) {
    float left = 1, sum[3] = {0, 0, 0}, coloured = 0;
    for (int k = rules->layers - 1; k > 0 && left > 0.01f; k--) {
        uint32_t colour = rvi_cover_colour(rules, k);
        float thick = rvi_relief_field(rules->relief, rvi_cover_thickness(rules, k), x, y);
        float share = left * rvi_smoothstep(0, 0.3f, thick);
        float rgb[3];
        if (colour != 0) {
            rvi_linear_from_bytes(colour, rgb);
            for (int c = 0; c < 3; c++)
                sum[c] += share * rgb[c];
            coloured += share;
        }
        left -= share;
    }
    cover->layer = 1 - left;
    for (int c = 0; c < 3; c++)
        cover->layer_rgb[c] = coloured > 0.01f ? sum[c] / coloured : -1;
}

/* A share of all that is there becomes something else. */
static inline void rvi_cover_with(rvi_cover *cover, rvi_cover_kind with, float share) {
    for (int k = 0; k < RVI_COVER_KINDS; k++)
        cover->weight[k] *= 1 - share;
    cover->weight[with] += share;
}

static inline float rvi_cover_snow_on(const rvi_cover_rules *rules, const rvi_cover *cover, float z,
                                      float s) {
    if (rules->snow >= RVI_NO_SNOW)
        return 0;
    float above = (z - rules->snow) / rvi_maxf(rules->relief_of, 1);
    float shift =
        rvi_clampf(0.06f * cover->patch + 0.035f * cover->fine, -RVI_SNOW_SHIFT, RVI_SNOW_SHIFT);
    float hold = 0.72f + 1.2f * rvi_maxf(above, 0) + 0.12f * cover->fine;
    float lies = rvi_smoothstep(-0.012f, 0.035f, above + shift);
    return lies * (1 - rvi_smoothstep(hold, hold + 0.28f, s)) *
           (above + RVI_SNOW_SHIFT > 0 ? 1 : 0);
}

/* Trees stand in groups, each about a cell wide, below the line where grass ends; on valley floors,
 * which floods keep clear, there are few. */
static inline float rvi_cover_woods(const rvi_cover_rules *rules, const rvi_cover *cover, double x,
                                    double y, float up, float blur) {
    float dense = rvi_smoothstep(-0.15f, 0.55f,
                                 -0.5f * cover->patch + 0.35f * cover->fine -
                                     2.4f * rvi_maxf(up, -rules->valley) - 0.28f);
    float size = 1.1f / rules->relief->step, seen = 1 - rvi_smoothstep(0.5f, 1.3f, blur);
    if (dense <= 0)
        return 0;
    float crowns = 0.5f;
    if (seen > 0)
        crowns +=
            seen *
            (0.9f * rvi_detail_noise_at(rules->detail, (float)x / size, (float)y / size).value);
    return rvi_smoothstep(0, 0.35f, dense * 1.35f - crowns + 0.05f) * 0.95f;
}

/* At a place of the relief with these slopes towards east and south; `blur` is the width in cells
 * of the terrain below which detail is left out. */
RVI_CALLED rvi_cover rvi_cover_at(const rvi_cover_rules *rules, double x, double y, float z,
                                  const float slope[2], float blur) {
    rvi_cover cover = {0};
    const rvi_relief *r = rules->relief;
    float s = sqrtf(slope[0] * slope[0] + slope[1] * slope[1]);
    float px = (float)x / rules->patch, py = (float)y / rules->patch;
    cover.patch = rvi_detail_noise_sum(rules->detail, px, py, 3, 0.55f);
    float small = 7 / r->step;
    int octaves = 2;
    for (float width = 1.75f; octaves < 7 && width > 2 * blur; width *= 0.5f)
        octaves++;
    cover.fine = rvi_detail_noise_sum(rules->detail, (float)x / small + 31.7f,
                                      (float)y / small + 3.1f, octaves, 0.62f);
    float up = (z - rules->grass) / rvi_maxf(rules->relief_of, 1);
    float rock =
        rvi_smoothstep(0.75f, 1.3f, (s + 0.1f * cover.fine + 0.05f * cover.patch) / rules->steep);
    rock = rvi_maxf(rock,
                    rvi_smoothstep(-0.07f, 0.07f, up + 0.06f * cover.patch + 0.03f * cover.fine));
    cover.weight[RVI_COVER_ROCK] = rock;
    cover.weight[rules->dry ? RVI_COVER_SAND : RVI_COVER_GRASS] = 1 - rock;
    cover.brown = rvi_smoothstep(-0.35f, 0.75f,
                                 cover.patch + 0.5f * cover.fine +
                                     2.2f * rvi_maxf(up, -2 * rules->valley) + 0.6f);
    if (!rules->dry)
        cover.wood = rvi_cover_woods(rules, &cover, x, y, up, blur) *
                     (0.2f + 0.8f * rvi_smoothstep(0.06f, 0.18f, s / rules->steep)) *
                     (1 - rvi_smoothstep(0.9f, 1.4f, s / rules->steep));
    if (rules->deposited && rules->deposited_most > 0) {
        float laid = rvi_relief_field(r, rules->deposited, x, y);
        if (rules->eroded)
            laid -= rvi_relief_field(r, rules->eroded, x, y);
        float share = rvi_smoothstep(0.1f, 0.6f, laid / rules->deposited_most + 0.12f * cover.fine);
        rvi_cover_with(&cover, RVI_COVER_SEDIMENT,
                       0.65f * share * (1 - rvi_smoothstep(0.8f, 1.2f, s / rules->steep)));
    }
    if (rules->layers > 1) {
        rvi_cover_take_layers(rules, x, y, &cover);
        rvi_cover_with(&cover, RVI_COVER_SEDIMENT, cover.layer);
    }
    if (rules->water && r->water)
        rvi_cover_with(&cover, RVI_COVER_SAND,
                       rvi_cover_shore(rules, x, y, z) * (1 - rvi_smoothstep(0.3f, 0.6f, s)));
    cover.wet = rvi_cover_wetness(rules, x, y, z);
    float snow = rvi_cover_snow_on(rules, &cover, z, s);
    rvi_cover_with(&cover, RVI_COVER_SNOW, snow);
    cover.wet *= 1 - snow;
    return cover;
}

#endif
