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
    assert_true(fabs(hit.x) < 1e-9);
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
    assert_true(fabs(hit.x - 25) < 1e-9);
    rvi_relief_destroy(&r);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void test_water_lies_level_up_to_its_shore(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, SIDE, SIDE, 10);
    float *z = land->layers[0].thickness, water[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) { /* a valley along y, filled to 6 m */
        z[i] = fabsf((float)(i % SIDE) - 20);
        water[i] = z[i] < 6 ? 6 - z[i] : 0;
    }
    support_ok(ctx, rv_terrain_field_set(land, "water", water));
    rvi_relief r = make_relief(land, false);
    for (int k = 0; k <= 400; k++) {
        double x = k * 0.1, to[3] = {x, 20.3, -40}, from[3] = {x, 20.3, 90};
        rvi_hit hit = shoot(&r, from, to);
        double bed = fabs(x - 20);
        if (fabs(bed - 6) > 0.05)
            assert_int_equal(hit.kind, bed < 6 ? RVI_HIT_WATER : RVI_HIT_LAND);
        assert_true(fabs(hit.z - fmax(bed, 6)) < 0.05);
    }
    rvi_hit cut = shoot(&r, (const double[3]){20, -9, 4}, (const double[3]){20, 30, 4});
    assert_int_equal(cut.kind, RVI_HIT_BASIN);
    cut = shoot(&r, (const double[3]){20, -9, -4}, (const double[3]){20, 30, -4});
    assert_int_equal(cut.kind, RVI_HIT_WALL);
    rvi_relief_destroy(&r);
    rv_terrain_destroy(land);
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
            assert_true(fabsf(slope[0] - 0.4f) < 1e-3f && fabsf(slope[1] + 0.25f) < 1e-3f);
        }
        rvi_relief_destroy(&r);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Every corner of the block is in the picture, and some corner is near its edge. */
static void test_the_camera_frames_the_block(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_run(ctx, "terrain width=41 height=25 noise relief=300");
    rvi_relief r = make_relief(land, true);
    for (int k = 0; k < 24; k++) {
        rvi_shot shot = {.width = k % 2 ? 200 : 90,
                         .height = 100,
                         .azimuth = (float)(k * 15),
                         .elevation = (float)(k * 7 % 80),
                         .distance = 1,
                         .fov = 20.0f + (float)k,
                         .z = 1.5f};
        rvi_camera c = rvi_camera_frame(&r, &shot);
        double most = 0;
        for (int i = 0; i < 8; i++) {
            double p[3] = {(i & 1) * (r.width - 1) * (double)r.cell,
                           (i >> 1 & 1) * (r.height - 1) * (double)r.cell, (double)r.base * 1.5};
            if (i & 4)
                p[2] = 1.5 * surface(&r, (i & 1) * (r.width - 1), (i >> 1 & 1) * (r.height - 1));
            double a = 0, b = 0, d = 0;
            for (int j = 0; j < 3; j++) {
                a += (p[j] - c.from[j]) * c.right[j];
                b += (p[j] - c.from[j]) * c.up[j];
                d += (p[j] - c.from[j]) * c.forward[j];
            }
            double across = fabs(a / d) / (c.tangent * c.width / c.height);
            double upright = fabs(b / d) / c.tangent;
            assert_true(d > 0 && across < 1 && upright < 1);
            most = fmax(most, fmax(across, upright));
        }
        assert_true(most > 0.6);
    }
    rvi_relief_destroy(&r);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_ray_slips_through),
        cmocka_unit_test(test_rays_beside_the_block_miss),
        cmocka_unit_test(test_a_hole_is_open_down_to_the_base),
        cmocka_unit_test(test_water_lies_level_up_to_its_shore),
        cmocka_unit_test(test_a_plane_has_one_slope),
        cmocka_unit_test(test_the_camera_frames_the_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
