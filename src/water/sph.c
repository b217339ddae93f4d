/* sph.c: water as particles: making it, and the order of a step. */
#include "water/sph_state.h"

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

rv_status rvi_sph_each(rvi_sph *w, void (*fn)(void *arg, int64_t block), void *arg) {
    int64_t blocks = (int64_t)((w->count + RVI_SPH_BLOCK - 1) / RVI_SPH_BLOCK);
    return rvi_parallel(w->ctx, blocks, fn, arg);
}

size_t rvi_sph_begin(int64_t block) {
    return (size_t)block * RVI_SPH_BLOCK;
}

size_t rvi_sph_end(const rvi_sph *w, int64_t block) {
    size_t end = ((size_t)block + 1) * RVI_SPH_BLOCK;
    return end < w->count ? end : w->count;
}

double rvi_sph_sum(const rvi_sph *w, int number) {
    const double *parts = w->sums[number];
    double sum = 0;
    for (size_t b = 0; b * RVI_SPH_BLOCK < w->count; b++)
        sum += parts[b];
    return sum;
}

double rvi_sph_most(const rvi_sph *w, int number) {
    const double *parts = w->sums[number];
    double most = parts[0];
    for (size_t b = 1; b * RVI_SPH_BLOCK < w->count; b++)
        most = parts[b] > most ? parts[b] : most;
    return most;
}

/* ---- Making ---- */

static rv_status check_desc(rv_context *ctx, const rvi_sph_desc *d) {
    for (int i = 0; i < 3; i++) {
        double size = d->high[i] - d->low[i];
        if (!(size >= 4 * (double)d->spacing && size < 1e5 * (double)d->spacing))
            return rvi_fail(ctx, RV_ERROR_USAGE,
                            "A box of water has sides of 4 to 100000 spacings, not %g of %g m.",
                            size, (double)d->spacing);
    }
    if (!(d->spacing > 0) || d->most == 0 || d->most > (size_t)1 << 28)
        return rvi_fail(ctx, RV_ERROR_USAGE, "Water has 1 to 2^28 particles some way apart.");
    return RV_OK;
}

/* The kernel's sum over a cubic lattice at rest is made 1; and so is that of the half of it above a
 * wall, with what is behind. */
static void choose_kernel(rvi_sph *w) {
    double h = (double)w->radius / (double)w->desc.spacing, sum = 0, below = 0, pull = 0,
           moment = 0;
    int reach = (int)h + 1;
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                double q = sqrt((double)(x * x + y * y + z * z)) / h, u = q < 1 ? 1 - q : 0;
                double value = u * u * u * u * (1 + 4 * q);
                sum += value;
                below += z < 0 ? value : 0;
                pull += z < 0 ? 20 * u * u * u * -z / (h * h) : 0;
                moment += 20 * u * u * u * z * z / (h * h);
            }
    double s = (double)w->desc.spacing, norm = 1 / (sum * s * s * s), r = (double)w->radius;
    w->volume = (float)(s * s * s);
    w->norm = (float)norm;
    w->steep = (float)(-20 * norm / (r * r));
    /* u^3 (1-u) is largest at 3/4; the numbers have 15 bits and a sign. */
    w->grain = w->volume * -w->steep * w->radius * (27.0f / 256) / 32700;
    w->missing = (float)(below / sum);
    w->skin = (float)(s * (0.5 + 3 * below / (2 * pull)));
    w->moment = (float)(moment / sum);
}

static void choose_cells(rvi_sph *w) {
    for (w->cell = w->radius * 1.0001f;; w->cell *= 1.1f) {
        double cells = 1;
        for (int i = 0; i < 3; i++)
            cells *= (double)w->size[i] / (double)w->cell + 1;
        if (cells <= MOST_CELLS)
            break;
    }
    for (int i = 0; i < 3; i++)
        w->cells[i] = (int)(w->size[i] / w->cell) + 1;
}

