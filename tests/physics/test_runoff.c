/* What must hold for runoff: water and ground are kept, levels never overshoot, a lake stays still,
 * and neither directions, strips nor threads show in the land, and floors become even. Figures that
 * a bound is set for are printed. */
#include "wear_scene.h"

static rv_runoff_params rain(int rounds) {
    rv_runoff_params p = rv_runoff_params_default();
    p.rounds = rounds;
    return p;
}

/* ---- 1. nothing vanishes ---- */

static double water_gap(const scene *s) {
    const rv_water *w = &s->report.water;
    double all = w->before + w->rained;
    double gap = fabs(all - w->evaporated - w->absorbed - w->left_map - w->standing);
    double stands = 0;
    for (size_t i = 0; i < s->cells; i++)
        stands += (double)field(s, "water")[i] * 100;
    gap = fmax(gap, fabs(stands - w->standing));
    return all > 0 ? gap / all : gap > 0 ? INFINITY : 0;
}

static void check_mass(float base) {
    static const int limits[] = {0, MASK, HARD, LAYERS, MASK | HARD, MASK | HARD | LAYERS};
    double worst = 0, worst_water = 0;
    for (int run = 0; run < 24; run++) {
        scene s = scene_make(36, 40);
        hills(&s, 3, base, 100);
        limit(&s, limits[run / 4]);
        if (run % 3 == 0) { /* something stands on the land already */
            draw(&s, "water", stripes);
            draw(&s, "sediment", turned_stripes);
        }
        rv_runoff_params p = rain(40);
        p.border = run % 2;
        p.neighbours = run / 2 % 2;
        p.every = run % 5;
        wear(&s, RV_STEP_runoff, &p);
        assert_greater(s.report.ledger.eroded, 0);
        if (p.border == RV_runoff_border_wall) {
            assert_equal(s.report.ledger.left_map, 0);
            assert_equal(s.report.water.left_map, 0);
        }
        assert_sound(&s);
        worst = fmax(worst, ledger_gap(&s));
        worst_water = fmax(worst_water, water_gap(&s));
        scene_end(&s);
    }
    below("largest gap of a ledger", worst, 1e-6);
    below("largest gap of the water", worst_water, 1e-6);
}

static void nothing_vanishes(void **state) {
    (void)state;
    check_mass(0);
}

static void nothing_vanishes_on_a_high_base(void **state) {
    (void)state;
    check_mass(5000);
}

static void nothing_vanishes_in_a_long_run(void **state) {
    (void)state;
    scene s = scene_make(36, 36);
    hills(&s, 3, 0, 300);
    rv_runoff_params p = rain(3000);
    wear(&s, RV_STEP_runoff, &p);
    below("gap of the ledger", ledger_gap(&s), 1e-6);
    below("gap of the water", water_gap(&s), 1e-6);
    scene_end(&s);
}

/* A round takes less from a cell than a height of 5000 m can show. */
static void small_amounts_count_on_high_land(void **state) {
    (void)state;
    double taken[2];
    for (int high = 0; high < 2; high++) {
        scene s = scene_make(32, 32);
        hills(&s, 3, high ? 8000 : 0, 100);
        rv_runoff_params p = rain(400);
        p.water = 0.0002f;
        p.floor = -1e9f;
        wear(&s, RV_STEP_runoff, &p);
        taken[high] = s.report.ledger.eroded;
        scene_end(&s);
    }
    below("how much the base changes what is taken", fabs(taken[1] / taken[0] - 1), 0.05);
}

/* ---- 2. water ---- */

static float rough_bed(const scene *s, int x, int y) {
    (void)s;
    return 40 + 30 * sinf(0.3f * (float)x) * cosf(0.23f * (float)y) + 0.37f * (float)((x * y) % 5);
}

static const float LAKE = 83.21f;

static float lake_water(const scene *s, int x, int y) {
    float depth = LAKE - rough_bed(s, x, y);
    return depth > 0 ? depth : 0;
}

