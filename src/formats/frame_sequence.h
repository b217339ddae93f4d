/* frame_sequence.h: numbered frames beside a file, and the film that ffmpeg makes of them. */
#ifndef RVI_FORMATS_FRAME_SEQUENCE_H
#define RVI_FORMATS_FRAME_SEQUENCE_H

#include <ravine/ravine.h>

typedef struct rvi_sequence {
    rv_context *ctx;
    const char *file; /* .mp4: the film; .png: what frames are called */
    int64_t frames;   /* in all */
    int rate;         /* a second */
    char *frame;      /* the name of one: rvi_sequence_name */
    char *pattern;    /* the names of all, as ffmpeg writes them */
    char *part;       /* the film while it is made */
} rvi_sequence;

/* RV_ERROR_USAGE: the name ends in neither .mp4 nor .png. */
rv_status rvi_sequence_check(rv_context *ctx, const char *file);
/* `file` must outlive it, and have been checked. */
rv_status rvi_sequence_open(rv_context *ctx, const char *file, int64_t frames, int rate,
                            rvi_sequence *out);
/* land.mp4: land-00007.png; land-%05d.png: land-00007.png. Valid until the next call. */
const char *rvi_sequence_name(rvi_sequence *sequence, int64_t number);
/* After the last frame: makes the film where one was asked for and removes its frames, and says so.
 */
rv_status rvi_sequence_finish(rvi_sequence *sequence);
void rvi_sequence_close(rvi_sequence *sequence);

#endif
