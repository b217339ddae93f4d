/* solid_view.c: what each ray meets, in the light of sun and sky.
 *
 *     light = sun lit max(0, n l) + open^2 sky(n) + what comes back from floor and rock
 *
 * `lit` and `open` come from depth maps (solid_light.c). Each pixel samples few places of them, and
 * each of the 16 pixels of a square samples others; the mean over a square, as far as it lies on
 * the same surface, has them all. Water reflects by Fresnel's law (C. Schlick, 1994), bends rays,
 * and shows what is below through e^(-k path).
 *
 * Each pixel gets one ray; where it differs from a neighbour, four more.
 */
#include "picture/solid_view.h"

#include "base/math.h"
#include "base/threads.h"
#include "base/vector.h"
#include "picture/camera.h"
#include "picture/solid_faces.h"
#include "picture/solid_light.h"
#include "picture/solid_tree.h"
#include "picture/solid_water.h"
#include "picture/tone_map.h"

#include <math.h>

enum { SHARES = 16 }; /* a pixel samples one of so many directions */

#define DEGREE ((float)(RVI_PI / 180))
#define FARTHEST 1e6f /* times the size of the scene */

/* What a ray met; faces are counted from 0. */
#define SKY RVI_NO_FACE
#define FLOOR (RVI_NO_FACE - 1)
#define SECTION (RVI_NO_FACE - 2)

typedef struct seen {
    uint32_t face;
    float t, second, third;
    float water; /* where the ray enters water; t: nowhere before */
} seen;

typedef struct scene {
    rv_context *ctx;
    const rvi_solid_view *view;
    int width, height;
    rvi_palette palette;
    rvi_tone_map tones;
    rvi_detail_noise detail;
    rvi_camera camera; /* its world is east, south, up, in metres from the middle */
    float from[3];     /* the camera in the world of meshes, as all below */
    double middle[3];  /* of the world */
    float radius;      /* of the ball around everything */
    float wide;        /* the longer level side */
    float floor;       /* its height, when there is one */
    bool has_floor;
    float cut[4];
    float sun[3];
    float pixel; /* the width of a pixel a metre away */
    float haze;
    float deep; /* metres of water in which little light is left */
    rvi_solid_faces faces;
    rvi_tree tree;
    rvi_solid_light light;
    rvi_pond pond;
    float (*screen)[3][2]; /* corners of faces in pixels, for lines; NULL: none are drawn */
    float lines[12][6];    /* edges of the box: x, y, 1 / depth at both ends */
    seen *seen;            /* of each pixel */
    float (*places)[6];    /* at, normal: what is there, sky left out */
    float (*asked)[3];     /* open light, light without shadows, sun */
    float (*got)[2];       /* open, lit: means over squares */
    rvi_colour *colours;
    unsigned char *rgb;
} scene;

/* A place that light falls on. */
typedef struct spot {
    float at[3], normal[3];
    float tint[4];
    float far; /* metres from the camera */
    uint32_t face;
} spot;

static void along_at(const float from[3], const float along[3], float t, float out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = from[k] + t * along[k];
}

static void scaled_to_1(float v[3]) {
    float length = rvi_length3f(v);
    for (int k = 0; k < 3 && length > 0; k++)
        v[k] /= length;
}

/* The sky's world has south where that of meshes has north. */
static rvi_colour sky_at(const scene *s, const float along[3]) {
    float to[3] = {along[0], -along[1], along[2]};
    rvi_colour out;
    rvi_sky_at(&s->palette.sky, to, out.v);
    return out;
}

/* ---- rays ---- */

static void look_through(const scene *s, double x, double y, float along[3]) {
    double to[3];
    rvi_camera_look(&s->camera, x, y, to);
    along[0] = (float)to[0];
    along[1] = (float)-to[1];
    along[2] = (float)to[2];
}

/* What the cut leaves of a ray. */
static void leave_cut(const scene *s, const float from[3], const float along[3], float *near,
                      float *far) {
    if (!s->view->clipped)
        return;
    float inside = s->cut[3] - rvi_dot3f(s->cut, from), speed = rvi_dot3f(s->cut, along);
    if (speed > 0)
        *far = rvi_minf(*far, inside / speed);
    else if (speed < 0)
        *near = rvi_maxf(*near, inside / speed);
    else if (inside < 0)
        *far = *near;
}

/* A ray and what it met among the faces become what is seen. */
static seen make_seen(const scene *s, const float from[3], const float along[3], float near,
                      float far, const rvi_meets *m, int lane) {
    seen out = {SKY, FARTHEST * s->radius, 0, 0, 0};
    uint32_t face = m->face[lane];
    if (face != RVI_NO_FACE) {
        /* Seen from behind right after the cut: the cut went through rock. */
        bool section = s->view->clipped && near > 0 && rvi_dot3f(s->faces.flat[face], along) > 0;
        out = section ? (seen){SECTION, near, 0, 0, 0}
                      : (seen){face, m->t[lane], m->second[lane], m->third[lane], 0};
    }
    if (s->has_floor && along[2] < -1e-6f) {
        float t = (s->floor - from[2]) / along[2];
        if (t > 0 && t < out.t)
            out = (seen){FLOOR, t, 0, 0, 0};
    }
    out.water = rvi_pond_enter(&s->pond, from, along, near, rvi_minf(out.t, far));
    out.water = out.water < rvi_minf(out.t, far) ? out.water : out.t;
    return out;
}

