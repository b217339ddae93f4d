/* select.c: where the land is so and so, as a field.
 *
 * `where` is a condition (words/condition.h) over every field, the thickness of every layer and
 * what is measured here. A test with an edge of s > 0 around the limit L is
 *
 *     v < L~s:     held(1/2 + (L - v) / s),      v > L~s:   held(1/2 + (v - L) / s)
 *
 * held between 0 and 1, and with s = 0 it is 0 or 1. A name alone is the value of the field, held
 * between 0 and 1. `and` is the smaller of two, `or` the larger, `not` 1 minus the value (L. A.
 * Zadeh, Fuzzy sets, 1965). Slope, aspect and curvature are those of texture (picture/maps.c);
 * level ground has no aspect and passes no test of it.
 */
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "measure/distance.h"
#include "picture/shade.h"
#include "steps/step.h"
#include "terrain/figures.h"
#include "terrain/hardness_volume.h"
#include "wear/field_name.h"
#include "wear/noise_map.h"
#include "words/condition.h"

#include <math.h>
#include <string.h>

/* Where the value of a name comes from. */
typedef enum origin { GRID, SLOPE, ASPECT, CURVATURE, WATER_DISTANCE, NOISE, VOLUME } origin;

static const char *const MEASURES[] = {
    [SLOPE] = "slope",         [ASPECT] = "aspect",
    [CURVATURE] = "curvature", [WATER_DISTANCE] = "water_distance",
    [NOISE] = "noise",
};

typedef struct selecting {
    const rv_select_params *p;
    const rv_terrain *land;
    rvi_condition condition;
    origin origins[RVI_CONDITION_PARTS];
    const float *grids[RVI_CONDITION_PARTS]; /* of GRID; NULL: 0 everywhere */
    float *distance, *noise, *hardness;      /* NULL: not asked for */
    int32_t *room;
    float noise_low, noise_span;
    float *made, *field;
} selecting;

/* ---- the value of a name ---- */

static float slope_along(const rv_terrain *land, int x, int y, int dx, int dy) {
    float rise = rvi_height_at(land, x + dx, y + dy) - rvi_height_at(land, x - dx, y - dy);
    return rise / (2 * land->cell);
}

/* Where the ground falls to, clockwise from north; NaN where it is level. */
static float aspect_at(const rv_terrain *land, int x, int y) {
    float east = slope_along(land, x, y, 1, 0), south = slope_along(land, x, y, 0, 1);
    if (east == 0 && south == 0)
        return NAN;
    float angle = rvi_atan2f(-east, south) * (float)(180 / RVI_PI);
    return angle < 0 ? angle + 360 : angle;
}

static float slope_at(const rv_terrain *land, int x, int y) {
    float east = slope_along(land, x, y, 1, 0), south = slope_along(land, x, y, 0, 1);
    return rvi_atanf(sqrtf(east * east + south * south)) * (float)(180 / RVI_PI);
}

static float curvature_at(const rv_terrain *land, int x, int y) {
    float around = (rvi_height_at(land, x + 1, y) + rvi_height_at(land, x - 1, y)) +
                   (rvi_height_at(land, x, y + 1) + rvi_height_at(land, x, y - 1));
    return (4 * rvi_height_at(land, x, y) - around) / (2 * land->cell * land->cell);
}

static float value_of(const selecting *s, int part, int x, int y) {
    size_t i = (size_t)y * (size_t)s->land->width + (size_t)x;
    switch (s->origins[part]) {
    case SLOPE:
        return slope_at(s->land, x, y);
    case ASPECT:
        return aspect_at(s->land, x, y);
    case CURVATURE:
        return curvature_at(s->land, x, y);
    case WATER_DISTANCE:
        return s->distance[i];
    case NOISE:
        return (s->noise[i] - s->noise_low) / s->noise_span;
    case VOLUME:
        return s->hardness[i];
    case GRID:
        break;
    }
    return s->grids[part] ? s->grids[part][i] : 0;
}

/* ---- the condition ---- */

/* How far inside the limits, below 0 outside. */
static float depth_in(const rvi_condition_part *t, float v, bool turns) {
    if (!turns)
        return rvi_minf(v - t->low, t->high - v);
    float span = t->high - t->low, along = v - t->low; /* around the compass */
    span += span < 0 ? 360 : 0;
    along += along < 0 ? 360 : 0;
    return along <= span ? rvi_minf(along, span - along) : -rvi_minf(along - span, 360 - along);
}

static float test(const rvi_condition_part *t, float v, bool turns) {
    bool below = t->kind == RVI_CONDITION_BELOW || t->kind == RVI_CONDITION_UP_TO;
    float depth = t->kind == RVI_CONDITION_IN ? depth_in(t, v, turns)
                  : below                     ? t->high - v
                                              : v - t->low;
    if (t->soft > 0)
        return depth == depth ? rvi_clampf(0.5f + depth / t->soft, 0, 1) : 0;
    bool strict = t->kind == RVI_CONDITION_BELOW || t->kind == RVI_CONDITION_ABOVE;
    return strict ? (float)(depth > 0) : (float)(depth >= 0);
}

static float select_cell(const selecting *s, int x, int y) {
    float stack[RVI_CONDITION_PARTS + 1] = {1};
    int top = -1;
    for (int k = 0; k < s->condition.count; k++) {
        const rvi_condition_part *part = &s->condition.parts[k];
        switch (part->kind) {
        case RVI_CONDITION_NOT:
            stack[top] = 1 - stack[top];
            break;
        case RVI_CONDITION_AND:
            top--;
            stack[top] = rvi_minf(stack[top], stack[top + 1]);
            break;
        case RVI_CONDITION_OR:
            top--;
            stack[top] = rvi_maxf(stack[top], stack[top + 1]);
            break;
        case RVI_CONDITION_VALUE:
            stack[++top] = rvi_clampf(value_of(s, k, x, y), 0, 1);
            break;
        default:
            stack[++top] = test(part, value_of(s, k, x, y), s->origins[k] == ASPECT);
        }
    }
    return stack[0];
}

