/* save.c: writes a field to a file, and beside it a sidecar that holds its scale. A value v becomes
 * the level nearest to (v - low) / (high - low) * top; values beyond low or high become the end.
 * By its extension a file can also be a mesh of the land (mesh/mesh.h), which is in metres, or the
 * whole land (formats/land_file.h). */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/reduce.h"
#include "formats/exr.h"
#include "formats/gdal.h"
#include "formats/land_file.h"
#include "formats/mesh_format.h"
#include "picture/land_cover.h"
#include "picture/maps.h"
#include "steps/step.h"
#include "terrain/hardness_volume.h"
#include "wear/planned_files.h"

static rv_status find_range(rvi_job *job, const char *field, rvi_raster *raster) {
    size_t cells = (size_t)raster->width * (size_t)raster->height;
    if (isfinite(rvi_sum(job->ctx, raster->values, cells))) {
        rvi_range(job->ctx, raster->values, cells, &raster->low, &raster->high);
        return RV_OK;
    }
    size_t wrong = 0;
    while (isfinite(raster->values[wrong]))
        wrong++;
    return rvi_fail(job->ctx, RV_ERROR_INTERNAL,
                    "The field %s holds no number at row %zu, column %zu.", field,
                    wrong / (size_t)raster->width, wrong % (size_t)raster->width);
}

static rv_status bad_range(rv_context *ctx, const rv_save_params *p, float low, float high) {
    return rvi_fail(ctx, RV_ERROR_USAGE, "%s: low=%.9g is not below high=%.9g.", p->file,
                    (double)low, (double)high);
}

/* The range that the levels stand for, where the user gave one. */
static rv_status apply_range(rv_context *ctx, const rv_save_params *p, rvi_raster *raster) {
    if (!isnan(p->low))
        raster->low = p->low;
    if (!isnan(p->high))
        raster->high = p->high;
    return raster->low > raster->high ? bad_range(ctx, p, raster->low, raster->high) : RV_OK;
}