static float a_metre(const scene *s, int x, int y) {
    (void)s, (void)x, (void)y;
    return 1;
}

/* Of water that cannot run away each round leaves the share that does not evaporate. */
static void a_pond_dries_up_at_its_rate(void **state) {
    (void)state;
    scene s = scene_make(23, 17);
    draw(&s, "water", a_metre);
    rv_runoff_params p = rain(12);
    p.water = 0;
    p.evaporation = 0.1f;
    p.border = RV_runoff_border_wall;
    wear(&s, RV_STEP_runoff, &p);
    double left = pow(0.9, 12), volume = 100 * (double)s.cells;
    for (size_t i = 0; i < s.cells; i++)
        assert_near(field(&s, "water")[i], left, 1e-5);
    assert_near(s.report.water.standing, left * volume, 1e-5 * volume);
    assert_near(s.report.water.evaporated, (1 - left) * volume, 1e-5 * volume);
    scene_end(&s);
}

/* The ground absorbs so much of it each round, and no more than there is. */
static void a_pond_seeps_away(void **state) {
    (void)state;
    for (int rounds = 4; rounds <= 12; rounds += 8) {
        scene s = scene_make(23, 17);
        draw(&s, "water", a_metre);
        rv_runoff_params p = rain(rounds);
        p.water = 0;
        p.evaporation = 0;
        p.infiltration = 0.125f;
        p.border = RV_runoff_border_wall;
        wear(&s, RV_STEP_runoff, &p);
        double left = rounds == 4 ? 0.5 : 0, volume = 100 * (double)s.cells;
        for (size_t i = 0; i < s.cells; i++)
            assert_equal(field(&s, "water")[i], left);
        assert_near(s.report.water.absorbed, (1 - left) * volume, 1e-6 * volume);
        assert_equal(s.report.water.evaporated, 0);
        assert_less(water_gap(&s), 1e-6);
        scene_end(&s);
    }
}

static void a_lake_at_rest_stays_at_rest(void **state) {
    (void)state;
    for (int neighbours = 0; neighbours < 2; neighbours++) {
        scene s = scene_make(61, 47);
        draw(&s, "height", rough_bed);
        draw(&s, "water", lake_water);
        rv_runoff_params p = rain(100);
        p.water = p.evaporation = 0;
        p.border = RV_runoff_border_wall;
        p.neighbours = neighbours;
        float *depth = from_formula(&s, lake_water);
        wear(&s, RV_STEP_runoff, &p);
        assert_true(same_bits(&s, "height", s.before));
        assert_true(same_bits(&s, "water", depth));
        free(depth);
        scene_end(&s);
    }
}

static float column(const scene *s, int x, int y) {
    return x == s->width / 3 && y == s->height / 3 ? 500.0f : 0.0f;
}

/* The level of a cell stays within the levels around it, and in the end water is level. */
static void levels_never_overshoot(void **state) {
    (void)state;
    scene s = scene_make(32, 32);
    draw(&s, "height", rough_bed);
    draw(&s, "water", column);
    rv_runoff_params p = rain(1);
    p.water = p.evaporation = p.capacity = 0;
    p.border = RV_runoff_border_wall;
    float *level = calloc(s.cells, sizeof(float));
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < s.cells; i++)
            level[i] = field(&s, "height")[i] + field(&s, "water")[i];
        wear(&s, RV_STEP_runoff, &p);
        for (int y = 0; y < 32; y++)
            for (int x = 0; x < 32; x++) {
                float low = level[y * 32 + x], high = low, now;
                for (int n = 0; n < 9; n++) {
                    int nx = x + n % 3 - 1, ny = y + n / 3 - 1;
                    if (nx < 0 || ny < 0 || nx > 31 || ny > 31)
                        continue;
                    low = fminf(low, level[ny * 32 + nx]);
                    high = fmaxf(high, level[ny * 32 + nx]);
                }
                now = field(&s, "height")[y * 32 + x] + field(&s, "water")[y * 32 + x];
                assert_greater_equal(now, low - 1e-4f);
                assert_less_equal(now, high + 1e-4f);
            }
    }
    free(level);
    scene_end(&s);
}

