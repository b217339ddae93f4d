/* crop.c: cuts a rectangle out of the map, with all layers and fields. */
#include "base/math.h"
#include "steps/step.h"

#include <string.h>

typedef struct rectangle {
    int x, y, width, height;
    float lost; /* a margin in m of less than half a cell */
} rectangle;

static rv_status cut_on_device(rvi_job *job, const float *from, const rectangle *r, float *to) {
    const rv_terrain *land = job->land;
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_READ, from),
        {RVI_DEVICE_WRITE, to, (size_t)r->width * (size_t)r->height * sizeof *to},
        RVI_VALUE(land->width),
        RVI_VALUE(r->width),
        RVI_VALUE(r->x),
        RVI_VALUE(r->y),
    };
    return RVI_RUN(job->device, "crop_map", "cut", (size_t)r->width, (size_t)r->height, args);
}

static rv_status cut(rvi_job *job, const float *from, const rectangle *r, float *to) {
    size_t width = (size_t)r->width, from_width = (size_t)job->land->width;
    if (job->device)
        return cut_on_device(job, from, r, to);
    for (int y = 0; y < r->height; y++) {
        size_t start = (size_t)(r->y + y) * from_width + (size_t)r->x;
        memcpy(to + (size_t)y * width, from + start, width * sizeof *to);
        if (rvi_poll(job->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

static rv_status cut_all(rvi_job *job, const rectangle *r, rv_terrain *piece) {
    const rv_terrain *land = job->land;
    rv_status status = RV_OK;
    for (int i = 0; status == RV_OK && i < land->layer_count; i++)
        status = cut(job, land->layers[i].thickness, r, piece->layers[i].thickness);
    for (int i = 0; status == RV_OK && i < land->field_count; i++)
        status = cut(job, land->fields[i].values, r, piece->fields[i].values);
    return status == RV_OK ? rvi_job_sum_layers(job, piece) : status;
}

static rv_status run(rvi_job *job) {
    rv_terrain *land = job->land, *piece;
    const rectangle *r = job->state;
    if (r->lost > 0.0f)
        rvi_log(job->ctx,
                "crop: a margin of %.9g m is less than half a cell of %.9g m and removes nothing; "
                "margin=4cells counts cells.",
                (double)r->lost, (double)land->cell);
    rv_status status = rvi_terrain_create_like(land, r->width, r->height, land->cell, &piece);
    if (status != RV_OK)
        return status;
    piece->strata.x += (double)r->x * (double)land->cell;
    piece->strata.y += (double)r->y * (double)land->cell;
    piece->volume.x += (double)r->x * (double)land->cell;
    piece->volume.y += (double)r->y * (double)land->cell;
    piece->erosion.x += (double)r->x * (double)land->cell;
    piece->erosion.y += (double)r->y * (double)land->cell;
    rvi_georeference_shift(&piece->geo, r->x, r->y);
    status = cut_all(job, r, piece);
    if (status == RV_OK)
        rvi_terrain_swap(land, piece);
    rv_terrain_destroy(piece);
    return status;
}

/* Of more than the map has, no more is left. */
static int margin_cells(const rv_terrain *land, float margin) {
    float cells = rvi_length(margin, land->cell) / land->cell;
    return (int)(rvi_minf(cells, 1e8f) + 0.5f);
}

rv_status rvi_step_crop(rvi_job *job, const rv_crop_params *p) {
    const rv_terrain *land = job->land;
    int margin = margin_cells(land, p->margin);
    int inner_width = land->width - 2 * margin, inner_height = land->height - 2 * margin;
    if (inner_width < 1 || inner_height < 1)
        return rvi_fail(
            job->ctx, RV_ERROR_USAGE,
            "crop: a margin of %d cells along all sides leaves nothing of %d x %d cells.", margin,
            land->width, land->height);
    rectangle r = {.x = p->x, .y = p->y, .width = p->width, .height = p->height};
    r.width = r.width == RV_AUTO_INT ? inner_width - r.x : r.width;
    r.height = r.height == RV_AUTO_INT ? inner_height - r.y : r.height;
    if (r.x >= inner_width || r.y >= inner_height)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "crop begins at column %d, row %d, but the map has only %d x %d cells.",
                        r.x, r.y, inner_width, inner_height);
    if (r.width > inner_width - r.x || r.height > inner_height - r.y)
        return rvi_fail(
            job->ctx, RV_ERROR_USAGE,
            "crop: %d x %d cells from column %d, row %d reach beyond the map, which has "
            "%d x %d cells.",
            r.width, r.height, r.x, r.y, inner_width, inner_height);
    rectangle *kept = rvi_job_begin(job, sizeof *kept, run, NULL);
    if (!kept)
        return RV_ERROR_MEMORY;
    *kept = (rectangle){r.x + margin, r.y + margin, r.width, r.height, 0.0f};
    kept->lost = margin == 0 ? rvi_length(p->margin, land->cell) : 0.0f;
    job->replaces = true;
    job->on_device = true;
    rvi_georeference_shift(&job->after.geo, kept->x, kept->y);
    return rvi_outline_resize(&job->after, r.width, r.height, land->cell);
}
