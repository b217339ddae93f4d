/* How much memory and how many cores the process may use: the limits of control groups, from files
 * as Linux has them. */
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

static void expect_cores(int cores) {
    assert_equal(rvi_machine_allowed("root", 64), cores);
}

/* Those that a process may run on, as taskset and cpusets choose them. */
static void test_allowed_cores(void **state) {
    (void)state;
    static const char status[] = "root/proc/self/status";
    remove(groups);
    remove(status);
    expect_cores(64);
    put(status, "Name:\tx\nCpus_allowed:\tff,ffffffff\nCpus_allowed_list:\t0-39\n");
    expect_cores(40);
    put(status, "Name:\tx\nCpus_allowed:\t5\nCpus_allowed_list:\t0,2\n");
    expect_cores(2);
    put(status, "Name:\tx\nCpus_allowed:\t0\n");
    expect_cores(64);
    put(status, "Name:\tCpus_allowed: 1\n"); /* a program of that name */
    expect_cores(64);
    put(status, "Name:\tx\nCpus_allowed:\tffffffff,ffffffff,ffffffff\n"); /* more than there are */
    expect_cores(64);
    assert_equal(rvi_machine_allowed("root", 1), 1);
}

/* The time of cores that control groups give. */
static void test_quota_of_cores(void **state) {
    (void)state;
    remove("root/proc/self/status");
    put(groups, "0::/box\n");
    expect_cores(64);
    put("root/sys/fs/cgroup/box/cpu.max", "max 100000\n");
    expect_cores(64);
    put("root/sys/fs/cgroup/box/cpu.max", "250000 100000\n");
    expect_cores(3);
    put("root/sys/fs/cgroup/cpu.max", "200000 100000\n"); /* what it is in has less */
    expect_cores(2);
    put("root/sys/fs/cgroup/cpu.max", "10000 100000\n");
    expect_cores(1);
    put("root/sys/fs/cgroup/cpu.max", "10000 0\n");
    expect_cores(3);
    put(groups, "3:cpu,cpuacct:/old\n2:cpuset:/\n");
    put("root/sys/fs/cgroup/cpu/old/cpu.cfs_quota_us", "-1\n");
    put("root/sys/fs/cgroup/cpu/old/cpu.cfs_period_us", "100000\n");
    expect_cores(64);
    put("root/sys/fs/cgroup/cpu/old/cpu.cfs_quota_us", "400000\n");
    expect_cores(4);
    put(groups, "3:cpuacct:/old\n"); /* another controller */
    expect_cores(64);
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
        cmocka_unit_test(test_no_groups),      cmocka_unit_test(test_version_two),
        cmocka_unit_test(test_version_one),    cmocka_unit_test(test_allowed_cores),
        cmocka_unit_test(test_quota_of_cores), cmocka_unit_test(test_own_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
