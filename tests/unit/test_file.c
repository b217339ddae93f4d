/* Files: a file appears whole or not at all, and what cannot be read or written is refused in one
 * sentence and stays as it was. */
#include "support.h"

#include "base/context.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- help ---- */

static rv_context *ctx;
static char folder[32];

/* Every test has a folder of its own. */
static int set_up(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "file_XXXXXX");
    return mkdtemp(folder) != NULL ? chdir(folder) : -1;
}

static int tear_down(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r -- %s", folder);
    return chdir("..") == 0 && system(command) == 0 ? 0 : -1;
}

static void assert_says(const char *part) {
    if (strstr(rv_context_error(ctx), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", rv_context_error(ctx), part);
}

static int entries(const char *path) {
    DIR *dir = opendir(path);
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static void put_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text) {
    char got[256] = "";
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s is not there", path);
    size_t size = fread(got, 1, sizeof got - 1, file);
    fclose(file);
    assert_int_equal(size, strlen(text));
    assert_string_equal(got, text);
}

static mode_t mode_of(const char *path) {
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode;
}

static rvi_writer *open_writer(const char *path) {
    rvi_writer *writer;
    support_ok(ctx, rvi_writer_open(ctx, path, &writer));
    assert_non_null(writer);
    return writer;
}

static void write_text(const char *path, const char *text) {
    rvi_writer *writer = open_writer(path);
    support_ok(ctx, rvi_writer_put(writer, text, strlen(text)));
    support_ok(ctx, rvi_writer_commit(writer));
}

static void assert_refused(const char *path, const char *why) {
    rvi_writer *writer = (rvi_writer *)&writer;
    assert_int_equal(rvi_writer_open(ctx, path, &writer), RV_ERROR_OUTPUT);
    assert_null(writer);
    assert_says(why);
}

/* ---- writing ---- */

static void a_file_appears_when_it_is_whole(void **state) {
    (void)state;
    rvi_writer *writer = open_writer("new");
    assert_int_equal(access("new", F_OK), -1);
    support_ok(ctx, rvi_writer_put(writer, "land", 4));
    assert_int_equal(access("new", F_OK), -1);
    support_ok(ctx, rvi_writer_commit(writer));
    assert_holds("new", "land");
    assert_int_equal(entries("."), 1);
}

static void an_old_file_stays_until_then(void **state) {
    (void)state;
    put_text("old", "before");
    rvi_writer *writer = open_writer("old");
    support_ok(ctx, rvi_writer_put(writer, "after", 5));
    assert_holds("old", "before");
    support_ok(ctx, rvi_writer_commit(writer));
    assert_holds("old", "after");
    assert_int_equal(entries("."), 1);
}

static void what_is_given_up_leaves_nothing(void **state) {
    (void)state;
    put_text("old", "before");
    static const char *const names[] = {"old", "new"};
    for (int i = 0; i < 2; i++) {
        rvi_writer *writer = open_writer(names[i]);
        char many[100000] = {0};
        support_ok(ctx, rvi_writer_put(writer, many, sizeof many));
        rvi_writer_abandon(writer);
    }
    rvi_writer_abandon(NULL);
    assert_holds("old", "before");
    assert_int_equal(entries("."), 1);
}

static void two_at_once_do_not_meet(void **state) {
    (void)state;
    rvi_writer *first = open_writer("same"), *second = open_writer("same");
    support_ok(ctx, rvi_writer_put(first, "first", 5));
    support_ok(ctx, rvi_writer_put(second, "second", 6));
    support_ok(ctx, rvi_writer_commit(second));
    assert_holds("same", "second");
    support_ok(ctx, rvi_writer_commit(first));
    assert_holds("same", "first");
    assert_int_equal(entries("."), 1);
}

static void an_empty_file_can_be_written(void **state) {
    (void)state;
    support_ok(ctx, rvi_writer_commit(open_writer("empty")));
    assert_holds("empty", "");
}

static void a_link_stays_a_link(void **state) {
    (void)state;
    assert_int_equal(mkdir("there", 0777), 0);
    put_text("there/target", "before");
    assert_int_equal(symlink("there/target", "link"), 0);
    assert_int_equal(symlink("link", "chain"), 0);
    assert_int_equal(symlink("../chain", "there/back"), 0);
    write_text("link", "once");
    assert_holds("there/target", "once");
    write_text("chain", "twice");
    assert_holds("there/target", "twice");
    write_text("there/back", "thrice");
    assert_holds("there/target", "thrice");
    assert_true(S_ISLNK(mode_of("link")) && S_ISLNK(mode_of("chain")));
    assert_true(S_ISLNK(mode_of("there/back")) && S_ISREG(mode_of("there/target")));
    assert_int_equal(entries("there"), 2);
    assert_int_equal(entries("."), 3);
}

/* A link to a file that is not there yet: refused or made, but never replaced. */
static void a_link_to_nothing_stays_a_link(void **state) {
    (void)state;
    assert_int_equal(mkdir("there", 0777), 0);
    assert_int_equal(symlink("there/target", "link"), 0);
    rvi_writer *writer;
    rv_status status = rvi_writer_open(ctx, "link", &writer);
    if (status == RV_OK) {
        support_ok(ctx, rvi_writer_put(writer, "land", 4));
        support_ok(ctx, rvi_writer_commit(writer));
    } else {
        assert_int_equal(status, RV_ERROR_OUTPUT);
        assert_says("link");
    }
    assert_true(S_ISLNK(mode_of("link")));
    if (status == RV_OK)
        assert_holds("there/target", "land");
}

/* As many links in a row as the system itself follows. */
static void a_long_chain_of_links_stays(void **state) {
    (void)state;
    char name[16] = "target", next[16];
    put_text(name, "before");
    for (int i = 0; i < 60; i++) {
        snprintf(next, sizeof next, "link%d", i);
        assert_int_equal(symlink(name, next), 0);
        memcpy(name, next, sizeof name);
        if (access(name, F_OK) != 0) {
            assert_refused(name, "was not changed");
            break;
        }
        write_text(name, next);
        assert_holds("target", next);
        put_text("part", "whole");
        support_ok(ctx, rvi_file_rename(ctx, "part", name));
        assert_holds("target", "whole");
        assert_true(S_ISLNK(mode_of(name)));
    }
    assert_true(S_ISREG(mode_of("target")));
}

/* The system follows it step by step, but no path leads to where it ends. */
static void a_link_that_cannot_be_followed_stays(void **state) {
    (void)state;
    enum { NAME = 200, DEPTH = 12 };
    char path[DEPTH * (NAME + 1) + 16], way[2048];
    size_t size = 0;
    for (int i = 0; i < DEPTH; i++) {
        memset(path + size, 'd', NAME);
        path[size + NAME] = '\0';
        assert_int_equal(mkdir(path, 0777), 0);
        path[size + NAME] = '/';
        size += NAME + 1;
    }
    snprintf(path + size, sizeof path - size, "target");
    put_text(path, "before");
    snprintf(path + size, sizeof path - size, "link");
    for (size_t at = 0; at < 2000; at += 2)
        memcpy(way + at, "./", 2);
    memcpy(way + 2000, "target", sizeof "target");
    assert_int_equal(symlink(way, path), 0);
    assert_holds(path, "before");
    assert_refused(path, "is a link that cannot be followed and was not changed");
    assert_int_equal(rvi_file_check_target(ctx, path), RV_ERROR_OUTPUT);
    put_text("part", "whole");
    assert_int_equal(rvi_file_rename(ctx, "part", path), RV_ERROR_OUTPUT);
    assert_true(S_ISLNK(mode_of(path)));
    assert_holds(path, "before");
}

static void rights_follow_the_umask(void **state) {
    (void)state;
    static const mode_t masks[] = {0, 022, 027, 077};
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        mode_t before = umask(masks[i]);
        write_text("rights", "land");
        umask(before);
        assert_int_equal(mode_of("rights") & 07777, 0666 & ~masks[i]);
        assert_int_equal(remove("rights"), 0);
    }
}

static void a_new_file_has_the_rights_of_the_old_one(void **state) {
    (void)state;
    static const mode_t modes[] = {0600, 0640, 0664, 0777, 0200, 0622};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        put_text("old", "before");
        assert_int_equal(symlink("old", "link"), 0);
        assert_int_equal(chmod("old", modes[i]), 0);
        rvi_writer *writer = open_writer("link");
        DIR *dir = opendir(".");
        assert_non_null(dir);
        for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
            if (strstr(entry->d_name, ".tmp") != NULL) /* nobody else sees the bytes before */
                assert_int_equal(mode_of(entry->d_name) & 07777, modes[i]);
        closedir(dir);
        support_ok(ctx, rvi_writer_put(writer, "after", 5));
        support_ok(ctx, rvi_writer_commit(writer));
        assert_int_equal(mode_of("old") & 07777, modes[i]);
        put_text("part", "whole");
        support_ok(ctx, rvi_file_rename(ctx, "part", "link"));
        assert_int_equal(mode_of("old") & 07777, modes[i]);
        assert_true(S_ISLNK(mode_of("link")));
        assert_int_equal(remove("link"), 0);
        assert_int_equal(remove("old"), 0);
    }
}

