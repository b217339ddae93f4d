/* device.h: a GPU, or whatever else OpenCL offers: what is there, memory on it, and kernels.
 *
 * A device of a context keeps copies of the context's memory. A copy has the address of what it is
 * a copy of, so steps speak of their grids and never of device memory:
 *
 *     rvi_device_run(d, "noise", "cells", width, height, args, count)
 *
 * brings each grid that the kernel reads to the device, unless the newest copy is there already,
 * and notes that the host's copy of each grid that it writes is old. rvi_device_fetch() brings
 * those back. rvi_free() forgets the copy. Work is queued: it has ended when a fetch or
 * rvi_device_wait() returns. */
#ifndef RVI_DEVICE_DEVICE_H
#define RVI_DEVICE_DEVICE_H

#include <ravine/ravine.h>

typedef struct rvi_device rvi_device;

/* ---- one device ---- */

/* NULL: the context has none. */
rvi_device *rvi_device_of(const rv_context *ctx);

typedef enum rvi_device_use {
    RVI_DEVICE_VALUE, /* a number that the kernel gets as it is */
    RVI_DEVICE_TABLE, /* a struct or an array that the kernel gets as __constant */
    RVI_DEVICE_LOCAL, /* memory that the items of a group share: a kernel that declares it by itself
                         cannot be sure of it, for compilers take it for one item's alone */
    RVI_DEVICE_READ,
    RVI_DEVICE_WRITE, /* all of it: what it held does not count */
    RVI_DEVICE_CHANGE /* read and write */
} rvi_device_use;

typedef struct rvi_device_arg {
    rvi_device_use use;
    const void *memory; /* the host's address of the grid, or the value; NULL: there is no grid */
    size_t size;        /* bytes */
} rvi_device_arg;

/* Queues the kernel `name` of the file `file`.cl for width x height items. */
rv_status rvi_device_run(rvi_device *d, const char *file, const char *name, size_t width,
                         size_t height, const rvi_device_arg *args, int count);
/* The same with an array of arguments, and a variable as one of them. */
#define RVI_RUN(d, file, name, width, height, args)                                                \
    rvi_device_run(d, file, name, width, height, args, (int)(sizeof(args) / sizeof((args)[0])))
#define RVI_VALUE(value)                                                                           \
    (rvi_device_arg) {                                                                             \
        RVI_DEVICE_VALUE, &(value), sizeof(value)                                                  \
    }
/* Memory that the items of a group share. */
#define RVI_LOCAL(bytes)                                                                           \
    (rvi_device_arg) {                                                                             \
        RVI_DEVICE_LOCAL, NULL, bytes                                                              \
    }
/* Until all that was queued is done. */
rv_status rvi_device_wait(rvi_device *d);
/* When to wait: a step that queues a kernel again and again asks after each. True: it has waited,
 * about 20 ms after the last time, and it is time to look around. *status: how the wait ended. */
typedef struct rvi_device_pace {
    int64_t queued, batch; /* since the last wait; how many until the next */
} rvi_device_pace;
bool rvi_device_rests(rvi_device *d, rvi_device_pace *pace, rv_status *status);
/* The host's copy becomes the newest. */
rv_status rvi_device_fetch(rvi_device *d, void *memory);
/* The same where the first `bytes` are all that counts. */
rv_status rvi_device_fetch_first(rvi_device *d, void *memory, size_t bytes);
/* The host has changed `bytes` from `first` on; the device gets them now. From the first byte on:
 * they are all that counts. `size`: of all of it. */
rv_status rvi_device_send_part(rvi_device *d, const void *memory, size_t size, size_t first,
                               size_t bytes);
/* Takes memory for a copy of it before there is one. */
rv_status rvi_device_reserve(rvi_device *d, const void *memory, size_t size);
/* Copies of the `size` bytes from there on do not count any more: the host has changed them, or is
 * going to free them; rvi_free() calls it for the device of its context. */
void rvi_device_forget(rvi_device *d, const void *memory, size_t size);
/* Fresh memory of the host, all 0, has a copy on the device that is all 0, too; nothing is sent. */
rv_status rvi_device_zero(rvi_device *d, const void *memory, size_t size);

/* On the device `to` becomes a copy of `from`. */
rv_status rvi_device_copy(rvi_device *d, const void *from, const void *to, size_t size);

const char *rvi_device_name(const rvi_device *d);
/* Bytes of all copies that the device holds, and of that of this memory; 0: there is none. */
size_t rvi_device_holds(const rvi_device *d);
size_t rvi_device_holds_of(const rvi_device *d, const void *memory);
/* Is there room for `bytes`, in grids of at most `grid` bytes, and for `shared` bytes in a group?
 * And are there doubles? */
bool rvi_device_fits(const rvi_device *d, size_t grid, size_t bytes, size_t shared, bool doubles);

/* The functions of OpenCL that it calls, for tests to make one of them fail. */
struct rvi_opencl *rvi_device_opencl(rvi_device *d);

/* For those who look where the time goes: between both calls the device measures how long each
 * command takes. */
struct rvi_profile;
rv_status rvi_device_profile_begin(rvi_device *d);
rv_status rvi_device_profile_end(rvi_device *d, struct rvi_profile *out);

/* Are its bits those of the processor? Computes a map of numbers on both. */
rv_status rvi_device_compare(rvi_device *d, rv_context *ctx, bool *same);
/* How many bytes a copy of `bytes`, a multiple of 1024, reads and writes in a second. */
rv_status rvi_device_copy_rate(rvi_device *d, rv_context *ctx, size_t bytes, double *out);

#endif
