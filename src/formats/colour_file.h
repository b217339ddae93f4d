/* colour_file.h: a small text file of named colours: a name and RRGGBB in each line, # comments. */
#ifndef RVI_FORMATS_COLOUR_FILE_H
#define RVI_FORMATS_COLOUR_FILE_H

#include <ravine/ravine.h>

enum { RVI_COLOURS = 64, RVI_COLOUR_NAME = 32 };

typedef struct rvi_named_colour {
    char name[RVI_COLOUR_NAME];
    uint32_t rgb; /* 0xRRGGBB */
    int line;     /* of the file, counted from 1 */
} rvi_named_colour;

/* All colours of a file, at most RVI_COLOURS; RV_ERROR_INPUT with a sentence that names the line.
 */
rv_status rvi_colours_read(rv_context *ctx, const char *path, rvi_named_colour out[RVI_COLOURS],
                           int *count);

#endif
