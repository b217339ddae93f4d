/* pipe_carry.c: sediment of pipes.c that moves along the velocity, and what leaves the map.
 * Equations: pipes.c. */
#include "steps/pipes/pipe_run.h"

rvi_pipe_net rvi_pipe_net_of(const rvi_pipes *f) {
    return (rvi_pipe_net){.shape = f->shape,
                          .q = {f->q[0], f->q[1], f->q[2], f->q[3]},
                          .limit = f->limit,
                          .half_width = f->rules.half_width};
}

void rvi_pipe_move_block(void *arg, int64_t block) {
    const rvi_pipes *f = arg;
    const rvi_pipe_net net = rvi_pipe_net_of(f);
    int first = (int)block * RVI_PIPE_ROWS + 1,
        end = rvi_mini(first + RVI_PIPE_ROWS, f->height + 1);
    for (int y = first; y < end; y++)
        for (int x = 1; x <= f->width; x++) {
            size_t i = (size_t)y * f->stride + (size_t)x;
            rvi_pipe_vector move =
                rvi_pipe_move(&net, &f->rules, f->depth[0][i], f->depth[1][i], i);
            f->move_x[i] = move.x;
            f->move_y[i] = move.y;
        }
}

static void transport_row(const rvi_pipes *f, int y, const float *from, float *to) {
    rvi_pipe_drift drift = {f->move_x, f->move_y, from};
    for (int x = 1; x <= f->width; x++)
        to[(size_t)y * f->stride + (size_t)x] = rvi_pipe_drifted(&f->shape, drift, x, y);
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

void rvi_pipe_count_off(rvi_pipes *f) {
    const rvi_pipe_net net = rvi_pipe_net_of(f);
    rvi_pipe_drift drift = {f->move_x, f->move_y, f->sediment[1]};
    for (int place = 0; !f->shape.wall && place < rvi_pipe_places(&f->shape); place++)
        rvi_pipe_count_off_at(&f->off[place], &net, &f->rules, f->depth[0], f->sediment[0], drift,
                              place);
}
