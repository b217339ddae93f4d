/* test_repeat.c: repeat and end, and what a recipe prints. */
#include "support.h"

#include <stdio.h>
#include <string.h>

typedef struct seen {
    int runs;
    int64_t turns[64];
    uint64_t seeds[64];
    double total; /* the last progress */
} seen;

static void after(void *user, int index, const rv_report *report) {
    seen *s = user;
    (void)index;
    if (report->step != RV_STEP_droplets)
        return;
    const rv_droplets_params *p = report->params;
    assert_less(s->runs, 64);
    s->turns[s->runs] = report->turn;
    s->seeds[s->runs++] = p->seed;
}

static uint64_t run_text(rv_context *ctx, const char *text, seen *s) {
    rv_terrain *land;
    rv_watch watch = {.after = after, .user = s};
    support_ok(ctx, rv_recipe_run_text(ctx, text, s ? &watch : NULL, &land));
    uint64_t hash = rv_terrain_hash(land);
    rv_terrain_destroy(land);
    return hash;
}

static void test_turns_and_seeds(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    seen s = {0};
    run_text(ctx, "terrain size=16 noise repeat 3 repeat 2 droplets 5 seed=9 end end", &s);
    assert_int_equal(s.runs, 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(s.turns[i], i);
        for (int k = 0; k < i; k++)
            assert_not_equal(s.seeds[i], s.seeds[k]);
    }
    assert_equal(s.seeds[0], 9); /* the first turn is what the recipe says */
    rv_context_destroy(ctx);
}

static int bits_of(uint64_t x) {
    int bits = 0;
    for (; x != 0; x &= x - 1)
        bits++;
    return bits;
}

/* Turns have nothing in common, whatever seeds the recipe names: turn 1 of seed 1 is not turn 0 of
 * seed 2, and so on. Of two numbers that have nothing in common half of the bits differ. */
static void test_turns_of_other_seeds(void **state) {
    (void)state;
    enum { SEEDS = 12, TURNS = 5 };
    rv_context *ctx = support_context(1);
    uint64_t seeds[SEEDS * TURNS];
    for (int seed = 0; seed < SEEDS; seed++) {
        char text[128];
        seen s = {0};
        snprintf(text, sizeof text, "terrain size=4 repeat %d droplets 1 seed=%d end", TURNS, seed);
        run_text(ctx, text, &s);
        assert_int_equal(s.runs, TURNS);
        memcpy(seeds + seed * TURNS, s.seeds, TURNS * sizeof *seeds);
    }
    for (int i = 0; i < SEEDS * TURNS; i++)
        for (int k = 0; k < i; k++)
            if (i % TURNS != 0 || k % TURNS != 0) /* which a recipe has named */
                assert_greater(bits_of(seeds[i] ^ seeds[k]), 10);
    rv_context_destroy(ctx);
}

/* How many drops fell on each cell, turn by turn. */
enum { FIELD = 48 * 48, FALLS = 6 };
typedef struct falls {
    int turns;
    double total[FIELD], fell[FALLS][FIELD];
} falls;

static void count_falls(void *user, int index, const rv_report *report) {
    falls *f = user;
    (void)index;
    if (report->step != RV_STEP_droplets)
        return;
    const float *flow = rv_terrain_field(report->land, "flow");
    for (int i = 0; i < FIELD; i++) {
        f->fell[f->turns][i] = (double)flow[i] - f->total[i];
        f->total[i] = (double)flow[i];
    }
    f->turns++;
}

