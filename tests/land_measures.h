/* land_measures.h: what tests measure of land that a step has changed: is it the same at half the
 * cell size, does it favour a direction of the grid, has it pits. */
#ifndef TESTS_LAND_MEASURES_H
#define TESTS_LAND_MEASURES_H

#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Heights before and after a step, row by row. */
typedef struct land_pair {
    int width, height;
    float *before, *after;
} land_pair;

static inline float *land_heights(rv_context *ctx, const char *words, land_pair *pair) {
    rv_terrain *land = support_run(ctx, words);
    pair->width = rv_terrain_width(land);
    pair->height = rv_terrain_height(land);
    size_t size = (size_t)pair->width * (size_t)pair->height * sizeof(float);
    float *heights = malloc(size);
    assert_non_null(heights);
    memcpy(heights, rv_terrain_field(land, "height"), size);
    rv_terrain_destroy(land);
    return heights;
}

/* What the words `step` do to the land that the words `start` make. */
static inline land_pair land_pair_make(rv_context *ctx, const char *start, const char *step) {
    land_pair pair = {0};
    char words[1024];
    pair.before = land_heights(ctx, start, &pair);
    assert_in_range(snprintf(words, sizeof words, "%s %s", start, step), 0, sizeof words - 1);
    pair.after = land_heights(ctx, words, &pair);
    return pair;
}

static inline void land_pair_free(land_pair *pair) {
    free(pair->before);
    free(pair->after);
}

/* How much of a cell lies in the block around every k-th cell: 1, or a half at its sides. */
static inline double land_part_in_block(int cell, int block, int k) {
    int beyond = 2 * abs(cell - k * block) - k;
    return beyond < 0 ? 1 : beyond == 0 ? 0.5 : 0;
}

/* after - before, as means over side x side blocks as wide as the distance of their centres, which
 * are cells: a place has the same centre in cells of any size. The map is square and its side a
 * multiple of that. */
static inline double *land_change(const land_pair *pair, int side) {
    assert_int_equal(pair->width, pair->height);
    assert_int_equal(pair->width % side, 0);
    int k = pair->width / side;
    double *change = calloc((size_t)side * (size_t)side, sizeof *change);
    assert_non_null(change);
    for (int by = 0; by < side; by++)
        for (int bx = 0; bx < side; bx++) {
            double sum = 0, weights = 0;
            for (int y = by == 0 ? 0 : k * by - k / 2; y < pair->height && y <= k * by + k / 2; y++)
                for (int x = bx == 0 ? 0 : k * bx - k / 2; x < pair->width && x <= k * bx + k / 2;
                     x++) {
                    double w = land_part_in_block(x, bx, k) * land_part_in_block(y, by, k);
                    size_t i = (size_t)y * (size_t)pair->width + (size_t)x;
                    sum += w * ((double)pair->after[i] - (double)pair->before[i]);
                    weights += w;
                }
            change[by * side + bx] = sum / weights;
        }
    return change;
}

typedef struct land_agreement {
    double rms[2];      /* of each change, m */
    double difference;  /* rms of the difference, over the relief */
    double correlation; /* of the two changes */
} land_agreement;

static inline land_agreement land_agreement_of(const double *a, const double *b, size_t count,
                                               double relief) {
    double n = (double)count, sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0, gap = 0;
    for (size_t i = 0; i < count; i++) {
        sa += a[i];
        sb += b[i];
        saa += a[i] * a[i];
        sbb += b[i] * b[i];
        sab += a[i] * b[i];
        gap += (a[i] - b[i]) * (a[i] - b[i]);
    }
    double va = n * saa - sa * sa, vb = n * sbb - sb * sb;
    return (land_agreement){.rms = {sqrt(saa / n), sqrt(sbb / n)},
                            .difference = sqrt(gap / n) / relief,
                            .correlation = (n * sab - sa * sb) / sqrt(va * vb)};
}

/* Two runs of the same land with different cells, both brought to side x side. */
static inline land_agreement land_agreement_at(const land_pair *a, const land_pair *b, int side,
                                               double relief) {
    double *changes[] = {land_change(a, side), land_change(b, side)};
    land_agreement agreement =
        land_agreement_of(changes[0], changes[1], (size_t)side * (size_t)side, relief);
    free(changes[0]);
    free(changes[1]);
    return agreement;
}

