/* land_cover.h: what lies on the ground at a place: rock, grass, sediment, snow, sand. */
#ifndef RVI_PICTURE_LAND_COVER_H
#define RVI_PICTURE_LAND_COVER_H

#include "picture/detail_noise.h"
#include "picture/relief.h"

typedef enum rvi_cover_kind {
    RVI_COVER_ROCK,
    RVI_COVER_GRASS,
    RVI_COVER_SEDIMENT,
    RVI_COVER_SNOW,
    RVI_COVER_SAND,
    RVI_COVER_KINDS
} rvi_cover_kind;

/* The rules for a whole map. Heights are metres, slopes tangents. */
typedef struct rvi_cover_rules {
    const rvi_relief *relief;
    const rvi_detail_noise *detail;
    float snow;      /* the middle of the snow line; RVI_NO_SNOW */
    float grass;     /* where grass ends */
    float valley;    /* how far below that woods get no denser, beside the relief */
    float steep;     /* what is steeper is rock */
    float relief_of; /* metres between the lowest and the highest point */
    float patch;     /* size of the larger patches, in cells of the relief */
    bool dry;        /* sand instead of grass */
    const float *flow, *deposited, *eroded, *water; /* fields of the terrain, or NULL */
    float *edges; /* of the terrain: where the lowest band of the bedrock begins; NULL: no bands */
    float flow_most, deposited_most; /* what counts as much */
} rvi_cover_rules;

#define RVI_NO_SNOW 1e30f

/* How far noise shifts the snow line up or down, beside the relief of the map. */
#define RVI_SNOW_SHIFT 0.1f

typedef struct rvi_cover {
    float weight[RVI_COVER_KINDS]; /* of each kind; together 1 */
    float brown;                   /* of the grass: how much of it is dry */
    float wood;                    /* of the grass: how much of it is under trees */
    float wet;                     /* by running or shallow water */
    float patch, fine;             /* noise of large and small patches, about -1 to 1 */
    float layer;                   /* how much of the ground below the snow is layers */
    float layer_rgb[3];            /* their colour, linear; of layers without one below 0 */
} rvi_cover;

/* snow: the line, NaN: where a sixth of the land is higher, when there is relief for it. */
rv_status rvi_cover_prepare(const rvi_relief *relief, const rvi_detail_noise *detail, float snow,
                            bool dry, rvi_cover_rules *out);
void rvi_cover_release(rvi_cover_rules *rules); /* of a zeroed one: nothing */
/* At a place of the relief with these slopes towards east and south; `blur` is the width in cells
 * of the terrain below which detail is left out. */
rvi_cover rvi_cover_at(const rvi_cover_rules *rules, double x, double y, float z,
                       const float slope[2], float blur);

/* sRGB bytes as linear light, 0 to 1. */
void rvi_linear_from_bytes(uint32_t rgb, float out[3]);

#endif
