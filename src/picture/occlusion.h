/* occlusion.h: how much of the sky each cell of the land sees, and how high the land stands before
 * the sun. */
#ifndef RVI_PICTURE_OCCLUSION_H
#define RVI_PICTURE_OCCLUSION_H

#include "picture/occlusion_cell.h"
#include "picture/relief.h"

/* The finest level whose sides have at most so many samples. */
int rvi_light_level(const rvi_relief *relief, int side);

/* For each sample of a level the share of the sky's light that gets there, 0 to 1: 1 is what ground
 * that lies as it does would get with nothing around it. Looks `reach` metres far; heights count z
 * times. */
rv_status rvi_occlusion_make(const rvi_relief *relief, int level, float reach, float z, float *out);

/* For each sample of a level the tangent of the angle at which the land ends before the sky in the
 * direction (east, south); at least that of `lowest`, below which nothing is asked. */
rvi_sun_rules rvi_horizon_rules(const rvi_relief *relief, int level, float east, float south,
                                float lowest, float z);
rv_status rvi_horizon_make(const rvi_relief *relief, const rvi_sun_rules *rules, float *out);

/* What a device needs for the first: the rules, and of each cell of a row, for each direction and
 * distance, where the run of cells begins that it lies in; RVI_SKY_DIRECTIONS x rules->distances
 * rows of them. */
rvi_sky_rules rvi_occlusion_rules(const rvi_relief *relief, int level, float reach, float z);
void rvi_occlusion_runs(const rvi_relief *relief, const rvi_sky_rules *rules, int32_t *runs);

#endif
