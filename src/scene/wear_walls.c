/* wear_walls.c: the water's walls follow the rock, and particles that they come too near to are
 * pushed out.
 *
 * In a step faces move by less than their distance to particles, so that no face can pass a
 * particle. Only where faces were divided or joined can a face jump, and there the water tests
 * whether particles are inside. */
#include "scene/wear_state.h"

#include "base/context.h"
#include "base/threads.h"

enum { BLOCK = 64 };

typedef struct changes {
    rvi_wear *w;
    const uint32_t *faces;
    size_t count;
} changes;

static void fill_block(void *arg, int64_t block) {
    const changes *c = arg;
    const rvi_edit_mesh *rock = c->w->rock;
    size_t end = ((size_t)block + 1) * BLOCK;
    for (size_t n = (size_t)block * BLOCK; n < end && n < c->count; n++) {
        uint32_t face = c->faces[n];
        rvi_wall_change *to = &c->w->changes[n];
        to->face = face;
        to->gone = !rvi_edit_has_face(rock, face);
        for (size_t k = 0; k < 3 && !to->gone; k++)
            rvi_edit_place(rock, rock->edges.corners[3 * (size_t)face + k], to->at[k]);
    }
}

static size_t list_changes(rvi_wear *w) {
    changes c = {.w = w};
    c.count = rvi_edit_changed(w->rock, &c.faces);
    rvi_finish(w->ctx, (int64_t)((c.count + BLOCK - 1) / BLOCK), fill_block, &c);
    return c.count;
}

rv_status rvi_wear_rebuild_walls(rvi_wear *w) {
    size_t count = 0;
    for (uint32_t f = 0; f < w->rock->faces; f++) {
        if (!rvi_edit_has_face(w->rock, f))
            continue;
        rvi_wall_change *to = &w->changes[count++];
        *to = (rvi_wall_change){.face = f};
        for (size_t k = 0; k < 3; k++)
            rvi_edit_place(w->rock, w->rock->edges.corners[3 * (size_t)f + k], to->at[k]);
    }
    rv_status status = rvi_sph_set_rock(w->water, w->changes, count);
    const uint32_t *faces;
    if (status == RV_OK)
        rvi_edit_changed(w->rock, &faces); /* all changes are in the rock now */
    return status;
}

static void push_out(rvi_wear *w) {
    size_t pushed_out, trapped;
    rvi_sph_push_out(w->water, w->touches, w->reach, w->desc.farthest, &pushed_out, &trapped);
    w->ledger.pushed_out += pushed_out;
    w->ledger.trapped += trapped;
}

rv_status rvi_wear_update_walls(rvi_wear *w) {
    double begun = rvi_now();
    size_t count = list_changes(w);
    rv_status status = rvi_sph_change_rock(w->water, w->changes, count);
    w->index_seconds = rvi_now() - begun;
    if (status == RV_OK && count > 0)
        push_out(w);
    return status;
}
