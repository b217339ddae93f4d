/* view.c: a perspective picture: what each ray meets, in the light of sun and sky, through air.
 *
 * For a place with normal n, sun direction l and horizon tangent t towards the sun (occlusion.c),
 * tan h the sun's height and w half its width, both as tangents:
 *
 *     lit     = 1 - S(tan h - w, tan h + w, t)            a soft shadow, wider the farther it falls
 *     light   = sun lit max(0, n l) + open sky(n) + (1 - open) / 4 sun mean(lit)
 *     colour  = ground light, then through air of optical depth T: c e^-T + sky (1 - e^-T)
 *
 * Water reflects what a second ray meets, by Fresnel (C. Schlick, 1994), and shows the ground below
 * it through e^(-k path).
 *
 * Each pixel gets one ray; where it differs from a neighbour, four more.
 */
#include "picture/view.h"
#include "base/context.h"
#include "base/math.h"
#include "base/threads.h"
#include "base/vector.h"
#include "picture/hole_edges.h"
#include "picture/mirrored_land.h"
#include "picture/occlusion.h"
#include "picture/tone_map.h"
#include "picture/trees.h"
#include "terrain/bands.h"

#include <math.h>
#include <string.h>

enum {
    TILE = 48,         /* pixels along a side */
    FRAMED = TILE + 2, /* and one more around it, to compare with */
    LIGHT_SIDE = 2048,
    MARCH = 48,
    SEEN_TREE = 9, /* beside the kinds of hits */
};

#define DEGREE (RVI_PI / 180)
#define SUN_WIDTH                                                                                  \
    0.021f /* half of it, as a tangent; larger than the true one, for softer shadows */

typedef struct scene {
    rvi_relief relief;
    rvi_camera camera;
    rvi_cover_rules cover;
    rvi_palette palette;
    rvi_look look;
    rvi_detail_noise detail;
    float z;          /* exaggeration */
    float pixel;      /* the width of a pixel a metre away */
    float sun_height; /* its tangent */
    int light_level;
    float *open, *shade; /* of the level: sky that is seen, horizon towards the sun */
    float haze;          /* optical depth a metre */
    float wide;          /* metres of the block's longer side */
    rv_terrain *beyond;  /* the land and what mirrors it; NULL: a block */
    float rim;           /* metres of it on each side */
    rvi_trees trees;
    rvi_tone_map tones;
    rvi_sky_image sky;      /* the user's own */
    rvi_normal_map normals; /* likewise; its image may be none */
    unsigned char *rgb;
    int across; /* tiles in a row */
} scene;

typedef rvi_colour colour;

/* A place that a ray met. */
typedef struct spot {
    double x, y;    /* in cells of the relief */
    float z;        /* metres, as in the terrain */
    float far;      /* metres along the ray */
    float along[3]; /* the ray */
    float pixel;    /* metres that a pixel covers there */
} spot;

/* ---- light ---- */

static float light_grid(const scene *s, const float *grid, double x, double y) {
    const rvi_level *l = &s->relief.level[s->light_level];
    double scale = 1.0 / (double)(1 << s->light_level);
    return rvi_grid_at(grid, l->width, l->height, (x + 0.5) * scale - 0.5, (y + 0.5) * scale - 0.5);
}

static float lit(const scene *s, float horizon) {
    float wide = SUN_WIDTH * (1 + s->sun_height * s->sun_height);
    return 1 - rvi_smoothstep(s->sun_height - wide, s->sun_height + wide, horizon);
}

static void light_on(const scene *s, const float normal[3], float sun, float open, colour *out) {
    rvi_sky_light(&s->palette.sky, s->palette.floor, normal, sun, open, out->v);
}

/* How much haze hides what lies beyond the edge of the map: none at the edge, all at the end. */
static float haze_beyond(const scene *s, const spot *p) {
    const rvi_relief *r = &s->relief;
    float x = (float)p->x * r->cell, y = (float)p->y * r->cell;
    float wide = (float)(r->width - 1) * r->cell, high = (float)(r->height - 1) * r->cell;
    float out = rvi_maxf(rvi_maxf(s->rim - x, x - (wide - s->rim)),
                         rvi_maxf(s->rim - y, y - (high - s->rim)));
    float share = rvi_maxf(out, 0) / (0.92f * s->rim);
    return 5 * share * share;
}