/* Energy of the gradient of a map within 11.25 degrees of 45 and 135 degrees (diagonal), and of 0
 * and 90 (axis), relative to that of a map that favours no direction: 1 is even. The difference of
 * two neighbours is no measure of it: of even lines that are three cells wide it makes 1.24, for it
 * sees less of narrow waves along the axes than of those along the diagonals. So what is narrower
 * than the grid can show is smoothed away, and slopes are differences of sixth order. */
typedef struct land_evenness {
    double diagonal, axis;
} land_evenness;

/* The map without a ring of one cell, each the mean of 3 x 3 with weights 1 2 1. */
static inline double *land_smoothed(const double *map, int width, int height) {
    double *to = malloc((size_t)(width - 2) * (size_t)(height - 2) * sizeof *to);
    assert_non_null(to);
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            const double *at = map + (size_t)y * (size_t)width + (size_t)x;
            double sides = at[1] + at[-1] + at[width] + at[-width];
            double corners = at[width + 1] + at[width - 1] + at[1 - width] + at[-1 - width];
            to[(size_t)(y - 1) * (size_t)(width - 2) + (size_t)(x - 1)] =
                (4 * *at + 2 * sides + corners) / 16;
        }
    return to;
}

static inline double land_slope(const double *at, ptrdiff_t next) {
    return (45 * (at[next] - at[-next]) - 9 * (at[2 * next] - at[-2 * next]) +
            (at[3 * next] - at[-3 * next])) /
           60;
}

/* Of the cells within `radius` cells of the middle. */
static inline land_evenness land_evenness_within(const double *map, int width, int height,
                                                 double radius) {
    double all = 0, diagonal = 0, axis = 0, *smooth = land_smoothed(map, width, height);
    width -= 2;
    height -= 2;
    for (int y = 3; y < height - 3; y++)
        for (int x = 3; x < width - 3; x++) {
            const double *at = smooth + (size_t)y * (size_t)width + (size_t)x;
            double gx = land_slope(at, 1), gy = land_slope(at, width);
            double dx = x - 0.5 * (width - 1), dy = y - 0.5 * (height - 1);
            double energy = dx * dx + dy * dy <= radius * radius ? gx * gx + gy * gy : 0;
            double angle = fmod(fabs(atan2(gy, gx)) * (180 / 3.14159265358979), 90);
            all += energy;
            diagonal += fabs(angle - 45) <= 11.25 ? energy : 0;
            axis += fabs(angle - 45) >= 45 - 11.25 ? energy : 0;
        }
    free(smooth);
    return (land_evenness){4 * diagonal / all, 4 * axis / all};
}

static inline land_evenness land_evenness_of(const double *map, int width, int height) {
    return land_evenness_within(map, width, height, INFINITY);
}

static inline land_evenness land_pair_evenness_within(const land_pair *pair, double radius) {
    size_t count = (size_t)pair->width * (size_t)pair->height;
    double *change = malloc(count * sizeof *change);
    assert_non_null(change);
    for (size_t i = 0; i < count; i++)
        change[i] = (double)pair->after[i] - (double)pair->before[i];
    land_evenness even = land_evenness_within(change, pair->width, pair->height, radius);
    free(change);
    return even;
}

static inline land_evenness land_pair_evenness(const land_pair *pair) {
    return land_pair_evenness_within(pair, INFINITY);
}

/* ---- the land's own direction, and that of the grid ---- */

/* The number at (x, y) of a map that is mirrored at its edges, between cells by cubic convolution
 * (R. G. Keys, 1981). */
static inline double land_between(const float *map, int side, double x, double y) {
    double sum = 0;
    for (int dy = -1; dy <= 2; dy++)
        for (int dx = -1; dx <= 2; dx++) {
            double weight = 1;
            size_t at[2];
            const double place[] = {x, y};
            const int step[] = {dx, dy};
            for (int k = 0; k < 2; k++) {
                int cell = (int)floor(place[k]) + step[k], last = side - 1;
                double d = fabs(place[k] - cell);
                weight *= d < 1 ? (1.5 * d - 2.5) * d * d + 1 : ((2.5 - 0.5 * d) * d - 4) * d + 2;
                at[k] = (size_t)(cell < 0 ? -cell : cell > last ? 2 * last - cell : cell);
            }
            sum += weight * (double)map[at[1] * (size_t)side + at[0]];
        }
    return sum;
}

/* A square map turned by 45 degrees around its middle. What was in the disc that fits into the map
 * still is; the corners are mirrored land. */
