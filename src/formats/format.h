/* format.h: the file formats of heights and images. Decoders work on bytes in memory and check
 * every size a file declares before they allocate. */
#ifndef RVI_FORMATS_FORMAT_H
#define RVI_FORMATS_FORMAT_H

#include "base/file.h"
#include "formats/sidecar.h"
#include "terrain/state.h"

enum {
    RVI_HEADER_SIZE = 66 * 1024, /* bytes from the start of a file that hold every header */
};

/* What a file holds, north row first. */
typedef struct rvi_image {
    int width, height;
    float *values; /* from rvi_alloc: 0 to 1 where `levels`, else as in the file; NULL where only
                      the header was read */
    bool levels;   /* whole numbers from 0 to 2^bits - 1 that stand for a range */
    int bits;      /* 8 or 16 where `levels`, else those of a number of the file */
    bool marked;   /* some value of the file stands for no height; it becomes NaN */
    uint64_t size; /* bytes of the file; 0: it is not there yet */
    rvi_georeference geo; /* what the file itself says */
} rvi_image;

/* What is to be written. */
typedef struct rvi_raster {
    int width, height;
    const float *values;  /* all finite */
    int bits;             /* of a level: 8 or 16 */
    float low, high;      /* values of the lowest and the highest level; low <= high */
    rvi_curve curve;      /* of the levels between them */
    const float *hole;    /* above 0 where there is no height; NULL: all have one */
    float nodata;         /* what files that can say so have there */
    rvi_georeference geo; /* for files that can hold one; its steps are above 0 */
} rvi_raster;

/* A file in memory. */
typedef struct rvi_source {
    const char *name;          /* for sentences */
    const unsigned char *data; /* its bytes; where only the header is read, those at its start */
    size_t size;               /* of data */
    uint64_t total;            /* bytes of the whole file */
    int width,
        height; /* for files without a header, given by the user or the sidecar; 0: not given */
    bool holes; /* values may be NaN */
} rvi_source;

typedef struct rvi_format {
    const char *extension;
    const char *byte_order;
    bool levels; /* what is written are levels of a range */
    bool bare;   /* no header: the size comes from the user or the sidecar */
    int bits;    /* the fewest it can be written with */
    /* Fills in everything but the values, from the header. */
    rv_status (*read_header)(rv_context *ctx, const rvi_source *source, rvi_image *out);
    /* The same and the values; all bytes of the file must be there. */
    rv_status (*decode)(rv_context *ctx, const rvi_source *source, rvi_image *out);
    rv_status (*encode)(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster);
} rvi_format;

/* rvi_format_png is only there where RAVINE_PNG is defined. */
extern const rvi_format rvi_format_png, rvi_format_r16, rvi_format_r32, rvi_format_npy,
    rvi_format_tif, rvi_format_asc, rvi_format_exr;

/* Does it hold a georeference, and say which cells have no height? */
static inline bool rvi_format_is_map(const rvi_format *format) {
    return format == &rvi_format_tif || format == &rvi_format_asc;
}
/* FILE.prj instead of FILE.asc, from rvi_alloc; NULL: no memory, sentence set. */
char *rvi_prj_path(rv_context *ctx, const char *file);

/* By the extension of a path; NULL: none. */
const rvi_format *rvi_format_find(const char *path);
/* Fails with a sentence that lists the extensions there are; RV_ERROR_USAGE: to write, where meshes
 * are among them. */
rv_status rvi_format_unknown(rv_context *ctx, rv_status status, const char *path);

/* Reads a file and its sidecar, which belong together also where another process has just replaced
 * both. width: cells of a row of a file without a header, 0: from the
 * sidecar, else a square. header_only: values stay NULL. */
rv_status rvi_image_read(rv_context *ctx, const char *path, int width, bool header_only,
                         rvi_sidecar *sidecar, rvi_image *out);
