/* slide.h: ground that stands too steep and slides to its neighbours: what the parts of the step
 * thermal share. thermal.c runs the step, slide_layers.c the rounds on layers, slide_settle.c the
 * search for the land at rest.
 *
 * Heights are held in whole quanta, the spacing of floats at the largest height of the map, and
 * every flow is rounded to quanta. Adding them up is then exact in any order: what one cell gives
 * is, to the last bit, what the other gets, and flipped land gives flipped results.
 */
#ifndef RVI_STEPS_THERMAL_SLIDE_H
#define RVI_STEPS_THERMAL_SLIDE_H

#include "steps/step.h"
#include "steps/thermal/settle_cell.h"
#include "steps/thermal/slide_stack.h"
#include "wear/erosion_factor.h"

/* The search for the land at rest (slide_settle.c). */
typedef struct rvi_slide rvi_slide;
typedef struct rvi_settling {
    rvi_slide *s;
    bool begun;    /* and not ended: the heights of `s` are still as they were */
    float *memory; /* for the grids, one after the other */
    float *f[RVI_SETTLE_SIDES], *g[RVI_SETTLE_SIDES];
    float *h0, *h;                      /* as it was, of g */
    bool limited;                       /* are there cells that cannot give or take? then: */
    float *east, *west, *south, *north; /* may ground slide along the edges from i? 1 or 0 */
    float momentum;
    float limit, margin; /* as of the layer that stands steepest: it holds for all */
    int tiles_x, tiles_y;
    uint8_t *live;  /* of each tile: did anything slide? bit 0 now, bit 1 a step ago */
    uint8_t *awake; /* tiles that need work */
    bool counting;
    rvi_settle_tally *tallies; /* of each tile, when counting; on a device of each lane */
} rvi_settling;

enum { RVI_SLIDE_TILE = 64 }; /* cells */

/* One run of the step. Grids have a ring of one cell around the map: cell (x, y) is at
 * (y + 1) * stride + x + 1. On the ring stand the heights of the land outside, which never change.
 */
struct rvi_slide {
    const rv_thermal_params *p;
    rvi_job *job;
    int width, height, layers;
    size_t stride, cells, count; /* cells of the map, cells with the ring */
    ptrdiff_t step[RVI_DIRECTIONS];
    unsigned directions;     /* directions that count, a bit each */
    unsigned off_directions; /* those of them in which ground may leave the map */
    bool open;               /* the border */
    bool general;            /* layers, mask, hardness or gradients: the plain loop will not do */
    int64_t rounds;          /* with until=rounds */
    int parts;               /* a round is cut into so many, to be stable */
    double quantum, fine;    /* of bedrock, of the layers above it */
    double film;             /* what rounding leaves of a layer that slid away: counts as nothing */
    float magic;             /* 1.5 2^23 quanta: rounds to them */
    double fine_magic;       /* 1.5 2^52 fine quanta */
    float lowest, highest;   /* of the surface when the step began */
    float rate[2];           /* share of the excess that slides: along axes, diagonals */
    float slope_rate;        /* metres that slide for each unit of slope: method=slope */
    float *limit, *margin; /* of layer l at 2 l: fall to a neighbour that stands, and beyond that */
    float *yields;         /* erodibility of each layer */
    float *h, *next;       /* the surface, now and after the round */
    float *before;         /* of layer l at l * cells: its thickness when the step began */
    double left_map;       /* metres on one cell */
    double *off;           /* the same, of each block of rows in this round */
    double *off_edge;      /* the same where it is general or on a device, of each cell of the edge
                              in all rounds */
    float *range_parts;    /* for a range on a device */
    rvi_slide_tally *tallies; /* lanes of each row, of one layer */
    int tiles;                /* RVI_SLIDE_TILE cells wide and RVI_ROWS high, in a row of them */
    uint8_t *changed[2]; /* of each tile: did a height change in the round before; in this one? */
    bool *done, *steep;  /* of each block: has run; holds a slope that is not settled */
    bool moving;         /* a round has begun to move layers, which happens in place */
    rvi_settling settling;
    rvi_device_pace pace;
    float *eroded, *deposited; /* fields of the land */
    /* Only where it is general. */
    double *thick;     /* of layer l at l * count */
    double *give;      /* of layer l at l * count: what its flows are multiplied with */
    uint16_t *exposed; /* the layer that lies open */
    uint16_t *giving;  /* the lowest layer that gives, with a mark when it has little left */
    uint8_t *to;       /* directions that receive */
    float *slides[2];  /* what slides to the east and south neighbour in a round, whatever the
                          slopes; NULL: slopes decide */
    int slide_rounds;  /* so often */
    bool sliding;      /* do `slides` count now? */
    float *takes;      /* mask; NULL: 1 everywhere */
    rvi_erosion_factor factor;
    int height_layers;  /* the lowest layers whose factor changes with the height: 0, 1 or all */
    float *height_part; /* of layer l at l * count: that part of its factor in this round */
    int *steep_lanes;   /* on a device: cells that are too steep */
};

