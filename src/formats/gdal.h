/* gdal.h: GDAL, the library that reads and writes all maps, where the machine has it. It is loaded
 * when a file needs it and never linked; gdal_none.c stands for it where nothing can be loaded. */
#ifndef RVI_FORMATS_GDAL_H
#define RVI_FORMATS_GDAL_H

#include "formats/format.h"

/* Its version, such as "3.6.2"; false: it is not there. */
bool rvi_gdal_version(char out[16]);

/* Is the file one that only GDAL reads, by its name? */
bool rvi_gdal_reads(const char *path);

/* A file that GDAL has read, as the bytes of a TIFF that tiff.c reads. */
typedef struct rvi_gdal_file {
    const unsigned char *data;
    size_t size;
    int width, height; /* of the whole raster */
    char name[64];     /* in the memory of GDAL */
} rvi_gdal_file;
/* `why` Ravine cannot read it itself, for the sentence when there is no GDAL ("another
 * compression"). header_only: the bytes hold a corner of the raster only. */
rv_status rvi_gdal_open(rv_context *ctx, const char *path, const char *why, bool header_only,
                        rvi_gdal_file *out);
void rvi_gdal_close(rvi_gdal_file *file);

/* Writes a cloud-optimised GeoTIFF: in tiles, packed without loss, with overviews. */
rv_status rvi_gdal_encode(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster);
/* Bytes that this takes from the memory limit. GDAL holds about as many again. */
size_t rvi_gdal_bytes(int width, int height);

#endif
