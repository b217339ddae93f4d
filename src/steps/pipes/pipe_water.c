/* pipe_water.c: one round of the water of pipes.c: the flux of the pipes, then the cells.
 * Equations: pipes.c. */
#include "base/threads.h"
#include "steps/pipes/pipe_run.h"
#include "terrain/layers.h"

#include <string.h>

/* ---- one round: the pipes ---- */

/* Makes the bed of one row, ghosts included. */
static const float *fill_bed(const rvi_pipes *f, int y, float *bed) {
    const float *restrict before = f->bed + (size_t)y * f->stride;
    const float *restrict change = f->change[0] + (size_t)y * f->stride;
    RVI_PIPE_APART
    for (int x = -RVI_PIPE_PAD; x < f->width + 2; x++)
        bed[x] = before[x] + change[x];
    return bed;
}

/* One row of cells and their limits, for the pipes that begin or end there. */
typedef struct ends {
    const float *bed, *depth, *limit;
} ends;

static RVI_PIPE_HOT rvi_pipe_flow push_pipe(float q, float pull, float drag, const ends *from,
                                            int i, const ends *to, int j) {
    float limited = rvi_pipe_limited(q, from->limit[i], to->limit[j]);
    return rvi_pipe_flux(limited, pull, drag, from->bed[i], from->depth[i], to->bed[j],
                         to->depth[j]);
}

/* Two pipes of each cell in a row: east and south, or south-east and south-west. */
static RVI_PIPE_HOT void push_two(const rvi_pipes *f, int y, const ends *upper, const ends *lower,
                                  float *fastest, const bool corners) {
    const size_t row = (size_t)y * f->stride;
    const ends a = *upper, b = *lower;
    const float pull = corners ? f->rules.pull_corner : f->rules.pull_axis, drag = f->rules.drag;
    float *restrict first = f->q[corners ? RVI_PIPE_SOUTH_EAST : RVI_PIPE_EAST] + row;
    float *restrict second = f->q[corners ? RVI_PIPE_SOUTH_WEST : RVI_PIPE_SOUTH] + row,
                    *restrict most = fastest;
    const int count = f->width + 1;
    RVI_PIPE_APART
    for (int x = -RVI_PIPE_PAD; x < count; x++) {
        rvi_pipe_flow one, two;
        if (corners) {
            one = push_pipe(first[x], pull, drag, &a, x, &b, x + 1);
            two = push_pipe(second[x], pull, drag, &a, x + 1, &b, x);
        } else {
            one = push_pipe(first[x], pull, drag, &a, x, &a, x + 1);
            two = push_pipe(second[x], pull, drag, &a, x, &b, x);
        }
        first[x] = one.flux;
        second[x] = two.flux;
        most[x] = rvi_maxf(rvi_maxf(one.speed, two.speed), most[x]);
    }
}

static void push_row(const rvi_pipes *f, int y, const float *bed, const float *below,
                     float *fastest) {
    size_t row = (size_t)y * f->stride, next = row + f->stride;
    ends upper = {bed, f->depth[0] + row, f->limit + row};
    ends lower = {below, f->depth[0] + next, f->limit + next};
    push_two(f, y, &upper, &lower, fastest, false);
    if (f->eight)
        push_two(f, y, &upper, &lower, fastest, true);
}

static float *block_rows(const rvi_pipes *f, int64_t block) {
    return f->rows + (size_t)block * RVI_PIPE_BLOCK_ROWS * f->stride + RVI_PIPE_START;
}

/* Rows 0 to height; row 0 holds the pipes that leave the ghosts in the north. */
void rvi_pipe_push_block(void *arg, int64_t block) {
    const rvi_pipes *f = arg;
    int first = (int)block * RVI_PIPE_ROWS, end = rvi_mini(first + RVI_PIPE_ROWS, f->height + 1);
    float *rows = block_rows(f, block), *fastest = rows + 2 * f->stride;
    float *two[2] = {rows, rows + f->stride};
    memset(fastest - RVI_PIPE_PAD, 0, f->stride * sizeof(float));
    fill_bed(f, first, two[first & 1]);
    for (int y = first; y < end; y++) {
        fill_bed(f, y + 1, two[(y + 1) & 1]);
        push_row(f, y, two[y & 1], two[(y + 1) & 1], fastest);
    }
    f->blocks[block].speed = 0.0f;
    for (int x = 0; x <= f->width; x++)
        f->blocks[block].speed = rvi_maxf(f->blocks[block].speed, fastest[x]);
}

