/* test_device.c: steps on a device give the processor's bits. Runs on PoCL or on a GPU
 * (RAVINE_TEST_DEVICE), and says so when there is none. */
#include "device_pair.h"

#include "base/hash.h"
#include "device/device.h"
#include "device/opencl.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t chance = 1;

static int below(int n) {
    return (int)(rvi_random(7, chance++, 0) % (uint64_t)n);
}

static float between(float low, float high) {
    return low + (high - low) * rvi_unit(rvi_random(7, chance++, 1));
}

/* RAVINE_LANDS=1000 tries more of them. */
static uint64_t cases(uint64_t count) {
    const char *more = getenv("RAVINE_LANDS");
    return more ? strtoull(more, NULL, 10) : support_cases(count);
}

static bool go_on = true;

static bool on_progress(void *user, const rv_progress *now) {
    (void)user, (void)now;
    return go_on;
}

static uint64_t hash_of(rv_context *ctx, const char *recipe) {
    rv_terrain *land = support_run(ctx, recipe);
    uint64_t hash = rv_terrain_hash(land);
    rv_terrain_destroy(land);
    return hash;
}

/* The same land, ledger and sentence; what one refuses, the other refuses: a crop of which nothing
 * is left. */
static uint64_t refused;
static void compare(const char *recipe) {
    rv_terrain *mine = NULL, *other = NULL;
    if (!device)
        return;
    rv_status status = rv_recipe_run_text(processor, recipe, NULL, &mine);
    assert_int_equal(rv_recipe_run_text(device, recipe, NULL, &other), status);
    refused += status != RV_OK;
    if (status != RV_OK) {
        assert_string_equal(rv_context_error(processor), rv_context_error(device));
        return;
    }
    const rv_ledger ledger = rv_terrain_ledger(mine), others = rv_terrain_ledger(other);
    if (rv_terrain_hash(mine) != rv_terrain_hash(other))
        fail_msg("another result on the device: %s", recipe);
    if (memcmp(&ledger, &others, sizeof ledger) != 0)
        fail_msg("another ledger on the device: %s", recipe);
    rv_terrain_destroy(mine);
    rv_terrain_destroy(other);
}

/* Odd ones, and those that are a single row or column. */
static void draw_land(char *recipe, size_t size) {
    static const int sizes[][2] = {{1, 2},   {2, 1},   {1, 77},  {77, 1},   {2, 2},
                                   {17, 31}, {64, 64}, {130, 3}, {200, 199}};
    const int *s = sizes[below((int)(sizeof sizes / sizeof sizes[0]))];
    snprintf(recipe, size, "terrain width=%d height=%d cell=%g ", s[0], s[1],
             (double)between(0.5f, 90));
}

static void add_noise(char *recipe, size_t size) {
    static const char *const shapes[] = {"plain", "ridged", "billow"}, *const bases[] = {"sparse",
                                                                                         "perlin",
                                                                                         "value"};
    static const char *const modes[] = {"set", "add", "multiply"};
    size_t used = strlen(recipe);
    snprintf(recipe + used, size - used,
             "noise seed=%d shape=%s basis=%s mode=%s octaves=%d frequency=%g warp=%g relief=%g "
             "gain=%g %s ",
             below(1000), shapes[below(3)], bases[below(3)], modes[below(3)], 1 + below(12),
             (double)between(0.1f, 30), (double)(below(2) ? between(0, 2) : 0),
             (double)between(1, 3000), (double)between(0.2f, 0.8f),
             below(6)                 ? ""
             : strstr(recipe, "soil") ? "layer=soil relief=3"
                                      : "field=rock");
}

static void add_thermal(char *recipe, size_t size) {
    static const char *const receivers[] = {"all", "lowest", "gradient"};
    static const char *const gradients[] = {"central", "forward", "backward"};
    size_t used = strlen(recipe);
    bool tiny =
        strstr(recipe, "width=2 ") || strstr(recipe, "height=2 "); /* all of it would leave */
    snprintf(recipe + used, size - used,
             "thermal talus=%g rounds=%d k=%g neighbours=%d border=%s method=%s receiver=%s "
             "gradient=%s give=%s ",
             (double)between(0, 60), below(60), (double)between(0.1f, 5), below(2) ? 4 : 8,
             below(2) && !tiny ? "open" : "wall", below(4) ? "pairs" : "slope", receivers[below(3)],
             gradients[below(3)], below(2) ? "top" : "same");
}

