/* report.c: what each step did, or would do: for people on stderr, as JSON on stdout. */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 22 };

/* What a step has to say is kept until it ends, so that its line stands first and no bar is cut. */
void cli_report_message(void *user, const char *line) {
    cli_run *run = user;
    size_t size = strlen(line) + 1;
    if (run->options->quiet && !run->options->json)
        return;
    if (size > run->room - run->size) {
        size_t room = 2 * (run->room + size);
        char *larger = realloc(run->messages, room);
        if (!larger)
            return;
        run->messages = larger;
        run->room = room;
    }
    memcpy(run->messages + run->size, line, size);
    run->size += size;
}

/* What is said between steps, or before the first, belongs to none. */
void cli_report_rest(cli_run *run) {
    if (run->size > 0)
        cli_bar_erase(&run->bar);
    for (size_t at = 0; at < run->size; at += strlen(run->messages + at) + 1) {
        cli_put_line(stderr, run->messages + at);
        fputc('\n', stderr);
    }
    run->size = 0;
}

void cli_report_before(void *user, int index, rv_step_id step) {
    cli_run *run = user;
    if (!run->options->json) /* there every line is a step's */
        cli_report_rest(run);
    run->bar.number = index + 1;
    run->bar.count = run->steps;
    if (run->repeats && run->bar.step)
        run->bar.step = rv_step_name(step); /* the bar shows the whole of the recipe */
    else
        cli_bar_begin(&run->bar, rv_step_name(step));
}

/* ---- JSON ---- */

/* "eroded":12.5 with a comma before all but the first. */
static void json_volumes(FILE *out, int count, const char *const *keys, const double *values) {
    for (int i = 0; i < count; i++) {
        fprintf(out, "%s\"%s\":", i > 0 ? "," : "", keys[i]);
        cli_json_real(out, values[i]);
    }
}

static void json_ledger(FILE *out, const rv_ledger *l) {
    static const char *const keys[] = {"before",   "eroded",    "deposited",
                                       "left_map", "suspended", "raised"};
    const double values[] = {l->before,   l->eroded,    l->deposited,
                             l->left_map, l->suspended, l->raised};
    fputs(",\"ledger\":{", out);
    json_volumes(out, 6, keys, values);
    fputs(",\"unit\":\"m3\"}", out);
}

static bool has_water(const rv_water *w) {
    return w->before + w->rained > 0.0;
}

static void json_water(FILE *out, const rv_water *w) {
    static const char *const keys[] = {"before",   "rained",   "evaporated",
                                       "absorbed", "left_map", "standing"};
    const double values[] = {w->before,   w->rained,   w->evaporated,
                             w->absorbed, w->left_map, w->standing};
    fputs(",\"water\":{", out);
    json_volumes(out, 6, keys, values);
    fputs(",\"unit\":\"m3\"}", out);
}

static void json_layers(FILE *out, const rv_terrain *land) {
    static const char *const keys[] = {"eroded", "deposited", "volume"};
    double cell = (double)rv_terrain_cell(land);
    size_t cells = (size_t)rv_terrain_width(land) * (size_t)rv_terrain_height(land);
    for (int l = 0; l < rv_terrain_layer_count(land); l++) {
        rv_ledger last = rv_terrain_layer_last(land, l);
        const float *thickness = rv_terrain_layer_thickness(land, l);
        double sum = 0.0;
        for (size_t i = 0; i < cells; i++)
            sum += (double)thickness[i];
        const double values[] = {last.eroded, last.deposited, sum * cell * cell};
        fputs(l > 0 ? ",{\"name\":" : ",\"layers\":[{\"name\":", out);
        cli_json_text(out, rv_terrain_layer(land, l).name);
        fputc(',', out);
        json_volumes(out, 3, keys, values);
        fputc('}', out);
    }
    fputc(']', out);
}

static void json_head(FILE *out, const rv_step_info *step, const void *params) {
    fputs("{\"step\":", out);
    cli_json_text(out, step->word.name);
    fputs(",\"parameters\":", out);
    cli_json_params(out, &step->word, params);
}

static void json_size(FILE *out, int width, int height, float cell) {
    fprintf(out, ",\"width\":%d,\"height\":%d,\"cell\":", width, height);
    cli_json_float(out, cell);
}

