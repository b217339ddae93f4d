/* test_film.c: frames of a repeat, and the film that ffmpeg makes of them. A small script plays
 * ffmpeg here: it is known what it is asked for, and the tests need no ffmpeg. */
#include "support.h"

#include "base/archive.h"
#include "base/file.h"
#include "base/program.h"
#include "base/run_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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

/* How many entries of the working folder hold such a text in their name; the last one to `out`. */
static int count_named(const char *part, char *out, size_t room) {
    DIR *dir = opendir(".");
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strstr(entry->d_name, part)) {
            count++;
            if (out)
                snprintf(out, room, "%s", entry->d_name);
        }
    closedir(dir);
    return count;
}

/* Nothing of a film that is being made is left. */
static void expect_no_folders(void) {
    char name[300];
    if (count_named(".frames-", name, sizeof name) > 0)
        fail_msg("%s is left", name);
    assert_int_equal(count_named(".part", NULL, 0), 0);
    assert_int_equal(count_named(".tmp", NULL, 0), 0);
}

static void write_text(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
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
        {LAND "film a.mp4 repeat 2 film ./a.mp4 end", "line 1, column 43: ./a.mp4: step 3 makes"},
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
    assert_non_null(strstr(said, "land-frames"));
    const char *second = strchr(said, '\n') + 1; /* one line before the work, and one after it */
    assert_non_null(strstr(said, "there will be no film; its frames will be kept\n"));
    assert_ptr_equal(strstr(second, "land.mp4: ffmpeg is not installed, so the frames are kept"),
                     second);
    assert_int_equal(strlen(second) - 1, strchr(second, '\n') - second);
    /* Frames that are kept are the user's: a second run does not touch them. */
    run_text(ctx, LAND "repeat 2 blur film land.mp4 end");
    assert_non_null(strstr(said, "land-frames-2"));
    expect_frames("land-frames/", 3);
    expect_frames("land-frames-2/", 2);
    struct stat info, plain;
    assert_int_equal(mkdir("plain", 0777), 0);
    assert_int_equal(stat("plain", &plain), 0);
    assert_int_equal(stat("land-frames", &info), 0);
    assert_int_equal(info.st_mode, plain.st_mode); /* as any folder that they make */
    assert_int_equal(rmdir("land-frames"), 0);
    assert_int_equal(rmdir("land-frames-2"), 0);
    assert_int_equal(rmdir("plain"), 0);
    expect_no_folders();
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
    expect_no_folders();
    expect_frames("land-", 0);
    read_text("asked.txt", asked, sizeof asked);
    assert_non_null(strstr(asked, "-framerate\n10\n-i\nfile:land.mp4.frames-"));
    assert_non_null(strstr(asked, "/%05d.png\n-frames:v\n3\n"));
    assert_non_null(strstr(said, "3 frames, 0.3 s"));
    /* A percent sign in a name is none of the pattern. */
    run_text(ctx, LAND "film 5%d.mp4");
    read_text("asked.txt", asked, sizeof asked);
    assert_non_null(strstr(asked, "file:5%%d.mp4.frames-"));
    assert_true(exists("5%d.mp4"));
    expect_no_folders();
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
    assert_non_null(strstr(rv_context_error(ctx), "old-frames."));
    assert_false(exists("old-frames/film.mp4"));
    expect_frames("old-frames/", 2);
    assert_int_equal(rmdir("old-frames"), 0);
    set_ffmpeg("kill -9 $$");
    assert_int_equal(rv_recipe_run_text(ctx, LAND "film old.mp4", NULL, NULL), RV_ERROR_OUTPUT);
    assert_non_null(strstr(rv_context_error(ctx), "137"));
    expect_frames("old-frames/", 1);
    assert_int_equal(rmdir("old-frames"), 0);
    expect_no_folders();
    rv_context_destroy(ctx);
}

/* A run that fails or is killed at its last turn is resumed there: all frames are still there, and
 * nothing is left in the end. */
