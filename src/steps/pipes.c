/* pipes.c: shallow water that runs through pipes between cells, and wears the ground below it.
 *
 * J. F. O'Brien, J. K. Hodgins, Dynamic simulation of splashing fluids, 1995 (the pipes); X. Mei,
 * P. Decaudin, B.-G. Hu, Fast hydraulic erosion simulation and visualization on GPU, 2007 (limit,
 * velocity, capacity, transport); O. Stava and others, Interactive terrain modeling using hydraulic
 * erosion, 2008; P. D. Bates, M. S. Horritt, T. J. Fewtrell, A simple inertial formulation of the
 * shallow water equations, 2010 (the cross-section of a pipe is the water in it). Metres, seconds.
 *
 * A cell of side l has bed b, depth d, sediment s (metres of ground). A pipe of width w joins it to
 * each neighbour at distance L: four with w = l, or eight with w = l tan(22.5 deg), the sides of an
 * octagon. In each round, for each pipe from i to j
 *     fall    F = (b + d)i - (b + d)j, 0 where that is within the rounding of d
 *     filled  h = max(bi + di, bj + dj) - max(bi, bj)
 *     pushed  p = K q + g dt h F / L
 *     held    q' = p - cf dt q' |q'| / h^2, so q' = 2 p h / (h + sqrt(h^2 + 4 cf dt |p|))   [m^2/s]
 * and for each cell, with out = sum of q' w that leave it, K = min(1, d l^2 / (dt out)), f = K q' w
 *     depth   d' = d + dt (sum f in - sum f out) / l^2 + rain dt, then times exp(-evaporation dt)
 *     speed   v = (sum f in + sum f out) / (2 l) / mean of d and d'
 *     tilt    of the water surface along the pipes that leave, weighted by their flux
 *     can     C = capacity max(sin tilt, min_tilt) v min(d, max_depth)
 *     take    (1 - exp(-dissolve dt)) (C - s), at most a quarter of the drop to the next cell
 *     lay     (1 - exp(-deposit dt)) (s - C); all of it where the cell is dry
 * What is taken comes from the ground within the width of the channel (channel.h), every WEAR_TIME
 * seconds for all rounds since; with width=0 from the cell itself, every round.
 * Sediment moves before that along the pipes, f s / d from the cell the water leaves (flux), or
 * after it along the velocity v: s(x) = s(x - v dt) (backward) or shared among the cells round
 * x + v dt (forward). With give=same the parts of s that come from each layer move in the same
 * way, and what is laid down is of all of them in proportion. Down a slope of any direction eight
 * pipes carry the same to 1.5 % when cf is 1.2 friction, because the friction of a pipe knows only
 * its own flux; four do to 9 %. A round lasts dt <= courant l / (sqrt(g max d) + max v), courant =
 * 0.7 with eight pipes (waves are stable up to 1) and 0.5 with four (0.71).
 *
 * Grids have a ring of ghost cells. Where the border is open they continue the slope of the land as
 * it was when the step began and hold no water; where it is a wall they are too high for any.
 */
#include "base/reduce.h"
#include "base/text.h"
#include "base/threads.h"
#include "device/device_sum.h"
#include "steps/pipes/pipe_run.h"
#include "wear/border.h"
#include "wear/map_image.h"
#include "wear/rain.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Seconds from one time to the next that ground is taken where it is spread. */
#define WEAR_TIME 4.0f

/* ---- rounds ---- */

static void swap(float **pair) {
    float *held = pair[0];
    pair[0] = pair[1];
    pair[1] = held;
}

/* How long the next round lasts. Water that is about to run is taken to be as deep as a thousandth
 * of a cell, and as fast as a fall of half a hundredth of a cell makes it. */
static float choose_dt(const rvi_pipes *f, double left) {
    const rv_pipes_params *p = f->p;
    float cell = f->rules.cell, deepest = rvi_maxf(f->deepest, 0.001f * cell);
    float fastest = rvi_maxf(f->fastest, sqrtf(0.01f * p->gravity * cell));
    float courant = f->eight ? 0.7f : 0.5f;
    float dt = courant * cell / (sqrtf(p->gravity * deepest) + fastest + 1e-30f);
    dt = p->model == RV_pipes_model_virtual ? rvi_virtual_dt(f) : dt;
    dt = isnan(p->dt) ? dt : rvi_minf(dt, p->dt);
    return (double)dt < left ? dt : (float)left;
}

