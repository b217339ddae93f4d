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
    read_file("says.r16", b);
    uint64_t data_hash = rvi_bytes_hash(ctx, b->data, b->size);
    read_file("says.r16.ravine.json", b);
    b->data[b->size] = '\0';
    char expected[512];
    snprintf(expected, sizeof expected,
             "{\n  \"format\": \"r16\",\n  \"field\": \"height\",\n  \"unit\": \"m\",\n"
             "  \"meaning\": \"height of the surface: of all layers together\",\n  \"width\": 5,\n"
             "  \"height\": 4,\n  \"min_m\": -12.1000004,\n  \"max_m\": 0.100000001,\n"
             "  \"cell_m\": 7.30000019,\n  \"row_order\": \"north first\",\n"
             "  \"byte_order\": \"little\",\n  \"registration\": \"node\",\n"
             "  \"ravine_version\": \"%s\",\n  \"hash\": \"%016llx\",\n"
             "  \"data_hash\": \"%016llx\"\n}\n",
             rv_version(), (unsigned long long)rv_terrain_hash(land),
             (unsigned long long)data_hash);
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
        rvi_sidecar in = {
            .scale = {.width = 2, .height = 1, .low = value, .high = value, .cell = 1.0f}};
        rvi_sidecar out;
        const rvi_sidecar_field field = {"a\"\\\n\x1f", "", ""};
        size_t size = rvi_sidecar_print(&in, "r16", &field, 1, text);
        assert_less(size, RVI_SIDECAR_SIZE);
        assert_equal(text[size], '\0');
        support_ok(ctx, rvi_sidecar_parse(ctx, "x", text, size, &out));
        assert_memory_equal(&out.scale.low, &value, sizeof value);
        assert_memory_equal(&out.scale.high, &value, sizeof value);
    }
    rv_context_destroy(ctx);
}

/* Layers are in metres; what a user named has no unit. */
static void every_field_has_its_unit(void **state) {
    (void)state;
    static const char *const units[][2] = {{"height", "m"},  {"bedrock", "m"},      {"sand", "m"},
                                           {"water", "m"},   {"velocity_x", "m/s"}, {"area", "m2"},
                                           {"slope", "deg"}, {"curvature", "1/m"},  {"steep", ""},
                                           {"hardness", ""}};
    rv_context *ctx = listening();
    rv_terrain *land =
        support_run(ctx, "terrain size=8 noise layer name=sand pipes rounds=1 analyse "
                         "hardness noise=1 select name=steep where=\"slope > 9\"");
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
        rv_save_params p = rv_save_params_default();
        char wanted[64];
        static blob b;
        p.file = "unit.r32";
        p.field = units[k][0];
        support_ok(ctx, rv_step_run(land, RV_STEP_save, &p, NULL));
        read_file("unit.r32.ravine.json", &b);
        b.data[b.size] = '\0';
        snprintf(wanted, sizeof wanted, "\"field\": \"%s\",\n  \"unit\": \"%s\"", units[k][0],
                 units[k][1]);
        if (!strstr((const char *)b.data, wanted))
            fail_msg("%s is not in %s", wanted, (const char *)b.data);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("unit.r32");
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

/* ---- Which file a sidecar is about ---- */

/* Changes the last byte, as another program would. */
static void change_file(const char *path) {
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    read_file(path, b);
    b->data[b->size - 1] ^= 1;
    write_file(path, b->data, b->size);
    free(b);
}

/* The scale of a file that was changed is not taken for granted: the sentence says which words to
 * give, and then, or without the sidecar, the file is read. */
static void a_file_that_was_changed_is_not_taken_for_the_old_one(void **state) {
    (void)state;
    static const struct {
        const char *file, *words;
    } cases[] = {{"own.r16", "width=4 low=-5 high=95 cell=7.30000019"},
                 {"own.r32", "width=4 cell=7.30000019"},
                 {"own.npy", "cell=7.30000019"}};
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f), *rough = rough_land(ctx, 4, 9, -5.0f, 95.0f);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *file = cases[i].file;
        char text[256];
        support_ok(ctx, save(rough, file));
        support_ok(ctx, open_file(land, file));
        change_file(file);
        assert_int_equal(open_file(land, file), RV_ERROR_INPUT);
        assert_says(ctx, cases[i].words);
        snprintf(text, sizeof text, "%s.ravine.json", file);
        assert_says(ctx, text);
        snprintf(text, sizeof text, "open %s %s", file, cases[i].words);
        rv_terrain *told = support_run(ctx, text);
        assert_equal(rv_terrain_height(told), 9);
        assert_equal(rv_terrain_cell(told), 7.3f);
        rv_terrain_destroy(told);
        snprintf(text, sizeof text, "%s.ravine.json", file);
        assert_int_equal(remove(text), 0);
        support_ok(ctx, open_file(land, file));
        assert_equal(rv_terrain_cell(land), 10.0f);
        forget(file);
    }
    rv_terrain_destroy(rough);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Sidecars of other versions and programs name no file, and hold for what is there. */