static float tilted_water(const scene *s, int x, int y) {
    (void)s;
    return 100 + (float)x + 0.5f * (float)y;
}

static void water_becomes_level(void **state) {
    (void)state;
    scene s = scene_make(24, 24);
    draw(&s, "height", rough_bed);
    draw(&s, "water", tilted_water);
    rv_runoff_params p = rain(3000);
    p.water = p.evaporation = p.capacity = 0;
    p.border = RV_runoff_border_wall;
    wear(&s, RV_STEP_runoff, &p);
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < s.cells; i++) {
        float level = field(&s, "height")[i] + field(&s, "water")[i];
        low = fminf(low, level);
        high = fmaxf(high, level);
    }
    below("metres between the highest and the lowest level", (double)(high - low), 0.02);
    scene_end(&s);
}

static float north_white(const scene *s, int x, int y) {
    (void)x;
    return y < s->height / 2 ? 1.0f : 0.0f;
}

static void it_rains_where_the_image_is_white(void **state) {
    (void)state;
    scene s = scene_make(40, 40);
    draw(&s, "height", north_white);
    rv_save_params save = rv_save_params_default();
    save.file = "rain.png";
    save.low = 0;
    save.high = 1;
    support_ok(s.ctx, rv_step_run(s.land, RV_STEP_save, &save, NULL));
    draw(&s, "height", column); /* all but flat */
    rv_runoff_params p = rain(1);
    p.rain = "rain.png";
    p.evaporation = 0;
    wear(&s, RV_STEP_runoff, &p);
    assert_equal(field(&s, "water")[5 * 40 + 30], p.water);
    assert_equal(field(&s, "water")[35 * 40 + 30], 0);
    below("gap of what it rained",
          fabs(s.report.water.rained / ((double)p.water * 40 * 20 * 100) - 1), 1e-6);
    scene_end(&s);
}

static void rain_comes_as_often_as_asked(void **state) {
    (void)state;
    static const int every[] = {0, 1, 3, 10, 11}, times[] = {1, 10, 4, 1, 1};
    for (int k = 0; k < 5; k++) {
        scene s = scene_make(32, 32);
        hills(&s, 1, 0, 100);
        rv_runoff_params p = rain(10);
        p.every = every[k];
        wear(&s, RV_STEP_runoff, &p);
        double one_rain = (double)p.water * 1024 * 100;
        below("gap of what it rained", fabs(s.report.water.rained / one_rain / times[k] - 1), 1e-5);
        scene_end(&s);
    }
}

/* ---- 3. downhill ---- */

static void material_moves_down_the_slope(void **state) {
    (void)state;
    for (int run = 0; run < 4; run++) {
        scene s = scene_make(64, 64);
        if (run % 2)
            hills(&s, 6, 0, 300);
        else
            draw(&s, "height", east_slope);
        rv_runoff_params p = rain(200);
        p.border = run % 2 ? RV_runoff_border_open : RV_runoff_border_wall;
        p.neighbours = run / 2;
        wear(&s, RV_STEP_runoff, &p);
        above("metres that material came down by",
              mean_height(&s, "eroded") - mean_height(&s, "deposited"), 5);
        scene_end(&s);
    }
}

static void flow_grows_down_a_valley(void **state) {
    (void)state;
    scene s = scene_make(96, 33);
    draw(&s, "height", valley);
    rv_runoff_params p = rain(300);
    p.softness = p.evaporation = 0;
    p.water = 0.0001f;
    wear(&s, RV_STEP_runoff, &p);
    double upstream = 0;
    for (int part = 0; part < 6; part++) {
        double flow = 0;
        for (int x = 0; x < 16; x++)
            flow += (double)field(&s, "flow")[16 * s.width + part * 16 + x];
        if (part > 0)
            above("flow in the next part of the valley, as a multiple", flow / upstream, 1.1);
        upstream = flow;
    }
    scene_end(&s);
}

