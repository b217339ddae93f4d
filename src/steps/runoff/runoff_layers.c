/* runoff_layers.c: the first half of a round of runoff.c where the land has layers. Equations:
 * runoff.c. */
#include "steps/runoff/runoff_strip.h"
#include "terrain/layers.h"

float rvi_runoff_take_layers(const rvi_runoff *r, size_t i, float want, float *top, float *cut) {
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

/* Rows of levels around row y. */
typedef struct level_rows {
    const float *up, *mid, *down;
} level_rows;

static level_rows levels_at(const rvi_runoff_strip *s, int y) {
    return (level_rows){s->level[(y + 4) % 5] + RVI_RUNOFF_EDGE, s->level[y % 5] + RVI_RUNOFF_EDGE,
                        s->level[(y + 1) % 5] + RVI_RUNOFF_EDGE};
}

static void give_layered(rvi_runoff_giving *g, const rvi_runoff *r, int x, size_t i,
                         rvi_runoff_drops drops) {
    float w = r->now.water[i], sed = r->now.sediment[i];
    float top = r->now.ground[i], cut = r->now.cut[i];
    rvi_runoff_plan p = rvi_runoff_decide(&r->rules, drops, w, sed,
                                          rvi_runoff_spare(r->base[i], top - cut, r->rules.floor),
                                          rvi_runoff_mean(r, i));
    float lay = r->mask ? p.lay * r->mask[i] : p.lay;
    float raised = top + lay, gained = raised - top;
    if (gained > sed || !(lay > 0.0f))
        gained = 0.0f;
    else
        top = raised;
    float take = p.take * rvi_factor_cell(&r->factor, i);
    if (take > 0.0f)
        gained = -rvi_runoff_take_layers(r, i, take, &top, &cut);
    g->ground[x] = top;
    g->cut[x] = cut;
    rvi_runoff_settle(g, x, &p, w, sed, gained, drops.sum);
}

void rvi_runoff_give_layered(rvi_runoff_strip *s, int y, int first, int end) {
    const rvi_runoff *r = s->r;
    size_t row = rvi_runoff_at(r, s->x0, y);
    level_rows l = levels_at(s, y);
    for (int x = first; x < end; x++)
        give_layered(&s->give[y % 3], r, x + RVI_RUNOFF_EDGE, row + (size_t)x,
                     rvi_runoff_sum(l.up, l.mid, l.down, x, r->rules.still, r->eight));
}

/* ---- give=same: what the sediment is made of ---- */

/* Lays down `lay` of the parts in RVI_RUNOFF_SENT, each on its own layer; returns what stayed
 * there. */
static float lay_same(rvi_runoff_strip *s, int x, int y, float lay, float sediment) {
    float gained = 0.0f, share = rvi_minf(lay / sediment, 1.0f);
    for (int l = 0; l < s->r->job->land->layer_count; l++) {
        float *load = rvi_runoff_part(s, RVI_RUNOFF_SENT, y, l) + x,
              *gain = rvi_runoff_part(s, RVI_RUNOFF_GAIN, y, l) + x;
        float raised = *gain + share * *load, more = raised - *gain;
        if (!(more > 0.0f && more <= *load))
            continue;
        *gain = raised;
        *load -= more;
        gained += more;
    }
    return gained;
}

void rvi_runoff_take_same(const rvi_runoff *r, size_t i, float want, float *gain, float *load,
                          size_t apart) {
    const rv_terrain *land = r->job->land;
    float top = 0.0f; /* of the layer */
    for (int l = 0; rvi_erosion_fn_there(land) && l < land->layer_count; l++)
        top += r->stack.at[l][i] + gain[(size_t)l * apart];
    for (int l = land->layer_count - 1; l >= 0 && want > 0.0f; l--) {
        float *gained = gain + (size_t)l * apart, thick = r->stack.at[l][i];
        float there = rvi_maxf(thick + *gained, 0.0f), loss = want * land->layers[l].erodibility;
        if (l > 0 && !(there > 0.0f))
            continue;
        loss *= rvi_factor_ground(&r->factor, i, top);
        if (l == 0)
            loss *= rvi_factor_rock(&r->factor, i, thick + *gained);
        bool used_up = rvi_layer_used_up(&want, loss, there, l == 0);
        float left = used_up ? -thick : *gained - loss;
        left = l > 0 ? rvi_maxf(left, -thick) : left;
        load[(size_t)l * apart] += *gained - left;
        *gained = left;
        top -= there;
    }
}

/* What becomes of one cell. RVI_RUNOFF_SENT holds the parts in it at first, then what goes for each
 * metre of drop; RVI_RUNOFF_LEFT what stays. */
static void give_same(rvi_runoff_strip *s, int x, int y, size_t i, rvi_runoff_drops drops) {
    const rvi_runoff *r = s->r;
    rvi_runoff_giving *g = &s->give[y % 3];
    int layers = r->job->land->layer_count;
    float w = r->now.water[i], sed = r->now.sediment[i], gained = 0.0f, load = 0.0f, ground = 0.0f;
    rvi_runoff_plan p = rvi_runoff_decide(
        &r->rules, drops, w, sed, rvi_runoff_spare(r->base[i], r->now.ground[i], r->rules.floor),
        rvi_runoff_mean(r, i));
    for (int l = 0; l < layers; l++) {
        rvi_runoff_part(s, RVI_RUNOFF_SENT, y, l)[x] = r->now.parts.at[l][i];
        rvi_runoff_part(s, RVI_RUNOFF_GAIN, y, l)[x] = r->now.gain.at[l][i];
    }
    float lay = r->mask ? p.lay * r->mask[i] : p.lay;
    float take = p.take * rvi_factor_cell(&r->factor, i);
    if (take > 0.0f)
        rvi_runoff_take_same(r, i, take, rvi_runoff_part(s, RVI_RUNOFF_GAIN, y, 0) + x,
                             rvi_runoff_part(s, RVI_RUNOFF_SENT, y, 0) + x, RVI_RUNOFF_ROOM);
    else if (lay > 0.0f)
        gained = lay_same(s, x, y, lay, sed);
    for (int l = 0; l < layers; l++) {
        load += rvi_runoff_part(s, RVI_RUNOFF_SENT, y, l)[x];
        ground += rvi_runoff_part(s, RVI_RUNOFF_GAIN, y, l)[x];
    }
    g->ground[x + RVI_RUNOFF_EDGE] = ground;
    g->cut[x + RVI_RUNOFF_EDGE] = 0.0f;
    p.carries = rvi_runoff_carries(p, gained);
    rvi_runoff_settle(g, x + RVI_RUNOFF_EDGE, &p, w, load, 0.0f, drops.sum);
    g->deposited[x + RVI_RUNOFF_EDGE] = gained;
    float share = load > 0.0f ? rvi_minf(load, p.carries) / load : 0.0f;
    for (int l = 0; l < layers; l++) {
        float *sent = rvi_runoff_part(s, RVI_RUNOFF_SENT, y, l) + x, part = *sent * share;
        rvi_runoff_part(s, RVI_RUNOFF_LEFT, y, l)[x] = *sent - part;
        *sent = part / rvi_maxf(drops.sum, RVI_RUNOFF_NO_DROP);
    }
}

void rvi_runoff_give_same(rvi_runoff_strip *s, int y, int first, int end) {
    const rvi_runoff *r = s->r;
    size_t row = rvi_runoff_at(r, s->x0, y);
    level_rows l = levels_at(s, y);
    for (int x = first; x < end; x++)
        give_same(s, x, y, row + (size_t)x,
                  rvi_runoff_sum(l.up, l.mid, l.down, x, r->rules.still, r->eight));
    for (int k = 0; k < r->job->land->layer_count; k++) {
        float *sent = rvi_runoff_part(s, RVI_RUNOFF_SENT, y, k);
        sent[first - 1] = sent[end] = 0.0f;
    }
}
