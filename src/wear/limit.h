/* limit.h: fields that limit the steps after them, from images or from other fields. */
#ifndef RVI_WEAR_LIMIT_H
#define RVI_WEAR_LIMIT_H

#include "wear/job.h"

/* Prepares a step by which the field becomes the image stretched over the map, or the field `from`
 * held between 0 and 1; or 1 minus that. Where neither is named ("") the field is removed. */
rv_status rvi_limit_prepare(rvi_job *job, const char *field, const char *file, const char *from,
                            bool invert);

#endif