static bool make_drops(rvi_sph *w, rvi_drops *d) {
    const char *what = "particles of water";
    size_t whole = w->room + RVI_SPH_SLICE;
    d->places = rvi_alloc(w->ctx, whole, sizeof *d->places, what);
    d->speeds = rvi_alloc(w->ctx, whole, sizeof *d->speeds, what);
    bool weak = w->desc.solver == RVI_SPH_WEAK;
    d->halves = weak ? rvi_alloc(w->ctx, whole, sizeof *d->halves, what) : NULL;
    d->pressures = rvi_alloc(w->ctx, w->room, sizeof *d->pressures, what);
    d->pushes = rvi_alloc(w->ctx, w->room, sizeof *d->pushes, what);
    d->ages = rvi_alloc(w->ctx, w->room, sizeof *d->ages, what);
    d->sediments = rvi_alloc(w->ctx, w->room, sizeof *d->sediments, what);
    d->numbers = rvi_alloc(w->ctx, w->room, sizeof *d->numbers, what);
    return d->places != NULL && d->speeds != NULL && (!weak || d->halves != NULL) &&
           d->pressures != NULL && d->pushes != NULL && d->ages != NULL && d->sediments != NULL &&
           d->numbers != NULL;
}

static bool make_arrays(rvi_sph *w) {
    const char *what = "a step of the water";
    size_t cells = (size_t)w->cells[0] * (size_t)w->cells[1] * (size_t)w->cells[2];
    size_t whole = w->room + RVI_SPH_SLICE, blocks = w->room / RVI_SPH_BLOCK + 1;
    rvi_v4 **fours[] = {&w->calm, &w->wish, &w->pull, &w->flow, &w->wall, &w->shove};
    float **ones[] = {&w->k,     &w->way,  &w->far,  &w->fill,    &w->x,      &w->y,   &w->z,
                      &w->stiff, &w->left, &w->ease, &w->pascals, &w->virial, &w->does};
    uint32_t **numbers[] = {&w->cell_of,    &w->order,        &w->home,
                            &w->near_count, &w->column_count, &w->beside};
    bool made = true;
    for (size_t i = 0; i < sizeof fours / sizeof fours[0]; i++)
        made &= (*fours[i] = rvi_alloc(w->ctx, whole, sizeof **fours[i], what)) != NULL;
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++)
        made &= (*ones[i] = rvi_alloc(w->ctx, whole, sizeof **ones[i], what)) != NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        made &= (*numbers[i] = rvi_alloc(w->ctx, whole, sizeof **numbers[i], what)) != NULL;
    made &= (w->starts = rvi_alloc(w->ctx, cells + 1, sizeof *w->starts, what)) != NULL;
    made &= (w->column_start = rvi_alloc(w->ctx, whole / RVI_SPH_SLICE + 1, sizeof *w->column_start,
                                         what)) != NULL;
    for (size_t i = 0; i < RVI_SPH_SUMS; i++)
        made &= (w->sums[i] = rvi_alloc(w->ctx, blocks, sizeof *w->sums[i], what)) != NULL;
    return made && rvi_sph_widen(w, w->stride) == RV_OK;
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

void rvi_sph_narrow(rvi_sph *w, int lanes) {
#if defined(__x86_64__)
    if (lanes >= 8 && lanes < w->passes->lanes)
        w->passes = &rvi_sph_passes_8;
#endif
    if (lanes < w->passes->lanes)
        w->passes = &rvi_sph_passes_4;
}

static void set_up(rvi_sph *w) {
    const rvi_sph_desc *d = &w->desc;
    float g = rvi_length3f(d->gravity);
    for (int i = 0; i < 3; i++)
        w->size[i] = (float)(d->high[i] - d->low[i]);
    w->radius = d->solver == RVI_SPH_WEAK ? d->weak.radius : 2 * d->spacing;
    w->viscosity = d->viscosity + d->smoothing * d->spacing * sqrtf(g * d->spacing);
    w->rub = sqrtf(g / d->spacing);
    w->room = d->most;
    w->stride = FIRST_STRIDE;
    w->passes = choose_passes();
    choose_kernel(w);
    choose_cells(w);
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
                           desc->wall == RVI_SPH_PENALTY ? desc->penalty_reach : w->skin);
    status = rvi_wall_index_create(ctx, rock, desc->low, w->size, reach, &w->rock);
    if (status == RV_OK &&
        !(make_drops(w, &w->drops) && make_drops(w, &w->other) && make_arrays(w)))
        status = RV_ERROR_MEMORY;
    if (status != RV_OK) {
        rvi_sph_destroy(w);
        return status;
    }
    *out = w;
    return RV_OK;
}

