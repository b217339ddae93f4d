/* sph_walls.c: what walls do to water: they add to its density, push it and stop it.
 *
 * A particle that rests on a plane is half a spacing s away from it and lacks a part m of its
 * density, that of the lattice behind the plane. There the rock has this density, and a gradient
 * such that a layer on the rock is held by the same pressure as a layer in the water. At the
 * distance d from a wall, with the reach D,
 *
 *     l(d) = m ((D - d) / (D - s / 2))^3,  d < D,   with   l'(s / 2) = -2 sum_below V |dW/dz|
 *
 * Several walls leave the water the product of the shares that each of them leaves. The
 * acceleration of pressure beside rock is that of l in sph_project.c: it comes from a potential, so
 * that walls give no energy.
 *
 * A particle goes its path of a step in moves that are shorter than the distance to the nearest
 * face: no move can cross a face, whatever the angles of the faces are. */
#include "water/sph_state.h"

#include "base/math.h"
#include "base/vector.h"

enum { MOVES = 16 };

/* In spacings: what a single move leaves of the distance. */
#define LEAVE 0.05f

/* Returns the distance to the nearest face, or `reach` where none is nearer. `face`: one of the
 * nearest. */
static float find_around(const rvi_sph *w, const float p[3], float reach, rvi_sph_walls *a,
                         uint32_t *face) {
    rvi_sph_box_walls(&w->rules, p, reach, a);
    rvi_touch touches[RVI_TOUCHES];
    float shares[RVI_TOUCHES];
    int count = rvi_wall_index_around(&w->rock, p, &reach, touches, shares);
    *face = count > 0 ? touches[0].face : RVI_NO_FACE;
    for (int k = 0; k < count && a->count < RVI_SPH_WALLS; k++)
        rvi_sph_add_wall(a, touches[k].distance, shares[k], touches[k].away);
    return reach;
}

static RVI_HOT rvi_sph_near_walls walls_at(const rvi_sph *w, float reach, rvi_v4 at, rvi_v4 v) {
    const rvi_v4 none = {0};
    float p[3] = {at[0], at[1], at[2]}, speed[3] = {v[0], v[1], v[2]}, out[4] = {0};
    bool penalty = w->desc.wall == RVI_SPH_PENALTY;
    rvi_sph_near_walls near;
    rvi_sph_walls a;
    near.clearance = find_around(w, p, reach, &a, &near.face);
    if (a.count > 0 && penalty)
        rvi_sph_penalty(&w->rules, &a, speed, out);
    else if (a.count > 0)
        rvi_sph_complete(&w->rules, &a, out);
    near.density = penalty ? none : rvi_v4_load(out);
    near.acceleration = penalty ? rvi_v4_load(out) : none;
    return near;
}

rvi_sph_near_walls rvi_sph_walls_at(const rvi_sph *w, rvi_v4 at, rvi_v4 v) {
    return walls_at(w, rvi_sph_reach(w), at, v);
}

void rvi_sph_find_walls(rvi_sph *w, int64_t piece) {
    float reach = rvi_sph_reach(w);
    size_t end = rvi_sph_piece_end(w, piece);
    for (size_t i = rvi_sph_piece_begin(piece); i < end; i++) {
        rvi_sph_near_walls near =
            walls_at(w, reach, w->particles.places[i], w->particles.speeds[i]);
        w->clearance[i] = near.clearance;
        w->nearest_face[i] = near.face;
        w->wall_density[i] = near.density;
        w->wall_acceleration[i] = near.acceleration;
    }
}

bool rvi_sph_in_rock(const rvi_sph *w, const float at[3]) {
    rvi_touch touch;
    if (!rvi_sph_in_box(&w->rules, at))
        return true;
    if (w->rock.face_count == 0)
        return false;
    if (!rvi_wall_index_nearest(&w->rock, at, w->rock.reach, &touch))
        return rvi_wall_index_inside(&w->rock, at);
    if (touch.distance < w->rules.stop)
        return true;
    /* Near the middle of a face its normal tells the side. */
    const float *n = w->rock.faces[touch.face].normal, *t = touch.weights;
    float up = (n[0] * touch.away[0] + n[1] * touch.away[1]) + n[2] * touch.away[2];
    if (t[0] > 0.01f && t[1] > 0.01f && t[2] > 0.01f && (up > 0.5f || up < -0.5f))
        return up < 0;
    return rvi_wall_index_inside(&w->rock, at);
}

bool rvi_sph_none_in_rock(const rvi_sph *w) {
    for (size_t i = 0; i < w->count; i++) {
        rvi_v4 at = w->particles.places[i];
        if (rvi_sph_in_rock(w, (const float[3]){at[0], at[1], at[2]}))
            return false;
    }
    return true;
}

/* ---- Moves ---- */

/* Takes away the part of a vector that goes into the wall. */
static void turn_aside(float vector[3], const float away[3]) {
    float into = rvi_dot3f(vector, away);
    for (int i = 0; i < 3 && into < 0; i++)
        vector[i] -= into * away[i];
}

/* Away from the wall, by less than the distance to it. */
static void step_back(const rvi_sph *w, rvi_sph_walker *g, const rvi_touch *touch) {
    float stop = w->rules.stop;
    float by = rvi_minf(1.001f * stop - touch->distance, 0.9f * touch->distance);
    rvi_sph_walker back = *g;
    for (int i = 0; i < 3; i++)
        back.path[i] = by * touch->away[i];
    rvi_sph_go(&w->rules, &back, 1);
    for (int i = 0; i < 3; i++) {
        g->at[i] = back.at[i];
        g->speed[i] = back.speed[i];
    }
    turn_aside(g->path, touch->away);
    turn_aside(g->speed, touch->away);
}

