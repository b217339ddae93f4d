/* test_device_views.c: perspective pictures from a device have the processor's bytes. Runs on PoCL
 * or on a GPU (RAVINE_TEST_DEVICE), and says so when there is none. */
#include "device_pair.h"

#include "base/hash.h"
#include "device/device.h"
#include "device/opencl.h"
#include "formats/colour_file.h"

#include <math.h>
#include <string.h>

static uint64_t chance = 1;

static int below(int n) {
    return (int)(rvi_random(27, chance++, 0) % (uint64_t)n);
}

static double between(double low, double high) {
    return low + (high - low) * (double)rvi_unit(rvi_random(27, chance++, 1));
}

/* RAVINE_LANDS=1000 tries more of them. */
static uint64_t cases(uint64_t count) {
    const char *more = getenv("RAVINE_LANDS");
    return more ? strtoull(more, NULL, 10) : support_cases(count);
}

static const char *one_of(const char *const *list, size_t count) {
    return list[below((int)count)];
}
#define ONE_OF(list) one_of(list, sizeof(list) / sizeof((list)[0]))

/* ---- what is drawn ---- */

/* Odd ones, those that are a single row or column, and such as get no finer grid. */
static void draw_land(char *recipe, size_t size) {
    static const char *const sizes[] = {
        "width=2 height=1",    "width=1 height=77",   "width=77 height=1",   "width=31 height=17",
        "width=200 height=65", "width=641 height=40", "width=47 height=700", "width=661 height=650",
    };
    snprintf(recipe, size, "terrain %s cell=%g noise seed=%d shape=ridged relief=%g ",
             ONE_OF(sizes), between(2, 90), below(99), between(1, 3000));
}

static void add(char *recipe, size_t size, const char *more) {
    size_t used = strlen(recipe);
    snprintf(recipe + used, size - used, "%s", more);
}

static void add_cover(char *recipe, size_t size) {
    static const char *const covers[] = {
        "flood level=200 ",
        "flood level=30 ",
        "layer name=soil thickness=3 layer name=sand thickness=0.4 ",
        "layer name=soil thickness=2 noise layer=soil relief=9 ",
        "track droplets drops=300 ",
        "track thermal rounds=5 talus=10 ",
        "analyse ",
        "strata thickness=40 wobble=90 fold=70 ",
        "hardness noise=0.7 octaves=2 ", /* which the processor draws */
        "hardness file=rock.npy ",
        "drain ",
        "",
    };
    for (int k = below(4); k > 0; k--)
        add(recipe, size, ONE_OF(covers));
}

static void add_camera(char *recipe, size_t size) {
    size_t used = strlen(recipe), room = size - used;
    switch (below(4)) {
    case 0:
        snprintf(recipe + used, room, "eye=%g/%g/%g ", between(-100, 900), between(-100, 900),
                 between(0, 200));
        break;
    case 1:
        snprintf(recipe + used, room, "eye=%g/%g/%g target=%g/%g/%g ", between(0, 9000),
                 between(0, 9000), between(0, 900), between(0, 9000), between(0, 900),
                 between(0, 9));
        break;
    case 2:
        snprintf(recipe + used, room, "azimuth=%g elevation=%g distance=%g fov=%g z=%g ",
                 between(0, 360), between(0, 89), between(0.3, 3), between(5, 100),
                 between(0.3, 3));
        break;
    default:
        break;
    }
}

static void add_light(char *recipe, size_t size) {
    static const char *const lights[] = {"sun=77 altitude=12 ", "altitude=90 ", "time=7.5 ",
                                         "altitude=0 ",         "time=16 ",     ""};
    static const char *const own[] = {"sky=sky.png ",
                                      "normals=bumps.png tile=90 ",
                                      "sky=strip.png normals=bumps.png tile=400 ",
                                      "",
                                      "",
                                      ""};
    static const char *const more[] = {"trees=30 ", "trees=0 ", "snow=300 ", "haze=0 ",
                                       "haze=3 ",   "",         "",          ""};
    add(recipe, size, ONE_OF(lights));
    add(recipe, size, ONE_OF(own));
    add(recipe, size, ONE_OF(more));
}

static void draw_picture(char *recipe, size_t size) {
    static const char *const looks[] = {"look=alpine ", "look=desert ", "look=clay ", "look=map "};
    static const char *const frames[] = {"", "", "frame=none "};
    size_t used = strlen(recipe);
    snprintf(recipe + used, size - used, "render lit.png width=%d height=%d ", 16 + below(80),
             16 + below(60));
    add(recipe, size, ONE_OF(looks));
    add(recipe, size, ONE_OF(frames));
    add_camera(recipe, size);
    add_light(recipe, size);
}

