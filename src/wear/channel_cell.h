/* channel_cell.h: the arithmetic of a cell that channel.c spreads, for the processor and for
 * devices. */
#ifndef RVI_WEAR_CHANNEL_CELL_H
#define RVI_WEAR_CHANNEL_CELL_H

typedef struct rvi_channel_level {
    int apart;                  /* cells */
    float centre, side, corner; /* weights */
} rvi_channel_level;

/* The index that i mirrors to, where the border lies between two cells. */
static inline int rvi_channel_mirrored(int i, int size) {
    if (i >= 0 && i < size)
        return i;
    int around = (i < 0 ? -1 - i : i) % (2 * size);
    return around < size ? around : 2 * size - 1 - around;
}

/* A cell, and its neighbours in pairs that face each other: west and east, north and south, then
 * the corners. */
static inline float rvi_channel_cell(float centre, float side, float corner, float here, float w,
                                     float e, float n, float s, float nw, float se, float ne,
                                     float sw) {
    return centre * here + (side * ((w + e) + (n + s)) + corner * ((nw + se) + (ne + sw)));
}

#endif
