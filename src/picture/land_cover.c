/* land_cover.c: rules for what lies where.
 *
 * After M. Rebensburg and M. Larsson, Generating mountains using hydraulic erosion, 2020, section
 * 3.2: grass turns to rock with height and steepness, noise mixes brown into the grass, and noise
 * shifts the line above which snow lies. Beside that snow slides off steep ground, what erosion
 * deposited shows as sediment, water leaves beaches, and layers have colours of their own.
 *
 * With S(a, b, x) a smooth step from a to b, R the relief, s the slope as a tangent, n and m noise
 * of large and small patches:
 *
 *     rock      S(0.8, 1.3, (s + 0.1 m) / steep), and S(-0.07, 0.07, (z - grass) / R + noise)
 *     sediment  S(0.1, 0.6, (deposited - eroded) / much) where it is not steep
 *     snow      S(-0.012, 0.035, (z - line) / R + 0.06 n + 0.035 m) (1 - S(0.7, 1, s)),
 *               and s may be larger the higher it is
 *     sand      where water stands within three cells and the ground is not much higher
 *     woods     in groups below the grass line, times 0.2 + 0.8 S(0.06, 0.18, s / steep)
 *     wet       S(0.25, 1, flow / much) where the land is not dry: streams
 */
#include "picture/land_cover.h"
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
static void find_lines(rvi_cover_rules *rules, float snow) {
    const rvi_relief *r = rules->relief;
    int heights[BINS] = {0}, slopes[BINS] = {0}, count = 0;
    float span = rules->relief_of > 0 ? rules->relief_of : 1;
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
    rules->steep = rvi_clampf(4 * quantile(slopes, count, 0.62f), 0.47f, 0.8f);
    float line = rvi_maxf(quantile(heights, count, 0.84f), 0.5f);
    bool mountains = rules->relief_of >= 700;
    rules->snow = !isnan(snow) ? snow : mountains ? r->low + line * rules->relief_of : RVI_NO_SNOW;
    rules->grass = r->low + rvi_maxf(quantile(heights, count, 0.62f), 0.35f) * rules->relief_of;
    rules->valley = mountains ? 0.32f : 0.17f; /* hills are more open */
    if (!mountains && isnan(snow))
        rules->grass = r->low + 2 * rules->relief_of;
    if (rules->dry && isnan(snow))
        rules->snow = RVI_NO_SNOW;
}

static void edge_rows(void *arg, int first, int end) {
    const rvi_cover_rules *rules = arg;
    const rv_terrain *land = rules->relief->land;
    double cell = (double)land->cell;
    for (int y = first; y < end; y++)
        rvi_strata_row(&land->strata, 0, y * cell, cell, land->width,
                       rules->edges + (size_t)y * (size_t)land->width);
}

static rv_status find_bands(rvi_cover_rules *rules) {
    const rv_terrain *land = rules->relief->land;
    if (!rvi_strata_there(land))
        return RV_OK;
    rules->edges = rvi_alloc(land->ctx, rvi_cells(land), sizeof(float), "the bands of a picture");
    return rules->edges ? rvi_parallel_rows(land->ctx, land->height, edge_rows, rules)
                        : RV_ERROR_MEMORY;
}

void rvi_cover_release(rvi_cover_rules *rules) {
    if (rules->relief)
        rvi_free(rules->relief->land->ctx, rules->edges);
    rules->edges = NULL;
}

rv_status rvi_cover_prepare(const rvi_relief *r, const rvi_detail_noise *detail, float snow,
                            bool dry, rvi_cover_rules *out) {
    const rv_terrain *land = r->land;
    rvi_cover_rules rules = {
        .relief = r, .detail = detail, .dry = dry, .relief_of = r->high - r->low};
    rules.patch = (float)rvi_maxi(r->width, r->height) / 9;
    rules.flow = rvi_field_get(land, "flow");
    rules.deposited = rvi_field_get(land, "deposited");
    rules.eroded = rvi_field_get(land, "eroded");
    rules.water = rvi_field_get(land, "water");
    rv_status status = RV_OK;
    if (rules.flow)
        status = rvi_overlay_limit(land, rules.flow, &rules.flow_most);
    if (status == RV_OK && rules.deposited)
        status = rvi_overlay_limit(land, rules.deposited, &rules.deposited_most);
    if (status == RV_OK)
        status = find_bands(&rules);
    find_lines(&rules, snow);
    *out = rules;
    if (status != RV_OK)
        rvi_cover_release(out);
    return status;
}

/* ---- a place ---- */

/* A film of water wets the ground it lies on; water that stands wets a strip above its level. On a
 * steep shore the depth between two cells says nothing about how far up the water comes. */
