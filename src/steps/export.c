/* export.c: writes a folder for a game engine: heights in the bytes, row order and size that it
 * takes, in tiles that share their edges, weights of layers, normals, masks, places of trees, and a
 * text with the numbers to type. Where a size is asked for, the land is sampled at it first
 * (terrain/resample.c); normals and weights are made of the whole map and then cut, so that tiles
 * have no seams. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/math.h"
#include "base/reduce.h"
#include "formats/exr.h"
#include "picture/maps.h"
#include "picture/overlay.h"
#include "steps/export/engine.h"
#include "steps/export/tree_points.h"
#include "steps/step.h"
#include "terrain/resample.h"
#include "wear/planned_files.h"

enum {
    PATH = 4096,
    LAYERS = 4,
    NORMAL = 3,
    DRAWN = 16
}; /* DRAWN: bytes a cell, as for a splat map */

static const char *const layer_names[LAYERS] = {"rock", "grass", "sediment", "snow"};

typedef struct export {
    const rv_export_params *p;
    rvi_export plan;
    int width, height; /* of the whole map, all tiles together */
}
export;

/* A picture that is cut into tiles; or heights, where there are no bytes. */
typedef struct sheet {
    const char *name;
    const unsigned char *bytes;
    size_t stride; /* bytes from pixel to pixel */
    int channels;  /* of them that are written */
    const float *heights;
    rv_status (*encode)(rv_context *ctx, rvi_writer *writer, const rvi_raster *raster);
    const char *end; /* of the names of their files */
} sheet;

static void name_tile(const export *e, const char *name, const char *end, int column, int row,
                      char out[PATH]) {
    if (e->plan.tiles == 1)
        snprintf(out, PATH, "%s/%s%s", e->p->folder, name, end);
    else if (e->plan.engine == RV_export_engine_unity)
        snprintf(out, PATH, "%s/%s_%d_%d%s", e->p->folder, name, column, e->plan.tiles - 1 - row,
                 end);
    else
        snprintf(out, PATH, "%s/%s_x%d_y%d%s", e->p->folder, name, column, row, end);
}

/* ---- tiles ---- */

static rv_status write_heights(rvi_job *job, const export *e, const sheet *s, const float *tile,
                               const char *path) {
    rvi_raster raster = {.width = e->plan.size,
                         .height = e->plan.height,
                         .values = tile,
                         .bits = 16,
                         .low = (float)e->plan.low,
                         .high = (float)e->plan.high};
    rvi_writer *writer = NULL;
    rv_status status = rvi_writer_open(job->ctx, path, &writer);
    if (status == RV_OK)
        status = s->encode(job->ctx, writer, &raster);
    if (status == RV_OK)
        return rvi_writer_commit(writer);
    rvi_writer_abandon(writer);
    return status;
}

static rv_status write_tile(rvi_job *job, const export *e, const sheet *s, int column, int row,
                            void *tile) {
    size_t width = (size_t)e->plan.size, height = (size_t)e->plan.height;
    size_t left = (size_t)column * (width - 1), top = (size_t)row * (height - 1);
    bool flip = s->heights && rvi_engine_is_south_first(e->plan.engine);
    size_t channels = (size_t)s->channels;
    for (size_t y = 0; y < height; y++) {
        size_t from = (top + (flip ? height - 1 - y : y)) * (size_t)e->width + left;
        if (s->heights) {
            memcpy((float *)tile + y * width, s->heights + from, width * sizeof(float));
            continue;
        }
        unsigned char *to = (unsigned char *)tile + y * width * channels;
        for (size_t x = 0; x < width; x++)
            memcpy(to + x * channels, s->bytes + (from + x) * s->stride, channels);
    }
    char path[PATH];
    name_tile(e, s->name, s->heights ? s->end : ".png", column, row, path);
    if (s->heights)
        return write_heights(job, e, s, tile, path);
    return rvi_png_write_picture(job->ctx, path, (int)width, (int)height, s->channels, tile);
}

static rv_status write_sheet(rvi_job *job, const export *e, const sheet *s) {
    size_t cells = (size_t)e->plan.size * (size_t)e->plan.height;
    void *tile = rvi_alloc(job->ctx, cells, 4, "a tile");
    rv_status status = tile ? RV_OK : RV_ERROR_MEMORY;
    for (int row = 0; row < e->plan.tiles; row++)
        for (int column = 0; column < e->plan.tiles && status == RV_OK; column++)
            status = write_tile(job, e, s, column, row, tile);
    rvi_free(job->ctx, tile);
    return status;
}

/* ---- what is made of the land ---- */

