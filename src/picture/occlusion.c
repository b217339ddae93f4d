/* occlusion.c: sky and sun above every cell, from the horizon around it.
 *
 * L. Bavoil, M. Sainz, R. Dimitrov, Image-space horizon-based ambient occlusion, 2008. In each of
 * 12 directions d the ground itself rises with slope m, and the land farther on is seen at slope
 *
 *     t = max(m, (h(p + r d) - h(p)) / r)   over r = 1, 2, 4, 8 ... cells up to the reach,
 *     open = mean over d of 1 - (sin atan t - sin atan m),   sin atan t = t / sqrt(1 + t^2)
 *
 * From 8 cells on h is a mean over r / 4 cells. An even slope is open wherever it lies.
 *
 * For the sun (N. Max, Horizon mapping, 1988) every cell along the direction counts, and heights
 * lie on the lines between neighbours. Both go row by row: a place r d from each cell of a row is a
 * row again.
 */
#include "picture/occlusion.h"
#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

typedef struct sky {
    const rvi_relief *r;
    rvi_sky_rules rules;
    float *out;
    float *rows; /* ROWS of them for each block of rows */
} sky;

enum { ROW_FAR, ROW_EAST, ROW_SOUTH, ROW_OWN, ROW_MOST, ROW_COARSE, ROWS };

int rvi_light_level(const rvi_relief *relief, int side) {
    int level = 0;
    while (level + 1 < relief->levels &&
           rvi_maxi(relief->level[level].width, relief->level[level].height) > side)
        level++;
    return level;
}

static const float *row_of(const rvi_level *l, const float *mean, int y) {
    return mean + (size_t)rvi_sky_row_at(y, l->height) * (size_t)l->width;
}

/* m of a row: the slope between the neighbours of each cell, in heights for each cell. */
static void slopes(const rvi_level *l, const float *mean, int y, float *east, float *south) {
    const float *at = row_of(l, mean, y), *above = row_of(l, mean, y - 1),
                *below = row_of(l, mean, y + 1);
    float rows = rvi_sky_rows(y, l->height);
    for (int x = 0; x < l->width; x++) {
        south[x] = (below[x] - above[x]) / rows;
        east[x] = x > 0 && x + 1 < l->width ? 0.5f * (at[x + 1] - at[x - 1]) : 0;
    }
    if (l->width > 1) {
        east[0] = at[1] - at[0];
        east[l->width - 1] = at[l->width - 1] - at[l->width - 2];
    }
}

/* The row of a coarser level that lies at y of this one, between its own rows. */
static void coarse_row(const rvi_level *l, const float *mean, float y, float *out) {
    float v;
    int j = rvi_sky_coarse(y, l->height, &v);
    const float *a = row_of(l, mean, j), *b = row_of(l, mean, j + 1);
    for (int x = 0; x < l->width; x++)
        out[x] = rvi_sky_between(a[x], b[x], v);
}

/* Heights at x + shift for the cells `first` to `end`, from a row of the level itself. */
static void shift_row(const float *row, int width, float shift, int first, int end, float *out) {
    int by = (int)shift - (shift < 0);
    float u = shift - (float)by;
    int last = rvi_mini(end, width - 1 - by);
    for (int x = first; x < last; x++)
        out[x] = rvi_sky_between(row[x + by], row[x + by + 1], u);
    for (int x = rvi_maxi(first, last); x < end; x++)
        out[x] = row[width - 1];
}

/* The same from a row of a level `times` coarser: in runs of cells between two of its samples. */
static void spread_row(const float *row, int width, int times, float shift, int first, int end,
                       float *out) {
    float scale = 1 / (float)times;
    for (int x = first; x < end;) {
        int i;
        float at;
        int stop = rvi_sky_run(width, times, shift, x, end, &i, &at);
        float from = row[i], rise = width > 1 ? row[i + 1] - row[i] : 0;
        for (int k = 0; k < stop - x; k++)
            out[x + k] = rvi_sky_in_run(from, rise, at, k, scale);
        x = stop;
    }
}