static void test_last_turn_again(void **state) {
    (void)state;
    rv_context *ctx = make_context(2);
    char asked[4096];
    static const char *const text = LAND "repeat 3 blur film again.mp4 end";
    set_ffmpeg("exit 1"); /* so that the run ends at its last turn */
    rv_recipe *recipe;
    support_ok(ctx, rv_recipe_parse(ctx, text, "test", &recipe));
    rv_watch watch = {.checkpoint = "again.ck", .every = 0};
    assert_int_equal(rv_recipe_run(recipe, &watch, NULL), RV_ERROR_OUTPUT);
    assert_non_null(strstr(rv_context_error(ctx), "resume"));
    assert_true(exists("again.ck"));
    assert_int_equal(count_named("again.mp4.frames-", NULL, 0), 1);
    /* Another film beside it leaves the frames alone: the checkpoint waits for them. */
    set_ffmpeg(good);
    run_text(ctx, LAND "film other.mp4");
    assert_int_equal(count_named("again.mp4.frames-", NULL, 0), 1);
    support_ok(ctx, rv_recipe_resume(ctx, "again.ck", &watch, NULL));
    read_text("asked.txt", asked, sizeof asked);
    assert_non_null(strstr(asked, "-frames:v\n3\n"));
    assert_true(exists("again.mp4"));
    assert_false(exists("again.ck"));
    expect_no_folders();
    rv_recipe_destroy(recipe);
    rv_context_destroy(ctx);
}

static void remove_all(const char *folder) {
    char name[600];
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        unlink(name);
    }
    closedir(dir);
    assert_int_equal(rmdir(folder), 0);
}

/* ffmpeg may end well without a film, or the film may not get its name. */
static void test_film_gets_no_name(void **state) {
    (void)state;
    rv_context *ctx = make_context(2);
    set_ffmpeg("exit 0");
    assert_int_equal(rv_recipe_run_text(ctx, LAND "repeat 2 film no.mp4 end", NULL, NULL),
                     RV_ERROR_OUTPUT);
    assert_non_null(strstr(rv_context_error(ctx), "no.mp4: ffmpeg ended without a film; "));
    expect_frames("no-frames/", 2);
    assert_int_equal(rmdir("no-frames"), 0);
    set_ffmpeg("for last; do :; done\necho film > \"${last#file:}\"\n/bin/mkdir no.mp4");
    assert_int_equal(rv_recipe_run_text(ctx, LAND "repeat 2 film no.mp4 end", NULL, NULL),
                     RV_ERROR_OUTPUT);
    assert_non_null(strstr(rv_context_error(ctx), "kept in no-frames."));
    expect_frames("no-frames/", 2);
    assert_true(exists("no-frames/film.mp4"));
    remove_all("no-frames");
    assert_int_equal(rmdir("no.mp4"), 0);
    expect_no_folders();
    rv_context_destroy(ctx);
}

/* The frames lie beside the film itself, on its file system. */
static void test_film_behind_a_link(void **state) {
    (void)state;
    rv_context *ctx = make_context(1);
    char asked[4096];
    set_ffmpeg(good);
    mkdir("far", 0777);
    assert_int_equal(symlink("far/real.mp4", "link.mp4"), 0);
    write_text("far/real.mp4", "old");
    run_text(ctx, LAND "film link.mp4");
    read_text("asked.txt", asked, sizeof asked);
    assert_non_null(strstr(asked, "file:far/real.mp4.frames-"));
    read_text("far/real.mp4", asked, sizeof asked);
    assert_string_equal(asked, "film\n");
    set_ffmpeg(NULL);
    run_text(ctx, LAND "film link.mp4");
    expect_frames("far/real-frames/", 1);
    assert_int_equal(rmdir("far/real-frames"), 0);
    remove("link.mp4");
    remove_all("far");
    rv_context_destroy(ctx);
}

