/* bench_sph.c: milliseconds a step of a dam break, beside a plain loop of the weakly compressible
 * method.
 *
 * Prints one line a run: solver, particles, threads, iterations, milliseconds a step of time and of
 * work of all cores (of the best step, too, for machines that do other things), the ratio of the
 * plain loop's work to it, and seconds of work for a second of water; and where one thread spends
 * a step. The plain loop has what the library Fluids v.2 has: cells of twice the smoothing radius,
 * chained particles, one after the other, neighbours looked for twice a step.
 * usage: bench_sph [quick]
 */
#include "bench.h"

#include "water/sph_passes.h"

#include <math.h>
#include <string.h>

/* ---- the plain loop ---- */

typedef struct particle {
    float at[3], speed[3], force[3], density, pressure;
    int next;
} particle;

typedef struct plain {
    particle *particles;
    int *cells, count, size[3];
    float cell, box[3];
    const rvi_sph_desc *desc;
} plain;

static void enter_cells(plain *p) {
    for (int c = 0; c < p->size[0] * p->size[1] * p->size[2]; c++)
        p->cells[c] = -1;
    for (int i = 0; i < p->count; i++) {
        particle *d = &p->particles[i];
        int at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = (int)(d->at[k] / p->cell);
            at[k] = at[k] < p->size[k] ? at[k] : p->size[k] - 1;
        }
        int *cell = &p->cells[(at[2] * p->size[1] + at[1]) * p->size[0] + at[0]];
        d->next = *cell;
        *cell = i;
    }
}

/* The eight cells that reach over the sphere around a particle; calls `fn` for all in it. */
static void each_near(plain *p, particle *d,
                      void (*fn)(plain *p, particle *a, const particle *b, float r2)) {
    float h = p->desc->weak.radius;
    int low[3];
    for (int k = 0; k < 3; k++) {
        low[k] = (int)floorf((d->at[k] - h) / p->cell);
        low[k] = low[k] < 0 ? 0 : low[k];
    }
    for (int z = low[2]; z < low[2] + 2 && z < p->size[2]; z++)
        for (int y = low[1]; y < low[1] + 2 && y < p->size[1]; y++)
            for (int x = low[0]; x < low[0] + 2 && x < p->size[0]; x++)
                for (int i = p->cells[(z * p->size[1] + y) * p->size[0] + x]; i >= 0;
                     i = p->particles[i].next) {
                    const particle *o = &p->particles[i];
                    float dx = d->at[0] - o->at[0], dy = d->at[1] - o->at[1];
                    float dz = d->at[2] - o->at[2], r2 = dx * dx + dy * dy + dz * dz;
                    if (o != d && r2 < h * h)
                        fn(p, d, o, r2);
                }
}

static void add_density(plain *p, particle *a, const particle *b, float r2) {
    (void)b;
    float c = p->desc->weak.radius * p->desc->weak.radius - r2;
    a->density += c * c * c;
}

static void add_force(plain *p, particle *a, const particle *b, float r2) {
    const rvi_sph_weak *w = &p->desc->weak;
    float r = sqrtf(r2), c = w->radius - r, h3 = w->radius * w->radius * w->radius;
    float norm = 45 / (3.14159265f * h3 * h3), both = c / (a->density * b->density);
    float pressure = r > 0 ? 0.5f * c * norm * (a->pressure + b->pressure) / r : 0;
    for (int k = 0; k < 3; k++)
        a->force[k] += both * (pressure * (a->at[k] - b->at[k]) +
                               norm * w->viscosity * (b->speed[k] - a->speed[k]));
}

static void move_particle(const plain *p, particle *d) {
    const rvi_sph_desc *desc = p->desc;
    for (int k = 0; k < 3; k++) {
        float a = desc->weak.mass * d->force[k] + desc->gravity[k];
        float low = desc->penalty_reach - d->at[k];
        float high = desc->penalty_reach - (p->box[k] - d->at[k]);
        a += low > 0 ? desc->penalty[0] * low - desc->penalty[1] * d->speed[k] : 0;
        a -= high > 0 ? desc->penalty[0] * high + desc->penalty[1] * d->speed[k] : 0;
        d->speed[k] += desc->weak.step * a;
        d->at[k] += desc->weak.step * d->speed[k];
        d->at[k] = d->at[k] > 0 ? d->at[k] : 0;
        d->at[k] = d->at[k] < p->box[k] ? d->at[k] : p->box[k];
    }
}

