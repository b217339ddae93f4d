/* wall_index_inside.c: is a point inside the rock?
 *
 * A cell without faces is inside or outside as a whole, which is found once and stored. From a
 * point in a cell with faces a path leads to such a cell, from cell to cell through a pseudo-random
 * point of each, and each crossing of a face changes the side. A segment of the path stays in one
 * cell, whose list has all faces that it may cross. Two faces with a common edge compute the same
 * bits for it, so that no segment passes between them. Where a segment passes so near to an edge
 * that rounding could hide the side, another path is tried, and at last the winding number is
 * computed: inside, the solid angles of all faces add up to a full turn (A. van Oosterom and J.
 * Strackee, 1983). */
#include "water/wall_index.h"

#include <math.h>

#include "base/context.h"
#include "base/math.h"
#include "base/random.h"
#include "base/vector.h"

/* ---- The winding number ---- */

bool rvi_wall_index_winding(const rvi_wall_index *walls, const float point[3]) {
    double turn = 0;
    for (size_t n = 0; n < walls->face_count; n++) {
        if (!walls->live[n])
            continue;
        double at[3][3], bc[3], length[3];
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 3; i++)
                at[k][i] = (double)walls->faces[n].at[k][i] - (double)point[i];
            length[k] = rvi_length3(at[k]);
        }
        rvi_cross3(at[1], at[2], bc);
        double low = length[0] * length[1] * length[2] + rvi_dot3(at[0], at[1]) * length[2] +
                     rvi_dot3(at[1], at[2]) * length[0] + rvi_dot3(at[2], at[0]) * length[1];
        turn += (double)rvi_atan2f((float)rvi_dot3(at[0], bc), (float)low);
    }
    return turn > RVI_PI; /* half of the full 2 pi */
}

/* ---- Segments ---- */

typedef enum crossing { NO, YES, MAYBE } crossing;

/* The sign of d . (a x b), or 0 where rounding could have changed it. */
static int orientation(const double d[3], const double a[3], const double b[3], double *value) {
    double ab[3], size = 0;
    rvi_cross3(a, b, ab);
    *value = rvi_dot3(d, ab);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        size += fabs(d[i]) * (fabs(a[j] * b[k]) + fabs(a[k] * b[j]));
    }
    double bound = size * 0x1p-48;
    return (*value > bound) - (*value < -bound);
}

static bool boxes_apart(const rvi_wall_face *f, const float p[3], const float q[3]) {
    for (int i = 0; i < 3; i++)
        if (rvi_maxf(p[i], q[i]) < f->low[i] || rvi_minf(p[i], q[i]) > f->high[i])
            return true;
    return false;
}

/* The line pq passes through the triangle when it has all three edges on the same side; the segment
 * crosses it when p and q also lie on different sides of its plane. */
static crossing cross_face(const rvi_wall_face *f, const float p[3], const float q[3]) {
    if (boxes_apart(f, p, q))
        return NO;
    double d[3], at[3][3], value[3], volume;
    for (int i = 0; i < 3; i++) {
        d[i] = (double)q[i] - (double)p[i];
        for (int k = 0; k < 3; k++)
            at[k][i] = (double)f->at[k][i] - (double)p[i];
    }
    int left = 0, right = 0;
    for (int k = 0; k < 3; k++) {
        int sign = orientation(d, at[k], at[(k + 1) % 3], &value[k]);
        left += sign > 0;
        right += sign < 0;
    }
    if (left > 0 && right > 0)
        return NO;
    int side = orientation(at[0], at[1], at[2], &volume);
    if (left + right < 3 || side == 0)
        return MAYBE;
    double share = volume / ((value[0] + value[1]) + value[2]); /* of the segment, to the plane */
    if (share < 0 || share > 1 + 1e-9)
        return NO;
    return share < 1 - 1e-9 ? YES : MAYBE;
}

/* Counts the crossings of the segment pq, which is in one cell; `changes` is whether they are odd.
 * False: it cannot be decided. */
static bool cross_faces(const rvi_wall_index *w, size_t cell, const float p[3], const float q[3],
                        bool *changes) {
    rvi_wall_cell list = w->lists[cell];
    for (uint32_t k = list.start; k < list.start + list.count; k++) {
        crossing c = cross_face(&w->faces[w->pool[k]], p, q);
        if (c == MAYBE)
            return false;
        *changes ^= c == YES;
    }
    return true;
}

/* ---- Paths ---- */

/* A pseudo-random point in the cell; or, with `side` an axis, on the side that the cell shares with
 * the next one along it. */
static void sample_point(const rvi_wall_index *w, const int cell[3], int side, float out[3]) {
    size_t number = rvi_wall_index_cell_number(w, cell);
    for (int i = 0; i < 3; i++) {
        float share = 0.3f + 0.4f * rvi_unit(rvi_random(number, (uint64_t)(side + 1), (uint64_t)i));
        out[i] = ((float)cell[i] + (i == side ? 1.0f : share)) * w->cell;
    }
}

