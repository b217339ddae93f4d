/* map_image.h: images that hold 0 to 1 for every place of the map. */
#ifndef RVI_WEAR_MAP_IMAGE_H
#define RVI_WEAR_MAP_IMAGE_H

#include "wear/job.h"

/* Lists what rvi_map_image_load() allocates. The image may be larger than the map, and a step
 * before may write it. "": there is none. The image in *kept stays until the end and is freed then;
 * kept NULL: the run frees it. */
rv_status rvi_map_image_list(rvi_job *job, const char *file, float **kept);

/* The image in `file`, 0 to 1, stretched over the map; *out is from rvi_alloc. */
rv_status rvi_map_image_load(rvi_job *job, const char *file, float **out);

/* The same of an image or a field of the land, below 0 taken as 0 and above 1 as 1. What is both or
 * not there is refused; `purpose`: what it is for, such as "to limit steps by". */
rv_status rvi_map_values_list(rvi_job *job, const char *file, const char *field,
                              const char *purpose, float **kept);
rv_status rvi_map_values_load(rvi_job *job, const char *file, const char *field, float **out);

#endif
