/* rain.h: where drops fall, and how many of them, by an image of the rain. */
#ifndef RVI_WEAR_RAIN_H
#define RVI_WEAR_RAIN_H

#include "wear/job.h"

/* How much it rains, as running sums of whole numbers. */
typedef struct rvi_rain {
    uint32_t *cells; /* running sum within each row */
    uint64_t *rows;  /* running sum of the rows; NULL: it rains the same everywhere */
} rvi_rain;

/* Running sums over an image of width x height that holds 0 to 1, continued by a mirrored margin.
 * The first lists the memory, the second fills it. RV_ERROR_INPUT when the image is black
 * everywhere (`name` is for the message). */
void rvi_rain_prepare(rvi_rain *rain, int width, int height, int margin, rvi_buffers *buffers);
rv_status rvi_rain_make(rv_context *ctx, const float *image, int width, int height, int margin,
                        const char *name, rvi_rain *rain);
/* Where the rain is not given by an image, the field of the land that says where it falls; "": it
 * rains the same everywhere, or there is an image. */
const char *rvi_rain_field(const rv_terrain *land, const char *file);
/* The same for an image in a file, stretched over the map, or else for that field. */
rv_status rvi_rain_list(rvi_job *job, const char *file, int margin, rvi_rain *rain);
rv_status rvi_rain_load(rvi_job *job, const char *file, int margin, rvi_rain *rain);

#endif
