/* network.h: pits in the way of water, and how the channels of a land are built. */
#ifndef RVI_MEASURE_NETWORK_H
#define RVI_MEASURE_NETWORK_H

#include "measure/ground.h"
#include "measure/network_cell.h"
#include "measure/statistics.h"

/* Shares are 0 to 1. */
typedef struct rvi_pits {
    double fill;     /* mean depth of the fill over the relief */
    double deep;     /* share of cells in pits deeper than 1 % of the relief */
    double channels; /* share of channel cells in pits deeper than 0.2 % of the relief */
    double uphill;   /* share of channel cells whose receiver stands higher */
} rvi_pits;

rv_status rvi_pits_measure(const rvi_ground *ground, const rvi_drainage *drainage, uint32_t channel,
                           rvi_pits *out);

typedef struct rvi_network {
    unsigned char *order;           /* Strahler's, of each channel cell; 0 elsewhere */
    int orders;                     /* the highest */
    double streams[RVI_ORDERS + 1]; /* how many of each order */
    double lengths[RVI_ORDERS + 1]; /* their mean length, in metres */
    double bifurcation;             /* Horton's ratio of numbers */
    double length_ratio;            /* Horton's ratio of lengths */
    double hack;                    /* h, where the longest way down is as A^h */
    double share;                   /* of cells that are channels */
    double density;                 /* metres of channel a square metre */
} rvi_network;

/* What its channels are counted by; a channel cell is as long as the way to its receiver. */
typedef struct rvi_network_counts {
    uint64_t streams[RVI_ORDERS + 1];
    uint64_t sides[RVI_ORDERS + 1],
        corners[RVI_ORDERS + 1]; /* cells as long as one, and as sqrt 2 */
    uint64_t land;               /* cells that count */
} rvi_network_counts;

/* How many streams of each order there are, how long, and how dense. */
void rvi_network_sum(rvi_network *network, const rvi_network_counts *counts, double cell);

rv_status rvi_network_measure(const rvi_ground *ground, const rvi_drainage *drainage,
                              uint32_t channel, rvi_network *out);
void rvi_network_free(const rvi_ground *ground, rvi_network *network);

/* b, where the share of cells that drain at least a cells is as a^-b; NaN: not defined. The areas
 * are `whole` cells, or `parts` of them where that is NULL. */
rv_status rvi_exceedance_measure(const rvi_ground *ground, const uint32_t *whole,
                                 const double *parts, double *out);

#endif
