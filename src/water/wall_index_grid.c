/* wall_index_grid.c: which faces are near which cells, while faces change.
 *
 * A face is entered in the cells within reach of it and some slack: until it has moved by more than
 * the slack, no list has to change. Lists are in the order of the numbers of faces, so that an
 * index that was changed gives the same answers as a new one. */
#include "water/wall_index.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"
#include "base/vector.h"

enum { MOST_CELLS = 1 << 20, LEAST_ROOM = 4, BLOCK = 64 };
#define NOTHING UINT32_MAX
/* As a share of the reach. */
#define SLACK 0.06f

bool rvi_wall_index_jumped(const rvi_wall_index *walls, const float point[3]) {
    int cell[3];
    return walls->face_count > 0 &&
           walls->stamps[rvi_wall_index_cell_of(walls, point, cell)] == walls->round;
}

/* ---- Faces ---- */

static void make_face(const rvi_wall_index *w, const double at[3][3], rvi_wall_face *face) {
    float ab[3], ac[3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            face->at[k][i] = (float)(at[k][i] - w->low[i]);
    for (int i = 0; i < 3; i++) {
        ab[i] = face->at[1][i] - face->at[0][i];
        ac[i] = face->at[2][i] - face->at[0][i];
        face->low[i] = rvi_minf(rvi_minf(face->at[0][i], face->at[1][i]), face->at[2][i]);
        face->high[i] = rvi_maxf(rvi_maxf(face->at[0][i], face->at[1][i]), face->at[2][i]);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        face->normal[i] = ab[j] * ac[k] - ab[k] * ac[j];
    }
    float length = rvi_length3f(face->normal);
    for (int i = 0; i < 3; i++)
        face->normal[i] = length > 0 ? face->normal[i] / length : 0.0f;
}

static rvi_v4 sphere_of(const rvi_wall_face *face) {
    rvi_v4 sphere = {0};
    for (int i = 0; i < 3; i++)
        sphere[i] = 0.5f * (face->low[i] + face->high[i]);
    for (int k = 0; k < 3; k++) {
        float from[3] = {face->at[k][0] - sphere[0], face->at[k][1] - sphere[1],
                         face->at[k][2] - sphere[2]};
        sphere[3] = rvi_maxf(sphere[3], rvi_length3f(from));
    }
    return sphere;
}

/* How far a corner has moved at most along an axis. */
static float moved(const rvi_wall_face *from, const rvi_wall_face *to) {
    float most = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            float by = to->at[k][i] - from->at[k][i];
            most = rvi_maxf(most, by < 0 ? -by : by);
        }
    return most;
}

static rv_status make_room(rvi_wall_index *w, size_t faces) {
    if (faces <= w->face_room)
        return RV_OK;
    size_t room = faces + faces / 2 + 64;
    const char *what = "the faces of the rock";
    rvi_wall_face *now = rvi_alloc(w->ctx, room, sizeof *now, what);
    rvi_wall_face *entered = rvi_alloc(w->ctx, room, sizeof *entered, what);
    rvi_v4 *spheres = rvi_alloc(w->ctx, room, sizeof *spheres, what);
    uint8_t *live = rvi_alloc(w->ctx, room, sizeof *live, what);
    rvi_wall_after *after = rvi_alloc(w->ctx, room, sizeof *after, what);
    if (now == NULL || entered == NULL || spheres == NULL || live == NULL || after == NULL) {
        rvi_free(w->ctx, now);
        rvi_free(w->ctx, entered);
        rvi_free(w->ctx, spheres);
        rvi_free(w->ctx, live);
        rvi_free(w->ctx, after);
        return RV_ERROR_MEMORY;
    }
    if (w->face_count > 0) {
        memcpy(now, w->faces, w->face_count * sizeof *now);
        memcpy(entered, w->entered, w->face_count * sizeof *entered);
        memcpy(spheres, w->spheres, w->face_count * sizeof *spheres);
        memcpy(live, w->live, w->face_count);
    }
    rvi_free(w->ctx, w->faces);
    rvi_free(w->ctx, w->entered);
    rvi_free(w->ctx, w->spheres);
    rvi_free(w->ctx, w->live);
    rvi_free(w->ctx, w->after);
    w->faces = now;
    w->entered = entered;
    w->spheres = spheres;
    w->live = live;
    w->after = after;
    w->face_room = room;
    return RV_OK;
}

