/* slide_layers.c: one round of sliding ground where there are layers, a mask, hardness, or where
 * slopes are gradients; slide_stack.h says what a cell does. */
#include "base/threads.h"
#include "steps/thermal/slide.h"

#include <string.h>

rvi_slide_stack rvi_slide_stack_of(const rvi_slide *s) {
    const rv_thermal_params *p = s->p;
    rvi_slide_stack stack = {
        .k = {.quantum = s->quantum,
              .fine = s->fine,
              .film = s->film,
              .fine_magic = s->fine_magic,
              .magic = s->magic,
              .rate = {s->rate[0], s->rate[1]},
              .slope_rate = s->slope_rate,
              .lowest = s->lowest,
              .cell = s->job->land->cell,
              .width = s->width,
              .height = s->height,
              .layers = s->layers,
              .height_layers = s->height_layers,
              .directions = s->directions,
              .off_directions = s->off_directions,
              .pairs = p->method == RV_thermal_method_pairs,
              .receiver = p->receiver == RV_thermal_receiver_all      ? RVI_SLIDE_TO_ALL
                          : p->receiver == RV_thermal_receiver_lowest ? RVI_SLIDE_TO_LOWEST
                                                                      : RVI_SLIDE_TO_GRADIENT,
              .gradient = p->gradient == RV_thermal_gradient_forward    ? RVI_SLIDE_FORWARD
                          : p->gradient == RV_thermal_gradient_backward ? RVI_SLIDE_BACKWARD
                                                                        : RVI_SLIDE_CENTRAL,
              .top = p->give == RV_thermal_give_top,
              .sliding = s->sliding,
              .settles = p->until == RV_thermal_until_settled},
        .h = s->h,
        .limit = s->limit,
        .yields = s->yields,
        .takes = s->takes,
        .cells = s->factor.cells,
        .height_part = s->height_part,
        .east = s->slides[0],
        .south = s->slides[1],
        .thick = s->thick,
        .give = s->give,
        .exposed = s->exposed,
        .giving = s->giving,
        .to = s->to,
    };
    for (int dir = 0; dir < RVI_DIRECTIONS; dir++)
        stack.k.step[dir] = (int)s->step[dir];
    return stack;
}

static void plan_rows(void *arg, int first, int end) {
    const rvi_slide *s = arg;
    const rvi_slide_stack stack = rvi_slide_stack_of(s);
    for (int y = first; y < end; y++)
        for (int x = 0; x < s->width; x++) {
            for (int l = 0; l < s->height_layers; l++)
                s->height_part[(size_t)l * s->count + rvi_slide_at(s, x, y)] =
                    rvi_slide_by_height(s, x, y, l);
            rvi_slide_plan(&stack, x, y);
        }
}

static void move_block(void *arg, int64_t block) {
    const rvi_slide *s = arg;
    const rvi_slide_stack stack = rvi_slide_stack_of(s);
    int first = (int)block * RVI_ROWS, end = rvi_mini(first + RVI_ROWS, s->height);
    for (int y = first; y < end; y++)
        for (int x = 0; x < s->width; x++) {
            double off = 0.0;
            s->next[rvi_slide_at(s, x, y)] = rvi_slide_move(&stack, x, y, &off);
            if (off > 0.0)
                s->off_edge[rvi_slide_place(&stack.k, x, y)] += off;
        }
}

rv_status rvi_slide_layers_round(rvi_slide *s) {
    int blocks = (s->height + RVI_ROWS - 1) / RVI_ROWS;
    rv_status status = rvi_parallel_rows(s->job->ctx, s->height, plan_rows, s);
    if (status != RV_OK)
        return status;
    memset(s->done, 0, (size_t)blocks * sizeof *s->done);
    s->moving = true;
    return rvi_slide_layers_move(s);
}

rv_status rvi_slide_layers_move(rvi_slide *s) {
    int blocks = (s->height + RVI_ROWS - 1) / RVI_ROWS;
    rv_status status = rvi_parallel_rest(s->job->ctx, blocks, s->done, move_block, s);
    if (status != RV_OK)
        return status;
    float *now = s->h;
    s->h = s->next;
    s->next = now;
    s->moving = false;
    return RV_OK;
}

rv_status rvi_slide_layers_set_bedrock(rvi_slide *s) {
    for (int y = 0; y < s->height; y++) {
        if (rvi_poll(s->job->ctx) != RV_OK)
            return RV_CANCELLED;
        for (int x = 0; x < s->width; x++) {
            size_t i = rvi_slide_at(s, x, y);
            s->thick[i] = (double)s->h[i];
        }
    }
    return RV_OK;
}

rv_status rvi_slide_layers_fill(rvi_slide *s) {
    const rvi_slide_stack stack = rvi_slide_stack_of(s);
    for (int y = 0; y < s->height; y++) {
        if (rvi_poll(s->job->ctx) != RV_OK)
            return RV_CANCELLED;
        for (int x = 0; x < s->width; x++) {
            size_t i = rvi_slide_at(s, x, y), cell = (size_t)y * (size_t)s->width + (size_t)x;
            double sum = 0.0;
            for (int l = 0; l < s->layers; l++) {
                float t = s->before[(size_t)l * s->cells + cell];
                double has = rvi_slide_begins(&stack.k, l, t);
                s->thick[(size_t)l * s->count + i] = has;
                sum += has;
            }
            s->h[i] = (float)sum;
        }
    }
    return RV_OK;
}