static void a_sidecar_without_a_hash_holds(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
    write_text("plain.r16", "12345678");
    write_text("plain.r16.ravine.json", "{\"cell_m\": 3, \"min_m\": 1, \"max_m\": 2}");
    support_ok(ctx, open_file(land, "plain.r16"));
    assert_equal(rv_terrain_cell(land), 3.0f);
    write_text("plain.r16.ravine.json", "{\"cell_m\": 3, \"data_hash\": \"0123456789abcdeF\"}");
    assert_int_equal(open_file(land, "plain.r16"), RV_ERROR_INPUT);
    assert_says(ctx, "data_hash must be a string of 16 hexadecimal digits");
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("plain.r16");
}

/* A run that was killed between its two renames leaves the new sidecar with the old file. */
static void the_scale_of_the_file_before_is_known(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 2, 2, 1.0f);
    rv_terrain *old = rough_land(ctx, 4, 9, -5.0f, 95.0f), *new = rough_land(ctx, 5, 6, 3.0f, 8.0f);
    blob *data = malloc(sizeof *data);
    assert_non_null(data);
    rvi_sidecar sidecar;
    char text[RVI_SIDECAR_SIZE];
    support_ok(ctx, save(old, "pair.r16"));
    support_ok(ctx, open_file(land, "pair.r16"));
    uint64_t hash = rv_terrain_hash(land);
    read_file("pair.r16", data);
    support_ok(ctx, rvi_sidecar_read(ctx, "pair.r16", &sidecar));
    for (int kills = 0; kills < RVI_SCALES - 1; kills++) {
        rvi_scale scale = {.width = 5, .height = 6, .low = 3, .high = 8, .cell = 7, .hashed = true};
        scale.data_hash = (uint64_t)kills;
        rvi_sidecar_renew(&sidecar, &scale);
        const rvi_sidecar_field field = {"height", "m", ""};
        size_t size = rvi_sidecar_print(&sidecar, "r16", &field, 1, text);
        write_file("pair.r16.ravine.json", text, size);
        support_ok(ctx, open_file(land, "pair.r16"));
        assert_equal(rv_terrain_hash(land), hash);
        support_ok(ctx, rvi_sidecar_read(ctx, "pair.r16", &sidecar));
    }
    support_ok(ctx, save(new, "pair.r16"));
    support_ok(ctx, rvi_sidecar_read(ctx, "pair.r16", &sidecar));
    assert_int_equal(sidecar.previous_count, 0); /* the same land gives the same sidecar */
    write_file("pair.r16", data->data, data->size);
    assert_int_equal(open_file(land, "pair.r16"), RV_ERROR_INPUT);
    free(data);
    rv_terrain_destroy(new);
    rv_terrain_destroy(old);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    forget("pair.r16");
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
        support_ok(ctx, rvi_step_plan(&planned, NULL, RV_STEP_open, &p, 1, &memory));
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

/* ---- curves ---- */

/* What a level stands for becomes that level again, and values grow with levels. */
static void curves_are_undone(void **state) {
    (void)state;
    for (int curve = 0; curve < RVI_CURVES; curve++)
        for (int bits = 8; bits <= 16; bits += 8) {
            rvi_raster raster = {.bits = bits, .low = -3, .high = 5e6f, .curve = (rvi_curve)curve};
            int top = rvi_level_top(bits);
            float last = -4;
            for (int level = 0; level <= top; level++) {
                float value = rvi_level_to_value((float)level / (float)top, bits, raster.low,
                                                 raster.high, raster.curve);
                assert_less_equal(last, value);
                last = value;
                if (curve != RVI_LOG || value > 1e-4f) /* near -3 floats are farther apart */
                    assert_equal(rvi_level_from_value(&raster, value), (unsigned)level);
            }
            assert_equal(last, raster.high);
        }
}

