/* drainage.c: where water goes.
 *
 * R. Barnes, C. Lehman and D. Mulla, Priority-flood, 2014 (priority_flood.h). A flood rises from
 * the outlets. All cells that it has reached wait in order of their level w; the first of them, c,
 * reaches its neighbours, which remember c. Of equal levels the one reached first goes first:
 * outlets are reached in order of their index, neighbours as well. Nothing else decides, so there
 * is one result.
 *
 * J. F. O'Callaghan and D. M. Mark, The extraction of drainage networks from digital elevation
 * data, 1984: the receiver of a cell is the neighbour with the steepest way down on w, with corners
 * sqrt 2 as far; of equals the one of lowest index. On flats it is the cell that reached this one,
 * so lakes and plains drain along short ways to where they spill. Cells leave the flood after all
 * lower ones and after the cell that reached them: that order has every receiver before its donors.
 *
 * D. G. Tarboton, A new method for the determination of flow directions and upslope areas in grid
 * digital elevation models, 1997: of the eight triangles between a cell and two neighbours, a side
 * one at height e1 and a corner one at e2, the steepest decides. With s1 = (e0 - e1) / cell and
 * s2 = (e1 - e2) / cell its slope is sqrt(s1^2 + s2^2), at the angle r = atan(s2 / s1) from the
 * side; beyond the triangle, the slope along its edge. The corner gets r / (pi/4) of the water.
 */
#include "measure/drainage.h"
#include "base/context.h"
#include "base/math.h"
#include "measure/priority_flood.h"

#include <math.h>
#include <string.h>

typedef struct draining {
    rvi_priority_flood flood;
    rvi_drainage *d;
    const float *h;
    uint32_t *reached; /* cells in the order in which they were reached */
    uint64_t *queue;   /* those to look at next: by level, then by that order */
    size_t times, queued;
} draining;

/* Neighbours in order of their index; the sides are 1, 3, 4 and 6. */
static const int east[8] = {-1, 0, 1, -1, 1, -1, 0, 1};
static const int south[8] = {-1, -1, -1, 0, 0, 1, 1, 1};

/* The lowest of all that were reached: so every cell comes after all lower ones. */
static RVI_HOT bool next_reached(void *arg, size_t *cell) {
    draining *f = arg;
    if (f->queued == 0)
        return false;
    *cell = f->reached[(uint32_t)rvi_heap_pop(f->queue, &f->queued)];
    f->d->order[f->d->count++] = (uint32_t)*cell;
    return true;
}

static RVI_HOT double level_of(const void *arg, size_t cell) {
    return (double)((const draining *)arg)->d->filled[cell];
}

static RVI_HOT bool is_dry(const void *arg, size_t cell) {
    return ((const draining *)arg)->d->filled[cell] == INFINITY;
}

static RVI_HOT double height_of(const void *arg, size_t cell) {
    return (double)((const draining *)arg)->h[cell];
}

static RVI_HOT void reach(void *arg, size_t cell, size_t from, int direction, double level) {
    draining *f = arg;
    (void)direction;
    f->d->filled[cell] = (float)level;
    f->d->receiver[cell] = (uint32_t)from;
    f->d->area[cell] = 1;
    f->reached[f->times] = (uint32_t)cell;
    rvi_heap_push(f->queue, &f->queued, rvi_level_key((float)level, f->times++));
}

static bool is_hole(const draining *f, const unsigned char *kind, size_t cell) {
    return (kind && kind[cell] == RVI_HOLE) || isnan(f->h[cell]);
}

static bool is_outlet(const draining *f, const unsigned char *kind, size_t cell) {
    if (kind && kind[cell] == RVI_OUTLET)
        return true;
    bool outlet = rvi_flood_inside(&f->flood, cell) != RVI_FLOOD_ALL;
    for (int k = 0; !outlet && k < 8; k++)
        outlet = is_hole(f, kind, rvi_flood_neighbour(&f->flood, cell, k));
    return outlet;
}

