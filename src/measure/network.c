/* network.c: pits in the way of water, and how the channels of a land are built.
 *
 * Strahler's order (A. N. Strahler, 1957): channels without others above them have order 1; where
 * two of order w meet, w + 1 begins. A stream of order w is all channel of that order between two
 * such places. With N(w) streams of mean length L(w) (R. E. Horton, 1945):
 *
 *     log N(w) = c - w log RB        over all orders
 *     log L(w) = c + w log RL        over all orders but the highest, which the edge cuts off
 *
 * J. T. Hack, Studies of longitudinal stream profiles, 1957: the longest way from the divide is
 * L = c A^h, over all channel cells. I. Rodriguez-Iturbe and others, 1992: the share of cells that
 * drain at least a cells is c a^-b, at a = 10, 10 sqrt 2, 20 ... up to 1 % of the map. Every line
 * is by least squares in logarithms.
 */
#include "measure/network.h"
#include "base/context.h"
#include "base/math.h"
#include "measure/length.h"

#include <math.h>

enum { LEAST_CHANNELS = 20, LEAST_AREAS = 4 };

static size_t cells_of(const rvi_ground *g) {
    return (size_t)g->width * (size_t)g->height;
}

static double log_of(double x) {
    return (double)rvi_logf((float)x);
}

/* ---- pits ---- */

rv_status rvi_pits_measure(const rvi_ground *g, const rvi_drainage *d, uint32_t channel,
                           rvi_pits *out) {
    double relief = g->high - g->low, fill = 0.0;
    size_t inland = 0, deep = 0, channels = 0, pits = 0, uphill = 0;
    *out = (rvi_pits){NAN, NAN, NAN, NAN};
    if (!(relief > 0.0))
        return RV_OK;
    for (size_t i = 0; i < cells_of(g); i++) {
        if (rvi_poll_at(g->ctx, i) != RV_OK)
            return RV_CANCELLED;
        if (!g->counts[i])
            continue;
        double depth = (double)d->filled[i] - (double)g->z[i];
        inland += d->receiver[i] != i;
        fill += depth;
        deep += depth > 0.01 * relief;
        if (d->area[i] < channel)
            continue;
        channels++;
        pits += depth > 0.002 * relief;
        uphill += g->z[d->receiver[i]] > g->z[i];
    }
    if (inland == 0) /* all cells are outlets: no pit is possible */
        return RV_OK;
    out->fill = fill / (double)g->count / relief;
    out->deep = (double)deep / (double)g->count;
    if (channels >= LEAST_CHANNELS) {
        out->channels = (double)pits / (double)channels;
        out->uphill = (double)uphill / (double)channels;
    }
    return RV_OK;
}

/* ---- streams ---- */

typedef struct streams {
    const rvi_ground *ground;
    const rvi_drainage *drainage;
    uint32_t channel;
    float *longest; /* way from the divide to each cell, in cells */
    rvi_line_sums hack;
    size_t channels;
    rvi_network_counts counts;
    rvi_network *out;
} streams;

enum { TIE = 128 }; /* two of the highest order meet here */

/* What a channel cell hands down. Until its turn comes its own order holds the highest above it. */
static void visit_channel(streams *s, size_t cell) {
    const rvi_drainage *d = s->drainage;
    unsigned char *orders = s->out->order;
    int above = orders[cell] & ~TIE, tie = orders[cell] & TIE;
    int order = rvi_stream_order(above, tie);
    orders[cell] = (unsigned char)order;
    size_t to = d->receiver[cell];
    if (to != cell) {
        int there = orders[to] & ~TIE;
        if (order > there)
            orders[to] = (unsigned char)order;
        else if (order == there)
            orders[to] |= TIE;
    }
    if (!s->ground->counts[cell])
        return;
    s->channels++;
    double length = rvi_length_down(d, cell);
    s->counts.streams[order] += above == 0 || tie;
    s->counts.sides[order] += length == 1.0;
    s->counts.corners[order] += length > 1.0;
    if (s->longest[cell] > 0.0f)
        rvi_line_add(&s->hack, log_of(d->area[cell]), log_of((double)s->longest[cell]), 1.0);
}

/* From the divides down: the order of a drainage backwards. */
static rv_status visit_all(streams *s) {
    const rvi_drainage *d = s->drainage;
    for (size_t k = d->count; k-- > 0;) {
        if (rvi_poll_at(s->ground->ctx, k) != RV_OK)
            return RV_CANCELLED;
        size_t cell = d->order[k], to = d->receiver[cell];
        float way = s->longest[cell] + (float)rvi_length_down(d, cell);
        if (to != cell && way > s->longest[to])
            s->longest[to] = way;
        if (d->area[cell] >= s->channel)
            visit_channel(s, cell);
    }
    return RV_OK;
}