static rv_status write_normals(rvi_job *job, const export *e, const rv_terrain *land) {
    const rvi_map how = {.down = rvi_engine_is_green_south(e->plan.engine), .z = 1.0f};
    unsigned char *bytes = rvi_alloc(job->ctx, rvi_cells(land), NORMAL, "the normals");
    rv_status status = bytes ? rvi_map_normal(land, &how, bytes) : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = write_sheet(
            job, e,
            &(sheet){.name = "land_normal", .bytes = bytes, .stride = NORMAL, .channels = 3});
    rvi_free(job->ctx, bytes);
    return status;
}

static rv_status write_layers(rvi_job *job, const export *e, const unsigned char *splat) {
    rv_status status = RV_OK;
    for (int k = 0; k < LAYERS && status == RV_OK; k++) {
        char name[32];
        snprintf(name, sizeof name, "land_weight_%s", layer_names[k]);
        status = write_sheet(
            job, e, &(sheet){.name = name, .bytes = splat + k, .stride = LAYERS, .channels = 1});
    }
    if (status == RV_OK && e->plan.engine == RV_export_engine_unity)
        status = write_sheet(
            job, e,
            &(sheet){.name = "land_splat", .bytes = splat, .stride = LAYERS, .channels = LAYERS});
    return status;
}

static rv_status write_cover(rvi_job *job, const export *e, const rv_terrain *land) {
    const rvi_map how = {.z = 1.0f, .snow = NAN};
    unsigned char *splat = rvi_alloc(job->ctx, rvi_cells(land), LAYERS, "the weights of layers");
    rv_status status = splat ? rvi_map_splat(land, &how, splat) : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = write_layers(job, e, splat);
    bool room = land->width > 1 && land->height > 1;
    if (status == RV_OK && e->p->trees > 0.0f && room)
        status =
            rvi_trees_write(land, e->p->folder, (double)e->p->trees, e->p->seed, splat + 1, LAYERS);
    rvi_free(job->ctx, splat);
    return status;
}

/* Every field, black where it is 0 and white from the value on that 2 % of the cells above 0 pass,
 * so that one large river does not leave all else black; shares, which end at 1, are white there.
 */
static rv_status write_mask(rvi_job *job, const export *e, const rv_terrain *land, int field,
                            char *said, size_t room) {
    size_t cells = rvi_cells(land);
    const float *values = land->fields[field].values;
    float low, high;
    rvi_range(job->ctx, values, cells, &low, &high);
    rv_status status =
        high == 1.0f ? RV_OK : rvi_overlay_limit(land, values, &high); /* 1: a mask, a hole */
    if (status != RV_OK)
        return status;
    unsigned char *bytes = rvi_alloc(job->ctx, cells, 1, "a mask");
    if (!bytes)
        return RV_ERROR_MEMORY;
    for (size_t i = 0; i < cells && high > 0.0f; i++)
        bytes[i] = (unsigned char)(255.0f * rvi_clampf(values[i] / high, 0.0f, 1.0f) + 0.5f);
    char name[RVI_NAME + 16];
    snprintf(name, sizeof name, "land_mask_%s", land->fields[field].name);
    status =
        write_sheet(job, e, &(sheet){.name = name, .bytes = bytes, .stride = 1, .channels = 1});
    rvi_free(job->ctx, bytes);
    size_t used = strlen(said);
    snprintf(said + used, room - used, "%s%s %.6g", used > 0 ? ", " : "", land->fields[field].name,
             (double)high);
    return status;
}

static rv_status write_text(rvi_job *job, const export *e, const char *masks) {
    char path[PATH], text[RVI_ENGINE_TEXT];
    rvi_writer *writer = NULL;
    size_t size = rvi_engine_text(&e->plan, masks, text);
    snprintf(path, sizeof path, "%s/%s.txt", e->p->folder, rvi_engine_name(e->plan.engine));
    rv_status status = rvi_writer_open(job->ctx, path, &writer);
    if (status == RV_OK)
        status = rvi_writer_put(writer, text, size);
    if (status == RV_OK)
        return rvi_writer_commit(writer);
    rvi_writer_abandon(writer);
    return status;
}

static rv_status write_all(rvi_job *job, export *e, const rv_terrain *land) {
    float low, high;
    char masks[1024] = "";
    rvi_range(job->ctx, land->surface, rvi_cells(land), &low, &high);
    e->plan.low = (double)low;
    e->plan.high = high > low ? (double)high : (double)low + 1.0; /* flat land has a range, too */
    sheet heights = {.name = "land",
                     .heights = land->surface,
                     .encode = rvi_format_r16.encode,
                     .end = rvi_engine_extension(e->plan.engine)};
#ifdef RAVINE_PNG
    if (e->plan.engine == RV_export_engine_unreal)
        heights.encode = rvi_format_png.encode;
#endif
    rv_status status = write_sheet(job, e, &heights);
    heights.encode = rvi_exr_encode_rgb;
    heights.end = ".exr";
    if (status == RV_OK && e->plan.exr)
        status = write_sheet(job, e, &heights);
    if (status == RV_OK)
        status = write_normals(job, e, land);
    if (status == RV_OK)
        status = write_cover(job, e, land);
    for (int i = 0; i < land->field_count && status == RV_OK; i++)
        status = write_mask(job, e, land, i, masks, sizeof masks);
    return status == RV_OK ? write_text(job, e, masks) : status;
}

