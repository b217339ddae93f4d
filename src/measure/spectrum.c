/* spectrum.c: the slope of the radial power spectrum of the heights.
 *
 * J. T. Perron, J. W. Kirchner and W. E. Dietrich, Spectral signatures of characteristic spatial
 * scales and nonfractal structure in landscapes, 2008. In the middle of the map, over the largest
 * window of N x N cells, N a power of two up to 2048, that holds no hole:
 *
 *     w(x, y) = (h - plane) hann(x) hann(y),  hann(x) = (1 - cos(2 pi x / N)) / 2
 *     P(k)    = mean of |F(w)|^2 over wave vectors of length k - 1/2 to k + 1/2
 *     b       = minus the slope of log P over log k, over bands of k of equal width in log k,
 *               from 4 waves in the window up to N / 4, where a wave has four cells
 *
 * The transform is that of J. W. Cooley and J. W. Tukey, 1965, in double.
 */
#include "measure/spectrum.h"
#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"
#include "measure/statistics.h"

#include <math.h>

enum { SMALLEST = 32, LARGEST = 2048 };

typedef struct wave {
    double re, im;
} wave;

typedef struct transform {
    const rvi_ground *ground;
    int n, bits, x0, y0;
    wave *rows;       /* n x n */
    wave *turned;     /* the same with rows for columns */
    const wave *root; /* exp(-2 pi i k / n), k below n / 2 */
    const double *hann;
    double mean, east, south; /* the plane, about the middle of the window */
} transform;

/* ---- one row in place ---- */

static void reverse_bits(wave *row, int n) {
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            wave swap = row[i];
            row[i] = row[j];
            row[j] = swap;
        }
    }
}

static void transform_row(wave *row, int n, const wave *root) {
    reverse_bits(row, n);
    for (int half = 1; half < n; half *= 2) {
        int stride = n / (2 * half);
        for (int start = 0; start < n; start += 2 * half)
            for (int k = 0; k < half; k++) {
                wave w = root[k * stride], *a = &row[start + k], *b = a + half;
                wave t = {b->re * w.re - b->im * w.im, b->re * w.im + b->im * w.re};
                *b = (wave){a->re - t.re, a->im - t.im};
                *a = (wave){a->re + t.re, a->im + t.im};
            }
    }
}

/* ---- all rows, then all columns ---- */

static double height_at(const transform *t, int x, int y) {
    size_t row = (size_t)(t->y0 + y) * (size_t)t->ground->width;
    return (double)t->ground->z[row + (size_t)(t->x0 + x)];
}

static void window_rows(void *arg, int first, int end) {
    const transform *t = arg;
    double middle = 0.5 * (t->n - 1);
    for (int y = first; y < end; y++) {
        wave *row = t->rows + (size_t)y * (size_t)t->n;
        for (int x = 0; x < t->n; x++) {
            double plane = t->mean + t->east * (x - middle) + t->south * (y - middle);
            row[x] = (wave){(height_at(t, x, y) - plane) * t->hann[x] * t->hann[y], 0.0};
        }
        transform_row(row, t->n, t->root);
    }
}

static void turn_rows(void *arg, int first, int end) {
    const transform *t = arg;
    size_t n = (size_t)t->n;
    for (int y = first; y < end; y++) {
        wave *row = t->turned + (size_t)y * n;
        for (size_t x = 0; x < n; x++)
            row[x] = t->rows[x * n + (size_t)y];
        transform_row(row, t->n, t->root);
    }
}

/* ---- the window ---- */

static bool window_clean(const rvi_ground *g, int n) {
    int x0 = (g->width - n) / 2, y0 = (g->height - n) / 2;
    for (int y = y0; y < y0 + n; y++)
        for (int x = x0; x < x0 + n; x++)
            if (!g->counts[(size_t)y * (size_t)g->width + (size_t)x])
                return false;
    return true;
}

static int choose_window(const rvi_ground *g) {
    int side = rvi_mini(rvi_mini(g->width, g->height), LARGEST), n = SMALLEST;
    while (2 * n <= side)
        n *= 2;
    for (; n >= SMALLEST; n /= 2)
        if (n <= side && window_clean(g, n))
            return n;
    return 0;
}