/* The air between the camera and a place. */
static void through_air(const scene *s, const spot *p, float density, colour *c) {
    float path = rvi_maxf(0, p->far - (float)s->camera.nearest) * density;
    float depth = s->haze * path, sky[3];
    if (s->beyond)
        depth += haze_beyond(s, p);
    float keep = rvi_expf(-depth);
    float level[3] = {p->along[0], p->along[1], 0};
    rvi_sky_at(&s->palette.sky, level, sky);
    for (int k = 0; k < 3; k++)
        c->v[k] = c->v[k] * keep + sky[k] * (1 - keep);
}

/* There is more haze in valleys than over summits. */
static float air_at(const scene *s, float z) {
    float up = (z - s->relief.low) / rvi_maxf(s->cover.relief_of, 1);
    return 0.35f + 0.65f * (1 - rvi_smoothstep(0, 0.8f, up));
}

/* ---- the ground ---- */

/* Adds bumps that the terrain is too coarse for to the slope; those smaller than a pixel are left
 * out. */
static void roughen(const scene *s, const spot *p, const rvi_cover *cover, float slope[2]) {
    float amount = s->palette.bumps *
                   (0.34f * cover->weight[RVI_COVER_ROCK] + 0.10f * cover->weight[RVI_COVER_GRASS] +
                    0.10f * cover->weight[RVI_COVER_SEDIMENT] +
                    0.035f * cover->weight[RVI_COVER_SNOW] + 0.03f * cover->weight[RVI_COVER_SAND]);
    float cell = s->relief.land->cell, size = 2.6f * cell;
    float steep = sqrtf(slope[0] * slope[0] + slope[1] * slope[1]);
    amount *= 0.55f + rvi_minf(steep, 1.2f);
    float east = (float)p->x * s->relief.cell, south = (float)p->y * s->relief.cell;
    for (int k = 0; k < 3 && amount > 0; k++, size *= 0.43f) {
        float seen = 1 - rvi_smoothstep(0.25f, 0.7f, p->pixel / size);
        if (seen <= 0)
            break;
        float turned = 0.8f * east - 0.6f * south;
        south = 0.6f * east + 0.8f * south;
        east = turned;
        rvi_bump b = rvi_detail_noise_at(&s->detail, east / size, south / size);
        /* The bump's slope, turned back. */
        float bx = b.dx, by = b.dy;
        for (int t = 0; t <= k; t++) {
            float back = 0.8f * bx + 0.6f * by;
            by = -0.6f * bx + 0.8f * by;
            bx = back;
        }
        slope[0] += 0.5f * amount * seen * bx;
        slope[1] += 0.5f * amount * seen * by;
    }
}

/* The slope by the user's own normal map, which fades out where its pixels are smaller than those
 * of the picture. */
static void bend_slope(const scene *s, const spot *p, float slope[2]) {
    const rvi_relief *r = &s->relief;
    double rim = (double)s->rim, cell = (double)r->cell;
    double wide = (r->width - 1) * cell - 2 * rim, high = (r->height - 1) * cell - 2 * rim;
    float own[2];
    rvi_normal_map_slope(&s->normals, p->x * cell - rim, p->y * cell - rim, wide, high, own);
    float seen = 1 - rvi_smoothstep(1.5f, 6, p->pixel / rvi_normal_map_pixel(&s->normals, wide));
    bool instead = isnan(s->normals.tile);
    for (int c = 0; c < 2; c++)
        slope[c] += seen * (instead ? own[c] - slope[c] : own[c]);
}

static void normal_of(const float slope[2], float z, float out[3]) {
    float x = -slope[0] * z, y = -slope[1] * z, length = sqrtf(1 + x * x + y * y);
    out[0] = x / length;
    out[1] = y / length;
    out[2] = 1 / length;
}

static void ground_colour(const scene *s, const spot *p, const rvi_cover *cover, float slope,
                          colour *out) {
    if (s->look == RVI_LOOK_CLAY) {
        memcpy(out->v, s->palette.rock[0], sizeof out->v);
        return;
    }
    if (s->look == RVI_LOOK_MAP) {
        rvi_palette_map(&s->cover, p->z, p->pixel * rvi_maxf(slope, 0.02f), out->v);
        return;
    }
    float bands = 0;
    if (cover->weight[RVI_COVER_ROCK] > 0.02f)
        bands = rvi_palette_bands(&s->cover, p->x, p->y, p->z, rvi_maxf(s->cover.relief_of / 26, 1),
                                  cover->patch, p->pixel * rvi_maxf(slope, 0.3f));
    rvi_palette_ground(&s->palette, cover, bands, out->v);
}

