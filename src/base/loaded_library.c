/* loaded_library.c: by dlopen, which POSIX has. */
#include "base/loaded_library.h"

#include <dlfcn.h>
#include <string.h>

void *rvi_library_load(const char *const *names, size_t count) {
    void *library = NULL;
    for (size_t i = 0; i < count && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* C has no cast from an object to a function, POSIX promises that the bytes are the same. */
bool rvi_library_find(void *library, const char *name, void *function, size_t size) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
    return symbol != NULL;
}
