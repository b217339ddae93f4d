/* What must hold for the order in which drops run: neither tiles nor threads show in the land, rain
 * falls where it should, and a run may be watched and stopped. */
#include "drop_scene.h"
#include "wear/drop_rounds.h"

/* ---- threads ---- */

static uint64_t hash_with(int threads, int width, int height, int border, int limits) {
    scene s = scene_with(support_context(threads), width, height);
    rough_hills(&s, 4, 0, 300);
    limit(&s, limits);
    rv_droplets_params p = thesis(&s);
    p.border = border;
    p.max_path = -8; /* so that several tiles of a colour fit */
    p.radius = -2;
    p.blend = limits ? 0.3f : 0;
    rain_on(&s, &p);
    uint64_t hash = rv_terrain_hash(s.land);
    scene_end(&s);
    return hash;
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    static const int sizes[][2] = {{97, 130}, {2, 200}, {200, 2}, {1, 64}, {64, 1}};
    for (int border = 0; border < 3; border++)
        for (int size = 0; size < 5; size++)
            for (int limits = 0; limits < 8; limits += size == 0 ? 7 : 8) {
                const int *wh = sizes[size];
                uint64_t one = hash_with(1, wh[0], wh[1], border, limits);
                for (int threads = 2; threads <= 16; threads = threads == 3 ? 16 : threads + 1)
                    assert_equal(hash_with(threads, wh[0], wh[1], border, limits), one);
            }
}
/* ---- no seam, no preferred axis ---- */

enum { SIDE = 128, EDGE = 16, SEEDS = 6 };

/* Bounds for the largest jump beside the usual one, and for what sticks out in step. */
static const double SEAM = 1.5, LATTICE = 0.04;

static float cone(const scene *s, int x, int y) {
    return 400 - 4 * (float)hypot(x - (s->width - 1) * 0.5, y - (s->height - 1) * 0.5);
}

static void wear_down(scene *s, bool on_cone, uint64_t seed) {
    if (on_cone)
        draw(s, "height", cone);
    else
        rough_hills(s, seed, 0, 400);
    rv_droplets_params p = thesis(s);
    p.seed = seed;
    p.max_path = -24; /* so that the map has many tiles */
    p.radius = -2;
    p.inertia = 0.1f;
    p.drops = 2 * p.drops;
    rain_on(s, &p);
}

/* Adds up how much the change jumps from each column to the next, and from each row. */
static void add_jumps(const scene *s, double jumps[2][SIDE]) {
    for (int y = EDGE; y < SIDE - EDGE; y++)
        for (int x = EDGE; x < SIDE - EDGE; x++) {
            int i = y * SIDE + x;
            jumps[0][x] += fabs((double)s->change[i + 1] - (double)s->change[i]);
            jumps[1][y] += fabs((double)s->change[i + SIDE] - (double)s->change[i]);
        }
}

