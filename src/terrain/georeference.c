/* georeference.c: where the land lies on a map. */
#include "terrain/georeference.h"

#include <string.h>

static bool is_within(double value, double most) {
    return value >= -most && value <= most;
}

bool rvi_georeference_right(const rvi_georeference *g) {
    bool none = g->step_x == 0.0 && g->step_y == 0.0;
    for (int i = 0; i < g->double_count && i < RVI_GEO_DOUBLES; i++)
        if (!is_within(g->doubles[i], 1e300))
            return false;
    bool some = g->step_x > 0.0 && g->step_x < 1e12 && g->step_y > 0.0 && g->step_y < 1e12;
    return (none || some) && is_within(g->x, 1e15) && is_within(g->y, 1e15) && g->key_count >= 0 &&
           g->key_count <= RVI_GEO_KEYS && g->double_count >= 0 &&
           g->double_count <= RVI_GEO_DOUBLES && memchr(g->text, 0, RVI_GEO_TEXT) != NULL &&
           memchr(g->prj, 0, RVI_GEO_TEXT) != NULL;
}
