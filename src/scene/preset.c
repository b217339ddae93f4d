/* preset.c: the table of presets. */
#include "scene/preset.h"

#include "base/context.h"
#include "mesh/remesh.h"
#include "scene/preset_shapes.h"

#include <string.h>

/* In metres: between rock and box there is no room for a particle, but they do not touch. */
#define GAP 0.005

enum { BOX_VERTICES = 8 };

typedef struct entry {
    rvi_preset preset;
    rvi_remesh remesh;
} entry;

#define WEARS .critical = 6, .rate = 4e-3f, .most = 0.3f, .limit = 0.035f
#define OPEN_EAST                                                                                  \
    {                                                                                              \
        { false, true }                                                                            \
    }

static const entry PRESETS[] = {
    {.preset = {.name = "dam_break",
                .sentence = "A column of water falls down in an empty box.",
                .high = {1.2, 0.4, 0.8},
                .particles = 12000,
                .spacing = 0.02f,
                .blocks = {{{0, 0, 0}, {0.4, 0.4, 0.6}}},
                .block_count = 1,
                WEARS,
                .azimuth = 200,
                .elevation = 20}},
    {.preset = {.name = "river",
                .sentence = "A winding river bed in a block of land.",
                .open = OPEN_EAST,
                .high = {1.9, 1.2, 0.9},
                .vertices = 2126 - BOX_VERTICES,
                .particles = 12125,
                .spacing = 0.016f,
                .sources = {{{0.03, 0.63, 0.335}, {0.016, 0.22, 0.13}, {1, 0, 0}, 5500}},
                .source_count = 1,
                WEARS,
                .azimuth = 155,
                .elevation = 38},
     .remesh = {.low = {GAP, GAP, GAP},
                .high = {1.8, 1.2 - GAP, 0.85},
                .cells = {27, 18, 12},
                .shape = rvi_shape_river,
                .length = rvi_length_river}},
    {.preset = {.name = "lake",
                .sentence = "A basin on a slope, which fills and runs over at its lip.",
                .open = OPEN_EAST,
                .high = {1.9, 1.4, 0.9},
                .vertices = 4538 - BOX_VERTICES,
                .particles = 12528,
                .spacing = 0.016f,
                .blocks = {{{0.45, 0.35, 0.20}, {1.15, 1.05, 0.365}}},
                .block_count = 1,
                .sources = {{{0.03, 0.61, 0.515}, {0.016, 0.16, 0.08}, {0.8f, 0, 0}, 2200}},
                .source_count = 1,
                WEARS,
                .azimuth = 135,
                .elevation = 38},
     .remesh = {.low = {GAP, GAP, GAP},
                .high = {1.8, 1.4 - GAP, 0.85},
                .cells = {27, 21, 12},
                .shape = rvi_shape_lake,
                .length = rvi_length_lake}},
    {.preset = {.name = "detailed_lake",
                .sentence = "The lake with smaller faces where water will flow.",
                .open = OPEN_EAST,
                .high = {1.9, 1.4, 0.9},
                .vertices = 6065 - BOX_VERTICES,
                .particles = 12096,
                .spacing = 0.016f,
                .blocks = {{{0.45, 0.35, 0.20}, {1.15, 1.05, 0.365}}},
                .block_count = 1,
                .sources = {{{0.03, 0.61, 0.515}, {0.016, 0.16, 0.08}, {0.8f, 0, 0}, 2200}},
                .source_count = 1,
                WEARS,
                .azimuth = 135,
                .elevation = 38},
     .remesh = {.low = {GAP, GAP, GAP},
                .high = {1.8, 1.4 - GAP, 0.85},
                .cells = {27, 21, 12},
                .shape = rvi_shape_lake,
                .length = rvi_length_detailed_lake}},
    {.preset = {.name = "tube",
                .sentence = "A cube with a bent tube through it, into which water pours.",
                .high = {1.5, 1.2, 1.3},
                .vertices = 2355 - BOX_VERTICES,
                .holes = 1,
                .particles = 12528,
                .spacing = 0.016f,
                .sources = {{{0.36, 0.53, 0.98}, {0.144, 0.144, 0.016}, {0, 0, -1.4f}, 6500}},
                .source_count = 1,
                WEARS,
                .azimuth = 180,
                .elevation = 18,
                .cut = 0.5f},
     .remesh = {.low = {0.1, 0.1, GAP},
                .high = {1.1, 1.1, 1.0 + GAP},
                .cells = {12, 12, 12},
                .shape = rvi_shape_tube,
                .length = rvi_length_tube}},
    {.preset = {.name = "two_sources",
                .sentence = "Two springs whose streams join.",
                .open = OPEN_EAST,
                .high = {1.9, 1.4, 0.9},
                .vertices = 4000,
                .particles = 12000,
                .spacing = 0.016f,
                .sources = {{{0.03, 0.22, 0.375}, {0.016, 0.14, 0.10}, {0.9f, 0.25f, 0}, 2300},
                            {{0.03, 1.04, 0.375}, {0.016, 0.14, 0.10}, {0.9f, -0.3f, 0}, 2300}},
                .source_count = 2,
                WEARS,
                .azimuth = 125,
                .elevation = 38},
     .remesh = {.low = {GAP, GAP, GAP},
                .high = {1.8, 1.4 - GAP, 0.85},
                .cells = {27, 21, 12},
                .shape = rvi_shape_two_sources,
                .length = rvi_length_two_sources}},
    {.preset = {.name = "arch",
                .sentence = "A stream through a natural arch in a fin of rock.",
                .open = OPEN_EAST,
                .high = {1.9, 1.2, 1.2},
                .vertices = 5000,
                .holes = 1,
                .particles = 12000,
                .spacing = 0.016f,
                .sources = {{{0.03, 0.56, 0.25}, {0.016, 0.18, 0.13}, {1, 0, 0}, 4500}},
                .source_count = 1,
                WEARS,
                .azimuth = 125,
                .elevation = 26},
     .remesh = {.low = {GAP, GAP, GAP},
                .high = {1.8, 1.2 - GAP, 1.15},
                .cells = {24, 16, 15},
                .shape = rvi_shape_arch,
                .length = rvi_length_arch}},
    {.preset = {.name = "cave",
                .sentence =
                    "Water falls through a narrow throat into a cave and finds its way out.",
                .open = OPEN_EAST,
                .high = {1.7, 1.2, 1.2},
                .vertices = 5000,
                .holes = 1,
                .particles = 12000,
                .spacing = 0.016f,
                .sources = {{{0.39, 0.54, 0.86}, {0.112, 0.112, 0.016}, {0, 0, -1.0f}, 3000}},
                .source_count = 1,
                WEARS,
                .azimuth = 180,
                .elevation = 16,
                .cut = 0.5f},
     .remesh = {.low = {GAP, GAP, GAP},
                .high = {1.3, 1.2 - GAP, 1.10},
                .cells = {18, 17, 16},
                .shape = rvi_shape_cave,
                .length = rvi_length_cave}},
};
enum { COUNT = sizeof PRESETS / sizeof PRESETS[0] };