/* The numbers by name, null where one is not defined, and which river checks they pass, if any. */
static void json_figures(FILE *out, const rv_terrain *land) {
    fputs(",\"figures\":{", out);
    for (int i = 0; i < rv_terrain_figure_count(land); i++) {
        fprintf(out, "%s\"%s\":", i ? "," : "", rv_terrain_figure(land, i)->name);
        cli_json_real(out, rv_terrain_figure(land, i)->value);
    }
    fputs("}", out);
    const char *between = ",\"river_checks\":{";
    for (int i = 0; i < rv_terrain_figure_count(land); i++) {
        const rv_figure *figure = rv_terrain_figure(land, i);
        if (!rv_figure_is_check(figure))
            continue;
        fprintf(out, "%s\"%s\":%s", between, figure->name,
                rv_figure_passes(figure) ? "true" : "false");
        between = ",";
    }
    if (between[1] == '\0') /* there were some */
        fputs("}", out);
}

static void json_report(cli_run *run, const rv_report *report) {
    const rv_step_info *step = rv_step_get(report->step);
    json_head(stdout, step, report->params);
    if (report->turns > 1)
        printf(",\"turn\":%" PRId64 ",\"turns\":%" PRId64, report->turn + 1, report->turns);
    printf(",\"seconds\":%.6f", report->seconds);
    if (report->stopped)
        fputs(",\"stopped\":true", stdout);
    json_ledger(stdout, &report->ledger);
    if (has_water(&report->water))
        json_water(stdout, &report->water);
    if (rv_terrain_layer_count(report->land) > 1)
        json_layers(stdout, report->land);
    printf(",\"hash\":\"%016" PRIx64 "\"", report->hash);
    if (cli_has_drops(step))
        printf(",\"drop_steps\":%" PRIu64, report->drop_steps);
    if (rv_terrain_figure_count(report->land) > 0)
        json_figures(stdout, report->land);
    json_size(stdout, rv_terrain_width(report->land), rv_terrain_height(report->land),
              rv_terrain_cell(report->land));
    fputs(",\"messages\":[", stdout);
    for (size_t at = 0; at < run->size; at += strlen(run->messages + at) + 1) {
        fputs(at ? "," : "", stdout);
        cli_json_text(stdout, run->messages + at);
    }
    fputc(']', stdout);
    cli_made_json(run, stdout);
    fputs("}\n", stdout);
}

/* ---- for people ---- */

typedef struct volume_unit {
    double size; /* m3 */
    const char *name;
    int digits;  /* after the point */
    double last; /* m3: one of the last of them */
} volume_unit;

static volume_unit unit_for(double largest) {
    volume_unit u = {1.0, "m3", largest < 10.0 ? 4 : largest < 1000.0 ? 1 : 0, 1.0};
    if (largest >= 999.5e6)
        u = (volume_unit){1e9, "km3", largest < 10e9 ? 2 : 1, 1e9};
    else if (largest >= 999.5e3)
        u = (volume_unit){1e6, "million m3", largest < 10e6 ? 2 : 1, 1e6};
    else if (!(largest > 0.0))
        u.digits = 0;
    for (int i = 0; i < u.digits; i++)
        u.last /= 10.0;
    return u;
}

static void add_text(char out[CLI_TEXT], const char *before, double volume, const volume_unit *u,
                     const char *after) {
    size_t used = strlen(out);
    snprintf(out + used, CLI_TEXT - used, "%s %.*f%s", before, u->digits, volume / u->size, after);
}

/* The first number of a line, with its unit. */
static void add_first(char out[CLI_TEXT], const char *before, double volume, const volume_unit *u,
                      const char *after) {
    add_text(out, before, volume, u, " ");
    size_t used = strlen(out);
    snprintf(out + used, CLI_TEXT - used, "%s%s", u->name, after);
}

/* A number that is no part of the sum before it has its own unit, said where it is another. */
static void add_other(char out[CLI_TEXT], const char *before, double volume,
                      const volume_unit *first) {
    volume_unit u = unit_for(volume);
    if (u.size == first->size || volume == 0.0)
        add_text(out, before, volume, first->digits > u.digits ? first : &u, "");
    else
        add_first(out, before, volume, &u, "");
}

/* Digits enough that no part of a sum that is above 0 is printed as 0, unless it is less than a
 * millionth: that is the rounding of some steps. */
