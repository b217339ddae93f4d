/* column_sums.cl: column_sums.c on a device, an entry of a lane of a block an item. */
#include "device/prelude.cl"
#include "wear/column_lane.h"

__kernel void column_lanes(__global const double *restrict columns, __global double *restrict lanes,
                           int entries, int first, int width, ulong stride) {
    int item = (int)get_global_id(0), block = (int)get_global_id(1);
    if (item >= RVI_COLUMN_LANES * entries)
        return;
    size_t begin = ((size_t)block * stride + (size_t)first) * (size_t)entries;
    lanes[(size_t)block * (size_t)(RVI_COLUMN_LANES * entries) + (size_t)item] =
        rvi_column_lane(columns + begin, entries, item % entries, item / entries, width);
}
