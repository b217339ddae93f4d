/* wear_regions.c: which material is where. */
#include "scene/wear_regions.h"

#include <math.h>
#include <stdbool.h>

#include "base/math.h"
#include "base/random.h"

enum { WAVES = 4 };

static double along(const rvi_region *r, const double at[3]) { /* metres from `at`, along `to` */
    double sum = 0, square = 0;
    for (int i = 0; i < 3; i++) {
        sum += (at[i] - r->at[i]) * r->to[i];
        square += r->to[i] * r->to[i];
    }
    return square > 0 ? sum / sqrt(square) : 0;
}

/* A few waves from `at` on with random directions and phases; together -1 to 1. */
static double wave_at(const rvi_region *r, const double at[3]) {
    double sum = 0;
    for (uint64_t n = 0; n < WAVES; n++) {
        double phase = 0;
        for (uint64_t i = 0; i < 3; i++) {
            double direction = (double)rvi_unit(rvi_random(r->seed, n, i)) - 0.5;
            phase += 4 * RVI_PI * direction * (at[i] - r->at[i]) / r->wave;
        }
        phase += 2 * RVI_PI * (double)rvi_unit(rvi_random(r->seed, n, 3));
        sum += (double)rvi_sinf((float)phase);
    }
    return sum / WAVES;
}

static bool contains(const rvi_region *r, const double at[3]) {
    double square = 0;
    switch (r->kind) {
    case RVI_REGION_BOX:
        for (int i = 0; i < 3; i++)
            if (!(at[i] >= r->at[i] && at[i] <= r->to[i]))
                return false;
        return true;
    case RVI_REGION_SPHERE:
        for (int i = 0; i < 3; i++)
            square += (at[i] - r->at[i]) * (at[i] - r->at[i]);
        return square <= r->size * r->size;
    case RVI_REGION_HALF:
        return along(r, at) <= 0;
    case RVI_REGION_LAYERS:
        return r->size > 0 && r->count > 0;
    }
    return false;
}

static size_t material_in(const rvi_region *r, const double at[3]) {
    if (r->kind != RVI_REGION_LAYERS)
        return r->material;
    double wobble = r->wobble != 0 && r->wave > 0 ? r->wobble * wave_at(r, at) : 0;
    double layer = rvi_floor((along(r, at) + wobble) / r->size), count = (double)r->count;
    return r->material + (size_t)(layer - count * rvi_floor(layer / count));
}

size_t rvi_regions_at(const void *regions, const double at[3]) {
    const rvi_regions *all = regions;
    for (size_t i = all->count; i-- > 0;)
        if (contains(&all->regions[i], at))
            return material_in(&all->regions[i], at);
    return RVI_NO_MATERIAL;
}
