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

float rvi_palette_volume(const rvi_cover_rules *rules, double x, double y, float z) {
    return rvi_volume_hardness(&rules->relief->land->volume, x, y, z);
}
