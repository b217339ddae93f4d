/* test_device_rivers.c: steps that route water give the processor's bits on a device. Runs on the
 * first device that there is, PoCL or a GPU, and says so when there is none. */
#include "support.h"

#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rv_context *processor, *device; /* device NULL: there is none */

static uint64_t chance = 1;

static int below(int n) {
    return (int)(rvi_random(17, chance++, 0) % (uint64_t)n);
}

static double between(double low, double high) {
    return low + (high - low) * (double)rvi_unit(rvi_random(17, chance++, 1));
}

static int open_both(void **state) {
    (void)state;
    rv_device_info info;
    assert_int_equal(setenv("RAVINE_CACHE", "kernels", 1), 0);
    processor = support_context(2);
    if (!rv_device_get(1, &info)) {
        print_message("There is no device here: nothing is compared.\n");
        return 0;
    }
    print_message("on %s, %s\n", info.name, info.driver);
    device = support_context(2);
    support_ok(device, rv_context_use_device(device, 1));
    return rv_context_device(device) == 1 ? 0 : 1;
}

static int close_both(void **state) {
    (void)state;
    rv_context_destroy(processor);
    rv_context_destroy(device);
    return 0;
}

static void compare(const char *recipe) {
    rv_ledger ledgers[2];
    uint64_t hashes[2];
    for (int i = 0; device && i < 2; i++) {
        rv_terrain *land = support_run(i ? device : processor, recipe);
        hashes[i] = rv_terrain_hash(land);
        ledgers[i] = rv_terrain_ledger(land);
        rv_terrain_destroy(land);
    }
    if (!device)
        return;
    if (hashes[0] != hashes[1])
        fail_msg("another result on the device: %s", recipe);
    if (memcmp(&ledgers[0], &ledgers[1], sizeof ledgers[0]) != 0)
        fail_msg("another ledger on the device: %s", recipe);
}

/* Odd ones, and those that are a single row or column. */
static void draw_land(char *recipe, size_t size) {
    static const int sizes[][2] = {{1, 2},   {2, 1},   {1, 77},  {77, 1},   {2, 2},
                                   {17, 31}, {64, 64}, {130, 3}, {200, 199}};
    const int *s = sizes[below((int)(sizeof sizes / sizeof sizes[0]))];
    snprintf(recipe, size, "terrain width=%d height=%d cell=%g noise seed=%d relief=%g octaves=%d ",
             s[0], s[1], between(0.5, 90), below(1000), between(1, 3000), 1 + below(12));
}

static void floods_are_the_same(void **state) {
    (void)state;
    for (uint64_t i = 0; i < support_cases(12); i++) {
        char recipe[512];
        draw_land(recipe, sizeof recipe);
        size_t used = strlen(recipe);
        snprintf(recipe + used, sizeof recipe - used, "flood %s", below(3) ? "" : "flood level=30");
        compare(recipe);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floods_are_the_same),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
