/* session_land.c: makes land for a page: runs lists of steps, keeps snapshots between them, shows
 * the land as it changes. studio/src/engine/land_engine.ts does the same in the browser. */
#include "land_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

rv_context *studio_land_context(studio_land *land) {
    return land->ctx;
}

static void tell_log(studio_session *session, const char *line) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return;
    fputs("\"kind\":\"log\",\"line\":", letter.json);
    cli_json_text(letter.json, line);
    studio_event(session, studio_letter_end(&letter));
}

void studio_log(void *user, const char *line) {
    tell_log(((studio_land *)user)->session, line);
}

studio_land *studio_land_open(studio_session *session, const studio_place *place,
                              const char *scratch) {
    studio_land *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    *l = (studio_land){.session = session,
                       .place = place,
                       .scratch = scratch,
                       .out = ".out",
                       .at = -1,
                       .device = -1};
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = place->options->threads;
    desc.memory_limit = place->options->memory;
    desc.log = studio_log;
    desc.progress = studio_progress;
    desc.user = l;
    if (rv_context_create(&desc, &l->ctx) == RV_OK) {
        if (place->options->device != RV_DEVICE_CPU) /* where it fails now, the processor runs */
            rv_context_use_device(l->ctx, place->options->device);
        return l;
    }
    free(l);
    return NULL;
}

void studio_land_close(studio_land *l) {
    for (studio_kept *next; l->kept; l->kept = next) {
        next = l->kept->next;
        rv_snapshot_destroy(l->kept->snapshot);
        free(l->kept->key);
        free(l->kept);
    }
    rv_terrain_destroy(l->land);
    rv_terrain_destroy(l->viewer);
    rv_context_destroy(l->ctx);
    free(l->viewer_key);
    free(l->list);
    free(l->stamps);
    free(l);
}

/* ---- while it runs ---- */

static void tell_held(void *user) {
    const studio_land *l = user;
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return;
    fprintf(letter.json, "\"kind\":\"held\",\"run\":%.0f,\"place\":%d,", l->run, l->step);
    studio_put_real(letter.json, "done", l->done);
    studio_event(l->session, studio_letter_end(&letter));
}

bool studio_progress(void *user, const rv_progress *now) {
    studio_land *l = user;
    if (l->idle)
        return studio_gate_idle(l->session);
    if (!l->on) /* what is measured or saved, and the frame of a scene */
        return studio_gate_lets(l->session);
    l->done = now->done;
    if (now->land)
        studio_tell_slice(l, now->land, now->done);
    return studio_gate_pass(l->session, l->run, now->land != NULL, tell_held, l);
}

/* ---- the run ---- */

/* A copy of the parameters of a step, with the seeds of its turn. NULL: no memory. */
static void *params_of(const rv_recipe *recipe, const studio_turn *t) {
    const rv_word_info *word = &rv_step_get(rv_recipe_step(recipe, t->step))->word;
    void *params = malloc(word->params_size);
    if (!params)
        return NULL;
    memcpy(params, rv_recipe_params(recipe, t->step), word->params_size);
    for (int i = 0; i < word->param_count; i++)
        if (word->params[i].type == RV_PARAM_SEED)
            rv_param_set_seed(&word->params[i], params,
                              rv_seed_of_turn(rv_param_seed(&word->params[i], params), t->turn));
    return params;
}

/* The land of the last place before `place` that is kept, or none. */
static void go_back(studio_land *l, int place) {
    l->at = -1;
    for (int i = place; i >= 0 && l->at < 0; i--) {
        char *key = studio_land_key(l, i);
        const studio_kept *k = key ? studio_kept_find(l, key) : NULL;
        free(key);
        if (k && rv_terrain_restore(l->land, k->snapshot) == RV_OK)
            l->at = i;
    }
}

static void stop(studio_land *l, int place, bool in_step) {
    bool keeps = studio_gate_ending(l->session, l->run) == STUDIO_KEEP;
    if (in_step && keeps) {
        l->at = place + 1;
        l->stopped = true;
    } else if (in_step) {
        go_back(l, place);
    }
    studio_tell_ended(l, keeps ? "kept" : "cancelled", RV_CANCELLED, "");
}