static inline float *land_turned(const float *map, int side) {
    float *to = malloc((size_t)side * (size_t)side * sizeof *to);
    assert_non_null(to);
    double middle = 0.5 * (side - 1), part = sqrt(0.5);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            double dx = part * (x - middle), dy = part * (y - middle);
            to[(size_t)y * (size_t)side + (size_t)x] =
                (float)land_between(map, side, middle + (dx - dy), middle + (dx + dy));
        }
    return to;
}

/* The diagonal energy of what a step does to the land that words make, and to the same land turned
 * by 45 degrees. What the land favours goes from the diagonals to the axes with it, what the grid
 * favours stays: the mean of the two is the step's own. */
typedef struct land_directions {
    double as_is, turned, own;
} land_directions;

static inline land_directions land_directions_of(rv_context *ctx, const char *start,
                                                 const char *step) {
    land_directions d;
    land_pair pair = land_pair_make(ctx, start, step);
    double radius = 0.5 * pair.width - 8;
    assert_int_equal(pair.width, pair.height);
    d.as_is = land_pair_evenness_within(&pair, radius).diagonal;
    rv_terrain *land = support_run(ctx, start);
    float *turned = land_turned(pair.before, pair.width);
    size_t size = (size_t)pair.width * (size_t)pair.width * sizeof *turned;
    support_ok(ctx, rv_terrain_field_set(land, "height", turned));
    char words[256];
    rv_recipe *recipe;
    assert_in_range(snprintf(words, sizeof words, "terrain %s", step), 0, sizeof words - 1);
    support_ok(ctx, rv_recipe_parse(ctx, words, "the step", &recipe));
    support_ok(ctx,
               rv_step_run(land, rv_recipe_step(recipe, 1), rv_recipe_params(recipe, 1), NULL));
    rv_recipe_destroy(recipe);
    memcpy(pair.before, turned, size);
    memcpy(pair.after, rv_terrain_field(land, "height"), size);
    d.turned = land_pair_evenness_within(&pair, radius).diagonal;
    d.own = 0.5 * (d.as_is + d.turned);
    print_message("  %s: diagonal %.2f, turned %.2f, its own %.2f\n", step, d.as_is, d.turned,
                  d.own);
    rv_terrain_destroy(land);
    land_pair_free(&pair);
    free(turned);
    return d;
}

/* ---- channels ---- */

/* A walk of `most` cells from one: the highest change on it, and how far it is, in steps, to where
 * the change rises above `half`. */
static inline double land_highest_on(const double *change, int cell, int step, int most) {
    double highest = change[cell];
    for (int k = 1; k <= most; k++)
        highest = fmax(highest, change[cell + k * step]);
    return highest;
}

static inline double land_steps_to(const double *change, int cell, int step, int most,
                                   double half) {
    for (int k = 1; k <= most; k++) {
        double last = change[cell + (k - 1) * step], now = change[cell + k * step];
        if (now > half)
            return k - 1 + (half - last) / (now - last);
    }
    return most;
}

/* How wide, in steps, the channel is that cuts through this cell, from where it is half as deep as
 * here, above what lies on both sides of it within `most` steps. */
static inline double land_width_across(const double *change, int cell, int step, int most) {
    double side =
        fmin(land_highest_on(change, cell, step, most), land_highest_on(change, cell, -step, most));
    double half = 0.5 * (change[cell] + side);
    return land_steps_to(change, cell, step, most, half) +
           land_steps_to(change, cell, -step, most, half);
}

static inline int land_by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Widths of the channels that were cut, in cells: [0] is what one in ten is narrower than, [1] what
 * half of them are. A channel is where the land was lowered more than at 95 of 100 cells, and most
 * of three cells in one of four directions; it lies across the narrowest. */
static inline void land_channel_widths(const land_pair *pair, int most, double out[2]) {
    static const int ways[4][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}};
    int side = pair->width, count = 0, cells = side * pair->height;
    double *change = land_change(pair, side), *sorted = malloc((size_t)cells * sizeof *sorted);
    assert_non_null(sorted);
    memcpy(sorted, change, (size_t)cells * sizeof *sorted);
    qsort(sorted, (size_t)cells, sizeof *sorted, land_by_size);
    double deep = sorted[cells / 20];
    for (int i = 0; i < cells; i++) {
        int x = i % side, y = i / side;
        bool inside = x >= most && y >= most && x < side - most && y < side - most;
        double narrowest = INFINITY;
        for (int k = 0; inside && change[i] < deep && k < 4; k++) {
            int step = ways[k][1] * side + ways[k][0];
            if (change[i] < change[i - step] && change[i] <= change[i + step])
                narrowest = fmin(narrowest, land_width_across(change, i, step, most) *
                                                hypot(ways[k][0], ways[k][1]));
        }
        if (narrowest < INFINITY)
            sorted[count++] = narrowest;
    }
    assert_true(count >= 20);
    qsort(sorted, (size_t)count, sizeof *sorted, land_by_size);
    out[0] = sorted[count / 10];
    out[1] = sorted[count / 2];
    free(sorted);
    free(change);
}

