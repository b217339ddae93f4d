/* solid_view.h: a picture of closed meshes and of water among them.
 *
 * x is east, y is north, z is up, in metres, as in meshes. Faces are looked at from outside; the
 * picture holds for any mesh, but cuts and shadows mean what they should only where it is closed.
 * The same bits come from any number of threads.
 */
#ifndef RVI_PICTURE_SOLID_VIEW_H
#define RVI_PICTURE_SOLID_VIEW_H

#include "picture/canvas.h"
#include "picture/palette.h"

/* A face with a corner of UINT32_MAX is left out. `vertex_tints` and `face_tints` lie over the
 * colour of the look: linear red, green, blue, and how much of the rock they hide, 0 to 1. */
typedef struct rvi_solid_mesh {
    const double *points; /* x, y, z of each vertex */
    size_t vertex_count;
    const uint32_t *corners; /* three a face */
    size_t face_count;
    const float (*vertex_tints)[4]; /* NULL: none; else of each vertex, smooth between them */
    const float (*face_tints)[4];   /* NULL: none; else of each face, over those of vertices */
} rvi_solid_mesh;

/* Water as particles: one smooth surface around all of them. */
typedef struct rvi_solid_water {
    const float *places; /* x, y, z of each from `origin` */
    size_t count;
    size_t stride; /* floats from one particle to the next, at least 3; those of rvi_v4 have 4 */
    double origin[3];
    float spacing;     /* metres between particles at rest; 0: no water is drawn */
    const float *foam; /* 0 to 1 of each: how white it is; NULL: nowhere */
    const float *mud;  /* 0 to 1 of each: how much sediment it carries; NULL: none */
} rvi_solid_water;

/* NaN: chosen. */
typedef struct rvi_solid_view {
    int width, height; /* pixels */
    rvi_look look;
    float azimuth;                   /* degrees, clockwise from north: where the camera stands */
    float elevation;                 /* degrees above the level; below 0: without a floor */
    float distance;                  /* times as far as where everything just fits */
    float fov;                       /* degrees, upright */
    float sun_azimuth, sun_altitude; /* degrees */
    float haze;                      /* times that of the look */
    float stone[3];                  /* linear: of clay, and of cuts; 0: that of the look */
    bool wire;                       /* edges of faces as thin dark lines */
    bool frame;                      /* edges of the box from `low` to `high` as thin lines */
    bool clipped;                    /* what has cut x > cut[3] is not drawn; cuts are filled */
    double cut[4];
    /* Which linear colour the rock has at a place, in cuts too; false: as told above. From several
     * threads. NULL: nowhere one of its own. */
    bool (*colour_at)(const void *user, const double at[3], float rgb[3]);
    const void *user;
    double low[3], high[3]; /* what the picture must hold; low > high: the meshes and the water */
} rvi_solid_view;

/* 1280 x 720 in clay, from the south-west. */
rvi_solid_view rvi_solid_view_default(void);

/* Cuts away what is nearer to the camera than an upright plane that faces it; `share` is how much
 * of the box, 0 to 1. The azimuth must be chosen. */
void rvi_solid_view_cut(rvi_solid_view *view, const double low[3], const double high[3],
                        float share);

/* The canvas must have the size of the view and is all drawn over. When it fails or is cancelled
 * its pixels are some of the old and some of the new. `water` may be NULL. */
rv_status rvi_solid_view_draw(rv_context *ctx, const rvi_solid_view *view,
                              const rvi_solid_mesh *meshes, size_t mesh_count,
                              const rvi_solid_water *water, const rvi_canvas *canvas);
/* Bytes it needs at most. */
size_t rvi_solid_view_memory(const rvi_solid_view *view, const rvi_solid_mesh *meshes,
                             size_t mesh_count, const rvi_solid_water *water);

#endif
