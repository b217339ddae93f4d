/* batch_cell.h: what drops and particles do to the ground with order=batch, for the processor and
 * for devices. How they move is said by their steps: drop_move.h, particle_move.h.
 *
 * In a round every drop on its way makes one move on the ground as it was before the round. What it
 * takes and lays down is added up in whole numbers, which come to the same sum in any order, and
 * becomes part of the ground at the end of the round. All heights count in units of RELIEF to the
 * relief R of the land, above its lowest point; sediment is the sum of what cells have lost, in the
 * same units. Drops that stand in one block of cells share what each cell there may lose or gain,
 * so that drops that meet dig little below where they go, and build little above where they came
 * from. Blocks are so wide that all drops that reach a cell stand in nine of them. These nine
 * together keep to the floor, and to what 32 bits can hold: in a turn of taking or laying down, of
 * which a move has at most two, all drops together change a cell by no more than MOST, and no drop
 * takes below -RANGE or lays above RANGE.
 *     2 MOST < RANGE, and a cell stays between -2 RANGE and 2 RANGE
 * At its end a drop may use a wider disc, where the blocks around these nine count, too.
 *
 * Layers give from the top downwards, each at its erodibility. A drop knows of each only its share,
 * so that together they do not wear rock as if the soil on it were gone; and rock that nothing
 * erodes bounds what they take together as the floor does. What is laid down becomes the top. */
#ifndef RVI_WEAR_BATCH_CELL_H
#define RVI_WEAR_BATCH_CELL_H

#include "terrain/layer_cell.h"
#include "wear/bedrock_cell.h"
#include "wear/drop_fall.h"

#ifndef __OPENCL_VERSION__
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#endif

enum {
    RVI_BATCH_RELIEF = 1 << 26,
    RVI_BATCH_MOST = 1 << 27,
    RVI_BATCH_RANGE = 1 << 29,
    RVI_BATCH_FLOW = 1 << 20,              /* of the first water of a drop, on all its cells */
    RVI_BATCH_WEIGHT = 1 << 16,            /* of the middle of the disc */
    RVI_BATCH_DEEP = (1 << 29) + (1 << 27) /* no layer is thicker than so many units */
};

typedef struct rvi_batch_rules {
    rvi_fall_squares squares;
    uint64_t tries, slots; /* drops to let fall, some beside the land; that are on their way */
    uint64_t whole;        /* of those, the first ones: in the order of their places */
    uint64_t stride;       /* of the grids; cell (x, y) is at first + y stride + x */
    uint64_t first;
    int width, height, margin;       /* of map and apron */
    int land_width, land_height;     /* of the map */
    int most_moves, reach;           /* reach: of the disc, in cells */
    int wall;                        /* 1 or 0 */
    int block, blocks;               /* side of a block in cells, and blocks in a row */
    int layers, last_reach;          /* last_*: of the disc at the end of a way */
    float radius, move, near, share; /* cells; share: a metre of a drop's square, on a cell */
    float last_radius;
    float per_radius, per_last; /* RVI_BATCH_WEIGHT of the radius */
    float bank;                 /* what a high cell weighs, as a multiple of the bed */
    float first_water, first_speed;
    float flow; /* RVI_BATCH_FLOW of first_water */
    int floor;  /* nothing is taken from below, which are so many metres: */
    float floor_height;
    float low, per, by; /* of the land, in m; units a metre, metres a unit */
} rvi_batch_rules;

/* How a round cuts the land into blocks, and the next one. */
typedef struct rvi_batch_round {
    int now_x, now_y, next_x, next_y; /* cells before the land */
} rvi_batch_round;

/* A slot: a drop on its way, the number of the next one, and sums of all it had. */
typedef struct rvi_batch_slot {
    uint64_t next, bits;   /* bits: a random number of the drop's own */
    int64_t sediment, own; /* own: what of it is of the map */
    int64_t eroded, deposited, left_map, suspended, raised;
    uint64_t steps;
    uint32_t ends[3]; /* left the map, in pits, whole */
    int step;         /* moves made; below 0: there is no drop */
    float x, y, dx, dy, speed, water;
    int came; /* height of the place before */
    int unused;
} rvi_batch_slot;

/* Who makes a move: on the processor one item, on a device a crew of items that share the cells of
 * the disc, as a grid of so many columns and rows. Several crews are in a group. */
enum { RVI_BATCH_NARROW = 32, RVI_BATCH_NARROW_COLUMNS = 4 }; /* 8 crews of 4 x 1 */
enum { RVI_BATCH_WIDE = 64, RVI_BATCH_WIDE_COLUMNS = 8 };     /* one of 8 x 8 */
/* Places of a crew's sums: four for each time that they add up what they have, and one. */
enum { RVI_BATCH_LOWEST = 16, RVI_BATCH_MEETINGS };
#ifdef __OPENCL_VERSION__
typedef struct rvi_batch_crew {
    int item, count, x, y, columns, rows;
    __local uint *sums;  /* RVI_BATCH_MEETINGS of them */
    __local float *felt; /* twice eight for each row that a drop feels */
    int felt_rows;
} rvi_batch_crew;
#define RVI_BATCH_EACH_ROW(g, y, from, to)                                                         \
    for (int y = (from) + (g)->crew.y; y <= (to); y += (g)->crew.rows)
#define RVI_BATCH_EACH_COLUMN(g, x, from, to)                                                      \
    for (int x = (from) + (g)->crew.x; x <= (to); x += (g)->crew.columns)
