/* runoff.c: a grid of water that runs to all lower neighbours and carries sediment with it.
 *
 * F. K. Musgrave, C. E. Kolb, R. S. Mace, The Synthesis and Rendering of Eroded Fractal Terrains,
 * 1989. A cell has ground a, water w and suspended sediment s, all in metres; the level is a + w.
 * In a round, with n neighbours (4 or 8):
 *     drops      d_ij = max(0, (a_i + w_i) - (a_j + w_j)),  D_i = sum_j d_ij
 *     moves      dw_i = min(w_i, D_i / (n + 1)), shared out as dw_ij = dw_i d_ij / D_i
 *     slope      S_i = sum_j dw_ij d_ij / L_ij / dw_i, with L_ij the distance of the two cells
 *     can carry  c_i = C_i min(1, S_i / full_slope)
 *                C_i = capacity dw_i sqrt(min(1, q_i / full_flow)), q_i mean of dw over the width
 *     overfull   s_i > c_i: lays down l = deposition (s_i - c_i), sends what can be carried then,
 *                c_i + C_i l / cell / full_slope <= C_i, and keeps the rest
 *     else       takes min(softness (c_i - s_i), D_i / (n + 1)), sends all it has then
 *     dries      w_i' = max(0, (1 - evaporation) w_i - infiltration)
 * What is sent goes along with the water, in the same shares. Water moves one cell in a round of
 * the grid; the user's rounds are `travel` metres long, and each rate becomes that of the way from
 * cell to cell. With a width nothing is taken in a round: every WEAR_ROUNDS rounds it is asked of
 * the ground within the width (channel.h), for all rounds since, and q_i is found as often; without
 * a width it is dw_i. Loads that grow as dw_i^1.5 would cover floors with rills as narrow as cells:
 * where more water runs less is laid down, and what is laid down is not spread over the width. The
 * slope that l makes counts because ground and load are an oscillator: with k = C_i / (cell
 * full_slope), d = deposition and g = 1 - exp(i a), the matrix that a round applies to a wave of
 * both, of a per cell along the flow, has the determinant 1 - d, so that waves fade if d k |g|^2 <
 * 4 - 2 d. Without it that is 1 - d - d k (g - |g|^2), and from k = 1/2 on short waves grow to bars
 * across the flow. The paper has no slope: there water on all but level
 * ground carries its full capacity, and cuts down to the lowest point of the map. The paper moves
 * min(w_i, d_ij) to each neighbour, which swaps two levels instead of making them equal. The share
 * of n + 1 is the largest with which a cell that has water enough takes the mean level of itself
 * and its neighbours: a level never leaves the range of the levels around it. The same bound keeps
 * the ground from being dug below what water could run over. The first half of a round reads only
 * levels and writes what each cell gives per metre of drop; the second gathers what comes in. So
 * the order of cells does not matter, and sums pair opposite neighbours, so that a turned map gives
 * the turned result to the bit. Ground is kept as the change since the step began, which has room
 * for small numbers where a height has not; what a height cannot hold in the end stays in
 * suspension. With give=same the parts of the sediment that are of each layer move as the whole
 * does, and what is laid down is of all of them in proportion.
 */
#include "base/reduce.h"
#include "base/threads.h"
#include "device/device_range.h"
#include "device/device_sum.h"
#include "steps/runoff/runoff_strip.h"
#include "terrain/layers.h"
#include "wear/floor.h"
#include "wear/map_image.h"
#include "wear/rain.h"

#include <math.h>
#include <string.h>

/* Rounds from one time to the next that ground is taken where it is spread, and that the flow over
 * the width is found. */
#define WEAR_ROUNDS 16.0f

/* ---- before and after ---- */

/* A grid for each layer, one after the other, and where each begins. */
static void list_layers(rvi_runoff *r, rvi_runoff_layers *g, const char *what) {
    size_t layers = (size_t)r->job->land->layer_count, cells = rvi_cells(r->job->land);
    rvi_job_buffer(r->job, &g->at, layers, sizeof *g->at, "the layers");
    rvi_job_buffer(r->job, &g->room, layers * cells, sizeof *g->room, what);
}

