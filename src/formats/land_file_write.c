/* land_file_write.c: writes a land file; land_file.c says what it holds. */
#include "formats/land_file_state.h"

#include "base/context.h"
#include "formats/npy.h"
#include "terrain/hardness_volume.h"

#include <stdio.h>
#include <string.h>

enum { PART = 1 << 16 }; /* bytes that are written together; a multiple of 8 */

/* A name that a layer or a field can have. */
bool rvi_land_name_right(const char *name, size_t size) {
    if (size == 0 || size >= RVI_NAME)
        return false;
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)name[i] <= ' ' || name[i] == '/' || name[i] == '\\')
            return false;
    return true;
}

/* Values of 1, 4 or 8 bytes become little-endian ones. */
typedef struct array {
    const char *name, *type;
    int dimensions;
    uint64_t shape[RVI_NPY_DIMENSIONS];
    const void *values;
    size_t bytes; /* of a value */
} array;

typedef struct writing {
    rv_context *ctx;
    rvi_zip_writer zip;
    rvi_crc_table crc;
    unsigned char part[PART];
} writing;

static void make_little(const unsigned char *from, size_t count, size_t bytes, unsigned char *to) {
    for (size_t i = 0; i < count; i++, from += bytes, to += bytes) {
        uint32_t four;
        uint64_t word = from[0];
        if (bytes == 4) {
            memcpy(&four, from, 4);
            word = four;
        } else if (bytes == 8) {
            memcpy(&word, from, 8);
        }
        for (size_t k = 0; k < bytes; k++)
            to[k] = (unsigned char)(word >> (8 * k));
    }
}

/* Goes over the values in parts, and counts their CRC, or puts them where crc is NULL. */
static rv_status go_over(writing *w, const array *a, uint64_t count, uint32_t *crc) {
    const unsigned char *from = a->values;
    rv_status status = RV_OK;
    while (status == RV_OK && count > 0) {
        size_t some = count < PART / a->bytes ? (size_t)count : PART / a->bytes;
        make_little(from, some, a->bytes, w->part);
        if (crc) {
            *crc = rvi_crc(&w->crc, *crc, w->part, some * a->bytes);
            status = rvi_poll(w->ctx);
        } else {
            status = rvi_zip_put(&w->zip, w->part, some * a->bytes);
        }
        from += some * a->bytes;
        count -= some;
    }
    return status;
}

static rv_status put_array(writing *w, const array *a) {
    char header[RVI_NPY_HEADER], name[RVI_ZIP_NAME];
    uint64_t count = 1;
    for (int i = 0; i < a->dimensions; i++)
        count *= a->shape[i];
    if (a->type[1] == 'S')
        count *= RVI_NAME;
    rvi_npy_print(a->type, a->dimensions, a->shape, header);
    uint32_t crc = rvi_crc(&w->crc, 0, header, sizeof header);
    snprintf(name, sizeof name, "%s.npy", a->name);
    rv_status status = go_over(w, a, count, &crc);
    if (status == RV_OK)
        status = rvi_zip_add(w->ctx, &w->zip, name, sizeof header + count * a->bytes, crc);
    if (status == RV_OK)
        status = rvi_zip_put(&w->zip, header, sizeof header);
    return status == RV_OK ? go_over(w, a, count, NULL) : status;
}

static rv_status put_grid(writing *w, const rv_terrain *land, const char *kind, const char *name,
                          const float *values) {
    char path[RVI_ZIP_NAME];
    snprintf(path, sizeof path, "%s/%s", kind, name);
    return put_array(w, &(array){path,
                                 "<f4",
                                 2,
                                 {(uint64_t)land->height, (uint64_t)land->width},
                                 values,
                                 sizeof(float)});
}

