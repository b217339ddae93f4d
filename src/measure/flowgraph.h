/* flowgraph.h: flow directions of land that changes, found again and again: what rivers
 * cut along. Lakes are crossed to where they spill. */
#ifndef RVI_MEASURE_FLOWGRAPH_H
#define RVI_MEASURE_FLOWGRAPH_H

#include "base/buffers.h"
#include "measure/priority_flood.h"

enum { RVI_FLOODED = 1 };
enum { RVI_END = 8 }; /* where water leaves; 0 to 7 are the directions */

typedef struct rvi_flow {
    rv_context *ctx;
    int width, height;
    size_t cells;
    ptrdiff_t step[8];        /* to the neighbour in each direction: E W S N, SE NW SW NE */
    unsigned char *direction; /* of each cell: 0 to 7 or RVI_END */
    uint32_t *order;          /* all cells, donors before receivers */
    double *level;            /* of flooded cells: the height, or that of the lake they are under */
    unsigned char *lake; /* when there are lakes: RVI_FLOODED, else the cell drains without one */
    bool lakes;          /* are there any? */
    /* Set these before routing. */
    const double *h;
    const unsigned char *fixed; /* not 0: water leaves here, at the height of the cell */
    float wander; /* 0: the steepest direction; 1: corners seem nearer or farther by chance */
    uint64_t seed, when;
    /* Its own. */
    unsigned char *direction_room, *donors;
    rvi_priority_flood flood;
    uint64_t *heap;    /* 8 bytes a cell: what waits, or labels and the graph of basins */
    size_t first, end; /* of `order`: cells that the flood has reached and not looked around from */
    double corner[256]; /* what falls to corners are multiplied with, by chance */
    size_t *pits;
} rvi_flow;

/* The first lists the memory, the second begins when it is there. Some cell must be fixed before
 * anything is routed. */
void rvi_flow_prepare(rvi_flow *f, rv_context *ctx, int width, int height, rvi_buffers *buffers);
void rvi_flow_begin(rvi_flow *f);

/* Finds `direction` and `order` for the heights as they are now. RV_CANCELLED: neither is whole. */
rv_status rvi_flow_route(rvi_flow *f);

/* Is it under a lake, as the heights were when it was routed? */
static inline bool rvi_flow_drowned(const rvi_flow *f, size_t cell) {
    return f->lakes && f->lake[cell] == RVI_FLOODED && f->level[cell] > f->h[cell];
}

static inline size_t rvi_flow_receiver(const rvi_flow *f, size_t cell) {
    return f->direction[cell] == RVI_END ? cell
                                         : (size_t)((ptrdiff_t)cell + f->step[f->direction[cell]]);
}

#endif