static void place_layers(const rvi_runoff *r, const rvi_runoff_layers *g) {
    for (int l = 0; g->at && l < r->job->land->layer_count; l++)
        g->at[l] = g->room + (size_t)l * rvi_cells(r->job->land);
}

static void list_state(rvi_runoff *r, rvi_runoff_state *s) {
    rvi_job *job = r->job;
    if (r->same) {
        list_layers(r, &s->gain, "what sediment is made of");
        list_layers(r, &s->parts, "what sediment is made of");
    }
    if (r->layered)
        rvi_job_grid(job, &s->cut, "the worn layers");
    rvi_job_grid(job, &s->ground, "the worn land");
    rvi_job_grid(job, &s->water, "the water");
    rvi_job_grid(job, &s->sediment, "the sediment");
    rvi_job_grid(job, &s->deposited, "the sediment");
    rvi_job_grid(job, &s->flow, "the flow of water");
}

static void list_buffers(rvi_runoff *r) {
    rvi_job *job = r->job;
    size_t layers = (size_t)job->land->layer_count;
    size_t blocks = rvi_runoff_blocks(r);
    rvi_job_buffer(job, &r->columns, blocks * (size_t)r->width, sizeof *r->columns, "the ledger");
    rvi_job_buffer(job, &r->off, rvi_runoff_border(r), sizeof *r->off, "the ledger");
    rvi_job_buffer(job, &r->ready, blocks, sizeof *r->ready, "the blocks");
    list_state(r, &r->now);
    list_state(r, &r->next);
    list_layers(r, &r->stack, "the land as it was");
    if (r->layered)
        rvi_job_grid(job, &r->surface, "the land as it was");
    if (r->channel.count > 0) {
        rvi_job_grid(job, &r->want, "what water takes");
        rvi_job_grid(job, &r->asked, "what water takes");
        rvi_job_grid(job, &r->spare, "what water takes");
        rvi_job_grid(job, &r->mean, "the flow of water");
    }
    rvi_factor_shape map = rvi_factor_map(job->land);
    rvi_factor_list(job, &map, &r->factor);
    if (!r->same)
        return;
    size_t rows = 3 * RVI_RUNOFF_PART_ROWS * layers;
    rvi_job_buffer(job, &r->scratch, blocks * rows * RVI_RUNOFF_ROOM, sizeof *r->scratch, "parts");
    rvi_job_buffer(job, &r->deposited_blocks, blocks * layers, sizeof(double), "the ledger");
    rvi_job_buffer(job, &r->deposited_on, layers, sizeof(double), "the ledger");
}

/* The land as it was. */
static rv_status copy_land(rvi_runoff *r) {
    rv_context *ctx = r->job->ctx;
    const rv_terrain *land = r->job->land;
    size_t size = rvi_cells(land) * sizeof(float);
    rv_status status = RV_OK;
    for (int l = 0; status == RV_OK && l < land->layer_count; l++)
        status = rvi_copy(ctx, r->stack.at[l], land->layers[l].thickness, size);
    if (status == RV_OK && r->surface)
        status = rvi_copy(ctx, r->surface, land->surface, size);
    return status;
}

static rv_status set_levels(rvi_runoff *r, float low, float high, float deep) {
    r->rules.still = (rvi_maxf(-low, rvi_maxf(high, 0.0f)) + deep) * 0x1p-23f;
    return rvi_floor_find(r->job, r->p->floor, low, high, r->parts, &r->rules.floor);
}

