/* test_film_of_steps.c: frames while steps run. They show the land as it is then, on any machine
 * the same; the land itself is as without the film; a run that is resumed goes on with its film. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#define LAND "terrain size=24 noise frequency=8 relief=300 "

static size_t read_file(const char *path, unsigned char *out, size_t room) {
    FILE *in = fopen(path, "rb");
    if (!in)
        return 0;
    size_t size = fread(out, 1, room, in);
    fclose(in);
    return size;
}

static bool same_files(const char *a, const char *b) {
    static unsigned char left[1 << 16], right[1 << 16];
    size_t size = read_file(a, left, sizeof left);
    assert_greater(size, 0);
    return read_file(b, right, sizeof right) == size && memcmp(left, right, size) == 0;
}

static const char *frame_name(const char *stem, int number) {
    static char names[2][64];
    static int which;
    which = !which;
    snprintf(names[which], sizeof names[which], "%s-%05d.png", stem, number);
    return names[which];
}

/* There are so many frames, which are removed. */
static void expect_frames(const char *stem, int count) {
    unsigned char byte;
    for (int k = 0; k < count + 2; k++) {
        if ((read_file(frame_name(stem, k), &byte, 1) == 1) != (k < count))
            fail_msg("%s: %d frames were expected", frame_name(stem, k), count);
        remove(frame_name(stem, k));
    }
}

static void run_text(rv_context *ctx, const char *text) {
    support_ok(ctx, rv_recipe_run_text(ctx, text, NULL, NULL));
}

/* One where the film stands, `frames` of each step that erodes, one of each that shapes. */
static void frames_are_counted(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const struct {
        const char *text;
        int frames;
    } cases[] = {
        {LAND "film a.png frames=4", 1},
        {LAND "film a.png frames=4 thermal rounds=2", 5},
        {LAND "film a.png frames=4 blur thermal rounds=9 save x.npy hardness", 6},
        {LAND "film a.png frames=3 repeat 4 droplets 20 blur end thermal", 1 + 4 * 4 + 3},
        {LAND "thermal film a.png frames=2 mask blur", 2},
        {LAND "film a.png frames=2 view=water pipes rounds=3 rivers steps=2 drain", 7},
        {LAND "film a.png frames=2 view=render width=20 height=20 crop width=9 runoff rounds=3", 4},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        run_text(ctx, cases[k].text);
        expect_frames("a", cases[k].frames);
    }
    run_text(ctx, LAND "film a.png frames=2 film b.png frames=3 thermal");
    expect_frames("a", 3);
    expect_frames("b", 4);
    rv_context_destroy(ctx);
}

/* Frame k of 5 of ten rounds is the land after 2 k of them. */
static void frames_show_the_land_of_their_time(void **state) {
    (void)state;
    static const char *const steps[] = {
        "thermal talus=20 rounds=", "runoff width=0 travel=1cells rounds=",
        "pipes width=0 rain=100k capacity=1000 dissolve=1 rounds="};
    rv_context *ctx = support_context(2);
    for (int s = 0; s < 3; s++) {
        char text[300];
        snprintf(text, sizeof text, LAND "film a.png frames=5 %s10", steps[s]);
        run_text(ctx, text);
        for (int k = 0; k <= 5; k++) {
            snprintf(text, sizeof text, LAND "%s%d hillshade still.png", steps[s], 2 * k);
            run_text(ctx, text);
            if (!same_files("still.png", frame_name("a", k)))
                fail_msg("%s: frame %d shows another land", steps[s], k);
        }
        assert_false(same_files(frame_name("a", 1), frame_name("a", 4)));
        expect_frames("a", 6);
    }
    rv_context_destroy(ctx);
}

static bool go_on(void *user, const rv_progress *now) {
    (void)now;
    ++*(int *)user;
    return true;
}

/* The land and its hash are as without a film, the frames those of any number of threads, with and
 * without somebody who looks at the land meanwhile. */
