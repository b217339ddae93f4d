/* The power fails, the disk fails, the process is killed: what a save has written is on the disk
 * before it has its name, the name is on the disk before the save returns, what the disk could not
 * do is told, and whenever a process dies, the files are the old ones or the new ones.
 *
 * The calls that matter are caught here on their way to the system. */
#define _GNU_SOURCE /* syscall */
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what the disk holds ---- */

enum { MOST = 64 };

static struct {
    bool on;           /* calls are looked at */
    ino_t dirty[MOST]; /* files and folders with changes that are not on the disk */
    int dirty_count;
    int early;                         /* names that were given to such files */
    int sync_fails, close_fails;       /* which of these calls fails; 0: none */
    int syncs, closes, names, kill_at; /* calls so far; before which change of names to die */
} disk;

static void begin(void) {
    memset(&disk, 0, sizeof disk);
    disk.on = true;
}

static int find_dirty(ino_t file) {
    int at = 0;
    while (at < disk.dirty_count && disk.dirty[at] != file)
        at++;
    return at;
}

static void make_dirty(ino_t file) {
    int at = find_dirty(file);
    assert_less(at, MOST);
    disk.dirty[at] = file;
    disk.dirty_count += at == disk.dirty_count;
}

static void make_clean(ino_t file) {
    int at = find_dirty(file);
    if (at < disk.dirty_count)
        disk.dirty[at] = disk.dirty[--disk.dirty_count];
}

static struct stat facts(int fd) {
    struct stat info = {0};
    fstat(fd, &info);
    return info;
}

/* A name in the folder of `path` changes. */
static void change_names(const char *path) {
    char folder[256];
    struct stat info;
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    if (!disk.on || stat(folder, &info) != 0)
        return;
    make_dirty(info.st_ino);
    if (++disk.names == disk.kill_at)
        _exit(9);
}

static void give_name(const char *from, const char *to) {
    struct stat info;
    if (disk.on && stat(from, &info) == 0)
        disk.early += find_dirty(info.st_ino) < disk.dirty_count;
    change_names(to);
}

/* ---- the calls ---- */

ssize_t write(int fd, const void *data, size_t size) {
    if (disk.on && S_ISREG(facts(fd).st_mode))
        make_dirty(facts(fd).st_ino);
    return syscall(SYS_write, fd, data, size);
}

/* What the disk could not take is neither there nor said again. */
int fsync(int fd) {
    if (disk.on && S_ISREG(facts(fd).st_mode) && ++disk.syncs == disk.sync_fails) {
        errno = EIO;
        return -1;
    }
    if (disk.on)
        make_clean(facts(fd).st_ino);
    return (int)syscall(SYS_fsync, fd);
}

int close(int fd) {
    int flags = (int)syscall(SYS_fcntl, fd, F_GETFL);
    bool written = disk.on && S_ISREG(facts(fd).st_mode) && (flags & O_ACCMODE) == O_WRONLY;
    bool fails = written && ++disk.closes == disk.close_fails;
    int result = (int)syscall(SYS_close, fd);
    if (fails)
        errno = EDQUOT; /* as a network file system says it */
    return fails ? -1 : result;
}

