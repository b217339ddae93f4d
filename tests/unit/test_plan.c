/* Plans: the size after each step as a run gives it, and memory that a run never passes and does
 * not fall far short of. */
#include "support.h"

#include "base/random.h"
#include "formats/exr.h"
#include "formats/npy.h"
#include "terrain/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_STEPS = 16 };

static void plan_of(rv_context *ctx, const char *text, rv_plan *plans, int *count) {
    rv_recipe *recipe;
    support_ok(ctx, rv_recipe_parse(ctx, text, "plan", &recipe));
    *count = rv_recipe_count(recipe);
    assert_less_equal(*count, MOST_STEPS);
    support_ok(ctx, rv_recipe_plan(recipe, plans));
    rv_recipe_destroy(recipe);
}

/* ---- sizes ---- */

typedef struct sizes {
    const rv_plan *plans;
    const char *text;
} sizes;

static void compare_size(void *user, int index, const rv_report *report) {
    const sizes *s = user;
    const rv_plan *plan = &s->plans[index];
    assert_int_equal(plan->step, report->step);
    if (report->turn + 1 < report->turns)
        return; /* the size is that of the last turn */
    if (plan->width != rv_terrain_width(report->land) ||
        plan->height != rv_terrain_height(report->land) ||
        plan->cell != rv_terrain_cell(report->land))
        fail_msg("%s: step %d has %d x %d cells of %g m, not %d x %d of %g m", s->text, index + 1,
                 rv_terrain_width(report->land), rv_terrain_height(report->land),
                 (double)rv_terrain_cell(report->land), plan->width, plan->height,
                 (double)plan->cell);
}

static void sizes_are_those_of_the_run(void **state) {
    (void)state;
    static const char *const recipes[] = {
        "noise octaves=1", /* the size of land that nobody gave a size */
        "terrain size=40 noise",
        "terrain size=40 width=7 crop x=2 y=30 terrain height=3 size=9 cell=0.5",
        "terrain width=1 height=9 resize size=20",
        "terrain width=9 height=1 resize width=4",
        "terrain width=60 height=40 cell=3 crop x=10 y=5 width=20 crop height=7 noise octaves=1",
        "terrain width=60 height=40 resize size=31 resize width=90 filter=linear resize",
        "terrain width=40 height=60 resize size=31 resize width=90 filter=nearest",
        "terrain width=61 height=2 resize size=5 resize size=200",
        "open size.npy noise save size.npy overwrite=yes open size.npy crop x=1 open size.npy "
        "cell=2",
        "terrain width=30 height=20 noise save size.r16 resize size=9 open size.r16",
        "terrain size=32 noise octaves=1 mask mask hardness blur level droplets drops=9",
        /* Turns that differ. */
        "terrain width=64 height=60 repeat 9 crop margin=2cells crop x=1 end",
        "terrain size=64 repeat 4 crop margin=2cells repeat 3 crop x=1 end resize size=40 end",
        "repeat 5 open size.npy crop x=2 save size.npy overwrite=yes end crop y=1",
        ("terrain size=20 repeat 3 open size.r16 crop x=1 save size.r16 overwrite=yes "
         "repeat 0 crop x=99 end end"),
        "terrain size=9 repeat 2 open size.npy save size.r16 terrain size=7 end open size.r16",
    };
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        rv_context *ctx = support_context(1);
        rv_plan plans[MOST_STEPS] = {{0}};
        int count;
        /* What is opened must be there when it is planned. */
        if (strstr(recipes[i], "open"))
            support_ok(ctx, rv_recipe_run_text(ctx,
                                               "terrain width=30 height=20 noise save size.npy "
                                               "save size.r16",
                                               NULL, NULL));
        plan_of(ctx, recipes[i], plans, &count);
        sizes s = {plans, recipes[i]};
        rv_watch watch = {.after = compare_size, .user = &s};
        support_ok(ctx, rv_recipe_run_text(ctx, recipes[i], &watch, NULL));
        rv_context_destroy(ctx);
    }
    remove("size.npy");
    remove("size.npy.ravine.json");
    remove("size.r16");
    remove("size.r16.ravine.json");
}

