/* render_parts.cl: what a perspective picture needs before its rays, on a device: pyramids, water, bands, light. */
#include "device/prelude.cl"
#include "picture/occlusion_cell.h"
#include "steps/render/view_facts.h"
#include "terrain/band_cell.h"

/* Some numbers of a grid. */
__kernel void bring(__global const float *restrict grid, __global const ulong *restrict cells,
                    __global float *restrict out, uint count) {
    uint i = (uint)get_global_id(0);
    if (i < count)
        out[i] = grid[cells[i]];
}

/* How many values above 0 begin with each upper 16 bits, and the highest of them: RVI_VIEW_RUN rows of a column an
 * item, since neighbours often begin alike. */
__kernel void count_values(__global const float *restrict values, volatile __global uint *counts, int width,
                           int height) {
    int x = (int)get_global_id(0), first = (int)get_global_id(1) * RVI_VIEW_RUN;
    if (x >= width)
        return;
    uint highest = 0, last = 0, run = 0;
    for (int y = first; y < first + RVI_VIEW_RUN && y < height; y++) {
        float value = values[(size_t)y * (size_t)width + (size_t)x];
        if (!(value > 0 && value < INFINITY))
            continue;
        uint bits = rvi_bits_of_float(value);
        if (bits >> 16 != last && run > 0) {
            atomic_add(&counts[last], run);
            run = 0;
        }
        last = bits >> 16;
        run++;
        highest = bits > highest ? bits : highest;
    }
    if (run > 0) {
        atomic_add(&counts[last], run);
        atomic_max(&counts[RVI_VIEW_BINS], highest);
    }
}

__kernel void find_edges(__global float *restrict edges, __constant rvi_band_edge *edge, double cell, int width) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width)
        return;
    const rvi_band_edge e = *edge;
    edges[(size_t)y * (size_t)width + (size_t)x] = rvi_band_edge_at(&e, 0.0, y * cell, cell, x);
}

/* ---- the block ---- */

__kernel void water_of_cells(__global const float *restrict surface, __global const float *restrict depth,
                             __global float *restrict levels, float shallow, int width, int height) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x < width)
        levels[(size_t)y * (size_t)width + (size_t)x] =
            rvi_relief_cell_level(surface, depth, shallow, width, height, x, y);
}

__kernel void water_of_block(__global const float *restrict z, __global const float *restrict levels,
                             __global const float *restrict depth, __global float *restrict water,
                             __global float *restrict upper, rvi_relief_numbers r, float shallow) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= r.width)
        return;
    size_t i = (size_t)y * (size_t)r.width + (size_t)x;
    water[i] = rvi_relief_water(&r, z, levels, depth, shallow, x, y);
    upper[i] = rvi_maxf(z[i], water[i]);
}

__kernel void find_tops(__global const float *upper, __global float *pyramid, __global const rvi_level *levels,
                        int level, int width, int height) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    __global const rvi_level *from = &levels[level - 1], *to = &levels[level];
    if (x >= to->top_width)
        return;
    pyramid[to->top + (size_t)y * (size_t)to->top_width + (size_t)x] =
        level == 1 ? rvi_relief_first_top(upper, width, height, x, y)
                   : rvi_relief_top(pyramid + from->top, from->top_width, from->top_height, x, y);
}

static __global const float *mean_of(__global const float *upper, __global const float *pyramid,
                                     __global const rvi_level *levels, int level) {
    return level == 0 ? upper : pyramid + levels[level].mean;
}

__kernel void find_means(__global const float *upper, __global float *pyramid, __global const rvi_level *levels,
                         int level) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    __global const rvi_level *to = &levels[level];
    if (x < to->width)
        pyramid[to->mean + (size_t)y * (size_t)to->width + (size_t)x] =
            rvi_relief_mean(&levels[level - 1], mean_of(upper, pyramid, levels, level - 1), x, y);
}

/* ---- the light ---- */

/* A height of the row of a coarser level that lies between two of its rows. */
static float coarse_at(__global const float *a, __global const float *b, float v, int x) {
    return rvi_sky_between(a[x], b[x], v);
}

