/* hardness_volume.h: hardness of the bedrock as a function of x, y and z, from samples or from
 * noise. */
#ifndef RVI_TERRAIN_HARDNESS_VOLUME_H
#define RVI_TERRAIN_HARDNESS_VOLUME_H

#include "terrain/bands.h"

static inline bool rvi_volume_there(const rv_terrain *land) {
    return land->volume.slices > 0 || land->volume.octaves > 0;
}

/* Is some bedrock harder than other? */
static inline bool rvi_rock_differs(const rv_terrain *land) {
    return rvi_strata_there(land) || rvi_volume_there(land);
}

static inline size_t rvi_volume_samples(const rvi_hardness_volume *v) {
    return (size_t)v->slices * (size_t)v->rows * (size_t)v->columns;
}

/* 0 to 1 at a place; (0, 0) is the centre of the map's north-west cell. */
float rvi_volume_hardness(const rvi_hardness_volume *v, double x, double y, float z);

/* Where only a volume says how hard the ground is, the name of the field stands for that of the
 * bedrock where it ends: to be seen, saved and selected by. */
bool rvi_volume_shows(const rv_terrain *land, const char *name);
rv_status rvi_volume_surface(const rv_terrain *land, float *out); /* a number a cell */

/* Can it come from hardness? A file may hold anything. Samples are not looked at. */
bool rvi_volume_right(const rvi_hardness_volume *v);
/* Can no terrain hold so many samples? */
bool rvi_volume_too_large(uint64_t slices, uint64_t rows, uint64_t columns);

#endif
