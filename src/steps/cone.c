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
#include "steps/step.h"
#include "wear/made_heights.h"

#include <math.h>

typedef struct heap {
    const rv_cone_params *p;
    rvi_made_heights how;
    double x, y, cell; /* metres */
    float radius, power;
    int width;
    float *made;
} heap;

static void heap_rows(void *arg, int first, int end) {
    const heap *h = arg;
    for (int row = first; row < end; row++) {
        double dy = row * h->cell - h->y;
        float *out = h->made + (size_t)row * (size_t)h->width;
        for (int i = 0; i < h->width; i++) {
            double dx = i * h->cell - h->x;
            float share = 1 - (float)sqrt(dx * dx + dy * dy) / h->radius;
            out[i] = share > 0 ? rvi_powf(share, h->power) : 0;
        }
    }
}

static rv_status run(rvi_job *job) {
    heap *h = job->state;
    rv_status status = rvi_parallel_rows(job->ctx, job->land->height, heap_rows, h);
    return status == RV_OK ? rvi_made_heights_set(job, &h->how, &h->made) : status;
}

rv_status rvi_step_cone(rvi_job *job, const rv_cone_params *p) {
    const rv_terrain *land = job->land;
    double cell = (double)land->cell;
    heap *h = rvi_job_begin(job, sizeof *h, run, NULL);
    if (!h)
        return RV_ERROR_MEMORY;
    *h = (heap){.p = p, .cell = cell, .power = p->power, .width = land->width};
    h->x = isnan(p->x) ? (land->width - 1) * cell / 2 : (double)p->x;
    h->y = isnan(p->y) ? (land->height - 1) * cell / 2 : (double)p->y;
    double shorter = rvi_mini(land->width, land->height) * cell;
    h->radius = isnan(p->radius) ? (float)(shorter / 2) : p->radius;
    rvi_job_grid(job, &h->made, "land made as a cone");
    return rvi_made_heights_prepare(job, p->layer, p->field, p->relief, p->mode, &h->how);
}
