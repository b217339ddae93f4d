/* view.h: a perspective picture of the land. */
#ifndef RVI_PICTURE_VIEW_H
#define RVI_PICTURE_VIEW_H

#include "picture/camera.h"
#include "picture/palette.h"

/* NaN: chosen by the land and the look. */
typedef struct rvi_view {
    rvi_look look;
    rvi_shot shot;                   /* its azimuth may be NaN */
    float sun_azimuth, sun_altitude; /* degrees */
    float snow;                      /* metres */
    float haze;                      /* times that of the look */
    const rvi_palette *palette;      /* NULL: that of the look */
    bool endless;                    /* no block: the land goes on, mirrored, into the haze */
    float trees;                     /* metres, of a grown tree; 0: woods are only a colour */
    rvi_own_image sky;               /* all 0: a clear sky */
    rvi_normal_map normals;          /* all 0: none */
} rvi_view;

/* A tree that is lower than so many pixels, at the middle of the picture, is only a colour. */
enum { RVI_TREE_PIXELS = 5 };

/* Three bytes a pixel, red, green, blue. */
rv_status rvi_view_draw(const rv_terrain *land, const rvi_view *view, unsigned char *rgb);
/* Bytes it needs beside the picture. */
size_t rvi_view_memory(const rv_terrain *land, const rvi_view *view);
/* How deep the block goes below the lowest point. */
float rvi_view_depth(const rv_terrain *land, float z);

#endif