static void add_pipes(char *recipe, size_t size) {
    static const char *const transports[] = {"flux", "backward", "forward"};
    static const char *const springs[] = {"", "spring_rate=3", "springs=0/0/1"};
    size_t used = strlen(recipe);
    snprintf(recipe + used, size - used,
             "pipes time=%g rounds=%d rain=%g evaporation=%g neighbours=%d border=%s transport=%s "
             "model=%s width=%dcells %s ",
             (double)between(1, 60), 1 + below(30), (double)(below(4) ? between(0, 200) : 0),
             (double)(below(2) ? between(0, 0.1f) : 0), below(2) ? 4 : 8,
             below(2) ? "open" : "wall", transports[below(3)], below(4) ? "inertial" : "virtual",
             below(3) * 3, springs[below(3)]);
}

static void add_runoff(char *recipe, size_t size) {
    size_t used = strlen(recipe);
    snprintf(recipe + used, size - used,
             "runoff rounds=%d water=%g every=%d travel=%dcells evaporation=%g infiltration=%g "
             "neighbours=%d border=%s width=%dcells ",
             1 + below(20), (double)between(0, 0.2f), below(6), 1 + below(3),
             (double)between(0, 0.5f), (double)(below(3) ? 0 : between(0, 0.01f)), below(2) ? 4 : 8,
             below(2) ? "open" : "wall", below(3) * 3);
}

static void add_droplets(char *recipe, size_t size) {
    static const char *const borders[] = {"open", "wall", "apron"};
    size_t used = strlen(recipe);
    float radius = between(1, below(4) ? 5 : 12);
    snprintf(recipe + used, size - used,
             "droplets order=batch drops=%d seed=%d radius=%gcells max_path=%gcells border=%s "
             "inertia=%g evaporation=%g erosion=%g first_water=%g%s ",
             below(below(3) ? 50 : 500), below(99), (double)radius, (double)between(1, 20 * radius),
             borders[below(3)], (double)(below(3) ? 0.3f : between(0, 1)), (double)between(0, 0.1f),
             (double)between(0, 1), (double)between(0, 3), below(6) ? "" : " blend=0.4");
}

static void add_particles(char *recipe, size_t size) {
    static const char *const moves[] = {"", " move=1cell", " move=0.3cells"};
    size_t used = strlen(recipe);
    snprintf(recipe + used, size - used,
             "particles order=batch drops=%d seed=%d radius=%gcells border=%s capacity=%g "
             "evaporation=%g max_path=%d softness=%g first_water=%g first_speed=%g%s ",
             below(below(3) ? 50 : 500), below(99), (double)between(1, below(4) ? 5 : 12),
             below(2) ? "open" : "wall", (double)between(0, 9), (double)between(0, 0.1f),
             1 + below(80), (double)between(0, 1), (double)between(0, 3),
             (double)(below(2) ? 0 : between(0, 3)), moves[below(3)]);
}

static void add_shape(char *recipe, size_t size) {
    static const char *const filters[] = {"cubic", "linear", "nearest"};
    size_t used = strlen(recipe);
    switch (below(4)) {
    case 0:
        snprintf(recipe + used, size - used, "level low=%g high=%g ", (double)between(-100, 100),
                 (double)between(0, 2000));
        break;
    case 1:
        snprintf(recipe + used, size - used, "blur radius=%gcells amount=%g ",
                 (double)between(0, below(2) ? 8 : 60), (double)(below(2) ? 1 : between(0, 1)));
        break;
    case 2:
        snprintf(recipe + used, size - used, "resize size=%d filter=%s ", 2 + below(150),
                 filters[below(3)]);
        break;
    default:
        snprintf(recipe + used, size - used, "crop margin=%dcells ", below(4));
    }
}

