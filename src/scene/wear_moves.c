/* wear_moves.c: vertices move so far that the volume changes as demanded.
 *
 * When all vertices move straight by d_v, the volume grows by
 *
 *     sum_v d_v . integral of A_v(t) dt from 0 to 1,   A_v = 1/3 sum of the area vectors around v,
 *
 * and as area vectors are of second degree in t, Simpson's rule gives the integral exactly. So each
 * vertex has its own part in the change, whatever moves beside it, and the parts add up to the
 * whole. Each moves along A_v; how far is found in a few rounds of Newton's method with the
 * derivative |A_v| (equations 6.5 to 6.10 of V. Skorkovska, 2012, do it for one face at a time).
 * The mesh may allow less. What it did is measured in the same way, and the sum exactly. */
#include "scene/wear_state.h"

#include "base/threads.h"
#include "base/vector.h"

enum { BLOCK = 64, ROUNDS = 3 };
#define LEAST_AREA 0.1 /* as a share of what a vertex would have away from the sides of the box */

static size_t blocks_of(size_t count) {
    return (count + BLOCK - 1) / BLOCK;
}

static size_t end_of(int64_t block, size_t count) {
    size_t end = ((size_t)block + 1) * BLOCK;
    return end < count ? end : count;
}

static double absolute(double x) {
    return x < 0 ? -x : x;
}

/* ---- What moves ---- */

static rvi_mover *mover_at(rvi_wear *w, uint32_t vertex) {
    uint32_t *of = &w->mover_of[vertex];
    if (*of == RVI_NONE) {
        *of = (uint32_t)w->mover_count++;
        w->movers[*of] = (rvi_mover){.vertex = vertex};
        rvi_edit_place(w->rock, vertex, w->movers[*of].from);
    }
    return &w->movers[*of];
}

static void gather(rvi_wear *w) {
    w->mover_count = 0;
    for (size_t n = 0; n < w->contact_count; n++) {
        const rvi_wear_exchange *a = &w->exchanges[n];
        if (a->erode == 0 && a->deposit == 0)
            continue;
        for (size_t k = 0; k < 3; k++) {
            size_t corner = 3 * (size_t)w->contacts[n].face + k;
            rvi_mover *m = mover_at(w, w->rock->edges.corners[corner]);
            m->erode += w->contacts[n].weights[k] * a->erode;
            m->deposit += w->contacts[n].weights[k] * a->deposit;
        }
    }
}

/* The faces around the vertices that move, each once. */
static void gather_faces(rvi_wear *w) {
    const rvi_edit_mesh *rock = w->rock;
    w->swept_count = 0;
    for (size_t n = 0; n < w->mover_count; n++) {
        uint32_t first = rock->edges.leaving[w->movers[n].vertex], e = first;
        do {
            uint32_t face = e / 3;
            if (w->swept_of[face] == RVI_NONE) {
                w->swept_of[face] = (uint32_t)w->swept_count;
                w->swept[w->swept_count++].face = face;
            }
            e = rvi_edge_around(&rock->edges, e);
        } while (e != first);
    }
}

static void forget(rvi_wear *w) {
    for (size_t n = 0; n < w->mover_count; n++)
        w->mover_of[w->movers[n].vertex] = RVI_NONE;
    for (size_t n = 0; n < w->swept_count; n++)
        w->swept_of[w->swept[n].face] = RVI_NONE;
}

/* ---- What moves do ---- */

static void add_area(double at[3][3], double share, double out[3]) {
    double normal[3];
    rvi_normal3(at[0], at[1], at[2], normal);
    for (int i = 0; i < 3; i++)
        out[i] += share * 0.5 * normal[i];
}

