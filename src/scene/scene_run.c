/* scene_run.c: runs a scene to its last frame, and saves, draws, films and makes checkpoints on the
 * way. */
#include "scene/scene_run.h"
#include "base/archive.h"
#include "base/context.h"
#include "base/file.h"
#include "base/text.h"
#include "formats/frame_sequence.h"
#include "formats/mesh_format.h"

#include <stdio.h>
#include <string.h>

typedef struct run {
    rv_scene *scene;
    const rv_scene_watch *watch;
    const rvi_word_run *params;
    rvi_run_files files;
    rvi_sequence sequence;
    double saved; /* s: when the last checkpoint was made */
} run;

static bool is_picture(const char *file) {
    return rvi_text_ends(file, ".png");
}

static rv_status check_rock(rv_context *ctx, const rvi_word_run *params, bool rock) {
    if (rock || !params->save[0] || is_picture(params->save))
        return RV_OK;
    return rvi_fail(ctx, RV_ERROR_USAGE, "%s: the scene has no rock to save.", params->save);
}

/* ---- names ---- */

static int64_t step_of(const rvi_word_run *params) {
    return params->every > 0 ? params->every : 1;
}

static bool is_shown(const rvi_word_run *params, int64_t frame) {
    return frame % step_of(params) == 0 || frame >= params->frames;
}

/* How many of the frames before are shown. */
static int64_t shown_before(const rvi_word_run *params, int64_t frame) {
    return frame / step_of(params) + (frame % step_of(params) != 0);
}

static int64_t count_shown(const rvi_word_run *params) {
    return shown_before(params, params->frames) + 1;
}

/* What is saved before the last frame: *stem is from rvi_alloc; NULL: nothing is, or no memory. */
static rvi_numbered name_saves(rv_context *ctx, const rvi_word_run *params, char **stem) {
    const char *file = params->save, *dot = strrchr(file, '.');
    size_t size = strlen(file) + 2;
    *stem = dot != NULL && params->every > 0 ? rvi_alloc(ctx, size, 1, "the name of a file") : NULL;
    if (*stem != NULL)
        snprintf(*stem, size, "%.*s-", (int)(dot - file), file);
    return (rvi_numbered){*stem, dot, params->every, params->every, params->frames};
}

/* Says what will be overwritten that no word of the scene names, and what cannot be made. */
static void tell_frames(rv_context *ctx, const rvi_word_run *params, bool goes_on) {
    char *stem;
    rvi_numbered saves = name_saves(ctx, params, &stem);
    if (params->film[0])
        rvi_sequence_tell(ctx, params->film, count_shown(params), goes_on);
    if (stem != NULL && !goes_on)
        rvi_numbered_tell(ctx, params->save, &saves);
    rvi_free(ctx, stem);
}

/* ---- before the first frame ---- */

typedef struct target_check {
    const rv_scene *scene;
    const char *checkpoint; /* NULL: none */
} target_check;

static rv_status is_checkpoint(const target_check *c) {
    return rvi_fail(c->scene->ctx, RV_ERROR_USAGE,
                    "%s cannot be the checkpoint: the scene writes a file of that name.",
                    c->checkpoint);
}

static rv_status check_file(void *user, const char *path) {
    const target_check *c = user;
    const rv_scene *s = c->scene;
    rv_status status = rvi_file_check_target(s->ctx, path);
    if (status == RV_OK && c->checkpoint != NULL && rvi_path_same(path, c->checkpoint))
        return is_checkpoint(c);
    return status == RV_OK ? rvi_scene_check_input(&s->words, s->beside, path) : status;
}

static rv_status check_numbered(target_check *c, const rvi_numbered *names) {
    if (c->checkpoint != NULL && rvi_numbered_leads(names, c->checkpoint))
        return is_checkpoint(c);
    return rvi_numbered_check(c->scene->ctx, names, check_file, c);
}

static rv_status check_save(target_check *c, const rvi_word_run *params) {
    rv_context *ctx = c->scene->ctx;
    if (!is_picture(params->save) && rvi_mesh_format_find(params->save) == NULL)
        return rvi_fail(ctx, RV_ERROR_USAGE,
                        "%s: what a scene is saved to must end in .obj, .ply, .stl or .glb, or "
                        "in .png for a picture.",
                        params->save);
    char *stem;
    rvi_numbered names = name_saves(ctx, params, &stem);
    rv_status status = check_file(c, params->save);
    if (status == RV_OK && stem != NULL)
        status = check_numbered(c, &names);
    rvi_free(ctx, stem);
    return status;
}

static rv_status check_film(target_check *c, const rvi_word_run *params) {
    rv_context *ctx = c->scene->ctx;
    rv_status status = rvi_sequence_check(ctx, params->film);
    if (status != RV_OK || !is_picture(params->film))
        return status == RV_OK ? check_file(c, params->film) : status;
    char *stem = rvi_sequence_stem(ctx, params->film);
    status = stem != NULL
                 ? check_numbered(c, &(rvi_numbered){stem, ".png", 0, 1, count_shown(params)})
                 : RV_ERROR_MEMORY;
    rvi_free(ctx, stem);
    return status;
}

