/* settle.c: the land at rest, found without the many rounds that sliding to it would take.
 *
 * Rounds let a disturbance creep: over n cells they need n^2 of them. Of all land that stands, h_i
 * - h_j <= limit_ij for all neighbours, here is sought the one nearest to the land as it is, in the
 * least squares sense. Its dual (A. Chambolle, 2004; for sandpiles L. Prigozhin, 1996) is in the
 * ground f_ij that slides from i to j in all, with h_i = h0_i - sum_j f_ij: minimise 1/2 |h|^2 +
 * sum_ij limit_ij |f_ij| so that ground slides only where the land ends up at its talus angle, and
 * no land is won or lost whatever f is. Solved by FISTA (A. Beck, M. Teboulle, 2009), which needs
 * about n steps: f'_ij = shrink(g_ij + t (h_i - h_j), t limit_ij),  g'_ij = f'_ij + b (f'_ij -
 * f_ij) with h of g, shrink(x, l) = x - clamp(x, -l, l), b = (n - 1) / (n + 2), and t = 1 / 12
 * (eight neighbours) or 1 / 8 (four): one by the largest eigenvalue of the graph's Laplacian.
 * Bounds on f hold where a cell cannot give (hardness, border) or take (mask): 0 on that side.
 */
#include "base/threads.h"
#include "steps/slide.h"

#include <string.h>

enum { PAIRS = 4, GRIDS = 2 * PAIRS + 3, TILE_X = 64, TILE_Y = 16 };

/* Slopes too steep by this many margins are left to a few rounds. */
#define HAND_OVER 2.0f

/* Pair k of cell i is with its neighbour in this direction. */
static const int pair_way[PAIRS] = {RVI_EAST, RVI_SOUTH, RVI_SE, RVI_SW};

typedef struct settling {
    rvi_slide *s;
    float *memory;
    float *f[PAIRS], *g[PAIRS];
    float *h0;
    float *gives, *takes; /* may a cell give, may it take: 1 or 0 */
    float *h;             /* of g */
    float step, momentum;
    int pairs;
    int tiles_x, tiles_y;
    uint8_t *live;  /* of each tile: did anything slide? bit 0 now, bit 1 a step ago */
    uint8_t *awake; /* tiles that need work */
} settling;

/* Beyond the last row loops look one cell further. */
static size_t grid_size(const rvi_slide *s) {
    return s->count + 16;
}

size_t rvi_settle_memory(const rvi_slide *s) {
    return GRIDS * grid_size(s) * sizeof(float);
}

/* ---- one step ---- */

static void height_row(const settling *t, size_t from, size_t to) {
    const rvi_slide *s = t->s;
    size_t w = s->stride;
    const float *restrict e = t->g[0], *restrict d = t->g[1], *restrict h0 = t->h0;
    const float *restrict se = t->g[2], *restrict sw = t->g[3];
    float *restrict h = t->h;
    if (t->pairs == 2) {
        for (size_t i = from; i < to; i++)
            h[i] = h0[i] - ((e[i] - e[i - 1]) + (d[i] - d[i - w]));
        return;
    }
    for (size_t i = from; i < to; i++) {
        float straight = (e[i] - e[i - 1]) + (d[i] - d[i - w]);
        float diagonal = (se[i] - se[i - w - 1]) + (sw[i] - sw[i - w + 1]);
        h[i] = h0[i] - (straight + diagonal);
    }
}

/* Rows and columns of a tile, of the grid with its ring (the lower one needs no work). */
typedef struct area {
    int x0, y0, x1, y1;
} area;

static area tile_area(const settling *t, int tile) {
    int x = tile % t->tiles_x * TILE_X, y = tile / t->tiles_x * TILE_Y;
    return (area){x, y, rvi_mini(x + TILE_X, t->s->width + 2),
                  rvi_mini(y + TILE_Y, t->s->height + 1)};
}

static void height_tile(void *arg, int64_t tile) {
    const settling *t = arg;
    if (!t->awake[tile])
        return;
    area a = tile_area(t, (int)tile);
    size_t x0 = (size_t)rvi_maxi(a.x0, 1), x1 = (size_t)rvi_mini(a.x1, t->s->width + 1);
    for (int y = rvi_maxi(a.y0, 1); y < a.y1; y++)
        height_row(t, (size_t)y * t->s->stride + x0, (size_t)y * t->s->stride + x1);
}

typedef struct law {
    float step, momentum, limit;
} law;

/* One pair of each of a row's cells; `far` and so on are those of the other cell. Not 0 when
 * anything slid. */
static int flow_row(law l, int count, float *restrict f, float *restrict g, const float *restrict h,
                    const float *restrict far, const float *restrict gives,
                    const float *restrict far_gives, const float *restrict takes,
                    const float *restrict far_takes) {
    int live = 0;
    for (int i = 0; i < count; i++) {
        float x = g[i] + l.step * (h[i] - far[i]);
        float down = rvi_maxf(x - l.limit, 0.0f) * (gives[i] * far_takes[i]);
        float up = rvi_minf(x + l.limit, 0.0f) * (far_gives[i] * takes[i]);
        x = down + up;
        float ahead = x + l.momentum * (x - f[i]);
        f[i] = x;
        g[i] = ahead;
        live |= (x != 0.0f) | (ahead != 0.0f);
    }
    return live;
}

