/* pipe_round.cl: a round of pipes.c on a device. */
#include "device/prelude.cl"
#include "steps/pipes/pipe_ground.h"
#include "wear/border.h"

/* ---- a round ---- */

/* The rows that a group keeps for all of its items lie in rings, long enough for what is written not
 * to touch what is still read. */
typedef __local float (*rows)[RVI_PIPE_GROUP];
enum { ENDS = 4, PIPES = 8, GIFTS = 4 };
typedef struct kept_rows {
    rows bed, depth, limit;       /* of cells before this round */
    rows gives, carries, surface; /* of cells in this round */
    rows q[RVI_PIPE_WAYS];        /* of pipes in this round */
} kept_rows;

static kept_rows share_rows(__local float *shared) {
    kept_rows k;
    k.bed = (rows)shared;
    k.depth = k.bed + ENDS;
    k.limit = k.depth + ENDS;
    k.gives = k.limit + ENDS;
    k.carries = k.gives + GIFTS;
    k.surface = k.carries + GIFTS;
    k.q[0] = k.surface + GIFTS;
    for (int way = 1; way < RVI_PIPE_WAYS; way++)
        k.q[way] = k.q[way - 1] + PIPES;
    return k;
}

/* The end of a pipe in row y. */
typedef struct pipe_end {
    float bed, depth, limit;
} pipe_end;

static pipe_end end_at(const kept_rows *k, int y, int lane) {
    int row = y & (ENDS - 1);
    pipe_end e = {k->bed[row][lane], k->depth[row][lane], k->limit[row][lane]};
    return e;
}

/* The flux of a pipe that had q, which goes to `to`; returns its speed, or `fastest`. */
static float push(__local float *to, float q, float pull, float drag, pipe_end from, pipe_end into,
                  float fastest) {
    rvi_pipe_flow flow = rvi_pipe_flux(rvi_pipe_limited(q, from.limit, into.limit), pull, drag,
                                       from.bed, from.depth, into.bed, into.depth);
    *to = flow.flux;
    return rvi_maxf(flow.speed, fastest);
}

/* The flux that leaves a cell of row y of this round towards (dx, dy): rvi_pipe_leaving(). */
static float leaving(const kept_rows *k, int y, int lane, int dx, int dy) {
    int row = y & (PIPES - 1), up = (y - 1) & (PIPES - 1);
    if (dy == 0)
        return dx > 0 ? k->q[RVI_PIPE_EAST][row][lane] : -k->q[RVI_PIPE_EAST][row][lane - 1];
    if (dx == 0)
        return dy > 0 ? k->q[RVI_PIPE_SOUTH][row][lane] : -k->q[RVI_PIPE_SOUTH][up][lane];
    if (dx == dy)
        return dx > 0 ? k->q[RVI_PIPE_SOUTH_EAST][row][lane]
                      : -k->q[RVI_PIPE_SOUTH_EAST][up][lane - 1];
    return dy > 0 ? k->q[RVI_PIPE_SOUTH_WEST][row][lane - 1]
                  : -k->q[RVI_PIPE_SOUTH_WEST][up][lane];
}

static float asked_of(const kept_rows *k, int y, int lane, const bool eight) {
    float out = rvi_pipe_asked(leaving(k, y, lane, 1, 0), leaving(k, y, lane, -1, 0),
                               leaving(k, y, lane, 0, 1), leaving(k, y, lane, 0, -1));
    if (eight)
        out += rvi_pipe_asked(leaving(k, y, lane, 1, 1), leaving(k, y, lane, -1, -1),
                              leaving(k, y, lane, -1, 1), leaving(k, y, lane, 1, -1));
    return out;
}

/* What the pipe to (dx, dy) brings to a cell of row y, whose surface is `top`. */
static rvi_pipe_side see(const kept_rows *k, int y, int lane, float top, int dx, int dy) {
    int row = (y + dy) & (GIFTS - 1);
    return rvi_pipe_see(leaving(k, y, lane, dx, dy), k->gives[row][lane + dx],
                        k->carries[row][lane + dx], k->surface[row][lane + dx], top);
}

