/* npz.c: see npz.h. */
#include "formats/npz.h"

#include "base/context.h"

#include <stdio.h>

enum { PART = 1 << 16 }; /* bytes that are counted together */

rv_status rvi_npz_wrong(const rvi_zip *zip, const char *name, const char *expected) {
    return rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s: %s is not %s.", zip->name, name, expected);
}

rv_status rvi_npz_find(rvi_zip *zip, const char *name, rvi_npz_array *out) {
    char path[RVI_ZIP_NAME], label[512];
    unsigned char start[256];
    *out = (rvi_npz_array){0};
    snprintf(path, sizeof path, "%s.npy", name);
    rv_status status = rvi_zip_find(zip, path, &out->entry);
    if (status != RV_OK || !out->entry)
        return status;
    size_t size = out->entry->size < sizeof start ? (size_t)out->entry->size : sizeof start;
    status = rvi_zip_read(zip, out->entry, 0, start, size);
    snprintf(label, sizeof label, "%s: %s", zip->name, name);
    rvi_source source = {.name = label, .data = start, .size = size, .total = out->entry->size};
    if (status == RV_OK)
        status = rvi_npy_parse(zip->ctx, &source, &out->npy);
    if (status != RV_OK)
        return status;
    uint64_t room = (out->entry->size - out->npy.start) / out->npy.bytes;
    out->count = 1;
    if (out->npy.dimensions > RVI_NPY_DIMENSIONS)
        return rvi_npz_wrong(zip, name, "an array of at most three dimensions");
    for (int i = 0; i < out->npy.dimensions; i++) {
        if (out->npy.shape[i] > room)
            return rvi_zip_damaged(zip);
        out->count *= out->npy.shape[i]; /* both are below 2^64 / bytes, or refused here */
        if (out->count > room)
            return rvi_zip_damaged(zip);
    }
    bool fits = out->npy.start + out->count * out->npy.bytes == out->entry->size;
    return fits ? RV_OK : rvi_zip_damaged(zip);
}

rv_status rvi_npz_bytes(const rvi_zip *zip, const rvi_npz_array *a, unsigned char **out) {
    rv_context *ctx = zip->ctx;
    rvi_crc_table table;
    rv_status status = rvi_zip_bytes(zip, a->entry, out);
    size_t size = status == RV_OK ? (size_t)a->entry->size : 0;
    rvi_crc_begin(&table);
    uint32_t crc = 0;
    for (size_t at = 0; status == RV_OK && at < size; at += PART) {
        size_t left = size - at;
        crc = rvi_crc(&table, crc, *out + at, left < PART ? left : PART);
        status = rvi_poll(ctx);
    }
    if (status == RV_OK && crc != a->entry->crc)
        status = rvi_zip_damaged(zip);
    if (status != RV_OK) {
        rvi_free(ctx, *out);
        *out = NULL;
    }
    return status;
}

rv_status rvi_npz_list(rvi_zip *zip, const char *name, uint64_t most, double *out,
                       uint64_t *count) {
    rvi_npz_array a;
    unsigned char *bytes;
    char expected[64];
    rv_status status = rvi_npz_find(zip, name, &a);
    *count = status == RV_OK && a.entry ? a.count : 0;
    if (status != RV_OK || !a.entry)
        return status;
    snprintf(expected, sizeof expected, "an array of at most %llu numbers",
             (unsigned long long)most);
    if (a.count > most || a.npy.kind == 'S' || a.npy.fortran)
        return rvi_npz_wrong(zip, name, expected);
    status = rvi_npz_bytes(zip, &a, &bytes);
    for (uint64_t i = 0; status == RV_OK && i < *count; i++)
        out[i] = rvi_npy_value(&a.npy, bytes + a.npy.start + i * a.npy.bytes);
    if (status == RV_OK)
        rvi_free(zip->ctx, bytes);
    return status;
}

rv_status rvi_npz_numbers(rvi_zip *zip, const char *name, uint64_t count, double *out,
                          bool *there) {
    rvi_npz_array a;
    unsigned char *bytes;
    char expected[64];
    rv_status status = rvi_npz_find(zip, name, &a);
    *there = status == RV_OK && a.entry;
    if (!*there)
        return status;
    snprintf(expected, sizeof expected, count == 1 ? "one number" : "an array of %llu numbers",
             (unsigned long long)count);
    if (a.count != count || a.npy.kind == 'S' || a.npy.fortran)
        return rvi_npz_wrong(zip, name, expected);
    status = rvi_npz_bytes(zip, &a, &bytes);
    for (uint64_t i = 0; status == RV_OK && i < count; i++)
        out[i] = rvi_npy_value(&a.npy, bytes + a.npy.start + i * a.npy.bytes);
    if (status == RV_OK)
        rvi_free(zip->ctx, bytes);
    return status;
}

rv_status rvi_npz_word(rvi_zip *zip, const char *name, uint64_t *out, bool *there) {
    rvi_npz_array a;
    unsigned char *bytes;
    rv_status status = rvi_npz_find(zip, name, &a);
    *there = status == RV_OK && a.entry;
    if (!*there)
        return status;
    if (a.count != 1 || a.npy.kind != 'u' || a.npy.bytes != 8)
        return rvi_npz_wrong(zip, name, "one number of type uint64");
    status = rvi_npz_bytes(zip, &a, &bytes);
    if (status == RV_OK) {
        *out = rvi_npy_bits(&a.npy, bytes + a.npy.start);
        rvi_free(zip->ctx, bytes);
    }
    return status;
}