static void add_made(char *recipe, size_t size) {
    static const char *const profiles[] = {"step", "atan", "sin", "cos", "bump"};
    size_t used = strlen(recipe);
    if (below(2))
        snprintf(recipe + used, size - used, "cone mode=add relief=%g radius=%g power=%g ",
                 (double)between(-500, 500), (double)between(5, 5000), (double)between(0.3f, 3));
    else
        snprintf(recipe + used, size - used,
                 "faults count=%d seed=%d along=%s profile=%s mode=add relief=%g ", 1 + below(60),
                 below(99), below(2) ? "line" : "circle", profiles[below(5)],
                 (double)between(1, 900));
}

static void add_fields(char *recipe, size_t size) {
    static const char *const fields[] = {
        "select name=mask where=\"slope>20~5\" ",
        "select name=hardness where=\"not(aspect in 300..40~20 or curvature<0)\" ",
        "select name=mask where=\"height>10 and noise>0.5~0.3 or water>=0.01\" ",
        "select name=hardness where=\"not water_distance<50 and (slope<=9 or aspect in 10..99)\" ",
        "select name=ha where=\"height<100~50\" mask field=ha invert=true ",
        "noise field=ha hardness field=ha ",
        "hardness noise=0.7 octaves=2 ",
        "mask ",
        "hardness ",
        "track "};
    size_t used = strlen(recipe);
    snprintf(recipe + used, size - used, "%s", fields[below(10)]);
}

/* Now and then something that holds the ground back. */
static void add_limits(char *recipe, size_t size) {
    static const char *const limits[] = {"",
                                         "",
                                         "",
                                         "select name=mask where=height>10 ",
                                         "select name=ha where=height>10 hardness field=ha ",
                                         "rainfall ",
                                         "hardness noise=0.9 octaves=2 frequency=40 ",
                                         "hardness rock.npy layer name=soil thickness=1 ",
                                         "strata thickness=9 hardness rock.npy invert=true ",
                                         "layer name=soil thickness=2 noise=1 ",
                                         "layer name=sand thickness=5 layer name=soil thickness=1 "
                                         "below=200 ",
                                         "strata thickness=20 hardness=0.8 tilt=5 wobble=9 "
                                         "fold=7 ",
                                         "strata thickness=5 layer name=sand thickness=4 "
                                         "noise=0.5 select name=mask where=noise>0.4~0.5 "};
    size_t used = strlen(recipe);
    snprintf(recipe + used, size - used, "%s", limits[below(13)]);
}

static void random_recipes_give_the_same_land(void **state) {
    (void)state;
    void (*const steps[])(char *recipe, size_t size) = {add_noise,  add_thermal,  add_pipes,
                                                        add_runoff, add_shape,    add_made,
                                                        add_fields, add_droplets, add_particles};
    for (uint64_t i = 0; i < support_cases(80); i++) {
        char recipe[2048];
        draw_land(recipe, sizeof recipe);
        add_noise(recipe, sizeof recipe);
        add_limits(recipe, sizeof recipe);
        for (int count = below(6); count > 0; count--)
            steps[below(9)](recipe, sizeof recipe);
        compare(recipe);
    }
    assert_less_equal(refused, support_cases(80) / 4);
}

/* Drops and particles that make their moves together, on all that holds ground back. */
static void batches_are_the_same(void **state) {
    (void)state;
    for (uint64_t i = 0; i < cases(16); i++) {
        char recipe[2048];
        draw_land(recipe, sizeof recipe);
        add_noise(recipe, sizeof recipe);
        add_limits(recipe, sizeof recipe);
        if (i % 3 == 0)
            add_droplets(recipe, sizeof recipe);
        add_particles(recipe, sizeof recipe);
        compare(recipe);
    }
    compare("terrain size=96 cell=20 noise relief=900 layer name=hard thickness=2 erodibility=0 "
            "layer name=soil thickness=1 noise=1 particles order=batch capacity=5");
}

