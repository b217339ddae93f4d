/* land_file.c: a whole land as a ZIP archive of NumPy arrays, which numpy.load reads.
 *
 *     ravine             version of this list: 1
 *     hash               of the land, as a number of 64 bits; what is read must have it
 *     cell               metres
 *     layers             their names, from the lowest: bedrock
 *     erodibility, talus, colour     of each layer; colours as 0xffRRGGBB, 0 for none
 *     layer_ledger       m3 eroded from each and deposited on it
 *     ledger             m3: eroded, deposited, left_map, suspended, raised, before
 *     strata, strata_seed    the bands of the bedrock, if there are any
 *     hardness_place, hardness_seed  hardness in three dimensions, if there is any: x, y, step_x,
 *                        step_y, step_z, low, octaves and noise of rvi_hardness_volume
 *     hardness_volume    its samples: slices from below, in each rows from the north; float32
 *     map                where the land lies on a map, if that is known: x, y, step_x, step_y and
 *                        nodata of rvi_georeference
 *     map_keys, map_doubles, map_text, map_prj       its projection; text as bytes
 *     layer/NAME, field/NAME         rows from the north; float32
 *
 * A program may write fewer: `cell`, and `height` in place of all layers, are enough. Without
 * `hash` nothing is compared, but for the CRC of each file, which ZIP has.
 */
#include "formats/land_file_state.h"

#include "base/context.h"
#include "base/text.h"
#include "formats/npz.h"
#include "terrain/hardness_volume.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool rvi_land_file_is(const char *path) {
    return rvi_text_ends(path, ".npz");
}

/* ---- what is known before the grids ---- */

typedef struct head {
    int width, height, layers;
    float cell;
    uint64_t hash;
    bool hashed;
    rvi_layer *list; /* of layers, without thicknesses */
    bool only_height;
} head;

static rv_status read_names(rvi_zip *zip, const rvi_npz_array *a, head *h) {
    unsigned char *bytes;
    rv_status status = rvi_npz_bytes(zip, a, &bytes);
    if (status != RV_OK)
        return status;
    for (int i = 0; status == RV_OK && i < h->layers; i++) {
        const char *name = (const char *)bytes + a->npy.start + (size_t)i * a->npy.bytes;
        const char *end = memchr(name, 0, a->npy.bytes);
        size_t size = end ? (size_t)(end - name) : a->npy.bytes;
        if (!rvi_land_name_right(name, size))
            status = rvi_npz_wrong(zip, "layers", "an array of names");
        else
            memcpy(h->list[i].name, name, size);
        for (int k = 0; status == RV_OK && k < i; k++)
            if (strcmp(h->list[k].name, h->list[i].name) == 0)
                status = rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s: holds the layer %s twice.",
                                  zip->name, h->list[i].name);
    }
    rvi_free(zip->ctx, bytes);
    return status;
}

/* What is known of layers that the file says nothing about. */
static rv_status make_layers(rvi_zip *zip, head *h) {
    rvi_npz_array a;
    rv_status status = rvi_npz_find(zip, "layers", &a);
    if (status != RV_OK)
        return status;
    h->only_height = a.entry == NULL;
    if (a.entry && (a.npy.kind != 'S' || a.npy.dimensions != 1 || a.count < 1 || a.npy.bytes < 1))
        return rvi_npz_wrong(zip, "layers",
                             "an array of names, as numpy.array([b\"bedrock\"]) is one");
    if (a.entry && a.count > RVI_LAND_LAYERS)
        return rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s: holds more than %d layers.", zip->name,
                        RVI_LAND_LAYERS);
    h->layers = a.entry ? (int)a.count : 1;
    h->list = rvi_alloc(zip->ctx, (size_t)h->layers, sizeof *h->list, "the layers");
    if (!h->list)
        return RV_ERROR_MEMORY;
    for (int i = 0; i < h->layers; i++)
        h->list[i] = (rvi_layer){.erodibility = 1.0f, .talus = i == 0 ? 45.0f : 35.0f};
    if (a.entry)
        return read_names(zip, &a, h);
    snprintf(h->list[0].name, RVI_NAME, "bedrock");
    return RV_OK;
}

