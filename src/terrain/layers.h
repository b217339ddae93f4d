/* layers.h: how ground is taken from a stack of layers and laid down on it. */
#ifndef RVI_TERRAIN_LAYERS_H
#define RVI_TERRAIN_LAYERS_H

#include "terrain/layer_cell.h"
#include "terrain/state.h"

/* Erosion takes from the top layer first, each at its erodibility and the factor that a program
 * gave for its place (erosion_fn.h), and cuts through to the next. `want` is what it would take
 * from ground of erodibility 1; returns what came off the cell. Bedrock has the factor `rock`, 0 to
 * 1, besides. Adds to parts[l] what came from layer l, and to *lost all of it without rounding;
 * both may be NULL. */
float rvi_layers_take(rv_terrain *land, size_t cell, float want, float rock, float *parts,
                      double *lost);
/* Lays down up to `amount` of the materials in `parts`, each in proportion and on its own layer,
 * and takes it out of them; adds what each layer gained to deposited[l], returns the sum. What a
 * thickness cannot hold, or what is not there to the last bit, stays in `parts`. *left, which may
 * be NULL, is what there is of all: no more is laid down, and it becomes what is left of it. */
float rvi_layers_lay(rv_terrain *land, size_t cell, float amount, float *parts, double *deposited,
                     double *left);
/* Raises the top layer, or lowers layers from the top whatever they are made of; returns by how
 * much, which rounding makes a little other than asked for. */
double rvi_layers_shift(rv_terrain *land, size_t cell, float by);
/* Adds a layer that takes over *thickness, and where there was bedrock alone *surface: memory of
 * the context, as large as the map. The surface is still to be summed up. */
rv_status rvi_layers_adopt(rv_terrain *land, const rv_layer_desc *desc, float **thickness,
                           float **surface);
/* The sum of the layers: the surface of a cell. */
static inline float rvi_layers_height(const rv_terrain *land, size_t cell) {
    float h = land->layers[0].thickness[cell];
    for (int l = 1; l < land->layer_count; l++)
        h += land->layers[l].thickness[cell];
    return h;
}

#endif
