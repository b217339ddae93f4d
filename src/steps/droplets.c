/* droplets.c: drops of water that run down the land and carry it with them.
 *
 * H. T. Beyer, Implementation of a method for hydraulic erosion, TU Muenchen, 2015 (numbers in
 * brackets are its equations). The thesis counts lengths along the map in cells; here they count in
 * moves, a move being a length in metres, so that land in finer cells wears to the same shape.
 * Heights are metres, sediment is metres on the square that a drop stands for, as wide as a move,
 * and both count in units of the map's relief R, so that metres or feet give the same shape. A drop
 * has a place, a direction, speed and water (1 unless told) and no sediment. In each move it
 *     turns      dir = normalise(dir inertia - g / R (1 - inertia))           (5.1)
 *     moves      pos' = pos + dir, dh = h(pos') - h(pos)                      (5.2, 5.3)
 *     can carry  c = max(-dh, min_slope R) speed water capacity               (5.4)
 *     uphill     lays down min(sediment, dh): fills the pit it came from
 *     overfull   lays down (sediment - c) deposition                          (5.5)
 *     else       takes min((c - sediment) erosion, -dh)                       (5.6)
 *     speeds up  speed' = sqrt(max(0, speed^2 - dh / R gravity))              (5.7)
 *     dries      water' = water (1 - evaporation)                             (5.8)
 * Equation 5.7 is printed with +dh, which would slow a drop that runs downhill. A drop ends after
 * max_path, where it lays down all it carries; over an open edge; or in a pit: when it must climb,
 * cannot fill the pit, and is too slow to get out.
 * What it takes comes from a disc (brush.h), but nothing from below h(pos'), so that it digs few
 * pits. What it lays down goes to the cells within a move (near_cells.h), which where cells are not
 * finer are the four corners of its cell, but not above where it came from, nor above its slope
 * beside lower ground, so that it builds few dams. Both are where it was before the move; a cell
 * gives what its hardness, mask and layers let it, and the drop gains exactly what the cells lost.
 * On cells too coarse for the disc it is wider, but not the move; fewer drops, which stand for
 * wider squares, do.
 * The order in which drops run is that of drop_rounds.h; with order=batch all drops on their way
 * make their moves together, as batch_cell.h and drop_move.h say.
 */
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "steps/droplets/drop_run.h"
#include "steps/step.h"
#include "terrain/layers.h"
#include "wear/border.h"
#include "wear/drop_lengths.h"
#include "wear/floor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEG = 32,          /* moves in a round, at most */
    AUTO_MOVES = 64,   /* of a drop, at most */
    MOST_MOVES = 65536 /* that a user may ask for */
};

/* In m, but within these cells. */
static const float AUTO_RADIUS = 30.0f, AUTO_LEAST = 1.5f, AUTO_MOST = 32.0f;
/* In cells: how wide a move is, and what a drop stands for where their number is chosen. */
static const float LEAST_MOVE = 0.02f, LEAST_APART = 0.5f;

static float length_or(float value, float cell, float other) {
    return isnan(value) ? other : rvi_length(value, cell);
}

/* Metres become cells and moves. Where cells are too coarse for the radius that is meant, the disc
 * is as wide as they can show, but a drop moves and takes no more than it would on finer cells. */
static rv_status measure_lengths(rvi_drop_run *f) {
    float cell = f->job->land->cell;
    float meant = length_or(f->p->radius, cell, rvi_minf(AUTO_RADIUS, AUTO_MOST * cell));
    float radius = isnan(f->p->radius) ? rvi_maxf(meant, AUTO_LEAST * cell) : meant;
    float move = length_or(f->p->move, cell, rvi_maxf(meant / 3.0f, LEAST_MOVE * cell));
    float path = length_or(f->p->max_path, cell, (float)AUTO_MOVES * move);
    rv_status status = rvi_drop_lengths_check(f->job->ctx, "droplets", radius, move, cell);
    if (status != RV_OK)
        return status;
    if (path > (float)MOST_MOVES * move)
        return rvi_fail(f->job->ctx, RV_ERROR_USAGE,
                        "droplets: max_path is at most %d moves, which is %.9g m, not %.9g m.",
                        MOST_MOVES, (double)((float)MOST_MOVES * move), (double)path);
    f->radius = rvi_maxf(radius / cell, 1.0f);
    f->move = move / cell;
    f->near = rvi_maxf(f->move, 1.0f);
    f->near_reach = f->near > 1.0f ? (int)ceilf(f->near) : 0;
    f->apart = f->p->drops == RV_AUTO_INT ? rvi_maxf(f->move, LEAST_APART) : f->move;
    f->share = f->apart * f->apart;
    f->most_moves = rvi_maxi((int)(path / move + 0.5f), 1);
    return RV_OK;
}