/* The land at rest: the search for it, what slides of layers, and the rounds after it. */
static void land_settles_alike(void **state) {
    (void)state;
    static const char *const more[] = {"",
                                       "",
                                       "",
                                       "give=top ",
                                       "select name=hardness where=slope>30~0.1 ",
                                       "strata thickness=9 hardness=1 ",
                                       "layer name=ice thickness=2 erodibility=0 "};
    for (uint64_t i = 0; i < cases(16); i++) {
        char recipe[2048];
        draw_land(recipe, sizeof recipe);
        add_noise(recipe, sizeof recipe);
        add_limits(recipe, sizeof recipe);
        const char *one = more[below(7)];
        bool give = strstr(one, "give") != NULL;
        size_t used = strlen(recipe);
        snprintf(recipe + used, sizeof recipe - used,
                 "%sthermal until=settled talus=%g neighbours=%d border=%s %s%s", give ? "" : one,
                 below(8) ? (double)between(5, 60) : 0.0, below(2) ? 4 : 8,
                 below(2) ? "open" : "wall", give ? one : "", below(3) ? "" : "thermal rounds=9 ");
        compare(recipe);
    }
    compare("terrain size=20 cell=30 noise relief=300 thermal until=settled method=slope talus=20");
}

static void layers_are_laid_alike(void **state) {
    (void)state;
    static const char *const names[] = {"soil", "soil", "sand", "bedrock"};
    static const char *const more[] = {
        "", "", "below=20 fade=9 ", "below=0 fade=0 ", "slope=20 ", "erodibility=0.2 talus=50 "};
    for (uint64_t i = 0; i < cases(24); i++) {
        char recipe[2048];
        draw_land(recipe, sizeof recipe);
        add_noise(recipe, sizeof recipe);
        add_limits(recipe, sizeof recipe);
        for (int count = 1 + below(4); count > 0; count--) {
            size_t used = strlen(recipe);
            snprintf(recipe + used, sizeof recipe - used, "layer name=%s thickness=%g noise=%g %s",
                     names[below(4)], (double)(below(5) ? between(0, 20) : 0),
                     (double)(below(2) ? between(0, 1) : 0), more[below(6)]);
            if (below(3) == 0)
                add_thermal(recipe, sizeof recipe);
        }
        compare(recipe);
    }
}

/* Water that wears layers and bands. */
static void pipes_wear_layers_alike(void **state) {
    (void)state;
    static const char *const ground[] = {
        "strata thickness=9 hardness=1 tilt=20 ",
        "strata thickness=2 hardness=0.9 layer name=bedrock erodibility=0.3 ",
        "layer name=soil thickness=0.02 noise=1 ",
        "layer name=sand thickness=0.1 erodibility=3 layer name=soil thickness=0.01 ",
        "layer name=ice thickness=0.1 erodibility=0 below=300 layer name=soil thickness=0.01 ",
        "strata thickness=9 hardness=1 layer name=sand thickness=0.05 noise=0.5 "};
    for (uint64_t i = 0; i < cases(24); i++) {
        char recipe[2048];
        draw_land(recipe, sizeof recipe);
        add_noise(recipe, sizeof recipe);
        add_limits(recipe, sizeof recipe);
        for (int count = 1 + below(2); count > 0; count--) {
            size_t used = strlen(recipe);
            snprintf(recipe + used, sizeof recipe - used, "%s", ground[below(6)]);
            add_pipes(recipe, sizeof recipe);
            used = strlen(recipe);
            snprintf(recipe + used, sizeof recipe - used, "capacity=%g %s ",
                     (double)between(1, 300), below(2) ? "" : "give=same");
        }
        compare(recipe);
    }
}

