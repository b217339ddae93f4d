/* test_film.c: frames of a repeat, and the film that ffmpeg makes of them. A small script plays
 * ffmpeg here: it is known what it is asked for, and the tests need no ffmpeg. */
#include "support.h"

#include "base/program.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char said[4096]; /* every line of the log */

static void listen(void *user, const char *line) {
    (void)user;
    size_t used = strlen(said);
    snprintf(said + used, sizeof said - used, "%s\n", line);
}

static rv_context *make_context(int threads) {
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = threads;
    desc.log = listen;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    said[0] = '\0';
    return ctx;
}

static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

/* Are there exactly the frames STEM00000.png to STEM0000(count - 1).png? They are removed. */
static void expect_frames(const char *stem, int count) {
    char name[64];
    for (int k = 0; k < count + 3; k++) {
        snprintf(name, sizeof name, "%s%05d.png", stem, k);
        if (exists(name) != (k < count))
            fail_msg("%s is%s there, %d frames were expected", name, k < count ? " not" : "",
                     count);
        remove(name);
    }
}

static void run_text(rv_context *ctx, const char *text) {
    support_ok(ctx, rv_recipe_run_text(ctx, text, NULL, NULL));
}

/* ffmpeg becomes a script with these lines; NULL: there is none. */
static void set_ffmpeg(const char *lines) {
    remove("bin/ffmpeg");
    mkdir("bin", 0777);
    assert_int_equal(setenv("PATH", "bin", 1), 0);
    if (!lines)
        return;
    FILE *out = fopen("bin/ffmpeg", "w");
    assert_non_null(out);
    fprintf(out, "#!/bin/sh\n%s\n", lines);
    fclose(out);
    assert_int_equal(chmod("bin/ffmpeg", 0777), 0);
}

/* Says what it was asked for, and makes a film of the last word, as ffmpeg would. */
static const char *const good = "for last; do echo \"$last\"; done > asked.txt\n"
                                "echo film > \"${last#file:}\"";

static void read_text(const char *path, char *out, size_t room) {
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    out[fread(out, 1, room - 1, in)] = '\0';
    fclose(in);
}

/* ---- frames ---- */

#define LAND "terrain size=16 noise "

static void test_frames_of_a_repeat(void **state) {
    (void)state;
    rv_context *ctx = make_context(2);
    static const struct {
        const char *text, *stem;
        int frames;
    } cases[] = {
        {LAND "film a.png", "a-", 1}, /* without a repeat there is one turn */
        {LAND "repeat 4 blur film a.png end", "a-", 4},
        {LAND "repeat 11 blur film a.png every=5 end", "a-", 3}, /* turns 0, 5, 10 */
        {LAND "repeat 10 blur film a.png every=5 end", "a-", 3}, /* 0, 5, and the last: 9 */
        {LAND "repeat 10 blur film a.png every=100 end", "a-", 2},
        {LAND "repeat 1 blur film a.png every=100 end", "a-", 1},
        {LAND "repeat 3 repeat 4 blur film a.png end end", "a-", 12},
        {LAND "repeat 3 repeat 4 blur end film a.png end", "a-", 3},
        {LAND "repeat 3 repeat 4 blur film a.png every=6 end end", "a-", 3}, /* 0, 6, 11 */
        {LAND "repeat 2 blur film b.png end repeat 3 blur film a.png end", "a-", 3},
        {LAND "repeat 0 film a.png end", "a-", 0},
        {LAND "repeat 2 film a-.png end", "a-", 2},
        {LAND "repeat 2 film a_.PNG end", "a_", 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        run_text(ctx, cases[k].text);
        expect_frames(cases[k].stem, cases[k].frames);
        assert_false(exists("a.png"));
    }
    expect_frames("b-", 2);
    mkdir("folder", 0777);
    run_text(ctx, LAND "repeat 2 film folder/.png end");
    expect_frames("folder/", 2);
    rv_context_destroy(ctx);
}

static size_t read_bytes(const char *path, unsigned char *out, size_t room) {
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t size = fread(out, 1, room, in);
    fclose(in);
    return size;
}

static void expect_same_file(const char *a, const char *b) {
    static unsigned char left[1 << 18], right[1 << 18];
    size_t size = read_bytes(a, left, sizeof left);
    assert_int_equal(read_bytes(b, right, sizeof right), size);
    assert_memory_equal(left, right, size);
}

/* A frame is what the step for stills would write at that turn, with any number of threads. */
static void test_frames_are_the_stills(void **state) {
    (void)state;
    static const struct {
        const char *film, *still;
    } cases[] = {
        {"film v.png", "hillshade w.png"},
        {"film v.png view=tint azimuth=20 z=2", "hillshade w.png tint=land azimuth=20 z=2"},
        {"film v.png view=flow", "paint w.png field=flow"},
        {"film v.png view=eroded limit=3 opacity=1 altitude=60",
         "paint w.png field=eroded limit=3 opacity=1 altitude=60"},
    };
    char text[512];
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        rv_context *one = make_context(1), *three = make_context(3);
        snprintf(text, sizeof text, LAND "repeat 3 droplets 40 %s end", cases[k].film);
        run_text(one, text);
        snprintf(text, sizeof text, LAND "repeat 3 droplets 40 end %s", cases[k].still);
        run_text(three, text);
        expect_same_file("v-00002.png", "w.png");
        snprintf(text, sizeof text, LAND "droplets 40 %s", cases[k].still);
        run_text(three, text);
        expect_same_file("v-00000.png", "w.png");
        rv_context_destroy(one);
        rv_context_destroy(three);
    }
}

