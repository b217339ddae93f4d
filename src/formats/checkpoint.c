/* checkpoint.c: a run between two steps, as an archive: a header (see struct head), the text of the
 * recipe, then for each layer its record and thicknesses, for each field its name and values, and
 * the samples of the hardness in three dimensions. */
#include "formats/checkpoint.h"
#include "base/archive.h"
#include "base/context.h"
#include "base/file.h"
#include "terrain/bands.h"
#include "terrain/hardness_volume.h"

#include <float.h>
#include <string.h>

static const char magic[RVI_MAGIC] = "RAVINE-CHECK-6\n";

typedef struct head {
    int32_t width, height, layers, fields;
    float cell;
    uint32_t unused;
    uint64_t text; /* bytes of the recipe */
    rv_ledger ledger;
    rvi_strata strata;
    unsigned char volume[offsetof(rvi_hardness_volume, values)];
    rvi_georeference geo;
    int64_t numbers[RVI_CHECKPOINT_NUMBERS];
} head;

typedef struct layer_record {
    char name[RVI_NAME];
    float erodibility, talus;
    uint32_t colour, unused;
    double eroded, deposited;
} layer_record;

/* ---- writing ---- */

static rv_status put_all(rvi_archive_writer *out, const rvi_checkpoint *from) {
    const rv_terrain *land = from->land;
    size_t grid = rvi_cells(land) * sizeof(float);
    head h = {.width = land->width,
              .height = land->height,
              .layers = land->layer_count,
              .fields = land->field_count,
              .cell = land->cell,
              .text = strlen(from->text),
              .ledger = land->ledger,
              .strata = land->strata,
              .geo = land->geo};
    memcpy(h.volume, &land->volume, sizeof h.volume);
    memcpy(h.numbers, from->numbers, sizeof h.numbers);
    rv_status status = rvi_archive_put(out, &h, sizeof h);
    if (status == RV_OK)
        status = rvi_archive_put(out, from->text, (size_t)h.text);
    for (int i = 0; status == RV_OK && i < land->layer_count; i++) {
        const rvi_layer *l = &land->layers[i];
        layer_record record = {{0}, l->erodibility, l->talus,    l->colour,
                               0,   l->eroded,      l->deposited};
        memcpy(record.name, l->name, RVI_NAME);
        status = rvi_archive_put(out, &record, sizeof record);
        if (status == RV_OK)
            status = rvi_archive_put(out, l->thickness, grid);
    }
    for (int i = 0; status == RV_OK && i < land->field_count; i++) {
        status = rvi_archive_put(out, land->fields[i].name, RVI_NAME);
        if (status == RV_OK)
            status = rvi_archive_put(out, land->fields[i].values, grid);
    }
    size_t samples = rvi_volume_samples(&land->volume);
    return status == RV_OK && samples > 0
               ? rvi_archive_put(out, land->volume.values, samples * sizeof(float))
               : status;
}

rv_status rvi_checkpoint_write(rv_context *ctx, const char *path, const rvi_checkpoint *from) {
    rvi_archive_writer out;
    rv_status status = rvi_archive_create(ctx, path, magic, from->run, &out);
    if (status == RV_OK)
        status = put_all(&out, from);
    return rvi_archive_close(&out, status);
}

/* ---- reading ---- */

/* A file may hold anything, also behind a right hash: every number is held to what a run can make.
 */

static bool is_finite(double value) {
    return value - value == 0.0; /* neither NaN nor infinite */
}

static rv_status get_grid(rvi_archive *in, const rv_terrain *land, float least, float *values) {
    rv_status status = RV_OK;
    size_t row = (size_t)land->width;
    for (int y = 0; status == RV_OK && y < land->height; y++) {
        float *to = values + (size_t)y * row;
        status = rvi_archive_get(in, to, row * sizeof(float));
        if (status == RV_OK)
            status = rvi_poll(in->ctx);
        for (size_t x = 0; status == RV_OK && x < row; x++)
            if (!(to[x] - to[x] == 0.0f) || to[x] < least)
                status = rvi_archive_damaged(in);
    }
    return status;
}

