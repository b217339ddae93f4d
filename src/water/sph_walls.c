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

enum { MOST_WALLS = 6 + RVI_TOUCHES, MOVES = 16 };

/* In spacings: what a single move leaves of the distance. */
#define LEAVE 0.05f

typedef struct walls { /* all around a particle */
    float distance[MOST_WALLS], share[MOST_WALLS], away[MOST_WALLS][3];
    int count;
} walls;

static void add_wall(walls *a, float distance, float share, const float away[3]) {
    a->distance[a->count] = distance;
    a->share[a->count] = share;
    for (int i = 0; i < 3; i++)
        a->away[a->count][i] = away[i];
    a->count++;
}

/* Returns the distance to the nearest face, or `reach` where none is nearer. `face`: one of the
 * nearest. */
static float find_around(const rvi_sph *w, const float p[3], float reach, walls *a,
                         uint32_t *face) {
    a->count = 0;
    for (int i = 0; i < 3; i++) {
        float low[3] = {0}, high[3] = {0};
        low[i] = 1;
        high[i] = -1;
        if (p[i] < reach && !w->desc.open[i][0])
            add_wall(a, p[i], 1, low);
        if (w->size[i] - p[i] < reach && !w->desc.open[i][1])
            add_wall(a, w->size[i] - p[i], 1, high);
    }
    rvi_touch touches[RVI_TOUCHES];
    float shares[RVI_TOUCHES];
    int count = rvi_wall_index_around(&w->rock, p, &reach, touches, shares);
    *face = count > 0 ? touches[0].face : RVI_NO_FACE;
    for (int k = 0; k < count && a->count < MOST_WALLS; k++)
        add_wall(a, touches[k].distance, shares[k], touches[k].away);
    return reach;
}

/* The density of the rock and its gradient. */
static rvi_v4 complete(const rvi_sph *w, const walls *a) {
    float behind[MOST_WALLS], gradient[MOST_WALLS], water = 1;
    float deep = w->wall_reach - 0.5f * w->desc.spacing;
    for (int k = 0; k < a->count; k++) {
        float x = rvi_maxf((w->wall_reach - a->distance[k]) / deep, 0.0f),
              full = a->share[k] * w->missing_density;
        behind[k] = rvi_minf(full * x * x * x, 0.9f);
        gradient[k] = -3 / deep * full * x * x;
        water *= 1 - behind[k];
    }
    rvi_v4 out = {0, 0, 0, 1 - water};
    for (int k = 0; k < a->count; k++) {
        float others = gradient[k];
        for (int l = 0; l < a->count; l++)
            others *= l == k ? 1.0f : 1 - behind[l];
        out[0] += others * a->away[k][0];
        out[1] += others * a->away[k][1];
        out[2] += others * a->away[k][2];
    }
    return out;
}

/* The acceleration k^s d n - k^d (v . n) n of each wall (equation 6.1 of V. Skorkovska, 2012, with
 * the damping against the motion). */
static rvi_v4 penalty_of(const rvi_sph *w, const walls *a, rvi_v4 v) {
    rvi_v4 out = {0};
    for (int k = 0; k < a->count; k++) {
        const float *n = a->away[k];
        float deep = w->desc.penalty_reach - a->distance[k];
        if (deep <= 0)
            continue;
        float along = (v[0] * n[0] + v[1] * n[1]) + v[2] * n[2];
        float force = w->desc.penalty[0] * deep - w->desc.penalty[1] * along;
        out += force * (rvi_v4){n[0], n[1], n[2], 0};
    }
    return out;
}

static void walls_block(void *arg, int64_t block) {
    rvi_sph *w = arg;
    bool penalty = w->desc.wall == RVI_SPH_PENALTY;
    float reach = penalty ? w->desc.penalty_reach : w->wall_reach;
    size_t end = rvi_sph_block_end(w, block);
    for (size_t i = rvi_sph_block_begin(block); i < end; i++) {
        rvi_v4 at = w->particles.places[i];
        float p[3] = {at[0], at[1], at[2]};
        walls a;
        w->clearance[i] = find_around(w, p, reach, &a, &w->nearest_face[i]);
        w->wall_density[i] = penalty ? (rvi_v4){0} : complete(w, &a);
        w->wall_acceleration[i] = penalty ? penalty_of(w, &a, w->particles.speeds[i]) : (rvi_v4){0};
    }
}

