/* test_materials.c: what every step that wears must hold of layers and of the bands in bedrock:
 * each material's books close by themselves, give=same makes none of any out of another, and hard
 * bands give less. */
#include "wear_scene.h"

#include "terrain/bands.h"
#include "terrain/state.h"

#include <stdio.h>
#include <string.h>

static const char *const wears[] = {
    "droplets drops=3k",
    "droplets drops=3k border=wall",
    "droplets drops=3k border=apron margin=12cells",
    "particles drops=1k",
    "particles drops=3k border=wall place=nearest",
    "runoff rounds=80",
    "runoff rounds=80 border=wall neighbours=4",
    "pipes time=60",
    "pipes time=60 border=wall neighbours=4",
    "pipes time=40 transport=forward border=wall",
    "pipes time=40 transport=backward",
    "thermal rounds=40",
    "thermal rounds=40 border=open",
};
enum { WEARS = sizeof wears / sizeof wears[0] };

/* Hills of bedrock with clay and sand on them, worn by `words`. */
static rv_terrain *worn_land(rv_context *ctx, const char *before, const char *words,
                             const char *more, rv_report *report) {
    char text[512];
    rv_terrain *land = NULL;
    snprintf(text, sizeof text, "terrain width=40 height=36 noise frequency=10 relief=200 %s",
             before);
    land = support_run(ctx, text);
    snprintf(text, sizeof text, "terrain size=2 %s %s", words, more);
    rv_recipe *recipe;
    support_ok(ctx, rv_recipe_parse(ctx, text, "test", &recipe));
    support_ok(ctx,
               rv_step_run(land, rv_recipe_step(recipe, 1), rv_recipe_params(recipe, 1), report));
    rv_recipe_destroy(recipe);
    return land;
}

#define LAYERS_ON "layer name=clay thickness=1 erodibility=0.3 layer name=sand thickness=0.5 "

static double layer_volume(const rv_terrain *land, int layer) {
    double sum = 0;
    for (size_t i = 0; i < rvi_cells(land); i++)
        sum += (double)rv_terrain_layer_thickness(land, layer)[i];
    return sum * 100;
}

/* The change of each layer is what was laid on it less what was taken from it; nothing is laid on
 * a layer that gave nothing; all layers together are the whole ledger. */
static void each_material_closes(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *fresh =
        support_run(ctx, "terrain width=40 height=36 noise frequency=10 relief=200 " LAYERS_ON);
    for (int k = 0; k < WEARS; k++)
        for (int same = 0; same < 2; same++) {
            rv_report r;
            rv_terrain *land =
                worn_land(ctx, LAYERS_ON, wears[k], same ? "give=same" : "give=top", &r);
            double taken = 0, laid = 0, tight = 1e-6 * r.ledger.eroded;
            assert_greater(r.ledger.eroded, 0);
            assert_greater(r.ledger.deposited, 0);
            for (int l = 0; l < 3; l++) {
                rv_ledger own = rv_terrain_layer_last(land, l);
                double gained = layer_volume(land, l) - layer_volume(fresh, l);
                bool apron = strstr(wears[k], "apron") != NULL;
                if (fabs(gained - (own.deposited - own.eroded)) > tight)
                    fail_msg("%s: layer %d gained %.9g, laid %.9g, took %.9g", wears[k], l, gained,
                             own.deposited, own.eroded);
                if (same && !apron && gained > tight) /* an apron brings sand in */
                    fail_msg("%s: %.9g m3 of layer %d came from nowhere", wears[k], gained, l);
                if (!same && l < 2 && own.deposited != 0)
                    fail_msg("%s: laid on layer %d", wears[k], l);
                if (same && own.eroded > 0.01 * r.ledger.eroded && !(own.deposited > 0))
                    fail_msg("%s: none of layer %d is laid down", wears[k], l);
                taken += own.eroded;
                laid += own.deposited;
                for (size_t i = 0; l > 0 && i < rvi_cells(land); i++)
                    assert_greater_equal(rv_terrain_layer_thickness(land, l)[i], 0);
            }
            double brought = r.ledger.deposited + r.ledger.raised; /* by an apron, from outside */
            if (fabs(taken - r.ledger.eroded) > tight || fabs(laid - brought) > tight)
                fail_msg("%s: layers took %.9g and got %.9g of %.9g and %.9g", wears[k], taken,
                         laid, r.ledger.eroded, brought);
            double open =
                r.ledger.eroded - r.ledger.deposited - r.ledger.left_map - r.ledger.suspended;
            assert_greater_equal(r.ledger.left_map, 0);
            if (fabs(open) > tight)
                fail_msg("%s same=%d: %g of %g m3 are missing", wears[k], same, open,
                         r.ledger.eroded);
            rv_terrain_destroy(land);
        }
    rv_terrain_destroy(fresh);
    rv_context_destroy(ctx);
}

