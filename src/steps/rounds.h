/* rounds.h: many small runs over the land (drops, particles) on all threads, in an order that does
 * not depend on how many threads there are.
 *
 * Drops run in rounds. In a round the map is cut into square tiles, four by four colours of them,
 * so wide that drops of two tiles of one colour cannot meet. Colours follow each other, tiles of a
 * colour run side by side, drops of a tile in the order of their number. Every round cuts
 * elsewhere, so that no seam can form.
 */
#ifndef RVI_STEPS_ROUNDS_H
#define RVI_STEPS_ROUNDS_H

#include "steps/step.h"

/* Where and how much it rains, as running sums of whole numbers. */
typedef struct rvi_rain {
    uint32_t *cells; /* running sum within each row */
    uint64_t *rows;  /* running sum of the rows; NULL: the same everywhere */
} rvi_rain;

typedef struct rvi_rounds_desc {
    int width, height; /* cells of the map the drops fall on, both at least 2 */
    int reach;         /* cells in any direction from its own that a drop may touch */
    double cost;       /* of one drop, in steps of a small one: rounds are kept short */
    uint64_t drops, seed;
    rvi_rain rain;
    /* Runs one drop from (x, y), 0 <= x < width - 1, 0 <= y < height - 1. Calls with the same
     * `tile` never run at the same time: sums go into one place a tile. */
    void (*run)(void *arg, int tile, uint64_t number, float x, float y);
    void *arg;
} rvi_rounds_desc;

typedef struct rvi_rounds rvi_rounds;
rv_status rvi_rounds_create(rv_context *ctx, const rvi_rounds_desc *desc, rvi_rounds **out);
void rvi_rounds_destroy(rvi_rounds *rounds);      /* NULL is fine */
int rvi_rounds_tiles(const rvi_rounds *rounds);   /* how many places for sums there must be */
double rvi_rounds_done(const rvi_rounds *rounds); /* 0 to 1; at 1 all drops have run */
rv_status
rvi_rounds_next(rvi_rounds *rounds); /* RV_CANCELLED: some drops of the round did not run */

/* Running sums over an image of width x height that holds 0 to 1, continued by a mirrored margin.
 * RV_ERROR_INPUT when it is black everywhere (`name` for the sentence). */
rv_status rvi_rain_make(rv_context *ctx, const float *image, int width, int height, int margin,
                        const char *name, rvi_rain *out);
void rvi_rain_free(rv_context *ctx, rvi_rain *rain);

/* The index 0 ... size - 1 that a place outside mirrors to. */
int rvi_mirror(int i, int size);

#endif
