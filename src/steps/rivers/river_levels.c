/* river_levels.c: rivers find their courses on coarse cells first, and then on finer ones.
 *
 * Which way water goes on a slope depends on every cell of it: on grids of other cells the same
 * land gets other rivers, and longer ones where cells are finer. So most of the time passes on
 * cells about as large as the area of a river's source, in metres, whatever the map's own cells
 * are. Then its result is brought to cells half as large, and rivers cut on there for a short part
 * of the time, down to the cells of the map. A small difference at the start can send a river into
 * another valley. So the coarsest level has the same cells and the same time steps whatever the
 * cells of the map are: every second cell of a level is one of the next coarser one, and what that
 * has is a mean around it whose weights fall off as far as the next coarse cell (below).
 * What it changed is brought back:
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

enum { SMALLEST = 32 }; /* cells along a side of a coarser level */
/* Shares of the time and of the steps that are left to finer levels than the coarsest: each takes
 * half of what is left, the last one all of it. Their steps are shorter, because land that comes
 * from coarser cells has pits, and lakes are not cut until they run dry. */
#define FINER_TIME 0.1
#define FINER_STEPS 0.15

/* Rivers raise a plain by a little in each time step: what they lay down takes some of them. */
static int steps_of(const rv_rivers_params *p) {
    return p->deposition > 0.0f && p->steps < 16 ? 16 : p->steps;
}

