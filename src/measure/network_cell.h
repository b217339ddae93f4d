/* network_cell.h: Strahler's order of one cell, for the processor and for devices. */
#ifndef RVI_MEASURE_NETWORK_CELL_H
#define RVI_MEASURE_NETWORK_CELL_H

#include "base/math.h"

enum { RVI_ORDERS = 20 };

/* Of a channel below others of which `above` is the highest order, 0: there are none; tie: at least
 * two of them have it. */
static inline int rvi_stream_order(int above, int tie) {
    return rvi_mini(RVI_ORDERS, above == 0 ? 1 : tie ? above + 1 : above);
}

#endif
