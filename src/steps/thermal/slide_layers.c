/* slide_layers.c: one round of sliding ground where there are layers, a mask, hardness, or where
 * slopes are gradients. Two passes, both gather: first every cell finds what it can give, then
 * every cell takes what its neighbours give it. Layers above bedrock are counted in finer quanta
 * than heights, so that a thin one can slide away to the last of it. Equations: thermal.c.
 */
#include "base/threads.h"
#include "steps/thermal/slide.h"

#include <math.h>
#include <string.h>

/* Of `giving`: which layer, and whether the flows could take all of it. */
enum { LAYER = 0x7fff, SCARCE = 0x8000 };

static const int dir_x[RVI_DIRECTIONS] = {1, -1, 0, 0, 1, -1, -1, 1};
static const int dir_y[RVI_DIRECTIONS] = {0, 0, 1, -1, 1, -1, 1, -1};

int rvi_slide_exposed(const rvi_slide *s, size_t i) {
    int l = s->layers - 1;
    while (l > 0 && !(s->thick[(size_t)l * s->count + i] > s->film))
        l--;
    return l;
}

/* ---- what a cell gives ---- */

/* Metres that slide from i in a direction as slide_settle.c wants it, whatever the slopes. */
static float planned_flow(const rvi_slide *s, size_t i, int dir) {
    switch (dir) {
    case RVI_EAST:
        return rvi_maxf(s->slides[0][i], 0.0f);
    case RVI_WEST:
        return rvi_maxf(-s->slides[0][i - 1], 0.0f);
    case RVI_SOUTH:
        return rvi_maxf(s->slides[1][i], 0.0f);
    case RVI_NORTH:
        return rvi_maxf(-s->slides[1][i - s->stride], 0.0f);
    default:
        return 0.0f;
    }
}

/* Metres that would slide from i in a direction, were there enough. */
static float pair_flow(const rvi_slide *s, size_t i, int dir, int layer) {
    if (s->sliding)
        return planned_flow(s, i, dir);
    size_t j = i + (size_t)s->step[dir];
    int kind = dir >= RVI_SE;
    float excess = rvi_slide_excess(s->h[i] - s->h[j], s->limit[2 * layer + kind]);
    float flow = s->rate[kind] * s->yields[layer] * excess;
    flow *= rvi_factor_cell(&s->factor, i);
    flow *= layer < s->height_layers ? s->height_part[(size_t)layer * s->count + i] : 1.0f;
    return flow * (s->takes ? s->takes[j] : 1.0f);
}

static double slope_flow(const rvi_slide *s, size_t i, int dir) {
    size_t j = i + (size_t)s->step[dir];
    double part = s->p->receiver == RV_thermal_receiver_all ? (double)(s->h[i] - s->h[j]) : 1.0;
    return part * (s->takes ? (double)s->takes[j] : 1.0);
}

/* What slides of a layer from i in a direction: the same, to the bit, for the cell that gives and
 * the one that gets. A layer that has plenty is counted in quanta of heights, so that no float of
 * it is rounded; one that slides away goes in fine ones, to the last of it. */
static double flow(const rvi_slide *s, size_t i, int dir, int layer) {
    bool pairs = s->p->method == RV_thermal_method_pairs;
    double want = pairs ? (double)pair_flow(s, i, dir, layer) : slope_flow(s, i, dir);
    want *= s->give[(size_t)layer * s->count + i];
    if (s->giving[i] == layer)
        return (double)rvi_slide_round((float)want, s->magic);
    return rvi_slide_floor(want, s->fine, s->fine_magic);
}

/* Opposite neighbours first: the same for flipped and turned land. */
static double sum_ways(const double *v) {
    return ((v[RVI_EAST] + v[RVI_WEST]) + (v[RVI_SOUTH] + v[RVI_NORTH])) +
           ((v[RVI_SE] + v[RVI_NW]) + (v[RVI_SW] + v[RVI_NE]));
}

/* K of the paper: 1, or less where the flows would take more than the layer has. A hair less than
 * that, so that rounding cannot take it below nothing. What it cannot give, the next layer may
 * (returns which share that is): else a trickle over steep rock would hold the rock. */
static double feed(const rvi_slide *s, size_t i, int layer, double share, double wanted) {
    double *give = &s->give[(size_t)layer * s->count + i];
    double has = s->thick[(size_t)layer * s->count + i];
    *give = share;
    s->giving[i] = (uint16_t)layer;
    if (layer == 0 || share * wanted + RVI_DIRECTIONS * s->quantum <= has)
        return 0.0;
    s->giving[i] |= SCARCE;
    if (share * wanted <= has)
        return 0.0;
    *give = has / wanted * (1.0 - 0x1p-48);
    return share - *give;
}

