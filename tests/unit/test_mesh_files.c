/* Files of meshes: what is written follows each format's specification, read here by other code
 * than the library's; what an OBJ holds is read, and what is wrong in it is named with its line. */
#include "support.h"

#include "mesh/mesh.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Help ---- */

typedef struct blob {
    unsigned char *data;
    size_t size;
} blob;

static blob read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    blob b = {.size = (size_t)ftell(file)};
    rewind(file);
    b.data = calloc(b.size + 1, 1);
    assert_int_equal(fread(b.data, 1, b.size, file), b.size);
    fclose(file);
    return b;
}

static uint32_t get_u32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static float get_f32(const unsigned char *at) {
    uint32_t bits = get_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static rv_mesh *block_of(rv_context *ctx, const char *recipe, rv_terrain **land) {
    rv_mesh *mesh;
    *land = support_run(ctx, recipe);
    support_ok(ctx, rv_mesh_from_terrain(*land, 5, 20, &mesh));
    return mesh;
}

static const char hills[] = "terrain width=23 height=19 cell=7.3 noise frequency=9";

static rv_mesh *read_obj(rv_context *ctx, const char *text) {
    FILE *file = fopen("read.obj", "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    rv_mesh *mesh;
    support_ok(ctx, rv_mesh_load(ctx, "read.obj", &mesh));
    remove("read.obj");
    return mesh;
}

/* ---- Writing ---- */

static void obj_is_read_by_a_plain_reader(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land;
    rv_mesh *mesh = block_of(ctx, hills, &land);
    support_ok(ctx, rv_mesh_save(mesh, "out.obj", land));
    FILE *file = fopen("out.obj", "r");
    assert_non_null(file);
    char line[256];
    size_t vertices = 0, faces = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        double p[3];
        unsigned c[3];
        if (sscanf(line, "v %lf %lf %lf", &p[0], &p[1], &p[2]) == 3)
            assert_memory_equal(p, mesh->points + 3 * vertices++, sizeof p);
        else if (sscanf(line, "f %u %u %u", &c[0], &c[1], &c[2]) == 3)
            for (size_t k = 0; k < 3; k++)
                assert_int_equal(c[k] - 1, mesh->corners[3 * faces + k]);
        else
            assert_int_equal(line[0], '#');
        faces += line[0] == 'f';
    }
    fclose(file);
    assert_int_equal(vertices, mesh->vertex_count);
    assert_int_equal(faces, mesh->face_count);
    rv_mesh *again;
    support_ok(ctx, rv_mesh_load(ctx, "out.obj", &again));
    assert_int_equal(again->vertex_count, vertices);
    assert_int_equal(again->face_count, faces);
    assert_memory_equal(again->points, mesh->points, 3 * vertices * sizeof(double));
    assert_memory_equal(again->corners, mesh->corners, 3 * faces * sizeof(uint32_t));
    rv_mesh_destroy(again);
    rv_mesh_destroy(mesh);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    remove("out.obj");
}

static void stl_holds_each_face_with_its_normal(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land;
    rv_mesh *mesh = block_of(ctx, hills, &land);
    support_ok(ctx, rv_mesh_save(mesh, "out.stl", land));
    blob b = read_file("out.stl");
    assert_int_equal(b.size, 84 + 50 * mesh->face_count);
    assert_int_equal(get_u32(b.data + 80), mesh->face_count);
    assert_memory_not_equal(b.data, "solid", 5);
    for (size_t f = 0; f < mesh->face_count; f++) {
        const unsigned char *face = b.data + 84 + 50 * f;
        double n[3], p[3][3];
        for (size_t i = 0; i < 3; i++) {
            n[i] = (double)get_f32(face + 4 * i);
            for (size_t k = 0; k < 3; k++) {
                p[k][i] = (double)get_f32(face + 12 + 12 * k + 4 * i);
                assert_equal(p[k][i],
                             (double)(float)mesh->points[3 * mesh->corners[3 * f + k] + i]);
            }
        }
        assert_near(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-6);
        double cross = 0; /* along the normal: positive by the right-hand rule */
        for (size_t i = 0; i < 3; i++) {
            size_t j = (i + 1) % 3, k = (i + 2) % 3;
            cross += n[i] * ((p[1][j] - p[0][j]) * (p[2][k] - p[0][k]) -
                             (p[1][k] - p[0][k]) * (p[2][j] - p[0][j]));
        }
        assert_greater(cross, 0);
        assert_int_equal(face[48] | face[49], 0);
    }
    free(b.data);
    rv_mesh_destroy(mesh);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    remove("out.stl");
}

static void ply_holds_the_fields_by_name(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land;
    rv_mesh *mesh =
        block_of(ctx, "terrain width=23 height=19 noise frequency=9 droplets drops=200", &land);
    support_ok(ctx, rv_mesh_save(mesh, "out.ply", land));
    blob b = read_file("out.ply");
    char expected[1024];
    int size = snprintf(expected, sizeof expected,
                        "ply\nformat binary_little_endian 1.0\ncomment Ravine: metres, x east, y "
                        "north, z up\nelement vertex %zu\nproperty float x\nproperty float y\n"
                        "property float z\n",
                        mesh->vertex_count);
    int fields = rv_terrain_field_count(land);
    assert_greater_equal(fields, 3); /* flow, eroded, deposited */
    for (int i = 0; i < fields; i++)
        size += snprintf(expected + size, sizeof expected - (size_t)size, "property float %s\n",
                         rv_terrain_field_name(land, i));
    size += snprintf(expected + size, sizeof expected - (size_t)size,
                     "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
                     mesh->face_count);
    assert_memory_equal(b.data, expected, (size_t)size);
    size_t row = 12 + 4 * (size_t)fields;
    assert_int_equal(b.size, (size_t)size + row * mesh->vertex_count + 13 * mesh->face_count);
    const unsigned char *at = b.data + size;
    for (size_t v = 0; v < mesh->vertex_count; v++, at += row) {
        for (size_t i = 0; i < 3; i++)
            assert_equal(get_f32(at + 4 * i), (float)mesh->points[3 * v + i]);
        for (int i = 0; i < fields; i++)
            assert_equal(get_f32(at + 12 + 4 * i),
                         rv_terrain_field(land, rv_terrain_field_name(land, i))[mesh->cells[v]]);
    }
    for (size_t f = 0; f < mesh->face_count; f++, at += 13) {
        assert_int_equal(at[0], 3);
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(get_u32(at + 1 + 4 * k), mesh->corners[3 * f + k]);
    }
    free(b.data);
    rv_mesh_destroy(mesh);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    remove("out.ply");
}

/* The number after the nth `key` of the JSON. */
static double json_number(const char *json, const char *key, int nth) {
    const char *at = json;
    for (int i = 0; i <= nth; i++) {
        at = strstr(at, key);
        assert_non_null(at);
        at += strlen(key);
    }
    return strtod(at + strspn(at, "\":["), NULL);
}

/* Normals have length 1, and min and max are those of the positions. */
static void check_box(const char *json, const unsigned char *bin, size_t vertices) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t v = 0; v < vertices; v++) {
        double length = 0;
        for (size_t i = 0; i < 3; i++) {
            float p = get_f32(bin + 12 * v + 4 * i);
            float n = get_f32(bin + 12 * (vertices + v) + 4 * i);
            length += (double)n * (double)n;
            low[i] = p < low[i] ? p : low[i];
            high[i] = p > high[i] ? p : high[i];
        }
        assert_near(length, 1, 1e-5);
    }
    float box[6];
    const char *at = strstr(json, "\"min\"");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "\"min\":[%f,%f,%f],\"max\":[%f,%f,%f]", &box[0], &box[1], &box[2],
                            &box[3], &box[4], &box[5]),
                     6);
    for (int i = 0; i < 3; i++) {
        assert_equal(box[i], low[i]);
        assert_equal(box[3 + i], high[i]);
    }
}

