/* obj.c: meshes as Wavefront OBJ (Advanced Visualizer manual, appendix B1), the text format.
 *
 * Vertices are read (v x y z; what follows is ignored), and faces (f with any of 1, 1/2, 1//3 and
 * 1/2/3 for each corner; negative numbers count back from the last vertex). A polygon becomes a fan
 * from its first corner. A backslash at the end of a line joins the next one to it. All other lines
 * are ignored. The surface of land can have normals (vn) and texture coordinates (vt).
 * Numbers are written with as many digits as bring back the same double. */
#include "formats/mesh_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/text.h"
#include "terrain/state.h"

enum { POLL = 4096, SHOWN = 40, NUMBER = 32 };

/* ---- Reading ---- */

typedef struct reader {
    rv_context *ctx;
    const char *name;
    const char *at, *end;
    size_t line;            /* the one that `at` is in, counted from 1 */
    size_t vertices, faces; /* read so far */
    size_t all_vertices;    /* of the whole file, once they are counted */
    rv_mesh *mesh;          /* NULL while they are counted */
} reader;

typedef struct word {
    const char *text;
    size_t size;
} word;

/* Is this the backslash that joins two lines? Returns how many bytes it takes, 0: no. */
static size_t joint(const char *at, const char *end) {
    if (at == end || *at != '\\')
        return 0;
    if (end - at > 1 && at[1] == '\n')
        return 2;
    return end - at > 2 && at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

static bool ends_word(const reader *r, const char *at) {
    return at == r->end || *at == ' ' || *at == '\t' || *at == '\r' || *at == '\n' || *at == '#' ||
           *at == '\0' || joint(at, r->end) > 0;
}

/* The next word of the line; false: there is none. */
static bool next_word(reader *r, word *out) {
    for (;;) {
        size_t skip = joint(r->at, r->end);
        if (skip > 0)
            r->line++;
        else if (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
            skip = 1;
        if (skip == 0)
            break;
        r->at += skip;
    }
    const char *start = r->at;
    while (!ends_word(r, r->at))
        r->at++;
    *out = (word){start, (size_t)(r->at - start)};
    return out->size > 0;
}

static void skip_line(reader *r) {
    while (r->at < r->end && *r->at != '\n') {
        size_t skip = joint(r->at, r->end);
        r->line += skip > 0;
        r->at += skip > 0 ? skip : 1;
    }
    if (r->at < r->end) {
        r->at++;
        r->line++;
    }
}

static int shown(word w) {
    return w.size < SHOWN ? (int)w.size : SHOWN;
}

static rv_status read_vertex(reader *r) {
    size_t line = r->line;
    double point[3];
    for (int i = 0; i < 3; i++) {
        word w;
        if (!next_word(r, &w))
            return rvi_fail(r->ctx, RV_ERROR_INPUT,
                            "%s, line %zu: a vertex needs three numbers, here are %d.", r->name,
                            line, i);
        char last = w.text[w.size - 1];
        bool plain = (last >= '0' && last <= '9') || last == '.'; /* 2k is 2000 only in recipes */
        if (!plain || !rvi_text_number(w.text, w.size, &point[i]))
            return rvi_fail(r->ctx, RV_ERROR_INPUT, "%s, line %zu: \"%.*s\" is not a number.",
                            r->name, line, shown(w), w.text);
        if (!isfinite(point[i]))
            return rvi_fail(r->ctx, RV_ERROR_INPUT, "%s, line %zu: \"%.*s\" is too large.", r->name,
                            line, shown(w), w.text);
    }
    if (r->mesh != NULL)
        memcpy(r->mesh->points + 3 * r->vertices, point, sizeof point);
    r->vertices++;
    return RV_OK;
}

/* The vertex of a corner such as 7/2/3 or -1, counted from 0. */
static rv_status read_corner(reader *r, size_t line, word w, uint32_t *out) {
    size_t size = 0;
    while (size < w.size && w.text[size] != '/')
        size++;
    bool back = size > 0 && w.text[0] == '-', good = true;
    uint64_t number;
    for (size_t i = size; i < w.size; i++)
        good &= (w.text[i] >= '0' && w.text[i] <= '9') || w.text[i] == '-' || w.text[i] == '/';
    if (!good || !rvi_text_uint(w.text + back, size - back, &number))
        return rvi_fail(r->ctx, RV_ERROR_INPUT,
                        "%s, line %zu: \"%.*s\" is not a corner such as 7 or 7/2/3.", r->name, line,
                        shown(w), w.text);
    uint64_t most = back ? r->vertices : r->all_vertices;
    if (number == 0 || number > most)
        return rvi_fail(r->ctx, RV_ERROR_INPUT,
                        "%s, line %zu: there is no vertex %.*s; there are %zu%s.", r->name, line,
                        shown((word){w.text, size}), w.text, (size_t)most,
                        back ? " before it" : "");
    *out = (uint32_t)(back ? r->vertices - number : number - 1);
    return RV_OK;
}

static void put_face(reader *r, const uint32_t corner[3]) {
    memcpy(r->mesh->corners + 3 * r->faces, corner, 3 * sizeof *corner);
}

static rv_status read_face(reader *r) {
    size_t line = r->line, count = 0;
    uint32_t corner[3];
    for (word w; next_word(r, &w); count++) {
        uint32_t here = 0;
        rv_status status = r->mesh != NULL ? read_corner(r, line, w, &here) : RV_OK;
        if (status != RV_OK)
            return status;
        corner[count < 2 ? count : 2] = here;
        if (count < 2)
            continue;
        if (r->mesh != NULL)
            put_face(r, corner);
        r->faces++;
        corner[1] = here;
    }
    if (count < 3)
        return rvi_fail(r->ctx, RV_ERROR_INPUT,
                        "%s, line %zu: a face needs at least three corners, here are %zu.", r->name,
                        line, count);
    return RV_OK;
}

/* All lines, once to count and once to keep. */
static rv_status read_lines(reader *r, const rvi_source *source) {
    size_t begin;
    rv_status status = rvi_text_begin(r->ctx, r->name, source->data, source->size, &begin);
    r->at = (const char *)source->data + begin;
    r->end = (const char *)source->data + source->size;
    r->line = 1;
    r->vertices = r->faces = 0;
    for (size_t n = 0; r->at < r->end && status == RV_OK; n++) {
        word w;
        if (next_word(r, &w) && rvi_text_is(w.text, w.size, "v"))
            status = read_vertex(r);
        else if (rvi_text_is(w.text, w.size, "f"))
            status = read_face(r);
        skip_line(r);
        if (status == RV_OK && n % POLL == 0)
            status = rvi_poll(r->ctx);
    }
    return status;
}

static rv_status obj_decode(rv_context *ctx, const rvi_source *source, rv_mesh **out) {
    reader r = {.ctx = ctx, .name = source->name};
    *out = NULL;
    rv_status status = read_lines(&r, source);
    if (status != RV_OK)
        return status;
    if (r.vertices == 0)
        return rvi_source_wrong(ctx, source, "an OBJ mesh: there is no vertex in it");
    if (r.faces == 0)
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s has %zu vertices but no face.", source->name,
                        r.vertices);
    r.all_vertices = r.vertices;
    status = rvi_mesh_create(ctx, r.vertices, r.faces, false, &r.mesh);
    if (status == RV_OK)
        status = read_lines(&r, source);
    if (status == RV_OK)
        *out = r.mesh;
    else
        rv_mesh_destroy(r.mesh);
    return status;
}

/* ---- Writing ---- */

static size_t print_whole(uint32_t value, char out[NUMBER]) {
    char digits[NUMBER];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (size_t i = 0; i < count; i++)
        out[i] = digits[count - 1 - i];
    return count;
}

/* With nine digits where they bring it back, else with the seventeen that always do. */
static size_t print_number(double value, char out[NUMBER]) {
    if (value >= 0 && value < 1e9 && value == (double)(uint32_t)value)
        return print_whole((uint32_t)value, out); /* much faster, and places often are whole */
    double again;
    size_t size = rvi_text_print(out, NUMBER, 9, value);
    if (!rvi_text_number(out, size, &again) || again != value)
        size = rvi_text_print(out, NUMBER, 17, value);
    return size;
}

/* A line of a letter or two and some numbers. */
static rv_status put_numbers(rvi_writer *writer, const char *name, const double *values,
                             size_t count) {
    char line[4 * NUMBER];
    size_t size = strlen(name);
    memcpy(line, name, size);
    for (size_t i = 0; i < count; i++) {
        line[size++] = ' ';
        size += print_number(values[i], line + size);
    }
    line[size++] = '\n';
    return rvi_writer_put(writer, line, size);
}

/* Where a picture of the whole land lies on it, from (0, 0) in the south-west to (1, 1), and what
 * makes the surface smooth. Floats, so that they are short. */
static rv_status put_surface(rvi_writer *writer, const rv_mesh *mesh, const rv_terrain *land,
                             double *normals) {
    double across = (land->width - 1) * (double)land->cell;
    double up = (land->height - 1) * (double)land->cell;
    rv_status status = rvi_surface_normals(mesh, normals);
    for (size_t v = 0; v < mesh->surface_vertices && status == RV_OK; v++) {
        size_t column = mesh->cells[v] % (size_t)land->width;
        size_t row = mesh->cells[v] / (size_t)land->width;
        double x = (double)column * (double)land->cell;
        double y = (double)((size_t)land->height - 1 - row) * (double)land->cell;
        const double place[2] = {across > 0.0 ? (double)(float)(x / across) : 0.0,
                                 up > 0.0 ? (double)(float)(y / up) : 0.0};
        const double *n = normals + 3 * v;
        const double normal[3] = {(double)(float)n[0], (double)(float)n[1], (double)(float)n[2]};
        status = put_numbers(writer, "vt", place, 2);
        if (status == RV_OK)
            status = put_numbers(writer, "vn", normal, 3);
        if (status == RV_OK && v % POLL == 0)
            status = rvi_poll(mesh->ctx);
    }
    return status;
}

static rv_status put_face_line(rvi_writer *writer, const rv_mesh *mesh, size_t f, bool smooth) {
    char line[10 * NUMBER];
    size_t size = 0;
    line[size++] = 'f';
    for (size_t k = 0; k < 3; k++)
        for (int part = 0; part < (smooth ? 3 : 1); part++) {
            line[size++] = part > 0 ? '/' : ' ';
            size += print_whole(mesh->corners[3 * f + k] + 1, line + size);
        }
    line[size++] = '\n';
    return rvi_writer_put(writer, line, size);
}

static rv_status put_mesh(rvi_writer *writer, const rv_mesh *mesh, const rv_terrain *land,
                          double *normals) {
    const char *title = mesh->y_up ? "# Ravine: metres, x east, y up, z south\n"
                                   : "# Ravine: metres, x east, y north, z up\n";
    rv_status status = rvi_writer_put(writer, title, strlen(title));
    for (size_t v = 0; v < mesh->vertex_count && status == RV_OK; v++) {
        status = put_numbers(writer, "v", mesh->points + 3 * v, 3);
        if (status == RV_OK && v % POLL == 0)
            status = rvi_poll(mesh->ctx);
    }
    if (status == RV_OK && normals)
        status = put_surface(writer, mesh, land, normals);
    for (size_t f = 0; f < mesh->face_count && status == RV_OK; f++) {
        status = put_face_line(writer, mesh, f, normals && f < mesh->surface_faces);
        if (status == RV_OK && f % POLL == 0)
            status = rvi_poll(mesh->ctx);
    }
    return status;
}

/* Where it is asked for, the surface of land has normals and places on a picture; walls have none.
 */
static rv_status obj_encode(rvi_writer *writer, const rv_mesh *mesh, const rv_terrain *land) {
    double *normals = NULL;
    if (mesh->smooth && land && mesh->cells) {
        normals = rvi_alloc(mesh->ctx, mesh->surface_vertices, 3 * sizeof *normals,
                            "the normals of a mesh");
        if (!normals)
            return RV_ERROR_MEMORY;
    }
    rv_status status = put_mesh(writer, mesh, land, normals);
    rvi_free(mesh->ctx, normals);
    return status;
}

const rvi_mesh_format rvi_mesh_obj = {".obj", obj_encode, obj_decode};
