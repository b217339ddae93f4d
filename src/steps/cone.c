/* cone.c: one mountain, or one hollow: a cone with straight, hollow or round sides.
 *
 * With d the distance of a cell from (x, y) and R the radius, in metres:
 *
 *     h = max(0, 1 - d / R)^power
 *
 * scaled to the relief. The flanks of stratovolcanoes are between straight and parabolic: a power
 * of 1 to 2 (D. Karatson and others, The regular shape of stratovolcanoes, 2010).
 */
#include "base/math.h"
#include "base/threads.h"
#include "steps/cone/cone_cell.h"
#include "steps/step.h"
#include "wear/made_heights.h"

#include <math.h>

typedef struct heap {
    const rv_cone_params *p;
    rvi_made_heights how;
    rvi_cone cone;
    int width;
    float *made;
} heap;

static void heap_rows(void *arg, int first, int end) {
    const heap *h = arg;
    for (int row = first; row < end; row++) {
        float *out = h->made + (size_t)row * (size_t)h->width;
        for (int i = 0; i < h->width; i++)
            out[i] = rvi_cone_height(&h->cone, i, row);
    }
}

static rv_status heap_on_device(const rvi_job *job, const heap *h) {
    const rv_terrain *land = job->land;
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_WRITE, h->made),
        RVI_VALUE(h->width),
        RVI_VALUE(h->cone),
    };
    return RVI_RUN(job->device, "cone_map", "heap_cells", (size_t)land->width, (size_t)land->height,
                   args);
}

static rv_status run(rvi_job *job) {
    heap *h = job->state;
    rv_status status = job->device ? heap_on_device(job, h)
                                   : rvi_parallel_rows(job->ctx, job->land->height, heap_rows, h);
    return status == RV_OK ? rvi_made_heights_set(job, &h->how, &h->made) : status;
}

rv_status rvi_step_cone(rvi_job *job, const rv_cone_params *p) {
    const rv_terrain *land = job->land;
    double cell = (double)land->cell;
    heap *h = rvi_job_begin(job, sizeof *h, run, NULL);
    if (!h)
        return RV_ERROR_MEMORY;
    *h = (heap){.p = p, .cone = {.cell = cell, .power = p->power}, .width = land->width};
    h->cone.x = isnan(p->x) ? (land->width - 1) * cell / 2 : (double)p->x;
    h->cone.y = isnan(p->y) ? (land->height - 1) * cell / 2 : (double)p->y;
    double shorter = rvi_mini(land->width, land->height) * cell;
    h->cone.radius = isnan(p->radius) ? (float)(shorter / 2) : p->radius;
    rvi_job_grid(job, &h->made, "land made as a cone");
    job->doubles = true;
    return rvi_made_heights_prepare(job, p->layer, p->field, p->relief, p->mode, &h->how);
}
