/* Another process saves to a file while it is read: whoever reads gets the heights of one save with
 * the scale of that save, and no error. Another one sweeps away a folder that was just made: it is
 * made again.
 *
 * The other process acts at a chosen moment: poll() is asked before every read, mkdir() makes
 * folders, and both are caught here on their way to the system. */
#define _GNU_SOURCE /* syscall */
#include "format_files.h"

#include "base/run_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <poll.h>

static struct {
    int polls, at;    /* how many so far, and at which the files are replaced; 0: at none */
    const char *to;   /* the heightmap */
    const char *from; /* its next version */
} other;

static void give_name(const char *from, const char *to) {
    char copy[64];
    snprintf(copy, sizeof copy, "%s.copy", from);
    blob *b = malloc(sizeof *b);
    assert_non_null(b);
    read_file(from, b);
    write_file(copy, b->data, b->size);
    free(b);
    assert_int_equal(rename(copy, to), 0);
}

static void replace_both(void) {
    char from[64], to[64];
    snprintf(from, sizeof from, "%s.ravine.json", other.from);
    snprintf(to, sizeof to, "%s.ravine.json", other.to);
    give_name(from, to);
    give_name(other.from, other.to);
}

int poll(struct pollfd *fds, nfds_t count, int timeout) {
    (void)timeout;
    if (++other.polls == other.at)
        replace_both();
    for (nfds_t i = 0; i < count; i++)
        fds[i].revents = fds[i].events; /* plain files can always be read */
    return (int)count;
}

static void run_text(rv_context *ctx, const char *text, uint64_t *hash) {
    rv_terrain *land;
    support_ok(ctx, rv_recipe_run_text(ctx, text, NULL, &land));
    *hash = rv_terrain_hash(land);
    rv_terrain_destroy(land);
}

/* A file, and at any moment another one in its place, of the same size and another scale. */
static void pairs_are_read_together(void **state) {
    (void)state;
    static const char *const endings[] = {".png", ".r16", ".r32", ".npy"};
    rv_context *ctx = support_context(1);
    for (size_t e = 0; e < sizeof endings / sizeof endings[0]; e++) {
        char text[128], first[16], second[16], name[16];
        uint64_t one, two, got;
        int moments = 0, polls = 1;
        snprintf(first, sizeof first, "first%s", endings[e]);
        snprintf(second, sizeof second, "second%s", endings[e]);
        snprintf(name, sizeof name, "land%s", endings[e]);
        snprintf(text, sizeof text, "terrain size=16 cell=5 noise save %s open %s", first, first);
        run_text(ctx, text, &one);
        snprintf(text, sizeof text, "terrain size=16 cell=7 noise seed=2 relief=90 save %s open %s",
                 second, second);
        run_text(ctx, text, &two);
        assert_true(one != two);
        snprintf(text, sizeof text, "open %s", name);
        for (int at = 1; at <= polls; at++) {
            other.at = 0;
            other.to = name;
            other.from = first;
            replace_both();
            other.from = second;
            other.polls = 0;
            other.at = at;
            run_text(ctx, text, &got);
            polls = other.polls;
            assert_true(got == one || got == two);
            moments += got == two;
        }
        other.at = 0;
        assert_greater_equal(polls, 4); /* the plan and the run read both */
        assert_greater(moments, 0);
        forget(first);
        forget(second);
        forget(name);
    }
    rv_context_destroy(ctx);
}

/* ---- folders ---- */

static int sweeps; /* so many of the next folders are swept away at once */

int mkdir(const char *path, mode_t mode) {
    int made = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    if (made == 0 && sweeps > 0) {
        sweeps--;
        rv_context *ctx = support_context(1);
        rvi_run_folders_sweep(ctx, "film.mp4");
        rv_context_destroy(ctx);
    }
    return made;
}

static void a_folder_that_is_swept_away_is_made_again(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_run_files run = {.ctx = ctx, .number = rvi_run_number()};
    const char *path;
    sweeps = 3;
    support_ok(ctx, rvi_run_folder_open(&run, "film.mp4", &path));
    assert_int_equal(sweeps, 0);
    assert_int_equal(access(path, F_OK), 0);
    support_ok(ctx, rvi_run_files_end(&run, RV_OK));
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_read_together),
        cmocka_unit_test(a_folder_that_is_swept_away_is_made_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
