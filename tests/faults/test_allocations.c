/* Memory runs out: the first, second, third ... allocation fails until a run succeeds. Each time
 * there is a sentence, the land is as it was before the step that failed, no file is left behind
 * and nothing leaks. */
#include "support.h"

#include "base/context.h"
#include "steps/measure/measure_plots.h"
#include "terrain/state.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- memory that fails once or from then on ---- */

typedef struct scarcity {
    long fails; /* which allocation, counted from 0; negative: none */
    bool once;  /* only that one, else all after it too */
    long count, held;
} scarcity;

static void *allocate(void *user, size_t size) {
    scarcity *s = user;
    long number = s->count++;
    if (s->fails >= 0 && (s->once ? number == s->fails : number >= s->fails))
        return NULL;
    void *memory = malloc(size);
    assert_non_null(memory);
    s->held += (long)size;
    return memory;
}

static void release(void *user, void *memory, size_t size) {
    scarcity *s = user;
    s->held -= (long)size;
    free(memory);
}

/* The context itself gets what it needs; from then on allocations are counted. */
static rv_context *scarce_context(scarcity *s, long fails, bool once) {
    rv_context_desc desc = {.threads = 2, .allocator = {allocate, release, s}};
    rv_context *ctx;
    *s = (scarcity){.fails = -1};
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    s->count = 0;
    s->fails = fails;
    s->once = once;
    return ctx;
}

/* ---- files ---- */

/* How many files there are; a temporary one is a fault at any time. */
static int count_files(void) {
    DIR *dir = opendir(".");
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL; count++)
        if (strstr(entry->d_name, ".tmp") != NULL)
            fail_msg("%s is left behind", entry->d_name);
    closedir(dir);
    return count;
}

static void remove_all(const char *name) {
    static const char *const ends[] = {".npy", ".r16", ".r32", ".png", ".obj",
                                       ".ply", ".stl", ".glb", ".npz"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s%s", name, ends[i]);
        remove(path);
        snprintf(path, sizeof path, "%s%s.ravine.json", name, ends[i]);
        remove(path);
    }
}

/* Images of shares, smaller than the maps they are laid over. */
static void write_holes(const char *path) {
    float values[12 * 10];
    for (int i = 0; i < 12 * 10; i++)
        values[i] = i % 7 == 3 || i / 20 == 2 ? NAN : (float)i;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(values, sizeof values, 1, file), 1);
    fclose(file);
}

static int make_images(void **state) {
    (void)state;
    write_holes("grey-holes.r32");
    rv_context *ctx = support_context(1);
    support_ok(ctx, rv_recipe_run_text(ctx,
                                       "terrain width=12 height=10 noise octaves=2 level high=1 "
                                       "save grey.npy save grey.r16 save grey.r32"
#ifdef RAVINE_PNG
                                       " save grey.png"
#endif
                                       ,
                                       NULL, NULL));
    rv_context_destroy(ctx);
    return 0;
}

static int remove_images(void **state) {
    (void)state;
    remove_all("grey");
    remove_all("grey-holes");
    remove_all("out");
    return 0;
}

/* ---- one run, step by step ---- */

typedef struct course {
    const char *text;
    bool layered; /* two layers are laid on the land that the first step made */
} course;

/* What must be as it was when a call fails. */
typedef struct still {
    uint64_t hash;
    rv_ledger ledger;
    double layers; /* taken from and laid on all of them */
    int files;
} still;

static still look_at(const rv_terrain *land) {
    still s = {.hash = rv_terrain_hash(land), .ledger = land->ledger, .files = count_files()};
    for (int i = 0; i < land->layer_count; i++)
        s.layers += land->layers[i].eroded + land->layers[i].deposited;
    return s;
}

static int faults; /* found so far */

static void check_failure(const rv_context *ctx, const rv_terrain *land, const still *before,
                          rv_status status, const char *text, const char *call, long number) {
    const char *wrong = NULL;
    still now = look_at(land);
    if (status != RV_ERROR_MEMORY)
        wrong = rv_status_text(status);
    else if (rv_context_error(ctx)[0] == '\0')
        wrong = "no sentence";
    else if (now.hash != before->hash)
        wrong = "the land is another";
    else if (memcmp(&now.ledger, &before->ledger, sizeof now.ledger) != 0 ||
             now.layers != before->layers)
        wrong = "the ledger is another";
    else if (now.files != before->files)
        wrong = "there is another number of files";
    if (wrong == NULL)
        return;
    if (faults++ < 5)
        print_error("%s: allocation %ld fails in %s: %s (%s)\n", text, number, call, wrong,
                    rv_context_error(ctx));
}

