/* test_device_rivers.c: steps that route water give the processor's bits on a device. Runs on
 * PoCL or on a GPU (RAVINE_TEST_DEVICE), and says so when there is none. */
#include "device_pair.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t chance = 1;

static int below(int n) {
    return (int)(rvi_random(17, chance++, 0) % (uint64_t)n);
}

static double between(double low, double high) {
    return low + (high - low) * (double)rvi_unit(rvi_random(17, chance++, 1));
}

/* RAVINE_LANDS=1000 tries more of them. */
static uint64_t cases(uint64_t count) {
    const char *more = getenv("RAVINE_LANDS");
    return more ? strtoull(more, NULL, 10) : support_cases(count);
}

/* A number for all that a file holds; 0: there is none. */
static uint64_t bytes_of(const char *path) {
    static char bytes[1 << 22];
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    assert_less(count, sizeof bytes);
    if (file)
        fclose(file);
    remove(path);
    return count ? rvi_hash(bytes, count, 1) : 0;
}

static void compare_figures(rv_terrain *lands[2], const char *recipe) {
    assert_int_equal(rv_terrain_figure_count(lands[0]), rv_terrain_figure_count(lands[1]));
    for (int i = 0; i < rv_terrain_figure_count(lands[0]); i++) {
        const rv_figure *one = rv_terrain_figure(lands[0], i),
                        *two = rv_terrain_figure(lands[1], i);
        if (memcmp(&one->value, &two->value, sizeof one->value) != 0)
            fail_msg("another %s on the device: %s", one->name, recipe);
    }
}

static void compare(const char *recipe) {
    static const char *const files[] = {"a.geojson", "a.csv"};
    rv_ledger ledgers[2];
    uint64_t hashes[2], written[2][2];
    rv_terrain *lands[2];
    if (!device)
        return;
    for (int i = 0; i < 2; i++) {
        lands[i] = support_run(i ? device : processor, recipe);
        hashes[i] = rv_terrain_hash(lands[i]);
        ledgers[i] = rv_terrain_ledger(lands[i]);
        for (int k = 0; k < 2; k++)
            written[k][i] = bytes_of(files[k]);
    }
    compare_figures(lands, recipe);
    for (int i = 0; i < 2; i++) {
        rv_terrain_destroy(lands[i]);
        if (written[i][0] != written[i][1])
            fail_msg("another %s on the device: %s", files[i], recipe);
    }
    if (hashes[0] != hashes[1])
        fail_msg("another result on the device: %s", recipe);
    if (memcmp(&ledgers[0], &ledgers[1], sizeof ledgers[0]) != 0)
        fail_msg("another ledger on the device: %s", recipe);
}

/* Odd ones, and those that are a single row or column. */
static void draw_land(char *recipe, size_t size) {
    static const int sizes[][2] = {{1, 2},   {2, 1},   {1, 77},  {77, 1},   {2, 2},
                                   {17, 31}, {64, 64}, {130, 3}, {200, 199}};
    const int *s = sizes[below((int)(sizeof sizes / sizeof sizes[0]))];
    snprintf(recipe, size, "terrain width=%d height=%d cell=%g noise seed=%d relief=%g octaves=%d ",
             s[0], s[1], between(0.5, 90), below(1000), between(1, 3000), 1 + below(12));
}

static void floods_are_the_same(void **state) {
    (void)state;
    for (uint64_t i = 0; i < cases(12); i++) {
        char recipe[512];
        draw_land(recipe, sizeof recipe);
        size_t used = strlen(recipe);
        snprintf(recipe + used, sizeof recipe - used, "flood %s", below(3) ? "" : "flood level=30");
        compare(recipe);
    }
}

static void drains_are_the_same(void **state) {
    (void)state;
    static const char *const methods[] = {"breach", "fill", "both", "both cut=3"};
    static const char *const lakes[] = {"", "", "lakes=keep ", "lakes=keep deep=0.3 "};
    static const char *const limits[] = {
        "", "", "select name=mask where=height>10~50 ", "layer name=soil thickness=2 noise=1 ",
        ("layer name=sand thickness=9 below=90 layer name=soil thickness=0.5 noise=1 "
         "select name=mask where=noise>0.4~0.5 ")};
    for (uint64_t i = 0; i < cases(16); i++) {
        char recipe[512];
        draw_land(recipe, sizeof recipe);
        size_t used = strlen(recipe);
        snprintf(recipe + used, sizeof recipe - used, "%sdrain method=%s slope=%g %s%sflood",
                 limits[below(5)], methods[below(4)], below(4) ? between(0, 0.01) : 0.0,
                 below(3) ? "" : "sea=5 ", lakes[below(4)]);
        compare(recipe);
    }
}

