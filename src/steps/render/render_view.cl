/* render_view.cl: rays of a perspective picture on a device, a pixel an item. */
#include "device/prelude.cl"
#include "steps/render/view_facts.h"

/* What a ray looks at. */
#define SCENE_ARGS                                                                                                     \
    rvi_view_facts f, __global const rvi_view_tables *tables, __global const float *z, __global const float *upper,    \
        __global const float *water, __global const float *hole, __global const float *pyramid,                        \
        __global const float *light, __global const rvi_conifer *tree, __global const float *flow,                     \
        __global const float *deposited, __global const float *eroded, __global const float *depth,                    \
        __global const float *edges, __global const uchar *sky, __global const uchar *normals,                         \
        __global const float *layer1, __global const float *layer2, __global const float *layer3,                      \
        __global const float *layer4, __global const float *layer5, __global const float *layer6,                      \
        __global const float *layer7

#define SCENE                                                                                                          \
    rvi_view_scene s;                                                                                                  \
    s.k = &f.k;                                                                                                        \
    s.relief.width = f.relief.width;                                                                                   \
    s.relief.height = f.relief.height;                                                                                 \
    s.relief.cell = f.relief.cell;                                                                                     \
    s.relief.step = f.relief.step;                                                                                     \
    s.relief.low = f.relief.low;                                                                                       \
    s.relief.high = f.relief.high;                                                                                     \
    s.relief.base = f.relief.base;                                                                                     \
    s.relief.levels = f.relief.levels;                                                                                 \
    s.relief.land_width = f.relief.land_width;                                                                         \
    s.relief.land_height = f.relief.land_height;                                                                       \
    s.relief.land_cell = f.relief.land_cell;                                                                           \
    s.relief.z = z;                                                                                                    \
    s.relief.upper = upper;                                                                                            \
    s.relief.water = water;                                                                                            \
    s.relief.hole = hole;                                                                                              \
    s.relief.pyramid = pyramid;                                                                                        \
    s.relief.level = tables->level;                                                                                    \
    s.cover.snow = f.cover.snow;                                                                                       \
    s.cover.grass = f.cover.grass;                                                                                     \
    s.cover.valley = f.cover.valley;                                                                                   \
    s.cover.steep = f.cover.steep;                                                                                     \
    s.cover.relief_of = f.cover.relief_of;                                                                             \
    s.cover.patch = f.cover.patch;                                                                                     \
    s.cover.flow_most = f.cover.flow_most;                                                                             \
    s.cover.deposited_most = f.cover.deposited_most;                                                                   \
    s.cover.band_thickness = f.cover.band_thickness;                                                                   \
    s.cover.band_hardness = f.cover.band_hardness;                                                                     \
    s.cover.dry = f.cover.dry;                                                                                         \
    s.cover.layers = f.cover.layers;                                                                                   \
    s.cover.volume = f.cover.volume;                                                                                   \
    s.cover.relief = &s.relief;                                                                                        \
    s.cover.detail = &tables->detail;                                                                                  \
    s.cover.flow = flow;                                                                                               \
    s.cover.deposited = deposited;                                                                                     \
    s.cover.eroded = eroded;                                                                                           \
    s.cover.water = depth;                                                                                             \
    s.cover.edges = edges;                                                                                             \
    s.cover.band_edge = tables->band_edge;                                                                             \
    s.cover.band_soft = tables->band_soft;                                                                             \
    s.cover.colours = tables->colours;                                                                                 \
    s.cover.thickness[0] = 0;                                                                                          \
    s.cover.thickness[1] = layer1;                                                                                     \
    s.cover.thickness[2] = layer2;                                                                                     \
    s.cover.thickness[3] = layer3;                                                                                     \
    s.cover.thickness[4] = layer4;                                                                                     \
    s.cover.thickness[5] = layer5;                                                                                     \
    s.cover.thickness[6] = layer6;                                                                                     \
    s.cover.thickness[7] = layer7;                                                                                     \
    s.trees.width = f.trees.width;                                                                                     \
    s.trees.height = f.trees.height;                                                                                   \
    s.trees.square = f.trees.square;                                                                                   \
    s.trees.tallest = f.trees.tallest;                                                                                 \
    s.trees.cell = f.trees.cell;                                                                                       \
    s.trees.z = f.trees.z;                                                                                             \
    s.trees.tree = tree;                                                                                               \
    s.sky.image.width = f.sky_width;                                                                                   \
    s.sky.image.height = f.sky_height;                                                                                 \
    s.sky.image.rgb = sky;                                                                                             \
    s.sky.light = tables->sky_light;                                                                                   \
    s.normals.image.width = f.normals_width;                                                                           \
    s.normals.image.height = f.normals_height;                                                                         \
    s.normals.image.rgb = normals;                                                                                     \
    s.normals.tile = f.normals_tile;                                                                                   \
    s.open = light;                                                                                                    \
    s.shade = light + (size_t)f.light_width * (size_t)f.light_height

