/* machine.c: how much memory this process may use, and how many cores (see machine.h).
 *
 * Linux, Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst and scheduler/sched-bwc.rst:
 * each line of /proc/self/cgroup is NUMBER:CONTROLLERS:PATH. Version 2 has the number 0 and no
 * controllers, and its limits are in memory.max (above it the process is killed) and memory.high
 * (above it, it is slowed down), and in cpu.max, the time of cores in a period; version 1 names
 * "memory", and has memory.limit_in_bytes, and "cpu", with cpu.cfs_quota_us and cpu.cfs_period_us.
 * A group has no more than those it is in. Seen from inside a container the path may not be there,
 * but the folder that stands for the container itself is. Which cores a process may run on at all
 * is in /proc/self/status, as bits.
 */
#include "base/machine.h"
#include "base/file.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* "max", or a number, and perhaps another behind it; what is not there, or is below 0, sets no
 * limit. */
static size_t read_limit(const char *folder, const char *file, size_t *second) {
    char path[PATH_MAX], text[64], *end, *rest;
    int length = snprintf(path, sizeof path, "%s/%s", folder, file);
    if (length < 0 || (size_t)length >= sizeof path || !rvi_file_peek(path, text, sizeof text))
        return SIZE_MAX;
    unsigned long long number = strtoull(text, &end, 10), next = strtoull(end, &rest, 10);
    if (end == text || strchr(text, '-') || number >= SIZE_MAX)
        return SIZE_MAX;
    if (second && rest != end && next < SIZE_MAX)
        *second = (size_t)next;
    return (size_t)number;
}

/* What one group allows. */
typedef size_t group_read(const char *folder);

static size_t read_memory(const char *folder) {
    size_t limit = read_limit(folder, "memory.max", NULL);
    limit = least(limit, read_limit(folder, "memory.high", NULL));
    return least(limit, read_limit(folder, "memory.limit_in_bytes", NULL));
}

/* A part of a core counts as one. */
static size_t read_cores(const char *folder) {
    size_t period = 0, quota = read_limit(folder, "cpu.max", &period);
    if (quota == SIZE_MAX) {
        quota = read_limit(folder, "cpu.cfs_quota_us", NULL);
        period = read_limit(folder, "cpu.cfs_period_us", NULL);
    }
    if (quota == SIZE_MAX || period == 0 || period == SIZE_MAX)
        return SIZE_MAX;
    return quota / period + (quota % period != 0);
}

/* The group at `path` below `top`, and all it is in. */
static size_t group_limit(const char *top, const char *path, group_read *read) {
    char folder[PATH_MAX];
    size_t limit = SIZE_MAX, from = strlen(top);
    int length = snprintf(folder, sizeof folder, "%s%s", top, path);
    if (length < 0 || (size_t)length >= sizeof folder)
        return SIZE_MAX;
    for (;;) {
        limit = least(limit, read(folder));
        char *slash = strrchr(folder + from, '/');
        if (!slash)
            return limit;
        *slash = '\0';
    }
}

/* Is it one of "a,b,memory"? */
static bool has_controller(const char *controllers, const char *name) {
    size_t length = strlen(name);
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* The least that the groups of this process allow; `name` is the controller's of version 1. */
static size_t groups_limit(const char *root, const char *name, group_read *read) {
    static const char *const second[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    char text[8192], top[PATH_MAX], *rest = text;
    size_t limit = SIZE_MAX;
    snprintf(top, sizeof top, "%s/proc/self/cgroup", root);
    if (!rvi_file_peek(top, text, sizeof text))
        return SIZE_MAX;
    while (rest && *rest) {
        char *line = rest, *next = strchr(line, '\n');
        if (next)
            *next = '\0';
        rest = next ? next + 1 : NULL;
        char *controllers = strchr(line, ':'), *path = NULL;
        if (controllers)
            path = strchr(++controllers, ':');
        if (!path)
            continue;
        *path++ = '\0';
        for (int i = 0; i < 2 && controllers[0] == '\0'; i++) {
            snprintf(top, sizeof top, "%s%s", root, second[i]);
            limit = least(limit, group_limit(top, path, read));
        }
        if (has_controller(controllers, name)) {
            snprintf(top, sizeof top, "%s/sys/fs/cgroup/%s", root, name);
            limit = least(limit, group_limit(top, path, read));
        }
    }
    return limit;
}

size_t rvi_machine_groups(const char *root) {
    return groups_limit(root, "memory", read_memory);
}

/* "Cpus_allowed:	ff,ffffffff": bits in hexadecimal digits. */
static size_t allowed_cores(const char *root) {
    static const char name[] = "\nCpus_allowed:";
    char path[PATH_MAX], text[8192];
    size_t cores = 0;
    snprintf(path, sizeof path, "%s/proc/self/status", root);
    const char *at = rvi_file_peek(path, text, sizeof text) ? strstr(text, name) : NULL;
    if (!at)
        return SIZE_MAX;
    for (at += strlen(name); *at && *at != '\n'; at++) {
        const char digit[2] = {*at, '\0'};
        for (unsigned long bits = strtoul(digit, NULL, 16); bits; bits &= bits - 1)
            cores++;
    }
    return cores ? cores : SIZE_MAX;
}

int rvi_machine_allowed(const char *root, int cores) {
    size_t limit = least(allowed_cores(root), groups_limit(root, "cpu", read_cores));
    limit = least(limit, (size_t)cores);
    return limit > 1 ? (int)limit : 1;
}

static size_t own_limit(int which) {
    struct rlimit limit;
    if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return SIZE_MAX;
    return limit.rlim_cur < SIZE_MAX ? (size_t)limit.rlim_cur : SIZE_MAX;
}

size_t rvi_machine_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t memory = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : SIZE_MAX;
    memory = least(memory, rvi_machine_groups(""));
    memory = least(memory, own_limit(RLIMIT_AS));
    return least(memory, own_limit(RLIMIT_DATA)) / 10 * 9;
}

int rvi_machine_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return rvi_machine_allowed("", cores > 1 ? (int)cores : 1);
}