/* In cells. */
static int asked_margin(const rvi_drop_run *f) {
    float cell = f->job->land->cell;
    float cells = length_or(f->p->margin, cell, (float)f->most_moves * f->move * cell) / cell;
    return rvi_maxi((int)(rvi_minf(cells, 65536.0f) + 0.5f), 1);
}

/* As many drops fall on a cell of the apron as on one of the map: it is kept to eight times the
 * cells of the map, which is what a square map has around it when the margin is as wide as the map.
 */
static int apron_width(const rvi_drop_run *f) {
    const rv_terrain *land = f->job->land;
    int64_t width = land->width, height = land->height;
    int margin = asked_margin(f);
    while ((width + 2 * margin) * (height + 2 * margin) > 9 * width * height)
        margin--;
    return margin;
}

static void size_grids(rvi_drop_run *f) {
    const rv_terrain *land = f->job->land;
    if (f->p->border == RV_droplets_border_apron)
        f->margin = apron_width(f);
    f->width = land->width + 2 * f->margin;
    f->height = land->height + 2 * f->margin;
    rvi_brush_make(&f->brush, f->radius);
    f->border = rvi_maxi(f->brush.reach, f->near_reach + 4);
    int legs = (f->most_moves + LEG - 1) / LEG;
    f->leg = (f->most_moves + legs - 1) / legs;
    f->stride = (size_t)(f->width + 2 * f->border);
    f->count = f->stride * (size_t)(f->height + 2 * f->border);
}

static int apron_turn(const rvi_drop_run *f) {
    return rvi_maxi((int)((float)RVI_APRON_TURN * f->move + 0.5f), 1);
}

static rv_status fill_heights(rvi_drop_run *f) {
    const rv_terrain *land = f->job->land;
    rvi_drop_apron apron = {land->width, land->height, f->margin, apron_turn(f)};
    for (int y = 0; y < f->height; y++) {
        if (rvi_poll(f->job->ctx) != RV_OK)
            return RV_CANCELLED;
        for (int x = 0; x < f->width; x++)
            f->h[at(f, x, y)] = rvi_drop_apron_height(&apron, land->surface, x, y);
    }
    return RV_OK;
}

static rvi_factor_shape factor_shape(const rvi_drop_run *f) {
    return (rvi_factor_shape){.first = at(f, f->margin, f->margin),
                              .stride = f->stride,
                              .count = f->count,
                              .margin = f->margin};
}

/* Brings the land up to date with the grid of the drops. */
static rv_status show_land(const rvi_drop_run *f) {
    rv_terrain *land = f->job->land;
    if (f->layered) {
        rvi_terrain_sum_layers(land);
        return RV_OK;
    }
    for (int y = 0; y < land->height; y++) {
        if (rvi_poll(land->ctx) != RV_OK)
            return RV_CANCELLED;
        memcpy(land->surface + (size_t)y * (size_t)land->width,
               f->h + at(f, f->margin, y + f->margin), (size_t)land->width * sizeof(float));
    }
    return RV_OK;
}

/* A round takes long on large land: it is seen between two of its tiles, too. */
static rv_status look(void *arg) {
    const rvi_drop_run *f = arg;
    rv_status status = show_land(f);
    return status == RV_OK ? rvi_progress_look(f->job->ctx, f->job->land) : status;
}