static rv_status count_outside(rv_context *ctx, const rvi_raster *raster, uint64_t *count) {
    *count = 0;
    for (int y = 0; y < raster->height; y++) {
        const float *row = raster->values + (size_t)y * (size_t)raster->width;
        for (int x = 0; x < raster->width; x++)
            *count += row[x] < raster->low || row[x] > raster->high;
        if (rvi_poll(ctx) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

_Static_assert((int)RV_save_curve_linear == (int)RVI_LINEAR &&
                   (int)RV_save_curve_sqrt == (int)RVI_SQRT &&
                   (int)RV_save_curve_log == (int)RVI_LOG &&
                   (int)RV_save_curve_COUNT == (int)RVI_CURVES,
               "save has the curves of formats/sidecar.h");

/* What a save works with. */
typedef struct save {
    rvi_job *job;
    const rv_save_params *params;
    const rvi_format *format;
    uint64_t hash; /* of the land */
} save;

/* What the values are. A name that no step writes is that of a layer, or what a user gave. */
static rvi_sidecar_field describe(const rv_terrain *land, const char *name) {
    const rv_field_info *known = rv_field_find(name);
    int layer = rvi_field_there(land, name) ? land->layer_count : rvi_layer_index(land, name);
    if (known)
        return (rvi_sidecar_field){name, known->unit, known->meaning};
    if (layer == land->layer_count)
        return (rvi_sidecar_field){name, "", ""};
    return (rvi_sidecar_field){name, "m",
                               layer == 0 ? "height of the bedrock" : "thickness of the layer"};
}

/* All of it is on disk, but has no name yet. */
static rv_status write_sidecar(const save *s, const rvi_sidecar *sidecar, const char *path,
                               rvi_writer **out) {
    rv_context *ctx = s->job->ctx;
    const rvi_sidecar_field field = describe(s->job->land, s->params->field);
    char *text = rvi_alloc(ctx, RVI_SIDECAR_SIZE, 1, "a sidecar");
    if (text == NULL)
        return RV_ERROR_MEMORY;
    size_t size = rvi_sidecar_print(sidecar, s->format->extension + 1, &field, s->hash, text);
    rv_status status = rvi_writer_open(ctx, path, out);
    if (status == RV_OK)
        status = rvi_writer_put(*out, text, size);
    rvi_free(ctx, text);
    return status == RV_OK ? rvi_writer_finish(*out) : status;
}

/* Before the data a sidecar takes its name that says both what holds for them and what holds for
 * those before: whoever reads the two knows the scale, also after a kill between the renames. After
 * the data the plain one follows, so that the same land has the same sidecar, whatever was there.
 */
static rv_status commit_files(const save *s, const char *path, const rvi_claim *claim,
                              const rvi_sidecar *both, rvi_writer **data) {
    rvi_writer *first = NULL, *last = NULL;
    rvi_sidecar plain = *both;
    plain.previous_count = 0;
    bool lost = false;
    rv_status status = write_sidecar(s, both, path, &first);
    if (status == RV_OK && both->previous_count > 0)
        status = write_sidecar(s, &plain, path, &last);
    if (status == RV_OK)
        status = rvi_writer_place(first, claim, &lost);
    if (status == RV_OK && !lost) {
        status = rvi_writer_commit(*data);
        *data = NULL;
        if (status != RV_OK && !claim->there)
            rvi_file_remove(path); /* alone it says nothing */
    }
    if (status == RV_OK && !lost && last != NULL) {
        (void)rvi_writer_commit(last); /* without it the first one holds */
        last = NULL;
    }
    rvi_writer_abandon(last);
    rvi_writer_abandon(first);
    return status;
}

/* Of processes that save to one name, one at a time commits. */
static rv_status commit_in_turn(const save *s, const rvi_scale *scale, rvi_writer **data) {
    rv_context *ctx = s->job->ctx;
    char *path = rvi_sidecar_path(ctx, s->params->file);
    rv_status status = path != NULL ? RV_OK : RV_ERROR_MEMORY;
    while (status == RV_OK && *data != NULL) {
        rvi_claim claim;
        rvi_sidecar sidecar;
        status = rvi_claim_take(ctx, path, &claim);
        if (status != RV_OK)
            break;
        status = rvi_sidecar_read(ctx, s->params->file, &sidecar);
        if (!s->params->overwrite && (status == RV_ERROR_INPUT || !sidecar.own))
            status = rvi_sidecar_check_target(ctx, s->params->file);
        if (status ==
            RV_ERROR_INPUT) { /* what nobody can read is replaced where the user says so */
            sidecar = (rvi_sidecar){0};
            status = RV_OK;
        }
        rvi_sidecar_renew(&sidecar, scale);
        sidecar.big_endian = strcmp(s->format->byte_order, "big") == 0;
        if (status == RV_OK)
            status = commit_files(s, path, &claim, &sidecar, data);
        rvi_claim_release(&claim);
    }
    rvi_free(ctx, path);
    return status;
}

/* Does GDAL write it? */
static bool is_cog(const rv_save_params *p, const rvi_format *format) {
    char version[16];
    return format == &rvi_format_tif && p->tiff != RV_save_tiff_plain &&
           (p->tiff == RV_save_tiff_cog || rvi_gdal_version(version));
}

static rv_status write_files(rvi_job *job, const rv_save_params *p, const rvi_format *format,
                             const rvi_raster *raster, uint64_t hash) {
    rvi_writer *data = NULL;
    rv_status status = rvi_writer_open(job->ctx, p->file, &data);
    if (status == RV_OK)
        status = (is_cog(p, format) ? rvi_gdal_encode : format->encode)(job->ctx, data, raster);
    if (status == RV_OK)
        status = rvi_writer_finish(data);
    if (status == RV_OK) {
        rvi_scale scale = {.width = raster->width,
                           .height = raster->height,
                           .low = raster->low,
                           .high = raster->high,
                           .cell = rv_terrain_cell(job->land),
                           .hashed = true,
                           .data_hash = rvi_writer_hash(data),
                           .curve = raster->curve,
                           .geo = job->land->geo};
        status = commit_in_turn(&(save){job, p, format, hash}, &scale, &data);
    }
    rvi_writer_abandon(data);
    return status;
}

/* ---- maps ---- */

/* The projection of an ASCII grid goes beside it. */
static rv_status write_prj(rvi_job *job, const rv_save_params *p) {
    const char *prj = job->land->geo.prj;
    char *path = rvi_prj_path(job->ctx, p->file);
    rvi_writer *writer = NULL;
    rv_status status = path ? rvi_writer_open(job->ctx, path, &writer) : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = rvi_writer_put(writer, prj, strlen(prj));
    if (status == RV_OK)
        status = rvi_writer_commit(writer);
    else
        rvi_writer_abandon(writer);
    rvi_free(job->ctx, path);
    return status;
}

static bool has_prj(const rvi_job *job, const rvi_format *format) {
    return format == &rvi_format_asc && job->land->geo.prj[0] != '\0';
}

static void say_projection(rvi_job *job, const rv_save_params *p, const rvi_format *format) {
    const rvi_georeference *g = &job->land->geo;
    if (format == &rvi_format_asc && g->prj[0] == '\0' && g->key_count > 4)
        rvi_log(job->ctx, "%s: its projection is not written; a .tif holds it.", p->file);
    if (format == &rvi_format_tif && g->prj[0] != '\0' && !is_cog(p, format))
        rvi_log(job->ctx, "%s: the text of its .prj is not written; gdal_edit.py -a_srs adds it.",
                p->file);
}

/* A value that stands for no height: that of the file the land came from, or another, where a cell
 * has that. */
static float choose_nodata(const rvi_raster *raster, double before) {
    size_t cells = (size_t)raster->width * (size_t)raster->height;
    const float marks[] = {fabs(before) <= (double)FLT_MAX && before != 0.0 ? (float)before
                                                                            : -9999.0f,
                           -9999.0f, -32768.0f, -FLT_MAX};
    for (size_t k = 0; k + 1 < sizeof marks / sizeof marks[0]; k++) {
        size_t i = 0;
        while (i < cells && raster->values[i] != marks[k])
            i++;
        if (i == cells)
            return marks[k];
    }
    return -FLT_MAX;
}

/* Land without a georeference lies on a plane, its south-west cell at (0, 0). */
static void place_raster(const rv_terrain *land, rvi_raster *raster) {
    double cell = (double)land->cell;
    raster->geo = land->geo;
    raster->hole = rv_terrain_field(land, "hole");
    raster->nodata = choose_nodata(raster, land->geo.nodata);
    if (!rvi_georeference_known(&raster->geo))
        raster->geo =
            (rvi_georeference){.y = (land->height - 1) * cell, .step_x = cell, .step_y = cell};
}

static void say(rvi_job *job, const rv_save_params *p, const rvi_format *format,
                const rvi_raster *raster, uint64_t outside, uint64_t hash) {
    bool heights = strcmp(p->field, "height") == 0; /* other fields have units of their own */
    const char *unit = heights ? " m" : "";
    bool even = raster->curve == RVI_LINEAR;
    char field[64] = "", scale[160];
    if (!heights)
        snprintf(field, sizeof field, "%s, ", p->field);
    snprintf(scale, sizeof scale, "float32%s", heights ? " metres" : "");
    if (format->levels) {
        double range = (double)raster->high - (double)raster->low;
        int used = snprintf(scale, sizeof scale, "%d bit, ", raster->bits);
        used += even ? snprintf(scale + used, sizeof scale - (size_t)used, "one level is %.3g%s",
                                range / rvi_level_top(raster->bits), unit)
                     : snprintf(scale + used, sizeof scale - (size_t)used, "%s levels",
                                rvi_curve_names[raster->curve]);
        if (outside > 0)
            snprintf(scale + used, sizeof scale - (size_t)used, ", %llu cells cut to %g ... %g%s",
                     (unsigned long long)outside, (double)raster->low, (double)raster->high, unit);
    }
    rvi_log(job->ctx, "%s: %s%d x %d cells, %s, hash %016llx", p->file, field, raster->width,
            raster->height, scale, (unsigned long long)hash);
}

static int level_bits(const rv_save_params *p, const rvi_format *format) {
    return p->bits == RV_save_bits_8 && format->bits == 8 ? 8 : 16;
}

typedef struct saving {
    const rv_save_params *p;
    float *made; /* what is no field, but can be saved as one; else NULL */
} saving;

static rv_status save_raster(rvi_job *job, const saving *s, const rvi_format *format) {
    const rv_save_params *p = s->p;
    rvi_raster raster = {.width = rv_terrain_width(job->land),
                         .height = rv_terrain_height(job->land),
                         .values = s->made ? s->made : rv_terrain_field(job->land, p->field),
                         .bits = level_bits(p, format),
                         .curve = (rvi_curve)p->curve};
    if (!raster.values)
        return rvi_terrain_fetch(job->land); /* which says why */
    rv_status status = s->made ? rvi_volume_surface(job->land, s->made) : RV_OK;
    if (status == RV_OK)
        status = find_range(job, p->field, &raster);
    uint64_t outside = 0;
    if (status == RV_OK && format->levels)
        status = apply_range(job->ctx, p, &raster);
    if (status == RV_OK && format->levels && !(isnan(p->low) && isnan(p->high)))
        status = count_outside(job->ctx, &raster, &outside);
    if (status != RV_OK)
        return status;
    if (rvi_format_is_map(format))
        place_raster(job->land, &raster);
    uint64_t hash = rv_terrain_hash(job->land);
    if (hash == 0)
        return rvi_terrain_fetch(job->land);
    status = write_files(job, p, format, &raster, hash);
    if (status == RV_OK && has_prj(job, format))
        status = write_prj(job, p);
    if (status == RV_OK)
        say_projection(job, p, format);
    if (status == RV_OK)
        say(job, p, format, &raster, outside, hash);
    return status;
}

/* z up becomes y up, as in glTF: north is -z then. */
static void turn_up(rv_mesh *mesh) {
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double *p = mesh->points + 3 * v, north = p[1];
        p[1] = p[2];
        p[2] = -north;
    }
    mesh->y_up = true;
}

/* What stands for the mesh far away may be so much coarser, and off by this share of the relief. */
enum { TEXTURE = 20 }; /* bytes a cell while the ground is coloured */
static const float FAR_TIMES = 4.0f, FAR_SHARE = 0.02f;

static float far_error(const rv_terrain *land, const rv_save_params *p) {
    float low, high;
    rvi_range(land->ctx, land->surface, rvi_cells(land), &low, &high);
    float share = FAR_SHARE * (high - low), times = FAR_TIMES * p->error;
    return share > times ? share : times > 0.0f ? times : 0.001f;
}

static rv_status save_textured(rvi_job *job, const rv_save_params *p, const rv_mesh *mesh) {
    const rv_terrain *land = job->land;
    rvi_glb_ground ground = {.width = land->width, .height = land->height};
    unsigned char *rgb = rvi_alloc(job->ctx, rvi_cells(land), 3, "a picture");
    rv_mesh *far = NULL;
    rv_status status =
        rgb ? rvi_map_colour(land, &(rvi_map){.z = 1, .snow = NAN}, rgb) : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = rvi_mesh_of_land(land, far_error(land, p), p->solid, &far);
    for (uint32_t i = 0; i < 256; i++) {
        float light[3];
        rvi_linear_from_bytes(i, light);
        ground.linear[i] = (uint16_t)(65535.0f * light[2] + 0.5f);
    }
    ground.rgb = rgb;
    if (status == RV_OK)
        status = rvi_glb_write(p->file, mesh, far, &ground);
    rv_mesh_destroy(far);
    rvi_free(job->ctx, rgb);
    return status;
}

static rv_status save_mesh(rvi_job *job, const rv_save_params *p) {
    rv_mesh *mesh;
    rv_status status = rvi_mesh_of_land(job->land, p->error, p->solid, &mesh);
    if (status != RV_OK)
        return status;
    mesh->smooth = p->normals;
    if (p->up == RV_save_up_y)
        turn_up(mesh);
    status = p->texture ? save_textured(job, p, mesh) : rvi_mesh_write(mesh, p->file, job->land);
    if (status == RV_OK)
        rvi_log(job->ctx, "%s: %zu vertices, %zu faces, %s, hash %016llx", p->file,
                mesh->vertex_count, mesh->face_count,
                p->solid > 0 ? "a closed block" : "the surface alone",
                (unsigned long long)rv_terrain_hash(job->land));
    rv_mesh_destroy(mesh);
    return status;
}

static rv_status save_land(rvi_job *job, const rv_save_params *p) {
    const rv_terrain *land = job->land;
    rv_status status = rvi_land_file_write(land, p->file);
    if (status == RV_OK)
        rvi_log(job->ctx, "%s: %d x %d cells, %d layer%s, %d field%s, hash %016llx", p->file,
                land->width, land->height, land->layer_count, land->layer_count == 1 ? "" : "s",
                land->field_count, land->field_count == 1 ? "" : "s",
                (unsigned long long)rv_terrain_hash(land));
    return status;
}

static rv_status run(rvi_job *job) {
    const saving *s = job->state;
    if (rvi_land_file_is(s->p->file))
        return save_land(job, s->p);
    if (rvi_mesh_format_find(s->p->file) != NULL)
        return save_mesh(job, s->p);
    return save_raster(job, s, rvi_format_find(s->p->file));
}

/* ---- before the run ---- */

static rv_status check_mesh(rvi_job *job, const rv_save_params *p) {
    bool levels = !isnan(p->low) || !isnan(p->high) || p->bits != RV_save_bits_16 ||
                  p->curve != RV_save_curve_linear;
    if (levels)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "%s: low=, high=, bits= and curve= are for levels; a mesh is in metres.",
                        p->file);
    if (strcmp(p->field, "height") != 0)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "%s: a mesh is made of the heights; field=%s is for heightmaps, and a .ply "
                        "holds every field.",
                        p->file, p->field);
    if (p->up == RV_save_up_y && rvi_mesh_format_find(p->file) == &rvi_mesh_glb)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "%s: up=y is for other meshes; a .glb always has y up.", p->file);
    if (p->normals && rvi_mesh_format_find(p->file) != &rvi_mesh_obj)
        return rvi_fail(job->ctx, RV_ERROR_USAGE, "%s: normals= is for .obj files.", p->file);
    if (p->texture && rvi_mesh_format_find(p->file) != &rvi_mesh_glb)
        return rvi_fail(job->ctx, RV_ERROR_USAGE, "%s: texture= is for .glb files.", p->file);
    rv_status status = rvi_mesh_check_land(job->land, p->error);
    const rvi_planned_file file = {
        .image = {.width = job->land->width, .height = job->land->height},
        .sidecar = {.present = true, .scale = {.cell = job->land->cell}},
        .y_up = p->up == RV_save_up_y};
    return status == RV_OK ? rvi_job_writes(job, p->file, &file) : status;
}

