/* buffers.c: working memory that is listed before it is allocated. */
#include "base/buffers.h"
#include "base/context.h"

#include <assert.h>
#include <string.h>

void rvi_buffers_add(rvi_buffers *buffers, void *pointer, size_t count, size_t size,
                     const char *what) {
    assert(buffers->count < RVI_BUFFERS);
    if (buffers->count == RVI_BUFFERS) {
        buffers->full = true;
        return;
    }
    buffers->list[buffers->count++] = (rvi_buffer){pointer, count, size, what};
}

void rvi_buffers_own(rvi_buffers *buffers, void *pointer) {
    rvi_buffers_add(buffers, pointer, 0, 0, NULL);
}

void rvi_buffers_keep(rvi_buffers *buffers, size_t bytes) {
    buffers->kept = rvi_add_sizes(buffers->kept, bytes);
}

void rvi_buffers_pass(rvi_buffers *buffers, size_t bytes) {
    buffers->passed = bytes > buffers->passed ? bytes : buffers->passed;
}

size_t rvi_buffers_bytes(const rvi_buffers *buffers) {
    size_t sum = rvi_add_sizes(buffers->kept, buffers->passed);
    for (int i = 0; i < buffers->count; i++) {
        const rvi_buffer *b = &buffers->list[i];
        sum = rvi_add_sizes(sum, b->what ? rvi_alloc_size(b->count, b->size) : 0);
    }
    return sum;
}

/* Pointers of all types look alike. */
static void *get_pointer(const rvi_buffer *b) {
    void *memory;
    memcpy(&memory, b->pointer, sizeof memory);
    return memory;
}

static void set_pointer(const rvi_buffer *b, void *memory) {
    memcpy(b->pointer, &memory, sizeof memory);
}

rv_status rvi_buffers_alloc(rvi_buffers *buffers, rv_context *ctx) {
    if (buffers->full)
        return rvi_fail(ctx, RV_ERROR_INTERNAL, "A step needs more than %d pieces of memory.",
                        RVI_BUFFERS);
    for (int i = 0; i < buffers->count; i++) {
        const rvi_buffer *b = &buffers->list[i];
        if (!b->what)
            continue;
        void *memory = rvi_alloc(ctx, b->count, b->size, b->what);
        set_pointer(b, memory);
        if (!memory)
            return RV_ERROR_MEMORY;
    }
    return RV_OK;
}

void rvi_buffers_free(rvi_buffers *buffers, rv_context *ctx) {
    for (int i = 0; i < buffers->count; i++) {
        rvi_free(ctx, get_pointer(&buffers->list[i]));
        set_pointer(&buffers->list[i], NULL);
    }
    *buffers = (rvi_buffers){.count = 0};
}
