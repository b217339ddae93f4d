/* test_thermal.c: what sliding ground must do: keep its mass, come to rest at its talus angle, and
 * treat all directions alike. */
#include "land_measures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEG (3.14159265358979 / 180.0)

static rv_thermal_params with(const char *words) {
    rv_context *ctx = support_context(1);
    char text[256];
    snprintf(text, sizeof text, "terrain size=2 thermal %s", words);
    rv_recipe *recipe;
    support_ok(ctx, rv_recipe_parse(ctx, text, "test", &recipe));
    rv_thermal_params p;
    memcpy(&p, rv_recipe_params(recipe, 1), sizeof p);
    rv_recipe_destroy(recipe);
    rv_context_destroy(ctx);
    return p;
}

static rv_terrain *hills(rv_context *ctx, int w, int h, float cell) {
    rv_terrain *land = support_land(ctx, w, h, cell);
    rv_noise_params noise = rv_noise_params_default();
    noise.frequency = 5.0f * 10.0f / cell;
    noise.relief = 40.0f * cell;
    noise.seed = 5;
    support_ok(ctx, rv_step_run(land, RV_STEP_noise, &noise, NULL));
    return land;
}

/* The steepest fall to a neighbour, in degrees, and beyond the talus of the layer that lies open.
 */
static double steepest(const rv_terrain *land, int neighbours, float talus, double *beyond) {
    int w = rv_terrain_width(land), h = rv_terrain_height(land);
    double cell = (double)rv_terrain_cell(land), worst = -90.0;
    const float *z = rv_terrain_field(land, "height");
    *beyond = -90.0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int l = rv_terrain_layer_count(land) - 1;
            while (l > 0 && !(rv_terrain_layer_thickness(land, l)[y * w + x] > 0.0f))
                l--;
            double stands = isnan(talus) ? (double)rv_terrain_layer(land, l).talus : (double)talus;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int nx = x + dx, ny = y + dy;
                    if ((dx == 0 && dy == 0) || (neighbours == 4 && dx != 0 && dy != 0) || nx < 0 ||
                        ny < 0 || nx >= w || ny >= h)
                        continue;
                    double fall = (double)z[y * w + x] - (double)z[ny * w + nx];
                    double angle = atan(fall / (cell * sqrt(dx * dx + dy * dy))) / DEG;
                    worst = fmax(worst, angle);
                    *beyond = fmax(*beyond, angle - stands);
                }
        }
    return worst;
}

static void check_mass(const rv_terrain *land, double before, const rv_report *r, double off) {
    double change = rv_terrain_volume(land) - before, moved = r->ledger.eroded;
    assert_greater_equal(r->ledger.left_map, 0.0);
    assert_equal(r->ledger.suspended, 0.0);
    assert_less_equal(r->ledger.left_map, off);
    double open = moved - r->ledger.deposited - r->ledger.left_map;
    if (fabs(open) > 1e-6 * moved + 1e-9 || fabs(change + r->ledger.left_map) > 1e-6 * moved)
        fail_msg("took %.12g, laid %.12g, off %.12g, the land changed by %.12g of %.12g", moved,
                 r->ledger.deposited, r->ledger.left_map, change, before);
}

static void test_settles_at_its_angle(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const words[] = {
        "until=settled",          "until=settled talus=33", "until=settled talus=20 neighbours=4",
        "until=settled talus=60", "until=settled talus=3",  "until=settled talus=33 border=open",
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        rv_thermal_params p = with(words[i]);
        rv_terrain *land = hills(ctx, 60, 50, 10.0f);
        double before = rv_terrain_volume(land), beyond;
        rv_report r;
        support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &p, &r));
        int neighbours = p.neighbours == RV_thermal_neighbours_8 ? 8 : 4;
        steepest(land, neighbours, p.talus, &beyond);
        if (beyond > 0.5)
            fail_msg("%s: %.3f degrees too steep", words[i], beyond);
        assert_greater(r.ledger.eroded, 0.0);
        check_mass(land, before, &r, p.border == RV_thermal_border_open ? 1e12 : 0.0);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* Of a map of some size not even a billionth is lost. */
