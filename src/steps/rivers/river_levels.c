/* river_levels.c: rivers find their courses on coarse cells first, and then on finer ones.
 *
 * Which way water goes on a slope depends on every cell of it: on grids of other cells the same
 * land gets other rivers, and longer ones where cells are finer. So most of the time passes on
 * cells about as large as the area of a river's source, in metres, whatever the map's own cells
 * are. Then its result is brought to cells half as large, and rivers cut on there for a short part
 * of the time, down to the cells of the map. A small difference at the start can send a river into
 * another valley. So the coarse levels have the same cells at the same places and the same time
 * steps whatever the cells of the map are: as many metres apart, from the first cell of the map on.
 * What a coarse cell has is a mean around it whose weights fall off as far as the next one (below).
 * What the level changed is brought back:
 *
 *     z'(fine) = z'(coarse) + (z(fine) - z(coarse)) exp(-D k^2 t)      z before, z' after t
 *
 * with the coarse land interpolated, and its change bent (below): what coarse cells cannot hold has
 * crept away meanwhile. The ledger holds what each cell of the map won and lost.
 */
#include "base/context.h"
#include "base/math.h"
#include "base/random.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "steps/rivers/river_cut.h"

#include <math.h>

enum { SMALLEST = 32 };    /* cells along a side of a coarser level; the map has twice as many */
enum { FEWEST_STEPS = 4 }; /* with less all time passes on the map */
/* How wide the cells of the coarsest level and of others are at least, in cells of the map. */
#define LEAST_COARSEST 1.1
#define LEAST_COARSE 1.75
/* Shares of the time and of the steps that are left to finer levels than the coarsest: each takes
 * half of what is left, the last one all of it. Their steps are shorter, because land that comes
 * from coarser cells has pits, and lakes are not cut until they run dry. */
#define FINER_TIME 0.1
#define FINER_STEPS 0.15

/* Rivers raise a plain by a little in each time step: what they lay down takes some of them. */
static int steps_of(const rv_rivers_params *p) {
    return p->deposition > 0.0f && p->steps < 16 ? 16 : p->steps;
}

/* Down to a round number: the same for most maps whose extent differs by the width of a cell. */
static double rounded_down(double length) {
    static const double steps[] = {10.0, 8.0, 6.0, 5.0, 4.0, 3.0, 2.5, 2.0, 1.5, 1.2, 1.0};
    double unit = 1.0;
    for (; unit > length; unit *= 0.1)
        ;
    for (; unit * 10.0 <= length; unit *= 10.0)
        ;
    int k = 0;
    while (k < 10 && steps[k] * unit > length * (1.0 + 1e-6))
        k++;
    return steps[k] * unit;
}

/* In metres; 0: there is no coarse level. Cells of the map are no measure for it. */
static double coarsest_cell(const rv_rivers_params *p, const rv_terrain *land) {
    double cell = (double)land->cell, source = 1000.0 * sqrt((double)p->source);
    int side = land->width < land->height ? land->width : land->height;
    if (steps_of(p) < FEWEST_STEPS || side < 2 * SMALLEST || !(source > cell))
        return 0.0;
    double widest = rounded_down((double)(side - 1) * cell / (SMALLEST - 1));
    double coarse = source < widest ? source : widest;
    while (coarse >= ldexp(LEAST_COARSE, RVI_RIVER_LEVELS - 1) * cell)
        coarse *= 0.5; /* there is no room for more levels */
    return coarse >= LEAST_COARSEST * cell ? coarse : 0.0;
}

int rvi_levels_count(const rv_rivers_params *p, const rv_terrain *land) {
    double cell = coarsest_cell(p, land) / (double)land->cell;
    int count = cell > 0.0 ? 2 : 1;
    for (; cell >= 2.0 * LEAST_COARSE; count++)
        cell *= 0.5;
    return count;
}

