/* open.c: starts over with the heights of a file, or with a whole land. The user's word goes before
 * the sidecar's, and that before the defaults. A sidecar that was written for another file has no
 * word. A level l of 0 ... top becomes low + l / top * (high - low) metres, where the sidecar names
 * no curve. */
#include <math.h>

#include "formats/land_file.h"
#include "formats/mesh_format.h"
#include "steps/open/fill_holes.h"
#include "steps/open/sample_mesh.h"
#include "steps/step.h"
#include "wear/planned_files.h"

static const float default_low = 0.0f, default_high = 1000.0f, default_cell = 10.0f; /* metres */
static const float height_most = 1e9f; /* metres; beyond lie marks for "no data" */

typedef struct scale {
    float low, high, cell;
    rvi_curve curve;
    bool guessed_range, guessed_cell;
} scale;

static float choose(float given, float sidecar, float otherwise, bool *guessed) {
    if (!isnan(given))
        return given;
    if (!isnan(sidecar))
        return sidecar;
    *guessed = true;
    return otherwise;
}

static rv_status choose_scale(rv_context *ctx, const rv_open_params *p, const rvi_sidecar *sidecar,
                              const rvi_image *image, scale *out) {
    *out = (scale){0};
    bool all_told = !isnan(p->cell) && (!image->levels || (!isnan(p->low) && !isnan(p->high)));
    if (sidecar->foreign && !all_told)
        return rvi_sidecar_foreign(ctx, p->file, sidecar, rvi_format_find(p->file));
    out->cell = choose(p->cell, sidecar->scale.cell, default_cell, &out->guessed_cell);
    if (!image->levels)
        return RV_OK;
    bool told_curve = p->curve != RV_open_curve_sidecar;
    out->curve = told_curve         ? (rvi_curve)(p->curve - RV_open_curve_linear)
                 : sidecar->foreign ? RVI_LINEAR
                                    : sidecar->scale.curve;
    out->low = choose(p->low, sidecar->scale.low, default_low, &out->guessed_range);
    out->high = choose(p->high, sidecar->scale.high, default_high, &out->guessed_range);
    bool told = !isnan(p->low) || !isnan(p->high); /* only a sidecar may say that land is flat */
    if (out->low > out->high || (out->low == out->high && told))
        return rvi_fail(ctx, RV_ERROR_USAGE, "%s: low=%.9g is not below high=%.9g.", p->file,
                        (double)out->low, (double)out->high);
    return RV_OK;
}

