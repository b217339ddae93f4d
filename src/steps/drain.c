/* drain.c: land without pits, or with lakes that spill.
 *
 * J. B. Lindsay, Efficient hybrid breaching-filling sink removal methods for flow path enforcement
 * in digital elevation models, 2016. Every cell c has a receiver r at the distance d
 * (measure/flowgraph.c), across every pit to where it spills, and beyond.
 * With g the least slope:
 *
 *     breach, donors first:     z'(r) = min(z(r), z'(c) - g d), but at least z(r) - cut
 *     fill, receivers first:    z'(c) = max(z(c), z'(r) + g d)
 *
 * `breach` has no limit to its cuts, `fill` makes none; the second pass then leaves no cell without
 * a way down. A lake that is kept is level: nothing is cut for it or below it, and its surface is
 * that of its receiver or higher. What is cut leaves the map, what is filled counts as raised.
 */
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "device/device_range.h"
#include "device/device_sum.h"
#include "measure/flowgraph.h"
#include "steps/drain/drain_cell.h"
#include "steps/step.h"
#include "terrain/layers.h"
#include "wear/flow_device.h"

#include <math.h>

enum { KEPT = 1 };

typedef struct draining {
    rvi_job *job;
    const rv_drain_params *p;
    rvi_flow flow;
    rvi_flow_device on;
    float *parts; /* of a range on a device */
    size_t cells;
    double *h;            /* the surface, of kept lakes their level */
    double *z;            /* the same while it is changed */
    unsigned char *fixed; /* 1: water may leave here */
    unsigned char *kept;  /* 1: under a lake that stays; NULL: none does */
    uint32_t *lake;       /* the cell that the lake of a cell spills to */
    float *deepest;       /* of the lake that spills to a cell */
    double cut;
    float *water, *eroded, *deposited; /* fields; water only where lakes are kept */
} draining;

/* ---- before ---- */

static void set_cut(draining *d, float low, float high) {
    bool limited = d->p->method == RV_drain_method_both;
    double cut = isnan(d->p->cut) ? 0.01 * ((double)high - (double)low) : (double)d->p->cut;
    d->cut = limited ? cut : d->p->method == RV_drain_method_fill ? 0.0 : 1e30;
}

static rv_status fill_grids(draining *d) {
    const rv_terrain *land = d->job->land;
    float low, high;
    rvi_range(d->job->ctx, land->surface, d->cells, &low, &high);
    set_cut(d, low, high);
    size_t width = (size_t)land->width, height = (size_t)land->height;
    for (size_t i = 0; i < d->cells; i++) {
        if (rvi_poll_at(d->job->ctx, i) != RV_OK)
            return RV_CANCELLED;
        size_t x = i % width, y = i / width;
        bool sea = land->surface[i] < d->p->sea; /* never without a sea */
        d->h[i] = (double)land->surface[i];
        d->fixed[i] = sea || x == 0 || y == 0 || x == width - 1 || y == height - 1;
    }
    rvi_flow_begin(&d->flow);
    d->flow.h = d->h;
    d->flow.fixed = d->fixed;
    return RV_OK;
}

/* ---- lakes that stay ---- */

static double level_of(const draining *d, size_t cell) {
    return rvi_flow_level(&d->flow, cell, d->h[cell]);
}

/* A lake is known by the cell it spills to. */
static void name_lakes(void *arg, const rvi_flow_piece *piece) {
    const draining *d = arg;
    for (size_t i = 0; i < piece->count; i++) {
        size_t cell = rvi_flow_cell(piece, i), to = rvi_flow_receiver(&d->flow, cell);
        bool same = rvi_flow_drowned(&d->flow, to) && level_of(d, to) == level_of(d, cell);
        if (rvi_flow_drowned(&d->flow, cell))
            d->lake[cell] = same ? d->lake[to] : (uint32_t)to;
    }
}

static rv_status find_lakes(draining *d) {
    rv_status status = rvi_flow_up(&d->flow, name_lakes, d);
    for (size_t i = 0; status == RV_OK && i < d->cells; i++) {
        status = rvi_poll_at(d->job->ctx, i);
        if (!rvi_flow_drowned(&d->flow, i))
            continue;
        float depth = (float)(level_of(d, i) - d->h[i]), *deepest = &d->deepest[d->lake[i]];
        *deepest = rvi_maxf(*deepest, depth);
    }
    if (status != RV_OK)
        return status;
    for (size_t i = 0; i < d->cells; i++) {
        if (rvi_poll_at(d->job->ctx, i) != RV_OK)
            return RV_CANCELLED;
        if (rvi_flow_drowned(&d->flow, i) && d->deepest[d->lake[i]] >= d->p->deep)
            d->kept[i] = KEPT;
    }
    for (size_t i = 0; i < d->cells; i++) {
        if (rvi_poll_at(d->job->ctx, i) != RV_OK)
            return RV_CANCELLED;
        if (d->kept[i])
            d->h[i] = level_of(d, i);
    }
    return RV_OK;
}