static void set_rules(rvi_pipes *f, float dt) {
    const rv_pipes_params *p = f->p;
    rvi_pipe_rules *r = &f->rules;
    float width = f->eight ? 0.41421356f : 1.0f;
    r->dt = dt;
    r->share = dt * width * r->per_cell;
    r->pull_axis = p->gravity * dt * r->per_cell;
    r->pull_corner = r->pull_axis * 0.70710678f;
    r->drag = 4.0f * p->friction * dt * (f->eight ? 1.2f : 1.0f);
    r->half_width = 0.5f * width;
    r->capacity = p->capacity;
    r->min_tilt = p->min_tilt;
    r->max_depth = p->max_depth;
    r->drop = 0.25f * (f->want ? rvi_maxf(r->cell, rvi_length(p->width, r->cell)) : r->cell);
    r->dissolve = f->wears ? 1.0f - rvi_expf(-p->dissolve * f->wear_time) : 0.0f;
    r->deposit = 1.0f - rvi_expf(-p->deposit * dt);
    r->evaporate = 1.0f - rvi_expf(-p->evaporation * dt);
    r->film = p->evaporation > 0.0f ? 1e-6f : -1.0f;
}

/* A round in parts, whose blocks change the grids in place. */
enum { PUSH, CHANGE, MOVE, TRANSPORT, PARTS };

static rv_status run_part_on_device(rvi_pipes *f) {
    static rv_status (*const parts[PARTS])(rvi_pipes * f) = {
        [PUSH] = rvi_pipe_device_round,
        [MOVE] = rvi_pipe_device_move,
        [TRANSPORT] = rvi_pipe_device_transport,
    };
    return !parts[f->part] || (f->part >= MOVE && !f->move_x) ? RV_OK : parts[f->part](f);
}

static rv_status run_part(rvi_pipes *f) {
    if (f->job->device)
        return run_part_on_device(f);
    static void (*const blocks_of[PARTS])(void *arg, int64_t block) = {
        [PUSH] = rvi_pipe_push_block,
        [CHANGE] = rvi_pipe_cell_block,
        [MOVE] = rvi_pipe_move_block,
        [TRANSPORT] = rvi_pipe_transport_block,
    };
    static void (*const virtual_of[])(void *arg, int64_t block) = {
        [PUSH] = rvi_virtual_push_block,
        [CHANGE] = rvi_virtual_cell_block,
    };
    int cells = (f->height + RVI_PIPE_ROWS - 1) / RVI_PIPE_ROWS;
    bool other = f->p->model == RV_pipes_model_virtual && f->part <= CHANGE;
    int count = f->part == PUSH && !other ? f->block_count : cells;
    if (f->part >= MOVE && !f->move_x)
        return RV_OK;
    rv_status status = rvi_parallel_rest(f->job->ctx, count, f->done,
                                         (other ? virtual_of : blocks_of)[f->part], f);
    if (status == RV_OK)
        memset(f->done, 0, (size_t)f->block_count * sizeof *f->done);
    return status;
}

/* The sum over a grid. */
static rv_status sum_grid(const rvi_pipes *f, const float *grid, double *out) {
    rvi_job *job = f->job;
    if (job->device)
        return rvi_device_sum(job->device, job->ctx, grid, f->count, out);
    *out = rvi_sum(job->ctx, grid, f->count);
    return RV_OK;
}

/* Backward transport wins and loses sediment: the sums before and after it say how much. */
static rv_status count_backward(rvi_pipes *f) {
    double now;
    if (f->part == MOVE)
        return sum_grid(f, f->sediment[1], &f->carried);
    if (f->part != TRANSPORT)
        return RV_OK;
    rv_status status = sum_grid(f, f->sediment[0], &now);
    double won = status == RV_OK ? now - f->carried : 0.0;
    *(won > 0.0 ? &f->won : &f->left_map) += won > 0.0 ? won : -won;
    return status;
}

static rv_status count_off(rvi_pipes *f) {
    if (f->job->device)
        return rvi_pipe_device_count_off(f);
    rvi_pipe_count_off(f);
    return RV_OK;
}

static rv_status wear_ground(rvi_pipes *f) {
    return f->job->device ? rvi_pipe_device_wear(f) : rvi_pipe_wear(f);
}

/* The deepest and the fastest water of this round. */
static rv_status find_most(rvi_pipes *f) {
    f->deepest = f->fastest = 0.0f;
    if (f->job->device)
        return rvi_pipe_device_most(f);
    for (int b = 0; b < f->block_count; b++) {
        f->deepest = rvi_maxf(f->deepest, f->blocks[b].depth);
        f->fastest = rvi_maxf(f->fastest, f->blocks[b].speed);
    }
    return RV_OK;
}

