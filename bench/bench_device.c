/* bench_device.c: rounds of steps on a device, beside the rate at which it copies memory.
 *
 * Prints one line a run: step, map, the time of a round (a long run less a short one), cell-rounds
 * per second, the bytes that a cell-round must move, and the share of the copy rate that makes.
 * Then the sizes of L. Teissier, O. Le Tullier, T. Poyet, Interactive Layered Terrain Generation,
 * section 6.3, on the processor and on the device, drop-steps per second, and steps of water (SPH).
 * usage: bench_device [DEVICE [LARGEST [STEP [profile]]]], where STEP is a name of the table, as
 * "pipes 4", and only its rates are printed, or "droplets", "particles", "paper", or "water"; with
 * "profile" the time of each kernel of a few rounds at LARGEST follows, less that of a run with no
 * more than two
 */
#include "bench.h"

#include "device/device.h"
#include "device/device_profile.h"
#include "mesh/mesh.h"
#include "water/sph.h"

#include <string.h>

static rv_terrain *make_land(rv_context *ctx, int size) {
    rv_terrain *land;
    rv_terrain_desc desc = {size, size, 10.0f};
    rv_noise_params noise = rv_noise_params_default();
    noise.relief = 600.0f;
    bench_check(ctx, rv_terrain_create(ctx, &desc, &land));
    bench_check(ctx, rv_step_run(land, RV_STEP_noise, &noise, NULL));
    return land;
}

/* One step in so many rounds. */
typedef void bench_step(rv_terrain *land, rv_context *ctx, int rounds);

static void run_pipes(rv_terrain *land, rv_context *ctx, int rounds, int neighbours, float width) {
    rv_pipes_params p = rv_pipes_params_default();
    p.neighbours = neighbours;
    p.rounds = rounds;
    p.time = 1e6f;
    p.width = width;
    bench_check(ctx, rv_step_run(land, RV_STEP_pipes, &p, NULL));
}

static void pipes_4(rv_terrain *land, rv_context *ctx, int rounds) {
    run_pipes(land, ctx, rounds, RV_pipes_neighbours_4, 0.0f);
}

static void pipes_8(rv_terrain *land, rv_context *ctx, int rounds) {
    run_pipes(land, ctx, rounds, RV_pipes_neighbours_8, 0.0f);
}

static void pipes_wide(rv_terrain *land, rv_context *ctx, int rounds) {
    run_pipes(land, ctx, rounds, RV_pipes_neighbours_8, 40.0f);
}

static void run_thermal(rv_terrain *land, rv_context *ctx, int rounds, int neighbours) {
    rv_thermal_params p = rv_thermal_params_default();
    p.neighbours = neighbours;
    p.rounds = rounds;
    p.talus = 20.0f;
    bench_check(ctx, rv_step_run(land, RV_STEP_thermal, &p, NULL));
}

static void thermal_4(rv_terrain *land, rv_context *ctx, int rounds) {
    run_thermal(land, ctx, rounds, RV_thermal_neighbours_4);
}

static void thermal_8(rv_terrain *land, rv_context *ctx, int rounds) {
    run_thermal(land, ctx, rounds, RV_thermal_neighbours_8);
}

static void run_runoff(rv_terrain *land, rv_context *ctx, int rounds) {
    rv_runoff_params p = rv_runoff_params_default();
    p.rounds = rounds;
    p.travel = 10.0f;
    p.width = 0.0f;
    bench_check(ctx, rv_step_run(land, RV_STEP_runoff, &p, NULL));
}

/* All time steps on the cells of the map: without a source there are no coarser levels. */
static void run_rivers(rv_terrain *land, rv_context *ctx, int rounds, float deposition) {
    rv_rivers_params p = rv_rivers_params_default();
    p.steps = rounds + (deposition > 0.0f ? 16 : 0); /* which are the fewest */
    p.time = 3000.0f * (float)p.steps;
    p.source = 0.0f;
    p.deposition = deposition;
    bench_check(ctx, rv_step_run(land, RV_STEP_rivers, &p, NULL));
}

static void rivers_cut(rv_terrain *land, rv_context *ctx, int rounds) {
    run_rivers(land, ctx, rounds, 0.0f);
}

static void rivers_deposit(rv_terrain *land, rv_context *ctx, int rounds) {
    run_rivers(land, ctx, rounds, 0.5f);
}

/* Alluvium counts among what is done besides, and so do the coarser levels. */
static void rivers_alluvium(rv_terrain *land, rv_context *ctx, int rounds) {
    rv_rivers_params p = rv_rivers_params_default();
    p.steps = rounds;
    p.time = 300000.0f;
    p.source = 0.004f;
    p.alluvium = 10.0f;
    bench_check(ctx, rv_step_run(land, RV_STEP_rivers, &p, NULL));
}

