#include "wear/channel.h"

#include "base/math.h"
#include "base/threads.h"
#include "wear/channel_cell.h"

rvi_channel rvi_channel_of(float width, float cell) {
    rvi_channel s = {0};
    float wide = rvi_maxf(width / cell, 3.0f);
    float left = width > 0.0f ? wide * wide / 16.0f : 0.0f; /* variance, in cells */
    for (; left > 1e-3f && s.count < RVI_CHANNEL_LEVELS; s.count++) {
        int apart = 1 << s.count / 2;
        float square = (float)apart * (float)apart;
        float outer = rvi_minf(0.25f, left / (2.0f * square)), inner = 1.0f - 2.0f * outer;
        left -= 2.0f * outer * square;
        s.level[s.count].apart = apart;
        s.level[s.count].centre = inner * inner;
        s.level[s.count].side = inner * outer;
        s.level[s.count].corner = outer * outer;
    }
    return s;
}

typedef struct pass {
    const rvi_channel *s;
    const rvi_channel_grid *shape;
    int level;
    const float *from;
    float *to;
} pass;

static void spread_edge(const pass *p, const float *up, const float *mid, const float *down,
                        float *to, int first, int end) {
    int apart = p->s->level[p->level].apart, width = p->shape->width;
    float centre = p->s->level[p->level].centre, side = p->s->level[p->level].side;
    float corner = p->s->level[p->level].corner;
    for (int x = first; x < end; x++) {
        int l = rvi_channel_mirrored(x - apart, width), r = rvi_channel_mirrored(x + apart, width);
        to[x] = rvi_channel_cell(centre, side, corner, mid[x], mid[l], mid[r], up[x], down[x],
                                 up[l], down[r], up[r], down[l]);
    }
}

static void spread_middle(const pass *p, const float *restrict up, const float *restrict mid,
                          const float *restrict down, float *restrict to, int first, int end) {
    int a = p->s->level[p->level].apart;
    float centre = p->s->level[p->level].centre, side = p->s->level[p->level].side;
    float corner = p->s->level[p->level].corner;
    for (int x = first; x < end; x++)
        to[x] = rvi_channel_cell(centre, side, corner, mid[x], mid[x - a], mid[x + a], up[x],
                                 down[x], up[x - a], down[x + a], up[x + a], down[x - a]);
}

static void spread_rows(void *arg, int first, int end) {
    const pass *p = arg;
    const rvi_channel_grid *g = p->shape;
    int apart = p->s->level[p->level].apart;
    for (int y = first; y < end; y++) {
        const float *from = p->from + g->first;
        const float *mid = from + (size_t)y * g->stride;
        const float *up = from + (size_t)rvi_channel_mirrored(y - apart, g->height) * g->stride;
        const float *down = from + (size_t)rvi_channel_mirrored(y + apart, g->height) * g->stride;
        float *to = p->to + g->first + (size_t)y * g->stride;
        int inner = rvi_mini(apart, g->width), outer = rvi_maxi(inner, g->width - apart);
        spread_edge(p, up, mid, down, to, 0, inner);
        spread_middle(p, up, mid, down, to, inner, outer);
        spread_edge(p, up, mid, down, to, outer, g->width);
    }
}

/* The grids of the next level. */
static pass next_pass(const rvi_channel *s, const rvi_channel_grid *shape, int level,
                      const float *from, float **to, float **spare) {
    float *held = *to;
    *to = *spare;
    *spare = held;
    return (pass){s, shape, level, level == 0 ? from : *spare, *to};
}

rv_status rvi_channel_spread(rv_context *ctx, const rvi_channel *s, const rvi_channel_grid *shape,
                             const float *from, float **to, float **spare) {
    rv_status status = RV_OK;
    for (int level = 0; status == RV_OK && level < s->count; level++) {
        pass p = next_pass(s, shape, level, from, to, spare);
        status = rvi_parallel_rows(ctx, shape->height, spread_rows, &p);
    }
    return status;
}

void rvi_channel_finish(rv_context *ctx, const rvi_channel *s, const rvi_channel_grid *shape,
                        const float *from, float **to, float **spare) {
    for (int level = 0; level < s->count; level++) {
        pass p = next_pass(s, shape, level, from, to, spare);
        rvi_finish_rows(ctx, shape->height, spread_rows, &p);
    }
}

rv_status rvi_channel_queue(rvi_device *d, const rvi_channel *s, const rvi_channel_grid *shape,
                            size_t count, const float *from, float **to, float **spare) {
    rv_status status = RV_OK;
    const uint64_t first = shape->first, stride = shape->stride;
    for (int level = 0; status == RV_OK && level < s->count; level++) {
        pass p = next_pass(s, shape, level, from, to, spare);
        const rvi_channel_level *l = &s->level[level];
        const rvi_device_arg args[] = {
            {RVI_DEVICE_READ, p.from, count * sizeof(float)},
            {RVI_DEVICE_CHANGE, p.to, count * sizeof(float)},
            {RVI_DEVICE_VALUE, &shape->width, sizeof shape->width},
            {RVI_DEVICE_VALUE, &shape->height, sizeof shape->height},
            {RVI_DEVICE_VALUE, &first, sizeof first},
            {RVI_DEVICE_VALUE, &stride, sizeof stride},
            {RVI_DEVICE_VALUE, l, sizeof *l},
        };
        status = rvi_device_run(d, "channel_spread", "spread", (size_t)shape->width,
                                (size_t)shape->height, args, 7);
    }
    return status;
}
