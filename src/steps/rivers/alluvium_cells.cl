/* alluvium_cells.cl: alluvium.c on a device. Each operation is that of the processor, on the same
 * numbers. */
#include "device/prelude.cl"
#include "steps/rivers/alluvium_cell.h"
#include "steps/rivers/alluvium_shape.h"
#include "wear/flow_walk.h"

/* ---- along the rivers ---- */

static size_t bury_receiver(const rvi_alluvium_law *law, size_t cell, int k) {
    return (size_t)((long)cell + rvi_flow_south(k) * (long)law->width + rvi_flow_east(k));
}

/* What does not hang on the receiver. */
__kernel void bury_beds(__global const uint *restrict area, __global const float *restrict wide,
                        __global double *restrict slopes, __global double *restrict depths,
                        rvi_alluvium_law law, ulong count) {
    size_t i = get_global_id(0);
    if (i >= count)
        return;
    const rvi_bed_law bed = rvi_alluvium_bed(&law, area[i], wide ? wide[i] : 0.0f);
    slopes[i] = bed.slope;
    depths[i] = bed.deep;
}

__kernel void bank_heights(__global const uchar *restrict direction,
                           __global const uint *restrict area, __global const float *restrict loose,
                           __global double *restrict banks, rvi_alluvium_law law) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)law.width + (size_t)x;
    if (x >= law.width)
        return;
    int k = direction[i];
    if (k == RVI_END)
        return;
    size_t to = bury_receiver(&law, i, k);
    banks[i] = rvi_alluvium_bank(&law, area[i], area[to], loose[i], law.distance[k >= 4]);
}

/* What both walks share: water of each place of the tile, once it is known, in memory of the group;
 * that of the receiver if it lies in another tile. */
typedef struct bury_ground {
    __global const double *h;
    __global double *water;
    __global const uchar *fixed, *drowned; /* drowned, basin and spill: 0 without lakes */
    __global const uint *basin;
    __global const double *spill;
    __global const double *slopes, *depths, *banks;
    __local double *known;
} bury_ground;

static double bury_below(const bury_ground *g, const flow_box *b, uint place, int k, size_t to) {
    int x = (int)(place & (RVI_TILE - 1)) + rvi_flow_east(k);
    int y = (int)(place >> RVI_TILE_BITS) + rvi_flow_south(k);
    return rvi_flow_inside(x, y, b->wide, b->high) ? g->known[y * RVI_TILE + x] : g->water[to];
}

static void bury_done(const bury_ground *g, size_t cell, uint place, double to) {
    g->water[cell] = to;
    g->known[place] = to;
}

typedef struct bury_cell {
    uint way;
    double h, h_to;
    rvi_bed_law bed;
    uchar fixed, drowned, drowned_to;
} bury_cell;

static bury_cell bury_load(const bury_ground *g, const rvi_flow_shape *f, const flow_box *b,
                           uint way) {
    bury_cell c;
    c.way = way;
    if (way == RVI_FLOW_NONE)
        return c;
    size_t cell = flow_cell_at(f, b, flow_place(way));
    c.h = g->h[cell];
    c.fixed = g->fixed[cell];
    if (flow_way(way) == RVI_END)
        return c;
    size_t to = flow_beside(f, cell, flow_way(way));
    c.h_to = g->h[to];
    c.bed.slope = g->slopes[cell];
    c.bed.deep = g->depths[cell];
    c.drowned = g->drowned ? g->drowned[cell] : 0;
    c.drowned_to = g->drowned ? g->drowned[to] : 0;
    return c;
}

