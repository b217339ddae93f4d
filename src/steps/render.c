/* render.c: writes a perspective picture of the land (picture/view.c). */
#include "base/math.h"
#include "base/text.h"
#include "formats/colour_file.h"
#include "picture/mirrored_land.h"
#include "picture/view.h"
#include "steps/render/view_device.h"
#include "steps/step.h"
#include "wear/planned_files.h"

#include <math.h>
#include <string.h>

_Static_assert((int)RV_render_look_alpine == (int)RVI_LOOK_ALPINE &&
                   (int)RV_render_look_desert == (int)RVI_LOOK_DESERT &&
                   (int)RV_render_look_clay == (int)RVI_LOOK_CLAY &&
                   (int)RV_render_look_map == (int)RVI_LOOK_MAP &&
                   (int)RV_render_look_COUNT == (int)RVI_LOOKS,
               "render has the looks of picture/palette.h");

typedef struct picture {
    const rv_render_params *p;
    rvi_view view;
    rvi_palette palette;
    rvi_picture sky, normals; /* read by the run */
    rvi_view_device device;
    unsigned char *rgb;
} picture;

/* ---- what the user says ---- */

static rv_status read_place(rvi_job *job, const char *key, const char *text, double out[3]) {
    if (rvi_text_vector(text, strlen(text), out) && isfinite(out[0]) && isfinite(out[1]) &&
        isfinite(out[2]))
        return RV_OK;
    return rvi_fail(job->ctx, RV_ERROR_USAGE,
                    "render: %s=%s is no place; it must be x/y/z in metres, such as 1200/800/20.",
                    key, text);
}

static rv_status read_camera(rvi_job *job, const rv_render_params *p, rvi_shot *shot) {
    const rv_terrain *land = job->land;
    if (p->eye[0] == '\0')
        return p->target[0] == '\0' ? RV_OK
                                    : rvi_fail(job->ctx, RV_ERROR_USAGE,
                                               "render: target=%s needs eye=, the place to look "
                                               "from.",
                                               p->target);
    shot->placed = true;
    shot->target[0] = 0.5 * (land->width - 1) * (double)land->cell;
    shot->target[1] = 0.5 * (land->height - 1) * (double)land->cell;
    shot->target[2] = 0;
    rv_status status = read_place(job, "eye", p->eye, shot->eye);
    if (status == RV_OK && shot->eye[2] < 0)
        status =
            rvi_fail(job->ctx, RV_ERROR_USAGE,
                     "render: eye=%s lies below the ground; z is the height above it.", p->eye);
    return status == RV_OK && p->target[0] ? read_place(job, "target", p->target, shot->target)
                                           : status;
}

/* The colours of the look, but for those that a file names. */
static rv_status read_palette(rvi_job *job, picture *s) {
    const char *path = s->p->palette;
    rvi_named_colour colours[RVI_COLOURS];
    int count;
    if (path[0] == '\0')
        return RV_OK;
    s->palette = *rvi_palette_of((rvi_look)s->p->look);
    s->view.palette = &s->palette;
    rv_status status = rvi_colours_read(job->ctx, path, colours, &count);
    for (int k = 0; k < count && status == RV_OK; k++)
        if (!rvi_palette_set(&s->palette, colours[k].name, colours[k].rgb))
            status = rvi_fail(job->ctx, RV_ERROR_INPUT,
                              "%s, line %d: there is no colour \"%s\"; there are: %s.", path,
                              colours[k].line, colours[k].name, rvi_palette_names);
    return status == RV_OK ? rvi_job_reads(job, path) : status;
}

static rv_status try_picture(rvi_job *job, const char *path, const void *arg) {
    rvi_picture read;
    (void)arg;
    rv_status status = rvi_png_read_picture(job->ctx, path, &read);
    rvi_free(job->ctx, read.rgb);
    return status;
}

/* An image that the run will read: how large is it? What it takes is listed. */
static rv_status look_at(rvi_job *job, const char *file, rvi_picture *kept, rvi_image *out) {
    rv_status status = rvi_png_check_name(job->ctx, file);
    if (status == RV_OK)
        status = rvi_job_look_picture(job, file, out);
    if (status == RV_OK)
        status = rvi_job_try(job, file, try_picture, NULL);
    if (status != RV_OK)
        return status;
    rvi_buffers_keep(&job->buffers, rvi_alloc_size((size_t)out->width * (size_t)out->height, 3));
    rvi_buffers_pass(&job->buffers, rvi_image_bytes(out));
    rvi_buffers_own(&job->buffers, &kept->rgb);
    return RV_OK;
}