static void test_nothing_is_lost(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const words[] = {"until=settled", "talus=20 rounds=100"};
    for (size_t i = 0; i < 2; i++) {
        rv_thermal_params p = with(words[i]);
        rv_terrain *land = support_run(ctx, "terrain size=120 noise frequency=1.6");
        double before = rv_terrain_volume(land);
        rv_report r;
        support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &p, &r));
        check_mass(land, before, &r, 0.0);
        assert_less_equal(fabs(rv_terrain_volume(land) - before), 1e-9 * before);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* At any cell size, with the largest rates, no height leaves the range and nothing swings: a round
 * never makes the sum of all differences larger. */
static void test_stable_at_any_size(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const float cells[] = {0.02f, 1.0f, 900.0f};
    static const char *const words[] = {"talus=0 rounds=1", "talus=0 neighbours=4 rounds=1",
                                        "talus=30 rounds=1 k=10 dt=10"};
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < 3; i++) {
            rv_thermal_params p = with(words[i]);
            rv_terrain *land = support_land(ctx, 33, 33, cells[c]);
            static float z[33 * 33];
            for (int k = 0; k < 33 * 33; k++)
                z[k] = (float)(k * 7919 % 101) * cells[c];
            support_ok(ctx, rv_terrain_field_set(land, "height", z));
            double last = 1e30;
            for (int round = 0; round < 30; round++) {
                support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &p, NULL));
                const float *now = rv_terrain_field(land, "height");
                double differences = 0.0;
                for (int k = 0; k < 33 * 33; k++) {
                    assert_greater_equal(now[k], 0.0f);
                    assert_less_equal(now[k], 100.0f * cells[c]);
                    differences += k % 33 ? fabs((double)now[k] - (double)now[k - 1]) : 0.0;
                    differences += k >= 33 ? fabs((double)now[k] - (double)now[k - 33]) : 0.0;
                }
                assert_less_equal(differences, last * (1.0 + 1e-6));
                last = differences;
            }
            rv_terrain_destroy(land);
        }
    rv_context_destroy(ctx);
}

/* ---- the cone ---- */

enum { CONE = 61 };

/* Distance at which the cone is as high as `level` in a direction, from the middle. */
static double reach(const float *z, double angle, double level) {
    double last = 1e9;
    for (double r = 0.0; r < CONE / 2 - 2; r += 0.01) {
        double x = CONE / 2 + r * cos(angle), y = CONE / 2 + r * sin(angle);
        int ix = (int)x, iy = (int)y;
        double u = x - ix, v = y - iy;
        const float *c = z + iy * CONE + ix;
        double h = ((double)c[0] * (1 - u) + (double)c[1] * u) * (1 - v) +
                   ((double)c[CONE] * (1 - u) + (double)c[CONE + 1] * u) * v;
        if (h <= level && last > level)
            return r;
        last = h;
    }
    return 0.0;
}

static rv_terrain *tower(rv_context *ctx, bool layers) {
    rv_terrain *land = support_land(ctx, CONE, CONE, 1.0f);
    static float z[CONE * CONE];
    memset(z, 0, sizeof z);
    for (int y = -2; y <= 2; y++)
        for (int x = -2; x <= 2; x++)
            z[(CONE / 2 + y) * CONE + CONE / 2 + x] = 150.0f;
    if (layers) {
        rv_layer_params rock = rv_layer_params_default(); /* on which the sand stands */
        rock.name = "bedrock";
        rock.talus = 45;
        support_ok(ctx, rv_step_run(land, RV_STEP_layer, &rock, NULL));
        rv_layer_desc sand = {.name = "sand", .erodibility = 1.0f, .talus = 35.0f};
        support_ok(ctx, rv_terrain_layer_add(land, &sand, z));
    } else {
        support_ok(ctx, rv_terrain_field_set(land, "height", z));
    }
    return land;
}

