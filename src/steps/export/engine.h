/* engine.h: what game engines take: sizes, names, and the numbers that a person types there. */
#ifndef RVI_STEPS_EXPORT_ENGINE_H
#define RVI_STEPS_EXPORT_ENGINE_H

#include <ravine/ravine.h>

/* A map cut into tiles that share their edges. */
typedef struct rvi_export {
    rv_export_engine engine;
    int size;   /* samples along a side of a tile */
    int height; /* the same from north to south; other than `size` only where the engine takes it */
    int tiles;  /* along each side */
    double cell; /* metres */
    double low, high;
    bool exr; /* heights are written as .exr, too */
} rvi_export;

/* Is it a size that the engine takes? *nearest: the one nearest to it that it does. */
bool rvi_engine_takes(rv_export_engine engine, int size, int *nearest);
const char *rvi_engine_name(rv_export_engine engine);
/* What the height of a tile ends in: .png, .raw or .r16. */
const char *rvi_engine_extension(rv_export_engine engine);
bool rvi_engine_is_south_first(rv_export_engine engine);
bool rvi_engine_is_green_south(rv_export_engine engine); /* of normal maps */

/* Components and sections of a landscape of Unreal. */
typedef struct rvi_components {
    int quads, sections,
        count; /* of a section; sections along a component; components along a side */
} rvi_components;
bool rvi_unreal_components(int size, rvi_components *out);

/* What to type, as text; returns its length. */
enum { RVI_ENGINE_TEXT = 8192 };
size_t rvi_engine_text(const rvi_export *e, const char *masks, char out[RVI_ENGINE_TEXT]);

#endif
