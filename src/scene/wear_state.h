/* wear_state.h: the inside of the wear, and the parts of its step.
 *
 * What is owed stands at vertices: how much more a vertex has lost than particles got from it. A
 * step asks each vertex for what its particles want to take, less what they want to lay and less
 * what is owed; the vertices move; and what a vertex did not do is given back to its particles, so
 * that what is owed never grows. Sums over contacts go in the order of the particles. */
#ifndef RVI_SCENE_WEAR_STATE_H
#define RVI_SCENE_WEAR_STATE_H

#include "scene/wear.h"
#include "water/sph_state.h"

typedef struct rvi_ask { /* of a contact */
    uint32_t particle;
    uint32_t material;
    double take, lay; /* m3 */
} rvi_ask;

typedef struct rvi_mover { /* a vertex that is asked for something */
    uint32_t vertex;
    bool waits;              /* until more is asked for */
    double take, lay;        /* m3 that particles ask for */
    double from[3], way[3];  /* m; where it goes by `way` */
    double normal[3], slope; /* outwards, and m3 gained per metre along it */
    double gain;             /* m3 that its way adds */
    double flow;             /* m3 that levelling brings */
    double keep[2];          /* shares of `take` and `lay` that come true */
} rvi_mover;

typedef struct rvi_swept { /* a face that moves, at least in part */
    uint32_t face;
    double area[3]; /* its normal, as long as the area, in the mean over the way */
} rvi_swept;

struct rvi_wear {
    rv_context *ctx;
    rvi_wear_desc desc;
    rvi_material *materials;
    double *material_taken, *material_laid;
    rvi_sph *water;
    rvi_edit_mesh *skin;
    double up[3];     /* against gravity; 0 without it */
    double most;      /* m3 of sediment in a particle */
    float reach;      /* m */
    float touchy;     /* m: particles farther away than that a step's moves bring nobody too near */
    double first_sum; /* m3 in particles when it began */
    rvi_wide first6, volume6;
    rvi_wear_ledger ledger; /* without volume, afloat and owed */
    double debt;            /* m3 owed that no vertex has been found for */
    bool torn;              /* walls could not follow the skin: memory ran out */
    double entering;        /* seconds that changed faces took in the last step */
    /* Of particles, with room for all of them. */
    rvi_touch *touches; /* the face is RVI_NONE where there is none */
    rvi_v4 *loads;      /* what sediment drifts by */
    double *drifted;
    uint8_t *leaves;
    size_t *counts; /* of blocks */
    /* Of contacts, one a particle at most. */
    rvi_contact *contacts;
    rvi_ask *asks;
    size_t contact_count;
    /* Of vertices and faces of the skin. */
    double *owed;
    uint32_t *mover_of; /* RVI_NONE: none */
    size_t vertex_room;
    rvi_mover *movers;
    uint32_t *which;
    double (*to)[3];
    size_t mover_count, mover_room;
    uint32_t *swept_of;
    rvi_swept *swept;
    rvi_wall_change *changes;
    size_t swept_count, face_room;
};

/* ---- wear_drift.c ---- */
rv_status rvi_wear_drift(rvi_wear *w); /* from particle to particle */

/* ---- wear_exchange.c ---- */
rv_status rvi_wear_touch(rvi_wear *w); /* finds contacts */
rv_status rvi_wear_ask(rvi_wear *w);   /* what each contact takes and lays */

/* ---- wear_moves.c ---- */
rv_status rvi_wear_move(rvi_wear *w); /* moves vertices and books what they did */
double rvi_wear_wish(const rvi_wear *w, const rvi_mover *m); /* m3 that it shall gain */

/* ---- wear_level.c ---- */
rv_status rvi_wear_level(rvi_wear *w);

/* ---- wear_walls.c ---- */
rv_status rvi_wear_rebuild(rvi_wear *w); /* walls of the skin for the water */
rv_status rvi_wear_refresh(rvi_wear *w); /* changed faces, and the particles beside them */

#endif