/* ---- Lists ---- */

static unsigned log_of(uint32_t room) { /* of a power of two */
    unsigned log = 0;
    while (room >>= 1)
        log++;
    return log;
}

/* A list with `room` for faces: a free one, or one from the end of the pool. */
static rv_status find_list(rvi_wall_index *w, uint32_t room, uint32_t *start) {
    unsigned log = log_of(room);
    if (w->spare[log] != NOTHING) {
        *start = w->spare[log];
        w->spare[log] = w->pool[*start];
        return RV_OK;
    }
    if (w->pool_used + room > w->pool_room) {
        size_t more = w->pool_room + w->pool_room / 2 + 4096 + room;
        if (more >= NOTHING)
            return rvi_fail(w->ctx, RV_ERROR_MEMORY,
                            "The mesh has too many faces near each other for the wall index.");
        uint32_t *pool = rvi_alloc(w->ctx, more, sizeof *pool, "a grid over the faces");
        if (pool == NULL)
            return RV_ERROR_MEMORY;
        if (w->pool_used > 0)
            memcpy(pool, w->pool, w->pool_used * sizeof *pool);
        rvi_free(w->ctx, w->pool);
        w->pool = pool;
        w->pool_room = more;
    }
    *start = (uint32_t)w->pool_used;
    w->pool_used += room;
    return RV_OK;
}

static void free_list(rvi_wall_index *w, const rvi_wall_cell *list) {
    if (list->room == 0)
        return;
    unsigned log = log_of(list->room);
    w->pool[list->start] = w->spare[log];
    w->spare[log] = list->start;
}

static rv_status add_to_list(rvi_wall_index *w, size_t cell, uint32_t face) {
    rvi_wall_cell list = w->lists[cell];
    if (list.count == list.room) {
        rvi_wall_cell wide = {.count = list.count,
                              .room = list.room > 0 ? 2 * list.room : LEAST_ROOM};
        rv_status status = find_list(w, wide.room, &wide.start);
        if (status != RV_OK)
            return status;
        if (list.count > 0)
            memcpy(w->pool + wide.start, w->pool + list.start, list.count * sizeof *w->pool);
        free_list(w, &list);
        list = wide;
    }
    uint32_t *faces = w->pool + list.start, at = list.count++;
    for (; at > 0 && faces[at - 1] > face; at--)
        faces[at] = faces[at - 1];
    faces[at] = face;
    w->lists[cell] = list;
    return RV_OK;
}

static void mark_unknown(rvi_wall_index *w, size_t cell) {
    if (w->sides[cell] == RVI_UNKNOWN)
        return;
    w->sides[cell] = RVI_UNKNOWN;
    w->unknown_cells[w->unknown_count++] = (uint32_t)cell;
}

static void remove_from_list(rvi_wall_index *w, size_t cell, uint32_t face) {
    rvi_wall_cell *list = &w->lists[cell];
    uint32_t *faces = w->pool + list->start, at = 0;
    while (faces[at] != face)
        at++;
    for (list->count--; at < list->count; at++)
        faces[at] = faces[at + 1];
    if (list->count == 0)
        mark_unknown(w, cell);
}

/* ---- Cells of a face ---- */

/* Is the plane of the face near enough to the cell? Without this, oblique faces would be in all
 * cells of their bounding box. */
static bool plane_near(const rvi_wall_index *w, const rvi_wall_face *face, float width,
                       const int cell[3]) {
    float from[3];
    for (int i = 0; i < 3; i++)
        from[i] = ((float)cell[i] + 0.5f) * w->cell - face->at[0][i];
    float distance = rvi_dot3f(from, face->normal);
    return (distance < 0 ? -distance : distance) <= width;
}

/* How far the plane of a face may be from the middle of a cell. */
static float width_of(const rvi_wall_index *w, const rvi_wall_face *face) {
    float half = 0.5f * w->cell + (w->reach + w->slack), width = 0;
    for (int i = 0; i < 3; i++)
        width += half * (face->normal[i] < 0 ? -face->normal[i] : face->normal[i]);
    return width * 1.001f;
}

/* The cells around a face, inclusive: those of its lists are among them. */
typedef struct cell_range {
    int low[3], high[3];
} cell_range;