static void what_cannot_run_cannot_be_planned(void **state) {
    (void)state;
    const rv_context_desc desc = {.threads = 1, .memory_limit = (size_t)1 << 30};
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    static const struct {
        const char *text, *why;
        rv_status status;
    } cases[] = {
        {"terrain size=10 crop x=10", "crop", RV_ERROR_USAGE},
        {"terrain size=10 crop width=11", "crop", RV_ERROR_USAGE},
        {"terrain width=1 height=1", "two cells", RV_ERROR_USAGE},
        {"terrain width=2 height=65536 resize size=2 crop width=1 height=1", "two cells",
         RV_ERROR_USAGE},
        {"terrain width=2 height=60000 resize width=9", "65536", RV_ERROR_USAGE},
        {"open missing.png", "missing.png", RV_ERROR_INPUT},
        {"terrain size=10 save land.xyz", "land.xyz", RV_ERROR_USAGE},
        {"terrain size=10 save land.r32\n save land.r16 field=flwo",
         "plan, line 2, column 2: There is no field \"flwo\"", RV_ERROR_USAGE},
        {"terrain size=10 repeat 3 save land.r32 crop x=4 end", "line 1, column 40: crop",
         RV_ERROR_USAGE},
        {"terrain size=10 save land.r32 mask missing.png", "column 31: missing.png",
         RV_ERROR_INPUT},
        {"terrain size=10 save land.r32 save missing/land.r32", "column 31: missing/land.r32",
         RV_ERROR_OUTPUT},
        {"terrain size=10 save land.r32 terrain size=9000 mask land.r32 save land.obj",
         "for save would exceed the memory limit", RV_ERROR_MEMORY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rv_recipe *recipe;
        rv_plan plans[MOST_STEPS];
        support_ok(ctx, rv_recipe_parse(ctx, cases[i].text, "plan", &recipe));
        for (int running = 0; running < 2; running++) {
            rv_status status =
                running ? rv_recipe_run(recipe, NULL, NULL) : rv_recipe_plan(recipe, plans);
            if (status != cases[i].status || !strstr(rv_context_error(ctx), cases[i].why))
                fail_msg("%s: %s, \"%s\"", cases[i].text, rv_status_text(status),
                         rv_context_error(ctx));
            assert_int_not_equal(remove("land.r32"), 0); /* no step has run */
        }
        rv_recipe_destroy(recipe);
    }
    rv_context_destroy(ctx);
}

/* A plan of the largest land there is takes no time and no memory. */
static void a_plan_costs_nothing(void **state) {
    (void)state;
    rv_context_desc desc = {.threads = 1, .memory_limit = 1 << 20};
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rv_recipe *recipe;
    rv_plan plans[MOST_STEPS];
    support_ok(ctx, rv_recipe_parse(ctx,
                                    "terrain size=65536 noise faults droplets border=apron blend=1 "
                                    "blur level mask crop x=9 resize size=300",
                                    "plan", &recipe));
    int count = rv_recipe_count(recipe);
    /* It is over the limit, and complete. */
    assert_int_equal(rv_recipe_plan(recipe, plans), RV_ERROR_MEMORY);
    assert_non_null(strstr(rv_context_error(ctx), "plan, line 1, column 33: "));
    for (int i = 0; i < count - 1; i++) /* 16 GiB for the heights alone */
        assert_greater_equal(plans[i].memory, (size_t)4 * 65527 * 65536);
    rv_recipe_destroy(recipe);
    assert_less_equal(rv_context_memory_peak(ctx), 1 << 20);
    rv_context_destroy(ctx);
}

/* ---- memory ---- */

static size_t planned_peak(const char *text) {
    rv_context *ctx = support_context(1);
    rv_plan plans[MOST_STEPS];
    int count;
    size_t most = 0;
    plan_of(ctx, text, plans, &count);
    for (int i = 0; i < count; i++)
        most = plans[i].memory > most ? plans[i].memory : most;
    rv_context_destroy(ctx);
    return most;
}

static size_t real_peak(const char *text, int threads) {
    rv_context *ctx = support_context(threads);
    support_ok(ctx, rv_recipe_run_text(ctx, text, NULL, NULL));
    size_t peak = rv_context_memory_peak(ctx);
    rv_context_destroy(ctx);
    return peak;
}

static const char *const FILES[] = {"m.npy",
                                    "m.r16",
                                    "m.r32",
#ifdef RAVINE_PNG
                                    "m.png",
                                    "sky.png",
                                    "normals.png",
                                    "o.png",
                                    "o-slope-area.png",
                                    "o-hypsometry.png",
                                    "o-landforms.png",
                                    "o-drainage.png",
#endif
                                    "h.r32",
                                    "h.npy",
                                    "v.npy",
                                    "o.obj",
                                    "o.ply",
                                    "o.stl",
                                    "o.glb",
                                    "o.npy",
                                    "o.npz",
                                    "o.tif",
                                    "o.asc",
                                    "o.exr",
                                    "o.r16",
                                    "o.r32"};

/* Half of it is one hole. */
static void write_holes(void) {
    FILE *file = fopen("h.r32", "wb");
    assert_non_null(file);
    for (int i = 0; i < 700 * 700; i++) {
        float value = i % 700 < 350 ? NAN : (float)(i % 700);
        fwrite(&value, sizeof value, 1, file);
    }
    fclose(file);
}

/* A volume of 40 x 100 x 100 samples. */
static void write_volume(void) {
    char head[RVI_NPY_HEADER];
    const uint64_t shape[] = {40, 100, 100};
    rvi_npy_print("<f4", 3, shape, head);
    FILE *file = fopen("v.npy", "wb");
    assert_non_null(file);
    fwrite(head, 1, sizeof head, file);
    for (int i = 0; i < 40 * 100 * 100; i++)
        fwrite(&(float){0.5f}, sizeof(float), 1, file);
    fclose(file);
}

/* Images of 700 x 700 shares, for masks, rain and land. */
static void make_files(void) {
    write_holes();
    write_volume();
    rv_context *ctx = support_context(1);
    support_ok(ctx, rv_recipe_run_text(ctx,
                                       "terrain size=700 noise octaves=2 level high=1 save m.npy "
                                       "save m.r16 save m.r32 crop width=9 height=9 save h.npy"
#ifdef RAVINE_PNG
                                       " open m.npy save m.png"
                                       " terrain width=1800 height=900 hillshade sky.png tint=land"
                                       " terrain size=1200 texture normals.png kind=normal"
#endif
                                       ,
                                       NULL, NULL));
    rv_context_destroy(ctx);
}

static void remove_files(void) {
    for (int i = 0; i < 3; i++) {
        char frame[32];
        snprintf(frame, sizeof frame, "o-%05d.png", i);
        remove(frame);
    }
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        char sidecar[64];
        snprintf(sidecar, sizeof sidecar, "%s.ravine.json", FILES[i]);
        remove(FILES[i]);
        remove(sidecar);
    }
}

