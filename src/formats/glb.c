/* glb.c: meshes as binary glTF 2.0 (ISO/IEC 12113). glTF has y up: its x is our x, its y our z, and
 * its z our -y, south. Positions and normals are floats in metres, indices have 32 bits.
 *
 * The surface has one normal a vertex, the mean of its faces by area, and looks smooth. Walls and
 * base have their own vertices for each face, with the normal of that face, and look flat. */
#include "formats/mesh_format.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/text.h"

enum { HEADER = 12, CHUNK = 8, JSON_SIZE = 1536, POLL = 4096, VECTOR = 12 };

typedef struct layout {
    size_t flat;     /* vertices of walls and base */
    size_t vertices; /* all of them */
    size_t indices;
    size_t positions, bytes; /* of the positions or of the normals, and of the whole chunk */
} layout;

static layout layout_of(const rv_mesh *mesh) {
    layout l = {.flat = 3 * (mesh->face_count - mesh->surface_faces)};
    l.vertices = mesh->surface_vertices + l.flat;
    l.indices = 3 * mesh->face_count;
    l.positions = VECTOR * l.vertices;
    l.bytes = 2 * l.positions + 4 * l.indices;
    return l;
}

/* Turned to y up. Minus zero would be written as such and looks odd in the JSON. */
static void turn(const double in[3], float out[3]) {
    out[0] = (float)in[0];
    out[1] = (float)in[2];
    out[2] = in[1] != 0.0 ? (float)-in[1] : 0.0f;
}

static rv_status find_box(const rv_mesh *mesh, float low[3], float high[3]) {
    turn(mesh->points, low);
    turn(mesh->points, high);
    for (size_t v = 1; v < mesh->vertex_count; v++) {
        if (v % POLL == 0 && rvi_poll(mesh->ctx) != RV_OK)
            return RV_CANCELLED;
        float p[3];
        turn(mesh->points + 3 * v, p);
        for (int i = 0; i < 3; i++) {
            low[i] = p[i] < low[i] ? p[i] : low[i];
            high[i] = p[i] > high[i] ? p[i] : high[i];
        }
    }
    return RV_OK;
}

static size_t print_json(const layout *l, const float low[3], const float high[3],
                         char out[JSON_SIZE]) {
    char box[6][32];
    for (int i = 0; i < 6; i++)
        rvi_text_print(box[i], sizeof box[i], 9, (double)(i < 3 ? low[i] : high[i - 3]));
    int size = snprintf(
        out, JSON_SIZE,
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Ravine " RV_VERSION "\"},\"scene\":0,"
        "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0,\"name\":\"land\"}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":1},\"indices\":2,"
        "\"material\":0}]}],"
        "\"materials\":[{\"name\":\"land\",\"pbrMetallicRoughness\":{\"baseColorFactor\":"
        "[0.55,0.5,0.42,1],\"metallicFactor\":0,\"roughnessFactor\":1}}],"
        "\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":["
        "{\"buffer\":0,\"byteOffset\":0,\"byteLength\":%zu,\"target\":34962},"
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":34962},"
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":34963}],\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":%zu,\"type\":\"VEC3\","
        "\"min\":[%s,%s,%s],\"max\":[%s,%s,%s]},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":%zu,\"type\":\"VEC3\"},"
        "{\"bufferView\":2,\"componentType\":5125,\"count\":%zu,\"type\":\"SCALAR\"}]}",
        l->bytes, l->positions, l->positions, l->positions, 2 * l->positions, 4 * l->indices,
        l->vertices, box[0], box[1], box[2], box[3], box[4], box[5], l->vertices, l->indices);
    while (size % 4 != 0) /* chunks end on a multiple of four, the text with blanks */
        out[size++] = ' ';
    return (size_t)size;
}

