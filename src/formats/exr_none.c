/* exr_none.c: stands for exr.c where no library can be loaded, or none was known to the build. */
#include "formats/exr.h"

#include "base/context.h"

rv_status rvi_exr_check(rv_context *ctx, rv_status status, const char *path) {
    return rvi_fail(ctx, status, "%s: this build of Ravine neither reads nor writes EXR.", path);
}

bool rvi_exr_there(void) {
    return false;
}

size_t rvi_exr_bytes(int width, int height) {
    (void)width, (void)height;
    return 0;
}

static rv_status exr_read(rv_context *ctx, const rvi_source *source, rvi_image *out) {
    (void)out;
    return rvi_exr_check(ctx, RV_ERROR_INPUT, source->name);
}

rv_status rvi_exr_encode_rgb(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster) {
    (void)writer, (void)raster;
    return rvi_exr_check(ctx, RV_ERROR_USAGE, "save");
}

const rvi_format rvi_format_exr = {".exr", "little", false,    false,
                                   32,     exr_read, exr_read, rvi_exr_encode_rgb};