static void bury_one(const bury_ground *g, const rvi_flow_shape *f, const rvi_alluvium_law *law,
                     const flow_box *b, const bury_cell *c) {
    uint place = flow_place(c->way);
    int k = flow_way(c->way);
    size_t cell = flow_cell_at(f, b, place);
    double high = c->h;
    if (k != RVI_END && !c->fixed) {
        size_t to = flow_beside(f, cell, k);
        rvi_buried_cell buried;
        buried.h = c->h;
        buried.level = c->drowned ? g->spill[g->basin[cell]] : c->h;
        buried.below = bury_below(g, b, place, k, to);
        buried.level_to = c->drowned_to ? g->spill[g->basin[to]] : c->h_to;
        buried.distance = law->distance[k >= 4];
        buried.bed = c->bed;
        buried.drowned = c->drowned;
        high = rvi_alluvium_buried(&buried);
    }
    bury_done(g, cell, place, high);
}

#define BURY_LOAD(way) bury_load(&g, &f, &s.box, way)
#define BURY_ONE(c) bury_one(&g, &f, &law, &s.box, &c)

FLOW_WALKER alluvium_bury(FLOW_WALK_ARGS, __local double *known, __global const double *restrict h,
                          __global double *water, __global const uchar *restrict fixed,
                          FLOW_LAKES_ARGS, __global const double *restrict slopes,
                          __global const double *restrict depths, rvi_alluvium_law law) {
    const bury_ground g = {h, water, fixed, drowned, basin, spill, slopes, depths, 0, known};
    flow_step s = flow_step_of_group(&f, steps, ends, first);
    FLOW_AHEAD(bury_cell, BURY_LOAD, BURY_ONE, 0);
}

typedef struct bank_cell {
    uint way;
    double h, h_to, bank;
    uchar fixed, drowned;
} bank_cell;

static bank_cell bank_load(const bury_ground *g, const rvi_flow_shape *f, const flow_box *b,
                           uint way) {
    bank_cell c;
    c.way = way;
    if (way == RVI_FLOW_NONE)
        return c;
    size_t cell = flow_cell_at(f, b, flow_place(way));
    c.h = g->h[cell];
    c.fixed = g->fixed[cell];
    if (flow_way(way) == RVI_END)
        return c;
    c.h_to = g->h[flow_beside(f, cell, flow_way(way))];
    c.bank = g->banks[cell];
    c.drowned = g->drowned ? g->drowned[cell] : 0;
    return c;
}

static void bank_one(const bury_ground *g, const rvi_flow_shape *f, const rvi_alluvium_law *law,
                     const flow_box *b, const bank_cell *c) {
    uint place = flow_place(c->way);
    int k = flow_way(c->way);
    size_t cell = flow_cell_at(f, b, place);
    double high = c->h;
    if (k != RVI_END && !c->fixed)
        high = rvi_alluvium_banked(law, c->h, c->bank,
                                   bury_below(g, b, place, k, flow_beside(f, cell, k)), c->h_to,
                                   law->distance[k >= 4], c->drowned);
    bury_done(g, cell, place, high);
}

#define BANK_LOAD(way) bank_load(&g, &f, &s.box, way)
#define BANK_ONE(c) bank_one(&g, &f, &law, &s.box, &c)

FLOW_WALKER alluvium_bank(FLOW_WALK_ARGS, __local double *known, __global const double *restrict h,
                          __global double *water, __global const uchar *restrict fixed,
                          __global const uchar *restrict drowned,
                          __global const double *restrict banks, rvi_alluvium_law law) {
    const bury_ground g = {h, water, fixed, drowned, 0, 0, 0, 0, banks, known};
    flow_step s = flow_step_of_group(&f, steps, ends, first);
    FLOW_AHEAD(bank_cell, BANK_LOAD, BANK_ONE, 0);
}

/* ---- fans ---- */

