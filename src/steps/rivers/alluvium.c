/* alluvium.c: gravel and sand that bury the beds of rivers and give valleys a floor.
 *
 * Rivers cut valleys down to a line. Real valleys are wide below: what their rivers could not carry
 * on in the latest times lies on the bed, the deeper the more a river drains, and reaches from one
 * side of the valley to the other. With A the area that drains through, r the receiver, at the
 * distance d, and A0 that of a brook, 500 times the source of a river, from the base level upwards:
 *
 *     z' = max(z, min(z + a A^0.4, z'(r) + S1 d), min(z + t(r) - T d, z'(r) + S d))
 *     S = 0.05 min(1, (A / A0)^-0.4), S1 = 4 S, T = 0.05             a = `alluvium`, A in km2
 *
 * First comes the river's own bed; then what lies on the floor below, t(r) = z'(r) - z(r) deep, and
 * reaches up side valleys and slopes until it ends. z' falls to z'(r) by at least half of what z
 * does, or of S. The power is that of the width of valleys (D. R. Montgomery and K. B. Gran,
 * Downstream variations in the width of bedrock channels, 2001), S the slope of fans and plains,
 * the gentler the larger the river is (W. B. Bull, Geomorphology of segmented alluvial fans, 1964).
 * Above the sources, on the sides of a floor, S is 0.015. Brooks steeper than S1 keep nothing.
 *
 * Lakes count as land at their level, L, and fill. What fills them is a plain that rivers have
 * built, and falls to where it spills, the more the deeper alluvium lies there:
 *
 *     z' = max(z, z'(r) + P d), P = min(S, 0.006) t / (t + 10 m), t = z'(r) - L
 *
 * Where a brook comes out of its own valley to a floor it builds a fan: a cone of slope S around
 * that place, as far as 800 m times the root of A. What stands higher than a divide spills over it,
 * and alluvium of two rivers meets at one height: it moves sideways, by diffusion, but neither rock
 * nor land outside the map moves with it. What it ends in is no steeper than S1 of brooks, also
 * where it ends because a mask keeps the land beside it. At last the water finds its way over what
 * was laid down, and floors rise beside rivers by A^0.25 m, or a tenth of a A^0.4 or 0.03 of a cell
 * if that is less: these so keep a channel.
 */
#include "base/math.h"
#include "base/threads.h"
#include "steps/rivers/alluvium_cell.h"
#include "steps/rivers/hillslope.h"
#include "steps/rivers/river_cut.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define SPREAD 4.0 /* how far alluvium moves sideways, in sides of a source */

static rvi_alluvium_law law_of(const rvi_rivers *r) {
    return (rvi_alluvium_law){.distance = {r->distance[0], r->distance[1]},
                              .alluvium = (double)r->p->alluvium,
                              .source = r->source,
                              .spacing = r->p->spacing,
                              .width = r->flow.width,
                              .height = r->flow.height};
}

/* What all parts work on. */
typedef struct burying {
    rvi_rivers *r;
    rvi_alluvium_law law;
} burying;

static float wide_at(const rvi_rivers *r, size_t cell) {
    return r->wide ? r->wide[cell] : 0.0f;
}

/* ---- along the rivers ---- */

static double buried(const burying *b, size_t cell) {
    const rvi_rivers *r = b->r;
    const rvi_flow *f = &r->flow;
    unsigned direction = f->direction[cell];
    double h = r->h[cell];
    if (direction == RVI_END || r->fixed[cell])
        return h;
    size_t to = (size_t)((ptrdiff_t)cell + f->step[direction]);
    const rvi_buried_cell c = {.h = h,
                               .level = rvi_flow_level(f, cell, h),
                               .below = r->water[to],
                               .level_to = rvi_flow_level(f, to, r->h[to]),
                               .distance = r->distance[direction >= 4],
                               .bed = rvi_alluvium_bed(&b->law, f->area[cell], wide_at(r, cell)),
                               .drowned = rvi_flow_drowned(f, cell)};
    return rvi_alluvium_buried(&c);
}