/* A field saved by a curve comes back, small values the more exactly, and is not black. */
static void fields_come_back(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const curves[] = {"linear", "sqrt", "log"};
    /* How far a value may be off: half a level, as metres a level there. */
    double worst[3] = {0, 0, 0};
    int dark[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        char text[256];
        snprintf(
            text, sizeof text,
            "terrain size=64 cell=10 noise seed=5 drain analyse save curve.%s field=area curve=%s",
            k == 1 ? "r16" : "png", curves[k]);
#ifndef RAVINE_PNG
        snprintf(
            text, sizeof text,
            "terrain size=64 cell=10 noise seed=5 drain analyse save curve.r16 field=area curve=%s",
            curves[k]);
#endif
        rv_terrain *land = support_run(ctx, text);
        bool raw = strstr(text, "curve.r16") != NULL;
        rv_terrain *back = support_run(ctx, raw ? "open curve.r16" : "open curve.png");
        const float *area = rv_terrain_field(land, "area"), *z = rv_terrain_field(back, "height");
        float high = 0;
        for (int i = 0; i < 64 * 64; i++)
            high = fmaxf(high, area[i]);
        for (int i = 0; i < 64 * 64; i++) {
            double off = fabs((double)z[i] - (double)area[i]);
            worst[k] = fmax(worst[k], area[i] < 1000 ? off : 0);
            assert_less(off, (double)high / 65535 * 6.0); /* log: steps at the top are 5.5 times */
            rvi_raster raster = {.bits = 8, .low = 100, .high = high, .curve = (rvi_curve)k};
            dark[k] += rvi_level_from_value(&raster, area[i]) < 3;
        }
        rv_terrain_destroy(land);
        rv_terrain_destroy(back);
        forget(raw ? "curve.r16" : "curve.png");
    }
    assert_less(worst[1], worst[0]);
    assert_less(worst[2], worst[1]);
    assert_greater(dark[0], 64 * 64 * 8 / 10);
    assert_less(dark[2], 64 * 64 / 2);
    rv_context_destroy(ctx);
}

/* A curve is the sidecar's word: told otherwise, or for another file, it does not hold. */
static void curves_and_sidecars(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    support_ok(ctx, rv_recipe_run_text(ctx,
                                       "terrain size=9 noise level low=0 high=100 "
                                       "save bent.r16 curve=sqrt",
                                       NULL, NULL));
    rv_terrain *told = support_run(ctx, "open bent.r16 curve=linear");
    rv_terrain *said = support_run(ctx, "open bent.r16");
    for (int i = 0; i < 81; i++) {
        double level = (double)rv_terrain_field(told, "height")[i] / 100;
        assert_near(rv_terrain_field(said, "height")[i], 100 * level * level, 1e-4);
    }
    rv_terrain_destroy(told);
    rv_terrain_destroy(said);
    assert_int_equal(rv_recipe_run_text(ctx, "terrain size=9 save x.npy curve=log", NULL, NULL),
                     RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(ctx), "curve=log is for levels"));
    assert_int_equal(rv_recipe_run_text(ctx, "terrain size=9 save x.obj curve=log", NULL, NULL),
                     RV_ERROR_USAGE);
    write_text("bent.r16.ravine.json", "{\"curve\": \"cubic\"}");
    assert_int_equal(rv_recipe_run_text(ctx, "open bent.r16", NULL, NULL), RV_ERROR_INPUT);
    assert_non_null(strstr(rv_context_error(ctx), "curve must be"));
    rv_context_destroy(ctx);
    forget("bent.r16");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sidecar_says_all),
        cmocka_unit_test(every_field_has_its_unit),
        cmocka_unit_test(any_float_survives_the_sidecar),
        cmocka_unit_test(the_users_word_goes_first),
        cmocka_unit_test(a_file_that_was_changed_is_not_taken_for_the_old_one),
        cmocka_unit_test(a_sidecar_without_a_hash_holds),
        cmocka_unit_test(the_scale_of_the_file_before_is_known),
        cmocka_unit_test(what_is_guessed_is_said),
        cmocka_unit_test(a_plan_reads_only_the_header),
        cmocka_unit_test(curves_are_undone),
        cmocka_unit_test(fields_come_back),
        cmocka_unit_test(curves_and_sidecars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
