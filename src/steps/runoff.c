/* runoff.c: a grid of water that runs to all lower neighbours and carries sediment with it.
 *
 * F. K. Musgrave, C. E. Kolb, R. S. Mace, The Synthesis and Rendering of Eroded Fractal Terrains,
 * 1989. A cell has ground a, water w and suspended sediment s, all in metres; the level is a + w.
 * In a round, with n neighbours (4 or 8):
 *     drops      d_ij = max(0, (a_i + w_i) - (a_j + w_j)),  D_i = sum_j d_ij
 *     moves      dw_i = min(w_i, D_i / (n + 1)), shared out as dw_ij = dw_i d_ij / D_i
 *     can carry  c_i = capacity dw_i
 *     overfull   s_i > c_i: lays down deposition (s_i - c_i), sends c_i, keeps the rest
 *     else       takes min(softness (c_i - s_i), D_i / (n + 1)), sends all it has then
 *     dries      w_i' = max(0, (1 - evaporation) w_i - infiltration)
 * What is sent goes along with the water, in the same shares. The paper moves min(w_i, d_ij) to
 * each neighbour, which swaps two levels instead of making them equal. The share of n + 1 is the
 * largest with which a cell that has water enough takes the mean level of itself and its
 * neighbours: a level never leaves the range of the levels around it. The same bound keeps the
 * ground from being dug below what water could run over. The first half of a round reads only
 * levels and writes what each cell gives per metre of drop; the second gathers what comes in. So
 * the order of cells does not matter, and sums pair opposite neighbours, so that a turned map gives
 * the turned result to the bit. Ground is kept as the change since the step began, which has room
 * for small numbers where a height has not; what a height cannot hold in the end stays in
 * suspension. With give=same the parts of the sediment that are of each layer move as the whole
 * does, and what is laid down is of all of them in proportion.
 */
#include "base/lanes.h"
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "steps/step.h"
#include "terrain/layers.h"
#include "wear/border.h"
#include "wear/erosion_factor.h"
#include "wear/map_image.h"

#include <math.h>
#include <string.h>

#if defined(__GNUC__)
#define HOT inline __attribute__((always_inline))
#else
#define HOT inline
#endif

enum {
    STRIP = 240, /* columns that are worked on together: their rows fit in the nearest cache */
    EDGE = 4,    /* room on both sides of a row of a strip */
    ROOM = STRIP + 2 * EDGE,
};
#define DRY 1e-12f  /* metres: less water than this is none, less ground is not taken */
#define NEVER 1e30f /* level of a wall */
#define NO_DROP 1e-30f

/* A grid for each layer. */
typedef struct layer_grids {
    float **at; /* NULL: there are none */
    float *room;
} layer_grids;

/* All that changes from round to round. */
typedef struct state {
    float *ground; /* what the top layer gained since the step began */
    float *cut;    /* what the layers below it lost; NULL: there are none */
    float *water, *sediment;
    float *deposited, *flow; /* sums since the step began */
    /* Only with give=same, of each layer: */
    layer_grids gain;  /* what it gained; `ground` is the sum and `cut` is 0 */
    layer_grids parts; /* what of the sediment is of it */
} state;

typedef struct block_sums {
    double rained, evaporated, absorbed, water_off, sediment_off; /* metres on one cell */
    double taken, laid;                                           /* ground, the same */
    double rest; /* of the ground, what heights cannot hold: show_land() leaves it suspended */
} block_sums;

typedef struct runoff {
    const rv_runoff_params *p;
    rvi_job *job;
    int width, height;
    bool layered, raining; /* does it rain after this round? */
    state now, next;
    const float *base; /* the surface when the step began */
    float *surface;    /* its grid where there are layers */
    layer_grids stack; /* thickness of each layer when the step began */
    const float *mask; /* NULL: 1 everywhere */
    rvi_erosion_factor factor;
    float *rain; /* image, NULL: the same everywhere */
    float share; /* 1 / (neighbours + 1) */
    float still; /* metres: a smaller drop is none */
    float floor;
    block_sums *sums;
    bool same;                /* each material is laid on its own layer */
    float *scratch;           /* of each block, with give=same */
    double *deposited_blocks; /* of each block and layer: what was deposited on it in this round */
    double *deposited_on;     /* of each layer, since the step began: metres on one cell */
    double before, sediment_before; /* water and sediment, metres on one cell */
    double carried;                 /* sediment, of all rounds added up */
    double rained, evaporated, absorbed, water_off, sediment_off, taken, laid;
    float *fields[5]; /* of the land: water, sediment, flow, eroded, deposited */
} runoff;

/* ---- one cell ---- */

/* What a cell does in a round before anything comes in. */
typedef struct plan {
    float out, carries; /* water that leaves, sediment that it can carry */
    float lay, take;    /* what should be laid down and taken; one of them is 0 */
} plan;

static HOT plan plan_cell(float drops, float w, float s, float spare, float share, float kc,
                          float kd, float ks) {
    float most = drops * share;
    float out = rvi_minf(w, most);
    float c = kc * out;
    float room = rvi_minf(most, rvi_maxf(spare, 0.0f));
    float take = rvi_minf(ks * rvi_maxf(c - s, 0.0f), room);
    take = take < DRY ? 0.0f : take;
    return (plan){out, c, kd * rvi_maxf(s - c, 0.0f), take};
}

/* What may be taken above the floor. It is kept so much smaller that no rounding breaks through. */
static HOT float above_floor(float base, float change, float floor) {
    return (base - floor) * (1.0f - 0x1p-21f) + change;
}

/* Levels that differ by no more than rounding are level: a lake at rest stays at rest. */
static HOT float drop(float from, float to, float still) {
    float d = from - to;
    return d > still ? d : 0.0f;
}

/* Sums over the neighbours of column x; up, mid and down are the rows around it. */
static HOT float sum_drops(const float *up, const float *mid, const float *down, int x, float still,
                           bool eight) {
    float t = mid[x];
    float sum = (drop(t, mid[x - 1], still) + drop(t, mid[x + 1], still)) +
                (drop(t, up[x], still) + drop(t, down[x], still));
    if (!eight)
        return sum;
    return sum + ((drop(t, up[x - 1], still) + drop(t, down[x + 1], still)) +
                  (drop(t, up[x + 1], still) + drop(t, down[x - 1], still)));
}

