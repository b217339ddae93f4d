/* reel.h: numbered frames beside a file, and the film that ffmpeg makes of them. */
#ifndef RVI_FORMATS_REEL_H
#define RVI_FORMATS_REEL_H

#include <ravine/ravine.h>

typedef struct rvi_reel {
    rv_context *ctx;
    const char *file; /* .mp4: the film; .png: what frames are called */
    int64_t frames;   /* in all */
    int rate;         /* a second */
    char *frame;      /* the name of one: rvi_reel_name */
    char *pattern;    /* the names of all, as ffmpeg says them */
    char *part;       /* the film while it is made */
} rvi_reel;

/* RV_ERROR_USAGE: the name ends in neither .mp4 nor .png. */
rv_status rvi_reel_check(rv_context *ctx, const char *file);
/* `file` must outlive it, and have been checked. */
rv_status rvi_reel_open(rv_context *ctx, const char *file, int64_t frames, int rate, rvi_reel *out);
/* land.mp4: land-00007.png; land-%05d.png: land-00007.png. Valid until the next call. */
const char *rvi_reel_name(rvi_reel *reel, int64_t number);
/* After the last frame: makes the film where one was asked for and removes its frames, and says so.
 */
rv_status rvi_reel_finish(rvi_reel *reel);
void rvi_reel_close(rvi_reel *reel);

#endif
