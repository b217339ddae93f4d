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
 * and for each cell, with out = sum of q' w that leave it, K = min(1, d l^2 / (dt out)), f = K q'
 * w, depth   d' = d + dt (sum f in - sum f out) / l^2 + rain dt, then times exp(-evaporation dt)
 *     speed   v = (sum f in + sum f out) / (2 l) / mean of d and d'
 *     tilt    of the water surface along the pipes that leave, weighted by their flux
 *     can     C = capacity max(sin tilt, min_tilt) v min(d, max_depth)
 *     take    (1 - exp(-dissolve dt)) (C - s), at most a quarter of the drop to the next cell
 *     lay     (1 - exp(-deposit dt)) (s - C); all of it where the cell is dry
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
#include "base/threads.h"
#include "steps/pipes/pipe_run.h"
#include "wear/border.h"

#include <math.h>
#include <string.h>

/* ---- rounds ---- */

static void swap(float **pair) {
    float *held = pair[0];
    pair[0] = pair[1];
    pair[1] = held;
}

/* How long the next round lasts. Water that is about to run is taken to be as deep as a thousandth
 * of a cell, and as fast as a fall of half a hundredth of a cell makes it. */
static float choose_dt(const rvi_pipe_flood *f, double left) {
    const rv_pipes_params *p = f->p;
    float cell = f->rules.cell, deepest = rvi_maxf(f->deepest, 0.001f * cell);
    float fastest = rvi_maxf(f->fastest, sqrtf(0.01f * p->gravity * cell));
    float courant = f->eight ? 0.7f : 0.5f;
    float dt = courant * cell / (sqrtf(p->gravity * deepest) + fastest + 1e-30f);
    dt = isnan(p->dt) ? dt : rvi_minf(dt, p->dt);
    return (double)dt < left ? dt : (float)left;
}

static void set_rules(rvi_pipe_flood *f, float dt) {
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
    r->drop = 0.25f * r->cell;
    r->dissolve = 1.0f - rvi_expf(-p->dissolve * dt);
    r->deposit = 1.0f - rvi_expf(-p->deposit * dt);
    r->evaporate = 1.0f - rvi_expf(-p->evaporation * dt);
    r->film = p->evaporation > 0.0f ? 1e-6f : -1.0f;
}

/* A round has no half. */
static void run_round(rvi_pipe_flood *f, float dt) {
    rv_context *ctx = f->job->ctx;
    set_rules(f, dt);
    int cells = (f->height + RVI_PIPE_ROWS - 1) / RVI_PIPE_ROWS;
    rvi_finish(ctx, f->block_count, rvi_pipe_push_block, f);
    rvi_finish(ctx, cells, rvi_pipe_cell_block, f);
    if (f->move_x)
        rvi_finish(ctx, cells, rvi_pipe_move_block, f);
    rvi_pipe_count_off(f);
    if (f->move_x) {
        rvi_finish(ctx, cells, rvi_pipe_transport_block, f);
    } else {
        float **held = f->parts[0];
        f->parts[0] = f->parts[1];
        f->parts[1] = held;
        swap(f->sediment);
    }
    swap(f->depth);
    swap(f->change);
    f->deepest = f->fastest = 0.0f;
    for (int b = 0; b < f->block_count; b++) {
        f->deepest = rvi_maxf(f->deepest, f->blocks[b].depth);
        f->fastest = rvi_maxf(f->fastest, f->blocks[b].speed);
    }
    f->job->water.rained += (double)dt * f->source_sum;
    f->seconds += (double)dt;
}

typedef struct shown {
    const rvi_pipe_flood *f;
    bool settle;
} shown;

static void show_rows(void *arg, int first, int end) {
    const shown *s = arg;
    const rvi_pipe_flood *f = s->f;
    const rv_terrain *land = f->job->land;
    for (int y = first; y < end; y++)
        for (int x = 0; x < f->width; x++) {
            size_t i = (size_t)(y + 1) * f->stride + (size_t)(x + 1);
            double height = (double)f->bed[i] + (double)f->change[0][i];
            float lower = (float)height;
            if ((double)lower > height)
                lower *= lower > 0.0f ? 1.0f - 0x1p-24f : 1.0f + 0x1p-23f;
            land->surface[(size_t)y * (size_t)f->width + (size_t)x] = lower;
            if (s->settle)
                f->sediment[0][i] += (float)(height - (double)lower);
        }
}

/* Brings the land up to date. Heights are rounded down and what that leaves is afloat: so nothing
 * is won or lost. `settle` false: only for the eye. */
