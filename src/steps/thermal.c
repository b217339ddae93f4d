/* thermal.c: ground that stands steeper than its talus angle slides down to its neighbours.
 *
 * L. Teissier, O. Le Tullier, T. Poyet, Interactive Layered Terrain Generation (strategies A and
 * B); O. Stava and others, Interactive Terrain Modeling Using Hydraulic Erosion, 2008; F. K.
 * Musgrave and others, The synthesis and rendering of eroded fractal terrains, 1989. Heights h,
 * cells c and distances d are metres, k is in 1/s, dt in s.
 *
 * method=pairs (B). From cell i to each lower neighbour j slide, in a round,
 *     dh_ij = k dt / 2 w_ij max(0, h_i - h_j - d_ij tan talus)             w_ij = (c / d_ij) / W
 * metres, with W the sum of c / d over all neighbours: 4, or 4 + 2 sqrt 2. It is the published
 * k' ((h_i - h_j) / d_ij - tan talus) dt with k' = k c / (2 W): a rate that does not depend on the
 * cell size. All flows of a cell are scaled by
 *     K = min(1, b_i / sum_j dh_ij)
 * so that the layer that lies open, b_i thick, can feed them, and h_i' = h_i - sum out + sum in.
 * Where K < 1 the layer below gives too, 1 - K times what it would give if it lay open, and so on.
 *
 * Stability: h_i' has the slope 1 - sum of k dt / 2 w over active neighbours >= 1 - k dt / 2 in
 * h_i and slopes >= 0 in all h_j; up to k dt = 2 it is monotone, so no height leaves the range of
 * its neighbourhood, and as ground is only moved, two lands never grow apart. Up to k dt = 1 no
 * eigenvalue is below 0 either (4 neighbours: at least 1 - k dt): nothing swings. Rounds with
 * k dt > 1 are cut into equal parts of at most 1.
 *
 * It is diffusion of the excess, k c^2 / (4 W) m2/s or so: N rounds reach sqrt(N) cells.
 * rounds=auto are (reach / c)^2, so that ground slides as far in metres at any cell size; where
 * that is no whole number, k is lowered for the rounds to fit.
 *
 * method=slope (A). A cell with s = |grad h| > tan talus loses k dt c / 4 (s - tan talus) metres to
 * the neighbours that `receiver` names; `all`: in proportion to h_i - h_j. It digs ditches where
 * the gradient looks past a neighbour; no cell is dug below the lowest point of the map.
 *
 * Hardness and mask of i, erodibility of its open layer (of bedrock, also its band: bands.h) and
 * the mask of j scale what slides: hard bands stand as cliffs while soft ones retreat, and with
 * until=settled only what gives nothing at all stays steep.
 * border=open: outside lies a ring of cells 2 h(edge) - h(one further in), high as it is when the
 * step begins. What slides there is gone; nothing comes from there.
 */
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "device/device_range.h"
#include "steps/thermal/slide.h"
#include "wear/border.h"

#include <math.h>
#include <string.h>

static const double MOST_ROUNDS = 1e9; /* as many as may be asked for */

/* ---- the plain round: one layer, nothing that holds it back ---- */

static void plain_row_8(const rvi_slide *s, size_t from, size_t to) {
    const float *restrict c = s->h, *restrict n = s->h - s->stride, *restrict d = s->h + s->stride;
    float *restrict out = s->next;
    const float m = s->magic, r = s->rate[0], l = s->limit[0], rx = s->rate[1], lx = s->limit[1];
    for (size_t i = from; i < to; i++) {
        float straight = rvi_slide_net4(c[i], c[i - 1], c[i + 1], n[i], d[i], r, l, m);
        float diagonal = rvi_slide_net4(c[i], n[i - 1], d[i + 1], n[i + 1], d[i - 1], rx, lx, m);
        out[i] = c[i] - (straight + diagonal);
    }
}

static void plain_row_4(const rvi_slide *s, size_t from, size_t to) {
    const float *restrict c = s->h, *restrict n = s->h - s->stride, *restrict d = s->h + s->stride;
    float *restrict out = s->next;
    const float m = s->magic, r = s->rate[0], l = s->limit[0];
    for (size_t i = from; i < to; i++)
        out[i] = c[i] - rvi_slide_net4(c[i], c[i - 1], c[i + 1], n[i], d[i], r, l, m);
}

