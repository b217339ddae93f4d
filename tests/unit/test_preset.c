/* The presets: their rock is the surface of a solid, has as many vertices, faces and holes as it
 * should, and their sources have room. */
#include "support.h"

#include "mesh/mesh.h"
#include "mesh/remesh.h"
#include "scene/preset.h"
#include "scene/preset_shapes.h"

#include <math.h>
#include <string.h>

static void count_fault(void *user, const rv_fault *fault) {
    (void)fault;
    ++*(size_t *)user;
}

static size_t faults_of(const rv_mesh *mesh) {
    size_t count = 0;
    assert_int_equal(rv_mesh_check(mesh, count_fault, &count), RV_OK);
    return count;
}

/* The smallest angle of all faces, in degrees. */
static double smallest_angle(const rv_mesh *m) {
    double most = -1;
    for (size_t f = 0; f < m->face_count; f++)
        for (size_t k = 0; k < 3; k++) {
            const double *a = m->points + 3 * (size_t)m->corners[3 * f + k];
            const double *b = m->points + 3 * (size_t)m->corners[3 * f + (k + 1) % 3];
            const double *c = m->points + 3 * (size_t)m->corners[3 * f + (k + 2) % 3];
            double along = 0, ab = 0, ac = 0;
            for (int i = 0; i < 3; i++) {
                along += (b[i] - a[i]) * (c[i] - a[i]);
                ab += (b[i] - a[i]) * (b[i] - a[i]);
                ac += (c[i] - a[i]) * (c[i] - a[i]);
            }
            most = fmax(most, along / sqrt(ab * ac));
        }
    return acos(most) * 180 / acos(-1);
}

static void check_within(const rvi_preset *s, const rv_mesh *rock) {
    for (size_t v = 0; v < rock->vertex_count; v++)
        for (int k = 0; k < 3; k++) {
            assert_greater(rock->points[3 * v + (size_t)k], s->low[k]);
            assert_less(rock->points[3 * v + (size_t)k], s->high[k]);
        }
}

/* All places of sources and blocks are in the box, and those of sources free of rock. */
static void check_water(rv_context *ctx, const rvi_preset *s, const rv_mesh *rock) {
    rvi_sph_desc desc = rvi_preset_water(s);
    rvi_sph *water;
    assert_int_equal(rvi_sph_create(ctx, &desc, rock, &water), RV_OK);
    for (size_t k = 0; k < s->block_count; k++)
        assert_int_equal(rvi_sph_fill(water, s->blocks[k].low, s->blocks[k].high), RV_OK);
    assert_less_equal(rvi_sph_view_of(water).count, s->particles);
    assert_true(s->block_count == 0 || rvi_sph_view_of(water).count > 1000);
    for (size_t k = 0; k < s->source_count; k++) {
        const rvi_sph_source *source = &s->sources[k];
        assert_int_equal(rvi_sph_add_source(water, source), RV_OK);
        for (int i = 0; i < 8; i++) {
            float at[3];
            for (int j = 0; j < 3; j++) {
                double end = i >> j & 1 ? source->size[j] - 0.5 * (double)s->spacing
                                        : 0.5 * (double)s->spacing;
                at[j] = (float)(source->low[j] + end - s->low[j]);
            }
            assert_false(rvi_sph_in_rock(water, at));
        }
    }
    rvi_sph_destroy(water);
}

/* The bed, where wear takes place, is finer than the rest. */
static void check_bed_of_river(const rv_mesh *rock) {
    double near = 0, far = 0;
    size_t near_count = 0, far_count = 0;
    for (size_t f = 0; f < rock->face_count; f++) {
        double area = 0, middle[3] = {0};
        const double *at[3];
        for (size_t k = 0; k < 3; k++) {
            at[k] = rock->points + 3 * (size_t)rock->corners[3 * f + k];
            for (int i = 0; i < 3; i++)
                middle[i] += at[k][i] / 3;
        }
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            double n = (at[1][i] - at[0][i]) * (at[2][j] - at[0][j]) -
                       (at[1][j] - at[0][j]) * (at[2][i] - at[0][i]);
            area += n * n;
        }
        area = sqrt(area) / 2;
        /* The bed begins where the water comes from. */
        bool bed = middle[0] > 0.05 && middle[0] < 0.2 && middle[1] > 0.65 && middle[1] < 0.85 &&
                   middle[2] > 0.2;
        bool base = middle[2] < 0.01;
        near += bed ? area : 0;
        near_count += bed;
        far += base ? area : 0;
        far_count += base;
    }
    assert_greater(near_count, 10);
    assert_greater(far_count, 10);
    assert_less(near / (double)near_count, 0.25 * far / (double)far_count);
}

/* Is a face in a side of the box that the rock fills? */
static bool in_a_side(const rv_mesh *m, size_t face, double ends[2][3]) {
    for (size_t i = 0; i < 6; i++) {
        int in = 0;
        for (size_t k = 0; k < 3; k++)
            in += m->points[3 * (size_t)m->corners[3 * face + k] + i / 2] == ends[i % 2][i / 2];
        if (in == 3)
            return true;
    }
    return false;
}

/* What is not a side of the block is where the shape says: no tooth stands in the mouth of a
 * cave, and no sheet of rock that water cannot wear. */
