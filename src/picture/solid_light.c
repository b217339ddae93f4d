/* solid_light.c: depth maps after L. Williams, Casting curved shadows on curved surfaces (1978);
 * soft shadows after R. Fernando, Percentage-closer soft shadows (2005): the farther away
 * what hides the light, the wider the edge of its shadow. */
#include "picture/solid_light.h"

#include "base/math.h"
#include "base/threads.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

enum { SUN_SIDE = 2048, SIDE = 192, BANDS = 8, TAPS = 8 };

#define SUN_WIDTH                                                                                  \
    0.021f /* half of it, as a tangent; larger than the true one, for softer shadows */
#define NOTHING 1e30f

/* ---- drawing ---- */

typedef struct drawing {
    const float (*corners)[3][3];
    size_t count;
    const float *cut;
    rvi_solid_light *light;
} drawing;

/* A face in a map: pixels, metres towards the light, metres beyond the cut. */
typedef struct shape {
    float x[3], y[3], z[3], out[3];
} shape;

static shape shape_of(const rvi_depth_map *m, const float at[3][3], const float *cut) {
    shape s;
    for (int k = 0; k < 3; k++) {
        s.x[k] = rvi_dot3f(at[k], m->right) * m->per + 0.5f * (float)m->side;
        s.y[k] = rvi_dot3f(at[k], m->up) * m->per + 0.5f * (float)m->side;
        s.z[k] = rvi_dot3f(at[k], m->to);
        s.out[k] = cut ? rvi_dot3f(at[k], cut) - cut[3] : -1;
    }
    return s;
}

/* Draws the part of a face that lies in rows top to end - 1. */
static void draw_face(const rvi_depth_map *m, const shape *s, int top, int end) {
    const float *x = s->x, *y = s->y;
    float area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    float low[2] = {rvi_minf(x[0], rvi_minf(x[1], x[2])), rvi_minf(y[0], rvi_minf(y[1], y[2]))};
    float high[2] = {rvi_maxf(x[0], rvi_maxf(x[1], x[2])), rvi_maxf(y[0], rvi_maxf(y[1], y[2]))};
    int left = rvi_maxi((int)(low[0] + 0.5f), 0), first = rvi_maxi((int)(low[1] + 0.5f), top);
    int right = rvi_mini((int)(high[0] + 0.5f), m->side),
        last = rvi_mini((int)(high[1] + 0.5f), end);
    if (area == 0)
        return;
    float per = 1 / area;
    /* Weights of the second and the third corner change evenly. */
    float bx = (y[2] - y[0]) * per, by = -(x[2] - x[0]) * per;
    float cx = -(y[1] - y[0]) * per, cy = (x[1] - x[0]) * per;
    float zb = s->z[1] - s->z[0], zc = s->z[2] - s->z[0];
    float ob = s->out[1] - s->out[0], oc = s->out[2] - s->out[0];
    for (int j = first; j < last; j++) {
        size_t row = (size_t)j * (size_t)m->side;
        for (int i = left; i < right; i++) {
            float dx = (float)i + 0.5f - x[0], dy = (float)j + 0.5f - y[0];
            float b = dx * bx + dy * by, c = dx * cx + dy * cy;
            /* A little over the edges, so that there are no gaps between faces. */
            if (b < -1e-3f || c < -1e-3f || b + c > 1.001f || s->out[0] + b * ob + c * oc > 0)
                continue;
            float z = s->z[0] + b * zb + c * zc;
            m->most[row + (size_t)i] = rvi_maxf(m->most[row + (size_t)i], z);
            if (m->least)
                m->least[row + (size_t)i] = rvi_minf(m->least[row + (size_t)i], z);
        }
    }
}

static void draw_rows(const drawing *d, const rvi_depth_map *m, int top, int end) {
    for (size_t i = (size_t)top * (size_t)m->side; i < (size_t)end * (size_t)m->side; i++) {
        m->most[i] = -NOTHING;
        if (m->least)
            m->least[i] = NOTHING;
    }
    for (size_t f = 0; f < d->count; f++) {
        shape s = shape_of(m, d->corners[f], d->cut);
        draw_face(m, &s, top, end);
    }
}

static void draw_block(void *arg, int64_t block) {
    const drawing *d = arg;
    if (block < BANDS) {
        int rows = SUN_SIDE / BANDS, top = (int)block * rows;
        draw_rows(d, &d->light->sun, top, top + rows);
    } else {
        draw_rows(d, &d->light->around[block - BANDS], 0, SIDE);
    }
}