/* RV_CANCELLED: the round is not whole; the next call does the rest. */
static rv_status finish_round(rvi_pipes *f) {
    for (; f->part < PARTS; f->part++) {
        rv_status status = run_part(f);
        if (status == RV_OK && f->part == MOVE)
            status = count_off(f);
        if (status == RV_OK && f->transport == RV_pipes_transport_backward)
            status = count_backward(f);
        if (status != RV_OK)
            return status;
    }
    if (f->wears) {
        rv_status status = f->want ? wear_ground(f) : RV_OK;
        if (status != RV_OK)
            return status;
        f->wear_time = 0.0f;
    }
    if (!f->move_x) {
        float **held = f->parts[0];
        f->parts[0] = f->parts[1];
        f->parts[1] = held;
        swap(f->sediment);
    }
    swap(f->depth);
    swap(f->change);
    f->job->water.rained += (double)f->rules.dt * f->source_sum;
    f->seconds += (double)f->rules.dt;
    f->rounds++;
    f->held += f->won - f->left_map;
    f->rounding = false;
    return find_most(f);
}

static rv_status run_round(rvi_pipes *f, float dt) {
    f->wear_time += dt;
    double left = (double)f->p->time - f->seconds - (double)dt;
    f->wears = !f->want || f->wear_time >= WEAR_TIME || left <= 1e-6 * (double)f->p->time ||
               f->rounds + 1 == f->p->rounds;
    set_rules(f, dt);
    f->part = PUSH;
    f->rounding = true;
    return finish_round(f);
}

typedef struct shown {
    const rvi_pipes *f;
    bool settle;
} shown;

static void show_rows(void *arg, int first, int end) {
    const shown *s = arg;
    const rvi_pipes *f = s->f;
    const rv_terrain *land = f->job->land;
    for (int y = first; y < end; y++)
        for (int x = 0; x < f->width; x++) {
            size_t i = (size_t)(y + 1) * f->stride + (size_t)(x + 1);
            float lower = rvi_pipe_height(f->bed[i], f->change[0][i]);
            land->surface[(size_t)y * (size_t)f->width + (size_t)x] = lower;
            if (s->settle)
                f->sediment[0][i] += (float)rvi_pipe_above(f->bed[i], f->change[0][i], lower);
        }
}

/* Brings the land up to date. Heights are rounded down and what that leaves stays suspended:
 * nothing is won or lost. `settle` false: only for the eye. */
static rv_status show_land(rvi_pipes *f, bool settle) {
    shown s = {f, settle};
    if (f->job->device)
        return rvi_pipe_device_show(f, settle);
    if (!f->layered)
        return rvi_parallel_rows(f->job->ctx, f->height, show_rows, &s);
    rvi_terrain_sum_layers(f->job->land);
    return RV_OK;
}

static rv_status run_rounds(rvi_pipes *f) {
    const rv_pipes_params *p = f->p;
    rv_status status = RV_OK;
    const double end = (double)p->time;
    while (status == RV_OK) {
        double left = end - f->seconds;
        if (left <= 1e-6 * end || (p->rounds != RV_AUTO_INT && f->rounds >= p->rounds))
            break;
        status = run_round(f, choose_dt(f, left));
        double done = f->seconds / end;
        if (p->rounds != RV_AUTO_INT)
            done = fmax(done, (double)f->rounds / (double)p->rounds);
        if (status == RV_OK && rvi_progress_due(f->job->ctx))
            status = show_land(f, false);
        if (status == RV_OK)
            status = rvi_job_progress(f->job, done < 1.0 ? done : 1.0);
        if (status == RV_OK && f->job->device)
            status = rvi_poll(f->job->ctx);
    }
    return status;
}

/* ---- before and after ---- */

/* Where cell (x, y) of the map is in a grid. */
static size_t grid_at(const rvi_pipes *f, int x, int y) {
    return (size_t)(y + 1) * f->stride + (size_t)(x + 1);
}

static rvi_factor_shape factor_shape(const rvi_pipes *f) {
    return (rvi_factor_shape){.first = grid_at(f, 0, 0), .stride = f->stride, .count = f->count};
}

static bool has_springs(const rvi_pipes *f) {
    return f->p->spring_rate > 0.0f || f->p->springs[0];
}

static const char *rain_field(const rvi_pipes *f) {
    return rvi_rain_field(f->job->land, f->p->rain_image);
}

/* Does the rain differ from place to place? */
static bool rain_differs(const rvi_pipes *f) {
    return f->p->rain_image[0] || rain_field(f)[0];
}