/* Water and sediment that stand on the land, and the first rain. */
static rv_status take_over(rvi_runoff *r) {
    rv_context *ctx = r->job->ctx;
    const rv_terrain *land = r->job->land;
    size_t cells = rvi_cells(land);
    const float *water = rvi_field_get(land, "water"), *sediment = rvi_field_get(land, "sediment");
    for (size_t i = 0; i < cells; i++) {
        if (rvi_poll_at(ctx, i) != RV_OK)
            return RV_CANCELLED;
        r->now.water[i] = water ? rvi_maxf(water[i], 0.0f) : 0.0f;
        r->now.sediment[i] = sediment ? rvi_maxf(sediment[i], 0.0f) : 0.0f;
    }
    if (r->same) /* what is suspended already counts as the top layer */
        memcpy(r->now.parts.at[land->layer_count - 1], r->now.sediment, cells * sizeof(float));
    r->before = rvi_sum(ctx, r->now.water, cells);
    r->sediment_before = rvi_sum(ctx, r->now.sediment, cells);
    float low, high, shallow, deep;
    rvi_range(ctx, land->surface, cells, &low, &high);
    rvi_range(ctx, r->now.water, cells, &shallow, &deep);
    rv_status status = set_levels(r, low, high, deep);
    for (size_t i = 0; r->p->rounds > 0 && i < cells; i++) {
        if (rvi_poll_at(ctx, i) != RV_OK)
            return RV_CANCELLED;
        r->now.water[i] += r->p->water * (r->rain ? r->rain[i] : 1.0f);
    }
    r->rained = rvi_sum(ctx, r->now.water, cells) - r->before;
    return status;
}

/* The same on a device. */
static rv_status sum_on_device(const rvi_runoff *r, const float *values, double *out) {
    return rvi_device_sum(r->job->device, r->job->ctx, values, rvi_cells(r->job->land), out);
}

static rv_status take_over_on_device(rvi_runoff *r) {
    rvi_device *d = r->job->device;
    size_t cells = rvi_cells(r->job->land);
    float low, high, shallow, deep;
    double wet = 0.0;
    rv_status status = rvi_runoff_device_fill(r);
    if (status == RV_OK)
        status = sum_on_device(r, r->now.water, &r->before);
    if (status == RV_OK)
        status = sum_on_device(r, r->now.sediment, &r->sediment_before);
    if (status == RV_OK)
        status = rvi_device_range(d, r->job->land->surface, cells, r->parts, &low, &high);
    if (status == RV_OK)
        status = rvi_device_range(d, r->now.water, cells, r->parts, &shallow, &deep);
    if (status == RV_OK)
        status = set_levels(r, low, high, deep);
    if (status == RV_OK && r->p->rounds > 0)
        status = rvi_runoff_device_rain(r);
    if (status == RV_OK)
        status = sum_on_device(r, r->now.water, &wet);
    r->rained = wet - r->before;
    return status;
}

/* The fields that the processor looks at come back. */
static rv_status fetch_fields(const rvi_runoff *r) {
    const rv_terrain *land = r->job->land;
    const char *names[] = {"mask", "hardness", rvi_rain_field(land, r->p->rain)};
    rv_status status = RV_OK;
    for (size_t k = 0; status == RV_OK && k < sizeof names / sizeof names[0]; k++)
        status = rvi_memory_fetch(r->job->ctx, rvi_field_get(land, names[k]));
    return status;
}

static rv_status fill_grids(rvi_runoff *r) {
    rvi_job *job = r->job;
    r->mask = rvi_field_get(job->land, "mask");
    const rvi_runoff_layers *grids[] = {&r->stack, &r->now.gain, &r->now.parts, &r->next.gain,
                                        &r->next.parts};
    for (size_t k = 0; k < sizeof grids / sizeof grids[0]; k++)
        place_layers(r, grids[k]);
    rvi_factor_shape map = rvi_factor_map(job->land);
    rv_status status = job->device ? fetch_fields(r) : copy_land(r);
    if (status == RV_OK)
        status = rvi_factor_make(job, &map, &r->factor);
    const char *field = rvi_rain_field(job->land, r->p->rain);
    if (status == RV_OK && (r->p->rain[0] != '\0' || field[0] != '\0'))
        status = rvi_map_values_load(job, r->p->rain, field, &r->rain);
    if (status != RV_OK)
        return status;
    r->base = r->surface ? r->surface : r->stack.at[0];
    return job->device ? take_over_on_device(r) : take_over(r);
}

