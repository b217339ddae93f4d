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
#include "device/device_range.h"
#include "device/device_sum.h"
#include "measure/distance.h"
#include "steps/select/select_cell.h"
#include "steps/step.h"
#include "terrain/figures.h"
#include "terrain/hardness_volume.h"
#include "wear/field_name.h"
#include "wear/noise_map.h"
#include "words/condition.h"

#include <math.h>
#include <string.h>

typedef rvi_select_origin origin;

static const char *const MEASURES[] = {
    [RVI_SELECT_SLOPE] = "slope",         [RVI_SELECT_ASPECT] = "aspect",
    [RVI_SELECT_CURVATURE] = "curvature", [RVI_SELECT_DISTANCE] = "water_distance",
    [RVI_SELECT_NOISE] = "noise",
};

typedef struct selecting {
    const rv_select_params *p;
    const rv_terrain *land;
    rvi_condition condition;
    origin origins[RVI_CONDITION_PARTS];
    rvi_select_test tests[RVI_CONDITION_PARTS];
    const float *grids[RVI_CONDITION_PARTS]; /* of a value; NULL: 0 everywhere */
    float *distance, *noise, *hardness;      /* NULL: not asked for */
    int32_t *room;
    float noise_low, noise_span;
    float *made, *field;
    /* On a device: */
    float *stack[RVI_CONDITION_PARTS]; /* [0] is `made` */
    float *parts;
} selecting;

/* ---- the condition ---- */

static bool is_measured(origin from) {
    return from == RVI_SELECT_SLOPE || from == RVI_SELECT_ASPECT || from == RVI_SELECT_CURVATURE;
}

static float value_of(const selecting *s, int part, int x, int y) {
    const rv_terrain *land = s->land;
    size_t i = (size_t)y * (size_t)land->width + (size_t)x;
    if (is_measured(s->origins[part])) {
        const rvi_select_land l = {land->width, land->height, land->cell};
        return rvi_select_measure((int)s->origins[part], l, land->surface, x, y);
    }
    float v = s->grids[part] ? s->grids[part][i] : 0;
    return s->origins[part] == RVI_SELECT_NOISE ? (v - s->noise_low) / s->noise_span : v;
}

static float select_cell(const selecting *s, int x, int y) {
    float stack[RVI_CONDITION_PARTS + 1] = {1};
    int top = -1;
    for (int k = 0; k < s->condition.count; k++) {
        switch (s->condition.parts[k].kind) {
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
        default:
            stack[++top] = rvi_select_pass(&s->tests[k], value_of(s, k, x, y));
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

/* ---- on a device: part by part, on a stack of grids ---- */

static rv_status part_on_device(rvi_job *job, const selecting *s, int k, float *to) {
    const rv_terrain *land = job->land;
    const rvi_select_land l = {land->width, land->height, land->cell};
    const int from = (int)s->origins[k];
    const float *grid = is_measured(s->origins[k]) ? land->surface : s->grids[k];
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_READ, grid),
        rvi_map_arg(land, RVI_DEVICE_WRITE, to),
        RVI_VALUE(l),
        RVI_VALUE(s->tests[k]),
        RVI_VALUE(from),
        RVI_VALUE(s->noise_low),
        RVI_VALUE(s->noise_span),
    };
    return RVI_RUN(job->device, "select_map", "select_part", (size_t)land->width,
                   (size_t)land->height, args);
}

static rv_status join_on_device(rvi_job *job, float *to, const float *other, bool larger) {
    const rv_terrain *land = job->land;
    const int wanted = larger;
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_CHANGE, to),
        rvi_map_arg(land, RVI_DEVICE_READ, other),
        RVI_VALUE(land->width),
        RVI_VALUE(wanted),
    };
    return RVI_RUN(job->device, "select_map", "select_join", (size_t)land->width,
                   (size_t)land->height, args);
}

static rv_status select_on_device(rvi_job *job, selecting *s) {
    int top = -1;
    rv_status status = RV_OK;
    s->stack[0] = s->made;
    for (int k = 0; k < s->condition.count && status == RV_OK; k++) {
        rvi_condition_kind kind = s->condition.parts[k].kind;
        bool both = kind == RVI_CONDITION_AND || kind == RVI_CONDITION_OR;
        top -= both;
        if (both)
            status =
                join_on_device(job, s->stack[top], s->stack[top + 1], kind == RVI_CONDITION_OR);
        else if (kind == RVI_CONDITION_NOT)
            status = join_on_device(job, s->stack[top], NULL, false);
        else
            status = part_on_device(job, s, k, s->stack[++top]);
    }
    s->stack[0] = NULL;
    return status;
}

/* ---- the run ---- */

static rv_status make_noise(rvi_job *job, selecting *s) {
    rv_noise_params n = rv_noise_params_default();
    n.frequency = s->p->frequency;
    n.seed = s->p->seed;
    rv_status status = rvi_noise_make(job, &n, s->noise);
    size_t cells = rvi_cells(s->land);
    float high = 0;
    if (status == RV_OK && job->device)
        status = rvi_device_range(job->device, s->noise, cells, s->parts, &s->noise_low, &high);
    else if (status == RV_OK)
        rvi_range(job->ctx, s->noise, cells, &s->noise_low, &high);
    s->noise_span = high > s->noise_low ? high - s->noise_low : 1;
    return status;
}

static rv_status make_distance(const selecting *s) {
    const float *water = rv_terrain_field(s->land, "water");
    if (water)
        return rvi_distance_make(s->land, water, s->room, s->distance);
    for (size_t i = 0; i < rvi_cells(s->land); i++)
        s->distance[i] = INFINITY;
    return RV_OK;
}

