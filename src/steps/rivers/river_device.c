/* river_device.c: time steps of rivers.c on a device, where no function says how ground is worn.
 * The kernels are in river_cells.cl; river_ends.c begins and closes the step. The processor looks
 * at the edge of the map between two time steps. */
#include "device/device_group.h"
#include "device/device_sum.h"
#include "steps/rivers/river_cut.h"
#include "steps/rivers/river_shape.h"
#include "wear/flow_shape.h"

#include <math.h>
#include <string.h>

enum { BATCH = 64, SLIDE_GROUPS = 4096 }; /* rounds of slides that are queued at once */

bool rvi_rivers_device_can(const rvi_rivers *r) {
    return !rvi_erosion_fn_there(r->land);
}

static size_t edge_places(const rvi_rivers *r) {
    return rvi_ring_length(r->land->width, r->land->height);
}

static size_t strips(const rvi_rivers *r) {
    return ((size_t)r->land->width + RVI_CREEP_STRIP - 1) / RVI_CREEP_STRIP;
}

static size_t tiles(const rvi_rivers *r) {
    return (size_t)r->flow.across * (size_t)r->flow.down;
}

/* Parts of RVI_TILE cells in a row. */
static size_t slide_parts(const rvi_rivers *r) {
    return ((size_t)r->land->width + RVI_TILE - 1) / RVI_TILE * (size_t)r->land->height;
}

void rvi_rivers_device_list(rvi_rivers *r) {
    rvi_job *job = r->job;
    rvi_flow_device_list(&r->on, &r->flow, &job->buffers);
    for (int k = 0; k < (r->land->layer_count > 1 ? 3 : r->bedded ? 2 : 1); k++)
        rvi_job_buffer(job, &r->edge[k], edge_places(r), sizeof *r->edge[k], "the edge");
    size_t above = (size_t)r->land->layer_count - 1;
    rvi_job_buffer(job, &r->yields, above + 1, sizeof *r->yields, "the layers");
    if (above > 0) {
        rvi_job_buffer(job, &r->stack, above * r->cells, sizeof *r->stack, "the layers");
        rvi_job_buffer(job, &r->edge_stack, above * edge_places(r), sizeof *r->edge_stack,
                       "the edge");
    }
    rvi_job_buffer(job, &r->sides, edge_places(r), sizeof *r->sides, "the edge");
    rvi_job_buffer(job, &r->low, edge_places(r), sizeof *r->low, "the edge");
    rvi_job_buffer(job, &r->tile_left, tiles(r), sizeof *r->tile_left, "the ledger");
    rvi_job_buffer(job, &r->crossed, strips(r) * (size_t)r->land->height, 1, "the ledger");
    rvi_job_buffer(job, &r->any_fixed, 1, sizeof *r->any_fixed, "the base level");
    if (rvi_rivers_slide_at_all(r->p)) {
        for (int k = 0; k < 2; k++)
            rvi_job_buffer(job, &r->slide_list[k], slide_parts(r), sizeof *r->slide_list[k],
                           "the slides");
        rvi_job_buffer(job, &r->slide_seen, slide_parts(r), sizeof *r->slide_seen, "the slides");
        rvi_job_buffer(job, &r->slide_count, 2, sizeof *r->slide_count, "the slides");
    }
    rvi_alluvium_device_list(r);
}

/* ---- arguments ---- */

#define GRID(use, grid, count)                                                                     \
    (rvi_device_arg) {                                                                             \
        RVI_DEVICE_##use, grid, (count) * sizeof *(grid)                                           \
    }
#define READ(grid) GRID(READ, grid, r->cells)
#define WRITE(grid) GRID(WRITE, grid, r->cells)
#define CHANGE(grid) GRID(CHANGE, grid, r->cells)
#define COUNT(args) (int)(sizeof args / sizeof args[0])
#define RUN(name, width, height)                                                                   \
    rvi_device_run(r->job->device, "river_cells", name, width, height, args, COUNT(args))
#define WALK(up, name) rvi_flow_device_walk(&r->on, up, "river_cells", name, args, COUNT(args))

