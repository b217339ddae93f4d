/* face_grid.h: which faces are near, where faces come, go and change all the time.
 *
 * A grid for each size of faces: a face lies in the grid whose cells are just larger than its box,
 * in the one cell that has the low corner of the box. So faces of every size are entered at once,
 * and a search looks into each grid that has any faces. Cells are kept in blocks of 4 x 4 x 4,
 * which a hash table finds. */
#ifndef RVI_MESH_FACE_GRID_H
#define RVI_MESH_FACE_GRID_H

#include "mesh/boxes.h"

enum { RVI_GRID_CELLS = 64, RVI_GRID_LEVELS = 32 };

typedef struct rvi_grid_block {
    uint64_t key;    /* the level and the place */
    uint64_t filled; /* a bit for each cell */
    uint32_t other;  /* block of the same level */
    uint32_t heads[RVI_GRID_CELLS];
} rvi_grid_block;

typedef struct rvi_face_grid {
    rv_context *ctx;
    rvi_grid_block *blocks;
    size_t block_count, block_room;
    uint32_t
        *table;  /* numbers of blocks by their keys' hashes; 2 for each block there is room for */
    size_t room; /* for faces */
    rvi_box *boxes;          /* of the faces */
    uint32_t *next, *before; /* the neighbours of each face in its cell */
    uint32_t *where;         /* block and cell of each face; UINT32_MAX: it is not in the grid */
    size_t of_level[RVI_GRID_LEVELS], blocks_of_level[RVI_GRID_LEVELS];
    uint32_t block_of_level[RVI_GRID_LEVELS]; /* one of them */
    int32_t longest[RVI_GRID_LEVELS];         /* no box of the level is longer */
} rvi_face_grid;

rv_status rvi_grid_create(rv_context *ctx, size_t faces, rvi_face_grid *out);
void rvi_grid_destroy(rvi_face_grid *grid);
rv_status rvi_grid_grow(rvi_face_grid *grid, size_t faces); /* room for so many */

/* Enters a face, or enters it again. RV_ERROR_MEMORY: it is where it was; back to where it was
 * before always works. */
rv_status rvi_grid_put(rvi_face_grid *grid, uint32_t face, const rvi_box *box);
void rvi_grid_remove(rvi_face_grid *grid, uint32_t face);

/* Calls `visit` with each face whose box meets the box, until it says false. */
typedef bool (*rvi_visit_fn)(void *user, uint32_t face);
void rvi_grid_visit(const rvi_face_grid *grid, const rvi_box *box, rvi_visit_fn visit, void *user);

#endif
