/* zip_file.c: files in a ZIP archive, as they are. */
#include "formats/zip_file.h"
#include "base/context.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    LOCAL = 30,   /* bytes of the header of a file, without its name */
    CENTRAL = 46, /* of its record in the directory */
    END = 22,     /* of the end of the directory */
    LOCATOR = 20, /* of what finds the end of ZIP64 */
    END64 = 56,
    COMMENT_MOST = 65535, /* bytes that may follow the end */
    STORED = 0,
    WIDE = 0xffff, /* a number of 16 bits that stands in ZIP64 */
    ENCRYPTED = 1, /* flag */
    UTF8 = 1 << 11,
    DATE = 33, /* 1 January 1980: the same land is the same file */
};
static const uint32_t WIDE32 = 0xffffffff;

/* ---- numbers ---- */

static uint64_t number(const unsigned char *from, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static unsigned char *put_number(unsigned char *to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> (8 * i));
    return to + bytes;
}

void rvi_crc_begin(rvi_crc_table *table) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
        table->of[0][i] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t before = table->of[k - 1][i];
            table->of[k][i] = before >> 8 ^ table->of[0][before & 255];
        }
}

uint32_t rvi_crc(const rvi_crc_table *table, uint32_t crc, const void *data, size_t size) {
    const unsigned char *p = data;
    const uint32_t(*of)[256] = table->of;
    crc = ~crc;
    for (; size >= 8; size -= 8, p += 8) {
        uint32_t a = crc ^ (uint32_t)number(p, 4);
        crc = of[7][a & 255] ^ of[6][a >> 8 & 255] ^ of[5][a >> 16 & 255] ^ of[4][a >> 24] ^
              of[3][p[4]] ^ of[2][p[5]] ^ of[1][p[6]] ^ of[0][p[7]];
    }
    for (; size > 0; size--, p++)
        crc = crc >> 8 ^ of[0][(crc ^ *p) & 255];
    return ~crc;
}

/* ---- reading ---- */

rv_status rvi_zip_damaged(const rvi_zip *zip) {
    return rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s: is cut off or damaged.", zip->name);
}

/* Bytes at a place of the archive. */
static rv_status fetch(const rvi_zip *zip, uint64_t from, void *to, size_t size) {
    if (from > zip->size || size > zip->size - from)
        return rvi_zip_damaged(zip);
    if (zip->data) {
        if (size > 0)
            memcpy(to, zip->data + from, size);
        return RV_OK;
    }
    rvi_bytes bytes;
    uint64_t total;
    rv_status status = rvi_file_read_part(zip->ctx, zip->name, from, size, &bytes, &total);
    if (status != RV_OK)
        return status;
    if (bytes.size == size)
        memcpy(to, bytes.data, size);
    else
        status = rvi_zip_damaged(zip);
    rvi_free(zip->ctx, bytes.data);
    return status;
}

typedef struct directory {
    uint64_t start, size, count;
} directory;

/* The end of ZIP64, where the end before it points there. */
static rv_status find_wide(const rvi_zip *zip, uint64_t end, directory *out) {
    unsigned char locator[LOCATOR], wide[END64];
    rv_status status =
        end < LOCATOR ? rvi_zip_damaged(zip) : fetch(zip, end - LOCATOR, locator, sizeof locator);
    if (status != RV_OK)
        return status;
    if (number(locator, 4) != 0x07064b50)
        return rvi_zip_damaged(zip);
    status = fetch(zip, number(locator + 8, 8), wide, sizeof wide);
    if (status != RV_OK)
        return status;
    if (number(wide, 4) != 0x06064b50)
        return rvi_zip_damaged(zip);
    *out = (directory){
        .start = number(wide + 48, 8), .size = number(wide + 40, 8), .count = number(wide + 32, 8)};
    return RV_OK;
}

/* The end of the directory is the last thing but a comment. */
static rv_status find_directory(const rvi_zip *zip, unsigned char *tail, size_t tail_size,
                                directory *out) {
    size_t at = tail_size;
    bool found = false;
    while (!found && at-- > 0)
        found = tail_size - at >= END && number(tail + at, 4) == 0x06054b50 &&
                number(tail + at + 20, 2) == tail_size - at - END;
    if (!found)
        return rvi_zip_damaged(zip);
    const unsigned char *end = tail + at;
    uint64_t place = zip->size - tail_size + at;
    *out = (directory){
        .start = number(end + 16, 4), .size = number(end + 12, 4), .count = number(end + 10, 2)};
    if (out->start == WIDE32 || out->size == WIDE32 || out->count == WIDE) {
        rv_status status = find_wide(zip, place, out);
        if (status != RV_OK)
            return status;
    }
    if (out->start > place || out->size > place - out->start || out->count > out->size / CENTRAL)
        return rvi_zip_damaged(zip);
    if (out->count > RVI_ZIP_MOST)
        return rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s holds more than %d files.", zip->name,
                        RVI_ZIP_MOST);
    return RV_OK;
}