static void a_new_file_has_the_owner_of_the_old_one(void **state) {
    (void)state;
    struct stat info;
    if (geteuid() != 0)
        skip(); /* only root may give files away */
    put_text("old", "before");
    assert_int_equal(chown("old", 1234, 5678), 0);
    assert_int_equal(chmod("old", 0640), 0);
    write_text("old", "after");
    assert_int_equal(stat("old", &info), 0);
    assert_int_equal(info.st_uid, 1234);
    assert_int_equal(info.st_gid, 5678);
    assert_int_equal(info.st_mode & 07777, 0640);
}

static void a_read_only_file_is_refused(void **state) {
    (void)state;
    static const mode_t modes[] = {0444, 0400, 0, 0555};
    put_text("old", "before");
    assert_int_equal(symlink("old", "link"), 0);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod("old", modes[i]), 0);
        assert_refused("old", "old: is read-only and was not changed");
        assert_refused("link", "link: is read-only and was not changed");
        assert_int_equal(rvi_file_check_target(ctx, "link"), RV_ERROR_OUTPUT);
        put_text("part", "whole");
        assert_int_equal(rvi_file_rename(ctx, "part", "link"), RV_ERROR_OUTPUT);
        assert_int_equal(mode_of("old") & 07777, modes[i]);
    }
    assert_int_equal(chmod("old", 0644), 0);
    assert_holds("old", "before");
    assert_int_equal(entries("."), 3);
}