/* The blend moves ground from cell to cell, metres on one cell, which only the books of the layers
 * know of. What rounding left over of it in the end counts as suspended, or as raised where more
 * was laid than taken. */
static void book_blend(const rvi_drop_run *f, double laid, double taken) {
    rvi_job *job = f->job;
    double area = (double)job->land->cell * (double)job->land->cell, both = fmin(laid, taken);
    job->ledger.eroded += (taken - both) * area;
    job->ledger.suspended += (taken - both) * area;
    job->ledger.raised += (laid - both) * area;
    job->brought += (laid - both) * area;
    job->shifted = both * area;
    job->deposited_on[job->land->layer_count - 1] += laid * area;
}

/* The change map, part of it blurred (5.10): change + blend (blurred - change). Blurring leaves the
 * sum as it is; but hard or masked ground is not lowered by it, and no ground below the floor, so
 * what it raises and what it lowers are brought to the same sum: nothing is won or lost. */
static rv_status blend(rvi_drop_run *f) {
    rv_terrain *land = f->job->land;
    size_t cells = rvi_cells(land), width = (size_t)land->width;
    float *change = f->change;
    for (size_t i = 0; i < cells; i++) {
        if (rvi_poll_at(land->ctx, i) != RV_OK)
            return RV_CANCELLED;
        change[i] = land->surface[i] - f->before[i];
    }
    rv_status status = rvi_smoother_run(&f->smoother, change);
    if (status != RV_OK)
        return status;
    double raised = 0.0, lowered = 0.0;
    for (size_t i = 0; i < cells; i++) {
        if (rvi_poll_at(land->ctx, i) != RV_OK)
            return RV_CANCELLED;
        float now = land->surface[i];
        float by = f->p->blend * (change[i] - (now - f->before[i]));
        if (by > 0.0f) {
            by *= f->mask ? f->mask[i] : 1.0f;
        } else {
            size_t g = at(f, (int)(i % width) + f->margin, (int)(i / width) + f->margin);
            by *= rvi_factor_cell(&f->factor, g) * rvi_factor_ground(&f->factor, i, now);
            by = rvi_maxf(by, rvi_minf(f->floor - now, 0.0f));
        }
        *(by > 0.0f ? &raised : &lowered) += (double)by;
        change[i] = by;
    }
    float up = raised > -lowered ? (float)(-lowered / raised) : 1.0f;
    float down = raised < -lowered ? (float)(raised / -lowered) : 1.0f;
    double owed = 0.0; /* what rounding kept from the cells before: the next one gets it */
    double laid = 0.0, taken = 0.0;
    for (size_t i = 0; i < cells; i++) {
        if (rvi_poll_at(land->ctx, i) != RV_OK)
            return RV_CANCELLED;
        if (change[i] == 0.0f)
            continue;
        owed += (double)(change[i] * (change[i] > 0.0f ? up : down));
        double least = (double)rvi_minf(f->floor - land->surface[i], 0.0f);
        double by = rvi_layers_shift(land, i, (float)(owed > least ? owed : least));
        *(by > 0.0 ? &laid : &taken) += by > 0.0 ? by : -by;
        owed -= by;
    }
    book_blend(f, laid, taken);
    rvi_terrain_sum_layers(land);
    return RV_OK;
}

/* What the drops left behind for those who paint the land. */
static rv_status leave_fields(const rvi_drop_run *f) {
    const rv_terrain *land = f->job->land;
    float *flow = f->fields[0], *eroded = f->fields[1], *deposited = f->fields[2];
    for (int y = 0; y < land->height; y++) {
        if (rvi_poll(land->ctx) != RV_OK)
            return RV_CANCELLED;
        for (int x = 0; x < land->width; x++) {
            size_t i = (size_t)y * (size_t)land->width + (size_t)x;
            size_t g = at(f, x + f->margin, y + f->margin);
            flow[i] += f->traces[g].flow;
            deposited[i] += f->traces[g].deposited;
            eroded[i] += rvi_maxf(f->traces[g].deposited - (f->h[g] - f->before[i]), 0.0f);
        }
    }
    return RV_OK;
}

