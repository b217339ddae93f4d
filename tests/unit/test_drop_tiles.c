/* Rounds of drops: drops that run side by side never touch the same cell, and each drop that falls
 * runs to its end, whatever the size of the map and the number of threads. */
#include "support.h"

#include "wear/drop_rounds.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

/* A drop runs for that many rounds. */
enum { STEPS = 3 };

/* A drop when its round began: where, in which tile, and in which call. */
typedef struct start {
    int x, y, tile, call;
} start;

typedef struct field {
    rvi_rounds rounds;
    pthread_mutex_t lock; /* of what follows */
    int *busy; /* of each cell: 1 + the tile whose drops may touch it now, 0: none; or NULL */
    uint64_t ended, meetings;
    start *starts; /* of the round */
    int *nth;      /* of slots: for how many rounds its drop has run */
    int count, calls;
} field;

/* Takes all cells that a drop may touch, or gives them back. */
static void take_cells(field *f, const rvi_slot *drop, int tile, bool take) {
    const rvi_rounds_desc *d = &f->rounds.d;
    if (f->busy == NULL)
        return;
    int reach = (int)(d->unit * d->reach);
    for (int y = (int)drop->y - reach; y <= (int)drop->y + reach; y++)
        for (int x = (int)drop->x - reach; x <= (int)drop->x + reach; x++) {
            if (x < 0 || y < 0 || x >= d->width || y >= d->height)
                continue;
            int *busy = &f->busy[y * d->width + x];
            f->meetings += take && *busy != 0 && *busy != tile + 1;
            *busy = take ? tile + 1 : 0;
        }
}

static void begin_tile(field *f, int tile) {
    int drops;
    const int *in = rvi_rounds_in(&f->rounds, tile, &drops);
    for (int k = 0; k < drops; k++) {
        const rvi_slot *drop = &rvi_rounds_slots(&f->rounds)[in[k]];
        f->starts[f->count++] = (start){(int)drop->x, (int)drop->y, tile, f->calls};
        take_cells(f, drop, tile, true);
    }
}

/* Each drop goes on as far as it may. */
static void end_tile(field *f, int tile) {
    int drops;
    const int *in = rvi_rounds_in(&f->rounds, tile, &drops);
    for (int k = 0; k < drops; k++)
        take_cells(f, &rvi_rounds_slots(&f->rounds)[in[k]], tile, false);
    for (int k = 0; k < drops; k++) {
        rvi_slot *drop = &rvi_rounds_slots(&f->rounds)[in[k]];
        f->nth[in[k]] = drop->fresh ? 1 : f->nth[in[k]] + 1;
        drop->ended = f->nth[in[k]] == STEPS;
        float way = (float)(f->rounds.d.unit * f->rounds.d.reach) * 0.9f;
        drop->x = fminf(drop->x + way, (float)(f->rounds.d.width - 2));
        f->ended += drop->ended;
    }
}

/* Some tiles at a time; false: there are none. */
static bool run_some(field *f, rvi_taker *taker) {
    enum { MOST = 5 };
    int tiles[MOST], count = 0;
    while (count < MOST && (tiles[count] = rvi_take(taker)) >= 0)
        count++;
    pthread_mutex_lock(&f->lock);
    f->calls++;
    for (int t = 0; t < count; t++)
        begin_tile(f, tiles[t]);
    pthread_mutex_unlock(&f->lock);
    sched_yield(); /* others may begin meanwhile */
    pthread_mutex_lock(&f->lock);
    for (int t = 0; t < count; t++)
        end_tile(f, tiles[t]);
    pthread_mutex_unlock(&f->lock);
    for (int t = 0; t < count; t++)
        rvi_taken(taker, tiles[t]);
    return count > 0;
}

static void run_tiles(void *arg, rvi_taker *taker) {
    while (run_some(arg, taker))
        ;
}

/* May two tiles run one after the other only? Those that have the same turn, and those that are too
 * far apart to know of each other, may run at the same time. Tiles of one call may, too. */
static bool one_waits(const rvi_rounds *r, const start *a, const start *b) {
    int dx = abs(a->tile % r->tiles_x - b->tile % r->tiles_x);
    int dy = abs(a->tile / r->tiles_x - b->tile / r->tiles_x);
    bool first = r->turn[a->tile] < r->turn[b->tile];
    bool in_turn = first ? a->call < b->call : a->call > b->call;
    return dx < r->colours && dy < r->colours && r->turn[a->tile] != r->turn[b->tile] && in_turn;
}

/* Each drop may touch what lies within its reach: two whose reaches overlap must be in one tile, or
 * in tiles of which one waits for the other. */
static void check_round(const field *f) {
    int reach = (int)(f->rounds.d.unit * f->rounds.d.reach);
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < i; k++) {
            const start *a = &f->starts[i], *b = &f->starts[k];
            bool meet = abs(a->x - b->x) <= 2 * reach && abs(a->y - b->y) <= 2 * reach;
            if (meet && a->tile != b->tile && !one_waits(&f->rounds, a, b))
                fail_msg("drops at %d, %d and %d, %d run side by side with a reach of %d", a->x,
                         a->y, b->x, b->y, reach);
        }
}

