/* opencl.c: opens the OpenCL loader, which knows the drivers of all devices of the machine. */
#include "device/opencl.h"

#include "base/loaded_library.h"

bool rvi_opencl_load(rvi_opencl *cl) {
    static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so",
                                        "/System/Library/Frameworks/OpenCL.framework/OpenCL"};
    void *library = rvi_library_load(names, sizeof names / sizeof names[0]);
    bool there = library != NULL;
#define BIND(name) there = there && rvi_library_find(library, #name, &cl->name, sizeof cl->name)
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
    BIND(clEnqueueCopyBuffer);
    BIND(clEnqueueFillBuffer);
    BIND(clCreateProgramWithSource);
    BIND(clCreateProgramWithBinary);
    BIND(clGetProgramInfo);
    BIND(clBuildProgram);
    BIND(clGetProgramBuildInfo);
    BIND(clReleaseProgram);
    BIND(clCreateKernel);
    BIND(clGetKernelWorkGroupInfo);
    BIND(clReleaseKernel);
    BIND(clSetKernelArg);
    BIND(clEnqueueNDRangeKernel);
    BIND(clFlush);
    BIND(clFinish);
    BIND(clWaitForEvents);
    BIND(clGetEventProfilingInfo);
    BIND(clReleaseEvent);
#undef BIND
    return there;
}