/* The plane nearest to the window. */
static void fit_plane(transform *t) {
    double sum = 0.0, east = 0.0, south = 0.0, middle = 0.5 * (t->n - 1), n = t->n;
    for (int y = 0; y < t->n; y++)
        for (int x = 0; x < t->n; x++) {
            double z = height_at(t, x, y);
            sum += z;
            east += z * (x - middle);
            south += z * (y - middle);
        }
    double squares = n * n * (n * n - 1.0) / 12.0;
    t->mean = sum / (n * n);
    t->east = east / squares;
    t->south = south / squares;
}

static void fill_tables(int n, wave *root, double *hann) {
    for (int k = 0; k < n; k++) {
        float angle = (float)(2.0 * RVI_PI * k / n);
        double c = (double)rvi_cosf(angle);
        hann[k] = 0.5 * (1.0 - c);
        if (k < n / 2)
            root[k] = (wave){c, -(double)rvi_sinf(angle)};
    }
}

/* ---- the line ---- */

/* Power and count of each ring of wave vectors, row by row. */
static rv_status add_rings(const transform *t, double *power, double *count) {
    int n = t->n;
    for (int v = 0; v < n; v++) {
        if (rvi_poll(t->ground->ctx) != RV_OK)
            return RV_CANCELLED;
        for (int u = 0; u < n; u++) {
            int a = u <= n / 2 ? u : n - u, b = v <= n / 2 ? v : n - v;
            double k = sqrt((double)(a * a + b * b));
            int ring = (int)(k + 0.5);
            if (ring > n / 2)
                continue;
            wave w = t->turned[(size_t)u * (size_t)n + (size_t)v];
            power[ring] += w.re * w.re + w.im * w.im;
            count[ring] += 1.0;
        }
    }
    return RV_OK;
}

/* Bands of equal width in log k, so that each scale counts alike. */
static double fit_rings(int n, const double *power, const double *count) {
    enum { BANDS_AN_OCTAVE = 4 };
    rvi_line_sums sums = {0};
    double edge = 3.5, factor = 1.189207115002721; /* 2^(1/4) */
    while (edge * factor <= n / 4 + 0.5) {
        double p = 0.0, c = 0.0, k = 0.0;
        for (int ring = (int)(edge + 0.5); ring + 0.5 <= edge * factor; ring++) {
            p += power[ring];
            c += count[ring];
            k += count[ring] * ring;
        }
        if (c > 0.0 && p > 0.0)
            rvi_line_add(&sums, (double)rvi_logf((float)(k / c)), (double)rvi_logf((float)(p / c)),
                         1.0);
        edge *= factor;
    }
    return -rvi_line_fit(&sums, BANDS_AN_OCTAVE).slope;
}

static rv_status run_transform(transform *t, double *rings) {
    rv_context *ctx = t->ground->ctx;
    rv_status status = rvi_parallel_rows(ctx, t->n, window_rows, t);
    if (status == RV_OK)
        status = rvi_parallel_rows(ctx, t->n, turn_rows, t);
    if (status == RV_OK)
        status = add_rings(t, rings, rings + t->n);
    return status;
}

rv_status rvi_spectrum_measure(const rvi_ground *g, rvi_spectrum *out) {
    int n = choose_window(g);
    *out = (rvi_spectrum){NAN, n};
    if (n == 0 || !(g->high > g->low))
        return RV_OK;
    size_t side = (size_t)n;
    wave *waves = rvi_alloc(g->ctx, 2 * side * side + side / 2, sizeof *waves, "a spectrum");
    double *tables = rvi_alloc(g->ctx, 3 * side, sizeof *tables, "a spectrum");
    rv_status status = waves && tables ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK) {
        wave *root = waves + 2 * side * side;
        fill_tables(n, root, tables);
        transform t = {.ground = g,
                       .n = n,
                       .x0 = (g->width - n) / 2,
                       .y0 = (g->height - n) / 2,
                       .rows = waves,
                       .turned = waves + side * side,
                       .root = root,
                       .hann = tables};
        fit_plane(&t);
        status = run_transform(&t, tables + side);
    }
    if (status == RV_OK)
        out->slope = fit_rings(n, tables + side, tables + 2 * side);
    rvi_free(g->ctx, waves);
    rvi_free(g->ctx, tables);
    return status;
}
