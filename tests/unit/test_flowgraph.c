/* The flow graph against a plain program that follows the definitions of flowgraph.c and
 * flow_basins.c one by one, on land of every kind, for several numbers of threads. */
#include "support.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "measure/flowgraph.h"
#include "wear/flow_device.h"

enum { MOST = 150 * 200 };

static int width, height;
static size_t cells;
static double h[MOST];
static unsigned char fixed[MOST];
static uint32_t rain[MOST];

/* ---- the plain program ---- */

static const int east[8] = {1, -1, 0, 0, 1, -1, -1, 1}, south[8] = {0, 0, 1, -1, 1, -1, 1, -1};
static double filled[MOST], spill[MOST];
static int way[MOST]; /* 8: water ends here */
static size_t pit[MOST], area[MOST], group[MOST];
static uint64_t discharge[MOST];

typedef struct pass {
    double height;
    uint64_t chance;
    size_t one, other;
    int direction;
} pass;
static pass passes[4 * MOST];

/* The neighbour of a cell; false: there is none. */
static bool beside(size_t cell, int k, size_t *out) {
    int x = (int)(cell % (size_t)width) + east[k], y = (int)(cell / (size_t)width) + south[k];
    *out = (size_t)y * (size_t)width + (size_t)x;
    return x >= 0 && y >= 0 && x < width && y < height;
}

static size_t next(size_t cell) {
    size_t to = cell;
    if (way[cell] < 8)
        beside(cell, way[cell], &to);
    return to;
}

/* The least, over all ways to a fixed cell, of the greatest height on the way. */
static void plain_fill(void) {
    for (size_t i = 0; i < cells; i++)
        filled[i] = fixed[i] ? h[i] : INFINITY;
    for (bool changes = true, back = false; changes; back = !back) {
        changes = false;
        for (size_t j = 0; j < cells; j++) {
            size_t i = back ? cells - 1 - j : j, n;
            for (int k = 0; k < 8; k++) {
                double level = beside(i, k, &n) ? fmax(h[i], filled[n]) : INFINITY;
                if (level < filled[i]) {
                    filled[i] = level;
                    changes = true;
                }
            }
        }
    }
}

/* The neighbour with the steepest fall. */
static int plain_steepest(size_t i) {
    double best = 0;
    int to = 8;
    for (int k = 0; k < 8; k++) {
        size_t n;
        double fall = beside(i, k, &n) ? (h[i] - h[n]) * (k < 4 ? 1 : 0.70710678118654752) : 0;
        if (fall > best) {
            best = fall;
            to = k;
        }
    }
    return to;
}

/* Of the eight triangles of a side and a corner beside it the one that falls most steeply, then one
 * of its ends by chance. */
static int plain_between(const rvi_flow *f, size_t i) {
    static const int corners[4][2] = {{4, 7}, {5, 6}, {4, 6}, {5, 7}};
    size_t x = i % (size_t)width, y = i / (size_t)width, one, other;
    uint64_t bits = rvi_random(f->seed, y << 32 | x / 8, f->when);
    double u = ((double)(bits >> 8 * (x % 8) & 255) + 0.5) / 256, best = 0;
    u = 0.5 + (double)f->wander * (u - 0.5);
    int to = 8;
    for (int t = 0; t < 8; t++) {
        int side = t / 2, corner = corners[side][t % 2];
        if (!beside(i, side, &one))
            continue;
        double a = h[i] - h[one], b = beside(i, corner, &other) ? h[one] - h[other] : 0;
        b = b > 0 ? b : 0;
        double steep = a * a + b * b;
        if (b > a) /* towards the corner, or nowhere */
            steep -= 0.5 * (b - a) * (b - a);
        if (a + b > 0 && steep > best) {
            best = steep;
            to = u * a < b ? corner : side;
        }
    }
    return to;
}

/* A number for a place and a direction that no other has, in no order. */
static uint64_t chance_of(const rvi_flow *f, size_t i, unsigned direction) {
    size_t w = (size_t)f->width;
    return rvi_flow_number(i % w, i / w, direction, rvi_mix(f->seed));
}

static int plain_way(const rvi_flow *f, size_t i) {
    size_t n;
    uint64_t least = chance_of(f, i, 0);
    int to = !fixed[i] && f->wander > 0 ? plain_between(f, i) : 8;
    if (to == 8 && !fixed[i])
        to = plain_steepest(i);
    bool flat = to == 8 && !fixed[i];
    for (int k = 0; k < 8 && flat; k++)
        if (beside(i, k, &n) && h[n] == h[i] && chance_of(f, n, 0) < least) {
            least = chance_of(f, n, 0);
            to = k;
        }
    return to;
}

