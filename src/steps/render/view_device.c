/* view_device.c: perspective pictures on a device: the block, its cover and its light, and then the
 * rays, some rows of the picture after the other. The processor looks at some samples of the land
 * for where the camera stands and where snow begins. */
#include "steps/render/view_device.h"
#include "device/device_range.h"
#include "picture/occlusion.h"
#include "picture/overlay.h"
#include "steps/render/view_facts.h"
#include "terrain/hardness_volume.h"

#include <string.h>

enum {
    PIXELS = 1 << 17, /* that are drawn between two questions whether to stop */
    RUNS = RVI_SKY_DIRECTIONS * RVI_SKY_DISTANCES * RVI_VIEW_LIGHT_SIDE,
};

_Static_assert(sizeof(rvi_view_facts) <= 800,
               "a kernel's arguments have 1024 bytes, with its pointers");

_Static_assert((int)RVI_VIEW_BINS == (int)RVI_OVERLAY_BINS, "kernels know it by this number");

bool rvi_view_device_can(const rv_terrain *land) {
    return land->layer_count <= RVI_COVER_LAYERS && !rvi_volume_there(land) &&
           rvi_cells(land) < UINT32_MAX;
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
    rvi_job_buffer(w->job, &w->parts, RVI_DEVICE_PARTS, sizeof *w->parts, "the range");
    rvi_job_buffer(w->job, &w->counts, RVI_VIEW_BINS + 1, sizeof *w->counts, "a picture");
    rvi_job_buffer(w->job, &w->brought, RVI_VIEW_SAMPLES, sizeof *w->brought, "a picture");
    rvi_job_buffer(w->job, &w->runs, RUNS, sizeof *w->runs, "the light of a picture");
}

size_t rvi_view_device_memory(const rvi_view_device *w) {
    return rvi_view_memory(w->job->land, w->view) +
           rvi_alloc_size(RVI_VIEW_SAMPLES, sizeof(uint64_t));
}

static rv_status queue_parts(const rvi_view_device *w, const char *kernel, int width, int height,
                             const rvi_device_arg *args, int count) {
    return rvi_device_run(w->job->device, "render_parts", kernel, (size_t)width, (size_t)height,
                          args, count);
}

/* With an array of arguments. */
#define QUEUE(w, kernel, width, height, args)                                                      \
    queue_parts(w, kernel, width, height, args, (int)(sizeof(args) / sizeof((args)[0])))

static rvi_device_arg grid_of(rvi_device_use use, const float *values, size_t count) {
    return (rvi_device_arg){use, values, count * sizeof *values};
}

static rvi_device_arg grid(const float *values, size_t count) {
    return grid_of(RVI_DEVICE_READ, values, count);
}

static rvi_device_arg levels_of(const rvi_relief *r) {
    return (rvi_device_arg){RVI_DEVICE_READ, r->level, RVI_LEVELS * sizeof *r->level};
}

/* ---- the block ---- */

static rv_status bring(void *arg, const float *values, size_t size, const uint64_t *cells,
                       size_t count) {
    const rvi_view_device *w = arg;
    const uint32_t number = (uint32_t)count;
    const rvi_device_arg args[] = {
        grid(values, size),
        {RVI_DEVICE_READ, cells, count * sizeof *cells},
        grid_of(RVI_DEVICE_WRITE, w->brought, RVI_VIEW_SAMPLES),
        RVI_VALUE(number),
    };
    rv_status status = QUEUE(w, "bring", (int)count, 1, args);
    if (status == RV_OK)
        status = rvi_device_fetch_first(w->job->device, w->brought, count * sizeof *w->brought);
    rvi_device_forget(w->job->device, cells, 1);
    float *to = (float *)(uintptr_t)values;
    for (size_t i = 0; i < count && status == RV_OK; i++)
        to[cells[i]] = w->brought[i];
    return status;
}

