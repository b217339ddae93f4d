/* scene_frame.c: water and rock together: their creation, and the order of a frame. */
#include "scene/scene.h"

#include "base/context.h"
#include "base/hash.h"
#include "base/vector.h"
#include "scene/wear_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The water of Fluids v.2, in any size ---- */

rvi_sph_desc rvi_sph_desc_weak_like(float spacing, const float gravity[3]) {
    rvi_sph_desc d = rvi_sph_desc_weak();
    float g = rvi_length3f(gravity);
    float length = spacing / d.spacing;
    float time = g > 0 ? sqrtf(length * -d.gravity[2] / g) : sqrtf(length);
    d.spacing = spacing;
    d.penalty[0] /= time * time;
    d.penalty[1] /= time;
    d.penalty_reach *= length;
    d.weak.radius *= length;
    d.weak.mass *= length * length * length;
    d.weak.stiffness *= length * length / (time * time);
    d.weak.viscosity *= length * length / time;
    d.weak.limit *= length / (time * time);
    d.weak.step *= time;
    memcpy(d.gravity, gravity, sizeof d.gravity);
    return d;
}

/* ---- Creation ---- */

static rv_status add_water(rvi_scene *s, const rvi_scene_desc *desc, bool blocks) {
    rv_status status = RV_OK;
    for (size_t i = 0; blocks && i < desc->block_count && status == RV_OK; i++)
        status = rvi_sph_fill(s->water, desc->blocks[i].low, desc->blocks[i].high);
    s->source_count = desc->source_count;
    s->sources = rvi_alloc(s->ctx, desc->source_count + 1, sizeof *s->sources, "the sources");
    if (s->sources == NULL)
        return RV_ERROR_MEMORY;
    s->desc.sources = s->sources;
    for (size_t i = 0; i < desc->source_count && status == RV_OK; i++) {
        rvi_sph_source source = desc->sources[i].is;
        source.rate = desc->sources[i].every > 0 ? 0 : source.rate;
        s->sources[i] = desc->sources[i];
        status = rvi_sph_add_source(s->water, &source);
    }
    return status;
}

rv_status rvi_scene_start(rv_context *ctx, const rvi_scene_desc *desc, rvi_edit_mesh *rock,
                          bool blocks, rvi_scene **out) {
    rvi_scene *s = rvi_alloc(ctx, 1, sizeof *s, "a scene");
    *out = NULL;
    if (s == NULL) {
        rvi_edit_destroy(rock);
        return RV_ERROR_MEMORY;
    }
    *s = (rvi_scene){.ctx = ctx, .rock = rock, .desc = *desc};
    s->desc.rock = NULL;
    s->desc.fixed = NULL;
    s->desc.blocks = NULL;
    s->desc.block_count = 0;
    rv_mesh *mesh = NULL; /* where there is wear, it makes the walls itself */
    rv_status status = rock != NULL && !desc->wears ? rvi_edit_to_mesh(rock, &mesh) : RV_OK;
    if (status == RV_OK)
        status = rvi_sph_create(ctx, &desc->water, mesh, &s->water);
    rv_mesh_destroy(mesh);
    if (status == RV_OK)
        s->longest = rvi_sph_view_of(s->water).step;
    if (status == RV_OK && rock != NULL && desc->wears)
        status = rvi_wear_create(ctx, &desc->wear, s->water, rock, &s->wear);
    if (status == RV_OK)
        status = add_water(s, desc, blocks);
    if (status == RV_OK)
        *out = s;
    else
        rvi_scene_destroy(s);
    return status;
}

rv_status rvi_scene_create(rv_context *ctx, const rvi_scene_desc *desc, rvi_scene **out) {
    *out = NULL;
    rvi_edit_mesh *rock = NULL;
    rv_status status = desc->rock != NULL ? rvi_edit_create(desc->rock, &rock) : RV_OK;
    if (status != RV_OK)
        return status;
    if (rock != NULL && desc->fixed != NULL)
        memcpy(rock->fixed, desc->fixed, desc->rock->vertex_count);
    return rvi_scene_start(ctx, desc, rock, true, out);
}

void rvi_scene_destroy(rvi_scene *scene) {
    if (scene == NULL)
        return;
    rvi_wear_destroy(scene->wear);
    rvi_sph_destroy(scene->water);
    rvi_edit_destroy(scene->rock);
    rvi_archive_forget(&scene->good.state);
    rvi_free(scene->ctx, scene->sources);
    rvi_free(scene->ctx, scene);
}

/* ---- A frame ---- */

/* Sources that give their whole block every so many frames, beginning with the first. Particles
 * that find no room then do not come later. */
static void open_sources(rvi_scene *s) {
    for (size_t i = 0; i < s->source_count; i++)
        if (s->sources[i].every > 0)
            rvi_sph_pulse_source(s->water, i, s->frame % s->sources[i].every == 0);
}

