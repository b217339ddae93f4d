/* test_mesh_land.c: a mesh opened as land: the highest point over each cell, exact on planes; PLY
 * in all its forms; what is wrong is said. */
#include "format_files.h"

#include <string.h>

static const float *heights(const rv_terrain *land) {
    return rv_terrain_field(land, "height");
}

/* A sheet in two triangles, none of whose corners is a cell but the outer ones. */
static void test_a_plane_is_exact(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    write_text("sheet.obj", "v 100 50 10\nv 160 50 40\nv 160 90 20\nv 100 90 -10\nf 1 2 3 4\n");
    rv_terrain *land = support_run(ctx, "open sheet.obj cell=4");
    assert_int_equal(rv_terrain_width(land), 16);
    assert_int_equal(rv_terrain_height(land), 11);
    assert_equal(rv_terrain_cell(land), 4.0f);
    for (int y = 0; y < 11; y++)
        for (int x = 0; x < 16; x++) /* 1/2 up to the east, 1/2 down to the north; row 0 is north */
            assert_equal(heights(land)[16 * y + x],
                         10 + 0.5f * 4 * (float)x - 0.5f * 4 * (float)(10 - y));
    rv_terrain_destroy(land);
    /* The other way round, and with y up: north is -z. */
    write_text("turned.obj",
               "v 100 10 -50\nv 160 40 -50\nv 160 20 -90\nv 100 -10 -90\nf 4 3 2 1\n");
    rv_terrain *turned = support_run(ctx, "open turned.obj width=16 up=y");
    land = support_run(ctx, "open sheet.obj width=16");
    assert_equal(rv_terrain_hash(turned), rv_terrain_hash(land));
    rv_terrain_destroy(turned);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
}

/* Of a table over a floor, the table; beside the floor there is nothing. */
static void test_the_highest_counts_and_gaps_are_holes(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    write_text("table.obj", "v 0 0 1\nv 8 0 1\nv 8 8 1\nv 0 8 1\nf 1 2 3\nf 1 3 4\n"
                            "v 2 2 5\nv 6 2 5\nv 6 6 5\nv 2 6 5\nf 8 7 6 5\n"
                            "v 12 8 3\nv 12 0 3\nf 9 10 10\nf 9 10 2\n");
    rv_terrain *land = support_run(ctx, "open table.obj cell=1 holes=keep");
    assert_int_equal(rv_terrain_width(land), 13);
    const float *hole = rv_terrain_field(land, "hole");
    assert_non_null(hole);
    for (int y = 0; y < 9; y++)
        for (int x = 0; x < 9; x++) {
            bool table = x >= 2 && x <= 6 && y >= 2 && y <= 6;
            assert_equal(heights(land)[13 * y + x], table ? 5.0f : 1.0f);
            assert_equal(hole[13 * y + x], 0.0f);
        }
    assert_equal(hole[9], 1.0f); /* the last face is a triangle from (8, 0) to the east edge */
    assert_equal(hole[13 * 8 + 10], 0.0f);
    rv_terrain_destroy(land);
    assert_int_equal(rv_recipe_run_text(ctx, "open table.obj cell=1", NULL, NULL), RV_ERROR_INPUT);
    assert_non_null(strstr(rv_context_error(ctx), "there is no mesh over"));
    rv_context_destroy(ctx);
}

/* What the program wrote comes back to the bit: through OBJ and PLY, as a surface and as a block.
 */
static void test_our_own_meshes_come_back(void **state) {
    (void)state;
    rv_context *ctx = support_context(2);
    static const char land[] = "terrain width=37 height=26 cell=12.5 noise seed=4 ";
    static const char *const meshes[] = {"own.obj", "own.ply", "own.obj solid=30",
                                         "own.ply solid=30"};
    rv_terrain *first = support_run(ctx, land);
    for (int k = 0; k < 4; k++) {
        char text[200];
        snprintf(text, sizeof text, "%ssave %s open own.%s cell=12.5", land, meshes[k],
                 k % 2 ? "ply" : "obj");
        rv_terrain *again = support_run(ctx, text);
        assert_equal(rv_terrain_hash(again), rv_terrain_hash(first));
        rv_terrain_destroy(again);
    }
    /* With fewer faces: within the error that was allowed. */
    rv_terrain *near = NULL;
    char text[200];
    snprintf(text, sizeof text, "%ssave few.obj error=5", land);
    support_ok(ctx, rv_recipe_run_text(ctx, text, NULL, NULL));
    near = support_run(ctx, "open few.obj cell=12.5");
    for (int i = 0; i < 37 * 26; i++)
        assert_near(heights(near)[i], heights(first)[i], 5.001);
    rv_terrain_destroy(near);
    rv_terrain_destroy(first);
    rv_context_destroy(ctx);
}

/* ---- PLY ---- */

static const char TEXT_PLY[] =
    "ply\r\nformat ascii 1.0\r\ncomment any\r\nelement vertex 4\r\n"
    "property double y\r\nproperty double x\r\nproperty uchar red\r\n"
    "property short z\r\nelement material 1\r\nproperty list uchar float a\r\n"
    "property int b\r\nelement face 1\r\nproperty uchar flag\r\n"
    "property list uint8 int32 vertex_index\r\nend_header\r\n"
    "0 0 7 1\r\n0 6 7 4\r\n3 6 7 10\r\n3 0 7 7\r\n2 0.5 0.25 9\r\n"
    "1 4 0 1 2 3\r\n";

