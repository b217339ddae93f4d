/* wear_moves.c: vertices move until the volume is what was asked for.
 *
 * When all vertices go straight along ways d_v, the volume grows by
 *
 *     sum_v d_v . integral of A_v(t) dt,   A_v = 1/3 sum of the area vectors of the faces of v,
 *
 * and as area vectors are of second degree in t, Simpson's rule gives the integral exactly. So each
 * vertex has a part of its own in what happens, whoever moves beside it, and the parts add up to
 * the whole. Each goes along A_v, and how far is found in a few rounds of Newton's method with the
 * slope |A_v| (equations 6.5 to 6.10 of V. Skorkovska, 2012, do it for one face at a time). What
 * the skin then allows is measured the same way, and the sum exactly. */
#include "scene/wear_state.h"

#include "base/threads.h"
#include "base/vector.h"

enum { BLOCK = 256, ROUNDS = 3 };
#define LEAST_SLOPE 0.1 /* of what a vertex would have where no side holds it */

static size_t blocks_of(size_t count) {
    return (count + BLOCK - 1) / BLOCK;
}

static size_t end_of(int64_t block, size_t count) {
    size_t end = ((size_t)block + 1) * BLOCK;
    return end < count ? end : count;
}

static double size_of(double x) {
    return x < 0 ? -x : x;
}

/* ---- Who moves ---- */

static rvi_mover *mover_at(rvi_wear *w, uint32_t vertex) {
    uint32_t *of = &w->mover_of[vertex];
    if (*of == RVI_NONE) {
        *of = (uint32_t)w->mover_count++;
        w->movers[*of] = (rvi_mover){.vertex = vertex};
    }
    return &w->movers[*of];
}

static void gather(rvi_wear *w) {
    w->mover_count = 0;
    for (size_t n = 0; n < w->contact_count; n++) {
        const rvi_ask *a = &w->asks[n];
        if (a->take == 0 && a->lay == 0)
            continue;
        for (size_t k = 0; k < 3; k++) {
            size_t corner = 3 * (size_t)w->contacts[n].face + k;
            rvi_mover *m = mover_at(w, w->skin->edges.corners[corner]);
            m->take += w->contacts[n].weights[k] * a->take;
            m->lay += w->contacts[n].weights[k] * a->lay;
        }
    }
}

/* The faces of the vertices that move, each once. */
static void gather_faces(rvi_wear *w) {
    const rvi_edit_mesh *skin = w->skin;
    w->swept_count = 0;
    for (size_t n = 0; n < w->mover_count; n++) {
        uint32_t first = skin->edges.leaving[w->movers[n].vertex], e = first;
        do {
            uint32_t face = e / 3;
            if (w->swept_of[face] == RVI_NONE) {
                w->swept_of[face] = (uint32_t)w->swept_count;
                w->swept[w->swept_count++].face = face;
            }
            e = rvi_edge_around(&skin->edges, e);
        } while (e != first);
    }
}

static void forget(rvi_wear *w) {
    for (size_t n = 0; n < w->mover_count; n++)
        w->mover_of[w->movers[n].vertex] = RVI_NONE;
    for (size_t n = 0; n < w->swept_count; n++)
        w->swept_of[w->swept[n].face] = RVI_NONE;
}

/* ---- What ways do ---- */

static void add_area(double at[3][3], double share, double out[3]) {
    double normal[3];
    rvi_normal3(at[0], at[1], at[2], normal);
    for (int i = 0; i < 3; i++)
        out[i] += share * 0.5 * normal[i];
}

