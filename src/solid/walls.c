/* walls.c: the nearest places of a mesh.
 *
 * Each cell of the grid lists the faces within reach of it, so that a point asks one cell only. The
 * nearest place of a face may lie on it, on an edge or at a corner (C. Ericson, Real-Time Collision
 * Detection, 2005, 5.1.5), so nothing slips through between faces. */
#include "solid/walls.h"

#include <math.h>

#include "base/math.h"

enum { NEAR = 24 };

static float dot(const float a[3], const float b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

/* ---- The nearest place of a face ---- */

/* Of the second and third corner; `ap` goes from the first corner to the point. */
static void nearest_weights(const float ab[3], const float ac[3], const float ap[3], float *v,
                            float *w) {
    float bp[3], cp[3];
    for (int i = 0; i < 3; i++) {
        bp[i] = ap[i] - ab[i];
        cp[i] = ap[i] - ac[i];
    }
    float d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp);
    float d5 = dot(ab, cp), d6 = dot(ac, cp);
    float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    *v = *w = 0;
    if (d1 <= 0 && d2 <= 0)
        return;
    if (d3 >= 0 && d4 <= d3) {
        *v = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        *w = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        *v = d1 / (d1 - d3);
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        *w = d2 / (d2 - d6);
    } else if (va <= 0 && d4 >= d3 && d5 >= d6) {
        *w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        *v = 1 - *w;
    } else if (va + vb + vc > 0) {
        *v = vb / (va + vb + vc);
        *w = vc / (va + vb + vc);
    }
}

static float box_distance(const rvi_face *f, const float p[3]) { /* squared */
    float sum = 0;
    for (int i = 0; i < 3; i++) {
        float out = rvi_maxf(rvi_maxf(f->low[i] - p[i], p[i] - f->high[i]), 0.0f);
        sum += out * out;
    }
    return sum;
}

/* True when the face is nearer than `reach`. */
static bool touch_face(const rvi_walls *walls, uint32_t number, const float p[3], float reach,
                       rvi_touch *out) {
    const rvi_face *f = &walls->faces[number];
    if (box_distance(f, p) >= reach * reach)
        return false;
    float ab[3], ac[3], ap[3], v, w;
    for (int i = 0; i < 3; i++) {
        ab[i] = f->at[1][i] - f->at[0][i];
        ac[i] = f->at[2][i] - f->at[0][i];
        ap[i] = p[i] - f->at[0][i];
    }
    nearest_weights(ab, ac, ap, &v, &w);
    for (int i = 0; i < 3; i++)
        out->away[i] = ap[i] - (v * ab[i] + w * ac[i]);
    float distance = sqrtf(dot(out->away, out->away));
    if (!(distance < reach))
        return false;
    bool on = distance < 1e-6f * walls->reach; /* then the direction says nothing */
    for (int i = 0; i < 3; i++)
        out->away[i] = on ? f->normal[i] : out->away[i] / distance;
    out->face = number;
    out->distance = distance;
    out->weights[0] = 1 - v - w;
    out->weights[1] = v;
    out->weights[2] = w;
    return true;
}

#if defined(__SSE__)
static RVI_HOT unsigned bits_of(rvi_m4 m) {
    return (unsigned)__builtin_ia32_movmskps((rvi_v4)m);
}
#else
static RVI_HOT unsigned bits_of(rvi_m4 m) {
    return (unsigned)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
}
#endif

/* Which of four faces of a list may be nearer than `reach`? Their bits, by the balls around them.
 */
static RVI_HOT unsigned near_four(const rvi_walls *w, const uint32_t *faces, const float p[3],
                                  float reach) {
    rvi_v4 a = w->balls[faces[0]], b = w->balls[faces[1]], c = w->balls[faces[2]];
    rvi_v4 d = w->balls[faces[3]], xy[2], zr[2];
    xy[0] = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    xy[1] = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    zr[0] = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    zr[1] = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    rvi_v4 x = __builtin_shufflevector(xy[0], xy[1], 0, 1, 4, 5) - p[0];
    rvi_v4 y = __builtin_shufflevector(xy[0], xy[1], 2, 3, 6, 7) - p[1];
    rvi_v4 z = __builtin_shufflevector(zr[0], zr[1], 0, 1, 4, 5) - p[2];
    rvi_v4 far = (__builtin_shufflevector(zr[0], zr[1], 2, 3, 6, 7) + reach) * 1.0001f;
    rvi_m4 near = ((x * x + y * y) + z * z) < far * far;
    return bits_of(near);
}

