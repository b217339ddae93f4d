/* river_base.c: the base level of rivers: where water leaves the map, and how high that is.
 *
 * Fixed cells are the base level. With border=outlets those are a few cells of the edge, found
 * again in each time step: cells that are the lowest of the edge for W = 5 sqrt(source) to both
 * sides, and lower than what lies around them. The others rise and are cut like all land, so that
 * the map ends as if it were cut from a larger one. Where rivers inside have cut deeper than an
 * outlet, it is none any more. At the start a pit beside it may be as deep as the land rises in
 * half of the time, in which it goes: else a step of some centimetres, which cells of another size
 * do not show, would send the water of a whole valley to another outlet. And it may be as deep as a
 * lake has stood over the place: else a low basin would fill as high as the next outlet lies.
 * Finer levels keep the outlets of the coarsest one.
 */
#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"
#include "steps/rivers/river_cut.h"

#include <math.h>

static uint32_t open_sides(const rvi_rivers *r) {
    switch (r->p->border) {
    case RV_rivers_border_north:
        return RVI_OPEN_NORTH;
    case RV_rivers_border_east:
        return RVI_OPEN_EAST;
    case RV_rivers_border_south:
        return RVI_OPEN_SOUTH;
    case RV_rivers_border_west:
        return RVI_OPEN_WEST;
    case RV_rivers_border_wall:
    case RV_rivers_border_outlets:
        return 0;
    default:
        return RVI_OPEN_NORTH | RVI_OPEN_EAST | RVI_OPEN_SOUTH | RVI_OPEN_WEST;
    }
}

static void fix_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    bool any = false;
    int width = r->flow.width, height = r->flow.height;
    uint32_t sides = open_sides(r);
    size_t i = (size_t)first * (size_t)width;
    for (int y = first; y < end; y++)
        for (int x = 0; x < width; x++, i++) {
            /* Never without a sea; coarser levels know theirs from the map. */
            bool sea = r->start ? r->fixed[i] == RVI_SEA : r->h[i] < (double)r->p->sea;
            bool side = rvi_on_side(sides, x, y, width, height);
            r->fixed[i] = sea ? RVI_SEA : side ? RVI_SIDE : 0;
            any = any || r->fixed[i];
            if (sea)
                r->h[i] = (double)r->p->sea;
        }
    r->sums[first / RVI_ROWS] = any ? 1.0 : 0.0;
}

static rv_status find_lowest(const rvi_rivers *r, size_t *lowest) {
    *lowest = 0;
    for (size_t i = 0; i < r->cells; i++) {
        if (rvi_poll_at(r->job->ctx, i) != RV_OK)
            return RV_CANCELLED;
        *lowest = r->h[i] < r->h[*lowest] ? i : *lowest;
    }
    return RV_OK;
}

static rv_status fix_lowest(rvi_rivers *r) {
    size_t lowest = 0;
    rv_status status = r->job->device ? rvi_device_fetch(r->job->device, r->h) : RV_OK;
    if (status == RV_OK)
        status = find_lowest(r, &lowest);
    if (status != RV_OK)
        return status;
    r->fixed[lowest] = RVI_SIDE;
    r->least = r->h[lowest];
    return r->job->device ? rvi_rivers_device_fix_cell(r, lowest) : RV_OK;
}

static rv_status fix_on_processor(rvi_rivers *r, bool *any) {
    rv_status status = rvi_parallel_rows(r->job->ctx, r->flow.height, fix_rows, r);
    for (int y = 0; y < r->flow.height; y += RVI_ROWS) {
        *any = *any || r->sums[y / RVI_ROWS] > 0.0;
        r->sums[y / RVI_ROWS] = 0.0;
    }
    return status;
}

/* Where there is no base level at all, the lowest point is. On a device the host gets to know the
 * edge. */
static rv_status find_fixed(rvi_rivers *r) {
    bool any = false, outlets = r->p->border == RV_rivers_border_outlets;
    rv_status status =
        r->job->device ? rvi_rivers_device_fix(r, open_sides(r), &any) : fix_on_processor(r, &any);
    r->sea = any && outlets;
    r->least = (double)r->p->sea > -1e30 ? (double)r->p->sea : -1e30;
    if (status == RV_OK && !any && !outlets)
        status = fix_lowest(r);
    return status == RV_OK && r->job->device ? rvi_rivers_device_sides(r, false) : status;
}

/* ---- outlets ---- */

static double ring_height(const rvi_rivers *r, size_t place) {
    return r->h[rvi_ring_cell(r->flow.width, r->flow.height, place)];
}

/* Is there no way down from a place of the ring into a pit that is too deep for this time step? */
static bool is_low(const rvi_rivers *r, size_t place, size_t cell, int step) {
    double share = r->uplift ? (double)r->uplift[cell] : 1.0;
    double pit = rvi_pit_allowed(rvi_rivers_rise(r), share, r->steps / 2 - step);
    double lake = (double)r->flooded[place];
    return r->job->device
               ? r->low[place] != 0
               : rvi_is_low(r->h, r->flow.width, r->flow.height, cell, pit > lake ? pit : lake);
}