static void bury_piece(void *arg, const rvi_flow_piece *piece) {
    const burying *b = arg;
    for (size_t i = 0; i < piece->count; i++) {
        size_t cell = rvi_flow_cell(piece, i);
        b->r->water[cell] = buried(b, cell);
    }
}

static double banked(const burying *b, size_t cell) {
    const rvi_rivers *r = b->r;
    const rvi_flow *f = &r->flow;
    unsigned direction = f->direction[cell];
    if (direction == RVI_END || r->fixed[cell])
        return r->h[cell];
    size_t to = (size_t)((ptrdiff_t)cell + f->step[direction]);
    double distance = r->distance[direction >= 4];
    double bank = rvi_alluvium_bank(&b->law, f->area[cell], f->area[to], r->loose[cell], distance);
    return rvi_alluvium_banked(&b->law, r->h[cell], bank, r->water[to], r->h[to], distance,
                               rvi_flow_drowned(f, cell));
}

static void bank_piece(void *arg, const rvi_flow_piece *piece) {
    const burying *b = arg;
    for (size_t i = 0; i < piece->count; i++) {
        size_t cell = rvi_flow_cell(piece, i);
        b->r->water[cell] = banked(b, cell);
    }
}

/* ---- fans ---- */

static double too_steep(const burying *b, size_t cell) {
    const rvi_rivers *r = b->r;
    double fall = r->water[cell] - r->water[rvi_flow_receiver(&r->flow, cell)];
    return rvi_fan_too_steep(&b->law, r->flow.area[cell], fall, r->flow.direction[cell] >= 4);
}

/* Does a brook leave its valley here, for a floor that alluvium has made? */
static bool is_apex(const burying *b, size_t cell) {
    const rvi_rivers *r = b->r;
    const rvi_flow *f = &r->flow;
    size_t to = rvi_flow_receiver(f, cell);
    if (!rvi_alluvium_river(&b->law, f->area[cell], wide_at(r, cell)) || r->fixed[cell] ||
        f->direction[cell] == RVI_END || f->direction[to] == RVI_END)
        return false;
    return r->water[to] - r->h[to] >= RVI_THIN && too_steep(b, cell) > 0.0 &&
           too_steep(b, to) <= 0.0;
}

/* Fans are laid side by side, and meet: the highest counts, whoever comes first. */
static void raise_to(double *at, double to) {
    _Atomic double *there = (_Atomic double *)at;
    double was = atomic_load_explicit(there, memory_order_relaxed);
    while (to > was && !atomic_compare_exchange_weak_explicit(there, &was, to, memory_order_relaxed,
                                                              memory_order_relaxed)) {
    }
}

/* The cells of a ring that are seen from the head of a fan, a bit each. */
enum { RING_WORDS = 8 * RVI_REACH / 64 };
typedef struct fan_ring {
    int number, side; /* `side`: how far from its middles it lies within the circle */
    uint64_t seen[RING_WORDS];
} fan_ring;

static void begin_ring(fan_ring *ring, const rvi_fan *of, int number) {
    ring->number = number;
    ring->side = rvi_fan_side(of, number);
    memset(ring->seen, 0, ((size_t)number + 7) / 8 * sizeof *ring->seen);
}

/* Raises `next` to a fan, on the floor. False: it does not reach that far. */
static bool lay_cell(rvi_rivers *r, const rvi_fan *of, fan_ring *ring, int dx, int dy) {
    int x = of->x + dx, y = of->y + dy, place = rvi_fan_place(dx, dy, ring->number);
    int across = dx < 0 ? -dx : dx, down = dy < 0 ? -dy : dy;
    if ((across < down ? across : down) > ring->side || x < 0 || y < 0 || x >= r->flow.width ||
        y >= r->flow.height)
        return false;
    size_t cell = (size_t)y * (size_t)r->flow.width + (size_t)x;
    double to = rvi_fan_at(of, dx, dy);
    ring->seen[place / 64] |= UINT64_C(1) << place % 64;
    if (r->water[cell] > r->h[cell] && to > r->water[cell] && !r->fixed[cell])
        raise_to(&r->next[cell], to);
    return true;
}