/* The same with give=same. */
static float show_layers(const rvi_runoff *r, size_t i) {
    const rv_terrain *land = r->job->land;
    float rest = 0.0f;
    for (int l = 0; l < land->layer_count; l++) {
        float thick = rvi_runoff_height(r->stack.at[l][i], r->now.gain.at[l][i], &rest);
        land->layers[l].thickness[i] = l > 0 ? rvi_maxf(thick, 0.0f) : thick;
    }
    return rest;
}

/* Brings the ground of a cell up to date; returns what its heights cannot hold. */
static float show_ground(const rvi_runoff *r, size_t i) {
    const rv_terrain *land = r->job->land;
    int l = land->layer_count - 1;
    if (r->same)
        return show_layers(r, i);
    float rest = 0.0f, cut = r->layered ? r->now.cut[i] : 0.0f;
    float top = rvi_runoff_height(r->stack.at[l][i], r->now.ground[i], &rest);
    land->layers[l].thickness[i] = l > 0 ? rvi_maxf(top, 0.0f) : top;
    for (l--; l >= 0; l--) {
        float thick = r->stack.at[l][i], loss = l > 0 ? rvi_minf(cut, thick) : cut;
        land->layers[l].thickness[i] = rvi_runoff_height(thick, -loss, &rest);
        cut -= loss;
    }
    return rest;
}

typedef struct shown {
    const rvi_runoff *r;
    float *water, *sediment;
} shown;

static void show_rows(void *arg, int first, int end) {
    const shown *s = arg;
    const rvi_runoff *r = s->r;
    rvi_runoff_column *columns = r->columns + rvi_runoff_at(r, 0, first / RVI_RUNOFF_ROWS);
    for (int x = 0; x < r->width; x++)
        columns[x].rest = 0.0;
    for (int y = first; y < end; y++)
        for (int x = 0; x < r->width; x++) {
            size_t i = rvi_runoff_at(r, x, y);
            float rest = show_ground(r, i);
            s->water[i] = r->now.water[i];
            s->sediment[i] = r->now.sediment[i] + rest;
            columns[x].rest += (double)rest;
        }
}

static rv_status show_land(rvi_runoff *r) {
    if (r->job->device)
        return rvi_runoff_device_show(r);
    shown s = {r, r->fields[0], r->fields[1]};
    rv_status status = rvi_parallel_rows(r->job->ctx, r->height, show_rows, &s);
    if (status == RV_OK)
        rvi_terrain_sum_layers(r->job->land);
    return status;
}

/* What the water leaves behind: flow, eroded and deposited. */
static void leave_rows(void *arg, int first, int end) {
    const rvi_runoff *r = arg;
    const rv_terrain *land = r->job->land;
    for (size_t i = rvi_runoff_at(r, 0, first); i < rvi_runoff_at(r, 0, end); i++) {
        double here = 0.0;
        for (int l = 0; l < land->layer_count; l++)
            here += (double)land->layers[l].thickness[i] - (double)r->stack.at[l][i];
        r->fields[2][i] += r->now.flow[i] * r->per_round;
        r->fields[3][i] += rvi_maxf(r->now.deposited[i] - (float)here, 0.0f);
        r->fields[4][i] += r->now.deposited[i];
    }
}

static rv_status leave_fields(rvi_runoff *r) {
    return r->job->device ? rvi_runoff_device_leave(r)
                          : rvi_parallel_rows(r->job->ctx, r->height, leave_rows, r);
}

/* What all columns and the border counted, and what is in the water now. */
static rv_status find_sums(rvi_runoff *r, rvi_runoff_column *sum, rvi_runoff_off *off,
                           double *suspended, double *standing) {
    rv_context *ctx = r->job->ctx;
    size_t cells = rvi_cells(r->job->land);
    rv_status status = RV_OK;
    if (r->job->device) {
        status = rvi_runoff_device_sums(r, sum);
        if (status == RV_OK)
            status = sum_on_device(r, r->fields[1], suspended);
        if (status == RV_OK)
            status = sum_on_device(r, r->now.water, standing);
    } else {
        const rvi_column_sums sums = rvi_runoff_column_sums(r);
        rvi_column_sums_add(&sums, sum);
        *suspended = rvi_sum(ctx, r->fields[1], cells);
        *standing = rvi_sum(ctx, r->now.water, cells);
    }
    for (size_t k = 0; k < rvi_runoff_border(r); k++) {
        off->water += r->off[k].water;
        off->sediment += r->off[k].sediment;
        off->held += r->off[k].held;
    }
    return status;
}

