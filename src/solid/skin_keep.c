/* skin_keep.c: a skin as bytes, and back.
 *
 * Numbers of vertices and faces, what is free, and the order of faces in the cells of the grid
 * stay: what is done next depends on them. What follows from the rest is made again. */
#include "solid/skin_keep.h"

#include "base/context.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

static const char what[] = "the skin of a solid";

typedef struct head {
    double step;
    uint64_t vertices, faces, free_vertices, free_faces, shells;
    uint64_t refused_moves, refused_operations;
    uint32_t round, sweep;
} head;

/* ---- Keeping ---- */

/* The faces in an order in which they can be entered into a grid to lie there as they do: by blocks
 * and cells, those that came last first in each, so that the list is turned round. */
static rv_status list_faces(const rvi_skin *s, uint32_t *order) {
    const rvi_face_grid *g = &s->grid;
    size_t count = 0;
    for (size_t b = 0; b < g->block_count; b++)
        for (int c = 0; c < RVI_GRID_CELLS; c++) {
            if (!(g->blocks[b].filled >> c & 1))
                continue;
            size_t first = count;
            for (uint32_t f = g->blocks[b].heads[c]; f != RVI_NOBODY; f = g->next[f])
                order[count++] = f;
            for (size_t i = first, j = count; i + 1 < j; i++) {
                uint32_t swap = order[i];
                order[i] = order[--j];
                order[j] = swap;
            }
        }
    return count == s->live_faces
               ? RV_OK
               : rvi_fail(s->ctx, RV_ERROR_INTERNAL, "The grid over the faces holds %zu of %zu.",
                          count, s->live_faces);
}

rv_status rvi_skin_keep(const rvi_skin *s, rvi_archive_writer *to) {
    uint32_t *order = rvi_alloc(s->ctx, s->live_faces + 1, sizeof *order, what);
    rv_status status = order != NULL ? list_faces(s, order) : RV_ERROR_MEMORY;
    head h = {.step = s->step,
              .vertices = s->vertices,
              .faces = s->faces,
              .free_vertices = s->free_vertex_count,
              .free_faces = s->free_face_count,
              .shells = s->shells,
              .refused_moves = s->refused_moves,
              .refused_operations = s->refused_operations,
              .round = s->round,
              .sweep = s->sweep};
    const struct {
        const void *data;
        size_t size;
    } parts[] = {{&h, sizeof h},
                 {s->spots, s->vertices * sizeof *s->spots},
                 {s->first, 3 * s->vertices * sizeof *s->first},
                 {s->leaving, s->vertices * sizeof *s->leaving},
                 {s->fixed, s->vertices * sizeof *s->fixed},
                 {s->wet, s->vertices * sizeof *s->wet},
                 {s->free_vertices, s->free_vertex_count * sizeof *s->free_vertices},
                 {s->corners, 3 * s->faces * sizeof *s->corners},
                 {s->shell, s->faces * sizeof *s->shell},
                 {s->free_faces, s->free_face_count * sizeof *s->free_faces},
                 {s->anchors, s->shells * sizeof *s->anchors},
                 {order, s->live_faces * sizeof *order}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == RV_OK; i++)
        status = rvi_archive_put(to, parts[i].data, parts[i].size);
    rvi_free(s->ctx, order);
    return status;
}