/* ---- the size ---- */

/* Bedrock is sampled smoothly, what lies on it and all fields without going beyond their values. */
static rv_status sample_land(rvi_job *job, const export *e, rv_terrain **out) {
    const rv_terrain *land = job->land;
    rv_status status = rvi_terrain_create_like(land, e->width, e->height, (float)e->plan.cell, out);
    for (int i = 0; i < land->layer_count && status == RV_OK; i++)
        status = rvi_resample(job->ctx, land->layers[i].thickness, land->width, land->height,
                              (*out)->layers[i].thickness, e->width, e->height,
                              i == 0 ? RVI_FILTER_CUBIC : RVI_FILTER_LINEAR);
    for (int i = 0; i < land->field_count && status == RV_OK; i++)
        status = rvi_resample(job->ctx, land->fields[i].values, land->width, land->height,
                              (*out)->fields[i].values, e->width, e->height, RVI_FILTER_LINEAR);
    if (status == RV_OK)
        rvi_terrain_sum_layers(*out);
    return status;
}

static rv_status run(rvi_job *job) {
    export *e = job->state;
    rv_terrain *sampled = NULL;
    bool same = e->width == job->land->width && e->height == job->land->height;
    rv_status status = rvi_folder_make(job->ctx, e->p->folder);
    if (status == RV_OK && !same)
        status = sample_land(job, e, &sampled);
    if (status == RV_OK)
        status = write_all(job, e, same ? job->land : sampled);
    rv_terrain_destroy(sampled);
    if (status == RV_OK)
        rvi_log(job->ctx,
                "%s: %d x %d samples%s for %s, %.4g m apart; the numbers to type are in %s.txt",
                e->p->folder, e->plan.size, e->plan.height, e->plan.tiles > 1 ? " a tile" : "",
                rvi_engine_name(e->plan.engine), e->plan.cell, rvi_engine_name(e->plan.engine));
    return status;
}

/* ---- before the run ---- */

static rv_status refuse_size(rvi_job *job, const rv_export_params *p, int size, int nearest) {
    const rv_terrain *land = job->land;
    char now[64] = "";
    if (p->size == RV_AUTO_INT)
        snprintf(now, sizeof now, " (the land has %d x %d cells)", land->width, land->height);
    return rvi_fail(job->ctx, RV_ERROR_USAGE,
                    "export: %s does not take %d samples along a side%s%s; the nearest that it "
                    "takes is size=%d.",
                    rvi_engine_name((rv_export_engine)p->engine), size,
                    p->tiles > 1 ? " of a tile" : "", now, nearest);
}

/* Without a size the land stays as it is, and must fit. */
static rv_status choose_size(rvi_job *job, const rv_export_params *p, export *e) {
    const rv_terrain *land = job->land;
    bool square = p->engine == RV_export_engine_unreal || p->engine == RV_export_engine_unity;
    int nearest, tiles = p->tiles;
    bool sampled = p->size != RV_AUTO_INT;
    if (land->width != land->height && (square || sampled))
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "export: a square is needed here, and the land has %d x %d cells; crop it.",
                        land->width, land->height);
    int size = sampled ? p->size : 1 + (land->width - 1) / tiles;
    int height = sampled ? p->size : 1 + (land->height - 1) / tiles;
    bool whole = p->size != RV_AUTO_INT ||
                 ((land->width - 1) % tiles == 0 && (land->height - 1) % tiles == 0);
    bool takes = rvi_engine_takes((rv_export_engine)p->engine, size, &nearest);
    if (!whole)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "export: %d x %d cells cannot be cut into %d tiles along a side that share "
                        "their edges; say size=%d.",
                        land->width, land->height, tiles, nearest);
    if (!takes)
        return refuse_size(job, p, size, nearest);
    e->plan = (rvi_export){.engine = (rv_export_engine)p->engine,
                           .size = size,
                           .height = height,
                           .tiles = tiles,
                           .exr = p->engine == RV_export_engine_godot && rvi_exr_there()};
    e->width = tiles * (size - 1) + 1;
    e->height = tiles * (height - 1) + 1;
    e->plan.cell = (double)land->cell;
    if (sampled)
        e->plan.cell *= (double)(land->width - 1) / (double)(e->width - 1);
    double side = (double)(e->width > e->height ? e->width : e->height) * e->plan.cell;
    if (p->trees > 0.0f && side / (double)p->trees > RVI_SIDE_MOST)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "export: trees=%g makes more than %d squares along a side.",
                        (double)p->trees, RVI_SIDE_MOST);
    if (e->width > RVI_SIDE_MOST || e->height > RVI_SIDE_MOST)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "export: %d tiles of %d samples are more than %d along a side.", tiles,
                        size, RVI_SIDE_MOST);
    return RV_OK;
}

