/* solid_water.c: see the header. Particles are added to the grid layer by layer, each in the
 * order of the particles, so that sums do not depend on threads. */
#include "picture/solid_water.h"

#include "base/lanes.h"
#include "base/math.h"
#include "base/threads.h"

#include <math.h>

enum { LAYERS = 8, MOST_CELLS = 3 << 20, MARGIN = 3 };

#define REACH 2.0f   /* spacings: h */
#define RADIUS 0.75f /* r */
#define BEYOND 0.8f  /* what phi is where there are no particles */

typedef struct filling {
    const rvi_solid_water *water;
    rvi_pond *pond;
    float shift[3]; /* from a particle's place to metres from the middle */
    float spacing;
    rvi_v4 *sums;  /* weighted places and weights */
    float *others; /* a copy of phi, to smooth from */
    float *foam, *mud;
    uint32_t *order, *starts; /* particles by layer of the grid */
    int axis;
} filling;

static void place_of(const filling *f, size_t i, float out[3]) {
    const float *from = f->water->places + i * f->water->stride;
    for (int k = 0; k < 3; k++)
        out[k] = from[k] + f->shift[k];
}

/* Has the particle a finite place? */
static bool somewhere(const float at[3]) {
    return fabsf(at[0]) < 1e18f && fabsf(at[1]) < 1e18f && fabsf(at[2]) < 1e18f;
}

static size_t cells(const rvi_pond *p) {
    return (size_t)p->size[0] * (size_t)p->size[1] * (size_t)p->size[2];
}

static size_t cell_at(const rvi_pond *p, int x, int y, int z) {
    return ((size_t)z * (size_t)p->size[1] + (size_t)y) * (size_t)p->size[0] + (size_t)x;
}

/* ---- adding particles ---- */

/* -1: a particle without a finite place. */
static int layer_of(const filling *f, size_t i) {
    float at[3];
    place_of(f, i, at);
    if (!somewhere(at))
        return -1;
    int z = (int)((at[2] - f->pond->low[2]) / f->pond->cell);
    return rvi_maxi(0, rvi_mini(z, f->pond->size[2] - 1));
}

static void sort_layers(filling *f) {
    size_t count = f->water->count, layers = (size_t)f->pond->size[2];
    /* Those without a finite place come before all layers. */
    for (size_t i = 0; i < count; i++)
        f->starts[layer_of(f, i) + 1]++;
    for (size_t k = 1; k <= layers; k++)
        f->starts[k] += f->starts[k - 1];
    /* starts[l + 1] counts down to the place of the first of layer l. */
    for (size_t i = count; i-- > 0;)
        f->order[--f->starts[layer_of(f, i) + 1]] = (uint32_t)i;
    f->starts[layers + 1] = (uint32_t)count;
}

static void lay(const filling *f, size_t i, int first, int end) {
    const rvi_pond *p = f->pond;
    float at[3], reach = REACH * f->spacing, per = 1 / (reach * reach);
    place_of(f, i, at);
    int from[3], to[3];
    for (int k = 0; k < 3; k++) {
        from[k] = rvi_maxi(0, (int)((at[k] - reach - p->low[k]) / p->cell));
        to[k] = rvi_mini(p->size[k], (int)((at[k] + reach - p->low[k]) / p->cell) + 2);
    }
    from[2] = rvi_maxi(from[2], first);
    to[2] = rvi_mini(to[2], end);
    float foam = f->foam ? f->water->foam[i] : 0, mud = f->mud ? f->water->mud[i] : 0;
    for (int z = from[2]; z < to[2]; z++)
        for (int y = from[1]; y < to[1]; y++) {
            float dz = p->low[2] + (float)z * p->cell - at[2];
            float dy = p->low[1] + (float)y * p->cell - at[1];
            size_t row = cell_at(p, 0, y, z);
            for (int x = from[0]; x < to[0]; x++) {
                float dx = p->low[0] + (float)x * p->cell - at[0];
                float near = 1 - ((dx * dx + dy * dy) + dz * dz) * per;
                if (near <= 0)
                    continue;
                float w = near * near * near;
                f->sums[row + (size_t)x] += w * (rvi_v4){at[0], at[1], at[2], 1};
                if (f->foam)
                    p->foam[row + (size_t)x] += w * foam;
                if (f->mud)
                    p->mud[row + (size_t)x] += w * mud;
            }
        }
}