static void put_swapped(blob *b, const void *value, size_t size) {
    unsigned char bytes[8];
    memcpy(bytes, value, size);
    for (size_t i = 0; i < size; i++) /* this machine is little-endian; the file is not */
        b->data[b->size++] = bytes[size - 1 - i];
}

static void test_forms_of_ply(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    write_text("text.ply", TEXT_PLY);
    rv_terrain *land = support_run(ctx, "open text.ply cell=1.5");
    assert_int_equal(rv_terrain_width(land), 5);
    assert_int_equal(rv_terrain_height(land), 3);
    for (int i = 0; i < 15; i++) /* 1 + x / 2 + 2 y */
        assert_equal(heights(land)[i],
                     1 + 0.5f * 1.5f * (float)(i % 5) + 2 * 1.5f * (float)(2 - i / 5));
    uint64_t hash = rv_terrain_hash(land);
    rv_terrain_destroy(land);
    /* The same, big-endian. */
    static const double places[4][3] = {{0, 0, 1}, {6, 0, 4}, {6, 3, 10}, {0, 3, 7}};
    blob *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->size = (size_t)snprintf((char *)b->data, sizeof b->data,
                               "ply\nformat binary_big_endian 1.0\nelement vertex 4\n"
                               "property float x\nproperty float y\nproperty double z\n"
                               "element face 1\nproperty list uchar ushort vertex_indices\n"
                               "end_header\n");
    for (int v = 0; v < 4; v++) {
        float x = (float)places[v][0], y = (float)places[v][1];
        put_swapped(b, &x, 4);
        put_swapped(b, &y, 4);
        put_swapped(b, &places[v][2], 8);
    }
    b->data[b->size++] = 4;
    for (uint16_t k = 0; k < 4; k++)
        put_swapped(b, &k, 2);
    write_file("big.ply", b->data, b->size);
    land = support_run(ctx, "open big.ply cell=1.5");
    assert_equal(rv_terrain_hash(land), hash);
    rv_terrain_destroy(land);
    /* Cut anywhere, it is an error and a sentence. */
    for (size_t size = 0; size < b->size; size++) {
        write_file("cut.ply", b->data, size);
        assert_int_equal(rv_recipe_run_text(ctx, "open cut.ply cell=1.5", NULL, NULL),
                         RV_ERROR_INPUT);
        assert_non_null(strstr(rv_context_error(ctx), "cut.ply"));
    }
    free(b);
    rv_context_destroy(ctx);
}

static void refuse(rv_context *ctx, const char *header, const char *body, const char *says) {
    char text[1000];
    snprintf(text, sizeof text, "%s%s", header, body);
    write_text("bad.ply", text);
    assert_int_equal(rv_recipe_run_text(ctx, "open bad.ply cell=1", NULL, NULL), RV_ERROR_INPUT);
    if (!strstr(rv_context_error(ctx), says))
        fail_msg("\"%s\" does not say \"%s\"", rv_context_error(ctx), says);
}

static void test_bad_ply(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    static const char head[] = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                               "property float y\nproperty float z\nelement face 1\n"
                               "property list uchar int vertex_indices\nend_header\n";
    refuse(ctx, head, "0 0 0 1 0 0 0 1 0 3 0 1 3", "has a corner 3");
    refuse(ctx, head, "0 0 0 1 0 0 0 1 0 3 0 1 -1", "has a corner -1");
    refuse(ctx, head, "0 0 0 1 0 0 0 1 0 3 0 1 1.5", "has a corner 1.5");
    refuse(ctx, head, "0 0 0 1 0 nan 0 1 0 3 0 1 2", "\"nan\" is not a number");
    refuse(ctx, head, "0 0 0 1 0 0 0 1 0 2 0 1", "no face");
    refuse(ctx, head, "0 0 0 1 0 0 0 1 0 -3 0 1 2", "no sensible length");
    refuse(ctx, head, "0 0 0 1 0 0 2 0 0 3 0 1 2", "there is no mesh over 3 of 3 cells");
    refuse(ctx, "play", "\n", "is not a PLY mesh");
    refuse(ctx, "ply\nformat binary 1.0\n", "end_header\n", "its format is none of");
    refuse(ctx, "ply\nformat ascii 1.0\nelement vertex 9999999999999\nproperty float x\n",
           "end_header\n", "ends before");
    refuse(ctx, "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n", "end_header\n1\n",
           "no vertices with x, y and z");
    refuse(ctx, "ply\nformat ascii 1.0\nelement vertex 1\nproperty half x\n", "end_header\n1\n",
           "\"half\" is no type");
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_plane_is_exact),
        cmocka_unit_test(test_the_highest_counts_and_gaps_are_holes),
        cmocka_unit_test(test_our_own_meshes_come_back),
        cmocka_unit_test(test_forms_of_ply),
        cmocka_unit_test(test_bad_ply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