/* What a plan may be above the peak of a run: a megabyte for what does not grow with the map, and a
 * part of it, because the memory of files is only estimated. That of pictures is, too. */
static size_t most_planned(const char *text, size_t real) {
    size_t most = real + real / 3 + (1 << 20);
    return most < 2 * real && !strstr(text, "o.png") ? most : 2 * real;
}

/* At least what a run holds at its peak, and not much more. */
static void memory_is_enough_and_not_far_too_much(void **state) {
    (void)state;
    static const char *const recipes[] = {
        "terrain size=700",
        "terrain size=700 noise octaves=2",
        "terrain size=700 noise octaves=2 terrain size=700",
        "terrain size=700 noise octaves=2 terrain size=900 terrain size=300",
        "terrain size=700 faults count=3",
        "terrain size=700 noise octaves=2 level blur radius=30",
        "terrain size=700 noise octaves=2 blur radius=300 amount=0.5",
        "terrain size=700 noise octaves=2 crop x=1",
        "terrain size=700 noise octaves=2 resize size=900",
        "terrain size=900 noise octaves=2 resize size=200 filter=linear",
        "terrain width=4000 height=100 noise octaves=2 resize width=5000 filter=nearest",
        "terrain size=700 noise octaves=2 droplets drops=100",
        "terrain size=700 noise octaves=2 droplets drops=100 blend=0.5",
        "terrain size=700 noise octaves=2 droplets drops=100 border=apron margin=100cells "
        "blend=0.5",
        "terrain size=700 noise octaves=2 layer strata particles drops=100 order=batch",
        "terrain size=700 noise octaves=2 droplets drops=100 radius=32cells border=wall",
        "terrain size=700 noise octaves=2 droplets drops=100 rain=m.npy",
        "terrain size=900 noise octaves=2 droplets drops=100 rain=m.npy blend=1",
        "terrain size=300 noise octaves=2 droplets drops=100 rain=m.npy",
        "terrain size=700 noise octaves=2 droplets drops=100 resize size=900",
        "terrain size=700 noise octaves=2 droplets drops=100 crop x=1 blur",
        "terrain size=700 noise octaves=2 droplets drops=100 terrain size=700",
        "terrain size=700 noise octaves=2 strata droplets drops=100",
        "terrain size=700 noise octaves=2 strata crop x=1 droplets drops=100",
        "terrain size=300 noise octaves=2 hardness noise=1 droplets drops=100",
        "terrain size=300 noise octaves=2 hardness v.npy crop x=1 thermal rounds=1",
        "terrain size=300 noise octaves=2 hardness v.npy layer hardness v.npy hardness pipes "
        "rounds=1",
        "terrain size=300 noise octaves=2 hardness v.npy save o.npz open o.npz",
        "terrain size=300 noise octaves=2 pipes rounds=1",
        "terrain size=200 noise octaves=2 pipes rounds=1 rain_image=m.npy spring_rate=1",
        "terrain size=300 noise octaves=2 layer strata pipes rounds=1 give=same transport=forward",
        "terrain size=700 noise octaves=2 runoff rounds=1",
        "terrain size=100 noise octaves=2 runoff rounds=1 rain=m.npy",
        "terrain size=300 noise octaves=2 layer layer name=a strata runoff rounds=1 give=same",
        "terrain size=700 noise octaves=2 particles drops=100",
        "terrain size=100 noise octaves=2 particles drops=100 rain=m.npy",
        "terrain size=300 noise octaves=2 layer strata particles drops=100 give=same",
        "terrain size=300 noise octaves=2 layer strata droplets drops=100 give=same",
        "terrain size=200 noise octaves=2 hardness m.npy thermal until=settled",
        "terrain size=300 noise octaves=2 layer strata thermal rounds=1",
        "terrain size=100 noise relief=9 octaves=1 layer layer name=a strata thermal until=settled",
        "terrain size=300 noise octaves=2 rivers steps=1",
        "terrain size=300 noise octaves=2 rivers steps=1 uplift_image=m.npy rain_image=m.npy",
        "terrain size=300 noise octaves=2 mask m.npy layer strata rivers steps=1 time=1k",
        "terrain size=300 noise octaves=2 drain",
        "terrain size=300 noise octaves=2 layer drain lakes=keep",
        "terrain size=700 noise octaves=2 flood",
        "terrain size=700 noise octaves=2 flood level=300 flood",
        "terrain size=700 noise octaves=2 layer layer name=a layer name=a noise=1",
        "terrain size=700 noise octaves=2 layer image=m.npy blur",
        "terrain size=300 layer image=m.npy",
        "terrain size=700 mask m.npy layer noise=0.5 flood resize size=900",
        "terrain size=700 mask m.npy",
        "terrain size=700 mask m.npy noise octaves=2",
        "terrain size=700 mask m.npy noise octaves=2 blur radius=30",
        "terrain size=700 mask m.npy faults count=3 level",
        "terrain size=900 mask m.r16",
        "terrain size=400 mask m.r32",
        "terrain size=700 mask m.npy hardness m.r16 noise octaves=2 droplets drops=100 blend=0.5",
        "terrain size=700 mask m.npy mask noise octaves=2",
        "open m.npy",
        "open m.r16",
        "open m.r32",
        "open m.npy open m.r16",
        "open h.r32 width=700 holes=keep",
        "open h.r32 width=700 holes=keep measure",
        "terrain size=700 noise octaves=2 measure",
        "terrain size=512 noise octaves=2 measure border=3",
        "terrain size=900 open m.r16",
        "terrain size=100 repeat 2 noise octaves=2 droplets drops=9 resize size=700 end",
        "terrain size=99 repeat 3 noise repeat 2 blur resize size=500 end resize size=900 end",
        "terrain size=900 noise octaves=2 level high=1 save o.npy terrain size=64 mask o.npy",
        "terrain size=900 noise save o.r16 terrain size=64 rivers steps=1 rain_image=o.r16",
        "terrain size=700 noise octaves=2 save o.npy save o.r16 save o.r32",
        "terrain size=700 noise octaves=2 droplets drops=100 save o.npy field=flow",
        "terrain size=700 noise octaves=2 save o.tif tiff=plain open o.tif",
        "terrain size=300 noise octaves=2 save o.asc open o.asc",
        "terrain size=700 noise octaves=2 save o.exr open o.exr",
#ifdef RAVINE_PNG
        "open m.png",
        "terrain size=700 mask m.png",
        "terrain size=900 mask m.png",
        "terrain size=700 noise octaves=2 save o.png save o.png bits=8",
        "terrain size=700 noise octaves=2 hillshade o.png",
        "terrain size=700 noise octaves=2 hillshade o.png tint=land",
        "terrain size=700 noise octaves=2 measure plots=o",
        "terrain width=2 height=3 noise octaves=2 measure plots=o",
        "terrain size=700 noise octaves=2 render o.png width=99 height=50",
        "terrain size=700 noise octaves=2 strata flood level=300 render o.png width=99 height=50",
        "terrain size=700 noise octaves=2 film o.png frames=2 thermal rounds=2",
        "terrain size=700 noise octaves=2 film o.png frames=2 view=render width=400 height=300 "
        "rivers steps=2",
        "terrain size=150 noise octaves=2 render o.png width=900 height=200",
        "terrain size=64 noise octaves=2 render o.png width=99 height=50 sky=sky.png",
        "terrain size=64 noise octaves=2 render o.png width=99 height=50 normals=normals.png",
        "terrain size=64 noise octaves=2 render o.png width=99 height=50 sky=sky.png "
        "normals=normals.png tile=300",
        "terrain size=200 noise octaves=2 flood level=300 render o.png width=99 height=50",
        "open h.r32 width=700 holes=keep render o.png width=99 height=50",
        "terrain size=700 noise octaves=2 texture o.png kind=occlusion",
        "terrain size=700 noise octaves=2 film o.png view=render width=99 height=50",
#endif
    };
    int wrong = 0;
    make_files();
    const size_t apart = support_short() ? 3 : 1;
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i += apart) {
        if (strstr(recipes[i], ".exr") && !rvi_exr_there())
            continue;
        size_t planned = planned_peak(recipes[i]), real = real_peak(recipes[i], 1);
        if (planned < real || planned > most_planned(recipes[i], real)) {
            print_error("%s: %.3f MiB planned, %.3f MiB held\n", recipes[i],
                        (double)planned / 1048576, (double)real / 1048576);
            wrong++;
        }
    }
    remove_files();
    assert_int_equal(wrong, 0);
}