static bool fan_apex(const rvi_alluvium_law *law, __global const uchar *direction,
                     __global const uchar *fixed, __global const uint *area,
                     __global const float *wide, __global const double *h,
                     __global const double *water, size_t cell) {
    int k = direction[cell];
    if (!rvi_alluvium_river(law, area[cell], wide ? wide[cell] : 0.0f) || fixed[cell] || k == RVI_END)
        return false;
    size_t to = bury_receiver(law, cell, k);
    int then = direction[to];
    if (then == RVI_END || !(water[to] - h[to] >= RVI_THIN))
        return false;
    double fall = water[cell] - water[to];
    double after = water[to] - water[bury_receiver(law, to, then)];
    return rvi_fan_too_steep(law, area[cell], fall, k >= 4) > 0.0 &&
           rvi_fan_too_steep(law, area[to], after, then >= 4) <= 0.0;
}

/* Lists the places of fans, as they come: nothing hangs on their order. */
__kernel void fan_list(__global const uchar *restrict direction, __global const uchar *restrict fixed,
                       __global const uint *restrict area, __global const float *restrict wide,
                       __global const double *restrict h, __global const double *restrict water,
                       __global uint *restrict list,
                       __global volatile uint *count, rvi_alluvium_law law) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t cell = (size_t)y * (size_t)law.width + (size_t)x;
    if (x < law.width && fan_apex(&law, direction, fixed, area, wide, h, water, cell))
        list[atomic_inc(count)] = (uint)cell;
}

/* What all cells of a fan have. A ring has four sides: rows in the north and in the south, and
 * columns without their ends in the west and in the east. */
enum { FAN_WORDS = 8 * RVI_REACH / 32 };
typedef struct fan_ground {
    __global const uchar *fixed;
    __global const double *h, *water;
    __global volatile uint *next; /* of each cell: the lower and the upper half of the key of the
                                     highest fan, 0: there is none */
    __local volatile uint *seen;  /* a bit of each cell, of three rings */
    __local volatile int *from;   /* the first and the last cell that is seen, of their sides */
    __local volatile int *to;
    int stage; /* 0: the upper halves, 1: the lower ones of those */
} fan_ground;

/* The cells of a side that can be seen: beside those of the ring before. Columns of the second ring
 * are seen from corners, which are of rows. */
static int fan_first(const fan_ground *g, int ring, int side) {
    int end = side < 2 ? ring : ring - 1;
    return ring < 3 ? -end : rvi_maxi(g->from[(ring - 1) % 3 * RVI_FAN_SIDES + side] - 1, -end);
}

static int fan_last(const fan_ground *g, int ring, int side) {
    int end = side < 2 ? ring : ring - 1;
    return ring < 3 ? end : rvi_mini(g->to[(ring - 1) % 3 * RVI_FAN_SIDES + side] + 1, end);
}

/* Is the next cell towards the head seen, and does it lie below the fan? */
static bool fan_passes(const fan_ground *g, const rvi_alluvium_law *law, const rvi_fan *of, int dx,
                       int dy, int ring) {
    int nx = rvi_fan_nearer(dx, ring), ny = rvi_fan_nearer(dy, ring);
    int place = rvi_fan_place(nx, ny, ring - 1);
    size_t there = (size_t)(of->y + ny) * (size_t)law->width + (size_t)(of->x + nx);
    return (g->seen[(ring - 1) % 3 * FAN_WORDS + place / 32] >> place % 32 & 1) != 0 &&
           g->h[there] <= rvi_fan_at(of, nx, ny);
}

/* Does it see a cell of a ring? Then the cell is raised to the fan, on the floor. */
static bool fan_lay(const fan_ground *g, const rvi_alluvium_law *law, const rvi_fan *of, int dx,
                    int dy, int ring) {
    int x = of->x + dx, y = of->y + dy, place = rvi_fan_place(dx, dy, ring);
    if (!rvi_flow_inside(x, y, law->width, law->height) ||
        (ring > 1 && !fan_passes(g, law, of, dx, dy, ring)))
        return false;
    size_t cell = (size_t)y * (size_t)law->width + (size_t)x;
    double to = rvi_fan_at(of, dx, dy), water = g->water[cell];
    atomic_or(&g->seen[ring % 3 * FAN_WORDS + place / 32], 1u << place % 32);
    if (water > g->h[cell] && to > water && !g->fixed[cell]) {
        ulong key = rvi_flow_height_key(to);
        if (g->stage == 0)
            atomic_max(&g->next[2 * cell + 1], (uint)(key >> 32));
        else if (g->next[2 * cell + 1] == (uint)(key >> 32))
            atomic_max(&g->next[2 * cell], (uint)key);
    }
    return true;
}

