/* cursor.c: where a recipe stands. */
#include "recipe/cursor.h"

int64_t rvi_cursor_times(const rv_recipe *recipe, int64_t step) {
    const rv_repeat_params *p = rv_recipe_params(recipe, (int)step);
    return p->times;
}

void rvi_cursor_begin_repeat(const rv_recipe *recipe, rvi_cursor *c) {
    if (rvi_cursor_times(recipe, c->step) > 0) {
        c->start[c->depth] = c->step++;
        c->turn[c->depth++] = 0;
        return;
    }
    for (int inside = 1; inside > 0;) { /* on to the step after its end */
        rv_step_id id = rv_recipe_step(recipe, (int)++c->step);
        inside += (id == RV_STEP_repeat) - (id == RV_STEP_end);
    }
    c->step++;
}

void rvi_cursor_end_repeat(const rv_recipe *recipe, rvi_cursor *c) {
    int64_t d = c->depth - 1;
    if (++c->turn[d] < rvi_cursor_times(recipe, c->start[d])) {
        c->step = c->start[d] + 1;
        return;
    }
    c->depth--;
    c->step++;
}

/* a times b plus c, none below 0; what is too large is held to the largest number. */
static int64_t multiply_add(int64_t a, int64_t b, int64_t c) {
    return b > 0 && a > (INT64_MAX - c) / b ? INT64_MAX : a * b + c;
}

void rvi_cursor_turns(const rv_recipe *recipe, const rvi_cursor *c, int64_t *turn, int64_t *turns) {
    *turn = 0;
    *turns = 1;
    for (int64_t d = 0; d < c->depth; d++) {
        int64_t times = rvi_cursor_times(recipe, c->start[d]);
        *turn = multiply_add(*turn, times, c->turn[d]);
        *turns = multiply_add(*turns, times, 0);
    }
}

double rvi_cursor_runs(const rv_recipe *recipe, const rvi_cursor *c, double *each) {
    int64_t open[RVI_DEPTH + 1], depth = 0;
    double runs = 0.0;
    for (int i = 0; i < rv_recipe_count(recipe); i++) {
        rv_step_id id = rv_recipe_step(recipe, i);
        if (id == RV_STEP_repeat) {
            open[depth++] = i;
            continue;
        }
        if (id == RV_STEP_end) {
            depth--;
            continue;
        }
        int64_t shared = 0;
        while (shared < depth && shared < c->depth && open[shared] == c->start[shared])
            shared++;
        double here = i < c->step ? 1.0 : 0.0;
        for (int64_t d = depth - 1; d >= shared; d--)
            here *= (double)rvi_cursor_times(recipe, open[d]);
        double inside = 1.0;
        for (int64_t d = depth - 1; d >= 0; d--) {
            here += d < shared ? (double)c->turn[d] * inside : 0.0;
            inside *= (double)rvi_cursor_times(recipe, open[d]);
        }
        runs += here;
        if (each)
            each[i] = here;
    }
    return runs;
}