static void run_noise(rv_terrain *land, rv_context *ctx, int rounds, int basis) {
    rv_noise_params p = rv_noise_params_default();
    p.basis = basis;
    p.shape = RV_noise_shape_ridged;
    p.octaves = 9;
    for (int i = 0; i < rounds; i++)
        bench_check(ctx, rv_step_run(land, RV_STEP_noise, &p, NULL));
}

static void noise_sparse(rv_terrain *land, rv_context *ctx, int rounds) {
    run_noise(land, ctx, rounds, RV_noise_basis_sparse);
}

static void noise_perlin(rv_terrain *land, rv_context *ctx, int rounds) {
    run_noise(land, ctx, rounds, RV_noise_basis_perlin);
}

/* Seconds of a round; *before_after gets what the step takes besides. */
static double measure(rv_context *ctx, bench_step *step, int size, int rounds,
                      double *before_after) {
    double best[2] = {1e9, 1e9};
    int few = 2;
    rv_terrain *land = make_land(ctx, size);
    step(land, ctx, few); /* kernels are compiled */
    for (int t = 0; t < 4; t++) {
        double start = bench_clock(CLOCK_MONOTONIC);
        step(land, ctx, t % 2 ? rounds + few : few);
        double took = bench_clock(CLOCK_MONOTONIC) - start;
        best[t % 2] = took < best[t % 2] ? took : best[t % 2];
    }
    rv_terrain_destroy(land);
    double round = (best[1] - best[0]) / rounds;
    *before_after = best[0] - few * round;
    return round;
}

static const struct {
    const char *name;
    bench_step *step;
    int bytes; /* that a cell-round reads and writes at least; 0: arithmetic counts */
} STEPS[] = {{"pipes 4", pipes_4, 76},
             {"pipes 8", pipes_8, 92},
             {"pipes 8 wide", pipes_wide, 0},
             {"thermal 4", thermal_4, 8},
             {"thermal 8", thermal_8, 8},
             {"runoff", run_runoff, 44},
             {"rivers", rivers_cut, 0},
             {"rivers deposit", rivers_deposit, 0},
             {"rivers alluvium", rivers_alluvium, 0},
             {"noise sparse 9", noise_sparse, 0},
             {"noise perlin 9", noise_perlin, 0}};
enum { STEP_COUNT = sizeof STEPS / sizeof STEPS[0] };

static void print_rates(rv_context *ctx, int largest, double copy, const char *only) {
    printf(
        "step            map    ms a round   G cell-rounds/s  bytes  of the copy rate  ms else\n");
    for (int k = 0; k < STEP_COUNT; k++)
        for (int size = 512; size <= largest && (!only || !strcmp(only, STEPS[k].name));
             size *= 2) {
            int64_t cells = (int64_t)size * size;
            bool noise = STEPS[k].step == noise_sparse || STEPS[k].step == noise_perlin;
            int rounds = (int)((int64_t)(noise ? 1 << 27 : 1 << 30) / cells);
            rounds = rounds < 4 ? 4 : rounds > 200 ? 200 : rounds;
            double before_after;
            double round = measure(ctx, STEPS[k].step, size, rounds, &before_after);
            double rate = (double)cells / round;
            printf("%-14s %5d  %10.3f  %15.2f  %6d  %15.0f%%  %7.1f\n", STEPS[k].name, size,
                   1e3 * round, rate / 1e9, STEPS[k].bytes, 100.0 * rate * STEPS[k].bytes / copy,
                   1e3 * before_after);
            fflush(stdout);
        }
}

static void profile_run(rv_context *ctx, bench_step *step, int size, int rounds, rvi_profile *out) {
    rv_terrain *land = make_land(ctx, size);
    step(land, ctx, 2);
    bench_check(ctx, rvi_device_profile_begin(rvi_device_of(ctx)));
    step(land, ctx, rounds);
    bench_check(ctx, rvi_device_profile_end(rvi_device_of(ctx), out));
    rv_terrain_destroy(land);
}