size_t rvi_preset_count(void) {
    return COUNT;
}

const rvi_preset *rvi_preset_get(size_t number) {
    return &PRESETS[number].preset;
}

const rvi_preset *rvi_preset_find(const char *name) {
    for (size_t k = 0; k < COUNT; k++)
        if (strcmp(PRESETS[k].preset.name, name) == 0)
            return &PRESETS[k].preset;
    return NULL;
}

rvi_sph_desc rvi_preset_water(const rvi_preset *preset) {
    rvi_sph_desc desc = rvi_sph_desc_default();
    memcpy(desc.low, preset->low, sizeof desc.low);
    memcpy(desc.high, preset->high, sizeof desc.high);
    memcpy(desc.open, preset->open, sizeof desc.open);
    desc.spacing = preset->spacing;
    desc.most = preset->particles;
    return desc;
}

rv_status rvi_preset_rock(rv_context *ctx, const rvi_preset *preset, rv_mesh **out) {
    *out = NULL;
    if (preset->vertices == 0)
        return RV_OK;
    const entry *found = NULL;
    for (size_t k = 0; k < COUNT; k++)
        if (&PRESETS[k].preset == preset)
            found = &PRESETS[k];
    if (found == NULL)
        return rvi_fail(ctx, RV_ERROR_USAGE, "This preset is not in the table of presets.");
    rvi_remesh remesh = found->remesh;
    remesh.vertices = preset->vertices;
    return rvi_remesh_shape(ctx, &remesh, out);
}
