/* device.c: copies of memory on a device, and kernels that work on them. */
#include "device/device.h"
#include "base/context.h"
#include "base/hash.h"
#include "device/device_group.h"
#include "device/device_profile.h"
#include "device/kernel_cache.h"
#include "device/kernels.h"
#include "device/opencl.h"

#include <assert.h>
#include <string.h>

enum {
    PLATFORMS = 16,
    DEVICES = 64,
    ARGS = 40,
    GROUP = RVI_DEVICE_GROUP,
    WIDE = 1024,
    COPIED = 256 << 20
};

typedef struct device_copy {
    const void *host;
    size_t size;
    cl_thing *memory;
    bool here;  /* the device's copy is the newest, or as new as the host's */
    bool there; /* the same for the host's */
} device_copy;

typedef struct device_kernel {
    const char *file, *name;
    cl_thing *program; /* NULL: an earlier kernel of the file holds it */
    cl_thing *kernel;
    uint64_t key; /* of the program, which this run has compiled and not kept yet; 0: it is kept */
} device_kernel;

struct rvi_device {
    rv_context *ctx;
    rvi_opencl cl;
    int number;
    rv_device_info facts;
    uint64_t limit, used; /* bytes: that may be used, and of all copies */
    uint64_t shared;      /* bytes that a group may have */
    cl_thing *id, *context, *queue;
    device_copy *copies;
    size_t copy_count, copy_room;
    device_kernel *kernels;
    size_t kernel_count, kernel_room;
    rvi_profile *profile; /* NULL: none is made */
};

/* ---- what is there ---- */

static int list_devices(const rvi_opencl *cl, cl_thing *devices[DEVICES],
                        cl_thing *platforms[DEVICES]) {
    cl_thing *all[PLATFORMS];
    uint32_t platform_count = 0;
    int count = 0;
    if (cl->clGetPlatformIDs(PLATFORMS, all, &platform_count) != CL_SUCCESS)
        return 0;
    for (uint32_t p = 0; p < platform_count && p < PLATFORMS; p++) {
        uint32_t found = 0, room = (uint32_t)(DEVICES - count);
        if (room == 0 || cl->clGetDeviceIDs(all[p], CL_DEVICE_TYPE_ALL, room, devices + count,
                                            &found) != CL_SUCCESS)
            continue;
        for (uint32_t i = 0; i < found && i < room; i++)
            platforms[count++] = all[p];
    }
    return count;
}

int rv_device_count(void) {
    rvi_opencl cl;
    cl_thing *devices[DEVICES], *platforms[DEVICES];
    return rvi_opencl_load(&cl) ? list_devices(&cl, devices, platforms) : 0;
}

static uint64_t number_of(const rvi_opencl *cl, cl_thing *device, uint32_t what) {
    uint64_t number = 0; /* little-endian: a shorter one fills the low bytes */
    size_t size = 0;
    if (cl->clGetDeviceInfo(device, what, sizeof number, &number, &size) != CL_SUCCESS)
        return 0;
    return number;
}

static void text_of(int32_t failed, char *text) {
    if (failed)
        text[0] = '\0';
}

