/* virtual_pipes.c: the virtual pipes of the papers, model=virtual of pipes.c.
 *
 * X. Mei, P. Decaudin, B.-G. Hu, Fast hydraulic erosion simulation and visualization on GPU, 2007,
 * as L. Teissier, O. Le Tullier, T. Poyet, Interactive layered terrain generation, section 3, have
 * it. A pipe has the same cross-section A however much water there is, no friction, and between
 * two cells one flux in each direction, none below 0. With d1 = d + rain dt, in each round for each
 * cell of side l and its four neighbours j
 *     flux    f_j = max(0, f_j + dt g A ((b + d1) - (b + d1)_j) / l)                    [m^3/s]
 *     limit   K = min(1, d1 l^2 / (dt sum of f_j)), f_j = K f_j
 *     depth   d' = d1 + dt (sum of f in - sum of f_j) / l^2, then times exp(-evaporation dt)
 *     speed   u = (net flux in from the west + net flux out to the east) / (2 l mean of d1 and d')
 *     tilt    of the ground, by central differences of b
 *     can     C = capacity (sin tilt + min_tilt) (|(u, v)| + min_speed) min(d', max_depth)
 * and what is taken, laid and carried backward or forward follows as in pipes.c; nothing limits
 * what is taken. Nothing flows in over the edge of the map, and out only where it is open.
 *
 * Waves in such pipes run at sqrt(g A / l), whatever the depth: a round lasts at most half of the
 * time l sqrt(l / (2 g A)) from which on they grow without end. Sediment moves at most one cell.
 */
#include "steps/pipes/pipe_run.h"

#include <math.h>

static float section_of(const rvi_pipes *f) {
    return isnan(f->p->section) ? f->rules.cell : f->p->section;
}

float rvi_virtual_dt(const rvi_pipes *f) {
    float cell = f->rules.cell, section = section_of(f);
    float wave = 0.5f * cell * sqrtf(cell / (2.0f * f->p->gravity * section + 1e-30f));
    return wave;
}

rvi_virtual_law rvi_virtual_law_of(const rvi_pipes *f) {
    const rvi_pipe_rules *r = &f->rules;
    return (rvi_virtual_law){.pull = r->dt * f->p->gravity * section_of(f) * r->per_cell,
                             .rain = f->rain,
                             .min_speed = f->p->min_speed};
}

static rvi_virtual_net net_of(const rvi_pipes *f, const rvi_virtual_law *law) {
    return (rvi_virtual_net){.law = law,
                             .rules = &f->rules,
                             .bed = f->bed,
                             .change = f->change[0],
                             .depth = f->depth[0],
                             .source = f->source,
                             .out = {f->out[0], f->out[1], f->out[2], f->out[3]},
                             .width = f->width,
                             .height = f->height,
                             .stride = (int)f->stride};
}

/* The pipes take up the flux that fill_flux has found in the velocity. */
void rvi_virtual_begin(rvi_pipes *f) {
    float cell = f->rules.cell;
    for (int y = 1; y <= f->height; y++)
        for (int x = 1; x <= f->width; x++) {
            size_t i = (size_t)y * f->stride + (size_t)x;
            const float q[] = {f->q[RVI_PIPE_EAST][i], f->q[RVI_PIPE_SOUTH][i],
                               -f->q[RVI_PIPE_EAST][i - 1], -f->q[RVI_PIPE_SOUTH][i - f->stride]};
            for (int way = 0; way < RVI_PIPE_WAYS; way++)
                f->out[way][i] = cell * rvi_pipe_positive(q[way]);
        }
}

void rvi_virtual_push_block(void *arg, int64_t block) {
    const rvi_pipes *f = arg;
    const rvi_virtual_law law = rvi_virtual_law_of(f);
    const rvi_virtual_net net = net_of(f, &law);
    int first = (int)block * RVI_PIPE_ROWS + 1,
        end = rvi_mini(first + RVI_PIPE_ROWS, f->height + 1);
    for (int y = first; y < end; y++)
        for (int x = 1; x <= f->width; x++)
            rvi_virtual_push(&net, x, y);
}

/* ---- the cells ---- */

/* By how much the ground of a cell rises. */
static float move_ground(const rvi_pipes *f, size_t i, size_t cell, const rvi_pipe_state *now) {
    float take = now->take * rvi_factor_cell(&f->factor, i);
    float lay = now->lay * (f->mask ? f->mask[i] : 1.0f), before = f->change[0][i];
    for (int l = 0; f->parts[0] && l < f->job->land->layer_count; l++)
        f->parts[1][l][i] = f->parts[0][l][i];
    if (f->layered)
        return rvi_pipe_move_layers(f, i, cell, take, lay, now->sediment);
    take *= rvi_factor_bare(&f->factor, i, cell, f->bed[i] + before);
    return rvi_pipe_ground(before, lay - take, now->sediment) - before;
}

/* Transport, and what is left behind, ask for the net flux of each pipe. */
static void keep_net(const rvi_pipes *f, const rvi_virtual_net *net, size_t i, int x, int y) {
    f->q[RVI_PIPE_EAST][i] = rvi_virtual_east(net, i, x);
    f->q[RVI_PIPE_SOUTH][i] = rvi_virtual_to(net, i, RVI_TO_SOUTH);
    if (x == 1)
        f->q[RVI_PIPE_EAST][i - 1] = -rvi_virtual_to(net, i, RVI_TO_WEST);
    if (y == 1)
        f->q[RVI_PIPE_SOUTH][i - f->stride] = -rvi_virtual_to(net, i, RVI_TO_NORTH);
    f->limit[i] = 1.0f;
}

void rvi_virtual_cell_block(void *arg, int64_t block) {
    const rvi_pipes *f = arg;
    int first = (int)block * RVI_PIPE_ROWS + 1,
        end = rvi_mini(first + RVI_PIPE_ROWS, f->height + 1);
    const rvi_virtual_law law = rvi_virtual_law_of(f);
    const rvi_virtual_net net = net_of(f, &law);
    rvi_pipe_block *sums = &f->blocks[block];
    rvi_pipe_column *columns = rvi_pipe_columns(f, block);
    sums->depth = sums->speed = 0.0f;
    for (int y = first; y < end; y++)
        for (int x = 1; x <= f->width; x++) {
            size_t i = (size_t)y * f->stride + (size_t)x;
            size_t cell = (size_t)(y - 1) * (size_t)f->width + (size_t)(x - 1);
            rvi_pipe_state now = rvi_virtual_cell(&net, i, f->rest[i], f->sediment[0][i]);
            float moved = move_ground(f, i, cell, &now);
            f->depth[1][i] = now.depth;
            f->rest[i] = now.rest;
            f->change[1][i] = f->change[0][i] + moved;
            f->sediment[1][i] = now.sediment - moved;
            f->deposited[i] += rvi_pipe_positive(moved);
            columns[x].laid += (double)rvi_pipe_positive(moved);
            columns[x].taken += (double)rvi_pipe_positive(-moved);
            columns[x].evaporated += (double)now.evaporated;
            sums->depth = rvi_maxf(sums->depth, now.depth);
            if (now.depth > 0.001f) /* a film can be as fast as it likes */
                sums->speed = rvi_maxf(sums->speed, now.speed);
            f->flow[i] += f->rules.share * rvi_virtual_out_of(&net, i) * f->rules.per_cell;
            keep_net(f, &net, i, x, y);
        }
    for (int x = 1; x <= f->width; x++)
        columns[x].held += columns[x].taken - columns[x].laid;
}