/* ---- four cells side by side, with the same arithmetic: clang does not do it by itself ---- */

static HOT rvi_v4 choose_four(rvi_m4 first, rvi_v4 a, rvi_v4 b) {
    return (rvi_v4)((first & (rvi_m4)a) | (~first & (rvi_m4)b));
}

static HOT rvi_v4 drop_four(rvi_v4 from, rvi_v4 to, rvi_v4 still) {
    rvi_v4 d = from - to;
    return (rvi_v4)((rvi_m4)(d > still) & (rvi_m4)d);
}

static HOT rvi_v4 sum_drops_four(const float *up, const float *mid, const float *down, int x,
                                 rvi_v4 still, bool eight) {
    rvi_v4 t = rvi_v4_load(mid + x);
#define DROP(row, at) drop_four(t, rvi_v4_load(row + at), still)
    rvi_v4 sum = (DROP(mid, x - 1) + DROP(mid, x + 1)) + (DROP(up, x) + DROP(down, x));
    if (!eight)
        return sum;
    return sum + ((DROP(up, x - 1) + DROP(down, x + 1)) + (DROP(up, x + 1) + DROP(down, x - 1)));
#undef DROP
}

/* ---- rows of a strip: index EDGE is the strip's first column ---- */

typedef struct giving {
    float water[ROOM], sediment[ROOM];           /* per metre of drop */
    float water_left[ROOM], sediment_left[ROOM]; /* in the cell */
    float out[ROOM];
    float ground[ROOM], cut[ROOM], deposited[ROOM]; /* the ground after it */
} giving;

typedef struct strip {
    const runoff *r;
    int x0, count;        /* first column and how many */
    float level[5][ROOM]; /* of row y in [(y + 5) % 5] */
    giving give[3];       /* of row y in [(y + 3) % 3] */
    float *scratch;       /* rows of parts, see part_row() */
    double *deposited_on; /* of each layer */
} strip;

/* What a row keeps of each layer. */
enum { SENT, LEFT, GAIN, PART_ROWS };

static float *part_row(const strip *s, int what, int y, int layer) {
    int layers = s->r->job->land->layer_count;
    return s->scratch + (size_t)((what * 3 + (y + 3) % 3) * layers + layer) * ROOM + EDGE;
}

static size_t cell_at(const runoff *r, int x, int y) {
    return (size_t)y * (size_t)r->width + (size_t)x;
}

static HOT float ground_at(const runoff *r, size_t i) {
    float change = r->now.ground[i];
    return r->base[i] + (r->layered ? change - r->now.cut[i] : change);
}

/* Level of a place outside. An open edge goes on as the ground comes to it, without water. */
static float level_outside(const runoff *r, int x, int y) {
    if (r->p->border == RV_runoff_border_wall)
        return NEVER;
    int w = r->width, h = r->height;
    size_t edge = cell_at(r, rvi_border_nearest(x, w), rvi_border_nearest(y, h));
    size_t inside = cell_at(r, rvi_border_mirrored(x, w), rvi_border_mirrored(y, h));
    return rvi_border_beyond(ground_at(r, edge), ground_at(r, inside));
}

static void fill_levels(strip *s, int y) {
    const runoff *r = s->r;
    float *level = s->level[(y + 5) % 5] + EDGE;
    if (y < 0 || y >= r->height) {
        for (int x = -2; x < s->count + 2; x++)
            level[x] = level_outside(r, s->x0 + x, y);
        return;
    }
    int first = rvi_maxi(-2, -s->x0), end = rvi_mini(s->count + 2, r->width - s->x0);
    size_t row = cell_at(r, s->x0, y);
    const float *base = r->base + row, *w = r->now.water + row, *g = r->now.ground + row;
    if (r->layered) {
        const float *cut = r->now.cut + row;
        for (int x = first; x < end; x++)
            level[x] = (base[x] + (g[x] - cut[x])) + w[x];
    } else {
        for (int x = first; x < end; x++)
            level[x] = (base[x] + g[x]) + w[x];
    }
    if (first > -2)
        level[first - 1] = level_outside(r, -1, y);
    if (end < s->count + 2)
        level[end] = level_outside(r, r->width, y);
}

/* What is left and what is sent, once it is known what the ground really gained (or lost, below
 * 0). */
static HOT void settle(giving *g, int x, const plan *p, float w, float s, float gained,
                       float drops) {
    float load = s - gained;
    float sent = rvi_minf(load, p->carries);
    float per = 1.0f / rvi_maxf(drops, NO_DROP);
    g->water[x] = p->out * per;
    g->sediment[x] = sent * per;
    g->water_left[x] = w - p->out;
    g->sediment_left[x] = load - sent;
    g->out[x] = p->out;
    g->deposited[x] = rvi_maxf(gained, 0.0f);
}

/* Four cells of give_bare(), where there are neither bands nor a function. */
static HOT void give_four(const runoff *r, rvi_v4 drops, rvi_v4 w, rvi_v4 s, rvi_v4 old,
                          rvi_v4 base, rvi_v4 soft, rvi_v4 mask, giving *restrict g, int x) {
    const rvi_v4 none = rvi_v4_all(0.0f);
    rvi_v4 most = drops * rvi_v4_all(r->share), out = rvi_v4_min(w, most);
    rvi_v4 c = rvi_v4_all(r->p->capacity) * out;
    rvi_v4 spare = (base - rvi_v4_all(r->floor)) * rvi_v4_all(1.0f - 0x1p-21f) + old;
    rvi_v4 room = rvi_v4_min(most, rvi_v4_max(spare, none));
    rvi_v4 take = rvi_v4_min(rvi_v4_all(r->p->softness) * rvi_v4_max(c - s, none), room);
    take = choose_four(take < rvi_v4_all(DRY), none, take) * soft;
    rvi_v4 lay = rvi_v4_all(r->p->deposition) * rvi_v4_max(s - c, none) * mask;
    rvi_v4 after = old + (lay - take);
    after = choose_four(after - old > s, old, after);
    rvi_v4 gained = after - old, load = s - gained, sent = rvi_v4_min(load, c);
    rvi_v4 per = rvi_v4_all(1.0f) / rvi_v4_max(drops, rvi_v4_all(NO_DROP));
    rvi_v4_store(g->ground + x, after);
    rvi_v4_store(g->water + x, out * per);
    rvi_v4_store(g->sediment + x, sent * per);
    rvi_v4_store(g->water_left + x, w - out);
    rvi_v4_store(g->sediment_left + x, load - sent);
    rvi_v4_store(g->out + x, out);
    rvi_v4_store(g->deposited + x, rvi_v4_max(gained, none));
}

