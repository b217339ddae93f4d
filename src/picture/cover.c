/* cover.c: rules for what lies where.
 *
 * After M. Rebensburg and M. Larsson, Generating mountains using hydraulic erosion, 2020, section
 * 3.2: grass turns to rock with height and steepness, noise mixes brown into the grass, and noise
 * shifts the line above which snow lies. Beside that snow slides off steep ground, what erosion
 * laid down shows as sediment, water leaves beaches, and layers have colours of their own.
 *
 * With S(a, b, x) a smooth step from a to b, R the relief, s the slope as a tangent, n and m noise
 * of large and small patches:
 *
 *     rock      S(0.8, 1.3, (s + 0.1 m) / steep), and S(-0.07, 0.07, (z - grass) / R + noise)
 *     sediment  S(0.1, 0.6, (deposited - eroded) / much) where it is not steep
 *     snow      S(-0.012, 0.035, (z - line) / R + 0.06 n + 0.035 m) (1 - S(0.7, 1, s)), and s may
 * be larger the higher it is sand      where water stands within three cells and the ground is not
 * much higher
 */
#include "picture/cover.h"
#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"
#include "picture/overlay.h"
#include "terrain/bands.h"

#include <math.h>

enum { BINS = 256, GRID = 128 };

void rvi_linear_from_bytes(uint32_t rgb, float out[3]) {
    for (int c = 0; c < 3; c++) {
        float v = (float)((rgb >> (16 - 8 * c)) & 255) / 255;
        out[c] = v <= 0.04045f ? v / 12.92f : rvi_powf((v + 0.055f) / 1.055f, 2.4f);
    }
}

/* ---- what a map has ---- */

/* The value that a share of the counted ones do not pass, as a share of the bins. */
static float quantile(const int *bins, int count, float share) {
    int seen = 0, k = 0;
    while (k < BINS - 1 && (float)(seen + bins[k]) < share * (float)count)
        seen += bins[k++];
    return ((float)k + 0.5f) / BINS;
}

/* Lines by the land itself: a sixth of it is above the snow line, grass ends below that. */
static void find_lines(rvi_ground *g, float snow) {
    const rvi_relief *r = g->relief;
    int heights[BINS] = {0}, slopes[BINS] = {0}, count = 0;
    float span = g->relief_of > 0 ? g->relief_of : 1;
    for (int j = 0; j < GRID; j++)
        for (int i = 0; i < GRID; i++) {
            int x = (int)((int64_t)(r->width - 1) * i / GRID);
            int y = (int)((int64_t)(r->height - 1) * j / GRID);
            if (rvi_relief_gap(r, x, y))
                continue;
            float slope[2], z = r->upper[(size_t)y * (size_t)r->width + (size_t)x];
            rvi_relief_slope(r, x, y, 1, slope);
            float s = sqrtf(slope[0] * slope[0] + slope[1] * slope[1]);
            heights[rvi_maxi(0, rvi_mini((int)((z - r->low) / span * BINS), BINS - 1))]++;
            slopes[rvi_mini((int)(rvi_minf(s, 4) / 4 * BINS), BINS - 1)]++;
            count++;
        }
    g->steep = rvi_clampf(4 * quantile(slopes, count, 0.62f), 0.47f, 0.8f);
    float line = rvi_maxf(quantile(heights, count, 0.84f), 0.5f);
    bool mountains = g->relief_of >= 700;
    g->snow = !isnan(snow) ? snow : mountains ? r->low + line * g->relief_of : RVI_NO_SNOW;
    g->grass = r->low + rvi_maxf(quantile(heights, count, 0.62f), 0.35f) * g->relief_of;
    g->valley = mountains ? 0.32f : 0.17f; /* hills are more open */
    if (!mountains && isnan(snow))
        g->grass = r->low + 2 * g->relief_of;
    if (g->dry && isnan(snow))
        g->snow = RVI_NO_SNOW;
}

static void edge_rows(void *arg, int first, int end) {
    const rvi_ground *g = arg;
    const rv_terrain *land = g->relief->land;
    double cell = (double)land->cell;
    for (int y = first; y < end; y++)
        rvi_strata_row(&land->strata, 0, y * cell, cell, land->width,
                       g->edges + (size_t)y * (size_t)land->width);
}

static rv_status find_bands(rvi_ground *g) {
    const rv_terrain *land = g->relief->land;
    if (!rvi_strata_there(land))
        return RV_OK;
    g->edges = rvi_alloc(land->ctx, rvi_cells(land), sizeof(float), "the bands of a picture");
    return g->edges ? rvi_parallel_rows(land->ctx, land->height, edge_rows, g) : RV_ERROR_MEMORY;
}

