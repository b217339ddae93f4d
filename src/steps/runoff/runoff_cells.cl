/* runoff_cells.cl: rounds of runoff.c on a device, where there is one layer of ground whose factor
 * does not change with its height. */
#include "device/prelude.cl"
#include "steps/runoff/runoff_device_cell.h"
#include "wear/border.h"

/* The land as it is. */
typedef struct ground_now {
    __global const float *base, *ground, *water;
} ground_now;

static float ground_at(const ground_now *g, size_t i) {
    return g->base[i] + g->ground[i];
}

/* Also of places one cell outside: an open edge goes on as the ground comes to it, without water.
 */
static float level_at(const ground_now *g, const rvi_runoff_shape *f, int x, int y) {
    int w = f->width, h = f->height;
    if (x >= 0 && y >= 0 && x < w && y < h) {
        size_t i = (size_t)y * (size_t)w + (size_t)x;
        return ground_at(g, i) + g->water[i];
    }
    if (f->wall)
        return RVI_RUNOFF_WALL;
    size_t edge = (size_t)rvi_border_nearest(y, h) * (size_t)w + (size_t)rvi_border_nearest(x, w);
    size_t inside =
        (size_t)rvi_border_mirrored(y, h) * (size_t)w + (size_t)rvi_border_mirrored(x, w);
    return rvi_border_beyond(ground_at(g, edge), ground_at(g, inside));
}

typedef __local float (*rows)[RVI_RUNOFF_GROUP];

/* Of row y. Rows are kept so long that none is overwritten while an item still looks at it. */
enum { KEPT = RVI_RUNOFF_KEPT };
#define AT(grid, y, lane) grid[(y) & (KEPT - 1)][lane]

static rvi_runoff_drops sum_drops(rows level, int y, int k, float still, int eight) {
    float t = AT(level, y, k);
    rvi_runoff_drops sides =
        rvi_runoff_sum_sides(t, AT(level, y, k - 1), AT(level, y, k + 1), AT(level, y - 1, k),
                             AT(level, y + 1, k), still);
    if (!eight)
        return sides;
    return rvi_runoff_add_corners(sides, t, AT(level, y - 1, k - 1), AT(level, y + 1, k + 1),
                                  AT(level, y - 1, k + 1), AT(level, y + 1, k - 1), still);
}

static float part_of(float give, float level, float here, float still) {
    return rvi_runoff_gift(give, level, here, still);
}

/* What comes to a cell from the neighbours. */
#define PART(dx, dy)                                                                               \
    part_of(AT(give, y + (dy), k + (dx)), AT(level, y + (dy), k + (dx)), here, still)
static float gather_in(rows give, rows level, int y, int k, float still, int eight) {
    float here = AT(level, y, k);
    float w = PART(-1, 0), e = PART(1, 0), n = PART(0, -1), s = PART(0, 1);
    float sum = (w + e) + (n + s);
    if (eight) {
        float nw = PART(-1, -1), se = PART(1, 1), ne = PART(1, -1), sw = PART(-1, 1);
        sum += (nw + se) + (ne + sw);
    }
    return sum;
}
#undef PART

/* What a cell of the border sends over the edge. */
static void send_off(__global rvi_runoff_off *off, rows water, rows sediment, rows level, int x,
                     int y, int k, const rvi_runoff_shape *f, float still) {
    __global rvi_runoff_off *to = off + rvi_runoff_place(x, y, f->width, f->height);
    double wet = to->water, load = to->sediment;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            bool inside =
                x + dx >= 0 && y + dy >= 0 && x + dx < f->width && y + dy < f->height;
            if (inside || (!f->eight && dx != 0 && dy != 0))
                continue;
            float d = rvi_runoff_drop(AT(level, y, k), AT(level, y + dy, k + dx), still);
            wet += (double)(AT(water, y, k) * d);
            load += (double)(AT(sediment, y, k) * d);
        }
    to->water = wet;
    to->sediment = load;
    to->held += load;
}

/* What the grids hold of a cell. */
typedef struct cell_read {
    float base, ground, water;
} cell_read;
typedef struct cell_counts {
    float sediment, deposited, flow;
} cell_counts;

static cell_read read_cell(const ground_now *g, size_t i) {
    cell_read c = {g->base[i], g->ground[i], g->water[i]};
    return c;
}

/* One round; rows of a column an item. While the levels of row y are found, row y - 2 gives and row
 * y - 4 gathers: so the levels and gifts around a cell are known after one barrier a row. What the
 * next row needs is read before this one is worked on. Two items on each side of a group only look
 * at their cells for the others. */