static cell_range cells_around(const rvi_wall_index *w, const rvi_wall_face *face) {
    float far = (w->reach + w->slack) * 1.001f;
    cell_range range;
    for (int i = 0; i < 3; i++) {
        range.low[i] = rvi_wall_index_cell_at(w, i, face->low[i] - far);
        range.high[i] = rvi_wall_index_cell_at(w, i, face->high[i] + far);
    }
    return range;
}

static cell_range both(cell_range a, const cell_range *b) {
    for (int i = 0; i < 3; i++) {
        a.low[i] = rvi_mini(a.low[i], b->low[i]);
        a.high[i] = rvi_maxi(a.high[i], b->high[i]);
    }
    return a;
}

static bool has_cell(const cell_range *range, const int c[3]) {
    for (int i = 0; i < 3; i++)
        if (c[i] < range->low[i] || c[i] > range->high[i])
            return false;
    return true;
}

typedef rv_status (*cell_fn)(rvi_wall_index *w, void *user, size_t cell, bool enters);

/* Tells of the cells that a face leaves, where it was entered as `was`, and of those that it enters
 * as `now`; NULL: it was not there, or goes. Most cells are near it before and after. */
static rv_status compare_cells(rvi_wall_index *w, const rvi_wall_face *was,
                               const rvi_wall_face *now, cell_fn tell, void *user) {
    cell_range old = cells_around(w, was != NULL ? was : now);
    cell_range new = cells_around(w, now != NULL ? now : was), all = both(old, &new);
    float old_width = was != NULL ? width_of(w, was) : 0, width = now ? width_of(w, now) : 0;
    rv_status status = RV_OK;
    int c[3];
    for (c[2] = all.low[2]; c[2] <= all.high[2]; c[2]++)
        for (c[1] = all.low[1]; c[1] <= all.high[1]; c[1]++)
            for (c[0] = all.low[0]; c[0] <= all.high[0]; c[0]++) {
                bool before = was != NULL && has_cell(&old, c) && plane_near(w, was, old_width, c);
                bool after = now != NULL && has_cell(&new, c) && plane_near(w, now, width, c);
                if (before != after && status == RV_OK)
                    status = tell(w, user, rvi_wall_index_cell_number(w, c), after);
            }
    return status;
}

static rv_status change_cell(rvi_wall_index *w, void *user, size_t cell, bool enters) {
    uint32_t face = *(uint32_t *)user;
    if (enters)
        return add_to_list(w, cell, face);
    remove_from_list(w, cell, face);
    return RV_OK;
}

static rv_status enter_face(rvi_wall_index *w, uint32_t number, const rvi_wall_face *was,
                            const rvi_wall_face *now) {
    return compare_cells(w, was, now, change_cell, &number);
}

/* Cells that a face may have crossed, and those beside them. */
static void mark_swept_cells(rvi_wall_index *w, const rvi_wall_face *before,
                             const rvi_wall_face *after) {
    int low[3], high[3], c[3];
    for (int i = 0; i < 3; i++) {
        low[i] = rvi_wall_index_cell_at(
            w, i, rvi_minf(before->low[i], after->low[i]) - w->reach - w->slack);
        high[i] = rvi_wall_index_cell_at(
            w, i, rvi_maxf(before->high[i], after->high[i]) + w->reach + w->slack);
    }
    for (c[2] = low[2]; c[2] <= high[2]; c[2]++)
        for (c[1] = low[1]; c[1] <= high[1]; c[1]++)
            for (c[0] = low[0]; c[0] <= high[0]; c[0]++) {
                size_t cell = rvi_wall_index_cell_number(w, c);
                w->stamps[cell] = w->round;
                mark_unknown(w, cell);
            }
}

/* What is left to do for a face after the first pass over all changes: nothing, to change the lists
 * of some cells, to find out which and change them, or all of it. */
enum { NOTHING_LEFT, CHANGE_LISTS, ENTER, ALL };

static rv_status note_cell(rvi_wall_index *w, void *user, size_t cell, bool enters) {
    (void)w;
    rvi_wall_after *after = user;
    if (after->count < RVI_WALL_NOTED)
        after->cells[after->count++] = 2 * (uint32_t)cell + enters;
    else
        after->left = ENTER;
    return RV_OK;
}

