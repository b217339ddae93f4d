/* resample_tap.h: what one old cell brings to a new one, for the processor and for devices. */
#ifndef RVI_TERRAIN_RESAMPLE_TAP_H
#define RVI_TERRAIN_RESAMPLE_TAP_H

typedef struct rvi_tap {
    double share;
    int at;     /* old cell */
    int unused; /* as large everywhere */
} rvi_tap;

#endif
