/* view_device.c: perspective pictures on a device: some rows of the picture after the other. */
#include "steps/render/view_device.h"
#include "steps/render/view_facts.h"
#include "terrain/hardness_volume.h"

#include <string.h>

/* Pixels that are drawn between two questions whether to stop. */
enum { PIXELS = 1 << 20 };

_Static_assert(sizeof(rvi_view_facts) <= 960, "a kernel's arguments have 1024 bytes");

bool rvi_view_device_can(const rv_terrain *land) {
    return land->layer_count <= RVI_COVER_LAYERS && !rvi_volume_there(land);
}

static int rows_of(const rvi_shot *shot) {
    return rvi_maxi(1, rvi_mini(shot->height, PIXELS / (shot->width + 2)));
}

static size_t seen_pixels(const rvi_shot *shot) {
    return ((size_t)shot->width + 2) * ((size_t)rows_of(shot) + 2);
}

void rvi_view_device_plan(rvi_view_device *w) {
    size_t pixels = seen_pixels(&w->view->shot);
    rvi_job_buffer(w->job, &w->seen, pixels, 3 * sizeof *w->seen, "a picture");
    rvi_job_buffer(w->job, &w->kinds, pixels, sizeof *w->kinds, "a picture");
}

/* ---- what a ray looks at ---- */

static rvi_view_facts facts_of(const rvi_view_work *work) {
    const rvi_view_scene *s = &work->s;
    const rvi_level *light = &s->relief.level[work->k.light_level];
    return (rvi_view_facts){
        .k = work->k,
        .relief = rvi_relief_numbers_of(&s->relief),
        .cover = rvi_cover_numbers_of(&s->cover),
        .trees = {.width = s->trees.width,
                  .height = s->trees.height,
                  .square = s->trees.square,
                  .tallest = s->trees.tallest,
                  .cell = s->trees.cell,
                  .z = s->trees.z},
        .sky_width = s->sky.image.width,
        .sky_height = s->sky.image.height,
        .normals_width = s->normals.image.width,
        .normals_height = s->normals.image.height,
        .normals_tile = s->normals.tile,
        .light_width = light->width,
        .light_height = light->height,
    };
}

/* The tables that the processor has elsewhere. */
static void fill_tables(rvi_view_work *work) {
    const rvi_relief *r = &work->s.relief;
    rvi_view_tables *t = &work->tables;
    for (int k = 0; k < r->levels; k++)
        t->level[k] = r->level[k];
    memcpy(t->curve, work->tones.curve, sizeof t->curve);
    memcpy(t->band_edge, r->land->strata.edge, sizeof t->band_edge);
    memcpy(t->band_soft, r->land->strata.soft, sizeof t->band_soft);
    for (int k = 0; k < r->land->layer_count; k++)
        t->colours[k] = r->land->layers[k].colour;
}

enum { SCENE_ARGS = 16 + RVI_COVER_LAYERS - 1, OWN_ARGS = 3 };

static rvi_device_arg grid(const float *values, size_t count) {
    return (rvi_device_arg){RVI_DEVICE_READ, values, count * sizeof *values};
}

static rvi_device_arg image(const rvi_own_image *i) {
    return (rvi_device_arg){RVI_DEVICE_READ, i->rgb, 3 * (size_t)i->width * (size_t)i->height};
}

static size_t pyramid_floats(const rvi_relief *r) {
    const rvi_level *last = &r->level[r->levels - 1];
    return r->levels > 1 ? (size_t)last->mean + (size_t)last->width * (size_t)last->height : 0;
}

