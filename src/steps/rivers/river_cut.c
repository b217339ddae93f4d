/* river_cut.c: how deep rivers cut in one time step: the implicit solution of the stream-power law
 * from the base level upwards. Equations: rivers.c. */
#include "steps/rivers/river_cut.h"
#include "base/context.h"
#include "base/math.h"
#include "base/reduce.h"
#include "base/threads.h"
#include "device/device_sum.h"

#include <math.h>

/* What drains through a cell, to the power m, in cells. */
static double drained(const rvi_rivers *r, size_t cell) {
    const rvi_flow *f = &r->flow;
    float area = f->rain ? (float)((double)f->discharge[cell] * RVI_RAIN) : (float)f->area[cell];
    if (!f->rain && !r->wide && f->area[cell] < RVI_AREAS)
        return (double)r->power[f->area[cell]];
    float counts = rvi_river_counts(area, r->source, rvi_rivers_begins(r, cell));
    return (double)rvi_powf(counts, r->p->area_power);
}

static void rain_rows(void *arg, int first, int end) {
    const rvi_rivers *r = arg;
    size_t to = (size_t)end * (size_t)r->flow.width;
    for (size_t i = (size_t)first * (size_t)r->flow.width; i < to; i++)
        r->rain_parts[i] = (uint32_t)((double)r->rain[i] / RVI_RAIN + 0.5);
}

rv_status rvi_rivers_rain(rvi_rivers *r) {
    r->flow.rain = r->rain_parts;
    if (r->job->device)
        return r->rain_parts ? rvi_rivers_device_rain(r) : RV_OK;
    return r->rain_parts ? rvi_parallel_rows(r->job->ctx, r->flow.height, rain_rows, r) : RV_OK;
}

rv_status rvi_rivers_route(rvi_rivers *r) {
    rv_status status = r->job->device ? rvi_flow_device_route(&r->on) : rvi_flow_route(&r->flow);
    r->gathered = status == RV_OK;
    return status;
}

/* ---- rows in parts ---- */

/* Cells between two looks whether the user wants to stop. */
enum { PART = 1 << 18 };

typedef struct part_of_rows {
    void (*fn)(void *arg, int first, int end);
    void *arg;
    int from;
} part_of_rows;

static void part_rows(void *arg, int first, int end) {
    const part_of_rows *p = arg;
    p->fn(p->arg, p->from + first, p->from + end);
}

rv_status rvi_rivers_rows(rvi_rivers *r, size_t *done, void (*fn)(void *arg, int first, int end),
                          void *arg) {
    int width = r->land->width, height = r->land->height;
    int part = rvi_maxi(PART / width / RVI_ROWS, 1) * RVI_ROWS;
    while (*done < r->cells) {
        part_of_rows p = {fn, arg, (int)(*done / (size_t)width)};
        int rows = rvi_mini(part, height - p.from);
        if (rvi_poll(r->job->ctx) != RV_OK)
            return RV_CANCELLED;
        rvi_finish_rows(r->job->ctx, rows, part_rows, &p);
        *done += (size_t)rows * (size_t)width;
    }
    return RV_OK;
}

/* ---- layers ---- */

static double lose(rvi_rivers *r, size_t cell, int layer, double loss) {
    if (layer == 0) {
        r->bed[cell] -= loss;
        return loss;
    }
    float *thickness = &r->land->layers[layer].thickness[cell];
    double was = (double)*thickness;
    *thickness = (float)(was - loss);
    return was - (double)*thickness;
}

/* To the top layer of those above the bedrock, with what is owed to it. What that rounds off is
 * left to the bedrock, or owed to the layer if nothing takes from the bedrock. */
static void shift_layer(rvi_rivers *r, size_t cell, int layer, double by) {
    float *thickness = &r->land->layers[layer].thickness[cell];
    double rounded = by + r->owed[cell];
    *thickness = rvi_river_thickness(*thickness, &rounded);
    bool hard = rounded != 0.0 && !(rvi_rivers_layer_factor(r, cell, 0) > 0.0);
    r->owed[cell] = hard ? rounded : 0.0;
    r->bed[cell] += hard ? 0.0 : rounded;
}

