/* geo_keys.h: what a georeference says of the unit of its map. */
#ifndef RVI_FORMATS_GEO_KEYS_H
#define RVI_FORMATS_GEO_KEYS_H

#include "terrain/georeference.h"

enum { RVI_GEO_KEY_RASTER = 1025 }; /* of GeoTIFF: do values belong to areas (1) or points (2)? */

/* Do the corners of the raster, as GeoTIFF counts them, lie on cells, not between them? */
bool rvi_geo_keys_are_points(const rvi_georeference *g);

/* Metres of one unit of the map; 0: they are degrees. Without a projection a unit is a metre,
 * unless all numbers look like degrees. */
double rvi_geo_unit(const rvi_georeference *g, int width, int height);

/* The number of its projection among those of EPSG; 0: none is known. */
int rvi_geo_epsg(const rvi_georeference *g);

/* Fails because rows do not run from west to east, from north to south. */
rv_status rvi_georeference_turned(rv_context *ctx, const char *name);
/* Fails because the cells are degrees; the sentence holds the command that makes metres of them. */
rv_status rvi_georeference_degrees(rv_context *ctx, const char *name, const rvi_georeference *g,
                                   int width, int height);

#endif
