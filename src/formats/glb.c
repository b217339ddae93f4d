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
#include "formats/zip_file.h"

enum { HEADER = 12, CHUNK = 8, JSON_SIZE = 4096, POLL = 4096, VECTOR = 12 };

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
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Ravine\"},\"scene\":0,"
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

/* The header, the JSON, and the start of the chunk of so many bytes. */
static rv_status put_start(rvi_writer *writer, const char *json, size_t size, size_t bytes) {
    unsigned char head[HEADER + CHUNK] = "glTF", chunk[CHUNK];
    rvi_put_u32(head + 4, 2);
    rvi_put_u32(head + 8, (uint32_t)(HEADER + CHUNK + size + CHUNK + bytes));
    rvi_put_u32(head + 12, (uint32_t)size);
    memcpy(head + 16, "JSON", 4);
    rvi_put_u32(chunk, (uint32_t)bytes);
    memcpy(chunk + 4, "BIN\0", 4);
    rv_status status = rvi_writer_put(writer, head, sizeof head);
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

static rv_status put_normals(rvi_writer *writer, const rv_mesh *mesh) {
    double normal[3], *sums = rvi_alloc(mesh->ctx, mesh->surface_vertices, 3 * sizeof *sums,
                                        "the normals of a mesh");
    if (sums == NULL)
        return RV_ERROR_MEMORY;
    rv_status status = rvi_surface_normals(mesh, sums);
    for (size_t v = 0; v < mesh->surface_vertices && status == RV_OK; v++) {
        status = put_vector(writer, sums + 3 * v);
        if (status == RV_OK && v % POLL == 0)
            status = rvi_poll(mesh->ctx);
    }
    rvi_free(mesh->ctx, sums);
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

static rv_status check_size(const rv_mesh *mesh, size_t bytes) {
    if (mesh->face_count == 0 || mesh->vertex_count == 0)
        return rvi_fail(mesh->ctx, RV_ERROR_USAGE, "A mesh without faces cannot be a .glb.");
    if (bytes > UINT32_MAX - JSON_SIZE - HEADER - 2 * CHUNK)
        return rvi_fail(mesh->ctx, RV_ERROR_USAGE,
                        "A mesh of %zu faces is too large for a .glb, which has at most 4 GiB.",
                        mesh->face_count);
    return RV_OK;
}

static rv_status glb_encode(rvi_writer *writer, const rv_mesh *mesh, const rv_terrain *land) {
    (void)land;
    layout l = layout_of(mesh);
    char json[JSON_SIZE];
    float low[3], high[3];
    rv_status status = check_size(mesh, l.bytes);
    if (status == RV_OK)
        status = find_box(mesh, low, high);
    if (status == RV_OK)
        status = put_start(writer, json, print_json(&l, low, high, json), l.bytes);
    if (status == RV_OK)
        status = put_positions(writer, mesh);
    if (status == RV_OK)
        status = put_normals(writer, mesh);
    return status == RV_OK ? put_indices(writer, mesh) : status;
}

const rvi_mesh_format rvi_mesh_glb = {".glb", glb_encode, NULL};

/* ---- with a picture of the ground ----
 *
 * The near mesh has texture coordinates and the picture as its texture, the far one, which stands
 * for it at a distance (MSFT_lod), colours of its vertices: glTF would multiply the two. The
 * picture is a PNG whose bytes are not packed: so they are the same whatever zlib there is, and
 * their number is known before. */

enum { STORED = 65535, PNG_HEAD = 8 + 25 + 12, ZLIB = 2 + 4, BLOCK = 5, TRAILER = 12 };

static size_t row_bytes(const rvi_glb_ground *g) {
    return 1 + 3 * (size_t)g->width;
}

static size_t zlib_bytes(const rvi_glb_ground *g) {
    size_t raw = row_bytes(g) * (size_t)g->height;
    return raw + BLOCK * ((raw + STORED - 1) / STORED) + ZLIB;
}

static size_t png_bytes(const rvi_glb_ground *g) {
    return PNG_HEAD + zlib_bytes(g) + TRAILER;
}

static void put_big(unsigned char *at, uint32_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* Where the bytes of the picture's rows go: into stored blocks, with their sums. */
typedef struct picture_writer {
    rvi_writer *writer;
    const rvi_crc_table *table;
    uint32_t crc;
    uint32_t sum[2]; /* Adler-32 */
    size_t left;     /* bytes to come */
    size_t block;    /* of them in this block */
} picture_writer;

static rv_status put_counted(picture_writer *w, const unsigned char *data, size_t size) {
    w->crc = rvi_crc(w->table, w->crc, data, size);
    return rvi_writer_put(w->writer, data, size);
}

static rv_status put_raw(picture_writer *w, const unsigned char *data, size_t size) {
    rv_status status = RV_OK;
    for (size_t i = 0; i < size; i++) {
        w->sum[0] = (w->sum[0] + data[i]) % 65521;
        w->sum[1] = (w->sum[1] + w->sum[0]) % 65521;
    }
    while (size > 0 && status == RV_OK) {
        if (w->block == 0) {
            w->block = w->left < STORED ? w->left : STORED;
            unsigned char head[BLOCK] = {w->block == w->left, (unsigned char)(w->block & 255),
                                         (unsigned char)(w->block >> 8),
                                         (unsigned char)(~w->block & 255),
                                         (unsigned char)(~w->block >> 8 & 255)};
            status = put_counted(w, head, sizeof head);
        }
        size_t some = size < w->block ? size : w->block;
        if (status == RV_OK)
            status = put_counted(w, data, some);
        data += some;
        size -= some;
        w->left -= some;
        w->block -= some;
    }
    return status;
}

static rv_status put_chunk(rvi_writer *writer, const rvi_crc_table *table, const char *name,
                           const unsigned char *data, size_t size) {
    unsigned char bytes[64];
    put_big(bytes, (uint32_t)size);
    memcpy(bytes + 4, name, 4);
    if (size > 0)
        memcpy(bytes + 8, data, size);
    put_big(bytes + 8 + size, rvi_crc(table, 0, bytes + 4, 4 + size));
    return rvi_writer_put(writer, bytes, size + 12);
}

static rv_status put_rows(picture_writer *w, const rvi_glb_ground *g) {
    static const unsigned char start[] = {0x78, 0x01}, plain[] = {0};
    unsigned char sums[4];
    rv_status status = put_counted(w, (const unsigned char *)"IDAT", 4);
    if (status == RV_OK)
        status = put_counted(w, start, sizeof start);
    for (int y = 0; y < g->height && status == RV_OK; y++) {
        status = put_raw(w, plain, 1);
        if (status == RV_OK)
            status = put_raw(w, g->rgb + 3 * (size_t)y * (size_t)g->width, 3 * (size_t)g->width);
    }
    put_big(sums, w->sum[1] << 16 | w->sum[0]);
    return status == RV_OK ? put_counted(w, sums, sizeof sums) : status;
}

static rv_status put_png(rvi_writer *writer, const rvi_glb_ground *g) {
    rvi_crc_table table;
    unsigned char head[13] = {[8] = 8, [9] = 2}, number[4];
    rvi_crc_begin(&table);
    put_big(head, (uint32_t)g->width);
    put_big(head + 4, (uint32_t)g->height);
    rv_status status = rvi_writer_put(writer, "\x89PNG\r\n\x1a\n", 8);
    if (status == RV_OK)
        status = put_chunk(writer, &table, "IHDR", head, sizeof head);
    put_big(number, (uint32_t)zlib_bytes(g));
    if (status == RV_OK)
        status = rvi_writer_put(writer, number, 4);
    picture_writer w = {
        .writer = writer, .table = &table, .sum = {1, 0}, .left = row_bytes(g) * (size_t)g->height};
    if (status == RV_OK)
        status = put_rows(&w, g);
    put_big(number, w.crc);
    if (status == RV_OK)
        status = rvi_writer_put(writer, number, 4);
    return status == RV_OK ? put_chunk(writer, &table, "IEND", NULL, 0) : status;
}

/* The vertex of a mesh whose place is the i-th of the file. */
static uint32_t vertex_of(const rv_mesh *mesh, size_t i) {
    return i < mesh->surface_vertices
               ? (uint32_t)i
               : mesh->corners[3 * mesh->surface_faces + (i - mesh->surface_vertices)];
}

/* The middle of the pixel that shows its cell. */
static rv_status put_uvs(rvi_writer *writer, const rv_mesh *mesh, const rvi_glb_ground *g) {
    size_t vertices = layout_of(mesh).vertices;
    rv_status status = RV_OK;
    for (size_t i = 0; i < vertices && status == RV_OK; i++) {
        uint32_t cell = mesh->cells[vertex_of(mesh, i)];
        unsigned char bytes[8];
        rvi_put_f32(bytes, ((float)(cell % (uint32_t)g->width) + 0.5f) / (float)g->width);
        rvi_put_f32(bytes + 4, ((float)(cell / (uint32_t)g->width) + 0.5f) / (float)g->height);
        status = rvi_writer_put(writer, bytes, sizeof bytes);
        if (status == RV_OK && i % POLL == 0)
            status = rvi_poll(mesh->ctx);
    }
    return status;
}

/* Linear, as glTF has it. */
static rv_status put_colours(rvi_writer *writer, const rv_mesh *mesh, const rvi_glb_ground *g) {
    size_t vertices = layout_of(mesh).vertices;
    rv_status status = RV_OK;
    for (size_t i = 0; i < vertices && status == RV_OK; i++) {
        const unsigned char *rgb = g->rgb + 3 * (size_t)mesh->cells[vertex_of(mesh, i)];
        unsigned char bytes[8];
        for (int c = 0; c < 4; c++) {
            unsigned level = c < 3 ? g->linear[rgb[c]] : 65535;
            bytes[2 * c] = (unsigned char)(level & 255);
            bytes[2 * c + 1] = (unsigned char)(level >> 8);
        }
        status = rvi_writer_put(writer, bytes, sizeof bytes);
        if (status == RV_OK && i % POLL == 0)
            status = rvi_poll(mesh->ctx);
    }
    return status;
}

/* Views and accessors of one mesh: positions, normals, texture coordinates or colours, indices. */
static void print_part(const layout *l, size_t at, bool near, const float *low, const float *high,
                       char *views, char *accessors, size_t room) {
    char box[6][32];
    int first = near ? 0 : 4;
    for (int i = 0; i < 6; i++)
        rvi_text_print(box[i], sizeof box[i], 9, (double)(i < 3 ? low[i] : high[i - 3]));
    snprintf(views, room,
             "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":34962},"
             "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":34962},"
             "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":34962},"
             "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":34963},",
             at, l->positions, at + l->positions, l->positions, at + 2 * l->positions,
             8 * l->vertices, at + 2 * l->positions + 8 * l->vertices, 4 * l->indices);
    snprintf(accessors, room,
             "{\"bufferView\":%d,\"componentType\":5126,\"count\":%zu,\"type\":\"VEC3\","
             "\"min\":[%s,%s,%s],\"max\":[%s,%s,%s]},"
             "{\"bufferView\":%d,\"componentType\":5126,\"count\":%zu,\"type\":\"VEC3\"},"
             "{\"bufferView\":%d,%s,\"count\":%zu},"
             "{\"bufferView\":%d,\"componentType\":5125,\"count\":%zu,\"type\":\"SCALAR\"}",
             first, l->vertices, box[0], box[1], box[2], box[3], box[4], box[5], first + 1,
             l->vertices, first + 2,
             near ? "\"componentType\":5126,\"type\":\"VEC2\""
                  : "\"componentType\":5123,\"normalized\":true,\"type\":\"VEC4\"",
             l->vertices, first + 3, l->indices);
}