static void describe(const rvi_opencl *cl, cl_thing *platform, cl_thing *device,
                     rv_device_info *out) {
    *out = (rv_device_info){0};
    text_of(cl->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof out->platform - 1,
                                  out->platform, NULL),
            out->platform);
    text_of(cl->clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof out->name - 1, out->name, NULL),
            out->name);
    text_of(
        cl->clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof out->driver - 1, out->driver, NULL),
        out->driver);
    out->memory = number_of(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE);
    out->largest = number_of(cl, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    out->gpu = number_of(cl, device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU;
    out->doubles = number_of(cl, device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
}

bool rv_device_get(int device, rv_device_info *out) {
    rvi_opencl cl;
    cl_thing *devices[DEVICES], *platforms[DEVICES];
    int count = rvi_opencl_load(&cl) ? list_devices(&cl, devices, platforms) : 0;
    if (device < 1 || device > count)
        return false;
    describe(&cl, platforms[device - 1], devices[device - 1], out);
    return true;
}

/* ---- one device ---- */

static rv_status fail(rvi_device *d, const char *doing, int32_t error) {
    bool memory = error == -4 || error == -5 || error == -6 || error == -61;
    return rvi_fail(d->ctx, memory ? RV_ERROR_MEMORY : RV_ERROR_DEVICE,
                    "%s fails %s (OpenCL's error %d).", d->facts.name, doing, (int)error);
}

static void release_kernel(rvi_device *d, device_kernel *k) {
    if (k->kernel)
        d->cl.clReleaseKernel(k->kernel);
    if (k->program)
        d->cl.clReleaseProgram(k->program);
}

static void close_device(void *device) {
    rvi_device *d = device;
    for (size_t i = 0; i < d->copy_count; i++)
        d->cl.clReleaseMemObject(d->copies[i].memory);
    for (size_t i = 0; i < d->kernel_count; i++)
        release_kernel(d, &d->kernels[i]);
    if (d->queue)
        d->cl.clReleaseCommandQueue(d->queue);
    if (d->context)
        d->cl.clReleaseContext(d->context);
    rv_context *ctx = d->ctx;
    rvi_free(ctx, d->copies);
    rvi_free(ctx, d->kernels);
    rvi_free(ctx, d);
}

/* ---- where the time goes ---- */

/* Of a command that is queued next. */
static cl_thing **event_of(rvi_device *d, const char *name) {
    return d->profile ? rvi_profile_next(d->profile, &d->cl, name) : NULL;
}

rv_status rvi_device_profile_begin(rvi_device *d) {
    int32_t error = CL_SUCCESS;
    rv_status status = rvi_device_wait(d);
    rvi_profile *profile = rvi_alloc(d->ctx, 1, sizeof *profile, "the device");
    cl_thing *queue =
        d->cl.clCreateCommandQueue(d->context, d->id, CL_QUEUE_PROFILING_ENABLE, &error);
    if (status != RV_OK || !profile || !queue) {
        rvi_free(d->ctx, profile);
        if (queue)
            d->cl.clReleaseCommandQueue(queue);
        return status != RV_OK ? status
               : !profile      ? RV_ERROR_MEMORY
                               : fail(d, "to be measured", error);
    }
    d->cl.clReleaseCommandQueue(d->queue);
    d->queue = queue;
    d->profile = profile;
    return RV_OK;
}

rv_status rvi_device_profile_end(rvi_device *d, rvi_profile *out) {
    rv_status status = rvi_device_wait(d);
    rvi_profile_close(d->profile, &d->cl);
    *out = *d->profile;
    rvi_free(d->ctx, d->profile);
    d->profile = NULL;
    return status;
}

static device_copy *find_copy(const rvi_device *d, const void *host) {
    for (size_t i = 0; i < d->copy_count; i++)
        if (d->copies[i].host == host)
            return &d->copies[i];
    return NULL;
}

void rvi_device_forget(rvi_device *d, const void *memory, size_t size) {
    uintptr_t first = (uintptr_t)memory;
    for (size_t i = 0; i < d->copy_count;) {
        device_copy *c = &d->copies[i];
        uintptr_t at = (uintptr_t)c->host;
        bool inside = at >= first && at - first < size;
        if (inside) {
            d->cl.clReleaseMemObject(c->memory);
            d->used -= c->size;
            *c = d->copies[--d->copy_count];
        }
        i += !inside;
    }
}

static void forget_copies(void *device, const void *memory, size_t size) {
    rvi_device_forget(device, memory, size);
}

static rv_status fetch_copy(void *device, void *memory) {
    return rvi_device_fetch(device, memory);
}

static bool hash_rows(void *device, const float *grid, int width, int first, int count,
                      uint64_t *hashes) {
    const device_copy *c = find_copy(device, grid);
    if (!c || c->there)
        return false;
    const rvi_device_arg args[] = {
        {RVI_DEVICE_READ, grid, c->size},
        {RVI_DEVICE_WRITE, hashes, (size_t)count * sizeof *hashes},
        RVI_VALUE(width),
        RVI_VALUE(first),
        RVI_VALUE(count),
    };
    rv_status status = RVI_RUN(device, "device_hash", "hash_rows", (size_t)count, 1, args);
    if (status == RV_OK)
        status = rvi_device_fetch(device, hashes);
    rvi_device_forget(device, hashes, (size_t)count * sizeof *hashes);
    return status == RV_OK;
}

/* Before the device goes: nothing may be lost that only it has. */
static rv_status fetch_all(rvi_device *d) {
    rv_status status = RV_OK;
    for (size_t i = 0; i < d->copy_count && status == RV_OK; i++)
        status = rvi_device_fetch(d, (void *)(uintptr_t)d->copies[i].host);
    return status;
}

rvi_device *rvi_device_of(const rv_context *ctx) {
    return rvi_context_attached(ctx)->what;
}

static uint64_t most_memory(const rvi_device *d) {
    return d->facts.memory / 10 * 9;
}

void rv_context_device_limit(rv_context *ctx, uint64_t bytes) {
    RVI_ENTRY(ctx);
    rvi_device *d = rvi_device_of(ctx);
    if (d)
        d->limit = bytes > 0 && bytes < most_memory(d) ? bytes : most_memory(d);
}

static rv_status open_device(rv_context *ctx, int number, rvi_device **out) {
    rvi_opencl cl;
    cl_thing *devices[DEVICES], *platforms[DEVICES];
    bool loaded = rvi_opencl_load(&cl);
    int count = loaded ? list_devices(&cl, devices, platforms) : 0, error = CL_SUCCESS;
    if (!loaded)
        return rvi_fail(ctx, RV_ERROR_DEVICE,
                        "There is no OpenCL on this machine: install the driver of its GPU.");
    if (number < 1 || number > count)
        return rvi_fail(ctx, RV_ERROR_DEVICE, "There is no device %d; `ravine devices` lists them.",
                        number);
    rvi_device *d = rvi_alloc(ctx, 1, sizeof *d, "the device");
    if (!d)
        return RV_ERROR_MEMORY;
    *d = (rvi_device){.ctx = ctx, .cl = cl, .id = devices[number - 1], .number = number};
    describe(&cl, platforms[number - 1], d->id, &d->facts);
    d->limit = most_memory(d);
    d->shared = number_of(&cl, d->id, CL_DEVICE_LOCAL_MEM_SIZE);
    d->context = cl.clCreateContext(NULL, 1, &d->id, NULL, NULL, &error);
    if (d->context)
        d->queue = cl.clCreateCommandQueue(d->context, d->id, 0, &error);
    *out = d;
    if (d->queue)
        return RV_OK;
    rv_status status = fail(d, "to open", error);
    close_device(d);
    return status;
}

static int first_gpu(int from) {
    rv_device_info info;
    for (int i = from; rv_device_get(i, &info); i++)
        if (info.gpu)
            return i;
    return 0;
}

rv_status rv_device_try(rv_context *ctx, int device, bool *same_bits, double *copy_rate) {
    RVI_ENTRY(ctx);
    rvi_device *d;
    rv_status status = open_device(ctx, device, &d);
    if (status != RV_OK)
        return status;
    status = rvi_device_compare(d, ctx, same_bits);
    if (status == RV_OK)
        status = rvi_device_copy_rate(d, ctx, COPIED, copy_rate);
    close_device(d);
    return status;
}

/* Opens it and compares its bits. */
static rv_status open_same(rv_context *ctx, int number, rvi_device **out) {
    bool same = false;
    rv_status status = open_device(ctx, number, out);
    if (status != RV_OK)
        return status;
    status = rvi_device_compare(*out, ctx, &same);
    if (status == RV_OK && !same)
        status = rvi_fail(ctx, RV_ERROR_DEVICE,
                          "%s computes other bits than the processor, so it is not used.",
                          (*out)->facts.name);
    if (status != RV_OK) {
        close_device(*out);
        *out = NULL;
    }
    return status;
}

rv_status rv_context_use_device(rv_context *ctx, int device) {
    RVI_ENTRY(ctx);
    rvi_device *d = NULL;
    int number = device < 0 ? first_gpu(1) : device;
    if (device == RV_DEVICE_GPU && number == 0)
        return rvi_fail(ctx, RV_ERROR_DEVICE,
                        "There is no GPU here; `ravine devices` lists what there is.");
    rv_status status = number > 0 ? open_same(ctx, number, &d) : RV_OK;
    while (device == RV_DEVICE_AUTO && status == RV_ERROR_DEVICE) { /* the next, or none */
        number = first_gpu(number + 1);
        status = number > 0 ? open_same(ctx, number, &d) : RV_OK;
    }
    if (status == RV_OK && rvi_device_of(ctx))
        status = fetch_all(rvi_device_of(ctx));
    if (status != RV_OK) {
        if (d)
            close_device(d);
        return status;
    }
    rvi_attached attached = {0};
    if (number > 0)
        attached = (rvi_attached){d, forget_copies, fetch_copy, hash_rows, close_device};
    rvi_context_attach(ctx, &attached);
    return RV_OK;
}

int rv_context_device(const rv_context *ctx) {
    const rvi_device *d = rvi_device_of(ctx);
    return d ? d->number : RV_DEVICE_CPU;
}

/* ---- copies ---- */

static rv_status make_copy(rvi_device *d, const void *host, size_t size, device_copy **out) {
    if (size > d->limit || d->used > d->limit - size)
        return rvi_fail(d->ctx, RV_ERROR_MEMORY,
                        "%s more on %s would exceed the limit of %s (%s in use).",
                        rvi_bytes_text(size).text, d->facts.name, rvi_bytes_text(d->limit).text,
                        rvi_bytes_text(d->used).text);
    if (d->copy_count == d->copy_room) {
        size_t room = d->copy_room ? 2 * d->copy_room : 32;
        if (!rvi_enlarge(d->ctx, &d->copies, d->copy_count, room, sizeof *d->copies, "the device"))
            return RV_ERROR_MEMORY;
        d->copy_room = room;
    }
    int32_t error = CL_SUCCESS;
    size_t whole = (size + 3) / 4 * 4; /* words can be cleared */
    cl_thing *memory = d->cl.clCreateBuffer(d->context, CL_MEM_READ_WRITE, whole, NULL, &error);
    if (!memory)
        return fail(d, "to give memory for a grid", error);
    d->used += size;
    *out = &d->copies[d->copy_count++];
    **out = (device_copy){.host = host, .size = size, .memory = memory, .there = true};
    return RV_OK;
}

static rv_status use_copy(rvi_device *d, const rvi_device_arg *arg, cl_thing **out) {
    device_copy *c = find_copy(d, arg->memory);
    rv_status status = c ? RV_OK : make_copy(d, arg->memory, arg->size, &c);
    if (status != RV_OK)
        return status;
    assert(c->size == arg->size);
    if (!c->here && arg->use != RVI_DEVICE_WRITE) {
        int32_t error = d->cl.clEnqueueWriteBuffer(d->queue, c->memory, 1, 0, c->size, c->host, 0,
                                                   NULL, event_of(d, "(sent)"));
        if (error)
            return fail(d, "to take a grid", error);
    }
    c->here = true;
    c->there = arg->use == RVI_DEVICE_READ && c->there;
    *out = c->memory;
    return RV_OK;
}

rv_status rvi_device_fetch(rvi_device *d, void *memory) {
    return rvi_device_fetch_first(d, memory, SIZE_MAX);
}

rv_status rvi_device_fetch_first(rvi_device *d, void *memory, size_t bytes) {
    device_copy *c = find_copy(d, memory);
    if (!c || c->there)
        return RV_OK;
    bytes = bytes < c->size ? bytes : c->size;
    int32_t error = bytes == 0 ? CL_SUCCESS
                               : d->cl.clEnqueueReadBuffer(d->queue, c->memory, 1, 0, bytes, memory,
                                                           0, NULL, event_of(d, "(fetched)"));
    if (error)
        return fail(d, "to give a grid back", error);
    c->there = true;
    return RV_OK;
}

rv_status rvi_device_reserve(rvi_device *d, const void *memory, size_t size) {
    device_copy *c = find_copy(d, memory);
    return c ? RV_OK : make_copy(d, memory, size, &c);
}

rv_status rvi_device_send_part(rvi_device *d, const void *memory, size_t size, size_t first,
                               size_t bytes) {
    rv_status status = rvi_device_reserve(d, memory, size);
    if (status != RV_OK)
        return status;
    device_copy *c = find_copy(d, memory);
    const char *from = memory;
    assert(c->size == size && first + bytes <= size);
    int32_t error = bytes == 0
                        ? CL_SUCCESS
                        : d->cl.clEnqueueWriteBuffer(d->queue, c->memory, 1, first, bytes,
                                                     from + first, 0, NULL, event_of(d, "(sent)"));
    if (error)
        return fail(d, "to take a grid", error);
    c->here = true;
    c->there = c->there || first == 0;
    return RV_OK;
}

bool rvi_device_rests(rvi_device *d, rvi_device_pace *pace, rv_status *status) {
    const double least = 0.005, most = 0.02; /* seconds */
    if (++pace->queued < pace->batch)
        return false;
    double begin = rvi_now();
    *status = rvi_device_wait(d);
    double waited = rvi_now() - begin;
    pace->queued = 0;
    pace->batch = pace->batch < 1 ? 1 : pace->batch;
    pace->batch = waited < least ? 2 * pace->batch : pace->batch;
    pace->batch = waited > most && pace->batch > 1 ? pace->batch / 2 : pace->batch;
    return true;
}

rv_status rvi_device_zero(rvi_device *d, const void *memory, size_t size) {
    device_copy *c = find_copy(d, memory);
    rv_status status = c ? RV_OK : make_copy(d, memory, size, &c);
    if (status != RV_OK)
        return status;
    const uint32_t none = 0;
    int32_t error =
        d->cl.clEnqueueFillBuffer(d->queue, c->memory, &none, sizeof none, 0, (size + 3) / 4 * 4, 0,
                                  NULL, event_of(d, "(cleared)"));
    c->here = c->there = true;
    return error ? fail(d, "to clear a grid", error) : RV_OK;
}

rv_status rvi_device_copy(rvi_device *d, const void *from, const void *to, size_t size) {
    const rvi_device_arg args[] = {{RVI_DEVICE_READ, from, size}, {RVI_DEVICE_WRITE, to, size}};
    cl_thing *memory[2] = {NULL, NULL};
    rv_status status = use_copy(d, &args[0], &memory[0]);
    if (status == RV_OK)
        status = use_copy(d, &args[1], &memory[1]);
    if (status != RV_OK)
        return status;
    int32_t error = d->cl.clEnqueueCopyBuffer(d->queue, memory[0], memory[1], 0, 0, size, 0, NULL,
                                              event_of(d, "(copied)"));
    return error ? fail(d, "to copy a grid", error) : RV_OK;
}

size_t rvi_device_holds(const rvi_device *d) {
    return (size_t)d->used;
}

size_t rvi_device_holds_of(const rvi_device *d, const void *memory) {
    const device_copy *c = find_copy(d, memory);
    return c ? c->size : 0;
}

bool rvi_device_fits(const rvi_device *d, size_t grid, size_t bytes, size_t shared, bool doubles) {
    return grid <= d->facts.largest && bytes <= d->limit && shared <= d->shared &&
           (d->facts.doubles || !doubles);
}

struct rvi_opencl *rvi_device_opencl(rvi_device *d) {
    return &d->cl;
}

const char *rvi_device_name(const rvi_device *d) {
    return d->facts.name;
}

/* ---- kernels ---- */

static const char BUILD_OPTIONS[] = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";

/* What a driver makes of a text depends on these. */
static uint64_t key_of(const rvi_device *d, const rvi_kernel_text *text) {
    uint64_t key = rvi_hash(text->text, text->size, 1);
    key = rvi_hash(BUILD_OPTIONS, sizeof BUILD_OPTIONS, key);
    key = rvi_hash(d->facts.platform, strlen(d->facts.platform), key);
    key = rvi_hash(d->facts.name, strlen(d->facts.name), key);
    return rvi_hash(d->facts.driver, strlen(d->facts.driver), key);
}

/* A program that an earlier run has compiled. */
static bool take_cached(rvi_device *d, uint64_t key, device_kernel *out) {
    rvi_bytes bytes;
    if (!rvi_kernel_cache_read(d->ctx, key, &bytes))
        return false;
    int32_t error = CL_SUCCESS, fits = CL_SUCCESS;
    const unsigned char *data = bytes.data;
    out->program =
        d->cl.clCreateProgramWithBinary(d->context, 1, &d->id, &bytes.size, &data, &fits, &error);
    if (out->program && !error)
        error = d->cl.clBuildProgram(out->program, 1, &d->id, BUILD_OPTIONS, NULL, NULL);
    if (out->program && !error)
        out->kernel = d->cl.clCreateKernel(out->program, out->name, &error);
    rvi_free(d->ctx, bytes.data);
    if (out->kernel)
        return true;
    release_kernel(d, out);
    out->program = NULL;
    return false;
}

static void keep_cached(rvi_device *d, uint64_t key, cl_thing *program) {
    size_t size = 0;
    int32_t error = d->cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, 0);
    unsigned char *binary = error || size == 0 ? NULL : rvi_alloc(d->ctx, size, 1, "a kernel");
    if (!binary)
        return;
    error = d->cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
    if (!error)
        rvi_kernel_cache_write(d->ctx, key, binary, size);
    rvi_free(d->ctx, binary);
}

/* What was compiled to try the device is kept when it is used, and not before: a plan, or a list of
 * devices, writes no files. */
static void keep_kernels(rvi_device *d) {
    bool used = rvi_device_of(d->ctx) == d;
    for (size_t i = 0; used && i < d->kernel_count; i++)
        if (d->kernels[i].key != 0) {
            keep_cached(d, d->kernels[i].key, d->kernels[i].program);
            d->kernels[i].key = 0;
        }
}

static rv_status build(rvi_device *d, const rvi_kernel_text *text, const char *name,
                       device_kernel *out) {
    int32_t error = CL_SUCCESS;
    *out = (device_kernel){.file = text->file, .name = name};
    uint64_t key = key_of(d, text);
    if (take_cached(d, key, out))
        return RV_OK;
    out->program = d->cl.clCreateProgramWithSource(d->context, 1, (const char *[]){text->text},
                                                   &text->size, &error);
    if (out->program)
        error = d->cl.clBuildProgram(out->program, 1, &d->id, BUILD_OPTIONS, NULL, NULL);
    if (!error)
        out->kernel = d->cl.clCreateKernel(out->program, name, &error);
    out->key = key;
    if (out->kernel)
        return RV_OK;
    char log[512] = "";
    if (out->program)
        text_of(d->cl.clGetProgramBuildInfo(out->program, d->id, CL_PROGRAM_BUILD_LOG,
                                            sizeof log - 1, log, NULL),
                log);
    release_kernel(d, out);
    return rvi_fail(d->ctx, RV_ERROR_DEVICE, "%s cannot compile %s.cl (OpenCL's error %d)%s%s",
                    d->facts.name, text->file, (int)error, log[0] ? ": " : ".", log);
}

/* From the program of another kernel of the file. */
static bool take_built(rvi_device *d, const char *file, const char *name, device_kernel *out) {
    *out = (device_kernel){.file = file, .name = name};
    for (size_t i = 0; i < d->kernel_count; i++)
        if (d->kernels[i].program && strcmp(d->kernels[i].file, file) == 0) {
            int32_t error = CL_SUCCESS;
            out->kernel = d->cl.clCreateKernel(d->kernels[i].program, name, &error);
            return out->kernel != NULL;
        }
    return false;
}

static rv_status find_kernel(rvi_device *d, const char *file, const char *name, cl_thing **out) {
    for (size_t i = 0; i < d->kernel_count; i++)
        if (strcmp(d->kernels[i].file, file) == 0 && strcmp(d->kernels[i].name, name) == 0) {
            *out = d->kernels[i].kernel;
            return RV_OK;
        }
    if (d->kernel_count == d->kernel_room) {
        size_t room = d->kernel_room ? 2 * d->kernel_room : 16;
        if (!rvi_enlarge(d->ctx, &d->kernels, d->kernel_count, room, sizeof *d->kernels,
                         "the device"))
            return RV_ERROR_MEMORY;
        d->kernel_room = room;
    }
    device_kernel *k = &d->kernels[d->kernel_count];
    for (int i = 0; i < rvi_kernel_text_count; i++)
        if (strcmp(rvi_kernel_texts[i].file, file) == 0) {
            rv_status status =
                take_built(d, file, name, k) ? RV_OK : build(d, &rvi_kernel_texts[i], name, k);
            d->kernel_count += status == RV_OK;
            keep_kernels(d);
            *out = k->kernel;
            return status;
        }
    return rvi_fail(d->ctx, RV_ERROR_INTERNAL, "There is no file %s.cl of kernels.", file);
}

static rv_status make_table(rvi_device *d, const rvi_device_arg *arg, cl_thing **out) {
    int32_t error = CL_SUCCESS;
    *out = d->cl.clCreateBuffer(d->context, CL_MEM_READ_WRITE, arg->size, NULL, &error);
    if (*out)
        error = d->cl.clEnqueueWriteBuffer(d->queue, *out, 1, 0, arg->size, arg->memory, 0, NULL,
                                           event_of(d, "(sent)"));
    return error ? fail(d, "to take a table", error) : RV_OK;
}

/* *table: memory to release once the kernel is queued. */
static rv_status set_arg(rvi_device *d, cl_thing *kernel, uint32_t index, const rvi_device_arg *arg,
                         cl_thing **table) {
    cl_thing *memory = NULL;
    rv_status status = RV_OK;
    if (arg->use == RVI_DEVICE_TABLE) {
        status = make_table(d, arg, table);
        memory = *table;
    } else if (arg->use != RVI_DEVICE_VALUE && arg->use != RVI_DEVICE_LOCAL && arg->memory) {
        status = use_copy(d, arg, &memory);
    }
    if (status != RV_OK)
        return status;
    bool value = arg->use == RVI_DEVICE_VALUE || arg->use == RVI_DEVICE_LOCAL;
    int32_t error = value ? d->cl.clSetKernelArg(kernel, index, arg->size, arg->memory)
                          : d->cl.clSetKernelArg(kernel, index, sizeof memory, &memory);
    return error ? fail(d, "to take an argument", error) : RV_OK;
}

/* How many items of a row work side by side: as many as the kernel says, if it does. */
static size_t group_of(const rvi_device *d, cl_thing *kernel, size_t width, bool small) {
    size_t said[3] = {0, 0, 0};
    if (!d->cl.clGetKernelWorkGroupInfo(kernel, d->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                        sizeof said, said, NULL) &&
        said[0] > 0)
        return said[0];
    return width >= WIDE && !small ? 4 * GROUP : GROUP;
}

static rv_status enqueue(rvi_device *d, const char *name, cl_thing *kernel, size_t width,
                         size_t height, bool small) {
    size_t wide = group_of(d, kernel, width, small);
    size_t items[2] = {(width + wide - 1) / wide * wide, height}, group[2] = {wide, 1};
    int32_t error = d->cl.clEnqueueNDRangeKernel(d->queue, kernel, 2, NULL, items, group, 0, NULL,
                                                 event_of(d, name));
    if (!error)
        error = d->cl.clFlush(d->queue);
    return error ? fail(d, "to run a kernel", error) : RV_OK;
}

rv_status rvi_device_run(rvi_device *d, const char *file, const char *name, size_t width,
                         size_t height, const rvi_device_arg *args, int count) {
    assert(count <= ARGS);
    cl_thing *kernel = NULL, *tables[ARGS] = {0};
    bool shares = false; /* its items share memory, for which groups have a known size */
    rv_status status = find_kernel(d, file, name, &kernel);
    for (int i = 0; i < count && status == RV_OK; i++) {
        shares = shares || args[i].use == RVI_DEVICE_LOCAL;
        status = set_arg(d, kernel, (uint32_t)i, &args[i], &tables[i]);
    }
    if (status == RV_OK)
        status = enqueue(d, name, kernel, width, height, shares);
    for (int i = 0; i < count; i++)
        if (tables[i])
            d->cl.clReleaseMemObject(tables[i]); /* OpenCL keeps it until the kernel has run */
    return status;
}

rv_status rvi_device_wait(rvi_device *d) {
    int32_t error = d->cl.clFinish(d->queue);
    return error ? fail(d, "to finish", error) : RV_OK;
}
