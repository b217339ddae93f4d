/* What must hold for the way of a drop: it takes what the equations say, digs no hole, fills pits,
 * and metres or feet make no difference. */
#include "base/math.h"
#include "drop_scene.h"

/* ---- pits ---- */

static void a_pit_becomes_shallower(void **state) {
    (void)state;
    static const float radii[] = {1, 2, 4};
    for (int r = 0; r < 3; r++) {
        scene s = scene_make(64, 64);
        draw(&s, "height", bowl);
        double first = pit_depth(&s);
        for (int run = 0; run < 4; run++) {
            rv_droplets_params p = thesis(&s);
            p.seed = (uint64_t)run + 1;
            p.drops = 400;
            p.radius = -radii[r];
            p.inertia = 0.1f;
            rain_on(&s, &p);
            below("depth of the pit, as a share of what it was", pit_depth(&s) / first, 0.6);
        }
        scene_end(&s);
    }
}

static float ditch(const scene *s, int x, int y) {
    (void)y;
    return 5 * fabsf((float)x - (float)(s->width / 2));
}

/* With deposition 0 only the pit rule lays anything down: where a drop must climb it fills the
 * ground behind it, but never higher than where it goes. */
static void a_drop_that_must_climb_fills_the_pit(void **state) {
    (void)state;
    double highest = 0, filled = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        scene s = scene_make(65, 20);
        draw(&s, "height", ditch);
        rv_droplets_params p = thesis(&s);
        p.drops = 1;
        p.seed = seed;
        p.deposition = 0;
        p.capacity = 1000;
        p.erosion = 1;
        p.radius = -1;
        rain_on(&s, &p);
        filled += s.report.ledger.deposited > 0;
        for (int i = 0; i < (int)s.cells; i++) {
            double laid = (double)field(&s, "deposited")[i];
            highest = fmax(highest, laid / 5);
        }
        scene_end(&s);
    }
    above("drops of 30 that filled a pit", filled, 20);
    below("most that was laid on a cell, in heights of a step", highest, 2);
}

static float tilt_x, tilt_y;

static float tilted(const scene *s, int x, int y) {
    (void)s;
    return 1000 - tilt_x * (float)x - tilt_y * (float)y;
}

/* The ground at a cell without what was laid down on it. */
static float dug(const scene *s, int x, int y) {
    int i = y * s->width + x;
    return field(s, "height")[i] - field(s, "deposited")[i];
}

static int holes(const scene *s) {
    int count = 0;
    for (int y = 1; y < s->height - 1; y++)
        for (int x = 1; x < s->width - 1; x++) {
            int higher = 0;
            for (int n = 0; n < 9; n++)
                higher += dug(s, x + n % 3 - 1, y + n / 3 - 1) > dug(s, x, y) + 1e-3f;
            count += higher == 8;
        }
    return count;
}

static void a_drop_digs_no_hole(void **state) {
    (void)state;
    static const float tilts[][2] = {{3, 0}, {2, 1}, {2, 2}, {1, -3}};
    for (int t = 0; t < 4; t++)
        for (int radius = 1; radius <= 4; radius++)
            for (uint64_t seed = 0; seed < 12; seed++) {
                scene s = scene_make(48, 48);
                tilt_x = tilts[t][0];
                tilt_y = tilts[t][1];
                draw(&s, "height", tilted);
                rv_droplets_params p = thesis(&s);
                p.drops = 1;
                p.erosion = 1;
                p.capacity = 1000;
                p.radius = -(float)radius;
                p.seed = seed;
                p.max_path = seed % 3 ? -64 : -3;
                rain_on(&s, &p);
                assert_int_equal(holes(&s), 0);
                scene_end(&s);
            }
}

/* ---- the way of a drop ---- */

/* The cells that a drop has wetted. */
typedef struct way {
    int count;
    int x[256], y[256];
} way;

static way way_of(const scene *s) {
    way w = {.count = 0};
    const float *flow = field(s, "flow");
    for (int i = 0; i < (int)s->cells; i++)
        if (flow[i] > 0) {
            assert_less(w.count, 256);
            w.x[w.count] = i % s->width;
            w.y[w.count++] = i / s->width;
        }
    return w;
}

/* Width of the band in direction (dx, dy) that holds the whole way, in cells. A straight way has at
 * most sqrt 2, because it wets the cells nearest to it. */
static double band(const way *w, double dx, double dy) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < w->count; i++) {
        double aside = (w->x[i] * dy - w->y[i] * dx) / hypot(dx, dy);
        low = fmin(low, aside);
        high = fmax(high, aside);
    }
    return high - low;
}

static double narrowest_band(const way *w) {
    double best = INFINITY;
    for (int a = 0; a < 720; a++)
        best = fmin(best, band(w, cos(a * RVI_PI / 720), sin(a * RVI_PI / 720)));
    return best;
}

