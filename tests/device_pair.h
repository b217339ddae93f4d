/* device_pair.h: two contexts, one on the processor and one on a device (support_device()), PoCL or
 * a GPU, for tests that compare what they make. */
#ifndef TESTS_DEVICE_PAIR_H
#define TESTS_DEVICE_PAIR_H

#include "support.h"

#include <stdlib.h>

static rv_context *processor, *device; /* device NULL: there is none */
static int device_number;
static rv_progress_fn both_ask; /* their progress; NULL: nobody looks */

/* Kernels are kept in the working folder, which is empty at first. */
static inline int open_both(void **state) {
    (void)state;
    rv_context_desc desc = rv_context_desc_default();
    assert_int_equal(setenv("RAVINE_CACHE", "kernels", 1), 0);
    desc.threads = 2;
    desc.progress = both_ask;
    if (rv_context_create(&desc, &processor) != RV_OK)
        return 1;
    device_number = support_device();
    if (device_number == 0)
        return 0;
    if (rv_context_create(&desc, &device) != RV_OK)
        return 1;
    support_ok(device, rv_context_use_device(device, device_number));
    return rv_context_device(device) == device_number ? 0 : 1;
}

static inline int close_both(void **state) {
    (void)state;
    rv_context_destroy(processor);
    rv_context_destroy(device);
    return 0;
}

#endif
