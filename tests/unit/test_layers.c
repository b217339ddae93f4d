/* The stack of layers: the surface is their sum, erosion cuts down through them at the pace that
 * each allows, and what is refused leaves them as they were. */
#include "support.h"

#include "base/random.h"
#include "terrain/layers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LAYERS = 4 };

static void assert_says(const rv_context *ctx, const char *part) {
    if (strstr(rv_context_error(ctx), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", rv_context_error(ctx), part);
}

static float unit(uint64_t n, uint64_t draw) {
    return rvi_unit(rvi_random(11, n, draw));
}

/* Two cells (alike) with the bedrock at `height` and layers of the given pace and thickness. */
static rv_terrain *stack(rv_context *ctx, float height, int count, const float *paces,
                         const float *thicknesses) {
    rv_terrain *land = support_land(ctx, 2, 1, 1.0f);
    support_ok(ctx, rv_terrain_field_set(land, "height", (float[]){height, height}));
    land->layers[0].erodibility = paces[0];
    for (int i = 1; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "l%d", i);
        float both[] = {thicknesses[i], thicknesses[i]};
        support_ok(ctx, rv_terrain_layer_add(
                            land,
                            &(rv_layer_desc){.name = name, .erodibility = paces[i], .talus = 40.0f},
                            both));
    }
    return land;
}

static float sum_of(const rv_terrain *land, size_t cell) {
    float sum = land->layers[0].thickness[cell];
    for (int i = 1; i < land->layer_count; i++)
        sum += land->layers[i].thickness[cell];
    return sum;
}

static void assert_summed(const rv_terrain *land) {
    for (size_t i = 0; i < rvi_cells(land); i++)
        assert_equal(land->surface[i], sum_of(land, i));
}

/* ---- adding ---- */

static void the_surface_is_the_sum(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    enum { W = 70, H = 50 };
    rv_terrain *land = support_land(ctx, W, H, 5.0f);
    static float values[W * H];
    assert_int_equal(rv_terrain_layer_count(land), 1);
    assert_string_equal(rv_terrain_layer(land, 0).name, "bedrock");
    for (int layer = 0; layer < LAYERS; layer++) {
        for (size_t i = 0; i < W * H; i++)
            values[i] = 50.0f * unit(i, (uint64_t)layer);
        char name[16];
        snprintf(name, sizeof name, "l%d", layer);
        if (layer == 0)
            support_ok(ctx, rv_terrain_field_set(land, "height", values));
        else
            support_ok(ctx, rv_terrain_layer_add(land,
                                                 &(rv_layer_desc){.name = name,
                                                                  .erodibility = 0.25f,
                                                                  .talus = 10.0f * (float)layer},
                                                 values));
        assert_int_equal(rv_terrain_layer_count(land), layer + 1);
        assert_memory_equal(rv_terrain_layer_thickness(land, layer), values, sizeof values);
        assert_summed(land);
    }
    rv_layer_desc top = rv_terrain_layer(land, LAYERS - 1);
    assert_string_equal(top.name, "l3");
    assert_equal(top.erodibility, 0.25f);
    assert_equal(top.talus, 30.0f);
    float before = land->surface[7];
    support_ok(ctx,
               rv_terrain_layer_add(
                   land, &(rv_layer_desc){.name = "none_yet", .erodibility = 1, .talus = 1}, NULL));
    assert_equal(land->surface[7], before);
    assert_equal(land->layers[LAYERS].thickness[7], 0.0f);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* New heights move the bedrock; what lies on it rides along. */
static void layers_ride_on_the_bedrock(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = stack(ctx, 10.0f, 3, (float[]){1, 1, 1}, (float[]){0, 2.5f, 0.75f});
    support_ok(ctx, rv_terrain_field_set(land, "height", (float[]){100.0f, -7.0f}));
    assert_equal(land->surface[0], 100.0f);
    assert_equal(land->surface[1], -7.0f);
    for (size_t i = 0; i < 2; i++) {
        assert_equal(land->layers[1].thickness[i], 2.5f);
        assert_equal(land->layers[2].thickness[i], 0.75f);
    }
    assert_equal(land->layers[0].thickness[1], -10.25f);
    assert_summed(land);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void bad_layers_are_refused(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = support_land(ctx, 3, 2, 1.0f);
    support_ok(ctx,
               rv_terrain_layer_add(
                   land, &(rv_layer_desc){.name = "soil", .erodibility = 1, .talus = 30}, NULL));
    uint64_t hash = rv_terrain_hash(land);
    static const rv_layer_desc bad[] = {
        {.name = "", .erodibility = 1, .talus = 30},
        {.name = NULL, .erodibility = 1, .talus = 30},
        {.name = "two words", .erodibility = 1, .talus = 30},
        {.name = "soil", .erodibility = 1, .talus = 30},
        {.name = "bedrock", .erodibility = 1, .talus = 30},
        {.name = "a", .erodibility = -0.1f, .talus = 30},
        {.name = "a", .erodibility = 1.1f, .talus = 30},
        {.name = "a", .erodibility = NAN, .talus = 30},
        {.name = "a", .erodibility = 1, .talus = -1},
        {.name = "a", .erodibility = 1, .talus = 90},
        {.name = "a", .erodibility = 1, .talus = NAN},
        {.name = "a", .erodibility = INFINITY, .talus = 30},
        {.name = "a", .erodibility = 1, .talus = INFINITY},
        {.name = "a_name_that_is_far_too_long_to_be_kept", .erodibility = 1, .talus = 30},
        {.name = "a", .erodibility = 1, .talus = 30, .colour = 0x00ff0000},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(rv_terrain_layer_add(land, &bad[i], NULL), RV_ERROR_USAGE);
    static const float wrong[] = {-1.0f, NAN, INFINITY, -INFINITY};
    for (int w = 0; w < 4; w++)
        for (int i = 0; i < 6; i++) {
            float values[6] = {0};
            char place[64];
            values[i] = wrong[w];
            assert_int_equal(
                rv_terrain_layer_add(
                    land, &(rv_layer_desc){.name = "a", .erodibility = 1, .talus = 30}, values),
                RV_ERROR_INPUT);
            snprintf(place, sizeof place, "row %d, column %d", i / 3, i % 3);
            assert_says(ctx, place);
        }
    assert_equal(rv_terrain_hash(land), hash);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void no_allocation_is_taken_for_granted(void **state) {
    (void)state;
    support_memory memory = {.left = -1};
    rv_context_desc desc = {.threads = 1, .allocator = support_allocator(&memory)};
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rv_terrain *land = support_land(ctx, 3, 2, 1.0f);
    const float values[6] = {1, 2, 3, 4, 5, 6};
    for (int layer = 1; layer < LAYERS; layer++) {
        char name[16];
        snprintf(name, sizeof name, "l%d", layer);
        uint64_t hash = rv_terrain_hash(land);
        rv_status status = RV_ERROR_MEMORY;
        for (long n = 0; status != RV_OK; n++) {
            long held = memory.held;
            memory.left = n;
            status = rv_terrain_layer_add(
                land, &(rv_layer_desc){.name = name, .erodibility = 1, .talus = 30}, values);
            memory.left = -1;
            if (status == RV_OK)
                break;
            assert_int_equal(status, RV_ERROR_MEMORY);
            assert_int_equal(memory.held, held);
            assert_equal(rv_terrain_hash(land), hash);
            assert_less(n, 20);
        }
        assert_summed(land);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    assert_int_equal(memory.held, 0);
}

/* ---- taking ---- */

/* In exact arithmetic: to take t from a layer of pace e uses up t / e of what is wanted. */
static double take_exactly(double *thickness, const float *paces, int count, double want) {
    double taken = 0;
    for (int l = count - 1; l >= 0 && want > 0; l--) {
        double loss = want * (double)paces[l];
        if (l > 0 && thickness[l] <= 0)
            continue;
        if (l > 0 && loss > thickness[l]) {
            want -= thickness[l] / (double)paces[l];
            loss = thickness[l];
        } else {
            want = 0;
        }
        thickness[l] -= loss;
        taken += loss;
    }
    return taken;
}

typedef struct sample {
    int count;
    float height, want, paces[LAYERS], thicknesses[LAYERS];
} sample;

/* Paces and thicknesses of all kinds, 0 and 1 often among them. */
static sample draw_sample(uint64_t n) {
    sample s = {.count = 1 + (int)(rvi_random(11, n, 0) % LAYERS)};
    s.height = 200.0f * unit(n, 1) - 100.0f;
    s.want = 8.0f * unit(n, 2) * unit(n, 3);
    for (int i = 0; i < s.count; i++) {
        float p = unit(n, 10 + (uint64_t)i), t = unit(n, 20 + (uint64_t)i);
        s.paces[i] = p < 0.15f ? 0.0f : p > 0.7f ? 1.0f : p;
        s.thicknesses[i] = i == 0 ? s.height : t < 0.25f ? 0.0f : 2.0f * t;
    }
    return s;
}

static void taking_follows_the_pace_of_each_layer(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (uint64_t n = 0; n < 5000; n++) {
        sample s = draw_sample(n);
        rv_terrain *land = stack(ctx, s.height, s.count, s.paces, s.thicknesses);
        double exact[LAYERS];
        for (int i = 0; i < s.count; i++)
            exact[i] = (double)s.thicknesses[i];
        double want = take_exactly(exact, s.paces, s.count, (double)s.want);
        float taken = rvi_layers_take(land, 1, s.want, 1.0f, NULL, NULL);
        if (fabs((double)taken - want) > 2e-5)
            fail_msg("stack %d: took %g instead of %g", (int)n, (double)taken, want);
        for (int i = 0; i < s.count; i++) {
            assert_near((double)land->layers[i].thickness[1], exact[i], 2e-5);
            assert_true(i == 0 || land->layers[i].thickness[1] >= 0.0f);
            assert_equal(land->layers[i].thickness[0], s.thicknesses[i]); /* not its neighbour */
        }
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static void two_halves_take_what_one_takes(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (uint64_t n = 0; n < 5000; n++) {
        sample s = draw_sample(n);
        rv_terrain *land = stack(ctx, s.height, s.count, s.paces, s.thicknesses);
        float once = rvi_layers_take(land, 0, s.want, 1.0f, NULL, NULL);
        float twice = rvi_layers_take(land, 1, 0.5f * s.want, 1.0f, NULL, NULL);
        twice += rvi_layers_take(land, 1, 0.5f * s.want, 1.0f, NULL, NULL);
        if (fabsf(once - twice) > 3e-5f)
            fail_msg("stack %d: %g at once, %g in two halves", (int)n, (double)once, (double)twice);
        for (int i = 0; i < s.count; i++)
            assert_near(land->layers[i].thickness[0], land->layers[i].thickness[1], 3e-5f);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* What is said to have come off is what the layers lost, to the last bit that they can show. */
static void nothing_is_lost_in_between(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (uint64_t n = 0; n < 5000; n++) {
        sample s = draw_sample(n);
        rv_terrain *land = stack(ctx, s.height, s.count, s.paces, s.thicknesses);
        double lost = 0;
        float taken = rvi_layers_take(land, 0, s.want, 1.0f, NULL, NULL);
        for (int i = 0; i < s.count; i++)
            lost += (double)s.thicknesses[i] - (double)land->layers[i].thickness[0];
        assert_less_equal(fabs(lost - (double)taken), 2e-7 * fabs(lost));
        assert_greater_equal(taken, 0.0f);
        assert_less_equal((double)taken, (double)s.want * (1 + 1e-6) + 1e-5);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static void nothing_passes_an_unerodible_layer(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = stack(ctx, 10.0f, 3, (float[]){1, 0, 1}, (float[]){0, 0.01f, 2.0f});
    assert_equal(rvi_layers_take(land, 0, 5.0f, 1.0f, NULL, NULL), 2.0f);
    assert_equal(rvi_layers_take(land, 0, 5.0f, 1.0f, NULL, NULL), 0.0f);
    assert_equal(land->layers[2].thickness[0], 0.0f);
    assert_equal(land->layers[1].thickness[0], 0.01f);
    assert_equal(land->layers[0].thickness[0], 10.0f);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Where there is none of it, a layer protects nothing. */
static void a_layer_that_is_not_there_stops_nothing(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (int pace = 0; pace <= 1; pace++) {
        rv_terrain *land =
            stack(ctx, 10.0f, 3, (float[]){1, (float)pace, (float)pace}, (float[]){0, 0, 0});
        float taken = rvi_layers_take(land, 0, 5.0f, 1.0f, NULL, NULL);
        if (taken != 5.0f)
            fail_msg("pace %d: %g instead of 5 m came off bare rock", pace, (double)taken);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static void nothing_wanted_is_nothing_taken(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = stack(ctx, 10.0f, 2, (float[]){1, 0.5f}, (float[]){0, 1.0f});
    uint64_t hash = rv_terrain_hash(land);
    assert_equal(rvi_layers_take(land, 0, 0.0f, 1.0f, NULL, NULL), 0.0f);
    assert_equal(rv_terrain_hash(land), hash);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* ---- shifting ---- */

static void shifting_raises_the_top_and_lowers_from_the_top(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = stack(ctx, 10.0f, 3, (float[]){0, 0, 0}, (float[]){0, 2.0f, 1.0f});
    rvi_layers_shift(land, 0, 0.5f);
    assert_equal(land->layers[2].thickness[0], 1.5f);
    assert_equal(land->layers[1].thickness[0], 2.0f);
    rvi_layers_shift(land, 0, -1.0f);
    assert_equal(land->layers[2].thickness[0], 0.5f);
    rvi_layers_shift(land, 0, -1.5f); /* through the top into the next, whatever it is made of */
    assert_equal(land->layers[2].thickness[0], 0.0f);
    assert_equal(land->layers[1].thickness[0], 1.0f);
    rvi_layers_shift(land, 0, -13.0f); /* and into bedrock, below 0 m */
    assert_equal(land->layers[1].thickness[0], 0.0f);
    assert_equal(land->layers[0].thickness[0], -2.0f);
    assert_equal(land->layers[2].thickness[1], 1.0f); /* the neighbour is as it was */
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void a_shift_moves_the_surface_by_as_much(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    for (uint64_t n = 0; n < 5000; n++) {
        sample s = draw_sample(n);
        rv_terrain *land = stack(ctx, s.height, s.count, s.paces, s.thicknesses);
        float by = 8.0f * unit(n, 30) - 4.0f, before = land->surface[0];
        rvi_layers_shift(land, 0, by);
        rvi_terrain_sum_layers(land);
        assert_near(land->surface[0], before + by, 3e-5f);
        for (int i = 1; i < s.count; i++)
            assert_greater_equal(land->layers[i].thickness[0], 0.0f);
        assert_summed(land);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

/* ---- the ledger of each layer ---- */

static void every_layer_keeps_its_ledger(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *land = support_run(ctx, "terrain width=60 height=50 cell=3 noise octaves=4");
    static float soil[3000];
    for (size_t i = 0; i < 3000; i++)
        soil[i] = unit(i, 40);
    support_ok(ctx, rv_terrain_layer_add(
                        land, &(rv_layer_desc){.name = "soil", .erodibility = 0.5f, .talus = 30.0f},
                        soil));
    support_ok(ctx, rv_terrain_layer_add(
                        land, &(rv_layer_desc){.name = "sand", .erodibility = 1.0f, .talus = 30.0f},
                        NULL));
    double before[3], after[3], taken = 0, laid = 0;
    for (int round = 0; round < 2; round++) { /* the ledger goes on over steps */
        rv_droplets_params rain = rv_droplets_params_default();
        rain.drops = 2000;
        rain.border = round ? RV_droplets_border_wall : RV_droplets_border_open;
        for (int l = 0; l < 3 && round == 0; l++) {
            before[l] = 0;
            for (size_t i = 0; i < 3000; i++)
                before[l] += 9.0 * (double)land->layers[l].thickness[i];
        }
        support_ok(ctx, rv_step_run(land, RV_STEP_droplets, &rain, NULL));
    }
    rv_ledger whole = rv_terrain_ledger(land);
    for (int l = 0; l < 3; l++) {
        rv_ledger ledger = rv_terrain_layer_ledger(land, l);
        after[l] = 0;
        for (size_t i = 0; i < 3000; i++)
            after[l] += 9.0 * (double)land->layers[l].thickness[i];
        assert_near(after[l] - before[l], ledger.deposited - ledger.eroded,
                    1e-6 * (whole.eroded + whole.deposited));
        assert_equal(ledger.left_map, 0.0);
        assert_equal(ledger.suspended, 0.0);
        taken += ledger.eroded;
        laid += ledger.deposited;
    }
    assert_greater(rv_terrain_layer_ledger(land, 1).eroded, 0.0);
    assert_near(taken, whole.eroded, 1e-6 * whole.eroded);
    assert_near(laid, whole.deposited, 1e-6 * whole.deposited);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* What comes from below is no deposit: the bedrock gains it beside what is laid on it, and the
 * layers together have given and got what the ledger of the land says. */
static void uplift_is_no_deposit(void **state) {
    (void)state;
    static const char *const steps[] = {"rivers uplift=2 steps=5", "drain method=fill"};
    rv_context *ctx = support_context(2);
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        char text[160];
        static const char land_words[] =
            "terrain size=32 cell=10 noise relief=80 layer name=sand thickness=1";
        snprintf(text, sizeof text, "%s %s", land_words, steps[k]);
        rv_terrain *before = support_run(ctx, land_words), *land = support_run(ctx, text);
        rv_ledger whole = rv_terrain_ledger(land);
        double taken = 0, laid = 0, bound = 1e-5 * (whole.raised + whole.eroded);
        assert_greater(whole.raised, 0.0);
        for (int l = 0; l < 2; l++) {
            rv_ledger own = rv_terrain_layer_ledger(land, l);
            double gained = 0;
            for (size_t i = 0; i < rvi_cells(land); i++)
                gained += 100.0 * ((double)land->layers[l].thickness[i] -
                                   (double)before->layers[l].thickness[i]);
            assert_near(gained, own.deposited - own.eroded + (l == 0 ? whole.raised : 0.0), bound);
            assert_greater_equal(own.eroded, -bound);
            assert_greater_equal(own.deposited, 0.0);
            taken += own.eroded;
            laid += own.deposited;
        }
        assert_near(taken, whole.eroded, bound);
        assert_near(laid, whole.deposited, bound);
        rv_terrain_destroy(land);
        rv_terrain_destroy(before);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_surface_is_the_sum),
        cmocka_unit_test(layers_ride_on_the_bedrock),
        cmocka_unit_test(bad_layers_are_refused),
        cmocka_unit_test(no_allocation_is_taken_for_granted),
        cmocka_unit_test(taking_follows_the_pace_of_each_layer),
        cmocka_unit_test(two_halves_take_what_one_takes),
        cmocka_unit_test(nothing_is_lost_in_between),
        cmocka_unit_test(nothing_passes_an_unerodible_layer),
        cmocka_unit_test(a_layer_that_is_not_there_stops_nothing),
        cmocka_unit_test(nothing_wanted_is_nothing_taken),
        cmocka_unit_test(shifting_raises_the_top_and_lowers_from_the_top),
        cmocka_unit_test(a_shift_moves_the_surface_by_as_much),
        cmocka_unit_test(every_layer_keeps_its_ledger),
        cmocka_unit_test(uplift_is_no_deposit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