__kernel __attribute__((reqd_work_group_size(RVI_RUNOFF_GROUP, 1, 1))) void
runoff_round(__global const float *restrict base, __global const float *restrict ground, __global float *restrict ground_to,
             __global const float *restrict water, __global float *restrict water_to,
             __global const float *restrict sediment, __global float *restrict sediment_to,
             __global const float *restrict deposited, __global float *restrict deposited_to,
             __global const float *restrict flow, __global float *restrict flow_to, __global const float *restrict factor,
             __global const float *restrict mask, __global const float *restrict mean, __global const float *restrict rain,
             __global rvi_runoff_column *restrict columns, __global rvi_runoff_off *restrict off,
             __local float *shared, rvi_runoff_shape f, rvi_runoff_rules r) {
    rows level = (rows)shared, sends_water = level + KEPT, sends_sediment = sends_water + KEPT;
    const ground_now now = {base, ground, water};
    const int k = (int)get_local_id(0), width = f.width;
    const int x = (int)get_group_id(0) * (RVI_RUNOFF_GROUP - 2 * RVI_RUNOFF_BESIDE) + k - RVI_RUNOFF_BESIDE;
    const int first = (int)get_global_id(1) * f.rows, end = rvi_mini(first + f.rows, f.height);
    const bool inner = x >= 0 && x < width, cell = inner && k >= RVI_RUNOFF_BESIDE && k < RVI_RUNOFF_GROUP - RVI_RUNOFF_BESIDE;
    const bool known = x >= -1 && x <= width; /* has a level */
    const bool gives = inner && k > 0 && k < RVI_RUNOFF_GROUP - 1;
    const int last = rvi_mini(end + 1, f.height - 1);
    float laid = 0.0f, taken = 0.0f;
    rvi_runoff_tally tally = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    /* Of the rows that gave one and two rows ago. */
    float water_left[2] = {0.0f, 0.0f}, sediment_left[2] = {0.0f, 0.0f};
    float laid_before[2] = {0.0f, 0.0f}, taken_before[2] = {0.0f, 0.0f};
    cell_read next = {0.0f, 0.0f, 0.0f}, one = next, two = next; /* rows y + 1, y - 1, y - 2 */
    cell_counts counts_next = {0.0f, 0.0f, 0.0f};
    if (inner && first >= 2)
        next = read_cell(&now, (size_t)(first - 2) * (size_t)width + (size_t)x);
    for (int y = first - 2; y <= end + 3; y++) {
        const uint at = (uint)y * (uint)width + (uint)x;
        const cell_read here = next;
        const cell_counts counts = counts_next;
        if (inner && y + 1 >= 0 && y < last)
            next = read_cell(&now, at + (uint)width);
        if (gives && y - 1 >= rvi_maxi(first - 1, 0) && y - 1 <= rvi_mini(end, f.height - 1)) {
            counts_next.sediment = sediment[at - (uint)width];
            counts_next.deposited = deposited[at - (uint)width];
            counts_next.flow = flow[at - (uint)width];
        }
        /* The levels of row y. */
        if (inner && y >= 0 && y < f.height)
            AT(level, y, k) = (here.base + here.ground) + here.water;
        else if (known && y >= -1 && y <= f.height)
            AT(level, y, k) = level_at(&now, &f, x, y);
        /* Row y - 2 gives. */
        const int g = y - 2;
        float water_stays = 0.0f, sediment_stays = 0.0f;
        if (g % RVI_RUNOFF_ROWS == 0)
            laid = taken = 0.0f;
        if (g >= first - 1 && g <= end) {
            rvi_runoff_sent sent = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
            if (gives && g >= 0 && g < f.height) {
                const uint i = at - 2u * (uint)width;
                rvi_runoff_drops drops = sum_drops(level, g, k, r.still, f.eight);
                float old = two.ground, w = two.water, s = counts.sediment;
                rvi_runoff_plan p = rvi_runoff_decide(&r, drops, w, s,
                                                      rvi_runoff_spare(two.base, old, r.floor),
                                                      mean ? mean[i] : 0.0f);
                float take = factor ? p.take * factor[i] : p.take;
                float lay = mask ? p.lay * mask[i] : p.lay;
                float after = rvi_runoff_ground(old, lay, take, s);
                sent = rvi_runoff_send(p, w, s, after - old, drops.sum);
                if (cell && g >= first && g < end) {
                    float moved = after - old;
                    ground_to[i] = after;
                    deposited_to[i] = counts.deposited + sent.deposited;
                    flow_to[i] = counts.flow + p.out;
                    laid += rvi_maxf(moved, 0.0f);
                    taken += rvi_maxf(-moved, 0.0f);
                }
            }
            AT(sends_water, g, k) = sent.water;
            AT(sends_sediment, g, k) = sent.sediment;
            water_stays = sent.water_left;
            sediment_stays = sent.sediment_left;
        }
        /* Row y - 4 gathers. */
        const int t = y - 4;
        if (cell && t >= first && t < end) {
            const uint i = at - 4u * (uint)width;
            float wet = water_left[1] + gather_in(sends_water, level, t, k, r.still, f.eight);
            sediment_to[i] =
                sediment_left[1] + gather_in(sends_sediment, level, t, k, r.still, f.eight);
            if (!f.wall && (x == 0 || t == 0 || x == width - 1 || t == f.height - 1))
                send_off(off, sends_water, sends_sediment, level, x, t, k, &f, r.still);
            float left = rvi_runoff_wet(wet * r.keep);
            tally.evaporated += wet - left;
            wet = left;
            if (r.absorb > 0.0f) {
                left = rvi_runoff_wet(wet - r.absorb);
                tally.absorbed += wet - left;
                wet = left;
            }
            if (r.rain > 0.0f) {
                float more = wet + (rain ? r.rain * rain[i] : r.rain);
                tally.rained += more - wet;
                wet = more;
            }
            water_to[i] = wet;
            if ((t + 1) % RVI_RUNOFF_ROWS == 0 || t + 1 == f.height) {
                tally.laid = laid_before[1];
                tally.taken = taken_before[1];
                rvi_runoff_count(&columns[(size_t)(t / RVI_RUNOFF_ROWS) * (size_t)width + (size_t)x],
                                 tally);
                tally.rained = tally.evaporated = tally.absorbed = 0.0f;
            }
        }
        two = one;
        one = here;
        water_left[1] = water_left[0];
        water_left[0] = water_stays;
        sediment_left[1] = sediment_left[0];
        sediment_left[0] = sediment_stays;
        laid_before[1] = laid_before[0];
        laid_before[0] = laid;
        taken_before[1] = taken_before[0];
        taken_before[0] = taken;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* ---- ground that is taken over the width of a channel: runoff_wear.c ---- */

static rvi_runoff_drops drops_at(const ground_now *now, const rvi_runoff_shape *f, int x, int y, float still) {
    float t = level_at(now, f, x, y);
    rvi_runoff_drops drops =
        rvi_runoff_sum_sides(t, level_at(now, f, x - 1, y), level_at(now, f, x + 1, y),
                             level_at(now, f, x, y - 1), level_at(now, f, x, y + 1), still);
    if (f->eight)
        drops = rvi_runoff_add_corners(drops, t, level_at(now, f, x - 1, y - 1), level_at(now, f, x + 1, y + 1),
                                       level_at(now, f, x + 1, y - 1), level_at(now, f, x - 1, y + 1), still);
    return drops;
}

__kernel void runoff_flow(__global const float *restrict base, __global const float *restrict ground,
                          __global const float *restrict water, __global float *restrict flow, rvi_runoff_shape f,
                          rvi_runoff_rules r) {
    const ground_now now = {base, ground, water};
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)f.width + (size_t)x;
    if (x < f.width)
        flow[i] = rvi_runoff_out(&r, drops_at(&now, &f, x, y, r.still), water[i]);
}

__kernel void runoff_want(__global const float *restrict base, __global const float *restrict ground,
                          __global const float *restrict water, __global const float *restrict sediment,
                          __global const float *restrict mean, __global const float *restrict rain,
                          __global float *restrict want, rvi_runoff_shape f,
                          rvi_runoff_rules r) {
    const ground_now now = {base, ground, water};
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= f.width)
        return;
    size_t i = (size_t)y * (size_t)f.width + (size_t)x;
    float w = rvi_maxf(water[i] - (rain ? r.rain * rain[i] : r.rain), 0.0f);
    rvi_runoff_drops drops = drops_at(&now, &f, x, y, r.still);
    want[i] = rvi_runoff_decide(&r, drops, w, sediment[i], RVI_RUNOFF_WALL, mean[i]).take;
}

