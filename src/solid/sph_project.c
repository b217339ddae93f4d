/* sph_project.c: pressure that keeps the density (after DFSPH, J. Bender and D. Koschier, 2015).
 *
 * With V the volume of a particle, W the kernel of H. Wendland (1995), l the density of the rock
 * and k = p / (rho f^2) from the pressure p: f_i   = sum_j V W_ij + l_i density, as a share Df(u) =
 * sum_j V (u_i - u_j) . grad W_ij + u_i . grad l_i          its change at velocities u a_i   =
 * -sum_j V (k_i + k_j) grad W_ij - k_i grad l_i             the pull of pressure Twice a k >= 0 is
 * sought: for velocities, so that dt Df(v + dt a) = 0 where the water is as dense as at rest; and
 * for displacements that leave velocities alone, so that f + Df(x) = 1 where it would be more (as
 * T. Kugelstadt et al., 2019, do on grids: density errors then make no waves).
 *
 * The a of k is the transpose of Df, so the equations are symmetric: conjugate gradients solve them
 * among the particles that have a pressure or need one, from the k of the last step. Then k below 0
 * are cut off, and if that left too much, a round with others follows. Jacobi's method, which DFSPH
 * uses, carries pressure one radius an iteration and lets deep water swing. Pairs pull each other
 * alike, so momentum is kept; and pressure at the velocities takes energy only. */
#include "solid/sph_state.h"

#include "base/math.h"

#include "solid/sph_lanes.h"

enum { ROUND = 40, ROUGHLY = 4 }; /* iterations: of a round, of the density */

/* How much of a density that is too high goes by velocities and by displacement. */
#define RESTORE 0.05f
#define CORRECT 0.5f
/* So little below the density at rest a particle may still come under pressure. */
#define SLACK 1e-3f
/* No displacement is longer, in spacings. */
#define FARTHEST 0.2f
/* The longest step, in sqrt(spacing / |gravity|). */
#define LONGEST 0.1f

typedef struct pass {
    rvi_sph *w;
    float dt;
    bool density;      /* displacements, else velocities */
    double enough;     /* mean of what may be left */
    const float *from; /* the k that pulls */
    float slack;
    float far; /* along the direction; then how much of it is kept */
} pass;

/* ---- The four passes ---- */

/* Pressure over k: in the water by the virial of the pairs, at a wall by what the wall carries. */
static float virial(const rvi_sph *w, rvi_v4 wall, float pairs) {
    if (wall[3] < 0.5f * w->missing)
        return pairs;
    float slope = sqrtf((wall[0] * wall[0] + wall[1] * wall[1]) + wall[2] * wall[2]);
    return rvi_minf(slope * w->desc.spacing, w->moment);
}

/* Density, how much a particle's own k changes it, and V grad W of each neighbour: four x, four y,
 * four z. */
static void prepare_block(void *arg, int64_t block) {
    rvi_sph *w = ((pass *)arg)->w;
    float per = 1 / w->radius, steep = w->volume * w->steep;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        const uint32_t *near = w->near + i * w->stride, *end = near + w->near_count[i];
        float *slopes = w->slopes + 3 * i * w->stride;
        rvi_v4 at = w->drops.places[i], fill = {0}, square = {0}, moment = {0};
        rvi_v4 gx = {0}, gy = {0}, gz = {0};
        for (; near < end; near += 4, slopes += 12) {
            rvi_four n = rvi_four_of(w->drops.places, near);
            rvi_way d = rvi_way_from(&n, at);
            rvi_v4 u = rvi_closeness(d.square, per), u3 = u * u * u, s = steep * u3;
            rvi_v4 sx = s * d.x, sy = s * d.y, sz = s * d.z;
            rvi_v4_store(slopes, sx);
            rvi_v4_store(slopes + 4, sy);
            rvi_v4_store(slopes + 8, sz);
            fill += u3 * u * (5.0f - 4.0f * u);
            square += s * s * d.square;
            moment += s * d.square;
            gx += sx;
            gy += sy;
            gz += sz;
        }
        rvi_v4 b = w->wall[i], g = {rvi_v4_sum(gx), rvi_v4_sum(gy), rvi_v4_sum(gz), 0};
        rvi_v4 both = (g + b) * (g + b);
        w->fill[i] = w->volume * w->norm * rvi_v4_sum(fill) + b[3];
        w->stiff[i] = rvi_v4_sum(square) + ((both[0] + both[1]) + both[2]);
        w->virial[i] = virial(w, b, rvi_v4_sum(moment) / -3);
    }
}