static void a_pit_fills(void **state) {
    (void)state;
    scene s = scene_make(64, 64);
    draw(&s, "height", bowl);
    double depth = pit_depth(&s);
    rv_runoff_params p = rain(600);
    wear(&s, RV_STEP_runoff, &p);
    below("depth of the pit, as a share", pit_depth(&s) / depth, 0.5);
    scene_end(&s);
}

/* ---- 4. the same in every direction ---- */

static const char *const all_fields[] = {"height", "water",  "sediment",
                                         "flow",   "eroded", "deposited"};

/* Where cell (x, y) of the turned map comes from: bit 0 flips x, bit 1 flips y, bit 2 swaps them.
 */
static size_t source(int turn, int x, int y, int width, int height) {
    int sx = turn & 4 ? y : x, sy = turn & 4 ? x : y;
    sx = turn & 1 ? width - 1 - sx : sx;
    sy = turn & 2 ? height - 1 - sy : sy;
    return (size_t)(sy * width + sx);
}

static void copy_turned(const scene *from, scene *to, const char *name, int turn) {
    float *values = calloc(to->cells, sizeof(float));
    for (int y = 0; y < to->height; y++)
        for (int x = 0; x < to->width; x++)
            values[y * to->width + x] =
                field(from, name)[source(turn, x, y, from->width, from->height)];
    support_ok(to->ctx, rv_terrain_field_set(to->land, name, values));
    free(values);
}

static void check_turned(const scene *from, const scene *to, int turn) {
    for (size_t f = 0; f < sizeof all_fields / sizeof all_fields[0]; f++)
        for (int y = 0; y < to->height; y++)
            for (int x = 0; x < to->width; x++) {
                float a = field(from, all_fields[f])[source(turn, x, y, from->width, from->height)];
                float b = field(to, all_fields[f])[y * to->width + x];
                if (memcmp(&a, &b, sizeof a) != 0)
                    fail_msg("turn %d: %s at %d %d is %.9g, not %.9g", turn, all_fields[f], x, y,
                             (double)b, (double)a);
            }
}

static void a_turned_map_wears_to_the_turned_result(void **state) {
    (void)state;
    for (int run = 0; run < 8; run++)
        for (int turn = 1; turn < 8; turn++) {
            int w = run == 7 ? 251 : 29, h = run == 7 ? 12 : 23; /* more than one strip */
            scene a = scene_make(w, h);
            scene b = turn & 4 ? scene_make(h, w) : scene_make(w, h);
            hills(&a, 5, 0, 200);
            copy_turned(&a, &b, "height", turn);
            if (run & 4) {
                draw(&a, "mask", across);
                draw(&a, "hardness", down);
                copy_turned(&a, &b, "mask", turn);
                copy_turned(&a, &b, "hardness", turn);
            }
            rv_runoff_params p = rain(16);
            p.neighbours = run & 1;
            p.border = run >> 1 & 1;
            wear(&a, RV_STEP_runoff, &p);
            wear(&b, RV_STEP_runoff, &p);
            check_turned(&a, &b, turn);
            scene_end(&a);
            scene_end(&b);
        }
}

static void threads_do_not_show(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 7};
    for (int layers = 0; layers < 2; layers++) {
        uint64_t first = 0;
        rv_report one_thread = {0};
        for (int t = 0; t < 4; t++) {
            scene s = scene_with(support_context(threads[t]), 251, 40);
            hills(&s, 2, 0, 300);
            limit(&s, layers ? LAYERS | MASK : 0);
            rv_runoff_params p = rain(20);
            wear(&s, RV_STEP_runoff, &p);
            uint64_t hash = rv_terrain_hash(s.land);
            assert_true(t == 0 || hash == first);
            assert_true(t == 0 || s.report.ledger.eroded == one_thread.ledger.eroded);
            assert_true(t == 0 || s.report.water.evaporated == one_thread.water.evaporated);
            first = hash;
            one_thread = s.report;
            scene_end(&s);
        }
    }
}

