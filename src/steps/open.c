/* open.c: starts over with the heights of a file, or with a whole land. The user's word goes before
 * that of the file, then comes the sidecar's, and then the defaults. A sidecar that was written for
 * another file has no word. A level l of 0 ... top becomes low + l / top * (high - low) metres,
 * where the sidecar names no curve. Where a map has cells that are no squares, the land gets
 * squares as wide as their shorter side (terrain/resample.c). */
#include <math.h>

#include "base/math.h"
#include "formats/gdal.h"
#include "formats/geo_keys.h"
#include "formats/land_file.h"
#include "formats/mesh_format.h"
#include "steps/open/fill_holes.h"
#include "steps/open/sample_mesh.h"
#include "steps/step.h"
#include "terrain/resample.h"
#include "wear/planned_files.h"

static const float default_low = 0.0f, default_high = 1000.0f, default_cell = 10.0f; /* metres */
static const float height_most = 1e9f; /* metres; beyond lie marks for "no data" */

typedef struct scale {
    float low, high, cell;
    rvi_curve curve;
    bool guessed_range, guessed_cell;
    int width, height; /* of the land; other than those of the file where that has no squares */
    rvi_georeference geo;
} scale;

static float choose(float given, float sidecar, float otherwise, bool *guessed) {
    if (!isnan(given))
        return given;
    if (!isnan(sidecar))
        return sidecar;
    *guessed = true;
    return otherwise;
}

/* What the georeference of the file says of the land: how large cells are, and how many it takes.
 */
static rv_status choose_squares(rv_context *ctx, const rv_open_params *p,
                                const rvi_sidecar *sidecar, const rvi_image *image, scale *out) {
    const rvi_georeference *g = &image->geo;
    out->geo = *g;
    if (!isnan(p->cell))
        return RV_OK; /* these are squares */
    if (sidecar->present && !sidecar->foreign && !isnan(sidecar->scale.cell)) {
        out->cell = sidecar->scale.cell; /* saved here: they are squares, in metres */
        return RV_OK;
    }
    double unit = rvi_geo_unit(g, image->width, image->height);
    if (unit == 0.0)
        return rvi_georeference_degrees(ctx, p->file, g, image->width, image->height);
    double step = g->step_x < g->step_y ? g->step_x : g->step_y;
    double across = (image->width - 1) * (g->step_x / step);
    double down = (image->height - 1) * (g->step_y / step);
    out->cell = (float)(step * unit);
    if (!(across < RVI_SIDE_MOST && down < RVI_SIDE_MOST))
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s: as squares its cells of %.9g x %.9g would be more than %d along a "
                        "side.",
                        p->file, g->step_x, g->step_y, RVI_SIDE_MOST);
    out->width = 1 + (int)(across + 0.5);
    out->height = 1 + (int)(down + 0.5);
    rvi_georeference_resize(&out->geo, image->width, image->height, out->width, out->height);
    return RV_OK;
}

