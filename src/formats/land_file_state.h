/* land_file_state.h: what the writer and the reader of land files share. */
#ifndef RVI_FORMATS_LAND_FILE_STATE_H
#define RVI_FORMATS_LAND_FILE_STATE_H

#include "formats/land_file.h"
#include "terrain/bands.h"

enum {
    RVI_LAND_VERSION = 1,
    RVI_LAND_LAYERS = 1000,                  /* at most */
    RVI_LAND_STRATA = 8 + 2 + 2 * RVI_BANDS, /* numbers of strata */
    RVI_LAND_PLACE = 8,                      /* numbers of hardness_place */
    RVI_LAND_MAP = 5,                        /* numbers of map */
};

/* A name that a layer or a field can have. */
bool rvi_land_name_right(const char *name, size_t size);

#endif