static void select_rows(void *arg, int first, int end) {
    const selecting *s = arg;
    for (int y = first; y < end; y++)
        for (int x = 0; x < s->land->width; x++)
            s->made[(size_t)y * (size_t)s->land->width + (size_t)x] = select_cell(s, x, y);
}

/* ---- the run ---- */

static rv_status make_noise(rvi_job *job, selecting *s) {
    rv_noise_params n = rv_noise_params_default();
    n.frequency = s->p->frequency;
    n.seed = s->p->seed;
    rv_status status = rvi_noise_make(job, &n, s->noise);
    float high;
    if (status != RV_OK)
        return status;
    rvi_range(job->ctx, s->noise, rvi_cells(s->land), &s->noise_low, &high);
    s->noise_span = high > s->noise_low ? high - s->noise_low : 1;
    return RV_OK;
}

static rv_status make_distance(const selecting *s) {
    const float *water = rv_terrain_field(s->land, "water");
    if (water)
        return rvi_distance_make(s->land, water, s->room, s->distance);
    for (size_t i = 0; i < rvi_cells(s->land); i++)
        s->distance[i] = INFINITY;
    return RV_OK;
}

static void tell(rvi_job *job, const selecting *s) {
    double cells = (double)rvi_cells(s->land), area = (double)s->land->cell * (double)s->land->cell;
    double selected = rvi_sum(job->ctx, s->field, rvi_cells(s->land));
    rvi_figures_add(job->land, "selected", "selected", "%", 100 * selected / cells);
    rvi_figures_add(job->land, "selected_area", "", "m2", selected * area);
    if (!(selected > 0))
        rvi_log(job->ctx, "%s: nothing is selected.", s->p->name);
}

static rv_status run(rvi_job *job) {
    selecting *s = job->state;
    s->land = job->land;
    for (int k = 0; k < s->condition.count; k++)
        s->grids[k] = rv_terrain_field(job->land, s->condition.parts[k].name);
    rv_status status = s->noise ? make_noise(job, s) : RV_OK;
    if (status == RV_OK && s->distance)
        status = make_distance(s);
    if (status == RV_OK && s->hardness)
        status = rvi_volume_surface(s->land, s->hardness);
    if (status == RV_OK)
        status = rvi_parallel_rows(job->ctx, job->land->height, select_rows, s);
    if (status == RV_OK)
        status = rvi_figures_begin(job->land, 2);
    if (status != RV_OK)
        return status;
    memcpy(s->field, s->made, rvi_cells(job->land) * sizeof *s->field); /* all of it or nothing */
    tell(job, s);
    return RV_OK;
}

/* ---- before the run ---- */

static origin origin_of(const char *name) {
    for (origin o = SLOPE; o <= NOISE; o++)
        if (strcmp(name, MEASURES[o]) == 0)
            return o;
    return GRID;
}

/* Land on which no step has put water is dry. */
static rv_status check_part(rvi_job *job, const rvi_condition_part *part, origin from) {
    bool there =
        from != GRID || strcmp(part->name, "water") == 0 || rvi_values_there(job->land, part->name);
    if (!there)
        return rvi_job_no_field(job, part->name, "to select by");
    if (part->kind == RVI_CONDITION_IN && part->low > part->high && from != ASPECT)
        return rvi_fail(job->ctx, RV_ERROR_USAGE, "select: %s in %g..%g: %g is above %g.",
                        part->name, (double)part->low, (double)part->high, (double)part->low,
                        (double)part->high);
    return RV_OK;
}

static rv_status prepare_parts(rvi_job *job, selecting *s) {
    rv_status status = RV_OK;
    bool distance = false, noise = false, volume = false;
    for (int k = 0; status == RV_OK && k < s->condition.count; k++) {
        const rvi_condition_part *part = &s->condition.parts[k];
        if (part->name[0] == '\0')
            continue; /* it joins others */
        s->origins[k] = rvi_volume_shows(job->land, part->name) ? VOLUME : origin_of(part->name);
        distance |= s->origins[k] == WATER_DISTANCE;
        noise |= s->origins[k] == NOISE;
        volume |= s->origins[k] == VOLUME;
        status = check_part(job, part, s->origins[k]);
    }
    if (distance) {
        rvi_job_grid(job, &s->distance, "the distance to water");
        rvi_job_buffer(job, &s->room, RVI_DISTANCE_ROOM * rvi_cells(job->land), sizeof *s->room,
                       "the distance to water");
    }
    if (noise)
        rvi_job_grid(job, &s->noise, "the noise");
    if (volume)
        rvi_job_grid(job, &s->hardness, "the hardness");
    return status;
}

rv_status rvi_step_select(rvi_job *job, const rv_select_params *p) {
    selecting *s = rvi_job_begin(job, sizeof *s, run, NULL);
    if (!s)
        return RV_ERROR_MEMORY;
    s->p = p;
    rv_status status = rvi_field_name_check(job, p->name, "selection");
    if (status == RV_OK)
        status = rvi_condition_parse(job->ctx, "select: where", p->where, &s->condition);
    if (status == RV_OK)
        status = prepare_parts(job, s);
    rvi_job_grid(job, &s->made, "the selection");
    return status == RV_OK ? rvi_job_field(job, p->name, &s->field) : status;
}
