/* trees.c: trees as cones.
 *
 * A tree of height h stands with the chance that the cover gives to woods at its place. Its crown
 * is a cone around the axis, from 0.12 h above the foot to the top, with the radius r = 0.21 h
 * below. In metres with the top at the origin and u downwards, a place is on it where
 *
 *     x^2 + y^2 = (r / l)^2 u^2,   0 <= u <= l = 0.88 h
 *
 * which along a ray is a quadratic equation. The squares are passed one after the other (J.
 * Amanatides and A. Woo, A fast voxel traversal algorithm for ray tracing, 1987).
 */
#include "picture/trees.h"
#include "base/context.h"
#include "base/math.h"
#include "base/random.h"
#include "base/threads.h"

#include <math.h>

static const float CLEAR = 0.12f, RADIUS = 0.18f; /* of the height */
static const float APART = 0.68f;                 /* of the height: a side of a square */
enum { SIDE_MOST = 4096, STEPS_MOST = 3 * SIDE_MOST, SEED = 11 };

/* Metres along a side of a square: trees of a very large map stand farther apart. */
static double square_of(const rv_terrain *land, float tall) {
    double side = (double)(rvi_maxi(land->width, land->height) - 1) * (double)land->cell;
    double metres = (double)(APART * tall), least = side / SIDE_MOST;
    return metres > least ? metres : least;
}

typedef struct planting {
    const rvi_cover_rules *rules;
    rvi_trees *trees;
    float tall;
} planting;

static void plant_rows(void *arg, int first, int end) {
    const planting *p = arg;
    const rvi_trees *w = p->trees;
    const rvi_relief *r = p->rules->relief;
    for (int j = first; j < end; j++)
        for (int i = 0; i < w->width; i++) {
            uint64_t which = (uint64_t)j * (uint64_t)w->width + (uint64_t)i;
            /* Its crown stays in its square. */
            double dx = (double)rvi_unit(rvi_random(SEED, which, 0)),
                   dy = (double)rvi_unit(rvi_random(SEED, which, 1));
            double x = (i + 0.27 + 0.46 * dx) * w->square, y = (j + 0.27 + 0.46 * dy) * w->square;
            if (x > r->width - 1 || y > r->height - 1 || rvi_relief_gap(r, (int)x, (int)y))
                continue;
            float slope[2], ground = rvi_grid_at(r->z, r->width, r->height, x, y);
            rvi_relief_slope(r, x, y, 1, slope);
            rvi_cover cover = rvi_cover_at(p->rules, x, y, ground, slope, 2);
            float chance = cover.wood * cover.weight[RVI_COVER_GRASS] * (1 - cover.wet);
            bool flooded = r->water && rvi_grid_at(r->upper, r->width, r->height, x, y) > ground;
            if (flooded || rvi_unit(rvi_random(SEED, which, 2)) >= chance)
                continue;
            float grown = 0.55f + 0.45f * rvi_unit(rvi_random(SEED, which, 3));
            w->tree[which] = (rvi_conifer){(float)x, (float)y, ground, p->tall * grown,
                                           2 * rvi_unit(rvi_random(SEED, which, 4)) - 1};
        }
}

rv_status rvi_trees_make(const rvi_cover_rules *rules, float tall, float z, rvi_trees *out) {
    const rvi_relief *r = rules->relief;
    rv_context *ctx = r->land->ctx;
    double square = square_of(r->land, tall) / (double)r->cell;
    *out = (rvi_trees){.ctx = ctx,
                       .width = (int)((r->width - 1) / square) + 1,
                       .height = (int)((r->height - 1) / square) + 1,
                       .square = square,
                       .tallest = tall,
                       .cell = r->cell,
                       .z = z};
    out->tree = rvi_alloc(ctx, (size_t)out->width * (size_t)out->height, sizeof *out->tree,
                          "the trees of a picture");
    if (!out->tree)
        return RV_ERROR_MEMORY;
    planting p = {rules, out, tall};
    rv_status status = rvi_parallel_rows(ctx, out->height, plant_rows, &p);
    if (status != RV_OK)
        rvi_trees_free(out);
    return status;
}

void rvi_trees_free(rvi_trees *trees) {
    if (trees->tree)
        rvi_free(trees->ctx, trees->tree);
    trees->tree = NULL;
}

size_t rvi_trees_memory(const rv_terrain *land, float tall) {
    double square = square_of(land, tall), cell = (double)land->cell;
    size_t width = (size_t)((land->width - 1) * cell / square) + 2,
           height = (size_t)((land->height - 1) * cell / square) + 2;
    return rvi_alloc_size(width * height, sizeof(rvi_conifer));
}

/* ---- rays ---- */

static bool hit_tree(const rvi_trees *w, const rvi_ray *ray, const rvi_conifer *tree, double from,
                     double to, rvi_conifer_hit *out) {
    double cell = (double)w->cell, z = (double)w->z, tall = (double)tree->tall;
    double o[3] = {(ray->from[0] - (double)tree->x) * cell, (ray->from[1] - (double)tree->y) * cell,
                   (double)tree->z * z + tall - ray->from[2] * z}; /* u: down from the top */
    double d[3] = {ray->along[0] * cell, ray->along[1] * cell, -ray->along[2] * z};
    double length = (double)(1 - CLEAR) * tall, k = (double)RADIUS * tall / length;
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
        *out = (rvi_conifer_hit){
            .t = ts[i],
            .tree = tree,
            .normal = {(float)(x / across * flat), (float)(y / across * flat), (float)(k * flat)},
            .up = (float)(1 - u / tall)};
        return true;
    }
    return false;
}

bool rvi_trees_trace(const rvi_trees *w, const rvi_ray *ray, double from, double to,
                     rvi_conifer_hit *out) {
    if (!w->tree || !(from < to))
        return false;
    int at[2], way[2];
    double next[2], step[2];
    const int most[2] = {w->width, w->height};
    for (int k = 0; k < 2; k++) {
        double place = (ray->from[k] + from * ray->along[k]) / w->square;
        double speed = ray->along[k] / w->square;
        at[k] = (int)floor(place < -1e6 ? -1e6 : place > 1e6 ? 1e6 : place);
        way[k] = speed > 0 ? 1 : -1;
        step[k] = speed != 0 ? fabs(1 / speed) : INFINITY;
        double edge = at[k] + (speed > 0 ? 1 : 0);
        next[k] = speed != 0 ? from + (edge - place) / speed : INFINITY;
    }
    for (int n = 0; n < STEPS_MOST; n++) {
        if (at[0] >= 0 && at[1] >= 0 && at[0] < most[0] && at[1] < most[1]) {
            const rvi_conifer *tree = &w->tree[(size_t)at[1] * (size_t)w->width + (size_t)at[0]];
            if (tree->tall > 0 && hit_tree(w, ray, tree, from, to, out))
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
