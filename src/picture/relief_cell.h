/* relief_cell.h: values and slopes of a block of land, and where rays hit it, for the processor and
 * for devices; relief.c has the equations. */
#ifndef RVI_PICTURE_RELIEF_CELL_H
#define RVI_PICTURE_RELIEF_CELL_H

#include "base/math.h"

#ifndef __OPENCL_VERSION__
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct rv_terrain;
#endif

enum { RVI_LEVELS = 20 }; /* of maps 65536 cells wide, mirrored on both sides, 19 */

/* A level of the pyramids. Both halve the grid from one to the next; level 0 is the grid. */
typedef struct rvi_level {
    int top_width, top_height; /* of blocks of 2^level x 2^level squares between samples */
    int width, height;         /* of means */
    uint64_t top;  /* where in `pyramid` the highest sample of each begins, those on its edge
                      included; level 0 has none */
    uint64_t mean; /* where the means of 2^level x 2^level samples begin; of level 0: in `upper` */
} rvi_level;

/* The numbers of a block: samples along its sides, at least 2; metres from one to the next; cells
 * of the terrain from one to the next; lowest and highest of `upper`, without holes; where the
 * block stands; and the size of the terrain. */
#define RVI_RELIEF_NUMBERS                                                                         \
    int width, height;                                                                             \
    float cell, step, low, high, base;                                                             \
    int levels, land_width, land_height;                                                           \
    float land_cell

typedef struct rvi_relief_numbers {
    RVI_RELIEF_NUMBERS;
} rvi_relief_numbers;

typedef struct rvi_relief {
    RVI_RELIEF_NUMBERS;
    RVI_GRID const float *z;     /* the ground */
    RVI_GRID const float *upper; /* the ground or the water on it, whichever is higher; z where all
                                    is dry */
    RVI_GRID const float *water; /* level of the water, RVI_DRY where there is none; NULL: none at
                                    all */
    RVI_GRID const float *hole;  /* of the terrain: where there is no ground; NULL: none */
    RVI_GRID const float *pyramid;
    RVI_GRID const rvi_level *level;
#ifndef __OPENCL_VERSION__
    const struct rv_terrain *land;
    float *memory[3]; /* what of the above is its own */
#endif
} rvi_relief;

#define RVI_DRY (-1e30f)

typedef enum rvi_hit_kind {
    RVI_HIT_NONE,
    RVI_HIT_LAND,
    RVI_HIT_WATER,
    RVI_HIT_WALL,  /* a cut through the ground */
    RVI_HIT_BASIN, /* a cut through water */
} rvi_hit_kind;

typedef struct rvi_hit {
    rvi_hit_kind kind;
    double t;       /* along the ray */
    double x, y, z; /* the place */
    int axis, side; /* of a cut: across x (0) or y (1), seen from -1 or +1 */
} rvi_hit;

typedef struct rvi_ray {
    double from[3], along[3]; /* in cells, cells, metres */
} rvi_ray;

/* Water less deep than this, in metres, is only wet ground. */
static inline float rvi_relief_shallow_of(float land_cell) {
    return rvi_clampf(0.01f * land_cell, 0.05f, 0.5f);
}

static inline RVI_GRID const float *rvi_block_means(const rvi_relief *r, int level) {
    return level == 0 ? r->upper : r->pyramid + r->level[level].mean;
}

/* ---- values and slopes ---- */

/* One sample of a level, which goes on evenly beyond its edges. */
static inline float rvi_block_sample(RVI_GRID const rvi_level *l, RVI_GRID const float *mean, int x,
                                     int y) {
    int cx = rvi_maxi(0, rvi_mini(x, l->width - 1)), cy = rvi_maxi(0, rvi_mini(y, l->height - 1));
    RVI_GRID const float *at = mean + (size_t)cy * (size_t)l->width + (size_t)cx;
    float z = *at;
    /* Not `x != cx`: see shade_cell.h. */
    if ((x < 0 || x >= l->width) && l->width > 1)
        z += (float)(x < 0 ? -x : x - cx) * (*at - at[x < 0 ? 1 : -1]);
    if ((y < 0 || y >= l->height) && l->height > 1)
        z += (float)(y < 0 ? -y : y - cy) * (*at - *(y < 0 ? at + l->width : at - l->width));
    return z;
}