/* On the land as water was routed last. */
static void look_for_lakes(rvi_rivers *r, size_t length) {
    for (size_t k = 0; k < length && !r->job->device && r->flow.lakes; k++) {
        size_t i = rvi_ring_cell(r->flow.width, r->flow.height, k);
        float lake = (float)(r->flow.spill[r->flow.basin[i]] - r->h[i]);
        r->flooded[k] = rvi_maxf(r->flooded[k], lake);
    }
}

/* Is this place of the ring the lowest as far as `reach` places to both sides? */
static bool is_valley(const rvi_rivers *r, size_t place, size_t length, size_t reach) {
    double h = ring_height(r, place);
    for (size_t k = 1; k <= reach; k++) {
        double before = ring_height(r, (place + length - k) % length);
        double after = ring_height(r, (place + k) % length);
        if (before <= h || after < h)
            return false;
    }
    return true;
}

/* Only the `most` lowest ones stay. */
static void close_high(rvi_rivers *r, size_t length, int found, int most) {
    for (; found > most; found--) {
        size_t highest = r->cells;
        for (size_t k = 0; k < length; k++) {
            size_t i = rvi_ring_cell(r->flow.width, r->flow.height, k);
            if (r->fixed[i] == RVI_SIDE && (highest == r->cells || r->h[i] > r->h[highest]))
                highest = i;
        }
        r->fixed[highest] = 0;
    }
}

rv_status rvi_rivers_outlets(rvi_rivers *r, int step) {
    if (r->p->border != RV_rivers_border_outlets)
        return RV_OK;
    size_t length = rvi_ring_length(r->flow.width, r->flow.height), lowest = 0;
    double far = 5000.0 * sqrt((double)r->p->source) / (double)r->land->cell;
    size_t most = (length - 1) / 2, reach = far < (double)most ? (size_t)far : most;
    int found = 0;
    rv_status status = r->job->device ? rvi_rivers_device_low(r, step) : RV_OK;
    if (status != RV_OK)
        return status;
    look_for_lakes(r, length);
    for (size_t k = 0; k < length; k++) {
        size_t i = rvi_ring_cell(r->flow.width, r->flow.height, k);
        if (rvi_poll_at(r->job->ctx, k) != RV_OK)
            return RV_CANCELLED;
        if (r->fixed[i] == RVI_SEA)
            continue;
        bool leaves = is_valley(r, k, length, reach) && is_low(r, k, i, step);
        r->fixed[i] = leaves ? RVI_SIDE : 0;
        found += leaves;
        lowest = ring_height(r, k) < ring_height(r, lowest) ? k : lowest;
    }
    size_t last = rvi_ring_cell(r->flow.width, r->flow.height, lowest);
    if (found == 0 && !r->sea)
        r->fixed[last] = RVI_SIDE;
    if (r->p->outlets != RV_AUTO_INT)
        close_high(r, length, found, r->p->outlets);
    return RV_OK;
}

/* On a side whose last coarse cell lies before it, they move out to it. */
static size_t to_finer(double apart, int coarse, size_t at, int fine) {
    return at == (size_t)coarse - 1 ? (size_t)fine - 1 : rvi_level_nearest(apart, at, fine);
}

void rvi_rivers_keep_outlets(rvi_rivers *fine, const rvi_rivers *coarse) {
    int width = coarse->flow.width, height = coarse->flow.height;
    size_t length = rvi_ring_length(width, height);
    for (size_t k = 0; fine->p->border == RV_rivers_border_outlets && k < length; k++) {
        size_t i = rvi_ring_cell(width, height, k);
        size_t x = to_finer(coarse->apart, width, i % (size_t)width, fine->flow.width);
        size_t y = to_finer(coarse->apart, height, i / (size_t)width, fine->flow.height);
        unsigned char *to = &fine->fixed[y * (size_t)fine->flow.width + x];
        if (coarse->fixed[i] == RVI_SIDE && *to != RVI_SEA)
            *to = RVI_SIDE;
    }
}

/* ---- sides that sink ---- */

/* To the lowest point of the sides that sink, or to what the user asks for. */
rv_status rvi_rivers_base(rvi_rivers *r) {
    rv_status status = find_fixed(r);
    size_t length = rvi_ring_length(r->flow.width, r->flow.height);
    for (size_t k = 0; r->flooded && k < length; k++)
        r->flooded[k] = 0.0f;
    r->base = (double)r->p->base;
    for (size_t k = 0; isnan(r->p->base) && k < length; k++) {
        size_t i = rvi_ring_cell(r->flow.width, r->flow.height, k);
        if (r->fixed[i] == RVI_SIDE && !(r->h[i] >= r->base))
            r->base = r->h[i];
    }
    return status;
}

rv_status rvi_rivers_sink_sides(rvi_rivers *r, double share) {
    size_t length = rvi_ring_length(r->flow.width, r->flow.height);
    if (r->p->border == RV_rivers_border_open || r->p->border == RV_rivers_border_outlets)
        return RV_OK;
    for (size_t k = 0; k < length; k++) {
        size_t i = rvi_ring_cell(r->flow.width, r->flow.height, k);
        if (rvi_poll_at(r->job->ctx, k) != RV_OK)
            return RV_CANCELLED;
        if (r->fixed[i] != RVI_SIDE || !(r->h[i] > r->base))
            continue;
        double was = r->h[i];
        rvi_rivers_shift(r, i, (r->base - was) * share * (r->mask ? (double)r->mask[i] : 1.0));
        r->left += was - r->h[i];
    }
    return RV_OK;
}