static rv_status check_land(rvi_job *job, const rv_save_params *p) {
    bool plain = isnan(p->low) && isnan(p->high) && p->bits == RV_save_bits_16 &&
                 p->curve == RV_save_curve_linear && p->error == 0 && p->solid == 0 &&
                 strcmp(p->field, "height") == 0;
    if (!plain)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "%s: a land file holds all layers and fields as they are; only overwrite= "
                        "goes with it.",
                        p->file);
    rv_status status = rvi_land_file_check(job->land, p->file);
    return status == RV_OK ? rvi_job_writes(job, p->file, &(rvi_planned_file){.land = job->land})
                           : status;
}

/* A .prj that is there is of this map, or of another one. */
static rv_status check_prj(rvi_job *job, const char *path) {
    const char *prj = job->land->geo.prj;
    rvi_bytes there = {0};
    uint64_t total = 0;
    if (!rvi_file_exists(path))
        return RV_OK;
    rv_status status = rvi_file_read_start(job->ctx, path, RVI_GEO_TEXT, &there, &total);
    bool same = status == RV_OK && total == strlen(prj) &&
                (total == 0 || memcmp(there.data, prj, (size_t)total) == 0);
    if (status == RV_OK)
        rvi_free(job->ctx, there.data);
    if (same || status != RV_OK)
        return status;
    return rvi_fail(job->ctx, RV_ERROR_OUTPUT,
                    "%s: holds another projection and was not changed; rename or remove it, or "
                    "say overwrite=yes.",
                    path);
}