/* The arguments that all kernels of rays have, in the order of SCENE_ARGS in render_view.cl. */
static void scene_args(const rvi_view_work *work, const rvi_view_facts *f, rvi_device_arg *args) {
    const rvi_view_scene *s = &work->s;
    const rvi_relief *r = &s->relief;
    const rv_terrain *land = r->land;
    size_t samples = (size_t)r->width * (size_t)r->height, cells = rvi_cells(land);
    size_t trees = (size_t)s->trees.width * (size_t)s->trees.height;
    const rvi_device_arg all[] = {
        RVI_VALUE(*f),
        {RVI_DEVICE_READ, &work->tables, sizeof work->tables},
        grid(r->z, samples),
        grid(r->upper, samples),
        grid(r->water, samples),
        grid(r->hole, cells),
        grid(r->levels > 1 ? r->pyramid : NULL, pyramid_floats(r)),
        grid(work->light, 2 * (size_t)f->light_width * (size_t)f->light_height),
        {RVI_DEVICE_READ, s->trees.tree, trees * sizeof *s->trees.tree},
        grid(s->cover.flow, cells),
        grid(s->cover.deposited, cells),
        grid(s->cover.eroded, cells),
        grid(s->cover.water, cells),
        grid(s->cover.edges, cells),
        image(&s->sky.image),
        image(&s->normals.image),
    };
    _Static_assert(sizeof all / sizeof *all == SCENE_ARGS - RVI_COVER_LAYERS + 1, "all of them");
    memcpy(args, all, sizeof all);
    for (int k = 1; k < RVI_COVER_LAYERS; k++)
        args[sizeof all / sizeof *all + (size_t)k - 1] =
            grid(k < land->layer_count ? land->layers[k].thickness : NULL, cells);
}

/* ---- the picture ---- */

static rv_status queue(const rvi_view_device *w, const char *kernel, const rvi_device_arg *args,
                       int count, int width, int height) {
    const size_t side = RVI_VIEW_BLOCK;
    size_t across = ((size_t)width + side - 1) / side * side * side;
    return rvi_device_run(w->job->device, "render_view", kernel, across,
                          ((size_t)height + side - 1) / side, args, count);
}

static rv_status draw_rows(const rvi_view_device *w, const rvi_view_work *work,
                           const rvi_view_facts *f) {
    const rvi_shot *shot = &w->view->shot;
    size_t pixels = seen_pixels(shot);
    rvi_device_arg args[SCENE_ARGS + OWN_ARGS];
    scene_args(work, f, args);
    rvi_device_arg *own = args + SCENE_ARGS;
    own[0] = (rvi_device_arg){RVI_DEVICE_WRITE, w->seen, 3 * pixels * sizeof *w->seen};
    own[1] = (rvi_device_arg){RVI_DEVICE_WRITE, w->kinds, pixels};
    rv_status status = queue(w, "see", args, SCENE_ARGS + 2, shot->width + 2, f->rows + 2);
    own[0].use = own[1].use = RVI_DEVICE_READ;
    own[2] = (rvi_device_arg){f->first == 0 ? RVI_DEVICE_WRITE : RVI_DEVICE_CHANGE, work->rgb,
                              3 * (size_t)shot->width * (size_t)shot->height};
    if (status == RV_OK)
        status = queue(w, "finish", args, SCENE_ARGS + 3, shot->width, f->rows);
    return status == RV_OK ? rvi_device_wait(w->job->device) : status;
}

static rv_status draw(void *arg, rvi_view_work *work) {
    const rvi_view_device *w = arg;
    int height = w->view->shot.height, rows = rows_of(&w->view->shot);
    rvi_view_facts f = facts_of(work);
    rv_status status = RV_OK;
    fill_tables(work);
    for (f.first = 0; f.first < height && status == RV_OK; f.first += rows) {
        f.rows = rvi_mini(rows, height - f.first);
        status = draw_rows(w, work, &f);
        if (status == RV_OK)
            status = rvi_poll(w->job->ctx);
    }
    return status == RV_OK ? rvi_device_fetch(w->job->device, work->rgb) : status;
}

rv_status rvi_view_device_draw(rvi_view_device *w, unsigned char *rgb) {
    const rvi_view_maker maker = {.arg = w, .draw = draw};
    rv_status status = rvi_terrain_fetch(w->job->land);
    return status == RV_OK ? rvi_view_make(w->job->land, w->view, &maker, rgb) : status;
}
