/* planned_files.c: files that steps write, and files that they read. */
#include "wear/planned_files.h"
#include "base/context.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

void rvi_planned_files_free(rv_context *ctx, rvi_planned_files *files) {
    for (int i = 0; i < files->count; i++)
        rvi_free(ctx, files->list[i].path);
    rvi_free(ctx, files->list);
    *files = (rvi_planned_files){.count = 0};
}

/* ---- names ---- */

/* Where the digits before an extension of four letters begin, and how many they are. */
static size_t digits_of(const char *path, size_t *count) {
    size_t end = strlen(path) >= 4 ? strlen(path) - 4 : 0, at = end;
    while (at > 0 && path[at - 1] >= '0' && path[at - 1] <= '9')
        at--;
    *count = end - at;
    return at;
}

/* Is `path` the numbered `first` with another number? Both lead to the same folder then. */
static bool is_next(const char *first, const char *path) {
    size_t mine, others, at = digits_of(first, &mine), from = digits_of(path, &others);
    const char *end = first + at + mine;
    char name[4096];
    if (others < mine || !rvi_text_ends(path, end))
        return false;
    int size =
        snprintf(name, sizeof name, "%.*s%.*s%s", (int)at, first, (int)others, path + from, end);
    return size < (int)sizeof name && rvi_path_same(name, path);
}

/* What was planned last for that file; NULL: nothing. */
static rvi_planned_file *find_file(const rvi_job *job, const char *path) {
    for (int i = job->files ? job->files->count - 1 : -1; i >= 0; i--) {
        rvi_planned_file *f = &job->files->list[i];
        if (f->numbered ? is_next(f->path, path) : rvi_path_same(f->path, path))
            return f;
    }
    return NULL;
}

/* ---- writing ---- */

static bool holds_the_same(const rvi_planned_file *a, const rvi_planned_file *b) {
    const rvi_sidecar *s = &a->sidecar, *t = &b->sidecar;
    return a->image.width == b->image.width && a->image.height == b->image.height &&
           a->image.levels == b->image.levels && a->image.bits == b->image.bits &&
           a->numbered == b->numbered && s->present == t->present &&
           (!s->present || (s->scale.low == t->scale.low && s->scale.high == t->scale.high &&
                            s->scale.cell == t->scale.cell));
}

static rv_status add_file(rvi_job *job, const char *path, const rvi_planned_file *file) {
    rvi_planned_files *files = job->files;
    size_t size = strlen(path) + 1;
    if (files->count == files->room) {
        int room = files->room ? 2 * files->room : 8;
        if (!rvi_enlarge(job->ctx, &files->list, (size_t)files->count, (size_t)room,
                         sizeof *files->list, "the plan"))
            return RV_ERROR_MEMORY;
        files->room = room;
    }
    char *copy = rvi_alloc(job->ctx, size, 1, "the plan");
    if (!copy)
        return RV_ERROR_MEMORY;
    memcpy(copy, path, size);
    files->list[files->count] = *file;
    files->list[files->count++].path = copy;
    files->changes++;
    return RV_OK;
}

rv_status rvi_job_writes(rvi_job *job, const char *path, const rvi_planned_file *file) {
    rv_status status = rvi_file_check_target(job->ctx, path);
    if (status != RV_OK || !job->files || !file)
        return status;
    rvi_planned_file *there = find_file(job, path);
    if (!there || there->numbered != file->numbered)
        return add_file(job, path, file);
    if (!holds_the_same(there, file)) {
        char *kept = there->path;
        *there = *file;
        there->path = kept;
        job->files->changes++;
    }
    return RV_OK;
}

rv_status rvi_job_draws(rvi_job *job, const char *path, int width, int height) {
    const rvi_planned_file picture = {
        .image = {.width = width, .height = height, .levels = true, .bits = 8}};
    rv_status status = rvi_png_check_name(job->ctx, path);
    return status == RV_OK ? rvi_job_writes(job, path, &picture) : status;
}

/* ---- reading ---- */

rv_status rvi_job_look(rvi_job *job, const char *path, int width, bool holes, rvi_sidecar *sidecar,
                       rvi_image *out) {
    const rvi_planned_file *file = find_file(job, path);
    if (!file)
        return (holes ? rvi_image_read_holes : rvi_image_read)(job->ctx, path, width, true, sidecar,
                                                               out);
    rv_status status = RV_OK;
    *sidecar = file->sidecar;
    if (!sidecar->present)
        status = rvi_sidecar_read(job->ctx, path, sidecar);
    return status == RV_OK ? rvi_image_foresee(job->ctx, path, width, sidecar, &file->image, out)
                           : status;
}