/* Up to two numbers of a ring of which the nearer one is `n`. */
static int farther(int n, int ring, int *out) {
    int count = 0;
    for (int v = n - 1; v <= n + 1; v++)
        if (v >= -ring && v <= ring && rvi_fan_nearer(v, ring) == n)
            out[count++] = v;
    return count;
}

/* No land stands between the head of a fan and a cell where the next cell towards the head is seen
 * and lies below the fan: so from a cell of a ring some of the next one are seen. */
static bool lay_behind(rvi_rivers *r, const rvi_fan *of, fan_ring *ring, int nx, int ny) {
    size_t cell = (size_t)(of->y + ny) * (size_t)r->flow.width + (size_t)(of->x + nx);
    int xs[3], ys[3], number = ring->number;
    bool any = false;
    if (!(r->h[cell] <= rvi_fan_at(of, nx, ny)))
        return false;
    int across = farther(nx, number, xs), down = farther(ny, number, ys);
    for (int j = 0; j < down; j++)
        for (int i = 0; i < across; i++)
            if (xs[i] == number || xs[i] == -number || ys[j] == number || ys[j] == -number)
                any = lay_cell(r, of, ring, xs[i], ys[j]) || any;
    return any;
}

static bool lay_first(rvi_rivers *r, const rvi_fan *of, fan_ring *ring) {
    bool any = false;
    begin_ring(ring, of, 1);
    for (int place = 0; place < 8; place++) {
        int dx, dy;
        rvi_fan_cell(place, 1, &dx, &dy);
        any = lay_cell(r, of, ring, dx, dy) || any;
    }
    return any;
}

static bool lay_next(rvi_rivers *r, const rvi_fan *of, const fan_ring *before, fan_ring *ring) {
    bool any = false;
    begin_ring(ring, of, before->number + 1);
    for (int word = 0; word * 8 < before->number; word++)
        for (uint64_t left = before->seen[word]; left; left &= left - 1) {
            int bit = 0, dx, dy;
            while (!(left >> bit & 1))
                bit++;
            rvi_fan_cell(64 * word + bit, before->number, &dx, &dy);
            any = lay_behind(r, of, ring, dx, dy) || any;
        }
    return any;
}

/* Ring by ring, as far as the land lets it, up to its reach. */
static void lay_fan(rvi_rivers *r, const rvi_fan *of) {
    fan_ring rings[2];
    bool any = of->reach > 0 && lay_first(r, of, &rings[1]);
    for (int n = 2; any && n <= of->reach; n++) {
        if (n % 32 == 0 && rvi_parallel_stopped(r->job->ctx))
            return;
        any = lay_next(r, of, &rings[(n - 1) % 2], &rings[n % 2]);
    }
}

static void fan_rows(void *arg, int first, int end) {
    const burying *b = arg;
    rvi_rivers *r = b->r;
    int width = r->flow.width;
    size_t cell = (size_t)first * (size_t)width;
    for (int y = first; y < end; y++)
        for (int x = 0; x < width; x++, cell++)
            if (is_apex(b, cell)) {
                double bottom = r->water[rvi_flow_receiver(&r->flow, cell)];
                int corner = r->flow.direction[cell] >= 4;
                rvi_fan of = rvi_fan_of(&b->law, r->flow.area[cell], bottom, corner, x, y);
                lay_fan(r, &of);
            }
}

/* The higher of the floor and all fans. */
static rv_status lay_fans(burying *b) {
    rvi_rivers *r = b->r;
    size_t size = r->cells * sizeof *r->water;
    if (r->job->device)
        return rvi_alluvium_device_fans(r, &b->law);
    rv_status status = rvi_copy(r->job->ctx, r->next, r->water, size);
    if (status == RV_OK)
        status = rvi_parallel_rows(r->job->ctx, r->flow.height, fan_rows, b);
    return status == RV_OK ? rvi_copy(r->job->ctx, r->water, r->next, size) : status;
}