static void edge_cell(const rvi_slide *s, int x, int y, double *off) {
    size_t i = rvi_slide_at(s, x, y);
    unsigned inside = rvi_slide_inside(s, x, y);
    float lost = 0.0f;
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++) {
        int kind = dir >= RVI_SE;
        float fall = s->h[i] - s->h[i + (size_t)s->step[dir]];
        if (inside & 1u << dir) {
            lost += rvi_slide_net(fall, s->rate[kind], s->limit[kind], s->magic);
        } else if (s->off_directions & 1u << dir) {
            float out = s->rate[kind] * rvi_slide_excess(fall, s->limit[kind]);
            out = rvi_slide_round(out, s->magic);
            lost += out;
            *off += (double)out;
        }
    }
    s->next[i] = s->h[i] - lost;
}

/* Did anything change around a tile in the round before? If not nothing will now, and `next`, which
 * holds the round before that, is right as it is. */
static bool tile_is_awake(const rvi_slide *s, int block, int tile) {
    for (int b = rvi_maxi(block - 1, 0); b <= block + 1 && b * RVI_ROWS < s->height; b++)
        for (int t = rvi_maxi(tile - 1, 0); t <= tile + 1 && t < s->tiles; t++)
            if (s->changed[0][b * s->tiles + t])
                return true;
    return false;
}

static void plain_segment(const rvi_slide *s, int left, int right, int y, double *off) {
    bool edge = y == 0 || y == s->height - 1;
    for (int x = left; x < right; x++) {
        if (!edge && x > 0 && x < s->width - 1)
            x = right - 1; /* the inner cells follow below */
        if (edge || x == 0 || x == s->width - 1)
            edge_cell(s, x, y, off);
    }
    int from = rvi_maxi(left, 1), to = rvi_mini(right, s->width - 1);
    if (edge || from >= to)
        return;
    if (s->directions == RVI_ALL_DIRECTIONS)
        plain_row_8(s, rvi_slide_at(s, from, y), rvi_slide_at(s, to, y));
    else
        plain_row_4(s, rvi_slide_at(s, from, y), rvi_slide_at(s, to, y));
}

static void plain_rows(void *arg, int first, int end) {
    const rvi_slide *s = arg;
    double off = 0.0;
    int block = first / RVI_ROWS;
    for (int t = 0; t < s->tiles; t++) {
        int left = t * RVI_SLIDE_TILE, right = rvi_mini(left + RVI_SLIDE_TILE, s->width);
        size_t bytes = (size_t)(right - left) * sizeof(float);
        bool changed = false;
        for (int y = first; y < end && tile_is_awake(s, block, t); y++) {
            size_t at = rvi_slide_at(s, left, y);
            plain_segment(s, left, right, y, &off);
            changed = changed || memcmp(s->next + at, s->h + at, bytes) != 0;
        }
        s->changed[1][block * s->tiles + t] = changed;
    }
    s->off[block] = off;
}

static rv_status plain_round(rvi_slide *s) {
    rv_status status = rvi_parallel_rows(s->job->ctx, s->height, plain_rows, s);
    if (status != RV_OK)
        return status;
    for (int b = 0; b * RVI_ROWS < s->height; b++)
        s->left_map += s->off[b];
    float *now = s->h;
    s->h = s->next;
    s->next = now;
    uint8_t *changed = s->changed[1];
    s->changed[1] = s->changed[0];
    s->changed[0] = changed;
    return RV_OK;
}

/* ---- is it settled? ---- */

static bool cell_is_steep(const rvi_slide *s, const rvi_slide_stack *stack, int x, int y) {
    int layer = s->general ? rvi_slide_top(stack, rvi_slide_at(s, x, y)) : 0;
    float soft = layer < s->height_layers ? rvi_slide_by_height(s, x, y, layer) : 1.0f;
    return rvi_slide_steep(stack, s->margin, x, y, layer, soft);
}

static void check_rows(void *arg, int first, int end) {
    const rvi_slide *s = arg;
    const rvi_slide_stack stack = rvi_slide_stack_of(s);
    bool steep = false;
    for (int y = first; y < end && !steep; y++)
        for (int x = 0; x < s->width && !steep; x++)
            steep = cell_is_steep(s, &stack, x, y);
    s->steep[first / RVI_ROWS] = steep;
}

/* Is no slope steeper than its talus angle? RV_CANCELLED: not known. */
static rv_status check_slopes(rvi_slide *s, bool *settled) {
    if (s->job->device) {
        size_t steep = 0;
        rv_status found = rvi_settle_device_steep(s, &steep);
        *settled = found == RV_OK && steep == 0;
        return found;
    }
    rv_status status = rvi_parallel_rows(s->job->ctx, s->height, check_rows, s);
    *settled = status == RV_OK;
    for (int b = 0; b * RVI_ROWS < s->height; b++)
        *settled = *settled && !s->steep[b];
    return status;
}