/* ---- 5. limits ---- */

static void masked_land_keeps_its_bits(void **state) {
    (void)state;
    for (int run = 0; run < 8; run++) {
        scene s = scene_make(64, 64);
        hills(&s, 5, 100, 500);
        limit(&s, run & 4 ? LAYERS : 0);
        draw(&s, "mask", half);
        rv_runoff_params p = rain(80);
        p.border = run & 1;
        p.neighbours = run >> 1 & 1;
        wear(&s, RV_STEP_runoff, &p);
        double moved = 0;
        for (int i = 0; i < (int)s.cells; i++) {
            if (i % s.width < 32)
                assert_memory_equal(&s.before[i], &field(&s, "height")[i], sizeof(float));
            moved += fabs((double)field(&s, "height")[i] - (double)s.before[i]);
        }
        assert_greater(moved, 0);
        scene_end(&s);
    }
}

static void hard_land_keeps_its_bits(void **state) {
    (void)state;
    for (int layers = 0; layers < 2; layers++) {
        scene s = scene_make(64, 64);
        hills(&s, 5, 100, 500);
        limit(&s, layers ? LAYERS : 0);
        draw(&s, "hardness", one);
        rv_runoff_params p = rain(80);
        wear(&s, RV_STEP_runoff, &p);
        assert_true(same_bits(&s, "height", s.before));
        assert_equal(s.report.ledger.eroded, 0);
        assert_equal(s.report.ledger.deposited, 0);
        scene_end(&s);
    }
}

static float thin(const scene *s, int x, int y) {
    return 0.5f * one(s, x, y);
}

/* Half a metre of sand is gone, and the rock below it is worn; rock that nothing can wear stays. */
static void water_cuts_through_layers(void **state) {
    (void)state;
    for (int hard = 0; hard < 2; hard++) {
        scene s = scene_make(64, 64);
        hills(&s, 5, 100, 500);
        add_layer(&s, "rock", hard ? 0.0f : 0.5f, thin);
        add_layer(&s, "sand", 1, thin);
        float *bed = calloc(s.cells, sizeof(float));
        memcpy(bed, rv_terrain_layer_thickness(s.land, 0), s.cells * sizeof(float));
        rv_runoff_params p = rain(300);
        wear(&s, RV_STEP_runoff, &p);
        double sand_gone = 0, rock_gone = 0, bed_lost = 0;
        for (size_t i = 0; i < s.cells; i++) {
            sand_gone += rv_terrain_layer_thickness(s.land, 2)[i] == 0;
            rock_gone += rv_terrain_layer_thickness(s.land, 1)[i] == 0;
            bed_lost += (double)(bed[i] - rv_terrain_layer_thickness(s.land, 0)[i]);
            assert_less_equal(rv_terrain_layer_thickness(s.land, 0)[i], bed[i]);
            if (rv_terrain_layer_thickness(s.land, 1)[i] < 0.5f - 1e-4f)
                assert_greater_equal(field(&s, "eroded")[i], 0.5f); /* the sand went first */
        }
        above("cells without sand", sand_gone, 100);
        if (hard) {
            assert_equal(rock_gone, 0);
            assert_equal(bed_lost, 0);
        } else {
            above("cells without rock", rock_gone, 10);
            above("metres of bedrock worn", bed_lost, 1);
        }
        below("gap of the ledger", ledger_gap(&s), 1e-6);
        free(bed);
        scene_end(&s);
    }
}