/* Numbers of 64 bits in the extra field of a record, for those that do not fit. */
static bool read_wide(const unsigned char *extra, size_t size, uint64_t packed, rvi_zip_entry *e) {
    while (size >= 4) {
        size_t part = (size_t)number(extra + 2, 2);
        if (part > size - 4)
            return false;
        if (number(extra, 2) == 1) {
            const unsigned char *from = extra + 4, *end = from + part;
            uint64_t *wanted[] = {&e->size, &packed, &e->header};
            for (int i = 0; i < 3; i++)
                if (*wanted[i] == WIDE32) {
                    if (end - from < 8)
                        return false;
                    *wanted[i] = number(from, 8);
                    from += 8;
                }
            break;
        }
        extra += 4 + part;
        size -= 4 + part;
    }
    return packed == e->size;
}

/* One record of the directory; *used is how many bytes it has. */
static rv_status read_record(const rvi_zip *zip, const unsigned char *at, size_t left,
                             rvi_zip_entry *e, size_t *used) {
    if (left < CENTRAL || number(at, 4) != 0x02014b50)
        return rvi_zip_damaged(zip);
    size_t name = (size_t)number(at + 28, 2), extra = (size_t)number(at + 30, 2);
    *used = CENTRAL + name + extra + (size_t)number(at + 32, 2);
    if (*used > left || name == 0 || memchr(at + CENTRAL, 0, name) != NULL)
        return rvi_zip_damaged(zip);
    if (name >= RVI_ZIP_NAME)
        return rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s: holds a file whose name is too long.",
                        zip->name);
    *e = (rvi_zip_entry){.header = number(at + 42, 4),
                         .size = number(at + 24, 4),
                         .crc = (uint32_t)number(at + 16, 4)};
    memcpy(e->name, at + CENTRAL, name);
    if (number(at + 8, 2) & ENCRYPTED)
        return rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s: %s in it is encrypted.", zip->name, e->name);
    if (number(at + 10, 2) != STORED)
        return rvi_fail(zip->ctx, RV_ERROR_INPUT,
                        "%s: %s in it is compressed, which Ravine does not read; save it without "
                        "compression (numpy.savez).",
                        zip->name, e->name);
    if (!read_wide(at + CENTRAL + name, extra, number(at + 20, 4), e) ||
        e->header > zip->directory || e->size > zip->directory - e->header)
        return rvi_zip_damaged(zip);
    return RV_OK;
}

static rv_status read_records(rvi_zip *zip, const unsigned char *at, size_t size) {
    rv_status status = RV_OK;
    size_t used = 0;
    for (int i = 0; status == RV_OK && i < zip->count; i++, at += used, size -= used) {
        status = read_record(zip, at, size, &zip->entries[i], &used);
        for (int k = 0; status == RV_OK && k < i; k++)
            if (strcmp(zip->entries[k].name, zip->entries[i].name) == 0)
                status = rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s: holds %s twice.", zip->name,
                                  zip->entries[i].name);
    }
    return status;
}

static rv_status read_directory(rvi_zip *zip, const directory *d) {
    unsigned char *bytes = rvi_alloc(zip->ctx, (size_t)d->size + 1, 1, "a directory");
    zip->entries = rvi_alloc(zip->ctx, (size_t)d->count + 1, sizeof *zip->entries, "a directory");
    zip->directory = d->start;
    rv_status status = bytes && zip->entries ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = fetch(zip, d->start, bytes, (size_t)d->size);
    if (status == RV_OK) {
        zip->count = (int)d->count;
        status = read_records(zip, bytes, (size_t)d->size);
    }
    rvi_free(zip->ctx, bytes);
    return status;
}

static rv_status begin(rvi_zip *zip) {
    unsigned char start[4] = {0};
    rvi_bytes bytes = {0};
    if (!zip->data) {
        rv_status status = rvi_file_read_start(zip->ctx, zip->name, 4, &bytes, &zip->size);
        if (status != RV_OK)
            return status;
        memcpy(start, bytes.data, bytes.size);
        rvi_free(zip->ctx, bytes.data);
    } else {
        memcpy(start, zip->data, zip->size < 4 ? (size_t)zip->size : 4);
    }
    if (zip->size == 0)
        return rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s is empty.", zip->name);
    uint64_t magic = number(start, 4);
    if (magic != 0x04034b50 && magic != 0x06054b50)
        return rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s is not a ZIP archive.", zip->name);
    return RV_OK;
}

