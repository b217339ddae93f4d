/* What must hold for particles: nothing is lost, they roll down, gather speed and lose it, limits
 * are kept, and neither the tiles nor the threads that run them show in the land. Figures that a
 * bound is set for are printed. */
#include "land_measures.h"
#include "wear_scene.h"

#include <stdio.h>

/* Most tests hold for both orders; order=batch knows one way to place. */
static int order = RV_particles_order_tiles;

static int place_or(int place) {
    return order == RV_particles_order_batch ? RV_particles_place_disc : place;
}

static int places(void) {
    return order == RV_particles_order_batch ? 1 : 3;
}

static rv_particles_params roll(int64_t drops) {
    rv_particles_params p = rv_particles_params_default();
    p.order = order;
    p.drops = drops;
    p.evaporation = 0.03f;
    p.radius = -3; /* cells */
    p.move = -1;
    return p;
}

/* ---- 1. nothing vanishes ---- */

static void check_mass(float base) {
    static const int limits[] = {0, MASK, HARD, LAYERS, MASK | HARD, MASK | HARD | LAYERS};
    static const int64_t drops[] = {1, 20, 3000};
    double worst = 0;
    for (int run = 0; run < 72; run++) {
        scene s = scene_make(48, 56);
        hills(&s, 3, base, 100);
        limit(&s, limits[run / 12]);
        rv_particles_params p = roll(drops[run % 3]);
        p.border = run & 1;
        p.place = place_or(run / 3 % 3);
        p.max_path = run % 5 ? 256 : 20;
        wear(&s, RV_STEP_particles, &p);
        if (p.border == RV_particles_border_wall)
            assert_equal(s.report.ledger.left_map, 0);
        assert_sound(&s);
        worst = fmax(worst, ledger_gap(&s));
        scene_end(&s);
    }
    below("largest gap of a ledger", worst, 1e-6);
}

static void nothing_vanishes(void **state) {
    (void)state;
    check_mass(0);
}

static void nothing_vanishes_on_a_high_base(void **state) {
    (void)state;
    check_mass(5000);
}

/* A particle that dries up leaves its sediment behind, up to what heights cannot show. */
static void a_dry_particle_lays_all_down(void **state) {
    (void)state;
    scene s = scene_make(64, 64);
    hills(&s, 3, 0, 300);
    rv_particles_params p = roll(5000);
    p.border = RV_particles_border_wall;
    wear(&s, RV_STEP_particles, &p);
    below("share of it that stays afloat", s.report.ledger.suspended / s.report.ledger.eroded,
          1e-3);
    scene_end(&s);
}

/* ---- 2. motion ---- */

static void material_moves_down_the_slope(void **state) {
    (void)state;
    for (int run = 0; run < (places() > 1 ? 4 : 2); run++) {
        scene s = scene_make(64, 64);
        draw(&s, "height", east_slope);
        rv_particles_params p = roll(4000);
        p.border = run & 1;
        p.place = run >> 1;
        wear(&s, RV_STEP_particles, &p);
        above("metres that material came down by",
              mean_height(&s, "eroded") - mean_height(&s, "deposited"), 5);
        scene_end(&s);
    }
}

static void flow_grows_down_a_valley(void **state) {
    (void)state;
    scene s = scene_make(96, 33);
    draw(&s, "height", valley);
    rv_particles_params p = roll(20000);
    p.evaporation = 0;
    p.softness = 0;
    wear(&s, RV_STEP_particles, &p);
    double upstream = 0;
    for (int part = 0; part < 6; part++) {
        double flow = 0;
        for (int i = 0; i < 7 * 16; i++)
            flow += (double)field(&s, "flow")[(13 + i / 16) * s.width + part * 16 + i % 16];
        if (part > 0)
            above("flow in the next part of the valley, as a multiple", flow / upstream, 1.05);
        upstream = flow;
    }
    scene_end(&s);
}

static float flat(const scene *s, int x, int y) {
    return 0.0f * one(s, x, y);
}

static void on_level_land_nothing_moves(void **state) {
    (void)state;
    for (int place = 0; place < places(); place++) {
        scene s = scene_make(32, 32);
        draw(&s, "height", flat);
        rv_particles_params p = roll(1000);
        p.place = place;
        wear(&s, RV_STEP_particles, &p);
        assert_true(same_bits(&s, "height", s.before));
        assert_equal(s.report.ledger.eroded, 0);
        scene_end(&s);
    }
}