static inline size_t rvi_slide_at(const rvi_slide *s, int x, int y) {
    return (size_t)(y + 1) * s->stride + (size_t)(x + 1);
}

/* Cells of the edge, those of the corners counted twice. */
static inline size_t rvi_slide_edge(const rvi_slide *s) {
    return 2 * ((size_t)s->width + (size_t)s->height);
}

/* Directions in which a neighbour is on the map. */
static inline unsigned rvi_slide_inside(const rvi_slide *s, int x, int y) {
    return s->directions & rvi_slide_on_map(x, y, s->width, s->height);
}

/* ---- the arithmetic of a cell: values in, values out; more of it in slide_cell.h ---- */

static inline float rvi_slide_snap(const rvi_slide *s, float h) {
    return rvi_slide_snapped(h, s->quantum);
}

static inline float rvi_slide_hard(const rvi_slide *s, float factor) {
    return rvi_slide_harder(s->p->until == RV_thermal_until_settled, factor);
}

/* The part of the erosion factor of a layer that changes with the height where it ends. */
static inline float rvi_slide_by_height(const rvi_slide *s, int x, int y, int layer) {
    size_t i = rvi_slide_at(s, x, y), cell = (size_t)y * (size_t)s->width + (size_t)x;
    double top = s->thick[i];
    for (int l = 1; l <= layer; l++)
        top += s->thick[(size_t)l * s->count + i];
    float factor = layer == 0 ? rvi_factor_rock(&s->factor, i, (float)top) : 1.0f;
    if (rvi_erosion_fn_there(s->factor.land))
        factor *= rvi_factor_ground(&s->factor, cell, (float)top);
    return rvi_slide_hard(s, factor);
}

/* ---- slide_layers.c ---- */

/* Fills the grids of a general run from the land. */
rv_status rvi_slide_layers_fill(rvi_slide *s);
/* Layers as they were plus what slid; the surface `h` is the new bedrock where there is but one. */
rv_status rvi_slide_layers_set_bedrock(rvi_slide *s);
/* The grids as slide_stack.h sees them. */
rvi_slide_stack rvi_slide_stack_of(const rvi_slide *s);
/* One part of a round. RV_CANCELLED: nothing has moved or, where s->moving, the second call does
 * the rest. */
rv_status rvi_slide_layers_round(rvi_slide *s);
rv_status rvi_slide_layers_move(rvi_slide *s);

/* ---- slide_device.c: the same on the device of the job, queued ---- */

bool rvi_slide_device_can(const rvi_slide *s); /* all of the run? */
rv_status rvi_slide_device_fill(rvi_slide *s);
rv_status rvi_slide_device_round(rvi_slide *s); /* one part of it */
rv_status rvi_slide_device_show(rvi_slide *s);
rv_status rvi_slide_device_count(const rvi_slide *s, int layer); /* fills `tallies` */

/* ---- settle_device.c: until=settled on a device ---- */

void rvi_settle_device_list(rvi_slide *s);
rv_status rvi_settle_device_harden(rvi_slide *s); /* rvi_slide_hard() of the factor of cells */
rv_status rvi_settle_device_begin(rvi_slide *s);
rv_status rvi_settle_device_step(rvi_slide *s, bool *settled);
rv_status rvi_settle_device_end(rvi_slide *s);                  /* as rvi_slide_settle_end() */
rv_status rvi_settle_device_steep(rvi_slide *s, size_t *count); /* cells that are too steep */
/* The surface becomes the bedrock, where there is but one layer. */
rv_status rvi_settle_device_bedrock(rvi_slide *s);

/* ---- slide_settle.c ---- */

/* Lists the memory it needs. */
void rvi_slide_settle_list(rvi_slide *s, rvi_buffers *buffers);
/* Brings `h` to the nearest land that stands or, where there are layers, fills `slides` with what
 * leads there. `show` makes the land whole for the user. */
rv_status rvi_slide_settle(rvi_slide *s, rv_status (*show)(rvi_slide *s));
/* After a stop: `h` or `slides` get what was found until then. */
rv_status rvi_slide_settle_end(rvi_slide *s);

#endif