/* Is a place in the shadow of a tree? */
static bool below_tree(const scene *s, const spot *p) {
    const float *sun = s->palette.sky.sun;
    double cell = (double)s->relief.cell, z = (double)s->z;
    rvi_ray ray = {{p->x, p->y, (double)p->z},
                   {(double)sun[0] / cell, (double)sun[1] / cell, (double)sun[2] / z}};
    rvi_conifer_hit hit;
    double far = (double)s->trees.tallest / (sun[2] > 0.08f ? (double)sun[2] : 0.08);
    return rvi_trees_trace(&s->trees, &ray, 1e-3, far, &hit);
}

static colour shade_land(const scene *s, const spot *p) {
    float slope[2], normal[3];
    rvi_relief_slope(&s->relief, p->x, p->y, 1.3f * p->pixel / s->relief.cell, slope);
    float steep = sqrtf(slope[0] * slope[0] + slope[1] * slope[1]);
    rvi_cover cover = {0};
    bool natural = s->look == RVI_LOOK_ALPINE || s->look == RVI_LOOK_DESERT;
    if (natural) {
        cover = rvi_cover_at(&s->cover, p->x, p->y, p->z, slope, p->pixel / s->relief.land->cell);
        roughen(s, p, &cover, slope);
        if (s->trees.tree)
            cover.wood *= 0.4f; /* the ground between the trees */
    }
    if (s->normals.image.rgb)
        bend_slope(s, p, slope);
    colour ground, light;
    ground_colour(s, p, &cover, steep, &ground);
    normal_of(slope, s->z, normal);
    float sun = lit(s, light_grid(s, s->shade, p->x, p->y));
    if (s->trees.tree && sun > 0 && below_tree(s, p))
        sun *= 0.25f;
    light_on(s, normal, sun, light_grid(s, s->open, p->x, p->y), &light);
    for (int c = 0; c < 3; c++)
        ground.v[c] *= light.v[c];
    return ground;
}

static colour shade_tree(const scene *s, const spot *p, const rvi_conifer_hit *hit) {
    colour c, light;
    float sun = lit(s, light_grid(s, s->shade, p->x, p->y)), open = 0.35f + 0.5f * hit->up;
    light_on(s, hit->normal, sun, open * light_grid(s, s->open, p->x, p->y), &light);
    for (int k = 0; k < 3; k++) {
        float needle = 2.1f * s->palette.wood[k] + 0.25f * s->palette.grass[0][k];
        c.v[k] = needle * (1 + 0.35f * hit->tree->shade) * light.v[k];
    }
    return c;
}

/* ---- cuts and the floor ---- */

/* A wall faces along an axis; at the edge of a hole, to the hole. */
static void face_of_wall(const scene *s, const spot *p, const rvi_hit *hit, float normal[3]) {
    const rvi_relief *r = &s->relief;
    double at = hit->axis == 0 ? p->x : p->y, last = (hit->axis == 0 ? r->width : r->height) - 1;
    bool at_hole = r->hole && at > 0.5 && at < last - 0.5;
    float to[2];
    normal[0] = normal[1] = normal[2] = 0;
    normal[hit->axis] = (float)hit->side;
    if (!at_hole ||
        !rvi_hole_edge_facing(r->land, r->hole, p->x * (double)r->step, p->y * (double)r->step, to))
        return;
    normal[0] = to[0];
    normal[1] = to[1];
}

static colour shade_cut(const scene *s, const spot *p, const rvi_hit *hit) {
    const rvi_relief *r = &s->relief;
    float top = rvi_grid_at(r->z, r->width, r->height, p->x, p->y);
    float normal[3], tall = (p->z - r->base) / rvi_maxf(r->low - r->base, 1e-3f);
    face_of_wall(s, p, hit, normal);
    colour cut, light;
    if (hit->kind == RVI_HIT_BASIN) {
        float level = rvi_grid_at(r->upper, r->width, r->height, p->x, p->y);
        float deep = rvi_expf(-0.03f * (level - p->z));
        /* Pale water must not be brighter than white. */
        float bright = rvi_minf(2 + 5 * deep, 0.6f / s->palette.water[2]);
        for (int c = 0; c < 3; c++)
            cut.v[c] = s->palette.water[c] * bright;
    } else {
        rvi_palette_cut(&s->palette, &s->cover, p->x, p->y, p->z, top - p->z, p->pixel / s->z,
                        cut.v);
    }
    light_on(s, normal, 1, 0.45f + 0.45f * rvi_smoothstep(0, 1.5f, tall), &light);
    for (int c = 0; c < 3; c++)
        cut.v[c] *= light.v[c];
    return cut;
}

