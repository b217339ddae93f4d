/* machine_none.c: stands for machine.c where a process cannot ask for its limits. */
#include "base/machine.h"

#include <stdint.h>

size_t rvi_machine_groups(const char *root) {
    (void)root;
    return SIZE_MAX;
}

size_t rvi_machine_memory(void) {
    return (size_t)2 << 30;
}
