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
/* Sets its levels, which become `level`, RVI_LEVELS of them; the floats of the pyramid. */
size_t rvi_relief_levels(rvi_relief *relief, rvi_level *level);

#endif