/* Frames that are gone are told at the next turn, not at the end. */
static void test_frames_gone(void **state) {
    (void)state;
    rv_context *ctx = make_context(2);
    char folder[300], name[400];
    set_ffmpeg("exit 1");
    rv_recipe *recipe;
    support_ok(ctx, rv_recipe_parse(ctx, LAND "repeat 3 blur film gone.mp4 end", "test", &recipe));
    rv_watch watch = {.checkpoint = "gone.ck", .every = 0};
    assert_int_equal(rv_recipe_run(recipe, &watch, NULL), RV_ERROR_OUTPUT);
    assert_int_equal(count_named("gone.mp4.frames-", folder, sizeof folder), 1);
    snprintf(name, sizeof name, "%s/00001.png", folder);
    assert_int_equal(remove(name), 0);
    set_ffmpeg(good);
    assert_int_equal(rv_recipe_resume(ctx, "gone.ck", &watch, NULL), RV_ERROR_INPUT);
    assert_non_null(strstr(rv_context_error(ctx), "00001.png is missing"));
    assert_false(exists("gone.mp4"));
    /* The checkpoint may have been moved: nobody but the user knows that they are not needed. */
    assert_int_equal(remove("gone.ck"), 0);
    run_text(ctx, LAND "film gone.mp4");
    assert_int_equal(count_named("gone.mp4.frames-", NULL, 0), 1);
    remove_all(folder);
    expect_no_folders();
    rv_recipe_destroy(recipe);
    rv_context_destroy(ctx);
}

/* Files that are there are the user's, whatever they are called; links are not followed. */
static void test_files_of_the_user_stay(void **state) {
    (void)state;
    rv_context *ctx = make_context(2);
    char text[64];
    set_ffmpeg(good);
    write_text("mine-00000.png", "my picture");
    write_text("mine-00001.png", "another");
    write_text("secret.txt", "secret");
    assert_int_equal(symlink("secret.txt", "mine.mp4.part"), 0);
    run_text(ctx, LAND "repeat 3 blur film mine.mp4 end");
    read_text("mine-00000.png", text, sizeof text);
    assert_string_equal(text, "my picture");
    read_text("mine-00001.png", text, sizeof text);
    assert_string_equal(text, "another");
    read_text("secret.txt", text, sizeof text);
    assert_string_equal(text, "secret");
    read_text("mine.mp4", text, sizeof text);
    assert_string_equal(text, "film\n");
    remove("mine.mp4.part");
    expect_no_folders();
    /* Those that frames will take the names of are told before the run. */
    assert_string_equal(strstr(said, "overwritten") ? said : "", "");
    run_text(ctx, LAND "repeat 2 blur film mine.png end");
    assert_non_null(strstr(said, "mine.png: 2 files from mine-00000.png on are there and will be"));
    said[0] = '\0';
    remove("mine-00000.png");
    write_text("mine-00007.png", "beyond the last frame");
    write_text("mine-000001.png", "not a name of a frame");
    run_text(ctx, LAND "repeat 2 blur film mine.png end");
    assert_non_null(strstr(said, "mine.png: mine-00001.png is there and will be overwritten"));
    read_text("mine-00007.png", text, sizeof text);
    assert_string_equal(text, "beyond the last frame");
    rv_context_destroy(ctx);
}

/* ---- folders of runs ---- */

