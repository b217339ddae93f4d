/* The bits do not depend on the floating-point state of the caller, and the caller gets it back.
 *
 * Every public function that computes is called once in each of several states: other directions of
 * rounding, subnormal numbers flushed to zero as after -ffast-math, and exceptions that trap. The
 * law that a new function is here, too, is in tests/laws/check_laws.sh. */
#include "support.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* ---- the states ---- */

typedef struct host {
    const char *name;
    int rounding;
    bool flush, traps;
    bool alike; /* left out of the short form: another direction stays in, and "flush and up" is
                   both */
} host;

static const host hosts[] = {
    {"plain", FE_TONEAREST, false, false, false}, {"up", FE_UPWARD, false, false, true},
    {"down", FE_DOWNWARD, false, false, true},    {"cut", FE_TOWARDZERO, false, false, true},
    {"flush", FE_TONEAREST, true, false, true},   {"flush and up", FE_UPWARD, true, false, false},
#if !defined(__aarch64__)
    {"traps", FE_TONEAREST, false, true, false},
#endif
};

static const host *now_host; /* whose call is being made; NULL: none */

/* All bits of it, flags included; of the x87 how it rounds. */
typedef struct seen {
    uint64_t control;
    int rounding;
} seen;

static seen look(void) {
    seen s = {0, fegetround()};
#if defined(__x86_64__)
    s.control = _mm_getcsr();
#elif defined(__aarch64__)
    uint64_t flags;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(s.control), "=r"(flags));
    s.control |= flags << 32;
#endif
    return s;
}

static void set_host(const host *h) {
    assert_int_equal(fesetenv(FE_DFL_ENV), 0);
    assert_int_equal(fesetround(h->rounding), 0);
#if defined(__x86_64__)
    unsigned bits = _mm_getcsr() & ~0x803fu & ~0x0040u; /* no flags, no FTZ, no DAZ */
    bits |= h->flush ? 0x8040u : 0;
    bits &= h->traps ? ~(0x0080u | 0x0200u | 0x0400u) : ~0u; /* invalid, division, overflow */
    _mm_setcsr(bits);
#elif defined(__aarch64__)
    /* Bit 24 is FZ. Processors need not have traps, and few do. */
    uint64_t bits =
        (look().control & UINT32_MAX & ~(UINT64_C(1) << 24)) | (h->flush ? UINT64_C(1) << 24 : 0);
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, xzr" : : "r"(bits));
#endif
}

static seen expected; /* of now_host */

static void check_host(const char *where) {
    seen s = look();
    if (now_host != NULL && (s.control != expected.control || s.rounding != expected.rounding)) {
        const host *h = now_host;
        now_host = NULL;
        set_host(&hosts[0]);
        fail_msg("%s, %s: the state is %llx and %x, not %llx and %x", h->name, where,
                 (unsigned long long)s.control, (unsigned)s.rounding,
                 (unsigned long long)expected.control, (unsigned)expected.rounding);
    }
}

static const host *the_host;

static void begin_call(void) {
    now_host = the_host;
    set_host(the_host);
    expected = look();
}

static void end_call(const char *what) {
    check_host(what);
    now_host = NULL;
    set_host(&hosts[0]);
}