/* One ring, all sides at once. False: no cell of it can be seen. */
static bool fan_lay_ring(const fan_ground *g, const rvi_alluvium_law *law, const rvi_fan *of,
                         int ring) {
    int within = rvi_fan_side(of, ring), count = 0;
    int shift[RVI_FAN_SIDES], end[RVI_FAN_SIDES], low[RVI_FAN_SIDES], high[RVI_FAN_SIDES];
    for (int side = 0; side < RVI_FAN_SIDES; side++) {
        int first = rvi_maxi(fan_first(g, ring, side), -within);
        shift[side] = first - count;
        count += rvi_maxi(rvi_mini(fan_last(g, ring, side), within) - first + 1, 0);
        end[side] = count;
        low[side] = RVI_REACH + 1;
        high[side] = -low[side];
    }
    for (int i = (int)get_local_id(0); i < count; i += RVI_FAN_GROUP) {
        int side = (i >= end[0]) + (i >= end[1]) + (i >= end[2]), out = side % 2 ? ring : -ring;
        int at = i + (side == 0   ? shift[0]
                      : side == 1 ? shift[1]
                      : side == 2 ? shift[2]
                                  : shift[3]);
        if (!fan_lay(g, law, of, side < 2 ? at : out, side < 2 ? out : at, ring))
            continue;
        for (int k = 0; k < RVI_FAN_SIDES; k++) {
            low[k] = k == side && at < low[k] ? at : low[k];
            high[k] = k == side && at > high[k] ? at : high[k];
        }
    }
    for (int side = 0; side < RVI_FAN_SIDES; side++)
        if (low[side] <= high[side]) {
            atomic_min(&g->from[ring % 3 * RVI_FAN_SIDES + side], low[side]);
            atomic_max(&g->to[ring % 3 * RVI_FAN_SIDES + side], high[side]);
        }
    return count > 0;
}

/* The next ring finds none of its cells seen. */
static void fan_clear(const fan_ground *g, int ring) {
    int item = (int)get_local_id(0);
    for (int word = item; word * 4 < ring; word += RVI_FAN_GROUP)
        g->seen[ring % 3 * FAN_WORDS + word] = 0;
    if (item < RVI_FAN_SIDES) {
        g->from[ring % 3 * RVI_FAN_SIDES + item] = 2 * RVI_REACH;
        g->to[ring % 3 * RVI_FAN_SIDES + item] = -2 * RVI_REACH;
    }
}

