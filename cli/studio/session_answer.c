/* session_answer.c: what the page asks of a land between runs. */
#include "land_state.h"

#include <stdlib.h>
#include <string.h>

/* -1: none that can be. */
static int place_of(const studio_request *request) {
    double place = studio_json_number(request->json, "place", -1.0);
    return place >= 0.0 && place <= 1e6 ? (int)place : -1;
}

static studio_packet *look(studio_land *l, const studio_request *request) {
    const char *why;
    const rv_terrain *land = studio_land_at(l, place_of(request), &why);
    studio_letter letter;
    if (!land)
        return studio_wrong(request->id, RV_ERROR_USAGE, why);
    if (!studio_letter_begin(&letter))
        return NULL;
    fprintf(letter.json, "\"id\":%.0f,\"kind\":\"fields\",", request->id);
    studio_put_land(letter.json, land);
    fputc(',', letter.json);
    studio_add_fields(&letter, land, studio_json_get(request->json, "fields"), 1);
    return studio_letter_end(&letter);
}

static studio_packet *measure(studio_land *l, const studio_request *request) {
    const char *why;
    rv_terrain *land = (rv_terrain *)studio_land_at(l, place_of(request), &why);
    studio_letter letter;
    if (!land)
        return studio_wrong(request->id, RV_ERROR_USAGE, why);
    rv_status status = rv_step_run(land, RV_STEP_measure, NULL, NULL);
    if (status != RV_OK)
        return studio_wrong(request->id, (int)status, rv_context_error(l->ctx));
    if (!studio_letter_begin(&letter))
        return NULL;
    fprintf(letter.json, "\"id\":%.0f,\"kind\":\"figures\",", request->id);
    studio_put_figures(letter.json, land);
    return studio_letter_end(&letter);
}

static studio_packet *files_reply(double id, const studio_folder *made, bool with_bytes) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return NULL;
    fprintf(letter.json, "\"id\":%.0f,\"kind\":\"files\",\"files\":[", id);
    for (size_t i = 0; i < made->count; i++) {
        void *room = with_bytes ? studio_letter_add(&letter, made->files[i].size) : NULL;
        if (with_bytes && !room)
            break;
        if (room)
            memcpy(room, made->files[i].bytes, made->files[i].size);
        fputs(i ? "," : "", letter.json);
        cli_json_text(letter.json, made->files[i].name);
    }
    fputc(']', letter.json);
    return studio_letter_end(&letter);
}

/* The file of a step that writes one, besides its sidecar; NULL: it writes others, too, or none. */
static const char *only_file(const rv_recipe *recipe) {
    switch (rv_recipe_step(recipe, 0)) {
    case RV_STEP_save:
        return ((const rv_save_params *)rv_recipe_params(recipe, 0))->file;
    case RV_STEP_hillshade:
        return ((const rv_hillshade_params *)rv_recipe_params(recipe, 0))->file;
    case RV_STEP_paint:
        return ((const rv_paint_params *)rv_recipe_params(recipe, 0))->file;
    case RV_STEP_render:
        return ((const rv_render_params *)rv_recipe_params(recipe, 0))->file;
    default:
        return NULL;
    }
}

/* May the step write to the user's folder? Not through a link, which its file is not: that was
 * looked at when the step was read. *there gets a file that it would replace, to free(), or NULL.
 */
static rv_status check_store(const rv_recipe *recipe, char **there, char why[CLI_TEXT]) {
    const char *file = only_file(recipe);
    *there = NULL;
    if (!file) {
        snprintf(why, CLI_TEXT, "%s cannot be stored here: save, hillshade, paint and render can.",
                 rv_step_get(rv_recipe_step(recipe, 0))->word.name);
        return RV_ERROR_USAGE;
    }
    size_t room = strlen(file) + sizeof ".ravine.json";
    char *sidecar = malloc(room);
    rv_status status = sidecar ? RV_OK : RV_ERROR_MEMORY;
    snprintf(why, CLI_TEXT, "There is not enough memory.");
    if (sidecar)
        snprintf(sidecar, room, "%s.ravine.json", file);
    if (sidecar && studio_is_link(sidecar)) {
        snprintf(why, CLI_TEXT, "%.400s is a link and was not followed.", sidecar);
        status = RV_ERROR_OUTPUT;
    } else if (sidecar && (cli_file_exists(file) || cli_file_exists(sidecar))) {
        *there = studio_path("", cli_file_exists(file) ? file : sidecar);
        status = *there ? RV_OK : RV_ERROR_MEMORY;
    }
    free(sidecar);
    return status;
}