/* The same, where values may be NaN. */
rv_status rvi_image_read_holes(rv_context *ctx, const char *path, int width, bool header_only,
                               rvi_sidecar *sidecar, rvi_image *out);
/* The header, and all that can be known of the file without decoding it: is it whole, and the one
 * that its sidecar was written for? */
rv_status rvi_image_look(rv_context *ctx, const char *path, int width, bool holes,
                         rvi_sidecar *sidecar, rvi_image *out);
/* The same for a file that is not there yet: what its header will say. `sidecar` and `written` are
 * what it will be written with. */
rv_status rvi_image_foresee(rv_context *ctx, const char *path, int width,
                            const rvi_sidecar *sidecar, const rvi_image *written, rvi_image *out);
/* Fails because the file is none of those that its sidecar was written for. */
rv_status rvi_sidecar_foreign(rv_context *ctx, const char *path, const rvi_sidecar *sidecar,
                              const rvi_format *format);
/* Bytes that the file of an image is held in while it is read, at most. */
size_t rvi_image_bytes(const rvi_image *image);
/* An image for a mask or rain. */
rv_status rvi_image_load(rv_context *ctx, const char *path, rvi_image *out);

/* Refuses a name of a picture that does not end in .png, and all in a build without PNG. */
rv_status rvi_png_check_name(rv_context *ctx, const char *path);
/* Fails where a PNG ends before its last chunk does. */
rv_status rvi_png_check_end(rv_context *ctx, const char *path);
/* Writes a picture of 8 bits a channel: 1 channel is grey, 3 are red, green, blue, 4 with alpha. */
rv_status rvi_png_write_picture(rv_context *ctx, const char *path, int width, int height,
                                int channels, const unsigned char *rgb);
/* What writing rows of so many bytes works with, on one thread: more take more where there is some.
 */
size_t rvi_png_bytes(size_t row);
/* The same of an .asc, for a row of so many cells. */
size_t rvi_asc_bytes(int width);

/* Three bytes a pixel: red, green, blue. What the file has more or less of is dropped or repeated.
 */
typedef struct rvi_picture {
    int width, height;
    unsigned char *rgb; /* from rvi_alloc */
} rvi_picture;
rv_status rvi_png_read_picture(rv_context *ctx, const char *path, rvi_picture *out);
/* Its header, for which there need not be room for values. */
rv_status rvi_png_look_picture(rv_context *ctx, const char *path, rvi_image *out);

/* ---- For the formats themselves ---- */

/* Refuses a size that no terrain can have. */
rv_status rvi_size_check(rv_context *ctx, const char *name, uint64_t width, uint64_t height);
/* The end of every read_header: refuses an image whose values would break the memory limit. */
rv_status rvi_image_found(rv_context *ctx, const char *name, rvi_image found, rvi_image *out);
/* Fails because the file does not start like `expected` ("a PNG picture"); says what it looks like.
 */
rv_status rvi_source_wrong(rv_context *ctx, const rvi_source *source, const char *expected);
/* Is the value not finite, and the source may not hold such values? */
bool rvi_value_wrong(const rvi_source *source, float value);
/* Fails because of such a value. */
rv_status rvi_value_bad(rv_context *ctx, const char *name, int row, int column, float value);
/* A number of a file: kind f, i or u (without a sign), of 1 to 8 bytes. */
float rvi_sample_value(char kind, unsigned bytes, bool big_endian, const unsigned char *at);
/* The values of an image of known size; NULL: no memory, sentence set. */
float *rvi_image_alloc(rv_context *ctx, const rvi_image *image);

static inline int rvi_level_top(int bits) {
    return (1 << bits) - 1;
}
/* The level nearest to a value; beyond the ends, the end. */
unsigned rvi_level_from_value(const rvi_raster *raster, float value);
/* Back again, from what a decoder gave (level / top). */
float rvi_level_to_value(float level, int bits, float low, float high, rvi_curve curve);

#endif