static uint64_t picture_of(rv_context *ctx, const char *recipe) {
    static char bytes[1 << 20];
    rv_terrain_destroy(support_run(ctx, recipe));
    FILE *file = fopen("lit.png", "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_less(count, sizeof bytes);
    return rvi_hash(bytes, count, 1);
}

static void pictures_are_the_same(void **state) {
    (void)state;
    for (uint64_t i = 0; device && i < cases(24); i++) {
        char recipe[2048];
        draw_land(recipe, sizeof recipe);
        add_noise(recipe, sizeof recipe);
        add_limits(recipe, sizeof recipe);
        size_t used = strlen(recipe);
        snprintf(recipe + used, sizeof recipe - used,
                 "hillshade lit.png azimuth=%g altitude=%g z=%g tint=%s", (double)between(0, 360),
                 (double)(below(4) ? between(0, 90) : 0), (double)(below(4) ? between(0, 9) : 0),
                 below(2) ? "land" : "none");
        if (picture_of(processor, recipe) != picture_of(device, recipe))
            fail_msg("another picture on the device: %s", recipe);
    }
}

static void shapes_of_large_maps_are_the_same(void **state) {
    (void)state;
    compare("terrain width=1000 height=999 cell=3 noise seed=5 field=rock select name=mask "
            "where=rock>0.5~0.5 noise seed=6 relief=400 blur radius=40 level low=-20 high=77 mask "
            "layer name=soil thickness=3 noise mode=add layer=soil blur radius=3cells amount=0.6 "
            "crop margin=11cells resize size=1400 resize width=333 filter=linear crop x=3 y=5 "
            "width=300 height=1 resize size=31");
}

/* What the processor does in between is seen by the device. */
static void steps_of_both_follow_each_other(void **state) {
    (void)state;
    compare("terrain size=60 noise thermal rounds=5 blur radius=20 thermal rounds=5 noise mode=add "
            "seed=2 droplets drops=200 thermal talus=20 rounds=9 level high=100 noise mode=add");
    compare("terrain size=60 noise layer name=soil thickness=3 thermal talus=20 noise mode=add "
            "relief=9");
    compare(
        "terrain size=60 noise relief=900 layer name=soil thickness=0.01 runoff rounds=30 width=0 "
        "strata runoff rounds=30"); /* which cuts through the soil */
    compare("terrain size=60 noise select name=mask where=slope>20 thermal talus=20 rounds=9 noise "
            "mode=add relief=9");
    compare("terrain size=60 noise repeat 3 thermal talus=25 rounds=3 noise mode=add relief=3 end "
            "crop margin=7cells thermal talus=20 rounds=3 resize size=33 noise mode=add");
}

/* A program that changes the land between two steps. */
static void what_a_program_sets_counts(void **state) {
    (void)state;
    enum { SIDE = 40 };
    static float heights[SIDE * SIDE];
    uint64_t hashes[2];
    for (int i = 0; device && i < 2; i++) {
        rv_context *ctx = i ? device : processor;
        rv_terrain *land = support_land(ctx, SIDE, SIDE, 10);
        support_ok(ctx, rv_step_run(land, RV_STEP_noise, NULL, NULL));
        rv_thermal_params thermal = rv_thermal_params_default();
        thermal.rounds = 7;
        thermal.talus = 10;
        support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &thermal, NULL));
        for (int k = 0; k < SIDE * SIDE; k++)
            heights[k] = (float)(k * k % 101);
        support_ok(ctx, rv_terrain_field_set(land, "height", heights));
        support_ok(ctx, rv_step_run(land, RV_STEP_thermal, &thermal, NULL));
        hashes[i] = rv_terrain_hash(land);
        rv_terrain_destroy(land);
    }
    if (device)
        assert_true(hashes[0] == hashes[1]);
}

/* A stop leaves land whose ledger adds up (step_run.c checks it), and the device goes on. */
static void a_stop_leaves_whole_land(void **state) {
    (void)state;
    if (!device)
        return;
    rv_terrain *land = support_land(device, 300, 200, 10);
    support_ok(device, rv_step_run(land, RV_STEP_noise, NULL, NULL));
    rv_thermal_params thermal = rv_thermal_params_default();
    thermal.rounds = 1000000000;
    thermal.talus = 10;
    go_on = false;
    rv_report report;
    assert_int_equal(rv_step_run(land, RV_STEP_thermal, &thermal, &report), RV_CANCELLED);
    go_on = true;
    assert_near(report.ledger.eroded, report.ledger.deposited, 1e-6 * report.ledger.eroded + 1e-3);
    thermal.rounds = 3;
    support_ok(device, rv_step_run(land, RV_STEP_thermal, &thermal, NULL));
    rv_droplets_params drops = rv_droplets_params_default();
    drops.order = RV_droplets_order_batch;
    drops.drops = 1000000000;
    go_on = false;
    assert_int_equal(rv_step_run(land, RV_STEP_droplets, &drops, &report), RV_CANCELLED);
    go_on = true;
    const rv_ledger *l = &report.ledger;
    assert_near(l->eroded, l->deposited + l->left_map + l->suspended, 1e-6 * l->eroded + 1e-3);
    drops.drops = 100;
    support_ok(device, rv_step_run(land, RV_STEP_droplets, &drops, NULL));
    rv_particles_params particles = rv_particles_params_default();
    particles.order = RV_particles_order_batch;
    particles.drops = 1000000000;
    go_on = false;
    assert_int_equal(rv_step_run(land, RV_STEP_particles, &particles, &report), RV_CANCELLED);
    go_on = true;
    assert_near(l->eroded, l->deposited + l->left_map + l->suspended, 1e-6 * l->eroded + 1e-3);
    particles.drops = 100;
    support_ok(device, rv_step_run(land, RV_STEP_particles, &particles, NULL));
    rv_terrain_destroy(land);
}