/* A row of bare ground, where the change is one number. Where rounding would lay down more sediment
 * than there is, nothing is laid. `soft`, `mask`, `banded` (where
 * there are bands) and `asked` (where a function is) may be NULL. */
static HOT void give_bare(const runoff *r, const float *restrict up, const float *restrict mid,
                          const float *restrict down, const float *restrict w,
                          const float *restrict sed, const float *restrict ground,
                          const float *restrict base, const float *restrict soft,
                          const float *restrict mask, const rvi_erosion_factor *banded,
                          const rvi_erosion_factor *asked, size_t row, giving *restrict g,
                          int first, int end, bool eight) {
    float share = r->share, floor = r->floor, still = r->still;
    float kc = r->p->capacity, kd = r->p->deposition, ks = r->p->softness;
    int x = first;
    for (; !banded && !asked && x + 4 <= end; x += 4)
        give_four(r, sum_drops_four(up, mid, down, x, rvi_v4_all(still), eight), rvi_v4_load(w + x),
                  rvi_v4_load(sed + x), rvi_v4_load(ground + x), rvi_v4_load(base + x),
                  soft ? rvi_v4_load(soft + x) : rvi_v4_all(1.0f),
                  mask ? rvi_v4_load(mask + x) : rvi_v4_all(1.0f), g, x + EDGE);
    for (; x < end; x++) {
        float drops = sum_drops(up, mid, down, x, still, eight);
        float old = ground[x];
        plan p =
            plan_cell(drops, w[x], sed[x], above_floor(base[x], old, floor), share, kc, kd, ks);
        float take = soft ? p.take * soft[x] : p.take;
        if (banded)
            take *= rvi_factor_rock(banded, row + (size_t)x, base[x] + old);
        if (asked)
            take *= rvi_factor_ground(asked, row + (size_t)x, base[x] + old);
        float lay = mask ? p.lay * mask[x] : p.lay;
        float after = old + (lay - take);
        after = after - old > sed[x] ? old : after;
        g->ground[x + EDGE] = after;
        settle(g, x + EDGE, &p, w[x], sed[x], after - old, drops);
    }
}

static HOT void give_bare_row(strip *s, int y, int first, int end, bool eight, bool limited,
                              bool banded, bool asked) {
    const runoff *r = s->r;
    size_t row = cell_at(r, s->x0, y);
    give_bare(r, s->level[(y + 4) % 5] + EDGE, s->level[y % 5] + EDGE, s->level[(y + 1) % 5] + EDGE,
              r->now.water + row, r->now.sediment + row, r->now.ground + row, r->base + row,
              limited && r->factor.cells ? r->factor.cells + row : NULL,
              limited && r->mask ? r->mask + row : NULL, banded ? &r->factor : NULL,
              asked ? &r->factor : NULL, row, &s->give[y % 3], first, end, eight);
}

/* Takes from the top layer first, as rvi_layers_take() does. *top is what the top layer gained,
 * *cut what those below lost; returns what came. */
static float take_layers(const runoff *r, size_t i, float want, float *top, float *cut) {
    const rvi_layer *layers = r->job->land->layers;
    int l = r->job->land->layer_count - 1;
    float thick = r->stack.at[l][i], there = rvi_maxf(thick + *top, 0.0f), taken = 0.0f;
    if (there > 0.0f) {
        float loss = want * layers[l].erodibility, old = *top;
        loss *= rvi_factor_ground(&r->factor, i, r->base[i] + (*top - *cut));
        *top = rvi_layer_used_up(&want, loss, there, false) ? -thick : rvi_maxf(old - loss, -thick);
        taken = old - *top;
    }
    float bottom = 0.0f; /* of the layer, as a depth below the top layer */
    for (l--; l >= 0 && want > 0.0f; l--) {
        bottom += l > 0 ? r->stack.at[l][i] : 0.0f;
        float left = bottom - *cut;
        if (l > 0 && !(left > 0.0f))
            continue;
        float loss = want * layers[l].erodibility;
        loss *= rvi_factor_ground(&r->factor, i, (r->base[i] - thick) - *cut);
        if (l == 0) /* `bottom` is where the bedrock began: what was cut below it is gone */
            loss *=
                rvi_factor_rock(&r->factor, i, r->stack.at[0][i] - rvi_maxf(*cut - bottom, 0.0f));
        bool used_up = rvi_layer_used_up(&want, loss, left, l == 0);
        float deeper = used_up ? bottom : *cut + loss;
        taken += deeper - *cut;
        *cut = deeper;
    }
    return taken;
}

static void give_layered_row(strip *s, int y, int first, int end, bool eight) {
    const runoff *r = s->r;
    const rv_runoff_params *q = r->p;
    size_t row = cell_at(r, s->x0, y);
    const float *up = s->level[(y + 4) % 5] + EDGE, *mid = s->level[y % 5] + EDGE;
    const float *down = s->level[(y + 1) % 5] + EDGE;
    giving *g = &s->give[y % 3];
    float still = r->still;
    for (int x = first; x < end; x++) {
        size_t i = row + (size_t)x;
        float drops = sum_drops(up, mid, down, x, still, eight);
        float w = r->now.water[i], sed = r->now.sediment[i];
        plan p = plan_cell(drops, w, sed,
                           above_floor(r->base[i], r->now.ground[i] - r->now.cut[i], r->floor),
                           r->share, q->capacity, q->deposition, q->softness);
        float top = r->now.ground[i], cut = r->now.cut[i];
        float lay = r->mask ? p.lay * r->mask[i] : p.lay;
        float raised = top + lay, gained = raised - top;
        if (gained > sed || !(lay > 0.0f))
            gained = 0.0f;
        else
            top = raised;
        float take = p.take * rvi_factor_cell(&r->factor, i);
        if (take > 0.0f)
            gained = -take_layers(r, i, take, &top, &cut);
        g->ground[x + EDGE] = top;
        g->cut[x + EDGE] = cut;
        settle(g, x + EDGE, &p, w, sed, gained, drops);
    }
}

