/* wear_state.h: the inside of the wear, and the parts of its step. Only src/scene includes it.
 *
 * Each vertex owes or is owed a volume: how much more it has lost than particles got from it. A
 * step asks each vertex for what its particles would erode, less what they would deposit and less
 * what is owed; the vertices move; and what a vertex did not do is given back to its particles, so
 * that what is owed never grows. Sums over contacts go in the order of the particles. */
#ifndef RVI_SCENE_WEAR_STATE_H
#define RVI_SCENE_WEAR_STATE_H

#include "scene/wear.h"

typedef struct rvi_wear_exchange { /* of a contact, between its particle and the rock */
    uint32_t particle;
    uint32_t material;
    double erode, deposit; /* m3 */
} rvi_wear_exchange;

typedef struct rvi_mover { /* a vertex that shall move */
    uint32_t vertex;
    bool waits;                        /* until more volume has come together */
    double erode, deposit;             /* m3 that its particles would exchange */
    double from[3], move[3];           /* m: from where, and by how much */
    double normal[3], area;            /* outwards; m2, which is m3 gained per metre along it */
    double gain;                       /* m3 that its move adds */
    double erode_share, deposit_share; /* shares of `erode` and `deposit` that have come about */
} rvi_mover;

typedef struct rvi_swept_face { /* a face of which corners move */
    uint32_t face;
    double area[3]; /* its area vector, in the mean over the move */
} rvi_swept_face;

struct rvi_wear {
    rv_context *ctx;
    rvi_wear_desc desc;
    rvi_rock_material *materials;
    double *material_eroded, *material_deposited;
    rvi_sph *water;
    const rvi_sph_desc *box; /* of the water */
    rvi_edit_mesh *rock;
    double up[3];           /* against gravity; 0 without it */
    double most;            /* m3 of sediment in a particle */
    float reach;            /* m */
    double first_suspended; /* m3 in particles when it began */
    rvi_wide first6, volume6;
    rvi_wear_ledger ledger; /* without volume, suspended and what is owed */
    double debt;            /* m3 owed by the rock as a whole, not by one vertex */
    bool walls_outdated;    /* the water's walls could not follow the rock: memory ran out */
    double index_seconds;   /* that changed faces took in the last step */
    bool listens;           /* to rvi_sph_on_gone */
    rvi_touch *touches;     /* of particles, with room for all of them */
    /* Of contacts, at most one for each particle. */
    rvi_contact *contacts;
    rvi_wear_exchange *exchanges;
    size_t contact_count;
    /* Of vertices and faces of the rock. */
    double *owed;
    uint32_t *mover_of; /* of vertices; RVI_NONE: it does not move */
    size_t vertex_room;
    rvi_mover *movers;
    double *levelled; /* of movers: m3 that levelling brings; apart, as others read the movers */
    uint32_t *which;
    double (*to)[3];
    size_t mover_count;
    uint32_t *swept_of;
    rvi_swept_face *swept;
    rvi_wall_change *changes;
    size_t swept_count, face_room;
};

/* ---- wear_exchange.c ---- */
rv_status rvi_wear_find_contacts(rvi_wear *w);
rv_status rvi_wear_find_exchanges(rvi_wear *w); /* what each contact would erode and deposit */

/* ---- wear_moves.c ---- */
rv_status rvi_wear_move_vertices(rvi_wear *w);                 /* and books what they did */
double rvi_wear_target(const rvi_wear *w, const rvi_mover *m); /* m3 that it shall gain */

/* ---- wear_level.c ---- */
rv_status rvi_wear_level(rvi_wear *w);

/* ---- wear_walls.c ---- */
rv_status rvi_wear_rebuild_walls(rvi_wear *w); /* of the water, from the whole rock */
rv_status rvi_wear_update_walls(rvi_wear *w);  /* changed faces, and the particles beside them */

#endif
