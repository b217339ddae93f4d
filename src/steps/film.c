/* film.c: a picture at every so many turns of a repeat, and at the end a film of them.
 *
 * Of the turns 0 ... T - 1 those that `every` divides are shown, and the last one: frame k shows
 * turn min(k every, T - 1). Frames are numbered one after the other, as programs that make films
 * expect, and lie beside the target, where a run that is resumed finds them. At the last turn
 * ffmpeg joins them, and only then they go, the first one first: when it is gone, the film was
 * made.
 */
#include "base/math.h"
#include "base/program.h"
#include "base/text.h"
#include "formats/format.h"
#include "picture/overlay.h"
#include "picture/view.h"
#include "steps/step.h"

#include <stdio.h>
#include <string.h>

enum { EXTENSION = 4, SPARE = 48 }; /* bytes: ".mp4", and what is added to a name */

typedef struct film {
    rv_context *ctx;
    const rv_terrain *land;
    const rv_film_params *p;
    int64_t frames;
    char *frame;   /* the name of one: name_frame() */
    char *pattern; /* the names of all, as ffmpeg says them */
    char *part;    /* the film while it is made */
} film;

/* ---- names ---- */

static const char *dash_after(const char *file, size_t stem) {
    return stem > 0 && strchr("-_/", file[stem - 1]) ? "" : "-";
}

/* land.mp4: land-00007.png */
static void name_frame(const film *f, int64_t number) {
    size_t stem = strlen(f->p->file) - EXTENSION;
    snprintf(f->frame, stem + SPARE, "%.*s%s%05lld.png", (int)stem, f->p->file,
             dash_after(f->p->file, stem), (long long)number);
}

/* land.mp4: file:land-%05d.png, where a percent sign of the name itself stands twice */
static void name_pattern(const film *f) {
    const char *file = f->p->file;
    size_t stem = strlen(file) - EXTENSION;
    char *to = f->pattern + snprintf(f->pattern, SPARE, "file:");
    for (size_t i = 0; i < stem; i++) {
        *to++ = file[i];
        if (file[i] == '%')
            *to++ = '%';
    }
    snprintf(to, SPARE / 2, "%s%%05d.png", dash_after(file, stem));
}

static rv_status make_names(film *f) {
    size_t size = strlen(f->p->file) + SPARE;
    f->frame = rvi_alloc(f->ctx, 4, size, "the names of a film");
    if (!f->frame)
        return RV_ERROR_MEMORY;
    f->part = f->frame + size;
    f->pattern = f->part + size;
    snprintf(f->part, size, "file:%s.part", f->p->file);
    name_pattern(f);
    return RV_OK;
}

/* ---- a frame ---- */

_Static_assert((int)RV_film_look_map == (int)RV_render_look_map &&
                   (int)RV_film_look_COUNT == (int)RV_render_look_COUNT,
               "film has the looks of render");

static bool in_perspective(const rv_film_params *p) {
    return strcmp(p->view, "render") == 0;
}