static double usual_jump(const scene *s) {
    double jumps[2][SIDE] = {{0}}, sum = 0;
    add_jumps(s, jumps);
    for (int i = 0; i < SIDE; i++)
        sum += jumps[0][i] + jumps[1][i];
    return sum / 2 / (SIDE - 2 * EDGE) / (SIDE - 2 * EDGE);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest jump between two columns, or two rows, beside the usual one. */
static double largest_jump(double jumps[2][SIDE]) {
    double largest = 0;
    for (int axis = 0; axis < 2; axis++) {
        double sorted[SIDE - 2 * EDGE];
        memcpy(sorted, jumps[axis] + EDGE, sizeof sorted);
        qsort(sorted, SIDE - 2 * EDGE, sizeof sorted[0], by_size);
        double ratio = sorted[SIDE - 2 * EDGE - 1] / sorted[SIDE / 2 - EDGE];
        largest = fmax(largest, ratio);
    }
    return largest;
}

/* The same after columns and rows that lie a multiple of `period` apart were added up: a lattice of
 * tiles that stays where it is would show here. */
static double largest_in_step(double jumps[2][SIDE], int period) {
    double largest = 0;
    for (int axis = 0; axis < 2; axis++) {
        double sums[SIDE] = {0}, all_sum = 0;
        for (int i = 0; i < (SIDE - 2 * EDGE) / period * period; i++) {
            sums[i % period] += jumps[axis][EDGE + i];
            all_sum += jumps[axis][EDGE + i];
        }
        for (int i = 0; i < period; i++)
            largest = fmax(largest, sums[i] / all_sum * period);
    }
    return largest;
}

/* For all periods that tiles may have; with fewer lines to add up, chance has more say. */
static double largest_lattice(double jumps[2][SIDE]) {
    double largest = 0;
    for (int period = 4; period <= (SIDE - 2 * EDGE) / 2; period++)
        largest = fmax(largest, (largest_in_step(jumps, period) - 1) / sqrt(period));
    return largest;
}

/* A seam: from some column on, every row lies a little higher or lower than it would. */
static void add_seam(scene *s, int column, float height) {
    for (int i = 0; i < (int)s->cells; i++)
        if (i % s->width > column)
            s->change[i] += i / s->width % 2 ? height : -height;
}

static void no_seam_shows(void **state) {
    (void)state;
    double plain[2][SIDE] = {{0}}, seam[2][SIDE] = {{0}}, lattice[2][SIDE] = {{0}};
    for (uint64_t seed = 1; seed <= 2 * SEEDS; seed++) {
        scene s = scene_make(SIDE, SIDE);
        wear_down(&s, seed % 2, seed);
        add_jumps(&s, plain);
        float high = 1.5f * (float)usual_jump(&s);
        add_seam(&s, SIDE / 2, high);
        add_jumps(&s, seam);
        add_seam(&s, SIDE / 2, -high);
        for (int i = 1; i < SIDE / 16; i++)
            add_seam(&s, i * 16, i % 2 ? high : -high);
        add_jumps(&s, lattice);
        scene_end(&s);
    }
    below("largest jump between two columns or rows", largest_jump(plain), SEAM);
    below("largest jump in step with the tiles", largest_lattice(plain), LATTICE);
    /* Both can fail: here for seams that are half as high again as the usual jump. */
    above("the same with a seam", largest_jump(seam), SEAM);
    above("the same with a lattice", largest_lattice(lattice), LATTICE);
}

/* Mean squared difference of the change over a step (dx, dy), within a disc. */
static double roughness(const scene *s, int dx, int dy) {
    double sum = 0, count = 0, middle = (SIDE - 1) * 0.5, most = SIDE / 2 - EDGE;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            if (hypot(x - middle, y - middle) > most ||
                hypot(x + dx - middle, y + dy - middle) > most)
                continue;
            double d =
                (double)s->change[(y + dy) * SIDE + x + dx] - (double)s->change[y * SIDE + x];
            sum += d * d;
            count++;
        }
    return sum / count;
}

/* On a cone, where every direction is as good as every other. Cells are compared that lie 7 apart
 * along an axis, and 5 along each on a diagonal, which is nearly as far. */
static void no_axis_is_preferred(void **state) {
    (void)state;
    double x = 0, y = 0, falling = 0, rising = 0;
    for (uint64_t seed = 1; seed <= 3 * SEEDS; seed++) {
        scene s = scene_make(SIDE, SIDE);
        wear_down(&s, true, seed);
        x += roughness(&s, 7, 0);
        y += roughness(&s, 0, 7);
        falling += roughness(&s, 5, 5);
        rising += roughness(&s, 5, -5);
        scene_end(&s);
    }
    below("rows beside columns", fabs(y / x - 1), 0.07);
    below("one diagonal beside the other", fabs(rising / falling - 1), 0.07);
    below("diagonals beside axes", fabs((rising + falling) / (x + y) - 1), 0.1);
}

/* ---- rain ---- */

static float patches(const scene *s, int x, int y) {
    (void)s;
    bool inside = y >= 10 && y < 30;
    return inside && x >= 5 && x < 25 ? 1 : inside && x >= 35 && x < 55 ? 0.5f : 0;
}

