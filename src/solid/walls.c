/* walls.c: the nearest places of a mesh.
 *
 * Each cell of the grid lists the faces within reach of it, so that a point asks one cell only. The
 * nearest place of a face may lie on it, on an edge or at a corner (C. Ericson, Real-Time Collision
 * Detection, 2005, 5.1.5), so nothing slips through between faces. Inside is where the solid angles
 * of all faces add up to a full turn (A. van Oosterom and J. Strackee, 1983). */
#include "solid/walls.h"

#include <math.h>

#include "base/context.h"
#include "base/math.h"

enum { MOST_CELLS = 1 << 20, NEAR = 24, POLL = 1024 };

static float dot(const float a[3], const float b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

/* ---- Making ---- */

static void make_face(rvi_face *face, const rv_mesh *mesh, size_t number, const double low[3]) {
    float corner[3][3];
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < 3; i++)
            corner[k][i] =
                (float)(mesh->points[3 * (size_t)mesh->corners[3 * number + k] + i] - low[i]);
    for (int i = 0; i < 3; i++) {
        face->a[i] = corner[0][i];
        face->ab[i] = corner[1][i] - corner[0][i];
        face->ac[i] = corner[2][i] - corner[0][i];
        face->low[i] = rvi_minf(rvi_minf(corner[0][i], corner[1][i]), corner[2][i]);
        face->high[i] = rvi_maxf(rvi_maxf(corner[0][i], corner[1][i]), corner[2][i]);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        face->normal[i] = face->ab[j] * face->ac[k] - face->ab[k] * face->ac[j];
    }
    float length = sqrtf(dot(face->normal, face->normal));
    for (int i = 0; i < 3; i++)
        face->normal[i] = length > 0 ? face->normal[i] / length : 0.0f;
}

static int cell_at(const rvi_walls *w, int axis, float x) {
    float place = rvi_clampf(x / w->cell, 0.0f, (float)(w->cells[axis] - 1));
    return (int)place;
}

/* Is the plane of the face near enough to the cell? Keeps slanting faces out of the cells that only
 * the box around them meets. */
static bool plane_near(const rvi_walls *w, const rvi_face *face, const int cell[3]) {
    float from[3], half = 0.5f * w->cell, width = 0;
    for (int i = 0; i < 3; i++) {
        from[i] = ((float)cell[i] + 0.5f) * w->cell - face->a[i];
        width += (half + w->reach) * (face->normal[i] < 0 ? -face->normal[i] : face->normal[i]);
    }
    float distance = dot(from, face->normal);
    return (distance < 0 ? -distance : distance) <= width * 1.001f;
}

/* Counts the face in all its cells, or enters it there, from the back of each list. */
static void visit_cells(rvi_walls *w, uint32_t number) {
    const rvi_face *face = &w->faces[number];
    int low[3], high[3], c[3];
    for (int i = 0; i < 3; i++) {
        low[i] = cell_at(w, i, face->low[i] - w->reach);
        high[i] = cell_at(w, i, face->high[i] + w->reach);
    }
    for (c[2] = low[2]; c[2] <= high[2]; c[2]++)
        for (c[1] = low[1]; c[1] <= high[1]; c[1]++)
            for (c[0] = low[0]; c[0] <= high[0]; c[0]++) {
                if (!plane_near(w, face, c))
                    continue;
                size_t cell =
                    ((size_t)c[2] * (size_t)w->cells[1] + (size_t)c[1]) * (size_t)w->cells[0] +
                    (size_t)c[0];
                if (w->lists == NULL)
                    w->starts[cell]++;
                else
                    w->lists[--w->starts[cell]] = number;
            }
}

static rv_status visit_faces(rvi_walls *w) {
    rv_status status = RV_OK;
    for (size_t f = w->face_count; f-- > 0 && status == RV_OK;) {
        visit_cells(w, (uint32_t)f);
        if (f % POLL == 0)
            status = rvi_poll(w->ctx);
    }
    return status;
}

static rv_status fill_grid(rvi_walls *w) {
    size_t cells = (size_t)w->cells[0] * (size_t)w->cells[1] * (size_t)w->cells[2];
    w->starts = rvi_alloc(w->ctx, cells + 1, sizeof *w->starts, "a grid over the faces");
    if (w->starts == NULL)
        return RV_ERROR_MEMORY;
    rv_status status = visit_faces(w);
    if (status != RV_OK)
        return status;
    size_t sum = 0;
    for (size_t c = 0; c <= cells; c++) { /* each start at the end of its list, to be filled back */
        sum += w->starts[c];
        w->starts[c] = (uint32_t)sum;
    }
    if (sum > UINT32_MAX)
        return rvi_fail(w->ctx, RV_ERROR_MEMORY, "The mesh has too many faces near each other.");
    w->lists = rvi_alloc(w->ctx, sum > 0 ? sum : 1, sizeof *w->lists, "a grid over the faces");
    return w->lists != NULL ? visit_faces(w) : RV_ERROR_MEMORY;
}

/* Cells of twice the reach, or larger ones where there would be too many. */
static void choose_cells(rvi_walls *w, const float size[3]) {
    for (w->cell = 2 * w->reach;; w->cell *= 1.25f) {
        double cells = 1;
        for (int i = 0; i < 3; i++)
            cells *= (double)size[i] / (double)w->cell + 1;
        if (cells <= MOST_CELLS)
            break;
    }
    for (int i = 0; i < 3; i++)
        w->cells[i] = (int)(size[i] / w->cell) + 1;
}

