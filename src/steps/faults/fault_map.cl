/* fault_map.cl: faults.c on a device, a cell an item. */
#include "device/prelude.cl"
#include "steps/faults/fault_cell.h"

/* Faults `first` to `end`. */
__kernel void break_cells(__global const rvi_fault *faults, __global float *made, int first, int end, int width,
                          double step, int lines, int profile) {
    int x = (int)get_global_id(0), row = (int)get_global_id(1);
    if (x >= width)
        return;
    size_t at = (size_t)row * (size_t)width + (size_t)x;
    double y = (double)row * step;
    float sum = made[at];
    for (int i = first; i < end; i++) {
        __global const rvi_fault *f = &faults[i];
        double d = lines ? rvi_fault_from_line(f, rvi_fault_line(f, y), step, x)
                         : rvi_fault_from_circle(f, y - f->y, step, x);
        sum += rvi_fault_rise(profile, f->height, d);
    }
    made[at] = sum;
}