/* ---- give=same: what the sediment is made of ---- */

/* Lays down `lay` of the parts in SENT, each on its own layer; returns what stayed there. */
static float lay_same(strip *s, int x, int y, float lay, float sediment) {
    float gained = 0.0f, share = rvi_minf(lay / sediment, 1.0f);
    for (int l = 0; l < s->r->job->land->layer_count; l++) {
        float *load = part_row(s, SENT, y, l) + x, *gain = part_row(s, GAIN, y, l) + x;
        float raised = *gain + share * *load, more = raised - *gain;
        if (!(more > 0.0f && more <= *load))
            continue;
        *gain = raised;
        *load -= more;
        gained += more;
    }
    return gained;
}

/* Takes `want` from the top layer first, as rvi_layers_take() does, and adds it to the parts in
 * SENT. */
static void take_same(strip *s, int x, int y, size_t i, float want) {
    const runoff *r = s->r;
    const rv_terrain *land = r->job->land;
    float top = 0.0f; /* of the layer */
    for (int l = 0; rvi_erosion_fn_there(land) && l < land->layer_count; l++)
        top += r->stack.at[l][i] + part_row(s, GAIN, y, l)[x];
    for (int l = land->layer_count - 1; l >= 0 && want > 0.0f; l--) {
        float *gain = part_row(s, GAIN, y, l) + x, thick = r->stack.at[l][i];
        float there = rvi_maxf(thick + *gain, 0.0f), loss = want * land->layers[l].erodibility;
        if (l > 0 && !(there > 0.0f))
            continue;
        loss *= rvi_factor_ground(&r->factor, i, top);
        if (l == 0)
            loss *= rvi_factor_rock(&r->factor, i, thick + *gain);
        bool used_up = rvi_layer_used_up(&want, loss, there, l == 0);
        float left = used_up ? -thick : *gain - loss;
        left = l > 0 ? rvi_maxf(left, -thick) : left;
        part_row(s, SENT, y, l)[x] += *gain - left;
        *gain = left;
        top -= there;
    }
}

/* What becomes of one cell. SENT holds the parts in it at first, then what goes for each metre of
 * drop; LEFT what stays. */
static void give_same(strip *s, int x, int y, size_t i, float drops) {
    const runoff *r = s->r;
    const rv_runoff_params *q = r->p;
    giving *g = &s->give[y % 3];
    int layers = r->job->land->layer_count;
    float w = r->now.water[i], sed = r->now.sediment[i], gained = 0.0f, load = 0.0f, ground = 0.0f;
    plan p = plan_cell(drops, w, sed, above_floor(r->base[i], r->now.ground[i], r->floor), r->share,
                       q->capacity, q->deposition, q->softness);
    for (int l = 0; l < layers; l++) {
        part_row(s, SENT, y, l)[x] = r->now.parts.at[l][i];
        part_row(s, GAIN, y, l)[x] = r->now.gain.at[l][i];
    }
    float lay = r->mask ? p.lay * r->mask[i] : p.lay;
    float take = p.take * rvi_factor_cell(&r->factor, i);
    if (take > 0.0f)
        take_same(s, x, y, i, take);
    else if (lay > 0.0f)
        gained = lay_same(s, x, y, lay, sed);
    for (int l = 0; l < layers; l++) {
        load += part_row(s, SENT, y, l)[x];
        ground += part_row(s, GAIN, y, l)[x];
    }
    g->ground[x + EDGE] = ground;
    g->cut[x + EDGE] = 0.0f;
    settle(g, x + EDGE, &p, w, load, 0.0f, drops);
    g->deposited[x + EDGE] = gained;
    float share = load > 0.0f ? rvi_minf(load, p.carries) / load : 0.0f;
    for (int l = 0; l < layers; l++) {
        float *sent = part_row(s, SENT, y, l) + x, part = *sent * share;
        part_row(s, LEFT, y, l)[x] = *sent - part;
        *sent = part / rvi_maxf(drops, NO_DROP);
    }
}

static void give_same_row(strip *s, int y, int first, int end, bool eight) {
    size_t row = cell_at(s->r, s->x0, y);
    const float *up = s->level[(y + 4) % 5] + EDGE, *mid = s->level[y % 5] + EDGE;
    const float *down = s->level[(y + 1) % 5] + EDGE;
    for (int x = first; x < end; x++)
        give_same(s, x, y, row + (size_t)x, sum_drops(up, mid, down, x, s->r->still, eight));
    for (int l = 0; l < s->r->job->land->layer_count; l++)
        part_row(s, SENT, y, l)[first - 1] = part_row(s, SENT, y, l)[end] = 0.0f;
}

/* First half of a round, for one row and a column more on both sides. */
static void give_row(strip *s, int y) {
    const runoff *r = s->r;
    giving *g = &s->give[(y + 3) % 3];
    if (y < 0 || y >= r->height) {
        memset(g, 0, sizeof *g);
        for (int l = 0; r->same && l < r->job->land->layer_count; l++)
            memset(part_row(s, SENT, y, l) - EDGE, 0, ROOM * sizeof(float));
        return;
    }
    int first = rvi_maxi(-1, -s->x0), end = rvi_mini(s->count + 1, r->width - s->x0);
    bool eight = r->p->neighbours == RV_runoff_neighbours_8;
    if (r->same)
        give_same_row(s, y, first, end, eight);
    else if (r->layered)
        give_layered_row(s, y, first, end, eight);
    else if (rvi_erosion_fn_there(r->factor.land))
        give_bare_row(s, y, first, end, eight, true, true, true);
    else if (rvi_factor_rock_there(&r->factor))
        eight ? give_bare_row(s, y, first, end, true, true, true, false)
              : give_bare_row(s, y, first, end, false, true, true, false);
    else if (r->factor.cells)
        eight ? give_bare_row(s, y, first, end, true, true, false, false)
              : give_bare_row(s, y, first, end, false, true, false, false);
    else
        eight ? give_bare_row(s, y, first, end, true, false, false, false)
              : give_bare_row(s, y, first, end, false, false, false, false);
    g->water[EDGE + first - 1] = g->water[EDGE + end] = 0.0f; /* nothing comes from outside */
    g->sediment[EDGE + first - 1] = g->sediment[EDGE + end] = 0.0f;
}

