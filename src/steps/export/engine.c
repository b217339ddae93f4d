/* engine.c: what game engines take.
 *
 * Unreal: a landscape has (quads x sections) x components + 1 samples along a side, of quads 7, 15,
 * 31, 63, 127, 255, sections 1 or 2, components up to 32. A level v of a 16-bit picture stands for
 * (v - 32768) / 128 x (scale in z) centimetres above the actor.
 * Unity: 2^n + 1 samples from 33 to 4097, 16 bit, little-endian, south row first.
 * Godot (Terrain3D): any size, north row first, floats in metres as .exr, or 16 bit, little-endian;
 * HTerrain: 2^n + 1, 16 bit. */
#include "steps/export/engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"

const char *rvi_engine_name(rv_export_engine engine) {
    static const char *const names[] = {[RV_export_engine_unreal] = "unreal",
                                        [RV_export_engine_unity] = "unity",
                                        [RV_export_engine_godot] = "godot",
                                        [RV_export_engine_raw] = "raw"};
    return names[engine];
}

const char *rvi_engine_extension(rv_export_engine engine) {
    return engine == RV_export_engine_unreal  ? ".png"
           : engine == RV_export_engine_unity ? ".raw"
                                              : ".r16";
}

bool rvi_engine_is_south_first(rv_export_engine engine) {
    return engine == RV_export_engine_unity;
}

bool rvi_engine_is_green_south(rv_export_engine engine) {
    return engine == RV_export_engine_unreal;
}

/* Sections of 63 x 63, two along a component, are what Epic recommends; then larger ones. */
bool rvi_unreal_components(int size, rvi_components *out) {
    static const int quads[] = {63, 127, 255, 31, 15, 7};
    for (int sections = 2; sections >= 1; sections--)
        for (int q = 0; q < 6; q++) {
            int side = quads[q] * sections;
            if (size > 1 && (size - 1) % side == 0 && (size - 1) / side <= 32) {
                *out = (rvi_components){quads[q], sections, (size - 1) / side};
                return true;
            }
        }
    return false;
}

static int distance(int a, int b) {
    return a < b ? b - a : a - b;
}

bool rvi_engine_takes(rv_export_engine engine, int size, int *nearest) {
    static const int unreal[] = {127, 253, 505, 1009, 2017, 4033, 8129, 0};
    static const int unity[] = {33, 65, 129, 257, 513, 1025, 2049, 4097, 0};
    const int *list = engine == RV_export_engine_unreal  ? unreal
                      : engine == RV_export_engine_unity ? unity
                                                         : NULL;
    rvi_components components;
    *nearest = size;
    if (!list)
        return true;
    if (engine == RV_export_engine_unreal && rvi_unreal_components(size, &components))
        return true;
    *nearest = list[0];
    for (int i = 0; list[i] != 0; i++)
        if (distance(list[i], size) < distance(*nearest, size))
            *nearest = list[i];
    return *nearest == size;
}

/* ---- the text ---- */

typedef struct page {
    char *out;
    size_t used;
} page;

static void say(page *p, const char *format, ...) RVI_PRINTF(2, 3);

static void say(page *p, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int size = vsnprintf(p->out + p->used, RVI_ENGINE_TEXT - p->used, format, list);
    va_end(list);
    p->used += size > 0 ? (size_t)size : 0;
    p->used = p->used < RVI_ENGINE_TEXT ? p->used : RVI_ENGINE_TEXT - 1;
}

static void say_unreal(page *p, const rvi_export *e) {
    rvi_components c = {0};
    double range = e->high - e->low, scale = range * 100.0 * 128.0 / 65535.0;
    rvi_unreal_components(e->size, &c);
    say(p,
        "Landscape mode, Manage, New or Import: Import from File, Heightmap File %s.\n"
        "  Section Size             %d x %d quads\n"
        "  Sections Per Component   %d x %d\n"
        "  Number of Components     %d x %d\n"
        "  Overall Resolution       %d x %d\n"
        "  Location Z               %.6f\n"
        "  Scale                    X %.6f, Y %.6f, Z %.6f\n"
        "With these a height in metres, times 100, is its Z in Unreal.\n"
        "Layers: one .png each, land_weight_*.png, as the Layer File of its Layer Info.\n",
        e->tiles > 1 ? "land_x0_y0.png (the others are found by their names)" : "land.png", c.quads,
        c.quads, c.sections, c.sections, c.count * e->tiles, c.count * e->tiles,
        e->tiles * (e->size - 1) + 1, e->tiles * (e->size - 1) + 1, e->low * 100.0 + 256.0 * scale,
        100.0 * e->cell, 100.0 * e->cell, scale);
}

