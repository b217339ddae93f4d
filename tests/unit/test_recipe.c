/* Recipes: words become the steps they say, what is wrong is named with its place and the nearest
 * right word, and what is printed reads back as the same. */
#include "support.h"

#include "base/random.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- help ---- */

static rv_context *ctx;

static void assert_says(const char *part) {
    if (strstr(rv_context_error(ctx), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", rv_context_error(ctx), part);
}

static void assert_silent(const char *part) {
    if (strstr(rv_context_error(ctx), part) != NULL)
        fail_msg("\"%s\" says \"%s\"", rv_context_error(ctx), part);
}

static rv_recipe *parse(const char *text) {
    rv_recipe *recipe;
    if (rv_recipe_parse(ctx, text, "a.rv", &recipe) != RV_OK)
        fail_msg("%s: %s", text, rv_context_error(ctx));
    assert_non_null(recipe);
    return recipe;
}

static void assert_refused(const char *text, const char *why) {
    rv_recipe *recipe = (rv_recipe *)ctx;
    if (rv_recipe_parse(ctx, text, "a.rv", &recipe) != RV_ERROR_USAGE)
        fail_msg("this is no recipe: %s", text);
    assert_null(recipe);
    assert_says(why);
}

static const rv_param_info *param(rv_step_id id, const char *key) {
    const rv_step_info *step = rv_step_get(id);
    for (int i = 0; i < step->word.param_count; i++)
        if (strcmp(step->word.params[i].name, key) == 0)
            return &step->word.params[i];
    fail_msg("%s has no %s", step->word.name, key);
    return NULL;
}

static double number(const rv_recipe *recipe, int index, const char *key) {
    assert_less(index, rv_recipe_count(recipe));
    return rv_param_number(param(rv_recipe_step(recipe, index), key),
                           rv_recipe_params(recipe, index));
}

static uint64_t seed(const rv_recipe *recipe, int index) {
    assert_less(index, rv_recipe_count(recipe));
    return rv_param_seed(param(rv_recipe_step(recipe, index), "seed"),
                         rv_recipe_params(recipe, index));
}

static const char *text_of(const rv_recipe *recipe, int index, const char *key) {
    assert_less(index, rv_recipe_count(recipe));
    return rv_param_text(param(rv_recipe_step(recipe, index), key),
                         rv_recipe_params(recipe, index));
}

/* The names of all steps, with blanks between them. */
static void assert_steps(const rv_recipe *recipe, const char *names) {
    char got[512] = "";
    for (int i = 0; i < rv_recipe_count(recipe); i++) {
        size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%s%s", i ? " " : "",
                 rv_step_name(rv_recipe_step(recipe, i)));
    }
    assert_string_equal(got, names);
}

/* ---- words ---- */

static void words_become_steps(void **state) {
    (void)state;
    rv_recipe *recipe = parse("# alps.rv: comments run to the end of the line\n"
                              "terrain  size=1024 cell=10\n"
                              "noise    seed=7 octaves=9 shape=ridged relief=2400\n"
                              "droplets drops=800k radius=3 # not noise\n"
                              "save     alps.png\n");
    assert_steps(recipe, "terrain noise droplets save");
    assert_equal(number(recipe, 0, "size"), 1024);
    assert_equal(number(recipe, 0, "cell"), 10);
    assert_equal(number(recipe, 0, "width"), RV_AUTO_INT);
    assert_equal(seed(recipe, 1), 7);
    assert_equal(number(recipe, 1, "octaves"), 9);
    assert_equal(number(recipe, 1, "shape"), RV_noise_shape_ridged);
    assert_equal(number(recipe, 1, "relief"), 2400);
    assert_equal(number(recipe, 1, "gain"), (double)rv_noise_params_default().gain);
    assert_equal(number(recipe, 2, "drops"), 800000);
    assert_equal(number(recipe, 2, "radius"), 3);
    assert_string_equal(text_of(recipe, 3, "file"), "alps.png");
    assert_string_equal(text_of(recipe, 3, "field"), "height");
    rv_recipe_destroy(recipe);
    rv_recipe_destroy(NULL);
}

static void any_blanks_part_words(void **state) {
    (void)state;
    static const char *const same[] = {
        "terrain size=64 noise seed=2",
        "terrain\nsize=64\n\n\nnoise\nseed=2\n",
        "\t terrain\t\tsize=64\r\nnoise seed=2\r\n",
        "terrain#x\nsize=64#y=z\n#\n# noise\nnoise seed=2#",
        "terrain size=64 noise seed=9 seed=2", /* the last word counts */
        "\"terrain\" \"size\"=\"64\" noise \"se\"ed=2",
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        rv_recipe *recipe = parse(same[i]);
        assert_steps(recipe, "terrain noise");
        assert_equal(number(recipe, 0, "size"), 64);
        assert_equal(seed(recipe, 1), 2);
        rv_recipe_destroy(recipe);
    }
    static const char *const none[] = {"", "\n", "  \t\r\n", "# only this", "#\n#\n"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        rv_recipe *recipe = parse(none[i]);
        assert_int_equal(rv_recipe_count(recipe), 0);
        rv_recipe_destroy(recipe);
    }
}

static void quotes_hold_together(void **state) {
    (void)state;
    static const struct {
        const char *text, *file;
    } cases[] = {
        {"save \"my land.png\"", "my land.png"},
        {"save my\" \"land.png", "my land.png"},
        {"save \"a#1.png\"", "a#1.png"},
        {"save \"a=b.png\"", "a=b.png"},
        {"save file=\"a = b # c.png\"", "a = b # c.png"},
        {"save \"file=x\"", "file=x"},
        {"save file=a=b.png", "a=b.png"},
        {"save \"a\tb\"", "a\tb"},
        {"save a.png#b", "a.png"},
        {"save bits=8 a.png", "a.png"},
        {"save noise", "noise"}, /* a file that must be named may be named anything */
        {"save \xc3\xa4.png", "\xc3\xa4.png"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rv_recipe *recipe = parse(cases[i].text);
        assert_steps(recipe, "save");
        assert_string_equal(text_of(recipe, 0, "file"), cases[i].file);
        rv_recipe_destroy(recipe);
    }
    assert_refused("terrain\nsave \"my land.png\n", "a.rv, line 2, column 6: the quote");
    assert_refused("save \"", "a.rv, line 1, column 6: the quote");
    assert_refused("save a\"\nb\"", "the quote");
}

/* A file that may be left out is not named like a step, unless in quotes. */
static void files_that_may_be_left_out(void **state) {
    (void)state;
    rv_recipe *recipe = parse("mask droplets");
    assert_steps(recipe, "mask droplets");
    assert_string_equal(text_of(recipe, 0, "file"), "");
    rv_recipe_destroy(recipe);
    recipe = parse("mask \"droplets\" hardness mask mask invert=yes m.png noise mask \"\" mask");
    assert_steps(recipe, "mask hardness mask mask noise mask mask");
    assert_string_equal(text_of(recipe, 0, "file"), "droplets");
    assert_string_equal(text_of(recipe, 1, "file"), "");
    assert_string_equal(text_of(recipe, 3, "file"), "m.png");
    assert_string_equal(text_of(recipe, 5, "file"), "");
    rv_recipe_destroy(recipe);
    assert_refused("mask a.png b.png", "column 12: there is no step \"b.png\"");
    assert_refused("droplets rain.png", "there is no step \"rain.png\""); /* not its first word */
}

static void files_that_must_be_named(void **state) {
    (void)state;
    assert_refused("terrain noise save", "a.rv: step 3, save, needs a name for its file");
    assert_refused("save field=flow", "save");
    assert_refused("open", "open");
    assert_refused("hillshade azimuth=0", "hillshade");
    assert_refused("save \"\"", "column 6");
    assert_refused("save file=", "column 6");
    assert_refused("save a.png b.png", "there is no step \"b.png\"");
}

/* Once it has its file, the next word is a step. */
static void files_are_named_once(void **state) {
    (void)state;
    rv_recipe *recipe = parse("open file=a.png noise save file=\"b.png\" bits=8 droplets");
    assert_steps(recipe, "open noise save droplets");
    assert_string_equal(text_of(recipe, 0, "file"), "a.png");
    assert_string_equal(text_of(recipe, 2, "file"), "b.png");
    rv_recipe_destroy(recipe);
}

/* ---- values ---- */

static void values_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text, *key;
        double value;
    } cases[] = {
        {"droplets drops=800k", "drops", 800e3},
        {"droplets drops=2M", "drops", 2e6},
        {"droplets drops=1G", "drops", 1e9},
        {"droplets drops=1.5k", "drops", 1500},
        {"droplets drops=1.001k", "drops", 1001},
        {"droplets drops=1.000123M", "drops", 1000123},
        {"droplets drops=0", "drops", 0},
        {"droplets drops=1e12", "drops", 1e12},
        {"droplets drops=auto", "drops", RV_AUTO_INT},
        {"droplets drops=5 drops=auto", "drops", RV_AUTO_INT},
        {"noise octaves=1e1", "octaves", 10},
        {"noise octaves=12.0", "octaves", 12},
        {"noise gain=.25", "gain", 0.25},
        {"level low=-12.5", "low", -12.5},
        {"mask invert=yes", "invert", 1},
        {"mask invert=on", "invert", 1},
        {"mask invert=true", "invert", 1},
        {"mask invert=1", "invert", 1},
        {"mask invert=yes invert=no", "invert", 0},
        {"mask invert=yes invert=off", "invert", 0},
        {"mask invert=yes invert=false", "invert", 0},
        {"mask invert=yes invert=0", "invert", 0},
        {"save a bits=8", "bits", RV_save_bits_8},
        {"save a bits=16", "bits", RV_save_bits_16},
        {"droplets border=apron", "border", RV_droplets_border_apron},
        {"blur radius=3cells", "radius", -3},
        {"blur radius=1cell", "radius", -1},
        {"blur radius=0cells", "radius", 0},
        {"blur radius=2.5cells radius=40", "radius", 40},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rv_recipe *recipe = parse(cases[i].text);
        if (number(recipe, 0, cases[i].key) != cases[i].value)
            fail_msg("%s is read as %.17g", cases[i].text, number(recipe, 0, cases[i].key));
        rv_recipe_destroy(recipe);
    }
    rv_recipe *recipe = parse("noise frequency_x=3 frequency_x=auto seed=18446744073709551615");
    assert_true(isnan(number(recipe, 0, "frequency_x")));
    const rv_noise_params *noise = rv_recipe_params(recipe, 0);
    assert_equal(noise->seed, UINT64_MAX);
    rv_recipe_destroy(recipe);
}

