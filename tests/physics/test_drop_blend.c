/* What must hold for the blend of droplets, and for the apron around the map. */
#include "drop_scene.h"

/* ---- the blend ---- */

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
    limit(&s, limits);
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

/* ---- the apron ---- */

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_blend_keeps_the_sum),
        cmocka_unit_test(the_blend_smooths),
        cmocka_unit_test(without_blend_the_blur_does_not_matter),
        cmocka_unit_test(an_apron_keeps_the_edge_from_draining),
        cmocka_unit_test(an_apron_may_be_wider_than_the_map),
        cmocka_unit_test(an_apron_asks_for_few_more_drops),
    };
    return cmocka_run_group_tests_name("drop_blend", tests, NULL, NULL);
}
