/* estimate.c: how long a recipe will take. Each step is tried on two small pieces of land with
 * cells of the same size, behind the steps before it: how much longer it takes on the larger says
 * how the time grows with the map. Steps that write files are not tried: a table says what they
 * need. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    PIECE = 176,     /* cells along a side of the larger piece, at most; the other has half of it */
    TRIAL_MS = 1500, /* of the processor for a step */
    SHORT_MS = 4,    /* of a step on the smaller piece: too short to say how it grows */
};

/* Of the work of a step, so much is shared by all threads. */
static const double SHARED = 0.9;

/* Nanoseconds of one thread for each cell, and for each pixel of pictures with a size of their own,
 * on a machine where the reference takes REFERENCE seconds. */
static const struct {
    rv_step_id step;
    double cell, pixel;
} written[] = {
    {RV_STEP_open, 100.0, 0.0},    {RV_STEP_hillshade, 325.0, 0.0}, {RV_STEP_paint, 350.0, 0.0},
    {RV_STEP_texture, 350.0, 0.0}, {RV_STEP_save, 250.0, 0.0},      {RV_STEP_export, 1000.0, 0.0},
    {RV_STEP_film, 350.0, 0.0},    {RV_STEP_render, 200.0, 1200.0},
};
static const double REFERENCE = 0.0030;

typedef struct trial {
    rv_context *ctx;
    rv_terrain *pieces[2]; /* the larger and the smaller */
    double begun;          /* s of the processor */
    double done;           /* of the step: 0 to 1 */
    double speed;          /* s here for a second of the table */
} trial;

static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool on_progress(void *user, const rv_progress *now) {
    trial *t = user;
    t->done = now->done;
    return !cli_interrupt_caught() && (cpu_now() - t->begun) * 1000.0 < TRIAL_MS;
}

/* ---- the piece ---- */

static int least(int a, int b) {
    return a < b ? a : b;
}

/* A value between cells; land goes on mirrored beyond its edges. */
static float value_at(const float *values, int width, int height, double x, double y) {
    double span_x = width > 1 ? width - 1 : 1, span_y = height > 1 ? height - 1 : 1;
    x = fabs(fmod(x, 2.0 * span_x));
    y = fabs(fmod(y, 2.0 * span_y));
    x = x > span_x ? 2.0 * span_x - x : x;
    y = y > span_y ? 2.0 * span_y - y : y;
    int i = least((int)x, width - 1), k = least((int)y, height - 1);
    int right = least(i + 1, width - 1), below = least(k + 1, height - 1);
    double u = x - i, v = y - k;
    const float *a = values + (size_t)k * (size_t)width,
                *b = values + (size_t)below * (size_t)width;
    return (float)((1.0 - v) * ((1.0 - u) * (double)a[i] + u * (double)a[right]) +
                   v * ((1.0 - u) * (double)b[i] + u * (double)b[right]));
}

/* A field of the old piece on the cells of the new one. */
static rv_status move_field(const rv_terrain *old, rv_terrain *land, const char *name) {
    int width = rv_terrain_width(land), height = rv_terrain_height(land);
    double ratio = (double)rv_terrain_cell(land) / (double)rv_terrain_cell(old);
    const float *from = rv_terrain_field(old, name);
    float *values = malloc((size_t)width * (size_t)height * sizeof *values);
    rv_status status = values && from ? RV_OK : RV_ERROR_MEMORY;
    for (int y = 0; status == RV_OK && y < height; y++)
        for (int x = 0; x < width; x++)
            values[(size_t)y * (size_t)width + (size_t)x] =
                value_at(from, rv_terrain_width(old), rv_terrain_height(old), x * ratio, y * ratio);
    if (status == RV_OK)
        status = rv_terrain_field_set(land, name, values);
    free(values);
    return status;
}

/* After a step that sets the size: a piece has the size that the plan says, up to its own. */
static rv_status resize_piece(trial *t, int which, const rv_plan *plan, bool keep) {
    int most = PIECE >> which;
    rv_terrain_desc desc = {least(plan->width, most), least(plan->height, most), plan->cell};
    rv_terrain *old = t->pieces[which], *land;
    rv_status status = rv_terrain_create(t->ctx, &desc, &land);
    if (status == RV_OK && keep && old) {
        status = move_field(old, land, "height");
        for (int i = 0; i < rv_terrain_field_count(old) && status == RV_OK; i++)
            move_field(old, land, rv_terrain_field_name(old, i)); /* one may be a layer */
    }
    rv_terrain_destroy(old);
    t->pieces[which] = land;
    return status;
}

/* Land of a file: hills as high as a tenth of the piece is wide. */
static rv_status make_hills(const trial *t, int which) {
    rv_noise_params hills = rv_noise_params_default();
    rv_terrain *land = t->pieces[which];
    hills.relief = 0.1f * rv_terrain_cell(land) * (float)rv_terrain_width(land);
    return rv_step_run(land, RV_STEP_noise, &hills, NULL);
}

/* ---- steps ---- */

/* How many pieces the map has. */
static double ratio_of(const rv_terrain *piece, const rv_plan *plan) {
    double cells = (double)rv_terrain_width(piece) * rv_terrain_height(piece);
    return (double)plan->width * plan->height / cells;
}

/* What is said for the whole map is said for the piece: numbers of drops. And nothing is written.
 */
static void fit_params(const rv_word_info *word, void *params, double ratio) {
    for (int i = 0; i < word->param_count; i++) {
        const rv_param_info *param = &word->params[i];
        if (strcmp(param->name, "drops") == 0 && !rv_param_is_auto(param, params))
            rv_param_set_number(param, params, ceil(rv_param_number(param, params) / ratio));
        if (param->writes && !param->required)
            rv_param_set_text(param, params, "");
    }
}

