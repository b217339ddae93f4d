/* limit.h: fields that limit the steps after them, read from images. */
#ifndef RVI_WEAR_LIMIT_H
#define RVI_WEAR_LIMIT_H

#include "wear/job.h"

/* Prepares a step by which the field becomes the image stretched over the map, or 1 minus it;
 * without a file the field is removed. */
rv_status rvi_limit_prepare(rvi_job *job, const char *field, const char *file, bool invert);

#endif
