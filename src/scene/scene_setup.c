/* scene_setup.c: words of a scene as what the scene is made of. */
#include "scene/scene_setup.h"
#include "base/file.h"
#include "base/math.h"
#include "base/text.h"
#include "base/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct builder {
    rv_context *ctx;
    const rvi_words *words;
    const char *name, *beside;
    const rvi_preset *preset; /* NULL: none */
    rvi_scene_setup *out;
} builder;

static size_t count_of(const rvi_words *words, rvi_scene_word which) {
    size_t count = 0;
    for (int i = 0; i < words->count; i++)
        count += words->list[i].which == (int)which;
    return count;
}

/* The next word of a kind from *at on; NULL: no more. */
static const void *next_of(const rvi_words *words, rvi_scene_word which, int *at) {
    while (*at < words->count) {
        const rvi_word *word = &words->list[(*at)++];
        if (word->which == (int)which)
            return word->params;
    }
    return NULL;
}

/* What was chosen by auto. */
static float chosen(float told, float otherwise) {
    return isnan(told) ? otherwise : told;
}

/* ---- models ---- */

char *rvi_model_path(rv_context *ctx, const char *beside, const char *file) {
    size_t folder = (size_t)(rvi_path_name(beside) - beside), size = strlen(file) + 1;
    char *path = rvi_alloc(ctx, folder + size, 1, "the name of a model");
    if (path == NULL)
        return NULL;
    memcpy(path, beside, folder);
    memcpy(path + folder, file, size);
    if (rvi_path_whole(file) || !rvi_file_exists(path))
        memcpy(path, file, size);
    return path;
}

static rv_status load_model(const builder *b, const char *file, rv_mesh **out) {
    *out = NULL;
    char *path = rvi_model_path(b->ctx, b->beside, file);
    rv_status status = path != NULL ? rv_mesh_load(b->ctx, path, out) : RV_ERROR_MEMORY;
    rvi_free(b->ctx, path);
    if (status == RV_OK && (*out)->face_count == 0) {
        rv_mesh_destroy(*out);
        *out = NULL;
        status = rvi_fail(b->ctx, RV_ERROR_INPUT, "%s: a mesh with faces was expected.", file);
    }
    return status;
}

typedef struct findings {
    rv_fault first;
    size_t count;
} findings;

static void note_fault(void *user, const rv_fault *fault) {
    findings *f = user;
    if (f->count++ == 0)
        f->first = *fault;
}

/* Refuses what is not the surface of a solid, with the name of its file. */
static rv_status check_model(const builder *b, const rv_mesh *mesh, const char *what) {
    findings f = {.count = 0};
    char sentence[512];
    rv_status status = rv_mesh_check(mesh, note_fault, &f);
    if (status != RV_OK || f.count == 0)
        return status;
    for (int k = 0; k < 3; k++)
        f.first.at[k] += b->out->box[k];
    rv_fault_print(&f.first, sentence, sizeof sentence);
    return rvi_fail(b->ctx, RV_ERROR_INPUT, "%s: is not the surface of a solid. %s", what,
                    sentence);
}

/* The place of a mesh that is moved, from the low corner of the box. */
static rv_status place_model(const builder *b, rv_mesh *mesh, const double scale[3],
                             const double move[3], bool reverse) {
    double way[3];
    for (int k = 0; k < 3; k++)
        way[k] = move[k] - b->out->box[k];
    return rvi_model_place(mesh, scale, way, reverse);
}

static rv_status read_models(const builder *b, rv_mesh **meshes, bool *worn, size_t count) {
    int at = 0;
    rv_status status = RV_OK;
    for (size_t i = 0; i < count && status == RV_OK; i++) {
        const rvi_word_model *m = next_of(b->words, RVI_WORD_model, &at);
        worn[i] = m->wear;
        status = load_model(b, m->file, &meshes[i]);
        if (status == RV_OK)
            status = place_model(b, meshes[i], m->scale, m->move, m->reverse);
        if (status == RV_OK)
            status = check_model(b, meshes[i], m->file);
    }
    return status;
}

static rv_status mark_fixed(const builder *b, rv_mesh *const *meshes, const bool *worn,
                            size_t count) {
    rvi_scene_setup *out = b->out;
    out->fixed = rvi_alloc(b->ctx, out->rock->vertex_count, 1, "the models");
    if (out->fixed == NULL)
        return RV_ERROR_MEMORY;
    for (size_t i = 0, at = 0; i < count; at += meshes[i++]->vertex_count)
        memset(out->fixed + at, !worn[i], meshes[i]->vertex_count);
    out->desc.fixed = out->fixed;
    return RV_OK;
}

