/* blur_device.c: blur.c on a device. Narrow blurs need no transposed grid there; wide ones cut
 * columns into pieces, whose running sums are exact wherever they begin. */
#include "steps/blur/blur_device.h"
#include "base/math.h"
#include "device/device_range.h"

#define RUN(name, width, height)                                                                   \
    RVI_RUN(job->device, "blur_passes", name, (size_t)(width), (size_t)(height), args)

static rv_status narrow_pass(rvi_job *job, const rvi_smoother *s, bool down, const float *from,
                             float *to) {
    const rv_terrain *land = job->land;
    const int along = down, reach = rvi_smoother_weigh(s, down ? land->height : land->width);
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_READ, from),
        rvi_map_arg(land, RVI_DEVICE_WRITE, to),
        {RVI_DEVICE_TABLE, s->weights, (size_t)(reach + 1) * sizeof *s->weights},
        RVI_VALUE(reach),
        RVI_VALUE(along),
        RVI_VALUE(land->width),
        RVI_VALUE(land->height),
    };
    return RUN("narrow", land->width, land->height);
}

/* ---- wide blurs ---- */

static rv_status convert(rvi_job *job, const char *kernel, const float *from, float *to,
                         double scale) {
    const rv_terrain *land = job->land;
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_READ, from),
        rvi_map_arg(land, RVI_DEVICE_WRITE, to),
        RVI_VALUE(scale),
        RVI_VALUE(land->width),
    };
    return RUN(kernel, land->width, land->height);
}

static rv_status box(rvi_job *job, const rvi_smooth_boxes *b, const float *from, float *to,
                     int width, int height) {
    const int rows = rvi_maxi(64, 2 * b->reach);
    const rvi_device_arg args[] = {
        rvi_map_arg(job->land, RVI_DEVICE_READ, from),
        rvi_map_arg(job->land, RVI_DEVICE_WRITE, to),
        RVI_VALUE(*b),
        RVI_VALUE(width),
        RVI_VALUE(height),
        RVI_VALUE(rows),
    };
    return RUN("box", width, (height + rows - 1) / rows);
}

static rv_status taps(rvi_job *job, const rvi_smooth_boxes *b, const float *from, float *to,
                      int width, int height) {
    const rvi_device_arg args[] = {
        rvi_map_arg(job->land, RVI_DEVICE_READ, from),
        rvi_map_arg(job->land, RVI_DEVICE_WRITE, to),
        RVI_VALUE(*b),
        RVI_VALUE(width),
        RVI_VALUE(height),
    };
    return RUN("taps", width, height);
}

/* Blurs the columns of `a`; the result is in `b`, transposed. */
static rv_status box_axis(rvi_job *job, const rvi_smoother *s, float *a, float *b, int width,
                          int height) {
    const rvi_smooth_boxes boxes = rvi_smoother_boxes(s, height);
    rv_status status = RV_OK;
    for (int i = 0; i < 4 && status == RV_OK; i++) {
        status = box(job, &boxes, i % 2 ? b : a, i % 2 ? a : b, width, height);
        if (status == RV_OK)
            status = rvi_poll(job->ctx);
    }
    return status == RV_OK ? taps(job, &boxes, a, b, width, height) : status;
}

static rv_status run_boxes(rvi_job *job, const rvi_smoother *s, float *parts, float *to) {
    const rv_terrain *land = job->land;
    size_t cells = rvi_cells(land);
    float low, high;
    rv_status status = rvi_device_range(job->device, land->surface, cells, parts, &low, &high);
    if (status != RV_OK || low == high)
        return status == RV_OK ? rvi_device_copy(job->device, land->surface, to, cells * sizeof *to)
                               : status;
    double scale = rvi_smoother_scale(low, high);
    status = convert(job, "count", land->surface, s->half, scale);
    if (status == RV_OK)
        status = box_axis(job, s, s->half, to, land->width, land->height);
    if (status == RV_OK)
        status = box_axis(job, s, to, s->half, land->height, land->width);
    return status == RV_OK ? convert(job, "value", s->half, to, scale) : status;
}

rv_status rvi_blur_on_device(rvi_job *job, const rvi_smoother *s, float *parts, float *to) {
    const rv_terrain *land = job->land;
    if (!s->half)
        return rvi_device_copy(job->device, land->surface, to, rvi_cells(land) * sizeof *to);
    if (rvi_smoother_wide(s))
        return run_boxes(job, s, parts, to);
    rv_status status = narrow_pass(job, s, true, land->surface, s->half);
    return status == RV_OK ? narrow_pass(job, s, false, s->half, to) : status;
}
