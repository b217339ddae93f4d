/* drainage.c: where water goes.
 *
 * flowgraph.c says to which level w water fills every cell.
 *
 * J. F. O'Callaghan and D. M. Mark, The extraction of drainage networks from digital elevation
 * data, 1984: the receiver of a cell is the neighbour with the steepest way down on w, with corners
 * sqrt 2 as far; of equals the one of lowest index. Where w is flat, on lakes and plains, a cell is
 * as many steps from where they spill as it takes on w to a cell that has a way down or is an
 * outlet. Its receiver is a step nearer: a side before a corner, and of equals the one with the
 * least random number. Cells are in order by w, then by these steps, then by their index: so every
 * receiver comes before its donors.
 *
 * D. G. Tarboton, A new method for the determination of flow directions and upslope areas in grid
 * digital elevation models, 1997: of the eight triangles between a cell and two neighbours, a side
 * one at height e1 and a corner one at e2, the steepest decides. With s1 = (e0 - e1) / cell and
 * s2 = (e1 - e2) / cell its slope is sqrt(s1^2 + s2^2), at the angle r = atan(s2 / s1) from the
 * side; beyond the triangle, the slope along its edge. The corner gets r / (pi/4) of the water.
 */
#include "measure/drainage.h"
#include "base/buffers.h"
#include "base/context.h"
#include "base/math.h"
#include "base/sort.h"
#include "base/threads.h"
#include "measure/flowgraph.h"

#include <math.h>
#include <string.h>

typedef struct draining {
    rv_context *ctx;
    rvi_drainage *d;
    const float *h;
    const unsigned char *kind; /* NULL: all land */
    rvi_buffers buffers;       /* of what follows */
    rvi_flow flow;
    double *heights;
    unsigned char *fixed;
    uint32_t *steps; /* to where a flat spills */
} draining;

static void list_buffers(draining *f, int width, int height) {
    size_t cells = (size_t)width * (size_t)height;
    rvi_buffers_add(&f->buffers, &f->heights, cells, sizeof *f->heights, "the land that drains");
    rvi_buffers_add(&f->buffers, &f->fixed, cells, 1, "the outlets");
    rvi_flow_prepare(&f->flow, f->ctx, width, height, false, &f->buffers);
}

size_t rvi_drainage_bytes(int width, int height) {
    draining f = {0};
    size_t cells = (size_t)width * (size_t)height;
    list_buffers(&f, width, height);
    size_t flow = rvi_buffers_bytes(&f.buffers), sorting = 2 * cells * sizeof(rvi_keyed) + 4096;
    return rvi_add_sizes(cells * 16 + 4096, flow > sorting ? flow : sorting);
}

/* ---- where water leaves ---- */

static void start_rows(void *arg, int first, int end) {
    const draining *f = arg;
    int width = f->d->width;
    for (int y = first; y < end; y++)
        for (int x = 0; x < width; x++) {
            size_t i = (size_t)y * (size_t)width + (size_t)x;
            f->heights[i] = rvi_drainage_hole(f->h, f->kind, i) ? NAN : (double)f->h[i];
            f->fixed[i] = rvi_drainage_outlet(f->h, f->kind, width, f->d->height, x, y);
        }
}

/* ---- receivers ---- */

static void level_rows(void *arg, int first, int end) {
    const draining *f = arg;
    size_t to = (size_t)end * (size_t)f->d->width;
    for (size_t i = (size_t)first * (size_t)f->d->width; i < to; i++)
        f->d->filled[i] = (float)rvi_flow_level(&f->flow, i, f->heights[i]);
}

/* The neighbour that water goes to, or the cell itself. */
static uint32_t receiver_by(const rvi_drainage *d, size_t cell, int way) {
    return (uint32_t)(way == RVI_NO_NEIGHBOUR ? cell : rvi_neighbour_beside(cell, d->width, way));
}

/* `steps` stand in the memory of areas, which come later. */
static void receive_rows(void *arg, int first, int end) {
    const draining *f = arg;
    rvi_drainage *d = f->d;
    size_t to = (size_t)end * (size_t)d->width;
    for (size_t i = (size_t)first * (size_t)d->width; i < to; i++) {
        int way = f->fixed[i] ? RVI_NO_NEIGHBOUR : rvi_drainage_down(d->filled, d->width, i);
        d->receiver[i] = receiver_by(d, i, way);
        f->steps[i] = f->fixed[i] || way != RVI_NO_NEIGHBOUR ? 0 : RVI_DRAINAGE_FLAT;
    }
}

/* Counts the steps from a cell to those around it; `tail` is the end of the queue. */
static size_t step_around(draining *f, size_t cell, size_t tail) {
    const rvi_drainage *d = f->d;
    int x = (int)(cell % (size_t)d->width), y = (int)(cell / (size_t)d->width);
    for (int k = 0; k < 8; k++) {
        if (!rvi_flow_inside(x + rvi_neighbour_east(k), y + rvi_neighbour_south(k), d->width,
                             d->height))
            continue;
        size_t n = rvi_neighbour_beside(cell, d->width, k);
        if (f->steps[n] != RVI_DRAINAGE_FLAT || d->filled[n] != d->filled[cell])
            continue;
        f->steps[n] = f->steps[cell] + 1;
        d->order[tail++] = (uint32_t)n;
    }
    return tail;
}

