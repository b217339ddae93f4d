/* palette_cell.h: how the colours of a palette are mixed at a place, for the processor and for
 * devices. All are linear light; those of the ground are how much of the light it gives back. */
#ifndef RVI_PICTURE_PALETTE_CELL_H
#define RVI_PICTURE_PALETTE_CELL_H

#include "base/random.h"
#include "picture/cover_cell.h"
#include "picture/shade_cell.h"
#include "picture/sky_cell.h"
#include "terrain/band_cell.h"

typedef enum rvi_look {
    RVI_LOOK_ALPINE, /* grass, rock and snow */
    RVI_LOOK_DESERT, /* sand and banded rock */
    RVI_LOOK_CLAY,   /* one plain colour, to judge the shape */
    RVI_LOOK_MAP,    /* tints by height, and contours */
    RVI_LOOKS
} rvi_look;

typedef struct rvi_palette {
    float rock[2][3], grass[2][3], brown[3], wood[3]; /* darker and lighter */
    float sediment[3], snow[3], sand[3];
    float cut[2][3]; /* walls: bands by turns */
    float floor[3];  /* what the block stands on */
    float water[3];  /* deep water */
    rvi_sky sky;
    float sun_altitude;
    float haze;  /* how much at the far end of the block */
    float bumps; /* how rough the ground looks */
    float exposure;
    int dry; /* sand where other lands have grass */
} rvi_palette;

/* How hard the bedrock is in three dimensions, `x` and `y` in metres. */
#ifdef __OPENCL_VERSION__
static inline float rvi_palette_volume(const rvi_cover_rules *rules, double x, double y, float z) {
    return 0; /* pictures of such land are left to the processor */
}
#else
float rvi_palette_volume(const rvi_cover_rules *rules, double x, double y, float z);
#endif

static inline void rvi_palette_blend(float to[3], const float from[3], float share) {
    for (int c = 0; c < 3; c++)
        to[c] += share * (from[c] - to[c]);
}

/* ---- bands ---- */

static inline float rvi_palette_shade_of(int64_t band, uint64_t which) {
    return 2 * rvi_unit(rvi_random(which, (uint64_t)band, 7)) - 1;
}

/* Bands of one thickness with shades by chance, their edges `blur` wide. */
static inline float rvi_palette_banded(float at, float blur, uint64_t which) {
    float whole = rvi_floorf(at), part = at - whole;
    float wide = rvi_clampf(blur, 0.12f, 1);
    float here = rvi_palette_shade_of((int64_t)whole, which),
          next = rvi_palette_shade_of((int64_t)whole + 1, which);
    float shade = here + rvi_smoothstep(1 - wide, 1, part) * (next - here);
    return shade * (1 - rvi_smoothstep(0.5f, 2, blur));
}

/* Bands in the rock: those of the terrain, or where it has none of its own `thick` metres each and
 * bent by `bend` of them; or how hard it is in three dimensions; -1 to 1. `blur` metres are seen as
 * one. */
static inline float rvi_palette_bands(const rvi_cover_rules *rules, double x, double y, float z,
                                      float thick, float bend, float blur) {
    if (rules->edges) {
        float above = z - rvi_relief_field(rules->relief, rules->edges, x, y), span = 0.5f * blur;
        float soft =
            rvi_band_soft(rules->band_edge, rules->band_soft, rules->band_thickness, above - span) +
            rvi_band_soft(rules->band_edge, rules->band_soft, rules->band_thickness, above + span);
        float which =
            rvi_palette_banded(above / rules->band_thickness, blur / rules->band_thickness, 3);
        return rvi_clampf(1.5f * (1 - 0.5f * soft) / rules->band_hardness - 0.7f + 0.35f * which,
                          -1, 1);
    }
    if (rules->volume) { /* solids have none */
        double cell = (double)rules->relief->cell;
        return rvi_clampf(2 * rvi_palette_volume(rules, x * cell, y * cell, z) - 0.9f, -1, 1);
    }
    float at = z / thick + bend;
    return 0.65f * rvi_palette_banded(at, blur / thick, 1) +
           0.35f * rvi_palette_banded(at * 3.7f, 3.7f * blur / thick, 2);
}

/* ---- the ground ---- */

