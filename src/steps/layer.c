/* layer.c: a material laid on the land, or more of one that is there.
 *
 * B. Benes and R. Forsbach, Layered data representation for visual simulation of terrain erosion,
 * 2001: the land is a stack of thicknesses. What is added to a cell is
 *
 *     thickness  image  (1 - noise (1 - n))  b  s  mask
 *
 * with n noise from 0 to 1; b = (below - h) / fade and s = (slope - a) / (slope / 5), both held
 * between 0 and 1, h the surface in metres and a its angle in degrees, from the mean of the slopes
 * on both sides along each axis.
 */
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "steps/step.h"
#include "wear/map_image.h"
#include "wear/noise_map.h"

#include <math.h>
#include <string.h>

/* Rough values: how easily it is eroded, and the slope at which a heap of it stands. */
static const struct material {
    const char *name;
    float erodibility, talus;
    uint32_t colour;
} MATERIALS[] = {
    {"rock", 0.1f, 60, 0xff8a8178}, {"gravel", 0.6f, 38, 0xff9c9488},
    {"sand", 0.9f, 34, 0xffd9c38c}, {"soil", 0.7f, 40, 0xff6b5238},
    {"clay", 0.4f, 45, 0xffa0694b}, {"ash", 1, 35, 0xff5a5552},
    {"snow", 1, 38, 0xfff4f6fa},
};

typedef struct laying {
    const rv_layer_params *p;
    const float *surface, *mask; /* mask, image and noise NULL: none */
    float *image, *noise;
    float noise_low, noise_span;
    int width, height;
    float cell;
    float thickness;    /* to be added, metres */
    float *made, *onto; /* onto: the layer that gets it */
    int layer;          /* its number */
} laying;

static float angle_at(const laying *l, int x, int y) {
    int west = rvi_maxi(x - 1, 0), east = rvi_mini(x + 1, l->width - 1);
    int north = rvi_maxi(y - 1, 0), south = rvi_mini(y + 1, l->height - 1);
    const float *row = l->surface + (size_t)y * (size_t)l->width, *column = l->surface + x;
    float across = (float)rvi_maxi(east - west, 1) * l->cell;
    float down = (float)rvi_maxi(south - north, 1) * l->cell;
    float gx = (row[east] - row[west]) / across;
    float gy =
        (column[(size_t)south * (size_t)l->width] - column[(size_t)north * (size_t)l->width]) /
        down;
    return rvi_atanf(sqrtf(gx * gx + gy * gy)) * (float)(180 / RVI_PI);
}

static float amount_at(const laying *l, int x, int y) {
    const rv_layer_params *p = l->p;
    size_t i = (size_t)y * (size_t)l->width + (size_t)x;
    float amount = l->thickness;
    amount *= l->image ? l->image[i] : 1;
    amount *= l->mask ? l->mask[i] : 1;
    if (l->noise)
        amount *= 1 - p->noise * (1 - (l->noise[i] - l->noise_low) / l->noise_span);
    if (!isnan(p->below)) {
        float under = p->below - l->surface[i];
        amount *= p->fade > 0 ? rvi_clampf(under / p->fade, 0, 1) : (float)(under > 0);
    }
    if (!isnan(p->slope)) {
        float under = p->slope - angle_at(l, x, y);
        amount *= under > 0 ? rvi_minf(under / (0.2f * p->slope), 1) : 0;
    }
    return amount;
}

static void make_rows(void *arg, int first, int end) {
    const laying *l = arg;
    for (int y = first; y < end; y++)
        for (int x = 0; x < l->width; x++)
            l->made[(size_t)y * (size_t)l->width + (size_t)x] = amount_at(l, x, y);
}

static void add_rows(void *arg, int first, int end) {
    const laying *l = arg;
    size_t i = (size_t)first * (size_t)l->width, last = (size_t)end * (size_t)l->width;
    for (; i < last; i++)
        l->onto[i] += l->made[i];
}

static rv_status make_thickness(rvi_job *job, laying *l) {
    const rv_terrain *land = job->land;
    const rv_layer_params *p = l->p;
    l->surface = land->surface;
    l->mask = rvi_field_get(land, "mask");
    l->noise_span = 1;
    rv_status status = p->image[0] ? rvi_map_image_load(job, p->image, &l->image) : RV_OK;
    if (status == RV_OK && l->noise) {
        rv_noise_params n = rv_noise_params_default();
        n.frequency = p->frequency;
        n.seed = p->seed;
        status = rvi_noise_make(job, &n, l->noise);
        float high;
        rvi_range(job->ctx, l->noise, rvi_cells(land), &l->noise_low, &high);
        l->noise_span = high > l->noise_low ? high - l->noise_low : 1;
    }
    if (status == RV_OK)
        status = rvi_parallel_rows(job->ctx, land->height, make_rows, l);
    rvi_free(job->ctx, l->image);
    return status;
}

