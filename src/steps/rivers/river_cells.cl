/* river_cells.cl: time steps of rivers.c on a device, where no function says how ground is worn. Each operation is that of the processor, on the same
 * numbers: river_cut.c, river_slide.c, hillslope.c, floodplain.c and river_levels.c tell what they
 * are for. */
#include "device/prelude.cl"
#include "steps/rivers/river_cell.h"
#include "steps/rivers/river_shape.h"
#include "terrain/band_cell.h"
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
    __global double *bed;        /* its top; 0: as high as the land, and even */
    __global const float *bands; /* 0: none */
    __global const float *edge;  /* of bands, then how soft they are, then how soft each layer is */
    __global float *stack;       /* thickness of layer l, above the bedrock, at (l - 1) * cells */
    __global double *rounded;    /* what rounding kept back, metres */
    float thickness;
    int layers;
    ulong cells;
} river_rock;

static double river_soft(const river_rock *k, size_t cell, double bed) {
    float band = k->bands ? rvi_band_soft(k->edge, k->edge + RVI_BANDS, k->thickness,
                                          (float)bed - k->bands[cell])
                          : 1.0f;
    return (double)k->edge[2 * RVI_BANDS] * (double)band;
}

static __global float *river_layer(const river_rock *k, size_t cell, int layer) {
    return &k->stack[(size_t)(layer - 1) * (size_t)k->cells + cell];
}

/* The factor of a layer, besides that of the cell. */
static double river_yields(const river_rock *k, size_t cell, int layer, double bed) {
    return layer > 0 ? (double)k->edge[2 * RVI_BANDS + layer] : river_soft(k, cell, bed);
}

