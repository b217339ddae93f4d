/* picture_maker.h: who makes the parts of a picture instead of the processor: a device. */
#ifndef RVI_PICTURE_PICTURE_MAKER_H
#define RVI_PICTURE_PICTURE_MAKER_H

#include "picture/relief.h"

struct rvi_view_work;

/* The grids of the land, and what these functions fill, may be there alone: the host's are old,
 * except where `bring` was asked for. */
typedef struct rvi_picture_maker {
    void *arg;
    /* rvi_relief_create() of a fine one. */
    rv_status (*relief)(void *arg, const rv_terrain *land, float depth, rvi_relief *out);
    /* The host gets some numbers of a grid that has `size` of them. */
    rv_status (*bring)(void *arg, const float *grid, size_t size, const uint64_t *cells,
                       size_t count);
    /* rvi_overlay_limit() */
    rv_status (*limit)(void *arg, const rv_terrain *land, const float *values, float *limit);
    /* Where the lowest band of the bedrock begins in each cell. */
    rv_status (*edges)(void *arg, const rv_terrain *land, float *edges);
    /* Fills the grids of trees, of the light and of the picture. */
    rv_status (*trees)(void *arg, struct rvi_view_work *work, float tall);
    rv_status (*light)(void *arg, struct rvi_view_work *work);
    rv_status (*draw)(void *arg, struct rvi_view_work *work);
} rvi_picture_maker;

#endif