/* What a k does to velocities: `pull`. */
static void pull_block(void *arg, int64_t block) {
    rvi_sph *w = ((pass *)arg)->w;
    const float *k = ((pass *)arg)->from;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        const uint32_t *near = w->near + i * w->stride, *end = near + w->near_count[i];
        const float *slopes = w->slopes + 3 * i * w->stride;
        rvi_v4 gx = {0}, gy = {0}, gz = {0};
        for (; near < end; near += 4, slopes += 12) {
            rvi_v4 f = k[i] + (rvi_v4){k[near[0]], k[near[1]], k[near[2]], k[near[3]]};
            gx += f * rvi_v4_load(slopes);
            gy += f * rvi_v4_load(slopes + 4);
            gz += f * rvi_v4_load(slopes + 8);
        }
        rvi_v4 g = {rvi_v4_sum(gx), rvi_v4_sum(gy), rvi_v4_sum(gz), 0};
        w->pull[i] = -(g + k[i] * w->wall[i]);
    }
}

/* Df of a field of velocities or accelerations. */
static RVI_HOT float change(const rvi_sph *w, const rvi_v4 *field, size_t i) {
    const uint32_t *near = w->near + i * w->stride, *end = near + w->near_count[i];
    const float *slopes = w->slopes + 3 * i * w->stride;
    rvi_v4 own = field[i], b = w->wall[i], sx = {0}, sy = {0}, sz = {0};
    for (; near < end; near += 4, slopes += 12) {
        rvi_four v = rvi_four_of(field, near);
        sx += (own[0] - v.x) * rvi_v4_load(slopes);
        sy += (own[1] - v.y) * rvi_v4_load(slopes + 4);
        sz += (own[2] - v.z) * rvi_v4_load(slopes + 8);
    }
    float wall = (own[0] * b[0] + own[1] * b[1]) + own[2] * b[2];
    return rvi_v4_sum((sx + sy) + sz) + wall;
}

/* ---- Solving ---- */

/* The k of the last step are the first guess: less of them after a shorter step, whose pressure may
 * have been a huge one. */
static void begin_block(void *arg, int64_t block) {
    const pass *p = arg;
    rvi_sph *w = p->w;
    const float *k = p->density ? w->drops.pushes : w->drops.pressures;
    float ratio = w->step / p->dt, keep = rvi_minf(ratio * ratio, 1.0f);
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        float over = w->fill[i] - 1, df = change(w, w->wish, i);
        float share = p->density ? CORRECT : RESTORE;
        w->k[i] = keep * k[i];
        w->miss[i] = p->dt * df + (over > 0 ? share * over : over);
    }
}

/* What is left with the k of now; who has a say in the round that begins; the first direction. */
static void round_block(void *arg, int64_t block) {
    const pass *p = arg;
    rvi_sph *w = p->w;
    double product = 0, rest = 0;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        float left = w->miss[i] + p->dt * p->dt * change(w, w->pull, i);
        bool presses = w->k[i] > 0, say = presses || left > p->slack;
        rest += (double)(left > 0 ? left : presses ? -left : 0.0f);
        w->has_say[i] = say;
        w->left[i] = say ? left : 0.0f;
        float better = w->left[i] / (p->dt * p->dt * w->stiff[i]);
        w->way[i] = better;
        product += (double)w->left[i] * (double)better;
    }
    w->sums[block] = product;
    w->rests[block] = rest;
}

/* What the direction does, and how far it leads. */
static void try_block(void *arg, int64_t block) {
    const pass *p = arg;
    rvi_sph *w = p->w;
    double product = 0;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        w->does[i] = w->has_say[i] ? -p->dt * p->dt * change(w, w->pull, i) : 0.0f;
        product += (double)w->does[i] * (double)w->way[i];
    }
    w->sums[block] = product;
}

static void go_block(void *arg, int64_t block) {
    const pass *p = arg;
    rvi_sph *w = p->w;
    double product = 0, rest = 0;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        w->k[i] += p->far * w->way[i];
        float left = w->left[i] - p->far * w->does[i];
        w->left[i] = left;
        product += (double)left * (double)(left / (p->dt * p->dt * w->stiff[i]));
        rest += (double)(left < 0 ? -left : left);
    }
    w->sums[block] = product;
    w->rests[block] = rest;
}

