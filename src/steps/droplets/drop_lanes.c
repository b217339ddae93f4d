/* drop_lanes.c: the drops of droplets.c on their way, four at a time. The equations stand there. */
#include "base/random.h"
#include "base/threads.h"
#include "steps/droplets/drop_ground.h"

#include <math.h>
#include <string.h>

/* Asks for memory that will be written soon. */
#if defined(__GNUC__)
#define RVI_PREFETCH(address) __builtin_prefetch(address, 1)
#else
#define RVI_PREFETCH(address) ((void)(address))
#endif

enum { LANES = RVI_DROP_LANES };

/* Cells of a brush between two looks whether the user wants to stop: some ten microseconds. */
enum { LOOK = 4096 };

typedef struct lane {
    const int *next, *end; /* slots of the drops of its tile that wait */
    int tile;              /* -1: it has none */
    int slot;
    int first; /* steps the drop had made before this round */
    int most;  /* steps it may make in it */
    bool ended, idle;
    double sediment; /* of the drop, of which the ledger is exact */
    double own;      /* of that, what is of the map: only counted by an apron */
    cargo cargo;
} lane;

typedef struct group {
    rvi_v4 x, y, dx, dy;
    rvi_v4 speed, water, sediment;
    rvi_v4 came; /* height of the place before */
    rvi_m4 left; /* steps until the drop has to stop for this round */
    lane lanes[LANES];
    int idle;     /* lanes without a drop */
    bool stopped; /* a drop has ended */
} group;

/* The corners of a cell in each lane. */
typedef struct corners {
    rvi_v4 nw, ne, sw, se;
} corners;

static RVI_HOT corners look(const rvi_drop_run *f, rvi_m4 x, rvi_m4 y) {
    const float *a = f->h + at(f, x[0], y[0]), *b = f->h + at(f, x[1], y[1]);
    const float *c = f->h + at(f, x[2], y[2]), *d = f->h + at(f, x[3], y[3]);
    size_t s = f->stride;
    return (corners){
        {a[0], b[0], c[0], d[0]},
        {a[1], b[1], c[1], d[1]},
        {a[s], b[s], c[s], d[s]},
        {a[s + 1], b[s + 1], c[s + 1], d[s + 1]},
    };
}

static RVI_HOT rvi_v4 height_in(const corners *c, rvi_v4 u, rvi_v4 v) {
    return (c->nw * (1.0f - u) + c->ne * u) * (1.0f - v) + (c->sw * (1.0f - u) + c->se * u) * v;
}

static RVI_HOT rvi_m4 whole(rvi_v4 v) {
    return __builtin_convertvector(v, rvi_m4);
}

static RVI_HOT rvi_v4 part(rvi_v4 v, rvi_m4 w) {
    return v - __builtin_convertvector(w, rvi_v4);
}

static RVI_HOT bool all_lanes(rvi_m4 m) {
    return (m[0] & m[1] & m[2] & m[3]) != 0;
}

/* What drops feel of the ground: its height and its slopes, metres a cell. */
typedef struct felt {
    rvi_v4 height, gx, gy;
} felt;

static RVI_APART void feel_near(const rvi_drop_run *f, int k, float px, float py, felt *to) {
    rvi_near_cells nx, ny;
    rvi_near_cells_make(px, f->near, f->width, &nx);
    rvi_near_cells_make(py, f->near, f->height, &ny);
    rvi_v4 height = {0}, gx = {0}, gy = {0};
    for (int j = 0; j < ny.count; j++) {
        const float *h = f->h + at(f, nx.first, ny.first + j);
        rvi_v4 mean = {0}, slope = {0};
        for (int i = 0; i < nx.count; i += 4) {
            rvi_v4 four = rvi_v4_load(h + i);
            mean += four * rvi_v4_load(nx.weight + i);
            slope += four * rvi_v4_load(nx.slope + i);
        }
        height += mean * ny.weight[j];
        gx += slope * ny.weight[j];
        gy += mean * ny.slope[j];
    }
    to->height[k] = rvi_lane_sum(height, rvi_v4_all(0.0f));
    to->gx[k] = rvi_lane_sum(gx, rvi_v4_all(0.0f));
    to->gy[k] = rvi_lane_sum(gy, rvi_v4_all(0.0f));
}