static rv_status make_water(const rvi_view_device *w, rvi_relief *r) {
    const rv_terrain *land = r->land;
    const float shallow = rvi_relief_shallow(land), *depth = rvi_field_get(land, "water");
    size_t cells = rvi_cells(land);
    float low, high = 0;
    rv_status status =
        depth ? rvi_device_range(w->job->device, depth, cells, w->parts, &low, &high) : RV_OK;
    if (status != RV_OK || !(high > shallow))
        return status;
    float *water = r->memory[1] =
        rvi_alloc(land->ctx, 2 * cells, sizeof(float), "the water of a picture");
    float *levels = rvi_alloc(land->ctx, cells, sizeof(float), "the water of a picture");
    const rvi_relief_numbers numbers = rvi_relief_numbers_of(r);
    const rvi_device_arg of_cells[] = {
        grid(land->surface, cells),
        grid(depth, cells),
        grid_of(RVI_DEVICE_WRITE, levels, cells),
        RVI_VALUE(shallow),
        RVI_VALUE(land->width),
        RVI_VALUE(land->height),
    };
    const rvi_device_arg of_block[] = {
        grid(r->z, cells),
        grid(levels, cells),
        grid(depth, cells),
        grid_of(RVI_DEVICE_WRITE, water, cells),
        grid_of(RVI_DEVICE_WRITE, water ? water + cells : NULL, cells),
        RVI_VALUE(numbers),
        RVI_VALUE(shallow),
    };
    status = water && levels ? RV_OK : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = QUEUE(w, "water_of_cells", land->width, land->height, of_cells);
    if (status == RV_OK)
        status = QUEUE(w, "water_of_block", r->width, r->height, of_block);
    rvi_free(land->ctx, levels);
    if (status == RV_OK) {
        r->water = water;
        r->upper = water + cells;
    }
    return status;
}

static rv_status make_levels(const rvi_view_device *w, rvi_relief *r) {
    float *pyramid;
    rv_status status = rvi_relief_reserve(r, &pyramid);
    size_t samples = (size_t)r->width * (size_t)r->height;
    for (int level = 1; status == RV_OK && level < r->levels; level++) {
        const rvi_level *l = &r->level[level];
        const rvi_device_arg args[] = {
            grid(r->upper, samples),
            grid_of(level == 1 ? RVI_DEVICE_WRITE : RVI_DEVICE_CHANGE, pyramid,
                    rvi_relief_floats(r)),
            levels_of(r),
            RVI_VALUE(level),
            RVI_VALUE(r->width),
            RVI_VALUE(r->height),
        };
        rvi_device_arg means[4];
        memcpy(means, args, sizeof means);
        means[1].use = RVI_DEVICE_CHANGE;
        status = QUEUE(w, "find_tops", l->top_width, l->top_height, args);
        if (status == RV_OK)
            status = QUEUE(w, "find_means", l->width, l->height, means);
    }
    return status;
}

/* A finer grid, and the ground at the edge of holes, are made by the processor. */
static rv_status make_own_relief(const rvi_view_device *w, const rv_terrain *land, float depth,
                                 rvi_relief *out) {
    rv_status status = rvi_device_fetch(w->job->device, land->surface);
    float *fields[] = {rvi_field_get(land, "water"), rvi_field_get(land, "hole")};
    for (int k = 0; k < 2 && status == RV_OK; k++)
        status = fields[k] ? rvi_device_fetch(w->job->device, fields[k]) : RV_OK;
    return status == RV_OK ? rvi_relief_create(land, depth, true, out) : status;
}

/* Waits for what is queued, and asks whether to stop. */
static rv_status wait_and_ask(const rvi_view_device *w) {
    rv_status status = rvi_device_wait(w->job->device);
    return status == RV_OK ? rvi_poll(w->job->ctx) : status;
}

