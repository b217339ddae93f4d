/* slide_settle.c: the land at rest, found without the many rounds that sliding to it would take.
 *
 * Rounds let a disturbance creep: over n cells they need n^2 of them, and what comes to rest by
 * pairs has facets, since falls count along eight directions only. Here, of all land with
 * |grad h| <= tan talus everywhere, the one nearest to the land as it is is sought, in the least
 * squares sense. Its dual is in the ground f that slides along the edges between cells, four of
 * which are the sides of a square Q of four cells (each edge belongs to two squares):
 *     minimise 1/2 |h|^2 + sum_Q l |f_Q|,    h_i = h0_i - sum of what leaves i along its edges
 * with l = sqrt 2 cell tan talus. Ground slides only where the land ends up at its talus angle, and
 * none is won or lost whatever f is. L. Prigozhin, Variational model of sandpile growth, 1996; A.
 * Chambolle, An algorithm for total variation minimization, 2004. Solved by FISTA (A. Beck, M.
 * Teboulle, 2009), which takes about n steps:
 *     x_Q  = g_Q + t (falls along the sides of Q)                          t = 1 / 16, h of g
 *     f'_Q = x_Q max(0, 1 - t l / |x_Q|)
 *     g'_Q = f'_Q + b (f'_Q - f_Q)                                     b = (n - 1) / (n + 2)
 * (t: the falls of g are twice the Laplacian of the grid, whose eigenvalues reach 8.) Where a cell
 * cannot give (hardness, border) or take (mask), x is held to the other sign. What is left between
 * gradients and pairs, a few rounds do.
 *
 * Where there are layers, l is that of the one that stands steepest: land that is steeper slides
 * whatever it is made of. What slid is then divided into rounds, in which each cell gives from the
 * top, so that every material goes its own way; what stands too steep for its layer after that,
 * rounds do.
 */
#include "base/threads.h"
#include "steps/thermal/slide.h"

#include <math.h>
#include <string.h>

enum {
    ABOVE = RVI_SETTLE_ABOVE,
    BELOW = RVI_SETTLE_BELOW,
    LEFT = RVI_SETTLE_LEFT,
    RIGHT = RVI_SETTLE_RIGHT,
    SIDES = RVI_SETTLE_SIDES
};
enum { TILE_X = 64, TILE_Y = 16 };

typedef rvi_settling settling;
typedef rvi_settle_tally tally;

/* Beyond the last row loops look one cell further. */
static size_t grid_size(const rvi_slide *s) {
    return s->count + 16;
}

/* The grids of a search: where each pointer stands. Returns how many. */
enum { MOST_GRIDS = 2 * SIDES + 5 };
static size_t name_grids(settling *t, float **grids[MOST_GRIDS]) {
    size_t count = 0;
    for (int k = 0; k < 2 * SIDES; k++)
        grids[count++] = k < SIDES ? &t->f[k] : &t->g[k - SIDES];
    grids[count++] = &t->h0;
    if (!t->limited)
        return count;
    grids[count++] = &t->east;
    grids[count++] = &t->west;
    grids[count++] = &t->south;
    grids[count++] = &t->north;
    return count;
}

void rvi_slide_settle_list(rvi_slide *s, rvi_buffers *buffers) {
    settling *t = &s->settling;
    float **grids[MOST_GRIDS];
    *t = (settling){.s = s, .limited = s->general || s->open};
    t->tiles_x = (s->width + 1 + TILE_X - 1) / TILE_X;
    t->tiles_y = (s->height + 1 + TILE_Y - 1) / TILE_Y;
    size_t tiles = (size_t)t->tiles_x * (size_t)t->tiles_y, count = name_grids(t, grids);
    const char *what = "the land at rest";
    rvi_buffers_add(buffers, &t->memory, count * grid_size(s), sizeof *t->memory, what);
    rvi_buffers_add(buffers, &t->live, tiles, sizeof *t->live, what);
    rvi_buffers_add(buffers, &t->awake, tiles, sizeof *t->awake, what);
    rvi_buffers_add(buffers, &t->tallies, tiles, sizeof *t->tallies, what);
}

/* ---- one step ---- */

static void height_row(int count, float *restrict h, const float *restrict h0,
                       const float *restrict above, const float *restrict below,
                       const float *restrict left, const float *restrict right, size_t w) {
    /* `below` and `right` begin a row, or a column, before the others. */
    for (int i = 0; i < count; i++) {
        float east = above[i] + below[i], west = above[i - 1] + below[i - 1];
        float south = left[i] + right[i];
        float north = left[(ptrdiff_t)i - (ptrdiff_t)w] + right[(ptrdiff_t)i - (ptrdiff_t)w];
        h[i] = rvi_settle_height(h0[i], east, west, south, north);
    }
}