/* Bilinear in a grid; beyond its edge the value at the edge. */
static inline float rvi_grid_at(RVI_GRID const float *grid, int width, int height, double x,
                                double y) {
    double cx = x < 0 ? 0 : x > width - 1 ? width - 1 : x;
    double cy = y < 0 ? 0 : y > height - 1 ? height - 1 : y;
    int i = rvi_maxi(0, rvi_mini((int)cx, width - 2)),
        j = rvi_maxi(0, rvi_mini((int)cy, height - 2));
    float u = (float)(cx - i), v = (float)(cy - j);
    RVI_GRID const float *a = grid + (size_t)j * (size_t)width + (size_t)i;
    RVI_GRID const float *b = height > 1 ? a + width : a;
    int next = width > 1;
    float top = a[0] + u * (a[next] - a[0]), bottom = b[0] + u * (b[next] - b[0]);
    return top + v * (bottom - top);
}

/* Of a field of the terrain at a place of the block. */
static inline float rvi_relief_field(const rvi_relief *r, RVI_GRID const float *field, double x,
                                     double y) {
    return rvi_grid_at(field, r->land_width, r->land_height, x * (double)r->step,
                       y * (double)r->step);
}

/* Is the square (x, y) a hole? */
static inline bool rvi_relief_gap(const rvi_relief *r, int x, int y) {
    if (!r->hole)
        return false;
    int x0 = (int)((float)x * r->step), y0 = (int)((float)y * r->step);
    for (int k = 0; k < 4; k++) {
        int cx = rvi_mini(x0 + k % 2, r->land_width - 1),
            cy = rvi_mini(y0 + k / 2, r->land_height - 1);
        if (r->hole[(size_t)cy * (size_t)r->land_width + (size_t)cx] > 0.5f)
            return true;
    }
    return false;
}

/* Weights of a cubic B-spline and of its slope, u after the second of four samples. */
static inline void rvi_spline(float u, float value[4], float slope[4]) {
    float w = 1 - u;
    value[0] = w * w * w / 6;
    value[1] = (4 - 6 * u * u + 3 * u * u * u) / 6;
    value[2] = (4 - 6 * w * w + 3 * w * w * w) / 6;
    value[3] = u * u * u / 6;
    slope[0] = -w * w / 2;
    slope[1] = u * (1.5f * u - 2);
    slope[2] = -w * (1.5f * w - 2);
    slope[3] = u * u / 2;
}

static inline void rvi_level_slope(const rvi_relief *r, int level, double x, double y,
                                   float slope[2]) {
    RVI_GRID const rvi_level *l = &r->level[level];
    RVI_GRID const float *mean = rvi_block_means(r, level);
    double scale = 1.0 / (double)(1 << level);
    double px = (x + 0.5) * scale - 0.5, py = (y + 0.5) * scale - 0.5;
    double fx = rvi_floor(px), fy = rvi_floor(py);
    float wx[4], sx[4], wy[4], sy[4];
    rvi_spline((float)(px - fx), wx, sx);
    rvi_spline((float)(py - fy), wy, sy);
    int i = (int)fx - 1, j = (int)fy - 1;
    bool inside = i >= 0 && j >= 0 && i + 3 < l->width && j + 3 < l->height;
    float dx = 0, dy = 0;
    for (int b = 0; b < 4; b++) {
        float row[4];
        RVI_GRID const float *at = mean + ((int64_t)(j + b) * l->width + i);
        for (int a = 0; a < 4; a++)
            row[a] = inside ? at[a] : rvi_block_sample(l, mean, i + a, j + b);
        float value = wx[0] * row[0] + wx[1] * row[1] + wx[2] * row[2] + wx[3] * row[3];
        float change = sx[0] * row[0] + sx[1] * row[1] + sx[2] * row[2] + sx[3] * row[3];
        dx += wy[b] * change;
        dy += sy[b] * value;
    }
    float size = r->cell * (float)(1 << level);
    slope[0] = dx / size;
    slope[1] = dy / size;
}