static rv_status make_relief(void *arg, const rv_terrain *land, float depth, rvi_relief *out) {
    const rvi_view_device *w = arg;
    if (rvi_relief_own(land))
        return make_own_relief(w, land, depth, out);
    rvi_relief r = {.width = land->width,
                    .height = land->height,
                    .cell = land->cell,
                    .step = 1,
                    .land_width = land->width,
                    .land_height = land->height,
                    .land_cell = land->cell,
                    .z = land->surface,
                    .upper = land->surface,
                    .land = land};
    rv_status status = make_water(w, &r);
    if (status == RV_OK)
        status =
            rvi_device_range(w->job->device, r.upper, rvi_cells(land), w->parts, &r.low, &r.high);
    r.base = r.low - depth;
    if (status == RV_OK)
        status = make_levels(w, &r);
    if (status == RV_OK)
        *out = r;
    else
        rvi_relief_destroy(&r);
    return status;
}

/* ---- its cover ---- */

static rv_status find_limit(void *arg, const rv_terrain *land, const float *values, float *limit) {
    const rvi_view_device *w = arg;
    size_t bytes = (RVI_VIEW_BINS + 1) * sizeof *w->counts;
    const rvi_device_arg args[] = {
        grid(values, rvi_cells(land)),
        {RVI_DEVICE_CHANGE, w->counts, bytes},
        RVI_VALUE(land->width),
        RVI_VALUE(land->height),
    };
    uint64_t *counts =
        rvi_alloc(land->ctx, RVI_VIEW_BINS, sizeof *counts, "the colours of a picture");
    rv_status status = counts ? rvi_device_zero(w->job->device, w->counts, bytes) : RV_ERROR_MEMORY;
    if (status == RV_OK)
        status = QUEUE(w, "count_values", land->width,
                       (land->height + RVI_VIEW_RUN - 1) / RVI_VIEW_RUN, args);
    if (status == RV_OK)
        status = rvi_device_fetch(w->job->device, w->counts);
    for (int k = 0; status == RV_OK && k < RVI_VIEW_BINS; k++)
        counts[k] = w->counts[k];
    if (status == RV_OK)
        *limit = rvi_overlay_limit_of(counts, rvi_float_from_bits(w->counts[RVI_VIEW_BINS]));
    rvi_free(land->ctx, counts);
    return status;
}

static rv_status find_edges(void *arg, const rv_terrain *land, float *edges) {
    const rvi_view_device *w = arg;
    const rvi_band_edge edge = rvi_strata_edge(&land->strata);
    const double cell = (double)land->cell;
    const rvi_device_arg args[] = {
        grid_of(RVI_DEVICE_WRITE, edges, rvi_cells(land)),
        {RVI_DEVICE_TABLE, &edge, sizeof edge},
        RVI_VALUE(cell),
        RVI_VALUE(land->width),
    };
    return QUEUE(w, "find_edges", land->width, land->height, args);
}

/* ---- its light ---- */

static rv_status find_open_sky(const rvi_view_device *w, const rvi_view_work *work) {
    const rvi_relief *r = &work->s.relief;
    const rvi_level *l = &r->level[work->k.light_level];
    const rvi_sky_rules rules =
        rvi_occlusion_rules(r, work->k.light_level, RVI_VIEW_REACH * work->k.wide, work->k.z);
    rvi_occlusion_runs(r, &rules, w->runs);
    const rvi_device_arg args[] = {
        grid(r->upper, (size_t)r->width * (size_t)r->height),
        grid(r->levels > 1 ? r->pyramid : NULL, rvi_relief_floats(r)),
        levels_of(r),
        {RVI_DEVICE_READ, w->runs, RUNS * sizeof *w->runs},
        grid_of(RVI_DEVICE_CHANGE, work->light, 2 * (size_t)l->width * (size_t)l->height),
        RVI_VALUE(rules),
    };
    return QUEUE(w, "open_sky", l->width, l->height, args);
}