void rvi_sph_walk(const rvi_sph *w, rvi_sph_walker *g) {
    float stop = w->rules.stop, leave = LEAVE * w->desc.spacing;
    rvi_sph_walker stays = {.at = {g->at[0], g->at[1], g->at[2]}};
    for (int move = 0; move < MOVES; move++) {
        rvi_touch touch;
        bool near = rvi_wall_index_nearest(&w->rock, g->at, w->rock.reach, &touch);
        if (near && touch.distance < stop) {
            step_back(w, g, &touch);
            continue;
        }
        float length = rvi_sph_length(g->path),
              free = (near ? touch.distance : w->rock.reach) - leave;
        if (length == 0)
            return;
        rvi_sph_go(&w->rules, g, length <= free ? 1 : free / length);
        if (length <= free + leave - stop)
            return;
    }
    rvi_touch touch;
    if (rvi_wall_index_nearest(&w->rock, g->at, stop, &touch))
        *g = stays;
}

typedef struct moves {
    rvi_sph *w;
    float dt, fastest2;
} moves;

/* Has particle i of `next` a number that is not finite, or is it too fast? */
static bool is_bad(const rvi_sph *w, size_t i, float fastest2) {
    const rvi_sph_particles *p = &w->next;
    rvi_v4 v = p->speeds[i], zero = p->places[i] - p->places[i];
    float k = p->velocity_k[i] + p->displacement_k[i];
    float square = (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2];
    return !((zero[0] + zero[1]) + zero[2] == 0 && square <= fastest2 && k - k == 0 &&
             p->sediments[i] - p->sediments[i] == 0);
}

static void move_piece(void *arg, int64_t piece) {
    const moves *m = arg;
    rvi_sph *w = m->w;
    size_t end = rvi_sph_piece_end(w, piece);
    uint32_t bad = 0;
    for (size_t i = rvi_sph_piece_begin(piece); i < end; i++) {
        rvi_v4 at = w->particles.places[i], v = w->predicted[i], path = m->dt * (v + w->shift[i]);
        rvi_v4 to = at + path;
        if (!rvi_sph_meets_no_wall(&w->rules, w->clearance[i],
                                   (const float[3]){path[0], path[1], path[2]},
                                   (const float[3]){to[0], to[1], to[2]})) {
            rvi_sph_walker g = {.at = {at[0], at[1], at[2]},
                                .speed = {v[0], v[1], v[2]},
                                .path = {path[0], path[1], path[2]}};
            if (!rvi_sph_goes_freely(&w->rules, w->clearance[i], &g))
                rvi_sph_walk(w, &g);
            to = (rvi_v4){g.at[0], g.at[1], g.at[2], 0};
            v = (rvi_v4){g.speed[0], g.speed[1], g.speed[2], 0};
        }
        rvi_v4 way = to - at;
        to[3] = v[3] = 0;
        w->next.places[i] = to;
        w->next.speeds[i] = w->next.half_kicks != NULL ? v - w->next.half_kicks[i] : v;
        w->clearance[i] =
            rvi_sph_still_clear(w->clearance[i], (const float[3]){way[0], way[1], way[2]});
        w->next.ages[i] = w->particles.ages[i] + m->dt;
        w->next.sediments[i] = w->particles.sediments[i];
        w->next.numbers[i] = w->particles.numbers[i];
        bad += is_bad(w, i, m->fastest2);
    }
    w->counts[piece] = bad;
}

rv_status rvi_sph_move(rvi_sph *w, float dt, float fastest2, double *bad) {
    moves m = {.w = w, .dt = dt, .fastest2 = fastest2};
    rv_status status = rvi_sph_each_piece(w, move_piece, &m);
    for (size_t i = 0; i * RVI_SPH_PIECE < w->count && status == RV_OK; i++)
        *bad += (double)w->counts[i];
    return status;
}

/* ---- Walls that move ---- */

/* Out of the rock through the nearest place; or away from a wall, by less than the distance. */
static void leave_wall(const rvi_sph *w, rvi_sph_walker *g, const rvi_touch *touch, bool inside) {
    if (!inside) {
        step_back(w, g, touch);
        return;
    }
    float by = touch->distance + 1.001f * w->rules.stop;
    for (int i = 0; i < 3; i++)
        g->path[i] = -by * touch->away[i];
    rvi_sph_go(&w->rules, g, 1);
    turn_aside(g->speed, (const float[3]){-touch->away[0], -touch->away[1], -touch->away[2]});
}

static bool get_out(const rvi_sph *w, rvi_sph_walker *g, bool jumped) {
    for (int move = 0; move < MOVES; move++) {
        rvi_touch touch;
        bool inside = jumped && rvi_wall_index_inside(&w->rock, g->at);
        float reach = inside ? w->rock.reach : w->rules.stop;
        if (!rvi_wall_index_nearest(&w->rock, g->at, reach, &touch))
            return !inside;
        leave_wall(w, g, &touch, inside);
    }
    return !rvi_sph_in_rock(w, g->at);
}

bool rvi_sph_push_out_one(rvi_sph *w, size_t i, bool jumped) {
    rvi_v4 at = w->particles.places[i], v = w->particles.speeds[i];
    rvi_sph_walker g = {.at = {at[0], at[1], at[2]}, .speed = {v[0], v[1], v[2]}};
    if (!get_out(w, &g, jumped))
        return false;
    w->particles.places[i] = (rvi_v4){g.at[0], g.at[1], g.at[2], 0};
    w->particles.speeds[i] = (rvi_v4){g.speed[0], g.speed[1], g.speed[2], 0};
    return true;
}
