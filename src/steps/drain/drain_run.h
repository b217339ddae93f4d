/* drain_run.h: what drain.c works with. Used by drain.c alone. */
#ifndef RVI_STEPS_DRAIN_DRAIN_RUN_H
#define RVI_STEPS_DRAIN_DRAIN_RUN_H

#include "measure/flowgraph.h"
#include "steps/step.h"
#include "wear/flow_device.h"

typedef struct rvi_draining {
    rvi_job *job;
    const rv_drain_params *p;
    rvi_flow flow;
    size_t cells;
    double *h;            /* the surface, of kept lakes their level */
    double *z;            /* the same while it is changed */
    unsigned char *fixed; /* 1: water may leave here */
    unsigned char *kept;  /* 1: under a lake that stays; NULL: none does */
    uint32_t *lake;       /* the cell that the lake of a cell spills to */
    float *deepest;       /* of the lake that spills to a cell */
    double cut;
    float *water, *eroded, *deposited; /* fields; water only where lakes are kept */
    /* Only on a device. */
    rvi_flow_device on;
    float *parts; /* of a range */
    float *rest;  /* what is still to be taken from the layers of a cell; NULL: bare rock */
} rvi_draining;

/* Is there nothing but bedrock, and does no mask hold it back? */
bool rvi_drain_bare(const rv_terrain *land);
/* How deep it may cut, on land from `low` to `high`. */
void rvi_drain_set_cut(rvi_draining *d, float low, float high);

/* ---- drain_device.c ---- */

void rvi_drain_device_list(rvi_draining *d);
rv_status rvi_drain_device_run(rvi_draining *d);
/* Changes the land; *raised and *eroded: by how much, metres on one cell. */
rv_status rvi_drain_device_change(const rvi_draining *d, double *raised, double *eroded);

#endif