/* Steps list what they allocate: where no file is read or drawn, a plan is exact but for the
 * megabyte. */
static void the_plan_of_steps_that_wear_is_exact(void **state) {
    (void)state;
    static const char *const recipes[] = {
        "terrain size=300 noise octaves=2 blur radius=30",
        "terrain size=300 noise octaves=2 droplets drops=100 blend=0.5 border=apron margin=50cells",
        "terrain size=300 noise octaves=2 layer strata droplets drops=100 give=same",
        "terrain size=300 noise octaves=2 layer strata particles drops=100 give=same",
        "terrain size=300 noise octaves=2 pipes rounds=1 spring_rate=1 transport=backward",
        "terrain size=300 noise octaves=2 layer strata pipes rounds=1 give=same transport=forward",
        "terrain size=300 noise octaves=2 layer strata runoff rounds=1 give=same",
        "terrain size=300 noise octaves=2 thermal rounds=1",
        "terrain size=300 noise octaves=2 layer strata thermal until=settled",
        "terrain size=300 noise octaves=2 layer strata rivers steps=1",
        "terrain size=300 noise octaves=2 drain lakes=keep",
        "terrain size=300 noise octaves=2 resize size=400",
    };
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        size_t planned = planned_peak(recipes[i]), real = real_peak(recipes[i], 1);
        if (planned < real || planned > real + (1 << 20) + (1 << 14))
            fail_msg("%s: %zu bytes planned, %zu held", recipes[i], planned, real);
    }
}