/* Makes a call as that host would; `result` is what it returns. */
#define CALL(result, call)                                                                         \
    do {                                                                                           \
        begin_call();                                                                              \
        result = call;                                                                             \
        end_call(#call);                                                                           \
    } while (0)
#define CALL_OK(call)                                                                              \
    do {                                                                                           \
        rv_status status_;                                                                         \
        CALL(status_, call);                                                                       \
        support_ok(ctx, status_);                                                                  \
    } while (0)
#define CALL_VOID(call)                                                                            \
    do {                                                                                           \
        begin_call();                                                                              \
        call;                                                                                      \
        end_call(#call);                                                                           \
    } while (0)

/* ---- what the calls gave ---- */

static uint64_t sum;

static void add(const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
}

#define ADD(value) add(&(value), sizeof(value))

static void add_text(const char *text) {
    add(text, strlen(text));
}

static void add_mesh(const rv_mesh *mesh) {
    add(rv_mesh_points(mesh), 3 * rv_mesh_vertex_count(mesh) * sizeof(double));
    add(rv_mesh_faces(mesh), 3 * rv_mesh_face_count(mesh) * sizeof(uint32_t));
}

static void add_file(const char *name) {
    char bytes[4096];
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        add(bytes, got);
    assert_int_equal(fclose(file), 0);
}

/* ---- functions of the program, which run in its state ---- */

enum { PROGRESS, LOG, ALLOCATE, RELEASE, BEFORE, AFTER, FRAME, FAULT, FACTOR, CALLBACKS };
static atomic_int called[CALLBACKS];
static bool stop;

static bool progress(void *user, const rv_progress *now) {
    (void)user;
    called[PROGRESS]++;
    check_host("progress");
    if (now->land) { /* a call from inside a call */
        double volume = rv_terrain_volume(now->land);
        check_host("rv_terrain_volume in progress");
        assert_true(isfinite(volume));
    }
    return !stop;
}

static void log_line(void *user, const char *line) {
    (void)user, (void)line;
    called[LOG]++;
    check_host("log");
}

static void *allocate(void *user, size_t size) {
    (void)user;
    called[ALLOCATE]++;
    check_host("allocate");
    return malloc(size);
}

static void release(void *user, void *memory, size_t size) {
    (void)user, (void)size;
    called[RELEASE]++;
    check_host("release");
    free(memory);
}

static void before(void *user, int index, rv_step_id step) {
    (void)user, (void)index, (void)step;
    called[BEFORE]++;
    check_host("before");
}

static void after(void *user, int index, const rv_report *report) {
    (void)user, (void)index;
    called[AFTER]++;
    check_host("after");
    ADD(report->ledger);
    ADD(report->hash);
}

/* How many steps end before the stop is seen depends on the clock: they are not added. */
static void after_stop(void *user, int index, const rv_report *report) {
    (void)user, (void)report;
    check_host("after");
    stop = stop || index == 1;
}

static void after_frame(void *user, const rv_frame *now) {
    (void)user;
    called[FRAME]++;
    check_host("after a frame");
    ADD(now->hash);
}

static void fault(void *user, const rv_fault *found) {
    char text[256];
    (void)user;
    called[FAULT]++;
    check_host("fault");
    rv_fault_print(found, text, sizeof text);
    check_host("rv_fault_print");
    add_text(text);
}

/* The one that computes for the library, on every thread: in the library's own state. */
static float factor(void *user, float x, float y, float z) {
    (void)user, (void)z;
    called[FACTOR]++;
    volatile float third = 1.0f / (3.0f + x), tiny = 0x1p-140f * (1.0f + y);
    return third * 3.0f + (tiny > 0.0f ? 0.25f : 0.0f);
}

static rv_context *make_context(void) {
    rv_context_desc desc = {.threads = 3, .log = log_line, .progress = progress};
    desc.allocator = (rv_allocator){allocate, release, NULL};
    rv_context *ctx;
    rv_status status;
    CALL(status, rv_context_create(&desc, &ctx));
    assert_int_equal(status, RV_OK);
    return ctx;
}

/* ---- every public function that computes ---- */

static void use_devices(rv_context *ctx) {
    rv_status status;
    bool same;
    double rate;
    CALL(status, rv_device_try(ctx, 1000, &same, &rate)); /* drivers have a state of their own */
    assert_int_equal(status, RV_ERROR_DEVICE);
    CALL(status, rv_context_use_device(ctx, RV_DEVICE_CPU));
    CALL_VOID(rv_context_device_limit(ctx, 0));
    CALL_VOID(rv_context_progress_land(ctx, true));
    assert_int_equal(status, RV_OK);
}

static void use_words(rv_context *ctx) {
    char text[512];
    rv_noise_params noise;
    CALL(noise, rv_noise_params_default());
    const rv_word_info *word = &rv_step_get(RV_STEP_noise)->word;
    CALL_VOID(rv_word_default(word, &noise));
    for (int i = 0; i < word->param_count; i++) {
        const rv_param_info *p = &word->params[i];
        bool has, is;
        int length;
        CALL(has, rv_param_has_auto(p));
        CALL(is, rv_param_is_auto(p, &noise));
        ADD(has);
        ADD(is);
        if (p->type == RV_PARAM_REAL) {
            double number = 0.1 + 1e-9;
            CALL_VOID(rv_param_set_number(p, &noise, number));
            CALL(number, rv_param_number(p, &noise));
            ADD(number);
            CALL_VOID(rv_param_set_number(p, &noise, 1e-42));
            CALL(number, rv_param_number(p, &noise));
            ADD(number);
            CALL_VOID(rv_param_set_number(p, &noise, 1.0 / 3.0));
        }
        CALL(length, rv_param_print(p, &noise, text, sizeof text));
        assert_greater(length, rv_param_text(p, &noise) ? -1 : 0);
        add_text(text);
    }
    rv_status status;
    CALL(status, rv_word_check(ctx, word, &noise));
    ADD(status);
    add_text(rv_context_error(ctx));
    rv_params *params;
    CALL_OK(rv_params_create(ctx, "noise", &params));
    CALL_OK(rv_params_set(params, "relief", "1234.5678901"));
    int length;
    CALL(length, rv_params_get(params, "relief", text, sizeof text));
    assert_greater(length, 0);
    add_text(text);
    rv_terrain *land;
    CALL_OK(rv_terrain_create(ctx, &(rv_terrain_desc){33, 17, 0.1f}, &land));
    CALL_OK(rv_params_run(params, land, NULL));
    uint64_t hash;
    CALL(hash, rv_terrain_hash(land));
    ADD(hash);
    rv_terrain_destroy(land);
    rv_params_destroy(params);
}

#if defined(RAVINE_PNG)
static void use_sheet(rv_context *ctx, rv_terrain *land) {
    const rv_hillshade_params shade = {
        .file = "state-one.png", .azimuth = 315.0f, .altitude = 45.0f, .z = 1.0f};
    const rv_sheet_entry entries[] = {{"state-one.png", "noise.seed=1\ngain=0.5"}, {NULL, NULL}};
    CALL_OK(rv_step_run(land, RV_STEP_hillshade, &shade, NULL));
    CALL_OK(rv_sheet_save(ctx, entries, 2, 0, "state-sheet.png"));
    add_file("state-sheet.png");
}
#endif

static void use_figures(rv_context *ctx, rv_terrain *land) {
    CALL_OK(rv_step_run(land, RV_STEP_measure, NULL, NULL));
    assert_greater(rv_terrain_figure_count(land), 0);
    for (int i = 0; i < rv_terrain_figure_count(land); i++) {
        const rv_figure *figure = rv_terrain_figure(land, i);
        bool check, passes;
        CALL(check, rv_figure_is_check(figure));
        CALL(passes, rv_figure_passes(figure));
        ADD(check);
        ADD(passes);
        ADD(figure->value);
    }
    rv_ledger both = {.eroded = 0.1, .suspended = 0.3}, more = {.eroded = 0.2, .before = 1e-310};
    CALL_VOID(rv_ledger_add(&both, &more));
    ADD(both);
    rv_figure tiny = {.value = 1e-310, .min = 2e-310, .max = NAN};
    bool passes;
    CALL(passes, rv_figure_passes(&tiny));
    ADD(passes);
}

static void use_meshes(rv_context *ctx, const rv_terrain *land) {
    rv_mesh *mesh;
    double volume;
    CALL_OK(rv_mesh_from_terrain(land, 0.7f, 3.3f, &mesh));
    add_mesh(mesh);
    CALL(volume, rv_mesh_volume(mesh));
    ADD(volume);
    CALL_OK(rv_mesh_save(mesh, "state.obj", NULL));
    CALL_OK(rv_mesh_save(mesh, "state.ply", land));
    add_file("state.obj");
    add_file("state.ply");
    rv_mesh_destroy(mesh);
    CALL_OK(rv_mesh_load(ctx, "state.obj", &mesh));
    add_mesh(mesh);
    CALL_OK(rv_mesh_check(mesh, fault, NULL));
    rv_mesh_destroy(mesh);
    CALL_OK(rv_mesh_from_terrain(land, 0.7f, 0.0f, &mesh));
    CALL_OK(rv_mesh_check(mesh, fault, NULL)); /* its border has faults to report */
    rv_mesh_destroy(mesh);
}

static void use_land(rv_context *ctx) {
    enum { SIZE = 40 };
    static float values[SIZE * SIZE], thin[SIZE * SIZE];
    for (int i = 0; i < SIZE * SIZE; i++) {
        values[i] = (float)(i % 7) * 0.1f;
        thin[i] = i % 3 ? 0x1p-130f : 0.3f; /* subnormal: gone where it is flushed to zero */
    }
    rv_terrain *land;
    CALL_OK(rv_terrain_create(ctx, &(rv_terrain_desc){SIZE, SIZE, 7.7f}, &land));
    CALL_OK(rv_step_run(land, RV_STEP_noise, NULL, NULL));
    CALL_OK(rv_terrain_layer_add(land, &(rv_layer_desc){"sand", 0.7f, 33.0f, 0}, thin));
    CALL_OK(rv_terrain_field_set(land, "hardness", values));
    rv_snapshot *snapshot;
    CALL_OK(rv_terrain_snapshot(land, &snapshot));
    rv_terrain_hardness(land, factor, NULL);
    rv_droplets_params drops;
    CALL(drops, rv_droplets_params_default());
    drops.drops = 500;
    rv_report report;
    CALL_OK(rv_step_run(land, RV_STEP_droplets, &drops, &report));
    ADD(report.ledger);
    CALL_OK(rv_step_run(land, RV_STEP_thermal, NULL, &report));
    ADD(report.ledger);
    CALL_OK(rv_step_run(land, RV_STEP_blur, NULL, NULL));
    double volume;
    uint64_t hash;
    CALL(volume, rv_terrain_volume(land));
    CALL(hash, rv_terrain_hash(land));
    ADD(volume);
    ADD(hash);
    use_figures(ctx, land);
#if defined(RAVINE_PNG)
    use_sheet(ctx, land);
#endif
    use_meshes(ctx, land);
    CALL_OK(rv_terrain_field_set(land, "height", values));
    CALL(hash, rv_terrain_hash(land));
    ADD(hash);
    CALL_OK(rv_terrain_restore(land, snapshot));
    CALL(hash, rv_terrain_hash(land));
    ADD(hash);
    rv_snapshot_destroy(snapshot);
    rv_terrain *copy;
    CALL_OK(rv_terrain_copy(land, ctx, &copy));
    CALL(hash, rv_terrain_hash(copy));
    ADD(hash);
    rv_terrain_destroy(copy);
    rv_terrain_destroy(land);
}

static const char recipe_text[] =
    "terrain size=48 cell=3.3 noise seed=7 octaves=6 relief=333.3 strata thickness=20.1\n"
    "droplets drops=700 rivers steps=3 pipes rounds=6 runoff rounds=20\n";

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void use_recipes(rv_context *ctx) {
    char text[1024];
    rv_recipe *recipe;
    rv_terrain *land;
    uint64_t hash;
    int length;
    write_text("state.rv", recipe_text);
    CALL_OK(rv_recipe_load(ctx, "state.rv", &recipe));
    const char *words[] = {"thermal", "talus=31.3", "noise.relief=222.2"};
    CALL_OK(rv_recipe_add_words(recipe, 3, words));
    CALL_OK(rv_recipe_add_words(recipe, 2, (const char *[]){"blur", "level"}));
    CALL_OK(rv_recipe_end_after(recipe, "blur"));
    CALL_OK(rv_recipe_remove(recipe, "blur#1"));
    CALL(length, rv_recipe_print(recipe, text, sizeof text));
    assert_greater(length, 0);
    add_text(text);
    rv_plan plans[16];
    memset(plans, 0, sizeof plans);
    CALL_OK(rv_recipe_plan(recipe, plans));
    CALL_OK(rv_recipe_check_checkpoint(recipe, "state.ck"));
    ADD(plans[0].cell);
    ADD(plans[0].memory);
    rv_watch watch = {.before = before, .after = after};
    CALL_OK(rv_recipe_run(recipe, &watch, &land));
    CALL(hash, rv_terrain_hash(land));
    ADD(hash);
    rv_terrain_destroy(land);
    rv_recipe_destroy(recipe);

    CALL_OK(rv_recipe_parse(ctx, recipe_text, "test", &recipe));
    rv_watch stopped = {.after = after_stop, .checkpoint = "state.checkpoint"};
    rv_status status;
    CALL(status, rv_recipe_run(recipe, &stopped, &land));
    stop = false;
    assert_int_equal(status, RV_CANCELLED);
    CALL_OK(rv_recipe_resume(ctx, "state.checkpoint", NULL, &land));
    remove("state.checkpoint"); /* the next run is another one */
    CALL(hash, rv_terrain_hash(land));
    ADD(hash);
    rv_terrain_destroy(land);
    rv_recipe_destroy(recipe);

    CALL_OK(rv_recipe_run_text(ctx, "terrain size=40 cone relief=77.7 flood save state.npy", NULL,
                               NULL));
    add_file("state.npy");
    CALL_OK(rv_recipe_run_text(ctx, "open state.npy blur radius=21.1 resize size=31", NULL, &land));
    CALL(hash, rv_terrain_hash(land));
    ADD(hash);
    rv_terrain_destroy(land);
}

static const char scene_text[] = "box low=0/0/0 high=1/1/1\n"
                                 "model block.obj\n"
                                 "water low=0.3/0.3/0.5 high=0.7/0.7/0.7\n"
                                 "particles max=400 spacing=0.05\n"
                                 "material name=rock critical=0.1 rate=0.01\n"
                                 "tessellate limit=0.1\n"
                                 "run frames=8 save=state-rock.obj width=64 height=48\n";

static void add_scene(rv_context *ctx, const rv_scene *scene) {
    rv_frame now;
    CALL_OK(rv_scene_info(scene, &now));
    ADD(now.time);
    ADD(now.volume);
    ADD(now.smallest_angle);
    ADD(now.ledger);
    ADD(now.hash);
    rv_ledger ledger;
    CALL(ledger, rv_scene_material_ledger(scene, 0));
    ADD(ledger);
    rv_particles water;
    CALL_OK(rv_scene_particles(scene, &water));
    add(water.positions, 4 * water.count * sizeof(float));
    rv_mesh *rock;
    CALL_OK(rv_scene_mesh(scene, &rock));
    add_mesh(rock);
    rv_mesh_destroy(rock);
}

static void use_scenes(rv_context *ctx) {
    char text[2048];
    rv_scene *scene;
    rv_scene_plan plan;
    int length;
    write_text("block.obj", "v 0.3 0.3 0.1\nv 0.7 0.3 0.1\nv 0.3 0.7 0.1\nv 0.7 0.7 0.1\n"
                            "v 0.3 0.3 0.3\nv 0.7 0.3 0.3\nv 0.3 0.7 0.3\nv 0.7 0.7 0.3\n"
                            "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    CALL_OK(rv_scene_create(ctx, "river", &scene));
    rv_scene_destroy(scene);
    CALL_OK(rv_scene_parse(ctx, scene_text, "test", &scene));
    const char *words[] = {"material.rate=0.0133333333"};
    CALL_OK(rv_scene_add_words(scene, 1, words));
    CALL(length, rv_scene_print(scene, text, sizeof text));
    assert_greater(length, 0);
    add_text(text);
    memset(&plan, 0, sizeof plan);
    CALL_OK(rv_scene_plan_run(scene, &plan));
    CALL_OK(rv_scene_check_checkpoint(scene, "state.ck"));
    ADD(plan.spacing);
    ADD(plan.memory);
    CALL_OK(rv_scene_start(scene));
    for (int i = 0; i < 6; i++)
        CALL_OK(rv_scene_step(scene));
    add_scene(ctx, scene);
    CALL_OK(rv_scene_save(scene, "state.scene"));
    bool is;
    CALL(is, rv_scene_is_checkpoint(ctx, "state.scene"));
    assert_true(is);
#if defined(RAVINE_PNG)
    CALL_OK(rv_scene_picture(scene, "state.png"));
    add_file("state.png");
#endif
    rv_scene_destroy(scene);
    CALL_OK(rv_scene_resume(ctx, "state.scene", &scene));
    rv_scene_watch watch = {.after = after_frame};
    CALL_OK(rv_scene_run(scene, &watch));
    add_scene(ctx, scene);
    add_file("state-rock.obj");
    rv_scene_destroy(scene);
    write_text("state-words.scene", scene_text);
    CALL_OK(rv_scene_load(ctx, "state-words.scene", &scene));
    rv_scene_destroy(scene);
}

static uint64_t use_all(const host *h) {
    the_host = h;
    sum = 1;
    rv_context *ctx = make_context();
    use_devices(ctx);
    use_words(ctx);
    use_land(ctx);
    use_recipes(ctx);
    use_scenes(ctx);
    CALL_VOID(rv_context_destroy(ctx));
    return sum;
}

static void test_bits_do_not_depend_on_the_caller(void **state) {
    (void)state;
    uint64_t plain = use_all(&hosts[0]);
    for (int i = 0; i < CALLBACKS; i++)
        if (called[i] == 0)
            fail_msg("function %d was never called", i);
    for (size_t i = 1; i < sizeof hosts / sizeof hosts[0]; i++)
        if (!(support_short() && hosts[i].alike) && use_all(&hosts[i]) != plain)
            fail_msg("%s: other bits", hosts[i].name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits_do_not_depend_on_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
