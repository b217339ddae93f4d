/* Sidecars hold the scale of a file; the user's word goes before theirs, and what neither says is
 * guessed aloud. */
#include "format_files.h"

#include "formats/format.h"
#include "recipe/step_run.h"

static void the_sidecar_says_all(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 5, 4, -12.1f, 0.1f);
    support_ok(ctx, save(land, "says.r16"));
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    read_file("says.r16.ravine.json", b);
    b->data[b->size] = '\0';
    char expected[512];
    snprintf(expected, sizeof expected,
             "{\n  \"format\": \"r16\",\n  \"field\": \"height\",\n  \"width\": 5,\n"
             "  \"height\": 4,\n  \"min_m\": -12.1000004,\n  \"max_m\": 0.100000001,\n"
             "  \"cell_m\": 7.30000019,\n  \"row_order\": \"north first\",\n"
             "  \"byte_order\": \"little\",\n  \"registration\": \"node\",\n"
             "  \"ravine_version\": \"%s\",\n  \"hash\": \"%016llx\"\n}\n",
             rv_version(), (unsigned long long)rv_terrain_hash(land));
    assert_string_equal((char *)b->data, expected);
    free(b);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("says.r16");
}

static void any_float_survives_the_sidecar(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    char text[RVI_SIDECAR_SIZE];
    uint32_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 1664525u + 1013904223u;
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        rvi_sidecar in = {.width = 2, .height = 1, .low = value, .high = value, .cell = 1.0f};
        rvi_sidecar out;
        size_t size = rvi_sidecar_print(&in, "r16", "a\"\\\n\x1f", 1, text);
        assert_less(size, RVI_SIDECAR_SIZE);
        assert_equal(text[size], '\0');
        support_ok(ctx, rvi_sidecar_parse(ctx, "x", text, size, &out));
        assert_memory_equal(&out.low, &value, sizeof value);
        assert_memory_equal(&out.high, &value, sizeof value);
    }
    rv_context_destroy(ctx);
}

/* ---- Scale: the user, the sidecar, the defaults ---- */

static void the_users_word_goes_first(void **state) {
    (void)state;
    rv_context *ctx = listening();
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
    write_file("scale.r16", "\0\0\xff\xff\0\0\0\0\0\0\0\0", 12);
    write_text("scale.r16.ravine.json",
               "{ \"min_m\": -10, \"max_m\": 20.5, \"cell_m\": 3e0, \"width\": 2, \"height\": 3,"
               " \"author\": { \"name\": [\"\\u00e9\\n\", null, false, -1.5E+3] } }");
    support_ok(ctx, open_file(land, "scale.r16"));
    assert_equal(rv_terrain_cell(land), 3.0f);
    assert_equal(rv_terrain_height(land), 3);
    assert_equal(rv_terrain_field(land, "height")[0], -10.0f);
    assert_equal(rv_terrain_field(land, "height")[1], 20.5f);
    assert_string_equal(log_text, "");
    rv_open_params p = rv_open_params_default();
    p.file = "scale.r16";
    p.low = 1.0f;
    p.high = 2.0f;
    p.cell = 4.0f;
    p.width = 6;
    support_ok(ctx, rv_step_run(land, RV_STEP_open, &p, NULL));
    assert_equal(rv_terrain_cell(land), 4.0f);
    assert_int_equal(rv_terrain_width(land), 6);
    assert_int_equal(rv_terrain_height(land), 1);
    assert_equal(rv_terrain_field(land, "height")[1], 2.0f);
    p.width = 5;
    assert_int_equal(rv_step_run(land, RV_STEP_open, &p, NULL), RV_ERROR_INPUT);
    p.width = RV_AUTO_INT;
    p.low = 2.0f;
    assert_int_equal(rv_step_run(land, RV_STEP_open, &p, NULL), RV_ERROR_USAGE);
    assert_says(ctx, "scale.r16: low=2 is not below high=2");
    assert_int_equal(rv_terrain_width(land), 6);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("scale.r16");
}

static void what_is_guessed_is_said(void **state) {
    (void)state;
    rv_context *ctx = listening();
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
    write_file("guess.r16", "\0\0\xff\xff\0\0\0\0", 8);
    support_ok(ctx, open_file(land, "guess.r16"));
    assert_equal(rv_terrain_cell(land), 10.0f);
    assert_equal(rv_terrain_field(land, "height")[0], 0.0f);
    assert_equal(rv_terrain_field(land, "height")[1], 1000.0f);
    assert_string_equal(log_text, "guess.r16: no scale is known, so heights run from 0 to 1000 m "
                                  "and cells are 10 m.\n");
    log_text[0] = '\0';
    write_file("guess.r32", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    support_ok(ctx, open_file(land, "guess.r32"));
    assert_string_equal(log_text, "guess.r32: no size of a cell is known, so cells are 10 m.\n");
#ifdef RAVINE_PNG
    log_text[0] = '\0';
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    make_png(b, 4, 4, 8, 0, false);
    write_file("guess.png", b->data, b->size);
    free(b);
    rv_open_params p = rv_open_params_default();
    p.file = "guess.png";
    p.low = 0.0f;
    p.high = 510.0f;
    p.cell = 1.0f;
    support_ok(ctx, rv_step_run(land, RV_STEP_open, &p, NULL));
    assert_string_equal(log_text,
                        "guess.png: 8 bit hold only 256 levels, so the land has steps of 2 m.\n");
    p.width = 5;
    assert_int_equal(rv_step_run(land, RV_STEP_open, &p, NULL), RV_ERROR_USAGE);
    assert_says(ctx, "guess.png is 4 cells wide, not 5");
    remove("guess.png");
#endif
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    remove("guess.r16");
    remove("guess.r32");
}

static void a_plan_reads_only_the_header(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = rough_land(ctx, 300, 200, 0.0f, 9.0f);
    static const char *const files[] = {"plan.r16", "plan.r32", "plan.npy",
#ifdef RAVINE_PNG
                                        "plan.png"
#endif
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        support_ok(ctx, save(land, files[i]));
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    ctx = listening();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        rv_terrain planned = {.ctx = ctx, .outline = true};
        rv_open_params p = rv_open_params_default();
        size_t memory;
        p.file = files[i];
        support_ok(ctx, rvi_terrain_reset(&planned, 2, 2, 1.0f));
        support_ok(ctx, rvi_step_plan(&planned, NULL, RV_STEP_open, &p, &memory));
        assert_int_equal(planned.width, 300);
        assert_int_equal(planned.height, 200);
        assert_equal(planned.cell, 7.3f);
        assert_null(planned.surface);
        rvi_outline_free(&planned);
        forget(files[i]);
    }
    assert_less(rv_context_memory_peak(ctx), 300 * 200 * sizeof(float));
    assert_string_equal(log_text, "");
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sidecar_says_all),
        cmocka_unit_test(any_float_survives_the_sidecar),
        cmocka_unit_test(the_users_word_goes_first),
        cmocka_unit_test(what_is_guessed_is_said),
        cmocka_unit_test(a_plan_reads_only_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
