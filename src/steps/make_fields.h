/* make_fields.h: all fields that a step leaves behind, or none of them. */
#ifndef RVI_STEPS_MAKE_FIELDS_H
#define RVI_STEPS_MAKE_FIELDS_H

#include "terrain/state.h"

enum { RVI_FIELDS = 8 }; /* the most that a step may ask for at once */

/* After a failure the terrain has the fields it had before. */
static inline rv_status rvi_fields_make(rv_terrain *land, const char *const *names, int count,
                                        float **out) {
    bool had[RVI_FIELDS];
    for (int i = 0; i < count; i++) {
        had[i] = rvi_field_get(land, names[i]) != NULL;
        out[i] = rvi_field_make(land, names[i]);
        if (out[i])
            continue;
        for (int k = 0; k < i; k++)
            if (!had[k])
                rvi_field_drop(land, names[k]);
        return RV_ERROR_MEMORY;
    }
    return RV_OK;
}

#endif