static rv_status close_ledger(rvi_runoff *r) {
    rvi_job *job = r->job;
    double area = (double)job->land->cell * (double)job->land->cell, suspended = 0.0;
    double standing = 0.0;
    rvi_runoff_column sum = {0};
    rvi_runoff_off off = {0};
    rv_status status = find_sums(r, &sum, &off, &suspended, &standing);
    for (int l = 0; r->same && l < job->land->layer_count; l++)
        job->deposited_on[l] = r->deposited_on[l] * area;
    job->ledger = (rv_ledger){.before = r->sediment_before * area,
                              .eroded = (sum.taken + sum.rest) * area,
                              .deposited = sum.laid * area,
                              .left_map = off.sediment * area,
                              .suspended = suspended * area};
    double carried = (double)r->done * r->sediment_before + sum.held - off.held;
    job->rounding = 0x1p-24 * carried * area;
    job->water = (rv_water){.before = r->before * area,
                            .rained = (r->rained + sum.rained) * area,
                            .evaporated = sum.evaporated * area,
                            .absorbed = sum.absorbed * area,
                            .left_map = off.water * area,
                            .standing = standing * area};
    return status;
}

/* How many times it has rained at the end of so many rounds of the grid, after the first time. */
static int rainfalls(const rvi_runoff *r, int rounds) {
    int every = r->p->every, last = every > 0 ? (r->p->rounds - 1) / every : 0;
    double passed = (double)rounds * (double)r->per_round;
    return every > 0 ? rvi_mini((int)(passed / (double)every + 1e-6), last) : 0;
}

static void round_block(void *arg, int64_t block) {
    const rvi_runoff *r = arg;
    int first = (int)block * RVI_RUNOFF_ROWS;
    rvi_runoff_rows(arg, first, rvi_mini(first + RVI_RUNOFF_ROWS, r->height));
}

static void count_deposited_on(rvi_runoff *r) {
    int layers = r->job->land->layer_count;
    for (int b = 0; r->same && b < (int)rvi_runoff_blocks(r); b++)
        for (int l = 0; l < layers; l++)
            r->deposited_on[l] += r->deposited_blocks[b * layers + l];
}

/* RV_CANCELLED: the round is not whole; the next call does the rest. */
static rv_status finish_round(rvi_runoff *r) {
    rv_status status = RV_OK;
    if (r->job->device)
        status = rvi_runoff_device_round(r);
    else
        status =
            rvi_parallel_rest(r->job->ctx, (int64_t)rvi_runoff_blocks(r), r->ready, round_block, r);
    if (status != RV_OK)
        return status;
    memset(r->ready, 0, rvi_runoff_blocks(r) * sizeof *r->ready);
    count_deposited_on(r);
    rvi_runoff_state swap = r->now;
    r->now = r->next;
    r->next = swap;
    r->waited++;
    r->done++;
    r->rounding = false;
    return RV_OK;
}

static rv_status wear_ground(rvi_runoff *r) {
    return r->job->device ? rvi_runoff_device_wear(r) : rvi_runoff_wear(r);
}

static rv_status find_mean(rvi_runoff *r) {
    return r->job->device ? rvi_runoff_device_find_mean(r) : rvi_runoff_find_mean(r);
}

static rv_status run_round(rvi_runoff *r, int round) {
    int falls = rainfalls(r, round + 1) - rainfalls(r, round);
    r->rules.rain = round + 1 < r->rounds ? r->p->water * (float)falls : 0.0f;
    rv_status status = r->mean && r->waited == 0 ? find_mean(r) : RV_OK;
    r->rounding = status == RV_OK;
    if (status == RV_OK)
        status = finish_round(r);
    if (status == RV_OK && r->want && r->waited >= rvi_maxi(1, (int)(WEAR_ROUNDS / r->per_round)))
        status = wear_ground(r);
    bool rests = !r->job->device;
    if (status == RV_OK && r->job->device)
        rests = rvi_device_rests(r->job->device, &r->pace, &status) || rvi_watched(r->job->ctx);
    if (status == RV_OK && rests && rvi_progress_due(r->job->ctx))
        status = show_land(r);
    if (status != RV_OK || !rests)
        return status;
    return rvi_job_progress(r->job, (double)(round + 1) / (double)r->rounds);
}

