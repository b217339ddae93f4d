/* river_cells.cl: time steps of rivers.c on a device, where no function says how ground is worn. Each operation is that of the processor, on the same
 * numbers: river_cut.c, river_slide.c, hillslope.c, floodplain.c and river_levels.c tell what they
 * are for. */
#include "device/prelude.cl"
#include "steps/rivers/river_cell.h"
#include "steps/rivers/river_shape.h"
#include "wear/bedrock_cell.h"
#include "wear/flow_walk.h"

static double river_factor(__global const float *factor, size_t cell) {
    return factor ? (double)factor[cell] : 1.0;
}

static double river_open(__global const float *mask, size_t cell) {
    return mask ? (double)mask[cell] : 1.0;
}

static double river_uplift(__global const float *uplift, size_t cell, double by) {
    return uplift ? by * (double)uplift[cell] : by;
}

/* ---- layers, and bedrock that has bands or is as soft as a layer says ---- */

typedef struct river_rock {
    __global double *bed; /* its top; 0: as high as the land, and even */
    bedrock_grids bedrock;
    __global const float *yields; /* how soft each layer is */
    __global float *stack;        /* thickness of layer l, above the bedrock, at (l - 1) * cells */
    __global double *owed;        /* to them, by rounding, metres */
    int layers;
    ulong cells;
} river_rock;

static double river_soft(const river_rock *k, size_t cell, double bed) {
    return (double)k->yields[0] * (double)bedrock_soft(&k->bedrock, cell, (float)bed);
}

static __global float *river_layer(const river_rock *k, size_t cell, int layer) {
    return &k->stack[(size_t)(layer - 1) * (size_t)k->cells + cell];
}

/* The factor of a layer, besides that of the cell. */
static double river_yields(const river_rock *k, size_t cell, int layer, double bed) {
    return layer > 0 ? (double)k->yields[layer] : river_soft(k, cell, bed);
}

/* Raises the top layer of a cell or takes from its layers from the top: rvi_rivers_shift(). */
static void river_shift(const river_rock *k, size_t cell, double by, double *h, double *bed) {
    *h += by;
    for (int l = k->layers - 1; l > 0; l--) {
        double now = (double)*river_layer(k, cell, l) + by;
        if (now >= 0.0) {
            double rounded = by + k->owed[cell];
            *river_layer(k, cell, l) = rvi_river_thickness(*river_layer(k, cell, l), &rounded);
            bool hard = rounded != 0.0 && !(river_soft(k, cell, *bed) > 0.0);
            k->owed[cell] = hard ? rounded : 0.0;
            *bed += hard ? 0.0 : rounded;
            return;
        }
        by = now;
        *river_layer(k, cell, l) = 0.0f;
    }
    *bed += by;
}

/* How much of what would slide may: nothing of a layer that nothing takes from, nor below it. */
static double river_may_slide(const river_rock *k, size_t cell, double down, double bed) {
    double there = 0.0;
    for (int l = k->layers - 1; l >= 0 && there < down; l--) {
        if (!(river_yields(k, cell, l, bed) > 0.0))
            return there;
        there += l > 0 ? (double)*river_layer(k, cell, l) : 1e30;
    }
    return down;
}

/* How high ground is after it slid. */
static double river_slid(const river_rock *k, size_t cell, double was, double to, double *bed) {
    if (!k->bed)
        return to;
    double down = river_may_slide(k, cell, was - to, *bed);
    if (down > 0.0)
        river_shift(k, cell, -down, &was, bed);
    return was;
}

/* How far a river can cut until it comes to the next layer, or the next band of the bedrock. */
static double river_cut_through(const river_rock *k, size_t cell, int layer, int bands,
                                double bed) {
    if (layer > 0)
        return (double)*river_layer(k, cell, layer);
    const bedrock_grids *rock = &k->bedrock;
    if (!rock->bands || bands == RVI_CUT_BANDS)
        return 1e30;
    return rvi_band_left(rock->law->edge, rock->law->thickness, (float)bed - rock->bands[cell]);
}

/* The slope after the time step, with what is left of the time when a layer or a band is cut
 * through. */
static double river_cut_layers(const river_rock *k, size_t cell, double s0, double g, double factor,
                               double distance, double power, double *bed) {
    double s = s0, time = 1.0;
    int bands = 0;
    for (int l = k->layers - 1; l >= 0;) {
        double has = river_cut_through(k, cell, l, bands, *bed);
        if (has > 0.0) {
            double yields = factor * river_yields(k, cell, l, *bed);
            double loss = (s - rvi_river_slope_after(s, g * time * yields, power)) * distance;
            double takes = loss <= has ? loss : has;
            if (l > 0) {
                *river_layer(k, cell, l) = (float)(has - takes);
                s -= (has - (double)*river_layer(k, cell, l)) / distance;
            } else {
                *bed -= takes;
                s -= takes / distance;
            }
            if (loss <= has)
                break;
            time *= 1.0 - has / loss;
        }
        bands += l == 0;
        l -= l > 0;
    }
    return s;
}

#define ROCK_ARGS                                                                                  \
    __global double *bed, BEDROCK_ARGS, __global const float *restrict yields, __global float *stack,\
        __global double *owed, rvi_rock_law rock_law
#define ROCK_OF(count)                                                                             \
    {bed, BEDROCK, yields, stack, owed, count, rock_law.cells}
#define ROCK ROCK_OF(rock_law.layers)

/* ---- how deep rivers cut ---- */

/* How much drains through a cell where a river begins, in cells. */
static float river_begins(__global const float *wide, const rvi_river_law *law, size_t cell) {
    return wide ? rvi_river_begins(law->source, wide[cell], law->spacing) : law->source;
}

static double river_drained(__global const uint *area, __global const ulong *discharge,
                            __global const float *power, __global const float *wide,
                            const rvi_flow_shape *f, const rvi_river_law *law, size_t cell) {
    if (!f->rain && !wide && area[cell] < RVI_AREAS)
        return (double)power[area[cell]];
    float much = f->rain ? (float)((double)discharge[cell] * RVI_RAIN) : (float)area[cell];
    float counts = rvi_river_counts(much, law->source, river_begins(wide, law, cell));
    return (double)rvi_power(counts, law->area_power);
}

