/* state.c: the state that flows through the steps: size, layers, fields, ledger. */
#include "terrain/state.h"
#include "base/context.h"
#include "base/hash.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "terrain/hardness_volume.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

rv_terrain_desc rv_terrain_desc_default(void) {
    return (rv_terrain_desc){512, 512, 10.0f};
}

rv_status rvi_cells_check(rv_context *ctx, uint64_t width, uint64_t height) {
    if (width * height - 1 <= SIZE_MAX / 256)
        return RV_OK;
    return rvi_fail(ctx, RV_ERROR_MEMORY,
                    "The memory for %llu x %llu cells is more than a machine can address.",
                    (unsigned long long)width, (unsigned long long)height);
}

static rv_status check_size(rv_context *ctx, int width, int height, float cell) {
    if (width < 1 || height < 1 || width > RVI_SIDE_MOST || height > RVI_SIDE_MOST)
        return rvi_fail(ctx, RV_ERROR_USAGE, "Terrain size %d x %d is out of range (1 to %d).",
                        width, height, RVI_SIDE_MOST);
    if (width == 1 && height == 1)
        return rvi_fail(ctx, RV_ERROR_USAGE, "A terrain needs at least two cells, not one.");
    if (!(cell > 0.0f && cell <= 1e6f))
        return rvi_fail(ctx, RV_ERROR_USAGE,
                        "Cell size %g m is out of range (above 0, at most 1000000).", (double)cell);
    return rvi_cells_check(ctx, (uint64_t)width, (uint64_t)height);
}

static void set_name(char *to, const char *name) {
    snprintf(to, RVI_NAME, "%s", name);
}

/* Frees what a terrain holds, not the terrain. */
static void clear(rv_terrain *land) {
    rv_context *ctx = land->ctx;
    if (land->layer_count > 1)
        rvi_free(ctx, land->surface);
    for (int i = 0; i < land->layer_count; i++)
        rvi_free(ctx, land->layers[i].thickness);
    for (int i = 0; i < land->field_count; i++)
        rvi_free(ctx, land->fields[i].values);
    rvi_free(ctx, land->layers);
    rvi_free(ctx, land->fields);
    rvi_free(ctx, land->figures);
    rvi_free(ctx, land->volume.values);
    *land = (rv_terrain){.ctx = ctx, .outline = land->outline};
}

/* A zeroed grid; an outline has none. */
static bool alloc_grid(const rv_terrain *land, const char *what, float **out) {
    *out = land->outline ? NULL : rvi_alloc(land->ctx, rvi_cells(land), sizeof(float), what);
    return land->outline || *out != NULL;
}

static rv_status alloc_layers(rv_terrain *land, int count) {
    rv_context *ctx = land->ctx;
    land->layers = rvi_alloc(ctx, (size_t)count, sizeof *land->layers, "the layers");
    if (!land->layers)
        return RV_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        if (!alloc_grid(land, "a layer", &land->layers[i].thickness))
            return RV_ERROR_MEMORY;
        land->layer_count = i + 1;
    }
    if (count == 1) {
        land->surface = land->layers[0].thickness;
        return RV_OK;
    }
    return alloc_grid(land, "the surface", &land->surface) ? RV_OK : RV_ERROR_MEMORY;
}

/* Fills an empty shell with flat bare bedrock. */
static rv_status fill_bare(rv_terrain *land, int width, int height, float cell) {
    land->width = width;
    land->height = height;
    land->cell = cell;
    rv_status status = alloc_layers(land, 1);
    if (status != RV_OK) {
        clear(land);
        return status;
    }
    set_name(land->layers[0].name, "bedrock");
    land->layers[0].erodibility = 1.0f;
    land->layers[0].talus = 35.0f; /* of its debris: what frost loosens slides */
    return RV_OK;
}

rv_status rv_terrain_create(rv_context *ctx, const rv_terrain_desc *desc, rv_terrain **out) {
    RVI_ENTRY(ctx);
    *out = NULL;
    rv_terrain_desc d = desc ? *desc : rv_terrain_desc_default();
    rv_status status = check_size(ctx, d.width, d.height, d.cell);
    if (status != RV_OK)
        return status;
    rv_terrain *land = rvi_alloc(ctx, 1, sizeof *land, "a terrain");
    if (!land)
        return RV_ERROR_MEMORY;
    land->ctx = ctx;
    status = fill_bare(land, d.width, d.height, d.cell);
    if (status != RV_OK) {
        rvi_free(ctx, land);
        return status;
    }
    *out = land;
    return RV_OK;
}

