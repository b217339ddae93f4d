/* links.c: how faces are connected. All half-edges are sorted by the two vertices of their edge, so
 * that those of one edge stand side by side: a closed surface has two there, which go in opposite
 * directions. Corners of faces that share an edge at a vertex are joined (R. Tarjan, 1975); around
 * a vertex of a surface they are one fan. */
#include "mesh/links.h"

#include "base/context.h"
#include "mesh/half_edges.h"

typedef struct linker {
    const rv_mesh *mesh;
    rv_fault_fn tell;
    void *user;
    rvi_keyed *edges;  /* by the two vertices, the lower first */
    uint32_t *corners; /* for each corner another of the same fan, or itself */
    uint32_t *shells;  /* for each face another of the same shell, or itself */
} linker;

static uint32_t find(uint32_t *set, uint32_t i) {
    while (set[i] != i) {
        set[i] = set[set[i]];
        i = set[i];
    }
    return i;
}

/* The lowest number stands for the set. */
static void unite(uint32_t *set, uint32_t a, uint32_t b) {
    a = find(set, a);
    b = find(set, b);
    if (a < b)
        set[b] = a;
    else
        set[a] = b;
}

static uint32_t edge_start(const linker *l, uint32_t edge) {
    return l->mesh->corners[edge];
}

static uint32_t edge_end(const linker *l, uint32_t edge) {
    return l->mesh->corners[rvi_edge_next(edge)];
}

static rv_fault edge_fault(const linker *l, rv_fault_kind kind, uint32_t edge, uint32_t other) {
    rv_fault fault = {.kind = kind,
                      .face = edge / 3,
                      .other = other == RV_NO_NUMBER ? RV_NO_NUMBER : other / 3,
                      .vertex = {edge_start(l, edge), edge_end(l, edge)}};
    for (size_t i = 0; i < 3; i++)
        fault.at[i] = (l->mesh->points[3 * (size_t)fault.vertex[0] + i] +
                       l->mesh->points[3 * (size_t)fault.vertex[1] + i]) /
                      2;
    return fault;
}

/* Joins what two half-edges of one edge have in common. */
static void join_across(linker *l, uint32_t e, uint32_t g) {
    bool same = edge_start(l, e) == edge_start(l, g);
    unite(l->corners, e, same ? g : rvi_edge_next(g));
    unite(l->corners, rvi_edge_next(e), same ? rvi_edge_next(g) : g);
    unite(l->shells, e / 3, g / 3);
}

/* The half-edges of one edge: what is wrong with them? RV_FAULT_COUNT: nothing. */
static rv_fault_kind judge_edge(const linker *l, size_t first, size_t count) {
    uint32_t e = l->edges[first].value;
    if (edge_start(l, e) == edge_end(l, e))
        return RV_FAULT_COUNT; /* the face is told of as flat */
    if (count == 1)
        return RV_FAULT_OPEN_EDGE;
    if (count > 2)
        return RV_FAULT_CROWDED_EDGE;
    return edge_start(l, e) == edge_start(l, l->edges[first + 1].value) ? RV_FAULT_TURNED_FACE
                                                                        : RV_FAULT_COUNT;
}

/* Tells of the edges with faults of one kind; on the first turn joins what is connected. */
static rv_status walk_edges(linker *l, rv_fault_kind kind, bool first_turn) {
    size_t total = 3 * l->mesh->face_count;
    for (size_t i = 0, end; i < total; i = end) {
        for (end = i + 1; end < total && l->edges[end].key == l->edges[i].key; end++)
            if (first_turn)
                join_across(l, l->edges[i].value, l->edges[end].value);
        if (judge_edge(l, i, end - i) == kind) {
            uint32_t other = end - i > 1 ? l->edges[i + 1].value : RV_NO_NUMBER;
            rv_fault fault = edge_fault(l, kind, l->edges[i].value, other);
            l->tell(l->user, &fault);
        }
        if (rvi_poll_at(l->mesh->ctx, i) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

/* A vertex with two fans has two corners that stand for themselves. */
static rv_status tell_pinched(linker *l, uint32_t *first_corner) {
    size_t total = 3 * l->mesh->face_count;
    for (size_t c = 0; c < total; c++) {
        uint32_t vertex = l->mesh->corners[c];
        if (l->corners[c] == c && first_corner[vertex]++ == 1) {
            const double *at = l->mesh->points + 3 * (size_t)vertex;
            rv_fault fault = {.kind = RV_FAULT_PINCHED_VERTEX,
                              .face = (uint32_t)(c / 3),
                              .other = RV_NO_NUMBER,
                              .vertex = {vertex, RV_NO_NUMBER},
                              .at = {at[0], at[1], at[2]}};
            l->tell(l->user, &fault);
        }
        if (rvi_poll_at(l->mesh->ctx, c) != RV_OK)
            return RV_CANCELLED;
    }
    return RV_OK;
}

static rv_status link_all(linker *l) {
    rv_status status =
        rvi_edges_sort(l->mesh->ctx, l->mesh->corners, l->mesh->face_count, l->edges);
    for (uint32_t c = 0; c < 3 * l->mesh->face_count; c++)
        l->corners[c] = c;
    for (uint32_t f = 0; f < l->mesh->face_count; f++)
        l->shells[f] = f;
    if (status == RV_OK)
        status = walk_edges(l, RV_FAULT_OPEN_EDGE, true);
    if (status == RV_OK)
        status = walk_edges(l, RV_FAULT_CROWDED_EDGE, false);
    if (status == RV_OK)
        status = walk_edges(l, RV_FAULT_TURNED_FACE, false);
    if (status != RV_OK)
        return status;
    rv_context *ctx = l->mesh->ctx;
    uint32_t *fans = rvi_alloc(ctx, l->mesh->vertex_count, sizeof *fans, "the links of a mesh");
    if (fans == NULL)
        return RV_ERROR_MEMORY;
    status = tell_pinched(l, fans);
    rvi_free(ctx, fans);
    return status;
}

rv_status rvi_links_create(const rv_mesh *mesh, rv_fault_fn tell, void *user, rvi_links *out) {
    rv_context *ctx = mesh->ctx;
    size_t faces = mesh->face_count;
    static const char what[] = "the links of a mesh";
    linker l = {.mesh = mesh, .tell = tell, .user = user};
    *out = (rvi_links){.ctx = ctx};
    l.edges = rvi_alloc(ctx, 3 * faces, sizeof *l.edges, what);
    l.corners = rvi_alloc(ctx, 3 * faces, sizeof *l.corners, what);
    l.shells = rvi_alloc(ctx, faces, sizeof *l.shells, what);
    rv_status status = RV_ERROR_MEMORY;
    if (l.edges != NULL && l.corners != NULL && l.shells != NULL)
        status = link_all(&l);
    rvi_free(ctx, l.edges);
    rvi_free(ctx, l.corners);
    if (status != RV_OK) {
        rvi_free(ctx, l.shells);
        return status;
    }
    for (uint32_t f = 0; f < faces; f++) {
        l.shells[f] = find(l.shells, f);
        out->shells += l.shells[f] == f;
    }
    out->shell = l.shells;
    return RV_OK;
}

void rvi_links_destroy(rvi_links *links) {
    rvi_free(links->ctx, links->shell);
    links->shell = NULL;
}
