/* drop_ground.h: how a drop takes from the ground and lays down on it. Everything here becomes part
 * of the loop in drop_lanes.c.
 */
#ifndef RVI_STEPS_DROPLETS_DROP_GROUND_H
#define RVI_STEPS_DROPLETS_DROP_GROUND_H

#include "steps/droplets/drop_run.h"
#include "terrain/layers.h"
#include "wear/fill_level.h"
#include "wear/near_cells.h"

/* What a drop carries, and where what it lays down is counted; NULL: all becomes the top. */
typedef struct cargo {
    float *load;
    double *deposited_on;
} cargo;

/* Cells outside the map weigh nothing; returns what the others weigh. */
static inline float clip_weights(const rvi_drop_run *f, int x, int y, float *w) {
    float sum = 0.0f;
    for (int i = 0; i < f->brush.run_count * RVI_LANES; i++) {
        int cx = x + (int)f->brush.dx[i], cy = y + (int)f->brush.dy[i];
        if (cx < 0 || cy < 0 || cx >= f->width || cy >= f->height)
            w[i] = 0.0f;
        sum += w[i];
    }
    return sum;
}

/* Takes amount * w from each cell, times its factors where there are any; returns what came. `soft`
 * is a grid, `more` has a factor for each cell of the brush. */
static RVI_HOT float take_runs(const rvi_drop_run *f, float *cell, const float *w, float amount,
                               float level, const float *soft, const float *more) {
    const rvi_brush *brush = &f->brush;
    rvi_v4 lost[2] = {{0}, {0}}, floor = rvi_v4_all(level);
    for (int r = 0; r < brush->run_count; r++) {
        ptrdiff_t to = (ptrdiff_t)brush->runs[r].dy * (ptrdiff_t)f->stride + brush->runs[r].dx;
        for (int half = 0; half < 2; half++, to += 4) {
            rvi_v4 h = rvi_v4_load(cell + to);
            rvi_v4 want = rvi_v4_load(w + r * RVI_LANES + 4 * half) * amount;
            want = soft ? want * rvi_v4_load(soft + to) : want;
            want = more ? want * rvi_v4_load(more + r * RVI_LANES + 4 * half) : want;
            rvi_v4 left = rvi_v4_max(h - want, rvi_v4_min(h, floor));
            lost[half] += h - left;
            rvi_v4_store(cell + to, left);
        }
    }
    return rvi_lane_sum(lost[0], lost[1]);
}

/* The plane that touches the land under a drop, u and v cells from the corner of its cell; slopes
 * are metres a cell. */
typedef struct plane {
    float u, v, height, gx, gy;
} plane;

/* The erosion factor of the bedrock's bands at one cell of the brush, `cover` metres below the
 * plane. The plane stands for the heights of the cells: a cell that is the first to be through a
 * hard band would else be dug out alone, and all ground would be pits. */
static RVI_HOT float band_factor(const rvi_drop_run *f, const plane *p, int i, size_t at,
                                 float cover) {
    float z = p->height + (p->gx * (f->brush.dx[i] - p->u) + p->gy * (f->brush.dy[i] - p->v));
    return rvi_factor_rock(&f->factor, at, z - cover);
}

static RVI_HOT void weigh_bands(const rvi_drop_run *f, size_t cell, const plane *p, float *w) {
    for (int r = 0; r < f->brush.run_count; r++) {
        size_t row = cell + (size_t)f->brush.runs[r].dy * f->stride + (size_t)f->brush.runs[r].dx;
        for (int i = 0; i < RVI_LANES; i++)
            if (!f->factor.volume || w[r * RVI_LANES + i] > 0.0f)
                w[r * RVI_LANES + i] *= band_factor(f, p, r * RVI_LANES + i, row + (size_t)i, 0.0f);
    }
}

/* What the function says for each cell of the brush. It is asked at the heights of the cells
 * themselves: what it protects is never taken. */
static inline void ask_function(const rvi_drop_run *f, int x, int y, const float *w, float *out) {
    for (int i = 0; i < f->brush.run_count * RVI_LANES; i++) {
        int cx = x + (int)f->brush.dx[i], cy = y + (int)f->brush.dy[i];
        size_t below = w[i] > 0.0f ? land_cell(f, cx, cy) : SIZE_MAX;
        out[i] =
            below == SIZE_MAX ? 1.0f : rvi_factor_ground(&f->factor, below, f->h[at(f, cx, cy)]);
    }
}

/* Takes amount * w from each cell where a function is set. */
static inline float take_asked(const rvi_drop_run *f, int x, int y, const float *w, float amount,
                               float level) {
    float more[RVI_BRUSH_RUNS * RVI_LANES];
    size_t here = at(f, x, y);
    ask_function(f, x, y, w, more);
    return take_runs(f, f->h + here, w, amount, level,
                     f->factor.cells ? f->factor.cells + here : NULL, more);
}

