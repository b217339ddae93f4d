/* smooth.c: a Gaussian blur that keeps the sum.
 *
 * Narrow ones, up to BOXES_FROM cells. T. Lindeberg, Scale-space for discrete signals, 1990: on a
 * grid the kernel that plays the part of the Gaussian is w_k = exp(-t) I_k(t), t = sigma^2, with
 * I_k the modified Bessel functions. Its variance is t for small sigma too, where a sampled
 * Gaussian blurs too little. I_k comes from the recurrence I_(k-1) = I_(k+1) + (2 k / t) I_k run
 * downwards (J. C. P. Miller). In cells, per axis:
 *
 *     v'_i = v_i + sum over k = 1 ... r of w_k ((v_(i-k) + v_(i+k)) - 2 v_i),   r = 3 sigma
 *
 * with v mirrored at both ends (v_(-1) = v_0): every cell then gives away as much as it gets, so
 * the sum stays; written as differences, flat land stays as it is to the bit; and since a + b is
 * b + a, a map blurred and then flipped has the bits of one flipped and then blurred.
 *
 * Wide ones, whose cost must not grow with sigma. W. M. Wells, Efficient synthesis of Gaussian
 * filters by cascaded uniform filters, 1986: four running means after each other are nearly a
 * Gaussian; P. Gwosdek and others, Theoretical foundations of Gaussian convolution by extended box
 * filtering, 2011: with a weight a < 1 for one more cell at both ends each has any variance t:
 *
 *     v'_i = (sum over |k| <= r of v_(i+k) + a (v_(i-r-1) + v_(i+r+1))) / (2 r + 1 + 2 a)
 *     r (r + 1) / 3 <= t,   a = (2 r + 1) (t - r (r + 1) / 3) / (2 ((r + 1)^2 - t))
 *
 * Four boxes have a fourth cumulant of -0.3 t^2; a fifth filter with a little weight far out,
 *
 *     v'_i = v_i + c ((v_(i-s) + v_(i+s)) - 2 v_i),   s = 1.2 sigma rounded up
 *
 * has 2 c s^4 (1 - 6 c), and its c is the one that makes the sum of both 0. With that the response
 * to waves differs from a Gaussian's by at most 0.7 %, about as much as that of a kernel cut off at
 * 3 sigma. No weight is negative, so nothing rises above the highest or sinks below the lowest
 * cell. Between the filters heights are whole numbers of 2^-30 of the largest: running sums are
 * then exact, and have no direction.
 */
#include "terrain/smooth.h"
#include "base/context.h"
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"

#include <math.h>

enum {
    BOXES_FROM = 8,   /* cells: the least sigma for boxes */
    LANES = RVI_ROWS, /* columns that are blurred side by side */
    CHUNK = 64        /* cells of a column that are one piece of work */
};

typedef struct pass {
    const float *from; /* width columns of height cells */
    float *to;         /* the same transposed */
    int width, height;
    const float *weights; /* [1] ... [reach] */
    int reach;
    int chunks; /* of a column */
} pass;

/* ---- narrow blurs: one sum for each cell ---- */

static const float *row_at(const pass *p, int64_t y, int x) {
    int inside = y >= 0 && y < p->height ? (int)y : rvi_smooth_mirror(y, p->height);
    return p->from + (size_t)inside * (size_t)p->width + (size_t)x;
}

/* `lanes` is a constant where this is called for full width: then the sums stay in registers. */
static inline void blur_cells(const pass *p, int x, int y, int lanes) {
    const float *middle = row_at(p, y, x);
    float twice[LANES], sum[LANES];
    for (int j = 0; j < lanes; j++) {
        twice[j] = 2 * middle[j];
        sum[j] = 0;
    }
    for (int k = 1; k <= p->reach; k++) {
        const float *above = row_at(p, (int64_t)y - k, x), *below = row_at(p, (int64_t)y + k, x);
        float w = p->weights[k];
        for (int j = 0; j < lanes; j++)
            sum[j] += rvi_smooth_pair(w, above[j], below[j], twice[j]);
    }
    for (int j = 0; j < lanes; j++)
        p->to[(size_t)(x + j) * (size_t)p->height + (size_t)y] = middle[j] + sum[j];
}

static void blur_block(void *arg, int64_t block) {
    const pass *p = arg;
    int x = (int)(block / p->chunks) * LANES, y = (int)(block % p->chunks) * CHUNK;
    int end = rvi_mini(y + CHUNK, p->height);
    for (; y < end; y++)
        if (p->width - x >= LANES)
            blur_cells(p, x, y, LANES);
        else
            blur_cells(p, x, y, p->width - x);
}

/* Weights for an axis of n cells into weights[0 ... reach]; returns the reach. Beyond n cells the
 * mirror shows the same cells again, so that those weights are added to the ones within. */
