/* sph.c: water as particles: its creation, and the order of a step. */
#include "water/sph_state.h"

#include <float.h>
#include <math.h>

#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"
#include "base/vector.h"

enum { MOST_CELLS = 1 << 20, FIRST_STRIDE = 48 };

rvi_sph_desc rvi_sph_desc_default(void) {
    return (rvi_sph_desc){.solver = RVI_SPH_PROJECT,
                          .wall = RVI_SPH_COMPLETE,
                          .high = {1, 1, 1},
                          .spacing = 0.02f,
                          .density = 1000,
                          .gravity = {0, 0, -9.81f},
                          .viscosity = 1e-6f,
                          .smoothing = 0.1f,
                          .friction = 0.1f,
                          .courant = 0.4f,
                          .tolerance = 2e-4f,
                          .iterations = 100,
                          .most = 12000,
                          .penalty = {20000, 256},
                          .penalty_reach = 0.02f};
}

rvi_sph_desc rvi_sph_desc_weak(void) {
    rvi_sph_desc desc = rvi_sph_desc_default();
    desc.solver = RVI_SPH_WEAK;
    desc.wall = RVI_SPH_PENALTY;
    for (int i = 0; i < 3; i++)
        desc.high[i] = 0.2;
    desc.spacing = 0.0061f; /* 0.87 of the cube root of mass over density */
    desc.density = 600;
    desc.gravity[2] = -9.8f;
    desc.penalty_reach = 0.008f; /* twice the radius of a particle */
    desc.weak = (rvi_sph_weak){.radius = 0.01f,
                               .mass = 0.00020543f,
                               .stiffness = 0.5f,
                               .viscosity = 0.2f,
                               .limit = 200,
                               .step = 0.003f};
    return desc;
}

/* ---- Blocks ---- */

rv_status rvi_sph_each_block(rvi_sph *w, void (*fn)(void *arg, int64_t block), void *arg) {
    int64_t blocks = (int64_t)((w->count + RVI_SPH_BLOCK - 1) / RVI_SPH_BLOCK);
    return rvi_parallel(w->ctx, blocks, fn, arg);
}

size_t rvi_sph_block_begin(int64_t block) {
    return (size_t)block * RVI_SPH_BLOCK;
}

size_t rvi_sph_block_end(const rvi_sph *w, int64_t block) {
    size_t end = ((size_t)block + 1) * RVI_SPH_BLOCK;
    return end < w->count ? end : w->count;
}

rv_status rvi_sph_each_piece(rvi_sph *w, void (*fn)(void *arg, int64_t piece), void *arg) {
    int64_t pieces = (int64_t)((w->count + RVI_SPH_PIECE - 1) / RVI_SPH_PIECE);
    return rvi_parallel(w->ctx, pieces, fn, arg);
}

size_t rvi_sph_piece_begin(int64_t piece) {
    return (size_t)piece * RVI_SPH_PIECE;
}

size_t rvi_sph_piece_end(const rvi_sph *w, int64_t piece) {
    size_t end = ((size_t)piece + 1) * RVI_SPH_PIECE;
    return end < w->count ? end : w->count;
}

double rvi_sph_sum(const rvi_sph *w, int number) {
    const double *parts = w->sums[number];
    double sum = 0;
    for (size_t b = 0; b * RVI_SPH_BLOCK < w->count; b++)
        sum += parts[b];
    return sum;
}

double rvi_sph_max(const rvi_sph *w, int number) {
    const double *parts = w->sums[number];
    double most = parts[0];
    for (size_t b = 1; b * RVI_SPH_BLOCK < w->count; b++)
        most = parts[b] > most ? parts[b] : most;
    return most;
}

/* ---- Creation ---- */

static rv_status check_desc(rv_context *ctx, const rvi_sph_desc *d) {
    for (int i = 0; i < 3; i++) {
        double size = d->high[i] - d->low[i];
        if (!(size >= 4 * (double)d->spacing && size < 1e5 * (double)d->spacing))
            return rvi_fail(
                ctx, RV_ERROR_USAGE,
                "A box of water has sides of 4 to 100000 spacings; here a side is %g m long and "
                "the spacing %g m.",
                size, (double)d->spacing);
    }
    if (!(d->spacing > 0) || d->most == 0 || d->most > (size_t)1 << 28)
        return rvi_fail(ctx, RV_ERROR_USAGE,
                        "Water needs 1 to 2^28 particles and a spacing above 0 m.");
    return RV_OK;
}

