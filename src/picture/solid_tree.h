/* solid_tree.h: faces in space that rays can hit, four rays at a time.
 *
 * Places are floats in metres from a middle that all share. */
#ifndef RVI_PICTURE_SOLID_TREE_H
#define RVI_PICTURE_SOLID_TREE_H

#include "base/context.h"
#include "base/lanes.h"

typedef struct rvi_tree_node {
    float low[3], high[3];
    uint32_t first; /* face in the order of the tree, or first child; the second follows it */
    uint16_t count; /* of faces; 0: it has children */
    uint16_t axis;  /* along which the children are apart */
} rvi_tree_node;

typedef struct rvi_tree {
    rv_context *ctx;
    rvi_tree_node *nodes; /* the first holds all; none when there are no faces */
    size_t node_count, face_count;
    float (*at)[3][3]; /* corners of the faces, in the order of the tree */
    uint32_t *faces;   /* their numbers */
} rvi_tree;

/* Corners of each face. */
rv_status rvi_tree_create(rv_context *ctx, const float (*corners)[3][3], size_t count,
                          rvi_tree *out);
void rvi_tree_destroy(rvi_tree *tree); /* of a zeroed one: nothing */
size_t rvi_tree_memory(size_t faces);

#define RVI_NO_FACE UINT32_MAX

typedef struct rvi_rays {
    rvi_v4 from[3], along[3]; /* the directions of one call are nearly the same */
    rvi_v4 near, far;         /* what is met between the two counts; near > far: no ray */
} rvi_rays;

typedef struct rvi_meets {
    rvi_v4 t;
    rvi_v4 second, third; /* weights of these corners; the first one's is the rest */
    uint32_t face[4];     /* RVI_NO_FACE: none */
} rvi_meets;

/* The nearest face, from either side. No ray passes between faces with a common edge
 * (S. Woop, C. Benthin, I. Wald, Watertight ray/triangle intersection, 2013). */
rvi_meets rvi_tree_trace(const rvi_tree *tree, const rvi_rays *rays);

#endif
