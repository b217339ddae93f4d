/* opencl.c: opens the OpenCL loader, which knows the drivers of all devices of the machine. */
#include "device/opencl.h"

#include <dlfcn.h>
#include <string.h>

static void *load(void) {
    static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so",
                                        "/System/Library/Frameworks/OpenCL.framework/OpenCL"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* C has no cast from an object to a function, POSIX promises that the bytes are the same. */
static bool bind(void *library, const char *name, void *function, size_t size) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

/* Once loaded it stays; to load it again costs nothing. */
bool rvi_opencl_load(rvi_opencl *cl) {
    void *library = load();
    bool there = library != NULL;
#define BIND(name) there = there && bind(library, #name, &cl->name, sizeof cl->name)
    BIND(clGetPlatformIDs);
    BIND(clGetPlatformInfo);
    BIND(clGetDeviceIDs);
    BIND(clGetDeviceInfo);
    BIND(clCreateContext);
    BIND(clReleaseContext);
    BIND(clCreateCommandQueue);
    BIND(clReleaseCommandQueue);
    BIND(clCreateBuffer);
    BIND(clReleaseMemObject);
    BIND(clEnqueueReadBuffer);
    BIND(clEnqueueWriteBuffer);
    BIND(clEnqueueFillBuffer);
    BIND(clCreateProgramWithSource);
    BIND(clBuildProgram);
    BIND(clGetProgramBuildInfo);
    BIND(clReleaseProgram);
    BIND(clCreateKernel);
    BIND(clReleaseKernel);
    BIND(clSetKernelArg);
    BIND(clEnqueueNDRangeKernel);
    BIND(clFlush);
    BIND(clFinish);
#undef BIND
    return there;
}
