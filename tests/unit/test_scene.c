/* Scenes through the library: words, frames, books, checkpoints, and what goes wrong. */
#include "support.h"

#include "base/context.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/random.h"
#include "scene/scene_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A block 0.4 m wide and 0.2 m high on the floor of the box. */
static const char block[] = "v 0.3 0.3 0.1\nv 0.7 0.3 0.1\nv 0.3 0.7 0.1\nv 0.7 0.7 0.1\n"
                            "v 0.3 0.3 0.3\nv 0.7 0.3 0.3\nv 0.3 0.7 0.3\nv 0.7 0.7 0.3\n"
                            "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

/* Water that falls on it. */
static const char fall[] = "box low=0/0/0 high=1/1/1\n"
                           "model block.obj\n"
                           "water low=0.3/0.3/0.5 high=0.7/0.7/0.7\n"
                           "source at=0.2/0.2/0.8 size=0.2/0.2/0.1 every=4\n"
                           "particles max=400 spacing=0.05\n"
                           "material name=rock critical=0.1 rate=0.01\n"
                           "material name=sand critical=0.1 rate=0.02\n"
                           "region material=sand at=0/0/0 to=0.5/1/1\n"
                           "tessellate limit=0.1\n"
                           "run frames=40\n";

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static rv_scene *scene_of(rv_context *ctx, const char *text) {
    rv_scene *scene = NULL;
    support_ok(ctx, rv_scene_parse(ctx, text, "test", &scene));
    return scene;
}

static rv_frame look(rv_context *ctx, const rv_scene *scene) {
    rv_frame now;
    support_ok(ctx, rv_scene_info(scene, &now));
    return now;
}

static void no_fault(void *user, const rv_fault *fault) {
    char text[256];
    (void)user;
    rv_fault_print(fault, text, sizeof text);
    fail_msg("%s", text);
}

/* In every frame: the rock is the surface of a solid, the books are right, no particle is lost. */
static void frames_are_sound(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_scene *scene = scene_of(ctx, fall);
    rv_scene_plan plan;
    support_ok(ctx, rv_scene_plan_run(scene, &plan));
    assert_equal(plan.particles, 400);
    assert_equal(plan.faces, 12);
    assert_equal(plan.frames, 40);
    assert_int_equal(rv_scene_material_count(scene), 0);
    support_ok(ctx, rv_scene_start(scene));
    double first = look(ctx, scene).volume;
    assert_near(first, 0.032, 1e-9);
    for (int i = 0; i < 40; i++) {
        support_ok(ctx, rv_scene_step(scene));
        rv_frame now = look(ctx, scene);
        rv_mesh *rock;
        support_ok(ctx, rv_scene_mesh(scene, &rock));
        support_ok(ctx, rv_mesh_check(rock, no_fault, NULL));
        assert_int_equal(rv_mesh_face_count(rock), now.faces);
        rv_mesh_destroy(rock);
        const rv_ledger *l = &now.ledger;
        double moved = l->eroded + l->deposited, gone = l->eroded - l->deposited;
        assert_less_equal(fabs(gone - (l->suspended + l->left_map + now.owed)), 1e-9 * moved);
        assert_less_equal(fabs(first - now.volume - gone), 1e-9 * moved + 1e-15);
        double given = 0; /* by all materials, to particles */
        for (int m = 0; m < rv_scene_material_count(scene); m++) {
            rv_ledger material = rv_scene_material_ledger(scene, m);
            given += material.eroded - material.deposited;
        }
        assert_less_equal(fabs(given - (l->suspended + l->left_map)), 1e-9 * moved);
        assert_int_equal(now.frame, i + 1);
        assert_less_equal(now.particles, 400);
        assert_greater(now.ms.frame, 0);
        rv_particles p;
        support_ok(ctx, rv_scene_particles(scene, &p));
        for (size_t k = 0; k < p.count; k++)
            for (int c = 0; c < 3; c++) {
                assert_greater_equal(p.positions[4 * k + (size_t)c], 0);
                assert_less_equal(p.positions[4 * k + (size_t)c], 1);
            }
    }
    assert_int_equal(rv_scene_material_count(scene), 2);
    assert_string_equal(rv_scene_material_name(scene, 1), "sand");
    rv_ledger rock = rv_scene_material_ledger(scene, 0), sand = rv_scene_material_ledger(scene, 1);
    assert_greater(rock.eroded, 0);
    assert_greater(sand.eroded, rock.eroded);
    assert_less_equal(rv_context_memory_peak(ctx), plan.memory);
    rv_scene_destroy(scene);
    rv_context_destroy(ctx);
}

