/* spacing_field of rivers: where valleys lie farther apart. */
#include "land_measures.h"
#include "measure/drainage.h"
#include "river_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Sets the field `apart` to `west` in the west half of the land and to `east` in the other. */
static void halves(world *w, float west, float east) {
    float *apart = malloc(w->cells * sizeof *apart);
    for (size_t i = 0; i < w->cells; i++)
        apart[i] = (int)(i % (size_t)w->side) < w->side / 2 ? west : east;
    support_ok(w->ctx, rv_terrain_field_set(w->land, "apart", apart));
    free(apart);
}

static uint64_t hash_with(float field, const char *name, float spacing) {
    world w = make(96, 60, 400);
    halves(&w, field, field);
    rv_rivers_params p = rv_rivers_params_default();
    p.steps = 40;
    p.deposition = 0.5f;
    p.diffusion = 0; /* which is shared out over as many parts as the fastest creep needs */
    p.spacing_field = name;
    p.spacing = spacing;
    run(&w, &p);
    const float *h = height(&w);
    uint64_t hash = 0;
    for (size_t i = 0; i < w.cells; i++) {
        uint32_t bits;
        memcpy(&bits, &h[i], sizeof bits);
        hash = hash * 31 + bits;
    }
    end(&w);
    return hash;
}

/* Where the field is 0, and with spacing=1, nothing is otherwise; values count from 0 to 1. */
static void no_more_apart_changes_nothing(void **state) {
    (void)state;
    uint64_t plain = hash_with(0, "", 4);
    assert_true(hash_with(0, "apart", 4) == plain);
    assert_true(hash_with(-2, "apart", 4) == plain);
    assert_true(hash_with(1, "apart", 1) == plain);
    assert_true(hash_with(1, "apart", 4) != plain);
    assert_true(hash_with(1, "apart", 4) == hash_with(7, "apart", 4));
}

static void a_field_that_is_not_there_is_refused(void **state) {
    (void)state;
    world w = make(32, 60, 400);
    rv_rivers_params p = rv_rivers_params_default();
    p.spacing_field = "nothing";
    assert_equal(rv_step_run(w.land, RV_STEP_rivers, &p, NULL), RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(w.ctx), "nothing"));
    assert_non_null(strstr(rv_context_error(w.ctx), "how far apart valleys lie"));
    end(&w);
}

/* dz/dt = 0 is S = U / (K B^m), where B is the source as long as less than `apart` squared times it
 * drains through, and then grows with the area: slopes are as steep as without the field. */
static void check_steady(float apart) {
    enum { SIDE = 64 };
    world w = make_from(2, SIDE, 100, 100);
    rv_rivers_params p = bare();
    halves(&w, apart, apart);
    p.spacing_field = "apart";
    p.spacing = 3;
    p.erosion = 5;
    p.source = 0.02f;
    run(&w, &p);
    rvi_drainage d;
    support_ok(w.ctx, rvi_drainage_make(w.ctx, SIDE, SIDE, height(&w), NULL, &d));
    int bad = 0, slopes = 0, rivers = 0;
    double sum = 0;
    for (size_t c = 0; c < w.cells; c++) {
        size_t r = d.receiver[c], gap = c > r ? c - r : r - c;
        if (r == c)
            continue;
        double distance = w.cell * (gap == 1 || gap == SIDE ? 1.0 : sqrt(2.0));
        double slope = (double)(height(&w)[c] - height(&w)[r]) / distance;
        double area = (double)d.area[c] * w.cell * w.cell * 1e-6, source = (double)p.source;
        double begins = source * pow(1 + 2 * (double)apart, 2);
        bool river = area > begins;
        double rate = (double)p.uplift / (double)p.erosion;
        double want = rate / pow(fmax(area - (begins - source), source), (double)p.area_power);
        rivers += river;
        slopes += !river;
        sum += slope / want;
        bad += fabs(slope / want - 1) > 0.05; /* on slopes water goes to and fro for ever */
    }
    assert_greater(rivers, 200);
    assert_greater(slopes, 200);
    assert_less(bad, 0.04 * (rivers + slopes));
    assert_near(sum / (rivers + slopes), 1, 0.005);
    rvi_drainage_free(w.ctx, &d);
    end(&w);
}

static void slopes_at_rest_follow_the_law(void **state) {
    (void)state;
    check_steady(0.0f);
    check_steady(0.5f);
    check_steady(1.0f);
}

/* The land where only creep is at work, on a bump and noise with all its fine shapes. */
static void crept(int side, float source, int steps, const char *field, float diffusion,
                  double *out) {
    world w = make_from(5, side, 60, 300);
    rv_noise_params rough = rv_noise_params_default();
    rough.mode = RV_noise_mode_add;
    rough.octaves = 9;
    rough.gain = 0.8f;
    rough.relief = 300;
    support_ok(w.ctx, rv_step_run(w.land, RV_STEP_noise, &rough, NULL));
    halves(&w, 1, 1);
    rv_rivers_params p = bare();
    p.border = RV_rivers_border_wall;
    p.uplift = p.erosion = 0;
    p.time = 3e5f;
    p.steps = steps;
    p.source = source;
    p.diffusion = diffusion;
    p.spacing_field = field;
    p.spacing = 8;
    run(&w, &p);
    for (size_t i = 0; i < w.cells; i++)
        out[i] = (double)height(&w)[i];
    end(&w);
}

/* D is as many times as large as valleys lie apart: also in one step, in which that is much, and
 * while coarse levels run. */
