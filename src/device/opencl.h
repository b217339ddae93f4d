/* opencl.h: as much of OpenCL 1.2 as is used, declared here so that a build needs no headers of it.
 * The library is opened when it is wanted and never linked. For src/device alone. */
#ifndef RVI_DEVICE_OPENCL_H
#define RVI_DEVICE_OPENCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cl_thing cl_thing; /* a platform, device, context, queue, program, kernel, buffer */

enum { /* names and numbers are OpenCL's */
       CL_SUCCESS = 0,
       CL_DEVICE_TYPE_GPU = 4,
       CL_DEVICE_TYPE_ALL = -1,
       CL_PLATFORM_NAME = 0x0902,
       CL_DEVICE_TYPE = 0x1000,
       CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
       CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
       CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
       CL_DEVICE_NAME = 0x102B,
       CL_DRIVER_VERSION = 0x102D,
       CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
       CL_MEM_READ_WRITE = 1,
       CL_PROGRAM_BINARY_SIZES = 0x1165,
       CL_PROGRAM_BINARIES = 0x1166,
       CL_PROGRAM_BUILD_LOG = 0x1183,
       CL_KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11B1,
       CL_QUEUE_PROFILING_ENABLE = 2,
       CL_PROFILING_COMMAND_START = 0x1282,
       CL_PROFILING_COMMAND_END = 0x1283,
};

/* What of OpenCL is called. */
typedef struct rvi_opencl {
    int32_t (*clGetPlatformIDs)(uint32_t room, cl_thing **out, uint32_t *count);
    int32_t (*clGetPlatformInfo)(cl_thing *platform, uint32_t what, size_t room, void *out,
                                 size_t *size);
    int32_t (*clGetDeviceIDs)(cl_thing *platform, int64_t type, uint32_t room, cl_thing **out,
                              uint32_t *count);
    int32_t (*clGetDeviceInfo)(cl_thing *device, uint32_t what, size_t room, void *out,
                               size_t *size);
    cl_thing *(*clCreateContext)(const intptr_t *properties, uint32_t count,
                                 cl_thing *const *devices,
                                 void (*notify)(const char *, const void *, size_t, void *),
                                 void *user, int32_t *error);
    int32_t (*clReleaseContext)(cl_thing *context);
    cl_thing *(*clCreateCommandQueue)(cl_thing *context, cl_thing *device, uint64_t properties,
                                      int32_t *error);
    int32_t (*clReleaseCommandQueue)(cl_thing *queue);
    cl_thing *(*clCreateBuffer)(cl_thing *context, uint64_t flags, size_t size, void *host,
                                int32_t *error);
    int32_t (*clReleaseMemObject)(cl_thing *memory);
    int32_t (*clEnqueueReadBuffer)(cl_thing *queue, cl_thing *memory, uint32_t wait, size_t offset,
                                   size_t size, void *to, uint32_t events, cl_thing *const *list,
                                   cl_thing **event);
    int32_t (*clEnqueueWriteBuffer)(cl_thing *queue, cl_thing *memory, uint32_t wait, size_t offset,
                                    size_t size, const void *from, uint32_t events,
                                    cl_thing *const *list, cl_thing **event);
    int32_t (*clEnqueueCopyBuffer)(cl_thing *queue, cl_thing *from, cl_thing *to, size_t from_at,
                                   size_t to_at, size_t size, uint32_t events,
                                   cl_thing *const *list, cl_thing **event);
    int32_t (*clEnqueueFillBuffer)(cl_thing *queue, cl_thing *memory, const void *pattern,
                                   size_t pattern_size, size_t offset, size_t size, uint32_t events,
                                   cl_thing *const *list, cl_thing **event);
    cl_thing *(*clCreateProgramWithSource)(cl_thing *context, uint32_t count, const char **texts,
                                           const size_t *sizes, int32_t *error);
    cl_thing *(*clCreateProgramWithBinary)(cl_thing *context, uint32_t count,
                                           cl_thing *const *devices, const size_t *sizes,
                                           const unsigned char **binaries, int32_t *fits,
                                           int32_t *error);
    int32_t (*clGetProgramInfo)(cl_thing *program, uint32_t what, size_t room, void *out,
                                size_t *size);
    int32_t (*clBuildProgram)(cl_thing *program, uint32_t count, cl_thing *const *devices,
                              const char *options, void (*notify)(cl_thing *, void *), void *user);
    int32_t (*clGetProgramBuildInfo)(cl_thing *program, cl_thing *device, uint32_t what,
                                     size_t room, void *out, size_t *size);
    int32_t (*clReleaseProgram)(cl_thing *program);
    cl_thing *(*clCreateKernel)(cl_thing *program, const char *name, int32_t *error);
    int32_t (*clGetKernelWorkGroupInfo)(cl_thing *kernel, cl_thing *device, uint32_t name,
                                        size_t size, void *value, size_t *needed);
    int32_t (*clReleaseKernel)(cl_thing *kernel);
    int32_t (*clSetKernelArg)(cl_thing *kernel, uint32_t index, size_t size, const void *value);
    int32_t (*clEnqueueNDRangeKernel)(cl_thing *queue, cl_thing *kernel, uint32_t dimensions,
                                      const size_t *offset, const size_t *global,
                                      const size_t *local, uint32_t events, cl_thing *const *list,
                                      cl_thing **event);
    int32_t (*clFlush)(cl_thing *queue);
    int32_t (*clFinish)(cl_thing *queue);
    int32_t (*clWaitForEvents)(uint32_t events, cl_thing *const *list);
    int32_t (*clGetEventProfilingInfo)(cl_thing *event, uint32_t what, size_t room, void *out,
                                       size_t *size);
    int32_t (*clReleaseEvent)(cl_thing *event);
} rvi_opencl;

/* False: there is none on this machine. */
bool rvi_opencl_load(rvi_opencl *cl);

#endif