static rv_status put_start(rvi_writer *writer, const rv_mesh *mesh, const layout *l) {
    char json[JSON_SIZE];
    float low[3], high[3];
    rv_status status = find_box(mesh, low, high);
    if (status != RV_OK)
        return status;
    size_t size = print_json(l, low, high, json);
    unsigned char head[HEADER + CHUNK] = "glTF", chunk[CHUNK];
    rvi_put_u32(head + 4, 2);
    rvi_put_u32(head + 8, (uint32_t)(HEADER + CHUNK + size + CHUNK + l->bytes));
    rvi_put_u32(head + 12, (uint32_t)size);
    memcpy(head + 16, "JSON", 4);
    rvi_put_u32(chunk, (uint32_t)l->bytes);
    memcpy(chunk + 4, "BIN\0", 4);
    status = rvi_writer_put(writer, head, sizeof head);
    if (status == RV_OK)
        status = rvi_writer_put(writer, json, size);
    return status == RV_OK ? rvi_writer_put(writer, chunk, sizeof chunk) : status;
}

static rv_status put_vector(rvi_writer *writer, const double vector[3]) {
    float turned[3];
    unsigned char bytes[VECTOR];
    turn(vector, turned);
    for (size_t i = 0; i < 3; i++)
        rvi_put_f32(bytes + 4 * i, turned[i]);
    return rvi_writer_put(writer, bytes, sizeof bytes);
}

static rv_status put_positions(rvi_writer *writer, const rv_mesh *mesh) {
    rv_status status = RV_OK;
    for (size_t v = 0; v < mesh->surface_vertices && status == RV_OK; v++) {
        status = put_vector(writer, mesh->points + 3 * v);
        if (status == RV_OK && v % POLL == 0)
            status = rvi_poll(mesh->ctx);
    }
    for (size_t i = 3 * mesh->surface_faces; i < 3 * mesh->face_count && status == RV_OK; i++)
        status = put_vector(writer, mesh->points + 3 * (size_t)mesh->corners[i]);
    return status;
}

/* `sums` has room for a vector for each vertex of the surface. */
static rv_status put_normals(rvi_writer *writer, const rv_mesh *mesh, double *sums) {
    double normal[3];
    rv_status status = rvi_surface_normals(mesh, sums);
    for (size_t v = 0; v < mesh->surface_vertices && status == RV_OK; v++) {
        status = put_vector(writer, sums + 3 * v);
        if (status == RV_OK && v % POLL == 0)
            status = rvi_poll(mesh->ctx);
    }
    for (size_t f = mesh->surface_faces; f < mesh->face_count; f++) {
        rvi_face_normal(mesh, f, normal);
        rvi_unit_normal(normal);
        for (int k = 0; k < 3 && status == RV_OK; k++)
            status = put_vector(writer, normal);
    }
    return status;
}

static rv_status put_indices(rvi_writer *writer, const rv_mesh *mesh) {
    rv_status status = RV_OK;
    size_t surface = 3 * mesh->surface_faces;
    for (size_t i = 0; i < 3 * mesh->face_count && status == RV_OK; i++) {
        unsigned char bytes[4];
        rvi_put_u32(bytes, i < surface ? mesh->corners[i]
                                       : (uint32_t)(mesh->surface_vertices + (i - surface)));
        status = rvi_writer_put(writer, bytes, sizeof bytes);
        if (status == RV_OK && i % POLL == 0)
            status = rvi_poll(mesh->ctx);
    }
    return status;
}

static rv_status glb_encode(rvi_writer *writer, const rv_mesh *mesh, const rv_terrain *land) {
    (void)land;
    layout l = layout_of(mesh);
    if (mesh->face_count == 0 || mesh->vertex_count == 0)
        return rvi_fail(mesh->ctx, RV_ERROR_USAGE, "A mesh without faces cannot be a .glb.");
    if (l.bytes > UINT32_MAX - JSON_SIZE - HEADER - 2 * CHUNK)
        return rvi_fail(mesh->ctx, RV_ERROR_USAGE,
                        "A mesh of %zu faces is too large for a .glb, which has at most 4 GiB.",
                        mesh->face_count);
    double *sums =
        rvi_alloc(mesh->ctx, mesh->surface_vertices, 3 * sizeof *sums, "the normals of a mesh");
    if (sums == NULL)
        return RV_ERROR_MEMORY;
    rv_status status = put_start(writer, mesh, &l);
    if (status == RV_OK)
        status = put_positions(writer, mesh);
    if (status == RV_OK)
        status = put_normals(writer, mesh, sums);
    if (status == RV_OK)
        status = put_indices(writer, mesh);
    rvi_free(mesh->ctx, sums);
    return status;
}

const rvi_mesh_format rvi_mesh_glb = {".glb", glb_encode, NULL};