static void test_folders(void **state) {
    (void)state;
    rv_context *ctx = make_context(1);
    rvi_run_files one = {.ctx = ctx, .number = rvi_run_number()}, other = one;
    other.number = rvi_run_number();
    assert_int_not_equal(one.number, other.number);
    const char *path, *again;
    struct stat info;
    support_ok(ctx, rvi_run_folder_open(&one, "f.mp4", &path));
    support_ok(ctx, rvi_run_folder_open(&one, "f.mp4", &again));
    assert_ptr_equal(path, again);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    /* One that is in use stays; so does what only looks like one. */
    write_text("g.mp4.frames-0123456789abcdef", "a file");
    assert_int_equal(mkdir("g.mp4.frames-0123", 0700), 0);
    assert_int_equal(symlink("bin", "h.mp4.frames-0123456789abcdef"), 0);
    support_ok(ctx, rvi_run_folder_open(&other, "f.mp4", &again));
    assert_true(exists(path));
    assert_true(exists("g.mp4.frames-0123456789abcdef"));
    assert_true(exists("g.mp4.frames-0123"));
    assert_true(exists("bin"));
    rvi_run_files_end(&one, RV_OK);
    rvi_run_files_end(&other, RV_CANCELLED);
    remove("g.mp4.frames-0123456789abcdef");
    remove("g.mp4.frames-0123");
    remove("h.mp4.frames-0123456789abcdef");
    expect_no_folders();
    /* A link in the place of a folder is not entered. */
    char name[64];
    snprintf(name, sizeof name, "f.mp4.frames-%016llx", (unsigned long long)one.number);
    assert_int_equal(symlink("bin", name), 0);
    assert_int_equal(rvi_run_folder_open(&one, "f.mp4", &path), RV_ERROR_OUTPUT);
    assert_int_equal(remove(name), 0);
    rv_context_destroy(ctx);
}