static double widest_way(float inertia) {
    double widest = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        scene s = scene_make(96, 96);
        rough_hills(&s, seed, 0, 500);
        rv_droplets_params p = thesis(&s);
        p.drops = 1;
        p.seed = seed;
        p.inertia = inertia;
        rain_on(&s, &p);
        way w = way_of(&s);
        if (w.count > 8)
            widest = fmax(widest, narrowest_band(&w));
        scene_end(&s);
    }
    return widest;
}

/* On a plane that is hardly worn, what one drop takes follows from equations 5.4 to 5.8 alone. */
static double taken_by_the_equations(const rv_droplets_params *p, double fall, double relief) {
    double speed = 1, water = 1, sediment = 0;
    for (int step = 0; step < (int)-p->max_path; step++) {
        double slope = fmax(fall, (double)p->min_slope * relief);
        double most = slope * speed * water * (double)p->capacity;
        sediment += (most - sediment) * (double)p->erosion;
        speed = sqrt(speed * speed + fall / relief * (double)p->gravity);
        water *= 1 - (double)p->evaporation;
    }
    return sediment;
}

static void a_drop_takes_what_the_equations_say(void **state) {
    (void)state;
    static const int paths[] = {1, 2, 5, 20, 40};
    double worst = 0;
    int whole = 0;
    tilt_x = 3;
    tilt_y = -4;
    double relief = 7 * 127;
    for (uint64_t run = 0; run < 60; run++) {
        scene s = scene_make(128, 128);
        draw(&s, "height", tilted);
        rv_droplets_params p = thesis(&s);
        p.drops = 1;
        p.seed = run / 5;
        p.max_path = -(float)paths[run % 5];
        p.erosion = 0.002f;
        p.evaporation = run % 2 ? 0.05f : 0;
        p.gravity = run % 3 ? 200 : 0;
        p.min_slope = run % 4 ? 0 : 0.02f;
        rain_on(&s, &p);
        if (s.report.ledger.left_map == 0) {
            double want = taken_by_the_equations(&p, 5, relief) * 100;
            worst = fmax(worst, fabs(s.report.ledger.eroded / want - 1));
            whole++;
        }
        scene_end(&s);
    }
    assert_greater(whole, 30);
    below("difference from the equations, as a share", worst, 0.01);
}

/* A drop with room for more takes the height it runs down, also where part of its disc lies beyond
 * the edge: weights are shares of the cells inside. */
static void at_the_edge_a_drop_takes_as_much(void **state) {
    (void)state;
    int inside = 0;
    tilt_x = -3;
    tilt_y = 4;
    for (uint64_t seed = 0; seed < 60; seed++) {
        scene s = scene_make(7, 5);
        draw(&s, "height", tilted);
        rv_droplets_params p = thesis(&s);
        p.drops = 1;
        p.seed = seed;
        p.max_path = -1;
        p.capacity = 1000;
        p.erosion = 1;
        p.radius = -(float)(1 + seed % 12);
        p.floor = -1e9f;
        rain_on(&s, &p);
        if (s.report.ledger.eroded > 0) { /* otherwise it left the map */
            assert_near(s.report.ledger.eroded / 500, 1, 1e-4);
            inside++;
        }
        scene_end(&s);
    }
    assert_greater(inside, 30);
}

static void with_full_inertia_a_drop_never_turns(void **state) {
    (void)state;
    below("width of the way of a drop with inertia 1", widest_way(1), 1.5);
    above("width of the way of a drop with inertia 0.1", widest_way(0.1f), 3);
}

static void without_inertia_a_drop_runs_down_the_gradient(void **state) {
    (void)state;
    double widest = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        scene s = scene_make(96, 96);
        double angle = (double)seed * RVI_PI / 20;
        tilt_x = (float)(4 * cos(angle));
        tilt_y = (float)(4 * sin(angle));
        draw(&s, "height", tilted);
        rv_droplets_params p = thesis(&s);
        p.drops = 1;
        p.seed = seed;
        p.inertia = 0;
        p.erosion = 0;
        rain_on(&s, &p);
        way w = way_of(&s);
        widest = fmax(widest, band(&w, (double)tilt_x, (double)tilt_y));
        scene_end(&s);
    }
    below("width of the way straight down", widest, 1.45);
}

static float plateau(const scene *s, int x, int y) { /* flat but for a hill in one corner */
    (void)s;
    return 100 + (x < 8 && y < 8 ? (float)(8 - x) * (float)(8 - y) : 0);
}

static float one_cell(const scene *s, int x, int y) {
    return x == s->width / 2 && y == s->height / 2 ? 1 : 0;
}