/* What one neighbour gives; it is 0 outside the map. */
static HOT float part(const float *give, const float *level, int from, float here, float still) {
    return give[from] * drop(level[from], here, still);
}

/* What comes to column x from the neighbours. */
static HOT float gather(const float *const give[3], const float *const level[3], int x, float still,
                        bool eight) {
    float t = level[1][x];
    float sum =
        (part(give[1], level[1], x - 1, t, still) + part(give[1], level[1], x + 1, t, still)) +
        (part(give[0], level[0], x, t, still) + part(give[2], level[2], x, t, still));
    if (!eight)
        return sum;
    return sum +
           ((part(give[0], level[0], x - 1, t, still) + part(give[2], level[2], x + 1, t, still)) +
            (part(give[0], level[0], x + 1, t, still) + part(give[2], level[2], x - 1, t, still)));
}

static HOT rvi_v4 gather_four(const float *const give[3], const float *const level[3], int x,
                              rvi_v4 still, bool eight) {
    rvi_v4 t = rvi_v4_load(level[1] + x);
#define PART(row, at)                                                                              \
    (rvi_v4_load(give[row] + at) * drop_four(rvi_v4_load(level[row] + at), t, still))
    rvi_v4 sum = (PART(1, x - 1) + PART(1, x + 1)) + (PART(0, x) + PART(2, x));
    if (!eight)
        return sum;
    return sum + ((PART(0, x - 1) + PART(2, x + 1)) + (PART(0, x + 1) + PART(2, x - 1)));
#undef PART
}

static HOT void gather_cells(const giving *restrict a, const giving *restrict b,
                             const giving *restrict c, const float *restrict up,
                             const float *restrict mid, const float *restrict down,
                             float *restrict water, float *restrict sediment, int count,
                             float still, bool eight) {
    const float *const level[3] = {up, mid, down};
    const float *const give_water[3] = {a->water, b->water, c->water};
    const float *const give_sediment[3] = {a->sediment, b->sediment, c->sediment};
    int x = 0;
    for (; x + 4 <= count; x += 4) {
        int k = x + EDGE;
        rvi_v4 limit = rvi_v4_all(still);
        rvi_v4_store(water + x, rvi_v4_load(b->water_left + k) +
                                    gather_four(give_water, level, k, limit, eight));
        rvi_v4_store(sediment + x, rvi_v4_load(b->sediment_left + k) +
                                       gather_four(give_sediment, level, k, limit, eight));
    }
    for (; x < count; x++) {
        int k = x + EDGE;
        water[x] = b->water_left[k] + gather(give_water, level, k, still, eight);
        sediment[x] = b->sediment_left[k] + gather(give_sediment, level, k, still, eight);
    }
}

static HOT void gather_row(strip *s, int y, bool eight) {
    const runoff *r = s->r;
    size_t row = cell_at(r, s->x0, y);
    gather_cells(&s->give[(y + 2) % 3], &s->give[y % 3], &s->give[(y + 1) % 3],
                 s->level[(y + 4) % 5], s->level[y % 5], s->level[(y + 1) % 5], r->next.water + row,
                 r->next.sediment + row, s->count, r->still, eight);
}

/* What comes in of each layer; the sediment is the sum. What each layer gained is kept. */
static void gather_same_row(strip *s, int y, block_sums *sums) {
    const runoff *r = s->r;
    size_t row = cell_at(r, s->x0, y);
    bool eight = r->p->neighbours == RV_runoff_neighbours_8;
    const float *const level[3] = {s->level[(y + 4) % 5] + EDGE, s->level[y % 5] + EDGE,
                                   s->level[(y + 1) % 5] + EDGE};
    for (int l = 0; l < r->job->land->layer_count; l++) {
        const float *const sent[3] = {part_row(s, SENT, y - 1, l), part_row(s, SENT, y, l),
                                      part_row(s, SENT, y + 1, l)};
        const float *left = part_row(s, LEFT, y, l), *gain = part_row(s, GAIN, y, l);
        for (int x = 0; x < s->count; x++) {
            size_t i = row + (size_t)x;
            float part = left[x] + gather(sent, level, x, r->still, eight);
            float more = gain[x] - r->now.gain.at[l][i];
            r->next.parts.at[l][i] = part;
            r->next.sediment[i] = l == 0 ? part : r->next.sediment[i] + part;
            r->next.gain.at[l][i] = gain[x];
            s->deposited_on[l] += (double)rvi_maxf(more, 0.0f);
            sums->laid += (double)rvi_maxf(more, 0.0f);
            sums->taken += (double)rvi_maxf(-more, 0.0f);
        }
    }
}

/* What the ground of a row won and lost, in eight fixed lanes. A lane adds up no more than thirty
 * numbers, which floats can. */
static void count_row(const strip *s, int y, block_sums *sums) {
    const runoff *r = s->r;
    const giving *g = &s->give[y % 3];
    size_t row = cell_at(r, s->x0, y);
    const float *ground = r->now.ground + row, *after = g->ground + EDGE;
    const float *cut = r->layered ? r->now.cut + row : NULL, *deeper = g->cut + EDGE;
    rvi_v4 none = rvi_v4_all(0.0f), up[2] = {none, none}, down[2] = {none, none};
    int x = 0;
    for (; x + 8 <= s->count; x += 8)
        for (int half = 0, k = x; half < 2; half++, k += 4) {
            rvi_v4 moved = rvi_v4_load(after + k) - rvi_v4_load(ground + k);
            if (cut)
                moved -= rvi_v4_load(deeper + k) - rvi_v4_load(cut + k);
            up[half] += rvi_v4_max(moved, none);
            down[half] += rvi_v4_max(-moved, none);
        }
    sums->laid += (double)rvi_lane_sum(up[0], up[1]);
    sums->taken += (double)rvi_lane_sum(down[0], down[1]);
    for (; x < s->count; x++) {
        float moved = (after[x] - ground[x]) - (cut ? deeper[x] - cut[x] : 0.0f);
        sums->laid += (double)rvi_maxf(moved, 0.0f);
        sums->taken += (double)rvi_maxf(-moved, 0.0f);
    }
}