/* Threads share the work of all scenes in the same way, and the thread sanitizer takes its time. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define READY_SCENES 3
#endif
#endif
#if !defined(READY_SCENES)
#define READY_SCENES 8
#endif

/* The first frames of every preset, until the water has met the rock and some more: after each
 * of them no particle is in the rock or out of the box, and rock that changed is a solid. */
static void ready_scenes_stay_sound(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int frames;
    } presets[] = {{"dam_break", 4},      {"river", 24},       {"tube", 74}, {"lake", 10},
                   {"detailed_lake", 20}, {"two_sources", 24}, {"arch", 24}, {"cave", 24}};
    for (size_t k = 0; k < READY_SCENES; k++) {
        rv_context *ctx = support_context(2);
        rv_scene *scene;
        support_ok(ctx, rv_scene_create(ctx, presets[k].name, &scene));
        support_ok(ctx, rv_scene_start(scene));
        double before = look(ctx, scene).volume;
        for (int i = 0; i < presets[k].frames; i++) {
            support_ok(ctx, rv_scene_step(scene));
            assert_true(rvi_sph_none_in_rock(scene->now->water));
            rv_frame now = look(ctx, scene);
            if (now.volume == before)
                continue;
            before = now.volume;
            rv_mesh *rock;
            support_ok(ctx, rv_scene_mesh(scene, &rock));
            support_ok(ctx, rv_mesh_check(rock, no_fault, NULL));
            rv_mesh_destroy(rock);
        }
        assert_true(k == 0 || look(ctx, scene).ledger.eroded > 0);
        rv_scene_destroy(scene);
        rv_context_destroy(ctx);
    }
}

/* However far the limit is, faces are mended without taking a corner off a block: rock goes only
 * where particles took it, up to some that they still owe. */
static void mending_takes_no_corner(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_scene *scene = scene_of(ctx, fall);
    const char *const flat[] = {"model.scale=1/1/0.8", "tessellate.limit=100"};
    support_ok(ctx, rv_scene_add_words(scene, 2, flat));
    for (int i = 0; i < 40; i++) {
        support_ok(ctx, rv_scene_step(scene));
        rv_frame now = look(ctx, scene);
        assert_int_equal(now.faces, 12);
        assert_less(fabs(now.owed), 4 * 0.05 * 0.05 * 0.05);
    }
    assert_greater(look(ctx, scene).ledger.eroded, 0);
    rv_scene_destroy(scene);
    rv_context_destroy(ctx);
}

static uint64_t hash_after(int threads, const char *text, int frames) {
    rv_context *ctx = support_context(threads);
    rv_scene *scene = scene_of(ctx, text);
    for (int i = 0; i < frames; i++)
        support_ok(ctx, rv_scene_step(scene));
    uint64_t hash = look(ctx, scene).hash;
    rv_scene_destroy(scene);
    rv_context_destroy(ctx);
    return hash;
}

static void threads_do_not_matter(void **state) {
    (void)state;
    uint64_t hash = hash_after(1, fall, 25);
    assert_equal(hash_after(2, fall, 25), hash);
    assert_equal(hash_after(3, fall, 25), hash);
    assert_equal(hash_after(7, fall, 25), hash);
}