static void wrong_values_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"noise octaves=17", "a.rv, line 1, column 7: noise: octaves=17 is not within 1 to 16"},
        {"noise octaves=0", "not within 1 to 16"},
        {"noise octaves=2.5", "octaves=2.5 is not a whole number"},
        {"noise octaves=", "octaves= is not a number"},
        {"noise octaves=x", "octaves=x is not a number"},
        {"noise octaves=auto", "octaves=auto is not a number"},
        {"noise gain=nan", "gain=nan is not a number"},
        {"noise gain=inf", "gain=inf is not"},
        {"noise gain=1e400", "gain=1e400 is not"},
        {"noise gain=-1e400", "gain=-1e400 is not"},
        {"noise gain=0x1", "gain=0x1 is not a number"},
        {"noise frequency=0", "not within 0.0001 to 1000 1/km"},
        {"noise seed=-1", "seed=-1 is not a whole number from 0"},
        {"noise seed=1.5", "seed=1.5 is not"},
        {"noise seed=18446744073709551616", "seed=18446744073709551616 is not"},
        {"noise shape=rigded", "shape=rigded is not one of plain, ridged, billow"},
        {"noise shape=Plain", "is not one of"},
        {"noise shape=", "is not one of"},
        {"noise shape=1", "is not one of"},
        {"mask invert=maybe", "invert=maybe is not yes or no"},
        {"mask invert=", "is not yes or no"},
        {"terrain width=-1", "width=-1 is not within 1 to 65536 cells"},
        {"terrain size=65537", "not within 2 to 65536 cells"},
        {"terrain cell=0", "not within 0.001 to 100000 m"},
        {"droplets drops=1.5", "is not a whole number"},
        {"droplets drops=1.1e12", "not within"},
        {"blur radius=-1", "radius=-1 is not within 0 to 100000 m"},
        {"blur radius=-1cells", "radius=-1cells is not within 0.001 to 65536 cells"},
        {"blur radius=65537cells", "radius=65537cells is not within 0.001 to 65536 cells"},
        {"blur radius=cells", "radius=cells is not a number"},
        {"blur radius=3 cells", "cells"},
        {"blur amount=1cells", "amount=1cells is not a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(cases[i].text, cases[i].why);
}

