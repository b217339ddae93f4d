/* floodplain.c: valley floors and fans that floods level.
 *
 * Rivers on gentle ground move from side to side and lay down what they carry all over it. Over
 * long times that is diffusion, dz/dt = div(F grad z) (C. Paola, P. L. Heller and C. L. Angevine,
 * The large-scale dynamics of grain-size variation in alluvial basins, 1992), here with one F for
 * all gentle ground: what lies there is loose, however hard the rock below. It is solved together
 * with the creep of hillslopes (hillslope.c). Of two neighbours the slower counts, so that nothing
 * creeps from a valley's sides onto its floor. */
#include "base/math.h"
#include "base/threads.h"
#include "steps/rivers/river_cut.h"

#include <math.h>

/* The place `reach` cells on, or the last one before the edge. */
static size_t on(size_t at, size_t reach, size_t count) {
    return at + reach < count ? at + reach : count - 1;
}

static size_t back(size_t at, size_t reach) {
    return at > reach ? at - reach : 0;
}

/* The slope between places a little farther off: the channel of a river and the banks that it has
 * built are part of a level floor. */
static double steepness(const rvi_rivers *r, size_t x, size_t y) {
    size_t width = (size_t)r->flow.width, height = (size_t)r->flow.height;
    size_t reach = r->of_lattice < 1.0f ? (size_t)(1.0f / r->of_lattice) : 1;
    size_t west = back(x, reach), east = on(x, reach, width);
    size_t north = back(y, reach), south = on(y, reach, height);
    const double *h = r->h;
    return rvi_flood_slope(h[y * width + west], h[y * width + east], (double)(east - west),
                           h[north * width + x], h[south * width + x], (double)(south - north),
                           r->distance[0]);
}

static void loosen_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    size_t width = (size_t)r->flow.width;
    double creep = (double)r->p->diffusion, floods = (double)r->p->floods;
    for (size_t y = (size_t)first; y < (size_t)end; y++)
        for (size_t x = 0; x < width; x++) {
            size_t i = y * width + x;
            double factor = rvi_rivers_factor(r, i), rate = creep * factor;
            if (r->wide)
                rate *= (double)rvi_river_apart(r->wide[i], r->p->spacing);
            if (floods > 0.0 && factor > 0.0) {
                double open = r->mask ? (double)r->mask[i] : 1.0;
                rate += floods * open * rvi_flood_wet(steepness(r, x, y));
            }
            r->loose[i] = (float)(rate / r->mobility);
        }
}

rv_status rvi_rivers_loosen(rvi_rivers *r) {
    if (r->loose && r->job->device)
        return rvi_rivers_device_loosen(r);
    return r->loose ? rvi_parallel_rows(r->job->ctx, r->flow.height, loosen_rows, r) : RV_OK;
}
