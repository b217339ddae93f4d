/* npy.h: arrays of NumPy, for formats that hold some of them. */
#ifndef RVI_FORMATS_NPY_H
#define RVI_FORMATS_NPY_H

#include "formats/format.h"

enum {
    RVI_NPY_DIMENSIONS = 3, /* whose sizes are kept */
    RVI_NPY_HEADER = 128,   /* bytes of a header that is written */
};

typedef struct rvi_npy {
    char kind;      /* f, i, u or S, which is text */
    unsigned bytes; /* of one value */
    bool big_endian;
    bool fortran;
    int dimensions;
    uint64_t shape[RVI_NPY_DIMENSIONS]; /* of two: rows, columns */
    size_t start;                       /* of the values in the file */
} rvi_npy;

/* Reads the header; how long the values are is for the caller to check. */
rv_status rvi_npy_parse(rv_context *ctx, const rvi_source *source, rvi_npy *out);
/* Of the value at a place: its bits, what it is, and the float nearest to that. */
uint64_t rvi_npy_bits(const rvi_npy *h, const unsigned char *at);
double rvi_npy_value(const rvi_npy *h, const unsigned char *at);
float rvi_npy_float(const rvi_npy *h, const unsigned char *at);
/* The header of an array that is to be written: version 1.0, C order; type such as "<f4". */
void rvi_npy_print(const char *type, int dimensions, const uint64_t *shape,
                   char out[RVI_NPY_HEADER]);

#endif
