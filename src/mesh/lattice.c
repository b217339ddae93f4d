/* lattice.c: coordinates rounded to steps of a power of two. */
#include "mesh/lattice.h"

#include "base/context.h"
#include "base/math.h"

double rvi_lattice_scale(const rv_mesh *mesh, double limit, double largest) {
    double most = 0.0, scale = 1.0;
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++) {
        double size = rvi_size_of(mesh->points[i]);
        most = size > most ? size : most;
    }
    while (most * scale > limit)
        scale /= 2;
    while (most * scale * 2 <= limit && scale < largest)
        scale *= 2;
    return scale;
}

rv_status rvi_lattice_create(const rv_mesh *mesh, rvi_lattice *out) {
    double scale = rvi_lattice_scale(mesh, (double)RVI_LATTICE_MOST, 0x1p1000), moved = 0.0;
    *out = (rvi_lattice){.ctx = mesh->ctx, .mesh = mesh, .step = 1 / scale};
    out->spots = rvi_alloc(mesh->ctx, mesh->vertex_count, sizeof *out->spots, "a lattice");
    if (out->spots == NULL)
        return RV_ERROR_MEMORY;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        int64_t whole[3];
        for (size_t i = 0; i < 3; i++) {
            double exact = mesh->points[3 * v + i] * scale;
            double rounded = (exact + RVI_ROUND) - RVI_ROUND;
            double by = rvi_size_of(rounded - exact);
            moved = by > moved ? by : moved;
            whole[i] = (int64_t)rounded;
        }
        out->spots[v] = (rvi_spot){whole[0], whole[1], whole[2]};
        if (rvi_poll_at(mesh->ctx, v) != RV_OK) {
            rvi_lattice_destroy(out);
            return RV_CANCELLED;
        }
    }
    out->moved = moved * out->step;
    return RV_OK;
}

void rvi_lattice_destroy(rvi_lattice *lattice) {
    rvi_free(lattice->ctx, lattice->spots);
    lattice->spots = NULL;
}