/* ---- where the land is ---- */

enum { STAYS = 400 }; /* cells along a side */
static int fetched;   /* grids of about that size that came back */
static int32_t (*real_read)(cl_thing *, cl_thing *, uint32_t, size_t, size_t, void *, uint32_t,
                            cl_thing *const *, cl_thing **);

static int32_t read_and_count(cl_thing *queue, cl_thing *memory, uint32_t wait, size_t offset,
                              size_t size, void *to, uint32_t events, cl_thing *const *list,
                              cl_thing **event) {
    fetched += size > STAYS * STAYS * sizeof(float) / 2;
    return real_read(queue, memory, wait, offset, size, to, events, list, event);
}

/* From step to step no grid comes back to the processor, where nobody looks at the land. */
static void the_land_stays_on_the_device(void **state) {
    (void)state;
    static const char *const recipes[] = {
        "noise field=rock noise blur radius=30 blur radius=200 level low=3",
        "noise crop x=0 y=0 width=400 height=399 thermal rounds=3 resize size=400 noise mode=add",
        "noise thermal rounds=3 runoff rounds=3 pipes time=9 noise mode=add",
        "noise noise field=mask droplets order=batch drops=300 first_water=1e-35 noise mode=add "
        "droplets order=batch "
        "drops=40 border=apron margin=9cells level high=9",
        "layer name=soil thickness=0 noise noise layer=soil thermal rounds=5 talus=20 level high=9",
        "noise select name=ha where=\"slope>9 and noise>0.4\" hardness field=ha strata mask cone "
        "mode=add faults count=9 mode=add hillshade a.png thermal rounds=2 track hardness",
        "noise noise field=hardness noise field=mask thermal rounds=5 talus=20 thermal rounds=5 "
        "method=slope",
        "layer name=soil thickness=0 noise noise layer=soil strata runoff rounds=3 thermal "
        "rounds=2",
        "noise noise field=mask thermal until=settled talus=60",
        "noise hardness noise=0.9 thermal rounds=3 pipes time=9 runoff rounds=3 droplets "
        "order=batch "
        "drops=40",
        "noise analyse thermal rounds=2 analyse channel=9 hillshade a.png",
        "layer name=soil thickness=3 noise particles order=batch drops=60 max_path=9 droplets "
        "order=batch drops=40 max_path=9cells thermal rounds=2",
    };
    rv_context *ctx = NULL;
    if (!device)
        return;
    assert_int_equal(rv_context_create(NULL, &ctx), RV_OK);
    support_ok(ctx, rv_context_use_device(ctx, device_number));
    struct rvi_opencl *cl = rvi_device_opencl(rvi_device_of(ctx));
    real_read = cl->clEnqueueReadBuffer;
    cl->clEnqueueReadBuffer = read_and_count;
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        char recipe[512];
        snprintf(recipe, sizeof recipe, "terrain size=%d %s", STAYS, recipes[i]);
        fetched = 0;
        rv_terrain *land = support_run(ctx, recipe);
        if (fetched > 0)
            fail_msg("%d grids came back: %s", fetched, recipe);
        uint64_t there = rv_terrain_hash(land);
        assert_equal(fetched, 0);
        support_ok(ctx, rvi_terrain_fetch(land));
        assert_greater(fetched, 0); /* now they do */
        assert_true(rv_terrain_hash(land) == there);
        rv_terrain_destroy(land);
    }
    /* What is saved comes back, and nothing else. */
    fetched = 0;
    rv_terrain_destroy(
        support_run(ctx, "terrain size=400 noise noise field=rock pipes time=9 save a.r32 "
                         "thermal rounds=2 save b.r32 field=flow"));
    assert_equal(fetched, 2);
    rv_context_destroy(ctx);
}

