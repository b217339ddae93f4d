/* drop_batch.c: droplets with order=batch: drops that make their moves together, a round at a time
 * (batch_cell.h).
 *
 * A slot lets drops run one after the other: drop n is one of slot n modulo the slots, and follows
 * at once on the end of the one before. WAVES drops are on their way for every square that drops
 * fall on (drop_fall.h): more of them at a time would see holes that others are about to fill. */
#include "base/reduce.h"
#include "base/threads.h"
#include "device/device_range.h"
#include "device/device_sum.h"
#include "steps/droplets/drop_run.h"

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

static rvi_batch_rules make_rules(const rvi_drop_run *f) {
    const rv_droplets_params *p = f->p;
    const rv_terrain *land = f->job->land;
    int reach = (int)ceilf(f->radius);
    return (rvi_batch_rules){
        .squares = rvi_fall_squares_of(f->width, f->height, f->margin, (double)f->apart, p->seed),
        .stride = f->stride,
        .first = at(f, 0, 0),
        .width = f->width,
        .height = f->height,
        .margin = f->margin,
        .land_width = land->width,
        .land_height = land->height,
        .most_moves = f->most_moves,
        .reach = reach,
        .wall = p->border == RV_droplets_border_wall,
        .block = 2 * rvi_maxi(reach, f->near_reach + 1),
        .inertia = p->inertia,
        .steer = (1.0f - p->inertia) / (float)RVI_BATCH_RELIEF * f->move,
        .capacity = p->capacity * f->share,
        .min_fall = p->min_slope * (float)RVI_BATCH_RELIEF,
        .deposition = p->deposition,
        .erosion = p->erosion,
        .dry = 1.0f - p->evaporation,
        .pull = p->gravity / (float)RVI_BATCH_RELIEF,
        .radius = f->radius,
        .move = f->move,
        .near = f->near,
        .share = f->share,
        .per_radius = (float)RVI_BATCH_WEIGHT / f->radius,
        .first_water = p->first_water,
        .first_speed = p->first_speed,
        .flow = p->first_water > 0.0f ? rvi_minf((float)RVI_BATCH_FLOW / p->first_water, 0x1p127f)
                                      : 0.0f,
    };
}

/* Land that is all but flat must not make a unit that floats cannot hold. */
static const float LEAST_RELIEF = 0x1p-90f;

static void set_heights(rvi_drop_run *f, float low, float high) {
    rvi_batch_rules *r = &f->batch.rules;
    float relief = rvi_maxf(high - low, LEAST_RELIEF);
    f->relief = high - low;
    f->floor = isnan(f->p->floor) ? low : f->p->floor;
    r->low = low;
    r->per = (float)RVI_BATCH_RELIEF / relief;
    r->by = relief / (float)RVI_BATCH_RELIEF;
    r->floor = rvi_batch_fixed(r, f->floor);
    r->floor_height = f->floor;
    f->batch.by = (double)relief / RVI_BATCH_RELIEF;
}

/* Where it rains on few places only, as few drops are on their way as leave these as thinly
 * covered as others. */
