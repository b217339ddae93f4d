/* runoff_stack.cl: rounds of runoff.c on a device where the land has layers, or bedrock that has bands. Each
 * operation is that of the processor, on the same numbers: runoff_round.c, runoff_layers.c and runoff_wear.c. */
#include "device/prelude.cl"
#include "steps/runoff/runoff_device_cell.h"
#include "terrain/layer_cell.h"
#include "wear/bedrock_cell.h"
#include "wear/border.h"

/* The land as it is. */
typedef struct stack_land {
    __global const float *base, *ground, *cut, *water; /* cut: 0 where there is one layer */
    __global const float *stack;                       /* thickness of layer l, as it was, at l * cells */
    bedrock_grids bedrock;
    __global const float *yields; /* of each layer */
    size_t cells;
    int layers;
} stack_land;

#define LAND_ARGS                                                                                                      \
    __global const float *base, __global const float *ground, __global const float *cut, __global const float *water, \
        __global const float *stack, BEDROCK_ARGS, __global const float *yields, rvi_runoff_shape f, int layers
#define LAND                                                                                                           \
    { base, ground, cut, water, stack, BEDROCK, yields, (size_t)f.width * (size_t)f.height, layers }

static float change_at(const stack_land *s, size_t i) {
    return s->cut ? s->ground[i] - s->cut[i] : s->ground[i];
}

static float ground_at(const stack_land *s, size_t i) {
    return s->base[i] + change_at(s, i);
}

/* Also of places one cell outside: an open edge goes on as the ground comes to it, without water. */
static float level_at(const stack_land *s, const rvi_runoff_shape *f, int x, int y) {
    int w = f->width, h = f->height;
    if (x >= 0 && y >= 0 && x < w && y < h) {
        size_t i = (size_t)y * (size_t)w + (size_t)x;
        return ground_at(s, i) + s->water[i];
    }
    if (f->wall)
        return RVI_RUNOFF_WALL;
    size_t edge = (size_t)rvi_border_nearest(y, h) * (size_t)w + (size_t)rvi_border_nearest(x, w);
    size_t inside = (size_t)rvi_border_mirrored(y, h) * (size_t)w + (size_t)rvi_border_mirrored(x, w);
    return rvi_border_beyond(ground_at(s, edge), ground_at(s, inside));
}

static rvi_runoff_drops sum_drops(const stack_land *s, const rvi_runoff_shape *f, int x, int y, float still) {
    float t = level_at(s, f, x, y);
    rvi_runoff_drops drops = rvi_runoff_sum_sides(t, level_at(s, f, x - 1, y), level_at(s, f, x + 1, y),
                                                  level_at(s, f, x, y - 1), level_at(s, f, x, y + 1), still);
    if (f->eight)
        drops = rvi_runoff_add_corners(drops, t, level_at(s, f, x - 1, y - 1), level_at(s, f, x + 1, y + 1),
                                       level_at(s, f, x + 1, y - 1), level_at(s, f, x - 1, y + 1), still);
    return drops;
}

/* Of bedrock that ends at height `top`. */
static float rock_at(const stack_land *s, size_t i, float top) {
    return bedrock_soft(&s->bedrock, i, top);
}

/* Takes from the top layer first: rvi_runoff_take_layers(). */
static float take_layers(const stack_land *s, size_t i, float want, float *top, float *cut) {
    __global const float *yields = s->yields;
    int l = s->layers - 1;
    float thick = s->stack[(size_t)l * s->cells + i], there = rvi_maxf(thick + *top, 0.0f), taken = 0.0f;
    if (there > 0.0f) {
        float loss = want * yields[l], old = *top;
        *top = rvi_layer_used_up(&want, loss, there, false) ? -thick : rvi_maxf(old - loss, -thick);
        taken = old - *top;
    }
    float bottom = 0.0f; /* of the layer, as a depth below the top layer */
    for (l--; l >= 0 && want > 0.0f; l--) {
        bottom += l > 0 ? s->stack[(size_t)l * s->cells + i] : 0.0f;
        float left = bottom - *cut;
        if (l > 0 && !(left > 0.0f))
            continue;
        float loss = want * yields[l];
        if (l == 0)
            loss *= rock_at(s, i, s->stack[i] - rvi_maxf(*cut - bottom, 0.0f));
        bool used_up = rvi_layer_used_up(&want, loss, left, l == 0);
        float deeper = used_up ? bottom : *cut + loss;
        taken += deeper - *cut;
        *cut = deeper;
    }
    return taken;
}