/* ---- a device that fails ---- */

static int64_t calls_left;
static int32_t (*real_run)(cl_thing *, cl_thing *, uint32_t, const size_t *, const size_t *,
                           const size_t *, uint32_t, cl_thing *const *, cl_thing **);

static int32_t run_or_fail(cl_thing *queue, cl_thing *kernel, uint32_t dimensions,
                           const size_t *offset, const size_t *global, const size_t *local,
                           uint32_t events, cl_thing *const *list, cl_thing **event) {
    const int32_t lost = -9999;
    return calls_left-- > 0
               ? real_run(queue, kernel, dimensions, offset, global, local, events, list, event)
               : lost;
}

/* It ends the run with a sentence, and the checkpoint goes on on the processor. */
static void a_lost_device_leaves_a_checkpoint(void **state) {
    (void)state;
    if (!device)
        return;
    const char *recipe = "terrain size=50 noise pipes time=20 thermal rounds=9 talus=20 "
                         "droplets order=batch drops=99 max_path=9cells particles order=batch "
                         "drops=99 max_path=9 runoff rounds=9 noise "
                         "mode=add relief=5";
    uint64_t expected = hash_of(processor, recipe);
    struct rvi_opencl *cl = rvi_device_opencl(rvi_device_of(device));
    const rv_watch watch = {.checkpoint = "lost.ck", .every = 0.0};
    real_run = cl->clEnqueueNDRangeKernel;
    cl->clEnqueueNDRangeKernel = run_or_fail;
    for (int64_t calls = 1; calls < 400; calls += 37) {
        rv_terrain *land = NULL;
        calls_left = calls;
        rv_status status = rv_recipe_run_text(device, recipe, &watch, &land);
        calls_left = INT64_MAX;
        if (status == RV_OK) {
            assert_true(rv_terrain_hash(land) == expected);
            rv_terrain_destroy(land);
            continue;
        }
        assert_int_equal(status, RV_ERROR_DEVICE);
        assert_non_null(strstr(rv_context_error(device), "-9999"));
        support_ok(processor, rv_recipe_resume(processor, "lost.ck", &watch, &land));
        assert_true(rv_terrain_hash(land) == expected);
        rv_terrain_destroy(land);
    }
    cl->clEnqueueNDRangeKernel = real_run;
}

static int32_t read_nothing(cl_thing *queue, cl_thing *memory, uint32_t wait, size_t offset,
                            size_t size, void *to, uint32_t events, cl_thing *const *list,
                            cl_thing **event) {
    (void)queue, (void)memory, (void)wait, (void)offset, (void)size, (void)to;
    (void)events, (void)list, (void)event;
    return -9999;
}

static void count_reports(void *user, int step, const rv_report *report) {
    (void)step;
    assert_not_equal(report->hash, 0);
    ++*(int *)user;
}

/* Land that cannot come back has no hash, and nobody is told one. */
static void a_lost_land_has_no_hash(void **state) {
    (void)state;
    if (!device)
        return;
    const char *recipe = "terrain size=50 noise thermal rounds=9";
    uint64_t expected = hash_of(processor, recipe);
    rv_terrain *land = support_run(device, recipe), *none = NULL;
    struct rvi_opencl *cl = rvi_device_opencl(rvi_device_of(device));
    real_read = cl->clEnqueueReadBuffer;
    cl->clEnqueueReadBuffer = read_nothing;
    assert_equal(rv_terrain_hash(land), 0);
    assert_non_null(strstr(rv_context_error(device), "-9999"));
    assert_true(isnan(rv_terrain_volume(land)));
    int told = 0;
    const rv_watch watch = {.after = count_reports, .user = &told};
    assert_int_equal(rv_recipe_run_text(device, recipe, &watch, &none), RV_ERROR_DEVICE);
    assert_non_null(strstr(rv_context_error(device), "-9999"));
    assert_null(none);
    assert_less_equal(told, 1); /* terrain alone makes its land on the processor */
    cl->clEnqueueReadBuffer = real_read;
    assert_equal(rv_terrain_hash(land), expected);
    rv_terrain_destroy(land);
}

