/* trees_cell.h: one tree, and rays that meet trees, for the processor and for devices; trees.c has
 * the equations. */
#ifndef RVI_PICTURE_TREES_CELL_H
#define RVI_PICTURE_TREES_CELL_H

#include "base/random.h"
#include "picture/cover_cell.h"

#ifndef __OPENCL_VERSION__
struct rv_context;
#endif

typedef struct rvi_conifer {
    float x, y, z; /* its foot */
    float tall;    /* 0: there is none */
    float shade;   /* -1 to 1: darker or lighter than others */
} rvi_conifer;

/* Squares along the sides of a grid of them; cells along a side of one; metres of the tallest as
 * seen, with exaggeration, and of a cell; how much heights are exaggerated. */
#define RVI_TREES_NUMBERS                                                                          \
    int width, height;                                                                             \
    double square;                                                                                 \
    float tallest, cell, z

typedef struct rvi_trees_numbers {
    RVI_TREES_NUMBERS;
} rvi_trees_numbers;

typedef struct rvi_trees {
    RVI_TREES_NUMBERS;
    RVI_GRID const rvi_conifer *tree; /* NULL: no trees at all */
#ifndef __OPENCL_VERSION__
    struct rv_context *ctx;
    rvi_conifer *memory; /* of `tree`, where it is its own */
#endif
} rvi_trees;

typedef struct rvi_conifer_hit {
    double t; /* along the ray */
    RVI_GRID const rvi_conifer *tree;
    float normal[3]; /* east, south, up */
    float up;        /* 0 at its foot, 1 at its top */
} rvi_conifer_hit;

RVI_CONSTANT float RVI_TREE_CLEAR = 0.12f, RVI_TREE_RADIUS = 0.18f; /* of the height */
enum { RVI_TREE_SIDE = 4096, RVI_TREE_STEPS = 3 * RVI_TREE_SIDE, RVI_TREE_SEED = 11 };

/* The tree of a square; false: there is none. */
static inline bool rvi_trees_plant(const rvi_cover_rules *rules, const rvi_trees *trees, float tall,
                                   int i, int j, rvi_conifer *out) {
    const rvi_relief *r = rules->relief;
    uint64_t which = (uint64_t)j * (uint64_t)trees->width + (uint64_t)i;
    /* Its crown stays in its square. */
    double dx = (double)rvi_unit(rvi_random(RVI_TREE_SEED, which, 0)),
           dy = (double)rvi_unit(rvi_random(RVI_TREE_SEED, which, 1));
    double x = (i + 0.27 + 0.46 * dx) * trees->square, y = (j + 0.27 + 0.46 * dy) * trees->square;
    if (x > r->width - 1 || y > r->height - 1 || rvi_relief_gap(r, (int)x, (int)y))
        return false;
    float slope[2], ground = rvi_grid_at(r->z, r->width, r->height, x, y);
    rvi_relief_slope(r, x, y, 1, slope);
    rvi_cover cover = rvi_cover_at(rules, x, y, ground, slope, 2);
    float chance = cover.wood * cover.weight[RVI_COVER_GRASS] * (1 - cover.wet);
    bool flooded = r->water && rvi_grid_at(r->upper, r->width, r->height, x, y) > ground;
    if (flooded || rvi_unit(rvi_random(RVI_TREE_SEED, which, 2)) >= chance)
        return false;
    float grown = 0.55f + 0.45f * rvi_unit(rvi_random(RVI_TREE_SEED, which, 3));
    out->x = (float)x;
    out->y = (float)y;
    out->z = ground;
    out->tall = tall * grown;
    out->shade = 2 * rvi_unit(rvi_random(RVI_TREE_SEED, which, 4)) - 1;
    return true;
}

/* ---- rays ---- */

static inline bool rvi_trees_hit(const rvi_trees *w, const rvi_ray *ray,
                                 RVI_GRID const rvi_conifer *tree, double from, double to,
                                 rvi_conifer_hit *out) {
    double cell = (double)w->cell, z = (double)w->z, tall = (double)tree->tall;
    double o[3] = {(ray->from[0] - (double)tree->x) * cell, (ray->from[1] - (double)tree->y) * cell,
                   (double)tree->z * z + tall - ray->from[2] * z}; /* u: down from the top */
    double d[3] = {ray->along[0] * cell, ray->along[1] * cell, -ray->along[2] * z};
    double length = (double)(1 - RVI_TREE_CLEAR) * tall,
           k = (double)RVI_TREE_RADIUS * tall / length;
    double a = d[0] * d[0] + d[1] * d[1] - k * k * d[2] * d[2];
    double b = o[0] * d[0] + o[1] * d[1] - k * k * o[2] * d[2];
    double c = o[0] * o[0] + o[1] * o[1] - k * k * o[2] * o[2];
    double root = b * b - a * c;
    if (root < 0 || a == 0)
        return false;
    root = sqrt(root);
    double ts[2] = {(-b - root) / a, (-b + root) / a};
    if (ts[0] > ts[1]) {
        double swap = ts[0];
        ts[0] = ts[1];
        ts[1] = swap;
    }
    for (int i = 0; i < 2; i++) {
        double u = o[2] + ts[i] * d[2];
        if (ts[i] < from || ts[i] > to || u < 0 || u > length)
            continue;
        double x = o[0] + ts[i] * d[0], y = o[1] + ts[i] * d[1],
               across = sqrt(x * x + y * y) + 1e-9;
        double flat = 1 / sqrt(1 + k * k);
        out->t = ts[i];
        out->tree = tree;
        out->normal[0] = (float)(x / across * flat);
        out->normal[1] = (float)(y / across * flat);
        out->normal[2] = (float)(k * flat);
        out->up = (float)(1 - u / tall);
        return true;
    }
    return false;
}

/* The first tree that a ray meets between `from` and `to` along it. */
RVI_CALLED bool rvi_trees_trace(const rvi_trees *w, const rvi_ray *ray, double from, double to,
                                rvi_conifer_hit *out) {
    if (!w->tree || !(from < to))
        return false;
    int at[2], way[2];
    double next[2], step[2];
    const int most[2] = {w->width, w->height};
    for (int k = 0; k < 2; k++) {
        double place = (ray->from[k] + from * ray->along[k]) / w->square;
        double speed = ray->along[k] / w->square;
        at[k] = (int)rvi_floor(place < -1e6 ? -1e6 : place > 1e6 ? 1e6 : place);
        way[k] = speed > 0 ? 1 : -1;
        step[k] = speed != 0 ? fabs(1 / speed) : INFINITY;
        double edge = at[k] + (speed > 0 ? 1 : 0);
        next[k] = speed != 0 ? from + (edge - place) / speed : INFINITY;
    }
    for (int n = 0; n < RVI_TREE_STEPS; n++) {
        if (at[0] >= 0 && at[1] >= 0 && at[0] < most[0] && at[1] < most[1]) {
            RVI_GRID const rvi_conifer *tree =
                &w->tree[(size_t)at[1] * (size_t)w->width + (size_t)at[0]];
            if (tree->tall > 0 && rvi_trees_hit(w, ray, tree, from, to, out))
                return true;
        }
        int k = next[0] < next[1] ? 0 : 1;
        if (next[k] > to)
            return false;
        at[k] += way[k];
        next[k] += step[k];
        bool gone = way[k] > 0 ? at[k] >= most[k] : at[k] < 0;
        if (gone)
            return false;
    }
    return false;
}

#endif
