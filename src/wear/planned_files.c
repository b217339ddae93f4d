/* planned_files.c: files that steps write, and files that they read. */
#include "wear/planned_files.h"
#include "base/context.h"
#include "base/file.h"
#include "base/run_files.h"
#include "formats/land_file.h"

#include <string.h>

static void free_land(rv_context *ctx, const rv_terrain *land) {
    rv_terrain *mine = (rv_terrain *)(uintptr_t)land; /* own_land made it */
    if (mine)
        rvi_outline_free(mine);
    rvi_free(ctx, mine);
}

void rvi_planned_files_free(rv_context *ctx, rvi_planned_files *files) {
    for (int i = 0; i < files->count; i++) {
        rvi_free(ctx, files->list[i].key);
        free_land(ctx, files->list[i].land);
    }
    for (int i = 0; i < files->input_count; i++)
        rvi_free(ctx, files->inputs[i].key);
    for (int i = 0; i < files->trial_count; i++)
        rvi_free(ctx, files->trials[i].key);
    rvi_free(ctx, files->list);
    rvi_free(ctx, files->inputs);
    rvi_free(ctx, files->trials);
    *files = (rvi_planned_files){.count = 0};
}

/* ---- lists ---- */

static bool holds_key(const rvi_planned_file *f, const char *key) {
    return f->frames > 0 ? rvi_numbered_is(&(rvi_numbered){f->key, ".png", 0, 1, f->frames}, key)
                         : strcmp(f->key, key) == 0;
}

/* What was planned last for that file; NULL: nothing. */
static rvi_planned_file *find_file(const rvi_job *job, const char *key) {
    for (int i = job->files && key[0] ? job->files->count - 1 : -1; i >= 0; i--)
        if (holds_key(&job->files->list[i], key))
            return &job->files->list[i];
    return NULL;
}

static rvi_planned_file *find_frames(const rvi_job *job, const char *stem) {
    for (int i = job->files->count - 1; i >= 0; i--)
        if (job->files->list[i].frames > 0 && strcmp(job->files->list[i].key, stem) == 0)
            return &job->files->list[i];
    return NULL;
}

static rvi_planned_input *find_input(const rvi_planned_files *files, const char *key) {
    for (int i = 0; i < files->input_count && key[0]; i++)
        if (strcmp(files->inputs[i].key, key) == 0)
            return &files->inputs[i];
    return NULL;
}

/* Room for one more in a list. */
static bool make_room(rv_context *ctx, void *list, int count, int *room, size_t size) {
    int more = *room ? 2 * *room : 8;
    if (count < *room)
        return true;
    if (!rvi_enlarge(ctx, list, (size_t)count, (size_t)more, size, "the plan"))
        return false;
    *room = more;
    return true;
}

static char *copy_key(rv_context *ctx, const char *key) {
    size_t size = strlen(key) + 1;
    char *copy = rvi_alloc(ctx, size, 1, "the plan");
    if (copy)
        memcpy(copy, key, size);
    return copy;
}

rv_status rvi_planned_files_read(rv_context *ctx, rvi_planned_files *files, const char *path,
                                 const char *reader) {
    char key[RVI_PATH_KEY];
    if (files->goes_on || !rvi_path_key(path, true, key) || find_input(files, key))
        return RV_OK;
    if (!make_room(ctx, &files->inputs, files->input_count, &files->input_room,
                   sizeof *files->inputs))
        return RV_ERROR_MEMORY;
    char *copy = copy_key(ctx, key);
    if (!copy)
        return RV_ERROR_MEMORY;
    files->inputs[files->input_count++] = (rvi_planned_input){copy, reader, false};
    return RV_OK;
}

/* ---- writing ---- */

static bool holds_the_same(const rvi_planned_file *a, const rvi_planned_file *b) {
    const rvi_sidecar *s = &a->sidecar, *t = &b->sidecar;
    return a->image.width == b->image.width && a->image.height == b->image.height &&
           a->image.levels == b->image.levels && a->image.bits == b->image.bits &&
           a->frames == b->frames && a->y_up == b->y_up && s->present == t->present &&
           !a->land == !b->land && (!a->land || rvi_outline_same(a->land, b->land)) &&
           (!s->present || (s->scale.low == t->scale.low && s->scale.high == t->scale.high &&
                            s->scale.cell == t->scale.cell && s->scale.curve == t->scale.curve));
}

/* A copy that lives as long as the plan. */
static rv_status own_land(rv_context *ctx, rvi_planned_file *file) {
    if (!file->land)
        return RV_OK;
    rv_terrain *mine = rvi_alloc(ctx, 1, sizeof *mine, "the plan");
    rv_status status = mine ? rvi_outline_make(file->land, mine) : RV_ERROR_MEMORY;
    if (status != RV_OK)
        rvi_free(ctx, mine);
    else
        file->land = mine;
    return status;
}