static void check_rain(const char *file) {
    scene s = scene_make(60, 40);
    rough_hills(&s, 1, 0, 100);
    save_image(&s, patches, file);
    rv_droplets_params p = thesis(&s);
    p.rain = file;
    p.drops = 12000;
    p.max_path = -1;
    rain_on(&s, &p);
    double fell[3] = {0};
    for (int i = 0; i < (int)s.cells; i++) {
        float white = patches(&s, i % s.width, i / s.width);
        fell[white == 1 ? 2 : white > 0 ? 1 : 0] += (double)field(&s, "flow")[i];
    }
    assert_equal(fell[0], 0);
    assert_equal(fell[0] + fell[1] + fell[2], 12000);
    /* 1 in 3 on grey: 4 standard deviations. */
    below("drops beyond twice as many where it is twice as bright", fabs(fell[1] - 4000), 207);
    scene_end(&s);
}

static void drops_fall_where_the_rain_is_white(void **state) {
    (void)state;
    check_rain("rain.npy");
#ifdef RAVINE_PNG
    check_rain("rain.png");
#endif
}

static float none(const scene *s, int x, int y) {
    return 0 * all(s, x, y);
}

static void black_rain_is_an_error(void **state) {
    (void)state;
    scene s = scene_make(32, 32);
    rough_hills(&s, 1, 0, 100);
    save_image(&s, none, "black.npy");
    uint64_t hash = rv_terrain_hash(s.land);
    rv_droplets_params p = thesis(&s);
    p.rain = "black.npy";
    assert_int_equal(rv_step_run(s.land, RV_STEP_droplets, &p, NULL), RV_ERROR_INPUT);
    assert_non_null(strstr(rv_context_error(s.ctx), "black.npy"));
    assert_equal(rv_terrain_hash(s.land), hash);
    p.rain = "nosuch.npy";
    assert_int_equal(rv_step_run(s.land, RV_STEP_droplets, &p, NULL), RV_ERROR_INPUT);
    assert_equal(rv_terrain_hash(s.land), hash);
    scene_end(&s);
}

/* Rain is counted in whole numbers: they must be large enough for the widest map and apron. */
static void white_rain_fits_the_widest_map(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    enum { WIDTH = 65536, MARGIN = 128, WIDE = WIDTH + 2 * MARGIN };
    float *white = calloc(WIDTH, sizeof(float));
    assert_non_null(white);
    for (int i = 0; i < WIDTH; i++)
        white[i] = 1;
    rvi_rain rain = {NULL, NULL};
    rvi_buffers buffers = {.count = 0};
    rvi_rain_prepare(&rain, WIDTH, 1, MARGIN, &buffers);
    support_ok(ctx, rvi_buffers_alloc(&buffers, ctx));
    support_ok(ctx, rvi_rain_make(ctx, white, WIDTH, 1, MARGIN, "white", &rain));
    for (int i = 1; i < WIDE; i++)
        assert_greater(rain.cells[i], rain.cells[i - 1]);
    assert_equal(rain.rows[0], rain.cells[WIDE - 1]);
    rvi_buffers_free(&buffers, ctx);
    free(white);
    rv_context_destroy(ctx);
}

/* ---- watching and stopping ---- */

typedef struct watcher {
    int calls, seen;           /* all calls, and those that showed the land */
    int most_calls, most_seen; /* after so many it says stop; 0: never */
    double done;
    bool whole, grows, stopped;
    int late;      /* calls after it said stop */
    double volume; /* of the land before the step */
} watcher;

static watcher watcher_of(double volume) {
    return (watcher){.whole = true, .grows = true, .volume = volume};
}

static bool watch(void *user, const rv_progress *now) {
    watcher *w = user;
    w->grows = w->grows && now->done >= w->done && now->done <= 1;
    w->done = now->done;
    w->calls++;
    w->late += w->stopped;
    if (now->land) {
        const float *h = rv_terrain_field(now->land, "height");
        int cells = rv_terrain_width(now->land) * rv_terrain_height(now->land);
        for (int i = 0; i < cells; i++)
            w->whole = w->whole && isfinite(h[i]);
        /* What was taken from it is with the drops or gone: it never has more than before. */
        w->whole = w->whole && rv_terrain_volume(now->land) <= w->volume * (1 + 1e-6);
        w->seen++;
    }
    bool enough = w->most_seen > 0 && w->seen >= w->most_seen && w->done > 0;
    w->stopped = enough || w->calls == w->most_calls;
    return !w->stopped;
}