/* What does not hang on the receiver: the land rises, and what a slope of 1 would lose, or the share
 * that is left of any, is kept in `water`, where the level of a lake comes to stand. */
__kernel void river_rise(__global const uchar *restrict direction, __global const uint *restrict area,
                         __global const ulong *restrict discharge, __global const double *restrict h,
                         __global double *restrict risen, __global double *restrict water,
                         __global const float *restrict uplift, __global double *restrict lifted,
                         __global double *restrict bed, __global const float *restrict factor,
                         __global const float *restrict rock, __global const float *restrict wide,
                         __global const float *restrict power, rvi_river_law law,
                         rvi_flow_shape f) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t cell = (size_t)y * (size_t)f.width + (size_t)x;
    if (x >= f.width)
        return;
    double hh = h[cell];
    int k = direction[cell];
    if (k != RVI_END && law.rise > 0.0) {
        double by = river_uplift(uplift, cell, law.rise);
        hh += by;
        if (bed)
            bed[cell] += by;
        if (lifted)
            lifted[cell] += by;
    }
    risen[cell] = hh;
    if (k == RVI_END)
        return;
    bool river = rock && (float)area[cell] > river_begins(wide, &law, cell);
    double g = law.cut[k >= 4] * river_drained(area, discharge, power, wide, &f, &law, cell) *
               (river ? (double)rock[cell] : 1.0);
    g = factor && !bed ? g * river_factor(factor, cell) : g;
    water[cell] = !bed && law.slope_power == 1.0 ? rvi_river_share_left(g) : g;
}

typedef struct cut_ground {
    __global const uchar *direction, *drowned;
    __global const uint *area;
    __global double *h, *water, *risen;
    __global uchar *lake;
    __global const double *ahead, *load; /* ahead: river_ahead; both 0 where nothing is laid down */
    __global const float *factor, *mask, *strength, *wide;
    __local double *surface; /* of each place of the tile: of water, or of the land */
    __local uchar *wet;      /* is it water? */
} cut_ground;

/* Of a cell, what does not hang on its receiver: it is on its way while the level before is cut, so
 * nothing is done with it until then. */
typedef struct cut_cell {
    uint way; /* as in the order; RVI_FLOW_NONE: none */
    double hh, g, bb;
    double load, ahead; /* only where rivers lay down what they carry */
    float mask, strength, begins;
    uint area;
    uchar under;
} cut_cell;

static cut_cell cut_load(const cut_ground *g, const river_rock *below, const rvi_river_law *law,
                         const rvi_flow_shape *f, const flow_box *b, uint way) {
    cut_cell c;
    c.way = way;
    if (way == RVI_FLOW_NONE)
        return c;
    size_t cell = flow_cell_at(f, b, flow_place(way));
    c.hh = g->risen[cell];
    c.g = g->water[cell];
    c.bb = below->bed ? below->bed[cell] : 0.0;
    c.under = g->drowned ? g->drowned[cell] : 0;
    c.strength = g->strength ? g->strength[cell] : 1.0f;
    if (g->load) {
        c.load = g->load[cell];
        c.ahead = g->ahead[cell];
        c.mask = g->mask ? g->mask[cell] : 1.0f;
        c.area = g->area[cell];
        c.begins = river_begins(g->wide, law, cell);
    }
    return c;
}

/* What settles of the load that came by. */
static double cut_settles(const rvi_river_law *law, const cut_cell *c, double surface,
                          double distance) {
    if (!c->under) {
        double share = rvi_river_settles(c->hh - surface, distance, law->stands);
        return (float)c->area <= c->begins
                   ? 0.0
                   : law->deposition * c->load * share * (double)c->mask;
    }
    double space = (c->ahead < surface ? c->ahead : surface) - c->hh;
    double comes = c->load * (double)c->area * (double)c->mask;
    return space < comes ? space : comes;
}

/* What is laid down higher than what drains to it would be a dam: how much of it is. */
static double cut_dam(const rvi_river_law *law, const cut_cell *c, double hh, double laid,
                      double surface) {
    double least = c->ahead - 1e-4 * law->distance[0];
    double over = hh - (least > surface ? least : surface);
    return over < laid ? over : laid;
}

/* A receiver: its cell, and its place in the tile, or RVI_FLOW_NONE; is it under water? */
typedef struct cut_to {
    size_t cell;
    uint place;
    bool over;
    double surface;
} cut_to;

/* How high the ground of a receiver is that is under water now. Nothing is cut there: it rose, and
 * something may have settled on it, on bedrock as much as that. */
static double cut_bottom(const cut_ground *g, const river_rock *below, const rvi_flow_shape *f,
                         const rvi_river_law *law, const flow_box *b, const cut_to *to) {
    if (!to->over)
        return to->surface;
    if (to->place == RVI_FLOW_NONE || (g->load && below->layers > 1))
        return g->h[to->cell];
    if (!g->load)
        return g->risen[to->cell];
    int k = g->direction[to->cell];
    cut_cell c = cut_load(g, below, law, f, b, to->place | (uint)k << 2 * RVI_TILE_BITS);
    double laid = cut_settles(law, &c, g->surface[to->place], law->distance[k >= 4]);
    return laid > 0.0 ? c.hh + laid : c.hh;
}

