/* view_cell.h: what a ray of a perspective picture meets, and its light, for the processor and for
 * devices; view.c has the equations. */
#ifndef RVI_PICTURE_VIEW_CELL_H
#define RVI_PICTURE_VIEW_CELL_H

#include "base/vector.h"
#include "picture/camera_cell.h"
#include "picture/hole_cell.h"
#include "picture/image_cell.h"
#include "picture/palette_cell.h"
#include "picture/tone_cell.h"
#include "picture/trees_cell.h"

enum {
    RVI_VIEW_MARCH = 48,    /* places along a line to the sun, for the floor */
    RVI_VIEW_SEEN_TREE = 9, /* beside the kinds of hits */
};

/* Half the width of the sun, as a tangent; larger than the true one, for softer shadows. */
#define RVI_VIEW_SUN_WIDTH 0.021f

/* The numbers of a picture. */
typedef struct rvi_view_numbers {
    rvi_camera camera;
    rvi_palette palette;
    int look;         /* rvi_look */
    int beyond;       /* the land goes on, mirrored; 0: a block */
    int light_level;  /* of the relief: that of the light, */
    int floor_level;  /* and that of shadows on the floor */
    float z;          /* exaggeration */
    float pixel;      /* the width of a pixel a metre away */
    float sun_height; /* its tangent */
    float haze;       /* optical depth a metre */
    float wide;       /* metres of the block's longer side */
    float rim;        /* metres of what lies beyond it on each side */
} rvi_view_numbers;

/* Tables that a device reads. */
typedef struct rvi_view_tables {
    rvi_level level[RVI_LEVELS];
    rvi_detail_noise detail;
    float curve[RVI_TONE_STEPS + 2];
    float sky_light[256];
    float band_edge[RVI_BANDS], band_soft[RVI_BANDS];
    uint32_t colours[RVI_COVER_LAYERS];
} rvi_view_tables;

typedef struct rvi_view_scene {
    const rvi_view_numbers *k;
    rvi_relief relief;
    rvi_cover_rules cover;
    rvi_trees trees;
    rvi_sky_image sky;                  /* the user's own; its image may be none */
    rvi_normal_map normals;             /* likewise */
    RVI_GRID const float *open, *shade; /* of the level: sky that is seen, horizon to the sun */
} rvi_view_scene;

/* A place that a ray met. */
typedef struct rvi_view_place {
    double x, y;    /* in cells of the relief */
    float z;        /* metres, as in the terrain */
    float far;      /* metres along the ray */
    float along[3]; /* the ray */
    float pixel;    /* metres that a pixel covers there */
} rvi_view_place;

RVI_CONSTANT float RVI_WATER_TAKES[3] = {0.42f, 0.11f, 0.075f}; /* of the light, each metre */

/* The sky in a direction. */
static inline void rvi_view_sky(const rvi_view_scene *s, const float along[3], float out[3]) {
    if (s->sky.image.rgb)
        rvi_sky_image_at(&s->sky, along, out);
    else
        rvi_sky_at(&s->k->palette.sky, along, out);
}

/* ---- light ---- */

static inline float rvi_view_light_grid(const rvi_view_scene *s, RVI_GRID const float *grid,
                                        double x, double y) {
    RVI_GRID const rvi_level *l = &s->relief.level[s->k->light_level];
    double scale = 1.0 / (double)(1 << s->k->light_level);
    return rvi_grid_at(grid, l->width, l->height, (x + 0.5) * scale - 0.5, (y + 0.5) * scale - 0.5);
}

static inline float rvi_view_lit(const rvi_view_scene *s, float horizon) {
    float wide = RVI_VIEW_SUN_WIDTH * (1 + s->k->sun_height * s->k->sun_height);
    return 1 - rvi_smoothstep(s->k->sun_height - wide, s->k->sun_height + wide, horizon);
}

static inline void rvi_view_light_on(const rvi_view_scene *s, const float normal[3], float sun,
                                     float open, rvi_colour *out) {
    rvi_sky_light(&s->k->palette.sky, s->k->palette.floor, normal, sun, open, out->v);
}

/* How much haze hides what lies beyond the edge of the map: none at the edge, all at the end. */
static inline float rvi_view_haze_beyond(const rvi_view_scene *s, const rvi_view_place *p) {
    const rvi_relief *r = &s->relief;
    float x = (float)p->x * r->cell, y = (float)p->y * r->cell;
    float wide = (float)(r->width - 1) * r->cell, high = (float)(r->height - 1) * r->cell;
    float out = rvi_maxf(rvi_maxf(s->k->rim - x, x - (wide - s->k->rim)),
                         rvi_maxf(s->k->rim - y, y - (high - s->k->rim)));
    float share = rvi_maxf(out, 0) / (0.92f * s->k->rim);
    return 5 * share * share;
}