/* Raises the top layer of a cell or takes from its layers from the top: rvi_rivers_shift(). */
static void river_shift(const river_rock *k, size_t cell, double by, double *h, double *bed) {
    bool held = false;
    *h += by;
    for (int l = k->layers - 1; l > 0; l--) {
        double has = (double)*river_layer(k, cell, l), now = has + by;
        if (now >= 0.0) {
            by -= (double)(float)now - has;
            *river_layer(k, cell, l) = (float)now;
            held = true;
            break;
        }
        by = now;
        *river_layer(k, cell, l) = 0.0f;
    }
    if (held && by < 0.0 && !(river_soft(k, cell, *bed) > 0.0)) {
        *h -= by;
        k->rounded[cell] -= by;
        return;
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
    if (!k->bands || bands == RVI_CUT_BANDS)
        return 1e30;
    return rvi_band_left(k->edge, k->thickness, (float)bed - k->bands[cell]);
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
    __global double *bed, __global const float *restrict bands, __global const float *restrict edge,\
        __global float *stack, __global double *rounded, rvi_rock_law rock_law
#define ROCK_OF(count)                                                                             \
    {bed, bands, edge, stack, rounded, rock_law.thickness, count, rock_law.cells}
#define ROCK ROCK_OF(rock_law.layers)

/* ---- how deep rivers cut ---- */

static double river_drained(__global const uint *area, __global const ulong *discharge,
                            __global const float *power, const rvi_flow_shape *f,
                            const rvi_river_law *law, size_t cell) {
    if (!f->rain && area[cell] < RVI_AREAS)
        return (double)power[area[cell]];
    float much = f->rain ? (float)((double)discharge[cell] * RVI_RAIN) : (float)area[cell];
    return (double)rvi_power(rvi_maxf(much, law->source), law->area_power);
}

#define CUT_ARGS                                                                                   \
    FLOW_WALK_ARGS, __global const uchar *restrict direction, __global const uint *restrict area,  \
        __global const ulong *restrict discharge, __global double *h, __global uchar *lake,        \
        __global double *water, __global const uchar *restrict drowned,                            \
        __global const uint *restrict basin, __global const double *restrict spill,                \
        __global const double *restrict load, __global double *restrict risen,                     \
        __global const float *restrict uplift, __global double *restrict lifted,                   \
        __global const float *restrict factor, __global const float *restrict mask,                \
        __global const float *restrict rock, __global const float *restrict strength,              \
        __global const float *restrict power, rvi_river_law law, ROCK_ARGS
#define SETTLES_IN_LAKE                                                                            \
    double level = spill[basin[cell]];                                                             \
    double space = (level < surface ? level : surface) - hh;                                       \
    double comes = load[cell] * (double)area[cell] * river_open(mask, cell);                       \
    laid = space < comes ? space : comes
#define SETTLES                                                                                    \
    double share = rvi_river_settles(hh - surface, distance, law.stands);                          \
    if (!((float)area[cell] <= law.source))                                                        \
    laid = law.deposition * load[cell] * share * river_open(mask, cell)
#define LOWER_DAM                                                                                  \
    double lowest = 1e30;                                                                          \
    for (int k = 0; k < 8; k++) {                                                                  \
        size_t donor;                                                                              \
        if (!flow_donor(&f, direction, cell, x, y, k, &donor))                                     \
            continue;                                                                              \
        double there = h[donor] + river_uplift(uplift, donor, law.rise);                           \
        lowest = there < lowest && !(drowned && drowned[donor]) ? there : lowest;                  \
    }                                                                                              \
    double least = lowest - 1e-4 * law.distance[0];                                                \
    double over = hh - (least > surface ? least : surface);                                        \
    over = over < laid ? over : laid;                                                              \
    if (over > 0.0)                                                                                \
    river_shift(&below, cell, -over, &hh, &bb)
#define CUT                                                                                        \
    int k0 = direction[cell];                                                                      \
    if (k0 == RVI_END) {                                                                           \
        lake[cell] = 0;                                                                            \
        risen[cell] = h[cell];                                                                     \
        continue;                                                                                  \
    }                                                                                              \
    size_t to = flow_beside(&f, cell, k0);                                                         \
    double surface = lake[to] ? water[to] : h[to], laid = 0.0, hh = h[cell];                       \
    bool under = drowned && drowned[cell];                                                         \
    double bb = bed ? bed[cell] : 0.0;                                                             \
    double distance = law.distance[k0 >= 4];                                                       \
    lake[cell] = 0;                                                                                \
    if (law.rise > 0.0) {                                                                          \
        double by = river_uplift(uplift, cell, law.rise);                                          \
        hh += by;                                                                                  \
        bb += by;                                                                                  \
        if (lifted)                                                                                \
            lifted[cell] += by;                                                                    \
    }                                                                                              \
    risen[cell] = hh;                                                                              \
    if (load) {                                                                                    \
        if (under) {                                                                               \
            SETTLES_IN_LAKE;                                                                       \
        } else {                                                                                   \
            SETTLES;                                                                               \
        }                                                                                          \
        if (laid > 0.0)                                                                            \
            river_shift(&below, cell, laid, &hh, &bb);                                             \
    }                                                                                              \
    double fall = hh - surface;                                                                    \
    if (!(fall > 0.0)) {                                                                           \
        water[cell] = surface;                                                                     \
        lake[cell] = 1;                                                                            \
    } else if (!under) {                                                                           \
        bool river = rock && (float)area[cell] > law.source;                                       \
        double g = law.cut[k0 >= 4] * river_drained(area, discharge, power, &f, &law, cell) *      \
                   (river ? (double)rock[cell] : 1.0);                                             \
        double s0 = fall / distance, s;                                                            \
        if (bed)                                                                                   \
            s = river_cut_layers(&below, cell, s0, g, river_factor(factor, cell), distance,        \
                                 law.slope_power, &bb);                                            \
        else                                                                                       \
            s = rvi_river_slope_after(s0, factor ? g * river_factor(factor, cell) : g,             \
                                      law.slope_power);                                            \
        hh = surface + s * distance;                                                               \
        if (laid > 0.0) {                                                                          \
            LOWER_DAM;                                                                             \
        }                                                                                          \
        double stands = strength ? law.stands * (double)strength[cell] : law.stands;               \
        double most = h[to] + stands * distance;                                                   \
        if (hh > most)                                                                             \
            hh = river_slid(&below, cell, hh, hh - (hh - most) * river_factor(factor, cell), &bb); \
    }                                                                                              \
    h[cell] = hh;                                                                                  \
    if (bed)                                                                                       \
    bed[cell] = bb

/* Bedrock alone needs no loops over layers. */
__kernel void river_cut(CUT_ARGS) {
    const river_rock below = ROCK_OF(1);
    FLOW_WALK(CUT);
}

__kernel void river_cut_stack(CUT_ARGS) {
    const river_rock below = ROCK;
    FLOW_WALK(CUT);
}

__kernel void river_guess_load(__global double *restrict load, __global const float *restrict uplift,
                               double rise, ulong count) {
    size_t i = get_global_id(0);
    if (i < count)
        load[i] = rise * (uplift ? (double)uplift[i] : 1.0);
}

#define CARRY_ARGS                                                                                 \
    FLOW_WALK_ARGS, __global const uchar *restrict direction, __global const uint *restrict area,  \
        __global double *h, __global double *risen, __global double *restrict load, ROCK_ARGS
#define CARRY                                                                                      \
    double sum = risen[cell], hh = h[cell];                                                        \
    for (int k = 0; k < 8; k++) {                                                                  \
        size_t donor;                                                                              \
        if (flow_donor(&f, direction, cell, x, y, k, &donor))                                      \
            sum += risen[donor] - h[donor];                                                        \
    }                                                                                              \
    risen[cell] = sum;                                                                             \
    if (direction[cell] == RVI_END)                                                                \
        continue;                                                                                  \
    double carried = sum - hh;                                                                     \
    if (carried < 0.0) {                                                                           \
        double bb = bed ? bed[cell] : 0.0;                                                         \
        river_shift(&below, cell, carried, &hh, &bb);                                              \
        h[cell] = hh;                                                                              \
        if (bed)                                                                                   \
            bed[cell] = bb;                                                                        \
    }                                                                                              \
    carried = sum - hh;                                                                            \
    load[cell] = 0.5 * (load[cell] + carried / (double)area[cell])

__kernel void river_carry(CARRY_ARGS) {
    const river_rock below = ROCK_OF(1);
    FLOW_WALK(CARRY);
}

__kernel void river_carry_stack(CARRY_ARGS) {
    const river_rock below = ROCK;
    FLOW_WALK(CARRY);
}

/* What leaves the map in a tile, from its last cell to its first as the processor adds it up. */
__kernel void river_left(__global const uchar *restrict direction, __global const double *restrict h,
                         __global const double *restrict risen, __global const uint4 *restrict state,
                         __global const uint *restrict when, __global double *restrict left,
                         rvi_flow_shape f) {
    uint tile = (uint)get_global_id(0);
    if (tile >= (uint)(f.across * f.down))
        return;
    flow_box b = flow_box_of(&f, tile);
    double sum = 0.0;
    bool any = state[tile].z > 0 && when[(size_t)tile * RVI_PIECES] == 0; /* water ends in it */
    for (int y = b.high; any && y-- > 0;)
        for (int x = b.wide; x-- > 0;) {
            size_t cell = b.corner + (size_t)y * (size_t)f.width + (size_t)x;
            if (direction[cell] == RVI_END)
                sum += risen[cell] - h[cell];
        }
    left[tile] = sum;
}

/* ---- lakes that are filled ---- */

__kernel void river_fill(FLOW_WALK_ARGS, __global const uchar *restrict direction,
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

#define SLIDE_ARGS                                                                                 \
    __global const double *restrict h, __global const double *restrict water,                      \
        __global const uchar *restrict fixed, __global const uchar *restrict lake,                 \
        __global const float *restrict factor, __global const float *restrict strength,            \
        __global double *restrict next, __global uchar *restrict moves,                            \
        __global uchar *restrict busy, rvi_steep_law law

/* The first round looks at every cell, one an item. */
__kernel void slide_first(SLIDE_ARGS) {
    const slide_ground g = {h, water, fixed, lake, factor, strength};
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= law.width)
        return;
    size_t cell = (size_t)y * (size_t)law.width + (size_t)x;
    double to = slide_to(&g, &law, x, y, true);
    if (to < h[cell]) {
        next[cell] = to;
        moves[cell] = 1;
        busy[(size_t)y * (size_t)law.parts + (size_t)(x / RVI_TILE)] = 1;
    }
}

/* Later ones at those beside a cell that moved: a part of a row an item. */
__kernel void slide_look(SLIDE_ARGS, __global const uchar *restrict moved,
                         __global const uchar *restrict was_busy) {
    const slide_ground g = {h, water, fixed, lake, factor, strength};
    int part = (int)get_global_id(0), y = (int)get_global_id(1);
    if (part >= law.parts || !slide_beside(was_busy, part, y, law.parts, law.height))
        return;
    int end = rvi_mini((part + 1) * RVI_TILE, law.width);
    for (int x = part * RVI_TILE; x < end; x++) {
        size_t cell = (size_t)y * (size_t)law.width + (size_t)x;
        if (!slide_beside(moved, x, y, law.width, law.height))
            continue;
        double to = slide_to(&g, &law, x, y, false);
        if (to < h[cell]) {
            next[cell] = to;
            moves[cell] = 1;
            busy[(size_t)y * (size_t)law.parts + (size_t)part] = 1;
        }
    }
}

/* Lets them slide; `moved` is empty again after that. */
__kernel void slide_move(__global double *restrict h, __global const double *restrict next,
                         __global uchar *restrict moves, __global uchar *restrict moved,
                         __global const uchar *restrict busy, __global uchar *restrict was_busy,
                         __global volatile uint *wakes, rvi_steep_law law, ROCK_ARGS) {
    const river_rock below = ROCK;
    int part = (int)get_global_id(0), y = (int)get_global_id(1);
    if (part >= law.parts)
        return;
    size_t at = (size_t)y * (size_t)law.parts + (size_t)part;
    size_t row = (size_t)y * (size_t)law.width;
    size_t end = row + (size_t)rvi_mini((part + 1) * RVI_TILE, law.width);
    for (size_t i = row + (size_t)part * RVI_TILE; busy[at] && i < end; i++) {
        if (!moves[i])
            continue;
        double was = h[i], top = bed ? bed[i] : 0.0, to = river_slid(&below, i, was, next[i], &top);
        h[i] = to;
        if (bed)
            bed[i] = top;
        moves[i] = was - to > law.enough;
        if (moves[i])
            *wakes = 1; /* whoever writes it */
    }
    for (size_t i = row + (size_t)part * RVI_TILE; was_busy[at] && i < end; i++)
        moved[i] = 0;
    was_busy[at] = 0;
}

/* ---- what creeps ---- */

__kernel void river_loosen(__global const double *restrict h, __global const float *restrict factor,
                           __global const float *restrict mask, __global float *restrict loose,
                           rvi_loose_law law) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= law.width)
        return;
    size_t width = (size_t)law.width, i = (size_t)y * width + (size_t)x;
    double part = river_factor(factor, i), rate = law.creep * part;
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

/* One row or column an item: `count` cells from `start` on, each `step` after the other. */
static void creep_line(__global const double *from, __global double *to, __global double *scratch,
                       __global const uchar *fixed, __global const float *loose,
                       const rvi_creep_law *law, size_t start, size_t step, int count) {
    double a = 0.0, last = 0.0, kept = 0.0;
    for (int k = 0; k < count; k++) {
        size_t i = start + (size_t)k * step;
        double b = k + 1 < count ? creep_between(loose, law, i, i + step) : 0.0;
        double loosens = fixed[i] ? 0.0 : 1.0, down = loosens * a, up = loosens * b;
        double rest = 1.0 + down * kept, whole = 1.0 / (rest + up);
        last = (from[i] + down * last) * whole;
        kept = rest * whole;
        to[i] = last;
        scratch[i] = up * whole;
        a = b;
    }
    for (int k = count - 1; k-- > 0;) {
        size_t i = start + (size_t)k * step;
        last = to[i] + scratch[i] * last;
        to[i] = last;
    }
}

__kernel void creep_rows(__global const double *from, __global double *to, __global double *scratch,
                         __global const uchar *restrict fixed, __global const float *restrict loose,
                         rvi_creep_law law) {
    size_t y = get_global_id(0);
    if (y < (size_t)law.height)
        creep_line(from, to, scratch, fixed, loose, &law, y * (size_t)law.width, 1, law.width);
}

__kernel void creep_columns(__global double *to, __global double *scratch,
                            __global const uchar *restrict fixed, __global const float *restrict loose,
                            rvi_creep_law law) {
    size_t x = get_global_id(0);
    if (x < (size_t)law.width)
        creep_line(to, to, scratch, fixed, loose, &law, x, (size_t)law.width, law.height);
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

/* And in each strip of columns. */
__kernel void creep_cross_strips(__global const double *restrict to,
                                 __global const uchar *restrict fixed,
                                 __global const float *restrict loose,
                                 __global const uchar *restrict found,
                                 __global rvi_side_flux *restrict flux, rvi_creep_law law) {
    int strip = (int)get_global_id(0);
    int strips = (law.width + RVI_CREEP_STRIP - 1) / RVI_CREEP_STRIP;
    rvi_side_flux sum = {0.0, 0.0, 0.0};
    if (strip >= strips)
        return;
    int end = rvi_mini((strip + 1) * RVI_CREEP_STRIP, law.width);
    for (int y = law.height - 1; y-- > 0;) {
        if (!found[(size_t)y * (size_t)strips + (size_t)strip])
            continue;
        for (int x = strip * RVI_CREEP_STRIP; x < end; x++) {
            size_t i = (size_t)y * (size_t)law.width + (size_t)x;
            creep_count(to, fixed, loose, &law, i, i + (size_t)law.width, &sum);
        }
    }
    flux[law.height + strip] = sum;
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
    if (now != sum)
        river_shift(&below, i, now - sum, &sum, &top);
    h[i] = sum;
    bed[i] = top;
}

/* ---- the edge of the map, which the processor looks at ---- */

/* Place `k` of two rows and two columns at each side, or of one: -1 beyond them. */
static long river_edge_cell(int k, int deep, int width, int height) {
    int rows = 2 * deep * width;
    if (k < rows) {
        int row = k / width, y = row < deep ? row : height - 1 - (row - deep);
        return y < 0 || y >= height ? -1 : (long)y * width + k % width;
    }
    k -= rows;
    int column = k / height, x = column < deep ? column : width - 1 - (column - deep);
    return column >= 2 * deep || x < 0 || x >= width ? -1 : (long)(k % height) * width + x;
}

__kernel void river_edge_out(__global const double *restrict h, __global double *restrict edge,
                             int width, int height) {
    int k = (int)get_global_id(0);
    long cell = river_edge_cell(k, 2, width, height);
    if (cell >= 0)
        edge[k] = h[cell];
}

__kernel void river_edge_in(__global double *restrict h, __global double *restrict bed,
                            __global uchar *restrict fixed, __global const double *restrict edge,
                            __global const double *restrict edge_bed,
                            __global const uchar *restrict sides, int width, int height) {
    int k = (int)get_global_id(0);
    long cell = river_edge_cell(k, 1, width, height);
    if (cell < 0)
        return;
    h[cell] = edge[k];
    if (bed)
        bed[cell] = edge_bed[k];
    fixed[cell] = sides[k];
}

/* The same for the layers above the bedrock, one row and one column deep; in: they go to the map. */
__kernel void river_edge_stack(__global float *restrict stack, __global float *restrict edge, int width,
                               int height, int in) {
    int k = (int)get_global_id(0), layer = (int)get_global_id(1);
    long cell = river_edge_cell(k, 1, width, height);
    size_t place = (size_t)layer * (size_t)(2 * (width + height)) + (size_t)k;
    size_t at = (size_t)layer * (size_t)width * (size_t)height + (size_t)cell;
    if (cell >= 0 && in)
        stack[at] = edge[place];
    else if (cell >= 0)
        edge[place] = stack[at];
}

/* ---- from coarse cells to finer ones ---- */

__kernel void river_bring(__global double *restrict h, __global double *restrict risen,
                          __global double *restrict lifted, __global const uchar *restrict fixed,
                          __global const float *restrict uplift, __global const float *restrict factor,
                          __global const double *restrict start, __global const double *restrict coarse,
                          rvi_bring_law law, ROCK_ARGS) {
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
    rvi_level_land(start, coarse, law.coarse_width, law.coarse_height, law.seed,
                   (size_t)x, (size_t)y, &before, &after);
    double to = after + (was - before) * (1.0 - (1.0 - law.stays) * river_factor(factor, cell));
    to = to < law.sea ? law.sea : to; /* never without a sea */
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
                               rvi_bring_law law, double size) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= law.width)
        return;
    size_t i = (size_t)y * (size_t)law.width + (size_t)x, wide = (size_t)law.coarse_width;
    size_t east = wide > 1, south = law.coarse_height > 1 ? wide : 0;
    double u, v;
    size_t c = wide * rvi_level_before((double)y * size, law.coarse_height, &v);
    c += rvi_level_before((double)x * size, law.coarse_width, &u);
    double by = rvi_level_change(start, coarse, c, east, south, u, v);
    bool stays = factor && !(factor[i] > 0.0f);
    if (fixed[i] != RVI_SEA)
        land[i] = (float)(h[i] + (stays ? 0.0 : by));
}
