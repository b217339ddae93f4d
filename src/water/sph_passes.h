/* sph_passes.h: the passes over all neighbours, for one vector unit: see sph_lanes.h. The equations
 * are those of sph_project.c and sph_weak.c.
 *
 * The particles of a slice go side by side. Their lists are laid out as columns: the first
 * neighbours of all, the second of all, and so on, so that a column is one vector. A list that is
 * shorter than others of its slice is filled up with the particle itself, whose slope is zero. */
#include "water/sph_state.h"

#include "base/math.h"
#include "water/sph_lanes.h"

enum { SLICE = RVI_SPH_SLICE, AHEAD = 24 };

typedef struct stripe { /* the particles of a slice from lane `l` on */
    size_t first;
    uint32_t *near; /* columns: twice the number of a particle */
    int16_t *slopes;
    size_t most; /* columns */
} stripe;

static HOT stripe stripe_at(const rvi_sph *w, size_t first, size_t l) {
    size_t at = w->column_start[first / SLICE];
    return (stripe){.first = first + l,
                    .near = w->columns + at + l,
                    .slopes = w->slopes == NULL ? NULL : w->slopes + 3 * at + l,
                    .most = w->column_count[first / SLICE]};
}

/* What comes next is fetched in time. */
static HOT void fetch(const stripe *s) {
    __builtin_prefetch(s->near + AHEAD * SLICE);
    __builtin_prefetch(s->slopes + 3 * AHEAD * SLICE);
    __builtin_prefetch(s->slopes + 3 * AHEAD * SLICE + 32);
}

/* Where the list of a particle is made. */
static HOT uint32_t *list_of(const rvi_sph *w, size_t i) {
    return w->near + (i / RVI_SPH_BLOCK * SLICE + i % SLICE) * w->stride;
}

/* Where the columns of a slice are: behind those of the last one of the block. */
static UNIT void place_columns(const rvi_sph *w, size_t first) {
    size_t slice = first / SLICE, most = 0;
    for (size_t l = 0; l < SLICE; l++)
        most = w->near_count[first + l] > most ? w->near_count[first + l] : most;
    w->column_start[slice] = first % RVI_SPH_BLOCK == 0
                                 ? first * w->stride
                                 : w->column_start[slice - 1] + w->column_count[slice - 1] * SLICE;
    w->column_count[slice] = (uint32_t)most;
}

/* Lists that have ended give the particle itself. */
static HOT void make_columns(const rvi_sph *w, stripe s, whole counts) {
    const uint32_t *lists = list_of(w, s.first);
#if LANES == 16
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i own = _mm512_add_epi32(lane, _mm512_set1_epi32((int)s.first));
    __m512i rows = _mm512_mullo_epi32(lane, _mm512_set1_epi32((int)w->stride));
    for (size_t n = 0; n < s.most; n++, s.near += SLICE) {
        __mmask16 goes_on = _mm512_cmplt_epi32_mask(_mm512_set1_epi32((int)n), (__m512i)counts);
        __m512i column = _mm512_mask_i32gather_epi32(own, goes_on, rows, lists + n, 4);
        _mm512_storeu_si512(s.near, _mm512_add_epi32(column, column));
    }
#else
    for (size_t n = 0; n < s.most; n++, s.near += SLICE)
        for (size_t l = 0; l < LANES; l++) {
            size_t which = (int32_t)n < counts[l] ? lists[l * w->stride + n] : s.first + l;
            s.near[l] = (uint32_t)(2 * which);
        }
#endif
}

static HOT four own_fours(const rvi_v4 *from, size_t first) {
    uint32_t twice[LANES];
    for (size_t l = 0; l < LANES; l++)
        twice[l] = (uint32_t)(2 * (first + l));
    return fours_of(from, twice);
}

