/* resample.c: the same land with more or fewer cells.
 *
 * R. Keys, Cubic convolution interpolation for digital image processing, 1981 (a = -1/2). Corner
 * lies on corner: cell i of m is at p = i (n - 1) / (m - 1) of n. Along each axis, with s = (n - 1)
 * / (m - 1) cells that become one, but at least 1:
 *
 *     v'_i = sum over j of K((j - p) / s) v_j / sum over j of K((j - p) / s)
 *
 * K is Keys's cubic (reach 2) or the triangle (reach 1). Beyond an end the land goes on turned
 * about its last cell, v_(-j) = 2 v_0 - v_j, so that a slope stays a slope up to the edge. One cell
 * in place of many is their mean.
 */
#include "terrain/resample.h"
#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"

enum { CHUNK = 256 }; /* cells of a row that are summed side by side */

static double kernel(rvi_filter filter, double x) {
    x = x < 0 ? -x : x;
    if (filter == RVI_FILTER_LINEAR)
        return x < 1 ? 1 - x : 0;
    if (x >= 2)
        return 0;
    return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2;
}

/* The old cells under the kernel. Distances are whole numbers of 1 / (to - 1) cells: exact. */
static int weigh(const rvi_sampled_axis *a, int i, rvi_tap *taps) {
    int64_t parts = a->to - 1, last = a->from - 1, at = i * last;
    int64_t wide = last > parts ? last : parts; /* parts that one unit of the kernel spans */
    int64_t reach = 2 * wide / parts + 1, near = at / parts;
    double total = 0, ends[2] = {0, 0};
    int count = 0;
    for (int64_t k = near - reach; k <= near + reach; k++) {
        double share = kernel(a->filter, (double)(k * parts - at) / (double)wide);
        total += share;
        int64_t j = k;
        while (j < 0 || j > last) {
            int64_t end = j < 0 ? 0 : last;
            ends[j > last] += 2 * share;
            share = -share;
            j = 2 * end - j;
        }
        if (share != 0)
            taps[count++] = (rvi_tap){share, (int)j, 0};
    }
    for (int e = 0; e < 2; e++)
        if (ends[e] != 0)
            taps[count++] = (rvi_tap){ends[e], e ? (int)last : 0, 0};
    for (int t = 0; t < count; t++)
        taps[t].share /= total;
    return count;
}

static int weigh_simply(const rvi_sampled_axis *a, int i, rvi_tap *taps) {
    int64_t parts = a->to - 1, at = (int64_t)i * (a->from - 1);
    if (parts == 0 && a->filter != RVI_FILTER_NEAREST) {
        for (int j = 0; j < a->from; j++)
            taps[j] = (rvi_tap){1.0 / a->from, j, 0};
        return a->from;
    }
    int64_t nearest = parts ? (2 * at + parts) / (2 * parts) : (a->from - 1) / 2;
    taps[0] = (rvi_tap){1, (int)nearest, 0};
    return 1;
}

static bool is_simple(const rvi_sampled_axis *a) {
    return a->filter == RVI_FILTER_NEAREST || a->from == 1 || a->to == 1;
}

static void axis_list(rvi_sampled_axis *a, rvi_buffers *buffers) {
    int64_t parts = rvi_maxi(1, a->to - 1), wide = rvi_maxi(a->from - 1, (int)parts);
    a->room = (size_t)(2 * (2 * wide / parts + 1) + 3);
    if (is_simple(a))
        a->room = a->filter == RVI_FILTER_NEAREST || a->to > 1 ? 1 : (size_t)a->from;
    rvi_buffers_add(buffers, &a->taps, (size_t)a->to * a->room, sizeof *a->taps, "a new size");
    rvi_buffers_add(buffers, &a->counts, (size_t)a->to, sizeof *a->counts, "a new size");
}

