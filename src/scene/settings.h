/* settings.h: the settings file of V. Skorkovska, Modeling of Erosion Impacts on the Terrain
 * (2012), appendix B, as words of a scene. */
#ifndef RVI_SCENE_SETTINGS_H
#define RVI_SCENE_SETTINGS_H

#include "base/context.h"

/* Does a text begin like settings: is the first word of its first line m, f, p, d or s? Comments
 * and lines of dashes are left aside. */
bool rvi_settings_are(const char *text);

/* The same scene in words; *out is from rvi_alloc. `text` ends with a zero. */
rv_status rvi_settings_read(rv_context *ctx, const char *text, const char *name, char **out);

#endif
