/* georeference.h: where the land lies on a map. A file brings it, steps that change the size move
 * it, and files that are saved carry it on. */
#ifndef RVI_TERRAIN_GEOREFERENCE_H
#define RVI_TERRAIN_GEOREFERENCE_H

#include <ravine/ravine.h>

enum { RVI_GEO_KEYS = 256, RVI_GEO_DOUBLES = 64, RVI_GEO_TEXT = 2048 };

/* Lengths are in the unit of the map, which the projection says: metres, feet, degrees. All zero:
 * nothing is known. There are no gaps between the members, which are saved as they are. */
typedef struct rvi_georeference {
    double x, y;           /* of the centre of cell (0, 0): east and north */
    double step_x, step_y; /* to the next column eastwards and to the next row southwards; above 0,
                              or both 0: nothing is known */
    double nodata;         /* what the file had where there is no height; NaN or 0: not said */
    double doubles[RVI_GEO_DOUBLES];
    /* The projection, as it stood in the file: the three tags of GeoTIFF, or the text of a .prj. */
    uint16_t keys[RVI_GEO_KEYS];
    int32_t key_count, double_count;
    char text[RVI_GEO_TEXT]; /* ends with a zero byte, as does the next */
    char prj[RVI_GEO_TEXT];
} rvi_georeference;

static inline bool rvi_georeference_known(const rvi_georeference *g) {
    return g->step_x > 0.0;
}

/* Cell (0, 0) is now that of column and row before. */
static inline void rvi_georeference_shift(rvi_georeference *g, int column, int row) {
    g->x += column * g->step_x;
    g->y -= row * g->step_y;
}

/* Other cells from corner to corner. */
static inline void rvi_georeference_resize(rvi_georeference *g, int width, int height, int to_width,
                                           int to_height) {
    g->step_x *= width > 1 && to_width > 1 ? (double)(width - 1) / (double)(to_width - 1) : 1.0;
    g->step_y *= height > 1 && to_height > 1 ? (double)(height - 1) / (double)(to_height - 1) : 1.0;
}

/* Can it be what a file said? */
bool rvi_georeference_right(const rvi_georeference *g);

#endif