/* The properties of all layers, each kind as an array. */
static rv_status put_layers(writing *w, const rv_terrain *land) {
    size_t count = (size_t)land->layer_count;
    size_t each = RVI_NAME + 3 * sizeof(float) + 2 * sizeof(double);
    unsigned char *room = rvi_alloc(w->ctx, count, each, "the layers");
    if (!room)
        return RV_ERROR_MEMORY;
    double *ledger = (double *)(void *)room;
    char *names = (char *)(ledger + 2 * count);
    float *erodibility = (float *)(void *)(names + RVI_NAME * count), *talus = erodibility + count;
    uint32_t *colour = (uint32_t *)(void *)(talus + count);
    for (size_t i = 0; i < count; i++) {
        const rvi_layer *l = &land->layers[i];
        memcpy(names + RVI_NAME * i, l->name, strlen(l->name));
        erodibility[i] = l->erodibility;
        talus[i] = l->talus;
        colour[i] = l->colour;
        ledger[2 * i] = l->eroded;
        ledger[2 * i + 1] = l->deposited;
    }
    const array all[] = {{"layers", "|S32", 1, {count}, names, 1},
                         {"erodibility", "<f4", 1, {count}, erodibility, sizeof(float)},
                         {"talus", "<f4", 1, {count}, talus, sizeof(float)},
                         {"colour", "<u4", 1, {count}, colour, sizeof(uint32_t)},
                         {"layer_ledger", "<f8", 2, {count, 2}, ledger, sizeof(double)}};
    rv_status status = RV_OK;
    for (size_t i = 0; status == RV_OK && i < sizeof all / sizeof all[0]; i++)
        status = put_array(w, &all[i]);
    rvi_free(w->ctx, room);
    return status;
}

static void pack_strata(const rvi_strata *s, double out[RVI_LAND_STRATA]) {
    const double first[] = {s->x,
                            s->y,
                            s->rise,
                            s->east,
                            s->south,
                            s->fold,
                            s->length,
                            s->wobble,
                            (double)s->thickness,
                            (double)s->hardness};
    memcpy(out, first, sizeof first);
    for (int k = 0; k < RVI_BANDS; k++) {
        out[10 + k] = (double)s->edge[k];
        out[10 + RVI_BANDS + k] = (double)s->soft[k];
    }
}

static rv_status put_strata(writing *w, const rv_terrain *land) {
    double numbers[RVI_LAND_STRATA];
    pack_strata(&land->strata, numbers);
    rv_status status =
        put_array(w, &(array){"strata", "<f8", 1, {RVI_LAND_STRATA}, numbers, sizeof(double)});
    if (status == RV_OK)
        status = put_array(
            w, &(array){"strata_seed", "<u8", 0, {0}, &land->strata.seed, sizeof(uint64_t)});
    return status;
}

static rv_status put_volume(writing *w, const rvi_hardness_volume *v) {
    const double place[RVI_LAND_PLACE] = {v->x,      v->y,   v->step_x,          v->step_y,
                                          v->step_z, v->low, (double)v->octaves, (double)v->noise};
    rv_status status =
        put_array(w, &(array){"hardness_place", "<f8", 1, {RVI_LAND_PLACE}, place, sizeof(double)});
    if (status == RV_OK)
        status = put_array(w, &(array){"hardness_seed", "<u8", 0, {0}, &v->seed, sizeof(uint64_t)});
    if (status != RV_OK || v->slices == 0)
        return status;
    return put_array(w, &(array){"hardness_volume",
                                 "<f4",
                                 3,
                                 {(uint64_t)v->slices, (uint64_t)v->rows, (uint64_t)v->columns},
                                 v->values,
                                 sizeof(float)});
}

static rv_status put_map(writing *w, const rvi_georeference *g) {
    const double place[RVI_LAND_MAP] = {g->x, g->y, g->step_x, g->step_y, g->nodata};
    uint32_t keys[RVI_GEO_KEYS];
    for (int i = 0; i < g->key_count; i++)
        keys[i] = g->keys[i];
    const array all[] = {
        {"map", "<f8", 1, {RVI_LAND_MAP}, place, sizeof(double)},
        {"map_keys", "<u4", 1, {(uint64_t)g->key_count}, keys, sizeof(uint32_t)},
        {"map_doubles", "<f8", 1, {(uint64_t)g->double_count}, g->doubles, sizeof(double)},
        {"map_text", "|u1", 1, {strlen(g->text)}, g->text, 1},
        {"map_prj", "|u1", 1, {strlen(g->prj)}, g->prj, 1},
    };
    rv_status status = RV_OK;
    for (size_t i = 0; status == RV_OK && i < sizeof all / sizeof all[0]; i++)
        if (i == 0 || all[i].shape[0] > 0)
            status = put_array(w, &all[i]);
    return status;
}