static bool name_right(const char name[RVI_NAME]) {
    return name[0] != 0 && memchr(name, 0, RVI_NAME) != NULL;
}

static bool layer_right(const layer_record *l) {
    return name_right(l->name) && l->erodibility >= 0.0f && l->erodibility <= 1.0f &&
           l->talus >= 0.0f && l->talus < 90.0f && (l->colour == 0 || l->colour >> 24 == 0xff) &&
           l->unused == 0 && is_finite(l->eroded) && is_finite(l->deposited);
}

static rv_status get_layer(rvi_archive *in, rv_terrain *land, int i) {
    layer_record record;
    rv_status status = rvi_archive_get(in, &record, sizeof record);
    if (status == RV_OK && !layer_right(&record))
        status = rvi_archive_damaged(in);
    if (status == RV_OK && i > 0)
        status = rv_terrain_layer_add(land,
                                      &(rv_layer_desc){.name = record.name,
                                                       .erodibility = record.erodibility,
                                                       .talus = record.talus,
                                                       .colour = record.colour},
                                      NULL);
    if (status == RV_ERROR_USAGE)
        status = rvi_archive_damaged(in);
    if (status != RV_OK)
        return status;
    rvi_layer *l = &land->layers[i];
    memcpy(l->name, record.name, RVI_NAME);
    l->erodibility = record.erodibility;
    l->talus = record.talus;
    l->colour = record.colour;
    l->eroded = record.eroded;
    l->deposited = record.deposited;
    return get_grid(in, land, i > 0 ? 0.0f : -FLT_MAX, l->thickness); /* bedrock may be low */
}

static rv_status get_layers(rvi_archive *in, rv_terrain *land, int count) {
    rv_status status = RV_OK;
    for (int i = 0; status == RV_OK && i < count; i++)
        status = get_layer(in, land, i);
    if (status == RV_OK)
        rvi_terrain_sum_layers(land);
    return status;
}

/* They are in alphabetical order, so none is there twice. */
static rv_status get_fields(rvi_archive *in, rv_terrain *land, int count) {
    rv_status status = RV_OK;
    char name[RVI_NAME], last[RVI_NAME] = "";
    for (int i = 0; status == RV_OK && i < count; i++) {
        status = rvi_archive_get(in, name, RVI_NAME);
        if (status == RV_OK && (!name_right(name) || strcmp(name, last) <= 0))
            status = rvi_archive_damaged(in);
        float *values = status == RV_OK ? rvi_field_make(land, name) : NULL;
        if (status == RV_OK)
            status = values ? get_grid(in, land, -FLT_MAX, values) : RV_ERROR_MEMORY;
        memcpy(last, name, RVI_NAME);
    }
    return status;
}

static rvi_hardness_volume volume_of(const head *h) {
    rvi_hardness_volume v = {0};
    memcpy(&v, h->volume, sizeof h->volume);
    return v;
}

static rv_status get_volume(rvi_archive *in, rv_terrain *land, const rvi_hardness_volume *from) {
    size_t count = rvi_volume_samples(from), part = 65536;
    rvi_hardness_volume v = *from;
    v.values = count ? rvi_alloc(in->ctx, count, sizeof(float), "the hardness") : NULL;
    rv_status status = v.values || count == 0 ? RV_OK : RV_ERROR_MEMORY;
    for (size_t i = 0; status == RV_OK && i < count; i++) {
        size_t left = count - i < part ? count - i : part;
        if (i % part == 0)
            status = rvi_archive_get(in, v.values + i, left * sizeof(float));
        if (status == RV_OK && i % part == 0)
            status = rvi_poll(in->ctx);
        if (status == RV_OK && !(v.values[i] >= 0.0f && v.values[i] <= 1.0f))
            status = rvi_archive_damaged(in);
    }
    rvi_terrain_set_volume(land, &v); /* which frees it with the land */
    return status;
}

