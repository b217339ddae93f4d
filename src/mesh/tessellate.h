/* tessellate.h: divides the faces of a mesh where the water is, down to a distance. */
#ifndef RVI_MESH_TESSELLATE_H
#define RVI_MESH_TESSELLATE_H

#include "mesh/edit_mesh.h"

typedef enum rvi_tessellation {
    RVI_TESS_NONE,
    RVI_TESS_3_0,  /* a vertex in the face */
    RVI_TESS_4_2,  /* a vertex on each edge: the neighbours become two */
    RVI_TESS_4_4,  /* the same, and the neighbours become four */
    RVI_TESS_GOOD, /* longest edges are halved, edges flipped, and collapsed where water has left */
} rvi_tessellation;

typedef struct rvi_tess_desc {
    rvi_tessellation scheme;
    double limit;    /* d in metres: how far from the particle the corners of its face may be */
    double least;    /* metres: edges shorter than twice this are not divided */
    uint32_t dry;    /* GOOD: edges collapse after so many calls without water near */
    double coarse;   /* GOOD: metres; those shorter than this collapse */
    double flat_cos; /* GOOD: the cosine between normals from which on a place counts as flat */
    double off; /* GOOD: metres; no repair moves a vertex farther off the planes of its faces */
} rvi_tess_desc;

rvi_tess_desc rvi_tess_desc_default(double limit);

/* Where a particle touches: `face` and `weights` of its corners name the nearest place. */
typedef struct rvi_contact {
    double at[3]; /* the particle, in metres */
    uint32_t face;
    double weights[3];
} rvi_contact;

typedef struct rvi_tess_report {
    size_t splits, inserts, flips, collapses, refused;
    size_t beyond;    /* contacts whose faces still have corners farther away than the limit */
    rvi_wide volume6; /* exact: by how much six times the volume grew by rounding and collapses */
} rvi_tess_report;

/* Divides the faces of the contacts and names for each the nearest face again. RV_CANCELLED and
 * RV_ERROR_MEMORY leave a valid mesh, divided in part; the contacts may then name other faces. */
rv_status rvi_tessellate(rvi_edit_mesh *edit, const rvi_tess_desc *desc, rvi_contact *contacts,
                         size_t count, rvi_tess_report *out);

/* The nearest face to a point among those reached from `face` by going ever nearer, and the square
 * of the distance in m2. */
double rvi_edit_nearest(const rvi_edit_mesh *edit, const double point[3], uint32_t *face,
                        double weights[3]);

/* Degrees: the least angle of any face. */
double rvi_edit_smallest_angle(const rvi_edit_mesh *edit);

#endif
