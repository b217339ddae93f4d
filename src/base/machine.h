/* machine.h: how much memory this process may use, in bytes, and how many cores. */
#ifndef RVI_BASE_MACHINE_H
#define RVI_BASE_MACHINE_H

#include <stddef.h>

/* Nine tenths of the least of what the machine has, what the control groups of this process allow
 * (a container, a service, a batch job), and what its own limits allow (ulimit -v, ulimit -d). */
size_t rvi_machine_memory(void);

/* The least limit of the control groups that `root`/proc/self/cgroup names and of those they are
 * in, below `root`/sys/fs/cgroup; root is "", but in tests. SIZE_MAX: none. */
size_t rvi_machine_groups(const char *root);

/* Those of the machine that this process may run on, and no more than its control groups give it
 * time of; at least 1. */
int rvi_machine_cores(void);

/* Of so many cores those that `root`/proc/self/status and the control groups allow; root is "", but
 * in tests. */
int rvi_machine_allowed(const char *root, int cores);

#endif
