/* runoff_wear.c: ground of runoff.c that is taken over the width of a channel. Equations:
 * channel.h. */
#include "base/threads.h"
#include "steps/runoff/runoff_strip.h"
#include "wear/border.h"

/* Times the cell: so far below the mean of its neighbours ground is no longer taken. On both sides
 * of a channel that are slopes of 45 degrees. */
#define BANKS 0.75f

/* What the water of a row of cells would take. The rain of the next round stands on the land
 * already, but has not run yet. */
static RVI_RUNOFF_HOT void want_row(const rvi_runoff_strip *s, int y, bool eight) {
    const rvi_runoff *r = s->r;
    const rvi_runoff_rules k = r->rules;
    size_t row = rvi_runoff_at(r, s->x0, y);
    const float *restrict up = s->level[(y + 4) % 5] + RVI_RUNOFF_EDGE;
    const float *restrict mid = s->level[y % 5] + RVI_RUNOFF_EDGE;
    const float *restrict down = s->level[(y + 1) % 5] + RVI_RUNOFF_EDGE;
    const float *restrict water = r->now.water + row, *restrict sediment = r->now.sediment + row;
    const float *restrict rain = r->rain ? r->rain + row : NULL;
    const float *restrict mean = r->mean + row;
    float *restrict want = r->want + row;
    for (int x = 0; x < s->count; x++) {
        float w = rvi_maxf(water[x] - (rain ? k.rain * rain[x] : k.rain), 0.0f);
        rvi_runoff_drops drops = rvi_runoff_sum(up, mid, down, x, k.still, eight);
        want[x] = rvi_runoff_decide(&k, drops, w, sediment[x], RVI_RUNOFF_WALL, mean[x]).take;
    }
}

/* The water that leaves the cells of a row in the next round. */
static RVI_RUNOFF_HOT void flow_row(const rvi_runoff_strip *s, int y, bool eight) {
    const rvi_runoff *r = s->r;
    const rvi_runoff_rules k = r->rules;
    size_t row = rvi_runoff_at(r, s->x0, y);
    const float *restrict up = s->level[(y + 4) % 5] + RVI_RUNOFF_EDGE;
    const float *restrict mid = s->level[y % 5] + RVI_RUNOFF_EDGE;
    const float *restrict down = s->level[(y + 1) % 5] + RVI_RUNOFF_EDGE;
    const float *restrict water = r->now.water + row;
    float *restrict flow = r->mean + row;
    for (int x = 0; x < s->count; x++)
        flow[x] = rvi_runoff_out(&k, rvi_runoff_sum(up, mid, down, x, k.still, eight), water[x]);
}

typedef void row_of(const rvi_runoff_strip *s, int y, bool eight);

static RVI_RUNOFF_HOT void go_over_rows(const rvi_runoff *r, int first, int end, row_of *row) {
    rvi_runoff_strip s;
    s.r = r;
    for (s.x0 = 0; s.x0 < r->width; s.x0 += RVI_RUNOFF_STRIP) {
        s.count = rvi_mini(RVI_RUNOFF_STRIP, r->width - s.x0);
        rvi_runoff_fill_levels(&s, first - 1);
        rvi_runoff_fill_levels(&s, first);
        for (int y = first; y < end; y++) {
            rvi_runoff_fill_levels(&s, y + 1);
            if (r->eight)
                row(&s, y, true);
            else
                row(&s, y, false);
        }
    }
}

static void want_rows(void *arg, int first, int end) {
    go_over_rows(arg, first, end, want_row);
}

static void flow_rows(void *arg, int first, int end) {
    go_over_rows(arg, first, end, flow_row);
}

/* How much of what is asked the cells of a row give. So the sides of a channel fall in before its
 * bed is cut deeper, and beds become even: no pit grows where a steep bed that was rough becomes
 * gentle. */
