/* edit_move.c: many vertices of a mesh move together, as far as no faces meet.
 *
 * Old places are kept. Each vertex is at one of four stages: all of its way, half, a quarter, or
 * none. Faces at a moved vertex are tested against everything near. Where two meet, one of their
 * vertices has moved, since faces at their old places never met; all vertices of both that have
 * moved take the next stage. The faces at those are tested again, and so are faces that met more
 * others than are listed: of any two that still meet, one is tested again. A face that was found to
 * be some distance from all others cannot meet them until vertices have moved that far in all:
 * until then it is only tested against those at its edges, onto which it may fold. Each round moves
 * some vertex to its next stage, so that there are at most three times as many rounds as vertices,
 * and after the last no faces meet. */
#include "mesh/edit_mesh.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"
#include "base/vector.h"

enum { BLOCK = 64, STAYS = 3, MARGIN = 96 };

typedef struct mover {
    rvi_edit_mesh *edit;
    const uint32_t *which;
    const double (*to)[3];
    size_t count;
    rvi_spot *old;    /* of the vertices: where they were, */
    rvi_spot *way;    /* how far they go in steps, */
    uint8_t *stage;   /* and how much of it: all, a half, a quarter, nothing */
    uint8_t *turned;  /* took its next stage in this round */
    uint32_t *all;    /* faces that touch them */
    size_t all_count; /* how many */
    uint32_t *dirty;  /* those that must be tested */
    size_t dirty_count;
    uint32_t (*met)[RVI_PARTNERS]; /* what they met */
    uint8_t *mets;                 /* how many */
    int64_t reach, margin; /* steps: how far any vertex goes, and how far is looked around */
    rvi_wide *grown;       /* of all faces: by how much six times the volume grew */
} mover;

/* ---- How far ---- */

/* The square of the length of the shortest edge at a vertex, in steps. */
static double shortest_edge(const rvi_edit_mesh *edit, uint32_t vertex) {
    double least = INFINITY;
    rvi_spot p = edit->spots[vertex];
    uint32_t first = edit->edges.leaving[vertex], e = first;
    do {
        rvi_spot q = edit->spots[rvi_edge_to(&edit->edges, e)];
        double x = (double)(q.x - p.x), y = (double)(q.y - p.y), z = (double)(q.z - p.z);
        double square = x * x + y * y + z * z;
        least = square < least ? square : least;
        e = rvi_edge_around(&edit->edges, e);
    } while (e != first);
    return least;
}

static bool on_lattice(double x) {
    return x >= -(double)RVI_LATTICE_MOST && x <= (double)RVI_LATTICE_MOST;
}

static void plan_vertex(mover *m, size_t i) {
    const rvi_edit_mesh *edit = m->edit;
    uint32_t v = m->which[i];
    rvi_spot p = m->old[i] = edit->spots[v];
    double way[3] = {m->to[i][0] / edit->step - (double)p.x, m->to[i][1] / edit->step - (double)p.y,
                     m->to[i][2] / edit->step - (double)p.z};
    double square = rvi_dot3(way, way);
    double most = shortest_edge(edit, v) / 4, share = 1;
    m->stage[i] = STAYS;
    if (edit->fixed[v] || !(square < INFINITY))
        return;
    if (square > most)
        share = sqrt(most / square);
    for (int k = 0; k < 3; k++)
        way[k] = (way[k] * share + RVI_ROUND) - RVI_ROUND;
    if (!on_lattice((double)p.x + way[0]) || !on_lattice((double)p.y + way[1]) ||
        !on_lattice((double)p.z + way[2]))
        return;
    m->way[i] = (rvi_spot){(int64_t)way[0], (int64_t)way[1], (int64_t)way[2]};
    m->stage[i] = 0;
}

static size_t block_end(int64_t block, size_t count) {
    size_t end = ((size_t)block + 1) * BLOCK;
    return end < count ? end : count;
}

static int64_t blocks_of(size_t count) {
    return (int64_t)((count + BLOCK - 1) / BLOCK);
}

