/* drainage.h: where water goes: depressions filled, one way down for every cell, what drains where.
 */
#ifndef RVI_MEASURE_DRAINAGE_H
#define RVI_MEASURE_DRAINAGE_H

#include "measure/drainage_cell.h"

#include <ravine/ravine.h>

/* Cells at the edge of the map or of a hole are outlets. */
typedef struct rvi_drainage {
    int width, height;
    size_t count;       /* cells that are no holes */
    float *filled;      /* level of lakes that spill, else the height; NaN in holes */
    uint32_t *receiver; /* where its water goes on to; an outlet or a hole: itself */
    uint32_t *order;    /* `count` cells, every receiver before its donors, by rising level */
    uint32_t *area;     /* cells whose water comes through, itself among them; 0 in holes */
} rvi_drainage;

/* `kind` is one of RVI_LAND, RVI_OUTLET and RVI_HOLE for each cell, NULL: all land. On failure
 * `out` is empty. */
rv_status rvi_drainage_make(rv_context *ctx, int width, int height, const float *heights,
                            const unsigned char *kind, rvi_drainage *out);
size_t rvi_drainage_bytes(int width, int height);         /* what that needs at its peak */
void rvi_drainage_free(rv_context *ctx, rvi_drainage *d); /* an empty one is fine */

/* Flow in any direction, shared by the two cells it runs between; where the filled surface is flat
 * all goes to the receiver. */
typedef struct rvi_spread {
    float *slope;     /* metres down for each metre; 0 where it is flat, NaN in holes */
    float *direction; /* radians from the east, growing northwards, 0 to 2 pi; NaN where flat */
    double *area;     /* cells, itself among them; 0 in holes */
} rvi_spread;

rv_status rvi_spread_make(rv_context *ctx, const rvi_drainage *d, float cell, rvi_spread *out);
void rvi_spread_free(rv_context *ctx, rvi_spread *s);

#endif