/* A stream is lighter than deep water: one sees its bed. */
RVI_CONSTANT float RVI_STREAM_LIGHT = 2.5f;

/* The ground, `bands` of it as of rvi_palette_bands. */
static inline void rvi_palette_ground(const rvi_palette *palette, const rvi_cover *cover,
                                      float bands, float out[3]) {
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
    rvi_palette_blend(grass, palette->brown, 0.8f * cover->brown);
    rvi_palette_blend(grass, palette->wood, cover->wood);
    if (cover->layer > 0 && cover->layer_rgb[0] >= 0)
        rvi_palette_blend(sediment, cover->layer_rgb, 1);
    float seen = 0.65f * rvi_smoothstep(0.3f, 1, cover->wet);
    for (int c = 0; c < 3; c++) {
        float stream = RVI_STREAM_LIGHT * palette->water[c];
        float ground = w[RVI_COVER_ROCK] * rock[c] + w[RVI_COVER_GRASS] * grass[c] +
                       w[RVI_COVER_SEDIMENT] * sediment[c] + w[RVI_COVER_SAND] * sand[c];
        ground = rvi_maxf(0, ground * (1 - 0.45f * cover->wet));
        out[c] = ground + seen * (stream - ground) + w[RVI_COVER_SNOW] * palette->snow[c];
    }
}

/* A cut `depth` metres below the surface. */
static inline void rvi_palette_cut(const rvi_palette *palette, const rvi_cover_rules *rules,
                                   double x, double y, float z, float depth, float blur,
                                   float out[3]) {
    float above = depth;
    for (int k = rules->layers - 1; k > 0; k--) {
        float thick = rvi_relief_field(rules->relief, rvi_cover_thickness(rules, k), x, y);
        if (above < thick) {
            for (int c = 0; c < 3; c++)
                out[c] = palette->sediment[c];
            if (rvi_cover_colour(rules, k) != 0)
                rvi_linear_from_bytes(rvi_cover_colour(rules, k), out);
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
    float shade = rules->layers > 1 ? 1 : 0.62f + 0.38f * rvi_smoothstep(0.5f * soil, soil, depth);
    for (int c = 0; c < 3; c++)
        out[c] *= shade;
}

/* ---- the map ---- */

RVI_CONSTANT float RVI_STEP_TIMES[3] = {2, 2.5f, 2};

/* 1, 2 or 5 times a power of ten, so that about `count` fit into the relief. */
static inline float rvi_palette_nice_step(float relief, float count) {
    float want = rvi_maxf(relief, 1e-6f) / count, step = 1e-6f;
    for (int k = 0; step < want && k < 60; k++)
        step *= RVI_STEP_TIMES[k % 3];
    return step;
}

static inline float rvi_palette_line(float z, float step, float blur, float wide) {
    float at = z / step, off = fabsf(at - rvi_floorf(at + 0.5f)) * step;
    float reach = 0.5f * wide * blur;
    float share = rvi_clampf((reach + 0.5f * blur - off) / rvi_maxf(blur, 1e-6f), 0, 1);
    return share * (1 - rvi_smoothstep(0.12f, 0.4f, blur * wide / step));
}

/* Tints by height with contours; `blur` is the height that a pixel spans. */
static inline void rvi_palette_map(const rvi_cover_rules *rules, float z, float blur,
                                   float out[3]) {
    float rgb[3], line[3] = {0.10f, 0.065f, 0.035f};
    float height = (z - rules->relief->low) / rvi_maxf(rules->relief_of, 1e-6f);
    for (int c = 0; c < 3; c++)
        rgb[c] = rvi_shade_part(height, c);
    for (int c = 0; c < 3; c++) {
        float v = 0.8f * rgb[c] / 255 + 0.2f * (rgb[0] + rgb[1] + rgb[2]) / 765;
        out[c] = v * v * (0.8f + 0.2f * v);
    }
    float step = rvi_palette_nice_step(rules->relief_of, 24);
    float dark = rvi_maxf(0.38f * rvi_palette_line(z, step, blur, 1),
                          0.62f * rvi_palette_line(z, 5 * step, blur, 1.8f));
    if (rules->relief_of > 0)
        rvi_palette_blend(out, line, dark);
}

#endif