/* How much of a line of sight lies over the block; false: none. Places in cells. */
static bool over_block(const rvi_relief *r, double x, double y, const double along[2],
                       double span[2]) {
    double from[2] = {x, y}, most[2] = {r->width - 1, r->height - 1};
    span[0] = 0;
    span[1] = 1e300;
    for (int k = 0; k < 2; k++) {
        if (along[k] == 0) {
            if (from[k] < 0 || from[k] > most[k])
                return false;
            continue;
        }
        double a = -from[k] / along[k], b = (most[k] - from[k]) / along[k];
        double near = a < b ? a : b, far = a < b ? b : a;
        span[0] = near > span[0] ? near : span[0];
        span[1] = far < span[1] ? far : span[1];
    }
    return span[0] < span[1];
}

/* The horizon tangent that the block makes for a place on the floor. */
static float block_before_sun(const scene *s, double x, double y) {
    const rvi_relief *r = &s->relief;
    const float *sun = s->palette.sky.sun;
    double flat = sqrt((double)(sun[0] * sun[0] + sun[1] * sun[1]));
    if (flat < 1e-6)
        return 0;
    double along[2] = {(double)sun[0] / flat, (double)sun[1] / flat}, span[2];
    if (!over_block(r, x, y, along, span))
        return 0;
    int level = rvi_light_level(r, 160);
    const rvi_level *l = &r->level[level];
    double scale = 1.0 / (double)(1 << level);
    float most = 0;
    for (int k = 0; k <= MARCH; k++) {
        double far = span[0] + (span[1] - span[0]) * k / MARCH;
        double px = x + far * along[0], py = y + far * along[1];
        float top = rvi_grid_at(l->mean, l->width, l->height, (px + 0.5) * scale - 0.5,
                                (py + 0.5) * scale - 0.5);
        float up = (top - r->base) * s->z / ((float)far * r->cell + 1e-3f);
        most = rvi_maxf(most, up);
    }
    return most;
}

/* The sky that a place on the floor sees beside the nearest wall. */
static float floor_open(const scene *s, double x, double y) {
    const rvi_relief *r = &s->relief;
    double nx = x < 0 ? 0 : x > r->width - 1 ? r->width - 1 : x;
    double ny = y < 0 ? 0 : y > r->height - 1 ? r->height - 1 : y;
    float dx = (float)(x - nx) * r->cell, dy = (float)(y - ny) * r->cell;
    float away = sqrtf(dx * dx + dy * dy);
    float wall = (rvi_grid_at(r->upper, r->width, r->height, nx, ny) - r->base) * s->z;
    float open = 0.5f + 0.5f * away / sqrtf(away * away + wall * wall + 1e-6f);
    return away > 0 ? open : 0.35f;
}

static colour shade_floor(const scene *s, const spot *p) {
    colour light, out;
    const float up[3] = {0, 0, 1};
    light_on(s, up, lit(s, block_before_sun(s, p->x, p->y)), floor_open(s, p->x, p->y), &light);
    for (int c = 0; c < 3; c++)
        out.v[c] = s->palette.floor[c] * light.v[c];
    /* The floor fades into the sky at the horizon, wherever the camera stands. */
    float rest = rvi_maxf(0, p->far - (float)s->camera.nearest) / s->wide;
    float keep = rvi_expf(-0.30f * rest), sky[3];
    float level[3] = {p->along[0], p->along[1], 0};
    rvi_sky_at(&s->palette.sky, level, sky);
    for (int c = 0; c < 3; c++)
        out.v[c] = out.v[c] * keep + sky[c] * (1 - keep);
    return out;
}

/* ---- rays ---- */

static spot spot_at(const scene *s, const rvi_hit *hit, const double along[3], float before) {
    spot p = {.x = hit->x, .y = hit->y, .z = (float)hit->z, .far = (float)hit->t};
    for (int k = 0; k < 3; k++)
        p.along[k] = (float)along[k];
    p.pixel = (p.far + before) * s->pixel;
    return p;
}

