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
