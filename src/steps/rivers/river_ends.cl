/* river_ends.cl: what rivers.c does before the first time step and after the last one, on a device.
 * Each operation is that of the processor, on the same numbers: rivers.c, river_base.c, river_rock.c
 * and river_levels.c tell what they are for. */
#include "device/prelude.cl"
#include "steps/rivers/river_cell.h"
#include "steps/rivers/river_shape.h"

/* ---- before ---- */

/* A layer of the land, from the bedrock up: it is kept as it is and adds to the height. */
__kernel void take_layer(__global const float *restrict thickness, __global double *restrict h,
                         __global double *restrict bed, __global float *restrict before,
                         __global float *restrict stack, int layer, ulong count) {
    size_t i = get_global_id(0);
    if (i >= count)
        return;
    float has = thickness[i];
    if (h)
        h[i] = (layer > 0 ? h[i] : 0.0) + (double)has;
    if (bed && layer == 0)
        bed[i] = (double)has;
    if (before)
        before[(size_t)layer * count + i] = has;
    if (stack && layer > 0)
        stack[(size_t)(layer - 1) * count + i] = has;
}

__kernel void hold_uplift(__global float *restrict uplift, __global const float *restrict mask,
                          int given, ulong count) {
    size_t i = get_global_id(0);
    if (i >= count)
        return;
    float rises = mask ? mask[i] : 1.0f;
    uplift[i] = given ? uplift[i] * rises : rises;
}

/* `any`: is any cell the base level? */
__kernel void fix_cells(__global double *restrict h, __global uchar *restrict fixed,
                        __global volatile uint *any, rvi_base_law law) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= law.width)
        return;
    size_t i = (size_t)y * (size_t)law.width + (size_t)x;
    bool sea = law.coarse ? fixed[i] == RVI_SEA : h[i] < law.sea;
    uchar is = sea ? RVI_SEA : rvi_on_side(law.sides, x, y, law.width, law.height) ? RVI_SIDE : 0;
    fixed[i] = is;
    if (is)
        *any = 1; /* whoever writes it */
    if (sea)
        h[i] = law.sea;
}

__kernel void fix_cell(__global uchar *fixed, ulong cell) {
    if (get_global_id(0) == 0)
        fixed[cell] = RVI_SIDE;
}

/* The edge comes to the processor, or goes back. */
__kernel void fixed_sides(__global uchar *restrict fixed, __global uchar *restrict sides, int width,
                          int height, int in) {
    size_t k = get_global_id(0);
    if (k >= rvi_ring_length(width, height))
        return;
    size_t cell = rvi_ring_cell(width, height, k);
    if (in)
        fixed[cell] = sides[k];
    else
        sides[k] = fixed[cell];
}

/* Which places along the edge have no deep pit beside them. */
__kernel void find_low(__global const double *restrict h, __global const float *restrict uplift,
                       __global const uint *restrict basin, __global const double *restrict spill,
                       __global float *restrict flooded, __global uchar *restrict low, double rise,
                       int width, int height, int early) {
    size_t place = get_global_id(0);
    if (place >= rvi_ring_length(width, height))
        return;
    size_t cell = rvi_ring_cell(width, height, place);
    double share = uplift ? (double)uplift[cell] : 1.0;
    double pit = rvi_pit_allowed(rise, share, early);
    float lake = basin ? rvi_maxf(flooded[place], (float)(spill[basin[cell]] - h[cell])) : flooded[place];
    flooded[place] = lake;
    low[place] = (uchar)rvi_is_low(h, width, height, cell, pit > (double)lake ? pit : (double)lake);
}

__kernel void make_rock(__global float *restrict rock, __global float *restrict strength,
                        rvi_rock_noise law) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= law.width)
        return;
    size_t i = (size_t)y * (size_t)law.width + (size_t)x;
    if (rock)
        rock[i] = rvi_rock_hard(law.seed, (uint)x, (uint)y, law.side, law.vary);
    if (strength)
        strength[i] = rvi_rock_strength(law.seed, (uint)x, (uint)y, law.side, law.talus_vary);
}

__kernel void count_rain(__global const float *restrict rain, __global uint *restrict parts, ulong count) {
    size_t i = get_global_id(0);
    if (i < count)
        parts[i] = (uint)((double)rain[i] / RVI_RAIN + 0.5);
}

/* ---- to coarser cells ---- */