static void check_cone(bool layers, const char *words, double widest) {
    rv_context *ctx = support_context(2);
    rv_terrain *land = tower(ctx, layers);
    rv_thermal_params p = with(words);
    rv_report r;
    double before = rv_terrain_volume(land);
    support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &p, &r));
    assert_equal(rv_terrain_volume(land), before); /* to the bit */
    const float *z = rv_terrain_field(land, "height");
    double top = (double)z[CONE / 2 * CONE + CONE / 2];
    double least = 90.0, most = 0.0;
    for (int k = 0; k < 64; k++) {
        double angle = k * 5.625 * DEG, high = reach(z, angle, top * 0.8),
               low = reach(z, angle, top * 0.2);
        double slope = atan(top * 0.6 / (low - high)) / DEG;
        least = fmin(least, slope);
        most = fmax(most, slope);
        if (k % 8 == 0 && p.neighbours == RV_thermal_neighbours_8)
            assert_near(slope, 35.0, 1.0);
    }
    print_message("cone (%s): %.2f to %.2f degrees, top %.2f m\n", words, least, most, top);
    assert_greater(least, 34.0);
    assert_less(most, widest + 0.5);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Land that is brought to rest at once has its angle in all directions. Rounds count falls along
 * eight directions, so that between them ground stands steeper by 1 / cos 22.5; along four, by
 * 1 / cos 45. */
static void test_cone_of_a_tower(void **state) {
    (void)state;
    double eight = atan(tan(35.0 * DEG) / cos(22.5 * DEG)) / DEG;
    double four = atan(tan(35.0 * DEG) / cos(45.0 * DEG)) / DEG;
    check_cone(false, "until=settled talus=35", 35.0);
    check_cone(false, "until=settled talus=35 neighbours=4", 35.0);
    check_cone(true, "until=settled", eight);
    check_cone(false, "rounds=4000 talus=35", eight);
    check_cone(false, "rounds=4000 talus=35 neighbours=4", four);
}

/* ---- symmetry ---- */

enum { SIDE = 19 };

/* Where cell (x, y) goes to. */
static int turned(int how, int x, int y) {
    int tx = how & 4 ? y : x, ty = how & 4 ? x : y;
    tx = how & 1 ? SIDE - 1 - tx : tx;
    ty = how & 2 ? SIDE - 1 - ty : ty;
    return ty * SIDE + tx;
}

static void turn(int how, const float *from, float *to) {
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            to[turned(how, x, y)] = from[y * SIDE + x];
}

static rv_terrain *layered(rv_context *ctx, int how, bool layers, bool limits) {
    static float z[SIDE * SIDE], t[SIDE * SIDE];
    rv_terrain *land = hills(ctx, SIDE, SIDE, 10.0f);
    turn(how, rv_terrain_field(land, "height"), z);
    support_ok(ctx, rv_terrain_field_set(land, "height", z));
    for (int k = 0; k < SIDE * SIDE; k++)
        t[k] = (float)(k * 31 % 17) * 0.37f;
    turn(how, t, z);
    rv_layer_desc soil = {.name = "soil", .erodibility = 0.5f, .talus = 40.0f};
    rv_layer_desc sand = {.name = "sand", .erodibility = 1.0f, .talus = 30.0f};
    if (layers) {
        support_ok(ctx, rv_terrain_layer_add(land, &soil, z));
        for (int k = 0; k < SIDE * SIDE; k++)
            t[k] = k % 5 ? 0.0f : 0.3f * (float)(k % 7);
        turn(how, t, z);
        support_ok(ctx, rv_terrain_layer_add(land, &sand, z));
    }
    for (int k = 0; k < SIDE * SIDE; k++)
        t[k] = (float)(k * 13 % 11) * 0.1f;
    turn(how, t, z);
    if (limits)
        support_ok(ctx, rv_terrain_field_set(land, "hardness", z));
    for (int k = 0; k < SIDE * SIDE; k++)
        t[k] = k % 9 ? 1.0f : (float)(k % 4) * 0.25f;
    turn(how, t, z);
    if (limits)
        support_ok(ctx, rv_terrain_field_set(land, "mask", z));
    return land;
}

