/* half_edges.c: splits and flips of single edges, and who is whose twin. */
#include "mesh/half_edges.h"

void rvi_edge_split_side(rvi_half_edges *h, uint32_t e, uint32_t m, uint32_t am, uint32_t mb) {
    uint32_t a = rvi_edge_from(h, e), b = rvi_edge_to(h, e), c = rvi_edge_opposite(h, e);
    uint32_t bc = h->twins[rvi_edge_next(e)], ca = h->twins[rvi_edge_before(e)];
    rvi_edge_set_face(h, am, a, m, c);
    rvi_edge_set_face(h, mb, m, b, c);
    rvi_edge_pair(h, rvi_edge_before(am), ca);
    rvi_edge_pair(h, rvi_edge_next(mb), bc);
    rvi_edge_pair(h, rvi_edge_next(am), rvi_edge_before(mb));
}

void rvi_edge_flip(rvi_half_edges *h, uint32_t e, uint32_t db) {
    uint32_t twin = h->twins[e];
    uint32_t a = rvi_edge_from(h, e), b = rvi_edge_to(h, e);
    uint32_t c = rvi_edge_opposite(h, e), d = rvi_edge_opposite(h, twin);
    uint32_t beyond_bc = h->twins[rvi_edge_next(e)];
    uint32_t beyond_ad = h->twins[rvi_edge_next(twin)];
    uint32_t beyond_db = h->twins[rvi_edge_before(twin)];
    rvi_edge_set_face(h, e, a, d, c);
    rvi_edge_set_face(h, db, d, b, c);
    rvi_edge_pair(h, e, beyond_ad);
    rvi_edge_pair(h, db, beyond_db);
    rvi_edge_pair(h, rvi_edge_next(db), beyond_bc);
    rvi_edge_pair(h, rvi_edge_next(e), rvi_edge_before(db));
}

rv_status rvi_edges_sort(rv_context *ctx, const uint32_t *corners, size_t faces, rvi_keyed *out) {
    for (uint32_t e = 0; e < 3 * faces; e++) {
        uint64_t a = corners[e], b = corners[rvi_edge_next(e)];
        out[e] = (rvi_keyed){a < b ? a << 32 | b : b << 32 | a, e};
    }
    return rvi_sort(ctx, out, 3 * faces);
}

/* Half-edges of one edge have the same two vertices: sorted by them, they stand side by side. */
rv_status rvi_edges_find_twins(rv_context *ctx, rvi_half_edges *h, size_t faces) {
    size_t count = 3 * faces;
    rvi_keyed *edges = rvi_alloc(ctx, count, sizeof *edges, "the edges of a mesh");
    if (edges == NULL)
        return RV_ERROR_MEMORY;
    rv_status status = rvi_edges_sort(ctx, h->corners, faces, edges);
    for (size_t i = 0; i + 1 < count && status == RV_OK; i += 2) {
        if (edges[i].key != edges[i + 1].key)
            status = rvi_fail(ctx, RV_ERROR_INTERNAL, "An edge of a mesh has not two faces.");
        rvi_edge_pair(h, edges[i].value, edges[i + 1].value);
    }
    rvi_free(ctx, edges);
    return status;
}
