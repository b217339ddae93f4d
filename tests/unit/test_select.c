/* test_select.c: what `select` selects, on land where the cells can be counted by hand. */
#include "support.h"

#include "measure/distance.h"
#include "words/condition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDE = 30, HIGH = 20 };
static const float CELL = 10.0f;

/* z = east * x + south * y metres, x and y in cells. */
static rv_terrain *plane(rv_context *ctx, float east, float south) {
    rv_terrain *land = support_land(ctx, WIDE, HIGH, CELL);
    static float h[WIDE * HIGH];
    for (int i = 0; i < WIDE * HIGH; i++)
        h[i] = east * (float)(i % WIDE) + south * (float)(i / WIDE);
    support_ok(ctx, rv_terrain_field_set(land, "height", h));
    return land;
}

static const float *select_into(rv_context *ctx, rv_terrain *land, const char *name,
                                const char *where) {
    rv_select_params p = rv_select_params_default();
    p.name = name;
    p.where = where;
    support_ok(ctx, rv_step_run(land, RV_STEP_select, &p, NULL));
    return rv_terrain_field(land, name);
}

/* The sum of a selection: cells, where edges are hard. */
static double selected(rv_context *ctx, rv_terrain *land, const char *where) {
    const float *s = select_into(ctx, land, "selection", where);
    double sum = 0;
    for (int i = 0; i < WIDE * HIGH; i++) {
        assert_true(s[i] >= 0.0f && s[i] <= 1.0f);
        sum += (double)s[i];
    }
    return sum;
}