static void land_does_not_sink_below_the_floor(void **state) {
    (void)state;
    static const float floors[] = {RV_AUTO, 50, 123.4f, -1e9f};
    for (int k = 0; k < 8; k++) {
        scene s = scene_make(32, 32);
        hills(&s, 1, 0, 300);
        limit(&s, k & 4 ? LAYERS : 0);
        rv_runoff_params p = rain(200);
        p.floor = floors[k % 4];
        p.capacity = 200;
        p.softness = 1;
        wear(&s, RV_STEP_runoff, &p);
        float floor = isnan(p.floor) ? lowest(s.before, s.cells) : p.floor;
        for (size_t i = 0; i < s.cells; i++) {
            float least = s.before[i] < floor ? s.before[i] : floor;
            assert_greater_equal(field(&s, "height")[i], least);
        }
        scene_end(&s);
    }
}

/* ---- 6. rounds ---- */

/* Metres between the land of one run and that of two halves. */
static double apart_in_halves(int rounds, float width) {
    scene a = scene_make(48, 48), b = scene_make(48, 48);
    hills(&a, 4, 0, 200);
    hills(&b, 4, 0, 200);
    rv_runoff_params whole = rain(rounds), part = rain(rounds / 2);
    whole.width = part.width = width;
    wear(&a, RV_STEP_runoff, &whole);
    wear(&b, RV_STEP_runoff, &part);
    wear(&b, RV_STEP_runoff, &part);
    below("gap of the second ledger", ledger_gap(&b), 1e-6);
    double apart = 0;
    for (size_t i = 0; i < a.cells; i++)
        apart = fmax(apart, fabs((double)field(&a, "height")[i] - (double)field(&b, "height")[i]));
    scene_end(&a);
    scene_end(&b);
    return apart;
}

/* Water and sediment are taken up by the next run: twice ten rounds are twenty, up to rounding.
 * Over the width of a channel ground is taken every 16 rounds, before the rain of the next run. */
static void a_run_goes_on_where_the_last_ended(void **state) {
    (void)state;
    below("metres between one run and two halves", apart_in_halves(60, 0), 1e-3);
    below("metres between one run and two halves", apart_in_halves(64, 60), 0.02);
}

static double stopped_at;

static bool stop(void *user, const rv_progress *now) {
    (void)user;
    if (now->land && now->done > 0.2) {
        stopped_at = now->done;
        return false;
    }
    return true;
}

/* Metres between the land of a stopped run and that of one with so many rounds. */
static double apart_when_stopped(float width) {
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 2;
    desc.progress = stop;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    scene a = scene_with(ctx, 40, 40), b = scene_make(40, 40);
    hills(&a, 4, 0, 200);
    hills(&b, 4, 0, 200);
    stopped_at = 0;
    rv_runoff_params p = rain(4000);
    p.width = width;
    assert_int_equal(wear_status(&a, RV_STEP_runoff, &p), RV_CANCELLED);
    assert_greater(stopped_at, 0);
    below("gap of the ledger", ledger_gap(&a), 1e-6);
    below("gap of the water", water_gap(&a), 1e-6);
    p.rounds = (int)(stopped_at * 4000 + 0.5);
    wear(&b, RV_STEP_runoff, &p);
    if (width == 0) {
        assert_true(same_bits(&b, "height", field(&a, "height")));
        assert_true(same_bits(&b, "deposited", field(&a, "deposited")));
    }
    double apart = 0;
    for (size_t i = 0; i < a.cells; i++)
        apart = fmax(apart, fabs((double)field(&a, "height")[i] - (double)field(&b, "height")[i]));
    scene_end(&a);
    scene_end(&b);
    return apart;
}

/* Slopes too small for floats count as none: all ground is steep enough. */
static void the_smallest_slopes_are_none(void **state) {
    (void)state;
    static const float slopes[] = {0.0f, 1e-45f, 1e-40f, 1e-38f, 1e-33f};
    uint64_t first = 0;
    for (int i = 0; i < 5; i++) {
        scene s = scene_make(40, 20);
        rv_noise_params noise = rv_noise_params_default();
        support_ok(s.ctx, rv_step_run(s.land, RV_STEP_noise, &noise, NULL));
        rv_runoff_params p = rv_runoff_params_default();
        p.rounds = 8;
        p.full_slope = slopes[i];
        support_ok(s.ctx, rv_step_run(s.land, RV_STEP_runoff, &p, NULL));
        first = i ? first : rv_terrain_hash(s.land);
        assert_equal(rv_terrain_hash(s.land), first);
        scene_end(&s);
    }
}