static rv_status read_properties(rvi_zip *zip, head *h) {
    static const char *const names[] = {"erodibility", "talus", "colour", "layer_ledger"};
    size_t count = (size_t)h->layers;
    double *numbers = rvi_alloc(zip->ctx, 2 * count, sizeof *numbers, "the layers");
    rv_status status = numbers ? RV_OK : RV_ERROR_MEMORY;
    for (int k = 0; status == RV_OK && k < 4; k++) {
        bool there;
        status = rvi_npz_numbers(zip, names[k], k == 3 ? 2 * count : count, numbers, &there);
        for (size_t i = 0; status == RV_OK && there && i < count; i++) {
            rvi_layer *l = &h->list[i];
            double value = numbers[i];
            bool right = k == 0   ? value >= 0.0 && value <= 1.0
                         : k == 1 ? value >= 0.0 && value < 90.0
                         : k == 2
                             ? value == 0.0 || (value >= 0xff000000 && value <= 0xffffffff)
                             : fabs(numbers[2 * i]) < 1e300 && fabs(numbers[2 * i + 1]) < 1e300;
            if (!right)
                status = rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s: %s of layer %s is out of range.",
                                  zip->name, names[k], l->name);
            else if (k == 0)
                l->erodibility = (float)value;
            else if (k == 1)
                l->talus = (float)value;
            else if (k == 2)
                l->colour = (uint32_t)value;
            else
                l->eroded = numbers[2 * i], l->deposited = numbers[2 * i + 1];
        }
    }
    rvi_free(zip->ctx, numbers);
    return status;
}

/* A grid of the archive, whose size is that of all others. */
static rv_status find_grid(rvi_zip *zip, const char *name, head *h, rvi_npz_array *out) {
    rv_status status = rvi_npz_find(zip, name, out);
    if (status != RV_OK)
        return status;
    if (!out->entry)
        return rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s: has no %s.", zip->name, name);
    const rvi_npy *a = &out->npy;
    if (a->dimensions != 2 || a->kind == 'S')
        return rvi_npz_wrong(zip, name, "an array of rows and columns");
    if (h->width == 0) {
        status = rvi_size_check(zip->ctx, zip->name, a->shape[1], a->shape[0]);
        h->width = (int)a->shape[1];
        h->height = (int)a->shape[0];
    }
    if (status == RV_OK &&
        (a->shape[1] != (uint64_t)h->width || a->shape[0] != (uint64_t)h->height))
        return rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s: %s has %llu x %llu cells, others %d x %d.",
                        zip->name, name, (unsigned long long)a->shape[1],
                        (unsigned long long)a->shape[0], h->width, h->height);
    return status;
}

static rv_status read_head(rvi_zip *zip, head *h) {
    double version = RVI_LAND_VERSION, cell;
    bool there;
    rv_status status = rvi_npz_numbers(zip, "ravine", 1, &version, &there);
    if (status == RV_OK && version != RVI_LAND_VERSION)
        return rvi_fail(zip->ctx, RV_ERROR_INPUT,
                        "%s: is a land file of version %g, which this Ravine does not know.",
                        zip->name, version);
    if (status == RV_OK)
        status = rvi_npz_numbers(zip, "cell", 1, &cell, &there);
    if (status == RV_OK && !there)
        return rvi_fail(zip->ctx, RV_ERROR_INPUT,
                        "%s: has no cell, the distance between neighbouring cells in metres.",
                        zip->name);
    if (status == RV_OK && !((float)cell > 0.0f && cell <= 1e6))
        return rvi_fail(zip->ctx, RV_ERROR_INPUT,
                        "%s: cell is %g m, not above 0 and at most 1000000.", zip->name, cell);
    if (status == RV_OK) {
        h->cell = (float)cell;
        status = rvi_npz_word(zip, "hash", &h->hash, &h->hashed);
    }
    if (status == RV_OK)
        status = make_layers(zip, h);
    return status == RV_OK ? read_properties(zip, h) : status;
}

/* ---- the land ---- */