void rv_terrain_destroy(rv_terrain *land) {
    if (!land)
        return;
    rv_context *ctx = land->ctx;
    clear(land);
    rvi_free(ctx, land);
}

void rvi_terrain_swap(rv_terrain *a, rv_terrain *b) {
    rv_terrain held = *a;
    *a = *b;
    *b = held;
}

rv_status rvi_terrain_reset(rv_terrain *land, int width, int height, float cell) {
    rv_status status = check_size(land->ctx, width, height, cell);
    if (status != RV_OK)
        return status;
    rv_terrain fresh = {.ctx = land->ctx, .outline = land->outline};
    status = fill_bare(&fresh, width, height, cell);
    if (status != RV_OK)
        return status;
    rvi_terrain_swap(land, &fresh);
    clear(&fresh);
    return RV_OK;
}

static rv_status copy_volume(rv_terrain *land, const rvi_hardness_volume *from) {
    size_t count = rvi_volume_samples(from);
    land->volume = *from;
    land->volume.values = NULL;
    if (land->outline || count == 0)
        return RV_OK;
    land->volume.values = rvi_alloc(land->ctx, count, sizeof(float), "the hardness");
    if (!land->volume.values)
        return RV_ERROR_MEMORY;
    memcpy(land->volume.values, from->values, count * sizeof(float));
    return RV_OK;
}

void rvi_terrain_set_volume(rv_terrain *land, const rvi_hardness_volume *volume) {
    rvi_free(land->ctx, land->volume.values);
    land->volume = volume ? *volume : (rvi_hardness_volume){0};
}

/* Fills an empty shell that has a size with layers and fields as those of `like`. */
static rv_status fill_like(rv_terrain *land, const rv_terrain *like) {
    land->ledger = like->ledger;
    land->strata = like->strata;
    land->erosion = like->erosion;
    land->geo = like->geo;
    rv_status status = copy_volume(land, &like->volume);
    if (status == RV_OK)
        status = alloc_layers(land, like->layer_count);
    for (int i = 0; status == RV_OK && i < like->layer_count; i++) {
        float *thickness = land->layers[i].thickness;
        land->layers[i] = like->layers[i];
        land->layers[i].thickness = thickness;
    }
    for (int i = 0; status == RV_OK && i < like->field_count; i++)
        status = rvi_field_add(land, like->fields[i].name);
    return status;
}

static rv_status create_like(rv_context *ctx, const rv_terrain *like, int width, int height,
                             float cell, rv_terrain **out) {
    *out = NULL;
    rv_status status = check_size(ctx, width, height, cell);
    if (status != RV_OK)
        return status;
    rv_terrain *land = rvi_alloc(ctx, 1, sizeof *land, "a terrain");
    if (!land)
        return RV_ERROR_MEMORY;
    *land = (rv_terrain){.ctx = ctx, .width = width, .height = height, .cell = cell};
    status = fill_like(land, like);
    if (status != RV_OK) {
        rv_terrain_destroy(land);
        return status;
    }
    *out = land;
    return RV_OK;
}

rv_status rvi_terrain_create_like(const rv_terrain *like, int width, int height, float cell,
                                  rv_terrain **out) {
    return create_like(like->ctx, like, width, height, cell, out);
}

/* ---- outlines ---- */

rv_status rvi_outline_make(const rv_terrain *land, rv_terrain *out) {
    *out = (rv_terrain){.ctx = land->ctx,
                        .width = land->width,
                        .height = land->height,
                        .cell = land->cell,
                        .outline = true};
    rv_status status = fill_like(out, land);
    if (status != RV_OK)
        clear(out);
    return status;
}

void rvi_outline_free(rv_terrain *outline) {
    clear(outline);
}

rv_status rvi_outline_resize(rv_terrain *outline, int width, int height, float cell) {
    rv_status status = check_size(outline->ctx, width, height, cell);
    if (status != RV_OK)
        return status;
    outline->width = width;
    outline->height = height;
    outline->cell = cell;
    return RV_OK;
}

bool rvi_outline_fits(const rv_terrain *outline, const rv_terrain *land) {
    bool fits = outline->width == land->width && outline->height == land->height &&
                outline->cell == land->cell && outline->layer_count == land->layer_count &&
                outline->volume.octaves == land->volume.octaves &&
                outline->volume.slices == land->volume.slices &&
                outline->volume.rows == land->volume.rows &&
                outline->volume.columns == land->volume.columns;
    for (int i = 0; fits && i < land->layer_count; i++)
        fits = strcmp(outline->layers[i].name, land->layers[i].name) == 0 &&
               outline->layers[i].erodibility == land->layers[i].erodibility;
    for (int i = 0; fits && i < land->field_count; i++)
        fits = rvi_field_there(outline, land->fields[i].name);
    return fits;
}