static rv_status choose_scale(rv_context *ctx, const rv_open_params *p, const rvi_sidecar *sidecar,
                              const rvi_image *image, scale *out) {
    *out = (scale){.width = image->width, .height = image->height};
    bool is_map = rvi_georeference_known(&image->geo);
    const rvi_format *format = rvi_format_find(p->file); /* NULL: GDAL made a TIFF of it */
    bool all_told =
        (is_map || !isnan(p->cell)) && (!image->levels || (!isnan(p->low) && !isnan(p->high)));
    if (sidecar->foreign && !all_told)
        return rvi_sidecar_foreign(ctx, p->file, sidecar,
                                   format != NULL ? format : &rvi_format_tif);
    out->cell =
        choose(p->cell, is_map ? 0.0f : sidecar->scale.cell, default_cell, &out->guessed_cell);
    rv_status status = is_map ? choose_squares(ctx, p, sidecar, image, out) : RV_OK;
    if (!is_map && !sidecar->foreign)
        out->geo = sidecar->scale.geo;
    if (!image->levels || status != RV_OK)
        return status;
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

/* Did the user say that it stands for no height? */
static bool is_told(const rv_open_params *p, float value) {
    bool beyond = p->nodata < -height_most || p->nodata > height_most;
    return value == p->nodata || (beyond && (value < -height_most || value > height_most));
}

/* What many files have where there is no height; no land does, unless the user says that another
 * value is the mark. */
static bool is_mark(const rv_open_params *p, const rvi_image *image, float value) {
    return !image->levels && isnan(p->nodata) && (value == -9999.0f || value == -32768.0f);
}

static rv_status bad_height(rv_context *ctx, const rv_open_params *p, int y, int x, float value) {
    double told = value < -1e37f ? -1e37 : value > 1e37f ? 1e37 : (double)value;
    return rvi_fail(ctx, RV_ERROR_INPUT,
                    "%s: the height at row %d, column %d (counted from 0) is %g m, which no land "
                    "has; is it a mark for no data? Then say nodata=%.9g.",
                    p->file, y, x, (double)value, told);
}

static rv_status make_heights(rv_context *ctx, const rv_open_params *p, const scale *chosen,
                              const rvi_image *image) {
    for (int y = 0; y < image->height; y++) {
        float *row = image->values + (size_t)y * (size_t)image->width;
        for (int x = 0; x < image->width; x++) {
            if (image->levels)
                row[x] = rvi_level_to_value(row[x], image->bits, chosen->low, chosen->high,
                                            chosen->curve);
            else if (is_told(p, row[x]))
                row[x] = NAN;
            if (row[x] < -height_most || row[x] > height_most || is_mark(p, image, row[x]))
                return bad_height(ctx, p, y, x, row[x]);
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

/* Do cells without a height become holes? */
static bool keeps_holes(const rv_open_params *p, const rvi_image *image) {
    return p->holes == RV_open_holes_keep || image->marked || (!image->levels && !isnan(p->nodata));
}

static rv_status stretch(rv_context *ctx, float **values, const rvi_image *image,
                         const scale *chosen, rvi_filter filter) {
    size_t cells = (size_t)chosen->width * (size_t)chosen->height;
    float *squares = rvi_alloc(ctx, cells, sizeof *squares, "the squares of a map");
    if (squares == NULL)
        return RV_ERROR_MEMORY;
    rv_status status = rvi_resample(ctx, *values, image->width, image->height, squares,
                                    chosen->width, chosen->height, filter);
    rvi_free(ctx, status == RV_OK ? *values : squares);
    *values = status == RV_OK ? squares : *values;
    return status;
}

static bool is_stretched(const rvi_image *image, const scale *chosen) {
    return chosen->width != image->width || chosen->height != image->height;
}

static rv_status make_squares(rvi_job *job, const char *file, const scale *chosen, rvi_image *image,
                              float **hole) {
    if (!is_stretched(image, chosen))
        return RV_OK;
    rv_status status = stretch(job->ctx, &image->values, image, chosen, RVI_FILTER_CUBIC);
    if (status == RV_OK && *hole)
        status = stretch(job->ctx, hole, image, chosen, RVI_FILTER_NEAREST);
    if (status == RV_OK)
        rvi_log(job->ctx,
                "%s: %d x %d cells of %.9g x %.9g were resampled to %d x %d squares of %.6g m.",
                file, image->width, image->height, image->geo.step_x, image->geo.step_y,
                chosen->width, chosen->height, (double)chosen->cell);
    return status;
}

static void say_holes(rv_context *ctx, const char *file, const rvi_image *image,
                      const float *hole) {
    size_t cells = (size_t)image->width * (size_t)image->height, count = 0;
    for (size_t i = 0; i < cells; i++)
        count += hole[i] > 0.0f;
    rvi_log(ctx, "%s: %zu of %zu cells have no height; they are holes.", file, count, cells);
}

/* The land becomes what was read, whole or not at all; takes the values over. */
static rv_status take_image(rvi_job *job, const rv_open_params *p, const scale *chosen,
                            rvi_image *image) {
    float *hole = NULL;
    rv_terrain *fresh = NULL;
    rv_terrain_desc desc = {chosen->width, chosen->height, chosen->cell};
    rv_status status = rvi_holes_fill(job->ctx, p->file, image, &hole);
    if (status == RV_OK && hole && p->holes != RV_open_holes_keep)
        say_holes(job->ctx, p->file, image, hole);
    if (status == RV_OK)
        status = make_squares(job, p->file, chosen, image, &hole);
    if (status == RV_OK)
        status = rv_terrain_create(job->ctx, &desc, &fresh);
    if (status == RV_OK && hole)
        status = rv_terrain_field_set(fresh, "hole", hole);
    rvi_free(job->ctx, hole);
    if (status == RV_OK) {
        fresh->geo = chosen->geo;
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

static rv_status try_image(rvi_job *job, const char *path, const void *arg) {
    const rv_open_params *p = arg;
    rvi_image image;
    scale chosen;
    rv_status status = read(job, p, false, &image, &chosen);
    if (status != RV_OK)
        return status;
    float *hole = NULL;
    status = make_heights(job->ctx, p, &chosen, &image);
    if (status == RV_OK)
        status = rvi_holes_fill(job->ctx, path, &image, &hole);
    rvi_free(job->ctx, hole);
    rvi_free(job->ctx, image.values);
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
    if (chosen.width != job->after.width || chosen.height != job->after.height)
        status = rvi_fail(job->ctx, RV_ERROR_INPUT, "%s: changed while it was read.", p->file);
    else
        status = make_heights(job->ctx, p, &chosen, &image);
    if (status != RV_OK) {
        rvi_free(job->ctx, image.values);
        return status;
    }
    status = take_image(job, p, &chosen, &image);
    if (status == RV_OK)
        say_what_is_guessed(job->ctx, p->file, &chosen, &image);
    return status;
}

/* ---- a mesh ---- */

static bool is_mesh(const rv_open_params *p) {
    const rvi_mesh_format *format = rvi_mesh_format_find(p->file);
    return format && format->decode;
}

static rv_status try_mesh(rvi_job *job, const char *path, const void *arg) {
    rvi_image image;
    rvi_mesh_grid grid;
    (void)path;
    rv_status status = rvi_mesh_grid_sample(job, arg, &grid, &image);
    if (status == RV_OK)
        rvi_free(job->ctx, image.values);
    return status;
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
    scale chosen = {.cell = grid.cell, .width = image.width, .height = image.height};
    status = take_image(job, p, &chosen, &image);
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

static rv_status try_land(rvi_job *job, const char *path, const void *arg) {
    rv_terrain *land = NULL;
    (void)arg;
    rv_status status = rvi_land_file_read(job->ctx, path, &land);
    rv_terrain_destroy(land);
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
    rv_status status = rvi_job_try(job, p->file, try_land, NULL);
    if (status == RV_OK)
        status = rvi_job_look_land(job, p->file, &after, &memory);
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
static rv_status look(rvi_job *job, const rv_open_params *p, rvi_image *image, scale *chosen) {
    rvi_mesh_grid grid = {0};
    rv_status status;
    *image = (rvi_image){0};
    if (!is_mesh(p) && !rvi_format_find(p->file) && !rvi_gdal_reads(p->file))
        return rvi_fail(
            job->ctx, RV_ERROR_INPUT,
            "%s: the name must end in .png, .r16, .r32, .npy, .tif, .asc or .exr, of a mesh "
            "in .obj or .ply, or of a land file in .npz.",
            p->file);
    if (is_mesh(p)) {
        status = rvi_mesh_grid_plan(job, p, &grid);
        image->width = grid.width;
        image->height = grid.height;
        *chosen = (scale){.cell = grid.cell, .width = grid.width, .height = grid.height};
        if (status == RV_OK)
            status = rvi_job_try(job, p->file, try_mesh, p);
    } else {
        status = read(job, p, true, image, chosen);
        if (status == RV_OK)
            status = rvi_job_try(job, p->file, try_image, p);
    }
    return status;
}

/* The values, and with holes a grid of them, lie beside the new land; before that the values beside
 * the bytes of the file, and beside those that become squares. */
static void list_memory(rvi_job *job, const rvi_image *image, const scale *chosen, bool holes) {
    size_t cells = (size_t)image->width * (size_t)image->height;
    size_t read = rvi_alloc_size(cells, sizeof(float));
    size_t floats = rvi_alloc_size(rvi_cells(&job->after), sizeof(float));
    size_t grids = holes ? 2 : 1, land = rvi_outline_bytes(&job->after);
    size_t reading = rvi_image_bytes(image) + read, most = land + grids * floats;
    if (is_stretched(image, chosen)) {
        size_t squares =
            grids * (read + floats) + rvi_resample_bytes(image->width, image->height, chosen->width,
                                                         chosen->height, RVI_FILTER_CUBIC);
        most = squares > most ? squares : most;
    }
    most = reading > most ? reading : most;
    rvi_buffers_keep(&job->buffers, most - land);
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
    scale chosen = {0};
    rv_status status = look(job, p, &image, &chosen);
    if (status == RV_OK)
        status = rvi_terrain_reset(&job->after, chosen.width, chosen.height, chosen.cell);
    if (status != RV_OK)
        return status;
    bool holes = keeps_holes(p, &image);
    if (holes)
        status = rvi_field_add(&job->after, "hole");
    job->after.geo = chosen.geo;
    list_memory(job, &image, &chosen, holes);
    return status;
}
