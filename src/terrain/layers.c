/* layers.c: the stack of materials. The surface is the sum of all thicknesses, bottom to top. */
#include "terrain/layers.h"
#include "base/context.h"
#include "base/threads.h"
#include "terrain/erosion_fn.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

int rv_terrain_layer_count(const rv_terrain *land) {
    return land->layer_count;
}

rv_layer_desc rv_terrain_layer(const rv_terrain *land, int layer) {
    assert(layer >= 0 && layer < land->layer_count);
    const rvi_layer *l = &land->layers[layer];
    return (rv_layer_desc){
        .name = l->name, .erodibility = l->erodibility, .talus = l->talus, .colour = l->colour};
}

const float *rv_terrain_layer_thickness(const rv_terrain *land, int layer) {
    assert(layer >= 0 && layer < land->layer_count);
    float *thickness = land->layers[layer].thickness;
    return rvi_memory_fetch(land->ctx, thickness) == RV_OK ? thickness : NULL;
}

rv_ledger rv_terrain_layer_ledger(const rv_terrain *land, int layer) {
    assert(layer >= 0 && layer < land->layer_count);
    return (rv_ledger){.eroded = land->layers[layer].eroded,
                       .deposited = land->layers[layer].deposited};
}

rv_ledger rv_terrain_layer_last(const rv_terrain *land, int layer) {
    assert(layer >= 0 && layer < land->layer_count);
    const rvi_layer *l = &land->layers[layer];
    return (rv_ledger){.eroded = l->last_eroded, .deposited = l->last_deposited};
}

static void sum_rows(void *arg, int first, int end) {
    const rv_terrain *land = arg;
    size_t from = (size_t)first * (size_t)land->width, to = (size_t)end * (size_t)land->width;
    for (size_t i = from; i < to; i++)
        land->surface[i] = land->layers[0].thickness[i];
    for (int l = 1; l < land->layer_count; l++)
        for (size_t i = from; i < to; i++)
            land->surface[i] += land->layers[l].thickness[i];
}

void rvi_terrain_sum_layers(rv_terrain *land) {
    if (land->layer_count > 1)
        rvi_finish_rows(land->ctx, land->height, sum_rows, land);
}

typedef struct adoption {
    rv_terrain *land;
    const float *values;
} adoption;

static void adopt_rows(void *arg, int first, int end) {
    const adoption *a = arg;
    const rv_terrain *land = a->land;
    size_t from = (size_t)first * (size_t)land->width, to = (size_t)end * (size_t)land->width;
    for (size_t i = from; i < to; i++)
        land->layers[0].thickness[i] += a->values[i] - land->surface[i];
}

void rvi_terrain_adopt_surface(rv_terrain *land, float *values) {
    rvi_layer *bedrock = &land->layers[0];
    if (land->layer_count == 1) {
        rvi_free(land->ctx, bedrock->thickness);
        bedrock->thickness = values;
        land->surface = values;
        return;
    }
    adoption a = {land, values};
    rvi_finish_rows(land->ctx, land->height, adopt_rows, &a);
    rvi_free(land->ctx, values);
    rvi_terrain_sum_layers(land);
}

static rv_status check_layer(const rv_terrain *land, const rv_layer_desc *d,
                             const float *thickness) {
    rv_context *ctx = land->ctx;
    if (!d->name || d->name[0] == '\0' || strlen(d->name) >= RVI_NAME || strchr(d->name, ' '))
        return rvi_fail(ctx, RV_ERROR_USAGE, "\"%s\" is no name for a layer.",
                        d->name ? d->name : "");
    if (rvi_layer_index(land, d->name) < land->layer_count)
        return rvi_fail(ctx, RV_ERROR_USAGE, "There is a layer \"%s\" already.", d->name);
    if (rvi_values_there(land, d->name))
        return rvi_fail(ctx, RV_ERROR_USAGE, "\"%s\" is a field; give the layer another name.",
                        d->name);
    if (!(d->erodibility >= 0.0f && d->erodibility <= 1.0f))
        return rvi_fail(ctx, RV_ERROR_USAGE, "Layer %s: erodibility %g is not within 0 to 1.",
                        d->name, (double)d->erodibility);
    if (!(d->talus >= 0.0f && d->talus < 90.0f))
        return rvi_fail(ctx, RV_ERROR_USAGE, "Layer %s: talus %g is not within 0 to 90 degrees.",
                        d->name, (double)d->talus);
    if (d->colour != 0 && d->colour >> 24 != 0xff)
        return rvi_fail(ctx, RV_ERROR_USAGE, "Layer %s: colour 0x%08x is not 0xffRRGGBB.", d->name,
                        (unsigned)d->colour);
    for (size_t i = 0; thickness && i < rvi_cells(land); i++)
        if (!(thickness[i] >= 0.0f && thickness[i] < 1e9f))
            return rvi_fail(ctx, RV_ERROR_INPUT,
                            "Layer %s: the thickness in row %zu, column %zu is not a length.",
                            d->name, i / (size_t)land->width, i % (size_t)land->width);
    return RV_OK;
}

/* `layers`: room for one more; the land takes all of it over. */
static void append_layer(rv_terrain *land, const rv_layer_desc *desc, rvi_layer *layers,
                         float *thickness, float *surface) {
    size_t count = (size_t)land->layer_count;
    memcpy(layers, land->layers, count * sizeof *layers);
    layers[count] = (rvi_layer){.erodibility = desc->erodibility,
                                .talus = desc->talus,
                                .colour = desc->colour,
                                .thickness = thickness};
    snprintf(layers[count].name, RVI_NAME, "%s", desc->name);
    rvi_free(land->ctx, land->layers);
    land->layers = layers;
    land->layer_count = (int)count + 1;
    land->surface = surface;
}

