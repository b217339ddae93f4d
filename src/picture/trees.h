/* trees.h: trees where the cover says woods, as cones that rays can hit.
 *
 * One tree at most stands in each square of a grid, somewhere in it by chance, so that a ray looks
 * only at the squares it passes over. Places are in cells of the relief, heights in metres. */
#ifndef RVI_PICTURE_TREES_H
#define RVI_PICTURE_TREES_H

#include "picture/land_cover.h"
#include "picture/trees_cell.h"

/* `tall`: metres of a grown tree, which are not exaggerated. `plant`: false: there are
 * no trees yet. */
rv_status rvi_trees_make(const rvi_cover_rules *rules, float tall, float z, bool plant,
                         rvi_trees *out);
void rvi_trees_free(rvi_trees *trees); /* of a zeroed one: nothing */
/* Bytes for the trees of a map. */
size_t rvi_trees_memory(const rv_terrain *land, float tall);

#endif
