/* test_relief.c: rays meet the block where it is, and nowhere slip through. */
#include "support.h"

#include "base/random.h"
#include "picture/camera.h"

#include <math.h>

enum { SIDE = 41 };

static rvi_relief make_relief(const rv_terrain *land, bool fine) {
    rvi_relief r = {0};
    support_ok(land->ctx, rvi_relief_create(land, 50, fine, &r));
    return r;
}

static double unit(uint64_t which, uint64_t when) {
    return (double)rvi_unit(rvi_random(9, which, when));
}

static double surface(const rvi_relief *r, double x, double y) {
    return (double)rvi_grid_at(r->upper, r->width, r->height, x, y);
}

/* From `from` to `to`: what is met, and t = 1 at `to`. */
static rvi_hit shoot(const rvi_relief *r, const double from[3], const double to[3]) {
    rvi_ray ray = {{from[0], from[1], from[2]},
                   {to[0] - from[0], to[1] - from[1], to[2] - from[2]}};
    return rvi_relief_trace(r, &ray);
}

/* A place outside the block: above it or beside it, sometimes on a line of samples. */
static void place_outside(const rvi_relief *r, uint64_t k, double out[3]) {
    double wide = r->width - 1, high = r->height - 1;
    out[0] = (unit(k, 0) * 3 - 1) * wide;
    out[1] = (unit(k, 1) * 3 - 1) * high;
    out[2] = (double)r->high + 1 + 300 * unit(k, 2);
    if (k % 3 == 0) { /* beside it and low */
        out[0] = k % 2 ? -5 - 20 * unit(k, 0) : wide + 5 + 20 * unit(k, 0);
        out[2] = (double)r->base + unit(k, 2) * (double)(r->high - r->base);
    }
    if (k % 4 == 1)
        out[0] = floor(out[0]);
    if (k % 8 == 1)
        out[1] = floor(out[1]);
}

static void place_inside(const rvi_relief *r, uint64_t k, double out[3]) {
    out[0] = unit(k, 3) * (r->width - 1);
    out[1] = unit(k, 4) * (r->height - 1);
    if (k % 5 == 1)
        out[0] = floor(out[0]);
    if (k % 10 == 1)
        out[1] = floor(out[1]);
    double top = surface(r, out[0], out[1]) - 1e-3;
    out[2] = (double)r->base + unit(k, 5) * (top - (double)r->base);
}

/* Nothing of the land stands in the way of a ray before the hit. */
static void check_free_before(const rvi_relief *r, const double from[3], const double to[3],
                              double t) {
    for (int i = 0; i < 200; i++) {
        double s = t * i / 200 * 0.999;
        double x = from[0] + s * (to[0] - from[0]), y = from[1] + s * (to[1] - from[1]);
        double z = from[2] + s * (to[2] - from[2]);
        if (x < 0 || y < 0 || x > r->width - 1 || y > r->height - 1)
            continue;
        if (z < surface(r, x, y) - 1e-2)
            fail_msg("a ray passed (%g, %g) at %g m, %g m below the ground", x, y, z,
                     surface(r, x, y) - z);
    }
}

