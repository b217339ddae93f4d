/* contact_sheet.c: pictures side by side, each with lines of text below it. */
#include "base/context.h"
#include "formats/format.h"
#include "picture/font.h"

#include <string.h>

enum {
    TILE = 224,    /* pixels of a picture's longer side */
    SMALL = 96,    /* of one, where there are MANY */
    MANY = 200,    /* pictures */
    MARGIN = 12,   /* pixels around and between */
    LINE = 15,     /* from one line of text to the next */
    LETTERS = 128, /* of a line, at most */
    LINES = 4      /* below a picture, at most */
};
static const float CAPITAL = 8.0f; /* pixels */
static const rvi_ink DARK = {38, 44, 54, 1.0f}, EMPTY = {228, 231, 236, 1.0f};

typedef struct sheet {
    rvi_canvas canvas;
    int tile, lines;
    int columns, rows;
} sheet;

static int count_lines(const char *text) {
    int lines = text && *text ? 1 : 0;
    for (; text && *text; text++)
        lines += *text == '\n';
    return lines < LINES ? lines : LINES;
}

static sheet lay_out(const rv_sheet_entry *entries, int count, int columns) {
    sheet s = {.tile = count > MANY ? SMALL : TILE, .columns = columns};
    for (int i = 0; i < count; i++) {
        int lines = count_lines(entries[i].text);
        s.lines = lines > s.lines ? lines : s.lines;
    }
    while (s.columns < 1 || (columns < 1 && s.columns * s.columns < count))
        s.columns++;
    s.columns = s.columns < count ? s.columns : count;
    s.rows = (count + s.columns - 1) / s.columns;
    return s;
}

/* The mean of the pixels that lie below one of the tile. */
static rvi_ink mean_of(const rvi_picture *picture, int x, int y, int width, int height) {
    int x0 = (int)((int64_t)x * picture->width / width),
        x1 = (int)((int64_t)(x + 1) * picture->width / width),
        y0 = (int)((int64_t)y * picture->height / height),
        y1 = (int)((int64_t)(y + 1) * picture->height / height);
    x1 = x1 > x0 ? x1 : x0 + 1;
    y1 = y1 > y0 ? y1 : y0 + 1;
    uint64_t sum[3] = {0, 0, 0}, n = (uint64_t)(x1 - x0) * (uint64_t)(y1 - y0);
    for (int v = y0; v < y1; v++)
        for (int u = x0; u < x1; u++)
            for (int c = 0; c < 3; c++)
                sum[c] +=
                    picture->rgb[3 * ((size_t)v * (size_t)picture->width + (size_t)u) + (size_t)c];
    return (rvi_ink){(unsigned char)((sum[0] + n / 2) / n), (unsigned char)((sum[1] + n / 2) / n),
                     (unsigned char)((sum[2] + n / 2) / n), 1.0f};
}

/* In the middle of its tile, as large as fits. */
static void put_picture(sheet *s, const rvi_picture *picture, int left, int top) {
    int longer = picture->width > picture->height ? picture->width : picture->height;
    int width = (int)((int64_t)picture->width * s->tile / longer),
        height = (int)((int64_t)picture->height * s->tile / longer);
    width = width > 0 ? width : 1;
    height = height > 0 ? height : 1;
    left += (s->tile - width) / 2;
    top += (s->tile - height) / 2;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            rvi_canvas_dot(&s->canvas, left + x, top + y, mean_of(picture, x, y, width, height));
}

/* Cut where the tile ends. */
static void put_text(sheet *s, const char *text, int left, int top) {
    for (int line = 0; line < s->lines && text && *text; line++) {
        char one[LETTERS];
        size_t size = strcspn(text, "\n"), kept = size < LETTERS - 1 ? size : LETTERS - 1;
        memcpy(one, text, kept);
        one[kept] = '\0';
        while (kept > 0 && rvi_font_width(CAPITAL, one) > (float)s->tile)
            one[--kept] = '\0';
        rvi_font_write(&s->canvas, (float)left, (float)(top + (line + 1) * LINE), CAPITAL, RVI_LEFT,
                       DARK, one);
        text += size + (text[size] == '\n');
    }
}

static rv_status put_entry(rv_context *ctx, sheet *s, const rv_sheet_entry *entry, int index) {
    int left = MARGIN + index % s->columns * (s->tile + MARGIN),
        top = MARGIN + index / s->columns * (s->tile + s->lines * LINE + MARGIN);
    rvi_picture picture = {0};
    rv_status status = entry->png ? rvi_png_read_picture(ctx, entry->png, &picture) : RV_OK;
    if (status != RV_OK)
        return status;
    if (picture.rgb)
        put_picture(s, &picture, left, top);
    else
        rvi_canvas_box(&s->canvas, left, top, s->tile, s->tile, EMPTY);
    rvi_free(ctx, picture.rgb);
    put_text(s, entry->text, left, top + s->tile);
    return rvi_poll(ctx);
}

rv_status rv_sheet_save(rv_context *ctx, const rv_sheet_entry *entries, int count, int columns,
                        const char *png) {
    RVI_ENTRY(ctx);
    rvi_progress_begin(ctx, "the contact sheet");
    rv_status status = rvi_png_check_name(ctx, png);
    if (status == RV_OK && (count < 1 || count > RV_SHEET_MOST))
        status = rvi_fail(ctx, RV_ERROR_USAGE, "%s: a contact sheet has 1 to %d pictures, not %d.",
                          png, RV_SHEET_MOST, count);
    if (status != RV_OK)
        return status;
    sheet s = lay_out(entries, count, columns);
    status = rvi_canvas_make(ctx, MARGIN + s.columns * (s.tile + MARGIN),
                             MARGIN + s.rows * (s.tile + s.lines * LINE + MARGIN), &s.canvas);
    for (int i = 0; i < count && status == RV_OK; i++)
        status = put_entry(ctx, &s, &entries[i], i);
    if (status == RV_OK)
        status = rvi_png_write_picture(ctx, png, s.canvas.width, s.canvas.height, 3, s.canvas.rgb);
    rvi_canvas_free(ctx, &s.canvas);
    return status;
}