/* The more friction, the slower, and the less can be carried; the same for less acceleration. */
static void slower_particles_take_less(void **state) {
    (void)state;
    double friction[4], acceleration[4];
    for (int k = 0; k < 4; k++) {
        static const float rub[] = {0.1f, 0.2f, 0.4f, 0.8f}, push[] = {4, 2, 1, 0.5f};
        scene s = scene_make(64, 64), t = scene_make(64, 64);
        draw(&s, "height", east_slope);
        draw(&t, "height", east_slope);
        rv_particles_params p = roll(500), q = roll(500);
        p.friction = rub[k];
        q.acceleration = push[k];
        wear(&s, RV_STEP_particles, &p);
        wear(&t, RV_STEP_particles, &q);
        friction[k] = s.report.ledger.eroded;
        acceleration[k] = t.report.ledger.eroded;
        scene_end(&s);
        scene_end(&t);
        if (k == 0)
            continue;
        below("taken with more friction, as a share", friction[k] / friction[k - 1], 0.98);
        below("taken with less acceleration, as a share", acceleration[k] / acceleration[k - 1],
              0.98);
    }
}

static void with_full_friction_nothing_moves(void **state) {
    (void)state;
    scene s = scene_make(64, 64);
    draw(&s, "height", east_slope);
    rv_particles_params p = roll(500);
    p.friction = 1;
    wear(&s, RV_STEP_particles, &p);
    assert_true(same_bits(&s, "height", s.before));
    scene_end(&s);
}

/* Larger in all directions, it wears to the same shape: by a power of two, to the bit. */
static void size_does_not_matter(void **state) {
    (void)state;
    scene small = scene_make(48, 48);
    hills(&small, 3, 0, 128);
    rv_context *ctx = support_context(1);
    rv_terrain *large = support_land(ctx, 48, 48, 80);
    float *heights = calloc(small.cells, sizeof(float));
    for (size_t i = 0; i < small.cells; i++)
        heights[i] = 8 * field(&small, "height")[i];
    support_ok(ctx, rv_terrain_field_set(large, "height", heights));
    rv_particles_params p = roll(3000);
    wear(&small, RV_STEP_particles, &p);
    support_ok(ctx, rv_step_run(large, RV_STEP_particles, &p, NULL));
    for (size_t i = 0; i < small.cells; i++)
        heights[i] = rv_terrain_field(large, "height")[i] / 8;
    assert_true(same_bits(&small, "height", heights));
    free(heights);
    rv_terrain_destroy(large);
    rv_context_destroy(ctx);
    scene_end(&small);
}

static void a_pit_becomes_shallower(void **state) {
    (void)state;
    for (int place = 0; place < places(); place++) {
        scene s = scene_make(64, 64);
        draw(&s, "height", bowl);
        double depth = pit_depth(&s);
        rv_particles_params p = roll(20000);
        p.place = place;
        wear(&s, RV_STEP_particles, &p);
        below("depth of the pit, as a share", pit_depth(&s) / depth, 0.6);
        scene_end(&s);
    }
}

/* By default hollows fill with fans that slope, not to level plates: few places of 20 m are within
 * a hundredth of level. */