/* Raises `most` where the land at distance 2^k in direction d is seen higher. */
static void look_far(const sky *s, int y, int d, int k, float *rows) {
    const rvi_sky_rules *rules = &s->rules;
    const rvi_level *l = &s->r->level[rules->level];
    float r = (float)(1 << k), east = r * rules->east[d], south = r * rules->south[d];
    int first, end;
    rvi_sky_span(east, l->width, &first, &end);
    float to = (float)y + south;
    if (to < 0 || to > (float)(l->height - 1) || first >= end)
        return;
    int up = rvi_sky_up(rules, k);
    const rvi_level *far = l + up;
    size_t stride = (size_t)l->width;
    float *coarse = rows + ROW_COARSE * stride, *there = rows + ROW_FAR * stride;
    float *most = rows + ROW_MOST * stride;
    coarse_row(far, rvi_block_means(s->r, s->rules.level + up),
               (to + 0.5f) / (float)(1 << up) - 0.5f, coarse);
    if (up == 0)
        shift_row(coarse, far->width, east, first, end, there);
    else
        spread_row(coarse, far->width, 1 << up, east, first, end, there);
    const float *at = row_of(l, rvi_block_means(s->r, s->rules.level), y);
    float scale = rules->z / r;
    for (int x = first; x < end; x++)
        most[x] = rvi_maxf(most[x], (there[x] - at[x]) * scale);
}

static void open_row(const sky *s, int y, float *rows) {
    const rvi_level *l = &s->r->level[s->rules.level];
    int width = l->width;
    size_t stride = (size_t)width;
    float *east = rows + ROW_EAST * stride, *south = rows + ROW_SOUTH * stride;
    float *own = rows + ROW_OWN * stride, *most = rows + ROW_MOST * stride;
    float *out = s->out + (size_t)y * stride;
    slopes(l, rvi_block_means(s->r, s->rules.level), y, east, south);
    memset(out, 0, stride * sizeof *out);
    for (int d = 0; d < RVI_SKY_DIRECTIONS; d++) {
        for (int x = 0; x < width; x++)
            most[x] = own[x] =
                s->rules.z * (east[x] * s->rules.east[d] + south[x] * s->rules.south[d]);
        for (int k = 0; k < s->rules.distances; k++)
            look_far(s, y, d, k, rows);
        for (int x = 0; x < width; x++)
            out[x] += rvi_sky_hidden(most[x], own[x]);
    }
    for (int x = 0; x < width; x++)
        out[x] = rvi_sky_open(out[x]);
}

static void open_rows(void *arg, int first, int end) {
    const sky *s = arg;
    size_t width = (size_t)s->r->level[s->rules.level].width;
    float *rows = s->rows + (size_t)(first / RVI_ROWS) * ROWS * width;
    for (int y = first; y < end; y++)
        open_row(s, y, rows);
}

rvi_sky_rules rvi_occlusion_rules(const rvi_relief *r, int level, float reach, float z) {
    float cell = r->cell * (float)(1 << level);
    rvi_sky_rules s = {.level = level, .distances = 1, .levels = r->levels, .z = z / cell};
    while (s.distances < RVI_SKY_DISTANCES && (float)(2 << s.distances) * cell <= 2 * reach)
        s.distances++;
    for (int d = 0; d < RVI_SKY_DIRECTIONS; d++) {
        /* Half a step off the axes, where grids have most to hide. */
        float angle = ((float)d + 0.5f) * (float)(2 * RVI_PI / RVI_SKY_DIRECTIONS);
        s.east[d] = rvi_cosf(angle);
        s.south[d] = rvi_sinf(angle);
    }
    return s;
}

void rvi_occlusion_runs(const rvi_relief *r, const rvi_sky_rules *s, int32_t *runs) {
    int width = r->level[s->level].width;
    for (int d = 0; d < RVI_SKY_DIRECTIONS; d++)
        for (int k = 0; k < s->distances; k++, runs += width) {
            int first, end, i, up = rvi_sky_up(s, k);
            float at, east = (float)(1 << k) * s->east[d];
            rvi_sky_span(east, width, &first, &end);
            for (int x = first; up > 0 && x < end;) {
                int stop =
                    rvi_sky_run(r->level[s->level + up].width, 1 << up, east, x, end, &i, &at);
                for (int in = x; in < stop; in++)
                    runs[in] = x;
                x = stop;
            }
        }
}

