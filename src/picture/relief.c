/* relief.c: a block of land, and where rays hit it.
 *
 * A. Tevs, I. Ihrke, H.-P. Seidel, Maximum mipmaps for fast, accurate, and scalable dynamic height
 * field rendering, 2008. A ray goes through a pyramid of maxima: it passes a block of 2^L x 2^L
 * squares in one step where it stays above the highest sample of the block, and looks into the
 * smaller blocks where it does not. In a square between four samples the ground is bilinear; along
 * the ray, s = 0 where it enters and 1 where it leaves,
 *
 *     f(s) = z(s) - h(s) = f0 + B s + C s^2,   C = -(h11 - h10 - h01 + h00) du dv
 *
 * whose first root is the hit, to the last bit. A ray that is below the ground where it enters a
 * square hits it there: nothing slips through between squares, and where the ray came from a hole
 * or from outside it is the cut.
 */
#include "picture/relief.h"
#include "base/context.h"
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "picture/hole_edges.h"
#include "terrain/resample.h"

#include <math.h>

enum {
    FINE_SIDE = 640, /* cells that a side should have */
    FINEST = 4,      /* how much finer a grid gets at most */
    FIRST_LEVEL = 4, /* where rays begin */
};

/* ---- making it ---- */

float rvi_relief_shallow(const rv_terrain *land) {
    return rvi_clampf(0.01f * land->cell, 0.05f, 0.5f);
}

static int finer(const rv_terrain *land, bool fine) {
    int side = rvi_maxi(land->width, land->height), times = 1;
    while (fine && times < FINEST && side * times < FINE_SIDE)
        times *= 2;
    return times;
}

typedef struct making {
    rvi_relief *r;
    float *upper, *water;
    float *means; /* of the level that is made */
    const float *depth;
    float shallow;
    float *levels; /* of the water of each cell of the terrain */
    int level;
} making;

size_t rvi_relief_cells(const rv_terrain *land, bool fine) {
    size_t times = (size_t)finer(land, fine);
    return ((size_t)land->width * times + 1) * ((size_t)land->height * times + 1);
}

size_t rvi_relief_memory(const rv_terrain *land, bool fine) {
    /* Water and what is higher; then the pyramids, but before them the water of each cell; where it
     * is finer than the terrain or has holes, the ground. */
    size_t cells = rvi_relief_cells(land, fine), floats = 3 * cells + 1024;
    if (finer(land, fine) > 1 || land->width < 2 || land->height < 2 || rvi_field_get(land, "hole"))
        floats += cells;
    return floats * sizeof(float);
}

/* The water goes on below the shore by a cell, so that the shore is where ground and water cross
 * and not a row of steps. */
static float level_beside(const making *m, int x, int y) {
    const rv_terrain *land = m->r->land;
    float sum = 0, count = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int nx = x + dx, ny = y + dy;
            if (nx < 0 || ny < 0 || nx >= land->width || ny >= land->height)
                continue;
            size_t n = (size_t)ny * (size_t)land->width + (size_t)nx;
            if (m->depth[n] > m->shallow) {
                sum += land->surface[n] + m->depth[n];
                count++;
            }
        }
    return count > 0 ? sum / count : RVI_DRY;
}

static void level_rows(void *arg, int first, int end) {
    const making *m = arg;
    const rv_terrain *land = m->r->land;
    for (int y = first; y < end; y++)
        for (int x = 0; x < land->width; x++) {
            size_t i = (size_t)y * (size_t)land->width + (size_t)x;
            float z = land->surface[i];
            m->levels[i] =
                m->depth[i] > m->shallow ? z + m->depth[i] : rvi_minf(level_beside(m, x, y), z);
        }
}

/* Between cells the level, not the depth, goes along straight lines: a lake is flat up to a steep
 * shore. Where all around is wet, at least a film covers ground that is rounder than that. */
