/* kernels.h: the texts of the kernels, which cmake/kernels.cmake puts into the program. */
#ifndef RVI_DEVICE_KERNELS_H
#define RVI_DEVICE_KERNELS_H

#include <stddef.h>

typedef struct rvi_kernel_text {
    const char *file; /* its name without .cl */
    const char *text; /* with all that it includes */
    size_t size;
} rvi_kernel_text;

extern const rvi_kernel_text rvi_kernel_texts[];
extern const int rvi_kernel_text_count;

#endif