static rv_status join_models(const builder *b, rv_mesh *const *meshes, const bool *worn,
                             size_t count) {
    rv_status status = rvi_models_join(b->ctx, meshes, count, &b->out->rock);
    if (status == RV_OK && count > 1)
        status = check_model(b, b->out->rock, "The models together");
    return status == RV_OK ? mark_fixed(b, meshes, worn, count) : status;
}

/* The preset's rock, then the models in the order of the scene. */
static rv_status make_rock(const builder *b) {
    size_t models = count_of(b->words, RVI_WORD_model), count = 0;
    rv_mesh **meshes = rvi_alloc(b->ctx, models + 1, sizeof *meshes, "the models");
    bool *worn = rvi_alloc(b->ctx, models + 1, sizeof *worn, "the models");
    rv_status status = meshes != NULL && worn != NULL ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK && b->preset != NULL) {
        static const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
        status = rvi_preset_rock(b->ctx, b->preset, &meshes[0]);
        if (status == RV_OK && meshes[0] != NULL)
            status = place_model(b, meshes[0], one, zero, false);
        worn[0] = true;
        count = meshes[0] != NULL;
    }
    if (status == RV_OK)
        status = read_models(b, meshes + count, worn + count, models);
    if (status == RV_OK && count + models > 0)
        status = join_models(b, meshes, worn, count + models);
    for (size_t i = 0; meshes != NULL && i < models + 1; i++)
        rv_mesh_destroy(meshes[i]);
    rvi_free(b->ctx, meshes);
    rvi_free(b->ctx, worn);
    b->out->desc.rock = b->out->rock;
    return status;
}

/* ---- the box ---- */

static rv_status box_of_mesh(const builder *b, const rvi_word_box *box, rvi_sph_desc *d) {
    rv_mesh *mesh;
    rv_status status = load_model(b, box->file, &mesh);
    if (status == RV_OK)
        status = rvi_model_place(mesh, box->scale, box->move, false);
    if (status == RV_OK)
        rvi_model_bounds(mesh, d->low, d->high);
    rv_mesh_destroy(mesh);
    return status;
}

static rv_status open_sides(const builder *b, const char *sides, rvi_sph_desc *d) {
    static const char *const names[] = {"west", "east", "south", "north", "bottom", "top"};
    if (sides[0])
        memset(d->open, 0, sizeof d->open);
    if (strcmp(sides, "none") == 0)
        return RV_OK;
    while (*sides) {
        size_t size = strcspn(sides, "/");
        int side = 0;
        while (side < 6 && !rvi_text_is(sides, size, names[side]))
            side++;
        if (side == 6)
            return rvi_fail(b->ctx, RV_ERROR_USAGE,
                            "%s: box: open=%.60s is not sides such as east/bottom, of west, east, "
                            "south, north, bottom and top.",
                            b->name, sides);
        d->open[side / 2][side % 2] = true;
        sides += size + (sides[size] == '/');
    }
    return RV_OK;
}

static rv_status make_box(const builder *b, const double told[6], rvi_sph_desc *d) {
    rvi_word_box room;
    const rvi_word_box *box = rvi_scene_last(b->words, RVI_WORD_box, &room);
    bool said = count_of(b->words, RVI_WORD_box) > 0;
    rv_status status = RV_OK;
    if (!said && b->preset == NULL)
        return rvi_fail(b->ctx, RV_ERROR_USAGE,
                        "%s: a scene needs a box, such as box low=0/0/0 high=1/1/1, or a preset.",
                        b->name);
    static const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    const double *low = b->preset != NULL ? b->preset->low : zero;
    const double *high = b->preset != NULL ? b->preset->high : one;
    low = said && !isnan(box->low[0]) ? box->low : low;
    high = said && !isnan(box->high[0]) ? box->high : high;
    memcpy(d->low, told != NULL ? told : low, sizeof d->low);
    memcpy(d->high, told != NULL ? told + 3 : high, sizeof d->high);
    if (told == NULL && said && box->file[0])
        status = box_of_mesh(b, box, d);
    for (int k = 0; k < 3 && status == RV_OK; k++)
        if (!(d->low[k] < d->high[k]))
            status =
                rvi_fail(b->ctx, RV_ERROR_USAGE,
                         "%s: the box from (%g, %g, %g) to (%g, %g, %g) holds nothing.", b->name,
                         d->low[0], d->low[1], d->low[2], d->high[0], d->high[1], d->high[2]);
    return status == RV_OK ? open_sides(b, said ? box->open : "", d) : status;
}

/* ---- water ---- */

