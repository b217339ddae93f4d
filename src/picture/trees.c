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
#include "base/threads.h"

#include <math.h>

static const float APART = 0.68f; /* of the height: a side of a square */

/* Metres along a side of a square: trees of a very large map stand farther apart. */
static double square_of(const rv_terrain *land, float tall) {
    double side = (double)(rvi_maxi(land->width, land->height) - 1) * (double)land->cell;
    double metres = (double)(APART * tall), least = side / RVI_TREE_SIDE;
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
    for (int j = first; j < end; j++)
        for (int i = 0; i < w->width; i++) {
            rvi_conifer tree;
            if (rvi_trees_plant(p->rules, w, p->tall, i, j, &tree))
                w->memory[(size_t)j * (size_t)w->width + (size_t)i] = tree;
        }
}

static void place(const rvi_relief *r, float tall, float z, rvi_trees *out) {
    double square = square_of(r->land, tall) / (double)r->cell;
    *out = (rvi_trees){.width = (int)((r->width - 1) / square) + 1,
                       .height = (int)((r->height - 1) / square) + 1,
                       .square = square,
                       .tallest = tall,
                       .cell = r->cell,
                       .z = z};
}

rv_status rvi_trees_make(const rvi_cover_rules *rules, float tall, float z, bool plant,
                         rvi_trees *out) {
    const rvi_relief *r = rules->relief;
    rv_context *ctx = r->land->ctx;
    place(r, tall, z, out);
    out->ctx = ctx;
    out->memory = rvi_alloc(ctx, (size_t)out->width * (size_t)out->height, sizeof *out->memory,
                            "the trees of a picture");
    if (!out->memory)
        return RV_ERROR_MEMORY;
    out->tree = out->memory;
    if (!plant)
        return RV_OK;
    planting p = {rules, out, tall};
    rv_status status = rvi_parallel_rows(ctx, out->height, plant_rows, &p);
    if (status != RV_OK)
        rvi_trees_free(out);
    return status;
}

void rvi_trees_free(rvi_trees *trees) {
    if (trees->memory)
        rvi_free(trees->ctx, trees->memory);
    trees->memory = NULL;
    trees->tree = NULL;
}

size_t rvi_trees_memory(const rv_terrain *land, float tall) {
    double square = square_of(land, tall), cell = (double)land->cell;
    size_t width = (size_t)((land->width - 1) * cell / square) + 2,
           height = (size_t)((land->height - 1) * cell / square) + 2;
    return rvi_alloc_size(width * height, sizeof(rvi_conifer));
}