static void on_a_plateau_drops_run_anywhere_and_take_nothing(void **state) {
    (void)state;
    scene s = scene_make(81, 81);
    draw(&s, "height", plateau);
    save_image(&s, one_cell, "one.npy");
    rv_droplets_params p = thesis(&s);
    p.drops = 8000;
    p.max_path = -30;
    p.rain = "one.npy";
    rain_on(&s, &p);
    assert_memory_equal(s.before, field(&s, "height"), s.cells * sizeof(float));
    assert_equal(s.report.ledger.eroded, 0);
    assert_equal(s.report.drop_steps, 8000 * 30);
    double octants[8] = {0}, all_flow = 0, chi = 0;
    for (int i = 0; i < (int)s.cells; i++) {
        int x = i % s.width - 40, y = i / s.width - 40;
        if (x == 0 || y == 0 || abs(x) == abs(y) || hypot(x, y) < 15 || hypot(x, y) > 25)
            continue;
        octants[(x < 0) + 2 * (y < 0) + 4 * (abs(x) < abs(y))] += (double)field(&s, "flow")[i];
        all_flow += (double)field(&s, "flow")[i];
    }
    /* Each drop passes about ten cells of the ring: divide by that to count drops. */
    for (int o = 0; o < 8; o++)
        chi += pow(octants[o] - all_flow / 8, 2) / (all_flow / 8) / 10;
    below("chi-square of the eight directions", chi, 24.3); /* 1 in 1000 */
    scene_end(&s);
}

/* ---- metres or feet ---- */

static void heights_times_four_give_four_times_the_land(void **state) {
    (void)state;
    for (int run = 0; run < 12; run++) {
        scene a = scene_make(64, 48), b = scene_make(64, 48);
        rough_hills(&a, 2, 0, 700);
        float *values = calloc(a.cells, sizeof(float));
        assert_non_null(values);
        for (size_t i = 0; i < a.cells; i++)
            values[i] = 4 * field(&a, "height")[i];
        set_field(&b, "height", values);
        free(values);
        rv_droplets_params p = thesis(&a);
        p.border = run % 3;
        p.blend = run / 3 % 2 ? 0.5f : 0;
        p.floor = run / 6 ? 150 : RV_AUTO;
        p.max_path = -24;
        rain_on(&a, &p);
        p.floor *= 4;
        rain_on(&b, &p);
        for (size_t i = 0; i < a.cells; i++) {
            assert_true(equal_bits(4 * field(&a, "height")[i], field(&b, "height")[i]));
            assert_true(equal_bits(field(&a, "flow")[i], field(&b, "flow")[i]));
            assert_true(equal_bits(4 * field(&a, "eroded")[i], field(&b, "eroded")[i]));
        }
        scene_end(&a);
        scene_end(&b);
    }
}

static double correlation(const float *a, const float *b, size_t count) {
    double ma = mean(a, count), mb = mean(b, count), ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < count; i++) {
        ab += ((double)a[i] - ma) * ((double)b[i] - mb);
        aa += ((double)a[i] - ma) * ((double)a[i] - ma);
        bb += ((double)b[i] - mb) * ((double)b[i] - mb);
    }
    return ab / sqrt(aa * bb);
}

static void feet_give_the_shape_that_metres_give(void **state) {
    (void)state;
    scene a = scene_make(96, 96), b = scene_make(96, 96);
    rough_hills(&a, 2, 0, 700);
    rough_hills(&b, 2, 0, 700 * 3.28084f);
    rv_droplets_params p = thesis(&a);
    rain_on(&a, &p);
    rain_on(&b, &p);
    above("correlation of what changed in metres and in feet",
          correlation(a.change, b.change, a.cells), 0.8);
    double feet = b.report.ledger.eroded / a.report.ledger.eroded / 3.28084;
    below("difference of what was taken", fabs(feet - 1), 0.05);
    scene_end(&a);
    scene_end(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pit_becomes_shallower),
        cmocka_unit_test(a_drop_that_must_climb_fills_the_pit),
        cmocka_unit_test(a_drop_digs_no_hole),
        cmocka_unit_test(a_drop_takes_what_the_equations_say),
        cmocka_unit_test(at_the_edge_a_drop_takes_as_much),
        cmocka_unit_test(with_full_inertia_a_drop_never_turns),
        cmocka_unit_test(without_inertia_a_drop_runs_down_the_gradient),
        cmocka_unit_test(on_a_plateau_drops_run_anywhere_and_take_nothing),
        cmocka_unit_test(heights_times_four_give_four_times_the_land),
        cmocka_unit_test(feet_give_the_shape_that_metres_give),
    };
    const struct CMUnitTest of_batch[] = {
        cmocka_unit_test(a_pit_becomes_shallower),
        cmocka_unit_test(a_drop_that_must_climb_fills_the_pit),
        cmocka_unit_test(a_drop_digs_no_hole),
        cmocka_unit_test(a_drop_takes_what_the_equations_say),
        cmocka_unit_test(at_the_edge_a_drop_takes_as_much),
        cmocka_unit_test(with_full_inertia_a_drop_never_turns),
        cmocka_unit_test(without_inertia_a_drop_runs_down_the_gradient),
        cmocka_unit_test(on_a_plateau_drops_run_anywhere_and_take_nothing),
    };
    int failed = cmocka_run_group_tests_name("drop_path", tests, NULL, NULL);
    order = RV_droplets_order_batch;
    return failed + cmocka_run_group_tests_name("drop_path order=batch", of_batch, NULL, NULL);
}