static rv_status add_file(rvi_job *job, const char *key, const rvi_planned_file *file) {
    rvi_planned_files *files = job->files;
    if (!make_room(job->ctx, &files->list, files->count, &files->room, sizeof *files->list))
        return RV_ERROR_MEMORY;
    char *copy = copy_key(job->ctx, key);
    if (!copy)
        return RV_ERROR_MEMORY;
    rvi_planned_file mine = *file;
    if (own_land(job->ctx, &mine) != RV_OK) {
        rvi_free(job->ctx, copy);
        return RV_ERROR_MEMORY;
    }
    mine.key = copy;
    files->list[files->count++] = mine;
    files->changes++;
    return RV_OK;
}

/* `there`: what was planned for it before; NULL: nothing. */
static rv_status plan_file(rvi_job *job, const char *key, rvi_planned_file *there,
                           const rvi_planned_file *file) {
    if (!there || (there->frames > 0) != (file->frames > 0))
        return add_file(job, key, file);
    if (!holds_the_same(there, file)) {
        rvi_planned_file mine = *file;
        if (own_land(job->ctx, &mine) != RV_OK)
            return RV_ERROR_MEMORY;
        mine.key = there->key;
        free_land(job->ctx, there->land);
        *there = mine;
        job->files->changes++;
    }
    return RV_OK;
}

static rv_status is_checkpoint(const rvi_job *job, const char *does) {
    return rvi_fail(job->ctx, RV_ERROR_USAGE,
                    "%s cannot be the checkpoint: %s %s a file of that name.",
                    job->files->checkpoint, job->name, does);
}

static rv_status is_input(const rvi_job *job, const char *path, const char *reader) {
    const char *way = job->overwrite ? ", or say overwrite=yes" : "";
    if (!reader)
        return rvi_fail(job->ctx, RV_ERROR_OUTPUT,
                        "%s: is the recipe itself and was not changed; name another one%s.", path,
                        way);
    return rvi_fail(job->ctx, RV_ERROR_OUTPUT,
                    "%s: is read by %s in this recipe and was not changed; name another one%s.",
                    path, reader, way);
}

/* Could the file be written, and may it be? */
static rv_status check_file(const rvi_job *job, const char *path, char key[RVI_PATH_KEY]) {
    const rvi_planned_files *files = job->files;
    rv_status status = rvi_file_check_target(job->ctx, path);
    if (status != RV_OK || !files)
        return status;
    rvi_path_key(path, true, key);
    if (files->checkpoint && rvi_path_same(path, files->checkpoint))
        return is_checkpoint(job, "writes");
    const rvi_planned_input *input =
        job->overwrite && *job->overwrite ? NULL : find_input(files, key);
    return input ? is_input(job, path, input->reader) : RV_OK;
}

/* The sidecar of a file that no step before writes: is it the user's own? */
static rv_status check_sidecar(const rvi_job *job, const char *path, const char *key) {
    const rvi_planned_file *before = find_file(job, key);
    bool ours = (job->overwrite && *job->overwrite) || (before && before->sidecar.present);
    return ours ? RV_OK : rvi_sidecar_check_target(job->ctx, path);
}

rv_status rvi_job_writes(rvi_job *job, const char *path, const rvi_planned_file *file) {
    char key[RVI_PATH_KEY] = "";
    rv_status status = check_file(job, path, key);
    if (status == RV_OK && file && file->sidecar.present)
        status = check_sidecar(job, path, key);
    if (status != RV_OK || !job->files || !file)
        return status;
    return plan_file(job, key, find_file(job, key), file);
}

static rv_status check_frame(void *job, const char *path) {
    char key[RVI_PATH_KEY];
    return check_file(job, path, key);
}

/* What a run writes, its plan has checked. */
rv_status rvi_job_writes_frames(rvi_job *job, const char *stem, const rvi_planned_file *file) {
    const rvi_numbered names = {stem, ".png", 0, 1, file->frames};
    char key[RVI_PATH_KEY];
    if (!job->files)
        return RV_OK;
    rv_status status = rvi_numbered_check(job->ctx, &names, check_frame, job);
    if (status == RV_OK && job->files->checkpoint &&
        rvi_numbered_leads(&names, job->files->checkpoint))
        return is_checkpoint(job, "writes");
    if (status != RV_OK || !rvi_path_key(stem, false, key))
        return status;
    return plan_file(job, key, find_frames(job, key), file);
}

rv_status rvi_job_draws(rvi_job *job, const char *path, int width, int height) {
    const rvi_planned_file picture = {
        .image = {.width = width, .height = height, .levels = true, .bits = 8}};
    rv_status status = rvi_png_check_name(job->ctx, path);
    rvi_buffers_pass(&job->buffers, rvi_png_bytes((size_t)width * 4)); /* channels, at most */
    return status == RV_OK ? rvi_job_writes(job, path, &picture) : status;
}