static void hollows_do_not_become_plates(void **state) {
    (void)state;
    static const char *const shapes[] = {"plain", "ridged", "billow"};
    rv_context *ctx = support_context(2);
    for (int k = 0; k < (support_short() ? 1 : 3); k++) {
        char words[128];
        snprintf(words, sizeof words, "terrain size=256 cell=20 noise shape=%s particles order=%s",
                 shapes[k], order == RV_particles_order_batch ? "batch" : "tiles");
        rv_terrain *land = support_run(ctx, words);
        const float *h = rv_terrain_field(land, "height");
        double level = 0;
        for (int y = 1; y < 255; y++)
            for (int x = 1; x < 255; x++) {
                const float *at = h + y * 256 + x;
                double gx = (double)(at[1] - at[-1]) / 40, gy = (double)(at[256] - at[-256]) / 40;
                level += sqrt(gx * gx + gy * gy) < 0.01;
            }
        below("share of places that are level", level / (254 * 254), 0.008);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* ---- 3. order ---- */

static void threads_do_not_show(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 7};
    for (int run = 0; run < 3; run++) {
        uint64_t first = 0;
        rv_ledger ledger = {0};
        for (int t = 0; t < 4; t++) {
            scene s = scene_with(support_context(threads[t]), 150, 201);
            hills(&s, 2, 0, 300);
            limit(&s, run == 2 ? LAYERS | MASK : 0);
            rv_particles_params p = roll(8000);
            p.place = place_or(run == 1);
            p.evaporation = 0.1f; /* short ways, so that many tiles run side by side */
            wear(&s, RV_STEP_particles, &p);
            uint64_t hash = rv_terrain_hash(s.land);
            assert_true(t == 0 || hash == first);
            assert_true(t == 0 || memcmp(&ledger, &s.report.ledger, sizeof ledger) == 0);
            first = hash;
            ledger = s.report.ledger;
            scene_end(&s);
        }
    }
}

static void other_seeds_are_other_rains(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        scene s = scene_make(48, 48);
        hills(&s, 2, 0, 300);
        rv_particles_params p = roll(100);
        p.seed = (uint64_t)k;
        wear(&s, RV_STEP_particles, &p);
        hash[k] = rv_terrain_hash(s.land);
        scene_end(&s);
    }
    assert_not_equal(hash[0], hash[1]);
}

static void particles_fall_where_the_image_is_white(void **state) {
    (void)state;
    scene s = scene_make(40, 40);
    draw(&s, "height", half);
    rv_save_params save = rv_save_params_default();
    save.file = "particle-rain.png";
    support_ok(s.ctx, rv_step_run(s.land, RV_STEP_save, &save, NULL));
    draw(&s, "height", flat);
    rv_particles_params p = roll(4000);
    p.rain = "particle-rain.png";
    wear(&s, RV_STEP_particles, &p);
    for (int i = 0; i < (int)s.cells; i++)
        if (i % 40 < 19)
            assert_equal(field(&s, "flow")[i], 0);
    assert_greater(field(&s, "flow")[20 * 40 + 30], 0);
    scene_end(&s);
}

/* ---- 4. limits ---- */

static void masked_land_keeps_its_bits(void **state) {
    (void)state;
    for (int run = 0; run < 8; run++) {
        scene s = scene_make(64, 64);
        hills(&s, 5, 100, 500);
        limit(&s, run & 4 ? LAYERS : 0);
        draw(&s, "mask", half);
        rv_particles_params p = roll(4000);
        p.border = run & 1;
        p.place = place_or(run >> 1 & 1);
        wear(&s, RV_STEP_particles, &p);
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
        rv_particles_params p = roll(4000);
        wear(&s, RV_STEP_particles, &p);
        assert_true(same_bits(&s, "height", s.before));
        assert_equal(s.report.ledger.eroded, 0);
        assert_equal(s.report.ledger.deposited, 0);
        scene_end(&s);
    }
}

static float thin(const scene *s, int x, int y) {
    return 0.5f * one(s, x, y);
}

static void particles_cut_through_layers(void **state) {
    (void)state;
    for (int hard = 0; hard < 2; hard++) {
        scene s = scene_make(64, 64);
        hills(&s, 5, 100, 500);
        add_layer(&s, "rock", hard ? 0.0f : 0.5f, thin);
        add_layer(&s, "sand", 1, thin);
        float *was = calloc(s.cells, sizeof(float));
        memcpy(was, rv_terrain_layer_thickness(s.land, 0), s.cells * sizeof(float));
        rv_particles_params p = roll(20000);
        p.capacity = 4;
        wear(&s, RV_STEP_particles, &p);
        double no_sand = 0, lost = 0, bed = 0;
        for (size_t i = 0; i < s.cells; i++) {
            no_sand += rv_terrain_layer_thickness(s.land, 2)[i] == 0;
            lost += (double)(0.5f - rv_terrain_layer_thickness(s.land, 1)[i]);
            bed += (double)(was[i] - rv_terrain_layer_thickness(s.land, 0)[i]);
        }
        above("cells without sand", no_sand, 100);
        if (hard) {
            assert_equal(lost, 0);
            assert_equal(bed, 0);
        } else {
            above("metres of rock worn", lost, 10);
            above("metres of bedrock worn", bed, 10);
        }
        below("gap of the ledger", ledger_gap(&s), 1e-6);
        free(was);
        scene_end(&s);
    }
}

