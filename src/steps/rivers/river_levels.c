/* river_levels.c: rivers find their courses on coarse cells first, and then on finer ones.
 *
 * Which way water goes on a slope depends on every cell of it: on grids of other cells the same
 * land gets other rivers, and longer ones where cells are finer. So most of the time passes on
 * cells about as large as the area of a river's source, in metres, whatever the map's own cells
 * are. Then its result is brought to cells half as large, and rivers cut on there for a short part
 * of the time, down to the cells of the map:
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

/* SMALLEST: cells along a side of a coarser level. Each finer level gets 1/PART of the time, and
 * 1/PART_STEPS of the steps. */
enum { SMALLEST = 32, PART = 20, PART_STEPS = 10 };

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
    int steps = steps_of(p), each = steps / PART_STEPS > 1 ? steps / PART_STEPS : 1;
    for (int l = 0; l < count; l++) {
        bool last = l + 1 == count;
        level[l].steps = last ? steps - (count - 1) * each : each;
        level[l].time = (double)p->time * (last ? 1.0 - (double)(count - 1) / PART : 1.0 / PART);
    }
}

void rvi_level_outline(rvi_rivers *coarse, const rvi_rivers *fine) {
    const rv_terrain *land = fine->land;
    coarse->coarse = *land;
    coarse->coarse.width = (land->width + 1) / 2;
    coarse->coarse.height = (land->height + 1) / 2;
    coarse->coarse.cell = 2.0f * land->cell;
    coarse->coarse.erosion.x += 0.5 * (double)land->cell;
    coarse->coarse.erosion.y += 0.5 * (double)land->cell;
    coarse->coarse.volume.x += 0.5 * (double)land->cell;
    coarse->coarse.volume.y += 0.5 * (double)land->cell;
    if (coarse->layers) /* a plan has no grids */
        coarse->coarse.layers = coarse->layers;
    coarse->land = &coarse->coarse;
    coarse->cells = rvi_cells(coarse->land);
    for (int l = 0; coarse->layers && l < land->layer_count; l++) {
        coarse->layers[l] = land->layers[l];
        coarse->layers[l].thickness = coarse->thickness + (size_t)l * coarse->cells;
    }
}

/* ---- to coarser cells: the mean ---- */

typedef struct halving {
    const rv_terrain *fine, *coarse;
    const float *from;
    float *to;
    const double *from_doubles;
    double *to_doubles;
} halving;

/* The up to four cells in one. */
static int cells_in(const rv_terrain *fine, size_t x, size_t y, size_t out[4]) {
    size_t width = (size_t)fine->width, height = (size_t)fine->height;
    int count = 0;
    for (size_t fy = 2 * y; fy < 2 * y + 2 && fy < height; fy++)
        for (size_t fx = 2 * x; fx < 2 * x + 2 && fx < width; fx++)
            out[count++] = fy * width + fx;
    return count;
}

static void halve_rows(void *arg, int first, int end) {
    const halving *h = arg;
    size_t width = (size_t)h->coarse->width, in[4];
    for (size_t y = (size_t)first; y < (size_t)end; y++)
        for (size_t x = 0; x < width; x++) {
            int count = cells_in(h->fine, x, y, in);
            double sum = 0.0;
            for (int k = 0; k < count; k++)
                sum += h->from ? (double)h->from[in[k]] : h->from_doubles[in[k]];
            if (h->to)
                h->to[y * width + x] = (float)(sum / count);
            else
                h->to_doubles[y * width + x] = sum / count;
        }
}

static rv_status halve(const rvi_rivers *fine, const float *from, rvi_rivers *coarse, float *to) {
    halving h = {.fine = fine->land, .coarse = coarse->land, .from = from, .to = to};
    return to ? rvi_parallel_rows(fine->job->ctx, coarse->land->height, halve_rows, &h) : RV_OK;
}

