/* mesh.c: the surface of a terrain as triangles, and the block below it.
 *
 * Between four cells the surface is two triangles. The diagonal between them is the one along which
 * the land bends less, so that ridges and valleys keep their line whichever way they run: the sum
 * of |h(-1) - 2 h(0) + h(1)| at both its ends. Where neither bends less, diagonals alternate like
 * the fields of a chess board.
 *
 * A block has a base `depth` metres below the lowest cell. Under each vertex of the border stands
 * one of the base, between them walls. Inside the border of the base lie rings, each with half the
 * vertices of the one around it and as far inside it as those are apart, so that faces grow towards
 * the middle and keep their shape; the last ring is a fan around the middle.
 */
#include "mesh/mesh.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "base/vector.h"
#include "mesh/simplify.h"
#include "terrain/state.h"

static rv_status check_counts(rv_context *ctx, size_t vertices, size_t faces) {
    if (vertices <= RVI_MESH_MOST && faces <= RVI_MESH_MOST)
        return RV_OK;
    return rvi_fail(ctx, RV_ERROR_MEMORY,
                    "A mesh of %zu vertices and %zu faces is too large; %zu of each is the most.",
                    vertices, faces, RVI_MESH_MOST);
}

rv_status rvi_mesh_create(rv_context *ctx, size_t vertices, size_t faces, bool land,
                          rv_mesh **out) {
    *out = NULL;
    if (check_counts(ctx, vertices, faces) != RV_OK)
        return RV_ERROR_MEMORY;
    rv_mesh *mesh = rvi_alloc(ctx, 1, sizeof *mesh, "a mesh");
    if (mesh == NULL)
        return RV_ERROR_MEMORY;
    *mesh = (rv_mesh){.ctx = ctx,
                      .vertex_count = vertices,
                      .face_count = faces,
                      .surface_vertices = vertices,
                      .surface_faces = faces};
    mesh->points = rvi_alloc(ctx, vertices, 3 * sizeof *mesh->points, "the vertices of a mesh");
    rv_status status =
        mesh->points != NULL ? rvi_poll(ctx) : RV_ERROR_MEMORY; /* so much takes time */
    if (status == RV_OK) {
        mesh->corners = rvi_alloc(ctx, faces, 3 * sizeof *mesh->corners, "the faces of a mesh");
        status = mesh->corners != NULL ? rvi_poll(ctx) : RV_ERROR_MEMORY;
    }
    if (status == RV_OK && land) {
        mesh->cells = rvi_alloc(ctx, vertices, sizeof *mesh->cells, "the vertices of a mesh");
        status = mesh->cells != NULL ? RV_OK : RV_ERROR_MEMORY;
    }
    if (status == RV_OK)
        *out = mesh;
    else
        rv_mesh_destroy(mesh);
    return status;
}

void rv_mesh_destroy(rv_mesh *mesh) {
    if (mesh == NULL)
        return;
    rv_context *ctx = mesh->ctx;
    rvi_free(ctx, mesh->points);
    rvi_free(ctx, mesh->corners);
    rvi_free(ctx, mesh->cells);
    rvi_free(ctx, mesh);
}

size_t rv_mesh_vertex_count(const rv_mesh *mesh) {
    return mesh->vertex_count;
}

size_t rv_mesh_face_count(const rv_mesh *mesh) {
    return mesh->face_count;
}

const double *rv_mesh_points(const rv_mesh *mesh) {
    return mesh->points;
}

const uint32_t *rv_mesh_faces(const rv_mesh *mesh) {
    return mesh->corners;
}

/* Six times the volume of the tetrahedron of a face and a point. */
static double tetrahedron(const rv_mesh *mesh, size_t face, const double *from) {
    double a[3], b[3], c[3], normal[3];
    const uint32_t *corner = mesh->corners + 3 * face;
    for (int i = 0; i < 3; i++) {
        a[i] = mesh->points[3 * (size_t)corner[0] + (size_t)i] - from[i];
        b[i] = mesh->points[3 * (size_t)corner[1] + (size_t)i] - from[i];
        c[i] = mesh->points[3 * (size_t)corner[2] + (size_t)i] - from[i];
    }
    rvi_cross3(b, c, normal);
    return rvi_dot3(a, normal);
}

