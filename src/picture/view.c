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
    FLOOR_SIDE = 160,
};

#define DEGREE (RVI_PI / 180)
#define LEAST_SUN 1e-3f /* beside the zenith; nearer to it no horizon is asked */

/* The work on a picture; rvi_view_scene is what a ray looks at. */
typedef rvi_view_work work;

/* ---- pixels ---- */

static void put(const work *w, int x, int y, const rvi_colour *c) {
    size_t at = (size_t)y * (size_t)w->k.camera.width + (size_t)x;
    rvi_tone_map_put(&w->tones, x, y, c, w->rgb + 3 * at);
}

/* What is seen of a tile, and what it is. */
typedef struct tile {
    rvi_colour seen[FRAMED * FRAMED];
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
    const work *w = arg;
    tile t;
    int left = (int)(block % w->across) * TILE, top = (int)(block / w->across) * TILE;
    int width = rvi_mini(TILE, w->k.camera.width - left);
    int height = rvi_mini(TILE, w->k.camera.height - top);
    for (int y = 0; y < height + 2; y++)
        for (int x = 0; x < width + 2; x++) {
            int kind;
            t.seen[y * FRAMED + x] = rvi_view_take(&w->s, left + x - 0.5, top + y - 0.5, &kind);
            t.kind[y * FRAMED + x] = (signed char)kind;
        }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int i = (y + 1) * FRAMED + x + 1;
            rvi_colour c = t.seen[i];
            if (at_edge(&t, i))
                c = rvi_view_refine(&w->s, left + x, top + y, c);
            put(w, left + x, top + y, &c);
        }
}

static rv_status draw_here(work *w) {
    w->across = (w->k.camera.width + TILE - 1) / TILE;
    int64_t down = (w->k.camera.height + TILE - 1) / TILE;
    return rvi_parallel(w->s.relief.land->ctx, w->across * down, draw_tile, w);
}

/* ---- the scene ---- */

float rvi_view_depth(const rv_terrain *land, float z) {
    int side = rvi_maxi(2, rvi_maxi(land->width, land->height)) - 1;
    return 0.045f * (float)side * land->cell / z;
}

bool rvi_view_sun(const rvi_view_work *w, rvi_sun_rules *out) {
    const float *sun = w->k.palette.sky.sun, height = w->k.sun_height;
    float wide = RVI_VIEW_SUN_WIDTH * (1 + height * height);
    if (!(sqrtf(sun[0] * sun[0] + sun[1] * sun[1]) > LEAST_SUN))
        return false;
    *out = rvi_horizon_rules(&w->s.relief, w->k.light_level, sun[0], sun[1], height - wide, w->k.z);
    return true;
}

static rv_status light_here(work *w, size_t count) {
    const rvi_relief *r = &w->s.relief;
    rvi_sun_rules sun;
    rv_status status =
        rvi_occlusion_make(r, w->k.light_level, RVI_VIEW_REACH * w->k.wide, w->k.z, w->light);
    return status == RV_OK && rvi_view_sun(w, &sun) ? rvi_horizon_make(r, &sun, w->light + count)
                                                    : status;
}