/* As a run does that is killed, `kept`: after its film, before its first checkpoint. */
static void leave_folder(const char *checkpoint, bool kept, const char *more, char *path,
                         size_t room) {
    rv_context *ctx = make_context(1);
    rvi_run_files run = {.ctx = ctx, .number = rvi_run_number(), .checkpoint = checkpoint};
    snprintf(path, room, "d.mp4.frames-%016llx", (unsigned long long)run.number);
    pid_t child = fork();
    if (child == 0) {
        const char *made;
        rv_status status = rvi_run_folder_open(&run, "d.mp4", &made);
        if (status == RV_OK && kept)
            status = rvi_run_folder_keep(&run, made);
        _exit(status == RV_OK ? 0 : 1);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    char name[200];
    snprintf(name, sizeof name, "%s/%s", path, more);
    write_text(name, "text");
    rv_context_destroy(ctx);
}

/* Folders of dead runs go, but nothing that a run did not make. */
static void test_sweep(void **state) {
    (void)state;
    rv_context *ctx = make_context(1);
    char dead[64], early[64], mixed[64], name[128];
    leave_folder(NULL, false, "mine.txt", mixed, sizeof mixed);
    snprintf(name, sizeof name, "%s/00000.png", mixed);
    write_text(name, "text");
    leave_folder(NULL, false, "00000.png.tmp0123456789abcdef", dead, sizeof dead);
    leave_folder("never.ck", false, "00000.png", early,
                 sizeof early); /* before its first checkpoint */
    assert_false(exists("d-frames"));
    leave_folder("never.ck", true, "00000.png", name, sizeof name);
    assert_int_equal(mkdir("e.mp4.frames-0123456789abcdef", 0755), 0); /* not as runs make it */
    assert_int_equal(mkdir("f.mp4.frames-0123456789abcdef", 0700), 0);
    write_text("f.mp4.frames-0123456789abcdef/run", "how I run");
    write_text("f.mp4.frames-0123456789abcdef/00000.png", "mine");
    rvi_run_folders_sweep(ctx, "d.mp4");
    assert_false(exists(dead));
    assert_false(exists(early));
    expect_frames("d-frames/", 1);
    assert_int_equal(rmdir("d-frames"), 0);
    snprintf(name, sizeof name, "%s/00000.png", mixed);
    assert_true(exists(name));
    assert_true(exists("e.mp4.frames-0123456789abcdef"));
    assert_true(exists("f.mp4.frames-0123456789abcdef/run"));
    assert_true(exists("f.mp4.frames-0123456789abcdef/00000.png"));
    remove_all(mixed);
    remove_all("e.mp4.frames-0123456789abcdef");
    remove_all("f.mp4.frames-0123456789abcdef");
    expect_no_folders();
    rv_context_destroy(ctx);
}

/* As a process does that is killed while it writes a file. */
static void leave_temporary(const char *file) {
    rv_context *ctx = make_context(1);
    pid_t child = fork();
    if (child == 0) {
        rvi_writer *writer;
        _exit(rvi_writer_open(ctx, file, &writer) == RV_OK ? 0 : 1);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    assert_int_equal(count_named(".tmp", NULL, 0), 1);
    rv_context_destroy(ctx);
}

static void stop_after_first(void *user, int index, const rv_report *report) {
    (void)report;
    *(bool *)user = index == 0;
}

static bool go_on(void *user, const rv_progress *now) {
    (void)now;
    return !*(bool *)user;
}

/* A film is written by another program, and a resume may have nothing to write: both remove what
 * killed processes have left. */
static void test_runs_remove_temporaries(void **state) {
    (void)state;
    set_ffmpeg(good);
    leave_temporary("dead.ck");
    rv_context *ctx = make_context(1);
    run_text(ctx, LAND "film swept.mp4");
    expect_no_folders();
    rv_context_destroy(ctx);
    bool stop = false;
    rv_context_desc desc = rv_context_desc_default();
    desc.progress = go_on;
    desc.user = &stop;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rv_watch watch = {.after = stop_after_first, .user = &stop, .checkpoint = "swept.ck"};
    assert_int_equal(rv_recipe_run_text(ctx, LAND "blur blur blur", &watch, NULL), RV_CANCELLED);
    rv_context_destroy(ctx);
    leave_temporary("dead.ck");
    ctx = make_context(1);
    rv_watch no_more = {.checkpoint = "swept.ck", .every = 1e9};
    support_ok(ctx, rv_recipe_resume(ctx, "swept.ck", &no_more, NULL));
    assert_false(exists("swept.ck"));
    expect_no_folders();
    rv_context_destroy(ctx);
}

static void pause_ms(long ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* A run can be killed before it has written its note: folders that have none, or an empty one, go,
 * unless a living process holds the note or anything else is there. */
static void test_sweep_of_folders_without_a_note(void **state) {
    (void)state;
    rv_context *ctx = make_context(1);
    static const char *const names[] = {
        "g.mp4.frames-0123456789abcdea", "g.mp4.frames-0123456789abcdeb",
        "g.mp4.frames-0123456789abcdec", "g.mp4.frames-0123456789abcded"};
    char note[64];
    int held = -1;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(mkdir(names[i], 0700), 0);
        snprintf(note, sizeof note, "%s/run", names[i]);
        if (i > 0)
            write_text(note, "");
        if (i == 2)
            held = open(note, O_RDWR);
    }
    assert_greater_equal(held, 0);
    assert_int_equal(flock(held, LOCK_EX | LOCK_NB), 0);
    write_text("g.mp4.frames-0123456789abcded/00000.png", "whose?");
    rvi_run_folders_sweep(ctx, "g.mp4");
    assert_false(exists(names[0]));
    assert_false(exists(names[1]));
    assert_true(exists("g.mp4.frames-0123456789abcdec/run"));
    assert_true(exists("g.mp4.frames-0123456789abcded/run"));
    assert_true(exists("g.mp4.frames-0123456789abcded/00000.png"));
    close(held);
    rvi_run_folders_sweep(ctx, "g.mp4");
    assert_false(exists(names[2]));
    remove_all(names[3]);
    expect_no_folders();
    rv_context_destroy(ctx);
}

/* Others sweep while a run makes its folder: it gets it all the same. */
static void test_sweeps_take_no_folder_from_a_run(void **state) {
    (void)state;
    enum { SWEEPERS = 2 };
    const int rounds = support_short() ? 60 : 300;
    rv_context *ctx = make_context(1);
    pid_t sweepers[SWEEPERS];
    for (int s = 0; s < SWEEPERS; s++)
        if ((sweepers[s] = fork()) == 0)
            for (;;)
                rvi_run_folders_sweep(ctx, "h.mp4");
    for (int i = 0; i < rounds; i++) {
        rvi_run_files run = {.ctx = ctx, .number = rvi_run_number()};
        const char *path;
        char note[300];
        support_ok(ctx, rvi_run_folder_open(&run, "h.mp4", &path));
        snprintf(note, sizeof note, "%s/run", path);
        assert_true(exists(note));
        support_ok(ctx, rvi_run_files_end(&run, RV_OK));
    }
    for (int s = 0; s < SWEEPERS; s++) {
        assert_int_equal(kill(sweepers[s], SIGKILL), 0);
        assert_int_equal(waitpid(sweepers[s], NULL, 0), sweepers[s]);
    }
    rvi_run_folders_sweep(ctx, "h.mp4");
    expect_no_folders();
    rv_context_destroy(ctx);
}

/* Waits, for some seconds at most, until a file holds a number. */
static pid_t wait_for_pid(const char *file) {
    long pid = 0;
    for (int i = 0; i < 2000 && pid == 0; i++) {
        FILE *in = fopen(file, "r");
        if (in && fscanf(in, "%ld", &pid) != 1)
            pid = 0;
        if (in)
            fclose(in);
        pause_ms(5);
    }
    assert_int_not_equal(pid, 0);
    return (pid_t)pid;
}

/* A run is killed while ffmpeg works; `also`: with the process between them, as `killall` does. */
static void kill_while_filming(bool also) {
    remove("pid.txt");
    remove("parent.txt");
    set_ffmpeg("echo $PPID > parent.txt\necho $$ > pid.txt\nexec /bin/sleep 100");
    pid_t run = fork();
    if (run == 0) {
        rv_context *ctx;
        rv_context_desc desc = rv_context_desc_default();
        desc.threads = 1;
        if (rv_context_create(&desc, &ctx) == RV_OK)
            rv_recipe_run_text(ctx, LAND "film killed.mp4", NULL, NULL);
        _exit(0);
    }
    pid_t encoder = wait_for_pid("pid.txt"), guard = wait_for_pid("parent.txt");
    assert_int_equal(kill(encoder, 0), 0);
    if (also) {
        kill(run, SIGSTOP); /* so that it does not see the other one go */
        kill(guard, SIGKILL);
    }
    kill(run, SIGKILL);
    waitpid(run, NULL, 0);
    bool gone = false;
    for (int i = 0; i < 1000 && !gone; i++) {
        gone = kill(encoder, 0) != 0 && errno == ESRCH;
        char state[64] = "", path[64]; /* nobody may be there to wait for it */
        snprintf(path, sizeof path, "/proc/%ld/stat", (long)encoder);
        FILE *in = fopen(path, "r");
        if (in && fscanf(in, "%*d %*s %63s", state) == 1)
            gone = gone || state[0] == 'Z';
        if (in)
            fclose(in);
        pause_ms(5);
    }
    if (!gone)
        kill(encoder, SIGKILL);
    assert_true(gone);
}

/* ffmpeg does not outlive the run, and the next run removes what was left. */
static void test_kill_during_ffmpeg(void **state) {
    (void)state;
    kill_while_filming(false);
#ifdef __linux__
    kill_while_filming(true);
#endif
    assert_greater(count_named("killed.mp4.frames-", NULL, 0), 0);
    rv_context *ctx = make_context(1);
    set_ffmpeg(good);
    run_text(ctx, LAND "film next.mp4");
    expect_no_folders();
    assert_false(exists("killed.mp4"));
    rv_context_destroy(ctx);
}

static bool stop_soon(void *user, const rv_progress *now) {
    int *calls = user;
    (void)now;
    return ++*calls < 5;
}

/* The wish to stop ends ffmpeg, too, and leaves nothing. */
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
    expect_no_folders();
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
    /* It holds no file of this process open. */
    assert_int_equal(dup2(1, 9), 9);
    const char *const holder[] = {"/bin/sh", "-c", "! (: >&9)", NULL};
    support_ok(ctx, rvi_program_run(ctx, holder, &code));
    assert_int_equal(code, 0);
    close(9);
    rv_context_destroy(ctx);
}

/* Also a process without standard input, output and errors can run one. */
static void test_programs_without_streams(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        rv_context *ctx = make_context(1);
        int code = -1;
        const char *const shell[] = {"/bin/sh", "-c", "exit 7", NULL};
        for (int fd = 0; fd < 3; fd++)
            close(fd);
        _exit(rvi_program_run(ctx, shell, &code) == RV_OK && code == 7 ? 0 : 1);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
}

static void reap_all(int signal) {
    (void)signal;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
}

/* A host may ignore the end of its children, or wait for all of them itself. */
static void test_programs_of_hosts_that_reap(void **state) {
    (void)state;
    static const char *const shells[][4] = {{"/bin/sh", "-c", "exit 7", NULL},
                                            {"/bin/sh", "-c", "/bin/sleep 0.05; exit 200", NULL},
                                            {"/bin/sh", "-c", "kill -TERM $$", NULL}};
    static const int codes[] = {7, 200, 128 + SIGTERM};
    void (*const hosts[])(int) = {SIG_IGN, reap_all};
    for (int h = 0; h < 2; h++) {
        rv_context *ctx = make_context(1);
        void (*before)(int) = signal(SIGCHLD, hosts[h]);
        for (int i = 0; i < 3; i++) {
            int code = -1;
            support_ok(ctx, rvi_program_run(ctx, shells[i], &code));
            assert_int_equal(code, codes[i]);
        }
        set_ffmpeg(good);
        run_text(ctx, LAND "film reaped.mp4");
        assert_true(exists("reaped.mp4"));
        remove("reaped.mp4");
        signal(SIGCHLD, before);
        /* No child is left. */
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(errno, ECHILD);
        rv_context_destroy(ctx);
    }
    expect_no_folders();
}

/* A checkpoint that cannot be read now may still be waited for. */
static void test_whose_archive(void **state) {
    (void)state;
    rv_context *ctx = make_context(1);
    rvi_archive_writer to;
    rv_status status = rvi_archive_create(ctx, "whose.ck", "RAVINE-TEST-001\n", 5, &to);
    support_ok(ctx, rvi_archive_close(&to, status));
    assert_int_equal(rvi_archive_is_of("whose.ck", 5), RVI_BELONGS);
    assert_int_equal(rvi_archive_is_of("whose.ck", 6), RVI_BELONGS_NOT);
    assert_int_equal(rvi_archive_is_of("no.ck", 5), RVI_BELONGS_NOT);
    struct rlimit most;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &most), 0);
    struct rlimit none = {0, most.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    rvi_belongs whose = rvi_archive_is_of("whose.ck", 5);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &most), 0);
    assert_int_equal(whose, RVI_BELONGS_UNKNOWN);
    rvi_archive_remove("whose.ck", 6);
    assert_true(exists("whose.ck"));
    rvi_archive_remove("whose.ck", 5);
    assert_false(exists("whose.ck"));
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
        cmocka_unit_test(test_frames_of_a_repeat),
        cmocka_unit_test(test_frames_are_the_stills),
        cmocka_unit_test(test_wrong_words),
        cmocka_unit_test(test_without_ffmpeg),
        cmocka_unit_test(test_with_ffmpeg),
        cmocka_unit_test(test_ffmpeg_fails),
        cmocka_unit_test(test_last_turn_again),
        cmocka_unit_test(test_frames_gone),
        cmocka_unit_test(test_film_gets_no_name),
        cmocka_unit_test(test_film_behind_a_link),
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_sweep_of_folders_without_a_note),
        cmocka_unit_test(test_sweeps_take_no_folder_from_a_run),
        cmocka_unit_test(test_runs_remove_temporaries),
        cmocka_unit_test(test_files_of_the_user_stay),
        cmocka_unit_test(test_folders),
        cmocka_unit_test(test_kill_during_ffmpeg),
        cmocka_unit_test(test_stop_during_ffmpeg),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_programs_without_streams),
        cmocka_unit_test(test_programs_of_hosts_that_reap),
        cmocka_unit_test(test_whose_archive),
        cmocka_unit_test(test_a_turn_in_perspective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
