/* erosion_fn.c: the erosion factor that a program gives as a function of the place.
 *
 * H. T. Beyer, Implementation of a method for hydraulic erosion, 2015, section 5.2: "The function
 * computing the erosion factor takes the x, y and z coordinates of the grid point and returns a
 * factor between 0 and 1."
 */
#include "terrain/erosion_fn.h"

void rv_terrain_hardness(rv_terrain *land, rv_erosion_factor_fn fn, void *user) {
    land->erosion = (rvi_erosion_function){.fn = fn, .user = user};
}

float rvi_erosion_fn_call(const rv_terrain *land, size_t cell, float z) {
    const rvi_erosion_function *e = &land->erosion;
    size_t width = (size_t)land->width;
    double x = e->x + (double)land->cell * (double)(cell % width);
    double y = e->y + (double)land->cell * (double)(cell / width);
    float factor = e->fn(e->user, (float)x, (float)y, z);
    return factor > 0.0f ? factor < 1.0f ? factor : 1.0f : 0.0f; /* NaN: 0 */
}