/* The sidecar will say this; what is not known before the run has no bounds. */
static rv_status foretell(rvi_job *job, const rv_save_params *p, const rvi_format *format) {
    const rv_terrain *land = job->land;
    const rvi_planned_file file = {
        .image = {.width = land->width,
                  .height = land->height,
                  .levels = format->levels,
                  .bits = format->levels ? level_bits(p, format) : 32,
                  .marked = format == &rvi_format_asc ||
                            (format == &rvi_format_tif && rvi_field_there(land, "hole")),
                  .geo = rvi_format_is_map(format) ? land->geo : (rvi_georeference){0}},
        .sidecar = {.present = true,
                    .scale = {.width = land->width,
                              .height = land->height,
                              .low = isnan(p->low) ? -INFINITY : p->low,
                              .high = isnan(p->high) ? INFINITY : p->high,
                              .cell = land->cell,
                              .curve = (rvi_curve)p->curve,
                              .geo = land->geo},
                    .big_endian = strcmp(format->byte_order, "big") == 0}};
    char *sidecar = rvi_sidecar_path(job->ctx, p->file);
    rv_status status = sidecar ? rvi_job_writes(job, p->file, &file) : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = rvi_job_writes(job, sidecar, NULL);
    rvi_free(job->ctx, sidecar);
    if (status != RV_OK || format != &rvi_format_asc)
        return status;
    char *prj = rvi_prj_path(job->ctx, p->file);
    status = prj ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK && !p->overwrite)
        status = check_prj(job, prj);
    if (status == RV_OK && has_prj(job, format))
        status = rvi_job_writes(job, prj, NULL);
    rvi_free(job->ctx, prj);
    return status;
}