/* The arguments about layers, and bedrock that has bands. */
static rvi_rock_law rock_law(const rvi_rivers *r) {
    return (rvi_rock_law){.layers = r->land->layer_count, .cells = r->cells};
}
static size_t above(const rvi_rivers *r) {
    return (size_t)r->land->layer_count - 1;
}
#define ROCK(rock)                                                                                 \
    CHANGE(r->bed), RVI_BEDROCK(&r->factor), GRID(READ, r->yields, above(r) + 1),                  \
        GRID(CHANGE, r->stack, above(r) * r->cells), CHANGE(r->owed), RVI_VALUE(rock)

static size_t wide(const rvi_rivers *r) {
    return (size_t)r->land->width;
}

static size_t high(const rvi_rivers *r) {
    return (size_t)r->land->height;
}

void rvi_rivers_device_begin(rvi_rivers *r) {
    r->on.d = r->job->device;
}

static rvi_river_law law_of(const rvi_rivers *r, double rise) {
    return (rvi_river_law){.rise = rise,
                           .cut = {r->cut[0], r->cut[1]},
                           .distance = {r->distance[0], r->distance[1]},
                           .stands = r->stands,
                           .deposition = (double)r->p->deposition,
                           .slope_power = (double)r->p->slope_power,
                           .source = r->source,
                           .area_power = r->p->area_power,
                           .spacing = r->p->spacing};
}

static rv_status sum_difference(const rvi_rivers *r, const double *first, const double *second,
                                double *out) {
    return rvi_device_sum_difference(r->job->device, r->job->ctx, first, second, r->cells, out);
}

/* ---- the edge ---- */

static size_t edge_cell(const rvi_rivers *r, size_t k) {
    return rvi_ring_cell(r->land->width, r->land->height, k);
}

static rv_status edge_out(rvi_rivers *r, double *h, double *edge) {
    const int width = r->land->width, height = r->land->height;
    size_t places = edge_places(r);
    const rvi_device_arg args[] = {READ(h), GRID(WRITE, edge, places), RVI_VALUE(width),
                                   RVI_VALUE(height)};
    rv_status status = RUN("river_edge_out", places, 1);
    if (status == RV_OK)
        status = rvi_device_fetch(r->job->device, edge);
    for (size_t k = 0; status == RV_OK && k < places; k++)
        h[edge_cell(r, k)] = edge[k];
    return status;
}

static rv_status edge_stack(rvi_rivers *r, int in) {
    const int width = r->land->width, height = r->land->height;
    size_t places = edge_places(r);
    const rvi_device_arg args[] = {GRID(CHANGE, r->stack, above(r) * r->cells),
                                   GRID(CHANGE, r->edge_stack, above(r) * places), RVI_VALUE(width),
                                   RVI_VALUE(height), RVI_VALUE(in)};
    return RUN("river_edge_stack", places, above(r));
}

static rv_status edge_stack_out(rvi_rivers *r) {
    size_t places = edge_places(r);
    rv_status status = edge_stack(r, 0);
    if (status == RV_OK)
        status = rvi_device_fetch(r->job->device, r->edge_stack);
    for (size_t l = 0; l < above(r) && status == RV_OK; l++)
        for (size_t k = 0; k < places; k++)
            r->land->layers[1 + l].thickness[edge_cell(r, k)] = r->edge_stack[l * places + k];
    return status;
}

/* All of it. */
static rv_status send(rvi_rivers *r, const void *memory, size_t size) {
    return rvi_device_send_part(r->job->device, memory, size, 0, size);
}

static rv_status edge_stack_in(rvi_rivers *r) {
    size_t places = edge_places(r);
    for (size_t l = 0; l < above(r); l++)
        for (size_t k = 0; k < places; k++)
            r->edge_stack[l * places + k] = r->land->layers[1 + l].thickness[edge_cell(r, k)];
    rv_status status = send(r, r->edge_stack, above(r) * places * sizeof *r->edge_stack);
    return status == RV_OK ? edge_stack(r, 1) : status;
}