static rv_status count_steep(rvi_slide *s, size_t *count) {
    if (s->job->device)
        return rvi_settle_device_steep(s, count);
    const rvi_slide_stack stack = rvi_slide_stack_of(s);
    *count = 0;
    for (int y = 0; y < s->height; y++) {
        if (rvi_poll(s->job->ctx) != RV_OK)
            return RV_CANCELLED;
        for (int x = 0; x < s->width; x++)
            *count += cell_is_steep(s, &stack, x, y);
    }
    return RV_OK;
}

/* ---- before ---- */

static float tangent(double degrees) {
    float angle = (float)(degrees * (RVI_PI / 180.0));
    return degrees < 90.0 ? rvi_sinf(angle) / rvi_cosf(angle) : 1e30f;
}

/* Cells that ground slides over, at most, with rounds=auto: on finer cells runs would not end. */
static const double MOST_REACH = 128.0;

/* Rounds, and the part of one that each counts for. */
static double count_rounds(rvi_slide *s) {
    double cells = (double)(rvi_length(s->p->reach, s->job->land->cell) / s->job->land->cell);
    cells = cells < MOST_REACH ? cells : MOST_REACH;
    double wanted = cells * cells < MOST_ROUNDS ? cells * cells : MOST_ROUNDS;
    s->rounds = s->p->rounds;
    if (s->p->rounds != RV_AUTO_INT)
        return 1.0;
    s->rounds = (int64_t)wanted;
    s->rounds += (double)s->rounds < wanted;
    return s->rounds > 0 ? wanted / (double)s->rounds : 1.0;
}

static void set_law(rvi_slide *s) {
    const rv_thermal_params *p = s->p;
    const rv_terrain *land = s->job->land;
    double product = (double)p->k * (double)p->dt * count_rounds(s);
    s->parts = 1;
    while (product > (double)s->parts)
        s->parts++;
    double share = product / (double)s->parts;
    bool settle = p->until == RV_thermal_until_settled;
    if (settle) { /* only the end counts: as fast as is monotone and still damps what swings */
        s->parts = 1;
        share = s->directions == RVI_ALL_DIRECTIONS ? 1.9 : 1.6;
    }
    double diagonal = 0.70710678118654752;
    double all = s->directions == RVI_ALL_DIRECTIONS ? 4.0 + 4.0 * diagonal : 4.0;
    s->rate[0] = (float)(share / (2.0 * all));
    s->rate[1] = (float)(share / (2.0 * all) * diagonal);
    s->slope_rate = (float)(share / 4.0) * land->cell;
    for (int l = 0; l < s->layers; l++) {
        double talus = isnan(p->talus) ? (double)land->layers[l].talus : (double)p->talus;
        float stands = tangent(talus), most = tangent(talus + 0.45);
        float yields = land->layers[l].erodibility;
        s->yields[l] = settle && yields > 0.0f ? 1.0f : yields;
        s->limit[2 * l] = land->cell * stands;
        s->limit[2 * l + 1] = land->cell * 1.41421356f * stands;
        s->margin[2 * l] = land->cell * (most - stands);
        s->margin[2 * l + 1] = land->cell * 1.41421356f * (most - stands);
    }
}

static void set_quantum(rvi_slide *s) {
    float low = s->lowest, high = s->highest;
    double most = rvi_maxf(rvi_maxf(-low, high), high - low);
    most = most > 1e-20 ? most * 1.0001 : 1e-20;
    /* Gradients may send ground uphill: room for that. */
    most *= s->p->method == RV_thermal_method_slope ? 4.0 : 1.0;
    s->quantum = 1.0;
    while (s->quantum * 0x1p24 < most)
        s->quantum *= 2.0;
    while (s->quantum * 0x1p23 > most)
        s->quantum *= 0.5;
    s->fine = s->quantum * 0x1p-24;
    s->film = s->fine * 1024.0;
    s->magic = (float)(0x1.8p23 * s->quantum);
    s->fine_magic = 0x1.8p52 * s->fine;
}