static float level_between(const making *m, int x, int y) {
    const rvi_relief *r = m->r;
    const rv_terrain *land = r->land;
    float px = (float)x * r->step, py = (float)y * r->step, level = 0;
    int x0 = (int)px, y0 = (int)py;
    bool wet = true;
    for (int k = 0; k < 4; k++) {
        float u = px - (float)x0, v = py - (float)y0;
        float share = (k % 2 ? u : 1 - u) * (k / 2 ? v : 1 - v);
        if (share <= 0)
            continue;
        int cx = rvi_mini(x0 + k % 2, land->width - 1), cy = rvi_mini(y0 + k / 2, land->height - 1);
        size_t n = (size_t)cy * (size_t)land->width + (size_t)cx;
        if (m->levels[n] <= RVI_DRY)
            return RVI_DRY;
        wet = wet && m->depth[n] > m->shallow;
        level += share * m->levels[n];
    }
    float film = r->z[(size_t)y * (size_t)r->width + (size_t)x] + m->shallow;
    return wet ? rvi_maxf(level, film) : level;
}

static void water_rows(void *arg, int first, int end) {
    const making *m = arg;
    const rvi_relief *r = m->r;
    for (int y = first; y < end; y++)
        for (int x = 0; x < r->width; x++) {
            size_t i = (size_t)y * (size_t)r->width + (size_t)x;
            m->water[i] = level_between(m, x, y);
            m->upper[i] = rvi_maxf(r->z[i], m->water[i]);
        }
}

/* The highest of 3 x 3 samples, since neighbouring squares share their edges. */
static void first_top_rows(void *arg, int first, int end) {
    const rvi_relief *r = ((const making *)arg)->r;
    const rvi_level *to = &r->level[1];
    for (int y = first; y < end; y++)
        for (int x = 0; x < to->top_width; x++) {
            float most = -INFINITY;
            for (int dy = 0; dy < 3; dy++)
                for (int dx = 0; dx < 3; dx++) {
                    int sx = rvi_mini(2 * x + dx, r->width - 1);
                    int sy = rvi_mini(2 * y + dy, r->height - 1);
                    most = rvi_maxf(most, r->upper[(size_t)sy * (size_t)r->width + (size_t)sx]);
                }
            to->top[(size_t)y * (size_t)to->top_width + (size_t)x] = most;
        }
}

static void top_rows(void *arg, int first, int end) {
    const making *m = arg;
    const rvi_level *from = &m->r->level[m->level - 1], *to = from + 1;
    for (int y = first; y < end; y++)
        for (int x = 0; x < to->top_width; x++) {
            int x1 = rvi_mini(2 * x + 1, from->top_width - 1);
            int y1 = rvi_mini(2 * y + 1, from->top_height - 1);
            const float *a = from->top + (size_t)(2 * y) * (size_t)from->top_width;
            const float *b = from->top + (size_t)y1 * (size_t)from->top_width;
            to->top[(size_t)y * (size_t)to->top_width + (size_t)x] =
                rvi_maxf(rvi_maxf(a[2 * x], a[x1]), rvi_maxf(b[2 * x], b[x1]));
        }
}

/* One sample of a level, which goes on evenly beyond its edges. */
static float beyond(const rvi_level *l, int x, int y) {
    int cx = rvi_maxi(0, rvi_mini(x, l->width - 1)), cy = rvi_maxi(0, rvi_mini(y, l->height - 1));
    const float *at = l->mean + (size_t)cy * (size_t)l->width + (size_t)cx;
    float z = *at;
    if (x != cx && l->width > 1)
        z += (float)(x < 0 ? -x : x - cx) * (*at - at[x < 0 ? 1 : -1]);
    if (y != cy && l->height > 1)
        z += (float)(y < 0 ? -y : y - cy) * (*at - *(y < 0 ? at + l->width : at - l->width));
    return z;
}

static void mean_rows(void *arg, int first, int end) {
    const making *m = arg;
    const rvi_level *from = &m->r->level[m->level - 1], *to = from + 1;
    float *out = m->means;
    for (int y = first; y < end; y++)
        for (int x = 0; x < to->width; x++) {
            size_t i = (size_t)y * (size_t)to->width + (size_t)x;
            const float *a = from->mean + (size_t)(2 * y) * (size_t)from->width + 2 * (size_t)x;
            const float *b = a + from->width;
            if (2 * x + 1 < from->width && 2 * y + 1 < from->height)
                out[i] = 0.25f * ((a[0] + a[1]) + (b[0] + b[1]));
            else
                out[i] =
                    0.25f * ((a[0] + beyond(from, 2 * x + 1, 2 * y)) +
                             (beyond(from, 2 * x, 2 * y + 1) + beyond(from, 2 * x + 1, 2 * y + 1)));
        }
}

