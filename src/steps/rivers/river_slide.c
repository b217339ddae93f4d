/* river_slide.c: ground that stands steeper than the talus angle slides into the river below it.
 *
 * The slope |grad z| is held to t = tan(talus) in every direction: ground is no higher than the
 * solution of the eikonal equation |grad u| = t that rises from the ground around it (after J. A.
 * Sethian, A fast marching level set method for monotonically advancing fronts, 1996, in the eight
 * triangles around a cell). With a the neighbour at a side, at the distance d, and b the lower of
 * the two at the corners beside it:
 *
 *     u = min over the sides of  min(a + sqrt(t^2 d^2 - p^2), b + sqrt(2) t d),
 *     p = a - b, at least 0 and at most t d / sqrt(2)
 *
 * Rivers bring most of that about when they cut: a cell is no steeper than t to its receiver. What
 * is left slides in rounds, in which every cell looks at the ground as the round before left it, so
 * that no order matters: some rounds in a time step, and after the last one until nothing slides.
 * From the second round on only cells are looked at that lie beside one that moved. */
#include "base/context.h"
#include "base/threads.h"
#include "steps/rivers/river_cut.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 4, MOST_ROUNDS = 100000 };

typedef struct slide {
    rvi_rivers *r;
    double far;       /* t d */
    double least_far; /* of the weakest rock */
    double enough;    /* metres: what slides less is at rest */
    bool first;       /* round: all cells are looked at */
    bool last;        /* time step */
    size_t parts;     /* of RVI_TILE cells in a row */
} slide;

/* Cells around one, in a circle from the north. */
static const int dx[8] = {0, 1, 1, 1, 0, -1, -1, -1}, dy[8] = {-1, -1, 0, 1, 1, 1, 0, -1};

/* The ground around a cell; beyond the map there is none. */
static void look_around(const rvi_rivers *r, size_t cell, double around[8]) {
    int width = r->flow.width, height = r->flow.height;
    uint32_t row = (uint32_t)cell / (uint32_t)width;
    int x = (int)((uint32_t)cell - row * (uint32_t)width), y = (int)row;
    if (x > 0 && y > 0 && x + 1 < width && y + 1 < height) {
        for (int k = 0; k < 8; k++)
            around[k] = r->h[(ptrdiff_t)cell + (ptrdiff_t)dy[k] * width + dx[k]];
        return;
    }
    for (int k = 0; k < 8; k++) {
        int nx = x + dx[k], ny = y + dy[k];
        bool there = nx >= 0 && ny >= 0 && nx < width && ny < height;
        around[k] = there ? r->h[(size_t)ny * (size_t)width + (size_t)nx] : 1e30;
    }
}

/* Water lies on what is drowned; but after the last time step no slope is left too steep. */
static double lower(const slide *s, size_t cell) {
    const rvi_rivers *r = s->r;
    double around[8], h = r->h[cell];
    if (r->fixed[cell] || (!s->last && r->lake[cell] && r->water[cell] > h))
        return h;
    look_around(r, cell, around);
    double far = r->strength ? s->far * (double)r->strength[cell] : s->far;
    double u = rvi_steep_lower(h, around, far);
    return u < h ? h - (h - u) * rvi_rivers_factor(r, cell) : h;
}

/* Layers that nothing takes from do not slide either, nor what lies below them. */
static double may_slide(const rvi_rivers *r, size_t cell, double down) {
    double there = 0.0;
    for (int l = r->land->layer_count - 1; l >= 0 && there < down; l--) {
        if (!(rvi_rivers_layer_factor(r, cell, l) > 0.0))
            return there;
        there += l > 0 ? (double)r->land->layers[l].thickness[cell] : 1e30;
    }
    return down;
}

void rvi_rivers_slide_to(rvi_rivers *r, size_t cell, double to) {
    if (!r->bed) {
        r->h[cell] = to;
        return;
    }
    double down = may_slide(r, cell, r->h[cell] - to);
    if (down > 0.0)
        rvi_rivers_shift(r, cell, -down);
}

/* ---- which cells to look at ---- */

/* Those whose lowest neighbour is too low; all eight are there. */
static void find_steep(const slide *s, const double *h, size_t count, unsigned char *out) {
    ptrdiff_t w = s->r->flow.width;
    for (size_t i = 0; i < count; i++) {
        const double *at = h + i;
        double north = rvi_least(rvi_least(at[-w - 1], at[-w]), at[1 - w]);
        double south = rvi_least(rvi_least(at[w - 1], at[w]), at[w + 1]);
        double lowest = rvi_least(rvi_least(north, south), rvi_least(at[-1], at[1]));
        out[i] = at[0] - lowest > s->least_far;
    }
}

static void look_everywhere(const slide *s, size_t x, size_t y, size_t count, unsigned char *out) {
    const rvi_rivers *r = s->r;
    size_t width = (size_t)r->flow.width, to = x + count;
    memset(out, 1, count);
    size_t west = x == 0 ? 1 : x, east = to == width ? width - 1 : to;
    if (y > 0 && y + 1 < (size_t)r->flow.height && west < east)
        find_steep(s, r->h + y * width + west, east - west, out + (west - x));
}

