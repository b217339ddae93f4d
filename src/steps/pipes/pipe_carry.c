/* pipe_carry.c: sediment of pipes.c that moves along the velocity, and what leaves the map.
 * Equations: pipes.c. */
#include "steps/pipes/pipe_run.h"

#include <math.h>

/* ---- the flux of a cell as a vector ---- */

bool rvi_pipe_may_leave(const rvi_pipes *f, int dx, int dy) {
    return (dx != 0 || dy != 0) && (f->eight || dx == 0 || dy == 0);
}

float rvi_pipe_leaving(const rvi_pipes *f, int x, int y, int dx, int dy) {
    size_t i = (size_t)y * f->stride + (size_t)x;
    float *const *q = f->q;
    if (dy == 0)
        return dx > 0 ? q[RVI_PIPE_EAST][i] : -q[RVI_PIPE_EAST][i - 1];
    if (dx == 0)
        return dy > 0 ? q[RVI_PIPE_SOUTH][i] : -q[RVI_PIPE_SOUTH][i - f->stride];
    if (dx == dy)
        return dx > 0 ? q[RVI_PIPE_SOUTH_EAST][i] : -q[RVI_PIPE_SOUTH_EAST][i - f->stride - 1];
    return dy > 0 ? q[RVI_PIPE_SOUTH_WEST][i - 1] : -q[RVI_PIPE_SOUTH_WEST][i - f->stride];
}

void rvi_pipe_through(const rvi_pipes *f, int x, int y, float *through_x, float *through_y) {
    size_t i = (size_t)y * f->stride + (size_t)x;
    float out[3][3] = {{0}};
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (!rvi_pipe_may_leave(f, dx, dy))
                continue;
            float q = rvi_pipe_leaving(f, x, y, dx, dy);
            size_t j = (size_t)((ptrdiff_t)i + dy * (ptrdiff_t)f->stride + dx);
            out[dy + 1][dx + 1] = q * (q > 0.0f ? f->limit[i] : f->limit[j]);
        }
    float to_se = out[2][2] - out[0][0], to_sw = out[2][0] - out[0][2];
    *through_x = f->rules.half_width * ((out[1][2] - out[1][0]) + (to_se - to_sw));
    *through_y = f->rules.half_width * ((out[2][1] - out[0][1]) + (to_se + to_sw));
}

/* ---- one round: sediment along the velocity ---- */

/* In cells; never beyond the next. */
void rvi_pipe_move_block(void *arg, int64_t block) {
    const rvi_pipes *f = arg;
    int first = (int)block * RVI_PIPE_ROWS + 1,
        end = rvi_mini(first + RVI_PIPE_ROWS, f->height + 1);
    for (int y = first; y < end; y++)
        for (int x = 1; x <= f->width; x++) {
            size_t i = (size_t)y * f->stride + (size_t)x;
            float mean = 0.5f * (f->depth[0][i] + f->depth[1][i]), flux_x, flux_y;
            float per = mean > RVI_PIPE_DRY ? f->rules.dt * f->rules.per_cell / mean : 0.0f;
            rvi_pipe_through(f, x, y, &flux_x, &flux_y);
            f->move_x[i] = rvi_clampf(per * flux_x, -1.0f, 1.0f);
            f->move_y[i] = rvi_clampf(per * flux_y, -1.0f, 1.0f);
        }
}

/* Nothing passes a wall. `from` is the side a cell's sediment comes from or goes to: -1 or 1. */
static float hold_inside(const rvi_pipes *f, float move, int at, int last, float from) {
    float to = from * move;
    bool out = (at == 1 && to < 0.0f) || (at == last && to > 0.0f);
    return out && f->p->border == RV_pipes_border_wall ? 0.0f : move;
}

/* Where the sediment of this cell was: between it and three neighbours. The two that change places
 * when the map is turned are added first. */
static float look_back(const rvi_pipes *f, const float *s, int x, int y) {
    size_t i = (size_t)y * f->stride + (size_t)x;
    float u = hold_inside(f, f->move_x[i], x, f->width, -1.0f);
    float v = hold_inside(f, f->move_y[i], y, f->height, -1.0f);
    size_t i_x = u > 0.0f ? i - 1 : i + 1, i_y = v > 0.0f ? i - f->stride : i + f->stride;
    size_t i_xy = u > 0.0f ? i_y - 1 : i_y + 1;
    u = u > 0.0f ? u : -u;
    v = v > 0.0f ? v : -v;
    float near = s[i] * ((1.0f - u) * (1.0f - v)) + s[i_xy] * (u * v);
    return near + (s[i_x] * (u * (1.0f - v)) + s[i_y] * (v * (1.0f - u)));
}

