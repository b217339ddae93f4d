/* trees.h: trees where the cover says woods, as cones that rays can hit.
 *
 * One tree at most stands in each square of a grid, somewhere in it by chance, so that a ray looks
 * only at the squares it passes over. Places are in cells of the relief, heights in metres. */
#ifndef RVI_PICTURE_TREES_H
#define RVI_PICTURE_TREES_H

#include "picture/land_cover.h"

typedef struct rvi_conifer {
    float x, y, z; /* its foot */
    float tall;    /* 0: there is none */
    float shade;   /* -1 to 1: darker or lighter than others */
} rvi_conifer;

typedef struct rvi_trees {
    rv_context *ctx;
    int width, height; /* squares */
    double square;     /* cells along a side of one */
    float tallest;     /* metres, as seen: with exaggeration */
    float cell, z;     /* metres of a cell; how much heights are exaggerated */
    rvi_conifer *tree; /* NULL: no trees at all */
} rvi_trees;

/* `tall`: metres of a grown tree, which are not exaggerated. */
rv_status rvi_trees_make(const rvi_cover_rules *rules, float tall, float z, rvi_trees *out);
void rvi_trees_free(rvi_trees *trees); /* of a zeroed one: nothing */
/* Bytes for the trees of a map. */
size_t rvi_trees_memory(const rv_terrain *land, float tall);

typedef struct rvi_conifer_hit {
    double t; /* along the ray */
    const rvi_conifer *tree;
    float normal[3]; /* east, south, up */
    float up;        /* 0 at its foot, 1 at its top */
} rvi_conifer_hit;

/* The first tree that a ray meets between `from` and `to` along it. */
bool rvi_trees_trace(const rvi_trees *trees, const rvi_ray *ray, double from, double to,
                     rvi_conifer_hit *out);

#endif
