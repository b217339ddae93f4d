/* overlay.c: a field in colours, laid over the shaded land.
 *
 * L. Teissier, O. Le Tullier, T. Poyet, Interactive layered terrain generation, section 6: velocity
 * in HSV, the direction as hue and the speed as value; the more sediment, the redder. With the grey
 * g of the shaded land, 1 to 255, and of each cell a colour c and an alpha a:
 *
 *     pixel = g + a (c (0.4 + 0.6 g / 255) - g), rounded
 *
 * so that the relief stays visible in the colour, and where a is 0 the pixel is the shaded land.
 *
 *     water, sediment, eroded, deposited   t = v / limit, a = opacity sqrt(t)
 *     flow, area                           t = log(1 + 100 v / limit) / log(101), a = opacity t^2
 *     velocity                             t = |v| / limit, a = opacity min(1, 10 t); the hue is
 *                                          the compass bearing, the value t; no shade in c
 *     sediment, where there is water       v is the concentration, sediment / (sediment + water),
 *                                          and a fades out where the water is but a film
 *     every other field                    t = (v - lowest) / (limit - lowest), a = opacity
 *
 *     layers                               from the lowest up, each layer hides t = thickness /
 *                                          limit of the colours below it and of their alpha; one
 *                                          without a colour shows as the shaded land
 *
 * t is held to 0 ... 1. A limit that is not given is the value that 98 of 100 cells with more than
 * 0 do not pass; for other fields the highest; for layers half a metre.
 */
#include "picture/overlay.h"
#include "base/context.h"
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "picture/relief.h"
#include "terrain/hardness_volume.h"

#include <math.h>
#include <string.h>

enum { STOPS = 9 };

/* Fields that fade in from nothing. Their colours go through three stops. */
typedef struct style {
    const char *field;
    bool decades; /* on a logarithmic scale */
    float stops[3][3];
} style;

static const style STYLES[] = {
    {"water", false, {{128, 206, 232}, {40, 124, 208}, {6, 38, 128}}},
    {"flow", true, {{176, 214, 240}, {60, 136, 216}, {10, 46, 140}}},
    {"area", true, {{176, 214, 240}, {60, 136, 216}, {10, 46, 140}}},
    {"sediment", false, {{250, 196, 150}, {236, 96, 60}, {190, 0, 10}}},
    {"eroded", false, {{255, 210, 130}, {238, 118, 40}, {140, 24, 24}}},
    {"deposited", false, {{236, 226, 150}, {150, 186, 70}, {34, 100, 34}}},
};

/* Dark violet, teal, yellow: lightness rises evenly, so that equal steps of a field look equal. */
static const float EVEN[STOPS][3] = {
    {45, 8, 68},   {46, 38, 111},  {13, 72, 146},   {0, 108, 146},   {0, 140, 153},
    {6, 173, 153}, {78, 204, 133}, {173, 222, 115}, {247, 237, 118},
};

typedef struct painting {
    int width;
    const unsigned char *grey;
    const float *values; /* of the field, or the speed; NULL: the layers of `land` */
    const rv_terrain *land;
    const float *east, *south;     /* only of velocity */
    const float *sediment, *water; /* only of concentration */
    float *made;                   /* the speed or the concentration */
    const style *style;            /* NULL: every other field */
    float low, limit, opacity;
    unsigned char *rgb;
} painting;

static bool is_velocity(const char *view) {
    return strcmp(view, "velocity") == 0;
}

static bool is_layers(const char *view) {
    return strcmp(view, "layers") == 0;
}

const char *rvi_overlay_lacks(const rv_terrain *land, const char *view) {
    if (rvi_values_there(land, view) || is_layers(view) || rvi_volume_shows(land, view))
        return NULL;
    if (!is_velocity(view))
        return view;
    return !rvi_field_there(land, "velocity_x")   ? "velocity_x"
           : !rvi_field_there(land, "velocity_y") ? "velocity_y"
                                                  : NULL;
}

/* ---- colours ---- */

static void ramp(const float (*stops)[3], int count, float t, float colour[3]) {
    float at = t * (float)(count - 1);
    int k = rvi_mini((int)at, count - 2);
    for (int c = 0; c < 3; c++)
        colour[c] = stops[k][c] + (at - (float)k) * (stops[k + 1][c] - stops[k][c]);
}

