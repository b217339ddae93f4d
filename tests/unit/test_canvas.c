/* Lines, letters and axes: what is drawn is where it must be, and nowhere else. */
#include "support.h"

#include "picture/map_page.h"
#include "picture/plot.h"

#include <math.h>
#include <string.h>

static const rvi_ink BLACK = {0, 0, 0, 1.0f};

/* How much ink lies in a part of the picture, in pixels. */
static double ink_in(const rvi_canvas *c, int x0, int y0, int x1, int y1) {
    double sum = 0.0;
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            sum += (255 - c->rgb[3 * (y * c->width + x)]) / 255.0;
    return sum;
}

static void near(double value, double want, double within) {
    if (!(fabs(value - want) <= within))
        fail_msg("%g is not within %g of %g", value, within, want);
}

static void lines_cover_what_they_should(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_canvas c;
    support_ok(ctx, rvi_canvas_make(ctx, 120, 80, &c));
    near(ink_in(&c, 0, 0, 120, 80), 0.0, 0.0);
    rvi_canvas_line(&c, (rvi_point){20.0f, 40.0f}, (rvi_point){80.0f, 40.0f}, 4.0f, BLACK);
    near(ink_in(&c, 30, 0, 70, 80), 4.0 * 40, 0.01); /* away from its round ends */
    near(ink_in(&c, 30, 38, 70, 42), 4.0 * 40, 0.01);
    near(ink_in(&c, 0, 0, 120, 80), 4.0 * 60 + 3.14159 * 4, 2.0);
    rvi_canvas_free(ctx, &c);
    support_ok(ctx, rvi_canvas_make(ctx, 120, 80, &c));
    rvi_canvas_line(&c, (rvi_point){20.0f, 10.0f}, (rvi_point){80.0f, 70.0f}, 3.0f, BLACK);
    near(ink_in(&c, 30, 0, 70, 80), 3.0 * 40 * sqrt(2.0), 3.0);
    rvi_canvas_free(ctx, &c);
    support_ok(ctx, rvi_canvas_make(ctx, 120, 80, &c));
    rvi_canvas_line(&c, (rvi_point){60.0f, 40.0f}, (rvi_point){60.0f, 40.0f}, 20.0f, BLACK);
    near(ink_in(&c, 0, 0, 120, 80), 3.14159 * 100, 3.0); /* a disc */
    /* What lies outside is left out, however far. */
    rvi_canvas_line(&c, (rvi_point){-9e9f, -9e9f}, (rvi_point){-100.0f, -50.0f}, 3.0f, BLACK);
    rvi_canvas_line(&c, (rvi_point){9e9f, 300.0f}, (rvi_point){300.0f, 9e9f}, 3.0f, BLACK);
    rvi_canvas_box(&c, -50, -50, 40, 40, BLACK);
    rvi_canvas_box(&c, 130, 70, 40, 40, BLACK);
    near(ink_in(&c, 0, 0, 120, 80), 3.14159 * 100, 3.0);
    rvi_canvas_box(&c, 110, 70, 40, 40, (rvi_ink){0, 0, 0, 0.5f});
    near(ink_in(&c, 110, 70, 120, 80), 50.0, 0.5);
    rvi_canvas_free(ctx, &c);
    rv_context_destroy(ctx);
}