/* The grids of this run but those of the layers: where each pointer stands. Returns how many. */
enum { MOST_GRIDS = 31 };
static size_t name_grids(rvi_pipes *f, float **grids[MOST_GRIDS]) {
    const rv_terrain *land = f->job->land;
    bool moves = f->transport != RV_pipes_transport_flux;
    bool source = rain_differs(f) || has_springs(f);
    float **always[] = {&f->bed,      &f->change[0],   &f->depth[0], &f->sediment[0], &f->change[1],
                        &f->depth[1], &f->sediment[1], &f->rest,     &f->q[0],        &f->q[1]};
    size_t count = sizeof always / sizeof always[0];
    memcpy(grids, always, sizeof always);
    for (int k = 2; f->eight && k < RVI_PIPE_WAYS; k++)
        grids[count++] = &f->q[k];
    for (int k = 0; f->p->model == RV_pipes_model_virtual && k < RVI_PIPE_WAYS; k++)
        grids[count++] = &f->out[k];
    grids[count++] = &f->limit;
    grids[count++] = &f->deposited;
    grids[count++] = &f->flow;
    if (moves) {
        grids[count++] = &f->move_x;
        grids[count++] = &f->move_y;
    }
    if (source)
        grids[count++] = &f->source;
    if (f->channel.count > 0) {
        grids[count++] = &f->want;
        grids[count++] = &f->asked;
        grids[count++] = &f->spare;
    }
    if (rvi_field_there(land, "mask"))
        grids[count++] = &f->mask;
    assert(count <= MOST_GRIDS);
    return count;
}

static float *grid_number(const rvi_pipes *f, size_t number) {
    return f->grids + number * rvi_pipe_grid_spacing(f) + RVI_PIPE_START;
}

static void list_buffers(rvi_pipes *f) {
    rvi_job *job = f->job;
    float **grids[MOST_GRIDS];
    bool same = rvi_pipe_gives_same(f);
    size_t blocks = (size_t)f->block_count, layers = same ? (size_t)job->land->layer_count : 0;
    size_t count = name_grids(f, grids) + 2 * layers;
    size_t rows = blocks * RVI_PIPE_BLOCK_ROWS * f->stride + RVI_PIPE_START;
    rvi_job_buffer(job, &f->grids, count * rvi_pipe_grid_spacing(f), sizeof *f->grids,
                   "running water");
    rvi_job_buffer(job, &f->rows, rows, sizeof *f->rows, "rows of water");
    rvi_job_buffer(job, &f->blocks, blocks, sizeof *f->blocks, "the blocks");
    rvi_job_buffer(job, &f->done, blocks, sizeof *f->done, "the blocks");
    rvi_job_buffer(job, &f->columns, blocks * f->stride, sizeof *f->columns, "the ledger");
    rvi_job_buffer(job, &f->off, (size_t)rvi_pipe_places(&f->shape), sizeof *f->off, "the ledger");
    rvi_factor_shape shape = factor_shape(f);
    rvi_factor_list(job, &shape, &f->factor);
    if (!same)
        return;
    const char *what = "what sediment is made of";
    for (int k = 0; k < 2; k++)
        rvi_job_buffer(job, &f->parts[k], layers, sizeof *f->parts[k], what);
    rvi_job_buffer(job, &f->loads, layers * blocks, sizeof *f->loads, what);
    rvi_job_buffer(job, &f->deposited_on, layers * blocks * f->stride, sizeof(double),
                   "the ledger");
}

static void place_grids(rvi_pipes *f) {
    float **grids[MOST_GRIDS];
    size_t count = name_grids(f, grids), layers = (size_t)f->job->land->layer_count;
    for (size_t k = 0; k < count; k++)
        *grids[k] = grid_number(f, k);
    for (size_t l = 0; f->parts[0] && l < 2 * layers; l++)
        f->parts[l / layers][l % layers] = grid_number(f, count + l);
}

/* A field of the map goes into a grid; one that is not there leaves it as it is. */
static rv_status fill_grid(const rvi_pipes *f, const float *field, float *to) {
    for (int y = 0; field && y < f->height; y++) {
        if (rvi_poll(f->job->ctx) != RV_OK)
            return RV_CANCELLED;
        memcpy(to + grid_at(f, 0, y), field + (size_t)y * (size_t)f->width,
               (size_t)f->width * sizeof(float));
    }
    return RV_OK;
}

/* The ground of the ghosts: a wall, or the land goes on at the slope of its edge. */
static void fill_ghosts(rvi_pipes *f) {
    int w = f->width, h = f->height;
    bool wall = f->p->border == RV_pipes_border_wall;
    for (int y = -1; y <= h; y++)
        for (int x = -1; x <= w; x += y == -1 || y == h ? 1 : w + 1) {
            size_t edge = grid_at(f, rvi_border_nearest(x, w), rvi_border_nearest(y, h));
            size_t inside = grid_at(f, rvi_border_mirrored(x, w), rvi_border_mirrored(y, h));
            float beyond = rvi_border_beyond(f->bed[edge], f->bed[inside]);
            f->bed[grid_at(f, x, y)] = wall ? RVI_PIPE_WALL : beyond;
        }
}

/* A spring: where, in cells, and how much, in m3/s. */
typedef struct spring {
    float x, y, rate;
} spring;

/* The next spring of the list, or the one of spring_x and spring_y where *rest is NULL. false: the
 * list is at its end. */
