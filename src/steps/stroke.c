/* stroke.c: a stroke of a brush: a change along a path.
 *
 * With d the distance of a cell from the path and R the radius, in metres, the brush acts with
 *
 *     w = (1 - (d / R)^2)^2 for d < R, else 0
 *
 *     raise:                   h' = h + w height
 *     smooth:                  h' = h + w value (G * h - h), G a Gaussian of R / 3
 *     mask, hardness, rain:    f' = f + w (value - f)
 *
 * Places are metres, so that the same stroke does the same on cells of another size.
 */
#include "base/math.h"
#include "base/text.h"
#include "base/threads.h"
#include "steps/step.h"
#include "terrain/smooth.h"

#include <math.h>
#include <string.h>

typedef struct point {
    double x, y; /* metres from the north-west corner */
} point;

/* Cells, the last ones included; none where right < left. */
typedef struct box {
    int left, top, right, bottom;
} box;

typedef struct stroke {
    const rv_stroke_params *p;
    int width;
    double cell, radius; /* metres */
    float value;
    point middle;  /* of the map */
    point *points; /* `count`, or the middle alone */
    int count;
    box near; /* the cells that it reaches */
    float *made, *field;
    bool fresh; /* the field was not there */
    /* to smooth */
    box around; /* the cells that those near are smoothed with */
    float *smooth;
    rvi_smoother smoother;
} stroke;

static double lesser(double a, double b) {
    return a < b ? a : b;
}

/* ---- the path ---- */

/* The next point of the path; false: there is none. *wrong: it is none. */
static bool next_point(const char **rest, point *out, bool *wrong) {
    const char *text = *rest + strspn(*rest, " ,\t");
    size_t size = strcspn(text, " ,\t");
    const char *slash = memchr(text, '/', size);
    if (size == 0)
        return false;
    size_t first = slash ? (size_t)(slash - text) : size;
    *wrong = !slash || !rvi_text_number(text, first, &out->x) ||
             !rvi_text_number(slash + 1, size - first - 1, &out->y) ||
             !(fabs(out->x) <= 1e7 && fabs(out->y) <= 1e7);
    *rest = text + size;
    return true;
}

/* How many points the path has; -1: it is no path. */
static int count_points(const char *path) {
    int count = 0;
    point at;
    for (bool wrong; next_point(&path, &at, &wrong); count++)
        if (wrong)
            return -1;
    return count;
}

static void read_points(stroke *s) {
    const char *rest = s->p->path;
    bool wrong;
    s->points[0] = s->middle;
    for (int i = 0; i < s->count; i++)
        next_point(&rest, &s->points[i], &wrong);
}

/* ---- the cells ---- */

static int cell_of(double metres, double cell, int cells) {
    return (int)lesser(rvi_max(metres / cell, -1), cells);
}

/* Those within `reach` metres of a rectangle. */
static box cells_around(const rv_terrain *land, point low, point high, double reach) {
    double cell = (double)land->cell;
    box b = {cell_of(low.x - reach, cell, land->width), cell_of(low.y - reach, cell, land->height),
             cell_of(high.x + reach, cell, land->width) + 1,
             cell_of(high.y + reach, cell, land->height) + 1};
    b.left = rvi_maxi(b.left, 0);
    b.top = rvi_maxi(b.top, 0);
    b.right = rvi_mini(b.right, land->width - 1);
    b.bottom = rvi_mini(b.bottom, land->height - 1);
    return b;
}

static double distance2_to(const point *a, const point *b, double x, double y) {
    double along_x = b->x - a->x, along_y = b->y - a->y, from_x = x - a->x, from_y = y - a->y;
    double length2 = along_x * along_x + along_y * along_y;
    double t = length2 > 0 ? (from_x * along_x + from_y * along_y) / length2 : 0;
    t = lesser(rvi_max(t, 0), 1);
    double dx = from_x - t * along_x, dy = from_y - t * along_y;
    return dx * dx + dy * dy;
}

/* How much the brush acts there, from 0 to 1. */
static float weight_at(const stroke *s, int column, int row) {
    double x = column * s->cell, y = row * s->cell, nearest2 = s->radius * s->radius, d2 = nearest2;
    for (int i = 0; i < rvi_maxi(s->count - 1, 1); i++) {
        const point *a = &s->points[i], *b = s->count > 1 ? a + 1 : a;
        if (lesser(a->y, b->y) - s->radius > y || rvi_max(a->y, b->y) + s->radius < y ||
            lesser(a->x, b->x) - s->radius > x || rvi_max(a->x, b->x) + s->radius < x)
            continue;
        d2 = lesser(d2, distance2_to(a, b, x, y));
    }
    double share = 1 - d2 / nearest2;
    return (float)(share * share);
}

static size_t smooth_at(const stroke *s, int column, int row) {
    size_t width = (size_t)(s->around.right - s->around.left + 1);
    return (size_t)(row - s->around.top) * width + (size_t)(column - s->around.left);
}