/* Every number of the table is taken at both ends of its range and refused beyond. */
static void ranges_hold_to_their_ends(void **state) {
    (void)state;
    for (int s = 0; s < RV_STEP_COUNT; s++) {
        const rv_step_info *step = rv_step_get((rv_step_id)s);
        if (step->kind == RV_KIND_ORDER)
            continue;
        for (int i = 0; i < step->word.param_count; i++) {
            const rv_param_info *p = &step->word.params[i];
            if (p->type > RV_PARAM_COUNT)
                continue;
            const double inside[] = {p->low, p->high};
            double span = p->high - p->low;
            const double outside[] = {p->low - 1e-6 * span - 1e-12, p->high + 1e-6 * span,
                                      p->low - span, p->high + span};
            for (int k = 0; k < 6; k++) {
                char text[128];
                snprintf(text, sizeof text, "%s %s %s=%.17g", step->word.name,
                         step->word.params[0].type == RV_PARAM_FILE ? "f" : "", p->name,
                         k < 2 ? inside[k] : outside[k - 2]);
                if (k >= 2) {
                    assert_refused(text, p->name);
                    continue;
                }
                rv_recipe *recipe = parse(text);
                support_ok(ctx, rv_word_check(ctx, &step->word, rv_recipe_params(recipe, 0)));
                assert_less_equal(fabs(number(recipe, 0, p->name) - inside[k]),
                                  1e-7 * fabs(inside[k]));
                rv_recipe_destroy(recipe);
            }
        }
    }
}