/* What drops carry that were on their way when the user asked to stop. */
static void add_running(const rvi_drop_run *f, tile_result *sum) {
    int count;
    const int *slots = rvi_rounds_running(&f->rounds, &count);
    for (int i = 0; i < count; i++) {
        const rvi_slot *slot = &rvi_rounds_slots(&f->rounds)[slots[i]];
        const drop *d = &f->drops[slots[i]];
        bool over_land = land_cell(f, (int)slot->x, (int)slot->y) != SIZE_MAX;
        double own = f->margin > 0 ? d->own : d->sediment;
        *(over_land ? &sum->suspended : &sum->left_map) += rvi_max(own, 0.0);
    }
}

/* Adds the tiles up, in order. */
static void close_ledger(rvi_drop_run *f) {
    rvi_job *job = f->job;
    tile_result sum = {0};
    int tiles = rvi_rounds_tiles(&f->rounds), layers = job->land->layer_count;
    for (int t = 0; t < tiles; t++) {
        const tile_result *r = &f->results[t];
        sum.eroded += r->eroded;
        sum.deposited += r->deposited;
        sum.left_map += r->left_map;
        sum.suspended += r->suspended;
        sum.raised += r->raised;
        job->drop_steps += r->drop_steps;
        rvi_drop_ends_add(&sum.ends, &r->ends);
    }
    add_running(f, &sum);
    rvi_drop_ends_tell(job->land, &sum.ends);
    double area = (double)job->land->cell * (double)job->land->cell;
    job->ledger = (rv_ledger){.eroded = sum.eroded * area,
                              .deposited = sum.deposited * area,
                              .left_map = sum.left_map * area,
                              .suspended = sum.suspended * area,
                              .raised = sum.raised * area};
    job->brought = job->ledger.raised;
    job->deposited_on[layers - 1] = f->deposited_on ? 0.0 : (sum.deposited + sum.raised) * area;
    for (int k = 0; f->deposited_on && k < tiles * layers; k++)
        job->deposited_on[k % layers] += area * f->deposited_on[k];
}

/* Units that a drop may touch beyond its radius where a cell is at most two of them wide: rounds
 * are the same on all of these. */
static const double BESIDE = 15.0;

/* Rain falls on the apron as on the map. */
static uint64_t drops_wanted(const rvi_drop_run *f) {
    double cells = (double)rvi_cells(f->job->land), unit = (double)f->apart;
    double drops =
        f->p->drops == RV_AUTO_INT ? ceil(cells / (2.0 * unit * unit)) : (double)f->p->drops;
    double more = (double)f->width * (double)f->height / cells;
    return (uint64_t)(fmin(drops * more, 1e13) + 0.5);
}

static rvi_rounds_desc describe_rounds(rvi_drop_run *f) {
    double unit = (double)f->apart;
    double radius = (double)f->radius / unit;
    double touched = rvi_max(radius + BESIDE, (double)(f->border + 2) / unit);
    return (rvi_rounds_desc){
        .width = f->width,
        .height = f->height,
        .margin = f->margin,
        .unit = unit,
        .reach = (int)ceil((double)f->leg * (double)f->move / unit) + 1 + (int)ceil(touched),
        .cost = (double)f->leg * (1.0 + 0.05 * (radius + 1.0) * (radius + 1.0)),
        .drops = drops_wanted(f),
        .seed = f->p->seed,
        .run = rvi_drops_run,
        .arg = f,
        .look = look,
    };
}

static bool carries_materials(const rvi_drop_run *f) {
    return f->p->give != RV_droplets_give_top && f->job->land->layer_count > 1;
}

