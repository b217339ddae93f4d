/* font.h: letters as strokes, for pictures that need words. */
#ifndef RVI_PICTURE_FONT_H
#define RVI_PICTURE_FONT_H

#include "picture/canvas.h"

typedef enum rvi_anchor { RVI_LEFT, RVI_MIDDLE, RVI_RIGHT } rvi_anchor;

/* Writes a line of ASCII whose capitals are `size` pixels high; (x, y) is on the base line. A
 * sign without a letter becomes a question mark. */
void rvi_font_write(rvi_canvas *canvas, float x, float y, float size, rvi_anchor anchor,
                    rvi_ink ink, const char *text);
/* The same from bottom to top, in the middle of (x, y). */
void rvi_font_write_upwards(rvi_canvas *canvas, float x, float y, float size, rvi_ink ink,
                            const char *text);
float rvi_font_width(float size, const char *text); /* in pixels */

#endif