static void bank_row(const float *const rows[3], int count, float per, float *restrict to) {
    const float *restrict up = rows[0], *restrict mid = rows[1], *restrict down = rows[2];
    for (int x = 0; x < count; x++) {
        float here = mid[x];
        float sides =
            ((mid[x - 1] - here) + (mid[x + 1] - here)) + ((up[x] - here) + (down[x] - here));
        float corners = ((up[x - 1] - here) + (down[x + 1] - here)) +
                        ((up[x + 1] - here) + (down[x - 1] - here));
        to[x] = rvi_runoff_bank(sides, corners, per);
    }
}

/* The ground of columns x0 - 1 to x0 + count of a row; beyond the map, that of its edge. */
static void fill_ground(const rvi_runoff *r, int x0, int count, int y, float *to) {
    size_t row = rvi_runoff_at(r, 0, rvi_border_nearest(y, r->height));
    const float *base = r->base + row, *ground = r->now.ground + row;
    const float *cut = r->layered ? r->now.cut + row : NULL;
    int first = rvi_maxi(x0 - 1, 0), end = rvi_mini(x0 + count + 1, r->width);
    for (int x = first; x < end; x++)
        to[x - x0] = base[x] + (cut ? ground[x] - cut[x] : ground[x]);
    if (first == x0)
        to[-1] = to[0];
    if (end == x0 + count)
        to[count] = to[count - 1];
}

float rvi_runoff_per_bank(const rvi_runoff *r) {
    return 0.125f / (BANKS * r->job->land->cell);
}

static void bank_rows(void *arg, int first, int end) {
    const rvi_runoff *r = arg;
    float per = rvi_runoff_per_bank(r), ground[3][RVI_RUNOFF_ROOM];
    for (int x0 = 0; x0 < r->width; x0 += RVI_RUNOFF_STRIP) {
        int count = rvi_mini(RVI_RUNOFF_STRIP, r->width - x0);
        for (int y = first - 1; y <= end; y++) {
            fill_ground(r, x0, count, y, ground[(y + 3) % 3] + RVI_RUNOFF_EDGE);
            if (y <= first)
                continue;
            const float *const rows[3] = {ground[(y + 1) % 3] + RVI_RUNOFF_EDGE,
                                          ground[(y + 2) % 3] + RVI_RUNOFF_EDGE,
                                          ground[y % 3] + RVI_RUNOFF_EDGE};
            bank_row(rows, count, per, r->spare + rvi_runoff_at(r, x0, y - 1));
        }
    }
}

/* What comes off the ground of one cell where each material is laid on its own layer. Their shares
 * of what is asked stay in the grids of the next round. */
static float take_same(const rvi_runoff *r, size_t i, float take, float asked) {
    int layers = r->job->land->layer_count;
    size_t cells = rvi_cells(r->job->land);
    float came = 0.0f, ground = 0.0f;
    float *load = r->next.parts.room + i;
    for (int l = 0; l < layers; l++)
        load[(size_t)l * cells] = 0.0f;
    if (take > 0.0f)
        rvi_runoff_take_same(r, i, take, r->now.gain.room + i, load, cells);
    for (int l = 0; l < layers; l++) {
        came += load[(size_t)l * cells];
        ground += r->now.gain.room[(size_t)l * cells + i];
        load[(size_t)l * cells] = take > 0.0f ? load[(size_t)l * cells] / asked : 0.0f;
    }
    r->now.ground[i] = ground;
    return came;
}

static float take_cell(const rvi_runoff *r, size_t i, float asked) {
    float old = r->now.ground[i], cut = r->layered ? r->now.cut[i] : 0.0f;
    float spare = rvi_maxf(rvi_runoff_spare(r->base[i], old - cut, r->rules.floor), 0.0f);
    float take = rvi_minf(asked * r->spare[i], spare);
    take = take < RVI_RUNOFF_DRY ? 0.0f : take * rvi_factor_cell(&r->factor, i);
    if (r->same)
        return take_same(r, i, take, asked);
    if (!(take > 0.0f))
        return 0.0f;
    if (r->layered)
        return rvi_runoff_take_layers(r, i, take, &r->now.ground[i], &r->now.cut[i]);
    r->now.ground[i] = old - take * rvi_factor_bare(&r->factor, i, i, r->base[i] + old);
    return old - r->now.ground[i];
}

