/* program_none.c: stands for program.c on machines that run no other programs. */
#include "base/program.h"

bool rvi_program_there(const char *name) {
    (void)name;
    return false;
}

rv_status rvi_program_run(rv_context *ctx, const char *const *words, int *code) {
    (void)ctx, (void)words;
    *code = RVI_PROGRAM_MISSING;
    return RV_OK;
}
