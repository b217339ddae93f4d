/* overlay.h: a field in colours, laid over the shaded land. */
#ifndef RVI_PICTURE_OVERLAY_H
#define RVI_PICTURE_OVERLAY_H

#include "picture/shade.h"

typedef struct rvi_overlay {
    rvi_light light;
    float limit;   /* the value with the strongest colour; NaN: chosen from the field */
    float opacity; /* 0: only the shaded land, 1: colours hide it most */
} rvi_overlay;

/* The field that the terrain lacks for `view`; NULL: none. "velocity" needs two fields, "layers"
 * none. */
const char *rvi_overlay_lacks(const rv_terrain *land, const char *view);

/* Three bytes a cell, red, green, blue. Nothing may be lacking. */
rv_status rvi_overlay_paint(const rv_terrain *land, const char *view, const rvi_overlay *how,
                            unsigned char *rgb);
/* Bytes it needs beside the picture. */
size_t rvi_overlay_memory(const rv_terrain *land, const char *view);

/* The value that 98 of 100 of those above 0 do not pass, to one part in 128; 0 when none is. */
rv_status rvi_overlay_limit(const rv_terrain *land, const float *values, float *limit);

/* The same from how many values above 0 begin with each upper 16 bits, up to infinity, and the
 * highest. */
enum { RVI_OVERLAY_BINS = 0x7f80 };
float rvi_overlay_limit_of(const uint64_t *counts, float highest);

#endif
