/* volume_file.c: hardness in three dimensions as a NumPy array. */
#include "formats/volume_file.h"
#include "base/context.h"
#include "base/text.h"
#include "formats/npy.h"
#include "terrain/hardness_volume.h"

#include <string.h>

bool rvi_volume_file_is(rv_context *ctx, const char *path) {
    unsigned char start[1024];
    ptrdiff_t size = rvi_text_ends(path, ".npy") ? rvi_file_head(path, start, sizeof start) : -1;
    if (size < 0)
        return false;
    rvi_npy h;
    rvi_source source = {.name = path, .data = start, .size = (size_t)size, .total = (size_t)size};
    return rvi_npy_parse(ctx, &source, &h) == RV_OK && h.dimensions != 2;
}

static rv_status read_header(rv_context *ctx, const rvi_source *source, rvi_npy *h,
                             rvi_hardness_volume *out) {
    rv_status status = rvi_npy_parse(ctx, source, h);
    if (status != RV_OK)
        return status;
    if (h->dimensions != 3)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s has %d dimension%s; hardness is a volume of three (z, y, x), or an "
                        "image of two.",
                        source->name, h->dimensions, h->dimensions == 1 ? "" : "s");
    if (h->kind == 'S')
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s holds texts, not the numbers of a hardness volume.", source->name);
    const uint64_t *shape = h->shape;
    if (shape[0] == 0 || shape[1] == 0 || shape[2] == 0)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s is empty.", source->name);
    if (rvi_volume_too_large(shape[0], shape[1], shape[2]))
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s has %llu x %llu x %llu samples; that is too many.",
                        source->name, (unsigned long long)shape[0], (unsigned long long)shape[1],
                        (unsigned long long)shape[2]);
    uint64_t expected = h->start + shape[0] * shape[1] * shape[2] * h->bytes;
    if (source->total != expected)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s has %llu bytes, expected %llu: its header says %llu x %llu x %llu "
                        "samples of %u bytes.",
                        source->name, (unsigned long long)source->total,
                        (unsigned long long)expected, (unsigned long long)shape[0],
                        (unsigned long long)shape[1], (unsigned long long)shape[2], h->bytes);
    out->slices = (int32_t)shape[0];
    out->rows = (int32_t)shape[1];
    out->columns = (int32_t)shape[2];
    return RV_OK;
}

rv_status rvi_volume_file_look(rv_context *ctx, const char *path, rvi_hardness_volume *out,
                               size_t *memory) {
    rvi_bytes bytes = {0};
    rvi_npy h;
    rvi_source source = {.name = path};
    rv_status status = rvi_file_read_start(ctx, path, RVI_HEADER_SIZE, &bytes, &source.total);
    source.data = bytes.data;
    source.size = bytes.size;
    if (status == RV_OK)
        status = read_header(ctx, &source, &h, out);
    *memory = source.total < SIZE_MAX ? rvi_alloc_size((size_t)source.total + 1, 1) : SIZE_MAX;
    rvi_free(ctx, bytes.data);
    return status;
}

static rv_status decode(rv_context *ctx, const rvi_source *source, const rvi_npy *h,
                        const rvi_hardness_volume *v) {
    size_t slices = (size_t)v->slices, rows = (size_t)v->rows, columns = (size_t)v->columns;
    const unsigned char *values = source->data + h->start;
    for (size_t k = 0; k < slices; k++)
        for (size_t j = 0; j < rows; j++) {
            for (size_t i = 0; i < columns; i++) {
                size_t to = (k * rows + j) * columns + i;
                size_t from = h->fortran ? (i * rows + j) * slices + k : to;
                float value = rvi_npy_float(h, values + from * h->bytes);
                if (!(value >= 0.0f && value <= 1.0f))
                    return rvi_fail(ctx, RV_ERROR_INPUT,
                                    "%s holds %g at (%zu, %zu, %zu), but hardness is from 0 to 1.",
                                    source->name, (double)value, k, j, i);
                v->values[to] = value;
            }
            if (rvi_poll(ctx) != RV_OK)
                return RV_CANCELLED;
        }
    return RV_OK;
}

rv_status rvi_volume_file_read(rv_context *ctx, const char *path, rvi_hardness_volume *out) {
    rvi_bytes bytes = {0};
    rvi_npy h;
    rv_status status = rvi_file_read(ctx, path, &bytes);
    rvi_source source = {.name = path, .data = bytes.data, .size = bytes.size, .total = bytes.size};
    if (status == RV_OK)
        status = read_header(ctx, &source, &h, out);
    if (status == RV_OK) {
        out->values = rvi_alloc(ctx, rvi_volume_samples(out), sizeof(float), "the hardness");
        status = out->values ? decode(ctx, &source, &h, out) : RV_ERROR_MEMORY;
    }
    rvi_free(ctx, bytes.data);
    if (status != RV_OK) {
        rvi_free(ctx, out->values);
        out->values = NULL;
    }
    return status;
}