/* The same for a row of bare ground without limits. */
static void take_plain_row(const rvi_runoff *r, int y, rvi_runoff_column *columns) {
    size_t row = rvi_runoff_at(r, 0, y);
    const float *restrict base = r->base + row, *restrict bank = r->spare + row;
    float *restrict ground = r->now.ground + row, *restrict asked = r->asked + row;
    float floor = r->rules.floor;
    for (int x = 0; x < r->width; x++) {
        float old = ground[x];
        float after = old - rvi_runoff_taken(asked[x], bank[x], base[x], old, floor);
        ground[x] = after;
        asked[x] = (old - after) / rvi_maxf(asked[x], RVI_RUNOFF_NO_DROP);
        columns[x].taken += (double)(old - after);
    }
}

/* Afterwards `asked` is the share of it that came off. */
static void take_rows(void *arg, int first, int end) {
    const rvi_runoff *r = arg;
    rvi_runoff_column *columns = r->columns + rvi_runoff_at(r, 0, first / RVI_RUNOFF_ROWS);
    bool plain = !r->layered && !r->factor.cells && !rvi_factor_by_height(&r->factor);
    for (int y = first; plain && y < end; y++)
        take_plain_row(r, y, columns);
    for (int y = first; !plain && y < end; y++)
        for (int x = 0; x < r->width; x++) {
            size_t i = rvi_runoff_at(r, x, y);
            float came = take_cell(r, i, r->asked[i]);
            r->asked[i] = came > 0.0f ? came / r->asked[i] : 0.0f;
            columns[x].taken += (double)came;
        }
}

/* Brings the water what came off. */
typedef struct brought {
    const rvi_runoff *r;
    float *part; /* of the sediment; NULL: all of it is alike */
} brought;

static void carry_rows(void *arg, int first, int end) {
    const brought *b = arg;
    const rvi_runoff *r = b->r;
    for (size_t i = rvi_runoff_at(r, 0, first); i < rvi_runoff_at(r, 0, end); i++) {
        float came = r->want[i] * r->asked[i];
        r->now.sediment[i] += came;
        if (b->part)
            b->part[i] += came;
    }
}

rv_status rvi_runoff_find_mean(rvi_runoff *r) {
    rv_context *ctx = r->job->ctx;
    const rvi_channel_grid map = {r->width, r->height, 0, (size_t)r->width};
    rv_status status = rvi_parallel_rows(ctx, r->height, flow_rows, r);
    return status == RV_OK
               ? rvi_channel_spread(ctx, &r->channel, &map, r->mean, &r->mean, &r->spare)
               : status;
}

rv_status rvi_runoff_wear(rvi_runoff *r) {
    rv_context *ctx = r->job->ctx;
    const rvi_channel_grid map = {r->width, r->height, 0, (size_t)r->width};
    r->rules.softness = rvi_runoff_share(r->p->softness, (float)r->waited * r->per_round);
    rvi_finish_rows(ctx, r->height, want_rows, r);
    r->rules.softness = 0.0f;
    rv_status status = rvi_channel_spread(ctx, &r->channel, &map, r->want, &r->asked, &r->spare);
    if (status != RV_OK)
        return status;
    rvi_finish_rows(ctx, r->height, bank_rows, r);
    rvi_finish_rows(ctx, r->height, take_rows, r);
    for (int l = 0; l < (r->same ? r->job->land->layer_count : 1); l++) {
        const float *came = r->same ? r->next.parts.at[l] : r->asked;
        rvi_channel_finish(ctx, &r->channel, &map, came, &r->asked, &r->spare);
        brought b = {r, r->same ? r->now.parts.at[l] : NULL};
        rvi_finish_rows(ctx, r->height, carry_rows, &b);
    }
    r->waited = 0;
    return RV_OK;
}
