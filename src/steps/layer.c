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
#include "device/device_range.h"
#include "steps/layer/laying_cell.h"
#include "steps/step.h"
#include "terrain/layers.h"
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
    rvi_laying_law law;
    const float *above, *mask; /* the surface; mask, image and noise NULL: none */
    float *image, *noise;
    float *made, *onto; /* onto: the layer that gets it */
    float *surface;     /* room for that of land with its first layer, on a device */
    float *parts;       /* of a range on a device */
    int layer;          /* its number */
} laying;

static void make_rows(void *arg, int first, int end) {
    const laying *l = arg;
    int width = l->law.width;
    for (int y = first; y < end; y++)
        for (int x = 0; x < width; x++)
            l->made[(size_t)y * (size_t)width + (size_t)x] =
                rvi_laying_amount(&l->law, l->above, l->image, l->mask, l->noise, x, y);
}

static void add_rows(void *arg, int first, int end) {
    const laying *l = arg;
    size_t width = (size_t)l->law.width;
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++)
        l->onto[i] += l->made[i];
}

static rv_status make_on_device(rvi_job *job, const laying *l) {
    const rv_terrain *land = job->land;
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_READ, l->above), rvi_map_arg(land, RVI_DEVICE_READ, l->image),
        rvi_map_arg(land, RVI_DEVICE_READ, l->mask),  rvi_map_arg(land, RVI_DEVICE_READ, l->noise),
        rvi_map_arg(land, RVI_DEVICE_WRITE, l->made), RVI_VALUE(l->law),
    };
    return RVI_RUN(job->device, "laying_map", "laying_amounts", (size_t)land->width,
                   (size_t)land->height, args);
}

static rv_status make_noise(rvi_job *job, laying *l) {
    size_t cells = rvi_cells(job->land);
    rv_noise_params n = rv_noise_params_default();
    n.frequency = l->p->frequency;
    n.seed = l->p->seed;
    rv_status status = rvi_noise_make(job, &n, l->noise);
    float low = 0, high = 0;
    if (status == RV_OK && job->device)
        status = rvi_device_range(job->device, l->noise, cells, l->parts, &low, &high);
    else if (status == RV_OK)
        rvi_range(job->ctx, l->noise, cells, &low, &high);
    l->law.noise_low = low;
    l->law.noise_span = high > low ? high - low : 1;
    return status;
}

static rv_status make_thickness(rvi_job *job, laying *l) {
    const rv_terrain *land = job->land;
    const rv_layer_params *p = l->p;
    l->above = land->surface;
    l->mask = rvi_field_get(land, "mask");
    rv_status status = p->image[0] ? rvi_map_image_load(job, p->image, &l->image) : RV_OK;
    if (status == RV_OK && l->noise)
        status = make_noise(job, l);
    if (status == RV_OK)
        status = job->device ? make_on_device(job, l)
                             : rvi_parallel_rows(job->ctx, land->height, make_rows, l);
    rvi_free(job->ctx, l->image);
    return status;
}

/* A layer that is there gets more. */
static rv_status thicken(rvi_job *job, laying *l) {
    const rv_terrain *land = job->land;
    const rvi_device_arg args[] = {
        rvi_map_arg(land, RVI_DEVICE_CHANGE, l->onto), rvi_map_arg(land, RVI_DEVICE_READ, l->made),
        rvi_map_arg(land, RVI_DEVICE_READ, NULL), RVI_VALUE(land->width)};
    if (!(l->law.thickness > 0)) /* -0 stays as it is */
        return RV_OK;
    if (job->device)
        return RVI_RUN(job->device, "land_grids", "add", (size_t)land->width, (size_t)land->height,
                       args);
    rvi_finish_rows(job->ctx, land->height, add_rows, l);
    return RV_OK;
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
        if (!job->device)
            return rv_terrain_layer_add(land, &desc, l->made);
        status = rvi_layers_adopt(land, &desc, &l->made, &l->surface);
        return status == RV_OK ? rvi_job_sum_layers(job, land) : status;
    }
    rvi_layer *to = &land->layers[l->layer];
    l->onto = to->thickness;
    status = thicken(job, l);
    if (status != RV_OK)
        return status;
    to->erodibility = after->erodibility;
    to->talus = after->talus;
    to->colour = after->colour;
    return rvi_job_sum_layers(job, land);
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
    *l = (laying){.p = p, .layer = rvi_layer_index(land, p->name)};
    float by_itself = l->layer > 0 ? 2.0f : 0.0f;
    l->law = (rvi_laying_law){.thickness = isnan(p->thickness) ? by_itself : p->thickness,
                              .noise = p->noise,
                              .noise_span = 1,
                              .below = p->below,
                              .fade = p->fade,
                              .slope = p->slope,
                              .cell = land->cell,
                              .width = land->width,
                              .height = land->height};
    if (rv_field_find(p->name))
        return rvi_fail(job->ctx, RV_ERROR_USAGE,
                        "layer: %s is the name of a field; give the layer another.", p->name);
    rvi_job_grid(job, &l->made, "a layer");
    if (p->noise > 0)
        rvi_job_grid(job, &l->noise, "the noise");
    job->on_device = job->doubles = true;
    if (rvi_device_of(job->ctx)) {
        if (land->layer_count == 1 && l->layer == 1)
            rvi_job_grid(job, &l->surface, "the surface");
        rvi_job_buffer(job, &l->parts, RVI_DEVICE_PARTS, sizeof *l->parts, "the range");
    }
    status = rvi_map_image_list(job, p->image, NULL);
    return status == RV_OK ? outline_layer(&job->after, l->layer, p, colour) : status;
}
