/* npz.h: reads arrays of NumPy from a ZIP archive. */
#ifndef RVI_FORMATS_NPZ_H
#define RVI_FORMATS_NPZ_H

#include "formats/npy.h"
#include "formats/zip_file.h"

/* An array of the archive. */
typedef struct rvi_npz_array {
    const rvi_zip_entry *entry; /* NULL: there is none */
    rvi_npy npy;
    uint64_t count; /* of values */
} rvi_npz_array;

/* Fails because the array is not what was expected. */
rv_status rvi_npz_wrong(const rvi_zip *zip, const char *name, const char *expected);
/* Looks for NAME.npy and reads its header; how many values it has is as its size says. */
rv_status rvi_npz_find(rvi_zip *zip, const char *name, rvi_npz_array *out);
/* All bytes of an array, with its header, from rvi_alloc. */
rv_status rvi_npz_bytes(const rvi_zip *zip, const rvi_npz_array *a, unsigned char **out);
/* Up to `most` numbers of a small array; *count 0: it is not in the archive, or empty. */
rv_status rvi_npz_list(rvi_zip *zip, const char *name, uint64_t most, double *out, uint64_t *count);
/* Numbers of a small array; RV_OK and *there false: it is not in the archive. */
rv_status rvi_npz_numbers(rvi_zip *zip, const char *name, uint64_t count, double *out, bool *there);
/* A whole number of 64 bits; the same. */
rv_status rvi_npz_word(rvi_zip *zip, const char *name, uint64_t *out, bool *there);

#endif