static uint64_t thin_slots(const rvi_drop_run *f, uint64_t slots) {
    const rvi_rain *rain = &f->batch.rain;
    size_t width = (size_t)f->width, height = (size_t)f->height;
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
static rv_status count_tries(rvi_drop_run *f) {
    rvi_batch_rules *r = &f->batch.rules;
    uint64_t left = rvi_drops_wanted(f), looked = 0, hit = 0, wave = 0, turn = 0;
    uint64_t squares = (uint64_t)r->squares.across * (uint64_t)r->squares.down;
    uint64_t first = 1 + LOOKED_AT / (2 * (uint64_t)(r->squares.across + r->squares.down));
    while ((hit = hits_of_wave(r, wave)) <= left) {
        left -= hit;
        looked += hit;
        if (++wave == first) {
            wave += left / looked * first;
            left %= looked;
        }
        if (rvi_poll(f->job->ctx) != RV_OK)
            return RV_CANCELLED;
    }
    for (; left > 0; turn++)
        left -= hits(r, wave, turn, false);
    r->tries = wave * squares + turn;
    r->whole = r->slots % squares == 0 ? wave * squares : 0;
    return RV_OK;
}

static rv_status fetch_fields(const rvi_drop_run *f) {
    const rv_terrain *land = f->job->land;
    return rvi_memory_fetch(f->job->ctx, rvi_field_get(land, rvi_rain_field(land, f->p->rain)));
}

static void fill_rows(void *arg, int first, int end) {
    const rvi_drop_run *f = arg;
    const rvi_drop_apron apron = rvi_drops_apron(f);
    for (int y = first; y < end; y++)
        for (int x = 0; x < f->width; x++)
            f->batch.ground[at(f, x, y)] = rvi_batch_fixed(
                &f->batch.rules, rvi_drop_apron_height(&apron, f->job->land->surface, x, y));
}

static rv_status fill_on_processor(rvi_drop_run *f) {
    rv_context *ctx = f->job->ctx;
    const rv_terrain *land = f->job->land;
    float low, high;
    rvi_range(ctx, land->surface, rvi_cells(land), &low, &high);
    set_heights(f, low, high);
    rv_status status = rvi_copy(ctx, f->before, land->surface, rvi_cells(land) * sizeof(float));
    return status == RV_OK ? rvi_parallel_rows(ctx, f->height, fill_rows, f) : status;
}

static rv_status fill_on_device(rvi_drop_run *f) {
    rvi_device *d = f->job->device;
    const rv_terrain *land = f->job->land;
    float low, high;
    rv_status status =
        rvi_device_range(d, land->surface, rvi_cells(land), f->batch.parts, &low, &high);
    if (status != RV_OK)
        return status;
    set_heights(f, low, high);
    return rvi_batch_device_fill(f);
}

static rv_status fill_grids(rvi_drop_run *f) {
    rvi_job *job = f->job;
    f->mask = rvi_field_get(job->land, "mask");
    rvi_factor_shape shape = rvi_drops_factor_shape(f);
    rv_status status = rvi_factor_make(job, &shape, &f->factor);
    if (status == RV_OK && job->device)
        status = fetch_fields(f);
    if (status == RV_OK)
        status = rvi_rain_load(job, f->p->rain, f->margin, &f->batch.rain);
    if (status != RV_OK)
        return status;
    f->batch.rules.slots = thin_slots(f, f->batch.rules.slots);
    return job->device ? fill_on_device(f) : fill_on_processor(f);
}

/* ---- rounds on the processor ---- */

/* Blocks lie elsewhere in every round, so that no seam can form. */
static void draw_shift(const rvi_drop_run *f, uint64_t round, int *x, int *y) {
    uint64_t bits = rvi_random(f->p->seed, round, DRAW_BLOCKS);
    *x = (int)((bits & 0xffffff) % (uint64_t)f->batch.rules.block);
    *y = (int)((bits >> 24 & 0xffffff) % (uint64_t)f->batch.rules.block);
}

rvi_batch_round rvi_batch_round_of(const rvi_drop_run *f, uint64_t round) {
    rvi_batch_round t;
    draw_shift(f, round, &t.now_x, &t.now_y);
    draw_shift(f, round + 1, &t.next_x, &t.next_y);
    return t;
}

static float hardness_at(const void *run, int x, int y, float plane, float height) {
    const rvi_drop_run *f = run;
    const rvi_batch_rules *r = &f->batch.rules;
    size_t below = land_cell(f, x, y);
    float factor = rvi_factor_rock(&f->factor, at(f, x, y), r->low + plane * r->by);
    if (below != SIZE_MAX)
        factor *= rvi_factor_ground(&f->factor, below, r->low + height * r->by);
    return factor;
}

static rvi_batch_grids grids_of(const rvi_drop_run *f) {
    const rvi_drop_batch *b = &f->batch;
    size_t now = b->round % 2 * b->blocks, next = b->blocks - now;
    return (rvi_batch_grids){
        .ground = b->ground,
        .change = b->change,
        .laid = b->laid,
        .flow = b->flow,
        .crowd = b->crowd + now,
        .crowd_next = b->crowd + next,
        .ended = b->ended,
        .factor = f->factor.cells,
        .mask = f->mask,
        .rain_cells = b->rain.cells,
        .rain_rows = b->rain.rows,
        .more = rvi_factor_by_height(&f->factor) ? hardness_at : NULL,
        .run = f,
    };
}

/* Rows that a drop may change are marked; only these become part of the ground. */
static void mark_rows(const rvi_drop_run *f, const rvi_batch_slot *slot) {
    int reach = rvi_maxi(f->batch.rules.reach, f->near_reach + 1), y = (int)slot->y;
    int first = rvi_maxi(y - reach, 0) / RVI_ROWS;
    int last = rvi_mini(y + reach, f->height - 1) / RVI_ROWS;
    for (int k = first; k <= last; k++)
        __atomic_store_n(f->batch.marked + k, true, __ATOMIC_RELAXED);
}

static void move_slots(void *arg, int64_t block) {
    const rvi_drop_run *f = arg;
    const rvi_batch_grids g = grids_of(f);
    const rvi_batch_round t = rvi_batch_round_of(f, f->batch.round);
    uint64_t end = least_of((uint64_t)(block + 1) * SLOTS, f->batch.rules.slots);
    int reach = f->batch.rules.reach + f->near_reach;
    /* A move takes as long as the disc is large. */
    uint64_t every = 1 + LOOK / (uint64_t)(reach * reach);
    for (uint64_t k = (uint64_t)block * SLOTS; k < end; k++) {
        if (f->batch.slots[k].step < 0)
            continue;
        if (k % every == 0 && rvi_parallel_stopped(f->job->ctx))
            return;
        mark_rows(f, &f->batch.slots[k]);
        rvi_batch_move(&g, &f->batch.rules, &t, &f->batch.slots[k], true);
    }
}

static void settle_rows(void *arg, int first, int end) {
    const rvi_drop_run *f = arg;
    if (!f->batch.marked[first / RVI_ROWS])
        return;
    f->batch.marked[first / RVI_ROWS] = false;
    for (int y = first; y < end; y++) {
        int32_t *ground = f->batch.ground + at(f, 0, y), *change = f->batch.change + at(f, 0, y);
        for (int x = 0; x < f->width; x++) {
            ground[x] += change[x];
            change[x] = 0;
        }
    }
}

static void begin_slots(void *arg, int64_t block) {
    const rvi_drop_run *f = arg;
    const rvi_batch_grids g = grids_of(f);
    const rvi_batch_round t = rvi_batch_round_of(f, f->batch.round);
    uint64_t end = least_of((uint64_t)(block + 1) * SLOTS, f->batch.rules.slots);
    for (uint64_t k = (uint64_t)block * SLOTS; k < end; k++)
        rvi_batch_begin(&g, &f->batch.rules, &t, &f->batch.slots[k], k);
}

static int64_t slot_blocks(const rvi_drop_run *f) {
    return (int64_t)((f->batch.rules.slots + SLOTS - 1) / SLOTS);
}

/* After a stop the drops that did move have moved. */
static rv_status round_on_processor(rvi_drop_run *f) {
    rvi_drop_batch *b = &f->batch;
    rv_status status = rvi_parallel(f->job->ctx, slot_blocks(f), move_slots, f);
    rvi_finish_rows(f->job->ctx, f->height, settle_rows, f);
    memset(b->crowd + b->round % 2 * b->blocks, 0, b->blocks * sizeof *b->crowd);
    return status;
}

/* ---- the run ---- */

static void count_ended(rvi_drop_batch *b) {
    b->done += *b->ended - b->counted; /* it counts to 2^32 and begins again */
    b->counted = *b->ended;
}

static void show_rows(void *arg, int first, int end) {
    const rvi_drop_run *f = arg;
    const rvi_batch_rules *r = &f->batch.rules;
    int width = f->job->land->width;
    for (int y = first; y < end; y++) {
        const float *before = f->before + (size_t)y * (size_t)width;
        float *surface = f->job->land->surface + (size_t)y * (size_t)width;
        const int32_t *ground = f->batch.ground + at(f, f->margin, y + f->margin);
        for (int x = 0; x < width; x++)
            surface[x] = rvi_batch_shown(r, before[x], ground[x]);
    }
}

static rv_status show_land(rvi_drop_run *f) {
    if (f->job->device)
        return rvi_batch_device_show(f);
    return rvi_parallel_rows(f->job->ctx, f->job->land->height, show_rows, f);
}

/* Is it time to look around? A film looks after each round. */
static bool rests(rvi_drop_run *f, rv_status *status) {
    rvi_device *d = f->job->device;
    bool rests = !d || rvi_device_rests(d, &f->batch.pace, status) || rvi_watched(f->job->ctx);
    if (d && rests && *status == RV_OK)
        *status = rvi_device_fetch(d, f->batch.ended);
    return rests;
}

static rv_status run_rounds(rvi_drop_run *f) {
    rvi_drop_batch *b = &f->batch;
    rvi_job *job = f->job;
    b->round = UINT64_MAX; /* the one before the first */
    rv_status status = count_tries(f);
    if (status == RV_OK)
        status = job->device ? rvi_batch_device_begin(f)
                             : rvi_parallel(job->ctx, slot_blocks(f), begin_slots, f);
    b->round++;
    while (status == RV_OK && b->done < b->rules.tries) {
        status = job->device ? rvi_batch_device_round(f) : round_on_processor(f);
        b->round++;
        if (status != RV_OK || !rests(f, &status))
            continue;
        count_ended(b);
        if (status == RV_OK && rvi_progress_due(job->ctx))
            status = show_land(f);
        if (status == RV_OK)
            status = rvi_job_progress(job, (double)b->done / (double)b->rules.tries);
    }
    return status;
}

static rv_status run(rvi_job *job) {
    rvi_drop_run *f = job->state;
    rv_status status = fill_grids(f);
    if (status == RV_OK)
        status = rvi_figures_begin(job->land, RVI_DROP_FIGURES);
    if (status != RV_OK)
        return status;
    job->begun = true;
    rvi_drops_tell_margin(f);
    /* On flat land, or land one cell wide, no drop can run. */
    if (f->relief > 0.0f && job->land->width > 1 && job->land->height > 1)
        status = run_rounds(f);
    f->whole = status == RV_OK;
    return status;
}

/* ---- after ---- */

static void leave_rows(void *arg, int first, int end) {
    const rvi_drop_run *f = arg;
    const rvi_drop_batch *b = &f->batch;
    size_t width = (size_t)f->job->land->width;
    const float flow = rvi_batch_flow_unit(&b->rules);
    for (int y = first; y < end; y++)
        for (size_t x = 0, i = (size_t)y * width; x < width; x++, i++) {
            size_t g = at(f, (int)x + f->margin, y + f->margin);
            const rvi_batch_trace t = rvi_batch_trace_of(&b->rules, f->before[i], b->ground[g],
                                                         rvi_batch_long(b->laid, g),
                                                         rvi_batch_long(b->flow, g), flow, b->by);
            f->fields[0][i] += t.flow;
            f->fields[1][i] += t.eroded;
            f->fields[2][i] += t.deposited;
            b->rest[i] = t.rest;
        }
}

/* What the land won by becoming floats counts as raised, and what it lost stays suspended. */
static void close_ledger(rvi_drop_run *f, double won) {
    rvi_job *job = f->job;
    const rvi_batch_sums *sums = f->batch.sums;
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
    double area = (double)job->land->cell * (double)job->land->cell, unit = f->batch.by * area;
    double up = won > 0.0 ? won : 0.0, down = up - won;
    job->ledger = (rv_ledger){.eroded = (double)eroded * unit + down * area,
                              .deposited = (double)deposited * unit,
                              .left_map = (double)left_map * unit,
                              .suspended = (double)suspended * unit + down * area,
                              .raised = (double)raised * unit + up * area};
    job->brought = job->ledger.raised;
    job->deposited_on[0] = job->ledger.deposited + job->ledger.raised;
}

/* After a stop all this belongs to the drops that did run. */
static rv_status close_run(rvi_job *job) {
    rvi_drop_run *f = job->state;
    double won = 0.0;
    rv_status status = show_land(f);
    if (status != RV_OK)
        return status;
    if (job->device) {
        status = rvi_batch_device_leave(f, &won);
    } else {
        status = rvi_parallel_rows(job->ctx, job->land->height, leave_rows, f);
        won = rvi_sum(job->ctx, f->batch.rest, rvi_cells(job->land));
        for (uint64_t k = 0; k < f->batch.rules.slots; k++)
            rvi_batch_sum(&f->batch.rules, &f->batch.slots[k], f->batch.sums);
    }
    if (status != RV_OK)
        return status;
    close_ledger(f, won);
    return f->whole && f->p->blend > 0.0f ? rvi_drops_blend(f) : RV_OK;
}

/* ---- the plan ---- */

static void list_buffers(rvi_drop_run *f) {
    rvi_job *job = f->job;
    rvi_drop_batch *b = &f->batch;
    rvi_job_buffer(job, &b->slots, (size_t)b->rules.slots, sizeof *b->slots, "the drops");
    rvi_job_buffer(job, &b->ground, f->count, sizeof *b->ground, "the eroded land");
    rvi_job_buffer(job, &b->change, f->count, sizeof *b->change, "the eroded land");
    rvi_job_buffer(job, &b->laid, f->count, 2 * sizeof *b->laid, "the traces of drops");
    rvi_job_buffer(job, &b->flow, f->count, 2 * sizeof *b->flow, "the traces of drops");
    rvi_job_buffer(job, &b->crowd, 2 * b->blocks, sizeof *b->crowd, "the blocks");
    rvi_job_buffer(job, &b->ended, 1, sizeof *b->ended, "the drops");
    rvi_job_buffer(job, &b->marked, (size_t)f->height / RVI_ROWS + 1, sizeof *b->marked, "rows");
    rvi_job_buffer(job, &b->sums, RVI_BATCH_SUMS, sizeof *b->sums, "the ledger");
    rvi_job_grid(job, &b->rest, "the ledger");
    rvi_job_grid(job, &f->before, "the land as it was");
    rvi_drops_list_wear(f);
    if (job->on_device && rvi_device_of(job->ctx))
        rvi_job_buffer(job, &b->parts, RVI_DEVICE_PARTS, sizeof *b->parts, "the range");
}

rv_status rvi_batch_prepare(rvi_drop_run *f) {
    rvi_job *job = f->job;
    rvi_drop_batch *b = &f->batch;
    if (f->layered)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "droplets: order=batch is for land of one layer, and this has %d.",
                        job->land->layer_count);
    job->run = run;
    job->close = close_run;
    b->rules = make_rules(f);
    uint64_t squares = (uint64_t)b->rules.squares.across * (uint64_t)b->rules.squares.down;
    b->rules.slots = least_of(WAVES * squares, MOST_SLOTS);
    b->rules.slots = least_of(b->rules.slots, rvi_drops_wanted(f) + 1);
    b->rules.blocks = f->width / b->rules.block + 4;
    b->blocks = (size_t)b->rules.blocks * (size_t)(f->height / b->rules.block + 4);
    job->on_device = rvi_batch_device_can(f);
    job->doubles = true;
    job->shared = 16 << 10; /* batch_device.c */
    list_buffers(f);
    return rvi_rain_list(job, f->p->rain, f->margin, &b->rain);
}
