/* format.c: which formats there are, and what they have in common. */
#include "formats/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/file_owner.h"
#include "base/math.h"
#include "base/text.h"
#include "formats/gdal.h"
#include "formats/tiff.h"
#include "terrain/state.h"

static const rvi_format *const formats[] = {
#ifdef RAVINE_PNG
    &rvi_format_png,
#endif
    &rvi_format_r16, &rvi_format_r32, &rvi_format_npy,
    &rvi_format_tif, &rvi_format_asc, &rvi_format_exr};
enum { FORMATS = sizeof formats / sizeof formats[0] };

const rvi_format *rvi_format_find(const char *path) {
    if (rvi_text_ends(path, ".tiff"))
        return &rvi_format_tif;
    for (int i = 0; i < FORMATS; i++)
        if (rvi_text_ends(path, formats[i]->extension))
            return formats[i];
    return NULL;
}

rv_status rvi_format_unknown(rv_context *ctx, rv_status status, const char *path) {
    char list[160];
    size_t used = 0;
    for (int i = 0; i < FORMATS; i++) {
        const char *between = i == 0 ? "" : i == FORMATS - 1 ? " or " : ", ";
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", between,
                                 formats[i]->extension);
    }
    return rvi_fail(ctx, status, "%s: the name must end in %s%s.", path, list,
                    status == RV_ERROR_USAGE
                        ? ", for meshes in .obj, .ply, .stl or .glb, for the whole land in .npz"
                        : "");
}

/* ---- Reading ---- */

/* What the sidecar says must agree with the file, unless the user overruled it. */
static rv_status check_sidecar(rv_context *ctx, const char *path, const rvi_sidecar *sidecar,
                               const rvi_image *image) {
    const rvi_scale *said = &sidecar->scale;
    if (said->width != 0 && said->width != image->width)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s is %d cells wide, but %s.ravine.json says %d; if the file was changed, "
                        "remove %s.ravine.json.",
                        path, image->width, path, said->width, path);
    if (said->height != 0 && said->height != image->height)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s is %d cells high, but %s.ravine.json says %d; if the file was changed, "
                        "remove %s.ravine.json.",
                        path, image->height, path, said->height, path);
    return RV_OK;
}

rv_status rvi_sidecar_foreign(rv_context *ctx, const char *path, const rvi_sidecar *sidecar,
                              const rvi_format *format) {
    const rvi_scale *said = &sidecar->scale;
    char words[128] = "";
    size_t used = 0;
    if (format->bare && said->width != 0)
        used += (size_t)snprintf(words + used, sizeof words - used, " width=%d", said->width);
    if (format->levels && !isnan(said->low) && !isnan(said->high))
        used += (size_t)snprintf(words + used, sizeof words - used, " low=%.9g high=%.9g",
                                 (double)said->low, (double)said->high);
    if (format->levels && said->curve != RVI_LINEAR)
        used += (size_t)snprintf(words + used, sizeof words - used, " curve=%s",
                                 rvi_curve_names[said->curve]);
    if (!isnan(said->cell))
        used +=
            (size_t)snprintf(words + used, sizeof words - used, " cell=%.9g", (double)said->cell);
    if (used == 0)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s is not the file that %s.ravine.json was written for; remove "
                        "%s.ravine.json and give %scell=.",
                        path, path, path, format->levels ? "low=, high= and " : "");
    return rvi_fail(
        ctx, RV_ERROR_INPUT,
        "%s is not the file that %s.ravine.json was written for; open it with%s if that "
        "still holds, else remove %s.ravine.json.",
        path, path, words, path);
}

static rv_status read_source(rv_context *ctx, const char *path, bool header_only, rvi_bytes *bytes,
                             rvi_source *source) {
    rv_status status;
    const rvi_format *format = rvi_format_find(path);
    /* The header of a TIFF may lie at its end, that of an EXR hold pictures. */
    if (header_only && format != &rvi_format_tif && format != &rvi_format_exr) {
        status = rvi_file_read_start(ctx, path, RVI_HEADER_SIZE, bytes, &source->total);
    } else {
        status = rvi_file_read(ctx, path, bytes);
        source->total = bytes->size;
    }
    source->data = bytes->data;
    source->size = bytes->size;
    return status;
}

