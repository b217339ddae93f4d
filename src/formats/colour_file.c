/* colour_file.c: a small text file of named colours. */
#include "formats/colour_file.h"

#include <string.h>

#include "base/context.h"
#include "base/file.h"
#include "base/text.h"

enum { SHOWN = 40 };

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '=';
}

/* The next word before `end`; returns its size. */
static size_t next_word(const char **at, const char *end, const char **word) {
    while (*at < end && is_blank(**at))
        ++*at;
    *word = *at;
    while (*at < end && !is_blank(**at))
        ++*at;
    return (size_t)(*at - *word);
}

static bool read_hex(const char *text, size_t size, uint32_t *out) {
    static const char digits[] = "0123456789abcdef";
    *out = 0;
    for (size_t i = 0; i < size; i++) {
        char c = text[i] >= 'A' && text[i] <= 'F' ? (char)(text[i] - 'A' + 'a') : text[i];
        const char *at = c != '\0' ? strchr(digits, c) : NULL;
        if (!at)
            return false;
        *out = *out << 4 | (uint32_t)(at - digits);
    }
    return size == 6;
}

static rv_status read_line(rv_context *ctx, const char *path, int line, const char *at,
                           const char *end, rvi_named_colour *out, int *count) {
    const char *name, *colour, *more;
    size_t size = next_word(&at, end, &name), digits = next_word(&at, end, &colour);
    if (size == 0)
        return RV_OK;
    int shown = size < SHOWN ? (int)size : SHOWN;
    if (*count == RVI_COLOURS)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s, line %d: more than %d colours.", path, line,
                        RVI_COLOURS);
    rvi_named_colour *to = &out[*count];
    if (!read_hex(colour, digits, &to->rgb) || next_word(&at, end, &more) > 0 ||
        size >= RVI_COLOUR_NAME)
        return rvi_fail(ctx, RV_ERROR_INPUT,
                        "%s, line %d: after \"%.*s\" a colour as RRGGBB was expected, such as "
                        "6b8e23.",
                        path, line, shown, name);
    memcpy(to->name, name, size);
    to->name[size] = '\0';
    to->line = line;
    ++*count;
    return RV_OK;
}

rv_status rvi_colours_read(rv_context *ctx, const char *path, rvi_named_colour out[RVI_COLOURS],
                           int *count) {
    rvi_bytes bytes = {0};
    size_t begin = 0;
    *count = 0;
    rv_status status = rvi_file_read(ctx, path, &bytes);
    if (status == RV_OK)
        status = rvi_text_begin(ctx, path, bytes.data, bytes.size, &begin);
    if (status != RV_OK) {
        rvi_free(ctx, bytes.data);
        return status;
    }
    const char *at = (const char *)bytes.data + begin, *end = at + (bytes.size - begin);
    for (int line = 1; status == RV_OK && at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        const char *mark = memchr(at, '#', (size_t)(stop - at));
        status = read_line(ctx, path, line, at, mark ? mark : stop, out, count);
        at = stop < end ? stop + 1 : end;
    }
    rvi_free(ctx, bytes.data);
    return status;
}