/* A rename gives the new file one name; copies made by hard links, such as those of backups, keep
 * what they have. */
static void other_hard_links_keep_the_old_file(void **state) {
    (void)state;
    put_text("old", "before");
    assert_int_equal(link("old", "backup"), 0);
    write_text("old", "after");
    assert_holds("old", "after");
    assert_holds("backup", "before");
}

static void two_names_of_one_file_are_known(void **state) {
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    put_text("folder/file", "land");
    put_text("other", "land");
    assert_int_equal(symlink("folder/file", "link"), 0);
    assert_int_equal(symlink("folder", "way"), 0);
    assert_true(rvi_path_same("folder/file", "./folder/../folder/file"));
    assert_true(rvi_path_same("link", "folder/file"));
    assert_true(rvi_path_same("way/file", "folder/file"));
    assert_true(rvi_path_same("way/new", "folder/new"));
    assert_true(rvi_path_same("new", "./new"));
    assert_false(rvi_path_same("other", "folder/file"));
    assert_false(rvi_path_same("new", "folder/new"));
    assert_false(rvi_path_same("new", "old"));
}

/* ---- what a process that died has left ---- */

/* The only temporary file of the folder. */
static void find_temporary(char name[256]) {
    DIR *dir = opendir(".");
    assert_non_null(dir);
    name[0] = '\0';
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strstr(entry->d_name, ".tmp") != NULL) {
            assert_string_equal(name, "");
            snprintf(name, 256, "%s", entry->d_name);
        }
    closedir(dir);
    assert_string_not_equal(name, "");
}

