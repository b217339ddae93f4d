/* river_rock.c: rock that is harder or softer from place to place, at random: how easily rivers cut
 * it, and how steep it stands. Both are smooth functions of the place in metres, so that the same
 * place has the same rock at any cell size. */
#include "base/math.h"
#include "base/random.h"
#include "base/threads.h"
#include "steps/rivers/river_cut.h"

/* The times that stand for the rock: no time step is so late. */
#define ROCK UINT64_MAX
#define STRENGTH (UINT64_MAX - 1)

/* Points of a lattice with a number each, 0 to 1. */
static float lattice(const rvi_rivers *r, uint32_t x, uint32_t y, uint64_t which) {
    return rvi_unit(rvi_random(r->p->seed, (uint64_t)y << 32 | x, which));
}

static float between(float a, float b, float share) {
    return a + (b - a) * share;
}

/* The number at a cell, `side` lattice steps wide. */
static float lattice_at(const rvi_rivers *r, size_t cell, float side, uint64_t which) {
    uint32_t width = (uint32_t)r->flow.width, row = (uint32_t)cell / width;
    float x = (float)((uint32_t)cell - row * width) * side;
    float y = (float)row * side;
    uint32_t ix = (uint32_t)x, iy = (uint32_t)y;
    float u = rvi_smoothstep(0.0f, 1.0f, x - (float)ix),
          v = rvi_smoothstep(0.0f, 1.0f, y - (float)iy);
    float north = between(lattice(r, ix, iy, which), lattice(r, ix + 1, iy, which), u);
    float south = between(lattice(r, ix, iy + 1, which), lattice(r, ix + 1, iy + 1, which), u);
    return between(north, south, v);
}

/* How easily rivers cut the rock, relative to the mean. */
static void rock_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    size_t width = (size_t)r->flow.width;
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++)
        r->rock[i] = 1.0f + r->p->vary * (2.0f * lattice_at(r, i, r->of_lattice, ROCK) - 1.0f);
}

/* Three octaves: rock is weak in small places and in large ones. */
static void strength_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    size_t width = (size_t)r->flow.width;
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++) {
        float sum = 0.0f, side = r->of_lattice;
        for (int octave = 0; octave < 3; octave++, side *= 0.5f)
            sum += lattice_at(r, i, side, STRENGTH - (uint64_t)octave) - 0.5f;
        r->strength[i] = 1.0f + r->p->talus_vary * rvi_clampf(1.6f * sum, -1.0f, 1.0f);
    }
}

rv_status rvi_rivers_rock(rvi_rivers *r) {
    rv_status status = RV_OK;
    if (r->rock)
        status = rvi_parallel_rows(r->job->ctx, r->flow.height, rock_rows, r);
    if (status == RV_OK && r->strength)
        status = rvi_parallel_rows(r->job->ctx, r->flow.height, strength_rows, r);
    return status;
}
