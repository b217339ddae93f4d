/* spectrum.h: how the power of the heights falls with the wave number. */
#ifndef RVI_MEASURE_SPECTRUM_H
#define RVI_MEASURE_SPECTRUM_H

#include "measure/ground.h"

typedef struct rvi_spectrum {
    double slope; /* b, where the power is as k^-b */
    int window;   /* cells along its side */
} rvi_spectrum;

rv_status rvi_spectrum_measure(const rvi_ground *ground, rvi_spectrum *out);

#endif