/* Metres for each metre towards east and south, smooth (cubic B-spline); `blur` is the width in
 * cells below which detail is left out. */
RVI_CALLED void rvi_relief_slope(const rvi_relief *r, double x, double y, float blur,
                                 float slope[2]) {
    int level = 0;
    float width = 1;
    while (2 * width <= blur && level + 1 < r->levels) {
        width *= 2;
        level++;
    }
    rvi_level_slope(r, level, x, y, slope);
    float share = rvi_clampf(blur / width - 1, 0, 1);
    if (share > 0 && level + 1 < r->levels) {
        float coarse[2];
        rvi_level_slope(r, level + 1, x, y, coarse);
        slope[0] += share * (coarse[0] - slope[0]);
        slope[1] += share * (coarse[1] - slope[1]);
    }
}

/* ---- making it ---- */

/* The highest sample of a block of level 1: of 3 x 3, since neighbouring squares share their edges.
 */
static inline float rvi_relief_first_top(RVI_GRID const float *upper, int width, int height, int x,
                                         int y) {
    float most = -INFINITY;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) {
            int sx = rvi_mini(2 * x + dx, width - 1), sy = rvi_mini(2 * y + dy, height - 1);
            most = rvi_maxf(most, upper[(size_t)sy * (size_t)width + (size_t)sx]);
        }
    return most;
}

/* Of a coarser one, from the tops of the level below. */
static inline float rvi_relief_top(RVI_GRID const float *from, int width, int height, int x,
                                   int y) {
    int x1 = rvi_mini(2 * x + 1, width - 1), y1 = rvi_mini(2 * y + 1, height - 1);
    RVI_GRID const float *a = from + (size_t)(2 * y) * (size_t)width;
    RVI_GRID const float *b = from + (size_t)y1 * (size_t)width;
    return rvi_maxf(rvi_maxf(a[2 * x], a[x1]), rvi_maxf(b[2 * x], b[x1]));
}

/* The mean of 2 x 2 of the level below. */
static inline float rvi_relief_mean(RVI_GRID const rvi_level *from, RVI_GRID const float *mean,
                                    int x, int y) {
    RVI_GRID const float *a = mean + (size_t)(2 * y) * (size_t)from->width + 2 * (size_t)x;
    RVI_GRID const float *b = a + from->width;
    if (2 * x + 1 < from->width && 2 * y + 1 < from->height)
        return 0.25f * ((a[0] + a[1]) + (b[0] + b[1]));
    return 0.25f * ((a[0] + rvi_block_sample(from, mean, 2 * x + 1, 2 * y)) +
                    (rvi_block_sample(from, mean, 2 * x, 2 * y + 1) +
                     rvi_block_sample(from, mean, 2 * x + 1, 2 * y + 1)));
}

/* The level of the water of a cell of the terrain. It goes on below the shore by a cell, so that
 * the shore is where ground and water cross and not a row of steps. */
static inline float rvi_relief_cell_level(RVI_GRID const float *surface,
                                          RVI_GRID const float *depth, float shallow, int width,
                                          int height, int x, int y) {
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    float sum = 0, count = 0, z = surface[i];
    if (depth[i] > shallow)
        return z + depth[i];
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int nx = x + dx, ny = y + dy;
            if (nx < 0 || ny < 0 || nx >= width || ny >= height)
                continue;
            size_t n = (size_t)ny * (size_t)width + (size_t)nx;
            if (depth[n] > shallow) {
                sum += surface[n] + depth[n];
                count++;
            }
        }
    return rvi_minf(count > 0 ? sum / count : RVI_DRY, z);
}

