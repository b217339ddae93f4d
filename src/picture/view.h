/* view.h: a perspective picture of the land. */
#ifndef RVI_PICTURE_VIEW_H
#define RVI_PICTURE_VIEW_H

#include "picture/camera.h"
#include "picture/own_images.h"
#include "picture/palette.h"
#include "picture/view_cell.h"

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

/* The work on a picture; rays look at `s`. */
typedef struct rvi_view_work {
    rvi_view_numbers k;
    rvi_view_scene s;
    rvi_tone_map tones;
    rvi_view_tables tables; /* of which a processor needs the noise and the light of the sky */
    rv_terrain *beyond;     /* the land and what mirrors it; NULL: a block */
    float *light;
    unsigned char *rgb;
    int across; /* tiles in a row */
} rvi_view_work;

/* Who draws it instead of the processor. */
typedef struct rvi_view_maker {
    void *arg;
    rv_status (*draw)(void *arg, rvi_view_work *work);
} rvi_view_maker;

/* Three bytes a pixel, red, green, blue. `maker`: NULL: the processor. */
rv_status rvi_view_draw(const rv_terrain *land, const rvi_view *view, unsigned char *rgb);
rv_status rvi_view_make(const rv_terrain *land, const rvi_view *view, const rvi_view_maker *maker,
                        unsigned char *rgb);
/* Bytes it needs beside the picture. */
size_t rvi_view_memory(const rv_terrain *land, const rvi_view *view);
/* How deep the block goes below the lowest point. */
float rvi_view_depth(const rv_terrain *land, float z);

#endif