static void size_grids(rvi_slide *s) {
    const rv_terrain *land = s->job->land;
    const rv_thermal_params *p = s->p;
    s->width = land->width;
    s->height = land->height;
    s->layers = land->layer_count;
    s->tiles = (s->width + RVI_SLIDE_TILE - 1) / RVI_SLIDE_TILE;
    s->stride = (size_t)s->width + 2;
    s->cells = rvi_cells(land);
    s->count = s->stride * ((size_t)s->height + 2);
    ptrdiff_t row = (ptrdiff_t)s->stride;
    const ptrdiff_t step[RVI_DIRECTIONS] = {1, -1, row, -row, row + 1, -row - 1, row - 1, 1 - row};
    memcpy(s->step, step, sizeof step);
    s->directions = p->neighbours == RV_thermal_neighbours_8 ? RVI_ALL_DIRECTIONS : RVI_STRAIGHT;
    s->open = p->border == RV_thermal_border_open;
    /* The search for the land at rest knows no corners: ground that crept out across them, to a
     * place outside that lies far below its neighbours, would take many rounds. */
    bool settle = p->until == RV_thermal_until_settled;
    s->off_directions = s->open ? s->directions & (settle ? RVI_STRAIGHT : RVI_ALL_DIRECTIONS) : 0;
    s->general = s->layers > 1 || p->method == RV_thermal_method_slope ||
                 land->layers[0].erodibility != 1.0f || rvi_field_there(land, "mask") ||
                 rvi_field_there(land, "hardness") || rvi_rock_differs(land) ||
                 rvi_erosion_fn_there(land);
}

/* Can the land at rest be sought at once? A layer that gives nothing would hold what is below, a
 * band that gives nothing holds only as long as it lies open, and where a function or a volume is 0
 * is not known before it is asked. */
static bool settles_at_once(const rvi_slide *s) {
    for (int l = 0; s->layers > 1 && l < s->layers; l++)
        if (!(s->job->land->layers[l].erodibility > 0.0f))
            return false;
    if (rvi_erosion_fn_there(s->job->land) || rvi_volume_there(s->job->land))
        return false;
    for (int k = 0; rvi_strata_there(s->job->land) && k < RVI_BANDS; k++)
        if (!(s->job->land->strata.soft[k] > 0.0f))
            return false;
    return s->p->until == RV_thermal_until_settled && s->p->method == RV_thermal_method_pairs;
}

static rvi_factor_shape factor_shape(const rvi_slide *s) {
    return (rvi_factor_shape){
        .first = rvi_slide_at(s, 0, 0), .stride = s->stride, .count = s->count, .by_layer = true};
}

static void list_buffers(rvi_slide *s) {
    rvi_job *job = s->job;
    const rv_terrain *land = job->land;
    size_t layers = (size_t)s->layers, blocks = (size_t)s->height / RVI_ROWS + 1;
    rvi_job_buffer(job, &s->h, s->count, sizeof *s->h, "the sliding land");
    rvi_job_buffer(job, &s->next, s->count, sizeof *s->next, "the sliding land");
    rvi_job_buffer(job, &s->before, layers * s->cells, sizeof(float), "the land as it was");
    rvi_job_buffer(job, &s->tallies, (size_t)s->height * RVI_SLIDE_LANES, sizeof *s->tallies,
                   "the ledger");
    rvi_job_buffer(job, &s->limit, 2 * layers, sizeof *s->limit, "the layers");
    rvi_job_buffer(job, &s->margin, 2 * layers, sizeof *s->margin, "the layers");
    rvi_job_buffer(job, &s->yields, layers, sizeof *s->yields, "the layers");
    rvi_job_buffer(job, &s->off, blocks, sizeof *s->off, "the ledger");
    rvi_job_buffer(job, &s->done, blocks, sizeof *s->done, "the ledger");
    rvi_job_buffer(job, &s->steep, blocks, sizeof *s->steep, "the ledger");
    for (int k = 0; k < 2; k++)
        rvi_job_buffer(job, &s->changed[k], blocks * (size_t)s->tiles, 1, "the tiles that move");
    rvi_factor_shape shape = factor_shape(s);
    rvi_factor_list(job, &shape, &s->factor);
    if (settles_at_once(s))
        rvi_slide_settle_list(s, &job->buffers);
    job->on_device = rvi_slide_device_can(s);
    job->doubles = true;
    bool device = job->on_device && rvi_device_of(job->ctx);
    if (device || s->general)
        rvi_job_buffer(job, &s->off_edge, rvi_slide_edge(s), sizeof *s->off_edge, "the ledger");
    if (device) {
        rvi_job_buffer(job, &s->range_parts, RVI_DEVICE_PARTS, sizeof *s->range_parts, "the range");
        rvi_settle_device_list(s);
    }
    if (!s->general)
        return;
    rvi_job_buffer(job, &s->thick, layers * s->count, sizeof *s->thick, "the sliding layers");
    rvi_job_buffer(job, &s->give, layers * s->count, sizeof *s->give, "what slides");
    rvi_job_buffer(job, &s->exposed, s->count, sizeof *s->exposed, "the layers that lie open");
    rvi_job_buffer(job, &s->giving, s->count, sizeof *s->giving, "the layers that slide");
    rvi_job_buffer(job, &s->to, s->count, 1, "where it slides");
    if (rvi_field_there(land, "mask"))
        rvi_job_buffer(job, &s->takes, s->count, sizeof *s->takes, "the mask");
    s->height_layers = rvi_erosion_fn_there(land) ? s->layers : rvi_rock_differs(land) ? 1 : 0;
    if (s->height_layers > 0)
        rvi_job_buffer(job, &s->height_part, (size_t)s->height_layers * s->count, sizeof(float),
                       "the erosion factor");
    for (int k = 0; k < 2 && s->layers > 1 && settles_at_once(s); k++)
        rvi_job_buffer(job, &s->slides[k], s->count, sizeof(float), "what slides");
}