/* The kernel's sum over a cubic lattice at rest is made 1; and so is the sum over the half of it
 * above a wall, together with the density of the rock. */
static void choose_kernel(rvi_sph *w) {
    double h = (double)w->radius / (double)w->desc.spacing, sum = 0, below = 0;
    double gradient = 0, virial = 0;
    int reach = (int)h + 1;
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double q = sqrt((double)(x * x + y * y + z * z)) / h, u = q < 1 ? 1 - q : 0;
                double value = u * u * u * u * (1 + 4 * q);
                sum += value;
                below += z < 0 ? value : 0;
                gradient += z < 0 ? 20 * u * u * u * -z / (h * h) : 0;
                virial += 20 * u * u * u * z * z / (h * h);
            }
    double s = (double)w->desc.spacing, norm = 1 / (sum * s * s * s), r = (double)w->radius;
    w->volume = (float)(s * s * s);
    w->kernel_norm = (float)norm;
    w->kernel_gradient = (float)(-20 * norm / (r * r));
    /* u^3 (1-u) is largest at u = 3/4; the integers have 15 bits and a sign. */
    w->quantum = w->volume * -w->kernel_gradient * w->radius * (27.0f / 256) / 32700;
    w->missing_density = (float)(below / sum);
    w->wall_reach = (float)(s * (0.5 + 3 * below / (2 * gradient)));
    w->rest_virial = (float)(virial / sum);
}

static void choose_cells(rvi_sph *w) {
    for (w->cell_size = w->radius * 1.0001f;; w->cell_size *= 1.1f) {
        double cells = 1;
        for (int i = 0; i < 3; i++)
            cells *= (double)w->size[i] / (double)w->cell_size + 1;
        if (cells <= MOST_CELLS)
            break;
    }
    for (int i = 0; i < 3; i++)
        w->cells[i] = (int)(w->size[i] / w->cell_size) + 1;
}

static bool make_particles(rvi_sph *w, rvi_sph_particles *p) {
    const char *what = "particles of water";
    size_t whole = w->capacity + RVI_SPH_SLICE;
    p->places = rvi_alloc(w->ctx, whole, sizeof *p->places, what);
    p->speeds = rvi_alloc(w->ctx, whole, sizeof *p->speeds, what);
    bool weak = w->desc.solver == RVI_SPH_WEAK;
    p->half_kicks = weak ? rvi_alloc(w->ctx, whole, sizeof *p->half_kicks, what) : NULL;
    p->velocity_k = rvi_alloc(w->ctx, whole, sizeof *p->velocity_k, what);
    p->displacement_k = rvi_alloc(w->ctx, whole, sizeof *p->displacement_k, what);
    p->ages = rvi_alloc(w->ctx, whole, sizeof *p->ages, what);
    p->sediments = rvi_alloc(w->ctx, whole, sizeof *p->sediments, what);
    p->numbers = rvi_alloc(w->ctx, whole, sizeof *p->numbers, what);
    return p->places != NULL && p->speeds != NULL && (!weak || p->half_kicks != NULL) &&
           p->velocity_k != NULL && p->displacement_k != NULL && p->ages != NULL &&
           p->sediments != NULL && p->numbers != NULL;
}