/* What the cell at (x + dx, y + dy) sends here. */
static float sent(const rvi_pipes *f, const float *s, int x, int y, int dx, int dy) {
    int from_x = x + dx, from_y = y + dy;
    size_t i = (size_t)from_y * f->stride + (size_t)from_x;
    float u = hold_inside(f, f->move_x[i], from_x, f->width, 1.0f);
    float v = hold_inside(f, f->move_y[i], from_y, f->height, 1.0f);
    float along_x = dx == 0 ? 1.0f - (u > 0.0f ? u : -u) : rvi_pipe_positive((float)-dx * u);
    float along_y = dy == 0 ? 1.0f - (v > 0.0f ? v : -v) : rvi_pipe_positive((float)-dy * v);
    return s[i] * (along_x * along_y);
}

static float gather(const rvi_pipes *f, const float *s, int x, int y) {
    float sides = (sent(f, s, x, y, -1, 0) + sent(f, s, x, y, 1, 0)) +
                  (sent(f, s, x, y, 0, -1) + sent(f, s, x, y, 0, 1));
    float corners = (sent(f, s, x, y, -1, -1) + sent(f, s, x, y, 1, 1)) +
                    (sent(f, s, x, y, 1, -1) + sent(f, s, x, y, -1, 1));
    return sent(f, s, x, y, 0, 0) + (sides + corners);
}

static void transport_row(const rvi_pipes *f, int y, const float *from, float *to) {
    for (int x = 1; x <= f->width; x++) {
        float now = f->transport == RV_pipes_transport_backward ? look_back(f, from, x, y)
                                                                : gather(f, from, x, y);
        to[(size_t)y * f->stride + (size_t)x] = now > RVI_PIPE_NONE ? now : 0.0f;
    }
}

void rvi_pipe_transport_block(void *arg, int64_t block) {
    const rvi_pipes *f = arg;
    int first = (int)block * RVI_PIPE_ROWS + 1;
    int end = rvi_mini(first + RVI_PIPE_ROWS, f->height + 1);
    for (int y = first; y < end; y++) {
        transport_row(f, y, f->sediment[1], f->sediment[0]);
        for (int l = 0; f->parts[0] && l < f->job->land->layer_count; l++)
            transport_row(f, y, f->parts[1][l], f->parts[0][l]);
    }
}

/* ---- one round: what leaves the map ---- */

static void count_cell_off(rvi_pipes *f, int x, int y) {
    size_t i = (size_t)y * f->stride + (size_t)x;
    const float share = f->rules.share;
    float asked = 0.0f;
    double off = 0.0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (!rvi_pipe_may_leave(f, dx, dy))
                continue;
            float q = rvi_pipe_positive(rvi_pipe_leaving(f, x, y, dx, dy));
            bool inside = x + dx >= 1 && x + dx <= f->width && y + dy >= 1 && y + dy <= f->height;
            asked += q;
            off += inside ? 0.0 : (double)q;
        }
    rvi_pipe_gift gift = rvi_pipe_give(f->depth[0][i], f->sediment[0][i], asked * share);
    f->job->water.left_map += off * (double)share * (double)f->limit[i];
    if (f->transport == RV_pipes_transport_flux)
        f->left_map += off * (double)share * (double)gift.carries;
}

/* Of what a cell sends forward, the part that has no cell to land on. */
static void count_sent_off(rvi_pipes *f, int x, int y) {
    size_t i = (size_t)y * f->stride + (size_t)x;
    float u = f->move_x[i], v = f->move_y[i];
    bool off_x = (x == 1 && u < 0.0f) || (x == f->width && u > 0.0f);
    bool off_y = (y == 1 && v < 0.0f) || (y == f->height && v > 0.0f);
    double stays_x = off_x ? 1.0 - (double)fabsf(u) : 1.0;
    double stays_y = off_y ? 1.0 - (double)fabsf(v) : 1.0;
    f->left_map += (double)f->sediment[1][i] * (1.0 - stays_x * stays_y);
}

static void count_border(rvi_pipes *f, void (*count)(rvi_pipes *f, int x, int y)) {
    for (int x = 1; x <= f->width; x++) {
        count(f, x, 1);
        if (f->height > 1)
            count(f, x, f->height);
    }
    for (int y = 2; y < f->height; y++) {
        count(f, 1, y);
        if (f->width > 1)
            count(f, f->width, y);
    }
}

void rvi_pipe_count_off(rvi_pipes *f) {
    if (f->p->border == RV_pipes_border_wall)
        return;
    count_border(f, count_cell_off);
    if (f->transport == RV_pipes_transport_forward)
        count_border(f, count_sent_off);
}
