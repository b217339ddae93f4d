/* palette.h: the colours of a picture. */
#ifndef RVI_PICTURE_PALETTE_H
#define RVI_PICTURE_PALETTE_H

#include "picture/land_cover.h"
#include "picture/palette_cell.h"
#include "picture/sky.h"

const rvi_palette *rvi_palette_of(rvi_look look);

/* Sets a colour (sRGB bytes) of a palette by its name; false: there is none of that name. */
bool rvi_palette_set(rvi_palette *palette, const char *name, uint32_t rgb);
extern const char *const rvi_palette_names; /* all of them, separated by blanks */

#endif