static rv_status make_levels(rvi_relief *r) {
    rv_context *ctx = r->land->ctx;
    r->level[0] = (rvi_level){r->width - 1, r->height - 1, NULL, r->width, r->height, r->upper};
    size_t floats = 0;
    for (r->levels = 1; r->level[r->levels - 1].top_width * r->level[r->levels - 1].top_height > 1;
         r->levels++) {
        const rvi_level *a = &r->level[r->levels - 1];
        r->level[r->levels] = (rvi_level){(a->top_width + 1) / 2, (a->top_height + 1) / 2, NULL,
                                          (a->width + 1) / 2,     (a->height + 1) / 2,     NULL};
        floats += 2 * (size_t)r->level[r->levels].width * (size_t)r->level[r->levels].height;
    }
    float *at = r->memory[2] =
        rvi_alloc(ctx, floats > 0 ? floats : 1, sizeof(float), "the block of a picture");
    if (!at)
        return RV_ERROR_MEMORY;
    rv_status status = RV_OK;
    for (int k = 1; status == RV_OK && k < r->levels; k++) {
        rvi_level *l = &r->level[k];
        l->top = at;
        making m = {.r = r, .level = k, .means = at + (size_t)l->width * (size_t)l->height};
        l->mean = m.means;
        at += 2 * (size_t)l->width * (size_t)l->height;
        status = rvi_parallel_rows(ctx, l->top_height, k == 1 ? first_top_rows : top_rows, &m);
        if (status == RV_OK)
            status = rvi_parallel_rows(ctx, l->height, mean_rows, &m);
    }
    return status;
}

static rv_status make_ground(rvi_relief *r, int times) {
    const rv_terrain *land = r->land;
    r->width = rvi_maxi(2, (land->width - 1) * times + 1);
    r->height = rvi_maxi(2, (land->height - 1) * times + 1);
    r->step = 1 / (float)times;
    r->cell = land->cell * r->step;
    r->z = land->surface;
    size_t cells = rvi_cells(land), samples = (size_t)r->width * (size_t)r->height;
    float *whole = NULL, *z = NULL;
    rv_status status = RV_OK;
    if (r->hole) {
        r->z = whole = rvi_alloc(land->ctx, cells, sizeof(float), "the block of a picture");
        status = whole ? rvi_hole_edge_extend(land, r->hole, whole) : RV_ERROR_MEMORY;
    }
    if (status == RV_OK && (r->width != land->width || r->height != land->height)) {
        z = rvi_alloc(land->ctx, samples, sizeof(float), "the block of a picture");
        status = z ? rvi_resample(land->ctx, r->z, land->width, land->height, z, r->width,
                                  r->height, RVI_FILTER_CUBIC)
                   : RV_ERROR_MEMORY;
        rvi_free(land->ctx, whole);
        r->z = whole = z;
    }
    r->memory[0] = whole;
    return status;
}

static rv_status make_water(rvi_relief *r) {
    rv_context *ctx = r->land->ctx;
    making m = {.r = r, .shallow = rvi_relief_shallow(r->land)};
    m.depth = rvi_field_get(r->land, "water");
    r->upper = r->z;
    if (!m.depth)
        return RV_OK;
    float low, high;
    rvi_range(ctx, m.depth, rvi_cells(r->land), &low, &high);
    if (!(high > m.shallow))
        return RV_OK;
    size_t cells = (size_t)r->width * (size_t)r->height;
    m.water = r->memory[1] = rvi_alloc(ctx, 2 * cells, sizeof(float), "the water of a picture");
    if (!m.water)
        return RV_ERROR_MEMORY;
    m.upper = m.water + cells;
    m.levels = rvi_alloc(ctx, rvi_cells(r->land), sizeof(float), "the water of a picture");
    if (!m.levels)
        return RV_ERROR_MEMORY;
    r->water = m.water;
    r->upper = m.upper;
    rv_status status = rvi_parallel_rows(ctx, r->land->height, level_rows, &m);
    if (status == RV_OK)
        status = rvi_parallel_rows(ctx, r->height, water_rows, &m);
    rvi_free(ctx, m.levels);
    return status;
}