static bool next_spring(const rvi_pipes *f, const char **rest, spring *out, bool *wrong) {
    const rv_pipes_params *p = f->p;
    float cell = f->rules.cell;
    *wrong = false;
    if (!*rest) {
        *rest = p->springs;
        out->x = isnan(p->spring_x) ? 0.5f * (float)(f->width - 1) : p->spring_x / cell;
        out->y = isnan(p->spring_y) ? 0.5f * (float)(f->height - 1) : p->spring_y / cell;
        out->rate = p->spring_rate;
        return true;
    }
    const char *text = *rest + strspn(*rest, " ,\t");
    size_t size = strcspn(text, " ,\t");
    double said[3];
    if (size == 0)
        return false;
    *wrong = !rvi_text_vector(text, size, said);
    *rest = text + size;
    if (!*wrong)
        *out = (spring){(float)said[0] / cell, (float)said[1] / cell, (float)said[2]};
    return true;
}

static rv_status check_springs(const rvi_pipes *f) {
    static const float RATE_MOST = 1e7f;
    float cell = f->rules.cell, wide = (float)(f->width - 1), high = (float)(f->height - 1);
    const char *rest = NULL;
    spring s;
    bool wrong;
    while (next_spring(f, &rest, &s, &wrong)) {
        if (wrong)
            return rvi_fail(f->job->ctx, RV_ERROR_USAGE,
                            "pipes: springs=%.80s is not a list of x/y/rate in m, m and m3/s.",
                            f->p->springs);
        if (!(s.rate >= 0.0f && s.rate <= RATE_MOST))
            return rvi_fail(
                f->job->ctx, RV_ERROR_USAGE,
                "pipes: the spring at %g m, %g m brings %g m3/s, expected 0 to %g m3/s.",
                (double)(s.x * cell), (double)(s.y * cell), (double)s.rate, (double)RATE_MOST);
        if (s.rate > 0.0f && !(s.x >= 0.0f && s.y >= 0.0f && s.x <= wide && s.y <= high))
            return rvi_fail(f->job->ctx, RV_ERROR_USAGE,
                            "pipes: the spring at %g m, %g m lies outside the map of %g m x %g m.",
                            (double)(s.x * cell), (double)(s.y * cell), (double)(wide * cell),
                            (double)(high * cell));
    }
    return RV_OK;
}

/* Shares a spring among the cells within its radius, at least the nearest one. */
static rv_status add_spring(rvi_pipes *f, const spring *s) {
    float cell = f->rules.cell, radius = f->p->spring_radius / cell, near2 = radius * radius;
    int mid_x = (int)(s->x + 0.5f), mid_y = (int)(s->y + 0.5f);
    for (int turn = 0, cells = 0; turn < 2; turn++)
        for (int y = 0; y < f->height; y++) {
            if (rvi_poll(f->job->ctx) != RV_OK)
                return RV_CANCELLED;
            for (int x = 0; x < f->width; x++) {
                float dx = (float)x - s->x, dy = (float)y - s->y;
                if (dx * dx + dy * dy > near2 && !(x == mid_x && y == mid_y))
                    continue;
                cells += turn == 0;
                if (turn == 1)
                    f->source[grid_at(f, x, y)] += s->rate / ((float)cells * cell * cell);
            }
        }
    return RV_OK;
}

static rv_status add_springs(rvi_pipes *f) {
    const char *rest = NULL;
    spring s;
    bool wrong;
    rv_status status = RV_OK;
    while (status == RV_OK && next_spring(f, &rest, &s, &wrong))
        if (s.rate > 0.0f)
            status = add_spring(f, &s);
    return status;
}

static rv_status fill_source(rvi_pipes *f) {
    const rv_pipes_params *p = f->p;
    f->rain = p->rain / 3.6e6f;
    f->source_sum = (double)f->rain * (double)rvi_cells(f->job->land);
    if (!f->source)
        return RV_OK;
    rv_status status = RV_OK;
    bool differs = rain_differs(f);
    if (differs) {
        float *image;
        status = rvi_map_values_load(f->job, p->rain_image, rain_field(f), &image);
        if (status == RV_OK)
            status = fill_grid(f, image, f->source);
        rvi_free(f->job->ctx, image);
    }
    for (int y = 1; status == RV_OK && y <= f->height; y++) {
        status = rvi_poll(f->job->ctx);
        for (int x = 1; x <= f->width; x++) {
            float *here = &f->source[(size_t)y * f->stride + (size_t)x];
            *here = f->rain * (differs ? *here : 1.0f);
        }
    }
    if (status == RV_OK && has_springs(f))
        status = add_springs(f);
    f->source_sum = rvi_sum(f->job->ctx, f->source, f->count);
    return status;
}