rv_status rvi_layers_adopt(rv_terrain *land, const rv_layer_desc *desc, float **thickness,
                           float **surface) {
    bool first = land->layer_count == 1;
    size_t count = (size_t)land->layer_count + 1;
    rvi_layer *layers = rvi_alloc(land->ctx, count, sizeof *layers, "the layers");
    if (!layers)
        return RV_ERROR_MEMORY;
    append_layer(land, desc, layers, *thickness, first ? *surface : land->surface);
    *thickness = NULL;
    if (first)
        *surface = NULL;
    return RV_OK;
}

rv_status rv_terrain_layer_add(rv_terrain *land, const rv_layer_desc *desc,
                               const float *thickness) {
    RVI_ENTRY(land->ctx);
    rv_context *ctx = land->ctx;
    rv_status status = check_layer(land, desc, thickness);
    if (status == RV_OK)
        status = rvi_terrain_take_back(land);
    if (status != RV_OK)
        return status;
    int count = land->layer_count;
    size_t cells = rvi_cells(land);
    rvi_layer *layers = rvi_alloc(ctx, (size_t)count + 1, sizeof *layers, "the layers");
    float *values = NULL, *surface = land->surface;
    if (!land->outline) {
        values = rvi_alloc(ctx, cells, sizeof(float), desc->name);
        surface = count > 1 ? surface : rvi_alloc(ctx, cells, sizeof(float), "the surface");
    }
    if (!layers || (!land->outline && (!values || !surface))) {
        rvi_free(ctx, layers);
        rvi_free(ctx, values);
        if (count == 1)
            rvi_free(ctx, surface);
        return RV_ERROR_MEMORY;
    }
    if (thickness)
        memcpy(values, thickness, cells * sizeof(float));
    append_layer(land, desc, layers, values, surface);
    if (!land->outline)
        rvi_terrain_sum_layers(land);
    return RV_OK;
}

/* `asks`: is there an erosion function? A constant in each call: land without one pays nothing. */
static inline float take(rv_terrain *land, size_t cell, float want, float rock, float *parts,
                         double *lost, bool asks) {
    float taken = 0.0f, top = asks ? rvi_layers_height(land, cell) : 0.0f;
    for (int l = land->layer_count - 1; l >= 0; l--) {
        const rvi_layer *layer = &land->layers[l];
        float *thickness = &layer->thickness[cell], there = *thickness;
        if (l > 0 && there <= 0.0f)
            continue; /* none of it here: it protects nothing */
        float loss = want * layer->erodibility;
        if (l == 0)
            loss *= rock;
        if (asks)
            loss *= rvi_erosion_fn_call(land, cell, top);
        if (!rvi_layer_used_up(&want, loss, there, l == 0)) {
            float gone = there - (*thickness = there - loss);
            if (parts)
                parts[l] += gone;
            if (lost)
                *lost += (double)there - (double)*thickness;
            return taken + gone;
        }
        *thickness = 0.0f;
        if (parts)
            parts[l] += there;
        if (lost)
            *lost += (double)there;
        taken += there;
        top -= there;
    }
    return taken;
}

/* Apart, because a function without calls keeps all in registers. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static float
take_asking(rv_terrain *land, size_t cell, float want, float rock, float *parts, double *lost) {
    return take(land, cell, want, rock, parts, lost, true);
}

float rvi_layers_take(rv_terrain *land, size_t cell, float want, float rock, float *parts,
                      double *lost) {
    if (!(want > 0.0f))
        return 0.0f;
    return rvi_erosion_fn_there(land) ? take_asking(land, cell, want, rock, parts, lost)
                                      : take(land, cell, want, rock, parts, lost, false);
}

float rvi_layers_lay(rv_terrain *land, size_t cell, float amount, float *parts, double *deposited,
                     double *left) {
    float sum = 0.0f, given = 0.0f;
    for (int l = 0; l < land->layer_count; l++)
        sum += parts[l];
    if (!(sum > 0.0f && amount > 0.0f))
        return 0.0f;
    float share = amount < sum ? amount / sum : 1.0f;
    for (int l = 0; l < land->layer_count; l++) {
        float *thickness = &land->layers[l].thickness[cell];
        float raised = rvi_layer_raised(*thickness, parts[l], share);
        double gain = (double)raised - (double)*thickness;
        if (left && gain > *left)
            continue; /* rounding would make ground out of nothing */
        if (left)
            *left -= gain;
        *thickness = raised;
        parts[l] -= (float)gain;
        deposited[l] += gain;
        given += (float)gain;
    }
    return given;
}

double rvi_layers_shift(rv_terrain *land, size_t cell, float by) {
    double moved = 0.0;
    int l = land->layer_count - 1;
    for (; l > 0 && -by > land->layers[l].thickness[cell]; l--) {
        moved -= (double)land->layers[l].thickness[cell];
        by += land->layers[l].thickness[cell];
        land->layers[l].thickness[cell] = 0.0f;
    }
    float *thickness = &land->layers[l].thickness[cell];
    float now = *thickness + by;
    moved += (double)now - (double)*thickness;
    *thickness = now;
    return moved;
}
