/* solid_shapes.h: closed meshes for tests, and what must hold of every edited mesh. */
#ifndef TESTS_SOLID_SHAPES_H
#define TESTS_SOLID_SHAPES_H

#include "support.h"

#include "mesh/edit_mesh.h"

#include <math.h>
#include <string.h>

/* A box of twelve faces. */
static inline rv_mesh *shape_block(rv_context *ctx, const double low[3], const double high[3]) {
    rv_mesh *mesh = NULL;
    support_ok(ctx, rvi_mesh_create(ctx, 8, 12, false, &mesh));
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < 3; k++)
            mesh->points[3 * i + k] = i >> k & 1 ? high[k] : low[k];
    static const uint32_t sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (size_t i = 0; i < 6; i++) {
        const uint32_t *q = sides[i];
        const uint32_t two[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
        memcpy(mesh->corners + 6 * i, two, sizeof two);
    }
    return mesh;
}

/* The surface of a box of n x m x k cells, from -1 to 1 in each direction. */
static inline rv_mesh *shape_box(rv_context *ctx, int n, int m, int k) {
    int cells[3] = {n, m, k};
    size_t room = (size_t)(n + 1) * (size_t)(m + 1) * (size_t)(k + 1);
    uint32_t *numbers = malloc(room * sizeof *numbers);
    memset(numbers, 0xff, room * sizeof *numbers);
    size_t faces = 4 * (size_t)(n * m + m * k + k * n);
    rv_mesh *mesh;
    support_ok(ctx, rvi_mesh_create(ctx, faces / 2 + 2, faces, false, &mesh));
    uint32_t vertices = 0, *out = mesh->corners;
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++) {
            int u = (axis + 1) % 3, v = (axis + 2) % 3;
            for (int j = 0; j < cells[v]; j++)
                for (int i = 0; i < cells[u]; i++) {
                    uint32_t q[4];
                    for (int c = 0; c < 4; c++) {
                        int at[3];
                        at[axis] = side * cells[axis];
                        at[u] = i + (c == 1 || c == 2);
                        at[v] = j + (c >= 2);
                        size_t cell =
                            ((size_t)at[2] * (size_t)(m + 1) + (size_t)at[1]) * (size_t)(n + 1) +
                            (size_t)at[0];
                        if (numbers[cell] == UINT32_MAX) {
                            for (int x = 0; x < 3; x++)
                                mesh->points[3 * (size_t)vertices + (size_t)x] =
                                    2.0 * at[x] / cells[x] - 1;
                            numbers[cell] = vertices++;
                        }
                        q[c] = numbers[cell];
                    }
                    uint32_t two[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
                    for (int c = 0; c < 6; c++)
                        *out++ = two[side == 1          ? c
                                     : c == 0 || c == 3 ? c
                                                        : 3 * (c / 3) + 3 - c % 3];
                }
        }
    assert_int_equal(vertices, mesh->vertex_count);
    free(numbers);
    return mesh;
}

static inline void shape_scale(rv_mesh *mesh, double x, double y, double z) {
    double by[3] = {x, y, z};
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++)
        mesh->points[i] *= by[i % 3];
}

static inline rv_mesh *shape_sphere(rv_context *ctx, int n) {
    rv_mesh *mesh = shape_box(ctx, n, n, n);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double *p = mesh->points + 3 * v;
        for (int k = 0; k < 3; k++) /* more even than straight lines through the cube's grid */
            p[k] = tan(p[k] * 0.7853981633974483);
        double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        for (int k = 0; k < 3; k++)
            p[k] /= length;
    }
    return mesh;
}

/* A closed section of m points (r, z) turned around the z axis in n parts. */
static inline rv_mesh *shape_turned(rv_context *ctx, int n, int m, const double *section) {
    rv_mesh *mesh;
    size_t vertices = (size_t)n * (size_t)m;
    support_ok(ctx, rvi_mesh_create(ctx, vertices, 2 * vertices, false, &mesh));
    uint32_t *out = mesh->corners;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double angle = 2 * 3.141592653589793 * i / n;
            double *p = mesh->points + 3 * (size_t)(i * m + j);
            p[0] = section[2 * j] * cos(angle);
            p[1] = section[2 * j] * sin(angle);
            p[2] = section[2 * j + 1];
            uint32_t a = (uint32_t)(i * m + j), b = (uint32_t)((i + 1) % n * m + j);
            uint32_t c = (uint32_t)((i + 1) % n * m + (j + 1) % m),
                     d = (uint32_t)(i * m + (j + 1) % m);
            uint32_t two[6] = {a, b, c, a, c, d};
            memcpy(out, two, sizeof two);
            out += 6;
        }
    return mesh;
}

static inline rv_mesh *shape_torus(rv_context *ctx, int n, int m, double small) {
    double section[64][2];
    for (int j = 0; j < m; j++) {
        double angle = 2 * 3.141592653589793 * j / m;
        section[j][0] = 1 + small * cos(angle);
        section[j][1] = small * sin(angle);
    }
    return shape_turned(ctx, n, m, section[0]);
}