/* The pipes take up the velocity that an earlier step left. */
static rv_status fill_flux(rvi_pipes *f, const float *vx, const float *vy) {
    rv_context *ctx = f->job->ctx;
    for (int y = 1; y <= f->height; y++) {
        if (rvi_poll(ctx) != RV_OK)
            return RV_CANCELLED;
        for (int x = 1; x <= f->width; x++) {
            size_t i = (size_t)y * f->stride + (size_t)x;
            size_t cell = (size_t)(y - 1) * (size_t)f->width + (size_t)(x - 1);
            float d = f->depth[0][i];
            f->limit[i] = 1.0f;
            f->deepest = rvi_maxf(f->deepest, d);
            if (!vx || !vy || !(d > RVI_PIPE_DRY))
                continue;
            float speed = sqrtf(vx[cell] * vx[cell] + vy[cell] * vy[cell]);
            f->fastest = rvi_maxf(f->fastest, speed);
            /* For now the grids to come hold the flux of each cell. */
            f->change[1][i] = d * vx[cell];
            f->sediment[1][i] = d * vy[cell];
        }
    }
    if (!vx || !vy)
        return RV_OK;
    float *qx = f->change[1], *qy = f->sediment[1];
    for (int y = 0; y <= f->height; y++) {
        if (rvi_poll(ctx) != RV_OK)
            return RV_CANCELLED;
        for (int x = 0; x <= f->width; x++) {
            size_t i = (size_t)y * f->stride + (size_t)x, s = i + f->stride;
            f->q[RVI_PIPE_EAST][i] = 0.5f * (qx[i] + qx[i + 1]);
            f->q[RVI_PIPE_SOUTH][i] = 0.5f * (qy[i] + qy[s]);
            if (!f->eight)
                continue;
            float down = (qx[i] + qy[i]) + (qx[s + 1] + qy[s + 1]);
            float up = (qy[i + 1] - qx[i + 1]) + (qy[s] - qx[s]);
            f->q[RVI_PIPE_SOUTH_EAST][i] = 0.35355339f * down;
            f->q[RVI_PIPE_SOUTH_WEST][i] = 0.35355339f * up;
        }
    }
    for (size_t i = 0; i < f->count; i++)
        qx[i] = qy[i] = 0.0f;
    return RV_OK;
}

/* Neither water nor sediment can be below 0. */
static rv_status check_fields(const rvi_pipes *f) {
    static const char *const names[] = {"water", "sediment"};
    for (int k = 0; k < 2; k++) {
        const float *field = rvi_field_get(f->job->land, names[k]);
        for (size_t i = 0; field && i < rvi_cells(f->job->land); i++) {
            if (rvi_poll_at(f->job->ctx, i) != RV_OK)
                return RV_CANCELLED;
            if (!(field[i] >= 0.0f && field[i] < 1e9f))
                return rvi_fail(f->job->ctx, RV_ERROR_INPUT,
                                "pipes: the %s in row %zu, column %zu is %g m.", names[k],
                                i / (size_t)f->width, i % (size_t)f->width, (double)field[i]);
        }
    }
    return RV_OK;
}

/* What may hold the water back, and the rain: the processor's work in any case. */
static rv_status fill_limits(rvi_pipes *f) {
    const rv_terrain *land = f->job->land;
    const char *names[] = {"mask", "hardness", rain_field(f)};
    rvi_factor_shape shape = factor_shape(f);
    rv_status status = RV_OK;
    for (size_t k = 0; status == RV_OK && k < sizeof names / sizeof names[0]; k++)
        status = rvi_memory_fetch(f->job->ctx, rvi_field_get(land, names[k]));
    if (status == RV_OK)
        status = rvi_factor_make(f->job, &shape, &f->factor);
    if (status == RV_OK)
        status = fill_source(f);
    return status == RV_OK ? fill_grid(f, rvi_field_get(land, "mask"), f->mask) : status;
}

static rv_status find_before(rvi_pipes *f) {
    double area = (double)f->rules.cell * (double)f->rules.cell, sediment = 0.0, water = 0.0;
    rv_status status = sum_grid(f, f->sediment[0], &sediment);
    if (status == RV_OK)
        status = sum_grid(f, f->depth[0], &water);
    f->job->ledger.before = area * sediment;
    f->job->water.before = area * water;
    return status;
}

static rv_status fill_on_device(rvi_pipes *f) {
    bool wrong = false;
    rv_status status = fill_limits(f);
    if (status == RV_OK)
        status = rvi_pipe_device_fill(f, &wrong);
    if (status == RV_OK && wrong)
        status = rvi_terrain_fetch(f->job->land);
    if (status == RV_OK && wrong)
        status = check_fields(f);
    return status == RV_OK ? find_before(f) : status;
}

