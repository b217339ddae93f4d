/* blur.c: smooths the heights with a Gaussian of `radius` metres (terrain/smooth.c).
 *
 *     h' = h + amount (G * h - h)
 */
#include "base/threads.h"
#include "steps/step.h"
#include "terrain/smooth.h"

#include <string.h>

typedef struct blend {
    const float *sharp;
    float *smooth;
    int width;
    float amount;
} blend;

static void blend_rows(void *arg, int first, int end) {
    const blend *b = arg;
    size_t i = (size_t)first * (size_t)b->width, last = (size_t)end * (size_t)b->width;
    for (; i < last; i++)
        b->smooth[i] = b->sharp[i] + b->amount * (b->smooth[i] - b->sharp[i]);
}

rv_status rvi_step_blur(rvi_job *job, const rv_blur_params *p) {
    rv_terrain *land = job->land;
    size_t cells = rvi_cells(land);
    float *smooth = rvi_alloc(job->ctx, cells, sizeof *smooth, "the smooth land");
    if (!smooth)
        return RV_ERROR_MEMORY;
    memcpy(smooth, land->surface, cells * sizeof *smooth);
    rv_status status =
        rvi_smooth(job->ctx, smooth, land->width, land->height, p->radius / land->cell);
    if (status == RV_OK && p->amount < 1) {
        blend b = {land->surface, smooth, land->width, p->amount};
        status = rvi_parallel_rows(job->ctx, land->height, blend_rows, &b);
    }
    if (status != RV_OK) {
        rvi_free(job->ctx, smooth);
        return status;
    }
    return rvi_terrain_adopt_surface(land, smooth);
}