char *rvi_prj_path(rv_context *ctx, const char *file) {
    size_t size = strlen(file);
    char *path = rvi_alloc(ctx, size + 1, 1, "the name of a .prj");
    if (path != NULL) {
        memcpy(path, file, size);
        memcpy(path + size - 4, ".prj", 4); /* instead of .asc */
    }
    return path;
}

/* The projection of an ASCII grid lies beside it; without one, nothing is said. */
static rv_status read_prj(rv_context *ctx, const char *file, rvi_georeference *out) {
    char *path = rvi_prj_path(ctx, file);
    rv_status status = path != NULL ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK && rvi_file_exists(path)) {
        rvi_bytes bytes = {0};
        uint64_t total = 0;
        status = rvi_file_read_start(ctx, path, RVI_GEO_TEXT, &bytes, &total);
        if (status == RV_OK && total < RVI_GEO_TEXT && memchr(bytes.data, 0, bytes.size) == NULL)
            memcpy(out->prj, bytes.data, bytes.size);
        else if (status == RV_OK)
            rvi_log(ctx, "%s: is too long, or is no text, and is not used.", path);
        rvi_free(ctx, bytes.data);
    }
    rvi_free(ctx, path);
    return status;
}

/* What is known of a file before it is decoded. */
static rvi_known know_source(rv_context *ctx, const rvi_format *format, const rvi_source *source,
                             bool header_only) {
    if (!header_only)
        return (rvi_known){.hashed = true,
                           .data_hash = rvi_bytes_hash(ctx, source->data, source->size)};
    uint64_t bytes = (uint64_t)format->bits / 8;
    return (rvi_known){.cells = source->total % bytes == 0 ? source->total / bytes : 0};
}

/* Does nothing but a sidecar for another file say how wide the file is? */
static bool hides_size(const rvi_format *format, const rvi_sidecar *sidecar, int width,
                       uint64_t bytes) {
    const rvi_scale *said = &sidecar->scale;
    uint64_t cells = (uint64_t)said->width * (uint64_t)said->height;
    return sidecar->foreign && format->bare && width == 0 &&
           cells * (uint64_t)format->bits / 8 == bytes;
}

/* What is read from bytes and sidecar, when both are there. */
static rv_status read_image(rv_context *ctx, const rvi_format *format, rvi_source *source,
                            int width, bool header_only, rvi_sidecar *sidecar, rvi_image *out) {
    if (format->bare && sidecar->big_endian)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s.ravine.json says byte_order \"big\", but %s files are \"little\".",
                        source->name, format->extension);
    if (sidecar->scale.hashed && (format->bare || !header_only)) {
        rvi_known known = know_source(ctx, format, source, header_only);
        if (rvi_poll(ctx) != RV_OK)
            return RV_CANCELLED;
        rvi_sidecar_choose(sidecar, &known);
    }
    const rvi_scale *said = &sidecar->scale;
    if (hides_size(format, sidecar, width, source->total))
        return rvi_sidecar_foreign(ctx, source->name, sidecar, format);
    bool overruled = width != 0 && width != said->width;
    source->width = overruled ? width : said->width;
    source->height = overruled ? 0 : said->height;
    rv_status status = (header_only ? format->read_header : format->decode)(ctx, source, out);
    if (status == RV_OK && width != 0 && width != out->width)
        status = rvi_fail(ctx, RV_ERROR_USAGE, "%s is %d cells wide, not %d.", source->name,
                          out->width, width);
    if (status == RV_OK && !format->bare && header_only)
        rvi_sidecar_choose(sidecar,
                           &(rvi_known){.cells = (uint64_t)out->width * (uint64_t)out->height,
                                        .width = out->width});
    if (status == RV_OK && !overruled)
        status = check_sidecar(ctx, source->name, sidecar, out);
    return status;
}

/* Why GDAL must read a file; NULL: it need not. */
static const char *needs_gdal(rv_context *ctx, const rvi_format *format, const rvi_source *source) {
    if (format == NULL)
        return "a format of its own";
    return format == &rvi_format_tif ? rvi_tiff_foreign(ctx, source) : NULL;
}

