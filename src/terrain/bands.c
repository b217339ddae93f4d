/* bands.c: where the bands of the bedrock lie; steps/strata.c says by which rule. */
#include "terrain/bands.h"
#include "base/random.h"

enum { WAVES = 6 };

typedef struct wave {
    double east, south; /* turns for each metre */
    double start;       /* turns */
    double height;      /* metres */
} wave;

static float unit(uint64_t seed, int i, uint64_t what) {
    return rvi_unit(rvi_random(seed, (uint64_t)i, what));
}

static void make_waves(const rvi_strata *s, wave *waves) {
    double share = 1.0, sum = 0.0;
    for (int i = 0; i < WAVES; i++) {
        /* Directions are spread, or by chance all waves could run alike. */
        float angle = ((float)i * 0.618034f + unit(s->seed, i, 0) * 0.2f) * (float)(2 * RVI_PI);
        double turns = 1.0 / (s->length * share);
        waves[i] = (wave){.east = (double)rvi_sinf(angle) * turns,
                          .south = (double)rvi_cosf(angle) * turns,
                          .start = (double)unit(s->seed, i, 1),
                          .height = s->wobble * share};
        sum += share;
        share *= 0.6;
    }
    for (int i = 0; i < WAVES; i++)
        waves[i].height /= sum;
}

static double sine(double turns) {
    return (double)rvi_sinf((float)((turns - rvi_floor(turns)) * (2 * RVI_PI)));
}

void rvi_strata_row(const rvi_strata *s, double x, double y, double step, int count, float *out) {
    wave waves[WAVES];
    make_waves(s, waves);
    int used = s->wobble > 0.0 ? WAVES : 0;
    for (int i = 0; i < count; i++) {
        double px = x + s->x + step * (double)i, py = y + s->y;
        double along = px * s->east + py * s->south;
        double edge = s->fold * sine(along / s->length) - s->rise * along;
        for (int k = 0; k < used; k++) {
            const wave *w = &waves[k];
            edge += w->height * sine(px * w->east + py * w->south + w->start);
        }
        out[i] = (float)edge;
    }
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