static double coarse_mean(const rvi_fine_grid *fine, const rvi_coarsen_law *law, int x, int y) {
    rvi_taps across = rvi_level_hat(law->apart * (double)x, law->reach, law->width);
    rvi_taps down = rvi_level_hat(law->apart * (double)y, law->reach, law->height);
    return rvi_level_mean(fine, &across, &down);
}

__kernel void coarsen(__global const float *restrict from, __global float *restrict to,
                      rvi_coarsen_law law) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= law.coarse_width)
        return;
    const rvi_fine_grid fine = {from, 0, law.width};
    double mean = coarse_mean(&fine, &law, x, y);
    to[(size_t)y * (size_t)law.coarse_width + (size_t)x] = (float)rvi_within(mean, law.low, law.high);
}

__kernel void coarsen_doubles(__global const double *restrict from, __global double *restrict to,
                              rvi_coarsen_law law) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= law.coarse_width)
        return;
    const rvi_fine_grid fine = {0, from, law.width};
    to[(size_t)y * (size_t)law.coarse_width + (size_t)x] = (double)(float)coarse_mean(&fine, &law, x, y);
}

__kernel void coarsen_sea(__global const uchar *restrict fine, __global uchar *restrict coarse,
                          rvi_coarsen_law law) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= law.coarse_width)
        return;
    size_t row = rvi_level_nearest(law.apart, (size_t)y, law.height);
    size_t from = row * (size_t)law.width + rvi_level_nearest(law.apart, (size_t)x, law.width);
    coarse[(size_t)y * (size_t)law.coarse_width + (size_t)x] = fine[from] == RVI_SEA ? RVI_SEA : 0;
}

/* ---- after ---- */

__kernel void show_flow(__global const uint *restrict area, __global const ulong *restrict discharge,
                        __global float *restrict flow, double cell, ulong count) {
    size_t i = get_global_id(0);
    if (i < count)
        flow[i] = (float)(cell * (discharge ? (double)discharge[i] * RVI_RAIN : (double)area[i]));
}

/* What a layer of a cell has won or lost, uplift aside: in the order of rvi_cell_sums. */
static void close_cell(__global const float *now, __global const float *before,
                       __global const double *lifted, __global const uchar *fixed,
                       __global const double *top, __global const double *owed,
                       __global float *eroded,
                       __global float *deposited, const rvi_close_law *law, size_t i,
                       __local double *parts, size_t apart) {
    bool bedrock = law->layer == 0;
    double up = !bedrock ? 0.0 : lifted ? lifted[i] : fixed[i] ? 0.0 : law->rise, rounded = 0.0;
    double change = (double)now[i] - (double)before[(size_t)law->layer * law->cells + i] - up;
    if (change > 0.0)
        deposited[i] += (float)change;
    else
        eroded[i] += (float)-change;
    if (bedrock && fixed[i] != RVI_SEA)
        rounded = (double)now[i] - top[i];
    if (owed)
        rounded = -owed[i];
    change -= rounded;
    parts[0] = change > 0.0 ? 0.0 : -change;
    parts[apart] = change > 0.0 ? change : 0.0;
    parts[2 * apart] = up;
    parts[3 * apart] = rounded;
}

/* A group takes a block of rows: each cell an item, and one item for each sum, which adds them up
 * in the order of the processor. */
__kernel __attribute__((reqd_work_group_size(RVI_CLOSE_GROUP, 1, 1))) void
close_layer(__global const float *restrict now, __global const float *restrict before,
            __global const double *restrict lifted, __global const uchar *restrict fixed,
            __global const double *restrict top, __global const double *restrict owed,
            __global float *restrict eroded,
            __global float *restrict deposited, __global double *restrict sums,
            __local double *parts, rvi_close_law law) {
    size_t item = get_local_id(0), from = get_group_id(0) * (size_t)law.block, end = from + (size_t)law.block;
    end = end < law.cells ? end : law.cells;
    double sum = 0.0;
    for (; from < end; from += RVI_CLOSE_GROUP) {
        size_t count = end - from < RVI_CLOSE_GROUP ? end - from : RVI_CLOSE_GROUP;
        if (item < count)
            close_cell(now, before, lifted, fixed, top, owed, eroded, deposited, &law, from + item,
                       parts + item, RVI_CLOSE_GROUP);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (size_t k = 0; item < RVI_CLOSE_SUMS && k < count; k++)
            sum += parts[item * RVI_CLOSE_GROUP + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item < RVI_CLOSE_SUMS)
        sums[get_group_id(0) * RVI_CLOSE_SUMS + item] = sum;
}
