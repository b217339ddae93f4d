/* scene_run.h: a scene: its words, and where it stands. */
#ifndef RVI_SCENE_SCENE_RUN_H
#define RVI_SCENE_SCENE_RUN_H

#include "scene/scene_setup.h"

struct rv_scene {
    rv_context *ctx;
    uint64_t run; /* its number: base/run_files.h */
    bool resumed;
    rvi_words words;
    char *name, *beside; /* for sentences; the file it came from, or "" */
    rvi_scene_setup setup;
    rvi_scene *now; /* NULL: not started */
};

/* The rock where it stands; *out is NULL where there is none. */
rv_status rvi_scene_rock(const rv_scene *scene, rv_mesh **out);

/* Within a run that names itself. */
rv_status rvi_scene_shoot(const rv_scene *scene, const char *png);
/* any: replaces the checkpoint of any run. */
rv_status rvi_scene_save(const rv_scene *scene, const char *checkpoint, bool any);

/* A checkpoint in memory; `name` for sentences. */
rv_status rvi_scene_decode(rv_context *ctx, const char *name, const unsigned char *data,
                           size_t size, rv_scene **out);

/* Water and rock as the setup has them: frame 0. */
rv_status rvi_scene_fill(const rv_scene *scene, const rvi_scene_setup *setup, rvi_scene **out);

/* ---- scene_memory.c ---- */

/* Bytes that frames and what is written of them take beside the scene, about. */
size_t rvi_scene_memory_later(const rvi_scene_setup *setup, size_t faces);
/* Sets a scene up and fills it. *memory: bytes that its run takes, about. RV_ERROR_MEMORY with a
 * sentence where that is more than the limit: *out is NULL then, but the setup is there to be
 * looked at and freed. 0: there is no setup. */
rv_status rvi_scene_set_up_run(const rv_scene *scene, rvi_scene_setup *setup, rvi_scene **out,
                               size_t *memory);

#endif
