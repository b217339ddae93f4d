/* Any bytes as a TIFF: heights or a sentence, and no more memory than allowed. What was read and is
 * written again reads as the same. */
#include "fuzz.h"

#include "base/context.h"
#include "formats/format.h"
#include "formats/tiff.h"

#include <math.h>
#include <string.h>

typedef struct memory_file {
    unsigned char *data;
    size_t size;
} memory_file;

static rv_status put(void *to, const void *data, size_t size) {
    memory_file *file = to;
    file->data = realloc(file->data, file->size + size);
    demand(file->data != NULL);
    memcpy(file->data + file->size, data, size);
    file->size += size;
    return RV_OK;
}

/* Heights that are missing become a value, as save has it. */
static void write_again(rv_context *ctx, const rvi_image *image) {
    size_t cells = (size_t)image->width * (size_t)image->height;
    float *hole = calloc(cells, sizeof *hole), *values = calloc(cells, sizeof *values);
    demand(hole != NULL && values != NULL);
    for (size_t i = 0; i < cells; i++) {
        hole[i] = isnan(image->values[i]) ? 1.0f : 0.0f;
        values[i] = isnan(image->values[i]) ? 0.0f : image->values[i];
    }
    rvi_raster raster = {.width = image->width,
                         .height = image->height,
                         .values = values,
                         .hole = hole,
                         .nodata = -1e38f,
                         .geo = image->geo};
    memory_file file = {0};
    demand(rvi_tiff_put(ctx, &raster, put, &file) == RV_OK);
    rvi_source source = {
        .name = "again.tif", .data = file.data, .size = file.size, .total = file.size};
    rvi_image again = {0};
    demand(rvi_format_tif.decode(ctx, &source, &again) == RV_OK);
    demand(again.width == image->width && again.height == image->height &&
           (image->geo.key_count == 0 || again.geo.key_count == image->geo.key_count) &&
           strcmp(again.geo.text, image->geo.text) == 0);
    for (size_t i = 0; i < cells; i++)
        demand(again.values[i] == values[i] || (hole[i] > 0.0f && isnan(again.values[i])));
    rvi_free(ctx, again.values);
    free(file.data);
    free(values);
    free(hole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rv_context *ctx = fuzz_context();
    rvi_source source = {.name = "fuzz.tif", .data = data, .size = size, .total = size};
    rvi_image image = {0}, header = {0};
    rvi_tiff_foreign(ctx, &source);
    rv_status looked = rvi_format_tif.read_header(ctx, &source, &header);
    if (rvi_format_tif.decode(ctx, &source, &image) == RV_OK) {
        demand(looked == RV_OK && header.width == image.width && header.height == image.height);
        if (!image.levels && rvi_georeference_known(&image.geo) &&
            (size_t)image.width * (size_t)image.height < 65536)
            write_again(ctx, &image);
        rvi_free(ctx, image.values);
    }
    return 0;
}