/* Steps of whole metres, some of them missing. */
static void write_holes(const char *path, int width, int height) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "ncols %d\nnrows %d\nxllcorner 0\nyllcorner 0\ncellsize %g\nNODATA_value -9\n",
            width, height, between(1, 50));
    int from = below(9), most = 2 + below(30), rare = 2 + below(300);
    for (int i = 0; i < width * height; i++)
        fprintf(file, "%d ",
                below(rare) ? (i % width / 8 + i / width / 5 + below(2) + from) % most : -9);
    assert_int_equal(fclose(file), 0);
}

static void analyses_of_holes_are_the_same(void **state) {
    (void)state;
    for (uint64_t i = 0; device && i < cases(12); i++) {
        char recipe[128];
        write_holes("holes.asc", 2 + below(180), 2 + below(180));
        snprintf(recipe, sizeof recipe, "open holes.asc analyse channel=%d csv=a.csv",
                 1 + below(20));
        compare(recipe);
    }
}

/* With lakes that are filled, so that water crosses flats from tile to tile; and all of it
 * flat. */
static void analyses_are_the_same(void **state) {
    (void)state;
    static const char *const lands[] = {"", "drain method=fill slope=0 ",
                                        "blur radius=6cells drain method=fill slope=0 "};
    static const char *const files[] = {"", "", "geojson=a.geojson ", "csv=a.csv "};
    for (uint64_t i = 0; i < cases(24); i++) {
        char recipe[512];
        draw_land(recipe, sizeof recipe);
        size_t used = strlen(recipe);
        snprintf(recipe + used, sizeof recipe - used, "%sanalyse channel=%d %s", lands[below(3)],
                 below(4) ? 1 + below(60) : 1, files[below(4)]);
        compare(recipe);
    }
    compare("terrain width=300 height=290 analyse channel=9 csv=a.csv");
    compare("terrain width=200 height=150 cone radius=9 cone mode=add relief=-50 radius=800 drain "
            "method=fill slope=0 analyse channel=4 geojson=a.geojson rivers steps=2 analyse");
    compare("terrain width=500 height=333 noise seed=4 octaves=9 drain method=fill slope=0 "
            "analyse");
}

/* What holds the ground back, and where rain falls or land rises. */
static const char *draw_limits(void) {
    static const char *const limits[] = {
        "",
        "",
        "select name=mask where=height>10 ",
        "select name=ha where=height>10 hardness field=ha ",
        "rainfall ",
        "select name=up where=height>0~90 ",
        "strata thickness=40 hardness=0.9 tilt=20 ",
        "strata thickness=9 hardness=1 select name=ha where=height>10 hardness field=ha ",
        "hardness rock.npy ",
        "hardness noise=0.9 octaves=2 strata thickness=30 layer name=soil thickness=2 ",
        "layer name=soil thickness=2 noise=1 ",
        "layer name=sand thickness=9 erodibility=0.3 layer name=soil thickness=1 noise=1 ",
        "layer name=ice thickness=4 erodibility=0 below=200 layer name=soil thickness=5 ",
        ("strata thickness=9 hardness=1 layer name=sand thickness=4 noise=0.5 "
         "select name=mask where=noise>0.4~0.5 "),
    };
    return limits[below(14)];
}