/* Of one round each command, and of what a run does besides. */
static void print_profile(rv_context *ctx, int size, const char *only) {
    static rvi_profile few, many;
    enum { FEW = 2, MORE = 4 };
    for (int k = 0; k < STEP_COUNT; k++) {
        if (strcmp(only, STEPS[k].name) != 0)
            continue;
        profile_run(ctx, STEPS[k].step, size, FEW, &few);
        profile_run(ctx, STEPS[k].step, size, FEW + MORE, &many);
        printf("\n%s at %d\n%-24s  calls a round  ms a round  calls else   ms else\n", only, size,
               "kernel");
        for (const rvi_profile_line *line = many.line; line->name; line++) {
            const rvi_profile_line *same = few.line;
            while (same->name && strcmp(same->name, line->name) != 0)
                same++;
            double calls = (double)(line->calls - same->calls) / MORE;
            double ms = 1e3 * (line->seconds - same->seconds) / MORE;
            printf("%-24s  %13.1f  %10.3f  %10.1f  %8.2f\n", line->name, calls, ms,
                   (double)same->calls - FEW * calls, 1e3 * same->seconds - FEW * ms);
        }
    }
}

/* Bytes that a drop-step reads and writes at least: the drop itself, twice 128; of the 28 cells
 * of its disc the height, and the change that it adds to; and in each round the changes of the 64
 * cells that there are for a drop. */
enum { DROP_BYTES = 2 * 128 + 28 * 12 + 64 * 4 };

typedef double bench_drops(rv_terrain *land, rv_context *ctx);

static double drop_droplets(rv_terrain *land, rv_context *ctx) {
    rv_droplets_params p = rv_droplets_params_default();
    rv_report report;
    p.order = RV_droplets_order_batch;
    p.radius = -3.0f;
    bench_check(ctx, rv_step_run(land, RV_STEP_droplets, &p, &report));
    return (double)report.drop_steps;
}

static double drop_particles(rv_terrain *land, rv_context *ctx) {
    rv_particles_params p = rv_particles_params_default();
    rv_report report;
    p.order = RV_particles_order_batch;
    bench_check(ctx, rv_step_run(land, RV_STEP_particles, &p, &report));
    return (double)report.drop_steps;
}

/* A step with order=batch; bytes of a drop-step, 0 where they are not counted. */
static void print_drops(rv_context *ctx, const char *name, bench_drops *step, int largest,
                        int bytes, double copy) {
    printf("\n%s\n  map   seconds  G drop-steps/s  bytes  of the copy rate\n", name);
    for (int size = 512; size <= largest; size *= 2) {
        double best = 1e9, steps = 0.0;
        for (int t = 0; t < 3; t++) { /* kernels are compiled in the first */
            rv_terrain *land = make_land(ctx, size);
            double start = bench_clock(CLOCK_MONOTONIC);
            steps = step(land, ctx);
            double took = bench_clock(CLOCK_MONOTONIC) - start;
            best = took < best ? took : best;
            rv_terrain_destroy(land);
        }
        printf("%5d  %8.3f  %14.3f  %5d  %15.0f%%\n", size, best, steps / best / 1e9, bytes,
               100.0 * steps / best * bytes / copy);
        fflush(stdout);
    }
}

/* Milliseconds of a round of thermal and of pipes at the sizes of the paper. */
static void print_paper(rv_context *processor, rv_context *device) {
    const int sizes[] = {100, 500, 1000, 1500};
    double rest;
    printf("\nms a round      map   processor   device\n");
    for (int k = 0; k < STEP_COUNT; k++)
        for (int s = 0; s < 4; s++)
            if (STEPS[k].step == thermal_8 || STEPS[k].step == pipes_4)
                printf("%-14s %5d  %10.3f  %7.3f\n", STEPS[k].name, sizes[s],
                       1e3 * measure(processor, STEPS[k].step, sizes[s], 40, &rest),
                       1e3 * measure(device, STEPS[k].step, sizes[s], 200, &rest));
}

/* ---- water ---- */

/* A dam breaks in a box, over a pyramid or over nothing. */
static rvi_sph *make_dam(rv_context *ctx, int side, bool rock) {
    rvi_sph_desc desc = rvi_sph_desc_default();
    double size = side * (double)desc.spacing, low[3] = {0}, high[3] = {size, size, size};
    static const double points[15] = {0.7,  0.1, 0.01, 1.6,  0.1, 0.01, 0.7, 0.9,
                                      0.01, 1.6, 0.9,  0.01, 1.1, 0.5,  0.5};
    static const uint32_t corners[18] = {0, 2, 1, 1, 2, 3, 0, 1, 4, 1, 3, 4, 3, 2, 4, 2, 0, 4};
    desc.high[0] = 3 * size;
    desc.high[1] = size;
    desc.high[2] = 2 * size;
    desc.most = (size_t)side * (size_t)side * (size_t)side;
    rvi_sph *water;
    rv_mesh *mesh = NULL;
    if (rock) {
        bench_check(ctx, rvi_mesh_create(ctx, 5, 6, false, &mesh));
        for (int i = 0; i < 15; i++)
            mesh->points[i] = size * points[i];
        memcpy(mesh->corners, corners, sizeof corners);
    }
    bench_check(ctx, rvi_sph_create(ctx, &desc, mesh, &water));
    rv_mesh_destroy(mesh);
    bench_check(ctx, rvi_sph_fill(water, low, high));
    return water;
}

