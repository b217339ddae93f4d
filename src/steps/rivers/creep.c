/* creep.c: soil that creeps down every slope, dz/dt = div(D grad z).
 *
 * One row after the other and then one column after the other, each as if there were only it, with
 * the slopes at the end of the time step (backward Euler; N. N. Yanenko, The method of fractional
 * steps, 1971). With r = D dt / cell^2 and a, b the looseness between a cell and its two
 * neighbours:
 *
 *     (1 + r a + r b) z'(i) - r a z'(i - 1) - r b z'(i + 1) = z(i)
 *
 * No step is too long, nothing overshoots, and what one cell gives its neighbour gets. Rows and
 * columns are solved as L. H. Thomas did (1949). Nothing crosses the edge of the map.
 */
#include "steps/rivers/creep.h"
#include "base/math.h"
#include "base/threads.h"

enum { STRIP = 64 }; /* columns that are solved side by side */

static double between(const rvi_creep *c, size_t i, size_t j) {
    return c->loose ? c->number * (double)rvi_minf(c->loose[i], c->loose[j]) : c->number;
}

static void row_rows(void *arg, int first, int end) {
    const rvi_creep *c = arg;
    size_t width = (size_t)c->width;
    for (int y = first; y < end; y++) {
        size_t row = (size_t)y * width;
        double *h = c->h + row, *after = c->room + row, a = 0.0, last = 0.0, share = 0.0;
        for (size_t x = 0; x < width; x++) {
            double b = x + 1 < width ? between(c, row + x, row + x + 1) : 0.0;
            bool fixed = c->fixed[row + x];
            double down = fixed ? 0.0 : a, up = fixed ? 0.0 : b;
            double whole = 1.0 / (1.0 + up + down * (1.0 - share));
            last = h[x] = (h[x] + down * last) * whole;
            share = after[x] = up * whole;
            a = b;
        }
        for (size_t x = width - 1; x-- > 0;)
            h[x] += after[x] * h[x + 1];
    }
}

/* The same downwards. */
static void strip_down(const rvi_creep *c, size_t from, size_t to) {
    size_t width = (size_t)c->width, height = (size_t)c->height;
    double a[STRIP] = {0}, last[STRIP] = {0}, share[STRIP] = {0};
    for (size_t y = 0; y < height; y++) {
        double *h = c->h + y * width, *after = c->room + y * width;
        for (size_t x = from; x < to; x++) {
            size_t i = y * width + x, k = x - from;
            double b = y + 1 < height ? between(c, i, i + width) : 0.0;
            double free = c->fixed[i] ? 0.0 : 1.0, down = free * a[k], up = free * b;
            double whole = 1.0 / (1.0 + up + down * (1.0 - share[k]));
            last[k] = h[x] = (h[x] + down * last[k]) * whole;
            share[k] = after[x] = up * whole;
            a[k] = b;
        }
    }
}

static void column_strip(void *arg, int64_t strip) {
    const rvi_creep *c = arg;
    size_t width = (size_t)c->width, from = (size_t)strip * STRIP;
    size_t to = from + STRIP < width ? from + STRIP : width;
    strip_down(c, from, to);
    for (size_t y = (size_t)c->height - 1; y-- > 0;) {
        double *h = c->h + y * width;
        const double *after = c->room + y * width, *below = h + width;
        for (size_t x = from; x < to; x++)
            h[x] += after[x] * below[x];
    }
}

rv_status rvi_creep_run(rvi_creep *c) {
    if (!(c->number > 0.0))
        return RV_OK;
    rv_status status = rvi_parallel_rows(c->ctx, c->height, row_rows, c);
    if (status == RV_OK)
        status = rvi_parallel(c->ctx, (c->width + STRIP - 1) / STRIP, column_strip, c);
    return status;
}