static void creep_is_as_much_faster(void **state) {
    (void)state;
    enum { SIDE = 160 };
    static double with[SIDE * SIDE], without[SIDE * SIDE], start[SIDE * SIDE];
    for (int k = 0; k < 3; k++) {
        float source = k == 2 ? 0.05f : 0.0f;
        int steps = k == 0 ? 1 : 40;
        crept(SIDE, source, steps, "apart", 0.002f, with);
        crept(SIDE, source, steps, "", 0.016f, without);
        crept(SIDE, source, steps, "", 0.0f, start);
        double off = 0, moved = 0;
        for (int i = 0; i < SIDE * SIDE; i++) {
            off += fabs(with[i] - without[i]);
            moved += fabs(without[i] - start[i]);
        }
        assert_greater(moved, 5.0 * SIDE * SIDE / 10);
        assert_less(off, 1e-4 * moved);
    }
}

/* Alluvium buries rivers, not the slopes on which they do not yet begin: hardly any of those that
 * lie away from rivers. */
static void slopes_get_no_alluvium(void **state) {
    (void)state;
    enum { SIDE = 192, FAR = 4 }; /* cells from rivers */
    int slopes = 0, laid = 0;
    world with = make_from(5, SIDE, 40, 500), without = make_from(5, SIDE, 40, 500);
    halves(&with, 1, 1);
    halves(&without, 1, 1);
    rv_rivers_params p = rv_rivers_params_default();
    p.time = 2e6f;
    p.steps = 60;
    p.source = 0.005f;
    p.uplift = 0.1f;
    p.talus = 90;
    p.spacing_field = "apart";
    p.spacing = 5;
    run(&without, &p);
    p.alluvium = 20;
    run(&with, &p);
    const float *flow = rv_terrain_field(without.land, "flow"); /* m2 */
    double source = (double)p.source * 1e6;
    for (int y = FAR; y < SIDE - FAR; y++)
        for (int x = FAR; x < SIDE - FAR; x++) {
            ptrdiff_t at = (ptrdiff_t)y * SIDE + x;
            bool slope = (double)flow[at] > source;
            for (int k = 0; k < (2 * FAR + 1) * (2 * FAR + 1); k++) {
                int far = (k / (2 * FAR + 1) - FAR) * SIDE + k % (2 * FAR + 1) - FAR;
                slope = slope && (double)flow[at + far] < 25 * source;
            }
            slopes += slope;
            laid += slope && height(&with)[at] - height(&without)[at] > 0.2f;
        }
    assert_greater(slopes, 500);
    assert_less(5 * laid, slopes); /* what is laid there fills pits, or has spilled */
    end(&with);
    end(&without);
}

/* Valleys that a line from north to south crosses, in 10 km of it: places lower than all within two
 * cells; and the mean slope. */
static double valleys_in(const world *w, int from, int to, double *slope) {
    const float *h = height(w);
    double count = 0, sum = 0;
    int n = 0;
    for (int x = from; x < to; x++)
        for (int y = 3; y + 3 < w->side; y++) {
            const float *at = h + (ptrdiff_t)y * w->side + x;
            ptrdiff_t s = w->side;
            bool low = at[0] < at[-s] && at[0] < at[s] && at[0] < at[-2 * s] && at[0] < at[2 * s];
            count += low;
            sum += hypot((double)(at[1] - at[-1]), (double)(at[s] - at[-s])) / (2 * w->cell);
            n++;
        }
    *slope = sum / n;
    return count / n * 10000 / w->cell;
}

/* Five kinds of land: valleys lie farther apart, and slopes are about as steep. */
static void valleys_lie_farther_apart(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        world w = make_from(seed, 192, 60, 300);
        halves(&w, 0, 1);
        rv_rivers_params p = rv_rivers_params_default();
        p.spacing_field = "apart";
        p.spacing = 4;
        p.source = 0.01f;
        p.time = 1e6f;
        run(&w, &p);
        double steep[2], dense = valleys_in(&w, 10, 86, &steep[0]),
                         apart = valleys_in(&w, 106, 182, &steep[1]);
        assert_greater(dense / apart, 1.6);
        assert_less(dense / apart, 6);
        assert_greater(steep[1] / steep[0], 0.5);
        assert_less(steep[1] / steep[0], 1.7);
        end(&w);
    }
}

/* As without the field: to 2 % of the relief, and 0.97. */
static void the_same_land_at_any_size(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    land_pair pair[3];
    for (int k = 0; k < 3; k++) {
        char start[200];
        snprintf(start, sizeof start,
                 "terrain size=%d cell=%g noise seed=8 octaves=4 field=apart noise", 128 << k,
                 40.0 / (1 << k));
        pair[k] = land_pair_make(ctx, start, "rivers spacing_field=apart spacing=4");
    }
    for (int k = 0; k < 2; k++) {
        land_agreement same = land_agreement_at(&pair[k], &pair[k + 1], 128, 600);
        assert_less(same.difference, 0.02);
        assert_greater(same.correlation, 0.97);
    }
    for (int k = 0; k < 3; k++)
        land_pair_free(&pair[k]);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_apart_changes_nothing),
        cmocka_unit_test(a_field_that_is_not_there_is_refused),
        cmocka_unit_test(slopes_at_rest_follow_the_law),
        cmocka_unit_test(creep_is_as_much_faster),
        cmocka_unit_test(slopes_get_no_alluvium),
        cmocka_unit_test(valleys_lie_farther_apart),
        cmocka_unit_test(the_same_land_at_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