static void land_does_not_sink_below_the_floor(void **state) {
    (void)state;
    static const float floors[] = {RV_AUTO, 50, 123.4f, -1e9f};
    for (int k = 0; k < 8; k++) {
        scene s = scene_make(48, 48);
        hills(&s, 1, 0, 300);
        limit(&s, k & 4 ? LAYERS : 0);
        rv_particles_params p = roll(10000);
        p.floor = floors[k % 4];
        p.capacity = 50;
        p.softness = 1;
        p.place = place_or(k & 1);
        wear(&s, RV_STEP_particles, &p);
        float floor = isnan(p.floor) ? lowest(s.before, s.cells) : p.floor;
        for (size_t i = 0; i < s.cells; i++) {
            float least = s.before[i] < floor ? s.before[i] : floor;
            assert_greater_equal(field(&s, "height")[i], least);
        }
        scene_end(&s);
    }
}

static bool stop(void *user, const rv_progress *now) {
    (void)user;
    return now->done < 0.2;
}

static void a_stopped_run_is_whole(void **state) {
    (void)state;
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 2;
    desc.progress = stop;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    scene s = scene_with(ctx, 128, 128);
    hills(&s, 4, 0, 200);
    rv_particles_params p = roll(400000);
    assert_int_equal(wear_status(&s, RV_STEP_particles, &p), RV_CANCELLED);
    above("taken before it was stopped, m3", s.report.ledger.eroded, 1);
    below("gap of the ledger", ledger_gap(&s), 1e-6);
    scene_end(&s);
}

static float all_but_flat(const scene *s, int x, int y) {
    (void)s;
    return (float)(x * 7 % 5 + y * 3 % 7) * 1e-25f;
}

/* Capacity in units of the relief is then more than a float can hold. */
static void without_softness_nothing_is_taken(void **state) {
    (void)state;
    scene s = scene_of_cells(support_context(2), 32, 32, 1000);
    draw(&s, "height", all_but_flat);
    rv_particles_params p = roll(1000);
    p.softness = 0;
    p.capacity = p.first_water = p.first_speed = 1000;
    wear(&s, RV_STEP_particles, &p);
    assert_true(same_bits(&s, "height", s.before));
    scene_end(&s);
}

static float strip(const scene *s, int x, int y) {
    return 100 + 3 * (float)(s->width + s->height - x - y) + (float)(x * 7 % 5);
}

/* Maps that are smaller than a disc, or one cell wide, with and without limits. */
static void small_maps_keep_their_books(void **state) {
    (void)state;
    static const int sides[][2] = {{1, 2}, {2, 1}, {1, 40}, {2, 2}, {3, 2}, {17, 31}};
    static const int limits[] = {0, MASK | HARD, LAYERS, MASK | HARD | LAYERS};
    double worst = 0;
    for (int k = 0; k < 6; k++)
        for (int run = 0; run < 16; run++) {
            scene s = scene_make(sides[k][0], sides[k][1]);
            draw(&s, "height", strip);
            int no_slopes = (s.width > 1 ? 0 : MASK) | (s.height > 1 ? 0 : HARD);
            limit(&s, limits[run / 4] & ~no_slopes);
            rv_particles_params p = roll(300);
            p.border = run & 1;
            p.radius = run & 2 ? RV_AUTO : -3;
            p.move = run & 2 ? RV_AUTO : -1;
            wear(&s, RV_STEP_particles, &p);
            assert_sound(&s);
            worst = fmax(worst, ledger_gap(&s));
            if (k < 3) /* one cell wide */
                assert_true(same_bits(&s, "height", s.before));
            scene_end(&s);
        }
    below("largest gap of a ledger", worst, 1e-6);
}

/* ---- 5. order=batch beside the exact order ---- */

static double slope_of(const float *h, int side, float cell) {
    double sum = 0;
    for (int y = 1; y < side - 1; y++)
        for (int x = 1; x < side - 1; x++) {
            const float *at = h + y * side + x;
            sum += hypot((double)(at[1] - at[-1]), (double)(at[side] - at[-side])) /
                   (2 * (double)cell);
        }
    return sum / ((side - 2) * (side - 2));
}