/* ---- over divides ---- */

/* How high what lies around a cell lets it stand. */
static double beside(const rvi_rivers *r, int x, int y) {
    int width = r->flow.width, height = r->flow.height;
    double sides = 1e300, corners = 1e300;
    for (int k = 0; k < 9; k++) {
        int nx = x + k % 3 - 1, ny = y + k / 3 - 1;
        if (k == 4 || nx < 0 || ny < 0 || nx >= width || ny >= height)
            continue;
        double laid = r->water[(size_t)ny * (size_t)width + (size_t)nx];
        double *of = k % 2 ? &sides : &corners;
        *of = laid < *of ? laid : *of;
    }
    return rvi_least(sides + RVI_FRONT * r->distance[0], corners + RVI_FRONT * r->distance[1]);
}

/* One row, from west to east or back; says whether anything moved. */
static bool spill_row(rvi_rivers *r, int y, bool back) {
    int width = r->flow.width;
    bool moved = false;
    for (int i = 0; i < width; i++) {
        int x = back ? width - 1 - i : i;
        size_t cell = (size_t)y * (size_t)width + (size_t)x;
        double laid = r->water[cell], h = r->h[cell];
        if (!(laid > h))
            continue;
        double to = rvi_spill_to(h, laid, beside(r, x, y));
        moved = moved || to < laid;
        r->water[cell] = to;
    }
    return moved;
}

/* Strips of rows, of which every second one moves at a time: none looks at another that moves. */
enum { STRIPS = 512, STRIP_ROWS = 64 };
typedef struct spilling {
    rvi_rivers *r;
    int rows, count, odd;
    bool moved[STRIPS];
} spilling;

/* From north-west to south-east and back, until nothing moves. */
static void spill_strip(void *arg, int64_t number) {
    spilling *s = arg;
    int strip = 2 * (int)number + s->odd, first = strip * s->rows;
    int end = rvi_mini(first + s->rows, s->r->flow.height);
    bool moved = true;
    s->moved[strip] = false;
    while (moved && !rvi_parallel_stopped(s->r->job->ctx)) {
        moved = false;
        for (int y = first; y < end; y++)
            moved = spill_row(s->r, y, false) || moved;
        for (int y = end; moved && y > first; y--)
            spill_row(s->r, y - 1, true);
        s->moved[strip] = s->moved[strip] || moved;
    }
}

static void hold_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    size_t width = (size_t)r->flow.width;
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++) {
        r->next[i] = r->water[i];
        r->water[i] = rvi_spill_laid(r->h[i], r->water[i], r->mask[i]);
    }
}

static void give_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    size_t i = (size_t)first * (size_t)r->flow.width;
    for (int y = first; y < end; y++)
        for (int x = 0; x < r->flow.width; x++, i++)
            r->next[i] =
                rvi_spill_water(r->h[i], r->next[i], r->water[i], beside(r, x, y), r->mask[i]);
}

/* To the highest surface that is nowhere steeper than RVI_FRONT: there is one, and whatever the
 * order, it is found. */
static rv_status spill_all(rvi_rivers *r) {
    int height = r->flow.height, rows = rvi_maxi(STRIP_ROWS, (height + STRIPS - 1) / STRIPS);
    spilling s = {.r = r, .rows = rows, .count = (height + rows - 1) / rows};
    rv_status status = RV_OK;
    for (bool moved = true; moved && status == RV_OK;) {
        moved = false;
        for (s.odd = 0; s.odd < 2 && status == RV_OK; s.odd++)
            status = rvi_parallel(r->job->ctx, (s.count + 1 - s.odd) / 2, spill_strip, &s);
        for (int i = 0; i < s.count; i++)
            moved = moved || s.moved[i];
    }
    return status;
}

