/* buffers.h: working memory that is listed before it is allocated. A plan adds up the list that a
 * run allocates, so nobody counts the memory of a step a second time. */
#ifndef RVI_BASE_BUFFERS_H
#define RVI_BASE_BUFFERS_H

#include <ravine/ravine.h>

#include <stdbool.h>

enum { RVI_BUFFERS = 512 };

typedef struct rvi_buffer {
    void *pointer; /* the address of the pointer that will hold it */
    size_t count, size;
    const char *what; /* for the sentence when memory ends; NULL: the run allocates it */
} rvi_buffer;

/* All zero: an empty list. */
typedef struct rvi_buffers {
    rvi_buffer list[RVI_BUFFERS];
    int count;
    bool full;     /* more was listed: nothing is allocated */
    size_t kept;   /* bytes of what calls of the run allocate and keep */
    size_t passed; /* bytes of the call that allocates most, and frees all of it when it ends */
} rvi_buffers;

/* Lists `count` things of `size` bytes. `pointer` is the address of a pointer, which is NULL until
 * they are allocated and may be set to NULL by who takes them over. */
void rvi_buffers_add(rvi_buffers *buffers, void *pointer, size_t count, size_t size,
                     const char *what);
/* `pointer` is the address of a pointer to memory that the run allocates with rvi_alloc: freed with
 * the list. */
void rvi_buffers_own(rvi_buffers *buffers, void *pointer);
/* For what cannot be listed: memory that a call of the run allocates and keeps, or allocates and
 * frees again. */
void rvi_buffers_keep(rvi_buffers *buffers, size_t bytes);
void rvi_buffers_pass(rvi_buffers *buffers, size_t bytes);
/* What all of it takes from the memory limit at its peak; SIZE_MAX: more than can be addressed. */
size_t rvi_buffers_bytes(const rvi_buffers *buffers);

/* Allocates the list with rvi_alloc. On failure rvi_buffers_free is still to be called. */
rv_status rvi_buffers_alloc(rvi_buffers *buffers, rv_context *ctx);
void rvi_buffers_free(rvi_buffers *buffers, rv_context *ctx);

#endif