/* The camera is `orbit` farther round after the last frame, where a film begins again. */
static rv_status draw_perspective(const film *f, int64_t number, unsigned char *bytes) {
    const rv_film_params *p = f->p;
    double turns =
        ((double)p->camera + (double)p->orbit * (double)number / (double)f->frames) / 360;
    rvi_view view = {.look = p->look,
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

static rv_status write_frame(const film *f, int64_t number) {
    bool perspective = in_perspective(f->p);
    int width = perspective ? f->p->width : f->land->width;
    int height = perspective ? f->p->height : f->land->height;
    unsigned char *bytes =
        rvi_alloc(f->ctx, (size_t)width * (size_t)height, 3, "a frame of a film");
    if (!bytes)
        return RV_ERROR_MEMORY;
    int channels;
    rv_status status = draw(f, number, bytes, &channels);
    name_frame(f, number);
    if (status == RV_OK)
        status = rvi_png_write_picture(f->ctx, f->frame, width, height, channels, bytes);
    rvi_free(f->ctx, bytes);
    return status;
}

/* ---- the film ---- */

/* The stricter players want even sides and colours in yuv420p. */
static rv_status run_ffmpeg(const film *f, int *code) {
    char rate[SPARE], count[SPARE];
    snprintf(rate, sizeof rate, "%d", f->p->rate);
    snprintf(count, sizeof count, "%lld", (long long)f->frames);
    const char *const words[] = {"ffmpeg",
                                 "-nostdin",
                                 "-loglevel",
                                 "quiet",
                                 "-y",
                                 "-f",
                                 "image2",
                                 "-pattern_type",
                                 "sequence",
                                 "-start_number",
                                 "0",
                                 "-framerate",
                                 rate,
                                 "-i",
                                 f->pattern,
                                 "-frames:v",
                                 count,
                                 "-vf",
                                 "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                                 "-pix_fmt",
                                 "yuv420p",
                                 "-movflags",
                                 "+faststart",
                                 "-f",
                                 "mp4",
                                 f->part,
                                 NULL};
    return rvi_program_run(f->ctx, words, code);
}

static void remove_frames(const film *f) {
    for (int64_t k = 0; k < f->frames; k++) {
        name_frame(f, k);
        rvi_file_remove(f->frame);
    }
}

static rv_status join_frames(const film *f) {
    const char *file = f->p->file, *part = f->part + strlen("file:");
    int code;
    rv_status status = run_ffmpeg(f, &code);
    name_frame(f, 0);
    if (status == RV_OK && code == RVI_PROGRAM_MISSING) {
        rvi_log(f->ctx, "%s: there is no ffmpeg to make it; its frames stay, %lld from %s on", file,
                (long long)f->frames, f->frame);
        return RV_OK;
    }
    if (status == RV_OK && code != 0)
        status = rvi_fail(f->ctx, RV_ERROR_OUTPUT,
                          "%s: ffmpeg failed with code %d; the frames stay, from %s on.", file,
                          code, f->frame);
    if (status == RV_OK)
        status = rvi_file_rename(f->ctx, part, file);
    if (status != RV_OK) {
        rvi_file_remove(part);
        return status;
    }
    remove_frames(f);
    rvi_log(f->ctx, "%s: %lld frame%s, %.3g s", file, (long long)f->frames,
            f->frames == 1 ? "" : "s", (double)f->frames / f->p->rate);
    return RV_OK;
}

/* After the last frame. */
static rv_status finish(const film *f) {
    name_frame(f, 0);
    if (!rvi_text_ends(f->p->file, ".mp4")) {
        rvi_log(f->ctx, "%s: the first of %lld frame%s", f->frame, (long long)f->frames,
                f->frames == 1 ? "" : "s");
        return RV_OK;
    }
    /* Killed after the film was made and resumed before it? */
    if (!rvi_file_exists(f->frame) && rvi_file_exists(f->p->file)) {
        rvi_log(f->ctx, "%s: was made before the run was stopped", f->p->file);
        remove_frames(f);
        return RV_OK;
    }
    return join_frames(f);
}

static rv_status check(rvi_job *job, const rv_film_params *p) {
    if (!rvi_text_ends(p->file, ".png") && !rvi_text_ends(p->file, ".mp4"))
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "%s: the name of a film must end in .mp4, or in .png for its frames.",
                        p->file);
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
    film f = {.ctx = job->ctx, .land = job->land, .p = p};
    f.frames = last / p->every + (last % p->every != 0) + 1;
    if (status == RV_OK)
        status = make_names(&f);
    if (status == RV_OK)
        status = write_frame(&f, job->turn / p->every + (job->turn % p->every != 0));
    if (status == RV_OK && job->turn == last)
        status = finish(&f);
    rvi_free(job->ctx, f.frame);
    return status;
}