static void axis_fill(const rvi_sampled_axis *a) {
    for (int i = 0; i < a->to; i++) {
        rvi_tap *taps = a->taps + (size_t)i * a->room;
        a->counts[i] = is_simple(a) ? weigh_simply(a, i, taps) : weigh(a, i, taps);
    }
}

typedef struct work {
    const rvi_sampled_axis *axis;
    const float *from;
    float *to;
    int width; /* of a row of `to` */
} work;

static void mix_columns(void *arg, int first, int end) {
    const work *w = arg;
    const rvi_sampled_axis *a = w->axis;
    for (int y = first; y < end; y++) {
        const float *row = w->from + (size_t)y * (size_t)a->from;
        for (int x = 0; x < a->to; x++) {
            const rvi_tap *taps = a->taps + (size_t)x * a->room;
            double sum = 0;
            for (int t = 0; t < a->counts[x]; t++)
                sum += taps[t].share * (double)row[taps[t].at];
            w->to[(size_t)y * (size_t)a->to + (size_t)x] = (float)sum;
        }
    }
}

static void mix_rows(void *arg, int first, int end) {
    const work *w = arg;
    const rvi_sampled_axis *a = w->axis;
    double sum[CHUNK];
    for (int y = first; y < end; y++) {
        const rvi_tap *taps = a->taps + (size_t)y * a->room;
        for (int x = 0; x < w->width; x += CHUNK) {
            int count = rvi_mini(CHUNK, w->width - x);
            for (int i = 0; i < count; i++)
                sum[i] = 0;
            for (int t = 0; t < a->counts[y]; t++) {
                const float *row = w->from + (size_t)taps[t].at * (size_t)w->width + (size_t)x;
                for (int i = 0; i < count; i++)
                    sum[i] += taps[t].share * (double)row[i];
            }
            float *to = w->to + (size_t)y * (size_t)w->width + (size_t)x;
            for (int i = 0; i < count; i++)
                to[i] = (float)sum[i];
        }
    }
}

void rvi_resampling_prepare(rvi_resampling *r, int width, int height, int to_width, int to_height,
                            rvi_filter filter, rvi_buffers *buffers) {
    *r = (rvi_resampling){.across = {.from = width, .to = to_width, .filter = filter},
                          .down = {.from = height, .to = to_height, .filter = filter}};
    size_t cells = (size_t)to_width * (size_t)height;
    rvi_buffers_add(buffers, &r->half, cells, sizeof *r->half, "a new size");
    axis_list(&r->across, buffers);
    axis_list(&r->down, buffers);
}

void rvi_resampling_weigh(const rvi_resampling *r) {
    axis_fill(&r->across);
    axis_fill(&r->down);
}

rv_status rvi_resampling_run(rv_context *ctx, const rvi_resampling *r, const float *from,
                             float *to) {
    int width = r->across.to;
    rv_status status = rvi_parallel_rows(ctx, r->down.from, mix_columns,
                                         &(work){&r->across, from, r->half, width});
    return status == RV_OK
               ? rvi_parallel_rows(ctx, r->down.to, mix_rows, &(work){&r->down, r->half, to, width})
               : status;
}

size_t rvi_resample_bytes(int width, int height, int to_width, int to_height, rvi_filter filter) {
    rvi_resampling r;
    rvi_buffers buffers = {0};
    rvi_resampling_prepare(&r, width, height, to_width, to_height, filter, &buffers);
    return rvi_buffers_bytes(&buffers);
}

rv_status rvi_resample(rv_context *ctx, const float *from, int width, int height, float *to,
                       int to_width, int to_height, rvi_filter filter) {
    rvi_resampling r;
    rvi_buffers buffers = {0};
    rvi_resampling_prepare(&r, width, height, to_width, to_height, filter, &buffers);
    rv_status status = rvi_buffers_alloc(&buffers, ctx);
    if (status == RV_OK) {
        rvi_resampling_weigh(&r);
        status = rvi_resampling_run(ctx, &r, from, to);
    }
    rvi_buffers_free(&buffers, ctx);
    return status;
}
