/* edit_mesh.h: the surface of a solid that can be edited: at every moment closed, oriented,
 * manifold and without self-intersections, by exact arithmetic on a lattice. */
#ifndef RVI_MESH_EDIT_MESH_H
#define RVI_MESH_EDIT_MESH_H

#include "mesh/face_grid.h"
#include "mesh/half_edges.h"

/* What rvi_tessellate knows of the shape of a face: good, changed since it looked, or with a sharp
 * angle that it could not repair. */
enum { RVI_SHAPE_GOOD, RVI_SHAPE_CHANGED, RVI_SHAPE_SHARP };

/* What the next operations do depends on all of the arrays up to `shapes`, on `round` and `sweep`;
 * the grid and the rest follow from them or do not matter.
 *
 * Numbers of vertices and faces that collapsed are free and are given to the next ones made, the
 * last freed first: the corners of a free face and what leaves a free vertex are RVI_NONE. */
typedef struct rvi_edit_mesh {
    rv_context *ctx;
    double step;            /* metres of a step of the lattice: a power of two */
    size_t vertices, faces; /* numbers in use or free */
    size_t live_vertices, live_faces;
    size_t originals; /* vertices that the mesh had: numbers below are theirs */
    rvi_spot *spots;  /* of vertices */
    double *first;    /* x, y, z where each vertex began; of a new one the mean of its edge's */
    rvi_half_edges edges;
    uint8_t *fixed;     /* of vertices: never moved; faces with three of them are never divided */
    uint32_t *wet;      /* of vertices: the last call of rvi_tessellate that had water near */
    uint32_t *born;     /* of faces: the call of rvi_tessellate that made them */
    uint32_t *shell;    /* of faces: which closed surface they belong to */
    size_t shells;      /* how many there are; no operation joins or splits them */
    rvi_wide *volumes;  /* six times that of each shell in steps^3; negative for a hollow */
    uint32_t *anchors;  /* a face of each shell */
    uint8_t *hollow;    /* of shells: are they the walls of hollows inside others? */
    rvi_face_grid grid; /* which faces are near */
    size_t vertex_room, face_room;
    uint32_t *free_vertices, *free_faces; /* stacks of numbers */
    size_t free_vertex_count, free_face_count;
    uint8_t *shapes;  /* of faces: RVI_SHAPE_... */
    uint8_t *changed; /* of faces, since rvi_edit_changed was called */
    uint32_t *listed; /* room for what it returns */
    uint32_t *slots;  /* of vertices, within rvi_edit_move: their place in the list */
    uint32_t *marks;  /* of faces: those that bear the last stamp are being replaced */
    uint32_t stamp;   /* the last that was given */
    int64_t *safe; /* of faces: until `travel` reaches that, they meet none of those with which they
                      share no edge */
    int64_t travel; /* steps that any vertex has moved at most along an axis, over all moves */
    int64_t margin; /* steps: the largest that any face was found to be safe for */
    uint32_t round; /* how often rvi_tessellate was called */
    uint32_t sweep; /* the vertex at which it looked for short edges last */
    uint64_t refused_moves; /* vertices that stayed or went a part of their way only */
    uint64_t refused_operations;
} rvi_edit_mesh;

/* Refuses what is not the surface of a solid with the first fault's place. Coordinates are rounded
 * to a lattice with room to grow to 16 times the farthest coordinate. */
rv_status rvi_edit_create(const rv_mesh *mesh, rvi_edit_mesh **out);
void rvi_edit_destroy(rvi_edit_mesh *edit);                           /* NULL is fine */
rv_status rvi_edit_to_mesh(const rvi_edit_mesh *edit, rv_mesh **out); /* what lives, by number */

rvi_wide rvi_edit_volume6(const rvi_edit_mesh *edit); /* exact: six times the volume in steps^3 */
double rvi_edit_volume(const rvi_edit_mesh *edit);    /* m3 */
/* m3 of a difference of two of the former. */
double rvi_edit_cubic_metres(const rvi_edit_mesh *edit, rvi_wide volume6);
void rvi_edit_place(const rvi_edit_mesh *edit, uint32_t vertex, double out[3]); /* metres */

static inline bool rvi_edit_has_face(const rvi_edit_mesh *edit, uint32_t face) {
    return edit->edges.corners[3 * (size_t)face] != RVI_NONE;
}

/* ---- Operations ---- */

/* Each is checked exactly before it is done. RVI_REFUSED: the new faces would meet others, turn
 * over, have no area, or the surface would not be manifold; nothing was changed. RVI_NO_MEMORY:
 * nothing was changed either, and the sentence is set. */
