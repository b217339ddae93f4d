/* hole_edges.h: the ground at the edge of holes. */
#ifndef RVI_PICTURE_HOLE_EDGES_H
#define RVI_PICTURE_HOLE_EDGES_H

#include "picture/hole_cell.h"
#include "terrain/state.h"

/* Copies the heights of the land to `z`, where the ground goes on for a few cells into the holes: a
 * curve or a slope that is drawn at the edge knows nothing of what fills the hole. */
rv_status rvi_hole_edge_extend(const rv_terrain *land, const float *hole, float *z);

#endif