/* ---- the two passes ---- */

static bool stays(const draining *d, size_t cell) {
    return d->kept && d->kept[cell];
}

static double least_fall(const draining *d, size_t cell) {
    return rvi_drain_fall((double)d->p->slope, (double)d->job->land->cell, d->flow.direction[cell]);
}

static void breach(void *arg, const rvi_flow_piece *piece) {
    const draining *d = arg;
    for (size_t i = piece->count; i-- > 0;) {
        size_t cell = rvi_flow_cell(piece, i), donor;
        double least = d->h[cell] - d->cut;
        for (int k = 0; k < 8 && !stays(d, cell); k++) {
            if (!rvi_flow_donor(&d->flow, cell, k, &donor) || stays(d, donor))
                continue;
            d->z[cell] = rvi_drain_breach(d->z[cell], d->z[donor], least_fall(d, donor), least);
        }
    }
}

/* Heights become floats here, so that no rounding makes a new pit. */
static void fill(void *arg, const rvi_flow_piece *piece) {
    const draining *d = arg;
    for (size_t i = 0; i < piece->count; i++) {
        size_t cell = rvi_flow_cell(piece, i), to = rvi_flow_receiver(&d->flow, cell);
        float z = (float)d->z[cell];
        if (to != cell && stays(d, cell)) {
            z = rvi_maxf(z, (float)d->z[to]);
        } else if (to != cell) {
            z = rvi_drain_fill(d->z[cell], d->z[to], least_fall(d, cell), d->p->slope > 0.0f);
        }
        d->z[cell] = (double)z;
    }
}

/* ---- after ---- */

static void close_ledger(rvi_job *job, double raised, double eroded) {
    double area = (double)job->land->cell * (double)job->land->cell;
    job->ledger =
        (rv_ledger){.eroded = eroded * area, .left_map = eroded * area, .raised = raised * area};
}

/* ---- on a device ---- */

#define GRID(use, grid)                                                                            \
    (rvi_device_arg) {                                                                             \
        RVI_DEVICE_##use, grid, d->cells * sizeof *(grid)                                          \
    }
#define COUNT(args) (int)(sizeof args / sizeof args[0])

static rv_status start_on_device(draining *d) {
    const rv_terrain *land = d->job->land;
    const rvi_device_arg args[] = {GRID(READ, land->surface), GRID(WRITE, d->h),
                                   GRID(WRITE, d->z),         GRID(WRITE, d->fixed),
                                   RVI_VALUE(land->width),    RVI_VALUE(land->height),
                                   RVI_VALUE(d->p->sea)};
    d->flow.h = d->h;
    d->flow.fixed = d->fixed;
    d->on.d = d->job->device;
    return rvi_device_run(d->on.d, "drain_cells", "drain_start", (size_t)land->width,
                          (size_t)land->height, args, COUNT(args));
}

static rv_status breach_on_device(draining *d) {
    const double slope = (double)d->p->slope, size = (double)d->job->land->cell;
    const rvi_device_arg args[] = {GRID(READ, d->flow.direction),
                                   GRID(READ, d->h),
                                   GRID(CHANGE, d->z),
                                   RVI_VALUE(slope),
                                   RVI_VALUE(size),
                                   RVI_VALUE(d->cut)};
    return rvi_flow_device_walk(&d->on, false, "drain_cells", "drain_breach", args, COUNT(args));
}

static rv_status fill_on_device(draining *d) {
    const double slope = (double)d->p->slope, size = (double)d->job->land->cell;
    const rvi_device_arg args[] = {GRID(READ, d->flow.direction), GRID(CHANGE, d->z),
                                   RVI_VALUE(slope), RVI_VALUE(size)};
    return rvi_flow_device_walk(&d->on, true, "drain_cells", "drain_fill", args, COUNT(args));
}

static rv_status run_on_device(draining *d) {
    const rv_terrain *land = d->job->land;
    float low, high;
    rv_status status =
        rvi_device_range(d->job->device, land->surface, d->cells, d->parts, &low, &high);
    if (status == RV_OK) {
        set_cut(d, low, high);
        status = start_on_device(d);
    }
    if (status == RV_OK)
        status = rvi_flow_device_route(&d->on);
    if (status == RV_OK && d->cut > 0.0)
        status = breach_on_device(d);
    return status == RV_OK ? fill_on_device(d) : status;
}

