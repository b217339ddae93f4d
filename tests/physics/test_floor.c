/* No step that has a floor lowers ground below it, not by a float's rounding either: on layers,
 * whose sum the ground is, and on rock alone. What lies below stays as high as it was, at least. */
#include "base/random.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 32, CELLS = SIDE * SIDE };

static uint64_t chance = 1;

static int below(int n) {
    return (int)(rvi_random(23, chance++, 0) % (uint64_t)n);
}

static double between(double low, double high) {
    return low + (high - low) * (double)rvi_unit(rvi_random(23, chance++, 1));
}

/* Thin, thick and uneven layers on high and low rock, some of them made of nothing in places. */
static void draw_land(char *recipe, size_t size) {
    static const char *const layers[] = {
        "",
        "layer name=soil thickness=0.001 ",
        "layer name=sand thickness=3.3 noise=1 layer name=soil thickness=0.7 ",
        "layer name=clay thickness=900.1 layer name=sand thickness=77.7 noise=1 ",
        ("layer name=a thickness=1.1 layer name=b thickness=20.3 noise=1 layer name=c "
         "thickness=5.7 noise=0.5 layer name=d thickness=0.3 layer name=e thickness=11.9 "),
    };
    double low = below(3) ? between(-6000, 6000) : 0, high = low + between(5, 1500);
    snprintf(recipe, size,
             "terrain size=%d cell=10 noise seed=%d frequency=2 level low=%g high=%g %s", SIDE,
             below(1000), low, high, layers[below(8) ? 1 + below(4) : 0]);
}

static const char *draw_step(void) {
    static const char *const steps[] = {
        "droplets drops=5k erosion=1 capacity=900 radius=2cells",
        "droplets drops=5k erosion=1 capacity=900 radius=2cells blend=0.6",
        "droplets drops=5k erosion=1 capacity=900 radius=2cells border=apron",
        "droplets drops=5k erosion=1 capacity=900 radius=2cells give=same",
        "droplets drops=5k erosion=1 capacity=900 radius=2cells order=batch",
        "droplets drops=5k erosion=1 capacity=900 radius=2cells order=batch blend=0.6",
        "particles drops=5k capacity=50 softness=1",
        "particles drops=5k capacity=50 softness=1 place=disc",
        "particles drops=5k capacity=50 softness=1 give=same",
        "particles drops=5k capacity=50 softness=1 order=batch",
        "runoff rounds=40 capacity=200 softness=1",
        "runoff rounds=40 capacity=200 softness=1 width=40",
        "runoff rounds=40 capacity=200 softness=1 give=same",
    };
    return steps[below(sizeof steps / sizeof *steps)];
}

static void ground_stays_above_the_floor(void **state) {
    (void)state;
    int worn = 0, count = (int)support_cases(120);
    for (int k = 0; k < count; k++) {
        char recipe[1024];
        draw_land(recipe, sizeof recipe);
        rv_context *ctx = support_context(2);
        rv_terrain *land = support_run(ctx, recipe);
        float *before = malloc(CELLS * sizeof *before), low = INFINITY, high = -INFINITY;
        memcpy(before, rv_terrain_field(land, "height"), CELLS * sizeof *before);
        for (size_t i = 0; i < CELLS; i++) {
            low = fminf(low, before[i]);
            high = fmaxf(high, before[i]);
        }
        float floor = low;
        size_t used = strlen(recipe);
        snprintf(recipe + used, sizeof recipe - used, "%s", draw_step());
        if (below(4)) {
            floor = (float)between((double)low - 1, (double)high);
            used = strlen(recipe);
            snprintf(recipe + used, sizeof recipe - used, " floor=%.9g", (double)floor);
        }
        rv_terrain_destroy(land);
        land = support_run(ctx, recipe);
        const float *now = rv_terrain_field(land, "height");
        double sunk = 0;
        for (size_t i = 0; i < CELLS; i++) {
            sunk = fmax(sunk, (double)fminf(before[i], floor) - (double)now[i]);
            worn += before[i] > floor + 0.1f && now[i] < floor + 0.05f;
        }
        if (sunk > 0)
            printf("%g m below the floor: %s\n", sunk, recipe);
        assert_less_equal(sunk, 0);
        free(before);
        rv_terrain_destroy(land);
        rv_context_destroy(ctx);
    }
    assert_greater(worn, 10 * count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ground_stays_above_the_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
