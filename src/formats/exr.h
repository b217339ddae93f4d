/* exr.h: what EXR needs of the machine, beside the format itself (format.h): OpenEXR's C core. It
 * is loaded when a file needs it; exr_none.c stands for it where a build knows none. */
#ifndef RVI_FORMATS_EXR_H
#define RVI_FORMATS_EXR_H

#include "formats/format.h"

/* Is it there? If not, fails with a sentence about the file. */
rv_status rvi_exr_check(rv_context *ctx, rv_status status, const char *path);
bool rvi_exr_there(void);

/* Bytes that a file of this size takes from the memory limit while it is written. */
size_t rvi_exr_bytes(int width, int height);

/* As the format does, but as channels R, G and B that are the same: three times as many bytes. */
rv_status rvi_exr_encode_rgb(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster);

#endif