static void plan_pairs(const rvi_slide *s, size_t i, unsigned directions) {
    double share = 1.0;
    for (int layer = s->exposed[i]; layer >= 0 && share > 0.0; layer--) {
        s->give[(size_t)layer * s->count + i] = 0.0;
        if (layer > 0 && !(s->thick[(size_t)layer * s->count + i] > s->film))
            continue;
        double want[RVI_DIRECTIONS] = {0};
        float stands = s->limit[2 * layer];
        for (int dir = 0; dir < RVI_DIRECTIONS; dir++) {
            bool steep = s->sliding || s->h[i] - s->h[i + (size_t)s->step[dir]] > stands;
            if (!(directions & 1u << dir) || !steep)
                continue;
            want[dir] = (double)pair_flow(s, i, dir, layer);
            s->to[i] |= (uint8_t)(want[dir] > 0.0 ? 1u << dir : 0);
        }
        share = feed(s, i, layer, share, sum_ways(want));
    }
}

/* ---- strategy A: the gradient says how much slides, and where to ---- */

/* Height of a neighbour; beyond a wall the land is level. */
static float beside(const rvi_slide *s, size_t i, unsigned directions, int dir) {
    return s->h[directions & 1u << dir ? i + (size_t)s->step[dir] : i];
}

static float slope_along(const rvi_slide *s, size_t i, unsigned directions, int up, int down) {
    float before = beside(s, i, directions, down), after = beside(s, i, directions, up);
    switch (s->p->gradient) {
    case RV_thermal_gradient_forward:
        return (after - s->h[i]) / s->job->land->cell;
    case RV_thermal_gradient_backward:
        return (s->h[i] - before) / s->job->land->cell;
    default:
        return (after - before) / (2.0f * s->job->land->cell);
    }
}

static unsigned lower_directions(const rvi_slide *s, size_t i, unsigned directions) {
    unsigned lower = 0;
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++)
        if (directions & 1u << dir && s->h[i + (size_t)s->step[dir]] < s->h[i])
            lower |= 1u << dir;
    return lower;
}

/* The lowest of the lower neighbours; several when they are equal. */
static unsigned lowest_directions(const rvi_slide *s, size_t i, unsigned directions) {
    unsigned lower = lower_directions(s, i, directions), lowest = 0;
    float low = s->h[i];
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++)
        if (lower & 1u << dir)
            low = rvi_minf(low, s->h[i + (size_t)s->step[dir]]);
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++)
        if (lower & 1u << dir && s->h[i + (size_t)s->step[dir]] == low)
            lowest |= 1u << dir;
    return lowest;
}

/* The neighbour that lies against the gradient, be it higher or lower; with four neighbours both
 * when the gradient points between them. */
static unsigned gradient_directions(const rvi_slide *s, unsigned directions, float gx, float gy) {
    const float half_step = 0.41421356f; /* tan of half the angle between eight directions */
    float ax = gx < 0.0f ? -gx : gx, ay = gy < 0.0f ? -gy : gy;
    bool eight = s->p->neighbours == RV_thermal_neighbours_8;
    bool along_x = eight ? ax >= half_step * ay : ax >= ay;
    bool along_y = eight ? ay >= half_step * ax : ay >= ax;
    int x = along_x ? (gx > 0.0f ? -1 : 1) : 0, y = along_y ? (gy > 0.0f ? -1 : 1) : 0;
    unsigned to = 0;
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++) {
        bool hit = eight ? dir_x[dir] == x && dir_y[dir] == y
                         : (dir_x[dir] == x && dir_y[dir] == 0 && x != 0) ||
                               (dir_y[dir] == y && dir_x[dir] == 0 && y != 0);
        to |= hit ? 1u << dir : 0;
    }
    return to & directions;
}

static void plan_slope(const rvi_slide *s, size_t i, unsigned directions) {
    float gx = slope_along(s, i, directions, RVI_EAST, RVI_WEST);
    float gy = slope_along(s, i, directions, RVI_SOUTH, RVI_NORTH);
    float slope = sqrtf(gx * gx + gy * gy);
    unsigned to = s->p->receiver == RV_thermal_receiver_all ? lower_directions(s, i, directions)
                  : s->p->receiver == RV_thermal_receiver_lowest
                      ? lowest_directions(s, i, directions)
                      : gradient_directions(s, directions, gx, gy);
    double parts[RVI_DIRECTIONS] = {0}, share = 1.0;
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++)
        if (to & 1u << dir)
            parts[dir] = slope_flow(s, i, dir);
    double sum = sum_ways(parts);
    s->to[i] = (uint8_t)(sum > 0.0 ? to : 0);
    for (int layer = s->exposed[i]; layer >= 0 && share > 0.0 && s->to[i]; layer--) {
        s->give[(size_t)layer * s->count + i] = 0.0;
        if (layer > 0 && !(s->thick[(size_t)layer * s->count + i] > s->film))
            continue;
        float stands = s->limit[2 * layer] / s->job->land->cell;
        float amount = s->slope_rate * s->yields[layer] * rvi_slide_excess(slope, stands);
        amount *= rvi_factor_cell(&s->factor, i);
        amount *= layer < s->height_layers ? s->height_part[(size_t)layer * s->count + i] : 1.0f;
        /* Ditches would be dug without bound. */
        amount = rvi_minf(amount, rvi_maxf(s->h[i] - s->lowest, 0.0f));
        share = feed(s, i, layer, share, (double)amount);
        s->give[(size_t)layer * s->count + i] *= (double)amount / sum;
    }
}