static void check_land(const rvi_preset *s, const rv_mesh *m) {
    static const struct {
        const char *name;
        double (*shape)(const double at[3]);
    } shapes[] = {{"river", rvi_shape_river},
                  {"lake", rvi_shape_lake},
                  {"detailed_lake", rvi_shape_lake},
                  {"tube", rvi_shape_tube},
                  {"two_sources", rvi_shape_two_sources},
                  {"arch", rvi_shape_arch},
                  {"cave", rvi_shape_cave}};
    double ends[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < 3 * m->vertex_count; i++) {
        ends[0][i % 3] = fmin(ends[0][i % 3], m->points[i]);
        ends[1][i % 3] = fmax(ends[1][i % 3], m->points[i]);
    }
    for (size_t n = 0; n < sizeof shapes / sizeof shapes[0]; n++)
        for (size_t c = 0; c < 3 * m->face_count && strcmp(shapes[n].name, s->name) == 0; c++)
            if (!in_a_side(m, c / 3, ends))
                assert_less(fabs(shapes[n].shape(m->points + 3 * (size_t)m->corners[c])), 1e-3);
}

static void test_rock_is_solid(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    for (size_t k = 0; k < rvi_preset_count(); k++) {
        const rvi_preset *s = rvi_preset_get(k);
        rv_mesh *rock;
        assert_int_equal(rvi_preset_rock(ctx, s, &rock), RV_OK);
        assert_int_equal(rock != NULL, s->vertices > 0);
        if (rock != NULL) {
            assert_int_equal(rock->vertex_count, s->vertices);
            /* Euler: V - E + F = 2 - 2 holes, and 2 E = 3 F. */
            assert_int_equal(rock->face_count, 2 * s->vertices - 4 + 4 * (size_t)s->holes);
            assert_int_equal(faults_of(rock), 0);
            assert_greater(rv_mesh_volume(rock), 0.1);
            assert_greater(smallest_angle(rock), 10);
            check_within(s, rock);
            check_land(s, rock);
            if (strcmp(s->name, "river") == 0)
                check_bed_of_river(rock);
        }
        check_water(ctx, s, rock);
        rv_mesh_destroy(rock);
    }
    rv_context_destroy(ctx);
}

static void test_table_of_scenes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t particles, vertices, faces;
    } table[] = {{"river", 12125, 2126, 4244},
                 {"lake", 12528, 4538, 9068},
                 {"detailed_lake", 12096, 6065, 12122},
                 {"tube", 12528, 2355, 4706}}; /* the table's 2356 is no closed surface's */
    for (size_t k = 0; k < 4; k++) {
        const rvi_preset *s = rvi_preset_find(table[k].name);
        assert_non_null(s);
        assert_int_equal(s->particles, table[k].particles);
        assert_int_equal(s->vertices + 8, table[k].vertices);
        assert_int_equal(2 * s->vertices - 4 + 4 * (size_t)s->holes + 12, table[k].faces);
    }
    assert_equal(rvi_preset_find("tube")->holes, 1);
    assert_greater_equal(rvi_preset_find("arch")->holes, 1);
    static const char *const names[] = {"dam_break", "river",       "lake", "detailed_lake",
                                        "tube",      "two_sources", "arch", "cave"};
    assert_int_equal(rvi_preset_count(), sizeof names / sizeof names[0]);
    for (size_t k = 0; k < rvi_preset_count(); k++)
        assert_ptr_equal(rvi_preset_find(names[k]), rvi_preset_get(k));
    assert_null(rvi_preset_find("volcano"));
}

/* Memory that runs out, or a user who has enough, leaves nothing behind. */
static bool refuse(void *user, const rv_progress *now) {
    (void)user;
    (void)now;
    return false;
}

static void test_failure_leaves_nothing(void **state) {
    (void)state;
    const rvi_remesh small = {.high = {1.8, 1.2, 0.8},
                              .cells = {9, 6, 4},
                              .shape = rvi_shape_river,
                              .length = rvi_length_river,
                              .vertices = 200};
    for (long left = 0;; left++) {
        support_memory memory = {-1, 0};
        rv_context_desc desc = rv_context_desc_default();
        desc.allocator = support_allocator(&memory);
        desc.threads = 1;
        rv_context *ctx;
        assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
        atomic_store(&memory.left, left);
        rv_mesh *rock = (rv_mesh *)&memory;
        rv_status status = rvi_remesh_shape(ctx, &small, &rock);
        assert_true(status == RV_OK || status == RV_ERROR_MEMORY);
        assert_true(status == RV_OK || rock == NULL);
        rv_mesh_destroy(rock);
        rv_context_destroy(ctx);
        assert_int_equal(atomic_load(&memory.held), 0);
        if (status == RV_OK)
            break;
    }
    rv_context_desc desc = rv_context_desc_default();
    desc.progress = refuse;
    rv_context *ctx;
    rv_mesh *rock;
    assert_int_equal(rv_context_create(&desc, &ctx), RV_OK);
    assert_int_equal(rvi_preset_rock(ctx, rvi_preset_find("tube"), &rock), RV_CANCELLED);
    assert_null(rock);
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_of_scenes),
        cmocka_unit_test(test_rock_is_solid),
        cmocka_unit_test(test_failure_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
