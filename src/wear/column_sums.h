/* column_sums.h: what columns of blocks of rows have counted, added up, on the processor and to the
 * bit so on a device. A column is a struct of doubles, all of which are added up alike. In each
 * block lane k has every RVI_COLUMN_LANES-th column from k on; the lanes of all blocks are added up
 * one after the other. */
#ifndef RVI_WEAR_COLUMN_SUMS_H
#define RVI_WEAR_COLUMN_SUMS_H

#include "device/device.h"
#include "wear/column_lane.h"

typedef struct rvi_column_sums {
    const void *columns; /* the first of the first block */
    int entries;         /* doubles of a column, at most RVI_COLUMN_MOST */
    int width;           /* columns of a block that count, from number `first` on */
    int first;
    size_t stride, blocks; /* columns from block to block */
} rvi_column_sums;

/* Bytes of the memory, from rvi_alloc, that a device works with. */
size_t rvi_column_sums_bytes(const rvi_column_sums *c);
/* sum: a column. */
void rvi_column_sums_add(const rvi_column_sums *c, void *sum);
rv_status rvi_column_sums_device(rvi_device *d, const rvi_column_sums *c, double *lanes, void *sum);

#endif