/* Saved at any frame and resumed, all later frames are the same. */
static void resume_with(const char *word) {
    enum { FRAMES = 30 };
    uint64_t hashes[FRAMES + 1];
    rv_context *ctx = support_context(2);
    rv_scene *scene = scene_of(ctx, fall);
    support_ok(ctx, rv_scene_add_words(scene, 1, &word));
    support_ok(ctx, rv_scene_start(scene));
    for (int i = 0; i < FRAMES; i++) {
        char name[32];
        snprintf(name, sizeof name, "%d.ck", i);
        hashes[i] = look(ctx, scene).hash;
        if (i % 6 == 0)
            support_ok(ctx, rv_scene_save(scene, name));
        support_ok(ctx, rv_scene_step(scene));
    }
    hashes[FRAMES] = look(ctx, scene).hash;
    rv_frame last = look(ctx, scene);
    rv_scene_destroy(scene);
    for (int i = 0; i < FRAMES; i += 6) {
        char name[32];
        snprintf(name, sizeof name, "%d.ck", i);
        assert_true(rv_scene_is_checkpoint(ctx, name));
        support_ok(ctx, rv_scene_resume(ctx, name, &scene));
        assert_int_equal(look(ctx, scene).frame, i);
        for (int k = i; k < FRAMES; k++) {
            assert_equal(look(ctx, scene).hash, hashes[k]);
            support_ok(ctx, rv_scene_step(scene));
        }
        rv_frame now = look(ctx, scene);
        assert_equal(now.hash, hashes[FRAMES]);
        assert_equal(now.ledger.eroded, last.ledger.eroded);
        assert_equal(now.owed, last.owed);
        rv_scene_destroy(scene);
    }
    rv_context_destroy(ctx);
}

static void resumed_frames_are_the_same(void **state) {
    (void)state;
    resume_with("particles.solver=project");
    resume_with("particles.solver=wcsph");
    resume_with("particles.wall=penalty");
}

/* Particles that can hold nothing take nothing, and neither is rock of the rate 0 taken, however
 * great the stress. */
static void nothing_is_taken(void **state) {
    (void)state;
    static const char *const words[][3] = {
        {"wear.capacity=0", "material.rate=1000", "material.critical=0"},
        {"material.rate=0", "wear.exponent=4", "wear.thickness=1000000"}};
    for (size_t i = 0; i < 2; i++) {
        rv_context *ctx = support_context(2);
        rv_scene *scene = scene_of(ctx, fall);
        support_ok(ctx, rv_scene_add_words(scene, 3, words[i]));
        for (int k = 0; k < 40; k++)
            support_ok(ctx, rv_scene_step(scene));
        rv_frame now = look(ctx, scene);
        assert_equal(now.ledger.suspended, 0);
        assert_equal(now.ledger.left_map, 0);
        rv_scene_destroy(scene);
        rv_context_destroy(ctx);
    }
}

/* Puts a particle that is too fast into a scene after its sixth frame. */
typedef struct fast_particle {
    rv_context *ctx;
    rv_scene *scene;
    float speed;
    rv_frame last; /* that was seen */
} fast_particle;

static void add_fast_particle(void *user, const rv_frame *now) {
    fast_particle *f = user;
    f->last = *now;
    if (now->frame == 6)
        support_ok(f->ctx, rvi_sph_add(f->scene->now->water, (const double[3]){0.9, 0.9, 0.9},
                                       (const float[3]){f->speed, 0, 0}, 0));
}

/* A frame that would leave numbers that are not finite, or take no time, ends the run with a
 * sentence. The last good frame and its checkpoint are whole. */
static void end_by_fast_particle(float speed, const char *sentence, const char *checkpoint) {
    static const char *const words[] = {"save=out.obj", "every=2"};
    rv_context *ctx = support_context(2);
    fast_particle f = {.ctx = ctx, .scene = scene_of(ctx, fall), .speed = speed};
    rv_scene_watch watch = {.after = add_fast_particle, .user = &f, .checkpoint = checkpoint};
    support_ok(ctx, rv_scene_add_words(f.scene, 2, words));
    assert_int_equal(rv_scene_run(f.scene, &watch), RV_ERROR_INTERNAL);
    assert_non_null(strstr(rv_context_error(ctx), sentence));
    assert_non_null(strstr(rv_context_error(ctx), "test: frame 7: "));
    assert_non_null(strstr(rv_context_error(ctx), "The last good frame is 6, in out-00006.obj."));
    assert_int_equal(f.last.frame, 6);
    assert_int_equal(look(ctx, f.scene).frame, 6);
    rv_mesh *rock = NULL;
    support_ok(ctx, rv_mesh_load(ctx, "out-00006.obj", &rock));
    assert_int_equal(rv_mesh_face_count(rock), f.last.faces);
    rv_mesh_destroy(rock);
    assert_false(rvi_file_exists("out.obj"));
    rv_scene_destroy(f.scene);
    rv_context_destroy(ctx);
}