static void land_is_as_without_the_film(void **state) {
    (void)state;
    static const char *const steps[] = {
        "droplets drops=3k",
        "droplets drops=900 border=apron margin=12 blend=0.4",
        "particles drops=2k",
        "runoff rounds=30",
        "pipes time=40",
        "layer name=sand thermal rounds=30 talus=20",
        "thermal until=settled talus=20",
        "droplets order=batch drops=2k",
        "particles order=batch drops=2k",
        "rivers steps=9 time=200k",
        "layer strata rivers steps=9 time=200k",
        "drain flood",
        "select name=mask where=\"noise > 0.5\" droplets drops=900 noise mode=add",
        "repeat 3 droplets 300 thermal rounds=3 end",
    };
    int asked = 0;
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 3;
    desc.progress = go_on;
    desc.user = &asked;
    rv_context *one = support_context(1), *some;
    assert_int_equal(rv_context_create(&desc, &some), RV_OK);
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        char text[300];
        snprintf(text, sizeof text, LAND "%s", steps[k]);
        rv_terrain *plain = support_run(one, text);
        snprintf(text, sizeof text, LAND "film a.png frames=7 %s", steps[k]);
        rv_terrain *filmed = support_run(one, text);
        snprintf(text, sizeof text, LAND "film b.png frames=7 %s", steps[k]);
        rv_terrain *again = support_run(some, text);
        assert_equal(rv_terrain_hash(filmed), rv_terrain_hash(plain));
        assert_equal(rv_terrain_hash(again), rv_terrain_hash(plain));
        for (int i = 0; i < 8; i++)
            if (!same_files(frame_name("a", i), frame_name("b", i)))
                fail_msg("%s: frame %d differs", steps[k], i);
        rv_terrain_destroy(plain);
        rv_terrain_destroy(filmed);
        rv_terrain_destroy(again);
        for (int i = 0; i < 60; i++) {
            remove(frame_name("a", i));
            remove(frame_name("b", i));
        }
    }
    rv_context_destroy(one);
    rv_context_destroy(some);
}

/* The search for land at rest takes long enough for a clock to have its say, if it had one. */
static void a_long_search_is_filmed_alike(void **state) {
    (void)state;
    static const char *const films[] = {"a", "b"};
    int asked = 0;
    rv_context_desc desc = rv_context_desc_default();
    desc.progress = go_on;
    desc.user = &asked;
    rv_context *contexts[2] = {support_context(1)};
    assert_int_equal(rv_context_create(&desc, &contexts[1]), RV_OK);
    for (int k = 0; k < 2; k++) {
        char text[200];
        snprintf(text, sizeof text,
                 "terrain size=%d noise relief=2000 film %s.png frames=6 thermal until=settled "
                 "talus=10 border=open",
                 support_short() ? 50 : 100, films[k]);
        run_text(contexts[k], text);
    }
    for (int i = 0; i < 7; i++)
        if (!same_files(frame_name("a", i), frame_name("b", i)))
            fail_msg("frame %d differs", i);
    expect_frames("a", 7);
    expect_frames("b", 7);
    rv_context_destroy(contexts[0]);
    rv_context_destroy(contexts[1]);
}

/* While rivers run on coarse cells, the land is shown as far as they have changed it; it ends as it
 * does when nobody looks. */
static void coarse_rivers_are_seen(void **state) {
    (void)state;
    static const char *const lands[] = {"", "layer name=sand strata hardness noise=0.5 "};
    rv_context *one = support_context(1), *some = support_context(3);
    for (int k = 0; k < 2; k++) {
        char text[300];
        const char *const made = "terrain size=128 noise frequency=2 relief=200";
        snprintf(text, sizeof text, "%s %s rivers steps=80 time=200k", made, lands[k]);
        rv_terrain *plain = support_run(one, text);
        snprintf(text, sizeof text, "%s %s film a.png frames=8 rivers steps=80 time=200k", made,
                 lands[k]);
        rv_terrain *filmed = support_run(one, text);
        snprintf(text, sizeof text, "%s %s film b.png frames=8 rivers steps=80 time=200k", made,
                 lands[k]);
        rv_terrain *again = support_run(some, text);
        assert_equal(rv_terrain_hash(filmed), rv_terrain_hash(plain));
        assert_equal(rv_terrain_hash(again), rv_terrain_hash(plain));
        for (int i = 0; i < 8; i++) {
            assert_true(same_files(frame_name("a", i), frame_name("b", i)));
            if (same_files(frame_name("a", i), frame_name("a", i + 1)))
                fail_msg("%s: nothing is seen from frame %d to the next", text, i);
        }
        expect_frames("a", 9);
        expect_frames("b", 9);
        rv_terrain_destroy(plain);
        rv_terrain_destroy(filmed);
        rv_terrain_destroy(again);
    }
    rv_context_destroy(one);
    rv_context_destroy(some);
}