static void test_no_ray_slips_through(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_run(
        ctx, "terrain width=41 height=33 cell=10 noise shape=ridged frequency=8 relief=200");
    for (int fine = 0; fine < 2; fine++) {
        rvi_relief r = make_relief(land, fine);
        for (uint64_t k = 0; k < 6000; k++) {
            double from[3], to[3];
            place_outside(&r, k, from);
            place_inside(&r, k, to);
            rvi_hit hit = shoot(&r, from, to);
            if (hit.kind == RVI_HIT_NONE || hit.t > 1 + 1e-9)
                fail_msg("ray %d reached the inside of the block", (int)k);
            if (hit.kind == RVI_HIT_LAND && fabs(hit.z - surface(&r, hit.x, hit.y)) > 1e-2)
                fail_msg("ray %d hit %g m off the ground", (int)k,
                         hit.z - surface(&r, hit.x, hit.y));
            if (hit.kind == RVI_HIT_WALL)
                assert_true(fabs(hit.x) < 1e-6 || fabs(hit.y) < 1e-6 ||
                            fabs(hit.x - (r.width - 1)) < 1e-6 ||
                            fabs(hit.y - (r.height - 1)) < 1e-6);
            if (k % 10 == 0)
                check_free_before(&r, from, to, hit.t);
        }
        rvi_relief_destroy(&r);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_rays_beside_the_block_miss(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, SIDE, SIDE, 10);
    rvi_relief r = make_relief(land, false);
    const double from[3] = {-30, 20, 10}, over[3] = {80, 20, 1}, under[3] = {80, 20, -400};
    assert_int_equal(shoot(&r, from, over).kind, RVI_HIT_NONE);
    rvi_hit hit = shoot(&r, from, under); /* it passes below the base */
    assert_int_equal(hit.kind, RVI_HIT_NONE);
    const double level[3] = {80, 20, -40};
    hit = shoot(&r, from, level);
    assert_int_equal(hit.kind, RVI_HIT_WALL);
    assert_int_equal(hit.axis, 0);
    assert_int_equal(hit.side, -1);
    assert_less(fabs(hit.x), 1e-9);
    rvi_relief_destroy(&r);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_a_hole_is_open_down_to_the_base(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, SIDE, SIDE, 10);
    float hole[SIDE * SIDE] = {0};
    for (int y = 15; y < 25; y++)
        for (int x = 15; x < 25; x++)
            hole[y * SIDE + x] = 1;
    support_ok(ctx, rv_terrain_field_set(land, "hole", hole));
    rvi_relief r = make_relief(land, false);
    const double above[3] = {20, 20, 100}, below[3] = {20, 20, -49};
    assert_int_equal(shoot(&r, above, below).kind, RVI_HIT_NONE);
    const double beside[3] = {30, 20, 100}, deep[3] = {30, 20, -49};
    assert_int_equal(shoot(&r, beside, deep).kind, RVI_HIT_LAND);
    const double east[3] = {40, 20, -20};
    rvi_hit hit = shoot(&r, (const double[3]){20, 20, -20}, east);
    assert_int_equal(hit.kind, RVI_HIT_WALL);
    assert_near(hit.x, 25, 1e-9);
    rvi_relief_destroy(&r);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* A valley along y whose sides rise by `steep` metres a cell, filled to the height of its sides 6.3
 * cells from the middle. */
static void check_lake(rv_context *ctx, double steep, bool fine) {
    rv_terrain *land = support_land(ctx, SIDE, SIDE, 10);
    float *z = land->layers[0].thickness, water[SIDE * SIDE], level = (float)(6.3 * steep);
    for (int i = 0; i < SIDE * SIDE; i++) {
        z[i] = (float)steep * fabsf((float)(i % SIDE) - 20);
        water[i] = z[i] < level ? level - z[i] : 0;
    }
    support_ok(ctx, rv_terrain_field_set(land, "water", water));
    rvi_relief r = make_relief(land, fine);
    double cells = (r.width - 1) / 40.0;
    for (int k = 0; k <= 400; k++) {
        double x = k * 0.1 * cells, y = 20.3 * cells, bed = fabs(k * 0.1 - 20);
        rvi_hit hit = shoot(&r, (double[3]){x, y, 900}, (double[3]){x, y, -40});
        if (fabs(bed - 6.3) > 0.06)
            assert_int_equal(hit.kind, bed < 6.3 ? RVI_HIT_WATER : RVI_HIT_LAND);
        assert_near(hit.z, steep * fmax(bed, 6.3), 0.06 * steep);
    }
    double x = 20 * cells;
    rvi_hit cut = shoot(&r, (double[3]){x, -9, 4 * steep}, (double[3]){x, 30, 4 * steep});
    assert_int_equal(cut.kind, RVI_HIT_BASIN);
    x = 9 * cells; /* a shore */
    cut = shoot(&r, (double[3]){x, -9, 7 * steep}, (double[3]){x, 30, 7 * steep});
    assert_int_equal(cut.kind, RVI_HIT_WALL);
    rvi_relief_destroy(&r);
    rv_terrain_destroy(land);
}

static void test_water_lies_level_up_to_its_shore(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (int fine = 0; fine < 2; fine++) {
        check_lake(ctx, 1, fine);
        check_lake(ctx, 20, fine);
    }
    rv_context_destroy(ctx);
}

/* On a plane with a hole in it, whatever fills the hole, the ground at its edge is the plane. */
static void test_the_rim_of_a_hole_is_the_land_beside_it(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (int fine = 0; fine < 2; fine++) {
        rv_terrain *land = support_land(ctx, SIDE, SIDE, 10);
        float hole[SIDE * SIDE] = {0};
        for (int i = 0; i < SIDE * SIDE; i++) {
            int x = i % SIDE - 20, y = i / SIDE - 20;
            hole[i] = x * x + y * y < 80;
            land->layers[0].thickness[i] = hole[i] > 0 ? -900 : 3 * (float)y + 100;
        }
        support_ok(ctx, rv_terrain_field_set(land, "hole", hole));
        rvi_relief r = make_relief(land, fine);
        assert_greater(r.low, 39);
        assert_less(r.high, 161);
        for (uint64_t k = 0; k < 3000; k++) {
            double x = unit(k, 0) * (r.width - 1), y = unit(k, 1) * (r.height - 1);
            if (rvi_relief_gap(&r, (int)x, (int)y))
                continue;
            double plane = 3 * (y * (double)r.step - 20) + 100;
            assert_near(surface(&r, x, y), plane, 1.5);
        }
        rvi_relief_destroy(&r);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* The slope of a plane is the same everywhere and at every blur, up to the corners. */
static void test_a_plane_has_one_slope(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, SIDE, 30, 10);
    for (int i = 0; i < SIDE * 30; i++)
        land->layers[0].thickness[i] = 4.0f * (float)(i % SIDE) - 2.5f * (float)(i / SIDE);
    for (int fine = 0; fine < 2; fine++) {
        rvi_relief r = make_relief(land, fine);
        for (int k = 0; k < 300; k++) {
            float slope[2];
            rvi_relief_slope(&r, unit((uint64_t)k, 0) * (r.width - 1),
                             unit((uint64_t)k, 1) * (r.height - 1), 0.5f + 0.03f * (float)k, slope);
            assert_near(slope[0], 0.4f, 1e-3f);
            assert_less(fabsf(slope[1] + 0.25f), 1e-3f);
        }
        rvi_relief_destroy(&r);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* How far from the middle of the picture a place is, 1 at its edge. */
static double off_middle(const rvi_camera *c, const double p[3]) {
    double a = 0, b = 0, d = 0;
    for (int j = 0; j < 3; j++) {
        a += (p[j] - c->from[j]) * c->right[j];
        b += (p[j] - c->from[j]) * c->up[j];
        d += (p[j] - c->from[j]) * c->forward[j];
    }
    assert_greater(d, 0);
    return fmax(fabs(a / d) / (c->tangent * c->width / c->height), fabs(b / d) / c->tangent);
}

static void check_frame(const rvi_relief *r, const rvi_shot *shot) {
    rvi_camera c = rvi_camera_frame(r, shot);
    double most = 0, z = (double)shot->z, cell = (double)r->cell;
    for (int y = 0; y < r->height; y++)
        for (int x = 0; x < r->width; x++) {
            double p[3] = {x * cell, y * cell, z * surface(r, x, y)};
            most = fmax(most, off_middle(&c, p));
            p[2] = z * (double)r->base;
            most = fmax(most, off_middle(&c, p));
        }
    assert_greater(most, 0.6);
    assert_less(most, 1);
}

/* All of the block is in the picture, a lone spire too, and some of it is near the edge. */
static void test_the_camera_frames_the_block(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *hills = support_run(ctx, "terrain width=41 height=25 noise relief=300");
    rv_terrain *spires = support_land(ctx, 61, 130, 10);
    spires->layers[0].thickness[17 * 61 + 31] = 900;
    spires->layers[0].thickness[101 * 61 + 57] = 700;
    for (int land = 0; land < 2; land++) {
        rvi_relief r = make_relief(land ? spires : hills, !land);
        for (int k = 0; k < 24; k++) {
            rvi_shot shot = {.width = k % 2 ? 200 : 90,
                             .height = 100,
                             .azimuth = (float)(k * 15),
                             .elevation = (float)(k * 7 % 80),
                             .distance = 1,
                             .fov = 20.0f + (float)k,
                             .z = 1.5f};
            check_frame(&r, &shot);
        }
        rvi_relief_destroy(&r);
    }
    rv_terrain_destroy(hills);
    rv_terrain_destroy(spires);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_ray_slips_through),
        cmocka_unit_test(test_rays_beside_the_block_miss),
        cmocka_unit_test(test_a_hole_is_open_down_to_the_base),
        cmocka_unit_test(test_water_lies_level_up_to_its_shore),
        cmocka_unit_test(test_the_rim_of_a_hole_is_the_land_beside_it),
        cmocka_unit_test(test_a_plane_has_one_slope),
        cmocka_unit_test(test_the_camera_frames_the_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
