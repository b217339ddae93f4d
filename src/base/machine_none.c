/* machine_none.c: stands for machine.c where a process cannot ask for its limits. */
#include "base/machine.h"

#include <pthread.h>
#include <stdint.h>

size_t rvi_machine_groups(const char *root) {
    (void)root;
    return SIZE_MAX;
}

size_t rvi_machine_memory(void) {
    return (size_t)2 << 30;
}

int rvi_machine_cores(void) {
    return 1 + pthread_lent_np();
}