rv_status rvi_rivers_device_edge_out(rvi_rivers *r, bool layers) {
    rv_status status = edge_out(r, r->h, r->edge[0]);
    if (status == RV_OK && layers && r->bed)
        status = edge_out(r, r->bed, r->edge[1]);
    if (status == RV_OK && layers && r->owed)
        status = edge_out(r, r->owed, r->edge[2]);
    return status == RV_OK && layers && r->stack ? edge_stack_out(r) : status;
}

rv_status rvi_rivers_device_edge_in(rvi_rivers *r) {
    const int width = r->land->width, height = r->land->height;
    size_t places = edge_places(r);
    for (size_t k = 0; k < places; k++) {
        r->edge[0][k] = r->h[edge_cell(r, k)];
        if (r->bed)
            r->edge[1][k] = r->bed[edge_cell(r, k)];
        if (r->owed)
            r->edge[2][k] = r->owed[edge_cell(r, k)];
    }
    rv_status status = send(r, r->edge[0], places * sizeof *r->edge[0]);
    if (status == RV_OK && r->bed)
        status = send(r, r->edge[1], places * sizeof *r->edge[1]);
    if (status == RV_OK && r->owed)
        status = send(r, r->edge[2], places * sizeof *r->edge[2]);
    if (status != RV_OK)
        return status;
    const rvi_device_arg args[] = {CHANGE(r->h),
                                   CHANGE(r->bed),
                                   CHANGE(r->owed),
                                   GRID(READ, r->edge[0], places),
                                   GRID(READ, r->edge[1], places),
                                   GRID(READ, r->edge[2], places),
                                   RVI_VALUE(width),
                                   RVI_VALUE(height)};
    status = RUN("river_edge_in", places, 1);
    return status == RV_OK && r->stack ? edge_stack_in(r) : status;
}

/* ---- rivers ---- */

static rvi_flow_shape shape_of(const rvi_rivers *r) {
    const rvi_flow *f = &r->flow;
    return (rvi_flow_shape){.width = f->width,
                            .height = f->height,
                            .across = f->across,
                            .down = f->down,
                            .rain = f->rain != NULL};
}

static rv_status guess_load(rvi_rivers *r, double rise) {
    const uint64_t count = r->cells;
    const rvi_device_arg args[] = {WRITE(r->load), READ(r->uplift), RVI_VALUE(rise),
                                   RVI_VALUE(count)};
    r->loaded = true;
    return RUN("river_guess_load", r->cells, 1);
}

static rv_status rise_land(rvi_rivers *r, const rvi_river_law *law) {
    const rvi_flow *f = &r->flow;
    const rvi_flow_shape shape = shape_of(r);
    const rvi_device_arg args[] = {READ(f->direction),
                                   READ(f->area),
                                   READ(f->discharge),
                                   READ(r->h),
                                   WRITE(r->risen),
                                   WRITE(r->water),
                                   READ(r->uplift),
                                   CHANGE(r->lifted),
                                   CHANGE(r->bed),
                                   READ(r->factor.cells),
                                   READ(r->rock),
                                   READ(r->wide),
                                   GRID(READ, r->power, RVI_AREAS),
                                   RVI_VALUE(*law),
                                   RVI_VALUE(shape)};
    return RUN("river_rise", wide(r), high(r));
}

/* To memory that is free until something slides. */
static rv_status look_ahead(rvi_rivers *r) {
    const rvi_flow *f = &r->flow;
    const rvi_flow_shape shape = shape_of(r);
    const rvi_device_arg args[] = {READ(f->direction), READ(r->risen), RVI_FLOW_LAKES(f),
                                   WRITE(r->next), RVI_VALUE(shape)};
    return RUN("river_ahead", wide(r), high(r));
}

