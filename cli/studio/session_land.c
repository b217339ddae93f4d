/* session_land.c: makes land for a page: runs lists of steps, keeps snapshots between them, shows
 * the land as it changes. studio/src/engine/land_engine.ts does the same in the browser. */
#include "studio.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One run of a step: which of the list, in which turn of its repeats. */
typedef struct turn {
    int step;  /* that runs */
    int place; /* after which its land is that of the list, where it is whole */
    int64_t turn, turns;
    bool whole; /* no repeat is open after it */
} turn;

typedef struct order {
    turn *turns;
    size_t count, room;
} order;

enum { TURNS = 100000 };

typedef struct kept {
    struct kept *next; /* the one used before it */
    char *key;
    rv_snapshot *snapshot;
    size_t bytes;
} kept;

struct studio_land {
    studio_session *session;
    const studio_place *place;
    const char *scratch;
    rv_context *ctx;
    rv_terrain *land, *viewer;
    char *list; /* the steps of the last run, a line each */
    int steps;
    int files;    /* how many were put: a file may be another under the same name */
    int at;       /* the place that `land` is the land of; -1: none */
    bool stopped; /* in a step, and kept: what follows is not what the list makes */
    char *viewer_key;
    kept *kept; /* last used first */
    /* of the run */
    double run;
    int step;
    bool on;
    const studio_live *live;
    double done;
    int64_t began_ms;
};

void studio_land_put(studio_land *l) {
    l->files++;
}

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
    *l = (studio_land){.session = session, .place = place, .scratch = scratch, .at = -1};
    rv_context_desc desc = rv_context_desc_default();
    desc.threads = place->options->threads;
    desc.memory_limit = place->options->memory;
    desc.log = studio_log;
    desc.progress = studio_progress;
    desc.user = l;
    if (rv_context_create(&desc, &l->ctx) == RV_OK)
        return l;
    free(l);
    return NULL;
}

