/* occlusion.h: how much of the sky each cell of the land sees, and how high the land stands before
 * the sun. */
#ifndef RVI_PICTURE_OCCLUSION_H
#define RVI_PICTURE_OCCLUSION_H

#include "picture/relief.h"

/* The finest level whose sides have at most so many samples. */
int rvi_light_level(const rvi_relief *relief, int side);

/* For each sample of a level the share of the sky's light that gets there, 0 to 1: 1 is what ground
 * that lies as it does would get with nothing around it. Looks `reach` metres far; heights count z
 * times. */
rv_status rvi_occlusion_make(const rvi_relief *relief, int level, float reach, float z, float *out);

/* For each sample of a level the tangent of the angle at which the land ends before the sky in the
 * direction (east, south); at least that of `lowest`, below which nothing is asked. */
rv_status rvi_horizon_make(const rvi_relief *relief, int level, float east, float south,
                           float lowest, float z, float *out);

#endif
