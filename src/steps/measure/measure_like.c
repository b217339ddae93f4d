/* measure_like.c: ten measures of the shape of a land beside those of real elevation data.
 *
 * Measures of shape depend on the size of cells, so both lands are brought to the larger of their
 * two cell sizes. The ranges are those of windows of 512 x 512 cells of 90 m: the Andes, the San
 * Gabriel Mountains and the tableland of New South Wales. Other sizes give other numbers; the
 * reference beside them says how much.
 */
#include "steps/measure/measure_like.h"
#include "formats/geo_keys.h"
#include "terrain/figures.h"
#include "terrain/resample.h"
#include "wear/planned_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_SIDE = 64 }; /* cells, of a land that is worth comparing */

static const struct shape_measure {
    const char *label, *figure, *of_reference;
    double low, high; /* of real land */
} MEASURES[RVI_SHAPE_MEASURES] = {
    {"concavity", "shape_concavity", "like_concavity", 0.28, 0.42},
    {"area exponent", "shape_area_exponent", "like_area_exponent", 0.48, 0.53},
    {"length ratio", "shape_length_ratio", "like_length_ratio", 2.1, 2.4},
    {"hypsometric integral", "shape_integral", "like_integral", 0.26, 0.44},
    {"skew of slopes", "shape_slope_skew", "like_slope_skew", -0.3, 1.0},
    {"skew of curvatures", "shape_curvature_skew", "like_curvature_skew", -0.4, 0.05},
    {"kurtosis of curvatures", "shape_curvature_kurtosis", "like_curvature_kurtosis", 4.3, 5.7},
    {"land in valleys, %", "shape_valleys", "like_valleys", 12, 20},
    {"land on ridges, %", "shape_ridges", "like_ridges", 9, 13},
    {"spectral slope", "shape_spectral_slope", "like_spectral_slope", 3.3, 3.9},
};

static void take_measures(const rvi_survey *s, double out[RVI_SHAPE_MEASURES]) {
    const double values[RVI_SHAPE_MEASURES] = {
        -s->concavity.limited.slope,   s->exceedance,
        s->network.length_ratio,       s->surface.integral,
        s->surface.slope.skew,         s->surface.curvature.skew,
        s->surface.curvature.kurtosis, 100.0 * s->forms.share[9],
        100.0 * s->forms.share[3],     s->spectrum.slope};
    memcpy(out, values, sizeof values);
}

/* ---- the reference ---- */

/* Metres between its columns and between its rows. */
static rv_status find_steps(rv_context *ctx, const char *file, const rvi_sidecar *sidecar,
                            const rvi_image *image, double step[2]) {
    bool told = sidecar->present && !sidecar->foreign && !isnan(sidecar->scale.cell);
    step[0] = step[1] = told ? (double)sidecar->scale.cell : 0.0;
    if (!told && rvi_georeference_known(&image->geo)) {
        double unit = rvi_geo_unit(&image->geo, image->width, image->height);
        if (unit == 0.0)
            return rvi_georeference_degrees(ctx, file, &image->geo, image->width, image->height);
        step[0] = image->geo.step_x * unit;
        step[1] = image->geo.step_y * unit;
    }
    if (!(step[0] > 0.0 && step[1] > 0.0))
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s: the size of its cells is not known; open it with cell=... and save it "
                        "again.",
                        file);
    if (image->levels && (sidecar->foreign || isnan(sidecar->scale.low)))
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s: it is not known which heights its levels stand for; open it with "
                        "low=... and high=... and save it again.",
                        file);
    return RV_OK;
}

/* Cells of `cell` metres along a side of `count` cells of `step` metres. */
static int cells_along(int count, double step, double cell) {
    return 1 + (int)((count - 1) * step / cell + 0.5);
}

/* Both lands at their common cell size. */
typedef struct common {
    double cell;
    int own[2], reference[2]; /* cells from west to east and from north to south */
} common;

