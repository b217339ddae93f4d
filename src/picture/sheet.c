/* sheet.c: a map with a title and a legend beside it. Small maps grow and large ones are thinned
 * out by whole numbers, so that every cell is as large as every other. */
#include "picture/sheet.h"
#include "base/math.h"

enum { SMALL = 512, LARGE = 1536, EDGE = 18, TOP = 54, LEGEND = 210, LINE = 27, LEAST = 380 };

static const rvi_ink DARK = {38, 44, 54, 1.0f};
static const float TITLE = 15.0f, WORDS = 11.0f;

static rvi_sheet lay_out(int width, int height) {
    int side = rvi_maxi(width, height);
    rvi_sheet s = {.left = EDGE, .top = TOP, .grow = 1, .skip = 1};
    s.grow = rvi_maxi(1, rvi_mini(SMALL / side, 32));
    s.skip = (side + LARGE - 1) / LARGE;
    s.columns = (width + s.skip - 1) / s.skip * s.grow;
    s.rows = (height + s.skip - 1) / s.skip * s.grow;
    s.canvas.width = s.columns + 2 * EDGE + LEGEND;
    s.canvas.height = rvi_maxi(s.rows + TOP + EDGE, LEAST);
    s.legend_x = (float)(EDGE + s.columns) + 20.0f;
    s.legend_y = (float)TOP + 12.0f;
    return s;
}

size_t rvi_sheet_bytes(int width, int height) {
    rvi_sheet s = lay_out(width, height);
    return 3 * (size_t)s.canvas.width * (size_t)s.canvas.height + (size_t)width * (size_t)height;
}

static void draw_land(rvi_sheet *s, const rv_terrain *land, const float *hole,
                      const unsigned char *grey) {
    for (int v = 0; v < s->rows; v++)
        for (int u = 0; u < s->columns; u++) {
            size_t x = (size_t)(u / s->grow * s->skip), y = (size_t)(v / s->grow * s->skip);
            size_t i = y * (size_t)land->width + x;
            if (hole && hole[i] >= 0.5f)
                continue;
            /* Bright, so that colours laid over it stay clear; 210 where it is level. */
            unsigned char g = (unsigned char)(120.0f + 0.5f * (float)grey[i]);
            rvi_canvas_dot(&s->canvas, s->left + u, s->top + v, (rvi_ink){g, g, g, 1.0f});
        }
}

/* Steepness as it is in most pictures, whatever the size of a cell: the relief over the side. */
static float exaggeration(const rv_terrain *land) {
    float low = land->surface[0], high = low;
    for (size_t i = 0; i < rvi_cells(land); i++) {
        low = rvi_minf(low, land->surface[i]);
        high = rvi_maxf(high, land->surface[i]);
    }
    float side = (float)rvi_maxi(land->width, land->height) * land->cell;
    return high > low ? rvi_clampf(0.13f * side / (high - low), 0.01f, 1000.0f) : 1.0f;
}

rv_status rvi_sheet_make(const rv_terrain *land, const float *hole, const char *title,
                         rvi_sheet *out) {
    *out = lay_out(land->width, land->height);
    rvi_light light = {315.0f, 45.0f, exaggeration(land)};
    unsigned char *grey = rvi_alloc(land->ctx, rvi_cells(land), 1, "a picture");
    rv_status status = grey ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = rvi_canvas_make(land->ctx, out->canvas.width, out->canvas.height, &out->canvas);
    if (status == RV_OK)
        status = rvi_shade_grey(land, &light, grey);
    if (status == RV_OK) {
        draw_land(out, land, hole, grey);
        rvi_letters_put(&out->canvas, (float)EDGE, 33.0f, TITLE, RVI_LEFT, DARK, title);
    } else {
        rvi_sheet_free(land->ctx, out);
    }
    rvi_free(land->ctx, grey);
    return status;
}

void rvi_sheet_free(rv_context *ctx, rvi_sheet *sheet) {
    rvi_canvas_free(ctx, &sheet->canvas);
}

rvi_point rvi_sheet_place(const rvi_sheet *s, int x, int y) {
    float scale = (float)s->grow / (float)s->skip;
    return (rvi_point){(float)s->left + ((float)x + 0.5f) * scale,
                       (float)s->top + ((float)y + 0.5f) * scale};
}

void rvi_sheet_tint(rvi_sheet *s, int x, int y, rvi_ink ink) {
    if (x % s->skip != 0 || y % s->skip != 0)
        return;
    int left = s->left + x / s->skip * s->grow, top = s->top + y / s->skip * s->grow;
    unsigned char grey = s->canvas.rgb[3 * ((size_t)top * (size_t)s->canvas.width + (size_t)left)];
    float shade = rvi_minf(1.0f, 0.25f + 0.75f * (float)grey / 210.0f); /* 1 on level ground */
    rvi_ink shaded = {(unsigned char)(shade * (float)ink.red + 0.5f),
                      (unsigned char)(shade * (float)ink.green + 0.5f),
                      (unsigned char)(shade * (float)ink.blue + 0.5f), ink.cover};
    rvi_canvas_box(&s->canvas, left, top, s->grow, s->grow, shaded);
}

/* ---- the legend ---- */

static void put_words(rvi_sheet *s, float indent, const char *text) {
    rvi_letters_put(&s->canvas, s->legend_x + indent, s->legend_y, WORDS, RVI_LEFT, DARK, text);
    s->legend_y += (float)LINE;
}

void rvi_sheet_legend_box(rvi_sheet *s, rvi_ink ink, const char *text) {
    rvi_canvas_box(&s->canvas, (int)s->legend_x, (int)s->legend_y - 13, 22, 15, ink);
    put_words(s, 32.0f, text);
}

void rvi_sheet_legend_line(rvi_sheet *s, rvi_ink ink, float width, const char *text) {
    rvi_point from = {s->legend_x + 2.0f, s->legend_y - 5.0f};
    rvi_canvas_line(&s->canvas, from, (rvi_point){from.x + 20.0f, from.y}, width, ink);
    put_words(s, 32.0f, text);
}

void rvi_sheet_legend_words(rvi_sheet *s, const char *text) {
    put_words(s, 0.0f, text);
}