static void find_phi(const filling *f, int z) {
    rvi_pond *p = f->pond;
    for (int y = 0; y < p->size[1]; y++)
        for (int x = 0; x < p->size[0]; x++) {
            size_t i = cell_at(p, x, y, z);
            rvi_v4 sum = f->sums[i];
            float phi = BEYOND * f->spacing;
            if (sum[3] > 0) {
                int at[3] = {x, y, z};
                float square = 0, per = 1 / rvi_maxf(sum[3], 1e-20f);
                for (int k = 0; k < 3; k++) {
                    float d = p->low[k] + (float)at[k] * p->cell - sum[k] * per;
                    square += d * d;
                }
                phi = rvi_minf(sqrtf(square) - RADIUS * f->spacing, phi);
                if (f->foam)
                    p->foam[i] *= per;
                if (f->mud)
                    p->mud[i] *= per;
            }
            p->phi[i] = phi;
        }
}

static void fill_layers(void *arg, int64_t block) {
    const filling *f = arg;
    int first = (int)block * LAYERS, end = rvi_mini(first + LAYERS, f->pond->size[2]);
    int reach = (int)(REACH * f->spacing / f->pond->cell) + 2;
    int from = rvi_maxi(0, first - reach), to = rvi_mini(f->pond->size[2], end + reach);
    for (uint32_t i = f->starts[from + 1]; i < f->starts[to + 1]; i++)
        lay(f, f->order[i], first, end);
    for (int z = first; z < end; z++)
        find_phi(f, z);
}

/* ---- smoothing: 1/4, 1/2, 1/4 along one axis ---- */

static void smooth_layers(void *arg, int64_t block) {
    const filling *f = arg;
    const rvi_pond *p = f->pond;
    static const size_t none = 0;
    int first = (int)block * LAYERS, end = rvi_mini(first + LAYERS, p->size[2]);
    size_t step = f->axis == 0   ? 1
                  : f->axis == 1 ? (size_t)p->size[0]
                                 : (size_t)p->size[0] * (size_t)p->size[1];
    bool back = f->axis == 1;
    const float *from = back ? f->others : p->phi;
    float *to = back ? p->phi : f->others;
    for (int z = first; z < end; z++)
        for (int y = 0; y < p->size[1]; y++)
            for (int x = 0; x < p->size[0]; x++) {
                int at[3] = {x, y, z};
                size_t i = cell_at(p, x, y, z);
                size_t down = at[f->axis] > 0 ? step : none;
                size_t up = at[f->axis] + 1 < p->size[f->axis] ? step : none;
                to[i] = 0.5f * from[i] + 0.25f * (from[i - down] + from[i + up]);
            }
}

/* Which blocks have water, seen from their cells and the next ones. */
static void mark_block(rvi_pond *p, int bx, int by, int bz) {
    int at[3] = {bx, by, bz}, from[3], to[3];
    for (int k = 0; k < 3; k++) {
        from[k] = rvi_maxi(0, at[k] * RVI_POND_BLOCK);
        to[k] = rvi_mini(p->size[k], (at[k] + 1) * RVI_POND_BLOCK + 1);
    }
    bool wet = false;
    for (int z = from[2]; z < to[2]; z++)
        for (int y = from[1]; y < to[1]; y++)
            for (int x = from[0]; x < to[0]; x++)
                wet |= p->phi[cell_at(p, x, y, z)] < 0;
    p->wet[((size_t)bz * (size_t)p->blocks[1] + (size_t)by) * (size_t)p->blocks[0] + (size_t)bx] =
        wet;
}

static void mark_layers(void *arg, int64_t block) {
    const filling *f = arg;
    for (int y = 0; y < f->pond->blocks[1]; y++)
        for (int x = 0; x < f->pond->blocks[0]; x++)
            mark_block(f->pond, x, y, (int)block);
}

/* ---- making ---- */

static bool there(const rvi_solid_water *w) {
    return w && w->count > 0 && w->spacing > 0;
}

static void find_size(filling *f) {
    rvi_pond *p = f->pond;
    for (int k = 0; k < 3; k++) {
        p->low[k] = 1e30f;
        p->high[k] = -1e30f;
    }
    for (size_t i = 0; i < f->water->count; i++) {
        float at[3];
        place_of(f, i, at);
        for (int k = 0; k < 3 && somewhere(at); k++) {
            p->low[k] = rvi_minf(p->low[k], at[k]);
            p->high[k] = rvi_maxf(p->high[k], at[k]);
        }
    }
    if (!(p->low[0] <= p->high[0]))
        return;
    p->cell = 0.5f * f->spacing;
    for (double count = 1e30; count > MOST_CELLS;) {
        count = 1;
        for (int k = 0; k < 3; k++)
            count *= (double)((p->high[k] - p->low[k]) / p->cell) + 2 * MARGIN * 2;
        if (count > MOST_CELLS)
            p->cell *= 1.1f;
    }
    f->spacing = rvi_maxf(f->spacing, 1.2f * p->cell);
    for (int k = 0; k < 3; k++) {
        p->low[k] -= MARGIN * 0.5f * f->spacing;
        p->size[k] = (int)((p->high[k] + MARGIN * 0.5f * f->spacing - p->low[k]) / p->cell) + 2;
        p->high[k] = p->low[k] + (float)(p->size[k] - 1) * p->cell;
        p->blocks[k] = (p->size[k] + RVI_POND_BLOCK - 1) / RVI_POND_BLOCK;
    }
}