static rv_status find_common(rvi_job *job, const char *file, const rvi_image *image,
                             const double step[2], common *out) {
    const rv_terrain *land = job->land;
    double own = (double)land->cell, coarser = step[0] > step[1] ? step[0] : step[1];
    out->cell = own > coarser ? own : coarser;
    out->own[0] = cells_along(land->width, own, out->cell);
    out->own[1] = cells_along(land->height, own, out->cell);
    out->reference[0] = cells_along(image->width, step[0], out->cell);
    out->reference[1] = cells_along(image->height, step[1], out->cell);
    const int sides[] = {out->own[0], out->own[1], out->reference[0], out->reference[1]};
    for (int i = 0; i < 4; i++)
        if (sides[i] < LEAST_SIDE)
            return rvi_fail(job->ctx, RV_ERROR_USAGE,
                            "measure: with cells of %.4g m, as large as the land and %s both have, "
                            "%s has only %d cells along a side; the comparison needs %d.",
                            out->cell, file, i < 2 ? "the land" : file, sides[i], LEAST_SIDE);
    return RV_OK;
}

static size_t bytes_of(const int sides[2]) {
    return (size_t)sides[0] * (size_t)sides[1] * (RVI_SURVEY_BYTES + 4 * sizeof(float));
}

static rv_status read_heights(rv_context *ctx, const char *file, const rvi_sidecar *sidecar,
                              const rvi_image *image) {
    for (size_t i = 0; i < (size_t)image->width * (size_t)image->height; i++) {
        float *z = &image->values[i];
        if (image->levels)
            *z = rvi_level_to_value(*z, image->bits, sidecar->scale.low, sidecar->scale.high,
                                    sidecar->scale.curve);
        if (!(*z > -1e5f && *z < 1e5f) || *z == -9999.0f || *z == -32768.0f)
            return rvi_fail(ctx, RV_ERROR_INPUT,
                            "%s: row %d, column %d has no height; a reference must have one "
                            "everywhere.",
                            file, (int)(i / (size_t)image->width), (int)(i % (size_t)image->width));
        if (rvi_poll_at(ctx, i) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

static rv_status try_heights(rvi_job *job, const char *path, const void *arg) {
    rvi_image image;
    rvi_sidecar sidecar;
    (void)arg;
    rv_status status = rvi_image_read(job->ctx, path, 0, false, &sidecar, &image);
    if (status == RV_OK)
        status = read_heights(job->ctx, path, &sidecar, &image);
    rvi_free(job->ctx, image.values);
    return status;
}

rv_status rvi_measure_like_list(rvi_job *job, const rv_measure_params *p) {
    rvi_image image;
    rvi_sidecar sidecar;
    double step[2];
    common c;
    rv_status status = rvi_job_look(job, p->like, 0, false, &sidecar, &image);
    if (status == RV_OK)
        status = find_steps(job->ctx, p->like, &sidecar, &image, step);
    if (status == RV_OK)
        status = find_common(job, p->like, &image, step, &c);
    if (status == RV_OK)
        status = rvi_job_try(job, p->like, try_heights, NULL);
    if (status != RV_OK)
        return status;
    size_t values = (size_t)image.width * (size_t)image.height * sizeof(float);
    size_t held = values + rvi_image_bytes(&image) + bytes_of(c.own) + bytes_of(c.reference) +
                  3 * sizeof(rvi_survey) + rvi_cells(job->land) * RVI_SURVEY_BYTES;
    held += rvi_resample_bytes(image.width, image.height, c.reference[0], c.reference[1],
                               RVI_FILTER_LINEAR);
    held += rvi_resample_bytes(job->land->width, job->land->height, c.own[0], c.own[1],
                               RVI_FILTER_LINEAR);
    rvi_buffers_pass(&job->buffers, held);
    return RV_OK;
}

/* Measures heights of from[0] x from[1] cells at to[0] x to[1]. */
static rv_status measure_heights(rvi_job *job, const rv_measure_params *p, const float *z,
                                 const int from[2], const int to[2], double cell,
                                 double out[RVI_SHAPE_MEASURES]) {
    rv_terrain *land = NULL;
    rvi_survey *survey = NULL;
    rv_terrain_desc desc = {to[0], to[1], (float)cell};
    float *heights = rvi_alloc(job->ctx, (size_t)to[0] * (size_t)to[1], sizeof *heights,
                               "a land at another cell size");
    rv_status status = heights ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status =
            rvi_resample(job->ctx, z, from[0], from[1], heights, to[0], to[1], RVI_FILTER_LINEAR);
    if (status == RV_OK)
        status = rv_terrain_create(job->ctx, &desc, &land);
    if (status == RV_OK)
        status = rv_terrain_field_set(land, "height", heights);
    rvi_free(job->ctx, heights);
    if (status == RV_OK)
        status = rvi_survey_make(land, 0, (uint32_t)p->channel, &survey);
    if (status == RV_OK)
        take_measures(survey, out);
    rvi_survey_free(job->ctx, survey);
    rv_terrain_destroy(land);
    return status;
}

static rv_status measure_reference(rvi_job *job, const rv_measure_params *p, common *c,
                                   double out[RVI_SHAPE_MEASURES]) {
    rvi_image image;
    rvi_sidecar sidecar;
    double step[2];
    rv_status status = rvi_image_read(job->ctx, p->like, 0, false, &sidecar, &image);
    if (status != RV_OK)
        return status;
    status = find_steps(job->ctx, p->like, &sidecar, &image, step);
    if (status == RV_OK)
        status = find_common(job, p->like, &image, step, c);
    if (status == RV_OK)
        status = read_heights(job->ctx, p->like, &sidecar, &image);
    if (status == RV_OK)
        status = measure_heights(job, p, image.values, (const int[]){image.width, image.height},
                                 c->reference, c->cell, out);
    if (status == RV_OK && (c->reference[0] != image.width || c->reference[1] != image.height))
        rvi_log(job->ctx, "measure: %s was resampled from cells of %.4g x %.4g m to %.4g m.",
                p->like, step[0], step[1], c->cell);
    rvi_free(job->ctx, image.values);
    return status;
}

/* ---- side by side ---- */

static bool is_real(int k, double value) {
    return value >= MEASURES[k].low && value <= MEASURES[k].high;
}

static void print(const rvi_job *job, const char *file, double cell, const double *own,
                  const double *reference) {
    static const char *const out[] = {"", ": the land is out of range",
                                      ": the reference is out of range", ": both are out of range"};
    rvi_log(job->ctx, "measure: with cells of %.4g m; like: %s", cell, file);
    rvi_log(job->ctx, "%-23s %9s %9s  %s", "", "land", "like", "real land");
    for (int k = 0; k < RVI_SHAPE_MEASURES; k++)
        rvi_log(job->ctx, "%-23s %9.3g %9.3g  %g to %g%s", MEASURES[k].label, own[k], reference[k],
                MEASURES[k].low, MEASURES[k].high,
                out[!is_real(k, own[k]) + 2 * !is_real(k, reference[k])]);
}

rv_status rvi_measure_like(rvi_job *job, const rv_measure_params *p, const rvi_survey *own) {
    double land[RVI_SHAPE_MEASURES], reference[RVI_SHAPE_MEASURES];
    common c;
    rv_status status = measure_reference(job, p, &c, reference);
    if (status != RV_OK)
        return status;
    const int from[] = {job->land->width, job->land->height};
    if (c.own[0] == from[0] && c.own[1] == from[1]) {
        take_measures(own, land);
    } else {
        status = measure_heights(job, p, job->land->surface, from, c.own, c.cell, land);
        rvi_log(job->ctx, "measure: the land was resampled from cells of %.4g m to %.4g m.",
                (double)job->land->cell, c.cell);
    }
    if (status != RV_OK)
        return status;
    print(job, p->like, c.cell, land, reference);
    int real = 0;
    for (int k = 0; k < RVI_SHAPE_MEASURES; k++) {
        rvi_figures_add(job->land, MEASURES[k].figure, "", "", land[k]);
        rvi_figures_add(job->land, MEASURES[k].of_reference, "", "", reference[k]);
        real += is_real(k, land[k]);
    }
    rvi_figures_add(job->land, "shape_in_range", "shape measures in range, of 10", "", real);
    return RV_OK;
}
