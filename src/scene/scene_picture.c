/* scene_picture.c: a picture of a scene: rock in the colours of its materials, eroded places red,
 * deposits blue-green, and the water. */
#include "base/context.h"
#include "formats/format.h"
#include "picture/solid_tints.h"
#include "scene/scene.h"
#include "scene/wear_state.h"

#include <math.h>
#include <string.h>

/* In spacings: a place that has moved so far has its full colour. */
#define FULL 0.5f

static const float STONE[3] = {0.31f, 0.25f, 0.185f}; /* linear */

typedef struct drawing {
    rv_context *ctx;
    double *points;
    float (*tints)[4];
    float *mud;
    rvi_canvas canvas;
} drawing;

/* The sediment of each particle, as a share of what it can hold. */
static rv_status make_mud(const rvi_scene *s, drawing *d) {
    rvi_sph_view w = rvi_sph_view_of(s->water);
    double most = s->wear != NULL && s->wear->most > 0 ? s->wear->most : 1;
    d->mud = rvi_alloc(s->ctx, w.count + 1, sizeof *d->mud, "a picture of water");
    if (d->mud == NULL)
        return RV_ERROR_MEMORY;
    for (size_t i = 0; i < w.count; i++) {
        float share = (float)(w.sediments[i] / most);
        d->mud[i] = share > 0 ? (share < 1 ? share : 1) : 0;
    }
    return RV_OK;
}

/* The colour of a material, where it has one. Pictures compute with linear light, so that colours
 * as people name them are squared. */
static bool material_colour(const void *user, const double at[3], float rgb[3]) {
    const rvi_wear *w = user;
    size_t material = w->desc.material_at != NULL ? w->desc.material_at(w->desc.user, at) : 0;
    const float *colour = w->materials[material < w->desc.material_count ? material : 0].colour;
    for (int k = 0; k < 3 && !isnan(colour[0]); k++)
        rgb[k] = colour[k] * colour[k];
    return !isnan(colour[0]);
}

static rv_status make_rock(const rvi_scene *s, drawing *d, rvi_solid_mesh *out) {
    const rvi_edit_mesh *rock = s->rock;
    d->points = rvi_alloc(s->ctx, 3 * rock->vertices, sizeof *d->points, "a picture of rock");
    d->tints = rvi_alloc(s->ctx, rock->vertices, sizeof *d->tints, "a picture of rock");
    if (d->points == NULL || d->tints == NULL)
        return RV_ERROR_MEMORY;
    for (uint32_t v = 0; v < rock->vertices; v++)
        rvi_edit_place(rock, v, d->points + 3 * (size_t)v);
    *out = (rvi_solid_mesh){.points = d->points,
                            .vertex_count = rock->vertices,
                            .corners = rock->edges.corners,
                            .face_count = rock->faces};
    rv_status status = rvi_solid_tints_moved(s->ctx, out, rock->first,
                                             FULL * rvi_sph_desc_of(s->water)->spacing, d->tints);
    out->vertex_tints = (const float(*)[4])d->tints;
    return status;
}

/* The picture shows the box, but above the rock only up to the highest water or source. Without
 * rock lines show the box. */
static void aim(const rvi_scene *s, const rvi_scene_view *how, rvi_solid_view *view) {
    const rvi_sph_desc *box = rvi_sph_desc_of(s->water);
    const rvi_edit_mesh *rock = s->rock;
    double top = how->top;
    view->frame = rock == NULL;
    for (uint32_t v = 0; rock != NULL && v < rock->vertices; v++)
        top = rock->first[3 * (size_t)v + 2] > top ? rock->first[3 * (size_t)v + 2] : top;
    for (int k = 0; k < 3; k++) {
        view->low[k] = box->low[k];
        view->high[k] = box->high[k];
    }
    if (rock != NULL && top > box->low[2] && top < box->high[2])
        view->high[2] = top;
    if (how->cut > 0)
        rvi_solid_view_cut(view, box->low, box->high, how->cut);
}

static rv_status draw(const rvi_scene *s, const rvi_scene_view *how, drawing *d) {
    const rvi_sph_desc *box = rvi_sph_desc_of(s->water);
    rvi_sph_view w = rvi_sph_view_of(s->water);
    rvi_solid_mesh rock = {.points = NULL};
    rvi_solid_water water = {.places = (const float *)w.places,
                             .count = w.count,
                             .stride = 4,
                             .origin = {box->low[0], box->low[1], box->low[2]},
                             .spacing = box->spacing,
                             .mud = d->mud};
    rvi_solid_view view = rvi_solid_view_default();
    view.width = how->width;
    view.height = how->height;
    view.azimuth = how->azimuth;
    view.elevation = how->elevation;
    view.wire = how->wire;
    view.colour_at = s->wear != NULL ? material_colour : NULL;
    view.user = s->wear;
    memcpy(view.stone, STONE, sizeof view.stone);
    aim(s, how, &view);
    rv_status status = s->rock != NULL ? make_rock(s, d, &rock) : RV_OK;
    if (status == RV_OK)
        status = rvi_canvas_make(s->ctx, how->width, how->height, &d->canvas);
    if (status == RV_OK)
        status = rvi_solid_view_draw(s->ctx, &view, &rock, s->rock != NULL,
                                     how->wet ? &water : NULL, &d->canvas);
    return status;
}

rv_status rvi_scene_draw(const rvi_scene *s, const rvi_scene_view *how, const char *png) {
    drawing d = {.ctx = s->ctx};
    rv_status status = rvi_sph_fetch(s->water);
    if (status == RV_OK)
        status = make_mud(s, &d);
    if (status == RV_OK)
        status = draw(s, how, &d);
    if (status == RV_OK)
        status = rvi_png_write_picture(s->ctx, png, how->width, how->height, 3, d.canvas.rgb);
    rvi_canvas_free(s->ctx, &d.canvas);
    rvi_free(s->ctx, d.mud);
    rvi_free(s->ctx, d.tints);
    rvi_free(s->ctx, d.points);
    return status;
}