/* What GDAL reads comes as a TIFF; its header is that of a corner of the map. */
static rv_status read_by_gdal(rv_context *ctx, const char *why, rvi_source *source, int width,
                              bool header_only, rvi_sidecar *sidecar, rvi_image *out) {
    rvi_gdal_file file;
    rv_status status = rvi_gdal_open(ctx, source->name, why, header_only, &file);
    if (status != RV_OK)
        return status;
    rvi_source tiff = {.name = source->name,
                       .data = file.data,
                       .size = file.size,
                       .total = file.size,
                       .holes = source->holes};
    if (header_only) {
        status = rvi_format_tif.read_header(ctx, &tiff, out);
        out->width = file.width;
        out->height = file.height;
        if (status == RV_OK)
            status = rvi_image_found(ctx, source->name, *out, out);
        source->total = (uint64_t)file.width * (uint64_t)file.height * 4;
    } else {
        status = read_image(ctx, &rvi_format_tif, &tiff, width, false, sidecar, out);
        source->total = tiff.total;
    }
    rvi_gdal_close(&file);
    return status;
}

static rv_status read_all(rv_context *ctx, const char *path, int width, bool header_only,
                          bool holes, rvi_sidecar *sidecar, rvi_image *out) {
    *out = (rvi_image){0};
    const rvi_format *format = rvi_format_find(path);
    if (format == NULL && !rvi_gdal_reads(path))
        return rvi_format_unknown(ctx, RV_ERROR_INPUT, path);
    rvi_bytes bytes = {0};
    rvi_source source = {.name = path, .holes = holes};
    rv_status status = read_source(ctx, path, header_only, &bytes, &source);
    if (status == RV_OK)
        status = rvi_sidecar_read(ctx, path, sidecar);
    const char *why = status == RV_OK ? needs_gdal(ctx, format, &source) : NULL;
    if (status == RV_OK && why != NULL)
        status = read_by_gdal(ctx, why, &source, width, header_only, sidecar, out);
    else if (status == RV_OK)
        status = read_image(ctx, format, &source, width, header_only, sidecar, out);
    if (status == RV_OK && format == &rvi_format_asc)
        status = read_prj(ctx, path, &out->geo);
    out->size = source.total;
    rvi_free(ctx, bytes.data);
    if (status != RV_OK) {
        rvi_free(ctx, out->values);
        *out = (rvi_image){0};
    }
    return status;
}

/* What can be known of a file whose header was read. */
static rv_status check_file(rv_context *ctx, const char *path, int width, rvi_sidecar *sidecar,
                            const rvi_image *image) {
    const rvi_format *format = rvi_format_find(path);
    rv_status status = RV_OK;
#ifdef RAVINE_PNG
    if (format == &rvi_format_png)
        status = rvi_png_check_end(ctx, path);
#endif
    if (status != RV_OK || !sidecar->scale.hashed)
        return status;
    rvi_known known = {.hashed = true};
    status = rvi_file_hash(ctx, path, &known.data_hash);
    if (status != RV_OK)
        return status;
    rvi_sidecar_choose(sidecar, &known);
    return hides_size(format, sidecar, width, image->size)
               ? rvi_sidecar_foreign(ctx, path, sidecar, format)
               : RV_OK;
}

typedef struct reading {
    int width;
    bool header_only, check, holes;
    bool unscaled; /* the sidecar need not be that of the file */
} reading;

/* A save of another process replaces the sidecar and then the file: who reads one of them before it
 * and the other one after it has two that do not belong together, and reads both again. */
static rv_status read_pair(rv_context *ctx, const char *path, reading how, rvi_sidecar *sidecar,
                           rvi_image *out) {
    enum { TRIES = 3 };
    for (int i = 1;; i++) {
        *sidecar = (rvi_sidecar){0};
        rv_status status = read_all(ctx, path, how.width, how.header_only, how.holes, sidecar, out);
        if (status == RV_OK && how.check)
            status = check_file(ctx, path, how.width, sidecar, out);
        bool apart =
            status == RV_ERROR_INPUT ? sidecar->present : sidecar->foreign && !how.unscaled;
        if (!apart || i == TRIES)
            return status;
        rvi_free(ctx, out->values);
        out->values = NULL;
        rvi_lock_pause();
    }
}

rv_status rvi_image_read(rv_context *ctx, const char *path, int width, bool header_only,
                         rvi_sidecar *sidecar, rvi_image *out) {
    return read_pair(ctx, path, (reading){.width = width, .header_only = header_only}, sidecar,
                     out);
}

