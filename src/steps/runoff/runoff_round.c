/* runoff_round.c: one round of runoff.c. Equations: runoff.c. */
#include "base/lanes.h"
#include "base/threads.h"
#include "steps/runoff/runoff_strip.h"
#include "wear/border.h"

#include <assert.h>
#include <string.h>

static_assert((int)RVI_RUNOFF_ROWS == (int)RVI_ROWS, "sums are of blocks of work");

/* ---- four cells side by side, with the same arithmetic: clang does not do it by itself ---- */

static RVI_RUNOFF_HOT rvi_v4 choose_four(rvi_m4 first, rvi_v4 a, rvi_v4 b) {
    return (rvi_v4)((first & (rvi_m4)a) | (~first & (rvi_m4)b));
}

static RVI_RUNOFF_HOT rvi_v4 drop_four(rvi_v4 from, rvi_v4 to, rvi_v4 still) {
    rvi_v4 d = from - to;
    return (rvi_v4)((rvi_m4)(d > still) & (rvi_m4)d);
}

typedef struct four_drops {
    rvi_v4 sum, falls;
} four_drops;

static RVI_RUNOFF_HOT four_drops sum_four(const float *up, const float *mid, const float *down,
                                          int x, rvi_v4 still, bool eight) {
    rvi_v4 t = rvi_v4_load(mid + x);
#define DROP(row, at) drop_four(t, rvi_v4_load(row + at), still)
    rvi_v4 w = DROP(mid, x - 1), e = DROP(mid, x + 1), n = DROP(up, x), s = DROP(down, x);
    four_drops sides = {(w + e) + (n + s), (w * w + e * e) + (n * n + s * s)};
    if (!eight)
        return sides;
    rvi_v4 nw = DROP(up, x - 1), se = DROP(down, x + 1), ne = DROP(up, x + 1),
           sw = DROP(down, x - 1);
#undef DROP
    rvi_v4 falls = (nw * nw + se * se) + (ne * ne + sw * sw);
    return (four_drops){sides.sum + ((nw + se) + (ne + sw)),
                        sides.falls + rvi_v4_all(RVI_RUNOFF_CORNER) * falls};
}

/* ---- rows of a strip ---- */

static RVI_RUNOFF_HOT float ground_at(const rvi_runoff *r, size_t i) {
    float change = r->now.ground[i];
    return r->base[i] + (r->layered ? change - r->now.cut[i] : change);
}

/* Level of a place outside. An open edge goes on as the ground comes to it, without water. */
static float level_outside(const rvi_runoff *r, int x, int y) {
    if (r->p->border == RV_runoff_border_wall)
        return RVI_RUNOFF_WALL;
    int w = r->width, h = r->height;
    size_t edge = rvi_runoff_at(r, rvi_border_nearest(x, w), rvi_border_nearest(y, h));
    size_t inside = rvi_runoff_at(r, rvi_border_mirrored(x, w), rvi_border_mirrored(y, h));
    return rvi_border_beyond(ground_at(r, edge), ground_at(r, inside));
}