/* By how much the ground of (x, y) lies above `here`; beyond the map, that of its edge. */
static float above(const ground_now *g, const rvi_runoff_shape *f, int x, int y, float here) {
    size_t i = (size_t)rvi_border_nearest(y, f->height) * (size_t)f->width +
               (size_t)rvi_border_nearest(x, f->width);
    return ground_at(g, i) - here;
}

__kernel void runoff_banks(__global const float *restrict base, __global const float *restrict ground,
                           __global float *restrict banks, rvi_runoff_shape f, float per) {
    const ground_now g = {base, ground, base};
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= f.width)
        return;
    size_t i = (size_t)y * (size_t)f.width + (size_t)x;
    float t = ground_at(&g, i);
    float sides = (above(&g, &f, x - 1, y, t) + above(&g, &f, x + 1, y, t)) +
                  (above(&g, &f, x, y - 1, t) + above(&g, &f, x, y + 1, t));
    float corners = (above(&g, &f, x - 1, y - 1, t) + above(&g, &f, x + 1, y + 1, t)) +
                    (above(&g, &f, x + 1, y - 1, t) + above(&g, &f, x - 1, y + 1, t));
    banks[i] = rvi_runoff_bank(sides, corners, per);
}

/* A column of a block an item. Without limits what came off is divided as take_plain_row() does. */
__kernel void runoff_take(__global const float *restrict base, __global const float *restrict banks,
                          __global float *restrict ground, __global float *restrict asked,
                          __global const float *restrict factor, __global rvi_runoff_column *restrict columns,
                          rvi_runoff_shape f, rvi_runoff_rules r) {
    int x = (int)get_global_id(0), block = (int)get_global_id(1);
    int first = block * RVI_RUNOFF_ROWS, end = rvi_mini(first + RVI_RUNOFF_ROWS, f.height);
    if (x >= f.width)
        return;
    __global rvi_runoff_column *column = &columns[(size_t)block * (size_t)f.width + (size_t)x];
    double taken = column->taken;
    for (int y = first; y < end; y++) {
        size_t i = (size_t)y * (size_t)f.width + (size_t)x;
        float old = ground[i], take = rvi_runoff_taken(asked[i], banks[i], base[i], old, r.floor);
        float after = old - (factor ? take * factor[i] : take), came = old - after;
        ground[i] = after;
        if (factor)
            asked[i] = came > 0.0f ? came / asked[i] : 0.0f;
        else
            asked[i] = came / rvi_maxf(asked[i], RVI_RUNOFF_NO_DROP);
        taken += (double)came;
    }
    column->taken = taken;
}