/* ---- wrong words ---- */

static void wrong_words_are_named_with_their_place(void **state) {
    (void)state;
    assert_refused("terrain\nnoise seed=3\n  noize", "a.rv, line 3, column 3: there is no step "
                                                     "\"noize\"; did you mean \"noise\"?");
    assert_refused("noise octave=3", "a.rv, line 1, column 7: noise has no parameter \"octave\"; "
                                     "did you mean \"octaves\"?");
    assert_refused("# x\n\tdroplet", "line 2, column 2: there is no step \"droplet\"; did you mean "
                                     "\"droplets\"?");
    assert_refused("terrain\r\nblrur", "line 2, column 1");
    assert_refused("noise seed=1 seeed=2", "column 14");
    assert_refused("noise =5", "noise has no parameter \"\"");
    assert_refused("seed=5", "column 1: \"seed=5\" comes before any step");
    assert_refused("Noise", "did you mean \"noise\"?");
    assert_refused("\"\"", "there is no step \"\"");
    assert_refused("xyzzyxyzzy", "there is no step \"xyzzyxyzzy\".");
    assert_silent("did you mean");
    assert_refused("noise qqqqqqqq=1", "noise has no parameter \"qqqqqqqq\".");
    assert_silent("did you mean");
}

/* The refusal of `text` proposes a word that is one slip away from `slip`. */
static void assert_leads_back(const char *text, const char *slip) {
    assert_refused(text, "; did you mean \"");
    char word[64];
    const char *hint = strstr(rv_context_error(ctx), "mean \"") + 6;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(hint, "\""), hint);
    assert_int_equal(rvi_text_distance(slip, strlen(slip), word), 1);
}

static bool has_parameter(const rv_step_info *step, const char *name) {
    bool found = false;
    for (int i = 0; i < step->word.param_count; i++)
        found = found || strcmp(step->word.params[i].name, name) == 0;
    return found;
}

/* One letter left out of any word of the table leads back to it, or to one just as near. */
static void slips_lead_to_the_right_word(void **state) {
    (void)state;
    for (int s = 0; s < RV_STEP_COUNT; s++) {
        const rv_step_info *step = rv_step_get((rv_step_id)s);
        if (step->kind == RV_KIND_ORDER)
            continue;
        const char *file = step->word.params[0].type == RV_PARAM_FILE ? "f" : "";
        for (int i = -1; i < step->word.param_count; i++) {
            const char *right = i < 0 ? step->word.name : step->word.params[i].name;
            for (size_t gap = 0; gap < strlen(right) && strlen(right) > 3; gap++) {
                char slip[64], text[192];
                snprintf(slip, sizeof slip, "%.*s%s", (int)gap, right, right + gap + 1);
                snprintf(text, sizeof text, "%s %s %s=1", step->word.name, file, slip);
                if (i < 0 || !has_parameter(step, slip)) /* "order" of a border is one */
                    assert_leads_back(i < 0 ? slip : text, slip);
            }
        }
    }
}

