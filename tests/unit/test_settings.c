/* Settings files become words of scenes that mean the same; a bad line is named with what was
 * expected. */
#include "support.h"

#include "base/context.h"
#include "scene/scene_setup.h"
#include "scene/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The example of appendix B, as it stands there. */
static const char example[] =
    "# Scene settings\n"
    "-----\n"
    "# models (filename reverseWinding scaleFactor translation)\n"
    "m data/cube.obj 0 30/30/30 0/0/0\n"
    "m data/model.obj 1 30/30/30 0/0/0\n"
    "\n"
    "# fluid source (rate position size)\n"
    "f 10 0/0/10 10/10/10\n"
    "f 5 -20/-20/10 3/3/3\n"
    "\n"
    "# maximum number of particles\n"
    "p 1000\n"
    "\n"
    "# distance limit for tessellation\n"
    "d 100.5\n"
    "\n"
    "# material (sediment_change max_sediment_in_particle critical_shear)\n"
    "s 0.02 1.0 0.25\n";

static rvi_words words_of(rv_context *ctx, const char *settings) {
    char *text;
    rvi_words words;
    assert_true(rvi_settings_are(settings));
    support_ok(ctx, rvi_settings_read(ctx, settings, "settings", &text));
    support_ok(ctx, rvi_words_parse(ctx, &rvi_scene_vocabulary, text, strlen(text), "words", false,
                                    &words));
    rvi_free(ctx, text);
    return words;
}

static void the_example_means_what_it_says(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_words words = words_of(ctx, example);
    const rvi_word_box *box = NULL;
    const rvi_word_model *model = NULL;
    const rvi_word_source *sources[2] = {NULL, NULL};
    int models = 0, count = 0;
    for (int i = 0; i < words.count; i++) {
        const void *params = words.list[i].params;
        switch (words.list[i].which) {
        case RVI_WORD_box:
            box = params;
            break;
        case RVI_WORD_model:
            model = params;
            models++;
            break;
        case RVI_WORD_source:
            assert_less(count, 2);
            sources[count++] = params;
            break;
        default:
            break;
        }
    }
    assert_non_null(box);
    assert_string_equal(box->file, "data/cube.obj");
    assert_equal(box->scale[0], 30);
    assert_equal(box->scale[2], 30);
    assert_equal(box->move[1], 0);
    assert_int_equal(models, 1);
    assert_string_equal(model->file, "data/model.obj");
    assert_true(model->reverse);
    assert_int_equal(count, 2);
    assert_int_equal(sources[0]->every, 10);
    assert_equal(sources[1]->at[0], -20);
    assert_equal(sources[1]->at[2], 10);
    assert_equal(sources[1]->size[1], 3);
    rvi_word_particles p;
    assert_int_equal(
        ((const rvi_word_particles *)rvi_scene_last(&words, RVI_WORD_particles, &p))->max, 1000);
    rvi_word_tessellate t;
    assert_equal(
        ((const rvi_word_tessellate *)rvi_scene_last(&words, RVI_WORD_tessellate, &t))->limit,
        100.5f);
    rvi_word_material m;
    assert_equal(
        ((const rvi_word_material *)rvi_scene_last(&words, RVI_WORD_material, &m))->critical,
        0.25f);
    rvi_words_free(&words);
    rv_context_destroy(ctx);
}

static void what_settings_are(void **state) {
    (void)state;
    assert_true(rvi_settings_are("p 10"));
    assert_true(rvi_settings_are("\n  # m\r\n\t-----\n  s 1 2 3\n"));
    assert_true(rvi_settings_are("m"));
    assert_false(rvi_settings_are(""));
    assert_false(rvi_settings_are("# only a comment\n---\n"));
    assert_false(rvi_settings_are("model rock.obj\n"));
    assert_false(rvi_settings_are("x\nm a 0 1/1/1 0/0/0\n"));
    assert_false(rvi_settings_are("- m\n"));
}

/* The sentence names the file, the line and what was expected. */
static void bad_lines_are_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *where, *expected;
    } cases[] = {
        {"p 10\nx 3\n", "line 2", "m, f, p, d, s or #"},
        {"p\n", "line 1", "p MOST"},
        {"p 0\n", "line 1", "\"0\""},
        {"p 1.5\n", "line 1", "whole number"},
        {"p nan\n", "line 1", "\"nan\""},
        {"p 1 2\n", "line 1", "p MOST"},
        {"d -1\n", "line 1", "a distance"},
        {"d 1e999\n", "line 1", "a distance"},
        {"m a.obj 0 1/1/1\n", "line 1", "m FILE REVERSE SCALE MOVE"},
        {"m a.obj 2 1/1/1 0/0/0\n", "line 1", "turned over"},
        {"m a.obj 0 1/1 0/0/0\n", "line 1", "a scale"},
        {"m a.obj 0 0/1/1 0/0/0\n", "line 1", "a scale"},
        {"m a.obj 0 1/1/1 0/0/z\n", "line 1", "a translation"},
        {"m a\"b.obj 0 1/1/1 0/0/0\n", "line 1", "without quotes"},
        {"\n\nf 0 0/0/0 1/1/1\n", "line 3", "frames between"},
        {"f 1 0/0/0 -1/1/1\n", "line 1", "a size"},
        {"s 0.1 1\n", "line 1", "s CHANGE MOST CRITICAL"},
        {"s -1 1 1\n", "line 1", "how fast"},
        {"s 1 1 1 1 1 1 1 1 1\n", "line 1", "s CHANGE MOST CRITICAL"},
    };
    rv_context *ctx = support_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text;
        assert_int_equal(rvi_settings_read(ctx, cases[i].text, "a.txt", &text), RV_ERROR_INPUT);
        assert_null(text);
        const char *said = rv_context_error(ctx);
        assert_non_null(strstr(said, "a.txt"));
        assert_non_null(strstr(said, cases[i].where));
        if (!strstr(said, cases[i].expected))
            fail_msg("%s does not name %s", said, cases[i].expected);
    }
    rv_context_destroy(ctx);
}

/* Numbers go through words without loss. */
static void numbers_keep_their_bits(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_words words = words_of(ctx, "m a 0 0.1/0.2/0.3 -1e-7/12345.6789/1e5\n");
    rvi_word_box room;
    const rvi_word_box *box = rvi_scene_last(&words, RVI_WORD_box, &room);
    assert_equal(box->scale[0], 0.1);
    assert_equal(box->scale[1], 0.2);
    assert_equal(box->scale[2], 0.3);
    assert_equal(box->move[0], -1e-7);
    assert_equal(box->move[1], 12345.6789);
    assert_equal(box->move[2], 1e5);
    rvi_words_free(&words);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_means_what_it_says),
        cmocka_unit_test(what_settings_are),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(numbers_keep_their_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