static rvi_ray ray_of(const scene *s, const double from[3], const double along[3]) {
    double cell = (double)s->relief.cell, z = (double)s->z;
    return (rvi_ray){{from[0] / cell, from[1] / cell, from[2] / z},
                     {along[0] / cell, along[1] / cell, along[2] / z}};
}

static rvi_hit trace(const scene *s, const double from[3], const double along[3]) {
    rvi_ray ray = ray_of(s, from, along);
    return rvi_relief_trace(&s->relief, &ray);
}

/* Does a ray meet a tree before the ground? Only where it is lower above the ground than a tree is
 * high: where it would meet land that stands so much higher. */
static bool meets_tree(const scene *s, const double from[3], const double along[3],
                       const rvi_hit *ground, rvi_conifer_hit *out) {
    if (!s->trees.tree)
        return false;
    rvi_ray ray = ray_of(s, from, along), lower = ray;
    lower.from[2] -= (double)(s->trees.tallest / s->z);
    rvi_hit shell = rvi_relief_trace(&s->relief, &lower);
    double far = ground->kind == RVI_HIT_NONE ? 1e30 : ground->t;
    return shell.kind != RVI_HIT_NONE && rvi_trees_trace(&s->trees, &ray, shell.t, far, out);
}

/* What lies behind the block: floor or sky. */
static colour backdrop(const scene *s, const double from[3], const double along[3], float before) {
    colour out;
    double base = (double)(s->relief.base * s->z);
    double t = along[2] < -1e-9 && !s->beyond ? (base - from[2]) / along[2] : 1e30;
    if (t > 0 && t < 1e8 * (double)s->wide) {
        rvi_hit hit = {.t = t, .z = (double)s->relief.base};
        hit.x = (from[0] + t * along[0]) / (double)s->relief.cell;
        hit.y = (from[1] + t * along[1]) / (double)s->relief.cell;
        spot p = spot_at(s, &hit, along, before);
        return shade_floor(s, &p);
    }
    float to[3] = {(float)along[0], (float)along[1], (float)along[2]};
    rvi_sky_at(&s->palette.sky, to, out.v);
    return out;
}

/* Small waves, as a slope. */
static void ripple(const scene *s, const spot *p, float slope[2]) {
    float size = rvi_clampf(0.35f * s->relief.land->cell, 0.5f, 20);
    float seen = 1 - rvi_smoothstep(0.15f, 0.6f, p->pixel / (size * rvi_maxf(-p->along[2], 0.05f)));
    float x = (float)p->x * s->relief.cell / size, y = (float)p->y * s->relief.cell / size;
    rvi_bump a = rvi_detail_noise_at(&s->detail, x, y),
             b = rvi_detail_noise_at(&s->detail, 2.3f * y, 2.3f * x);
    slope[0] = 0.022f * seen * (a.dx + 0.7f * b.dy);
    slope[1] = 0.022f * seen * (a.dy + 0.7f * b.dx);
}

static colour reflection(const scene *s, const spot *p, const float normal[3]) {
    float twice = 2 * rvi_dot3f(p->along, normal);
    double along[3], cell = (double)s->relief.cell;
    for (int k = 0; k < 3; k++)
        along[k] = (double)(p->along[k] - twice * normal[k]);
    along[2] = along[2] < 0.01 ? 0.01 : along[2];
    double from[3] = {p->x * cell, p->y * cell, (double)(p->z * s->z) + 1e-3 * cell};
    rvi_hit hit = trace(s, from, along);
    if (hit.kind == RVI_HIT_LAND) {
        spot there = spot_at(s, &hit, along, p->far);
        there.pixel *= 2;
        return shade_land(s, &there);
    }
    float to[3] = {(float)along[0], (float)along[1], (float)along[2]};
    colour out;
    rvi_sky_at(&s->palette.sky, to, out.v);
    return out;
}

