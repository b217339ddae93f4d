/* frame_sequence.c: numbered frames, and the film that ffmpeg makes of them.
 *
 * Frames are numbered one after the other, as programs that make films expect. Those that the user
 * asked for take their names. Those of a film lie in a folder of the run beside it, where a run
 * that is resumed finds them, and so does the film while ffmpeg makes it.
 */
#include "formats/frame_sequence.h"
#include "base/context.h"
#include "base/file.h"
#include "base/program.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { EXTENSION = 4, SPARE = 48 }; /* bytes: ".mp4", and what is added to a name */

static const char encoder[] = "ffmpeg";

rv_status rvi_sequence_check(rv_context *ctx, const char *file) {
    if (rvi_text_ends(file, ".png"))
        return RV_OK;
    if (rvi_text_ends(file, ".mp4"))
        return rvi_run_folder_check(ctx, file);
    return rvi_fail(ctx, RV_ERROR_USAGE,
                    "%s: the name of a film must end in .mp4, or in .png for its frames.", file);
}

/* ---- names ---- */

/* Bytes of the name before the number. "%05d" in the name stands for the number itself. */
static size_t stem_of(const char *file) {
    size_t stem = strlen(file) - EXTENSION;
    return stem >= 4 && strncmp(file + stem - 4, "%05d", 4) == 0 ? stem - 4 : stem;
}

static const char *dash_after(const char *file, size_t stem) {
    return stem > 0 && strchr("-_/", file[stem - 1]) ? "" : "-";
}

static const char *name_frame(const rvi_sequence *s, int64_t number) {
    if (s->folder) {
        snprintf(s->frame, strlen(s->folder) + SPARE, "%s/%05lld.png", s->folder,
                 (long long)number);
        return s->frame;
    }
    size_t stem = stem_of(s->file);
    snprintf(s->frame, stem + SPARE, "%.*s%s%05lld.png", (int)stem, s->file,
             dash_after(s->file, stem), (long long)number);
    return s->frame;
}

/* file:FOLDER/%05d.png; a percent sign of the name itself is doubled */
static void name_pattern(const rvi_sequence *s) {
    char *to = s->pattern + snprintf(s->pattern, SPARE, "file:");
    for (const char *from = s->folder; *from; from++) {
        *to++ = *from;
        if (*from == '%')
            *to++ = '%';
    }
    snprintf(to, SPARE / 2, "/%%05d.png");
}

static bool is_film(const char *file) {
    return rvi_text_ends(file, ".mp4");
}

rv_status rvi_sequence_open(rvi_run_files *run, const char *file, int64_t frames, int rate,
                            rvi_sequence *out) {
    *out = (rvi_sequence){.run = run, .file = file, .frames = frames, .rate = rate};
    rv_status status = is_film(file) ? rvi_run_folder_open(run, file, &out->folder) : RV_OK;
    if (status != RV_OK)
        return status;
    size_t size = strlen(out->folder ? out->folder : file) + SPARE;
    out->frame = rvi_alloc(run->ctx, 4, size, "the names of a film");
    if (!out->frame)
        return RV_ERROR_MEMORY;
    out->part = out->frame + size;
    out->pattern = out->part + size;
    if (out->folder) {
        snprintf(out->part, size, "file:%s/film.mp4", out->folder);
        name_pattern(out);
    }
    return RV_OK;
}

void rvi_sequence_close(rvi_sequence *sequence) {
    if (sequence->run)
        rvi_free(sequence->run->ctx, sequence->frame);
    *sequence = (rvi_sequence){0};
}

/* ---- frames ---- */

void rvi_numbered_tell(rv_context *ctx, const char *file, const rvi_numbered *names) {
    int64_t first, there = rvi_numbered_count(names, &first);
    if (there == 1)
        rvi_log(ctx, "%s: %s%05lld%s is there and will be overwritten", file, names->stem,
                (long long)first, names->tail);
    else if (there > 1)
        rvi_log(ctx, "%s: %lld files from %s%05lld%s on are there and will be overwritten", file,
                (long long)there, names->stem, (long long)first, names->tail);
}

char *rvi_sequence_stem(rv_context *ctx, const char *file) {
    size_t stem = stem_of(file), size = stem + SPARE;
    char *start = rvi_alloc(ctx, size, 1, "the names of a film");
    if (start)
        snprintf(start, size, "%.*s%s", (int)stem, file, dash_after(file, stem));
    return start;
}

