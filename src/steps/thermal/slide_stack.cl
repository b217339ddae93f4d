/* slide_stack.cl: rounds of slide_layers.c on a device, a cell an item. Grids have a ring of one cell around the
 * map. */
#include "device/prelude.cl"
#include "steps/thermal/slide_stack.h"
#include "wear/bedrock_cell.h"
#include "wear/border.h"

#define STACK                                                                                                          \
    __global const float *h, __global const float *limit, __global const float *yields, __global const float *takes,  \
        __global const float *cells, __global float *height_part, __global double *thick, __global double *give,      \
        __global ushort *exposed, __global ushort *giving, __global uchar *to, __global const float *east,            \
        __global const float *south, rvi_slide_rules k
#define STACK_OF                                                                                                       \
    { k, h, limit, yields, takes, cells, height_part, east, south, thick, give, exposed, giving, to }

static size_t place_of(const rvi_slide_rules *k, int x, int y) {
    return (size_t)(y + 1) * ((size_t)k->width + 2) + (size_t)(x + 1);
}

__kernel void stack_plan(STACK, BEDROCK_ARGS) {
    const rvi_slide_stack s = STACK_OF;
    const bedrock_grids rock = BEDROCK;
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= k.width)
        return;
    size_t i = place_of(&k, x, y);
    if (bedrock)
        height_part[i] = rvi_slide_harder(k.settles, bedrock_soft(&rock, i, (float)thick[i]));
    rvi_slide_plan(&s, x, y);
}

__kernel void stack_move(STACK, __global float *next, __global double *off_edge) {
    const rvi_slide_stack s = STACK_OF;
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    double off = 0.0;
    if (x >= k.width)
        return;
    next[place_of(&k, x, y)] = rvi_slide_move(&s, x, y, &off);
    if (off > 0.0)
        off_edge[rvi_slide_place(&k, x, y)] += off;
}

/* ---- before ---- */

__kernel void stack_layer(__global const float *thickness, __global float *before, __global double *thick,
                          rvi_slide_rules k, int layer) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= k.width)
        return;
    size_t cell = (size_t)y * (size_t)k.width + (size_t)x, cells = (size_t)k.width * (size_t)k.height;
    before[(size_t)layer * cells + cell] = thickness[cell];
    thick[(size_t)layer * rvi_slide_count_of(&k) + place_of(&k, x, y)] =
        rvi_slide_begins(&k, layer, thickness[cell]);
}

__kernel void stack_heights(__global const double *thick, __global float *h, rvi_slide_rules k) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= k.width)
        return;
    double sum = 0.0;
    for (int l = 0; l < k.layers; l++)
        sum += thick[(size_t)l * rvi_slide_count_of(&k) + place_of(&k, x, y)];
    h[place_of(&k, x, y)] = (float)sum;
}

/* The land outside. */
__kernel void stack_ring(__global float *h, rvi_slide_rules k, float highest) {
    int x = (int)get_global_id(0) - 1, y = (int)get_global_id(1) - 1;
    if (x > k.width || (x >= 0 && y >= 0 && x < k.width && y < k.height))
        return;
    float edge = h[place_of(&k, rvi_border_nearest(x, k.width), rvi_border_nearest(y, k.height))];
    float inside = h[place_of(&k, rvi_border_mirrored(x, k.width), rvi_border_mirrored(y, k.height))];
    h[place_of(&k, x, y)] =
        rvi_slide_outside(rvi_border_beyond(edge, inside), k.lowest, highest, k.quantum);
}

/* The mask, 1 on the ring. */
__kernel void stack_takes(__global const float *mask, __global float *takes, rvi_slide_rules k) {
    int x = (int)get_global_id(0) - 1, y = (int)get_global_id(1) - 1;
    if (x > k.width)
        return;
    bool inside = x >= 0 && y >= 0 && x < k.width && y < k.height;
    takes[place_of(&k, x, y)] =
        inside ? rvi_slide_harder(k.settles, mask[(size_t)y * (size_t)k.width + (size_t)x]) : 1.0f;
}

/* ---- after ---- */

__kernel void stack_show(__global const float *before, __global const double *thick, __global float *thickness,
                         rvi_slide_rules k, int layer) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= k.width)
        return;
    size_t cell = (size_t)y * (size_t)k.width + (size_t)x, cells = (size_t)k.width * (size_t)k.height;
    double now = thick[(size_t)layer * rvi_slide_count_of(&k) + place_of(&k, x, y)];
    thickness[cell] = rvi_slide_ends(&k, layer, now, before[(size_t)layer * cells + cell]);
}

/* What the cells of a layer won and lost; a lane of a row an item. */
__kernel void stack_count(__global const float *thickness, __global const float *before,
                          __global const double *thick, __global float *eroded, __global float *deposited,
                          __global rvi_slide_tally *tallies, rvi_slide_rules k, int layer) {
    int lane = (int)get_global_id(0), y = (int)get_global_id(1);
    if (lane >= RVI_SLIDE_LANES)
        return;
    size_t cells = (size_t)k.width * (size_t)k.height;
    rvi_slide_tally sum = {0.0, 0.0, 0.0};
    for (int x = lane; x < k.width; x += RVI_SLIDE_LANES) {
        size_t cell = (size_t)y * (size_t)k.width + (size_t)x;
        float was = before[(size_t)layer * cells + cell];
        double now = thick[(size_t)layer * rvi_slide_count_of(&k) + place_of(&k, x, y)];
        rvi_slide_tally t = rvi_slide_count(was, thickness[cell], now - rvi_slide_begins(&k, layer, was));
        sum.eroded += t.eroded;
        sum.deposited += t.deposited;
        sum.rounded += t.rounded;
        eroded[cell] += (float)t.eroded;
        deposited[cell] += (float)t.deposited;
    }
    tallies[(size_t)y * RVI_SLIDE_LANES + (size_t)lane] = sum;
}
