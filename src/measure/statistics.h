/* statistics.h: distributions and straight lines. */
#ifndef RVI_MEASURE_STATISTICS_H
#define RVI_MEASURE_STATISTICS_H

#include <ravine/ravine.h>

enum { RVI_PERCENTILES = 5 };
extern const int rvi_percentiles[RVI_PERCENTILES]; /* 5, 25, 50, 75, 95 */

/* Moments are of the population; a Gaussian has kurtosis 3. Where all values are equal, skew and
 * kurtosis are not defined; where there are none, nothing is. */
typedef struct rvi_distribution {
    double mean, deviation, skew, kurtosis;
    double percentile[RVI_PERCENTILES];
} rvi_distribution;

/* Sorts `values` on the way. */
rv_status rvi_distribution_of(rv_context *ctx, float *values, size_t count, rvi_distribution *out);

/* The straight line y = start + slope x nearest to weighted points by least squares. */
typedef struct rvi_line_sums {
    double n, x, y, xx, xy, yy;
    int points;
} rvi_line_sums;

typedef struct rvi_line {
    double start, slope;
    double r2; /* share of the variance of y that the line explains */
} rvi_line;

void rvi_line_add(rvi_line_sums *sums, double x, double y, double weight);
/* NaN where fewer than `least` points were added or all have one x. */
rvi_line rvi_line_fit(const rvi_line_sums *sums, int least);

#endif
