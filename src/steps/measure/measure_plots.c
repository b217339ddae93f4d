/* measure_plots.c: what was measured, as pictures: channel slopes over areas, the hypsometric
 * curve, maps of landforms and of streams. */
#include "steps/measure/measure_plots.h"
#include "base/math.h"
#include "picture/map_page.h"
#include "picture/plot.h"
#include "wear/planned_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const rvi_ink DARK = {38, 44, 54, 1.0f}, BLUE = {22, 92, 168, 1.0f},
                     ORANGE = {222, 98, 32, 1.0f};
static const float WORDS = 11.5f;

/* PREFIX-WHAT.png; NULL: memory. */
static char *name_picture(rv_context *ctx, const char *prefix, const char *what) {
    size_t size = strlen(prefix) + strlen(what) + 8;
    char *path = rvi_alloc(ctx, size, 1, "the name of a picture");
    if (path)
        snprintf(path, size, "%s-%s.png", prefix, what);
    return path;
}

static rv_status write_picture(rv_context *ctx, const char *prefix, const char *what,
                               const rvi_canvas *canvas) {
    char *path = name_picture(ctx, prefix, what);
    if (!path)
        return RV_ERROR_MEMORY;
    rv_status status =
        rvi_png_write_picture(ctx, path, canvas->width, canvas->height, 3, canvas->rgb);
    rvi_free(ctx, path);
    return status;
}

/* ---- slope over area ---- */

typedef struct span {
    double low, high;
} span;

/* The decades around all bins that hold something, of areas in square kilometres or of slopes. */
static span find_span(const rvi_concavity *c, double unit, bool areas) {
    span s = {INFINITY, 0.0};
    for (int row = 0; row < RVI_SLOPE_ROWS; row++)
        for (int bin = 0; bin < RVI_SLOPE_BINS; bin++) {
            if (c->cloud[row][bin] == 0)
                continue;
            double at = areas ? rvi_cloud_area(bin) * unit : rvi_cloud_slope(row);
            s.low = at < s.low ? at : s.low;
            s.high = at > s.high ? at : s.high;
        }
    if (!(s.low <= s.high))
        return areas ? (span){1.0, 100.0} : (span){0.01, 1.0};
    return (span){s.low / 1.3, s.high * 1.6};
}

/* The more channel cells in a place, the darker it is. */
static void draw_cloud(rvi_plot *plot, const rvi_concavity *c, double unit) {
    uint32_t most = 1;
    for (int row = 0; row < RVI_SLOPE_ROWS; row++)
        for (int bin = 0; bin < RVI_SLOPE_BINS; bin++)
            most = c->cloud[row][bin] > most ? c->cloud[row][bin] : most;
    for (int row = 0; row < RVI_SLOPE_ROWS; row++)
        for (int bin = 0; bin < RVI_SLOPE_BINS; bin++) {
            if (c->cloud[row][bin] == 0)
                continue;
            rvi_point a = rvi_plot_place(plot, rvi_cloud_area(bin) * unit, rvi_cloud_slope(row));
            rvi_point b =
                rvi_plot_place(plot, rvi_cloud_area(bin + 1) * unit, rvi_cloud_slope(row + 1));
            float share = (float)c->cloud[row][bin] / (float)most;
            rvi_ink ink = {70, 140, 205, 0.10f + 0.60f * sqrtf(share)};
            int left = (int)a.x, top = (int)b.y;
            rvi_canvas_box(&plot->canvas, left, top, (int)b.x - left, (int)a.y - top, ink);
        }
}

static void draw_fit(rvi_plot *plot, const rvi_line *line, double unit) {
    double low = plot->x.low, high = plot->x.high;
    double a = line->start + line->slope * (double)rvi_logf((float)(low / unit));
    double b = line->start + line->slope * (double)rvi_logf((float)(high / unit));
    rvi_plot_line(plot, low, rvi_exp_double(a), high, rvi_exp_double(b), 2.4f, ORANGE);
}

static void put_number(rvi_plot *plot, float y, const char *words, double value) {
    char text[96];
    if (isnan(value))
        snprintf(text, sizeof text, "%s not defined", words);
    else
        snprintf(text, sizeof text, "%s %.3f", words, value);
    rvi_font_write(&plot->canvas, (float)plot->right - 14.0f, (float)plot->top + y, WORDS,
                   RVI_RIGHT, DARK, text);
}

