/* drop_rounds.h: many small runs over the land (drops, particles) on all threads, in an order that
 * does not depend on how many threads there are.
 *
 * Drops run in rounds. In a round the map is cut into square tiles of n x n colours, so wide that
 * drops of two tiles of one colour cannot meet. Colours follow each other, tiles of a colour run
 * side by side, drops of a tile in the order in which they fell. Every round cuts elsewhere, so
 * that no seam can form. A drop that is still on its way at the end of its run goes on from there
 * in the next round: how far one may reach in a round, and with it how many tiles can run side by
 * side, has nothing to do with how long its path is.
 *
 * Where drops fall, how the map is cut and which drops run in a round are said in a unit of length,
 * not in cells: the same land in finer cells gets the same drops in the same order. They fall on
 * squares that are counted from the map's first cell, one on each in every wave, at a random place
 * that depends on the seed, the square and the wave alone: what is cut off at the south and east
 * leaves the drops where they are. Rain that an image gives moves these places.
 */
#ifndef RVI_WEAR_DROP_ROUNDS_H
#define RVI_WEAR_DROP_ROUNDS_H

#include "base/threads.h"
#include "wear/drop_fall.h"
#include "wear/rain.h"

/* A drop on its way. */
typedef struct rvi_slot {
    float x, y;      /* 0 <= x < width - 1, 0 <= y < height - 1 */
    uint64_t number; /* a random one of its own */
    bool fresh;      /* it has just fallen */
    bool ended;      /* set by a run: do not go on with it */
} rvi_slot;

typedef struct rvi_rounds_desc {
    int width, height; /* cells of the land the drops fall on, both at least 2 */
    int margin;        /* of them before the map's first cell, along both sides */
    double unit;       /* of length, in cells */
    int reach;         /* units in any direction that a drop may touch in a round */
    double cost;       /* of one drop in a round, in steps of a small one: rounds are kept short */
    uint64_t drops, seed;
    rvi_rain rain;
    /* Runs the drops of the tiles that it takes (rvi_rounds_in), which cannot meet those of others
     * that are taken: tiles in any order or side by side, the drops of one tile one after the
     * other. Says in each slot whether the drop has ended and, if not, where it is. No tile is in
     * two calls: sums go into one place a tile. */
    void (*run)(void *arg, rvi_taker *tiles);
    void *arg;
    rv_status (*look)(void *arg); /* between tiles, as rvi_graph has it; or NULL */
} rvi_rounds_desc;

/* Its members are those of drop_rounds.c alone, but for `d.rain`, which may be filled after it is
 * prepared. */
typedef struct rvi_rounds {
    rv_context *ctx;
    rvi_rounds_desc d;
    uint64_t round, begun, tried; /* tried: with those that missed the land */
    rvi_fall_squares squares;
    int colours;                /* along each side of the pattern */
    int tile, tiles_x, tiles_y; /* side in units, and how many */
    int shift_x, shift_y;       /* where this round cuts, in units */
    uint8_t *turn;              /* when the colour of each tile has its turn in this round */
    int most_in_round;
    int in_round; /* drops of this round, or on their way between rounds */
    rvi_slot *slots;
    int *list;    /* slots of the drops of the round, as they fell; then those that are free */
    int *tile_of; /* of each drop in `list` */
    int *order;   /* slots sorted by tile */
    int *start;   /* first of each tile in `order`, and one more for the end */
    int *waits, *queue;
} rvi_rounds;

/* The first lists the memory, the second begins when it is there. */
void rvi_rounds_prepare(rvi_rounds *rounds, rv_context *ctx, const rvi_rounds_desc *desc,
                        rvi_buffers *buffers);
void rvi_rounds_begin(rvi_rounds *rounds);
int rvi_rounds_tiles(const rvi_rounds *rounds);   /* how many places for sums there must be */
int rvi_rounds_most(const rvi_rounds *rounds);    /* how many drops there are at a time, at most */
double rvi_rounds_done(const rvi_rounds *rounds); /* 0 to 1; at 1 all drops have ended */
rv_status
rvi_rounds_next(rvi_rounds *rounds); /* RV_CANCELLED: some drops of the round did not run */

/* The slots, rvi_rounds_most of them: a drop keeps its slot until it has ended. */
rvi_slot *rvi_rounds_slots(const rvi_rounds *rounds);
/* Which of them are drops of a tile in this round, in their order. */
const int *rvi_rounds_in(const rvi_rounds *rounds, int tile, int *count);
/* Those that are on their way between rounds. */
const int *rvi_rounds_running(const rvi_rounds *rounds, int *count);

#endif