static void fill_levels(rvi_runoff_strip *s, int y) {
    const rvi_runoff *r = s->r;
    float *level = s->level[(y + 5) % 5] + RVI_RUNOFF_EDGE;
    if (y < 0 || y >= r->height) {
        for (int x = -2; x < s->count + 2; x++)
            level[x] = level_outside(r, s->x0 + x, y);
        return;
    }
    int first = rvi_maxi(-2, -s->x0), end = rvi_mini(s->count + 2, r->width - s->x0);
    size_t row = rvi_runoff_at(r, s->x0, y);
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

void rvi_runoff_fill_levels(rvi_runoff_strip *s, int y) {
    fill_levels(s, y);
}

/* Four cells of give_bare(), where there are neither bands nor a function. */
static RVI_RUNOFF_HOT void give_four(const rvi_runoff_rules *k, four_drops drops, rvi_v4 w,
                                     rvi_v4 s, rvi_v4 old, rvi_v4 base, rvi_v4 soft, rvi_v4 mask,
                                     const float *restrict mean, rvi_runoff_giving *restrict g,
                                     int x) {
    const rvi_v4 none = rvi_v4_all(0.0f), one = rvi_v4_all(1.0f);
    rvi_v4 most = drops.sum * rvi_v4_all(k->share), out = rvi_v4_min(w, most);
    rvi_v4 per = one / rvi_v4_max(drops.sum, rvi_v4_all(RVI_RUNOFF_NO_DROP));
    rvi_v4 steep = rvi_v4_min(one, drops.falls * per * rvi_v4_all(k->per_slope));
    rvi_v4 flow = mean ? rvi_v4_load(mean) : out;
    rvi_v4 part = rvi_v4_sqrt(rvi_v4_min(one, flow * rvi_v4_all(k->per_flow)));
    rvi_v4 full = rvi_v4_all(k->capacity) * out * part, c = full * steep;
    rvi_v4 spare = (base - rvi_v4_all(k->floor)) * rvi_v4_all(1.0f - 0x1p-21f) + old;
    rvi_v4 room = rvi_v4_min(most * rvi_v4_all(k->room), rvi_v4_max(spare, none));
    rvi_v4 take = rvi_v4_min(rvi_v4_all(k->softness) * rvi_v4_max(c - s, none), room);
    take = choose_four(take < rvi_v4_all(RVI_RUNOFF_DRY), none, take) * soft;
    rvi_v4 lay = rvi_v4_all(k->deposition) * rvi_v4_max(s - c, none) * mask;
    rvi_v4 after = old + (lay - take);
    after = choose_four(after - old > s, old, after);
    rvi_v4 gained = after - old, laid = rvi_v4_max(gained, none), load = s - gained;
    rvi_v4 carries = rvi_v4_min(full, c + laid * (full * rvi_v4_all(k->per_slope)));
    rvi_v4 sent = rvi_v4_min(load, carries);
    rvi_v4_store(g->ground + x, after);
    rvi_v4_store(g->water + x, out * per);
    rvi_v4_store(g->sediment + x, sent * per);
    rvi_v4_store(g->water_left + x, w - out);
    rvi_v4_store(g->sediment_left + x, load - sent);
    rvi_v4_store(g->out + x, out);
    rvi_v4_store(g->deposited + x, laid);
}

/* A row of bare ground, where the change is one number. `soft`, `mask`, `banded` (where
 * there are bands) and `asked` (where a function is) may be NULL. */
static RVI_RUNOFF_HOT void
give_bare(const rvi_runoff *r, const float *restrict up, const float *restrict mid,
          const float *restrict down, const float *restrict w, const float *restrict sed,
          const float *restrict ground, const float *restrict base, const float *restrict soft,
          const float *restrict mask, const float *restrict mean, const rvi_erosion_factor *banded,
          const rvi_erosion_factor *asked, size_t row, rvi_runoff_giving *restrict g, int first,
          int end, bool eight) {
    const rvi_runoff_rules k = r->rules;
    int x = first;
    for (; !banded && !asked && x + 4 <= end; x += 4)
        give_four(&k, sum_four(up, mid, down, x, rvi_v4_all(k.still), eight), rvi_v4_load(w + x),
                  rvi_v4_load(sed + x), rvi_v4_load(ground + x), rvi_v4_load(base + x),
                  soft ? rvi_v4_load(soft + x) : rvi_v4_all(1.0f),
                  mask ? rvi_v4_load(mask + x) : rvi_v4_all(1.0f), mean ? mean + x : NULL, g,
                  x + RVI_RUNOFF_EDGE);
    for (; x < end; x++) {
        rvi_runoff_drops drops = rvi_runoff_sum(up, mid, down, x, k.still, eight);
        float old = ground[x];
        rvi_runoff_plan p =
            rvi_runoff_decide(&k, drops, w[x], sed[x], rvi_runoff_spare(base[x], old, k.floor),
                              mean ? mean[x] : 0.0f);
        float take = soft ? p.take * soft[x] : p.take;
        if (banded)
            take *= rvi_factor_rock(banded, row + (size_t)x, base[x] + old);
        if (asked)
            take *= rvi_factor_ground(asked, row + (size_t)x, base[x] + old);
        float lay = mask ? p.lay * mask[x] : p.lay;
        float after = rvi_runoff_ground(old, lay, take, sed[x]);
        g->ground[x + RVI_RUNOFF_EDGE] = after;
        rvi_runoff_settle(g, x + RVI_RUNOFF_EDGE, &p, w[x], sed[x], after - old, drops.sum);
    }
}

static RVI_RUNOFF_HOT void give_bare_row(rvi_runoff_strip *s, int y, int first, int end, bool eight,
                                         bool limited, bool banded, bool asked) {
    const rvi_runoff *r = s->r;
    size_t row = rvi_runoff_at(r, s->x0, y);
    give_bare(r, s->level[(y + 4) % 5] + RVI_RUNOFF_EDGE, s->level[y % 5] + RVI_RUNOFF_EDGE,
              s->level[(y + 1) % 5] + RVI_RUNOFF_EDGE, r->now.water + row, r->now.sediment + row,
              r->now.ground + row, r->base + row,
              limited && r->factor.cells ? r->factor.cells + row : NULL,
              limited && r->mask ? r->mask + row : NULL, r->mean ? r->mean + row : NULL,
              banded ? &r->factor : NULL, asked ? &r->factor : NULL, row, &s->give[y % 3], first,
              end, eight);
}

/* First half of a round, for one row and a column more on both sides. */
static void give_row(rvi_runoff_strip *s, int y) {
    const rvi_runoff *r = s->r;
    rvi_runoff_giving *g = &s->give[(y + 3) % 3];
    if (y < 0 || y >= r->height) {
        memset(g, 0, sizeof *g);
        for (int l = 0; r->same && l < r->job->land->layer_count; l++)
            memset(rvi_runoff_part(s, RVI_RUNOFF_SENT, y, l) - RVI_RUNOFF_EDGE, 0,
                   RVI_RUNOFF_ROOM * sizeof(float));
        return;
    }
    int first = rvi_maxi(-1, -s->x0), end = rvi_mini(s->count + 1, r->width - s->x0);
    bool eight = r->eight;
    if (r->same)
        rvi_runoff_give_same(s, y, first, end);
    else if (r->layered)
        rvi_runoff_give_layered(s, y, first, end);
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
    g->water[RVI_RUNOFF_EDGE + first - 1] = g->water[RVI_RUNOFF_EDGE + end] =
        0.0f; /* nothing comes from outside */
    g->sediment[RVI_RUNOFF_EDGE + first - 1] = g->sediment[RVI_RUNOFF_EDGE + end] = 0.0f;
}

static RVI_RUNOFF_HOT float part(const float *give, const float *level, int from, float here,
                                 float still) {
    return rvi_runoff_gift(give[from], level[from], here, still);
}

/* What comes to column x from the neighbours. */
static RVI_RUNOFF_HOT float gather(const float *const give[3], const float *const level[3], int x,
                                   float still, bool eight) {
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

static RVI_RUNOFF_HOT rvi_v4 gather_four(const float *const give[3], const float *const level[3],
                                         int x, rvi_v4 still, bool eight) {
    rvi_v4 t = rvi_v4_load(level[1] + x);
#define PART(row, at)                                                                              \
    (rvi_v4_load(give[row] + at) * drop_four(rvi_v4_load(level[row] + at), t, still))
    rvi_v4 sum = (PART(1, x - 1) + PART(1, x + 1)) + (PART(0, x) + PART(2, x));
    if (!eight)
        return sum;
    return sum + ((PART(0, x - 1) + PART(2, x + 1)) + (PART(0, x + 1) + PART(2, x - 1)));
#undef PART
}

static RVI_RUNOFF_HOT void
gather_cells(const rvi_runoff_giving *restrict a, const rvi_runoff_giving *restrict b,
             const rvi_runoff_giving *restrict c, const float *restrict up,
             const float *restrict mid, const float *restrict down, float *restrict water,
             float *restrict sediment, int count, float still, bool eight) {
    const float *const level[3] = {up, mid, down};
    const float *const give_water[3] = {a->water, b->water, c->water};
    const float *const give_sediment[3] = {a->sediment, b->sediment, c->sediment};
    int x = 0;
    for (; x + 4 <= count; x += 4) {
        int k = x + RVI_RUNOFF_EDGE;
        rvi_v4 limit = rvi_v4_all(still);
        rvi_v4_store(water + x, rvi_v4_load(b->water_left + k) +
                                    gather_four(give_water, level, k, limit, eight));
        rvi_v4_store(sediment + x, rvi_v4_load(b->sediment_left + k) +
                                       gather_four(give_sediment, level, k, limit, eight));
    }
    for (; x < count; x++) {
        int k = x + RVI_RUNOFF_EDGE;
        water[x] = b->water_left[k] + gather(give_water, level, k, still, eight);
        sediment[x] = b->sediment_left[k] + gather(give_sediment, level, k, still, eight);
    }
}

static RVI_RUNOFF_HOT void gather_row(rvi_runoff_strip *s, int y, bool eight) {
    const rvi_runoff *r = s->r;
    size_t row = rvi_runoff_at(r, s->x0, y);
    gather_cells(&s->give[(y + 2) % 3], &s->give[y % 3], &s->give[(y + 1) % 3],
                 s->level[(y + 4) % 5], s->level[y % 5], s->level[(y + 1) % 5], r->next.water + row,
                 r->next.sediment + row, s->count, r->rules.still, eight);
}

/* What comes in of each layer; the sediment is the sum. What each layer gained is kept. */
static void gather_same_row(rvi_runoff_strip *s, int y) {
    const rvi_runoff *r = s->r;
    size_t row = rvi_runoff_at(r, s->x0, y);
    bool eight = r->eight;
    const float *const level[3] = {s->level[(y + 4) % 5] + RVI_RUNOFF_EDGE,
                                   s->level[y % 5] + RVI_RUNOFF_EDGE,
                                   s->level[(y + 1) % 5] + RVI_RUNOFF_EDGE};
    for (int l = 0; l < r->job->land->layer_count; l++) {
        const float *const sent[3] = {rvi_runoff_part(s, RVI_RUNOFF_SENT, y - 1, l),
                                      rvi_runoff_part(s, RVI_RUNOFF_SENT, y, l),
                                      rvi_runoff_part(s, RVI_RUNOFF_SENT, y + 1, l)};
        const float *left = rvi_runoff_part(s, RVI_RUNOFF_LEFT, y, l),
                    *gain = rvi_runoff_part(s, RVI_RUNOFF_GAIN, y, l);
        for (int x = 0; x < s->count; x++) {
            size_t i = row + (size_t)x;
            float part = left[x] + gather(sent, level, x, r->rules.still, eight);
            float more = gain[x] - r->now.gain.at[l][i];
            r->next.parts.at[l][i] = part;
            r->next.sediment[i] = l == 0 ? part : r->next.sediment[i] + part;
            r->next.gain.at[l][i] = gain[x];
            s->deposited_on[l] += (double)rvi_maxf(more, 0.0f);
            s->laid[x] += rvi_maxf(more, 0.0f);
            s->taken[x] += rvi_maxf(-more, 0.0f);
        }
    }
}

/* What the ground of a row won and lost. */
static void count_row(rvi_runoff_strip *s, int y) {
    const rvi_runoff *r = s->r;
    const rvi_runoff_giving *g = &s->give[y % 3];
    size_t row = rvi_runoff_at(r, s->x0, y);
    const float *restrict ground = r->now.ground + row, *restrict after = g->ground;
    const float *restrict cut = r->layered ? r->now.cut + row : NULL, *restrict deeper = g->cut;
    float *restrict laid = s->laid, *restrict taken = s->taken;
    for (int x = 0; !cut && x < s->count; x++) {
        float moved = after[x + RVI_RUNOFF_EDGE] - ground[x];
        laid[x] += rvi_maxf(moved, 0.0f);
        taken[x] += rvi_maxf(-moved, 0.0f);
    }
    for (int x = 0; cut && x < s->count; x++) {
        float moved =
            (after[x + RVI_RUNOFF_EDGE] - ground[x]) - (deeper[x + RVI_RUNOFF_EDGE] - cut[x]);
        laid[x] += rvi_maxf(moved, 0.0f);
        taken[x] += rvi_maxf(-moved, 0.0f);
    }
}

static void keep_row(rvi_runoff_strip *s, int y) {
    const rvi_runoff *r = s->r;
    const rvi_runoff_giving *g = &s->give[y % 3];
    size_t row = rvi_runoff_at(r, s->x0, y), size = (size_t)s->count * sizeof(float);
    const float *restrict deposited = r->now.deposited + row, *restrict flow = r->now.flow + row;
    float *restrict next_deposited = r->next.deposited + row, *restrict next_flow =
                                                                  r->next.flow + row;
    for (int x = 0; x < s->count; x++) {
        next_deposited[x] = deposited[x] + g->deposited[x + RVI_RUNOFF_EDGE];
        next_flow[x] = flow[x] + g->out[x + RVI_RUNOFF_EDGE];
    }
    memcpy(r->next.ground + row, g->ground + RVI_RUNOFF_EDGE, size);
    if (r->layered)
        memcpy(r->next.cut + row, g->cut + RVI_RUNOFF_EDGE, size);
}

/* Evaporation, infiltration, and the rain of the next round. */
static void weather(rvi_runoff_strip *s, float *restrict water, const float *restrict rain) {
    const rvi_runoff_rules k = s->r->rules;
    float *restrict evaporated = s->evaporated, *restrict absorbed = s->absorbed;
    float *restrict rained = s->rained;
    for (int x = 0; x < s->count; x++) {
        float left = rvi_runoff_wet(water[x] * k.keep);
        evaporated[x] += water[x] - left;
        water[x] = left;
    }
    for (int x = 0; k.absorb > 0.0f && x < s->count; x++) {
        float left = rvi_runoff_wet(water[x] - k.absorb);
        absorbed[x] += water[x] - left;
        water[x] = left;
    }
    for (int x = 0; k.rain > 0.0f && x < s->count; x++) {
        float more = water[x] + (rain ? k.rain * rain[x] : k.rain);
        rained[x] += more - water[x];
        water[x] = more;
    }
}

/* What the cell in column x of the strip sends over the edge. */
static void send_off(const rvi_runoff_strip *s, int x, int y) {
    const rvi_runoff *r = s->r;
    const rvi_runoff_giving *g = &s->give[y % 3];
    bool eight = r->eight;
    rvi_runoff_off *off = &r->off[rvi_runoff_place(s->x0 + x, y, r->width, r->height)];
    float here = s->level[y % 5][x + RVI_RUNOFF_EDGE];
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int nx = s->x0 + x + dx, ny = y + dy;
            bool inside = nx >= 0 && ny >= 0 && nx < r->width && ny < r->height;
            if (inside || (!eight && dx != 0 && dy != 0))
                continue;
            float d = rvi_runoff_drop(here, s->level[(ny + 5) % 5][x + dx + RVI_RUNOFF_EDGE],
                                      r->rules.still);
            off->water += (double)(g->water[x + RVI_RUNOFF_EDGE] * d);
            off->sediment += (double)(g->sediment[x + RVI_RUNOFF_EDGE] * d);
        }
    off->held += off->sediment;
}

static void send_row_off(const rvi_runoff_strip *s, int y) {
    const rvi_runoff *r = s->r;
    if (r->p->border == RV_runoff_border_wall)
        return;
    bool edge_row = y == 0 || y == r->height - 1;
    for (int x = 0; edge_row && x < s->count; x++)
        send_off(s, x, y);
    if (edge_row)
        return;
    if (s->x0 == 0)
        send_off(s, 0, y);
    if (s->x0 + s->count == r->width && r->width > 1)
        send_off(s, s->count - 1, y);
}

static void run_strip(rvi_runoff_strip *s, int y0, int y1) {
    const rvi_runoff *r = s->r;
    bool eight = r->eight;
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
            gather_same_row(s, done);
        else
            count_row(s, done);
        keep_row(s, done);
        send_row_off(s, done);
        size_t row = rvi_runoff_at(r, s->x0, done);
        weather(s, r->next.water + row, r->rain ? r->rain + row : NULL);
    }
}

