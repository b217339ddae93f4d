/* solid_tints.h: colours that show how far the vertices of a mesh have moved. */
#ifndef RVI_PICTURE_SOLID_TINTS_H
#define RVI_PICTURE_SOLID_TINTS_H

#include "picture/solid_view.h"

/* The tint of a place that has moved so many metres outwards since the beginning: eroded
 * rock (below 0) is red, deposits (above) are blue-green; at `full` metres the colour is full. */
void rvi_solid_tint_moved(float distance, float full, float out[4]);
/* The same of all vertices that began at `first`: along their normals now. */
rv_status rvi_solid_tints_moved(rv_context *ctx, const rvi_solid_mesh *mesh, const double *first,
                                float full, float (*out)[4]);

#endif