static rv_status check_wear(const rvi_scene *s) {
    return rvi_wear_is_finite(s->wear) ? RV_OK
                                       : rvi_fail(s->ctx, RV_ERROR_INTERNAL,
                                                  "The wear is unstable: a volume is not finite.");
}

static rv_status make_frame(rvi_scene *s) {
    double begun = rvi_now();
    rv_status status = s->wear != NULL ? rvi_wear_repair(s->wear) : RV_OK;
    if (status != RV_OK)
        return status;
    open_sources(s);
    status = rvi_sph_step(s->water, s->longest);
    double stepped = rvi_now();
    if (status == RV_OK && s->wear != NULL)
        status = rvi_wear_step(s->wear);
    if (status == RV_OK && s->wear != NULL)
        status = check_wear(s);
    if (status != RV_OK)
        return status;
    double end = rvi_now();
    s->frame++;
    rvi_sph_times water = rvi_sph_view_of(s->water).times;
    double faces = s->wear != NULL ? s->wear->index_seconds : 0;
    s->times = (rvi_scene_times){.particles = 1e3 * water.sort,
                                 .faces = 1e3 * faces,
                                 .press = 1e3 * water.pressure,
                                 .force = 1e3 * water.move,
                                 .advance = 1e3 * (end - stepped - faces),
                                 .frame = 1e3 * (end - begun)};
    return RV_OK;
}

/* ---- The way back ---- */

/* Not before frames have taken two hundred times as long as it takes. */
static rv_status keep_frame(rvi_scene *s) {
    rvi_good_frame *good = &s->good;
    if (good->there && good->since < 200 * good->cost)
        return RV_OK;
    double begun = rvi_now();
    good->there = false;
    rvi_archive_keep(s->ctx, &good->state);
    rv_status status = rvi_scene_checkpoint(s, &good->state);
    good->there = status == RV_OK;
    good->cost = rvi_now() - begun;
    good->since = 0;
    return status;
}

/* The frame of that number, or if it is an earlier one, the frame that was kept. */
static rv_status make_again(const rvi_scene *s, int64_t frame, rvi_scene **out) {
    rvi_archive from = rvi_archive_kept(&s->good.state, "the last good frame");
    rv_status status = rvi_scene_restore(s->ctx, &s->desc, &from, out);
    while (status == RV_OK && (*out)->frame < frame)
        status = make_frame(*out);
    if (status != RV_OK) {
        rvi_scene_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* After a frame that went wrong, of which the context holds the sentence. `moved`: the water has
 * made its step; if not, all that the frame has done is to let new particles in. */
static rv_status go_back(rvi_scene *s, bool moved) {
    char said[512];
    snprintf(said, sizeof said, "%s", rv_context_error(s->ctx));
    rvi_scene *again, bad = *s;
    rv_status status = make_again(s, s->frame, &again);
    if (status == RV_ERROR_INTERNAL)
        status = make_again(s, 0, &again);
    if (status == RV_OK) {
        *s = *again;
        s->good = bad.good;
        bad.good = (rvi_good_frame){.there = false};
        *again = bad;
        rvi_scene_destroy(again);
    } else if (moved || status == RV_CANCELLED) {
        return status;
    }
    return rvi_fail(s->ctx, RV_ERROR_INTERNAL, "%s", said);
}

rv_status rvi_scene_frame(rvi_scene *s) {
    rv_status status = keep_frame(s);
    if (status != RV_OK)
        return status;
    double time = rvi_sph_view_of(s->water).time;
    status = make_frame(s);
    if (status == RV_ERROR_INTERNAL)
        return go_back(s, rvi_sph_view_of(s->water).time > time);
    if (status == RV_OK)
        s->good.since += 1e-3 * s->times.frame;
    return status;
}

/* ---- Results ---- */

rv_status rvi_scene_mesh(const rvi_scene *s, rv_mesh **out) {
    *out = NULL;
    return s->rock != NULL ? rvi_edit_to_mesh(s->rock, out) : RV_OK;
}

uint64_t rvi_scene_hash(const rvi_scene *s) {
    rvi_sph_view w = rvi_sph_view_of(s->water);
    uint64_t hash = rvi_hash(w.places, w.count * sizeof *w.places, (uint64_t)s->frame);
    hash = rvi_hash(w.speeds, w.count * sizeof *w.speeds, hash);
    hash = rvi_hash(w.sediments, w.count * sizeof *w.sediments, hash);
    if (s->rock == NULL)
        return hash;
    hash = rvi_hash(s->rock->spots, s->rock->vertices * sizeof *s->rock->spots, hash);
    return rvi_hash(s->rock->edges.corners, 3 * s->rock->faces * sizeof *s->rock->edges.corners,
                    hash);
}