typedef enum rvi_done { RVI_DONE, RVI_REFUSED, RVI_NO_MEMORY } rvi_done;

/* Puts a vertex in the middle of the edge, rounded to the lattice. `middle` may be NULL. */
rvi_done rvi_edit_split(rvi_edit_mesh *edit, uint32_t half_edge, uint32_t *middle);
/* Puts a vertex into a face, by weights of its corners that add up to 1. */
rvi_done rvi_edit_insert(rvi_edit_mesh *edit, uint32_t face, const double weights[3],
                         uint32_t *vertex);
/* Replaces the edge by one between the two opposite corners. */
rvi_done rvi_edit_flip(rvi_edit_mesh *edit, uint32_t half_edge);
/* Makes one vertex of both ends, at one of them or in the middle; a fixed one stays where it is. It
 * keeps the number of the vertex that the half-edge goes to. */
typedef enum rvi_collapse_to { RVI_AT_END, RVI_AT_MIDDLE, RVI_AT_START } rvi_collapse_to;
rvi_done rvi_edit_collapse(rvi_edit_mesh *edit, uint32_t half_edge, rvi_collapse_to place);

/* ---- edit_move.c: moves ---- */

/* Many vertices move together, each named once; `to` are metres. None goes farther than half of the
 * shortest edge at it. All moves are made, and the faces that they touch are tested exactly against
 * everything near; where faces meet, the vertices of both go half the way, then a quarter, then
 * stay: at worst everything is as it was. `refused`, if not NULL: how many did not go all the way.
 * RV_CANCELLED and RV_ERROR_MEMORY leave the mesh as it was. */
rv_status rvi_edit_move(rvi_edit_mesh *edit, const uint32_t *which, const double (*to)[3],
                        size_t count, size_t *refused);

/* Faces that were changed, made or removed since the last call, each once, in order of numbers.
 * The first call names all. Valid until the mesh changes. */
size_t rvi_edit_changed(rvi_edit_mesh *edit, const uint32_t **faces);

/* ---- edit_check.c: for the files of the edited mesh ---- */

/* The faces that an operation takes away, and those that come in their place. */
enum { RVI_REPLACE_MOST = 64 };
typedef struct rvi_replacement {
    uint32_t old[RVI_REPLACE_MOST]; /* faces that go */
    size_t olds;
    uint32_t fresh[RVI_REPLACE_MOST][3]; /* corners of faces that come in their place */
    uint32_t like[RVI_REPLACE_MOST];     /* the old face that each must not turn away from */
    size_t count;
    uint32_t vertex;  /* one that is new or gets a new place; or RVI_NONE */
    uint32_t gone;    /* one that collapses into it; or RVI_NONE */
    rvi_spot spot;    /* the place of `vertex`; the old faces and it span what is swept */
    rvi_wide volume6; /* set by rvi_replacement_fits: by how much the volume grows */
} rvi_replacement;

/* Would the mesh stay valid? */
bool rvi_replacement_fits(rvi_edit_mesh *edit, rvi_replacement *patch);
/* Which others does a face meet, of those beside its edges? Writes the RVI_PARTNERS lowest of
 * those, or the face itself when it has no area, and returns how many. Of faces that bear the last
 * stamp, as it does, only those with higher numbers are looked at: the other way round they find
 * it. */
enum { RVI_PARTNERS = 4 };
size_t rvi_face_folds(const rvi_edit_mesh *edit, uint32_t face, uint32_t out[RVI_PARTNERS]);
/* The same against all. Looks as far as `margin` steps around, and notes until when it is safe. */
size_t rvi_face_meets(rvi_edit_mesh *edit, uint32_t face, int64_t margin,
                      uint32_t out[RVI_PARTNERS]);
/* After faces were made: what is known of how far others keep away from theirs is forgotten near.
 */
void rvi_faces_came(rvi_edit_mesh *edit, const uint32_t *faces, size_t count);
/* Are all shells still the right way out and within or beside the same others? `reach`: how far in
 * steps anything moved at most. */
bool rvi_shells_stay(const rvi_edit_mesh *edit, int64_t reach);

/* ---- edit_mesh.c: for the files of the edited mesh ---- */

rvi_triangle rvi_edit_triangle(const rvi_edit_mesh *edit, uint32_t face);
rvi_wide rvi_edit_face_volume6(const rvi_edit_mesh *edit, uint32_t face);
uint32_t rvi_edit_stamp(rvi_edit_mesh *edit); /* a new stamp, which no face bears */
rv_status rvi_edit_reserve(rvi_edit_mesh *edit, size_t more_vertices, size_t more_faces);

#endif