void studio_land_close(studio_land *l) {
    for (kept *next; l->kept; l->kept = next) {
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
    free(l);
}

/* ---- lists of steps ---- */

/* The first `count` of them, a line each; NULL: no memory. */
static char *first_lines(const studio_land *l, int count) {
    const char *end = l->list;
    for (int i = 0; i < count && *end; i++)
        end += strcspn(end, "\n") + 1;
    size_t size = (size_t)(end - l->list);
    char *key = malloc(size + 32);
    if (key)
        snprintf(key, size + 32, "%d\n%.*s", l->files, (int)size, l->list);
    return key;
}

/* A line for each step of the list; NULL: no memory, or no list of texts. */
static char *join(const studio_json *steps, int *count) {
    char *text = NULL;
    size_t size = 0;
    bool good = steps && steps->kind == STUDIO_LIST;
    for (const studio_json *s = good ? steps->first : NULL; s; s = s->next)
        good = good && s->kind == STUDIO_TEXT;
    FILE *out = good ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    *count = 0;
    for (const studio_json *s = steps->first; s; s = s->next, ++*count) {
        for (const char *c = s->text; *c; c++)
            fputc(*c == '\n' || *c == '\r' ? ' ' : *c, out);
        fputc('\n', out);
    }
    fclose(out);
    return text;
}

/* The path that stands for a file of a step: what the page has put, else below the folder that the
 * program was started in. Files of runs go to a folder of their own, and those that the page wants
 * stored to the user's. NULL: it may not be. */
static char *file_path(const studio_land *l, bool written, const char *name, bool stores) {
    const char *slash = strrchr(name, '/'), *plain = slash ? slash + 1 : name;
    if (written && stores)
        return studio_path_below(l->place->folder, name, true);
    if (written) {
        char *out = studio_path(l->scratch, ".out"),
             *path = out && *plain ? studio_path(out, plain) : NULL;
        free(out);
        return path;
    }
    char *path = *plain ? studio_path(l->scratch, plain) : NULL;
    if (path && !slash && studio_name_plain(plain) && cli_file_exists(path))
        return path;
    free(path);
    return studio_path_below(l->place->folder, name, false);
}

static rv_status print_param(const rv_param_info *param, const void *params, FILE *out) {
    char small[256], *text = small;
    int size = rv_param_print(param, params, small, sizeof small);
    if (size >= (int)sizeof small) {
        text = malloc((size_t)size + 1);
        if (!text)
            return RV_ERROR_MEMORY;
        rv_param_print(param, params, text, (size_t)size + 1);
    }
    fprintf(out, " %s=%s", param->name, text);
    if (text != small)
        free(text);
    return RV_OK;
}

/* One step as text again, with the paths that stand for its files. `why` gets a sentence. */
static rv_status print_step(const studio_land *l, const rv_recipe *recipe, int index, bool stores,
                            FILE *out, char why[CLI_TEXT]) {
    const rv_step_info *step = rv_step_get(rv_recipe_step(recipe, index));
    const void *params = rv_recipe_params(recipe, index);
    rv_status status = RV_OK;
    fputs(step->word.name, out);
    for (int i = 0; status == RV_OK && i < step->word.param_count; i++) {
        const rv_param_info *param = &step->word.params[i];
        const char *file = param->type == RV_PARAM_FILE ? rv_param_text(param, params) : NULL;
        if (!file || !*file) {
            if (param->type != RV_PARAM_FILE && param->type != RV_PARAM_TEXT)
                status = print_param(param, params, out);
            else if (param->type == RV_PARAM_TEXT && rv_param_text(param, params))
                status = print_param(param, params, out);
            continue;
        }
        char *path = file_path(l, param->writes, file, stores);
        void *copy = malloc(step->word.params_size);
        if (!path) {
            snprintf(why, CLI_TEXT, "%.200s: there is no such file in the folder %.200s.", file,
                     l->place->folder);
            status = RV_ERROR_INPUT;
        } else if (copy) {
            memcpy(copy, params, step->word.params_size);
            rv_param_set_text(param, copy, path);
            status = print_param(param, copy, out);
        } else {
            status = RV_ERROR_MEMORY;
        }
        free(copy);
        free(path);
    }
    fputc('\n', out);
    return status;
}

/* Reads steps, and again with the paths of their files. After a failure `why` has the sentence. */
static rv_status read_steps(studio_land *l, const char *text, bool stores, rv_recipe **out,
                            char why[CLI_TEXT]) {
    rv_recipe *words = NULL;
    *out = NULL;
    rv_status status = rv_recipe_parse(l->ctx, text, "recipe", &words);
    char *printed = NULL;
    size_t size = 0;
    snprintf(why, CLI_TEXT, "%s",
             status == RV_OK ? "There is not enough memory." : rv_context_error(l->ctx));
    FILE *file = status == RV_OK ? open_memstream(&printed, &size) : NULL;
    if (status == RV_OK && !file)
        status = RV_ERROR_MEMORY;
    for (int i = 0; status == RV_OK && i < rv_recipe_count(words); i++)
        status = print_step(l, words, i, stores, file, why);
    if (file)
        fclose(file);
    if (status == RV_OK) {
        status = rv_recipe_parse(l->ctx, printed, "recipe", out);
        snprintf(why, CLI_TEXT, "%s", rv_context_error(l->ctx));
    }
    free(printed);
    rv_recipe_destroy(words);
    return status;
}

/* ---- the order of a list with its repeats ---- */

static bool add_turn(order *o, turn t) {
    if (o->count == o->room) {
        size_t room = o->room ? 2 * o->room : 64;
        turn *larger = realloc(o->turns, room * sizeof *larger);
        if (!larger)
            return false;
        o->turns = larger;
        o->room = room;
    }
    o->turns[o->count++] = t;
    return true;
}

static int end_of(const rv_recipe *recipe, int repeat) {
    int open = 1, i = repeat + 1;
    for (; i < rv_recipe_count(recipe); i++) {
        open += rv_recipe_step(recipe, i) == RV_STEP_repeat;
        open -= rv_recipe_step(recipe, i) == RV_STEP_end;
        if (open == 0)
            break;
    }
    return i;
}

static rv_status walk(order *o, const rv_recipe *recipe, int from, int64_t now, int64_t turns,
                      int depth) {
    for (int i = from; i < rv_recipe_count(recipe) && rv_recipe_step(recipe, i) != RV_STEP_end;
         i++) {
        if (rv_recipe_step(recipe, i) != RV_STEP_repeat) {
            if (!add_turn(o, (turn){i, i, now, turns, depth == 0}))
                return RV_ERROR_MEMORY;
            continue;
        }
        int64_t times = ((const rv_repeat_params *)rv_recipe_params(recipe, i))->times;
        if (times > TURNS / turns)
            return RV_ERROR_USAGE;
        int end = end_of(recipe, i);
        size_t before = o->count;
        for (int64_t k = 0; k < times; k++) {
            rv_status status = walk(o, recipe, i + 1, now * times + k, turns * times, depth + 1);
            if (status != RV_OK)
                return status;
        }
        if (depth == 0 && o->count > before) { /* its land is that of the whole repeat */
            o->turns[o->count - 1].place = end;
            o->turns[o->count - 1].whole = true;
        }
        i = end;
    }
    return RV_OK;
}

/* ---- snapshots ---- */

/* That of a key, which is then the last used; NULL: none. */
static kept *used(studio_land *l, const char *key) {
    for (kept **at = &l->kept; *at; at = &(*at)->next) {
        kept *found = *at;
        if (strcmp(found->key, key) != 0)
            continue;
        *at = found->next;
        found->next = l->kept;
        l->kept = found;
        return found;
    }
    return NULL;
}

static size_t land_bytes(const rv_terrain *land) {
    size_t grids = (size_t)(rv_terrain_field_count(land) + rv_terrain_layer_count(land) + 1);
    return grids * sizeof(float) * (size_t)rv_terrain_width(land) * (size_t)rv_terrain_height(land);
}

/* Lets go those used longest ago, until the rest has no more than a quarter of the memory. */
static void let_go(studio_land *l, size_t more) {
    size_t held = more, limit = rv_context_memory_limit(l->ctx) / 4;
    for (kept **at = &l->kept; *at;) {
        kept *k = *at;
        held += k->bytes;
        if (held <= limit) {
            at = &k->next;
            continue;
        }
        held -= k->bytes;
        *at = k->next;
        rv_snapshot_destroy(k->snapshot);
        free(k->key);
        free(k);
    }
}

/* Without it the next run only starts further back. */
static void keep(studio_land *l, int place) {
    char *key = first_lines(l, place);
    if (!key || used(l, key)) {
        free(key);
        return;
    }
    kept *k = calloc(1, sizeof *k);
    let_go(l, land_bytes(l->land));
    if (!k || rv_terrain_snapshot(l->land, &k->snapshot) != RV_OK) {
        free(k);
        free(key);
        return;
    }
    *k = (kept){l->kept, key, k->snapshot, land_bytes(l->land)};
    l->kept = k;
}

static rv_status flat(studio_land *l, rv_terrain **out) {
    rv_terrain_desc desc = rv_terrain_desc_default();
    return rv_terrain_create(l->ctx, &desc, out);
}

/* The land of a place: the one that is there, or a copy made from a snapshot. NULL with a sentence.
 */
static const rv_terrain *land_at(studio_land *l, int place, const char **why) {
    *why = "There is no land yet: run the list first.";
    if (l->land && l->at == place)
        return l->land;
    if (!l->list || place < 0 || place > l->steps)
        return NULL;
    char *key = first_lines(l, place);
    *why = "There is not enough memory.";
    if (!key)
        return NULL;
    if (l->viewer && l->viewer_key && strcmp(l->viewer_key, key) == 0) {
        free(key);
        return l->viewer;
    }
    const kept *k = used(l, key);
    rv_status status = !l->viewer ? flat(l, &l->viewer) : RV_OK;
    free(l->viewer_key);
    l->viewer_key = NULL;
    if (k && status == RV_OK)
        status = rv_terrain_restore(l->viewer, k->snapshot);
    if (k && status == RV_OK) {
        l->viewer_key = key;
        return l->viewer;
    }
    *why =
        k ? rv_context_error(l->ctx) : "The land of that step is not kept any more: run it again.";
    free(key);
    return NULL;
}

/* ---- what a land is ---- */

static void put_real(FILE *out, const char *name, double value) {
    fprintf(out, "\"%s\":", name);
    cli_json_real(out, value);
}

static void put_ledger(FILE *out, const rv_ledger *ledger) {
    const char *const names[] = {"eroded",    "deposited", "left_map",
                                 "suspended", "raised",    "before"};
    const double values[] = {ledger->eroded,    ledger->deposited, ledger->left_map,
                             ledger->suspended, ledger->raised,    ledger->before};
    fputs("\"ledger\":", out);
    for (int i = 0; i < 6; i++) {
        fputc(i ? ',' : '{', out);
        put_real(out, names[i], values[i]);
    }
    fputc('}', out);
}

static void put_water(FILE *out, const rv_water *water) {
    const char *const names[] = {"before", "rained", "evaporated", "left_map", "standing"};
    const double values[] = {water->before, water->rained, water->evaporated, water->left_map,
                             water->standing};
    fputs("\"water\":", out);
    for (int i = 0; i < 5; i++) {
        fputc(i ? ',' : '{', out);
        put_real(out, names[i], values[i]);
    }
    fputc('}', out);
}

static void put_land(FILE *out, const rv_terrain *land) {
    if (!land) {
        fputs("\"land\":null", out);
        return;
    }
    fprintf(out, "\"land\":{\"width\":%d,\"height\":%d,\"cell\":", rv_terrain_width(land),
            rv_terrain_height(land));
    cli_json_float(out, rv_terrain_cell(land));
    fputs(",\"fields\":[\"height\"", out);
    for (int i = 0; i < rv_terrain_field_count(land); i++) {
        fputc(',', out);
        cli_json_text(out, rv_terrain_field_name(land, i));
    }
    fputs("],\"layers\":[", out);
    for (int i = 0; i < rv_terrain_layer_count(land); i++) {
        rv_layer_desc layer = rv_terrain_layer(land, i);
        fputs(i ? ",{\"name\":" : "{\"name\":", out);
        cli_json_text(out, layer.name);
        fputs(",\"erodibility\":", out);
        cli_json_float(out, layer.erodibility);
        fputs(",\"talus\":", out);
        cli_json_float(out, layer.talus);
        fprintf(out, ",\"colour\":%" PRIu32 "}", layer.colour);
    }
    fprintf(out, "],\"hash\":\"%016" PRIx64 "\",", rv_terrain_hash(land));
    put_real(out, "volume", rv_terrain_volume(land));
    fputc('}', out);
}

static void put_figures(FILE *out, const rv_terrain *land) {
    fputs("\"figures\":[", out);
    for (int i = 0; i < rv_terrain_figure_count(land); i++) {
        const rv_figure *figure = rv_terrain_figure(land, i);
        fputs(i ? ",{\"name\":" : "{\"name\":", out);
        cli_json_text(out, figure->name);
        fputs(",\"label\":", out);
        cli_json_text(out, figure->label);
        fputs(",\"unit\":", out);
        cli_json_text(out, figure->unit);
        fputc(',', out);
        put_real(out, "value", figure->value);
        fputc(',', out);
        put_real(out, "min", figure->min);
        fputc(',', out);
        put_real(out, "max", figure->max);
        fputc('}', out);
    }
    fputc(']', out);
}

/* "layer 1" is the thickness of that layer. NULL: there is no such field. */
static const float *field_of(const rv_terrain *land, const char *name) {
    if (strncmp(name, "layer ", 6) != 0)
        return rv_terrain_field(land, name);
    char *end;
    long layer = strtol(name + 6, &end, 10);
    bool there =
        *end == '\0' && end != name + 6 && layer >= 0 && layer < rv_terrain_layer_count(land);
    return there ? rv_terrain_layer_thickness(land, (int)layer) : NULL;
}

static int thinned(int cells, int every) {
    return (cells - 1) / every + 1;
}

/* A copy of a field, every so many cells; of one that is not there, nothing. */
static void add_field(studio_letter *letter, const rv_terrain *land, const char *name, int every) {
    const float *values = field_of(land, name);
    int width = rv_terrain_width(land), w = thinned(width, every),
        h = thinned(rv_terrain_height(land), every);
    float *out = studio_letter_add(letter, values ? sizeof(float) * (size_t)w * (size_t)h : 0);
    if (!out || !values)
        return;
    if (every == 1) {
        memcpy(out, values, sizeof(float) * (size_t)w * (size_t)h);
        return;
    }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            *out++ = values[(size_t)y * (size_t)every * (size_t)width + (size_t)x * (size_t)every];
}

static void add_fields(studio_letter *letter, const rv_terrain *land, const studio_json *fields,
                       int every) {
    const studio_json *field = fields && fields->kind == STUDIO_LIST ? fields->first : NULL;
    fputs("\"fields\":[", letter->json);
    for (int i = 0; field && i < 16; i++, field = field->next) {
        const char *name = field->kind == STUDIO_TEXT ? field->text : "";
        if (i)
            fputc(',', letter->json);
        cli_json_text(letter->json, name);
        add_field(letter, land, name, every);
    }
    fputc(']', letter->json);
}

/* ---- answers ---- */

/* -1: none that can be. */
static int place_of(const studio_request *request) {
    double place = studio_json_number(request->json, "place", -1.0);
    return place >= 0.0 && place <= 1e6 ? (int)place : -1;
}

static studio_packet *look(studio_land *l, const studio_request *request) {
    const char *why;
    const rv_terrain *land = land_at(l, place_of(request), &why);
    studio_letter letter;
    if (!land)
        return studio_wrong(request->id, RV_ERROR_USAGE, why);
    if (!studio_letter_begin(&letter))
        return NULL;
    fprintf(letter.json, "\"id\":%.0f,\"kind\":\"fields\",", request->id);
    put_land(letter.json, land);
    fputc(',', letter.json);
    add_fields(&letter, land, studio_json_get(request->json, "fields"), 1);
    return studio_letter_end(&letter);
}

static studio_packet *measure(studio_land *l, const studio_request *request) {
    const char *why;
    rv_terrain *land = (rv_terrain *)land_at(l, place_of(request), &why);
    studio_letter letter;
    if (!land)
        return studio_wrong(request->id, RV_ERROR_USAGE, why);
    rv_status status = rv_step_run(land, RV_STEP_measure, NULL, NULL);
    if (status != RV_OK)
        return studio_wrong(request->id, (int)status, rv_context_error(l->ctx));
    if (!studio_letter_begin(&letter))
        return NULL;
    fprintf(letter.json, "\"id\":%.0f,\"kind\":\"figures\",", request->id);
    put_figures(letter.json, land);
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

/* Runs one step that writes files: to the page, or to the user's folder. */
static studio_packet *save(studio_land *l, const studio_request *request, bool stores) {
    const char *why, *step = studio_json_text(request->json, "step");
    rv_terrain *land = (rv_terrain *)land_at(l, place_of(request), &why);
    if (!land)
        return studio_wrong(request->id, RV_ERROR_USAGE, why);
    char sentence[CLI_TEXT], *out = studio_path(l->scratch, ".out");
    rv_recipe *recipe = NULL;
    rv_status status = read_steps(l, step, stores, &recipe, sentence);
    if (status == RV_OK && (rv_recipe_count(recipe) != 1 ||
                            rv_step_get(rv_recipe_step(recipe, 0))->kind != RV_KIND_SHOW)) {
        snprintf(sentence, sizeof sentence,
                 "One step that writes files is saved, not another and not several.");
        status = RV_ERROR_USAGE;
    }
    if (status == RV_OK && (!out || !studio_scratch_sub(out))) {
        snprintf(sentence, sizeof sentence, "The folder %.200s cannot be made.", out ? out : "");
        status = RV_ERROR_OUTPUT;
    }
    if (status == RV_OK) {
        status = rv_step_run(land, rv_recipe_step(recipe, 0), rv_recipe_params(recipe, 0), NULL);
        snprintf(sentence, sizeof sentence, "%s", rv_context_error(l->ctx));
    }
    rv_recipe_destroy(recipe);
    studio_folder made = {.count = 0};
    studio_packet *reply;
    if (status != RV_OK)
        reply = studio_wrong(request->id, (int)status, sentence);
    else if (!stores && !studio_folder_read(out, &made))
        reply = studio_wrong(request->id, RV_ERROR_MEMORY, "The files could not be read again.");
    else
        reply = files_reply(request->id, &made, !stores);
    studio_folder_free(&made);
    if (out)
        studio_scratch_sub(out);
    free(out);
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
        return save(l, request, false);
    if (strcmp(request->kind, "store") == 0)
        return save(l, request, true);
    if (strcmp(request->kind, "read") == 0)
        return read_recipe(l, request);
    char sentence[CLI_TEXT];
    snprintf(sentence, sizeof sentence, "There is no request \"%.60s\".", request->kind);
    return studio_wrong(request->id, RV_ERROR_USAGE, sentence);
}

/* ---- while it runs ---- */

static void show(studio_land *l, const rv_terrain *land, double done) {
    studio_letter letter;
    int every = l->live->every;
    if (!studio_slice_wanted(l->session, l->live->rate) || !studio_letter_begin(&letter))
        return;
    fprintf(letter.json, "\"kind\":\"slice\",\"run\":%.0f,\"place\":%d,", l->run, l->step);
    put_real(letter.json, "done", done);
    fprintf(letter.json, ",\"width\":%d,\"height\":%d,", thinned(rv_terrain_width(land), every),
            thinned(rv_terrain_height(land), every));
    put_real(letter.json, "cell", (double)(rv_terrain_cell(land) * (float)every));
    fprintf(letter.json, ",\"every\":%d,", every);
    add_fields(&letter, land, l->live->fields, every);
    studio_packet *packet = studio_letter_end(&letter);
    if (packet)
        packet->slice = true;
    studio_event(l->session, packet);
}

static void tell_held(void *user) {
    const studio_land *l = user;
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return;
    fprintf(letter.json, "\"kind\":\"held\",\"run\":%.0f,\"place\":%d,", l->run, l->step);
    put_real(letter.json, "done", l->done);
    studio_event(l->session, studio_letter_end(&letter));
}

bool studio_progress(void *user, const rv_progress *now) {
    studio_land *l = user;
    if (!l->on) /* what is measured or saved, and the frame of a scene */
        return studio_gate_lets(l->session);
    l->done = now->done;
    if (now->land)
        show(l, now->land, now->done);
    return studio_gate_pass(l->session, l->run, now->land != NULL, tell_held, l);
}

static double passed_ms(const studio_land *l) {
    return (double)(cli_now_ms() - l->began_ms);
}

static void tell_started(studio_land *l) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return;
    fprintf(letter.json, "\"kind\":\"started\",\"run\":%.0f,\"place\":%d,\"places\":%d", l->run,
            l->at, l->steps);
    studio_event(l->session, studio_letter_end(&letter));
}

static void tell_ended(studio_land *l, const char *how, rv_status status, const char *sentence) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return;
    fprintf(letter.json, "\"kind\":\"ended\",\"run\":%.0f,\"how\":\"%s\",\"place\":%d,\"ms\":%.0f,",
            l->run, how, l->at, passed_ms(l));
    put_land(letter.json, l->land);
    fprintf(letter.json, ",\"status\":%d,\"sentence\":", (int)status);
    cli_json_text(letter.json, sentence);
    studio_event(l->session, studio_letter_end(&letter));
}