/* ---- one round: the cells ---- */

/* Three rows of what a cell asks of its neighbours. */
typedef struct view {
    float *limit;   /* K */
    float *carries; /* K times sediment in a metre of water */
    float *surface;
    float *asked; /* flux that would leave without the limit */
} view;

static RVI_PIPE_HOT void fill_view_of(const rvi_pipes *f, int y, const view *v, const bool eight) {
    const size_t row = (size_t)y * f->stride, up = row - f->stride;
    const int width = f->width;
    const float share = f->rules.share;
    const float carry = f->transport == RV_pipes_transport_flux ? 1.0f : 0.0f;
    const float *restrict bed = f->bed + row, *restrict change = f->change[0] + row;
    const float *restrict depth = f->depth[0] + row, *restrict sediment = f->sediment[0] + row;
    float *restrict limit = v->limit, *restrict carries = v->carries,
                    *restrict surface = v->surface, *restrict asked = v->asked;
    RVI_PIPE_APART
    for (int x = 0; x < width + 2; x++) {
        limit[x] = carries[x] = 0.0f;
        surface[x] = (bed[x] + change[x]) + depth[x];
    }
    if (y == 0 || y == f->height + 1)
        return;
    const float *restrict e = f->q[RVI_PIPE_EAST] + row, *restrict s = f->q[RVI_PIPE_SOUTH] + row;
    const float *restrict n = f->q[RVI_PIPE_SOUTH] + up;
    const float *restrict se = eight ? f->q[RVI_PIPE_SOUTH_EAST] + row : e;
    const float *restrict nw = eight ? f->q[RVI_PIPE_SOUTH_EAST] + up : e;
    const float *restrict sw = eight ? f->q[RVI_PIPE_SOUTH_WEST] + row : e;
    const float *restrict ne = eight ? f->q[RVI_PIPE_SOUTH_WEST] + up : e;
    RVI_PIPE_APART
    for (int x = 1; x <= width; x++) {
        float out = rvi_pipe_asked(e[x], -e[x - 1], s[x], -n[x]);
        if (eight)
            out += rvi_pipe_asked(se[x], -nw[x - 1], sw[x - 1], -ne[x]);
        asked[x] = out;
        rvi_pipe_gift gift = rvi_pipe_give(depth[x], sediment[x], out * share);
        limit[x] = gift.limit;
        carries[x] = carry * gift.carries;
    }
}

static void fill_view(const rvi_pipes *f, int y, const view *v) {
    if (f->eight)
        fill_view_of(f, y, v, true);
    else
        fill_view_of(f, y, v, false);
}

/* The pipes of one row of cells and their ends. */
typedef struct row_pipes {
    const float *e, *s, *n, *se, *nw, *sw, *ne;
    view north, here, south;
} row_pipes;

static row_pipes pipes_of(const rvi_pipes *f, int y, const view *views) {
    const size_t row = (size_t)y * f->stride, up = row - f->stride;
    float *const *q = f->q;
    row_pipes p = {
        .e = q[RVI_PIPE_EAST] + row, .s = q[RVI_PIPE_SOUTH] + row, .n = q[RVI_PIPE_SOUTH] + up};
    p.se = f->eight ? q[RVI_PIPE_SOUTH_EAST] + row : p.e;
    p.nw = f->eight ? q[RVI_PIPE_SOUTH_EAST] + up : p.e;
    p.sw = f->eight ? q[RVI_PIPE_SOUTH_WEST] + row : p.e;
    p.ne = f->eight ? q[RVI_PIPE_SOUTH_WEST] + up : p.e;
    p.north = views[(y - 1) % 3];
    p.here = views[y % 3];
    p.south = views[(y + 1) % 3];
    return p;
}

/* One pipe as its cell sees it: q runs outward, j is the other end. */
static RVI_PIPE_HOT rvi_pipe_side see_pipe(float q, const view *row, int j, float surface) {
    return rvi_pipe_see(q, row->limit[j], row->carries[j], row->surface[j], surface);
}

