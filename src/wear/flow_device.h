/* flow_device.h: where the water of every cell goes, found on a device, and work along the rivers
 * there. */
#ifndef RVI_WEAR_FLOW_DEVICE_H
#define RVI_WEAR_FLOW_DEVICE_H

#include "device/device.h"
#include "measure/flowgraph.h"
#include "wear/flow_shape.h"

/* Bytes that a group of these kernels, and of those that walk, may have to itself. */
enum { RVI_FLOW_SHARED = 48 << 10 };

typedef struct rvi_flow_device {
    rvi_flow *f;
    rvi_device *d;    /* set before routing */
    uint16_t *levels; /* of each tile, in its order: where each level ends */
    uint32_t *few;    /* where each round begins, as long as they are few */
    uint32_t *counters;
    uint32_t *jumped;  /* of each round of jumps: has it not got everywhere? */
    uint64_t *ways[2]; /* of cells of the rims of tiles: to where, and how many tiles away */
    uint32_t *sums[3]; /* what leaves the tile there, and what comes there */
    uint64_t *tour[2]; /* around the tree of basins */
    size_t rounds;     /* of steps; f->block: where each begins */
} rvi_flow_device;

/* Lists what it needs beside rvi_flow_prepare(). */
void rvi_flow_device_list(rvi_flow_device *r, rvi_flow *f, rvi_buffers *buffers);

/* As rvi_flow_route(); directions, areas, discharge, basins and what is drowned are on the device
 * then. Without lakes `basin`, `drowned` and `spill` there mean nothing. */
rv_status rvi_flow_device_route(rvi_flow_device *r);

/* The two halves of that. Only the levels of lakes, `basin` and `spill`, as rvi_flow_level() needs
 * them; and, from directions that are on the device, areas, discharge and the order to walk in. */
rv_status rvi_flow_device_fill(rvi_flow_device *r);
rv_status rvi_flow_device_order(rvi_flow_device *r);

/* What lies under a lake, the basins, and the levels at which they spill: FLOW_LAKES_ARGS of a
 * kernel, all NULL where no lakes were found. */
#define RVI_FLOW_LAKES(f)                                                                          \
    (rvi_device_arg){RVI_DEVICE_READ, (f)->lakes ? (f)->drowned : NULL,                            \
                     (f)->cells * sizeof *(f)->drowned},                                           \
        (rvi_device_arg){RVI_DEVICE_READ, (f)->lakes ? (f)->basin : NULL,                          \
                         (f)->cells * sizeof *(f)->basin},                                         \
        (rvi_device_arg) {                                                                         \
        RVI_DEVICE_READ, (f)->lakes ? (f)->spill : NULL, rvi_flow_basins(f) * sizeof *(f)->spill   \
    }

/* What kernels are told of it. */
rvi_flow_shape rvi_flow_shape_of(const rvi_flow *f);

/* Queues a kernel that walks (flow_walk.h) for all rounds of steps, up or down the rivers; `args`
 * follow the arguments that all of them have. */
rv_status rvi_flow_device_walk(rvi_flow_device *r, bool up, const char *file, const char *name,
                               const rvi_device_arg *args, int count);

#endif