static void test_all_directions_are_alike(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const words[] = {
        "rounds=37",
        "rounds=20 neighbours=4",
        "rounds=20 border=open",
        "until=settled",
        "until=settled border=open talus=50",
        "until=settled neighbours=4",
        "rounds=9 method=slope",
        "rounds=9 method=slope receiver=lowest",
        "rounds=9 method=slope receiver=gradient border=open",
        "rounds=9 method=slope receiver=gradient neighbours=4",
        "rounds=9 give=top k=2.5",
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (int kind = 0; kind < 3; kind++) {
            rv_thermal_params p = with(words[i]);
            rv_terrain *plain = layered(ctx, 0, kind == 1, kind == 2);
            support_ok(ctx, rv_step_run(plain, RV_STEP_thermal, &p, NULL));
            for (int how = 1; how < 8; how++) {
                rv_terrain *land = layered(ctx, how, kind == 1, kind == 2);
                support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &p, NULL));
                static float z[SIDE * SIDE];
                for (int l = 0; l < rv_terrain_layer_count(land); l++) {
                    turn(how, rv_terrain_layer_thickness(plain, l), z);
                    if (memcmp(z, rv_terrain_layer_thickness(land, l), sizeof z) != 0)
                        fail_msg("%s: layer %d of land %d turned by %d differs", words[i], l, kind,
                                 how);
                }
                rv_terrain_destroy(land);
            }
            rv_terrain_destroy(plain);
        }
    rv_context_destroy(ctx);
}

/* ---- rates ---- */

static void test_rate_and_time(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *a = hills(ctx, 80, 80, 10.0f), *b = hills(ctx, 80, 80, 10.0f);
    rv_terrain *c = hills(ctx, 80, 80, 10.0f), *start = hills(ctx, 80, 80, 10.0f);
    rv_thermal_params p = with("talus=30 rounds=40 k=0.5");
    support_ok(ctx, rv_step_run(a, RV_STEP_thermal, &p, NULL));
    p.k *= 2.0f;
    p.dt *= 0.5f;
    support_ok(ctx, rv_step_run(b, RV_STEP_thermal, &p, NULL));
    assert_equal(rv_terrain_hash(a), rv_terrain_hash(b));
    p.k *= 0.5f;
    p.rounds *= 2;
    support_ok(ctx, rv_step_run(c, RV_STEP_thermal, &p, NULL));
    double apart = 0.0, moved = 0.0;
    for (int i = 0; i < 80 * 80; i++) {
        double now = (double)rv_terrain_field(a, "height")[i];
        apart += fabs(now - (double)rv_terrain_field(c, "height")[i]);
        moved += fabs(now - (double)rv_terrain_field(start, "height")[i]);
    }
    print_message("half the time step: %.3f %% of what moved\n", 100.0 * apart / moved);
    assert_greater(moved, 1.0);
    assert_less(apart, 0.02 * moved);
    rv_terrain_destroy(a);
    rv_terrain_destroy(b);
    rv_terrain_destroy(c);
    rv_terrain_destroy(start);
    rv_context_destroy(ctx);
}

/* ---- limits ---- */

static void test_hard_ground_gives_nothing(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const words[] = {"talus=20 rounds=50", "talus=20 until=settled",
                                        "talus=20 method=slope rounds=50"};
    for (size_t i = 0; i < 3; i++) {
        rv_terrain *land = hills(ctx, SIDE, SIDE, 10.0f), *old = hills(ctx, SIDE, SIDE, 10.0f);
        static float hard[SIDE * SIDE], mask[SIDE * SIDE];
        for (int k = 0; k < SIDE * SIDE; k++) {
            hard[k] = k % SIDE < SIDE / 2 ? 1.0f : 0.0f;
            mask[k] = k / SIDE < SIDE / 2 ? 1.0f : 0.0f;
        }
        support_ok(ctx, rv_terrain_field_set(land, "hardness", hard));
        support_ok(ctx, rv_terrain_field_set(land, "mask", mask));
        rv_thermal_params p = with(words[i]);
        rv_report r;
        double before = rv_terrain_volume(land);
        support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &p, &r));
        assert_greater(r.ledger.eroded, 0.0);
        check_mass(land, before, &r, 0.0);
        const float *now = rv_terrain_field(land, "height"), *was = rv_terrain_field(old, "height");
        for (int k = 0; k < SIDE * SIDE; k++) {
            assert_true(hard[k] == 0.0f || now[k] >= was[k]);
            assert_true(mask[k] > 0.0f || memcmp(&now[k], &was[k], sizeof now[k]) == 0);
        }
        rv_terrain_destroy(land);
        rv_terrain_destroy(old);
    }
    rv_context_destroy(ctx);
}

