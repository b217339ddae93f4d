/* machine.c: how much memory this process may use, and how many cores (see machine.h).
 *
 * Linux, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst: each line of
 * /proc/self/cgroup is NUMBER:CONTROLLERS:PATH. Version 2 has the number 0 and no controllers, and
 * its limits are in memory.max (above it the process is killed) and memory.high (above it, it is
 * slowed down); version 1 names "memory", and has memory.limit_in_bytes. A group has no more than
 * those it is in. Seen from inside a container the path may not be there, but the folder that
 * stands for the container itself is.
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

/* "max", or a number of bytes; what is not there sets no limit. */
static size_t read_limit(const char *folder, const char *file) {
    char path[PATH_MAX], text[64], *end;
    int length = snprintf(path, sizeof path, "%s/%s", folder, file);
    if (length < 0 || (size_t)length >= sizeof path || !rvi_file_peek(path, text, sizeof text))
        return SIZE_MAX;
    unsigned long long bytes = strtoull(text, &end, 10);
    return end != text && bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* The group at `path` below `top`, and all it is in. */
static size_t group_limit(const char *top, const char *path) {
    char folder[PATH_MAX];
    size_t limit = SIZE_MAX, from = strlen(top);
    int length = snprintf(folder, sizeof folder, "%s%s", top, path);
    if (length < 0 || (size_t)length >= sizeof folder)
        return SIZE_MAX;
    for (;;) {
        limit = least(limit, read_limit(folder, "memory.max"));
        limit = least(limit, read_limit(folder, "memory.high"));
        limit = least(limit, read_limit(folder, "memory.limit_in_bytes"));
        char *slash = strrchr(folder + from, '/');
        if (!slash)
            return limit;
        *slash = '\0';
    }
}

/* Is it one of "a,b,memory"? */
static bool has_memory(const char *controllers) {
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, "memory", 6) == 0 && (at[6] == ',' || at[6] == '\0'))
            return true;
    }
    return false;
}

size_t rvi_machine_groups(const char *root) {
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
            limit = least(limit, group_limit(top, path));
        }
        if (has_memory(controllers)) {
            snprintf(top, sizeof top, "%s/sys/fs/cgroup/memory", root);
            limit = least(limit, group_limit(top, path));
        }
    }
    return limit;
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
    return cores > 1 ? (int)cores : 1;
}