rv_status rvi_walls_create(rv_context *ctx, const rv_mesh *mesh, const double low[3],
                           const float size[3], float reach, rvi_walls *out) {
    *out = (rvi_walls){.ctx = ctx, .reach = reach};
    if (mesh == NULL)
        return RV_OK;
    out->face_count = mesh->face_count;
    choose_cells(out, size);
    out->faces = rvi_alloc(ctx, mesh->face_count, sizeof *out->faces, "the faces of the rock");
    if (out->faces == NULL)
        return RV_ERROR_MEMORY;
    for (size_t f = 0; f < mesh->face_count; f++)
        make_face(&out->faces[f], mesh, f, low);
    rv_status status = fill_grid(out);
    if (status != RV_OK)
        rvi_walls_destroy(out);
    return status;
}

void rvi_walls_destroy(rvi_walls *walls) {
    rvi_free(walls->ctx, walls->faces);
    rvi_free(walls->ctx, walls->starts);
    rvi_free(walls->ctx, walls->lists);
    walls->faces = NULL;
    walls->starts = walls->lists = NULL;
    walls->face_count = 0;
}

/* ---- The nearest place of a face ---- */

/* Of the second and third corner; `ap` goes from the first corner to the point. */
static void nearest_weights(const rvi_face *f, const float ap[3], float *v, float *w) {
    float bp[3], cp[3];
    for (int i = 0; i < 3; i++) {
        bp[i] = ap[i] - f->ab[i];
        cp[i] = ap[i] - f->ac[i];
    }
    float d1 = dot(f->ab, ap), d2 = dot(f->ac, ap), d3 = dot(f->ab, bp), d4 = dot(f->ac, bp);
    float d5 = dot(f->ab, cp), d6 = dot(f->ac, cp);
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
    float ap[3] = {p[0] - f->a[0], p[1] - f->a[1], p[2] - f->a[2]}, v, w;
    nearest_weights(f, ap, &v, &w);
    for (int i = 0; i < 3; i++)
        out->away[i] = ap[i] - (v * f->ab[i] + w * f->ac[i]);
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

static size_t cell_of(const rvi_walls *w, const float p[3]) {
    int c[3];
    for (int i = 0; i < 3; i++)
        c[i] = cell_at(w, i, p[i]);
    return ((size_t)c[2] * (size_t)w->cells[1] + (size_t)c[1]) * (size_t)w->cells[0] + (size_t)c[0];
}

bool rvi_walls_nearest(const rvi_walls *walls, const float point[3], float reach, rvi_touch *out) {
    if (walls->face_count == 0)
        return false;
    size_t cell = cell_of(walls, point);
    bool found = false;
    for (uint32_t k = walls->starts[cell]; k < walls->starts[cell + 1]; k++) {
        rvi_touch touch;
        if (touch_face(walls, walls->lists[k], point, reach, &touch)) {
            *out = touch;
            reach = touch.distance;
            found = true;
        }
    }
    return found;
}

/* ---- Walls around a point ---- */

/* Those within reach, the nearest first, at most NEAR of them. */
static int list_near(const rvi_walls *walls, const float point[3], rvi_touch near[NEAR]) {
    size_t cell = cell_of(walls, point);
    float reach = walls->reach;
    int count = 0;
    for (uint32_t k = walls->starts[cell]; k < walls->starts[cell + 1]; k++) {
        rvi_touch touch;
        if (!touch_face(walls, walls->lists[k], point, reach, &touch))
            continue;
        int at = count < NEAR ? count++ : NEAR - 1;
        for (; at > 0 && near[at - 1].distance > touch.distance; at--)
            near[at] = near[at - 1];
        near[at] = touch;
        if (count == NEAR)
            reach = near[NEAR - 1].distance;
    }
    return count;
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

int rvi_walls_around(const rvi_walls *walls, const float point[3], rvi_touch out[RVI_TOUCHES],
                     float shares[RVI_TOUCHES]) {
    if (walls->face_count == 0)
        return 0;
    rvi_touch near[NEAR];
    int found = list_near(walls, point, near), count = 0;
    for (int i = 0; i < found && count < RVI_TOUCHES; i++) {
        float share = share_of(walls, &near[i], out, count);
        if (share <= 0.01f)
            continue;
        shares[count] = share;
        out[count++] = near[i];
    }
    return count;
}

/* ---- Inside ---- */

static float length_of(const float a[3]) {
    return sqrtf(dot(a, a));
}

bool rvi_walls_inside(const rvi_walls *walls, const float point[3]) {
    double turn = 0;
    for (size_t n = 0; n < walls->face_count; n++) {
        const rvi_face *f = &walls->faces[n];
        float a[3], b[3], c[3], bc[3];
        for (int i = 0; i < 3; i++) {
            a[i] = f->a[i] - point[i];
            b[i] = a[i] + f->ab[i];
            c[i] = a[i] + f->ac[i];
        }
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            bc[i] = b[j] * c[k] - b[k] * c[j];
        }
        float la = length_of(a), lb = length_of(b), lc = length_of(c);
        float low = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
        turn += (double)rvi_atan2f(dot(a, bc), low);
    }
    return turn > RVI_PI; /* half of the full 2 pi */
}