static HOT whole load_counts(const uint32_t *from) {
    whole v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* ---- Lists ---- */

/* Adds those of the pack that are near enough to the list of each particle of the cell. Lists that
 * are full are only counted. */
static UNIT void list_near(rvi_sph *w, const rvi_sph_pack *c, size_t first, size_t end) {
    float far = w->radius * w->radius;
    for (size_t i = first; i < end; i++) {
        rvi_v4 p = w->drops.places[i];
        uint32_t *list = list_of(w, i);
        size_t n = w->near_count[i], most = w->stride - SLICE;
        for (size_t k = 0; k < c->count; k += LANES) {
            lanes dx = load(c->x + k) - p[0], dy = load(c->y + k) - p[1];
            lanes dz = load(c->z + k) - p[2], square = (dx * dx + dy * dy) + dz * dz;
            uint32_t *to = list + (n < most ? n : most);
#if LANES == 16
            __mmask16 bits = _mm512_cmp_ps_mask((__m512)square, _mm512_set1_ps(far), _CMP_LT_OQ);
            __m512i which = _mm512_loadu_si512(c->which + k);
            _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(bits, which));
            n += (size_t)__builtin_popcount(bits);
#else
            whole near = square < far;
            uint32_t *last = to;
            for (int l = 0; l < LANES; l++) {
                *last = c->which[k + (size_t)l];
                last -= near[l];
            }
            n += (size_t)(last - to);
#endif
        }
        w->near_count[i] = (uint32_t)n;
    }
}

/* ---- Projecting ---- */

/* What comes of a slice's neighbours. */
typedef struct gathered {
    float fill[SLICE], square[SLICE], moment[SLICE];
    float slope[3][SLICE], force[3][SLICE];
} gathered;

static HOT void gather_lanes(const rvi_sph *w, stripe s, size_t l, gathered *g) {
    const rvi_sph_desc *desc = &w->desc;
    float per = 1 / w->radius, steep = w->volume * w->steep, small = 0.01f * w->radius * w->radius;
    float thick = 10 * w->viscosity, grains = 1 / w->grain;
    float tight = -desc->tension * w->volume * w->norm / desc->spacing;
    four at = own_fours(w->drops.places, s.first), own = own_fours(w->drops.speeds, s.first);
    whole counts = load_counts(w->near_count + s.first);
    make_columns(w, s, counts);
    lanes fill = {0}, squares = {0}, moment = {0}, zero = {0};
    lanes gx = {0}, gy = {0}, gz = {0}, fx = {0}, fy = {0}, fz = {0};
    for (size_t n = 0; n < s.most; n++, s.near += SLICE, s.slopes += 3 * SLICE) {
        four p = fours_of(w->drops.places, s.near), v = fours_of(w->drops.speeds, s.near);
        way d = way_from(&at, &p);
        lanes u = where((int32_t)n < counts, larger(1.0f - root(d.square) * per, zero));
        lanes u3 = u * u * u, f = steep * u3, bell = u3 * u * (5.0f - 4.0f * u);
        lanes sx = f * d.x, sy = f * d.y, sz = f * d.z;
        store_halves(s.slopes, sx * grains);
        store_halves(s.slopes + SLICE, sy * grains);
        store_halves(s.slopes + 2 * SLICE, sz * grains);
        fill += bell;
        squares += f * f * d.square;
        moment += f * d.square;
        gx += sx;
        gy += sy;
        gz += sz;
        lanes along = ((own.x - v.x) * sx + (own.y - v.y) * sy) + (own.z - v.z) * sz;
        lanes force = thick * along / (d.square + small) + tight * bell;
        fx += force * d.x;
        fy += force * d.y;
        fz += force * d.z;
    }
    store(g->fill + l, fill);
    store(g->square + l, squares);
    store(g->moment + l, moment);
    store(g->slope[0] + l, gx);
    store(g->slope[1] + l, gy);
    store(g->slope[2] + l, gz);
    store(g->force[0] + l, fx);
    store(g->force[1] + l, fy);
    store(g->force[2] + l, fz);
}

