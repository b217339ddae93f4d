/* sequence.c: numbered frames beside a file, and the film that ffmpeg makes of them.
 *
 * Frames are numbered one after the other, as programs that make films expect, and lie beside the
 * target, where a run that is resumed finds them. At the end ffmpeg joins them, and only then they
 * go, the first one first: when it is gone, the film was made.
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

/* Bytes of the name before the number; a number that the name asks for itself stands there. */
static size_t stem_of(const char *file) {
    size_t stem = strlen(file) - EXTENSION;
    return stem >= 4 && strncmp(file + stem - 4, "%05d", 4) == 0 ? stem - 4 : stem;
}

static const char *dash_after(const char *file, size_t stem) {
    return stem > 0 && strchr("-_/", file[stem - 1]) ? "" : "-";
}

/* land.mp4: land-00007.png */
const char *rvi_sequence_name(rvi_sequence *r, int64_t number) {
    size_t stem = stem_of(r->file);
    snprintf(r->frame, stem + SPARE, "%.*s%s%05lld.png", (int)stem, r->file,
             dash_after(r->file, stem), (long long)number);
    return r->frame;
}

/* land.mp4: file:land-%05d.png, where a percent sign of the name itself stands twice */
static void name_pattern(const rvi_sequence *r) {
    size_t stem = stem_of(r->file);
    char *to = r->pattern + snprintf(r->pattern, SPARE, "file:");
    for (size_t i = 0; i < stem; i++) {
        *to++ = r->file[i];
        if (r->file[i] == '%')
            *to++ = '%';
    }
    snprintf(to, SPARE / 2, "%s%%05d.png", dash_after(r->file, stem));
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
static rv_status run_ffmpeg(const rvi_sequence *r, int *code) {
    char rate[SPARE], count[SPARE];
    snprintf(rate, sizeof rate, "%d", r->rate);
    snprintf(count, sizeof count, "%lld", (long long)r->frames);
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
                                 r->pattern,
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
                                 r->part,
                                 NULL};
    return rvi_program_run(r->ctx, words, code);
}

static void remove_frames(rvi_sequence *r) {
    for (int64_t k = 0; k < r->frames; k++)
        rvi_file_remove(rvi_sequence_name(r, k));
}

/* ffmpeg would leave out what someone has removed, and say nothing. */
static rv_status check_frames(rvi_sequence *r) {
    for (int64_t k = 0; k < r->frames; k++)
        if (!rvi_file_exists(rvi_sequence_name(r, k)))
            return rvi_fail(r->ctx, RV_ERROR_INPUT, "%s: its frame %s is missing.", r->file,
                            r->frame);
    return RV_OK;
}

static rv_status join_frames(rvi_sequence *r) {
    const char *file = r->file, *part = r->part + strlen("file:");
    int code;
    rv_status status = check_frames(r);
    if (status != RV_OK)
        return status;
    status = run_ffmpeg(r, &code);
    rvi_sequence_name(r, 0);
    if (status == RV_OK && code == RVI_PROGRAM_MISSING) {
        rvi_log(r->ctx, "%s: there is no ffmpeg to make it; its frames stay, %lld from %s on", file,
                (long long)r->frames, r->frame);
        return RV_OK;
    }
    if (status == RV_OK && code != 0)
        status = rvi_fail(r->ctx, RV_ERROR_OUTPUT,
                          "%s: ffmpeg failed with code %d; the frames stay, from %s on.", file,
                          code, r->frame);
    if (status == RV_OK)
        status = rvi_file_rename(r->ctx, part, file);
    if (status != RV_OK) {
        rvi_file_remove(part);
        return status;
    }
    remove_frames(r);
    rvi_log(r->ctx, "%s: %lld frame%s, %.3g s", file, (long long)r->frames,
            r->frames == 1 ? "" : "s", (double)r->frames / r->rate);
    return RV_OK;
}

/* After the last frame. */
rv_status rvi_sequence_finish(rvi_sequence *r) {
    rvi_sequence_name(r, 0);
    if (!rvi_text_ends(r->file, ".mp4")) {
        rvi_log(r->ctx, "%s: the first of %lld frame%s", r->frame, (long long)r->frames,
                r->frames == 1 ? "" : "s");
        return RV_OK;
    }
    /* Killed after the film was made and resumed before it? */
    if (!rvi_file_exists(r->frame) && rvi_file_exists(r->file)) {
        rvi_log(r->ctx, "%s: was made before the run was stopped", r->file);
        remove_frames(r);
        return RV_OK;
    }
    return join_frames(r);
}
