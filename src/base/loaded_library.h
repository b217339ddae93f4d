/* loaded_library.h: libraries that the program does without where the machine has none of them:
 * they are loaded when something needs them, and never linked. Where nothing can be loaded this is
 * left out, with those who use it. */
#ifndef RVI_BASE_LOADED_LIBRARY_H
#define RVI_BASE_LOADED_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* The first that is there, by the names that the machine looks for; NULL: none. Once loaded it
 * stays; to load it again costs nothing. */
void *rvi_library_load(const char *const *names, size_t count);

/* Sets a pointer to a function of that name; false: the library has none. */
bool rvi_library_find(void *library, const char *name, void *function, size_t size);

#endif
