/* Meshes of terrains: a surface covers the map once and stays within its error of every cell; a
 * block is one closed body whose volume is the integral of its heights. */
#include "support.h"

#include "mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Help ---- */

static rv_mesh *make_mesh(const rv_terrain *land, float error, float depth) {
    rv_mesh *mesh;
    rv_status status = rv_mesh_from_terrain(land, error, depth, &mesh);
    assert_int_equal(status, RV_OK);
    return mesh;
}

/* Land whose heights are a function of the cell. */
static rv_terrain *shaped(rv_context *ctx, int width, int height, float cell,
                          float (*shape)(int x, int y)) {
    rv_terrain *land = support_land(ctx, width, height, cell);
    float *values = malloc((size_t)width * (size_t)height * sizeof *values);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            values[y * width + x] = shape(x, y);
    support_ok(ctx, rv_terrain_field_set(land, "height", values));
    free(values);
    return land;
}

static int compare_edges(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* All half-edges, as from << 32 | to, in order; each must be there but once. */
static uint64_t *sorted_edges(const rv_mesh *mesh) {
    size_t count = 3 * mesh->face_count;
    uint64_t *edges = malloc(count * sizeof *edges);
    for (size_t f = 0; f < mesh->face_count; f++)
        for (size_t k = 0; k < 3; k++) {
            uint64_t from = mesh->corners[3 * f + k], to = mesh->corners[3 * f + (k + 1) % 3];
            assert_less(from, mesh->vertex_count);
            assert_not_equal(from, to);
            edges[3 * f + k] = from << 32 | to;
        }
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 1; i < count; i++)
        assert_not_equal(edges[i], edges[i - 1]);
    return edges;
}

/* Half-edges that no face goes along the other way. */
static size_t open_edges(const rv_mesh *mesh) {
    size_t count = 3 * mesh->face_count, alone = 0;
    uint64_t *edges = sorted_edges(mesh);
    for (size_t i = 0; i < count; i++) {
        uint64_t back = edges[i] << 32 | edges[i] >> 32;
        alone += bsearch(&back, edges, count, sizeof back, compare_edges) == NULL;
    }
    free(edges);
    return alone;
}

static size_t used_vertices(const rv_mesh *mesh) {
    char *used = calloc(mesh->vertex_count, 1);
    size_t count = 0;
    for (size_t i = 0; i < 3 * mesh->face_count; i++)
        used[mesh->corners[i]] = 1;
    for (size_t v = 0; v < mesh->vertex_count; v++)
        count += (size_t)used[v];
    free(used);
    return count;
}

/* Vertices, edges and faces of a sphere. */
static void check_closed(const rv_mesh *mesh) {
    assert_int_equal(open_edges(mesh), 0);
    assert_int_equal(used_vertices(mesh), mesh->vertex_count);
    assert_int_equal(mesh->vertex_count + mesh->face_count, 3 * mesh->face_count / 2 + 2);
}

static const double *corner_of(const rv_mesh *mesh, size_t face, size_t k) {
    return mesh->points + 3 * (size_t)mesh->corners[3 * face + k];
}

