/* hardness_volume.c: hardness of the bedrock as a function of x, y and z.
 *
 * Samples lie on a lattice: sample (i, j, k) at x = i step_x, y = j step_y, z = low + k step_z;
 * between them hardness is trilinear, and beyond the ends it is that of the end.
 *
 * Noise (K. Perlin, Improving noise, SIGGRAPH 2002: gradients to the middles of the 12 edges of a
 * cube, quintic fade) is a sum of octaves, each twice as fine and half as strong as the one before:
 *
 *     n = sum of 2^-i p(R_i 2^i q + s_i) / sum of 2^-i,   q = (x / step_x, y / step_y, z / step_z)
 *     hardness = noise smoothstep(-0.2, 0.2, n)
 *
 * R_i turns the lattice about the vertical, each octave by another angle, and s_i is random. Half
 * of the rock is nearly as hard as `noise` says or not hard at all.
 */
#include "terrain/hardness_volume.h"
#include "base/threads.h"

#define RVI_VOLUME rvi_hardness_volume
#include "terrain/volume_cell.h"

#include <string.h>

enum { SAMPLES_MOST = 1 << 30 };

float rvi_volume_hardness(const rvi_hardness_volume *v, double x, double y, float z) {
    return rvi_volume_at(v, v->values, x, y, z);
}

/* ---- as a field ---- */

bool rvi_volume_shows(const rv_terrain *land, const char *name) {
    return strcmp(name, "hardness") == 0 && rvi_volume_there(land) && !rvi_values_there(land, name);
}

typedef struct surfacing {
    const rv_terrain *land;
    float *out;
} surfacing;

static void surface_rows(void *arg, int first, int end) {
    const surfacing *s = arg;
    const rv_terrain *land = s->land;
    double cell = (double)land->cell;
    for (int y = first; y < end; y++)
        for (int x = 0; x < land->width; x++) {
            size_t i = (size_t)y * (size_t)land->width + (size_t)x;
            s->out[i] = rvi_volume_hardness(&land->volume, cell * x, cell * y,
                                            land->layers[0].thickness[i]);
        }
}

rv_status rvi_volume_surface(const rv_terrain *land, float *out) {
    surfacing s = {land, out};
    return rvi_parallel_rows(land->ctx, land->height, surface_rows, &s);
}

/* ---- checks ---- */

static bool is_within(double value, double least, double most) {
    return value >= least && value <= most;
}

bool rvi_volume_too_large(uint64_t slices, uint64_t rows, uint64_t columns) {
    return slices > SAMPLES_MOST || rows > SAMPLES_MOST || columns > SAMPLES_MOST ||
           slices * rows > SAMPLES_MOST || slices * rows * columns > SAMPLES_MOST;
}

bool rvi_volume_right(const rvi_hardness_volume *v) {
    bool none = v->slices == 0 && v->rows == 0 && v->columns == 0;
    bool some = v->slices > 0 && v->rows > 0 && v->columns > 0 &&
                !rvi_volume_too_large((uint64_t)v->slices, (uint64_t)v->rows, (uint64_t)v->columns);
    if (none && v->octaves == 0)
        return true; /* there is none, and nobody looks at the rest */
    return (v->octaves == 0 ? some : none) && is_within(v->octaves, 0, RVI_VOLUME_OCTAVES) &&
           is_within((double)v->noise, 0.0, 1.0) && is_within(v->x, -1e12, 1e12) &&
           is_within(v->y, -1e12, 1e12) && is_within(v->low, -1e9, 1e9) &&
           is_within(v->step_x, 1e-6, 1e12) && is_within(v->step_y, 1e-6, 1e12) &&
           is_within(v->step_z, 1e-6, 1e12) && is_within(v->x / v->step_x, -1e12, 1e12) &&
           is_within(v->y / v->step_y, -1e12, 1e12) && is_within(v->low / v->step_z, -1e12, 1e12);
}
