/* wear_regions.h: which material is where in a solid. Regions may overlap: the last one that
 * contains a place counts. */
#ifndef RVI_SCENE_WEAR_REGIONS_H
#define RVI_SCENE_WEAR_REGIONS_H

#include <stddef.h>
#include <stdint.h>

#define RVI_NO_MATERIAL SIZE_MAX

typedef enum rvi_region_kind {
    RVI_REGION_BOX,    /* from `at` to `to` */
    RVI_REGION_SPHERE, /* around `at`, of `size` metres */
    RVI_REGION_HALF,   /* behind the plane through `at`: where `to` does not point */
    RVI_REGION_LAYERS, /* bands of `size` metres along `to` (need not be upright), from `at` on, of
                          the materials `material`, `material` + 1, ... `count` in all, over and
                          over; wobbling by `wobble` metres over `wave` metres */
} rvi_region_kind;

typedef struct rvi_region {
    rvi_region_kind kind;
    size_t material, count;
    double at[3], to[3];
    double size, wobble, wave;
    uint64_t seed;
} rvi_region;

typedef struct rvi_regions {
    const rvi_region *regions;
    size_t count;
} rvi_regions;

/* RVI_NO_MATERIAL: no region contains the place. `regions` is an rvi_regions. */
size_t rvi_regions_at(const void *regions, const double at[3]);

#endif
