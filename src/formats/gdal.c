/* gdal.c: GDAL as a converter. What it reads it hands over as a plain TIFF in its own memory
 * (/vsimem), with the projection as tags of GeoTIFF, and tiff.c does the rest; what it writes it
 * gets as such a TIFF. So there is one reader, one writer and one form of a projection, and GDAL
 * touches no file that is written: a file still appears whole or not at all.
 *
 * Its C interface has been the same since version 2.1: gdal_utils.h, cpl_vsi.h. */
#include "formats/gdal.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/loaded_library.h"
#include "base/text.h"
#include "formats/tiff.h"

typedef void gdal_handle; /* of a dataset, of a band, of options */
typedef int (*gdal_progress)(double done, const char *message, void *user);
typedef void (*gdal_error_handler)(int kind, int number, const char *message);

/* What of GDAL is called. */
typedef struct gdal {
    void (*GDALAllRegister)(void);
    const char *(*GDALVersionInfo)(const char *request);
    gdal_handle *(*GDALOpenEx)(const char *name, unsigned flags, const char *const *drivers,
                               const char *const *options, const char *const *siblings);
    void (*GDALClose)(gdal_handle *dataset);
    int (*GDALGetRasterXSize)(gdal_handle *dataset);
    int (*GDALGetRasterYSize)(gdal_handle *dataset);
    int (*GDALGetRasterCount)(gdal_handle *dataset);
    gdal_handle *(*GDALGetRasterBand)(gdal_handle *dataset, int band);
    int (*GDALGetMaskFlags)(gdal_handle *band);
    gdal_handle *(*GDALTranslateOptionsNew)(char **words, void *for_binary);
    void (*GDALTranslateOptionsSetProgress)(gdal_handle *options, gdal_progress fn, void *user);
    void (*GDALTranslateOptionsFree)(gdal_handle *options);
    gdal_handle *(*GDALTranslate)(const char *to, gdal_handle *from, const gdal_handle *options,
                                  int *wrong_use);
    void *(*VSIFileFromMemBuffer)(const char *name, unsigned char *data, uint64_t size, int own);
    int (*VSIFCloseL)(void *file);
    unsigned char *(*VSIGetMemFileBuffer)(const char *name, uint64_t *size, int unlink);
    int (*VSIUnlink)(const char *name);
    void (*CPLPushErrorHandler)(gdal_error_handler handler);
    void (*CPLPopErrorHandler)(void);
    void (*CPLErrorReset)(void);
    const char *(*CPLGetLastErrorMsg)(void);
} gdal;

enum {
    OPEN_RASTER = 2,   /* GDAL_OF_RASTER */
    MASK_IS_APART = 2, /* GMF_PER_DATASET */
    NEWEST = 60,
    OLDEST = 20, /* numbers of libgdal.so that are tried */
    WORDS_MOST = 32,
};

/* ---- Loading ---- */

static void *load(void) {
    static const char *const plain[] = {"libgdal.so", "libgdal.dylib"};
    void *library = rvi_library_load(plain, 2);
    for (int number = NEWEST; number >= OLDEST && library == NULL; number--) {
        char name[32];
        snprintf(name, sizeof name, "libgdal.so.%d", number);
        library = rvi_library_load(&(const char *){name}, 1);
    }
    return library;
}

static bool gdal_begin(gdal *g) {
    void *library = load();
    bool there = library != NULL;
#define BIND(name) there = there && rvi_library_find(library, #name, &g->name, sizeof g->name)
    BIND(GDALAllRegister);
    BIND(GDALVersionInfo);
    BIND(GDALOpenEx);
    BIND(GDALClose);
    BIND(GDALGetRasterXSize);
    BIND(GDALGetRasterYSize);
    BIND(GDALGetRasterCount);
    BIND(GDALGetRasterBand);
    BIND(GDALGetMaskFlags);
    BIND(GDALTranslateOptionsNew);
    BIND(GDALTranslateOptionsSetProgress);
    BIND(GDALTranslateOptionsFree);
    BIND(GDALTranslate);
    BIND(VSIFileFromMemBuffer);
    BIND(VSIFCloseL);
    BIND(VSIGetMemFileBuffer);
    BIND(VSIUnlink);
    BIND(CPLPushErrorHandler);
    BIND(CPLPopErrorHandler);
    BIND(CPLErrorReset);
    BIND(CPLGetLastErrorMsg);
#undef BIND
    return there;
}

bool rvi_gdal_version(char out[16]) {
    gdal g;
    bool there = gdal_begin(&g);
    snprintf(out, 16, "%s", there ? g.GDALVersionInfo("RELEASE_NAME") : "");
    return there;
}