/* ---- stop, resume, keep ---- */

typedef struct stopping {
    const char *step;
    int after; /* calls in that step */
} stopping;

static bool stop_in(void *user, const rv_progress *now) {
    stopping *s = user;
    return strcmp(now->step, s->step) != 0 || s->after-- > 0;
}

static rv_context *stopping_context(stopping *s) {
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 2;
    desc.progress = stop_in;
    desc.user = s;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    return ctx;
}

#define LONG                                                                                       \
    "droplets drops=800 film %s.png frames=4 thermal rounds=8 talus=20 repeat 2 runoff rounds=9 "  \
    "end blur"

static void a_resumed_run_goes_on_with_it(void **state) {
    (void)state;
    char text[300];
    rv_context *ctx = support_context(2);
    snprintf(text, sizeof text, LAND LONG, "whole");
    rv_terrain *whole = support_run(ctx, text), *rest;
    snprintf(text, sizeof text, LAND LONG, "part");
    static const char *const in[] = {"thermal", "runoff"};
    for (int k = 0; k < 2; k++) {
        stopping s = {in[k], 0};
        rv_context *stops = stopping_context(&s);
        rv_watch watch = {.checkpoint = "part.ck"};
        rv_recipe *recipe;
        support_ok(stops, rv_recipe_parse(stops, text, "test", &recipe));
        assert_int_equal(rv_recipe_run(recipe, &watch, NULL), RV_CANCELLED);
        support_ok(ctx, rv_recipe_resume(ctx, "part.ck", &watch, &rest));
        assert_equal(rv_terrain_hash(rest), rv_terrain_hash(whole));
        for (int i = 0; i < 14; i++)
            if (!same_files(frame_name("whole", i), frame_name("part", i)))
                fail_msg("stopped in %s: frame %d differs", in[k], i);
        expect_frames("part", 14);
        rv_terrain_destroy(rest);
        rv_recipe_destroy(recipe);
        rv_context_destroy(stops);
    }
    expect_frames("whole", 14);
    rv_terrain_destroy(whole);
    rv_context_destroy(ctx);
}

/* Stop and keep: the frames so far, and a last one of the land that is kept. */
static void a_stop_that_keeps_ends_it(void **state) {
    (void)state;
    char text[300];
    stopping s = {"runoff", 0};
    rv_context *ctx = stopping_context(&s);
    rv_watch watch = {.keep = true};
    rv_recipe *recipe;
    snprintf(text, sizeof text, LAND LONG " hillshade kept.png", "part");
    support_ok(ctx, rv_recipe_parse(ctx, text, "test", &recipe));
    support_ok(ctx, rv_recipe_run(recipe, &watch, NULL));
    int count = 0;
    unsigned char byte;
    while (read_file(frame_name("part", count), &byte, 1) == 1)
        count++;
    assert_true(count >= 6 && count < 14);
    assert_true(same_files("kept.png", frame_name("part", count - 1)));
    expect_frames("part", count);
    rv_recipe_destroy(recipe);
    rv_context_destroy(ctx);
}

