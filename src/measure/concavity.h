/* concavity.h: how the slope of channels falls with the area they drain. */
#ifndef RVI_MEASURE_CONCAVITY_H
#define RVI_MEASURE_CONCAVITY_H

#include "measure/ground.h"
#include "measure/statistics.h"

enum {
    RVI_SLOPE_BINS = 96, /* of area, four an octave */
    RVI_SLOPE_ROWS = 96, /* of slope, four an octave, up to 2^4 */
};

typedef struct rvi_slope_bin {
    double area;  /* cells, the middle of the bin */
    double slope; /* geometric mean of the channel slopes */
    double count; /* of channel cells */
} rvi_slope_bin;

typedef struct rvi_concavity {
    rvi_line eight;   /* log slope over log area (cells), slopes over eight cells of channel */
    rvi_line limited; /* the same, slopes over as much channel as drains nearly one area */
    rvi_slope_bin bins[RVI_SLOPE_BINS];             /* of `limited`; empty ones have count 0 */
    uint32_t cloud[RVI_SLOPE_ROWS][RVI_SLOPE_BINS]; /* its channel cells, the steepest row last */
} rvi_concavity;

/* The lowest area (cells) and slope of a column and a row of the cloud. */
double rvi_cloud_area(int column);
double rvi_cloud_slope(int row);

/* A channel is where at least `channel` cells drain. */
rv_status rvi_concavity_measure(const rvi_ground *ground, const rvi_drainage *drainage,
                                uint32_t channel, rvi_concavity *out);

#endif