rv_status rvi_image_read_holes(rv_context *ctx, const char *path, int width, bool header_only,
                               rvi_sidecar *sidecar, rvi_image *out) {
    return read_pair(ctx, path,
                     (reading){.width = width, .header_only = header_only, .holes = true}, sidecar,
                     out);
}

rv_status rvi_image_look(rv_context *ctx, const char *path, int width, bool holes,
                         rvi_sidecar *sidecar, rvi_image *out) {
    return read_pair(ctx, path,
                     (reading){.width = width, .header_only = true, .check = true, .holes = holes},
                     sidecar, out);
}

rv_status rvi_image_foresee(rv_context *ctx, const char *path, int width,
                            const rvi_sidecar *sidecar, const rvi_image *written, rvi_image *out) {
    *out = (rvi_image){0};
    const rvi_format *format = rvi_format_find(path);
    if (format == NULL)
        return rvi_format_unknown(ctx, RV_ERROR_INPUT, path);
    rvi_sidecar said = *sidecar;
    uint64_t cells = (uint64_t)written->width * (uint64_t)written->height;
    rvi_source source = {.name = path, .total = cells * (uint64_t)written->bits / 8};
    if (format->bare)
        return read_image(ctx, format, &source, width, true, &said, out);
    if (width != 0 && width != written->width)
        return rvi_fail(ctx, RV_ERROR_USAGE, "%s is %d cells wide, not %d.", path, written->width,
                        width);
    rv_status status =
        rvi_size_check(ctx, path, (uint64_t)written->width, (uint64_t)written->height);
    if (status == RV_OK)
        status = check_sidecar(ctx, path, sidecar, written);
    return status == RV_OK ? rvi_image_found(ctx, path, *written, out) : status;
}

rv_status rvi_png_check_name(rv_context *ctx, const char *path) {
    if (!rvi_text_ends(path, ".png"))
        return rvi_fail(ctx, RV_ERROR_USAGE,
                        "%s: a picture is a PNG, so its name must end in .png.", path);
#ifndef RAVINE_PNG
    return rvi_fail(ctx, RV_ERROR_USAGE, "%s: this build of Ravine has no PNG support.", path);
#else
    return RV_OK;
#endif
}

rv_status rvi_image_load(rv_context *ctx, const char *path, rvi_image *out) {
    rvi_sidecar sidecar;
    return read_pair(ctx, path, (reading){.unscaled = true}, &sidecar, out);
}

/* ---- For the formats themselves ---- */

rv_status rvi_size_check(rv_context *ctx, const char *name, uint64_t width, uint64_t height) {
    if (width < 1 || height < 1 || width > RVI_SIDE_MOST || height > RVI_SIDE_MOST)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s has %llu x %llu cells; each side must have 1 to %d.", name,
                        (unsigned long long)width, (unsigned long long)height, RVI_SIDE_MOST);
    if (width * height < 2)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s has a single cell; a terrain needs at least two.",
                        name);
    return rvi_cells_check(ctx, width, height);
}

rv_status rvi_image_found(rv_context *ctx, const char *name, rvi_image found, rvi_image *out) {
    char what[256];
    snprintf(what, sizeof what, "the %d x %d cells of %s", found.width, found.height, name);
    *out = found;
    return rvi_memory_check(ctx, (size_t)found.width * (size_t)found.height * sizeof(float), what);
}