/* ---- reading ---- */

/* A file that is there before the run, and its sidecar. sound: it need not be looked at again. */
static rv_status note_input(const rvi_job *job, const char *path, const char *key, bool sound) {
    char *sidecar = rvi_sidecar_path(job->ctx, path);
    rv_status status =
        sidecar ? rvi_planned_files_read(job->ctx, job->files, path, job->name) : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = rvi_planned_files_read(job->ctx, job->files, sidecar, job->name);
    rvi_planned_input *input = find_input(job->files, key);
    if (input && sound)
        input->sound = true;
    if (status == RV_OK && job->files->checkpoint && rvi_path_same(sidecar, job->files->checkpoint))
        status = is_checkpoint(job, "reads");
    rvi_free(job->ctx, sidecar);
    return status;
}

rv_status rvi_job_look(rvi_job *job, const char *path, int width, bool holes, rvi_sidecar *sidecar,
                       rvi_image *out) {
    char key[RVI_PATH_KEY];
    rvi_path_key(path, true, key);
    const rvi_planned_file *file = find_file(job, key);
    rv_status status = RV_OK;
    if (!file) {
        const rvi_planned_input *input = job->files ? find_input(job->files, key) : NULL;
        bool look = job->files && !(input && input->sound); /* a run reads all of it anyway */
        if (look)
            status = rvi_image_look(job->ctx, path, width, holes, sidecar, out);
        else
            status = (holes ? rvi_image_read_holes : rvi_image_read)(job->ctx, path, width, true,
                                                                     sidecar, out);
        return status == RV_OK && job->files ? note_input(job, path, key, look && !sidecar->foreign)
                                             : status;
    }
    *sidecar = file->sidecar;
    if (!sidecar->present)
        status = rvi_sidecar_read(job->ctx, path, sidecar);
    return status == RV_OK ? rvi_image_foresee(job->ctx, path, width, sidecar, &file->image, out)
                           : status;
}

bool rvi_job_foresees(const rvi_job *job, const char *path, rvi_planned_file *out) {
    char key[RVI_PATH_KEY];
    rvi_path_key(path, true, key);
    const rvi_planned_file *file = find_file(job, key);
    if (file)
        *out = *file;
    return file != NULL;
}

rv_status rvi_job_reads(rvi_job *job, const char *path) {
    if (!job->files)
        return RV_OK;
    rv_status status = rvi_planned_files_read(job->ctx, job->files, path, job->name);
    if (status == RV_OK && job->files->checkpoint && rvi_path_same(path, job->files->checkpoint))
        status = is_checkpoint(job, "reads");
    return status;
}

rv_status rvi_job_look_land(rvi_job *job, const char *path, rv_terrain *out, size_t *memory) {
    char key[RVI_PATH_KEY];
    rvi_path_key(path, true, key);
    const rvi_planned_file *file = find_file(job, key);
    if (file && file->land) {
        *memory = rvi_land_file_memory(file->land);
        return rvi_outline_make(file->land, out);
    }
    rv_status status = rvi_land_file_look(job->ctx, path, out, memory);
    if (status == RV_OK)
        status = rvi_job_reads(job, path);
    if (status != RV_OK)
        rvi_outline_free(out);
    return status;
}

rv_status rvi_job_look_picture(rvi_job *job, const char *path, rvi_image *out) {
    rvi_planned_file written;
    if (rvi_job_foresees(job, path, &written)) {
        *out = written.image;
        return RV_OK;
    }
    rv_status status = rvi_png_look_picture(job->ctx, path, out);
    return status == RV_OK ? rvi_job_reads(job, path) : status;
}

rv_status rvi_job_try(rvi_job *job, const char *path, rvi_file_trial trial, const void *arg) {
    rvi_planned_files *files = job->files;
    char key[RVI_PATH_KEY];
    if (!files || !files->work || !rvi_path_key(path, true, key) || find_file(job, key))
        return RV_OK;
    for (int i = 0; i < files->trial_count; i++)
        if (files->trials[i].trial == trial && files->trials[i].arg == arg &&
            strcmp(files->trials[i].key, key) == 0)
            return RV_OK;
    rv_status status = trial(job, path, arg);
    if (status != RV_OK)
        return status;
    if (!make_room(job->ctx, &files->trials, files->trial_count, &files->trial_room,
                   sizeof *files->trials))
        return RV_ERROR_MEMORY;
    char *copy = copy_key(job->ctx, key);
    if (copy)
        files->trials[files->trial_count++] = (rvi_planned_trial){copy, trial, arg};
    return copy ? RV_OK : RV_ERROR_MEMORY;
}
