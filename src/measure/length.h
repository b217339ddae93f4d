/* length.h: how far it is from a cell to where its water goes. */
#ifndef RVI_MEASURE_LENGTH_H
#define RVI_MEASURE_LENGTH_H

#include "measure/drainage.h"

/* In cells: 1 along rows and columns, sqrt 2 across a corner, 0 at an outlet. */
static inline double rvi_length_down(const rvi_drainage *d, size_t cell) {
    size_t to = d->receiver[cell], apart = to > cell ? to - cell : cell - to;
    /* Corners lie width - 1 or width + 1 apart; in a map two cells wide all cells are outlets. */
    if (apart == 0)
        return 0.0;
    return apart == 1 || apart == (size_t)d->width ? 1.0 : RVI_DIAGONAL;
}

#endif