/* The change is as large and lies at the same places, slopes are as steep, and no pits come. */
static void batch_makes_the_same_land(void **state) {
    (void)state;
    static const char *const shapes[] = {"plain", "ridged"};
    static const char *const more[] = {"", "capacity=5"};
    rv_context *ctx = support_context(2);
    for (int k = 0; k < 4; k++) {
        char start[128], batch[64], tiles[64];
        snprintf(start, sizeof start, "terrain size=128 cell=20 noise seed=11 relief=1200 shape=%s",
                 shapes[k % 2]);
        snprintf(tiles, sizeof tiles, "particles %s", more[k / 2]);
        snprintf(batch, sizeof batch, "particles order=batch %s", more[k / 2]);
        land_pair exact = land_pair_make(ctx, start, tiles);
        land_pair other = land_pair_make(ctx, start, batch);
        land_agreement same = land_agreement_at(&exact, &other, 128, 1200);
        above("correlation of the change", same.correlation, k < 2 ? 0.99 : 0.97);
        below("difference of its rms", fabs(same.rms[1] / same.rms[0] - 1), 0.03);
        double slope = slope_of(other.after, 128, 20) / slope_of(exact.after, 128, 20);
        below("difference of the slope", fabs(slope - 1), 0.02);
        assert_less_equal(land_pits(other.after, 128, 128, 5),
                          land_pits(other.before, 128, 128, 5));
        land_pair_free(&exact);
        land_pair_free(&other);
    }
    rv_context_destroy(ctx);
}

static void batch_refuses_what_it_cannot_do(void **state) {
    (void)state;
    scene s = scene_make(20, 20);
    hills(&s, 3, 0, 100);
    rv_particles_params p = roll(10);
    p.place = RV_particles_place_nearest;
    assert_int_equal(rv_step_run(s.land, RV_STEP_particles, &p, NULL), RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(s.ctx), "place=nearest"));
    p.place = RV_particles_place_bilinear;
    assert_int_equal(rv_step_run(s.land, RV_STEP_particles, &p, NULL), RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(s.ctx), "place=bilinear"));
    p.place = RV_particles_place_disc;
    p.give = RV_particles_give_same;
    support_ok(s.ctx, rv_step_run(s.land, RV_STEP_particles, &p, NULL));
    limit(&s, LAYERS);
    assert_int_equal(rv_step_run(s.land, RV_STEP_particles, &p, NULL), RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(s.ctx), "give=same"));
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_vanishes),
        cmocka_unit_test(nothing_vanishes_on_a_high_base),
        cmocka_unit_test(a_dry_particle_lays_all_down),
        cmocka_unit_test(material_moves_down_the_slope),
        cmocka_unit_test(flow_grows_down_a_valley),
        cmocka_unit_test(on_level_land_nothing_moves),
        cmocka_unit_test(slower_particles_take_less),
        cmocka_unit_test(with_full_friction_nothing_moves),
        cmocka_unit_test(size_does_not_matter),
        cmocka_unit_test(a_pit_becomes_shallower),
        cmocka_unit_test(hollows_do_not_become_plates),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(other_seeds_are_other_rains),
        cmocka_unit_test(particles_fall_where_the_image_is_white),
        cmocka_unit_test(masked_land_keeps_its_bits),
        cmocka_unit_test(hard_land_keeps_its_bits),
        cmocka_unit_test(particles_cut_through_layers),
        cmocka_unit_test(land_does_not_sink_below_the_floor),
        cmocka_unit_test(a_stopped_run_is_whole),
        cmocka_unit_test(without_softness_nothing_is_taken),
        cmocka_unit_test(small_maps_keep_their_books),
    };
    const struct CMUnitTest of_batch[] = {
        cmocka_unit_test(batch_makes_the_same_land),
        cmocka_unit_test(batch_refuses_what_it_cannot_do),
    };
    int failed = cmocka_run_group_tests_name("particles", tests, NULL, NULL);
    order = RV_particles_order_batch;
    failed +=
        cmocka_run_group_tests_name("particles order=batch, as order=tiles", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("particles order=batch", of_batch, NULL, NULL);
}