static void plain_step(plain *p) {
    const rvi_sph_weak *w = &p->desc->weak;
    float h3 = w->radius * w->radius * w->radius;
    float norm = w->mass * 315 / (64 * 3.14159265f * h3 * h3 * h3);
    enter_cells(p);
    for (int i = 0; i < p->count; i++) {
        particle *d = &p->particles[i];
        d->density = 0;
        each_near(p, d, add_density);
        d->density = fmaxf(d->density * norm, 1e-3f * p->desc->density);
        d->pressure = (d->density - p->desc->density) * w->stiffness;
        memset(d->force, 0, sizeof d->force);
    }
    for (int i = 0; i < p->count; i++)
        each_near(p, &p->particles[i], add_force);
    for (int i = 0; i < p->count; i++)
        move_particle(p, &p->particles[i]);
}

static double measure_plain(int side, const rvi_sph_desc *desc, int steps) {
    plain p = {.count = side * side * side, .cell = 2 * desc->weak.radius, .desc = desc};
    for (int k = 0; k < 3; k++) {
        p.box[k] = (float)desc->high[k];
        p.size[k] = (int)(p.box[k] / p.cell) + 1;
    }
    p.particles = calloc((size_t)p.count, sizeof *p.particles);
    p.cells = calloc((size_t)(p.size[0] * p.size[1] * p.size[2]), sizeof *p.cells);
    if (!p.particles || !p.cells)
        bench_check(NULL, RV_ERROR_MEMORY);
    for (int i = 0; i < p.count; i++) {
        int at[3] = {i % side, i / side % side, i / side / side};
        for (int k = 0; k < 3; k++)
            p.particles[i].at[k] = ((float)at[k] + 0.5f) * desc->spacing;
    }
    double best = 1e9;
    for (int s = 0; s < steps; s++) {
        double start = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
        plain_step(&p);
        double time = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
        best = time < best ? time : best;
    }
    free(p.particles);
    free(p.cells);
    return best;
}

/* ---- ours ---- */

static rvi_sph_desc dam(rvi_sph_solver solver, int side) {
    rvi_sph_desc desc = solver == RVI_SPH_WEAK ? rvi_sph_desc_weak() : rvi_sph_desc_default();
    double size = side * (double)desc.spacing;
    desc.high[0] = 3 * size;
    desc.high[1] = size;
    desc.high[2] = 2 * size;
    desc.most = (size_t)side * (size_t)side * (size_t)side;
    return desc;
}

/* ---- where the time goes: the passes, each with a clock ---- */

/* Lists are made cell by cell: a clock around each would take as long. The first projected speeds
 * are made together with the lists, and count as `accelerate`. */
enum { PREPARE, ACCELERATE, CG_BEGIN, CG_APPLY, CG_UPDATE, DENSITY, FORCE, PASSES };
static const char *const pass_names[PASSES] = {"prepare",   "accelerate", "cg_begin", "cg_apply",
                                               "cg_update", "density",    "force"};
static const rvi_sph_passes *real;
static double spent[PASSES];

#define TIMED(which, call)                                                                         \
    double start = bench_clock(CLOCK_MONOTONIC);                                                   \
    real->call;                                                                                    \
    spent[which] += bench_clock(CLOCK_MONOTONIC) - start

static void timed_prepare(rvi_sph *w, float dt, size_t first, size_t end) {
    TIMED(PREPARE, prepare(w, dt, first, end));
}
static void timed_accelerate(rvi_sph *w, const float *k, size_t first, size_t end) {
    TIMED(ACCELERATE, accelerate(w, k, first, end));
}
static void timed_begin(rvi_sph *w, const rvi_sph_cg *cg, size_t first, size_t end) {
    TIMED(CG_BEGIN, cg_begin(w, cg, first, end));
}
static void timed_apply(rvi_sph *w, const rvi_sph_cg *cg, size_t first, size_t end) {
    TIMED(CG_APPLY, cg_apply(w, cg, first, end));
}
static void timed_update(rvi_sph *w, const rvi_sph_cg *cg, size_t first, size_t end) {
    TIMED(CG_UPDATE, cg_update(w, cg, first, end));
}
static void timed_density(rvi_sph *w, float dt, size_t first, size_t end) {
    TIMED(DENSITY, weak_density(w, dt, first, end));
}
static void timed_force(rvi_sph *w, size_t first, size_t end) {
    TIMED(FORCE, weak_force(w, first, end));
}