/* The height of the land at distance 2^k of a cell, in a direction `east` and `south` of it. */
static float far_height(__global const float *mean, __global const rvi_level *far, __global const int *runs, int up,
                        float east, float to, int end, int x) {
    float v, scale = (float)(1 << up);
    int j = rvi_sky_coarse((to + 0.5f) / scale - 0.5f, far->height, &v), width = far->width;
    __global const float *a = mean + (size_t)rvi_sky_row_at(j, far->height) * (size_t)width;
    __global const float *b = mean + (size_t)rvi_sky_row_at(j + 1, far->height) * (size_t)width;
    if (up == 0) {
        int by = (int)east - (east < 0);
        float u = east - (float)by;
        return x < rvi_mini(end, width - 1 - by)
                   ? rvi_sky_between(coarse_at(a, b, v, x + by), coarse_at(a, b, v, x + by + 1), u)
                   : coarse_at(a, b, v, width - 1);
    }
    int i, first = runs[x];
    float at;
    rvi_sky_run(width, 1 << up, east, first, end, &i, &at);
    float from = coarse_at(a, b, v, i), rise = width > 1 ? coarse_at(a, b, v, i + 1) - from : 0;
    return rvi_sky_in_run(from, rise, at, x - first, 1 / scale);
}

__kernel void open_sky(__global const float *upper, __global const float *pyramid, __global const rvi_level *levels,
                       __global const int *runs, __global float *light, rvi_sky_rules s) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    __global const rvi_level *l = &levels[s.level];
    int width = l->width, height = l->height;
    if (x >= width)
        return;
    __global const float *mean = mean_of(upper, pyramid, levels, s.level);
    __global const float *at = mean + (size_t)y * (size_t)width;
    float slope_south = (mean[(size_t)rvi_sky_row_at(y + 1, height) * (size_t)width + (size_t)x] -
                         mean[(size_t)rvi_sky_row_at(y - 1, height) * (size_t)width + (size_t)x]) /
                        rvi_sky_rows(y, height);
    float slope_east = x > 0 && x + 1 < width ? 0.5f * (at[x + 1] - at[x - 1]) : 0;
    if (width > 1 && x == 0)
        slope_east = at[1] - at[0];
    if (width > 1 && x == width - 1)
        slope_east = at[width - 1] - at[width - 2];
    float hidden = 0;
    for (int d = 0; d < RVI_SKY_DIRECTIONS; d++) {
        float own = s.z * (slope_east * s.east[d] + slope_south * s.south[d]), most = own;
        for (int k = 0; k < s.distances; k++) {
            float r = (float)(1 << k), east = r * s.east[d], to = (float)y + r * s.south[d];
            int first, end, up = rvi_sky_up(&s, k);
            rvi_sky_span(east, width, &first, &end);
            if (to < 0 || to > (float)(height - 1) || x < first || x >= end)
                continue;
            float there =
                far_height(mean_of(upper, pyramid, levels, s.level + up), &levels[s.level + up],
                           runs + (size_t)(d * s.distances + k) * (size_t)width, up, east, to, end, x);
            most = rvi_maxf(most, (there - at[x]) * (s.z / r));
        }
        hidden += rvi_sky_hidden(most, own);
    }
    light[(size_t)y * (size_t)width + (size_t)x] = rvi_sky_open(hidden);
}

/* The second half of the light. */
__kernel void find_sun(__global const float *upper, __global const float *pyramid, __global const rvi_level *levels,
                       __global float *light, rvi_sun_rules s) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    __global const rvi_level *l = &levels[s.level];
    int width = l->width, height = l->height;
    if (x >= width)
        return;
    __global const float *mean = mean_of(upper, pyramid, levels, s.level);
    float here = mean[(size_t)y * (size_t)width + (size_t)x], most = s.lowest;
    bool along_x = s.east == 1 || s.east == -1;
    for (int k = 1; k <= s.steps; k++) {
        int row = s.south > 0 ? y + k : y - k, next = 1, shift, end;
        float part, scale = s.z / (float)k;
        if (along_x) {
            shift = s.east > 0 ? k : -k;
            end = width - rvi_maxi(0, shift);
            if (!rvi_sun_row_x(&s, height, y, k, &row, &part))
                break;
            next = (rvi_sky_row_at(row + 1, height) - row) * width;
        } else {
            if (row < 0 || row >= height)
                break;
            shift = rvi_sun_shift_y(&s, k, &part);
            end = width - rvi_maxi(0, shift + 1);
        }
        int first = rvi_maxi(0, -shift);
        if (first >= end)
            break;
        if (x < first || x >= end)
            continue;
        __global const float *a = mean + (size_t)rvi_sky_row_at(row, height) * (size_t)width + (size_t)(x + shift);
        most = rvi_sun_seen(most, a[0], a[next], part, here, scale);
    }
    size_t count = (size_t)width * (size_t)height;
    light[count + (size_t)y * (size_t)width + (size_t)x] = most;
}
