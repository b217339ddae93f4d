/* flood.c: lakes up to where they spill, or a sea up to a level.
 *
 * R. Barnes, C. Lehman and D. Mulla, Priority-flood: an optimal depression-filling and watershed-
 * labeling algorithm for digital elevation models, 2014. The water stands at
 *
 *     W(c) = the least, over all ways from c over the edge of the map by eight neighbours, of the
 *            greatest height h on the way (metres)
 *
 * so the depth W - h is 0 where the land drains. Cells are reached from the edge inwards. From a
 * cell c that was reached, a neighbour n with h(n) >= W(c) gets W(n) = h(n), whatever way it is
 * reached by: no order is needed. Only c with a lower neighbour must wait until no other such cell
 * stands lower; then n gets W(n) = W(c). Of cells that wait at the same height, the one of lower
 * index goes first (W is the same in any order).
 */
#include "base/heap.h"
#include "base/math.h"
#include "base/threads.h"
#include "steps/step.h"

#include <math.h>
#include <string.h>

typedef struct filling {
    rv_context *ctx;
    const float *h;
    float *w; /* NaN: not reached yet */
    int width, height;
    /* Cells that wait are a heap at the start of `room`, those to look at next a stack at its end.
     * No cell is in both or twice in one, so a place a cell is enough. */
    uint64_t *room;
    size_t waiting, next;
    float level; /* of the cell that waited last */
} filling;

static void wait(filling *f, size_t cell) {
    rvi_heap_push(f->room, &f->waiting, rvi_level_key(f->w[cell], cell));
}

static size_t lowest_waiting(filling *f) {
    return (size_t)(uint32_t)rvi_heap_pop(f->room, &f->waiting);
}

static void reach(filling *f, size_t cell, float w) {
    f->w[cell] = w;
    f->room[--f->next] = cell;
}

/* Reaches all neighbours that can be; waits when there are others. */
static void look_around(filling *f, size_t cell) {
    uint32_t y = (uint32_t)cell / (uint32_t)f->width, x = (uint32_t)cell - y * (uint32_t)f->width;
    int west = x > 0 ? -1 : 0, east = x + 1 < (uint32_t)f->width ? 1 : 0;
    int north = y > 0 ? -1 : 0, south = y + 1 < (uint32_t)f->height ? 1 : 0;
    float w = f->w[cell];
    bool fills = w <= f->level, lower = false;
    for (int dy = north; dy <= south; dy++) {
        size_t row = (size_t)((ptrdiff_t)cell + (ptrdiff_t)dy * f->width);
        for (int dx = west; dx <= east; dx++) {
            size_t n = (size_t)((ptrdiff_t)row + dx);
            if (!isnan(f->w[n]))
                continue;
            float h = f->h[n];
            if (h >= w || fills)
                reach(f, n, rvi_maxf(h, w));
            else
                lower = true;
        }
    }
    if (lower)
        wait(f, cell);
}

static rv_status fill(filling *f) {
    size_t cells = (size_t)f->width * (size_t)f->height;
    f->next = cells;
    f->level = -INFINITY;
    for (size_t i = 0; i < cells; i++)
        f->w[i] = NAN;
    for (int y = 0; y < f->height; y++)
        for (int x = 0; x < f->width; x++) {
            size_t i = (size_t)y * (size_t)f->width + (size_t)x;
            if (x == 0 || y == 0 || x == f->width - 1 || y == f->height - 1)
                reach(f, i, f->h[i]);
        }
    for (uint64_t done = 0; f->next < cells || f->waiting > 0; done++) {
        if (done % 16384 == 0 && rvi_poll(f->ctx) != RV_OK)
            return RV_CANCELLED;
        size_t cell;
        if (f->next < cells) {
            cell = (size_t)f->room[f->next++];
        } else {
            cell = lowest_waiting(f);
            f->level = f->w[cell];
        }
        look_around(f, cell);
    }
    return RV_OK;
}

/* ---- depths ---- */

typedef struct depths {
    const float *h, *w; /* w NULL: `level` everywhere */
    float level;
    float *water;
    int width;
} depths;

static void deepen_rows(void *arg, int first, int end) {
    const depths *d = arg;
    size_t i = (size_t)first * (size_t)d->width, last = (size_t)end * (size_t)d->width;
    for (; i < last; i++) {
        float depth = (d->w ? d->w[i] : d->level) - d->h[i];
        d->water[i] = rvi_maxf(rvi_maxf(depth, 0.0f), d->water[i]);
    }
}

/* Water that stands deeper already stays. */
static rv_status deepen(rvi_job *job, depths *d) {
    rv_terrain *land = job->land;
    double area = (double)land->cell * (double)land->cell;
    d->water = rvi_field_make(land, "water");
    if (!d->water)
        return RV_ERROR_MEMORY;
    job->water.before = area * rvi_sum(job->ctx, d->water, rvi_cells(land));
    if (rvi_parallel_rows(job->ctx, land->height, deepen_rows, d) != RV_OK)
        deepen_rows(d, 0, land->height); /* a stop must not leave half a lake */
    job->water.standing = area * rvi_sum(job->ctx, d->water, rvi_cells(land));
    job->water.rained = job->water.standing - job->water.before;
    return RV_OK;
}

rv_status rvi_step_flood(rvi_job *job, const rv_flood_params *p) {
    rv_terrain *land = job->land;
    depths d = {.h = land->surface, .level = p->level, .width = land->width};
    if (!isnan(p->level))
        return deepen(job, &d);
    size_t cells = rvi_cells(land);
    filling f = {.ctx = job->ctx, .h = land->surface, .width = land->width, .height = land->height};
    f.w = rvi_alloc(job->ctx, cells, sizeof *f.w, "the level of lakes");
    f.room = rvi_alloc(job->ctx, cells, sizeof *f.room, "the order of a flood");
    rv_status status = f.w && f.room ? fill(&f) : RV_ERROR_MEMORY;
    d.w = f.w;
    if (status == RV_OK)
        status = deepen(job, &d);
    rvi_free(job->ctx, f.w);
    rvi_free(job->ctx, f.room);
    return status;
}
