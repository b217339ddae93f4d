/* wear_level.c: erosion and deposition level the surface: vertices that stand out are eroded first.
 *
 * Single particles would leave the surface rough at the size of its faces. Between neighbouring
 * vertices u and v that both shall move, this volume goes from u to v:
 *
 *     c min(A_u, A_v) (x_u - x_v) . (n_u + n_v) / 2,   c = level (|h_u| + |h_v|) / 2 |x_u - x_v|,
 *
 * where h is how far each shall move. On planes and spheres, however the vertices lie, it is zero;
 * a vertex that stands out gives to its neighbours. Both of a pair compute the same bits: what one
 * gets the other loses. It is owed until the vertices move. */
#include "scene/wear_state.h"

#include "base/threads.h"

enum { BLOCK = 64 };
#define MOST 0.05    /* of a difference in height, in a step */
#define STUCK 0.002f /* in spacings: a vertex that is owed more, beyond what waits, cannot move */

static size_t end_of(int64_t block, size_t count) {
    size_t end = ((size_t)block + 1) * BLOCK;
    return end < count ? end : count;
}

/* Vertices that cannot move take no part: what they are owed shall not grow. */
static bool takes_part(const rvi_wear *w, const rvi_mover *m) {
    double most = (double)((2 * w->desc.least + STUCK) * w->box->spacing) * m->area;
    double owed = w->owed[m->vertex];
    return !w->rock->fixed[m->vertex] && m->area > 0 && owed < most && owed > -most;
}

static double height_of(const rvi_wear *w, const rvi_mover *m) {
    double height = rvi_wear_target(w, m) / m->area;
    return height < 0 ? -height : height;
}

static double levelled_volume(const rvi_wear *w, const rvi_mover *v, const rvi_mover *u) {
    double square = 0, height = 0;
    for (int i = 0; i < 3; i++) {
        double edge = u->from[i] - v->from[i];
        square += edge * edge;
        height += edge * (u->normal[i] + v->normal[i]);
    }
    double both = height_of(w, v) + height_of(w, u);
    double share = (double)w->desc.level * 0.5 * both / sqrt(square);
    double area = v->area < u->area ? v->area : u->area;
    return (share < MOST ? share : MOST) * area * 0.5 * height;
}

static void level_block(void *arg, int64_t block) {
    rvi_wear *w = arg;
    const rvi_edit_mesh *rock = w->rock;
    for (size_t n = (size_t)block * BLOCK; n < end_of(block, w->mover_count); n++) {
        const rvi_mover *m = &w->movers[n];
        uint32_t first = rock->edges.leaving[m->vertex], e = first;
        double levelled = 0;
        w->levelled[n] = 0;
        if (!takes_part(w, m))
            continue;
        do {
            uint32_t other = w->mover_of[rvi_edge_to(&rock->edges, e)];
            if (other != RVI_NONE && takes_part(w, &w->movers[other]))
                levelled += levelled_volume(w, m, &w->movers[other]);
            e = rvi_edge_around(&rock->edges, e);
        } while (e != first);
        w->levelled[n] = levelled;
    }
}

rv_status rvi_wear_level(rvi_wear *w) {
    if (w->desc.level <= 0)
        return RV_OK;
    int64_t blocks = (int64_t)((w->mover_count + BLOCK - 1) / BLOCK);
    rv_status status = rvi_parallel(w->ctx, blocks, level_block, w);
    for (size_t n = 0; n < w->mover_count && status == RV_OK; n++)
        w->owed[w->movers[n].vertex] += w->levelled[n];
    return status;
}