static void plan(void *arg, int64_t block) {
    mover *m = arg;
    for (size_t i = (size_t)block * BLOCK; i < block_end(block, m->count); i++)
        plan_vertex(m, i);
}

static void place_vertex(const mover *m, size_t i) {
    rvi_spot p = m->old[i], way = m->way[i];
    int64_t part = INT64_C(1) << m->stage[i]; /* 1, 2, 4 */
    if (m->stage[i] < STAYS)
        p = (rvi_spot){p.x + way.x / part, p.y + way.y / part, p.z + way.z / part};
    m->edit->spots[m->which[i]] = p;
}

/* ---- Which faces ---- */

/* Adds the faces around a vertex that do not bear the stamp yet. */
static size_t add_faces(rvi_edit_mesh *edit, uint32_t vertex, uint32_t *list, size_t count) {
    uint32_t first = edit->edges.leaving[vertex], e = first;
    do {
        uint32_t face = e / 3;
        if (edit->marks[face] != edit->stamp) {
            edit->marks[face] = edit->stamp;
            list[count++] = face;
        }
        e = rvi_edge_around(&edit->edges, e);
    } while (e != first);
    return count;
}

static size_t count_faces(const mover *m) {
    const rvi_edit_mesh *edit = m->edit;
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        uint32_t first = edit->edges.leaving[m->which[i]], e = first;
        assert(first != RVI_NONE && "a vertex that is not there cannot move");
        do {
            count++;
            e = rvi_edge_around(&edit->edges, e);
        } while (e != first);
    }
    return count;
}

static rv_status enter(rvi_edit_mesh *edit, const uint32_t *faces, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rvi_triangle t = rvi_edit_triangle(edit, faces[i]);
        rvi_box box = rvi_triangle_box(&t);
        if (rvi_grid_put(&edit->grid, faces[i], &box) != RV_OK)
            return RV_ERROR_MEMORY;
    }
    return RV_OK;
}

/* ---- Tests ---- */

static rvi_spot old_spot(const mover *m, uint32_t vertex) {
    uint32_t slot = m->edit->slots[vertex];
    return slot != RVI_NONE ? m->old[slot] : m->edit->spots[vertex];
}

/* Has the face turned by a right angle or more? */
static bool turned_over(const mover *m, uint32_t face) {
    rvi_triangle t = rvi_edit_triangle(m->edit, face);
    rvi_plane now = rvi_plane_of(t.spots[0], t.spots[1], t.spots[2]);
    rvi_plane old = rvi_plane_of(old_spot(m, t.vertices[0]), old_spot(m, t.vertices[1]),
                                 old_spot(m, t.vertices[2]));
    return !(rvi_dot3(now.normal, old.normal) > 0);
}

/* Such a face has not turned, whatever rounded normals of nearly no length may say. */
static bool all_at_old_places(const mover *m, uint32_t face) {
    for (size_t k = 0; k < 3; k++) {
        uint32_t slot = m->edit->slots[m->edit->edges.corners[3 * (size_t)face + k]];
        if (slot != RVI_NONE && m->stage[slot] < STAYS)
            return false;
    }
    return true;
}

static void test_faces(void *arg, int64_t block) {
    mover *m = arg;
    for (size_t i = (size_t)block * BLOCK; i < block_end(block, m->dirty_count); i++) {
        uint32_t face = m->dirty[i];
        if (!all_at_old_places(m, face) && turned_over(m, face)) {
            m->met[i][0] = face;
            m->mets[i] = 1;
        } else {
            bool safe = m->edit->travel + m->reach < m->edit->safe[face];
            m->mets[i] = (uint8_t)(safe ? rvi_face_folds(m->edit, face, m->met[i])
                                        : rvi_face_meets(m->edit, face, m->margin, m->met[i]));
        }
    }
}

/* The vertices of a face take their next stage, once a round. */
static size_t next_stage(mover *m, uint32_t face) {
    size_t count = 0;
    for (size_t k = 0; k < 3; k++) {
        uint32_t slot = m->edit->slots[m->edit->edges.corners[3 * (size_t)face + k]];
        if (slot != RVI_NONE && m->stage[slot] < STAYS && !m->turned[slot]) {
            m->turned[slot] = 1;
            m->stage[slot]++;
            count++;
        }
    }
    return count;
}