/* Rows and columns of a tile, of the grid with its ring (the lower one needs no work). */
typedef struct area {
    int x0, y0, x1, y1;
} area;

static area tile_area(const settling *t, int tile) {
    int x = tile % t->tiles_x * TILE_X, y = tile / t->tiles_x * TILE_Y;
    return (area){x, y, rvi_mini(x + TILE_X, t->s->width + 1),
                  rvi_mini(y + TILE_Y, t->s->height + 1)};
}

static void height_tile(void *arg, int64_t tile) {
    const settling *t = arg;
    if (!t->awake[tile])
        return;
    area a = tile_area(t, (int)tile);
    int x0 = rvi_maxi(a.x0, 1);
    size_t w = t->s->stride;
    for (int y = rvi_maxi(a.y0, 1); y < a.y1; y++) {
        size_t i = (size_t)y * w + (size_t)x0;
        height_row(a.x1 - x0, t->h + i, t->h0 + i, t->g[ABOVE] + i, t->g[BELOW] + i - w,
                   t->g[LEFT] + i, t->g[RIGHT] + i - 1, w);
    }
}

/* x of one side of the squares of a row, in the place of g. */
static void fall_row(int count, float *restrict g, const float *restrict from,
                     const float *restrict to) {
    for (int i = 0; i < count; i++)
        g[i] = rvi_settle_fall(g[i], from[i], to[i]);
}

static void hold_row(int count, float *restrict x, const float *restrict forth,
                     const float *restrict back) {
    for (int i = 0; i < count; i++)
        x[i] = rvi_settle_hold(x[i], forth[i], back[i]);
}

/* f and g of all four sides from x; not 0 when anything slid. */
static int shrink_row(int count, float limit, float b, float *restrict fa, float *restrict ga,
                      float *restrict fb, float *restrict gb, float *restrict fl,
                      float *restrict gl, float *restrict fr, float *restrict gr) {
    int live = 0;
    for (int i = 0; i < count; i++) {
        float xa = ga[i], xb = gb[i], xl = gl[i], xr = gr[i];
        float keep = rvi_settle_keep(limit, xa, xb, xl, xr);
        xa *= keep;
        xb *= keep;
        xl *= keep;
        xr *= keep;
        ga[i] = rvi_settle_pull(xa, fa[i], b);
        gb[i] = rvi_settle_pull(xb, fb[i], b);
        gl[i] = rvi_settle_pull(xl, fl[i], b);
        gr[i] = rvi_settle_pull(xr, fr[i], b);
        live |= (xa != 0.0f) | (xb != 0.0f) | (xl != 0.0f) | (xr != 0.0f);
        live |= (fa[i] != 0.0f) | (fb[i] != 0.0f) | (fl[i] != 0.0f) | (fr[i] != 0.0f);
        fa[i] = xa;
        fb[i] = xb;
        fl[i] = xl;
        fr[i] = xr;
    }
    return live;
}

/* The squares of a row, `count` of them from i on. */
static int flow_row(const settling *t, int count, size_t i, float limit) {
    size_t w = t->s->stride;
    const float *h = t->h + i, *low = t->h + i + w;
    float *const *f = t->f, *const *g = t->g;
    fall_row(count, g[ABOVE] + i, h, h + 1);
    fall_row(count, g[BELOW] + i, low, low + 1);
    fall_row(count, g[LEFT] + i, h, low);
    fall_row(count, g[RIGHT] + i, h + 1, low + 1);
    if (t->limited) {
        hold_row(count, g[ABOVE] + i, t->east + i, t->west + i);
        hold_row(count, g[BELOW] + i, t->east + i + w, t->west + i + w);
        hold_row(count, g[LEFT] + i, t->south + i, t->north + i);
        hold_row(count, g[RIGHT] + i, t->south + i + 1, t->north + i + 1);
    }
    return shrink_row(count, limit, t->momentum, f[ABOVE] + i, g[ABOVE] + i, f[BELOW] + i,
                      g[BELOW] + i, f[LEFT] + i, g[LEFT] + i, f[RIGHT] + i, g[RIGHT] + i);
}

/* Counts the squares along which ground slid, and of all squares those that are not at rest: too
 * steep, or too flat although ground slid. */