/* One file, or one for each tile. */
static rv_status check_tiles(rvi_job *job, const export *e, const char *name, const char *end) {
    char path[PATH];
    rv_status status = RV_OK;
    for (int row = 0; row < e->plan.tiles; row++)
        for (int column = 0; column < e->plan.tiles && status == RV_OK; column++) {
            name_tile(e, name, end, column, row, path);
            status = rvi_job_writes(job, path, NULL);
        }
    return status;
}

/* Fields have names that users give. */
static rv_status check_masks(rvi_job *job, const export *e, bool there) {
    const rv_terrain *land = job->land;
    char name[RVI_NAME + 16];
    rv_status status = RV_OK;
    for (int i = 0; i < land->field_count && status == RV_OK; i++) {
        const char *field = land->fields[i].name;
        if (strpbrk(field, "/\\:*?\"<>|")) /* on any system */
            return rvi_fail(job->ctx, RV_ERROR_USAGE,
                            "export: the field %s cannot be part of the name of a file.", field);
        snprintf(name, sizeof name, "land_mask_%s", field);
        if (there)
            status = check_tiles(job, e, name, ".png");
    }
    return status;
}

static rv_status check_files(rvi_job *job, const export *e) {
    char path[PATH];
    if (strlen(e->p->folder) > PATH - 128)
        return rvi_fail(job->ctx, RV_ERROR_USAGE, "%s: the name is too long.", e->p->folder);
    bool there = rvi_folder_there(e->p->folder);
    rv_status status = check_masks(job, e, there);
    if (status != RV_OK || !there)
        return status == RV_OK ? rvi_file_check_target(job->ctx, e->p->folder) : status;
    snprintf(path, sizeof path, "%s/%s.txt", e->p->folder, rvi_engine_name(e->plan.engine));
    status = rvi_job_writes(job, path, NULL);
    static const char *const tables[] = {"trees.csv", "trees.json"};
    for (int i = 0; i < 2 && status == RV_OK; i++) {
        snprintf(path, sizeof path, "%s/%s", e->p->folder, tables[i]);
        status = rvi_job_writes(job, path, NULL);
    }
    if (status == RV_OK)
        status = check_tiles(job, e, "land", rvi_engine_extension(e->plan.engine));
    if (status == RV_OK && e->plan.exr)
        status = check_tiles(job, e, "land", ".exr");
    if (status == RV_OK)
        status = check_tiles(job, e, "land_normal", ".png");
    for (int k = 0; k < LAYERS && status == RV_OK; k++) {
        char name[32];
        snprintf(name, sizeof name, "land_weight_%s", layer_names[k]);
        status = check_tiles(job, e, name, ".png");
    }
    if (status == RV_OK && e->plan.engine == RV_export_engine_unity)
        status = check_tiles(job, e, "land_splat", ".png");
    return status;
}

/* The sampled land, and beside it what is drawn of it. */
static void list_memory(rvi_job *job, const export *e) {
    const rv_terrain *land = job->land;
    size_t cells = (size_t)e->width * (size_t)e->height, bytes = cells * (DRAWN + LAYERS) + 262144;
    size_t grids = (size_t)(land->layer_count + land->field_count + 1);
    if (e->width != land->width || e->height != land->height)
        bytes +=
            grids * rvi_alloc_size(cells, sizeof(float)) +
            rvi_resample_bytes(land->width, land->height, e->width, e->height, RVI_FILTER_CUBIC);
    rvi_buffers_pass(&job->buffers, bytes + rvi_png_bytes((size_t)e->width * 4));
}

rv_status rvi_step_export(rvi_job *job, const rv_export_params *p) {
    export *e = rvi_job_begin(job, sizeof *e, run, NULL);
    if (!e)
        return RV_ERROR_MEMORY;
    e->p = p;
    rv_status status = rvi_png_check_name(job->ctx, "export.png");
    if (status == RV_OK)
        status = choose_size(job, p, e);
    if (status == RV_OK)
        status = check_files(job, e);
    if (status == RV_OK)
        list_memory(job, e);
    return status;
}