/* Four rays from one place. */
static void see_four(const scene *s, const float from[3], const float along[4][3], seen out[4]) {
    rvi_rays r;
    float near[4], far[4];
    for (int k = 0; k < 3; k++) {
        r.from[k] = rvi_v4_all(from[k]);
        r.along[k] = (rvi_v4){along[0][k], along[1][k], along[2][k], along[3][k]};
    }
    for (int i = 0; i < 4; i++) {
        near[i] = 0;
        far[i] = FARTHEST * s->radius;
        leave_cut(s, from, along[i], &near[i], &far[i]);
    }
    r.near = rvi_v4_load(near);
    r.far = rvi_v4_load(far);
    rvi_meets m = rvi_tree_trace(&s->tree, &r);
    for (int i = 0; i < 4; i++)
        out[i] = make_seen(s, from, along[i], near[i], far[i], &m, i);
}

/* One ray within the scene, without its water. */
static seen see_one(const scene *s, const float from[3], const float along[3]) {
    rvi_rays r = {.near = {1e-5f * s->radius, 1, 1, 1}};
    float far = FARTHEST * s->radius, near = 0;
    leave_cut(s, from, along, &near, &far);
    for (int k = 0; k < 3; k++) {
        r.from[k] = rvi_v4_all(from[k]);
        r.along[k] = rvi_v4_all(along[k]);
    }
    r.far = (rvi_v4){far, 0, 0, 0};
    rvi_meets m = rvi_tree_trace(&s->tree, &r);
    seen out = {SKY, FARTHEST * s->radius, 0, 0, 0};
    if (m.face[0] != RVI_NO_FACE)
        out = (seen){m.face[0], m.t[0], m.second[0], m.third[0], 0};
    if (s->has_floor && along[2] < -1e-6f) {
        float t = (s->floor - from[2]) / along[2];
        if (t > 0 && t < out.t)
            out = (seen){FLOOR, t, 0, 0, 0};
    }
    out.water = out.t;
    return out;
}

static spot spot_of(const scene *s, const seen *p, const float from[3], const float along[3]) {
    spot out = {.far = p->t, .face = p->face};
    along_at(from, along, p->t, out.at);
    if (p->face == SECTION) {
        memcpy(out.normal, s->cut, sizeof out.normal);
        return out;
    }
    if (p->face == FLOOR) {
        out.normal[2] = 1;
        return out;
    }
    /* A face that is looked at from behind shows its other side. */
    float side = rvi_dot3f(s->faces.flat[p->face], along) > 0 ? -1 : 1;
    float w[3] = {side * (1 - p->second - p->third), side * p->second, side * p->third};
    const float(*n)[3] = (const float(*)[3])s->faces.normals[p->face];
    for (int i = 0; i < 3; i++)
        out.normal[i] = w[0] * n[0][i] + w[1] * n[1][i] + w[2] * n[2][i];
    scaled_to_1(out.normal);
    for (int c = 0; s->faces.tints && c < 4; c++)
        for (int k = 0; k < 3; k++)
            out.tint[c] += side * w[k] * s->faces.tints[p->face][k][c];
    return out;
}

/* ---- light ---- */

/* What water leaves of the sun. */
static float through_water(const scene *s, const spot *p) {
    float near = 0, far = 4 * s->radius;
    leave_cut(s, p->at, s->sun, &near, &far);
    float path = rvi_pond_path(&s->pond, p->at, s->sun, near, far);
    return path > 0 ? 0.45f + 0.55f * rvi_expf(-2 * path / s->deep) : 1;
}