/* ---- a round ---- */

/* What each cell does before anything comes in; a column of a block an item. What is left in a cell stands in
 * water_to and sediment_to, what it sends for each metre of drop in sends_*. */
__kernel void stack_give(LAND_ARGS, __global const float *sediment, __global const float *deposited,
                         __global const float *flow, __global float *ground_to, __global float *cut_to,
                         __global float *water_to, __global float *sediment_to, __global float *deposited_to,
                         __global float *flow_to, __global float *sends_water, __global float *sends_sediment,
                         __global const float *factor, __global const float *mask, __global const float *mean,
                         __global rvi_runoff_column *columns, rvi_runoff_rules r) {
    const stack_land s = LAND;
    int x = (int)get_global_id(0), block = (int)get_global_id(1);
    int first = block * RVI_RUNOFF_ROWS, end = rvi_mini(first + RVI_RUNOFF_ROWS, f.height);
    if (x >= f.width)
        return;
    rvi_runoff_tally tally = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    for (int y = first; y < end; y++) {
        size_t i = (size_t)y * (size_t)f.width + (size_t)x;
        rvi_runoff_drops drops = sum_drops(&s, &f, x, y, r.still);
        float w = water[i], sed = sediment[i], old = ground[i], after = old, gained, moved;
        rvi_runoff_plan p =
            rvi_runoff_decide(&r, drops, w, sed, rvi_runoff_spare(base[i], change_at(&s, i), r.floor),
                              mean ? mean[i] : 0.0f);
        float take = factor ? p.take * factor[i] : p.take, lay = mask ? p.lay * mask[i] : p.lay;
        if (cut) {
            float raised = old + lay, deep = cut[i];
            gained = raised - old;
            if (gained > sed || !(lay > 0.0f))
                gained = 0.0f;
            else
                after = raised;
            if (take > 0.0f)
                gained = -take_layers(&s, i, take, &after, &deep);
            cut_to[i] = deep;
            moved = (after - old) - (deep - cut[i]);
        } else {
            take *= rock_at(&s, i, base[i] + old);
            after = rvi_runoff_ground(old, lay, take, sed);
            gained = moved = after - old;
        }
        rvi_runoff_sent sent = rvi_runoff_send(p, w, sed, gained, drops.sum);
        ground_to[i] = after;
        water_to[i] = sent.water_left;
        sediment_to[i] = sent.sediment_left;
        sends_water[i] = sent.water;
        sends_sediment[i] = sent.sediment;
        deposited_to[i] = deposited[i] + sent.deposited;
        flow_to[i] = flow[i] + p.out;
        tally.laid += rvi_maxf(moved, 0.0f);
        tally.taken += rvi_maxf(-moved, 0.0f);
    }
    rvi_runoff_count(&columns[(size_t)block * (size_t)f.width + (size_t)x], tally);
}

/* What one neighbour gives; nothing comes from outside. */
static float part_of(const stack_land *s, __global const float *sends, const rvi_runoff_shape *f, int x, int y,
                     float here, float still) {
    if (x < 0 || y < 0 || x >= f->width || y >= f->height)
        return 0.0f;
    return rvi_runoff_gift(sends[(size_t)y * (size_t)f->width + (size_t)x], level_at(s, f, x, y), here, still);
}

#define PART(dx, dy) part_of(s, sends, f, x + (dx), y + (dy), here, still)
static float gather_in(const stack_land *s, __global const float *sends, const rvi_runoff_shape *f, int x, int y,
                       float still) {
    float here = level_at(s, f, x, y);
    float sum = (PART(-1, 0) + PART(1, 0)) + (PART(0, -1) + PART(0, 1));
    if (!f->eight)
        return sum;
    return sum + ((PART(-1, -1) + PART(1, 1)) + (PART(1, -1) + PART(-1, 1)));
}
#undef PART

/* What a cell of the border sends over the edge. */
static void send_off(const stack_land *s, __global rvi_runoff_off *off, const rvi_runoff_shape *f, int x, int y,
                     float sends_water, float sends_sediment, float still) {
    __global rvi_runoff_off *to = off + rvi_runoff_place(x, y, f->width, f->height);
    float here = level_at(s, f, x, y);
    double wet = to->water, load = to->sediment;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            bool inside = x + dx >= 0 && y + dy >= 0 && x + dx < f->width && y + dy < f->height;
            if (inside || (!f->eight && dx != 0 && dy != 0))
                continue;
            float d = rvi_runoff_drop(here, level_at(s, f, x + dx, y + dy), still);
            wet += (double)(sends_water * d);
            load += (double)(sends_sediment * d);
        }
    to->water = wet;
    to->sediment = load;
    to->held += load;
}