static rv_status make_heights(rv_context *ctx, const char *file, const scale *chosen,
                              const rvi_image *image) {
    for (int y = 0; y < image->height; y++) {
        float *row = image->values + (size_t)y * (size_t)image->width;
        for (int x = 0; x < image->width; x++) {
            if (image->levels)
                row[x] = rvi_level_to_value(row[x], image->bits, chosen->low, chosen->high,
                                            chosen->curve);
            if (row[x] < -height_most || row[x] > height_most)
                return rvi_fail(ctx, RV_ERROR_INPUT,
                                "%s: the height at row %d, column %d (counted from 0) is %g m, "
                                "which no land has; is it a mark for no data?",
                                file, y, x, (double)row[x]);
        }
        if (rvi_poll(ctx) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

static void say_what_is_guessed(rv_context *ctx, const char *file, const scale *chosen,
                                const rvi_image *image) {
    if (chosen->guessed_range)
        rvi_log(ctx, "%s: no scale is known, so heights run from %g to %g m and cells are %g m.",
                file, (double)chosen->low, (double)chosen->high, (double)chosen->cell);
    else if (chosen->guessed_cell)
        rvi_log(ctx, "%s: no size of a cell is known, so cells are %g m.", file,
                (double)chosen->cell);
    if (image->levels && image->bits == 8)
        rvi_log(ctx, "%s: 8 bit hold only 256 levels, so the land has steps of %.3g m.", file,
                ((double)chosen->high - (double)chosen->low) / 255.0);
}

/* The land becomes what was read, whole or not at all; takes the values over. */
static rv_status take_image(rvi_job *job, const char *file, float cell, rvi_image *image) {
    float *hole = NULL;
    rv_terrain *fresh = NULL;
    rv_terrain_desc desc = {image->width, image->height, cell};
    rv_status status = rvi_holes_fill(job->ctx, file, image, &hole);
    if (status == RV_OK)
        status = rv_terrain_create(job->ctx, &desc, &fresh);
    if (status == RV_OK && hole)
        status = rv_terrain_field_set(fresh, "hole", hole);
    rvi_free(job->ctx, hole);
    if (status == RV_OK) {
        rvi_terrain_adopt_surface(fresh, image->values);
        rvi_terrain_swap(job->land, fresh);
    } else {
        rvi_free(job->ctx, image->values);
    }
    rv_terrain_destroy(fresh);
    return status;
}

static rv_status read(rvi_job *job, const rv_open_params *p, bool look, rvi_image *image,
                      scale *chosen) {
    rvi_sidecar sidecar;
    int width = p->width > 0 ? p->width : 0;
    bool keep = p->holes == RV_open_holes_keep;
    rv_status status;
    if (look)
        status = rvi_job_look(job, p->file, width, keep, &sidecar, image);
    else
        status = (keep ? rvi_image_read_holes : rvi_image_read)(job->ctx, p->file, width, false,
                                                                &sidecar, image);
    if (status != RV_OK)
        return status;
    status = choose_scale(job->ctx, p, &sidecar, image, chosen);
    if (status != RV_OK)
        rvi_free(job->ctx, image->values);
    return status;
}

static rv_status run(rvi_job *job) {
    const rv_open_params *const *held = job->state, *p = *held;
    rvi_image image;
    scale chosen;
    rv_status status = read(job, p, false, &image, &chosen);
    if (status != RV_OK)
        return status;
    job->after.cell = chosen.cell; /* another process may have saved to it since the look */
    if (image.width != job->after.width || image.height != job->after.height)
        status = rvi_fail(job->ctx, RV_ERROR_INPUT, "%s: changed while it was read.", p->file);
    else
        status = make_heights(job->ctx, p->file, &chosen, &image);
    if (status != RV_OK) {
        rvi_free(job->ctx, image.values);
        return status;
    }
    status = take_image(job, p->file, chosen.cell, &image);
    if (status == RV_OK)
        say_what_is_guessed(job->ctx, p->file, &chosen, &image);
    return status;
}

/* ---- a mesh ---- */

static bool is_mesh(const rv_open_params *p) {
    const rvi_mesh_format *format = rvi_mesh_format_find(p->file);
    return format && format->decode;
}

static rv_status run_mesh(rvi_job *job) {
    const rv_open_params *const *held = job->state, *p = *held;
    rvi_image image;
    rvi_mesh_grid grid;
    rv_status status = rvi_mesh_grid_sample(job, p, &grid, &image);
    if (status != RV_OK)
        return status;
    if (image.width != job->after.width || image.height != job->after.height) {
        rvi_free(job->ctx, image.values);
        return rvi_fail(job->ctx, RV_ERROR_INPUT, "%s: changed while it was read.", p->file);
    }
    status = take_image(job, p->file, grid.cell, &image);
    if (status == RV_OK && grid.guessed)
        rvi_log(job->ctx, "%s: no size of a cell is given, so cells are %.3g m.", p->file,
                (double)grid.cell);
    return status;
}

/* ---- land files ---- */

static rv_status run_land(rvi_job *job) {
    const rv_open_params *const *p = job->state;
    rv_terrain *fresh;
    rv_status status = rvi_land_file_read(job->ctx, (*p)->file, &fresh);
    if (status != RV_OK)
        return status;
    if (rvi_outline_same(&job->after, fresh))
        rvi_terrain_swap(job->land, fresh);
    else
        status = rvi_fail(job->ctx, RV_ERROR_INPUT, "%s: changed while it was read.", (*p)->file);
    rv_terrain_destroy(fresh);
    return status;
}

static rv_status open_land(rvi_job *job, const rv_open_params *p) {
    if (!isnan(p->low) || !isnan(p->high) || !isnan(p->cell) || p->width != RV_AUTO_INT ||
        p->curve != RV_open_curve_sidecar)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "%s: a land file says its scale itself; low=, high=, curve=, cell= and "
                        "width= are for heightmaps.",
                        p->file);
    rv_terrain after;
    size_t memory;
    rv_status status = rvi_job_look_land(job, p->file, &after, &memory);
    if (status != RV_OK)
        return status;
    after.erosion = (rvi_erosion_function){.fn = NULL}; /* no file holds it */
    rvi_terrain_swap(&job->after, &after);
    rvi_outline_free(&after);
    rvi_buffers_pass(&job->buffers, memory);
    job->run = run_land;
    return RV_OK;
}

/* ---- the step ---- */

/* How large the land will be: a look at the header says it, or at all of a mesh. */
static rv_status look(rvi_job *job, const rv_open_params *p, rvi_image *image, float *cell) {
    rvi_mesh_grid grid = {0};
    scale chosen = {0};
    rv_status status;
    *image = (rvi_image){0};
    if (!is_mesh(p) && !rvi_format_find(p->file))
        return rvi_fail(job->ctx, RV_ERROR_INPUT,
                        "%s: the name must end in .png, .r16, .r32 or .npy, of a mesh in .obj or "
                        ".ply, or of a land file in .npz.",
                        p->file);
    if (is_mesh(p)) {
        status = rvi_mesh_grid_plan(job, p, &grid);
        image->width = grid.width;
        image->height = grid.height;
        *cell = grid.cell;
    } else {
        status = read(job, p, true, image, &chosen);
        *cell = chosen.cell;
    }
    return status;
}

rv_status rvi_step_open(rvi_job *job, const rv_open_params *p) {
    const rv_open_params **held =
        rvi_job_begin(job, sizeof *held, is_mesh(p) ? run_mesh : run, NULL);
    if (!held)
        return RV_ERROR_MEMORY;
    *held = p;
    job->replaces = true;
    if (rvi_land_file_is(p->file))
        return open_land(job, p);
    rvi_image image;
    float cell = 0;
    rv_status status = look(job, p, &image, &cell);
    if (status == RV_OK)
        status = rvi_terrain_reset(&job->after, image.width, image.height, cell);
    if (status != RV_OK)
        return status;
    bool holes = p->holes == RV_open_holes_keep;
    if (holes)
        status = rvi_field_add(&job->after, "hole");
    /* The values, and with holes a grid of them, lie beside the new land; before that the values
     * beside the bytes of the file. */
    size_t floats = rvi_alloc_size(rvi_cells(&job->after), sizeof(float));
    size_t beside = holes ? 2 * floats : floats, land = rvi_outline_bytes(&job->after);
    size_t reading = rvi_image_bytes(&image) + floats;
    rvi_buffers_keep(&job->buffers, reading > land + beside ? reading - land : beside);
    return status;
}