static int by_height(const void *a, const void *b) {
    const pass *p = a, *q = b;
    if (p->height != q->height)
        return p->height < q->height ? -1 : 1;
    return p->chance < q->chance ? -1 : p->chance > q->chance;
}

static size_t find_passes(const rvi_flow *f) {
    size_t count = 0, n;
    for (size_t i = 0; i < cells; i++)
        for (int k = 0; k < 8; k += 2)
            if (beside(i, k, &n) && pit[i] != pit[n]) {
                uint64_t chance = chance_of(f, i, (unsigned)k / 2 + 1);
                chance = chance >> 34 << 34 | i << 2 | (unsigned)k / 2;
                passes[count++] = (pass){fmax(h[i], h[n]), chance, i, n, k};
            }
    qsort(passes, count, sizeof *passes, by_height);
    return count;
}

static size_t group_of(size_t i) {
    while (group[i] != i)
        i = group[i];
    return i;
}

/* The lowest passes that join all basins (J. B. Kruskal, 1956). */
static size_t keep_tree(size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i <= cells; i++)
        group[i] = i;
    for (size_t i = 0; i < count; i++) {
        size_t a = group_of(pit[passes[i].one]), b = group_of(pit[passes[i].other]);
        if (a == b)
            continue;
        group[a] = b;
        passes[kept++] = passes[i];
    }
    return kept;
}

/* Turns the path from a pass to the pit of its cell around. */
static void turn(size_t cell, int direction) {
    for (int old = 0; old < 8; direction = old ^ 1) {
        size_t at = cell;
        old = way[at];
        cell = next(at);
        way[at] = direction;
    }
}

/* Pits are known by their cell, all that drains by itself as `cells`. */
static void plain_route(const rvi_flow *f) {
    plain_fill();
    for (size_t i = 0; i < cells; i++)
        way[i] = plain_way(f, i);
    for (size_t i = 0; i < cells; i++) {
        size_t at = i;
        while (way[at] < 8)
            at = next(at);
        pit[i] = fixed[at] ? cells : at;
        spill[i] = NAN;
    }
    size_t count = keep_tree(find_passes(f));
    spill[cells] = -INFINITY;
    for (size_t done = 0; done < count;)
        for (size_t i = 0; i < count; i++) {
            const pass *p = &passes[i];
            bool one = !isnan(spill[pit[p->one]]), other = !isnan(spill[pit[p->other]]);
            if (one == other)
                continue;
            size_t from = pit[one ? p->one : p->other], to = pit[one ? p->other : p->one];
            spill[to] = fmax(p->height, spill[from]);
            turn(one ? p->other : p->one, one ? p->direction ^ 1 : p->direction);
            done++;
        }
    memset(area, 0, sizeof area);
    memset(discharge, 0, sizeof discharge);
    for (size_t i = 0; i < cells; i++)
        for (size_t at = i, last = cells; at != last; last = at, at = next(at)) {
            area[at]++;
            discharge[at] += rain[i];
        }
}

/* ---- land ---- */

enum { KINDS = 12 };

static double chance(uint64_t seed, size_t i) {
    return (double)rvi_unit(rvi_random(seed, i, 99));
}

static double height_at(int kind, uint64_t seed, size_t i) {
    double x = (double)(i % (size_t)width), y = (double)(i / (size_t)width);
    double dx = x - width / 2, dy = y - height / 2, r = sqrt(dx * dx + dy * dy);
    double wave = 20 * (sin(x * 0.31 + (double)seed) + sin(y * 0.23) + sin((x - 2 * y) * 0.11));
    switch (kind) {
    case 0:
        return chance(seed, i);
    case 1:
        return wave + 3 * chance(seed, i);
    case 2:
        return floor(0.2 * wave); /* plateaus */
    case 3:
        return floor(4 * chance(seed, i));
    case 4:
        return ((int)x + (int)y) % 2; /* a checkerboard */
    case 5:
        return 7; /* all at the same height */
    case 6:
        return -r; /* a cone */
    case 7:
        return r; /* a bowl */
    case 8:       /* a pit in a pit in a pit */
        return fmax(fmin(fabs(r - 20), fabs(r - 8) - 5), -0.5 * r) + 0.01 * chance(seed, i);
    case 9: { /* one long spiral valley */
        double turn = r / 4 - atan2(dy, dx) / 6.283185307179586;
        return fabs(turn - floor(turn) - 0.5) < 0.25 ? 0.01 * r : 9 + chance(seed, i);
    }
    case 10: /* ways to corners that fall by nearly nothing between high walls */
        return ((int)x + (int)y) % 2 ? 100 : (int)y % 2 ? 0x1p-46 : 0;
    default:
        return wave;
    }
}

