/* sidecar.h: the scale of a heightmap, in FILE.ravine.json beside FILE. */
#ifndef RVI_FORMATS_SIDECAR_H
#define RVI_FORMATS_SIDECAR_H

#include <ravine/ravine.h>

enum { RVI_SIDECAR_SIZE = 4096 }; /* bytes that hold every sidecar we write */

typedef struct rvi_sidecar {
    bool present;
    int width, height; /* 0: not said */
    float low, high;   /* metres of the lowest and the highest level or value; NaN: not said */
    float cell;        /* metres between neighbours; NaN: not said */
    bool big_endian;
} rvi_sidecar;

/* FILE.ravine.json, from rvi_alloc; NULL: no memory, sentence set. */
char *rvi_sidecar_path(rv_context *ctx, const char *file);

/* The sidecar of `file`; without one, RV_OK and nothing said. */
rv_status rvi_sidecar_read(rv_context *ctx, const char *file, rvi_sidecar *out);

/* Reads JSON. Keys that are not known are skipped; `name` stands in sentences. */
rv_status rvi_sidecar_parse(rv_context *ctx, const char *name, const char *text, size_t size,
                            rvi_sidecar *out);

/* Writes JSON to out[RVI_SIDECAR_SIZE]; returns its length. */
size_t rvi_sidecar_print(const rvi_sidecar *sidecar, const char *format, const char *field,
                         uint64_t hash, char *out);

#endif