static void write_image(const char *path, int width, int height, int low) {
    unsigned char *rgb = malloc(3 * (size_t)width * (size_t)height);
    assert_non_null(rgb);
    for (int i = 0; i < 3 * width * height; i++)
        rgb[i] = (unsigned char)(low + (int)(rvi_random(5, (uint64_t)i, 0) % 99));
    support_ok(processor, rvi_png_write_picture(processor, path, width, height, 3, rgb));
    free(rgb);
}

static uint64_t hash_of(const char *path) {
    static unsigned char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    assert_less(count, sizeof bytes);
    remove(path);
    return count ? rvi_hash(bytes, count, 1) : 0;
}

static void compare(const char *recipe) {
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        rv_context *ctx = i ? device : processor;
        rv_terrain *land = NULL;
        rv_status status = rv_recipe_run_text(ctx, recipe, NULL, &land);
        if (status != RV_OK)
            fail_msg("%s: %s", rv_context_error(ctx), recipe);
        rv_terrain_destroy(land);
        hashes[i] = hash_of("lit.png");
        assert_not_equal(hashes[i], 0);
    }
    if (hashes[0] != hashes[1])
        fail_msg("another picture on the device: %s", recipe);
}

static void pictures_are_the_same(void **state) {
    (void)state;
    if (!device)
        return;
    write_image("sky.png", 64, 32, 120);
    write_image("strip.png", 72, 18, 90);
    write_image("bumps.png", 31, 17, 90);
    for (uint64_t i = 0; i < cases(24); i++) {
        char recipe[2048];
        draw_land(recipe, sizeof recipe);
        add_cover(recipe, sizeof recipe);
        draw_picture(recipe, sizeof recipe);
        compare(recipe);
    }
}

/* ---- holes, which only a program and files have ---- */

static void holes_are_the_same(void **state) {
    (void)state;
    for (int k = 0; device && k < 4; k++) {
        uint64_t hashes[2];
        for (int i = 0; i < 2; i++) {
            rv_context *ctx = i ? device : processor;
            rv_terrain *land = support_run(
                ctx, k < 2 ? "terrain width=90 height=61 noise relief=300 flood level=90"
                           : "terrain width=650 height=71 noise relief=300 thermal rounds=2");
            support_ok(ctx, rvi_terrain_take_back(land));
            float *hole = rvi_field_make(land, "hole");
            assert_non_null(hole);
            for (int y = 20; y < 40; y++)
                for (int x = 30; x < 55; x++)
                    hole[y * land->width + x] = (x - 42) * (x - 42) < 99 ? 1 : 0;
            rv_render_params p = rv_render_params_default();
            p.file = "lit.png";
            p.width = 77;
            p.height = 50;
            p.frame = k % 2 ? RV_render_frame_none : RV_render_frame_block;
            support_ok(ctx, rv_step_run(land, RV_STEP_render, &p, NULL));
            rv_terrain_destroy(land);
            hashes[i] = hash_of("lit.png");
        }
        assert_true(hashes[0] == hashes[1]);
    }
}

/* ---- what comes back, and what goes wrong ---- */

enum { SIDE = 700 };
#define WHOLE                                                                                      \
    "terrain size=700 cell=9 noise relief=900 strata thickness=50 layer name=soil thickness=1 "    \
    "noise layer=soil track thermal rounds=2 talus=20 flood level=200 analyse "
static int fetched; /* grids of about that size that came back */
static int32_t (*real_read)(cl_thing *, cl_thing *, uint32_t, size_t, size_t, void *, uint32_t,
                            cl_thing *const *, cl_thing **);

static int32_t read_and_count(cl_thing *queue, cl_thing *memory, uint32_t wait, size_t offset,
                              size_t size, void *to, uint32_t events, cl_thing *const *list,
                              cl_thing **event) {
    fetched += size > SIDE * SIDE * sizeof(float) * 3 / 4;
    return real_read(queue, memory, wait, offset, size, to, events, list, event);
}

static int left; /* kernels until one fails */
static int32_t (*real_run)(cl_thing *, cl_thing *, uint32_t, const size_t *, const size_t *,
                           const size_t *, uint32_t, cl_thing *const *, cl_thing **);

