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
 * A sweep from the base level upwards, in which each cell looks at what the sweep has left of those
 * below, brings most of that about: one is enough for a time step. After the last time step sweeps
 * follow until nothing slides. They pass over cells that lay still when they were last looked at,
 * until something moves beside them. */
#include "base/context.h"
#include "steps/rivers/river_cut.h"

#include <math.h>

enum { SWEEPS = 1000, POLL = 16384 };

typedef struct slide {
    rvi_rivers *r;
    double far;    /* t d */
    double enough; /* metres: what slides less is at rest */
} slide;

static inline double least(double a, double b) {
    return a < b ? a : b;
}

/* How high a cell may stand beside one side. */
static double stands_at(double far, double a, double b) {
    double p = least(a - b, 0.70710678118654752 * far);
    p = p > 0.0 ? p : 0.0;
    return least(a + sqrt(far * far - p * p), b + 1.41421356237309505 * far);
}

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

/* Water lies on what is drowned. */
static double lower(const slide *s, size_t cell) {
    const rvi_rivers *r = s->r;
    double around[8], h = r->h[cell], u = h;
    if (r->fixed[cell] || (r->state[cell] & RVI_DROWNED && r->water[cell] > h))
        return h;
    look_around(r, cell, around);
    double far = r->strength ? s->far * (double)r->strength[cell] : s->far;
    double lowest = around[0];
    for (int k = 1; k < 8; k++)
        lowest = least(lowest, around[k]);
    if (h - lowest <= far) /* u is higher than that */
        return h;
    for (int k = 0; k < 8; k += 2)
        u = least(u, stands_at(far, around[k], least(around[k + 1], around[(k + 7) % 8])));
    return h - (h - u) * rvi_rivers_factor(r, cell);
}

/* Layers that nothing takes from do not slide either, nor what lies below them. */
void rvi_rivers_take(rvi_rivers *r, size_t cell, double down) {
    double there = 0.0;
    for (int l = r->land->layer_count - 1; l >= 0 && there < down; l--) {
        if (!(rvi_rivers_layer_factor(r, cell, l) > 0.0)) {
            down = there;
            break;
        }
        there += l > 0 ? (double)r->land->layers[l].thickness[cell] : 1e30;
    }
    if (down > 0.0)
        rvi_rivers_shift(r, cell, -down);
}

/* Cells beside one that has moved are looked at again. */
static void wake_around(rvi_rivers *r, size_t cell) {
    int width = r->flow.width, height = r->flow.height;
    int x = (int)(cell % (size_t)width), y = (int)(cell / (size_t)width);
    for (int k = 0; k < 8; k++) {
        int nx = x + dx[k], ny = y + dy[k];
        if (nx >= 0 && ny >= 0 && nx < width && ny < height)
            r->state[(size_t)ny * (size_t)width + (size_t)nx] &= (unsigned char)~RVI_STILL;
    }
}

static void slide_to(rvi_rivers *r, size_t cell, double to) {
    if (!r->bed)
        r->h[cell] = to;
    else if (to < r->h[cell])
        rvi_rivers_take(r, cell, r->h[cell] - to);
}

/* `slides`: does anything slide farther than `enough`? */
static rv_status sweep(const slide *s, bool *slides) {
    rvi_rivers *r = s->r;
    rv_status status = RV_OK;
    *slides = false;
    for (size_t k = r->cells; k-- > 0 && status == RV_OK;) {
        size_t cell = r->flow.order[k];
        if (k % POLL == 0)
            status = rvi_poll(r->job->ctx);
        if (r->state[cell] & RVI_STILL)
            continue;
        double was = r->h[cell], to = lower(s, cell);
        if (to == was) {
            r->state[cell] |= RVI_STILL;
            continue;
        }
        slide_to(r, cell, to);
        if (r->h[cell] != was)
            wake_around(r, cell);
        r->left += was - r->h[cell];
        *slides |= was - r->h[cell] > s->enough;
    }
    return status;
}

rv_status rvi_rivers_slide(rvi_rivers *r, bool to_the_end) {
    double far = r->stands * (double)r->land->cell;
    if (!(r->stands < 1e29))
        return RV_OK;
    slide s = {.r = r, .far = far, .enough = 1e-4 * far};
    bool slides = true;
    rv_status status = RV_OK;
    for (int n = to_the_end ? SWEEPS : 1; n > 0 && slides && status == RV_OK; n--)
        status = sweep(&s, &slides);
    return status;
}