/* From few places of the maps, by the pixel's place in its square. */
static void ask(const scene *s, const spot *p, int x, int y, float out[3]) {
    static const unsigned char order[4][4] = {
        {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    int turn = order[y & 3][x & 3];
    float open[2] = {0, 0};
    rvi_solid_open(&s->light, p->at, p->normal, turn % SHARES, SHARES, open);
    out[0] = open[0];
    out[1] = open[1];
    out[2] =
        rvi_dot3f(p->normal, s->sun) > 0 ? rvi_solid_sun(&s->light, p->at, p->normal, turn) : 0;
    out[2] *= out[2] > 0 ? through_water(s, p) : 1;
}

/* From every `step`th direction, with `turns` ways to look at the sun. */
static void ask_some(const scene *s, const spot *p, int step, int turns, float got[2]) {
    float open[2] = {0, 1e-6f}, lit = 0;
    rvi_solid_open(&s->light, p->at, p->normal, 0, step, open);
    for (int k = 0; k < turns && rvi_dot3f(p->normal, s->sun) > 0; k++)
        lit += rvi_solid_sun(&s->light, p->at, p->normal, k * (RVI_TURNS / turns));
    got[0] = open[0] / open[1];
    got[1] = lit / (float)turns;
}

static rvi_colour light_on(const scene *s, const spot *p, const float got[2]) {
    float normal[3] = {p->normal[0], -p->normal[1], p->normal[2]};
    rvi_colour out;
    rvi_sky_light(&s->palette.sky, s->palette.floor, normal, got[1], got[0], out.v);
    return out;
}

/* ---- what things look like ---- */

/* Noise in space from noise in three planes, weighted by how much the surface lies in each. */
static float noise_at(const scene *s, const spot *p, float size, int octaves) {
    float sum = 0, weights = 0;
    for (int k = 0; k < 3; k++) {
        float w = p->normal[k] * p->normal[k];
        if (w < 0.05f)
            continue;
        float x = p->at[(k + 1) % 3] / size + 7.3f * (float)k,
              y = p->at[(k + 2) % 3] / size + 3.1f * (float)k;
        sum += w * rvi_detail_noise_sum(&s->detail, x, y, octaves, 0.5f);
        weights += w;
    }
    return sum / weights;
}

static void mix(float to[3], const float from[3], float share) {
    for (int c = 0; c < 3; c++)
        to[c] += share * (from[c] - to[c]);
}

static bool natural(const scene *s) {
    return s->view->look == RVI_LOOK_ALPINE || s->view->look == RVI_LOOK_DESERT;
}

static bool own_colour(const scene *s, const spot *p, float rgb[3]) {
    const double at[3] = {s->middle[0] + (double)p->at[0], s->middle[1] + (double)p->at[1],
                          s->middle[2] + (double)p->at[2]};
    return s->view->colour_at != NULL && s->view->colour_at(s->view->user, at, rgb);
}

/* The colour of the palette. */
static rvi_colour stone_colour(const scene *s, const spot *p) {
    rvi_colour out;
    const rvi_cover_rules none = {0};
    float blur = p->far * s->pixel;
    if (p->face == SECTION) {
        float bend = noise_at(s, p, 0.6f * s->radius, 2);
        float bands = rvi_palette_bands(&none, 0, 0, p->at[2], s->radius / 9, bend, blur);
        memcpy(out.v, s->palette.cut[0], sizeof out.v);
        mix(out.v, s->palette.cut[1], rvi_clampf(0.5f + 0.5f * bands, 0, 1));
    } else if (natural(s)) {
        rvi_cover cover = {.weight = {[RVI_COVER_ROCK] = 1}};
        cover.patch = noise_at(s, p, 0.22f * s->radius, 2);
        cover.fine = noise_at(s, p, 0.035f * s->radius, 2);
        float bands =
            rvi_palette_bands(&none, 0, 0, p->at[2], s->radius / 16, 0.5f * cover.patch, blur);
        cover.patch *= 0.6f;
        cover.fine *= 0.5f;
        rvi_palette_ground(&s->palette, &cover, bands, out.v);
    } else {
        bool map = s->view->look == RVI_LOOK_MAP;
        memcpy(out.v, map ? s->palette.cut[1] : s->palette.rock[0], sizeof out.v);
    }
    return out;
}

static rvi_colour rock_colour(const scene *s, const spot *p) {
    rvi_colour out;
    if (!own_colour(s, p, out.v))
        out = stone_colour(s, p);
    mix(out.v, p->tint, p->tint[3]);
    return out;
}

/* The floor fades into the sky at the horizon. */
static rvi_colour shade_floor(const scene *s, const spot *p, const float along[3],
                              const float got[2]) {
    rvi_colour out = light_on(s, p, got);
    float level[3] = {along[0], along[1], 0};
    rvi_colour sky = sky_at(s, level);
    float rest = rvi_maxf(0, p->far - (float)s->camera.nearest) / s->wide;
    float keep = rvi_expf(-0.30f * rest);
    for (int c = 0; c < 3; c++)
        out.v[c] = s->palette.floor[c] * out.v[c] * keep + sky.v[c] * (1 - keep);
    return out;
}

static void through_air(const scene *s, const float along[3], float far, rvi_colour *c) {
    float keep = rvi_expf(-s->haze * rvi_maxf(0, far - (float)s->camera.nearest));
    float level[3] = {along[0], along[1], 0};
    mix(c->v, sky_at(s, level).v, 1 - keep);
}

/* Rock, cut or floor. */
static rvi_colour shade_ground(const scene *s, const spot *p, const float along[3],
                               const float got[2]) {
    if (p->face == FLOOR)
        return shade_floor(s, p, along, got);
    rvi_colour out = rock_colour(s, p), light = light_on(s, p, got);
    for (int c = 0; c < 3; c++)
        out.v[c] *= light.v[c];
    return out;
}

/* How dark the lines of edges make a place. */
static float lines_at(const scene *s, const seen *p, double x, double y) {
    if (!s->screen || p->face >= SECTION)
        return 0;
    const float(*at)[2] = (const float(*)[2])s->screen[p->face];
    float least = 1e30f;
    for (int k = 0; k < 3; k++) {
        const float *a = at[k], *b = at[(k + 1) % 3];
        float dx = b[0] - a[0], dy = b[1] - a[1], length = sqrtf(dx * dx + dy * dy);
        float off = fabsf(dx * ((float)y - a[1]) - dy * ((float)x - a[0]));
        least = rvi_minf(least, off / rvi_maxf(length, 1e-6f));
    }
    return 0.55f * rvi_clampf(1.1f - least, 0, 1);
}

/* ---- water ---- */

/* What a ray meets after it left the surface of water; light is sampled more or less often. */
static rvi_colour glance(const scene *s, const float from[3], const float along[3], int step,
                         int turns, float *far) {
    seen p = see_one(s, from, along);
    *far = p.t;
    if (p.face == SKY)
        return sky_at(s, along);
    spot there = spot_of(s, &p, from, along);
    float got[2];
    ask_some(s, &there, step, turns, got);
    return shade_ground(s, &there, along, got);
}

static void bend(const float along[3], const float normal[3], float cosine, float out[3]) {
    const float ratio = 1 / 1.333f;
    float inner = sqrtf(rvi_maxf(0, 1 - ratio * ratio * (1 - cosine * cosine)));
    for (int k = 0; k < 3; k++)
        out[k] = ratio * along[k] + (ratio * cosine - inner) * normal[k];
    scaled_to_1(out);
}

static rvi_colour in_water(const scene *s, const float at[3], const float along[3],
                           const rvi_colour *light) {
    float mud = s->pond.mud ? rvi_clampf(rvi_pond_at(&s->pond, s->pond.mud, at), 0, 1) : 0;
    float far;
    rvi_colour below = glance(s, at, along, 4, 2, &far);
    float path = rvi_pond_path(&s->pond, at, along, 0, far) / s->deep;
    static const float takes[3] = {1.9f, 0.72f, 0.50f}, muddy[3] = {1.6f, 2.2f, 3.2f};
    static const float brown[3] = {0.16f, 0.105f, 0.055f};
    for (int c = 0; c < 3; c++) {
        float keep = rvi_expf(-(takes[c] + 2 * mud * (muddy[c] - takes[c])) * path);
        float body = s->palette.water[c] + mud * (brown[c] - s->palette.water[c]);
        below.v[c] = below.v[c] * keep + body * light->v[c] * (1 - keep);
    }
    return below;
}

static rvi_colour shade_water(const scene *s, const seen *p, const float from[3],
                              const float along[3]) {
    spot top = {.far = p->water};
    along_at(from, along, p->water, top.at);
    float beyond = s->view->clipped ? rvi_dot3f(s->cut, top.at) - s->cut[3] : -1;
    if (beyond > -1e-3f * s->pond.cell)
        memcpy(top.normal, s->cut, sizeof top.normal);
    else
        rvi_pond_normal(&s->pond, top.at, top.normal);
    float cosine = rvi_clampf(-rvi_dot3f(along, top.normal), 0.02f, 1), got[2];
    float grazing = 1 - cosine, squared = grazing * grazing;
    float mirrors = 0.02f + 0.98f * squared * squared * grazing;
    float inside[3], mirrored[3], far;
    bend(along, top.normal, cosine, inside);
    for (int k = 0; k < 3; k++)
        mirrored[k] = along[k] + 2 * cosine * top.normal[k];
    scaled_to_1(mirrored);
    ask_some(s, &top, 8, 1, got);
    rvi_colour light = light_on(s, &top, got);
    rvi_colour out = in_water(s, top.at, inside, &light);
    rvi_colour over = glance(s, top.at, mirrored, 8, 1, &far);
    float foam = s->pond.foam ? rvi_clampf(rvi_pond_at(&s->pond, s->pond.foam, top.at), 0, 1) : 0;
    float glint = rvi_maxf(0, rvi_dot3f(mirrored, s->sun));
    for (int k = 0; k < 7; k++)
        glint *= glint;
    for (int c = 0; c < 3; c++) {
        out.v[c] += foam * (0.75f * light.v[c] - out.v[c]);
        out.v[c] += mirrors * (over.v[c] - out.v[c]);
        out.v[c] += (1 - foam) * 0.6f * glint * got[1] * s->palette.sky.sunlight[c];
    }
    return out;
}

/* ---- pixels ---- */

static rvi_colour shade(const scene *s, const seen *p, const float along[3], const float got[2],
                        double x, double y) {
    rvi_colour out;
    if (p->water < p->t) {
        out = shade_water(s, p, s->from, along);
        through_air(s, along, p->water, &out);
    } else if (p->face == SKY) {
        out = sky_at(s, along);
    } else {
        spot there = spot_of(s, p, s->from, along);
        out = shade_ground(s, &there, along, got);
        static const float dark[3] = {0.01f, 0.01f, 0.012f};
        mix(out.v, dark, lines_at(s, p, x, y));
        if (p->face != FLOOR)
            through_air(s, along, p->t, &out);
    }
    return rvi_tone_map_apply(&s->tones, out);
}

/* The edges of the box, in front of what is seen. */
static void draw_frame(const scene *s, const seen *p, double x, double y, rvi_colour *c) {
    if (!s->view->frame)
        return;
    float along[3], cover = 0;
    look_through(s, x, y, along);
    const double *f = s->camera.forward;
    float ahead = (along[0] * (float)f[0] - along[1] * (float)f[1]) + along[2] * (float)f[2];
    float far = (p->water < p->t ? p->water : p->t) * ahead + 2e-3f * s->radius;
    for (int k = 0; k < 12; k++) {
        const float *l = s->lines[k];
        float dx = l[3] - l[0], dy = l[4] - l[1], px = (float)x - l[0], py = (float)y - l[1];
        float part = rvi_clampf((px * dx + py * dy) / rvi_maxf(dx * dx + dy * dy, 1e-6f), 0, 1);
        float ox = px - part * dx, oy = py - part * dy, off = sqrtf(ox * ox + oy * oy);
        /* Along a line in the picture it is 1 / depth that changes evenly. */
        float per = l[2] + part * (l[5] - l[2]);
        if (per * far > 1)
            cover = rvi_maxf(cover, 0.5f * rvi_clampf(1.2f - off, 0, 1));
    }
    static const float dark[3] = {0.03f, 0.035f, 0.045f};
    mix(c->v, dark, cover);
}

static void see_rows(void *arg, int first, int end) {
    const scene *s = arg;
    for (int y = first; y < end; y += 2)
        for (int x = 0; x < s->width; x += 2) {
            float along[4][3];
            seen four[4];
            for (int k = 0; k < 4; k++)
                look_through(s, x + (k & 1) + 0.5, y + (k >> 1) + 0.5, along[k]);
            see_four(s, s->from, (const float(*)[3])along, four);
            for (int k = 0; k < 4; k++) {
                int px = x + (k & 1), py = y + (k >> 1);
                if (px >= s->width || py >= end)
                    continue;
                size_t i = (size_t)py * (size_t)s->width + (size_t)px;
                s->seen[i] = four[k];
                if (four[k].face == SKY)
                    continue;
                spot p = spot_of(s, &four[k], s->from, along[k]);
                memcpy(s->places[i], p.at, sizeof p.at);
                memcpy(s->places[i] + 3, p.normal, sizeof p.normal);
                ask(s, &p, px, py, s->asked[i]);
            }
        }
}

/* Does a pixel show the same smooth surface as a place of `face`? */
static bool alike(const scene *s, const float place[6], uint32_t face, float size, size_t pixel) {
    uint32_t other = s->seen[pixel].face;
    if (face == other)
        return true;
    if (face >= SECTION || other >= SECTION)
        return false;
    const float *there = s->places[pixel], *normal = place + 3;
    float way[3] = {there[0] - place[0], there[1] - place[1], there[2] - place[2]};
    return fabsf(rvi_dot3f(way, normal)) < 3 * size && rvi_dot3f(there + 3, normal) > 0.8f;
}

/* The mean over a square: each of its 16 places has the same weight in five by five pixels whose
 * outer ones count half. */
static void gather(const scene *s, int x, int y, float got[2]) {
    size_t i = (size_t)y * (size_t)s->width + (size_t)x;
    const seen *here = &s->seen[i];
    float open[2] = {0, 1e-6f}, lit = 0, weights = 1e-6f;
    if (here->face == SKY)
        return;
    for (int py = rvi_maxi(y - 2, 0); py <= rvi_mini(y + 2, s->height - 1); py++)
        for (int px = rvi_maxi(x - 2, 0); px <= rvi_mini(x + 2, s->width - 1); px++) {
            size_t j = (size_t)py * (size_t)s->width + (size_t)px;
            if (!alike(s, s->places[i], here->face, here->t * s->pixel, j))
                continue;
            float w =
                (px - x == 2 || x - px == 2 ? 0.5f : 1) * (py - y == 2 || y - py == 2 ? 0.5f : 1);
            open[0] += w * s->asked[j][0];
            open[1] += w * s->asked[j][1];
            lit += w * s->asked[j][2];
            weights += w;
        }
    got[0] = open[0] / open[1];
    got[1] = lit / weights;
}

static void shade_rows(void *arg, int first, int end) {
    const scene *s = arg;
    for (int y = first; y < end; y++)
        for (int x = 0; x < s->width; x++) {
            size_t i = (size_t)y * (size_t)s->width + (size_t)x;
            float along[3];
            gather(s, x, y, s->got[i]);
            look_through(s, x + 0.5, y + 0.5, along);
            s->colours[i] = shade(s, &s->seen[i], along, s->got[i], x + 0.5, y + 0.5);
        }
}

static int kind_of(const seen *p) {
    int kind = p->face == SKY ? 3 : p->face == FLOOR ? 2 : p->face == SECTION ? 1 : 0;
    return 2 * kind + (p->water < p->t);
}

static bool at_edge(const scene *s, int x, int y) {
    size_t i = (size_t)y * (size_t)s->width + (size_t)x;
    for (int k = 0; k < 4; k++) {
        int px = x + (k == 0) - (k == 1), py = y + (k == 2) - (k == 3);
        if (px < 0 || py < 0 || px >= s->width || py >= s->height)
            continue;
        size_t j = (size_t)py * (size_t)s->width + (size_t)px;
        if (kind_of(&s->seen[i]) != kind_of(&s->seen[j]) ||
            rvi_colours_differ(&s->colours[i], &s->colours[j]))
            return true;
    }
    return false;
}

/* The light of the nearest pixel around that shows the same surface. */
static void borrow(const scene *s, const spot *p, int x, int y, float got[2]) {
    float place[6];
    memcpy(place, p->at, sizeof p->at);
    memcpy(place + 3, p->normal, sizeof p->normal);
    for (int k = 0; k < 9; k++) {
        /* The pixel itself comes first. */
        int px = x + (k + 4) % 9 % 3 - 1, py = y + (k + 4) % 9 / 3 - 1;
        if (px < 0 || py < 0 || px >= s->width || py >= s->height)
            continue;
        size_t j = (size_t)py * (size_t)s->width + (size_t)px;
        if (s->seen[j].face != SKY && alike(s, place, p->face, p->far * s->pixel, j)) {
            got[0] = s->got[j][0];
            got[1] = s->got[j][1];
            return;
        }
    }
    ask_some(s, p, 2, 4, got);
}

/* Four more rays. */
static rvi_colour refine(const scene *s, int x, int y, rvi_colour sum) {
    static const double at[4][2] = {{0.375, 0.125}, {0.875, 0.375}, {0.625, 0.875}, {0.125, 0.625}};
    float along[4][3];
    seen four[4];
    for (int k = 0; k < 4; k++)
        look_through(s, x + at[k][0], y + at[k][1], along[k]);
    see_four(s, s->from, (const float(*)[3])along, four);
    for (int k = 0; k < 4; k++) {
        float got[2] = {1, 1};
        if (four[k].face != SKY && !(four[k].water < four[k].t)) {
            spot p = spot_of(s, &four[k], s->from, along[k]);
            borrow(s, &p, x, y, got);
        }
        rvi_colour c = shade(s, &four[k], along[k], got, x + at[k][0], y + at[k][1]);
        for (int i = 0; i < 3; i++)
            sum.v[i] += c.v[i];
    }
    for (int i = 0; i < 3; i++)
        sum.v[i] *= 0.2f;
    return sum;
}

static void put_rows(void *arg, int first, int end) {
    const scene *s = arg;
    for (int y = first; y < end; y++)
        for (int x = 0; x < s->width; x++) {
            size_t i = (size_t)y * (size_t)s->width + (size_t)x;
            rvi_colour c = s->colours[i];
            if (at_edge(s, x, y))
                c = refine(s, x, y, c);
            draw_frame(s, &s->seen[i], x + 0.5, y + 0.5, &c);
            rvi_tone_map_put(&s->tones, x, y, &c, s->rgb + 3 * i);
        }
}

/* ---- the scene ---- */

static void hold(double low[3], double high[3], const double at[3]) {
    bool somewhere = fabs(at[0]) < 1e18 && fabs(at[1]) < 1e18 && fabs(at[2]) < 1e18;
    for (int k = 0; k < 3 && somewhere; k++) {
        low[k] = at[k] < low[k] ? at[k] : low[k];
        high[k] = at[k] > high[k] ? at[k] : high[k];
    }
}

/* The box around everything; a unit box where there is nothing. */
static void find_box(const rvi_solid_mesh *meshes, size_t count, const rvi_solid_water *w,
                     double low[3], double high[3]) {
    for (int k = 0; k < 3; k++) {
        low[k] = 1e300;
        high[k] = -1e300;
    }
    for (size_t m = 0; m < count; m++)
        for (size_t f = 0; f < meshes[m].face_count; f++)
            for (size_t k = 0; k < 3 && rvi_solid_face_there(&meshes[m], f); k++)
                hold(low, high, meshes[m].points + 3 * (size_t)meshes[m].corners[3 * f + k]);
    for (size_t i = 0; w && w->spacing > 0 && i < w->count; i++) {
        double at[3];
        for (size_t k = 0; k < 3; k++)
            at[k] = w->origin[k] + (double)w->places[i * w->stride + k];
        hold(low, high, at);
    }
    for (int k = 0; k < 3; k++)
        if (!(low[k] <= high[k])) {
            low[k] = -0.5;
            high[k] = 0.5;
        }
}

/* The middle, and how far the scene goes around it. */
static void find_place(scene *s, const double low[3], const double high[3],
                       const double shown[2][3]) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        s->middle[k] = 0.5 * (low[k] + high[k]);
        square += (high[k] - s->middle[k]) * (high[k] - s->middle[k]);
    }
    s->radius = rvi_maxf((float)sqrt(square), 1e-12f);
    s->wide = rvi_maxf((float)(shown[1][0] - shown[0][0]), (float)(shown[1][1] - shown[0][1]));
    s->wide = rvi_maxf(s->wide, 0.1f * s->radius);
    double floor = low[2] < shown[0][2] ? low[2] : shown[0][2];
    s->floor = (float)(floor - s->middle[2]) - 1e-4f * s->radius;
}

