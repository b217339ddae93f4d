/* sph_lanes4.c: the passes over neighbours for any vector unit. */
#define LANES 4
#define UNIT
#include "water/sph_passes.inc"

const rvi_sph_passes rvi_sph_passes_4 = PASSES;