static rv_status make_light(void *arg, rvi_view_work *work) {
    const rvi_view_device *w = arg;
    const rvi_relief *r = &work->s.relief;
    const rvi_level *l = &r->level[work->k.light_level];
    size_t count = 2 * (size_t)l->width * (size_t)l->height;
    rvi_sun_rules sun;
    rv_status status = rvi_device_zero(w->job->device, work->light, count * sizeof *work->light);
    if (status == RV_OK)
        status = find_open_sky(w, work);
    if (status != RV_OK || !rvi_view_sun(work, &sun))
        return status;
    const rvi_device_arg args[] = {
        grid(r->upper, (size_t)r->width * (size_t)r->height),
        grid(r->levels > 1 ? r->pyramid : NULL, rvi_relief_floats(r)),
        levels_of(r),
        grid_of(RVI_DEVICE_CHANGE, work->light, count),
        RVI_VALUE(sun),
    };
    status = QUEUE(w, "find_sun", l->width, l->height, args);
    return status == RV_OK ? wait_and_ask(w) : status;
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

static rvi_device_arg image(const rvi_own_image *i) {
    return (rvi_device_arg){RVI_DEVICE_READ, i->rgb, 3 * (size_t)i->width * (size_t)i->height};
}

/* The arguments that all kernels of rays have, in the order of SCENE_ARGS in render_view.cl. */
static void scene_args(const rvi_view_work *work, const rvi_view_facts *f, rvi_device_arg *args) {
    const rvi_view_scene *s = &work->s;
    const rvi_relief *r = &s->relief;
    const rv_terrain *land = r->land;
    size_t samples = (size_t)r->width * (size_t)r->height, cells = rvi_cells(land);
    size_t trees = (size_t)s->trees.width * (size_t)s->trees.height;
    const rvi_device_arg all[] = {
        {RVI_DEVICE_VALUE, f, sizeof *f},
        {RVI_DEVICE_READ, &work->tables, sizeof work->tables},
        grid(r->z, samples),
        grid(r->upper, samples),
        grid(r->water, samples),
        grid(r->hole, cells),
        grid(r->levels > 1 ? r->pyramid : NULL, rvi_relief_floats(r)),
        grid(work->light, work->light ? 2 * (size_t)f->light_width * (size_t)f->light_height : 0),
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

/* ---- trees ---- */

static rv_status plant(void *arg, rvi_view_work *work, float tall) {
    const rvi_view_device *w = arg;
    rvi_trees *trees = &work->s.trees;
    const rvi_view_facts f = facts_of(work);
    rvi_device_arg args[SCENE_ARGS + 2];
    size_t bytes = (size_t)trees->width * (size_t)trees->height * sizeof *trees->memory;
    fill_tables(work);
    trees->tree = NULL; /* none yet */
    scene_args(work, &f, args);
    trees->tree = trees->memory;
    args[SCENE_ARGS] = (rvi_device_arg){RVI_DEVICE_WRITE, trees->memory, bytes};
    args[SCENE_ARGS + 1] = RVI_VALUE(tall);
    rv_status status = rvi_device_run(w->job->device, "render_view", "plant", (size_t)trees->width,
                                      (size_t)trees->height, args, SCENE_ARGS + 2);
    return status == RV_OK ? wait_and_ask(w) : status;
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
    return status == RV_OK ? wait_and_ask(w) : status;
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
    }
    return status == RV_OK ? rvi_device_fetch(w->job->device, work->rgb) : status;
}

rv_status rvi_view_device_draw(rvi_view_device *w, unsigned char *rgb) {
    const rvi_picture_maker maker = {.arg = w,
                                     .relief = make_relief,
                                     .bring = bring,
                                     .limit = find_limit,
                                     .edges = find_edges,
                                     .trees = plant,
                                     .light = make_light,
                                     .draw = draw};
    const rv_terrain *land = w->job->land;
    /* The processor mirrors land that goes on. */
    rv_status status = w->view->endless ? rvi_terrain_fetch(land) : RV_OK;
    return status == RV_OK ? rvi_view_make(land, w->view, &maker, rgb) : status;
}