static rv_status add_layers(rv_terrain *land, const char **call) {
    float thickness[4096];
    size_t cells = rvi_cells(land);
    assert_less_equal(cells, 4096);
    for (size_t i = 0; i < cells; i++)
        thickness[i] = (float)(i % 7) * 0.5f;
    *call = "layer_add";
    rv_status status = rv_terrain_layer_add(
        land, &(rv_layer_desc){.name = "soil", .erodibility = 0.5f, .talus = 30.0f}, thickness);
    return status == RV_OK
               ? rv_terrain_layer_add(
                     land, &(rv_layer_desc){.name = "sand", .erodibility = 1.0f, .talus = 34.0f},
                     NULL)
               : status;
}

/* Runs all steps on their own terrain; after the first failure nothing more. */
static rv_status walk_steps(rv_context *ctx, const rv_recipe *recipe, const course *c, long number,
                            rv_terrain *land) {
    rv_status status = RV_OK;
    for (int i = 0; status == RV_OK && i < rv_recipe_count(recipe); i++) {
        still before = look_at(land);
        rv_step_id step = rv_recipe_step(recipe, i);
        const char *call = rv_step_name(step);
        status = rv_step_run(land, step, rv_recipe_params(recipe, i), NULL);
        if (status == RV_OK && i == 0 && c->layered) {
            int layers = rv_terrain_layer_count(land);
            before = look_at(land);
            status = add_layers(land, &call);
            if (status != RV_OK && rv_terrain_layer_count(land) != layers)
                before.hash = rv_terrain_hash(land); /* the first of the two was laid */
        }
        if (status != RV_OK)
            check_failure(ctx, land, &before, status, c->text, call, number);
    }
    return status;
}

static rv_status walk(rv_context *ctx, const course *c, long number, uint64_t *hash) {
    rv_recipe *recipe;
    rv_terrain *land;
    rv_status status = rv_recipe_parse(ctx, c->text, "walk", &recipe);
    if (status != RV_OK) {
        assert_null(recipe);
        return status;
    }
    status = rv_terrain_create(ctx, &(rv_terrain_desc){24, 20, 10.0f}, &land);
    if (status == RV_OK) {
        status = walk_steps(ctx, recipe, c, number, land);
        *hash = rv_terrain_hash(land);
        rv_terrain_destroy(land);
    } else {
        assert_null(land);
    }
    rv_recipe_destroy(recipe);
    return status;
}

/* A call that allocates; `number` is the one that fails. */
typedef rv_status (*call_fn)(rv_context *ctx, const void *what, long number, uint64_t *hash);

/* Lets each allocation of a call fail, alone and with all that follow. */
static void fail_each(const char *name, call_fn call, const void *what) {
    scarcity s;
    uint64_t want = 0;
    rv_context *ctx = scarce_context(&s, -1, false);
    rv_status status = call(ctx, what, -1, &want);
    if (status != RV_OK)
        fail_msg("%s: %s", name, rv_context_error(ctx));
    long count = s.count;
    rv_context_destroy(ctx);
    remove_all("out");
    assert_greater(count, 0);
    for (int once = 0; once < 2; once++)
        for (long n = 0; n <= count; n++) {
            uint64_t hash = 0;
            ctx = scarce_context(&s, n, once);
            status = call(ctx, what, n, &hash);
            if (status == RV_OK ? hash != want || (n < count && !once) : n == count)
                fail_msg("%s: allocation %ld fails: %s", name, n, rv_status_text(status));
            if (status != RV_OK) {
                assert_int_equal(status, RV_ERROR_MEMORY);
                assert_greater(strlen(rv_context_error(ctx)), 10);
            }
            rv_context_destroy(ctx); /* asserts that it holds nothing */
            assert_int_equal(s.held, 0);
            count_files();
            remove_all("out");
        }
}

static rv_status walk_course(rv_context *ctx, const void *what, long number, uint64_t *hash) {
    return walk(ctx, what, number, hash);
}

static void fail_courses(const char *const *texts, size_t count) {
    faults = 0;
    for (size_t i = 0; i < count; i++)
        for (int layered = 0; layered < 2; layered++)
            fail_each(texts[i], walk_course, &(course){texts[i], layered});
    assert_int_equal(faults, 0);
}