static void place_camera(scene *s, const double shown[2][3]) {
    const rvi_solid_view *v = s->view;
    rvi_shot shot = {.width = v->width,
                     .height = v->height,
                     .azimuth = isnan(v->azimuth) ? 213 : v->azimuth,
                     .elevation = isnan(v->elevation) ? 24 : v->elevation,
                     .distance = isnan(v->distance) ? 1 : v->distance,
                     .fov = isnan(v->fov) ? 30 : v->fov,
                     .z = 1};
    shot.elevation = rvi_clampf(shot.elevation, -89.9f, 89.9f);
    shot.fov = rvi_clampf(shot.fov, 0.1f, 170);
    shot.distance = rvi_maxf(shot.distance, 0);
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = shown[0][k] - s->middle[k];
        high[k] = shown[1][k] - s->middle[k];
    }
    double south[2] = {-high[1], -low[1]};
    low[1] = south[0];
    high[1] = south[1];
    s->camera = rvi_camera_around(low, high, &shot);
    s->has_floor = shot.elevation >= 0;
    if (s->has_floor) {
        double least = (double)(s->floor + 0.01f * s->radius);
        s->camera.from[2] = s->camera.from[2] < least ? least : s->camera.from[2];
    }
    s->pixel = (float)(2 * s->camera.tangent / v->height);
    s->from[0] = (float)s->camera.from[0];
    s->from[1] = (float)-s->camera.from[1];
    s->from[2] = (float)s->camera.from[2];
    float sun = isnan(v->sun_azimuth) ? shot.azimuth + 62 : v->sun_azimuth;
    float altitude = isnan(v->sun_altitude) ? s->palette.sun_altitude + 16 : v->sun_altitude;
    rvi_sky_place_sun(&s->palette.sky, sun, altitude);
    s->sun[0] = s->palette.sky.sun[0];
    s->sun[1] = -s->palette.sky.sun[1];
    s->sun[2] = s->palette.sky.sun[2];
}

