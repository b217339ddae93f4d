/* drop_ends.h: how many drops or particles left the map, ended in pits or ran to their end. */
#ifndef RVI_WEAR_DROP_ENDS_H
#define RVI_WEAR_DROP_ENDS_H

#include "terrain/figures.h"

typedef struct rvi_drop_ends {
    uint64_t left_map, pits, whole;
} rvi_drop_ends;

static inline void rvi_drop_ends_add(rvi_drop_ends *to, const rvi_drop_ends *more) {
    to->left_map += more->left_map;
    to->pits += more->pits;
    to->whole += more->whole;
}

enum { RVI_DROP_FIGURES = 3 }; /* room for rvi_figures_begin */

static inline void rvi_drop_ends_tell(rv_terrain *land, const rvi_drop_ends *ends) {
    rvi_figures_add(land, "drops_left_map", "drops that left the map", "", (double)ends->left_map);
    rvi_figures_add(land, "drops_in_pits", "drops that ended in pits", "", (double)ends->pits);
    rvi_figures_add(land, "drops_at_end", "drops that ran to their end", "", (double)ends->whole);
}

#endif
