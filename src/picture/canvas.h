/* canvas.h: a picture to draw on. */
#ifndef RVI_PICTURE_CANVAS_H
#define RVI_PICTURE_CANVAS_H

#include "base/context.h"

typedef struct rvi_canvas {
    int width, height;
    unsigned char *rgb; /* three bytes a pixel, from rvi_alloc */
} rvi_canvas;

typedef struct rvi_ink {
    unsigned char red, green, blue;
    float cover; /* 0 to 1: how much of what lies below it hides */
} rvi_ink;

typedef struct rvi_point {
    float x, y; /* pixels from the left and from the top; the middle of the first is at 0.5 */
} rvi_point;

/* All white. */
rv_status rvi_canvas_make(rv_context *ctx, int width, int height, rvi_canvas *out);
void rvi_canvas_free(rv_context *ctx, rvi_canvas *canvas);

/* What lies outside the picture is left out. */
void rvi_canvas_dot(rvi_canvas *canvas, int x, int y, rvi_ink ink);
void rvi_canvas_box(rvi_canvas *canvas, int x, int y, int width, int height, rvi_ink ink);
/* With round ends and soft edges; from a point to itself it is a disc. */
void rvi_canvas_line(rvi_canvas *canvas, rvi_point from, rvi_point to, float width, rvi_ink ink);

#endif
