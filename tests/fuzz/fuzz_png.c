/* Any bytes as a PNG: a picture or a sentence, and no more memory than allowed. They are tried as
 * they are and with the checksums of their chunks put right, since no fuzzer guesses those. */
#include "fuzz.h"

#include "base/context.h"
#include "formats/format.h"

#include <string.h>

/* The CRC of PNG's annex D. */
static uint32_t checksum(const uint8_t *data, size_t size) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

/* After the signature of 8 bytes: length, name, content, checksum, and again. */
static void put_checksums_right(uint8_t *data, size_t size) {
    for (size_t at = 8; at <= size && size - at >= 12;) {
        uint64_t length = 0;
        for (int i = 0; i < 4; i++)
            length = length << 8 | data[at + (size_t)i];
        if (length > size - at - 12)
            return;
        uint32_t crc = checksum(data + at + 4, (size_t)length + 4);
        at += 12 + (size_t)length;
        for (int i = 0; i < 4; i++)
            data[at - 4 + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
    }
}

static void decode(rv_context *ctx, const uint8_t *data, size_t size) {
    const rvi_format *format = rvi_format_find("fuzz.png");
    rvi_source source = {.name = "fuzz.png", .data = data, .size = size, .total = size};
    rvi_image image = {0};
    if (format != NULL && format->decode(ctx, &source, &image) == RV_OK)
        rvi_free(ctx, image.values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rv_context *ctx = fuzz_context();
    decode(ctx, data, size);
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    put_checksums_right(copy, size);
    decode(ctx, copy, size);
    free(copy);
    return 0;
}
