/* bands.c: where the bands of the bedrock lie; steps/strata.c says by which rule. */
#include "terrain/bands.h"
#include "base/random.h"

static float unit(uint64_t seed, int i, uint64_t what) {
    return rvi_unit(rvi_random(seed, (uint64_t)i, what));
}

static void make_waves(const rvi_strata *s, rvi_band_wave *waves) {
    double share = 1.0, sum = 0.0;
    for (int i = 0; i < RVI_BAND_WAVES; i++) {
        /* Directions are spread, or by chance all waves could run alike. */
        float angle = ((float)i * 0.618034f + unit(s->seed, i, 0) * 0.2f) * (float)(2 * RVI_PI);
        double turns = 1.0 / (s->length * share);
        waves[i] = (rvi_band_wave){.east = (double)rvi_sinf(angle) * turns,
                                   .south = (double)rvi_cosf(angle) * turns,
                                   .start = (double)unit(s->seed, i, 1),
                                   .height = s->wobble * share};
        sum += share;
        share *= 0.6;
    }
    for (int i = 0; i < RVI_BAND_WAVES; i++)
        waves[i].height /= sum;
}

rvi_band_edge rvi_strata_edge(const rvi_strata *s) {
    rvi_band_edge e = {.x = s->x,
                       .y = s->y,
                       .rise = s->rise,
                       .east = s->east,
                       .south = s->south,
                       .fold = s->fold,
                       .length = s->length,
                       .used = s->wobble > 0.0 ? RVI_BAND_WAVES : 0};
    make_waves(s, e.waves);
    return e;
}

void rvi_strata_row(const rvi_strata *s, double x, double y, double step, int count, float *out) {
    const rvi_band_edge e = rvi_strata_edge(s);
    for (int i = 0; i < count; i++)
        out[i] = rvi_band_edge_at(&e, x, y, step, i);
}

static bool is_within(double value, double least, double most) {
    return value >= least && value <= most;
}

bool rvi_strata_right(const rvi_strata *s) {
    if (s->hardness == 0.0f)
        return true; /* there are none, and nobody looks at the rest */
    bool right = is_within(s->hardness, 0.0, 1.0) && is_within(s->x, -1e12, 1e12) &&
                 is_within(s->y, -1e12, 1e12) && is_within(s->rise, 0.0, 10.0) &&
                 is_within(s->east * s->east + s->south * s->south, 0.99, 1.01) &&
                 is_within(s->fold, 0.0, 1e6) && is_within(s->wobble, 0.0, 1e6) &&
                 is_within(s->length, 0.01, 1e8) && is_within(s->thickness, 0.01, 1e7);
    for (int k = 0; k < RVI_BANDS; k++)
        right = right && s->edge[k] > -0.5f && s->edge[k] < 0.5f && s->soft[k] >= 0.0f &&
                s->soft[k] <= 1.0f;
    return right;
}
