/* paint.c: writes a picture of a field laid over the shaded land (picture/overlay.c). */
#include "picture/overlay.h"
#include "steps/step.h"
#include "wear/planned_files.h"

typedef struct painting {
    const rv_paint_params *p;
    unsigned char *rgb;
} painting;

static rv_status run(rvi_job *job) {
    const rv_terrain *land = job->land;
    const painting *s = job->state;
    const rv_paint_params *p = s->p;
    rvi_overlay how = {{p->azimuth, p->altitude, p->z}, p->limit, p->opacity};
    rv_status status = rvi_overlay_paint(land, p->field, &how, s->rgb);
    if (status == RV_OK)
        status = rvi_png_write_picture(job->ctx, p->file, land->width, land->height, 3, s->rgb);
    return status;
}

rv_status rvi_step_paint(rvi_job *job, const rv_paint_params *p) {
    const char *lacks = rvi_overlay_lacks(job->land, p->field);
    rv_status status = rvi_job_draws(job, p->file, job->land->width, job->land->height);
    if (status == RV_OK && lacks)
        status = rvi_job_no_field(job, lacks, "to paint");
    if (status != RV_OK)
        return status;
    painting *s = rvi_job_begin(job, sizeof *s, run, NULL);
    if (!s)
        return RV_ERROR_MEMORY;
    s->p = p;
    rvi_job_buffer(job, &s->rgb, rvi_cells(job->land), 3, "a picture");
    rvi_buffers_pass(&job->buffers, rvi_overlay_memory(job->land, p->field));
    return RV_OK;
}
