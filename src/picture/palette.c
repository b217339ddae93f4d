/* palette.c: palettes, and how they are mixed. */
#include "picture/palette.h"
#include "base/math.h"
#include "base/random.h"
#include "picture/shade.h"
#include "terrain/hardness_volume.h"

#include <math.h>
#include <string.h>

static const rvi_palette PALETTES[] = {
    [RVI_LOOK_ALPINE] = {.rock = {{0.125f, 0.118f, 0.112f}, {0.29f, 0.275f, 0.255f}},
                         .grass = {{0.052f, 0.070f, 0.024f}, {0.088f, 0.098f, 0.038f}},
                         .brown = {0.135f, 0.105f, 0.055f},
                         .wood = {0.016f, 0.027f, 0.013f},
                         .sediment = {0.275f, 0.245f, 0.185f},
                         .snow = {0.86f, 0.885f, 0.92f},
                         .sand = {0.42f, 0.355f, 0.25f},
                         .cut = {{0.085f, 0.069f, 0.057f}, {0.205f, 0.174f, 0.141f}},
                         .floor = {0.235f, 0.235f, 0.235f},
                         .water = {0.010f, 0.045f, 0.062f},
                         .sky = {.sunlight = {3.6f, 3.35f, 3.0f},
                                 .zenith = {0.16f, 0.33f, 0.72f},
                                 .horizon = {0.58f, 0.69f, 0.83f},
                                 .glow = 0.16f},
                         .sun_altitude = 33,
                         .haze = 0.36f,
                         .bumps = 1,
                         .exposure = 0.66f},
    [RVI_LOOK_DESERT] = {.rock = {{0.24f, 0.085f, 0.040f}, {0.52f, 0.27f, 0.135f}},
                         .grass = {{0.10f, 0.095f, 0.045f}, {0.19f, 0.16f, 0.08f}},
                         .brown = {0.34f, 0.21f, 0.115f},
                         .sediment = {0.45f, 0.275f, 0.155f},
                         .snow = {0.86f, 0.885f, 0.92f},
                         .sand = {0.47f, 0.285f, 0.155f},
                         .cut = {{0.215f, 0.082f, 0.043f}, {0.37f, 0.195f, 0.107f}},
                         .floor = {0.23f, 0.215f, 0.195f},
                         .water = {0.012f, 0.050f, 0.055f},
                         .sky = {.sunlight = {3.8f, 3.3f, 2.75f},
                                 .zenith = {0.18f, 0.34f, 0.66f},
                                 .horizon = {0.82f, 0.78f, 0.72f},
                                 .glow = 0.16f},
                         .sun_altitude = 27,
                         .haze = 0.26f,
                         .bumps = 0.9f,
                         .exposure = 0.58f,
                         .dry = true},
    [RVI_LOOK_CLAY] = {.rock = {{0.37f, 0.345f, 0.315f}, {0.37f, 0.345f, 0.315f}},
                       .cut = {{0.245f, 0.225f, 0.205f}, {0.29f, 0.27f, 0.245f}},
                       .floor = {0.26f, 0.255f, 0.25f},
                       .water = {0.055f, 0.10f, 0.13f},
                       .sky = {.sunlight = {2.9f, 2.75f, 2.55f},
                               .zenith = {0.36f, 0.43f, 0.55f},
                               .horizon = {0.80f, 0.81f, 0.82f},
                               .glow = 0.06f},
                       .sun_altitude = 32,
                       .haze = 0.10f,
                       .bumps = 0,
                       .exposure = 0.58f},
    [RVI_LOOK_MAP] = {.cut = {{0.42f, 0.38f, 0.33f}, {0.50f, 0.46f, 0.41f}},
                      .floor = {0.40f, 0.395f, 0.385f},
                      .water = {0.10f, 0.24f, 0.38f},
                      .sky = {.sunlight = {2.1f, 2.05f, 1.95f},
                              .zenith = {0.62f, 0.66f, 0.72f},
                              .horizon = {0.86f, 0.87f, 0.87f},
                              .glow = 0.03f},
                      .sun_altitude = 42,
                      .haze = 0.04f,
                      .bumps = 0,
                      .exposure = 0.58f},
};

const rvi_palette *rvi_palette_of(rvi_look look) {
    return &PALETTES[look];
}

const char *const rvi_palette_names = "rock rock_dark grass grass_dark dry_grass wood sediment "
                                      "snow sand cut cut_dark floor water sky "
                                      "horizon sunlight";