static void heights_are_counted_by_hand(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = plane(ctx, 1.0f, 0.0f); /* column x is x metres high */
    assert_equal(selected(ctx, land, ""), WIDE * HIGH);
    assert_equal(selected(ctx, land, "height < 10"), 10 * HIGH);
    assert_equal(selected(ctx, land, "height <= 10"), 11 * HIGH);
    assert_equal(selected(ctx, land, "height > 10"), (WIDE - 11) * HIGH);
    assert_equal(selected(ctx, land, "height >= 10"), (WIDE - 10) * HIGH);
    assert_equal(selected(ctx, land, "height in 5..9"), 5 * HIGH);
    assert_equal(selected(ctx, land, "not height in 5..9"), (WIDE - 5) * HIGH);
    assert_equal(selected(ctx, land, "height < 3 or height > 27"), 5 * HIGH);
    assert_equal(selected(ctx, land, "height < 3 and height > 27"), 0);
    assert_equal(selected(ctx, land, "height<3 or height>27 and height>28"), 4 * HIGH);
    assert_equal(selected(ctx, land, "(height<3 or height>27) and height>28"), HIGH);
    assert_equal(selected(ctx, land, "height > 27 and not (height < 3 or height > 28)"), HIGH);
    assert_equal(selected(ctx, land, "not not height < 1e1"), 10 * HIGH);
    assert_equal(selected(ctx, land, "height > -0.001k"), WIDE * HIGH);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* An edge of 4 m around 10 m: 1 up to 8 m, 0 from 12 m on, a quarter less each metre between. */
static void edges_are_soft(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = plane(ctx, 1.0f, 0.0f);
    const float *s = select_into(ctx, land, "low", "height < 10~4");
    static const float want[] = {1, 0.75f, 0.5f, 0.25f, 0};
    for (int x = 0; x < WIDE; x++)
        assert_equal(s[x], x < 8 ? 1.0f : x > 12 ? 0.0f : want[x - 8]);
    s = select_into(ctx, land, "high", "height > 10~4");
    for (int x = 0; x < WIDE; x++)
        assert_equal(s[x], 1.0f - rv_terrain_field(land, "low")[x]);
    s = select_into(ctx, land, "band", "height in 10..20~4");
    for (int x = 0; x < WIDE; x++) {
        float depth = fminf((float)x - 10, 20 - (float)x);
        assert_equal(s[x], fminf(1, fmaxf(0, 0.5f + depth / 4)));
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void slope_and_aspect_of_planes(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const struct {
        float east, south;
        const char *slope, *aspect, *other;
    } planes[] = {
        {10, 0, "slope in 44.99..45.01", "aspect in 269..271", "aspect in 271..269"},
        {-10, 0, "slope in 44.99..45.01", "aspect in 89..91", "aspect in 91..89"},
        {0, 10, "slope in 44.99..45.01", "aspect in 359..1", "aspect in 1..359"},
        {0, -10, "slope in 44.99..45.01", "aspect in 179..181", "aspect > 181"},
        {5.7735027f, 0, "slope in 29.99..30.01", "aspect > 200", "aspect < 200"},
        {-7.0710678f, 7.0710678f, "slope > 44.99", "aspect in 44..46", "aspect in 46..44"},
    };
    for (size_t k = 0; k < sizeof planes / sizeof planes[0]; k++) {
        rv_terrain *land = plane(ctx, planes[k].east, planes[k].south);
        assert_equal(selected(ctx, land, planes[k].slope), WIDE * HIGH);
        assert_equal(selected(ctx, land, planes[k].aspect), WIDE * HIGH);
        assert_equal(selected(ctx, land, planes[k].other), 0);
        rv_terrain_destroy(land);
    }
    rv_terrain *level = plane(ctx, 0, 0); /* looks nowhere */
    assert_equal(selected(ctx, level, "slope <= 0"), WIDE * HIGH);
    assert_equal(selected(ctx, level, "aspect >= 0"), 0);
    assert_equal(selected(ctx, level, "aspect in 0..360~10"), 0);
    rv_terrain_destroy(level);
    rv_context_destroy(ctx);
}

/* z = -a x^2 bends by a everywhere inside; ridges are above 0, as in texture. */
static void curvature_of_a_ridge(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, WIDE, HIGH, CELL);
    static float h[WIDE * HIGH];
    for (int i = 0; i < WIDE * HIGH; i++) {
        float x = CELL * (float)(i % WIDE - WIDE / 2);
        h[i] = -0.01f * x * x;
    }
    support_ok(ctx, rv_terrain_field_set(land, "height", h));
    assert_equal(selected(ctx, land, "curvature in 0.0099..0.0101"), (WIDE - 2) * HIGH);
    for (int i = 0; i < WIDE * HIGH; i++)
        h[i] = -h[i];
    support_ok(ctx, rv_terrain_field_set(land, "height", h));
    assert_equal(selected(ctx, land, "curvature < -0.0099"), (WIDE - 2) * HIGH);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* A straight cone of 1000 m on a radius of 1000 m: above z lies a disc of radius 1000 m - z. */
static void area_of_a_cone(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_run(ctx, "terrain size=401 cell=5 cone power=1 radius=1000 "
                                        "select name=top where=\"height > 500\"");
    const rv_figure *area = rv_terrain_figure(land, 1);
    assert_string_equal(area->name, "selected_area");
    assert_near(area->value, 3.14159265 * 500 * 500, 0.01 * 3.14159265 * 500 * 500);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void distance_to_water(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = plane(ctx, 1.0f, 0.0f);
    assert_equal(selected(ctx, land, "water_distance < 1000000"), 0); /* there is none */
    assert_equal(selected(ctx, land, "water_distance > 1000000~5"), WIDE * HIGH);
    rv_flood_params flood = rv_flood_params_default();
    flood.level = 4.5f; /* columns 0 to 4 */
    support_ok(ctx, rv_step_run(land, RV_STEP_flood, &flood, NULL));
    assert_equal(selected(ctx, land, "water > 0"), 5 * HIGH);
    assert_equal(selected(ctx, land, "water_distance <= 0"), 5 * HIGH);
    assert_equal(selected(ctx, land, "water_distance in 10..30"), 3 * HIGH);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Against all pairs of cells, on lakes at random. */
static void distances_are_exact(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const int sizes[][2] = {{1, 9}, {9, 1}, {2, 2}, {17, 13}, {40, 33}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (unsigned seed = 1; seed <= 8; seed++) {
            int w = sizes[k][0], h = sizes[k][1];
            rv_terrain *land = support_land(ctx, w, h, 7.0f);
            static float water[40 * 33], out[40 * 33];
            static int32_t room[RVI_DISTANCE_ROOM * 40 * 33];
            unsigned draw = seed;
            for (int i = 0; i < w * h; i++) {
                draw = draw * 1664525u + 1013904223u;
                water[i] = draw >> 16 < 65536u / (4u << seed) ? 1.0f : 0.0f;
            }
            support_ok(ctx, rvi_distance_make(land, water, room, out));
            for (int i = 0; i < w * h; i++) {
                double best = INFINITY;
                for (int j = 0; j < w * h; j++) {
                    double dx = i % w - j % w, dy = i / w - j / w;
                    if (water[j] > 0 && sqrt(dx * dx + dy * dy) < best)
                        best = sqrt(dx * dx + dy * dy);
                }
                if (!(out[i] == (float)(best * 7.0)))
                    fail_msg("cell %d: %g, not %g", i, (double)out[i], 7 * best);
            }
            rv_terrain_destroy(land);
        }
    rv_context_destroy(ctx);
}

/* De Morgan, to the bit, and the ways of joining are those of sets where edges are hard. */
static void joined_like_sets(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_run(
        ctx, "terrain width=30 height=20 noise select name=a where=\"noise > 0.5~0.4\" seed=3 "
             "select name=b where=\"noise > 0.5~0.4\" seed=4 "
             "select name=both where=\"a and b\" select name=either where=\"a or b\" "
             "select name=c where=\"not (not a and not b)\" select name=d where=\"not a\"");
    const float *a = rv_terrain_field(land, "a"), *b = rv_terrain_field(land, "b");
    int soft = 0;
    for (int i = 0; i < WIDE * HIGH; i++) {
        assert_equal(rv_terrain_field(land, "both")[i], fminf(a[i], b[i]));
        assert_equal(rv_terrain_field(land, "either")[i], fmaxf(a[i], b[i]));
        assert_equal(rv_terrain_field(land, "d")[i], 1.0f - a[i]);
        assert_near(rv_terrain_field(land, "c")[i], fmaxf(a[i], b[i]), 1e-7);
        soft += a[i] > 0 && a[i] < 1;
    }
    assert_greater(soft, 20);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void layers_and_fields(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = plane(ctx, 1.0f, 0.0f);
    rv_layer_params soil = rv_layer_params_default();
    soil.below = 10;
    soil.fade = 0;
    support_ok(ctx, rv_step_run(land, RV_STEP_layer, &soil, NULL));
    assert_equal(selected(ctx, land, "soil > 0"), 10 * HIGH);
    assert_equal(selected(ctx, land, "soil >= 2"), 10 * HIGH);
    assert_equal(selected(ctx, land, "bedrock < 3"), 3 * HIGH);
    assert_equal(selected(ctx, land, "height < 3"), HIGH); /* 2 m of soil lie on it */
    static float own[WIDE * HIGH];
    own[7] = 0.25f;
    own[9] = 17;
    support_ok(ctx, rv_terrain_field_set(land, "of-mine", own));
    assert_equal(selected(ctx, land, "of-mine > 0"), 2);
    assert_equal(selected(ctx, land, "of-mine"), 1.25);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* The mask that a field makes is the one that its image makes. */
static void fields_mask_like_images(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const ways[][2] = {
        {"mask field=s", "mask s.npy"},
        {"mask field=s invert=yes", "mask s.npy invert=yes"},
        {"hardness field=s", "hardness s.npy"},
        {"select name=mask where=s", "mask s.npy"},
        {"select name=hardness where=\"height > 300~200 and slope < 40\"", "hardness s.npy"},
    };
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        uint64_t hash[2];
        for (int way = 0; way < 2; way++) {
            char text[512];
            snprintf(text, sizeof text,
                     "terrain size=60 noise relief=600 frequency=2 "
                     "select name=s where=\"height > 300~200 and slope < 40\" save s.npy field=s "
                     "%s droplets drops=500 noise mode=add seed=3 relief=50",
                     ways[k][way]);
            rv_terrain *land = support_run(ctx, text);
            hash[way] = rv_terrain_hash(land);
            rv_terrain_destroy(land);
        }
        assert_equal(hash[0], hash[1]);
    }
    rv_context_destroy(ctx);
}

/* Trees: lower than 1500 m, flatter than 30 degrees, not under water. */
static void trees_are_one_line(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_run(
        ctx, "terrain size=90 cell=40 noise relief=2400 flood level=400\n"
             "select name=trees where=\"height < 1500 and slope < 30 and not water > 0\"\n"
             "mask field=trees layer name=woods thickness=15 save trees.npy field=trees");
    const float *trees = rv_terrain_field(land, "trees"), *water = rv_terrain_field(land, "water");
    const float *woods = rv_terrain_field(land, "woods"), *rock = rv_terrain_field(land, "bedrock");
    int count = 0;
    for (int i = 0; i < 90 * 90; i++) {
        assert_equal(woods[i], 15 * trees[i]);
        if (trees[i] > 0)
            assert_true(rock[i] < 1500 && !(water[i] > 0) && trees[i] == 1);
        else if (rock[i] < 1400 && !(water[i] > 0))
            count++; /* too steep */
    }
    assert_greater(count, 100);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void keep_line(void *user, const char *line) {
    snprintf(user, 200, "%s", line);
}

static void nothing_selected_is_a_note(void **state) {
    (void)state;
    char said[200] = "";
    rv_context_desc desc = rv_context_desc_default();
    desc.log = keep_line;
    desc.user = said;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rv_terrain *land = plane(ctx, 1.0f, 0.0f);
    assert_equal(selected(ctx, land, "height < 1"), HIGH);
    assert_string_equal(said, "");
    assert_equal(selected(ctx, land, "height > 1000"), 0);
    assert_string_equal(said, "selection: nothing is selected.");
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Each is refused with a sentence that holds these words, and changes nothing. */
static void mistakes_are_told(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = plane(ctx, 1.0f, 0.0f);
    uint64_t hash = rv_terrain_hash(land);
    static const char *const wrong[][3] = {
        {"s", "heigt < 5", "no field \"heigt\""},
        {"s", "flow > 5", "no field \"flow\""},
        {"s", "height <", "letter 9: a number"},
        {"s", "height < 5 and", "letter 15"},
        {"s", "height < 5 slope > 3", "letter 12"},
        {"s", "height < five", "letter 10: a number"},
        {"s", "height = 5", "letter 8"},
        {"s", "(height < 5", "letter 12: )"},
        {"s", "height < 5)", "letter 11"},
        {"s", "height in 5", "letter 12: .."},
        {"s", "height in 9..5", "9 is above 5"},
        {"s", "height < 5~", "a number"},
        {"s", "height < 5~-1", "below 0"},
        {"s", "5 < height", "letter 1: the name of a field"},
        {"s", "height < 1e99", "a number"},
        {"s", "or", "letter 1"},
        {"s", "a_name_that_is_longer_than_any_field_can_have > 3", "so long a name"},
        {"", "height < 5", "no name"},
        {"two words", "height < 5", "no name"},
        {"and", "height < 5", "no name"},
        {"slope", "height < 5", "no name"},
        {"5", "height < 5", "no name"},
        {"height", "height < 5", "field of other steps"},
        {"water", "height < 5", "field of other steps"},
        {"bedrock", "height < 5", "is a layer"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        rv_select_params p = rv_select_params_default();
        p.name = wrong[k][0];
        p.where = wrong[k][1];
        assert_int_equal(rv_step_run(land, RV_STEP_select, &p, NULL), RV_ERROR_USAGE);
        if (strstr(rv_context_error(ctx), wrong[k][2]) == NULL)
            fail_msg("%s: %s", wrong[k][1], rv_context_error(ctx));
        assert_equal(rv_terrain_hash(land), hash);
    }
    char deep[400] = "";
    for (int i = 0; i < 60; i++)
        strcat(deep, "not ");
    strcat(deep, "height");
    rvi_condition c;
    assert_int_equal(rvi_condition_parse(ctx, "where", deep, &c), RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(ctx), "nested"));
    char many[1200] = "height";
    for (int i = 0; i < 60; i++)
        strcat(many, " or height");
    assert_int_equal(rvi_condition_parse(ctx, "where", many, &c), RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(ctx), "more than 64 parts"));
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_are_counted_by_hand),
        cmocka_unit_test(edges_are_soft),
        cmocka_unit_test(slope_and_aspect_of_planes),
        cmocka_unit_test(curvature_of_a_ridge),
        cmocka_unit_test(area_of_a_cone),
        cmocka_unit_test(distance_to_water),
        cmocka_unit_test(distances_are_exact),
        cmocka_unit_test(joined_like_sets),
        cmocka_unit_test(layers_and_fields),
        cmocka_unit_test(fields_mask_like_images),
        cmocka_unit_test(trees_are_one_line),
        cmocka_unit_test(nothing_selected_is_a_note),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