/* A piece of pipe with walls of a tenth. */
static inline rv_mesh *shape_tube(rv_context *ctx, int n) {
    static const double section[12][2] = {{0.9, -1}, {0.95, -1}, {1, -1},  {1, -0.5},
                                          {1, 0},    {1, 0.5},   {1, 1},   {0.95, 1},
                                          {0.9, 1},  {0.9, 0.5}, {0.9, 0}, {0.9, -0.5}};
    return shape_turned(ctx, n, 12, section[0]);
}

/* ---- What must hold ---- */

static inline void shape_fault(void *user, const rv_fault *fault) {
    char text[256];
    rv_fault_print(fault, text, sizeof text);
    (void)user;
    fail_msg("%s", text);
}

/* The exact check of everything, by the code that reads files. */
static inline void shape_check_mesh(rvi_edit_mesh *edit) {
    rv_mesh *mesh;
    support_ok(edit->ctx, rvi_edit_to_mesh(edit, &mesh));
    support_ok(edit->ctx, rv_mesh_check(mesh, shape_fault, NULL));
    rv_mesh_destroy(mesh);
}

/* The numbers of the arrays fit each other, the volume is right, the grid holds every face, and the
 * Euler characteristic is `euler`. */
static inline void shape_check_arrays(rvi_edit_mesh *edit, long euler) {
    size_t faces = 0, vertices = 0, entered = 0;
    rvi_uwide volume = 0; /* by other mathematics: 6 V = sum of a . (b x c) */
    for (uint32_t f = 0; f < edit->faces; f++) {
        if (!rvi_edit_has_face(edit, f)) {
            assert_equal(edit->grid.where[f], UINT32_MAX);
            continue;
        }
        faces++;
        const uint32_t *v = edit->edges.corners + 3 * (size_t)f;
        rvi_spot a = edit->spots[v[0]], b = edit->spots[v[1]], c = edit->spots[v[2]];
        volume += (rvi_uwide)(((rvi_wide)a.x * b.y - (rvi_wide)a.y * b.x) * c.z);
        volume += (rvi_uwide)(((rvi_wide)a.y * b.z - (rvi_wide)a.z * b.y) * c.x);
        volume += (rvi_uwide)(((rvi_wide)a.z * b.x - (rvi_wide)a.x * b.z) * c.y);
        for (uint32_t e = 3 * f; e < 3 * f + 3; e++) {
            uint32_t twin = edit->edges.twins[e];
            assert_int_equal(edit->edges.twins[twin], e);
            assert_int_equal(rvi_edge_from(&edit->edges, twin), rvi_edge_to(&edit->edges, e));
            assert_int_equal(rvi_edge_to(&edit->edges, twin), rvi_edge_from(&edit->edges, e));
            assert_int_equal(edit->shell[twin / 3], edit->shell[f]);
            assert_not_equal(edit->edges.leaving[edit->edges.corners[e]], RVI_NONE);
        }
        rvi_triangle t = rvi_edit_triangle(edit, f);
        rvi_box box = rvi_triangle_box(&t);
        assert_memory_equal(&box, &edit->grid.boxes[f], sizeof box);
        assert_not_equal(edit->grid.where[f], UINT32_MAX);
    }
    for (uint32_t v = 0; v < edit->vertices; v++)
        if (edit->edges.leaving[v] != RVI_NONE) {
            vertices++;
            assert_int_equal(edit->edges.corners[edit->edges.leaving[v]], v);
        }
    for (int level = 0; level < RVI_GRID_LEVELS; level++)
        entered += edit->grid.of_level[level];
    assert_int_equal(entered, faces);
    assert_int_equal(faces, edit->live_faces);
    assert_int_equal(vertices, edit->live_vertices);
    assert_int_equal(edit->faces - edit->free_face_count, faces);
    assert_int_equal(edit->vertices - edit->free_vertex_count, vertices);
    assert_int_equal((long)vertices - (long)faces / 2, euler);
    assert_true((rvi_wide)volume == rvi_edit_volume6(edit));
    for (size_t i = 0; i < edit->shells; i++) {
        assert_true(rvi_edit_has_face(edit, edit->anchors[i]));
        assert_equal(edit->shell[edit->anchors[i]], i);
    }
}

static inline bool shape_ask(void *user, const rv_progress *progress) {
    (void)progress;
    return --*(int *)user > 0;
}

/* A context whose user asks to stop when `left` is used up. */
static inline rv_context *shape_impatient(int *left) {
    rv_context_desc desc = {.threads = 2, .progress = shape_ask, .user = left};
    rv_context *ctx = NULL;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    return ctx;
}

static inline rvi_edit_mesh *shape_edit(rv_mesh *mesh) {
    rvi_edit_mesh *edit;
    support_ok(mesh->ctx, rvi_edit_create(mesh, &edit));
    rv_mesh_destroy(mesh);
    return edit;
}

#endif
