/* session_tell.c: what the page is told of a land, and of its run. */
#include "land_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a land is ---- */

void studio_put_real(FILE *out, const char *name, double value) {
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
        studio_put_real(out, names[i], values[i]);
    }
    fputc('}', out);
}

static void put_water(FILE *out, const rv_water *water) {
    const char *const names[] = {"before",   "rained",   "evaporated",
                                 "absorbed", "left_map", "standing"};
    const double values[] = {water->before,   water->rained,   water->evaporated,
                             water->absorbed, water->left_map, water->standing};
    fputs("\"water\":", out);
    for (int i = 0; i < 6; i++) {
        fputc(i ? ',' : '{', out);
        studio_put_real(out, names[i], values[i]);
    }
    fputc('}', out);
}

void studio_put_land(FILE *out, const rv_terrain *land) {
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
    studio_put_real(out, "volume", rv_terrain_volume(land));
    fputc('}', out);
}

void studio_put_figures(FILE *out, const rv_terrain *land) {
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
        studio_put_real(out, "value", figure->value);
        fputc(',', out);
        studio_put_real(out, "min", figure->min);
        fputc(',', out);
        studio_put_real(out, "max", figure->max);
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

void studio_add_fields(studio_letter *letter, const rv_terrain *land, const studio_json *fields,
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

/* ---- while it runs ---- */

void studio_tell_slice(studio_land *l, const rv_terrain *land, double done) {
    studio_letter letter;
    int every = l->live->every;
    if (!studio_slice_wanted(l->session, l->live->rate) || !studio_letter_begin(&letter))
        return;
    fprintf(letter.json, "\"kind\":\"slice\",\"run\":%.0f,\"place\":%d,", l->run, l->step);
    studio_put_real(letter.json, "done", done);
    fprintf(letter.json, ",\"width\":%d,\"height\":%d,", thinned(rv_terrain_width(land), every),
            thinned(rv_terrain_height(land), every));
    studio_put_real(letter.json, "cell", (double)(rv_terrain_cell(land) * (float)every));
    fprintf(letter.json, ",\"every\":%d,", every);
    studio_add_fields(&letter, land, l->live->fields, every);
    studio_packet *packet = studio_letter_end(&letter);
    if (packet)
        packet->slice = true;
    studio_event(l->session, packet);
}

static double passed_ms(const studio_land *l) {
    return (double)(cli_now_ms() - l->began_ms);
}

void studio_tell_started(studio_land *l) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return;
    fprintf(letter.json, "\"kind\":\"started\",\"run\":%.0f,\"place\":%d,\"places\":%d", l->run,
            l->at, l->steps);
    studio_event(l->session, studio_letter_end(&letter));
}

void studio_tell_ended(studio_land *l, const char *how, rv_status status, const char *sentence) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return;
    fprintf(letter.json, "\"kind\":\"ended\",\"run\":%.0f,\"how\":\"%s\",\"place\":%d,\"ms\":%.0f,",
            l->run, how, l->at, passed_ms(l));
    studio_put_land(letter.json, l->land);
    fprintf(letter.json, ",\"status\":%d,\"sentence\":", (int)status);
    cli_json_text(letter.json, sentence);
    if (status == RV_OK) {
        fputc(',', letter.json);
        studio_add_fields(&letter, l->land, l->live->last, 1);
    }
    studio_event(l->session, studio_letter_end(&letter));
}

void studio_tell_step(studio_land *l, const studio_turn *t) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return;
    fprintf(letter.json,
            "\"kind\":\"step\",\"run\":%.0f,\"place\":%d,\"turn\":%" PRId64 ",\"turns\":%" PRId64,
            l->run, t->step, t->turn, t->turns);
    studio_event(l->session, studio_letter_end(&letter));
}

void studio_tell_done(studio_land *l, const studio_turn *t, const rv_report *report,
                      int64_t began) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return;
    fprintf(letter.json,
            "\"kind\":\"done_step\",\"run\":%.0f,\"place\":%d,\"turn\":%" PRId64
            ",\"turns\":%" PRId64,
            l->run, t->step, t->turn, t->turns);
    fprintf(letter.json, ",\"ms\":%" PRId64 ",", cli_now_ms() - began);
    studio_put_land(letter.json, l->land);
    fputc(',', letter.json);
    put_ledger(letter.json, &report->ledger);
    fputc(',', letter.json);
    put_water(letter.json, &report->water);
    fprintf(letter.json, ",\"drop_steps\":%" PRIu64 ",", report->drop_steps);
    studio_put_figures(letter.json, l->land);
    studio_event(l->session, studio_letter_end(&letter));
}