/* Half a metre of fall from cell to cell, to the south. */
static float even_slope(const scene *s, int x, int y) {
    (void)x;
    return 0.5f * (float)(s->height - y);
}

/* What a round takes from the middle of an even slope on which so much water runs. */
static double taken_by(float water, float full_flow) {
    scene s = scene_make(15, 15);
    draw(&s, "height", even_slope);
    rv_runoff_params p = rain(1);
    p.water = water;
    p.width = 0;
    p.travel = -1; /* cells */
    p.full_slope = 0;
    p.full_flow = full_flow;
    p.capacity = 1;
    p.softness = 0.1f;
    wear(&s, RV_STEP_runoff, &p);
    double taken = -(double)s.change[7 * 15 + 7];
    scene_end(&s);
    return taken;
}

/* Below full_flow a quarter of the water carries half as much for each metre, an eighth in all;
 * from there on, and with full_flow=0, each metre carries the same. */
static void gathered_water_carries_more(void **state) {
    (void)state;
    assert_near(taken_by(0.04f, 1) / taken_by(0.01f, 1), 8, 0.05);
    assert_near(taken_by(0.04f, 0.01f) / taken_by(0.01f, 0.01f), 4, 0.03);
    assert_near(taken_by(0.04f, 0) / taken_by(0.01f, 0), 4, 0.03);
    assert_near(taken_by(0.04f, 0) / taken_by(0.04f, 0.04f), 1, 1e-3);
    assert_near(taken_by(0.04f, 0) / taken_by(0.04f, 0.16f), 2, 0.01);
}

/* A metre of fall in two cells, to the south, and water on each column or on every third. */
static float one_column_in_three(const scene *s, int x, int y) {
    (void)s, (void)y;
    return x % 3 == 1 ? 0.003f : 0;
}

static float as_much_everywhere(const scene *s, int x, int y) {
    (void)s, (void)x, (void)y;
    return 0.001f;
}

static double taken_by_columns(formula water, float width) {
    scene s = scene_make(30, 30);
    draw(&s, "height", even_slope);
    draw(&s, "water", water);
    rv_runoff_params p = rain(1);
    p.water = 0;
    p.width = width;
    p.full_flow = 0.1f;
    p.capacity = 1000;
    p.softness = 0.1f;
    p.floor = -1e9f;
    p.neighbours = RV_runoff_neighbours_4;
    wear(&s, RV_STEP_runoff, &p);
    double taken = s.report.ledger.eroded;
    scene_end(&s);
    return taken;
}

/* What counts is how much flows over the width of a channel, not how it gathers within it. */
static void water_gathers_over_the_width_of_a_channel(void **state) {
    (void)state;
    double even = taken_by_columns(as_much_everywhere, 120);
    assert_near(taken_by_columns(one_column_in_three, 120) / even, 1, 0.05);
    even = taken_by_columns(as_much_everywhere, 0);
    assert_near(taken_by_columns(one_column_in_three, 0) / even, sqrt(3), 0.05);
}

/* Hills in the north, of other shape for each seed, and at their feet a floor that falls to the
 * south, rough by 5 cm. */
static void draw_floor(scene *s, int seed, float cell, float slope) {
    float *z = calloc(s->cells, sizeof *z);
    assert_non_null(z);
    float foot = 0.4f * (float)s->height;
    uint32_t random = (uint32_t)seed * 2654435761u + 1u;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            float above = fmaxf(foot - (float)y, 0) * cell, share = above / (foot * cell);
            float to_east = (float)x * cell / 45, wave = 0;
            for (int k = 1; k < 4; k++)
                wave += sinf((float)k * to_east + (float)(y * k) * cell / 40 + (float)(seed * k)) /
                        (float)k;
            random = random * 1664525u + 1013904223u;
            z[y * s->width + x] = (float)(s->height - y) * cell * slope + above * 0.7f +
                                  8 * share * wave + ((float)(random >> 8) * 0x1p-24f - 0.5f) / 10;
        }
    support_ok(s->ctx, rv_terrain_field_set(s->land, "height", z));
    free(z);
}

