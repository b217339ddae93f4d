/* tiff.h: what others than its format ask of TIFF. */
#ifndef RVI_FORMATS_TIFF_H
#define RVI_FORMATS_TIFF_H

#include "formats/format.h"

/* Why a TIFF is none that tiff.c reads ("another compression"), so that GDAL is asked; NULL: it
 * does, or it is damaged. */
const char *rvi_tiff_foreign(rv_context *ctx, const rvi_source *source);

/* Where the bytes of a file go. */
typedef rv_status (*rvi_put)(void *to, const void *data, size_t size);
/* What rvi_format_tif writes, to any place. */
/* Bytes before its rows, at most. */
size_t rvi_tiff_head_most(int height);
rv_status rvi_tiff_put(rv_context *ctx, const rvi_raster *raster, rvi_put put, void *to);

#endif
