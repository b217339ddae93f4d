/* statistics.c: distributions and straight lines, with sums in one fixed order.
 *
 *     skew      m3 / m2^(3/2)        mk: mean of (value - mean)^k
 *     kurtosis  m4 / m2^2
 *
 * The p-th percentile is the sorted value number p (n - 1) / 100, in between by the straight line.
 */
#include "measure/statistics.h"
#include "base/context.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

const int rvi_percentiles[RVI_PERCENTILES] = {5, 25, 50, 75, 95};

enum { SLICE = 1 << 20 }; /* values between two looks whether to stop */

/* ---- distributions ---- */

static rv_status take_moments(rv_context *ctx, const float *values, size_t count,
                              rvi_distribution *out) {
    double sum = 0.0, m2 = 0.0, m3 = 0.0, m4 = 0.0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        if (i % SLICE == 0 && rvi_poll(ctx) != RV_OK)
            return RV_CANCELLED;
        sum += (double)values[i];
    }
    out->mean = sum / n;
    for (size_t i = 0; i < count; i++) {
        if (i % SLICE == 0 && rvi_poll(ctx) != RV_OK)
            return RV_CANCELLED;
        double d = (double)values[i] - out->mean, q = d * d;
        m2 += q;
        m3 += q * d;
        m4 += q * q;
    }
    m2 /= n;
    out->deviation = sqrt(m2);
    if (!(values[count - 1] > values[0]) || !(m2 * m2 > 0.0))
        return RV_OK;
    out->skew = m3 / n / (m2 * out->deviation);
    out->kurtosis = m4 / n / (m2 * m2);
    return RV_OK;
}

rv_status rvi_distribution_of(rv_context *ctx, float *values, size_t count, rvi_distribution *out) {
    *out = (rvi_distribution){NAN, NAN, NAN, NAN, {NAN, NAN, NAN, NAN, NAN}};
    if (count == 0)
        return RV_OK;
    rv_status status = rvi_sort_floats(ctx, values, count);
    if (status == RV_OK)
        status = take_moments(ctx, values, count, out);
    if (status != RV_OK)
        return status;
    for (int k = 0; k < RVI_PERCENTILES; k++) {
        double place = (double)(count - 1) * rvi_percentiles[k] / 100.0;
        size_t at = (size_t)place, next = at + 1 < count ? at + 1 : at;
        double low = (double)values[at], high = (double)values[next];
        out->percentile[k] = low + (place - (double)at) * (high - low);
    }
    return RV_OK;
}

/* ---- lines ---- */

void rvi_line_add(rvi_line_sums *s, double x, double y, double weight) {
    s->points++;
    s->n += weight;
    s->x += weight * x;
    s->y += weight * y;
    s->xx += weight * x * x;
    s->xy += weight * x * y;
    s->yy += weight * y * y;
}

rvi_line rvi_line_fit(const rvi_line_sums *s, int least) {
    rvi_line line = {NAN, NAN, NAN};
    double xx = s->xx - s->x * s->x / s->n, xy = s->xy - s->x * s->y / s->n;
    double yy = s->yy - s->y * s->y / s->n;
    if (s->points < least || s->points < 2 || !(xx > 1e-12 * s->xx))
        return line;
    line.slope = xy / xx;
    line.start = (s->y - line.slope * s->x) / s->n;
    line.r2 = yy > 0.0 ? xy * xy / (xx * yy) : 1.0;
    return line;
}