static colour shade_water(const scene *s, const spot *p) {
    const rvi_relief *r = &s->relief;
    float slope[2], normal[3], flat[3] = {0, 0, 1};
    ripple(s, p, slope);
    normal_of(slope, 1, normal);
    spot bed = *p;
    bed.z = rvi_grid_at(r->z, r->width, r->height, p->x, p->y);
    float depth = rvi_maxf(0, p->z - bed.z);
    float cosine = rvi_maxf(0.02f, -rvi_dot3f(p->along, normal)), grazing = 1 - rvi_minf(cosine, 1);
    float squared = grazing * grazing;
    float mirrors = 0.02f + 0.98f * squared * squared * grazing;
    colour below = shade_land(s, &bed), light, over = reflection(s, p, normal);
    light_on(s, flat, lit(s, light_grid(s, s->shade, p->x, p->y)), 1, &light);
    static const float takes[3] = {0.42f, 0.11f, 0.075f}; /* of each metre */
    float path = depth * (1 + 1 / sqrtf(1 - 0.5625f * (1 - rvi_minf(cosine * cosine, 1))));
    float plain = s->look == RVI_LOOK_MAP ? rvi_smoothstep(0, 0.5f, depth) : 0;
    for (int c = 0; c < 3; c++) {
        float keep = rvi_expf(-takes[c] * path) * (1 - plain);
        float body = below.v[c] * keep + s->palette.water[c] * light.v[c] * (1 - keep);
        below.v[c] = body + mirrors * (over.v[c] - body);
    }
    return below;
}

static colour see(const scene *s, double x, double y, int *kind) {
    double along[3];
    rvi_camera_look(&s->camera, x, y, along);
    rvi_hit hit = trace(s, s->camera.from, along);
    rvi_conifer_hit tree;
    *kind = (int)hit.kind;
    if (meets_tree(s, s->camera.from, along, &hit, &tree)) {
        double t = tree.t, cell = (double)s->relief.cell, z = (double)s->z;
        hit = (rvi_hit){.kind = RVI_HIT_LAND,
                        .t = t,
                        .x = (s->camera.from[0] + t * along[0]) / cell,
                        .y = (s->camera.from[1] + t * along[1]) / cell,
                        .z = (s->camera.from[2] + t * along[2]) / z};
        *kind = SEEN_TREE;
        spot p = spot_at(s, &hit, along, 0);
        colour c = shade_tree(s, &p, &tree);
        through_air(s, &p, air_at(s, p.z), &c);
        return c;
    }
    bool cut = hit.kind == RVI_HIT_WALL || hit.kind == RVI_HIT_BASIN;
    if (hit.kind == RVI_HIT_NONE || (s->beyond && cut)) {
        *kind = along[2] < 0 ? -1 : 0;
        return backdrop(s, s->camera.from, along, 0);
    }
    spot p = spot_at(s, &hit, along, 0);
    colour c = hit.kind == RVI_HIT_LAND    ? shade_land(s, &p)
               : hit.kind == RVI_HIT_WATER ? shade_water(s, &p)
                                           : shade_cut(s, &p, &hit);
    through_air(s, &p, air_at(s, p.z), &c);
    return c;
}

/* ---- pixels ---- */

static colour take(const scene *s, double x, double y, int *kind) {
    return rvi_tone_map_apply(&s->tones, see(s, x, y, kind));
}

static void put(const scene *s, int x, int y, const colour *c) {
    size_t at = (size_t)y * (size_t)s->camera.width + (size_t)x;
    rvi_tone_map_put(&s->tones, x, y, c, s->rgb + 3 * at);
}

/* A pixel that differs from its neighbours gets four more rays. */
static colour refine(const scene *s, int x, int y, colour sum) {
    static const double at[4][2] = {{0.375, 0.125}, {0.875, 0.375}, {0.625, 0.875}, {0.125, 0.625}};
    for (int k = 0; k < 4; k++) {
        int kind;
        colour c = take(s, x + at[k][0], y + at[k][1], &kind);
        for (int i = 0; i < 3; i++)
            sum.v[i] += c.v[i];
    }
    for (int i = 0; i < 3; i++)
        sum.v[i] *= 0.2f;
    return sum;
}

typedef struct tile {
    colour seen[FRAMED * FRAMED];
    signed char kind[FRAMED * FRAMED];
} tile;

static bool at_edge(const tile *t, int i) {
    const int beside[4] = {i - 1, i + 1, i - FRAMED, i + FRAMED};
    for (int k = 0; k < 4; k++)
        if (t->kind[beside[k]] != t->kind[i] ||
            rvi_colours_differ(&t->seen[beside[k]], &t->seen[i]))
            return true;
    return false;
}

static void draw_tile(void *arg, int64_t block) {
    const scene *s = arg;
    tile t;
    int left = (int)(block % s->across) * TILE, top = (int)(block / s->across) * TILE;
    int width = rvi_mini(TILE, s->camera.width - left);
    int height = rvi_mini(TILE, s->camera.height - top);
    for (int y = 0; y < height + 2; y++)
        for (int x = 0; x < width + 2; x++) {
            int kind;
            t.seen[y * FRAMED + x] = take(s, left + x - 0.5, top + y - 0.5, &kind);
            t.kind[y * FRAMED + x] = (signed char)kind;
        }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int i = (y + 1) * FRAMED + x + 1;
            colour c = t.seen[i];
            if (at_edge(&t, i))
                c = refine(s, left + x, top + y, c);
            put(s, left + x, top + y, &c);
        }
}