void rvi_levels_share(rvi_rivers *level, int count, const rv_rivers_params *p) {
    double steps = (double)steps_of(p), time = (double)p->time;
    for (int l = count - 1; l >= 0; l--) {
        bool coarsest = l + 1 == count;
        double now = l == 0 ? steps : steps * (coarsest ? 1.0 - FINER_STEPS : 0.5);
        level[l].steps = now > 1.0 ? (int)(now + 0.5) : 1;
        level[l].time = l == 0 ? time : time * (coarsest ? 1.0 - FINER_TIME : 0.5);
        steps -= now;
        time -= level[l].time;
    }
}

/* Cells of a level along one side of the map, from its first cell on. */
static int cells_along(int cells, double map_cell, double cell) {
    return 1 + (int)((cells - 1) * map_cell / cell + 1e-6);
}

void rvi_level_outline(rvi_rivers *coarse, const rvi_rivers *fine, int halved) {
    const rv_terrain *land = coarse->job->land;
    double map_cell = (double)land->cell;
    coarse->metres = ldexp(coarsest_cell(coarse->p, land), -halved);
    coarse->apart = coarse->metres / fine->metres;
    coarse->coarse = *land;
    coarse->coarse.width = cells_along(land->width, map_cell, coarse->metres);
    coarse->coarse.height = cells_along(land->height, map_cell, coarse->metres);
    coarse->coarse.cell = (float)coarse->metres;
    if (coarse->layers) /* a plan has no grids */
        coarse->coarse.layers = coarse->layers;
    coarse->land = &coarse->coarse;
    coarse->cells = rvi_cells(coarse->land);
    for (int l = 0; coarse->layers && l < land->layer_count; l++) {
        coarse->layers[l] = land->layers[l];
        coarse->layers[l].thickness = coarse->thickness + (size_t)l * coarse->cells;
    }
}

/* ---- to coarser cells ----
 *
 * What a cell of a coarse level has is the mean of the map under a hat that falls to 0 at the next
 * cells. To take each level from the finer one, the weights must have the variance that is missing:
 * the hat of a level has a sixth of its cell squared. rvi_level_weight() has (1 + reach^2) / 6.
 * Heights become floats, like those of the map: so differences of them are exact, and what does not
 * move stays where it is to the last bit. */

double rvi_level_reach(const rvi_rivers *coarse, const rvi_rivers *fine) {
    double of_fine = fine->start ? 1.0 : 0.0;
    return sqrt(coarse->apart * coarse->apart - 1.0 - of_fine);
}

typedef struct coarsening {
    const rvi_rivers *coarse, *fine;
    rvi_fine_grid from;
    double reach, low, high; /* the result is no less and no more */
    float *to;
    double *to_doubles;
} coarsening;

static void coarsen_rows(void *arg, int first, int end) {
    const coarsening *c = arg;
    const rv_terrain *fine = c->fine->land;
    double apart = c->coarse->apart;
    size_t width = (size_t)c->coarse->land->width;
    rvi_taps down[RVI_ROWS];
    for (int y = first; y < end; y++)
        down[y - first] = rvi_level_hat(apart * y, c->reach, fine->height);
    for (size_t x = 0; x < width; x++) {
        rvi_taps across = rvi_level_hat(apart * (double)x, c->reach, fine->width);
        for (int y = first; y < end; y++) {
            size_t i = (size_t)y * width + x;
            double mean = rvi_level_mean(&c->from, &across, &down[y - first]);
            if (c->to)
                c->to[i] = (float)rvi_within(mean, c->low, c->high);
            else
                c->to_doubles[i] = (double)(float)mean;
        }
    }
}

static rv_status coarsen(const rvi_rivers *fine, const float *from, rvi_rivers *coarse, float *to,
                         double low, double high) {
    if (!to)
        return RV_OK;
    if (fine->job->device)
        return rvi_rivers_device_coarsen(fine, coarse, from, to, low, high);
    coarsening c = {.coarse = coarse,
                    .fine = fine,
                    .from = {.floats = from, .width = fine->land->width},
                    .reach = rvi_level_reach(coarse, fine),
                    .low = low,
                    .high = high,
                    .to = to};
    return rvi_parallel_rows(fine->job->ctx, coarse->land->height, coarsen_rows, &c);
}