static rv_status make_water(const builder *b, const double told[6]) {
    rvi_word_particles room;
    const rvi_word_particles *p = rvi_scene_last(b->words, RVI_WORD_particles, &room);
    rvi_sph_desc *d = &b->out->desc.water, box = rvi_sph_desc_default();
    if (b->preset != NULL)
        box = rvi_preset_water(b->preset);
    float spacing = box.spacing, gravity[3];
    size_t most = box.most;
    rv_status status = make_box(b, told, &box);
    if (status != RV_OK)
        return status;
    if (b->preset == NULL) {
        double sides =
            (box.high[0] - box.low[0]) + (box.high[1] - box.low[1]) + (box.high[2] - box.low[2]);
        spacing = (float)(sides / 150);
    }
    spacing = chosen(p->spacing, spacing);
    for (int k = 0; k < 3; k++)
        gravity[k] = (float)p->gravity[k];
    *d = p->solver == RVI_scene_particles_solver_wcsph ? rvi_sph_desc_weak_like(spacing, gravity)
                                                       : rvi_sph_desc_default();
    for (int k = 0; k < 3; k++) {
        b->out->box[k] = d->origin[k] = box.low[k];
        b->out->box[3 + k] = box.high[k];
        d->low[k] = 0;
        d->high[k] = box.high[k] - box.low[k];
    }
    memcpy(d->open, box.open, sizeof d->open);
    memcpy(d->gravity, gravity, sizeof d->gravity);
    d->wall = p->wall == RVI_scene_particles_wall_penalty ? RVI_SPH_PENALTY : RVI_SPH_COMPLETE;
    if (d->solver == RVI_SPH_PROJECT) {
        rvi_sph_desc like = rvi_sph_desc_weak_like(spacing, gravity);
        d->penalty_reach = like.penalty_reach;
        memcpy(d->penalty, like.penalty, sizeof d->penalty);
    }
    d->spacing = spacing;
    d->most = p->max > 0 ? (size_t)p->max : most;
    d->viscosity = p->viscosity;
    d->tension = p->tension;
    d->friction = p->friction;
    return RV_OK;
}

static rv_status make_blocks(const builder *b) {
    size_t count = b->preset != NULL ? b->preset->block_count : 0;
    rvi_preset_block *blocks = rvi_alloc(b->ctx, count + count_of(b->words, RVI_WORD_water) + 1,
                                         sizeof *blocks, "blocks of water");
    if (blocks == NULL)
        return RV_ERROR_MEMORY;
    b->out->blocks = blocks;
    for (size_t i = 0; i < count; i++)
        blocks[i] = b->preset->blocks[i];
    int at = 0;
    for (const rvi_word_water *w; (w = next_of(b->words, RVI_WORD_water, &at)) != NULL; count++) {
        memcpy(blocks[count].low, w->low, sizeof w->low);
        memcpy(blocks[count].high, w->high, sizeof w->high);
        for (int k = 0; k < 3; k++)
            if (!(w->low[k] < w->high[k]))
                return rvi_fail(b->ctx, RV_ERROR_USAGE,
                                "%s: the water from (%g, %g, %g) to (%g, %g, %g) holds nothing.",
                                b->name, w->low[0], w->low[1], w->low[2], w->high[0], w->high[1],
                                w->high[2]);
    }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            blocks[i].low[k] -= b->out->box[k];
            blocks[i].high[k] -= b->out->box[k];
        }
    b->out->desc.blocks = blocks;
    b->out->desc.block_count = count;
    return RV_OK;
}

static rv_status make_sources(const builder *b) {
    size_t count = b->preset != NULL ? b->preset->source_count : 0;
    rvi_scene_source *sources = rvi_alloc(b->ctx, count + count_of(b->words, RVI_WORD_source) + 1,
                                          sizeof *sources, "the sources");
    if (sources == NULL)
        return RV_ERROR_MEMORY;
    b->out->sources = sources;
    for (size_t i = 0; i < count; i++) {
        sources[i].is = b->preset->sources[i];
        for (int k = 0; k < 3; k++)
            sources[i].is.low[k] -= b->out->box[k];
    }
    int at = 0;
    for (const rvi_word_source *s; (s = next_of(b->words, RVI_WORD_source, &at)) != NULL; count++) {
        sources[count].every = s->every;
        sources[count].is.rate = (double)s->rate;
        for (int k = 0; k < 3; k++) {
            sources[count].is.low[k] = s->at[k] - b->out->box[k] - s->size[k] / 2;
            sources[count].is.size[k] = s->size[k];
            sources[count].is.speed[k] = (float)s->speed[k];
        }
    }
    b->out->desc.sources = sources;
    b->out->desc.source_count = count;
    return RV_OK;
}