/* The air between the camera and a place. */
static inline void rvi_view_through_air(const rvi_view_scene *s, const rvi_view_place *p,
                                        float density, rvi_colour *c) {
    float path = rvi_maxf(0, p->far - (float)s->k->camera.nearest) * density;
    float depth = s->k->haze * path, sky[3];
    if (s->k->beyond)
        depth += rvi_view_haze_beyond(s, p);
    float keep = rvi_expf(-depth);
    float level[3] = {p->along[0], p->along[1], 0};
    rvi_view_sky(s, level, sky);
    for (int k = 0; k < 3; k++)
        c->v[k] = c->v[k] * keep + sky[k] * (1 - keep);
}

/* There is more haze in valleys than over summits. */
static inline float rvi_view_air_at(const rvi_view_scene *s, float z) {
    float up = (z - s->relief.low) / rvi_maxf(s->cover.relief_of, 1);
    return 0.35f + 0.65f * (1 - rvi_smoothstep(0, 0.8f, up));
}

/* ---- the ground ---- */

/* Adds bumps that the terrain is too coarse for to the slope; those smaller than a pixel are left
 * out. */
static inline void rvi_view_roughen(const rvi_view_scene *s, const rvi_view_place *p,
                                    const rvi_cover *cover, float slope[2]) {
    float amount = s->k->palette.bumps *
                   (0.34f * cover->weight[RVI_COVER_ROCK] + 0.10f * cover->weight[RVI_COVER_GRASS] +
                    0.10f * cover->weight[RVI_COVER_SEDIMENT] +
                    0.035f * cover->weight[RVI_COVER_SNOW] + 0.03f * cover->weight[RVI_COVER_SAND]);
    float cell = s->relief.land_cell, size = 2.6f * cell;
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
        rvi_bump b = rvi_detail_noise_at(s->cover.detail, east / size, south / size);
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
static inline void rvi_view_bend_slope(const rvi_view_scene *s, const rvi_view_place *p,
                                       float slope[2]) {
    const rvi_relief *r = &s->relief;
    double rim = (double)s->k->rim, cell = (double)r->cell;
    double wide = (r->width - 1) * cell - 2 * rim, high = (r->height - 1) * cell - 2 * rim;
    float own[2];
    rvi_normal_map_slope(&s->normals, p->x * cell - rim, p->y * cell - rim, wide, high, own);
    float seen = 1 - rvi_smoothstep(1.5f, 6, p->pixel / rvi_normal_map_pixel(&s->normals, wide));
    bool instead = isnan(s->normals.tile);
    for (int c = 0; c < 2; c++)
        slope[c] += seen * (instead ? own[c] - slope[c] : own[c]);
}

static inline void rvi_view_normal_of(const float slope[2], float z, float out[3]) {
    float x = -slope[0] * z, y = -slope[1] * z, length = sqrtf(1 + x * x + y * y);
    out[0] = x / length;
    out[1] = y / length;
    out[2] = 1 / length;
}

static inline void rvi_view_ground_colour(const rvi_view_scene *s, const rvi_view_place *p,
                                          const rvi_cover *cover, float slope, rvi_colour *out) {
    if (s->k->look == RVI_LOOK_CLAY) {
        for (int c = 0; c < 3; c++)
            out->v[c] = s->k->palette.rock[0][c];
        return;
    }
    if (s->k->look == RVI_LOOK_MAP) {
        rvi_palette_map(&s->cover, p->z, p->pixel * rvi_maxf(slope, 0.02f), out->v);
        return;
    }
    float bands = 0;
    if (cover->weight[RVI_COVER_ROCK] > 0.02f)
        bands = rvi_palette_bands(&s->cover, p->x, p->y, p->z, rvi_maxf(s->cover.relief_of / 26, 1),
                                  cover->patch, p->pixel * rvi_maxf(slope, 0.3f));
    rvi_palette_ground(&s->k->palette, cover, bands, out->v);
}

/* Is a place in the shadow of a tree? */
static inline bool rvi_view_below_tree(const rvi_view_scene *s, const rvi_view_place *p) {
    const float *sun = s->k->palette.sky.sun;
    double cell = (double)s->relief.cell, z = (double)s->k->z;
    rvi_ray ray = {{p->x, p->y, (double)p->z},
                   {(double)sun[0] / cell, (double)sun[1] / cell, (double)sun[2] / z}};
    rvi_conifer_hit hit;
    double far = (double)s->trees.tallest / (sun[2] > 0.08f ? (double)sun[2] : 0.08);
    return rvi_trees_trace(&s->trees, &ray, 1e-3, far, &hit);
}

static inline rvi_colour rvi_view_shade_land(const rvi_view_scene *s, const rvi_view_place *p) {
    float slope[2], normal[3];
    rvi_relief_slope(&s->relief, p->x, p->y, 1.3f * p->pixel / s->relief.cell, slope);
    float steep = sqrtf(slope[0] * slope[0] + slope[1] * slope[1]);
    rvi_cover cover = {0};
    bool natural = s->k->look == RVI_LOOK_ALPINE || s->k->look == RVI_LOOK_DESERT;
    if (natural) {
        cover = rvi_cover_at(&s->cover, p->x, p->y, p->z, slope, p->pixel / s->relief.land_cell);
        rvi_view_roughen(s, p, &cover, slope);
        if (s->trees.tree)
            cover.wood *= 0.4f; /* the ground between the trees */
    }
    if (s->normals.image.rgb)
        rvi_view_bend_slope(s, p, slope);
    rvi_colour ground, light;
    rvi_view_ground_colour(s, p, &cover, steep, &ground);
    rvi_view_normal_of(slope, s->k->z, normal);
    float sun = rvi_view_lit(s, rvi_view_light_grid(s, s->shade, p->x, p->y));
    if (s->trees.tree && sun > 0 && rvi_view_below_tree(s, p))
        sun *= 0.25f;
    rvi_view_light_on(s, normal, sun, rvi_view_light_grid(s, s->open, p->x, p->y), &light);
    for (int c = 0; c < 3; c++)
        ground.v[c] *= light.v[c];
    return ground;
}

static inline rvi_colour rvi_view_shade_tree(const rvi_view_scene *s, const rvi_view_place *p,
                                             const rvi_conifer_hit *hit) {
    rvi_colour c, light;
    float sun = rvi_view_lit(s, rvi_view_light_grid(s, s->shade, p->x, p->y)),
          open = 0.35f + 0.5f * hit->up;
    rvi_view_light_on(s, hit->normal, sun, open * rvi_view_light_grid(s, s->open, p->x, p->y),
                      &light);
    for (int k = 0; k < 3; k++) {
        float needle = 2.1f * s->k->palette.wood[k] + 0.25f * s->k->palette.grass[0][k];
        c.v[k] = needle * (1 + 0.35f * hit->tree->shade) * light.v[k];
    }
    return c;
}

/* ---- cuts and the floor ---- */

/* A wall faces along an axis; at the edge of a hole, to the hole. */
static inline void rvi_view_face_of_wall(const rvi_view_scene *s, const rvi_view_place *p,
                                         const rvi_hit *hit, float normal[3]) {
    const rvi_relief *r = &s->relief;
    double at = hit->axis == 0 ? p->x : p->y, last = (hit->axis == 0 ? r->width : r->height) - 1;
    bool at_hole = r->hole && at > 0.5 && at < last - 0.5;
    float to[2];
    normal[0] = normal[1] = normal[2] = 0;
    normal[hit->axis] = (float)hit->side;
    if (!at_hole || !rvi_hole_edge_facing(r->hole, r->land_width, r->land_height,
                                          p->x * (double)r->step, p->y * (double)r->step, to))
        return;
    normal[0] = to[0];
    normal[1] = to[1];
}

static inline rvi_colour rvi_view_shade_cut(const rvi_view_scene *s, const rvi_view_place *p,
                                            const rvi_hit *hit) {
    const rvi_relief *r = &s->relief;
    float top = rvi_grid_at(r->z, r->width, r->height, p->x, p->y);
    float normal[3], tall = (p->z - r->base) / rvi_maxf(r->low - r->base, 1e-3f);
    rvi_view_face_of_wall(s, p, hit, normal);
    rvi_colour cut, light;
    if (hit->kind == RVI_HIT_BASIN) {
        float level = rvi_grid_at(r->upper, r->width, r->height, p->x, p->y);
        float deep = rvi_expf(-0.03f * (level - p->z));
        /* Pale water must not be brighter than white. */
        float bright = rvi_minf(2 + 5 * deep, 0.6f / s->k->palette.water[2]);
        for (int c = 0; c < 3; c++)
            cut.v[c] = s->k->palette.water[c] * bright;
    } else {
        rvi_palette_cut(&s->k->palette, &s->cover, p->x, p->y, p->z, top - p->z, p->pixel / s->k->z,
                        cut.v);
    }
    rvi_view_light_on(s, normal, 1, 0.45f + 0.45f * rvi_smoothstep(0, 1.5f, tall), &light);
    for (int c = 0; c < 3; c++)
        cut.v[c] *= light.v[c];
    return cut;
}

/* How much of a line of sight lies over the block; false: none. Places in cells. */
static inline bool rvi_view_over_block(const rvi_relief *r, double x, double y,
                                       const double along[2], double span[2]) {
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
static inline float rvi_view_block_before_sun(const rvi_view_scene *s, double x, double y) {
    const rvi_relief *r = &s->relief;
    const float *sun = s->k->palette.sky.sun;
    double flat = sqrt((double)(sun[0] * sun[0] + sun[1] * sun[1]));
    if (flat < 1e-6)
        return 0;
    double along[2] = {(double)sun[0] / flat, (double)sun[1] / flat}, span[2];
    if (!rvi_view_over_block(r, x, y, along, span))
        return 0;
    int level = s->k->floor_level;
    RVI_GRID const rvi_level *l = &r->level[level];
    double scale = 1.0 / (double)(1 << level);
    float most = 0;
    for (int k = 0; k <= RVI_VIEW_MARCH; k++) {
        double far = span[0] + (span[1] - span[0]) * k / RVI_VIEW_MARCH;
        double px = x + far * along[0], py = y + far * along[1];
        float top = rvi_grid_at(rvi_block_means(r, level), l->width, l->height,
                                (px + 0.5) * scale - 0.5, (py + 0.5) * scale - 0.5);
        float up = (top - r->base) * s->k->z / ((float)far * r->cell + 1e-3f);
        most = rvi_maxf(most, up);
    }
    return most;
}

/* The sky that a place on the floor sees beside the nearest wall. */
static inline float rvi_view_floor_open(const rvi_view_scene *s, double x, double y) {
    const rvi_relief *r = &s->relief;
    double nx = x < 0 ? 0 : x > r->width - 1 ? r->width - 1 : x;
    double ny = y < 0 ? 0 : y > r->height - 1 ? r->height - 1 : y;
    float dx = (float)(x - nx) * r->cell, dy = (float)(y - ny) * r->cell;
    float away = sqrtf(dx * dx + dy * dy);
    float wall = (rvi_grid_at(r->upper, r->width, r->height, nx, ny) - r->base) * s->k->z;
    float open = 0.5f + 0.5f * away / sqrtf(away * away + wall * wall + 1e-6f);
    return away > 0 ? open : 0.35f;
}

static inline rvi_colour rvi_view_shade_floor(const rvi_view_scene *s, const rvi_view_place *p) {
    rvi_colour light, out;
    const float up[3] = {0, 0, 1};
    rvi_view_light_on(s, up, rvi_view_lit(s, rvi_view_block_before_sun(s, p->x, p->y)),
                      rvi_view_floor_open(s, p->x, p->y), &light);
    for (int c = 0; c < 3; c++)
        out.v[c] = s->k->palette.floor[c] * light.v[c];
    /* The floor fades into the sky at the horizon, wherever the camera stands. */
    float rest = rvi_maxf(0, p->far - (float)s->k->camera.nearest) / s->k->wide;
    float keep = rvi_expf(-0.30f * rest), sky[3];
    float level[3] = {p->along[0], p->along[1], 0};
    rvi_view_sky(s, level, sky);
    for (int c = 0; c < 3; c++)
        out.v[c] = out.v[c] * keep + sky[c] * (1 - keep);
    return out;
}

/* ---- rays ---- */

static inline rvi_view_place rvi_view_spot_at(const rvi_view_scene *s, const rvi_hit *hit,
                                              const double along[3], float before) {
    rvi_view_place p = {.x = hit->x, .y = hit->y, .z = (float)hit->z, .far = (float)hit->t};
    for (int k = 0; k < 3; k++)
        p.along[k] = (float)along[k];
    p.pixel = (p.far + before) * s->k->pixel;
    return p;
}

static inline rvi_ray rvi_view_ray_of(const rvi_view_scene *s, const double from[3],
                                      const double along[3]) {
    double cell = (double)s->relief.cell, z = (double)s->k->z;
    return (rvi_ray){{from[0] / cell, from[1] / cell, from[2] / z},
                     {along[0] / cell, along[1] / cell, along[2] / z}};
}

static inline rvi_hit rvi_view_trace(const rvi_view_scene *s, const double from[3],
                                     const double along[3]) {
    rvi_ray ray = rvi_view_ray_of(s, from, along);
    return rvi_relief_trace(&s->relief, &ray);
}

/* Does a ray meet a tree before the ground? Only where it is lower above the ground than a tree is
 * high: where it would meet land that stands so much higher. */
static inline bool rvi_view_meets_tree(const rvi_view_scene *s, const double from[3],
                                       const double along[3], const rvi_hit *ground,
                                       rvi_conifer_hit *out) {
    if (!s->trees.tree)
        return false;
    rvi_ray ray = rvi_view_ray_of(s, from, along), lower = ray;
    lower.from[2] -= (double)(s->trees.tallest / s->k->z);
    rvi_hit shell = rvi_relief_trace(&s->relief, &lower);
    double far = ground->kind == RVI_HIT_NONE ? 1e30 : ground->t;
    return shell.kind != RVI_HIT_NONE && rvi_trees_trace(&s->trees, &ray, shell.t, far, out);
}

/* What lies behind the block: floor or sky. */
static inline rvi_colour rvi_view_backdrop(const rvi_view_scene *s, const double from[3],
                                           const double along[3], float before) {
    rvi_colour out;
    double base = (double)(s->relief.base * s->k->z);
    double t = along[2] < -1e-9 && !s->k->beyond ? (base - from[2]) / along[2] : 1e30;
    if (t > 0 && t < 1e8 * (double)s->k->wide) {
        rvi_hit hit = {.t = t, .z = (double)s->relief.base};
        hit.x = (from[0] + t * along[0]) / (double)s->relief.cell;
        hit.y = (from[1] + t * along[1]) / (double)s->relief.cell;
        rvi_view_place p = rvi_view_spot_at(s, &hit, along, before);
        return rvi_view_shade_floor(s, &p);
    }
    float to[3] = {(float)along[0], (float)along[1], (float)along[2]};
    rvi_view_sky(s, to, out.v);
    return out;
}

/* Small waves, as a slope. */
static inline void rvi_view_ripple(const rvi_view_scene *s, const rvi_view_place *p,
                                   float slope[2]) {
    float size = rvi_clampf(0.35f * s->relief.land_cell, 0.5f, 20);
    float seen = 1 - rvi_smoothstep(0.15f, 0.6f, p->pixel / (size * rvi_maxf(-p->along[2], 0.05f)));
    float x = (float)p->x * s->relief.cell / size, y = (float)p->y * s->relief.cell / size;
    rvi_bump a = rvi_detail_noise_at(s->cover.detail, x, y),
             b = rvi_detail_noise_at(s->cover.detail, 2.3f * y, 2.3f * x);
    slope[0] = 0.022f * seen * (a.dx + 0.7f * b.dy);
    slope[1] = 0.022f * seen * (a.dy + 0.7f * b.dx);
}

static inline rvi_colour rvi_view_reflection(const rvi_view_scene *s, const rvi_view_place *p,
                                             const float normal[3]) {
    float twice = 2 * rvi_dot3f(p->along, normal);
    double along[3], cell = (double)s->relief.cell;
    for (int k = 0; k < 3; k++)
        along[k] = (double)(p->along[k] - twice * normal[k]);
    along[2] = along[2] < 0.01 ? 0.01 : along[2];
    double from[3] = {p->x * cell, p->y * cell, (double)(p->z * s->k->z) + 1e-3 * cell};
    rvi_hit hit = rvi_view_trace(s, from, along);
    if (hit.kind == RVI_HIT_LAND) {
        rvi_view_place there = rvi_view_spot_at(s, &hit, along, p->far);
        there.pixel *= 2;
        return rvi_view_shade_land(s, &there);
    }
    float to[3] = {(float)along[0], (float)along[1], (float)along[2]};
    rvi_colour out;
    rvi_view_sky(s, to, out.v);
    return out;
}

static inline rvi_colour rvi_view_shade_water(const rvi_view_scene *s, const rvi_view_place *p) {
    const rvi_relief *r = &s->relief;
    float slope[2], normal[3], flat[3] = {0, 0, 1};
    rvi_view_ripple(s, p, slope);
    rvi_view_normal_of(slope, 1, normal);
    rvi_view_place bed = *p;
    bed.z = rvi_grid_at(r->z, r->width, r->height, p->x, p->y);
    float depth = rvi_maxf(0, p->z - bed.z);
    float cosine = rvi_maxf(0.02f, -rvi_dot3f(p->along, normal)), grazing = 1 - rvi_minf(cosine, 1);
    float squared = grazing * grazing;
    float mirrors = 0.02f + 0.98f * squared * squared * grazing;
    rvi_colour below = rvi_view_shade_land(s, &bed), light,
               over = rvi_view_reflection(s, p, normal);
    rvi_view_light_on(s, flat, rvi_view_lit(s, rvi_view_light_grid(s, s->shade, p->x, p->y)), 1,
                      &light);
    float path = depth * (1 + 1 / sqrtf(1 - 0.5625f * (1 - rvi_minf(cosine * cosine, 1))));
    float plain = s->k->look == RVI_LOOK_MAP ? rvi_smoothstep(0, 0.5f, depth) : 0;
    for (int c = 0; c < 3; c++) {
        float keep = rvi_expf(-RVI_WATER_TAKES[c] * path) * (1 - plain);
        float body = below.v[c] * keep + s->k->palette.water[c] * light.v[c] * (1 - keep);
        below.v[c] = body + mirrors * (over.v[c] - body);
    }
    return below;
}

static inline rvi_colour rvi_view_see(const rvi_view_scene *s, double x, double y, int *kind) {
    double along[3];
    rvi_camera_look(&s->k->camera, x, y, along);
    rvi_hit hit = rvi_view_trace(s, s->k->camera.from, along);
    rvi_conifer_hit tree;
    *kind = (int)hit.kind;
    if (rvi_view_meets_tree(s, s->k->camera.from, along, &hit, &tree)) {
        double t = tree.t, cell = (double)s->relief.cell, z = (double)s->k->z;
        hit = (rvi_hit){.kind = RVI_HIT_LAND,
                        .t = t,
                        .x = (s->k->camera.from[0] + t * along[0]) / cell,
                        .y = (s->k->camera.from[1] + t * along[1]) / cell,
                        .z = (s->k->camera.from[2] + t * along[2]) / z};
        *kind = RVI_VIEW_SEEN_TREE;
        rvi_view_place p = rvi_view_spot_at(s, &hit, along, 0);
        rvi_colour c = rvi_view_shade_tree(s, &p, &tree);
        rvi_view_through_air(s, &p, rvi_view_air_at(s, p.z), &c);
        return c;
    }
    bool cut = hit.kind == RVI_HIT_WALL || hit.kind == RVI_HIT_BASIN;
    if (hit.kind == RVI_HIT_NONE || (s->k->beyond && cut)) {
        *kind = along[2] < 0 ? -1 : 0;
        return rvi_view_backdrop(s, s->k->camera.from, along, 0);
    }
    rvi_view_place p = rvi_view_spot_at(s, &hit, along, 0);
    rvi_colour c = hit.kind == RVI_HIT_LAND    ? rvi_view_shade_land(s, &p)
                   : hit.kind == RVI_HIT_WATER ? rvi_view_shade_water(s, &p)
                                               : rvi_view_shade_cut(s, &p, &hit);
    rvi_view_through_air(s, &p, rvi_view_air_at(s, p.z), &c);
    return c;
}

/* ---- pixels ---- */

/* Where in a pixel the four more rays go that it gets when it differs from its neighbours. */
RVI_CONSTANT double RVI_VIEW_MORE[4][2] = {
    {0.375, 0.125}, {0.875, 0.375}, {0.625, 0.875}, {0.125, 0.625}};

RVI_CALLED rvi_colour rvi_view_take(const rvi_view_scene *s, double x, double y, int *kind) {
    return rvi_tone_apply(s->k->palette.exposure, rvi_view_see(s, x, y, kind));
}

/* A pixel that differs from its neighbours gets four more rays. */
static inline rvi_colour rvi_view_refine(const rvi_view_scene *s, int x, int y, rvi_colour sum) {
    for (int k = 0; k < 4; k++) {
        int kind;
        rvi_colour c = rvi_view_take(s, x + RVI_VIEW_MORE[k][0], y + RVI_VIEW_MORE[k][1], &kind);
        for (int i = 0; i < 3; i++)
            sum.v[i] += c.v[i];
    }
    for (int i = 0; i < 3; i++)
        sum.v[i] *= 0.2f;
    return sum;
}

#endif
