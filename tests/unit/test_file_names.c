/* Names of files, and files that are open when their name goes to another: what every system does,
 * each in its own way. */
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "base/file.h"
#include "base/file_owner.h"

#ifdef _WIN32
enum { ON_WINDOWS = 1 };
#else
enum { ON_WINDOWS = 0 };
#endif

static void put(rv_context *ctx, const char *path, const char *text) {
    rvi_writer *writer;
    support_ok(ctx, rvi_writer_open(ctx, path, &writer));
    support_ok(ctx, rvi_writer_put(writer, text, strlen(text)));
    support_ok(ctx, rvi_writer_commit(writer));
}

static void assert_holds(rv_context *ctx, const char *path, const char *text) {
    rvi_bytes bytes;
    support_ok(ctx, rvi_file_read(ctx, path, &bytes));
    assert_string_equal((const char *)bytes.data, text);
    rvi_free(ctx, bytes.data);
}

static void paths_have_a_last_name(void **state) {
    (void)state;
    assert_string_equal(rvi_path_name("land.png"), "land.png");
    assert_string_equal(rvi_path_name("a/b/land.png"), "land.png");
    assert_string_equal(rvi_path_name("/land.png"), "land.png");
    assert_string_equal(rvi_path_name("a/"), "");
    assert_string_equal(rvi_path_name(""), "");
    assert_string_equal(rvi_path_name("a\\b"), ON_WINDOWS ? "b" : "a\\b");
    assert_string_equal(rvi_path_name("C:b"), ON_WINDOWS ? "b" : "C:b");
    assert_string_equal(rvi_path_name("a/12:30.png"), "12:30.png");
}

static void some_paths_begin_at_the_root(void **state) {
    (void)state;
    assert_true(rvi_path_whole("/a"));
    assert_false(rvi_path_whole("a/b"));
    assert_false(rvi_path_whole(""));
    assert_int_equal(rvi_path_whole("C:\\a"), ON_WINDOWS);
    assert_int_equal(rvi_path_whole("\\\\server\\a"), ON_WINDOWS);
}

/* UTF-8: German, Japanese, a letter beyond 16 bits, a space. */
static void any_letters_are_a_name(void **state) {
    static const char *const names[] = {"h\xc3\xb6he", "\xe5\xb1\xb1", "\xf0\x9f\x8f\x94", "a b"};
    rv_context *ctx = support_context(1);
    char path[64], here[4096];
    (void)state;
    for (int i = 0; i < 4; i++) {
        support_ok(ctx, rvi_folder_make(ctx, names[i]));
        assert_true(rvi_folder_there(names[i]));
        snprintf(path, sizeof path, "%s/%s.txt", names[i], names[i]);
        put(ctx, path, names[i]);
        assert_holds(ctx, path, names[i]);
        assert_true(rvi_file_exists(path));
        rvi_file_remove(path);
        assert_false(rvi_file_exists(path));
    }
    assert_true(rvi_folder_here(here, sizeof here));
    assert_true(rvi_path_whole(here));
    assert_int_equal(rvi_folder_compare(here), RVI_FOLDER_HERE);
    assert_int_equal(rvi_folder_compare(names[0]), RVI_FOLDER_OTHER);
    rv_context_destroy(ctx);
}

/* A path of more than 260 letters, where some systems end by themselves. */
static void a_path_may_be_long(void **state) {
    rv_context *ctx = support_context(1);
    char path[600] = "";
    (void)state;
    for (int i = 0; i < 6; i++) {
        size_t size = strlen(path);
        memset(path + size, 'a' + i, 60);
        path[size + 60] = '\0';
        support_ok(ctx, rvi_folder_make(ctx, path));
        strcat(path, "/");
    }
    strcat(path, "land.txt");
    put(ctx, path, "far down");
    assert_holds(ctx, path, "far down");
    rv_context_destroy(ctx);
}

static void an_open_file_can_be_replaced(void **state) {
    rv_context *ctx = support_context(1);
    rvi_claim claim;
    (void)state;
    put(ctx, "pair.txt", "old");
    int reader = open("pair.txt", O_RDONLY | O_CLOEXEC);
    assert_true(reader >= 0);
    support_ok(ctx, rvi_claim_take(ctx, "pair.txt", &claim));
    assert_true(claim.there && claim.fd >= 0);
    put(ctx, "pair.txt", "new");
    assert_holds(ctx, "pair.txt", "new");
    char text[4] = "";
    assert_int_equal(read(reader, text, 3), 3); /* who has the old one open reads the old one */
    assert_string_equal(text, "old");
    rvi_claim_release(&claim);
    close(reader);
    rv_context_destroy(ctx);
}