/* Takes back what met, and finds the faces that must be tested again: those that this changes, and
 * those that may meet more than was written down, even if they stay where they are. */
static rv_status take_back(mover *m) {
    rvi_edit_mesh *edit = m->edit;
    size_t turned = 0, met = 0, kept = 0;
    for (size_t i = 0; i < m->dirty_count; i++) {
        uint32_t face = m->dirty[i];
        met += m->mets[i];
        if (m->mets[i] > 0)
            turned += next_stage(m, face);
        for (size_t k = 0; k < m->mets[i]; k++)
            turned += next_stage(m, m->met[i][k]);
        if (m->mets[i] == RVI_PARTNERS)
            m->dirty[kept++] = face;
    }
    if (turned == 0 && met > 0) /* cannot be: faces at their old places never met */
        return rvi_fail(edit->ctx, RV_ERROR_INTERNAL, "Faces meet that were not moved.");
    m->dirty_count = kept;
    if (turned == 0)
        return RV_OK;
    rvi_edit_stamp(edit);
    for (size_t i = 0; i < kept; i++)
        edit->marks[m->dirty[i]] = edit->stamp;
    for (size_t i = 0; i < m->count; i++)
        if (m->turned[i]) {
            m->turned[i] = 0;
            place_vertex(m, i);
            m->dirty_count = add_faces(edit, m->which[i], m->dirty, m->dirty_count);
        }
    return enter(edit, m->dirty, m->dirty_count);
}

/* ---- All of it ---- */

static void measure(void *arg, int64_t block) {
    mover *m = arg;
    for (size_t i = (size_t)block * BLOCK; i < block_end(block, m->all_count); i++) {
        rvi_triangle t = rvi_edit_triangle(m->edit, m->all[i]);
        rvi_spot origin = {0, 0, 0}, a = old_spot(m, t.vertices[0]), b = old_spot(m, t.vertices[1]),
                 c = old_spot(m, t.vertices[2]);
        m->grown[i] =
            rvi_volume(origin, t.spots[0], t.spots[1], t.spots[2]) - rvi_volume(origin, a, b, c);
    }
}

/* Adds what the volumes grew, or takes it away again. */
static void book(const mover *m, int sign) {
    rvi_edit_mesh *edit = m->edit;
    for (size_t i = 0; i < m->all_count; i++) {
        rvi_wide *sum = &edit->volumes[edit->shell[m->all[i]]];
        *sum = rvi_wide_plus(*sum, sign * m->grown[i]);
    }
}

/* Everything as it was, which needs no memory. */
static void restore(const mover *m) {
    for (size_t i = 0; i < m->count; i++) {
        m->stage[i] = STAYS;
        place_vertex(m, i);
    }
    enter(m->edit, m->all, m->all_count);
}

/* How far any vertex went at most, along an axis. */
static int64_t longest_way(const mover *m) {
    int64_t most = 0;
    for (size_t i = 0; i < m->count; i++) {
        int64_t way[3] = {m->way[i].x, m->way[i].y, m->way[i].z};
        for (int k = 0; k < 3 && m->stage[i] < STAYS; k++) {
            int64_t size = way[k] < 0 ? -way[k] : way[k];
            most = size > most ? size : most;
        }
    }
    return most;
}

/* How far to look around, so that faces are found to be safe for some moves like this one; but not
 * much farther than faces are large. */
static void choose_margin(mover *m) {
    rvi_edit_mesh *edit = m->edit;
    int64_t sum = 0;
    m->reach = longest_way(m);
    for (size_t i = 0; i < m->all_count; i++) {
        const rvi_box *box = &edit->grid.boxes[m->all[i]];
        int64_t side = 0;
        for (int k = 0; k < 3; k++)
            side = box->high[k] - box->low[k] > side ? box->high[k] - box->low[k] : side;
        sum += side;
    }
    int64_t most = m->all_count > 0 ? (sum / (int64_t)m->all_count) << (RVI_BOX_BITS - 2) : 0;
    m->margin = MARGIN * m->reach < most ? MARGIN * m->reach : most;
    edit->margin = m->margin > edit->margin ? m->margin : edit->margin;
    if (edit->travel > INT64_MAX / 2) {
        memset(edit->safe, 0, edit->faces * sizeof *edit->safe);
        edit->travel = 0;
    }
}