/* The level of the water at a sample, from those of the cells. Between cells the level, not the
 * depth, goes along straight lines: a lake is flat up to a steep shore. Where all around is wet, at
 * least a film covers ground that is rounder than that. */
static inline float rvi_relief_water(const rvi_relief_numbers *r, RVI_GRID const float *ground,
                                     RVI_GRID const float *levels, RVI_GRID const float *depth,
                                     float shallow, int x, int y) {
    float px = (float)x * r->step, py = (float)y * r->step, level = 0;
    int x0 = (int)px, y0 = (int)py;
    bool wet = true;
    for (int k = 0; k < 4; k++) {
        float u = px - (float)x0, v = py - (float)y0;
        float share = (k % 2 ? u : 1 - u) * (k / 2 ? v : 1 - v);
        if (share <= 0)
            continue;
        int cx = rvi_mini(x0 + k % 2, r->land_width - 1),
            cy = rvi_mini(y0 + k / 2, r->land_height - 1);
        size_t n = (size_t)cy * (size_t)r->land_width + (size_t)cx;
        if (levels[n] <= RVI_DRY)
            return RVI_DRY;
        wet = wet && depth[n] > shallow;
        level += share * levels[n];
    }
    float film = ground[(size_t)y * (size_t)r->width + (size_t)x] + shallow;
    return wet ? rvi_maxf(level, film) : level;
}

/* ---- rays ---- */

enum { RVI_FIRST_LEVEL = 4 }; /* where rays begin */

typedef struct rvi_ray_walk {
    const rvi_relief *r;
    const rvi_ray *ray;
    double inverse[2], start[2]; /* t = inverse face + start; of an axis it runs across: never */
    int ahead[2];                /* 1 where the ray goes up the axis: the far face of a block */
    double t, end;
    int x, y, level; /* the block it is in */
    int crossed;     /* the axis of the face it came through; -1: from above */
    bool outside;    /* it came from a hole, or from outside */
    rvi_hit hit;
} rvi_ray_walk;

static inline double rvi_ray_at(const rvi_ray_walk *w, int axis, double t) {
    return w->ray->from[axis] + t * w->ray->along[axis];
}

/* The first root of f0 + b s + c s^2 in 0 ... 1; 2: there is none. f0 > 0. */
static inline double rvi_ray_first_root(double f0, double b, double c) {
    if (f0 + b + c > 0 && (c <= 0 || b >= 0 || b + 2 * c <= 0))
        return 2; /* above at both ends and no valley between them */
    double under = b * b - 4 * c * f0;
    if (under < 0)
        return 2;
    double q = -0.5 * (b + (b < 0 ? -sqrt(under) : sqrt(under)));
    double one = q != 0 ? f0 / q : 2, two = c != 0 ? q / c : 2;
    one = one < 0 ? 2 : one;
    two = two < 0 ? 2 : two;
    double s = one < two ? one : two;
    if (f0 + b + c <= 0 && s > 1)
        s = 1;
    return s <= 1 ? s : 2;
}

/* Four samples of the square at (x, y): where along s does the ray meet the surface through them?
 */
static inline double rvi_ray_meet(const rvi_ray_walk *w, RVI_GRID const float *grid,
                                  const double uv[4], const double z[2]) {
    RVI_GRID const float *a = grid + (size_t)w->y * (size_t)w->r->width + (size_t)w->x;
    RVI_GRID const float *b = a + w->r->width;
    double h = a[0], hx = (double)a[1] - h, hy = (double)b[0] - h;
    double hxy = (double)b[1] - (double)b[0] - hx;
    double f0 = z[0] - (h + hx * uv[0] + hy * uv[1] + hxy * uv[0] * uv[1]);
    double f1 = z[1] - (h + hx * uv[2] + hy * uv[3] + hxy * uv[2] * uv[3]);
    if (f0 <= 0)
        return 0;
    double c = -hxy * (uv[2] - uv[0]) * (uv[3] - uv[1]);
    return rvi_ray_first_root(f0, f1 - f0 - c, c);
}

