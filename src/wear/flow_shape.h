/* flow_shape.h: what flow_device.c tells its kernels. */
#ifndef RVI_WEAR_FLOW_SHAPE_H
#define RVI_WEAR_FLOW_SHAPE_H

#include "base/math.h"

typedef struct rvi_flow_shape {
    uint64_t mixed, seed, when; /* mixed: rvi_mix() of the seed */
    int width, height;
    int across, down; /* tiles */
    float wander;
    int rain; /* 1: the discharge is asked for */
} rvi_flow_shape;

enum { RVI_FLOW_GROUP = 256, RVI_FLOW_WALKERS = 128 }; /* items that work on a tile, on a step */
enum { RVI_FLOW_FAR = 8 };    /* as many times as far jumps get in each round */
enum { RVI_FLOW_JUMPS = 16 }; /* rounds of them that get everywhere */

/* Numbers that kernels count with. */
enum {
    RVI_FLOW_PITS,
    RVI_FLOW_LISTED,
    RVI_FLOW_PASSES,
    RVI_FLOW_GOES,   /* the last round that has not got everywhere, from 1 on */
    RVI_FLOW_ROUNDS, /* of steps */
    RVI_FLOW_COUNTERS
};

#define RVI_FLOW_NONE 0xffffffffu

#endif