/* A long word is no slip of a short one, and a message has room for it. */
static void long_words_are_cut(void **state) {
    (void)state;
    char text[6000];
    for (size_t size = 10; size < sizeof text - 20; size = size * 2 + 1) {
        memset(text, 'z', size);
        text[size] = '\0';
        assert_refused(text, "there is no step \"zzzzzzzzzz");
        assert_silent("did you mean");
        memcpy(text, "noise ", 6);
        memcpy(text + size - 3, "=1", 3);
        assert_refused(text, size > 10 ? "noise has no parameter \"zzz" : "parameter");
        assert_silent("did you mean");
        memcpy(text, "noise seed=", 11);
        assert_refused(size > 20 ? text : "noise seed=z", "seed=z");
    }
    /* Nor is a long name of a file too much. */
    memset(text, 'n', sizeof text);
    text[sizeof text - 1] = '\0';
    rv_recipe *recipe;
    assert_int_equal(rv_recipe_parse(ctx, "noize", text, &recipe), RV_ERROR_USAGE);
    assert_says("nnnn");
}

/* ---- overrides and the command line ---- */

static void an_override_changes_every_such_step(void **state) {
    (void)state;
    rv_recipe *recipe = parse("noise seed=1 droplets noise seed=2 noise.seed=5");
    assert_equal(seed(recipe, 0), 5);
    assert_equal(seed(recipe, 2), 5);
    assert_equal(seed(recipe, 1), 1);
    rv_recipe_destroy(recipe);
    assert_refused("terrain noise.seed=5", "column 9: the recipe has no step noise.");
    assert_refused("noise nose.seed=5", "there is no step \"nose\"; did you mean \"noise\"?");
    assert_refused("noise noise.sed=5", "noise has no parameter \"sed\"; did you mean \"seed\"?");
    assert_refused("noise noise.seed=x", "seed=x is not");
    assert_refused("noise noise.=5", "noise has no parameter");
    assert_refused("noise .seed=5", "there is no step \"\"");
}

/* "Every such step of the recipe": wherever the override stands among them. */
static void an_override_may_stand_before_its_step(void **state) {
    (void)state;
    rv_recipe *recipe = parse("noise.seed=5 noise seed=1 noise");
    assert_equal(seed(recipe, 0), 5);
    assert_equal(seed(recipe, 1), 5);
    rv_recipe_destroy(recipe);
    recipe = parse("noise noise.seed=5 noise");
    assert_equal(seed(recipe, 0), 5);
    assert_equal(seed(recipe, 1), 5);
    rv_recipe_destroy(recipe);
}

static rv_status add(rv_recipe *recipe, const char *words) {
    char copy[512], *save;
    const char *list[64];
    int count = 0;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
        list[count++] = w;
    return rv_recipe_add_words(recipe, count, list);
}

static void words_of_a_command_line_are_added(void **state) {
    (void)state;
    rv_recipe *recipe = parse("terrain size=64 noise seed=1 save a.png");
    support_ok(ctx, add(recipe, "noise.seed=3 droplets drops=5 terrain.size=32 radius=2 "
                                "droplets.seed=9 save file=b=c.png save.bits=8 noise.octaves=2"));
    assert_steps(recipe, "terrain noise save droplets save");
    assert_equal(number(recipe, 0, "size"), 32);
    assert_equal(seed(recipe, 1), 3);
    assert_equal(number(recipe, 1, "octaves"), 2);
    assert_equal(number(recipe, 3, "drops"), 5);
    assert_equal(number(recipe, 3, "radius"), 2);
    assert_equal(seed(recipe, 3), 9);
    assert_equal(number(recipe, 2, "bits"), 1);
    assert_equal(number(recipe, 4, "bits"), 1);
    assert_string_equal(text_of(recipe, 4, "file"), "b=c.png");
    rv_recipe_destroy(recipe);
    recipe = parse("");
    support_ok(ctx, add(recipe, "terrain size=512 noise seed=7 mask droplets drops=200k save x"));
    assert_steps(recipe, "terrain noise mask droplets save");
    support_ok(ctx, rv_recipe_add_words(recipe, 2, (const char *[]){"save", "a b # c"}));
    assert_string_equal(text_of(recipe, 5, "file"), "a b # c"); /* a word is a word */
    support_ok(ctx, rv_recipe_add_words(recipe, 0, NULL));
    rv_recipe_destroy(recipe);
}