static void show_land(const rvi_pipe_flood *f, bool settle) {
    shown s = {f, settle};
    if (f->layered)
        rvi_terrain_sum_layers(f->job->land);
    else
        rvi_finish_rows(f->job->ctx, f->height, show_rows, &s);
}

static rv_status run_rounds(rvi_pipe_flood *f) {
    const rv_pipes_params *p = f->p;
    rv_status status = RV_OK;
    const double end = (double)p->time;
    while (status == RV_OK) {
        double left = end - f->seconds;
        if (left <= 1e-6 * end || (p->rounds != RV_AUTO_INT && f->rounds >= p->rounds))
            break;
        run_round(f, choose_dt(f, left));
        f->rounds++;
        double done = f->seconds / end;
        if (p->rounds != RV_AUTO_INT)
            done = fmax(done, (double)f->rounds / (double)p->rounds);
        if (rvi_progress_due(f->job->ctx))
            show_land(f, false);
        status = rvi_job_progress(f->job, done < 1.0 ? done : 1.0);
    }
    return status;
}

/* ---- before and after ---- */

/* Where cell (x, y) of the map is in a grid. */
static size_t grid_at(const rvi_pipe_flood *f, int x, int y) {
    return (size_t)(y + 1) * f->stride + (size_t)(x + 1);
}

static rvi_factor_shape factor_shape(const rvi_pipe_flood *f) {
    return (rvi_factor_shape){.first = grid_at(f, 0, 0), .stride = f->stride, .count = f->count};
}

static bool gives_same(const rvi_pipe_flood *f) {
    return f->layered && f->p->give == RV_pipes_give_same;
}

/* How many grids this run needs. A plan does not know yet of a mask. */
static size_t grid_count(const rvi_pipe_flood *f) {
    const rv_pipes_params *p = f->p;
    const rv_terrain *land = f->job->land;
    size_t grids = f->eight ? 15 : 13;
    if (p->transport != RV_pipes_transport_flux)
        grids += 2;
    if (gives_same(f))
        grids += 2 * (size_t)land->layer_count;
    if (f->job->planning || rvi_field_get(land, "mask"))
        grids++;
    return p->rain_image[0] || p->spring_rate > 0.0f ? grids + 1 : grids;
}

/* Grids lie one after the other, each begun elsewhere in a page: processors take a write for a read
 * of the same place in another page, and wait. */
static size_t grid_spacing(const rvi_pipe_flood *f) {
    return (f->count + 1023) / 1024 * 1024 + 48;
}

static size_t plan_memory(const rvi_pipe_flood *f) {
    size_t rows = (size_t)f->block_count * RVI_PIPE_BLOCK_ROWS * f->stride + RVI_PIPE_START;
    rvi_factor_shape shape = factor_shape(f);
    return (grid_count(f) * grid_spacing(f) + rows) * sizeof(float) +
           rvi_factor_memory(f->job->land, &shape) +
           (size_t)f->block_count * sizeof(rvi_pipe_block) + 4096;
}

static float *next_grid(rvi_pipe_flood *f) {
    return f->grids + f->grids_used++ * grid_spacing(f) + RVI_PIPE_START;
}

/* What the sediment is made of. What was afloat before counts as the top layer. */
static rv_status allocate_parts(rvi_pipe_flood *f) {
    rv_context *ctx = f->job->ctx;
    if (!gives_same(f))
        return RV_OK;
    size_t layers = (size_t)f->job->land->layer_count, all = layers * (size_t)f->block_count;
    for (int k = 0; k < 2; k++)
        f->parts[k] = rvi_alloc(ctx, layers, sizeof *f->parts[k], "what sediment is made of");
    f->loads = rvi_alloc(ctx, all, sizeof *f->loads, "what sediment is made of");
    f->deposited_on = rvi_alloc(ctx, all, sizeof *f->deposited_on, "the ledger");
    if (!f->parts[0] || !f->parts[1] || !f->loads || !f->deposited_on)
        return RV_ERROR_MEMORY;
    for (size_t l = 0; l < 2 * layers; l++)
        f->parts[l / layers][l % layers] = next_grid(f);
    return RV_OK;
}

