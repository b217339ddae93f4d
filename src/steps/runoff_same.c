/* runoff_same.c: what the sediment of runoff.c is made of, where each material is laid on its own
 * layer (give=same). */
#include "base/threads.h"
#include "steps/runoff_strip.h"

#include <string.h>

/* ---- rows of a block ---- */

/* What a row keeps of each layer. */
enum { SENT, LEFT, GAIN, PART_ROWS };

static float *part_row(const strip *s, int what, int y, int layer) {
    int layers = s->r->job->land->layer_count;
    return s->scratch + (size_t)((what * 3 + (y + 3) % 3) * layers + layer) * ROOM + EDGE;
}

/* Numbers that a block keeps. */
static size_t block_room(const runoff *r) {
    return (size_t)3 * PART_ROWS * (size_t)r->job->land->layer_count * ROOM;
}

static size_t block_count(const runoff *r) {
    return ((size_t)r->height + RVI_ROWS - 1) / RVI_ROWS;
}

size_t rvi_runoff_same_memory(const runoff *r) {
    size_t sums = (block_count(r) + 1) * (size_t)r->job->land->layer_count;
    return block_count(r) * block_room(r) * sizeof(float) + sums * sizeof(double);
}

rv_status rvi_runoff_same_allocate(runoff *r) {
    rv_context *ctx = r->job->ctx;
    size_t blocks = block_count(r), layers = (size_t)r->job->land->layer_count;
    r->scratch = rvi_alloc(ctx, blocks * block_room(r), sizeof(float), "parts");
    r->laid_blocks = rvi_alloc(ctx, (blocks + 1) * layers, sizeof *r->laid_blocks, "the ledger");
    if (!r->scratch || !r->laid_blocks)
        return RV_ERROR_MEMORY;
    r->laid_on = r->laid_blocks + blocks * layers;
    return RV_OK;
}

void rvi_runoff_same_begin(strip *s, int block) {
    const runoff *r = s->r;
    size_t layers = (size_t)r->job->land->layer_count;
    s->scratch = r->scratch + (size_t)block * block_room(r);
    s->laid_on = r->laid_blocks + (size_t)block * layers;
    memset(s->laid_on, 0, layers * sizeof *s->laid_on);
}

void rvi_runoff_same_count(runoff *r) {
    size_t layers = (size_t)r->job->land->layer_count;
    for (size_t k = 0; k < block_count(r) * layers; k++)
        r->laid_on[k % layers] += r->laid_blocks[k];
}

/* ---- the two halves of a round ---- */

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

/* Takes `want` from the top layer first and adds it to the parts in SENT. */
static void take_same(strip *s, int x, int y, size_t i, float want) {
    const runoff *r = s->r;
    const rv_terrain *land = r->job->land;
    for (int l = land->layer_count - 1; l >= 0 && want > 0.0f; l--) {
        float *gain = part_row(s, GAIN, y, l) + x, thick = r->stack[l][i];
        float there = rvi_maxf(thick + *gain, 0.0f), loss = want * land->layers[l].erodibility;
        if (l > 0 && !(there > 0.0f))
            continue;
        if (l == 0)
            loss *= rvi_strata_soft(land, r->bands, i, thick + *gain);
        bool through = l > 0 && loss > there;
        float left = through ? -thick : *gain - loss;
        left = l > 0 ? rvi_maxf(left, -thick) : left;
        part_row(s, SENT, y, l)[x] += *gain - left;
        *gain = left;
        want = through ? want * (1.0f - there / loss) : 0.0f;
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
        part_row(s, SENT, y, l)[x] = r->now.parts[l][i];
        part_row(s, GAIN, y, l)[x] = r->now.gain[l][i];
    }
    float lay = r->mask ? p.lay * r->mask[i] : p.lay, take = r->soft ? p.take * r->soft[i] : p.take;
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
    g->laid[x + EDGE] = gained;
    float share = load > 0.0f ? rvi_minf(load, p.carries) / load : 0.0f;
    for (int l = 0; l < layers; l++) {
        float *sent = part_row(s, SENT, y, l) + x, part = *sent * share;
        part_row(s, LEFT, y, l)[x] = *sent - part;
        *sent = part / rvi_maxf(drops, NO_DROP);
    }
}

void rvi_runoff_same_give(strip *s, int y, int first, int end) {
    bool eight = s->r->p->neighbours == RV_runoff_neighbours_8;
    size_t row = cell_at(s->r, s->x0, y);
    const float *up = s->level[(y + 4) % 5] + EDGE, *mid = s->level[y % 5] + EDGE;
    const float *down = s->level[(y + 1) % 5] + EDGE;
    for (int x = first; x < end; x++)
        give_same(s, x, y, row + (size_t)x, sum_drops(up, mid, down, x, s->r->still, eight));
    for (int l = 0; l < s->r->job->land->layer_count; l++)
        part_row(s, SENT, y, l)[first - 1] = part_row(s, SENT, y, l)[end] = 0.0f;
}

void rvi_runoff_same_outside(strip *s, int y) {
    for (int l = 0; l < s->r->job->land->layer_count; l++)
        memset(part_row(s, SENT, y, l) - EDGE, 0, ROOM * sizeof(float));
}

void rvi_runoff_same_gather(strip *s, int y) {
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
            float more = gain[x] - r->now.gain[l][i];
            r->next.parts[l][i] = part;
            r->next.sediment[i] = l == 0 ? part : r->next.sediment[i] + part;
            r->next.gain[l][i] = gain[x];
            s->laid_on[l] += (double)rvi_maxf(more, 0.0f);
        }
    }
}