void rvi_rivers_shift(rvi_rivers *r, size_t cell, double by) {
    r->h[cell] += by;
    if (!r->bed)
        return;
    for (int l = r->land->layer_count - 1; l > 0; l--) {
        float *thickness = &r->land->layers[l].thickness[cell];
        double now = (double)*thickness + by;
        if (now >= 0.0) {
            shift_layer(r, cell, l, by);
            return;
        }
        by = now;
        *thickness = 0.0f;
    }
    r->bed[cell] += by;
}

double rvi_rivers_layer_factor(const rvi_rivers *r, size_t cell, int layer) {
    const rv_terrain *land = r->land;
    double factor = (double)land->layers[layer].erodibility, top = r->bed[cell];
    if (layer == 0)
        factor *= (double)rvi_factor_rock(&r->factor, cell, (float)top);
    if (!rvi_erosion_fn_there(land))
        return factor;
    for (int l = 1; l <= layer; l++)
        top += (double)land->layers[l].thickness[cell];
    return factor * (double)rvi_factor_ground(&r->factor, cell, (float)top);
}

/* How far a river can cut into a layer, or into a band of the bedrock, until it comes to the next.
 */
static double cut_through(const rvi_rivers *r, size_t cell, int layer, int bands) {
    const rvi_strata *strata = &r->land->strata;
    if (layer > 0)
        return (double)r->land->layers[layer].thickness[cell];
    if (!r->factor.bands || bands == RVI_CUT_BANDS)
        return 1e30;
    return rvi_band_left(strata->edge, strata->thickness,
                         (float)r->bed[cell] - r->factor.bands[cell]);
}

/* The slope after the time step where there are layers or bands: what is left of the time when one
 * is cut through counts for the next. */
static double cut_layers(rvi_rivers *r, size_t cell, double s0, double g, int corner) {
    double distance = r->distance[corner], s = s0, time = 1.0;
    double of_cell = (double)rvi_factor_cell(&r->factor, cell);
    int bands = 0;
    for (int l = r->land->layer_count - 1; l >= 0;) {
        double thickness = cut_through(r, cell, l, bands);
        if (thickness > 0.0) {
            double yields = of_cell * rvi_rivers_layer_factor(r, cell, l);
            double to = rvi_river_slope_after(s, g * time * yields, (double)r->p->slope_power);
            double loss = (s - to) * distance;
            if (loss <= thickness) {
                s -= lose(r, cell, l, loss) / distance;
                break;
            }
            s -= lose(r, cell, l, thickness) / distance;
            time *= 1.0 - thickness / loss;
        }
        bands += l == 0;
        l -= l > 0;
    }
    return s;
}

/* How much higher than the water below it the ground is after the time step. */
static double cut_plain(const rvi_rivers *r, size_t cell, double fall, double g, double distance) {
    double n = (double)r->p->slope_power;
    g = r->even ? g : g * rvi_rivers_factor(r, cell);
    return n == 1.0 ? fall * rvi_river_share_left(g)
                    : distance * rvi_river_slope_after(fall / distance, g, n);
}

/* ---- the sweep ---- */

void rvi_rivers_lift(rvi_rivers *r, size_t cell, double by) {
    by = r->uplift ? by * (double)r->uplift[cell] : by;
    r->h[cell] += by;
    if (r->bed)
        r->bed[cell] += by;
    if (r->lifted)
        r->lifted[cell] += by;
}

/* The share that the mask lets change. */
static double held_open(const rvi_rivers *r, size_t cell) {
    return r->mask ? (double)r->mask[cell] : 1.0;
}

/* What settles of the load that came by in the last time step. Nothing does above the sources, nor
 * where it is half as steep as what slides: steep brooks keep nothing. */
static double settling(const rvi_rivers *r, size_t cell, double surface, double distance) {
    double share = rvi_river_settles(r->h[cell] - surface, distance, r->stands);
    if ((float)r->flow.area[cell] <= rvi_rivers_begins(r, cell))
        return 0.0;
    return (double)r->p->deposition * r->load[cell] * share * held_open(r, cell);
}

