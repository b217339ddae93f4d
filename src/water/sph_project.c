/* sph_project.c: pressure that keeps the density (after DFSPH, J. Bender and D. Koschier, 2015).
 *
 * With V the volume of a particle, W the kernel of H. Wendland (1995), l the density of the rock
 * and k = p / (rho f^2) from the pressure p, these are the density as a share, its change at
 * velocities u, and the pull of pressure:
 *
 *     f_i   = sum_j V W_ij + l_i
 *     Df(u) = sum_j V (u_i - u_j) . grad W_ij + u_i . grad l_i
 *     a_i   = -sum_j V (k_i + k_j) grad W_ij - k_i grad l_i
 *
 * Twice a k >= 0 is sought: for velocities, so that dt Df(v + dt a) = 0 where the water is as dense
 * as at rest; and for displacements that leave velocities alone, so that f + Df(x) = 1 where it
 * would be more (as T. Kugelstadt et al., 2019, do on grids: density errors then make no waves).
 *
 * The a of k is the transpose of Df, so the equations are symmetric: conjugate gradients solve them
 * among the particles that have a pressure or need one, from the k of the last step. Then k below 0
 * are cut off, and if that left too much, a round with others follows. Jacobi's method, which DFSPH
 * uses, carries pressure one radius an iteration and lets deep water swing. Pairs pull each other
 * alike, so momentum is kept; and pressure at the velocities takes energy only. */
#include "water/sph_state.h"

#include "base/math.h"
#include "base/vector.h"

enum { ROUND = 40, ROUGHLY = 4 }; /* iterations: of a round, of the density */

/* How much of a density that is too high goes by velocities and by displacement. */
#define RESTORE 0.05f
#define CORRECT 0.5f
/* So little below the density at rest a particle may still come under pressure. */
#define SLACK 1e-3f
/* What a sum of floats may be wrong by, as a share. */
#define ROUNDING 1e-6
/* No displacement is longer, in spacings. */
#define FARTHEST 0.2f
/* How far from right a particle may still go in a step, as a mean and in spacings, for each part of
 * the density that may be left: deep water could sink by parts that are each too small to see. */
#define STILL 3.0
/* The longest step, in sqrt(spacing / acceleration). */
#define LONGEST 0.1f

/* What `sums` are. */
enum { PRODUCT, REST, OTHERS, MIXED, OWN };

typedef struct pass {
    rvi_sph *w;
    bool density;      /* displacements, else velocities */
    double enough;     /* mean of what may be left */
    const float *from; /* the k that pulls */
    rvi_sph_round round;
} pass;

/* ---- Solving ---- */

/* The k of the last step are the first guess: less of them after a shorter step, whose pressure may
 * have been a huge one. */
static void guess_block(void *arg, int64_t block) {
    const pass *p = arg;
    rvi_sph *w = p->w;
    const float *k = p->density ? w->drops.pushes : w->drops.pressures;
    float ratio = w->step / p->round.dt, keep = rvi_minf(ratio * ratio, 1.0f);
    size_t end = rvi_sph_end(w, block);
    for (size_t i = rvi_sph_begin(block); i < end; i++)
        w->k[i] = keep * k[i];
}

static void pull_block(void *arg, int64_t block) {
    const pass *p = arg;
    p->w->passes->pull(p->w, p->from, rvi_sph_begin(block), rvi_sph_end(p->w, block));
}

/* Where all goes with the k of now. */
static void flow_block(void *arg, int64_t block) {
    const pass *p = arg;
    rvi_sph *w = p->w;
    size_t first = rvi_sph_begin(block), end = rvi_sph_end(w, block);
    w->passes->pull(w, w->k, first, end);
    for (size_t i = first; i < end; i++)
        w->flow[i] = w->wish[i] + p->round.dt * w->pull[i];
}

/* What is left with the k of now; who has a say in the round that begins; the first direction. */
static void round_block(void *arg, int64_t block) {
    const pass *p = arg;
    p->w->passes->begin_round(p->w, &p->round, rvi_sph_begin(block), rvi_sph_end(p->w, block));
}

