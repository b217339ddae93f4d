/* kernel_cache.h: kernels that a driver has compiled, kept in files for later runs: in the folder
 * RAVINE_CACHE, else ravine in XDG_CACHE_HOME, else .cache/ravine in HOME. An empty RAVINE_CACHE:
 * none are kept. What cannot be read or written is compiled again, and nobody is told. */
#ifndef RVI_DEVICE_KERNEL_CACHE_H
#define RVI_DEVICE_KERNEL_CACHE_H

#include "base/file.h"

/* False: there is none, or it is damaged. The bytes are the caller's to free. */
bool rvi_kernel_cache_read(rv_context *ctx, uint64_t key, rvi_bytes *out);
void rvi_kernel_cache_write(rv_context *ctx, uint64_t key, const void *binary, size_t size);

#endif