/* Lakes keep all of it until they are full. */
static double settling_in_lake(const rvi_rivers *r, size_t cell, double surface) {
    double level = r->flow.spill[r->flow.basin[cell]];
    double room = (level < surface ? level : surface) - r->h[cell];
    double comes = r->load[cell] * (double)r->flow.area[cell] * held_open(r, cell);
    return room < comes ? room : comes;
}

/* The lowest of what drains to a cell, risen but not yet cut; lakes aside. */
static double lowest_donor(const rvi_rivers *r, size_t cell, double rise) {
    const rvi_flow *f = &r->flow;
    double lowest = 1e30;
    for (int k = 0; k < 8; k++) {
        size_t donor;
        if (!rvi_flow_donor(f, cell, k, &donor))
            continue;
        double h = r->h[donor] + (r->uplift ? rise * (double)r->uplift[donor] : rise);
        lowest = h < lowest && !rvi_flow_drowned(f, donor) ? h : lowest;
    }
    return lowest;
}

/* What is laid down higher than what drains to it would be a dam, with a pit behind it: less is. */
static void lower_dam(rvi_rivers *r, size_t cell, double laid, double surface, double rise) {
    double to = lowest_donor(r, cell, rise) - 1e-4 * r->distance[0];
    double over = r->h[cell] - (to > surface ? to : surface);
    over = over < laid ? over : laid;
    if (over > 0.0)
        rvi_rivers_shift(r, cell, -over);
}

/* Lakes have no slope: the surface of water beside a cell is max(height, that of its receiver). */
static void cut_cell(rvi_rivers *r, size_t cell, double rise) {
    const rvi_flow *f = &r->flow;
    unsigned direction = f->direction[cell];
    if (direction == RVI_END) {
        r->lake[cell] = false;
        r->risen[cell] = r->h[cell];
        return;
    }
    size_t to = (size_t)((ptrdiff_t)cell + f->step[direction]);
    double surface = r->lake[to] ? r->water[to] : r->h[to], laid = 0.0;
    bool drowned = rvi_flow_drowned(f, cell);
    r->lake[cell] = false;
    if (rise > 0.0)
        rvi_rivers_lift(r, cell, rise);
    r->risen[cell] = r->h[cell];
    int corner = direction >= 4;
    if (r->load) {
        laid = drowned ? settling_in_lake(r, cell, surface)
                       : settling(r, cell, surface, r->distance[corner]);
        if (laid > 0.0)
            rvi_rivers_shift(r, cell, laid);
    }
    double fall = r->h[cell] - surface;
    if (drowned && fall > 0.0)
        return; /* its lake runs dry in this time step: in the next one rivers cross it */
    if (!(fall > 0.0)) {
        r->water[cell] = surface;
        r->lake[cell] = true;
        return;
    }
    bool river =
        r->rock && (float)f->area[cell] > rvi_rivers_begins(r, cell); /* slopes above stay smooth */
    double g = r->cut[corner] * drained(r, cell) * (river ? (double)r->rock[cell] : 1.0);
    double distance = r->distance[corner];
    r->h[cell] = surface + (r->bed ? distance * cut_layers(r, cell, fall / distance, g, corner)
                                   : cut_plain(r, cell, fall, g, distance));
    if (laid > 0.0)
        lower_dam(r, cell, laid, surface, rise);
    double stands = r->strength ? r->stands * (double)r->strength[cell] : r->stands;
    double most = r->h[to] + stands * r->distance[corner];
    if (r->h[cell] > most)
        rvi_rivers_slide_to(r, cell, r->h[cell] - (r->h[cell] - most) * rvi_rivers_factor(r, cell));
}

typedef struct cutting {
    rvi_rivers *r;
    double rise;
} cutting;

static void cut_piece(void *arg, const rvi_flow_piece *piece) {
    const cutting *c = arg;
    for (size_t i = 0; i < piece->count; i++)
        cut_cell(c->r, rvi_flow_cell(piece, i), c->rise);
}