static rv_status print_ground(const rv_mesh *near, const rv_mesh *far, const layout l[2],
                              const rvi_glb_ground *g, size_t total, char json[JSON_SIZE],
                              size_t *size) {
    char views[2][700], accessors[2][900];
    float low[3], high[3];
    size_t start = 2 * l[0].positions + 8 * l[0].vertices + 4 * l[0].indices;
    rv_status status = find_box(near, low, high);
    print_part(&l[0], 0, true, low, high, views[0], accessors[0], sizeof views[0]);
    if (status == RV_OK)
        status = find_box(far, low, high);
    if (status != RV_OK)
        return status;
    print_part(&l[1], start, false, low, high, views[1], accessors[1], sizeof views[1]);
    start += 2 * l[1].positions + 8 * l[1].vertices + 4 * l[1].indices;
    int used = snprintf(
        json, JSON_SIZE,
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Ravine\"},"
        "\"extensionsUsed\":[\"MSFT_lod\"],\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"mesh\":0,\"name\":\"land\",\"extensions\":{\"MSFT_lod\":{\"ids\":[1]}},"
        "\"extras\":{\"MSFT_screencoverage\":[0.3,0.01]}},{\"mesh\":1,\"name\":\"land_far\"}],"
        "\"meshes\":[{\"name\":\"land\",\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":"
        "1,"
        "\"TEXCOORD_0\":2},\"indices\":3,\"material\":0}]},"
        "{\"name\":\"land_far\",\"primitives\":[{\"attributes\":{\"POSITION\":4,\"NORMAL\":5,"
        "\"COLOR_0\":6},\"indices\":7,\"material\":1}]}],"
        "\"materials\":[{\"name\":\"land\",\"pbrMetallicRoughness\":{\"baseColorTexture\":"
        "{\"index\":0},\"metallicFactor\":0,\"roughnessFactor\":1}},"
        "{\"name\":\"land_far\",\"pbrMetallicRoughness\":{\"metallicFactor\":0,"
        "\"roughnessFactor\":1}}],"
        "\"textures\":[{\"source\":0,\"sampler\":0}],"
        "\"samplers\":[{\"magFilter\":9729,\"minFilter\":9987,\"wrapS\":33071,\"wrapT\":33071}],"
        "\"images\":[{\"name\":\"land\",\"mimeType\":\"image/png\",\"bufferView\":8}],"
        "\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[%s%s"
        "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}],\"accessors\":[%s,%s]}",
        total, views[0], views[1], start, png_bytes(g), accessors[0], accessors[1]);
    while (used % 4 != 0)
        json[used++] = ' ';
    *size = (size_t)used;
    return RV_OK;
}