static rv_status coarsen_doubles(const rvi_rivers *fine, const double *from, rvi_rivers *coarse,
                                 double *to) {
    if (!to)
        return RV_OK;
    if (fine->job->device)
        return rvi_rivers_device_coarsen_doubles(fine, coarse, from, to);
    coarsening c = {.coarse = coarse,
                    .fine = fine,
                    .from = {.doubles = from, .width = fine->land->width},
                    .reach = rvi_level_reach(coarse, fine),
                    .to_doubles = to};
    return rvi_parallel_rows(fine->job->ctx, coarse->land->height, coarsen_rows, &c);
}

/* Of a share, 0 to 1. */
static rv_status coarsen_share(const rvi_rivers *fine, const float *from, rvi_rivers *coarse,
                               float *to) {
    return coarsen(fine, from, coarse, to, 0.0, 1.0);
}

typedef struct sea_of {
    rvi_rivers *coarse;
    const rvi_rivers *fine;
} sea_of;

static void sea_rows(void *arg, int first, int end) {
    const sea_of *s = arg;
    const rv_terrain *fine = s->fine->land;
    double apart = s->coarse->apart;
    size_t width = (size_t)s->coarse->land->width;
    for (size_t y = (size_t)first; y < (size_t)end; y++) {
        size_t row = rvi_level_nearest(apart, y, fine->height) * (size_t)fine->width;
        for (size_t x = 0; x < width; x++) {
            size_t from = row + rvi_level_nearest(apart, x, fine->width);
            bool sea = s->fine->fixed[from] == RVI_SEA;
            s->coarse->fixed[y * width + x] = sea ? RVI_SEA : 0;
        }
    }
}

static rv_status find_sea(rvi_rivers *coarse, const rvi_rivers *fine) {
    sea_of s = {coarse, fine};
    if (fine->job->device)
        return rvi_rivers_device_coarsen_sea(fine, coarse);
    return rvi_parallel_rows(coarse->job->ctx, coarse->land->height, sea_rows, &s);
}

rv_status rvi_level_fill(rvi_rivers *coarse, const rvi_rivers *fine, int halved) {
    rvi_level_outline(coarse, fine, halved);
    coarse->factor.land = coarse->land;
    coarse->mask = coarse->mask_room;
    rv_status status = coarsen_doubles(fine, fine->h, coarse, coarse->h);
    if (status == RV_OK)
        status = find_sea(coarse, fine);
    if (status == RV_OK)
        status = coarsen_doubles(fine, fine->bed, coarse, coarse->bed);
    for (int l = 0; status == RV_OK && l < coarse->land->layer_count; l++)
        status = coarsen(fine, fine->land->layers[l].thickness, coarse,
                         coarse->land->layers[l].thickness, l > 0 ? 0.0 : -1e30, 1e30);
    if (status == RV_OK)
        status = coarsen_share(fine, fine->factor.cells, coarse, coarse->factor.cells);
    if (status == RV_OK)
        status = coarsen(fine, fine->factor.bands, coarse, coarse->factor.bands, -1e30, 1e30);
    if (status == RV_OK)
        status = coarsen_share(fine, fine->mask, coarse, coarse->mask_room);
    if (status == RV_OK)
        status = coarsen_share(fine, fine->uplift, coarse, coarse->uplift);
    if (status == RV_OK)
        status = coarsen_share(fine, fine->wide, coarse, coarse->wide);
    return status == RV_OK ? coarsen_share(fine, fine->rain, coarse, coarse->rain) : status;
}

/* ---- to finer cells ---- */

/* Shapes that the coarse cells cannot hold: in their time, waves of four fine cells creep away as
 * exp(-D k^2 t). D k^2 t, where valleys lie no farther apart. */
static double decay_of(const rvi_rivers *fine) {
    double k = 0.5 * RVI_PI / (double)fine->land->cell;
    double time = (double)fine->p->time - fine->time; /* that has passed */
    return (double)fine->p->diffusion * time * k * k;
}

