/* What must hold for droplets: nothing is lost, water runs down, limits are kept, and neither the
 * tiles nor the threads that run the drops show in the land. Figures that a bound is set for are
 * printed. */
#include "base/math.h"
#include "wear/drop_rounds.h"
#include "wear_scene.h"

#include <stdio.h>

/* ---- a land to work on ---- */

static void set_field(scene *s, const char *name, const float *values) {
    support_ok(s->ctx, rv_terrain_field_set(s->land, name, values));
}

/* Rolling land from 0 to `relief` metres with features a third of `size` cells wide. */
static void hills_of(scene *s, uint64_t seed, int size, float relief) {
    rv_noise_params p = rv_noise_params_default();
    p.seed = seed;
    p.frequency = 300.0f / (float)size;
    p.octaves = 8;
    p.gain = 0.5f;
    p.relief = relief;
    support_ok(s->ctx, rv_step_run(s->land, RV_STEP_noise, &p, NULL));
}

/* The same on `base` metres, with three features along the longer side. */
static void rough_hills(scene *s, uint64_t seed, float base, float relief) {
    hills_of(s, seed, s->width > s->height ? s->width : s->height, relief);
    float *values = calloc(s->cells, sizeof(float));
    assert_non_null(values);
    for (size_t i = 0; i < s->cells; i++)
        values[i] = field(s, "height")[i] + base;
    set_field(s, "height", values);
    free(values);
}

static void remember(scene *s) {
    memcpy(s->before, field(s, "height"), s->cells * sizeof(float));
    s->volume = rv_terrain_volume(s->land);
}

static void compare(scene *s) {
    for (size_t i = 0; i < s->cells; i++)
        s->change[i] = field(s, "height")[i] - s->before[i];
}

static void rain_on(scene *s, const rv_droplets_params *p) {
    remember(s);
    support_ok(s->ctx, rv_step_run(s->land, RV_STEP_droplets, p, &s->report));
    compare(s);
}

/* Many tests hold for both orders; order=batch knows no layers. */
static int order = RV_droplets_order_tiles;

static int layers_or(int limits) {
    return order == RV_droplets_order_batch ? limits & ~LAYERS : limits;
}

/* The parameters of table 6.1 of the thesis, one drop for each cell; lengths below 0 are cells. */
static rv_droplets_params thesis(const scene *s) {
    rv_droplets_params p = rv_droplets_params_default();
    p.order = order;
    p.drops = (int64_t)s->cells;
    p.inertia = 0.3f;
    p.capacity = 8;
    p.deposition = 0.2f;
    p.erosion = 0.7f;
    p.evaporation = 0.02f;
    p.radius = -4;
    p.move = -1;
    p.min_slope = 0.01f;
    p.max_path = -64;
    p.blur = -2;
    p.gravity = 10;
    return p;
}

/* ---- figures and their bounds ---- */

static void assert_finite(const scene *s) {
    for (size_t i = 0; i < s->cells; i++)
        assert_true(isfinite(field(s, "height")[i]) && isfinite(field(s, "flow")[i]) &&
                    isfinite(field(s, "eroded")[i]) && isfinite(field(s, "deposited")[i]));
}

static bool equal_bits(float a, float b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static double mean(const float *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)values[i];
    return sum / (double)count;
}

/* ---- 1. nothing vanishes ---- */

/* By how much the ledger misses, as a share of what was taken: against the land, and in itself. */
static double gap_of(const scene *s, const rv_ledger *l) {
    double change = rv_terrain_volume(s->land) - s->volume;
    double land = fabs(change - l->raised + l->left_map + l->suspended);
    double itself = fabs(l->eroded - l->deposited - l->left_map - l->suspended);
    double gap = fmax(land, itself);
    return l->eroded > 0 ? gap / l->eroded : gap > 0 ? INFINITY : 0;
}

static void check_layers(const scene *s) {
    for (int l = 1; l < rv_terrain_layer_count(s->land); l++)
        for (size_t i = 0; i < s->cells; i++)
            assert_greater_equal(rv_terrain_layer_thickness(s->land, l)[i], 0);
}

