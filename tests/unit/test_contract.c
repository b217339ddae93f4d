/* test_contract.c: walks the table of steps and holds each of them to what it declares.
 *
 * Every step is described completely; runs with its defaults and with each parameter at both ends
 * of its range; keeps every value finite; closes its ledger; writes only the fields it declares;
 * leaves masked ground alone; and does the same again after snapshot and restore.
 */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SIZE = 64 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Some parameters at their end mean hours of work: those runs are stopped, and must stop well. A
 * sanitizer has seen what there is to see after a few rounds. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define PATIENCE 0.1
#endif
#endif
#if !defined(PATIENCE)
#define PATIENCE 0.3
#endif
static double patience_until;

static bool patient(void *user, const rv_progress *progress) {
    (void)user;
    (void)progress;
    return now() < patience_until;
}

static rv_context *make_context(void) {
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 2;
    desc.memory_limit = (size_t)256 << 20;
    desc.progress = patient;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    patience_until = now() + 1000.0;
    return ctx;
}

/* Hills with every field that any step reads or writes, one that none knows, and a full mask. */
static rv_terrain *make_land(rv_context *ctx, float mask) {
    rv_terrain *land = support_land(ctx, SIZE, SIZE, 10.0f);
    support_ok(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
    static float values[SIZE * SIZE];
    for (int i = 0; i < SIZE * SIZE; i++)
        values[i] = (float)(i % 7) * 0.1f;
    static const char *const names[] = {"unknown", "flow", "eroded", "deposited", "hardness"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        support_ok(ctx, rv_terrain_field_set(land, names[i], values));
    for (int i = 0; i < SIZE * SIZE; i++)
        values[i] = mask;
    support_ok(ctx, rv_terrain_field_set(land, "mask", values));
    return land;
}

/* An image for the steps that read one. */
static void write_image(rv_context *ctx) {
    support_ok(
        ctx, rv_recipe_run_text(
                 ctx, "terrain size=32 noise seed=3 frequency=4 save contract-in.png", NULL, NULL));
}

/* Pictures whose size a step is told are small ones. */
static bool sizes_picture(const rv_step_info *step, const rv_param_info *p) {
    return step->kind == RV_KIND_SHOW &&
           (strcmp(p->name, "width") == 0 || strcmp(p->name, "height") == 0);
}

static void set_files(const rv_step_info *step, void *params) {
    for (int i = 0; i < step->word.param_count; i++)
        if (sizes_picture(step, &step->word.params[i]))
            rv_param_set_number(&step->word.params[i], params, 48);
        else if (step->word.params[i].type == RV_PARAM_FILE && step->word.params[i].required)
            rv_param_set_text(&step->word.params[i], params,
                              strcmp(step->word.params[i].name, "folder") == 0 ? "contract-folder"
                              : step->kind == RV_KIND_SHOW                     ? "contract-out.png"
                                                                               : "contract-in.png");
}

/* What goes on in rounds is told to end soon: each round does the same again. */
enum { ROUNDS = 40 };
static void set_short(const rv_step_info *step, void *params) {
    for (int i = 0; i < step->word.param_count; i++) {
        const rv_param_info *p = &step->word.params[i];
        if (strcmp(p->name, "rounds") == 0 || strcmp(p->name, "steps") == 0)
            rv_param_set_number(p, params, ROUNDS);
    }
    set_files(step, params);
}

static void check_words(const char *text) {
    assert_non_null(text);
    assert_greater(strlen(text), 2);
    assert_not_equal(text[0], ' ');
    assert_not_equal(text[strlen(text) - 1], ' ');
}

/* Every name of a list is a field that the table declares. */
static void check_fields(const char *names) {
    char list[256];
    assert_less(strlen(names), sizeof list);
    memcpy(list, names, strlen(names) + 1);
    for (char *save, *name = strtok_r(list, " ", &save); name; name = strtok_r(NULL, " ", &save))
        if (strcmp(names, "*") != 0 && rv_field_find(name) == NULL)
            fail_msg("\"%s\" names %s, which the table does not declare", names, name);
}

static void test_fields_are_described(void **state) {
    (void)state;
    for (int f = 0; f < rv_field_count(); f++) {
        const rv_field_info *field = rv_field_get(f);
        assert_ptr_equal(rv_field_find(field->name), field);
        assert_non_null(field->unit);
        check_words(field->meaning);
        bool written = strcmp(field->name, "height") == 0;
        for (int s = 0; s < RV_STEP_COUNT; s++)
            written |= strstr(rv_step_get((rv_step_id)s)->writes, field->name) != NULL;
        assert_true(written);
    }
    assert_null(rv_field_find("nosuchfield"));
}

static void test_table_is_complete(void **state) {
    (void)state;
    for (int s = 0; s < RV_STEP_COUNT; s++) {
        const rv_step_info *step = rv_step_get((rv_step_id)s);
        assert_int_equal(step->id, s);
        assert_ptr_equal(rv_step_find(step->word.name), step);
        check_words(step->word.sentence);
        assert_int_equal(step->word.sentence[strlen(step->word.sentence) - 1], '.');
        check_words(step->source);
        check_fields(step->reads);
        check_fields(step->writes);
        check_words(rv_kind_text(step->kind));
        for (int i = 0; i < step->word.param_count; i++) {
            const rv_param_info *p = &step->word.params[i];
            check_words(p->help);
            assert_non_null(p->unit);
            assert_less(p->offset, step->word.params_size);
            for (int k = 0; k < i; k++)
                assert_string_not_equal(p->name, step->word.params[k].name);
            if (p->type == RV_PARAM_TEXT || p->type == RV_PARAM_FILE) {
                assert_true(p->required || p->text);
                continue;
            }
            if (p->type == RV_PARAM_SEED)
                continue; /* any value is right */
            assert_less(p->low, p->high);
            assert_true(rv_param_has_auto(p) || (p->def >= p->low && p->def <= p->high));
            if (p->type == RV_PARAM_CHOICE) {
                assert_greater_equal(p->option_count, 2);
                for (int k = 0; k < p->option_count; k++)
                    check_words(p->options[k].help);
            }
        }
    }
    assert_null(rv_step_find("nosuchstep"));
}

static void check_finite(const rv_terrain *land) {
    size_t cells = (size_t)rv_terrain_width(land) * (size_t)rv_terrain_height(land);
    for (int f = -1; f < rv_terrain_field_count(land); f++) {
        const char *name = f < 0 ? "height" : rv_terrain_field_name(land, f);
        const float *values = rv_terrain_field(land, name);
        for (size_t i = 0; i < cells; i++)
            if (!isfinite(values[i]))
                fail_msg("%s[%zu] is %g", name, i, (double)values[i]);
    }
}

/* Taken, laid, carried off and afloat add up, and with what was raised they are what the land
 * really gained or lost. */
static void check_ledger(const rv_step_info *step, const rv_report *report, double before,
                         double after) {
    rv_ledger l = report->ledger;
    if (step->kind != RV_KIND_WEAR) {
        assert_equal(l.eroded, 0);
        assert_equal(l.deposited, 0);
        assert_equal(l.left_map, 0);
        assert_equal(l.suspended, 0);
        assert_equal(l.raised, 0);
        return;
    }
    double bound = 1e-6 * (l.eroded + l.raised) + 1e-9;
    if (fabs(l.eroded - l.deposited - l.left_map - l.suspended) > bound ||
        fabs(after - before + l.left_map + l.suspended - l.raised) > bound)
        fail_msg("%s: took %.9g, laid %.9g, off %.9g, afloat %.9g, raised %.9g, changed by %.9g",
                 step->word.name, l.eroded, l.deposited, l.left_map, l.suspended, l.raised,
                 after - before);
}

/* Does a list of names separated by blanks hold `word`? "*" holds every word. */
static bool lists(const char *text, const char *word) {
    if (strcmp(text, "*") == 0)
        return true;
    size_t size = strlen(word);
    for (const char *p = text; (p = strstr(p, word)) != NULL; p += size)
        if ((p == text || p[-1] == ' ') && (p[size] == ' ' || p[size] == '\0'))
            return true;
    return false;
}

static void check_writes(const rv_step_info *step, const rv_terrain *land, const rv_terrain *old) {
    size_t size = (size_t)SIZE * SIZE * sizeof(float);
    if (step->flags & RV_STEP_FLAG_RESIZES)
        return; /* everything is made anew */
    for (int f = -1; f < rv_terrain_field_count(land); f++) {
        const char *name = f < 0 ? "height" : rv_terrain_field_name(land, f);
        if (lists(step->writes, name))
            continue;
        const float *was = rv_terrain_field(old, name);
        if (!was || memcmp(was, rv_terrain_field(land, name), size) != 0)
            fail_msg("%s writes %s, which it does not declare", step->word.name, name);
    }
}

/* Runs a step and checks all that must hold. A refusal (limits of memory, a rectangle outside the
 * map) is fine for steps that take sizes or files, with a sentence and the land untouched. */
static void check_run(rv_context *ctx, const rv_step_info *step, const void *params,
                      const char *what, bool may_refuse) {
    rv_terrain *land = make_land(ctx, 1.0f), *old = make_land(ctx, 1.0f);
    uint64_t hash = rv_terrain_hash(land);
    double before = rv_terrain_volume(land);
    rv_report report = {0};
    patience_until = now() + PATIENCE;
    rv_status status = rv_step_run(land, step->id, params, &report);
    patience_until = now() + 1000.0;
    if (status == RV_OK || status == RV_CANCELLED) {
        check_finite(land);
        check_ledger(step, &report, before, rv_terrain_volume(land));
        check_writes(step, land, old);
    } else {
        if (!may_refuse)
            fail_msg("%s %s: %s", step->word.name, what, rv_context_error(ctx));
        assert_greater(strlen(rv_context_error(ctx)), 10);
        assert_equal(rv_terrain_hash(land), hash);
    }
    rv_terrain_destroy(land);
    rv_terrain_destroy(old);
}

static void test_defaults_and_ends_of_ranges(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    write_image(ctx);
    for (int s = 0; s < RV_STEP_COUNT; s++) {
        const rv_step_info *step = rv_step_get((rv_step_id)s);
        void *params = malloc(step->word.params_size);
        rv_word_default(&step->word, params);
        set_files(step, params);
        check_run(ctx, step, params, "with defaults", false);
        for (int i = 0; i < step->word.param_count; i++) {
            const rv_param_info *p = &step->word.params[i];
            if (p->type == RV_PARAM_TEXT || p->type == RV_PARAM_FILE)
                continue;
            bool sized = step->flags & RV_STEP_FLAG_RESIZES ||
                         strcmp(step->word.name, "save") == 0 ||
                         strcmp(step->word.name, "export") == 0 ||
                         p->in_cells; /* a length may be too long for the cells of this land */
            int ends = p->type == RV_PARAM_CHOICE ? p->option_count : 2;
            for (int end = 0; end < ends; end++) {
                double value = p->type == RV_PARAM_CHOICE ? end : end ? p->high : p->low;
                char what[64];
                snprintf(what, sizeof what, "%s=%g", p->name, value);
                rv_word_default(&step->word, params);
                set_short(step, params);
                if (p->type == RV_PARAM_SEED)
                    rv_param_set_seed(p, params, end ? UINT64_MAX : 0);
                else
                    rv_param_set_number(p, params, value);
                check_run(ctx, step, params, what, sized);
            }
        }
        free(params);
    }
    rv_context_destroy(ctx);
}

static void test_values_beyond_the_range_are_refused(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    rv_terrain *land = make_land(ctx, 1.0f);
    uint64_t hash = rv_terrain_hash(land);
    for (int s = 0; s < RV_STEP_COUNT; s++) {
        const rv_step_info *step = rv_step_get((rv_step_id)s);
        void *params = malloc(step->word.params_size);
        for (int i = 0; i < step->word.param_count; i++) {
            const rv_param_info *p = &step->word.params[i];
            if (p->type != RV_PARAM_REAL && p->type != RV_PARAM_INT && p->type != RV_PARAM_CHOICE)
                continue;
            for (int end = 0; end < 2; end++) {
                rv_word_default(&step->word, params);
                set_files(step, params);
                double beyond = end ? p->high * (p->high > 0 ? 1.01 : 0.99) + 1
                                    : p->low - fabs(p->low) * 0.01 - 1;
                if (rv_param_has_auto(p) && beyond == p->def)
                    beyond -= 1;
                if (p->in_cells && end == 0)
                    beyond = -65537; /* cells */
                rv_param_set_number(p, params, beyond);
                assert_int_equal(rv_step_run(land, step->id, params, NULL), RV_ERROR_USAGE);
                assert_non_null(strstr(rv_context_error(ctx), p->name));
            }
        }
        free(params);
    }
    assert_equal(rv_terrain_hash(land), hash);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Does the table say rightly which files are read and which are written? A file that is not there
 * cannot be read, and can be written. */
static void test_files_are_read_or_written(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    write_image(ctx);
    for (int s = 0; s < RV_STEP_COUNT; s++) {
        const rv_step_info *step = rv_step_get((rv_step_id)s);
        for (int i = 0; i < step->word.param_count; i++) {
            const rv_param_info *p = &step->word.params[i];
            if (p->type != RV_PARAM_FILE) {
                assert_false(p->writes);
                continue;
            }
            rv_recipe *recipe;
            rv_plan plans[3];
            char word[160];
            bool table = strcmp(p->name, "geojson") == 0 || strcmp(p->name, "csv") == 0;
            snprintf(word, sizeof word, "%s.%s=missing.%s", step->word.name, p->name,
                     table ? p->name : "png");
            bool given = step->word.params[0].required;
            const char *words[] = {"terrain", "8", step->word.name,
                                   given ? "contract-out.png" : word, word};
            support_ok(ctx, rv_recipe_parse(ctx, "", "test", &recipe));
            support_ok(ctx, rv_recipe_add_words(recipe, given ? 5 : 4, words));
            rv_status status = rv_recipe_plan(recipe, plans);
            if (status != (p->writes ? RV_OK : RV_ERROR_INPUT))
                fail_msg("%s: %s", word, status ? rv_context_error(ctx) : "is written");
            rv_recipe_destroy(recipe);
        }
    }
    rv_context_destroy(ctx);
}

static void test_same_after_snapshot_and_restore(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    write_image(ctx);
    for (int s = 0; s < RV_STEP_COUNT; s++) {
        const rv_step_info *step = rv_step_get((rv_step_id)s);
        void *params = malloc(step->word.params_size);
        rv_word_default(&step->word, params);
        set_short(step, params);
        rv_terrain *land = make_land(ctx, 1.0f);
        uint64_t start = rv_terrain_hash(land);
        rv_snapshot *snapshot;
        support_ok(ctx, rv_terrain_snapshot(land, &snapshot));
        support_ok(ctx, rv_step_run(land, step->id, params, NULL));
        uint64_t first = rv_terrain_hash(land);
        support_ok(ctx, rv_terrain_restore(land, snapshot));
        assert_equal(rv_terrain_hash(land), start);
        support_ok(ctx, rv_step_run(land, step->id, params, NULL));
        assert_equal(rv_terrain_hash(land), first);
        if (step->kind == RV_KIND_SHOW)
            assert_equal(first, start);
        rv_snapshot_destroy(snapshot);
        rv_terrain_destroy(land);
        free(params);
    }
    rv_context_destroy(ctx);
}

static void test_masked_ground_stays(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    size_t size = (size_t)SIZE * SIZE * sizeof(float);
    for (int s = 0; s < RV_STEP_COUNT; s++) {
        const rv_step_info *step = rv_step_get((rv_step_id)s);
        if (step->flags & RV_STEP_FLAG_RESIZES || step->kind == RV_KIND_LIMIT ||
            step->kind == RV_KIND_SHOW)
            continue;
        void *params = malloc(step->word.params_size);
        rv_word_default(&step->word, params);
        set_short(step, params);
        rv_terrain *land = make_land(ctx, 0.0f), *old = make_land(ctx, 0.0f);
        support_ok(ctx, rv_step_run(land, step->id, params, NULL));
        if (memcmp(rv_terrain_field(land, "height"), rv_terrain_field(old, "height"), size) != 0)
            fail_msg("%s moves ground that is masked", step->word.name);
        free(params);
        rv_terrain_destroy(land);
        rv_terrain_destroy(old);
    }
    rv_context_destroy(ctx);
}

/* Land can be as narrow as one cell; no step may stumble. */
static void test_narrow_land(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    write_image(ctx);
    static const int sizes[][2] = {{1, 2}, {2, 1}, {1, 9}, {9, 1}, {2, 2}, {3, 2}};
    for (int s = 0; s < RV_STEP_COUNT; s++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            const rv_step_info *step = rv_step_get((rv_step_id)s);
            void *params = malloc(step->word.params_size);
            rv_word_default(&step->word, params);
            set_short(step, params);
            rv_terrain *land = support_land(ctx, sizes[k][0], sizes[k][1], 10.0f);
            support_ok(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
            support_ok(ctx, rv_step_run(land, step->id, params, NULL));
            check_finite(land);
            rv_terrain_destroy(land);
            free(params);
        }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_is_complete),
        cmocka_unit_test(test_fields_are_described),
        cmocka_unit_test(test_defaults_and_ends_of_ranges),
        cmocka_unit_test(test_values_beyond_the_range_are_refused),
        cmocka_unit_test(test_files_are_read_or_written),
        cmocka_unit_test(test_same_after_snapshot_and_restore),
        cmocka_unit_test(test_masked_ground_stays),
        cmocka_unit_test(test_narrow_land),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