/* What comes in through the pipes of a row of cells, and the flux that leaves times its fall. */
typedef struct row_sums {
    float *in, *carried, *fall;
} row_sums;

/* This loop and the one over the cells are apart because processors look only so far ahead. */
static RVI_PIPE_HOT void sum_row_of(int width, const row_pipes *pipes, const row_sums *to,
                                    const bool eight) {
    const row_pipes p = *pipes;
    float *restrict in = to->in, *restrict carried = to->carried, *restrict fall = to->fall;
    RVI_PIPE_APART
    for (int x = 1; x <= width; x++) {
        const float top = p.here.surface[x];
        rvi_pipe_side e = see_pipe(p.e[x], &p.here, x + 1, top);
        rvi_pipe_side w = see_pipe(-p.e[x - 1], &p.here, x - 1, top);
        rvi_pipe_side s = see_pipe(p.s[x], &p.south, x, top);
        rvi_pipe_side n = see_pipe(-p.n[x], &p.north, x, top);
        rvi_pipe_side sum = rvi_pipe_sum_sides(w, e, n, s);
        if (eight) {
            rvi_pipe_side se = see_pipe(p.se[x], &p.south, x + 1, top);
            rvi_pipe_side nw = see_pipe(-p.nw[x - 1], &p.north, x - 1, top);
            rvi_pipe_side sw = see_pipe(p.sw[x - 1], &p.south, x - 1, top);
            rvi_pipe_side ne = see_pipe(-p.ne[x], &p.north, x + 1, top);
            sum = rvi_pipe_add_corners(sum, rvi_pipe_sum_sides(nw, se, ne, sw));
        }
        in[x] = sum.in;
        carried[x] = sum.carried;
        fall[x] = sum.fall;
    }
}

static void sum_row(const rvi_pipes *f, const row_pipes *p, const row_sums *to) {
    if (f->eight)
        sum_row_of(f->width, p, to, true);
    else
        sum_row_of(f->width, p, to, false);
}

static RVI_PIPE_HOT rvi_pipe_sums sums_at(const view *v, const row_sums *s, int x) {
    float asked = v->asked[x];
    return (rvi_pipe_sums){.in = s->in[x],
                           .out = v->limit[x] * asked,
                           .carried = s->carried[x],
                           .lost = v->carries[x] * asked,
                           .asked = asked,
                           .fall = s->fall[x]};
}

/* What a block keeps of each column until its last row is done. */
typedef struct columns {
    float *depth, *evaporated;
    float *taken, *laid; /* ground */
    float *want;         /* not of all rows: what the water of this one would take */
} columns;

/* The plain case: bare rock, nothing held back, the same rain everywhere. */
static void plain_row(const rvi_pipes *f, int y, const view *here, const row_sums *sums,
                      const columns *most) {
    const size_t row = (size_t)y * f->stride;
    const rvi_pipe_rules r = f->rules;
    const float rain = f->rain * r.dt;
    const int width = f->width;
    /* Each by a name of its own: clang does not see else that they lie apart. */
    const float *restrict in = sums->in, *restrict carried = sums->carried;
    const float *restrict fall = sums->fall, *restrict asked = here->asked;
    const float *restrict given = here->limit, *restrict carries = here->carries;
    const float *restrict depth = f->depth[0] + row, *restrict sediment = f->sediment[0] + row;
    const float *restrict change = f->change[0] + row;
    float *restrict depth_to = f->depth[1] + row, *restrict sediment_to = f->sediment[1] + row;
    float *restrict change_to = f->change[1] + row, *restrict rest = f->rest + row;
    float *restrict limit = f->limit + row, *restrict laid = f->deposited + row;
    float *restrict flow = f->flow + row;
    float *restrict deepest = most->depth;
    float *restrict evaporated = most->evaporated;
    float *restrict lost = most->taken, *restrict gained = most->laid;
    float *restrict want = most->want;
    const float at_once = f->want ? 0.0f : 1.0f;
    RVI_PIPE_APART
    for (int x = 1; x <= width; x++) {
        rvi_pipe_sums sum = {.in = in[x],
                             .out = given[x] * asked[x],
                             .carried = carried[x],
                             .lost = carries[x] * asked[x],
                             .asked = asked[x],
                             .fall = fall[x]};
        rvi_pipe_state now = rvi_pipe_cell(&r, sum, depth[x], rest[x], sediment[x], rain);
        float after = rvi_pipe_ground(change[x], now.lay - at_once * now.take, now.sediment);
        float moved = after - change[x];
        want[x] = now.take;
        depth_to[x] = now.depth;
        rest[x] = now.rest;
        change_to[x] = after;
        sediment_to[x] = now.sediment - moved;
        limit[x] = given[x];
        laid[x] += rvi_pipe_positive(moved);
        gained[x] += rvi_pipe_positive(moved);
        lost[x] += rvi_pipe_positive(-moved);
        flow[x] += r.share * sum.out;
        deepest[x] = rvi_maxf(now.depth, deepest[x]);
        evaporated[x] += now.evaporated;
    }
}

