/* zip_file.h: files in a ZIP archive, as they are: nothing is compressed.
 *
 * Format: PKWARE, APPNOTE.TXT 6.3.9: each file behind a header of its own, and a directory at the
 * end; ZIP64 where sizes or places need more than 32 bits. */
#ifndef RVI_FORMATS_ZIP_FILE_H
#define RVI_FORMATS_ZIP_FILE_H

#include "base/file.h"

enum {
    RVI_ZIP_NAME = 64,   /* bytes of a name with its end */
    RVI_ZIP_MOST = 4096, /* files in an archive */
};

/* CRC-32, eight bytes at a time. */
typedef struct rvi_crc_table {
    uint32_t of[8][256]; /* of a byte that so many others follow */
} rvi_crc_table;
void rvi_crc_begin(rvi_crc_table *table);
/* Of bytes that follow those of `crc`, which is 0 at first. */
uint32_t rvi_crc(const rvi_crc_table *table, uint32_t crc, const void *data, size_t size);

/* ---- reading ---- */

typedef struct rvi_zip_entry {
    char name[RVI_ZIP_NAME];
    uint64_t header; /* where its header begins */
    uint64_t start;  /* where its bytes begin; 0: rvi_zip_find has not looked yet */
    uint64_t size;
    uint32_t crc;
} rvi_zip_entry;

typedef struct rvi_zip {
    rv_context *ctx;
    const char *name;          /* of the file, or for sentences */
    const unsigned char *data; /* all of it, or NULL: read from the file */
    uint64_t size;
    uint64_t directory; /* where it begins, behind all files */
    rvi_zip_entry *entries;
    int count;
} rvi_zip;

/* Reads the directory: of the file, or where `data` is not NULL of these bytes, which must outlive
 * it. Every place and size is held to the size of the file. */
rv_status rvi_zip_open(rv_context *ctx, const char *name, const unsigned char *data, size_t size,
                       rvi_zip *out);
void rvi_zip_close(rvi_zip *zip); /* also one that could not be opened */
/* Finds the bytes of a file of it; RV_OK and *out NULL: there is no such file. */
rv_status rvi_zip_find(rvi_zip *zip, const char *name, const rvi_zip_entry **out);
/* Bytes of a file of it, from the place `from` on; all of them must be there. */
rv_status rvi_zip_read(const rvi_zip *zip, const rvi_zip_entry *entry, uint64_t from, void *to,
                       size_t size);
/* All bytes of a file of it, from rvi_alloc. */
rv_status rvi_zip_bytes(const rvi_zip *zip, const rvi_zip_entry *entry, unsigned char **out);
rv_status rvi_zip_damaged(const rvi_zip *zip); /* fails, with the sentence */

/* ---- writing ---- */

typedef struct rvi_zip_writer {
    rvi_writer *to;
    uint64_t at;
    uint64_t wide; /* sizes and places from here on are written as ZIP64 */
    rvi_zip_entry *entries;
    int count, room;
} rvi_zip_writer;

rvi_zip_writer rvi_zip_begin(rvi_writer *to);
/* The header of the next file, whose bytes are then put by rvi_zip_put. */
rv_status rvi_zip_add(rv_context *ctx, rvi_zip_writer *zip, const char *name, uint64_t size,
                      uint32_t crc);
rv_status rvi_zip_put(rvi_zip_writer *zip, const void *data, size_t size);
/* The directory, where `status` is RV_OK; ends the writer, but not `to`. Returns what failed. */
rv_status rvi_zip_end(rv_context *ctx, rvi_zip_writer *zip, rv_status status);

#endif
