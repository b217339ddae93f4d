/* wear_walls.c: the water's walls follow the skin, and particles that they come too near to are put
 * out.
 *
 * In a step faces move by less than particles are away from them, so that none can pass a particle;
 * only where faces were divided or joined may one jump, and there particles ask whether they are
 * inside. */
#include "scene/wear_state.h"

#include "base/context.h"
#include "base/threads.h"

enum { BLOCK = 1024 };

typedef struct changes {
    rvi_wear *w;
    const uint32_t *faces;
    size_t count;
} changes;

static void fill_block(void *arg, int64_t block) {
    const changes *c = arg;
    const rvi_edit_mesh *skin = c->w->skin;
    size_t end = ((size_t)block + 1) * BLOCK;
    for (size_t n = (size_t)block * BLOCK; n < end && n < c->count; n++) {
        uint32_t face = c->faces[n];
        rvi_wall_change *to = &c->w->changes[n];
        to->face = face;
        to->gone = !rvi_edit_has_face(skin, face);
        for (size_t k = 0; k < 3 && !to->gone; k++)
            rvi_edit_place(skin, skin->edges.corners[3 * (size_t)face + k], to->at[k]);
    }
}

static size_t list_changes(rvi_wear *w) {
    changes c = {.w = w};
    c.count = rvi_edit_changed(w->skin, &c.faces);
    rvi_finish(w->ctx, (int64_t)((c.count + BLOCK - 1) / BLOCK), fill_block, &c);
    return c.count;
}

rv_status rvi_wear_rebuild(rvi_wear *w) {
    rvi_sph *water = w->water;
    size_t count = 0;
    for (uint32_t f = 0; f < w->skin->faces; f++) {
        if (!rvi_edit_has_face(w->skin, f))
            continue;
        rvi_wall_change *to = &w->changes[count++];
        *to = (rvi_wall_change){.face = f};
        for (size_t k = 0; k < 3; k++)
            rvi_edit_place(w->skin, w->skin->edges.corners[3 * (size_t)f + k], to->at[k]);
    }
    rvi_wall_index walls;
    rv_status status = rvi_wall_index_create_of(w->ctx, w->changes, count, water->desc.low,
                                                water->size, water->rock.reach, &walls);
    if (status != RV_OK)
        return status;
    const uint32_t *faces;
    rvi_edit_changed(w->skin, &faces); /* all that had changed has been seen */
    rvi_wall_index_destroy(&water->rock);
    water->rock = walls;
    return RV_OK;
}

/* ---- Particles ---- */

static void put_out_block(void *arg, int64_t block) {
    rvi_wear *w = arg;
    rvi_sph *water = w->water;
    size_t out = 0;
    for (size_t i = (size_t)block * RVI_SPH_BLOCK; i < rvi_sph_end(water, block); i++) {
        rvi_v4 at = water->drops.places[i];
        bool jumped = rvi_wall_index_jumped(&water->rock, (const float[3]){at[0], at[1], at[2]});
        w->leaves[i] = 0;
        if (!jumped && w->touches[i].distance > w->touchy)
            continue;
        w->leaves[i] = !rvi_sph_put_out(water, i, jumped);
        rvi_v4 moved = water->drops.places[i] - at;
        out += moved[0] != 0 || moved[1] != 0 || moved[2] != 0;
    }
    w->counts[block] = out;
}

static void pushed_out(rvi_wear *w) {
    rvi_sph *water = w->water;
    size_t blocks = (water->count + RVI_SPH_BLOCK - 1) / RVI_SPH_BLOCK, trapped = 0;
    rvi_finish(w->ctx, (int64_t)blocks, put_out_block, w);
    for (size_t b = 0; b < blocks; b++)
        w->ledger.pushed_out += w->counts[b];
    for (size_t i = 0; i < water->count; i++)
        trapped += w->leaves[i];
    w->ledger.trapped += trapped;
    if (trapped > 0)
        rvi_sph_remove(water, w->leaves);
}

rv_status rvi_wear_refresh(rvi_wear *w) {
    double begun = rvi_now();
    size_t count = list_changes(w);
    rv_status status = rvi_wall_index_change(&w->water->rock, w->changes, count);
    w->entering = rvi_now() - begun;
    if (status == RV_OK && count > 0)
        pushed_out(w);
    return status;
}
