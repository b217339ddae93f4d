/* device_range.cl: the lowest and highest of many values, a part of them an item. */
#include "device/prelude.cl"

__kernel void range_parts(__global const float *values, ulong count, __global float2 *parts) {
    size_t items = get_global_size(0), i = get_global_id(0);
    float low = values[0], high = low;
    for (; i < count; i += items) {
        float v = values[i];
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    parts[get_global_id(0)] = (float2)(low, high);
}