static rvi_pipe_side gather_sides(const kept_rows *k, int y, int lane, const bool eight) {
    float top = k->surface[y & (GIFTS - 1)][lane];
    rvi_pipe_side sum =
        rvi_pipe_sum_sides(see(k, y, lane, top, -1, 0), see(k, y, lane, top, 1, 0),
                           see(k, y, lane, top, 0, -1), see(k, y, lane, top, 0, 1));
    if (!eight)
        return sum;
    return rvi_pipe_add_corners(
        sum, rvi_pipe_sum_sides(see(k, y, lane, top, -1, -1), see(k, y, lane, top, 1, 1),
                                see(k, y, lane, top, 1, -1), see(k, y, lane, top, -1, 1)));
}

/* The grids of a round: those it reads, and those it makes. */
#define ROUND_GRIDS                                                                                \
    __global const float *restrict bed, __global const float *restrict change,                    \
        __global float *restrict change_to, __global const float *restrict depth,                 \
        __global float *restrict depth_to, __global const float *restrict sediment,               \
        __global float *restrict sediment_to, __global float *restrict rest,                      \
        __global const float *restrict east, __global const float *restrict south,                \
        __global const float *restrict south_east, __global const float *restrict south_west,     \
        __global float *restrict east_to, __global float *restrict south_to,                      \
        __global float *restrict south_east_to, __global float *restrict south_west_to,           \
        __global const float *restrict limit, __global float *restrict limit_to,                  \
        __global float *restrict deposited, __global float *restrict flow,                        \
        __global const float *restrict mask, __global const float *restrict factor,               \
        __global const float *restrict source, __global float *restrict want,                     \
        __global float *restrict carries_to,                                                      \
        __global rvi_pipe_column *restrict columns, __global uint *restrict most,                 \
        __local uint *group_most, __local float *shared, rvi_pipe_shape shape, rvi_pipe_rules r,  \
        float rain, int spread, GROUND_ARGS

/* What ground is like: bedrock alone that is equally hard at all heights; layers or bands; layers
 * from which each material comes, and to which it goes back (give=same): that is for pipe_parts. */
enum { BARE, STACK, SAME };

/* What the grids hold of the column of an item. */
typedef struct row_read {
    float bed, change, depth, limit;            /* of row y */
    float east, south, south_east, south_west; /* of the pipes of row y - 2 */
    float sediment;                             /* of row y - 3 */
    float rest, deposited, flow;                /* of row y - 5 */
} row_read;

/* A whole round: a column of a block an item, row by row. While row y is read, the pipes of row
 * y - 2 are pushed, the cells of row y - 3 find what they can give, and those of row y - 5 change;
 * the numbers of these rows wait in rings. The first and the last items of a group only work for
 * the others. Rows and columns that are on no grid are read as those next to them; nothing that is
 * kept comes from there. */