static void add_rivers(char *recipe, size_t size) {
    static const char *const borders[] = {
        "outlets", "open", "sink", "north", "east", "south", "west", "wall", "outlets outlets=2"};
    static const char *const powers[] = {"1", "1", "1", "2", "0.7", "1.4"};
    size_t used = strlen(recipe);
    bool up = strstr(recipe, "name=up ") != NULL;
    snprintf(recipe + used, size - used,
             "rivers time=%g steps=%d uplift=%g erosion=%g slope_power=%s deposition=%g source=%g "
             "diffusion=%g talus=%g talus_vary=%g floods=%g border=%s wander=%g vary=%g seed=%d ",
             between(1e3, 1e6), 1 + below(below(4) ? 12 : 40), between(0, 1), between(0, 20),
             powers[below(6)], below(2) ? between(0, 3) : 0.0, between(0, 0.05),
             below(3) ? between(0, 0.1) : 0.0, below(4) ? between(5, 60) : 90.0,
             below(2) ? between(0, 0.5) : 0.0, below(3) ? 0.0 : between(0, 2), borders[below(9)],
             between(0, 1), below(2) ? between(0, 1) : 0.0, below(1000));
    used = strlen(recipe);
    snprintf(recipe + used, size - used, "%s%salluvium=%g ", up ? "uplift_field=up " : "",
             below(4) ? "" : "sea=5 ", below(3) ? 0.0 : between(1, 40));
    used = strlen(recipe);
    if (up && below(2))
        snprintf(recipe + used, size - used, "spacing_field=up spacing=%g ", between(1, 8));
}

static void random_rivers_are_the_same(void **state) {
    (void)state;
    for (uint64_t i = 0; i < cases(30); i++) {
        char recipe[2048];
        draw_land(recipe, sizeof recipe);
        size_t used = strlen(recipe);
        snprintf(recipe + used, sizeof recipe - used, "%s", draw_limits());
        add_rivers(recipe, sizeof recipe);
        if (below(3) == 0)
            add_rivers(recipe, sizeof recipe);
        compare(recipe);
    }
}

/* Fans that reach over several tiles, alluvium that spills from one to the next, and what a mask
 * holds back of it. */
static void alluvium_is_the_same(void **state) {
    (void)state;
    compare("terrain width=300 height=190 cell=20 noise relief=900 rivers steps=6 time=2M "
            "source=0.002 alluvium=30");
    compare("terrain width=150 height=260 cell=8 noise relief=300 select name=mask "
            "where=height>20~120 rivers steps=4 time=300k source=0.0005 alluvium=200");
    compare("terrain size=200 cell=5 noise relief=90 rivers steps=3 time=20k source=0.01 sea=5 "
            "floods=1 alluvium=100");
    compare("terrain width=1 height=300 cell=9 noise rivers steps=2 source=0.0001 alluvium=40");
    for (uint64_t i = 0; i < cases(10); i++) {
        char recipe[1024];
        int used = snprintf(
            recipe, sizeof recipe, "terrain width=%d height=%d cell=%g noise seed=%d relief=%g ",
            20 + below(200), 20 + below(200), between(2, 60), below(1000), between(20, 2000));
        if (below(2))
            used += snprintf(recipe + used, sizeof recipe - (size_t)used,
                             "select name=mask where=height>%g~%g ", between(-90, 30),
                             between(31, 200));
        snprintf(recipe + used, sizeof recipe - (size_t)used,
                 "rivers steps=3 time=%g source=%g alluvium=%g", between(1e4, 2e6),
                 between(0, 0.01), between(1, 100));
        compare(recipe);
    }
}

/* What the device cannot do the processor does. */
static void rivers_of_both_follow_each_other(void **state) {
    (void)state;
    compare("terrain size=90 cell=30 noise rivers steps=4 layer name=soil thickness=3 rivers "
            "steps=4 deposition=1 flood");
    compare("terrain size=90 cell=30 noise strata thickness=50 hardness=0.5 rivers steps=4 strata "
            "hardness=0 thermal talus=30 rivers steps=4 flood");
    compare("terrain size=64 cell=30 noise seed=7 strata rivers");
    compare("terrain size=64 cell=30 noise seed=7 layer name=bedrock erodibility=0.5 rivers "
            "diffusion=0 steps=20");
    compare("terrain size=80 cell=12 noise relief=300 layer name=soil thickness=60 noise=0.4 layer "
            "name=bedrock erodibility=0 rivers border=north steps=9 uplift=0 deposition=0.5");
    compare("terrain size=70 cell=0.01 noise level low=4000 high=4000.3 rivers border=sink steps=5 "
            "time=5M diffusion=1000");
    compare("terrain width=96 height=70 cell=1 noise frequency=20 relief=12 rivers steps=20");
    compare("terrain size=96 cell=20 noise level low=300 high=340 cone mode=add relief=-150 "
            "radius=600 select name=mask where=noise>0.5 rivers deposition=2 time=50k steps=5");
    compare("terrain size=90 cell=30 noise rivers steps=4 alluvium=10 layer name=soil thickness=3 "
            "noise mode=add relief=5 rivers steps=4 deposition=1 floods=1 alluvium=10 flood");
    compare("terrain size=90 cell=30 noise rivers steps=3 thermal talus=30 rounds=9 noise mode=add "
            "relief=5 rivers steps=3 drain flood rivers steps=3");
}