/* Where nothing leaves and nothing stays afloat, every material is all there in the end. */
static void nothing_changes_its_material(void **state) {
    (void)state;
    static const char *const dry[] = {
        "particles drops=3k border=wall",
        "runoff rounds=700 every=0 water=0.3 border=wall deposition=1",
        "pipes time=600 rain=0 evaporation=0.02 border=wall",
        "pipes time=600 rain=0 evaporation=0.02 border=wall transport=forward",
    };
    rv_context *ctx = support_context(2);
    for (int k = 0; k < 4; k++) {
        rv_report r;
        scene s = scene_with(ctx, 40, 36);
        hills(&s, 3, 0, 100);
        add_layer(&s, "clay", 0.3f, stripes);
        add_layer(&s, "sand", 1, turned_stripes);
        if (k > 1)
            draw(&s, "water", one);
        double before[3];
        for (int l = 0; l < 3; l++)
            before[l] = layer_volume(s.land, l);
        char text[256];
        snprintf(text, sizeof text, "terrain size=2 %s give=same", dry[k]);
        rv_recipe *recipe;
        support_ok(ctx, rv_recipe_parse(ctx, text, "test", &recipe));
        support_ok(ctx,
                   rv_step_run(s.land, rv_recipe_step(recipe, 1), rv_recipe_params(recipe, 1), &r));
        rv_recipe_destroy(recipe);
        printf("%s: took %.3e, afloat %.3e\n", dry[k], r.ledger.eroded, r.ledger.suspended);
        assert_less(fabs(r.ledger.suspended), 0.01 * r.ledger.eroded);
        assert_equal(r.ledger.left_map, 0);
        for (int l = 0; l < 3; l++) {
            double gained = layer_volume(s.land, l) - before[l];
            printf("%s: layer %d %+.2e of %.3e taken in all, %.1e afloat\n", dry[k], l, gained,
                   r.ledger.eroded, r.ledger.suspended);
            assert_less_equal(gained, 1e-5 * r.ledger.eroded);
            assert_less_equal(-gained, fabs(r.ledger.suspended) + 1e-5 * r.ledger.eroded);
        }
        rv_terrain_destroy(s.land);
        free(s.before);
        free(s.change);
    }
    rv_context_destroy(ctx);
}

/* Bare rock, or layers of which none is taken from, know no difference. */
static void bare_rock_knows_no_difference(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int k = 0; k < WEARS; k++) {
        rv_terrain *a = worn_land(ctx, "", wears[k], "give=top", NULL);
        rv_terrain *b = worn_land(ctx, "", wears[k], "give=same", NULL);
        assert_equal(rv_terrain_hash(a), rv_terrain_hash(b));
        rv_terrain_destroy(a);
        rv_terrain_destroy(b);
    }
    rv_context_destroy(ctx);
}

/* A layer of which there is none protects nothing, however hard it is. (What give=top then lays
 * down becomes such a layer, as what comes from an apron does: less is taken. On such rough land a
 * thousand particles cover all of it.) */
static void absent_layer_protects_nothing(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (int k = 0; k < WEARS; k++)
        for (int same = 0; same < 2; same++) {
            bool many = !same && strcmp(wears[k], "particles drops=1k") == 0;
            const char *words = many ? "particles drops=100" : wears[k];
            double share = same && !strstr(words, "apron") ? 0.95 : 0.05;
            rv_report bare, r;
            rv_terrain *a = worn_land(ctx, "", words, "", &bare);
            rv_terrain *b = worn_land(ctx, "layer name=cap thickness=0 erodibility=0 ", words,
                                      same ? "give=same" : "give=top", &r);
            if (!(r.ledger.eroded > share * bare.ledger.eroded))
                fail_msg("%s: took %g m3 below a layer that is not there, %g without it", words,
                         r.ledger.eroded, bare.ledger.eroded);
            rv_terrain_destroy(a);
            rv_terrain_destroy(b);
        }
    rv_context_destroy(ctx);
}