static const char *looks_like(const unsigned char *data, size_t size) {
    static const struct {
        const char *start;
        size_t size;
        const char *what;
    } kinds[] = {
        {"\x89PNG\r\n\x1a\n", 8, "a PNG picture"},
        {"\xff\xd8\xff", 3, "a JPEG picture"},
        {"II*\0", 4, "a TIFF picture"},
        {"MM\0*", 4, "a TIFF picture"},
        {"II+\0", 4, "a BigTIFF picture"},
        {"GIF8", 4, "a GIF picture"},
        {"RIFF", 4, "a WebP picture"},
        {"BM", 2, "a BMP picture"},
        {"v/1\x01", 4, "an OpenEXR picture"},
        {"\x93NUMPY", 6, "a NumPy array"},
        {"PK\x03\x04", 4, "a ZIP archive"},
        {"\x1f\x8b", 2, "a gzip archive"},
        {"\x89HDF\r\n\x1a\n", 8, "an HDF5 file"},
        {"%PDF", 4, "a PDF file"},
        {"version https://git-lfs", 23, "a pointer of Git LFS, not the file itself"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (size >= kinds[i].size && memcmp(data, kinds[i].start, kinds[i].size) == 0)
            return kinds[i].what;
    return NULL;
}

rv_status rvi_source_wrong(rv_context *ctx, const rvi_source *source, const char *expected) {
    if (source->total == 0)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s is empty.", source->name);
    const char *other = looks_like(source->data, source->size);
    if (other != NULL)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s is not %s; it looks like %s.", source->name,
                        expected, other);
    return rvi_fail(ctx, RV_ERROR_INPUT, "%s is not %s.", source->name, expected);
}

bool rvi_value_wrong(const rvi_source *source, float value) {
    return !isfinite(value) && !(source->holes && isnan(value));
}

rv_status rvi_value_bad(rv_context *ctx, const char *name, int row, int column, float value) {
    return rvi_fail(ctx, RV_ERROR_INPUT,
                    "%s: the value at row %d, column %d (counted from 0) is %s.", name, row, column,
                    isnan(value) ? "not a number" : "infinite");
}

float rvi_sample_value(char kind, unsigned bytes, bool big_endian, const unsigned char *at) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < bytes; i++)
        bits |= (uint64_t)at[big_endian ? bytes - 1 - i : i] << (8 * i);
    if (kind == 'u')
        return (float)bits;
    if (kind == 'i') {
        uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
        /* Two's complement without a cast that the language leaves open. */
        return bits & sign ? -(float)(((~bits) & (sign - 1)) + 1) : (float)bits;
    }
    if (bytes == 4) {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return (float)value;
}

float *rvi_image_alloc(rv_context *ctx, const rvi_image *image) {
    return rvi_alloc(ctx, (size_t)image->width * (size_t)image->height, sizeof(float),
                     "the values of a file");
}

/* What steps write is at most a picture of four channels of 8 bits, whose rows have a byte more and
 * which zlib makes a little larger at worst. A PNG is unpacked in a few rows of up to 8 bytes a
 * pixel. */
size_t rvi_image_bytes(const rvi_image *image) {
    size_t width = (size_t)image->width + 1;
    size_t rows = image->levels ? rvi_alloc_size(width, 4 * 8) : 0;
    if (image->size > 0 && image->size < SIZE_MAX)
        return rvi_add_sizes(rows, rvi_alloc_size((size_t)image->size, 1));
    return rvi_add_sizes(rows, rvi_alloc_size(width + width / 1000, 4 * (size_t)image->height));
}

static const double LOG_DEEP = 65535.0, LOG_SPAN = 11.090354888959125; /* log(1 + 65535) */

/* 0 ... 1 to 0 ... 1, and back. */
static double bend(rvi_curve curve, double t) {
    if (curve == RVI_SQRT)
        return sqrt(t);
    return curve == RVI_LOG ? (double)rvi_logf((float)(1.0 + LOG_DEEP * t)) / LOG_SPAN : t;
}

static double unbend(rvi_curve curve, double t) {
    if (curve == RVI_SQRT)
        return t * t;
    return curve == RVI_LOG ? (rvi_exp_double(t * LOG_SPAN) - 1.0) / LOG_DEEP : t;
}

/* In double, so that a level and its value belong together wherever a float can tell levels apart.
 */
unsigned rvi_level_from_value(const rvi_raster *raster, float value) {
    double range = (double)raster->high - (double)raster->low;
    double top = rvi_level_top(raster->bits);
    if (!(range > 0.0))
        return 0;
    double t = ((double)value - (double)raster->low) / range;
    if (t <= 0.0)
        return 0;
    double level = (raster->curve == RVI_LINEAR || t >= 1.0 ? t : bend(raster->curve, t)) * top;
    return (unsigned)(level < top ? level + 0.5 : top);
}

float rvi_level_to_value(float level, int bits, float low, float high, rvi_curve curve) {
    double top = rvi_level_top(bits);
    int whole = (int)((double)level * top + 0.5); /* level is a rounded quotient: get rid of that */
    double t = whole == (int)top ? 1.0 : unbend(curve, whole / top);
    return (float)((double)low + t * ((double)high - (double)low));
}
