/* land_cover.h: what lies on the ground at a place: rock, grass, sediment, snow, sand. */
#ifndef RVI_PICTURE_LAND_COVER_H
#define RVI_PICTURE_LAND_COVER_H

#include "picture/cover_cell.h"
#include "picture/picture_maker.h"

/* maker: NULL: the processor. snow: the line, NaN: where a sixth of the land is higher, when there
 * is relief for it. */
rv_status rvi_cover_prepare(const rvi_relief *relief, const rvi_detail_noise *detail, float snow,
                            bool dry, const rvi_picture_maker *maker, rvi_cover_rules *out);
/* Of the heights it looks at 4 x 4 around the samples of a grid of so many along each side. */
enum { RVI_COVER_GRID = 128 };
void rvi_cover_release(rvi_cover_rules *rules); /* of a zeroed one: nothing */

/* What a device gets of them. */
rvi_cover_numbers rvi_cover_numbers_of(const rvi_cover_rules *rules);

#endif