bool rvi_outline_same(const rv_terrain *a, const rv_terrain *b) {
    return rvi_outline_fits(a, b) && rvi_outline_fits(b, a) &&
           a->strata.hardness == b->strata.hardness;
}

size_t rvi_outline_bytes(const rv_terrain *outline) {
    size_t layers = (size_t)outline->layer_count, fields = (size_t)outline->field_count;
    size_t grids = layers + (layers > 1 ? 1 : 0) + fields;
    size_t grid = rvi_alloc_size(rvi_cells(outline), sizeof(float));
    size_t samples = rvi_volume_samples(&outline->volume);
    size_t volume = samples > 0 ? rvi_alloc_size(samples, sizeof(float)) : 0;
    return grid > SIZE_MAX / grids ? SIZE_MAX : rvi_add_sizes(grids * grid, volume);
}

int rv_terrain_width(const rv_terrain *land) {
    return land->width;
}

int rv_terrain_height(const rv_terrain *land) {
    return land->height;
}

float rv_terrain_cell(const rv_terrain *land) {
    return land->cell;
}

static rv_status each_grid(const rv_terrain *land, rv_status (*fn)(rv_context *ctx, void *memory)) {
    rv_status status = land->surface ? fn(land->ctx, land->surface) : RV_OK;
    for (int i = 0; i < land->layer_count && status == RV_OK; i++)
        status = fn(land->ctx, land->layers[i].thickness);
    for (int i = 0; i < land->field_count && status == RV_OK; i++)
        status = fn(land->ctx, land->fields[i].values);
    return status;
}

rv_status rvi_terrain_fetch(const rv_terrain *land) {
    return each_grid(land, rvi_memory_fetch);
}

rv_status rvi_terrain_take_back(rv_terrain *land) {
    return each_grid(land, rvi_memory_take_back);
}

/* What one step left in the water and the next found there counts once. */
void rv_ledger_add(rv_ledger *to, const rv_ledger *more) {
    RVI_ENTRY(NULL);
    double again = to->suspended < more->before ? to->suspended : more->before;
    to->eroded += more->eroded;
    to->deposited += more->deposited;
    to->left_map += more->left_map;
    to->suspended += more->suspended - again;
    to->raised += more->raised;
    to->before += more->before - again;
}

rv_ledger rv_terrain_ledger(const rv_terrain *land) {
    return land->ledger;
}

bool rvi_ledger_right(const rv_ledger *l) {
    const double entries[] = {l->eroded,    l->deposited, l->left_map,
                              l->suspended, l->raised,    l->before};
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        if (!(entries[i] >= 0.0 && entries[i] < (double)INFINITY))
            return false;
    return true;
}

double rv_terrain_volume(const rv_terrain *land) {
    RVI_ENTRY(land->ctx);
    double sum = 0.0;
    if (rvi_terrain_fetch(land) != RV_OK)
        return (double)NAN;
    for (int i = 0; i < land->layer_count; i++)
        sum += rvi_sum(land->ctx, land->layers[i].thickness, rvi_cells(land));
    volatile double volume = sum * (double)land->cell * (double)land->cell; /* in our state */
    return volume;
}

/* ---- fields ---- */

static int field_index(const rv_terrain *land, const char *name, bool *found) {
    int i = 0;
    while (i < land->field_count && strcmp(land->fields[i].name, name) < 0)
        i++;
    *found = i < land->field_count && strcmp(land->fields[i].name, name) == 0;
    return i;
}

float *rvi_field_get(const rv_terrain *land, const char *name) {
    bool found;
    int i = field_index(land, name, &found);
    return found ? land->fields[i].values : NULL;
}

bool rvi_field_there(const rv_terrain *land, const char *name) {
    bool found;
    field_index(land, name, &found);
    return found;
}