/* Twice the area of a face seen from above. */
static double flat_area(const rv_mesh *mesh, size_t face) {
    const double *a = corner_of(mesh, face, 0), *b = corner_of(mesh, face, 1);
    const double *c = corner_of(mesh, face, 2);
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The faces of the surface look up and cover the map: no overlap fits into the same area. Returns
 * the volume between them and the height `bottom`. */
static double check_cover(const rv_terrain *land, const rv_mesh *mesh, double bottom) {
    double cell = (double)rv_terrain_cell(land), sum = 0.0, volume = 0.0;
    double whole = (rv_terrain_width(land) - 1) * cell * (rv_terrain_height(land) - 1) * cell;
    for (size_t f = 0; f < mesh->surface_faces; f++) {
        double area = flat_area(mesh, f) / 2, mean = 0.0;
        assert_greater(area, 0);
        for (size_t k = 0; k < 3; k++)
            mean += corner_of(mesh, f, k)[2] / 3;
        sum += area;
        volume += area * (mean - bottom);
    }
    assert_less_equal(fabs(sum - whole), 1e-9 * whole);
    return volume;
}

/* Marks the cells that lie in a face and finds how far the worst of them lies from it. Weights are
 * whole numbers of cells, and 64 bits of mantissa hold their products with heights. */
static long double face_error(const rv_terrain *land, const rv_mesh *mesh, size_t f, char *seen) {
    int width = rv_terrain_width(land), height = rv_terrain_height(land);
    const float *heights = rv_terrain_field(land, "height");
    int x[3], y[3];
    long double h[3], worst = 0;
    for (size_t k = 0; k < 3; k++) {
        uint32_t cell = mesh->cells[mesh->corners[3 * f + k]];
        x[k] = (int)cell % width;
        y[k] = (int)cell / width;
        h[k] = (long double)heights[cell];
        assert_equal(corner_of(mesh, f, k)[2], (double)heights[cell]);
    }
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++) {
            long long w[3];
            for (int k = 0; k < 3; k++) {
                int a = (k + 1) % 3, b = (k + 2) % 3; /* rows go south: the sign is turned */
                w[k] = (long long)(y[b] - y[a]) * (column - x[a]) -
                       (long long)(x[b] - x[a]) * (row - y[a]);
            }
            if (w[0] < 0 || w[1] < 0 || w[2] < 0)
                continue;
            size_t cell = (size_t)row * (size_t)width + (size_t)column;
            long double here = (long double)heights[cell], miss = 0;
            for (int k = 0; k < 3; k++)
                miss += (long double)w[k] * (h[k] - here);
            miss = fabsl(miss) / (long double)(w[0] + w[1] + w[2]);
            worst = miss > worst ? miss : worst;
            seen[cell] = 1;
        }
    return worst;
}

static void check_error(const rv_terrain *land, const rv_mesh *mesh, float error) {
    size_t cells = (size_t)rv_terrain_width(land) * (size_t)rv_terrain_height(land);
    char *seen = calloc(cells, 1);
    for (size_t f = 0; f < mesh->surface_faces; f++) {
        long double worst = face_error(land, mesh, f, seen);
        if (worst > (long double)error)
            fail_msg("face %zu misses a cell by %Lg m, more than %g m", f, worst, (double)error);
    }
    for (size_t i = 0; i < cells; i++)
        assert_true(seen[i]);
    free(seen);
}

static double lowest(const rv_terrain *land) {
    const float *heights = rv_terrain_field(land, "height");
    size_t cells = (size_t)rv_terrain_width(land) * (size_t)rv_terrain_height(land);
    float low = heights[0];
    for (size_t i = 1; i < cells; i++)
        low = heights[i] < low ? heights[i] : low;
    return (double)low;
}

/* Everything that must hold, with and without a base. */
static void check_all(const rv_terrain *land, float error, float depth) {
    rv_mesh *surface = make_mesh(land, error, 0), *block = make_mesh(land, error, depth);
    size_t faces = surface->face_count;
    assert_int_equal(surface->surface_faces, faces);
    assert_int_equal(block->surface_faces, faces);
    assert_memory_equal(block->corners, surface->corners, 3 * faces * sizeof(uint32_t));
    /* A disc: V - E + F = 1, and its border is one edge for each vertex on it. */
    size_t border = open_edges(surface);
    assert_int_equal(2 * surface->vertex_count, faces + border + 2);
    assert_greater(block->vertex_count, surface->vertex_count + border);
    assert_less_equal(block->vertex_count, surface->vertex_count + 2 * border + 40);
    double bottom = lowest(land) - (double)depth;
    double volume = check_cover(land, surface, bottom);
    check_closed(block);
    double measured = rv_mesh_volume(block);
    if (!(fabs(measured - volume) <= 1e-10 * volume))
        fail_msg("the block has %.15g m3, its heights %.15g m3", measured, volume);
    for (size_t v = surface->vertex_count; v < block->vertex_count; v++)
        assert_equal(block->points[3 * v + 2], bottom);
    check_error(land, surface, error);
    rv_mesh_destroy(surface);
    rv_mesh_destroy(block);
}

/* ---- Tests ---- */

