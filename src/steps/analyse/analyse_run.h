/* analyse_run.h: what analyse.c works with. Used by analyse.c alone. */
#ifndef RVI_STEPS_ANALYSE_ANALYSE_RUN_H
#define RVI_STEPS_ANALYSE_ANALYSE_RUN_H

#include "measure/network.h"
#include "measure/surface.h"
#include "steps/analyse/analyse_cell.h"
#include "steps/step.h"
#include "wear/flow_device.h"

enum {
    RVI_AREA,
    RVI_RECEIVER,
    RVI_ORDER,
    RVI_SLOPE,
    RVI_CURVATURE,
    RVI_DISTANCE,
    RVI_ANALYSED /* fields */
};

typedef struct rvi_analysis {
    const rv_analyse_params *p;
    bool files; /* of streams are to be written */
    rvi_ground ground;
    rvi_drainage drainage;
    rvi_network network;
    float *distance; /* metres to the channel */
    float *outlet;   /* metres to where the water leaves */
    uint32_t *owner; /* stream of each cell */
    uint32_t *start; /* first cells of streams; then what follows is their room */
    float *out[RVI_ANALYSED];
    /* Only on a device. */
    rvi_flow flow;
    rvi_flow_device on;
    double *heights;
    unsigned char *kind, *fixed, *orders;
    unsigned char
        *level; /* of a cell without a way down: which neighbours are as high, a bit each */
    float *filled;
    uint32_t *steps;   /* to where a flat spills */
    uint32_t *changed; /* of each tile: the last round in which steps in it changed */
    uint32_t *last;    /* the same of all of them */
    uint32_t *counts;
    uint32_t *receiver;
} rvi_analysis;

/* ---- analyse_device.c ---- */

void rvi_analyse_device_list(rvi_analysis *a, rvi_job *job);
/* Finds where water goes; sets `network` but for its orders, which stay on the device. *streams:
 * how many there are. */
rv_status rvi_analyse_device_run(rvi_analysis *a, rvi_device *d, const rv_terrain *land,
                                 uint32_t *streams);
/* Brings what files of streams need. */
rv_status rvi_analyse_device_fetch(rvi_analysis *a, rvi_device *d, const rv_terrain *land);
rv_status rvi_analyse_device_fields(const rvi_analysis *a, rvi_device *d, const rv_terrain *land);

#endif
