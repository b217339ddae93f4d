/* measure.c: measures how much the land is like real land that rivers have cut.
 *
 * The estimators are in src/measure, each with its papers. Five of them are river checks: their
 * bounds were found by looking at thirteen windows of real elevation data, which pass all five, and
 * at noise, which passes none; docs/measure.md says what that is worth.
 *
 *     fill            mean of (filled - height) / relief           at most 0.1 %
 *     deep_pits       cells in pits deeper than 1 % of relief      at most 2 %
 *     channel_pits    channel cells in pits deeper than 0.2 %      at most 35 %
 *     channel_uphill  channel cells whose receiver is higher       at most 27 %
 *     concavity_8     theta of S = ks A^-theta over eight cells    at least 0.20
 */
#include "base/math.h"
#include "measure/flowgraph.h"
#include "measure/survey.h"
#include "steps/measure/measure_like.h"
#include "steps/measure/measure_plots.h"
#include "steps/step.h"
#include "terrain/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHECKS = 5, FIGURES = 110 };

/* ---- what the land must be ---- */

/* The number in "river_checks:N"; 0 where nothing is required. */
static rv_status read_require(rv_context *ctx, const char *text, int *checks) {
    static const char name[] = "river_checks:";
    size_t size = sizeof name - 1;
    *checks = 0;
    if (text[0] == '\0')
        return RV_OK;
    if (strncmp(text, name, size) == 0 && text[size] >= '1' && text[size] <= '0' + CHECKS &&
        text[size + 1] == '\0') {
        *checks = text[size] - '0';
        return RV_OK;
    }
    return rvi_fail(ctx, RV_ERROR_USAGE,
                    "measure: require=%s cannot be measured; it must be river_checks:1 to "
                    "river_checks:%d.",
                    text, CHECKS);
}

static int count_passed(const rv_terrain *land) {
    int passed = 0;
    for (int i = 0; i < land->figure_count; i++)
        passed += rv_figure_is_check(&land->figures[i]) && rv_figure_passes(&land->figures[i]);
    return passed;
}

static rv_status demand_checks(rvi_job *job, int required) {
    const rv_terrain *land = job->land;
    int passed = count_passed(land);
    if (passed >= required)
        return RV_OK;
    char list[512] = "";
    size_t used = 0;
    for (int i = 0; i < land->figure_count; i++) {
        const rv_figure *f = &land->figures[i];
        if (!rv_figure_is_check(f) || rv_figure_passes(f))
            continue;
        char value[32] = "not defined";
        if (!isnan(f->value))
            snprintf(value, sizeof value, "%.3g%s%s", f->value, f->unit[0] ? " " : "", f->unit);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s is %s", used ? ", " : "",
                                 f->name, value);
    }
    return rvi_fail(job->ctx, RV_ERROR_UNMET,
                    "The land passes %d of %d river checks, not the %d required: %s.", passed,
                    CHECKS, required, list);
}

/* ---- figures ---- */

static rv_figure *add(rvi_job *job, const char *name, const char *label, const char *unit,
                      double value) {
    return rvi_figures_add(job->land, name, label, unit, value);
}

static void add_checks(rvi_job *job, const rvi_survey *s) {
    const rvi_pits *p = &s->pits;
    add(job, "fill", "mean fill depth over relief", "%", 100.0 * p->fill)->max = 0.1;
    add(job, "deep_pits", "area in pits over 1 % of relief", "%", 100.0 * p->deep)->max = 2.0;
    add(job, "channel_pits", "channels in pits over 0.2 %", "%", 100.0 * p->channels)->max = 35.0;
    add(job, "channel_uphill", "channels that run uphill", "%", 100.0 * p->uphill)->max = 27.0;
    add(job, "concavity_8", "concavity over 8 cells", "", -s->concavity.eight.slope)->min = 0.2;
    add(job, "river_checks_passed", "", "", count_passed(job->land));
}

static void add_drainage(rvi_job *job, const rvi_survey *s) {
    const rvi_network *n = &s->network;
    add(job, "concavity", "concavity, area-limited", "", -s->concavity.limited.slope);
    add(job, "concavity_r2", "", "", s->concavity.limited.r2);
    add(job, "area_exponent", "area exceedance exponent", "", s->exceedance);
    add(job, "area_exponent_dinf", "", "", s->exceedance_spread);
    add(job, "hack_exponent", "Hack's exponent", "", n->hack);
    add(job, "bifurcation_ratio", "Horton's ratio of numbers", "", n->bifurcation);
    add(job, "length_ratio", "Horton's ratio of lengths", "", n->length_ratio);
    add(job, "stream_orders", "orders of streams", "", n->orders);
    add(job, "drainage_density", "drainage density", "km/km2", 1000.0 * n->density);
    add(job, "channel_share", "", "%", 100.0 * n->share);
}

static double degrees(double gradient) {
    return (double)rvi_atanf((float)gradient) * (180.0 / RVI_PI);
}