static void aim(rvi_depth_map *m, const float to[3], int side, float radius) {
    /* A side of the map is across the light and an axis far from it. */
    int axis = fabsf(to[0]) < fabsf(to[1]) ? 0 : 1;
    float away[3] = {axis == 0, axis == 1, 0}, length = 0;
    for (int k = 0; k < 3; k++) {
        m->to[k] = to[k];
        m->right[k] = away[(k + 1) % 3] * to[(k + 2) % 3] - away[(k + 2) % 3] * to[(k + 1) % 3];
        length += m->right[k] * m->right[k];
    }
    for (int k = 0; k < 3; k++)
        m->right[k] /= sqrtf(length);
    for (int k = 0; k < 3; k++)
        m->up[k] =
            to[(k + 1) % 3] * m->right[(k + 2) % 3] - to[(k + 2) % 3] * m->right[(k + 1) % 3];
    m->side = side;
    m->per = 0.49f * (float)side / radius;
}

/* Directions on a spiral over the upper half of the sphere; each map also serves the opposite one.
 */
static void spread(rvi_solid_light *l, float radius) {
    for (int k = 0; k < RVI_AROUND; k++) {
        /* Neighbours in the list are far apart, so that every fourth direction is spread out, too.
         */
        int at = (k * 37) % RVI_AROUND;
        float z = ((float)at + 0.5f) / RVI_AROUND, flat = sqrtf(1 - z * z);
        float angle = (float)at * 2.39996323f;
        float to[3] = {flat * rvi_cosf(angle), flat * rvi_sinf(angle), z};
        aim(&l->around[k], to, SIDE, radius);
    }
    for (int k = 0; k < RVI_TURNS; k++) {
        float angle = (float)k * (float)(2 * RVI_PI / RVI_TURNS);
        l->turns[k][0] = rvi_cosf(angle);
        l->turns[k][1] = rvi_sinf(angle);
    }
}

size_t rvi_solid_light_memory(void) {
    return ((size_t)SUN_SIDE * SUN_SIDE + (size_t)2 * RVI_AROUND * SIDE * SIDE) * sizeof(float);
}

rv_status rvi_solid_light_create(rv_context *ctx, const float (*corners)[3][3], size_t count,
                                 float radius, const float *cut, const float sun[3],
                                 rvi_solid_light *l) {
    *l = (rvi_solid_light){.ctx = ctx, .width = SUN_WIDTH};
    l->memory = rvi_alloc(ctx, 1, rvi_solid_light_memory(), "the light of a picture");
    if (!l->memory)
        return RV_ERROR_MEMORY;
    radius = rvi_maxf(radius, 1e-20f);
    aim(&l->sun, sun, SUN_SIDE, radius);
    spread(l, radius);
    float *next = l->memory;
    l->sun.most = next;
    next += (size_t)SUN_SIDE * SUN_SIDE;
    for (int k = 0; k < RVI_AROUND; k++, next += (size_t)2 * SIDE * SIDE) {
        l->around[k].most = next;
        l->around[k].least = next + (size_t)SIDE * SIDE;
    }
    drawing d = {corners, count, cut, l};
    rv_status status = rvi_parallel(ctx, BANDS + RVI_AROUND, draw_block, &d);
    if (status != RV_OK)
        rvi_solid_light_destroy(l);
    return status;
}

void rvi_solid_light_destroy(rvi_solid_light *l) {
    if (l->ctx)
        rvi_free(l->ctx, l->memory);
    *l = (rvi_solid_light){0};
}

/* ---- sampling ---- */

/* A place in a map. */
typedef struct place {
    float x, y, z;
} place;

/* Moved off its own face by `off` pixels of a map. */
static void move_out(const rvi_depth_map *m, const float at[3], const float normal[3], float off,
                     float out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = at[k] + off / m->per * normal[k];
}

static place place_in(const rvi_depth_map *m, const float p[3]) {
    float middle = 0.5f * (float)m->side - 0.5f;
    return (place){rvi_dot3f(p, m->right) * m->per + middle, rvi_dot3f(p, m->up) * m->per + middle,
                   rvi_dot3f(p, m->to)};
}