static RVI_HOT felt feel(const rvi_drop_run *f, rvi_v4 px, rvi_v4 py) {
    felt to;
    if (f->near > 1.0f) {
        for (int k = 0; k < LANES; k++)
            feel_near(f, k, px[k], py[k], &to);
        return to;
    }
    rvi_m4 x = whole(px), y = whole(py);
    rvi_v4 u = part(px, x), v = part(py, y);
    corners c = look(f, x, y);
    to.gx = (c.ne - c.nw) * (1.0f - v) + (c.se - c.sw) * v;
    to.gy = (c.sw - c.nw) * (1.0f - u) + (c.se - c.ne) * u;
    to.height = height_in(&c, u, v);
    return to;
}

/* The drop's water on the cell it is in, or on those within half a move of it. */
static RVI_HOT void leave_flow(const rvi_drop_run *f, float px, float py, size_t nearest,
                               float water) {
    if (!(f->near > 1.0f)) {
        f->traces[nearest].flow += water * f->share;
        return;
    }
    float half = 0.5f * f->near;
    int x0 = rvi_maxi((int)ceilf(px - half), 0),
        x1 = rvi_mini((int)floorf(px + half), f->width - 1);
    int y0 = rvi_maxi((int)ceilf(py - half), 0);
    int y1 = rvi_mini((int)floorf(py + half), f->height - 1);
    float each = water * f->share / (float)((x1 - x0 + 1) * (y1 - y0 + 1));
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++)
            f->traces[at(f, x, y)].flow += each;
}

static void turn_anywhere(const rvi_drop_run *f, group *g, int k) {
    const lane *l = &g->lanes[k];
    uint64_t number = rvi_rounds_slots(&f->rounds)[l->slot].number;
    uint64_t step = (uint64_t)(l->first + l->most - g->left[k]);
    float angle = rvi_unit(rvi_random(f->p->seed, number, step)) * (float)(2.0 * RVI_PI);
    g->dx[k] = rvi_cosf(angle);
    g->dy[k] = rvi_sinf(angle);
}

static RVI_HOT void turn(const rvi_drop_run *f, group *g, rvi_v4 gx, rvi_v4 gy) {
    rvi_v4 dx = g->dx * f->p->inertia - gx * f->steer;
    rvi_v4 dy = g->dy * f->p->inertia - gy * f->steer;
    rvi_v4 length = rvi_v4_sqrt(dx * dx + dy * dy);
    rvi_v4 scale = 1.0f / length;
    g->dx = dx * scale;
    g->dy = dy * scale;
    if (!all_lanes(length > 0.0f))
        for (int k = 0; k < LANES; k++)
            if (!(length[k] > 0.0f) && !g->lanes[k].idle)
                turn_anywhere(f, g, k);
}

/* ---- by the apron: what is of the map and what is not ---- */

/* The map does not own what was taken from the apron: where that is laid on the map it counts as
 * raised, and where it comes to lie in the apron or stays suspended it does not count at all. What
 * was taken from the map and comes to lie in the apron has left the map. */
enum { OFF_MAP, MIXED, ON_MAP };

typedef struct cell_range {
    int x0, y0, x1, y1; /* of the map, all inclusive */
} cell_range;

/* The cells from (x - before, y - before) to (x + after, y + after), as those of the map. */
static cell_range range_around(const rvi_drop_run *f, int x, int y, int before, int after) {
    x -= f->margin;
    y -= f->margin;
    return (cell_range){x - before, y - before, x + after, y + after};
}

static int place_of(const rvi_drop_run *f, cell_range c) {
    int width = f->job->land->width, height = f->job->land->height;
    if (c.x0 >= 0 && c.y0 >= 0 && c.x1 < width && c.y1 < height)
        return ON_MAP;
    return c.x1 < 0 || c.y1 < 0 || c.x0 >= width || c.y0 >= height ? OFF_MAP : MIXED;
}