bool rvi_gdal_reads(const char *path) {
    return rvi_text_ends(path, ".hgt") || rvi_text_ends(path, ".vrt");
}

/* ---- One use of it ---- */

/* Errors are asked for, not printed. */
static void keep_quiet(int kind, int number, const char *message) {
    (void)kind, (void)number, (void)message;
}

static void quiet_begin(const gdal *g) {
    g->GDALAllRegister();
    g->CPLPushErrorHandler(keep_quiet);
    g->CPLErrorReset();
}

static rv_status fail_as_said(const gdal *g, rv_context *ctx, rv_status status, const char *path) {
    char said[256];
    snprintf(said, sizeof said, "%s", g->CPLGetLastErrorMsg());
    for (char *c = said; *c != '\0'; c++)
        *c = *c == '\n' ? ' ' : *c;
    return rvi_fail(ctx, status, "%s: GDAL says \"%s\".", path, said);
}

static int go_on(double done, const char *message, void *ctx) {
    (void)done, (void)message;
    return rvi_poll(ctx) == RV_OK;
}

/* Names in the memory of GDAL, which all threads share: an address is in use once. */
static void name_file(char out[64], const void *mine, const char *what) {
    snprintf(out, 64, "/vsimem/ravine-%p-%s.tif", mine, what);
}

/* As the program gdal_translate, with these words. */
static rv_status translate(const gdal *g, rv_context *ctx, gdal_handle *from, const char *path,
                           const char *to, const char *const *words) {
    char *list[WORDS_MOST + 1] = {NULL};
    for (int i = 0; i < WORDS_MOST && words[i] != NULL; i++)
        memcpy(&list[i], &words[i], sizeof list[i]); /* GDAL does not change them */
    gdal_handle *options = g->GDALTranslateOptionsNew(list, NULL), *made = NULL;
    int wrong_use = 0;
    if (options != NULL) {
        g->GDALTranslateOptionsSetProgress(options, go_on, ctx);
        made = g->GDALTranslate(to, from, options, &wrong_use);
        g->GDALTranslateOptionsFree(options);
    }
    if (made != NULL)
        g->GDALClose(made);
    if (rvi_poll(ctx) != RV_OK)
        return RV_CANCELLED;
    return made != NULL ? RV_OK : fail_as_said(g, ctx, RV_ERROR_INPUT, path);
}

/* ---- Reading ---- */

static rv_status check_dataset(const gdal *g, rv_context *ctx, gdal_handle *from, const char *path,
                               rvi_gdal_file *out) {
    int bands = g->GDALGetRasterCount(from);
    out->width = g->GDALGetRasterXSize(from);
    out->height = g->GDALGetRasterYSize(from);
    if (bands != 1)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s has %d bands; heights need one: gdal_translate -b 1 %s heights.tif "
                        "takes the first.",
                        path, bands, path);
    if (g->GDALGetMaskFlags(g->GDALGetRasterBand(from, 1)) & MASK_IS_APART)
        return rvi_fail(
            ctx, RV_ERROR_INPUT,
            "%s has a mask beside its heights; gdalwarp -dstnodata -9999 %s heights.tif "
            "makes heights of both.",
            path, path);
    return rvi_size_check(ctx, path, (uint64_t)out->width, (uint64_t)out->height);
}

static rv_status convert(const gdal *g, rv_context *ctx, gdal_handle *from, const char *path,
                         bool header_only, rvi_gdal_file *out) {
    char width[16], height[16];
    snprintf(width, sizeof width, "%d", out->width < 2 ? out->width : 2);
    snprintf(height, sizeof height, "%d", out->height < 2 ? out->height : 2);
    const char *all[] = {"-of", "GTiff",         "-ot", "Float32",          "-unscale",
                         "-co", "COMPRESS=NONE", "-co", "BIGTIFF=IF_SAFER", NULL};
    const char *corner[] = {"-of", "GTiff", "-ot", "Float32", "-unscale", "-srcwin",
                            "0",   "0",     width, height,    NULL};
    uint64_t cells = (uint64_t)out->width * (uint64_t)out->height, size = 0;
    rv_status status = RV_OK;
    if (!header_only)
        status = rvi_memory_check(ctx, (size_t)cells * 4, "a raster of GDAL");
    if (status == RV_OK)
        status = translate(g, ctx, from, path, out->name, header_only ? corner : all);
    if (status != RV_OK)
        return status;
    out->data = g->VSIGetMemFileBuffer(out->name, &size, 0);
    out->size = (size_t)size;
    return out->data ? RV_OK : fail_as_said(g, ctx, RV_ERROR_INPUT, path);
}