static float wet_by_water(const rvi_cover_rules *rules, double x, double y, float z) {
    const rvi_relief *r = rules->relief;
    float depth = rvi_relief_field(r, rules->water, x, y), shallow = rvi_relief_shallow(r->land);
    if (depth <= shallow || !r->water)
        return rvi_smoothstep(0, shallow, depth);
    float level = rvi_grid_at(r->water, r->width, r->height, x, y);
    return 1 - rvi_smoothstep(0, rvi_clampf(0.08f * r->land->cell, 0.1f, 3), z - level);
}

static float wetness(const rvi_cover_rules *rules, double x, double y, float z) {
    float wet = 0;
    if (rules->flow && rules->flow_most > 0 && !rules->dry) {
        float share =
            rvi_clampf(rvi_relief_field(rules->relief, rules->flow, x, y) / rules->flow_most, 0, 1);
        wet = rvi_smoothstep(0.25f, 1, share);
    }
    return rules->water ? rvi_maxf(wet, wet_by_water(rules, x, y, z)) : wet;
}

/* 1 at the edge of standing water, 0 where the ground is well above it or none is near. */
static float shore(const rvi_cover_rules *rules, double x, double y, float z) {
    static const float around[8][2] = {{1, 0},  {0.71f, 0.71f},   {0, 1},  {-0.71f, 0.71f},
                                       {-1, 0}, {-0.71f, -0.71f}, {0, -1}, {0.71f, -0.71f}};
    const rvi_relief *r = rules->relief;
    float reach = 1.6f / r->step, best = 0, cell = r->land->cell;
    float high = rvi_clampf(0.15f * cell, 0.3f, 6), shallow = rvi_relief_shallow(r->land);
    for (int k = 0; k < 8; k++) {
        double px = x + (double)(reach * around[k][0]), py = y + (double)(reach * around[k][1]);
        float depth = rvi_relief_field(r, rules->water, px, py);
        if (depth <= shallow)
            continue;
        float level = rvi_grid_at(r->z, r->width, r->height, px, py) + depth;
        best = rvi_maxf(best, (1 - rvi_smoothstep(0.4f, 1, (z - level) / high)) *
                                  rvi_smoothstep(1, 6, depth / shallow));
    }
    return rvi_minf(best, 1);
}

static void take_layers(const rvi_cover_rules *rules, double x, double y, rvi_cover *cover) {
    const rv_terrain *land = rules->relief->land;
    float left = 1, sum[3] = {0, 0, 0}, coloured = 0;
    for (int k = land->layer_count - 1; k > 0 && left > 0.01f; k--) {
        const rvi_layer *layer = &land->layers[k];
        float thick = rvi_relief_field(rules->relief, layer->thickness, x, y);
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
    cover->layer = 1 - left;
    for (int c = 0; c < 3; c++)
        cover->layer_rgb[c] = coloured > 0.01f ? sum[c] / coloured : -1;
}

/* A share of all that is there becomes something else. */
static void cover_with(rvi_cover *cover, rvi_cover_kind with, float share) {
    for (int k = 0; k < RVI_COVER_KINDS; k++)
        cover->weight[k] *= 1 - share;
    cover->weight[with] += share;
}

static float snow_on(const rvi_cover_rules *rules, const rvi_cover *cover, float z, float s) {
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
static float woods(const rvi_cover_rules *rules, const rvi_cover *cover, double x, double y,
                   float up, float blur) {
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

rvi_cover rvi_cover_at(const rvi_cover_rules *rules, double x, double y, float z,
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
        cover.wood = woods(rules, &cover, x, y, up, blur) *
                     (0.2f + 0.8f * rvi_smoothstep(0.06f, 0.18f, s / rules->steep)) *
                     (1 - rvi_smoothstep(0.9f, 1.4f, s / rules->steep));
    if (rules->deposited && rules->deposited_most > 0) {
        float laid = rvi_relief_field(r, rules->deposited, x, y);
        if (rules->eroded)
            laid -= rvi_relief_field(r, rules->eroded, x, y);
        float share = rvi_smoothstep(0.1f, 0.6f, laid / rules->deposited_most + 0.12f * cover.fine);
        cover_with(&cover, RVI_COVER_SEDIMENT,
                   0.65f * share * (1 - rvi_smoothstep(0.8f, 1.2f, s / rules->steep)));
    }
    if (r->land->layer_count > 1) {
        take_layers(rules, x, y, &cover);
        cover_with(&cover, RVI_COVER_SEDIMENT, cover.layer);
    }
    if (rules->water && r->water)
        cover_with(&cover, RVI_COVER_SAND,
                   shore(rules, x, y, z) * (1 - rvi_smoothstep(0.3f, 0.6f, s)));
    cover.wet = wetness(rules, x, y, z);
    float snow = snow_on(rules, &cover, z, s);
    cover_with(&cover, RVI_COVER_SNOW, snow);
    cover.wet *= 1 - snow;
    return cover;
}