static void unstable_water_ends_the_run(void **state) {
    (void)state;
    end_by_fast_particle(INFINITY, "1 of 289 particles would get", NULL);
    end_by_fast_particle(NAN, "1 of 289 particles would get", NULL);
    end_by_fast_particle(3e38f, "1 of 289 particles would get", "fast.ck");
    remove("fast.ck"); /* the next run is another one */
    end_by_fast_particle(1e18f, "no time passes", "fast.ck");
    rv_context *ctx = support_context(2);
    rv_scene *scene = NULL;
    support_ok(ctx, rv_scene_resume(ctx, "fast.ck", &scene));
    assert_int_equal(look(ctx, scene).frame, 6);
    assert_int_equal(rv_scene_run(scene, NULL), RV_ERROR_INTERNAL);
    assert_int_equal(rv_scene_step(scene), RV_ERROR_INTERNAL);
    assert_int_equal(look(ctx, scene).frame, 6);
    rv_scene_destroy(scene);
    rv_context_destroy(ctx);
}

/* After its sixth frame the books of a scene are so full that their sum is not finite. */
static void fill_books(void *user, const rv_frame *now) {
    fast_particle *f = user;
    f->last = *now;
    if (now->frame != 6)
        return;
    rvi_wear *wear = f->scene->now->wear;
    size_t count = rvi_wear_checkpoint(wear, NULL);
    double *numbers = calloc(count, sizeof *numbers);
    assert_non_null(numbers);
    rvi_wear_checkpoint(wear, numbers);
    numbers[2] = numbers[3] = 1.7e308; /* eroded, deposited */
    support_ok(f->ctx, rvi_wear_restore(wear, numbers, count));
    free(numbers);
}

/* What is found after the rock has changed ends the run at the frame before, to the bit: also what
 * is saved, and what goes on from there. */
static void unstable_wear_ends_at_the_frame_before(void **state) {
    (void)state;
    static const char *const words[] = {"save=out.obj", "every=2"};
    rv_context *ctx = support_context(2);
    fast_particle f = {.ctx = ctx, .scene = scene_of(ctx, fall)};
    rv_scene_watch watch = {.after = fill_books, .user = &f};
    support_ok(ctx, rv_scene_add_words(f.scene, 2, words));
    assert_int_equal(rv_scene_run(f.scene, &watch), RV_ERROR_INTERNAL);
    assert_non_null(strstr(rv_context_error(ctx), "test: frame 7: The wear is unstable"));
    assert_non_null(strstr(rv_context_error(ctx), "The last good frame is 6, in out-00006.obj."));
    rv_frame now = look(ctx, f.scene);
    assert_int_equal(now.frame, 6);
    assert_equal(now.hash, f.last.hash);
    assert_equal(now.time, f.last.time);
    rv_mesh *saved = NULL, *rock = NULL;
    support_ok(ctx, rv_mesh_load(ctx, "out-00006.obj", &saved));
    rv_scene *plain = scene_of(ctx, fall);
    for (int i = 0; i < 6; i++)
        support_ok(ctx, rv_scene_step(plain));
    assert_equal(look(ctx, plain).hash, now.hash);
    support_ok(ctx, rv_scene_mesh(plain, &rock));
    assert_int_equal(rv_mesh_vertex_count(saved), rv_mesh_vertex_count(rock));
    assert_memory_equal(rv_mesh_points(saved), rv_mesh_points(rock),
                        3 * rv_mesh_vertex_count(rock) * sizeof(double));
    rv_mesh_destroy(saved);
    rv_mesh_destroy(rock);
    rv_scene_destroy(plain);
    rv_scene_destroy(f.scene);
    rv_context_destroy(ctx);
}

static void count_frame(void *user, const rv_frame *now) {
    (void)now;
    ++*(int *)user;
}

