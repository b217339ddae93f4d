/* sph_project.c: pressure that keeps the density (after DFSPH, J. Bender and D. Koschier, 2015).
 *
 * With V the volume of a particle, W the kernel of H. Wendland (1995), l the density of the rock
 * and k = p / (rho f^2) from the pressure p, these are the density f as a share of that at rest,
 * its change at velocities u, and the acceleration by pressure:
 *
 *     f_i   = sum_j V W_ij + l_i
 *     Df(u) = sum_j V (u_i - u_j) . grad W_ij + u_i . grad l_i
 *     a_i   = -sum_j V (k_i + k_j) grad W_ij - k_i grad l_i
 *
 * Two k >= 0 are sought: one for velocities, so that dt Df(v + dt a) = 0 where the water is as
 * dense as at rest; and one for displacements that leave velocities alone, so that f + Df(x) = 1
 * where it would be more (as T. Kugelstadt et al., 2019, do on grids: errors of the density then
 * make no waves).
 *
 * With A k = -dt^2 Df(a(k)) and b = dt Df(v), or with the excess density too, this is A k = b. The
 * map from k to a is minus the transpose of Df, so A is symmetric and positive, and conjugate
 * gradients, preconditioned by the diagonal of A, solve it from the k of the last step among the
 * active particles: those that have a pressure or need one. Then k below 0 become 0, and if that
 * leaves too large a residual, a round with other active particles follows. Jacobi's method, which
 * DFSPH uses, carries pressure one radius per iteration and lets deep water oscillate. The forces
 * of a pair are opposite, so momentum is kept; and pressure at the velocities only takes energy. */
#include "water/sph_state.h"

#include <math.h>

#include "base/math.h"
#include "base/vector.h"

/* Iterations at most: of a round, and of the displacements. */
enum { ROUND = 40, DISPLACEMENT_ITERATIONS = 4 };

/* Share of the excess density that goes by velocities and by displacements, in a step. */
#define VELOCITY_RELAXATION 0.05f
#define DISPLACEMENT_RELAXATION 0.5f
/* A particle with so little less than the density at rest may still come under pressure. */
#define SLACK 1e-3f
/* Conjugate gradients update r . z by differences, which drift away from the vectors: with few
 * particles in contact two iterations are exact, and the rest would be rounding. r . p is measured
 * and in exact numbers the same. A round ends where they differ by more than this share: up to
 * that, the step along p is shorter than twice the best one and brings k nearer to the solution. */
#define DRIFT 0.5
/* Iterations go on while they still move particles in a step by more than that, as a mean in
 * spacings for each unit of tolerance: deep water could sink by parts that are each too small to
 * see. */
#define STILL 3.0

/* ---- Solving ---- */