static rv_status fill_factors(rvi_slide *s) {
    rv_context *ctx = s->job->ctx;
    const float *mask = rvi_field_get(s->job->land, "mask");
    rvi_factor_shape shape = factor_shape(s);
    rv_status status = rvi_factor_make(s->job, &shape, &s->factor);
    for (size_t i = 0; status == RV_OK && s->factor.cells && i < s->count; i++) {
        status = rvi_poll_at(ctx, i);
        s->factor.cells[i] = rvi_slide_hard(s, s->factor.cells[i]);
    }
    for (size_t i = 0; status == RV_OK && mask && i < s->count; i++) {
        status = rvi_poll_at(ctx, i);
        s->takes[i] = 1.0f;
    }
    for (int y = 0; status == RV_OK && mask && y < s->height; y++) {
        status = rvi_poll(ctx);
        for (int x = 0; x < s->width; x++)
            s->takes[rvi_slide_at(s, x, y)] =
                rvi_slide_hard(s, mask[(size_t)y * (size_t)s->width + (size_t)x]);
    }
    return status;
}

/* On the ring lies the land outside. */
static void fill_ring(rvi_slide *s) {
    int w = s->width, d = s->height;
    for (int y = -1; y <= d; y++)
        for (int x = -1; x <= w; x += y == -1 || y == d ? 1 : w + 1) {
            size_t edge = rvi_slide_at(s, rvi_border_nearest(x, w), rvi_border_nearest(y, d));
            size_t inside = rvi_slide_at(s, rvi_border_mirrored(x, w), rvi_border_mirrored(y, d));
            s->h[rvi_slide_at(s, x, y)] = rvi_slide_outside(
                rvi_border_beyond(s->h[edge], s->h[inside]), s->lowest, s->highest, s->quantum);
        }
}

static rv_status fill_heights(rvi_slide *s) {
    if (s->general)
        return rvi_slide_layers_fill(s);
    for (int y = 0; y < s->height; y++) {
        if (rvi_poll(s->job->ctx) != RV_OK)
            return RV_CANCELLED;
        for (int x = 0; x < s->width; x++)
            s->h[rvi_slide_at(s, x, y)] =
                rvi_slide_snap(s, s->before[(size_t)y * (size_t)s->width + (size_t)x]);
    }
    return RV_OK;
}

static rv_status fill_grids(rvi_slide *s) {
    rv_context *ctx = s->job->ctx;
    const rv_terrain *land = s->job->land;
    rvi_range(ctx, land->surface, s->cells, &s->lowest, &s->highest);
    set_quantum(s);
    rv_status status = fill_factors(s);
    for (int l = 0; status == RV_OK && l < s->layers; l++)
        status = rvi_copy(ctx, s->before + (size_t)l * s->cells, land->layers[l].thickness,
                          s->cells * sizeof(float));
    if (status == RV_OK)
        status = fill_heights(s);
    if (status != RV_OK)
        return status;
    fill_ring(s);
    memset(s->changed[0], 1, (size_t)(s->height / RVI_ROWS + 1) * (size_t)s->tiles);
    return rvi_copy(ctx, s->next, s->h, s->count * sizeof(float));
}

/* ---- after ---- */

/* A layer of a cell in quanta. */
static double now_of(const rvi_slide *s, int layer, size_t i) {
    return s->general ? s->thick[(size_t)layer * s->count + i] : (double)s->h[i];
}

static void show_rows(void *arg, int first, int end) {
    const rvi_slide *s = arg;
    const rvi_slide_stack stack = rvi_slide_stack_of(s);
    for (int l = 0; l < s->layers; l++)
        for (int y = first; y < end; y++)
            for (int x = 0; x < s->width; x++) {
                size_t cell = (size_t)y * (size_t)s->width + (size_t)x;
                s->job->land->layers[l].thickness[cell] =
                    rvi_slide_ends(&stack.k, l, now_of(s, l, rvi_slide_at(s, x, y)),
                                   s->before[(size_t)l * s->cells + cell]);
            }
}