/* One turn. False: the run is over, and the page knows. */
static bool run_turn(studio_land *l, const rv_recipe *recipe, const studio_turn *t, bool last) {
    int64_t began = cli_now_ms();
    rv_report report = {.step = rv_recipe_step(recipe, t->step)};
    void *params = params_of(recipe, t);
    l->step = t->step;
    l->done = 0.0;
    studio_land_take_device(l);
    studio_tell_step(l, t);
    l->on = true;
    rv_status status = RV_ERROR_MEMORY;
    if (params)
        status = rv_step_run(l->land, rv_recipe_step(recipe, t->step), params, &report);
    l->on = false;
    free(params);
    if (status == RV_CANCELLED) {
        stop(l, t->place, true);
        return false;
    }
    if (status != RV_OK && status != RV_ERROR_UNMET) { /* it may have taken fields away */
        l->at = -1;
        studio_tell_ended(l, "failed", status, rv_context_error(l->ctx));
        return false;
    }
    l->at = t->whole ? t->place + 1 : -1;
    if (t->whole && !l->stopped)
        studio_kept_add(l, l->land, studio_land_key(l, t->place + 1),
                        (double)(cli_now_ms() - began));
    studio_tell_done(l, t, &report, began);
    studio_tell_slice(l, l->land, 1.0);
    if (t->whole && !l->stopped)
        studio_land_rescue(l, cli_now_ms() - began);
    if (status == RV_ERROR_UNMET) { /* what was measured is told all the same */
        studio_tell_ended(l, "failed", status, rv_context_error(l->ctx));
        return false;
    }
    if (!last && studio_gate_ending(l->session, l->run) != STUDIO_RESUME) {
        stop(l, t->place, false);
        return false;
    }
    return true;
}

static void run_from(studio_land *l, const rv_recipe *recipe, const studio_order *o, size_t first) {
    char *out = studio_path(l->scratch, l->out);
    if (out)
        studio_scratch_sub(out);
    free(out);
    free(l->viewer_key);
    l->viewer_key = NULL;
    studio_tell_started(l);
    for (size_t i = first; i < o->count; i++)
        if (!run_turn(l, recipe, &o->turns[i], i + 1 == o->count))
            return;
    l->at = l->steps;
    studio_tell_ended(l, "finished", RV_OK, "");
}

/* The list, checked: its recipe and its order. */
static rv_status prepare(studio_land *l, const char *list, rv_recipe **recipe, studio_order *o,
                         char why[CLI_TEXT]) {
    rv_status status = studio_list_read(l, list, false, recipe, why);
    if (status != RV_OK)
        return status;
    rv_plan *plans = calloc((size_t)rv_recipe_count(*recipe) + 1, sizeof *plans);
    status = plans ? rv_recipe_plan(*recipe, plans) : RV_ERROR_MEMORY;
    free(plans);
    snprintf(why, CLI_TEXT, "%s", rv_context_error(l->ctx));
    if (status != RV_OK)
        return status;
    status = studio_list_order(*recipe, o);
    if (status == RV_ERROR_USAGE)
        snprintf(why, CLI_TEXT,
                 "So many turns of a repeat are for the command line, not for the page.");
    return status;
}

/* The turn after the last one whose land is kept, and that land; 0 and NULL: there is none. */
static size_t find_kept(studio_land *l, const char *list, const char *stamps, const studio_order *o,
                        const studio_kept **kept) {
    *kept = NULL;
    size_t turn = o->count;
    for (; turn > 0 && !*kept; turn--) {
        const studio_turn *before = &o->turns[turn - 1];
        char *key = before->whole ? studio_list_key(list, stamps, before->place + 1) : NULL;
        *kept = key ? studio_kept_find(l, key) : NULL;
        free(key);
    }
    return *kept ? turn + 1 : 0;
}

/* Puts the land of the last place that is still there; gives the turn to go on with. */
static rv_status start_land(studio_land *l, const studio_order *o, size_t *first) {
    const studio_kept *kept;
    *first = find_kept(l, l->list, l->stamps, o, &kept);
    if (!kept) {
        rv_terrain_destroy(l->land);
        l->land = NULL;
    }
    rv_status status = l->land ? RV_OK : studio_land_flat(l, &l->land);
    if (kept && status == RV_OK)
        status = rv_terrain_restore(l->land, kept->snapshot);
    l->at = status != RV_OK ? -1 : kept ? o->turns[*first - 1].place + 1 : 0;
    return status;
}

static void begin(studio_land *l, const studio_request *request) {
    l->run = request->run;
    l->live = &request->live;
    l->began_ms = cli_now_ms();
    studio_gate_begin(l->session, request->run, request->live.slices);
}

void studio_land_run(studio_land *l, const studio_request *request) {
    char why[CLI_TEXT] = "A run needs a list of steps, each a text.";
    int steps = 0;
    char *list = studio_list_join(studio_json_get(request->json, "steps"), &steps);
    rv_recipe *recipe = NULL;
    studio_order o = {.count = 0};
    size_t first = 0;
    begin(l, request);
    rv_status status = list ? prepare(l, list, &recipe, &o, why) : RV_ERROR_USAGE;
    char *stamps = status == RV_OK ? studio_list_stamps(recipe) : NULL;
    if (status == RV_OK && !stamps)
        status = RV_ERROR_MEMORY;
    if (status == RV_OK) {
        free(l->list);
        free(l->stamps);
        l->list = list;
        l->stamps = stamps;
        l->steps = steps;
        l->stopped = false;
        list = NULL;
        status = start_land(l, &o, &first);
        snprintf(why, CLI_TEXT, "%s", rv_context_error(l->ctx));
    }
    if (status == RV_OK)
        run_from(l, recipe, &o, first);
    else
        studio_tell_ended(l, "failed", status, why);
    rv_recipe_destroy(recipe);
    free(o.turns);
    free(list);
}