void rvi_ground_release(rvi_ground *g) {
    if (g->relief)
        rvi_free(g->relief->land->ctx, g->edges);
    g->edges = NULL;
}

rv_status rvi_ground_prepare(const rvi_relief *r, const rvi_detail_noise *detail, float snow,
                             bool dry, rvi_ground *out) {
    const rv_terrain *land = r->land;
    rvi_ground g = {.relief = r, .detail = detail, .dry = dry, .relief_of = r->high - r->low};
    g.patch = (float)rvi_maxi(r->width, r->height) / 9;
    g.flow = rvi_field_get(land, "flow");
    g.deposited = rvi_field_get(land, "deposited");
    g.eroded = rvi_field_get(land, "eroded");
    g.water = rvi_field_get(land, "water");
    rv_status status = RV_OK;
    if (g.flow)
        status = rvi_overlay_limit(land, g.flow, &g.flow_most);
    if (status == RV_OK && g.deposited)
        status = rvi_overlay_limit(land, g.deposited, &g.deposited_most);
    if (status == RV_OK)
        status = find_bands(&g);
    find_lines(&g, snow);
    *out = g;
    if (status != RV_OK)
        rvi_ground_release(out);
    return status;
}

/* ---- a place ---- */

/* A film of water wets the ground it lies on; water that stands wets a strip above its level. On a
 * steep shore the depth between two cells says nothing about how far up the water comes. */
static float wet_by_water(const rvi_ground *g, double x, double y, float z) {
    const rvi_relief *r = g->relief;
    float depth = rvi_relief_field(r, g->water, x, y), shallow = rvi_relief_shallow(r->land);
    if (depth <= shallow || !r->water)
        return rvi_smoothstep(0, shallow, depth);
    float level = rvi_grid_at(r->water, r->width, r->height, x, y);
    return 1 - rvi_smoothstep(0, rvi_clampf(0.08f * r->land->cell, 0.1f, 3), z - level);
}

static float wetness(const rvi_ground *g, double x, double y, float z) {
    float wet = 0;
    if (g->flow && g->flow_most > 0) {
        float share = rvi_clampf(rvi_relief_field(g->relief, g->flow, x, y) / g->flow_most, 0, 1);
        wet = rvi_smoothstep(0.25f, 1, share);
    }
    return g->water ? rvi_maxf(wet, wet_by_water(g, x, y, z)) : wet;
}

/* 1 at the edge of standing water, 0 where the ground is well above it or none is near. */
static float shore(const rvi_ground *g, double x, double y, float z) {
    static const float around[8][2] = {{1, 0},  {0.71f, 0.71f},   {0, 1},  {-0.71f, 0.71f},
                                       {-1, 0}, {-0.71f, -0.71f}, {0, -1}, {0.71f, -0.71f}};
    const rvi_relief *r = g->relief;
    float reach = 1.6f / r->step, best = 0, cell = r->land->cell;
    float high = rvi_clampf(0.15f * cell, 0.3f, 6), shallow = rvi_relief_shallow(r->land);
    for (int k = 0; k < 8; k++) {
        double px = x + (double)(reach * around[k][0]), py = y + (double)(reach * around[k][1]);
        float depth = rvi_relief_field(r, g->water, px, py);
        if (depth <= shallow)
            continue;
        float level = rvi_grid_at(r->z, r->width, r->height, px, py) + depth;
        best = rvi_maxf(best, (1 - rvi_smoothstep(0.4f, 1, (z - level) / high)) *
                                  rvi_smoothstep(1, 6, depth / shallow));
    }
    return rvi_minf(best, 1);
}

static void take_layers(const rvi_ground *g, double x, double y, rvi_soil *soil) {
    const rv_terrain *land = g->relief->land;
    float left = 1, sum[3] = {0, 0, 0}, coloured = 0;
    for (int k = land->layer_count - 1; k > 0 && left > 0.01f; k--) {
        const rvi_layer *layer = &land->layers[k];
        float thick = rvi_relief_field(g->relief, layer->thickness, x, y);
        float share = left * rvi_smoothstep(0, 0.3f, thick);
        float rgb[3];
        if (layer->colour != 0) {
            rvi_linear_from_bytes(layer->colour, rgb);
            for (int c = 0; c < 3; c++)
                sum[c] += share * rgb[c];
            coloured += share;
        }
        left -= share;
    }
    soil->layer = 1 - left;
    for (int c = 0; c < 3; c++)
        soil->layer_rgb[c] = coloured > 0.01f ? sum[c] / coloured : -1;
}