/* The faces of a list that may be near, by their bits; `at` is a multiple of four. */
static RVI_HOT unsigned near_bits(const rvi_walls *w, const rvi_cell *list, uint32_t at,
                                  const float p[3], float reach) {
    if (at + 4 <= list->count)
        return near_four(w, w->pool + list->start + at, p, reach);
    return (1u << (list->count - at)) - 1;
}

bool rvi_walls_nearest(const rvi_walls *walls, const float point[3], float reach, rvi_touch *out) {
    if (walls->face_count == 0)
        return false;
    int cell[3];
    rvi_cell list = walls->lists[rvi_walls_cell(walls, point, cell)];
    bool found = false;
    for (uint32_t at = 0; at < list.count; at += 4) {
        unsigned bits = near_bits(walls, &list, at, point, reach);
        for (uint32_t k = list.start + at; bits != 0; k++, bits >>= 1) {
            rvi_touch touch;
            if ((bits & 1) == 0 || !touch_face(walls, walls->pool[k], point, reach, &touch))
                continue;
            *out = touch;
            reach = touch.distance;
            found = true;
        }
    }
    return found;
}

bool rvi_walls_nearest_by(const rvi_walls *walls, const float point[3], float reach, uint32_t guess,
                          rvi_touch *out) {
    rvi_touch touch;
    bool near = guess < walls->face_count && walls->live[guess] != 0 &&
                touch_face(walls, guess, point, reach, &touch);
    float enough = near ? touch.distance * 1.00001f + 1e-30f : reach;
    return rvi_walls_nearest(walls, point, rvi_minf(enough, reach), out);
}

/* ---- Walls around a point ---- */

/* Those within reach, the nearest first, at most NEAR of them. */
typedef struct near_list {
    rvi_touch at[NEAR];
    int count;
    float reach;
} near_list;

static void insert(near_list *near, const rvi_touch *touch) {
    int at = near->count < NEAR ? near->count++ : NEAR - 1;
    for (; at > 0 && near->at[at - 1].distance > touch->distance; at--)
        near->at[at] = near->at[at - 1];
    near->at[at] = *touch;
    if (near->count == NEAR)
        near->reach = near->at[NEAR - 1].distance;
}

static void list_near(const rvi_walls *walls, const float point[3], near_list *near) {
    int cell[3];
    rvi_cell list = walls->lists[rvi_walls_cell(walls, point, cell)];
    for (uint32_t at = 0; at < list.count; at += 4) {
        unsigned bits = near_bits(walls, &list, at, point, near->reach);
        for (uint32_t k = list.start + at; bits != 0; k++, bits >>= 1) {
            rvi_touch touch;
            if ((bits & 1) != 0 && touch_face(walls, walls->pool[k], point, near->reach, &touch))
                insert(near, &touch);
        }
    }
}

/* What part of the half-space behind a place is not behind one of those before it: two planes at a
 * right angle share nothing, one plane in two faces is one. */
static float share_of(const rvi_walls *walls, const rvi_touch *touch, const rvi_touch *before,
                      int count) {
    const float *normal = walls->faces[touch->face].normal;
    if (dot(touch->away, normal) <= 0)
        return 0; /* seen from behind: the far side of a thin wall */
    float most = 0;
    for (int i = 0; i < count; i++) {
        most = rvi_maxf(most, dot(touch->away, before[i].away));
        most = rvi_maxf(most, dot(normal, walls->faces[before[i].face].normal));
    }
    return 1 - most;
}

int rvi_walls_around(const rvi_walls *walls, const float point[3], float *reach,
                     rvi_touch out[RVI_TOUCHES], float shares[RVI_TOUCHES]) {
    if (walls->face_count == 0)
        return 0;
    near_list near;
    int count = 0;
    near.count = 0;
    near.reach = *reach;
    list_near(walls, point, &near);
    *reach = near.count > 0 ? near.at[0].distance : *reach;
    for (int i = 0; i < near.count && count < RVI_TOUCHES; i++) {
        float share = share_of(walls, &near.at[i], out, count);
        if (share <= 0.01f)
            continue;
        shares[count] = share;
        out[count++] = near.at[i];
    }
    return count;
}