size_t rvi_pond_memory(const rvi_solid_water *w) {
    if (!there(w))
        return 0;
    return (size_t)MOST_CELLS * (sizeof(rvi_v4) + 4 * sizeof(float) + 1) +
           2 * w->count * sizeof(uint32_t);
}

static rv_status make_room(filling *f) {
    rvi_pond *p = f->pond;
    rv_context *ctx = p->ctx;
    size_t count = cells(p);
    size_t blocks = (size_t)p->blocks[0] * (size_t)p->blocks[1] * (size_t)p->blocks[2];
    p->memory = rvi_alloc(ctx, count, 3 * sizeof(float), "the water of a picture");
    p->wet = rvi_alloc(ctx, blocks, 1, "the water of a picture");
    f->sums = rvi_alloc(ctx, count, sizeof *f->sums, "the water of a picture");
    f->others = rvi_alloc(ctx, count, sizeof(float), "the water of a picture");
    f->order = rvi_alloc(ctx, f->water->count, sizeof(uint32_t), "the water of a picture");
    f->starts = rvi_alloc(ctx, (size_t)p->size[2] + 2, sizeof(uint32_t), "the water of a picture");
    if (!p->memory || !p->wet || !f->sums || !f->others || !f->order || !f->starts)
        return RV_ERROR_MEMORY;
    p->phi = p->memory;
    p->foam = f->foam = f->water->foam ? p->memory + count : NULL;
    p->mud = f->mud = f->water->mud ? p->memory + 2 * count : NULL;
    return RV_OK;
}

static rv_status fill(filling *f) {
    rvi_pond *p = f->pond;
    int64_t blocks = (p->size[2] + LAYERS - 1) / LAYERS;
    rv_status status = make_room(f);
    if (status != RV_OK)
        return status;
    sort_layers(f);
    status = rvi_parallel(p->ctx, blocks, fill_layers, f);
    for (f->axis = 0; f->axis < 3 && status == RV_OK; f->axis++)
        status = rvi_parallel(p->ctx, blocks, smooth_layers, f);
    if (status != RV_OK)
        return status;
    /* The last smoothing went away from phi. */
    memcpy(p->phi, f->others, cells(p) * sizeof(float));
    return rvi_parallel(p->ctx, p->blocks[2], mark_layers, f);
}

rv_status rvi_pond_create(rv_context *ctx, const rvi_solid_water *water, const double middle[3],
                          rvi_pond *out) {
    *out = (rvi_pond){.ctx = ctx};
    if (!there(water))
        return RV_OK;
    filling f = {.water = water, .pond = out, .spacing = water->spacing};
    for (int k = 0; k < 3; k++)
        f.shift[k] = (float)(water->origin[k] - middle[k]);
    find_size(&f);
    if (!(out->low[0] <= out->high[0])) {
        *out = (rvi_pond){.ctx = ctx};
        return RV_OK;
    }
    rv_status status = fill(&f);
    rvi_free(ctx, f.sums);
    rvi_free(ctx, f.others);
    rvi_free(ctx, f.order);
    rvi_free(ctx, f.starts);
    if (status != RV_OK)
        rvi_pond_destroy(out);
    return status;
}

void rvi_pond_destroy(rvi_pond *p) {
    if (p->ctx) {
        rvi_free(p->ctx, p->memory);
        rvi_free(p->ctx, p->wet);
    }
    *p = (rvi_pond){0};
}

/* ---- sampling ---- */

float rvi_pond_at(const rvi_pond *p, const float *grid, const float at[3]) {
    int i[3];
    float part[3];
    for (int k = 0; k < 3; k++) {
        float x = rvi_clampf((at[k] - p->low[k]) / p->cell, 0, (float)(p->size[k] - 1) - 1e-3f);
        i[k] = rvi_mini((int)x, p->size[k] - 2);
        part[k] = x - (float)i[k];
    }
    size_t row = (size_t)p->size[0], layer = row * (size_t)p->size[1];
    const float *g = grid + cell_at(p, i[0], i[1], i[2]);
    float a = g[0] + part[0] * (g[1] - g[0]), b = g[row] + part[0] * (g[row + 1] - g[row]);
    const float *h = g + layer;
    float c = h[0] + part[0] * (h[1] - h[0]), d = h[row] + part[0] * (h[row + 1] - h[row]);
    float low = a + part[1] * (b - a), high = c + part[1] * (d - c);
    return low + part[2] * (high - low);
}

