/* plot.h: a picture with two axes. */
#ifndef RVI_PICTURE_PLOT_H
#define RVI_PICTURE_PLOT_H

#include "picture/font.h"

typedef struct rvi_axis {
    const char *label;
    double low, high; /* low < high; on a scale of decades both above 0 */
    bool decades;
} rvi_axis;

typedef struct rvi_plot {
    rvi_canvas canvas;
    rvi_axis x, y;
    int left, top, right, bottom; /* of the field within the axes, in pixels */
} rvi_plot;

enum { RVI_PLOT_WIDTH = 720, RVI_PLOT_HEIGHT = 540 };

/* Draws title, grid, numbers and labels. */
rv_status rvi_plot_make(rv_context *ctx, const char *title, const rvi_axis *x, const rvi_axis *y,
                        rvi_plot *out);
void rvi_plot_free(rv_context *ctx, rvi_plot *plot);

rvi_point rvi_plot_place(const rvi_plot *plot, double x, double y); /* may lie outside the field */
/* Only what lies within the field is drawn. */
void rvi_plot_line(rvi_plot *plot, double x0, double y0, double x1, double y1, float width,
                   rvi_ink ink);
void rvi_plot_frame(rvi_plot *plot); /* over all that was drawn */

#endif