static inline bool rvi_ray_wet(const rvi_ray_walk *w) {
    if (!w->r->water)
        return false;
    RVI_GRID const float *a = w->r->water + (size_t)w->y * (size_t)w->r->width + (size_t)w->x;
    RVI_GRID const float *b = a + w->r->width;
    return a[0] > RVI_DRY && a[1] > RVI_DRY && b[0] > RVI_DRY && b[1] > RVI_DRY;
}

static inline bool rvi_ray_take_hit(rvi_ray_walk *w, rvi_hit_kind kind, double t) {
    w->hit = (rvi_hit){.kind = kind, .t = t};
    w->hit.x = rvi_ray_at(w, 0, t);
    w->hit.y = rvi_ray_at(w, 1, t);
    w->hit.z = rvi_ray_at(w, 2, t);
    if (kind == RVI_HIT_WALL || kind == RVI_HIT_BASIN) {
        w->hit.axis = w->crossed;
        w->hit.side = w->ray->along[w->crossed] > 0 ? -1 : 1;
    }
    return true;
}

/* Is there something in this square before the ray leaves it at `leave`? */
static inline bool rvi_ray_look(rvi_ray_walk *w, double leave) {
    if (rvi_relief_gap(w->r, w->x, w->y)) {
        w->outside = true;
        return false;
    }
    double uv[4] = {rvi_ray_at(w, 0, w->t) - w->x, rvi_ray_at(w, 1, w->t) - w->y,
                    rvi_ray_at(w, 0, leave) - w->x, rvi_ray_at(w, 1, leave) - w->y};
    double z[2] = {rvi_ray_at(w, 2, w->t), rvi_ray_at(w, 2, leave)};
    double ground = rvi_ray_meet(w, w->r->z, uv, z);
    double water = rvi_ray_wet(w) ? rvi_ray_meet(w, w->r->water, uv, z) : 2;
    bool cut = w->outside && w->crossed >= 0;
    w->outside = false;
    if (ground > 1 && water > 1)
        return false;
    if (ground <= water) /* a cut shows ground where both are below the surface */
        return rvi_ray_take_hit(w, cut && ground == 0 ? RVI_HIT_WALL : RVI_HIT_LAND,
                                w->t + ground * (leave - w->t));
    return rvi_ray_take_hit(w, cut && water == 0 ? RVI_HIT_BASIN : RVI_HIT_WATER,
                            w->t + water * (leave - w->t));
}

/* When the ray leaves its block, and through a face of which axis (-1: at the end). */
static inline double rvi_ray_leaving(const rvi_ray_walk *w, int *axis) {
    double x = (double)((int64_t)(w->x + w->ahead[0]) << w->level);
    double y = (double)((int64_t)(w->y + w->ahead[1]) << w->level);
    double tx = x * w->inverse[0] + w->start[0], ty = y * w->inverse[1] + w->start[1];
    double leave = tx < ty ? tx : ty;
    *axis = tx < ty ? 0 : 1;
    if (leave >= w->end) {
        leave = w->end;
        *axis = -1;
    }
    return leave < w->t ? w->t : leave;
}

static inline void rvi_ray_step_over(rvi_ray_walk *w, double leave, int axis) {
    int *place = axis == 0 ? &w->x : &w->y;
    int to = 2 * w->ahead[axis] - 1;
    *place += to;
    w->t = leave;
    w->crossed = axis;
    bool other_parent = to > 0 ? (*place & 1) == 0 : (*place & 1) == 1;
    if (other_parent && w->level + 1 < w->r->levels && *place >= 0) {
        w->level++;
        w->x >>= 1;
        w->y >>= 1;
    }
}

