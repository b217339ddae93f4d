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

#endif