/* A plan knows which fields and layers there are, because steps add them to its outline. */
static void a_plan_knows_fields_and_layers(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_plan plans[MOST_STEPS];
    int count;
    plan_of(ctx,
            "terrain size=512 noise layer layer name=a layer name=a flood flood droplets drain "
            "crop x=256 y=256 terrain size=512 noise",
            plans, &count);
    size_t grid = (size_t)512 * 512 * sizeof(float), noise = plans[1].memory;
    /* bedrock, surface, a layer, what is added to it */
    assert_in_range(plans[2].memory, noise + 2 * grid, noise + 2 * grid + 4096);
    assert_in_range(plans[3].memory, plans[2].memory + grid, plans[2].memory + grid + 4096);
    assert_in_range(plans[4].memory, plans[3].memory, plans[3].memory + 4096); /* more of it */
    assert_equal(plans[6].memory, plans[5].memory);                            /* water is there */
    assert_in_range(plans[11].memory, noise, noise + 4096); /* all of it is gone */
    rv_context_destroy(ctx);
}

/* So is a limit of just that much enough. */
static void the_plan_is_enough_to_run(void **state) {
    (void)state;
    static const char *const recipes[] = {
        "terrain size=700 noise octaves=2 blur resize size=400",
        "terrain size=300 noise octaves=2 droplets drops=100 blend=0.5 border=apron",
        "terrain size=64 noise octaves=2 droplets drops=100 crop x=3",
        "terrain width=2 height=1 noise",
#ifdef RAVINE_PNG
        "terrain size=8 noise render o.png width=9 height=9 sky=sky.png normals=normals.png",
        "terrain size=8 noise render o.png width=9 height=9 normals=normals.png tile=9",
        ("terrain width=1800 height=900 hillshade o.png tint=land terrain size=8 noise "
         "render o-landforms.png width=9 height=9 sky=o.png"),
#endif
    };
    make_files();
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
        for (int threads = 1; threads <= 7; threads += 3) {
            rv_context_desc desc = {.threads = threads, .memory_limit = planned_peak(recipes[i])};
            rv_context *ctx;
            assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
            rv_status status = rv_recipe_run_text(ctx, recipes[i], NULL, NULL);
            if (status != RV_OK)
                fail_msg("%s: %s", recipes[i], rv_context_error(ctx));
            rv_context_destroy(ctx);
        }
    remove_files();
}

