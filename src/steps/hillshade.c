/* hillshade.c: writes a picture of the land lit from one side (picture/shade.c). */
#include "picture/shade.h"
#include "steps/step.h"
#include "wear/planned_files.h"

typedef struct sheet {
    const rv_hillshade_params *p;
    int channels;
    unsigned char *bytes;
} sheet;

static rv_status run(rvi_job *job) {
    const rv_terrain *land = job->land;
    const sheet *s = job->state;
    rvi_light light = {s->p->azimuth, s->p->altitude, s->p->z};
    rv_status status = s->channels == 3 ? rvi_shade_land(land, &light, s->bytes)
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
    return RV_OK;
}