static void test_wrong_words(void **state) {
    (void)state;
    rv_context *ctx = make_context(1);
    static const char *const cases[][2] = {
        {LAND "film a.avi", "a.avi"},
        {LAND "film a.png view=watr", "\"watr\""},
        {LAND "film a.png view=velocity", "\"velocity_x\""},
        {LAND "film a.png every=0", "every"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        assert_int_equal(rv_recipe_run_text(ctx, cases[k][0], NULL, NULL), RV_ERROR_USAGE);
        assert_non_null(strstr(rv_context_error(ctx), cases[k][1]));
    }
    assert_int_equal(rv_recipe_run_text(ctx, LAND "film nofolder/a.mp4", NULL, NULL),
                     RV_ERROR_OUTPUT);
    expect_frames("a-", 0);
    rv_context_destroy(ctx);
}

/* ---- films ---- */

static void test_without_ffmpeg(void **state) {
    (void)state;
    rv_context *ctx = make_context(2);
    set_ffmpeg(NULL);
    run_text(ctx, LAND "repeat 4 blur film land.mp4 every=2 end");
    assert_false(exists("land.mp4"));
    assert_non_null(strstr(said, "land.mp4"));
    assert_non_null(strstr(said, "ffmpeg is not installed"));
    assert_non_null(strstr(said, "land-00000.png"));
    assert_int_equal(strlen(said) - 1, strchr(said, '\n') - said); /* one line */
    expect_frames("land-", 3);
    rv_context_destroy(ctx);
}

static void test_with_ffmpeg(void **state) {
    (void)state;
    rv_context *ctx = make_context(2);
    char asked[4096], text[64];
    set_ffmpeg(good);
    run_text(ctx, LAND "repeat 4 blur film land.mp4 every=2 rate=10 end");
    read_text("land.mp4", text, sizeof text);
    assert_string_equal(text, "film\n");
    assert_false(exists("land.mp4.part"));
    expect_frames("land-", 0);
    read_text("asked.txt", asked, sizeof asked);
    assert_non_null(strstr(asked, "-framerate\n10\n-i\nfile:land-%05d.png\n-frames:v\n3\n"));
    assert_non_null(strstr(said, "3 frames, 0.3 s"));
    /* A percent sign in a name is none of the pattern. */
    run_text(ctx, LAND "film 5%d.mp4");
    read_text("asked.txt", asked, sizeof asked);
    assert_non_null(strstr(asked, "file:5%%d-%05d.png\n"));
    assert_true(exists("5%d.mp4"));
    expect_frames("5%d-", 0);
    rv_context_destroy(ctx);
}

/* The frames are worth keeping, and an older film stays. */
static void test_ffmpeg_fails(void **state) {
    (void)state;
    rv_context *ctx = make_context(2);
    char text[64];
    set_ffmpeg(good);
    run_text(ctx, LAND "film old.mp4");
    set_ffmpeg("for last; do :; done\necho half > \"${last#file:}\"\nexit 3");
    assert_int_equal(rv_recipe_run_text(ctx, LAND "repeat 2 blur film old.mp4 end", NULL, NULL),
                     RV_ERROR_OUTPUT);
    assert_non_null(strstr(rv_context_error(ctx), "old.mp4"));
    assert_non_null(strstr(rv_context_error(ctx), "code 3"));
    read_text("old.mp4", text, sizeof text);
    assert_string_equal(text, "film\n");
    assert_false(exists("old.mp4.part"));
    expect_frames("old-", 2);
    set_ffmpeg("kill -9 $$");
    assert_int_equal(rv_recipe_run_text(ctx, LAND "film old.mp4", NULL, NULL), RV_ERROR_OUTPUT);
    assert_non_null(strstr(rv_context_error(ctx), "137"));
    expect_frames("old-", 1);
    rv_context_destroy(ctx);
}

/* A run killed between the film and the next checkpoint is resumed at its last turn, when frames
 * are gone: the film stays, and so does nothing else. */
static void test_last_turn_again(void **state) {
    (void)state;
    rv_context *ctx = make_context(2);
    static const char *const text = LAND "repeat 3 blur film again.mp4 end";
    set_ffmpeg(good);
    run_text(ctx, text);
    set_ffmpeg("exit 1"); /* so that the run ends at its last turn, and as ffmpeg without a frame */
    rv_recipe *recipe;
    support_ok(ctx, rv_recipe_parse(ctx, text, "test", &recipe));
    rv_watch watch = {.checkpoint = "again.ck", .every = 0};
    assert_int_equal(rv_recipe_run(recipe, &watch, NULL), RV_ERROR_OUTPUT);
    assert_true(exists("again.ck"));
    remove("again-00000.png");
    support_ok(ctx, rv_recipe_resume(ctx, "again.ck", NULL, NULL));
    assert_true(exists("again.mp4"));
    expect_frames("again-", 0);
    rv_recipe_destroy(recipe);
    rv_context_destroy(ctx);
}

static bool stop_soon(void *user, const rv_progress *now) {
    int *calls = user;
    (void)now;
    return ++*calls < 5;
}

/* The wish to stop ends ffmpeg, too, and leaves the frames. */
static void test_stop_during_ffmpeg(void **state) {
    (void)state;
    int calls = 0;
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.progress = stop_soon;
    desc.user = &calls;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    set_ffmpeg("for last; do :; done\necho half > \"${last#file:}\"\nexec /bin/sleep 100");
    rv_film_params p = rv_film_params_default();
    p.file = "stop.mp4";
    rv_terrain *land = support_land(ctx, 16, 16, 10);
    assert_int_equal(rv_step_run(land, RV_STEP_film, &p, NULL), RV_CANCELLED);
    assert_false(exists("stop.mp4"));
    assert_false(exists("stop.mp4.part"));
    expect_frames("stop-", 1);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_programs(void **state) {
    (void)state;
    rv_context *ctx = make_context(1);
    int code;
    const char *const shell[] = {"/bin/sh", "-c", "exit 7", NULL};
    support_ok(ctx, rvi_program_run(ctx, shell, &code));
    assert_int_equal(code, 7);
    /* It has nothing to read and nobody to talk to. */
    const char *const silent[] = {"/bin/sh", "-c", "echo loud; echo loud >&2; ! read line", NULL};
    support_ok(ctx, rvi_program_run(ctx, silent, &code));
    assert_int_equal(code, 0);
    const char *const missing[] = {"no-such-program-at-all", NULL};
    support_ok(ctx, rvi_program_run(ctx, missing, &code));
    assert_int_equal(code, RVI_PROGRAM_MISSING);
    rv_context_destroy(ctx);
}

/* A turn around the land: as many frames as turns of a repeat, of the size that is asked for, each
 * from another side. */
static void test_a_turn_in_perspective(void **state) {
    (void)state;
    rv_context *ctx = make_context(1);
    run_text(ctx, LAND "repeat 4 film turn.png view=render orbit=360 width=33 height=21 end");
    unsigned char heads[4][512];
    for (int k = 0; k < 4; k++) {
        char name[32];
        snprintf(name, sizeof name, "turn-%05d.png", k);
        FILE *in = fopen(name, "rb");
        assert_non_null(in);
        assert_int_equal(fread(heads[k], 1, sizeof heads[k], in), sizeof heads[k]);
        fclose(in);
        assert_int_equal(heads[k][19], 33);
        assert_int_equal(heads[k][23], 21);
        for (int other = 0; other < k; other++)
            assert_memory_not_equal(heads[k], heads[other], sizeof heads[k]);
    }
    expect_frames("turn-", 4);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_of_a_repeat), cmocka_unit_test(test_frames_are_the_stills),
        cmocka_unit_test(test_wrong_words),        cmocka_unit_test(test_without_ffmpeg),
        cmocka_unit_test(test_with_ffmpeg),        cmocka_unit_test(test_ffmpeg_fails),
        cmocka_unit_test(test_last_turn_again),    cmocka_unit_test(test_stop_during_ffmpeg),
        cmocka_unit_test(test_programs),           cmocka_unit_test(test_a_turn_in_perspective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