static void fix(size_t i) {
    fixed[i] = 1;
}

/* Where water leaves: on all sides, on one, at one cell, or in a sea; holes besides. */
static void open_land(uint64_t seed, bool holes) {
    for (size_t i = 0; i < cells; i++) {
        size_t x = i % (size_t)width, y = i / (size_t)width;
        bool edge = x == 0 || y == 0 || x + 1 == (size_t)width || y + 1 == (size_t)height;
        fixed[i] = seed % 4 == 0 ? edge : seed % 4 == 1 ? y == 0 : seed % 4 == 2 && h[i] < 0;
    }
    fix((size_t)(chance(seed, 1u << 20) * (double)cells));
    for (size_t i = 0, n; holes && i < cells; i++)
        if (chance(seed + 7, i) < 0.02) {
            h[i] = NAN;
            fix(i);
            for (int k = 0; k < 8; k++)
                if (beside(i, k, &n))
                    fix(n);
        }
}

static void make_land(uint64_t seed) {
    static const int sizes[][2] = {{1, 1},   {1, 90},  {90, 1},   {2, 77},    {80, 2},  {17, 31},
                                   {64, 64}, {65, 63}, {130, 65}, {150, 120}, {31, 140}};
    size_t size = seed % (sizeof sizes / sizeof *sizes);
    int kind = (int)(rvi_mix(seed) % KINDS);
    width = sizes[size][0];
    height = sizes[size][1];
    cells = (size_t)width * (size_t)height;
    for (size_t i = 0; i < cells; i++) {
        h[i] = height_at(kind, seed, i);
        rain[i] = (uint32_t)(1000 * chance(seed + 3, i));
    }
    open_land(rvi_mix(seed + 1), seed % 5 == 4);
}

/* ---- the comparison ---- */

typedef struct visit {
    const rvi_flow *f;
    unsigned char *seen;
    bool up;
} visit;

/* Each cell once, after its receiver or after all of its donors. */
static void see_piece(void *arg, const rvi_flow_piece *piece) {
    const visit *v = arg;
    for (size_t j = 0; j < piece->count; j++) {
        size_t cell = rvi_flow_cell(piece, v->up ? j : piece->count - 1 - j), donor;
        size_t to = rvi_flow_receiver(v->f, cell);
        assert_int_equal(v->seen[cell], 0);
        if (v->up)
            assert_true(to == cell || v->seen[to]);
        for (int k = 0; !v->up && k < 8; k++)
            if (rvi_flow_donor(v->f, cell, k, &donor))
                assert_true(v->seen[donor]);
        v->seen[cell] = 1;
    }
}

static void check_order(rv_context *ctx, rvi_flow *f) {
    static unsigned char seen[MOST];
    visit v = {f, seen, true};
    memset(seen, 0, sizeof seen);
    support_ok(ctx, rvi_flow_up(f, see_piece, &v));
    for (size_t i = 0; i < cells; i++)
        assert_int_equal(seen[i], 1);
    memset(seen, 0, sizeof seen);
    v.up = false;
    support_ok(ctx, rvi_flow_down(f, see_piece, &v));
    for (size_t i = 0; i < cells; i++)
        assert_int_equal(seen[i], 1);
}

static void give_land(rvi_flow *f, uint64_t seed) {
    rvi_flow_begin(f);
    f->h = h;
    f->fixed = fixed;
    f->rain = rain;
    f->wander = seed % 3 == 1 ? 1.0f : seed % 3 == 2 ? 0.4f : 0.0f;
    f->seed = seed;
    f->when = seed % 7;
}

static void start(rv_context *ctx, rvi_flow *f, rvi_buffers *buffers, uint64_t seed) {
    *buffers = (rvi_buffers){.count = 0};
    rvi_flow_prepare(f, ctx, width, height, true, buffers);
    support_ok(ctx, rvi_buffers_alloc(buffers, ctx));
    give_land(f, seed);
}

static void compare(const rvi_flow *f, uint64_t seed) {
    for (size_t i = 0; i < cells; i++) {
        bool hole = isnan(h[i]);
        double level = rvi_flow_level(f, i, h[i]);
        bool drowned = !hole && filled[i] > h[i];
        if (f->direction[i] != way[i] || f->area[i] != area[i] || f->discharge[i] != discharge[i] ||
            (!hole && level != filled[i]) || rvi_flow_drowned(f, i) != drowned)
            fail_msg("land %d, cell %d: direction %d, not %d; area %d, not %d; level %g, not %g",
                     (int)seed, (int)i, f->direction[i], way[i], (int)f->area[i], (int)area[i],
                     level, filled[i]);
    }
}