static int make_weights(double sigma, int n, double *bessel, float *weights) {
    double t = sigma * sigma;
    int reach = (int)(3 * sigma) + 1, folded = rvi_mini(reach, n);
    double after = 0, now = 1e-200, total = 0;
    for (int k = 2 * reach + 8; k > 0; k--) { /* far enough out that the start is forgotten */
        double before = after + 2 * k / t * now;
        after = now;
        now = before;
        if (k - 1 <= reach) {
            bessel[k - 1] = now;
            total += k > 1 ? 2 * now : now;
        }
    }
    for (int k = n + 1; k <= reach; k++) {
        int turn = k % (2 * n);
        bessel[turn > n ? 2 * n - turn : turn] += bessel[k];
    }
    for (int k = 0; k <= folded; k++)
        weights[k] = (float)(bessel[k] / total);
    return folded;
}

/* A kernel much wider than the map already gives the mean. */
static double used_sigma(const rvi_smoother *s, int n) {
    return s->sigma < 4 * (float)n ? (double)s->sigma : 4 * (double)n;
}

int rvi_smoother_weigh(const rvi_smoother *s, int n) {
    return make_weights(used_sigma(s, n), n, s->bessel, s->weights);
}

bool rvi_smoother_wide(const rvi_smoother *s) {
    return s->sigma >= (float)BOXES_FROM;
}

double rvi_smoother_scale(float low, float high) {
    int exponent;
    frexp((double)rvi_maxf(-low, high), &exponent);
    return ldexp(1, 30 - exponent);
}

/* Blurs the columns of a grid and writes it transposed, so that two passes blur both ways. */
static rv_status blur_columns(const rvi_smoother *s, const float *from, float *to, int width,
                              int height) {
    pass p = {.from = from, .to = to, .width = width, .height = height, .weights = s->weights};
    p.reach = rvi_smoother_weigh(s, height);
    p.chunks = (height + CHUNK - 1) / CHUNK;
    int64_t strips = (width + LANES - 1) / LANES;
    return rvi_parallel(s->ctx, strips * p.chunks, blur_block, &p);
}

/* ---- wide blurs: four boxes and two taps ---- */

/* One filter along the columns of a grid. */
typedef struct sweep {
    const int32_t *from; /* width columns of height cells */
    int32_t *to;         /* the same; of the taps transposed */
    int width, height;
    rvi_smooth_boxes b;
} sweep;

/* Twice as wide as the map, a kernel leaves 3e-9 of the longest wave: the mean. */
rvi_smooth_boxes rvi_smoother_boxes(const rvi_smoother *s, int n) {
    double sigma = s->sigma < 2 * (float)n ? (double)s->sigma : 2 * (double)n;
    rvi_smooth_boxes b = {.far = (int)(1.2 * sigma) + 1};
    double u = (double)b.far * (double)b.far / (sigma * sigma), half = 2 * u + 1.2;
    b.tap = (half - sqrt(half * half - 15.84)) / (26.4 * u);
    double t = (sigma * sigma - 2 * b.tap * (double)b.far * (double)b.far) / 4;
    while ((double)(b.reach + 1) * (double)(b.reach + 2) / 3 <= t)
        b.reach++;
    double r = b.reach, more = (r + 1) * (r + 1) - t;
    b.end = (2 * r + 1) * (t - r * (r + 1) / 3) / (2 * more);
    b.part = 1 / (2 * r + 1 + 2 * b.end);
    return b;
}

static const int32_t *cells_at(const sweep *w, int64_t y, int x) {
    int inside = y >= 0 && y < w->height ? (int)y : rvi_smooth_mirror(y, w->height);
    return w->from + (size_t)inside * (size_t)w->width + (size_t)x;
}

static inline void box_columns(const sweep *w, int x, int lanes) {
    double sum[LANES] = {0};
    int64_t r = w->b.reach;
    for (int64_t k = -r; k <= r; k++) {
        const int32_t *row = cells_at(w, k, x);
        for (int j = 0; j < lanes; j++)
            sum[j] += (double)row[j];
    }
    for (int y = 0; y < w->height; y++) {
        const int32_t *before = cells_at(w, y - r - 1, x), *first = cells_at(w, y - r, x);
        const int32_t *after = cells_at(w, y + r + 1, x);
        int32_t *to = w->to + (size_t)y * (size_t)w->width + (size_t)x;
        for (int j = 0; j < lanes; j++) {
            double beside = (double)before[j] + (double)after[j];
            to[j] = rvi_smooth_box(&w->b, sum[j], beside);
            sum[j] += (double)after[j] - (double)first[j];
        }
    }
}