int rvi_levels_count(const rv_rivers_params *p, const rv_terrain *land) {
    double source = 1000.0 * sqrt((double)p->source), cell = 2.0 * (double)land->cell;
    int side = land->width < land->height ? land->width : land->height, count = 1;
    int most = 1 + steps_of(p) / 4; /* a step at least for each */
    most = most < RVI_RIVER_LEVELS ? most : RVI_RIVER_LEVELS;
    for (; count < most && cell <= source && side >= 2 * SMALLEST; count++) {
        cell *= 2.0;
        side = (side + 1) / 2;
    }
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

void rvi_level_outline(rvi_rivers *coarse, const rvi_rivers *fine) {
    const rv_terrain *land = fine->land;
    coarse->coarse = *land;
    coarse->coarse.width = (land->width + 1) / 2;
    coarse->coarse.height = (land->height + 1) / 2;
    coarse->coarse.cell = 2.0f * land->cell;
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
 * Weights 1 2 1 from level to level are, in all, a hat that falls to 0 at the next coarse cells.
 * With those of the first level it is as wide whatever the cells of the map are: the weights of the
 * map's cells have the variance of the hat, a sixth of a coarse cell squared. */
static const double HAT[2][5] = {{0, 12, 24, 12, 0}, {1, 12, 22, 12, 1}};

typedef struct halving {
    rvi_halving mean;
    int width; /* of the coarse level */
    float *to;
    double *to_doubles;
} halving;

const double *rvi_level_hat(const rvi_rivers *fine) {
    return HAT[fine->land == fine->job->land];
}

static void halve_rows(void *arg, int first, int end) {
    const halving *h = arg;
    size_t width = (size_t)h->width;
    for (size_t y = (size_t)first; y < (size_t)end; y++)
        for (size_t x = 0; x < width; x++) {
            size_t i = y * width + x;
            double mean = rvi_level_mean(&h->mean, x, y);
            if (h->to)
                h->to[i] = (float)mean;
            else
                h->to_doubles[i] = mean;
        }
}

static halving to_coarser(const rvi_rivers *fine, const rvi_rivers *coarse) {
    return (halving){.mean = {.hat = rvi_level_hat(fine),
                              .width = fine->land->width,
                              .height = fine->land->height},
                     .width = coarse->land->width};
}

static rv_status halve(const rvi_rivers *fine, const float *from, rvi_rivers *coarse, float *to) {
    if (fine->job->device)
        return to ? rvi_rivers_device_halve(fine, coarse, from, NULL, to, NULL) : RV_OK;
    halving h = to_coarser(fine, coarse);
    h.mean.from = from;
    h.to = to;
    return to ? rvi_parallel_rows(fine->job->ctx, coarse->land->height, halve_rows, &h) : RV_OK;
}

static rv_status halve_doubles(const rvi_rivers *fine, const double *from, rvi_rivers *coarse,
                               double *to) {
    if (fine->job->device)
        return to ? rvi_rivers_device_halve(fine, coarse, NULL, from, NULL, to) : RV_OK;
    halving h = to_coarser(fine, coarse);
    h.mean.from_doubles = from;
    h.to_doubles = to;
    return to ? rvi_parallel_rows(fine->job->ctx, coarse->land->height, halve_rows, &h) : RV_OK;
}

typedef struct sea_of {
    rvi_rivers *coarse;
    const rvi_rivers *fine;
} sea_of;

static void sea_rows(void *arg, int first, int end) {
    const sea_of *s = arg;
    size_t width = (size_t)s->coarse->land->width, fine_width = (size_t)s->fine->land->width;
    for (size_t y = (size_t)first; y < (size_t)end; y++)
        for (size_t x = 0; x < width; x++) {
            bool sea = s->fine->fixed[2 * y * fine_width + 2 * x] == RVI_SEA;
            s->coarse->fixed[y * width + x] = sea ? RVI_SEA : 0;
        }
}

static rv_status find_sea(rvi_rivers *coarse, const rvi_rivers *fine) {
    sea_of s = {coarse, fine};
    if (fine->job->device)
        return rvi_rivers_device_halve_sea(fine, coarse);
    return rvi_parallel_rows(coarse->job->ctx, coarse->land->height, sea_rows, &s);
}

rv_status rvi_level_fill(rvi_rivers *coarse, const rvi_rivers *fine) {
    rvi_level_outline(coarse, fine);
    coarse->factor.land = coarse->land;
    coarse->mask = coarse->mask_room;
    rv_status status = halve_doubles(fine, fine->h, coarse, coarse->h);
    if (status == RV_OK)
        status = find_sea(coarse, fine);
    if (status == RV_OK)
        status = halve_doubles(fine, fine->bed, coarse, coarse->bed);
    for (int l = 0; status == RV_OK && l < coarse->land->layer_count; l++)
        status =
            halve(fine, fine->land->layers[l].thickness, coarse, coarse->land->layers[l].thickness);
    if (status == RV_OK)
        status = halve(fine, fine->factor.cells, coarse, coarse->factor.cells);
    if (status == RV_OK)
        status = halve(fine, fine->factor.bands, coarse, coarse->factor.bands);
    if (status == RV_OK)
        status = halve(fine, fine->mask, coarse, coarse->mask_room);
    if (status == RV_OK)
        status = halve(fine, fine->uplift, coarse, coarse->uplift);
    return status == RV_OK ? halve(fine, fine->rain, coarse, coarse->rain) : status;
}

/* ---- to finer cells ---- */

/* How much of shapes that the coarse cells cannot hold is left after their time: waves of four fine
 * cells creep away as exp(-D k^2 t). */
static double share_left(const rvi_rivers *fine) {
    double k = 0.5 * RVI_PI / (double)fine->land->cell;
    double time = (double)fine->p->time - fine->time; /* that has passed */
    double decay = (double)fine->p->diffusion * time * k * k;
    return decay < 50.0 ? rvi_exp_double(-decay) : 0.0;
}

static void bring_cell(rvi_rivers *fine, const rvi_rivers *coarse, size_t cell, double stays,
                       rvi_river_sums *sums) {
    size_t width = (size_t)fine->land->width;
    double was = fine->h[cell], before, after;
    if (!fine->fixed[cell]) /* sides go where they go by themselves */
        rvi_rivers_lift(fine, cell, coarse->rise);
    fine->risen[cell] = fine->h[cell];
    if (fine->fixed[cell])
        return;
    if (fine->factor.cells && !(fine->factor.cells[cell] > 0.0f))
        return;
    rvi_level_land(coarse->start, coarse->h, coarse->land->width, coarse->land->height,
                   coarse->p->seed, cell % width, cell / width, &before, &after);
    double to = after + (was - before) * (1.0 - (1.0 - stays) * rvi_rivers_factor(fine, cell));
    double risen = fine->h[cell];
    to = to < (double)fine->p->sea ? (double)fine->p->sea : to; /* never without a sea */
    if (fine->bed && to < risen)
        rvi_rivers_slide_to(fine, cell, to, sums);
    else
        rvi_rivers_shift(fine, cell, to - risen, &sums->rounding);
}

typedef struct bringing {
    rvi_rivers *fine;
    const rvi_rivers *coarse;
    double stays;
} bringing;

static void bring_rows(void *arg, int first, int end) {
    const bringing *b = arg;
    size_t width = (size_t)b->fine->land->width;
    rvi_river_sums sums = {0};
    for (size_t cell = (size_t)first * width; cell < (size_t)end * width; cell++)
        bring_cell(b->fine, b->coarse, cell, b->stays, &sums);
    b->fine->sums[first / RVI_ROWS] = sums;
}

rv_status rvi_level_bring(rvi_rivers *fine, const rvi_rivers *coarse) {
    if (fine->brought == fine->cells)
        return RV_OK;
    if (fine->job->device)
        return rvi_rivers_device_bring(fine, coarse, share_left(fine));
    bringing b = {fine, coarse, share_left(fine)};
    rv_status status = rvi_rivers_rows(fine, &fine->brought, bring_rows, &b);
    if (status == RV_OK)
        fine->left += rvi_sum_difference(fine->job->ctx, fine->risen, fine->h, fine->cells);
    return status;
}

/* ---- to be looked at ---- */

typedef struct showing {
    const rvi_rivers *map, *coarse;
    double cell; /* of the map, in coarse cells */
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
                                 coarse->land->height, (double)x * s->cell, (double)y * s->cell);
            bool stays = map->factor.cells && !(map->factor.cells[i] > 0.0f);
            if (map->fixed[i] != RVI_SEA)
                map->land->layers[0].thickness[i] = (float)(was[i] + (stays ? 0.0 : by));
        }
}

rv_status rvi_level_show(const rvi_rivers *map, const rvi_rivers *coarse) {
    if (map->job->device)
        return rvi_rivers_device_show_level(map, coarse);
    showing s = {map, coarse, (double)map->land->cell / (double)coarse->land->cell};
    rv_status status = rvi_parallel_rows(map->job->ctx, map->land->height, show_rows, &s);
    if (status == RV_OK)
        rvi_terrain_sum_layers(map->land);
    return status;
}