static bool make_arrays(rvi_sph *w) {
    const char *what = "a step of the water";
    bool weak = w->desc.solver == RVI_SPH_WEAK;
    size_t cells = (size_t)w->cells[0] * (size_t)w->cells[1] * (size_t)w->cells[2];
    size_t whole = w->capacity + RVI_SPH_SLICE, blocks = rvi_sph_most_blocks(w);
    rvi_v4 **fours[] = {&w->shift,
                        &w->predicted,
                        &w->acceleration,
                        &w->wall_density,
                        &w->wall_acceleration,
                        &w->loads,
                        weak ? &w->weak_places : &w->projected,
                        weak ? &w->weak_speeds : NULL};
    float **ones[] = {&w->k,        &w->direction, &w->clearance,       &w->density,  &w->x,
                      &w->y,        &w->z,         &w->diagonal,        &w->residual, &w->ap,
                      &w->pressure, &w->virial,    &w->inverse_diagonal};
    uint32_t **numbers[] = {&w->cell_of,         &w->order,        &w->home_cell,
                            &w->neighbour_count, &w->column_count, &w->nearest_face};
    bool made = true;
    for (size_t i = 0; i < sizeof fours / sizeof fours[0] && fours[i] != NULL; i++)
        made &= (*fours[i] = rvi_alloc(w->ctx, whole, sizeof **fours[i], what)) != NULL;
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++)
        made &= (*ones[i] = rvi_alloc(w->ctx, whole, sizeof **ones[i], what)) != NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        made &= (*numbers[i] = rvi_alloc(w->ctx, whole, sizeof **numbers[i], what)) != NULL;
    made &= (w->cell_start = rvi_alloc(w->ctx, cells + 1, sizeof *w->cell_start, what)) != NULL;
    made &= (w->column_start = rvi_alloc(w->ctx, whole / RVI_SPH_SLICE + 1, sizeof *w->column_start,
                                         what)) != NULL;
    made &= (w->leaves = rvi_alloc(w->ctx, whole, sizeof *w->leaves, what)) != NULL;
    w->counts = rvi_alloc(w->ctx, whole / RVI_SPH_PIECE + 1, 2 * sizeof *w->counts, what);
    made &= w->counts != NULL;
    w->sums[0] = rvi_alloc(w->ctx, RVI_SPH_SUMS * blocks, sizeof *w->sums[0], what);
    made &= w->sums[0] != NULL;
    for (size_t i = 1; i < RVI_SPH_SUMS && made; i++)
        w->sums[i] = w->sums[0] + i * blocks;
    return made && rvi_sph_resize_lists(w, w->stride) == RV_OK;
}

/* The widest vector unit of this machine. */
static const rvi_sph_passes *choose_passes(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return &rvi_sph_passes_16;
    if (__builtin_cpu_supports("avx2"))
        return &rvi_sph_passes_8;
#endif
    return &rvi_sph_passes_4;
}

void rvi_sph_limit_lanes(rvi_sph *w, int lanes) {
#if defined(__x86_64__)
    if (lanes >= 8 && lanes < w->passes->lanes)
        w->passes = &rvi_sph_passes_8;
#endif
    if (lanes < w->passes->lanes)
        w->passes = &rvi_sph_passes_4;
}

const rvi_sph_passes *rvi_sph_get_passes(const rvi_sph *w) {
    return w->passes;
}

void rvi_sph_set_passes(rvi_sph *w, const rvi_sph_passes *passes) {
    w->passes = passes;
}

/* What the functions of sph_particle.h need. */
static void make_rules(rvi_sph *w) {
    const rvi_sph_desc *d = &w->desc;
    rvi_sph_rules *r = &w->rules;
    *r = (rvi_sph_rules){.cell_size = w->cell_size,
                         .radius = w->radius,
                         .spacing = d->spacing,
                         .stop = RVI_SPH_STOP * d->spacing,
                         .kernel_volume = w->volume * w->kernel_norm,
                         .quantum = w->quantum,
                         .density = d->density,
                         .missing_density = w->missing_density,
                         .rest_virial = w->rest_virial,
                         .friction = d->friction * w->friction_rate,
                         .wall_reach = w->wall_reach,
                         .penalty_walls = d->wall == RVI_SPH_PENALTY,
                         .penalty = {d->penalty[0], d->penalty[1]},
                         .penalty_reach = d->penalty_reach};
    for (int i = 0; i < 3; i++) { /* particles at an open side leave */
        r->size[i] = w->size[i];
        r->low[i] = d->open[i][0] ? 0.0f : r->stop;
        r->high[i] = w->size[i] - (d->open[i][1] ? 0.0f : r->stop);
        r->open[i][0] = d->open[i][0];
        r->open[i][1] = d->open[i][1];
        r->gravity[i] = d->gravity[i];
        r->cells[i] = w->cells[i];
    }
}

