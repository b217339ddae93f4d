/* planned_files.h: files that steps write, and files that they read. A plan remembers what the
 * steps before will have written: who reads such a file is told what it will hold. */
#ifndef RVI_WEAR_PLANNED_FILES_H
#define RVI_WEAR_PLANNED_FILES_H

#include "formats/format.h"
#include "wear/job.h"

typedef struct rvi_planned_file {
    char *path;
    rvi_image image;     /* what it will hold; values NULL */
    rvi_sidecar sidecar; /* present: is written with it */
    bool numbered; /* the first of many, whose names differ by a number of five digits or more */
} rvi_planned_file;

/* All zero: none. */
struct rvi_planned_files {
    rvi_planned_file *list;
    int count, room;
    int64_t changes; /* how often a file was added or became another */
};

void rvi_planned_files_free(rv_context *ctx, rvi_planned_files *files);

/* ---- for steps, while they prepare ---- */

/* The step will write that file. Fails where it is clear that it cannot be written. file: what it
 * will hold (its path is not looked at); NULL: nothing that steps read. */
rv_status rvi_job_writes(rvi_job *job, const char *path, const rvi_planned_file *file);
/* The same for a picture of 8 bits a channel, whose name must end in .png. */
rv_status rvi_job_draws(rvi_job *job, const char *path, int width, int height);
/* What the header of a file will say when the step runs, as rvi_image_read. */
rv_status rvi_job_look(rvi_job *job, const char *path, int width, bool holes, rvi_sidecar *sidecar,
                       rvi_image *out);

#endif
