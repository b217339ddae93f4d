/* frame_sequence.h: numbered frames, and the film that ffmpeg makes of them. */
#ifndef RVI_FORMATS_FRAME_SEQUENCE_H
#define RVI_FORMATS_FRAME_SEQUENCE_H

#include "base/run_files.h"

typedef struct rvi_sequence {
    rvi_run_files *run;
    const char *file;   /* .mp4: the film; .png: what frames are called */
    int64_t frames;     /* in all */
    int rate;           /* a second */
    const char *folder; /* of the frames of a film; NULL: they are what the user wants */
    char *frame;        /* the name of one */
    char *pattern;      /* the names of all, as ffmpeg writes them */
    char *part;         /* the film while it is made */
} rvi_sequence;

/* RV_ERROR_USAGE: the name ends in neither .mp4 nor .png; RV_ERROR_OUTPUT: it is too long. */
rv_status rvi_sequence_check(rv_context *ctx, const char *file);
/* What the names of all frames of a .png begin with, from rvi_alloc; NULL: no memory, sentence set.
 */
char *rvi_sequence_stem(rv_context *ctx, const char *file);
/* Before a run: says that there is no ffmpeg for a film, and which files that are there the run
 * will overwrite: frames, or others with numbers. goes_on: those may be its own. */
void rvi_sequence_tell(rv_context *ctx, const char *file, int64_t frames, bool goes_on);
void rvi_numbered_tell(rv_context *ctx, const char *file, const rvi_numbered *names);
/* `file` must outlive it, and have been checked. */
rv_status rvi_sequence_open(rvi_run_files *run, const char *file, int64_t frames, int rate,
                            rvi_sequence *out);
/* Where a frame goes: land.png and land-%05d.png: land-00007.png; land.mp4: a folder of the run.
 * Valid until the next call. Fails when the frame before it, of a run that was resumed, is gone. */
rv_status rvi_sequence_frame(rvi_sequence *sequence, int64_t number, const char **name);
/* After the last frame: makes the film where one was asked for, and says so. */
rv_status rvi_sequence_finish(rvi_sequence *sequence);
void rvi_sequence_close(rvi_sequence *sequence); /* also of one that is all zero */

#endif