/* The mean of a face's area vector over the ways of its corners. */
static void sweep_face(const rvi_wear *w, rvi_swept *swept) {
    static const double when[3] = {0, 0.5, 1}, share[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
    double from[3][3], way[3][3] = {{0}}, at[3][3];
    for (size_t k = 0; k < 3; k++) {
        uint32_t vertex = w->skin->edges.corners[3 * (size_t)swept->face + k],
                 of = w->mover_of[vertex];
        if (of == RVI_NONE)
            rvi_edit_place(w->skin, vertex, from[k]);
        for (int i = 0; i < 3 && of != RVI_NONE; i++) {
            from[k][i] = w->movers[of].from[i];
            way[k][i] = w->movers[of].way[i];
        }
    }
    swept->area[0] = swept->area[1] = swept->area[2] = 0;
    for (int t = 0; t < 3; t++) {
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                at[k][i] = from[k][i] + when[t] * way[k][i];
        add_area(at, share[t], swept->area);
    }
}

static void sweep_block(void *arg, int64_t block) {
    rvi_wear *w = arg;
    for (size_t n = (size_t)block * BLOCK; n < end_of(block, w->swept_count); n++)
        sweep_face(w, &w->swept[n]);
}

/* A_v in the mean, in the order of the faces around the vertex. */
static void vertex_area(const rvi_wear *w, uint32_t vertex, double out[3]) {
    uint32_t first = w->skin->edges.leaving[vertex], e = first;
    out[0] = out[1] = out[2] = 0;
    do {
        const rvi_swept *swept = &w->swept[w->swept_of[e / 3]];
        for (int i = 0; i < 3; i++)
            out[i] += swept->area[i] / 3;
        e = rvi_edge_around(&w->skin->edges, e);
    } while (e != first);
}

static void gain_block(void *arg, int64_t block) {
    rvi_wear *w = arg;
    for (size_t n = (size_t)block * BLOCK; n < end_of(block, w->mover_count); n++) {
        rvi_mover *m = &w->movers[n];
        double area[3];
        vertex_area(w, m->vertex, area);
        m->gain = rvi_dot3(area, m->way);
    }
}

double rvi_wear_wish(const rvi_wear *w, const rvi_mover *m) {
    return (m->lay - m->take) + w->owed[m->vertex];
}

/* ---- Finding the ways ---- */

/* A vertex on a side of the box, or beyond it, goes along the side: water stays between rock and
 * box nowhere. */
static void stay_in_sides(const rvi_wear *w, const rvi_mover *m, double normal[3]) {
    const rvi_sph_desc *box = &w->water->desc;
    double little = 1e-3 * (double)box->spacing;
    for (int i = 0; i < 3; i++)
        if (m->from[i] < box->low[i] + little || m->from[i] > box->high[i] - little)
            normal[i] = 0;
}

static void start_block(void *arg, int64_t block) {
    rvi_wear *w = arg;
    for (size_t n = (size_t)block * BLOCK; n < end_of(block, w->mover_count); n++) {
        rvi_mover *m = &w->movers[n];
        double area[3], whole;
        vertex_area(w, m->vertex, area);
        whole = rvi_length3(area);
        stay_in_sides(w, m, area);
        m->slope = rvi_length3(area);
        if (m->slope < LEAST_SLOPE * whole)
            m->slope = 0; /* or it would slide far along the side for next to nothing */
        for (int i = 0; i < 3; i++)
            m->normal[i] = m->slope > 0 ? area[i] / m->slope : 0;
    }
}

static void choose_block(void *arg, int64_t block) {
    rvi_wear *w = arg;
    double spacing = (double)w->water->desc.spacing, most = (double)w->desc.farthest * spacing;
    for (size_t n = (size_t)block * BLOCK; n < end_of(block, w->mover_count); n++) {
        rvi_mover *m = &w->movers[n];
        double wish = rvi_wear_wish(w, m), far = 0;
        m->waits = size_of(wish) < (double)w->desc.least * spacing * m->slope;
        if (m->waits || w->skin->fixed[m->vertex] || m->slope == 0)
            continue;
        for (int i = 0; i < 3; i++)
            far += m->way[i] * m->normal[i];
        far += (wish - m->gain) / m->slope;
        far = far > most ? most : far < -most ? -most : far;
        for (int i = 0; i < 3; i++)
            m->way[i] = far * m->normal[i];
    }
}

/* What dividing and joining did is made up for by those who move, a little each. */
static void spread_debt(rvi_wear *w) {
    double area = 0, most = 0.01 * (double)w->water->desc.spacing;
    for (size_t n = 0; n < w->mover_count; n++)
        area += w->skin->fixed[w->movers[n].vertex] ? 0 : w->movers[n].slope;
    if (!(area > 0) || w->debt == 0)
        return;
    double height = w->debt / area;
    height = height > most ? most : height < -most ? -most : height;
    for (size_t n = 0; n < w->mover_count; n++) {
        uint32_t vertex = w->movers[n].vertex;
        double part = w->skin->fixed[vertex] ? 0 : height * w->movers[n].slope;
        w->owed[vertex] += part;
        w->debt -= part;
    }
}

static rv_status find_ways(rvi_wear *w) {
    int64_t faces = (int64_t)blocks_of(w->swept_count), movers = (int64_t)blocks_of(w->mover_count);
    for (size_t n = 0; n < w->mover_count; n++)
        rvi_edit_place(w->skin, w->movers[n].vertex, w->movers[n].from);
    rv_status status = rvi_parallel(w->ctx, faces, sweep_block, w);
    if (status == RV_OK)
        status = rvi_parallel(w->ctx, movers, start_block, w);
    if (status != RV_OK)
        return status;
    spread_debt(w);
    status = rvi_wear_level(w);
    for (int round = 0; round < ROUNDS && status == RV_OK; round++) {
        status = rvi_parallel(w->ctx, movers, choose_block, w);
        if (status == RV_OK && round + 1 < ROUNDS)
            status = rvi_parallel(w->ctx, faces, sweep_block, w);
        if (status == RV_OK && round + 1 < ROUNDS)
            status = rvi_parallel(w->ctx, movers, gain_block, w);
    }
    return status;
}

/* ---- Moving and booking ---- */

static rv_status move_skin(rvi_wear *w) {
    size_t count = 0, refused = 0;
    for (size_t n = 0; n < w->mover_count; n++) {
        const rvi_mover *m = &w->movers[n];
        if (m->way[0] == 0 && m->way[1] == 0 && m->way[2] == 0)
            continue;
        w->which[count] = m->vertex;
        for (int i = 0; i < 3; i++)
            w->to[count][i] = m->from[i] + m->way[i];
        count++;
    }
    rv_status status =
        count == 0 ? RV_OK
                   : rvi_edit_move(w->skin, w->which, (const double(*)[3])w->to, count, &refused);
    if (status == RV_OK)
        w->ledger.refused += refused;
    return status;
}

/* The ways as the skin has gone them. */
static void measure(rvi_wear *w) {
    for (size_t n = 0; n < w->mover_count; n++) {
        rvi_mover *m = &w->movers[n];
        double at[3];
        rvi_edit_place(w->skin, m->vertex, at);
        for (int i = 0; i < 3; i++)
            m->way[i] = at[i] - m->from[i];
    }
    rvi_finish(w->ctx, (int64_t)blocks_of(w->swept_count), sweep_block, w);
    rvi_finish(w->ctx, (int64_t)blocks_of(w->mover_count), gain_block, w);
}

/* What a vertex lost less than it was asked for is not taken, and what it gained less is not laid.
 */
static void settle_up(rvi_wear *w, rvi_mover *m) {
    double missed =
        rvi_wear_wish(w, m) - m->gain; /* m3 that it did not gain, or lose when negative */
    m->keep[0] = m->keep[1] = 1;
    if (!m->waits && missed < 0 && m->take > 0)
        m->keep[0] = -missed < m->take ? 1 + missed / m->take : 0;
    if (!m->waits && missed > 0 && m->lay > 0)
        m->keep[1] = missed < m->lay ? 1 - missed / m->lay : 0;
    w->owed[m->vertex] += (m->keep[1] * m->lay - m->keep[0] * m->take) - m->gain;
}

static void book_volume(rvi_wear *w) {
    rvi_wide volume6 = rvi_edit_volume6(w->skin);
    double gained = rvi_edit_cubic_metres(w->skin, volume6 - w->volume6), sum = 0;
    for (size_t n = 0; n < w->mover_count; n++) {
        double gain = w->movers[n].gain;
        sum += gain;
        w->ledger.eroded += gain < 0 ? -gain : 0;
        w->ledger.deposited += gain > 0 ? gain : 0;
    }
    double rest = gained - sum; /* what rounding has left out */
    w->ledger.eroded += rest < 0 ? -rest : 0;
    w->ledger.deposited += rest > 0 ? rest : 0;
    w->debt -= rest;
    w->volume6 = volume6;
}

static void book_particles(rvi_wear *w) {
    double *sediments = w->water->drops.sediments;
    for (size_t n = 0; n < w->contact_count; n++) {
        const rvi_ask *a = &w->asks[n];
        double take = 0, lay = 0;
        for (size_t k = 0; k < 3 && (a->take != 0 || a->lay != 0); k++) {
            uint32_t vertex = w->skin->edges.corners[3 * (size_t)w->contacts[n].face + k];
            const rvi_mover *m = &w->movers[w->mover_of[vertex]];
            take += w->contacts[n].weights[k] * a->take * m->keep[0];
            lay += w->contacts[n].weights[k] * a->lay * m->keep[1];
        }
        double left = sediments[a->particle] + (take - lay);
        if (left < 0) { /* weights are rounded, and one can be less than 0 by that */
            w->debt += left;
            take -= left;
            left = 0;
        }
        sediments[a->particle] = left;
        w->material_taken[a->material] += take;
        w->material_laid[a->material] += lay;
    }
}

rv_status rvi_wear_move(rvi_wear *w) {
    gather(w);
    gather_faces(w);
    rv_status status = find_ways(w);
    if (status == RV_OK)
        status = move_skin(w);
    if (status == RV_OK) {
        measure(w);
        for (size_t n = 0; n < w->mover_count; n++)
            settle_up(w, &w->movers[n]);
        book_volume(w);
        book_particles(w);
    }
    forget(w);
    return status;
}