/* Pressure over k: in the water by the virial of the pairs, at a wall by what the wall carries. */
static float virial(const rvi_sph *w, rvi_v4 wall, float pairs) {
    if (wall[3] < 0.5f * w->missing)
        return pairs;
    float slope = sqrtf((wall[0] * wall[0] + wall[1] * wall[1]) + wall[2] * wall[2]);
    return rvi_minf(slope * w->desc.spacing, w->moment);
}

/* Forces without that of pressure, and the friction of walls. */
static rvi_v4 wish_for(const rvi_sph *w, size_t i, rvi_v4 force, float dt) {
    const float *g = w->desc.gravity;
    float rub = w->desc.friction * w->rub * dt;
    rvi_v4 fall = {g[0], g[1], g[2], 0}, b = w->wall[i];
    rvi_v4 wish = w->drops.speeds[i] + dt * ((fall + force) + w->shove[i]);
    float length = (b[0] * b[0] + b[1] * b[1]) + b[2] * b[2];
    float into = (b[0] * wish[0] + b[1] * wish[1]) + b[2] * wish[2];
    rvi_v4 normal = length > 0 ? into / length * b : b;
    float keep = 1 / (1 + rub * rvi_minf(2 * b[3], 1.0f));
    wish = normal + keep * (wish - normal);
    wish[3] = 0;
    return wish;
}

/* Columns and slopes, density, what a particle's own k changes, and what forces make of speeds. */
static UNIT void prepare(rvi_sph *w, float dt, size_t first, size_t end) {
    gathered g;
    place_columns(w, first);
    for (size_t l = 0; l < SLICE; l += LANES)
        gather_lanes(w, stripe_at(w, first, l), l, &g);
    for (size_t l = 0; first + l < end; l++) {
        size_t i = first + l;
        rvi_v4 b = w->wall[i], slope = {g.slope[0][l], g.slope[1][l], g.slope[2][l], 0};
        rvi_v4 both = (slope + b) * (slope + b);
        rvi_v4 force = {g.force[0][l], g.force[1][l], g.force[2][l], 0};
        w->fill[i] = w->volume * w->norm * g.fill[l] + b[3];
        w->stiff[i] = g.square[l] + ((both[0] + both[1]) + both[2]);
        w->virial[i] = virial(w, b, g.moment[l] / -3);
        w->wish[i] = wish_for(w, i, force, dt);
    }
}

static HOT void pull_lanes(const rvi_sph *w, const float *k, stripe s) {
    lanes own = load(k + s.first), gx = {0}, gy = {0}, gz = {0};
    for (size_t n = 0; n < s.most; n++, s.near += SLICE, s.slopes += 3 * SLICE) {
        fetch(&s);
        lanes f = own + numbers_of(k, s.near);
        gx += f * load_halves(s.slopes);
        gy += f * load_halves(s.slopes + SLICE);
        gz += f * load_halves(s.slopes + 2 * SLICE);
    }
    four b = own_fours(w->wall, s.first);
    lanes x = w->grain * gx + own * b.x, y = w->grain * gy + own * b.y;
    store_threes(w->pull + s.first, -x, -y, -(w->grain * gz + own * b.z));
}

static UNIT void pull(rvi_sph *w, const float *k, size_t first, size_t end) {
    for (size_t slice = first; slice < end; slice += SLICE)
        for (size_t l = 0; l < SLICE; l += LANES)
            pull_lanes(w, k, stripe_at(w, slice, l));
}

static HOT lanes change_lanes(const rvi_sph *w, const rvi_v4 *field, stripe s) {
    four own = own_fours(field, s.first), b = own_fours(w->wall, s.first);
    lanes wall = (own.x * b.x + own.y * b.y) + own.z * b.z, sum = {0};
    for (size_t n = 0; n < s.most; n++, s.near += SLICE, s.slopes += 3 * SLICE) {
        fetch(&s);
        four v = fours_of(field, s.near);
        lanes x = (own.x - v.x) * load_halves(s.slopes);
        lanes y = (own.y - v.y) * load_halves(s.slopes + SLICE);
        sum += (x + y) + (own.z - v.z) * load_halves(s.slopes + 2 * SLICE);
    }
    return w->grain * sum + wall;
}