/* ---- rock ---- */

/* Fast water, which falls some spacings, goes past a wall at a shear rate of some
 * sqrt(gravity / spacing). */
static float usual_critical(const builder *b) {
    const rvi_sph_desc *d = &b->out->desc.water;
    float g = rvi_length3f(d->gravity);
    return 1.2f * sqrtf(sqrtf(g / d->spacing));
}

static rv_status make_materials(const builder *b) {
    size_t count = count_of(b->words, RVI_WORD_material), made = count > 0 ? count : 1;
    const rvi_preset *preset = b->preset;
    rvi_rock_material *materials = rvi_alloc(b->ctx, made, sizeof *materials, "the materials");
    if (materials == NULL)
        return RV_ERROR_MEMORY;
    b->out->materials = materials;
    rvi_word_material usual;
    const rvi_word_material *m = rvi_scene_last(b->words, RVI_WORD_material, &usual);
    int at = 0;
    for (size_t i = 0; i < made; i++) {
        m = count > 0 ? next_of(b->words, RVI_WORD_material, &at) : m;
        if (strlen(m->name) >= sizeof materials[i].name)
            return rvi_fail(b->ctx, RV_ERROR_USAGE,
                            "%s: the name of a material has less than %zu letters.", b->name,
                            sizeof materials[i].name);
        snprintf(materials[i].name, sizeof materials[i].name, "%s", m->name);
        materials[i].critical =
            chosen(m->critical, preset != NULL ? preset->critical : usual_critical(b));
        materials[i].rate =
            chosen(m->rate, preset != NULL ? preset->rate : 0.25f * b->out->desc.water.spacing);
        for (int k = 0; k < 3; k++)
            materials[i].colour[k] = isnan(m->colour[0]) ? (float)NAN : (float)m->colour[k];
    }
    b->out->desc.wear.materials = materials;
    b->out->desc.wear.material_count = made;
    return RV_OK;
}

static rv_status find_material(const builder *b, const rvi_word_region *r, size_t *out) {
    size_t count = b->out->desc.wear.material_count;
    for (*out = 0; *out < count; ++*out)
        if (strcmp(b->out->materials[*out].name, r->material) == 0)
            break;
    size_t needed = r->shape == RVI_scene_region_shape_layers ? (size_t)r->count : 1;
    if (*out < count && needed <= count - *out)
        return RV_OK;
    if (*out < count)
        return rvi_fail(b->ctx, RV_ERROR_USAGE,
                        "%s: layers of %zu materials from \"%.40s\" on need so many of them.",
                        b->name, needed, r->material);
    return rvi_fail(b->ctx, RV_ERROR_USAGE,
                    "%s: a region is of \"%.40s\", and no material has that name.", b->name,
                    r->material);
}

static rv_status make_regions(const builder *b) {
    size_t count = 0;
    rvi_region *regions =
        rvi_alloc(b->ctx, count_of(b->words, RVI_WORD_region) + 1, sizeof *regions, "the regions");
    if (regions == NULL)
        return RV_ERROR_MEMORY;
    b->out->regions = regions;
    rv_status status = RV_OK;
    int at = 0;
    for (const rvi_word_region *r;
         status == RV_OK && (r = next_of(b->words, RVI_WORD_region, &at)) != NULL; count++) {
        regions[count] = (rvi_region){.kind = (rvi_region_kind)r->shape,
                                      .count = (size_t)r->count,
                                      .size = (double)r->size,
                                      .wobble = (double)r->wobble,
                                      .wave = (double)r->wave,
                                      .seed = r->seed};
        for (int k = 0; k < 3; k++) {
            double low = b->out->box[k];
            regions[count].at[k] = r->at[k] - low;
            regions[count].to[k] =
                r->shape == RVI_scene_region_shape_box ? r->to[k] - low : r->to[k];
        }
        status = find_material(b, r, &regions[count].material);
    }
    b->out->where = (rvi_regions){regions, count};
    b->out->desc.wear.material_at = rvi_regions_at;
    b->out->desc.wear.user = &b->out->where;
    return status;
}

_Static_assert((int)RVI_scene_region_shape_layers == (int)RVI_REGION_LAYERS &&
                   (int)RVI_scene_region_shape_half == (int)RVI_REGION_HALF,
               "regions have the shapes of their words");