bool rvi_palette_set(rvi_palette *p, const char *name, uint32_t rgb) {
    const struct {
        const char *name;
        float *to;
    } colours[] = {
        {"rock", p->rock[1]},        {"rock_dark", p->rock[0]}, {"grass", p->grass[1]},
        {"grass_dark", p->grass[0]}, {"dry_grass", p->brown},   {"wood", p->wood},
        {"sediment", p->sediment},   {"snow", p->snow},         {"sand", p->sand},
        {"cut", p->cut[1]},          {"cut_dark", p->cut[0]},   {"floor", p->floor},
        {"water", p->water},         {"sky", p->sky.zenith},    {"horizon", p->sky.horizon}};
    float linear[3];
    rvi_linear_from_bytes(rgb, linear);
    for (size_t k = 0; k < sizeof colours / sizeof colours[0]; k++)
        if (strcmp(name, colours[k].name) == 0) {
            memcpy(colours[k].to, linear, sizeof linear);
            return true;
        }
    if (strcmp(name, "sunlight") != 0)
        return false;
    /* As bright as it was, in another colour. */
    float most = rvi_maxf(rvi_maxf(linear[0], linear[1]), rvi_maxf(linear[2], 0.01f));
    float bright = p->sky.sunlight[0];
    for (int c = 0; c < 3; c++)
        p->sky.sunlight[c] = bright * linear[c] / most;
    return true;
}

static void blend(float to[3], const float from[3], float share) {
    for (int c = 0; c < 3; c++)
        to[c] += share * (from[c] - to[c]);
}

/* ---- bands ---- */

static float shade_of(int64_t band, uint64_t which) {
    return 2 * rvi_unit(rvi_random(which, (uint64_t)band, 7)) - 1;
}

/* Bands of one thickness with shades by chance, their edges `blur` wide. */
static float banded(float at, float blur, uint64_t which) {
    float whole = rvi_floorf(at), part = at - whole;
    float wide = rvi_clampf(blur, 0.12f, 1);
    float here = shade_of((int64_t)whole, which), next = shade_of((int64_t)whole + 1, which);
    float shade = here + rvi_smoothstep(1 - wide, 1, part) * (next - here);
    return shade * (1 - rvi_smoothstep(0.5f, 2, blur));
}

float rvi_palette_bands(const rvi_cover_rules *rules, double x, double y, float z, float thick,
                        float bend, float blur) {
    if (rules->edges) {
        const rvi_strata *s = &rules->relief->land->strata;
        float above = z - rvi_relief_field(rules->relief, rules->edges, x, y), half = 0.5f * blur;
        float soft = rvi_strata_band(s, above - half) + rvi_strata_band(s, above + half);
        float which = banded(above / s->thickness, blur / s->thickness, 3);
        return rvi_clampf(1.5f * (1 - 0.5f * soft) / s->hardness - 0.7f + 0.35f * which, -1, 1);
    }
    const rv_terrain *land = rules->relief ? rules->relief->land : NULL; /* solids have none */
    if (land && rvi_volume_there(land)) {
        double cell = (double)rules->relief->cell;
        float hard = rvi_volume_hardness(&land->volume, x * cell, y * cell, z);
        return rvi_clampf(2 * hard - 0.9f, -1, 1);
    }
    float at = z / thick + bend;
    return 0.65f * banded(at, blur / thick, 1) + 0.35f * banded(at * 3.7f, 3.7f * blur / thick, 2);
}

/* ---- the ground ---- */

/* A stream is lighter than deep water: one sees its bed. */
static const float STREAM_LIGHT = 2.5f;