static void grid_path(const head *h, const char *layer, char out[RVI_ZIP_NAME]) {
    if (h->only_height)
        snprintf(out, RVI_ZIP_NAME, "height");
    else
        snprintf(out, RVI_ZIP_NAME, "layer/%s", layer);
}

/* The field that a file of the archive holds; NULL: it is no field. */
static const char *field_of(const rvi_zip_entry *e, char out[RVI_ZIP_NAME]) {
    size_t size = strlen(e->name);
    if (strncmp(e->name, "field/", 6) != 0 || size < 11 || strcmp(e->name + size - 4, ".npy") != 0)
        return NULL;
    memcpy(out, e->name + 6, size - 10);
    out[size - 10] = '\0';
    return out;
}

/* Everything in the archive is known, so that no mistake in a name is overlooked. */
static rv_status check_names(const rvi_zip *zip, const head *h) {
    static const char *const known[] = {"ravine.npy",        "hash.npy",
                                        "cell.npy",          "layers.npy",
                                        "talus.npy",         "erodibility.npy",
                                        "colour.npy",        "ledger.npy",
                                        "layer_ledger.npy",  "strata.npy",
                                        "strata_seed.npy",   "hardness_place.npy",
                                        "hardness_seed.npy", "hardness_volume.npy",
                                        "map.npy",           "map_keys.npy",
                                        "map_doubles.npy",   "map_text.npy",
                                        "map_prj.npy"};
    char path[RVI_ZIP_NAME];
    for (int i = 0; i < zip->count; i++) {
        const char *name = zip->entries[i].name, *field = field_of(&zip->entries[i], path);
        bool right =
            field && rvi_land_name_right(field, strlen(field)) && strcmp(field, "height") != 0;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            right |= strcmp(name, known[k]) == 0;
        for (int l = 0; l < h->layers && !right; l++) {
            grid_path(h, h->list[l].name, path);
            right =
                strncmp(name, path, strlen(path)) == 0 && strcmp(name + strlen(path), ".npy") == 0;
        }
        if (!right)
            return rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s: holds %s, which no land file has.",
                            zip->name, name);
    }
    return RV_OK;
}

/* Values of a grid, which is held to numbers of `least` and more. */
static rv_status read_grid(rvi_zip *zip, const char *name, head *h, float least, float *to) {
    rvi_npz_array a;
    unsigned char *bytes;
    rv_status status = find_grid(zip, name, h, &a);
    if (status == RV_OK)
        status = rvi_npz_bytes(zip, &a, &bytes);
    if (status != RV_OK)
        return status;
    size_t width = (size_t)h->width, height = (size_t)h->height;
    for (size_t y = 0; status == RV_OK && y < height; y++) {
        for (size_t x = 0; status == RV_OK && x < width; x++) {
            size_t from = a.npy.fortran ? x * height + y : y * width + x;
            float value = rvi_npy_float(&a.npy, bytes + a.npy.start + from * a.npy.bytes);
            if (!(value >= least && value <= FLT_MAX))
                status = rvi_fail(zip->ctx, RV_ERROR_INPUT,
                                  "%s: %s holds %g at row %zu, column %zu (counted from 0).",
                                  zip->name, name, (double)value, y, x);
            to[y * width + x] = value;
        }
        if (status == RV_OK)
            status = rvi_poll(zip->ctx);
    }
    rvi_free(zip->ctx, bytes);
    return status;
}

