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

/* The kernel of one axis. */
typedef struct kernel {
    float *weights;
    int reach;
} kernel;

struct rvi_smoother {
    rv_context *ctx;
    int width, height;
    float *half; /* the grid after its columns were blurred, transposed; NULL: nothing to do */
    kernel columns, rows;
};

static rv_status make_kernel(rv_context *ctx, float sigma, int n, kernel *out) {
    /* A kernel much wider than the map already gives the mean. */
    double used = sigma < 4 * (float)n ? (double)sigma : 4 * (double)n;
    size_t count = (size_t)(3 * used) + 2;
    double *bessel = rvi_alloc(ctx, count, sizeof *bessel, "the kernel of a blur");
    out->weights = rvi_alloc(ctx, count, sizeof *out->weights, "the kernel of a blur");
    rv_status status = bessel && out->weights ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK)
        out->reach = make_weights(used, n, bessel, out->weights);
    rvi_free(ctx, bessel);
    return status;
}

/* Blurs the columns of a grid and writes it transposed, so that two passes blur both ways. */
static rv_status blur_columns(rv_context *ctx, const float *from, float *to, int width, int height,
                              const kernel *k) {
    pass p = {from, to, width, height, k->weights, k->reach, (height + CHUNK - 1) / CHUNK};
    int64_t strips = (width + LANES - 1) / LANES;
    return rvi_parallel(ctx, strips * p.chunks, blur_block, &p);
}

void rvi_smoother_destroy(rvi_smoother *s) {
    if (!s)
        return;
    rvi_free(s->ctx, s->half);
    rvi_free(s->ctx, s->columns.weights);
    rvi_free(s->ctx, s->rows.weights);
    rvi_free(s->ctx, s);
}

rv_status rvi_smoother_create(rv_context *ctx, int width, int height, float sigma,
                              rvi_smoother **out) {
    *out = NULL;
    rvi_smoother *s = rvi_alloc(ctx, 1, sizeof *s, "a blur");
    if (!s)
        return RV_ERROR_MEMORY;
    s->ctx = ctx;
    s->width = width;
    s->height = height;
    rv_status status = RV_OK;
    if (sigma >= 1e-4f) { /* below, it moves less than a float can show */
        s->half = rvi_alloc(ctx, (size_t)width * (size_t)height, sizeof *s->half, "a blur");
        status = s->half ? make_kernel(ctx, sigma, height, &s->columns) : RV_ERROR_MEMORY;
        if (status == RV_OK)
            status = make_kernel(ctx, sigma, width, &s->rows);
    }
    if (status == RV_OK)
        *out = s;
    else
        rvi_smoother_destroy(s);
    return status;
}

rv_status rvi_smoother_run(rvi_smoother *s, float *values) {
    if (!s->half)
        return RV_OK;
    rv_status status = blur_columns(s->ctx, values, s->half, s->width, s->height, &s->columns);
    if (status == RV_OK)
        status = blur_columns(s->ctx, s->half, values, s->height, s->width, &s->rows);
    return status;
}

rv_status rvi_smooth(rv_context *ctx, float *values, int width, int height, float sigma) {
    rvi_smoother *s;
    rv_status status = rvi_smoother_create(ctx, width, height, sigma, &s);
    if (status == RV_OK)
        status = rvi_smoother_run(s, values);
    rvi_smoother_destroy(s);
    return status;
}