/* The cells of most faces are few, so that all threads can find them. */
static void note_cells(rvi_wall_index *w, uint32_t f, const rvi_wall_face *now) {
    rvi_wall_after *after = &w->after[f];
    after->left = CHANGE_LISTS;
    after->count = 0;
    compare_cells(w, &w->entered[f], now, note_cell, after);
    if (after->left == CHANGE_LISTS)
        w->entered[f] = *now;
}

typedef struct change_work {
    rvi_wall_index *w;
    const rvi_wall_change *changes;
    size_t count;
} change_work;

/* Faces that move a little, as nearly all do: only they themselves change. */
static void move_block(void *arg, int64_t block) {
    const change_work *c = arg;
    rvi_wall_index *w = c->w;
    size_t first = (size_t)block * BLOCK, end = first + BLOCK < c->count ? first + BLOCK : c->count;
    for (size_t i = first; i < end; i++) {
        uint32_t f = c->changes[i].face;
        rvi_wall_face now;
        w->after[f].left = ALL;
        if (c->changes[i].gone || !w->live[f])
            continue;
        make_face(w, c->changes[i].at, &now);
        if (moved(&w->faces[f], &now) > w->slack)
            continue;
        w->faces[f] = now;
        w->spheres[f] = sphere_of(&now);
        w->after[f].left = NOTHING_LEFT;
        if (moved(&w->entered[f], &now) > w->slack)
            note_cells(w, f, &now);
    }
}

/* Faces that come, go or jump. */
static rv_status change_face(rvi_wall_index *w, const rvi_wall_change *change) {
    uint32_t f = change->face;
    rvi_wall_face was = w->faces[f], now;
    bool lived = w->live[f];
    w->live[f] = !change->gone;
    if (change->gone) {
        if (lived)
            mark_swept_cells(w, &was, &was);
        return lived ? enter_face(w, f, &w->entered[f], NULL) : RV_OK;
    }
    make_face(w, change->at, &now);
    w->faces[f] = now;
    w->spheres[f] = sphere_of(&now);
    mark_swept_cells(w, lived ? &was : &now, &now);
    rv_status status = enter_face(w, f, lived ? &w->entered[f] : NULL, &now);
    w->entered[f] = now;
    return status;
}

static rv_status enter_again(rvi_wall_index *w, uint32_t f) {
    rv_status status = enter_face(w, f, &w->entered[f], &w->faces[f]);
    w->entered[f] = w->faces[f];
    return status;
}

static rv_status change_lists(rvi_wall_index *w, uint32_t f) {
    const rvi_wall_after *after = &w->after[f];
    rv_status status = RV_OK;
    for (unsigned i = 0; i < after->count && status == RV_OK; i++)
        status = change_cell(w, &f, after->cells[i] / 2, after->cells[i] % 2 != 0);
    return status;
}

/* What one thread does after all. */
static rv_status finish_change(rvi_wall_index *w, const rvi_wall_change *change) {
    switch (w->after[change->face].left) {
    case NOTHING_LEFT:
        return RV_OK;
    case CHANGE_LISTS:
        return change_lists(w, change->face);
    case ENTER:
        return enter_again(w, change->face);
    default:
        return change_face(w, change);
    }
}

static rv_status grow_for(rvi_wall_index *w, const rvi_wall_change *changes, size_t count) {
    size_t most = w->face_count;
    for (size_t i = 0; i < count; i++)
        most = (size_t)changes[i].face + 1 > most ? (size_t)changes[i].face + 1 : most;
    rv_status status = make_room(w, most);
    if (status == RV_OK)
        w->face_count = most;
    return status;
}

rv_status rvi_wall_index_change(rvi_wall_index *walls, const rvi_wall_change *changes,
                                size_t count) {
    walls->round++;
    rv_status status = grow_for(walls, changes, count);
    if (status != RV_OK)
        return status;
    change_work work = {walls, changes, count};
    rvi_finish(walls->ctx, (int64_t)((count + BLOCK - 1) / BLOCK), move_block, &work);
    for (size_t i = 0; i < count && status == RV_OK; i++)
        status = finish_change(walls, &changes[i]);
    if (status == RV_OK)
        rvi_wall_index_resolve_unknown(walls);
    return status;
}

/* ---- Creation ---- */

