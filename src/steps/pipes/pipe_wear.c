/* pipe_wear.c: ground of pipes.c that is taken over the width of a channel. Equations: channel.h.
 */
#include "base/threads.h"
#include "steps/pipes/pipe_run.h"
#include "terrain/layers.h"

/* Which of the two grids of sediment, and of its parts, holds what this round leaves. */
static int new_grid(const rvi_pipes *f) {
    return f->move_x ? 0 : 1;
}

/* With give=same: how much of each layer comes off one cell, as a share of what is asked. */
static void keep_parts(const rvi_pipes *f, int64_t block, size_t i, float asked) {
    size_t layers = (size_t)f->job->land->layer_count;
    float **parts = f->parts[1 - new_grid(f)], *load = f->loads + (size_t)block * layers;
    for (size_t l = 0; l < layers; l++)
        parts[l][i] = asked > 0.0f ? load[l] / asked : 0.0f;
}

/* What comes off the layers of one cell, m; of each of them in the block's load. */
static rvi_pipe_taken take_layers(const rvi_pipes *f, int64_t block, size_t i, size_t cell,
                                  float asked) {
    rv_terrain *land = f->job->land;
    size_t layers = (size_t)land->layer_count;
    float *load = f->parts[0] ? f->loads + (size_t)block * layers : NULL;
    for (size_t l = 0; load && l < layers; l++)
        load[l] = 0.0f;
    rvi_pipe_taken t = {.change = f->change[1][i]};
    if (!(asked > RVI_PIPE_NONE))
        return t;
    float rock = rvi_factor_rock(&f->factor, i, land->layers[0].thickness[cell]);
    t.came = rvi_layers_take(land, cell, asked * rvi_factor_cell(&f->factor, i), rock, load, NULL);
    t.change -= t.came;
    t.share = t.came / asked;
    return t;
}

static rvi_pipe_taken take_cell(const rvi_pipes *f, int64_t block, size_t i, size_t cell) {
    float asked = f->asked[i], before = f->change[1][i];
    if (f->layered)
        return take_layers(f, block, i, cell, asked);
    float by_height = 1.0f;
    if (asked > RVI_PIPE_NONE)
        by_height = rvi_factor_bare(&f->factor, i, cell, f->bed[i] + before);
    return rvi_pipe_take_bare(asked, rvi_factor_cell(&f->factor, i), by_height, before);
}

/* Afterwards `asked` is the share of it that came off. */
static void take_block(void *arg, int64_t block) {
    const rvi_pipes *f = arg;
    int first = (int)block * RVI_PIPE_ROWS + 1,
        end = rvi_mini(first + RVI_PIPE_ROWS, f->height + 1);
    rvi_pipe_column *columns = rvi_pipe_columns(f, block);
    for (int y = first; y < end; y++)
        for (int x = 1; x <= f->width; x++) {
            size_t i = (size_t)y * f->stride + (size_t)x;
            size_t cell = (size_t)(y - 1) * (size_t)f->width + (size_t)(x - 1);
            float asked = f->asked[i] > RVI_PIPE_NONE ? f->asked[i] : 0.0f;
            rvi_pipe_taken t = take_cell(f, block, i, cell);
            f->change[1][i] = t.change;
            f->asked[i] = t.share;
            columns[x].taken += (double)t.came;
            if (f->parts[0])
                keep_parts(f, block, i, asked);
        }
}

/* What one material, or all of it, brings the water: `asked` is the spread share of it. */
typedef struct brought {
    const rvi_pipes *f;
    float *to; /* of the material */
} brought;

static void carry_block(void *arg, int64_t block) {
    const brought *b = arg;
    const rvi_pipes *f = b->f;
    int first = (int)block * RVI_PIPE_ROWS + 1,
        end = rvi_mini(first + RVI_PIPE_ROWS, f->height + 1);
    float *sediment = f->sediment[new_grid(f)];
    for (int y = first; y < end; y++)
        for (int x = 1; x <= f->width; x++) {
            size_t i = (size_t)y * f->stride + (size_t)x;
            float came = f->want[i] * f->asked[i];
            sediment[i] += came;
            if (b->to)
                b->to[i] += came;
        }
}

rv_status rvi_pipe_wear(rvi_pipes *f) {
    rv_context *ctx = f->job->ctx;
    const rvi_channel_grid shape = {f->width, f->height, f->stride + 1, f->stride};
    int blocks = (f->height + RVI_PIPE_ROWS - 1) / RVI_PIPE_ROWS;
    int count = f->parts[0] ? f->job->land->layer_count : 1, now = new_grid(f);
    rv_status status = rvi_channel_spread(ctx, &f->channel, &shape, f->want, &f->asked, &f->spare);
    if (status != RV_OK)
        return status;
    rvi_finish(ctx, blocks, take_block, f);
    for (int l = 0; l < count; l++) {
        const float *came = f->parts[0] ? f->parts[1 - now][l] : f->asked;
        rvi_channel_finish(ctx, &f->channel, &shape, came, &f->asked, &f->spare);
        brought b = {f, f->parts[0] ? f->parts[now][l] : NULL};
        rvi_finish(ctx, blocks, carry_block, &b);
    }
    return RV_OK;
}
