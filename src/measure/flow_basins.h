/* flow_basins.h: where basins spill, and water that is led on from there. Used by flowgraph.c
 * alone. */
#ifndef RVI_MEASURE_FLOW_BASINS_H
#define RVI_MEASURE_FLOW_BASINS_H

#include "measure/flowgraph.h"

void rvi_basins_prepare(rvi_flow *f, rvi_buffers *buffers);

/* With `basin` and `basins.count` given: finds `spill` and turns directions, so that water leaves
 * every basin; marks in `turned` the tiles where they changed. */
rv_status rvi_basins_drain(rvi_flow *f);

#endif
