/* Rounds of drops: drops that run side by side never touch the same cell, and each drop that falls
 * runs to its end, whatever the size of the map and the number of threads. */
#include "support.h"

#include "wear/drop_rounds.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

typedef struct field {
    rvi_rounds rounds;
    pthread_mutex_t lock; /* of what follows */
    int *busy;            /* of each cell: 1 + the tile whose drops may touch it now; 0: none */
    uint64_t ended, meetings;
} field;

/* Takes all cells that the drops of a tile may touch, or gives them back. */
static void take_cells(field *f, int tile, bool take) {
    const rvi_rounds_desc *d = &f->rounds.d;
    int count;
    const int *slots = rvi_rounds_in(&f->rounds, tile, &count);
    for (int k = 0; k < count; k++) {
        const rvi_slot *drop = &rvi_rounds_slots(&f->rounds)[slots[k]];
        for (int y = (int)drop->y - d->reach; y <= (int)drop->y + d->reach; y++)
            for (int x = (int)drop->x - d->reach; x <= (int)drop->x + d->reach; x++) {
                if (x < 0 || y < 0 || x >= d->width || y >= d->height)
                    continue;
                int *busy = &f->busy[y * d->width + x];
                f->meetings += take && *busy != 0 && *busy != tile + 1;
                *busy = take ? tile + 1 : 0;
            }
    }
}

/* Drops end in the round after the one in which they fell. */
static void run_tiles(void *arg, const int *tiles, int count) {
    field *f = arg;
    pthread_mutex_lock(&f->lock);
    for (int t = 0; t < count; t++)
        take_cells(f, tiles[t], true);
    pthread_mutex_unlock(&f->lock);
    sched_yield(); /* others may begin meanwhile */
    pthread_mutex_lock(&f->lock);
    for (int t = 0; t < count; t++) {
        int drops;
        const int *slots = rvi_rounds_in(&f->rounds, tiles[t], &drops);
        take_cells(f, tiles[t], false);
        for (int k = 0; k < drops; k++) {
            rvi_slot *drop = &rvi_rounds_slots(&f->rounds)[slots[k]];
            drop->ended = !drop->fresh;
            f->ended += drop->ended;
        }
    }
    pthread_mutex_unlock(&f->lock);
}

static void run_field(int threads, int width, int height, int reach) {
    rv_context *ctx = support_context(threads);
    field f = {.lock = PTHREAD_MUTEX_INITIALIZER};
    rvi_buffers buffers = {0};
    rvi_rounds_desc desc = {.width = width,
                            .height = height,
                            .reach = reach,
                            .cost = 1,
                            .drops = support_cases((uint64_t)(width * height)),
                            .seed = 5,
                            .run = run_tiles,
                            .arg = &f};
    rvi_rounds_prepare(&f.rounds, ctx, &desc, &buffers);
    rvi_buffers_add(&buffers, &f.busy, (size_t)(width * height), sizeof *f.busy, "the cells");
    support_ok(ctx, rvi_buffers_alloc(&buffers, ctx));
    rvi_rounds_begin(&f.rounds);
    int rounds = 0;
    for (double done = 0; done < 1; rounds++) {
        support_ok(ctx, rvi_rounds_next(&f.rounds));
        assert_greater_equal(rvi_rounds_done(&f.rounds), done);
        done = rvi_rounds_done(&f.rounds);
    }
    if (f.meetings > 0)
        fail_msg("%d x %d cells, reach %d, %d threads: %llu times two drops met", width, height,
                 reach, threads, (unsigned long long)f.meetings);
    assert_equal(f.ended, desc.drops);
    assert_greater(rounds, 1);
    rvi_buffers_free(&buffers, ctx);
    rv_context_destroy(ctx);
}

/* Few colours and wide tiles, many colours and narrow ones, a map that is hardly a tile wide. */
static void drops_side_by_side_do_not_meet(void **state) {
    (void)state;
    static const int sizes[][3] = {{120, 90, 2},  {100, 100, 3}, {97, 131, 5},
                                   {150, 80, 12}, {40, 33, 9},   {3, 200, 4}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int threads = 1; threads <= 3; threads += 2)
            run_field(threads, sizes[k][0], sizes[k][1], sizes[k][2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_side_by_side_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