/* All that the header promises must be there before anything is allocated for it. */
static rv_status check_head(const rvi_archive *in, const head *h) {
    rvi_hardness_volume v = volume_of(h);
    if (h->width < 1 || h->height < 1 || h->width > RVI_SIDE_MOST || h->height > RVI_SIDE_MOST ||
        h->layers < 1 || h->layers > 1000 || h->fields < 0 || h->fields > 1000 || h->unused != 0)
        return rvi_archive_damaged(in);
    if (!(h->cell > 0.0f && h->cell <= 1e6f) || !rvi_strata_right(&h->strata) ||
        !rvi_volume_right(&v) || !rvi_ledger_right(&h->ledger) || !rvi_georeference_right(&h->geo))
        return rvi_archive_damaged(in);
    uint64_t left = in->size - in->at, grid = 4 * (uint64_t)h->width * (uint64_t)h->height;
    uint64_t need = (uint64_t)h->layers * (grid + sizeof(layer_record)) +
                    (uint64_t)h->fields * (grid + RVI_NAME) +
                    (uint64_t)rvi_volume_samples(&v) * sizeof(float);
    return h->text > left || need != left - h->text ? rvi_archive_damaged(in) : RV_OK;
}

static rv_status get_all(rvi_archive *in, rvi_checkpoint *out) {
    head h;
    rv_status status = rvi_archive_get(in, &h, sizeof h);
    if (status == RV_OK)
        status = check_head(in, &h);
    if (status != RV_OK)
        return status;
    out->text = rvi_alloc(in->ctx, (size_t)h.text + 1, 1, "the recipe");
    status = out->text ? rvi_archive_get(in, out->text, (size_t)h.text) : RV_ERROR_MEMORY;
    if (status == RV_OK && strlen(out->text) != h.text)
        status = rvi_archive_damaged(in);
    rv_terrain_desc desc = {h.width, h.height, h.cell};
    if (status == RV_OK)
        status = rv_terrain_create(in->ctx, &desc, &out->land);
    if (status == RV_ERROR_USAGE)
        status = rvi_archive_damaged(in);
    if (status == RV_OK)
        status = get_layers(in, out->land, h.layers);
    if (status == RV_OK)
        status = get_fields(in, out->land, h.fields);
    rvi_hardness_volume volume = volume_of(&h);
    if (status == RV_OK)
        status = get_volume(in, out->land, &volume);
    if (status == RV_OK) {
        out->land->ledger = h.ledger;
        out->land->strata = h.strata;
        out->land->geo = h.geo;
        memcpy(out->numbers, h.numbers, sizeof h.numbers);
        out->run = in->run;
    }
    return status;
}

rv_status rvi_checkpoint_decode(rv_context *ctx, const char *name, const unsigned char *data,
                                size_t size, rvi_checkpoint *out) {
    rvi_archive in;
    *out = (rvi_checkpoint){0};
    rv_status status = rvi_archive_decode(ctx, name, data, size, magic, "a checkpoint", &in);
    if (status == RV_OK)
        status = get_all(&in, out);
    if (status != RV_OK) {
        rv_terrain_destroy(out->land);
        rvi_free(ctx, out->text);
        *out = (rvi_checkpoint){0};
    }
    return status;
}

rv_status rvi_checkpoint_read(rv_context *ctx, const char *path, rvi_checkpoint *out) {
    rvi_bytes bytes;
    rv_status status = rvi_file_read(ctx, path, &bytes);
    if (status != RV_OK)
        return status;
    status = rvi_checkpoint_decode(ctx, path, bytes.data, bytes.size, out);
    rvi_free(ctx, bytes.data);
    return status;
}
