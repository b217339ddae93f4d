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
#include <string.h>

enum {
    FINE_SIDE = 640, /* cells that a side should have */
    FINEST = 4,      /* how much finer a grid gets at most */
};

/* ---- making it ---- */

float rvi_relief_shallow(const rv_terrain *land) {
    return rvi_relief_shallow_of(land->cell);
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
    float *pyramid;
    const float *depth;
    float shallow;
    float *levels; /* of the water of each cell of the terrain */
    int level;
} making;

rvi_relief_numbers rvi_relief_numbers_of(const rvi_relief *r) {
    return (rvi_relief_numbers){.width = r->width,
                                .height = r->height,
                                .cell = r->cell,
                                .step = r->step,
                                .low = r->low,
                                .high = r->high,
                                .base = r->base,
                                .levels = r->levels,
                                .land_width = r->land_width,
                                .land_height = r->land_height,
                                .land_cell = r->land_cell};
}

size_t rvi_relief_cells(const rv_terrain *land, bool fine) {
    size_t times = (size_t)finer(land, fine);
    return ((size_t)land->width * times + 1) * ((size_t)land->height * times + 1);
}

size_t rvi_relief_memory(const rv_terrain *land, bool fine) {
    /* Water and what is higher; then the pyramids, but before them the water of each cell; where it
     * is finer than the terrain or has holes, the ground. */
    size_t cells = rvi_relief_cells(land, fine), floats = 3 * cells + 1024;
    if (finer(land, fine) > 1 || land->width < 2 || land->height < 2 ||
        rvi_field_there(land, "hole")) /* a plan has no values */
        floats += cells;
    return floats * sizeof(float);
}

static void level_rows(void *arg, int first, int end) {
    const making *m = arg;
    const rv_terrain *land = m->r->land;
    for (int y = first; y < end; y++)
        for (int x = 0; x < land->width; x++)
            m->levels[(size_t)y * (size_t)land->width + (size_t)x] = rvi_relief_cell_level(
                land->surface, m->depth, m->shallow, land->width, land->height, x, y);
}

static void water_rows(void *arg, int first, int end) {
    const making *m = arg;
    const rvi_relief *r = m->r;
    const rvi_relief_numbers numbers = rvi_relief_numbers_of(r);
    for (int y = first; y < end; y++)
        for (int x = 0; x < r->width; x++) {
            size_t i = (size_t)y * (size_t)r->width + (size_t)x;
            m->water[i] = rvi_relief_water(&numbers, r->z, m->levels, m->depth, m->shallow, x, y);
            m->upper[i] = rvi_maxf(r->z[i], m->water[i]);
        }
}

static void top_rows(void *arg, int first, int end) {
    const making *m = arg;
    const rvi_relief *r = m->r;
    const rvi_level *from = &r->level[m->level - 1], *to = from + 1;
    const float *tops = r->pyramid + from->top;
    float *out = m->pyramid + to->top;
    for (int y = first; y < end; y++)
        for (int x = 0; x < to->top_width; x++)
            out[(size_t)y * (size_t)to->top_width + (size_t)x] =
                m->level == 1 ? rvi_relief_first_top(r->upper, r->width, r->height, x, y)
                              : rvi_relief_top(tops, from->top_width, from->top_height, x, y);
}

static void mean_rows(void *arg, int first, int end) {
    const making *m = arg;
    const rvi_level *from = &m->r->level[m->level - 1], *to = from + 1;
    const float *mean = rvi_block_means(m->r, m->level - 1);
    float *out = m->pyramid + to->mean;
    for (int y = first; y < end; y++)
        for (int x = 0; x < to->width; x++)
            out[(size_t)y * (size_t)to->width + (size_t)x] = rvi_relief_mean(from, mean, x, y);
}

/* The floats of all of them. */
static size_t find_levels(rvi_relief *r, rvi_level *level) {
    size_t floats = 0;
    level[0] = (rvi_level){r->width - 1, r->height - 1, r->width, r->height, 0, 0};
    for (r->levels = 1;
         (size_t)level[r->levels - 1].top_width * (size_t)level[r->levels - 1].top_height > 1;
         r->levels++) {
        const rvi_level *a = &level[r->levels - 1];
        rvi_level *l = &level[r->levels];
        *l = (rvi_level){(a->top_width + 1) / 2,
                         (a->top_height + 1) / 2,
                         (a->width + 1) / 2,
                         (a->height + 1) / 2,
                         floats,
                         0};
        size_t count = (size_t)l->width * (size_t)l->height;
        l->mean = floats + count;
        floats += 2 * count;
    }
    return floats;
}

size_t rvi_relief_floats(const rvi_relief *r) {
    const rvi_level *last = &r->level[r->levels - 1];
    return r->levels > 1 ? (size_t)last->mean + (size_t)last->width * (size_t)last->height : 0;
}

bool rvi_relief_own(const rv_terrain *land) {
    return finer(land, true) > 1 || land->width < 2 || land->height < 2 ||
           rvi_field_there(land, "hole");
}

rv_status rvi_relief_reserve(rvi_relief *r, float **pyramid) {
    rvi_level level[RVI_LEVELS] = {{0}};
    size_t floats = find_levels(r, level), table = sizeof level / (sizeof(float));
    float *memory = r->memory[2] =
        rvi_alloc(r->land->ctx, table + floats, sizeof(float), "the block of a picture");
    if (!memory)
        return RV_ERROR_MEMORY;
    memcpy(memory, level, sizeof level);
    r->level = (const rvi_level *)(const void *)memory;
    r->pyramid = *pyramid = memory + table;
    return RV_OK;
}

static rv_status make_levels(rvi_relief *r) {
    rv_context *ctx = r->land->ctx;
    float *pyramid;
    rv_status status = rvi_relief_reserve(r, &pyramid);
    for (int k = 1; status == RV_OK && k < r->levels; k++) {
        making m = {.r = r, .level = k, .pyramid = pyramid};
        status = rvi_parallel_rows(ctx, r->level[k].top_height, top_rows, &m);
        if (status == RV_OK)
            status = rvi_parallel_rows(ctx, r->level[k].height, mean_rows, &m);
    }
    return status;
}

/* One column or row becomes two. */
static void double_ground(const rvi_relief *r, float *to) {
    for (int y = 0; y < r->height; y++)
        for (int x = 0; x < r->width; x++) {
            int cx = rvi_mini(x, r->land_width - 1), cy = rvi_mini(y, r->land_height - 1);
            to[(size_t)y * (size_t)r->width + (size_t)x] =
                r->z[(size_t)cy * (size_t)r->land_width + (size_t)cx];
        }
}

static rv_status make_ground(rvi_relief *r, int times) {
    const rv_terrain *land = r->land;
    r->width = rvi_maxi(2, (land->width - 1) * times + 1);
    r->height = rvi_maxi(2, (land->height - 1) * times + 1);
    r->step = 1 / (float)times;
    r->cell = land->cell * r->step;
    r->land_width = land->width;
    r->land_height = land->height;
    r->land_cell = land->cell;
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
        if (!z)
            status = RV_ERROR_MEMORY;
        else if (times == 1)
            double_ground(r, z);
        else
            status = rvi_resample(land->ctx, r->z, land->width, land->height, z, r->width,
                                  r->height, RVI_FILTER_CUBIC);
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