/* The ground of those cells that lie on the map. */
static double sum_on_map(const rvi_drop_run *f, cell_range c) {
    const rv_terrain *land = f->job->land;
    int x0 = rvi_maxi(c.x0, 0), x1 = rvi_mini(c.x1, land->width - 1);
    int y0 = rvi_maxi(c.y0, 0), y1 = rvi_mini(c.y1, land->height - 1);
    double sum = 0.0;
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            size_t below = (size_t)y * (size_t)land->width + (size_t)x;
            if (!f->layered)
                sum += (double)f->h[at(f, x + f->margin, y + f->margin)];
            for (int l = 0; f->layered && l < land->layer_count; l++)
                sum += (double)land->layers[l].thickness[below];
        }
    return sum;
}

static double take_by_apron(const rvi_drop_run *f, group *g, int k, int x, int y,
                            const plane *ground, float amount, float fall) {
    lane *l = &g->lanes[k];
    int reach = (int)f->brush.radius + 2;
    cell_range near = range_around(f, x, y, reach, reach);
    int place = place_of(f, near);
    double before = place == MIXED ? sum_on_map(f, near) : 0.0;
    double taken = take(f, x, y, ground, amount, fall, &l->cargo);
    double own = place == ON_MAP ? taken : place == MIXED ? before - sum_on_map(f, near) : 0.0;
    f->results[l->tile].eroded += own;
    l->own += own;
    return taken;
}

/* Of what a drop has laid down, what is of the map. With give=same what came from the apron is in
 * the top layer, which the apron is made of; `top` is how much of it there was. */
static double own_part(const rvi_drop_run *f, const lane *l, double given, float top) {
    const float *load = l->cargo.load;
    double part = l->sediment > 0.0 ? l->own * (given / l->sediment) : 0.0;
    if (load && top > 0.0f) {
        double laid = (double)top - (double)load[f->job->land->layer_count - 1];
        part = given - rvi_max(l->sediment - l->own, 0.0) * (laid / (double)top);
    }
    return fmax(fmin(part, fmin(l->own, given)), 0.0);
}

/* Where a drop lays down, and how much; `disc`: all of it, on the disc that it erodes. */
typedef struct laying {
    int x, y;
    float u, v, amount;
    float level; /* above which it raises no cell */
    bool disc;
} laying;

static RVI_HOT double lay_here(const rvi_drop_run *f, const laying *w, double sediment,
                               const cargo *c) {
    return w->disc ? lay_on_disc(f, w->x, w->y, w->u, w->v, w->amount, w->level, sediment, c)
                   : lay(f, w->x, w->y, w->u, w->v, w->amount, w->level, sediment, c);
}

static double lay_by_apron(const rvi_drop_run *f, group *g, int k, const laying *w) {
    lane *l = &g->lanes[k];
    int reach = w->disc ? (int)f->brush.radius + 2 : f->near_reach;
    cell_range square = range_around(f, w->x, w->y, reach, reach + 1);
    int place = place_of(f, square);
    double before = place == MIXED ? sum_on_map(f, square) : 0.0;
    float top = l->cargo.load ? l->cargo.load[f->job->land->layer_count - 1] : 0.0f;
    double given = lay_here(f, w, l->sediment, &l->cargo);
    double on_map = place == ON_MAP ? given : place == MIXED ? sum_on_map(f, square) - before : 0.0;
    double own = own_part(f, l, given, top);
    double share = given > 0.0 ? own / given : 0.0;
    tile_result *sum = &f->results[l->tile];
    sum->deposited += on_map * share;
    sum->raised += on_map * (1.0 - share);
    sum->left_map += fmax(given - on_map, 0.0) * share; /* it is, but for rounding */
    l->own -= own;
    return given;
}

/* The drop has got so much more sediment. */
static RVI_HOT void load_lane(group *g, int k, double more) {
    g->lanes[k].sediment += more;
    g->sediment[k] = rvi_maxf((float)g->lanes[k].sediment, 0.0f); /* it is, but for rounding */
}

