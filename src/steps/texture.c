/* texture.c: writes a picture for use in other programs (picture/maps.c). */
#include "picture/maps.h"
#include "steps/step.h"
#include "terrain/hardness_volume.h"
#include "wear/planned_files.h"

#include <stdio.h>
#include <string.h>

static rv_status draw(const rv_terrain *land, const rv_texture_params *p, unsigned char *bytes) {
    rvi_map how = {.down = p->y == RV_texture_y_down,
                   .z = p->z,
                   .reach = p->reach,
                   .limit = p->limit,
                   .snow = p->snow,
                   .dry = p->look == RV_texture_look_desert};
    switch (p->kind) {
    case RV_texture_kind_normal:
        return rvi_map_normal(land, &how, bytes);
    case RV_texture_kind_occlusion:
        return rvi_map_occlusion(land, &how, bytes);
    case RV_texture_kind_slope:
        return rvi_map_slope(land, &how, bytes);
    case RV_texture_kind_curvature:
        return rvi_map_curvature(land, &how, bytes);
    case RV_texture_kind_colour:
        return rvi_map_colour(land, &how, bytes);
    case RV_texture_kind_field:
        return rvi_map_field(land, &how, p->field, bytes);
    default:
        return rvi_map_splat(land, &how, bytes);
    }
}

/* Bytes a cell while it is drawn, beside the picture. */
static size_t drawn_with(const rv_terrain *land, const rv_texture_params *p) {
    bool shows = p->kind == RV_texture_kind_field && rvi_volume_shows(land, p->field);
    bool covers = p->kind == RV_texture_kind_splat || p->kind == RV_texture_kind_colour;
    bool line = land->width == 1 || land->height == 1; /* one row becomes two */
    return p->kind == RV_texture_kind_occlusion            ? line ? 50 : 17
           : covers                                        ? 16
           : p->kind == RV_texture_kind_curvature || shows ? 4
                                                           : 0;
}

typedef struct texture {
    const rv_texture_params *p;
    int channels;
    unsigned char *bytes;
    unsigned char *layer; /* of a splat map: one of its channels */
} texture;

/* ---- the layers of a splat map, one file each ---- */

enum { LAYERS = 4 };
static const char *const layers[LAYERS] = {"rock", "grass", "sediment", "snow"};

/* land-rock.png beside land.png, from rvi_alloc. */
static char *name_layer(rv_context *ctx, const char *file, int layer) {
    size_t stem = strlen(file) - strlen(".png"), size = stem + strlen(layers[layer]) + 6;
    char *path = rvi_alloc(ctx, size, 1, "the name of a picture");
    if (path)
        snprintf(path, size, "%.*s-%s.png", (int)stem, file, layers[layer]);
    return path;
}

static rv_status list_layers(rvi_job *job, const char *file) {
    rv_status status = RV_OK;
    for (int k = 0; k < LAYERS && status == RV_OK; k++) {
        char *path = name_layer(job->ctx, file, k);
        status =
            path ? rvi_job_draws(job, path, job->land->width, job->land->height) : RV_ERROR_MEMORY;
        rvi_free(job->ctx, path);
    }
    return status;
}

static rv_status write_layer(rvi_job *job, const texture *t, int layer) {
    char *path = name_layer(job->ctx, t->p->file, layer);
    if (!path)
        return RV_ERROR_MEMORY;
    for (size_t i = 0; i < rvi_cells(job->land); i++)
        t->layer[i] = t->bytes[LAYERS * i + (size_t)layer];
    rv_status status =
        rvi_png_write_picture(job->ctx, path, job->land->width, job->land->height, 1, t->layer);
    rvi_free(job->ctx, path);
    return status;
}

/* ---- the step ---- */

static rv_status run(rvi_job *job) {
    const rv_terrain *land = job->land;
    const texture *t = job->state;
    rv_status status = draw(land, t->p, t->bytes);
    if (status == RV_OK)
        status = rvi_png_write_picture(job->ctx, t->p->file, land->width, land->height, t->channels,
                                       t->bytes);
    for (int k = 0; k < LAYERS && t->layer && status == RV_OK; k++)
        status = write_layer(job, t, k);
    return status;
}

rv_status rvi_step_texture(rvi_job *job, const rv_texture_params *p) {
    rv_status status = rvi_job_draws(job, p->file, job->land->width, job->land->height);
    bool of_field = p->kind == RV_texture_kind_field;
    if (status == RV_OK && of_field && !rvi_values_there(job->land, p->field) &&
        !rvi_volume_shows(job->land, p->field))
        return rvi_job_no_field(job, p->field, "for a texture");
    bool split = p->split && p->kind == RV_texture_kind_splat;
    if (status == RV_OK && split)
        status = list_layers(job, p->file);
    if (status != RV_OK)
        return status;
    size_t cells = rvi_cells(job->land);
    texture *t = rvi_job_begin(job, sizeof *t, run, NULL);
    if (!t)
        return RV_ERROR_MEMORY;
    t->p = p;
    t->channels = p->kind == RV_texture_kind_normal || p->kind == RV_texture_kind_colour ? 3
                  : p->kind == RV_texture_kind_splat                                     ? 4
                                                                                         : 1;
    rvi_job_buffer(job, &t->bytes, cells, (size_t)t->channels, "a picture");
    if (split)
        rvi_job_buffer(job, &t->layer, cells, 1, "a picture");
    rvi_buffers_pass(&job->buffers, cells * drawn_with(job->land, p) + 262144);
    return RV_OK;
}
