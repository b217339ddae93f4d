/* sph_rock.c: the rock beside the water changes: its faces, who touches them, and particles that
 * they come too near to. */
#include "water/sph_state.h"

#include <string.h>

#include "base/math.h"
#include "base/threads.h"

/* ---- Faces ---- */

rv_status rvi_sph_set_rock(rvi_sph *w, const rvi_wall_change *faces, size_t count) {
    rvi_wall_index rock;
    rv_status status =
        rvi_wall_index_create_of(w->ctx, faces, count, w->desc.low, w->size, w->rock.reach, &rock);
    if (status != RV_OK)
        return status;
    rvi_wall_index_destroy(&w->rock);
    w->rock = rock;
    rvi_sph_rock_changed(w);
    return RV_OK;
}

rv_status rvi_sph_change_rock(rvi_sph *w, const rvi_wall_change *changes, size_t count) {
    rvi_sph_rock_changed(w);
    return rvi_wall_index_change(&w->rock, changes, count);
}

/* ---- Who touches ---- */

typedef struct touching {
    rvi_sph *w;
    float reach;
    rvi_touch *touches;
} touching;

static void touch_piece(void *arg, int64_t piece) {
    const touching *t = arg;
    const rvi_sph *w = t->w;
    size_t end = rvi_sph_piece_end(w, piece);
    for (size_t i = rvi_sph_piece_begin(piece); i < end; i++) {
        rvi_v4 at = w->particles.places[i];
        const float p[3] = {at[0], at[1], at[2]};
        t->touches[i] = (rvi_touch){.face = RVI_NO_FACE, .distance = t->reach};
        if (w->clearance[i] < t->reach)
            rvi_wall_index_nearest_by(&w->rock, p, t->reach, w->nearest_face[i], &t->touches[i]);
    }
}

rv_status rvi_sph_touch_rock(rvi_sph *w, float reach, rvi_touch *touches) {
    touching t = {.w = w, .reach = reach, .touches = touches};
    rv_status status = rvi_sph_fetch(w);
    return status == RV_OK ? rvi_sph_each_piece(w, touch_piece, &t) : status;
}

/* ---- Pushing out ---- */

typedef struct pushing {
    rvi_sph *w;
    const rvi_touch *touches;
    float near; /* m: who was farther away is not too near now */
} pushing;

static void push_piece(void *arg, int64_t piece) {
    const pushing *p = arg;
    rvi_sph *w = p->w;
    size_t end = rvi_sph_piece_end(w, piece);
    uint32_t pushed = 0, changed = 0;
    for (size_t i = rvi_sph_piece_begin(piece); i < end; i++) {
        rvi_v4 at = w->particles.places[i], v = w->particles.speeds[i];
        bool jumped = rvi_wall_index_jumped(&w->rock, (const float[3]){at[0], at[1], at[2]});
        w->leaves[i] = 0;
        if (!jumped && p->touches[i].distance > p->near)
            continue;
        w->leaves[i] = !rvi_sph_push_out_one(w, i, jumped);
        rvi_v4 moved = w->particles.places[i] - at;
        pushed += moved[0] != 0 || moved[1] != 0 || moved[2] != 0;
        changed += memcmp(&w->particles.places[i], &at, sizeof at) != 0 ||
                   memcmp(&w->particles.speeds[i], &v, sizeof v) != 0;
    }
    w->counts[2 * piece] = pushed;
    w->counts[2 * piece + 1] = changed;
}

void rvi_sph_push_out(rvi_sph *w, const rvi_touch *touches, float reach, float farthest,
                      size_t *pushed_out, size_t *trapped) {
    float near = (RVI_SPH_STOP + farthest) * w->desc.spacing + 2 * w->rock.slack;
    pushing p = {.w = w, .touches = touches, .near = rvi_minf(1.01f * near, 0.999f * reach)};
    size_t pieces = (w->count + RVI_SPH_PIECE - 1) / RVI_SPH_PIECE, changed = 0;
    rvi_finish(w->ctx, (int64_t)pieces, push_piece, &p);
    *pushed_out = *trapped = 0;
    for (size_t i = 0; i < pieces; i++) {
        *pushed_out += w->counts[2 * i];
        changed += w->counts[2 * i + 1];
    }
    if (changed > 0)
        rvi_sph_changed(w, RVI_SPH_PLACES);
    for (size_t i = 0; i < w->count; i++)
        *trapped += w->leaves[i];
    if (*trapped > 0)
        rvi_sph_remove(w, w->leaves);
}
