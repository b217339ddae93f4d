/* test_checkpoint_file.c: whose a checkpoint is, what is refused before the work, what is no reason
 * to end a run, and that no damaged number is believed, also behind a hash that fits. */
#include "support.h"

#include "base/archive.h"
#include "base/context.h"
#include "formats/checkpoint.h"
#include "scene/scene_run.h"
#include "terrain/state.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char said[4096]; /* every line of the log */

static void listen(void *user, const char *line) {
    (void)user;
    size_t used = strlen(said);
    snprintf(said + used, sizeof said - used, "%s\n", line);
}

static rv_context *make_context(void) {
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    desc.log = listen;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    said[0] = '\0';
    return ctx;
}

static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

static void copy_file(const char *from, const char *to) {
    char bytes[4096];
    size_t got;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    while ((got = fread(bytes, 1, sizeof bytes, in)) > 0)
        assert_int_equal(fwrite(bytes, 1, got, out), got);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static uint64_t hash_file(rv_context *ctx, const char *path) {
    rvi_bytes bytes;
    support_ok(ctx, rvi_file_read(ctx, path, &bytes));
    uint64_t hash = rvi_bytes_hash(ctx, bytes.data, bytes.size);
    rvi_free(ctx, bytes.data);
    return hash;
}

static void expect_error(const rv_context *ctx, rv_status status, rv_status wanted,
                         const char *words) {
    assert_int_equal(status, wanted);
    if (!strstr(rv_context_error(ctx), words))
        fail_msg("\"%s\" is not in: %s", words, rv_context_error(ctx));
}

/* ---- a run with a checkpoint, and what is done at one of its steps ---- */

typedef struct visit {
    rv_watch watch;
    rv_context *ctx;
    int at, count; /* before which step, and how many there were */
    void (*act)(struct visit *v);
    const char *name;
    uint64_t hash;
} visit;

static void count_step(void *user, int index, rv_step_id step) {
    visit *v = user;
    (void)index, (void)step;
    if (v->count++ == v->at)
        v->act(v);
}

static rv_status run_text(rv_context *ctx, const char *text, const rv_watch *watch) {
    return rv_recipe_run_text(ctx, text, watch, NULL);
}

static rv_status run_and_visit(rv_context *ctx, const char *text, visit *v) {
    v->ctx = ctx;
    v->watch = (rv_watch){.before = count_step, .user = v, .checkpoint = "run.ck", .every = 0};
    return run_text(ctx, text, &v->watch);
}

static void keep_copy(visit *v) {
    copy_file("run.ck", v->name);
}

static void put_another(visit *v) {
    copy_file(v->name, "run.ck");
    said[0] = '\0';
}

#define LAND "terrain size=16 noise seed=3 "
#define LOOPS LAND "repeat 3 blur repeat 2 droplets 50 end end "

/* Leaves keep.ck: the run before its ninth step, in the second turn of one repeat in the third of
 * another. */
static void make_checkpoint(rv_context *ctx, const char *text) {
    visit v = {.at = 8, .act = keep_copy, .name = "keep.ck"};
    support_ok(ctx, run_and_visit(ctx, text, &v));
    assert_false(exists("run.ck"));
    assert_true(exists("keep.ck"));
}

/* ---- whose it is ---- */

static void test_names_of_the_recipe(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    rv_watch watch = {.checkpoint = "out.r32", .every = 0};
    static const char *const texts[] = {
        LAND "save out.r32",
        LAND "save ./out.r32",
    };
    for (int i = 0; i < 2; i++) {
        expect_error(ctx, run_text(ctx, texts[i], &watch), RV_ERROR_USAGE,
                     "out.r32 cannot be the checkpoint");
        assert_false(exists("out.r32"));
    }
    support_ok(ctx, run_text(ctx, LAND "save in.r32", NULL));
    uint64_t hash = hash_file(ctx, "in.r32");
    watch.checkpoint = "in.r32";
    expect_error(ctx, run_text(ctx, "open in.r32 blur", &watch), RV_ERROR_USAGE, "step 1");
    assert_int_equal(hash_file(ctx, "in.r32"), hash);
    rv_scene *scene;
    support_ok(ctx, rv_scene_parse(ctx, "box water run frames=2 film=f.mp4", "test", &scene));
    rv_scene_watch watches = {.checkpoint = "f.mp4"};
    expect_error(ctx, rv_scene_run(scene, &watches), RV_ERROR_USAGE, "cannot be the checkpoint");
    rv_scene_destroy(scene);
    rv_context_destroy(ctx);
}

static void write_text(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

/* Neither what only begins like a checkpoint nor that of another run is changed. */
static void test_files_of_others(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    rv_watch watch = {.checkpoint = "mine.txt", .every = 0};
    static const char *const texts[] = {"RAVINE-", "RAVINE-NOTES\nof a walk through the ravine\n",
                                        "some text"};
    for (size_t i = 0; i < 3; i++) {
        write_text("mine.txt", texts[i]);
        uint64_t hash = hash_file(ctx, "mine.txt");
        assert_int_equal(run_text(ctx, LAND, &watch), RV_ERROR_OUTPUT);
        assert_int_equal(hash_file(ctx, "mine.txt"), hash);
    }
    make_checkpoint(ctx, LOOPS);
    uint64_t hash = hash_file(ctx, "keep.ck");
    watch.checkpoint = "keep.ck";
    expect_error(ctx, run_text(ctx, LOOPS, &watch), RV_ERROR_OUTPUT, "checkpoint of another run");
    rv_scene *scene;
    support_ok(ctx, rv_scene_parse(ctx, "box water run frames=2", "test", &scene));
    rv_scene_watch watches = {.checkpoint = "keep.ck"};
    expect_error(ctx, rv_scene_run(scene, &watches), RV_ERROR_OUTPUT, "checkpoint of another run");
    assert_int_equal(hash_file(ctx, "keep.ck"), hash);
    rv_scene_destroy(scene);
    /* The run itself may: it resumes, replaces it and removes it. */
    copy_file("keep.ck", "also.ck");
    support_ok(ctx, rv_recipe_resume(ctx, "keep.ck", &watch, NULL));
    assert_false(exists("keep.ck"));
    /* One that another run has put there in the midst of this one stays. */
    visit v = {.at = 4, .act = put_another, .name = "also.ck"};
    support_ok(ctx, run_and_visit(ctx, LOOPS, &v));
    assert_int_equal(hash_file(ctx, "run.ck"), hash);
    assert_non_null(strstr(said, "another run"));
    assert_ptr_equal(strstr(strstr(said, "another run") + 1, "another run"), NULL); /* said once */
    remove("run.ck");
    rv_context_destroy(ctx);
}

/* ---- no reason to end a run ---- */

static void test_any_name(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    static const char *const name = "a \"quoted\"\nname#.r32";
    rv_recipe *recipe;
    support_ok(ctx, rv_recipe_parse(ctx, LAND, "test", &recipe));
    const char *const words[] = {"save", name, "blur", "save", "\"\".r32"};
    support_ok(ctx, rv_recipe_add_words(recipe, 5, words));
    support_ok(ctx, rv_recipe_run(recipe, NULL, NULL));
    uint64_t first = hash_file(ctx, name), second = hash_file(ctx, "\"\".r32");
    assert_int_equal(remove(name), 0);
    visit v = {.at = 2, .act = keep_copy, .name = "keep.ck", .ctx = ctx};
    v.watch = (rv_watch){.before = count_step, .user = &v, .checkpoint = "run.ck", .every = 0};
    support_ok(ctx, rv_recipe_run(recipe, &v.watch, NULL));
    assert_int_equal(hash_file(ctx, name), first);
    assert_int_equal(remove(name), 0);
    assert_int_equal(remove("\"\".r32"), 0);
    support_ok(ctx, rv_recipe_resume(ctx, "keep.ck", NULL, NULL));
    assert_int_equal(hash_file(ctx, name), first);
    assert_int_equal(hash_file(ctx, "\"\".r32"), second);
    assert_int_equal(rv_recipe_print(recipe, NULL, 0), -1); /* for people there is no such name */
    rv_recipe_destroy(recipe);
    rv_context_destroy(ctx);
}

static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void keep_old(visit *v) {
    limit_files(RLIM_INFINITY);
    keep_copy(v);
    limit_files(2000);
}

static void fill_disk(visit *v) {
    v->hash = hash_file(v->ctx, "run.ck");
    limit_files(2000);
    v->act = keep_old;
    v->at += 4;
}

/* The disk is full from the third step on: it is said once, the checkpoint before stays, the run
 * ends as without it, and the checkpoint can be resumed. */
static void test_full_disk(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    signal(SIGXFSZ, SIG_IGN);
    rv_terrain *right = support_run(ctx, LOOPS), *land;
    rv_recipe *recipe;
    support_ok(ctx, rv_recipe_parse(ctx, LOOPS, "test", &recipe));
    visit v = {.at = 2, .act = fill_disk, .name = "keep.ck", .ctx = ctx};
    v.watch = (rv_watch){.before = count_step, .user = &v, .checkpoint = "run.ck", .every = 0};
    rv_status status = rv_recipe_run(recipe, &v.watch, &land);
    limit_files(RLIM_INFINITY);
    support_ok(ctx, status);
    assert_int_equal(rv_terrain_hash(land), rv_terrain_hash(right));
    rv_terrain_destroy(land);
    const char *first = strstr(said, "The run goes on");
    assert_non_null(first);
    assert_null(strstr(first + 1, "The run goes on"));
    assert_false(exists("run.ck")); /* it was this run's, and there is nothing left to resume */
    assert_int_equal(hash_file(ctx, "keep.ck"), v.hash);
    support_ok(ctx, rv_recipe_resume(ctx, "keep.ck", NULL, &land));
    assert_int_equal(rv_terrain_hash(land), rv_terrain_hash(right));
    rv_terrain_destroy(land);
    rv_terrain_destroy(right);
    rv_recipe_destroy(recipe);
    rv_context_destroy(ctx);
}

/* ---- damaged numbers, each with a hash that fits ---- */

static void expect_refused(rv_context *ctx, const char *what) {
    rv_status status = rv_recipe_resume(ctx, "damaged.ck", NULL, NULL);
    if (status != RV_ERROR_INPUT || !strstr(rv_context_error(ctx), "damaged.ck: is "))
        fail_msg("%s: %s: %s", what, rv_status_text(status), rv_context_error(ctx));
}

/* Where the run stands: no step, no turn and no repeat that there is not, and nothing elsewhere. */
static void test_damaged_cursor(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    static const int64_t wrong[] = {-1, 1000, INT64_MAX};
    make_checkpoint(ctx, LOOPS);
    rvi_checkpoint saved;
    support_ok(ctx, rvi_checkpoint_read(ctx, "keep.ck", &saved));
    support_ok(ctx, rvi_checkpoint_write(ctx, "damaged.ck", &saved)); /* as it was: accepted */
    support_ok(ctx, rv_recipe_resume(ctx, "damaged.ck", NULL, NULL));
    char what[64];
    for (int i = 0; i < RVI_CHECKPOINT_NUMBERS; i++)
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            int64_t right = saved.numbers[i];
            saved.numbers[i] = wrong[k];
            support_ok(ctx, rvi_checkpoint_write(ctx, "damaged.ck", &saved));
            snprintf(what, sizeof what, "number %d is %lld", i, (long long)wrong[k]);
            expect_refused(ctx, what);
            saved.numbers[i] = right;
        }
    /* What would be right elsewhere: another step, turn or repeat than so many runs lead to. */
    static const struct {
        int which, by;
    } small[] = {{1, 2},  {1, -4}, {2, -1}, {2, 1}, {3, 1},
                 {4, -1}, {11, 1}, {12, 2}, {5, 1}, {13, 1}};
    for (size_t k = 0; k < sizeof small / sizeof small[0]; k++) {
        saved.numbers[small[k].which] += small[k].by;
        support_ok(ctx, rvi_checkpoint_write(ctx, "damaged.ck", &saved));
        snprintf(what, sizeof what, "number %d by %d", small[k].which, small[k].by);
        expect_refused(ctx, what);
        saved.numbers[small[k].which] -= small[k].by;
    }
    rv_terrain_destroy(saved.land);
    rvi_free(ctx, saved.text);
    rv_context_destroy(ctx);
}

typedef struct damage {
    const char *what;
    void *at;
    double to;
    bool is_double;
} damage;

/* The land: no NaN, no infinity, no layer of less than nothing, no number out of its range. */
static void test_damaged_land(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    make_checkpoint(
        ctx, "terrain size=16 noise strata layer name=soil thickness=2 repeat 9 droplets 50 end");
    rvi_checkpoint saved;
    support_ok(ctx, rvi_checkpoint_read(ctx, "keep.ck", &saved));
    remove("damaged.ck"); /* of another run */
    rv_terrain *land = saved.land;
    rvi_strata *s = &land->strata;
    assert_int_equal(land->layer_count, 2);
    assert_greater(land->field_count, 0);
    const double nan = (double)NAN, inf = (double)INFINITY;
    const damage list[] = {
        {"a height", &land->layers[0].thickness[7], nan, false},
        {"a height", &land->layers[0].thickness[255], inf, false},
        {"a height", &land->layers[0].thickness[0], -inf, false},
        {"soil", &land->layers[1].thickness[9], nan, false},
        {"soil", &land->layers[1].thickness[9], -1, false},
        {"a field", &land->fields[0].values[100], nan, false},
        {"a field", &land->fields[0].values[100], inf, false},
        {"the cell", &land->cell, nan, false},
        {"the cell", &land->cell, 0, false},
        {"the cell", &land->cell, -10, false},
        {"the cell", &land->cell, 1e30, false},
        {"erodibility", &land->layers[0].erodibility, nan, false},
        {"erodibility", &land->layers[1].erodibility, 1.5, false},
        {"talus", &land->layers[0].talus, 90, false},
        {"talus", &land->layers[1].talus, -1, false},
        {"eroded of soil", &land->layers[1].eroded, nan, true},
        {"deposited of soil", &land->layers[1].deposited, inf, true},
        {"eroded", &land->ledger.eroded, nan, true},
        {"deposited", &land->ledger.deposited, inf, true},
        {"left the map", &land->ledger.left_map, nan, true},
        {"suspended", &land->ledger.suspended, nan, true},
        {"raised", &land->ledger.raised, -inf, true},
        {"raised", &land->ledger.raised, -1, true},
        {"suspended before", &land->ledger.before, nan, true},
        {"suspended before", &land->ledger.before, -1, true},
        {"x of the bands", &s->x, 1e300, true},
        {"y of the bands", &s->y, nan, true},
        {"rise of the bands", &s->rise, inf, true},
        {"direction of the bands", &s->east, 7, true},
        {"direction of the bands", &s->south, nan, true},
        {"fold", &s->fold, 1e300, true},
        {"length of a fold", &s->length, 0, true},
        {"wobble", &s->wobble, -1, true},
        {"thickness of bands", &s->thickness, 0, false},
        {"thickness of bands", &s->thickness, nan, false},
        {"hardness", &s->hardness, 2, false},
        {"hardness", &s->hardness, nan, false},
        {"an edge", &s->edge[63], 0.5, false},
        {"softness", &s->soft[0], -0.1, false},
        {"softness", &s->soft[63], nan, false},
    };
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        const damage *d = &list[k];
        float small = d->is_double ? 0.0f : *(float *)d->at;
        double large = d->is_double ? *(double *)d->at : 0.0;
        if (d->is_double)
            *(double *)d->at = d->to;
        else
            *(float *)d->at = (float)d->to;
        support_ok(ctx, rvi_checkpoint_write(ctx, "damaged.ck", &saved));
        expect_refused(ctx, d->what);
        if (d->is_double)
            *(double *)d->at = large;
        else
            *(float *)d->at = small;
    }
    support_ok(ctx, rvi_checkpoint_write(ctx, "damaged.ck", &saved));
    support_ok(ctx, rv_recipe_resume(ctx, "damaged.ck", NULL, NULL));
    rv_terrain_destroy(saved.land);
    rvi_free(ctx, saved.text);
    rv_context_destroy(ctx);
}

