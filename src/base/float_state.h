/* float_state.h: how a thread rounds, what it does with subnormal numbers and with floating-point
 * exceptions. The same bits everywhere need round to nearest, subnormal numbers as they are, and no
 * traps; the program that calls the library may have set something else, and one that was linked
 * with -ffast-math has. */
#ifndef RVI_BASE_FLOAT_STATE_H
#define RVI_BASE_FLOAT_STATE_H

#include <stdint.h>

#if defined(__x86_64__) || defined(__aarch64__) || defined(__wasm__)
/* x86: MXCSR and the control word of the x87; ARM: FPCR and FPSR. WebAssembly has no such state. */
typedef struct rvi_float_state {
    uint64_t first, second;
} rvi_float_state;
#else
#include <fenv.h>
typedef fenv_t rvi_float_state;
#endif

rvi_float_state rvi_float_state_get(void); /* of this thread */
void rvi_float_state_set(const rvi_float_state *state);
void rvi_float_state_set_own(void); /* the one that the library computes in */

#endif
