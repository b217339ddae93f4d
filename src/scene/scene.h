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
    int64_t every; /* frames between two blocks of particles; 0: they come at the rate */
} rvi_scene_source;

typedef struct rvi_scene_desc {
    rvi_sph_desc water;
    const rvi_preset_block *blocks;
    size_t block_count;
    const rvi_scene_source *sources;
    size_t source_count;
    const rv_mesh *rock;  /* NULL: none; is not needed afterwards */
    const uint8_t *fixed; /* of its vertices: keep their places; NULL: none does */
    bool wears;
    rvi_wear_desc wear; /* what it points to must outlive the scene */
} rvi_scene_desc;

/* Milliseconds of the last frame, as table 7.2 of Skorkovska (2012) has them. */
typedef struct rvi_scene_times {
    double particles; /* sorted into their grid, and who is near whom */
    double faces;     /* into theirs, those that changed */
    double press;     /* pressure */
    double force;     /* other forces, walls and moves */
    double advance;   /* wear, and what it does to the mesh */
    double frame;     /* all */
} rvi_scene_times;

typedef struct rvi_scene {
    rv_context *ctx;
    rvi_sph *water;
    rvi_edit_mesh *skin; /* NULL: there is no rock */
    rvi_wear *wear;      /* NULL: nothing is worn */
    rvi_scene_source *sources;
    size_t source_count;
    int64_t frame;         /* how many there were */
    float longest;         /* s: a step of the water */
    rvi_scene_times times; /* of the last frame */
} rvi_scene;

rv_status rvi_scene_create(rv_context *ctx, const rvi_scene_desc *desc, rvi_scene **out);
void rvi_scene_destroy(rvi_scene *scene); /* NULL is fine */

/* The order of a frame is here and nowhere else. When it fails or is cancelled the scene is whole,
 * but may stand within the frame. */
rv_status rvi_scene_frame(rvi_scene *scene);

/* The rock as it is; *out is NULL where there is none. */
rv_status rvi_scene_mesh(const rvi_scene *scene, rv_mesh **out);
uint64_t rvi_scene_hash(const rvi_scene *scene); /* of rock and water */

/* For scene_frame.c and scene_state.c: takes the skin over; without blocks no water is filled in.
 */
rv_status rvi_scene_start(rv_context *ctx, const rvi_scene_desc *desc, rvi_edit_mesh *skin,
                          bool blocks, rvi_scene **out);

/* ---- scene_state.c: all that the next frames depend on ---- */

rv_status rvi_scene_keep(const rvi_scene *scene, rvi_archive_writer *to);
/* `desc` as for the first time, but rock, blocks and fixed are not looked at. */
rv_status rvi_scene_restore(rv_context *ctx, const rvi_scene_desc *desc, rvi_archive *from,
                            rvi_scene **out);

/* ---- scene_picture.c ---- */

typedef struct rvi_scene_view {
    int width, height;
    float azimuth, elevation; /* degrees */
    float cut;                /* 0 to 1: how much is cut away towards the camera */
    double top;               /* m: where water begins at the highest */
    bool wet, wire;           /* is water drawn, are edges? */
} rvi_scene_view;
/* What was taken is red, what was laid down blue-green. */
rv_status rvi_scene_draw(const rvi_scene *scene, const rvi_scene_view *view, const char *png);

/* ---- scene_models.c: rock from files ---- */

/* A mesh scaled, moved and turned over, in place. */
rv_status rvi_model_place(rv_mesh *mesh, const double scale[3], const double move[3], bool reverse);
/* Several meshes as one. */
rv_status rvi_models_join(rv_context *ctx, rv_mesh *const *meshes, size_t count, rv_mesh **out);
void rvi_model_bounds(const rv_mesh *mesh, double low[3],
                      double high[3]); /* of a mesh with faces */

/* Water as Fluids v.2 has it, larger or smaller: the same motion with another spacing and gravity,
 * by Froude's law. */
rvi_sph_desc rvi_sph_desc_weak_like(float spacing, const float gravity[3]);

#endif