static void keep_row(strip *s, int y) {
    const runoff *r = s->r;
    const giving *g = &s->give[y % 3];
    size_t row = cell_at(r, s->x0, y), size = (size_t)s->count * sizeof(float);
    const float *restrict deposited = r->now.deposited + row, *restrict flow = r->now.flow + row;
    float *restrict next_deposited = r->next.deposited + row, *restrict next_flow =
                                                                  r->next.flow + row;
    for (int x = 0; x < s->count; x++) {
        next_deposited[x] = deposited[x] + g->deposited[x + EDGE];
        next_flow[x] = flow[x] + g->out[x + EDGE];
    }
    memcpy(r->next.ground + row, g->ground + EDGE, size);
    if (r->layered)
        memcpy(r->next.cut + row, g->cut + EDGE, size);
}

/* The sum of what changed, in eight fixed lanes that any vector unit can keep. */
static double sum_change(const float *after, const float *before, int count) {
    double lane[8] = {0}, sum = 0.0;
    int x = 0;
    for (; x + 8 <= count; x += 8)
        for (int k = 0; k < 8; k++)
            lane[k] += (double)(after[x + k] - before[x + k]);
    for (; x < count; x++)
        sum += (double)(after[x] - before[x]);
    return sum + (((lane[0] + lane[4]) + (lane[2] + lane[6])) +
                  ((lane[1] + lane[5]) + (lane[3] + lane[7])));
}

/* What the ground absorbs. */
static void infiltrate(const runoff *r, float *water, int count, block_sums *sums) {
    float was[STRIP], much = r->p->infiltration;
    memcpy(was, water, (size_t)count * sizeof(float));
    for (int x = 0; x < count; x++) {
        float left = water[x] - much;
        water[x] = left < DRY ? 0.0f : left;
    }
    sums->absorbed += sum_change(was, water, count);
}

/* Evaporation, infiltration, and the rain of the next round. */
static void weather(const runoff *r, float *water, const float *rain, int count, block_sums *sums) {
    float was[STRIP], keep = 1.0f - r->p->evaporation, much = r->p->water;
    memcpy(was, water, (size_t)count * sizeof(float));
    for (int x = 0; x < count; x++) {
        float left = water[x] * keep;
        water[x] = left < DRY ? 0.0f : left;
    }
    sums->evaporated += sum_change(was, water, count);
    if (r->p->infiltration > 0.0f)
        infiltrate(r, water, count, sums);
    if (!r->raining)
        return;
    memcpy(was, water, (size_t)count * sizeof(float));
    for (int x = 0; x < count; x++)
        water[x] += rain ? much * rain[x] : much;
    sums->rained += sum_change(water, was, count);
}

/* What the cell in column x of the strip sends over the edge. */
static void send_off(const strip *s, int x, int y, block_sums *sums) {
    const runoff *r = s->r;
    const giving *g = &s->give[y % 3];
    bool eight = r->p->neighbours == RV_runoff_neighbours_8;
    float here = s->level[y % 5][x + EDGE];
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int nx = s->x0 + x + dx, ny = y + dy;
            bool inside = nx >= 0 && ny >= 0 && nx < r->width && ny < r->height;
            if (inside || (!eight && dx != 0 && dy != 0))
                continue;
            float d = drop(here, s->level[(ny + 5) % 5][x + dx + EDGE], r->still);
            sums->water_off += (double)(g->water[x + EDGE] * d);
            sums->sediment_off += (double)(g->sediment[x + EDGE] * d);
        }
}

static void send_row_off(const strip *s, int y, block_sums *sums) {
    const runoff *r = s->r;
    if (r->p->border == RV_runoff_border_wall)
        return;
    bool edge_row = y == 0 || y == r->height - 1;
    for (int x = 0; edge_row && x < s->count; x++)
        send_off(s, x, y, sums);
    if (edge_row)
        return;
    if (s->x0 == 0)
        send_off(s, 0, y, sums);
    if (s->x0 + s->count == r->width && r->width > 1)
        send_off(s, s->count - 1, y, sums);
}

static void run_strip(strip *s, int y0, int y1, block_sums *sums) {
    const runoff *r = s->r;
    bool eight = r->p->neighbours == RV_runoff_neighbours_8;
    if (y0 > 0)
        fill_levels(s, y0 - 2);
    fill_levels(s, y0 - 1);
    fill_levels(s, y0);
    for (int y = y0 - 1; y <= y1; y++) {
        if (y >= y0 && y < r->height)
            fill_levels(s, y + 1);
        give_row(s, y);
        int done = y - 1; /* the rows around it have given now */
        if (done < y0)
            continue;
        if (eight)
            gather_row(s, done, true);
        else
            gather_row(s, done, false);
        if (r->same)
            gather_same_row(s, done, sums);
        else
            count_row(s, done, sums);
        keep_row(s, done);
        send_row_off(s, done, sums);
        size_t row = cell_at(r, s->x0, done);
        weather(r, r->next.water + row, r->rain ? r->rain + row : NULL, s->count, sums);
    }
}

static void run_rows(void *arg, int first, int end) {
    const runoff *r = arg;
    block_sums sums = {0};
    strip s = {.r = r};
    if (r->same) {
        size_t layers = (size_t)r->job->land->layer_count, block = (size_t)(first / RVI_ROWS);
        s.scratch = r->scratch + block * 3 * PART_ROWS * layers * ROOM;
        s.deposited_on = r->deposited_blocks + block * layers;
        memset(s.deposited_on, 0, layers * sizeof *s.deposited_on);
    }
    for (s.x0 = 0; s.x0 < r->width; s.x0 += STRIP) {
        s.count = rvi_mini(STRIP, r->width - s.x0);
        run_strip(&s, first, end, &sums);
    }
    r->sums[first / RVI_ROWS] = sums;
}

/* ---- before and after ---- */

/* A grid for each layer, one after the other, and where each begins. */
static void list_layers(runoff *r, layer_grids *g, const char *what) {
    size_t layers = (size_t)r->job->land->layer_count, cells = rvi_cells(r->job->land);
    rvi_job_buffer(r->job, &g->at, layers, sizeof *g->at, "the layers");
    rvi_job_buffer(r->job, &g->room, layers * cells, sizeof *g->room, what);
}