/* By how much the ground of the floor differs from the mean of 5 x 5 cells: rms in metres. */
static double floor_rough(const scene *s) {
    const float *z = field(s, "height");
    double sum = 0;
    int count = 0;
    for (int y = s->height / 2; y < s->height - 6; y++)
        for (int x = 6; x < s->width - 6; x++, count++) {
            double mean = 0, here = (double)z[y * s->width + x];
            for (int dy = -2; dy <= 2; dy++)
                for (int dx = -2; dx <= 2; dx++)
                    mean += (double)z[(y + dy) * s->width + x + dx] / 25;
            sum += (here - mean) * (here - mean);
        }
    return sqrt(sum / count);
}

/* How many times as rough it is after a run. */
static double rougher(int seed, int side, float cell, float slope, float water) {
    scene s = scene_of_cells(support_context(2), side, side, cell);
    draw_floor(&s, seed, cell, slope);
    double before = floor_rough(&s);
    rv_runoff_params p = rv_runoff_params_default();
    p.water = water;
    wear(&s, RV_STEP_runoff, &p);
    above("deposited, m3", s.report.ledger.deposited, 10000);
    double after = floor_rough(&s);
    scene_end(&s);
    return after / before;
}

/* Deposits make floors even: no rills along the flow, a few cells wide, and no bars across it. */
static void floors_become_even(void **state) {
    (void)state;
    for (int seed = 1; seed <= (support_short() ? 1 : 5); seed++) {
        below("rills: times as rough as before", rougher(seed, 96, 5, 0.02f, 0.001f), 0.8);
        below("bars: times as rough as before", rougher(seed, 160, 10, 0.06f, 0.003f), 0.8);
    }
}

static void a_stopped_run_is_whole(void **state) {
    (void)state;
    assert_equal(apart_when_stopped(0), 0);
    /* The rain of the round that did not run makes a difference. */
    below("metres between a stopped run and a shorter one", apart_when_stopped(60), 0.02);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_vanishes),
        cmocka_unit_test(nothing_vanishes_on_a_high_base),
        cmocka_unit_test(nothing_vanishes_in_a_long_run),
        cmocka_unit_test(small_amounts_count_on_high_land),
        cmocka_unit_test(a_pond_dries_up_at_its_rate),
        cmocka_unit_test(a_pond_seeps_away),
        cmocka_unit_test(a_lake_at_rest_stays_at_rest),
        cmocka_unit_test(levels_never_overshoot),
        cmocka_unit_test(water_becomes_level),
        cmocka_unit_test(it_rains_where_the_image_is_white),
        cmocka_unit_test(rain_comes_as_often_as_asked),
        cmocka_unit_test(material_moves_down_the_slope),
        cmocka_unit_test(flow_grows_down_a_valley),
        cmocka_unit_test(a_pit_fills),
        cmocka_unit_test(a_turned_map_wears_to_the_turned_result),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(masked_land_keeps_its_bits),
        cmocka_unit_test(hard_land_keeps_its_bits),
        cmocka_unit_test(water_cuts_through_layers),
        cmocka_unit_test(land_does_not_sink_below_the_floor),
        cmocka_unit_test(a_run_goes_on_where_the_last_ended),
        cmocka_unit_test(the_smallest_slopes_are_none),
        cmocka_unit_test(gathered_water_carries_more),
        cmocka_unit_test(water_gathers_over_the_width_of_a_channel),
        cmocka_unit_test(floors_become_even),
        cmocka_unit_test(a_stopped_run_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