static rv_status test_all(mover *m) {
    rvi_edit_mesh *edit = m->edit;
    rv_status status = enter(edit, m->dirty, m->dirty_count);
    while (status == RV_OK && m->dirty_count > 0) {
        status = rvi_parallel(edit->ctx, blocks_of(m->dirty_count), test_faces, m);
        if (status == RV_OK)
            status = take_back(m);
    }
    if (status != RV_OK) {
        restore(m);
        return status;
    }
    rvi_finish(edit->ctx, blocks_of(m->all_count), measure, m);
    book(m, 1);
    if (!rvi_shells_stay(edit, longest_way(m))) {
        book(m, -1);
        restore(m);
    }
    return RV_OK;
}

static rv_status move_all(mover *m, size_t *refused) {
    rvi_edit_mesh *edit = m->edit;
    rv_status status = rvi_parallel(edit->ctx, blocks_of(m->count), plan, m);
    if (status != RV_OK)
        return status;
    rvi_edit_stamp(edit);
    for (size_t i = 0; i < m->count; i++) {
        assert(edit->slots[m->which[i]] == RVI_NONE && "a vertex can move only once");
        edit->slots[m->which[i]] = (uint32_t)i;
        place_vertex(m, i);
        m->all_count = add_faces(edit, m->which[i], m->all, m->all_count);
    }
    for (size_t i = 0; i < m->all_count; i++)
        m->dirty[i] = m->all[i];
    m->dirty_count = m->all_count;
    choose_margin(m);
    status = test_all(m);
    edit->travel += m->reach;
    for (size_t i = 0; i < m->count; i++) {
        edit->slots[m->which[i]] = RVI_NONE;
        *refused += m->stage[i] > 0;
    }
    for (size_t i = 0; i < m->all_count; i++) {
        edit->changed[m->all[i]] = 1;
        if (edit->shapes[m->all[i]] == RVI_SHAPE_GOOD)
            edit->shapes[m->all[i]] = RVI_SHAPE_CHANGED;
    }
    return status;
}

rv_status rvi_edit_move(rvi_edit_mesh *edit, const uint32_t *which, const double (*to)[3],
                        size_t count, size_t *refused) {
    rv_context *ctx = edit->ctx;
    static const char what[] = "the moves of an edited mesh";
    mover m = {.edit = edit, .which = which, .to = to, .count = count};
    size_t faces = count_faces(&m), stayed = 0;
    m.old = rvi_alloc(ctx, count, sizeof *m.old, what);
    m.way = rvi_alloc(ctx, count, sizeof *m.way, what);
    m.stage = rvi_alloc(ctx, count, 2, what); /* with `turned` behind it */
    m.all = rvi_alloc(ctx, faces, 2 * sizeof *m.all, what);
    m.met = rvi_alloc(ctx, faces, sizeof *m.met, what);
    m.mets = rvi_alloc(ctx, faces, 1, what);
    m.grown = rvi_alloc(ctx, faces, sizeof *m.grown, what);
    rv_status status = RV_ERROR_MEMORY;
    if (m.old != NULL && m.way != NULL && m.stage != NULL && m.all != NULL && m.met != NULL &&
        m.mets != NULL && m.grown != NULL) {
        m.turned = m.stage + count;
        m.dirty = m.all + faces;
        status = move_all(&m, &stayed);
    }
    void *arrays[] = {m.old, m.way, m.stage, m.all, m.met, m.mets, m.grown};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        rvi_free(ctx, arrays[i]);
    edit->refused_moves += status == RV_OK ? stayed : 0;
    if (refused != NULL)
        *refused = stayed;
    return status;
}