/* The plan of a scene and its run, where there is so much memory. */
static rv_status run_within(size_t limit, const char *more, rv_scene_plan *plan, char *sentence,
                            size_t room, int *frames, size_t *peak) {
    rv_context_desc desc = rv_context_desc_default();
    desc.memory_limit = limit;
    desc.threads = 1;
    rv_context *ctx = NULL;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rv_scene *scene = scene_of(ctx, fall);
    const char *words[] = {"frames=5", more};
    support_ok(ctx, rv_scene_add_words(scene, more != NULL ? 2 : 1, words));
    rv_status planned = rv_scene_plan_run(scene, plan);
    snprintf(sentence, room, "%s", planned != RV_OK ? rv_context_error(ctx) : "");
    *frames = 0;
    rv_scene_watch watch = {.after = count_frame, .user = frames};
    rv_status status = rv_scene_run(scene, &watch);
    assert_int_equal(status, planned);
    if (status != RV_OK)
        assert_string_equal(rv_context_error(ctx), sentence);
    *peak = rv_context_memory_peak(ctx);
    rv_scene_destroy(scene);
    rv_context_destroy(ctx);
    return status;
}

/* A run that the memory cannot hold ends before its first frame, with what its plan says. */
static void memory_is_asked_for_before_the_first_frame(void **state) {
    (void)state;
    rv_scene_plan plan, again;
    char sentence[512];
    int frames;
    size_t peak, whole;
    assert_int_equal(run_within(0, NULL, &plan, sentence, sizeof sentence, &frames, &whole), RV_OK);
    assert_int_equal(frames, 6);
    assert_less_equal(whole, plan.memory);
    size_t tight = plan.memory + plan.memory / 8; /* the words are there before */
    assert_int_equal(run_within(tight, NULL, &again, sentence, sizeof sentence, &frames, &peak),
                     RV_OK);
    assert_int_equal(
        run_within(plan.memory - 1, NULL, &again, sentence, sizeof sentence, &frames, &peak),
        RV_ERROR_MEMORY);
    assert_int_equal(frames, 0);
    assert_equal(again.memory, plan.memory);
    assert_equal(again.particles, plan.particles);
    assert_non_null(strstr(sentence, "MiB for the scene would exceed the memory limit of "));
    /* Neither many particles nor a large picture are begun with. */
    assert_int_equal(
        run_within(whole, "particles.max=100M", &again, sentence, sizeof sentence, &frames, &peak),
        RV_ERROR_MEMORY);
    assert_less(peak, whole / 4);
    assert_non_null(strstr(sentence, "GiB for the scene would exceed the memory limit of "));
#if defined(RAVINE_PNG)
    assert_int_equal(
        run_within(tight, "save=large.png", &again, sentence, sizeof sentence, &frames, &peak),
        RV_ERROR_MEMORY);
    assert_false(rvi_file_exists("large.png"));
#endif
}

/* Rock may lie where no water comes. */
static void rock_may_be_far_away(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_scene *scene = scene_of(ctx, "box model block.obj move=50/0/0 water high=0.3/0.3/0.3\n"
                                    "particles spacing=0.05");
    for (int i = 0; i < 3; i++)
        support_ok(ctx, rv_scene_step(scene));
    assert_true(rvi_sph_none_in_rock(scene->now->water));
    assert_int_equal(look(ctx, scene).particles, 216);
    rv_scene_destroy(scene);
    rv_context_destroy(ctx);
}

/* A limit that no particle can keep divides as finely as particles can feel. */
static void least_limit_is_half_a_spacing(void **state) {
    (void)state;
    static const char *const limits[] = {"tessellate.limit=0.000001", "tessellate.limit=0.025"};
    size_t faces[2];
    for (size_t i = 0; i < 2; i++) {
        rv_context *ctx = support_context(2);
        rv_scene *scene = scene_of(ctx, fall);
        support_ok(ctx, rv_scene_add_words(scene, 1, &limits[i]));
        for (int k = 0; k < 29; k++)
            support_ok(ctx, rv_scene_step(scene));
        faces[i] = look(ctx, scene).faces;
        rv_scene_destroy(scene);
        rv_context_destroy(ctx);
    }
    assert_equal(faces[0], faces[1]);
    assert_greater(faces[0], 12);
}

/* A text may begin with the mark that editors put before UTF-8, and have lines as on Windows. */
static void texts_of_editors_are_read(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_scene *plain = scene_of(ctx, "m block.obj 0 9/9/9 0/0/0\nf 10 3/3/5 1/1/1\np 50\n");
    rv_scene *edited =
        scene_of(ctx, "\xEF\xBB\xBFm block.obj 0 9/9/9 0/0/0\r\n\r\nf 10 3/3/5 1/1/1\r\np 50\r\n");
    char text[2048], same[2048];
    assert_in_range(rv_scene_print(plain, text, sizeof text), 1, sizeof text - 1);
    rv_scene_print(edited, same, sizeof same);
    assert_string_equal(text, same);
    rv_scene_destroy(plain);
    rv_scene_destroy(edited);
    rv_context_destroy(ctx);
}