static rv_status fill_grids(rvi_drop_run *f) {
    rvi_job *job = f->job;
    const rv_terrain *land = job->land;
    float low, high;
    rvi_range(job->ctx, land->surface, rvi_cells(land), &low, &high);
    f->relief = high - low;
    float relief = f->relief > 0.0f ? f->relief : 1.0f;
    f->steer = (1.0f - f->p->inertia) / relief * f->move;
    f->pull = f->p->gravity / relief;
    f->min_fall = f->p->min_slope * relief;
    f->mask = rvi_field_get(land, "mask");
    rvi_factor_shape shape = factor_shape(f);
    rv_status status = rvi_floor_find(job, f->p->floor, low, high, NULL, &f->floor);
    if (status == RV_OK)
        status = rvi_factor_make(job, &shape, &f->factor);
    if (status == RV_OK)
        status = rvi_rain_load(job, f->p->rain, f->margin, &f->rounds.d.rain);
    if (status == RV_OK)
        status = rvi_copy(job->ctx, f->before, land->surface, rvi_cells(land) * sizeof(float));
    if (status != RV_OK)
        return status;
    rvi_rounds_begin(&f->rounds);
    return fill_heights(f);
}

static rv_status run_rounds(rvi_drop_run *f) {
    rv_status status = RV_OK;
    while (status == RV_OK && rvi_rounds_done(&f->rounds) < 1.0) {
        status = rvi_rounds_next(&f->rounds);
        if (status == RV_OK && rvi_progress_due(f->job->ctx))
            status = show_land(f);
        if (status == RV_OK)
            status = rvi_job_progress(f->job, rvi_rounds_done(&f->rounds));
    }
    return status;
}

static void tell_margin(const rvi_drop_run *f) {
    if (f->margin > 0 && !isnan(f->p->margin) && f->margin < asked_margin(f))
        rvi_log(f->job->ctx,
                "droplets: the apron is %d cells wide, not %d: more than that is too much "
                "for so small a map.",
                f->margin, asked_margin(f));
}

static rv_status run(rvi_job *job) {
    rvi_drop_run *f = job->state;
    const rv_terrain *land = job->land;
    rv_status status = fill_grids(f);
    if (status == RV_OK)
        status = rvi_figures_begin(job->land, RVI_DROP_FIGURES);
    if (status != RV_OK)
        return status;
    job->begun = true;
    tell_margin(f);
    /* On flat land, or land one cell wide, no drop can run. */
    if (f->relief > 0.0f && land->width > 1 && land->height > 1)
        status = run_rounds(f);
    f->whole = status == RV_OK;
    return status;
}

/* After a stop all this belongs to the drops that did run. */
static rv_status close_run(rvi_job *job) {
    rvi_drop_run *f = job->state;
    rv_status status = show_land(f);
    if (status != RV_OK)
        return status;
    close_ledger(f);
    status = leave_fields(f);
    if (status == RV_OK && f->whole && f->p->blend > 0.0f)
        status = blend(f);
    return status;
}

static void list_blend(rvi_drop_run *f) {
    rvi_job *job = f->job;
    const rv_terrain *land = job->land;
    if (f->p->blend > 0.0f) {
        rvi_job_grid(job, &f->change, "the change map");
        rvi_smoother_prepare(&f->smoother, job->ctx, land->width, land->height,
                             rvi_length(f->p->blur, land->cell) / land->cell, &job->buffers);
    }
}

static void list_buffers(rvi_drop_run *f) {
    rvi_job *job = f->job;
    const rv_terrain *land = job->land;
    rvi_rounds_desc desc = describe_rounds(f);
    rvi_rounds_prepare(&f->rounds, job->ctx, &desc, &job->buffers);
    rvi_job_buffer(job, &f->h, f->count, sizeof *f->h, "the eroded land");
    rvi_job_buffer(job, &f->traces, f->count, sizeof *f->traces, "the traces of drops");
    rvi_job_grid(job, &f->before, "the land as it was");
    rvi_factor_shape shape = factor_shape(f);
    rvi_factor_list(job, &shape, &f->factor);
    list_blend(f);
    size_t tiles = (size_t)rvi_rounds_tiles(&f->rounds), layers = (size_t)land->layer_count;
    size_t most = (size_t)rvi_rounds_most(&f->rounds);
    rvi_job_buffer(job, &f->results, tiles, sizeof *f->results, "the tiles");
    rvi_job_buffer(job, &f->drops, most, sizeof *f->drops, "the drops");
    if (!carries_materials(f))
        return;
    rvi_job_buffer(job, &f->loads, most * layers, sizeof *f->loads, "what drops carry");
    rvi_job_buffer(job, &f->deposited_on, tiles * layers, sizeof *f->deposited_on, "the ledger");
}