/* Who writes it is said before the work, where nobody chose. */
static rv_status check_tiff(rvi_job *job, const rv_save_params *p, const rvi_format *format) {
    char version[16];
    if (format != &rvi_format_tif && p->tiff != RV_save_tiff_best)
        return rvi_fail(job->ctx, RV_ERROR_USAGE, "%s: tiff= is for files whose names end in .tif.",
                        p->file);
    if (format != &rvi_format_tif || p->tiff == RV_save_tiff_plain)
        return RV_OK;
    bool there = rvi_gdal_version(version);
    if (!there && p->tiff == RV_save_tiff_cog)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "%s: tiff=cog needs GDAL, and no libgdal is installed here; tiff=plain "
                        "does not.",
                        p->file);
    if (there)
        rvi_buffers_pass(&job->buffers, rvi_gdal_bytes(job->land->width, job->land->height));
    if (job->files && p->tiff == RV_save_tiff_best && there)
        rvi_log(job->ctx, "%s: will be a cloud-optimised GeoTIFF, written by GDAL %s.", p->file,
                version);
    else if (job->files && p->tiff == RV_save_tiff_best)
        rvi_log(job->ctx, "%s: will be a plain GeoTIFF, because no GDAL is installed here.",
                p->file);
    return RV_OK;
}