/* Words printed and read again are the same scene. */
static void printed_words_are_the_same(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_scene *scene = scene_of(ctx, fall);
    const char *const more[] = {"frames=7", "particles.friction=0.5"};
    support_ok(ctx, rv_scene_add_words(scene, 2, more));
    char text[8192], again[8192];
    assert_in_range(rv_scene_print(scene, text, sizeof text), 1, sizeof text - 1);
    rv_scene_destroy(scene);
    scene = scene_of(ctx, text);
    rv_scene_print(scene, again, sizeof again);
    assert_string_equal(text, again);
    assert_non_null(strstr(text, "frames=7"));
    assert_non_null(strstr(text, "friction=0.5"));
    rv_scene_destroy(scene);
    rv_context_destroy(ctx);
}

/* The names of presets are those that there are. */
static void ready_scenes_have_words(void **state) {
    (void)state;
    assert_int_equal(rv_scene_preset_count(), rvi_preset_count());
    for (int i = 0; i < rv_scene_preset_count(); i++)
        assert_non_null(rvi_preset_find(rv_scene_preset_name(i)));
}

/* Each wrong scene gets a sentence and leaves nothing behind. */
static void wrong_scenes_get_a_sentence(void **state) {
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "needs a box"},
        {"model block.obj", "needs a box"},
        {"box high=0/1/1", "holds nothing"},
        {"box high=1/1", "three numbers"},
        {"box high=1/1/nan", "three numbers"},
        {"box high=1/1/1e9", "within"},
        {"box open=up", "west, east"},
        {"box particles spacing=1", "test: A box of water has sides of 4 to 100000 spacings"},
        {"box particles max=0", "within"},
        {"box model", "needs a name"},
        {"box model missing.obj", "missing.obj"},
        {"box file=missing.obj", "missing.obj"},
        {"box model open.obj", "not the surface of a solid"},
        {"box model block.obj model block.obj", "not the surface of a solid"},
        {"box model block.obj reverse=yes", "not the surface of a solid"},
        {"box model block.obj source at=0.5/0.5/0.2", "test: The source around (0.5, 0.5, 0.2)"},
        {"box source at=2/2/2", "out of the box"},
        {"box water low=1/1/1 high=0/0/0", "holds nothing"},
        {"box region material=sand", "sand"},
        {"box material name=a region material=a shape=layers count=3", "3 materials"},
        {"box water low=0/0/0 high=1/1/1 particles spacing=0.02 max=100", "no room"},
        {"box modl block.obj", "did you mean \"model\"?"},
        {"box hgih=1/1/1", "did you mean \"high\"?"},
        {"stage river", "there is no word \"stage\"; it is called \"preset\"."},
        {"preset river particles most=9", "no parameter \"most\"; it is called \"max\"."},
        {"preset river wear most=0.1", "no parameter \"most\"; it is called \"capacity\"."},
        {"preset river wear lay=1", "no parameter \"lay\"; it is called \"deposit\"."},
        {"preset rvier", "one of"},
        {"box model block.obj wear exponent=0", "within"},
    };
    write_text("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
    rv_context *ctx = support_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rv_scene *scene = NULL;
        rv_status status = rv_scene_parse(ctx, cases[i].text, "test", &scene);
        if (status == RV_OK)
            status = rv_scene_step(scene);
        rv_scene_destroy(scene);
        if (status == RV_OK || !strstr(rv_context_error(ctx), cases[i].said))
            fail_msg("%s: %s does not say %s", cases[i].text,
                     status == RV_OK ? "a run" : rv_context_error(ctx), cases[i].said);
    }
    rv_context_destroy(ctx);
}

/* ---- bytes that are not what was written ---- */

