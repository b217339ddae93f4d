/* wall_index.h: where the rock is: the nearest places of a closed mesh, by a grid over its faces,
 * and whether a point is inside. Faces may change, come and go; only these are entered anew.
 *
 * Places are floats in metres from the low corner of the box in which the water is. */
#ifndef RVI_WATER_WALL_INDEX_H
#define RVI_WATER_WALL_INDEX_H

#include "base/lanes.h"
#include "base/math.h"
#include "mesh/mesh.h"

/* Where a point would touch a face. */
typedef struct rvi_touch {
    uint32_t face;
    float distance;
    float away[3];    /* of length 1, from the wall to the point */
    float weights[3]; /* of the face's corners at the nearest place; they add up to 1 */
} rvi_touch;
enum { RVI_TOUCHES = 4 };

typedef struct rvi_face {
    float at[3][3];  /* the corners */
    float normal[3]; /* outwards, of length 1 */
    float low[3], high[3];
} rvi_face;

typedef struct rvi_cell { /* the faces within reach of it, by their numbers */
    uint32_t start, count, room;
} rvi_cell;

/* A face that is new, has moved or is gone. */
typedef struct rvi_wall_change {
    uint32_t face;
    bool gone;
    double at[3][3]; /* its corners: metres, as the mesh has them */
} rvi_wall_change;

typedef struct rvi_wall_index {
    rv_context *ctx;
    double low[3];
    float size[3]; /* of the box */
    float reach;   /* how far away a face is still found */
    float slack;   /* a face that has moved less since it was entered is not entered anew */
    rvi_face *faces;
    rvi_face *entered; /* as they were entered */
    rvi_v4 *balls;     /* around faces: the middle and how far it is from it to the corners */
    uint8_t *live;     /* is there a face with that number? */
    size_t face_count, face_room;
    float cell, per_cell; /* its size, and one over it */
    int cells[3];
    rvi_cell *lists;
    uint8_t *sides;   /* of cells without faces: a rvi_side_of_rock; of others one that is known */
    uint32_t *stamps; /* of cells: the round in which a face near it came, went or jumped */
    uint32_t round;   /* of changes */
    uint32_t *pool;   /* what lists are made of */
    size_t pool_used, pool_room;
    uint32_t spare[32]; /* lists that are free, by the logarithm of their room */
    uint32_t *doubts;   /* cells of which the side is unknown, each once */
    size_t doubt_count;
} rvi_wall_index;

/* Of a mesh, or none for NULL. `low` is the corner of a box with sides of `size` metres. */
rv_status rvi_wall_index_create(rv_context *ctx, const rv_mesh *mesh, const double low[3],
                                const float size[3], float reach, rvi_wall_index *out);
/* The same of faces with numbers of their own, none of them gone. */
rv_status rvi_wall_index_create_of(rv_context *ctx, const rvi_wall_change *faces, size_t count,
                                   const double low[3], const float size[3], float reach,
                                   rvi_wall_index *out);
void rvi_wall_index_destroy(rvi_wall_index *walls);

/* Together the changes leave the mesh closed, and no whole shell comes or goes. Cannot be
 * cancelled. When memory runs out, the walls can only be destroyed. */
rv_status rvi_wall_index_change(rvi_wall_index *walls, const rvi_wall_change *changes,
                                size_t count);

/* Has a face near the point come, gone or jumped by more than the slack in the last change? */
bool rvi_wall_index_jumped(const rvi_wall_index *walls, const float point[3]);

/* The nearest place within `reach`, which is at most that of the walls. Faces with a lower number
 * win a tie. */
bool rvi_wall_index_nearest(const rvi_wall_index *walls, const float point[3], float reach,
                            rvi_touch *out);
/* The same, faster when `guess` is a face that is near; any number is fine. */
bool rvi_wall_index_nearest_by(const rvi_wall_index *walls, const float point[3], float reach,
                               uint32_t guess, rvi_touch *out);

/* The places within `reach` that are walls of their own seen from the point, the nearest first: not
 * those beside it in the same plane or behind the same edge. Each has a share of the half-space
 * behind it that is no other's, 0 to 1. `reach` becomes the distance to the nearest face, if there
 * is one. */
int rvi_wall_index_around(const rvi_wall_index *walls, const float point[3], float *reach,
                          rvi_touch out[RVI_TOUCHES], float shares[RVI_TOUCHES]);

/* Is the point inside the rock? On the very surface the answer may be either. */
bool rvi_wall_index_inside(const rvi_wall_index *walls, const float point[3]);
/* The same by the winding number, over all faces: slow, and what the other is tested against. */
bool rvi_wall_index_winding(const rvi_wall_index *walls, const float point[3]);

/* ---- Between walls.c, walls_grid.c and walls_inside.c ---- */

typedef enum rvi_side_of_rock { RVI_UNKNOWN, RVI_OUTSIDE, RVI_INSIDE } rvi_side_of_rock;

/* The cell of a point; points out of the box are in the nearest. */
static inline int rvi_wall_index_cell_at(const rvi_wall_index *w, int axis, float x) {
    return (int)rvi_clampf(x * w->per_cell, 0.0f, (float)(w->cells[axis] - 1));
}
static inline size_t rvi_wall_index_number(const rvi_wall_index *w, const int c[3]) {
    return ((size_t)c[2] * (size_t)w->cells[1] + (size_t)c[1]) * (size_t)w->cells[0] + (size_t)c[0];
}
static inline size_t rvi_wall_index_cell(const rvi_wall_index *w, const float point[3],
                                         int cell[3]) {
    for (int i = 0; i < 3; i++)
        cell[i] = rvi_wall_index_cell_at(w, i, point[i]);
    return rvi_wall_index_number(w, cell);
}
static inline size_t rvi_wall_index_cells(const rvi_wall_index *w) {
    return (size_t)w->cells[0] * (size_t)w->cells[1] * (size_t)w->cells[2];
}
rv_status rvi_wall_index_find_sides(rvi_wall_index *walls); /* of all cells without faces */
void rvi_wall_index_clear_doubts(rvi_wall_index *walls);    /* of those in doubt */

#endif