static rv_status tell(rvi_job *job, const selecting *s) {
    double cells = (double)rvi_cells(s->land), area = (double)s->land->cell * (double)s->land->cell;
    double selected = 0;
    rv_status status = RV_OK;
    if (job->device)
        status = rvi_device_sum(job->device, job->ctx, s->field, rvi_cells(s->land), &selected);
    else
        selected = rvi_sum(job->ctx, s->field, rvi_cells(s->land));
    rvi_figures_add(job->land, "selected", "selected", "%", 100 * selected / cells);
    rvi_figures_add(job->land, "selected_area", "", "m2", selected * area);
    if (status == RV_OK && !(selected > 0))
        rvi_log(job->ctx, "%s: nothing is selected.", s->p->name);
    return status;
}

/* The grid of each name; what the processor measures is measured. */
static rv_status find_grids(rvi_job *job, selecting *s) {
    rv_status status = s->noise ? make_noise(job, s) : RV_OK;
    if (status == RV_OK && s->distance)
        status = make_distance(s);
    if (status == RV_OK && s->hardness)
        status = rvi_terrain_fetch(s->land);
    if (status == RV_OK && s->hardness)
        status = rvi_volume_surface(s->land, s->hardness);
    for (int k = 0; k < s->condition.count; k++)
        s->grids[k] = s->origins[k] == RVI_SELECT_DISTANCE ? s->distance
                      : s->origins[k] == RVI_SELECT_NOISE  ? s->noise
                      : s->origins[k] == RVI_SELECT_VOLUME
                          ? s->hardness
                          : rvi_values_get(job->land, s->condition.parts[k].name);
    return status;
}

static rv_status run(rvi_job *job) {
    selecting *s = job->state;
    size_t bytes = rvi_cells(job->land) * sizeof *s->field;
    s->land = job->land;
    rv_status status = find_grids(job, s);
    if (status == RV_OK)
        status = job->device ? select_on_device(job, s)
                             : rvi_parallel_rows(job->ctx, job->land->height, select_rows, s);
    if (status == RV_OK)
        status = rvi_figures_begin(job->land, 2);
    if (status == RV_OK && job->device)
        status = rvi_device_copy(job->device, s->made, s->field, bytes);
    else if (status == RV_OK)
        memcpy(s->field, s->made, bytes); /* all of it or nothing */
    return status == RV_OK ? tell(job, s) : status;
}

/* ---- before the run ---- */

static origin origin_of(const char *name) {
    for (origin o = RVI_SELECT_SLOPE; o <= RVI_SELECT_NOISE; o++)
        if (strcmp(name, MEASURES[o]) == 0)
            return o;
    return RVI_SELECT_GRID;
}

/* Land on which no step has put water is dry. */
static rv_status check_part(rvi_job *job, const rvi_condition_part *part, origin from) {
    bool there = from != RVI_SELECT_GRID || strcmp(part->name, "water") == 0 ||
                 rvi_values_there(job->land, part->name);
    if (!there)
        return rvi_job_no_field(job, part->name, "to select by");
    if (part->kind == RVI_CONDITION_IN && part->low > part->high && from != RVI_SELECT_ASPECT)
        return rvi_fail(job->ctx, RV_ERROR_USAGE, "select: %s in %g..%g: %g is above %g.",
                        part->name, (double)part->low, (double)part->high, (double)part->low,
                        (double)part->high);
    return RV_OK;
}

static rvi_select_test test_of(const rvi_condition_part *part, origin from) {
    rvi_condition_kind kind = part->kind;
    return (rvi_select_test){
        .test = kind != RVI_CONDITION_VALUE,
        .in = kind == RVI_CONDITION_IN,
        .below = kind == RVI_CONDITION_BELOW || kind == RVI_CONDITION_UP_TO,
        .strict = kind == RVI_CONDITION_BELOW || kind == RVI_CONDITION_ABOVE,
        .turns = from == RVI_SELECT_ASPECT,
        .low = part->low,
        .high = part->high,
        .soft = part->soft,
    };
}

/* Grids that wait for what joins them, beside `made`. */
static void list_stack(rvi_job *job, selecting *s) {
    int top = -1, most = 0;
    for (int k = 0; k < s->condition.count; k++) {
        rvi_condition_kind kind = s->condition.parts[k].kind;
        top += kind == RVI_CONDITION_NOT                               ? 0
               : kind == RVI_CONDITION_AND || kind == RVI_CONDITION_OR ? -1
                                                                       : 1;
        most = rvi_maxi(most, top);
    }
    for (int k = 1; k <= most; k++)
        rvi_job_grid(job, &s->stack[k], "the selection");
    rvi_job_buffer(job, &s->parts, RVI_DEVICE_PARTS, sizeof *s->parts, "the range");
}

static rv_status prepare_parts(rvi_job *job, selecting *s) {
    rv_status status = RV_OK;
    bool distance = false, noise = false, volume = false;
    for (int k = 0; status == RV_OK && k < s->condition.count; k++) {
        const rvi_condition_part *part = &s->condition.parts[k];
        if (part->name[0] == '\0')
            continue; /* it joins others */
        s->origins[k] =
            rvi_volume_shows(job->land, part->name) ? RVI_SELECT_VOLUME : origin_of(part->name);
        distance |= s->origins[k] == RVI_SELECT_DISTANCE;
        noise |= s->origins[k] == RVI_SELECT_NOISE;
        volume |= s->origins[k] == RVI_SELECT_VOLUME;
        status = check_part(job, part, s->origins[k]);
        s->tests[k] = test_of(part, s->origins[k]);
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
    job->on_device = s->condition.count > 0;
    job->doubles = true;
    if (status == RV_OK && job->on_device && rvi_device_of(job->ctx))
        list_stack(job, s);
    return status == RV_OK ? rvi_job_field(job, p->name, &s->field) : status;
}