typedef struct water_times {
    double step, sort, pressure, move; /* s */
    double iterations, neighbours;     /* of a step; of a particle, itself among them */
} water_times;

static water_times measure_water(rv_context *ctx, int side, bool rock, int steps) {
    rvi_sph *water = make_dam(ctx, side, rock);
    water_times t = {0};
    for (int s = 0; s < 4; s++) /* kernels are compiled, and the water flows */
        bench_check(ctx, rvi_sph_step(water, 1));
    double start = bench_clock(CLOCK_MONOTONIC);
    for (int s = 0; s < steps; s++) {
        bench_check(ctx, rvi_sph_step(water, 1));
        rvi_sph_view v = rvi_sph_view_of(water);
        t.sort += v.times.sort / steps;
        t.pressure += v.times.pressure / steps;
        t.move += v.times.move / steps;
        t.iterations += (double)(v.iterations[0] + v.iterations[1]) / steps;
    }
    t.step = (bench_clock(CLOCK_MONOTONIC) - start) / steps;
    size_t count = rvi_sph_view_of(water).count;
    for (size_t i = 0; i < count; i += 97)
        t.neighbours += (double)rvi_sph_neighbours(water, i, NULL, 0) * 97 / (double)count;
    rvi_sph_destroy(water);
    return t;
}

/* Bytes that a step reads and writes at least for each particle: in its passes over neighbours, two
 * an iteration and three more, and in the sort, the walls, the lists and the moves. */
static double water_bytes(const water_times *t) {
    return (2 * t->iterations + 3) * (10 * t->neighbours + 60) + 14 * t->neighbours + 500;
}

static void print_water(rv_context *processor, rv_context *device, double copy) {
    const int sides[] = {22, 46, 69, 100};
    printf("\nwater      particles  iterations  processor ms   device ms (sort, pressure, move)  "
           "bytes  of the copy rate\n");
    for (int s = 0; s < 4; s++)
        for (int rock = 0; rock < 2; rock++) {
            double count = (double)sides[s] * sides[s] * sides[s];
            water_times p = measure_water(processor, sides[s], rock, sides[s] > 50 ? 6 : 20);
            water_times d = measure_water(device, sides[s], rock, 40);
            double bytes =
                water_bytes(&(water_times){.iterations = d.iterations, .neighbours = p.neighbours});
            printf("%-8s %11.0f  %10.1f  %12.2f  %10.2f (%5.2f %5.2f %5.2f)  %12.0f  %15.0f%%\n",
                   rock ? "pyramid" : "box", count, d.iterations, 1e3 * p.step, 1e3 * d.step,
                   1e3 * d.sort, 1e3 * d.pressure, 1e3 * d.move, bytes,
                   100 * bytes * count / d.step / copy);
            fflush(stdout);
        }
}

int main(int argc, char **argv) {
    int number = argc > 1 ? atoi(argv[1]) : 1, largest = argc > 2 ? atoi(argv[2]) : 8192;
    const char *only = argc > 3 ? argv[3] : NULL;
    rv_context *ctx = bench_context(0), *processor = bench_context(0);
    rv_device_info info;
    double copy = 0.0;
    bool same = false;
    if (!rv_device_get(number, &info)) {
        puts("There is no device.");
        return 0;
    }
    bench_check(ctx, rv_device_try(ctx, number, &same, &copy));
    bench_check(ctx, rv_context_use_device(ctx, number));
    printf("%s, %s: copies %.0f GB/s\n", info.name, info.driver, copy / 1e9);
    print_rates(ctx, largest, copy, only);
    if (only && argc > 4)
        print_profile(ctx, largest, only);
    if (!only || strcmp(only, "droplets") == 0)
        print_drops(ctx, "droplets order=batch radius=3cells", drop_droplets, largest, DROP_BYTES,
                    copy);
    if (!only || strcmp(only, "particles") == 0)
        print_drops(ctx, "particles order=batch", drop_particles, largest, 0, copy);
    if (!only || strcmp(only, "paper") == 0)
        print_paper(processor, ctx);
    if (!only || !strcmp(only, "water"))
        print_water(processor, ctx, copy);
    rv_context_destroy(ctx);
    rv_context_destroy(processor);
    return 0;
}