#define BANDS "strata thickness=30 hardness=0.9 fold=30 fold_length=300 "

static void threads_do_not_matter(void **state) {
    (void)state;
    static const int threads[] = {1, 3, 7};
    for (int k = 0; k < WEARS; k++) {
        uint64_t first = 0;
        for (int t = 0; t < 3; t++) {
            rv_context *ctx = support_context(threads[t]);
            rv_terrain *land = worn_land(ctx, BANDS LAYERS_ON, wears[k], "give=same", NULL);
            first = t ? first : rv_terrain_hash(land);
            assert_equal(rv_terrain_hash(land), first);
            rv_terrain_destroy(land);
            rv_context_destroy(ctx);
        }
    }
}

/* ---- bands ---- */

/* In a band that gives nothing, rock stays to the bit, bare or below other layers. */
static void hardest_rock_stays(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    rv_terrain *fresh =
        support_run(ctx, "terrain width=40 height=36 noise frequency=10 relief=200");
    for (int k = 0; k < WEARS; k++)
        for (int layered = 0; layered < 2; layered++) {
            rv_report r;
            char before[256];
            snprintf(before, sizeof before,
                     "level low=-1200 high=-1000 strata thickness=10000 hardness=1 vary=0 "
                     "tilt=0 fold=0 wobble=0 %s",
                     layered ? LAYERS_ON : "");
            rv_terrain *land = worn_land(ctx, before, wears[k], "", &r);
            rv_terrain *still = worn_land(ctx, before, "blur radius=0", "", NULL);
            for (size_t i = 0; i < rvi_cells(land); i++)
                if (rv_terrain_layer_thickness(land, 0)[i] <
                    rv_terrain_layer_thickness(still, 0)[i])
                    fail_msg("%s: hard rock was worn", wears[k]);
            assert_equal(r.ledger.eroded > 0, layered);
            rv_terrain_destroy(land);
            rv_terrain_destroy(still);
        }
    rv_terrain_destroy(fresh);
    rv_context_destroy(ctx);
}

/* Down an even slope, bands of hardness 0.9 lose far less than the soft ones between them. */
static void hard_bands_give_less(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char *const slopes[] = {"particles drops=2k", "runoff rounds=100",
                                         "pipes time=150", "thermal talus=10 rounds=4 border=open"};
    for (int k = 0; k < 4; k++) {
        rv_strata_params p = rv_strata_params_default();
        p.tilt = p.fold = p.wobble = p.vary = 0;
        p.hardness = 0.9f;
        p.thickness = 160;
        scene s = scene_with(ctx, 64, 64);
        draw(&s, "height", east_slope);
        support_ok(ctx, rv_step_run(s.land, RV_STEP_strata, &p, NULL));
        char text[256];
        snprintf(text, sizeof text, "terrain size=2 %s", slopes[k]);
        rv_recipe *recipe;
        support_ok(ctx, rv_recipe_parse(ctx, text, "test", &recipe));
        float *before = from_formula(&s, east_slope);
        support_ok(
            ctx, rv_step_run(s.land, rv_recipe_step(recipe, 1), rv_recipe_params(recipe, 1), NULL));
        rv_recipe_destroy(recipe);
        double lost[2] = {0, 0}, count[2] = {0, 0};
        for (size_t i = 0; i < s.cells; i++) {
            int x = (int)(i % 64);
            if (x < 20 || x > 58)
                continue;
            bool hard = rvi_strata_softness(&s.land->strata, 10.0 * x, 0, before[i]) < 1;
            lost[hard] += (double)field(&s, "eroded")[i];
            count[hard] += 1;
        }
        double share = lost[1] / count[1] / (lost[0] / count[0]);
        printf("%s: hard bands lose %.3f of what soft ones do\n", slopes[k], share);
        assert_greater(lost[0], 0);
        assert_less(share, 0.5);
        free(before);
        rv_terrain_destroy(s.land);
        free(s.before);
        free(s.change);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_material_closes),
        cmocka_unit_test(nothing_changes_its_material),
        cmocka_unit_test(bare_rock_knows_no_difference),
        cmocka_unit_test(absent_layer_protects_nothing),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(hardest_rock_stays),
        cmocka_unit_test(hard_bands_give_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