int rename(const char *from, const char *to) {
    give_name(from, to);
    return (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int link(const char *from, const char *to) {
    give_name(from, to);
    return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path) {
    change_names(path);
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

/* ---- what is written ---- */

static char place[32] = "power_XXXXXX";

static int enter(void **state) {
    (void)state;
    return mkdtemp(place) != NULL ? chdir(place) : -1;
}

/* How many files there are; temporary ones are left out and counted apart. */
static int count_files(int *temporary) {
    DIR *dir = opendir(".");
    assert_non_null(dir);
    int count = 0;
    *temporary = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strstr(entry->d_name, ".tmp"))
            ++*temporary;
        else
            count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void clear(void) {
    DIR *dir = opendir(".");
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.')
            assert_int_equal(remove(entry->d_name), 0);
    closedir(dir);
}

static int leave(void **state) {
    (void)state;
    clear();
    return chdir("..") == 0 ? remove(place) : -1;
}

static const char *const steps[] = {
    "save out.r16", "save out.r32",      "save out.npy", "save out.obj", "save out.ply",
#ifdef RAVINE_PNG
    "save out.png", "hillshade out.png",
#endif
};
enum { STEPS = sizeof steps / sizeof steps[0] };

static const char old_land[] = "terrain size=8 cell=3 noise seed=1 relief=100";
static const char new_land[] = "terrain size=9 cell=5 noise seed=2 relief=3000";

/* Only the step is looked at. */
static rv_status run_step(rv_context *ctx, const char *land_text, const char *step) {
    rv_recipe *recipe;
    rv_terrain *land = support_run(ctx, land_text);
    support_ok(ctx, rv_recipe_parse(ctx, step, "step", &recipe));
    disk.on = true;
    rv_status status =
        rv_step_run(land, rv_recipe_step(recipe, 0), rv_recipe_params(recipe, 0), NULL);
    disk.on = false;
    rv_recipe_destroy(recipe);
    rv_terrain_destroy(land);
    return status;
}

/* ---- the tests ---- */

static void what_is_written_outlives_a_power_cut(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (int i = 0; i < STEPS; i++)
        for (int again = 0; again < 2; again++) {
            begin();
            support_ok(ctx, run_step(ctx, again ? new_land : old_land, steps[i]));
            assert_greater(disk.names, 0);
            assert_equal(disk.early, 0); /* no name before the bytes */
            for (int k = 0; k < disk.dirty_count; k++)
                print_error("%s: %lu is not on the disk\n", steps[i], (unsigned long)disk.dirty[k]);
            assert_equal(disk.dirty_count, 0);
        }
    clear();
    rv_context_destroy(ctx);
}

/* So does a checkpoint. */
static void a_checkpoint_outlives_a_power_cut(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_recipe *recipe;
    support_ok(ctx, rv_recipe_parse(ctx, old_land, "text", &recipe));
    begin();
    support_ok(ctx, rv_recipe_run(recipe, &(rv_watch){.checkpoint = "run.ck"}, NULL));
    disk.on = false;
    assert_greater(disk.names, 0);
    assert_equal(disk.early, 0);
    rv_recipe_destroy(recipe);
    clear();
    rv_context_destroy(ctx);
}

/* Every sync of a file and every close fails once, over an old file and where there is none. */
static void what_the_disk_could_not_do_is_told(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (int i = 0; i < STEPS; i++)
        for (int kind = 0; kind < 4; kind++) {
            bool close = kind & 1, there = kind & 2;
            int temporary, before = 0, failed = 0;
            begin();
            if (there)
                support_ok(ctx, run_step(ctx, old_land, steps[i]));
            before = count_files(&temporary);
            for (rv_status status = RV_ERROR_OUTPUT; status != RV_OK; failed++) {
                begin();
                *(close ? &disk.close_fails : &disk.sync_fails) = failed + 1;
                status = run_step(ctx, new_land, steps[i]);
                if (status == RV_OK)
                    break;
                assert_int_equal(status, RV_ERROR_OUTPUT);
                assert_non_null(strstr(rv_context_error(ctx), "cannot be written: "));
                assert_equal(count_files(&temporary), before);
                assert_equal(temporary, 0);
                assert_less(failed, 10);
            }
            assert_greater(failed, 0);
            clear();
        }
    rv_context_destroy(ctx);
}

/* The hash of what `open` makes of a file; 0: it is not there. */
static uint64_t open_hash(const char *file) {
    if (access(file, F_OK) != 0)
        return 0;
    char text[64];
    rv_context *ctx = support_context(1);
    snprintf(text, sizeof text, "open %s", file);
    rv_terrain *land = support_run(ctx, text);
    uint64_t hash = rv_terrain_hash(land);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    return hash;
}

static void save_alone(const char *land, const char *step) {
    rv_context *ctx = support_context(1);
    support_ok(ctx, run_step(ctx, land, step));
    rv_context_destroy(ctx);
}

/* Runs a step in a process of its own, which dies before its n-th change of names. false: it was
 * done before. */
static bool save_and_die(const char *land, const char *step, int n) {
    pid_t child = fork();
    assert_greater_equal(child, 0);
    if (child == 0) {
        begin();
        disk.on = false;
        disk.kill_at = n;
        rv_context *ctx = support_context(1);
        _exit(run_step(ctx, land, step) == RV_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 9));
    return WEXITSTATUS(status) == 9;
}

/* Whenever a save dies, the file opens with its own heights and scale, old or new; and the next
 * save removes what the dead one left. */
static void a_save_that_dies_mixes_nothing(void **state) {
    (void)state;
    static const char *const saves[] = {"save out.r16", "save out.r32", "save out.npy",
#ifdef RAVINE_PNG
                                        "save out.png"
#endif
    };
    for (size_t i = 0; i < sizeof saves / sizeof saves[0]; i++)
        for (int there = 0; there < 2; there++) {
            const char *file = saves[i] + strlen("save ");
            int temporary, deaths = 0;
            save_alone(new_land, saves[i]);
            uint64_t old_hash = 0, new_hash = open_hash(file), hash = 0;
            bool dies = true;
            while (dies) {
                clear();
                if (there) {
                    save_alone(old_land, saves[i]);
                    old_hash = open_hash(file);
                }
                dies = save_and_die(new_land, saves[i], ++deaths);
                hash = open_hash(file);
                assert_true(hash == old_hash || hash == new_hash);
                save_alone(new_land, saves[i]);
                assert_equal(open_hash(file), new_hash);
                assert_equal(count_files(&temporary), 2);
                assert_equal(temporary, 0);
            }
            assert_equal(hash, new_hash);
            assert_greater(deaths, 2);
        }
    clear();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_outlives_a_power_cut),
        cmocka_unit_test(a_checkpoint_outlives_a_power_cut),
        cmocka_unit_test(what_the_disk_could_not_do_is_told),
        cmocka_unit_test(a_save_that_dies_mixes_nothing),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