void rvi_palette_ground(const rvi_palette *palette, const rvi_cover *cover, float bands,
                        float out[3]) {
    const float *w = cover->weight;
    float rock[3], grass[3], sediment[3], sand[3];
    float light =
        rvi_clampf(0.5f + 0.28f * bands + 0.22f * cover->patch + 0.25f * cover->fine, 0, 1);
    float meadow = rvi_clampf(0.5f + 0.5f * cover->patch + 0.3f * cover->fine, 0, 1);
    for (int c = 0; c < 3; c++) {
        rock[c] = palette->rock[0][c] + light * (palette->rock[1][c] - palette->rock[0][c]);
        grass[c] = palette->grass[0][c] + meadow * (palette->grass[1][c] - palette->grass[0][c]);
        sediment[c] = palette->sediment[c] * (1 + 0.12f * cover->fine);
        sand[c] = palette->sand[c] * (1 + 0.07f * cover->fine + 0.06f * cover->patch);
    }
    blend(grass, palette->brown, 0.8f * cover->brown);
    blend(grass, palette->wood, cover->wood);
    if (cover->layer > 0 && cover->layer_rgb[0] >= 0)
        blend(sediment, cover->layer_rgb, 1);
    float seen = 0.65f * rvi_smoothstep(0.3f, 1, cover->wet);
    for (int c = 0; c < 3; c++) {
        float stream = STREAM_LIGHT * palette->water[c];
        float ground = w[RVI_COVER_ROCK] * rock[c] + w[RVI_COVER_GRASS] * grass[c] +
                       w[RVI_COVER_SEDIMENT] * sediment[c] + w[RVI_COVER_SAND] * sand[c];
        ground = rvi_maxf(0, ground * (1 - 0.45f * cover->wet));
        out[c] = ground + seen * (stream - ground) + w[RVI_COVER_SNOW] * palette->snow[c];
    }
}

void rvi_palette_cut(const rvi_palette *palette, const rvi_cover_rules *rules, double x, double y,
                     float z, float depth, float blur, float out[3]) {
    const rv_terrain *land = rules->relief->land;
    float above = depth;
    for (int k = land->layer_count - 1; k > 0; k--) {
        const rvi_layer *layer = &land->layers[k];
        float thick = rvi_relief_field(rules->relief, layer->thickness, x, y);
        if (above < thick) {
            for (int c = 0; c < 3; c++)
                out[c] = palette->sediment[c];
            if (layer->colour != 0)
                rvi_linear_from_bytes(layer->colour, out);
            return;
        }
        above -= thick;
    }
    float thick = (rules->relief->high - rules->relief->base) / 13;
    float bend = 0.9f * rvi_detail_noise_sum(rules->detail, (float)x / (2 * rules->patch) + 9.3f,
                                             (float)y / (2 * rules->patch) + 4.4f, 2, 0.4f);
    float bands = rvi_palette_bands(rules, x, y, z, thick, bend, blur);
    float light = rvi_clampf(0.5f + 0.5f * bands, 0, 1);
    for (int c = 0; c < 3; c++)
        out[c] = palette->cut[0][c] + light * (palette->cut[1][c] - palette->cut[0][c]);
    /* Weathered ground below the surface is darker. */
    float soil = (rules->relief->high - rules->relief->base) / 45;
    float shade =
        land->layer_count > 1 ? 1 : 0.62f + 0.38f * rvi_smoothstep(0.5f * soil, soil, depth);
    for (int c = 0; c < 3; c++)
        out[c] *= shade;
}

/* ---- the map ---- */

/* 1, 2 or 5 times a power of ten, so that about `count` fit into the relief. */
static float nice_step(float relief, float count) {
    float want = rvi_maxf(relief, 1e-6f) / count, step = 1e-6f;
    static const float times[] = {2, 2.5f, 2};
    for (int k = 0; step < want && k < 60; k++)
        step *= times[k % 3];
    return step;
}

static float line(float z, float step, float blur, float wide) {
    float at = z / step, off = fabsf(at - rvi_floorf(at + 0.5f)) * step;
    float half = 0.5f * wide * blur;
    float share = rvi_clampf((half + 0.5f * blur - off) / rvi_maxf(blur, 1e-6f), 0, 1);
    return share * (1 - rvi_smoothstep(0.12f, 0.4f, blur * wide / step));
}

void rvi_palette_map(const rvi_cover_rules *rules, float z, float blur, float out[3]) {
    float rgb[3];
    rvi_shade_colour((z - rules->relief->low) / rvi_maxf(rules->relief_of, 1e-6f), rgb);
    for (int c = 0; c < 3; c++) {
        float v = 0.8f * rgb[c] / 255 + 0.2f * (rgb[0] + rgb[1] + rgb[2]) / 765;
        out[c] = v * v * (0.8f + 0.2f * v);
    }
    float step = nice_step(rules->relief_of, 24);
    float dark = rvi_maxf(0.38f * line(z, step, blur, 1), 0.62f * line(z, 5 * step, blur, 1.8f));
    if (rules->relief_of > 0)
        blend(out, (float[3]){0.10f, 0.065f, 0.035f}, dark);
}
