/* What must hold for droplets: nothing is lost, water runs down, and limits are kept. Figures that
 * a bound is set for are printed. */
#include "drop_scene.h"

/* ---- nothing vanishes ---- */

/* One run with everything that may move material; returns the gap of its ledger. */
static double mass_gap(int border, float blend, int limits, float base, int64_t drops) {
    scene s = scene_make(48, 56);
    rough_hills(&s, 3, base, 100);
    limit(&s, limits);
    rv_droplets_params p = thesis(&s);
    p.seed = 2; /* whose first drop falls where there is ground to take */
    p.border = border;
    p.blend = blend;
    p.drops = drops > 0 ? drops : p.drops;
    p.max_path = -24;
    rain_on(&s, &p);
    double gap = gap_of(&s, &s.report.ledger);
    assert_greater(s.report.ledger.eroded, 0);
    if (border == RV_droplets_border_wall)
        assert_equal(s.report.ledger.left_map, 0);
    assert_finite(&s);
    check_layers(&s);
    scene_end(&s);
    return gap;
}

/* All borders, drop counts and limits; prints what misses more than 1e-6. */
static void check_mass(float blend, float base) {
    static const char *borders[] = {"open", "wall", "apron"};
    static const int limits[] = {0, MASK, HARD, LAYERS, MASK | HARD, MASK | HARD | LAYERS};
    static const int64_t drops[] = {1, 10, 0}; /* 0: one for each cell */
    double worst = 0;
    int wrong = 0;
    for (int border = 0; border < 3; border++)
        for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++)
            for (size_t d = 0; d < 3; d++) {
                double gap = mass_gap(border, blend, limits[l], base, drops[d]);
                worst = fmax(worst, gap);
                wrong += !(gap <= 1e-6);
                if (!(gap <= 1e-6))
                    print_message("  border=%s blend=%g%s%s%s base=%g drops=%d misses %.3g\n",
                                  borders[border], (double)blend, limits[l] & MASK ? " mask" : "",
                                  limits[l] & HARD ? " hardness" : "",
                                  limits[l] & LAYERS ? " layers" : "", (double)base, (int)drops[d],
                                  gap);
            }
    print_message("  largest gap of a ledger: %.3g of what was taken\n", worst);
    assert_int_equal(wrong, 0);
}

static void nothing_vanishes(void **state) {
    (void)state;
    check_mass(0, 0);
}

static void nothing_vanishes_on_a_high_base(void **state) {
    (void)state;
    check_mass(0, 5000);
}

static void nothing_vanishes_in_the_blend(void **state) {
    (void)state;
    check_mass(0.5f, 0);
}

static void nothing_vanishes_in_the_blend_on_a_high_base(void **state) {
    (void)state;
    check_mass(0.5f, 5000);
}

/* ---- downhill ---- */

static void material_moves_down_the_slope(void **state) {
    (void)state;
    for (int border = 0; border < 3; border++) {
        scene s = scene_make(64, 64);
        draw(&s, "height", east_slope);
        rv_droplets_params p = thesis(&s);
        p.border = border;
        p.evaporation = 0.1f;
        rain_on(&s, &p);
        above("metres that material came down by",
              mean_height(&s, "eroded") - mean_height(&s, "deposited"), 5);
        scene_end(&s);
    }
}

/* With the sign that equation 5.7 is printed with, drops would slow down and take less. */
static void more_gravity_takes_more(void **state) {
    (void)state;
    static const float gravity[] = {0, 4, 16, 64};
    double taken[4];
    for (int i = 0; i < 4; i++) {
        scene s = scene_make(64, 64);
        draw(&s, "height", east_slope);
        rv_droplets_params p = thesis(&s);
        p.drops = 500;
        p.capacity = 1;
        p.gravity = gravity[i];
        rain_on(&s, &p);
        taken[i] = s.report.ledger.eroded;
        if (i > 0)
            above("taken with more gravity, as a multiple", taken[i] / taken[i - 1], 1.02);
        scene_end(&s);
    }
}

static void flow_grows_down_a_valley(void **state) {
    (void)state;
    scene s = scene_make(96, 33);
    draw(&s, "height", valley);
    rv_droplets_params p = thesis(&s);
    p.drops = 20000;
    p.max_path = -200;
    p.inertia = 0.05f;
    p.erosion = 0;
    p.evaporation = 0;
    rain_on(&s, &p);
    double upstream = 0;
    for (int part = 0; part < 6; part++) {
        double flow = 0;
        for (int i = 0; i < 7 * 16; i++)
            flow += (double)field(&s, "flow")[(13 + i / 16) * s.width + part * 16 + i % 16];
        if (part > 0)
            above("flow in the next part of the valley, as a multiple", flow / upstream, 1.1);
        upstream = flow;
    }
    scene_end(&s);
}