/* A stop leaves land whose ledger adds up (step_run.c checks it), and the device goes on. */
static bool stop(void *user, const rv_progress *now) {
    (void)now;
    return --*(int *)user > 0;
}

static void a_stop_leaves_whole_land(void **state) {
    (void)state;
    for (int asks = 1; device && asks < 6; asks++) {
        rv_context *ctx;
        rv_context_desc desc = rv_context_desc_default();
        int left = asks;
        desc.progress = stop;
        desc.user = &left;
        assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
        support_ok(ctx, rv_context_use_device(ctx, device_number));
        rv_terrain *land = support_land(ctx, 200, 150, 10);
        left = 1 << 30;
        support_ok(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
        rv_rivers_params rivers = rv_rivers_params_default();
        rivers.steps = 1000000;
        rivers.deposition = asks % 2 ? 0 : 1;
        if (asks > 2)
            support_ok(ctx, rv_step_run(land, RV_STEP_layer, NULL, NULL));
        left = asks;
        rv_report report;
        assert_int_equal(rv_step_run(land, RV_STEP_rivers, &rivers, &report), RV_CANCELLED);
        const rv_ledger *l = &report.ledger;
        assert_near(l->eroded, l->deposited + l->left_map, 1e-6 * l->eroded + 1e-3);
        left = 1 << 30;
        rivers.steps = 2;
        support_ok(ctx, rv_step_run(land, RV_STEP_rivers, &rivers, NULL));
        rv_terrain_destroy(land);
        rv_context_destroy(ctx);
    }
}

/* Stops at the second question after the last time step: in what comes after it. */
static bool stop_after(void *user, const rv_progress *now) {
    int *asked = user;
    *asked += now->step[0] == 'r' && now->done >= 1.0;
    return *asked < 2;
}

static void a_stop_in_alluvium_leaves_whole_land(void **state) {
    (void)state;
    for (int layers = 0; device && layers < 2; layers++) {
        rv_context *ctx;
        rv_context_desc desc = rv_context_desc_default();
        int asked = 0;
        desc.progress = stop_after;
        desc.user = &asked;
        assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
        support_ok(ctx, rv_context_use_device(ctx, device_number));
        rv_terrain *land = support_land(ctx, 500, 400, 10);
        support_ok(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
        if (layers)
            support_ok(ctx, rv_step_run(land, RV_STEP_layer, NULL, NULL));
        rv_rivers_params rivers = rv_rivers_params_default();
        rivers.steps = 2;
        rivers.alluvium = 20;
        rv_report report;
        rv_status status = rv_step_run(land, RV_STEP_rivers, &rivers, &report);
        assert_true(status == RV_CANCELLED || asked < 2); /* a fast machine is not asked again */
        const rv_ledger *l = &report.ledger;
        assert_near(l->eroded, l->deposited + l->left_map, 1e-6 * l->eroded + 1e-3);
        asked = -1000;
        support_ok(ctx, rv_step_run(land, RV_STEP_rivers, &rivers, NULL));
        rv_terrain_destroy(land);
        rv_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floods_are_the_same),
        cmocka_unit_test(drains_are_the_same),
        cmocka_unit_test(analyses_are_the_same),
        cmocka_unit_test(analyses_of_holes_are_the_same),
        cmocka_unit_test(random_rivers_are_the_same),
        cmocka_unit_test(alluvium_is_the_same),
        cmocka_unit_test(rivers_of_both_follow_each_other),
        cmocka_unit_test(a_stop_leaves_whole_land),
        cmocka_unit_test(a_stop_in_alluvium_leaves_whole_land),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
