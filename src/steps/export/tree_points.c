/* tree_points.c: places for trees. A square of the land gets a tree where a random number is below
 * the share of grass there, less with height above the lowest third, so that woods get thin
 * upwards; none grows in water. */
#include "steps/export/tree_points.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/file.h"
#include "base/random.h"
#include "base/reduce.h"
#include "base/text.h"

typedef struct trees {
    const rv_terrain *land;
    const unsigned char *grass;
    size_t stride;
    const float *water; /* NULL: none */
    float low, high;
    double spacing;
    uint64_t seed;
    rvi_writer *csv, *json;
    uint64_t count;
} trees;

static rv_status put_tree(trees *t, const double place[3], double tall) {
    char line[160], number[4][32];
    for (int i = 0; i < 4; i++)
        rvi_text_print(number[i], sizeof number[i], 10, i < 3 ? place[i] : tall);
    int size =
        snprintf(line, sizeof line, "%s,%s,%s,%s\n", number[0], number[1], number[2], number[3]);
    rv_status status = rvi_writer_put(t->csv, line, (size_t)size);
    size = snprintf(line, sizeof line, "%s\n{\"x\":%s,\"y\":%s,\"z\":%s,\"height\":%s}",
                    t->count > 0 ? "," : "", number[0], number[1], number[2], number[3]);
    t->count++;
    return status == RV_OK ? rvi_writer_put(t->json, line, (size_t)size) : status;
}

/* Bilinear, in the square of cells that holds the place. */
static double height_at(const rv_terrain *land, double x, double y) {
    int u = (int)x, v = (int)y;
    u = u < land->width - 2 ? u : land->width - 2;
    v = v < land->height - 2 ? v : land->height - 2;
    const float *z = land->surface + (size_t)v * (size_t)land->width + (size_t)u;
    double a = x - u, b = y - v;
    double north = (1 - a) * (double)z[0] + a * (double)z[1];
    double south = (1 - a) * (double)z[land->width] + a * (double)z[land->width + 1];
    return (1 - b) * north + b * south;
}

static rv_status try_square(trees *t, int column, int row) {
    const rv_terrain *land = t->land;
    uint64_t which = (uint64_t)row << 32 | (uint64_t)column;
    double cell = (double)land->cell;
    double east = (column + (double)rvi_unit(rvi_random(t->seed, which, 0))) * t->spacing;
    double south = (row + (double)rvi_unit(rvi_random(t->seed, which, 1))) * t->spacing;
    double x = east / cell, y = south / cell;
    if (x > land->width - 1 || y > land->height - 1)
        return RV_OK;
    size_t i = (size_t)(y + 0.5) * (size_t)land->width + (size_t)(x + 0.5);
    double z = height_at(land, x, y),
           up = (z - (double)t->low) / ((double)t->high - (double)t->low);
    double share = t->grass[i * t->stride] / 255.0;
    share *= up > 1.0 / 3.0 ? 1.5 * (1.0 - up) : 1.0;
    bool wet = t->water && t->water[i] > 0.05f;
    if (wet || (double)rvi_unit(rvi_random(t->seed, which, 2)) >= share * share)
        return RV_OK;
    const double place[3] = {east, south, z};
    return put_tree(t, place, 8.0 + 14.0 * (double)rvi_unit(rvi_random(t->seed, which, 3)) * share);
}

static rv_status put_all(trees *t) {
    int columns = 1 + (int)((t->land->width - 1) * (double)t->land->cell / t->spacing);
    int rows = 1 + (int)((t->land->height - 1) * (double)t->land->cell / t->spacing);
    rv_status status = rvi_writer_put(t->csv, "x,y,z,height\n", 13);
    if (status == RV_OK)
        status = rvi_writer_put(t->json, "[", 1);
    for (int row = 0; row < rows && status == RV_OK; row++) {
        for (int column = 0; column < columns && status == RV_OK; column++)
            status = try_square(t, column, row);
        if (status == RV_OK)
            status = rvi_poll(t->land->ctx);
    }
    return status == RV_OK ? rvi_writer_put(t->json, "\n]\n", 3) : status;
}

rv_status rvi_trees_write(const rv_terrain *land, const char *folder, double spacing, uint64_t seed,
                          const unsigned char *grass, size_t stride) {
    rv_context *ctx = land->ctx;
    trees t = {.land = land, .grass = grass, .stride = stride, .spacing = spacing, .seed = seed};
    char path[2][4096];
    snprintf(path[0], sizeof path[0], "%s/trees.csv", folder);
    snprintf(path[1], sizeof path[1], "%s/trees.json", folder);
    t.water = rvi_field_get(land, "water");
    rvi_range(ctx, land->surface, rvi_cells(land), &t.low, &t.high);
    t.high = t.high > t.low ? t.high : t.low + 1.0f;
    rv_status status = rvi_writer_open(ctx, path[0], &t.csv);
    if (status == RV_OK)
        status = rvi_writer_open(ctx, path[1], &t.json);
    if (status == RV_OK)
        status = put_all(&t);
    if (status == RV_OK) {
        status = rvi_writer_commit(t.csv);
        t.csv = NULL;
    }
    if (status == RV_OK) {
        status = rvi_writer_commit(t.json);
        t.json = NULL;
    }
    rvi_writer_abandon(t.csv);
    rvi_writer_abandon(t.json);
    return status;
}