static void say_unity(page *p, const rvi_export *e) {
    double side = (e->size - 1) * e->cell;
    say(p,
        "Terrain Settings, Texture Resolutions: Heightmap Resolution %d x %d.\n"
        "Import Raw (land%s.raw):\n"
        "  Depth                    Bit 16\n"
        "  Resolution               %d x %d\n"
        "  Byte Order               Windows\n"
        "  Flip Vertically          off\n"
        "  Terrain Size             X %.6f, Y %.6f, Z %.6f\n"
        "Transform, Position        Y %.6f\n",
        e->size, e->size, e->tiles > 1 ? "_X_Z" : "", e->size, e->size, side, e->high - e->low,
        side, e->low);
    if (e->tiles > 1)
        say(p,
            "Tiles: land_X_Z.raw, X counted to the east, Z to the north, both from 0, which share "
            "the\n"
            "samples along their edges; tile X, Z is at\n"
            "  Position                 X = %.6f times X, Z = %.6f times Z\n",
            side, side);
    say(p, "Layers: land_splat*.png holds rock, grass, sediment and snow as red, green, blue and "
           "alpha,\n"
           "and land_weight_*.png one of them each.\n");
}

static void say_godot(page *p, const rvi_export *e) {
    int nearest;
    bool fits = rvi_engine_takes(RV_export_engine_unity, e->size, &nearest) && e->size == e->height;
    const char *tile = e->tiles > 1 ? "_x0_y0" : "";
    say(p, "Terrain3D, importer:\n");
    if (e->exr)
        say(p,
            "  Height File Name         land%s.exr, which is in metres; or land%s.r16, with the\n"
            "                           size and the range that follow\n",
            tile, tile);
    else
        say(p, "  Height File Name         land%s.r16\n", tile);
    say(p,
        "  R16 Size                 %d, %d\n"
        "  R16 Range                %.6f, %.6f\n"
        "  Import Scale             1\n"
        "  Height Offset            0\n"
        "  Vertex Spacing           %.6f (of the Terrain3D node)\n",
        e->size, e->height, e->low, e->high, e->cell);
    if (e->tiles > 1)
        say(p, "  Import Position          tile xI_yJ: I times %d, 0, J times %d\n", e->size - 1,
            e->height - 1);
    if (fits)
        say(p,
            "HTerrain: terrain resolution %d, import land.r16 as RAW 16 bit, little-endian,\n"
            "  min height %.6f, max height %.6f, map scale %.6f\n",
            e->size, e->low, e->high, e->cell);
    else
        say(p, "HTerrain takes 513, 1025, 2049 or 4097 samples along a side, not %d.\n", e->size);
}

static void say_raw(page *p, const rvi_export *e) {
    say(p,
        "land%s.r16: %d x %d samples, unsigned 16 bit, little-endian, no header, north row first.\n"
        "  A level v stands for     %.6f + v * %.9g metres\n",
        e->tiles > 1 ? "_x0_y0 and so on" : "", e->size, e->height, e->low,
        (e->high - e->low) / 65535.0);
}

size_t rvi_engine_text(const rvi_export *e, const char *masks, char out[RVI_ENGINE_TEXT]) {
    page p = {out, 0};
    say(&p,
        "Ravine " RV_VERSION ", for %s. Type these numbers.\n\n"
        "%d x %d samples%s, %.6g m apart: %.6g x %.6g m. Heights %.6f to %.6f m.\n\n",
        rvi_engine_name(e->engine), e->size, e->height, e->tiles > 1 ? " a tile" : "", e->cell,
        e->tiles * (e->size - 1) * e->cell, e->tiles * (e->height - 1) * e->cell, e->low, e->high);
    if (e->tiles > 1 && e->engine != RV_export_engine_unity)
        say(&p,
            "%d x %d tiles, which share the samples along their edges: xI_yJ is column I from the "
            "west, row J from\nthe north.\n\n",
            e->tiles, e->tiles);
    void (*const pages[])(page *, const rvi_export *) = {[RV_export_engine_unreal] = say_unreal,
                                                         [RV_export_engine_unity] = say_unity,
                                                         [RV_export_engine_godot] = say_godot,
                                                         [RV_export_engine_raw] = say_raw};
    pages[e->engine](&p, e);
    say(&p,
        "\nland_normal*.png: normals, red is east, green is %s, blue is up.\n"
        "trees.csv, trees.json: places of trees in metres: x east and y south of the north-west "
        "sample, z up,\nand the height of the tree. Masks, white from the value named here on: "
        "%s.\n",
        rvi_engine_is_green_south(e->engine) ? "south (DirectX)" : "north (OpenGL)",
        masks[0] != '\0' ? masks : "none");
    return p.used;
}