static rv_status check_raster(rvi_job *job, const rv_save_params *p, const rvi_format *format) {
    if (!rvi_values_there(job->land, p->field) && !rvi_volume_shows(job->land, p->field))
        return rvi_job_no_field(job, p->field, "to save");
    if (p->error > 0 || p->solid > 0 || p->up == RV_save_up_y || p->normals || p->texture)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "%s: %s= is for meshes, whose names end in .obj, .ply, .stl or .glb.",
                        p->file,
                        p->error > 0   ? "error"
                        : p->solid > 0 ? "solid"
                        : p->normals   ? "normals"
                        : p->texture   ? "texture"
                                       : "up");
    if (!format->levels && p->curve != RV_save_curve_linear)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "%s: curve=%s is for levels; a %s holds the values themselves.", p->file,
                        rvi_curve_names[p->curve], format->extension);
    rv_status status = check_tiff(job, p, format);
    if (status == RV_OK && format == &rvi_format_exr)
        status = rvi_exr_check(job->ctx, RV_ERROR_USAGE, p->file);
    if (status != RV_OK)
        return status;
    if (format == &rvi_format_exr)
        rvi_buffers_pass(&job->buffers, rvi_exr_bytes(job->land->width, job->land->height));
    if (format == &rvi_format_asc)
        rvi_buffers_pass(&job->buffers, rvi_asc_bytes(job->land->width));
#ifdef RAVINE_PNG
    if (format == &rvi_format_png)
        rvi_buffers_pass(&job->buffers, rvi_png_bytes((size_t)job->land->width * sizeof(uint16_t)));
#endif
    if (format->levels && p->low >= p->high) /* neither is NaN */
        return bad_range(job->ctx, p, p->low, p->high);
    return foretell(job, p, format);
}

rv_status rvi_step_save(rvi_job *job, const rv_save_params *p) {
    bool mesh = rvi_mesh_format_find(p->file) != NULL, land = rvi_land_file_is(p->file);
    const rvi_format *format = rvi_format_find(p->file);
    if (!mesh && !land && format == NULL)
        return rvi_format_unknown(job->ctx, RV_ERROR_USAGE, p->file);
    job->overwrite = &p->overwrite;
    rv_status status = land   ? check_land(job, p)
                       : mesh ? check_mesh(job, p)
                              : check_raster(job, p, format);
    if (status != RV_OK)
        return status;
    saving *s = rvi_job_begin(job, sizeof *s, run, NULL);
    if (s == NULL)
        return RV_ERROR_MEMORY;
    s->p = p;
    job->fetches = !land && !mesh && !rvi_volume_shows(job->land, p->field);
    if (!land && !mesh && rvi_volume_shows(job->land, p->field))
        rvi_job_grid(job, &s->made, "the hardness");
    if (mesh)
        rvi_buffers_pass(&job->buffers,
                         rvi_mesh_memory(job->land, (double)p->error) +
                             (p->texture ? rvi_mesh_memory(job->land, 1.0) +
                                               TEXTURE * rvi_cells(job->land) + 262144
                                         : 0));
    return RV_OK;
}
