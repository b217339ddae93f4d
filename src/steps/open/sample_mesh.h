/* sample_mesh.h: a mesh as a grid of heights. */
#ifndef RVI_STEPS_OPEN_SAMPLE_MESH_H
#define RVI_STEPS_OPEN_SAMPLE_MESH_H

#include "wear/planned_files.h"

/* How the cells lie over a mesh: row 0 at its north edge, column 0 at its west edge. */
typedef struct rvi_mesh_grid {
    double west, north; /* metres, of cell (0, 0) */
    float cell;
    int width, height;
    bool guessed; /* nobody said how large cells are */
} rvi_mesh_grid;

/* The grid for a file that is there or will be, of what the user says; fails with a sentence. Lists
 * the memory that reading takes. */
rv_status rvi_mesh_grid_plan(rvi_job *job, const rv_open_params *p, rvi_mesh_grid *out);
/* Reads the file: the highest point of the mesh over each cell, NaN where there is none. The values
 * are from rvi_alloc. */
rv_status rvi_mesh_grid_sample(rvi_job *job, const rv_open_params *p, rvi_mesh_grid *grid,
                               rvi_image *out);

#endif
