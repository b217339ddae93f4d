/* settle_cells.cl: the search of slide_settle.c on a device, a cell or a square an item. Grids have a ring of one
 * cell around the map, and places count from its corner. */
#include "device/prelude.cl"
#include "steps/thermal/settle_cell.h"
#include "steps/thermal/slide_stack.h"
#include "wear/bedrock_cell.h"

#define SIDES(name)                                                                                                    \
    __global const float *restrict name##a, __global const float *restrict name##b,                                   \
        __global const float *restrict name##l, __global const float *restrict name##r
#define EDGES                                                                                                          \
    __global const float *restrict east, __global const float *restrict west, __global const float *restrict south,   \
        __global const float *restrict north

/* The height of each cell of the map by g. */
__kernel void settle_heights(__global const float *restrict h0, SIDES(g), __global float *restrict h, int width) {
    size_t w = (size_t)width + 2, i = ((size_t)get_global_id(1) + 1) * w + (size_t)get_global_id(0) + 1;
    if (get_global_id(0) >= (size_t)width)
        return;
    h[i] = rvi_settle_height(h0[i], ga[i] + gb[i - w], ga[i - 1] + gb[i - w - 1], gl[i] + gr[i - 1],
                             gl[i - w] + gr[i - w - 1]);
}

/* What slides along the sides of a square. east: may ground slide along the edges? NULL: along all of them. */
__kernel void settle_flow(__global const float *restrict h, __global float *restrict fa, __global float *restrict fb,
                          __global float *restrict fl, __global float *restrict fr, __global float *restrict ga,
                          __global float *restrict gb, __global float *restrict gl, __global float *restrict gr, EDGES,
                          int width, int height, int open, float limit, float momentum) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1), off = rvi_settle_off(x, y, width, height);
    if (x > width || (off && !open))
        return;
    size_t w = (size_t)width + 2, i = (size_t)y * w + (size_t)x;
    float nw = h[i], ne = h[i + 1], sw = h[i + w], se = h[i + w + 1];
    float xa = rvi_settle_fall(ga[i], nw, ne), xb = rvi_settle_fall(gb[i], sw, se);
    float xl = rvi_settle_fall(gl[i], nw, sw), xr = rvi_settle_fall(gr[i], ne, se);
    if (east) {
        xa = rvi_settle_hold(xa, east[i], west[i]);
        xb = rvi_settle_hold(xb, east[i + w], west[i + w]);
        xl = rvi_settle_hold(xl, south[i], north[i]);
        xr = rvi_settle_hold(xr, south[i + 1], north[i + 1]);
    }
    float keep = rvi_settle_keep(rvi_settle_limit(limit, off), xa, xb, xl, xr);
    xa *= keep;
    xb *= keep;
    xl *= keep;
    xr *= keep;
    ga[i] = rvi_settle_pull(xa, fa[i], momentum);
    gb[i] = rvi_settle_pull(xb, fb[i], momentum);
    gl[i] = rvi_settle_pull(xl, fl[i], momentum);
    gr[i] = rvi_settle_pull(xr, fr[i], momentum);
    fa[i] = xa;
    fb[i] = xb;
    fl[i] = xl;
    fr[i] = xr;
}

/* How many squares are busy, and restless; an item looks at some of a column. */
__kernel void settle_count(__global const float *restrict h, SIDES(f), EDGES, __global int *counts, int width,
                           int height, int open, float limit, float margin) {
    int x = (int)get_global_id(0), first = (int)get_global_id(1) * RVI_SETTLE_STRIP, busy = 0, restless = 0;
    size_t w = (size_t)width + 2;
    if (x > width)
        return;
    for (int y = first; y < first + RVI_SETTLE_STRIP && y <= height; y++) {
        int off = rvi_settle_off(x, y, width, height);
        if (off && !open)
            continue;
        size_t i = (size_t)y * w + (size_t)x;
        float nw = h[i], ne = h[i + 1], sw = h[i + w], se = h[i + w + 1];
        float xa = nw - ne, xb = sw - se, xl = nw - sw, xr = ne - se;
        if (east) {
            xa = rvi_settle_hold(xa, east[i], west[i]);
            xb = rvi_settle_hold(xb, east[i + w], west[i + w]);
            xl = rvi_settle_hold(xl, south[i], north[i]);
            xr = rvi_settle_hold(xr, south[i + 1], north[i + 1]);
        }
        float slid = rvi_maxf(rvi_maxf(rvi_settle_size(fa[i]), rvi_settle_size(fb[i])),
                              rvi_maxf(rvi_settle_size(fl[i]), rvi_settle_size(fr[i])));
        rvi_settle_tally t = rvi_settle_look(rvi_settle_limit(limit, off), margin, slid, xa, xb, xl, xr);
        busy += t.busy;
        restless += t.restless;
    }
    if (busy > 0)
        atomic_add(&counts[2 * (x % RVI_SETTLE_LANES)], busy);
    if (restless > 0)
        atomic_add(&counts[2 * (x % RVI_SETTLE_LANES) + 1], restless);
}

/* ---- before ---- */

/* Can a cell give? On the ring none can. */
static float gives(__global const float *cells, float yields, int x, int y, int width, int height) {
    size_t i = (size_t)y * ((size_t)width + 2) + (size_t)x;
    return x < 1 || y < 1 || x > width || y > height ? 0.0f : yields * (cells ? cells[i] : 1.0f);
}