/* North is red, and on with the compass: east yellow-green, south cyan, west violet. */
static void wheel(float east, float south, float value, float colour[3]) {
    float bearing = rvi_atan2f(east, -south) * (float)(3 / RVI_PI); /* sixths of a turn */
    float h = bearing < 0 ? bearing + 6 : bearing;
    colour[0] = 255 * value * rvi_clampf(fabsf(h - 3) - 1, 0, 1);
    colour[1] = 255 * value * rvi_clampf(2 - fabsf(h - 2), 0, 1);
    colour[2] = 255 * value * rvi_clampf(2 - fabsf(h - 4), 0, 1);
}

static void put(const painting *p, size_t i, float alpha, const float colour[3], float light) {
    float grey = (float)p->grey[i];
    for (int c = 0; c < 3; c++) {
        float value = grey + alpha * (colour[c] * light - grey);
        p->rgb[3 * i + (size_t)c] = (unsigned char)(value + 0.5f);
    }
}

static float light_of(const painting *p, size_t i) {
    return 0.4f + 0.6f * ((float)p->grey[i] / 255);
}

static float share(float part, float whole) {
    return whole > 0 ? rvi_clampf(part / whole, 0, 1) : 0;
}

/* Of water that carries sediment; a film of it is wet ground. */
static float seen_water(const painting *p, size_t i) {
    float shallow = rvi_relief_shallow(p->land);
    return rvi_smoothstep(0.1f * shallow, shallow, p->water[i]);
}

static void paint_fading(const painting *p, size_t i) {
    float colour[3], t = share(p->values[i], p->limit);
    if (p->style->decades)
        t = rvi_clampf(rvi_logf(1 + 100 * t) / 4.6151205f, 0, 1);
    ramp(p->style->stops, 3, t, colour);
    float alpha = p->opacity * (p->style->decades ? t * t : sqrtf(t));
    put(p, i, p->water ? alpha * seen_water(p, i) : alpha, colour, light_of(p, i));
}

static void paint_velocity(const painting *p, size_t i) {
    float colour[3] = {0, 0, 0}, t = share(p->values[i], p->limit);
    if (t > 0)
        wheel(p->east[i], p->south[i], t, colour);
    put(p, i, p->opacity * rvi_minf(1, 10 * t), colour, 1);
}

static void paint_layers(const painting *p, size_t i) {
    float colour[3] = {0, 0, 0}, alpha = 0; /* the colour is multiplied with alpha */
    for (int l = 0; l < p->land->layer_count; l++) {
        const rvi_layer *layer = &p->land->layers[l];
        float hides = l == 0 ? 1 : share(layer->thickness[i], p->limit);
        float shows = layer->colour != 0 ? hides : 0;
        for (int c = 0; c < 3; c++) {
            float own = (float)(layer->colour >> (16 - 8 * c) & 0xff);
            colour[c] = colour[c] * (1 - hides) + own * shows;
        }
        alpha = alpha * (1 - hides) + shows;
    }
    for (int c = 0; c < 3; c++)
        colour[c] = alpha > 0 ? colour[c] / alpha : 0;
    put(p, i, p->opacity * alpha, colour, light_of(p, i));
}

static void paint_other(const painting *p, size_t i) {
    float colour[3];
    ramp(EVEN, STOPS, share(p->values[i] - p->low, p->limit - p->low), colour);
    put(p, i, p->opacity, colour, light_of(p, i));
}

static void paint_rows(void *arg, int first, int end) {
    const painting *p = arg;
    size_t from = (size_t)first * (size_t)p->width, to = (size_t)end * (size_t)p->width;
    for (size_t i = from; i < to; i++) {
        if (!p->values)
            paint_layers(p, i);
        else if (p->east)
            paint_velocity(p, i);
        else if (p->style)
            paint_fading(p, i);
        else
            paint_other(p, i);
    }
}

/* ---- what the strongest colour stands for ---- */

float rvi_overlay_limit_of(const uint64_t *counts, float highest) {
    uint64_t all = 0, seen = 0;
    uint32_t bin = 0;
    for (int k = 0; k < RVI_OVERLAY_BINS; k++)
        all += counts[k];
    while (all > 0 && (seen += counts[bin]) * 100 < all * 98)
        bin++;
    return rvi_minf(rvi_float_from_bits((bin + 1) << 16), highest);
}

