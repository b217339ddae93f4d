/* flood.c: lakes up to where they spill, or a sea up to a level.
 *
 * R. Barnes, C. Lehman and D. Mulla, Priority-flood, 2014 (measure/priority_flood.h). The water
 * stands at
 *
 *     W(c) = the least, over all ways from c over the edge of the map by eight neighbours, of the
 *            greatest height h on the way (metres)
 *
 * so the depth W - h is 0 where the land drains. Cells are reached from the edge inwards; W is the
 * same in any order.
 */
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "measure/priority_flood.h"
#include "steps/step.h"

#include <math.h>
#include <string.h>

/* ---- lakes ---- */

typedef struct filling {
    rvi_priority_flood flood;
    const float *h;
    float *w; /* NaN: not reached yet */
    /* Cells that wait are a heap at the start of `room`, those to look at next a stack at its end.
     * No cell is in both or twice in one, so a place a cell is enough. */
    uint64_t *room;
    size_t next, end;
} filling;

static RVI_HOT bool next_reached(void *arg, size_t *cell) {
    filling *f = arg;
    if (f->next == f->end)
        return false;
    *cell = (size_t)f->room[f->next++];
    return true;
}

static RVI_HOT double level_of(const void *arg, size_t cell) {
    return (double)((const filling *)arg)->w[cell];
}

static RVI_HOT bool is_dry(const void *arg, size_t cell) {
    return isnan(((const filling *)arg)->w[cell]);
}

static RVI_HOT double height_of(const void *arg, size_t cell) {
    return (double)((const filling *)arg)->h[cell];
}

static RVI_HOT void reach(void *arg, size_t cell, size_t from, int direction, double level) {
    filling *f = arg;
    (void)from, (void)direction;
    f->w[cell] = (float)level;
    f->room[--f->next] = cell;
}

static rv_status fill(filling *f) {
    static const rvi_flood_functions call = {next_reached, level_of, is_dry, height_of, reach};
    f->flood.heap = f->room;
    f->next = f->end;
    for (size_t i = 0; i < f->end; i++)
        f->w[i] = NAN;
    for (size_t i = 0; i < f->end; i++)
        if (rvi_flood_inside(&f->flood, i) != RVI_FLOOD_ALL)
            reach(f, i, i, 0, (double)f->h[i]);
    return rvi_flood_rise(&f->flood, &call, f);
}

/* ---- depths ---- */

typedef struct depths {
    const float *h, *w; /* w NULL: `level` everywhere */
    float level;
    float *water;
    int width;
} depths;

static void deepen_rows(void *arg, int first, int end) {
    const depths *d = arg;
    size_t i = (size_t)first * (size_t)d->width, last = (size_t)end * (size_t)d->width;
    for (; i < last; i++) {
        float depth = (d->w ? d->w[i] : d->level) - d->h[i];
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
    l->d.w = l->f.w;
    return l->f.w ? fill(&l->f) : RV_OK;
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
    static const int east[8] = {-1, 0, 1, -1, 1, -1, 0, 1}, south[8] = {-1, -1, -1, 0, 0, 1, 1, 1};
    const rv_terrain *land = job->land;
    lakes *l = rvi_job_begin(job, sizeof *l, run, deepen);
    if (!l)
        return RV_ERROR_MEMORY;
    l->f.end = rvi_cells(land);
    l->f.flood = rvi_priority_flood_make(job->ctx, land->width, land->height, east, south);
    l->d = (depths){.level = p->level, .width = land->width};
    if (isnan(p->level)) {
        rvi_job_grid(job, &l->f.w, "the level of lakes");
        rvi_job_buffer(job, &l->f.room, rvi_cells(land), sizeof *l->f.room, "the order of a flood");
    }
    return rvi_job_field(job, "water", &l->d.water);
}