static RVI_HOT void lay_lane(const rvi_drop_run *f, group *g, int k, const laying *w) {
    if (f->margin > 0) {
        load_lane(g, k, -lay_by_apron(f, g, k, w));
        return;
    }
    double given = lay_here(f, w, g->lanes[k].sediment, &g->lanes[k].cargo);
    f->results[g->lanes[k].tile].deposited += given;
    load_lane(g, k, -given);
}

/* Of what a drop carries, what is left to rounding. */
static const float TRIFLE = 0x1p-10f;

/* What a drop carries comes to rest around it: below the place it came from, as far as there is
 * room for it, else anywhere. */
static void lay_all(const rvi_drop_run *f, group *g, int k) {
    int x = (int)g->x[k], y = (int)g->y[k];
    float trifle = g->sediment[k] * TRIFLE;
    laying w = {x, y, g->x[k] - (float)x, g->y[k] - (float)y, 0.0f, g->came[k], true};
    for (int turns = 0; turns < 2 && g->sediment[k] > trifle; turns++) {
        w.amount = g->sediment[k];
        lay_lane(f, g, k, &w);
        w.level = INFINITY;
    }
}

/* Why a drop ends: it is over the edge, cannot get out of a pit, or has made all its steps. */
typedef enum ending { OVER_EDGE, IN_PIT, AT_END } ending;

/* The drop ends; what it carries of the map stays suspended, or has left the map. */
static void end_drop(const rvi_drop_run *f, group *g, int k, ending why) {
    tile_result *sum = &f->results[g->lanes[k].tile];
    bool over_land = why != OVER_EDGE && land_cell(f, (int)g->x[k], (int)g->y[k]) != SIZE_MAX;
    (*(!over_land ? &sum->ends.left_map : why == IN_PIT ? &sum->ends.pits : &sum->ends.whole))++;
    double own = f->margin > 0 ? g->lanes[k].own : g->lanes[k].sediment;
    /* It is not below 0, but for rounding. */
    *(over_land ? &sum->suspended : &sum->left_map) += rvi_max(own, 0.0);
    g->sediment[k] = 0.0f;
    g->lanes[k].sediment = g->lanes[k].own = 0.0;
    g->lanes[k].ended = true;
    g->stopped = true;
}

/* Keeps a drop inside closed borders: it slides along the wall. false: it is stuck in a corner. */
static bool hold_inside(const rvi_drop_run *f, const group *g, int k, rvi_v4 *x, rvi_v4 *y) {
    /* The largest places from which the cell to the east and south is still on the map. */
    float most_x = (float)(f->width - 1) * (1.0f - 0x1p-23f);
    float most_y = (float)(f->height - 1) * (1.0f - 0x1p-23f);
    (*x)[k] = rvi_clampf((*x)[k], 0.0f, most_x);
    (*y)[k] = rvi_clampf((*y)[k], 0.0f, most_y);
    return (*x)[k] != g->x[k] || (*y)[k] != g->y[k];
}

static void stay(const group *g, int k, rvi_v4 *x, rvi_v4 *y) {
    (*x)[k] = g->x[k];
    (*y)[k] = g->y[k];
}

/* A drop would leave the map in this step. */
static void meet_border(const rvi_drop_run *f, group *g, int k, rvi_v4 *x, rvi_v4 *y) {
    bool wall = f->p->border == RV_droplets_border_wall;
    if (wall && hold_inside(f, g, k, x, y))
        return;
    if (wall)
        lay_all(f, g, k);
    end_drop(f, g, k, wall ? IN_PIT : OVER_EDGE);
    stay(g, k, x, y);
}

static RVI_HOT void move(const rvi_drop_run *f, group *g, rvi_v4 *x, rvi_v4 *y) {
    *x = g->x + g->dx * f->move;
    *y = g->y + g->dy * f->move;
    rvi_m4 inside =
        (*x >= 0.0f) & (*y >= 0.0f) & (*x < (float)(f->width - 1)) & (*y < (float)(f->height - 1));
    if (all_lanes(inside) && g->idle == 0)
        return;
    for (int k = 0; k < LANES; k++) {
        if (g->lanes[k].idle)
            stay(g, k, x, y);
        else if (!inside[k])
            meet_border(f, g, k, x, y);
    }
}