static void wrong_words_of_a_command_line(void **state) {
    (void)state;
    static const struct {
        const char *words, *why;
    } cases[] = {
        {"seed=3", "command line, word 1: to change a step of the recipe write STEP.KEY=VALUE"},
        {"noise.seed=3 size=4", "word 2: to change a step"},
        {"droplets sed=3", "command line, word 2: droplets has no parameter \"sed\""},
        {"droplets noize", "command line, word 2: there is no step \"noize\""},
        {"blur.radius=3", "word 1: the recipe has no step blur"},
        {"save", "needs a name for its file"},
        {"noise.seed=-1", "word 1: noise: seed=-1"},
        {"noise.sed=1", "did you mean \"seed\"?"},
        {"save.file=", "is not a file name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rv_recipe *recipe = parse("terrain noise save a.png");
        assert_int_equal(add(recipe, cases[i].words), RV_ERROR_USAGE);
        assert_says(cases[i].why);
        rv_recipe_destroy(recipe);
    }
    rv_recipe *recipe = parse("");
    assert_int_equal(add(recipe, "seed=3"), RV_ERROR_USAGE);
    assert_says("word 1: \"seed=3\" comes before any step");
    rv_recipe_destroy(recipe);
}

/* ---- files ---- */

static void put_bytes(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void recipes_are_loaded(void **state) {
    (void)state;
    rv_recipe *recipe;
    put_bytes("good.rv", "terrain size=9\r\nnoise", 21);
    support_ok(ctx, rv_recipe_load(ctx, "good.rv", &recipe));
    assert_steps(recipe, "terrain noise");
    rv_recipe_destroy(recipe);
    put_bytes("bad.rv", "terrain\nnoize", 13);
    assert_int_equal(rv_recipe_load(ctx, "bad.rv", &recipe), RV_ERROR_USAGE);
    assert_null(recipe);
    assert_says("bad.rv, line 2, column 1");
    put_bytes("binary.rv", "terrain\0noise", 13);
    assert_int_equal(rv_recipe_load(ctx, "binary.rv", &recipe), RV_ERROR_INPUT);
    assert_null(recipe);
    assert_says("binary.rv: is not a text file");
    assert_int_equal(rv_recipe_load(ctx, "missing.rv", &recipe), RV_ERROR_INPUT);
    assert_null(recipe);
    assert_says("missing.rv");
    assert_int_equal(rv_recipe_load(ctx, ".", &recipe), RV_ERROR_INPUT);
    assert_says("directory");
    put_bytes("empty.rv", "", 0);
    support_ok(ctx, rv_recipe_load(ctx, "empty.rv", &recipe));
    assert_int_equal(rv_recipe_count(recipe), 0);
    rv_recipe_destroy(recipe);
    remove("good.rv");
    remove("bad.rv");
    remove("binary.rv");
    remove("empty.rv");
}

/* ---- printing ---- */

static const char *const PLAIN[] = {"a.png", "",     "x",          "some/path/to.r32",
                                    "-",     "auto", "../\xc3\xa4"};
static const char *const BLANKS[] = {"my land.png", "a#b.png",   "a=b.png", " ",
                                     "#",           "tab\there", "a  b"};

/* A random value of a parameter, its ends and `auto` often among them. */
static void set_random(const rv_param_info *p, void *params, uint64_t n, uint64_t draw,
                       const char *const *texts) {
    uint64_t bits = rvi_random(n, draw, 0), kind = rvi_random(n, draw, 1) % 8;
    double share = (double)rvi_random(n, draw, 2) / 18446744073709551616.0;
    double value = p->low + share * (p->high - p->low);
    switch (p->type) {
    case RV_PARAM_SEED:
        bits = kind == 0 ? UINT64_MAX : kind == 1 ? 0 : bits;
        rv_param_set_seed(p, params, bits);
        return;
    case RV_PARAM_TEXT:
    case RV_PARAM_FILE:
        rv_param_set_text(p, params, texts[bits % 7][0] || !p->required ? texts[bits % 7] : "r");
        return;
    case RV_PARAM_REAL:
        value = kind == 3 ? p->low + share * share * share * share * (p->high - p->low) : value;
        value = kind == 4 ? p->low + ldexp(share, -(int)(bits % 60)) * (p->high - p->low) : value;
        break;
    default:
        value = floor(p->low + share * (p->high - p->low + 1));
    }
    value = kind == 0 ? p->low : kind == 1 ? p->high : value;
    value = kind == 2 ? p->def : value;
    if (p->type == RV_PARAM_REAL && !isnan(value)) { /* a float within the range */
        value = fmax(value, p->low);
        value = fmin(value, p->high);
    }
    if (p->in_cells && n % 3 == 0)
        value = -(double)(float)fmin(fmax(value, 0.002), 65536);
    rv_param_set_number(p, params, value);
}

static bool same_value(const rv_param_info *p, const void *a, const void *b) {
    const char *at = (const char *)a + p->offset, *bt = (const char *)b + p->offset;
    switch (p->type) {
    case RV_PARAM_TEXT:
    case RV_PARAM_FILE:
        return strcmp(rv_param_text(p, a), rv_param_text(p, b)) == 0;
    case RV_PARAM_SEED:
    case RV_PARAM_COUNT:
        return memcmp(at, bt, 8) == 0;
    case RV_PARAM_REAL:
        return memcmp(at, bt, 4) == 0 ||
               (isnan(rv_param_number(p, a)) && isnan(rv_param_number(p, b)));
    default:
        return rv_param_number(p, a) == rv_param_number(p, b);
    }
}

/* A length in cells is that many of the land that the step gets. */
static void lengths_may_be_said_in_cells(void **state) {
    (void)state;
    static const char *const texts[] = {"terrain size=40 cell=4 noise blur radius=10 amount=1",
                                        "terrain size=40 cell=4 noise blur radius=2.5cells",
                                        "terrain size=40 cell=4 noise blur radius=2.6cells"};
    uint64_t hashes[3];
    for (int i = 0; i < 3; i++) {
        rv_recipe *recipe = parse(texts[i]);
        rv_terrain *land;
        support_ok(ctx, rv_recipe_run(recipe, NULL, &land));
        hashes[i] = rv_terrain_hash(land);
        rv_terrain_destroy(land);
        rv_recipe_destroy(recipe);
    }
    assert_equal(hashes[0], hashes[1]);
    assert_not_equal(hashes[0], hashes[2]);
    rv_blur_params blur = {.radius = -70000.0f};
    assert_int_equal(rv_word_check(ctx, &rv_step_get(RV_STEP_blur)->word, &blur), RV_ERROR_USAGE);
}

/* Prints random parameters of a step as a recipe and reads that again. */
static void assert_reads_back(const rv_step_info *step, uint64_t n, const char *const *texts) {
    union {
        double align;
        char bytes[1024];
    } params = {.bytes = {0}};
    char text[2048];
    assert_less_equal(step->word.params_size, sizeof params);
    rv_word_default(&step->word, &params);
    if (step->kind == RV_KIND_ORDER)
        return; /* no recipe by itself: test_repeat.c prints those */
    size_t used = (size_t)snprintf(text, sizeof text, "%s", step->word.name);
    for (int i = 0; i < step->word.param_count; i++) {
        const rv_param_info *p = &step->word.params[i];
        char value[256];
        set_random(p, &params, n, (uint64_t)i, texts);
        int size = rv_param_print(p, &params, value, sizeof value);
        assert_int_equal(size, strlen(value));
        used += (size_t)snprintf(text + used, sizeof text - used, " %s=%s", p->name, value);
        assert_less(used, sizeof text);
    }
    rv_recipe *recipe;
    if (rv_recipe_parse(ctx, text, "a.rv", &recipe) != RV_OK)
        fail_msg("%s: %s", text, rv_context_error(ctx));
    assert_int_equal(rv_recipe_count(recipe), 1);
    for (int i = 0; i < step->word.param_count; i++)
        if (!same_value(&step->word.params[i], &params, rv_recipe_params(recipe, 0)))
            fail_msg("%s: %s reads back as another value", text, step->word.params[i].name);
    rv_recipe_destroy(recipe);
}

static void what_is_printed_reads_back(void **state) {
    (void)state;
    for (int s = 0; s < RV_STEP_COUNT; s++)
        for (uint64_t n = 0; n < 3000; n++)
            assert_reads_back(rv_step_get((rv_step_id)s), n, PLAIN);
}

static void texts_with_blanks_read_back(void **state) {
    (void)state;
    for (int s = 0; s < RV_STEP_COUNT; s++)
        for (uint64_t n = 0; n < 50; n++)
            assert_reads_back(rv_step_get((rv_step_id)s), n, BLANKS);
}

static void printing_is_short_and_minds_its_room(void **state) {
    (void)state;
    rv_noise_params noise = {.gain = 0.5f,
                             .frequency_x = RV_AUTO,
                             .octaves = 8,
                             .seed = 1,
                             .shape = RV_noise_shape_plain,
                             .relief = 1000.0f};
    const struct {
        const char *key, *text;
    } cases[] = {{"gain", "0.5"}, {"frequency_x", "auto"}, {"octaves", "8"}, {"shape", "plain"},
                 {"seed", "1"},   {"relief", "1000"},      {"warp", "0"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const rv_param_info *p = param(RV_STEP_noise, cases[i].key);
        char text[32];
        assert_int_equal(rv_param_print(p, &noise, text, sizeof text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
        assert_int_equal(rv_param_print(p, &noise, NULL, 0), strlen(cases[i].text));
        memset(text, 'x', sizeof text);
        assert_int_equal(rv_param_print(p, &noise, text, 2), strlen(cases[i].text));
        assert_less_equal(strlen(text), 1);
        assert_equal(text[2], 'x');
    }
    noise.gain = 0.1f;
    char text[32];
    rv_param_print(param(RV_STEP_noise, "gain"), &noise, text, sizeof text);
    assert_string_equal(text, "0.1");
    rv_droplets_params drops = rv_droplets_params_default();
    drops.drops = 123456789012;
    rv_param_print(param(RV_STEP_droplets, "drops"), &drops, text, sizeof text);
    assert_string_equal(text, "123456789012");
}

/* A command line that is wrong adds no step: not even the half of a repeat. */
static void wrong_words_add_nothing(void **state) {
    (void)state;
    static const char *const wrong[][3] = {
        {"noise", "repeat", "times=0"}, {"noise", "save", ""}, {"noise", "blur", "radius=nothing"}};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        rv_recipe *recipe;
        support_ok(ctx, rv_recipe_parse(ctx, "terrain size=8", "recipe", &recipe));
        int words = wrong[k][2][0] ? 3 : 2;
        assert_int_equal(rv_recipe_add_words(recipe, words, wrong[k]), RV_ERROR_USAGE);
        assert_int_equal(rv_recipe_count(recipe), 1);
        support_ok(ctx, rv_recipe_run(recipe, NULL, NULL));
        rv_recipe_destroy(recipe);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_steps),
        cmocka_unit_test(any_blanks_part_words),
        cmocka_unit_test(quotes_hold_together),
        cmocka_unit_test(files_that_may_be_left_out),
        cmocka_unit_test(files_that_must_be_named),
        cmocka_unit_test(files_are_named_once),
        cmocka_unit_test(values_are_read),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(ranges_hold_to_their_ends),
        cmocka_unit_test(wrong_words_are_named_with_their_place),
        cmocka_unit_test(slips_lead_to_the_right_word),
        cmocka_unit_test(long_words_are_cut),
        cmocka_unit_test(an_override_changes_every_such_step),
        cmocka_unit_test(an_override_may_stand_before_its_step),
        cmocka_unit_test(words_of_a_command_line_are_added),
        cmocka_unit_test(wrong_words_of_a_command_line),
        cmocka_unit_test(recipes_are_loaded),
        cmocka_unit_test(lengths_may_be_said_in_cells),
        cmocka_unit_test(what_is_printed_reads_back),
        cmocka_unit_test(texts_with_blanks_read_back),
        cmocka_unit_test(printing_is_short_and_minds_its_room),
        cmocka_unit_test(wrong_words_add_nothing),
    };
    ctx = support_context(1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed == 0)
        rv_context_destroy(ctx); /* which asserts that nothing is left in it */
    return failed;
}