rv_status rvi_rivers_device_cut(rvi_rivers *r, double rise) {
    const rvi_flow *f = &r->flow;
    const rvi_river_law law = law_of(r, rise);
    const rvi_rock_law rock = rock_law(r);
    size_t tile = RVI_TILE * RVI_TILE;
    const rvi_device_arg args[] = {
        RVI_LOCAL(tile * sizeof(double)),
        RVI_LOCAL(tile),
        READ(f->direction),
        READ(f->area),
        CHANGE(r->h),
        WRITE(r->lake),
        CHANGE(r->water),
        READ(f->lakes ? f->drowned : NULL),
        READ(r->load ? r->next : NULL),
        READ(r->load),
        READ(r->risen),
        READ(r->factor.cells),
        READ(r->mask),
        READ(r->strength),
        READ(r->wide),
        RVI_VALUE(law),
        ROCK(rock),
    };
    rv_status status = r->load && !r->loaded ? guess_load(r, rise) : RV_OK;
    r->rise += rise;
    if (status == RV_OK)
        status = rise_land(r, &law);
    if (status == RV_OK && r->load)
        status = look_ahead(r);
    if (status == RV_OK)
        status = r->stack ? WALK(true, "river_cut_stack") : WALK(true, "river_cut");
    return status;
}

static rv_status sum_left(rvi_rivers *r) {
    const rvi_flow *f = &r->flow;
    const rvi_flow_shape shape = shape_of(r);
    size_t pieces = rvi_flow_pieces(f->width, f->height);
    const rvi_device_arg args[] = {READ(f->direction),
                                   READ(r->h),
                                   READ(r->risen),
                                   GRID(READ, f->waits, pieces),
                                   GRID(WRITE, r->tile_left, tiles(r)),
                                   RVI_LOCAL(2 * RVI_TILE * sizeof(uint32_t)),
                                   RVI_VALUE(shape)};
    rv_status status = RUN("river_left", tiles(r) * RVI_DEVICE_GROUP, 1);
    if (status == RV_OK)
        status = rvi_device_fetch(r->job->device, r->tile_left);
    double sum = 0.0;
    for (size_t t = 0; status == RV_OK && t < tiles(r); t++)
        sum += r->tile_left[t];
    r->left += sum;
    return status;
}

rv_status rvi_rivers_device_carry(rvi_rivers *r) {
    const rvi_flow *f = &r->flow;
    double sum = 0.0;
    if (!r->load) {
        rv_status status = sum_difference(r, r->risen, r->h, &sum);
        r->left += sum;
        return status;
    }
    const rvi_rock_law rock = rock_law(r);
    size_t tile = RVI_CARRY_SIDE * RVI_CARRY_SIDE;
    const rvi_device_arg args[] = {RVI_LOCAL(tile * sizeof(double)),
                                   RVI_LOCAL(tile),
                                   READ(f->direction),
                                   READ(f->area),
                                   CHANGE(r->h),
                                   CHANGE(r->risen),
                                   CHANGE(r->load),
                                   ROCK(rock)};
    rv_status status = r->stack ? WALK(false, "river_carry_stack") : WALK(false, "river_carry");
    return status == RV_OK ? sum_left(r) : status;
}

static rv_status fill(rvi_rivers *r) {
    const rvi_flow *f = &r->flow;
    const rvi_river_law law = law_of(r, 0.0);
    const rvi_device_arg args[] = {READ(f->direction),
                                   READ(r->h),
                                   WRITE(r->water),
                                   WRITE(r->risen),
                                   READ(f->lakes ? f->basin : NULL),
                                   GRID(READ, f->lakes ? f->spill : NULL, rvi_flow_basins(f)),
                                   READ(r->mask),
                                   RVI_VALUE(law)};
    return WALK(true, "river_fill");
}

rv_status rvi_rivers_device_raise(rvi_rivers *r, double share, double *before) {
    const uint64_t count = r->cells;
    const rvi_rock_law rock = rock_law(r);
    const rvi_device_arg args[] = {CHANGE(r->h),     READ(r->water),   WRITE(before), READ(r->mask),
                                   RVI_VALUE(share), RVI_VALUE(count), ROCK(rock)};
    double left = 0.0;
    rv_status status = RUN("river_raise", r->cells, 1);
    if (status == RV_OK)
        status = sum_difference(r, before, r->h, &left);
    r->left += left;
    return status;
}