static rv_status look_at_sky(rvi_job *job, picture *s) {
    rvi_image image;
    rv_status status = s->p->sky[0] ? look_at(job, s->p->sky, &s->sky, &image) : RV_OK;
    if (status == RV_OK && s->p->sky[0] && image.width < 2 * image.height)
        return rvi_fail(job->ctx, RV_ERROR_INPUT,
                        "%s is %d x %d pixels; a sky is twice as wide as high, or wider.",
                        s->p->sky, image.width, image.height);
    return status;
}

/* One that lies over the land has its shape, to a pixel or two in a hundred. */
static rv_status look_at_normals(rvi_job *job, picture *s) {
    const rv_render_params *p = s->p;
    const rv_terrain *land = job->land;
    rvi_image image;
    if (p->normals[0] == '\0')
        return RV_OK;
    rv_status status = look_at(job, p->normals, &s->normals, &image);
    if (status != RV_OK || !isnan(p->tile))
        return status;
    double shape = (double)image.width / (double)image.height;
    double wanted = (double)land->width / (double)land->height;
    if (fabs(shape / wanted - 1.0) > 0.02 + 1.0 / rvi_mini(image.width, image.height))
        return rvi_fail(job->ctx, RV_ERROR_INPUT,
                        "%s is %d x %d pixels, but the land has %d x %d cells: a normal map over "
                        "the land has its shape; tile= repeats one of any shape.",
                        p->normals, image.width, image.height, land->width, land->height);
    return RV_OK;
}

static rv_status read_images(rvi_job *job, picture *s) {
    const rv_render_params *p = s->p;
    rv_status status = p->sky[0] ? rvi_png_read_picture(job->ctx, p->sky, &s->sky) : RV_OK;
    if (status == RV_OK && p->normals[0])
        status = rvi_png_read_picture(job->ctx, p->normals, &s->normals);
    s->view.sky = (rvi_own_image){s->sky.width, s->sky.height, s->sky.rgb};
    s->view.normals.image = (rvi_own_image){s->normals.width, s->normals.height, s->normals.rgb};
    s->view.normals.tile = p->tile;
    return status;
}

static rvi_view view_of(const rv_render_params *p) {
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
                     .haze = p->haze,
                     .endless = p->frame == RV_render_frame_none,
                     .trees = p->trees};
    if (!isnan(p->time)) {
        float azimuth, altitude;
        rvi_sky_time(p->time, &azimuth, &altitude);
        view.sun_azimuth = isnan(p->sun) ? azimuth : p->sun;
        view.sun_altitude = isnan(p->altitude) ? altitude : p->altitude;
    }
    return view;
}

/* Land that goes on is mirrored on all sides. */
static rv_status check_frame(rvi_job *job, const picture *s) {
    const rv_terrain *land = job->land;
    int longer = rvi_maxi(land->width, land->height);
    if (!s->view.endless || longer + 2 * rvi_mirrored_margin(land) <= RVI_SIDE_MOST)
        return RV_OK;
    return rvi_fail(job->ctx, RV_ERROR_USAGE,
                    "frame=none is for land of at most %d cells along a side; this has %d x %d.",
                    RVI_SIDE_MOST / 2 - 1, land->width, land->height);
}

/* ---- the step ---- */

static rv_status run(rvi_job *job) {
    picture *s = job->state;
    const rv_render_params *p = s->p;
    rv_status status = read_images(job, s);
    if (status == RV_OK)
        status = job->device ? rvi_view_device_draw(&s->device, s->rgb)
                             : rvi_view_draw(job->land, &s->view, s->rgb);
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
    s->view = view_of(p);
    status = check_frame(job, s);
    if (status == RV_OK)
        status = read_camera(job, p, &s->view.shot);
    if (status == RV_OK)
        status = read_palette(job, s);
    if (status == RV_OK)
        status = look_at_sky(job, s);
    if (status == RV_OK)
        status = look_at_normals(job, s);
    rvi_job_buffer(job, &s->rgb, (size_t)p->width * (size_t)p->height, 3, "a picture");
    job->on_device = job->doubles = rvi_view_device_can(job->land);
    s->device.job = job;
    s->device.view = &s->view;
    bool device = job->on_device && rvi_device_of(job->ctx);
    if (device)
        rvi_view_device_plan(&s->device);
    rvi_buffers_pass(&job->buffers, device ? rvi_view_device_memory(&s->device)
                                           : rvi_view_memory(job->land, &s->view));
    return status;
}
