/* test_drop_rounds.c: drops that run side by side never meet. */
#include "support.h"
#include "wear/drop_rounds.h"

#include <string.h>

enum { WIDTH = 330, HEIGHT = 210, MOST = WIDTH * HEIGHT, STEPS = 3 };

/* Where the drops of a round were when it began, and in which tile. */
typedef struct field {
    rvi_rounds rounds;
    int reach, count, calls;
    int x[MOST], y[MOST], tile[MOST], call[MOST];
    int nth_drop[MOST]; /* rounds that a slot's drop has run for */
} field;

/* A drop runs for three rounds, as far in each as it may. */
static void note_tiles(void *arg, const int *tiles, int count) {
    field *f = arg;
    rvi_slot *slots = rvi_rounds_slots(&f->rounds);
    f->calls++;
    for (int t = 0; t < count; t++) {
        int drops;
        const int *in = rvi_rounds_in(&f->rounds, tiles[t], &drops);
        for (int k = 0; k < drops; k++) {
            rvi_slot *slot = &slots[in[k]];
            f->x[f->count] = (int)slot->x;
            f->y[f->count] = (int)slot->y;
            f->call[f->count] = f->calls;
            f->tile[f->count++] = tiles[t];
            f->nth_drop[in[k]] = slot->fresh ? 1 : f->nth_drop[in[k]] + 1;
            slot->ended = f->nth_drop[in[k]] == STEPS;
            slot->x = fminf(slot->x + (float)f->reach * 0.9f, (float)(WIDTH - 2));
        }
    }
}

/* May two tiles run one after the other only? Those that have the same turn, and those that are too
 * far apart to know of each other, may run at the same time. Tiles of one call may, too. */
static bool one_waits(const field *f, int i, int k) {
    const rvi_rounds *r = &f->rounds;
    int a = f->tile[i], b = f->tile[k];
    int dx = abs(a % r->tiles_x - b % r->tiles_x), dy = abs(a / r->tiles_x - b / r->tiles_x);
    bool in_turn = r->turn[a] < r->turn[b] ? f->call[i] < f->call[k] : f->call[i] > f->call[k];
    return dx < r->colours && dy < r->colours && r->turn[a] != r->turn[b] && in_turn;
}

/* Each drop may touch what lies within its reach: two whose reaches overlap must be in one tile, or
 * in tiles of which one waits for the other. */
static void check_round(const field *f) {
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < i; k++) {
            bool meet =
                abs(f->x[i] - f->x[k]) <= 2 * f->reach && abs(f->y[i] - f->y[k]) <= 2 * f->reach;
            if (meet && f->tile[i] != f->tile[k] && !one_waits(f, i, k))
                fail_msg("drops at %d, %d and %d, %d run side by side with a reach of %d", f->x[i],
                         f->y[i], f->x[k], f->y[k], f->reach);
        }
}

static void test_drops_side_by_side_never_meet(void **state) {
    (void)state;
    static field f;
    static const int reaches[] = {1, 2, 3, 5, 8, 13, 14, 33, 80};
    for (size_t i = 0; i < sizeof reaches / sizeof reaches[0]; i++) {
        rv_context *ctx = support_context(1);
        rvi_buffers buffers = {0};
        int rounds = 0;
        memset(&f, 0, sizeof f);
        f.reach = reaches[i];
        rvi_rounds_desc desc = {.width = WIDTH,
                                .height = HEIGHT,
                                .reach = f.reach,
                                .cost = (double)WIDTH * HEIGHT,
                                .drops = support_cases(6000),
                                .seed = 7 + i,
                                .run = note_tiles,
                                .arg = &f};
        rvi_rounds_prepare(&f.rounds, ctx, &desc, &buffers);
        support_ok(ctx, rvi_buffers_alloc(&buffers, ctx));
        rvi_rounds_begin(&f.rounds);
        for (; rvi_rounds_done(&f.rounds) < 1.0; rounds++) {
            f.count = 0;
            support_ok(ctx, rvi_rounds_next(&f.rounds));
            check_round(&f);
        }
        assert_greater_equal(rounds, STEPS);
        rvi_buffers_free(&buffers, ctx);
        rv_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drops_side_by_side_never_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