/* The binary form of glTF 2.0: header, chunks on multiples of four, accessors within their views.
 */
static void glb_follows_the_specification(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_terrain *land;
    rv_mesh *mesh = block_of(ctx, hills, &land);
    support_ok(ctx, rv_mesh_save(mesh, "out.glb", land));
    blob b = read_file("out.glb");
    assert_memory_equal(b.data, "glTF", 4);
    assert_int_equal(get_u32(b.data + 4), 2);
    assert_int_equal(get_u32(b.data + 8), b.size);
    size_t text = get_u32(b.data + 12);
    assert_memory_equal(b.data + 16, "JSON", 4);
    assert_equal(text % 4, 0);
    assert_true(b.data[20] == '{');
    size_t bytes = get_u32(b.data + 20 + text);
    assert_memory_equal(b.data + 24 + text, "BIN\0", 4);
    assert_equal(bytes % 4, 0);
    assert_equal(28 + text + bytes, b.size);
    const unsigned char *bin = b.data + 28 + text;
    char *json = calloc(text + 1, 1);
    memcpy(json, b.data + 20, text);
    size_t vertices = (size_t)json_number(json, "\"count\"", 0);
    size_t indices = (size_t)json_number(json, "\"count\"", 2);
    assert_int_equal(vertices, (size_t)json_number(json, "\"count\"", 1));
    assert_int_equal(indices, 3 * mesh->face_count);
    assert_int_equal(bytes, 24 * vertices + 4 * indices);
    assert_int_equal((size_t)json_number(json, "\"byteLength\"", 0), bytes);
    assert_int_equal((size_t)json_number(json, "\"byteOffset\"", 2), 24 * vertices);
    double volume = 0;
    for (size_t f = 0; f < mesh->face_count; f++) {
        double p[3][3];
        for (size_t k = 0; k < 3; k++) {
            size_t v = get_u32(bin + 24 * vertices + 4 * (3 * f + k));
            assert_less(v, vertices);
            const double *from = mesh->points + 3 * (size_t)mesh->corners[3 * f + k];
            for (size_t i = 0; i < 3; i++)
                p[k][i] = (double)get_f32(bin + 12 * v + 4 * i);
            assert_equal(p[k][0], (double)(float)from[0]);
            assert_equal(p[k][1], (double)(float)from[2]);
            assert_equal(p[k][2], (double)(float)-from[1]);
        }
        volume += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                  p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                  p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    assert_near(volume / 6, rv_mesh_volume(mesh), 1e-4 * volume); /* turned, not mirrored */
    check_box(json, bin, vertices);
    free(json);
    free(b.data);
    rv_mesh_destroy(mesh);
    rv_terrain_destroy(land);
    rv_context_destroy(ctx);
    remove("out.glb");
}

static void names_say_the_format(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_mesh *mesh = read_obj(ctx, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_int_equal(rv_mesh_save(mesh, "out.txt", NULL), RV_ERROR_USAGE);
    assert_non_null(strstr(rv_context_error(ctx), ".glb"));
    assert_int_equal(rv_mesh_save(mesh, "nowhere/out.STL", NULL), RV_ERROR_OUTPUT);
    rv_mesh *other;
    assert_int_equal(rv_mesh_load(ctx, "out.stl", &other), RV_ERROR_INPUT);
    assert_int_equal(rv_mesh_load(ctx, "missing.obj", &other), RV_ERROR_INPUT);
    assert_null(other);
    rv_mesh_destroy(mesh);
    rv_context_destroy(ctx);
}

/* ---- Reading ---- */

static void check_faces(const rv_mesh *mesh, const uint32_t *expected, size_t count) {
    assert_int_equal(mesh->face_count, count);
    for (size_t i = 0; i < 3 * count; i++)
        assert_int_equal(mesh->corners[i] + 1, expected[i]);
}

static void every_form_of_a_face_is_read(void **state) {
    (void)state;
    rv_context *ctx = support_context(1);
    rv_mesh *mesh = read_obj(ctx, "# a comment\r\nmtllib x.mtl\no name\n"
                                  "f 1 2 3\n" /* before its vertices */
                                  "v 0 0 0\nv  1\t0 0 1.0 # with weight\nv 0 1 0 0.5 0.5 0.5\r\n"
                                  "vt 0 0\nvn 0 0 1\nusemtl y\ns off\n"
                                  "f 1/1 2/1 3/1\nf 1//1 2//1 3//1\nf 1/1/1 2/1/1 3/1/1\n"
                                  "f -3 -2 -1\nv 5e-1 +.5 -1.\n\nf -1/-1/-1 1 2\n"
                                  "f 1 2 \\\n 3 4\nf 1 \\\r\n2\\\n 4\n  f 2 3 4 1 2");
    static const uint32_t expected[] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 4, 1, 2,
                                        1, 2, 3, 1, 3, 4, 1, 2, 4, 2, 3, 4, 2, 4, 1, 2, 1, 2};
    check_faces(mesh, expected, 12);
    static const double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.5, 0.5, -1};
    assert_int_equal(mesh->vertex_count, 4);
    assert_memory_equal(mesh->points, points, sizeof points);
    rv_mesh_destroy(mesh);
    rv_context_destroy(ctx);
}