rv_status rvi_rivers_device_fill_lakes(rvi_rivers *r) {
    double whole = 0.0;
    rv_status status = fill(r);
    if (status == RV_OK)
        status = sum_difference(r, r->risen, r->h, &whole);
    if (status != RV_OK || !(whole > 0.0) || !(r->left > 0.0))
        return status;
    return rvi_rivers_device_raise(r, r->left < whole ? r->left / whole : 1.0, r->risen);
}

/* ---- slides ---- */

static void swap_grids(unsigned char **a, unsigned char **b) {
    unsigned char *c = *a;
    *a = *b;
    *b = c;
}

/* A group takes one part after the other, where there are more parts than groups. */
static size_t slide_items(const rvi_rivers *r) {
    size_t parts = slide_parts(r);
    return (parts < SLIDE_GROUPS ? parts : SLIDE_GROUPS) * RVI_TILE;
}

#define PARTS(use, grid) GRID(use, grid, slide_parts(r))

/* Finds what slides in a round: the first is 1. */
static rv_status look_at_slides(rvi_rivers *r, const rvi_steep_law *law, uint32_t round) {
    uint32_t *list = r->slide_list[(round - 1) % 2];
#define SLIDES                                                                                     \
    READ(r->h), READ(r->water), READ(r->fixed), READ(r->lake), READ(r->factor.cells),              \
        READ(r->strength), WRITE(r->next), CHANGE(r->moves), RVI_VALUE(*law)
    if (round == 1) {
        const rvi_device_arg args[] = {SLIDES, PARTS(CHANGE, r->slide_seen), PARTS(WRITE, list),
                                       GRID(CHANGE, r->slide_count, 2)};
        return RUN("slide_first", wide(r), high(r));
    }
    const rvi_device_arg args[] = {SLIDES, READ(r->moved), PARTS(READ, list),
                                   GRID(CHANGE, r->slide_count, 2), RVI_VALUE(round)};
    return RUN("slide_look", slide_items(r), 1);
}

static rv_status slide_round(rvi_rivers *r, const rvi_steep_law *law, uint32_t round) {
    const rvi_rock_law rock = rock_law(r);
    const rvi_device_arg args[] = {
        CHANGE(r->h),
        READ(r->next),
        CHANGE(r->moves),
        CHANGE(r->moved),
        PARTS(CHANGE, r->slide_seen),
        PARTS(READ, r->slide_list[(round - 1) % 2]),
        PARTS(WRITE, r->slide_list[round % 2]),
        GRID(CHANGE, r->slide_count, 2),
        RVI_VALUE(*law),
        RVI_VALUE(round),
        ROCK(rock),
    };
    rv_status status = look_at_slides(r, law, round);
    if (status == RV_OK)
        status = RUN("slide_move", slide_items(r), 1);
    swap_grids(&r->moved, &r->moves);
    return status;
}

static rv_status clear_slides(rvi_rivers *r) {
    const rvi_device_arg grids[] = {READ(r->moved), READ(r->moves), PARTS(READ, r->slide_seen),
                                    GRID(READ, r->slide_count, 2)};
    rv_status status = RV_OK;
    for (int k = 0; status == RV_OK && k < COUNT(grids); k++)
        status = rvi_device_zero(r->job->device, grids[k].memory, grids[k].size);
    return status;
}

rv_status rvi_rivers_device_slide(rvi_rivers *r, int rounds, bool last) {
    double far = r->stands * (double)r->land->cell;
    const rvi_steep_law law = {.far = far,
                               .enough = 1e-4 * far,
                               .least_far = far * (1.0 - (double)r->p->talus_vary),
                               .width = r->land->width,
                               .height = r->land->height,
                               .parts = (r->land->width + RVI_TILE - 1) / RVI_TILE,
                               .last = last};
    rv_status status = clear_slides(r);
    bool slides = true;
    for (uint32_t round = 1; status == RV_OK && slides && round <= (uint32_t)rounds; round++) {
        status = slide_round(r, &law, round);
        if (status != RV_OK || round % BATCH != 0)
            continue;
        status = rvi_device_fetch(r->job->device, r->slide_count);
        slides = r->slide_count[round % 2] > 0; /* what the next round looks at */
        if (status == RV_OK)
            status = rvi_poll(r->job->ctx);
    }
    return status == RV_OK ? rvi_poll(r->job->ctx) : status;
}

