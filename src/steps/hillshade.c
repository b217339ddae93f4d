/* hillshade.c: writes a picture of the land lit from one side (picture/shade.c). */
#include "device/device_range.h"
#include "picture/shade.h"
#include "steps/step.h"
#include "wear/planned_files.h"

typedef struct sheet {
    const rv_hillshade_params *p;
    int channels;
    unsigned char *bytes;
    float *parts; /* to work with on a device */
} sheet;

static rv_status shade_on_device(const rvi_job *job, const sheet *s, const rvi_light *light) {
    const rv_terrain *land = job->land;
    float low = 0, high = 1;
    rv_status status = RV_OK;
    if (s->channels == 3)
        status =
            rvi_device_range(job->device, land->surface, rvi_cells(land), s->parts, &low, &high);
    const rvi_shade_rules rules = rvi_shade_prepare(land, light, low, high);
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_READ, land->surface),
        {RVI_DEVICE_WRITE, s->bytes, rvi_cells(land) * (size_t)s->channels},
        RVI_VALUE(rules),
    };
    if (status == RV_OK)
        status =
            RVI_RUN(job->device, "hillshade_map", s->channels == 3 ? "shade_land" : "shade_grey",
                    (size_t)land->width, (size_t)land->height, args);
    return status == RV_OK ? rvi_device_fetch(job->device, s->bytes) : status;
}

static rv_status run(rvi_job *job) {
    const rv_terrain *land = job->land;
    const sheet *s = job->state;
    rvi_light light = {s->p->azimuth, s->p->altitude, s->p->z};
    rv_status status = job->device        ? shade_on_device(job, s, &light)
                       : s->channels == 3 ? rvi_shade_land(land, &light, s->bytes)
                                          : rvi_shade_grey(land, &light, s->bytes);
    if (status == RV_OK)
        status = rvi_png_write_picture(job->ctx, s->p->file, land->width, land->height, s->channels,
                                       s->bytes);
    return status;
}

rv_status rvi_step_hillshade(rvi_job *job, const rv_hillshade_params *p) {
    rv_status status = rvi_job_draws(job, p->file, job->land->width, job->land->height);
    if (status != RV_OK)
        return status;
    sheet *s = rvi_job_begin(job, sizeof *s, run, NULL);
    if (!s)
        return RV_ERROR_MEMORY;
    s->p = p;
    s->channels = p->tint == RV_hillshade_tint_land ? 3 : 1;
    rvi_job_buffer(job, &s->bytes, rvi_cells(job->land), (size_t)s->channels, "a picture");
    job->on_device = true;
    if (rvi_device_of(job->ctx))
        rvi_job_buffer(job, &s->parts, RVI_DEVICE_PARTS, sizeof *s->parts, "the range");
    return RV_OK;
}