/* Can it take? On the ring all can where the border is open. */
static float takes_at(__global const float *takes, int open, int x, int y, int width, int height) {
    size_t i = (size_t)y * ((size_t)width + 2) + (size_t)x;
    bool outside = x < 1 || y < 1 || x > width || y > height;
    return outside ? (open ? 1.0f : 0.0f) : takes ? takes[i] : 1.0f;
}

__kernel void settle_limits(__global const float *cells, __global const float *takes, __global float *east,
                            __global float *west, __global float *south, __global float *north, int width, int height,
                            int open, float yields) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x > width)
        return;
    size_t i = (size_t)y * ((size_t)width + 2) + (size_t)x;
    bool gives_here = gives(cells, yields, x, y, width, height) > 0.0f;
    bool takes_here = takes_at(takes, open, x, y, width, height) > 0.0f;
    bool gives_east = gives(cells, yields, x + 1, y, width, height) > 0.0f;
    bool gives_south = gives(cells, yields, x, y + 1, width, height) > 0.0f;
    east[i] = gives_here && takes_at(takes, open, x + 1, y, width, height) > 0.0f ? 1.0f : 0.0f;
    south[i] = gives_here && takes_at(takes, open, x, y + 1, width, height) > 0.0f ? 1.0f : 0.0f;
    west[i] = gives_east && takes_here ? 1.0f : 0.0f;
    north[i] = gives_south && takes_here ? 1.0f : 0.0f;
}

/* Of the factor of the cells. */
__kernel void settle_harder(__global float *cells, ulong count) {
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    if (i < count)
        cells[i] = rvi_slide_harder(1, cells[i]);
}

/* ---- after ---- */

static double slid_east(__global const float *fa, __global const float *fb, size_t i, size_t w, double quantum) {
    return rvi_settle_slid(fa[i], fb[i - w], quantum);
}

static double slid_south(__global const float *fl, __global const float *fr, size_t i, double quantum) {
    return rvi_settle_slid(fl[i], fr[i - 1], quantum);
}

/* The land by what slid, and what left the map. */
__kernel void settle_set(__global const float *restrict h0, SIDES(f), __global float *restrict h,
                         __global double *restrict off_edge, rvi_slide_rules k) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= k.width)
        return;
    size_t w = (size_t)k.width + 2, i = (size_t)(y + 1) * w + (size_t)(x + 1);
    double east = slid_east(fa, fb, i, w, k.quantum), west = slid_east(fa, fb, i - 1, w, k.quantum);
    double south = slid_south(fl, fr, i, k.quantum), north = slid_south(fl, fr, i - w, k.quantum);
    h[i] = (float)((double)h0[i] - ((east - west) + (south - north)));
    if (x > 0 && y > 0 && x < k.width - 1 && y < k.height - 1)
        return;
    double off = 0.0;
    off += x == k.width - 1 ? east : 0.0;
    off -= x == 0 ? west : 0.0;
    off += y == k.height - 1 ? south : 0.0;
    off -= y == 0 ? north : 0.0;
    off_edge[rvi_slide_place(&k, x, y)] = off;
}

/* What slides to the east and south in each of so many rounds. */
__kernel void settle_plan(SIDES(f), __global float *restrict to_east, __global float *restrict to_south, int width,
                          int height, double quantum, int rounds) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t w = (size_t)width + 2, i = (size_t)y * w + (size_t)x;
    if (x > width)
        return;
    if (y > 0)
        to_east[i] = (float)(slid_east(fa, fb, i, w, quantum) / (double)rounds);
    if (x > 0)
        to_south[i] = (float)(slid_south(fl, fr, i, quantum) / (double)rounds);
}

/* The surface becomes the bedrock. */
__kernel void settle_bedrock(__global const float *restrict h, __global double *restrict thick, int width) {
    size_t i = ((size_t)get_global_id(1) + 1) * ((size_t)width + 2) + (size_t)get_global_id(0) + 1;
    if (get_global_id(0) < (size_t)width)
        thick[i] = (double)h[i];
}

/* Cells that stand too steep. thick: NULL where there is one layer and nothing that holds it back. */
__kernel void settle_steep(__global const float *h, __global const float *limit, __global const float *margin,
                           __global const float *yields, __global const float *takes, __global const float *cells,
                           __global double *thick, BEDROCK_ARGS, __global int *counts, rvi_slide_rules k) {
    const bedrock_grids rock = BEDROCK;
    const rvi_slide_stack s = {k, h, limit, yields, takes, cells, 0, 0, 0, thick, 0, 0, 0, 0};
    int x = (int)get_global_id(0), first = (int)get_global_id(1) * RVI_SETTLE_STRIP, steep = 0;
    if (x >= k.width)
        return;
    for (int y = first; y < first + RVI_SETTLE_STRIP && y < k.height; y++) {
        size_t i = (size_t)(y + 1) * ((size_t)k.width + 2) + (size_t)(x + 1);
        int layer = thick ? rvi_slide_top(&s, i) : 0;
        float soft = layer == 0 && bedrock ? bedrock_soft(&rock, i, (float)thick[i]) : 1.0f;
        steep += rvi_slide_steep(&s, margin, x, y, layer, soft);
    }
    if (steep > 0)
        atomic_add(&counts[x % RVI_SETTLE_LANES], steep);
}
