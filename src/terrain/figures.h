/* figures.h: what the last step measured on a terrain. */
#ifndef RVI_TERRAIN_FIGURES_H
#define RVI_TERRAIN_FIGURES_H

#include "terrain/state.h"

/* Room for so many; those of the step before are gone. */
rv_status rvi_figures_begin(rv_terrain *land, int room);
/* Adds one without bounds. */
rv_figure *rvi_figures_add(rv_terrain *land, const char *name, const char *label, const char *unit,
                           double value);
void rvi_figures_clear(rv_terrain *land);

#endif