static void turn_block(void *arg, int64_t block) {
    const pass *p = arg;
    rvi_sph *w = p->w;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        float better = w->left[i] / (p->dt * p->dt * w->stiff[i]);
        w->way[i] = better + p->far * w->way[i];
    }
}

/* Water does not pull: k is never negative. */
static void clamp_block(void *arg, int64_t block) {
    rvi_sph *w = ((pass *)arg)->w;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++)
        w->k[i] = rvi_maxf(w->k[i], 0.0f);
}

static void finish_block(void *arg, int64_t block) {
    const pass *p = arg;
    rvi_sph *w = p->w;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        float k = w->k[i];
        rvi_v4 by = p->dt * w->pull[i];
        by[3] = 0;
        if (p->density) {
            float size = p->dt * sqrtf((by[0] * by[0] + by[1] * by[1]) + by[2] * by[2]);
            float most = FARTHEST * w->desc.spacing;
            w->other.pushes[i] = k;
            w->calm[i] = size > most ? most / size * by : by;
            continue;
        }
        w->wish[i] += by;
        w->other.pressures[i] = k;
        w->pascals[i] = k * w->virial[i] * w->desc.density;
    }
}

/* Some conjugate gradients among those who have a say. */
static rv_status run_round(pass *p, int most, int *iterations) {
    rvi_sph *w = p->w;
    double product = rvi_sph_sum(w, w->sums), enough = p->enough * (double)w->count;
    rv_status status = RV_OK;
    for (int n = 0; n < most && product > 0 && rvi_sph_sum(w, w->rests) > enough; n++) {
        p->from = w->way;
        status = rvi_sph_each(w, pull_block, p);
        if (status == RV_OK)
            status = rvi_sph_each(w, try_block, p);
        double does = rvi_sph_sum(w, w->sums);
        if (status != RV_OK || !(does > 0))
            break;
        p->far = (float)(product / does);
        status = rvi_sph_each(w, go_block, p);
        double next = rvi_sph_sum(w, w->sums);
        p->far = (float)(next / product);
        product = next;
        if (status == RV_OK)
            status = rvi_sph_each(w, turn_block, p);
        if (status != RV_OK)
            break;
        ++*iterations;
    }
    return status == RV_OK ? rvi_sph_each(w, clamp_block, p) : status;
}

static rv_status solve(pass *p, int most, int *iterations) {
    rvi_sph *w = p->w;
    rv_status status = rvi_sph_each(w, begin_block, p);
    *iterations = 0;
    while (status == RV_OK) {
        p->from = w->k;
        status = rvi_sph_each(w, pull_block, p);
        if (status != RV_OK || *iterations >= most)
            break;
        p->slack = *iterations == 0 ? -SLACK : 0.0f;
        status = rvi_sph_each(w, round_block, p);
        if (status != RV_OK || rvi_sph_sum(w, w->rests) <= p->enough * (double)w->count)
            break;

        int before = *iterations;
        status = run_round(p, rvi_mini(ROUND, most - before), iterations);
        if (*iterations == before)
            break;
    }
    return status == RV_OK ? rvi_sph_each(w, finish_block, p) : status;
}

/* ---- Other forces ---- */

/* Gravity, viscosity (J. Monaghan, 1992), tension (M. Becker and M. Teschner, 2007) and the
 * friction of walls; from `calm` to `wish`. */
