/* Recipes that run: they are watched, fail, stop and are resumed. */
#include "support.h"

#include <stdio.h>
#include <string.h>

static rv_context *ctx;

typedef struct witness {
    int before, after;
    uint64_t hash;
} witness;

static void see_before(void *user, int index, rv_step_id step) {
    witness *w = user;
    static const rv_step_id steps[] = {RV_STEP_terrain, RV_STEP_noise, RV_STEP_droplets};
    assert_int_equal(index, w->before++);
    assert_int_equal(step, steps[index]);
    assert_int_equal(w->after, index);
}

static void see_after(void *user, int index, const rv_report *report) {
    witness *w = user;
    assert_int_equal(index, w->after++);
    assert_greater_equal(report->seconds, 0.0);
    assert_equal(report->hash, rv_terrain_hash(report->land));
    assert_non_null(report->params);
    if (report->step == RV_STEP_droplets) {
        assert_greater(report->drop_steps, 0);
        assert_greater(report->ledger.eroded, 0.0);
    }
    w->hash = report->hash;
}

static void a_run_is_watched(void **state) {
    (void)state;
    const char *text = "terrain size=32 noise droplets drops=100";
    witness w = {0};
    rv_watch watch = {.before = see_before, .after = see_after, .user = &w};
    rv_terrain *land, *again;
    support_ok(ctx, rv_recipe_run_text(ctx, text, &watch, &land));
    assert_int_equal(w.after, 3);
    assert_equal(rv_terrain_hash(land), w.hash);
    rv_recipe *recipe; /* which may run more than once */
    support_ok(ctx, rv_recipe_parse(ctx, text, "a.rv", &recipe));
    for (int i = 0; i < 2; i++) {
        support_ok(ctx, rv_recipe_run(recipe, NULL, &again));
        assert_equal(rv_terrain_hash(again), w.hash);
        rv_terrain_destroy(again);
    }
    support_ok(ctx, rv_recipe_run(recipe, &(rv_watch){0}, NULL));
    rv_recipe_destroy(recipe);
    rv_terrain_destroy(land);
}

static void a_failed_run_gives_nothing(void **state) {
    (void)state;
    rv_terrain *land = (rv_terrain *)ctx;
    assert_int_equal(rv_recipe_run_text(ctx, "terrain size=8 noize", NULL, &land), RV_ERROR_USAGE);
    assert_null(land);
    land = (rv_terrain *)ctx;
    assert_int_equal(rv_recipe_run_text(ctx, "terrain size=8 crop x=9", NULL, &land),
                     RV_ERROR_USAGE);
    assert_null(land);
    assert_int_equal(rv_recipe_run_text(ctx, "open missing.png", NULL, NULL), RV_ERROR_INPUT);
    assert_non_null(strstr(rv_context_error(ctx), "missing.png"));
}

static bool say_no_at_last(void *user, const rv_progress *now) {
    (void)now;
    int *answers = user;
    return (*answers)-- > 0;
}

/* Wherever in a step the stop comes. */
static void a_stopped_run_gives_nothing(void **state) {
    (void)state;
    static const char *const wear[] = {
        "droplets drops=200k blend=0.5", "runoff",         "particles", "thermal rounds=1000",
        "pipes transport=forward",       "rivers steps=9", "drain",     "layer pipes give=same",
        "layer particles order=batch"};
    for (size_t k = 0; k < sizeof wear / sizeof wear[0]; k++)
        for (int n = 0; n < 6; n++) {
            int answers = n;
            char text[128];
            rv_context_desc desc = rv_context_desc_default();
            desc.threads = 2;
            desc.progress = say_no_at_last;
            desc.user = &answers;
            rv_context *asked;
            assert_int_equal(rv_context_create(&desc, &asked), RV_OK);
            rv_terrain *land;
            snprintf(text, sizeof text, "terrain size=128 noise octaves=2 %s", wear[k]);
            rv_status status = rv_recipe_run_text(asked, text, NULL, &land);
            assert_int_equal(status, answers < 0 ? RV_CANCELLED : RV_OK);
            assert_equal(land == NULL, status == RV_CANCELLED);
            rv_terrain_destroy(land);
            rv_context_destroy(asked);
        }
}

/* A stop ends one call. Those after it on the same context, which ask anew, are not stopped. */
static void a_stop_is_over_with_its_call(void **state) {
    (void)state;
    int answers = 0;
    rv_context_desc desc = rv_context_desc_default();
    desc.progress = say_no_at_last;
    desc.user = &answers;
    rv_context *asked;
    assert_int_equal(rv_context_create(&desc, &asked), RV_OK);
    FILE *file = fopen("again.rv", "w");
    assert_non_null(file);
    fputs("repeat 2 noise octaves=1 end", file);
    fclose(file);
    rv_recipe *recipe = NULL;
    for (int runs = 0; runs < 2; runs++) {
        answers = 0;
        assert_int_equal(rv_recipe_run_text(asked, "terrain size=64 noise", NULL, NULL),
                         RV_CANCELLED);
        answers = 1 << 30;
        support_ok(asked, runs ? rv_recipe_run(recipe, NULL, NULL)
                               : rv_recipe_load(asked, "again.rv", &recipe));
    }
    rv_recipe_destroy(recipe);
    rv_context_destroy(asked);
    remove("again.rv");
}

