/* bands.h: how hard the bedrock is at any place, for steps that wear it and pictures of it.
 *
 * What a step takes from bedrock is multiplied by rvi_strata_softness() at the height where the
 * bedrock ends now, so that bands come out as it is worn down. The part of it that depends on x and
 * y alone is slow: rvi_strata_row() fills a grid with it, and loops ask rvi_strata_band().
 */
#ifndef RVI_TERRAIN_BANDS_H
#define RVI_TERRAIN_BANDS_H

#include "base/math.h"
#include "terrain/state.h"

static inline bool rvi_strata_there(const rv_terrain *land) {
    return land->strata.hardness > 0.0f;
}

/* How high the edge between bands -1 and 0 lies `count` times from (x, y) on, `step` metres apart;
 * (0, 0) is the map's north-west cell. */
void rvi_strata_row(const rvi_strata *s, double x, double y, double step, int count, float *out);

/* What a device needs to do the same. */
rvi_band_edge rvi_strata_edge(const rvi_strata *s);

/* The erosion factor, 0 to 1, `above` metres over that edge. */
static inline float rvi_strata_band(const rvi_strata *s, float above) {
    return rvi_band_soft(s->edge, s->soft, s->thickness, above);
}

/* The same at any place. */
static inline float rvi_strata_softness(const rvi_strata *s, double x, double y, float z) {
    float edge;
    rvi_strata_row(s, x, y, 0.0, 1, &edge);
    return rvi_strata_band(s, z - edge);
}

/* Can it come from strata? A file may hold anything; the ranges are those of the step's parameters,
 * or wider. */
bool rvi_strata_right(const rvi_strata *s);

#endif