static double correlation(const double *a, const double *b) {
    double mean_a = 0, mean_b = 0, ab = 0, aa = 0, bb = 0;
    for (int i = 0; i < FIELD; i++) {
        mean_a += a[i] / FIELD;
        mean_b += b[i] / FIELD;
    }
    for (int i = 0; i < FIELD; i++) {
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return ab / sqrt(aa * bb);
}

/* Drops of one turn fall where they would without the others: away from the border, where fewer
 * fall in all turns, chance gives 1 / sqrt(cells), which is 0.02. */
static void test_turns_are_not_correlated(void **state) {
    (void)state;
    static falls f;
    rv_context *ctx = support_context(1);
    rv_watch watch = {.after = count_falls, .user = &f};
    support_ok(ctx,
               rv_recipe_run_text(ctx,
                                  "terrain size=48 noise repeat 6 droplets 20000 max_path=1cell "
                                  "capacity=0 border=wall end",
                                  &watch, NULL));
    assert_int_equal(f.turns, FALLS);
    for (int y = 0; y < 48; y++)
        for (int x = 0; x < 48; x++)
            for (int t = 0; t < FALLS; t++)
                if (x == 0 || y == 0 || x == 47 || y == 47)
                    f.fell[t][y * 48 + x] = 0;
                else
                    f.fell[t][y * 48 + x] -= 20000.0 / (47 * 47);
    for (int a = 0; a < FALLS; a++)
        for (int b = 0; b < a; b++)
            assert_less(fabs(correlation(f.fell[a], f.fell[b])), 0.11);
    rv_context_destroy(ctx);
}

/* More turns than a number holds do no harm; the first one ends this run. */
static void test_more_turns_than_numbers(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    const char *text = "terrain size=16 repeat 1G repeat 1G repeat 1G repeat 1G open missing.npy "
                       "end end end end";
    assert_int_equal(rv_recipe_run_text(ctx, text, NULL, NULL), RV_ERROR_INPUT);
    rv_context_destroy(ctx);
}

static void test_once_is_as_without(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    uint64_t plain = run_text(ctx, "terrain size=32 noise droplets 50 blur", NULL);
    assert_equal(run_text(ctx, "terrain size=32 noise repeat 1 droplets 50 end blur", NULL), plain);
    assert_equal(run_text(ctx,
                          "terrain size=32 noise repeat 0 level repeat 3 faults end end "
                          "droplets 50 blur",
                          NULL),
                 plain);
    assert_equal(run_text(ctx, "terrain size=32 noise repeat 2 end droplets drops=50 blur", NULL),
                 plain);
    assert_not_equal(run_text(ctx, "terrain size=32 noise repeat 2 droplets 50 end blur", NULL),
                     plain);
    rv_context_destroy(ctx);
}

static void test_repeats_that_do_not_match(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const char *const bad[][2] = {
        {"terrain\n  end", "line 2, column 3"},
        {"repeat 2 noise\nrepeat 3 noise end", "line 1, column 1"},
        {"repeat 2 end end", "line 1, column 14"},
        {"repeat 1 repeat 1 repeat 1 repeat 1 repeat 1 repeat 1 repeat 1 repeat 1 repeat 1", "9"},
        {"repeat 1.5 end", "whole"},
        {"repeat -1 end", "-1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        rv_recipe *recipe;
        assert_int_equal(rv_recipe_parse(ctx, bad[i][0], "test", &recipe), RV_ERROR_USAGE);
        if (i != 3)
            assert_non_null(strstr(rv_context_error(ctx), bad[i][1]));
    }
    rv_context_destroy(ctx);
}

static bool note_progress(void *user, const rv_progress *now) {
    seen *s = user;
    assert_greater_equal(now->total, s->total);
    assert_less_equal(now->total, 1.0);
    s->total = now->total;
    return true;
}

static void test_progress_over_the_whole(void **state) {
    (void)state;
    seen s = {0};
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 2;
    desc.progress = note_progress;
    desc.user = &s;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    run_text(ctx, "terrain size=64 noise repeat 5 droplets 500 repeat 4 blur end end", NULL);
    assert_greater(s.total, 0.9);
    rv_context_destroy(ctx);
}

static void test_printed_recipe_reads_back(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_recipe *recipe, *again;
    support_ok(ctx, rv_recipe_parse(ctx,
                                    "terrain size=64 cell=0.1\nnoise seed=18446744073709551615 "
                                    "warp=0.3\nrepeat 3 mask \"my mask #1.png\" droplets 2M end "
                                    "save \"a=b.png\"",
                                    "test", &recipe));
    char out[4096], second[4096];
    int size = rv_recipe_print(recipe, out, sizeof out);
    assert_greater(size, 0);
    assert_int_equal(size, strlen(out));
    char few[20];
    assert_int_equal(rv_recipe_print(recipe, few, sizeof few), size);
    assert_equal(strlen(few), sizeof few - 1);
    assert_true(strncmp(few, out, sizeof few - 1) == 0);
    support_ok(ctx, rv_recipe_parse(ctx, out, "test", &again));
    assert_int_equal(rv_recipe_count(again), rv_recipe_count(recipe));
    rv_recipe_print(again, second, sizeof second);
    assert_string_equal(out, second);
    assert_non_null(strstr(out, "my mask #1.png"));
    rv_recipe_destroy(recipe);
    rv_recipe_destroy(again);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns_and_seeds),
        cmocka_unit_test(test_turns_of_other_seeds),
        cmocka_unit_test(test_turns_are_not_correlated),
        cmocka_unit_test(test_more_turns_than_numbers),
        cmocka_unit_test(test_once_is_as_without),
        cmocka_unit_test(test_repeats_that_do_not_match),
        cmocka_unit_test(test_progress_over_the_whole),
        cmocka_unit_test(test_printed_recipe_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
