/* walls.h: where the rock is: the nearest places of a closed mesh, by a grid over its faces.
 *
 * Places are floats in metres from the low corner of the box in which the water is. */
#ifndef RVI_SOLID_WALLS_H
#define RVI_SOLID_WALLS_H

#include "terrain/mesh.h"

/* Where a point would touch a face. */
typedef struct rvi_touch {
    uint32_t face;
    float distance;
    float away[3];    /* of length 1, from the wall to the point */
    float weights[3]; /* of the face's corners at the nearest place; they add up to 1 */
} rvi_touch;
enum { RVI_TOUCHES = 4 };

typedef struct rvi_face {
    float a[3], ab[3], ac[3]; /* a corner and the edges from it */
    float normal[3];          /* outwards, of length 1 */
    float low[3], high[3];
} rvi_face;

typedef struct rvi_walls {
    rv_context *ctx;
    rvi_face *faces;
    size_t face_count;
    float reach; /* how far away a face is still found */
    float cell;
    int cells[3];
    uint32_t *starts; /* of each cell in `lists`, which name the faces within reach of it */
    uint32_t *lists;
} rvi_walls;

/* Of a mesh, or none for NULL. `low` is the corner of a box with sides of `size` metres. */
rv_status rvi_walls_create(rv_context *ctx, const rv_mesh *mesh, const double low[3],
                           const float size[3], float reach, rvi_walls *out);
void rvi_walls_destroy(rvi_walls *walls);

/* The nearest place within `reach`, which is at most that of the walls. Faces with a lower number
 * win a tie. */
bool rvi_walls_nearest(const rvi_walls *walls, const float point[3], float reach, rvi_touch *out);

/* The places within reach of the walls that are walls of their own seen from the point, the nearest
 * first: not those beside it in the same plane or behind the same edge. Each has a share of the
 * half-space behind it that is no other's, 0 to 1. */
int rvi_walls_around(const rvi_walls *walls, const float point[3], rvi_touch out[RVI_TOUCHES],
                     float shares[RVI_TOUCHES]);

/* Is the point inside the rock? By the winding number, over all faces. */
bool rvi_walls_inside(const rvi_walls *walls, const float point[3]);

#endif