rv_status rvi_zip_open(rv_context *ctx, const char *name, const unsigned char *data, size_t size,
                       rvi_zip *out) {
    *out = (rvi_zip){.ctx = ctx, .name = name, .data = data, .size = size};
    directory d = {0};
    rv_status status = begin(out);
    if (status != RV_OK)
        return status;
    size_t tail_size = out->size < END + COMMENT_MOST ? (size_t)out->size : END + COMMENT_MOST;
    unsigned char *tail = rvi_alloc(ctx, tail_size, 1, "a directory");
    status = tail ? fetch(out, out->size - tail_size, tail, tail_size) : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = find_directory(out, tail, tail_size, &d);
    rvi_free(ctx, tail);
    return status == RV_OK ? read_directory(out, &d) : status;
}

void rvi_zip_close(rvi_zip *zip) {
    rvi_free(zip->ctx, zip->entries);
    zip->entries = NULL;
    zip->count = 0;
}

/* The header in front of a file says where its bytes begin. */
static rv_status find_start(const rvi_zip *zip, rvi_zip_entry *e) {
    unsigned char local[LOCAL];
    rv_status status = fetch(zip, e->header, local, sizeof local);
    if (status != RV_OK)
        return status;
    e->start = e->header + LOCAL + number(local + 26, 2) + number(local + 28, 2);
    bool right = number(local, 4) == 0x04034b50 && e->start <= zip->directory &&
                 e->size <= zip->directory - e->start;
    return right ? RV_OK : rvi_zip_damaged(zip);
}

rv_status rvi_zip_find(rvi_zip *zip, const char *name, const rvi_zip_entry **out) {
    *out = NULL;
    for (int i = 0; i < zip->count; i++)
        if (strcmp(zip->entries[i].name, name) == 0) {
            *out = &zip->entries[i];
            return zip->entries[i].start ? RV_OK : find_start(zip, &zip->entries[i]);
        }
    return RV_OK;
}

rv_status rvi_zip_read(const rvi_zip *zip, const rvi_zip_entry *entry, uint64_t from, void *to,
                       size_t size) {
    if (from > entry->size || size > entry->size - from)
        return rvi_zip_damaged(zip);
    return fetch(zip, entry->start + from, to, size);
}

rv_status rvi_zip_bytes(const rvi_zip *zip, const rvi_zip_entry *entry, unsigned char **out) {
    size_t size = entry->size < SIZE_MAX ? (size_t)entry->size : SIZE_MAX - 1;
    *out = NULL;
    if (zip->data) {
        *out = rvi_alloc(zip->ctx, size, 1, "a part of a file");
        if (*out && size > 0)
            memcpy(*out, zip->data + entry->start, size);
        return *out ? RV_OK : RV_ERROR_MEMORY;
    }
    rvi_bytes bytes;
    uint64_t total;
    rv_status status = rvi_file_read_part(zip->ctx, zip->name, entry->start, size, &bytes, &total);
    if (status == RV_OK && bytes.size != entry->size) {
        rvi_free(zip->ctx, bytes.data);
        return rvi_zip_damaged(zip);
    }
    *out = bytes.data;
    return status;
}

/* ---- writing ---- */

rvi_zip_writer rvi_zip_begin(rvi_writer *to) {
    return (rvi_zip_writer){.to = to, .wide = WIDE32};
}

rv_status rvi_zip_put(rvi_zip_writer *zip, const void *data, size_t size) {
    zip->at += size;
    return rvi_writer_put(zip->to, data, size);
}

static bool is_ascii(const char *name) {
    for (; *name != '\0'; name++)
        if ((unsigned char)*name >= 128)
            return false;
    return true;
}

/* What a header and a record have in common, from the version that reads it on. */
static unsigned char *put_common(unsigned char *to, const rvi_zip_entry *e, bool wide,
                                 size_t extra) {
    to = put_number(to, wide ? 45 : 20, 2);
    to = put_number(to, is_ascii(e->name) ? 0 : UTF8, 2);
    to = put_number(to, STORED, 2);
    to = put_number(to, 0, 2);
    to = put_number(to, DATE, 2);
    to = put_number(to, e->crc, 4);
    to = put_number(to, wide ? WIDE32 : e->size, 4);
    to = put_number(to, wide ? WIDE32 : e->size, 4);
    to = put_number(to, strlen(e->name), 2);
    return put_number(to, extra, 2);
}