/* Bytes changed at many places, with a hash that fits: a sentence, or a scene that can go on. */
static void altered_checkpoints_do_no_harm(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_scene *scene = scene_of(ctx, fall);
    for (int i = 0; i < 12; i++)
        support_ok(ctx, rv_scene_step(scene));
    support_ok(ctx, rv_scene_save(scene, "right.ck"));
    rv_scene_destroy(scene);
    rvi_bytes right;
    support_ok(ctx, rvi_file_read(ctx, "right.ck", &right));
    assert_less(right.size, 65536); /* so that one hash goes over all of it */
    size_t end = right.size - sizeof(uint64_t);
    int refused = 0;
    for (uint64_t i = 0; i < 400; i++) {
        size_t at = 20 + (size_t)(rvi_random(1, i, 0) % (end - 20));
        unsigned char old = right.data[at];
        right.data[at] = (unsigned char)(old ^ (1u << rvi_random(2, i, 0) % 8));
        uint64_t hash = rvi_hash(right.data, end, 0);
        memcpy(right.data + end, &hash, sizeof hash);
        if (rvi_scene_decode(ctx, "altered", right.data, right.size, &scene) == RV_OK)
            (void)rv_scene_step(scene);
        else
            refused++;
        rv_scene_destroy(scene);
        right.data[at] = old;
    }
    assert_in_range(refused, 20, 400);
    for (size_t size = 0; size < right.size; size += 97) {
        assert_int_equal(rvi_scene_decode(ctx, "cut", right.data, size, &scene), RV_ERROR_INPUT);
        assert_null(scene);
    }
    rvi_free(ctx, right.data);
    rv_context_destroy(ctx);
}

/* A checkpoint with words that there are no more is named, and is a bad file, not bad usage. */
static void checkpoint_with_other_words_is_named(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_scene *scene =
        scene_of(ctx, "box particles max=400 spacing=0.05 wear deposit=1 run frames=2");
    support_ok(ctx, rv_scene_step(scene));
    support_ok(ctx, rv_scene_save(scene, "words.ck"));
    rv_scene_destroy(scene);
    rvi_bytes saved;
    support_ok(ctx, rvi_file_read(ctx, "words.ck", &saved));
    size_t end = saved.size - sizeof(uint64_t), at = 0;
    while (at < end && memcmp(saved.data + at, "deposit=", 8) != 0)
        at++;
    assert_less(at, end);
    memcpy(saved.data + at, "    lay=", 8);
    uint64_t hash = rvi_hash(saved.data, end, 0);
    memcpy(saved.data + end, &hash, sizeof hash);
    assert_int_equal(rvi_scene_decode(ctx, "old.ck", saved.data, saved.size, &scene),
                     RV_ERROR_INPUT);
    assert_null(scene);
    assert_int_equal(strncmp(rv_context_error(ctx), "old.ck: ", 8), 0);
    assert_non_null(strstr(rv_context_error(ctx), "it is called \"deposit\"."));
    rvi_free(ctx, saved.data);
    rv_context_destroy(ctx);
}

/* ---- no memory ---- */

static rv_status live_and_resume(rv_context *ctx) {
    rv_scene *scene = NULL;
    rv_status status = rv_scene_parse(ctx, fall, "test", &scene);
    for (int i = 0; i < 6 && status == RV_OK; i++)
        status = rv_scene_step(scene);
    if (status == RV_OK)
        status = rv_scene_save(scene, "scarce.ck");
    rv_scene_destroy(scene);
    if (status != RV_OK)
        return status;
    status = rv_scene_resume(ctx, "scarce.ck", &scene);
    if (status == RV_OK)
        status = rv_scene_step(scene);
    rv_scene_destroy(scene);
    return status;
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    rv_status status = RV_ERROR_MEMORY;
    for (long left = 0; status != RV_OK; left++) {
        support_memory memory = {-1, 0};
        rv_context_desc desc = {.threads = 2, .allocator = support_allocator(&memory)};
        rv_context *ctx;
        assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
        atomic_store(&memory.left, left);
        status = live_and_resume(ctx);
        if (status != RV_OK) {
            assert_int_equal(status, RV_ERROR_MEMORY);
            assert_greater(strlen(rv_context_error(ctx)), 0);
        }
        atomic_store(&memory.left, -1);
        rv_context_destroy(ctx);
        assert_int_equal(atomic_load(&memory.held), 0);
        assert_less(left, 5000);
    }
}

