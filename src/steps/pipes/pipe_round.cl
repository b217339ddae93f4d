/* pipe_round.cl: a round of pipes.c on a device, where there is one layer of ground. */
#include "device/prelude.cl"
#include "device/device_group.h"
#include "steps/pipes/pipe_grid.h"
#include "wear/border.h"

/* The largest of what all items found, as bits: what is not below 0 keeps its order. */
static void find_most(__local uint *most, __global uint *to, float mine) {
    if (get_local_id(0) == 0)
        *most = 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(most, rvi_bits_of_float(mine));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && *most > 0u)
        atomic_max(to, *most);
}

/* The ends of the pipes of a column. */
typedef struct pipe_end {
    float bed, depth, limit;
} pipe_end;

static pipe_end end_at(__global const float *bed, __global const float *change,
                       __global const float *depth, __global const float *limit, size_t i) {
    pipe_end e = {bed[i] + change[i], depth[i], limit[i]};
    return e;
}

static float push(__global float *q, float pull, float drag, pipe_end from, pipe_end to,
                  float fastest) {
    rvi_pipe_flow flow = rvi_pipe_flux(rvi_pipe_limited(*q, from.limit, to.limit), pull, drag,
                                       from.bed, from.depth, to.bed, to.depth);
    *q = flow.flux;
    return rvi_maxf(flow.speed, fastest);
}

/* The flux of all pipes; some rows of a column an item. */
__kernel void pipe_push(__global const float *restrict bed, __global const float *restrict change,
                        __global const float *restrict depth, __global const float *restrict limit,
                        __global float *restrict east, __global float *restrict south, __global float *restrict south_east,
                        __global float *restrict south_west, __global uint *restrict most,
                        __local uint *group_most, rvi_pipe_shape shape, rvi_pipe_rules r,
                        int rows) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1) * rows;
    int end = x <= shape.width ? rvi_mini(y + rows, shape.height + 1) : y;
    float fastest = 0.0f;
    size_t i = (size_t)y * (size_t)shape.stride + (size_t)x, row = (size_t)shape.stride;
    pipe_end a = {0}, b = {0}, c, d;
    if (y < end) {
        a = end_at(bed, change, depth, limit, i);
        b = end_at(bed, change, depth, limit, i + 1);
    }
    for (; y < end; y++, i += row) {
        c = end_at(bed, change, depth, limit, i + row);
        d = end_at(bed, change, depth, limit, i + row + 1);
        fastest = push(east + i, r.pull_axis, r.drag, a, b, fastest);
        fastest = push(south + i, r.pull_axis, r.drag, a, c, fastest);
        if (shape.eight) {
            fastest = push(south_east + i, r.pull_corner, r.drag, a, d, fastest);
            fastest = push(south_west + i, r.pull_corner, r.drag, b, c, fastest);
        }
        a = c;
        b = d;
    }
    find_most(group_most, most + 1, fastest);
}

/* What a cell asks of its neighbours: the last RVI_PIPE_KEPT rows of it. */
typedef __local float (*rows)[RVI_DEVICE_GROUP];
typedef struct views {
    rows limit, carries, surface;
} views;

static rvi_pipe_side see(const views *v, float q, int y, int lane, float top) {
    return rvi_pipe_see(q, v->limit[y & (RVI_PIPE_KEPT - 1)][lane], v->carries[y & (RVI_PIPE_KEPT - 1)][lane],
                        v->surface[y & (RVI_PIPE_KEPT - 1)][lane], top);
}