#define FAIL_COURSES(texts) fail_courses(texts, sizeof texts / sizeof texts[0])

/* ---- the steps ---- */

static void making_and_shaping(void **state) {
    (void)state;
    static const char *const texts[] = {
        "terrain width=24 height=20 noise octaves=2 warp=1 faults count=5 mode=add along=circle "
        "cone "
        "level high=500 blur radius=40 amount=0.5",
        "terrain width=24 height=20 noise octaves=2 resize size=31 crop x=2 y=3 width=9 resize "
        "width=5 filter=linear resize size=7 filter=nearest",
        "open grey.npy mask grey.r16 invert=yes noise mode=add octaves=2 blur level faults count=3 "
        "mode=multiply mask resize size=20 crop x=3",
        "open grey.r16 hardness grey.r32 invert=yes hardness mask grey.npy resize size=15",
        "open grey.r32 terrain size=9",
        "open grey-holes.r32 width=12 holes=keep blur",
        "terrain width=12 height=10 noise octaves=2 flood select where=\"water_distance > 20 or "
        "noise > 0.5 and not slope < 30\" mask field=selection noise mode=add octaves=2 hardness "
        "field=bedrock invert=yes",
    };
    FAIL_COURSES(texts);
}

static void drops_at_every_border(void **state) {
    (void)state;
#define RAIN "droplets drops=64 max_path=8cells radius=2cells "
    static const char *const texts[] = {
        "terrain width=24 height=20 noise octaves=2 " RAIN "border=open " RAIN "border=apron",
        "terrain width=24 height=20 noise octaves=2 mask grey.npy " RAIN
        "border=wall rain=grey.r32",
        "terrain width=24 height=20 noise octaves=2 hardness grey.r16 " RAIN
        "border=apron margin=5 "
        "rain=grey.npy resize size=30 crop x=3",
    };
    FAIL_COURSES(texts);
}

static void drops_with_a_blurred_change(void **state) {
    (void)state;
    static const char *const texts[] = {
        "terrain width=24 height=20 noise octaves=2 " RAIN "blend=0.5",
        "terrain width=24 height=20 noise octaves=2 mask grey.npy " RAIN
        "border=apron blend=1 blur=3 rain=grey.r16",
    };
    FAIL_COURSES(texts);
}

/* Steps that find out late what they need. */
static void land_that_comes_to_rest(void **state) {
    (void)state;
    static const char *const texts[] = {
        "terrain width=24 height=20 noise octaves=2 thermal until=settled talus=20",
        "terrain width=24 height=20 noise octaves=2 hardness grey.r16 thermal until=settled",
        "terrain width=24 height=20 noise octaves=2 thermal until=settled border=open neighbours=4",
    };
    FAIL_COURSES(texts);
}

/* Sediment that knows what it is made of, over bands. */
static void materials_that_stay_the_same(void **state) {
    (void)state;
    static const char *const texts[] = {
        "terrain width=24 height=20 noise octaves=2 strata " RAIN "give=same",
        "terrain width=24 height=20 noise octaves=2 strata particles drops=64 give=same",
        "terrain width=24 height=20 noise octaves=2 strata layer particles drops=64 order=batch",
        "terrain width=24 height=20 noise octaves=2 strata runoff rounds=3 give=same",
        "terrain width=24 height=20 noise octaves=2 strata pipes rounds=3 give=same",
        "terrain width=24 height=20 noise octaves=2 strata thermal rounds=3",
    };
    FAIL_COURSES(texts);
}

static void showing_and_saving(void **state) {
    (void)state;
    static const char *const texts[] = {
        "terrain width=24 height=20 noise octaves=2 save out.npy save out.r16 low=0 high=9 save "
        "out.r32",
        "terrain width=24 height=20 noise octaves=2 save out.obj error=1 solid=5 save out.stl save "
        "out.glb solid=3 save out.glb texture=yes save out.ply error=20",
        "terrain width=40 height=30 noise octaves=2 save out.obj error=0.01",
        "terrain width=12 height=10 noise octaves=2 layer name=ash strata flood save out.npz "
        "open out.npz crop x=3",
#ifdef RAVINE_PNG
        "open grey.png mask grey.png save out.png save out.png field=mask bits=8",
        "terrain width=24 height=20 noise octaves=2 hillshade out.png hillshade out.png tint=land",
        "open grey.png " RAIN "rain=grey.png save out.png field=flow",
        "terrain width=6 height=5 noise octaves=2 layer strata flood level=300 "
        "render out.png width=9 height=5",
        "terrain width=6 height=5 noise layer strata flood texture out.png kind=splat",
        "terrain width=6 height=5 noise octaves=2 texture out.png kind=occlusion",
        "terrain width=6 height=5 noise octaves=2 texture out.png kind=curvature",
        "terrain width=6 height=5 noise octaves=2 film out.png view=render width=9 height=5",
#endif
    };
    FAIL_COURSES(texts);
}