#else
#define RVI_BATCH_EACH_ROW(g, y, from, to) for (int y = (from); y <= (to); y++)
#define RVI_BATCH_EACH_COLUMN(g, x, from, to) for (int x = (from); x <= (to); x++)
#endif

typedef struct rvi_batch_grids {
    RVI_GRID const int32_t *ground; /* as it was before the round */
    RVI_GRID int32_t *change;       /* what drops of this round add to it */
    RVI_GRID uint32_t *laid, *flow; /* sums of 64 bits, the lower half first */
    RVI_GRID const uint32_t *crowd; /* drops in each block */
    RVI_GRID uint32_t *crowd_next;
    RVI_GRID uint32_t *ended; /* one number: of drops that have ended or missed the land */
    RVI_GRID const float *factor, *mask; /* NULL: 1 everywhere; the mask is of the map */
    RVI_GRID const uint32_t *rain_cells; /* rain.h */
    RVI_GRID const uint64_t *rain_rows;
    /* Of layers, but for bedrock: how thick they are, in units, one map after the other; and how
     * soft each of all is. */
    RVI_GRID const int32_t *depth;
    RVI_GRID const float *soft;
#ifdef __OPENCL_VERSION__
    rvi_batch_crew crew;
    bedrock_grids bedrock;
    bool bare; /* nothing is known of the bedrock: it keeps nothing */
#else
    /* What else keeps bedrock that ends at a height from erosion, and any ground; NULL: nothing. */
    float (*rock)(const void *run, int x, int y, float top);
    float (*other)(const void *run, int x, int y, float height);
    const void *run;
#endif
} rvi_batch_grids;

/* A move on its way. */
typedef struct rvi_batch_drop {
    float x, y, dx, dy, speed, water;
    int came, step;
    int64_t sediment, own;
    uint64_t bits;
    int64_t eroded, deposited, left_map, suspended, raised;
} rvi_batch_drop;

/* ---- sums that drops add to side by side ---- */

#ifdef __OPENCL_VERSION__
static inline void rvi_batch_add(RVI_GRID int32_t *to, int32_t by) {
    atomic_add(to, by);
}
static inline void rvi_batch_count(RVI_GRID uint32_t *to) {
    atomic_inc(to);
}
/* Not all devices can add 64 bits at once. */
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
static inline void rvi_batch_add_long(RVI_GRID uint32_t *grid, size_t i, uint32_t by) {
    atom_add((volatile __global ulong *)(grid + 2 * i), (ulong)by);
}
#else
static inline void rvi_batch_add_long(RVI_GRID uint32_t *grid, size_t i, uint32_t by) {
    uint32_t before = atomic_add(grid + 2 * i, by);
    if (before + by < before)
        atomic_inc(grid + 2 * i + 1);
}
#endif
#else
static inline void rvi_batch_add(int32_t *to, int32_t by) {
    __atomic_fetch_add(to, by, __ATOMIC_RELAXED);
}
static inline void rvi_batch_count(uint32_t *to) {
    __atomic_fetch_add(to, 1, __ATOMIC_RELAXED);
}
static inline void rvi_batch_add_long(uint32_t *grid, size_t i, uint32_t by) {
    uint32_t before = __atomic_fetch_add(grid + 2 * i, by, __ATOMIC_RELAXED);
    if (before + by < before)
        __atomic_fetch_add(grid + 2 * i + 1, 1, __ATOMIC_RELAXED);
}
#endif

/* ---- what the items of a crew find together ---- */

#ifdef __OPENCL_VERSION__
static inline bool rvi_batch_leads(const rvi_batch_grids *g) {
    return g->crew.item == 0;
}
/* All items meet whatever the drop does: compilers for devices do not like to wait within a
 * condition. */
static inline void rvi_batch_meet(const rvi_batch_grids *g) {
    for (int i = g->crew.item; i < RVI_BATCH_MEETINGS; i += g->crew.count)
        g->crew.sums[i] = i == RVI_BATCH_LOWEST ? 0x7fffffffu : 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
}
/* The sums of both numbers, none of which is below 0 or has more than 50 bits: parts of 24 bits are
 * added up one by one. `meeting`: the first of four places for them. */
static inline void rvi_batch_total(const rvi_batch_grids *g, int meeting, int64_t *a, int64_t *b) {
    __local uint *sums = g->crew.sums + meeting;
    atomic_add(sums, (uint)(*a & 0xffffff));
    atomic_add(sums + 1, (uint)(*a >> 24));
    atomic_add(sums + 2, (uint)(*b & 0xffffff));
    atomic_add(sums + 3, (uint)(*b >> 24));
    barrier(CLK_LOCAL_MEM_FENCE);
    *a = ((int64_t)sums[1] << 24) + sums[0];
    *b = ((int64_t)sums[3] << 24) + sums[2];
}
static inline int32_t rvi_batch_lowest(const rvi_batch_grids *g, int32_t a) {
    atomic_min((__local int *)g->crew.sums + RVI_BATCH_LOWEST, a);
    barrier(CLK_LOCAL_MEM_FENCE);
    return (int32_t)g->crew.sums[RVI_BATCH_LOWEST];
}
#else
#define rvi_batch_leads(g) true
#define rvi_batch_meet(g) (void)(g)
#define rvi_batch_total(g, meeting, a, b) ((void)(meeting), (void)(a), (void)(b))
#define rvi_batch_lowest(g, a) (a)
#endif