static void put_hash(rv_context *ctx, rvi_bytes *bytes) {
    size_t end = bytes->size - sizeof(uint64_t);
    uint64_t hash = rvi_bytes_hash(ctx, bytes->data, end);
    memcpy(bytes->data + end, &hash, sizeof hash);
}

/* Sizes and texts, which no land in memory can have wrong. */
static void test_damaged_head(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    enum { HEAD = 28 }; /* magic word, order of bytes, run */
    static const int32_t wrong[] = {0, -1, 17, 65537, INT32_MAX, INT32_MIN};
    make_checkpoint(ctx, LOOPS);
    rvi_bytes bytes;
    rvi_checkpoint out;
    support_ok(ctx, rvi_file_read(ctx, "keep.ck", &bytes));
    support_ok(ctx, rvi_checkpoint_decode(ctx, "ck", bytes.data, bytes.size, &out));
    rv_terrain_destroy(out.land);
    rvi_free(ctx, out.text);
    for (size_t at = HEAD; at < HEAD + 32; at += 4) /* sides, counts, cell, the size of the text */
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
            int32_t right;
            memcpy(&right, bytes.data + at, sizeof right);
            if (right == wrong[k])
                continue;
            memcpy(bytes.data + at, &wrong[k], sizeof right);
            put_hash(ctx, &bytes);
            rv_status status = rvi_checkpoint_decode(ctx, "ck", bytes.data, bytes.size, &out);
            if (status == RV_OK) { /* a cell of any size that is one */
                assert_int_equal(at, HEAD + 16);
                assert_greater(out.land->cell, 0.0f);
                rv_terrain_destroy(out.land);
                rvi_free(ctx, out.text);
            } else {
                assert_int_equal(status, RV_ERROR_INPUT);
            }
            memcpy(bytes.data + at, &right, sizeof right);
        }
    /* A zero in the recipe would hide the rest of it. */
    size_t at = HEAD;
    while (memcmp(bytes.data + at, "terrain", 7) != 0)
        at++;
    bytes.data[at + 7] = 0;
    put_hash(ctx, &bytes);
    assert_int_equal(rvi_checkpoint_decode(ctx, "ck", bytes.data, bytes.size, &out),
                     RV_ERROR_INPUT);
    bytes.data[at + 7] = ' ';
    /* One of an earlier version is named as such. */
    bytes.data[13] = '3';
    put_hash(ctx, &bytes);
    expect_error(ctx, rvi_checkpoint_decode(ctx, "ck", bytes.data, bytes.size, &out),
                 RV_ERROR_INPUT, "another version");
    rvi_free(ctx, bytes.data);
    rv_context_destroy(ctx);
}