static void flow_tile(void *arg, int64_t tile) {
    const settling *t = arg;
    if (!t->awake[tile])
        return;
    area a = tile_area(t, (int)tile);
    int live = 0;
    for (int y = a.y0; y < a.y1; y++)
        for (int k = 0; k < t->pairs; k++) {
            size_t i = (size_t)y * t->s->stride + (size_t)a.x0;
            size_t j = i + (size_t)t->s->step[pair_way[k]];
            law l = {t->step, t->momentum, t->step * t->s->limit[pair_way[k] >= RVI_SE]};
            live |= flow_row(l, a.x1 - a.x0, t->f[k] + i, t->g[k] + i, t->h + i, t->h + j,
                             t->gives + i, t->gives + j, t->takes + i, t->takes + j);
        }
    t->live[tile] = (uint8_t)((t->live[tile] << 1 | live) & 3);
}

/* Where nothing slid, here and around, in this step and the one before, all stays as it is. */
static void wake_tiles(const settling *t) {
    for (int tile = 0; tile < t->tiles_x * t->tiles_y; tile++) {
        int tx = tile % t->tiles_x, ty = tile / t->tiles_x;
        bool awake = false;
        for (int y = rvi_maxi(ty - 1, 0); y <= rvi_mini(ty + 1, t->tiles_y - 1); y++)
            for (int x = rvi_maxi(tx - 1, 0); x <= rvi_mini(tx + 1, t->tiles_x - 1); x++)
                awake = awake || t->live[y * t->tiles_x + x];
        t->awake[tile] = awake;
    }
}

/* ---- before and after ---- */

static rv_status begin(settling *t) {
    rvi_slide *s = t->s;
    size_t size = grid_size(s);
    t->memory = rvi_alloc(s->job->ctx, GRIDS * size, sizeof(float), "the land at rest");
    t->tiles_x = (s->width + 2 + TILE_X - 1) / TILE_X;
    t->tiles_y = (s->height + 1 + TILE_Y - 1) / TILE_Y;
    size_t tiles = (size_t)t->tiles_x * (size_t)t->tiles_y;
    t->live = rvi_alloc(s->job->ctx, 2 * tiles, 1, "the land at rest");
    if (!t->memory || !t->live)
        return RV_ERROR_MEMORY;
    t->awake = t->live + tiles;
    memset(t->live, 1, tiles);
    bool eight = s->p->neighbours == RV_thermal_neighbours_8;
    t->pairs = eight ? 4 : 2;
    t->step = eight ? 1.0f / 12.0f : 0.125f;
    for (int k = 0; k < PAIRS; k++) {
        t->f[k] = t->memory + (size_t)k * size;
        t->g[k] = t->memory + (size_t)(PAIRS + k) * size;
    }
    t->h0 = t->memory + 2 * PAIRS * size;
    t->gives = t->h0 + size;
    t->takes = t->gives + size;
    t->h = s->next;
    memcpy(t->h0, s->h, s->count * sizeof(float));
    for (size_t i = 0; s->open && i < s->count; i++)
        t->takes[i] = 1.0f; /* the ring too */
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            size_t i = rvi_slide_at(s, x, y);
            bool soft = s->yields[0] > 0.0f && (!s->soft || s->soft[i] > 0.0f);
            t->gives[i] = soft ? 1.0f : 0.0f;
            t->takes[i] = !s->takes || s->takes[i] > 0.0f ? 1.0f : 0.0f;
        }
    return RV_OK;
}

/* Ground that slid in pair k of cell i, in whole quanta. Doubles add these up without rounding. */
static double slid(const settling *t, int k, size_t i) {
    double magic = 0x1.8p52 * t->s->quantum;
    return ((double)t->f[k][i] + magic) - magic;
}

static void set_heights(const settling *t) {
    rvi_slide *s = t->s;
    s->carried_off = 0.0;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            size_t i = rvi_slide_at(s, x, y);
            unsigned inside = rvi_slide_inside(s, x, y);
            double lost = 0.0;
            for (int k = 0; k < t->pairs; k++) {
                int way = pair_way[k];
                double out = slid(t, k, i), in = slid(t, k, i - (size_t)s->step[way]);
                lost += out - in;
                s->carried_off += inside & 1u << way ? 0.0 : out;
                s->carried_off -= inside & 1u << (way ^ 1) ? 0.0 : in;
            }
            s->h[i] = (float)((double)t->h0[i] - lost);
        }
}

rv_status rvi_settle(rvi_slide *s, void (*show)(rvi_slide *s)) {
    rv_context *ctx = s->job->ctx;
    settling t = {.s = s};
    rv_status status = begin(&t);
    /* Enough for ground to cross the map several times over. */
    int most = 1000 + 16 * (s->width + s->height);
    int tiles = t.tiles_x * t.tiles_y;
    bool settled = false;
    for (int n = 1; status == RV_OK && n <= most; n++) {
        int pace = rvi_mini(n, 1000);
        t.momentum = (float)(pace - 1) / (float)(pace + 2);
        wake_tiles(&t);
        status = rvi_parallel(ctx, tiles, height_tile, &t);
        if (status == RV_OK && n % 16 == 1)
            status = rvi_slide_check(s, t.h, HAND_OVER, &settled);
        if (settled)
            break;
        if (status == RV_OK)
            status = rvi_parallel(ctx, tiles, flow_tile, &t);
        if (status == RV_OK && rvi_progress_due(ctx)) {
            set_heights(&t);
            show(s);
            status = rvi_job_progress(s->job, (double)n / (double)most);
        }
    }
    /* However far it came, the land is whole. */
    if (t.memory && t.live)
        set_heights(&t);
    rvi_free(ctx, t.live);
    rvi_free(ctx, t.memory);
    return status;
}
