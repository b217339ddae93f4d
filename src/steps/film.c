/* film.c: a picture at every so many turns of a repeat, and at the end a film of them.
 *
 * Of the turns 0 ... T - 1 those that `every` divides are shown, and the last one: frame k shows
 * turn min(k every, T - 1). At the last turn the film is made of them.
 *
 * A film of steps (frames=) runs once, as the first turn of as many as it has frames; the run of
 * the recipe asks for the others (recipe/filming.c).
 */
#include "base/math.h"
#include "base/text.h"
#include "formats/frame_sequence.h"
#include "picture/overlay.h"
#include "picture/view.h"
#include "steps/step.h"
#include "wear/planned_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct film {
    rv_context *ctx;
    const rv_terrain *land;
    const rv_film_params *p;
    rvi_sequence sequence;
    int width, height; /* of a frame, in pixels */
    unsigned char *bytes;
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

static rvi_view view_of(const rv_film_params *p, float azimuth) {
    return (rvi_view){.look = (rvi_look)p->look,
                      .shot = {.width = p->width,
                               .height = p->height,
                               .azimuth = azimuth,
                               .elevation = p->elevation,
                               .distance = 1,
                               .fov = 36,
                               .z = rvi_maxf(p->z, 0.01f),
                               .steady = true},
                      .sun_azimuth = p->azimuth,
                      .sun_altitude = p->altitude,
                      .snow = p->snow,
                      .haze = 1,
                      .trees = NAN};
}

/* The camera is `orbit` farther round after the last frame, where a film begins again. */
static rv_status draw_perspective(const film *f, int64_t number) {
    const rv_film_params *p = f->p;
    double turns =
        ((double)p->camera + (double)p->orbit * (double)number / (double)f->sequence.frames) / 360;
    rvi_view view = view_of(p, (float)(360 * (turns - rvi_floor(turns))));
    return rvi_view_draw(f->land, &view, f->bytes);
}

static rv_status draw(const film *f, int64_t number, int *channels) {
    const rv_film_params *p = f->p;
    rvi_overlay how = {{p->azimuth, p->altitude, p->z}, p->limit, p->opacity};
    *channels = strcmp(p->view, "hillshade") == 0 ? 1 : 3;
    if (*channels == 1)
        return rvi_shade_grey(f->land, &how.light, f->bytes);
    if (strcmp(p->view, "tint") == 0)
        return rvi_shade_land(f->land, &how.light, f->bytes);
    if (in_perspective(p))
        return draw_perspective(f, number);
    if (!rvi_film_lacks(f->land, p))
        return rvi_overlay_paint(f->land, p->view, &how, f->bytes);
    how.opacity = 0; /* the land alone: a step that is yet to come makes the field */
    return rvi_overlay_paint(f->land, "height", &how, f->bytes);
}

static rv_status write_frame(film *f, int64_t number) {
    int channels;
    const char *name;
    rv_status status = rvi_sequence_frame(&f->sequence, number, &name);
    if (status == RV_OK)
        status = draw(f, number, &channels);
    if (status == RV_OK)
        status = rvi_png_write_picture(f->ctx, name, f->width, f->height, channels, f->bytes);
    return status;
}

/* ---- the film ---- */

static bool is_shaded(const rv_film_params *p) {
    return strcmp(p->view, "hillshade") == 0 || strcmp(p->view, "tint") == 0;
}

const char *rvi_film_lacks(const rv_terrain *land, const rv_film_params *p) {
    return is_shaded(p) || in_perspective(p) ? NULL : rvi_overlay_lacks(land, p->view);
}

static rv_status check_view(rvi_job *job, const rv_film_params *p) {
    const char *lacks = p->frames > 0 ? NULL : rvi_film_lacks(job->land, p);
    return lacks ? rvi_job_no_field(job, lacks, "to film, and it is not hillshade, tint or render")
                 : RV_OK;
}

static int64_t count_frames(const rv_film_params *p, int64_t turns) {
    int64_t last = turns - 1;
    return turns > 0 ? last / p->every + (last % p->every != 0) + 1 : 0;
}