static void tell_step(studio_land *l, const turn *t) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return;
    fprintf(letter.json,
            "\"kind\":\"step\",\"run\":%.0f,\"place\":%d,\"turn\":%" PRId64 ",\"turns\":%" PRId64,
            l->run, t->step, t->turn, t->turns);
    studio_event(l->session, studio_letter_end(&letter));
}

static void tell_done(studio_land *l, const turn *t, const rv_report *report, int64_t began) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return;
    fprintf(letter.json,
            "\"kind\":\"done_step\",\"run\":%.0f,\"place\":%d,\"turn\":%" PRId64
            ",\"turns\":%" PRId64,
            l->run, t->step, t->turn, t->turns);
    fprintf(letter.json, ",\"ms\":%" PRId64 ",", cli_now_ms() - began);
    put_land(letter.json, l->land);
    fputc(',', letter.json);
    put_ledger(letter.json, &report->ledger);
    fputc(',', letter.json);
    put_water(letter.json, &report->water);
    fprintf(letter.json, ",\"drop_steps\":%" PRIu64 ",", report->drop_steps);
    put_figures(letter.json, l->land);
    studio_event(l->session, studio_letter_end(&letter));
}

/* ---- the run ---- */

/* A copy of the parameters of a step, with the seeds of its turn. NULL: no memory. */
static void *params_of(const rv_recipe *recipe, const turn *t) {
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
        char *key = first_lines(l, i);
        const kept *k = key ? used(l, key) : NULL;
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
    tell_ended(l, keeps ? "kept" : "cancelled", RV_CANCELLED, "");
}