/* One run with everything that may move material; returns the gap of its ledger. */
static double mass_gap(int border, float blend, int limits, float base, int64_t drops) {
    scene s = scene_make(48, 56);
    rough_hills(&s, 3, base, 100);
    limit(&s, layers_or(limits));
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

/* ---- 2. downhill ---- */

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

/* ---- 3. the floor ---- */

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
        limit(&s, layers_or(LAYERS));
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
    double plain = 0, layered = 0;
    for (int run = 0; run < 10; run++) {
        plain = fmax(plain, sunk_on_cliffs(run, false));
        layered = fmax(layered, sunk_on_cliffs(run, true));
    }
    /* The surface of layers is a sum, which is rounded: half a unit in the last place. */
    below("metres below the floor with layers", layered, 0.0003);
    below("metres below the floor", plain, 1e-30);
}

/* ---- 4. mask and hardness ---- */

static void masked_land_keeps_its_bits(void **state) {
    (void)state;
    for (int run = 0; run < 12; run++) {
        scene s = scene_make(64, 64);
        rough_hills(&s, 5, 100, 500);
        if (run / 6)
            limit(&s, layers_or(LAYERS));
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
        limit(&s, layers_or(LAYERS));
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

static float all(const scene *s, int x, int y) {
    (void)s;
    (void)x;
    (void)y;
    return 1;
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
/* ---- 5. pits ---- */

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

/* ---- 6. the way of a drop ---- */

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

/* Writes a field as an image for rain. */
static void save_image(scene *s, formula f, const char *file) {
    draw(s, "image", f);
    rv_save_params p = rv_save_params_default();
    p.file = file;
    p.field = "image";
    p.low = 0;
    p.high = 1;
    support_ok(s->ctx, rv_step_run(s->land, RV_STEP_save, &p, NULL));
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

/* ---- 7. metres or feet ---- */

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

/* ---- 8. threads ---- */

static uint64_t hash_with(int threads, int width, int height, int border, int limits) {
    scene s = scene_with(support_context(threads), width, height);
    rough_hills(&s, 4, 0, 300);
    limit(&s, layers_or(limits));
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
/* ---- 9. no seam, no preferred axis ---- */

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

/* ---- 10. rain ---- */

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

/* ---- 11. the blend ---- */

/* Sum of squared second differences of the change. */
static double curvature(const scene *s) {
    double sum = 0;
    for (int y = 1; y < s->height - 1; y++)
        for (int x = 1; x < s->width - 1; x++) {
            const float *c = s->change + y * s->width + x;
            double across_it = (double)c[-1] - 2 * (double)c[0] + (double)c[1];
            double down_it = (double)c[-s->width] - 2 * (double)c[0] + (double)c[s->width];
            sum += across_it * across_it + down_it * down_it;
        }
    return sum;
}

/* What a blend leaves of the land: its volume, the roughness of the change, and the ledger. */
typedef struct blended {
    double volume, rough;
    rv_ledger ledger;
} blended;

static blended blend_of(float blend, int limits) {
    scene s = scene_make(64, 64);
    rough_hills(&s, 7, 0, 200);
    limit(&s, layers_or(limits));
    rv_droplets_params p = thesis(&s);
    p.blend = blend;
    rain_on(&s, &p);
    blended b = {rv_terrain_volume(s.land), curvature(&s), s.report.ledger};
    scene_end(&s);
    return b;
}

/* The blend comes after the drops: it moves material about, and none of it to or from them. */
static void the_blend_keeps_the_sum(void **state) {
    (void)state;
    static const int limits[] = {0, MASK, HARD, MASK | HARD, MASK | HARD | LAYERS};
    double lost = 0, moved = 0;
    for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++) {
        blended a = blend_of(0, limits[l]), b = blend_of(0.6f, limits[l]);
        lost = fmax(lost, fabs(b.volume - a.volume) / a.ledger.eroded);
        moved = fmax(moved, fabs(b.ledger.eroded - a.ledger.eroded) / a.ledger.eroded);
        moved = fmax(moved, fabs(b.ledger.left_map - a.ledger.left_map) / a.ledger.eroded);
        moved = fmax(moved, fabs(b.ledger.suspended - a.ledger.suspended) / a.ledger.eroded);
    }
    below("volume that the blend lost, as a share of what was taken", lost, 1e-6);
    below("difference it made to the ledger", moved, 1e-5);
}

static void the_blend_smooths(void **state) {
    (void)state;
    double rough = blend_of(0, 0).rough;
    for (int i = 1; i <= 4; i++) {
        double now = blend_of((float)i * 0.25f, 0).rough;
        below("roughness, as a share of that with less blend", now / rough, 0.8);
        rough = now;
    }
}

static void without_blend_the_blur_does_not_matter(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        scene s = scene_make(64, 64);
        rough_hills(&s, 7, 0, 200);
        rv_droplets_params p = thesis(&s);
        p.blur = i ? -64 : 0;
        rain_on(&s, &p);
        hashes[i] = rv_terrain_hash(s.land);
        scene_end(&s);
    }
    assert_equal(hashes[0], hashes[1]);
}

/* ---- 12. the apron ---- */

/* What becomes of the outer 6 cells of 96 x 96 and of those within them, on average over several
 * lands, when they are eroded with `around` more cells of the same land on every side. */
typedef struct fate {
    double edge, inner; /* metres */
} fate;

static fate fate_of(int border, int around) {
    fate f = {0, 0};
    int side = 96 + 2 * around, seeds = 6;
    for (int seed = 1; seed <= seeds; seed++) {
        scene s = scene_make(side, side);
        hills_of(&s, (uint64_t)seed, 96, 200);
        rv_droplets_params p = thesis(&s);
        p.seed = (uint64_t)seed;
        p.inertia = 0.1f;
        p.border = border;
        p.max_path = -32;
        rain_on(&s, &p);
        assert_int_equal(rv_terrain_width(s.land), side);
        assert_int_equal(rv_terrain_height(s.land), side);
        double sums[2] = {0}, counts[2] = {0};
        for (int y = 0; y < 96; y++)
            for (int x = 0; x < 96; x++) {
                int near = x < 6 || y < 6 || x >= 90 || y >= 90;
                sums[near] += (double)s.change[(y + around) * side + x + around];
                counts[near]++;
            }
        f.edge += sums[1] / counts[1] / seeds;
        f.inner += sums[0] / counts[0] / seeds;
        scene_end(&s);
    }
    return f;
}

/* The thesis's cure for valleys that drain over the edge is to erode a larger map and cut it; an
 * apron stands in for what lies around. */
static void an_apron_keeps_the_edge_from_draining(void **state) {
    (void)state;
    fate cut = fate_of(RV_droplets_border_open, 40);
    fate open = fate_of(RV_droplets_border_open, 0);
    fate apron = fate_of(RV_droplets_border_apron, 0);
    print_message("  change of edge and inner land: cut %.3g, %.3g m; open %.3g, %.3g m; apron "
                  "%.3g, %.3g m\n",
                  cut.edge, cut.inner, open.edge, open.inner, apron.edge, apron.inner);
    assert_less(open.edge, cut.edge);
    assert_less(open.edge, open.inner);
    below("what the edge drained, beside an open border",
          fabs(apron.edge - cut.edge) / fabs(open.edge - cut.edge), 0.5);
    below("edge against inner land, beside an open border",
          fabs(apron.edge - apron.inner) / fabs(open.edge - open.inner), 0.5);
}

static void an_apron_may_be_wider_than_the_map(void **state) {
    (void)state;
    static const int margins[] = {1, 7, 80};
    for (int i = 0; i < 3; i++) {
        scene s = scene_make(24, 17);
        rough_hills(&s, 3, 0, 50);
        rv_droplets_params p = thesis(&s);
        p.border = RV_droplets_border_apron;
        p.margin = -(float)margins[i];
        rain_on(&s, &p);
        assert_finite(&s);
        assert_greater(s.report.ledger.eroded, 0);
        assert_less(gap_of(&s, &s.report.ledger), 1e-6);
        scene_end(&s);
    }
}

/* As many drops fall on a cell of the apron as on one of the map, and where the map is narrow most
 * cells would be apron. */
static void an_apron_asks_for_few_more_drops(void **state) {
    (void)state;
    scene s = scene_make(2, 500);
    rough_hills(&s, 3, 0, 50);
    rv_droplets_params p = thesis(&s);
    p.border = RV_droplets_border_apron;
    p.drops = 3000;
    p.max_path = -1;
    for (p.margin = -1; p.margin >= -4096; p.margin *= 4) {
        rain_on(&s, &p);
        assert_less_equal(s.report.drop_steps, 9 * 3000);
        assert_greater_equal(s.report.drop_steps, 3000);
    }
    p.max_path = -4096;
    p.margin = RV_AUTO;
    rain_on(&s, &p);
    assert_less_equal((double)s.report.drop_steps, 9.0 * 3000 * 4096);
    scene_end(&s);
}

/* ---- 13. counts and extremes ---- */

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

/* ---- 14. watching and stopping ---- */

typedef struct watcher {
    int calls, seen;           /* all calls, and those that showed the land */
    int most_calls, most_seen; /* after so many it says stop; 0: never */
    double done;
    bool whole, grows;
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
    if (now->land) {
        const float *h = rv_terrain_field(now->land, "height");
        int cells = rv_terrain_width(now->land) * rv_terrain_height(now->land);
        for (int i = 0; i < cells; i++)
            w->whole = w->whole && isfinite(h[i]);
        /* What was taken from it is with the drops or gone: it never has more than before. */
        w->whole = w->whole && rv_terrain_volume(now->land) <= w->volume * (1 + 1e-6);
        w->seen++;
    }
    return w->calls != w->most_calls && (w->most_seen == 0 || w->seen < w->most_seen);
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

/* Stops when the land was seen so often, or in the midst of a round after so many calls. */
static void check_stop(int threads, int border, int limits, int most_seen, int most_calls) {
    watcher w = watcher_of(INFINITY);
    scene s = scene_with(watched_context(threads, &w), 96, 96);
    rough_hills(&s, 3, 100, 500);
    limit(&s, layers_or(limits));
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
    if (most_seen > 0) {
        assert_int_equal(w.seen, most_seen);
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
        limit(&s, layers_or(LAYERS));
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

static void batch_refuses_layers(void **state) {
    (void)state;
    scene s = scene_make(20, 20);
    limit(&s, LAYERS);
    rv_droplets_params p = thesis(&s);
    assert_int_equal(rv_step_run(s.land, RV_STEP_droplets, &p, NULL), RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(s.ctx), "one layer"));
    scene_end(&s);
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
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(no_seam_shows),
        cmocka_unit_test(no_axis_is_preferred),
        cmocka_unit_test(drops_fall_where_the_rain_is_white),
        cmocka_unit_test(black_rain_is_an_error),
        cmocka_unit_test(white_rain_fits_the_widest_map),
        cmocka_unit_test(the_blend_keeps_the_sum),
        cmocka_unit_test(the_blend_smooths),
        cmocka_unit_test(without_blend_the_blur_does_not_matter),
        cmocka_unit_test(an_apron_keeps_the_edge_from_draining),
        cmocka_unit_test(an_apron_may_be_wider_than_the_map),
        cmocka_unit_test(an_apron_asks_for_few_more_drops),
        cmocka_unit_test(no_drops_change_nothing),
        cmocka_unit_test(drops_make_at_most_max_path_steps),
        cmocka_unit_test(drops_fall_evenly),
        cmocka_unit_test(drops_fall_where_they_fell_on_a_larger_map),
        cmocka_unit_test(extremes_stay_finite),
        cmocka_unit_test(a_run_that_is_stopped_leaves_whole_land),
        cmocka_unit_test(watching_does_not_change_the_land),
    };
    const struct CMUnitTest of_batch[] = {
        cmocka_unit_test(nothing_vanishes),
        cmocka_unit_test(a_given_floor_is_kept),
        cmocka_unit_test(hard_rock_is_not_worn),
        cmocka_unit_test(land_that_is_all_hard_keeps_its_bits),
        cmocka_unit_test(half_a_mask_lets_less_happen),
        cmocka_unit_test(a_pit_becomes_shallower),
        cmocka_unit_test(a_drop_that_must_climb_fills_the_pit),
        cmocka_unit_test(a_drop_digs_no_hole),
        cmocka_unit_test(a_drop_takes_what_the_equations_say),
        cmocka_unit_test(at_the_edge_a_drop_takes_as_much),
        cmocka_unit_test(with_full_inertia_a_drop_never_turns),
        cmocka_unit_test(without_inertia_a_drop_runs_down_the_gradient),
        cmocka_unit_test(on_a_plateau_drops_run_anywhere_and_take_nothing),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(drops_fall_where_the_rain_is_white),
        cmocka_unit_test(black_rain_is_an_error),
        cmocka_unit_test(no_drops_change_nothing),
        cmocka_unit_test(drops_make_at_most_max_path_steps),
        cmocka_unit_test(drops_fall_evenly),
        cmocka_unit_test(drops_fall_where_they_fell_on_a_larger_map),
        cmocka_unit_test(extremes_stay_finite),
        cmocka_unit_test(a_run_that_is_stopped_leaves_whole_land),
        cmocka_unit_test(batch_refuses_layers),
    };
    int failed = cmocka_run_group_tests_name("droplets", tests, NULL, NULL);
    order = RV_droplets_order_batch;
    return failed + cmocka_run_group_tests_name("droplets order=batch", of_batch, NULL, NULL);
}
