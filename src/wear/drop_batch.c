/* drop_batch.c: drops that make their moves together, a round at a time (drop_batch.h).
 *
 * A slot lets drops run one after the other: drop n is one of slot n modulo the slots, and follows
 * at once on the end of the one before. WAVES drops are on their way for every square that drops
 * fall on (drop_fall.h): more of them at a time would see holes that others are about to fill. With
 * 4 the land differs from that of the exact order as much as by another seed, whatever drops may
 * carry; with 8 particles of capacity=5 leave eight times as many pits. */
#include "wear/drop_batch.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "device/device_range.h"
#include "device/device_sum.h"
#include "wear/drop_ends.h"
#include "wear/floor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WAVES = 4,
    LOOKED_AT = 1 << 21, /* squares */
    MOST_SLOTS = 1 << 21,
    LEAST_SLOTS = 64, /* with rain on few places */
    LOOK = 4096,      /* cells between two looks whether the user wants to stop */
    SLOTS = 64        /* that a thread takes at a time */
};

static uint64_t least_of(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

#define DRAW_BLOCKS (UINT64_C(1) << 61)

/* ---- before ---- */

static rvi_batch_rules make_rules(const rvi_batch *b) {
    const rvi_batch_desc *d = &b->d;
    const rv_terrain *land = b->job->land;
    int reach = (int)ceilf(d->radius);
    size_t stride = (size_t)(b->width + 2 * d->border);
    return (rvi_batch_rules){
        .squares = rvi_fall_squares_of(b->width, b->height, d->margin, (double)d->apart, d->seed),
        .stride = stride,
        .first = (size_t)d->border * stride + (size_t)d->border,
        .width = b->width,
        .height = b->height,
        .margin = d->margin,
        .land_width = land->width,
        .land_height = land->height,
        .most_moves = d->most_moves,
        .reach = reach,
        .wall = d->wall,
        .block = 2 * rvi_maxi(reach, b->near_reach + 1),
        .layers = land->layer_count,
        .last_reach = (int)ceilf(d->last),
        .radius = d->radius,
        .move = d->move_length,
        .near = d->near,
        .share = d->apart * d->apart,
        .last_radius = d->last,
        .per_radius = (float)RVI_BATCH_WEIGHT / d->radius,
        .per_last = (float)RVI_BATCH_WEIGHT / d->last,
        .bank = d->bank,
        .first_water = d->first_water,
        .first_speed = d->first_speed,
        .flow = d->first_water > 0.0f ? rvi_minf((float)RVI_BATCH_FLOW / d->first_water, 0x1p127f)
                                      : 0.0f,
    };
}

/* Land that is all but flat must not make a unit that floats cannot hold. */
static const float LEAST_RELIEF = 0x1p-90f;

static rv_status set_heights(rvi_batch *b, float low, float high) {
    rvi_batch_rules *r = &b->rules;
    float relief = rvi_maxf(high - low, LEAST_RELIEF);
    b->relief = high - low;
    r->low = low;
    r->per = (float)RVI_BATCH_RELIEF / relief;
    r->by = relief / (float)RVI_BATCH_RELIEF;
    b->by = (double)relief / RVI_BATCH_RELIEF;
    rv_status status = rvi_floor_find(b->job, b->d.floor, low, high, b->parts, &r->floor_height);
    r->floor = rvi_batch_fixed(r, r->floor_height);
    return status;
}

/* Where it rains on few places only, as few drops are on their way as leave these as thinly
 * covered as others. */
static uint64_t thin_slots(const rvi_batch *b, uint64_t slots) {
    const rvi_rain *rain = &b->rain;
    size_t width = (size_t)b->width, height = (size_t)b->height;
    uint32_t most = 1;
    if (!rain->rows)
        return slots;
    for (size_t i = 0; i < width * height; i++) {
        uint32_t here = rain->cells[i] - (i % width > 0 ? rain->cells[i - 1] : 0);
        most = here > most ? here : most;
    }
    double mean = (double)rain->rows[height - 1] / ((double)width * (double)height);
    uint64_t thin = (uint64_t)((double)slots * mean / (double)most);
    uint64_t least = slots < LEAST_SLOTS ? slots : LEAST_SLOTS;
    return thin < least ? least : thin;
}

/* Does drop `turn` of a wave fall on the land? */
static bool hits(const rvi_batch_rules *r, uint64_t wave, uint64_t turn, bool in_place) {
    float x, y;
    uint64_t bits, squares = (uint64_t)r->squares.across * (uint64_t)r->squares.down;
    return rvi_fall_place(&r->squares, wave * squares + turn, in_place, &x, &y, &bits);
}

/* How many drops of a wave do; only squares at the edges are not all on it. */
static uint64_t hits_of_wave(const rvi_batch_rules *r, uint64_t wave) {
    uint64_t across = (uint64_t)r->squares.across, down = (uint64_t)r->squares.down;
    uint64_t misses = 0;
    for (uint64_t y = 0; y < down; y++) {
        uint64_t step = y == 0 || y == down - 1 || across == 1 ? 1 : across - 1;
        for (uint64_t x = 0; x < across; x += step)
            misses += !hits(r, wave, y * across + x, true);
    }
    return across * down - misses;
}

/* So many drops must be let fall that as many as are wanted fall on the land: in whole waves, and
 * some of one more. Of many waves the first ones are counted, and the others are taken to be like
 * them. In waves that are whole the order of places is as good as any, and neighbours are near each
 * other in memory. */
static rv_status count_tries(rvi_batch *b) {
    rvi_batch_rules *r = &b->rules;
    uint64_t left = b->d.drops, looked = 0, hit = 0, wave = 0, turn = 0;
    uint64_t squares = (uint64_t)r->squares.across * (uint64_t)r->squares.down;
    uint64_t first = 1 + LOOKED_AT / (2 * (uint64_t)(r->squares.across + r->squares.down));
    while ((hit = hits_of_wave(r, wave)) <= left) {
        left -= hit;
        looked += hit;
        if (++wave == first) {
            wave += left / looked * first;
            left %= looked;
        }
        if (rvi_poll(b->job->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    for (; left > 0; turn++)
        left -= hits(r, wave, turn, false);
    r->tries = wave * squares + turn;
    r->whole = r->slots % squares == 0 ? wave * squares : 0;
    return RV_OK;
}

rvi_drop_apron rvi_batch_apron(const rvi_batch *b) {
    const rv_terrain *land = b->job->land;
    rvi_drop_apron a = {land->width, land->height, b->d.margin, b->d.turn};
    return a;
}

static rvi_factor_shape factor_shape(const rvi_batch *b) {
    return (rvi_factor_shape){.first = rvi_batch_grid_at(b, b->d.margin, b->d.margin),
                              .stride = (size_t)b->rules.stride,
                              .count = b->count,
                              .margin = b->d.margin};
}

static bool layered(const rvi_batch *b) {
    return b->rules.layers > 1;
}

static rv_status fetch_fields(const rvi_batch *b) {
    const rv_terrain *land = b->job->land;
    return rvi_memory_fetch(b->job->ctx, rvi_field_get(land, rvi_rain_field(land, b->d.rain)));
}

static void fill_rows(void *arg, int first, int end) {
    const rvi_batch *b = arg;
    const rvi_drop_apron apron = rvi_batch_apron(b);
    for (int y = first; y < end; y++)
        for (int x = 0; x < b->width; x++)
            b->ground[rvi_batch_grid_at(b, x, y)] = rvi_batch_fixed(
                &b->rules, rvi_drop_apron_height(&apron, b->job->land->surface, x, y));
}

static void fill_layers(void *arg, int first, int end) {
    const rvi_batch *b = arg;
    const rv_terrain *land = b->job->land;
    size_t cells = rvi_cells(land), width = (size_t)land->width;
    for (size_t l = 0; l < (size_t)land->layer_count; l++)
        for (size_t i = (size_t)first * width; i < (size_t)end * width; i++) {
            float thickness = land->layers[l].thickness[i];
            b->under[l * cells + i] = thickness;
            if (l > 0)
                b->depth[(l - 1) * cells + i] = rvi_batch_deep(&b->rules, thickness);
        }
}

static rv_status fill_on_processor(rvi_batch *b) {
    rv_context *ctx = b->job->ctx;
    const rv_terrain *land = b->job->land;
    float low, high;
    rvi_range(ctx, land->surface, rvi_cells(land), &low, &high);
    rv_status status = set_heights(b, low, high);
    if (status == RV_OK)
        status = rvi_copy(ctx, b->before, land->surface, rvi_cells(land) * sizeof(float));
    if (status == RV_OK && layered(b))
        status = rvi_parallel_rows(ctx, land->height, fill_layers, b);
    return status == RV_OK ? rvi_parallel_rows(ctx, b->height, fill_rows, b) : status;
}

static rv_status fill_on_device(rvi_batch *b) {
    rvi_device *d = b->job->device;
    const rv_terrain *land = b->job->land;
    float low, high;
    rv_status status = rvi_device_range(d, land->surface, rvi_cells(land), b->parts, &low, &high);
    if (status == RV_OK)
        status = set_heights(b, low, high);
    return status == RV_OK ? rvi_batch_device_fill(b) : status;
}

static rv_status fill_grids(rvi_batch *b) {
    rvi_job *job = b->job;
    b->mask = rvi_field_get(job->land, "mask");
    for (int l = 0; l < job->land->layer_count && layered(b); l++)
        b->soft[l] = job->land->layers[l].erodibility;
    rvi_factor_shape shape = factor_shape(b);
    rv_status status = rvi_factor_make(job, &shape, &b->factor);
    if (status == RV_OK && job->device)
        status = fetch_fields(b);
    if (status == RV_OK)
        status = rvi_rain_load(job, b->d.rain, b->d.margin, &b->rain);
    if (status != RV_OK)
        return status;
    b->rules.slots = thin_slots(b, b->rules.slots);
    return job->device ? fill_on_device(b) : fill_on_processor(b);
}

/* ---- rounds on the processor ---- */

/* Blocks lie elsewhere in every round, so that no seam can form. */
static void draw_shift(const rvi_batch *b, uint64_t round, int *x, int *y) {
    uint64_t bits = rvi_random(b->d.seed, round, DRAW_BLOCKS);
    *x = (int)((bits & 0xffffff) % (uint64_t)b->rules.block);
    *y = (int)((bits >> 24 & 0xffffff) % (uint64_t)b->rules.block);
}

rvi_batch_round rvi_batch_round_of(const rvi_batch *b, uint64_t round) {
    rvi_batch_round t;
    draw_shift(b, round, &t.now_x, &t.now_y);
    draw_shift(b, round + 1, &t.next_x, &t.next_y);
    return t;
}

static float rock_at(const void *run, int x, int y, float top) {
    const rvi_batch *b = run;
    const rvi_batch_rules *r = &b->rules;
    return rvi_factor_rock(&b->factor, rvi_batch_grid_at(b, x, y), r->low + top * r->by);
}

static float function_at(const void *run, int x, int y, float height) {
    const rvi_batch *b = run;
    const rvi_batch_rules *r = &b->rules;
    return rvi_batch_on_map(r, x, y)
               ? rvi_factor_ground(&b->factor, rvi_batch_cell(r, x, y), r->low + height * r->by)
               : 1.0f;
}

static rvi_batch_grids grids_of(const rvi_batch *b) {
    size_t now = b->round % 2 * b->blocks, next = b->blocks - now;
    return (rvi_batch_grids){
        .ground = b->ground,
        .change = b->change,
        .laid = b->laid,
        .flow = b->flow,
        .crowd = b->crowd + now,
        .crowd_next = b->crowd + next,
        .ended = b->ended,
        .factor = b->factor.cells,
        .mask = b->mask,
        .rain_cells = b->rain.cells,
        .rain_rows = b->rain.rows,
        .depth = b->depth,
        .soft = b->soft,
        .rock = rvi_factor_rock_there(&b->factor) ? rock_at : NULL,
        .other = rvi_erosion_fn_there(b->job->land) ? function_at : NULL,
        .run = b,
    };
}

/* Rows that a drop may change are marked; only these become part of the ground. */
static void mark_rows(const rvi_batch *b, const rvi_batch_slot *slot) {
    int reach = rvi_maxi(b->rules.last_reach, b->near_reach + 1), y = (int)slot->y;
    int first = rvi_maxi(y - reach, 0) / RVI_ROWS;
    int last = rvi_mini(y + reach, b->height - 1) / RVI_ROWS;
    for (int k = first; k <= last; k++)
        __atomic_store_n(b->marked + k, true, __ATOMIC_RELAXED);
}

static void move_slots(void *arg, int64_t block) {
    const rvi_batch *b = arg;
    const rvi_batch_grids g = grids_of(b);
    const rvi_batch_round t = rvi_batch_round_of(b, b->round);
    uint64_t end = least_of((uint64_t)(block + 1) * SLOTS, b->rules.slots);
    int reach = b->rules.last_reach + b->near_reach;
    /* A move takes as long as the disc is large. */
    uint64_t every = 1 + LOOK / (uint64_t)(reach * reach);
    for (uint64_t k = (uint64_t)block * SLOTS; k < end; k++) {
        if (b->slots[k].step < 0)
            continue;
        if (k % every == 0 && rvi_parallel_stopped(b->job->ctx))
            return;
        mark_rows(b, &b->slots[k]);
        b->d.move(&g, &b->rules, b->d.law, &t, &b->slots[k]);
    }
}

static void settle_layers(const rvi_batch *b, int y, const int32_t *change) {
    const rvi_batch_rules *r = &b->rules;
    for (int x = 0; x < r->land_width && rvi_batch_on_map(r, r->margin, y); x++)
        if (change[r->margin + x] != 0)
            rvi_batch_settle(r, b->depth, rvi_batch_cell(r, r->margin + x, y),
                             change[r->margin + x]);
}

static void settle_rows(void *arg, int first, int end) {
    const rvi_batch *b = arg;
    if (!b->marked[first / RVI_ROWS])
        return;
    b->marked[first / RVI_ROWS] = false;
    for (int y = first; y < end; y++) {
        size_t row = rvi_batch_grid_at(b, 0, y);
        int32_t *ground = b->ground + row, *change = b->change + row;
        if (layered(b))
            settle_layers(b, y, change);
        for (int x = 0; x < b->width; x++) {
            ground[x] += change[x];
            change[x] = 0;
        }
    }
}

static void begin_slots(void *arg, int64_t block) {
    const rvi_batch *b = arg;
    const rvi_batch_grids g = grids_of(b);
    const rvi_batch_round t = rvi_batch_round_of(b, b->round);
    uint64_t end = least_of((uint64_t)(block + 1) * SLOTS, b->rules.slots);
    for (uint64_t k = (uint64_t)block * SLOTS; k < end; k++)
        rvi_batch_begin(&g, &b->rules, &t, &b->slots[k], k);
}

static int64_t slot_blocks(const rvi_batch *b) {
    return (int64_t)((b->rules.slots + SLOTS - 1) / SLOTS);
}

/* After a stop the drops that did move have moved. */
static rv_status round_on_processor(rvi_batch *b) {
    rv_status status = rvi_parallel(b->job->ctx, slot_blocks(b), move_slots, b);
    rvi_finish_rows(b->job->ctx, b->height, settle_rows, b);
    memset(b->crowd + b->round % 2 * b->blocks, 0, b->blocks * sizeof *b->crowd);
    return status;
}

/* ---- the run ---- */

static void count_ended(rvi_batch *b) {
    b->done += *b->ended - b->counted; /* it counts to 2^32 and begins again */
    b->counted = *b->ended;
}

static void show_rows(void *arg, int first, int end) {
    const rvi_batch *b = arg;
    const rvi_batch_rules *r = &b->rules;
    int width = b->job->land->width;
    for (int y = first; y < end; y++) {
        const float *before = b->before + (size_t)y * (size_t)width;
        float *surface = b->job->land->surface + (size_t)y * (size_t)width;
        const int32_t *ground = b->ground + rvi_batch_grid_at(b, b->d.margin, y + b->d.margin);
        for (int x = 0; x < width; x++)
            surface[x] = rvi_batch_shown(r, before[x], ground[x]);
    }
}

static rvi_batch_stack stack_of(const rvi_batch *b) {
    return (rvi_batch_stack){b->under, b->depth};
}

/* What a cell of the map has won or lost, in units. */
static int32_t change_at(const rvi_batch *b, int x, int y, size_t cell) {
    return b->ground[rvi_batch_grid_at(b, x + b->d.margin, y + b->d.margin)] -
           rvi_batch_fixed(&b->rules, b->before[cell]);
}

static void show_layers(void *arg, int first, int end) {
    const rvi_batch *b = arg;
    const rvi_batch_stack stack = stack_of(b);
    const rv_terrain *land = b->job->land;
    for (int y = first; y < end; y++)
        for (int x = 0; x < land->width; x++) {
            size_t i = (size_t)y * (size_t)land->width + (size_t)x;
            int32_t change = change_at(b, x, y, i);
            for (int l = 0; l < land->layer_count; l++)
                land->layers[l].thickness[i] =
                    rvi_batch_layer_shown(&b->rules, &stack, i, l, change);
        }
}

static rv_status show_land(rvi_batch *b) {
    rvi_job *job = b->job;
    rv_status status = job->device ? rvi_batch_device_show(b)
                                   : rvi_parallel_rows(job->ctx, job->land->height,
                                                       layered(b) ? show_layers : show_rows, b);
    return status == RV_OK && layered(b) ? rvi_job_sum_layers(job, job->land) : status;
}

/* Is it time to look around? A film looks after each round. */
static bool rests(rvi_batch *b, rv_status *status) {
    rvi_device *d = b->job->device;
    bool rests = !d || rvi_device_rests(d, &b->pace, status) || rvi_watched(b->job->ctx);
    if (d && rests && *status == RV_OK)
        *status = rvi_device_fetch(d, b->ended);
    return rests;
}

static rv_status run_rounds(rvi_batch *b) {
    rvi_job *job = b->job;
    b->round = UINT64_MAX; /* the one before the first */
    rv_status status = count_tries(b);
    if (status == RV_OK)
        status = job->device ? rvi_batch_device_begin(b)
                             : rvi_parallel(job->ctx, slot_blocks(b), begin_slots, b);
    b->round++;
    while (status == RV_OK && b->done < b->rules.tries) {
        status = job->device ? rvi_batch_device_round(b) : round_on_processor(b);
        b->round++;
        if (status != RV_OK || !rests(b, &status))
            continue;
        count_ended(b);
        if (status == RV_OK && rvi_progress_due(job->ctx))
            status = show_land(b);
        if (status == RV_OK)
            status = rvi_job_progress(job, (double)b->done / (double)b->rules.tries);
    }
    return status;
}

rv_status rvi_batch_run(rvi_batch *b) {
    rvi_job *job = b->job;
    rv_status status = fill_grids(b);
    if (status == RV_OK)
        status = rvi_figures_begin(job->land, RVI_DROP_FIGURES);
    if (status != RV_OK)
        return status;
    job->begun = true;
    /* On land one cell wide no drop can run, and not all can on flat land. */
    bool wide = job->land->width > 1 && job->land->height > 1;
    if (wide && (b->relief > 0.0f || b->d.on_flat))
        status = run_rounds(b);
    b->whole = status == RV_OK;
    return status;
}

/* ---- after ---- */

static void leave_rows(void *arg, int first, int end) {
    const rvi_batch *b = arg;
    size_t width = (size_t)b->job->land->width;
    const float flow = rvi_batch_flow_unit(&b->rules);
    const rvi_batch_stack stack = stack_of(b);
    for (int y = first; y < end; y++)
        for (size_t x = 0, i = (size_t)y * width; x < width; x++, i++) {
            size_t g = rvi_batch_grid_at(b, (int)x + b->d.margin, y + b->d.margin);
            const rvi_batch_trace t = rvi_batch_trace_of(&b->rules, b->before[i], b->ground[g],
                                                         rvi_batch_long(b->laid, g),
                                                         rvi_batch_long(b->flow, g), flow, b->by);
            b->fields[0][i] += t.flow;
            b->fields[1][i] += t.eroded;
            b->fields[2][i] += t.deposited;
            b->rest[i] = layered(b) ? rvi_batch_layers_rest(&b->rules, &stack, i,
                                                            change_at(b, (int)x, y, i), b->by)
                                    : t.rest;
        }
}

/* What the land won by becoming floats counts as raised, and what it lost stays suspended. */
static void close_ledger(rvi_batch *b, double won) {
    rvi_job *job = b->job;
    const rvi_batch_sums *sums = b->sums;
    int64_t eroded = 0, deposited = 0, left_map = 0, suspended = 0, raised = 0;
    rvi_drop_ends ends = {0};
    for (int k = 0; k < RVI_BATCH_SUMS; k++) {
        eroded += sums[k].eroded;
        deposited += sums[k].deposited;
        left_map += sums[k].left_map;
        suspended += sums[k].suspended;
        raised += sums[k].raised;
        job->drop_steps += sums[k].steps;
        rvi_drop_ends more = {sums[k].ends[0], sums[k].ends[1], sums[k].ends[2]};
        rvi_drop_ends_add(&ends, &more);
    }
    rvi_drop_ends_tell(job->land, &ends);
    double area = (double)job->land->cell * (double)job->land->cell, unit = b->by * area;
    double up = won > 0.0 ? won : 0.0, down = up - won;
    job->ledger = (rv_ledger){.eroded = (double)eroded * unit + down * area,
                              .deposited = (double)deposited * unit,
                              .left_map = (double)left_map * unit,
                              .suspended = (double)suspended * unit + down * area,
                              .raised = (double)raised * unit + up * area};
    job->brought = job->ledger.raised;
    job->deposited_on[b->rules.layers - 1] = job->ledger.deposited + job->ledger.raised;
}

/* After a stop all this belongs to the drops that did run. */
rv_status rvi_batch_close(rvi_batch *b) {
    rvi_job *job = b->job;
    double won = 0.0;
    rv_status status = show_land(b);
    if (status != RV_OK)
        return status;
    if (job->device) {
        status = rvi_batch_device_leave(b, &won);
    } else {
        status = rvi_parallel_rows(job->ctx, job->land->height, leave_rows, b);
        won = rvi_sum(job->ctx, b->rest, rvi_cells(job->land));
        for (uint64_t k = 0; k < b->rules.slots; k++)
            rvi_batch_sum(&b->rules, &b->slots[k], b->sums);
    }
    if (status == RV_OK)
        close_ledger(b, won);
    return status;
}

/* ---- the plan ---- */

static void list_layers(rvi_batch *b) {
    rvi_job *job = b->job;
    size_t cells = rvi_cells(job->land), layers = (size_t)job->land->layer_count;
    rvi_job_buffer(job, &b->under, layers * cells, sizeof *b->under, "the layers as they were");
    rvi_job_buffer(job, &b->depth, (layers - 1) * cells, sizeof *b->depth, "the eroded layers");
    rvi_job_buffer(job, &b->soft, layers, sizeof *b->soft, "the layers");
}

static void list_buffers(rvi_batch *b) {
    rvi_job *job = b->job;
    rvi_factor_shape shape = factor_shape(b);
    rvi_job_buffer(job, &b->slots, (size_t)b->rules.slots, sizeof *b->slots, "the drops");
    rvi_job_buffer(job, &b->ground, b->count, sizeof *b->ground, "the eroded land");
    rvi_job_buffer(job, &b->change, b->count, sizeof *b->change, "the eroded land");
    rvi_job_buffer(job, &b->laid, b->count, 2 * sizeof *b->laid, "the traces of drops");
    rvi_job_buffer(job, &b->flow, b->count, 2 * sizeof *b->flow, "the traces of drops");
    rvi_job_buffer(job, &b->crowd, 2 * b->blocks, sizeof *b->crowd, "the blocks");
    rvi_job_buffer(job, &b->ended, 1, sizeof *b->ended, "the drops");
    rvi_job_buffer(job, &b->marked, (size_t)b->height / RVI_ROWS + 1, sizeof *b->marked, "rows");
    rvi_job_buffer(job, &b->sums, RVI_BATCH_SUMS, sizeof *b->sums, "the ledger");
    rvi_job_grid(job, &b->rest, "the ledger");
    rvi_job_grid(job, &b->before, "the land as it was");
    rvi_factor_list(job, &shape, &b->factor);
    if (layered(b))
        list_layers(b);
    if (job->on_device && rvi_device_of(job->ctx))
        rvi_job_buffer(job, &b->parts, RVI_DEVICE_PARTS, sizeof *b->parts, "the range");
}

rv_status rvi_batch_prepare(rvi_batch *b, rvi_job *job, const rvi_batch_desc *desc) {
    static const char *const names[3] = {"flow", "eroded", "deposited"};
    const rv_terrain *land = job->land;
    b->job = job;
    b->d = *desc;
    b->width = land->width + 2 * desc->margin;
    b->height = land->height + 2 * desc->margin;
    b->near_reach = desc->near > 1.0f ? (int)ceilf(desc->near) : 0;
    b->rules = make_rules(b);
    b->count = (size_t)b->rules.stride * (size_t)(b->height + 2 * desc->border);
    uint64_t squares = (uint64_t)b->rules.squares.across * (uint64_t)b->rules.squares.down;
    b->rules.slots = least_of(WAVES * squares, MOST_SLOTS);
    b->rules.slots = least_of(b->rules.slots, desc->drops + 1);
    b->rules.blocks = b->width / b->rules.block + 6;
    b->blocks = (size_t)b->rules.blocks * (size_t)(b->height / b->rules.block + 6);
    /* Functions the processor alone knows. */
    job->on_device = desc->on_device && !rvi_erosion_fn_there(land);
    job->doubles = true;
    job->shared = 16 << 10; /* batch_device.c */
    list_buffers(b);
    rv_status status = rvi_rain_list(job, desc->rain, desc->margin, &b->rain);
    for (int k = 0; status == RV_OK && k < 3; k++)
        status = rvi_job_field(job, names[k], &b->fields[k]);
    return status;
}
