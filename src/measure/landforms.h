/* landforms.h: which of ten landforms a cell is part of. */
#ifndef RVI_MEASURE_LANDFORMS_H
#define RVI_MEASURE_LANDFORMS_H

#include "measure/ground.h"

enum { RVI_LANDFORMS = 10 };
extern const char *const rvi_landform_names[RVI_LANDFORMS + 1]; /* [0] is none */

typedef struct rvi_landforms {
    unsigned char *form;             /* of each cell: 1 to 10; 0: at the edge or a hole */
    double share[RVI_LANDFORMS + 1]; /* of the cells that have one */
} rvi_landforms;

/* `look` cells far in each of eight directions; what differs by less than `flat` degrees is level.
 */
rv_status rvi_landforms_measure(const rvi_ground *ground, int look, float flat, rvi_landforms *out);
void rvi_landforms_free(const rvi_ground *ground, rvi_landforms *forms);

#endif