/* Adds what the columns of the strip did to the sums of the block. */
static void keep_sums(const rvi_runoff_strip *s, int first) {
    const rvi_runoff *r = s->r;
    rvi_runoff_column *to = r->columns + rvi_runoff_at(r, s->x0, first / RVI_RUNOFF_ROWS);
    for (int x = 0; x < s->count; x++)
        rvi_runoff_count(&to[x], (rvi_runoff_tally){s->rained[x], s->evaporated[x], s->absorbed[x],
                                                    s->taken[x], s->laid[x]});
}

static void clear_sums(rvi_runoff_strip *s) {
    float *sums[] = {s->rained, s->evaporated, s->absorbed, s->taken, s->laid};
    for (size_t k = 0; k < sizeof sums / sizeof sums[0]; k++)
        memset(sums[k], 0, RVI_RUNOFF_STRIP * sizeof(float));
}

void rvi_runoff_rows(void *arg, int first, int end) {
    const rvi_runoff *r = arg;
    rvi_runoff_strip s = {.r = r};
    if (r->same) {
        size_t layers = (size_t)r->job->land->layer_count, block = (size_t)(first / RVI_ROWS);
        s.scratch = r->scratch + block * 3 * RVI_RUNOFF_PART_ROWS * layers * RVI_RUNOFF_ROOM;
        s.deposited_on = r->deposited_blocks + block * layers;
        memset(s.deposited_on, 0, layers * sizeof *s.deposited_on);
    }
    for (s.x0 = 0; s.x0 < r->width; s.x0 += RVI_RUNOFF_STRIP) {
        s.count = rvi_mini(RVI_RUNOFF_STRIP, r->width - s.x0);
        clear_sums(&s);
        run_strip(&s, first, end);
        keep_sums(&s, first);
    }
}