static rv_status put_part(rvi_writer *writer, const rv_mesh *mesh, const rvi_glb_ground *g,
                          bool near) {
    rv_status status = put_positions(writer, mesh);
    if (status == RV_OK)
        status = put_normals(writer, mesh);
    if (status == RV_OK)
        status = near ? put_uvs(writer, mesh, g) : put_colours(writer, mesh, g);
    return status == RV_OK ? put_indices(writer, mesh) : status;
}

static rv_status put_ground(rvi_writer *writer, const rv_mesh *near, const rv_mesh *far,
                            const rvi_glb_ground *g) {
    const layout l[2] = {layout_of(near), layout_of(far)};
    size_t png = (png_bytes(g) + 3) / 4 * 4, size = 0;
    size_t total = l[0].bytes + 8 * l[0].vertices + l[1].bytes + 8 * l[1].vertices + png;
    char json[JSON_SIZE];
    rv_status status = check_size(near, total);
    if (status == RV_OK)
        status = print_ground(near, far, l, g, total, json, &size);
    if (status == RV_OK)
        status = put_start(writer, json, size, total);
    if (status == RV_OK)
        status = put_part(writer, near, g, true);
    if (status == RV_OK)
        status = put_part(writer, far, g, false);
    if (status == RV_OK)
        status = put_png(writer, g);
    return status == RV_OK ? rvi_writer_put(writer, "\0\0\0", png - png_bytes(g)) : status;
}

rv_status rvi_glb_write(const char *path, const rv_mesh *near, const rv_mesh *far,
                        const rvi_glb_ground *ground) {
    rvi_writer *writer;
    rv_status status = rvi_writer_open(near->ctx, path, &writer);
    if (status != RV_OK)
        return status;
    status = put_ground(writer, near, far, ground);
    if (status == RV_OK)
        return rvi_writer_commit(writer);
    rvi_writer_abandon(writer);
    return status;
}
