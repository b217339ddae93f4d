/* sph_lanes16.c: the passes over neighbours for AVX-512. */
#include "water/sph_state.h"

#if defined(__x86_64__)
/* Without optimisation gcc's instructions are macros, with casts that it would warn of here. */
#pragma GCC diagnostic ignored "-Wsign-conversion"
#define LANES 16
#define UNIT __attribute__((target("avx512f")))
#include "water/sph_passes.inc"

const rvi_sph_passes rvi_sph_passes_16 = PASSES;
#endif