static void plan_rows(void *arg, int first, int end) {
    const rvi_slide *s = arg;
    bool pairs = s->p->method == RV_thermal_method_pairs;
    for (int y = first; y < end; y++)
        for (int x = 0; x < s->width; x++) {
            size_t i = rvi_slide_at(s, x, y);
            unsigned directions = rvi_slide_open(s, x, y);
            s->exposed[i] = (uint16_t)rvi_slide_exposed(s, i);
            s->giving[i] = s->exposed[i];
            s->to[i] = 0;
            for (int l = 0; l < s->height_layers; l++)
                s->height_part[(size_t)l * s->count + i] = rvi_slide_by_height(s, x, y, l);
            (pairs ? plan_pairs : plan_slope)(s, i, directions);
        }
}

/* ---- and what it gets ---- */

/* Moves what slides from i in a direction out of, or into, the layers of cell `at`; returns how
 * much. */
static double move_flows(const rvi_slide *s, size_t i, int dir, size_t at) {
    bool top = s->p->give == RV_thermal_give_top;
    double sum = 0.0;
    for (int l = s->exposed[i]; l >= (s->giving[i] & LAYER); l--) {
        double moves = flow(s, i, dir, l);
        int onto = at != i && top ? s->layers - 1 : l;
        s->thick[(size_t)onto * s->count + at] += at == i ? -moves : moves;
        sum += moves;
    }
    return sum;
}

static void move_cell(const rvi_slide *s, int x, int y, double *off) {
    size_t i = rvi_slide_at(s, x, y);
    unsigned inside = rvi_slide_inside(s, x, y);
    bool moved = false;
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++) {
        unsigned way = 1u << dir;
        size_t j = i + (size_t)s->step[dir];
        if (s->to[i] & way) {
            double out = move_flows(s, i, dir, i);
            *off += inside & way ? 0.0 : out;
            moved = true;
        }
        if (inside & way && s->to[j] & 1u << (dir ^ 1)) {
            move_flows(s, j, dir ^ 1, i);
            moved = true;
        }
    }
    s->next[i] = s->h[i];
    if (!moved)
        return;
    double sum = 0.0;
    for (int l = 0; l < s->layers; l++)
        sum += s->thick[(size_t)l * s->count + i];
    s->next[i] = (float)sum;
}

static void move_block(void *arg, int64_t block) {
    const rvi_slide *s = arg;
    int first = (int)block * RVI_ROWS, end = rvi_mini(first + RVI_ROWS, s->height);
    double off = 0.0;
    for (int y = first; y < end; y++)
        for (int x = 0; x < s->width; x++)
            move_cell(s, x, y, &off);
    s->off[block] = off;
}

rv_status rvi_slide_layers_round(rvi_slide *s) {
    int blocks = (s->height + RVI_ROWS - 1) / RVI_ROWS;
    rv_status status = rvi_parallel_rows(s->job->ctx, s->height, plan_rows, s);
    if (status != RV_OK)
        return status;
    memset(s->done, 0, (size_t)blocks * sizeof *s->done);
    s->moving = true;
    return rvi_slide_layers_move(s);
}

rv_status rvi_slide_layers_move(rvi_slide *s) {
    int blocks = (s->height + RVI_ROWS - 1) / RVI_ROWS;
    rv_status status = rvi_parallel_rest(s->job->ctx, blocks, s->done, move_block, s);
    if (status != RV_OK)
        return status;
    for (int b = 0; b < blocks; b++)
        s->left_map += s->off[b];
    float *now = s->h;
    s->h = s->next;
    s->next = now;
    s->moving = false;
    return RV_OK;
}

rv_status rvi_slide_layers_set_bedrock(rvi_slide *s) {
    for (int y = 0; y < s->height; y++) {
        if (rvi_poll(s->job->ctx) != RV_OK)
            return RV_CANCELLED;
        for (int x = 0; x < s->width; x++) {
            size_t i = rvi_slide_at(s, x, y);
            s->thick[i] = (double)s->h[i];
        }
    }
    return RV_OK;
}

rv_status rvi_slide_layers_fill(rvi_slide *s) {
    for (int y = 0; y < s->height; y++) {
        if (rvi_poll(s->job->ctx) != RV_OK)
            return RV_CANCELLED;
        for (int x = 0; x < s->width; x++) {
            size_t i = rvi_slide_at(s, x, y), cell = (size_t)y * (size_t)s->width + (size_t)x;
            double sum = 0.0;
            for (int l = 0; l < s->layers; l++) {
                float t = s->before[(size_t)l * s->cells + cell];
                double has = l == 0 ? (double)rvi_slide_snap(s, t)
                                    : rvi_slide_floor((double)t, s->fine, s->fine_magic);
                s->thick[(size_t)l * s->count + i] = has;
                sum += has;
            }
            s->h[i] = (float)sum;
        }
    }
    return RV_OK;
}