/* Summed by blocks, so that a million faces lose no more digits than a thousand. */
double rv_mesh_volume(const rv_mesh *mesh) {
    RVI_ENTRY(mesh->ctx);
    enum { BLOCK = 1024 };
    double sum = 0.0;
    for (size_t first = 0; first < mesh->face_count; first += BLOCK) {
        size_t end = first + BLOCK < mesh->face_count ? first + BLOCK : mesh->face_count;
        double part = 0.0;
        for (size_t f = first; f < end; f++)
            part += tetrahedron(mesh, f, mesh->points);
        sum += part;
    }
    volatile double volume = sum / 6.0; /* in our state, not the caller's */
    return volume;
}

/* ---- The surface ---- */

typedef struct surface {
    const rv_terrain *land;
    rv_mesh *mesh;
} surface;

static void put_vertex(const rv_terrain *land, rv_mesh *mesh, size_t vertex, uint32_t cell) {
    double *point = mesh->points + 3 * vertex;
    uint32_t width = (uint32_t)land->width, row = cell / width;
    point[0] = (double)(cell % width) * (double)land->cell;
    point[1] = (double)((uint32_t)land->height - 1 - row) * (double)land->cell;
    point[2] = (double)land->surface[cell];
    mesh->cells[vertex] = cell;
}

static void vertex_rows(void *arg, int first, int end) {
    const surface *s = arg;
    size_t width = (size_t)s->land->width;
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++)
        put_vertex(s->land, s->mesh, i, (uint32_t)i);
}

/* How much the land bends along the diagonal from (x, y) to the next row, dx = 1 or -1 to the
 * east. At a border the end that is missing bends as the other. */
static float bend(const rv_terrain *land, int x, int y, int dx) {
    const float *near = land->surface + (size_t)y * (size_t)land->width + (size_t)x;
    const float *far = near + land->width + dx;
    int before = x - dx, after = x + 2 * dx;
    bool has_before = y > 0 && before >= 0 && before < land->width;
    bool has_after = y + 2 < land->height && after >= 0 && after < land->width;
    float first = has_before ? fabsf(near[-land->width - dx] - 2 * *near + *far) : 0.0f;
    float second = has_after ? fabsf(*near - 2 * *far + far[land->width + dx]) : 0.0f;
    return (has_before ? first : second) + (has_after ? second : first);
}

/* Two faces between row y and the row south of it, for each column. */
static void face_rows(void *arg, int first, int end) {
    const surface *s = arg;
    int width = s->land->width;
    for (int y = first; y < end; y++) {
        uint32_t *face = s->mesh->corners + 6 * ((size_t)y * (size_t)(width - 1));
        for (int x = 0; x + 1 < width; x++, face += 6) {
            uint32_t nw = (uint32_t)y * (uint32_t)width + (uint32_t)x, ne = nw + 1;
            uint32_t sw = nw + (uint32_t)width, se = sw + 1;
            float falling = bend(s->land, x, y, 1), rising = bend(s->land, x + 1, y, -1);
            bool along = falling < rising || (falling == rising && ((x ^ y) & 1) == 0);
            face[0] = face[3] = along ? nw : ne;
            face[1] = along ? sw : nw;
            face[2] = face[4] = along ? se : sw;
            face[5] = along ? ne : se;
        }
    }
}

static rv_status make_grid(const rv_terrain *land, size_t more_vertices, size_t more_faces,
                           rv_mesh **out) {
    size_t cells = rvi_cells(land);
    size_t faces = 2 * (size_t)(land->width - 1) * (size_t)(land->height - 1);
    rv_status status =
        rvi_mesh_create(land->ctx, cells + more_vertices, faces + more_faces, true, out);
    if (status != RV_OK)
        return status;
    (*out)->surface_vertices = cells;
    (*out)->surface_faces = faces;
    surface s = {land, *out};
    status = rvi_parallel_rows(land->ctx, land->height, vertex_rows, &s);
    return status == RV_OK ? rvi_parallel_rows(land->ctx, land->height - 1, face_rows, &s) : status;
}