static rv_status plot_slopes(rv_context *ctx, const rvi_survey *s, const char *prefix) {
    const rvi_concavity *c = &s->concavity;
    double unit = s->ground.cell * s->ground.cell * 1e-6;
    span areas = find_span(c, unit, true), slopes = find_span(c, unit, false);
    rvi_axis x = {"drained area (km2)", areas.low, areas.high, true};
    rvi_axis y = {"slope of the channel (m/m)", slopes.low, slopes.high, true};
    rvi_plot plot;
    rv_status status = rvi_plot_make(ctx, "Channel slope over drained area", &x, &y, &plot);
    if (status != RV_OK)
        return status;
    draw_cloud(&plot, c, unit);
    if (!isnan(c->limited.slope))
        draw_fit(&plot, &c->limited, unit);
    for (int k = 0; k < RVI_SLOPE_BINS; k++)
        if (c->bins[k].count > 0.0) {
            rvi_point at = rvi_plot_place(&plot, c->bins[k].area * unit, c->bins[k].slope);
            rvi_canvas_line(&plot.canvas, at, at, 9.0f, (rvi_ink){255, 255, 255, 1.0f});
            rvi_canvas_line(&plot.canvas, at, at, 6.5f, BLUE);
        }
    put_number(&plot, 28.0f, "concavity, area-limited:", -c->limited.slope);
    put_number(&plot, 52.0f, "concavity over 8 cells:", -c->eight.slope);
    rvi_plot_frame(&plot);
    status = write_picture(ctx, prefix, "slope-area", &plot.canvas);
    rvi_plot_free(ctx, &plot);
    return status;
}

/* ---- the hypsometric curve ---- */

/* Height at a share of the area, between the points of the curve. */
static double curve_at(const rvi_surface *s, double share) {
    double place = share * (RVI_CURVE - 1);
    int k = rvi_mini((int)place, RVI_CURVE - 2);
    return s->curve[k] + (place - k) * (s->curve[k + 1] - s->curve[k]);
}

static void draw_curve(rvi_plot *plot, const rvi_surface *s) {
    for (int x = plot->left; x < plot->right; x++) {
        double share = (double)(x - plot->left) / (double)(plot->right - plot->left);
        int top = (int)rvi_plot_place(plot, share, curve_at(s, share)).y;
        rvi_canvas_box(&plot->canvas, x, top, 1, plot->bottom - top,
                       (rvi_ink){166, 190, 140, 0.55f});
    }
    for (int k = 0; k + 1 < RVI_CURVE; k++)
        rvi_plot_line(plot, k / (RVI_CURVE - 1.0), s->curve[k], (k + 1) / (RVI_CURVE - 1.0),
                      s->curve[k + 1], 2.6f, (rvi_ink){70, 110, 60, 1.0f});
}

static rv_status plot_heights(rv_context *ctx, const rvi_survey *s, const char *prefix) {
    rvi_axis x = {"share of the area that stands higher", 0.0, 1.0, false};
    rvi_axis y = {"height between lowest (0) and highest (1)", 0.0, 1.0, false};
    rvi_plot plot;
    rv_status status = rvi_plot_make(ctx, "Hypsometric curve", &x, &y, &plot);
    if (status != RV_OK)
        return status;
    if (!isnan(s->surface.integral))
        draw_curve(&plot, &s->surface);
    put_number(&plot, 28.0f, "hypsometric integral:", s->surface.integral);
    rvi_plot_frame(&plot);
    status = write_picture(ctx, prefix, "hypsometry", &plot.canvas);
    rvi_plot_free(ctx, &plot);
    return status;
}

/* ---- maps ---- */

static const rvi_ink FORM_INKS[RVI_LANDFORMS + 1] = {
    {200, 200, 200, 0.0f}, {226, 226, 222, 1.0f}, {140, 20, 44, 1.0f},   {222, 74, 48, 1.0f},
    {244, 148, 88, 1.0f},  {250, 204, 118, 1.0f}, {246, 238, 190, 1.0f}, {196, 220, 140, 1.0f},
    {122, 190, 150, 1.0f}, {58, 132, 196, 1.0f},  {36, 44, 120, 1.0f}};

static rv_status map_forms(const rv_terrain *land, const rvi_survey *s, const char *prefix) {
    rvi_map_page page;
    const float *hole = rvi_field_get(land, "hole");
    rv_status status = rvi_map_page_make(land, hole, "Landforms", &page);
    if (status != RV_OK)
        return status;
    for (int y = 0; y < land->height && status == RV_OK; y++) {
        for (int x = 0; x < land->width; x++) {
            int form = s->forms.form[(size_t)y * (size_t)land->width + (size_t)x];
            if (form > 0)
                rvi_map_page_tint(&page, x, y, FORM_INKS[form]);
        }
        status = rvi_poll(land->ctx);
    }
    /* From the tops down to the bottoms. */
    static const int listed[RVI_LANDFORMS] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 1};
    for (int k = 0; k < RVI_LANDFORMS; k++) {
        int form = listed[k];
        char text[64];
        snprintf(text, sizeof text, "%s", rvi_landform_names[form]);
        if (!isnan(s->forms.share[form]))
            snprintf(text, sizeof text, "%s %.1f %%", rvi_landform_names[form],
                     100.0 * s->forms.share[form]);
        rvi_map_page_legend_box(&page, FORM_INKS[form], text);
    }
    if (status == RV_OK)
        status = write_picture(land->ctx, prefix, "landforms", &page.canvas);
    rvi_map_page_free(land->ctx, &page);
    return status;
}

