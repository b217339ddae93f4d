/* tree_points.h: places for trees, where the pictures have woods. */
#ifndef RVI_STEPS_EXPORT_TREE_POINTS_H
#define RVI_STEPS_EXPORT_TREE_POINTS_H

#include "terrain/state.h"

/* Writes trees.csv and trees.json to the folder: at most one tree for each square of `spacing`
 * metres, at a random place in it. grass: 255 where there is nothing else, `stride` bytes apart. */
rv_status rvi_trees_write(const rv_terrain *land, const char *folder, double spacing, uint64_t seed,
                          const unsigned char *grass, size_t stride);

#endif