/* ---- Conjugate gradients ---- */

/* A sum of a block, in as many parts as a slice has particles. */
typedef struct parts {
    lanes of[SLICE / LANES];
} parts;

static HOT double sum_parts(const parts *p) {
    double sum = 0;
    for (int l = 0; l < SLICE; l++)
        sum += (double)p->of[l / LANES][l % LANES];
    return sum;
}

static HOT whole is_there(size_t first, size_t end) { /* the last slice may be shorter */
    whole there;
    for (size_t l = 0; l < LANES; l++)
        there[l] = first + l < end ? -1 : 0;
    return there;
}

static HOT lanes either(whole mask, lanes yes, lanes no) {
    return (lanes)((mask & (whole)yes) | (~mask & (whole)no));
}

/* Who changes its own density by less has nobody to press on, and no pressure: what would undo the
 * rest of it has no end. */
#define ALONE 1e-30f

static UNIT void begin_round(rvi_sph *w, const rvi_sph_round *r, size_t first, size_t end) {
    parts product = {0}, rest = {0};
    float dt2 = r->dt * r->dt;
    for (size_t i = first; i < end; i += LANES) {
        size_t part = i % SLICE / LANES;
        whole there = is_there(i, end);
        lanes df = change_lanes(w, w->flow, stripe_at(w, i / SLICE * SLICE, i % SLICE));
        lanes over = load(w->fill + i) - 1.0f;
        lanes left = r->dt * df + either(over > 0.0f, r->share * over, over);
        lanes own = dt2 * load(w->stiff + i), zero = {0}, k = where(own > ALONE, load(w->k + i));
        whole presses = k > 0.0f, say = (presses | (left > r->slack)) & (own > ALONE);
        lanes ease = where(say & there, 1.0f / own);
        left = where(there, left);
        lanes better = left * ease;
        rest.of[part] += larger(left, where(presses, larger(-left, zero)));
        product.of[part] += left * better;
        store(w->k + i, k);
        store(w->ease + i, ease);
        store(w->left + i, left);
        store(w->way + i, better);
    }
    r->product[first / RVI_SPH_BLOCK] = sum_parts(&product);
    r->rest[first / RVI_SPH_BLOCK] = sum_parts(&rest);
}

static UNIT void try_way(rvi_sph *w, const rvi_sph_round *r, size_t first, size_t end) {
    parts product = {0}, mixed = {0}, own = {0};
    float dt2 = r->dt * r->dt;
    for (size_t i = first; i < end; i += LANES) {
        size_t part = i % SLICE / LANES;
        lanes df = change_lanes(w, w->pull, stripe_at(w, i / SLICE * SLICE, i % SLICE));
        lanes does = where(is_there(i, end), -dt2 * df), better = does * load(w->ease + i);
        product.of[part] += does * load(w->way + i);
        mixed.of[part] += better * load(w->left + i);
        own.of[part] += better * does;
        store(w->does + i, does);
    }
    r->product[first / RVI_SPH_BLOCK] = sum_parts(&product);
    r->mixed[first / RVI_SPH_BLOCK] = sum_parts(&mixed);
    r->own[first / RVI_SPH_BLOCK] = sum_parts(&own);
}

static UNIT void go_way(rvi_sph *w, const rvi_sph_round *r, size_t first, size_t end) {
    parts rest = {0}, others = {0};
    for (size_t i = first; i < end; i += LANES) {
        size_t part = i % SLICE / LANES;
        lanes ease = load(w->ease + i), along = load(w->way + i), zero = {0};
        lanes left = load(w->left + i) - r->far * load(w->does + i);
        whole say = ease > 0.0f;
        store(w->k + i, load(w->k + i) + r->far * along);
        store(w->left + i, left);
        store(w->way + i, left * ease + r->keep * along);
        rest.of[part] += where(say, larger(left, -left));
        others.of[part] += where(~say, larger(left, zero));
    }
    r->rest[first / RVI_SPH_BLOCK] = sum_parts(&rest);
    r->others[first / RVI_SPH_BLOCK] = sum_parts(&others);
}

