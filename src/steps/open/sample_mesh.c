/* sample_mesh.c: the highest point of a mesh over each cell.
 *
 * A face with corners a, b, c, seen from above, holds the place p where the three areas
 *
 *     A = (b - a) x (p - a),  B = (c - b) x (p - b),  C = (a - c) x (p - c)
 *
 * have one sign; its height there is z = a + ((c - a) A + (b - a) C) / (A + B + C), which is exact
 * on a plane but for rounding. Of all faces over a place the highest counts, and edges belong to
 * both of their faces, so that none is missed. Faces that stand upright have no area and are left
 * out.
 */
#include "steps/open/sample_mesh.h"

#include <math.h>

#include "formats/mesh_format.h"

/* Of the size of a face: what rounding may take from a place on its edge. */
static const double SLACK = 1e-9;
enum { DEFAULT_SIDE = 512 };
static const double HEIGHT_MOST = 1e9; /* metres */

/* ---- the grid ---- */

/* East, north and up of a vertex, as the user says the file has them. */
static void turn_point(const double *p, bool y_up, double out[3]) {
    out[0] = p[0];
    out[1] = y_up ? -p[2] : p[1];
    out[2] = y_up ? p[1] : p[2];
}

static void find_box(const rv_mesh *mesh, bool y_up, double low[2], double high[2]) {
    for (int k = 0; k < 2; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (size_t i = 0; i < 3 * mesh->face_count; i++) { /* vertices of no face do not count */
        double p[3];
        turn_point(mesh->points + 3 * (size_t)mesh->corners[i], y_up, p);
        for (int k = 0; k < 2; k++) {
            low[k] = p[k] < low[k] ? p[k] : low[k];
            high[k] = p[k] > high[k] ? p[k] : high[k];
        }
    }
}

static uint64_t count_cells(double metres, float cell) {
    double cells = floor(metres / (double)cell + 1e-6) + 1.0;
    return cells < 1e18 ? (uint64_t)cells : (uint64_t)1e18;
}

static rv_status make_grid(rv_context *ctx, const rv_open_params *p, const double low[2],
                           const double high[2], rvi_mesh_grid *out) {
    double wide = high[0] - low[0], deep = high[1] - low[1], longer = wide > deep ? wide : deep;
    *out = (rvi_mesh_grid){.west = low[0], .north = high[1], .cell = p->cell};
    if (!(longer > 0.0) || !isfinite(longer))
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: seen from above this mesh has no area.", p->file);
    if (isnan(p->cell) && p->width > 1)
        out->cell = (float)(wide / (p->width - 1));
    else if (isnan(p->cell)) {
        out->guessed = true;
        out->cell = (float)(longer / (DEFAULT_SIDE - 1));
    }
    if (!(out->cell > 0.0f))
        return rvi_fail(ctx, RV_ERROR_INPUT, "%s: seen from above this mesh has no width.",
                        p->file);
    uint64_t width = count_cells(wide, out->cell), height = count_cells(deep, out->cell);
    if (p->width > 0 && width != (uint64_t)p->width)
        return rvi_fail(ctx, RV_ERROR_USAGE,
                        "%s is %.9g m wide: with cell=%.9g that is %llu cells, not width=%d; give "
                        "one of them.",
                        p->file, wide, (double)out->cell, (unsigned long long)width, p->width);
    rv_status status = rvi_size_check(ctx, p->file, width, height);
    if (status == RV_OK) {
        out->width = (int)width;
        out->height = (int)height;
    }
    return status;
}

static rv_status check_words(rv_context *ctx, const rv_open_params *p) {
    bool levels = !isnan(p->low) || !isnan(p->high) || p->curve != RV_open_curve_sidecar;
    if (!levels)
        return RV_OK;
    return rvi_fail(ctx, RV_ERROR_USAGE,
                    "%s: low=, high= and curve= are for levels; a mesh is in metres.", p->file);
}

rv_status rvi_mesh_grid_plan(rvi_job *job, const rv_open_params *p, rvi_mesh_grid *out) {
    bool y_up = p->up == RV_open_up_y;
    double low[2] = {0, 0}, high[2];
    rvi_planned_file written;
    rv_status status = check_words(job->ctx, p);
    if (status != RV_OK)
        return status;
    if (rvi_job_foresees(job, p->file, &written)) {
        double cell = (double)written.sidecar.scale.cell;
        high[0] = (written.image.width - 1) * cell;
        high[1] = (written.image.height - 1) * cell;
        if (y_up != written.y_up)
            return rvi_fail(job->ctx, RV_ERROR_USAGE,
                            "%s: is saved in this recipe with %s up; say up=%s here, too.", p->file,
                            written.y_up ? "y" : "z", written.y_up ? "y" : "z");
        size_t cells = (size_t)written.image.width * (size_t)written.image.height;
        rvi_buffers_keep(&job->buffers, 260 * cells); /* the mesh, and its file beside it */
        return make_grid(job->ctx, p, low, high, out);
    }
    rv_mesh *mesh;
    status = rvi_mesh_read(job->ctx, p->file, &mesh);
    if (status != RV_OK)
        return status;
    find_box(mesh, y_up, low, high);
    uint64_t size = 0;
    rvi_bytes head = {0};
    status = rvi_file_read_start(job->ctx, p->file, 1, &head, &size);
    rvi_free(job->ctx, head.data);
    size_t bytes = rvi_alloc_size(3 * mesh->vertex_count, sizeof *mesh->points) +
                   rvi_alloc_size(3 * mesh->face_count, sizeof *mesh->corners) + (size_t)size;
    rvi_buffers_keep(&job->buffers, bytes + 65536);
    rv_mesh_destroy(mesh);
    if (status == RV_OK)
        status = rvi_job_reads(job, p->file);
    return status == RV_OK ? make_grid(job->ctx, p, low, high, out) : status;
}

/* ---- its heights ---- */

static double cross(const double a[3], const double b[3], double x, double y) {
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

/* The first and last of `count` cells from `start` on, `step` apart, that lie in low ... high. */
static void cells_between(double start, double step, int count, double low, double high, int *first,
                          int *last) {
    double a = (low - start) / step, b = (high - start) / step;
    double from = ceil((a < b ? a : b) - 1e-6), to = floor((a < b ? b : a) + 1e-6);
    *first = from < 0.0 ? 0 : from > count ? count : (int)from;
    *last = to < -1.0 ? -1 : to > count - 1 ? count - 1 : (int)to;
}

typedef struct triangle {
    double c[3][3]; /* its corners */
    double area;    /* twice that, seen from above; below 0: clockwise */
    double low[2], high[2];
} triangle;

static triangle face_of(const rv_mesh *mesh, size_t face, bool y_up) {
    triangle t;
    for (int k = 0; k < 3; k++)
        turn_point(mesh->points + 3 * (size_t)mesh->corners[3 * face + (size_t)k], y_up, t.c[k]);
    t.area = cross(t.c[0], t.c[1], t.c[2][0], t.c[2][1]);
    for (int axis = 0; axis < 2; axis++) {
        double a = t.c[0][axis], b = t.c[1][axis], c = t.c[2][axis];
        t.low[axis] = a < b ? (a < c ? a : c) : (b < c ? b : c);
        t.high[axis] = a > b ? (a > c ? a : c) : (b > c ? b : c);
    }
    return t;
}

static void raise_row(const rvi_mesh_grid *g, const triangle *t, int y, int first, int last,
                      float *values) {
    const double *c[3] = {t->c[0], t->c[1], t->c[2]};
    double turn = t->area < 0.0 ? -1.0 : 1.0, area = fabs(t->area);
    double slack = -SLACK * area, py = g->north - y * (double)g->cell;
    for (int x = first; x <= last; x++) {
        double px = g->west + x * (double)g->cell;
        double a = turn * cross(c[0], c[1], px, py), b = turn * cross(c[1], c[2], px, py),
               e = turn * cross(c[2], c[0], px, py);
        if (a < slack || b < slack || e < slack)
            continue;
        double z = c[0][2] + ((c[2][2] - c[0][2]) * a + (c[1][2] - c[0][2]) * e) / area;
        float *to = values + (size_t)y * (size_t)g->width + (size_t)x;
        if (isnan(*to) || (float)z > *to)
            *to = (float)z;
    }
}

static rv_status raise_faces(rv_context *ctx, const rv_mesh *mesh, bool y_up,
                             const rvi_mesh_grid *g, float *values) {
    double cell = (double)g->cell;
    for (size_t f = 0; f < mesh->face_count; f++) {
        triangle t = face_of(mesh, f, y_up);
        int first[2], last[2];
        if (t.area == 0.0)
            continue;
        cells_between(g->west, cell, g->width, t.low[0], t.high[0], &first[0], &last[0]);
        cells_between(g->north, -cell, g->height, t.low[1], t.high[1], &first[1], &last[1]);
        for (int y = first[1]; y <= last[1]; y++) {
            raise_row(g, &t, y, first[0], last[0], values);
            if (rvi_poll_at(ctx, (size_t)y) != RV_OK)
                return RV_CANCELLED;
        }
        if (rvi_poll_at(ctx, f) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

/* Every height must be one, and be there unless holes are kept. */
static rv_status check_heights(rv_context *ctx, const rv_open_params *p, const rvi_image *image) {
    size_t cells = (size_t)image->width * (size_t)image->height, holes = 0, first = 0;
    for (size_t i = 0; i < cells; i++) {
        if (isnan(image->values[i])) {
            first = holes == 0 ? i : first;
            holes++;
        } else if (fabs((double)image->values[i]) > HEIGHT_MOST) {
            return rvi_fail(ctx, RV_ERROR_INPUT, "%s reaches a height of %.9g m.", p->file,
                            (double)image->values[i]);
        }
    }
    if (holes == 0 || p->holes == RV_open_holes_keep)
        return RV_OK;
    return rvi_fail(ctx, RV_ERROR_INPUT,
                    "%s: there is no mesh over %zu of %zu cells, the first at row %zu, column %zu; "
                    "holes=keep keeps them as holes.",
                    p->file, holes, cells, first / (size_t)image->width,
                    first % (size_t)image->width);
}

rv_status rvi_mesh_grid_sample(rvi_job *job, const rv_open_params *p, rvi_mesh_grid *grid,
                               rvi_image *out) {
    rv_context *ctx = job->ctx;
    bool y_up = p->up == RV_open_up_y;
    double low[2], high[2];
    rv_mesh *mesh;
    *out = (rvi_image){0};
    rv_status status = rvi_mesh_read(ctx, p->file, &mesh);
    if (status != RV_OK)
        return status;
    find_box(mesh, y_up, low, high);
    status = make_grid(ctx, p, low, high, grid);
    if (status == RV_OK) {
        *out = (rvi_image){.width = grid->width, .height = grid->height};
        out->values = rvi_image_alloc(ctx, out);
        status = out->values ? RV_OK : RV_ERROR_MEMORY;
    }
    for (size_t i = 0; status == RV_OK && i < (size_t)out->width * (size_t)out->height; i++)
        out->values[i] = NAN;
    if (status == RV_OK)
        status = raise_faces(ctx, mesh, y_up, grid, out->values);
    rv_mesh_destroy(mesh);
    if (status == RV_OK)
        status = check_heights(ctx, p, out);
    if (status != RV_OK) {
        rvi_free(ctx, out->values);
        out->values = NULL;
    }
    return status;
}