/* Layers and fields, as the head has them; their grids are left to be read. */
static rv_status fill_outline(rvi_zip *zip, head *h, rv_terrain *land) {
    char path[RVI_ZIP_NAME];
    rvi_npz_array a;
    rv_status status = rvi_terrain_reset(land, h->width, h->height, h->cell);
    for (int i = 0; status == RV_OK && i < h->layers; i++) {
        rv_layer_desc desc = {.name = h->list[i].name,
                              .erodibility = h->list[i].erodibility,
                              .talus = h->list[i].talus,
                              .colour = h->list[i].colour};
        if (i > 0)
            status = rv_terrain_layer_add(land, &desc, NULL);
        if (status == RV_OK) {
            float *thickness = land->layers[i].thickness;
            land->layers[i] = h->list[i];
            land->layers[i].thickness = thickness;
        }
    }
    for (int i = 0; status == RV_OK && i < zip->count; i++) {
        const char *field = field_of(&zip->entries[i], path);
        char name[RVI_ZIP_NAME];
        if (!field)
            continue;
        if (rvi_layer_index(land, field) < land->layer_count)
            return rvi_fail(zip->ctx, RV_ERROR_INPUT, "%s: %s is both a layer and a field.",
                            zip->name, field);
        snprintf(name, sizeof name, "field/%.40s", field);
        status = find_grid(zip, name, h, &a);
        if (status == RV_OK)
            status = rvi_field_add(land, field);
    }
    return status;
}

/* All that the archive says but for the grids, each of which was found and has the right size. */
static rv_status read_outline(rvi_zip *zip, head *h, rv_terrain *land) {
    char path[RVI_ZIP_NAME];
    rvi_npz_array a;
    rv_status status = read_head(zip, h);
    if (status == RV_OK)
        status = check_names(zip, h);
    for (int i = 0; status == RV_OK && i < h->layers; i++) {
        grid_path(h, h->list[i].name, path);
        status = find_grid(zip, path, h, &a);
    }
    return status == RV_OK ? fill_outline(zip, h, land) : status;
}

static rv_status read_grids(rvi_zip *zip, head *h, rv_terrain *land) {
    char path[RVI_ZIP_NAME];
    rv_status status = RV_OK;
    for (int i = 0; status == RV_OK && i < land->layer_count; i++) {
        grid_path(h, land->layers[i].name, path);
        /* Bedrock may be low. */
        status = read_grid(zip, path, h, i > 0 ? 0.0f : -FLT_MAX, land->layers[i].thickness);
    }
    for (int i = 0; status == RV_OK && i < land->field_count; i++) {
        snprintf(path, sizeof path, "field/%s", land->fields[i].name);
        status = read_grid(zip, path, h, -FLT_MAX, land->fields[i].values);
    }
    if (status == RV_OK)
        rvi_terrain_sum_layers(land);
    return status;
}

static void unpack_strata(const double in[RVI_LAND_STRATA], rvi_strata *s) {
    double *const first[] = {&s->x,     &s->y,    &s->rise,   &s->east,
                             &s->south, &s->fold, &s->length, &s->wobble};
    for (int k = 0; k < 8; k++)
        *first[k] = in[k];
    s->thickness = (float)in[8];
    s->hardness = (float)in[9];
    for (int k = 0; k < RVI_BANDS; k++) {
        s->edge[k] = (float)in[10 + k];
        s->soft[k] = (float)in[10 + RVI_BANDS + k];
    }
}

static rv_status read_strata(rvi_zip *zip, rvi_strata *s) {
    double numbers[RVI_LAND_STRATA];
    bool there, seeded;
    rv_status status = rvi_npz_numbers(zip, "strata", RVI_LAND_STRATA, numbers, &there);
    if (status == RV_OK && there)
        status = rvi_npz_word(zip, "strata_seed", &s->seed, &seeded);
    if (status != RV_OK || !there)
        return status;
    unpack_strata(numbers, s);
    return seeded && rvi_strata_right(s) ? RV_OK : rvi_zip_damaged(zip);
}