/* The height of a cell whose receiver is done. */
static double cut_height(const cut_ground *g, const river_rock *below, const rvi_flow_shape *f,
                         const rvi_river_law *law, const flow_box *b, size_t cell, cut_cell *c,
                         const cut_to *to, bool *wet) {
    int corner = flow_way(c->way) >= 4;
    double distance = law->distance[corner], laid = 0.0, hh = c->hh, surface = to->surface;
    if (g->load) {
        laid = cut_settles(law, c, surface, distance);
        if (laid > 0.0)
            river_shift(below, cell, laid, &hh, &c->bb);
    }
    double fall = hh - surface;
    *wet = !(fall > 0.0);
    if (*wet || c->under)
        return hh;
    if (below->bed)
        hh = surface + distance * river_cut_layers(below, cell, fall / distance, c->g,
                                                   river_factor(g->factor, cell), distance,
                                                   law->slope_power, &c->bb);
    else if (law->slope_power == 1.0)
        hh = surface + fall * c->g;
    else
        hh = surface + distance * rvi_river_slope_after(fall / distance, c->g, law->slope_power);
    double over = laid > 0.0 ? cut_dam(law, c, hh, laid, surface) : 0.0;
    if (over > 0.0)
        river_shift(below, cell, -over, &hh, &c->bb);
    double stands = law->stands * (double)c->strength;
    double most = cut_bottom(g, below, f, law, b, to) + stands * distance;
    if (hh > most)
        hh = river_slid(below, cell, hh, hh - (hh - most) * river_factor(g->factor, cell), &c->bb);
    return hh;
}

static void cut_one(const cut_ground *g, const river_rock *below, const rvi_flow_shape *f,
                    const rvi_river_law *law, const flow_box *b, cut_cell *c) {
    uint place = flow_place(c->way);
    int x = (int)(place & (RVI_TILE - 1)), y = (int)(place >> RVI_TILE_BITS), k = flow_way(c->way);
    size_t cell = flow_cell_at(f, b, place);
    bool wet = false;
    double surface = 0.0, hh = c->hh;
    if (k != RVI_END) {
        int nx = x + rvi_flow_east(k), ny = y + rvi_flow_south(k);
        cut_to to;
        to.cell = flow_beside(f, cell, k);
        to.place = rvi_flow_inside(nx, ny, b->wide, b->high) ? (uint)(ny * RVI_TILE + nx)
                                                             : RVI_FLOW_NONE;
        if (to.place != RVI_FLOW_NONE) {
            to.over = g->wet[to.place];
            to.surface = g->surface[to.place];
        } else {
            to.over = g->lake[to.cell];
            to.surface = to.over ? g->water[to.cell] : g->h[to.cell];
        }
        surface = to.surface;
        hh = cut_height(g, below, f, law, b, cell, c, &to, &wet);
        g->h[cell] = hh;
        if (below->bed)
            below->bed[cell] = c->bb;
    }
    if (wet)
        g->water[cell] = surface;
    g->lake[cell] = wet;
    g->surface[place] = wet ? surface : hh;
    g->wet[place] = wet;
}

#define CUT_ARGS                                                                                   \
    FLOW_WALK_ARGS, __local double *surface, __local uchar *wet,                                   \
        __global const uchar *restrict direction, __global const uint *restrict area,              \
        __global double *h, __global uchar *lake, __global double *water,                          \
        __global const uchar *restrict drowned, __global const double *restrict ahead,             \
        __global const double *restrict load,                                                      \
        __global double *risen, __global const float *restrict factor,                             \
        __global const float *restrict mask, __global const float *restrict strength,              \
        __global const float *restrict wide, rvi_river_law law, ROCK_ARGS

#define CUT_LOAD(way) cut_load(&g, &below, &law, &f, &s.box, way)
#define CUT_ONE(c) cut_one(&g, &below, &f, &law, &s.box, &c)
#define CUT_STEP                                                                                   \
    const cut_ground g = {direction, drowned, area, h,        water, risen,   lake, ahead,         \
                          load,      factor,  mask, strength, wide,  surface, wet};                \
    flow_step s = flow_step_of_group(&f, steps, ends, first);                                      \
    FLOW_AHEAD(cut_cell, CUT_LOAD, CUT_ONE, load && below.layers > 1)

/* Bedrock alone needs no loops over layers. */
FLOW_WALKER river_cut(CUT_ARGS) {
    const river_rock below = ROCK_OF(1);
    CUT_STEP;
}

FLOW_WALKER river_cut_stack(CUT_ARGS) {
    const river_rock below = ROCK;
    CUT_STEP;
}

/* What a walk up the rivers would have to wait for, cell by cell: of a cell under a lake the level of
 * that, of others the lowest cell that drains to it and is not under one, as it has risen. */
__kernel void river_ahead(__global const uchar *restrict direction, __global const double *restrict risen,
                          FLOW_LAKES_ARGS, __global double *restrict ahead, rvi_flow_shape f) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    size_t cell = (size_t)y * (size_t)f.width + (size_t)x;
    if (x >= f.width)
        return;
    double lowest = 1e30;
    for (int k = 0; k < 8; k++) {
        size_t donor;
        if (!flow_donor(&f, direction, cell, x, y, k, &donor) || (drowned && drowned[donor]))
            continue;
        lowest = risen[donor] < lowest ? risen[donor] : lowest;
    }
    ahead[cell] = drowned && drowned[cell] ? spill[basin[cell]] : lowest;
}

__kernel void river_guess_load(__global double *restrict load, __global const float *restrict uplift,
                               double rise, ulong count) {
    size_t i = get_global_id(0);
    if (i < count)
        load[i] = rise * (uplift ? (double)uplift[i] : 1.0);
}

typedef struct carry_ground {
    __global const uchar *direction;
    __global const uint *area;
    __global double *h, *risen, *load;
    /* Of each place of the tile, and of the cells around it, which are done: */
    __local double *carried; /* what leaves it */
    __local uchar *turns;    /* where to */
} carry_ground;

/* Where a place of the tile stands there; -1 is before the first. */
static int carry_at(int x, int y) {
    return (y + 1) * RVI_CARRY_SIDE + x + 1;
}

typedef struct carry_cell {
    uint way, area;
    double risen, hh, bb, load;
} carry_cell;

static carry_cell carry_load(const carry_ground *g, const river_rock *below, const rvi_flow_shape *f,
                             const flow_box *b, uint way) {
    carry_cell c;
    c.way = way;
    if (way == RVI_FLOW_NONE)
        return c;
    size_t cell = flow_cell_at(f, b, flow_place(way));
    c.risen = g->risen[cell];
    c.hh = g->h[cell];
    c.bb = below->bed ? below->bed[cell] : 0.0;
    c.load = g->load[cell];
    c.area = g->area[cell];
    return c;
}