/* Goes on with the steps after the one that was stopped and kept. */
void studio_land_continue(studio_land *l, const studio_request *request) {
    char why[CLI_TEXT] = "There is no land to go on with.";
    rv_recipe *recipe = NULL;
    studio_order o = {.count = 0};
    begin(l, request);
    rv_status status =
        l->land && l->list && l->at >= 0 ? prepare(l, l->list, &recipe, &o, why) : RV_ERROR_USAGE;
    size_t first = 0;
    while (status == RV_OK && first < o.count && o.turns[first].step < l->at)
        first++;
    if (status == RV_OK)
        run_from(l, recipe, &o, first);
    else
        studio_tell_ended(l, "failed", status, why);
    rv_recipe_destroy(recipe);
    free(o.turns);
}

/* ---- in idle time ---- */

/* Makes the lands of the turns from `first` on, until something else is asked, or until they would
 * take the place of others. What is wrong with a step is told by a run; false: something is. */
static bool run_idle(studio_land *l, rv_terrain *land, const char *list, const char *stamps,
                     const rv_recipe *recipe, const studio_order *o, size_t first) {
    int64_t began = cli_now_ms();
    for (size_t i = first; i < o->count; i++) {
        const studio_turn *t = &o->turns[i];
        void *params = params_of(recipe, t);
        rv_status status = RV_ERROR_MEMORY;
        if (params)
            status = rv_step_run(land, rv_recipe_step(recipe, t->step), params, NULL);
        free(params);
        if (status != RV_OK || !studio_kept_room(l, land))
            return status == RV_OK || status == RV_CANCELLED;
        if (t->whole) {
            studio_kept_add(l, land, studio_list_key(list, stamps, t->place + 1),
                            (double)(cli_now_ms() - began));
            began = cli_now_ms();
        }
        if (!studio_gate_idle(l->session))
            return true;
    }
    return true;
}

/* land: what has been made, if all of it has. */
static studio_packet *tell_prepared(studio_land *l, const studio_request *request, const char *list,
                                    const char *stamps, int steps, const studio_order *o, bool well,
                                    const rv_terrain *land) {
    studio_letter letter;
    bool whole = well;
    double *ms = calloc((size_t)steps + 1, sizeof *ms);
    if (!ms || !studio_letter_begin(&letter)) {
        free(ms);
        return NULL;
    }
    for (size_t i = 0; i < o->count; i++) {
        char *key = o->turns[i].whole ? studio_list_key(list, stamps, o->turns[i].place + 1) : NULL;
        const studio_kept *k = key ? studio_kept_find(l, key) : NULL;
        if (o->turns[i].whole && o->turns[i].place < steps) /* a text may be several steps */
            ms[o->turns[i].place] = k ? k->ms : -1.0;
        whole = whole && (k || !o->turns[i].whole);
        free(key);
    }
    fprintf(letter.json, "\"id\":%.0f,\"kind\":\"prepared\",\"ms\":[", request->id);
    for (int i = 0; i < steps; i++)
        fprintf(letter.json, ms[i] < 0.0 ? "%snull" : "%s%.0f", i ? "," : "", ms[i]);
    fprintf(letter.json, "],\"failed\":%s,", well ? "false" : "true");
    if (whole)
        fprintf(letter.json, "\"width\":%d,\"height\":%d,\"cell\":%.9g,", rv_terrain_width(land),
                rv_terrain_height(land), (double)rv_terrain_cell(land));
    studio_add_fields(&letter, land, whole ? studio_json_get(request->json, "fields") : NULL, 1);
    free(ms);
    return studio_letter_end(&letter);
}

studio_packet *studio_land_prepare(studio_land *l, const studio_request *request) {
    char why[CLI_TEXT] = "What is prepared is a list of steps, each a text.";
    int steps = 0;
    char *list = studio_list_join(studio_json_get(request->json, "steps"), &steps), *stamps = NULL;
    rv_recipe *recipe = NULL;
    rv_terrain *land = NULL;
    studio_order o = {.count = 0};
    const studio_kept *kept = NULL;
    rv_status status = list ? prepare(l, list, &recipe, &o, why) : RV_ERROR_USAGE;
    stamps = status == RV_OK ? studio_list_stamps(recipe) : NULL;
    if (status == RV_OK)
        status = stamps ? studio_land_flat(l, &land) : RV_ERROR_MEMORY;
    size_t first = status == RV_OK ? find_kept(l, list, stamps, &o, &kept) : 0;
    if (kept)
        status = rv_terrain_restore(land, kept->snapshot);
    l->idle = true;
    bool well = true;
    if (status == RV_OK)
        well = run_idle(l, land, list, stamps, recipe, &o, first);
    l->idle = false;
    studio_packet *reply = status == RV_OK
                               ? tell_prepared(l, request, list, stamps, steps, &o, well, land)
                               : studio_wrong(request->id, (int)status, why);
    rv_terrain_destroy(land);
    rv_recipe_destroy(recipe);
    free(o.turns);
    free(stamps);
    free(list);
    return reply;
}
