/* program.h: the only place that runs other programs. */
#ifndef RVI_BASE_PROGRAM_H
#define RVI_BASE_PROGRAM_H

#include <ravine/ravine.h>

enum { RVI_PROGRAM_MISSING = 127 };

/* Is there such a program in PATH? */
bool rvi_program_there(const char *name);

/* Runs a program to its end: words[0] is looked for in PATH, NULL follows the last word. It reads
 * nothing and its messages are dropped. *code is what it returned, 128 + n after signal n,
 * RVI_PROGRAM_MISSING when there is no such program. RV_CANCELLED: it was stopped with the run. */
rv_status rvi_program_run(rv_context *ctx, const char *const *words, int *code);

#endif