/* ---- the floor ---- */

/* On the thesis's smallest map. */
static float lowest_after(float floor, int64_t drops) {
    scene s = scene_make(256, 256);
    rough_hills(&s, 1, 0, 1000);
    rv_droplets_params p = thesis(&s);
    p.drops = drops;
    p.floor = floor;
    rain_on(&s, &p);
    float low = lowest(field(&s, "height"), s.cells);
    assert_equal(lowest(s.before, s.cells), 0);
    scene_end(&s);
    return low;
}

static void land_does_not_sink_below_the_floor(void **state) {
    (void)state;
    above("lowest point, m", (double)lowest_after(RV_AUTO, 40000), -1e-30);
    /* No drop digs deeper than where it goes: valleys do not drain over the edge and dig on. */
    above("lowest point without a floor, m", (double)lowest_after(-1e9f, 40000), -1e-30);
}

static float cliffs(const scene *s, int x, int y) {
    (void)s;
    return (x + y) % 8 < 4 ? 5000.1f + (float)x : -3000.7f - (float)y;
}

/* How far any cell lies below the floor, or below where it was if that is lower. */
static double sunk(const scene *s, float floor, int *worn) {
    double most = 0;
    *worn = 0;
    for (size_t i = 0; i < s->cells; i++) {
        float least = s->before[i] < floor ? s->before[i] : floor, now = field(s, "height")[i];
        most = fmax(most, (double)least - (double)now);
        *worn += s->before[i] > floor && fabsf(now - floor) < 0.01f;
    }
    return most;
}

static double sunk_on_cliffs(int run, bool layers) {
    static const float floors[] = {0.1f, -0.1f, -1234.567f, 1e-20f, 3333.3f};
    scene s = scene_make(64, 64);
    draw(&s, "height", cliffs);
    if (layers)
        limit(&s, LAYERS);
    rv_droplets_params p = thesis(&s);
    p.floor = floors[run % 5];
    p.capacity = 1000;
    p.erosion = 1;
    p.radius = -(float)(1 + run % 3);
    p.blend = run % 2 ? 0.5f : 0;
    p.seed = (uint64_t)run;
    rain_on(&s, &p);
    int worn;
    double below_it = sunk(&s, p.floor, &worn);
    if (p.blend == 0)
        assert_greater(worn, 0);
    scene_end(&s);
    return below_it;
}

static void a_given_floor_is_kept(void **state) {
    (void)state;
    double most = 0;
    for (int run = 0; run < 20; run++)
        most = fmax(most, sunk_on_cliffs(run / 2, run % 2));
    below("metres below the floor", most, 1e-30);
}

/* ---- mask and hardness ---- */

static void masked_land_keeps_its_bits(void **state) {
    (void)state;
    for (int run = 0; run < 12; run++) {
        scene s = scene_make(64, 64);
        rough_hills(&s, 5, 100, 500);
        if (run / 6)
            limit(&s, LAYERS);
        draw(&s, "mask", half);
        rv_droplets_params p = thesis(&s);
        p.border = run % 3;
        p.blend = run / 3 % 2 ? 0.7f : 0;
        p.max_path = -32;
        rain_on(&s, &p);
        double moved = 0;
        for (int i = 0; i < (int)s.cells; i++) {
            if (i % s.width < 32)
                assert_true(equal_bits(s.before[i], field(&s, "height")[i]));
            moved += fabs((double)s.change[i]);
        }
        assert_greater(moved, 0);
        scene_end(&s);
    }
}

/* The most that rock with hardness 1 was lowered by; it may be raised where sediment was laid. */
static double wear_of_hard_rock(int run, float blend) {
    scene s = scene_make(64, 64);
    rough_hills(&s, 5, 100, 500);
    if (run / 3)
        limit(&s, LAYERS);
    draw(&s, "hardness", half);
    rv_droplets_params p = thesis(&s);
    p.border = run % 3;
    p.blend = blend;
    p.max_path = -32;
    rain_on(&s, &p);
    double worn = 0;
    for (int i = 0; i < (int)s.cells; i++) {
        if (i % s.width < 32)
            continue;
        worn = fmax(worn, -(double)s.change[i]);
        if (blend == 0 && field(&s, "deposited")[i] == 0)
            assert_true(equal_bits(s.before[i], field(&s, "height")[i]));
    }
    assert_greater(s.report.ledger.eroded, 0);
    scene_end(&s);
    return worn;
}