static inline double take_layered(const rvi_drop_run *f, int x, int y, const plane *p,
                                  const float *w, float amount, float level, const cargo *c) {
    double lost = 0.0;
    for (int i = 0; i < f->brush.run_count * RVI_LANES; i++) {
        if (w[i] == 0.0f)
            continue;
        int cx = x + (int)f->brush.dx[i], cy = y + (int)f->brush.dy[i];
        size_t here = at(f, cx, cy), below = land_cell(f, cx, cy);
        float room = rvi_maxf(f->h[here] - level, 0.0f);
        float want = rvi_minf(amount * w[i] * rvi_factor_cell(&f->factor, here), room);
        bool apron = below == SIZE_MAX;
        float cover = apron ? 0.0f : f->h[here] - f->job->land->layers[0].thickness[below];
        float rock = band_factor(f, p, i, here, cover);
        if (!apron) {
            rvi_layers_take(f->job->land, below, want, rock, c->load, &lost);
            f->h[here] = rvi_layers_height(f->job->land, below);
        } else {
            want *= rock;
            float left = f->h[here] - want;
            lost += (double)f->h[here] - (double)left;
            if (c->load) /* the apron knows no layers */
                c->load[f->job->land->layer_count - 1] += f->h[here] - left;
            f->h[here] = left;
        }
    }
    return lost;
}

/* Has the disc around a cell some outside the map? */
static RVI_HOT bool at_edge(const rvi_drop_run *f, int x, int y) {
    int reach = (int)f->brush.radius + 2;
    return x < reach || y < reach || x >= f->width - reach || y >= f->height - reach;
}

/* Takes up to `amount` metres around the drop, which falls by `fall`, from cells above where it
 * goes and nothing below that; returns what came. */
static RVI_APART double take(const rvi_drop_run *f, int x, int y, const plane *p, float amount,
                             float fall, const cargo *c) {
    float w[RVI_BRUSH_RUNS * RVI_LANES];
    size_t here = at(f, x, y);
    float level = p->height - fall;
    float sum =
        rvi_brush_weigh_above(&f->brush, p->u, p->v, f->h + here, f->stride, level, fall, w);
    level = rvi_maxf(level, f->floor);
    if (at_edge(f, x, y))
        sum = clip_weights(f, x, y, w);
    if (!(sum > 0.0f))
        return 0.0;
    float share = amount / sum;
    if (f->layered)
        return take_layered(f, x, y, p, w, share, level, c);
    if (rvi_factor_rock_there(&f->factor))
        weigh_bands(f, here, p, w);
    if (rvi_erosion_fn_there(f->factor.land))
        return (double)take_asked(f, x, y, w, share, level);
    return (double)take_runs(f, f->h + here, w, share, level,
                             f->factor.cells ? f->factor.cells + here : NULL, NULL);
}

/* Adds up to `amount` to one corner, never more than `left`; returns what it got. */
static RVI_HOT double lay_corner(const rvi_drop_run *f, int x, int y, float amount, double left) {
    size_t i = at(f, x, y);
    size_t below = f->layered ? land_cell(f, x, y) : SIZE_MAX;
    float *ground = &f->h[i];
    if (below != SIZE_MAX)
        ground = &f->job->land->layers[f->job->land->layer_count - 1].thickness[below];
    float raised = *ground + amount;
    double given = (double)raised - (double)*ground;
    if (given > left)
        return 0.0; /* rounding would make sediment out of nothing */
    *ground = raised;
    if (below != SIZE_MAX)
        f->h[i] = rvi_layers_height(f->job->land, below);
    f->traces[i].deposited += (float)given;
    return given;
}

/* The same as lay_cell on all four, where there is one layer and no mask. */
static RVI_HOT float lay_plain(const rvi_drop_run *f, int x, int y, rvi_v4 amounts, float level,
                               float sediment) {
    size_t north = at(f, x, y), south = north + f->stride;
    float *h[4] = {f->h + north, f->h + north + 1, f->h + south, f->h + south + 1};
    rvi_v4 ground = {*h[0], *h[1], *h[2], *h[3]};
    rvi_v4 room = rvi_v4_max(level - ground, rvi_v4_all(0.0f));
    rvi_v4 raised = ground + rvi_v4_min(amounts, room), given = raised - ground;
    trace *traces[4] = {f->traces + north, f->traces + north + 1, f->traces + south,
                        f->traces + south + 1};
    float sum = 0.0f;
    for (int k = 0; k < 4; k++) {
        if (given[k] > sediment - sum)
            continue; /* rounding would make sediment out of nothing */
        *h[k] = raised[k];
        traces[k]->deposited += given[k];
        sum += given[k];
    }
    return sum;
}