static void change_rows(void *arg, int first, int end) {
    const stroke *s = arg;
    for (int y = s->near.top + first; y < s->near.top + end; y++)
        for (int x = s->near.left; x <= s->near.right; x++) {
            float w = weight_at(s, x, y), *to = &s->made[(size_t)y * (size_t)s->width + (size_t)x];
            if (!(w > 0))
                continue;
            if (s->p->act == RV_stroke_act_raise)
                *to += w * s->p->height;
            else if (s->p->act == RV_stroke_act_smooth)
                *to += w * s->value * (s->smooth[smooth_at(s, x, y)] - *to);
            else
                *to += w * (s->value - *to);
        }
}

/* ---- the run ---- */

static rv_status smooth_around(rvi_job *job, stroke *s) {
    const rv_terrain *land = job->land;
    for (int y = s->around.top; y <= s->around.bottom; y++) {
        const float *from =
            land->surface + (size_t)y * (size_t)land->width + (size_t)s->around.left;
        size_t count = (size_t)(s->around.right - s->around.left + 1);
        memcpy(s->smooth + smooth_at(s, s->around.left, y), from, count * sizeof *from);
        rv_status status = rvi_poll(job->ctx);
        if (status != RV_OK)
            return status;
    }
    return rvi_smoother_run(&s->smoother, s->smooth);
}

static rv_status run(rvi_job *job) {
    stroke *s = job->state;
    size_t cells = rvi_cells(job->land);
    const float *from = s->field ? s->field : job->land->surface;
    rv_status status = rvi_copy(job->ctx, s->made, from, cells * sizeof *from);
    for (size_t i = 0; s->fresh && i < cells && status == RV_OK; i++) {
        s->made[i] = s->p->act == RV_stroke_act_mask ? 1 : 0;
        status = rvi_poll_at(job->ctx, i);
    }
    read_points(s);
    if (status == RV_OK && s->smooth)
        status = smooth_around(job, s);
    int rows = s->near.right < s->near.left ? 0 : s->near.bottom - s->near.top + 1;
    if (status == RV_OK && rows > 0)
        status = rvi_parallel_rows(job->ctx, rows, change_rows, s);
    if (status != RV_OK)
        return status;
    if (s->field)
        memcpy(s->field, s->made, cells * sizeof *s->field); /* all of it or nothing */
    else
        status = rvi_job_adopt(job, &s->made);
    return status;
}

/* ---- before the run ---- */

static const char *field_of(const rv_stroke_params *p) {
    return p->act == RV_stroke_act_mask       ? "mask"
           : p->act == RV_stroke_act_hardness ? "hardness"
           : p->act == RV_stroke_act_rain     ? "rain"
                                              : NULL;
}

/* Which cells it reaches. */
static void measure_path(stroke *s, const rv_terrain *land) {
    s->middle = (point){(land->width - 1) * s->cell / 2, (land->height - 1) * s->cell / 2};
    point low = s->middle, high = low, at;
    const char *rest = s->p->path;
    bool wrong;
    for (int i = 0; next_point(&rest, &at, &wrong); i++) {
        low = i ? (point){lesser(low.x, at.x), lesser(low.y, at.y)} : at;
        high = i ? (point){rvi_max(high.x, at.x), rvi_max(high.y, at.y)} : at;
    }
    s->near = cells_around(land, low, high, s->radius);
    s->around = cells_around(land, low, high, 3 * s->radius); /* 6 sigma beyond the nearest */
}

static void prepare_smoother(rvi_job *job, stroke *s) {
    int width = s->around.right - s->around.left + 1, height = s->around.bottom - s->around.top + 1;
    if (width < 1 || height < 1 || s->p->act != RV_stroke_act_smooth)
        return;
    rvi_job_buffer(job, &s->smooth, (size_t)width * (size_t)height, sizeof *s->smooth,
                   "the smooth land");
    rvi_smoother_prepare(&s->smoother, job->ctx, width, height, (float)(s->radius / 3 / s->cell),
                         &job->buffers);
}

rv_status rvi_step_stroke(rvi_job *job, const rv_stroke_params *p) {
    const rv_terrain *land = job->land;
    const char *field = field_of(p);
    stroke *s = rvi_job_begin(job, sizeof *s, run, NULL);
    if (!s)
        return RV_ERROR_MEMORY;
    *s = (stroke){.p = p, .width = land->width, .cell = (double)land->cell};
    s->count = count_points(p->path);
    if (s->count < 0)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "stroke: path=%.80s is not a list of places, each x/y in m.", p->path);
    s->radius = isnan(p->radius) ? rvi_mini(land->width, land->height) * s->cell / 10
                                 : (double)rvi_length(p->radius, land->cell);
    s->value = isnan(p->value) ? p->act != RV_stroke_act_mask : p->value;
    measure_path(s, land);
    rvi_job_buffer(job, &s->points, (size_t)s->count + 1, sizeof *s->points, "the path");
    rvi_job_grid(job, &s->made, "the land or field that is changed");
    prepare_smoother(job, s);
    if (!field)
        return RV_OK;
    job->masks = true; /* what is painted is not held to the mask */
    s->fresh = !rvi_field_there(land, field);
    return rvi_job_field(job, field, &s->field);
}