/* What a mask keeps does not rise: with one, it is the surface as it will stand that spills. */
static rv_status spill(burying *b) {
    rvi_rivers *r = b->r;
    int height = r->flow.height;
    if (r->job->device)
        return rvi_alluvium_device_spill(r, &b->law);
    rv_status status = r->mask ? rvi_parallel_rows(r->job->ctx, height, hold_rows, r) : RV_OK;
    if (status == RV_OK)
        status = spill_all(r);
    if (status == RV_OK && r->mask)
        status = rvi_parallel_rows(r->job->ctx, height, give_rows, r);
    return status == RV_OK && r->mask
               ? rvi_copy(r->job->ctx, r->water, r->next, r->cells * sizeof *r->water)
               : status;
}

/* ---- sideways ---- */

static void loosen_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    int width = r->flow.width, height = r->flow.height;
    size_t i = (size_t)first * (size_t)width;
    for (int y = first; y < end; y++)
        for (int x = 0; x < width; x++, i++) {
            r->loose[i] = rvi_alluvium_moves(r->h, r->water, r->fixed, width, height, x, y);
            r->next[i] = r->risen[i] = r->water[i];
        }
}

static void settle_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    int width = r->flow.width, height = r->flow.height;
    size_t i = (size_t)first * (size_t)width;
    for (int y = first; y < end; y++)
        for (int x = 0; x < width; x++, i++)
            r->water[i] = rvi_alluvium_moved(r->h, r->risen, r->next[i], width, height, x, y);
}

static rv_status level_part(rvi_rivers *r, const rvi_hillslope *s) {
    rv_status status = rvi_parallel_rows(s->ctx, s->height, loosen_rows, r);
    if (status == RV_OK)
        status = rvi_hillslope_run(s);
    return status == RV_OK ? rvi_parallel_rows(s->ctx, s->height, settle_rows, r) : status;
}

static rv_status level(burying *b) {
    rvi_rivers *r = b->r;
    double number = SPREAD * SPREAD * (double)r->source;
    int parts = number < 96.0 ? (int)(number / 8.0) + 1 : 13;
    const rvi_hillslope s = {.ctx = r->job->ctx,
                             .width = r->land->width,
                             .height = r->land->height,
                             .from = r->next,
                             .to = r->next,
                             .scratch = r->water,
                             .fixed = r->fixed,
                             .loose = r->loose,
                             .number = number / parts};
    rv_status status = RV_OK;
    for (int i = 0; status == RV_OK && i < parts; i++)
        status = r->job->device ? rvi_alluvium_device_level(r, &b->law, &s) : level_part(r, &s);
    return status;
}

/* ---- all of it ---- */

static rv_status bury(burying *b) {
    return b->r->job->device ? rvi_alluvium_device_bury(b->r, &b->law)
                             : rvi_flow_up(&b->r->flow, bury_piece, b);
}

static rv_status bank(burying *b) {
    return b->r->job->device ? rvi_alluvium_device_bank(b->r, &b->law)
                             : rvi_flow_up(&b->r->flow, bank_piece, b);
}

rv_status rvi_rivers_bury(rvi_rivers *r) {
    burying b = {r, law_of(r)};
    if (!(r->p->alluvium > 0.0f))
        return RV_OK;
    r->flow.wander = 0.0f;
    rv_status status = rvi_rivers_route(r);
    if (status == RV_OK)
        status = bury(&b);
    if (status == RV_OK)
        status = lay_fans(&b);
    if (status == RV_OK)
        status = spill(&b);
    if (status == RV_OK)
        status = level(&b);
    if (status == RV_OK)
        status = spill(&b);
    if (status == RV_OK)
        status = rvi_rivers_raise(r, 1.0, r->next);
    if (status == RV_OK)
        status = rvi_rivers_route(r);
    if (status == RV_OK)
        status = bank(&b);
    if (status == RV_OK && r->mask) /* what it keeps may be a pit: it stays one */
        status = spill(&b);
    return status == RV_OK ? rvi_rivers_raise(r, 1.0, r->next) : status;
}