/* ---- the scene ---- */

float rvi_view_depth(const rv_terrain *land, float z) {
    int side = rvi_maxi(2, rvi_maxi(land->width, land->height)) - 1;
    return 0.045f * (float)side * land->cell / z;
}

static rv_status make_light(scene *s) {
    const rvi_relief *r = &s->relief;
    const rvi_sky *sky = &s->palette.sky;
    s->light_level = rvi_light_level(r, LIGHT_SIDE);
    const rvi_level *l = &r->level[s->light_level];
    size_t count = (size_t)l->width * (size_t)l->height;
    s->open = rvi_alloc(r->land->ctx, 2 * count, sizeof(float), "the light of a picture");
    if (!s->open)
        return RV_ERROR_MEMORY;
    s->shade = s->open + count;
    rv_status status = rvi_occlusion_make(r, s->light_level, 0.1f * s->wide, s->z, s->open);
    float flat = sqrtf(sky->sun[0] * sky->sun[0] + sky->sun[1] * sky->sun[1]);
    s->sun_height = sky->sun[2] / rvi_maxf(flat, 1e-3f);
    float wide = SUN_WIDTH * (1 + s->sun_height * s->sun_height);
    if (status == RV_OK && flat > 1e-3f)
        status = rvi_horizon_make(r, s->light_level, sky->sun[0], sky->sun[1], s->sun_height - wide,
                                  s->z, s->shade);
    return status;
}

/* On the side of the wall that is seen most, so that it is lit. */
static float sun_side(float azimuth) {
    float face = 90 * rvi_floorf(azimuth / 90 + 0.5f);
    return face < azimuth ? azimuth - 72 : azimuth + 72;
}

/* ---- trees ---- */

static const float TREE_METRES = 22; /* of a grown tree, unless told */

static float tree_metres(const rvi_view *v) {
    return isnan(v->trees) ? TREE_METRES : v->trees;
}

/* Trees that are told of are drawn; else where they are large enough to be seen, or the camera is
 * near them. */
static rv_status plant(scene *s, const rvi_view *v) {
    const rvi_relief *r = &s->relief;
    double away[3] = {0.5 * (r->width - 1) * (double)r->cell - s->camera.from[0],
                      0.5 * (r->height - 1) * (double)r->cell - s->camera.from[1],
                      (double)(0.5f * s->z * (r->low + r->high)) - s->camera.from[2]};
    float tall = tree_metres(v), pixels = tall / (s->pixel * (float)rvi_length3(away));
    bool seen = !isnan(v->trees) || v->shot.placed || v->endless || pixels >= RVI_TREE_PIXELS;
    if (s->look != RVI_LOOK_ALPINE || !(tall > 0) || !seen)
        return RV_OK;
    return rvi_trees_make(&s->cover, tall, s->z, &s->trees);
}

/* ---- all of it ---- */

static rvi_camera find_camera(const scene *s, const rvi_shot *shot) {
    const rvi_relief *r = &s->relief;
    if (shot->placed)
        return rvi_camera_place(r, shot, (double)s->rim);
    if (!s->beyond)
        return rvi_camera_frame(r, shot);
    double middle[3] = {0.5 * (r->width - 1) * (double)r->cell,
                        0.5 * (r->height - 1) * (double)r->cell,
                        0.5 * (double)shot->z * (double)(r->low + r->high)};
    return rvi_camera_from(r, shot, middle, 0.8 * (double)(shot->distance * s->wide));
}

static rv_status make_relief(const rv_terrain *land, const rvi_view *v, scene *s) {
    rv_status status = v->endless ? rvi_mirrored_land(land, &s->beyond) : RV_OK;
    if (status == RV_OK)
        status = rvi_relief_create(v->endless ? s->beyond : land, rvi_view_depth(land, s->z), true,
                                   &s->relief);
    if (status != RV_OK)
        return status;
    s->rim = v->endless ? (float)rvi_mirrored_margin(land) * land->cell : 0;
    s->wide =
        (float)(rvi_maxi(s->relief.width, s->relief.height) - 1) * s->relief.cell - 2 * s->rim;
    return RV_OK;
}