#ifdef RAVINE_PNG
/* Pictures take their time, so each allocation fails but once: by turns alone and with the rest. */
static void plots_of_what_was_measured(void **state) {
    (void)state;
    rv_status status = RV_ERROR_MEMORY;
    for (long n = 0; status != RV_OK; n++) {
        scarcity s;
        rv_context *ctx = scarce_context(&s, -1, n % 2);
        rv_terrain *land = support_run(ctx, "terrain width=3 height=3 noise octaves=2");
        rvi_survey *survey;
        support_ok(ctx, rvi_survey_make(land, 0, 2, &survey));
        s.fails = s.count + n;
        status = rvi_measure_plots(land, survey, "out");
        if (status != RV_OK)
            assert_int_equal(status, RV_ERROR_MEMORY);
        s.fails = -1;
        rvi_survey_free(ctx, survey);
        rv_terrain_destroy(land);
        rv_context_destroy(ctx);
        assert_int_equal(s.held, 0);
        count_files();
        assert_less(n, 1000);
    }
    static const char *const names[] = {"out-slope-area", "out-hypsometry", "out-landforms",
                                        "out-drainage"};
    for (int i = 0; i < 4; i++)
        remove_all(names[i]);
}
#endif

/* Is it told the size of its picture? */
static bool has_width(const rv_step_info *step) {
    for (int i = 0; i < step->word.param_count; i++)
        if (strcmp(step->word.params[i].name, "width") == 0)
            return true;
    return false;
}

/* Every step of the table, those of tomorrow too, as it is by default but for large pictures. */
static void every_step_by_default(void **state) {
    (void)state;
    char texts[RV_STEP_COUNT][128];
    const char *list[RV_STEP_COUNT];
    size_t count = 0;
    for (int i = 0; i < RV_STEP_COUNT; i++) {
        const rv_step_info *step = rv_step_get((rv_step_id)i);
        if (step->kind == RV_KIND_ORDER)
            continue; /* no recipe by itself */
        bool file = step->word.param_count > 0 && step->word.params[0].required;
#ifndef RAVINE_PNG
        if (file)
            continue;
#endif
        bool shows = step->kind == RV_KIND_SHOW;
        snprintf(texts[i], sizeof texts[i], "terrain width=24 height=20 noise octaves=2 %s %s%s",
                 step->word.name,
                 !file                                              ? ""
                 : strcmp(step->word.params[0].name, "folder") == 0 ? "out.folder"
                 : shows                                            ? "out.png"
                                                                    : "grey.png",
                 shows && has_width(step) ? " width=40 height=30" : "");
        list[count++] = texts[i];
    }
    fail_courses(list, count);
}

/* ---- other calls ---- */

static rv_status run_whole(rv_context *ctx, const void *what, long number, uint64_t *hash) {
    (void)number;
    rv_terrain *land = (rv_terrain *)ctx;
    rv_status status = rv_recipe_run_text(ctx, what, NULL, &land);
    if (status != RV_OK) {
        assert_null(land);
        return status;
    }
    *hash = rv_terrain_hash(land);
    rv_terrain_destroy(land);
    return status;
}

