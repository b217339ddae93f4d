/* job.h: what a step gets to work with. */
#ifndef RVI_WEAR_JOB_H
#define RVI_WEAR_JOB_H

#include "base/buffers.h"
#include "base/context.h"
#include "base/run_files.h"
#include "device/device.h"
#include "terrain/state.h"

typedef struct rvi_job rvi_job;
typedef struct rvi_planned_files rvi_planned_files;

/* A field that a step writes. */
typedef struct rvi_job_output {
    const char *name;
    float **out; /* set before the run */
    bool fresh;  /* was not there before */
} rvi_job_output;
enum { RVI_OUTPUTS = 8 };

/* One run of a step, or its plan. rvi_step_NAME() prepares it: checks the parameters, lists the
 * memory, describes the land as it will be and names the functions that do the work. A plan ends
 * there. A step may look at the size, the layers and the names of fields of `land` then, but at no
 * grid: where it is planned, `land` is an outline. */
struct rvi_job {
    rv_context *ctx;
    const char *name; /* of the step */
    rv_terrain *land;
    int64_t turn, turns;      /* which run of the step this is, of how many that repeats ask for */
    rvi_planned_files *files; /* what a plan knows of files; NULL: a run (planned_files.h) */
    rvi_run_files *run_files; /* for what lasts from turn to turn; NULL: a plan */

    /* Prepared by the step. */
    const bool *overwrite; /* may it replace files that the run reads? NULL: nobody can say so */
    rv_terrain after;      /* the outline of the land after the run; at first that of `land` */
    bool masks;            /* the run applies the mask itself */
    bool on_device;        /* the run can use `device` */
    bool fetches;          /* without it, the run asks for the grids that it reads */
    bool doubles;          /* for that the device must have doubles */
    size_t shared;         /* and so many bytes that a group of its items has to itself */
    bool replaces;         /* the run makes other land and keeps the old one until that is there */
    rvi_buffers buffers;   /* allocated before the run */
    rvi_job_output outputs[RVI_OUTPUTS];
    int output_count;
    void *state;
    /* Does the work, which can be cancelled. NULL: there is none. */
    rv_status (*run)(rvi_job *job);
    /* Brings the land, its fields and the ledger up to date with what has run. NULL: the run does.
     * Called after a stop as well when the run has `begun` and the land is to be kept; then no stop
     * cancels it. */
    rv_status (*close)(rvi_job *job);

    /* Set before the run. */
    rvi_device *device; /* NULL: the processor does it */

    /* Set by the run. */
    bool begun;           /* a stop from here on leaves land that can be closed */
    rv_ledger ledger;     /* filled in by steps of kind wear, in cubic metres */
    rv_water water;       /* filled in by steps that have water */
    double *deposited_on; /* of what was deposited, how much on each layer; all 0: all of it on the
                             top one */
    /* Of deposited_on, what is not in ledger.deposited: */
    double brought; /* from outside: it is in ledger.raised */
    double shifted; /* from elsewhere on the land, and no entry holds it */
    /* What no entry of the ledger holds, for the check of their sum: */
    double rounded;  /* what the land won when its heights became floats, or lost (below 0) */
    double rounding; /* how much of what was carried may have been won or lost: where each round
                        makes floats of what water carries, half a last bit of it, all rounds
                        added up */
    uint64_t drop_steps;
};

/* ---- to prepare ---- */

/* Sets the functions and returns job->state: `size` zeroed bytes, or NULL with the sentence set. */
void *rvi_job_begin(rvi_job *job, size_t size, rv_status (*run)(rvi_job *job),
                    rv_status (*close)(rvi_job *job));
/* Lists memory, a grid of floats as large as the map, or a field of the land that the step writes:
 * it is made when it is not there. A run that fails or stops before it has `begun` leaves no new
 * field behind. */
void rvi_job_buffer(rvi_job *job, void *pointer, size_t count, size_t size, const char *what);
void rvi_job_grid(rvi_job *job, float **out, const char *what);
rv_status rvi_job_field(rvi_job *job, const char *name, float **out);
/* ---- to run ---- */

/* Tells the user how far the step is; `job->land` must be whole. RV_CANCELLED: clean up and return.
 */
rv_status rvi_job_progress(rvi_job *job, double done);

/* The surface becomes *values, a listed grid, which the land takes over. */
rv_status rvi_job_adopt(rvi_job *job, float **values);
/* After thicknesses of `land` were changed, on the device if the job has one: adds them up. */
rv_status rvi_job_sum_layers(rvi_job *job, rv_terrain *land);

/* A grid of the land as an argument of a kernel. */
static inline rvi_device_arg rvi_map_arg(const rv_terrain *land, rvi_device_use use,
                                         const float *values) {
    return (rvi_device_arg){use, values, rvi_cells(land) * sizeof *values};
}

/* Fails because there is no such field "to paint"; the sentence lists those there are. */
rv_status rvi_job_no_field(rvi_job *job, const char *name, const char *purpose);
rv_status rvi_job_no_layer(rvi_job *job, const char *name); /* the same for layers */

#endif