static rv_status make_simple(const rv_terrain *land, const rvi_simplified *simple,
                             size_t more_vertices, size_t more_faces, rv_mesh **out) {
    rv_status status = rvi_mesh_create(land->ctx, simple->vertex_count + more_vertices,
                                       simple->face_count + more_faces, true, out);
    if (status != RV_OK)
        return status;
    (*out)->surface_vertices = simple->vertex_count;
    (*out)->surface_faces = simple->face_count;
    for (size_t v = 0; v < simple->vertex_count && status == RV_OK; v++) {
        put_vertex(land, *out, v, simple->cells[v]);
        status = rvi_poll_at(land->ctx, v);
    }
    memcpy((*out)->corners, simple->corners, 3 * simple->face_count * sizeof *simple->corners);
    return status;
}

/* ---- The block below it ---- */

enum { NONE = 0 }; /* the places in a border count from 1 */

static size_t border_size(const rv_terrain *land) {
    return 2 * (size_t)(land->width - 1) + 2 * (size_t)(land->height - 1);
}

/* Where a cell lies on the way around the map: counterclockwise seen from above, from the
 * south-west. false: not on the border. */
static bool border_place(const rv_terrain *land, uint32_t cell, size_t *place) {
    uint32_t width = (uint32_t)land->width, height = (uint32_t)land->height;
    uint32_t x = cell % width, y = height - 1 - cell / width;
    if (y == 0 && x < width - 1)
        *place = x;
    else if (x == width - 1 && y < height - 1)
        *place = width - 1 + y;
    else if (y == height - 1 && x > 0)
        *place = (size_t)(width - 1) + (height - 1) + (width - 1 - x);
    else if (x == 0)
        *place = 2 * (size_t)(width - 1) + (height - 1) + (height - 1 - y);
    else
        return false;
    return true;
}

enum { RINGS = 40 };

/* The border and the rings of the base inside it. A ring is a rectangle, of which `segments` edges
 * lie on each side, in the order south, east, north, west. */
typedef struct block {
    uint32_t *border; /* the vertices of the surface on it, in the order of the way around it */
    size_t segments[RINGS][4];
    double shrink[RINGS][2]; /* how far it reaches from the middle, beside the border, in x and y */
    int rings;               /* with the border, which is the first */
} block;

static size_t ring_size(const block *b, int ring) {
    const size_t *s = b->segments[ring];
    return s[0] + s[1] + s[2] + s[3];
}

static rv_status find_border(const rv_terrain *land, const uint32_t *cells, size_t count,
                             block *out) {
    size_t size = border_size(land), width = (size_t)land->width - 1,
           height = (size_t)land->height - 1, found = 0;
    uint32_t *border = rvi_alloc(land->ctx, size, sizeof *border, "the border of a mesh");
    if (border == NULL)
        return RV_ERROR_MEMORY;
    for (size_t v = 0; v < count; v++) {
        size_t place;
        if (border_place(land, cells != NULL ? cells[v] : (uint32_t)v, &place))
            border[place] = (uint32_t)v + 1;
        if (rvi_poll_at(land->ctx, v) != RV_OK) {
            rvi_free(land->ctx, border);
            return RV_CANCELLED;
        }
    }
    for (size_t i = 0; i < size; i++) {
        if (border[i] == NONE)
            continue;
        border[found++] = border[i] - 1;
        out->segments[0][(i >= width) + (i >= width + height) + (i >= 2 * width + height)]++;
    }
    out->border = border;
    return RV_OK;
}

/* Rings follow as long as they are smaller and leave half of the shorter side to the fan. */
static void plan_rings(const rv_terrain *land, block *b) {
    double x = (double)(land->width - 1) / 2, y = (double)(land->height - 1) / 2, inside = 0.0;
    b->shrink[0][0] = b->shrink[0][1] = 1.0;
    for (b->rings = 1; b->rings < RINGS; b->rings++) {
        size_t last = ring_size(b, b->rings - 1), *next = b->segments[b->rings];
        inside += 4 * (x + y - 2 * inside) / (double)last;
        if (last <= 8 || inside > x / 2 || inside > y / 2)
            return;
        for (int side = 0; side < 4; side++)
            next[side] = (b->segments[b->rings - 1][side] + 1) / 2;
        b->shrink[b->rings][0] = 1 - inside / x;
        b->shrink[b->rings][1] = 1 - inside / y;
    }
}

