/* frame_sequence.c: numbered frames beside a file, and the film that ffmpeg makes of them.
 *
 * Frames are numbered one after the other, as programs that make films expect, and lie beside the
 * target, where a run that is resumed finds them. At the end ffmpeg makes a film of them. Only
 * then they are removed, the first one first: when it is gone, the film was made.
 */
#include "formats/frame_sequence.h"
#include "base/context.h"
#include "base/file.h"
#include "base/program.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { EXTENSION = 4, SPARE = 48 }; /* bytes: ".mp4", and what is added to a name */

rv_status rvi_sequence_check(rv_context *ctx, const char *file) {
    if (rvi_text_ends(file, ".png") || rvi_text_ends(file, ".mp4"))
        return RV_OK;
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

/* land.mp4: land-00007.png */
const char *rvi_sequence_name(rvi_sequence *s, int64_t number) {
    size_t stem = stem_of(s->file);
    snprintf(s->frame, stem + SPARE, "%.*s%s%05lld.png", (int)stem, s->file,
             dash_after(s->file, stem), (long long)number);
    return s->frame;
}

/* land.mp4: file:land-%05d.png; a percent sign of the name itself is doubled */
static void name_pattern(const rvi_sequence *s) {
    size_t stem = stem_of(s->file);
    char *to = s->pattern + snprintf(s->pattern, SPARE, "file:");
    for (size_t i = 0; i < stem; i++) {
        *to++ = s->file[i];
        if (s->file[i] == '%')
            *to++ = '%';
    }
    snprintf(to, SPARE / 2, "%s%%05d.png", dash_after(s->file, stem));
}

rv_status rvi_sequence_open(rv_context *ctx, const char *file, int64_t frames, int rate,
                            rvi_sequence *out) {
    size_t size = strlen(file) + SPARE;
    *out = (rvi_sequence){.ctx = ctx, .file = file, .frames = frames, .rate = rate};
    out->frame = rvi_alloc(ctx, 4, size, "the names of a film");
    if (!out->frame)
        return RV_ERROR_MEMORY;
    out->part = out->frame + size;
    out->pattern = out->part + size;
    snprintf(out->part, size, "file:%s.part", file);
    name_pattern(out);
    return RV_OK;
}

void rvi_sequence_close(rvi_sequence *sequence) {
    rvi_free(sequence->ctx, sequence->frame);
    *sequence = (rvi_sequence){.ctx = sequence->ctx};
}

/* ---- the film ---- */

/* The stricter players want even sides and colours in yuv420p. */
static rv_status run_ffmpeg(const rvi_sequence *s, int *code) {
    char rate[SPARE], count[SPARE];
    snprintf(rate, sizeof rate, "%d", s->rate);
    snprintf(count, sizeof count, "%lld", (long long)s->frames);
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
    return rvi_program_run(s->ctx, words, code);
}

static void remove_frames(rvi_sequence *s) {
    for (int64_t k = 0; k < s->frames; k++)
        rvi_file_remove(rvi_sequence_name(s, k));
}

/* ffmpeg would skip a frame that was removed, without an error. */
static rv_status check_frames(rvi_sequence *s) {
    for (int64_t k = 0; k < s->frames; k++)
        if (!rvi_file_exists(rvi_sequence_name(s, k)))
            return rvi_fail(s->ctx, RV_ERROR_INPUT, "%s: its frame %s is missing.", s->file,
                            s->frame);
    return RV_OK;
}

static rv_status join_frames(rvi_sequence *s) {
    const char *file = s->file, *part = s->part + strlen("file:");
    int code;
    rv_status status = check_frames(s);
    if (status != RV_OK)
        return status;
    status = run_ffmpeg(s, &code);
    rvi_sequence_name(s, 0);
    if (status == RV_OK && code == RVI_PROGRAM_MISSING) {
        rvi_log(s->ctx, "%s: ffmpeg is not installed, so the frames are kept: %lld, from %s on",
                file, (long long)s->frames, s->frame);
        return RV_OK;
    }
    if (status == RV_OK && code != 0)
        status = rvi_fail(s->ctx, RV_ERROR_OUTPUT,
                          "%s: ffmpeg failed with code %d; the frames are kept, from %s on.", file,
                          code, s->frame);
    if (status == RV_OK)
        status = rvi_file_rename(s->ctx, part, file);
    if (status != RV_OK) {
        rvi_file_remove(part);
        return status;
    }
    remove_frames(s);
    rvi_log(s->ctx, "%s: %lld frame%s, %.3g s", file, (long long)s->frames,
            s->frames == 1 ? "" : "s", (double)s->frames / s->rate);
    return RV_OK;
}

/* After the last frame. */
rv_status rvi_sequence_finish(rvi_sequence *s) {
    rvi_sequence_name(s, 0);
    if (!rvi_text_ends(s->file, ".mp4")) {
        rvi_log(s->ctx, "%s: the first of %lld frame%s", s->frame, (long long)s->frames,
                s->frames == 1 ? "" : "s");
        return RV_OK;
    }
    /* Was the run killed after the film was made, and resumed from before that? */
    if (!rvi_file_exists(s->frame) && rvi_file_exists(s->file)) {
        rvi_log(s->ctx, "%s: was made before the run was stopped", s->file);
        remove_frames(s);
        return RV_OK;
    }
    return join_frames(s);
}