/* ---- Weakly compressible ---- */

static float power(float x, int n) {
    float y = 1;
    for (; n > 0; n--)
        y *= x;
    return y;
}

static HOT void weak_density_lanes(const rvi_sph *w, stripe s, float *out) {
    four at = own_fours(w->drops.places, s.first);
    whole counts = load_counts(w->near_count + s.first);
    make_columns(w, s, counts);
    lanes sum = {0}, zero = {0};
    float h2 = w->radius * w->radius;
    for (size_t n = 0; n < s.most; n++, s.near += SLICE) {
        four p = fours_of(w->drops.places, s.near);
        lanes c = where((int32_t)n < counts, larger(h2 - way_from(&at, &p).square, zero));
        sum += c * c * c;
    }
    store(out, sum);
}

static UNIT void weak_density(rvi_sph *w, float dt, size_t first, size_t end) {
    (void)dt;
    const rvi_sph_weak *weak = &w->desc.weak;
    float h2 = w->radius * w->radius, sum[SLICE];
    float norm = weak->mass * 315 / (64 * (float)RVI_PI * power(w->radius, 9));
    place_columns(w, first);
    for (size_t l = 0; l < SLICE; l += LANES)
        weak_density_lanes(w, stripe_at(w, first, l), sum + l);
    for (size_t l = 0; first + l < end; l++) {
        size_t i = first + l;
        float others = rvi_maxf(sum[l] - h2 * h2 * h2, 0.0f);
        float density = rvi_maxf(norm * others, 1e-3f * w->desc.density);
        float pressure = (density - w->desc.density) * weak->stiffness;
        rvi_v4 place = w->drops.places[i], v = w->drops.speeds[i];
        w->fill[i] = density / w->desc.density;
        w->pascals[i] = pressure;
        w->pull[i] = (rvi_v4){place[0], place[1], place[2], pressure};
        w->flow[i] = (rvi_v4){v[0], v[1], v[2], 1 / density};
    }
}

/* The acceleration by the others, in `calm`. */
static HOT void weak_force_lanes(const rvi_sph *w, stripe s) {
    const rvi_sph_weak *weak = &w->desc.weak;
    float h = w->radius, steep = 45 / ((float)RVI_PI * power(h, 6));
    float thick = steep * weak->viscosity;
    four at = own_fours(w->pull, s.first), own = own_fours(w->flow, s.first);
    lanes sx = {0}, sy = {0}, sz = {0}, zero = {0}, least = all(1e-6f * h);
    for (size_t n = 0; n < s.most; n++, s.near += SLICE) {
        four p = fours_of(w->pull, s.near), v = fours_of(w->flow, s.near);
        way d = way_from(&at, &p);
        lanes r = root(d.square), c = larger(h - r, zero), both = c * (own.w * v.w);
        lanes push = 0.5f * steep * c * (at.w + p.w) / larger(r, least);
        sx += both * (push * d.x + thick * (v.x - own.x));
        sy += both * (push * d.y + thick * (v.y - own.y));
        sz += both * (push * d.z + thick * (v.z - own.z));
    }
    store_threes(w->calm + s.first, weak->mass * sx, weak->mass * sy, weak->mass * sz);
}

static UNIT void weak_force(rvi_sph *w, size_t first, size_t end) {
    for (size_t slice = first; slice < end; slice += SLICE)
        for (size_t l = 0; l < SLICE; l += LANES)
            weak_force_lanes(w, stripe_at(w, slice, l));
}

/* ---- All of them ---- */

#define PASSES                                                                                     \
    {                                                                                              \
        .lanes = LANES, .list_near = list_near, .prepare = prepare, .pull = pull,                  \
        .begin_round = begin_round, .try_way = try_way, .go_way = go_way,                          \
        .weak_density = weak_density, .weak_force = weak_force                                     \
    }