/* Is nothing before the light at a pixel? */
static float free_at(const rvi_depth_map *m, int x, int y, float z, bool turned) {
    size_t i = (size_t)y * (size_t)m->side + (size_t)x;
    return turned ? (m->least[i] >= z) : (m->most[i] <= z);
}

/* Between the four pixels around a place. */
static float free_around(const rvi_depth_map *m, float x, float y, float z, bool turned) {
    if (!(x >= 0 && y >= 0 && x < (float)(m->side - 1) && y < (float)(m->side - 1)))
        return 1;
    int i = (int)x, j = (int)y;
    float u = x - (float)i, v = y - (float)j;
    float a = free_at(m, i, j, z, turned), b = free_at(m, i + 1, j, z, turned);
    float c = free_at(m, i, j + 1, z, turned), d = free_at(m, i + 1, j + 1, z, turned);
    float top = a + u * (b - a), low = c + u * (d - c);
    return top + v * (low - top);
}

void rvi_solid_open(const rvi_solid_light *l, const float at[3], const float normal[3], int first,
                    int step, float open[2]) {
    float out[3];
    move_out(&l->around[0], at, normal, 1.6f, out);
    for (int k = first; k < RVI_AROUND; k += step) {
        const rvi_depth_map *m = &l->around[k];
        float facing = rvi_dot3f(m->to, normal);
        bool turned = facing < 0;
        facing = turned ? -facing : facing;
        place p = place_in(m, out);
        open[0] += facing * free_around(m, p.x, p.y, p.z, turned);
        open[1] += facing;
    }
}

/* Places in a disc, from its middle outwards along a spiral. */
static const float DISC[TAPS][2] = {{0.2500f, 0.0000f},  {-0.3193f, 0.2925f},  {0.0489f, -0.5569f},
                                    {0.4025f, 0.5250f},  {-0.7385f, -0.1307f}, {0.6996f, -0.4451f},
                                    {-0.2343f, 0.8705f}, {-0.4459f, -0.8593f}};

static void turned_tap(const rvi_solid_light *l, int turn, int k, float out[2]) {
    const float *t = l->turns[turn];
    out[0] = t[0] * DISC[k][0] - t[1] * DISC[k][1];
    out[1] = t[1] * DISC[k][0] + t[0] * DISC[k][1];
}

float rvi_solid_sun(const rvi_solid_light *l, const float at[3], const float normal[3], int turn) {
    const rvi_depth_map *m = &l->sun;
    float out[3];
    move_out(m, at, normal, 1.5f, out);
    place p = place_in(m, out);
    if (!(p.x >= 0 && p.y >= 0 && p.x < (float)(m->side - 1) && p.y < (float)(m->side - 1)))
        return 1;
    /* How the face itself goes on beside the place, towards the sun. */
    float facing = rvi_maxf(rvi_dot3f(m->to, normal), 0.25f) * m->per;
    float slope[2] = {-rvi_dot3f(m->right, normal) / facing, -rvi_dot3f(m->up, normal) / facing};
    /* Nothing lies farther towards the sun than the radius. */
    float highest = 0.5f * (float)m->side / m->per;
    float reach = l->width * rvi_maxf(highest - p.z, 0) * m->per;
    float sum = 0, count = 0, tap[2];
    for (int k = 0; k < TAPS; k++) {
        turned_tap(l, turn, k, tap);
        float dx = reach * tap[0], dy = reach * tap[1];
        int x = (int)rvi_clampf(p.x + 0.5f + dx, 0, (float)(m->side - 1));
        int y = (int)rvi_clampf(p.y + 0.5f + dy, 0, (float)(m->side - 1));
        float above = m->most[(size_t)y * (size_t)m->side + (size_t)x] - p.z;
        if (above > rvi_maxf(0, dx * slope[0] + dy * slope[1])) {
            sum += above;
            count += 1;
        }
    }
    if (count == 0)
        return 1;
    float wide = rvi_maxf(l->width * sum / count * m->per, 0.75f), lit = 0;
    for (int k = 0; k < TAPS; k++) {
        turned_tap(l, turn, k, tap);
        float dx = wide * tap[0], dy = wide * tap[1];
        float z = p.z + rvi_maxf(0, dx * slope[0] + dy * slope[1]);
        lit += free_around(m, p.x + dx, p.y + dy, z, false);
    }
    return lit * (1.0f / TAPS);
}