/* From the sample point of a cell to that of the next one along an axis; `by` is 1 or -1. */
static bool cross_to_next(const rvi_wall_index *w, const int cell[3], int axis, int by,
                          bool *changes) {
    int next[3] = {cell[0], cell[1], cell[2]};
    next[axis] += by;
    float from[3], between[3], to[3];
    sample_point(w, cell, -1, from);
    sample_point(w, by > 0 ? cell : next, axis, between);
    sample_point(w, next, -1, to);
    return cross_faces(w, rvi_wall_index_cell_number(w, cell), from, between, changes) &&
           cross_faces(w, rvi_wall_index_cell_number(w, next), between, to, changes);
}

static bool is_known(const rvi_wall_index *w, size_t cell) {
    return w->lists[cell].count == 0 && w->sides[cell] != RVI_UNKNOWN;
}

static bool inside_along(const rvi_wall_index *w, const int cell[3], int axis, int by, int count,
                         bool *inside) {
    int c[3] = {cell[0], cell[1], cell[2]};
    bool changes = false;
    for (int n = 0; n < count; n++, c[axis] += by)
        if (!cross_to_next(w, c, axis, by, &changes))
            return false;
    *inside = (w->sides[rvi_wall_index_cell_number(w, c)] == RVI_INSIDE) != changes;
    return true;
}

/* Is the sample point of the cell inside? Looks for known cells along all six directions, the
 * nearest first. */
static bool sample_is_inside(const rvi_wall_index *w, const int cell[3]) {
    bool tried[6] = {false}, inside;
    for (int count = 1, left = 6; left > 0; count++)
        for (int k = 0; k < 6; k++) {
            int c[3] = {cell[0], cell[1], cell[2]}, axis = k / 2, by = k % 2 == 0 ? 1 : -1;
            c[axis] += by * count;
            bool beyond = c[axis] < 0 || c[axis] >= w->cells[axis];
            if (tried[k] || !(beyond || is_known(w, rvi_wall_index_cell_number(w, c))))
                continue;
            if (!beyond && inside_along(w, cell, axis, by, count, &inside))
                return inside;
            tried[k] = true;
            left--;
        }
    float at[3];
    sample_point(w, cell, -1, at);
    return rvi_wall_index_winding(w, at);
}

bool rvi_wall_index_inside(const rvi_wall_index *walls, const float point[3]) {
    if (walls->face_count == 0)
        return false;
    for (int i = 0; i < 3; i++)
        if (!(point[i] >= 0 && point[i] <= walls->size[i]))
            return rvi_wall_index_winding(walls, point);
    int cell[3];
    size_t number = rvi_wall_index_cell_of(walls, point, cell);
    if (walls->lists[number].count == 0)
        return walls->sides[number] == RVI_INSIDE;
    float sample[3];
    bool changes = false;
    sample_point(walls, cell, -1, sample);
    if (!cross_faces(walls, number, point, sample, &changes))
        return rvi_wall_index_winding(walls, point);
    return sample_is_inside(walls, cell) != changes;
}

/* ---- Sides of cells ---- */

void rvi_wall_index_resolve_unknown(rvi_wall_index *walls) {
    for (size_t k = 0; k < walls->unknown_count; k++) {
        size_t number = walls->unknown_cells[k];
        int cell[3] = {(int)(number % (size_t)walls->cells[0]),
                       (int)(number / (size_t)walls->cells[0] % (size_t)walls->cells[1]),
                       (int)(number / (size_t)walls->cells[0] / (size_t)walls->cells[1])};
        bool empty = walls->lists[number].count == 0;
        walls->sides[number] = empty && sample_is_inside(walls, cell) ? RVI_INSIDE : RVI_OUTSIDE;
    }
    walls->unknown_count = 0;
}

/* Is the sample point of a cell inside? `before`: is that of the cell before it along the axis? */
static bool side_after(const rvi_wall_index *w, const int cell[3], int axis, bool before) {
    int from[3] = {cell[0], cell[1], cell[2]};
    from[axis]--;
    bool changes = false;
    if (cross_to_next(w, from, axis, 1, &changes))
        return before != changes;
    float at[3];
    sample_point(w, cell, -1, at);
    return rvi_wall_index_winding(w, at);
}

rv_status rvi_wall_index_find_sides(rvi_wall_index *w) {
    int c[3] = {0};
    float at[3];
    sample_point(w, c, -1, at);
    bool plane = rvi_wall_index_winding(w, at);
    for (c[2] = 0; c[2] < w->cells[2]; c[2]++) {
        c[0] = c[1] = 0;
        plane = c[2] == 0 ? plane : side_after(w, c, 2, plane);
        bool row = plane;
        for (c[1] = 0; c[1] < w->cells[1]; c[1]++) {
            c[0] = 0;
            row = c[1] == 0 ? row : side_after(w, c, 1, row);
            bool here = row;
            for (c[0] = 0; c[0] < w->cells[0]; c[0]++) {
                here = c[0] == 0 ? here : side_after(w, c, 0, here);
                w->sides[rvi_wall_index_cell_number(w, c)] = here ? RVI_INSIDE : RVI_OUTSIDE;
            }
            rv_status status = rvi_poll(w->ctx);
            if (status != RV_OK)
                return status;
        }
    }
    return RV_OK;
}