/* A full mask and soft rock change nothing: the general loop does as the plain one. */
static void test_full_mask_is_no_mask(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const words[] = {"talus=20 rounds=50", "talus=20 rounds=50 border=open",
                                        "talus=20 until=settled",
                                        "talus=20 rounds=10 neighbours=4 k=3"};
    for (size_t i = 0; i < 4; i++) {
        rv_terrain *a = hills(ctx, SIDE, SIDE, 10.0f), *b = hills(ctx, SIDE, SIDE, 10.0f);
        static float mask[SIDE * SIDE], hard[SIDE * SIDE];
        for (int k = 0; k < SIDE * SIDE; k++)
            mask[k] = 1.0f;
        support_ok(ctx, rv_terrain_field_set(b, "mask", mask));
        support_ok(ctx, rv_terrain_field_set(b, "hardness", hard));
        rv_thermal_params p = with(words[i]);
        support_ok(ctx, rv_step_run(a, RV_STEP_thermal, &p, NULL));
        support_ok(ctx, rv_step_run(b, RV_STEP_thermal, &p, NULL));
        if (memcmp(rv_terrain_field(a, "height"), rv_terrain_field(b, "height"), sizeof mask) != 0)
            fail_msg("%s: a full mask changes the result", words[i]);
        rv_terrain_destroy(a);
        rv_terrain_destroy(b);
    }
    rv_context_destroy(ctx);
}

/* ---- layers ---- */

static double volume_of(const rv_terrain *land, int layer) {
    double sum = 0.0;
    for (int k = 0; k < SIDE * SIDE; k++) {
        float t = rv_terrain_layer_thickness(land, layer)[k];
        assert_true(layer == 0 || t >= 0.0f);
        sum += (double)t;
    }
    return sum * 100.0;
}

static void test_each_material_keeps_its_mass(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const words[] = {"rounds=100", "rounds=100 give=top", "until=settled",
                                        "until=settled give=top", "method=slope rounds=30"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        rv_terrain *land = layered(ctx, 0, true, false);
        double before[3], all = rv_terrain_volume(land), beyond;
        for (int l = 0; l < 3; l++)
            before[l] = volume_of(land, l);
        rv_thermal_params p = with(words[i]);
        rv_report r;
        support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &p, &r));
        check_mass(land, all, &r, 0.0);
        double laid = 0.0;
        for (int l = 0; l < 3; l++) {
            rv_ledger ledger = rv_terrain_layer_ledger(land, l);
            double gained = volume_of(land, l) - before[l];
            assert_less_equal(fabs(ledger.deposited - ledger.eroded - gained),
                              1e-6 * r.ledger.eroded);
            laid += ledger.deposited;
            if (p.give == RV_thermal_give_same)
                assert_less_equal(fabs(gained), 1e-6 * r.ledger.eroded);
            else
                assert_true(l == 2 ? gained > 0.0 : gained <= 1e-9 * all);
        }
        assert_less_equal(fabs(laid - r.ledger.deposited), 1e-6 * laid);
        steepest(land, 8, NAN, &beyond);
        if (p.until == RV_thermal_until_settled && beyond > 0.5)
            fail_msg("%s: %.3f degrees too steep", words[i], beyond);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static int said;

static void listen(void *user, const char *line) {
    (void)user;
    (void)line;
    said++;
}

/* A thin layer on a steep slope slides away to the last of it, and what lies below follows. */
static void test_cuts_through_a_thin_layer(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, SIDE, SIDE, 10.0f);
    static float z[SIDE * SIDE], thin[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; k++) {
        z[k] = k % SIDE < SIDE / 2 ? 500.0f : 0.0f;
        thin[k] = 0.123f;
    }
    support_ok(ctx, rv_terrain_field_set(land, "height", z));
    rv_layer_desc sand = {.name = "sand", .erodibility = 1.0f, .talus = 30.0f};
    support_ok(ctx, rv_terrain_layer_add(land, &sand, thin));
    rv_thermal_params p = with("rounds=1");
    support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &p, NULL));
    int edge = SIDE / 2 * SIDE + SIDE / 2 - 1;
    assert_equal(rv_terrain_layer_thickness(land, 1)[edge], 0.0f);
    assert_less(rv_terrain_layer_thickness(land, 0)[edge], 500.0f);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Whatever lies on it, and over open borders, land comes to rest before the rounds run out. */