static void show_parts(int count, const double *parts, double sum, volume_unit *u) {
    enum { DIGITS = 4 };
    for (int i = 0; i < count; i++)
        while (parts[i] >= 1e-6 * sum && parts[i] > 0.0 && parts[i] < 0.5 * u->last &&
               u->digits < DIGITS) {
            u->digits++;
            u->last /= 10.0;
        }
}

static double count_last(double volume, const volume_unit *u) {
    return (double)(int64_t)(volume / u->last);
}

/* Rounds the parts of a sum to the last digit so that they add up as they are printed: to the sum,
 * rounded. Those that lost most are rounded up. Parts that are no such sum are not made one. */
static void round_parts(int count, double *parts, double sum, const volume_unit *u) {
    enum { PARTS = 3 };
    double rest[PARTS], missing = count_last(sum + 0.5 * u->last, u);
    for (int i = 0; i < count; i++) {
        double whole = count_last(parts[i], u);
        rest[i] = parts[i] / u->last - whole;
        missing -= whole;
    }
    if (missing < 0.0 || missing > count)
        return;
    for (int i = 0; i < count; i++)
        parts[i] = count_last(parts[i], u) * u->last;
    for (; missing > 0.0; missing -= 1.0) {
        int most = 0;
        for (int i = 1; i < count; i++)
            most = rest[i] > rest[most] ? i : most;
        parts[most] += u->last;
        rest[most] = -1.0;
    }
}

static void ledger_text(const rv_ledger *ledger, char out[CLI_TEXT]) {
    double from[] = {ledger->eroded, ledger->before};
    double to[] = {ledger->deposited, ledger->left_map, ledger->suspended};
    double moved = from[0] + from[1];
    volume_unit u = unit_for(from[0] > from[1] ? from[0] : from[1]);
    show_parts(2, from, moved, &u);
    show_parts(3, to, moved, &u);
    round_parts(2, from, moved, &u);
    round_parts(3, to, moved, &u);
    out[0] = '\0';
    add_first(out, "eroded", from[0], &u, ":");
    add_text(out, " deposited", to[0], &u, ",");
    add_text(out, " left the map", to[1], &u, ",");
    add_text(out, " suspended", to[2], &u, "");
    if (from[1] >= 0.5 * u.last)
        add_text(out, "; suspended before", from[1], &u, "");
    volume_unit raised = unit_for(ledger->raised);
    if (ledger->raised >= 0.5 * raised.last)
        add_other(out, "; raised", ledger->raised, &u);
}

static void water_text(const rv_water *w, char out[CLI_TEXT]) {
    double all = w->before + w->rained;
    double to[] = {w->evaporated, w->left_map, w->standing, w->absorbed};
    int parts = w->absorbed > 0.0 ? 4 : 3;
    volume_unit u = unit_for(all);
    show_parts(parts, to, all, &u);
    round_parts(parts, to, all, &u);
    out[0] = '\0';
    add_first(out, "water", all, &u, ":");
    add_text(out, " evaporated", to[0], &u, ",");
    if (w->absorbed > 0.0)
        add_text(out, " absorbed", to[3], &u, ",");
    add_text(out, " left the map", to[1], &u, ",");
    add_text(out, " standing", to[2], &u, "");
}

static void put_detail(int *details, const char *text) {
    if (*details > 0)
        fprintf(stderr, "\n%*s", INDENT - 2, "");
    fputs("  ", stderr);
    cli_put_line(stderr, text);
    ++*details;
}

/* What was eroded from each layer and deposited on it, where there are several. */
static void put_layers(int *details, const rv_terrain *land, const rv_ledger *layers) {
    int count = rv_terrain_layer_count(land);
    char text[CLI_TEXT];
    for (int l = 0; count > 1 && l < count && l < CLI_LAYERS; l++) {
        volume_unit u = unit_for(layers[l].eroded);
        if (!(layers[l].eroded > 0.0 || layers[l].deposited > 0.0))
            continue;
        snprintf(text, sizeof text, "%s:", rv_terrain_layer(land, l).name);
        add_first(text, " eroded", layers[l].eroded, &u, ",");
        add_other(text, " deposited", layers[l].deposited, &u);
        put_detail(details, text);
    }
    if (count > CLI_LAYERS) {
        snprintf(text, sizeof text, "and %d more layers", count - CLI_LAYERS);
        put_detail(details, text);
    }
}

