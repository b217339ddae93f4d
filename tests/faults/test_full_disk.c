/* The disk is full: a file may grow to 0, 1, 2 ... bytes until a step that writes succeeds. Each
 * time there is a sentence, the land is as it was, and the files are either those from before, to
 * the byte, or not there. */
#include "support.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- all files of the folder, as bytes ---- */

enum { MOST_FILES = 8, MOST_BYTES = 1 << 16 };

typedef struct folder {
    int count;
    char names[MOST_FILES][256];
    size_t sizes[MOST_FILES];
    unsigned char bytes[MOST_FILES][MOST_BYTES];
} folder;

static folder old, now;

static int by_name(const void *a, const void *b) {
    return strcmp(a, b);
}

static void look_at(folder *f) {
    DIR *dir = opendir(".");
    assert_non_null(dir);
    memset(f, 0, sizeof *f);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        assert_less(f->count, MOST_FILES);
        snprintf(f->names[f->count++], sizeof f->names[0], "%s", entry->d_name);
    }
    closedir(dir);
    qsort(f->names, (size_t)f->count, sizeof f->names[0], by_name);
    for (int i = 0; i < f->count; i++) {
        FILE *file = fopen(f->names[i], "rb");
        assert_non_null(file);
        f->sizes[i] = fread(f->bytes[i], 1, MOST_BYTES, file);
        fclose(file);
        assert_less(f->sizes[i], MOST_BYTES);
    }
}

static void remove_files(const folder *f) {
    for (int i = 0; i < f->count; i++)
        assert_int_equal(remove(f->names[i]), 0);
}

/* A folder of its own, so that every file in it may go. */
static char place[32] = "disk_XXXXXX";

static int enter(void **state) {
    (void)state;
    return mkdtemp(place) != NULL ? chdir(place) : -1;
}

static int leave(void **state) {
    (void)state;
    return chdir("..") == 0 ? remove(place) : -1;
}

/* ---- a disk of a given size ---- */

static rv_status run_within(rv_terrain *land, const rv_recipe *recipe, rlim_t bytes) {
    struct rlimit before, little;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = before;
    little.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    rv_status status =
        rv_step_run(land, rv_recipe_step(recipe, 0), rv_recipe_params(recipe, 0), NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    return status;
}

static void assert_untouched(const char *step, rlim_t limit) {
    look_at(&now);
    if (memcmp(&now, &old, sizeof now) == 0)
        return;
    for (int i = 0; i < now.count; i++)
        print_error("there is %s with %zu bytes\n", now.names[i], now.sizes[i]);
    remove_files(&now);
    fail_msg("%s on a disk of %d bytes changed files, and failed", step, (int)limit);
}

/* `there`: the files of another land lie where the new ones shall be. */
static void fill_the_disk(const char *step, int side, bool there) {
    rv_context *ctx = support_context(1);
    rv_recipe *recipe;
    char text[64];
    support_ok(ctx, rv_recipe_parse(ctx, step, "disk", &recipe));
    snprintf(text, sizeof text, "terrain width=%d height=%d noise octaves=2", side, side + 1);
    rv_terrain *land = support_run(ctx, text);
    if (there) {
        rv_terrain *other = support_run(ctx, "terrain width=7 height=3 faults count=3");
        support_ok(ctx, run_within(other, recipe, RLIM_INFINITY));
        rv_terrain_destroy(other);
    }
    look_at(&old);
    uint64_t hash = rv_terrain_hash(land);
    rv_status status = RV_ERROR_OUTPUT;
    rlim_t limit = 0;
    for (; status != RV_OK; limit += limit < 400 ? 3 : 97) {
        status = run_within(land, recipe, limit);
        if (status == RV_OK)
            break;
        assert_int_equal(status, RV_ERROR_OUTPUT);
        assert_non_null(strstr(rv_context_error(ctx), "out."));
        assert_non_null(strstr(rv_context_error(ctx), "cannot be written: "));
        assert_equal(rv_terrain_hash(land), hash);
        assert_untouched(step, limit);
        assert_less(limit, 100000);
    }
    assert_greater(limit, 50);
    assert_equal(rv_terrain_hash(land), hash);
    look_at(&now);
    assert_equal(now.count, strncmp(step, "save", 4) == 0 ? 2 : 1);
    remove_files(&now);
    rv_terrain_destroy(land);
    rv_recipe_destroy(recipe);
    rv_context_destroy(ctx);
}

static void a_full_disk_changes_nothing(void **state) {
    (void)state;
    static const char *const steps[] = {
        "save out.r16", "save out.r32",        "save out.npy",
#ifdef RAVINE_PNG
        "save out.png", "save out.png bits=8", "hillshade out.png", "hillshade out.png tint=land",
#endif
    };
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        for (int there = 0; there < 2; there++) {
            fill_the_disk(steps[i], 3, there);  /* the sidecar is larger than the land */
            fill_the_disk(steps[i], 40, there); /* and the other way round */
        }
    signal(SIGXFSZ, SIG_DFL);
}

/* A run that fails at its last step leaves what the steps before it have written. */
static void what_was_written_before_stays(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    struct rlimit before, little;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = before;
    little.rlim_cur = 2000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    rv_terrain *land = (rv_terrain *)ctx;
    rv_status status = rv_recipe_run_text(
        ctx, "terrain size=8 noise save first.r32 resize size=40 save second.r32", NULL, &land);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, RV_ERROR_OUTPUT);
    assert_null(land);
    assert_non_null(strstr(rv_context_error(ctx), "second.r32"));
    look_at(&now);
    assert_int_equal(now.count, 2);
    assert_string_equal(now.names[0], "first.r32");
    assert_int_equal(now.sizes[0], 8 * 8 * 4);
    remove_files(&now);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_changes_nothing),
        cmocka_unit_test(what_was_written_before_stays),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
