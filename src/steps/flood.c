/* flood.c: lakes up to where they spill, or a sea up to a level.
 *
 * The water stands at
 *
 *     W(c) = the least, over all ways from c over the edge of the map by eight neighbours, of the
 *            greatest height h on the way (metres)
 *
 * so the depth W - h is 0 where the land drains (measure/flowgraph.c).
 */
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "device/device_sum.h"
#include "measure/flowgraph.h"
#include "steps/flood/flood_cell.h"
#include "steps/step.h"
#include "wear/flow_device.h"

#include <math.h>

/* ---- lakes ---- */

typedef struct filling {
    rvi_flow flow;
    rvi_flow_device on;
    const float *h;
    double *heights; /* NULL: nothing is to be filled */
    unsigned char *fixed;
} filling;

static void edge_rows(void *arg, int first, int end) {
    const filling *f = arg;
    int width = f->flow.width;
    for (int y = first; y < end; y++)
        for (int x = 0; x < width; x++) {
            size_t i = (size_t)y * (size_t)width + (size_t)x;
            f->heights[i] = (double)f->h[i];
            f->fixed[i] = (unsigned char)rvi_flood_edge(x, y, width, f->flow.height);
        }
}

static rv_status fill(filling *f) {
    rv_status status = rvi_parallel_rows(f->flow.ctx, f->flow.height, edge_rows, f);
    rvi_flow_begin(&f->flow);
    f->flow.h = f->heights;
    f->flow.fixed = f->fixed;
    return status == RV_OK ? rvi_flow_route(&f->flow) : status;
}

/* ---- depths ---- */

typedef struct depths {
    const float *h;
    const rvi_flow *flow; /* NULL: `level` everywhere */
    float level;
    float *water;
    int width;
} depths;

static void deepen_rows(void *arg, int first, int end) {
    const depths *d = arg;
    size_t i = (size_t)first * (size_t)d->width, last = (size_t)end * (size_t)d->width;
    for (; i < last; i++) {
        float h = d->h[i],
              level = d->flow ? (float)rvi_flow_level(d->flow, i, (double)h) : d->level;
        d->water[i] = rvi_flood_depth(level, h, d->water[i]);
    }
}

typedef struct lakes {
    filling f;
    depths d;
} lakes;

/* ---- on a device ---- */

static rv_status fill_on_device(rvi_device *d, filling *f) {
    const int width = f->flow.width, height = f->flow.height;
    size_t cells = f->flow.cells;
    const rvi_device_arg args[] = {
        {RVI_DEVICE_READ, f->h, cells * sizeof *f->h},
        {RVI_DEVICE_WRITE, f->heights, cells * sizeof *f->heights},
        {RVI_DEVICE_WRITE, f->fixed, cells},
        {RVI_DEVICE_VALUE, &width, sizeof width},
        {RVI_DEVICE_VALUE, &height, sizeof height},
    };
    rv_status status =
        rvi_device_run(d, "flood_cells", "flood_start", (size_t)width, (size_t)height, args, 5);
    f->flow.h = f->heights;
    f->flow.fixed = f->fixed;
    f->on.d = d;
    return status == RV_OK ? rvi_flow_device_fill(&f->on) : status;
}

static rv_status deepen_on_device(rvi_device *d, const depths *l, int height) {
    const rvi_flow *flow = l->flow;
    bool fills = flow && flow->lakes;
    const float level = flow ? -INFINITY : l->level;
    size_t cells = (size_t)l->width * (size_t)height, basins = fills ? rvi_flow_basins(flow) : 0;
    const rvi_device_arg args[] = {
        {RVI_DEVICE_READ, l->h, cells * sizeof *l->h},
        {RVI_DEVICE_READ, fills ? flow->basin : NULL, cells * sizeof *flow->basin},
        {RVI_DEVICE_READ, fills ? flow->spill : NULL, basins * sizeof *flow->spill},
        {RVI_DEVICE_CHANGE, l->water, cells * sizeof *l->water},
        {RVI_DEVICE_VALUE, &l->width, sizeof l->width},
        {RVI_DEVICE_VALUE, &level, sizeof level},
    };
    return rvi_device_run(d, "flood_cells", "flood_deepen", (size_t)l->width, (size_t)height, args,
                          6);
}

static rv_status run(rvi_job *job) {
    lakes *l = job->state;
    l->f.h = l->d.h = job->land->surface;
    if (!l->f.heights)
        return RV_OK;
    return job->device ? fill_on_device(job->device, &l->f) : fill(&l->f);
}

static rv_status sum_water(const rvi_job *job, const float *water, double *out) {
    size_t cells = rvi_cells(job->land);
    double area = (double)job->land->cell * (double)job->land->cell;
    rv_status status = RV_OK;
    if (job->device)
        status = rvi_device_sum(job->device, job->ctx, water, cells, out);
    else
        *out = rvi_sum(job->ctx, water, cells);
    *out *= area;
    return status;
}

/* Water that stands deeper already stays. */
static rv_status deepen(rvi_job *job) {
    const rv_terrain *land = job->land;
    lakes *l = job->state;
    rv_status status = sum_water(job, l->d.water, &job->water.before);
    if (status == RV_OK && job->device)
        status = deepen_on_device(job->device, &l->d, land->height);
    else if (status == RV_OK)
        status = rvi_parallel_rows(job->ctx, land->height, deepen_rows, &l->d);
    if (status == RV_OK)
        status = sum_water(job, l->d.water, &job->water.standing);
    job->water.rained = job->water.standing - job->water.before;
    return status;
}

rv_status rvi_step_flood(rvi_job *job, const rv_flood_params *p) {
    const rv_terrain *land = job->land;
    lakes *l = rvi_job_begin(job, sizeof *l, run, deepen);
    if (!l)
        return RV_ERROR_MEMORY;
    l->d = (depths){.level = p->level, .width = land->width};
    rv_status status = RV_OK;
    if (isnan(p->level)) {
        size_t cells = rvi_cells(land);
        l->d.flow = &l->f.flow;
        rvi_job_buffer(job, &l->f.heights, cells, sizeof *l->f.heights, "the land to flood");
        rvi_job_buffer(job, &l->f.fixed, cells, 1, "the edge of the map");
        rvi_flow_prepare(&l->f.flow, job->ctx, land->width, land->height, false, &job->buffers);
        if (rvi_device_of(job->ctx))
            rvi_flow_device_list(&l->f.on, &l->f.flow, &job->buffers);
        status = rvi_flow_allowed(job->ctx, land->width, land->height);
    }
    job->on_device = job->doubles = true;
    job->shared = RVI_FLOW_SHARED;
    return status == RV_OK ? rvi_job_field(job, "water", &l->d.water) : status;
}