static studio_packet *exists_reply(double id, const char *path) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return NULL;
    fprintf(letter.json, "\"id\":%.0f,\"kind\":\"exists\",\"file\":", id);
    cli_json_text(letter.json, path);
    return studio_letter_end(&letter);
}

/* The one step that writes files of a request. */
static rv_status read_writer(studio_land *l, const studio_request *request, bool stores,
                             rv_recipe **recipe, char why[CLI_TEXT]) {
    rv_status status =
        studio_list_read(l, studio_json_text(request->json, "step"), stores, recipe, why);
    if (status == RV_OK && (rv_recipe_count(*recipe) != 1 ||
                            rv_step_get(rv_recipe_step(*recipe, 0))->kind != RV_KIND_SHOW)) {
        snprintf(why, CLI_TEXT,
                 "One step that writes files is saved, not another and not several.");
        status = RV_ERROR_USAGE;
    }
    return status;
}

static rv_status run_writer(studio_land *l, rv_terrain *land, const rv_recipe *recipe,
                            char why[CLI_TEXT]) {
    rv_status status =
        rv_step_run(land, rv_recipe_step(recipe, 0), rv_recipe_params(recipe, 0), NULL);
    snprintf(why, CLI_TEXT, "%s", rv_context_error(l->ctx));
    return status;
}

/* Runs one step that writes files, for the page to take. */
static studio_packet *save(studio_land *l, const studio_request *request) {
    const char *why;
    rv_terrain *land = (rv_terrain *)studio_land_at(l, place_of(request), &why);
    if (!land)
        return studio_wrong(request->id, RV_ERROR_USAGE, why);
    char sentence[CLI_TEXT], *out = studio_path(l->scratch, l->out);
    rv_recipe *recipe = NULL;
    rv_status status = read_writer(l, request, false, &recipe, sentence);
    if (status == RV_OK && (!out || !studio_scratch_sub(out))) {
        snprintf(sentence, sizeof sentence, "The folder %.200s cannot be made.", out ? out : "");
        status = RV_ERROR_OUTPUT;
    }
    if (status == RV_OK)
        status = run_writer(l, land, recipe, sentence);
    rv_recipe_destroy(recipe);
    studio_folder made = {.count = 0};
    studio_packet *reply;
    if (status != RV_OK)
        reply = studio_wrong(request->id, (int)status, sentence);
    else if (!studio_folder_read(out, &made))
        reply = studio_wrong(request->id, RV_ERROR_MEMORY, "The files could not be read again.");
    else
        reply = files_reply(request->id, &made, true);
    studio_folder_free(&made);
    if (out)
        studio_scratch_sub(out);
    free(out);
    return reply;
}

/* Runs one step that writes a file to the user's folder. One that is there is replaced only if the
 * page says so. */
static studio_packet *store(studio_land *l, const studio_request *request) {
    const char *why;
    rv_terrain *land = (rv_terrain *)studio_land_at(l, place_of(request), &why);
    if (!land)
        return studio_wrong(request->id, RV_ERROR_USAGE, why);
    char sentence[CLI_TEXT], *there = NULL;
    rv_recipe *recipe = NULL;
    const studio_json *replace = studio_json_get(request->json, "replace");
    rv_status status = read_writer(l, request, true, &recipe, sentence);
    if (status == RV_OK)
        status = check_store(recipe, &there, sentence);
    bool asks = there && !(replace && replace->kind == STUDIO_TRUE);
    if (status == RV_OK && !asks)
        status = run_writer(l, land, recipe, sentence);
    studio_packet *reply;
    if (status != RV_OK) {
        reply = studio_wrong(request->id, (int)status, sentence);
    } else if (asks) {
        reply = exists_reply(request->id, there);
    } else {
        studio_file file = {.name = (char *)only_file(recipe)};
        reply = files_reply(request->id, &(studio_folder){.files = &file, .count = 1}, false);
    }
    free(there);
    rv_recipe_destroy(recipe);
    return reply;
}