void rvi_sequence_tell(rv_context *ctx, const char *file, int64_t frames, bool goes_on) {
    if (is_film(file) && frames > 0 && !rvi_program_there(encoder))
        rvi_log(ctx,
                "%s: ffmpeg is not installed, so there will be no film; its frames will be kept",
                file);
    if (is_film(file) || goes_on)
        return;
    char *stem = rvi_sequence_stem(ctx, file);
    if (stem)
        rvi_numbered_tell(ctx, file, &(rvi_numbered){stem, ".png", 0, 1, frames});
    rvi_free(ctx, stem);
}

static rv_status missing(const rvi_sequence *s) {
    return rvi_fail(s->run->ctx, RV_ERROR_INPUT, "%s: its frame %s is missing.", s->file, s->frame);
}

rv_status rvi_sequence_frame(rvi_sequence *s, int64_t number, const char **name) {
    if (s->folder && number > 0 && !rvi_file_exists(name_frame(s, number - 1)))
        return missing(s);
    *name = name_frame(s, number);
    return RV_OK;
}

/* ---- the film ---- */

/* The stricter players want even sides and colours in yuv420p. */
static rv_status run_ffmpeg(const rvi_sequence *s, int *code) {
    char rate[SPARE], count[SPARE];
    snprintf(rate, sizeof rate, "%d", s->rate);
    snprintf(count, sizeof count, "%lld", (long long)s->frames);
    const char *const words[] = {encoder,
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
                                 s->pattern,
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
                                 s->part,
                                 NULL};
    return rvi_program_run(s->run->ctx, words, code);
}

/* ffmpeg would skip a frame that was removed, without an error. */
static rv_status check_frames(const rvi_sequence *s) {
    for (int64_t k = 0; k < s->frames; k++)
        if (!rvi_file_exists(name_frame(s, k)))
            return missing(s);
    return RV_OK;
}

/* Hours of work are in the frames: what failed after the last one does not lose them, nor a film
 * that only lacks its name. */
static rv_status say_failed(rvi_sequence *s, rv_status status) {
    rv_context *ctx = s->run->ctx;
    char said[1024], kept[RVI_KEPT_ROOM];
    snprintf(said, sizeof said, "%s", rv_context_error(ctx));
    size_t size = strlen(said);
    if (size > 0 && said[size - 1] == '.')
        said[size - 1] = '\0';
    if (s->run->saved)
        return rvi_fail(ctx, status, "%s; the frames wait for a resume of the run.", said);
    if (rvi_run_folder_hand_over(s->run, s->folder, kept) != RV_OK)
        return status;
    s->folder = NULL;
    return rvi_fail(ctx, status, "%s; the frames are kept in %s.", said, kept);
}

static rv_status join_frames(rvi_sequence *s, bool *made) {
    rv_context *ctx = s->run->ctx;
    const char *part = s->part + strlen("file:");
    int code;
    rv_status status = check_frames(s);
    if (status == RV_OK)
        status = run_ffmpeg(s, &code);
    *made = status == RV_OK && code != RVI_PROGRAM_MISSING;
    if (!*made)
        return status;
    if (code != 0) {
        rvi_file_remove(part);
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: ffmpeg failed with code %d.", s->file, code);
    }
    if (!rvi_file_exists(part))
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "%s: ffmpeg ended without a film.", s->file);
    status = rvi_file_rename(ctx, part, s->file);
    if (status == RV_OK)
        rvi_log(ctx, "%s: %lld frame%s, %.3g s", s->file, (long long)s->frames,
                s->frames == 1 ? "" : "s", (double)s->frames / s->rate);
    return status;
}

/* After the last frame. The frames of a run with a checkpoint stay until it ends: it may be killed
 * and resumed from before this. */
rv_status rvi_sequence_finish(rvi_sequence *s) {
    if (s->folder) {
        bool made;
        rv_status status = join_frames(s, &made);
        if (status == RV_CANCELLED)
            return status;
        if (status != RV_OK)
            return say_failed(s, status);
        if (!made)
            return rvi_run_folder_keep(s->run, s->folder);
        if (!s->run->checkpoint && !s->run->saved) {
            rvi_run_folder_close(s->run, s->folder);
            s->folder = NULL;
        }
        return RV_OK;
    }
    rvi_log(s->run->ctx, "%s: the first of %lld frame%s", name_frame(s, 0), (long long)s->frames,
            s->frames == 1 ? "" : "s");
    return RV_OK;
}