/* What the direction does: how far it leads and what the next one is follow from the sums. */
static void try_block(void *arg, int64_t block) {
    const pass *p = arg;
    p->w->passes->try_way(p->w, &p->round, rvi_sph_begin(block), rvi_sph_end(p->w, block));
}

static void go_block(void *arg, int64_t block) {
    const pass *p = arg;
    p->w->passes->go_way(p->w, &p->round, rvi_sph_begin(block), rvi_sph_end(p->w, block));
}

/* Water does not pull: k is never negative. Counts what that undoes. */
static void clamp_block(void *arg, int64_t block) {
    const pass *p = arg;
    rvi_sph *w = p->w;
    size_t end = rvi_sph_end(w, block);
    double cut = 0;
    for (size_t i = rvi_sph_begin(block); i < end; i++) {
        float k = w->k[i];
        cut += k < 0 ? (double)(p->round.dt * p->round.dt * w->stiff[i] * -k) : 0.0;
        w->k[i] = rvi_maxf(k, 0.0f);
    }
    w->sums[PRODUCT][block] = cut;
}

/* Velocities are done: what the density lacks is counted, and nobody is displaced so far. */
static void finish_velocities(void *arg, int64_t block) {
    rvi_sph *w = ((pass *)arg)->w;
    size_t end = rvi_sph_end(w, block);
    double over = 0;
    for (size_t i = rvi_sph_begin(block); i < end; i++) {
        float k = w->k[i];
        over += (double)rvi_maxf(w->fill[i] - 1, 0.0f);
        w->wish[i] = w->flow[i];
        w->calm[i] = (rvi_v4){0};
        w->pascals[i] = k * w->virial[i] * w->desc.density;
        w->other.pressures[i] = k;
        w->other.pushes[i] = 0;
    }
    w->sums[PRODUCT][block] = over;
}

static void finish_displacements(void *arg, int64_t block) {
    const pass *p = arg;
    rvi_sph *w = p->w;
    size_t end = rvi_sph_end(w, block);
    float most = FARTHEST * w->desc.spacing;
    for (size_t i = rvi_sph_begin(block); i < end; i++) {
        rvi_v4 by = p->round.dt * w->pull[i];
        float size = p->round.dt * sqrtf((by[0] * by[0] + by[1] * by[1]) + by[2] * by[2]);
        w->other.pushes[i] = w->k[i];
        w->calm[i] = size > most ? most / size * by : by;
    }
}

/* Some conjugate gradients among those who have a say. `done` when nothing more has to follow: the
 * others do not need a say now, and no k was below 0 that mattered. */
static rv_status run_round(pass *p, int most, int *iterations, bool *done) {
    rvi_sph *w = p->w;
    double product = rvi_sph_sum(w, PRODUCT), enough = p->enough * (double)w->count;
    double still = STILL * p->enough * (double)w->desc.spacing / (double)p->round.dt;
    double rest = enough + 1, moved = 0, least = still * still * (double)w->count;
    rv_status status = RV_OK;
    for (int n = 0; n < most && product > 0 && (rest > enough || moved > least); n++) {
        p->from = w->way;
        status = rvi_sph_each(w, pull_block, p);
        if (status == RV_OK)
            status = rvi_sph_each(w, try_block, p);
        double does = rvi_sph_sum(w, PRODUCT);
        if (status != RV_OK || !(does > 0))
            break;
        double far = product / does;
        moved = far * product; /* all changes of velocity, squared */
        double next = product - far * (2 * rvi_sph_sum(w, MIXED) - far * rvi_sph_sum(w, OWN));
        /* A difference of sums of floats: below that it is rounding, and a way made of it leads
         * anywhere. Few particles are right at once. */
        next = next > ROUNDING * product ? next : 0;
        p->round.far = (float)far;
        p->round.keep = (float)(next / product);
        product = next;
        status = rvi_sph_each(w, go_block, p);
        if (status != RV_OK)
            break;
        rest = rvi_sph_sum(w, REST);
        ++*iterations;
    }
    if (status == RV_OK)
        status = rvi_sph_each(w, clamp_block, p);
    *done = rest + rvi_sph_sum(w, OTHERS) + rvi_sph_sum(w, PRODUCT) <= 1.5 * enough;
    return status;
}

