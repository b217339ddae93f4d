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
#include "measure/flowgraph.h"
#include "steps/step.h"

#include <math.h>

/* ---- lakes ---- */

typedef struct filling {
    rvi_flow flow;
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
            f->fixed[i] = x == 0 || y == 0 || x + 1 == width || y + 1 == f->flow.height;
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
        float depth = level - h;
        d->water[i] = rvi_maxf(rvi_maxf(depth, 0.0f), d->water[i]);
    }
}

typedef struct lakes {
    filling f;
    depths d;
} lakes;

static rv_status run(rvi_job *job) {
    lakes *l = job->state;
    l->f.h = l->d.h = job->land->surface;
    return l->f.heights ? fill(&l->f) : RV_OK;
}

/* Water that stands deeper already stays. */
static rv_status deepen(rvi_job *job) {
    const rv_terrain *land = job->land;
    lakes *l = job->state;
    double area = (double)land->cell * (double)land->cell;
    job->water.before = area * rvi_sum(job->ctx, l->d.water, rvi_cells(land));
    rv_status status = rvi_parallel_rows(job->ctx, land->height, deepen_rows, &l->d);
    job->water.standing = area * rvi_sum(job->ctx, l->d.water, rvi_cells(land));
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
        status = rvi_flow_allowed(job->ctx, land->width, land->height);
    }
    return status == RV_OK ? rvi_job_field(job, "water", &l->d.water) : status;
}