static rv_status allocate(rvi_pipe_flood *f) {
    rv_context *ctx = f->job->ctx;
    size_t blocks = (size_t)f->block_count;
    f->grids = rvi_alloc(ctx, grid_count(f) * grid_spacing(f), sizeof(float), "running water");
    f->rows = rvi_alloc(ctx, blocks * RVI_PIPE_BLOCK_ROWS * f->stride + RVI_PIPE_START,
                        sizeof(float), "rows of water");
    f->blocks = rvi_alloc(ctx, blocks, sizeof *f->blocks, "the blocks");
    if (!f->grids || !f->rows || !f->blocks)
        return RV_ERROR_MEMORY;
    f->bed = next_grid(f);
    for (int i = 0; i < 2; i++) {
        f->change[i] = next_grid(f);
        f->depth[i] = next_grid(f);
        f->sediment[i] = next_grid(f);
    }
    f->rest = next_grid(f);
    for (int i = 0; i < (f->eight ? 4 : 2); i++)
        f->q[i] = next_grid(f);
    f->limit = next_grid(f);
    f->deposited = next_grid(f);
    f->flow = next_grid(f);
    if (f->p->transport != RV_pipes_transport_flux) {
        f->move_x = next_grid(f);
        f->move_y = next_grid(f);
    }
    return allocate_parts(f);
}

static void release(rvi_pipe_flood *f) {
    void *all[] = {f->grids,    f->rows,  f->blocks,      f->parts[0],
                   f->parts[1], f->loads, f->deposited_on};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rvi_free(f->job->ctx, all[i]);
    rvi_factor_free(f->job->ctx, &f->factor);
}

/* A field of the map goes into a grid; one that is not there leaves it as it is. */
static void fill_grid(const rvi_pipe_flood *f, const float *field, float *to) {
    for (int y = 0; field && y < f->height && !rvi_stopped(f->job->ctx); y++)
        memcpy(to + grid_at(f, 0, y), field + (size_t)y * (size_t)f->width,
               (size_t)f->width * sizeof(float));
}