/* What the pipes bring to the cell at i, row y, of `lane`. */
static rvi_pipe_side gather_sides(const views *v, const rvi_pipe_net *f, size_t i, int y,
                                  int lane) {
    float top = v->surface[y & (RVI_PIPE_KEPT - 1)][lane];
    rvi_pipe_side sum =
        rvi_pipe_sum_sides(see(v, rvi_pipe_leaving(f, i, -1, 0), y, lane - 1, top),
                           see(v, rvi_pipe_leaving(f, i, 1, 0), y, lane + 1, top),
                           see(v, rvi_pipe_leaving(f, i, 0, -1), y - 1, lane, top),
                           see(v, rvi_pipe_leaving(f, i, 0, 1), y + 1, lane, top));
    if (!f->shape.eight)
        return sum;
    return rvi_pipe_add_corners(
        sum, rvi_pipe_sum_sides(see(v, rvi_pipe_leaving(f, i, -1, -1), y - 1, lane - 1, top),
                                see(v, rvi_pipe_leaving(f, i, 1, 1), y + 1, lane + 1, top),
                                see(v, rvi_pipe_leaving(f, i, 1, -1), y - 1, lane + 1, top),
                                see(v, rvi_pipe_leaving(f, i, -1, 1), y + 1, lane - 1, top)));
}

static float asked_of(const rvi_pipe_net *f, size_t i) {
    float out = rvi_pipe_asked(rvi_pipe_leaving(f, i, 1, 0), rvi_pipe_leaving(f, i, -1, 0),
                               rvi_pipe_leaving(f, i, 0, 1), rvi_pipe_leaving(f, i, 0, -1));
    if (f->shape.eight)
        out += rvi_pipe_asked(rvi_pipe_leaving(f, i, 1, 1), rvi_pipe_leaving(f, i, -1, -1),
                              rvi_pipe_leaving(f, i, -1, 1), rvi_pipe_leaving(f, i, 1, -1));
    return out;
}

/* Depth, ground and sediment of all cells; a column of a block an item. The first and the last of a
 * group only look at their cells for the others. */
__kernel __attribute__((reqd_work_group_size(RVI_DEVICE_GROUP, 1, 1))) void
pipe_change(__global const float *restrict bed, __global const float *restrict change, __global float *restrict change_to,
            __global const float *restrict depth, __global float *restrict depth_to,
            __global const float *restrict sediment, __global float *restrict sediment_to, __global float *restrict rest,
            __global const float *restrict east, __global const float *restrict south,
            __global const float *restrict south_east, __global const float *restrict south_west,
            __global float *restrict limit, __global float *restrict deposited, __global float *restrict flow,
            __global const float *restrict mask, __global const float *restrict factor, __global const float *restrict source,
            __global float *restrict want, __global rvi_pipe_column *restrict columns, __global uint *restrict most,
            __local uint *group_most, __local float *shared, rvi_pipe_shape shape,
            rvi_pipe_rules r, float rain, int spread) {
    rows limits = (rows)shared, carried = limits + RVI_PIPE_KEPT, surfaces = carried + RVI_PIPE_KEPT;
    const views v = {limits, carried, surfaces};
    const rvi_pipe_net f = {shape, {east, south, south_east, south_west}, limit, r.half_width};
    const float carry = shape.backward || shape.forward ? 0.0f : 1.0f;
    int lane = (int)get_local_id(0), block = (int)get_global_id(1);
    int x = (int)get_group_id(0) * (RVI_DEVICE_GROUP - 2) + lane;
    int first = block * RVI_PIPE_ROWS + 1;
    int end = rvi_mini(first + RVI_PIPE_ROWS, shape.height + 1);
    bool inner = x >= 1 && x <= shape.width;
    bool cell = inner && lane > 0 && lane < RVI_DEVICE_GROUP - 1;
    float evaporated = 0.0f, taken = 0.0f, laid = 0.0f, deepest = 0.0f, asked_before = 0.0f;
    for (int y = first - 1; y <= end; y++) {
        size_t i = (size_t)y * (size_t)shape.stride + (size_t)x;
        rvi_pipe_gift gift = {0.0f, 0.0f};
        float asked = 0.0f, top = 0.0f;
        if (x <= shape.width + 1)
            top = (bed[i] + change[i]) + depth[i];
        if (inner && y >= 1 && y <= shape.height) {
            asked = asked_of(&f, i);
            gift = rvi_pipe_give(depth[i], sediment[i], asked * r.share);
        }
        limits[y & (RVI_PIPE_KEPT - 1)][lane] = gift.limit;
        carried[y & (RVI_PIPE_KEPT - 1)][lane] = carry * gift.carries;
        surfaces[y & (RVI_PIPE_KEPT - 1)][lane] = top;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (cell && y > first) {
            int row = y - 1;
            size_t at = i - (size_t)shape.stride;
            rvi_pipe_side sides = gather_sides(&v, &f, at, row, lane);
            float given = limits[row & (RVI_PIPE_KEPT - 1)][lane];
            rvi_pipe_sums sum = {sides.in,     given * asked_before,
                                 sides.carried, carried[row & (RVI_PIPE_KEPT - 1)][lane] * asked_before,
                                 asked_before,  sides.fall};
            float fell = (source ? source[at] : rain) * r.dt;
            rvi_pipe_state now = rvi_pipe_cell(&r, sum, depth[at], rest[at], sediment[at], fell);
            float take = spread ? 0.0f : now.take * (factor ? factor[at] : 1.0f);
            float lay = now.lay * (mask ? mask[at] : 1.0f), before = change[at];
            float after = rvi_pipe_ground(before, lay - take, now.sediment);
            float moved = after - before;
            if (want)
                want[at] = now.take;
            depth_to[at] = now.depth;
            rest[at] = now.rest;
            change_to[at] = after;
            sediment_to[at] = now.sediment - moved;
            limit[at] = given;
            deposited[at] += rvi_pipe_positive(moved);
            laid += rvi_pipe_positive(moved);
            taken += rvi_pipe_positive(-moved);
            flow[at] += r.share * sum.out;
            deepest = rvi_maxf(now.depth, deepest);
            evaporated += now.evaporated;
        }
        asked_before = asked;
    }
    if (cell)
        rvi_pipe_count(&columns[(size_t)block * (size_t)shape.stride + (size_t)x], evaporated,
                       taken, laid);
    find_most(group_most, most, deepest);
}