static studio_packet *read_recipe(studio_land *l, const studio_request *request) {
    rv_recipe *recipe = NULL;
    studio_letter letter;
    rv_status status =
        rv_recipe_parse(l->ctx, studio_json_text(request->json, "text"), "recipe", &recipe);
    if (status != RV_OK)
        return studio_wrong(request->id, (int)status, rv_context_error(l->ctx));
    int size = rv_recipe_print(recipe, NULL, 0);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (text)
        rv_recipe_print(recipe, text, (size_t)size + 1);
    rv_recipe_destroy(recipe);
    if (!text || !studio_letter_begin(&letter)) {
        free(text);
        return studio_wrong(request->id, RV_ERROR_USAGE, "The recipe cannot be printed.");
    }
    fprintf(letter.json, "\"id\":%.0f,\"kind\":\"recipe\",\"text\":", request->id);
    cli_json_text(letter.json, text);
    fputs(",\"steps\":[", letter.json);
    /* A line that begins with a blank goes on with the step before it. */
    bool any = false;
    for (char *line = text; line && *line;) {
        char *end = strchr(line, '\n');
        while (end && (end[1] == ' ' || end[1] == '\t')) {
            size_t blanks = strspn(end + 1, " \t");
            *end = ' ';
            memmove(end + 1, end + 1 + blanks, strlen(end + 1 + blanks) + 1);
            end = strchr(end, '\n');
        }
        if (end)
            *end = '\0';
        if (*line) {
            fputs(any ? "," : "", letter.json);
            cli_json_text(letter.json, line);
            any = true;
        }
        line = end ? end + 1 : NULL;
    }
    fputc(']', letter.json);
    free(text);
    return studio_letter_end(&letter);
}

studio_packet *studio_land_answer(studio_land *l, const studio_request *request) {
    if (strcmp(request->kind, "look") == 0)
        return look(l, request);
    if (strcmp(request->kind, "measure") == 0)
        return measure(l, request);
    if (strcmp(request->kind, "save") == 0)
        return save(l, request);
    if (strcmp(request->kind, "store") == 0)
        return store(l, request);
    if (strcmp(request->kind, "read") == 0)
        return read_recipe(l, request);
    if (strcmp(request->kind, "revive") == 0)
        return studio_land_revive(l, request);
    char sentence[CLI_TEXT];
    snprintf(sentence, sizeof sentence, "There is no request \"%.60s\".", request->kind);
    return studio_wrong(request->id, RV_ERROR_USAGE, sentence);
}

/* ---- while a run goes on ---- */

static bool desk_progress(void *session, const rv_progress *now) {
    (void)now;
    return studio_gate_meanwhile(session);
}

/* A context beside that of the run, for as long as it takes to answer: the run stands still, so
 * that what the desk may have is what the run leaves of the memory. */
static rv_status open_desk(const studio_land *l, rv_context **desk) {
    rv_context_desc desc = rv_context_desc_default();
    size_t used = rv_context_memory_used(l->ctx), limit = rv_context_memory_limit(l->ctx);
    desc.threads = l->place->options->threads;
    desc.memory_limit = used < limit ? limit - used : 1;
    desc.progress = desk_progress;
    desc.user = l->session;
    return rv_context_create(&desc, desk);
}

studio_packet *studio_land_meanwhile(studio_land *l, const studio_request *request) {
    studio_land desk = *l; /* all that it knows, without the land that runs and its context */
    rv_status status = open_desk(l, &desk.ctx);
    if (status != RV_OK)
        return studio_wrong(request->id, (int)status, rv_status_text(status));
    desk.land = NULL;
    desk.viewer = NULL;
    desk.viewer_key = NULL;
    desk.out = ".meanwhile";
    studio_packet *reply = studio_land_answer(&desk, request);
    l->kept = desk.kept;
    rv_terrain_destroy(desk.viewer);
    free(desk.viewer_key);
    rv_context_destroy(desk.ctx);
    return reply;
}

int studio_land_device(const studio_land *l) {
    return l->device >= 0 ? l->device : rv_context_device(l->ctx);
}

rv_status studio_land_want_device(studio_land *l, int device, char why[CLI_TEXT]) {
    rv_context *desk;
    rv_status status = open_desk(l, &desk);
    snprintf(why, CLI_TEXT, "%s", rv_status_text(status));
    if (status != RV_OK)
        return status;
    status = rv_context_use_device(desk, device); /* can it be? */
    snprintf(why, CLI_TEXT, "%s", rv_context_error(desk));
    rv_context_destroy(desk);
    if (status == RV_OK)
        l->device = device;
    return status;
}

void studio_land_take_device(studio_land *l) {
    if (l->device >= 0 && rv_context_use_device(l->ctx, l->device) != RV_OK)
        studio_log(l, rv_context_error(l->ctx));
    l->device = -1;
}