static void lift_piece(void *arg, const rvi_flow_piece *piece) {
    const cutting *c = arg;
    rvi_rivers *r = c->r;
    for (size_t i = 0; i < piece->count; i++) {
        size_t cell = rvi_flow_cell(piece, i);
        if (!r->fixed[cell])
            rvi_rivers_lift(r, cell, c->rise);
        r->risen[cell] = r->h[cell];
    }
}

/* What left the map from all pieces, one after the other; they are empty again. */
static double add_pieces(rvi_rivers *r) {
    double left = 0.0;
    size_t tiles = (size_t)r->flow.across * (size_t)r->flow.down;
    for (size_t t = 0; t < tiles; t++)
        for (size_t p = t * RVI_PIECES; p < t * RVI_PIECES + r->flow.pieces[t]; p++) {
            left += r->sums[p];
            r->sums[p] = 0.0;
        }
    return left;
}

static void guess_rows(void *arg, int first, int end) {
    const cutting *c = arg;
    const rvi_rivers *r = c->r;
    size_t width = (size_t)r->land->width;
    for (size_t i = (size_t)first * width; i < (size_t)end * width; i++)
        r->load[i] = c->rise * (r->uplift ? (double)r->uplift[i] : 1.0);
}

/* Before the first time step: as if as much were cut everywhere as rises. */
static rv_status guess_load(rvi_rivers *r, double rise) {
    cutting c = {r, rise};
    rv_status status = rvi_parallel_rows(r->job->ctx, r->land->height, guess_rows, &c);
    r->loaded = status == RV_OK;
    return status;
}

rv_status rvi_rivers_cut(rvi_rivers *r) {
    cutting c = {r, rvi_rivers_rise(r)};
    rv_status status = RV_OK;
    r->carries = r->job->device;
    if (r->job->device)
        return rvi_rivers_device_cut(r, c.rise);
    if (r->load && !r->loaded)
        status = guess_load(r, c.rise);
    if (status != RV_OK)
        return status;
    r->rise += c.rise;
    r->carries = true;
    status = rvi_flow_up(&r->flow, cut_piece, &c);
    r->rest = status != RV_OK;
    return status;
}

rv_status rvi_rivers_lift_rest(rvi_rivers *r) {
    cutting c = {r, rvi_rivers_rise(r)};
    rv_status status = r->rest ? rvi_flow_up_rest(&r->flow, lift_piece, &c) : RV_OK;
    r->rest = r->rest && status != RV_OK;
    return status;
}

/* A river lays down no more than what comes to it: what settled beyond that is taken back. What
 * comes is added to `risen`, from the donors in the order of their directions. Half of the load
 * before counts on, or what lies steep would be laid down and slide in turns. */
static void carry_piece(void *arg, const rvi_flow_piece *piece) {
    rvi_rivers *r = arg;
    const rvi_flow *f = &r->flow;
    double left = 0.0;
    for (size_t i = piece->count; i-- > 0;) {
        size_t cell = rvi_flow_cell(piece, i), donor;
        for (int k = 0; k < 8; k++)
            if (rvi_flow_donor(f, cell, k, &donor))
                r->risen[cell] += r->risen[donor] - r->h[donor];
        double load = r->risen[cell] - r->h[cell];
        if (f->direction[cell] == RVI_END) {
            left += load;
            continue;
        }
        if (load < 0.0)
            rvi_rivers_shift(r, cell, load);
        load = r->risen[cell] - r->h[cell];
        r->load[cell] = 0.5 * (r->load[cell] + load / (double)f->area[cell]);
    }
    r->sums[piece->number] = left;
}

/* What was begun is ended: the ledger hangs on it. */
rv_status rvi_rivers_carry(rvi_rivers *r) {
    if (!r->carries)
        return RV_OK;
    r->carries = false;
    if (r->job->device)
        return rvi_rivers_device_carry(r);
    if (!r->load) {
        r->left += rvi_sum_difference(r->job->ctx, r->risen, r->h, r->cells);
        return rvi_poll(r->job->ctx);
    }
    rvi_flow_finish_down(&r->flow, carry_piece, r);
    r->left += add_pieces(r);
    return rvi_poll(r->job->ctx);
}