/* ---- random recipes ---- */

typedef struct dice {
    uint64_t seed, when;
} dice;

static int roll(dice *d, int below) {
    return (int)(rvi_random(d->seed, 7, d->when++) % (uint64_t)below);
}

/* Every step, with what makes it take other memory; %d is a size. Files are those of make_files,
 * and what steps before have written. */
static const char *const ANY[] = {
    "noise octaves=1",
    "noise octaves=1 mode=add",
    "faults count=2",
    "cone mode=add",
    "level high=1",
    "blur radius=30",
    "layer",
    "layer name=a noise=0.5 slope=30",
    "layer name=a image=m.npy",
    "flood",
    "flood level=200",
    "strata",
    "strata hardness=0",
    "mask m.npy",
    "mask m.r16",
    "mask h.npy",
    "mask",
    "hardness m.r32",
    "hardness v.npy",
    "hardness noise=0.5",
    "hardness",
    "crop margin=3cells",
    "crop x=20 width=60",
    "resize size=%d",
    "resize width=%d filter=linear",
    "terrain size=%d",
    "open m.npy",
    "open m.r16",
    "open h.r32 width=700 holes=keep",
    "droplets drops=9",
    "droplets drops=9 blend=0.5 border=apron margin=30cells",
    "droplets drops=9 rain=m.npy give=same",
    "particles drops=9",
    "particles drops=9 rain=m.r16 give=same",
    "runoff rounds=1",
    "runoff rounds=1 rain=m.r32 give=same",
    "pipes rounds=1",
    "pipes rounds=1 spring_rate=1 transport=backward rain_image=m.npy",
    "pipes rounds=1 transport=forward give=same",
    "thermal rounds=1",
    "thermal rounds=1 method=slope give=top border=open",
    "rivers steps=1 time=1k",
    "rivers steps=1 time=1k uplift_image=m.npy rain_image=m.r16 border=sink",
    "drain",
    "drain method=both lakes=keep",
    "measure",
    "measure border=4",
    "save o.npy open o.npy",
    "save o.r16 crop x=3 mask o.r16",
    "save o.r16 resize size=%d mask o.r16",
    "save o.obj",
    "save o.obj error=9",
    "save o.ply solid=5",
    "save o.stl error=0.01 solid=9",
    "save o.glb",
#ifdef RAVINE_PNG
    "mask m.png",
    "open m.png",
    "save o.png",
    "save o.png bits=8 resize size=%d hardness o.png",
    "hillshade o.png",
    "hillshade o.png tint=land hardness o.png",
    "droplets drops=9 paint o.png field=flow",
    "pipes rounds=1 paint o.png field=velocity",
    "paint o.png field=layers",
    "render o.png width=%d height=50",
    "render o.png width=50 height=%d look=desert",
    "render o.png width=9 height=9 look=map",
    "texture o.png",
    "texture o.png kind=occlusion",
    "texture o.png kind=slope",
    "texture o.png kind=curvature",
    "texture o.png kind=splat",
    "film o.png",
    "film o.png view=tint",
    "film o.png view=height every=3",
    "film o.png view=render width=%d height=30 look=clay",
    "measure plots=o",
#endif
};