/* Steps that come after may read the frames of a .png. */
static rv_status check_files(rvi_job *job, const film *f) {
    const rvi_planned_file frames = {
        .image = {.width = f->width, .height = f->height, .levels = true, .bits = 8},
        .frames = count_frames(f->p, job->turns)};
    bool kept = rvi_text_ends(f->p->file, ".png");
    rv_status status = rvi_sequence_check(job->ctx, f->p->file);
    if (status == RV_OK) /* frames of a film lie in a folder of the run */
        status = rvi_png_check_name(job->ctx, kept ? f->p->file : "00000.png");
    if (status != RV_OK || !kept)
        return status == RV_OK ? rvi_job_writes(job, f->p->file, NULL) : status;
    char *stem = rvi_sequence_stem(job->ctx, f->p->file);
    status = stem ? rvi_job_writes_frames(job, stem, &frames) : RV_ERROR_MEMORY;
    rvi_free(job->ctx, stem);
    return status;
}

void rvi_film_tell(rv_context *ctx, const rv_film_params *p, int64_t turns, bool goes_on) {
    rvi_sequence_tell(ctx, p->file, count_frames(p, turns), goes_on);
}

static void set_size(film *f) {
    bool perspective = in_perspective(f->p);
    f->width = perspective ? f->p->width : f->land->width;
    f->height = perspective ? f->p->height : f->land->height;
}

/* What drawing takes, beside the picture itself. */
static size_t drawn_with(const rv_terrain *land, const rv_film_params *p) {
    const rvi_view view = view_of(p, 0);
    if (in_perspective(p))
        return rvi_view_memory(land, &view);
    return is_shaded(p) ? 0 : rvi_overlay_memory(land, p->view);
}

rv_status rvi_film_frame(const rv_terrain *land, const rv_film_params *p, rvi_run_files *files,
                         int64_t number, int64_t frames) {
    film f = {.ctx = land->ctx, .land = land, .p = p};
    set_size(&f);
    f.bytes = rvi_alloc(f.ctx, (size_t)f.width * (size_t)f.height, 3, "a frame of a film");
    rv_status status = f.bytes ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = rvi_sequence_open(files, p->file, frames, p->rate, &f.sequence);
    if (status == RV_OK)
        status = write_frame(&f, number);
    if (status == RV_OK && number == frames - 1)
        status = rvi_sequence_finish(&f.sequence);
    rvi_sequence_close(&f.sequence);
    rvi_free(f.ctx, f.bytes);
    return status;
}

size_t rvi_film_memory(const rv_terrain *land, const rv_film_params *p) {
    film f = {.land = land, .p = p};
    set_size(&f);
    size_t png = rvi_png_bytes((size_t)f.width * 3), drawn = drawn_with(land, p);
    return rvi_add_sizes(rvi_alloc_size((size_t)f.width * (size_t)f.height, 3),
                         drawn > png ? drawn : png);
}

static rv_status run(rvi_job *job) {
    film *f = job->state;
    const rv_film_params *p = f->p;
    int64_t last = job->turns - 1;
    rv_status status = rvi_sequence_open(job->run_files, p->file, count_frames(p, job->turns),
                                         p->rate, &f->sequence);
    if (status == RV_OK)
        status = write_frame(f, job->turn / p->every + (job->turn % p->every != 0));
    if (status == RV_OK && job->turn == last)
        status = rvi_sequence_finish(&f->sequence);
    rvi_sequence_close(&f->sequence);
    return status;
}

rv_status rvi_step_film(rvi_job *job, const rv_film_params *p) {
    const rv_terrain *land = job->land;
    if (job->turn % p->every != 0 && job->turn != job->turns - 1)
        return RV_OK;
    if (p->frames > 0 && p->every != 1)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "film: every= counts turns of a repeat and frames= those of a step; give "
                        "one of them.");
    film *f = rvi_job_begin(job, sizeof *f, run, NULL);
    if (!f)
        return RV_ERROR_MEMORY;
    *f = (film){.ctx = job->ctx, .land = land, .p = p};
    set_size(f);
    rvi_job_buffer(job, &f->bytes, (size_t)f->width * (size_t)f->height, 3, "a frame of a film");
    rvi_buffers_pass(&job->buffers, drawn_with(land, p));
    rvi_buffers_pass(&job->buffers, rvi_png_bytes((size_t)f->width * 3));
    rv_status status = check_files(job, f);
    return status == RV_OK ? check_view(job, p) : status;
}
