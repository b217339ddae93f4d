/* river_rock.c: rock that is harder or softer from place to place, at random: how easily rivers cut
 * it, and how steep it stands. Both are smooth functions of the place in metres, so that the same
 * place has the same rock at any cell size. */
#include "base/threads.h"
#include "steps/rivers/river_cut.h"

static void rock_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    uint32_t width = (uint32_t)r->flow.width;
    for (uint32_t y = (uint32_t)first; y < (uint32_t)end; y++)
        for (uint32_t x = 0; x < width; x++)
            r->rock[(size_t)y * width + x] =
                rvi_rock_hard(r->p->seed, x, y, r->of_lattice, r->p->vary);
}

static void strength_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    uint32_t width = (uint32_t)r->flow.width;
    for (uint32_t y = (uint32_t)first; y < (uint32_t)end; y++)
        for (uint32_t x = 0; x < width; x++)
            r->strength[(size_t)y * width + x] =
                rvi_rock_strength(r->p->seed, x, y, r->of_lattice, r->p->talus_vary);
}

rv_status rvi_rivers_rock(rvi_rivers *r) {
    rv_status status = RV_OK;
    if (r->job->device)
        return r->rock || r->strength ? rvi_rivers_device_rock(r) : RV_OK;
    if (r->rock)
        status = rvi_parallel_rows(r->job->ctx, r->flow.height, rock_rows, r);
    if (status == RV_OK && r->strength)
        status = rvi_parallel_rows(r->job->ctx, r->flow.height, strength_rows, r);
    return status;
}
