/* relief.h: the land as a solid block that rays can hit: ground, water, walls where it is cut.
 *
 * Places are (x, y) in cells of the block's own grid, east and south of the north-west sample, and
 * z in metres as in the terrain. A small terrain gets a finer grid (rvi_resample, cubic), so that
 * its outline is not made of corners; `step` is how much of a terrain's cell one of the grid is.
 */
#ifndef RVI_PICTURE_RELIEF_H
#define RVI_PICTURE_RELIEF_H

#include "picture/relief_cell.h"
#include "terrain/state.h"

/* Water less deep than this, in metres, is only wet ground. */
float rvi_relief_shallow(const rv_terrain *land);

/* `depth`: metres from the lowest point down to the base. `fine`: a small terrain gets a finer
 * grid. */
rv_status rvi_relief_create(const rv_terrain *land, float depth, bool fine, rvi_relief *out);
void rvi_relief_destroy(rvi_relief *relief); /* of a zeroed one: nothing */
/* How many samples it has, and bytes it needs, both at most. */
size_t rvi_relief_cells(const rv_terrain *land, bool fine);
size_t rvi_relief_memory(const rv_terrain *land, bool fine);

/* What a device gets of it. */
rvi_relief_numbers rvi_relief_numbers_of(const rvi_relief *relief);
/* For a block that a device makes: its levels, and memory for the pyramid. */
rv_status rvi_relief_reserve(rvi_relief *relief, float **pyramid);
size_t rvi_relief_floats(const rvi_relief *relief); /* of the pyramid */
/* Is a finer grid made of the land, or one that goes on into holes? */
bool rvi_relief_own(const rv_terrain *land);

#endif