static void test_layers_come_to_rest(void **state) {
    (void)state;
    static const char *const words[] = {"until=settled border=open talus=25",
                                        "until=settled border=open", "until=settled give=top",
                                        "until=settled talus=25 neighbours=4"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        said = 0;
        rv_context_desc desc = rv_context_desc_default();
        desc.threads = 2;
        desc.log = listen;
        rv_context *ctx;
        assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
        rv_terrain *land =
            support_run(ctx, "terrain size=28 noise basis=perlin frequency=28 relief=450 "
                             "layer name=soil thickness=5 layer name=sand thickness=3");
        rv_thermal_params p = with(words[i]);
        double all = rv_terrain_volume(land), beyond;
        rv_report r;
        support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &p, &r));
        check_mass(land, all, &r, p.border == RV_thermal_border_open ? 1e12 : 0.0);
        steepest(land, p.neighbours == RV_thermal_neighbours_8 ? 8 : 4, p.talus, &beyond);
        if (said > 0 || beyond > 0.5)
            fail_msg("%s: %.3f degrees too steep, %d messages", words[i], beyond, said);
        rv_terrain_destroy(land);
        rv_context_destroy(ctx);
    }
}

/* ---- borders, gradients, stops ---- */

static void test_open_border_carries_off(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int layers = 0; layers < 2; layers++) {
        rv_terrain *land = support_land(ctx, SIDE, SIDE, 10.0f);
        static float z[SIDE * SIDE];
        for (int k = 0; k < SIDE * SIDE; k++)
            z[k] = 20.0f * (float)(k % SIDE); /* 63 degrees down to the west edge */
        support_ok(ctx, rv_terrain_field_set(land, "height", z));
        if (layers) {
            rv_layer_desc sand = {.name = "sand", .erodibility = 1.0f, .talus = 30.0f};
            for (int k = 0; k < SIDE * SIDE; k++)
                z[k] = 3.0f;
            support_ok(ctx, rv_terrain_layer_add(land, &sand, z));
        }
        rv_thermal_params p = with("border=open rounds=200");
        rv_report r;
        double before = rv_terrain_volume(land);
        support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &p, &r));
        assert_greater(r.ledger.left_map, 0.0);
        check_mass(land, before, &r, 1e12);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static void test_gradients_keep_mass(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int i = 0; i < 36; i++) {
        rv_thermal_params p = with("method=slope talus=25 rounds=60");
        p.gradient = i % 3;
        p.receiver = i / 3 % 3;
        p.neighbours = i / 9 % 2;
        p.border = i / 18;
        rv_terrain *land = hills(ctx, SIDE, SIDE, 10.0f);
        rv_report r;
        double before = rv_terrain_volume(land);
        support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &p, &r));
        assert_greater(r.ledger.eroded, 0.0);
        check_mass(land, before, &r, p.border == RV_thermal_border_open ? 1e12 : 0.0);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static void test_any_number_of_threads(void **state) {
    (void)state;
    static const char *const words[] = {"rounds=20 talus=30", "until=settled talus=30",
                                        "rounds=5 method=slope", "rounds=20 border=open give=top"};
    static const int threads[] = {1, 2, 3, 7};
    for (size_t i = 0; i < 4; i++)
        for (int kind = 0; kind < 3; kind++) {
            uint64_t first = 0;
            for (int t = 0; t < 4; t++) {
                rv_context *ctx = support_context(threads[t]);
                rv_terrain *land = layered(ctx, 0, kind == 1, kind == 2);
                rv_thermal_params p = with(words[i]);
                support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &p, NULL));
                first = t == 0 ? rv_terrain_hash(land) : first;
                assert_equal(rv_terrain_hash(land), first);
                rv_terrain_destroy(land);
                rv_context_destroy(ctx);
            }
        }
}

static bool stop_soon(void *user, const rv_progress *now) {
    (void)now;
    int *left = user;
    return --*left > 0;
}

/* Wherever it is stopped, the ledger is closed and the land whole. */
static void test_stopped_land_is_whole(void **state) {
    (void)state;
    static const char *const words[] = {"rounds=1000000 talus=30", "until=settled talus=3",
                                        "rounds=1000000 talus=10"};
    for (int i = 0; i < 3; i++)
        for (int calls = 1; calls < 8; calls += 3) {
            int left = 1 << 30;
            rv_context_desc desc = rv_context_desc_default();
            desc.threads = 2;
            desc.progress = stop_soon;
            desc.user = &left;
            rv_context *ctx;
            assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
            rv_terrain *land = i < 2 ? hills(ctx, 300, 280, 10.0f) : layered(ctx, 0, true, false);
            rv_thermal_params p = with(words[i]);
            rv_report r;
            double before = rv_terrain_volume(land);
            left = calls;
            assert_int_equal(rv_step_run(land, RV_STEP_thermal, &p, &r), RV_CANCELLED);
            left = 1 << 30;
            check_mass(land, before, &r, 0.0);
            rv_terrain_destroy(land);
            rv_context_destroy(ctx);
        }
}

