/* flowgraph.h: where the water of every cell goes, found again and again on land that changes.
 * Pits are crossed to where they spill. There is one result, whatever the threads do:
 * flowgraph.c says by which definitions. */
#ifndef RVI_MEASURE_FLOWGRAPH_H
#define RVI_MEASURE_FLOWGRAPH_H

#include "base/buffers.h"
#include "measure/flow_cell.h"

#include <stddef.h>
#include <stdint.h>

/* Cells of one square tile whose water leaves it by one way. */
typedef struct rvi_flow_piece {
    const uint16_t *places; /* row * RVI_TILE + column in the tile; receivers before donors */
    size_t count;
    size_t corner, width; /* the first cell of the tile; of the map */
    size_t number;        /* less than rvi_flow_pieces() */
} rvi_flow_piece;

static inline size_t rvi_flow_cell(const rvi_flow_piece *p, size_t i) {
    return p->corner + (size_t)(p->places[i] >> RVI_TILE_BITS) * p->width +
           (p->places[i] & (RVI_TILE - 1));
}

/* What basins need to find where they spill. */
typedef struct rvi_basins {
    size_t count;     /* with 0, what drains by itself */
    uint32_t *joined; /* the basin that stands for those that are joined with it */
    uint64_t *height; /* of the lowest pass out of those, as a number that orders as it does */
    uint64_t *pass;   /* which that is */
    uint64_t *tree;   /* the passes that water takes */
    uint32_t *by;     /* the one of them that a basin spills by */
    uint32_t *first;  /* of each basin: its passes in `around` */
    uint32_t *around, *queue;
    size_t passes;       /* of `tree` */
    size_t *listed;      /* cells beside other basins in each block of rows */
    unsigned char *kept; /* of cells in the list: are they still beside others? */
    size_t list;         /* how many there are */
} rvi_basins;

typedef struct rvi_flow {
    rv_context *ctx;
    int width, height;
    size_t cells;
    ptrdiff_t step[8];        /* to the neighbour in each direction: E W S N, SE NW SW NE */
    unsigned char *direction; /* of each cell: 0 to 7 or RVI_END */
    uint32_t *area;           /* cells whose water comes through, itself among them */
    uint64_t *discharge;      /* what of `rain` comes through; NULL: not asked for */
    bool discharges;          /* is it asked for? */
    bool lakes;               /* are there any pits? */
    uint32_t *basin;          /* when there are: the pit a cell drains to by itself, 0: none */
    bool *drowned;            /* when there are: is a cell under a lake? */
    double *spill;            /* of a basin: the level at which it spills; -infinity for 0 */
    /* Set these before routing. */
    const double *h;            /* NaN: a hole, which must be fixed and have fixed cells around */
    const unsigned char *fixed; /* not 0: water leaves here, at the height of the cell */
    const uint32_t *rain;       /* that falls on each cell; NULL: none asked for */
    float wander; /* 0: the steepest of eight directions; 1: by chance, right on average */
    uint64_t seed, when;
    /* Its own. */
    int across, down;              /* tiles */
    double turn[256];              /* see rvi_flow_turn */
    uint16_t *order;               /* tile by tile, piece by piece: places in the tile */
    unsigned char *part;           /* the piece of a cell at the edge of its tile */
    unsigned char *turned;         /* of each tile: have directions in it changed? */
    uint32_t *pits;                /* in each tile, then in all before it */
    uint16_t *pieces;              /* how many a tile has */
    uint16_t *start;               /* of each piece in the order of its tile */
    uint32_t *root;                /* the cell by which its water leaves the tile */
    uint32_t *parent;              /* the piece it goes on to; itself: it ends in the tile */
    uint32_t *waits, *depth;       /* donors of a piece that are missing; pieces from the end */
    uint32_t *donors_first, *rank; /* all pieces; by depth */
    uint64_t *total;               /* what leaves a piece */
    uint32_t *block;               /* of pieces by depth: where each begins */
    uint32_t *round;               /* of blocks, which may run side by side */
    bool *done;                    /* of each block: see rvi_flow_up_rest */
    size_t count, blocks, rounds;
    rvi_basins basins;
} rvi_flow;

/* The first is asked before anything is listed, the second lists the memory, the third begins when
 * it is there. Some cell must be fixed before
 * anything is routed. `rain`: is the discharge asked for? */
rv_status rvi_flow_allowed(rv_context *ctx, int width, int height); /* can its cells be counted? */
void rvi_flow_prepare(rvi_flow *f, rv_context *ctx, int width, int height, bool rain,
                      rvi_buffers *buffers);
void rvi_flow_begin(rvi_flow *f);

/* Finds directions, areas and lakes for the heights as they are now. RV_CANCELLED: they are not
 * whole. */
rv_status rvi_flow_route(rvi_flow *f);

/* Calls `fn` for every piece, on all threads: up, when the piece its water goes to is done, down,
 * when all are done whose water comes to it. Within a piece `fn` keeps the order: forwards, or
 * backwards. It may write what belongs to its cells. After a stop rvi_flow_up_rest calls it for
 * the pieces that were left out, in any order; rvi_flow_finish_down cannot be stopped. */
typedef void (*rvi_flow_fn)(void *arg, const rvi_flow_piece *piece);
rv_status rvi_flow_up(rvi_flow *f, rvi_flow_fn fn, void *arg);
rv_status rvi_flow_down(rvi_flow *f, rvi_flow_fn fn, void *arg);
void rvi_flow_finish_down(rvi_flow *f, rvi_flow_fn fn, void *arg);
rv_status rvi_flow_up_rest(rvi_flow *f, rvi_flow_fn fn, void *arg);
size_t rvi_flow_pieces(int width, int height);
size_t rvi_flow_basins(const rvi_flow *f); /* the most there can be */

/* The level to which water fills a cell: its height, or that of the lake it lies under, as the
 * heights were when it was routed. */
static inline double rvi_flow_level(const rvi_flow *f, size_t cell, double height) {
    double level = f->lakes ? f->spill[f->basin[cell]] : height;
    return level > height ? level : height;
}

/* Was it under a lake then? */
static inline bool rvi_flow_drowned(const rvi_flow *f, size_t cell) {
    return f->lakes && f->drowned[cell];
}

static inline size_t rvi_flow_receiver(const rvi_flow *f, size_t cell) {
    return f->direction[cell] == RVI_END ? cell
                                         : (size_t)((ptrdiff_t)cell + f->step[f->direction[cell]]);
}

/* Is there a cell beside this one in a direction, and does its water come here? */
static inline bool rvi_flow_donor(const rvi_flow *f, size_t cell, int direction, size_t *donor) {
    ptrdiff_t at = (ptrdiff_t)cell - f->step[direction];
    *donor = (size_t)at;
    return at >= 0 && at < (ptrdiff_t)f->cells && f->direction[at] == direction;
}

#endif