/* The ground of the ghosts: a wall, or the land goes on at the slope of its edge. */
static void fill_ghosts(rvi_pipe_flood *f) {
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

/* Shares the spring among the cells within its radius, at least the nearest one. */
static rv_status add_spring(rvi_pipe_flood *f) {
    const rv_pipes_params *p = f->p;
    float cell = f->rules.cell, wide = (float)(f->width - 1), high = (float)(f->height - 1);
    float sx = isnan(p->spring_x) ? 0.5f * wide : p->spring_x / cell;
    float sy = isnan(p->spring_y) ? 0.5f * high : p->spring_y / cell;
    if (sx > wide || sy > high)
        return rvi_fail(f->job->ctx, RV_ERROR_USAGE,
                        "pipes: the spring at %g m, %g m lies outside the map of %g m x %g m.",
                        (double)(sx * cell), (double)(sy * cell), (double)(wide * cell),
                        (double)(high * cell));
    float radius = p->spring_radius / cell, near2 = radius * radius;
    int mid_x = (int)(sx + 0.5f), mid_y = (int)(sy + 0.5f);
    for (int turn = 0, cells = 0; turn < 2; turn++)
        for (int y = 0; y < f->height && !rvi_stopped(f->job->ctx); y++)
            for (int x = 0; x < f->width; x++) {
                float dx = (float)x - sx, dy = (float)y - sy;
                if (dx * dx + dy * dy > near2 && !(x == mid_x && y == mid_y))
                    continue;
                cells += turn == 0;
                if (turn == 1)
                    f->source[grid_at(f, x, y)] += p->spring_rate / ((float)cells * cell * cell);
            }
    return RV_OK;
}

static rv_status fill_source(rvi_pipe_flood *f) {
    const rv_pipes_params *p = f->p;
    f->rain = p->rain / 3.6e6f;
    f->source_sum = (double)f->rain * (double)rvi_cells(f->job->land);
    if (!p->rain_image[0] && !(p->spring_rate > 0.0f))
        return RV_OK;
    rv_status status = RV_OK;
    f->source = next_grid(f);
    if (p->rain_image[0]) {
        float *image;
        status = rvi_job_image(f->job, p->rain_image, &image);
        if (status == RV_OK)
            fill_grid(f, image, f->source);
        rvi_free(f->job->ctx, image);
    }
    if (status != RV_OK)
        return status;
    for (int y = 1; y <= f->height && !rvi_stopped(f->job->ctx); y++)
        for (int x = 1; x <= f->width; x++) {
            float *here = &f->source[(size_t)y * f->stride + (size_t)x];
            *here = f->rain * (p->rain_image[0] ? *here : 1.0f);
        }
    if (p->spring_rate > 0.0f)
        status = add_spring(f);
    f->source_sum = rvi_sum(f->job->ctx, f->source, f->count);
    return status;
}

/* The pipes take up the velocity that an earlier step left. */
static void fill_flux(rvi_pipe_flood *f, const float *vx, const float *vy) {
    rv_context *ctx = f->job->ctx;
    for (int y = 1; y <= f->height && !rvi_stopped(ctx); y++)
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
    if (!vx || !vy)
        return;
    float *qx = f->change[1], *qy = f->sediment[1];
    for (int y = 0; y <= f->height && !rvi_stopped(ctx); y++)
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
    for (size_t i = 0; i < f->count && !rvi_stopped_at(ctx, i); i++)
        qx[i] = qy[i] = 0.0f;
}

typedef struct left_behind {
    const rvi_pipe_flood *f;
    float *water, *sediment, *x, *y, *flow, *eroded, *deposited;
} left_behind;

static rv_status make_fields(const rvi_pipe_flood *flood, left_behind *l) {
    static const char *const names[] = {"water", "sediment", "velocity_x", "velocity_y",
                                        "flow",  "eroded",   "deposited"};
    float *f[7];
    rv_status status = rvi_fields_make(flood->job->land, names, 7, f);
    if (status == RV_OK)
        *l = (left_behind){flood, f[0], f[1], f[2], f[3], f[4], f[5], f[6]};
    return status;
}

/* Water and sediment below 0 would be none of ours. */
static rv_status check_fields(const rvi_pipe_flood *f) {
    static const char *const names[] = {"water", "sediment"};
    for (int k = 0; k < 2; k++) {
        const float *field = rvi_field_get(f->job->land, names[k]);
        for (size_t i = 0; field && i < rvi_cells(f->job->land); i++) {
            if (rvi_stopped_at(f->job->ctx, i))
                return RV_CANCELLED;
            if (!(field[i] >= 0.0f && field[i] < 1e9f))
                return rvi_fail(f->job->ctx, RV_ERROR_INPUT,
                                "pipes: the %s in row %zu, column %zu is %g m.", names[k],
                                i / (size_t)f->width, i % (size_t)f->width, (double)field[i]);
        }
    }
    return RV_OK;
}

static rv_status prepare(rvi_pipe_flood *f) {
    const rv_terrain *land = f->job->land;
    rvi_factor_shape shape = factor_shape(f);
    rv_status status = check_fields(f);
    if (status == RV_OK)
        status = allocate(f);
    if (status == RV_OK)
        status = rvi_factor_make(f->job, &shape, &f->factor);
    if (status == RV_OK)
        status = fill_source(f);
    if (status != RV_OK)
        return status;
    if (rvi_field_get(land, "mask")) {
        f->mask = next_grid(f);
        fill_grid(f, rvi_field_get(land, "mask"), f->mask);
    }
    fill_grid(f, land->surface, f->bed);
    fill_ghosts(f);
    fill_grid(f, rvi_field_get(land, "water"), f->depth[0]);
    fill_grid(f, rvi_field_get(land, "sediment"), f->sediment[0]);
    if (f->parts[0])
        fill_grid(f, rvi_field_get(land, "sediment"), f->parts[0][land->layer_count - 1]);
    status = rvi_poll(f->job->ctx);
    if (status != RV_OK)
        return status;
    fill_flux(f, rvi_field_get(land, "velocity_x"), rvi_field_get(land, "velocity_y"));
    double area = (double)f->rules.cell * (double)f->rules.cell;
    f->volume = rv_terrain_volume(land);
    f->suspended = area * rvi_sum(f->job->ctx, f->sediment[0], f->count);
    f->job->water.before = area * rvi_sum(f->job->ctx, f->depth[0], f->count);
    return RV_OK;
}

/* The velocity of the water as it stands. Where a cell has just run nearly dry, the depth of the
 * water that came in counts. */
static void find_velocity(const rvi_pipe_flood *f, int x, int y, float *vx, float *vy) {
    size_t i = (size_t)y * f->stride + (size_t)x;
    float depth = f->depth[0][i], bed = f->bed[i] + f->change[0][i];
    *vx = *vy = 0.0f;
    if (!(depth > RVI_PIPE_DRY))
        return;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            size_t j = (size_t)((ptrdiff_t)i + dy * (ptrdiff_t)f->stride + dx);
            float down = rvi_maxf(bed - (f->bed[j] + f->change[0][j]), 0.0f);
            if (rvi_pipe_may_leave(f, dx, dy) && rvi_pipe_leaving(f, x, y, dx, dy) < 0.0f)
                depth = rvi_maxf(depth, f->depth[0][j] - down);
        }
    rvi_pipe_through(f, x, y, vx, vy);
    *vx /= depth;
    *vy /= depth;
}

