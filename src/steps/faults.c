/* faults.c: land from many faults, along which one side is raised.
 *
 * E. Galin and others, A Review of Digital Terrain Modeling, 2019, section 3; B. Mandelbrot, The
 * Fractal Geometry of Nature, 1982. With d the distance of a cell from fault i in metres, positive
 * on a side that chance picks, and x = d / width:
 *
 *     h = sum over i of a_i f(x),   a_i = 1 + (i / (count - 1)) (shrink - 1)
 *     f = sign(x),  (2 / pi) atan(x),  sin(2 pi x),  cos(2 pi x)  or  1 - exp(-x^2)
 *
 * A line goes through a random point of the map in a random direction. A circle has a radius
 * between a twentieth and a half of the map's longer side, and its centre is at most that far off
 * the map.
 */
#include "base/math.h"
#include "base/random.h"
#include "base/threads.h"
#include "steps/faults/fault_cell.h"
#include "steps/step.h"
#include "wear/made_heights.h"

#include <math.h>

enum {
    CHUNK = 256, /* cells of a row that are raised together */
    SLICE_CELLS =
        1024 * 1024 /* cells raised between two looks at the clock, in one block of rows */
};

_Static_assert((int)RVI_FAULT_STEP == (int)RV_faults_profile_step &&
                   (int)RVI_FAULT_ATAN == (int)RV_faults_profile_atan &&
                   (int)RVI_FAULT_SIN == (int)RV_faults_profile_sin &&
                   (int)RVI_FAULT_COS == (int)RV_faults_profile_cos &&
                   (int)RVI_FAULT_BUMP == (int)RV_faults_profile_bump,
               "kernels know the options by these numbers");

typedef struct breaking {
    const rv_faults_params *p;
    rvi_made_heights how;
    rvi_fault *faults;
    int first, end; /* faults of this slice */
    int along, profile;
    double step; /* widths between neighbouring cells */
    int width;
    float *made;
} breaking;

/* Distances from a line, in widths. */
static void line_distances(const rvi_fault *f, double step, int column, double y, int count,
                           double *x) {
    double start = rvi_fault_line(f, y);
    for (int i = 0; i < count; i++)
        x[i] = rvi_fault_from_line(f, start, step, column + i);
}

static void circle_distances(const rvi_fault *f, double step, int column, double y, int count,
                             double *x) {
    double dy = y - f->y;
    for (int i = 0; i < count; i++)
        x[i] = rvi_fault_from_circle(f, dy, step, column + i);
}

/* With a profile that the compiler knows, so that loops are vectorised. */
static void raise(int profile, float height, const double *x, int count, float *sum) {
#define RAISE(known)                                                                               \
    for (int i = 0; i < count; i++)                                                                \
    sum[i] += rvi_fault_rise(known, height, x[i])
    switch (profile) {
    case RVI_FAULT_STEP:
        RAISE(RVI_FAULT_STEP);
        break;
    case RVI_FAULT_ATAN:
        RAISE(RVI_FAULT_ATAN);
        break;
    case RVI_FAULT_SIN:
        RAISE(RVI_FAULT_SIN);
        break;
    case RVI_FAULT_COS:
        RAISE(RVI_FAULT_COS);
        break;
    default:
        RAISE(RVI_FAULT_BUMP);
    }
#undef RAISE
}

static void break_rows(void *arg, int first, int end) {
    const breaking *b = arg;
    double x[CHUNK];
    for (int row = first; row < end; row++)
        for (int column = 0; column < b->width; column += CHUNK) {
            int count = rvi_mini(CHUNK, b->width - column);
            float *sum = b->made + (size_t)row * (size_t)b->width + (size_t)column;
            for (int i = b->first; i < b->end; i++) {
                const rvi_fault *f = &b->faults[i];
                double y = (double)row * b->step;
                if (b->along == RV_faults_along_line)
                    line_distances(f, b->step, column, y, count, x);
                else
                    circle_distances(f, b->step, column, y, count, x);
                raise(b->profile, f->height, x, count, sum);
            }
        }
}

static double draw(uint64_t seed, int which, uint64_t when) {
    return (double)rvi_unit(rvi_random(seed, (uint64_t)which, when));
}

