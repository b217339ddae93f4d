/* run_files.h: whose the files of a run are that are no results: its checkpoint, and folders for
 * what is not finished yet.
 *
 * A run has a number that no other has; what is resumed from a checkpoint is the same run. A folder
 * lies beside the film it is for, is open to this user alone, and carries the number in its name:
 * land.mp4.frames-1f00c0ffee123456. A note in it is locked while the process lives and says whether
 * there was a checkpoint: so every other run can tell a folder that is in use, or waits for a
 * resume, from one that nobody needs, and removes that. Frames that once had a checkpoint wait for
 * it wherever it is now, until their own run ends or the user removes them. */
#ifndef RVI_BASE_RUN_FILES_H
#define RVI_BASE_RUN_FILES_H

#include <ravine/ravine.h>

enum { RVI_KEPT_ROOM = 4096 + 32 }; /* bytes of a path */

typedef struct rvi_run_folder rvi_run_folder;

typedef struct rvi_run_files {
    rv_context *ctx;
    uint64_t number;
    const char *checkpoint; /* the file to resume it from; NULL: none */
    const char *from;       /* the checkpoint that it was resumed from; NULL: none */
    bool saved;             /* there is a checkpoint */
    bool warned;            /* that the last one could not be written */
    rvi_run_folder *folders;
} rvi_run_files;

uint64_t rvi_run_number(void); /* for a new run */

/* After a checkpoint was written with `status`: a full disk is no reason to lose the run, so that
 * is said once and RV_OK returned; the checkpoint before stays. After a good one, folders that are
 * to be kept become the user's. */
rv_status rvi_run_files_saved(rvi_run_files *run, rv_status status);

/* The folder for the film `file`: made, or found as a run that was killed has left it. *path lives
 * until it is closed or the run ends. */
rv_status rvi_run_folder_open(rvi_run_files *run, const char *file, const char **path);
/* Could it have its name? RV_ERROR_OUTPUT where that is too long. */
rv_status rvi_run_folder_check(rv_context *ctx, const char *file);
/* The frames are all there, and ffmpeg is not: the folder is to become one of the user's. That is
 * done at once, or where there are checkpoints after the next one: a resume from the one before
 * needs it here. */
rv_status rvi_run_folder_keep(rvi_run_files *run, const char *path);
bool rvi_run_folders_pend(const rvi_run_files *run); /* does one wait for that checkpoint? */
/* The folder becomes one of the user's now, with a name that is free: for land.mp4 land-frames,
 * land-frames-2 ..., in `kept`. After a failure it stays as it is. */
rv_status rvi_run_folder_hand_over(rvi_run_files *run, const char *path, char kept[RVI_KEPT_ROOM]);
/* Before the end of the run: the folder is not needed any more and is removed. */
void rvi_run_folder_close(rvi_run_files *run, const char *path);
/* The run has come to its end, and its checkpoint is about to go: nobody will wait for the folder
 * of that film. One that is to be kept becomes the user's. */
rv_status rvi_run_folder_done(rvi_run_files *run, const char *file);
/* Ends in this: folders stay where a resume needs them, else they are kept or removed. Returns
 * `status`, or what failed. */
rv_status rvi_run_files_end(rvi_run_files *run, rv_status status);

/* Is the file one of the frames in such a folder, of which nobody is told? */
bool rvi_run_folder_holds(const char *path);

/* Removes the folders beside `file` that no process has open and no checkpoint waits for, and
 * temporary files of dead processes. */
void rvi_run_folders_sweep(rv_context *ctx, const char *file);

/* Files whose names have a number of at least five digits: STEM00007TAIL. */
typedef struct rvi_numbered {
    const char *stem, *tail;
    int64_t from, every, below; /* which numbers */
} rvi_numbered;
/* How many of them are there; *first is the least of their numbers. */
int64_t rvi_numbered_count(const rvi_numbered *files, int64_t *first);
/* Could all of them be written? Calls `check` for the first, the last and those that are there,
 * until one fails. */
rv_status rvi_numbered_check(rv_context *ctx, const rvi_numbered *files,
                             rv_status (*check)(void *user, const char *path), void *user);
/* Is `path`, letter by letter, one of them, whether it is there or not? */
bool rvi_numbered_is(const rvi_numbered *files, const char *path);
/* The same for where it leads (rvi_path_key). */
bool rvi_numbered_leads(const rvi_numbered *files, const char *path);

#endif