static void add_step(dice *d, char *text, size_t size) {
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, size - used, " ");
    const char *step = ANY[roll(d, (int)(sizeof ANY / sizeof ANY[0]))];
    /* A number in place of %d. */
    const char *number = strstr(step, "%d");
    if (number)
        snprintf(text + used, size - used, "%.*s%d%s", (int)(number - step), step,
                 80 + roll(d, 400), number + 2);
    else
        snprintf(text + used, size - used, "%s", step);
}

static void make_recipe(dice *d, char *text, size_t size) {
    snprintf(text, size, "terrain width=%d height=%d noise octaves=1", 80 + roll(d, 400),
             80 + roll(d, 400));
    for (int parts = 1 + roll(d, 3); parts > 0; parts--) {
        int turns = roll(d, 4), steps = 1 + roll(d, 3);
        size_t used = strlen(text);
        if (turns > 0)
            snprintf(text + used, size - used, " repeat %d", turns);
        for (; steps > 0; steps--)
            add_step(d, text, size);
        used = strlen(text);
        snprintf(text + used, size - used, "%s", turns > 0 ? " end" : "");
    }
}

/* Plans and runs one. What is too small for a step is refused by both. */
static bool random_recipe_fits(const char *text) {
    rv_context *ctx = support_context(1);
    rv_recipe *recipe;
    rv_plan plans[64];
    size_t planned = 0;
    support_ok(ctx, rv_recipe_parse(ctx, text, "plan", &recipe));
    rv_status status = rv_recipe_plan(recipe, plans);
    for (int i = 0; i < rv_recipe_count(recipe); i++)
        planned = plans[i].memory > planned ? plans[i].memory : planned;
    rv_status ran = rv_recipe_run(recipe, NULL, NULL);
    size_t real = rv_context_memory_peak(ctx);
    /* Half of what is planned for all that does not grow with the map: it may not hide what does.
     */
    bool right = status == ran && (ran != RV_OK || planned - (1 << 20) + (1 << 19) >= real);
    /* How many vertices a mesh can do without is not known before. */
    if (ran == RV_OK && !strstr(text, "error="))
        right = right && planned <= 2 * real + (2 << 20);
    if (!right)
        print_error("%s: planned (%s) %.3f MiB, run (%s) %.3f MiB %s\n", text,
                    rv_status_text(status), (double)planned / 1048576, rv_status_text(ran),
                    (double)real / 1048576, rv_context_error(ctx));
    rv_recipe_destroy(recipe);
    rv_context_destroy(ctx);
    return right;
}

static void random_recipes_keep_to_their_plans(void **state) {
    (void)state;
    int wrong = 0;
    make_files();
    for (uint64_t i = 0; i < support_cases(24); i++) {
        char text[2048];
        dice d = {.seed = i};
        make_recipe(&d, text, sizeof text);
        wrong += !random_recipe_fits(text);
    }
    remove_files();
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_run),
        cmocka_unit_test(what_cannot_run_cannot_be_planned),
        cmocka_unit_test(a_plan_costs_nothing),
        cmocka_unit_test(memory_is_enough_and_not_far_too_much),
        cmocka_unit_test(the_plan_of_steps_that_wear_is_exact),
        cmocka_unit_test(a_plan_knows_fields_and_layers),
        cmocka_unit_test(the_plan_is_enough_to_run),
        cmocka_unit_test(random_recipes_keep_to_their_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