static rv_status start(draining *f, const unsigned char *kind) {
    size_t cells = (size_t)f->d->width * (size_t)f->d->height;
    for (size_t i = 0; i < cells; i++) {
        if (rvi_poll_at(f->flood.ctx, i) != RV_OK)
            return RV_CANCELLED;
        if (is_hole(f, kind, i)) {
            f->d->filled[i] = NAN;
            f->d->receiver[i] = (uint32_t)i;
        } else if (is_outlet(f, kind, i)) {
            reach(f, i, i, 0, (double)f->h[i]);
        } else {
            f->d->filled[i] = INFINITY; /* not reached yet */
        }
    }
    return RV_OK;
}

/* No cell waits: all lower ones have been looked at when its turn comes. */
static rv_status rise(draining *f) {
    static const rvi_flood_functions call = {next_reached, level_of, is_dry, height_of, reach};
    f->flood.risen = INFINITY;
    return rvi_flood_rise(&f->flood, &call, f);
}

/* Where the filled surface falls, the steepest way replaces the way the flood came. */
static void receive(const rvi_priority_flood *flood, rvi_drainage *d, size_t cell) {
    if (d->receiver[cell] == cell)
        return;
    float best = 0.0f; /* there are all eight neighbours: at the edge of the map are outlets only */
    for (int k = 0; k < 8; k++) {
        size_t n = rvi_flood_neighbour(flood, cell, k);
        bool side = k == 1 || k == 3 || k == 4 || k == 6;
        float fall = (d->filled[cell] - d->filled[n]) * (side ? 1.0f : 0.70710678f);
        if (fall > best) {
            best = fall;
            d->receiver[cell] = (uint32_t)n;
        }
    }
}

static rv_status run_down(rv_context *ctx, const rvi_priority_flood *flood, rvi_drainage *d) {
    size_t cells = (size_t)d->width * (size_t)d->height;
    for (size_t i = 0; i < cells; i++) {
        if (rvi_poll_at(ctx, i) != RV_OK)
            return RV_CANCELLED;
        receive(flood, d, i);
    }
    for (size_t k = d->count; k-- > 0;) {
        if (rvi_poll_at(ctx, k) != RV_OK)
            return RV_CANCELLED;
        size_t cell = d->order[k];
        if (d->receiver[cell] != cell)
            d->area[d->receiver[cell]] += d->area[cell];
    }
    return RV_OK;
}

rv_status rvi_drainage_make(rv_context *ctx, int width, int height, const float *heights,
                            const unsigned char *kind, rvi_drainage *out) {
    size_t cells = (size_t)width * (size_t)height;
    rvi_drainage d = {.width = width, .height = height};
    draining f = {.d = &d, .h = heights};
    f.flood = rvi_priority_flood_make(ctx, width, height, east, south);
    d.filled = rvi_alloc(ctx, cells, sizeof *d.filled, "the level of lakes");
    d.receiver = rvi_alloc(ctx, cells, sizeof *d.receiver, "the ways of water");
    d.order = rvi_alloc(ctx, cells, sizeof *d.order, "the order of a flood");
    d.area = rvi_alloc(ctx, cells, sizeof *d.area, "the drained areas");
    f.reached = rvi_alloc(ctx, cells, sizeof *f.reached, "the cells of a flood");
    f.queue = rvi_alloc(ctx, cells, sizeof *f.queue, "the front of a flood");
    rv_status status = d.filled && d.receiver && d.order && d.area && f.reached && f.queue
                           ? RV_OK
                           : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = start(&f, kind);
    if (status == RV_OK)
        status = rise(&f);
    if (status == RV_OK)
        status = run_down(ctx, &f.flood, &d);
    rvi_free(ctx, f.reached);
    rvi_free(ctx, f.queue);
    if (status != RV_OK)
        rvi_drainage_free(ctx, &d);
    *out = d;
    return status;
}