/* What the water leaves behind for the next step and for those who paint the land. */
static void leave_rows(void *arg, int first, int end) {
    const left_behind *to = arg;
    const rvi_pipe_flood *f = to->f;
    const rv_terrain *land = f->job->land;
    const float area = f->rules.cell * f->rules.cell;
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
            find_velocity(f, x + 1, y + 1, &to->x[cell], &to->y[cell]);
        }
}

/* With give=same, in blocks and so to the last of it. */
static void count_laid_on(const rvi_pipe_flood *f, double area) {
    int layers = f->job->land->layer_count;
    double sum = 0.0;
    for (int k = 0; f->deposited_on && k < layers * f->block_count; k++) {
        f->job->deposited_on[k % layers] += area * f->deposited_on[k];
        sum += area * f->deposited_on[k];
    }
    f->job->ledger.deposited = f->deposited_on ? sum : f->job->ledger.deposited;
}

/* What the land lost is known from the land, what was laid from the rounds. Backward transport wins
 * and loses sediment: what is missing counts as carried off, and is said. */
static void close_ledger(rvi_pipe_flood *f) {
    rvi_job *job = f->job;
    double area = (double)f->rules.cell * (double)f->rules.cell;
    rv_ledger *l = &job->ledger;
    l->deposited = area * rvi_sum(job->ctx, f->deposited, f->count);
    count_laid_on(f, area);
    l->eroded = l->deposited - (rv_terrain_volume(job->land) - f->volume);
    l->suspended = area * rvi_sum(job->ctx, f->sediment[0], f->count) - f->suspended;
    l->left_map = area * f->left_map;
    if (f->p->transport == RV_pipes_transport_backward) {
        l->left_map = l->eroded - l->deposited - l->suspended;
        rvi_log(job->ctx,
                "pipes: backward transport lost %.4g m3 of sediment, with what left the map",
                l->left_map);
    }
    if (f->rounds > 0)
        rvi_log(job->ctx,
                "pipes: %.6g s in %d rounds, the last of %.3g s; water up to %.3g m deep, "
                "%.3g m/s fast",
                f->seconds, f->rounds, (double)f->rules.dt, (double)f->deepest, (double)f->fastest);
    rv_water *w = &job->water;
    w->evaporated = 0.0;
    for (int b = 0; b < f->block_count; b++)
        w->evaporated += area * f->blocks[b].evaporated;
    w->rained *= area;
    w->left_map *= area;
    w->standing = area * (rvi_sum(job->ctx, f->depth[0], f->count));
}

static rv_status run_flood(rvi_pipe_flood *f) {
    left_behind fields;
    rv_status status = prepare(f);
    if (status == RV_OK)
        status = make_fields(f, &fields);
    if (status != RV_OK)
        return status;
    status = run_rounds(f);
    /* A run that was stopped is whole too: all that follows belongs to the rounds that did run. */
    show_land(f, true);
    close_ledger(f);
    rvi_finish_rows(f->job->ctx, f->height, leave_rows, &fields);
    return status;
}

rv_status rvi_step_pipes(rvi_job *job, const rv_pipes_params *p) {
    rvi_pipe_flood *f = rvi_alloc(job->ctx, 1, sizeof *f, "the water");
    if (!f)
        return RV_ERROR_MEMORY;
    const rv_terrain *land = job->land;
    f->p = p;
    f->job = job;
    f->width = land->width;
    f->height = land->height;
    f->stride = ((size_t)land->width + 2 + RVI_PIPE_PAD + 15) / 16 * 16;
    f->count = f->stride * (size_t)(land->height + 2);
    f->eight = p->neighbours == RV_pipes_neighbours_8;
    f->layered = land->layer_count > 1;
    f->block_count = (f->height + 1 + RVI_PIPE_ROWS - 1) / RVI_PIPE_ROWS;
    f->rules.cell = land->cell;
    f->rules.per_cell = 1.0f / land->cell;
    float *none;
    rv_status status = RV_OK;
    if (!job->planning) {
        status = run_flood(f);
    } else {
        job->memory = plan_memory(f);
        if (p->rain_image[0] != '\0')
            status = rvi_job_image(job, p->rain_image, &none);
    }
    release(f);
    rvi_free(job->ctx, f);
    return status;
}
