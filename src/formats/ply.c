/* ply.c: meshes as PLY (G. Turk, The PLY polygon file format, 1994).
 *
 * Written as binary little-endian: each vertex has x, y, z and, when the mesh came from a terrain,
 * one more float for each of its fields, by the field's name. Read as text or as binary of either
 * byte order, with numbers of any type: x, y, z of the element vertex and the list vertex_indices
 * (or vertex_index) of the element face; all else is skipped. A polygon becomes a fan from its
 * first corner. */
#include "formats/mesh_format.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/text.h"
#include "terrain/state.h"

enum { POLL = 4096, CORNERS = 13, SHOWN = 40 };

/* ---- Reading ---- */

enum { ELEMENTS = 16, PROPERTIES = 128 };
typedef enum coding { TEXT, LITTLE, BIG } coding;
typedef enum type { I8, U8, I16, U16, I32, U32, F32, F64, TYPES } type;
static const int type_sizes[TYPES] = {1, 1, 2, 2, 4, 4, 4, 8};
/* What a property is for. */
typedef enum use { USE_X, USE_Y, USE_Z, USE_CORNERS, USE_NONE } use;

typedef struct property {
    type type, count_type;
    bool list;
    use use;
} property;

typedef struct element {
    uint64_t count;
    bool vertices, faces;
    int first, end; /* of its properties */
} element;

typedef struct reader {
    rv_context *ctx;
    const rvi_source *source;
    const unsigned char *at, *end;
    coding coding;
    element elements[ELEMENTS];
    int element_count;
    property properties[PROPERTIES];
    int property_count;
    size_t vertices, faces; /* of the mesh, so far */
    rv_mesh *mesh;          /* NULL while faces are counted */
} reader;

typedef struct word {
    const char *text;
    size_t size;
} word;

