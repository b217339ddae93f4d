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
#include "steps/drain/drain_cell.h"
#include "steps/drain/drain_run.h"
#include "terrain/layers.h"

#include <math.h>

enum { KEPT = 1 };

bool rvi_drain_bare(const rv_terrain *land) {
    return land->layer_count == 1 && !rvi_field_there(land, "mask");
}

/* ---- before ---- */

void rvi_drain_set_cut(rvi_draining *d, float low, float high) {
    bool limited = d->p->method == RV_drain_method_both;
    double cut = isnan(d->p->cut) ? 0.01 * ((double)high - (double)low) : (double)d->p->cut;
    d->cut = limited ? cut : d->p->method == RV_drain_method_fill ? 0.0 : 1e30;
}

static rv_status fill_grids(rvi_draining *d) {
    const rv_terrain *land = d->job->land;
    float low, high;
    rvi_range(d->job->ctx, land->surface, d->cells, &low, &high);
    rvi_drain_set_cut(d, low, high);
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

static double level_of(const rvi_draining *d, size_t cell) {
    return rvi_flow_level(&d->flow, cell, d->h[cell]);
}

/* A lake is known by the cell it spills to. */
static void name_lakes(void *arg, const rvi_flow_piece *piece) {
    const rvi_draining *d = arg;
    for (size_t i = 0; i < piece->count; i++) {
        size_t cell = rvi_flow_cell(piece, i), to = rvi_flow_receiver(&d->flow, cell);
        bool same = rvi_flow_drowned(&d->flow, to) && level_of(d, to) == level_of(d, cell);
        if (rvi_flow_drowned(&d->flow, cell))
            d->lake[cell] = same ? d->lake[to] : (uint32_t)to;
    }
}

static rv_status find_lakes(rvi_draining *d) {
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

static bool stays(const rvi_draining *d, size_t cell) {
    return d->kept && d->kept[cell];
}

static double least_fall(const rvi_draining *d, size_t cell) {
    return rvi_drain_fall((double)d->p->slope, (double)d->job->land->cell, d->flow.direction[cell]);
}

static void breach(void *arg, const rvi_flow_piece *piece) {
    const rvi_draining *d = arg;
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
    const rvi_draining *d = arg;
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

static rv_status change_land(const rvi_draining *d, double *raised, double *eroded) {
    rvi_job *job = d->job;
    rv_terrain *land = job->land;
    const float *mask = rvi_field_get(land, "mask");
    const bool bare = rvi_drain_bare(land);
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
    *raised = rvi_sum_difference(job->ctx, d->h, NULL, d->cells);
    *eroded = rvi_sum_difference(job->ctx, d->z, NULL, d->cells);
    rvi_terrain_sum_layers(land);
    return RV_OK;
}

static rv_status close_run(rvi_job *job) {
    const rvi_draining *d = job->state;
    double area = (double)job->land->cell * (double)job->land->cell, raised = 0.0, eroded = 0.0;
    rv_status status = job->device ? rvi_drain_device_change(d, &raised, &eroded)
                                   : change_land(d, &raised, &eroded);
    job->ledger =
        (rv_ledger){.eroded = eroded * area, .left_map = eroded * area, .raised = raised * area};
    return status;
}

static rv_status run(rvi_job *job) {
    rvi_draining *d = job->state;
    if (job->device)
        return rvi_drain_device_run(d);
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
    rvi_draining *d = rvi_job_begin(job, sizeof *d, run, close_run);
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
    job->on_device = job->doubles = true;
    job->shared = RVI_FLOW_SHARED;
    if (rvi_device_of(job->ctx))
        rvi_drain_device_list(d);
    rv_status status = rvi_flow_allowed(job->ctx, land->width, land->height);
    if (status == RV_OK)
        status = rvi_job_field(job, "eroded", &d->eroded);
    if (status == RV_OK)
        status = rvi_job_field(job, "deposited", &d->deposited);
    return status == RV_OK && keep ? rvi_job_field(job, "water", &d->water) : status;
}