/* How many vertices and faces walls and base have. */
static void block_size(const block *b, size_t *vertices, size_t *faces) {
    *vertices = 1;
    *faces = 2 * ring_size(b, 0) + ring_size(b, b->rings - 1);
    for (int r = 0; r < b->rings; r++) {
        *vertices += ring_size(b, r);
        if (r > 0)
            *faces += ring_size(b, r - 1) + ring_size(b, r);
    }
}

static size_t put_face(rv_mesh *mesh, size_t face, size_t a, size_t b, size_t c) {
    uint32_t *corner = mesh->corners + 3 * face;
    corner[0] = (uint32_t)a;
    corner[1] = (uint32_t)b;
    corner[2] = (uint32_t)c;
    return face + 1;
}

/* A vertex of the base: where that of the cell is, drawn to the middle. */
static void put_base(const rv_terrain *land, rv_mesh *mesh, size_t vertex, uint32_t cell,
                     const double shrink[2], double bottom) {
    double x = (double)(land->width - 1) * (double)land->cell / 2;
    double y = (double)(land->height - 1) * (double)land->cell / 2;
    double *point = mesh->points + 3 * vertex;
    put_vertex(land, mesh, vertex, cell);
    if (shrink[0] < 1.0 || shrink[1] < 1.0) {
        point[0] = x + (point[0] - x) * shrink[0];
        point[1] = y + (point[1] - y) * shrink[1];
    }
    point[2] = bottom;
}

/* One side between a ring, whose vertices from `outer` on are its own, and the next from `inner`.
 * The ends are those of the side after it. Two edges outside stand over one inside, or a last one.
 */
static size_t put_strip(rv_mesh *mesh, size_t face, const size_t outer[2], size_t segments,
                        const size_t inner[2]) {
    size_t half = (segments + 1) / 2;
    for (size_t k = 0; k < half; k++) {
        size_t o = outer[0] + 2 * k, i = inner[0] + k;
        size_t i_next = k + 1 < half ? i + 1 : inner[1];
        size_t o_next = 2 * k + 1 < segments ? o + 1 : outer[1];
        face = put_face(mesh, face, o_next, o, i);
        face = put_face(mesh, face, o_next, i, i_next);
        if (2 * k + 2 <= segments)
            face = put_face(mesh, face, 2 * k + 2 < segments ? o + 2 : outer[1], o_next, i_next);
    }
    return face;
}

/* The faces from ring `ring`, whose vertices begin at `outer`, to the next. */
static size_t put_ring(rv_mesh *mesh, size_t face, const block *b, int ring, size_t outer) {
    size_t first[2] = {outer, outer + ring_size(b, ring)}, at[2] = {first[0], first[1]};
    for (int side = 0; side < 4; side++) {
        size_t outside = b->segments[ring][side], inside = b->segments[ring + 1][side];
        size_t o[2] = {at[0], side < 3 ? at[0] + outside : first[0]};
        size_t i[2] = {at[1], side < 3 ? at[1] + inside : first[1]};
        face = put_strip(mesh, face, o, outside, i);
        at[0] += outside;
        at[1] += inside;
    }
    return face;
}

/* The vertices of the base, from the border to the middle. */
static void put_base_vertices(const rv_terrain *land, rv_mesh *mesh, const block *b,
                              double bottom) {
    size_t at = mesh->surface_vertices, before = 0;
    for (int r = 0; r < b->rings; r++) {
        size_t first = at, from = before;
        for (int side = 0; side < 4; side++) {
            for (size_t k = 0; k < b->segments[r][side]; k++) {
                uint32_t cell =
                    r == 0 ? mesh->cells[b->border[at - first]] : mesh->cells[from + 2 * k];
                put_base(land, mesh, at++, cell, b->shrink[r], bottom);
            }
            from += r > 0 ? b->segments[r - 1][side] : 0;
        }
        before = first;
    }
    uint32_t middle = (uint32_t)(rvi_cells(land) / 2);
    put_base(land, mesh, at, middle, (const double[2]){0, 0}, bottom);
}

