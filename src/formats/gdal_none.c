/* gdal_none.c: stands for gdal.c where no library can be loaded. */
#include "formats/gdal.h"

#include "base/context.h"
#include "base/text.h"

bool rvi_gdal_version(char out[16]) {
    out[0] = '\0';
    return false;
}

bool rvi_gdal_reads(const char *path) {
    (void)path;
    return false;
}

rv_status rvi_gdal_open(rv_context *ctx, const char *path, const char *why, bool header_only,
                        rvi_gdal_file *out) {
    (void)header_only, (void)out;
    return rvi_fail(ctx, RV_ERROR_INPUT, "%s has %s, which this build of Ravine does not read.",
                    path, why);
}

void rvi_gdal_close(rvi_gdal_file *file) {
    (void)file;
}

rv_status rvi_gdal_encode(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster) {
    (void)writer, (void)raster;
    return rvi_fail(ctx, RV_ERROR_USAGE, "This build of Ravine cannot load GDAL.");
}

size_t rvi_gdal_bytes(int width, int height) {
    (void)width, (void)height;
    return 0;
}