/* One turn. False: the run is over, and the page knows. */
static bool run_turn(studio_land *l, const rv_recipe *recipe, const turn *t, bool last) {
    int64_t began = cli_now_ms();
    rv_report report = {.step = rv_recipe_step(recipe, t->step)};
    void *params = params_of(recipe, t);
    l->step = t->step;
    l->done = 0.0;
    tell_step(l, t);
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
        tell_ended(l, "failed", status, rv_context_error(l->ctx));
        return false;
    }
    l->at = t->whole ? t->place + 1 : -1;
    if (t->whole && !l->stopped)
        keep(l, t->place + 1);
    tell_done(l, t, &report, began);
    show(l, l->land, 1.0);
    if (status == RV_ERROR_UNMET) { /* what was measured is told all the same */
        tell_ended(l, "failed", status, rv_context_error(l->ctx));
        return false;
    }
    if (!last && studio_gate_ending(l->session, l->run) != STUDIO_RESUME) {
        stop(l, t->place, false);
        return false;
    }
    return true;
}

static void run_from(studio_land *l, const rv_recipe *recipe, const order *o, size_t first) {
    char *out = studio_path(l->scratch, ".out");
    if (out)
        studio_scratch_sub(out);
    free(out);
    free(l->viewer_key);
    l->viewer_key = NULL;
    tell_started(l);
    for (size_t i = first; i < o->count; i++)
        if (!run_turn(l, recipe, &o->turns[i], i + 1 == o->count))
            return;
    l->at = l->steps;
    tell_ended(l, "finished", RV_OK, "");
}

