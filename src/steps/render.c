/* render.c: writes a perspective picture of the land (picture/view.c). */
#include "picture/view.h"
#include "steps/step.h"
#include "wear/planned_files.h"

_Static_assert((int)RV_render_look_alpine == (int)RVI_LOOK_ALPINE &&
                   (int)RV_render_look_desert == (int)RVI_LOOK_DESERT &&
                   (int)RV_render_look_clay == (int)RVI_LOOK_CLAY &&
                   (int)RV_render_look_map == (int)RVI_LOOK_MAP &&
                   (int)RV_render_look_COUNT == (int)RVI_LOOKS,
               "render has the looks of picture/palette.h");

typedef struct picture {
    const rv_render_params *p;
    unsigned char *rgb;
} picture;

static rv_status run(rvi_job *job) {
    const picture *s = job->state;
    const rv_render_params *p = s->p;
    rvi_view view = {.look = (rvi_look)p->look,
                     .shot = {.width = p->width,
                              .height = p->height,
                              .azimuth = p->azimuth,
                              .elevation = p->elevation,
                              .distance = p->distance,
                              .fov = p->fov,
                              .z = p->z},
                     .sun_azimuth = p->sun,
                     .sun_altitude = p->altitude,
                     .snow = p->snow,
                     .haze = p->haze};
    rv_status status = rvi_view_draw(job->land, &view, s->rgb);
    if (status == RV_OK)
        status = rvi_png_write_picture(job->ctx, p->file, p->width, p->height, 3, s->rgb);
    return status;
}

rv_status rvi_step_render(rvi_job *job, const rv_render_params *p) {
    rv_status status = rvi_job_draws(job, p->file, p->width, p->height);
    if (status != RV_OK)
        return status;
    picture *s = rvi_job_begin(job, sizeof *s, run, NULL);
    if (!s)
        return RV_ERROR_MEMORY;
    s->p = p;
    rvi_job_buffer(job, &s->rgb, (size_t)p->width * (size_t)p->height, 3, "a picture");
    rvi_buffers_pass(&job->buffers, rvi_view_memory(job->land));
    return RV_OK;
}
