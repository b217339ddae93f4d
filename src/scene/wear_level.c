/* wear_level.c: where material is taken or laid, what sticks out goes first.
 *
 * Particles come one by one, so that their traces would leave the surface rough at the size of its
 * faces. Between neighbours u and v that both are asked for material goes
 *
 *     c min(A_u, A_v) (x_u - x_v) . (n_u + n_v) / 2,   c = level (|h_u| + |h_v|) / 2 |x_u - x_v|,
 *
 * where h is how far each is asked to move. On planes and spheres, however they lie, this is
 * nothing; a vertex that stands out gives to its neighbours. Both of a pair compute the same bits:
 * what one gets the other loses. It is owed, until the vertices move. */
#include "scene/wear_state.h"

#include "base/threads.h"

enum { BLOCK = 256 };
#define MOST 0.05    /* of a difference in height, in a step */
#define STUCK 0.002f /* spacings that are owed, and more than what waits */

static size_t end_of(int64_t block, size_t count) {
    size_t end = ((size_t)block + 1) * BLOCK;
    return end < count ? end : count;
}

/* Those who are stuck take no part: what they are owed shall not grow. */
static bool takes_part(const rvi_wear *w, const rvi_mover *m) {
    double most = (double)((2 * w->desc.least + STUCK) * w->water->desc.spacing) * m->slope;
    double owed = w->owed[m->vertex];
    return !w->skin->fixed[m->vertex] && m->slope > 0 && owed < most && owed > -most;
}

static double height_of(const rvi_wear *w, const rvi_mover *m) {
    double wish = rvi_wear_wish(w, m) / m->slope;
    return wish < 0 ? -wish : wish;
}

static double flow(const rvi_wear *w, const rvi_mover *v, const rvi_mover *u) {
    double square = 0, stands = 0;
    for (int i = 0; i < 3; i++) {
        double way = u->from[i] - v->from[i];
        square += way * way;
        stands += way * (u->normal[i] + v->normal[i]);
    }
    double both = height_of(w, v) + height_of(w, u);
    double share = (double)w->desc.level * 0.5 * both / sqrt(square);
    double area = v->slope < u->slope ? v->slope : u->slope;
    return (share < MOST ? share : MOST) * area * 0.5 * stands;
}

static void level_block(void *arg, int64_t block) {
    rvi_wear *w = arg;
    const rvi_edit_mesh *skin = w->skin;
    for (size_t n = (size_t)block * BLOCK; n < end_of(block, w->mover_count); n++) {
        rvi_mover *m = &w->movers[n];
        uint32_t first = skin->edges.leaving[m->vertex], e = first;
        m->flow = 0;
        if (!takes_part(w, m))
            continue;
        do {
            uint32_t other = w->mover_of[rvi_edge_to(&skin->edges, e)];
            if (other != RVI_NONE && takes_part(w, &w->movers[other]))
                m->flow += flow(w, m, &w->movers[other]);
            e = rvi_edge_around(&skin->edges, e);
        } while (e != first);
    }
}

rv_status rvi_wear_level(rvi_wear *w) {
    if (w->desc.level <= 0)
        return RV_OK;
    int64_t blocks = (int64_t)((w->mover_count + BLOCK - 1) / BLOCK);
    rv_status status = rvi_parallel(w->ctx, blocks, level_block, w);
    for (size_t n = 0; n < w->mover_count && status == RV_OK; n++)
        w->owed[w->movers[n].vertex] += w->movers[n].flow;
    return status;
}