static void set_up(rvi_sph *w) {
    const rvi_sph_desc *d = &w->desc;
    float g = rvi_length3f(d->gravity);
    for (int i = 0; i < 3; i++)
        w->size[i] = (float)(d->high[i] - d->low[i]);
    w->radius = d->solver == RVI_SPH_WEAK ? d->weak.radius : 2 * d->spacing;
    w->viscosity = d->viscosity + d->smoothing * d->spacing * sqrtf(g * d->spacing);
    w->friction_rate = sqrtf(g / d->spacing);
    w->step = d->solver == RVI_SPH_WEAK
                  ? d->weak.step
                  : RVI_SPH_LONGEST_STEP * sqrtf(d->spacing / (g > 0 ? g : 9.81f));
    w->capacity = d->most;
    w->stride = FIRST_STRIDE;
    w->passes = choose_passes();
    choose_kernel(w);
    choose_cells(w);
    make_rules(w);
}

rv_status rvi_sph_create(rv_context *ctx, const rvi_sph_desc *desc, const rv_mesh *rock,
                         rvi_sph **out) {
    *out = NULL;
    rv_status status = check_desc(ctx, desc);
    if (status != RV_OK)
        return status;
    rvi_sph *w = rvi_alloc(ctx, 1, sizeof *w, "the water");
    if (w == NULL)
        return RV_ERROR_MEMORY;
    w->ctx = ctx;
    w->desc = *desc;
    w->rock.ctx = ctx;
    set_up(w);
    float reach = rvi_maxf(0.9f * desc->spacing,
                           desc->wall == RVI_SPH_PENALTY ? desc->penalty_reach : w->wall_reach);
    status = rvi_wall_index_create(ctx, rock, desc->low, w->size, reach, &w->rock);
    if (status == RV_OK &&
        !(make_particles(w, &w->particles) && make_particles(w, &w->next) && make_arrays(w)))
        status = RV_ERROR_MEMORY;
    if (status != RV_OK) {
        rvi_sph_destroy(w);
        return status;
    }
    *out = w;
    return RV_OK;
}

static size_t add_arrays(void *const *from, size_t count, void **to, size_t at) {
    for (size_t i = 0; i < count; i++)
        to[at++] = from[i];
    return at;
}

static size_t add_particles(const rvi_sph_particles *p, void **to, size_t at) {
    void *const all[] = {p->places,         p->half_kicks, p->speeds,    p->velocity_k,
                         p->displacement_k, p->ages,       p->sediments, p->numbers};
    return add_arrays(all, sizeof all / sizeof all[0], to, at);
}

size_t rvi_sph_arrays(const rvi_sph *w, void *out[RVI_SPH_ARRAYS]) {
    void *const all[] = {w->k,
                         w->direction,
                         w->gradients,
                         w->shift,
                         w->predicted,
                         w->acceleration,
                         w->projected,
                         w->wall_density,
                         w->wall_acceleration,
                         w->weak_places,
                         w->weak_speeds,
                         w->loads,
                         w->leaves,
                         w->clearance,
                         w->nearest_face,
                         w->density,
                         w->diagonal,
                         w->pressure,
                         w->cell_start,
                         w->cell_of,
                         w->order,
                         w->home_cell,
                         w->lists,
                         w->neighbour_count,
                         w->columns,
                         w->sources,
                         w->column_count,
                         w->column_start,
                         w->residual,
                         w->ap,
                         w->inverse_diagonal,
                         w->virial,
                         w->x,
                         w->y,
                         w->z,
                         w->counts,
                         w->sums[0]};
    size_t count = add_arrays(all, sizeof all / sizeof all[0], out, 0);
    return add_particles(&w->next, out, add_particles(&w->particles, out, count));
}

void rvi_sph_destroy(rvi_sph *w) {
    if (w == NULL)
        return;
    void *all[RVI_SPH_ARRAYS];
    size_t count = rvi_sph_arrays(w, all);
    for (size_t i = 0; i < count; i++)
        rvi_free(w->ctx, all[i]);
    rvi_sph_device_destroy(w);
    rvi_wall_index_destroy(&w->rock);
    rvi_free(w->ctx, w);
}

/* ---- Particles ---- */

