/* canvas.c: dots, boxes and lines. A pixel is covered by how far its middle lies inside the line:
 *
 *     cover = 1/2 + width / 2 - distance to the line, held to 0 ... 1
 */
#include "picture/canvas.h"
#include "base/math.h"

#include <math.h>
#include <string.h>

rv_status rvi_canvas_make(rv_context *ctx, int width, int height, rvi_canvas *out) {
    *out = (rvi_canvas){width, height, NULL};
    size_t pixels = (size_t)width * (size_t)height;
    out->rgb = rvi_alloc(ctx, pixels, 3, "a picture");
    if (!out->rgb)
        return RV_ERROR_MEMORY;
    memset(out->rgb, 255, 3 * pixels);
    return RV_OK;
}

void rvi_canvas_free(rv_context *ctx, rvi_canvas *canvas) {
    rvi_free(ctx, canvas->rgb);
    canvas->rgb = NULL;
}

static unsigned char mix(unsigned char below, unsigned char above, float cover) {
    float value = (float)below + cover * ((float)above - (float)below);
    return (unsigned char)(value + 0.5f);
}

void rvi_canvas_dot(rvi_canvas *c, int x, int y, rvi_ink ink) {
    if (x < 0 || y < 0 || x >= c->width || y >= c->height)
        return;
    unsigned char *at = c->rgb + 3 * ((size_t)y * (size_t)c->width + (size_t)x);
    at[0] = mix(at[0], ink.red, ink.cover);
    at[1] = mix(at[1], ink.green, ink.cover);
    at[2] = mix(at[2], ink.blue, ink.cover);
}

void rvi_canvas_box(rvi_canvas *c, int x, int y, int width, int height, rvi_ink ink) {
    for (int v = rvi_maxi(y, 0); v < rvi_mini(y + height, c->height); v++)
        for (int u = rvi_maxi(x, 0); u < rvi_mini(x + width, c->width); u++)
            rvi_canvas_dot(c, u, v, ink);
}

/* From a pixel's middle to the nearest point of the line. */
static float distance_to(rvi_point from, rvi_point to, float x, float y) {
    float dx = to.x - from.x, dy = to.y - from.y, length = dx * dx + dy * dy;
    float t = length > 0.0f ? ((x - from.x) * dx + (y - from.y) * dy) / length : 0.0f;
    t = rvi_clampf(t, 0.0f, 1.0f);
    float u = x - (from.x + t * dx), v = y - (from.y + t * dy);
    return sqrtf(u * u + v * v);
}

static int pixel_at(float place, int most) {
    return (int)rvi_clampf(rvi_floorf(place), -1.0f, (float)most);
}

void rvi_canvas_line(rvi_canvas *c, rvi_point from, rvi_point to, float width, rvi_ink ink) {
    float half = 0.5f * width, reach = half + 1.0f;
    int x0 = pixel_at(rvi_minf(from.x, to.x) - reach, c->width);
    int x1 = pixel_at(rvi_maxf(from.x, to.x) + reach, c->width);
    int y0 = pixel_at(rvi_minf(from.y, to.y) - reach, c->height);
    int y1 = pixel_at(rvi_maxf(from.y, to.y) + reach, c->height);
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            float cover = half + 0.5f - distance_to(from, to, (float)x + 0.5f, (float)y + 0.5f);
            if (cover <= 0.0f)
                continue;
            rvi_ink part = ink;
            part.cover *= rvi_minf(cover, 1.0f);
            rvi_canvas_dot(c, x, y, part);
        }
}