static void what_is_wrong_is_named_with_its_line(void **state) {
    (void)state;
#define THREE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "is empty"},
        {"hello\n", "no vertex"},
        {THREE, "no face"},
        {THREE "f 1 2\n", "line 4: a face needs at least three corners, here are 2"},
        {THREE "f\n", "line 4"},
        {THREE "f 1 2 4\n", "line 4: there is no vertex 4; there are 3"},
        {THREE "# x\n\nf 1 2 0\n", "line 6: there is no vertex 0"},
        {THREE "f -4 1 2\n", "line 4: there is no vertex -4; there are 3 before it"},
        {THREE "f 1 \\\n 2 \\\n x\n", "line 4: \"x\" is not a corner"},
        {THREE "f 1 2 3\nf 1 2 3x\n", "line 5: \"3x\" is not a corner"},
        {THREE "f 1 2 3/y\n", "\"3/y\""},
        {THREE "f 1 2 99999999999999999999\n", "is not a corner"},
        {THREE "f 1 2 /3\n", "\"/3\""},
        {"v 0 0\nf 1 1 1\n", "line 1: a vertex needs three numbers, here are 2"},
        {"\nv 0 nan 0\nf 1 1 1\n", "line 2: \"nan\" is not a number"},
        {"v 0 inf 0\nf 1 1 1\n", "\"inf\" is not a number"},
        {"v 0 1k 0\nf 1 1 1\n", "\"1k\" is not a number"},
        {"v 0 1e999 0\nf 1 1 1\n", "line 1: \"1e999\" is too large"},
        {"\x89PNG\r\n\x1a\n", "looks like a PNG"},
    };
    rv_context *ctx = support_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FILE *file = fopen("bad.obj", "wb");
        assert_non_null(file);
        fputs(cases[i].text, file);
        fclose(file);
        rv_mesh *mesh = (rv_mesh *)ctx;
        assert_int_equal(rv_mesh_load(ctx, "bad.obj", &mesh), RV_ERROR_INPUT);
        assert_null(mesh);
        if (!strstr(rv_context_error(ctx), cases[i].says) ||
            strncmp(rv_context_error(ctx), "bad.obj", 7) != 0)
            fail_msg("%s: said %s", cases[i].text, rv_context_error(ctx));
    }
    remove("bad.obj");
    rv_context_destroy(ctx);
}