rv_status rvi_sph_append(rvi_sph *w, const float at[3], const float speed[3], double sediment) {
    if (w->count == w->capacity)
        return rvi_fail(w->ctx, RV_ERROR_USAGE,
                        "The water has no room for more than %zu particles.", w->capacity);
    size_t i = w->count++;
    w->particles.places[i] = (rvi_v4){at[0], at[1], at[2], 0};
    w->particles.speeds[i] = (rvi_v4){speed[0], speed[1], speed[2], 0};
    w->particles.velocity_k[i] = w->particles.displacement_k[i] = w->particles.ages[i] = 0;
    if (w->particles.half_kicks != NULL)
        w->particles.half_kicks[i] = (rvi_v4){0};
    w->particles.sediments[i] = sediment;
    w->particles.numbers[i] = w->next_number++;
    rvi_sph_appended(w, i);
    return RV_OK;
}

rv_status rvi_sph_add(rvi_sph *w, const double at[3], const float speed[3], double sediment) {
    float place[3];
    for (int i = 0; i < 3; i++)
        place[i] = (float)(at[i] - w->desc.low[i]);
    if (rvi_sph_in_rock(w, place))
        return rvi_fail(w->ctx, RV_ERROR_USAGE,
                        "The place of a particle (%g, %g, %g) is in the rock or out of the box.",
                        at[0] + w->desc.origin[0], at[1] + w->desc.origin[1],
                        at[2] + w->desc.origin[2]);
    rv_status status = rvi_sph_fetch(w);
    return status == RV_OK ? rvi_sph_append(w, place, speed, sediment) : status;
}

rv_status rvi_sph_fill(rvi_sph *w, const double low[3], const double high[3]) {
    double s = (double)w->desc.spacing;
    int firsts[3], counts[3];
    for (int i = 0; i < 3; i++) {
        double count = (high[i] - low[i]) / s;
        if (!(count >= 0 && count < 1e5))
            return rvi_fail(
                w->ctx, RV_ERROR_USAGE,
                "A block of water with a side of %g m is out of range (0 to 100000 spacings).",
                high[i] - low[i]);
        /* Places out of the box are skipped. */
        double below = (w->desc.low[i] - low[i]) / s - 1, in = (w->desc.high[i] - low[i]) / s + 1;
        firsts[i] = below > 0 ? (int)(below < count ? below : count) : 0;
        counts[i] = (int)((in < count ? in > 0 ? in : 0 : count) + 1e-4);
    }
    bool first = w->count == 0;
    rv_status status = first ? RV_OK : rvi_sph_sort(w);
    const float at_rest[3] = {0};
    for (int z = firsts[2]; z < counts[2] && status == RV_OK; z++)
        for (int y = firsts[1]; y < counts[1] && status == RV_OK; y++)
            for (int x = firsts[0]; x < counts[0] && status == RV_OK; x++) {
                int k[3] = {x, y, z};
                float at[3];
                for (int i = 0; i < 3; i++)
                    at[i] = (float)(low[i] - w->desc.low[i] + (k[i] + 0.5) * s);
                status = rvi_poll(w->ctx);
                if (status == RV_OK && !rvi_sph_in_rock(w, at) &&
                    (first || rvi_sph_is_free(w, at, RVI_SPH_ROOM * w->desc.spacing)))
                    status = rvi_sph_append(w, at, at_rest, 0.0);
            }
    return status;
}

void rvi_sph_on_gone(rvi_sph *w, rvi_sph_gone_fn tell, void *user) {
    w->on_gone = tell;
    w->on_gone_user = user;
}

/* ---- A step ---- */

/* In spacings: water in which a particle would go farther in a step has blown up, and the next
 * steps would take next to no time. */
#define LONGEST_WAY 1e4f

static rv_status check_next(rvi_sph *w, float dt, double bad) {
    if (bad > 0)
        return rvi_fail(w->ctx, RV_ERROR_INTERNAL,
                        "The water is unstable: %.0f of %zu particles would get a place, speed or "
                        "pressure that is not finite, or go %.0f spacings in a step.",
                        bad, w->count, (double)LONGEST_WAY);
    if (!(w->time + (double)dt > w->time))
        return rvi_fail(w->ctx, RV_ERROR_INTERNAL,
                        "The water is unstable: at a speed of %g m/s no time passes in a step.",
                        sqrt((double)w->max_speed2));
    return RV_OK;
}

