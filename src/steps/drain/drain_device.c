/* drain_device.c: drain.c on a device. The kernels are in drain_cells.cl. */
#include "device/device_range.h"
#include "device/device_sum.h"
#include "steps/drain/drain_run.h"

void rvi_drain_device_list(rvi_draining *d) {
    rvi_job *job = d->job;
    rvi_flow_device_list(&d->on, &d->flow, &job->buffers);
    rvi_job_buffer(job, &d->parts, RVI_DEVICE_PARTS, sizeof *d->parts, "the range");
    if (!rvi_drain_bare(job->land))
        rvi_job_buffer(job, &d->rest, d->cells, sizeof *d->rest, "the layers");
}

#define GRID(use, grid)                                                                            \
    (rvi_device_arg) {                                                                             \
        RVI_DEVICE_##use, grid, d->cells * sizeof *(grid)                                          \
    }
#define COUNT(args) (int)(sizeof args / sizeof args[0])
#define RUN(name, width, height)                                                                   \
    rvi_device_run(d->job->device, "drain_cells", name, width, height, args, COUNT(args))
#define WALK(up, name) rvi_flow_device_walk(&d->on, up, "drain_cells", name, args, COUNT(args))

static rv_status start(rvi_draining *d) {
    const rv_terrain *land = d->job->land;
    const rvi_device_arg args[] = {GRID(READ, land->surface), GRID(WRITE, d->h),
                                   GRID(WRITE, d->z),         GRID(WRITE, d->fixed),
                                   RVI_VALUE(land->width),    RVI_VALUE(land->height),
                                   RVI_VALUE(d->p->sea)};
    d->flow.h = d->h;
    d->flow.fixed = d->fixed;
    d->on.d = d->job->device;
    return RUN("drain_start", (size_t)land->width, (size_t)land->height);
}

/* ---- lakes that stay ---- */

static rv_status name_lakes(rvi_draining *d) {
    const rvi_device_arg args[] = {GRID(READ, d->flow.direction), GRID(READ, d->h),
                                   GRID(CHANGE, d->lake), RVI_FLOW_LAKES(&d->flow)};
    return WALK(true, "drain_name");
}

static rv_status measure_lakes(rvi_draining *d) {
    const uint64_t count = d->cells;
    const rvi_device_arg args[] = {GRID(READ, d->h), GRID(READ, d->lake), GRID(CHANGE, d->deepest),
                                   RVI_VALUE(count), RVI_FLOW_LAKES(&d->flow)};
    rv_status status = rvi_device_zero(d->job->device, d->deepest, d->cells * sizeof *d->deepest);
    return status == RV_OK ? RUN("drain_measure", d->cells, 1) : status;
}

static rv_status keep_lakes(rvi_draining *d) {
    const uint64_t count = d->cells;
    const rvi_device_arg args[] = {
        GRID(CHANGE, d->h),   GRID(WRITE, d->z),     GRID(READ, d->lake), GRID(READ, d->deepest),
        GRID(WRITE, d->kept), RVI_VALUE(d->p->deep), RVI_VALUE(count),    RVI_FLOW_LAKES(&d->flow)};
    return RUN("drain_keep", d->cells, 1);
}

static rv_status find_lakes(rvi_draining *d) {
    if (!d->flow.lakes)
        return rvi_device_zero(d->job->device, d->kept, d->cells);
    rv_status status = name_lakes(d);
    if (status == RV_OK)
        status = measure_lakes(d);
    return status == RV_OK ? keep_lakes(d) : status;
}

/* ---- the two passes ---- */

static rv_status breach(rvi_draining *d) {
    const double slope = (double)d->p->slope, size = (double)d->job->land->cell;
    const rvi_device_arg args[] = {GRID(READ, d->flow.direction),
                                   GRID(READ, d->h),
                                   GRID(CHANGE, d->z),
                                   GRID(READ, d->kept),
                                   RVI_VALUE(slope),
                                   RVI_VALUE(size),
                                   RVI_VALUE(d->cut)};
    return WALK(false, "drain_breach");
}

static rv_status fill(rvi_draining *d) {
    const double slope = (double)d->p->slope, size = (double)d->job->land->cell;
    const rvi_device_arg args[] = {GRID(READ, d->flow.direction), GRID(CHANGE, d->z),
                                   GRID(READ, d->kept), RVI_VALUE(slope), RVI_VALUE(size)};
    return WALK(true, "drain_fill");
}

rv_status rvi_drain_device_run(rvi_draining *d) {
    const rv_terrain *land = d->job->land;
    float low, high;
    rv_status status =
        rvi_device_range(d->job->device, land->surface, d->cells, d->parts, &low, &high);
    if (status == RV_OK) {
        rvi_drain_set_cut(d, low, high);
        status = start(d);
    }
    if (status == RV_OK)
        status = rvi_flow_device_route(&d->on);
    if (status == RV_OK && d->kept)
        status = find_lakes(d);
    if (status == RV_OK && d->cut > 0.0)
        status = breach(d);
    return status == RV_OK ? fill(d) : status;
}

/* ---- after ---- */

static rv_status take_from(const rvi_draining *d, int layer) {
    const uint64_t count = d->cells;
    const int lowest = layer == 0;
    const rvi_device_arg args[] = {GRID(CHANGE, d->job->land->layers[layer].thickness),
                                   GRID(CHANGE, d->rest), GRID(CHANGE, d->z), RVI_VALUE(lowest),
                                   RVI_VALUE(count)};
    return RUN("drain_take", d->cells, 1);
}

/* Raises the bedrock, and takes from the layers from the top. */
static rv_status change_land(const rvi_draining *d) {
    rv_terrain *land = d->job->land;
    const uint64_t count = d->cells;
    const rvi_device_arg args[] = {GRID(READ, land->surface),
                                   GRID(CHANGE, land->layers[0].thickness),
                                   GRID(CHANGE, d->h),
                                   GRID(CHANGE, d->z),
                                   GRID(CHANGE, d->eroded),
                                   GRID(CHANGE, d->deposited),
                                   GRID(CHANGE, d->water),
                                   GRID(READ, d->kept),
                                   GRID(READ, rvi_field_get(land, "mask")),
                                   GRID(WRITE, d->rest),
                                   RVI_VALUE(count)};
    rv_status status = RUN("drain_change", d->cells, 1);
    for (int l = land->layer_count; status == RV_OK && d->rest && l-- > 0;)
        status = take_from(d, l);
    return status == RV_OK ? rvi_job_sum_layers(d->job, land) : status;
}

rv_status rvi_drain_device_change(const rvi_draining *d, double *raised, double *eroded) {
    rvi_job *job = d->job;
    rv_status status = change_land(d);
    if (status == RV_OK)
        status = rvi_device_sum_difference(job->device, job->ctx, d->h, NULL, d->cells, raised);
    if (status == RV_OK)
        status = rvi_device_sum_difference(job->device, job->ctx, d->z, NULL, d->cells, eroded);
    return status;
}