/* Hardness in three dimensions, but for its samples. */
static rv_status read_volume(rvi_zip *zip, rvi_hardness_volume *v) {
    double place[RVI_LAND_PLACE];
    bool there, seeded;
    rvi_npz_array a;
    rv_status status = rvi_npz_numbers(zip, "hardness_place", RVI_LAND_PLACE, place, &there);
    if (status == RV_OK)
        status = rvi_npz_find(zip, "hardness_volume", &a);
    if (status == RV_OK && !there && a.entry)
        return rvi_fail(zip->ctx, RV_ERROR_INPUT,
                        "%s: has hardness_volume, but no hardness_place that says where it lies.",
                        zip->name);
    if (status == RV_OK && there)
        status = rvi_npz_word(zip, "hardness_seed", &v->seed, &seeded);
    if (status != RV_OK || !there)
        return status;
    if (a.entry && (a.npy.dimensions != 3 || a.npy.kind == 'S' || a.npy.fortran || a.count == 0 ||
                    rvi_volume_too_large(a.npy.shape[0], a.npy.shape[1], a.npy.shape[2])))
        return rvi_npz_wrong(zip, "hardness_volume", "an array of slices, rows and columns");
    *v = (rvi_hardness_volume){.x = place[0],
                               .y = place[1],
                               .step_x = place[2],
                               .step_y = place[3],
                               .step_z = place[4],
                               .low = place[5],
                               .seed = v->seed,
                               .octaves =
                                   place[6] >= 0.0 && place[6] < 100.0 ? (int32_t)place[6] : -1,
                               .noise = (float)place[7]};
    if (a.entry) {
        v->slices = (int32_t)a.npy.shape[0];
        v->rows = (int32_t)a.npy.shape[1];
        v->columns = (int32_t)a.npy.shape[2];
    }
    return seeded && rvi_volume_right(v) ? RV_OK : rvi_zip_damaged(zip);
}

static rv_status read_samples(rvi_zip *zip, rvi_hardness_volume *v) {
    rvi_npz_array a;
    unsigned char *bytes;
    size_t count = rvi_volume_samples(v);
    if (count == 0)
        return RV_OK;
    rv_status status = rvi_npz_find(zip, "hardness_volume", &a);
    if (status == RV_OK)
        status = rvi_npz_bytes(zip, &a, &bytes);
    if (status != RV_OK)
        return status;
    v->values = rvi_alloc(zip->ctx, count, sizeof(float), "the hardness");
    status = v->values ? RV_OK : RV_ERROR_MEMORY;
    for (size_t i = 0; status == RV_OK && i < count; i++) {
        v->values[i] = rvi_npy_float(&a.npy, bytes + a.npy.start + i * a.npy.bytes);
        if (!(v->values[i] >= 0.0f && v->values[i] <= 1.0f))
            status = rvi_npz_wrong(zip, "hardness_volume", "an array of numbers from 0 to 1");
        else
            status = rvi_poll_at(zip->ctx, i);
    }
    rvi_free(zip->ctx, bytes);
    return status;
}

/* Bytes of a text, without zero bytes. */
static rv_status read_text(rvi_zip *zip, const char *name, char out[RVI_GEO_TEXT]) {
    double *codes = rvi_alloc(zip->ctx, RVI_GEO_TEXT - 1, sizeof *codes, "a text");
    uint64_t count;
    if (!codes)
        return RV_ERROR_MEMORY;
    rv_status status = rvi_npz_list(zip, name, RVI_GEO_TEXT - 1, codes, &count);
    for (uint64_t i = 0; status == RV_OK && i < count; i++) {
        if (!(codes[i] >= 1.0 && codes[i] <= 255.0))
            status = rvi_npz_wrong(zip, name, "an array of bytes of a text");
        else
            out[i] = (char)(unsigned char)codes[i];
    }
    rvi_free(zip->ctx, codes);
    return status;
}

static rv_status read_map(rvi_zip *zip, rvi_georeference *g) {
    double place[RVI_LAND_MAP], keys[RVI_GEO_KEYS];
    uint64_t count = 0;
    bool there;
    rv_status status = rvi_npz_numbers(zip, "map", RVI_LAND_MAP, place, &there);
    if (status != RV_OK || !there)
        return status;
    g->x = place[0];
    g->y = place[1];
    g->step_x = place[2];
    g->step_y = place[3];
    g->nodata = place[4];
    status = rvi_npz_list(zip, "map_keys", RVI_GEO_KEYS, keys, &count);
    g->key_count = (int32_t)count;
    for (uint64_t i = 0; status == RV_OK && i < count; i++) {
        if (!(keys[i] >= 0.0 && keys[i] <= 65535.0))
            status = rvi_npz_wrong(zip, "map_keys", "an array of numbers from 0 to 65535");
        else
            g->keys[i] = (uint16_t)keys[i];
    }
    if (status == RV_OK)
        status = rvi_npz_list(zip, "map_doubles", RVI_GEO_DOUBLES, g->doubles, &count);
    g->double_count = (int32_t)count;
    if (status == RV_OK)
        status = read_text(zip, "map_text", g->text);
    if (status == RV_OK)
        status = read_text(zip, "map_prj", g->prj);
    if (status == RV_OK && !(rvi_georeference_right(g) && rvi_georeference_known(g)))
        status = rvi_npz_wrong(zip, "map", "a place on a map");
    return status;
}