/* Three digits, and no power of ten where a plain number is as short. */
static void figure_text(double value, const char *unit, char out[64]) {
    double size = value < 0 ? -value : value;
    const char *gap = unit[0] ? " " : "";
    if (value != value)
        snprintf(out, 64, "not defined");
    else if (size >= 1000.0 && size < 1e7)
        snprintf(out, 64, "%.0f%s%s", value, gap, unit);
    else
        snprintf(out, 64, "%.3g%s%s", value, gap, unit);
}

static void put_figure(int *details, const rv_figure *figure) {
    char value[64], bound[64], text[CLI_TEXT];
    figure_text(figure->value, figure->unit, value);
    if (rv_figure_is_check(figure)) {
        bool above = figure->min == figure->min;
        figure_text(above ? figure->min : figure->max, figure->unit, bound);
        snprintf(text, sizeof text, "%-33s %-12s %-7s at %s %s", figure->label, value,
                 rv_figure_passes(figure) ? "passes" : "fails", above ? "least" : "most", bound);
    } else {
        snprintf(text, sizeof text, "%-33s %s", figure->label, value);
    }
    put_detail(details, text);
}

/* Those of the last turn, where there were several. */
static void put_figures(int *details, const rv_terrain *land, int64_t turns) {
    int checks = 0, passed = 0, count = rv_terrain_figure_count(land);
    char text[64];
    if (count > 0 && turns > 1)
        put_detail(details, "in the last turn:");
    for (int i = 0; i < count; i++)
        if (rv_figure_is_check(rv_terrain_figure(land, i))) {
            checks++;
            passed += rv_figure_passes(rv_terrain_figure(land, i));
        }
    if (checks > 0) {
        snprintf(text, sizeof text, "passes %d of %d river checks", passed, checks);
        put_detail(details, text);
    }
    for (int i = 0; i < count; i++)
        if (rv_terrain_figure(land, i)->label[0])
            put_figure(details, rv_terrain_figure(land, i));
}

static void people_report(const cli_run *run, const cli_turns *turns) {
    const rv_report *report = &turns->report;
    const rv_step_info *step = rv_step_get(report->step);
    const rv_ledger *ledger = &report->ledger;
    char text[CLI_TEXT], cell[32];
    int details = 0;
    fprintf(stderr, "%-10s %7.2f s", step->word.name, report->seconds);
    if (report->turns > 1) {
        snprintf(text, sizeof text, "%" PRId64 " times", report->turns);
        put_detail(&details, text);
    }
    if (step->flags & RV_STEP_FLAG_RESIZES) {
        cli_number((double)rv_terrain_cell(report->land), cell);
        snprintf(text, sizeof text, "%d x %d cells of %s m", rv_terrain_width(report->land),
                 rv_terrain_height(report->land), cell);
        put_detail(&details, text);
    }
    if (ledger->eroded + ledger->deposited + ledger->raised + ledger->before > 0.0) {
        ledger_text(ledger, text);
        put_detail(&details, text);
        put_layers(&details, report->land, turns->layers);
    }
    if (has_water(&report->water)) {
        water_text(&report->water, text);
        put_detail(&details, text);
    }
    put_figures(&details, report->land, report->turns);
    for (size_t at = 0; at < run->size; at += strlen(run->messages + at) + 1)
        put_detail(&details, run->messages + at);
    fputc('\n', stderr);
}

/* What one turn left on the land and the next found there is not counted twice. */
static void add_water(rv_water *to, const rv_water *more, bool first) {
    to->before = first ? more->before : to->before;
    to->rained += more->rained;
    to->evaporated += more->evaporated;
    to->absorbed += more->absorbed;
    to->left_map += more->left_map;
    to->standing = more->standing;
}

static void add_turn(cli_turns *sum, const rv_report *report) {
    rv_report old = sum->report;
    sum->report = *report;
    sum->report.ledger = old.ledger;
    sum->report.water = old.water;
    sum->report.seconds += old.seconds;
    rv_ledger_add(&sum->report.ledger, &report->ledger);
    add_water(&sum->report.water, &report->water, report->turn == 0);
    for (int l = 0; l < rv_terrain_layer_count(report->land) && l < CLI_LAYERS; l++) {
        rv_ledger last = rv_terrain_layer_last(report->land, l);
        rv_ledger_add(&sum->layers[l], &last);
    }
}