/* Memory that runs out within a frame and is there again later: the scene is whole and goes on. */
static void want_of_memory_leaves_a_whole_scene(void **state) {
    (void)state;
    rv_context *plenty = support_context(2);
    rv_scene *scene = scene_of(plenty, fall);
    for (int i = 0; i < 29; i++) /* the water comes to the rock */
        support_ok(plenty, rv_scene_step(scene));
    support_ok(plenty, rv_scene_save(scene, "scarce.ck"));
    rv_scene_destroy(scene);
    rv_context_destroy(plenty);
    rv_status status = RV_ERROR_MEMORY;
    for (long left = 0; status != RV_OK; left++) {
        support_memory memory = {-1, 0};
        rv_context_desc desc = {.threads = 2, .allocator = support_allocator(&memory)};
        rv_context *ctx;
        assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
        support_ok(ctx, rv_scene_resume(ctx, "scarce.ck", &scene));
        atomic_store(&memory.left, left);
        status = RV_OK;
        for (int i = 0; i < 4 && status == RV_OK; i++)
            status = rv_scene_step(scene);
        atomic_store(&memory.left, -1);
        for (int i = 0; i < 4; i++) {
            support_ok(ctx, rv_scene_step(scene));
            assert_true(rvi_sph_none_in_rock(scene->now->water));
        }
        rv_frame f = look(ctx, scene);
        assert_greater(f.ledger.eroded, 0);
        double rest = f.ledger.eroded - f.ledger.deposited - f.ledger.suspended - f.ledger.left_map;
        assert_less_equal(fabs(rest - f.owed), 1e-9 * f.ledger.eroded);
        rv_mesh *rock;
        support_ok(ctx, rv_scene_mesh(scene, &rock));
        support_ok(ctx, rv_mesh_check(rock, no_fault, NULL));
        rv_mesh_destroy(rock);
        rv_scene_destroy(scene);
        rv_context_destroy(ctx);
        assert_less(left, 5000);
    }
}

/* ---- stops ---- */

typedef struct patience {
    int calls, most;
} patience;

static bool go_on(void *user, const rv_progress *now) {
    patience *p = user;
    (void)now;
    return p->calls++ < p->most;
}

/* Stopped anywhere, the scene can be looked at, its rock is whole, and it can go on. */
static void a_stop_leaves_a_whole_scene(void **state) {
    (void)state;
    for (int most = 0; most < 4; most++) {
        patience p = {.most = most};
        rv_context_desc desc = {.threads = 2, .progress = go_on, .user = &p};
        rv_context *ctx;
        assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
        rv_scene *scene = scene_of(ctx, fall);
        rv_status status = RV_OK;
        for (int i = 0; i < 400 && status == RV_OK; i++)
            status = rv_scene_step(scene);
        assert_int_equal(status, RV_CANCELLED);
        p = (patience){.most = 1 << 30};
        support_ok(ctx, rv_scene_step(scene));
        rv_mesh *rock;
        support_ok(ctx, rv_scene_mesh(scene, &rock));
        support_ok(ctx, rv_mesh_check(rock, no_fault, NULL));
        rv_mesh_destroy(rock);
        rv_scene_destroy(scene);
        rv_context_destroy(ctx);
    }
}

static int write_models(void **state) {
    (void)state;
    write_text("block.obj", block);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_sound),
        cmocka_unit_test(ready_scenes_stay_sound),
        cmocka_unit_test(mending_takes_no_corner),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(resumed_frames_are_the_same),
        cmocka_unit_test(nothing_is_taken),
        cmocka_unit_test(unstable_water_ends_the_run),
        cmocka_unit_test(unstable_wear_ends_at_the_frame_before),
        cmocka_unit_test(memory_is_asked_for_before_the_first_frame),
        cmocka_unit_test(rock_may_be_far_away),
        cmocka_unit_test(least_limit_is_half_a_spacing),
        cmocka_unit_test(texts_of_editors_are_read),
        cmocka_unit_test(printed_words_are_the_same),
        cmocka_unit_test(ready_scenes_have_words),
        cmocka_unit_test(checkpoint_with_other_words_is_named),
        cmocka_unit_test(wrong_scenes_get_a_sentence),
        cmocka_unit_test(altered_checkpoints_do_no_harm),
        cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(want_of_memory_leaves_a_whole_scene),
        cmocka_unit_test(a_stop_leaves_a_whole_scene),
    };
    return cmocka_run_group_tests(tests, write_models, NULL);
}