/* Six hexadecimal digits, RRGGBB, or nothing. */
static rv_status read_colour(rvi_job *job, const char *text, uint32_t *out) {
    uint32_t value = 0;
    size_t size = strlen(text);
    bool right = size == 6 || size == 0;
    for (size_t i = 0; right && i < size; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = strchr(digits, text[i]);
        right = digit != NULL;
        value = value << 4 | (right ? (uint32_t)(digit - digits) & 15 : 0);
    }
    if (!right)
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "layer: colour=%.40s is not six hexadecimal digits, RRGGBB.", text);
    *out = size ? 0xff000000 | value : 0;
    return RV_OK;
}

/* What the parameters say; the rest stays as it is in `desc`. */
static void set_properties(const rv_layer_params *p, uint32_t colour, rv_layer_desc *desc) {
    desc->erodibility = isnan(p->erodibility) ? desc->erodibility : p->erodibility;
    desc->talus = isnan(p->talus) ? desc->talus : p->talus;
    desc->colour = colour ? colour : desc->colour;
}

static rv_layer_desc describe(const char *name) {
    for (size_t i = 0; i < sizeof MATERIALS / sizeof MATERIALS[0]; i++)
        if (strcmp(MATERIALS[i].name, name) == 0)
            return (rv_layer_desc){.name = name,
                                   .erodibility = MATERIALS[i].erodibility,
                                   .talus = MATERIALS[i].talus,
                                   .colour = MATERIALS[i].colour};
    return (rv_layer_desc){.name = name, .erodibility = 1, .talus = 35};
}

static rv_status run(rvi_job *job) {
    rv_terrain *land = job->land;
    laying *l = job->state;
    rv_status status = make_thickness(job, l);
    if (status != RV_OK)
        return status;
    const rvi_layer *after = &job->after.layers[l->layer];
    if (l->layer == land->layer_count) {
        rv_layer_desc desc = rv_terrain_layer(&job->after, l->layer);
        return rv_terrain_layer_add(land, &desc, l->made);
    }
    rvi_layer *to = &land->layers[l->layer];
    l->onto = to->thickness;
    if (l->thickness > 0) /* -0 stays as it is */
        rvi_finish_rows(job->ctx, land->height, add_rows, l);
    to->erodibility = after->erodibility;
    to->talus = after->talus;
    to->colour = after->colour;
    rvi_terrain_sum_layers(land);
    return RV_OK;
}

/* Adds the layer to the outline, or gives one that is there the properties of the parameters. */
static rv_status outline_layer(rv_terrain *after, int layer, const rv_layer_params *p,
                               uint32_t colour) {
    bool fresh = layer == after->layer_count;
    rv_layer_desc desc = fresh ? describe(p->name) : rv_terrain_layer(after, layer);
    set_properties(p, colour, &desc);
    if (fresh)
        return rv_terrain_layer_add(after, &desc, NULL);
    rvi_layer *to = &after->layers[layer];
    to->erodibility = desc.erodibility;
    to->talus = desc.talus;
    to->colour = desc.colour;
    return RV_OK;
}

rv_status rvi_step_layer(rvi_job *job, const rv_layer_params *p) {
    const rv_terrain *land = job->land;
    uint32_t colour = 0;
    rv_status status = read_colour(job, p->colour, &colour);
    if (status != RV_OK)
        return status;
    laying *l = rvi_job_begin(job, sizeof *l, run, NULL);
    if (!l)
        return RV_ERROR_MEMORY;
    *l = (laying){.p = p, .width = land->width, .height = land->height, .cell = land->cell};
    l->layer = rvi_layer_index(land, p->name);
    l->thickness = !isnan(p->thickness) ? p->thickness : l->layer > 0 ? 2.0f : 0.0f;
    if (rv_field_find(p->name))
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "layer: %s is the name of a field; give the layer another.", p->name);
    rvi_job_grid(job, &l->made, "a layer");
    if (p->noise > 0)
        rvi_job_grid(job, &l->noise, "the noise");
    status = rvi_map_image_list(job, p->image, NULL);
    return status == RV_OK ? outline_layer(&job->after, l->layer, p, colour) : status;
}
