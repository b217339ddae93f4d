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
#include "terrain/hardness_volume.h"

#include <math.h>

enum { BINS = 256, GRID = RVI_COVER_GRID };

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
                       rules->memory + (size_t)y * (size_t)land->width);
}

static rv_status find_bands(const rvi_picture_maker *maker, rvi_cover_rules *rules) {
    const rv_terrain *land = rules->relief->land;
    if (!rvi_strata_there(land))
        return RV_OK;
    rules->edges = rules->memory =
        rvi_alloc(land->ctx, rvi_cells(land), sizeof(float), "the bands of a picture");
    return !rules->edges ? RV_ERROR_MEMORY
           : maker       ? maker->edges(maker->arg, land, rules->memory)
                         : rvi_parallel_rows(land->ctx, land->height, edge_rows, rules);
}

void rvi_cover_release(rvi_cover_rules *rules) {
    if (rules->relief)
        rvi_free(rules->relief->land->ctx, rules->memory);
    rules->edges = rules->memory = NULL;
}

static rv_status find_limit(const rvi_picture_maker *maker, const rv_terrain *land,
                            const float *values, float *out) {
    return !values ? RV_OK
           : maker ? maker->limit(maker->arg, land, values, out)
                   : rvi_overlay_limit(land, values, out);
}

rv_status rvi_cover_prepare(const rvi_relief *r, const rvi_detail_noise *detail, float snow,
                            bool dry, const rvi_picture_maker *maker, rvi_cover_rules *out) {
    const rv_terrain *land = r->land;
    rvi_cover_rules rules = {
        .relief = r, .detail = detail, .dry = dry, .relief_of = r->high - r->low};
    rules.layers = land->layer_count;
    rules.volume = rvi_volume_there(land);
    rules.band_edge = land->strata.edge;
    rules.band_soft = land->strata.soft;
    rules.band_thickness = land->strata.thickness;
    rules.band_hardness = land->strata.hardness;
    rules.patch = (float)rvi_maxi(r->width, r->height) / 9;
    rules.flow = rvi_field_get(land, "flow");
    rules.deposited = rvi_field_get(land, "deposited");
    rules.eroded = rvi_field_get(land, "eroded");
    rules.water = rvi_field_get(land, "water");
    rv_status status = find_limit(maker, land, rules.flow, &rules.flow_most);
    if (status == RV_OK)
        status = find_limit(maker, land, rules.deposited, &rules.deposited_most);
    if (status == RV_OK)
        status = find_bands(maker, &rules);
    find_lines(&rules, snow);
    *out = rules;
    if (status != RV_OK)
        rvi_cover_release(out);
    return status;
}

/* ---- for a place ---- */

const float *rvi_cover_thickness(const rvi_cover_rules *rules, int layer) {
    return rules->relief->land->layers[layer].thickness;
}

uint32_t rvi_cover_colour(const rvi_cover_rules *rules, int layer) {
    return rules->relief->land->layers[layer].colour;
}

rvi_cover_numbers rvi_cover_numbers_of(const rvi_cover_rules *r) {
    return (rvi_cover_numbers){.snow = r->snow,
                               .grass = r->grass,
                               .valley = r->valley,
                               .steep = r->steep,
                               .relief_of = r->relief_of,
                               .patch = r->patch,
                               .flow_most = r->flow_most,
                               .deposited_most = r->deposited_most,
                               .band_thickness = r->band_thickness,
                               .band_hardness = r->band_hardness,
                               .dry = r->dry,
                               .layers = r->layers,
                               .volume = r->volume};
}
