/* sidecar.h: the scale of a heightmap, in FILE.ravine.json beside FILE. */
#ifndef RVI_FORMATS_SIDECAR_H
#define RVI_FORMATS_SIDECAR_H

#include "terrain/georeference.h"

#include <ravine/ravine.h>

enum { RVI_SIDECAR_SIZE = 131072 }; /* bytes that hold every sidecar we write */

/* How a value becomes a level, with t = (value - low) / (high - low): level = top t, top sqrt(t),
 * or top log(1 + 65535 t) / log(65536). */
typedef enum rvi_curve { RVI_LINEAR, RVI_SQRT, RVI_LOG, RVI_CURVES } rvi_curve;
extern const char *const rvi_curve_names[RVI_CURVES];

/* What a sidecar says of one file. */
typedef struct rvi_scale {
    int width, height;  /* 0: not said */
    float low, high;    /* metres of the lowest and the highest level or value; NaN: not said */
    float cell;         /* metres between neighbours; NaN: not said */
    bool hashed;        /* is it said which file? */
    uint64_t data_hash; /* of the bytes of that file: rvi_bytes_hash */
    rvi_curve curve;    /* of its levels */
    rvi_georeference geo;
} rvi_scale;

/* A sidecar is replaced before its file, and also holds the scales of the files before: whoever is
 * killed in between leaves the old file with its scale. */
enum { RVI_SCALES = 4 };

typedef struct rvi_sidecar {
    bool present;
    bool own; /* Ravine wrote it */
    bool big_endian;
    rvi_scale scale;                    /* of the file, once it is read */
    rvi_scale previous[RVI_SCALES - 1]; /* of the files before, newest first; all are hashed */
    int previous_count;
    bool foreign; /* the file is none of those that it was written for */
} rvi_sidecar;

/* FILE.ravine.json, from rvi_alloc; NULL: no memory, sentence set. */
char *rvi_sidecar_path(rv_context *ctx, const char *file);

/* The sidecar of `file`; without one, RV_OK and nothing said. */
rv_status rvi_sidecar_read(rv_context *ctx, const char *file, rvi_sidecar *out);

/* May a sidecar be written beside `file`? RV_ERROR_OUTPUT: what has its name was not written by
 * Ravine. */
rv_status rvi_sidecar_check_target(rv_context *ctx, const char *file);

/* What is known of a file: the hash of its bytes, or before they are read, its size. */
typedef struct rvi_known {
    bool hashed;
    uint64_t data_hash, cells;
    int width; /* 0: not known */
} rvi_known;

/* Makes the scale of this file that of the sidecar. Where there is none, the hash tells that the
 * file is foreign; another size is left to those who compare it. */
void rvi_sidecar_choose(rvi_sidecar *sidecar, const rvi_known *file);

/* Puts the scale of a new file before those that there were. */
void rvi_sidecar_renew(rvi_sidecar *sidecar, const rvi_scale *scale);

/* Reads JSON. Keys that are not known are skipped; `name` stands in sentences. */
rv_status rvi_sidecar_parse(rv_context *ctx, const char *name, const char *text, size_t size,
                            rvi_sidecar *out);

/* The field of a file: its name, its unit and what it means; "" where nobody knows. */
typedef struct rvi_sidecar_field {
    const char *name, *unit, *meaning;
} rvi_sidecar_field;

/* Writes JSON to out[RVI_SIDECAR_SIZE]; returns its length. */
size_t rvi_sidecar_print(const rvi_sidecar *sidecar, const char *format,
                         const rvi_sidecar_field *field, uint64_t hash, char *out);

#endif