rv_status rvi_field_add(rv_terrain *land, const char *name) {
    rv_context *ctx = land->ctx;
    bool found;
    int at = field_index(land, name, &found);
    if (found)
        return RV_OK;
    float *values;
    bool room = alloc_grid(land, name, &values);
    rvi_field *fields =
        rvi_alloc(ctx, (size_t)land->field_count + 1, sizeof *fields, "the list of fields");
    if (!room || !fields) {
        rvi_free(ctx, values);
        rvi_free(ctx, fields);
        return RV_ERROR_MEMORY;
    }
    for (int i = 0; i < land->field_count; i++)
        fields[i < at ? i : i + 1] = land->fields[i];
    set_name(fields[at].name, name);
    fields[at].values = values;
    rvi_free(ctx, land->fields);
    land->fields = fields;
    land->field_count++;
    return RV_OK;
}

float *rvi_field_make(rv_terrain *land, const char *name) {
    return rvi_field_add(land, name) == RV_OK ? rvi_field_get(land, name) : NULL;
}

void rvi_field_drop(rv_terrain *land, const char *name) {
    bool found;
    int at = field_index(land, name, &found);
    if (!found)
        return;
    rvi_free(land->ctx, land->fields[at].values);
    land->field_count--;
    for (int i = at; i < land->field_count; i++)
        land->fields[i] = land->fields[i + 1];
}

int rvi_layer_index(const rv_terrain *land, const char *name) {
    int i = 0;
    while (i < land->layer_count && strcmp(land->layers[i].name, name) != 0)
        i++;
    return i;
}

float *rvi_values_get(const rv_terrain *land, const char *name) {
    if (strcmp(name, "height") == 0)
        return land->surface;
    int layer = rvi_field_there(land, name) ? land->layer_count : rvi_layer_index(land, name);
    return layer < land->layer_count ? land->layers[layer].thickness : rvi_field_get(land, name);
}

const float *rv_terrain_field(const rv_terrain *land, const char *name) {
    float *values = rvi_values_get(land, name);
    return rvi_memory_fetch(land->ctx, values) == RV_OK ? values : NULL;
}

bool rvi_values_there(const rv_terrain *land, const char *name) {
    return strcmp(name, "height") == 0 || rvi_field_there(land, name) ||
           rvi_layer_index(land, name) < land->layer_count;
}

int rv_terrain_field_count(const rv_terrain *land) {
    return land->field_count;
}

const char *rv_terrain_field_name(const rv_terrain *land, int index) {
    assert(index >= 0 && index < land->field_count);
    return land->fields[index].name;
}

static rv_status check_finite(const rv_terrain *land, const char *name, const float *values) {
    for (int y = 0; y < land->height; y++)
        for (int x = 0; x < land->width; x++) {
            float v = values[(size_t)y * (size_t)land->width + (size_t)x];
            if (!(v - v == 0.0f)) /* false for NaN and both infinities */
                return rvi_fail(land->ctx, RV_ERROR_INPUT,
                                "The %s in row %d, column %d is not a number.", name, y, x);
        }
    return RV_OK;
}

rv_status rv_terrain_field_set(rv_terrain *land, const char *name, const float *values) {
    RVI_ENTRY(land->ctx);
    rv_context *ctx = land->ctx;
    if (name[0] == '\0' || strlen(name) >= RVI_NAME || strchr(name, ' '))
        return rvi_fail(ctx, RV_ERROR_USAGE, "\"%s\" is no name for a field.", name);
    if (rvi_layer_index(land, name) < land->layer_count)
        return rvi_fail(ctx, RV_ERROR_USAGE, "\"%s\" is a layer; give the field another name.",
                        name);
    rv_status status = check_finite(land, name, values);
    if (status != RV_OK)
        return status;
    size_t size = rvi_cells(land) * sizeof(float);
    if (strcmp(name, "height") != 0) {
        float *field = rvi_field_make(land, name);
        if (!field)
            return RV_ERROR_MEMORY;
        status = rvi_memory_take_back(ctx, field);
        if (status != RV_OK)
            return status;
        memcpy(field, values, size);
        return RV_OK;
    }
    float *surface = rvi_alloc(ctx, rvi_cells(land), sizeof(float), "the heights");
    if (!surface)
        return RV_ERROR_MEMORY;
    memcpy(surface, values, size);
    status = rvi_terrain_take_back(land);
    if (status == RV_OK)
        rvi_terrain_adopt_surface(land, surface);
    else
        rvi_free(ctx, surface);
    return status;
}

/* ---- hash: of everything a step can see ---- */

typedef struct row_hashes {
    const float *values;
    int width;
    uint64_t *rows;
} row_hashes;

static void hash_rows(void *arg, int first, int end) {
    const row_hashes *h = arg;
    size_t width = (size_t)h->width;
    for (int y = first; y < end; y++)
        h->rows[y] = rvi_hash(h->values + (size_t)y * width, width * sizeof(float), (uint64_t)y);
}