static rv_status halve_doubles(const rvi_rivers *fine, const double *from, rvi_rivers *coarse,
                               double *to) {
    halving h = {.fine = fine->land, .coarse = coarse->land};
    h.from_doubles = from;
    h.to_doubles = to;
    return to ? rvi_parallel_rows(fine->job->ctx, coarse->land->height, halve_rows, &h) : RV_OK;
}

/* A cell is sea when half of it is. */
static rv_status find_sea(rvi_rivers *coarse, const rvi_rivers *fine) {
    size_t width = (size_t)coarse->land->width, in[4];
    for (size_t c = 0; c < coarse->cells; c++) {
        if (rvi_poll_at(coarse->job->ctx, c) != RV_OK)
            return RV_CANCELLED;
        int count = cells_in(fine->land, c % width, c / width, in), sea = 0;
        for (int k = 0; k < count; k++)
            sea += fine->fixed[in[k]] == RVI_SEA;
        coarse->fixed[c] = 2 * sea >= count ? RVI_SEA : 0;
    }
    return RV_OK;
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

static void bring_cell(rvi_rivers *fine, const rvi_rivers *coarse, size_t cell, double stays) {
    size_t width = (size_t)fine->land->width;
    double was = fine->h[cell], before, after;
    if (!fine->fixed[cell]) /* sides go where they go by themselves */
        rvi_rivers_lift(fine, cell, coarse->rise);
    fine->risen[cell] = fine->h[cell];
    if (fine->fixed[cell])
        return;
    if (fine->factor.cells && !(fine->factor.cells[cell] > 0.0f))
        return;
    rvi_level_land(coarse->start, coarse->h, (size_t)coarse->land->width,
                   (size_t)coarse->land->height, coarse->p->seed, cell % width, cell / width,
                   &before, &after);
    double to = after + (was - before) * (1.0 - (1.0 - stays) * rvi_rivers_factor(fine, cell));
    double risen = fine->h[cell];
    to = to < (double)fine->p->sea ? (double)fine->p->sea : to; /* never without a sea */
    rvi_river_sums sums = {0};
    if (fine->bed && to < risen)
        rvi_rivers_slide_to(fine, cell, to, &sums);
    else
        rvi_rivers_shift(fine, cell, to - risen, &sums.rounding);
    fine->job->rounding += sums.rounding;
}

rv_status rvi_level_bring(rvi_rivers *fine, const rvi_rivers *coarse) {
    double stays = share_left(fine);
    if (fine->brought == fine->cells)
        return RV_OK;
    if (fine->job->device)
        return rvi_rivers_device_bring(fine, coarse, stays);
    for (; fine->brought < fine->cells; fine->brought++) {
        if (rvi_poll_at(fine->job->ctx, fine->brought) != RV_OK)
            return RV_CANCELLED;
        bring_cell(fine, coarse, fine->brought, stays);
    }
    fine->left += rvi_sum_difference(fine->job->ctx, fine->risen, fine->h, fine->cells);
    return RV_OK;
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
    size_t wide = (size_t)coarse->land->width, east = wide > 1;
    size_t south = coarse->land->height > 1 ? wide : 0;
    for (int y = first; y < end; y++) {
        double v, u;
        size_t row =
            wide * rvi_level_before(((double)y + 0.5) * s->cell - 0.5, coarse->land->height, &v);
        for (int x = 0; x < width; x++) {
            size_t i = (size_t)y * (size_t)width + (size_t)x;
            size_t c = row + rvi_level_before(((double)x + 0.5) * s->cell - 0.5, (int)wide, &u);
            double by = rvi_level_change(coarse->start, coarse->h, c, east, south, u, v);
            bool stays = map->factor.cells && !(map->factor.cells[i] > 0.0f);
            if (map->fixed[i] != RVI_SEA)
                map->land->layers[0].thickness[i] = (float)(was[i] + (stays ? 0.0 : by));
        }
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