/* ---- sediment along the velocity, and what leaves the map ---- */

__kernel void pipe_move(__global const float *restrict depth, __global const float *restrict depth_to,
                        __global const float *restrict east, __global const float *restrict south,
                        __global const float *restrict south_east, __global const float *restrict south_west,
                        __global const float *restrict limit, __global float *restrict move_x,
                        __global float *restrict move_y, rvi_pipe_shape shape, rvi_pipe_rules r) {
    const rvi_pipe_net f = {shape, {east, south, south_east, south_west}, limit, r.half_width};
    int x = (int)get_global_id(0) + 1, y = (int)get_global_id(1) + 1;
    if (x > shape.width)
        return;
    size_t i = (size_t)y * (size_t)shape.stride + (size_t)x;
    rvi_pipe_vector move = rvi_pipe_move(&f, &r, depth[i], depth_to[i], i);
    move_x[i] = move.x;
    move_y[i] = move.y;
}

__kernel void pipe_transport(__global const float *restrict move_x, __global const float *restrict move_y,
                             __global const float *restrict from, __global float *restrict to,
                             rvi_pipe_shape shape) {
    const rvi_pipe_drift drift = {move_x, move_y, from};
    int x = (int)get_global_id(0) + 1, y = (int)get_global_id(1) + 1;
    if (x <= shape.width)
        to[(size_t)y * (size_t)shape.stride + (size_t)x] = rvi_pipe_drifted(&shape, drift, x, y);
}

__kernel void pipe_count_off(__global rvi_pipe_off *restrict off, __global const float *restrict depth,
                             __global const float *restrict sediment, __global const float *restrict east,
                             __global const float *restrict south, __global const float *restrict south_east,
                             __global const float *restrict south_west, __global const float *restrict limit,
                             __global const float *restrict move_x, __global const float *restrict move_y,
                             __global const float *restrict sent, rvi_pipe_shape shape, rvi_pipe_rules r) {
    const rvi_pipe_net f = {shape, {east, south, south_east, south_west}, limit, r.half_width};
    const rvi_pipe_drift drift = {move_x, move_y, sent};
    int place = (int)get_global_id(0);
    if (place < rvi_pipe_places(&shape))
        rvi_pipe_count_off_at(&off[place], &f, &r, depth, sediment, drift, place);
}

/* ---- ground that is taken over the width of a channel: pipe_wear.c ---- */