/* From the flow of the first guess. */
static rv_status solve(pass *p, int most, int *iterations) {
    rvi_sph *w = p->w;
    rv_status status = RV_OK;
    bool done = false;
    *iterations = 0;
    while (status == RV_OK && !done && *iterations < most) {
        p->round.slack = *iterations == 0 ? -SLACK : 0.0f;
        status = rvi_sph_each(w, round_block, p);
        if (status != RV_OK || rvi_sph_sum(w, REST) <= p->enough * (double)w->count)
            break;

        int before = *iterations;
        status = run_round(p, rvi_mini(ROUND, most - before), iterations, &done);
        if (*iterations == before)
            break;
        if (status == RV_OK)
            status = rvi_sph_each(w, flow_block, p);
    }
    return status;
}

/* ---- The step ---- */

/* So that the fastest, sped up by gravity and tension for the step, goes no farther than the share
 * of the spacing that the Courant number says; nor would one that fell from the top of the water to
 * its bottom: under the pressure of deep water, neighbours swing against each other that fast. */
static float choose_step(const rvi_sph *w, float longest) {
    const float *g = w->desc.gravity;
    float v = sqrtf(w->fastest), far = w->desc.courant * w->desc.spacing;
    float a = rvi_length3f(g) + w->desc.tension;
    float dt = 2 * far / (v + sqrtf(v * v + 4 * a * far) + 1e-20f);
    if (a > 0)
        dt = rvi_minf(dt, LONGEST * sqrtf(w->desc.spacing / a));
    if (w->fall > 0)
        dt = rvi_minf(dt, far / sqrtf(w->fall));
    if (w->viscosity > 0)
        dt = rvi_minf(dt, 0.02f * w->radius * w->radius / w->viscosity);
    /* The last two steps of a run are alike: a tiny one would ask for a huge pressure. */
    return dt < longest && longest < 2 * dt ? 0.5f * longest : rvi_minf(dt, longest);
}

/* Displacements are needed only where the velocities have let the water become too dense. */
static rv_status correct_density(pass *p) {
    rvi_sph *w = p->w;
    p->density = true;
    p->round.share = CORRECT;
    p->enough = 10 * p->enough;
    w->iterations[1] = 0;
    w->compression = (float)(rvi_sph_sum(w, PRODUCT) / (double)w->count);
    if ((double)w->compression <= p->enough)
        return RV_OK;
    rv_status status = rvi_sph_each(w, guess_block, p);
    if (status == RV_OK)
        status = rvi_sph_each(w, flow_block, p);
    if (status == RV_OK)
        status = solve(p, ROUGHLY, &w->iterations[1]);
    return status == RV_OK ? rvi_sph_each(w, finish_displacements, p) : status;
}

rv_status rvi_sph_project(rvi_sph *w, float longest, float *dt) {
    pass p = {.w = w,
              .enough = (double)w->desc.tolerance,
              .round = {.dt = choose_step(w, longest),
                        .share = RESTORE,
                        .product = w->sums[PRODUCT],
                        .rest = w->sums[REST],
                        .others = w->sums[OTHERS],
                        .mixed = w->sums[MIXED],
                        .own = w->sums[OWN]}};
    *dt = p.round.dt;
    rvi_sph_lister lister = {
        .w = w, .dt = *dt, .slice = w->passes->prepare, .block = flow_block, .arg = &p};
    rv_status status = rvi_sph_each(w, guess_block, &p);
    if (status == RV_OK)
        status = rvi_sph_list(&lister);
    if (status == RV_OK)
        status = solve(&p, w->desc.iterations, &w->iterations[0]);
    if (status == RV_OK)
        status = rvi_sph_each(w, finish_velocities, &p);
    return status == RV_OK ? correct_density(&p) : status;
}
