/* hillslope.h: hillslope diffusion: soil that creeps down every slope. Used by rivers.c alone. */
#ifndef RVI_STEPS_RIVERS_HILLSLOPE_H
#define RVI_STEPS_RIVERS_HILLSLOPE_H

#include "steps/rivers/river_cell.h"

#include <ravine/ravine.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct rvi_hillslope {
    rv_context *ctx;
    int width, height;
    const double *from;         /* heights before, metres */
    double *to;                 /* heights after; may be the same grid */
    double *scratch;            /* as many */
    const unsigned char *fixed; /* not 0: stays as it is */
    const float *loose;  /* share that moves, 0 to 1; the less loose of two counts; NULL: 1 */
    double number;       /* D dt / cell^2 */
    bool columns_first;  /* else rows are */
    rvi_side_flux *flux; /* rvi_hillslope_parts() of them: what crept in each part of the work;
                            NULL: not asked for */
} rvi_hillslope;

size_t rvi_hillslope_parts(int width, int height);
rv_status rvi_hillslope_run(const rvi_hillslope *s); /* RV_CANCELLED: `to` is not whole */

#endif