/* A column of a block an item. */
__kernel void pipe_take(__global float *restrict asked, __global float *restrict change,
                        __global const float *restrict factor, __global rvi_pipe_column *restrict columns,
                        rvi_pipe_shape shape) {
    int x = (int)get_global_id(0) + 1, block = (int)get_global_id(1);
    int first = block * RVI_PIPE_ROWS + 1;
    int end = rvi_mini(first + RVI_PIPE_ROWS, shape.height + 1);
    if (x > shape.width)
        return;
    __global rvi_pipe_column *column = &columns[(size_t)block * (size_t)shape.stride + (size_t)x];
    double taken = column->taken;
    for (int y = first; y < end; y++) {
        size_t i = (size_t)y * (size_t)shape.stride + (size_t)x;
        rvi_pipe_taken t = 
            rvi_pipe_take_bare(asked[i], factor ? factor[i] : 1.0f, 1.0f, change[i]);
        change[i] = t.change;
        asked[i] = t.share;
        taken += (double)t.came;
    }
    column->taken = taken;
}

__kernel void pipe_carry(__global const float *restrict want, __global const float *restrict asked,
                         __global float *restrict sediment, rvi_pipe_shape shape) {
    int x = (int)get_global_id(0) + 1, y = (int)get_global_id(1) + 1;
    size_t i = (size_t)y * (size_t)shape.stride + (size_t)x;
    if (x <= shape.width)
        sediment[i] += want[i] * asked[i];
}

/* ---- before and after ---- */

/* The grids, which are all 0, from the land; *wrong: water or sediment is below 0. */
__kernel void pipe_fill(__global const float *restrict land, __global const float *restrict water,
                        __global const float *restrict sediment, __global const float *restrict velocity_x,
                        __global const float *restrict velocity_y, __global float *restrict bed,
                        __global float *restrict depth, __global float *restrict sediment_to, __global float *restrict limit,
                        __global float *restrict flux_x, __global float *restrict flux_y, __global uint *restrict most,
                        __local uint *group_most, rvi_pipe_shape shape, int rows) {
    int x = (int)get_global_id(0), w = shape.width, h = shape.height;
    int y = (int)get_global_id(1) * rows, end = x <= w + 1 ? rvi_mini(y + rows, h + 2) : y;
    float deepest = 0.0f, fastest = 0.0f, wrong = 0.0f;
    for (; y < end; y++) {
        size_t i = (size_t)y * (size_t)shape.stride + (size_t)x;
        if (x == 0 || y == 0 || x == w + 1 || y == h + 1) {
            float edge = land[(size_t)rvi_border_nearest(y - 1, h) * (size_t)w +
                              (size_t)rvi_border_nearest(x - 1, w)];
            float inside = land[(size_t)rvi_border_mirrored(y - 1, h) * (size_t)w +
                                (size_t)rvi_border_mirrored(x - 1, w)];
            bed[i] = shape.wall ? RVI_PIPE_WALL : rvi_border_beyond(edge, inside);
            continue;
        }
        size_t cell = (size_t)(y - 1) * (size_t)w + (size_t)(x - 1);
        float d = water ? water[cell] : 0.0f, s = sediment ? sediment[cell] : 0.0f;
        bool right = d >= 0.0f && d < 1e9f && s >= 0.0f && s < 1e9f;
        wrong = right ? wrong : 1.0f;
        bed[i] = land[cell];
        depth[i] = d;
        sediment_to[i] = s;
        limit[i] = 1.0f;
        deepest = rvi_maxf(deepest, d);
        if (!velocity_x || !velocity_y || !(d > RVI_PIPE_DRY))
            continue;
        float vx = velocity_x[cell], vy = velocity_y[cell];
        fastest = rvi_maxf(fastest, sqrtf(vx * vx + vy * vy));
        flux_x[i] = d * vx;
        flux_y[i] = d * vy;
    }
    find_most(group_most, most, deepest);
    barrier(CLK_LOCAL_MEM_FENCE);
    find_most(group_most, most + 1, fastest);
    barrier(CLK_LOCAL_MEM_FENCE);
    find_most(group_most, most + 2, wrong);
}