static void free_drops(rv_context *ctx, rvi_drops *d) {
    void *all[] = {d->places, d->halves, d->speeds,    d->pressures,
                   d->pushes, d->ages,   d->sediments, d->numbers};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rvi_free(ctx, all[i]);
}

void rvi_sph_destroy(rvi_sph *w) {
    if (w == NULL)
        return;
    void *all[] = {w->k,
                   w->way,
                   w->slopes,
                   w->calm,
                   w->wish,
                   w->pull,
                   w->flow,
                   w->wall,
                   w->shove,
                   w->far,
                   w->beside,
                   w->fill,
                   w->stiff,
                   w->pascals,
                   w->starts,
                   w->cell_of,
                   w->order,
                   w->home,
                   w->near,
                   w->near_count,
                   w->columns,
                   w->springs,
                   w->column_count,
                   w->column_start,
                   w->left,
                   w->does,
                   w->ease,
                   w->virial,
                   w->x,
                   w->y,
                   w->z};
    for (size_t i = 0; i < RVI_SPH_SUMS; i++)
        rvi_free(w->ctx, w->sums[i]);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rvi_free(w->ctx, all[i]);
    free_drops(w->ctx, &w->drops);
    free_drops(w->ctx, &w->other);
    rvi_wall_index_destroy(&w->rock);
    rvi_free(w->ctx, w);
}

/* ---- Particles ---- */

rv_status rvi_sph_place(rvi_sph *w, const float at[3], const float speed[3], double sediment) {
    if (w->count == w->room)
        return rvi_fail(w->ctx, RV_ERROR_USAGE, "There is no room for more than %zu particles.",
                        w->room);
    size_t i = w->count++;
    w->drops.places[i] = (rvi_v4){at[0], at[1], at[2], 0};
    w->drops.speeds[i] = (rvi_v4){speed[0], speed[1], speed[2], 0};
    w->drops.pressures[i] = w->drops.pushes[i] = w->drops.ages[i] = 0;
    if (w->drops.halves != NULL)
        w->drops.halves[i] = (rvi_v4){0};
    w->drops.sediments[i] = sediment;
    w->drops.numbers[i] = w->born++;
    return RV_OK;
}

rv_status rvi_sph_add(rvi_sph *w, const double at[3], const float speed[3], double sediment) {
    float place[3];
    for (int i = 0; i < 3; i++)
        place[i] = (float)(at[i] - w->desc.low[i]);
    if (rvi_sph_in_rock(w, place))
        return rvi_fail(w->ctx, RV_ERROR_USAGE,
                        "A particle at (%g, %g, %g) is in the rock or not in the box.", at[0],
                        at[1], at[2]);
    return rvi_sph_place(w, place, speed, sediment);
}

rv_status rvi_sph_fill(rvi_sph *w, const double low[3], const double high[3]) {
    double s = (double)w->desc.spacing;
    int firsts[3], counts[3];
    for (int i = 0; i < 3; i++) {
        double count = (high[i] - low[i]) / s;
        if (!(count >= 0 && count < 1e5))
            return rvi_fail(w->ctx, RV_ERROR_USAGE, "A block of water of %g m cannot be made.",
                            high[i] - low[i]);
        /* What lies out of the box is not even looked at. */
        double below = (w->desc.low[i] - low[i]) / s - 1, in = (w->desc.high[i] - low[i]) / s + 1;
        firsts[i] = below > 0 ? (int)(below < count ? below : count) : 0;
        counts[i] = (int)((in < count ? in > 0 ? in : 0 : count) + 1e-4);
    }
    bool first = w->count == 0;
    rv_status status = first ? RV_OK : rvi_sph_sort(w);
    const float still[3] = {0};
    for (int z = firsts[2]; z < counts[2] && status == RV_OK; z++)
        for (int y = firsts[1]; y < counts[1] && status == RV_OK; y++)
            for (int x = firsts[0]; x < counts[0] && status == RV_OK; x++) {
                int k[3] = {x, y, z};
                float at[3];
                for (int i = 0; i < 3; i++)
                    at[i] = (float)(low[i] - w->desc.low[i] + (k[i] + 0.5) * s);
                status = rvi_poll(w->ctx);
                if (status == RV_OK && !rvi_sph_in_rock(w, at) &&
                    (first || rvi_sph_free_at(w, at, RVI_SPH_ROOM * w->desc.spacing)))
                    status = rvi_sph_place(w, at, still, 0.0);
            }
    return status;
}

