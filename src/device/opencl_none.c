/* opencl_none.c: stands for opencl.c where no library can be loaded. */
#include "device/opencl.h"

bool rvi_opencl_load(rvi_opencl *cl) {
    (void)cl;
    return false;
}