/* The pipes take up the flux of the cells. */
__kernel void pipe_begin(__global const float *restrict qx, __global const float *restrict qy, __global float *restrict east,
                         __global float *restrict south, __global float *restrict south_east,
                         __global float *restrict south_west, rvi_pipe_shape shape) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x > shape.width)
        return;
    size_t i = (size_t)y * (size_t)shape.stride + (size_t)x, s = i + (size_t)shape.stride;
    east[i] = 0.5f * (qx[i] + qx[i + 1]);
    south[i] = 0.5f * (qy[i] + qy[s]);
    if (!shape.eight)
        return;
    float down = (qx[i] + qy[i]) + (qx[s + 1] + qy[s + 1]);
    float up = (qy[i + 1] - qx[i + 1]) + (qy[s] - qx[s]);
    south_east[i] = 0.35355339f * down;
    south_west[i] = 0.35355339f * up;
}

__kernel void pipe_show(__global const float *restrict bed, __global const float *restrict change,
                        __global float *restrict sediment, __global float *restrict land, rvi_pipe_shape shape,
                        int settle) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= shape.width)
        return;
    size_t i = (size_t)(y + 1) * (size_t)shape.stride + (size_t)(x + 1);
    float lower = rvi_pipe_height(bed[i], change[i]);
    land[(size_t)y * (size_t)shape.width + (size_t)x] = lower;
    if (settle)
        sediment[i] += (float)rvi_pipe_above(bed[i], change[i], lower);
}

/* What the heights cannot hold counts as taken; a column of a block an item. */
__kernel void pipe_count_above(__global const float *restrict bed, __global const float *restrict change,
                               __global const float *restrict land, __global rvi_pipe_column *restrict columns,
                               rvi_pipe_shape shape) {
    int x = (int)get_global_id(0), block = (int)get_global_id(1);
    int first = block * RVI_PIPE_ROWS, end = rvi_mini(first + RVI_PIPE_ROWS, shape.height);
    if (x >= shape.width)
        return;
    __global rvi_pipe_column *column =
        &columns[(size_t)block * (size_t)shape.stride + (size_t)(x + 1)];
    double taken = column->taken;
    for (int y = first; y < end; y++) {
        size_t i = (size_t)(y + 1) * (size_t)shape.stride + (size_t)(x + 1);
        float height = land[(size_t)y * (size_t)shape.width + (size_t)x];
        taken += rvi_pipe_above(bed[i], change[i], height);
    }
    column->taken = taken;
}

__kernel void pipe_leave(__global const float *restrict bed, __global const float *restrict change,
                         __global const float *restrict depth, __global const float *restrict sediment,
                         __global const float *restrict east, __global const float *restrict south,
                         __global const float *restrict south_east, __global const float *restrict south_west,
                         __global const float *restrict limit, __global const float *restrict deposited,
                         __global const float *restrict flow, __global const float *restrict land,
                         __global float *restrict to_water, __global float *restrict to_sediment,
                         __global float *restrict to_x, __global float *restrict to_y, __global float *restrict to_flow,
                         __global float *restrict to_eroded, __global float *restrict to_deposited,
                         rvi_pipe_shape shape, rvi_pipe_rules r) {
    const rvi_pipe_net f = {shape, {east, south, south_east, south_west}, limit, r.half_width};
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= shape.width)
        return;
    size_t cell = (size_t)y * (size_t)shape.width + (size_t)x;
    size_t i = (size_t)(y + 1) * (size_t)shape.stride + (size_t)(x + 1);
    to_water[cell] = depth[i];
    to_sediment[cell] = sediment[i];
    to_flow[cell] += flow[i] * (r.cell * r.cell);
    to_deposited[cell] += deposited[i];
    float rose = land[cell] - bed[i];
    to_eroded[cell] += rvi_pipe_positive(deposited[i] - rose);
    rvi_pipe_vector v = rvi_pipe_velocity(&f, bed, change, depth, i);
    to_x[cell] = v.x;
    to_y[cell] = v.y;
}