rvi_coarse_law rvi_level_law(const rvi_rivers *coarse, const rvi_rivers *fine) {
    int width = coarse->land->width, height = coarse->land->height;
    double east = (double)(fine->land->width - 1) / coarse->apart;
    double south = (double)(fine->land->height - 1) / coarse->apart;
    return (rvi_coarse_law){.beyond_x = east - (double)(width - 1),
                            .beyond_y = south - (double)(height - 1),
                            .seed = coarse->p->seed,
                            .width = width,
                            .height = height};
}

static void bring_cell(rvi_rivers *fine, const rvi_rivers *coarse, const rvi_coarse_law *law,
                       size_t cell, double decay) {
    size_t width = (size_t)fine->land->width;
    double was = fine->h[cell], before, after;
    if (!fine->fixed[cell]) /* sides go where they go by themselves */
        rvi_rivers_lift(fine, cell, coarse->rise);
    fine->risen[cell] = fine->h[cell];
    if (fine->fixed[cell])
        return;
    if (!(rvi_rivers_factor(fine, cell) > 0.0))
        return;
    rvi_level_land(coarse->start, coarse->h, law, (double)(cell % width) / coarse->apart,
                   (double)(cell / width) / coarse->apart, &before, &after);
    double stays = rvi_river_stays(decay, rvi_rivers_apart(fine, cell));
    double to = after + (was - before) * (1.0 - (1.0 - stays) * rvi_rivers_factor(fine, cell));
    double risen = fine->h[cell];
    to = to < fine->least ? fine->least : to;
    if (fine->bed && to < risen)
        rvi_rivers_slide_to(fine, cell, to);
    else
        rvi_rivers_shift(fine, cell, to - risen);
}

typedef struct bringing {
    rvi_rivers *fine;
    const rvi_rivers *coarse;
    rvi_coarse_law law;
    double decay;
} bringing;

static void bring_rows(void *arg, int first, int end) {
    const bringing *b = arg;
    size_t width = (size_t)b->fine->land->width;
    for (size_t cell = (size_t)first * width; cell < (size_t)end * width; cell++)
        bring_cell(b->fine, b->coarse, &b->law, cell, b->decay);
}

rv_status rvi_level_bring(rvi_rivers *fine, const rvi_rivers *coarse) {
    if (fine->brought == fine->cells)
        return RV_OK;
    if (fine->job->device)
        return rvi_rivers_device_bring(fine, coarse, decay_of(fine));
    bringing b = {fine, coarse, rvi_level_law(coarse, fine), decay_of(fine)};
    rv_status status = rvi_rivers_rows(fine, &fine->brought, bring_rows, &b);
    if (status == RV_OK)
        fine->left += rvi_sum_difference(fine->job->ctx, fine->risen, fine->h, fine->cells);
    return status;
}

/* ---- to be looked at ---- */

typedef struct showing {
    const rvi_rivers *map, *coarse;
    double apart; /* coarse cells, in cells of the map */
} showing;

static void show_rows(void *arg, int first, int end) {
    const showing *s = arg;
    const rvi_rivers *map = s->map, *coarse = s->coarse;
    const double *was = map->bed ? map->bed : map->h;
    int width = map->land->width;
    for (int y = first; y < end; y++)
        for (int x = 0; x < width; x++) {
            size_t i = (size_t)y * (size_t)width + (size_t)x;
            double by =
                rvi_level_change(coarse->start, coarse->h, coarse->land->width,
                                 coarse->land->height, (double)x / s->apart, (double)y / s->apart);
            bool stays = map->factor.cells && !(map->factor.cells[i] > 0.0f);
            if (map->fixed[i] != RVI_SEA)
                map->land->layers[0].thickness[i] = (float)(was[i] + (stays ? 0.0 : by));
        }
}

rv_status rvi_level_show(const rvi_rivers *map, const rvi_rivers *coarse) {
    if (map->job->device)
        return rvi_rivers_device_show_level(map, coarse);
    showing s = {map, coarse, coarse->metres / map->metres};
    rv_status status = rvi_parallel_rows(map->job->ctx, map->land->height, show_rows, &s);
    if (status == RV_OK)
        rvi_terrain_sum_layers(map->land);
    return status;
}