static int32_t run_or_fail(cl_thing *queue, cl_thing *kernel, uint32_t dimensions,
                           const size_t *offset, const size_t *items, const size_t *group,
                           uint32_t events, cl_thing *const *list, cl_thing **event) {
    return left-- == 0
               ? -36
               : real_run(queue, kernel, dimensions, offset, items, group, events, list, event);
}

static void only_the_picture_comes_back(void **state) {
    (void)state;
    rv_context *ctx = NULL;
    if (!device)
        return;
    assert_int_equal(rv_context_create(NULL, &ctx), RV_OK);
    support_ok(ctx, rv_context_use_device(ctx, device_number));
    struct rvi_opencl *cl = rvi_device_opencl(rvi_device_of(ctx));
    rv_terrain *land = support_run(ctx, WHOLE);
    uint64_t hash = rv_terrain_hash(land);
    real_read = cl->clEnqueueReadBuffer;
    cl->clEnqueueReadBuffer = read_and_count;
    rv_render_params p = rv_render_params_default();
    p.file = "lit.png";
    p.width = p.height = 50;
    fetched = 0;
    support_ok(ctx, rv_step_run(land, RV_STEP_render, &p, NULL));
    assert_equal(fetched, 0);
    assert_true(rv_terrain_hash(land) == hash);
    support_ok(ctx, rvi_terrain_fetch(land));
    assert_true(rv_terrain_hash(land) == hash); /* what of it came back has harmed nothing */
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    compare(WHOLE "render lit.png width=50 height=50");
}

/* Each kernel fails once: a sentence, no file, and then it goes on. */
static void a_device_that_fails_is_told(void **state) {
    (void)state;
    rv_context *ctx = NULL;
    if (!device)
        return;
    assert_int_equal(rv_context_create(NULL, &ctx), RV_OK);
    support_ok(ctx, rv_context_use_device(ctx, device_number));
    struct rvi_opencl *cl = rvi_device_opencl(rvi_device_of(ctx));
    rv_terrain *land = support_run(ctx, WHOLE);
    uint64_t hash = rv_terrain_hash(land);
    real_run = cl->clEnqueueNDRangeKernel;
    cl->clEnqueueNDRangeKernel = run_or_fail;
    rv_render_params p = rv_render_params_default();
    p.file = "lit.png";
    p.width = p.height = 20;
    p.trees = 30;
    int at = 0;
    for (rv_status status = RV_ERROR_DEVICE; status != RV_OK; at += support_short() ? 5 : 1) {
        left = at;
        status = rv_step_run(land, RV_STEP_render, &p, NULL);
        assert_true(status == RV_OK || status == RV_ERROR_DEVICE);
        if (status != RV_OK)
            assert_non_null(strstr(rv_context_error(ctx), "OpenCL's error -36"));
        assert_true((hash_of("lit.png") != 0) == (status == RV_OK));
        assert_less(at, 200);
    }
    assert_greater(at, 20);
    left = -1;
    assert_true(rv_terrain_hash(land) == hash);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Where the device has less memory than a picture needs, the processor draws it: what was planned
 * is enough, or the device would say that there is no more. */
static void a_limit_of_memory_is_kept(void **state) {
    (void)state;
    rv_context *ctx = NULL;
    if (!device)
        return;
    assert_int_equal(rv_context_create(NULL, &ctx), RV_OK);
    support_ok(ctx, rv_context_use_device(ctx, device_number));
    rv_terrain *land = support_run(ctx, WHOLE);
    size_t held = rvi_device_holds(rvi_device_of(ctx));
    rv_render_params p = rv_render_params_default();
    p.file = "lit.png";
    p.width = p.height = 40;
    for (int k = 0; k < 3; k++) {
        uint64_t expected = 0, steps = support_short() ? 4 : 10;
        p.frame = k == 1 ? RV_render_frame_none : RV_render_frame_block;
        p.trees = k == 2 ? 12 : NAN;
        for (uint64_t i = 0; i < steps; i++) {
            rv_context_device_limit(ctx, i ? held + i * (k == 1 ? 64 : 24) * 0x100000 / steps : 0);
            support_ok(ctx, rv_step_run(land, RV_STEP_render, &p, NULL));
            uint64_t hash = hash_of("lit.png");
            assert_true(i == 0 || hash == expected);
            expected = hash;
        }
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_the_same),
        cmocka_unit_test(holes_are_the_same),
        cmocka_unit_test(only_the_picture_comes_back),
        cmocka_unit_test(a_device_that_fails_is_told),
        cmocka_unit_test(a_limit_of_memory_is_kept),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