static rv_status show_on_device(rvi_slide *s) {
    const rv_terrain *land = s->job->land;
    rv_status status = RV_OK;
    if (s->general && s->layers == 1 && settles_at_once(s))
        status = rvi_settle_device_bedrock(s);
    if (s->general)
        return status == RV_OK ? rvi_slide_device_show(s) : status;
    size_t bytes = s->cells * sizeof(float);
    const rvi_device_arg args[] = {
        {RVI_DEVICE_READ, s->before, bytes},
        {RVI_DEVICE_READ, s->h, s->count * sizeof *s->h},
        {RVI_DEVICE_WRITE, land->surface, bytes},
        {RVI_DEVICE_VALUE, &s->width, sizeof s->width},
        {RVI_DEVICE_VALUE, &s->quantum, sizeof s->quantum},
    };
    return rvi_device_run(s->job->device, "slide_plain", "slide_show", (size_t)s->width,
                          (size_t)s->height, args, 5);
}

static rv_status show_land(rvi_slide *s) {
    rv_status status = RV_OK;
    if (s->job->device)
        return show_on_device(s);
    if (s->general && s->layers == 1 && settles_at_once(s))
        status = rvi_slide_layers_set_bedrock(s);
    if (status == RV_OK)
        status = rvi_parallel_rows(s->job->ctx, s->height, show_rows, s);
    if (status == RV_OK)
        rvi_terrain_sum_layers(s->job->land);
    return status;
}

/* What the cells of a layer have won or lost in all. */
typedef struct counting {
    const rvi_slide *s;
    int layer;
} counting;

static void count_row(const counting *c, int y) {
    const rvi_slide *s = c->s;
    const rvi_slide_stack stack = rvi_slide_stack_of(s);
    const size_t row = (size_t)y * (size_t)s->width;
    const float *now = s->job->land->layers[c->layer].thickness + row;
    const float *before = s->before + (size_t)c->layer * s->cells + row;
    rvi_slide_tally lanes[RVI_SLIDE_LANES] = {{0}};
    for (int x = 0; x < s->width; x++) {
        double moved = now_of(s, c->layer, rvi_slide_at(s, x, y)) -
                       rvi_slide_begins(&stack.k, c->layer, before[x]);
        rvi_slide_tally t = rvi_slide_count(before[x], now[x], moved);
        rvi_slide_tally *lane = &lanes[x % RVI_SLIDE_LANES];
        lane->eroded += t.eroded;
        lane->deposited += t.deposited;
        lane->rounded += t.rounded;
        s->eroded[row + (size_t)x] += (float)t.eroded;
        s->deposited[row + (size_t)x] += (float)t.deposited;
    }
    memcpy(s->tallies + (size_t)y * RVI_SLIDE_LANES, lanes, sizeof lanes);
}

static void count_rows(void *arg, int first, int end) {
    for (int y = first; y < end; y++)
        count_row(arg, y);
}

static rvi_slide_tally sum_tallies(const rvi_slide *s) {
    rvi_slide_tally sum = {0};
    for (size_t k = 0; k < (size_t)s->height * RVI_SLIDE_LANES; k++) {
        sum.eroded += s->tallies[k].eroded;
        sum.deposited += s->tallies[k].deposited;
        sum.rounded += s->tallies[k].rounded;
    }
    return sum;
}

static rv_status count_on_device(const rvi_slide *s, int layer) {
    rvi_job *job = s->job;
    if (s->general)
        return rvi_slide_device_count(s, layer);
    size_t bytes = s->cells * sizeof(float), lanes = (size_t)s->height * RVI_SLIDE_LANES;
    const rvi_device_arg args[] = {
        {RVI_DEVICE_READ, job->land->surface, bytes},
        {RVI_DEVICE_READ, s->before, bytes},
        {RVI_DEVICE_READ, s->h, s->count * sizeof *s->h},
        {RVI_DEVICE_CHANGE, s->eroded, bytes},
        {RVI_DEVICE_CHANGE, s->deposited, bytes},
        {RVI_DEVICE_WRITE, s->tallies, lanes * sizeof *s->tallies},
        {RVI_DEVICE_VALUE, &s->width, sizeof s->width},
        {RVI_DEVICE_VALUE, &s->height, sizeof s->height},
        {RVI_DEVICE_VALUE, &s->quantum, sizeof s->quantum},
    };
    rv_status status = rvi_device_run(job->device, "slide_plain", "slide_count", RVI_SLIDE_LANES,
                                      (size_t)s->height, args, 9);
    return status == RV_OK ? rvi_device_fetch(job->device, s->tallies) : status;
}