/* How high a cell must be so that water leaves it. */
static double filled_height(const rvi_rivers *r, size_t cell, const double *to_height) {
    const rvi_flow *f = &r->flow;
    unsigned direction = f->direction[cell];
    double h = r->h[cell];
    if (direction == RVI_END)
        return h;
    size_t to = (size_t)((ptrdiff_t)cell + f->step[direction]);
    bool flat = f->lakes && f->basin[cell] != 0;
    double level = rvi_flow_level(f, cell, h);
    return rvi_river_filled(level, flat, to_height[to], r->h[to], r->distance[direction >= 4]);
}

static void fill_piece(void *arg, const rvi_flow_piece *piece) {
    rvi_rivers *r = arg;
    double *to = r->water;
    for (size_t i = 0; i < piece->count; i++) {
        size_t cell = rvi_flow_cell(piece, i);
        to[cell] = filled_height(r, cell, to);
        r->risen[cell] = r->h[cell] + (to[cell] - r->h[cell]) * held_open(r, cell);
    }
}

typedef struct raising {
    rvi_rivers *r;
    double share;
} raising;

static void raise_rows(void *arg, int first, int end) {
    const raising *w = arg;
    rvi_rivers *r = w->r;
    size_t width = (size_t)r->land->width;
    for (size_t cell = (size_t)first * width; cell < (size_t)end * width; cell++) {
        double was = r->h[cell], to = r->water[cell];
        if (to > was)
            rvi_rivers_shift(r, cell, (to - was) * w->share * held_open(r, cell));
    }
}

rv_status rvi_rivers_raise(rvi_rivers *r, double share, double *before) {
    if (r->job->device)
        return rvi_rivers_device_raise(r, share, before);
    rv_status status = rvi_copy(r->job->ctx, before, r->h, r->cells * sizeof *r->h);
    if (status != RV_OK)
        return status;
    raising w = {r, share};
    status = rvi_parallel_rows(r->job->ctx, r->land->height, raise_rows, &w);
    r->left += rvi_sum_difference(r->job->ctx, before, r->h, r->cells);
    return status;
}

static rv_status fill_lakes(rvi_rivers *r) {
    rv_status status = rvi_flow_up(&r->flow, fill_piece, r);
    if (status != RV_OK)
        return status;
    double whole = rvi_sum_difference(r->job->ctx, r->risen, r->h, r->cells);
    if (!(whole > 0.0) || !(r->left > 0.0))
        return status;
    return rvi_rivers_raise(r, r->left < whole ? r->left / whole : 1.0, r->risen);
}

/* What has filled a lake beside land that a mask keeps does not stand there as a cliff: it slides
 * on, and off the map. */
static rv_status slide_off(rvi_rivers *r) {
    rv_context *ctx = r->job->ctx;
    rvi_device *device = r->job->device;
    size_t bytes = r->cells * sizeof *r->h;
    double left = 0.0;
    rv_status status = device ? rvi_device_copy(device, r->h, r->risen, bytes)
                              : rvi_copy(ctx, r->risen, r->h, bytes);
    if (status != RV_OK)
        return status;
    status = rvi_rivers_slide(r, true);
    rv_status summed = RV_OK; /* a stop leaves it between two rounds */
    if (device)
        summed = rvi_device_sum_difference(device, ctx, r->risen, r->h, r->cells, &left);
    else
        left = rvi_sum_difference(ctx, r->risen, r->h, r->cells);
    r->left += left;
    return status == RV_OK ? summed : status;
}

/* A lake is filled from where it spills, upwards. Where rivers have not carried enough for that,
 * all lakes get shallower by the same share. */
rv_status rvi_rivers_fill_lakes(rvi_rivers *r) {
    if (!r->load)
        return RV_OK;
    rv_status status = rvi_rivers_route(r);
    if (status == RV_OK)
        status = r->job->device ? rvi_rivers_device_fill_lakes(r) : fill_lakes(r);
    return status == RV_OK && r->mask && r->moved ? slide_off(r) : status;
}
