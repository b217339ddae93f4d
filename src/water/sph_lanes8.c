/* sph_lanes8.c: the passes over neighbours for AVX2. */
#include "water/sph_state.h"

#if defined(__x86_64__)
#define LANES 8
#define UNIT __attribute__((target("avx2")))
#include "water/sph_passes.inc"

const rvi_sph_passes rvi_sph_passes_8 = PASSES;
#endif
