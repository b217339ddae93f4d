/* geo_keys.c: the keys of GeoTIFF (OGC 19-008r4) and the words of a .prj that say what the unit of
 * a map is. All others are kept as they are and not looked at. */
#include "formats/geo_keys.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/text.h"

enum {
    KEY_MODEL = 1024, /* 1 projected, 2 geographic */
    KEY_PROJECTED = 3072,
    KEY_UNIT = 3076,
    KEY_UNIT_SIZE = 3077,
    IN_DOUBLES = 34736, /* the tag that holds values of keys which are no small whole numbers */
    METRE = 9001,
    FOOT = 9002,
    FOOT_US = 9003,
};

/* The directory is quadruples: key, tag that holds the value (0: none), count, value or its index.
 */
static bool find_key(const rvi_georeference *g, int key, double *out) {
    for (int i = 4; i + 3 < g->key_count; i += 4) {
        if (g->keys[i] != key)
            continue;
        int value = g->keys[i + 3];
        bool indirect = g->keys[i + 1] == IN_DOUBLES;
        if ((indirect && value >= g->double_count) || (!indirect && g->keys[i + 1] != 0))
            return false;
        *out = indirect ? g->doubles[value] : value;
        return true;
    }
    return false;
}

bool rvi_geo_keys_are_points(const rvi_georeference *g) {
    double value;
    return find_key(g, RVI_GEO_KEY_RASTER, &value) && value == 2.0;
}

int rvi_geo_epsg(const rvi_georeference *g) {
    double number;
    return find_key(g, KEY_PROJECTED, &number) && number < 32767.0 ? (int)number : 0;
}

/* Nobody has land of a few metres in cells of centimetres that begins within 180 and 90 of the
 * origin; who has says cell=. */
static bool looks_like_degrees(const rvi_georeference *g, int width, int height) {
    double east = g->x + width * g->step_x, south = g->y - height * g->step_y;
    return g->step_x < 0.02 && g->step_y < 0.02 && g->x >= -181.0 && east <= 361.0 &&
           g->y <= 91.0 && south >= -91.0;
}

/* The last UNIT of a .prj is that of its lengths. */
static double prj_unit(const char *prj) {
    const char *unit = NULL;
    double size;
    if (strncmp(prj, "GEOGC", 5) == 0 || strncmp(prj, "GEODC", 5) == 0)
        return 0.0;
    for (const char *at = strstr(prj, "UNIT["); at != NULL; at = strstr(at + 1, "UNIT["))
        unit = at;
    const char *comma = unit ? strchr(unit, ',') : NULL;
    if (comma == NULL || !rvi_text_number(comma + 1, strcspn(comma + 1, ",]"), &size))
        return 1.0;
    return size > 0.0 && size < 1e6 ? size : 1.0;
}

double rvi_geo_unit(const rvi_georeference *g, int width, int height) {
    double model = 0.0, unit = METRE, size = 1.0;
    if (g->prj[0] != '\0')
        return prj_unit(g->prj);
    if (!find_key(g, KEY_MODEL, &model))
        return looks_like_degrees(g, width, height) ? 0.0 : 1.0;
    if (model == 2.0)
        return 0.0;
    find_key(g, KEY_UNIT, &unit);
    if (unit == FOOT)
        return 0.3048;
    if (unit == FOOT_US)
        return 1200.0 / 3937.0;
    bool own = unit != METRE && find_key(g, KEY_UNIT_SIZE, &size) && size > 0.0 && size < 1e6;
    return own ? size : 1.0;
}

rv_status rvi_georeference_turned(rv_context *ctx, const char *name) {
    return rvi_fail(ctx, RV_ERROR_INPUT,
                    "%s is turned: its rows do not run from west to east, from north to south; "
                    "gdalwarp %s straight.tif makes one that does.",
                    name, name);
}

/* The zone of UTM that holds the middle of the map, and a round number of metres near the height of
 * a cell. */
rv_status rvi_georeference_degrees(rv_context *ctx, const char *name, const rvi_georeference *g,
                                   int width, int height) {
    double east = g->x + 0.5 * (width - 1) * g->step_x,
           north = g->y - 0.5 * (height - 1) * g->step_y;
    double turn = floor((east + 180.0) / 360.0), metres = g->step_y * 111320.0;
    int zone = 1 + (int)((east + 180.0 - 360.0 * turn) / 6.0);
    double parts = metres >= 1.5 ? 1.0 : 1000.0, cell = floor(metres * parts + 0.5) / parts;
    return rvi_fail(ctx, RV_ERROR_INPUT,
                    "%s: its cells are degrees, not metres; "
                    "gdalwarp -t_srs EPSG:%d -tr %.9g %.9g -r cubic %s metres.tif makes metres of "
                    "them (cell= says that they are metres already).",
                    name, (north >= 0.0 ? 32600 : 32700) + (zone > 60 ? 60 : zone), cell, cell,
                    name);
}
