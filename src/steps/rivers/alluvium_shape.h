/* alluvium_shape.h: how alluvium_device.c cuts the work of its kernels. */
#ifndef RVI_STEPS_RIVERS_ALLUVIUM_SHAPE_H
#define RVI_STEPS_RIVERS_ALLUVIUM_SHAPE_H

enum { RVI_FAN_GROUP = 128 };   /* items that work on a fan */
enum { RVI_FAN_SIDES = 4 };     /* of a ring of one */
enum { RVI_SPILL_TILE = 32 };   /* cells along a side of a tile in which alluvium spills */
enum { RVI_SPILL_GROUP = 256 }; /* items that work on one */

#endif