static void make_wear(const builder *b) {
    static const rvi_tessellation schemes[] = {RVI_TESS_NONE, RVI_TESS_3_0, RVI_TESS_4_2,
                                               RVI_TESS_4_4, RVI_TESS_GOOD};
    rvi_word_wear wear_room;
    rvi_word_tessellate tess_room;
    const rvi_word_wear *w = rvi_scene_last(b->words, RVI_WORD_wear, &wear_room);
    const rvi_word_tessellate *t = rvi_scene_last(b->words, RVI_WORD_tessellate, &tess_room);
    float spacing = b->out->desc.water.spacing;
    rvi_wear_desc *d = &b->out->desc.wear;
    *d = rvi_wear_desc_default(spacing);
    b->out->desc.wears = w->on;
    d->thickness = w->thickness;
    d->index = w->index;
    d->exponent = w->exponent;
    d->most = chosen(w->capacity, b->preset != NULL ? b->preset->most : 0.3f);
    d->deposit = chosen(w->deposit, d->deposit);
    d->settle = chosen(w->settle, d->settle);
    d->spread = chosen(w->spread, d->spread);
    d->scheme = schemes[t->scheme];
    d->limit = chosen(t->limit, b->preset != NULL ? b->preset->limit : 2 * spacing);
}

/* ---- all ---- */

static double highest_water(const rvi_scene_desc *d) {
    double top = d->water.low[2];
    for (size_t i = 0; i < d->block_count; i++)
        top = d->blocks[i].high[2] > top ? d->blocks[i].high[2] : top;
    for (size_t i = 0; i < d->source_count; i++) {
        double high = d->sources[i].is.low[2] + d->sources[i].is.size[2];
        top = high > top ? high : top;
    }
    return top;
}

static void make_view(const builder *b) {
    rvi_word_run room;
    rvi_scene_setup *out = b->out;
    out->run = *(const rvi_word_run *)rvi_scene_last(b->words, RVI_WORD_run, &room);
    const rvi_preset *s = b->preset;
    out->azimuth = chosen(out->run.camera, s != NULL ? s->azimuth : 225.0f);
    out->elevation = chosen(out->run.elevation, s != NULL ? s->elevation : 30.0f);
    out->cut = chosen(out->run.cut, s != NULL ? s->cut : 0.0f);
    out->top = highest_water(&out->desc);
}

rv_status rvi_scene_set_up(const rvi_words *words, const char *name, const char *beside,
                           const double box[6], rvi_scene_setup *out) {
    rv_context *ctx = words->ctx;
    builder b = {.ctx = ctx, .words = words, .name = name, .beside = beside, .out = out};
    *out = (rvi_scene_setup){.rock = NULL};
    if (count_of(words, RVI_WORD_preset) > 0) {
        rvi_word_preset room;
        const rvi_word_preset *s = rvi_scene_last(words, RVI_WORD_preset, &room);
        const rv_param_info *p = &rvi_scene_vocabulary.get(RVI_WORD_preset)->params[0];
        b.preset = rvi_preset_find(p->options[s->name].name);
    }
    rv_status status = make_water(&b, box);
    if (status == RV_OK)
        status = make_blocks(&b);
    if (status == RV_OK)
        status = make_sources(&b);
    make_view(&b);
    make_wear(&b);
    if (status == RV_OK)
        status = make_materials(&b);
    if (status == RV_OK)
        status = make_regions(&b);
    if (status == RV_OK && box == NULL)
        status = make_rock(&b);
    if (status != RV_OK)
        rvi_scene_setup_free(ctx, out);
    return status;
}

void rvi_scene_setup_free(rv_context *ctx, rvi_scene_setup *setup) {
    rv_mesh_destroy(setup->rock);
    rvi_free(ctx, setup->fixed);
    rvi_free(ctx, setup->blocks);
    rvi_free(ctx, setup->sources);
    rvi_free(ctx, setup->materials);
    rvi_free(ctx, setup->regions);
    *setup = (rvi_scene_setup){.rock = NULL};
}

rv_status rvi_scene_check_input(const rvi_words *words, const char *beside, const char *path) {
    rv_context *ctx = words->ctx;
    bool same = beside[0] != '\0' && rvi_path_same(path, beside);
    for (int i = 0; i < words->count && !same; i++) {
        const rvi_word *word = &words->list[i];
        const char *file = word->which == (int)RVI_WORD_model
                               ? ((rvi_word_model *)word->params)->file
                           : word->which == (int)RVI_WORD_box ? ((rvi_word_box *)word->params)->file
                                                              : "";
        char *model = rvi_model_path(ctx, beside, file);
        if (model == NULL)
            return RV_ERROR_MEMORY;
        same = file[0] != '\0' && rvi_path_same(path, model);
        rvi_free(ctx, model);
    }
    return same ? rvi_fail(ctx, RV_ERROR_OUTPUT,
                           "%s: is read by the scene and was not changed; name another one.", path)
                : RV_OK;
}