/* What the next particles are is known; the time passes. */
static rv_status move_on(rvi_sph *w, float dt) {
    float fastest = LONGEST_WAY * w->desc.spacing / dt;
    float fastest2 = rvi_minf(fastest * fastest, FLT_MAX);
    double bad = 0;
    rv_status status =
        w->device != NULL ? rvi_sph_device_move(w, dt) : rvi_sph_move(w, dt, fastest2, &bad);
    if (status == RV_OK && w->device != NULL)
        status = rvi_sph_device_check(w, fastest2, &bad);
    if (status == RV_OK)
        status = check_next(w, dt, bad);
    if (status != RV_OK)
        return status;
    rvi_sph_particles swap = w->particles;
    w->particles = w->next;
    w->next = swap;
    w->time += (double)dt;
    w->step = dt;
    return RV_OK;
}

rv_status rvi_sph_step(rvi_sph *w, float longest) {
    float dt = 0;
    double begun = rvi_now();
    w->device = rvi_sph_choose_device(w);
    bool sorted = w->device != NULL;
    rv_status status = sorted ? rvi_sph_device_sort(w) : rvi_sph_leave_device(w);
    if (status == RV_OK)
        status = rvi_sph_run_sources(w, w->step, &sorted);
    if (status == RV_OK && !sorted)
        status = w->device != NULL ? rvi_sph_device_sort(w) : rvi_sph_sort(w);
    if (status == RV_OK && w->count == 0) {
        w->step = longest;
        w->time += (double)longest;
        return RV_OK;
    }
    double in_cells = rvi_now();
    if (status == RV_OK && w->device != NULL)
        status = rvi_sph_device_walls(w);
    if (status == RV_OK)
        status = w->desc.solver == RVI_SPH_WEAK ? rvi_sph_solve_weak(w, longest, &dt)
                                                : rvi_sph_solve_project(w, longest, &dt);
    double solved = rvi_now();
    if (status == RV_OK)
        status = move_on(w, dt);
    if (status == RV_OK)
        w->times = (rvi_sph_times){
            .sort = in_cells - begun, .pressure = solved - in_cells, .move = rvi_now() - solved};
    return status;
}

rv_status rvi_sph_run(rvi_sph *w, double seconds) {
    double end = w->time + seconds;
    while (end - w->time > 1e-9 * (1 + end)) {
        rv_status status = rvi_sph_step(w, (float)(end - w->time));
        if (status != RV_OK)
            return status;
    }
    return RV_OK;
}

/* ---- Views ---- */

rvi_sph_view rvi_sph_view_of(const rvi_sph *w) {
    return (rvi_sph_view){.count = w->count,
                          .places = w->particles.places,
                          .speeds = w->particles.speeds,
                          .densities = w->density,
                          .pressures = w->pressure,
                          .ages = w->particles.ages,
                          .sediments = w->particles.sediments,
                          .numbers = w->particles.numbers,
                          .volume = w->volume,
                          .time = w->time,
                          .step = w->step,
                          .iterations = {w->iterations[0], w->iterations[1]},
                          .compression = w->compression,
                          .times = w->times};
}

static double mass_of(const rvi_sph *w) {
    return w->desc.solver == RVI_SPH_WEAK ? (double)w->desc.weak.mass
                                          : (double)w->volume * (double)w->desc.density;
}

double rvi_sph_energy(const rvi_sph *w) {
    double sum = 0;
    for (size_t i = 0; i < w->count; i++)
        for (int k = 0; k < 3; k++) {
            double v = (double)w->particles.speeds[i][k];
            sum += 0.5 * v * v - (double)w->desc.gravity[k] * (double)w->particles.places[i][k];
        }
    return mass_of(w) * sum;
}

void rvi_sph_momentum(const rvi_sph *w, double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (size_t i = 0; i < w->count; i++)
            out[k] += (double)w->particles.speeds[i][k];
        out[k] *= mass_of(w);
    }
}

const rvi_sph_desc *rvi_sph_desc_of(const rvi_sph *w) {
    return &w->desc;
}

const rvi_wall_index *rvi_sph_rock(const rvi_sph *w) {
    return &w->rock;
}