static void hard_rock_is_not_worn(void **state) {
    (void)state;
    for (int run = 0; run < 6; run++)
        assert_equal(wear_of_hard_rock(run, 0), 0);
}

static void hard_rock_is_not_worn_by_the_blend(void **state) {
    (void)state;
    double worn = 0;
    for (int run = 0; run < 6; run++)
        worn = fmax(worn, wear_of_hard_rock(run, 0.7f));
    below("metres that the blend took from hard rock", worn, 0.001);
}

static void land_that_is_all_hard_keeps_its_bits(void **state) {
    (void)state;
    scene s = scene_make(64, 64);
    rough_hills(&s, 5, 100, 500);
    draw(&s, "hardness", all);
    rv_droplets_params p = thesis(&s);
    rain_on(&s, &p);
    assert_memory_equal(s.before, field(&s, "height"), s.cells * sizeof(float));
    assert_equal(s.report.ledger.eroded, 0);
    assert_equal(s.report.ledger.deposited, 0);
    scene_end(&s);
}

static float halfway(const scene *s, int x, int y) {
    return 0.5f * all(s, x, y);
}

static double size_of_change(const char *limited, formula f, float blend) {
    scene s = scene_make(64, 64);
    rough_hills(&s, 5, 100, 500);
    draw(&s, limited, f);
    rv_droplets_params p = thesis(&s);
    p.drops = 1000;
    p.blend = blend;
    p.blur = 0;
    rain_on(&s, &p);
    double sum = 0;
    for (size_t i = 0; i < s.cells; i++)
        sum += fabs((double)s.change[i]);
    scene_end(&s);
    return sum;
}

static void half_a_mask_lets_less_happen(void **state) {
    (void)state;
    double whole = size_of_change("mask", all, 0), masked = size_of_change("mask", halfway, 0);
    below("change with mask 0.5, as a share", masked / whole, 0.8);
    above("change with mask 0.5, as a share", masked / whole, 0.2);
    double hard = size_of_change("hardness", halfway, 0);
    below("change with hardness 0.5, as a share", hard / whole, 0.9);
    above("change with hardness 0.5, as a share", hard / whole, 0.2);
    /* A blur by nothing blends the change with itself. */
    double blended = size_of_change("mask", halfway, 1);
    below("difference that a blend with itself makes", fabs(blended / masked - 1), 1e-5);
}
/* ---- counts and extremes ---- */

static void no_drops_change_nothing(void **state) {
    (void)state;
    scene s = scene_make(32, 48);
    rough_hills(&s, 3, 0, 50);
    rv_droplets_params p = thesis(&s);
    p.drops = 0;
    p.blend = 1;
    rain_on(&s, &p);
    assert_memory_equal(s.before, field(&s, "height"), s.cells * sizeof(float));
    assert_equal(s.report.drop_steps, 0);
    assert_equal(s.report.ledger.eroded, 0);
    assert_equal(s.report.ledger.suspended, 0);
    for (size_t i = 0; i < s.cells; i++) {
        assert_equal(field(&s, "flow")[i], 0);
        assert_equal(field(&s, "eroded")[i], 0);
        assert_equal(field(&s, "deposited")[i], 0);
    }
    scene_end(&s);
}

static void drops_make_at_most_max_path_steps(void **state) {
    (void)state;
    for (int border = 0; border < 3; border++) {
        scene s = scene_make(64, 64);
        rough_hills(&s, 3, 0, 50);
        rv_droplets_params p = thesis(&s);
        p.border = border;
        p.drops = 1000;
        p.max_path = -32;
        rain_on(&s, &p);
        /* With an apron, as many more drops fall as it has cells. */
        double drops = border == RV_droplets_border_apron ? 4000 : 1000;
        assert_less_equal((double)s.report.drop_steps, drops * 32);
        assert_greater_equal((double)s.report.drop_steps, drops * 4);
        scene_end(&s);
    }
}

static void drops_fall_evenly(void **state) {
    (void)state;
    scene s = scene_make(41, 33);
    rough_hills(&s, 3, 0, 50);
    rv_droplets_params p = thesis(&s);
    p.drops = 20000;
    p.max_path = -1;
    rain_on(&s, &p);
    double chi = 0, drops = 0;
    for (int i = 0; i < (int)s.cells; i++) {
        double want = 20000.0 / (41 * 33), fell = (double)field(&s, "flow")[i];
        chi += (fell - want) * (fell - want) / want;
        drops += fell;
    }
    assert_equal(drops, 20000);
    /* Each part of a square, here four cells, gets its drops in turn, and each of the four by
     * chance alone: three quarters of the 1352 that pure chance gives, with a standard deviation
     * of 52. */
    below("chi-square of where drops fell", chi, 0.75 * 1352 + 4 * 52);
    above("chi-square of where drops fell", chi, 0.75 * 1352 - 4 * 52);
    scene_end(&s);
}