/* What comes to a cell, from its donors in the order of their directions. */
static double carry_comes(const carry_ground *g, int x, int y, double sum) {
    for (int k = 0; k < 8; k++) {
        int donor = carry_at(x - rvi_flow_east(k), y - rvi_flow_south(k));
        if (g->turns[donor] == k)
            sum += g->carried[donor];
    }
    return sum;
}

static void carry_one(const carry_ground *g, const river_rock *below, const rvi_flow_shape *f,
                      const flow_box *b, carry_cell *c) {
    uint place = flow_place(c->way);
    int x = (int)(place & (RVI_TILE - 1)), y = (int)(place >> RVI_TILE_BITS);
    size_t cell = flow_cell_at(f, b, place);
    double sum = carry_comes(g, x, y, c->risen);
    double load = sum - c->hh;
    g->risen[cell] = sum;
    if (flow_way(c->way) != RVI_END) {
        if (load < 0.0) {
            river_shift(below, cell, load, &c->hh, &c->bb);
            g->h[cell] = c->hh;
            if (below->bed)
                below->bed[cell] = c->bb;
        }
        load = sum - c->hh;
        g->load[cell] = 0.5 * (c->load + load / (double)c->area);
    }
    g->carried[carry_at(x, y)] = load;
}

static void carry_begin(const carry_ground *g, const rvi_flow_shape *f, const flow_box *b) {
    for (int i = (int)get_local_id(0); i < RVI_CARRY_SIDE * RVI_CARRY_SIDE;
         i += (int)get_local_size(0)) {
        int x = i % RVI_CARRY_SIDE - 1, y = i / RVI_CARRY_SIDE - 1;
        bool there = rvi_flow_inside(b->x + x, b->y + y, f->width, f->height);
        size_t cell = there ? (size_t)(b->y + y) * (size_t)f->width + (size_t)(b->x + x) : 0;
        int k = there ? g->direction[cell] : RVI_END;
        g->turns[i] = (uchar)k;
        if (k != RVI_END && !rvi_flow_inside(x, y, b->wide, b->high))
            g->carried[i] = g->risen[cell] - g->h[cell];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

#define CARRY_ARGS                                                                                 \
    FLOW_WALK_ARGS, __local double *carried, __local uchar *turns,                                 \
        __global const uchar *restrict direction, __global const uint *restrict area,              \
        __global double *h, __global double *risen, __global double *restrict load, ROCK_ARGS
#define CARRY_LOAD(way) carry_load(&g, &below, &f, &s.box, way)
#define CARRY_ONE(c) carry_one(&g, &below, &f, &s.box, &c)
#define CARRY_STEP                                                                                 \
    const carry_ground g = {direction, area, h, risen, load, carried, turns};                      \
    flow_step s = flow_step_of_group(&f, steps, ends, first);                                      \
    carry_begin(&g, &f, &s.box);                                                                   \
    FLOW_AHEAD(carry_cell, CARRY_LOAD, CARRY_ONE, false)

FLOW_WALKER river_carry(CARRY_ARGS) {
    const river_rock below = ROCK_OF(1);
    CARRY_STEP;
}

FLOW_WALKER river_carry_stack(CARRY_ARGS) {
    const river_rock below = ROCK;
    CARRY_STEP;
}

/* What leaves the map in a tile, from its last cell to its first as the processor adds it up: a
 * group finds the ends of rivers, a bit each, and one item adds. */
__kernel void river_left(__global const uchar *restrict direction, __global const double *restrict h,
                         __global const double *restrict risen, __global const uint4 *restrict state,
                         __global double *restrict left, __local volatile uint *rows,
                         rvi_flow_shape f) {
    uint tile = (uint)get_group_id(0), item = (uint)get_local_id(0);
    flow_box b = flow_box_of(&f, tile);
    double sum = 0.0;
    bool any = state[tile].w != 0; /* water ends in it */
    for (uint k = item; k < 2 * RVI_TILE; k += (uint)get_local_size(0))
        rows[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint place = item; any && place < RVI_TILE * RVI_TILE; place += (uint)get_local_size(0)) {
        uint x = place & (RVI_TILE - 1), y = place >> RVI_TILE_BITS;
        if ((int)x < b.wide && (int)y < b.high &&
            direction[flow_cell_at(&f, &b, place)] == RVI_END)
            atomic_or(&rows[2 * y + x / 32], 1u << x % 32);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 2 * RVI_TILE; any && item == 0 && k-- > 0;)
        for (uint bits = rows[k]; bits != 0;) {
            uint x = 31 - clz(bits);
            size_t cell = flow_cell_at(&f, &b, 32 * k + x);
            bits ^= 1u << x;
            sum += risen[cell] - h[cell];
        }
    if (item == 0)
        left[tile] = sum;
}

/* ---- lakes that are filled ---- */

FLOW_WALKER river_fill(FLOW_WALK_ARGS, __global const uchar *restrict direction,
                         __global const double *restrict h, __global double *water,
                         __global double *restrict risen, __global const uint *restrict basin,
                         __global const double *restrict spill, __global const float *restrict mask,
                         rvi_river_law law) {
#define FILL                                                                                       \
    int k0 = direction[cell];                                                                      \
    double hh = h[cell], filled = hh;                                                              \
    if (k0 != RVI_END) {                                                                           \
        size_t to = flow_beside(&f, cell, k0);                                                     \
        double level = spill ? spill[basin[cell]] : hh;                                            \
        level = level > hh ? level : hh;                                                           \
        filled = rvi_river_filled(level, spill && basin[cell] != 0, water[to], h[to],              \
                                  law.distance[k0 >= 4]);                                          \
    }                                                                                              \
    water[cell] = filled;                                                                          \
    risen[cell] = hh + (filled - hh) * river_open(mask, cell)
    FLOW_WALK(FILL);
}

__kernel void river_raise(__global double *restrict h, __global const double *restrict water,
                          __global double *restrict risen, __global const float *restrict mask,
                          double share, ulong count, ROCK_ARGS) {
    const river_rock below = ROCK;
    size_t i = get_global_id(0);
    if (i >= count)
        return;
    double was = h[i], to = water[i];
    risen[i] = was;
    if (!(to > was))
        return;
    double bb = bed ? bed[i] : 0.0;
    river_shift(&below, i, (to - was) * share * river_open(mask, i), &was, &bb);
    h[i] = was;
    if (bed)
        bed[i] = bb;
}

/* ---- what slides ---- */

typedef struct slide_ground {
    __global const double *h, *water;
    __global const uchar *fixed, *lake;
    __global const float *factor, *strength;
} slide_ground;

/* How low a cell slides. */
static double slide_to(const slide_ground *g, const rvi_steep_law *law, int x, int y, bool all) {
    const int dx[8] = {0, 1, 1, 1, 0, -1, -1, -1}, dy[8] = {-1, -1, 0, 1, 1, 1, 0, -1};
    size_t cell = (size_t)y * (size_t)law->width + (size_t)x;
    double here = g->h[cell], around[8], lowest = 1e30;
    if (g->fixed[cell] || (!law->last && g->lake[cell] && g->water[cell] > here))
        return here;
    for (int k = 0; k < 8; k++) {
        int nx = x + dx[k], ny = y + dy[k];
        around[k] = rvi_flow_inside(nx, ny, law->width, law->height)
                        ? g->h[(size_t)ny * (size_t)law->width + (size_t)nx]
                        : 1e30;
        lowest = rvi_least(lowest, around[k]);
    }
    bool inside = x > 0 && y > 0 && x + 1 < law->width && y + 1 < law->height;
    if (all && inside && !(here - lowest > law->least_far))
        return here;
    double far = g->strength ? law->far * (double)g->strength[cell] : law->far;
    double u = rvi_steep_lower(here, around, far);
    return u < here ? here - (here - u) * river_factor(g->factor, cell) : here;
}

static bool slide_beside(__global const uchar *moved, int x, int y, int width, int height) {
    bool any = false;
    for (int ny = rvi_maxi(y - 1, 0); ny <= rvi_mini(y + 1, height - 1); ny++)
        for (int nx = rvi_maxi(x - 1, 0); nx <= rvi_mini(x + 1, width - 1); nx++)
            any = any || moved[(size_t)ny * (size_t)width + (size_t)nx];
    return any;
}

/* Parts of rows that the next round looks at, each once: `seen` holds the round that it was taken
 * in for. They come in any order, of which no result depends. */
static void slide_list(__global volatile uint *seen, __global uint *list,
                       __global volatile uint *count, uint round, uint part) {
    if (atomic_xchg(&seen[part], round) != round)
        list[atomic_inc(count)] = part;
}

#define SLIDE_ARGS                                                                                 \
    __global const double *restrict h, __global const double *restrict water,                      \
        __global const uchar *restrict fixed, __global const uchar *restrict lake,                 \
        __global const float *restrict factor, __global const float *restrict strength,            \
        __global double *restrict next, __global uchar *restrict moves, rvi_steep_law law

/* The first round looks at every cell, one an item. */
__kernel void slide_first(SLIDE_ARGS, __global volatile uint *seen, __global uint *restrict list,
                          __global volatile uint *count) {
    const slide_ground g = {h, water, fixed, lake, factor, strength};
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= law.width)
        return;
    size_t cell = (size_t)y * (size_t)law.width + (size_t)x;
    double to = slide_to(&g, &law, x, y, true);
    if (to < h[cell]) {
        next[cell] = to;
        moves[cell] = 1;
        slide_list(seen, list, &count[0], 1, (uint)(y * law.parts + x / RVI_TILE));
    }
}

/* Later ones at those beside a cell that moved: a group a part of a row. */
__kernel __attribute__((reqd_work_group_size(RVI_TILE, 1, 1))) void
slide_look(SLIDE_ARGS, __global const uchar *restrict moved, __global const uint *restrict list,
           __global uint *restrict count, uint round) {
    const slide_ground g = {h, water, fixed, lake, factor, strength};
    uint now = (round - 1) % 2, parts = count[now];
    if (get_global_id(0) == 0)
        count[1 - now] = 0;
    for (uint k = (uint)get_group_id(0); k < parts; k += (uint)get_num_groups(0)) {
        int y = (int)list[k] / law.parts;
        int x = ((int)list[k] - y * law.parts) * RVI_TILE + (int)get_local_id(0);
        if (x >= law.width || !slide_beside(moved, x, y, law.width, law.height))
            continue;
        size_t cell = (size_t)y * (size_t)law.width + (size_t)x;
        double to = slide_to(&g, &law, x, y, false);
        if (to < h[cell]) {
            next[cell] = to;
            moves[cell] = 1;
        }
    }
}

/* Lets them slide, and lists the parts around those that wake others; `moved` is empty again after
 * that. */
__kernel __attribute__((reqd_work_group_size(RVI_TILE, 1, 1))) void
slide_move(__global double *restrict h, __global const double *restrict next,
           __global uchar *restrict moves, __global uchar *restrict moved,
           __global volatile uint *seen, __global const uint *restrict list,
           __global uint *restrict later, __global volatile uint *count, rvi_steep_law law,
           uint round, ROCK_ARGS) {
    __local uint wakes;
    const river_rock below = ROCK;
    uint now = (round - 1) % 2, parts = count[now];
    int lane = (int)get_local_id(0);
    for (uint k = (uint)get_group_id(0); k < parts; k += (uint)get_num_groups(0)) {
        int y = (int)list[k] / law.parts, part = (int)list[k] - y * law.parts;
        int x = part * RVI_TILE + lane;
        size_t i = (size_t)y * (size_t)law.width + (size_t)x;
        if (lane == 0)
            wakes = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x < law.width) {
            moved[i] = 0;
            if (moves[i]) {
                double was = h[i], top = bed ? bed[i] : 0.0;
                double to = river_slid(&below, i, was, next[i], &top);
                h[i] = to;
                if (bed)
                    bed[i] = top;
                moves[i] = was - to > law.enough;
                if (moves[i])
                    wakes = 1; /* whoever writes it */
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int beside = part + lane % 3 - 1, row = y + lane / 3 - 1;
        if (wakes && lane < 9 && rvi_flow_inside(beside, row, law.parts, law.height))
            slide_list(seen, later, &count[1 - now], round + 1, (uint)(row * law.parts + beside));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* ---- what creeps ---- */

__kernel void river_loosen(__global const double *restrict h, __global const float *restrict factor,
                           __global const float *restrict mask, __global const float *restrict wide,
                           __global float *restrict loose, rvi_loose_law law) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= law.width)
        return;
    size_t width = (size_t)law.width, i = (size_t)y * width + (size_t)x;
    double part = river_factor(factor, i), rate = law.creep * part;
    if (wide)
        rate *= (double)rvi_river_apart(wide[i], law.spacing);
    if (law.floods > 0.0 && part > 0.0) {
        int west = rvi_maxi(x - law.reach, 0), east = rvi_mini(x + law.reach, law.width - 1);
        int north = rvi_maxi(y - law.reach, 0), south = rvi_mini(y + law.reach, law.height - 1);
        double steep = rvi_flood_slope(
            h[(size_t)y * width + (size_t)west], h[(size_t)y * width + (size_t)east],
            (double)(east - west), h[(size_t)north * width + (size_t)x],
            h[(size_t)south * width + (size_t)x], (double)(south - north), law.cell);
        rate += law.floods * river_open(mask, i) * rvi_flood_wet(steep);
    }
    loose[i] = (float)(rate / law.mobility);
}

static double creep_between(__global const float *loose, const rvi_creep_law *law, size_t i,
                            size_t j) {
    return loose ? law->number * (double)rvi_minf(loose[i], loose[j]) : law->number;
}

/* Lines are rows, or columns. A group takes some of them, part by part: one item a line adds up,
 * each cell after the one before, while the others take away the part before and bring the next. */
typedef struct creep_lines {
    __global const double *from;
    __global double *to, *scratch;
    __global const uchar *fixed;
    __global const float *loose;
    rvi_creep_law law;
    int south;               /* 1: columns */
    int first, lines, count; /* the group's first line; of the map; cells in each */
    __local double *heights, *shares;
    __local float *between; /* the less loose of a cell and the next */
    __local uchar *held;
} creep_lines;

enum { CREEP_WIDE = RVI_CREEP_LINES + 1, CREEP_CELLS = RVI_CREEP_LINES * RVI_CREEP_PART };

static size_t creep_cell(const creep_lines *w, int line, int k) {
    return w->south ? (size_t)k * (size_t)w->law.width + (size_t)line
                    : (size_t)line * (size_t)w->law.width + (size_t)k;
}

/* Cell e of a part: those that are beside each other in memory have one number after the other.
 * False: it is beyond the map. */
static bool creep_part_cell(const creep_lines *w, int part, int turn, int e, size_t *cell, int *at,
                            int *k) {
    int one = e % RVI_CREEP_PART, other = e / RVI_CREEP_PART; /* as many lines as cells of each */
    int line = w->south ? one : other;
    *k = part * RVI_CREEP_PART + (w->south ? other : one);
    *at = ((turn & 1) * RVI_CREEP_PART + (w->south ? other : one)) * CREEP_WIDE + line;
    *cell = creep_cell(w, w->first + line, *k);
    return w->first + line < w->lines && *k < w->count;
}

static void creep_bring(const creep_lines *w, int part, int turn, int item, int items) {
    size_t step = w->south ? (size_t)w->law.width : 1, cell;
    for (int e = item, at, k; e < CREEP_CELLS; e += items) {
        if (!creep_part_cell(w, part, turn, e, &cell, &at, &k))
            continue;
        w->heights[at] = w->from[cell];
        w->held[at] = w->fixed[cell];
        w->between[at] =
            w->loose && k + 1 < w->count ? rvi_minf(w->loose[cell], w->loose[cell + step]) : 1.0f;
    }
}

static void creep_take(const creep_lines *w, int part, int turn, int item, int items) {
    size_t cell;
    for (int e = item, at, k; e < CREEP_CELLS; e += items)
        if (creep_part_cell(w, part, turn, e, &cell, &at, &k)) {
            w->to[cell] = w->heights[at];
            w->scratch[cell] = w->shares[at];
        }
}

static void creep_bring_back(const creep_lines *w, int part, int turn, int item, int items) {
    size_t cell;
    for (int e = item, at, k; e < CREEP_CELLS; e += items)
        if (creep_part_cell(w, part, turn, e, &cell, &at, &k)) {
            w->heights[at] = w->to[cell];
            w->shares[at] = w->scratch[cell];
        }
}

static void creep_take_back(const creep_lines *w, int part, int turn, int item, int items) {
    size_t cell;
    for (int e = item, at, k; e < CREEP_CELLS; e += items)
        if (creep_part_cell(w, part, turn, e, &cell, &at, &k))
            w->to[cell] = w->heights[at];
}

/* Along a line: b, height and 1 - q of the cell before. */
typedef struct creep_before {
    double a, last, kept;
} creep_before;

/* b between a cell and the next one. */
static double creep_b(const creep_lines *w, int at, int k) {
    return k + 1 >= w->count ? 0.0
           : w->loose        ? w->law.number * (double)w->between[at]
                             : w->law.number;
}

/* What does not hang on the cell before is made while that is divided. */
static void creep_forth(const creep_lines *w, int part, int turn, int line, creep_before *c) {
    int begin = part * RVI_CREEP_PART, end = rvi_mini(begin + RVI_CREEP_PART, w->count);
    int at = (turn & 1) * RVI_CREEP_PART * CREEP_WIDE + line;
    double b = creep_b(w, at, begin), from = w->heights[at];
    double loosens = w->held[at] ? 0.0 : 1.0;
    for (int k = begin; k < end; k++, at += CREEP_WIDE) {
        double down = loosens * c->a, up = loosens * b;
        double rest = 1.0 + down * c->kept, whole = 1.0 / (rest + up), height = from;
        c->a = b;
        if (k + 1 < end) {
            b = creep_b(w, at + CREEP_WIDE, k + 1);
            from = w->heights[at + CREEP_WIDE];
            loosens = w->held[at + CREEP_WIDE] ? 0.0 : 1.0;
        }
        c->last = (height + down * c->last) * whole;
        c->kept = rest * whole;
        w->heights[at] = c->last;
        w->shares[at] = up * whole;
    }
}

static void creep_back(const creep_lines *w, int part, int turn, int line, creep_before *c) {
    int begin = part * RVI_CREEP_PART, end = rvi_mini(begin + RVI_CREEP_PART, w->count);
    int at = ((turn & 1) * RVI_CREEP_PART + end - 1 - begin) * CREEP_WIDE + line;
    for (int k = end; k-- > begin; at -= CREEP_WIDE) {
        c->last =
            k + 1 == w->count ? w->heights[at] : w->heights[at] + w->shares[at] * c->last;
        w->heights[at] = c->last;
    }
}

__kernel __attribute__((reqd_work_group_size(RVI_CREEP_GROUP, 1, 1))) void
creep_along(__global const double *from, __global double *to, __global double *scratch,
            __global const uchar *restrict fixed, __global const float *restrict loose,
            rvi_creep_law law, int south, __local double *heights, __local double *shares,
            __local float *between, __local uchar *held) {
    int item = (int)get_local_id(0), others = item - RVI_CREEP_LINES;
    const int helpers = RVI_CREEP_GROUP - RVI_CREEP_LINES;
    const creep_lines w = {from,   to,
                           scratch, fixed,
                           loose,  law,
                           south,  (int)get_group_id(0) * RVI_CREEP_LINES,
                           south ? law.width : law.height,
                           south ? law.height : law.width,
                           heights, shares, between, held};
    int parts = (w.count + RVI_CREEP_PART - 1) / RVI_CREEP_PART;
    creep_before c = {0.0, 0.0, 0.0};
    creep_bring(&w, 0, 0, item, RVI_CREEP_GROUP);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int p = 0; p < parts; p++) {
        if (others < 0)
            creep_forth(&w, p, p, item, &c);
        if (others >= 0 && p > 0)
            creep_take(&w, p - 1, p - 1, others, helpers);
        if (others >= 0 && p + 1 < parts)
            creep_bring(&w, p + 1, p + 1, others, helpers);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    creep_take(&w, parts - 1, parts - 1, item, RVI_CREEP_GROUP);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    creep_bring_back(&w, parts - 1, 0, item, RVI_CREEP_GROUP);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int p = parts, turn = 0; p-- > 0; turn++) {
        if (others < 0)
            creep_back(&w, p, turn, item, &c);
        if (others >= 0 && turn > 0)
            creep_take_back(&w, p + 1, turn - 1, others, helpers);
        if (others >= 0 && p > 0)
            creep_bring_back(&w, p - 1, turn + 1, others, helpers);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    creep_take_back(&w, 0, parts - 1, item, RVI_CREEP_GROUP);
}

/* Does a strip of a row have neighbours, to the east or to the south, of which one is fixed? */
__kernel void creep_find(__global const uchar *restrict fixed, __global uchar *restrict found,
                         int width, int height, int south) {
    int strip = (int)get_global_id(0), y = (int)get_global_id(1), any = 0;
    int strips = (width + RVI_CREEP_STRIP - 1) / RVI_CREEP_STRIP;
    if (strip >= strips)
        return;
    int end = rvi_mini((strip + 1) * RVI_CREEP_STRIP, south ? width : width - 1);
    size_t row = (size_t)y * (size_t)width, step = south ? (size_t)width : 1;
    for (int x = strip * RVI_CREEP_STRIP; x < end && (!south || y + 1 < height); x++)
        any |= !fixed[row + (size_t)x] != !fixed[row + (size_t)x + step];
    found[(size_t)y * (size_t)strips + (size_t)strip] = (uchar)any;
}

static void creep_count(__global const double *to, __global const uchar *fixed,
                        __global const float *loose, const rvi_creep_law *law, size_t i, size_t j,
                        rvi_side_flux *flux) {
    if (!fixed[i] == !fixed[j])
        return;
    size_t side = fixed[i] ? i : j, land = fixed[i] ? j : i;
    rvi_creep_cross(creep_between(loose, law, i, j), to[side], to[land], flux);
}

/* What crossed in each row. */
__kernel void creep_cross_rows(__global const double *restrict to, __global const uchar *restrict fixed,
                               __global const float *restrict loose,
                               __global const uchar *restrict found,
                               __global rvi_side_flux *restrict flux, rvi_creep_law law) {
    size_t y = get_global_id(0);
    int strips = (law.width + RVI_CREEP_STRIP - 1) / RVI_CREEP_STRIP;
    rvi_side_flux sum = {0.0, 0.0, 0.0};
    if (y >= (size_t)law.height)
        return;
    for (int strip = 0; strip < strips; strip++) {
        int end = rvi_mini((strip + 1) * RVI_CREEP_STRIP, law.width - 1);
        if (!found[y * (size_t)strips + (size_t)strip])
            continue;
        for (int x = strip * RVI_CREEP_STRIP; x < end; x++) {
            size_t i = y * (size_t)law.width + (size_t)x;
            creep_count(to, fixed, loose, &law, i, i + 1, &sum);
        }
    }
    flux[y] = sum;
}

/* And in each strip of columns, a group a strip: its items look for rows, one adds up. */
__kernel void creep_cross_strips(__global const double *restrict to,
                                 __global const uchar *restrict fixed,
                                 __global const float *restrict loose,
                                 __global const uchar *restrict found,
                                 __global rvi_side_flux *restrict flux, rvi_creep_law law,
                                 __local uint *rows) {
    int strip = (int)get_group_id(0), item = (int)get_local_id(0), items = (int)get_local_size(0);
    int strips = (law.width + RVI_CREEP_STRIP - 1) / RVI_CREEP_STRIP;
    rvi_side_flux sum = {0.0, 0.0, 0.0};
    int end = rvi_mini((strip + 1) * RVI_CREEP_STRIP, law.width);
    for (int high = law.height - 1; high > 0; high -= items) {
        int row = high - 1 - item;
        if (item == 0)
            rows[items] = 0;
        rows[item] = row >= 0 && found[(size_t)row * (size_t)strips + (size_t)strip];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (rows[item])
            rows[items] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; item == 0 && rows[items] && k < items; k++)
            for (int x = strip * RVI_CREEP_STRIP; rows[k] && x < end; x++) {
                size_t i = (size_t)(high - 1 - k) * (size_t)law.width + (size_t)x;
                creep_count(to, fixed, loose, &law, i, i + (size_t)law.width, &sum);
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        flux[law.height + strip] = sum;
}

/* Heights from the datum on, and back. */
__kernel void creep_to_datum(__global const double *restrict h, __global double *restrict to, double datum,
                         ulong count) {
    size_t i = get_global_id(0);
    if (i < count)
        to[i] = rvi_creep_from(h[i], datum);
}

__kernel void creep_from_datum(__global const double *restrict h, __global double *restrict to, double datum,
                         ulong count) {
    size_t i = get_global_id(0);
    if (i < count)
        to[i] = rvi_creep_back(h[i], to[i], datum);
}

/* The layers follow what crept. */
__kernel void river_follow(__global double *restrict h, __global const uchar *restrict fixed, ROCK_ARGS) {
    const river_rock below = ROCK;
    size_t i = get_global_id(0);
    if (i >= rock_law.cells || fixed[i])
        return;
    double top = bed[i], sum = top, now = h[i];
    for (int l = 1; l < below.layers; l++)
        sum += (double)*river_layer(&below, i, l);
    sum += below.layers > 1 ? owed[i] : 0.0;
    if (now != sum)
        river_shift(&below, i, now - sum, &sum, &top);
    h[i] = sum;
    bed[i] = top;
}

/* ---- the edge of the map, which the processor looks at ---- */

__kernel void river_edge_out(__global const double *restrict h, __global double *restrict edge,
                             int width, int height) {
    size_t k = get_global_id(0);
    if (k < rvi_ring_length(width, height))
        edge[k] = h[rvi_ring_cell(width, height, k)];
}

__kernel void river_edge_in(__global double *restrict h, __global double *restrict bed,
                            __global double *restrict owed, __global const double *restrict edge,
                            __global const double *restrict edge_bed,
                            __global const double *restrict edge_owed, int width, int height) {
    size_t k = get_global_id(0);
    if (k >= rvi_ring_length(width, height))
        return;
    size_t cell = rvi_ring_cell(width, height, k);
    h[cell] = edge[k];
    if (bed)
        bed[cell] = edge_bed[k];
    if (owed)
        owed[cell] = edge_owed[k];
}

/* The same for the layers above the bedrock; in: they go to the map. */
__kernel void river_edge_stack(__global float *restrict stack, __global float *restrict edge, int width,
                               int height, int in) {
    size_t k = get_global_id(0), layer = get_global_id(1), length = rvi_ring_length(width, height);
    if (k >= length)
        return;
    size_t at = layer * (size_t)width * (size_t)height + rvi_ring_cell(width, height, k);
    if (in)
        stack[at] = edge[layer * length + k];
    else
        edge[layer * length + k] = stack[at];
}

/* ---- from coarse cells to finer ones ---- */

__kernel void river_bring(__global double *restrict h, __global double *restrict risen,
                          __global double *restrict lifted, __global const uchar *restrict fixed,
                          __global const float *restrict uplift, __global const float *restrict factor,
                          __global const float *restrict wide, __global const double *restrict start,
                          __global const double *restrict coarse, rvi_bring_law law, ROCK_ARGS) {
    const river_rock below = ROCK;
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= law.width)
        return;
    size_t cell = (size_t)y * (size_t)law.width + (size_t)x;
    double top = bed ? bed[cell] : 0.0;
    double was = h[cell], up = was, before, after;
    if (!fixed[cell]) {
        double by = river_uplift(uplift, cell, law.rise);
        up += by;
        top += by;
        if (lifted)
            lifted[cell] += by;
    }
    risen[cell] = up;
    h[cell] = up;
    if (bed)
        bed[cell] = top;
    if (fixed[cell] || (factor && !(factor[cell] > 0.0f)))
        return;
    rvi_level_land(start, coarse, &law.coarse, (double)x / law.apart, (double)y / law.apart, &before,
                   &after);
    double stays = rvi_river_stays(law.decay, wide ? rvi_river_apart(wide[cell], law.spacing) : 1.0f);
    double to = after + (was - before) * (1.0 - (1.0 - stays) * river_factor(factor, cell));
    to = to < law.least ? law.least : to;
    if (bed && to < up)
        up = river_slid(&below, cell, up, to, &top);
    else
        river_shift(&below, cell, to - up, &up, &top);
    h[cell] = up;
    if (bed)
        bed[cell] = top;
}

/* ---- to be looked at ---- */

__kernel void river_show(__global const double *restrict h, __global const uchar *restrict fixed,
                         __global float *restrict land, ulong count) {
    size_t i = get_global_id(0);
    if (i < count && fixed[i] != RVI_SEA)
        land[i] = (float)h[i];
}

/* A layer above the bedrock. */
__kernel void river_show_layer(__global const float *restrict stack, __global float *restrict land, int layer,
                               ulong count) {
    size_t i = get_global_id(0);
    if (i < count)
        land[i] = stack[(size_t)(layer - 1) * count + i];
}

__kernel void river_show_level(__global const double *restrict h, __global const uchar *restrict fixed,
                               __global const float *restrict factor,
                               __global const double *restrict start,
                               __global const double *restrict coarse, __global float *restrict land,
                               rvi_bring_law law) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= law.width)
        return;
    size_t i = (size_t)y * (size_t)law.width + (size_t)x;
    double by = rvi_level_change(start, coarse, law.coarse.width, law.coarse.height,
                                 (double)x / law.apart, (double)y / law.apart);
    bool stays = factor && !(factor[i] > 0.0f);
    if (fixed[i] != RVI_SEA)
        land[i] = (float)(h[i] + (stays ? 0.0 : by));
}