static rv_status fill_all(rvi_pipes *f) {
    const rv_terrain *land = f->job->land;
    const float *sediment = rvi_field_get(land, "sediment");
    place_grids(f);
    if (f->job->device)
        return fill_on_device(f);
    rv_status status = check_fields(f);
    if (status == RV_OK)
        status = fill_limits(f);
    if (status == RV_OK)
        status = fill_grid(f, land->surface, f->bed);
    if (status == RV_OK)
        status = fill_grid(f, rvi_field_get(land, "water"), f->depth[0]);
    if (status == RV_OK)
        status = fill_grid(f, sediment, f->sediment[0]);
    if (status == RV_OK && f->parts[0])
        status = fill_grid(f, sediment, f->parts[0][land->layer_count - 1]);
    if (status != RV_OK)
        return status;
    fill_ghosts(f);
    find_before(f);
    return fill_flux(f, rvi_field_get(land, "velocity_x"), rvi_field_get(land, "velocity_y"));
}

/* What the water leaves behind for the next step and for those who paint the land. */
static void leave_rows(void *arg, int first, int end) {
    const rvi_pipes *f = arg;
    const rvi_pipe_fields *to = &f->fields;
    const rv_terrain *land = f->job->land;
    const float area = f->rules.cell * f->rules.cell;
    const rvi_pipe_net net = rvi_pipe_net_of(f);
    for (int y = first; y < end; y++)
        for (int x = 0; x < f->width; x++) {
            size_t cell = (size_t)y * (size_t)f->width + (size_t)x;
            size_t i = (size_t)(y + 1) * f->stride + (size_t)(x + 1);
            to->water[cell] = f->depth[0][i];
            to->sediment[cell] = f->sediment[0][i];
            to->flow[cell] += f->flow[i] * area;
            to->deposited[cell] += f->deposited[i];
            float rose = land->surface[cell] - f->bed[i];
            to->eroded[cell] += rvi_pipe_positive(f->deposited[i] - rose);
            rvi_pipe_vector v = rvi_pipe_velocity(&net, f->bed, f->change[0], f->depth[0], i);
            to->x[cell] = v.x;
            to->y[cell] = v.y;
        }
}

/* With give=same. */
static void count_laid_on(const rvi_pipes *f, double area) {
    size_t layers = (size_t)f->job->land->layer_count;
    size_t count = f->deposited_on ? layers * (size_t)f->block_count * f->stride : 0;
    for (size_t k = 0; k < count; k++)
        f->job->deposited_on[k % layers] += area * f->deposited_on[k];
}

/* What the heights cannot hold of the ground counts as taken: show_land() left it suspended. */
static void count_above(void *arg, int64_t block) {
    const rvi_pipes *f = arg;
    const float *surface = f->job->land->surface;
    rvi_pipe_column *columns = rvi_pipe_columns(f, block);
    int first = (int)block * RVI_PIPE_ROWS, end = rvi_mini(first + RVI_PIPE_ROWS, f->height);
    for (int y = first; y < end; y++)
        for (int x = 0; x < f->width; x++) {
            size_t i = grid_at(f, x, y), cell = (size_t)y * (size_t)f->width + (size_t)x;
            columns[x + 1].taken += rvi_pipe_above(f->bed[i], f->change[0][i], surface[cell]);
        }
}

static rvi_pipe_off sum_off(const rvi_pipes *f) {
    rvi_pipe_off sum = {0};
    for (int place = 0; place < rvi_pipe_places(&f->shape); place++) {
        sum.water += f->off[place].water;
        sum.sediment += f->off[place].sediment;
        sum.held += f->off[place].held;
    }
    return sum;
}

static rv_status find_sums(rvi_pipes *f, rvi_pipe_column *sum, rvi_pipe_off *off) {
    const rvi_column_sums sums = rvi_pipe_column_sums(f);
    rv_status status = RV_OK;
    if (f->job->device)
        status = rvi_pipe_device_sums(f, sum);
    else {
        if (!f->layered)
            rvi_finish(f->job->ctx, (f->height + RVI_PIPE_ROWS - 1) / RVI_PIPE_ROWS, count_above,
                       f);
        rvi_column_sums_add(&sums, sum);
    }
    *off = sum_off(f);
    return status;
}

/* What backward transport wins counts as raised and as eroded, what it loses as left_map, and a
 * message says so. */