/* Checked first, so that hours of work are not lost because a folder is missing. */
static rv_status check_targets(const rv_scene *s, const rvi_word_run *params,
                               const char *checkpoint) {
    target_check c = {s, checkpoint};
    rv_status status = RV_OK;
    if (checkpoint != NULL)
        status = rvi_words_check_other(&s->words, checkpoint, "the checkpoint");
    if (checkpoint != NULL && status == RV_OK)
        status = rvi_archive_check_target(s->ctx, checkpoint, s->run);
    if (status == RV_OK && params->save[0])
        status = check_save(&c, params);
    if (status == RV_OK && params->film[0])
        status = check_film(&c, params);
    return status;
}

/* ---- a frame ---- */

static rv_status save_rock(const rv_scene *s, const char *file) {
    rv_mesh *rock;
    rv_status status = rvi_scene_rock(s, &rock);
    if (status == RV_OK)
        status = rvi_mesh_write(rock, file, NULL);
    rv_mesh_destroy(rock);
    return status;
}

static rv_status save_to(const rv_scene *s, const char *file) {
    return is_picture(file) ? rvi_scene_shoot(s, file) : save_rock(s, file);
}

/* To a file with the number of the frame, out-00010.obj, whose name *name becomes. */
static rv_status save_numbered(const run *r, char **name) {
    const char *file = r->params->save, *dot = strrchr(file, '.');
    size_t size = strlen(file) + 24;
    *name = rvi_alloc(r->scene->ctx, size, 1, "the name of a file");
    if (*name == NULL)
        return RV_ERROR_MEMORY;
    snprintf(*name, size, "%.*s-%05lld%s", (int)(dot - file), file, (long long)r->scene->now->frame,
             dot);
    rv_status status = rvi_scene_check_input(&r->scene->words, r->scene->beside, *name);
    return status == RV_OK ? save_to(r->scene, *name) : status;
}

/* The last frame goes to the file itself, others to files with their number. */
static rv_status save_frame(const run *r) {
    const char *file = r->params->save;
    int64_t frame = r->scene->now->frame;
    bool last = frame >= r->params->frames;
    if (!file[0] || (!last && (r->params->every == 0 || frame == 0)))
        return RV_OK;
    if (last)
        return save_to(r->scene, file);
    char *name;
    rv_status status = save_numbered(r, &name);
    rvi_free(r->scene->ctx, name);
    return status;
}

static rv_status film_frame(run *r) {
    int64_t frame = r->scene->now->frame;
    if (!r->params->film[0])
        return RV_OK;
    const char *name;
    rv_status status = rvi_sequence_frame(&r->sequence, shown_before(r->params, frame), &name);
    if (status == RV_OK)
        status = rvi_scene_shoot(r->scene, name);
    return status == RV_OK && frame >= r->params->frames ? rvi_sequence_finish(&r->sequence)
                                                         : status;
}

static rv_status show(run *r) {
    if (!is_shown(r->params, r->scene->now->frame))
        return RV_OK;
    rv_status status = save_frame(r);
    if (status == RV_OK)
        status = film_frame(r);
    if (status == RV_OK && r->watch != NULL && r->watch->after != NULL) {
        rv_frame now;
        status = rv_scene_info(r->scene, &now);
        if (status == RV_OK) {
            bool inside = rvi_callback_begin(r->scene->ctx);
            r->watch->after(r->watch->user, &now);
            rvi_callback_end(r->scene->ctx, inside);
        }
    }
    return status;
}

/* ---- all frames ---- */

/* A frame failed because its numbers would not have been finite: the one before is saved. The
 * checkpoint stays the last that was made. */
static rv_status end_at_good_frame(const run *r) {
    rv_scene *s = r->scene;
    char said[512], *name = NULL;
    snprintf(said, sizeof said, "%s", rv_context_error(s->ctx));
    bool saves = r->params->save[0] != 0, saved = saves && save_numbered(r, &name) == RV_OK;
    char other[512];
    snprintf(other, sizeof other, "%s", saves && !saved ? rv_context_error(s->ctx) : "");
    rv_status status = rvi_fail(
        s->ctx, RV_ERROR_INTERNAL, "%s: frame %lld: %s The last good frame is %lld%s%s.%s%s",
        s->name, (long long)s->now->frame + 1, said, (long long)s->now->frame, saved ? ", in " : "",
        saved ? name : "", other[0] ? " " : "", other);
    rvi_free(s->ctx, name);
    return status;
}