void rvi_sph_on_gone(rvi_sph *w, rvi_sph_gone_fn tell, void *user) {
    w->tell = tell;
    w->user = user;
}

/* ---- A step ---- */

rv_status rvi_sph_step(rvi_sph *w, float longest) {
    bool changed = false;
    float dt = 0;
    double begun = rvi_now();
    rv_status status = rvi_sph_sort(w);
    if (status == RV_OK)
        status = rvi_sph_pour(w, w->step > 0 ? w->step : 1e-3f, &changed);
    if (status == RV_OK && changed)
        status = rvi_sph_sort(w);
    if (status == RV_OK && w->count == 0) {
        w->step = longest;
        w->time += (double)longest;
        return RV_OK;
    }
    double sorted = rvi_now();
    if (status == RV_OK)
        status = rvi_sph_meet_walls(w);
    double met = rvi_now();
    if (status == RV_OK)
        status = w->desc.solver == RVI_SPH_WEAK ? rvi_sph_weaken(w, longest, &dt)
                                                : rvi_sph_project(w, longest, &dt);
    double pressed = rvi_now();
    if (status == RV_OK)
        status = rvi_sph_move(w, dt);
    if (status == RV_OK && w->desc.solver == RVI_SPH_WEAK)
        status = rvi_sph_weaken_end(w);
    if (status != RV_OK)
        return status;
    w->took[RVI_SPH_SORTING] = sorted - begun;
    w->took[RVI_SPH_PRESSING] = pressed - met;
    w->took[RVI_SPH_MOVING] = met - sorted + rvi_now() - pressed;
    rvi_drops swap = w->drops;
    w->drops = w->other;
    w->other = swap;
    w->time += (double)dt;
    w->step = dt;
    return RV_OK;
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

/* ---- Looking ---- */

rvi_sph_view rvi_sph_look(const rvi_sph *w) {
    return (rvi_sph_view){.count = w->count,
                          .places = w->drops.places,
                          .speeds = w->drops.speeds,
                          .densities = w->fill,
                          .pressures = w->pascals,
                          .ages = w->drops.ages,
                          .sediments = w->drops.sediments,
                          .numbers = w->drops.numbers,
                          .time = w->time,
                          .step = w->step,
                          .iterations = {w->iterations[0], w->iterations[1]},
                          .compression = w->compression};
}

static double mass_of(const rvi_sph *w) {
    return w->desc.solver == RVI_SPH_WEAK ? (double)w->desc.weak.mass
                                          : (double)w->volume * (double)w->desc.density;
}

double rvi_sph_energy(const rvi_sph *w) {
    double sum = 0;
    for (size_t i = 0; i < w->count; i++)
        for (int k = 0; k < 3; k++) {
            double v = (double)w->drops.speeds[i][k];
            sum += 0.5 * v * v - (double)w->desc.gravity[k] * (double)w->drops.places[i][k];
        }
    return mass_of(w) * sum;
}

void rvi_sph_momentum(const rvi_sph *w, double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (size_t i = 0; i < w->count; i++)
            out[k] += (double)w->drops.speeds[i][k];
        out[k] *= mass_of(w);
    }
}

const rvi_wall_index *rvi_sph_rock(const rvi_sph *w) {
    return &w->rock;
}