static rv_status run(rvi_job *job) {
    rvi_runoff *r = job->state;
    rv_status status = fill_grids(r);
    job->begun = status == RV_OK;
    for (int round = 0; status == RV_OK && round < r->rounds; round++)
        status = run_round(r, round);
    return status;
}

static rv_status close_run(rvi_job *job) {
    rvi_runoff *r = job->state;
    rv_status status = r->rounding ? finish_round(r) : RV_OK;
    if (status == RV_OK && r->want && r->waited > 0)
        status = wear_ground(r);
    if (status == RV_OK)
        status = show_land(r);
    if (status == RV_OK)
        status = leave_fields(r);
    return status == RV_OK ? close_ledger(r) : status;
}

float rvi_runoff_share(float share, float rounds) {
    return rounds == 1.0f ? share : 1.0f - rvi_powf(1.0f - share, rounds);
}

/* Cells that water moves in a round of the user's, at most: on finer cells runs would not end. */
static const float MOST_TRAVEL = 64.0f;

/* Rates of the user's rounds become those of rounds of the grid. */
static void set_rules(rvi_runoff *r) {
    const rv_runoff_params *p = r->p;
    float cell = r->job->land->cell, width = rvi_length(p->width, cell);
    r->per_round = cell / rvi_minf(rvi_length(p->travel, cell), MOST_TRAVEL * cell);
    double rounds = (double)p->rounds / (double)r->per_round;
    r->rounds = p->rounds > 0 ? (int)fmin(fmax(rounds + 0.5, 1.0), 2e9) : 0;
    r->channel = rvi_channel_of(width, cell);
    bool wide = r->channel.count > 0;
    r->rules = (rvi_runoff_rules){
        .share = r->eight ? 1.0f / 9.0f : 1.0f / 5.0f,
        .capacity = p->capacity,
        .per_slope = rvi_minf(1.0f / rvi_maxf(cell * p->full_slope, 1e-38f), 1e20f),
        .per_flow = rvi_minf(1.0f / rvi_maxf(p->full_flow, 1e-38f), 1e30f),
        .wide = wide,
        .deposition = rvi_runoff_share(p->deposition, r->per_round),
        .softness = wide ? 0.0f : rvi_runoff_share(p->softness, r->per_round),
        .room = wide ? rvi_maxf(1.0f, 0.5f * width / cell) : 1.0f,
        .keep = 1.0f - rvi_runoff_share(p->evaporation, r->per_round),
        .absorb = p->infiltration * r->per_round,
    };
}

rv_status rvi_step_runoff(rvi_job *job, const rv_runoff_params *p) {
    static const char *const names[5] = {"water", "sediment", "flow", "eroded", "deposited"};
    rvi_runoff *r = rvi_job_begin(job, sizeof *r, run, close_run);
    if (!r)
        return RV_ERROR_MEMORY;
    r->p = p;
    r->job = job;
    r->width = job->land->width;
    r->height = job->land->height;
    r->layered = job->land->layer_count > 1;
    r->same = r->layered && p->give == RV_runoff_give_same;
    r->eight = p->neighbours == RV_runoff_neighbours_8;
    set_rules(r);
    list_buffers(r);
    job->on_device = rvi_runoff_device_can(r);
    job->doubles = true;
    if (job->on_device && rvi_device_of(job->ctx))
        rvi_runoff_device_list(r);
    rv_status status = rvi_map_values_list(job, p->rain, rvi_rain_field(job->land, p->rain),
                                           "of the rain", &r->rain);
    for (int k = 0; status == RV_OK && k < 5; k++)
        status = rvi_job_field(job, names[k], &r->fields[k]);
    return status;
}