/* What bedrock that ends at `top` gives of what would be taken at the cell i. */
static inline float rvi_batch_rock(const rvi_batch_grids *g, const rvi_batch_rules *r, size_t i,
                                   int x, int y, float top) {
#ifdef __OPENCL_VERSION__
    return g->bare ? 1.0f : bedrock_soft(&g->bedrock, i, r->low + top * r->by);
#else
    (void)r, (void)i;
    return g->rock ? g->rock(g->run, x, y, top) : 1.0f;
#endif
}

/* What any ground of that height gives: only programs on the processor have something to say. */
static inline float rvi_batch_other(const rvi_batch_grids *g, int x, int y, float height) {
#ifdef __OPENCL_VERSION__
    return 1.0f;
#else
    return g->other ? g->other(g->run, x, y, height) : 1.0f;
#endif
}

static inline uint64_t rvi_batch_long(RVI_GRID const uint32_t *grid, size_t i) {
    return (uint64_t)grid[2 * i + 1] << 32 | grid[2 * i];
}

/* ---- places ---- */

static inline size_t rvi_batch_at(const rvi_batch_rules *r, int x, int y) {
    return (size_t)r->first + (size_t)y * (size_t)r->stride + (size_t)x;
}

static inline bool rvi_batch_on_map(const rvi_batch_rules *r, int x, int y) {
    x -= r->margin;
    y -= r->margin;
    return x >= 0 && y >= 0 && x < r->land_width && y < r->land_height;
}

/* The same in grids of the map. */
static inline size_t rvi_batch_cell(const rvi_batch_rules *r, int x, int y) {
    return (size_t)(y - r->margin) * (size_t)r->land_width + (size_t)(x - r->margin);
}

/* There are two more blocks on each side of the land. */
static inline size_t rvi_batch_block(const rvi_batch_rules *r, float x, float y, int shift_x,
                                     int shift_y) {
    int bx = ((int)x + shift_x) / r->block + 2, by = ((int)y + shift_y) / r->block + 2;
    return (size_t)by * (size_t)r->blocks + (size_t)bx;
}

/* Metres as units and back. */
static inline int32_t rvi_batch_fixed(const rvi_batch_rules *r, float height) {
    float units = rvi_floorf((height - r->low) * r->per + 0.5f);
    return (int32_t)rvi_clampf(units, (float)-RVI_BATCH_RANGE, (float)RVI_BATCH_RANGE);
}
static inline float rvi_batch_shown(const rvi_batch_rules *r, float before, int32_t ground) {
    int32_t change = ground - rvi_batch_fixed(r, before);
    float now = change == 0 ? before : before + (float)change * r->by;
    return change < 0 ? rvi_maxf(now, rvi_minf(before, r->floor_height)) : now;
}

/* ---- what a drop feels: the mean of the cells near it, as near_cells.h has it ---- */

typedef struct rvi_batch_axis {
    int first, middle, last; /* middle: the last one before the drop */
    float pos, per, sum;     /* of weights: 1 - |i - pos| per */
    float down, up;          /* what cells before and behind count in the slope */
} rvi_batch_axis;

static inline float rvi_batch_tent(const rvi_batch_axis *a, int i) {
    float off = (float)i - a->pos;
    return rvi_maxf(1.0f - (off < 0.0f ? -off : off) * a->per, 0.0f);
}

static inline rvi_batch_axis rvi_batch_axis_of(float pos, float near, int cells) {
    rvi_batch_axis a;
    a.pos = pos;
    a.per = 1.0f / near;
    a.middle = (int)pos;
    a.first = rvi_mini(rvi_maxi((int)rvi_floorf(pos - near) + 1, 0), a.middle);
    a.last = rvi_mini(-(int)rvi_floorf(-(pos + near)) - 1, cells - 1);
    a.last = rvi_maxi(a.last, rvi_mini(a.middle + 1, cells - 1)); /* whatever rounding says */
    float apart = (float)(a.last - a.first + 1) * 0.5f;           /* of the two means */
    a.down = -1.0f / ((float)(a.middle - a.first + 1) * apart);
    a.up = 1.0f / ((float)(a.last - a.middle) * apart);
    a.sum = 0.0f;
    for (int i = a.first; i <= a.last; i++)
        a.sum += rvi_batch_tent(&a, i);
    return a;
}

/* Height above `ref`, and slopes a cell. */
typedef struct rvi_batch_felt {
    float height, gx, gy;
} rvi_batch_felt;

/* What cell x of a row adds to a lane of the sums. */
static inline void rvi_batch_feel_cell(const rvi_batch_axis *a, RVI_GRID const int32_t *row, int x,
                                       int ref, float *mean, float *slope) {
    float h = (float)(row[x] - ref); /* there is a border to read from */
    h = x <= a->last ? h : 0.0f;
    *mean += h * rvi_batch_tent(a, x);
    *slope += h * (x <= a->middle ? a->down : a->up);
}

/* Sums go over four lanes, which the processor computes side by side, and each of which is an
 * item's in a crew. */
#ifdef __OPENCL_VERSION__
/* `time`: 0 or 1, of the two that a drop feels in a move. */
static inline __local float *rvi_batch_felt_rows(const rvi_batch_grids *g, int time) {
    return g->crew.felt + 8 * time * g->crew.felt_rows;
}