/* From pale and thin to dark and broad. */
static rvi_ink stream_ink(int order) {
    float t = rvi_minf(1.0f, (float)(order - 1) / 5.0f);
    return (rvi_ink){(unsigned char)(74.0f - 62.0f * t), (unsigned char)(158.0f - 94.0f * t),
                     (unsigned char)(226.0f - 60.0f * t), 1.0f};
}

static float stream_width(const rvi_map_page *page, int order) {
    float fine = page->skip > 1 ? 0.6f : 1.0f;
    return fine * (0.5f + 0.75f * (float)order);
}

static rv_status draw_streams(rvi_map_page *page, const rvi_survey *s) {
    const rvi_drainage *d = &s->drainage;
    for (int order = 1; order <= s->network.orders; order++) { /* large ones over small ones */
        rvi_ink ink = stream_ink(order);
        float width = stream_width(page, order);
        for (size_t k = 0; k < d->count; k++) {
            size_t from = d->order[k], to = d->receiver[from], w = (size_t)d->width;
            if (rvi_poll_at(s->ground.ctx, k) != RV_OK)
                return RV_CANCELLED;
            if (s->network.order[from] == order)
                rvi_canvas_line(&page->canvas,
                                rvi_map_page_place(page, (int)(from % w), (int)(from / w)),
                                rvi_map_page_place(page, (int)(to % w), (int)(to / w)), width, ink);
        }
    }
    return RV_OK;
}

static const rvi_ink PIT = {150, 206, 240, 0.85f};

/* Where water would stand deeper than 0.2 % of the relief before it finds a way on. */
static void draw_pits(rvi_map_page *page, const rvi_survey *s) {
    const rvi_ground *g = &s->ground;
    double least = 0.002 * (g->high - g->low);
    for (size_t k = 0; k < s->drainage.count; k++) {
        size_t i = s->drainage.order[k], w = (size_t)g->width;
        if ((double)s->drainage.filled[i] - (double)g->z[i] > least)
            rvi_map_page_tint(page, (int)(i % w), (int)(i / w), PIT);
    }
}

static rv_status map_streams(const rv_terrain *land, const rvi_survey *s, const char *prefix) {
    rvi_map_page page;
    const float *hole = rvi_field_get(land, "hole");
    rv_status status = rvi_map_page_make(land, hole, "Streams by Strahler's order", &page);
    if (status != RV_OK)
        return status;
    draw_pits(&page, s);
    status = draw_streams(&page, s);
    for (int order = 1; order <= rvi_mini(s->network.orders, 9); order++) {
        char text[64];
        snprintf(text, sizeof text, "%d: %.0f stream%s", order, s->network.streams[order],
                 s->network.streams[order] > 1.5 ? "s" : "");
        rvi_map_page_legend_line(&page, stream_ink(order), stream_width(&page, order), text);
    }
    if (s->network.orders == 0)
        rvi_map_page_legend_words(&page, "no streams");
    rvi_map_page_legend_box(&page, PIT, "in a pit");
    if (status == RV_OK)
        status = write_picture(land->ctx, prefix, "drainage", &page.canvas);
    rvi_map_page_free(land->ctx, &page);
    return status;
}

/* ---- all of them ---- */

/* What the names of the plots end in: two plots, then two maps. */
enum { PLOTS = 4 };
static const char *const plots[PLOTS] = {"slope-area", "hypsometry", "landforms", "drainage"};

int rvi_measure_plots_there(rv_context *ctx, const char *prefix) {
    int count = 0;
    for (int i = 0; i < PLOTS; i++) {
        char *path = name_picture(ctx, prefix, plots[i]);
        count += path && rvi_file_exists(path);
        rvi_free(ctx, path);
    }
    return count;
}

rv_status rvi_measure_plots_list(rvi_job *job, const char *prefix) {
    int width, height;
    rvi_map_page_size(job->land->width, job->land->height, &width, &height);
    rv_status status = RV_OK;
    for (int i = 0; status == RV_OK && i < PLOTS; i++) {
        char *path = name_picture(job->ctx, prefix, plots[i]);
        status = path ? rvi_job_draws(job, path, i < 2 ? RVI_PLOT_WIDTH : width,
                                      i < 2 ? RVI_PLOT_HEIGHT : height)
                      : RV_ERROR_MEMORY;
        rvi_free(job->ctx, path);
    }
    return status;
}

rv_status rvi_measure_plots(const rv_terrain *land, const rvi_survey *survey, const char *prefix) {
    rv_status status = plot_slopes(land->ctx, survey, prefix);
    if (status == RV_OK)
        status = plot_heights(land->ctx, survey, prefix);
    if (status == RV_OK)
        status = map_forms(land, survey, prefix);
    if (status == RV_OK)
        status = map_streams(land, survey, prefix);
    return status;
}

size_t rvi_measure_plots_bytes(const rv_terrain *land) {
    size_t plot = (size_t)3 * RVI_PLOT_WIDTH * RVI_PLOT_HEIGHT;
    size_t page = rvi_map_page_bytes(land->width, land->height);
    return plot > page ? plot : page;
}