static void a_mesh_keeps_to_the_land(void **state) {
    (void)state;
    static const struct {
        const char *text;
        float error;
    } cases[] = {
        {"terrain size=2 noise", 0},
        {"terrain size=2 noise", 1},
        {"terrain width=2 height=9 noise", 3},
        {"terrain width=9 height=2 noise", 3},
        {"terrain width=3 height=4 cell=0.1 noise", 0.01f},
        {"terrain width=31 height=17 noise seed=2", 0},
        {"terrain width=31 height=17 noise seed=2", 1e-30f},
        {"terrain width=40 height=27 cell=3.7 noise frequency=5 level low=-300 high=-100", 5},
        {"terrain width=33 height=48 noise shape=ridged frequency=3", 20},
        {"terrain width=40 height=40 faults profile=step count=9", 0.5f},
        {"terrain width=40 height=40 faults profile=step count=9", 100},
        {"terrain width=29 height=29 noise level low=0 high=1", 0.02f},
    };
    rv_context *ctx = support_context(2);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rv_terrain *land = support_run(ctx, cases[i].text);
        check_all(land, cases[i].error, i % 2 ? 10.0f : 0.37f);
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static float tilted(int x, int y) {
    return 0.25f * (float)x - 0.5f * (float)y;
}

static float pyramid(int x, int y) {
    int a = abs(x - 16), b = abs(y - 16);
    return (float)(a > b ? -a : -b);
}

static float spike(int x, int y) {
    return x == 20 && y == 7 ? 50.0f : 0.0f;
}

static void few_faces_where_few_are_enough(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = shaped(ctx, 33, 33, 1.0f, tilted);
    rv_mesh *mesh = make_mesh(land, 0.001f, 0);
    assert_int_equal(mesh->face_count, 2); /* a plane */
    rv_mesh_destroy(mesh);
    rv_terrain_destroy(land);
    land = shaped(ctx, 33, 33, 1.0f, pyramid);
    mesh = make_mesh(land, 0.001f, 0);
    assert_int_equal(mesh->face_count, 4);
    rv_mesh_destroy(mesh);
    rv_terrain_destroy(land);
    land = shaped(ctx, 33, 33, 1.0f, spike); /* one cell counts as much as many */
    check_all(land, 1.0f, 3.0f);
    mesh = make_mesh(land, 1.0f, 0);
    assert_less(mesh->face_count, 40);
    rv_mesh_destroy(mesh);
    rv_terrain_destroy(land);
    land = support_run(ctx, "terrain size=64 noise");
    size_t before = SIZE_MAX;
    for (float error = 0.5f; error < 300; error *= 4) {
        mesh = make_mesh(land, error, 0);
        assert_less(mesh->face_count, before);
        before = mesh->face_count;
        rv_mesh_destroy(mesh);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static float rising_ridge(int x, int y) {
    return 100.0f - fabsf((float)(x - y)) - 0.1f * (float)(x + y);
}

static float falling_ridge(int x, int y) {
    return rising_ridge(x, 19 - y);
}

/* A mesh of a land and that of its mirror image hold the same volume: no diagonal is preferred. A
 * ridge that falls along the diagonal is an unbroken line, as is a valley. */
static void diagonals_follow_the_land(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    float (*shapes[])(int, int) = {rising_ridge, falling_ridge};
    double volumes[2];
    for (int i = 0; i < 2; i++) {
        rv_terrain *land = shaped(ctx, 20, 20, 1.0f, shapes[i]);
        rv_mesh *mesh = make_mesh(land, 0, 1);
        volumes[i] = rv_mesh_volume(mesh);
        size_t ridge = 0;
        for (size_t e = 0; e < 3 * mesh->surface_faces; e++) {
            const double *a = mesh->points + 3 * (size_t)mesh->corners[e];
            const double *b = mesh->points + 3 * (size_t)mesh->corners[e % 3 == 2 ? e - 2 : e + 1];
            ridge += i == 0 ? a[0] + a[1] == 19 && b[0] + b[1] == 19 : a[0] == a[1] && b[0] == b[1];
        }
        assert_greater_equal(ridge,
                             2 * 17); /* in the very corners nothing tells which way it bends */
        rv_mesh_destroy(mesh);
        rv_terrain_destroy(land);
    }
    assert_less_equal(fabs(volumes[0] - volumes[1]), 1e-9 * volumes[0]);
    /* On flat land they alternate. */
    rv_terrain *flat = support_land(ctx, 3, 3, 1.0f);
    rv_mesh *mesh = make_mesh(flat, 0, 0);
    size_t at_middle = 0;
    for (size_t e = 0; e < 3 * mesh->face_count; e++)
        at_middle += mesh->corners[e] == 4;
    assert_true(at_middle == 8 || at_middle == 4);
    rv_mesh_destroy(mesh);
    rv_terrain_destroy(flat);
    rv_context_destroy(ctx);
}

static void a_line_has_no_surface(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const int sizes[][2] = {{1, 9}, {9, 1}, {1, 2}};
    for (size_t i = 0; i < 3; i++) {
        rv_terrain *land = support_land(ctx, sizes[i][0], sizes[i][1], 1.0f);
        rv_mesh *mesh = (rv_mesh *)ctx;
        assert_int_equal(rv_mesh_from_terrain(land, 0, 5, &mesh), RV_ERROR_USAGE);
        assert_null(mesh);
        assert_non_null(strstr(rv_context_error(ctx), "no surface"));
        rv_terrain_destroy(land);
    }
    rv_context_destroy(ctx);
}

static bool as_told(void *user, const rv_progress *now) {
    (void)now;
    return *(bool *)user;
}

static void ignore(void *user, const rv_fault *fault) {
    (void)user;
    (void)fault;
}

static void making_a_mesh_can_be_stopped(void **state) {
    (void)state;
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = 1;
    bool go_on = false;
    desc.progress = as_told;
    desc.user = &go_on;
    rv_context *ctx;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    rv_terrain *land = support_land(ctx, 40, 40, 1.0f);
    rv_mesh *mesh;
    assert_int_equal(rv_mesh_from_terrain(land, 1, 5, &mesh), RV_CANCELLED);
    assert_null(mesh);
    go_on = true; /* what was stopped once can be called again */
    support_ok(ctx, rv_mesh_from_terrain(land, 1, 5, &mesh));
    go_on = false;
    assert_int_equal(rv_mesh_save(mesh, "stopped.obj", land), RV_CANCELLED);
    assert_int_equal(rv_mesh_check(mesh, ignore, NULL), RV_CANCELLED);
    assert_non_null(strstr(rv_context_error(ctx), "Stopped in the check"));
    go_on = true;
    support_ok(ctx, rv_mesh_save(mesh, "stopped.obj", land));
    support_ok(ctx, rv_mesh_check(mesh, ignore, NULL));
    remove("stopped.obj");
    rv_mesh_destroy(mesh);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

static void memory_is_as_planned(void **state) {
    (void)state;
    static const float errors[] = {0, 0.0001f, 1};
    for (size_t i = 0; i < 3; i++) {
        rv_context *ctx = support_context(1);
        rv_terrain *land = support_land(ctx, 150, 90, 1.0f);
        size_t before = rv_context_memory_peak(ctx) + (1 << 18); /* the land and what files need */
        rv_step_run(land, RV_STEP_noise, NULL, NULL);
        size_t planned = rvi_mesh_memory(land, (double)errors[i]);
        rv_mesh *mesh = make_mesh(land, errors[i], 10);
        support_ok(ctx, rv_mesh_save(mesh, "planned.glb", land));
        assert_less_equal(rv_context_memory_peak(ctx), planned + before);
        assert_true(i == 2 || rv_context_memory_peak(ctx) >= planned / 2);
        remove("planned.glb");
        rv_mesh_destroy(mesh);
        rv_terrain_destroy(land);
        rv_context_destroy(ctx);
    }
}

static float high_and_level(int x, int y) {
    return x < 5 && y < 5 ? 3001 : 3000;
}

/* Most formats hold floats: there too the base lies below the land, however thin the block. */
static void a_thin_block_stays_a_block_in_floats(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land = shaped(ctx, 12, 9, 10, high_and_level);
    for (int simple = 0; simple < 2; simple++) {
        rv_mesh *mesh = make_mesh(land, simple ? 0.5f : 0, 1e-5f);
        check_closed(mesh);
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            float z = (float)mesh->points[3 * v + 2];
            assert_true(v < mesh->surface_vertices ? z >= 3000 : z < 3000 && z > 2999);
        }
        rv_mesh_destroy(mesh);
    }
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_keeps_to_the_land),
        cmocka_unit_test(few_faces_where_few_are_enough),
        cmocka_unit_test(diagonals_follow_the_land),
        cmocka_unit_test(a_line_has_no_surface),
        cmocka_unit_test(making_a_mesh_can_be_stopped),
        cmocka_unit_test(memory_is_as_planned),
        cmocka_unit_test(a_thin_block_stays_a_block_in_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
