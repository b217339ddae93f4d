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
#include "base/math.h"
#include "steps/pipes/pipe_run.h"

#include <math.h>

enum { TO_EAST, TO_SOUTH, TO_WEST, TO_NORTH };

float rvi_virtual_section(const rvi_pipes *f) {
    return isnan(f->p->section) ? f->rules.cell : f->p->section;
}

float rvi_virtual_dt(const rvi_pipes *f) {
    float cell = f->rules.cell, section = rvi_virtual_section(f);
    float wave = 0.5f * cell * sqrtf(cell / (2.0f * f->p->gravity * section + 1e-30f));
    return wave;
}

/* Step from a cell to its neighbour in a grid. */
static ptrdiff_t step_to(const rvi_pipes *f, int way) {
    ptrdiff_t row = (ptrdiff_t)f->stride;
    const ptrdiff_t steps[] = {1, row, -1, -row};
    return steps[way];
}

static size_t at_step(const rvi_pipes *f, size_t i, int way) {
    return (size_t)((ptrdiff_t)i + step_to(f, way));
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

static float rain_on(const rvi_pipes *f, size_t i) {
    return (f->source ? f->source[i] : f->rain) * f->rules.dt;
}

static float rained(const rvi_pipes *f, size_t i) {
    return f->depth[0][i] + rain_on(f, i);
}

/* No rain falls on ghosts. */
static float level_at(const rvi_pipes *f, size_t i, int x, int y) {
    bool inside = x >= 1 && x <= f->width && y >= 1 && y <= f->height;
    return (f->bed[i] + f->change[0][i]) + (inside ? rained(f, i) : 0.0f);
}

/* All that leaves a cell; opposite pipes are added first, so that a map that is turned or flipped
 * gives the same bits. */
static float out_of(const rvi_pipes *f, size_t i) {
    return (f->out[TO_EAST][i] + f->out[TO_WEST][i]) + (f->out[TO_SOUTH][i] + f->out[TO_NORTH][i]);
}

static void push_cell(const rvi_pipes *f, int x, int y) {
    static const int east[] = {1, 0, -1, 0}, south[] = {0, 1, 0, -1};
    const rvi_pipe_rules *r = &f->rules;
    size_t i = (size_t)y * f->stride + (size_t)x;
    float pull = r->dt * f->p->gravity * rvi_virtual_section(f) * r->per_cell;
    float depth = rained(f, i), level = level_at(f, i, x, y);
    for (int way = 0; way < RVI_PIPE_WAYS; way++) {
        size_t j = at_step(f, i, way);
        float fall = level - level_at(f, j, x + east[way], y + south[way]);
        float flux = rvi_maxf(0.0f, f->out[way][i] + pull * fall);
        f->out[way][i] = flux > RVI_PIPE_NONE ? flux : 0.0f;
    }
    float there = depth * (1.0f - RVI_PIPE_KEEP) * r->cell * r->cell;
    float asked = r->dt * out_of(f, i);
    float limit = asked > there ? there / asked : 1.0f;
    for (int way = 0; way < RVI_PIPE_WAYS; way++)
        f->out[way][i] *= limit;
}

void rvi_virtual_push_block(void *arg, int64_t block) {
    const rvi_pipes *f = arg;
    int first = (int)block * RVI_PIPE_ROWS + 1,
        end = rvi_mini(first + RVI_PIPE_ROWS, f->height + 1);
    for (int y = first; y < end; y++)
        for (int x = 1; x <= f->width; x++)
            push_cell(f, x, y);
}

/* ---- the cells ---- */

/* Net flux to a neighbour, per metre of width as in the other model. */
static float net_to(const rvi_pipes *f, size_t i, int way) {
    size_t j = at_step(f, i, way);
    return (f->out[way][i] - f->out[(way + 2) % RVI_PIPE_WAYS][j]) * f->rules.per_cell;
}

/* The sine of the tilt of the ground; beyond a wall it is level. */
static float sine_at(const rvi_pipes *f, size_t i) {
    float slope[2], here = f->bed[i] + f->change[0][i];
    for (int axis = 0; axis < 2; axis++) {
        size_t a = at_step(f, i, axis), b = at_step(f, i, axis + 2);
        float up = f->bed[a] < RVI_PIPE_WALL ? f->bed[a] + f->change[0][a] : here;
        float down = f->bed[b] < RVI_PIPE_WALL ? f->bed[b] + f->change[0][b] : here;
        slope[axis] = 0.5f * (up - down) * f->rules.per_cell;
    }
    float square = slope[0] * slope[0] + slope[1] * slope[1];
    return sqrtf(square / (1.0f + square));
}

/* Water of a cell after this round, and what it would take and lay. */
static rvi_pipe_state run_cell(const rvi_pipes *f, size_t i) {
    const rvi_pipe_rules *r = &f->rules;
    const rv_pipes_params *p = f->p;
    float net[RVI_PIPE_WAYS], depth = f->depth[0][i], before = rained(f, i);
    for (int way = 0; way < RVI_PIPE_WAYS; way++)
        net[way] = net_to(f, i, way);
    rvi_pipe_state now = {.sediment = f->sediment[0][i]};
    /* What a pipe takes from one cell it gives to the other, to the bit; the sum of it is exact. */
    double lost = ((double)(r->share * net[TO_EAST]) + (double)(r->share * net[TO_WEST])) +
                  ((double)(r->share * net[TO_SOUTH]) + (double)(r->share * net[TO_NORTH]));
    double full = (((double)depth + (double)rain_on(f, i)) - lost) + (double)f->rest[i];
    now.evaporated = (float)full > r->film ? r->evaporate * (float)full : (float)full;
    full -= (double)now.evaporated;
    float wet = full > (double)RVI_PIPE_NONE ? (float)full : 0.0f;
    now.rest = (float)(full - (double)wet);
    now.depth = wet;
    float mean = 0.5f * (before + wet);
    float u = 0.5f * (net[TO_EAST] - net[TO_WEST]), v = 0.5f * (net[TO_SOUTH] - net[TO_NORTH]);
    now.speed = mean > RVI_PIPE_DRY ? sqrtf(u * u + v * v) / mean : 0.0f;
    float can = r->capacity * (sine_at(f, i) + r->min_tilt) * (now.speed + p->min_speed) *
                rvi_minf(wet, r->max_depth);
    float room = can - now.sediment;
    bool dry = !(wet > RVI_PIPE_DRY);
    now.take = dry ? 0.0f : r->dissolve * rvi_pipe_positive(room);
    now.lay = dry ? now.sediment : r->deposit * rvi_pipe_positive(-room);
    return now;
}

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
static void keep_net(const rvi_pipes *f, size_t i) {
    f->q[RVI_PIPE_EAST][i] = net_to(f, i, TO_EAST);
    f->q[RVI_PIPE_SOUTH][i] = net_to(f, i, TO_SOUTH);
    f->q[RVI_PIPE_EAST][i - 1] = -net_to(f, i, TO_WEST);
    f->limit[i] = 1.0f;
}

void rvi_virtual_cell_block(void *arg, int64_t block) {
    const rvi_pipes *f = arg;
    int first = (int)block * RVI_PIPE_ROWS + 1,
        end = rvi_mini(first + RVI_PIPE_ROWS, f->height + 1);
    rvi_pipe_block *sums = &f->blocks[block];
    rvi_pipe_column *columns = rvi_pipe_columns(f, block);
    sums->depth = sums->speed = 0.0f;
    for (int y = first; y < end; y++)
        for (int x = 1; x <= f->width; x++) {
            size_t i = (size_t)y * f->stride + (size_t)x;
            size_t cell = (size_t)(y - 1) * (size_t)f->width + (size_t)(x - 1);
            rvi_pipe_state now = run_cell(f, i);
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
            f->flow[i] += f->rules.share * out_of(f, i) * f->rules.per_cell;
            keep_net(f, i);
            if (y == 1)
                f->q[RVI_PIPE_SOUTH][i - f->stride] = -net_to(f, i, TO_NORTH);
        }
    for (int x = 1; x <= f->width; x++)
        columns[x].held += columns[x].taken - columns[x].laid;
}