static rv_status put_all(writing *w, const rv_terrain *land) {
    const uint32_t version = RVI_LAND_VERSION;
    const uint64_t hash = rv_terrain_hash(land);
    const rv_ledger *l = &land->ledger;
    const double ledger[] = {l->eroded,    l->deposited, l->left_map,
                             l->suspended, l->raised,    l->before};
    const array head[] = {{"ravine", "<u4", 0, {0}, &version, sizeof version},
                          {"hash", "<u8", 0, {0}, &hash, sizeof hash},
                          {"cell", "<f4", 0, {0}, &land->cell, sizeof(float)},
                          {"ledger", "<f8", 1, {6}, ledger, sizeof(double)}};
    rv_status status = RV_OK;
    for (size_t i = 0; status == RV_OK && i < sizeof head / sizeof head[0]; i++)
        status = put_array(w, &head[i]);
    if (status == RV_OK)
        status = put_layers(w, land);
    if (status == RV_OK && rvi_strata_there(land))
        status = put_strata(w, land);
    if (status == RV_OK && rvi_volume_there(land))
        status = put_volume(w, &land->volume);
    if (status == RV_OK && rvi_georeference_known(&land->geo))
        status = put_map(w, &land->geo);
    for (int i = 0; status == RV_OK && i < land->layer_count; i++)
        status = put_grid(w, land, "layer", land->layers[i].name, land->layers[i].thickness);
    for (int i = 0; status == RV_OK && i < land->field_count; i++)
        status = put_grid(w, land, "field", land->fields[i].name, land->fields[i].values);
    return status;
}

static rv_status check_name(const rv_terrain *land, const char *kind, const char *name) {
    return rvi_land_name_right(name, strlen(name))
               ? RV_OK
               : rvi_fail(land->ctx, RV_ERROR_OUTPUT,
                          "A land file cannot hold the %s \"%s\", whose name has a sign that is "
                          "not for names.",
                          kind, name);
}

rv_status rvi_land_file_check(const rv_terrain *land, const char *path) {
    rv_status status = RV_OK;
    if (land->layer_count > RVI_LAND_LAYERS || land->field_count > RVI_LAND_LAYERS)
        return rvi_fail(land->ctx, RV_ERROR_OUTPUT,
                        "%s: a land file holds at most %d layers and fields.", path,
                        RVI_LAND_LAYERS);
    for (int i = 0; status == RV_OK && i < land->layer_count; i++)
        status = check_name(land, "layer", land->layers[i].name);
    for (int i = 0; status == RV_OK && i < land->field_count; i++)
        status = check_name(land, "field", land->fields[i].name);
    return status;
}

rv_status rvi_land_file_write(const rv_terrain *land, const char *path) {
    rv_context *ctx = land->ctx;
    rvi_writer *to = NULL;
    rv_status status = rvi_land_file_check(land, path);
    if (status != RV_OK)
        return status;
    writing *w = rvi_alloc(ctx, 1, sizeof *w, "a land file");
    status = w ? rvi_writer_open(ctx, path, &to) : RV_ERROR_MEMORY;
    if (status == RV_OK) {
        w->ctx = ctx;
        w->zip = rvi_zip_begin(to);
        rvi_crc_begin(&w->crc);
        status = rvi_zip_end(ctx, &w->zip, put_all(w, land));
    }
    rvi_free(ctx, w);
    if (status == RV_OK)
        return rvi_writer_commit(to);
    rvi_writer_abandon(to);
    return status;
}