rv_status rvi_sph_find_walls(rvi_sph *w) {
    return rvi_sph_each_block(w, walls_block, w);
}

/* How far from a side of the box particles stay: those at an open one leave. */
static float edge_of(const rvi_sph *w, int axis, int side) {
    return w->desc.open[axis][side] ? 0.0f : RVI_SPH_STOP * w->desc.spacing;
}

bool rvi_sph_in_rock(const rvi_sph *w, const float at[3]) {
    rvi_touch touch;
    for (int i = 0; i < 3; i++)
        if (!(at[i] >= edge_of(w, i, 0) && at[i] <= w->size[i] - edge_of(w, i, 1)))
            return true;
    if (w->rock.face_count == 0)
        return false;
    if (!rvi_wall_index_nearest(&w->rock, at, w->rock.reach, &touch))
        return rvi_wall_index_inside(&w->rock, at);
    if (touch.distance < RVI_SPH_STOP * w->desc.spacing)
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

typedef struct walker {
    float at[3], speed[3];
    float path[3]; /* m: what is left to go */
} walker;

/* Goes `share` of the path, but not out of the box. Where the box stops it, the path ends. */
static void go(const rvi_sph *w, walker *g, float share) {
    for (int i = 0; i < 3; i++) {
        float to = g->at[i] + share * g->path[i];
        float kept = rvi_clampf(to, edge_of(w, i, 0), w->size[i] - edge_of(w, i, 1));
        bool stops = !w->desc.open[i][kept < to];
        g->path[i] = kept == to ? g->path[i] * (1 - share) : 0.0f;
        if ((kept > to && g->speed[i] < 0) || (kept < to && g->speed[i] > 0))
            g->speed[i] = stops ? 0.0f : g->speed[i];
        g->at[i] = kept;
    }
}

/* Takes away the part of a vector that goes into the wall. */
static void turn_aside(float vector[3], const float away[3]) {
    float into = rvi_dot3f(vector, away);
    for (int i = 0; i < 3 && into < 0; i++)
        vector[i] -= into * away[i];
}

/* Away from the wall, by less than the distance to it. */
static void step_back(const rvi_sph *w, walker *g, const rvi_touch *touch) {
    float stop = RVI_SPH_STOP * w->desc.spacing;
    float by = rvi_minf(1.001f * stop - touch->distance, 0.9f * touch->distance);
    walker back = *g;
    for (int i = 0; i < 3; i++)
        back.path[i] = by * touch->away[i];
    go(w, &back, 1);
    for (int i = 0; i < 3; i++) {
        g->at[i] = back.at[i];
        g->speed[i] = back.speed[i];
    }
    turn_aside(g->path, touch->away);
    turn_aside(g->speed, touch->away);
}

static float path_length(const walker *g) {
    return rvi_length3f(g->path);
}

/* `clearance`: no face is nearer than that. A particle that finds no place stays where it was, at
 * rest. */
static void walk(const rvi_sph *w, walker *g, float clearance) {
    float stop = RVI_SPH_STOP * w->desc.spacing, leave = LEAVE * w->desc.spacing;
    if (path_length(g) <= clearance - stop) {
        go(w, g, 1);
        return;
    }
    walker stays = {.at = {g->at[0], g->at[1], g->at[2]}};
    for (int move = 0; move < MOVES; move++) {
        rvi_touch touch;
        bool near = rvi_wall_index_nearest(&w->rock, g->at, w->rock.reach, &touch);
        if (near && touch.distance < stop) {
            step_back(w, g, &touch);
            continue;
        }
        float length = path_length(g), free = (near ? touch.distance : w->rock.reach) - leave;
        if (length == 0)
            return;
        go(w, g, length <= free ? 1 : free / length);
        if (length <= free + leave - stop)
            return;
    }
    rvi_touch touch;
    if (rvi_wall_index_nearest(&w->rock, g->at, stop, &touch))
        *g = stays;
}

typedef struct moves {
    rvi_sph *w;
    float dt, stop;
    rvi_v4 low, high; /* between these no side of the box stops a particle */
} moves;

/* Most particles meet no wall. */
static bool meets_no_wall(const moves *m, rvi_v4 path, rvi_v4 to, float clearance) {
    rvi_m4 in = (to >= m->low) & (to <= m->high);
    float length = sqrtf((path[0] * path[0] + path[1] * path[1]) + path[2] * path[2]);
    return (in[0] & in[1] & in[2]) != 0 && length <= clearance - m->stop;
}

static void move_block(void *arg, int64_t block) {
    const moves *m = arg;
    rvi_sph *w = m->w;
    size_t end = rvi_sph_block_end(w, block);
    for (size_t i = rvi_sph_block_begin(block); i < end; i++) {
        rvi_v4 at = w->particles.places[i], v = w->predicted[i], path = m->dt * (v + w->shift[i]);
        rvi_v4 to = at + path;
        if (!meets_no_wall(m, path, to, w->clearance[i])) {
            walker g = {.at = {at[0], at[1], at[2]},
                        .speed = {v[0], v[1], v[2]},
                        .path = {path[0], path[1], path[2]}};
            walk(w, &g, w->clearance[i]);
            to = (rvi_v4){g.at[0], g.at[1], g.at[2], 0};
            v = (rvi_v4){g.speed[0], g.speed[1], g.speed[2], 0};
        }
        rvi_v4 gone = to - at;
        to[3] = v[3] = 0;
        w->next.places[i] = to;
        w->next.speeds[i] = v;
        w->clearance[i] -=
            1.001f * sqrtf((gone[0] * gone[0] + gone[1] * gone[1]) + gone[2] * gone[2]);
        w->next.ages[i] = w->particles.ages[i] + m->dt;
        w->next.sediments[i] = w->particles.sediments[i];
        w->next.numbers[i] = w->particles.numbers[i];
    }
}

rv_status rvi_sph_move(rvi_sph *w, float dt) {
    moves m = {.w = w, .dt = dt, .stop = RVI_SPH_STOP * w->desc.spacing};
    for (int i = 0; i < 3; i++) {
        m.low[i] = edge_of(w, i, 0);
        m.high[i] = w->size[i] - edge_of(w, i, 1);
    }
    return rvi_sph_each_block(w, move_block, &m);
}

/* ---- Walls that move ---- */

/* Out of the rock through the nearest place; or away from a wall, by less than the distance. */
static void leave_wall(const rvi_sph *w, walker *g, const rvi_touch *touch, bool inside) {
    if (!inside) {
        step_back(w, g, touch);
        return;
    }
    float by = touch->distance + 1.001f * RVI_SPH_STOP * w->desc.spacing;
    for (int i = 0; i < 3; i++)
        g->path[i] = -by * touch->away[i];
    go(w, g, 1);
    turn_aside(g->speed, (const float[3]){-touch->away[0], -touch->away[1], -touch->away[2]});
}

static bool get_out(const rvi_sph *w, walker *g, bool jumped) {
    for (int move = 0; move < MOVES; move++) {
        rvi_touch touch;
        bool inside = jumped && rvi_wall_index_inside(&w->rock, g->at);
        float reach = inside ? w->rock.reach : RVI_SPH_STOP * w->desc.spacing;
        if (!rvi_wall_index_nearest(&w->rock, g->at, reach, &touch))
            return !inside;
        leave_wall(w, g, &touch, inside);
    }
    return !rvi_sph_in_rock(w, g->at);
}

bool rvi_sph_push_out_one(rvi_sph *w, size_t i, bool jumped) {
    rvi_v4 at = w->particles.places[i], v = w->particles.speeds[i];
    walker g = {.at = {at[0], at[1], at[2]}, .speed = {v[0], v[1], v[2]}};
    if (!get_out(w, &g, jumped))
        return false;
    w->particles.places[i] = (rvi_v4){g.at[0], g.at[1], g.at[2], 0};
    w->particles.speeds[i] = (rvi_v4){g.speed[0], g.speed[1], g.speed[2], 0};
    return true;
}
