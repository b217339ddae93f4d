/* creep.h: soil that creeps down every slope. */
#ifndef RVI_STEPS_RIVERS_CREEP_H
#define RVI_STEPS_RIVERS_CREEP_H

#include <ravine/ravine.h>

typedef struct rvi_creep {
    rv_context *ctx;
    int width, height;
    double *h;                  /* metres; changed in place */
    double *room;               /* as many */
    const unsigned char *fixed; /* not 0: stays as it is */
    const float *loose; /* share that moves, 0 to 1; the less loose of two counts; NULL: 1 */
    double number;      /* D dt / cell^2 */
} rvi_creep;

rv_status rvi_creep_run(rvi_creep *c); /* RV_CANCELLED: h is not whole */

#endif