void rvi_network_sum(rvi_network *n, const rvi_network_counts *c, double cell) {
    double metres = 0.0, land = (double)c->land;
    for (int w = 1; w <= RVI_ORDERS; w++) {
        double of = ((double)c->sides[w] + (double)c->corners[w] * RVI_DIAGONAL) * cell;
        metres += of;
        n->streams[w] = (double)c->streams[w];
        if (c->streams[w] == 0)
            continue;
        n->orders = w;
        n->lengths[w] = of / n->streams[w];
    }
    n->density = land > 0.0 ? metres / (land * cell * cell) : NAN;
}

static void fit_ratios(streams *s) {
    rvi_network *n = s->out;
    rvi_line_sums numbers = {0}, lengths = {0};
    s->counts.land = s->ground->count;
    rvi_network_sum(n, &s->counts, s->ground->cell);
    for (int w = 1; w <= n->orders; w++) {
        if (n->streams[w] > 0.0)
            rvi_line_add(&numbers, w, log_of(n->streams[w]), 1.0);
        if (n->lengths[w] > 0.0 && w < n->orders)
            rvi_line_add(&lengths, w, log_of(n->lengths[w]), 1.0);
    }
    double rb = rvi_line_fit(&numbers, 3).slope, rl = rvi_line_fit(&lengths, 2).slope;
    n->bifurcation = isnan(rb) ? NAN : rvi_exp_double(-rb);
    n->length_ratio = isnan(rl) || n->orders < 3 ? NAN : rvi_exp_double(rl);
    n->hack = rvi_line_fit(&s->hack, LEAST_CHANNELS).slope;
    double cells = (double)s->ground->count;
    n->share = cells > 0.0 ? (double)s->channels / cells : NAN;
}

rv_status rvi_network_measure(const rvi_ground *g, const rvi_drainage *d, uint32_t channel,
                              rvi_network *out) {
    *out = (rvi_network){.bifurcation = NAN};
    out->order = rvi_alloc(g->ctx, cells_of(g), 1, "the orders of streams");
    streams s = {.ground = g, .drainage = d, .channel = channel, .out = out};
    s.longest = rvi_alloc(g->ctx, cells_of(g), sizeof *s.longest, "the lengths of streams");
    rv_status status = out->order && s.longest ? visit_all(&s) : RV_ERROR_MEMORY;
    if (status == RV_OK)
        fit_ratios(&s);
    else
        rvi_network_free(g, out);
    rvi_free(g->ctx, s.longest);
    return status;
}

void rvi_network_free(const rvi_ground *g, rvi_network *network) {
    rvi_free(g->ctx, network->order);
    network->order = NULL;
}

/* ---- exceedance ---- */

enum { STEPS = 64 };
static const double FIRST = 10.0, ROOT = 1.41421356237309505;

typedef struct exceedance {
    double count[STEPS]; /* of cells that drain a(k) but not a(k + 1) */
    double area[STEPS];  /* a(k) */
} exceedance;

static exceedance begin_counting(void) {
    exceedance e = {.area = {FIRST}};
    for (int k = 1; k < STEPS; k++) /* every second one without rounding */
        e.area[k] = k % 2 ? e.area[k - 1] * ROOT : e.area[k - 2] * 2.0;
    return e;
}

/* From below, for most cells drain little. */
static void count_area(exceedance *e, double area) {
    int k = 0;
    while (k < STEPS && area >= e->area[k])
        k++;
    if (k > 0)
        e->count[k - 1] += 1.0;
}

static double fit_exceedance(const rvi_ground *g, exceedance *e) {
    rvi_line_sums sums = {0};
    for (int k = STEPS - 2; k >= 0; k--)
        e->count[k] += e->count[k + 1];
    for (int k = 0; k < STEPS && e->area[k] <= 0.01 * (double)g->count; k++)
        if (e->count[k] > 0.0)
            rvi_line_add(&sums, log_of(e->area[k]), log_of(e->count[k] / (double)g->count), 1.0);
    return -rvi_line_fit(&sums, LEAST_AREAS).slope;
}

rv_status rvi_exceedance_measure(const rvi_ground *g, const uint32_t *whole, const double *parts,
                                 double *out) {
    exceedance e = begin_counting();
    for (size_t i = 0; i < cells_of(g); i++) {
        if (rvi_poll_at(g->ctx, i) != RV_OK)
            return RV_CANCELLED;
        if (g->counts[i])
            count_area(&e, whole ? (double)whole[i] : parts[i]);
    }
    *out = fit_exceedance(g, &e);
    return RV_OK;
}