static inline void run_round(ROUND_GRIDS, const bool eight, const int kind) {
    const pipe_ground ground = GROUND;
    const kept_rows k = share_rows(shared);
    const float carry = shape.backward || shape.forward ? 0.0f : 1.0f;
    const int lane = (int)get_local_id(0), block = (int)get_global_id(1);
    const int x = (int)get_group_id(0) * (RVI_PIPE_GROUP - 2 * RVI_PIPE_BESIDE) + lane - RVI_PIPE_BESIDE;
    const int first = block * RVI_PIPE_ROWS + 1, bottom = shape.height + 1;
    const int end = rvi_mini(first + RVI_PIPE_ROWS, bottom);
    const size_t column = (size_t)rvi_mini(rvi_maxi(x, 0), shape.stride - 1);
#define ROW(y) ((size_t)rvi_mini(rvi_maxi(y, 0), bottom) * (size_t)shape.stride + column)
    const bool inner = x >= 1 && x <= shape.width;
    const bool kept = x <= shape.width && lane >= RVI_PIPE_BESIDE && lane < RVI_PIPE_GROUP - RVI_PIPE_BESIDE;
    /* What the first and the last item of a group make is not asked for. */
    const int beyond = rvi_mini(lane + 1, RVI_PIPE_GROUP - 1), giver = rvi_maxi(lane, 1);
    float evaporated = 0.0f, taken = 0.0f, laid = 0.0f, deepest = 0.0f, fastest = 0.0f;
    float depths[5] = {0.0f}, changes[5] = {0.0f}, loads[2] = {0.0f}; /* of rows before y; y - 3 */
    size_t i = ROW(first - 2);
    row_read next = {bed[i], change[i], depth[i], limit[i]};
    for (int y = first - 2; y < end + 5; y++) {
        /* What the next row needs is read before this one is worked on. */
        const row_read now = next;
        i = ROW(y + 1);
        next.bed = bed[i];
        next.change = change[i];
        next.depth = depth[i];
        next.limit = limit[i];
        i = ROW(y - 1);
        next.east = east[i];
        next.south = south[i];
        if (eight) {
            next.south_east = south_east[i];
            next.south_west = south_west[i];
        }
        next.sediment = sediment[ROW(y - 2)];
        i = ROW(y - 4);
        next.rest = rest[i];
        next.deposited = deposited[i];
        next.flow = flow[i];

        const int end_row = y & (ENDS - 1);
        k.bed[end_row][lane] = now.bed + now.change;
        k.depth[end_row][lane] = now.depth;
        k.limit[end_row][lane] = now.limit;

        const int pushed = y - 2, pipe_row = pushed & (PIPES - 1);
        {
            pipe_end a = end_at(&k, pushed, lane), b = end_at(&k, pushed, beyond);
            pipe_end c = end_at(&k, pushed + 1, lane), d = end_at(&k, pushed + 1, beyond);
            float speed = push(&k.q[RVI_PIPE_EAST][pipe_row][lane], now.east, r.pull_axis, r.drag,
                               a, b, 0.0f);
            speed = push(&k.q[RVI_PIPE_SOUTH][pipe_row][lane], now.south, r.pull_axis, r.drag, a, c,
                         speed);
            if (eight) {
                speed = push(&k.q[RVI_PIPE_SOUTH_EAST][pipe_row][lane], now.south_east,
                             r.pull_corner, r.drag, a, d, speed);
                speed = push(&k.q[RVI_PIPE_SOUTH_WEST][pipe_row][lane], now.south_west,
                             r.pull_corner, r.drag, b, c, speed);
            }
            if (pushed >= first - 1 && pushed < end)
                fastest = rvi_maxf(speed, fastest);
        }

        const int giving = y - 3, from_row = giving & (ENDS - 1), give_row = giving & (GIFTS - 1);
        {
            bool gives = inner && giving >= 1 && giving <= shape.height;
            float water = k.depth[from_row][lane];
            rvi_pipe_gift gift = rvi_pipe_give(water, now.sediment,
                                               asked_of(&k, giving, giver, eight) * r.share);
            k.gives[give_row][lane] = gives ? gift.limit : 0.0f;
            k.carries[give_row][lane] = gives ? carry * gift.carries : 0.0f;
            k.surface[give_row][lane] = k.bed[from_row][lane] + water;
        }

        const int changed = y - 5, change_row = changed & (PIPES - 1);
        i = ROW(changed);
        if (kept && changed >= (block ? first : 0)) { /* the first block keeps the pipes of row 0 */
            east_to[i] = k.q[RVI_PIPE_EAST][change_row][lane];
            south_to[i] = k.q[RVI_PIPE_SOUTH][change_row][lane];
            if (eight) {
                south_east_to[i] = k.q[RVI_PIPE_SOUTH_EAST][change_row][lane];
                south_west_to[i] = k.q[RVI_PIPE_SOUTH_WEST][change_row][lane];
            }
        }
        if (kept && inner && changed >= first) {
            rvi_pipe_side sides = gather_sides(&k, changed, lane, eight);
            float asked = asked_of(&k, changed, lane, eight);
            float gives = k.gives[changed & (GIFTS - 1)][lane];
            rvi_pipe_sums sum = {sides.in,      gives * asked,
                                 sides.carried, k.carries[changed & (GIFTS - 1)][lane] * asked,
                                 asked,         sides.fall};
            float fell = (source ? source[i] : rain) * r.dt, before = changes[4];
            rvi_pipe_state to = rvi_pipe_cell(&r, sum, depths[4], now.rest, loads[1], fell);
            float take = spread ? 0.0f : to.take * (factor ? factor[i] : 1.0f);
            float lay = to.lay * (mask ? mask[i] : 1.0f);
            float after, moved = 0.0f;
            if (kind == SAME) {
                after = take > 0.0f ? -take : lay;
                carries_to[i] = k.carries[changed & (GIFTS - 1)][lane];
            } else if (kind == STACK && stack) {
                size_t cell = (size_t)(changed - 1) * (size_t)shape.width + (size_t)(x - 1);
                moved = move_layers(&ground, i, cell, take, lay, to.sediment);
                after = before + moved;
            } else {
                take *= kind == STACK ? rock_at(&ground, i, bed[i] + before) : 1.0f;
                after = rvi_pipe_ground(before, lay - take, to.sediment);
                moved = after - before;
            }
            if (want)
                want[i] = to.take;
            depth_to[i] = to.depth;
            rest[i] = to.rest;
            change_to[i] = after;
            sediment_to[i] = to.sediment - moved;
            limit_to[i] = gives;
            deposited[i] = now.deposited + rvi_pipe_positive(moved);
            laid += rvi_pipe_positive(moved);
            taken += rvi_pipe_positive(-moved);
            flow[i] = now.flow + r.share * sum.out;
            deepest = rvi_maxf(to.depth, deepest);
            evaporated += to.evaporated;
        }
        for (int back = 4; back > 0; back--) {
            depths[back] = depths[back - 1];
            changes[back] = changes[back - 1];
        }
        depths[0] = now.depth;
        changes[0] = now.change;
        loads[1] = loads[0];
        loads[0] = now.sediment;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#undef ROW
    __global rvi_pipe_column *sums = &columns[(size_t)block * (size_t)shape.stride + column];
    if (kept && inner && kind == SAME)
        sums->evaporated += (double)evaporated;
    else if (kept && inner)
        rvi_pipe_count(sums, evaporated, taken, laid);
    find_most(group_most, most, deepest);
    barrier(CLK_LOCAL_MEM_FENCE);
    find_most(group_most, most + 1, kept ? fastest : 0.0f);
}

#define ROUND(name, eight, kind)                                                                      \
    __kernel __attribute__((reqd_work_group_size(RVI_PIPE_GROUP, 1, 1))) void name(ROUND_GRIDS) { \
        run_round(bed, change, change_to, depth, depth_to, sediment, sediment_to, rest, east,      \
                  south, south_east, south_west, east_to, south_to, south_east_to, south_west_to,  \
                  limit, limit_to, deposited, flow, mask, factor, source, want, carries_to,        \
                  columns, most, group_most, shared, shape, r, rain, spread, stack, bands, bedrock, samples, yields,      \
                  layers, eight, kind);                                                            \
    }
ROUND(pipe_round_4, false, BARE)
ROUND(pipe_round_8, true, BARE)
ROUND(pipe_stack_4, false, STACK)
ROUND(pipe_stack_8, true, STACK)
ROUND(pipe_same_4, false, SAME)
ROUND(pipe_same_8, true, SAME)

/* ---- give=same: what the sediment is made of ---- */

/* What water brings a cell of one layer. */
static float part_in(const rvi_pipe_net *f, __global const float *carries, __global const float *part,
                     __global const float *sediment, size_t i, int dx, int dy) {
    size_t j = rvi_pipe_beside(f, i, dx, dy);
    return rvi_pipe_part_in(rvi_pipe_leaving(f, i, dx, dy), carries[j], part[j], sediment[j]);
}

static float part_moved(const rvi_pipe_net *f, const rvi_pipe_rules *r, __global const float *carries,
                        __global const float *part, __global const float *sediment, size_t i,
                        float asked) {
#define IN(dx, dy) part_in(f, carries, part, sediment, i, dx, dy)
    float in = (IN(-1, 0) + IN(1, 0)) + (IN(0, -1) + IN(0, 1));
    if (f->shape.eight)
        in += (IN(-1, -1) + IN(1, 1)) + (IN(1, -1) + IN(-1, 1));
#undef IN
    return rvi_pipe_part_left(part[i], sediment[i], carries[i] * asked, in, r->share);
}

/* The flux that leaves a cell without the limit. */
static float asked_at(const rvi_pipe_net *f, size_t i) {
#define OUT(dx, dy) rvi_pipe_leaving(f, i, dx, dy)
    float out = rvi_pipe_asked(OUT(1, 0), OUT(-1, 0), OUT(0, 1), OUT(0, -1));
    if (f->shape.eight)
        out += rvi_pipe_asked(OUT(1, 1), OUT(-1, -1), OUT(-1, 1), OUT(1, -1));
#undef OUT
    return out;
}

/* Lays each material on its own layer: rvi_layers_lay(). */
static float lay_parts(const pipe_ground *g, size_t i, size_t cell, float amount, const part_grids *of,
                       __global double *deposited_on) {
    float sum = 0.0f, given = 0.0f;
    for (int l = 0; l < g->layers; l++)
        sum += of->parts[(size_t)l * of->spacing + i];
    if (!(sum > 0.0f && amount > 0.0f))
        return 0.0f;
    float share = amount < sum ? amount / sum : 1.0f;
    for (int l = 0; l < g->layers; l++) {
        __global float *layer = &g->stack[(size_t)l * g->cells + cell];
        __global float *part = &of->parts[(size_t)l * of->spacing + i];
        float raised = rvi_layer_raised(*layer, *part, share), gain = raised - *layer;
        *layer = raised;
        *part -= gain;
        deposited_on[l] += (double)gain;
        given += gain;
    }
    return given;
}

/* Moves the parts with the water, then takes and lays what the round has left in `change_to`: what
 * is to be laid, or, below 0, taken. A column of a block an item. Without `carries` the parts stay
 * where they are, and cells are counted one by one: model=virtual. */
__kernel void pipe_parts(__global const float *restrict from, __global float *restrict to, ulong spacing,
                         __global const float *restrict carries, __global const float *restrict sediment,
                         __global float *restrict sediment_to, __global const float *restrict change,
                         __global float *restrict change_to, __global float *restrict deposited,
                         __global const float *restrict east, __global const float *restrict south,
                         __global const float *restrict south_east, __global const float *restrict south_west,
                         __global double *restrict deposited_on, __global rvi_pipe_column *restrict columns,
                         rvi_pipe_shape shape, rvi_pipe_rules r, GROUND_ARGS) {
    const rvi_pipe_net f = {shape, {east, south, south_east, south_west}, 0, r.half_width};
    const pipe_ground ground = GROUND;
    const part_grids parts = {to, (size_t)spacing};
    int x = (int)get_global_id(0) + 1, block = (int)get_global_id(1), first = block * RVI_PIPE_ROWS + 1;
    int end = rvi_mini(first + RVI_PIPE_ROWS, shape.height + 1);
    if (x > shape.width)
        return;
    size_t at = (size_t)block * (size_t)shape.stride + (size_t)x;
    float taken = 0.0f, laid = 0.0f;
    for (int y = first; y < end; y++) {
        size_t i = (size_t)y * (size_t)shape.stride + (size_t)x;
        size_t cell = (size_t)(y - 1) * (size_t)shape.width + (size_t)(x - 1);
        float by = change_to[i], has = sediment_to[i], asked = carries ? asked_at(&f, i) : 0.0f;
        for (int l = 0; l < layers; l++) {
            __global const float *part = from + (size_t)l * parts.spacing;
            to[(size_t)l * parts.spacing + i] =
                carries ? part_moved(&f, &r, carries, part, sediment, i, asked) : part[i];
        }
        float moved = by < 0.0f ? -take_layers(&ground, i, cell, -by, &parts)
                                : lay_parts(&ground, i, cell, rvi_minf(by, has), &parts,
                                            deposited_on + at * (size_t)layers);
        change_to[i] = change[i] + moved;
        sediment_to[i] = has - moved;
        deposited[i] += rvi_pipe_positive(moved);
        if (!carries) {
            columns[at].laid += (double)rvi_pipe_positive(moved);
            columns[at].taken += (double)rvi_pipe_positive(-moved);
        }
        laid += carries ? rvi_pipe_positive(moved) : 0.0f;
        taken += carries ? rvi_pipe_positive(-moved) : 0.0f;
    }
    rvi_pipe_count(&columns[at], 0.0f, taken, laid);
}

/* One grid, or the part of one layer, goes to another. */
__kernel void pipe_copy(__global const float *restrict from, ulong from_at, __global float *restrict to,
                        ulong to_at, ulong count) {
    size_t i = get_global_id(0);
    if (i < count)
        to[to_at + i] = from[from_at + i];
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
                             rvi_pipe_shape shape, ulong first) {
    const rvi_pipe_drift drift = {move_x, move_y, from + first};
    int x = (int)get_global_id(0) + 1, y = (int)get_global_id(1) + 1;
    if (x <= shape.width)
        to[first + (size_t)y * (size_t)shape.stride + (size_t)x] =
            rvi_pipe_drifted(&shape, drift, x, y);
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

static rvi_pipe_taken take_from_layers(const pipe_ground *g, size_t i, size_t cell, float asked,
                                       float factor, float change, const part_grids *to) {
    rvi_pipe_taken t = {0.0f, 0.0f, change};
    if (!(asked > RVI_PIPE_NONE))
        return t;
    t.came = take_layers(g, i, cell, asked * factor, to);
    t.change = change - t.came;
    t.share = t.came / asked;
    return t;
}

/* With `shares`: how much of each layer came off, as a share of what was asked. */
static rvi_pipe_taken take_shares(const pipe_ground *g, size_t i, size_t cell, float asked, float factor,
                                  float change, const part_grids *shares) {
    for (int l = 0; shares->parts && l < g->layers; l++)
        shares->parts[(size_t)l * shares->spacing + i] = 0.0f;
    rvi_pipe_taken t = take_from_layers(g, i, cell, asked, factor, change, shares);
    for (int l = 0; shares->parts && asked > RVI_PIPE_NONE && l < g->layers; l++)
        shares->parts[(size_t)l * shares->spacing + i] /= asked;
    return t;
}

/* A column of a block an item. */
__kernel void pipe_take(__global const float *restrict bed, __global float *restrict asked,
                        __global float *restrict change, __global const float *restrict factor,
                        __global rvi_pipe_column *restrict columns, __global float *restrict shares,
                        ulong spacing, rvi_pipe_shape shape, GROUND_ARGS) {
    const pipe_ground ground = GROUND;
    const part_grids parts = {shares, (size_t)spacing};
    int x = (int)get_global_id(0) + 1, block = (int)get_global_id(1);
    int first = block * RVI_PIPE_ROWS + 1;
    int end = rvi_mini(first + RVI_PIPE_ROWS, shape.height + 1);
    if (x > shape.width)
        return;
    __global rvi_pipe_column *column = &columns[(size_t)block * (size_t)shape.stride + (size_t)x];
    double taken = column->taken;
    for (int y = first; y < end; y++) {
        size_t i = (size_t)y * (size_t)shape.stride + (size_t)x;
        float yields = factor ? factor[i] : 1.0f, before = change[i];
        size_t cell = (size_t)(y - 1) * (size_t)shape.width + (size_t)(x - 1);
        rvi_pipe_taken t;
        if (stack)
            t = take_shares(&ground, i, cell, asked[i], yields, before, &parts);
        else
            t = rvi_pipe_take_bare(asked[i], yields, rock_at(&ground, i, bed[i] + before), before);
        change[i] = t.change;
        asked[i] = t.share;
        taken += (double)t.came;
    }
    column->taken = taken;
}

__kernel void pipe_carry(__global const float *restrict want, __global const float *restrict asked,
                         __global float *restrict sediment, __global float *restrict parts, ulong first,
                         rvi_pipe_shape shape) {
    int x = (int)get_global_id(0) + 1, y = (int)get_global_id(1) + 1;
    size_t i = (size_t)y * (size_t)shape.stride + (size_t)x;
    if (x > shape.width)
        return;
    float came = want[i] * asked[i];
    sediment[i] += came;
    if (parts)
        parts[first + i] += came;
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

/* A layer of the land goes to the stack, or comes from it. */
__kernel void pipe_layer(__global float *restrict layer, __global float *restrict stack, ulong cells,
                         int number, int in) {
    size_t i = get_global_id(0), at = (size_t)number * (size_t)cells + i;
    if (i < cells && in)
        stack[at] = layer[i];
    else if (i < cells)
        layer[i] = stack[at];
}