static void add_surface(rvi_job *job, const rvi_survey *s) {
    const rvi_surface *u = &s->surface;
    static const char *const slopes[] = {"slope_p5", "slope_p25", "slope_p50", "slope_p75",
                                         "slope_p95"};
    static const char *const curvatures[] = {"curvature_p5", "curvature_p25", "curvature_p50",
                                             "curvature_p75", "curvature_p95"};
    static const char *const labels[] = {"", "", "median slope", "", "slope that 5 % pass"};
    add(job, "relief", "relief", "m", s->ground.high - s->ground.low);
    add(job, "mean_height", "", "m", u->mean);
    add(job, "hypsometric_integral", "hypsometric integral", "", u->integral);
    add(job, "slope_mean", "", "m/m", u->slope.mean);
    for (int k = 0; k < RVI_PERCENTILES; k++)
        add(job, slopes[k], labels[k], "deg", degrees(u->slope.percentile[k]));
    add(job, "slope_skew", "skew of slopes", "", u->slope.skew);
    add(job, "slope_kurtosis", "", "", u->slope.kurtosis);
    add(job, "curvature_mean", "", "1/m", u->curvature.mean);
    for (int k = 0; k < RVI_PERCENTILES; k++)
        add(job, curvatures[k], "", "1/m", u->curvature.percentile[k]);
    add(job, "curvature_skew", "skew of curvatures", "", u->curvature.skew);
    add(job, "curvature_kurtosis", "kurtosis of curvatures", "", u->curvature.kurtosis);
    add(job, "spectral_slope", "spectral slope", "", s->spectrum.slope);
    add(job, "spectral_window", "", "cells", s->spectrum.window);
}

static void add_forms(rvi_job *job, const rvi_survey *s) {
    static const char *const names[] = {
        "landform_flat",   "landform_peak",  "landform_ridge",  "landform_shoulder",
        "landform_spur",   "landform_slope", "landform_hollow", "landform_footslope",
        "landform_valley", "landform_pit"};
    static const char *const labels[] = {
        "land that is flat", "land on peaks",  "land on ridges",  "land on shoulders",
        "land on spurs",     "land on slopes", "land in hollows", "land on footslopes",
        "land in valleys",   "land in pits"};
    for (int k = 0; k < RVI_LANDFORMS; k++)
        add(job, names[k], labels[k], "%", 100.0 * s->forms.share[k + 1]);
    size_t holes = 0, cells = rvi_cells(job->land);
    for (size_t i = 0; i < cells; i++)
        holes += s->ground.kind[i] == RVI_HOLE;
    add(job, "cells", "", "", (double)s->ground.count);
    add(job, "holes", "", "", (double)holes);
}

typedef struct measuring {
    const rv_measure_params *p;
    int required;
} measuring;

static rv_status run(rvi_job *job) {
    const measuring *m = job->state;
    rvi_survey *survey = NULL;
    rv_status status = rvi_survey_make(job->land, m->p->border, (uint32_t)m->p->channel, &survey);
    if (status == RV_OK && m->p->plots[0])
        status = rvi_measure_plots(job->land, survey, m->p->plots);
    if (status == RV_OK)
        status = rvi_figures_begin(job->land, FIGURES);
    if (status == RV_OK) {
        add_checks(job, survey);
        add_drainage(job, survey);
        add_surface(job, survey);
        add_forms(job, survey);
        status = m->p->like[0] ? rvi_measure_like(job, m->p, survey) : RV_OK;
    }
    if (status == RV_OK)
        status = demand_checks(job, m->required);
    rvi_survey_free(job->ctx, survey);
    return status;
}

void rvi_measure_tell(rv_context *ctx, const rv_measure_params *p) {
    int there = p->plots[0] ? rvi_measure_plots_there(ctx, p->plots) : 0;
    if (there > 0)
        rvi_log(ctx, "%s: %d plot%s of that name %s there and will be overwritten", p->plots, there,
                there > 1 ? "s" : "", there > 1 ? "are" : "is");
}

rv_status rvi_step_measure(rvi_job *job, const rv_measure_params *p) {
    measuring *m = rvi_job_begin(job, sizeof *m, run, NULL);
    if (!m)
        return RV_ERROR_MEMORY;
    m->p = p;
    rvi_buffers_pass(&job->buffers, rvi_cells(job->land) * RVI_SURVEY_BYTES + sizeof(rvi_survey) +
                                        (p->plots[0] ? rvi_measure_plots_bytes(job->land) : 0));
    size_t draining = rvi_drainage_bytes(job->land->width, job->land->height);
    rvi_buffers_pass(&job->buffers, rvi_add_sizes(rvi_cells(job->land) * RVI_GROUND_BYTES +
                                                      sizeof(rvi_survey) + 4096,
                                                  draining));
    rv_status status = rvi_flow_allowed(job->ctx, job->land->width, job->land->height);
    if (status == RV_OK)
        status = read_require(job->ctx, p->require, &m->required);
    if (status == RV_OK && p->like[0])
        status = rvi_measure_like_list(job, p);
    return status == RV_OK && p->plots[0] ? rvi_measure_plots_list(job, p->plots) : status;
}