/* A host may have a locale whose numbers have commas: files are the same. Nothing to see where no
 * such locale is installed. */
static void locales_do_not_matter(void **state) {
    (void)state;
    static const char *const locales[] = {"C", "de_DE.UTF-8"};
    static const char text[] = "v 0.5 0 0\nv 1.25 0 0\nv 0 1.1 0\nf 1 2 3\n";
    static const char *const names[] = {"C.obj", "de.obj", "C.glb", "de.glb"};
    rv_context *ctx = support_context(1);
    FILE *file = fopen("comma.obj", "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    for (int i = 0; i < 2; i++) {
        setlocale(LC_NUMERIC, locales[i]);
        rv_mesh *mesh;
        support_ok(ctx, rv_mesh_load(ctx, "comma.obj", &mesh));
        support_ok(ctx, rv_mesh_save(mesh, names[i], NULL));
        support_ok(ctx, rv_mesh_save(mesh, names[2 + i], NULL));
        rv_mesh_destroy(mesh);
    }
    setlocale(LC_NUMERIC, "C");
    for (int i = 0; i < 4; i += 2) {
        blob a = read_file(names[i]), b = read_file(names[i + 1]);
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.data, b.data, a.size);
        free(a.data);
        free(b.data);
    }
    rv_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_is_read_by_a_plain_reader),
        cmocka_unit_test(stl_holds_each_face_with_its_normal),
        cmocka_unit_test(ply_holds_the_fields_by_name),
        cmocka_unit_test(glb_follows_the_specification),
        cmocka_unit_test(locales_do_not_matter),
        cmocka_unit_test(names_say_the_format),
        cmocka_unit_test(every_form_of_a_face_is_read),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