static inline void tap_columns(const sweep *w, int x, int lanes) {
    for (int y = 0; y < w->height; y++) {
        const int32_t *middle = cells_at(w, y, x);
        const int32_t *above = cells_at(w, (int64_t)y - w->b.far, x);
        const int32_t *below = cells_at(w, (int64_t)y + w->b.far, x);
        for (int j = 0; j < lanes; j++) {
            double here = (double)middle[j], beside = (double)above[j] + (double)below[j];
            w->to[(size_t)(x + j) * (size_t)w->height + (size_t)y] =
                rvi_smooth_tap(&w->b, here, beside);
        }
    }
}

static void box_strip(void *arg, int64_t block) {
    const sweep *w = arg;
    int x = (int)block * LANES;
    if (w->width - x >= LANES)
        box_columns(w, x, LANES);
    else
        box_columns(w, x, w->width - x);
}

static void tap_strip(void *arg, int64_t block) {
    const sweep *w = arg;
    int x = (int)block * LANES;
    if (w->width - x >= LANES)
        tap_columns(w, x, LANES);
    else
        tap_columns(w, x, w->width - x);
}

/* Blurs the columns of `a`; the result is in `b`, transposed. */
static rv_status box_axis(const rvi_smoother *s, int32_t *a, int32_t *b, int width, int height) {
    int64_t strips = (width + LANES - 1) / LANES;
    sweep w = {.width = width, .height = height, .b = rvi_smoother_boxes(s, height)};
    rv_status status = RV_OK;
    for (int i = 0; i < 4 && status == RV_OK; i++) {
        w.from = i % 2 ? b : a;
        w.to = i % 2 ? a : b;
        status = rvi_parallel(s->ctx, strips, box_strip, &w);
    }
    w.from = a;
    w.to = b;
    return status == RV_OK ? rvi_parallel(s->ctx, strips, tap_strip, &w) : status;
}

/* Heights to whole numbers and back. */
typedef struct counting {
    float *values;
    int32_t *counts;
    int width;
    double scale; /* a power of two */
} counting;

static void count_rows(void *arg, int first, int end) {
    const counting *c = arg;
    size_t last = (size_t)end * (size_t)c->width;
    for (size_t i = (size_t)first * (size_t)c->width; i < last; i++)
        c->counts[i] = rvi_smooth_nearest((double)c->values[i] * c->scale);
}

static void value_rows(void *arg, int first, int end) {
    const counting *c = arg;
    size_t last = (size_t)end * (size_t)c->width;
    for (size_t i = (size_t)first * (size_t)c->width; i < last; i++)
        c->values[i] = (float)((double)c->counts[i] / c->scale);
}

/* Both grids hold whole numbers meanwhile. */
static rv_status run_boxes(const rvi_smoother *s, float *values) {
    float low, high;
    rvi_range(s->ctx, values, (size_t)s->width * (size_t)s->height, &low, &high);
    if (low == high)
        return RV_OK;
    int32_t *other = (int32_t *)(void *)s->half, *same = (int32_t *)(void *)values;
    counting c = {values, other, s->width, rvi_smoother_scale(low, high)};
    rv_status status = rvi_parallel_rows(s->ctx, s->height, count_rows, &c);
    if (status == RV_OK)
        status = box_axis(s, other, same, s->width, s->height);
    if (status == RV_OK)
        status = box_axis(s, same, other, s->height, s->width);
    return status == RV_OK ? rvi_parallel_rows(s->ctx, s->height, value_rows, &c) : status;
}

void rvi_smoother_prepare(rvi_smoother *s, rv_context *ctx, int width, int height, float sigma,
                          rvi_buffers *buffers) {
    *s = (rvi_smoother){.ctx = ctx, .width = width, .height = height, .sigma = sigma};
    if (!(sigma >= 1e-4f)) /* below, it moves less than a float can show */
        return;
    rvi_buffers_add(buffers, &s->half, (size_t)width * (size_t)height, sizeof *s->half, "a blur");
    if (rvi_smoother_wide(s))
        return;
    size_t weights = (size_t)(3 * used_sigma(s, rvi_maxi(width, height))) + 2;
    rvi_buffers_add(buffers, &s->weights, weights, sizeof *s->weights, "the kernel of a blur");
    rvi_buffers_add(buffers, &s->bessel, weights, sizeof *s->bessel, "the kernel of a blur");
}

rv_status rvi_smoother_run(const rvi_smoother *s, float *values) {
    if (!s->half)
        return RV_OK;
    if (rvi_smoother_wide(s))
        return run_boxes(s, values);
    rv_status status = blur_columns(s, values, s->half, s->width, s->height);
    if (status == RV_OK)
        status = blur_columns(s, s->half, values, s->height, s->width);
    return status;
}
