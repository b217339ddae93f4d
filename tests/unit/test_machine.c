/* How much memory the process may use: the limits of control groups, from files as Linux has them.
 */
#include "support.h"

#include "base/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char groups[] = "root/proc/self/cgroup";

/* Makes the folders of a path and writes the file. */
static void put(const char *path, const char *text) {
    char folder[512];
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        mkdir(folder, 0777);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void expect(size_t bytes) {
    assert_equal(rvi_machine_groups("root"), bytes);
}

static void test_no_groups(void **state) {
    (void)state;
    remove(groups);
    expect(SIZE_MAX);
    put(groups, "");
    expect(SIZE_MAX);
    put(groups, "nonsense\n\n:\n::\n");
    expect(SIZE_MAX);
}

static void test_version_two(void **state) {
    (void)state;
    put(groups, "0::/user.slice/job.scope\n");
    expect(SIZE_MAX);
    put("root/sys/fs/cgroup/user.slice/job.scope/memory.max", "max\n");
    expect(SIZE_MAX);
    put("root/sys/fs/cgroup/user.slice/job.scope/memory.max", "314572800\n");
    expect(314572800);
    put("root/sys/fs/cgroup/user.slice/job.scope/memory.high", "104857600\n");
    expect(104857600);
    put("root/sys/fs/cgroup/user.slice/memory.max", "1000000\n"); /* what it is in has less */
    expect(1000000);
    put("root/sys/fs/cgroup/memory.max", "999999\n");
    expect(999999);
    /* A container that sees the path from outside, but its own folder as the top. */
    put(groups, "0::/docker/0123456789abcdef\n");
    expect(999999);
    put(groups, "0::/../..\n");
    expect(999999);
    put(groups, "0::/\n");
    expect(999999);
    remove("root/sys/fs/cgroup/memory.max");
    put("root/sys/fs/cgroup/unified/part/memory.max", "4096");
    put(groups, "0::/part");
    expect(4096);
}

static void test_version_one(void **state) {
    (void)state;
    put("root/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("root/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "200\n");
    put("root/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "300\n");
    put(groups, "9:name=systemd:/x\n4:memory:/a/b\n1:cpu,cpuacct:/a\n0::/nowhere\n");
    expect(200);
    put(groups, "4:memory:/\n");
    expect((size_t)9223372036854771712u);
    put(groups, "5:cpuset,memory:/a\n");
    expect(200);
    put(groups, "5:memory_other,cpu:/a\n"); /* another controller */
    expect(SIZE_MAX);
    put("root/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "not a number\n");
    put(groups, "4:memory:/a\n");
    expect((size_t)9223372036854771712u);
}

/* The limit of a context follows them. */
static void test_own_limits(void **state) {
    (void)state;
    struct rlimit before, less;
    assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
    size_t all = rvi_machine_memory();
    assert_greater(all, 0);
    less = before;
    less.rlim_cur = 100 << 20;
    assert_int_equal(setrlimit(RLIMIT_DATA, &less), 0);
    size_t limited = rvi_machine_memory();
    assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
    assert_equal(limited, (size_t)(100 << 20) / 10 * 9);
    rv_context *ctx = support_context(1);
    assert_equal(rv_context_memory_limit(ctx), all);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_groups),
        cmocka_unit_test(test_version_two),
        cmocka_unit_test(test_version_one),
        cmocka_unit_test(test_own_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
