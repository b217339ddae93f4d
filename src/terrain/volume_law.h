/* volume_law.h: what says how hard the bedrock is in three dimensions, beside samples. */
#ifndef RVI_TERRAIN_VOLUME_LAW_H
#define RVI_TERRAIN_VOLUME_LAW_H

#include "base/math.h"

/* Lengths are metres; there are no gaps between the members. */
#define RVI_VOLUME_MEMBERS                                                                         \
    double x, y;                   /* of cell (0, 0), in the map that it was made for */           \
    double step_x, step_y, step_z; /* between samples; of noise: its largest features */           \
    double low;                    /* height of the lowest samples */                              \
    uint64_t seed;                 /* of the noise */                                              \
    int32_t slices, rows, columns; /* of the samples; all 0: there are none */                     \
    int32_t octaves;               /* of the noise; 0: there is none */                            \
    float noise;                   /* how hard the hardest of it is */                             \
    uint32_t unused

typedef struct rvi_volume_law {
    RVI_VOLUME_MEMBERS;
} rvi_volume_law;

#endif