/* ---- stopped and resumed ---- */

typedef struct stopper {
    int last;  /* the step in which to stop */
    bool stop; /* it has begun */
    double total;
} stopper;

static void stop_before(void *user, int index, rv_step_id step) {
    stopper *s = user;
    (void)step;
    s->stop = index == s->last;
}

/* Progress of a recipe never goes back, also in a run that is resumed. */
static bool stop_in_last(void *user, const rv_progress *now) {
    stopper *s = user;
    assert_greater_equal(now->total, s->total);
    assert_less_equal(now->total, 1.0);
    s->total = now->total;
    return !s->stop;
}

static void assert_ledgers_equal(rv_ledger a, rv_ledger b) {
    assert_equal(a.eroded, b.eroded);
    assert_equal(a.deposited, b.deposited);
    assert_equal(a.left_map, b.left_map);
    assert_equal(a.suspended, b.suspended);
    assert_equal(a.raised, b.raised);
}

/* The land is that of a run that was never stopped, and so are its ledgers and its layers. */
static void a_resumed_run_ends_as_a_whole_one(void **state) {
    (void)state;
    const char *text =
        "terrain size=48 cell=20 noise relief=300 strata thickness=10 layer "
        "name=soil thickness=2 rivers uplift=1 steps=4 repeat 3 droplets drops=500 end "
        "thermal rounds=4 runoff";
    stopper s = {.last = 9};
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 2;
    desc.progress = stop_in_last;
    desc.user = &s;
    rv_context *asked;
    assert_int_equal(rv_context_create(&desc, &asked), RV_OK);
    rv_watch watch = {.before = stop_before, .user = &s, .checkpoint = "run.ck", .every = 0.0};
    rv_terrain *whole = support_run(ctx, text), *land;
    assert_int_equal(rv_recipe_run_text(asked, text, &watch, NULL), RV_CANCELLED);
    assert_greater(s.total, 0.5);
    s.last = -1;
    s.stop = false;
    support_ok(asked, rv_recipe_resume(asked, "run.ck", &watch, &land));
    assert_equal(rv_terrain_hash(land), rv_terrain_hash(whole));
    assert_ledgers_equal(rv_terrain_ledger(land), rv_terrain_ledger(whole));
    assert_greater(rv_terrain_ledger(land).raised, 0.0);
    for (int l = 0; l < rv_terrain_layer_count(whole); l++)
        assert_ledgers_equal(rv_terrain_layer_ledger(land, l), rv_terrain_layer_ledger(whole, l));
    rv_terrain_destroy(land);
    rv_terrain_destroy(whole);
    rv_context_destroy(asked);
}

/* Wherever a bit of a checkpoint has changed on the disk, no run begins with what it says then. */
static void a_changed_bit_of_a_checkpoint_is_noticed(void **state) {
    (void)state;
    stopper s = {.last = 2};
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.progress = stop_in_last;
    desc.user = &s;
    rv_context *asked;
    assert_int_equal(rv_context_create(&desc, &asked), RV_OK);
    rv_watch watch = {.before = stop_before, .user = &s, .checkpoint = "bit.ck", .every = 0.0};
    assert_int_equal(rv_recipe_run_text(asked, "terrain size=8 noise thermal", &watch, NULL),
                     RV_CANCELLED);
    rv_context_destroy(asked);
    FILE *file = fopen("bit.ck", "r+b");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    assert_greater(size, 500);
    for (long at = 0; at < size; at += 13) {
        fseek(file, at, SEEK_SET);
        int was = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(was ^ 1 << at % 8, file);
        fflush(file);
        if (rv_recipe_resume(ctx, "bit.ck", NULL, NULL) != RV_ERROR_INPUT)
            fail_msg("byte %ld of %ld was changed", at, size);
        assert_non_null(strstr(rv_context_error(ctx), "bit.ck"));
        fseek(file, at, SEEK_SET);
        fputc(was, file);
    }
    fclose(file);
    support_ok(ctx, rv_recipe_resume(ctx, "bit.ck", NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_watched),
        cmocka_unit_test(a_failed_run_gives_nothing),
        cmocka_unit_test(a_stopped_run_gives_nothing),
        cmocka_unit_test(a_stop_is_over_with_its_call),
        cmocka_unit_test(a_resumed_run_ends_as_a_whole_one),
        cmocka_unit_test(a_changed_bit_of_a_checkpoint_is_noticed),
    };
    ctx = support_context(1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed == 0)
        rv_context_destroy(ctx); /* which asserts that nothing is left in it */
    return failed;
}