/* In pixels, and 1 / the depth; what is behind the camera lies far away. */
static void project(const scene *s, const float at[3], float out[3]) {
    double p[3] = {(double)at[0] - s->camera.from[0], (double)-at[1] - s->camera.from[1],
                   (double)at[2] - s->camera.from[2]};
    const double *axes[3] = {s->camera.right, s->camera.up, s->camera.forward};
    double c[3];
    for (int k = 0; k < 3; k++)
        c[k] = p[0] * axes[k][0] + p[1] * axes[k][1] + p[2] * axes[k][2];
    double per = c[2] > 1e-6 * (double)s->radius ? 1 / c[2] : 0;
    double scale = 0.5 * s->height / s->camera.tangent;
    out[0] = (float)(per > 0 ? 0.5 * s->width + scale * c[0] * per : -1e6);
    out[1] = (float)(per > 0 ? 0.5 * s->height - scale * c[1] * per : -1e6);
    out[2] = (float)per;
}

static rv_status prepare_lines(scene *s, const double shown[2][3]) {
    for (int k = 0; k < 12; k++) {
        /* Along axis k / 4, at the corner of the others that k % 4 says. */
        int axis = k / 4, side[3] = {0};
        side[(axis + 1) % 3] = k & 1;
        side[(axis + 2) % 3] = k >> 1 & 1;
        for (int end = 0; end < 2; end++) {
            float at[3];
            side[axis] = end;
            for (int i = 0; i < 3; i++)
                at[i] = (float)(shown[side[i]][i] - s->middle[i]);
            project(s, at, s->lines[k] + 3 * end);
        }
    }
    if (!s->view->wire)
        return RV_OK;
    s->screen = rvi_alloc(s->ctx, s->faces.count + 1, sizeof *s->screen, "the lines of a picture");
    for (size_t f = 0; s->screen && f < s->faces.count; f++)
        for (int k = 0; k < 3; k++) {
            float at[3];
            project(s, s->faces.corners[f][k], at);
            s->screen[f][k][0] = at[0];
            s->screen[f][k][1] = at[1];
        }
    return s->screen ? RV_OK : RV_ERROR_MEMORY;
}