/* Takes or lays down what the drop's capacity asks for; returns whether it is trapped in a pit. */
static RVI_HOT bool exchange(const rvi_drop_run *f, group *g, int k, int x, int y,
                             const plane *ground, float dh, float capacity) {
    float sediment = g->sediment[k], rise = dh * f->share;
    if (dh > 0.0f || sediment > capacity) {
        float surplus = (sediment - capacity) * f->p->deposition;
        float level = fill_level(f, x, y, g->came[k], ground->height);
        laying w = {x, y, ground->u, ground->v, surplus, level, false};
        if (dh > 0.0f) {
            w.amount = rvi_minf(sediment, rise);
            w.level = ground->height + dh;
        }
        lay_lane(f, g, k, &w);
        return rise > sediment;
    }
    float amount = rvi_minf((capacity - sediment) * f->p->erosion, -rise);
    if (amount > 0.0f && f->margin > 0) {
        load_lane(g, k, take_by_apron(f, g, k, x, y, ground, amount, -dh));
    } else if (amount > 0.0f) {
        double taken = take(f, x, y, ground, amount, -dh, &g->lanes[k].cargo);
        f->results[g->lanes[k].tile].eroded += taken;
        load_lane(g, k, taken);
    }
    return false;
}

/* One move of the drops of all lanes. */
static RVI_HOT void step_group(const rvi_drop_run *f, group *g) {
    rvi_m4 x = whole(g->x), y = whole(g->y);
    rvi_v4 u = part(g->x, x), v = part(g->y, y), px = g->x, py = g->y;
    rvi_m4 near_x = whole(g->x + 0.5f), near_y = whole(g->y + 0.5f);
    size_t near[LANES];
    for (int k = 0; k < LANES; k++) {
        near[k] = at(f, near_x[k], near_y[k]);
        RVI_PREFETCH(f->traces + near[k]);
    }
    felt old = feel(f, px, py);
    turn(f, g, old.gx, old.gy);
    rvi_v4 new_x, new_y;
    move(f, g, &new_x, &new_y);
    rvi_v4 dh = feel(f, new_x, new_y).height - old.height;
    rvi_v4 capacity =
        rvi_v4_max(-dh, rvi_v4_all(f->min_fall)) * g->speed * g->water * f->p->capacity * f->share;
    rvi_v4 energy = g->speed * g->speed - dh * f->pull;
    for (int k = 0; k < LANES; k++) {
        if (g->lanes[k].idle)
            continue;
        leave_flow(f, px[k], py[k], near[k], g->water[k]);
        if (g->lanes[k].ended)
            continue;
        plane ground = {u[k], v[k], old.height[k], old.gx[k], old.gy[k]};
        bool trapped = exchange(f, g, k, x[k], y[k], &ground, dh[k], capacity[k]);
        if (trapped && !(energy[k] > 0.0f))
            end_drop(f, g, k, IN_PIT);
    }
    g->speed = rvi_v4_sqrt(rvi_v4_max(energy, rvi_v4_all(0.0f)));
    g->water *= 1.0f - f->p->evaporation;
    g->came = old.height;
    g->x = new_x;
    g->y = new_y;
    g->left -= 1;
}

/* The next tile with drops for a lane; false: there is none now. */
static bool change_tile(const rvi_drop_run *f, rvi_taker *tiles, lane *l) {
    while (l->next == l->end) {
        int drops;
        if (l->tile >= 0)
            rvi_taken(tiles, l->tile);
        l->tile = rvi_take(tiles);
        if (l->tile < 0)
            return false;
        l->next = rvi_rounds_in(&f->rounds, l->tile, &drops);
        l->end = l->next + drops;
    }
    return true;
}

