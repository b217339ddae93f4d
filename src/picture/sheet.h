/* sheet.h: a map with a title and a legend beside it. */
#ifndef RVI_PICTURE_SHEET_H
#define RVI_PICTURE_SHEET_H

#include "picture/letters.h"
#include "picture/shade.h"

typedef struct rvi_sheet {
    rvi_canvas canvas;
    int left, top;     /* of the map, in pixels */
    int grow, skip;    /* pixels a cell, or cells a pixel where there are more of them */
    int columns, rows; /* of the map, in pixels */
    float legend_x, legend_y;
} rvi_sheet;

/* The size that a sheet for a map of so many cells has, in bytes. */
size_t rvi_sheet_bytes(int width, int height);

/* The land in grey, lit from the north-west; holes stay white where `hole` is not NULL and at
 * least 1/2. */
rv_status rvi_sheet_make(const rv_terrain *land, const float *hole, const char *title,
                         rvi_sheet *out);
void rvi_sheet_free(rv_context *ctx, rvi_sheet *sheet);

rvi_point rvi_sheet_place(const rvi_sheet *sheet, int x, int y); /* the middle of a cell */
/* Lays a colour over a cell that keeps its light and shade. */
void rvi_sheet_tint(rvi_sheet *sheet, int x, int y, rvi_ink ink);

/* One more line of the legend: a coloured box or a line, and words. */
void rvi_sheet_legend_box(rvi_sheet *sheet, rvi_ink ink, const char *text);
void rvi_sheet_legend_line(rvi_sheet *sheet, rvi_ink ink, float width, const char *text);
void rvi_sheet_legend_words(rvi_sheet *sheet, const char *text);

#endif