/* Leaves the temporary file of a process that was killed. */
static void die_while_writing(const char *path) {
    pid_t child = fork();
    assert_greater_equal(child, 0);
    if (child == 0) {
        open_writer(path);
        kill(getpid(), SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

/* Writes a file with a context of its own, as the next run does. */
static void run_again(const char *path) {
    rv_context *before = ctx;
    ctx = support_context(1);
    write_text(path, "again");
    rv_context_destroy(ctx);
    ctx = before;
}

static void what_the_dead_left_is_removed(void **state) {
    (void)state;
    write_text("first", "land"); /* so that `ctx`, and its copies that die, have cleaned up here */
    for (int i = 0; i < 5; i++)
        die_while_writing(i % 2 ? "one" : "other");
    assert_int_equal(entries("."), 6);
    run_again("third");
    assert_int_equal(entries("."), 2);
    assert_int_equal(mkdir("there", 0777), 0);
    die_while_writing("there/one");
    run_again("third"); /* another folder */
    assert_int_equal(entries("there"), 1);
    assert_int_equal(symlink("there/two", "link"), 0);
    put_text("there/two", "before");
    run_again("link");
    assert_int_equal(entries("there"), 1);
    die_while_writing("there/one");
    assert_int_equal(entries("there"), 2);
    put_text("part", "whole"); /* what another program wrote */
    rv_context *next = support_context(1);
    support_ok(next, rvi_file_rename(next, "part", "link"));
    rv_context_destroy(next);
    assert_int_equal(entries("there"), 1);
}

/* Also between the last byte and the name. */
static void what_the_living_write_stays(void **state) {
    (void)state;
    rvi_writer *writer = open_writer("slow");
    run_again("quick");
    assert_int_equal(entries("."), 2);
    support_ok(ctx, rvi_writer_put(writer, "land", 4));
    support_ok(ctx, rvi_writer_finish(writer));
    run_again("quick");
    assert_int_equal(entries("."), 2);
    support_ok(ctx, rvi_writer_commit(writer));
    assert_holds("slow", "land");
    assert_int_equal(entries("."), 2);
}

/* Names that only look alike: the digits follow from the name, the number and the machine. */
static void the_users_own_files_stay(void **state) {
    (void)state;
    char name[256], other[300];
    die_while_writing("dead");
    find_temporary(name);
    for (size_t at = 0; at <= strlen("dead");
         at += strlen("dead")) { /* another name, other digits */
        snprintf(other, sizeof other, "%s", name);
        size_t digit = at == 0 ? 0 : strlen(name) - 1;
        other[digit] = other[digit] == '1' ? '2' : '1';
        put_text(other, "mine");
    }
    assert_int_equal(mkdir("folder", 0777), 0);
    snprintf(other, sizeof other, "folder/%s", name);
    assert_int_equal(mkdir(other, 0777), 0); /* a folder, and a link, of the very name */
    run_again("folder/file");
    assert_int_equal(entries("folder"), 2);
    assert_int_equal(rmdir(other), 0);
    put_text("folder/kept", "mine");
    assert_int_equal(symlink("kept", other), 0);
    run_again("folder/file");
    assert_holds("folder/kept", "mine");
    put_text("mine.tmp", "mine");
    put_text("mine.tmp0123456789abcdef", "mine");
    put_text(".tmp0123456789abcdef", "mine");
    put_text("land.png.tmp4321-0", "mine");
    run_again("file");
    assert_int_equal(access(name, F_OK), -1);
    assert_int_equal(entries("."), 2 + 1 + 4 + 1);
}

static void a_long_name_has_a_temporary_one(void **state) {
    (void)state;
    char name[256];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    die_while_writing(name);
    assert_int_equal(entries("."), 1);
    run_again(name);
    assert_holds(name, "again");
    assert_int_equal(entries("."), 1);
}

/* ---- two files that belong together ---- */

/* Many processes write the same pair at once: in the end both are of one of them. */
static void pairs_are_not_mixed(void **state) {
    (void)state;
    enum { PROCESSES = 4 };
    const int rounds = support_short() ? 8 : 24;
    for (int round = 0; round < rounds; round++) {
        pid_t children[PROCESSES];
        for (int c = 0; c < PROCESSES; c++)
            if ((children[c] = fork()) == 0) {
                char text[16];
                snprintf(text, sizeof text, "%d", c);
                rvi_writer *data = open_writer("data");
                support_ok(ctx, rvi_writer_put(data, text, strlen(text)));
                for (bool lost = true; lost;) {
                    rvi_claim claim;
                    support_ok(ctx, rvi_claim_take(ctx, "side", &claim));
                    rvi_writer *side = open_writer("side");
                    support_ok(ctx, rvi_writer_put(side, text, strlen(text)));
                    support_ok(ctx, rvi_writer_place(side, &claim, &lost));
                    if (!lost)
                        support_ok(ctx, rvi_writer_commit(data));
                    rvi_writer_abandon(side);
                    rvi_claim_release(&claim);
                }
                _exit(0);
            }
        for (int c = 0; c < PROCESSES; c++) {
            int status;
            assert_int_equal(waitpid(children[c], &status, 0), children[c]);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        char text[16] = "";
        FILE *file = fopen("side", "rb");
        assert_non_null(file);
        assert_int_equal(fread(text, 1, sizeof text, file), 1);
        fclose(file);
        assert_holds("data", text);
        assert_int_equal(entries("."), 2);
        if (round % 3 == 0) {
            assert_int_equal(remove("side"), 0);
            assert_int_equal(remove("data"), 0);
        }
    }
}

static void what_cannot_be_written_is_refused(void **state) {
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    put_text("file", "before");
    assert_refused("folder", "folder: is a directory");
    assert_refused("folder/", "folder/");
    assert_refused("missing/new", "missing/new: cannot be written");
    assert_refused("file/new", "file/new: cannot be written");
    assert_refused("", "empty");
    assert_holds("file", "before");
    assert_int_equal(entries("folder"), 0);
    assert_int_equal(entries("."), 2);
}

static void a_folder_without_rights_is_refused(void **state) {
    (void)state;
    if (geteuid() == 0)
        skip(); /* root may write everywhere */
    assert_int_equal(mkdir("closed", 0555), 0);
    assert_refused("closed/new", "Permission denied");
    assert_int_equal(entries("closed"), 0);
}

static void what_is_no_plain_file_stays_as_it_is(void **state) {
    (void)state;
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_int_equal(symlink("pipe", "link"), 0);
    assert_refused("/dev/null", "/dev/null: is not a regular file");
    assert_refused("pipe", "pipe: is not a regular file");
    assert_refused("link", "link: is not a regular file");
    assert_true(S_ISCHR(mode_of("/dev/null")));
    assert_true(S_ISFIFO(mode_of("pipe")) && S_ISLNK(mode_of("link")));
    assert_int_equal(entries("."), 2);
}

/* Writes `size` bytes in one piece while files may have `limit` of them. */
static rv_status write_limited(const char *path, size_t size, rlim_t limit) {
    static const char bytes[200000];
    struct rlimit before, little;
    rvi_writer *writer = open_writer(path);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    little = before;
    little.rlim_cur = limit;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    rv_status status = rvi_writer_put(writer, bytes, size);
    if (status == RV_OK)
        status = rvi_writer_commit(writer);
    else
        rvi_writer_abandon(writer);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    return status;
}

static void a_full_disk_leaves_the_old_file(void **state) {
    (void)state;
    put_text("old", "before");
    static const size_t sizes[] = {1, 65535, 65536, 65537, 200000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        rlim_t limits[] = {0, sizes[i] / 2, sizes[i] - 1};
        for (int k = 0; k < 3; k++) {
            assert_int_equal(write_limited("old", sizes[i], limits[k]), RV_ERROR_OUTPUT);
            assert_says("old: cannot be written: ");
            assert_holds("old", "before");
            assert_int_equal(write_limited("new", sizes[i], limits[k]), RV_ERROR_OUTPUT);
            assert_int_equal(entries("."), 1);
        }
        support_ok(ctx, write_limited("new", sizes[i], sizes[i]));
        assert_int_equal(remove("new"), 0);
    }
}

/* ---- reading ---- */

static void what_was_written_is_read(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 1 << 20, (1 << 20) + 1, 3000000};
    unsigned char *bytes = malloc(3000000);
    assert_non_null(bytes);
    for (size_t i = 0; i < 3000000; i++)
        bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t piece = 1000; piece <= 5000000; piece *= 70) {
            rvi_writer *writer = open_writer("data");
            for (size_t at = 0; at < sizes[i]; at += piece)
                support_ok(ctx, rvi_writer_put(writer, bytes + at,
                                               sizes[i] - at < piece ? sizes[i] - at : piece));
            support_ok(ctx, rvi_writer_commit(writer));
            rvi_bytes read;
            support_ok(ctx, rvi_file_read(ctx, "data", &read));
            assert_int_equal(read.size, sizes[i]);
            assert_memory_equal(read.data, bytes, sizes[i]);
            assert_int_equal(read.data[read.size], 0);
            rvi_free(ctx, read.data);
        }
    free(bytes);
}

static void an_empty_file_has_no_bytes(void **state) {
    (void)state;
    put_text("empty", "");
    rvi_bytes read;
    support_ok(ctx, rvi_file_read(ctx, "empty", &read));
    assert_int_equal(read.size, 0);
    assert_non_null(read.data);
    assert_int_equal(read.data[0], 0);
    rvi_free(ctx, read.data);
}

static void the_start_of_a_file_is_read(void **state) {
    (void)state;
    put_text("data", "0123456789");
    for (size_t most = 0; most <= 12; most++) {
        rvi_bytes read;
        uint64_t total;
        support_ok(ctx, rvi_file_read_start(ctx, "data", most, &read, &total));
        assert_int_equal(total, 10);
        assert_int_equal(read.size, most < 10 ? most : 10);
        assert_memory_equal(read.data, "0123456789", read.size);
        assert_int_equal(read.data[read.size], 0);
        rvi_free(ctx, read.data);
    }
}

static void assert_unreadable(const char *path, const char *why) {
    rvi_bytes read = {(unsigned char *)&read, 5};
    assert_int_equal(rvi_file_read(ctx, path, &read), RV_ERROR_INPUT);
    assert_null(read.data);
    assert_int_equal(read.size, 0);
    assert_says(why);
}

static void what_cannot_be_read_is_refused(void **state) {
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    put_text("file", "land");
    assert_unreadable("missing", "missing: cannot be read: No such file");
    assert_unreadable("folder", "folder: is a directory");
    assert_unreadable("file/deeper", "file/deeper: cannot be read");
    assert_unreadable("", "cannot be read");
    assert_false(rvi_file_exists("missing"));
    assert_true(rvi_file_exists("file") && rvi_file_exists("folder"));
    if (geteuid() != 0) {
        assert_int_equal(chmod("file", 0), 0);
        assert_unreadable("file", "file: cannot be read: Permission denied");
    }
}

/* Also where there is no file yet. */
static void a_place_is_known_by_other_paths(void **state) {
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(symlink("folder", "other"), 0);
    put_text("folder/file", "land");
    put_text("file", "land");
    assert_int_equal(symlink("folder/file", "to_file"), 0);
    assert_true(rvi_path_same("file", "./file") && rvi_path_same("file", "folder/..//file"));
    assert_true(rvi_path_same("folder/file", "other/file"));
    assert_true(rvi_path_same("to_file", "other/file"));
    assert_true(rvi_path_same("folder/new", "other/new") && rvi_path_same("new", "./new"));
    assert_false(rvi_path_same("file", "folder/file"));
    assert_false(rvi_path_same("file", "new") || rvi_path_same("new", "file"));
    assert_false(rvi_path_same("folder/new", "new"));
    assert_false(rvi_path_same("missing/new", "missing/other"));
    /* Who writes to one of them does not change the other. */
    assert_int_equal(link("file", "second"), 0);
    assert_false(rvi_path_same("file", "second"));
}

/* A pipe cannot say how much will come. */
static void a_pipe_is_read_to_its_end(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 65536, 1 << 20, (1 << 20) + 1, 3000000};
    static unsigned char bytes[3000000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        pid_t child = fork();
        assert_greater_equal(child, 0);
        if (child == 0) {
            FILE *pipe = fopen("pipe", "wb");
            bool whole = pipe && fwrite(bytes, 1, sizes[i], pipe) == sizes[i] && fclose(pipe) == 0;
            _exit(whole ? 0 : 1);
        }
        rvi_bytes read;
        {
            RVI_ENTRY(ctx); /* it is kept until this call of the library ends, for a second look */
            support_ok(ctx, rvi_file_read(ctx, "pipe", &read));
            rvi_free(ctx, read.data);
            support_ok(ctx, rvi_file_read(ctx, "pipe", &read));
        }
        assert_int_equal(read.size, sizes[i]);
        assert_memory_equal(read.data, bytes, sizes[i]);
        assert_int_equal(read.data[read.size], 0);
        rvi_free(ctx, read.data);
        int result;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_int_equal(result, 0);
    }
}

static void a_file_larger_than_memory_is_refused(void **state) {
    (void)state;
    rv_context_desc desc = {.threads = 1, .memory_limit = 1 << 20};
    rv_context *small;
    assert_int_equal(rv_context_create(&desc, &small), RV_OK);
    FILE *file = fopen("huge", "wb");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), (off_t)1 << 33), 0); /* takes no place on the disk */
    fclose(file);
    rvi_bytes read;
    assert_int_equal(rvi_file_read(small, "huge", &read), RV_ERROR_MEMORY);
    assert_null(read.data);
    assert_non_null(strstr(rv_context_error(small), "huge"));
    rv_context_destroy(small);
}