static rv_status close_ledger(const rvi_slide *s) {
    rvi_job *job = s->job;
    double area = (double)job->land->cell * (double)job->land->cell;
    rvi_slide_tally all = {0};
    for (int l = 0; l < s->layers; l++) {
        counting c = {s, l};
        rv_status status = job->device ? count_on_device(s, l)
                                       : rvi_parallel_rows(job->ctx, s->height, count_rows, &c);
        if (status != RV_OK)
            return status;
        rvi_slide_tally sum = sum_tallies(s);
        job->deposited_on[l] = sum.deposited * area;
        all.eroded += sum.eroded;
        all.deposited += sum.deposited;
        all.rounded += sum.rounded;
    }
    double left = s->left_map;
    for (size_t k = 0; s->general && k < rvi_slide_edge(s); k++)
        left += s->off_edge[k];
    job->ledger = (rv_ledger){
        .eroded = all.eroded * area, .deposited = all.deposited * area, .left_map = left * area};
    job->rounded = all.rounded * area;
    return RV_OK;
}

/* ---- the plain round on a device ---- */

static rv_status queue_round(rvi_slide *s) {
    const rvi_slide_law law = {.rate = s->rate[0],
                               .limit = s->limit[0],
                               .rate_across = s->rate[1],
                               .limit_across = s->limit[1],
                               .magic = s->magic,
                               .directions = s->directions,
                               .off_directions = s->off_directions};
    const int rows = s->cells > 1 << 25 ? 16 : s->cells > 1 << 19 ? 8 : 1; /* fewer readings */
    const rvi_device_arg args[] = {
        {RVI_DEVICE_READ, s->h, s->count * sizeof *s->h},
        {RVI_DEVICE_CHANGE, s->next, s->count * sizeof *s->next}, /* its ring stays */
        {RVI_DEVICE_CHANGE, s->off_edge, rvi_slide_edge(s) * sizeof *s->off_edge},
        {RVI_DEVICE_VALUE, &s->width, sizeof s->width},
        {RVI_DEVICE_VALUE, &s->height, sizeof s->height},
        {RVI_DEVICE_VALUE, &law, sizeof law},
        {RVI_DEVICE_VALUE, &rows, sizeof rows},
    };
    rv_status status =
        rvi_device_run(s->job->device, "slide_plain", "slide_round", (size_t)s->width,
                       (size_t)((s->height + rows - 1) / rows), args, 7);
    float *now = s->h;
    s->h = status == RV_OK ? s->next : now;
    s->next = status == RV_OK ? now : s->next;
    return status;
}

/* What left in rounds is whole quanta, so that the order of a sum does not matter. */
static rv_status fetch_off(rvi_slide *s) {
    rv_status status = rvi_device_fetch(s->job->device, s->off_edge);
    for (size_t i = 0; i < rvi_slide_edge(s) && !s->general; i++)
        s->left_map += s->off_edge[i];
    return status;
}

/* As fill_grids() does on the processor. */
static rv_status fill_on_device(rvi_slide *s) {
    rvi_device *d = s->job->device;
    const float *land = s->job->land->surface;
    size_t bytes = s->cells * sizeof(float), grid = s->count * sizeof *s->h;
    rv_status status = rvi_device_range(d, land, s->cells, s->range_parts, &s->lowest, &s->highest);
    set_quantum(s);
    if (s->general) {
        rvi_factor_shape shape = factor_shape(s);
        if (status == RV_OK)
            status = rvi_factor_make(s->job, &shape, &s->factor);
        if (status == RV_OK && s->p->until == RV_thermal_until_settled)
            status = rvi_settle_device_harden(s);
        return status == RV_OK ? rvi_slide_device_fill(s) : status;
    }
    const rvi_device_arg args[] = {
        {RVI_DEVICE_READ, land, bytes},
        {RVI_DEVICE_WRITE, s->before, bytes},
        {RVI_DEVICE_WRITE, s->h, grid},
        {RVI_DEVICE_WRITE, s->next, grid},
        {RVI_DEVICE_VALUE, &s->width, sizeof s->width},
        {RVI_DEVICE_VALUE, &s->height, sizeof s->height},
        {RVI_DEVICE_VALUE, &s->lowest, sizeof s->lowest},
        {RVI_DEVICE_VALUE, &s->highest, sizeof s->highest},
        {RVI_DEVICE_VALUE, &s->quantum, sizeof s->quantum},
    };
    if (status == RV_OK)
        status = rvi_device_zero(d, s->off_edge, rvi_slide_edge(s) * sizeof *s->off_edge);
    if (status == RV_OK)
        status = rvi_device_run(d, "slide_plain", "slide_fill", s->stride, (size_t)s->height + 2,
                                args, 9);
    return status;
}