static void place_layers(const runoff *r, const layer_grids *g) {
    for (int l = 0; g->at && l < r->job->land->layer_count; l++)
        g->at[l] = g->room + (size_t)l * rvi_cells(r->job->land);
}

static void list_state(runoff *r, state *s) {
    rvi_job *job = r->job;
    if (r->same) {
        list_layers(r, &s->gain, "what sediment is made of");
        list_layers(r, &s->parts, "what sediment is made of");
    }
    if (r->layered)
        rvi_job_grid(job, &s->cut, "the worn layers");
    rvi_job_grid(job, &s->ground, "the worn land");
    rvi_job_grid(job, &s->water, "the water");
    rvi_job_grid(job, &s->sediment, "the sediment");
    rvi_job_grid(job, &s->deposited, "the sediment");
    rvi_job_grid(job, &s->flow, "the flow of water");
}

static void list_buffers(runoff *r) {
    rvi_job *job = r->job;
    size_t layers = (size_t)job->land->layer_count;
    size_t blocks = (size_t)(r->height + RVI_ROWS - 1) / RVI_ROWS;
    rvi_job_buffer(job, &r->sums, blocks, sizeof *r->sums, "the water");
    list_state(r, &r->now);
    list_state(r, &r->next);
    list_layers(r, &r->stack, "the land as it was");
    if (r->layered)
        rvi_job_grid(job, &r->surface, "the land as it was");
    rvi_factor_shape map = rvi_factor_map(job->land);
    rvi_factor_list(job, &map, &r->factor);
    if (!r->same)
        return;
    size_t rows = 3 * PART_ROWS * layers;
    rvi_job_buffer(job, &r->scratch, blocks * rows * ROOM, sizeof *r->scratch, "parts");
    rvi_job_buffer(job, &r->deposited_blocks, blocks * layers, sizeof(double), "the ledger");
    rvi_job_buffer(job, &r->deposited_on, layers, sizeof(double), "the ledger");
}

/* The land as it was. */
static rv_status copy_land(runoff *r) {
    rv_context *ctx = r->job->ctx;
    const rv_terrain *land = r->job->land;
    size_t size = rvi_cells(land) * sizeof(float);
    rv_status status = RV_OK;
    for (int l = 0; status == RV_OK && l < land->layer_count; l++)
        status = rvi_copy(ctx, r->stack.at[l], land->layers[l].thickness, size);
    if (status == RV_OK && r->surface)
        status = rvi_copy(ctx, r->surface, land->surface, size);
    r->base = r->surface ? r->surface : r->stack.at[0];
    return status;
}

/* Water and sediment that stand on the land, and the first rain. */
static rv_status take_over(runoff *r) {
    rv_context *ctx = r->job->ctx;
    const rv_terrain *land = r->job->land;
    size_t cells = rvi_cells(land);
    const float *water = rvi_field_get(land, "water"), *sediment = rvi_field_get(land, "sediment");
    for (size_t i = 0; i < cells; i++) {
        if (rvi_poll_at(ctx, i) != RV_OK)
            return RV_CANCELLED;
        r->now.water[i] = water ? rvi_maxf(water[i], 0.0f) : 0.0f;
        r->now.sediment[i] = sediment ? rvi_maxf(sediment[i], 0.0f) : 0.0f;
    }
    if (r->same) /* what is suspended already counts as the top layer */
        memcpy(r->now.parts.at[land->layer_count - 1], r->now.sediment, cells * sizeof(float));
    r->before = rvi_sum(ctx, r->now.water, cells);
    r->sediment_before = rvi_sum(ctx, r->now.sediment, cells);
    float low, high, shallow, deep;
    rvi_range(ctx, land->surface, cells, &low, &high);
    rvi_range(ctx, r->now.water, cells, &shallow, &deep);
    r->still = (rvi_maxf(-low, rvi_maxf(high, 0.0f)) + deep) * 0x1p-23f;
    r->floor = isnan(r->p->floor) ? low : r->p->floor;
    for (size_t i = 0; r->p->rounds > 0 && i < cells; i++) {
        if (rvi_poll_at(ctx, i) != RV_OK)
            return RV_CANCELLED;
        r->now.water[i] += r->p->water * (r->rain ? r->rain[i] : 1.0f);
    }
    r->rained = rvi_sum(ctx, r->now.water, cells) - r->before;
    return RV_OK;
}

static rv_status fill_grids(runoff *r) {
    rvi_job *job = r->job;
    r->share = r->p->neighbours == RV_runoff_neighbours_8 ? 1.0f / 9.0f : 1.0f / 5.0f;
    r->mask = rvi_field_get(job->land, "mask");
    const layer_grids *grids[] = {&r->stack, &r->now.gain, &r->now.parts, &r->next.gain,
                                  &r->next.parts};
    for (size_t k = 0; k < sizeof grids / sizeof grids[0]; k++)
        place_layers(r, grids[k]);
    rvi_factor_shape map = rvi_factor_map(job->land);
    rv_status status = copy_land(r);
    if (status == RV_OK)
        status = rvi_factor_make(job, &map, &r->factor);
    if (status == RV_OK && r->p->rain[0] != '\0')
        status = rvi_map_image_load(job, r->p->rain, &r->rain);
    return status == RV_OK ? take_over(r) : status;
}

static float next_below(float h) {
    int32_t bits;
    if (h == 0.0f)
        return -0x1p-149f;
    memcpy(&bits, &h, sizeof bits);
    bits += h > 0.0f ? -1 : 1;
    memcpy(&h, &bits, sizeof h);
    return h;
}

/* The largest height that is not above `was + by`; *rest is what it leaves over. */
static float height_below(float was, float by, float *rest) {
    double exact = (double)was + (double)by;
    float h = by == 0.0f ? was : (float)exact;
    if ((double)h > exact)
        h = next_below(h);
    *rest += (float)(exact - (double)h);
    return h;
}

/* The same with give=same. */
static float show_layers(const runoff *r, size_t i) {
    const rv_terrain *land = r->job->land;
    float rest = 0.0f;
    for (int l = 0; l < land->layer_count; l++) {
        float thick = height_below(r->stack.at[l][i], r->now.gain.at[l][i], &rest);
        land->layers[l].thickness[i] = l > 0 ? rvi_maxf(thick, 0.0f) : thick;
    }
    return rest;
}

