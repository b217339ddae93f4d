/* field_name.c: the names that a user may give to fields. */
#include "wear/field_name.h"
#include "words/condition.h"

#include <string.h>

/* What `select` measures by itself. */
static bool is_measured(const char *name) {
    static const char *const names[] = {"slope", "aspect", "curvature", "water_distance", "noise"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(name, names[k]) == 0)
            return true;
    return false;
}

rv_status rvi_field_name_check(rvi_job *job, const char *name, const char *what) {
    rvi_condition alone;
    bool right = rvi_condition_parse(job->ctx, "name", name, &alone) == RV_OK && alone.count == 1 &&
                 strcmp(alone.parts[0].name, name) == 0 &&
                 alone.parts[0].kind == RVI_CONDITION_VALUE && !is_measured(name);
    if (!right)
        return rvi_fail(job->ctx, RV_ERROR_USAGE, "%s: \"%.60s\" is no name for a %s.", job->name,
                        name, what);
    if (rvi_layer_index(job->land, name) < job->land->layer_count)
        return rvi_fail(job->ctx, RV_ERROR_USAGE, "%s: %s is a layer; give the %s another name.",
                        job->name, name, what);
    bool free = rv_field_find(name) == NULL || strcmp(name, "selection") == 0 ||
                strcmp(name, "mask") == 0 || strcmp(name, "hardness") == 0 ||
                strcmp(name, "rain") == 0;
    if (!free)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "%s: %s is a field of other steps; give the %s another name.", job->name,
                        name, what);
    return RV_OK;
}
