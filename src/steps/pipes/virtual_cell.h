/* virtual_cell.h: the arithmetic of one cell of virtual_pipes.c, for the processor and for devices.
 */
#ifndef RVI_STEPS_PIPES_VIRTUAL_CELL_H
#define RVI_STEPS_PIPES_VIRTUAL_CELL_H

#include "steps/pipes/pipe_grid.h"

enum { RVI_TO_EAST, RVI_TO_SOUTH, RVI_TO_WEST, RVI_TO_NORTH };

/* What is the same for all cells in one round, beside rvi_pipe_rules. */
typedef struct rvi_virtual_law {
    float pull;      /* dt g A / cell */
    float rain;      /* m/s */
    float min_speed; /* m/s */
} rvi_virtual_law;

/* The grids, as they are before the round; `out` changes in its first part. */
typedef struct rvi_virtual_net {
    const rvi_virtual_law *law;
    const rvi_pipe_rules *rules;
    RVI_GRID const float *bed, *change, *depth;
    RVI_GRID const float *source;       /* NULL: rain alone */
    RVI_GRID float *out[RVI_PIPE_WAYS]; /* m3/s to east, south, west and north */
    int width, height, stride;
} rvi_virtual_net;

static inline size_t rvi_virtual_beside(const rvi_virtual_net *f, size_t i, int way) {
    size_t step = way % 2 ? (size_t)f->stride : 1;
    return way < RVI_TO_WEST ? i + step : i - step;
}

static inline float rvi_virtual_rain(const rvi_virtual_net *f, size_t i) {
    return (f->source ? f->source[i] : f->law->rain) * f->rules->dt;
}

static inline float rvi_virtual_rained(const rvi_virtual_net *f, size_t i) {
    return f->depth[i] + rvi_virtual_rain(f, i);
}

/* No rain falls on ghosts. */
static inline float rvi_virtual_level(const rvi_virtual_net *f, size_t i, int x, int y) {
    bool inside = x >= 1 && x <= f->width && y >= 1 && y <= f->height;
    return (f->bed[i] + f->change[i]) + (inside ? rvi_virtual_rained(f, i) : 0.0f);
}

/* All that leaves a cell; opposite pipes are added first, so that a map that is turned or flipped
 * gives the same bits. */
static inline float rvi_virtual_out_of(const rvi_virtual_net *f, size_t i) {
    return (f->out[RVI_TO_EAST][i] + f->out[RVI_TO_WEST][i]) +
           (f->out[RVI_TO_SOUTH][i] + f->out[RVI_TO_NORTH][i]);
}

static inline void rvi_virtual_push(const rvi_virtual_net *f, int x, int y) {
    const rvi_pipe_rules *r = f->rules;
    size_t i = (size_t)y * (size_t)f->stride + (size_t)x;
    float depth = rvi_virtual_rained(f, i), level = rvi_virtual_level(f, i, x, y);
    for (int way = 0; way < RVI_PIPE_WAYS; way++) {
        int ahead = way < RVI_TO_WEST ? 1 : -1;
        int nx = way % 2 ? x : x + ahead, ny = way % 2 ? y + ahead : y;
        float fall = level - rvi_virtual_level(f, rvi_virtual_beside(f, i, way), nx, ny);
        float flux = rvi_maxf(0.0f, f->out[way][i] + f->law->pull * fall);
        f->out[way][i] = flux > RVI_PIPE_NONE ? flux : 0.0f;
    }
    float there = depth * (1.0f - RVI_PIPE_KEEP) * r->cell * r->cell;
    float asked = r->dt * rvi_virtual_out_of(f, i);
    float limit = asked > there ? there / asked : 1.0f;
    for (int way = 0; way < RVI_PIPE_WAYS; way++)
        f->out[way][i] *= limit;
}

/* Net flux to a neighbour, per metre of width as in the other model. */
static inline float rvi_virtual_to(const rvi_virtual_net *f, size_t i, int way) {
    size_t j = rvi_virtual_beside(f, i, way);
    return (f->out[way][i] - f->out[(way + 2) % RVI_PIPE_WAYS][j]) * f->rules->per_cell;
}

/* The same of the pipe to the east of a cell, as the cell beyond it sees it. */
static inline float rvi_virtual_east(const rvi_virtual_net *f, size_t i, int x) {
    return x < f->width ? -rvi_virtual_to(f, i + 1, RVI_TO_WEST)
                        : rvi_virtual_to(f, i, RVI_TO_EAST);
}

/* The sine of the tilt of the ground; beyond a wall it is level. */
static inline float rvi_virtual_sine(const rvi_virtual_net *f, size_t i) {
    float slope[2], here = f->bed[i] + f->change[i];
    for (int axis = 0; axis < 2; axis++) {
        size_t a = rvi_virtual_beside(f, i, axis), b = rvi_virtual_beside(f, i, axis + 2);
        float up = f->bed[a] < RVI_PIPE_WALL ? f->bed[a] + f->change[a] : here;
        float down = f->bed[b] < RVI_PIPE_WALL ? f->bed[b] + f->change[b] : here;
        slope[axis] = 0.5f * (up - down) * f->rules->per_cell;
    }
    float square = slope[0] * slope[0] + slope[1] * slope[1];
    return sqrtf(square / (1.0f + square));
}

/* Water of a cell after this round, and what it would take and lay. */
static inline rvi_pipe_state rvi_virtual_cell(const rvi_virtual_net *f, size_t i, float rest,
                                              float sediment) {
    const rvi_pipe_rules *r = f->rules;
    float east = rvi_virtual_to(f, i, RVI_TO_EAST), west = rvi_virtual_to(f, i, RVI_TO_WEST);
    float south = rvi_virtual_to(f, i, RVI_TO_SOUTH), north = rvi_virtual_to(f, i, RVI_TO_NORTH);
    float depth = f->depth[i], before = rvi_virtual_rained(f, i);
    rvi_pipe_state now;
    now.sediment = sediment;
    /* What a pipe takes from one cell it gives to the other, to the bit; the sum of it is exact. */
    double lost = ((double)(r->share * east) + (double)(r->share * west)) +
                  ((double)(r->share * south) + (double)(r->share * north));
    double full = (((double)depth + (double)rvi_virtual_rain(f, i)) - lost) + (double)rest;
    now.evaporated = (float)full > r->film ? r->evaporate * (float)full : (float)full;
    full -= (double)now.evaporated;
    float wet = full > (double)RVI_PIPE_NONE ? (float)full : 0.0f;
    now.rest = (float)(full - (double)wet);
    now.depth = wet;
    float mean = 0.5f * (before + wet);
    float u = 0.5f * (east - west), v = 0.5f * (south - north);
    now.speed = mean > RVI_PIPE_DRY ? sqrtf(u * u + v * v) / mean : 0.0f;
    float can = r->capacity * (rvi_virtual_sine(f, i) + r->min_tilt) *
                (now.speed + f->law->min_speed) * rvi_minf(wet, r->max_depth);
    float room = can - sediment;
    bool dry = !(wet > RVI_PIPE_DRY);
    now.take = dry ? 0.0f : r->dissolve * rvi_pipe_positive(room);
    now.lay = dry ? sediment : r->deposit * rvi_pipe_positive(-room);
    return now;
}

#endif
