/* view.h: a perspective picture of the land. */
#ifndef RVI_PICTURE_VIEW_H
#define RVI_PICTURE_VIEW_H

#include "picture/camera.h"
#include "picture/occlusion.h"
#include "picture/own_images.h"
#include "picture/palette.h"
#include "picture/picture_maker.h"
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

/* Numbers of the land at most that `bring` is asked for at once. */
enum { RVI_VIEW_SAMPLES = 1 << 19 };

/* Samples along a side of the light at most, and how far around a place the sky is looked at,
 * beside the longer side of the block. */
enum { RVI_VIEW_LIGHT_SIDE = 2048 };
#define RVI_VIEW_REACH 0.1f

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
    int across;                     /* tiles in a row */
    const rvi_picture_maker *maker; /* NULL: the processor */
} rvi_view_work;

/* How high the land stands before the sun is asked by these; false: the sun is overhead. */
bool rvi_view_sun(const rvi_view_work *work, rvi_sun_rules *out);
/* Three bytes a pixel, red, green, blue. `maker`: NULL: the processor. */
rv_status rvi_view_draw(const rv_terrain *land, const rvi_view *view, unsigned char *rgb);
rv_status rvi_view_make(const rv_terrain *land, const rvi_view *view,
                        const rvi_picture_maker *maker, unsigned char *rgb);
/* Bytes it needs beside the picture. */
size_t rvi_view_memory(const rv_terrain *land, const rvi_view *view);
/* How deep the block goes below the lowest point. */
float rvi_view_depth(const rv_terrain *land, float z);

#endif