/* The same, each material on its own layer; in the apron, of each its share. */
static inline double lay_same(const rvi_drop_run *f, int x, int y, float amount, double left,
                              const cargo *c) {
    rv_terrain *land = f->job->land;
    size_t i = at(f, x, y), below = land_cell(f, x, y);
    double given = 0.0;
    float sum = 0.0f;
    if (below != SIZE_MAX) {
        double rest = left;
        rvi_layers_lay(land, below, amount, c->load, c->deposited_on, &rest);
        given = left - rest;
        f->h[i] = rvi_layers_height(land, below);
        f->traces[i].deposited += (float)given;
        return given;
    }
    for (int l = 0; l < land->layer_count; l++)
        sum += c->load[l];
    float share = sum > amount ? amount / sum : 1.0f;
    for (int l = 0; l < land->layer_count; l++) {
        float raised = f->h[i] + share * c->load[l], gain = raised - f->h[i];
        if (!(gain > 0.0f && gain <= c->load[l]))
            continue;
        f->h[i] = raised;
        c->load[l] -= gain;
        given += (double)gain;
    }
    f->traces[i].deposited += (float)given;
    return given;
}

/* Lays up to `amount` down on a cell, never more than `left` and not above `level`; returns what
 * stayed there. */
static RVI_HOT double lay_cell(const rvi_drop_run *f, int x, int y, float amount, float level,
                               double left, const cargo *c) {
    amount = rvi_minf(amount, rvi_maxf(level - f->h[at(f, x, y)], 0.0f));
    if (f->mask) {
        size_t below = land_cell(f, x, y);
        amount *= below != SIZE_MAX ? f->mask[below] : 1.0f;
    }
    return c->load ? lay_same(f, x, y, rvi_minf(amount, (float)left), left, c)
                   : lay_corner(f, x, y, amount, left);
}

static RVI_APART double lay_near(const rvi_drop_run *f, float px, float py, float amount,
                                 float level, double sediment, const cargo *c) {
    rvi_near_cells nx, ny;
    rvi_near_cells_make(px, f->near, f->width, &nx);
    rvi_near_cells_make(py, f->near, f->height, &ny);
    double given = 0.0;
    for (int j = 0; j < ny.count; j++)
        for (int i = 0; i < nx.count; i++)
            given += lay_cell(f, nx.first + i, ny.first + j, amount * ny.weight[j] * nx.weight[i],
                              level, sediment - given, c);
    return given;
}

/* Lays `amount` of `sediment` down on the cells near the drop, but not above `level`; returns what
 * stayed there. */
static RVI_HOT double lay(const rvi_drop_run *f, int x, int y, float u, float v, float amount,
                          float level, double sediment, const cargo *c) {
    if (f->near > 1.0f)
        return lay_near(f, (float)x + u, (float)y + v, amount, level, sediment, c);
    rvi_v4 w = {(1.0f - u) * (1.0f - v), u * (1.0f - v), (1.0f - u) * v, u * v};
    if (!f->layered && !f->mask)
        return (double)lay_plain(f, x, y, amount * w, level, (float)sediment);
    double given = 0.0;
    for (int k = 0; k < 4; k++)
        given += lay_cell(f, x + (k & 1), y + (k >> 1), amount * w[k], level, sediment - given, c);
    return given;
}

/* As high as a drop that `came` from above may fill the cells near it. */
static RVI_HOT float fill_level(const rvi_drop_run *f, int x, int y, float came, float here) {
    rvi_fill_ground ground = {f->h + at(f, 0, 0), f->stride, f->width, f->height};
    return rvi_fill_level(&ground, x, y, f->near, f->move, came, here);
}

/* Cells of the disc that are not below `level` weigh nothing; returns what the others weigh. */
static RVI_HOT float weigh_below(const rvi_drop_run *f, size_t here, float level, float *w) {
    const rvi_brush *brush = &f->brush;
    rvi_v4 sum[2] = {{0}, {0}};
    for (int r = 0; r < brush->run_count; r++) {
        const float *h =
            f->h + here + (ptrdiff_t)brush->runs[r].dy * (ptrdiff_t)f->stride + brush->runs[r].dx;
        for (int half = 0; half < 2; half++) {
            float *to = w + r * RVI_LANES + 4 * half;
            rvi_m4 below = rvi_v4_load(h + 4 * half) < level;
            rvi_v4 d = (rvi_v4)((rvi_m4)rvi_v4_load(to) & below);
            sum[half] += d;
            rvi_v4_store(to, d);
        }
    }
    return rvi_lane_sum(sum[0], sum[1]);
}

/* Lays `amount` of `sediment` down on those cells of the disc that drops erode which lie below
 * `level`, and raises none above it; returns what stayed there. */
static inline double lay_on_disc(const rvi_drop_run *f, int x, int y, float u, float v,
                                 float amount, float level, double sediment, const cargo *c) {
    double given = 0.0;
    float w[RVI_BRUSH_RUNS * RVI_LANES];
    const rvi_brush *brush = &f->brush;
    rvi_brush_weigh(brush, u, v, w);
    if (at_edge(f, x, y))
        clip_weights(f, x, y, w);
    float share = amount / weigh_below(f, at(f, x, y), level, w);
    for (int r = 0; r < brush->run_count; r++)
        for (int k = 0; k < RVI_LANES; k++)
            if (w[r * RVI_LANES + k] > 0.0f)
                given += lay_cell(f, x + brush->runs[r].dx + k, y + brush->runs[r].dy,
                                  share * w[r * RVI_LANES + k], level, sediment - given, c);
    return given;
}

#endif
