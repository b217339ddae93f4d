/* boxes.h: which faces are near, by a tree of boxes. */
#ifndef RVI_MESH_BOXES_H
#define RVI_MESH_BOXES_H

#include "mesh/intersect.h"

/* In steps of 2^10 of the lattice, so that 32 bits are enough: boxes that meet here may lie a
 * little apart, never the other way round. */
typedef struct rvi_box {
    int32_t low[3], high[3];
} rvi_box;
enum { RVI_BOX_BITS = 10 };

static inline int32_t rvi_box_place(int64_t place) { /* rounded down */
    return (int32_t)((uint64_t)(place + RVI_LATTICE_MOST) >> RVI_BOX_BITS);
}

static inline bool rvi_boxes_meet(const rvi_box *a, const rvi_box *b) {
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

/* Makes a box as large as to hold another. */
static inline void rvi_box_include(rvi_box *box, const rvi_box *other) {
    for (int i = 0; i < 3; i++) {
        box->low[i] = other->low[i] < box->low[i] ? other->low[i] : box->low[i];
        box->high[i] = other->high[i] > box->high[i] ? other->high[i] : box->high[i];
    }
}

rvi_box rvi_triangle_box(const rvi_triangle *t);

typedef struct rvi_boxes {
    rv_context *ctx;
    size_t leaves; /* a power of two; node 1 is the root, those of node n are 2 n and 2 n + 1 */
    size_t faces;
    rvi_box *nodes;  /* leaf i is node leaves + i and holds RVI_LEAF faces in order */
    rvi_box *boxes;  /* of the faces, in that order */
    uint32_t *order; /* the faces, so that near ones stand near */
} rvi_boxes;
enum { RVI_LEAF = 4 };

rv_status rvi_boxes_create(const rvi_lattice *l, rvi_boxes *out);
void rvi_boxes_destroy(rvi_boxes *boxes);

/* A walk over the faces whose boxes meet a box, in a fixed order. */
typedef struct rvi_walk {
    const rvi_boxes *boxes;
    rvi_box box;
    size_t at, end; /* in the order, within a leaf */
    int depth;
    uint32_t stack[64];
} rvi_walk;

void rvi_walk_begin(rvi_walk *walk, const rvi_boxes *boxes, const rvi_box *box);
/* Over the faces behind a place in the order that its box meets. */
void rvi_walk_behind(rvi_walk *walk, const rvi_boxes *boxes, size_t place);
bool rvi_walk_next(rvi_walk *walk, size_t *place); /* in the order; false: there is no more */

#endif
