/* scene.h: water and rock together, frame by frame.
 *
 * A frame is one step of the water and one of the wear. */
#ifndef RVI_SCENE_SCENE_H
#define RVI_SCENE_SCENE_H

#include "base/archive.h"
#include "scene/preset.h"
#include "scene/wear.h"

typedef struct rvi_scene_source {
    rvi_sph_source is;
    int64_t every; /* frames: gives its whole block each time; 0: runs by its rate */
} rvi_scene_source;

typedef struct rvi_scene_desc {
    rvi_sph_desc water;
    const rvi_preset_block *blocks;
    size_t block_count;
    const rvi_scene_source *sources;
    size_t source_count;
    const rv_mesh *rock;  /* NULL: none; is not needed afterwards */
    const uint8_t *fixed; /* of its vertices: never moved; NULL: none is fixed */
    bool wears;
    rvi_wear_desc wear; /* what it points to must outlive the scene */
} rvi_scene_desc;

/* Milliseconds of the last frame, as table 7.2 of Skorkovska (2012) has them. */
typedef struct rvi_scene_times {
    double particles; /* sorted into cells */
    double faces;     /* changed ones, into the wall index */
    double press;     /* neighbours and pressure */
    double force;     /* walls and moves */
    double advance;   /* wear, and the changes of the mesh */
    double frame;     /* all */
} rvi_scene_times;

/* A frame that was good, and how to come back to it. A later good frame is made again from it: that
 * gives the same bits, and so not every frame need be kept. */
typedef struct rvi_good_frame {
    rvi_archive_writer state; /* in memory */
    bool there;
    double cost, since; /* s: that it took to keep it, and of the frames that were made since */
} rvi_good_frame;

typedef struct rvi_scene {
    rv_context *ctx;
    rvi_scene_desc desc; /* with the sources of this scene, without rock and blocks */
    rvi_sph *water;
    rvi_edit_mesh *rock; /* NULL: there is no rock */
    rvi_wear *wear;      /* NULL: nothing is worn */
    rvi_scene_source *sources;
    size_t source_count;
    int64_t frame;         /* how many are done */
    float longest;         /* s: a step of the water is not longer: that of water at rest */
    rvi_scene_times times; /* of the last frame */
    rvi_good_frame good;
} rvi_scene;

rv_status rvi_scene_create(rv_context *ctx, const rvi_scene_desc *desc, rvi_scene **out);
void rvi_scene_destroy(rvi_scene *scene); /* NULL is fine */

/* One frame. When it fails or is cancelled, the scene can go on, but the water may have made its
 * step and the wear not. RV_ERROR_INTERNAL: a number was not finite, or no time passed; the scene
 * is again as it was before the frame. */
rv_status rvi_scene_frame(rvi_scene *scene);

/* The rock as it is; *out is NULL where there is none. */
rv_status rvi_scene_mesh(const rvi_scene *scene, rv_mesh **out);
uint64_t rvi_scene_hash(const rvi_scene *scene); /* of rock and water */

/* For scene_frame.c and scene_state.c: takes over the rock. `blocks`: adds the blocks of water. */
rv_status rvi_scene_start(rv_context *ctx, const rvi_scene_desc *desc, rvi_edit_mesh *rock,
                          bool blocks, rvi_scene **out);

/* ---- scene_state.c: all that the next frames depend on ---- */

rv_status rvi_scene_checkpoint(const rvi_scene *scene, rvi_archive_writer *to);
/* `desc` as for rvi_scene_create, but rock, blocks and fixed are not used. */
rv_status rvi_scene_restore(rv_context *ctx, const rvi_scene_desc *desc, rvi_archive *from,
                            rvi_scene **out);

/* ---- scene_picture.c ---- */

typedef struct rvi_scene_view {
    int width, height;
    float azimuth, elevation; /* degrees */
    float cut;                /* 0 to 1: how much is cut away towards the camera */
    double top;               /* m: the highest block of water or source */
    bool wet, wire;           /* is the water drawn, are the edges? */
} rvi_scene_view;
/* Eroded places are red, deposits blue-green. */
rv_status rvi_scene_draw(const rvi_scene *scene, const rvi_scene_view *view, const char *png);

/* ---- scene_models.c: rock from files ---- */

/* Scales and moves a mesh, and reverses its faces. */
rv_status rvi_model_place(rv_mesh *mesh, const double scale[3], const double move[3], bool reverse);
/* Makes one mesh of several. */
rv_status rvi_models_join(rv_context *ctx, rv_mesh *const *meshes, size_t count, rv_mesh **out);
void rvi_model_bounds(const rv_mesh *mesh, double low[3],
                      double high[3]); /* of a mesh with faces */

/* The water of Fluids v.2, scaled by Froude's law: the same motion at another size and gravity. */
rvi_sph_desc rvi_sph_desc_weak_like(float spacing, const float gravity[3]);

#endif
