/* land_file.h: a whole land as one file, .npz: layers with their properties, fields, size of a
 * cell, bands, hardness, place on a map, ledger and hash, each an array of NumPy in a ZIP archive.
 */
#ifndef RVI_FORMATS_LAND_FILE_H
#define RVI_FORMATS_LAND_FILE_H

#include "formats/zip_file.h"
#include "terrain/state.h"

bool rvi_land_file_is(const char *path); /* by its extension */

/* Can a land file hold it? An outline is enough. */
rv_status rvi_land_file_check(const rv_terrain *land, const char *path);
rv_status rvi_land_file_write(const rv_terrain *land, const char *path);
/* What the file says of the land, but for its grids, as an outline: see rvi_outline_make. *memory:
 * bytes that rvi_land_file_read will hold beside the land. */
rv_status rvi_land_file_look(rv_context *ctx, const char *path, rv_terrain *out, size_t *memory);
size_t
rvi_land_file_memory(const rv_terrain *outline); /* the same for one that is not written yet */
rv_status rvi_land_file_read(rv_context *ctx, const char *path, rv_terrain **out);
/* The same from an archive that is open. */
rv_status rvi_land_file_decode(rvi_zip *zip, rv_terrain **out);

#endif
