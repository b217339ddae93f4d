/* plot.c: a picture with two axes. */
#include "picture/plot.h"
#include "base/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 92, RIGHT = 26, TOP = 52, BOTTOM = 76, TICKS = 6 };

static const rvi_ink DARK = {38, 44, 54, 1.0f}, GRID = {223, 227, 233, 1.0f},
                     FAINT = {240, 242, 246, 1.0f}, FIELD = {252, 252, 253, 1.0f};
static const float TITLE = 15.0f, LABEL = 12.0f, NUMBER = 10.5f; /* heights of capitals */

static double scale_of(const rvi_axis *axis, double value) {
    if (!axis->decades)
        return (value - axis->low) / (axis->high - axis->low);
    double low = (double)rvi_logf((float)axis->low), high = (double)rvi_logf((float)axis->high);
    return ((double)rvi_logf((float)value) - low) / (high - low);
}

rvi_point rvi_plot_place(const rvi_plot *plot, double x, double y) {
    float u = (float)scale_of(&plot->x, x), v = (float)scale_of(&plot->y, y);
    return (rvi_point){(float)plot->left + u * (float)(plot->right - plot->left),
                       (float)plot->bottom - v * (float)(plot->bottom - plot->top)};
}

/* ---- numbers along the axes ---- */

static double power_of_ten(int power) {
    double p = 1.0;
    for (int i = 0; i < (power < 0 ? -power : power); i++)
        p *= 10.0;
    return power < 0 ? 1.0 / p : p;
}

/* 1, 2 or 5 times a power of ten, so that there are about TICKS of them. */
static double even_step(double range) {
    int power = -12;
    while (power_of_ten(power + 1) * TICKS <= range)
        power++;
    double unit = power_of_ten(power);
    return 5.0 * unit * TICKS <= range   ? 5.0 * unit
           : 2.0 * unit * TICKS <= range ? 2.0 * unit
                                         : unit;
}

static void write_number(double value, bool decades, char text[32]) {
    if (decades && (value < 0.999e-3 || value > 1e5)) {
        int power = 0;
        for (; value < 0.5; value *= 10.0)
            power--;
        for (; value > 5.0; value /= 10.0)
            power++;
        snprintf(text, 32, "1e%d", power);
        return;
    }
    snprintf(text, 32, "%.6g", value);
}

/* A line across the field, and its number when there is one. */
static void put_tick(rvi_plot *p, bool along_x, double value, bool named, rvi_ink ink) {
    rvi_point at =
        along_x ? rvi_plot_place(p, value, p->y.low) : rvi_plot_place(p, p->x.low, value);
    int place = (int)(along_x ? at.x : at.y);
    if (along_x)
        rvi_canvas_box(&p->canvas, place, p->top, 1, p->bottom - p->top, ink);
    else
        rvi_canvas_box(&p->canvas, p->left, place, p->right - p->left, 1, ink);
    if (!named)
        return;
    char text[32];
    write_number(value, along_x ? p->x.decades : p->y.decades, text);
    if (along_x)
        rvi_font_write(&p->canvas, at.x, (float)p->bottom + 22.0f, NUMBER, RVI_MIDDLE, DARK, text);
    else
        rvi_font_write(&p->canvas, (float)p->left - 10.0f, at.y + 5.0f, NUMBER, RVI_RIGHT, DARK,
                       text);
}

static void put_decades(rvi_plot *p, bool along_x) {
    const rvi_axis *axis = along_x ? &p->x : &p->y;
    for (int named = 0; named <= 1; named++) /* decades over what lies between them */
        for (int power = -12; power <= 12; power++)
            for (int k = 1; k < 10; k++) {
                double value = k * power_of_ten(power);
                bool whole = k == 1;
                if (whole == (named == 1) && value >= axis->low * 0.9999 &&
                    value <= axis->high * 1.0001)
                    put_tick(p, along_x, value, whole, whole ? GRID : FAINT);
            }
}

static void put_ticks(rvi_plot *p, bool along_x) {
    const rvi_axis *axis = along_x ? &p->x : &p->y;
    if (axis->decades) {
        put_decades(p, along_x);
        return;
    }
    double step = even_step(axis->high - axis->low);
    double first = rvi_floor(axis->low / step - 1e-9) + 1.0;
    for (double k = first; k * step <= axis->high + 1e-9 * step; k += 1.0)
        put_tick(p, along_x, k == 0.0 ? 0.0 : k * step, true, GRID);
}

/* ---- the whole ---- */

rv_status rvi_plot_make(rv_context *ctx, const char *title, const rvi_axis *x, const rvi_axis *y,
                        rvi_plot *out) {
    *out = (rvi_plot){.x = *x,
                      .y = *y,
                      .left = LEFT,
                      .top = TOP,
                      .right = RVI_PLOT_WIDTH - RIGHT,
                      .bottom = RVI_PLOT_HEIGHT - BOTTOM};
    rv_status status = rvi_canvas_make(ctx, RVI_PLOT_WIDTH, RVI_PLOT_HEIGHT, &out->canvas);
    if (status != RV_OK)
        return status;
    rvi_canvas *c = &out->canvas;
    rvi_canvas_box(c, out->left, out->top, out->right - out->left, out->bottom - out->top, FIELD);
    put_ticks(out, true);
    put_ticks(out, false);
    float middle = 0.5f * (float)(out->left + out->right);
    rvi_font_write(c, (float)out->left, 32.0f, TITLE, RVI_LEFT, DARK, title);
    rvi_font_write(c, middle, (float)RVI_PLOT_HEIGHT - 20.0f, LABEL, RVI_MIDDLE, DARK, x->label);
    rvi_font_write_upwards(c, 28.0f, 0.5f * (float)(out->top + out->bottom), LABEL, DARK, y->label);
    return RV_OK;
}

void rvi_plot_free(rv_context *ctx, rvi_plot *plot) {
    rvi_canvas_free(ctx, &plot->canvas);
}

/* Cuts a line to the field, from its `from` end; false: nothing of it is inside. */
static bool cut(rvi_point *from, rvi_point to, float low, float high, bool by_x) {
    float a = by_x ? from->x : from->y, b = by_x ? to.x : to.y;
    if (a >= low && a <= high)
        return true;
    float edge = a < low ? low : high;
    if ((a < low && b < low) || (a > high && b > high))
        return false;
    float t = (edge - a) / (b - a);
    *from = (rvi_point){from->x + t * (to.x - from->x), from->y + t * (to.y - from->y)};
    return true;
}

void rvi_plot_line(rvi_plot *p, double x0, double y0, double x1, double y1, float width,
                   rvi_ink ink) {
    rvi_point a = rvi_plot_place(p, x0, y0), b = rvi_plot_place(p, x1, y1);
    float left = (float)p->left, right = (float)p->right;
    float top = (float)p->top, bottom = (float)p->bottom;
    if (cut(&a, b, left, right, true) && cut(&b, a, left, right, true) &&
        cut(&a, b, top, bottom, false) && cut(&b, a, top, bottom, false))
        rvi_canvas_line(&p->canvas, a, b, width, ink);
}

void rvi_plot_frame(rvi_plot *p) {
    rvi_canvas_box(&p->canvas, p->left, p->bottom, p->right - p->left + 1, 1, DARK);
    rvi_canvas_box(&p->canvas, p->left, p->top, 1, p->bottom - p->top, DARK);
}
