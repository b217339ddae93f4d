/* band_cell.h: the bands of the bedrock at one place, for the processor and for devices. */
#ifndef RVI_TERRAIN_BAND_CELL_H
#define RVI_TERRAIN_BAND_CELL_H

#include "base/math.h"

enum { RVI_BAND_WAVES = 6 };
enum { RVI_BANDS = 64 }; /* after which hard and soft bands repeat */

typedef struct rvi_band_wave {
    double east, south; /* turns for each metre */
    double start;       /* turns */
    double height;      /* metres */
} rvi_band_wave;

/* Where the edge between bands -1 and 0 lies. */
typedef struct rvi_band_edge {
    double x, y, rise, east, south, fold, length; /* as in rvi_strata */
    rvi_band_wave waves[RVI_BAND_WAVES];
    int64_t used; /* waves */
} rvi_band_edge;

static inline double rvi_band_sine(double turns) {
    return (double)rvi_sinf((float)((turns - rvi_floor(turns)) * (2 * RVI_PI)));
}

/* How high, `i` steps east of (x, y). */
static inline float rvi_band_edge_at(const rvi_band_edge *e, double x, double y, double step,
                                     int i) {
    double px = x + e->x + step * (double)i, py = y + e->y;
    double along = px * e->east + py * e->south;
    double edge = e->fold * rvi_band_sine(along / e->length) - e->rise * along;
    for (int k = 0; k < e->used; k++)
        edge += e->waves[k].height *
                rvi_band_sine(px * e->waves[k].east + py * e->waves[k].south + e->waves[k].start);
    return (float)edge;
}

/* The band `above` metres over that edge; `edge` as in rvi_strata. No edge is moved by half a band:
 * only the one nearest to a place decides which band it is in. Land can be as high as a float can
 * say: where floats are farther apart than bands, all is in the last band that can be counted. */
static inline int64_t rvi_band_at(RVI_GRID const float *edge, float thickness, float above) {
    const float most = 0x1p30f;
    float bands = rvi_maxf(-most, rvi_minf(above / thickness, most));
    float near = rvi_floorf(bands + 0.5f);
    int64_t k = (int64_t)near;
    return k - (bands < near + edge[(uint64_t)k % RVI_BANDS]);
}

/* The erosion factor there, 0 to 1; `soft` as in rvi_strata. */
static inline float rvi_band_soft(RVI_GRID const float *edge, RVI_GRID const float *soft,
                                  float thickness, float above) {
    return soft[(uint64_t)rvi_band_at(edge, thickness, above) % RVI_BANDS];
}

/* How far it is from there down into the next band, metres: to a hundredth of a band below the
 * edge, so that rounding cannot leave it above. */
static inline double rvi_band_left(RVI_GRID const float *edge, float thickness, float above) {
    int64_t k = rvi_band_at(edge, thickness, above);
    double down = (double)k + (double)edge[(uint64_t)k % RVI_BANDS] - 0.01;
    double left = (double)above - down * (double)thickness;
    return left > 0.0 ? left : 1e30;
}

#endif
