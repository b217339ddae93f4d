/* map_page.c: a map with a title and a legend beside it. Small maps grow and large ones are thinned
 * out by whole numbers, so that every cell is as large as every other. */
#include "picture/map_page.h"
#include "base/math.h"

enum { SMALL = 512, LARGE = 1536, EDGE = 18, TOP = 54, LEGEND = 210, LINE = 27, LEAST = 380 };

static const rvi_ink DARK = {38, 44, 54, 1.0f};
static const float TITLE = 15.0f, WORDS = 11.0f;

static rvi_map_page lay_out(int width, int height) {
    int side = rvi_maxi(width, height);
    rvi_map_page p = {.left = EDGE, .top = TOP, .grow = 1, .skip = 1};
    p.grow = rvi_maxi(1, rvi_mini(SMALL / side, 32));
    p.skip = (side + LARGE - 1) / LARGE;
    p.columns = (width + p.skip - 1) / p.skip * p.grow;
    p.rows = (height + p.skip - 1) / p.skip * p.grow;
    p.canvas.width = p.columns + 2 * EDGE + LEGEND;
    p.canvas.height = rvi_maxi(p.rows + TOP + EDGE, LEAST);
    p.legend_x = (float)(EDGE + p.columns) + 20.0f;
    p.legend_y = (float)TOP + 12.0f;
    return p;
}

void rvi_map_page_size(int width, int height, int *page_width, int *page_height) {
    rvi_map_page p = lay_out(width, height);
    *page_width = p.canvas.width;
    *page_height = p.canvas.height;
}

size_t rvi_map_page_bytes(int width, int height) {
    rvi_map_page p = lay_out(width, height);
    return 3 * (size_t)p.canvas.width * (size_t)p.canvas.height + (size_t)width * (size_t)height;
}

static void draw_land(rvi_map_page *p, const rv_terrain *land, const float *hole,
                      const unsigned char *grey) {
    for (int v = 0; v < p->rows; v++)
        for (int u = 0; u < p->columns; u++) {
            size_t x = (size_t)(u / p->grow * p->skip), y = (size_t)(v / p->grow * p->skip);
            size_t i = y * (size_t)land->width + x;
            if (hole && hole[i] >= 0.5f)
                continue;
            /* Bright, so that colours laid over it stay clear; 210 where it is level. */
            unsigned char g = (unsigned char)(120.0f + 0.5f * (float)grey[i]);
            rvi_canvas_dot(&p->canvas, p->left + u, p->top + v, (rvi_ink){g, g, g, 1.0f});
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

rv_status rvi_map_page_make(const rv_terrain *land, const float *hole, const char *title,
                            rvi_map_page *out) {
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
        rvi_font_write(&out->canvas, (float)EDGE, 33.0f, TITLE, RVI_LEFT, DARK, title);
    } else {
        rvi_map_page_free(land->ctx, out);
    }
    rvi_free(land->ctx, grey);
    return status;
}

void rvi_map_page_free(rv_context *ctx, rvi_map_page *sheet) {
    rvi_canvas_free(ctx, &sheet->canvas);
}

rvi_point rvi_map_page_place(const rvi_map_page *p, int x, int y) {
    float scale = (float)p->grow / (float)p->skip;
    return (rvi_point){(float)p->left + ((float)x + 0.5f) * scale,
                       (float)p->top + ((float)y + 0.5f) * scale};
}

void rvi_map_page_tint(rvi_map_page *p, int x, int y, rvi_ink ink) {
    if (x % p->skip != 0 || y % p->skip != 0)
        return;
    int left = p->left + x / p->skip * p->grow, top = p->top + y / p->skip * p->grow;
    unsigned char grey = p->canvas.rgb[3 * ((size_t)top * (size_t)p->canvas.width + (size_t)left)];
    float shade = rvi_minf(1.0f, 0.25f + 0.75f * (float)grey / 210.0f); /* 1 on level ground */
    rvi_ink shaded = {(unsigned char)(shade * (float)ink.red + 0.5f),
                      (unsigned char)(shade * (float)ink.green + 0.5f),
                      (unsigned char)(shade * (float)ink.blue + 0.5f), ink.cover};
    rvi_canvas_box(&p->canvas, left, top, p->grow, p->grow, shaded);
}

/* ---- the legend ---- */

static void put_words(rvi_map_page *p, float indent, const char *text) {
    rvi_font_write(&p->canvas, p->legend_x + indent, p->legend_y, WORDS, RVI_LEFT, DARK, text);
    p->legend_y += (float)LINE;
}

void rvi_map_page_legend_box(rvi_map_page *p, rvi_ink ink, const char *text) {
    rvi_canvas_box(&p->canvas, (int)p->legend_x, (int)p->legend_y - 13, 22, 15, ink);
    put_words(p, 32.0f, text);
}

void rvi_map_page_legend_line(rvi_map_page *p, rvi_ink ink, float width, const char *text) {
    rvi_point from = {p->legend_x + 2.0f, p->legend_y - 5.0f};
    rvi_canvas_line(&p->canvas, from, (rvi_point){from.x + 20.0f, from.y}, width, ink);
    put_words(p, 32.0f, text);
}

void rvi_map_page_legend_words(rvi_map_page *p, const char *text) {
    put_words(p, 0.0f, text);
}
