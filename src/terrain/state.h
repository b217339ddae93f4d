/* state.h: the terrain as the steps see it. */
#ifndef RVI_TERRAIN_STATE_H
#define RVI_TERRAIN_STATE_H

#include "terrain/band_cell.h"
#include "terrain/georeference.h"
#include "terrain/volume_law.h"

#include <ravine/ravine.h>

enum {
    RVI_NAME = 32,         /* bytes of a name with its end */
    RVI_SIDE_MOST = 65536, /* cells along a side of a terrain */
};

typedef struct rvi_layer {
    char name[RVI_NAME];
    float erodibility, talus;
    uint32_t colour; /* 0xffRRGGBB; 0: none */
    float *thickness;
    double eroded, deposited;           /* cubic metres, since it was made */
    double last_eroded, last_deposited; /* the same, in the last step */
} rvi_layer;

typedef struct rvi_field {
    char name[RVI_NAME];
    float *values;
} rvi_field;

/* Hard and soft bands inside the bedrock; bands.h says how hard a place is. Lengths are
 * metres; there are no gaps between the members, which are hashed and saved as they are. */
typedef struct rvi_strata {
    double x, y;           /* of cell (0, 0), in the map that the bands were made for */
    double rise;           /* metres up for each metre against the dip */
    double east, south;    /* where they dip to: a vector of length 1 */
    double fold, length;   /* height of a wave along the dip, and its length */
    double wobble;         /* height of the noise */
    uint64_t seed;         /* of the noise */
    float thickness;       /* of a band, from bottom to top */
    float hardness;        /* of hard bands; 0: no bands */
    float edge[RVI_BANDS]; /* how far the lower edge of each band is moved up, in bands, |edge| <
                              1/2 */
    float soft[RVI_BANDS]; /* erosion factor of each band, 0 to 1 */
} rvi_strata;

/* Hardness of the bedrock in three dimensions, from samples or from noise; hardness_volume.h says
 * how hard a place is. Lengths are metres; up to `values` there are no gaps between the members,
 * which are hashed and saved as they are. */
typedef struct rvi_hardness_volume {
    RVI_VOLUME_MEMBERS;
    float *values; /* of the samples, 0 to 1: the lowest slice first, in it the north row */
} rvi_hardness_volume;

/* The erosion factor as a function of the place; erosion_fn.h asks it. */
typedef struct rvi_erosion_function {
    rv_erosion_factor_fn fn; /* NULL: none */
    void *user;
    double x, y; /* of cell (0, 0), in the map that the function was given for; metres */
} rvi_erosion_function;

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
    rvi_strata strata;
    rvi_hardness_volume volume;
    rv_figure *figures; /* what the last step measured; figures.h */
    int figure_count, figure_room;
    rvi_erosion_function erosion;
    rvi_georeference geo;
    bool outline; /* has a size and the names and properties of layers and fields, but no grids */
};

static inline size_t rvi_cells(const rv_terrain *land) {
    return (size_t)land->width * (size_t)land->height;
}

/* Says no where addresses are too short for so many cells, with 256 bytes for what steps keep of
 * each: no count of them runs over. Addresses of 64 bits have room for the largest terrain. */
rv_status rvi_cells_check(rv_context *ctx, uint64_t width, uint64_t height);

/* Becomes flat bare bedrock of another size; fields and layers go. Checks size and memory first: on
 * failure the terrain is as it was. */
rv_status rvi_terrain_reset(rv_terrain *land, int width, int height, float cell);
/* Takes another terrain's content, whose shell stays to be destroyed. */
void rvi_terrain_swap(rv_terrain *a, rv_terrain *b);

/* Outlines are terrains without grids, for plans. Calls that change the size, the layers or the
 * fields of a terrain do the same to its outline. rvi_outline_free frees what `out` holds, not
 * `out`. */
rv_status rvi_outline_make(const rv_terrain *land, rv_terrain *out);
void rvi_outline_free(rv_terrain *outline);
/* Layers and fields stay. */
rv_status rvi_outline_resize(rv_terrain *outline, int width, int height, float cell);
/* Has the land this size, these layers and no other fields than these? */
bool rvi_outline_fits(const rv_terrain *outline, const rv_terrain *land);
/* Do steps prepare the same on both? */
bool rvi_outline_same(const rv_terrain *a, const rv_terrain *b);
/* What the grids of a terrain of this outline take from the memory limit. */
size_t rvi_outline_bytes(const rv_terrain *outline);

/* An empty terrain with the layers and fields (names, properties) of `like` in another size. */
rv_status rvi_terrain_create_like(const rv_terrain *like, int width, int height, float cell,
                                  rv_terrain **out);

/* What a device has made of the land comes back to the host; the second, because the host is going
 * to change it. Functions of the API and steps of the processor call them before they look. */
rv_status rvi_terrain_fetch(const rv_terrain *land);
rv_status rvi_terrain_take_back(rv_terrain *land);

/* The surface becomes `values` (from rvi_alloc, taken over): bedrock moves, layers ride on it. */
void rvi_terrain_adopt_surface(rv_terrain *land, float *values);
/* After thicknesses were changed: adds the layers up again. */
void rvi_terrain_sum_layers(rv_terrain *land);

/* The hardness in three dimensions becomes `volume`, with its values (from rvi_alloc, taken over);
 * NULL: there is none. Of an outline, too. */
void rvi_terrain_set_volume(rv_terrain *land, const rvi_hardness_volume *volume);

/* Is every entry a volume? A file may hold anything. */
bool rvi_ledger_right(const rv_ledger *l);

/* A field by name, NULL when there is none; with `make`, a zeroed one (NULL: memory, sentence set).
 */
float *rvi_field_get(const rv_terrain *land, const char *name);
float *rvi_field_make(rv_terrain *land, const char *name);
void rvi_field_drop(rv_terrain *land, const char *name);
/* The same for outlines, too, whose fields have no values. */
bool rvi_field_there(const rv_terrain *land, const char *name);
rv_status rvi_field_add(rv_terrain *land, const char *name);
/* The layer of that name; the number of layers: there is none. */
int rvi_layer_index(const rv_terrain *land, const char *name);
/* Has rv_terrain_field that name: is it the height, a field or a layer? For outlines, too. */
bool rvi_values_there(const rv_terrain *land, const char *name);
/* Those values, which may be older than a device's; NULL: there are none. */
float *rvi_values_get(const rv_terrain *land, const char *name);

#endif