void rvi_pond_normal(const rvi_pond *p, const float at[3], float out[3]) {
    float square = 0;
    for (int k = 0; k < 3; k++) {
        float up[3] = {at[0], at[1], at[2]}, down[3] = {at[0], at[1], at[2]};
        up[k] += p->cell;
        down[k] -= p->cell;
        out[k] = rvi_pond_at(p, p->phi, up) - rvi_pond_at(p, p->phi, down);
        square += out[k] * out[k];
    }
    float length = sqrtf(square);
    for (int k = 0; k < 3; k++)
        out[k] = length > 0 ? out[k] / length : (float)(k == 2);
}

/* The part of a ray that is over the grid. */
static bool clip(const rvi_pond *p, const float from[3], const float along[3], float *near,
                 float *far) {
    for (int k = 0; k < 3; k++) {
        float d = fabsf(along[k]) < 1e-12f ? 1e-12f : along[k];
        float a = (p->low[k] - from[k]) / d, b = (p->high[k] - from[k]) / d;
        *near = rvi_maxf(*near, rvi_minf(a, b));
        *far = rvi_minf(*far, rvi_maxf(a, b));
    }
    return *near < *far;
}

/* Where the ray leaves the block of cells that t is in; *wet: does that have water? */
static float leave_block(const rvi_pond *p, const float from[3], const float along[3], float t,
                         bool *wet) {
    float side = p->cell * RVI_POND_BLOCK, leave = 1e30f;
    size_t i = 0;
    for (int k = 2; k >= 0; k--) {
        float at = (from[k] + t * along[k] - p->low[k]) / side;
        int b = rvi_maxi(0, rvi_mini((int)at, p->blocks[k] - 1));
        float d = fabsf(along[k]) < 1e-12f ? 1e-12f : along[k];
        float end = (p->low[k] + side * (float)(b + (d > 0)) - from[k]) / d;
        leave = rvi_minf(leave, end);
        i = i * (size_t)p->blocks[k] + (size_t)b;
    }
    *wet = p->wet[i];
    return rvi_maxf(leave, t) + 0.02f * p->cell;
}

static float phi_along(const rvi_pond *p, const float from[3], const float along[3], float t) {
    float at[3] = {from[0] + t * along[0], from[1] + t * along[1], from[2] + t * along[2]};
    return rvi_pond_at(p, p->phi, at);
}

float rvi_pond_enter(const rvi_pond *p, const float from[3], const float along[3], float near,
                     float far) {
    float t = near, end = far;
    if (!p->phi || !clip(p, from, along, &t, &end))
        return far;
    float before = t, last = BEYOND;
    while (t < end) {
        bool wet;
        float leave = rvi_minf(leave_block(p, from, along, t, &wet), end);
        for (; wet && t < leave; t += 0.7f * p->cell) {
            float phi = phi_along(p, from, along, t);
            if (phi < 0) {
                if (last <= 0 || before == t)
                    return t;
                /* The line through the two values meets 0; once more, for bends. */
                for (int k = 0; k < 2; k++) {
                    float at = before + (t - before) * last / (last - phi);
                    float here = phi_along(p, from, along, at);
                    if (here < 0) {
                        t = at;
                        phi = here;
                    } else {
                        before = at;
                        last = here;
                    }
                }
                return before + (t - before) * last / (last - phi);
            }
            before = t;
            last = phi;
        }
        if (!wet) {
            t = leave;
            before = t;
            last = BEYOND * p->cell;
        }
    }
    return far;
}

float rvi_pond_path(const rvi_pond *p, const float from[3], const float along[3], float near,
                    float far) {
    float t = near, end = far, path = 0, step = p->cell;
    if (!p->phi || !clip(p, from, along, &t, &end))
        return 0;
    while (t < end) {
        bool wet;
        float leave = rvi_minf(leave_block(p, from, along, t, &wet), end);
        for (; wet && t < leave; t += step) {
            float phi = phi_along(p, from, along, t);
            /* A step across the surface counts in part. */
            path += rvi_minf(step, end - t) * rvi_clampf(0.5f - phi / step, 0, 1);
        }
        t = wet ? t : leave;
    }
    return path;
}