static rv_status prepare(const rv_terrain *land, const rvi_view *v, scene *s) {
    s->z = v->shot.z;
    s->look = v->look;
    s->palette = v->palette ? *v->palette : *rvi_palette_of(v->look);
    rvi_detail_noise_make(&s->detail, RVI_DETAIL_NOISE_SEED);
    rvi_tone_map_make(&s->tones, s->palette.exposure);
    rv_status status = make_relief(land, v, s);
    if (status != RV_OK)
        return status;
    rvi_shot shot = v->shot;
    if (isnan(shot.azimuth))
        shot.azimuth = rvi_camera_side(&s->relief);
    s->camera = find_camera(s, &shot);
    s->pixel = (float)(2 * s->camera.tangent / shot.height);
    s->haze = v->haze * s->palette.haze / s->wide;
    rvi_sky_place_sun(&s->palette.sky,
                      isnan(v->sun_azimuth) ? sun_side(shot.azimuth) : v->sun_azimuth,
                      isnan(v->sun_altitude) ? s->palette.sun_altitude : v->sun_altitude);
    s->normals = v->normals;
    if (v->sky.rgb) {
        rvi_sky_image_make(&s->sky, v->sky, &s->tones);
        rvi_sky_image_mean(&s->sky, s->palette.sky.horizon, s->palette.sky.zenith);
        s->palette.sky.image = &s->sky;
    }
    status = rvi_cover_prepare(&s->relief, &s->detail, v->snow, s->palette.dry, &s->cover);
    if (status == RV_OK && s->beyond) /* patches as large as on the block */
        s->cover.patch *= s->wide / (s->wide + 2 * s->rim);
    if (status == RV_OK)
        status = plant(s, v);
    return status == RV_OK ? make_light(s) : status;
}

/* Can there be trees, as far as is known before there is a camera? One that shows the whole block
 * stands at least a fifth of its longer side away from the middle. */
static bool may_plant(const rv_terrain *land, const rvi_view *v) {
    const rvi_shot *shot = &v->shot;
    if (v->look != RVI_LOOK_ALPINE || !(tree_metres(v) > 0))
        return false;
    if (!isnan(v->trees) || shot->placed || v->endless)
        return true;
    float half = shot->fov / 2 * (float)DEGREE, tangent = rvi_sinf(half) / rvi_cosf(half);
    float wide = (float)(rvi_maxi(land->width, land->height) - 1) * land->cell;
    float away = 0.2f * wide * shot->distance;
    return tree_metres(v) * (float)shot->height >= RVI_TREE_PIXELS * 2 * tangent * away;
}

size_t rvi_view_memory(const rv_terrain *land, const rvi_view *view) {
    rv_terrain shown = *land; /* only its size and what it has are looked at */
    size_t mirrored = 0;
    if (view->endless) {
        shown.width += 2 * rvi_mirrored_margin(land);
        shown.height += 2 * rvi_mirrored_margin(land);
        mirrored = rvi_outline_bytes(&shown) + sizeof shown;
    }
    /* The relief, two grids of light with the rows they are made in, the bands of the bedrock. */
    size_t floats = rvi_relief_cells(&shown, true) * 5 / 2 + 65536;
    if (rvi_strata_there(land))
        floats += rvi_cells(&shown);
    size_t trees = may_plant(land, view) ? rvi_trees_memory(&shown, tree_metres(view)) : 0;
    return rvi_relief_memory(&shown, true) + floats * sizeof(float) + sizeof(scene) + mirrored +
           trees;
}

rv_status rvi_view_draw(const rv_terrain *land, const rvi_view *view, unsigned char *rgb) {
    rv_context *ctx = land->ctx;
    scene *s = rvi_alloc(ctx, 1, sizeof *s, "a picture");
    if (!s)
        return RV_ERROR_MEMORY;
    s->rgb = rgb;
    rv_status status = prepare(land, view, s);
    s->across = (view->shot.width + TILE - 1) / TILE;
    int64_t down = (view->shot.height + TILE - 1) / TILE;
    if (status == RV_OK)
        status = rvi_parallel(ctx, s->across * down, draw_tile, s);
    rvi_free(ctx, s->open);
    rvi_trees_free(&s->trees);
    rvi_cover_release(&s->cover);
    rvi_relief_destroy(&s->relief);
    rv_terrain_destroy(s->beyond);
    rvi_free(ctx, s);
    return status;
}