/* Those beside one that moved. */
static void look_beside(const slide *s, size_t x, size_t y, size_t count, unsigned char *out) {
    const rvi_rivers *r = s->r;
    size_t width = (size_t)r->flow.width, first = y > 0 ? y - 1 : y;
    size_t last = y + 1 < (size_t)r->flow.height ? y + 1 : y;
    unsigned char any[RVI_TILE + 2] = {0};
    for (size_t row = first; row <= last; row++) {
        const unsigned char *moved = r->moved + row * width + x;
        for (size_t i = 0; i < count; i++)
            any[i + 1] |= moved[i];
        any[0] |= x > 0 ? moved[-1] : 0;
        any[count + 1] |= x + count < width ? moved[count] : 0;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = any[i] | any[i + 1] | any[i + 2];
}

/* Has anything moved in or beside this part of a row? */
static bool is_beside(const slide *s, size_t part, size_t y) {
    const rvi_rivers *r = s->r;
    for (size_t row = y > 0 ? y - 1 : y; row <= y + 1 && row < (size_t)r->flow.height; row++) {
        const unsigned char *busy = r->busy[0] + row * s->parts + part;
        if (busy[0] || (part > 0 && busy[-1]) || (part + 1 < s->parts && busy[1]))
            return true;
    }
    return false;
}

/* ---- a round ---- */

/* Finds where the cells of a part slide to; says whether any does. */
static bool look_at_part(const slide *s, size_t x, size_t y, size_t count) {
    const rvi_rivers *r = s->r;
    unsigned char look[RVI_TILE];
    bool any = false;
    if (s->first)
        look_everywhere(s, x, y, count, look);
    else
        look_beside(s, x, y, count, look);
    for (size_t i = 0; i < count; i++) {
        size_t cell = y * (size_t)r->flow.width + x + i;
        double to = look[i] ? lower(s, cell) : r->h[cell];
        if (to < r->h[cell]) {
            r->next[cell] = to;
            r->moves[cell] = 1;
            any = true;
        }
    }
    return any;
}

static void look_rows(void *arg, int first, int end) {
    const slide *s = arg;
    size_t width = (size_t)s->r->flow.width;
    for (size_t y = (size_t)first; y < (size_t)end; y++)
        for (size_t part = 0; part < s->parts; part++) {
            size_t x = part * RVI_TILE, count = width - x < RVI_TILE ? width - x : RVI_TILE;
            s->r->busy[1][y * s->parts + part] =
                (s->first || is_beside(s, part, y)) && look_at_part(s, x, y, count);
        }
}

/* Lets them slide. What moves less than a little wakes nobody. */
static void move_part(const slide *s, size_t x, size_t y, size_t count, double *slid) {
    rvi_rivers *r = s->r;
    for (size_t i = 0; i < count; i++) {
        size_t cell = y * (size_t)r->flow.width + x + i;
        if (!r->moves[cell])
            continue;
        double was = r->h[cell];
        rvi_rivers_slide_to(r, cell, r->next[cell]);
        *slid += was - r->h[cell];
        r->moves[cell] = was - r->h[cell] > s->enough;
    }
}

/* `moved` is empty again after that. */
static void move_rows(void *arg, int first, int end) {
    const slide *s = arg;
    rvi_rivers *r = s->r;
    size_t width = (size_t)r->flow.width;
    double slid = 0.0;
    for (size_t y = (size_t)first; y < (size_t)end; y++)
        for (size_t part = 0; part < s->parts; part++) {
            size_t x = part * RVI_TILE, count = width - x < RVI_TILE ? width - x : RVI_TILE;
            if (r->busy[1][y * s->parts + part])
                move_part(s, x, y, count, &slid);
            if (r->busy[0][y * s->parts + part])
                memset(r->moved + y * width + x, 0, count);
        }
    r->sums[first / RVI_ROWS] = slid;
}

/* Adds up what slid; the cells that moved become those of the round before. */
static bool close_round(rvi_rivers *r) {
    double slid = 0.0;
    for (size_t b = 0; b * RVI_ROWS < (size_t)r->flow.height; b++) {
        slid += r->sums[b];
        r->sums[b] = 0.0;
    }
    unsigned char *moved = r->moved, *busy = r->busy[0];
    r->moved = r->moves;
    r->moves = moved;
    r->busy[0] = r->busy[1];
    r->busy[1] = busy;
    return slid > 0.0;
}

rv_status rvi_rivers_slide(rvi_rivers *r, bool to_the_end) {
    if (!r->moved)
        return RV_OK;
    if (r->job->device)
        return rvi_rivers_device_slide(r, to_the_end ? MOST_ROUNDS : ROUNDS, to_the_end);
    double far = r->stands * (double)r->land->cell;
    size_t parts = ((size_t)r->flow.width + RVI_TILE - 1) / RVI_TILE;
    slide s = {.r = r,
               .far = far,
               .enough = 1e-4 * far,
               .least_far = far * (1.0 - (double)r->p->talus_vary),
               .first = true,
               .last = to_the_end,
               .parts = parts};
    bool slides = true;
    rv_status status = RV_OK;
    memset(r->busy[0], 0, parts * (size_t)r->flow.height);
    memset(r->moved, 0, r->cells);
    memset(r->moves, 0, r->cells);
    for (int n = to_the_end ? MOST_ROUNDS : ROUNDS; n > 0 && slides && status == RV_OK; n--) {
        status = rvi_parallel_rows(r->job->ctx, r->flow.height, look_rows, &s);
        if (status != RV_OK)
            return status;
        rvi_finish_rows(r->job->ctx, r->flow.height, move_rows, &s);
        slides = close_round(r);
        s.first = false;
    }
    return status;
}