/* A run that goes on plans all films that have begun, the last as well. */
static void all_films_are_planned_after_a_resume(void **state) {
    (void)state;
    char text[2000];
    int used = snprintf(text, sizeof text, LAND);
    for (int k = 0; k < 15; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "film f%d.png frames=1 ", k);
    snprintf(text + used, sizeof text - (size_t)used,
             "film large.png frames=1 view=render width=1000 height=1000 blur thermal");
    stopping s = {"blur", 0};
    rv_context *stops = stopping_context(&s), *little;
    rv_watch watch = {.checkpoint = "many.ck"};
    rv_recipe *recipe;
    support_ok(stops, rv_recipe_parse(stops, text, "test", &recipe));
    assert_int_equal(rv_recipe_run(recipe, &watch, NULL), RV_CANCELLED);
    rv_context_desc desc = {.threads = 1, .memory_limit = 4 << 20};
    assert_int_equal(rv_context_create(&desc, &little), RV_OK);
    rv_terrain *rest;
    assert_int_equal(rv_recipe_resume(little, "many.ck", &watch, &rest), RV_ERROR_MEMORY);
    if (!strstr(rv_context_error(little), "for thermal would exceed the memory limit"))
        fail_msg("%s", rv_context_error(little));
    for (int k = 0; k < 15; k++) {
        snprintf(text, sizeof text, "f%d-00000.png", k);
        remove(text);
    }
    remove("large-00000.png");
    remove("many.ck");
    rv_context_destroy(little);
    rv_recipe_destroy(recipe);
    rv_context_destroy(stops);
}

/* Until a later step makes what it shows, a film shows the land alone. */
static void what_comes_later_can_be_filmed(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"steep", "select name=steep where=\"slope > 20\""},
        {"sand", "layer name=sand noise=1"},
        {"hardness", "hardness noise=1"},
        {"grass", "open grass.npz"},
        {"water", "pipes rounds=2"},
    };
    rv_context *ctx = support_context(2);
    run_text(ctx, LAND "select name=grass where=\"slope < 20\" save grass.npz");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 LAND "film a.png frames=1 view=%s %s thermal rounds=2 paint last.png field=%s",
                 cases[k][0], cases[k][1], cases[k][0]);
        run_text(ctx, text);
        run_text(ctx, LAND "paint bare.png opacity=0 field=height");
        int last = 0;
        unsigned char byte;
        while (read_file(frame_name("a", last + 1), &byte, 1) == 1)
            last++;
        if (!same_files(frame_name("a", 0), "bare.png") ||
            !same_files(frame_name("a", last), "last.png"))
            fail_msg("view=%s: not the land alone, and then the field", cases[k][0]);
        assert_false(same_files(frame_name("a", 0), "last.png"));
        expect_frames("a", last + 1);
    }
    remove("grass.npz");
    rv_context_destroy(ctx);
}

static void wrong_words(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const char *const cases[][2] = {
        {LAND "film a.png frames=2 every=2 blur", "give one of them"},
        {LAND "repeat 2 film a.png frames=2 blur end", "stands before the repeat"},
        {LAND "film a.png frames=2 view=water blur", "no step after this one makes it"},
        {LAND "film a.png frames=2 view=sand blur layer name=send", "no step after this one"},
        {LAND "film a.png frames=2 blur crop width=4", "crop changes the size of the land"},
        {LAND "film a.png frames=2 repeat 9000000 thermal rounds=1 repeat 900 thermal end end",
         "more than 1000 million frames"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_int_equal(rv_recipe_run_text(ctx, cases[k][0], NULL, NULL), RV_ERROR_USAGE);
        if (!strstr(rv_context_error(ctx), cases[k][1]))
            fail_msg("%s: %s", cases[k][0], rv_context_error(ctx));
    }
    expect_frames("a", 0); /* nothing has run */
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_counted),
        cmocka_unit_test(frames_show_the_land_of_their_time),
        cmocka_unit_test(land_is_as_without_the_film),
        cmocka_unit_test(a_long_search_is_filmed_alike),
        cmocka_unit_test(coarse_rivers_are_seen),
        cmocka_unit_test(a_resumed_run_goes_on_with_it),
        cmocka_unit_test(a_stop_that_keeps_ends_it),
        cmocka_unit_test(all_films_are_planned_after_a_resume),
        cmocka_unit_test(what_comes_later_can_be_filmed),
        cmocka_unit_test(wrong_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