/* A share of all that is there becomes something else. */
static void cover(rvi_soil *soil, rvi_material with, float share) {
    for (int k = 0; k < RVI_MATERIALS; k++)
        soil->weight[k] *= 1 - share;
    soil->weight[with] += share;
}

static float snow_on(const rvi_ground *g, const rvi_soil *soil, float z, float s) {
    if (g->snow >= RVI_NO_SNOW)
        return 0;
    float above = (z - g->snow) / rvi_maxf(g->relief_of, 1);
    float shift =
        rvi_clampf(0.06f * soil->patch + 0.035f * soil->fine, -RVI_SNOW_SHIFT, RVI_SNOW_SHIFT);
    float hold = 0.72f + 1.2f * rvi_maxf(above, 0) + 0.12f * soil->fine;
    float lies = rvi_smoothstep(-0.012f, 0.035f, above + shift);
    return lies * (1 - rvi_smoothstep(hold, hold + 0.28f, s)) *
           (above + RVI_SNOW_SHIFT > 0 ? 1 : 0);
}

/* Trees stand in groups, each about a cell wide, below the line where grass ends. */
static float woods(const rvi_ground *g, const rvi_soil *soil, double x, double y, float up,
                   float blur) {
    float dense = rvi_smoothstep(-0.15f, 0.55f,
                                 -0.5f * soil->patch + 0.35f * soil->fine -
                                     2.4f * rvi_maxf(up, -g->valley) - 0.28f);
    float size = 1.1f / g->relief->step, seen = 1 - rvi_smoothstep(0.5f, 1.3f, blur);
    if (dense <= 0)
        return 0;
    float crowns = 0.5f;
    if (seen > 0)
        crowns +=
            seen * (0.9f * rvi_detail_noise_at(g->detail, (float)x / size, (float)y / size).value);
    return rvi_smoothstep(0, 0.35f, dense * 1.35f - crowns + 0.05f) * 0.95f;
}

rvi_soil rvi_ground_at(const rvi_ground *g, double x, double y, float z, const float slope[2],
                       float blur) {
    rvi_soil soil = {0};
    const rvi_relief *r = g->relief;
    float s = sqrtf(slope[0] * slope[0] + slope[1] * slope[1]);
    float px = (float)x / g->patch, py = (float)y / g->patch;
    soil.patch = rvi_detail_noise_sum(g->detail, px, py, 3, 0.55f);
    float small = 7 / r->step;
    int octaves = 2;
    for (float width = 1.75f; octaves < 7 && width > 2 * blur; width *= 0.5f)
        octaves++;
    soil.fine = rvi_detail_noise_sum(g->detail, (float)x / small + 31.7f, (float)y / small + 3.1f,
                                     octaves, 0.62f);
    float up = (z - g->grass) / rvi_maxf(g->relief_of, 1);
    float rock =
        rvi_smoothstep(0.75f, 1.3f, (s + 0.1f * soil.fine + 0.05f * soil.patch) / g->steep);
    rock =
        rvi_maxf(rock, rvi_smoothstep(-0.07f, 0.07f, up + 0.06f * soil.patch + 0.03f * soil.fine));
    soil.weight[RVI_ROCK] = rock;
    soil.weight[g->dry ? RVI_SAND : RVI_GRASS] = 1 - rock;
    soil.brown = rvi_smoothstep(
        -0.35f, 0.75f, soil.patch + 0.5f * soil.fine + 2.2f * rvi_maxf(up, -2 * g->valley) + 0.6f);
    if (!g->dry)
        soil.wood =
            woods(g, &soil, x, y, up, blur) * (1 - rvi_smoothstep(0.9f, 1.4f, s / g->steep));
    if (g->deposited && g->deposited_most > 0) {
        float laid = rvi_relief_field(r, g->deposited, x, y);
        if (g->eroded)
            laid -= rvi_relief_field(r, g->eroded, x, y);
        float share = rvi_smoothstep(0.1f, 0.6f, laid / g->deposited_most + 0.12f * soil.fine);
        cover(&soil, RVI_SEDIMENT, 0.65f * share * (1 - rvi_smoothstep(0.8f, 1.2f, s / g->steep)));
    }
    if (r->land->layer_count > 1) {
        take_layers(g, x, y, &soil);
        cover(&soil, RVI_SEDIMENT, soil.layer);
    }
    if (g->water && r->water)
        cover(&soil, RVI_SAND, shore(g, x, y, z) * (1 - rvi_smoothstep(0.3f, 0.6f, s)));
    soil.wet = wetness(g, x, y, z);
    float snow = snow_on(g, &soil, z, s);
    cover(&soil, RVI_SNOW, snow);
    soil.wet *= 1 - snow;
    return soil;
}
