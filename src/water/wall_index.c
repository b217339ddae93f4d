/* wall_index.c: the nearest places of a mesh.
 *
 * Each cell of the grid lists the faces within reach of it, so that a query reads one cell only.
 * The nearest place of a face may be in its interior, on an edge or at a corner (C. Ericson,
 * Real-Time Collision Detection, 2005, 5.1.5), so that there are no gaps between faces. */
#include "water/wall_index.h"

#include <math.h>

#include "base/math.h"
#include "base/vector.h"

enum { NEAR = 24, GROUPS = 32 };
/* Places with a smaller share do not count as walls. */
#define LEAST_SHARE 0.01f

/* ---- The nearest places of faces, four at a time ---- */

typedef struct four_touches {
    rvi_v4 distance, v, w; /* with the weights of the second and third corners */
    rvi_four away;
} four_touches;

static RVI_HOT rvi_v4 pick(rvi_m4 m, rvi_v4 yes, rvi_v4 no) {
    return (rvi_v4)((m & (rvi_m4)yes) | (~m & (rvi_m4)no));
}

static RVI_HOT rvi_v4 dots(rvi_four a, rvi_four b) {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

static RVI_HOT rvi_four difference(rvi_four a, rvi_four b) {
    return (rvi_four){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* Weights of the second and third corners at the nearest place; `ap` goes from the first corners to
 * the point. The cases exclude each other in this order: corners, edges, interior. */
static RVI_HOT void nearest_weights(rvi_four ab, rvi_four ac, rvi_four ap, rvi_v4 *v, rvi_v4 *w) {
    const rvi_v4 zero = {0}, one = rvi_v4_all(1);
    rvi_four bp = difference(ap, ab), cp = difference(ap, ac);
    rvi_v4 d1 = dots(ab, ap), d2 = dots(ac, ap), d3 = dots(ab, bp), d4 = dots(ac, bp);
    rvi_v4 d5 = dots(ab, cp), d6 = dots(ac, cp);
    rvi_v4 va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    rvi_v4 sum = va + vb + vc, b = d4 - d3, c = d5 - d6;
    rvi_m4 at_a = (d1 <= zero) & (d2 <= zero), left = ~at_a;
    rvi_m4 at_b = left & (d3 >= zero) & (d4 <= d3);
    left &= ~at_b;
    rvi_m4 at_c = left & (d6 >= zero) & (d5 <= d6);
    left &= ~at_c;
    rvi_m4 on_ab = left & (vc <= zero) & (d1 >= zero) & (d3 <= zero);
    left &= ~on_ab;
    rvi_m4 on_ac = left & (vb <= zero) & (d2 >= zero) & (d6 <= zero);
    left &= ~on_ac;
    rvi_m4 on_bc = left & (va <= zero) & (b >= zero) & (c >= zero);
    left &= ~on_bc & (sum > zero);
    rvi_v4 v_up = pick(left, vb, pick(on_ab, d1, pick(at_b, one, zero)));
    rvi_v4 w_up = pick(left, vc, pick(on_ac, d2, pick(on_bc, b, pick(at_c, one, zero))));
    rvi_v4 v_down = pick(left, sum, pick(on_ab, d1 - d3, one));
    rvi_v4 w_down = pick(left, sum, pick(on_ac, d2 - d6, pick(on_bc, b + c, one)));
    *w = w_up / w_down;
    *v = pick(on_bc, one - *w, v_up / v_down);
}

static RVI_HOT rvi_four corners_of(const rvi_wall_index *walls, const uint32_t faces[4],
                                   int corner) {
    const rvi_wall_face *f = walls->faces;
    return rvi_four_from(rvi_v4_load(f[faces[0]].at[corner]), rvi_v4_load(f[faces[1]].at[corner]),
                         rvi_v4_load(f[faces[2]].at[corner]), rvi_v4_load(f[faces[3]].at[corner]));
}

static RVI_HOT four_touches touch_four(const rvi_wall_index *walls, const uint32_t faces[4],
                                       const float p[3]) {
    rvi_four a = corners_of(walls, faces, 0),
             point = {rvi_v4_all(p[0]), rvi_v4_all(p[1]), rvi_v4_all(p[2])};
    rvi_four ab = difference(corners_of(walls, faces, 1), a),
             ac = difference(corners_of(walls, faces, 2), a);
    rvi_four ap = difference(point, a);
    four_touches t;
    nearest_weights(ab, ac, ap, &t.v, &t.w);
    t.away.x = ap.x - (t.v * ab.x + t.w * ac.x);
    t.away.y = ap.y - (t.v * ab.y + t.w * ac.y);
    t.away.z = ap.z - (t.v * ab.z + t.w * ac.z);
    t.distance = rvi_v4_sqrt(dots(t.away, t.away));
    return t;
}

static rvi_touch touch_of(const rvi_wall_index *walls, const four_touches *t, int lane,
                          uint32_t face) {
    rvi_touch out = {.face = face, .distance = t->distance[lane]};
    const float away[3] = {t->away.x[lane], t->away.y[lane], t->away.z[lane]};
    bool on = out.distance < 1e-6f * walls->reach; /* then the direction is only rounding */
    for (int i = 0; i < 3; i++)
        out.away[i] = on ? walls->faces[face].normal[i] : away[i] / out.distance;
    out.weights[1] = t->v[lane];
    out.weights[2] = t->w[lane];
    out.weights[0] = 1 - out.weights[1] - out.weights[2];
    return out;
}

#if defined(__SSE__)
static RVI_HOT unsigned bits_of(rvi_m4 m) {
    return (unsigned)__builtin_ia32_movmskps((rvi_v4)m);
}
#elif defined(__wasm_simd128__)
static RVI_HOT unsigned bits_of(rvi_m4 m) {
    return wasm_i32x4_bitmask((v128_t)m);
}
#else
static RVI_HOT unsigned bits_of(rvi_m4 m) {
    return (unsigned)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
}
#endif

/* Bits of those of four faces that may be nearer than `reach`, by the spheres around them. */
static RVI_HOT unsigned near_four(const rvi_wall_index *w, const uint32_t *faces, const float p[3],
                                  float reach) {
    rvi_v4 a = w->spheres[faces[0]], b = w->spheres[faces[1]], c = w->spheres[faces[2]];
    rvi_v4 d = w->spheres[faces[3]];
    rvi_four at = rvi_four_from(a, b, c, d), from = {at.x - p[0], at.y - p[1], at.z - p[2]};
    rvi_v4 far = ((rvi_v4){a[3], b[3], c[3], d[3]} + reach) * 1.0001f;
    return bits_of(dots(from, from) < far * far);
}

/* Goes through the faces of a cell that may be near, four at a time. */
typedef struct face_scan {
    const rvi_wall_index *walls;
    const float *point;
    const uint32_t *list;
    uint32_t count, at;
    uint32_t faces[8]; /* that come next */
    uint32_t pending;
} face_scan;

static RVI_HOT face_scan scan_at(const rvi_wall_index *walls, const float point[3]) {
    int cell[3];
    const rvi_wall_cell *list = &walls->lists[rvi_wall_index_cell_of(walls, point, cell)];
    return (face_scan){
        .walls = walls, .point = point, .list = walls->pool + list->start, .count = list->count};
}

/* The next four, in their order. At the end there may be fewer: the last one is then repeated.
 * Returns how many there are. */
static RVI_HOT uint32_t next_four(face_scan *h, float reach, uint32_t faces[4]) {
    while (h->pending < 4 && h->at < h->count) {
        uint32_t some = h->count - h->at < 4 ? h->count - h->at : 4;
        unsigned bits = some < 4 ? 15 : near_four(h->walls, h->list + h->at, h->point, reach);
        for (uint32_t k = 0; k < some; k++) {
            h->faces[h->pending] = h->list[h->at + k];
            h->pending += bits >> k & 1;
        }
        h->at += some;
    }
    uint32_t got = h->pending < 4 ? h->pending : 4;
    for (uint32_t k = 0; k < 4 && got > 0; k++) {
        faces[k] = h->faces[k < got ? k : got - 1];
        h->faces[k] = h->faces[k + 4];
    }
    h->pending -= got;
    return got;
}

bool rvi_wall_index_nearest(const rvi_wall_index *walls, const float point[3], float reach,
                            rvi_touch *out) {
    if (walls->face_count == 0)
        return false;
    face_scan h = scan_at(walls, point);
    uint32_t faces[4], got;
    bool found = false;
    while ((got = next_four(&h, reach, faces)) > 0) {
        four_touches t = touch_four(walls, faces, point);
        int best = -1;
        for (uint32_t k = 0; k < got; k++)
            if (t.distance[k] < reach) {
                reach = t.distance[k];
                best = (int)k;
            }
        if (best >= 0)
            *out = touch_of(walls, &t, best, faces[best]);
        found = found || best >= 0;
    }
    return found;
}

bool rvi_wall_index_nearest_by(const rvi_wall_index *walls, const float point[3], float reach,
                               uint32_t guess, rvi_touch *out) {
    float enough = reach;
    if (guess < walls->face_count && walls->live[guess] != 0) {
        const uint32_t faces[4] = {guess, guess, guess, guess};
        float distance = touch_four(walls, faces, point).distance[0];
        enough = distance < reach ? distance * 1.00001f + 1e-30f : reach;
    }
    return rvi_wall_index_nearest(walls, point, rvi_minf(enough, reach), out);
}

/* ---- Walls around a point ---- */

/* Places within reach, the nearest first, at most NEAR of them. */
typedef struct near_list {
    rvi_touch at[NEAR];
    int count;
} near_list;

static void insert(near_list *near, const rvi_touch *touch) {
    int at = near->count;
    if (at == NEAR && near->at[--at].distance <= touch->distance)
        return;
    near->count = at + 1;
    for (; at > 0 && near->at[at - 1].distance > touch->distance; at--)
        near->at[at] = near->at[at - 1];
    near->at[at] = *touch;
}

/* Four faces and their nearest places; `away` has length 1 here. */
typedef struct face_group {
    uint32_t faces[4];
    four_touches touches;
    rvi_four normals;
    unsigned front; /* bits of those within reach of which the point sees the front */
} face_group;

typedef struct face_groups {
    face_group at[GROUPS];
    int count;
    float nearest, best; /* distance of all, and of those with the front to the point */
    int which, lane;     /* where the latter is in `at` */
} face_groups;

static RVI_HOT void add_group(const rvi_wall_index *walls, const float point[3], float reach,
                              uint32_t got, face_groups *all) {
    face_group *s = &all->at[all->count];
    four_touches *t = &s->touches;
    const rvi_wall_face *f = walls->faces;
    *t = touch_four(walls, s->faces, point);
    s->normals =
        rvi_four_from(rvi_v4_load(f[s->faces[0]].normal), rvi_v4_load(f[s->faces[1]].normal),
                      rvi_v4_load(f[s->faces[2]].normal), rvi_v4_load(f[s->faces[3]].normal));
    rvi_m4 on = t->distance < 1e-6f * walls->reach; /* then the direction is only rounding */
    t->away.x = pick(on, s->normals.x, t->away.x / t->distance);
    t->away.y = pick(on, s->normals.y, t->away.y / t->distance);
    t->away.z = pick(on, s->normals.z, t->away.z / t->distance);
    unsigned in = bits_of(t->distance < reach) & ((1u << got) - 1);
    s->front = bits_of(dots(t->away, s->normals) > (rvi_v4){0}) & in;
    for (int k = 0; k < 4 && in >> k != 0; k++) {
        float distance = in >> k & 1 ? t->distance[k] : reach;
        all->nearest = rvi_minf(all->nearest, distance);
        if ((s->front >> k & 1) != 0 && distance < all->best) {
            all->best = distance;
            all->which = all->count;
            all->lane = k;
        }
    }
    all->count += in != 0;
}

static rvi_touch group_touch(const face_group *s, int lane) {
    const four_touches *t = &s->touches;
    return (rvi_touch){s->faces[lane],
                       t->distance[lane],
                       {t->away.x[lane], t->away.y[lane], t->away.z[lane]},
                       {1 - t->v[lane] - t->w[lane], t->v[lane], t->w[lane]}};
}

/* Lists the nearest, and of the others those that are not part of the same wall. */
static void list_groups(const face_groups *all, near_list *near) {
    if (!(all->best < INFINITY))
        return;
    const face_group *first = &all->at[all->which];
    int lane = all->lane;
    rvi_touch nearest = group_touch(first, lane);
    const rvi_v4 zero = {0};
    rvi_four away = {rvi_v4_all(nearest.away[0]), rvi_v4_all(nearest.away[1]),
                     rvi_v4_all(nearest.away[2])};
    rvi_four normal = {rvi_v4_all(first->normals.x[lane]), rvi_v4_all(first->normals.y[lane]),
                       rvi_v4_all(first->normals.z[lane])};
    insert(near, &nearest);
    for (int n = 0; n < all->count; n++) {
        const face_group *s = &all->at[n];
        rvi_v4 alike = rvi_v4_max(dots(s->touches.away, away), dots(s->normals, normal));
        unsigned bits = bits_of(1 - rvi_v4_max(alike, zero) > LEAST_SHARE) & s->front;
        bits &= n == all->which ? ~(1u << lane) : ~0u;
        for (int k = 0; bits >> k != 0; k++)
            if ((bits >> k & 1) != 0) {
                rvi_touch touch = group_touch(s, k);
                insert(near, &touch);
            }
    }
}

/* Returns the distance to the nearest face, or `reach`. Very many faces are listed in several
 * parts. */
static float list_near(const rvi_wall_index *walls, const float point[3], float reach,
                       near_list *near) {
    face_scan h = scan_at(walls, point);
    face_groups all;
    uint32_t got;
    all.count = 0;
    all.nearest = reach;
    all.best = INFINITY;
    while ((got = next_four(&h, reach, all.at[all.count].faces)) > 0) {
        add_group(walls, point, reach, got, &all);
        if (all.count == GROUPS) {
            list_groups(&all, near);
            all.count = 0;
            all.best = INFINITY;
        }
    }
    list_groups(&all, near);
    return all.nearest;
}

/* The part of the half-space behind a place that is not behind a nearer one: all of it where two
 * planes meet at a right angle, nothing where two faces lie in one plane. */
static float share_of(const rvi_wall_index *walls, const rvi_touch *touch, const rvi_touch *before,
                      int count) {
    const float *normal = walls->faces[touch->face].normal;
    if (rvi_dot3f(touch->away, normal) <= 0)
        return 0; /* seen from behind: the far side of a thin wall */
    float most = 0;
    for (int i = 0; i < count; i++) {
        most = rvi_maxf(most, rvi_dot3f(touch->away, before[i].away));
        most = rvi_maxf(most, rvi_dot3f(normal, walls->faces[before[i].face].normal));
    }
    return 1 - most;
}

int rvi_wall_index_around(const rvi_wall_index *walls, const float point[3], float *reach,
                          rvi_touch out[RVI_TOUCHES], float shares[RVI_TOUCHES]) {
    if (walls->face_count == 0)
        return 0;
    near_list near;
    int count = 0;
    near.count = 0;
    *reach = list_near(walls, point, *reach, &near);
    for (int i = 0; i < near.count && count < RVI_TOUCHES; i++) {
        float share = share_of(walls, &near.at[i], out, count);
        if (share <= LEAST_SHARE)
            continue;
        shares[count] = share;
        out[count++] = near.at[i];
    }
    return count;
}