/* Changes a byte of each; returns how many there are. */
static int damage_files(const char *folder) {
    DIR *files = opendir(folder);
    int count = 0;
    for (struct dirent *one; files && (one = readdir(files));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, one->d_name);
        FILE *file = one->d_name[0] == '.' ? NULL : fopen(path, "r+b");
        if (!file)
            continue;
        fseek(file, 40, SEEK_SET);
        fputc('?', file);
        fclose(file);
        count++;
    }
    if (files)
        closedir(files);
    return count;
}

/* Kernels are kept in files; those that are damaged are compiled again. */
static void damaged_kernels_are_compiled_again(void **state) {
    (void)state;
    rv_context *ctx = NULL;
    rv_context_desc desc = rv_context_desc_default();
    uint64_t expected = hash_of(processor, "terrain size=30 noise");
    for (int turn = 0; device && turn < 2; turn++) {
        assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
        support_ok(ctx, rv_context_use_device(ctx, device_number));
        assert_true(hash_of(ctx, "terrain size=30 noise") == expected);
        rv_context_destroy(ctx);
        assert_greater(damage_files("kernels"), 0);
    }
}

/* What does not fit runs on the processor. */
static void a_limit_of_memory_is_kept(void **state) {
    (void)state;
    const char *recipe = "terrain size=80 noise pipes time=9 thermal rounds=9";
    if (!device)
        return;
    const uint64_t limits[] = {1, 100000, 1 << 20, 0};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        rv_context_device_limit(device, limits[i]);
        compare(recipe);
    }
}

/* Also where another land of the context has filled the memory. */
static void lands_share_the_memory(void **state) {
    (void)state;
    const char *recipe = "terrain size=100 noise thermal rounds=3";
    uint64_t expected = hash_of(processor, recipe);
    for (uint64_t limit = 100000; device && limit < 800000; limit += 50000) {
        rv_context_device_limit(device, limit);
        rv_terrain *first = support_run(device, recipe), *second = support_run(device, recipe);
        assert_true(rv_terrain_hash(first) == expected);
        assert_true(rv_terrain_hash(second) == expected);
        rv_terrain_destroy(first);
        rv_terrain_destroy(second);
    }
    if (device)
        rv_context_device_limit(device, 0);
}

static void a_device_that_is_not_there_is_told(void **state) {
    (void)state;
    uint64_t hash = hash_of(processor, "terrain size=20 noise");
    assert_int_equal(rv_context_use_device(processor, 1000), RV_ERROR_DEVICE);
    assert_non_null(strstr(rv_context_error(processor), "ravine devices"));
    assert_int_equal(rv_context_device(processor), RV_DEVICE_CPU);
    assert_true(hash == hash_of(processor, "terrain size=20 noise"));
    rv_device_info info;
    assert_false(rv_device_get(0, &info));
    assert_false(rv_device_get(rv_device_count() + 1, &info));
    support_ok(processor, rv_context_use_device(processor, RV_DEVICE_CPU));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_recipes_give_the_same_land),
        cmocka_unit_test(batches_are_the_same),
        cmocka_unit_test(land_settles_alike),
        cmocka_unit_test(layers_are_laid_alike),
        cmocka_unit_test(pipes_wear_layers_alike),
        cmocka_unit_test(pictures_are_the_same),
        cmocka_unit_test(shapes_of_large_maps_are_the_same),
        cmocka_unit_test(steps_of_both_follow_each_other),
        cmocka_unit_test(the_land_stays_on_the_device),
        cmocka_unit_test(what_a_program_sets_counts),
        cmocka_unit_test(a_stop_leaves_whole_land),
        cmocka_unit_test(a_lost_device_leaves_a_checkpoint),
        cmocka_unit_test(a_lost_land_has_no_hash),
        cmocka_unit_test(a_limit_of_memory_is_kept),
        cmocka_unit_test(lands_share_the_memory),
        cmocka_unit_test(damaged_kernels_are_compiled_again),
        cmocka_unit_test(a_device_that_is_not_there_is_told),
    };
    both_ask = on_progress;
    return cmocka_run_group_tests(tests, open_both, close_both);
}
