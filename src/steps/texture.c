/* texture.c: writes a picture for use in other programs (picture/maps.c). */
#include "picture/maps.h"
#include "steps/step.h"
#include "wear/planned_files.h"

static rv_status draw(const rv_terrain *land, const rv_texture_params *p, unsigned char *bytes) {
    rvi_map how = {.down = p->y == RV_texture_y_down,
                   .z = p->z,
                   .reach = p->reach,
                   .limit = p->limit,
                   .snow = p->snow};
    switch (p->kind) {
    case RV_texture_kind_normal:
        return rvi_map_normal(land, &how, bytes);
    case RV_texture_kind_occlusion:
        return rvi_map_occlusion(land, &how, bytes);
    case RV_texture_kind_slope:
        return rvi_map_slope(land, &how, bytes);
    case RV_texture_kind_curvature:
        return rvi_map_curvature(land, &how, bytes);
    default:
        return rvi_map_splat(land, &how, bytes);
    }
}

/* Bytes a cell while it is drawn, beside the picture. */
static size_t drawn_with(int kind) {
    return kind == RV_texture_kind_occlusion   ? 17
           : kind == RV_texture_kind_splat     ? 16
           : kind == RV_texture_kind_curvature ? 4
                                               : 0;
}

typedef struct texture {
    const rv_texture_params *p;
    int channels;
    unsigned char *bytes;
} texture;

static rv_status run(rvi_job *job) {
    const rv_terrain *land = job->land;
    const texture *t = job->state;
    rv_status status = draw(land, t->p, t->bytes);
    if (status == RV_OK)
        status = rvi_png_write_picture(job->ctx, t->p->file, land->width, land->height, t->channels,
                                       t->bytes);
    return status;
}

rv_status rvi_step_texture(rvi_job *job, const rv_texture_params *p) {
    rv_status status = rvi_job_draws(job, p->file, job->land->width, job->land->height);
    if (status != RV_OK)
        return status;
    size_t cells = rvi_cells(job->land);
    texture *t = rvi_job_begin(job, sizeof *t, run, NULL);
    if (!t)
        return RV_ERROR_MEMORY;
    t->p = p;
    t->channels = p->kind == RV_texture_kind_normal ? 3 : p->kind == RV_texture_kind_splat ? 4 : 1;
    rvi_job_buffer(job, &t->bytes, cells, (size_t)t->channels, "a picture");
    rvi_buffers_pass(&job->buffers, cells * drawn_with(p->kind) + 262144);
    return RV_OK;
}