static rv_status run_frames(run *r) {
    rv_scene *s = r->scene;
    const char *checkpoint = r->watch != NULL ? r->watch->checkpoint : NULL;
    rv_status status = s->now->frame == 0 ? show(r) : RV_OK;
    r->saved = rvi_now();
    while (status == RV_OK && s->now->frame < r->params->frames) {
        status = rvi_scene_frame(s->now);
        if (status == RV_ERROR_INTERNAL)
            return end_at_good_frame(r);
        if (status == RV_OK)
            status = show(r);
        if (status == RV_OK && checkpoint != NULL && s->now->frame < r->params->frames &&
            rvi_now() - r->saved >= r->watch->every) {
            status = rvi_run_files_saved(&r->files, rvi_scene_save(s, checkpoint, false));
            r->saved = rvi_now();
        }
        if (status == RV_OK)
            status = rvi_progress(s->ctx, (double)s->now->frame / (double)r->params->frames, NULL);
    }
    if (status == RV_OK && r->params->film[0])
        status = rvi_run_folder_done(&r->files, r->params->film);
    if (status == RV_OK && checkpoint != NULL) /* there is nothing left to resume */
        rvi_archive_remove(checkpoint, s->run);
    return status;
}

rv_status rv_scene_check_checkpoint(const rv_scene *s, const char *checkpoint) {
    RVI_ENTRY(s->ctx);
    rvi_word_run room;
    rvi_progress_begin(s->ctx, "the plan");
    return check_targets(s, rvi_scene_last(&s->words, RVI_WORD_run, &room), checkpoint);
}

/* Refuses what memory cannot hold before the first frame. */
static rv_status start(rv_scene *s) {
    size_t memory;
    rvi_progress_begin(s->ctx, "the scene");
    if (s->now != NULL) {
        size_t faces = s->now->rock != NULL ? s->now->rock->live_faces : 0;
        return rvi_memory_check(s->ctx, rvi_scene_memory_later(&s->setup, faces), "the scene");
    }
    rv_status status = rvi_scene_set_up_run(s, &s->setup, &s->now, &memory);
    if (status != RV_OK && memory > 0)
        rvi_scene_setup_free(s->ctx, &s->setup);
    return status;
}

rv_status rv_scene_run(rv_scene *s, const rv_scene_watch *watch) {
    RVI_ENTRY(s->ctx);
    rvi_word_run room;
    const char *checkpoint = watch != NULL ? watch->checkpoint : NULL;
    run r = {
        .scene = s,
        .watch = watch,
        .files = {.ctx = s->ctx, .number = s->run, .checkpoint = checkpoint, .saved = s->resumed}};
    r.params = rvi_scene_last(&s->words, RVI_WORD_run, &room);
    rv_status status = check_targets(s, r.params, checkpoint);
    if (status == RV_OK)
        status = start(s);
    if (status == RV_OK)
        status = check_rock(s->ctx, r.params, s->now->rock != NULL);
    if (status != RV_OK)
        return status;
    rvi_progress_begin(s->ctx, "the scene");
    rvi_progress_span(s->ctx, 0, 1);
    tell_frames(s->ctx, r.params, s->resumed);
    if (r.params->film[0])
        status = rvi_sequence_open(&r.files, r.params->film, count_shown(r.params), r.params->rate,
                                   &r.sequence);
    if (status == RV_OK)
        status = run_frames(&r);
    rvi_sequence_close(&r.sequence);
    return rvi_run_files_end(&r.files, status);
}

/* ---- plans ---- */

rv_status rv_scene_plan_run(rv_scene *s, rv_scene_plan *out) {
    RVI_ENTRY(s->ctx);
    rvi_scene_setup setup;
    rvi_scene *filled;
    rvi_word_run room;
    size_t memory;
    *out = (rv_scene_plan){0};
    rvi_progress_begin(s->ctx, "the plan");
    rv_status status = check_targets(s, rvi_scene_last(&s->words, RVI_WORD_run, &room), NULL);
    if (status != RV_OK)
        return status;
    status = rvi_scene_set_up_run(s, &setup, &filled, &memory);
    if (memory == 0)
        return status;
    tell_frames(s->ctx, &setup.run, s->resumed);
    const rvi_sph_desc *d = &setup.desc.water;
    *out = (rv_scene_plan){.frames = setup.run.frames,
                           .particles = d->most,
                           .vertices = setup.rock != NULL ? setup.rock->vertex_count : 0,
                           .faces = setup.rock != NULL ? setup.rock->face_count : 0,
                           .spacing = (double)d->spacing,
                           .memory = memory};
    memcpy(out->low, setup.box, sizeof out->low);
    memcpy(out->high, setup.box + 3, sizeof out->high);
    if (status == RV_OK)
        status = check_rock(s->ctx, &setup.run, setup.rock != NULL);
    rvi_scene_destroy(filled);
    rvi_scene_setup_free(s->ctx, &setup);
    return status;
}
