/* map_page.h: a map with a title and a legend beside it. */
#ifndef RVI_PICTURE_MAP_PAGE_H
#define RVI_PICTURE_MAP_PAGE_H

#include "picture/font.h"
#include "picture/shade.h"

typedef struct rvi_map_page {
    rvi_canvas canvas;
    int left, top;     /* of the map, in pixels */
    int grow, skip;    /* pixels a cell, or cells a pixel where there are more of them */
    int columns, rows; /* of the map, in pixels */
    float legend_x, legend_y;
} rvi_map_page;

/* The size that a page for a map of so many cells has, in pixels and in bytes. */
void rvi_map_page_size(int width, int height, int *page_width, int *page_height);
size_t rvi_map_page_bytes(int width, int height);

/* The land in grey, lit from the north-west; holes stay white where `hole` is not NULL and at
 * least 1/2. */
rv_status rvi_map_page_make(const rv_terrain *land, const float *hole, const char *title,
                            rvi_map_page *out);
void rvi_map_page_free(rv_context *ctx, rvi_map_page *page);

rvi_point rvi_map_page_place(const rvi_map_page *page, int x, int y); /* the middle of a cell */
/* Lays a colour over a cell that keeps its light and shade. */
void rvi_map_page_tint(rvi_map_page *page, int x, int y, rvi_ink ink);

/* One more line of the legend: a coloured box or a line, and words. */
void rvi_map_page_legend_box(rvi_map_page *page, rvi_ink ink, const char *text);
void rvi_map_page_legend_line(rvi_map_page *page, rvi_ink ink, float width, const char *text);
void rvi_map_page_legend_words(rvi_map_page *page, const char *text);

#endif