static void check_land(rv_context **ctx, int count, uint64_t seed) {
    make_land(seed);
    for (int t = 0; t < count; t++) {
        rvi_flow f;
        rvi_buffers buffers;
        start(ctx[t], &f, &buffers, seed);
        if (t == 0)
            plain_route(&f);
        support_ok(ctx[t], rvi_flow_route(&f));
        support_ok(ctx[t], rvi_flow_route(&f)); /* what was left of the first does not matter */
        compare(&f, seed);
        if (t == 0)
            check_order(ctx[t], &f);
        rvi_buffers_free(&buffers, ctx[t]);
    }
}

/* RAVINE_LANDS=10000 tries more of them. */
static uint64_t lands_to_try(uint64_t few, uint64_t many) {
    const char *more = getenv("RAVINE_LANDS");
    return more ? strtoull(more, NULL, 10) : support_short() ? few : many;
}

static void test_the_plain_program_gives_the_same(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 7};
    rv_context *ctx[4];
    uint64_t lands = lands_to_try(60, 330);
    for (int t = 0; t < 4; t++)
        ctx[t] = support_context(threads[t]);
    for (uint64_t seed = 0; seed < lands; seed++)
        check_land(ctx, 4, seed);
    for (int t = 0; t < 4; t++)
        rv_context_destroy(ctx[t]);
}

/* ---- on a device ---- */

static void check_on_device(rv_context *ctx, rvi_device *d, uint64_t seed) {
    rvi_flow f;
    rvi_flow_device on = {.d = d};
    rvi_buffers buffers = {.count = 0};
    make_land(seed);
    rvi_flow_prepare(&f, ctx, width, height, true, &buffers);
    rvi_flow_device_list(&on, &f, &buffers);
    support_ok(ctx, rvi_buffers_alloc(&buffers, ctx));
    give_land(&f, seed);
    plain_route(&f);
    for (int turn = 0; turn < 2; turn++) { /* what was left of the first does not matter */
        support_ok(ctx, rvi_flow_device_route(&on));
        void *grids[] = {f.direction, f.area, f.discharge, f.basin, f.drowned, f.spill};
        for (size_t k = 0; k < sizeof grids / sizeof *grids; k++)
            support_ok(ctx, rvi_device_fetch(d, grids[k]));
        compare(&f, seed);
    }
    rvi_device_forget(d, h, sizeof h);
    rvi_device_forget(d, fixed, sizeof fixed);
    rvi_device_forget(d, rain, sizeof rain);
    rvi_buffers_free(&buffers, ctx);
}

static void test_a_device_gives_the_same(void **state) {
    (void)state;
    int number = support_device();
    if (number == 0)
        return;
    rv_context *ctx = support_context(1);
    support_ok(ctx, rv_context_use_device(ctx, number));
    uint64_t lands = lands_to_try(22, 110);
    for (uint64_t seed = 0; seed < lands; seed++)
        check_on_device(ctx, rvi_device_of(ctx), seed);
    rv_context_destroy(ctx);
}

/* On a slope that falls between two directions chance takes both, in shares that are right. */
static void test_chance_keeps_the_direction(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    width = 131;
    height = 117;
    cells = (size_t)width * (size_t)height;
    for (int k = 0; k <= 4; k++) {
        double angle = k * acos(-1.0) / 16, right = 0, down = 0;
        for (size_t i = 0; i < cells; i++)
            h[i] = -((double)(i % 131) * cos(angle) + (double)(i / 131) * sin(angle));
        open_land(0, false);
        rvi_flow f;
        rvi_buffers buffers;
        start(ctx, &f, &buffers, 0);
        f.wander = 1;
        for (f.when = 0; f.when < 4; f.when++) {
            support_ok(ctx, rvi_flow_route(&f));
            for (size_t i = 0; i < cells; i++) {
                ptrdiff_t to = (ptrdiff_t)rvi_flow_receiver(&f, i) - (ptrdiff_t)i;
                down += to >= width - 1;
                right += to == 1 || to == width + 1;
            }
        }
        assert_near(atan2(down, right), angle, 0.05);
        rvi_buffers_free(&buffers, ctx);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_plain_program_gives_the_same),
        cmocka_unit_test(test_a_device_gives_the_same),
        cmocka_unit_test(test_chance_keeps_the_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
