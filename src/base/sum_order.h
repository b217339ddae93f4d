/* sum_order.h: the order in which many values are added up, on the processor and on devices. Blocks
 * of values, in each of them lanes: lane k adds up every RVI_SUM_LANES-th value from k on. */
#ifndef RVI_BASE_SUM_ORDER_H
#define RVI_BASE_SUM_ORDER_H

enum { RVI_SUM_LANES = 8, RVI_SUM_BLOCK = 1 << 16 };

static inline double rvi_sum_of_lanes(const double *lanes) {
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

#endif