static rv_status change_on_device(rvi_job *job) {
    const draining *d = job->state;
    const uint64_t count = d->cells;
    const rvi_device_arg args[] = {
        GRID(CHANGE, job->land->surface), GRID(CHANGE, d->h),         GRID(CHANGE, d->z),
        GRID(CHANGE, d->eroded),          GRID(CHANGE, d->deposited), RVI_VALUE(count)};
    double raised = 0.0, eroded = 0.0;
    rv_status status =
        rvi_device_run(job->device, "drain_cells", "drain_change", d->cells, 1, args, COUNT(args));
    if (status == RV_OK)
        status = rvi_device_sum_difference(job->device, job->ctx, d->h, NULL, d->cells, &raised);
    if (status == RV_OK)
        status = rvi_device_sum_difference(job->device, job->ctx, d->z, NULL, d->cells, &eroded);
    close_ledger(job, raised, eroded);
    return status;
}

/* ---- on the processor ---- */

static rv_status change_land(rvi_job *job) {
    const draining *d = job->state;
    rv_terrain *land = job->land;
    const float *mask = rvi_field_get(land, "mask");
    const bool bare = land->layer_count == 1 && !mask;
    if (job->device)
        return change_on_device(job);
    for (size_t i = 0; i < d->cells; i++) {
        if (rvi_poll_at(job->ctx, i) != RV_OK)
            return RV_CANCELLED;
        double z = d->z[i], by = (z - (double)land->surface[i]) * (mask ? (double)mask[i] : 1.0);
        d->h[i] = d->z[i] = 0.0; /* what it is raised by, and cut by */
        if (stays(d, i)) {
            float depth = (float)z - land->surface[i];
            d->water[i] = rvi_maxf(d->water[i], depth);
            continue;
        }
        if (by == 0.0)
            continue;
        float *bedrock = &land->layers[0].thickness[i], was = *bedrock;
        if (by > 0.0) {
            *bedrock = bare ? (float)z : (float)((double)was + by);
            d->h[i] = (double)*bedrock - (double)was;
            d->deposited[i] += (float)by;
        } else {
            d->z[i] =
                -(bare ? (double)(float)z - (double)was : rvi_layers_shift(land, i, (float)by));
            *bedrock = bare ? (float)z : *bedrock;
            d->eroded[i] += (float)-by;
        }
    }
    close_ledger(job, rvi_sum_difference(job->ctx, d->h, NULL, d->cells),
                 rvi_sum_difference(job->ctx, d->z, NULL, d->cells));
    rvi_terrain_sum_layers(land);
    return RV_OK;
}

static rv_status run(rvi_job *job) {
    draining *d = job->state;
    if (job->device)
        return run_on_device(d);
    rv_status status = fill_grids(d);
    if (status == RV_OK)
        status = rvi_flow_route(&d->flow);
    if (status == RV_OK && d->kept)
        status = find_lakes(d);
    if (status == RV_OK)
        status = rvi_copy(job->ctx, d->z, d->h, d->cells * sizeof *d->z);
    if (status == RV_OK && d->cut > 0.0)
        status = rvi_flow_down(&d->flow, breach, d);
    return status == RV_OK ? rvi_flow_up(&d->flow, fill, d) : status;
}

rv_status rvi_step_drain(rvi_job *job, const rv_drain_params *p) {
    const rv_terrain *land = job->land;
    draining *d = rvi_job_begin(job, sizeof *d, run, change_land);
    if (!d)
        return RV_ERROR_MEMORY;
    bool keep = p->lakes == RV_drain_lakes_keep;
    d->job = job;
    d->p = p;
    d->cells = rvi_cells(land);
    rvi_job_buffer(job, &d->h, d->cells, sizeof *d->h, "the land to drain");
    rvi_job_buffer(job, &d->z, d->cells, sizeof *d->z, "the drained land");
    rvi_job_buffer(job, &d->fixed, d->cells, 1, "the edge of the map");
    if (keep) {
        rvi_job_buffer(job, &d->kept, d->cells, 1, "the lakes");
        rvi_job_buffer(job, &d->lake, d->cells, sizeof *d->lake, "the lakes");
        rvi_job_buffer(job, &d->deepest, d->cells, sizeof *d->deepest, "the lakes");
    }
    rvi_flow_prepare(&d->flow, job->ctx, land->width, land->height, false, &job->buffers);
    job->on_device = land->layer_count == 1 && !keep && !rvi_field_there(land, "mask");
    job->doubles = true;
    if (job->on_device && rvi_device_of(job->ctx)) {
        rvi_flow_device_list(&d->on, &d->flow, &job->buffers);
        rvi_job_buffer(job, &d->parts, RVI_DEVICE_PARTS, sizeof *d->parts, "the range");
    }
    rv_status status = rvi_flow_allowed(job->ctx, land->width, land->height);
    if (status == RV_OK)
        status = rvi_job_field(job, "eroded", &d->eroded);
    if (status == RV_OK)
        status = rvi_job_field(job, "deposited", &d->deposited);
    return status == RV_OK && keep ? rvi_job_field(job, "water", &d->water) : status;
}