static void count_row(const settling *t, int count, size_t i, float limit, tally *sum) {
    size_t w = t->s->stride;
    for (int k = 0; k < count; k++, i++) {
        float x[SIDES] = {t->h[i] - t->h[i + 1], t->h[i + w] - t->h[i + w + 1],
                          t->h[i] - t->h[i + w], t->h[i + 1] - t->h[i + w + 1]};
        if (t->limited) {
            hold_row(1, x + ABOVE, t->east + i, t->west + i);
            hold_row(1, x + BELOW, t->east + i + w, t->west + i + w);
            hold_row(1, x + LEFT, t->south + i, t->north + i);
            hold_row(1, x + RIGHT, t->south + i + 1, t->north + i + 1);
        }
        float slid = 0.0f;
        for (int side = 0; side < SIDES; side++)
            slid = rvi_maxf(slid, rvi_settle_size(t->f[side][i]));
        tally one = rvi_settle_look(limit, t->margin, slid, x[ABOVE], x[BELOW], x[LEFT], x[RIGHT]);
        sum->busy += one.busy;
        sum->restless += one.restless;
    }
}

static void flow_tile(void *arg, int64_t tile) {
    const settling *t = arg;
    if (!t->awake[tile])
        return;
    area a = tile_area(t, (int)tile);
    int live = 0;
    if (!t->s->open) { /* only squares that lie on the map */
        a.x0 = rvi_maxi(a.x0, 1), a.y0 = rvi_maxi(a.y0, 1);
        a.x1 = rvi_mini(a.x1, t->s->width), a.y1 = rvi_mini(a.y1, t->s->height);
    }
    tally sum = {0, 0};
    for (int y = a.y0; y < a.y1; y++) {
        for (int x = a.x0, end; x < a.x1; x = end) {
            size_t i = (size_t)y * t->s->stride + (size_t)x;
            float limit =
                rvi_settle_limit(t->limit, rvi_settle_off(x, y, t->s->width, t->s->height));
            end = x == 0 ? 1 : rvi_mini(a.x1, x < t->s->width ? t->s->width : x + 1);
            if (t->counting)
                count_row(t, end - x, i, limit, &sum);
            live |= flow_row(t, end - x, i, limit);
        }
    }
    t->tallies[tile] = sum;
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

static void set_limits(settling *t) {
    const rvi_slide *s = t->s;
    for (size_t i = 0; i + s->stride < s->count; i++) {
        size_t other[2] = {i + 1, i + s->stride};
        float *forth[2] = {t->east, t->south}, *back[2] = {t->west, t->north};
        for (int k = 0; k < 2; k++) {
            size_t j = other[k];
            forth[k][i] = t->h[i] > 0.0f && t->h0[j] > 0.0f ? 1.0f : 0.0f;
            back[k][i] = t->h[j] > 0.0f && t->h0[i] > 0.0f ? 1.0f : 0.0f;
        }
    }
}

/* Which cells give and take stands in `h` and `h0` until the edges are known. */
static void find_limits(settling *t) {
    const rvi_slide *s = t->s;
    for (size_t i = 0; i < s->count; i++) {
        t->h[i] = 0.0f;
        t->h0[i] = s->open ? 1.0f : 0.0f;
    }
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            size_t i = rvi_slide_at(s, x, y);
            t->h[i] = s->yields[0] * rvi_factor_cell(&s->factor, i);
            t->h0[i] = s->takes ? s->takes[i] : 1.0f;
        }
    set_limits(t);
}

static rv_status begin(settling *t) {
    const rvi_slide *s = t->s;
    float **grids[MOST_GRIDS];
    size_t count = name_grids(t, grids);
    for (size_t k = 0; k < count; k++)
        *grids[k] = t->memory + k * grid_size(s);
    memset(t->live, 1, (size_t)t->tiles_x * (size_t)t->tiles_y);
    t->h = s->next;
    t->limit = s->limit[0];
    t->margin = s->margin[0];
    for (int l = 1; l < s->layers; l++)
        if (s->limit[2 * l] > t->limit) {
            t->limit = s->limit[2 * l];
            t->margin = s->margin[2 * l];
        }
    if (s->job->device)
        return rvi_settle_device_begin(t->s);
    if (t->limited)
        find_limits(t);
    memcpy(t->h0, s->h, s->count * sizeof(float));
    memcpy(t->h, s->h, s->count * sizeof(float));
    return RV_OK;
}

/* Ground that slid from i to its east neighbour, and to its south one. */
static double slid_east(const settling *t, size_t i) {
    return rvi_settle_slid(t->f[ABOVE][i], t->f[BELOW][i - t->s->stride], t->s->quantum);
}

static double slid_south(const settling *t, size_t i) {
    return rvi_settle_slid(t->f[LEFT][i], t->f[RIGHT][i - 1], t->s->quantum);
}

