/* film.c: a picture at every so many turns of a repeat, and at the end a film of them.
 *
 * Of the turns 0 ... T - 1 those that `every` divides are shown, and the last one: frame k shows
 * turn min(k every, T - 1). At the last turn the film is made of them.
 */
#include "base/math.h"
#include "base/text.h"
#include "formats/format.h"
#include "formats/frame_sequence.h"
#include "picture/overlay.h"
#include "picture/view.h"
#include "steps/step.h"

#include <stdio.h>
#include <string.h>

typedef struct film {
    rv_context *ctx;
    const rv_terrain *land;
    const rv_film_params *p;
    rvi_sequence sequence;
} film;

/* ---- a frame ---- */

_Static_assert((int)RV_film_look_alpine == (int)RVI_LOOK_ALPINE &&
                   (int)RV_film_look_desert == (int)RVI_LOOK_DESERT &&
                   (int)RV_film_look_clay == (int)RVI_LOOK_CLAY &&
                   (int)RV_film_look_map == (int)RVI_LOOK_MAP &&
                   (int)RV_film_look_COUNT == (int)RVI_LOOKS,
               "film has the looks of picture/palette.h");

static bool in_perspective(const rv_film_params *p) {
    return strcmp(p->view, "render") == 0;
}

/* The camera is `orbit` farther round after the last frame, where a film begins again. */
static rv_status draw_perspective(const film *f, int64_t number, unsigned char *bytes) {
    const rv_film_params *p = f->p;
    double turns =
        ((double)p->camera + (double)p->orbit * (double)number / (double)f->sequence.frames) / 360;
    rvi_view view = {.look = (rvi_look)p->look,
                     .shot = {.width = p->width,
                              .height = p->height,
                              .azimuth = (float)(360 * (turns - rvi_floor(turns))),
                              .elevation = p->elevation,
                              .distance = 1,
                              .fov = 36,
                              .z = rvi_maxf(p->z, 0.01f),
                              .steady = true},
                     .sun_azimuth = p->azimuth,
                     .sun_altitude = p->altitude,
                     .snow = p->snow,
                     .haze = 1};
    return rvi_view_draw(f->land, &view, bytes);
}

static rv_status draw(const film *f, int64_t number, unsigned char *bytes, int *channels) {
    const rv_film_params *p = f->p;
    rvi_overlay how = {{p->azimuth, p->altitude, p->z}, p->limit, p->opacity};
    *channels = strcmp(p->view, "hillshade") == 0 ? 1 : 3;
    if (*channels == 1)
        return rvi_shade_grey(f->land, &how.light, bytes);
    if (strcmp(p->view, "tint") == 0)
        return rvi_shade_land(f->land, &how.light, bytes);
    if (in_perspective(p))
        return draw_perspective(f, number, bytes);
    return rvi_overlay_paint(f->land, p->view, &how, bytes);
}

static rv_status write_frame(film *f, int64_t number) {
    bool perspective = in_perspective(f->p);
    int width = perspective ? f->p->width : f->land->width;
    int height = perspective ? f->p->height : f->land->height;
    unsigned char *bytes =
        rvi_alloc(f->ctx, (size_t)width * (size_t)height, 3, "a frame of a film");
    if (!bytes)
        return RV_ERROR_MEMORY;
    int channels;
    rv_status status = draw(f, number, bytes, &channels);
    if (status == RV_OK)
        status = rvi_png_write_picture(f->ctx, rvi_sequence_name(&f->sequence, number), width,
                                       height, channels, bytes);
    rvi_free(f->ctx, bytes);
    return status;
}

/* ---- the film ---- */

static rv_status check(rvi_job *job, const rv_film_params *p) {
    rv_status status = rvi_sequence_check(job->ctx, p->file);
    if (status != RV_OK)
        return status;
    if (strcmp(p->view, "hillshade") == 0 || strcmp(p->view, "tint") == 0 || in_perspective(p))
        return RV_OK;
    const char *lacks = rvi_overlay_lacks(job->land, p->view);
    return lacks ? rvi_job_no_field(job, lacks, "to film, and it is not hillshade, tint or render")
                 : RV_OK;
}

rv_status rvi_step_film(rvi_job *job, const rv_film_params *p) {
    if (job->planning) {
        job->memory = in_perspective(p)
                          ? (size_t)p->width * (size_t)p->height * 3 + rvi_view_memory(job->land)
                          : rvi_cells(job->land) * 8;
        return RV_OK;
    }
    int64_t last = job->turns - 1;
    if (job->turn % p->every != 0 && job->turn != last)
        return RV_OK;
    rv_status status = check(job, p);
    film f = {.ctx = job->ctx, .land = job->land, .p = p, .sequence = {.ctx = job->ctx}};
    int64_t frames = last / p->every + (last % p->every != 0) + 1;
    if (status == RV_OK)
        status = rvi_sequence_open(job->ctx, p->file, frames, p->rate, &f.sequence);
    if (status == RV_OK)
        status = write_frame(&f, job->turn / p->every + (job->turn % p->every != 0));
    if (status == RV_OK && job->turn == last)
        status = rvi_sequence_finish(&f.sequence);
    rvi_sequence_close(&f.sequence);
    return status;
}