/* The distance over which a profile rises, in cells: what the user gave, or what suits the map. */
static double width_in_cells(const rv_terrain *land, const rv_faults_params *p) {
    bool waves = p->profile == RV_faults_profile_sin || p->profile == RV_faults_profile_cos;
    double longer = rvi_maxi(land->width, land->height) - 1;
    return isnan(p->width) ? longer / (waves ? 4 : 40) : (double)p->width / (double)land->cell;
}

static rvi_fault make_fault(const rv_terrain *land, const rv_faults_params *p, double step, int i) {
    double wide = (land->width - 1) * step, high = (land->height - 1) * step;
    float angle = (float)(draw(p->seed, i, 0) * 2 * RVI_PI);
    double longer = wide > high ? wide : high;
    double radius = longer * (0.05 + 0.45 * draw(p->seed, i, 3));
    double around = p->along == RV_faults_along_circle ? radius : 0;
    float share = p->count > 1 ? (float)i / (float)(p->count - 1) : 0;
    return (rvi_fault){
        .x = draw(p->seed, i, 1) * (wide + 2 * around) - around,
        .y = draw(p->seed, i, 2) * (high + 2 * around) - around,
        .along = (double)rvi_cosf(angle),
        .down = (double)rvi_sinf(angle),
        .radius = radius,
        .side = draw(p->seed, i, 4) < 0.5 ? 1 : -1,
        .height = 1 + share * (p->shrink - 1),
    };
}

static rv_status break_on_device(rvi_job *job, const breaking *b) {
    const rv_terrain *land = job->land;
    const int lines = b->along == RV_faults_along_line;
    const rvi_device_arg args[] = {
        {RVI_DEVICE_READ, b->faults, (size_t)b->p->count * sizeof *b->faults},
        rvi_map_arg(land, RVI_DEVICE_CHANGE, b->made),
        RVI_VALUE(b->first),
        RVI_VALUE(b->end),
        RVI_VALUE(b->width),
        RVI_VALUE(b->step),
        RVI_VALUE(lines),
        RVI_VALUE(b->profile),
    };
    rv_status status = RV_OK;
    if (b->first == 0)
        status = rvi_device_zero(job->device, b->made, rvi_cells(land) * sizeof *b->made);
    if (status == RV_OK)
        status = RVI_RUN(job->device, "fault_map", "break_cells", (size_t)land->width,
                         (size_t)land->height, args);
    return status == RV_OK ? rvi_device_wait(job->device) : status;
}

static rv_status break_all(rvi_job *job, breaking *b) {
    const rv_faults_params *p = b->p;
    int slice = rvi_maxi(1, SLICE_CELLS / (RVI_ROWS * b->width));
    for (b->first = 0; b->first < p->count; b->first = b->end) {
        b->end = rvi_mini(p->count, b->first + slice);
        rv_status status = job->device
                               ? break_on_device(job, b)
                               : rvi_parallel_rows(job->ctx, job->land->height, break_rows, b);
        if (status == RV_OK)
            status = rvi_job_progress(job, (double)b->end / p->count);
        if (status != RV_OK)
            return status;
    }
    return RV_OK;
}

static rv_status run(rvi_job *job) {
    const rv_terrain *land = job->land;
    breaking *b = job->state;
    b->step = 1 / width_in_cells(land, b->p);
    for (int i = 0; i < b->p->count; i++)
        b->faults[i] = make_fault(land, b->p, b->step, i);
    rv_status status = break_all(job, b);
    return status == RV_OK ? rvi_made_heights_set(job, &b->how, &b->made) : status;
}

rv_status rvi_step_faults(rvi_job *job, const rv_faults_params *p) {
    breaking *b = rvi_job_begin(job, sizeof *b, run, NULL);
    if (!b)
        return RV_ERROR_MEMORY;
    *b = (breaking){.p = p, .along = p->along, .profile = p->profile, .width = job->land->width};
    rvi_job_buffer(job, &b->faults, (size_t)p->count, sizeof *b->faults, "the faults");
    rvi_job_grid(job, &b->made, "land made by faults");
    job->doubles = true;
    return rvi_made_heights_prepare(job, p->layer, p->field, p->relief, p->mode, &b->how);
}