/* Steps differ from version to version: what another one has begun is not ended by this one. */
static void test_other_versions(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    make_checkpoint(ctx, LOOPS);
    rvi_checkpoint saved;
    support_ok(ctx, rvi_checkpoint_read(ctx, "keep.ck", &saved));
    remove("damaged.ck");
    char *digit = strpbrk(saved.text, "0123456789");
    assert_true(digit && digit < strchr(saved.text, '\n'));
    *digit = *digit == '9' ? '8' : (char)(*digit + 1);
    support_ok(ctx, rvi_checkpoint_write(ctx, "damaged.ck", &saved));
    expect_error(ctx, rv_recipe_resume(ctx, "damaged.ck", NULL, NULL), RV_ERROR_INPUT,
                 "damaged.ck: another version of Ravine");
    rv_terrain_destroy(saved.land);
    rvi_free(ctx, saved.text);
    /* The format of a scene as it was before. */
    FILE *out = fopen("old.ck", "wb");
    assert_non_null(out);
    fwrite("RAVINE-SCENE-1\n", 1, 16, out);
    fwrite(&ctx, 1, 4, out);
    assert_int_equal(fclose(out), 0);
    assert_true(rv_scene_is_checkpoint(ctx, "old.ck"));
    rv_scene *scene;
    expect_error(ctx, rv_scene_resume(ctx, "old.ck", &scene), RV_ERROR_INPUT, "another version");
    rv_context_destroy(ctx);
}

