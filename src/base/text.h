/* text.h: numbers and words as people write them, without locales. */
#ifndef RVI_BASE_TEXT_H
#define RVI_BASE_TEXT_H

#include <ravine/ravine.h>

/* Where a text begins: after the mark that some editors put before UTF-8. RV_ERROR_INPUT with a
 * sentence: it is UTF-16, which nothing here reads. `name` is for that sentence. */
rv_status rvi_text_begin(rv_context *ctx, const char *name, const void *text, size_t size,
                         size_t *begin);
/* The whole of text[0..size) as a number: 12, -3.5, 1e-3, 800k, 2M, 1G. false: it is not one. Up to
 * nineteen digits give the nearest double. */
bool rvi_text_number(const char *text, size_t size, double *out);
/* Digits only, exact to 2^64 - 1; false: not one or too large. */
bool rvi_text_uint(const char *text, size_t size, uint64_t *out);
/* x/y/z: three numbers. */
bool rvi_text_vector(const char *text, size_t size, double out[3]);
/* How many letters must be changed, added, left out or swapped to get from a to b. */
int rvi_text_distance(const char *a, size_t a_size, const char *b);
/* A number with so many digits, whose point is one in every locale; returns its bytes. */
size_t rvi_text_print(char *out, size_t room, int digits, double value);
/* The same with as many digits as give that double back, 15 at least. */
size_t rvi_text_exact(char *out, size_t room, double value);
bool rvi_text_is(const char *text, size_t size, const char *word); /* equal? */
bool rvi_text_ends(const char *text, const char *end);             /* case does not matter */
#endif