static rv_status close_ledger(rvi_pipes *f) {
    rvi_job *job = f->job;
    double area = (double)f->rules.cell * (double)f->rules.cell, suspended = 0.0, standing = 0.0;
    rv_ledger *l = &job->ledger;
    rvi_pipe_column sum = {0};
    rvi_pipe_off off = {0};
    rv_status status = find_sums(f, &sum, &off);
    if (status == RV_OK)
        status = sum_grid(f, f->sediment[0], &suspended);
    if (status == RV_OK)
        status = sum_grid(f, f->depth[0], &standing);
    count_laid_on(f, area);
    l->eroded = area * (sum.taken + f->won);
    l->deposited = area * sum.laid;
    l->suspended = area * suspended;
    l->left_map = area * (off.sediment + f->left_map);
    l->raised = area * f->won;
    job->rounding =
        0x1p-24 * ((double)f->rounds * l->before + area * (sum.held - off.held + f->held));
    if (f->transport == RV_pipes_transport_backward)
        rvi_log(job->ctx,
                "pipes: backward transport lost %.4g m3 of sediment, with what left the map, and "
                "made %.4g m3 out of nothing",
                l->left_map, l->raised);
    if (f->rounds > 0)
        rvi_log(job->ctx,
                "pipes: %.6g s in %d rounds, the last of %.3g s; water up to %.3g m deep, "
                "%.3g m/s fast",
                f->seconds, f->rounds, (double)f->rules.dt, (double)f->deepest, (double)f->fastest);
    rv_water *w = &job->water;
    w->evaporated = area * sum.evaporated;
    w->rained *= area;
    w->left_map = area * off.water;
    w->standing = area * standing;
    return status;
}

static rv_status run(rvi_job *job) {
    rvi_pipes *f = job->state;
    rv_status status = fill_all(f);
    if (status != RV_OK)
        return status;
    job->begun = true;
    if (f->p->model == RV_pipes_model_virtual && !job->device)
        rvi_virtual_begin(f);
    return run_rounds(f);
}

/* After a stop the last round is brought to its end; all else belongs to the rounds that did run.
 */
static rv_status close_run(rvi_job *job) {
    rvi_pipes *f = job->state;
    rv_status status = f->rounding ? finish_round(f) : RV_OK;
    if (status == RV_OK)
        status = show_land(f, true);
    if (status == RV_OK)
        status = close_ledger(f);
    if (status != RV_OK)
        return status;
    return job->device ? rvi_pipe_device_leave(f)
                       : rvi_parallel_rows(job->ctx, f->height, leave_rows, f);
}

static rv_status list_fields(rvi_pipes *f) {
    static const char *const names[] = {"water", "sediment", "velocity_x", "velocity_y",
                                        "flow",  "eroded",   "deposited"};
    rvi_pipe_fields *l = &f->fields;
    float **out[] = {&l->water, &l->sediment, &l->x, &l->y, &l->flow, &l->eroded, &l->deposited};
    rv_status status = RV_OK;
    for (size_t k = 0; status == RV_OK && k < sizeof names / sizeof names[0]; k++)
        status = rvi_job_field(f->job, names[k], out[k]);
    return status;
}

rv_status rvi_step_pipes(rvi_job *job, const rv_pipes_params *p) {
    const rv_terrain *land = job->land;
    rvi_pipes *f = rvi_job_begin(job, sizeof *f, run, close_run);
    if (!f)
        return RV_ERROR_MEMORY;
    f->p = p;
    f->transport = p->transport;
    if (p->model == RV_pipes_model_virtual && p->transport == RV_pipes_transport_flux)
        f->transport = RV_pipes_transport_backward;
    f->job = job;
    f->width = land->width;
    f->height = land->height;
    f->stride = ((size_t)land->width + 2 + RVI_PIPE_PAD + 15) / 16 * 16;
    f->count = f->stride * (size_t)(land->height + 2);
    f->eight = p->neighbours == RV_pipes_neighbours_8 && p->model == RV_pipes_model_inertial;
    f->layered = land->layer_count > 1;
    f->block_count = (f->height + 1 + RVI_PIPE_ROWS - 1) / RVI_PIPE_ROWS;
    f->rules.cell = land->cell;
    f->rules.per_cell = 1.0f / land->cell;
    if (p->model != RV_pipes_model_virtual)
        f->channel = rvi_channel_of(rvi_length(p->width, land->cell), land->cell);
    f->shape = (rvi_pipe_shape){.width = f->width,
                                .height = f->height,
                                .stride = (int)f->stride,
                                .eight = f->eight,
                                .wall = p->border == RV_pipes_border_wall,
                                .backward = f->transport == RV_pipes_transport_backward,
                                .forward = f->transport == RV_pipes_transport_forward};
    list_buffers(f);
    job->on_device = rvi_pipe_device_can(f);
    job->doubles = true;
    if (job->on_device && rvi_device_of(job->ctx))
        rvi_pipe_device_list(f);
    rv_status status = check_springs(f);
    if (status == RV_OK)
        status = rvi_map_values_list(job, p->rain_image, rain_field(f), "of the rain", NULL);
    return status == RV_OK ? list_fields(f) : status;
}