/* The list, checked: its recipe and its order. */
static rv_status prepare(studio_land *l, const char *list, rv_recipe **recipe, order *o,
                         char why[CLI_TEXT]) {
    rv_status status = read_steps(l, list, false, recipe, why);
    if (status != RV_OK)
        return status;
    rv_plan *plans = calloc((size_t)rv_recipe_count(*recipe) + 1, sizeof *plans);
    status = plans ? rv_recipe_plan(*recipe, plans) : RV_ERROR_MEMORY;
    free(plans);
    snprintf(why, CLI_TEXT, "%s", rv_context_error(l->ctx));
    if (status != RV_OK)
        return status;
    status = walk(o, *recipe, 0, 0, 1, 0);
    if (status == RV_ERROR_USAGE)
        snprintf(why, CLI_TEXT,
                 "So many turns of a repeat are for the command line, not for the page.");
    return status;
}

/* Puts the land of the last place that is still there; gives the turn to go on with. */
static rv_status start_land(studio_land *l, const order *o, size_t *first) {
    for (*first = o->count; *first > 0; --*first) {
        const turn *before = &o->turns[*first - 1];
        char *key = before->whole ? first_lines(l, before->place + 1) : NULL;
        const kept *k = key ? used(l, key) : NULL;
        free(key);
        rv_status status = k && !l->land ? flat(l, &l->land) : RV_OK;
        if (k && status == RV_OK)
            status = rv_terrain_restore(l->land, k->snapshot);
        if (status != RV_OK)
            return status;
        if (k) {
            l->at = before->place + 1;
            return RV_OK;
        }
    }
    rv_terrain_destroy(l->land);
    l->land = NULL;
    l->at = 0;
    return flat(l, &l->land);
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
    char *list = join(studio_json_get(request->json, "steps"), &steps);
    rv_recipe *recipe = NULL;
    order o = {.count = 0};
    size_t first = 0;
    begin(l, request);
    rv_status status = list ? prepare(l, list, &recipe, &o, why) : RV_ERROR_USAGE;
    if (status == RV_OK) {
        free(l->list);
        l->list = list;
        l->steps = steps;
        l->stopped = false;
        list = NULL;
        status = start_land(l, &o, &first);
        snprintf(why, CLI_TEXT, "%s", rv_context_error(l->ctx));
    }
    if (status == RV_OK)
        run_from(l, recipe, &o, first);
    else
        tell_ended(l, "failed", status, why);
    rv_recipe_destroy(recipe);
    free(o.turns);
    free(list);
}

/* Goes on with the steps after the one that was stopped and kept. */
void studio_land_continue(studio_land *l, const studio_request *request) {
    char why[CLI_TEXT] = "There is no land to go on with.";
    rv_recipe *recipe = NULL;
    order o = {.count = 0};
    begin(l, request);
    rv_status status =
        l->land && l->list && l->at >= 0 ? prepare(l, l->list, &recipe, &o, why) : RV_ERROR_USAGE;
    size_t first = 0;
    while (status == RV_OK && first < o.count && o.turns[first].step < l->at)
        first++;
    if (status == RV_OK)
        run_from(l, recipe, &o, first);
    else
        tell_ended(l, "failed", status, why);
    rv_recipe_destroy(recipe);
    free(o.turns);
}