rv_status rvi_occlusion_make(const rvi_relief *r, int level, float reach, float z, float *out) {
    const rvi_level *l = &r->level[level];
    sky s = {.r = r, .rules = rvi_occlusion_rules(r, level, reach, z), .out = out};
    size_t blocks = ((size_t)l->height + RVI_ROWS - 1) / RVI_ROWS;
    s.rows = rvi_alloc(r->land->ctx, blocks * ROWS, (size_t)l->width * sizeof(float),
                       "the light of a picture");
    if (!s.rows)
        return RV_ERROR_MEMORY;
    rv_status status = rvi_parallel_rows(r->land->ctx, l->height, open_rows, &s);
    rvi_free(r->land->ctx, s.rows);
    return status;
}

/* ---- the sun ---- */

typedef struct sun {
    const rvi_level *l;
    const float *mean;
    rvi_sun_rules rules;
    float *out;
} sun;

static bool look_along_x(const sun *s, int y, int k, float *out) {
    const rvi_level *l = s->l;
    int j, shift = s->rules.east > 0 ? k : -k;
    float v, scale = s->rules.z / (float)k;
    if (!rvi_sun_row_x(&s->rules, l->height, y, k, &j, &v))
        return false;
    const float *a = row_of(l, s->mean, j), *b = row_of(l, s->mean, j + 1),
                *at = row_of(l, s->mean, y);
    int first = rvi_maxi(0, -shift), end = l->width - rvi_maxi(0, shift);
    for (int x = first; x < end; x++)
        out[x] = rvi_sun_seen(out[x], a[x + shift], b[x + shift], v, at[x], scale);
    return first < end;
}

/* Along y: the other way round. */
static bool look_along_y(const sun *s, int y, int k, float *out) {
    const rvi_level *l = s->l;
    int row = s->rules.south > 0 ? y + k : y - k;
    if (row < 0 || row >= l->height)
        return false;
    float u, scale = s->rules.z / (float)k;
    int shift = rvi_sun_shift_y(&s->rules, k, &u);
    const float *a = row_of(l, s->mean, row), *at = row_of(l, s->mean, y);
    int first = rvi_maxi(0, -shift), end = l->width - rvi_maxi(0, shift + 1);
    for (int x = first; x < end; x++)
        out[x] = rvi_sun_seen(out[x], a[x + shift], a[x + shift + 1], u, at[x], scale);
    return first < end;
}

static void sun_rows(void *arg, int first, int end) {
    const sun *s = arg;
    bool along_x = s->rules.east == 1 || s->rules.east == -1;
    for (int y = first; y < end; y++) {
        float *out = s->out + (size_t)y * (size_t)s->l->width;
        for (int x = 0; x < s->l->width; x++)
            out[x] = s->rules.lowest;
        for (int k = 1; k <= s->rules.steps; k++)
            if (!(along_x ? look_along_x(s, y, k, out) : look_along_y(s, y, k, out)))
                break;
    }
}

rvi_sun_rules rvi_horizon_rules(const rvi_relief *r, int level, float east, float south,
                                float lowest, float z) {
    float longer = rvi_maxf(fabsf(east), fabsf(south));
    float cell = r->cell * (float)(1 << level);
    float length = cell * sqrtf(east * east + south * south) / longer;
    rvi_sun_rules s = {.level = level, .z = z / length, .lowest = lowest};
    s.east = fabsf(east) >= fabsf(south) ? (east > 0 ? 1.0f : -1.0f) : east / longer;
    s.south = fabsf(east) >= fabsf(south) ? south / longer : (south > 0 ? 1.0f : -1.0f);
    /* Beyond this even the highest point is below `lowest`. */
    float far = (r->high - r->low) * z / (length * rvi_maxf(lowest, 0.001f));
    s.steps = far < 65536 ? (int)far + 1 : 65536;
    return s;
}

rv_status rvi_horizon_make(const rvi_relief *r, const rvi_sun_rules *rules, float *out) {
    const rvi_level *l = &r->level[rules->level];
    sun s = {.l = l, .mean = rvi_block_means(r, rules->level), .rules = *rules, .out = out};
    return rvi_parallel_rows(r->land->ctx, l->height, sun_rows, &s);
}