static void test_memory_that_runs_out(void **state) {
    (void)state;
    static const char *const words[] = {"rounds=2", "until=settled talus=20"};
    for (int kind = 0; kind < 4;
         kind++) { /* plain and with layers; at last mask and hardness too */
        bool enough = false;
        for (long n = 0; !enough; n++) {
            support_memory memory = {-1, 0};
            rv_context_desc desc = rv_context_desc_default();
            desc.threads = 1;
            desc.allocator = support_allocator(&memory);
            rv_context *ctx;
            assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
            rv_terrain *land = layered(ctx, 0, kind % 2 == 1, kind == 2);
            rv_thermal_params p = with(words[kind / 2]);
            uint64_t before = rv_terrain_hash(land);
            atomic_store(&memory.left, n);
            rv_status status = rv_step_run(land, RV_STEP_thermal, &p, NULL);
            atomic_store(&memory.left, -1);
            enough = status == RV_OK;
            assert_true(enough || status == RV_ERROR_MEMORY);
            assert_true(enough || rv_terrain_hash(land) == before);
            rv_terrain_destroy(land);
            rv_context_destroy(ctx);
            assert_equal(atomic_load(&memory.held), 0);
        }
    }
}

/* ---- the same land at any cell size ---- */

/* Ground slides as far in metres whatever the cell size, favours no direction of the grid and makes
 * no pits. */
static void test_same_land_at_any_cell_size(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    land_pair coarse = land_pair_make(
        ctx, "terrain size=128 cell=20 noise shape=ridged frequency=0.8 relief=600", "thermal");
    land_pair fine = land_pair_make(
        ctx, "terrain size=256 cell=10 noise shape=ridged frequency=0.8 relief=600", "thermal");
    land_agreement agreement = land_agreement_at(&coarse, &fine, 64, 600);
    assert_greater(agreement.rms[0], 2); /* it does something */
    assert_less(agreement.difference, 0.02);
    assert_greater(agreement.correlation, 0.97);
    land_evenness even = land_pair_evenness(&fine);
    assert_greater(even.diagonal, 0.9);
    assert_less(even.diagonal, 1.15);
    assert_less_equal(land_pits(fine.after, 256, 256, 5), land_pits(fine.before, 256, 256, 5));
    land_pair_free(&coarse);
    land_pair_free(&fine);
    rv_context_destroy(ctx);
}

/* reach=auto counts as many rounds as its square in cells; what is said in cells is the same. */
static void test_reach(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const words[] = {"rounds=100", "reach=50", "reach=10cells"};
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        rv_terrain *land = hills(ctx, 60, 50, 5);
        rv_thermal_params p = with(words[i]);
        support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &p, NULL));
        hash[i] = rv_terrain_hash(land);
        rv_terrain_destroy(land);
    }
    assert_equal(hash[0], hash[1]);
    assert_equal(hash[0], hash[2]);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settles_at_its_angle),
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_stable_at_any_size),
        cmocka_unit_test(test_cone_of_a_tower),
        cmocka_unit_test(test_all_directions_are_alike),
        cmocka_unit_test(test_rate_and_time),
        cmocka_unit_test(test_hard_ground_gives_nothing),
        cmocka_unit_test(test_full_mask_is_no_mask),
        cmocka_unit_test(test_each_material_keeps_its_mass),
        cmocka_unit_test(test_cuts_through_a_thin_layer),
        cmocka_unit_test(test_layers_come_to_rest),
        cmocka_unit_test(test_open_border_carries_off),
        cmocka_unit_test(test_gradients_keep_mass),
        cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_stopped_land_is_whole),
        cmocka_unit_test(test_memory_that_runs_out),
        cmocka_unit_test(test_same_land_at_any_cell_size),
        cmocka_unit_test(test_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
