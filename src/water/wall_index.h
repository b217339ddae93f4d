/* wall_index.h: a grid over the faces of a closed mesh, the rock: it finds the nearest places of
 * the rock, and whether a point is inside. Faces may change, come and go; only these are indexed
 * again.
 *
 * Places are floats in metres from the low corner of the box of the water. */
#ifndef RVI_WATER_WALL_INDEX_H
#define RVI_WATER_WALL_INDEX_H

#include "base/lanes.h"
#include "base/math.h"
#include "mesh/mesh.h"
#include "water/sph_particle.h"

#define RVI_NO_FACE UINT32_MAX

/* The place of a face that is nearest to a point. */
typedef struct rvi_touch {
    uint32_t face;
    float distance;
    float away[3];    /* of length 1, from the wall to the point */
    float weights[3]; /* of the face's corners at the nearest place; they add up to 1 */
} rvi_touch;
enum { RVI_TOUCHES = 4 };

typedef struct rvi_wall_face {
    float at[3][3];  /* the corners */
    float normal[3]; /* outwards, of length 1 */
    float low[3], high[3];
} rvi_wall_face;

typedef struct rvi_wall_cell { /* a list of the faces within reach of a cell, by number */
    uint32_t start, count, room;
} rvi_wall_cell;

/* A face that is new, has moved or is gone. */
typedef struct rvi_wall_change {
    uint32_t face;
    bool gone;
    double at[3][3]; /* m: its corners, in the coordinates of the mesh */
} rvi_wall_change;

/* What is left to do for a face in a change: in which cells it is entered, twice their number and
 * one, and from which it goes. */
enum { RVI_WALL_NOTED = 15 };
typedef struct rvi_wall_after {
    uint8_t left, count;
    uint32_t cells[RVI_WALL_NOTED];
} rvi_wall_after;

typedef struct rvi_wall_index {
    rv_context *ctx;
    double low[3];
    float size[3]; /* of the box */
    float reach;   /* m: faces farther away are not found */
    float slack;   /* m: a face that has moved less since it was entered stays in its cells */
    rvi_wall_face *faces;
    rvi_wall_face *entered; /* as they were when they were entered */
    rvi_v4 *spheres;        /* around faces: centre and radius */
    uint8_t *live;          /* is there a face with that number? */
    rvi_wall_after *after;  /* what is left to do for it in a change */
    size_t face_count, face_room;
    float cell, per_cell; /* m: the size of a cell; 1 over it */
    int cells[3];
    rvi_wall_cell *lists;
    uint8_t *sides;   /* of cells: an rvi_side_of_rock; of cells with faces any known one */
    uint32_t *stamps; /* of cells: the last round in which a face near them came, went or jumped */
    uint32_t round;   /* how often rvi_wall_index_change was called, from 1 on */
    uint32_t *pool;   /* memory of all lists */
    size_t pool_used, pool_room;
    uint32_t spare[32];      /* free lists, by the logarithm of their room */
    uint32_t *unknown_cells; /* cells with the side RVI_UNKNOWN, each once */
    size_t unknown_count;
} rvi_wall_index;

/* Of a mesh; NULL: without faces. `low` is the corner of a box with sides of `size` metres. */
rv_status rvi_wall_index_create(rv_context *ctx, const rv_mesh *mesh, const double low[3],
                                const float size[3], float reach, rvi_wall_index *out);
/* The same from faces with given numbers, none of them gone. */
rv_status rvi_wall_index_create_of(rv_context *ctx, const rvi_wall_change *faces, size_t count,
                                   const double low[3], const float size[3], float reach,
                                   rvi_wall_index *out);
void rvi_wall_index_destroy(rvi_wall_index *walls);

/* No face changes twice. After all changes the mesh is closed again; no whole shell comes or goes.
 * Cannot be cancelled.
 * When memory runs out, the index can only be destroyed. */
rv_status rvi_wall_index_change(rvi_wall_index *walls, const rvi_wall_change *changes,
                                size_t count);

/* Has a face near the point come, gone or jumped by more than the slack in the last change? */
bool rvi_wall_index_jumped(const rvi_wall_index *walls, const float point[3]);

/* The nearest place within `reach`, which is at most that of the index. Of places at the same
 * distance, the face with the lowest number counts. */
bool rvi_wall_index_nearest(const rvi_wall_index *walls, const float point[3], float reach,
                            rvi_touch *out);
/* The same, faster when the face `guess` is near; any number is allowed. */
bool rvi_wall_index_nearest_by(const rvi_wall_index *walls, const float point[3], float reach,
                               uint32_t guess, rvi_touch *out);

/* The places within `reach` that are separate walls seen from the point, the nearest first: not
 * those in the same plane or behind the same edge as a nearer one. The share of each, 0 to 1, is
 * the part of the half-space behind it that does not belong to a nearer one. `reach` becomes the
 * distance to the nearest face, if there is one. */
int rvi_wall_index_around(const rvi_wall_index *walls, const float point[3], float *reach,
                          rvi_touch out[RVI_TOUCHES], float shares[RVI_TOUCHES]);

/* Is the point inside the rock? On the surface itself either answer is possible. */
bool rvi_wall_index_inside(const rvi_wall_index *walls, const float point[3]);
/* The same by the winding number, over all faces: slow; used to test the other. */
bool rvi_wall_index_winding(const rvi_wall_index *walls, const float point[3]);

/* ---- For wall_index.c, wall_index_grid.c and wall_index_inside.c ---- */

typedef enum rvi_side_of_rock { RVI_UNKNOWN, RVI_OUTSIDE, RVI_INSIDE } rvi_side_of_rock;

/* The cell of a point; points out of the box belong to the nearest cell. */
static inline int rvi_wall_index_cell_at(const rvi_wall_index *w, int axis, float x) {
    return rvi_sph_wall_cell(w->per_cell, w->cells[axis], x);
}
static inline size_t rvi_wall_index_cell_number(const rvi_wall_index *w, const int c[3]) {
    return ((size_t)c[2] * (size_t)w->cells[1] + (size_t)c[1]) * (size_t)w->cells[0] + (size_t)c[0];
}
static inline size_t rvi_wall_index_cell_of(const rvi_wall_index *w, const float point[3],
                                            int cell[3]) {
    for (int i = 0; i < 3; i++)
        cell[i] = rvi_wall_index_cell_at(w, i, point[i]);
    return rvi_wall_index_cell_number(w, cell);
}
static inline size_t rvi_wall_index_cell_count(const rvi_wall_index *w) {
    return (size_t)w->cells[0] * (size_t)w->cells[1] * (size_t)w->cells[2];
}
rv_status rvi_wall_index_find_sides(rvi_wall_index *walls); /* of all cells without faces */
void rvi_wall_index_resolve_unknown(rvi_wall_index *walls); /* of the unknown cells */

#endif
