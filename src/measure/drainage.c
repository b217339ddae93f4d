/* drainage.c: where water goes.
 *
 * R. Barnes, C. Lehman and D. Mulla, Priority-flood: an optimal depression-filling and watershed-
 * labeling algorithm for digital elevation models, 2014. A flood rises from the outlets. Cells that
 * it has reached wait in order of their level; the first of them reaches its neighbours n, which
 * get the level
 *
 *     w(n) = max(h(n), w(c))      metres
 *
 * and remember c. Of equal levels the one reached first goes first: outlets are reached in order
 * of their index, neighbours as well. Nothing else decides, so there is one result.
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
#include "base/heap.h"
#include "base/math.h"

#include <math.h>
#include <string.h>

typedef struct flood {
    rv_context *ctx;
    rvi_drainage *d;
    const float *h;
    uint32_t *reached; /* cells by the time the flood reached them */
    uint64_t *heap;    /* level, then time */
    size_t times, waiting;
} flood;

/* Around a cell in order of index; a neighbour outside the map is left out. */
static int neighbours(const rvi_drainage *d, size_t cell, size_t *out) {
    uint32_t w = (uint32_t)d->width, y = (uint32_t)(cell / w), x = (uint32_t)(cell % w);
    int west = x > 0 ? -1 : 0, east = x + 1 < w ? 1 : 0;
    int north = y > 0 ? -1 : 0, south = y + 1 < (uint32_t)d->height ? 1 : 0;
    int count = 0;
    for (int dy = north; dy <= south; dy++)
        for (int dx = west; dx <= east; dx++)
            if (dx != 0 || dy != 0)
                out[count++] = (size_t)((ptrdiff_t)cell + (ptrdiff_t)dy * d->width + dx);
    return count;
}

static void reach(flood *f, size_t cell, size_t from, float level) {
    f->d->filled[cell] = level;
    f->d->receiver[cell] = (uint32_t)from;
    f->d->area[cell] = 1;
    f->reached[f->times] = (uint32_t)cell;
    rvi_heap_push(f->heap, &f->waiting, rvi_level_key(level, f->times++));
}

static bool is_hole(const flood *f, const unsigned char *kind, size_t cell) {
    return (kind && kind[cell] == RVI_HOLE) || isnan(f->h[cell]);
}

static bool is_outlet(const flood *f, const unsigned char *kind, size_t cell) {
    if (kind && kind[cell] == RVI_OUTLET)
        return true;
    size_t around[8];
    int count = neighbours(f->d, cell, around);
    bool outlet = count < 8;
    for (int k = 0; k < count; k++)
        outlet = outlet || is_hole(f, kind, around[k]);
    return outlet;
}

static rv_status start(flood *f, const unsigned char *kind) {
    size_t cells = (size_t)f->d->width * (size_t)f->d->height;
    for (size_t i = 0; i < cells; i++) {
        if (i % 65536 == 0 && rvi_poll(f->ctx) != RV_OK)
            return RV_CANCELLED;
        if (is_hole(f, kind, i)) {
            f->d->filled[i] = NAN;
            f->d->receiver[i] = (uint32_t)i;
        } else if (is_outlet(f, kind, i)) {
            reach(f, i, i, f->h[i]);
        } else {
            f->d->filled[i] = INFINITY; /* not reached yet */
        }
    }
    return RV_OK;
}

static rv_status rise(flood *f) {
    rvi_drainage *d = f->d;
    while (f->waiting > 0) {
        if (d->count % 16384 == 0 && rvi_poll(f->ctx) != RV_OK)
            return RV_CANCELLED;
        size_t cell = f->reached[(uint32_t)rvi_heap_pop(f->heap, &f->waiting)], around[8];
        int count = neighbours(d, cell, around);
        d->order[d->count++] = (uint32_t)cell;
        for (int k = 0; k < count; k++)
            if (d->filled[around[k]] == INFINITY)
                reach(f, around[k], cell, rvi_maxf(f->h[around[k]], d->filled[cell]));
    }
    return RV_OK;
}

/* Where the filled surface falls, the steepest way replaces the way the flood came. */
static void receive(rvi_drainage *d, size_t cell) {
    if (d->receiver[cell] == cell)
        return;
    size_t around[8]; /* all eight: at the edge of the map are outlets only */
    int count = neighbours(d, cell, around);
    float best = 0.0f;
    for (int k = 0; k < count; k++) {
        bool side = k == 1 || k == 3 || k == 4 || k == 6;
        float fall = (d->filled[cell] - d->filled[around[k]]) * (side ? 1.0f : 0.70710678f);
        if (fall > best) {
            best = fall;
            d->receiver[cell] = (uint32_t)around[k];
        }
    }
}

static rv_status run_down(rv_context *ctx, rvi_drainage *d) {
    size_t cells = (size_t)d->width * (size_t)d->height;
    for (size_t i = 0; i < cells; i++) {
        if (i % 65536 == 0 && rvi_poll(ctx) != RV_OK)
            return RV_CANCELLED;
        receive(d, i);
    }
    for (size_t k = d->count; k-- > 0;) {
        if (k % 65536 == 0 && rvi_poll(ctx) != RV_OK)
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
    flood f = {.ctx = ctx, .d = &d, .h = heights};
    d.filled = rvi_alloc(ctx, cells, sizeof *d.filled, "the level of lakes");
    d.receiver = rvi_alloc(ctx, cells, sizeof *d.receiver, "the ways of water");
    d.order = rvi_alloc(ctx, cells, sizeof *d.order, "the order of a flood");
    d.area = rvi_alloc(ctx, cells, sizeof *d.area, "the drained areas");
    f.reached = rvi_alloc(ctx, cells, sizeof *f.reached, "the cells of a flood");
    f.heap = rvi_alloc(ctx, cells, sizeof *f.heap, "the front of a flood");
    rv_status status = d.filled && d.receiver && d.order && d.area && f.reached && f.heap
                           ? RV_OK
                           : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = start(&f, kind);
    if (status == RV_OK)
        status = rise(&f);
    if (status == RV_OK)
        status = run_down(ctx, &d);
    rvi_free(ctx, f.reached);
    rvi_free(ctx, f.heap);
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