/* ---- give=same: what the sediment is made of ---- */

static float part_in(float q, const view *row, const float *part, const float *sediment, int j) {
    return rvi_pipe_part_in(q, row->carries[j], part[j], sediment[j]);
}

/* Moves the parts of a row of cells with the water, in the shares in which it is carried. */
static void move_parts_row(const rvi_pipes *f, int y, const row_pipes *p) {
    const size_t row = (size_t)y * f->stride, up = row - f->stride, down = row + f->stride;
    const float *s = f->sediment[0], share = f->rules.share;
    for (int l = 0; l < f->job->land->layer_count; l++) {
        const float *here = f->parts[0][l] + row, *north = f->parts[0][l] + up;
        const float *south = f->parts[0][l] + down;
        for (int x = 1; x <= f->width; x++) {
            float in = (part_in(-p->e[x - 1], &p->here, here, s + row, x - 1) +
                        part_in(p->e[x], &p->here, here, s + row, x + 1)) +
                       (part_in(-p->n[x], &p->north, north, s + up, x) +
                        part_in(p->s[x], &p->south, south, s + down, x));
            if (f->eight)
                in += (part_in(-p->nw[x - 1], &p->north, north, s + up, x - 1) +
                       part_in(p->se[x], &p->south, south, s + down, x + 1)) +
                      (part_in(-p->ne[x], &p->north, north, s + up, x + 1) +
                       part_in(p->sw[x - 1], &p->south, south, s + down, x - 1));
            float has = s[row + (size_t)x], lost = p->here.carries[x] * p->here.asked[x];
            f->parts[1][l][row + (size_t)x] = rvi_pipe_part_left(here[x], has, lost, in, share);
        }
    }
}

/* The same as move_layers, each material from and to its own layer. */
static float move_parts(const rvi_pipes *f, int64_t block, size_t i, size_t cell, float take,
                        float lay, float rock) {
    rv_terrain *land = f->job->land;
    size_t layers = (size_t)land->layer_count, column = (size_t)block * f->stride + i % f->stride;
    float *load = f->loads + (size_t)block * layers;
    for (size_t l = 0; l < layers; l++)
        load[l] = f->parts[1][l][i];
    float rose = take > 0.0f ? -rvi_layers_take(land, cell, take, rock, load, NULL)
                             : rvi_layers_lay(land, cell, lay, load,
                                              f->deposited_on + column * layers, NULL);
    for (size_t l = 0; l < layers; l++)
        f->parts[1][l][i] = load[l];
    return rose;
}

/* Takes from or lays on the layers of one cell; returns by how much the ground rose. */
static float move_layers(const rvi_pipes *f, size_t i, size_t cell, float take, float lay,
                         float sediment) {
    rv_terrain *land = f->job->land;
    float rock = rvi_factor_rock(&f->factor, i, land->layers[0].thickness[cell]);
    if (f->parts[0]) {
        int64_t block = (int64_t)(i / f->stride - 1) / RVI_PIPE_ROWS;
        return move_parts(f, block, i, cell, take, rvi_minf(lay, sediment), rock);
    }
    if (take > 0.0f)
        return -rvi_layers_take(land, cell, take, rock, NULL, NULL);
    float *top = &land->layers[land->layer_count - 1].thickness[cell];
    float before = *top;
    *top = rvi_pipe_ground(before, lay, sediment);
    return *top - before;
}