/* All but the grids and the samples. */
static rv_status read_rest(rvi_zip *zip, rv_terrain *land) {
    double ledger[6] = {0};
    bool there;
    rv_status status = rvi_npz_numbers(zip, "ledger", 6, ledger, &there);
    land->ledger = (rv_ledger){ledger[0], ledger[1], ledger[2], ledger[3], ledger[4], ledger[5]};
    if (status == RV_OK && !rvi_ledger_right(&land->ledger))
        return rvi_npz_wrong(zip, "ledger", "an array of volumes");
    if (status == RV_OK)
        status = read_strata(zip, &land->strata);
    if (status == RV_OK)
        status = read_volume(zip, &land->volume);
    return status == RV_OK ? read_map(zip, &land->geo) : status;
}

rv_status rvi_land_file_decode(rvi_zip *zip, rv_terrain **out) {
    head h = {0};
    rv_terrain *land = NULL;
    const rv_terrain_desc small = {2, 2, 1.0f};
    *out = NULL;
    rv_status status = rv_terrain_create(zip->ctx, &small, &land);
    if (status == RV_OK)
        status = read_outline(zip, &h, land);
    if (status == RV_OK)
        status = read_rest(zip, land);
    if (status == RV_OK)
        status = read_grids(zip, &h, land);
    if (status == RV_OK)
        status = read_samples(zip, &land->volume);
    if (status == RV_OK && h.hashed && rv_terrain_hash(land) != h.hash)
        status = rvi_fail(zip->ctx, RV_ERROR_INPUT,
                          "%s: the land in it is not the one that its hash was made of; leave "
                          "hash out of a land that you have changed.",
                          zip->name);
    rvi_free(zip->ctx, h.list);
    if (status == RV_OK)
        *out = land;
    else
        rv_terrain_destroy(land);
    return status;
}

rv_status rvi_land_file_read(rv_context *ctx, const char *path, rv_terrain **out) {
    rvi_zip zip;
    *out = NULL;
    rv_status status = rvi_zip_open(ctx, path, NULL, 0, &zip);
    if (status == RV_OK)
        status = rvi_land_file_decode(&zip, out);
    rvi_zip_close(&zip);
    return status;
}

/* Grids are read one after the other, each with all of its bytes. */
static size_t largest_entry(const rvi_zip *zip) {
    uint64_t most = 0;
    for (int i = 0; i < zip->count; i++)
        most = zip->entries[i].size > most ? zip->entries[i].size : most;
    return rvi_alloc_size(most < SIZE_MAX ? (size_t)most : SIZE_MAX - 1, 1);
}

size_t rvi_land_file_memory(const rv_terrain *outline) {
    size_t grid = rvi_cells(outline), volume = rvi_volume_samples(&outline->volume);
    return rvi_alloc_size((grid > volume ? grid : volume) + RVI_NPY_HEADER / sizeof(float),
                          sizeof(float));
}

rv_status rvi_land_file_look(rv_context *ctx, const char *path, rv_terrain *out, size_t *memory) {
    rvi_zip zip;
    head h = {0};
    *out = (rv_terrain){.ctx = ctx, .outline = true};
    rv_status status = rvi_zip_open(ctx, path, NULL, 0, &zip);
    if (status == RV_OK)
        status = read_outline(&zip, &h, out);
    if (status == RV_OK)
        status = read_rest(&zip, out);
    *memory = largest_entry(&zip);
    rvi_free(ctx, h.list);
    rvi_zip_close(&zip);
    if (status != RV_OK)
        rvi_outline_free(out);
    return status;
}