/* ---- rounds ---- */

static rv_status one_part(rvi_slide *s) {
    if (s->job->device)
        return s->general ? rvi_slide_device_round(s) : queue_round(s);
    return s->general ? rvi_slide_layers_round(s) : plain_round(s);
}

/* Tells how far the step is when the round is done; a device is asked after a while, not after each
 * round, and goes on meanwhile. A film asks after each. */
static rv_status one_round(rvi_slide *s, double done) {
    rv_status status = RV_OK;
    for (int part = 0; status == RV_OK && part < s->parts; part++)
        status = one_part(s);
    rvi_device *d = s->job->device;
    bool rests = status == RV_OK && (!d || rvi_device_rests(d, &s->pace, &status));
    if (status != RV_OK || !(rests || rvi_watched(s->job->ctx)))
        return status;
    if (rvi_progress_due(s->job->ctx))
        status = show_land(s);
    return status == RV_OK ? rvi_job_progress(s->job, done) : status;
}

static rv_status run_rounds(rvi_slide *s) {
    rv_status status = RV_OK;
    for (int64_t n = 0; status == RV_OK && n < s->rounds; n++)
        status = one_round(s, (double)(n + 1) / (double)s->rounds);
    return status;
}

/* Brings the land to rest, or near it. Of layers what slides goes a cell in each round. */
static rv_status settle_at_once(rvi_slide *s) {
    s->slide_rounds = rvi_maxi(64, rvi_mini(s->width + s->height, 1000));
    rv_status status = rvi_slide_settle(s, show_land);
    if (status == RV_OK && s->layers == 1 && s->general)
        return s->job->device ? rvi_settle_device_bedrock(s) : rvi_slide_layers_set_bedrock(s);
    s->sliding = s->layers > 1;
    for (int n = 0; status == RV_OK && s->sliding && n < s->slide_rounds; n++)
        status = one_round(s, (double)n / (double)s->slide_rounds);
    s->sliding = false;
    return status;
}

static rv_status run_until_settled(rvi_slide *s) {
    bool settled = false;
    rv_status status = settles_at_once(s) ? settle_at_once(s) : RV_OK;
    const int most = 20000;
    for (int n = 0; status == RV_OK && n < most; n++) {
        if (n % 8 == 0)
            status = check_slopes(s, &settled);
        if (settled)
            return status;
        if (status == RV_OK)
            status = one_round(s, (double)n / (double)most);
    }
    size_t steep;
    if (status == RV_OK)
        status = count_steep(s, &steep);
    if (status == RV_OK)
        rvi_log(s->job->ctx, "thermal: after %d rounds %zu of %zu cells are still too steep.", most,
                steep, s->cells);
    return status;
}

static rv_status run(rvi_job *job) {
    rvi_slide *s = job->state;
    set_law(s);
    rv_status status = job->device ? fill_on_device(s) : fill_grids(s);
    if (status != RV_OK)
        return status;
    job->begun = true;
    status = s->p->until == RV_thermal_until_settled ? run_until_settled(s) : run_rounds(s);
    rv_status fetched = job->device && status != RV_ERROR_DEVICE ? fetch_off(s) : RV_OK;
    return status == RV_OK ? fetched : status;
}

/* After a stop the land is that between two rounds. */
static rv_status close_run(rvi_job *job) {
    rvi_slide *s = job->state;
    rv_status status = s->settling.begun ? rvi_slide_settle_end(s) : RV_OK;
    if (status == RV_OK && s->moving)
        status = rvi_slide_layers_move(s);
    if (status == RV_OK)
        status = show_land(s);
    return status == RV_OK ? close_ledger(s) : status;
}

rv_status rvi_step_thermal(rvi_job *job, const rv_thermal_params *p) {
    rvi_slide *s = rvi_job_begin(job, sizeof *s, run, close_run);
    if (!s)
        return RV_ERROR_MEMORY;
    s->p = p;
    s->job = job;
    size_grids(s);
    list_buffers(s);
    rv_status status = rvi_job_field(job, "eroded", &s->eroded);
    return status == RV_OK ? rvi_job_field(job, "deposited", &s->deposited) : status;
}