/* ---- pits: a plain priority flood (R. Barnes and others, 2014) ---- */

typedef struct land_flood {
    const float *z;
    float *level; /* NAN: not reached yet */
    int *heap;    /* cells, the lowest level first */
    int count, width, height;
} land_flood;

static inline void land_flood_swap(land_flood *f, int i, int j) {
    int cell = f->heap[i];
    f->heap[i] = f->heap[j];
    f->heap[j] = cell;
}

static inline void land_flood_push(land_flood *f, int cell, float from) {
    f->level[cell] = fmaxf(f->z[cell], from);
    int i = f->count++;
    f->heap[i] = cell;
    for (; i > 0 && f->level[f->heap[i]] < f->level[f->heap[(i - 1) / 2]]; i = (i - 1) / 2)
        land_flood_swap(f, i, (i - 1) / 2);
}

static inline int land_flood_pop(land_flood *f) {
    int top = f->heap[0];
    f->heap[0] = f->heap[--f->count];
    for (int i = 0, next; (next = 2 * i + 1) < f->count; i = next) {
        if (next + 1 < f->count && f->level[f->heap[next + 1]] < f->level[f->heap[next]])
            next++;
        if (!(f->level[f->heap[next]] < f->level[f->heap[i]]))
            break;
        land_flood_swap(f, i, next);
    }
    return top;
}

/* The neighbours of a cell: up to eight, in `out`. */
static inline int land_neighbours(int cell, int width, int height, int *out) {
    int count = 0, x = cell % width, y = cell / width;
    for (int k = 0; k < 9; k++) {
        int nx = x + k % 3 - 1, ny = y + k / 3 - 1;
        if (k != 4 && nx >= 0 && ny >= 0 && nx < width && ny < height)
            out[count++] = ny * width + nx;
    }
    return count;
}

/* The deepest point of the pit that `cell` lies in, m; the pit is struck from the list. */
static inline float land_pit_depth(land_flood *f, int cell) {
    float deepest = 0;
    f->count = 0;
    f->heap[f->count++] = cell; /* here a plain stack: the flood is over */
    while (f->count > 0) {
        int here = f->heap[--f->count], near[8];
        deepest = fmaxf(deepest, f->level[here] - f->z[here]);
        f->level[here] = f->z[here];
        for (int k = land_neighbours(here, f->width, f->height, near) - 1; k >= 0; k--)
            if (f->level[near[k]] > f->z[near[k]]) {
                deepest = fmaxf(deepest, f->level[near[k]] - f->z[near[k]]);
                f->level[near[k]] = f->z[near[k]];
                f->heap[f->count++] = near[k];
            }
    }
    return deepest;
}

/* Separate pits that are deeper than `deep` metres. */
static inline int land_pits(const float *z, int width, int height, double deep) {
    int cells = width * height, found = 0;
    land_flood f = {.z = z, .width = width, .height = height};
    f.level = malloc((size_t)cells * sizeof *f.level);
    f.heap = malloc((size_t)cells * sizeof *f.heap);
    assert_true(f.level && f.heap);
    for (int i = 0; i < cells; i++)
        f.level[i] = NAN;
    for (int i = 0; i < cells; i++)
        if (i % width == 0 || i % width == width - 1 || i < width || i >= cells - width)
            land_flood_push(&f, i, z[i]);
    while (f.count > 0) {
        int here = land_flood_pop(&f), near[8];
        for (int k = land_neighbours(here, width, height, near) - 1; k >= 0; k--)
            if (isnan(f.level[near[k]]))
                land_flood_push(&f, near[k], f.level[here]);
    }
    for (int i = 0; i < cells; i++)
        found += f.level[i] > z[i] && (double)land_pit_depth(&f, i) > deep;
    free(f.level);
    free(f.heap);
    return found;
}

#endif