/* ---- scenes ---- */

/* What the water of a checkpoint begins with: sph_checkpoint.c. */
typedef struct water_head {
    double time;
    int64_t frame;
    uint64_t count, sources;
    uint32_t born;
    float step;
} water_head;

static void expect_scene_refused(rv_context *ctx, rvi_bytes *bytes, const char *what) {
    rv_scene *scene;
    put_hash(ctx, bytes);
    if (rvi_scene_decode(ctx, "ck", bytes->data, bytes->size, &scene) != RV_ERROR_INPUT)
        fail_msg("%s is accepted", what);
    assert_null(scene);
}

static void test_damaged_scene(void **state) {
    (void)state;
    rv_context *ctx = make_context();
    rv_scene *scene;
    rv_frame now;
    support_ok(ctx, rv_scene_parse(ctx,
                                   "box high=1/1/1 water high=0.4/0.4/0.4 particles max=400 "
                                   "spacing=0.08 run frames=9",
                                   "test", &scene));
    for (int i = 0; i < 4; i++)
        support_ok(ctx, rv_scene_step(scene));
    support_ok(ctx, rv_scene_info(scene, &now));
    support_ok(ctx, rv_scene_save(scene, "scene.ck"));
    rv_scene_destroy(scene);
    rvi_bytes bytes;
    support_ok(ctx, rvi_file_read(ctx, "scene.ck", &bytes));
    struct {
        double time;
        int64_t frame;
        uint64_t count;
    } known = {now.time, now.frame, now.particles};
    size_t at = 0;
    while (memcmp(bytes.data + at, &known, sizeof known) != 0)
        assert_less(++at, bytes.size - sizeof known);
    water_head right, h;
    memcpy(&right, bytes.data + at, sizeof right);
#define DAMAGE(member, value)                                                                      \
    h = right;                                                                                     \
    h.member = (value);                                                                            \
    memcpy(bytes.data + at, &h, sizeof h);                                                         \
    expect_scene_refused(ctx, &bytes, #member " = " #value)
    DAMAGE(time, (double)NAN);
    DAMAGE(time, (double)INFINITY);
    DAMAGE(time, -1.0);
    DAMAGE(frame, -1);
    DAMAGE(frame, 10); /* of 9 */
    DAMAGE(frame, INT64_MAX);
    DAMAGE(count, now.particles + 1);
    DAMAGE(count, UINT64_MAX);
    DAMAGE(sources, 1);
    DAMAGE(born, 0);
    DAMAGE(step, (float)NAN);
    DAMAGE(step, -1.0f);
    memcpy(bytes.data + at, &right, sizeof right);
    /* The first particle: its place, then, behind all places, its speed. */
    static const float bad[] = {(float)NAN, (float)INFINITY};
    for (size_t k = 0; k < 4; k++) {
        size_t spot = at + sizeof right + (k < 2 ? 0 : now.particles * 16);
        float old;
        memcpy(&old, bytes.data + spot, sizeof old);
        memcpy(bytes.data + spot, &bad[k % 2], sizeof old);
        expect_scene_refused(ctx, &bytes, k < 2 ? "a place" : "a speed");
        memcpy(bytes.data + spot, &old, sizeof old);
    }
    put_hash(ctx, &bytes);
    support_ok(ctx, rvi_scene_decode(ctx, "ck", bytes.data, bytes.size, &scene));
    rv_scene_destroy(scene);
    rvi_free(ctx, bytes.data);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_the_recipe),
        cmocka_unit_test(test_files_of_others),
        cmocka_unit_test(test_any_name),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_damaged_cursor),
        cmocka_unit_test(test_damaged_land),
        cmocka_unit_test(test_damaged_head),
        cmocka_unit_test(test_damaged_scene),
        cmocka_unit_test(test_other_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