/* ---- order=batch ---- */

static void move_drop(const rvi_batch_grids *g, const rvi_batch_rules *r, const void *law,
                      const rvi_batch_round *t, rvi_batch_slot *slot) {
    rvi_drop_move(g, r, law, t, slot, true);
}

static rv_status run_batch(rvi_job *job) {
    rvi_drop_run *f = job->state;
    tell_margin(f);
    return rvi_batch_run(&f->batch);
}

static rv_status close_batch(rvi_job *job) {
    rvi_drop_run *f = job->state;
    const rvi_batch *b = &f->batch;
    rv_status status = rvi_batch_close(&f->batch);
    f->before = b->before;
    f->factor = b->factor;
    f->mask = b->mask;
    f->floor = b->rules.floor_height;
    return status == RV_OK && b->whole && f->p->blend > 0.0f ? blend(f) : status;
}

static rvi_drop_law law_of(const rvi_drop_run *f) {
    const rv_droplets_params *p = f->p;
    return (rvi_drop_law){
        .inertia = p->inertia,
        .steer = (1.0f - p->inertia) / (float)RVI_BATCH_RELIEF * f->move,
        .capacity = p->capacity * f->share,
        .min_fall = p->min_slope * (float)RVI_BATCH_RELIEF,
        .deposition = p->deposition,
        .erosion = p->erosion,
        .dry = 1.0f - p->evaporation,
        .pull = p->gravity / (float)RVI_BATCH_RELIEF,
    };
}

static rv_status prepare_batch(rvi_drop_run *f) {
    rvi_job *job = f->job;
    if (carries_materials(f))
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "droplets: order=batch is for give=top, not for give=same.");
    job->run = run_batch;
    job->close = close_batch;
    f->law = law_of(f);
    list_blend(f);
    return rvi_batch_prepare(&f->batch, job,
                             &(rvi_batch_desc){
                                 .move = move_drop,
                                 .kernels = "batch_drops",
                                 .law = &f->law,
                                 .law_size = sizeof f->law,
                                 .rain = f->p->rain,
                                 .margin = f->margin,
                                 .border = f->border,
                                 .turn = apron_turn(f),
                                 .drops = drops_wanted(f),
                                 .seed = f->p->seed,
                                 .radius = f->radius,
                                 .last = f->radius,
                                 .move_length = f->move,
                                 .near = f->near,
                                 .apart = f->apart,
                                 .bank = 1.0f,
                                 .floor = f->p->floor,
                                 .first_water = f->p->first_water,
                                 .first_speed = f->p->first_speed,
                                 .most_moves = f->most_moves,
                                 .wall = f->p->border == RV_droplets_border_wall,
                                 /* The blurred change map the processor alone knows. */
                                 .on_device = !(f->p->blend > 0.0f),
                             });
}

rv_status rvi_step_droplets(rvi_job *job, const rv_droplets_params *p) {
    static const char *const names[3] = {"flow", "eroded", "deposited"};
    rvi_drop_run *f = rvi_job_begin(job, sizeof *f, run, close_run);
    if (!f)
        return RV_ERROR_MEMORY;
    f->p = p;
    f->job = job;
    f->layered = job->land->layer_count > 1;
    rv_status status = measure_lengths(f);
    if (status != RV_OK)
        return status;
    size_grids(f);
    if (p->order == RV_droplets_order_batch)
        return prepare_batch(f);
    list_buffers(f);
    status = rvi_rain_list(job, p->rain, f->margin, &f->rounds.d.rain);
    for (int k = 0; status == RV_OK && k < 3; k++)
        status = rvi_job_field(job, names[k], &f->fields[k]);
    return status;
}