static void letters_stay_in_their_place(void **state) {
    (void)state;
    static const char text[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz "
                               "0123456789.,-+/:=()%^'";
    rv_context *ctx = support_context(1);
    rvi_canvas c;
    float width = rvi_font_width(14.0f, text);
    assert_greater(width, 300.0f);
    assert_less(width, 1200.0f);
    support_ok(ctx, rvi_canvas_make(ctx, 1400, 60, &c));
    rvi_font_write(&c, 100.0f, 40.0f, 14.0f, RVI_LEFT, BLACK, text);
    int end = 100 + (int)width + 2;
    double all = ink_in(&c, 0, 0, 1400, 60);
    assert_greater(all, 500.0);
    near(ink_in(&c, 98, 24, end, 47), all, 1e-9); /* capitals above, tails below the line */
    rvi_canvas_free(ctx, &c);
    support_ok(ctx, rvi_canvas_make(ctx, 1400, 60, &c));
    rvi_font_write(&c, 1300.0f, 40.0f, 14.0f, RVI_RIGHT, BLACK, text);
    near(ink_in(&c, 0, 0, 1400, 60), all, 60.0);
    near(ink_in(&c, 1303, 0, 1400, 60), 0.0, 0.0);
    rvi_canvas_free(ctx, &c);
    support_ok(ctx, rvi_canvas_make(ctx, 60, 1400, &c));
    rvi_font_write_upwards(&c, 40.0f, 700.0f, 14.0f, BLACK, text);
    near(ink_in(&c, 0, 0, 60, 1400), all, 60.0);
    near(ink_in(&c, 24, 0, 47, 1400), ink_in(&c, 0, 0, 60, 1400), 1e-9);
    rvi_canvas_free(ctx, &c);
    rv_context_destroy(ctx);
}

/* Every sign has a shape of its own, and those without one are question marks. */
static void letters_differ(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    enum { WIDE = 40, HIGH = 30, SIGNS = 127 - 32 };
    static unsigned char shapes[SIGNS][3 * WIDE * HIGH];
    int question = '?' - 32, unknown = 0;
    for (int i = 0; i < SIGNS; i++) {
        rvi_canvas c;
        char text[2] = {(char)(i + 32), '\0'};
        support_ok(ctx, rvi_canvas_make(ctx, WIDE, HIGH, &c));
        rvi_font_write(&c, 10.0f, 22.0f, 14.0f, RVI_LEFT, BLACK, text);
        memcpy(shapes[i], c.rgb, sizeof shapes[i]);
        rvi_canvas_free(ctx, &c);
    }
    for (int i = 0; i < SIGNS; i++) {
        bool alike = memcmp(shapes[i], shapes[question], sizeof shapes[i]) == 0;
        unknown += alike;
        for (int k = 0; k < i && !alike; k++)
            if (memcmp(shapes[i], shapes[k], sizeof shapes[i]) == 0)
                fail_msg("%c and %c look the same", i + 32, k + 32);
    }
    assert_less(unknown, 22); /* letters, figures and what stands in labels are all there */
    rv_context_destroy(ctx);
}

static void axes_put_points_where_they_belong(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_axis x = {"x", 0.1, 1000.0, true}, y = {"y", -2.0, 6.0, false};
    rvi_plot p;
    support_ok(ctx, rvi_plot_make(ctx, "test", &x, &y, &p));
    float w = (float)(p.right - p.left), h = (float)(p.bottom - p.top);
    rvi_point a = rvi_plot_place(&p, 0.1, -2.0), b = rvi_plot_place(&p, 1000.0, 6.0);
    rvi_point m = rvi_plot_place(&p, 10.0, 2.0);
    near((double)a.x, p.left, 0.01);
    near((double)a.y, p.bottom, 0.01);
    near((double)b.x, p.right, 0.01);
    near((double)b.y, p.top, 0.01);
    near((double)m.x, (double)((float)p.left + 0.5f * w), 0.01);
    near((double)m.y, (double)((float)p.top + 0.5f * h), 0.01);
    /* A line from far left of the field to far above it is cut at the field. */
    double title = ink_in(&p.canvas, 0, 0, p.canvas.width, p.top - 2);
    double left = ink_in(&p.canvas, 0, 0, p.left - 3, p.canvas.height);
    rvi_plot_line(&p, 0.001, -10.0, 1000.0, 30.0, 3.0f, BLACK);
    near(ink_in(&p.canvas, 0, 0, p.canvas.width, p.top - 2), title, 1e-9);
    near(ink_in(&p.canvas, 0, 0, p.left - 3, p.canvas.height), left, 1e-9);
    rvi_plot_free(ctx, &p);
    rv_context_destroy(ctx);
}

/* Small maps grow, large ones shrink, and cells are found again. */
static void sheets_fit_their_map(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const int sizes[][2] = {{1, 2}, {64, 40}, {600, 3}, {2000, 30}, {5000, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        rv_terrain *land = support_land(ctx, sizes[i][0], sizes[i][1], 10.0f);
        rvi_map_page s;
        support_ok(ctx, rvi_map_page_make(land, NULL, "map", &s));
        assert_less(s.canvas.width, 2000);
        assert_less(s.canvas.height, 2000);
        assert_less_equal(3 * (size_t)s.canvas.width * (size_t)s.canvas.height,
                          rvi_map_page_bytes(sizes[i][0], sizes[i][1]));
        rvi_map_page_tint(&s, 0, 0, (rvi_ink){255, 0, 0, 1.0f});
        rvi_point at = rvi_map_page_place(&s, 0, 0);
        const unsigned char *pixel = s.canvas.rgb + 3 * ((int)at.y * s.canvas.width + (int)at.x);
        assert_greater(pixel[0], 200);
        assert_equal(pixel[1], 0);
        assert_equal(pixel[2], 0);
        rvi_map_page_legend_box(&s, BLACK, "box");
        rvi_map_page_legend_line(&s, BLACK, 2.0f, "line");
        rvi_map_page_legend_words(&s, "words");
        rvi_map_page_free(ctx, &s);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_cover_what_they_should),
        cmocka_unit_test(letters_stay_in_their_place),
        cmocka_unit_test(letters_differ),
        cmocka_unit_test(axes_put_points_where_they_belong),
        cmocka_unit_test(sheets_fit_their_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