/* Both sizes, and in the directory the place, as numbers of 64 bits. */
static unsigned char *put_wide(unsigned char *to, const rvi_zip_entry *e, bool place) {
    to = put_number(to, 1, 2);
    to = put_number(to, place ? 24 : 16, 2);
    to = put_number(to, e->size, 8);
    to = put_number(to, e->size, 8);
    return place ? put_number(to, e->header, 8) : to;
}

static bool is_wide(const rvi_zip_writer *zip, const rvi_zip_entry *e) {
    return e->size >= zip->wide || e->header >= zip->wide;
}

rv_status rvi_zip_add(rv_context *ctx, rvi_zip_writer *zip, const char *name, uint64_t size,
                      uint32_t crc) {
    assert(strlen(name) < RVI_ZIP_NAME && zip->count < RVI_ZIP_MOST);
    if (zip->count == zip->room) {
        int more = zip->room ? 2 * zip->room : 16;
        if (!rvi_enlarge(ctx, &zip->entries, (size_t)zip->count, (size_t)more, sizeof *zip->entries,
                         "a directory"))
            return RV_ERROR_MEMORY;
        zip->room = more;
    }
    rvi_zip_entry *e = &zip->entries[zip->count++];
    *e = (rvi_zip_entry){.header = zip->at, .size = size, .crc = crc};
    snprintf(e->name, sizeof e->name, "%s", name);
    unsigned char header[LOCAL + RVI_ZIP_NAME + 20], *at = header;
    bool wide = is_wide(zip, e);
    at = put_number(at, 0x04034b50, 4);
    at = put_common(at, e, wide, wide ? 20 : 0);
    memcpy(at, name, strlen(name));
    at += strlen(name);
    if (wide)
        at = put_wide(at, e, false);
    return rvi_zip_put(zip, header, (size_t)(at - header));
}

static rv_status put_record(rvi_zip_writer *zip, const rvi_zip_entry *e) {
    unsigned char record[CENTRAL + RVI_ZIP_NAME + 28], *at = record;
    bool wide = is_wide(zip, e);
    at = put_number(at, 0x02014b50, 4);
    at = put_number(at, wide ? 45 : 20, 2);
    at = put_common(at, e, wide, wide ? 28 : 0);
    memset(at, 0, 2 + 2 + 2 + 4); /* no comment, one disk, no attributes */
    at += 2 + 2 + 2 + 4;
    at = put_number(at, wide ? WIDE32 : e->header, 4);
    memcpy(at, e->name, strlen(e->name));
    at += strlen(e->name);
    if (wide)
        at = put_wide(at, e, true);
    return rvi_zip_put(zip, record, (size_t)(at - record));
}

static rv_status put_end(rvi_zip_writer *zip, uint64_t start) {
    unsigned char end[END64 + LOCATOR + END], *at = end;
    uint64_t place = zip->at, size = place - start, count = (uint64_t)zip->count;
    bool wide = place >= zip->wide;
    if (wide) {
        at = put_number(at, 0x06064b50, 4);
        at = put_number(at, END64 - 12, 8);
        at = put_number(at, 45 | 45 << 16, 4);
        at = put_number(at, 0, 8);
        at = put_number(at, count, 8);
        at = put_number(at, count, 8);
        at = put_number(at, size, 8);
        at = put_number(at, start, 8);
        at = put_number(at, 0x07064b50, 4);
        at = put_number(at, 0, 4);
        at = put_number(at, place, 8);
        at = put_number(at, 1, 4);
    }
    at = put_number(at, 0x06054b50, 4);
    at = put_number(at, 0, 4);
    at = put_number(at, count, 2);
    at = put_number(at, count, 2);
    at = put_number(at, wide ? WIDE32 : size, 4);
    at = put_number(at, wide ? WIDE32 : start, 4);
    at = put_number(at, 0, 2);
    return rvi_zip_put(zip, end, (size_t)(at - end));
}

rv_status rvi_zip_end(rv_context *ctx, rvi_zip_writer *zip, rv_status status) {
    uint64_t start = zip->at;
    for (int i = 0; status == RV_OK && i < zip->count; i++)
        status = put_record(zip, &zip->entries[i]);
    if (status == RV_OK)
        status = put_end(zip, start);
    rvi_free(ctx, zip->entries);
    *zip = (rvi_zip_writer){0};
    return status;
}