/* Without what lies in holes. */
static rv_status find_range(rvi_relief *r) {
    if (!r->hole) {
        rvi_range(r->land->ctx, r->upper, (size_t)r->width * (size_t)r->height, &r->low, &r->high);
        return RV_OK;
    }
    r->low = INFINITY;
    r->high = -INFINITY;
    for (int y = 0; y + 1 < r->height; y++) {
        for (int x = 0; x + 1 < r->width; x++)
            if (!rvi_relief_gap(r, x, y))
                for (int k = 0; k < 4; k++) {
                    size_t i = (size_t)(y + k / 2) * (size_t)r->width + (size_t)(x + k % 2);
                    r->low = rvi_minf(r->low, r->upper[i]);
                    r->high = rvi_maxf(r->high, r->upper[i]);
                }
        rv_status status = rvi_poll(r->land->ctx);
        if (status != RV_OK)
            return status;
    }
    if (r->low > r->high) /* nothing but a hole */
        r->low = r->high = 0;
    return RV_OK;
}

rv_status rvi_relief_create(const rv_terrain *land, float depth, bool fine, rvi_relief *out) {
    rvi_relief r = {.land = land, .hole = rvi_field_get(land, "hole")};
    rv_status status = make_ground(&r, finer(land, fine));
    if (status == RV_OK)
        status = make_water(&r);
    if (status == RV_OK)
        status = find_range(&r);
    r.base = r.low - depth;
    if (status == RV_OK)
        status = make_levels(&r);
    if (status != RV_OK)
        rvi_relief_destroy(&r);
    else
        *out = r;
    return status;
}

void rvi_relief_destroy(rvi_relief *relief) {
    for (int k = 0; relief->land && k < 3; k++) {
        rvi_free(relief->land->ctx, relief->memory[k]);
        relief->memory[k] = NULL;
    }
}

/* ---- values and slopes ---- */

float rvi_grid_at(const float *grid, int width, int height, double x, double y) {
    double cx = x < 0 ? 0 : x > width - 1 ? width - 1 : x;
    double cy = y < 0 ? 0 : y > height - 1 ? height - 1 : y;
    int i = rvi_maxi(0, rvi_mini((int)cx, width - 2)),
        j = rvi_maxi(0, rvi_mini((int)cy, height - 2));
    float u = (float)(cx - i), v = (float)(cy - j);
    const float *a = grid + (size_t)j * (size_t)width + (size_t)i;
    const float *b = height > 1 ? a + width : a;
    int next = width > 1;
    float top = a[0] + u * (a[next] - a[0]), bottom = b[0] + u * (b[next] - b[0]);
    return top + v * (bottom - top);
}

float rvi_relief_field(const rvi_relief *r, const float *field, double x, double y) {
    return rvi_grid_at(field, r->land->width, r->land->height, x * (double)r->step,
                       y * (double)r->step);
}

bool rvi_relief_gap(const rvi_relief *r, int x, int y) {
    if (!r->hole)
        return false;
    const rv_terrain *land = r->land;
    int x0 = (int)((float)x * r->step), y0 = (int)((float)y * r->step);
    for (int k = 0; k < 4; k++) {
        int cx = rvi_mini(x0 + k % 2, land->width - 1), cy = rvi_mini(y0 + k / 2, land->height - 1);
        if (r->hole[(size_t)cy * (size_t)land->width + (size_t)cx] > 0.5f)
            return true;
    }
    return false;
}