/* All rounds of `drops` drops, each of which costs so much; `reach` counts in units. */
static void run_field(int threads, int width, int height, double unit, int reach, double cost,
                      uint64_t drops) {
    enum { FAR = 30 }; /* to take the cells within such a reach takes too long */
    rv_context *ctx = support_context(threads);
    field f = {.lock = PTHREAD_MUTEX_INITIALIZER};
    rvi_buffers buffers = {0};
    rvi_rounds_desc desc = {.width = width,
                            .height = height,
                            .unit = unit,
                            .reach = reach,
                            .cost = cost,
                            .drops = support_cases(drops),
                            .seed = 7 + (uint64_t)reach,
                            .run = run_tiles,
                            .arg = &f};
    rvi_rounds_prepare(&f.rounds, ctx, &desc, &buffers);
    size_t most = (size_t)rvi_rounds_most(&f.rounds);
    if (unit * reach < FAR)
        rvi_buffers_add(&buffers, &f.busy, (size_t)(width * height), sizeof *f.busy, "the cells");
    rvi_buffers_add(&buffers, &f.starts, most, sizeof *f.starts, "the drops");
    rvi_buffers_add(&buffers, &f.nth, most, sizeof *f.nth, "the drops");
    support_ok(ctx, rvi_buffers_alloc(&buffers, ctx));
    rvi_rounds_begin(&f.rounds);
    int rounds = 0;
    for (double done = 0; done < 1; rounds++) {
        f.count = 0;
        support_ok(ctx, rvi_rounds_next(&f.rounds));
        check_round(&f);
        assert_greater_equal(rvi_rounds_done(&f.rounds), done);
        done = rvi_rounds_done(&f.rounds);
    }
    if (f.meetings > 0)
        fail_msg("%d x %d cells, reach %d, %d threads: %llu times two drops met", width, height,
                 reach, threads, (unsigned long long)f.meetings);
    assert_equal(f.ended, desc.drops);
    assert_greater_equal(rounds, STEPS);
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
            run_field(threads, sizes[k][0], sizes[k][1], 1, sizes[k][2], 1,
                      (uint64_t)(sizes[k][0] * sizes[k][1]));
}

/* Drops that cost much: short rounds, in which a drop of any reach is on its way with many others.
 */
static void costly_drops_do_not_meet(void **state) {
    (void)state;
    static const int reaches[] = {1, 2, 3, 5, 8, 13, 14, 33, 80};
    for (size_t i = 0; i < sizeof reaches / sizeof reaches[0]; i++)
        run_field(1, 330, 210, 1, reaches[i], 330 * 210, 6000);
}

/* Units of length that are wider or narrower than a cell. */
static void drops_do_not_meet_in_cells_of_any_size(void **state) {
    (void)state;
    static const double units[] = {0.5, 0.7, 1.6, 4};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        run_field(2, 120, 90, units[i], 5, 1, 10000);
}

/* The same land in finer cells gets the same drops in the same tiles. */
static void cells_do_not_show_in_the_rounds(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rvi_rounds rounds[2];
    for (int k = 0; k < 2; k++) {
        field f = {.lock = PTHREAD_MUTEX_INITIALIZER};
        rvi_buffers buffers = {0};
        int fine = k ? 4 : 1;
        rvi_rounds_desc desc = {.width = 96 * fine,
                                .height = 64 * fine,
                                .unit = 0.5 * fine,
                                .reach = 9,
                                .cost = 100,
                                .drops = 3000,
                                .seed = 5,
                                .run = run_tiles,
                                .arg = &f};
        rvi_rounds_prepare(&rounds[k], ctx, &desc, &buffers);
    }
    assert_int_equal(rounds[0].tile, rounds[1].tile);
    assert_int_equal(rounds[0].colours, rounds[1].colours);
    assert_int_equal(rounds[0].tiles_x, rounds[1].tiles_x);
    assert_int_equal(rounds[0].tiles_y, rounds[1].tiles_y);
    assert_int_equal(rounds[0].most_in_round, rounds[1].most_in_round);
    rv_context_destroy(ctx);
}

/* What the user has seen of a step: its land, and how often that was another while no round was
 * over. */
typedef struct viewer {
    double done;
    uint64_t hash;
    int within;
} viewer;

static bool see(void *user, const rv_progress *now) {
    viewer *v = user;
    if (!now->land || (strcmp(now->step, "droplets") != 0 && strcmp(now->step, "particles") != 0))
        return true;
    uint64_t hash = rv_terrain_hash(now->land);
    v->within += v->hash != 0 && now->done == v->done && hash != v->hash;
    v->done = now->done;
    v->hash = hash;
    return true;
}

/* A round takes longer than one wants to wait for a picture. */
static void land_is_seen_within_a_round_and_stays_the_same(void **state) {
    (void)state;
    static const char *const texts[] = {
        "terrain size=512 cell=7\nnoise seed=5 relief=600\nparticles drops=12k\n",
        "terrain size=640 cell=7\nnoise seed=5 relief=600\ndroplets drops=20k\n",
        "terrain size=640 cell=7\nnoise seed=5 relief=600\nlayer thickness=3\ndroplets drops=20k\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        uint64_t hashes[2];
        for (int watches = 0; watches < 2; watches++) {
            viewer v = {0};
            rv_context_desc desc = {
                .threads = 2 - watches, .progress = watches ? see : NULL, .user = &v};
            rv_context *ctx;
            rv_terrain *land;
            assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
            support_ok(ctx, rv_recipe_run_text(ctx, texts[i], NULL, &land));
            hashes[watches] = rv_terrain_hash(land);
            assert_greater_equal(v.within, watches);
            rv_terrain_destroy(land);
            rv_context_destroy(ctx);
        }
        assert_true(hashes[0] == hashes[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_side_by_side_do_not_meet),
        cmocka_unit_test(costly_drops_do_not_meet),
        cmocka_unit_test(drops_do_not_meet_in_cells_of_any_size),
        cmocka_unit_test(cells_do_not_show_in_the_rounds),
        cmocka_unit_test(land_is_seen_within_a_round_and_stays_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
