/* maps.h: pictures of the land as other programs use them: one pixel a cell, no light. */
#ifndef RVI_PICTURE_MAPS_H
#define RVI_PICTURE_MAPS_H

#include "terrain/state.h"

typedef struct rvi_map {
    bool down;   /* normals: green is south, as DirectX has it; else north, as OpenGL */
    float z;     /* how much heights are exaggerated */
    float reach; /* occlusion: metres that count; NaN: a tenth of the longer side */
    float limit; /* curvature: 1/m that is white or black; field: the value that is white; NaN: that
                    of one cell in fifty, of a field among those above 0 */
    float snow;  /* splat: metres; NaN: by the land */
    bool dry;    /* splat: sand instead of grass, and no snow unless `snow` says so */
} rvi_map;

/* Three bytes a cell: 127.5 + 127.5 times east, north (or south) and up of the normal. */
rv_status rvi_map_normal(const rv_terrain *land, const rvi_map *map, unsigned char *rgb);
/* One byte a cell: 255 where all of the sky is seen. */
rv_status rvi_map_occlusion(const rv_terrain *land, const rvi_map *map, unsigned char *grey);
/* One byte a cell: 0 level, 255 upright, in even degrees. */
rv_status rvi_map_slope(const rv_terrain *land, const rvi_map *map, unsigned char *grey);
/* One byte a cell: 128 even, lighter on ridges, darker in valleys. */
rv_status rvi_map_curvature(const rv_terrain *land, const rvi_map *map, unsigned char *grey);
/* One byte a cell: 0 where the field or layer is 0 or less, 255 from the limit on. */
rv_status rvi_map_field(const rv_terrain *land, const rvi_map *map, const char *name,
                        unsigned char *grey);
/* Four bytes a cell that add up to 255: rock, grass, sediment and sand, snow (cover.h). */
rv_status rvi_map_splat(const rv_terrain *land, const rvi_map *map, unsigned char *rgba);
/* Three bytes a cell, sRGB: the colour of the ground in even light, as render has it. */
rv_status rvi_map_colour(const rv_terrain *land, const rvi_map *map, unsigned char *rgb);

#endif
