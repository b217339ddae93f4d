/* state.h: the terrain as the steps see it. */
#ifndef RVI_TERRAIN_STATE_H
#define RVI_TERRAIN_STATE_H

#include <ravine/ravine.h>

enum { RVI_NAME = 32 }; /* bytes of a name with its end */

typedef struct rvi_layer {
    char name[RVI_NAME];
    float erodibility, talus;
    float *thickness;
    double taken, laid; /* cubic metres, since it was made */
} rvi_layer;

typedef struct rvi_field {
    char name[RVI_NAME];
    float *values;
} rvi_field;

struct rv_terrain {
    rv_context *ctx;
    int width, height;
    float cell;
    rvi_layer *layers; /* [0] is bedrock */
    int layer_count;
    float
        *surface; /* sum of the layers, bottom to top; layers[0].thickness when there is but one */
    rvi_field *fields; /* in alphabetical order */
    int field_count;
    rv_ledger ledger;
    bool planned; /* has a size but no memory: only for plans */
};

static inline size_t rvi_cells(const rv_terrain *land) {
    return (size_t)land->width * (size_t)land->height;
}

/* Becomes flat bare bedrock of another size; fields and layers go. Checks size and memory first: on
 * failure the terrain is as it was. */
rv_status rvi_terrain_reset(rv_terrain *land, int width, int height, float cell);
/* Takes another terrain's content, whose shell stays to be destroyed. */
void rvi_terrain_swap(rv_terrain *a, rv_terrain *b);
/* An empty terrain with the layers and fields (names, properties) of `like` in another size. */
rv_status rvi_terrain_create_like(const rv_terrain *like, int width, int height, float cell,
                                  rv_terrain **out);

/* The surface becomes `values` (from rvi_alloc, taken over): bedrock moves, layers ride on it. */
rv_status rvi_terrain_adopt_surface(rv_terrain *land, float *values);
/* After thicknesses were changed: adds the layers up again. */
rv_status rvi_terrain_sum_layers(rv_terrain *land);

/* A field by name, NULL when there is none; with `make`, a zeroed one (NULL: memory, sentence set).
 */
float *rvi_field_get(const rv_terrain *land, const char *name);
float *rvi_field_make(rv_terrain *land, const char *name);
void rvi_field_drop(rv_terrain *land, const char *name);

/* Erosion takes from the top layer first, each at its erodibility, and cuts through to the next.
 * `want` is what it would take from ground of erodibility 1; returns what came off the cell. */
float rvi_layers_take(rv_terrain *land, size_t cell, float want);
/* Raises the top layer, or lowers layers from the top whatever they are made of; returns by how
 * much, which rounding makes a little other than asked for. */
double rvi_layers_shift(rv_terrain *land, size_t cell, float by);

#endif
