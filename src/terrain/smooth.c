/* smooth.c: a Gaussian blur that keeps the sum.
 *
 * T. Lindeberg, Scale-space for discrete signals, 1990: on a grid the kernel that plays the part of
 * the Gaussian is w_k = exp(-t) I_k(t), t = sigma^2, with I_k the modified Bessel functions. Its
 * variance is t for small sigma too, where a sampled Gaussian blurs too little. I_k comes from the
 * recurrence I_(k-1) = I_(k+1) + (2 k / t) I_k run downwards (J. C. P. Miller). In cells, per axis:
 *
 *     v'_i = v_i + sum over k = 1 ... r of w_k ((v_(i-k) + v_(i+k)) - 2 v_i),   r = 3 sigma
 *
 * with v mirrored at both ends (v_(-1) = v_0): every cell then gives away as much as it gets, so
 * the sum stays; written as differences, flat land stays as it is to the bit; and since a + b is
 * b + a, a map blurred and then flipped has the bits of one flipped and then blurred.
 */
#include "terrain/smooth.h"
#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"

enum {
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

/* Which of n cells a mirror at both ends shows in place i. */
static int mirror(int64_t i, int n) {
    int64_t turn = i % (2 * (int64_t)n);
    turn = turn < 0 ? turn + 2 * (int64_t)n : turn;
    return (int)(turn < n ? turn : 2 * (int64_t)n - 1 - turn);
}

static const float *row_at(const pass *p, int64_t y, int x) {
    int inside = y >= 0 && y < p->height ? (int)y : mirror(y, p->height);
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
            sum[j] += w * ((above[j] + below[j]) - twice[j]);
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

/* Blurs the columns of a grid and writes it transposed, so that two passes blur both ways. */
static rv_status blur_columns(const rvi_smoother *s, const float *from, float *to, int width,
                              int height) {
    pass p = {.from = from, .to = to, .width = width, .height = height, .weights = s->weights};
    p.reach = make_weights(used_sigma(s, height), height, s->bessel, s->weights);
    p.chunks = (height + CHUNK - 1) / CHUNK;
    int64_t strips = (width + LANES - 1) / LANES;
    return rvi_parallel(s->ctx, strips * p.chunks, blur_block, &p);
}

void rvi_smoother_prepare(rvi_smoother *s, rv_context *ctx, int width, int height, float sigma,
                          rvi_buffers *buffers) {
    *s = (rvi_smoother){.ctx = ctx, .width = width, .height = height, .sigma = sigma};
    if (!(sigma >= 1e-4f)) /* below, it moves less than a float can show */
        return;
    size_t weights = (size_t)(3 * used_sigma(s, rvi_maxi(width, height))) + 2;
    rvi_buffers_add(buffers, &s->half, (size_t)width * (size_t)height, sizeof *s->half, "a blur");
    rvi_buffers_add(buffers, &s->weights, weights, sizeof *s->weights, "the kernel of a blur");
    rvi_buffers_add(buffers, &s->bessel, weights, sizeof *s->bessel, "the kernel of a blur");
}

rv_status rvi_smoother_run(const rvi_smoother *s, float *values) {
    if (!s->half)
        return RV_OK;
    rv_status status = blur_columns(s, values, s->half, s->width, s->height);
    if (status == RV_OK)
        status = blur_columns(s, s->half, values, s->height, s->width);
    return status;
}