/* What comes in, evaporation, infiltration and the rain of the next round; a column of a block an item. */
__kernel void stack_gather(LAND_ARGS, __global float *water_to, __global float *sediment_to,
                           __global const float *sends_water, __global const float *sends_sediment,
                           __global const float *rain, __global rvi_runoff_column *columns,
                           __global rvi_runoff_off *off, rvi_runoff_rules r) {
    const stack_land s = LAND;
    int x = (int)get_global_id(0), block = (int)get_global_id(1);
    int first = block * RVI_RUNOFF_ROWS, end = rvi_mini(first + RVI_RUNOFF_ROWS, f.height);
    if (x >= f.width)
        return;
    float rained = 0.0f, evaporated = 0.0f, absorbed = 0.0f;
    for (int y = first; y < end; y++) {
        size_t i = (size_t)y * (size_t)f.width + (size_t)x;
        float wet = water_to[i] + gather_in(&s, sends_water, &f, x, y, r.still);
        sediment_to[i] += gather_in(&s, sends_sediment, &f, x, y, r.still);
        if (!f.wall && (x == 0 || y == 0 || x == f.width - 1 || y == f.height - 1))
            send_off(&s, off, &f, x, y, sends_water[i], sends_sediment[i], r.still);
        float left = rvi_runoff_wet(wet * r.keep);
        evaporated += wet - left;
        wet = left;
        if (r.absorb > 0.0f) {
            left = rvi_runoff_wet(wet - r.absorb);
            absorbed += wet - left;
            wet = left;
        }
        if (r.rain > 0.0f) {
            float more = wet + (rain ? r.rain * rain[i] : r.rain);
            rained += more - wet;
            wet = more;
        }
        water_to[i] = wet;
    }
    __global rvi_runoff_column *column = &columns[(size_t)block * (size_t)f.width + (size_t)x];
    column->rained += (double)rained;
    column->evaporated += (double)evaporated;
    column->absorbed += (double)absorbed;
}

/* ---- ground that is taken over the width of a channel ---- */

__kernel void stack_flow(LAND_ARGS, __global float *flow, rvi_runoff_rules r) {
    const stack_land s = LAND;
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)f.width + (size_t)x;
    if (x < f.width)
        flow[i] = rvi_runoff_out(&r, sum_drops(&s, &f, x, y, r.still), water[i]);
}

__kernel void stack_want(LAND_ARGS, __global const float *sediment, __global const float *mean,
                         __global const float *rain, __global float *want, rvi_runoff_rules r) {
    const stack_land s = LAND;
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= f.width)
        return;
    size_t i = (size_t)y * (size_t)f.width + (size_t)x;
    float w = rvi_maxf(water[i] - (rain ? r.rain * rain[i] : r.rain), 0.0f);
    want[i] = rvi_runoff_decide(&r, sum_drops(&s, &f, x, y, r.still), w, sediment[i], RVI_RUNOFF_WALL, mean[i]).take;
}

/* By how much the ground of (x, y) lies above `here`; beyond the map, that of its edge. */
static float above(const stack_land *s, const rvi_runoff_shape *f, int x, int y, float here) {
    size_t i = (size_t)rvi_border_nearest(y, f->height) * (size_t)f->width + (size_t)rvi_border_nearest(x, f->width);
    return ground_at(s, i) - here;
}

__kernel void stack_banks(LAND_ARGS, __global float *banks, float per) {
    const stack_land s = LAND;
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= f.width)
        return;
    size_t i = (size_t)y * (size_t)f.width + (size_t)x;
    float t = ground_at(&s, i);
    float sides = (above(&s, &f, x - 1, y, t) + above(&s, &f, x + 1, y, t)) +
                  (above(&s, &f, x, y - 1, t) + above(&s, &f, x, y + 1, t));
    float corners = (above(&s, &f, x - 1, y - 1, t) + above(&s, &f, x + 1, y + 1, t)) +
                    (above(&s, &f, x + 1, y - 1, t) + above(&s, &f, x - 1, y + 1, t));
    banks[i] = rvi_runoff_bank(sides, corners, per);
}