static rv_status make_room(scene *s) {
    size_t pixels = (size_t)s->width * (size_t)s->height;
    s->seen = rvi_alloc(s->ctx, pixels, sizeof *s->seen, "a picture");
    s->places = rvi_alloc(s->ctx, pixels, sizeof *s->places, "a picture");
    s->asked = rvi_alloc(s->ctx, pixels, sizeof *s->asked, "a picture");
    s->got = rvi_alloc(s->ctx, pixels, sizeof *s->got, "a picture");
    s->colours = rvi_alloc(s->ctx, pixels, sizeof *s->colours, "a picture");
    return s->seen && s->places && s->asked && s->got && s->colours ? RV_OK : RV_ERROR_MEMORY;
}

static void set_look(scene *s) {
    const float *stone = s->view->stone;
    s->palette = *rvi_palette_of(s->view->look);
    for (int c = 0; c < 3 && stone[0] > 0; c++) {
        s->palette.rock[0][c] = s->palette.rock[1][c] = stone[c];
        s->palette.cut[0][c] = 0.62f * stone[c];
        s->palette.cut[1][c] = 0.76f * stone[c];
    }
}

static rv_status prepare(scene *s, const rvi_solid_mesh *meshes, size_t count,
                         const rvi_solid_water *water) {
    const rvi_solid_view *v = s->view;
    double low[3], high[3], shown[2][3];
    find_box(meshes, count, water, low, high);
    for (int k = 0; k < 3; k++) {
        bool given = v->low[0] <= v->high[0] && v->low[1] <= v->high[1] && v->low[2] <= v->high[2];
        shown[0][k] = given ? v->low[k] : low[k];
        shown[1][k] = given ? v->high[k] : high[k];
    }
    set_look(s);
    rvi_tone_map_make(&s->tones, s->palette.exposure);
    rvi_detail_noise_make(&s->detail, RVI_DETAIL_NOISE_SEED);
    find_place(s, low, high, (const double(*)[3])shown);
    place_camera(s, (const double(*)[3])shown);
    s->haze = (isnan(v->haze) ? 1 : v->haze) * 0.5f * s->palette.haze / (2 * s->radius);
    s->deep = water ? 6 * water->spacing : 1;
    for (int k = 0; k < 3; k++)
        s->cut[k] = (float)v->cut[k];
    s->cut[3] = (float)(v->cut[3] - (v->cut[0] * s->middle[0] + v->cut[1] * s->middle[1] +
                                     v->cut[2] * s->middle[2]));
    rv_status status = make_room(s);
    if (status == RV_OK)
        status = rvi_solid_faces_create(s->ctx, meshes, count, s->middle, &s->faces);
    const float(*corners)[3][3] = (const float(*)[3][3])s->faces.corners;
    if (status == RV_OK)
        status = rvi_tree_create(s->ctx, corners, s->faces.count, &s->tree);
    if (status == RV_OK)
        status = rvi_solid_light_create(s->ctx, corners, s->faces.count, s->radius,
                                        v->clipped ? s->cut : NULL, s->sun, &s->light);
    if (status == RV_OK)
        status = rvi_pond_create(s->ctx, water, s->middle, &s->pond);
    if (status == RV_OK)
        status = prepare_lines(s, (const double(*)[3])shown);
    return status;
}