void rvi_drainage_free(rv_context *ctx, rvi_drainage *d) {
    rvi_free(ctx, d->filled);
    rvi_free(ctx, d->receiver);
    rvi_free(ctx, d->order);
    rvi_free(ctx, d->area);
    *d = (rvi_drainage){0};
}

/* ---- in any direction ---- */

typedef struct facet {
    float slope;
    float share; /* of the corner */
    size_t side, corner;
    float direction;
} facet;

/* The steepest triangle around a cell that is not at the edge; slope 0: there is none. */
static facet steepest(const rvi_drainage *d, size_t cell, float size) {
    ptrdiff_t w = d->width;
    /* From the east, growing northwards: side, corner, and which way round it goes. */
    const ptrdiff_t sides[8] = {1, -w, -w, -1, -1, w, w, 1};
    const ptrdiff_t corners[8] = {1 - w, 1 - w, -1 - w, -1 - w, w - 1, w - 1, w + 1, w + 1};
    const float quarter = (float)(RVI_PI / 4);
    facet best = {0};
    float e0 = d->filled[cell];
    for (int k = 0; k < 8; k++) {
        size_t side = (size_t)((ptrdiff_t)cell + sides[k]);
        size_t corner = (size_t)((ptrdiff_t)cell + corners[k]);
        float e1 = d->filled[side], e2 = d->filled[corner];
        float s1 = (e0 - e1) / size, s2 = (e1 - e2) / size, slope, r;
        if (s2 <= 0.0f) {
            slope = s1;
            r = 0.0f;
        } else if (s2 >= s1) {
            slope = (e0 - e2) / (size * 1.41421356f);
            r = quarter;
        } else {
            slope = sqrtf(s1 * s1 + s2 * s2);
            r = rvi_atanf(s2 / s1);
        }
        if (slope > best.slope) {
            float turn = (float)((k + 1) / 2) * (float)(RVI_PI / 2);
            best = (facet){slope, r / quarter, side, corner, k % 2 ? turn - r : turn + r};
        }
    }
    return best;
}

static void spread(const rvi_drainage *d, rvi_spread *s, size_t cell, float size) {
    s->direction[cell] = NAN;
    size_t receiver = d->receiver[cell];
    if (receiver == cell)
        return;
    facet f = steepest(d, cell, size);
    if (f.slope <= 0.0f) {
        s->area[receiver] += s->area[cell];
        return;
    }
    s->slope[cell] = f.slope;
    s->direction[cell] = f.direction;
    double corner = s->area[cell] * (double)f.share;
    s->area[f.side] += s->area[cell] - corner;
    s->area[f.corner] += corner;
}

rv_status rvi_spread_make(rv_context *ctx, const rvi_drainage *d, float cell, rvi_spread *out) {
    size_t cells = (size_t)d->width * (size_t)d->height;
    rvi_spread s = {.slope = rvi_alloc(ctx, cells, sizeof *s.slope, "the slopes"),
                    .direction = rvi_alloc(ctx, cells, sizeof *s.direction, "the directions"),
                    .area = rvi_alloc(ctx, cells, sizeof *s.area, "the drained areas")};
    rv_status status = s.slope && s.direction && s.area ? RV_OK : RV_ERROR_MEMORY;
    for (size_t i = 0; status == RV_OK && i < cells; i++) {
        bool hole = isnan(d->filled[i]);
        s.slope[i] = hole ? NAN : 0.0f;
        s.direction[i] = NAN;
        s.area[i] = hole ? 0.0 : 1.0;
    }
    for (size_t k = d->count; status == RV_OK && k-- > 0;) {
        spread(d, &s, d->order[k], cell);
        if (k % 16384 == 0)
            status = rvi_poll(ctx);
    }
    if (status != RV_OK)
        rvi_spread_free(ctx, &s);
    *out = s;
    return status;
}

void rvi_spread_free(rv_context *ctx, rvi_spread *s) {
    rvi_free(ctx, s->slope);
    rvi_free(ctx, s->direction);
    rvi_free(ctx, s->area);
    *s = (rvi_spread){0};
}