/* Walls and base, behind the surface. */
static void add_block(const rv_terrain *land, rv_mesh *mesh, const block *b, double bottom) {
    size_t first = mesh->surface_vertices, face = mesh->surface_faces, count = ring_size(b, 0);
    put_base_vertices(land, mesh, b, bottom);
    for (size_t i = 0; i < count; i++) {
        size_t next = i + 1 < count ? i + 1 : 0;
        face = put_face(mesh, face, b->border[i], first + i, first + next);
        face = put_face(mesh, face, b->border[i], first + next, b->border[next]);
    }
    for (int r = 0; r + 1 < b->rings; r++) {
        face = put_ring(mesh, face, b, r, first);
        first += ring_size(b, r);
    }
    count = ring_size(b, b->rings - 1);
    for (size_t i = 0; i < count; i++)
        face = put_face(mesh, face, first + (i + 1 < count ? i + 1 : 0), first + i, first + count);
    assert(face == mesh->face_count && first + count + 1 == mesh->vertex_count);
}

/* Formats that hold floats must not bring the base up to the land. */
static double base_height(const rv_terrain *land, double depth) {
    float low, high;
    rvi_range(land->ctx, land->surface, rvi_cells(land), &low, &high);
    float base = (float)((double)low - depth);
    return base < low ? (double)low - depth : (double)nextafterf(low, -INFINITY);
}

/* ---- Both ---- */

static rv_status build(const rv_terrain *land, const rvi_simplified *simple, double depth,
                       rv_mesh **out) {
    block b = {.border = NULL};
    size_t vertices = 0, faces = 0;
    rv_status status = RV_OK;
    if (depth > 0) {
        status = find_border(land, simple != NULL ? simple->cells : NULL,
                             simple != NULL ? simple->vertex_count : rvi_cells(land), &b);
        if (status != RV_OK)
            return status;
        plan_rings(land, &b);
        block_size(&b, &vertices, &faces);
    }
    status = simple != NULL ? make_simple(land, simple, vertices, faces, out)
                            : make_grid(land, vertices, faces, out);
    if (status == RV_OK && depth > 0)
        add_block(land, *out, &b, base_height(land, depth));
    rvi_free(land->ctx, b.border);
    return status;
}

rv_status rv_mesh_from_terrain(const rv_terrain *land, float error, float depth, rv_mesh **out) {
    RVI_ENTRY(land->ctx);
    rvi_progress_begin(land->ctx, "the mesh");
    rv_status status = rvi_terrain_fetch(land);
    return status == RV_OK ? rvi_mesh_of_land(land, error, depth, out) : status;
}

rv_status rvi_mesh_check_land(const rv_terrain *land, float error) {
    if (land->width < 2 || land->height < 2)
        return rvi_fail(land->ctx, RV_ERROR_USAGE,
                        "Land of %d x %d cells is a line and has no surface to make a mesh of.",
                        land->width, land->height);
    size_t faces = 2 * (size_t)(land->width - 1) * (size_t)(land->height - 1);
    return error > 0 ? RV_OK : check_counts(land->ctx, rvi_cells(land), faces);
}

rv_status rvi_mesh_of_land(const rv_terrain *land, float error, float depth, rv_mesh **out) {
    *out = NULL;
    rvi_simplified simple = {0};
    rv_status status = rvi_mesh_check_land(land, error);
    if (status == RV_OK && error > 0)
        status = rvi_simplify(land, (double)error, &simple);
    if (status == RV_OK)
        status = build(land, error > 0 ? &simple : NULL, (double)depth, out);
    rvi_free(land->ctx, simple.cells);
    rvi_free(land->ctx, simple.corners);
    if (status != RV_OK) {
        rv_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

size_t rvi_mesh_memory(const rv_terrain *land, double error) {
    enum {
        GRID = 3 * sizeof(double) + 7 * sizeof(uint32_t), /* a vertex and its two faces */
        NORMAL = 3 * sizeof(double),                      /* while a file is written */
        SIMPLE = 200, /* where every cell becomes a vertex, and arrays that grow lie there twice */
        BORDER = 320
    };
    return rvi_cells(land) * (error > 0 ? SIMPLE : GRID + NORMAL) + BORDER * border_size(land);
}