/* From the cells with a way down into the flats, a step all around at a time. The queue stands in
 * the memory of the order, which comes later; cells that drain are looked at before. */
static rv_status cross_flats(draining *f) {
    rvi_drainage *d = f->d;
    size_t cells = (size_t)d->width * (size_t)d->height, tail = 0;
    rv_status status = RV_OK;
    for (size_t i = 0; status == RV_OK && i < cells; i++) {
        status = rvi_poll_at(f->ctx, i);
        if (f->steps[i] == 0)
            tail = step_around(f, i, tail);
    }
    for (size_t i = 0; status == RV_OK && i < tail; i++) {
        status = rvi_poll_at(f->ctx, i);
        tail = step_around(f, d->order[i], tail);
    }
    return status;
}

static void flat_rows(void *arg, int first, int end) {
    const draining *f = arg;
    rvi_drainage *d = f->d;
    uint64_t mixed = rvi_mix(f->flow.seed);
    for (int y = first; y < end; y++)
        for (int x = 0; x < d->width; x++) {
            size_t i = (size_t)y * (size_t)d->width + (size_t)x;
            if (f->steps[i] > 0)
                d->receiver[i] = receiver_by(
                    d, i, rvi_drainage_across(d->filled, f->steps, d->width, x, y, mixed));
        }
}

/* ---- the order ---- */

/* Orders as the level does. */
static uint32_t level_key(float level) {
    uint32_t bits;
    float plain = level + 0.0f; /* no -0 */
    memcpy(&bits, &plain, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000;
}

static rv_status order_cells(draining *f) {
    rvi_drainage *d = f->d;
    size_t cells = (size_t)d->width * (size_t)d->height;
    rvi_keyed *items = rvi_alloc(f->ctx, cells, sizeof *items, "the order of a flood");
    if (!items)
        return RV_ERROR_MEMORY;
    rv_status status = RV_OK;
    for (size_t i = 0; status == RV_OK && i < cells; i++) {
        status = rvi_poll_at(f->ctx, i);
        if (!isnan(d->filled[i]))
            items[d->count++] =
                (rvi_keyed){(uint64_t)level_key(d->filled[i]) << 32 | f->steps[i], (uint32_t)i};
    }
    if (status == RV_OK)
        status = rvi_sort(f->ctx, items, d->count);
    for (size_t k = 0; status == RV_OK && k < d->count; k++)
        d->order[k] = items[k].value;
    rvi_free(f->ctx, items);
    return status;
}

static rv_status run_down(rv_context *ctx, rvi_drainage *d) {
    rv_status status = RV_OK;
    memset(d->area, 0, (size_t)d->width * (size_t)d->height * sizeof *d->area);
    for (size_t k = 0; k < d->count; k++)
        d->area[d->order[k]] = 1;
    for (size_t k = d->count; status == RV_OK && k-- > 0;) {
        size_t cell = d->order[k];
        status = rvi_poll_at(ctx, k);
        if (d->receiver[cell] != cell)
            d->area[d->receiver[cell]] += d->area[cell];
    }
    return status;
}

static rv_status route(draining *f) {
    list_buffers(f, f->d->width, f->d->height);
    rv_status status = rvi_buffers_alloc(&f->buffers, f->ctx);
    if (status == RV_OK)
        status = rvi_parallel_rows(f->ctx, f->d->height, start_rows, f);
    if (status == RV_OK) {
        rvi_flow_begin(&f->flow);
        f->flow.h = f->heights;
        f->flow.fixed = f->fixed;
        status = rvi_flow_route(&f->flow);
    }
    if (status == RV_OK)
        status = rvi_parallel_rows(f->ctx, f->d->height, level_rows, f);
    if (status == RV_OK)
        status = rvi_parallel_rows(f->ctx, f->d->height, receive_rows, f);
    if (status == RV_OK)
        status = cross_flats(f);
    if (status == RV_OK)
        status = rvi_parallel_rows(f->ctx, f->d->height, flat_rows, f);
    rvi_buffers_free(&f->buffers, f->ctx);
    return status;
}

rv_status rvi_drainage_make(rv_context *ctx, int width, int height, const float *heights,
                            const unsigned char *kind, rvi_drainage *out) {
    size_t cells = (size_t)width * (size_t)height;
    rvi_drainage d = {.width = width, .height = height};
    draining f = {.ctx = ctx, .d = &d, .h = heights, .kind = kind};
    d.filled = rvi_alloc(ctx, cells, sizeof *d.filled, "the level of lakes");
    d.receiver = rvi_alloc(ctx, cells, sizeof *d.receiver, "the ways of water");
    d.order = rvi_alloc(ctx, cells, sizeof *d.order, "the order of a flood");
    d.area = rvi_alloc(ctx, cells, sizeof *d.area, "the drained areas");
    rv_status status = d.filled && d.receiver && d.order && d.area ? RV_OK : RV_ERROR_MEMORY;
    f.steps = d.area;
    if (status == RV_OK)
        status = route(&f);
    if (status == RV_OK)
        status = order_cells(&f);
    if (status == RV_OK)
        status = run_down(ctx, &d);
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