/* Brings the ground of a cell up to date; returns what its heights cannot hold. */
static float show_ground(const runoff *r, size_t i) {
    const rv_terrain *land = r->job->land;
    int l = land->layer_count - 1;
    if (r->same)
        return show_layers(r, i);
    float rest = 0.0f, cut = r->layered ? r->now.cut[i] : 0.0f;
    float top = height_below(r->stack.at[l][i], r->now.ground[i], &rest);
    land->layers[l].thickness[i] = l > 0 ? rvi_maxf(top, 0.0f) : top;
    for (l--; l >= 0; l--) {
        float thick = r->stack.at[l][i], loss = l > 0 ? rvi_minf(cut, thick) : cut;
        land->layers[l].thickness[i] = height_below(thick, -loss, &rest);
        cut -= loss;
    }
    return rest;
}

typedef struct shown {
    const runoff *r;
    float *water, *sediment;
} shown;

static void show_rows(void *arg, int first, int end) {
    const shown *s = arg;
    const runoff *r = s->r;
    double sum = 0.0;
    for (size_t i = cell_at(r, 0, first); i < cell_at(r, 0, end); i++) {
        float rest = show_ground(r, i);
        s->water[i] = r->now.water[i];
        s->sediment[i] = r->now.sediment[i] + rest;
        sum += (double)rest;
    }
    r->sums[first / RVI_ROWS].rest = sum;
}

static rv_status show_land(const runoff *r) {
    shown s = {r, r->fields[0], r->fields[1]};
    rv_status status = rvi_parallel_rows(r->job->ctx, r->height, show_rows, &s);
    if (status == RV_OK)
        rvi_terrain_sum_layers(r->job->land);
    return status;
}

static rv_status leave_eroded(const runoff *r) {
    const rv_terrain *land = r->job->land;
    float *eroded = r->fields[3];
    for (size_t i = 0; i < rvi_cells(land); i++) {
        if (rvi_poll_at(land->ctx, i) != RV_OK)
            return RV_CANCELLED;
        double here = 0.0;
        for (int l = 0; l < land->layer_count; l++)
            here += (double)land->layers[l].thickness[i] - (double)r->stack.at[l][i];
        eroded[i] += rvi_maxf(r->now.deposited[i] - (float)here, 0.0f);
    }
    return RV_OK;
}

static rv_status close_ledger(runoff *r) {
    rvi_job *job = r->job;
    rv_context *ctx = job->ctx;
    size_t cells = rvi_cells(job->land);
    double area = (double)job->land->cell * (double)job->land->cell, rest = 0.0;
    for (int b = 0; b * RVI_ROWS < r->height; b++)
        rest += r->sums[b].rest;
    for (int l = 0; r->same && l < job->land->layer_count; l++)
        job->deposited_on[l] = r->deposited_on[l] * area;
    rv_status status = leave_eroded(r);
    job->ledger = (rv_ledger){.before = r->sediment_before * area,
                              .eroded = (r->taken + rest) * area,
                              .deposited = r->laid * area,
                              .left_map = r->sediment_off * area,
                              .suspended = rvi_sum(ctx, r->fields[1], cells) * area};
    job->rounding = 0x1p-24 * r->carried * area;
    job->water = (rv_water){.before = r->before * area,
                            .rained = r->rained * area,
                            .evaporated = r->evaporated * area,
                            .absorbed = r->absorbed * area,
                            .left_map = r->water_off * area,
                            .standing = rvi_sum(ctx, r->now.water, cells) * area};
    return status;
}

static rv_status run_round(runoff *r, int round) {
    int every = r->p->every;
    r->raining = every > 0 && round + 1 < r->p->rounds && (round + 1) % every == 0;
    rv_status status = rvi_parallel_rows(r->job->ctx, r->height, run_rows, r);
    if (status != RV_OK)
        return status; /* what was not finished is forgotten */
    for (int b = 0; b < (r->height + RVI_ROWS - 1) / RVI_ROWS; b++) {
        r->rained += r->sums[b].rained;
        r->evaporated += r->sums[b].evaporated;
        r->absorbed += r->sums[b].absorbed;
        r->water_off += r->sums[b].water_off;
        r->sediment_off += r->sums[b].sediment_off;
        r->taken += r->sums[b].taken;
        r->laid += r->sums[b].laid;
        int layers = r->job->land->layer_count;
        for (int l = 0; r->same && l < layers; l++)
            r->deposited_on[l] += r->deposited_blocks[b * layers + l];
    }
    r->carried += r->sediment_before + r->taken - r->laid - r->sediment_off;
    state swap = r->now;
    r->now = r->next;
    r->next = swap;
    if (rvi_progress_due(r->job->ctx))
        status = show_land(r);
    if (status != RV_OK)
        return status;
    return rvi_job_progress(r->job, (double)(round + 1) / (double)r->p->rounds);
}

static rv_status run(rvi_job *job) {
    runoff *r = job->state;
    rv_status status = fill_grids(r);
    job->begun = status == RV_OK;
    for (int round = 0; status == RV_OK && round < r->p->rounds; round++)
        status = run_round(r, round);
    return status;
}

static rv_status close_run(rvi_job *job) {
    runoff *r = job->state;
    rv_status status = show_land(r);
    for (size_t i = 0; status == RV_OK && i < rvi_cells(job->land); i++) {
        status = rvi_poll_at(job->ctx, i);
        r->fields[2][i] += r->now.flow[i];
        r->fields[4][i] += r->now.deposited[i];
    }
    return status == RV_OK ? close_ledger(r) : status;
}

rv_status rvi_step_runoff(rvi_job *job, const rv_runoff_params *p) {
    static const char *const names[5] = {"water", "sediment", "flow", "eroded", "deposited"};
    runoff *r = rvi_job_begin(job, sizeof *r, run, close_run);
    if (!r)
        return RV_ERROR_MEMORY;
    r->p = p;
    r->job = job;
    r->width = job->land->width;
    r->height = job->land->height;
    r->layered = job->land->layer_count > 1;
    r->same = r->layered && p->give == RV_runoff_give_same;
    list_buffers(r);
    rv_status status = rvi_map_image_list(job, p->rain, &r->rain);
    for (int k = 0; status == RV_OK && k < 5; k++)
        status = rvi_job_field(job, names[k], &r->fields[k]);
    return status;
}