static inline void rvi_ray_step_down(rvi_ray_walk *w) {
    w->level--;
    double side = (double)(1 << w->level);
    w->x = 2 * w->x + (rvi_ray_at(w, 0, w->t) >= (2 * w->x + 1) * side);
    w->y = 2 * w->y + (rvi_ray_at(w, 1, w->t) >= (2 * w->y + 1) * side);
    w->x = rvi_mini(w->x, w->r->level[w->level].top_width - 1);
    w->y = rvi_mini(w->y, w->r->level[w->level].top_height - 1);
}

/* Clips the ray to the box around the block; false: it misses. */
static inline bool rvi_ray_clip(rvi_ray_walk *w) {
    const rvi_relief *r = w->r;
    double low[3] = {0, 0, r->base}, high[3] = {r->width - 1, r->height - 1, r->high};
    w->t = 0;
    w->end = 1e300;
    w->crossed = -1;
    for (int k = 0; k < 3; k++) {
        double from = w->ray->from[k], along = w->ray->along[k];
        if (along == 0) {
            if (from < low[k] || from > high[k])
                return false;
            continue;
        }
        double a = (low[k] - from) / along, b = (high[k] - from) / along;
        if ((a < b ? a : b) > w->t) {
            w->t = a < b ? a : b;
            w->crossed = k < 2 ? k : -1;
            w->outside = k < 2;
        }
        w->end = (a < b ? b : a) < w->end ? (a < b ? b : a) : w->end;
    }
    return w->t < w->end;
}

/* The block it begins in: of middle size, since rays hardly ever pass the largest in one step. */
static inline void rvi_ray_enter(rvi_ray_walk *w) {
    w->level = rvi_mini(w->r->levels - 1, RVI_FIRST_LEVEL);
    RVI_GRID const rvi_level *l = &w->r->level[w->level];
    double scale = 1.0 / (double)(1 << w->level);
    w->x = rvi_maxi(0, rvi_mini((int)(rvi_ray_at(w, 0, w->t) * scale), l->top_width - 1));
    w->y = rvi_maxi(0, rvi_mini((int)(rvi_ray_at(w, 1, w->t) * scale), l->top_height - 1));
}

/* The first thing a ray meets from t = 0 on. */
RVI_CALLED rvi_hit rvi_relief_trace(const rvi_relief *r, const rvi_ray *ray) {
    rvi_ray_walk w = {.r = r, .ray = ray};
    if (!rvi_ray_clip(&w))
        return w.hit;
    for (int k = 0; k < 2; k++) {
        w.inverse[k] = ray->along[k] != 0 ? 1 / ray->along[k] : 0;
        w.start[k] = ray->along[k] != 0 ? -ray->from[k] * w.inverse[k] : 1e300;
        w.ahead[k] = ray->along[k] > 0;
    }
    rvi_ray_enter(&w);
    while (w.t < w.end) {
        RVI_GRID const rvi_level *l = &r->level[w.level];
        if (w.x < 0 || w.y < 0 || w.x >= l->top_width || w.y >= l->top_height)
            break;
        int axis;
        double leave = rvi_ray_leaving(&w, &axis);
        if (w.level == 0) {
            if (rvi_ray_look(&w, leave))
                break;
        } else {
            double z0 = rvi_ray_at(&w, 2, w.t), z1 = rvi_ray_at(&w, 2, leave);
            float top = r->pyramid[l->top + (size_t)w.y * (size_t)l->top_width + (size_t)w.x];
            if ((z0 < z1 ? z0 : z1) <= (double)top) {
                rvi_ray_step_down(&w);
                continue;
            }
            w.outside = false;
        }
        if (axis < 0)
            break;
        rvi_ray_step_over(&w, leave, axis);
    }
    return w.hit;
}

#endif