static void set_extreme(rv_droplets_params *p, int which) {
    float *parameters[] = {&p->inertia, &p->capacity,  &p->deposition, &p->erosion, &p->evaporation,
                           &p->radius,  &p->min_slope, &p->gravity,    &p->floor};
    static const float ends[][2] = {{0, 1},    {0, 1000}, {0, 1},    {0, 1},         {0, 1},
                                    {-1, -64}, {0, 1},    {0, 1000}, {-1e9f, 100000}};
    if (which / 2 < 9)
        *parameters[which / 2] = ends[which / 2][which % 2];
    else
        p->max_path = which % 2 ? -1000 : -1;
}

/* Each parameter at both ends, and pairs of them. */
/* Land that is cut off at the south and east: where the rest lies, the same drops fall. */
static void drops_fall_where_they_fell_on_a_larger_map(void **state) {
    (void)state;
    scene maps[] = {scene_make(128, 96), scene_make(64, 64)};
    for (int k = 0; k < 2; k++) {
        rough_hills(&maps[k], 3, 0, 50);
        rv_droplets_params p = thesis(&maps[k]);
        p.drops = maps[k].width * maps[k].height / 8; /* squares of 16 cells: 32 drops on each */
        p.max_path = -1;
        rain_on(&maps[k], &p);
    }
    for (int i = 0; i < 64 * 64; i++)
        assert_equal(field(&maps[1], "flow")[i], field(&maps[0], "flow")[i / 64 * 128 + i % 64]);
    scene_end(&maps[0]);
    scene_end(&maps[1]);
}

static void extremes_stay_finite(void **state) {
    (void)state;
    for (int a = 0; a < 20; a++)
        for (int b = 0; b < 20; b += a % 2 ? 7 : 3) {
            scene s = scene_make(32, 32);
            rough_hills(&s, 3, 0, 50);
            rv_droplets_params p = thesis(&s);
            p.drops = 200;
            p.border = (a + b) % 2; /* open or wall */
            set_extreme(&p, a);
            set_extreme(&p, b);
            rain_on(&s, &p);
            assert_finite(&s);
            double gap = gap_of(&s, &s.report.ledger);
            if (!(gap <= 1e-6))
                fail_msg("extremes %d and %d: the ledger misses %g", a, b, gap);
            scene_end(&s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_vanishes),
        cmocka_unit_test(nothing_vanishes_on_a_high_base),
        cmocka_unit_test(nothing_vanishes_in_the_blend),
        cmocka_unit_test(nothing_vanishes_in_the_blend_on_a_high_base),
        cmocka_unit_test(material_moves_down_the_slope),
        cmocka_unit_test(more_gravity_takes_more),
        cmocka_unit_test(flow_grows_down_a_valley),
        cmocka_unit_test(land_does_not_sink_below_the_floor),
        cmocka_unit_test(a_given_floor_is_kept),
        cmocka_unit_test(masked_land_keeps_its_bits),
        cmocka_unit_test(hard_rock_is_not_worn),
        cmocka_unit_test(hard_rock_is_not_worn_by_the_blend),
        cmocka_unit_test(land_that_is_all_hard_keeps_its_bits),
        cmocka_unit_test(half_a_mask_lets_less_happen),
        cmocka_unit_test(no_drops_change_nothing),
        cmocka_unit_test(drops_make_at_most_max_path_steps),
        cmocka_unit_test(drops_fall_evenly),
        cmocka_unit_test(drops_fall_where_they_fell_on_a_larger_map),
        cmocka_unit_test(extremes_stay_finite),
    };
    const struct CMUnitTest of_batch[] = {
        cmocka_unit_test(nothing_vanishes),
        cmocka_unit_test(a_given_floor_is_kept),
        cmocka_unit_test(hard_rock_is_not_worn),
        cmocka_unit_test(land_that_is_all_hard_keeps_its_bits),
        cmocka_unit_test(half_a_mask_lets_less_happen),
        cmocka_unit_test(no_drops_change_nothing),
        cmocka_unit_test(drops_make_at_most_max_path_steps),
        cmocka_unit_test(drops_fall_evenly),
        cmocka_unit_test(drops_fall_where_they_fell_on_a_larger_map),
        cmocka_unit_test(extremes_stay_finite),
    };
    int failed = cmocka_run_group_tests_name("droplets", tests, NULL, NULL);
    order = RV_droplets_order_batch;
    return failed + cmocka_run_group_tests_name("droplets order=batch", of_batch, NULL, NULL);
}