static rv_status set_heights(const settling *t) {
    rvi_slide *s = t->s;
    s->left_map = 0.0;
    for (int y = 0; y < s->height; y++) {
        if (rvi_poll(s->job->ctx) != RV_OK)
            return RV_CANCELLED;
        for (int x = 0; x < s->width; x++) {
            size_t i = rvi_slide_at(s, x, y);
            double east = slid_east(t, i), west = slid_east(t, i - 1);
            double south = slid_south(t, i), north = slid_south(t, i - s->stride);
            s->h[i] = (float)((double)t->h0[i] - ((east - west) + (south - north)));
            s->left_map += x == s->width - 1 ? east : 0.0;
            s->left_map -= x == 0 ? west : 0.0;
            s->left_map += y == s->height - 1 ? south : 0.0;
            s->left_map -= y == 0 ? north : 0.0;
        }
    }
    return RV_OK;
}

/* The same where there are layers: what slides in each of so many rounds. */
static rv_status plan_slides(const settling *t) {
    const rvi_slide *s = t->s;
    for (int y = -1; y < s->height; y++) {
        if (rvi_poll(s->job->ctx) != RV_OK)
            return RV_CANCELLED;
        for (int x = -1; y >= 0 && x < s->width; x++) {
            size_t i = rvi_slide_at(s, x, y);
            s->slides[0][i] = (float)(slid_east(t, i) / (double)s->slide_rounds);
        }
        for (int x = 0; x < s->width; x++) {
            size_t i = rvi_slide_at(s, x, y);
            s->slides[1][i] = (float)(slid_south(t, i) / (double)s->slide_rounds);
        }
    }
    return RV_OK;
}

rv_status rvi_slide_settle_end(rvi_slide *s) {
    settling *t = &s->settling;
    rv_status status = s->job->device   ? rvi_settle_device_end(s)
                       : s->layers == 1 ? set_heights(t)
                                        : plan_slides(t);
    t->begun = status != RV_OK;
    return status;
}

static bool at_rest(const settling *t) {
    int64_t busy = 0, restless = 0;
    for (int tile = 0; tile < t->tiles_x * t->tiles_y; tile++)
        if (t->awake[tile]) {
            busy += t->tallies[tile].busy;
            restless += t->tallies[tile].restless;
        }
    return rvi_settle_rests(busy, restless);
}

static rv_status one_step(settling *t, bool *settled) {
    rv_context *ctx = t->s->job->ctx;
    int tiles = t->tiles_x * t->tiles_y;
    if (t->s->job->device)
        return rvi_settle_device_step(t->s, settled);
    wake_tiles(t);
    rv_status status = rvi_parallel(ctx, tiles, height_tile, t);
    if (status == RV_OK)
        status = rvi_parallel(ctx, tiles, flow_tile, t);
    *settled = t->counting && at_rest(t);
    return status;
}

/* Shows the land that was found until now. */
static rv_status show_found(settling *t, rv_status (*show)(rvi_slide *s)) {
    rvi_slide *s = t->s;
    rv_status status = RV_OK;
    if (s->layers == 1)
        status = s->job->device ? rvi_settle_device_end(s) : set_heights(t);
    return status == RV_OK ? show(s) : status;
}

rv_status rvi_slide_settle(rvi_slide *s, rv_status (*show)(rvi_slide *s)) {
    rv_context *ctx = s->job->ctx;
    settling *t = &s->settling;
    rvi_device_pace pace = {0};
    rv_status status = begin(t);
    t->begun = status == RV_OK;
    /* Enough for ground to cross the map several times over. */
    int most = 1000 + 64 * (s->width + s->height);
    bool settled = false;
    for (int n = 1; status == RV_OK && n <= most && !settled; n++) {
        int step = rvi_mini(n, 1000);
        t->momentum = (float)(step - 1) / (float)(step + 2);
        t->counting = n % 8 == 0;
        status = one_step(t, &settled);
        /* A device goes on while nobody looks. */
        bool rests = status == RV_OK &&
                     (!s->job->device || rvi_device_rests(s->job->device, &pace, &status));
        if (status != RV_OK || !(rests || rvi_watched(ctx)))
            continue;
        status = rvi_poll(ctx);
        if (status == RV_OK && rvi_progress_due(ctx))
            status = show_found(t, show);
        /* Told each time, due or not: when a film looks next must not depend on the clock. */
        if (status == RV_OK)
            status = rvi_job_progress(s->job, (double)n / (double)most);
    }
    return status == RV_OK ? rvi_slide_settle_end(s) : status;
}