/* ---- what creeps ---- */

rv_status rvi_rivers_device_loosen(rvi_rivers *r) {
    const rvi_loose_law law = {
        .creep = (double)r->p->diffusion,
        .floods = (double)r->p->floods,
        .mobility = r->mobility,
        .cell = r->distance[0],
        .width = r->land->width,
        .height = r->land->height,
        .reach = r->of_lattice < 1.0f ? (int)fminf(1.0f / r->of_lattice, 1e6f) : 1,
        .spacing = r->p->spacing};
    const rvi_device_arg args[] = {READ(r->h),    READ(r->factor.cells), READ(r->mask),
                                   READ(r->wide), WRITE(r->loose),       RVI_VALUE(law)};
    return RUN("river_loosen", wide(r), high(r));
}

static rv_status find_crossed(rvi_rivers *r, int south) {
    const int width = r->land->width, height = r->land->height;
    const rvi_device_arg args[] = {READ(r->fixed), GRID(WRITE, r->crossed, strips(r) * high(r)),
                                   RVI_VALUE(width), RVI_VALUE(height), RVI_VALUE(south)};
    return RUN("creep_find", strips(r), high(r));
}

static rv_status count_crossed(rvi_rivers *r, const double *to, const float *loose,
                               const rvi_creep_law *law, bool south) {
    size_t parts = rvi_hillslope_parts(law->width, law->height);
    rv_status status = find_crossed(r, south);
    if (status != RV_OK)
        return status;
    const rvi_device_arg args[] = {
        READ(to),
        READ(r->fixed),
        READ(loose),
        GRID(READ, r->crossed, strips(r) * high(r)),
        GRID(WRITE, r->flux, parts),
        RVI_VALUE(*law),
        RVI_LOCAL((RVI_DEVICE_GROUP + 1) * sizeof(uint32_t)),
    };
    return south ? RUN("creep_cross_strips", strips(r) * RVI_DEVICE_GROUP, 1)
                 : rvi_device_run(r->job->device, "river_cells", "creep_cross_rows", high(r), 1,
                                  args, COUNT(args) - 1);
}

/* Along rows, or along columns. */
static rv_status creep_along(rvi_rivers *r, const rvi_hillslope *s, const double *from, int south) {
    const rvi_creep_law law = {s->number, s->width, s->height};
    size_t cells = 2 * RVI_CREEP_PART * (RVI_CREEP_LINES + 1), lines = south ? wide(r) : high(r);
    const rvi_device_arg args[] = {READ(from),
                                   WRITE(s->to), /* or it is the same */
                                   WRITE(s->scratch),
                                   READ(s->fixed),
                                   READ(s->loose),
                                   RVI_VALUE(law),
                                   RVI_VALUE(south),
                                   RVI_LOCAL(cells * sizeof(double)),
                                   RVI_LOCAL(cells * sizeof(double)),
                                   RVI_LOCAL(cells * sizeof(float)),
                                   RVI_LOCAL(cells)};
    size_t groups = (lines + RVI_CREEP_LINES - 1) / RVI_CREEP_LINES;
    rv_status status = RUN("creep_along", groups * RVI_CREEP_GROUP, 1);
    return status == RV_OK && s->flux ? count_crossed(r, s->to, s->loose, &law, south) : status;
}

rv_status rvi_rivers_device_creep(rvi_rivers *r, const rvi_hillslope *s) {
    rv_status status = creep_along(r, s, s->from, s->columns_first);
    if (status == RV_OK)
        status = creep_along(r, s, s->to, !s->columns_first);
    return status == RV_OK && s->flux ? rvi_device_fetch(r->job->device, s->flux) : status;
}