/* ---- memory ---- */

static void no_allocation_is_taken_for_granted(void **state) {
    (void)state;
    support_memory memory = {.left = -1};
    rv_context_desc desc = {.threads = 1, .allocator = support_allocator(&memory)};
    rv_context *poor;
    assert_int_equal(rv_context_create(&desc, &poor), RV_OK);
    put_text("old", "before");
    long held = memory.held;
    memory.left = 0;
    rvi_writer *writer;
    rvi_bytes read;
    assert_int_equal(rvi_writer_open(poor, "old", &writer), RV_ERROR_MEMORY);
    assert_null(writer);
    assert_int_equal(rvi_file_read(poor, "old", &read), RV_ERROR_MEMORY);
    assert_null(read.data);
    assert_int_equal(memory.held, held);
    assert_int_equal(entries("."), 1);
    rv_context_destroy(poor);
    assert_int_equal(memory.held, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_appears_when_it_is_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_old_file_stays_until_then, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_given_up_leaves_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_at_once_do_not_meet, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_file_can_be_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_link_stays_a_link, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_link_to_nothing_stays_a_link, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_chain_of_links_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_link_that_cannot_be_followed_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rights_follow_the_umask, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_new_file_has_the_rights_of_the_old_one, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_new_file_has_the_owner_of_the_old_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_read_only_file_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_hard_links_keep_the_old_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_names_of_one_file_are_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_the_dead_left_is_removed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_the_living_write_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_users_own_files_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_name_has_a_temporary_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pairs_are_not_mixed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_written_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_without_rights_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_plain_file_stays_as_it_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_the_old_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_written_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_file_has_no_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_start_of_a_file_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_place_is_known_by_other_paths, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pipe_is_read_to_its_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_larger_than_memory_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_allocation_is_taken_for_granted, set_up, tear_down),
    };
    ctx = support_context(1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed == 0)
        rv_context_destroy(ctx); /* which asserts that nothing is left in it */
    return failed;
}
