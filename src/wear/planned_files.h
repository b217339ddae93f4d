/* planned_files.h: files that steps write, and files that they read. A plan remembers what the
 * steps before will have written: who reads such a file is told what it will hold. */
#ifndef RVI_WEAR_PLANNED_FILES_H
#define RVI_WEAR_PLANNED_FILES_H

#include "formats/format.h"
#include "wear/job.h"

typedef struct rvi_planned_file {
    char *key;              /* rvi_path_key */
    rvi_image image;        /* what it will hold; values NULL */
    rvi_sidecar sidecar;    /* present: is written with it */
    bool y_up;              /* of a mesh: y points up, else z */
    int64_t frames;         /* 0: one file; else so many, KEY00000.png and on */
    const rv_terrain *land; /* of a land file: its outline, or the land itself where one is handed
                               in; else NULL */
} rvi_planned_file;

/* A file that is there before the run, which reads it. */
typedef struct rvi_planned_input {
    char *key;
    const char *reader; /* the name of the step; NULL: it is the recipe */
    bool sound;         /* is whole, and the file that its sidecar was written for */
} rvi_planned_input;

/* Reads all of a file that is there, as the run will, and fails with a sentence where it is wrong;
 * keeps nothing. */
typedef rv_status (*rvi_file_trial)(rvi_job *job, const char *path, const void *arg);

/* One that was passed. */
typedef struct rvi_planned_trial {
    char *key;
    rvi_file_trial trial;
    const void *arg;
} rvi_planned_trial;

/* All zero: none. */
struct rvi_planned_files {
    rvi_planned_file *list;
    int count, room;
    int64_t changes; /* how often a file was added or became another */
    rvi_planned_input *inputs;
    int input_count, input_room;
    rvi_planned_trial *trials;
    int trial_count, trial_room;
    bool work;              /* steps come before: a mistake in a file must not wait for them */
    bool goes_on;           /* the run has begun before: no file is known to be an input */
    const char *checkpoint; /* NULL: none */
};

void rvi_planned_files_free(rv_context *ctx, rvi_planned_files *files);

/* The run reads that file, which no step before has written. */
rv_status rvi_planned_files_read(rv_context *ctx, rvi_planned_files *files, const char *path,
                                 const char *reader);

/* ---- for steps, while they prepare ---- */

/* The step will write that file. Fails where it is clear that it cannot be written, or must not:
 * the run has its checkpoint there, or reads it (job->overwrite). file: what it will hold (its key
 * is not looked at); NULL: nothing that steps read. */
rv_status rvi_job_writes(rvi_job *job, const char *path, const rvi_planned_file *file);
/* The same for numbered pictures, whose names end in .png; file->frames says how many. */
rv_status rvi_job_writes_frames(rvi_job *job, const char *stem, const rvi_planned_file *file);
/* The same for a picture of 8 bits a channel, whose name must end in .png. */
rv_status rvi_job_draws(rvi_job *job, const char *path, int width, int height);
/* What the header of a file will say when the step runs, as rvi_image_read. A plan looks at the
 * rest of it, too (rvi_image_look). */
rv_status rvi_job_look(rvi_job *job, const char *path, int width, bool holes, rvi_sidecar *sidecar,
                       rvi_image *out);
/* What a land file will hold then, as rvi_land_file_look. */
rv_status rvi_job_look_land(rvi_job *job, const char *path, rv_terrain *out, size_t *memory);

/* Will a step before have written that file? What it will hold then. */
bool rvi_job_foresees(const rvi_job *job, const char *path, rvi_planned_file *out);
/* The step reads that file, which is there before the run, and has looked at it itself. */
rv_status rvi_job_reads(rvi_job *job, const char *path);
/* What the header of a picture will say: only its size and the bytes of the file are told. */
rv_status rvi_job_look_picture(rvi_job *job, const char *path, rvi_image *out);
/* Tries the file out before any work is done for it, once in a plan: not where a step before will
 * have written it, nor where the run reads it before all else. `arg` lives as long as the plan. */
rv_status rvi_job_try(rvi_job *job, const char *path, rvi_file_trial trial, const void *arg);

#endif