static bool is_blank(unsigned char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static rv_status bad_file(const reader *r, const char *what) {
    return rvi_fail(r->ctx, RV_ERROR_INPUT, "%s: %s.", r->source->name, what);
}

/* ---- the header ---- */

/* The next word of a line that ends at `end`; empty: there is none. */
static word next_word(const unsigned char **at, const unsigned char *end) {
    while (*at < end && is_blank(**at))
        ++*at;
    const unsigned char *start = *at;
    while (*at < end && !is_blank(**at))
        ++*at;
    return (word){(const char *)start, (size_t)(*at - start)};
}

static bool is_word(word w, const char *text) {
    return rvi_text_is(w.text, w.size, text);
}

static bool read_type(word w, type *out) {
    static const char *const names[TYPES][2] = {
        {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
        {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"}};
    for (int t = 0; t < TYPES; t++)
        if (is_word(w, names[t][0]) || is_word(w, names[t][1])) {
            *out = (type)t;
            return true;
        }
    return false;
}

static rv_status read_element(reader *r, const unsigned char *at, const unsigned char *end) {
    word name = next_word(&at, end), count = next_word(&at, end);
    element *e = &r->elements[r->element_count];
    if (r->element_count == ELEMENTS)
        return bad_file(r, "it has more elements than a mesh needs");
    *e = (element){.vertices = is_word(name, "vertex"),
                   .faces = is_word(name, "face"),
                   .first = r->property_count,
                   .end = r->property_count};
    if (!rvi_text_uint(count.text, count.size, &e->count))
        return bad_file(r, "an element of its header has no number");
    r->element_count++;
    return RV_OK;
}

static use use_of(const element *e, word name, bool list) {
    if (e->faces && list && (is_word(name, "vertex_indices") || is_word(name, "vertex_index")))
        return USE_CORNERS;
    if (!e->vertices || list)
        return USE_NONE;
    return is_word(name, "x")   ? USE_X
           : is_word(name, "y") ? USE_Y
           : is_word(name, "z") ? USE_Z
                                : USE_NONE;
}

static rv_status read_property(reader *r, const unsigned char *at, const unsigned char *end) {
    word first = next_word(&at, end);
    property p = {.list = is_word(first, "list")};
    bool good = r->element_count > 0;
    if (p.list) {
        good &= read_type(next_word(&at, end), &p.count_type) && p.count_type < F32;
        first = next_word(&at, end);
    }
    good &= read_type(first, &p.type);
    if (!good)
        return rvi_fail(r->ctx, RV_ERROR_INPUT, "%s: \"%.*s\" is no type of a property in a PLY.",
                        r->source->name, first.size < SHOWN ? (int)first.size : SHOWN, first.text);
    if (r->property_count == PROPERTIES)
        return bad_file(r, "it has more properties than a mesh needs");
    element *e = &r->elements[r->element_count - 1];
    p.use = use_of(e, next_word(&at, end), p.list);
    r->properties[r->property_count++] = p;
    e->end = r->property_count;
    return RV_OK;
}

static rv_status read_format(reader *r, const unsigned char *at, const unsigned char *end) {
    word name = next_word(&at, end);
    if (is_word(name, "ascii"))
        r->coding = TEXT;
    else if (is_word(name, "binary_little_endian"))
        r->coding = LITTLE;
    else if (is_word(name, "binary_big_endian"))
        r->coding = BIG;
    else
        return bad_file(r, "its format is none of ascii, binary_little_endian and "
                           "binary_big_endian");
    return RV_OK;
}

static rv_status read_header(reader *r) {
    bool first = true;
    for (;;) {
        const unsigned char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
        const unsigned char *at = r->at;
        if (!end)
            return first ? rvi_source_wrong(r->ctx, r->source, "a PLY mesh")
                         : bad_file(r, "its header has no end_header");
        r->at = end + 1;
        word w = next_word(&at, end);
        rv_status status = RV_OK;
        if (first && !is_word(w, "ply"))
            return rvi_source_wrong(r->ctx, r->source, "a PLY mesh");
        first = false;
        if (is_word(w, "end_header"))
            return RV_OK;
        if (is_word(w, "format"))
            status = read_format(r, at, end);
        else if (is_word(w, "element"))
            status = read_element(r, at, end);
        else if (is_word(w, "property"))
            status = read_property(r, at, end);
        if (status != RV_OK)
            return status;
    }
}

/* ---- what follows it ---- */

static rv_status cut_short(const reader *r) {
    return bad_file(r, "it ends before the last number that its header promises");
}

static uint64_t bytes_of(const reader *r, int size) {
    uint64_t bits = 0;
    for (int i = 0; i < size; i++)
        bits |= (uint64_t)r->at[r->coding == LITTLE ? i : size - 1 - i] << (8 * i);
    return bits;
}

static double number_of(uint64_t bits, type t) {
    uint32_t narrow = (uint32_t)bits;
    float single;
    double wide;
    switch (t) {
    case I8:
        return (int8_t)narrow;
    case I16:
        return (int16_t)narrow;
    case I32:
        return (int32_t)narrow;
    case F32:
        memcpy(&single, &narrow, sizeof single);
        return (double)single;
    case F64:
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    default:
        return narrow;
    }
}

static rv_status read_value(reader *r, type t, double *out) {
    if (r->coding != TEXT) {
        int size = type_sizes[t];
        if (r->end - r->at < size)
            return cut_short(r);
        *out = number_of(bytes_of(r, size), t);
        r->at += size;
        return RV_OK;
    }
    word w = next_word(&r->at, r->end);
    if (w.size == 0)
        return cut_short(r);
    char last = w.text[w.size - 1];
    bool plain = (last >= '0' && last <= '9') || last == '.'; /* 2k is 2000 only in recipes */
    if (!plain || !rvi_text_number(w.text, w.size, out))
        return rvi_fail(r->ctx, RV_ERROR_INPUT, "%s: \"%.*s\" is not a number.", r->source->name,
                        w.size < SHOWN ? (int)w.size : SHOWN, w.text);
    return RV_OK;
}

/* A corner of a face: a vertex, counted from 0. */
static rv_status read_corner(reader *r, const property *p, size_t all, uint32_t *out) {
    double number;
    rv_status status = read_value(r, p->type, &number);
    if (status != RV_OK)
        return status;
    if (!(number >= 0.0 && number < (double)all) || number != (double)(uint32_t)number)
        return rvi_fail(r->ctx, RV_ERROR_INPUT,
                        "%s: face %zu has a corner %.9g; there are %zu vertices, counted from 0.",
                        r->source->name, r->faces, number, all);
    *out = (uint32_t)number;
    return RV_OK;
}

static rv_status read_polygon(reader *r, const property *p, uint64_t count, size_t all) {
    uint32_t corner[3] = {0};
    for (uint64_t k = 0; k < count; k++) {
        rv_status status = read_corner(r, p, all, &corner[k < 2 ? k : 2]);
        if (status != RV_OK)
            return status;
        if (k >= 2) {
            if (r->mesh)
                memcpy(r->mesh->corners + 3 * r->faces, corner, sizeof corner);
            r->faces++;
            corner[1] = corner[2];
        }
    }
    return RV_OK;
}

static rv_status read_list(reader *r, const property *p, size_t all) {
    double count, ignored;
    rv_status status = read_value(r, p->count_type, &count);
    if (status == RV_OK && !(count >= 0.0 && count <= 1e9 && count == (double)(int64_t)count))
        return bad_file(r, "a list in it has no sensible length");
    if (status == RV_OK && p->use == USE_CORNERS)
        return read_polygon(r, p, (uint64_t)count, all);
    for (double k = 0; k < count && status == RV_OK; k++)
        status = read_value(r, p->type, &ignored);
    return status;
}

static rv_status read_one(reader *r, const element *e, size_t all) {
    double point[3] = {0};
    for (int i = e->first; i < e->end; i++) {
        const property *p = &r->properties[i];
        double value = 0;
        rv_status status = p->list ? read_list(r, p, all) : read_value(r, p->type, &value);
        if (status != RV_OK)
            return status;
        if (p->use > USE_Z)
            continue;
        if (!isfinite(value))
            return rvi_fail(r->ctx, RV_ERROR_INPUT, "%s: vertex %zu is not at a finite place.",
                            r->source->name, r->vertices);
        point[p->use] = value;
    }
    if (e->vertices) {
        if (r->mesh)
            memcpy(r->mesh->points + 3 * r->vertices, point, sizeof point);
        r->vertices++;
    }
    return RV_OK;
}

/* Once to count the triangles, once to take them. */
static rv_status read_body(reader *r, size_t all) {
    const unsigned char *start = r->at;
    r->vertices = r->faces = 0;
    for (int k = 0; k < r->element_count; k++) {
        const element *e = &r->elements[k];
        if (e->first == e->end)
            continue; /* takes no bytes */
        for (uint64_t i = 0; i < e->count; i++) {
            rv_status status = read_one(r, e, all);
            if (status == RV_OK && i % POLL == 0)
                status = rvi_poll(r->ctx);
            if (status != RV_OK)
                return status;
        }
    }
    r->at = start;
    return RV_OK;
}

/* What a mesh needs; every vertex and every face takes at least a byte of the file. */
static rv_status check_elements(const reader *r, size_t *vertices) {
    unsigned uses = 0;
    *vertices = 0;
    for (int k = 0; k < r->element_count; k++) {
        const element *e = &r->elements[k];
        for (int i = e->first; i < e->end; i++)
            uses |= 1u << r->properties[i].use;
        if (e->count > r->source->size)
            return cut_short(r);
        if (e->vertices)
            *vertices = (size_t)e->count;
    }
    if ((uses & 15) != 15)
        return bad_file(r, "its header has no vertices with x, y and z, or no faces with "
                           "vertex_indices");
    return *vertices > 0 ? RV_OK : bad_file(r, "it has no vertex");
}

static rv_status ply_decode(rv_context *ctx, const rvi_source *source, rv_mesh **out) {
    *out = NULL;
    reader *r = rvi_alloc(ctx, 1, sizeof *r, "a mesh");
    if (!r)
        return RV_ERROR_MEMORY;
    *r = (reader){
        .ctx = ctx, .source = source, .at = source->data, .end = source->data + source->size};
    size_t all = 0;
    rv_status status = read_header(r);
    if (status == RV_OK)
        status = check_elements(r, &all);
    if (status == RV_OK)
        status = read_body(r, all);
    if (status == RV_OK && r->faces == 0)
        status = bad_file(r, "it has vertices but no face");
    if (status == RV_OK && r->vertices != all)
        status = bad_file(r, "it has two elements of vertices");
    if (status == RV_OK)
        status = rvi_mesh_create(ctx, all, r->faces, false, &r->mesh);
    if (status == RV_OK)
        status = read_body(r, all);
    if (status == RV_OK)
        *out = r->mesh;
    else
        rv_mesh_destroy(r->mesh);
    rvi_free(ctx, r);
    return status;
}

/* ---- Writing ---- */

static rv_status put_text(rvi_writer *writer, const char *text) {
    return rvi_writer_put(writer, text, strlen(text));
}

/* A field can have any name; a property is one word. */
static rv_status put_property(rvi_writer *writer, const char *name) {
    char line[RVI_NAME + 32];
    int start = snprintf(line, sizeof line, "property float ");
    snprintf(line + start, sizeof line - (size_t)start, "%s\n", name);
    for (char *c = line + start; *c != '\n'; c++)
        if (!(*c > ' ' && *c < 127))
            *c = '_';
    return put_text(writer, line);
}

static rv_status put_header(rvi_writer *writer, const rv_mesh *mesh, const rv_terrain *land) {
    char start[256];
    snprintf(start, sizeof start,
             "ply\nformat binary_little_endian 1.0\ncomment Ravine: metres, x east, y %s\n"
             "element vertex %zu\nproperty float x\nproperty float y\nproperty float z\n",
             mesh->y_up ? "up, z south" : "north, z up", mesh->vertex_count);
    rv_status status = put_text(writer, start);
    for (int i = 0; land != NULL && i < land->field_count && status == RV_OK; i++)
        status = put_property(writer, land->fields[i].name);
    char end[128];
    snprintf(end, sizeof end,
             "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
             mesh->face_count);
    return status == RV_OK ? put_text(writer, end) : status;
}

static rv_status put_vertices(rvi_writer *writer, const rv_mesh *mesh, const rv_terrain *land) {
    rv_status status = RV_OK;
    for (size_t v = 0; v < mesh->vertex_count && status == RV_OK; v++) {
        assert(land == NULL || mesh->cells[v] < rvi_cells(land)); /* is it the land it came from? */
        unsigned char bytes[12];
        for (size_t i = 0; i < 3; i++)
            rvi_put_f32(bytes + 4 * i, (float)mesh->points[3 * v + i]);
        status = rvi_writer_put(writer, bytes, sizeof bytes);
        for (int i = 0; land != NULL && i < land->field_count && status == RV_OK; i++) {
            rvi_put_f32(bytes, land->fields[i].values[mesh->cells[v]]);
            status = rvi_writer_put(writer, bytes, 4);
        }
        if (status == RV_OK && v % POLL == 0)
            status = rvi_poll(mesh->ctx);
    }
    return status;
}

static rv_status put_faces(rvi_writer *writer, const rv_mesh *mesh) {
    rv_status status = RV_OK;
    for (size_t f = 0; f < mesh->face_count && status == RV_OK; f++) {
        unsigned char bytes[CORNERS] = {3};
        for (size_t k = 0; k < 3; k++)
            rvi_put_u32(bytes + 1 + 4 * k, mesh->corners[3 * f + k]);
        status = rvi_writer_put(writer, bytes, sizeof bytes);
        if (status == RV_OK && f % POLL == 0)
            status = rvi_poll(mesh->ctx);
    }
    return status;
}

static rv_status ply_encode(rvi_writer *writer, const rv_mesh *mesh, const rv_terrain *land) {
    const rv_terrain *from = mesh->cells != NULL ? land : NULL;
    rv_status status = put_header(writer, mesh, from);
    if (status == RV_OK)
        status = put_vertices(writer, mesh, from);
    return status == RV_OK ? put_faces(writer, mesh) : status;
}

const rvi_mesh_format rvi_mesh_ply = {".ply", ply_encode, ply_decode};