/* A pass over all particles, on the device of the step if it has one. */
#define EACH(s, pass)                                                                              \
    ((s)->w->device != NULL ? rvi_sph_device_##pass(s)                                             \
                            : rvi_sph_each_block((s)->w, pass##_block, s))
/* One that sums up nothing. */
#define EACH_OWN(s, pass)                                                                          \
    ((s)->w->device != NULL ? rvi_sph_device_##pass(s)                                             \
                            : rvi_sph_each_piece((s)->w, pass##_piece, s))

static void guess_block(void *arg, int64_t block) {
    const rvi_sph_solve *s = arg;
    rvi_sph *w = s->w;
    const float *k = w->particles.velocity_k;
    float scale = rvi_sph_guess_scale(s);
    size_t end = rvi_sph_block_end(w, block);
    for (size_t i = rvi_sph_block_begin(block); i < end; i++)
        w->k[i] = scale * k[i];
}

static void accelerate_piece(void *arg, int64_t piece) {
    const rvi_sph_solve *s = arg;
    rvi_sph *w = s->w;
    w->passes->accelerate(w, s->from, rvi_sph_piece_begin(piece), rvi_sph_piece_end(w, piece));
}

/* The speeds with the pressure of the present k. */
static void project_piece(void *arg, int64_t piece) {
    const rvi_sph_solve *s = arg;
    rvi_sph *w = s->w;
    size_t first = rvi_sph_piece_begin(piece), end = rvi_sph_piece_end(w, piece);
    w->passes->accelerate(w, w->k, first, end);
    for (size_t i = first; i < end; i++)
        w->projected[i] = w->predicted[i] + s->cg.dt * w->acceleration[i];
}

/* The residual of the present k, the active particles of the round, and the first direction. */
static void begin_block(void *arg, int64_t block) {
    const rvi_sph_solve *s = arg;
    rvi_sph *w = s->w;
    w->passes->cg_begin(w, &s->cg, rvi_sph_block_begin(block), rvi_sph_block_end(w, block));
}

/* A p, and the sums from which alpha and beta follow. */
static void apply_block(void *arg, int64_t block) {
    const rvi_sph_solve *s = arg;
    rvi_sph *w = s->w;
    w->passes->cg_apply(w, &s->cg, rvi_sph_block_begin(block), rvi_sph_block_end(w, block));
}

static void update_block(void *arg, int64_t block) {
    const rvi_sph_solve *s = arg;
    rvi_sph *w = s->w;
    w->passes->cg_update(w, &s->cg, rvi_sph_block_begin(block), rvi_sph_block_end(w, block));
}

/* Water does not pull: k is never negative. Sums up the residual that this makes. */
static void clamp_block(void *arg, int64_t block) {
    const rvi_sph_solve *s = arg;
    rvi_sph *w = s->w;
    size_t end = rvi_sph_block_end(w, block);
    double sum = 0;
    for (size_t i = rvi_sph_block_begin(block); i < end; i++) {
        float k = w->k[i];
        sum += k < 0 ? (double)(s->cg.dt * s->cg.dt * w->diagonal[i] * -k) : 0.0;
        w->k[i] = rvi_maxf(k, 0.0f);
    }
    w->sums[RVI_SPH_CLAMPED][block] = sum;
}

/* The velocities are found. Sums up the excess density; so far nothing is displaced. */
static void finish_velocities_block(void *arg, int64_t block) {
    const rvi_sph_solve *s = arg;
    rvi_sph *w = s->w;
    float scale = rvi_sph_guess_scale(s);
    size_t end = rvi_sph_block_end(w, block);
    double excess = 0;
    for (size_t i = rvi_sph_block_begin(block); i < end; i++) {
        float k = w->k[i];
        excess += (double)rvi_maxf(w->density[i] - 1, 0.0f);
        w->predicted[i] = w->projected[i];
        w->shift[i] = (rvi_v4){0};
        w->pressure[i] = k * w->virial[i] * w->desc.density;
        w->next.velocity_k[i] = k;
        w->next.displacement_k[i] = 0;
        w->k[i] = scale * w->particles.displacement_k[i]; /* the guess of displacements */
    }
    w->sums[RVI_SPH_EXCESS][block] = excess;
}

static void finish_displacements_block(void *arg, int64_t block) {
    const rvi_sph_solve *s = arg;
    rvi_sph *w = s->w;
    size_t end = rvi_sph_block_end(w, block);
    float longest = RVI_SPH_LONGEST_SHIFT * w->desc.spacing;
    for (size_t i = rvi_sph_block_begin(block); i < end; i++) {
        rvi_v4 a = w->acceleration[i];
        float shift[3];
        rvi_sph_limit_shift(s->cg.dt, longest, (const float[3]){a[0], a[1], a[2]}, shift);
        w->next.displacement_k[i] = w->k[i];
        w->shift[i] = (rvi_v4){shift[0], shift[1], shift[2], 0};
    }
}

/* One round of conjugate gradients among the active particles. `done`: no other round has to
 * follow, because the others need no pressure and no k was so far below 0 that it mattered. */
static rv_status run_round(rvi_sph_solve *s, int most, int *iterations, bool *done) {
    rvi_sph *w = s->w;
    double r_z = rvi_sph_sum(w, RVI_SPH_R_Z), enough = s->tolerance * (double)w->count;
    double still = STILL * s->tolerance * (double)w->desc.spacing / (double)s->cg.dt;
    double residual = enough + 1, moved = 0, least = still * still * (double)w->count;
    rv_status status = RV_OK;
    for (int n = 0; n < most && r_z > 0 && (residual > enough || moved > least); n++) {
        s->from = w->direction;
        status = EACH_OWN(s, accelerate);
        if (status == RV_OK)
            status = EACH(s, apply);
        double p_ap = rvi_sph_sum(w, RVI_SPH_P_AP), r_p = rvi_sph_sum(w, RVI_SPH_R_P);
        if (status != RV_OK || !(p_ap > 0) || !(fabs(r_p - r_z) <= DRIFT * r_z))
            break;
        double alpha = r_z / p_ap;
        moved = alpha * r_z; /* sum of all changes of velocity, squared */
        double next = r_z - alpha * (2 * rvi_sph_sum(w, RVI_SPH_R_MAP) -
                                     alpha * rvi_sph_sum(w, RVI_SPH_AP_MAP));
        s->cg.alpha = (float)alpha;
        s->cg.beta = (float)(next / r_z);
        r_z = next;
        status = EACH(s, update);
        if (status != RV_OK)
            break;
        residual = rvi_sph_sum(w, RVI_SPH_ACTIVE);
        ++*iterations;
    }
    if (status == RV_OK)
        status = EACH(s, clamp);
    *done = residual + rvi_sph_sum(w, RVI_SPH_INACTIVE) + rvi_sph_sum(w, RVI_SPH_CLAMPED) <=
            1.5 * enough;
    return status;
}

/* Begins with `projected` of the first guess. */
static rv_status solve(rvi_sph_solve *s, int most, int *iterations) {
    rvi_sph *w = s->w;
    rv_status status = RV_OK;
    bool done = false;
    *iterations = 0;
    while (status == RV_OK && !done && *iterations < most) {
        s->cg.threshold = *iterations == 0 ? -SLACK : 0.0f;
        status = EACH(s, begin);
        if (status != RV_OK || rvi_sph_sum(w, RVI_SPH_ACTIVE) <= s->tolerance * (double)w->count)
            break;

        int before = *iterations;
        status = run_round(s, rvi_mini(ROUND, most - before), iterations, &done);
        if (*iterations == before)
            break;
        if (status == RV_OK)
            status = EACH_OWN(s, project);
    }
    return status;
}

/* ---- The step ---- */

/* The fastest particle, accelerated by gravity and tension during the step, goes no farther than
 * the share of the spacing that the Courant number says; nor would one that fell from the top of
 * the water to its bottom: under the pressure of deep water neighbours oscillate at that speed. */
static float choose_step(const rvi_sph *w, float longest) {
    const float *g = w->desc.gravity;
    float v = sqrtf(w->max_speed2), distance = w->desc.courant * w->desc.spacing;
    float a = rvi_length3f(g) + w->desc.tension;
    float dt = 2 * distance / (v + sqrtf(v * v + 4 * a * distance) + 1e-20f);
    if (a > 0)
        dt = rvi_minf(dt, RVI_SPH_LONGEST_STEP * sqrtf(w->desc.spacing / a));
    if (w->potential_range > 0)
        dt = rvi_minf(dt, distance / sqrtf(w->potential_range));
    if (w->viscosity > 0)
        dt = rvi_minf(dt, 0.02f * w->radius * w->radius / w->viscosity);
    /* The last two steps of a run are equally long: a tiny one would need a huge pressure. */
    return dt < longest && longest < 2 * dt ? 0.5f * longest : rvi_minf(dt, longest);
}

/* Displacements are needed only where the velocities have let the water become too dense. */
static rv_status displace(rvi_sph_solve *s) {
    rvi_sph *w = s->w;
    s->displaces = true;
    s->cg.relaxation = DISPLACEMENT_RELAXATION;
    s->tolerance = 10 * s->tolerance;
    w->iterations[1] = 0;
    w->compression = (float)(rvi_sph_sum(w, RVI_SPH_EXCESS) / (double)w->count);
    if ((double)w->compression <= s->tolerance)
        return RV_OK;
    rv_status status = w->device != NULL ? rvi_sph_device_guess(s) : RV_OK;
    if (status == RV_OK)
        status = EACH_OWN(s, project);
    if (status == RV_OK)
        status = solve(s, DISPLACEMENT_ITERATIONS, &w->iterations[1]);
    return status == RV_OK ? EACH(s, finish_displacements) : status;
}

/* Neighbours, and `projected` of the first guess. */
static rv_status list_on_processor(rvi_sph_solve *s) {
    rvi_sph *w = s->w;
    rvi_sph_lister lister = {.w = w,
                             .dt = s->cg.dt,
                             .walls = true,
                             .slice = w->passes->prepare,
                             .piece = project_piece,
                             .arg = s};
    rv_status status = EACH(s, guess);
    return status == RV_OK ? rvi_sph_list_neighbours(&lister) : status;
}

/* The same on the device; where it has no room, the processor does all of this step. */
static rv_status list_on_device(rvi_sph_solve *s) {
    rvi_sph *w = s->w;
    bool listed = false;
    rv_status status = rvi_sph_device_list(w, s->cg.dt, &listed);
    if (status == RV_OK && !listed) {
        w->device = NULL;
        status = rvi_sph_sort(w);
        return status == RV_OK ? list_on_processor(s) : status;
    }
    if (status == RV_OK)
        status = EACH(s, guess);
    return status == RV_OK ? EACH_OWN(s, project) : status;
}

rv_status rvi_sph_solve_project(rvi_sph *w, float longest, float *dt) {
    rvi_sph_solve s = {.w = w,
                       .tolerance = (double)w->desc.tolerance,
                       .cg = {.dt = choose_step(w, longest),
                              .relaxation = VELOCITY_RELAXATION,
                              .r_z = w->sums[RVI_SPH_R_Z],
                              .r_p = w->sums[RVI_SPH_R_P],
                              .p_ap = w->sums[RVI_SPH_P_AP],
                              .r_map = w->sums[RVI_SPH_R_MAP],
                              .ap_map = w->sums[RVI_SPH_AP_MAP],
                              .active = w->sums[RVI_SPH_ACTIVE],
                              .inactive = w->sums[RVI_SPH_INACTIVE]}};
    *dt = s.cg.dt;
    rv_status status = w->device != NULL ? list_on_device(&s) : list_on_processor(&s);
    if (status == RV_OK)
        status = solve(&s, w->desc.iterations, &w->iterations[0]);
    if (status == RV_OK)
        status = EACH(&s, finish_velocities);
    return status == RV_OK ? displace(&s) : status;
}