/* A group a fan, ring by ring. */
__kernel __attribute__((reqd_work_group_size(RVI_FAN_GROUP, 1, 1))) void
fan_rings(__global const uchar *restrict direction, __global const uchar *restrict fixed,
          __global const uint *restrict area, __global const double *restrict h,
          __global const double *restrict water, __global const uint *restrict list,
          __global volatile uint *next, __local volatile uint *seen, __local volatile int *from,
          __local volatile int *to, rvi_alluvium_law law, int stage) {
    const fan_ground g = {fixed, h, water, next, seen, from, to, stage};
    size_t cell = list[get_group_id(0)];
    int k = direction[cell];
    const rvi_fan of = rvi_fan_of(&law, area[cell], water[bury_receiver(&law, cell, k)], k >= 4,
                                  (int)(cell % (size_t)law.width), (int)(cell / (size_t)law.width));
    bool any = true;
    fan_clear(&g, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int ring = 1; any && ring <= of.reach; ring++) {
        if (ring < of.reach)
            fan_clear(&g, ring + 1);
        any = fan_lay_ring(&g, &law, &of, ring);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void fan_raise(__global const uint2 *restrict next, __global double *restrict water,
                        ulong count) {
    size_t i = get_global_id(0);
    if (i >= count)
        return;
    ulong key = (ulong)next[i].y << 32 | next[i].x;
    if (key != 0)
        water[i] = rvi_from_bits(key >> 63 ? key ^ 1ul << 63 : ~key);
}

/* ---- over divides ---- */

enum { SPILL_WIDE = RVI_SPILL_TILE + 2, SPILL_ROWS = RVI_SPILL_GROUP / RVI_SPILL_TILE };
enum { SPILL_EACH = RVI_SPILL_TILE / SPILL_ROWS };

static double spill_beside(__local const volatile double *a, int at, const rvi_alluvium_law *law) {
    double sides = rvi_least(rvi_least(a[at - 1], a[at + 1]),
                             rvi_least(a[at - SPILL_WIDE], a[at + SPILL_WIDE]));
    double corners = rvi_least(rvi_least(a[at - SPILL_WIDE - 1], a[at - SPILL_WIDE + 1]),
                               rvi_least(a[at + SPILL_WIDE - 1], a[at + SPILL_WIDE + 1]));
    return rvi_least(sides + RVI_FRONT * law->distance[0], corners + RVI_FRONT * law->distance[1]);
}

/* The tile, and a cell around it. */
static void spill_load(__local volatile double *a, __global const double *water,
                       const rvi_alluvium_law *law, int left, int top) {
    for (int i = (int)get_local_id(0); i < SPILL_WIDE * SPILL_WIDE; i += RVI_SPILL_GROUP) {
        int x = left + i % SPILL_WIDE - 1, y = top + i / SPILL_WIDE - 1;
        a[i] = rvi_flow_inside(x, y, law->width, law->height)
                   ? water[(size_t)y * (size_t)law->width + (size_t)x]
                   : 1e300;
    }
}

/* The tiles beside a cell have to look at it. */
static void spill_wake(__global uchar *busy, __global volatile uint *wakes, int across, int down,
                       int tile_x, int tile_y, int x, int y) {
    int east = x == 0 ? -1 : x == RVI_SPILL_TILE - 1 ? 1 : 0;
    int south = y == 0 ? -1 : y == RVI_SPILL_TILE - 1 ? 1 : 0;
    for (int k = 1; k < 4; k++) {
        int to_x = tile_x + (k & 1 ? east : 0), to_y = tile_y + (k & 2 ? south : 0);
        if ((to_x == tile_x && to_y == tile_y) || !rvi_flow_inside(to_x, to_y, across, down))
            continue;
        busy[to_y * across + to_x] = 1;
        *wakes = 1; /* whoever writes it */
    }
}

/* A group a tile, of every second one in both directions: until nothing in it moves. */
__kernel __attribute__((reqd_work_group_size(RVI_SPILL_GROUP, 1, 1))) void
spill_tiles(__global const double *restrict h, __global double *water, __global uchar *busy,
            __global volatile uint *wakes, __local volatile double *a, __local volatile uint *moved,
            rvi_alluvium_law law, int odd_x, int odd_y) {
    int across = (law.width + RVI_SPILL_TILE - 1) / RVI_SPILL_TILE;
    int down = (law.height + RVI_SPILL_TILE - 1) / RVI_SPILL_TILE;
    int tile_x = 2 * (int)get_group_id(0) + odd_x, tile_y = 2 * (int)get_group_id(1) + odd_y;
    int tile = tile_y * across + tile_x, item = (int)get_local_id(0), turn = 0;
    int x = item % RVI_SPILL_TILE, first = item / RVI_SPILL_TILE;
    int left = tile_x * RVI_SPILL_TILE, top = tile_y * RVI_SPILL_TILE;
    bool inside = tile_x < across && tile_y < down && busy[tile];
    double land[SPILL_EACH], was[SPILL_EACH], to[SPILL_EACH];
    if (!inside)
        return;
    spill_load(a, water, &law, left, top);
    if (item < 3)
        moved[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (item == 0)
        busy[tile] = 0;
    for (int j = 0; j < SPILL_EACH; j++) {
        int y = first + j * SPILL_ROWS;
        bool there = left + x < law.width && top + y < law.height;
        was[j] = a[(y + 1) * SPILL_WIDE + x + 1];
        land[j] = there ? h[(size_t)(top + y) * (size_t)law.width + (size_t)(left + x)] : 1e300;
        to[j] = was[j];
    }
    do {
        for (int j = 0; j < SPILL_EACH; j++) {
            int at = (first + j * SPILL_ROWS + 1) * SPILL_WIDE + x + 1;
            to[j] = to[j] > land[j] ? rvi_spill_to(land[j], to[j], spill_beside(a, at, &law)) : to[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        turn = (turn + 1) % 3;
        for (int j = 0; j < SPILL_EACH; j++) {
            int at = (first + j * SPILL_ROWS + 1) * SPILL_WIDE + x + 1;
            if (to[j] < a[at]) {
                a[at] = to[j];
                moved[turn] = 1;
            }
        }
        if (item == 0)
            moved[(turn + 1) % 3] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (moved[turn]);
    for (int j = 0; j < SPILL_EACH; j++) {
        int y = first + j * SPILL_ROWS;
        if (!(to[j] < was[j]))
            continue;
        water[(size_t)(top + y) * (size_t)law.width + (size_t)(left + x)] = to[j];
        spill_wake(busy, wakes, across, down, tile_x, tile_y, x, y);
    }
}

/* With a mask: from how high alluvium lies to how high it will stand, and back. */
__kernel void spill_hold(__global const double *restrict h, __global double *restrict water,
                         __global double *restrict next, __global const float *restrict mask,
                         ulong count) {
    size_t i = get_global_id(0);
    if (i >= count)
        return;
    next[i] = water[i];
    water[i] = rvi_spill_laid(h[i], water[i], mask[i]);
}

__kernel void spill_give(__global const double *restrict h, __global const double *restrict water,
                         __global double *restrict next, __global const float *restrict mask,
                         rvi_alluvium_law law) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)law.width + (size_t)x;
    double sides = 1e300, corners = 1e300;
    if (x >= law.width)
        return;
    for (int k = 0; k < 8; k++) {
        int nx = x + rvi_flow_east(k), ny = y + rvi_flow_south(k);
        if (!rvi_flow_inside(nx, ny, law.width, law.height))
            continue;
        double laid = water[(size_t)ny * (size_t)law.width + (size_t)nx];
        if (k < 4)
            sides = rvi_least(laid, sides);
        else
            corners = rvi_least(laid, corners);
    }
    double beside =
        rvi_least(sides + RVI_FRONT * law.distance[0], corners + RVI_FRONT * law.distance[1]);
    next[i] = rvi_spill_water(h[i], next[i], water[i], beside, mask[i]);
}

/* ---- sideways ---- */

__kernel void alluvium_loosen(__global const double *restrict h, __global const double *restrict water,
                              __global const uchar *restrict fixed, __global float *restrict loose,
                              __global double *restrict next, __global double *restrict risen,
                              rvi_alluvium_law law) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)law.width + (size_t)x;
    if (x >= law.width)
        return;
    loose[i] = rvi_alluvium_moves(h, water, fixed, law.width, law.height, x, y);
    next[i] = water[i];
    risen[i] = water[i];
}

__kernel void alluvium_settle(__global const double *restrict h, __global const double *restrict risen,
                              __global const double *restrict next, __global double *restrict water,
                              rvi_alluvium_law law) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t i = (size_t)y * (size_t)law.width + (size_t)x;
    if (x < law.width)
        water[i] = rvi_alluvium_moved(h, risen, next[i], law.width, law.height, x, y);
}