/* Weights of a cubic B-spline and of its slope, u after the second of four samples. */
static void spline(float u, float value[4], float slope[4]) {
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

static void level_slope(const rvi_relief *r, int level, double x, double y, float slope[2]) {
    const rvi_level *l = &r->level[level];
    double scale = 1.0 / (double)(1 << level);
    double px = (x + 0.5) * scale - 0.5, py = (y + 0.5) * scale - 0.5;
    double fx = rvi_floor(px), fy = rvi_floor(py);
    float wx[4], sx[4], wy[4], sy[4];
    spline((float)(px - fx), wx, sx);
    spline((float)(py - fy), wy, sy);
    int i = (int)fx - 1, j = (int)fy - 1;
    bool inside = i >= 0 && j >= 0 && i + 3 < l->width && j + 3 < l->height;
    float dx = 0, dy = 0;
    for (int b = 0; b < 4; b++) {
        float row[4];
        const float *at = l->mean + (ptrdiff_t)(j + b) * l->width + i;
        for (int a = 0; a < 4; a++)
            row[a] = inside ? at[a] : beyond(l, i + a, j + b);
        float value = wx[0] * row[0] + wx[1] * row[1] + wx[2] * row[2] + wx[3] * row[3];
        float change = sx[0] * row[0] + sx[1] * row[1] + sx[2] * row[2] + sx[3] * row[3];
        dx += wy[b] * change;
        dy += sy[b] * value;
    }
    float size = r->cell * (float)(1 << level);
    slope[0] = dx / size;
    slope[1] = dy / size;
}

void rvi_relief_slope(const rvi_relief *r, double x, double y, float blur, float slope[2]) {
    int level = 0;
    float width = 1;
    while (2 * width <= blur && level + 1 < r->levels) {
        width *= 2;
        level++;
    }
    level_slope(r, level, x, y, slope);
    float share = rvi_clampf(blur / width - 1, 0, 1);
    if (share > 0 && level + 1 < r->levels) {
        float coarse[2];
        level_slope(r, level + 1, x, y, coarse);
        slope[0] += share * (coarse[0] - slope[0]);
        slope[1] += share * (coarse[1] - slope[1]);
    }
}

/* ---- rays ---- */

typedef struct walk {
    const rvi_relief *r;
    const rvi_ray *ray;
    double inverse[2], start[2]; /* t = inverse face + start; of an axis it runs across: never */
    int ahead[2];                /* 1 where the ray goes up the axis: the far face of a block */
    double t, end;
    int x, y, level; /* the block it is in */
    int crossed;     /* the axis of the face it came through; -1: from above */
    bool outside;    /* it came from a hole, or from outside */
    rvi_hit hit;
} walk;

static double at(const walk *w, int axis, double t) {
    return w->ray->from[axis] + t * w->ray->along[axis];
}

/* The first root of f0 + b s + c s^2 in 0 ... 1; 2: there is none. f0 > 0. */
static double first_root(double f0, double b, double c) {
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
static double meet(const walk *w, const float *grid, const double uv[4], const double z[2]) {
    const float *a = grid + (size_t)w->y * (size_t)w->r->width + (size_t)w->x;
    const float *b = a + w->r->width;
    double h = a[0], hx = (double)a[1] - h, hy = (double)b[0] - h;
    double hxy = (double)b[1] - (double)b[0] - hx;
    double f0 = z[0] - (h + hx * uv[0] + hy * uv[1] + hxy * uv[0] * uv[1]);
    double f1 = z[1] - (h + hx * uv[2] + hy * uv[3] + hxy * uv[2] * uv[3]);
    if (f0 <= 0)
        return 0;
    double c = -hxy * (uv[2] - uv[0]) * (uv[3] - uv[1]);
    return first_root(f0, f1 - f0 - c, c);
}

static bool wet(const walk *w) {
    if (!w->r->water)
        return false;
    const float *a = w->r->water + (size_t)w->y * (size_t)w->r->width + (size_t)w->x;
    const float *b = a + w->r->width;
    return a[0] > RVI_DRY && a[1] > RVI_DRY && b[0] > RVI_DRY && b[1] > RVI_DRY;
}

static bool take_hit(walk *w, rvi_hit_kind kind, double t) {
    w->hit = (rvi_hit){.kind = kind, .t = t};
    w->hit.x = at(w, 0, t);
    w->hit.y = at(w, 1, t);
    w->hit.z = at(w, 2, t);
    if (kind == RVI_HIT_WALL || kind == RVI_HIT_BASIN) {
        w->hit.axis = w->crossed;
        w->hit.side = w->ray->along[w->crossed] > 0 ? -1 : 1;
    }
    return true;
}

/* Is there something in this square before the ray leaves it at `leave`? */
static bool look(walk *w, double leave) {
    if (rvi_relief_gap(w->r, w->x, w->y)) {
        w->outside = true;
        return false;
    }
    double uv[4] = {at(w, 0, w->t) - w->x, at(w, 1, w->t) - w->y, at(w, 0, leave) - w->x,
                    at(w, 1, leave) - w->y};
    double z[2] = {at(w, 2, w->t), at(w, 2, leave)};
    double ground = meet(w, w->r->z, uv, z);
    double water = wet(w) ? meet(w, w->r->water, uv, z) : 2;
    bool cut = w->outside && w->crossed >= 0;
    w->outside = false;
    if (ground > 1 && water > 1)
        return false;
    if (ground <= water) /* a cut shows ground where both are below the surface */
        return take_hit(w, cut && ground == 0 ? RVI_HIT_WALL : RVI_HIT_LAND,
                        w->t + ground * (leave - w->t));
    return take_hit(w, cut && water == 0 ? RVI_HIT_BASIN : RVI_HIT_WATER,
                    w->t + water * (leave - w->t));
}

/* When the ray leaves its block, and through a face of which axis (-1: at the end). */
static double leaving(const walk *w, int *axis) {
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

static void step_over(walk *w, double leave, int axis) {
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

static void step_down(walk *w) {
    w->level--;
    double half = (double)(1 << w->level);
    w->x = 2 * w->x + (at(w, 0, w->t) >= (2 * w->x + 1) * half);
    w->y = 2 * w->y + (at(w, 1, w->t) >= (2 * w->y + 1) * half);
    w->x = rvi_mini(w->x, w->r->level[w->level].top_width - 1);
    w->y = rvi_mini(w->y, w->r->level[w->level].top_height - 1);
}

/* Clips the ray to the box around the block; false: it misses. */
static bool clip(walk *w) {
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
static void enter(walk *w) {
    w->level = rvi_mini(w->r->levels - 1, FIRST_LEVEL);
    const rvi_level *l = &w->r->level[w->level];
    double scale = 1.0 / (double)(1 << w->level);
    w->x = rvi_maxi(0, rvi_mini((int)(at(w, 0, w->t) * scale), l->top_width - 1));
    w->y = rvi_maxi(0, rvi_mini((int)(at(w, 1, w->t) * scale), l->top_height - 1));
}

rvi_hit rvi_relief_trace(const rvi_relief *r, const rvi_ray *ray) {
    walk w = {.r = r, .ray = ray};
    if (!clip(&w))
        return w.hit;
    for (int k = 0; k < 2; k++) {
        w.inverse[k] = ray->along[k] != 0 ? 1 / ray->along[k] : 0;
        w.start[k] = ray->along[k] != 0 ? -ray->from[k] * w.inverse[k] : 1e300;
        w.ahead[k] = ray->along[k] > 0;
    }
    enter(&w);
    while (w.t < w.end) {
        const rvi_level *l = &r->level[w.level];
        if (w.x < 0 || w.y < 0 || w.x >= l->top_width || w.y >= l->top_height)
            break;
        int axis;
        double leave = leaving(&w, &axis);
        if (w.level == 0) {
            if (look(&w, leave))
                break;
        } else {
            double z0 = at(&w, 2, w.t), z1 = at(&w, 2, leave);
            float top = l->top[(size_t)w.y * (size_t)l->top_width + (size_t)w.x];
            if ((z0 < z1 ? z0 : z1) <= (double)top) {
                step_down(&w);
                continue;
            }
            w.outside = false;
        }
        if (axis < 0)
            break;
        step_over(&w, leave, axis);
    }
    return w.hit;
}