/* Steps of a repeat get one line for all their turns: where their sums are. NULL: no memory. */
static cli_turns *turns_of(cli_run *run, int index) {
    if (index >= run->repeated_count) {
        size_t count = (size_t)index + 1;
        cli_turns *more = realloc(run->repeated, count * sizeof *more);
        if (!more)
            return NULL;
        memset(more + run->repeated_count, 0, (count - (size_t)run->repeated_count) * sizeof *more);
        run->repeated = more;
        run->repeated_count = (int)count;
    }
    return &run->repeated[index];
}

static void tell_people(cli_run *run, int index, const rv_report *report) {
    cli_turns alone = {0}, *sum = report->turns > 1 ? turns_of(run, index) : NULL;
    sum = sum ? sum : &alone;
    add_turn(sum, report);
    if (sum != &alone && report->turn + 1 < report->turns)
        return;
    cli_bar_erase(&run->bar);
    people_report(run, sum);
}

/* Steps of a repeat that was stopped wait for turns that will not come. */
static void tell_waiting(cli_run *run, const rv_terrain *land) {
    for (int i = 0; i < run->repeated_count; i++) {
        cli_turns *sum = &run->repeated[i];
        if (!sum->report.land || sum->report.turn + 1 == sum->report.turns ||
            rv_step_get(sum->report.step)->kind == RV_KIND_SHOW)
            continue;
        sum->report.turns = sum->report.turn + 1;
        sum->report.land = land;
        people_report(run, sum);
    }
    run->repeated_count = 0;
}

void cli_report_after(void *user, int index, const rv_report *report) {
    cli_run *run = user;
    if (report->stopped) {
        snprintf(run->stopped, sizeof run->stopped, "%s", rv_step_name(report->step));
        run->repeats = false; /* each of the steps that save and show runs once */
    }
    if (!run->repeats)
        cli_bar_erase(&run->bar);
    if (run->options->json) {
        json_report(run, report);
        if (fflush(stdout) != 0)
            run->broken = true;
    } else if (!run->options->quiet) {
        tell_people(run, index, report);
        if (run->kept && run->repeated_count > 0)
            tell_waiting(run, report->land);
    }
    run->size = 0;
}

/* ---- the plan ---- */

static void put_changes(const rv_word_info *step, const void *params) {
    void *defaults = cli_defaults(step);
    for (int i = 0; defaults && i < step->param_count; i++) {
        char value[CLI_TEXT], usual[CLI_TEXT];
        cli_value(&step->params[i], params, value);
        cli_value(&step->params[i], defaults, usual);
        if (strcmp(value, usual) == 0)
            continue;
        printf(" %s=", step->params[i].name);
        cli_put_line(stdout, value);
    }
    free(defaults);
}

static void people_plan(const rv_recipe *recipe, const rv_plan *plans, size_t peak, size_t limit,
                        double all) {
    char memory[32], most[32], time[32];
    printf("%-10s %15s %11s  %s\n", "step", "cells", "memory", "parameters");
    for (int i = 0; i < rv_recipe_count(recipe); i++) {
        const rv_step_info *step = rv_step_get(plans[i].step);
        char size[32];
        snprintf(size, sizeof size, "%d x %d", plans[i].width, plans[i].height);
        cli_bytes(plans[i].memory, memory);
        printf("%-10s %15s %11s ", step->word.name, size, memory);
        put_changes(&step->word, rv_recipe_params(recipe, i));
        putchar('\n');
    }
    cli_bytes(peak, memory);
    cli_bytes(limit, most);
    printf("At most %s of the %s allowed", memory, most);
    cli_time(all, time);
    if (all == all)
        printf(", about %s", time);
    puts(".");
}

void cli_report_plan(const cli_options *options, const rv_recipe *recipe, const rv_plan *plans,
                     size_t peak, size_t limit, const double *seconds, double all) {
    if (options->json) {
        for (int i = 0; i < rv_recipe_count(recipe); i++) {
            json_head(stdout, rv_step_get(plans[i].step), rv_recipe_params(recipe, i));
            json_size(stdout, plans[i].width, plans[i].height, plans[i].cell);
            printf(",\"memory\":%zu,\"memory_limit\":%zu", plans[i].memory, limit);
            if (all == all)
                printf(",\"estimated_seconds\":%.3g", seconds[i]);
            puts("}");
        }
    } else if (!options->quiet) {
        people_plan(recipe, plans, peak, limit, all);
    }
}