/* Items that work side by side look at pixels close to each other: those of a row of items fill
 * blocks of RVI_VIEW_BLOCK rows, block by block. */
static bool pixel_of(int *x, int *y, int width, int height) {
    int item = (int)get_global_id(0), inside = item % (RVI_VIEW_BLOCK * RVI_VIEW_BLOCK);
    *x = item / (RVI_VIEW_BLOCK * RVI_VIEW_BLOCK) * RVI_VIEW_BLOCK + inside % RVI_VIEW_BLOCK;
    *y = (int)get_global_id(1) * RVI_VIEW_BLOCK + inside / RVI_VIEW_BLOCK;
    return *x < width && *y < height;
}

/* One ray a pixel, with a pixel more on each side. */
__kernel void see(SCENE_ARGS, __global float *seen, __global char *kinds) {
    int x, y, width = f.k.camera.width + 2, kind;
    if (!pixel_of(&x, &y, width, f.rows + 2))
        return;
    SCENE;
    rvi_colour c = rvi_view_take(&s, x - 0.5, f.first + y - 0.5, &kind);
    size_t i = (size_t)y * (size_t)width + (size_t)x;
    for (int k = 0; k < 3; k++)
        seen[3 * i + (size_t)k] = c.v[k];
    kinds[i] = (char)kind;
}

static rvi_colour colour_at(__global const float *seen, size_t i) {
    rvi_colour c;
    for (int k = 0; k < 3; k++)
        c.v[k] = seen[3 * i + (size_t)k];
    return c;
}

static bool differs(__global const float *seen, __global const char *kinds, size_t i, size_t beside) {
    rvi_colour here = colour_at(seen, i), there = colour_at(seen, beside);
    return kinds[beside] != kinds[i] || rvi_colours_differ(&there, &here);
}

/* More of them where it differs from a neighbour. */
__kernel void finish(SCENE_ARGS, __global const float *seen, __global const char *kinds, __global uchar *rgb) {
    int x, y;
    if (!pixel_of(&x, &y, f.k.camera.width, f.rows))
        return;
    size_t width = (size_t)f.k.camera.width + 2, i = (size_t)(y + 1) * width + (size_t)(x + 1);
    rvi_colour c = colour_at(seen, i);
    if (differs(seen, kinds, i, i - 1) || differs(seen, kinds, i, i + 1) || differs(seen, kinds, i, i - width) ||
        differs(seen, kinds, i, i + width)) {
        SCENE;
        c = rvi_view_refine(&s, x, f.first + y, c);
    }
    size_t to = 3 * ((size_t)(f.first + y) * (size_t)f.k.camera.width + (size_t)x);
    for (int k = 0; k < 3; k++)
        rgb[to + (size_t)k] = rvi_tone_byte(tables->curve, x, f.first + y, c.v[k]);
}

/* A tree in each square of their grid, or none. */
__kernel void plant(SCENE_ARGS, __global rvi_conifer *out, float tall) {
    int i = (int)get_global_id(0), j = (int)get_global_id(1);
    if (i >= f.trees.width)
        return;
    SCENE;
    rvi_conifer t;
    bool there = rvi_trees_plant(&s.cover, &s.trees, tall, i, j, &t);
    __global rvi_conifer *to = &out[(size_t)j * (size_t)f.trees.width + (size_t)i];
    to->x = there ? t.x : 0;
    to->y = there ? t.y : 0;
    to->z = there ? t.z : 0;
    to->tall = there ? t.tall : 0;
    to->shade = there ? t.shade : 0;
}