static void whole_recipes(void **state) {
    (void)state;
    static const char *const texts[] = {
        "terrain size=16 noise octaves=2 mask grey.npy droplets drops=50 max_path=8cells blend=0.5 "
        "save "
        "out.npy resize size=20",
        "open grey.npy # a comment\nsave \"out.r32\" field=height crop x=2 save.high=2 level "
        "blur blur blur level blur level.low=3 blur.radius=20 noise octaves=2",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        fail_each(texts[i], run_whole, texts[i]);
}

static void ignore_fault(void *user, const rv_fault *fault) {
    (void)user;
    (void)fault;
}

static rv_status load_mesh(rv_context *ctx, const void *what, long number, uint64_t *hash) {
    (void)number;
    (void)hash;
    rv_mesh *mesh = (rv_mesh *)ctx;
    rv_status status = rv_mesh_load(ctx, what, &mesh);
    if (status != RV_OK)
        assert_null(mesh);
    else
        status = rv_mesh_check(mesh, ignore_fault, NULL);
    rv_mesh_destroy(mesh);
    return status;
}

static void reading_and_checking_meshes(void **state) {
    (void)state;
    FILE *file = fopen("grey.obj", "w");
    assert_non_null(file);
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", file);
    fclose(file);
    fail_each("grey.obj", load_mesh, "grey.obj");
    file = fopen("grey.obj", "a");
    assert_non_null(file);
    fputs("f 2 3 4\nf 1 2 3\n", file); /* with faces that meet */
    fclose(file);
    fail_each("grey.obj with faults", load_mesh, "grey.obj");
    remove("grey.obj");
}

/* More steps and texts than a recipe has room for at first. */
static rv_status load_and_add(rv_context *ctx, const void *what, long number, uint64_t *hash) {
    (void)number;
    (void)hash;
    static const char *const words[] = {"droplets",     "rain=a", "save",           "b",
                                        "save.field=c", "mask",   "droplets.rain=d"};
    rv_recipe *recipe = (rv_recipe *)ctx;
    rv_status status = rv_recipe_load(ctx, what, &recipe);
    if (status != RV_OK) {
        assert_null(recipe);
        return status;
    }
    status = rv_recipe_add_words(recipe, sizeof words / sizeof words[0], words);
    if (status == RV_OK)
        assert_int_equal(rv_recipe_count(recipe), 28);
    rv_recipe_destroy(recipe);
    return status;
}

static void reading_recipes(void **state) {
    (void)state;
    FILE *file = fopen("long.rv", "w");
    assert_non_null(file);
    for (int i = 0; i < 25; i++)
        fprintf(file, "save \"f%d\" field=x%d # comment\n", i, i);
    fclose(file);
    fail_each("long.rv", load_and_add, "long.rv");
    remove("long.rv");
}

/* A text that cannot be kept leaves the one before it. */
static rv_status set_params(rv_context *ctx, const void *what, long number, uint64_t *hash) {
    (void)number;
    (void)hash;
    rv_params *params = (rv_params *)ctx;
    rv_status status = rv_params_create(ctx, what, &params);
    if (status != RV_OK) {
        assert_null(params);
        return status;
    }
    char text[16];
    status = rv_params_set(params, "file", "first.npy");
    if (status == RV_OK) {
        status = rv_params_set(params, "file", "second.npy");
        rv_params_get(params, "file", text, sizeof text);
        assert_string_equal(text, status == RV_OK ? "second.npy" : "first.npy");
    }
    rv_params_destroy(params);
    return status;
}

static void setting_parameters(void **state) {
    (void)state;
    fail_each("parameters of save", set_params, "save");
}

static rv_status plan_only(rv_context *ctx, const void *what, long number, uint64_t *hash) {
    (void)number;
    (void)hash;
    rv_recipe *recipe;
    rv_plan plans[16];
    rv_status status = rv_recipe_parse(ctx, what, "plan", &recipe);
    if (status != RV_OK)
        return status;
    assert_less_equal(rv_recipe_count(recipe), 16);
    status = rv_recipe_plan(recipe, plans);
    rv_recipe_destroy(recipe);
    return status;
}

static void planning(void **state) {
    (void)state;
    static const char *const texts[] = {
        "terrain size=4096 noise droplets border=apron resize size=100 crop x=5",
        "open grey.npy mask grey.r16 open grey.r32 droplets rain=grey.npy save out.npy",
#ifdef RAVINE_PNG
        "open grey.png hillshade out.png",
#endif
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        fail_each(texts[i], plan_only, texts[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(making_and_shaping),
        cmocka_unit_test(drops_at_every_border),
        cmocka_unit_test(drops_with_a_blurred_change),
        cmocka_unit_test(land_that_comes_to_rest),
        cmocka_unit_test(materials_that_stay_the_same),
        cmocka_unit_test(showing_and_saving),
#ifdef RAVINE_PNG
        cmocka_unit_test(plots_of_what_was_measured),
#endif
        cmocka_unit_test(every_step_by_default),
        cmocka_unit_test(whole_recipes),
        cmocka_unit_test(reading_recipes),
        cmocka_unit_test(setting_parameters),
        cmocka_unit_test(reading_and_checking_meshes),
        cmocka_unit_test(planning),
    };
    return cmocka_run_group_tests(tests, make_images, remove_images);
}
