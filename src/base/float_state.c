/* float_state.c: the floating-point state of a thread, read and set (see float_state.h). */
#include "base/float_state.h"

#if defined(__x86_64__)

/* All exceptions masked, round to nearest, neither FTZ (bit 15) nor DAZ (bit 6); for the x87 also
 * full precision. C libraries ask the x87 how to round when they print numbers. */
enum { OWN_MXCSR = 0x1f80, OWN_X87 = 0x037f };

rvi_float_state rvi_float_state_get(void) {
    uint32_t mxcsr;
    uint16_t x87;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87) : : "memory");
    return (rvi_float_state){mxcsr, x87};
}

void rvi_float_state_set(const rvi_float_state *state) {
    uint32_t mxcsr = (uint32_t)state->first;
    uint16_t x87 = (uint16_t)state->second;
    __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(x87) : "memory");
}

void rvi_float_state_set_own(void) {
    rvi_float_state_set(&(rvi_float_state){OWN_MXCSR, OWN_X87});
}

#elif defined(__aarch64__)

rvi_float_state rvi_float_state_get(void) {
    rvi_float_state state;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr"
                     : "=r"(state.first), "=r"(state.second)
                     :
                     : "memory");
    return state;
}

void rvi_float_state_set(const rvi_float_state *state) {
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1"
                     :
                     : "r"(state->first), "r"(state->second)
                     : "memory");
}

/* Zero: round to nearest, no flush to zero, no default NaN, no traps. */
void rvi_float_state_set_own(void) {
    rvi_float_state_set(&(rvi_float_state){0, 0});
}

#elif defined(__wasm__)

rvi_float_state rvi_float_state_get(void) {
    return (rvi_float_state){0, 0};
}

void rvi_float_state_set(const rvi_float_state *state) {
    (void)state;
}

void rvi_float_state_set_own(void) {
}

#else

rvi_float_state rvi_float_state_get(void) {
    rvi_float_state state;
    fegetenv(&state);
    return state;
}

void rvi_float_state_set(const rvi_float_state *state) {
    fesetenv(state);
}

void rvi_float_state_set_own(void) {
    fesetenv(FE_DFL_ENV);
}

#endif