static inline void rvi_batch_feel_lanes(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                        float px, float py, int ref, int time) {
    const rvi_batch_axis ax = rvi_batch_axis_of(px, r->near, r->width);
    const rvi_batch_axis ay = rvi_batch_axis_of(py, r->near, r->height);
    const int lanes = 4 * (ay.last - ay.first + 1);
    __local float *to = rvi_batch_felt_rows(g, time);
    for (int i = g->crew.item; i < lanes; i += g->crew.count) {
        RVI_GRID const int32_t *row = g->ground + rvi_batch_at(r, 0, ay.first + i / 4);
        float mean = 0.0f, slope = 0.0f;
        for (int x = ax.first; x <= ax.last; x += 4)
            rvi_batch_feel_cell(&ax, row, x + i % 4, ref, &mean, &slope);
        to[2 * i] = mean;
        to[2 * i + 1] = slope;
    }
}
#endif

static inline rvi_batch_felt rvi_batch_feel_near(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                                 float px, float py, int ref, int time) {
    const rvi_batch_axis ax = rvi_batch_axis_of(px, r->near, r->width);
    const rvi_batch_axis ay = rvi_batch_axis_of(py, r->near, r->height);
    float per_x = 1.0f / ax.sum, per_y = 1.0f / ay.sum;
    rvi_batch_felt to = {0.0f, 0.0f, 0.0f};
    for (int y = ay.first; y <= ay.last; y++) {
        float mean[4] = {0.0f, 0.0f, 0.0f, 0.0f}, slope[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#ifdef __OPENCL_VERSION__
        __local float *felt = rvi_batch_felt_rows(g, time) + 8 * (y - ay.first);
        for (int k = 0; k < 4; k++) {
            mean[k] = felt[2 * k];
            slope[k] = felt[2 * k + 1];
        }
#else
        (void)time;
        RVI_GRID const int32_t *row = g->ground + rvi_batch_at(r, 0, y);
        for (int x = ax.first; x <= ax.last; x += 4)
            for (int k = 0; k < 4; k++)
                rvi_batch_feel_cell(&ax, row, x + k, ref, &mean[k], &slope[k]);
#endif
        float m = ((mean[0] + mean[1]) + (mean[2] + mean[3])) * per_x;
        float s = (slope[0] + slope[1]) + (slope[2] + slope[3]);
        float w = rvi_batch_tent(&ay, y) * per_y;
        to.height += m * w;
        to.gx += s * w;
        to.gy += m * (y <= ay.middle ? ay.down : ay.up);
    }
    return to;
}

static inline rvi_batch_felt rvi_batch_feel_corners(const rvi_batch_grids *g,
                                                    const rvi_batch_rules *r, float px, float py,
                                                    int ref) {
    int x = (int)px, y = (int)py;
    float u = px - (float)x, v = py - (float)y;
    RVI_GRID const int32_t *north = g->ground + rvi_batch_at(r, x, y), *south = north + r->stride;
    float nw = (float)(north[0] - ref), ne = (float)(north[1] - ref);
    float sw = (float)(south[0] - ref), se = (float)(south[1] - ref);
    rvi_batch_felt to;
    to.gx = (ne - nw) * (1.0f - v) + (se - sw) * v;
    to.gy = (sw - nw) * (1.0f - u) + (se - ne) * u;
    to.height = (nw * (1.0f - u) + ne * u) * (1.0f - v) + (sw * (1.0f - u) + se * u) * v;
    return to;
}

static inline rvi_batch_felt rvi_batch_feel(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                            float px, float py, int ref, int time) {
    const bool near = r->near > 1.0f;
#ifdef __OPENCL_VERSION__
    if (near)
        rvi_batch_feel_lanes(g, r, px, py, ref, time);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    return near ? rvi_batch_feel_near(g, r, px, py, ref, time)
                : rvi_batch_feel_corners(g, r, px, py, ref);
}

/* ---- flow ---- */

static inline void rvi_batch_leave_flow(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                        const rvi_batch_drop *d) {
    float water = d->water * r->flow;
    if (!(r->near > 1.0f)) {
        size_t nearest = rvi_batch_at(r, (int)(d->x + 0.5f), (int)(d->y + 0.5f));
        if (rvi_batch_leads(g))
            rvi_batch_add_long(g->flow, nearest, (uint32_t)water);
        return;
    }
    float wide = 0.5f * r->near;
    int x0 = rvi_maxi(-(int)rvi_floorf(wide - d->x), 0);
    int y0 = rvi_maxi(-(int)rvi_floorf(wide - d->y), 0);
    int x1 = rvi_mini((int)rvi_floorf(d->x + wide), r->width - 1);
    int y1 = rvi_mini((int)rvi_floorf(d->y + wide), r->height - 1);
    uint32_t each = (uint32_t)(water / (float)((x1 - x0 + 1) * (y1 - y0 + 1)));
    RVI_BATCH_EACH_ROW(g, y, y0, y1)
    RVI_BATCH_EACH_COLUMN(g, x, x0, x1)
    rvi_batch_add_long(g->flow, rvi_batch_at(r, x, y), each);
}

/* ---- taking ---- */

/* Heights are above `ref`, which is that of the drop's cell. */
typedef struct rvi_batch_place {
    int x, y, ref;
    float u, v, height, gx, gy;
    float part; /* of what a cell may lose or gain: 1 through the drops in the block */
    int around; /* drops in the nine blocks around it */
    int reach;  /* of the disc, as in the rules */
    float radius, per_radius;
} rvi_batch_place;

/* What the drop changes a cell by, if it would by `want` and all around it together may by `room`.
 */
static inline int32_t rvi_batch_part(const rvi_batch_place *p, float want, int32_t room) {
    int32_t by = (int32_t)rvi_minf(want, (float)RVI_BATCH_MOST);
    room = room < RVI_BATCH_MOST ? room : RVI_BATCH_MOST;
    return (int64_t)by * p->around <= room ? by : room > 0 ? room / p->around : 0;
}

/* The rows of the disc that are on the land. */
static inline int rvi_batch_first_row(const rvi_batch_place *p) {
    return rvi_maxi(p->y + 1 - p->reach, 0);
}
static inline int rvi_batch_last_row(const rvi_batch_rules *r, const rvi_batch_place *p) {
    return rvi_mini(p->y + p->reach, r->height - 1);
}

/* The cells of one of them. */
typedef struct rvi_batch_row {
    int first, last;
    float dy; /* from the drop */
} rvi_batch_row;

static inline rvi_batch_row rvi_batch_row_of(const rvi_batch_rules *r, const rvi_batch_place *p,
                                             int y) {
    rvi_batch_row row;
    row.dy = (float)(y - p->y) - p->v;
    float wide = sqrtf(rvi_maxf(p->radius * p->radius - row.dy * row.dy, 0.0f));
    row.first = rvi_maxi(p->x + (int)rvi_floorf(p->u - wide), 0);
    row.last = rvi_mini(p->x + (int)rvi_floorf(p->u + wide), r->width - 1);
    return row;
}

/* Falls from RVI_BATCH_WEIGHT in the middle to 0 at the edge of the disc. dy2: squared. */
static inline float rvi_batch_weight(const rvi_batch_place *p, float dx, float dy2) {
    float away = sqrtf(dx * dx + dy2);
    return rvi_maxf(p->radius - away, 0.0f) * p->per_radius;
}

/* As brush.h: cells that are not above `level` weigh nothing, and only those by 1 / steep above it
 * their whole weight; higher ones up to r->bank times as much. */
static inline int32_t rvi_batch_weight_above(const rvi_batch_rules *r, float weight, float h,
                                             float level, float steep) {
    return (int32_t)(weight * rvi_clampf((h - level) * steep, 0.0f, r->bank));
}

static inline int64_t rvi_batch_weigh_above(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                            const rvi_batch_place *p, float level, float steep) {
    int64_t sum = 0;
    int end = rvi_batch_last_row(r, p);
    RVI_BATCH_EACH_ROW(g, y, rvi_batch_first_row(p), end) {
        RVI_GRID const int32_t *ground = g->ground + rvi_batch_at(r, 0, y);
        const rvi_batch_row row = rvi_batch_row_of(r, p, y);
        float dy2 = row.dy * row.dy;
        int32_t along = 0;
        RVI_BATCH_EACH_COLUMN(g, x, row.first, row.last) {
            float weight = rvi_batch_weight(p, (float)(x - p->x) - p->u, dy2);
            along += rvi_batch_weight_above(r, weight, (float)(ground[x] - p->ref), level, steep);
        }
        sum += along;
    }
    return sum;
}

/* What a drop does to the ground in a turn. */
enum { RVI_BATCH_NOTHING, RVI_BATCH_TAKE, RVI_BATCH_LAY, RVI_BATCH_FILL, RVI_BATCH_LAY_ALL };
typedef struct rvi_batch_deal {
    int kind;
    float amount, level; /* level: nothing is taken from below, or laid above it */
    /* Of what is taken; and of what is laid down: only cells by 1 / steep below the level get all
     * of their part. 0: all get it. */
    float steep;
    float weighed; /* of all that is laid on a disc: cells below this level count */
} rvi_batch_deal;

/* What a drop has taken or laid down in a turn, and what of it on the map. */
typedef struct rvi_batch_given {
    int64_t all, on_map;
} rvi_batch_given;

/* What comes off the layers of a cell, whose ground ends at `top`, where bare ground would lose
 * `want`. `rock`: what bedrock gives besides. *room becomes no more than what lies on the first
 * layer that gives nothing. */
static inline float rvi_batch_through(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                      const rvi_batch_place *p, int x, int y, float top, float want,
                                      float rock, int32_t *room) {
    size_t cells = (size_t)r->land_width * (size_t)r->land_height, cell = rvi_batch_cell(r, x, y);
    float taken = 0.0f;
    int64_t above = 0;
    for (int l = r->layers - 1; l >= 0; l--) {
        int32_t depth = l > 0 ? g->depth[(size_t)(l - 1) * cells + cell] : 0;
        if (l > 0 && depth <= 0)
            continue; /* none of it here: it protects nothing */
        float soft = g->soft[l] * rvi_batch_other(g, x, y, top - (float)above);
        soft *= l == 0 ? rock : 1.0f;
        if (!(soft > 0.0f)) {
            *room = above < *room ? (int32_t)above : *room;
            return taken;
        }
        float there = (float)depth * p->part, loss = want * soft;
        taken += want > 0.0f && rvi_layer_used_up(&want, loss, there, l == 0) ? there : loss;
        above += depth;
    }
    return taken;
}

/* How thick the layers on the bedrock are. */
static inline float rvi_batch_cover(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                    size_t cell) {
    size_t cells = (size_t)r->land_width * (size_t)r->land_height;
    float cover = 0.0f;
    for (int l = 1; l < r->layers; l++)
        cover += (float)g->depth[(size_t)(l - 1) * cells + cell];
    return cover;
}

/* Takes up to the amount around the drop from cells above where it goes, which weigh `sum`. */
static inline void rvi_batch_take(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                  const rvi_batch_place *p, const rvi_batch_deal *deal, int64_t sum,
                                  rvi_batch_given *given) {
    float level = deal->level, steep = deal->steep, share = deal->amount / (float)sum;
    int end = rvi_batch_last_row(r, p);
    RVI_BATCH_EACH_ROW(g, y, rvi_batch_first_row(p), end) {
        const rvi_batch_row row = rvi_batch_row_of(r, p, y);
        float dy = row.dy, dy2 = dy * dy;
        RVI_BATCH_EACH_COLUMN(g, x, row.first, row.last) {
            size_t i = rvi_batch_at(r, x, y);
            float dx = (float)(x - p->x) - p->u, weight = rvi_batch_weight(p, dx, dy2);
            int32_t ground = g->ground[i], room = ground - r->floor;
            float h = (float)(ground - p->ref), top = (h - level) * p->part;
            float want = (float)rvi_batch_weight_above(r, weight, h, level, steep) * share;
            if (!(want > 0.0f))
                continue;
            want *= g->factor ? g->factor[i] : 1.0f;
            float plane = p->height + (p->gx * dx + p->gy * dy) + (float)p->ref;
            const bool on_map = rvi_batch_on_map(r, x, y);
            if (r->layers > 1 && on_map) {
                float cover = rvi_batch_cover(g, r, rvi_batch_cell(r, x, y));
                float rock = rvi_batch_rock(g, r, i, x, y, plane - cover);
                want = rvi_batch_through(g, r, p, x, y, h + (float)p->ref, rvi_minf(want, top),
                                         rock, &room);
            } else {
                want *= rvi_batch_rock(g, r, i, x, y, plane) *
                        rvi_batch_other(g, x, y, h + (float)p->ref);
                want = rvi_minf(want, top);
            }
            int32_t by = rvi_batch_part(p, want, room);
            if (by <= 0)
                continue;
            rvi_batch_add(g->change + i, -by);
            given->all += by;
            given->on_map += on_map ? by : 0;
        }
    }
}

/* ---- laying down ---- */

/* Rounding must not make the shares of all cells more than there is to share. */
#define RVI_BATCH_SHARED (1.0f - 0x1p-14f)

static inline void rvi_batch_lay_cell(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                      const rvi_batch_place *p, const rvi_batch_deal *deal, int x,
                                      int y, float amount, rvi_batch_given *given) {
    size_t i = rvi_batch_at(r, x, y);
    bool on_map = rvi_batch_on_map(r, x, y);
    int32_t ground = g->ground[i];
    float below = deal->level - (float)(ground - p->ref);
    if (!(below > 0.0f))
        return;
    amount *= deal->steep > 0.0f ? rvi_minf(below * deal->steep, 1.0f) : 1.0f;
    amount = rvi_minf(amount, below * p->part);
    if (g->mask && on_map)
        amount *= g->mask[rvi_batch_cell(r, x, y)];
    int32_t by = rvi_batch_part(p, amount, RVI_BATCH_RANGE - ground);
    if (by <= 0)
        return;
    rvi_batch_add(g->change + i, by);
    rvi_batch_add_long(g->laid, i, (uint32_t)by);
    given->all += by;
    given->on_map += on_map ? by : 0;
}

/* What was taken from the apron is not of the map: where it is laid on the map it counts as raised.
 * What was taken from the map and comes to lie in the apron has left the map. */
static inline void rvi_batch_book(const rvi_batch_rules *r, rvi_batch_drop *d,
                                  const rvi_batch_given *given) {
    int64_t own = given->all, laid = given->on_map;
#ifndef __OPENCL_VERSION__
    assert(given->all <= d->sediment);
#endif
    if (given->all <= 0)
        return;
    if (r->margin > 0) {
        own = (int64_t)((float)d->own * ((float)given->all / (float)d->sediment));
        own = own > given->all ? given->all : own;
        own = own > d->own ? d->own : own;
        laid = (int64_t)((float)given->on_map * ((float)own / (float)given->all));
        laid = laid > given->on_map ? given->on_map : laid;
        laid = laid > own ? own : laid;
    }
    d->sediment -= given->all;
    d->own -= own;
    d->deposited += laid;
    d->raised += given->on_map - laid;
    d->left_map += own - laid;
}

/* Lays the amount on the cells near the drop. */
static inline void rvi_batch_lay(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                 const rvi_batch_drop *d, const rvi_batch_place *p,
                                 const rvi_batch_deal *deal, rvi_batch_given *given) {
    const rvi_batch_axis ax = rvi_batch_axis_of(d->x, r->near, r->width);
    const rvi_batch_axis ay = rvi_batch_axis_of(d->y, r->near, r->height);
    float amount = deal->amount * (RVI_BATCH_SHARED / (ax.sum * ay.sum));
    RVI_BATCH_EACH_ROW(g, y, ay.first, ay.last)
    RVI_BATCH_EACH_COLUMN(g, x, ax.first, ax.last)
    rvi_batch_lay_cell(g, r, p, deal, x, y,
                       amount * (rvi_batch_tent(&ay, y) * rvi_batch_tent(&ax, x)), given);
}

/* Those cells of the disc that count; share 0: only weighs them. */
static inline int64_t rvi_batch_lay_disc(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                         const rvi_batch_place *p, const rvi_batch_deal *deal,
                                         float share, rvi_batch_given *given) {
    int64_t sum = 0;
    int end = rvi_batch_last_row(r, p);
    RVI_BATCH_EACH_ROW(g, y, rvi_batch_first_row(p), end) {
        RVI_GRID const int32_t *ground = g->ground + rvi_batch_at(r, 0, y);
        const rvi_batch_row row = rvi_batch_row_of(r, p, y);
        RVI_BATCH_EACH_COLUMN(g, x, row.first, row.last) {
            float dx = (float)(x - p->x) - p->u;
            int32_t weight = (int32_t)rvi_batch_weight(p, dx, row.dy * row.dy);
            if (weight <= 0 || !((float)(ground[x] - p->ref) < deal->weighed))
                continue;
            sum += weight;
            if (share > 0.0f)
                rvi_batch_lay_cell(g, r, p, deal, x, y, share * (float)weight, given);
        }
    }
    return sum;
}

/* Of what a drop carries, what is left to rounding. */
#define RVI_BATCH_TRIFLE 1024

/* All comes to rest around the drop: below the place it came from, as far as there is room for it,
 * else anywhere. */
static inline rvi_batch_deal rvi_batch_lay_all(const rvi_batch_drop *d, const rvi_batch_place *p,
                                               int64_t trifle, int level) {
    rvi_batch_deal deal = {RVI_BATCH_NOTHING, 0.0f, 0.0f, 0.0f, 0.0f};
    deal.kind = d->sediment > trifle ? RVI_BATCH_LAY_ALL : RVI_BATCH_NOTHING;
    deal.level = (float)level - (float)p->ref;
    deal.weighed = deal.level;
    return deal;
}

/* Takes or lays down: a turn. meeting: the first of eight places for sums. */
static inline void rvi_batch_trade(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                   rvi_batch_drop *d, const rvi_batch_place *p,
                                   const rvi_batch_deal *deal, int meeting) {
    rvi_batch_given given = {0, 0};
    int64_t sum = 0, none = 0;
    if (deal->kind == RVI_BATCH_TAKE)
        sum = rvi_batch_weigh_above(g, r, p, deal->level, deal->steep);
    else if (deal->kind == RVI_BATCH_LAY_ALL)
        sum = rvi_batch_lay_disc(g, r, p, deal, 0.0f, &given);
    rvi_batch_total(g, meeting, &sum, &none);
    if (deal->kind == RVI_BATCH_TAKE && sum > 0)
        rvi_batch_take(g, r, p, deal, sum, &given);
    else if (deal->kind == RVI_BATCH_LAY_ALL && sum > 0)
        rvi_batch_lay_disc(g, r, p, deal, RVI_BATCH_SHARED * (float)d->sediment / (float)sum,
                           &given);
    else if (deal->kind == RVI_BATCH_LAY)
        rvi_batch_lay(g, r, d, p, deal, &given);
    rvi_batch_total(g, meeting + 4, &given.all, &given.on_map);
    if (deal->kind == RVI_BATCH_TAKE) {
        d->sediment += given.all;
        d->own += given.on_map;
        d->eroded += given.on_map;
    } else {
        rvi_batch_book(r, d, &given);
    }
}

/* As fill_level.h: not above where it came from, nor above its slope beside lower ground. */
static inline float rvi_batch_fill_level(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                         const rvi_batch_place *p, float came, bool asked) {
    int reach = r->near > 1.0f ? -(int)rvi_floorf(-r->near) + 2 : 1;
    int x0 = rvi_maxi(p->x - reach, 0), x1 = rvi_mini(p->x + 1 + reach, r->width - 1);
    int y0 = rvi_maxi(p->y - reach, 0), y1 = rvi_mini(p->y + 1 + reach, r->height - 1);
    int32_t low = p->ref;
    y1 = asked ? y1 : y0 - 1;
    RVI_BATCH_EACH_ROW(g, y, y0, y1) {
        RVI_GRID const int32_t *row = g->ground + rvi_batch_at(r, 0, y);
        RVI_BATCH_EACH_COLUMN(g, x, x0, x1)
        low = row[x] < low ? row[x] : low;
    }
    low = rvi_batch_lowest(g, low);
    float moves = 1.0f + (float)(reach + 1) / r->move;
    return rvi_minf(came, (float)(low - p->ref) + moves * (came - p->height));
}

/* ---- a drop from its fall to its end ---- */

/* Lets the next drop of a slot fall; without one the slot is empty. */
static inline void rvi_batch_start(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                   RVI_GRID rvi_batch_slot *slot, rvi_batch_drop *d) {
    uint64_t number = slot->next;
    bool hit = false;
    while (number < r->tries && !hit) {
        hit = rvi_fall_place(&r->squares, number, number < r->whole, &d->x, &d->y, &d->bits);
        number += r->slots;
        if (!hit)
            rvi_batch_count(g->ended);
    }
    slot->next = number;
    d->step = hit ? 0 : -1;
    if (!hit)
        return;
    rvi_fall_rain(&r->squares, g->rain_cells, g->rain_rows, &d->x, &d->y);
    d->dx = d->dy = 0.0f;
    d->speed = r->first_speed;
    d->water = r->first_water;
    d->sediment = d->own = 0;
    d->came = RVI_BATCH_RANGE;
}

enum { RVI_BATCH_OVER_EDGE, RVI_BATCH_IN_PIT, RVI_BATCH_AT_END, RVI_BATCH_GOES_ON };

/* What it carries of the map stays suspended, or has left the map. */
static inline void rvi_batch_end(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                 RVI_GRID rvi_batch_slot *slot, rvi_batch_drop *d, int why) {
    bool over_land = why != RVI_BATCH_OVER_EDGE && rvi_batch_on_map(r, (int)d->x, (int)d->y);
    if (over_land)
        d->suspended += d->own;
    else
        d->left_map += d->own;
    slot->ends[over_land ? why : RVI_BATCH_OVER_EDGE]++;
    rvi_batch_count(g->ended);
    rvi_batch_start(g, r, slot, d);
}

/* Is there a cell to the east and south of a place? */
static inline bool rvi_batch_inside(const rvi_batch_rules *r, float x, float y) {
    return x >= 0.0f && y >= 0.0f && x < (float)(r->width - 1) && y < (float)(r->height - 1);
}

/* The nearest place that has. */
static inline void rvi_batch_keep_inside(const rvi_batch_rules *r, float *x, float *y) {
    *x = rvi_clampf(*x, 0.0f, (float)(r->width - 1) * (1.0f - 0x1p-23f));
    *y = rvi_clampf(*y, 0.0f, (float)(r->height - 1) * (1.0f - 0x1p-23f));
}

/* Drops in the blocks up to so many beside that of a drop. */
static inline int rvi_batch_around(const rvi_batch_rules *r, RVI_GRID const uint32_t *block,
                                   int beside) {
    int around = 0;
    for (int y = -beside; y <= beside; y++)
        for (int x = -beside; x <= beside; x++)
            around += (int)block[y * r->blocks + x];
    return around;
}

static inline rvi_batch_place rvi_batch_place_of(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                                 const rvi_batch_round *t,
                                                 const rvi_batch_drop *d) {
    rvi_batch_place p;
    RVI_GRID const uint32_t *block = g->crowd + rvi_batch_block(r, d->x, d->y, t->now_x, t->now_y);
    p.part = 1.0f / (float)*block;
    p.around = rvi_batch_around(r, block, 1);
    p.reach = r->reach;
    p.radius = r->radius;
    p.per_radius = r->per_radius;
    p.x = (int)d->x;
    p.y = (int)d->y;
    p.u = d->x - (float)p.x;
    p.v = d->y - (float)p.y;
    p.ref = g->ground[rvi_batch_at(r, p.x, p.y)];
    return p;
}

/* From here on the drop uses the disc of its end. */
static inline void rvi_batch_widen(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                   const rvi_batch_round *t, const rvi_batch_drop *d,
                                   rvi_batch_place *p) {
    p->around =
        rvi_batch_around(r, g->crowd + rvi_batch_block(r, d->x, d->y, t->now_x, t->now_y), 2);
    p->reach = r->last_reach;
    p->radius = r->last_radius;
    p->per_radius = r->per_last;
}

/* What a slot does in a round: a step reads its drop, moves it and writes it. Without a drop in it
 * a crew comes to its meetings all the same: false. Members one by one: some compilers for devices
 * lose copies of whole structs. */
static inline bool rvi_batch_read(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                  RVI_GRID const rvi_batch_slot *slot, bool there,
                                  rvi_batch_drop *d) {
    const bool idle = !there || slot->step < 0;
    d->step = idle ? r->most_moves : slot->step;
    d->x = idle ? 0.0f : slot->x, d->y = idle ? 0.0f : slot->y, d->dx = slot->dx, d->dy = slot->dy;
    d->speed = slot->speed, d->water = slot->water, d->came = slot->came;
    d->sediment = idle ? 0 : slot->sediment, d->own = slot->own, d->bits = slot->bits;
    d->eroded = d->deposited = d->left_map = d->suspended = d->raised = 0;
    rvi_batch_meet(g); /* all have read the slot, which changes from here on */
    return !idle;
}

/* `why` it ended, if it does not go on. */
static inline void rvi_batch_write(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                   const rvi_batch_round *t, RVI_GRID rvi_batch_slot *slot,
                                   rvi_batch_drop *d, int why) {
    if (!rvi_batch_leads(g))
        return;
    if (why != RVI_BATCH_GOES_ON)
        rvi_batch_end(g, r, slot, d, why);
    slot->step = d->step;
    slot->x = d->x, slot->y = d->y, slot->dx = d->dx, slot->dy = d->dy;
    slot->speed = d->speed, slot->water = d->water, slot->came = d->came;
    slot->sediment = d->sediment, slot->own = d->own, slot->bits = d->bits;
    slot->eroded += d->eroded, slot->deposited += d->deposited, slot->left_map += d->left_map;
    slot->suspended += d->suspended, slot->raised += d->raised;
    if (d->step >= 0)
        rvi_batch_count(g->crowd_next + rvi_batch_block(r, d->x, d->y, t->next_x, t->next_y));
}

/* The first drop of a slot. */
static inline void rvi_batch_begin(const rvi_batch_grids *g, const rvi_batch_rules *r,
                                   const rvi_batch_round *t, RVI_GRID rvi_batch_slot *slot,
                                   uint64_t number) {
    rvi_batch_drop d;
    slot->next = number;
    rvi_batch_start(g, r, slot, &d);
    slot->step = d.step;
    if (d.step < 0)
        return;
    slot->x = d.x, slot->y = d.y, slot->dx = d.dx, slot->dy = d.dy;
    slot->speed = d.speed, slot->water = d.water, slot->came = d.came;
    slot->sediment = d.sediment, slot->own = d.own, slot->bits = d.bits;
    rvi_batch_count(g->crowd_next + rvi_batch_block(r, d.x, d.y, t->next_x, t->next_y));
}

#endif
