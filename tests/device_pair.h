/* device_pair.h: two contexts, one on the processor and one on a device (support_device()), PoCL or
 * a GPU, for tests that compare what they make. */
#ifndef TESTS_DEVICE_PAIR_H
#define TESTS_DEVICE_PAIR_H

#include "support.h"

#include "base/random.h"
#include "formats/npy.h"

#include <stdio.h>
#include <stdlib.h>

static rv_context *processor, *device; /* device NULL: there is none */
static int device_number;
static rv_progress_fn both_ask; /* their progress; NULL: nobody looks */

/* Hardness in three dimensions, for recipes that read it. */
static inline void write_volume(const char *path) {
    enum { SLICES = 7, ROWS = 5, COLUMNS = 6, COUNT = SLICES * ROWS * COLUMNS };
    const uint64_t shape[] = {SLICES, ROWS, COLUMNS};
    char head[RVI_NPY_HEADER];
    float values[COUNT];
    for (uint64_t i = 0; i < COUNT; i++)
        values[i] = rvi_unit(rvi_random(3, i, 0));
    rvi_npy_print("<f4", 3, shape, head);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(head, 1, sizeof head, file), sizeof head);
    assert_int_equal(fwrite(values, sizeof *values, COUNT, file), COUNT);
    assert_int_equal(fclose(file), 0);
}

/* Kernels are kept in the working folder, which is empty at first. */
static inline int open_both(void **state) {
    (void)state;
    rv_context_desc desc = rv_context_desc_default();
    assert_int_equal(setenv("RAVINE_CACHE", "kernels", 1), 0);
    write_volume("rock.npy");
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