/* The mean of a face's area vector over the moves of its corners. */
static void sweep_face(const rvi_wear *w, rvi_swept_face *swept) {
    static const double when[3] = {0, 0.5, 1}, share[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
    double from[3][3], move[3][3] = {{0}}, at[3][3];
    for (size_t k = 0; k < 3; k++) {
        uint32_t vertex = w->rock->edges.corners[3 * (size_t)swept->face + k],
                 of = w->mover_of[vertex];
        if (of == RVI_NONE)
            rvi_edit_place(w->rock, vertex, from[k]);
        for (int i = 0; i < 3 && of != RVI_NONE; i++) {
            from[k][i] = w->movers[of].from[i];
            move[k][i] = w->movers[of].move[i];
        }
    }
    swept->area[0] = swept->area[1] = swept->area[2] = 0;
    for (int t = 0; t < 3; t++) {
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                at[k][i] = from[k][i] + when[t] * move[k][i];
        add_area(at, share[t], swept->area);
    }
}

static void sweep_block(void *arg, int64_t block) {
    rvi_wear *w = arg;
    for (size_t n = (size_t)block * BLOCK; n < end_of(block, w->swept_count); n++)
        sweep_face(w, &w->swept[n]);
}

/* The mean of A_v, summed in the order of the faces around the vertex. */
static void vertex_area(const rvi_wear *w, uint32_t vertex, double out[3]) {
    uint32_t first = w->rock->edges.leaving[vertex], e = first;
    out[0] = out[1] = out[2] = 0;
    do {
        const rvi_swept_face *swept = &w->swept[w->swept_of[e / 3]];
        for (int i = 0; i < 3; i++)
            out[i] += swept->area[i] / 3;
        e = rvi_edge_around(&w->rock->edges, e);
    } while (e != first);
}

static void gain_block(void *arg, int64_t block) {
    rvi_wear *w = arg;
    for (size_t n = (size_t)block * BLOCK; n < end_of(block, w->mover_count); n++) {
        rvi_mover *m = &w->movers[n];
        double area[3];
        vertex_area(w, m->vertex, area);
        m->gain = rvi_dot3(area, m->move);
    }
}

double rvi_wear_target(const rvi_wear *w, const rvi_mover *m) {
    return (m->deposit - m->erode) + w->owed[m->vertex];
}

/* ---- Finding the moves ---- */

/* A vertex on a side of the box, or beyond it, moves along the side: no gap for water opens between
 * rock and box. */
static void stay_on_sides(const rvi_wear *w, const rvi_mover *m, double normal[3]) {
    const rvi_sph_desc *box = w->box;
    double tolerance = 1e-3 * (double)box->spacing;
    for (int i = 0; i < 3; i++)
        if (m->from[i] < box->low[i] + tolerance || m->from[i] > box->high[i] - tolerance)
            normal[i] = 0;
}

static void start_block(void *arg, int64_t block) {
    rvi_wear *w = arg;
    for (size_t n = (size_t)block * BLOCK; n < end_of(block, w->mover_count); n++) {
        rvi_mover *m = &w->movers[n];
        double area[3], whole;
        vertex_area(w, m->vertex, area);
        whole = rvi_length3(area);
        stay_on_sides(w, m, area);
        m->area = rvi_length3(area);
        if (m->area < LEAST_AREA * whole)
            m->area = 0; /* or it would slide far along the side for almost no volume */
        for (int i = 0; i < 3; i++)
            m->normal[i] = m->area > 0 ? area[i] / m->area : 0;
    }
}

static void choose_block(void *arg, int64_t block) {
    rvi_wear *w = arg;
    double spacing = (double)w->box->spacing, most = (double)w->desc.farthest * spacing;
    for (size_t n = (size_t)block * BLOCK; n < end_of(block, w->mover_count); n++) {
        rvi_mover *m = &w->movers[n];
        double target = rvi_wear_target(w, m), distance = 0;
        m->waits = absolute(target) < (double)w->desc.least * spacing * m->area;
        if (m->waits || w->rock->fixed[m->vertex] || m->area == 0)
            continue;
        for (int i = 0; i < 3; i++)
            distance += m->move[i] * m->normal[i];
        distance += (target - m->gain) / m->area;
        distance = distance > most ? most : distance < -most ? -most : distance;
        for (int i = 0; i < 3; i++)
            m->move[i] = distance * m->normal[i];
    }
}

static void choose_again_block(void *arg, int64_t block) {
    gain_block(arg, block);
    choose_block(arg, block);
}

/* The vertices that move take over the volume that dividing and joining faces has changed, each a
 * little. */
static void spread_debt(rvi_wear *w) {
    double area = 0, most = 0.01 * (double)w->box->spacing;
    for (size_t n = 0; n < w->mover_count; n++)
        area += w->rock->fixed[w->movers[n].vertex] ? 0 : w->movers[n].area;
    if (!(area > 0) || w->debt == 0)
        return;
    double height = w->debt / area;
    height = height > most ? most : height < -most ? -most : height;
    for (size_t n = 0; n < w->mover_count; n++) {
        uint32_t vertex = w->movers[n].vertex;
        double part = w->rock->fixed[vertex] ? 0 : height * w->movers[n].area;
        w->owed[vertex] += part;
        w->debt -= part;
    }
}

static rv_status find_moves(rvi_wear *w) {
    int64_t faces = (int64_t)blocks_of(w->swept_count), movers = (int64_t)blocks_of(w->mover_count);
    rv_status status = rvi_parallel(w->ctx, faces, sweep_block, w);
    if (status == RV_OK)
        status = rvi_parallel(w->ctx, movers, start_block, w);
    if (status != RV_OK)
        return status;
    spread_debt(w);
    status = rvi_wear_level(w);
    if (status == RV_OK)
        status = rvi_parallel(w->ctx, movers, choose_block, w);
    for (int round = 1; round < ROUNDS && status == RV_OK; round++) {
        status = rvi_parallel(w->ctx, faces, sweep_block, w);
        if (status == RV_OK)
            status = rvi_parallel(w->ctx, movers, choose_again_block, w);
    }
    return status;
}

/* ---- Moving, and the ledger ---- */

static rv_status move_rock(rvi_wear *w) {
    size_t count = 0, refused = 0;
    for (size_t n = 0; n < w->mover_count; n++) {
        const rvi_mover *m = &w->movers[n];
        if (m->move[0] == 0 && m->move[1] == 0 && m->move[2] == 0)
            continue;
        w->which[count] = m->vertex;
        for (int i = 0; i < 3; i++)
            w->to[count][i] = m->from[i] + m->move[i];
        count++;
    }
    rv_status status =
        count == 0 ? RV_OK
                   : rvi_edit_move(w->rock, w->which, (const double(*)[3])w->to, count, &refused);
    if (status == RV_OK)
        w->ledger.refused += refused;
    return status;
}

/* The moves that the rock has made. */
static void measure(rvi_wear *w) {
    for (size_t n = 0; n < w->mover_count; n++) {
        rvi_mover *m = &w->movers[n];
        double at[3];
        rvi_edit_place(w->rock, m->vertex, at);
        for (int i = 0; i < 3; i++)
            m->move[i] = at[i] - m->from[i];
    }
    rvi_finish(w->ctx, (int64_t)blocks_of(w->swept_count), sweep_block, w);
    rvi_finish(w->ctx, (int64_t)blocks_of(w->mover_count), gain_block, w);
}

/* What a vertex lost less than demanded is not eroded, and what it gained less is not deposited. */
static void book_vertex(rvi_wear *w, rvi_mover *m) {
    double missed = rvi_wear_target(w, m) - m->gain; /* m3 not gained; below 0: not lost */
    m->erode_share = m->deposit_share = 1;
    if (!m->waits && missed < 0 && m->erode > 0)
        m->erode_share = -missed < m->erode ? 1 + missed / m->erode : 0;
    if (!m->waits && missed > 0 && m->deposit > 0)
        m->deposit_share = missed < m->deposit ? 1 - missed / m->deposit : 0;
    w->owed[m->vertex] += (m->deposit_share * m->deposit - m->erode_share * m->erode) - m->gain;
}

static void book_volume(rvi_wear *w) {
    rvi_wide volume6 = rvi_edit_volume6(w->rock);
    double gained = rvi_edit_cubic_metres(w->rock, volume6 - w->volume6), sum = 0;
    for (size_t n = 0; n < w->mover_count; n++) {
        double gain = w->movers[n].gain;
        sum += gain;
        w->ledger.eroded += gain < 0 ? -gain : 0;
        w->ledger.deposited += gain > 0 ? gain : 0;
    }
    double rest = gained - sum; /* by rounding */
    w->ledger.eroded += rest < 0 ? -rest : 0;
    w->ledger.deposited += rest > 0 ? rest : 0;
    w->debt -= rest;
    w->volume6 = volume6;
}

static void book_sediment(rvi_wear *w) {
    const double *sediments = rvi_sph_view_of(w->water).sediments;
    for (size_t n = 0; n < w->contact_count; n++) {
        const rvi_wear_exchange *a = &w->exchanges[n];
        double erode = 0, deposit = 0;
        for (size_t k = 0; k < 3 && (a->erode != 0 || a->deposit != 0); k++) {
            uint32_t vertex = w->rock->edges.corners[3 * (size_t)w->contacts[n].face + k];
            const rvi_mover *m = &w->movers[w->mover_of[vertex]];
            erode += w->contacts[n].weights[k] * a->erode * m->erode_share;
            deposit += w->contacts[n].weights[k] * a->deposit * m->deposit_share;
        }
        double left = sediments[a->particle] + (erode - deposit);
        if (left < 0) { /* by rounding, a weight can be below 0 */
            w->debt += left;
            erode -= left;
            left = 0;
        }
        rvi_sph_set_sediment(w->water, a->particle, left);
        w->material_eroded[a->material] += erode;
        w->material_deposited[a->material] += deposit;
    }
}

rv_status rvi_wear_move_vertices(rvi_wear *w) {
    gather(w);
    gather_faces(w);
    rv_status status = find_moves(w);
    if (status == RV_OK)
        status = move_rock(w);
    if (status == RV_OK) {
        measure(w);
        for (size_t n = 0; n < w->mover_count; n++)
            book_vertex(w, &w->movers[n]);
        book_volume(w);
        book_sediment(w);
    }
    forget(w);
    return status;
}