static rv_context *watched_context(int threads, watcher *w) {
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = threads;
    desc.progress = watch;
    desc.user = w;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    return ctx;
}

/* Stops when the land was seen so often and a round is over, or in the midst of one after so many
 * calls. */
static void check_stop(int threads, int border, int limits, int most_seen, int most_calls) {
    watcher w = watcher_of(INFINITY);
    scene s = scene_with(watched_context(threads, &w), 96, 96);
    rough_hills(&s, 3, 100, 500);
    limit(&s, limits);
    remember(&s);
    w = watcher_of(border == RV_droplets_border_apron ? INFINITY : s.volume);
    w.most_seen = most_seen;
    w.most_calls = most_calls;
    rv_droplets_params p = thesis(&s);
    p.border = border;
    p.drops = 1000000000;
    p.blend = 0.5f;
    assert_int_equal(rv_step_run(s.land, RV_STEP_droplets, &p, &s.report), RV_CANCELLED);
    assert_true(w.whole && w.grows);
    assert_int_equal(w.late, 0);
    if (most_seen > 0) {
        assert_in_range(w.seen, most_seen, w.calls);
        assert_greater(w.done, 0);
        assert_greater(s.report.ledger.eroded, 0);
    } else {
        assert_int_equal(w.calls, most_calls); /* on a slow machine not one round may be over */
    }
    assert_less(w.done, 1);
    assert_finite(&s);
    check_layers(&s);
    below("gap of the ledger after a stop", gap_of(&s, &s.report.ledger), 1e-6);
    scene_end(&s);
}

static void a_run_that_is_stopped_leaves_whole_land(void **state) {
    (void)state;
    check_stop(1, RV_droplets_border_open, 0, 3, 0);
    check_stop(2, RV_droplets_border_wall, LAYERS, 3, 0);
    check_stop(3, RV_droplets_border_apron, MASK | HARD, 3, 0);
    for (int calls = 6; calls < 9; calls++)
        check_stop(2, calls % 3, calls % 2 ? LAYERS : 0, 0, calls);
}

static void watching_does_not_change_the_land(void **state) {
    (void)state;
    uint64_t hashes[2];
    watcher w = watcher_of(INFINITY);
    for (int i = 0; i < 2; i++) {
        scene s = scene_with(i ? watched_context(2, &w) : support_context(2), 96, 96);
        rough_hills(&s, 3, 0, 500);
        limit(&s, LAYERS);
        w = watcher_of(INFINITY);
        rv_droplets_params p = thesis(&s);
        p.drops = 20000;
        rain_on(&s, &p);
        hashes[i] = rv_terrain_hash(s.land);
        scene_end(&s);
    }
    assert_greater(w.calls, 0);
    assert_greater(w.seen, 0);
    assert_true(w.whole);
    assert_true(w.grows);
    assert_equal(hashes[0], hashes[1]);
}

static void batch_mixes_no_materials(void **state) {
    (void)state;
    scene s = scene_make(20, 20);
    limit(&s, LAYERS);
    rv_droplets_params p = thesis(&s);
    p.give = RV_droplets_give_same;
    assert_int_equal(rv_step_run(s.land, RV_STEP_droplets, &p, NULL), RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(s.ctx), "give=same"));
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(no_seam_shows),
        cmocka_unit_test(no_axis_is_preferred),
        cmocka_unit_test(drops_fall_where_the_rain_is_white),
        cmocka_unit_test(black_rain_is_an_error),
        cmocka_unit_test(white_rain_fits_the_widest_map),
        cmocka_unit_test(a_run_that_is_stopped_leaves_whole_land),
        cmocka_unit_test(watching_does_not_change_the_land),
    };
    const struct CMUnitTest of_batch[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(drops_fall_where_the_rain_is_white),
        cmocka_unit_test(black_rain_is_an_error),
        cmocka_unit_test(a_run_that_is_stopped_leaves_whole_land),
        cmocka_unit_test(batch_mixes_no_materials),
    };
    int failed = cmocka_run_group_tests_name("drop_order", tests, NULL, NULL);
    order = RV_droplets_order_batch;
    return failed + cmocka_run_group_tests_name("drop_order order=batch", of_batch, NULL, NULL);
}