static rv_status missing(rv_context *ctx, const char *path, const char *why) {
    return rvi_fail(ctx, RV_ERROR_INPUT,
                    "%s has %s, which needs GDAL, and no libgdal is installed here; a .tif that is "
                    "plain or packed by deflate does not.",
                    path, why);
}

rv_status rvi_gdal_open(rv_context *ctx, const char *path, const char *why, bool header_only,
                        rvi_gdal_file *out) {
    static const char *const drivers[] = {"GTiff", "SRTMHGT", "VRT", NULL};
    gdal g;
    *out = (rvi_gdal_file){0};
    name_file(out->name, out, "read");
    if (!gdal_begin(&g))
        return missing(ctx, path, why);
    quiet_begin(&g);
    gdal_handle *from = g.GDALOpenEx(path, OPEN_RASTER, drivers, NULL, NULL);
    rv_status status = from ? check_dataset(&g, ctx, from, path, out)
                            : fail_as_said(&g, ctx, RV_ERROR_INPUT, path);
    if (status == RV_OK)
        status = convert(&g, ctx, from, path, header_only, out);
    if (from != NULL)
        g.GDALClose(from);
    g.CPLPopErrorHandler();
    if (status != RV_OK)
        rvi_gdal_close(out);
    return status;
}

void rvi_gdal_close(rvi_gdal_file *file) {
    gdal g;
    if (file->name[0] != '\0' && gdal_begin(&g)) {
        g.CPLPushErrorHandler(keep_quiet);
        g.VSIUnlink(file->name);
        g.CPLPopErrorHandler();
    }
    *file = (rvi_gdal_file){0};
}

/* ---- Writing ---- */

/* A plain TIFF in memory. */
typedef struct plain_tiff {
    unsigned char *data;
    size_t size, room;
} plain_tiff;

static rv_status put_to_memory(void *to, const void *data, size_t size) {
    plain_tiff *t = to;
    memcpy(t->data + t->size, data, size);
    t->size += size;
    return RV_OK;
}

static size_t plain_room(int width, int height) {
    return rvi_tiff_head_most(height) + (size_t)width * (size_t)height * 4;
}

size_t rvi_gdal_bytes(int width, int height) {
    return rvi_alloc_size(plain_room(width, height), 1);
}

static rv_status make_cog(const gdal *g, rv_context *ctx, plain_tiff *plain,
                          const rvi_raster *raster, rvi_writer *writer) {
    char from_name[64], to_name[64];
    const char *words[WORDS_MOST] = {"-of", "COG",
                                     "-co", "COMPRESS=DEFLATE",
                                     "-co", "PREDICTOR=YES",
                                     "-co", "OVERVIEW_RESAMPLING=AVERAGE",
                                     "-co", "BIGTIFF=IF_SAFER",
                                     NULL};
    if (raster->geo.prj[0] != '\0') {
        words[10] = "-a_srs";
        words[11] = raster->geo.prj;
    }
    name_file(from_name, plain, "plain");
    name_file(to_name, plain, "cog");
    void *file = g->VSIFileFromMemBuffer(from_name, plain->data, plain->size, 0);
    if (file != NULL)
        g->VSIFCloseL(file);
    gdal_handle *from = g->GDALOpenEx(from_name, OPEN_RASTER, NULL, NULL, NULL);
    rv_status status = from ? translate(g, ctx, from, "save", to_name, words)
                            : fail_as_said(g, ctx, RV_ERROR_INTERNAL, "save");
    if (from != NULL)
        g->GDALClose(from);
    uint64_t size = 0;
    const unsigned char *data = status == RV_OK ? g->VSIGetMemFileBuffer(to_name, &size, 0) : NULL;
    if (status == RV_OK)
        status = data ? rvi_writer_put(writer, data, (size_t)size)
                      : fail_as_said(g, ctx, RV_ERROR_INTERNAL, "save");
    g->VSIUnlink(to_name);
    g->VSIUnlink(from_name);
    return status;
}

rv_status rvi_gdal_encode(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster) {
    gdal g;
    if (!gdal_begin(&g))
        return rvi_fail(ctx, RV_ERROR_INTERNAL, "GDAL was there and is not any more.");
    plain_tiff plain = {.room = plain_room(raster->width, raster->height)};
    plain.data = rvi_alloc(ctx, plain.room, 1, "a TIFF for GDAL");
    rv_status status =
        plain.data ? rvi_tiff_put(ctx, raster, put_to_memory, &plain) : RV_ERROR_MEMORY;
    if (status == RV_OK) {
        quiet_begin(&g);
        status = make_cog(&g, ctx, &plain, raster, writer);
        g.CPLPopErrorHandler();
    }
    rvi_free(ctx, plain.data);
    return status;
}