static void force_block(void *arg, int64_t block) {
    const pass *p = arg;
    rvi_sph *w = p->w;
    const rvi_sph_desc *desc = &w->desc;
    float per = 1 / w->radius, small = 0.01f * w->radius * w->radius;
    float thick = 10 * w->viscosity * w->volume * w->steep;
    float tight = -desc->tension * w->volume * w->norm / desc->spacing;
    float rub = desc->friction * w->rub * p->dt;
    rvi_v4 g = {desc->gravity[0], desc->gravity[1], desc->gravity[2], 0};
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        const uint32_t *near = w->near + i * w->stride, *end = near + w->near_count[i];
        rvi_v4 at = w->drops.places[i], own = w->calm[i], sx = {0}, sy = {0}, sz = {0};
        for (; near < end; near += 4) {
            rvi_four n = rvi_four_of(w->drops.places, near), v = rvi_four_of(w->calm, near);
            rvi_way d = rvi_way_from(&n, at);
            rvi_v4 u = rvi_closeness(d.square, per), u3 = u * u * u;
            rvi_v4 along = ((own[0] - v.x) * d.x + (own[1] - v.y) * d.y) + (own[2] - v.z) * d.z;
            rvi_v4 f = thick * u3 * along / (d.square + small) + tight * u3 * u * (5.0f - 4.0f * u);
            sx += f * d.x;
            sy += f * d.y;
            sz += f * d.z;
        }
        rvi_v4 sum = {rvi_v4_sum(sx), rvi_v4_sum(sy), rvi_v4_sum(sz), 0};
        rvi_v4 wish = own + p->dt * ((g + sum) + w->shove[i]), b = w->wall[i];
        float length = (b[0] * b[0] + b[1] * b[1]) + b[2] * b[2];
        float into = (b[0] * wish[0] + b[1] * wish[1]) + b[2] * wish[2];
        rvi_v4 normal = length > 0 ? into / length * b : b;
        float keep = 1 / (1 + rub * rvi_minf(2 * b[3], 1.0f));
        w->wish[i] = normal + keep * (wish - normal);
        w->wish[i][3] = 0;
    }
}

static void speed_block(void *arg, int64_t block) {
    rvi_sph *w = ((pass *)arg)->w;
    float fastest = 0;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        rvi_v4 v = w->drops.speeds[i];
        w->calm[i] = v;
        fastest = rvi_maxf(fastest, (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
    }
    w->sums[block] = (double)fastest;
}

/* So that the fastest, sped up by gravity for the step, goes no farther than the share of the
 * spacing that the Courant number says. */
static float choose_step(const rvi_sph *w, float longest) {
    double fastest = 0;
    for (size_t b = 0; b * RVI_SPH_BLOCK < w->count; b++)
        fastest = w->sums[b] > fastest ? w->sums[b] : fastest;
    const float *g = w->desc.gravity;
    float v = sqrtf((float)fastest), far = w->desc.courant * w->desc.spacing;
    float a = sqrtf((g[0] * g[0] + g[1] * g[1]) + g[2] * g[2]);
    float dt = 2 * far / (v + sqrtf(v * v + 4 * a * far) + 1e-20f);
    if (a > 0)
        dt = rvi_minf(dt, LONGEST * sqrtf(w->desc.spacing / a));
    if (w->viscosity > 0)
        dt = rvi_minf(dt, 0.05f * w->radius * w->radius / w->viscosity);
    /* The last two steps of a run are alike: a tiny one would ask for a huge pressure. */
    return dt < longest && longest < 2 * dt ? 0.5f * longest : rvi_minf(dt, longest);
}

static void over_block(void *arg, int64_t block) {
    rvi_sph *w = ((pass *)arg)->w;
    double over = 0;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(w, block); i++) {
        over += (double)rvi_maxf(w->fill[i] - 1, 0.0f);
        w->calm[i] = (rvi_v4){0};
        w->other.pushes[i] = 0;
    }
    w->sums[block] = over;
}

/* Displacements are needed only where the velocities have let the water become too dense. */
static rv_status correct_density(pass *p) {
    rvi_sph *w = p->w;
    rv_status status = rvi_sph_each(w, over_block, p);
    p->density = true;
    p->enough = 10 * p->enough;
    w->iterations[1] = 0;
    w->compression = (float)(rvi_sph_sum(w, w->sums) / (double)w->count);
    if (status != RV_OK || (double)w->compression <= p->enough)
        return status;
    return solve(p, ROUGHLY, &w->iterations[1]);
}

rv_status rvi_sph_project(rvi_sph *w, float longest, float *dt) {
    pass p = {.w = w};
    rv_status status = rvi_sph_each(w, speed_block, &p);
    if (status != RV_OK)
        return status;
    p.dt = *dt = choose_step(w, longest);
    status = rvi_sph_each(w, prepare_block, &p);
    if (status == RV_OK)
        status = rvi_sph_each(w, force_block, &p);
    p.enough = (double)w->desc.tolerance;
    if (status == RV_OK)
        status = solve(&p, w->desc.iterations, &w->iterations[0]);
    return status == RV_OK ? correct_density(&p) : status;
}
