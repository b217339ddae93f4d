/* test_ledger.c: the ledger of random recipes: fresh ones in every run.
 *
 * Land of random size, height and layers is worn by random steps with random parameters, over
 * masks, hardness, bands and every border. After each step no entry of the ledger is below 0, and
 * they agree with each other and with what the land has gained, counted here.
 *
 *     RAVINE_LEDGER_SEED=N     the recipes of an earlier run, which has printed N
 *     RAVINE_LEDGER_RECIPES=N  so many of them
 */
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* From 64 cells a side on rivers begin on coarser ones. */
enum { SIDE = 56, LARGE = 180, CELLS = LARGE * LARGE, TEXT = 8192 };

/* ---- chance ---- */

static uint64_t chance; /* its state */

static uint64_t draw(void) {
    uint64_t z = (chance += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double between(double low, double high) {
    return low + (high - low) * (double)(draw() >> 11) * 0x1p-53;
}

static double scaled(double low, double high) {
    return exp(between(log(low), log(high)));
}

static int below(int count) {
    return (int)(draw() % (uint64_t)count);
}

static bool one_in(int count) {
    return below(count) == 0;
}

static uint64_t number_of(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static uint64_t fresh_seed(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the recipe so far, to be printed when it fails ---- */

static char recipe[TEXT];

static void say(const char *format, ...) {
    size_t used = strlen(recipe);
    va_list args;
    va_start(args, format);
    vsnprintf(recipe + used, TEXT - used, format, args);
    va_end(args);
}

/* The library has a sentence for a ledger that fails, before it stops at an assert. */
static void hear(void *user, const char *line) {
    (void)user;
    if (strstr(line, "ledger")) {
        fprintf(stderr, "%s\n%s\n", recipe, line);
        fflush(NULL);
    }
}

/* ---- random parameters ---- */

/* What would take long, and where the values lie that do something. */
typedef struct drawn_range {
    const char *step, *key;
    double low, high;
} drawn_range;

static const drawn_range ranges[] = {
    {"droplets", "drops", 1, 3000},   {"particles", "drops", 1, 3000},
    {"particles", "max_path", 1, 90}, {"runoff", "rounds", 1, 90},
    {"runoff", "every", 0, 9},        {"thermal", "rounds", 1, 40},
    {"thermal", "dt", 0, 3},          {"thermal", "talus", 0, 60},
    {"pipes", "time", 1, 900},        {"pipes", "rounds", 1, 120},
    {"pipes", "dt", 0.01, 20},        {"pipes", "rain", 0, 20000},
    {"pipes", "spring_rate", 0, 50},  {"rivers", "steps", 1, 40},
    {"rivers", "time", 1, 5e6},       {"rivers", "talus", 5, 90},
    {"rivers", "diffusion", 0, 1000}, {"drain", "deep", 0, 50},
};

static bool is_height(const char *key) {
    return strcmp(key, "floor") == 0 || strcmp(key, "sea") == 0 || strcmp(key, "base") == 0;
}

static double some_height(const rv_terrain *land) {
    return (double)rv_terrain_field(land, "height")[below(rv_terrain_width(land))];
}

static double clamped(const rv_param_info *p, double value) {
    return value < p->low ? p->low : value > p->high ? p->high : value;
}

/* In cells, or the same in m: what fits the cells of one land does not fit those of another. */
static double some_length(const rv_terrain *land, const rv_param_info *p) {
    double cells = scaled(0.05, 60);
    return one_in(2) ? -cells : clamped(p, cells * (double)rv_terrain_cell(land));
}

static double some_number(const rv_terrain *land, const rv_step_info *step,
                          const rv_param_info *p) {
    if (p->in_cells)
        return some_length(land, p);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (strcmp(ranges[i].step, step->word.name) == 0 && strcmp(ranges[i].key, p->name) == 0)
            return one_in(2) ? between(ranges[i].low, ranges[i].high)
                             : scaled(fmax(ranges[i].low, 1e-3 * ranges[i].high), ranges[i].high);
    if (is_height(p->name))
        return clamped(p, some_height(land));
    if (p->option_count > 0)
        return (double)below(p->option_count);
    if (isnan(p->def) || rv_param_has_auto(p))
        return p->def;
    if (one_in(12))
        return p->low;
    return clamped(p, p->def == 0.0 ? between(p->low, fmin(p->high, 1.0))
                                    : p->def * scaled(0.25, 4.0));
}

/* Rounds are always few: only the time a step would take is not random. */
static bool is_fixed_small(const char *key) {
    return strcmp(key, "rounds") == 0 || strcmp(key, "drops") == 0 || strcmp(key, "steps") == 0;
}

static void draw_params(const rv_terrain *land, const rv_step_info *step, void *params) {
    rv_word_default(&step->word, params);
    for (int i = 0; i < step->word.param_count; i++) {
        const rv_param_info *p = &step->word.params[i];
        if (p->type == RV_PARAM_SEED)
            rv_param_set_seed(p, params, draw());
        if (p->type == RV_PARAM_SEED || p->type == RV_PARAM_TEXT || p->type == RV_PARAM_FILE)
            continue;
        double number = some_number(land, step, p);
        bool whole = p->type != RV_PARAM_REAL;
        if (is_fixed_small(p->name) || (one_in(2) && !isnan(number)))
            rv_param_set_number(p, params, whole ? floor(number) : number);
    }
}

static void say_step(const rv_step_info *step, const void *params) {
    char value[256], usual[256];
    union {
#define RV_STEP(name, kind, flags, sentence, source, reads, writes) rv_##name##_params name;
#include <ravine/steps.def>
    } defaults;
    rv_word_default(&step->word, &defaults);
    say("%s", step->word.name);
    for (int i = 0; i < step->word.param_count; i++) {
        rv_param_print(&step->word.params[i], params, value, sizeof value);
        rv_param_print(&step->word.params[i], &defaults, usual, sizeof usual);
        if (strcmp(value, usual) != 0)
            say(" %s=%s", step->word.params[i].name, value);
    }
    say("\n");
}

/* ---- the check ---- */

/* The land, as this test counts it: metres on one cell. */
typedef struct land_sums {
    double layers;   /* of all layers */
    double heights;  /* of the surface, as files hold it */
    double rounding; /* by how much these two may differ: a sum of n floats is rounded n - 1 times,
                        each by half of its last bit at most */
} land_sums;

static land_sums sums_of(const rv_terrain *land) {
    land_sums s = {0};
    size_t cells = (size_t)rv_terrain_width(land) * (size_t)rv_terrain_height(land);
    const float *height = rv_terrain_field(land, "height");
    for (size_t i = 0; i < cells; i++) {
        double sum = 0;
        for (int l = 0; l < rv_terrain_layer_count(land); l++) {
            sum += (double)rv_terrain_layer_thickness(land, l)[i];
            s.rounding += l > 0 ? 0x1.00001p-24 * fabs(sum) : 0;
        }
        s.layers += sum;
        s.heights += (double)height[i];
        assert_true(isfinite(height[i]));
    }
    return s;
}

static void fail_with(const rv_ledger *l, double gained, const char *what) {
    fprintf(stderr,
            "%sbefore %.12g, eroded %.12g, deposited %.12g, left the map %.12g, suspended "
            "%.12g, raised %.12g; the land gained %.12g\n",
            recipe, l->before, l->eroded, l->deposited, l->left_map, l->suspended, l->raised,
            gained);
    fail_msg("%s", what);
}

/* What the land may win or lose when heights become floats: half of the last bit of each. */
static double floats_of(const rv_terrain *land) {
    double sum = 0;
    for (int l = 0; l < rv_terrain_layer_count(land); l++)
        for (int i = 0; i < rv_terrain_width(land) * rv_terrain_height(land); i++)
            sum += 0x1p-24 * fabs((double)rv_terrain_layer_thickness(land, l)[i]);
    return sum * (double)rv_terrain_cell(land) * (double)rv_terrain_cell(land);
}

static double worst; /* how far a ledger was off, in parts of what moved */

/* How often water moved from cell to cell: in a round of runoff as often as cells are in `travel`.
 */
static double rounds_of(const rv_report *report, double cell) {
    const rv_pipes_params *pipes = report->params;
    const rv_runoff_params *runoff = report->params;
    if (report->step == RV_STEP_pipes)
        return pipes->rounds;
    if (report->step != RV_STEP_runoff)
        return 0;
    double travel = (double)runoff->travel;
    return runoff->rounds * fmax(1, travel < 0 ? -travel : travel / cell);
}

static void check(const rv_terrain *land, const rv_report *report, land_sums was, land_sums is) {
    const rv_ledger *l = &report->ledger;
    double area = (double)rv_terrain_cell(land) * (double)rv_terrain_cell(land);
    double cells = (double)rv_terrain_width(land) * (double)rv_terrain_height(land);
    double moved = l->before + l->eroded + l->raised, bound = 1e-6 * moved + 1e-9 * cells * area;
    double gained = area * (is.layers - was.layers), seen = area * (is.heights - was.heights);
    const double entries[] = {l->before,   l->eroded,    l->deposited,
                              l->left_map, l->suspended, l->raised};
    for (int i = 0; i < 6; i++)
        if (!(entries[i] >= 0))
            fail_with(l, gained, "an entry is below 0");
    double carried = l->before + l->eroded - (l->deposited + l->left_map + l->suspended);
    double ground = gained - (l->raised + l->deposited - l->eroded);
    /* Water that carries sediment through rounds rounds it to floats in each, by half of the last
     * bit at most: the more rounds the farther. */
    double by_rounds = 0x1p-24 * rounds_of(report, (double)rv_terrain_cell(land)) * moved;
    /* Sliding ground is counted as the floats that it becomes. */
    double by_floats = report->step == RV_STEP_thermal ? floats_of(land) : 0;
    if (!(fabs(carried) <= fmax(bound, by_rounds) + by_floats))
        fail_with(l, gained, "the entries do not add up");
    if (!(fabs(ground) <= bound))
        fail_with(l, gained, "the land gained something else");
    if (!(fabs(seen - gained) <= area * (was.rounding + is.rounding) + bound))
        fail_with(l, seen, "the heights gained something else");
    if (moved > 1e-3 * cells * area)
        worst = fmax(worst, fmax(fabs(carried), fabs(ground)) / moved);
}

/* ---- one recipe ---- */

static float factor_of_place(void *user, float x, float y, float z) {
    (void)user;
    return 0.5f + 0.6f * sinf(0.013f * x + 0.007f * y + 0.05f * z);
}

/* Smooth or in blocks, with much of it 0 or 1. */
static void set_field(rv_context *ctx, rv_terrain *land, const char *name) {
    static float values[CELLS];
    int width = rv_terrain_width(land), height = rv_terrain_height(land), block = 1 + below(9);
    for (int i = 0; i < width * height; i++) {
        int x = i % width / block, y = i / width / block;
        double v = 0.5 + sin(1.7 * x + 2.3 * y) * between(0.5, 1.0);
        values[i] = (float)fmin(1.0, fmax(0.0, v));
    }
    say("# a field %s\n", name);
    support_ok(ctx, rv_terrain_field_set(land, name, values));
}

static float some_share(void) {
    return one_in(2) ? 0.0f : (float)between(0, 1);
}

static void run_step(rv_context *ctx, rv_terrain *land, rv_step_id id) {
    const rv_step_info *step = rv_step_get(id);
    union {
#define RV_STEP(name, kind, flags, sentence, source, reads, writes) rv_##name##_params name;
#include <ravine/steps.def>
    } params;
    draw_params(land, step, &params);
    if (id == RV_STEP_droplets && params.droplets.order == RV_droplets_order_batch)
        params.droplets.give = RV_droplets_give_top; /* it refuses others */
    if (id == RV_STEP_particles && params.particles.order == RV_particles_order_batch) {
        params.particles.give = RV_particles_give_top;
        params.particles.place = RV_particles_place_disc;
    }
    if (id == RV_STEP_layer) {
        static const char *const names[] = {"soil", "sand", "gravel", "clay"};
        params.layer.name = names[below(4)];
        params.layer.noise = (float)between(0, 1);
        params.layer.thickness = (float)scaled(0.01, 50);
        if (one_in(3))
            params.layer.erodibility = some_share();
    }
    if (id == RV_STEP_thermal && rv_terrain_width(land) * rv_terrain_height(land) > 400)
        params.thermal.until = RV_thermal_until_rounds;
    if (id == RV_STEP_thermal && params.thermal.method == RV_thermal_method_slope)
        params.thermal.until = RV_thermal_until_rounds; /* it never settles */
    say_step(step, &params);
    rv_report report;
    land_sums was = sums_of(land);
    support_ok(ctx, rv_step_run(land, id, &params, &report));
    if (step->kind == RV_KIND_WEAR)
        check(land, &report, was, sums_of(land));
}

/* How easily the rock below erodes: often not at all. */
static void set_bedrock(rv_context *ctx, rv_terrain *land) {
    rv_layer_params rock = rv_layer_params_default();
    rock.name = rv_terrain_layer(land, 0).name;
    rock.erodibility = some_share();
    say("layer %s erodibility=%.9g\n", rock.name, (double)rock.erodibility);
    support_ok(ctx, rv_step_run(land, RV_STEP_layer, &rock, NULL));
}

static void make_land(rv_context *ctx, rv_terrain **land) {
    static const rv_step_id makers[] = {RV_STEP_noise, RV_STEP_faults, RV_STEP_cone};
    bool large = one_in(6);
    int width = large ? 64 + below(LARGE - 63) : 2 + below(SIDE - 1);
    int height = large ? 64 + below(LARGE - 63) : 2 + below(SIDE - 1);
    bool odd = one_in(4); /* cells of a centimetre and of a kilometre, high in the mountains */
    double cell = odd ? scaled(0.01, 1000) : scaled(0.5, 300), relief = scaled(1, 60) * cell;
    double low = odd ? between(4000, 9000) : between(-2, 2) * relief;
    *land = support_land(ctx, width, height, (float)cell);
    say("terrain width=%d height=%d cell=%g\n", width, height, cell);
    run_step(ctx, *land, makers[below(3)]);
    rv_level_params level = {.low = (float)low, .high = (float)(low + relief)};
    if (one_in(4)) { /* a crater, a valley */
        level.low = level.high;
        level.high = (float)low;
    }
    say("level low=%.9g high=%.9g\n", (double)level.low, (double)level.high);
    support_ok(ctx, rv_step_run(*land, RV_STEP_level, &level, NULL));
}

static void run_recipe(rv_context *ctx, uint64_t seed) {
    static const rv_step_id wears[] = {RV_STEP_droplets, RV_STEP_particles, RV_STEP_runoff,
                                       RV_STEP_pipes,    RV_STEP_thermal,   RV_STEP_rivers,
                                       RV_STEP_drain};
    rv_terrain *land;
    chance = seed;
    recipe[0] = '\0';
    make_land(ctx, &land);
    for (int layers = one_in(2) ? 1 + below(3) : 0; layers > 0; layers--)
        run_step(ctx, land, RV_STEP_layer);
    if (one_in(4))
        set_bedrock(ctx, land);
    if (one_in(3))
        run_step(ctx, land, RV_STEP_strata);
    if (one_in(3))
        set_field(ctx, land, "mask");
    if (one_in(3))
        set_field(ctx, land, "hardness");
    if (one_in(8)) {
        say("# an erosion factor of the place\n");
        rv_terrain_hardness(land, factor_of_place, NULL);
    }
    for (int steps = 1 + below(5); steps > 0; steps--) {
        run_step(ctx, land, wears[below(7)]);
        if (one_in(8))
            run_step(ctx, land, RV_STEP_flood);
    }
    rv_terrain_destroy(land);
}

static void random_recipes_keep_the_ledger(void **state) {
    (void)state;
    uint64_t seed = number_of("RAVINE_LEDGER_SEED", fresh_seed());
    uint64_t recipes = number_of("RAVINE_LEDGER_RECIPES", support_cases(48));
    print_message("RAVINE_LEDGER_SEED=%" PRIu64 " RAVINE_LEDGER_RECIPES=%" PRIu64 "\n", seed,
                  recipes);
    fflush(NULL);
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 2;
    desc.log = hear;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    for (uint64_t i = 0; i < recipes; i++)
        run_recipe(ctx, seed + i * 0x2545f4914f6cdd1du);
    print_message("  off by %.2g of what moved, at most\n", worst);
    rv_context_destroy(ctx);
}

/* What the last bits of thick and of thin layers do to one drop on a long way does not average out
 * over others. */
static void run_few_drops(rv_context *ctx, bool particles) {
    rv_terrain *land = support_land(ctx, 16 + below(60), 16 + below(60), (float)scaled(2, 50));
    recipe[0] = '\0';
    run_step(ctx, land, RV_STEP_noise);
    rv_level_params level = {.low = 4000, .high = (float)(4000 + scaled(10, 1000))};
    support_ok(ctx, rv_step_run(land, RV_STEP_level, &level, NULL));
    rv_layer_params layer = rv_layer_params_default();
    layer.thickness = (float)scaled(0.01, 20);
    support_ok(ctx, rv_step_run(land, RV_STEP_layer, &layer, NULL));
    rv_droplets_params drop = rv_droplets_params_default();
    rv_particles_params roll = rv_particles_params_default();
    drop.drops = roll.drops = 1 + below(4);
    drop.seed = roll.seed = draw();
    drop.border = below(3);
    roll.border = below(2);
    drop.give = roll.give = below(2);
    drop.order = roll.order = drop.give == RV_droplets_give_top ? below(2) : 0;
    drop.evaporation = roll.evaporation = one_in(2) ? 0.0f : 0.02f;
    drop.max_path = -1000; /* cells */
    drop.margin = -20;
    roll.max_path = 4000;
    drop.capacity = roll.capacity = (float)scaled(1, 40);
    say("# level 4000 to %.9g, a layer of %.9g m\n", (double)level.high, (double)layer.thickness);
    rv_step_id id = particles ? RV_STEP_particles : RV_STEP_droplets;
    say_step(rv_step_get(id), particles ? (void *)&roll : (void *)&drop);
    rv_report report;
    land_sums was = sums_of(land);
    support_ok(ctx, rv_step_run(land, id, particles ? (void *)&roll : (void *)&drop, &report));
    check(land, &report, was, sums_of(land));
    rv_terrain_destroy(land);
}

static void few_drops_on_layers_keep_the_ledger(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    chance = number_of("RAVINE_LEDGER_SEED", fresh_seed());
    print_message("RAVINE_LEDGER_SEED=%" PRIu64 "\n", chance);
    for (uint64_t i = 0; i < support_cases(300); i++)
        run_few_drops(ctx, i % 2);
    print_message("  off by %.2g of what moved, at most\n", worst);
    rv_context_destroy(ctx);
}

/* Ground that creeps over rock which nothing takes from: what floats cannot hold of its layers is
 * little in one time step, and of one sign in none of them. */
static void creep_over_hard_rock(rv_context *ctx) {
    rv_terrain *land = support_land(ctx, 20 + below(80), 20 + below(80), (float)scaled(1, 100));
    recipe[0] = '\0';
    run_step(ctx, land, RV_STEP_noise);
    rv_level_params level = {.low = 0, .high = (float)scaled(10, 1000)};
    support_ok(ctx, rv_step_run(land, RV_STEP_level, &level, NULL));
    rv_layer_params layer = rv_layer_params_default();
    layer.thickness = (float)scaled(1, 200);
    support_ok(ctx, rv_step_run(land, RV_STEP_layer, &layer, NULL));
    say("# 0 to %.9g m, %.9g m of soil over hard rock\n", (double)level.high,
        (double)layer.thickness);
    layer = rv_layer_params_default();
    layer.name = rv_terrain_layer(land, 0).name;
    layer.erodibility = 0;
    support_ok(ctx, rv_step_run(land, RV_STEP_layer, &layer, NULL));
    rv_rivers_params rivers = rv_rivers_params_default();
    rivers.seed = draw();
    rivers.time = (float)scaled(10, 1e4);
    rivers.steps = 10 + below(60);
    rivers.border = below(8);
    rivers.erosion = one_in(2) ? 0 : rivers.erosion;
    rivers.uplift = 0;
    say_step(rv_step_get(RV_STEP_rivers), &rivers);
    rv_report report;
    land_sums was = sums_of(land);
    support_ok(ctx, rv_step_run(land, RV_STEP_rivers, &rivers, &report));
    check(land, &report, was, sums_of(land));
    rv_terrain_destroy(land);
}

static void creep_over_hard_rock_keeps_the_ledger(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    chance = number_of("RAVINE_LEDGER_SEED", fresh_seed());
    print_message("RAVINE_LEDGER_SEED=%" PRIu64 "\n", chance);
    for (uint64_t i = 0; i < support_cases(60); i++)
        creep_over_hard_rock(ctx);
    print_message("  off by %.2g of what moved, at most\n", worst);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_drops_on_layers_keep_the_ledger),
        cmocka_unit_test(creep_over_hard_rock_keeps_the_ledger),
        cmocka_unit_test(random_recipes_keep_the_ledger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