/* A column of a block an item. */
__kernel void stack_take(LAND_ARGS, __global const float *banks, __global float *ground_to, __global float *cut_to,
                         __global float *asked, __global const float *factor, __global rvi_runoff_column *columns,
                         rvi_runoff_rules r) {
    const stack_land s = LAND;
    int x = (int)get_global_id(0), block = (int)get_global_id(1);
    int first = block * RVI_RUNOFF_ROWS, end = rvi_mini(first + RVI_RUNOFF_ROWS, f.height);
    if (x >= f.width)
        return;
    __global rvi_runoff_column *column = &columns[(size_t)block * (size_t)f.width + (size_t)x];
    double taken = column->taken;
    for (int y = first; y < end; y++) {
        size_t i = (size_t)y * (size_t)f.width + (size_t)x;
        float old = ground_to[i], deep = cut_to ? cut_to[i] : 0.0f, came = 0.0f;
        float spare = rvi_maxf(rvi_runoff_spare(base[i], old - deep, r.floor), 0.0f);
        float take = rvi_minf(asked[i] * banks[i], spare);
        take = take < RVI_RUNOFF_DRY ? 0.0f : take * (factor ? factor[i] : 1.0f);
        if (take > 0.0f && cut_to) {
            float top = old;
            came = take_layers(&s, i, take, &top, &deep);
            ground_to[i] = top;
            cut_to[i] = deep;
        } else if (take > 0.0f) {
            ground_to[i] = old - take * rock_at(&s, i, base[i] + old);
            came = old - ground_to[i];
        }
        asked[i] = came > 0.0f ? came / asked[i] : 0.0f;
        taken += (double)came;
    }
    column->taken = taken;
}

/* ---- before and after ---- */

__kernel void stack_layer(__global const float *restrict thickness, __global float *restrict stack, ulong cells,
                          int layer) {
    size_t i = get_global_id(0);
    if (i < cells)
        stack[(size_t)layer * (size_t)cells + i] = thickness[i];
}

/* Thickness of a layer now, and what all that are not below it cannot hold. */
static float layer_now(const stack_land *s, size_t i, int layer, float *rest) {
    int l = s->layers - 1;
    float deep = s->cut[i], now = rvi_runoff_height(s->stack[(size_t)l * s->cells + i], s->ground[i], rest);
    now = rvi_maxf(now, 0.0f);
    for (l--; l >= layer; l--) {
        float thick = s->stack[(size_t)l * s->cells + i], loss = l > 0 ? rvi_minf(deep, thick) : deep;
        now = rvi_runoff_height(thick, -loss, rest);
        deep -= loss;
    }
    return now;
}

__kernel void stack_show_layer(LAND_ARGS, __global float *land, int layer) {
    const stack_land s = LAND;
    size_t i = get_global_id(0);
    float rest = 0.0f;
    if (i < s.cells)
        land[i] = layer_now(&s, i, layer, &rest);
}

/* A column of a block an item. */
__kernel void stack_show(LAND_ARGS, __global const float *sediment, __global float *to_water,
                         __global float *to_sediment, __global rvi_runoff_column *columns) {
    const stack_land s = LAND;
    int x = (int)get_global_id(0), block = (int)get_global_id(1);
    int first = block * RVI_RUNOFF_ROWS, end = rvi_mini(first + RVI_RUNOFF_ROWS, f.height);
    if (x >= f.width)
        return;
    double sum = 0.0;
    for (int y = first; y < end; y++) {
        size_t i = (size_t)y * (size_t)f.width + (size_t)x;
        float rest = 0.0f;
        layer_now(&s, i, 0, &rest);
        to_water[i] = water[i];
        to_sediment[i] = sediment[i] + rest;
        sum += (double)rest;
    }
    columns[(size_t)block * (size_t)f.width + (size_t)x].rest = sum;
}

__kernel void stack_leave(LAND_ARGS, __global const float *flow, __global const float *deposited,
                          __global float *to_flow, __global float *to_eroded, __global float *to_deposited,
                          float per_round) {
    const stack_land s = LAND;
    size_t i = get_global_id(0);
    if (i >= s.cells)
        return;
    double here = 0.0;
    for (int l = 0; l < layers; l++) {
        float rest = 0.0f;
        here += (double)layer_now(&s, i, l, &rest) - (double)stack[(size_t)l * s.cells + i];
    }
    to_flow[i] += flow[i] * per_round;
    to_eroded[i] += rvi_maxf(deposited[i] - (float)here, 0.0f);
    to_deposited[i] += deposited[i];
}
