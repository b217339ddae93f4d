/* scene_memory.c: how much memory the run of a scene takes, known before its first frame.
 *
 * What is there at frame 0 is measured: the scene is filled, as a run does it. What comes later is
 * estimated: faces that are divided near water, pictures, files, and the frame that is kept to go
 * back to. */
#include "base/context.h"
#include "base/text.h"
#include "base/vector.h"
#include "picture/solid_view.h"
#include "scene/scene_run.h"

/* Bytes: of small things; of a particle when the water is made, and when its lists of neighbours
 * have grown (the weak solver reaches farther); of a face that is added; of particles and faces in
 * a frame that is kept or written. */
enum { SMALL = 4 << 20, PARTICLE = 700, CROWDED = 700, WEAK = 2000, FACE = 1300, KEPT = 100 };

static double area_of(const rv_mesh *mesh) {
    double area = 0;
    for (size_t f = 0; f < mesh->face_count; f++) {
        const uint32_t *c = mesh->corners + 3 * f;
        double normal[3];
        rvi_normal3(mesh->points + 3 * (size_t)c[0], mesh->points + 3 * (size_t)c[1],
                    mesh->points + 3 * (size_t)c[2], normal);
        area += 0.5 * rvi_length3(normal);
    }
    return area;
}

/* Faces that dividing adds, at most: water wets no more rock than its particles can lie on, and
 * leaves faces of half the limit. */
static size_t added_faces(const rvi_scene_setup *setup) {
    const rvi_scene_desc *d = &setup->desc;
    if (setup->rock == NULL || !d->wears || d->wear.scheme == RVI_TESS_NONE)
        return 0;
    double spacing = (double)d->water.spacing, limit = (double)d->wear.limit;
    double wet = (double)d->water.most * spacing * spacing, area = area_of(setup->rock);
    limit = limit > 0.5 * spacing ? limit : 0.5 * spacing;
    double faces = (wet < area ? wet : area) / (0.25 * limit * limit);
    return faces < 1e15 ? (size_t)faces : (size_t)1e15;
}

static size_t picture_memory(const rvi_scene_setup *setup, size_t faces) {
    const rvi_sph_desc *d = &setup->desc.water;
    rvi_solid_view view = rvi_solid_view_default();
    view.width = setup->run.width;
    view.height = setup->run.height;
    rvi_solid_mesh mesh = {.vertex_count = faces / 2 + 2, .face_count = faces};
    rvi_solid_water water = {.count = d->most, .stride = 4, .spacing = d->spacing};
    return rvi_solid_view_memory(&view, &mesh, faces > 0, &water) +
           3 * (size_t)view.width * (size_t)view.height;
}

size_t rvi_scene_memory_later(const rvi_scene_setup *setup, size_t faces) {
    size_t added = added_faces(setup), most = setup->desc.water.most, all = faces + added;
    size_t lists = setup->desc.water.solver == RVI_SPH_WEAK ? WEAK : CROWDED;
    size_t memory = SMALL + lists * most + FACE * added + KEPT * (most + 2 * all);
    bool draws = setup->run.film[0] || rvi_text_ends(setup->run.save, ".png");
    return memory + (draws ? picture_memory(setup, all) : 0);
}

rv_status rvi_scene_set_up_run(const rv_scene *s, rvi_scene_setup *setup, rvi_scene **out,
                               size_t *memory) {
    rv_context *ctx = s->ctx;
    size_t before = rv_context_memory_used(ctx), mark = rvi_memory_mark(ctx);
    *out = NULL;
    *memory = 0;
    rv_status status = rvi_scene_set_up(&s->words, s->name, s->beside, NULL, setup);
    if (status != RV_OK) {
        rvi_memory_since(ctx, mark);
        return status;
    }
    size_t later = rvi_scene_memory_later(setup, setup->rock != NULL ? setup->rock->face_count : 0);
    size_t allowed = rv_context_memory_limit(ctx) - before;
    *memory = rv_context_memory_used(ctx) - before + PARTICLE * setup->desc.water.most + later;
    bool fits = *memory <= allowed;
    if (fits)
        status = rvi_scene_fill(s, setup, out);
    size_t held = rvi_memory_since(ctx, mark) - before;
    if (fits && status == RV_OK) {
        *memory = held + later;
        fits = *memory <= allowed;
    }
    if (!fits) {
        rvi_scene_destroy(*out);
        *out = NULL;
        status = rvi_memory_check(ctx, *memory, "the scene");
    } else if (status != RV_OK && status != RV_ERROR_MEMORY) {
        rvi_scene_setup_free(ctx, setup);
        *memory = 0;
    }
    return status;
}