static rv_status make_light(work *w) {
    const rvi_relief *r = &w->s.relief;
    const float *sun = w->k.palette.sky.sun;
    w->k.light_level = rvi_light_level(r, RVI_VIEW_LIGHT_SIDE);
    w->k.floor_level = rvi_light_level(r, FLOOR_SIDE);
    const rvi_level *l = &r->level[w->k.light_level];
    size_t count = (size_t)l->width * (size_t)l->height;
    w->light = rvi_alloc(r->land->ctx, 2 * count, sizeof(float), "the light of a picture");
    if (!w->light)
        return RV_ERROR_MEMORY;
    w->s.open = w->light;
    w->s.shade = w->light + count;
    w->k.sun_height = sun[2] / rvi_maxf(sqrtf(sun[0] * sun[0] + sun[1] * sun[1]), LEAST_SUN);
    return w->maker ? w->maker->light(w->maker->arg, w) : light_here(w, count);
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
static rv_status plant(work *w, const rvi_view *v) {
    const rvi_relief *r = &w->s.relief;
    double away[3] = {0.5 * (r->width - 1) * (double)r->cell - w->k.camera.from[0],
                      0.5 * (r->height - 1) * (double)r->cell - w->k.camera.from[1],
                      (double)(0.5f * w->k.z * (r->low + r->high)) - w->k.camera.from[2]};
    float tall = tree_metres(v), pixels = tall / (w->k.pixel * (float)rvi_length3(away));
    bool seen = !isnan(v->trees) || v->shot.placed || v->endless || pixels >= RVI_TREE_PIXELS;
    if (w->k.look != RVI_LOOK_ALPINE || !(tall > 0) || !seen)
        return RV_OK;
    rv_status status = rvi_trees_make(&w->s.cover, tall, w->k.z, !w->maker, &w->s.trees);
    return status == RV_OK && w->maker ? w->maker->trees(w->maker->arg, w, tall) : status;
}

/* ---- what the processor sees of land that is elsewhere ---- */

static int sample(int size, int i, int count) {
    return (int)((int64_t)(size - 1) * i / count);
}

/* What cameras and the rules of the cover look at (camera.h, land_cover.h). */
static size_t list_samples(const rvi_relief *r, uint64_t *cells) {
    size_t count = 0, wide = (size_t)r->width;
    for (int j = 0; j <= RVI_CAMERA_SAMPLES; j++)
        for (int i = 0; i <= RVI_CAMERA_SAMPLES; i++)
            cells[count++] = (size_t)sample(r->height, j, RVI_CAMERA_SAMPLES) * wide +
                             (size_t)sample(r->width, i, RVI_CAMERA_SAMPLES);
    for (int k = 0; k < RVI_COVER_GRID * RVI_COVER_GRID * 16; k++) {
        int x = sample(r->width, k / 16 % RVI_COVER_GRID, RVI_COVER_GRID) + k % 4 - 1;
        int y = sample(r->height, k / 16 / RVI_COVER_GRID, RVI_COVER_GRID) + k / 4 % 4 - 1;
        if (x >= 0 && y >= 0 && x < r->width && y < r->height)
            cells[count++] = (size_t)y * wide + (size_t)x;
    }
    return count;
}

static rv_status bring_tops(const work *w, uint64_t *cells) {
    const rvi_relief *r = &w->s.relief;
    const rvi_level *l = &r->level[rvi_camera_level(r)];
    size_t count = (size_t)l->top_width * (size_t)l->top_height;
    for (size_t i = 0; i < count; i++)
        cells[i] = l->top + i;
    return w->maker->bring(w->maker->arg, r->pyramid, rvi_relief_floats(r), cells, count);
}

static rv_status bring_samples(const work *w) {
    const rvi_relief *r = &w->s.relief;
    rv_context *ctx = r->land->ctx;
    uint64_t *cells = rvi_alloc(ctx, RVI_VIEW_SAMPLES, sizeof *cells, "a picture");
    if (!cells)
        return RV_ERROR_MEMORY;
    size_t all = (size_t)r->width * (size_t)r->height;
    rv_status status = w->maker->bring(w->maker->arg, r->upper, all, cells, list_samples(r, cells));
    if (status == RV_OK && r->levels > 1)
        status = bring_tops(w, cells);
    rvi_free(ctx, cells);
    return status;
}

/* The four samples around a place, in metres from the first. */
static rv_status bring_place(const work *w, double east, double south) {
    const rvi_relief *r = &w->s.relief;
    double x = east / (double)r->cell, y = south / (double)r->cell;
    x = x > 0 ? x < r->width - 1 ? x : r->width - 1 : 0;
    y = y > 0 ? y < r->height - 1 ? y : r->height - 1 : 0;
    int i = rvi_mini((int)x, r->width - 2), j = rvi_mini((int)y, r->height - 2);
    uint64_t cells[4];
    for (int k = 0; k < 4; k++)
        cells[k] = (uint64_t)(j + k / 2) * (uint64_t)r->width + (uint64_t)(i + k % 2);
    return w->maker->bring(w->maker->arg, r->upper, (size_t)r->width * (size_t)r->height, cells, 4);
}

/* ---- all of it ---- */

static rvi_camera find_camera(const work *w, const rvi_shot *shot) {
    const rvi_relief *r = &w->s.relief;
    if (shot->placed)
        return rvi_camera_place(r, shot, (double)w->k.rim);
    if (!w->beyond)
        return rvi_camera_frame(r, shot);
    double middle[3] = {0.5 * (r->width - 1) * (double)r->cell,
                        0.5 * (r->height - 1) * (double)r->cell,
                        0.5 * (double)shot->z * (double)(r->low + r->high)};
    return rvi_camera_from(r, shot, middle, 0.8 * (double)(shot->distance * w->k.wide));
}

/* The ground below a camera decides how high it stands; where that is, is known before. */
static rv_status stand(work *w, const rvi_shot *shot) {
    rv_status status = RV_OK;
    double rim = (double)w->k.rim;
    if (w->maker && shot->placed)
        status = bring_place(w, shot->eye[0] + rim, shot->eye[1] + rim);
    if (status == RV_OK && w->maker && shot->placed)
        status = bring_place(w, shot->target[0] + rim, shot->target[1] + rim);
    w->k.camera = find_camera(w, shot);
    if (status != RV_OK || !w->maker || shot->placed)
        return status;
    status = bring_place(w, w->k.camera.from[0], w->k.camera.from[1]);
    w->k.camera = find_camera(w, shot);
    return status;
}

static rv_status make_block(work *w, const rv_terrain *land, float depth) {
    if (!w->maker)
        return rvi_relief_create(land, depth, true, &w->s.relief);
    rv_status status = w->maker->relief(w->maker->arg, land, depth, &w->s.relief);
    return status == RV_OK ? bring_samples(w) : status;
}

static rv_status make_relief(const rv_terrain *land, const rvi_view *v, work *w) {
    rv_status status = v->endless ? rvi_mirrored_land(land, &w->beyond) : RV_OK;
    if (status == RV_OK)
        status = make_block(w, v->endless ? w->beyond : land, rvi_view_depth(land, w->k.z));
    if (status != RV_OK)
        return status;
    w->k.rim = v->endless ? (float)rvi_mirrored_margin(land) * land->cell : 0;
    w->k.wide = (float)(rvi_maxi(w->s.relief.width, w->s.relief.height) - 1) * w->s.relief.cell -
                2 * w->k.rim;
    return RV_OK;
}

static rv_status prepare(const rv_terrain *land, const rvi_view *v, work *w) {
    w->k.z = v->shot.z;
    w->k.look = (int)v->look;
    w->k.beyond = v->endless;
    w->k.palette = v->palette ? *v->palette : *rvi_palette_of(v->look);
    rvi_detail_noise_make(&w->tables.detail, RVI_DETAIL_NOISE_SEED);
    rvi_tone_map_make(&w->tones, w->k.palette.exposure);
    rv_status status = make_relief(land, v, w);
    if (status != RV_OK)
        return status;
    rvi_shot shot = v->shot;
    if (isnan(shot.azimuth))
        shot.azimuth = rvi_camera_side(&w->s.relief);
    status = stand(w, &shot);
    if (status != RV_OK)
        return status;
    w->k.pixel = (float)(2 * w->k.camera.tangent / shot.height);
    w->k.haze = v->haze * w->k.palette.haze / w->k.wide;
    rvi_sky_place_sun(&w->k.palette.sky,
                      isnan(v->sun_azimuth) ? sun_side(shot.azimuth) : v->sun_azimuth,
                      isnan(v->sun_altitude) ? w->k.palette.sun_altitude : v->sun_altitude);
    w->s.normals = v->normals;
    if (v->sky.rgb) {
        rvi_sky_image_light(&w->tones, w->tables.sky_light);
        w->s.sky = (rvi_sky_image){v->sky, w->tables.sky_light};
        rvi_sky_image_mean(&w->s.sky, w->k.palette.sky.horizon, w->k.palette.sky.zenith);
    }
    status = rvi_cover_prepare(&w->s.relief, &w->tables.detail, v->snow, w->k.palette.dry != 0,
                               w->maker, &w->s.cover);
    if (status == RV_OK && w->beyond) /* patches as large as on the block */
        w->s.cover.patch *= w->k.wide / (w->k.wide + 2 * w->k.rim);
    if (status == RV_OK)
        status = plant(w, v);
    return status == RV_OK ? make_light(w) : status;
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
    return rvi_relief_memory(&shown, true) + floats * sizeof(float) + sizeof(work) + mirrored +
           trees;
}

rv_status rvi_view_make(const rv_terrain *land, const rvi_view *view,
                        const rvi_picture_maker *maker, unsigned char *rgb) {
    rv_context *ctx = land->ctx;
    work *w = rvi_alloc(ctx, 1, sizeof *w, "a picture");
    if (!w)
        return RV_ERROR_MEMORY;
    w->s.k = &w->k;
    w->maker = maker;
    w->rgb = rgb;
    rv_status status = prepare(land, view, w);
    if (status == RV_OK)
        status = w->maker ? maker->draw(maker->arg, w) : draw_here(w);
    rvi_free(ctx, w->light);
    rvi_trees_free(&w->s.trees);
    rvi_cover_release(&w->s.cover);
    rvi_relief_destroy(&w->s.relief);
    rv_terrain_destroy(w->beyond);
    rvi_free(ctx, w);
    return status;
}

rv_status rvi_view_draw(const rv_terrain *land, const rvi_view *view, unsigned char *rgb) {
    return rvi_view_make(land, view, NULL, rgb);
}