/* Any case: mask, hardness, layers, rain by an image. */
static void any_row(const rvi_pipes *f, int y, const view *here, const row_sums *sums,
                    const columns *most) {
    const size_t row = (size_t)y * f->stride;
    const rvi_pipe_rules *r = &f->rules;
    for (int x = 1; x <= f->width; x++) {
        size_t i = row + (size_t)x;
        rvi_pipe_sums sum = sums_at(here, sums, x);
        float rain = (f->source ? f->source[i] : f->rain) * r->dt;
        rvi_pipe_state now =
            rvi_pipe_cell(r, sum, f->depth[0][i], f->rest[i], f->sediment[0][i], rain);
        float take = f->want ? 0.0f : now.take * rvi_factor_cell(&f->factor, i);
        float lay = now.lay * (f->mask ? f->mask[i] : 1.0f);
        most->want[x] = now.take;
        float before = f->change[0][i], moved, after;
        size_t cell = (size_t)(y - 1) * (size_t)f->width + (size_t)(x - 1);
        if (f->layered) {
            moved = move_layers(f, i, cell, take, lay, now.sediment);
            after = before + moved;
        } else {
            take *= rvi_factor_bare(&f->factor, i, cell, f->bed[i] + before);
            after = rvi_pipe_ground(before, lay - take, now.sediment);
            moved = after - before;
        }
        f->depth[1][i] = now.depth;
        f->rest[i] = now.rest;
        f->change[1][i] = after;
        f->sediment[1][i] = now.sediment - moved;
        f->limit[i] = here->limit[x];
        f->deposited[i] += rvi_pipe_positive(moved);
        most->laid[x] += rvi_pipe_positive(moved);
        most->taken[x] += rvi_pipe_positive(-moved);
        f->flow[i] += r->share * sum.out;
        most->depth[x] = rvi_maxf(now.depth, most->depth[x]);
        most->evaporated[x] += now.evaporated;
    }
}

void rvi_pipe_cell_block(void *arg, int64_t block) {
    const rvi_pipes *f = arg;
    int first = (int)block * RVI_PIPE_ROWS + 1,
        end = rvi_mini(first + RVI_PIPE_ROWS, f->height + 1);
    float *rows = block_rows(f, block);
    view views[3];
    for (int i = 0; i < 3; i++, rows += 4 * f->stride)
        views[i] = (view){rows, rows + f->stride, rows + 2 * f->stride, rows + 3 * f->stride};
    row_sums sums = {rows, rows + f->stride, rows + 2 * f->stride};
    rows += 3 * f->stride;
    columns most = {rows, rows + f->stride, rows + 2 * f->stride, rows + 3 * f->stride, NULL};
    float *unused = rows + 4 * f->stride;
    memset(rows, 0, (4 * f->stride - RVI_PIPE_PAD) * sizeof(float));
    bool plain = !f->factor.cells && !f->mask && !f->layered && !f->source &&
                 !rvi_factor_by_height(&f->factor);
    fill_view(f, first - 1, &views[(first - 1) % 3]);
    fill_view(f, first, &views[first % 3]);
    for (int y = first; y < end; y++) {
        fill_view(f, y + 1, &views[(y + 1) % 3]);
        row_pipes p = pipes_of(f, y, views);
        most.want = f->want && f->wears ? f->want + (size_t)y * f->stride : unused;
        sum_row(f, &p, &sums);
        if (f->parts[0])
            move_parts_row(f, y, &p);
        if (plain)
            plain_row(f, y, &p.here, &sums, &most);
        else
            any_row(f, y, &p.here, &sums, &most);
    }
    rvi_pipe_column *to = rvi_pipe_columns(f, block);
    float deepest = 0.0f;
    for (int x = 1; x <= f->width; x++) {
        deepest = rvi_maxf(deepest, most.depth[x]);
        rvi_pipe_count(&to[x], most.evaporated[x], most.taken[x], most.laid[x]);
    }
    f->blocks[block].depth = deepest;
}

float rvi_pipe_move_layers(const rvi_pipes *f, size_t i, size_t cell, float take, float lay,
                           float sediment) {
    return move_layers(f, i, cell, take, lay, sediment);
}