rv_status rvi_rivers_device_creep_near(rvi_rivers *r, bool back) {
    const uint64_t count = r->cells;
    const rvi_device_arg args[] = {READ(r->h), back ? CHANGE(r->next) : WRITE(r->next),
                                   RVI_VALUE(r->datum), RVI_VALUE(count)};
    return RUN(back ? "creep_from_datum" : "creep_to_datum", r->cells, 1);
}

rv_status rvi_rivers_device_follow(rvi_rivers *r) {
    const rvi_rock_law rock = rock_law(r);
    const rvi_device_arg args[] = {CHANGE(r->h), READ(r->fixed), ROCK(rock)};
    return r->bed ? RUN("river_follow", r->cells, 1) : RV_OK;
}

/* ---- levels ---- */

static rvi_bring_law bring_law(const rvi_rivers *fine, const rvi_rivers *coarse, double decay) {
    return (rvi_bring_law){.rise = coarse->rise,
                           .decay = decay,
                           .spacing = fine->p->spacing,
                           .apart = coarse->apart,
                           .least = fine->least,
                           .coarse = rvi_level_law(coarse, fine),
                           .width = fine->land->width,
                           .height = fine->land->height};
}

rv_status rvi_rivers_device_bring(rvi_rivers *r, const rvi_rivers *coarse, double decay) {
    const rvi_bring_law law = bring_law(r, coarse, decay);
    const rvi_rock_law rock = rock_law(r);
    double left = 0.0;
    const rvi_device_arg args[] = {CHANGE(r->h),
                                   WRITE(r->risen),
                                   CHANGE(r->lifted),
                                   READ(r->fixed),
                                   READ(r->uplift),
                                   READ(r->factor.cells),
                                   READ(r->wide),
                                   GRID(READ, coarse->start, coarse->cells),
                                   GRID(READ, coarse->h, coarse->cells),
                                   RVI_VALUE(law),
                                   ROCK(rock)};
    rv_status status = RUN("river_bring", wide(r), high(r));
    if (status == RV_OK)
        status = sum_difference(r, r->risen, r->h, &left);
    r->left += left;
    r->brought = r->cells;
    return status;
}

static rv_status show_layer(const rvi_rivers *r, int layer) {
    const uint64_t count = r->cells;
    const rvi_device_arg args[] = {GRID(READ, r->stack, above(r) * r->cells),
                                   WRITE(r->land->layers[layer].thickness), RVI_VALUE(layer),
                                   RVI_VALUE(count)};
    return RUN("river_show_layer", r->cells, 1);
}

rv_status rvi_rivers_device_show(const rvi_rivers *r) {
    const uint64_t count = r->cells;
    const rvi_device_arg args[] = {READ(r->bed ? r->bed : r->h), READ(r->fixed),
                                   CHANGE(r->land->layers[0].thickness), RVI_VALUE(count)};
    rv_status status = RUN("river_show", r->cells, 1);
    for (int l = 1; l < r->land->layer_count && status == RV_OK; l++)
        status = show_layer(r, l);
    return status == RV_OK ? rvi_job_sum_layers(r->job, r->land) : status;
}

rv_status rvi_rivers_device_show_level(const rvi_rivers *r, const rvi_rivers *coarse) {
    rvi_bring_law law = bring_law(r, coarse, 0.0);
    law.apart = coarse->metres / r->metres;
    const rvi_device_arg args[] = {READ(r->bed ? r->bed : r->h),
                                   READ(r->fixed),
                                   READ(r->factor.cells),
                                   GRID(READ, coarse->start, coarse->cells),
                                   GRID(READ, coarse->h, coarse->cells),
                                   CHANGE(r->land->layers[0].thickness),
                                   RVI_VALUE(law)};
    rv_status status = RUN("river_show_level", wide(r), high(r));
    return status == RV_OK ? rvi_job_sum_layers(r->job, r->land) : status;
}