/* Of two that want a lock one has it, until it is given back or the copy that keeps it. */
static void a_lock_is_held_once(void **state) {
    (void)state;
    int one = open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int other = open("lock", O_RDWR | O_CLOEXEC);
    assert_true(one >= 0 && other >= 0);
    assert_int_equal(rvi_lock_take(one), RVI_LOCK_TAKEN);
    assert_int_equal(rvi_lock_take(other), RVI_LOCK_HELD);
    int kept = rvi_lock_keep(one);
    close(one);
    assert_int_equal(rvi_lock_take(other), RVI_LOCK_HELD);
    close(kept);
    assert_int_equal(rvi_lock_take(other), RVI_LOCK_TAKEN);
    close(other);
}

static void a_name_is_taken_once(void **state) {
    rv_context *ctx = support_context(1);
    (void)state;
    put(ctx, "one", "1");
    put(ctx, "two", "2");
    assert_int_equal(rvi_name_take("one", "three"), RVI_LOCK_TAKEN);
    assert_int_equal(rvi_name_take("two", "three"), RVI_LOCK_HELD);
    assert_holds(ctx, "three", "1");
    assert_holds(ctx, "two", "2");
    assert_false(rvi_file_exists("one"));
    rv_context_destroy(ctx);
}

static void a_read_only_file_stays(void **state) {
    rv_context *ctx = support_context(1);
    rvi_writer *writer;
    (void)state;
    put(ctx, "mine", "1");
    assert_int_equal(chmod("mine", 0400), 0);
    assert_int_equal(rvi_writer_open(ctx, "mine", &writer), RV_ERROR_OUTPUT);
    assert_non_null(strstr(rv_context_error(ctx), "is read-only"));
    assert_int_equal(chmod("mine", 0600), 0);
    put(ctx, "mine", "2");
    assert_holds(ctx, "mine", "2");
    rv_context_destroy(ctx);
}

/* A file that a killed process left goes when the next one writes there; one in use stays. */
static void leftovers_go(void **state) {
    rv_context *ctx = support_context(1), *later = support_context(1);
    rvi_writer *writer;
    (void)state;
    support_ok(ctx, rvi_folder_make(ctx, "left"));
    support_ok(ctx, rvi_writer_open(ctx, "left/land.txt", &writer));
    support_ok(ctx, rvi_writer_put(writer, "x", 1));
    put(later, "left/other.txt", "in use, so the first one stays");
    support_ok(ctx, rvi_writer_commit(writer));
    assert_holds(ctx, "left/land.txt", "x");
    rv_context_destroy(ctx);
    rv_context_destroy(later);
}

static void one_file_has_one_key(void **state) {
    rv_context *ctx = support_context(1);
    (void)state;
    support_ok(ctx, rvi_folder_make(ctx, "keys"));
    assert_true(rvi_path_same("keys/a.png", "keys/../keys/a.png"));
    assert_false(rvi_path_same("keys/a.png", "keys/b.png"));
    assert_false(rvi_path_same("keys/a.png", "a.png"));
    assert_int_equal(rvi_path_same("keys/a.png", "keys\\a.png"), ON_WINDOWS);
    if (ON_WINDOWS) /* elsewhere it is up to the file system */
        assert_true(rvi_path_same("keys/\xc3\x84.png", "keys/\xc3\xa4.PNG"));
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_have_a_last_name),
        cmocka_unit_test(some_paths_begin_at_the_root),
        cmocka_unit_test(any_letters_are_a_name),
        cmocka_unit_test(a_path_may_be_long),
        cmocka_unit_test(an_open_file_can_be_replaced),
        cmocka_unit_test(a_lock_is_held_once),
        cmocka_unit_test(a_name_is_taken_once),
        cmocka_unit_test(a_read_only_file_stays),
        cmocka_unit_test(leftovers_go),
        cmocka_unit_test(one_file_has_one_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