/* Puts the next drop into a lane. false: there is none now. */
static bool begin_drop(const rvi_drop_run *f, rvi_taker *tiles, group *g, int k) {
    lane *l = &g->lanes[k];
    if (!change_tile(f, tiles, l))
        return false;
    l->slot = *l->next++;
    l->ended = false;
    const rvi_slot *slot = &rvi_rounds_slots(&f->rounds)[l->slot];
    drop fresh = {.speed = f->p->first_speed, .water = f->p->first_water, .came = INFINITY};
    const drop *d = slot->fresh ? &fresh : &f->drops[l->slot];
    g->x[k] = slot->x, g->y[k] = slot->y;
    g->dx[k] = d->dx, g->dy[k] = d->dy;
    g->speed[k] = d->speed, g->water[k] = d->water;
    g->sediment[k] = (float)d->sediment;
    l->sediment = d->sediment;
    g->came[k] = d->came;
    l->own = d->own;
    l->first = d->step;
    l->most = rvi_mini(f->leg, f->most_moves - d->step);
    g->left[k] = l->most;
    if (f->loads) {
        size_t layers = (size_t)f->job->land->layer_count;
        l->cargo.load = f->loads + (size_t)l->slot * layers;
        l->cargo.deposited_on = f->deposited_on + (size_t)l->tile * layers;
        if (slot->fresh)
            memset(l->cargo.load, 0, layers * sizeof(float));
    }
    return true;
}

/* The drop has run as far as it can in this round. */
static void leave_drop(const rvi_drop_run *f, group *g, int k) {
    lane *l = &g->lanes[k];
    int made = l->most - g->left[k];
    if (!l->ended && l->first + made == f->most_moves) {
        lay_all(f, g, k);
        end_drop(f, g, k, AT_END);
    }
    f->results[l->tile].drop_steps += (uint64_t)made;
    f->drops[l->slot] = (drop){g->dx[k],   g->dy[k],    g->speed[k], g->water[k],
                               g->came[k], l->sediment, l->own,      l->first + made};
    rvi_slot *slot = &rvi_rounds_slots(&f->rounds)[l->slot];
    slot->x = g->x[k], slot->y = g->y[k];
    slot->ended = l->ended;
}

/* Lanes whose drop has stopped, or that have none, get the next one; returns whether there is one
 * to run. An idle lane stands where another of its group does: what it does is not used, but it
 * must not look at land that others work on, as they may where its own last tile was. */
static bool change_drops(const rvi_drop_run *f, rvi_taker *tiles, group *g) {
    int busy = -1;
    g->stopped = false;
    g->idle = 0;
    for (int k = 0; k < LANES; k++) {
        lane *l = &g->lanes[k];
        if (!l->idle && (l->ended || g->left[k] == 0)) {
            leave_drop(f, g, k);
            l->idle = true;
        }
        if (l->idle)
            l->idle = !begin_drop(f, tiles, g, k);
        g->idle += l->idle;
        busy = l->idle ? busy : k;
    }
    for (int k = 0; k < LANES && busy >= 0; k++)
        if (g->lanes[k].idle) {
            g->left[k] = -1;
            g->x[k] = g->x[busy];
            g->y[k] = g->y[busy];
        }
    return busy >= 0;
}

/* They go no further; those that have not begun stay where they are. */
static void stop_drops(const rvi_drop_run *f, group *g) {
    for (int k = 0; k < LANES; k++)
        if (!g->lanes[k].idle)
            leave_drop(f, g, k);
}

void rvi_drops_run(void *arg, rvi_taker *tiles) {
    const rvi_drop_run *f = arg;
    group g = {.left = {0}};
    /* A step takes as long as the brush is large, and longer with layers; a tile has as many drops
     * as fall there. */
    int every = 1 + LOOK / (f->brush.run_count * RVI_LANES), left = 0;
    for (int k = 0; k < LANES; k++)
        g.lanes[k] = (lane){.tile = -1, .idle = true};
    bool running = change_drops(f, tiles, &g);
    while (running) {
        if (left-- == 0) {
            if (rvi_parallel_stopped(f->job->ctx)) {
                stop_drops(f, &g);
                return;
            }
            left = every;
        }
        step_group(f, &g);
        if (g.stopped || !all_lanes(g.left != 0))
            running = change_drops(f, tiles, &g);
    }
}
