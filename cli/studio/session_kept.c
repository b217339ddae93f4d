/* session_kept.c: lands of earlier steps, so that a run starts where the list has changed. */
#include "land_state.h"

#include <stdlib.h>
#include <string.h>

/* Lands that are larger are not sent to the page for a rescue. */
static const size_t RESCUE_BYTES = (size_t)256 << 20;

studio_kept *studio_kept_find(studio_land *l, const char *key) {
    for (studio_kept **at = &l->kept; *at; at = &(*at)->next) {
        studio_kept *found = *at;
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
    for (studio_kept **at = &l->kept; *at;) {
        studio_kept *k = *at;
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

bool studio_kept_room(const studio_land *l, const rv_terrain *land) {
    size_t held = land_bytes(land);
    for (const studio_kept *k = l->kept; k; k = k->next)
        held += k->bytes;
    return held <= rv_context_memory_limit(l->ctx) / 4;
}

void studio_kept_add(studio_land *l, const rv_terrain *land, char *key, double ms) {
    if (!key || studio_kept_find(l, key)) {
        free(key);
        return;
    }
    studio_kept *k = calloc(1, sizeof *k);
    let_go(l, land_bytes(land));
    if (!k || rv_terrain_snapshot(land, &k->snapshot) != RV_OK) {
        free(k);
        free(key);
        return;
    }
    *k = (studio_kept){l->kept, key, k->snapshot, land_bytes(land), ms};
    l->kept = k;
}

rv_status studio_land_flat(studio_land *l, rv_terrain **out) {
    rv_terrain_desc desc = rv_terrain_desc_default();
    return rv_terrain_create(l->ctx, &desc, out);
}

const rv_terrain *studio_land_at(studio_land *l, int place, const char **why) {
    *why = "There is no land yet: run the list first.";
    if (l->land && l->at == place)
        return l->land;
    if (!l->list || place < 0 || place > l->steps)
        return NULL;
    char *key = studio_land_key(l, place);
    *why = "There is not enough memory.";
    if (!key)
        return NULL;
    if (l->viewer && l->viewer_key && strcmp(l->viewer_key, key) == 0) {
        free(key);
        return l->viewer;
    }
    const studio_kept *k = studio_kept_find(l, key);
    rv_status status = !l->viewer ? studio_land_flat(l, &l->viewer) : RV_OK;
    free(l->viewer_key);
    l->viewer_key = NULL;
    if (k && status == RV_OK)
        status = rv_terrain_restore(l->viewer, k->snapshot);
    if (k && status == RV_OK) {
        l->viewer_key = key;
        return l->viewer;
    }
    *why = k ? rv_context_error(l->ctx)
           : !l->land && place > l->at
               ? "The land of that step is not made yet."
               : "The land of that step is not kept any more: run it again.";
    free(key);
    return NULL;
}

/* ---- what is left when this program dies ---- */

void studio_land_rescue(studio_land *l, int64_t ms) {
    studio_letter letter;
    studio_file file = {.size = 0};
    rv_save_params save = rv_save_params_default();
    char *path = studio_path(l->scratch, ".rescue.npz");
    l->unsaved_ms += ms;
    if (!path || (double)l->unsaved_ms < l->live->rescue || land_bytes(l->land) > RESCUE_BYTES) {
        free(path);
        return;
    }
    save.file = path;
    if (rv_step_run(l->land, RV_STEP_save, &save, NULL) == RV_OK && studio_file_read(path, &file) &&
        studio_letter_begin(&letter)) {
        fprintf(letter.json, "\"kind\":\"rescue\",\"run\":%.0f,\"place\":%d", l->run, l->at);
        void *room = studio_letter_add(&letter, file.size);
        if (room)
            memcpy(room, file.bytes, file.size);
        studio_packet *packet = studio_letter_end(&letter);
        if (room)
            studio_event(l->session, packet);
        else
            studio_packet_free(packet);
        l->unsaved_ms = 0;
    }
    free(file.bytes);
    studio_scratch_drop(path);
    free(path);
}

studio_packet *studio_land_revive(studio_land *l, const studio_request *request) {
    int steps = 0;
    char *list = studio_list_join(studio_json_get(request->json, "steps"), &steps);
    char *path = studio_path(l->scratch, ".rescue.npz"), *key = NULL, *stamps = NULL;
    char why[CLI_TEXT];
    rv_open_params open = rv_open_params_default();
    rv_terrain *land = NULL;
    rv_recipe *recipe = NULL;
    rv_status status = list && path ? RV_OK : RV_ERROR_USAGE;
    snprintf(why, sizeof why, "A land is revived by its list of steps and its bytes.");
    if (status == RV_OK)
        status = studio_list_read(l, list, false, &recipe, why);
    stamps = status == RV_OK ? studio_list_stamps(recipe) : NULL;
    if (status == RV_OK) {
        key = stamps ? studio_list_key(list, stamps, steps) : NULL;
        bool put = request->data &&
                   studio_scratch_put(l->scratch, ".rescue.npz", request->data, request->data_size);
        open.file = path;
        status = put ? studio_land_flat(l, &land) : RV_ERROR_OUTPUT;
        if (status == RV_OK)
            status = rv_step_run(land, RV_STEP_open, &open, NULL);
        snprintf(why, sizeof why, "%s", rv_context_error(l->ctx));
        studio_scratch_drop(path);
    }
    if (status == RV_OK)
        studio_kept_add(l, land, key, -1.0);
    else
        free(key);
    rv_recipe_destroy(recipe);
    rv_terrain_destroy(land);
    free(path);
    free(list);
    free(stamps);
    return status == RV_OK ? studio_ok(request->id) : studio_wrong(request->id, (int)status, why);
}