__kernel void runoff_carry(__global const float *restrict want, __global const float *restrict asked,
                           __global float *restrict sediment, rvi_runoff_shape f) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)f.width + (size_t)x;
    if (x < f.width)
        sediment[i] += want[i] * asked[i];
}

/* ---- before and after ---- */

__kernel void runoff_fill(__global const float *restrict land, __global const float *restrict field_water,
                          __global const float *restrict field_sediment, __global float *restrict base,
                          __global float *restrict water, __global float *restrict sediment, rvi_runoff_shape f) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= f.width)
        return;
    size_t i = (size_t)y * (size_t)f.width + (size_t)x;
    base[i] = land[i];
    water[i] = field_water ? rvi_maxf(field_water[i], 0.0f) : 0.0f;
    sediment[i] = field_sediment ? rvi_maxf(field_sediment[i], 0.0f) : 0.0f;
}

__kernel void runoff_rain(__global float *restrict water, __global const float *restrict rain, rvi_runoff_shape f,
                          float much) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)f.width + (size_t)x;
    if (x < f.width)
        water[i] += much * (rain ? rain[i] : 1.0f);
}

/* A column of a block an item. */
__kernel void runoff_show(__global const float *restrict base, __global const float *restrict ground,
                          __global const float *restrict water, __global const float *restrict sediment,
                          __global float *restrict land, __global float *restrict to_water,
                          __global float *restrict to_sediment, __global rvi_runoff_column *restrict columns,
                          rvi_runoff_shape f) {
    int x = (int)get_global_id(0), block = (int)get_global_id(1);
    int first = block * RVI_RUNOFF_ROWS, end = rvi_mini(first + RVI_RUNOFF_ROWS, f.height);
    if (x >= f.width)
        return;
    double sum = 0.0;
    for (int y = first; y < end; y++) {
        size_t i = (size_t)y * (size_t)f.width + (size_t)x;
        float rest = 0.0f;
        land[i] = rvi_runoff_height(base[i], ground[i], &rest);
        to_water[i] = water[i];
        to_sediment[i] = sediment[i] + rest;
        sum += (double)rest;
    }
    columns[(size_t)block * (size_t)f.width + (size_t)x].rest = sum;
}

__kernel void runoff_leave(__global const float *restrict land, __global const float *restrict base,
                           __global const float *restrict flow, __global const float *restrict deposited,
                           __global float *restrict to_flow, __global float *restrict to_eroded,
                           __global float *restrict to_deposited, rvi_runoff_shape f, float per_round) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= f.width)
        return;
    size_t i = (size_t)y * (size_t)f.width + (size_t)x;
    double here = (double)land[i] - (double)base[i];
    to_flow[i] += flow[i] * per_round;
    to_eroded[i] += rvi_maxf(deposited[i] - (float)here, 0.0f);
    to_deposited[i] += deposited[i];
}