/* Where the newest copy is. False: it cannot be had. */
static bool hash_grid(const rv_terrain *land, const char *name, float *values, uint64_t *hash) {
    uint64_t rows[1024];
    for (int y = 0; y < land->height; y += 1024) {
        int count = land->height - y < 1024 ? land->height - y : 1024;
        row_hashes h = {values + (size_t)y * (size_t)land->width, land->width, rows};
        if (!rvi_memory_hash_rows(land->ctx, values, land->width, y, count, rows)) {
            if (rvi_memory_fetch(land->ctx, values) != RV_OK)
                return false;
            rvi_finish_rows(land->ctx, count, hash_rows, &h);
        }
        *hash = rvi_hash(rows, (size_t)count * sizeof *rows, *hash);
    }
    *hash = rvi_hash(name, strlen(name), *hash);
    return true;
}

uint64_t rv_terrain_hash(const rv_terrain *land) {
    RVI_ENTRY(land->ctx);
    int32_t size[2] = {land->width, land->height};
    uint64_t h = rvi_hash(size, sizeof size, 1);
    bool there = true;
    h = rvi_hash(&land->cell, sizeof land->cell, h);
    for (int i = 0; i < land->layer_count && there; i++) {
        const rvi_layer *layer = &land->layers[i];
        float properties[2] = {layer->erodibility, layer->talus};
        h = rvi_hash(properties, sizeof properties, h);
        if (layer->colour != 0)
            h = rvi_hash(&layer->colour, sizeof layer->colour, h);
        there = hash_grid(land, layer->name, layer->thickness, &h);
    }
    if (land->strata.hardness > 0.0f)
        h = rvi_hash(&land->strata, sizeof land->strata, h);
    if (rvi_volume_there(land)) {
        const rvi_hardness_volume *v = &land->volume;
        h = rvi_hash(v, offsetof(rvi_hardness_volume, values), h);
        h = rvi_hash(v->values, rvi_volume_samples(v) * sizeof *v->values, h);
    }
    for (int i = 0; i < land->field_count && there; i++)
        there = hash_grid(land, land->fields[i].name, land->fields[i].values, &h);
    if (!there)
        return 0;
    return h ? h : 1; /* 0 says that a device failed */
}

/* ---- snapshots: a second terrain with the same content ---- */

struct rv_snapshot {
    rv_terrain *land;
};

rv_status rv_terrain_copy(const rv_terrain *land, rv_context *ctx, rv_terrain **out) {
    RVI_ENTRY(ctx);
    *out = NULL;
    rv_status status = rvi_terrain_fetch(land);
    if (status == RV_OK)
        status = create_like(ctx, land, land->width, land->height, land->cell, out);
    if (status != RV_OK)
        return status;
    size_t size = rvi_cells(land) * sizeof(float);
    for (int i = 0; i < land->layer_count; i++)
        memcpy((*out)->layers[i].thickness, land->layers[i].thickness, size);
    if (land->layer_count > 1)
        memcpy((*out)->surface, land->surface, size);
    for (int i = 0; i < land->field_count; i++)
        memcpy((*out)->fields[i].values, land->fields[i].values, size);
    return RV_OK;
}

rv_status rv_terrain_snapshot(const rv_terrain *land, rv_snapshot **out) {
    RVI_ENTRY(land->ctx);
    *out = NULL;
    rv_snapshot *snapshot = rvi_alloc(land->ctx, 1, sizeof *snapshot, "a snapshot");
    if (!snapshot)
        return RV_ERROR_MEMORY;
    rv_status status = rv_terrain_copy(land, land->ctx, &snapshot->land);
    if (status != RV_OK) {
        rvi_free(land->ctx, snapshot);
        return status;
    }
    *out = snapshot;
    return RV_OK;
}

rv_status rv_terrain_restore(rv_terrain *land, const rv_snapshot *snapshot) {
    RVI_ENTRY(land->ctx);
    rv_terrain *copy;
    rv_status status = rv_terrain_copy(snapshot->land, land->ctx, &copy);
    if (status != RV_OK)
        return status;
    rvi_terrain_swap(land, copy);
    rv_terrain_destroy(copy);
    return RV_OK;
}

void rv_snapshot_destroy(rv_snapshot *snapshot) {
    if (!snapshot)
        return;
    rv_context *ctx = snapshot->land->ctx;
    rv_terrain_destroy(snapshot->land);
    rvi_free(ctx, snapshot);
}