/* One thread only. */
static void print_passes(rv_context *ctx, rvi_sph *water, int steps) {
    rvi_sph_passes timed = *real;
    timed.prepare = timed_prepare;
    timed.weak_density = timed_density;
    timed.accelerate = timed_accelerate;
    timed.cg_begin = timed_begin;
    timed.cg_apply = timed_apply;
    timed.cg_update = timed_update;
    timed.weak_force = timed_force;
    double all = bench_clock(CLOCK_PROCESS_CPUTIME_ID), rest = 0;
    memset(spent, 0, sizeof spent);
    rvi_sph_set_passes(water, &timed);
    for (int s = 0; s < steps; s++)
        bench_check(ctx, rvi_sph_step(water, 1));
    all = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - all;
    rvi_sph_set_passes(water, real);
    printf("        %d lanes, ms a step:", real->lanes);
    for (int k = 0; k < PASSES; k++) {
        if (spent[k] > 0)
            printf(" %s %.2f,", pass_names[k], 1e3 * spent[k] / steps);
        rest += spent[k];
    }
    printf(" lists and all else %.2f\n", 1e3 * (all - rest) / steps);
}

static void measure(rvi_sph_solver solver, int side, int threads, int steps, double reference) {
    rvi_sph_desc desc = dam(solver, side);
    rv_context *ctx = bench_context(threads);
    rvi_sph *water;
    double low[3] = {0}, high[3] = {desc.high[1], desc.high[1], desc.high[1]}, best = 1e9;
    bench_check(ctx, rvi_sph_create(ctx, &desc, NULL, &water));
    bench_check(ctx, rvi_sph_fill(water, low, high));
    for (int s = 0; s < steps / 4; s++) /* until the water flows */
        bench_check(ctx, rvi_sph_step(water, 1));
    double wall = bench_clock(CLOCK_MONOTONIC), work = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    double time = rvi_sph_view_of(water).time, iterations = 0;
    for (int s = 0; s < steps; s++) {
        double start = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
        bench_check(ctx, rvi_sph_step(water, 1));
        rvi_sph_view v = rvi_sph_view_of(water);
        iterations += v.iterations[0] + v.iterations[1];
        start = bench_clock(CLOCK_PROCESS_CPUTIME_ID) - start;
        best = start < best ? start : best;
    }
    wall = (bench_clock(CLOCK_MONOTONIC) - wall) / steps;
    work = (bench_clock(CLOCK_PROCESS_CPUTIME_ID) - work) / steps;
    time = (rvi_sph_view_of(water).time - time) / steps;
    printf("%-7s %6zu particles %d threads: %4.1f iterations, %6.1f ms (work %6.1f, best %6.1f ms, "
           "plain loop %4.1fx), %.1f s a second\n",
           solver == RVI_SPH_WEAK ? "weak" : "project", rvi_sph_view_of(water).count, threads,
           iterations / steps, 1e3 * wall, 1e3 * work, 1e3 * best, reference / work, work / time);
    real = rvi_sph_get_passes(water);
    if (threads == 1)
        print_passes(ctx, water, steps / 4);
    rvi_sph_destroy(water);
    rv_context_destroy(ctx);
}

int main(int argc, char **argv) {
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    for (int side = 23; side <= (quick ? 23 : 46); side += 23) {
        int steps = (quick ? 20 : 80) * 23 / side;
        rvi_sph_desc desc = dam(RVI_SPH_WEAK, side);
        double reference = measure_plain(side, &desc, quick ? 3 : 10);
        printf("plain   %6d particles: %.1f ms\n", side * side * side, 1e3 * reference);
        for (int threads = 1; threads <= 2; threads++) {
            measure(RVI_SPH_WEAK, side, threads, steps, reference);
            measure(RVI_SPH_PROJECT, side, threads, steps, reference);
        }
    }
    return 0;
}
