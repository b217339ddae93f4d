/* fill_holes.c: gives the cells of a file that have no height one, so that every step has land to
 * work with: all cells of a hole, which neighbours join, get the height of the lowest cell around
 * it. */
#include "steps/open/fill_holes.h"
#include "base/context.h"
#include "base/math.h"

#include <math.h>

enum { FOUND = 1, FILLED = 2 }; /* marks of a hole while it is walked over */

typedef struct walk {
    rv_context *ctx;
    rvi_image *image;
    float *hole;
    uint32_t *cells; /* of the hole at hand, as they are found */
    size_t count;
} walk;

/* Finds the neighbours of a cell that are holes too; returns the lowest height of the others. */
static float look_around(walk *w, size_t cell, float lowest) {
    const rvi_image *image = w->image;
    int x = (int)(cell % (size_t)image->width), y = (int)(cell / (size_t)image->width);
    for (int v = rvi_maxi(y - 1, 0); v <= rvi_mini(y + 1, image->height - 1); v++)
        for (int u = rvi_maxi(x - 1, 0); u <= rvi_mini(x + 1, image->width - 1); u++) {
            size_t n = (size_t)v * (size_t)image->width + (size_t)u;
            if (w->hole[n] == 0.0f)
                lowest = rvi_minf(lowest, image->values[n]);
            if (!isnan(image->values[n]) || w->hole[n] == FOUND)
                continue;
            w->hole[n] = FOUND;
            w->cells[w->count++] = (uint32_t)n;
        }
    return lowest;
}

static rv_status fill_hole(walk *w, size_t first) {
    float lowest = INFINITY;
    w->count = 0;
    w->hole[first] = FOUND;
    w->cells[w->count++] = (uint32_t)first;
    for (size_t k = 0; k < w->count; k++) {
        lowest = look_around(w, w->cells[k], lowest);
        if (rvi_poll_at(w->ctx, k) != RV_OK)
            return RV_CANCELLED;
    }
    for (size_t k = 0; k < w->count; k++)
        w->image->values[w->cells[k]] = lowest;
    return RV_OK;
}

static size_t mark_holes(walk *w, size_t cells) {
    size_t holes = 0;
    for (size_t i = 0; i < cells; i++)
        if (isnan(w->image->values[i])) {
            w->hole[i] = FILLED;
            holes++;
        }
    return holes;
}

static rv_status fill_all(walk *w, const char *file, size_t cells) {
    if (mark_holes(w, cells) == cells)
        return rvi_fail(w->ctx, RV_ERROR_INPUT, "%s holds no height at all, only holes.", file);
    for (size_t i = 0; i < cells; i++) {
        rv_status status = isnan(w->image->values[i]) ? fill_hole(w, i) : RV_OK;
        if (status == RV_OK)
            status = rvi_poll_at(w->ctx, i);
        if (status != RV_OK)
            return status;
    }
    return RV_OK;
}

rv_status rvi_holes_fill(rv_context *ctx, const char *file, rvi_image *image, float **hole) {
    size_t cells = (size_t)image->width * (size_t)image->height, first = 0;
    *hole = NULL;
    while (first < cells && !isnan(image->values[first]))
        first++;
    if (first == cells)
        return RV_OK;
    walk w = {.ctx = ctx, .image = image};
    w.hole = rvi_alloc(ctx, cells, sizeof *w.hole, "the holes of a file");
    w.cells = rvi_alloc(ctx, cells, sizeof *w.cells, "the holes of a file");
    rv_status status = w.hole && w.cells ? fill_all(&w, file, cells) : RV_ERROR_MEMORY;
    rvi_free(ctx, w.cells);
    if (status == RV_OK)
        *hole = w.hole;
    else
        rvi_free(ctx, w.hole);
    return status;
}