rv_status rvi_overlay_limit(const rv_terrain *land, const float *values, float *limit) {
    uint64_t *counts =
        rvi_alloc(land->ctx, RVI_OVERLAY_BINS, sizeof *counts, "the colours of a picture");
    if (!counts)
        return RV_ERROR_MEMORY;
    rv_status status = RV_OK;
    float highest = 0;
    for (int y = 0; status == RV_OK && y < land->height; y++) {
        const float *row = values + (size_t)y * (size_t)land->width;
        for (int x = 0; x < land->width; x++)
            if (row[x] > 0 && row[x] < INFINITY) {
                counts[rvi_bits_of_float(row[x]) >> 16]++;
                highest = rvi_maxf(highest, row[x]);
            }
        status = rvi_poll(land->ctx);
    }
    *limit = rvi_overlay_limit_of(counts, highest);
    rvi_free(land->ctx, counts);
    return status;
}

static rv_status find_range(const rv_terrain *land, painting *p) {
    if (!p->values) {
        p->limit = isnan(p->limit) ? 0.5f : p->limit;
        return RV_OK;
    }
    if (!p->east && !p->style) {
        float high;
        rvi_range(land->ctx, p->values, rvi_cells(land), &p->low, &high);
        p->limit = isnan(p->limit) ? high : p->limit;
        return RV_OK;
    }
    return isnan(p->limit) ? rvi_overlay_limit(land, p->values, &p->limit) : RV_OK;
}

static void speed_rows(void *arg, int first, int end) {
    const painting *p = arg;
    size_t from = (size_t)first * (size_t)p->width, to = (size_t)end * (size_t)p->width;
    for (size_t i = from; i < to; i++)
        p->made[i] = sqrtf(p->east[i] * p->east[i] + p->south[i] * p->south[i]);
}

static void concentration_rows(void *arg, int first, int end) {
    const painting *p = arg;
    size_t from = (size_t)first * (size_t)p->width, to = (size_t)end * (size_t)p->width;
    for (size_t i = from; i < to; i++) {
        float whole = p->sediment[i] + p->water[i];
        p->made[i] = seen_water(p, i) > 0 ? p->sediment[i] / whole : 0;
    }
}

static bool is_concentration(const rv_terrain *land, const char *view) {
    return strcmp(view, "sediment") == 0 && rvi_field_there(land, "water");
}

size_t rvi_overlay_memory(const rv_terrain *land, const char *view) {
    bool made = is_velocity(view) || is_concentration(land, view) || rvi_volume_shows(land, view);
    return rvi_cells(land) * (made ? 1 + sizeof(float) : 1);
}

/* Values that are no field, but follow from two, or from a volume. */
static rv_status make_values(const rv_terrain *land, const char *view, painting *p) {
    bool volume = rvi_volume_shows(land, view),
         velocity = !volume && !p->values && !is_layers(view);
    if (!volume && !velocity && !is_concentration(land, view))
        return RV_OK;
    p->made = rvi_alloc(land->ctx, rvi_cells(land), sizeof *p->made, "a field to paint");
    if (!p->made)
        return RV_ERROR_MEMORY;
    p->values = p->made;
    if (volume)
        return rvi_volume_surface(land, p->made);
    if (velocity) {
        p->east = rv_terrain_field(land, "velocity_x");
        p->south = rv_terrain_field(land, "velocity_y");
        return rvi_parallel_rows(land->ctx, land->height, speed_rows, p);
    }
    p->sediment = rv_terrain_field(land, "sediment");
    p->water = rv_terrain_field(land, "water");
    return rvi_parallel_rows(land->ctx, land->height, concentration_rows, p);
}

rv_status rvi_overlay_paint(const rv_terrain *land, const char *view, const rvi_overlay *how,
                            unsigned char *rgb) {
    rv_context *ctx = land->ctx;
    unsigned char *grey = rvi_alloc(ctx, rvi_cells(land), 1, "the shaded land");
    if (!grey)
        return RV_ERROR_MEMORY;
    painting p = {.width = land->width,
                  .grey = grey,
                  .values = rv_terrain_field(land, view),
                  .land = land,
                  .limit = how->limit,
                  .opacity = how->opacity,
                  .rgb = rgb};
    for (size_t k = 0; k < sizeof STYLES / sizeof STYLES[0]; k++)
        if (strcmp(STYLES[k].field, view) == 0)
            p.style = &STYLES[k];
    rv_status status = rvi_shade_grey(land, &how->light, grey);
    if (status == RV_OK)
        status = make_values(land, view, &p);
    if (status == RV_OK)
        status = find_range(land, &p);
    if (status == RV_OK)
        status = rvi_parallel_rows(ctx, land->height, paint_rows, &p);
    rvi_free(ctx, p.made);
    rvi_free(ctx, grey);
    return status;
}