static void release(scene *s) {
    rv_context *ctx = s->ctx;
    rvi_pond_destroy(&s->pond);
    rvi_solid_light_destroy(&s->light);
    rvi_tree_destroy(&s->tree);
    rvi_solid_faces_destroy(&s->faces);
    rvi_free(ctx, s->screen);
    rvi_free(ctx, s->seen);
    rvi_free(ctx, s->places);
    rvi_free(ctx, s->asked);
    rvi_free(ctx, s->got);
    rvi_free(ctx, s->colours);
    rvi_free(ctx, s);
}

rv_status rvi_solid_view_draw(rv_context *ctx, const rvi_solid_view *view,
                              const rvi_solid_mesh *meshes, size_t mesh_count,
                              const rvi_solid_water *water, const rvi_canvas *canvas) {
    scene *s = rvi_alloc(ctx, 1, sizeof *s, "a picture");
    if (!s)
        return RV_ERROR_MEMORY;
    s->ctx = ctx;
    s->view = view;
    s->width = view->width;
    s->height = view->height;
    s->rgb = canvas->rgb;
    rv_status status = prepare(s, meshes, mesh_count, water);
    if (status == RV_OK)
        status = rvi_parallel_rows(ctx, s->height, see_rows, s);
    if (status == RV_OK)
        status = rvi_parallel_rows(ctx, s->height, shade_rows, s);
    if (status == RV_OK)
        status = rvi_parallel_rows(ctx, s->height, put_rows, s);
    release(s);
    return status;
}