/* Seconds for a piece; below 0: the step cannot be tried on it. */
static double try_piece(trial *t, int which, rv_step_id id, const void *params,
                        const rv_plan *plan) {
    const rv_word_info *word = &rv_step_get(id)->word;
    rv_terrain *land = t->pieces[which];
    void *mine = malloc(word->params_size);
    if (!mine)
        return -1.0;
    memcpy(mine, params, word->params_size);
    fit_params(word, mine, ratio_of(land, plan));
    t->done = 0.0;
    t->begun = cpu_now();
    rv_status status = rv_step_run(land, id, mine, NULL);
    double spent = cpu_now() - t->begun;
    free(mine);
    if (status == RV_CANCELLED && t->done > 0.0)
        return spent / t->done;
    return status == RV_OK || status == RV_ERROR_UNMET ? spent : -1.0;
}

/* Seconds for a map of `ratio` pieces, when four times as many cells take `growth` times as long.
 */
static double grow(double seconds, double ratio, double growth) {
    for (; ratio >= 4.0; ratio /= 4.0)
        seconds *= growth;
    return seconds * (1.0 + (growth - 1.0) * (ratio - 1.0) / 3.0);
}

/* Seconds for the whole map. */
static double try_step(trial *t, rv_step_id id, const void *params, const rv_plan *plan) {
    double large = try_piece(t, 0, id, params, plan), small = try_piece(t, 1, id, params, plan);
    double ratio = ratio_of(t->pieces[0], plan), growth = 4.0;
    bool told = ratio_of(t->pieces[1], plan) > 3.0 * ratio && small * 1000.0 > SHORT_MS;
    if (large < 0.0 || small < 0.0)
        return -1.0;
    if (told) /* what is beside these bounds is chance */
        growth = fmin(fmax(large / small, 3.25), 9.0);
    return grow(large, ratio, growth);
}

static double number_of(rv_step_id id, const void *params, const char *key) {
    const rv_word_info *word = &rv_step_get(id)->word;
    for (int i = 0; i < word->param_count; i++)
        if (strcmp(word->params[i].name, key) == 0)
            return rv_param_number(&word->params[i], params);
    return 0.0;
}

/* From the table. */
static double look_up(const trial *t, rv_step_id id, const void *params, const rv_plan *plan) {
    double cells = (double)plan->width * plan->height;
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        if (written[i].step != id)
            continue;
        double pixels = written[i].pixel > 0.0
                            ? number_of(id, params, "width") * number_of(id, params, "height")
                            : 0.0;
        return (cells * written[i].cell + pixels * written[i].pixel) * 1e-9 * t->speed;
    }
    return -1.0;
}

static double cost_of(trial *t, rv_step_id id, const void *params, const rv_plan *plan) {
    const rv_step_info *step = rv_step_get(id);
    bool makes = step->kind == RV_KIND_MAKE, resizes = step->flags & RV_STEP_FLAG_RESIZES;
    double known = look_up(t, id, params, plan);
    if (resizes) {
        for (int i = 0; i < 2; i++)
            if (resize_piece(t, i, plan, !makes) != RV_OK ||
                (id == RV_STEP_open && make_hills(t, i) != RV_OK))
                return -1.0;
        return known >= 0.0 ? known : (double)plan->width * plan->height * 20e-9 * t->speed;
    }
    if (known >= 0.0 || step->kind == RV_KIND_ORDER)
        return known > 0.0 ? known : 0.0;
    return try_step(t, id, params, plan);
}

/* How fast is this machine, beside the one of the table? The best of three. */
static bool measure_speed(trial *t) {
    const rv_plan plan = {.width = PIECE, .height = PIECE, .cell = 10.0f};
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        if (resize_piece(t, 0, &plan, false) != RV_OK || resize_piece(t, 1, &plan, false) != RV_OK)
            return false;
        double begun = t->begun = cpu_now();
        if (rv_step_run(t->pieces[0], RV_STEP_noise, NULL, NULL) != RV_OK)
            return false;
        best = fmin(best, cpu_now() - begun);
    }
    t->speed = best / REFERENCE;
    return true;
}

static int64_t times_of(const rv_recipe *recipe, int index) {
    const rv_repeat_params *repeat = rv_recipe_params(recipe, index);
    return repeat->times;
}

double cli_estimate(const rv_recipe *recipe, const rv_plan *plans, int threads, double *seconds) {
    enum { DEPTH = 64 };
    trial t = {.speed = 1.0};
    rv_context_desc desc = rv_context_desc_default();
    double turns[DEPTH] = {1.0}, sum = 0.0;
    int depth = 0;
    bool all = true;
    desc.threads = 1;
    desc.progress = on_progress;
    desc.user = &t;
    if (rv_context_create(&desc, &t.ctx) != RV_OK)
        return NAN;
    rv_context_progress_land(t.ctx, false);
    all = measure_speed(&t);
    for (int i = 0; i < rv_recipe_count(recipe) && all; i++) {
        rv_step_id id = rv_recipe_step(recipe, i);
        if (id == RV_STEP_repeat && depth + 1 < DEPTH) {
            turns[depth + 1] = turns[depth] * (double)times_of(recipe, i);
            depth++;
        }
        depth -= id == RV_STEP_end && depth > 0;
        double cost = cost_of(&t, id, rv_recipe_params(recipe, i), &plans[i]);
        all = cost >= 0.0 && !cli_interrupt_caught();
        seconds[i] = cost * turns[depth] * (1.0 - SHARED + SHARED / threads);
        sum += seconds[i];
    }
    rv_terrain_destroy(t.pieces[0]);
    rv_terrain_destroy(t.pieces[1]);
    rv_context_destroy(t.ctx);
    return all ? sum : NAN;
}