/* Cells as large as the reach, or larger where there would be too many. */
static void choose_cells(rvi_wall_index *w) {
    for (w->cell = w->reach;; w->cell *= 1.25f) {
        double cells = 1;
        for (int i = 0; i < 3; i++)
            cells *= (double)w->size[i] / (double)w->cell + 1;
        if (cells <= MOST_CELLS)
            break;
    }
    w->per_cell = 1 / w->cell;
    for (int i = 0; i < 3; i++)
        w->cells[i] = (int)(w->size[i] * w->per_cell) + 1;
}

static rv_status open_grid(rvi_wall_index *w) {
    const char *what = "a grid over the faces";
    choose_cells(w);
    size_t cells = rvi_wall_index_cell_count(w);
    w->lists = rvi_alloc(w->ctx, cells, sizeof *w->lists, what);
    w->sides = rvi_alloc(w->ctx, cells, sizeof *w->sides, what);
    w->stamps = rvi_alloc(w->ctx, cells, sizeof *w->stamps, what);
    w->unknown_cells = rvi_alloc(w->ctx, cells, sizeof *w->unknown_cells, what);
    w->pool_room = LEAST_ROOM; /* never empty, even where no face is near any cell */
    w->pool = rvi_alloc(w->ctx, w->pool_room, sizeof *w->pool, what);
    bool made = w->lists != NULL && w->sides != NULL && w->stamps != NULL &&
                w->unknown_cells != NULL && w->pool != NULL;
    return made ? RV_OK : RV_ERROR_MEMORY;
}

static rv_status enter_all(rvi_wall_index *w, const rvi_wall_change *faces, size_t count) {
    rv_status status = grow_for(w, faces, count);
    for (size_t i = 0; i < count && status == RV_OK; i++) {
        uint32_t f = faces[i].face;
        make_face(w, faces[i].at, &w->faces[f]);
        w->entered[f] = w->faces[f];
        w->spheres[f] = sphere_of(&w->faces[f]);
        w->live[f] = 1;
        status = enter_face(w, f, NULL, &w->faces[f]);
        if (status == RV_OK) /* large faces take long */
            status = rvi_poll(w->ctx);
    }
    return status;
}

rv_status rvi_wall_index_create_of(rv_context *ctx, const rvi_wall_change *faces, size_t count,
                                   const double low[3], const float size[3], float reach,
                                   rvi_wall_index *out) {
    *out = (rvi_wall_index){.ctx = ctx, .reach = reach, .slack = SLACK * reach, .round = 1};
    for (int i = 0; i < 3; i++) {
        out->low[i] = low[i];
        out->size[i] = size[i];
    }
    for (size_t i = 0; i < sizeof out->spare / sizeof out->spare[0]; i++)
        out->spare[i] = NOTHING;
    if (count == 0)
        return RV_OK;
    rv_status status = open_grid(out);
    if (status == RV_OK)
        status = enter_all(out, faces, count);
    if (status == RV_OK)
        status = rvi_wall_index_find_sides(out);
    if (status != RV_OK)
        rvi_wall_index_destroy(out);
    return status;
}

rv_status rvi_wall_index_create(rv_context *ctx, const rv_mesh *mesh, const double low[3],
                                const float size[3], float reach, rvi_wall_index *out) {
    if (mesh == NULL)
        return rvi_wall_index_create_of(ctx, NULL, 0, low, size, reach, out);
    *out = (rvi_wall_index){.ctx = ctx};
    rvi_wall_change *faces =
        rvi_alloc(ctx, mesh->face_count, sizeof *faces, "the faces of the rock");
    if (faces == NULL)
        return RV_ERROR_MEMORY;
    for (size_t f = 0; f < mesh->face_count; f++) {
        faces[f].face = (uint32_t)f;
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < 3; i++)
                faces[f].at[k][i] = mesh->points[3 * (size_t)mesh->corners[3 * f + k] + i];
    }
    rv_status status =
        rvi_wall_index_create_of(ctx, faces, mesh->face_count, low, size, reach, out);
    rvi_free(ctx, faces);
    return status;
}

void rvi_wall_index_destroy(rvi_wall_index *walls) {
    void *all[] = {walls->faces, walls->entered, walls->live, walls->after,         walls->lists,
                   walls->sides, walls->stamps,  walls->pool, walls->unknown_cells, walls->spheres};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        rvi_free(walls->ctx, all[i]);
    *walls = (rvi_wall_index){.ctx = walls->ctx, .reach = walls->reach};
}