size_t rvi_solid_view_memory(const rvi_solid_view *view, const rvi_solid_mesh *meshes,
                             size_t mesh_count, const rvi_solid_water *water) {
    size_t pixels = (size_t)view->width * (size_t)view->height, faces = 0;
    for (size_t k = 0; k < mesh_count; k++)
        faces += meshes[k].face_count;
    return sizeof(scene) + pixels * (sizeof(seen) + 14 * sizeof(float)) +
           rvi_solid_faces_memory(meshes, mesh_count) + rvi_tree_memory(faces) +
           rvi_solid_light_memory() + rvi_pond_memory(water) + faces * 6 * sizeof(float) + 65536;
}

rvi_solid_view rvi_solid_view_default(void) {
    return (rvi_solid_view){.width = 1280,
                            .height = 720,
                            .look = RVI_LOOK_CLAY,
                            .azimuth = 213,
                            .elevation = 24,
                            .distance = 1,
                            .fov = 30,
                            .sun_azimuth = NAN,
                            .sun_altitude = NAN,
                            .haze = 1,
                            .low = {1, 1, 1}};
}

void rvi_solid_view_cut(rvi_solid_view *view, const double low[3], const double high[3],
                        float share) {
    float angle = view->azimuth * DEGREE;
    double to[2] = {(double)rvi_sinf(angle), (double)rvi_cosf(angle)}, least = 0, most = 0;
    for (int k = 0; k < 2; k++) {
        double a = to[k] * low[k], b = to[k] * high[k];
        least += a < b ? a : b;
        most += a < b ? b : a;
    }
    view->clipped = true;
    view->cut[0] = to[0];
    view->cut[1] = to[1];
    view->cut[2] = 0;
    view->cut[3] = most - (double)share * (most - least);
}
