/* scene_api.c: scenes as the library offers them: words, frames, looks, checkpoints. */
#include "base/file.h"
#include "base/run_files.h"
#include "base/text.h"
#include "mesh/tessellate.h"
#include "scene/scene_run.h"
#include "scene/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char magic[RVI_MAGIC] = "RAVINE-SCENE-2\n";

/* ---- words ---- */

static rv_status keep_name(rv_context *ctx, const char *text, char **out) {
    size_t size = strlen(text) + 1;
    *out = rvi_alloc(ctx, size, 1, "the scene");
    if (*out == NULL)
        return RV_ERROR_MEMORY;
    memcpy(*out, text, size);
    return RV_OK;
}

/* `beside`: the file, or "". */
static rv_status parse(rv_context *ctx, const char *text, size_t size, const char *name,
                       const char *beside, bool saved, rv_scene **out) {
    *out = NULL;
    size_t begin;
    rv_status status = rvi_text_begin(ctx, name, text, size, &begin);
    if (status == RV_OK && memchr(text, 0, size) != NULL)
        status = rvi_fail(ctx, RV_ERROR_INPUT, "%s: is not a text file.", name);
    if (status != RV_OK)
        return status;
    text += begin;
    size -= begin;
    rv_scene *s = rvi_alloc(ctx, 1, sizeof *s, "the scene");
    if (s == NULL)
        return RV_ERROR_MEMORY;
    s->ctx = ctx;
    s->run = rvi_run_number();
    s->words = rvi_words_none(ctx, &rvi_scene_vocabulary);
    char *words = NULL;
    status = keep_name(ctx, name, &s->name);
    if (status == RV_OK)
        status = keep_name(ctx, beside, &s->beside);
    if (status == RV_OK && rvi_settings_are(text)) {
        status = rvi_settings_read(ctx, text, name, &words);
        text = words;
        size = words != NULL ? strlen(words) : 0;
    }
    if (status == RV_OK)
        status = rvi_words_parse(ctx, &rvi_scene_vocabulary, text, size, name, saved, &s->words);
    rvi_free(ctx, words);
    if (status == RV_OK)
        *out = s;
    else
        rv_scene_destroy(s);
    return status;
}

rv_status rv_scene_parse(rv_context *ctx, const char *text, const char *name, rv_scene **out) {
    RVI_ENTRY(ctx);
    return parse(ctx, text, strlen(text), name, "", false, out);
}

rv_status rv_scene_load(rv_context *ctx, const char *path, rv_scene **out) {
    RVI_ENTRY(ctx);
    *out = NULL;
    rvi_bytes bytes;
    rvi_progress_begin(ctx, "the scene");
    rv_status status = rvi_file_read(ctx, path, &bytes);
    if (status != RV_OK)
        return status;
    status = parse(ctx, (const char *)bytes.data, bytes.size, path, path, false, out);
    rvi_free(ctx, bytes.data);
    return status;
}

static const rv_param_info *preset_names(void) {
    return &rvi_scene_vocabulary.get(RVI_WORD_preset)->params[0];
}

int rv_scene_preset_count(void) {
    return preset_names()->option_count;
}

const char *rv_scene_preset_name(int index) {
    return preset_names()->options[index].name;
}

rv_status rv_scene_create(rv_context *ctx, const char *preset, rv_scene **out) {
    RVI_ENTRY(ctx);
    char text[128];
    *out = NULL;
    for (int i = 0; i < rv_scene_preset_count(); i++)
        if (strcmp(preset, rv_scene_preset_name(i)) == 0) {
            snprintf(text, sizeof text, "preset name=%s", preset);
            return rv_scene_parse(ctx, text, preset, out);
        }
    return rvi_fail(ctx, RV_ERROR_USAGE, "There is no preset \"%.60s\".", preset);
}

void rv_scene_destroy(rv_scene *s) {
    if (s == NULL)
        return;
    rvi_scene_destroy(s->now);
    rvi_scene_setup_free(s->ctx, &s->setup);
    rvi_words_free(&s->words);
    rvi_free(s->ctx, s->name);
    rvi_free(s->ctx, s->beside);
    rvi_free(s->ctx, s);
}

/* A word of which the last one counts, and that changes nothing by itself, need not stand there to
 * be changed. */
static rv_status demand_word(rv_scene *s, const char *text, size_t size) {
    static const rvi_scene_word once[] = {RVI_WORD_run,       RVI_WORD_box,
                                          RVI_WORD_particles, RVI_WORD_tessellate,
                                          RVI_WORD_material,  RVI_WORD_wear};
    for (size_t w = 0; w < sizeof once / sizeof once[0]; w++) {
        const char *name = rvi_scene_vocabulary.get((int)once[w])->name;
        if (!rvi_text_is(text, size, name))
            continue;
        for (int i = 0; i < s->words.count; i++)
            if (s->words.list[i].which == (int)once[w])
                return RV_OK;
        return rvi_words_add(&s->words, 1, &name);
    }
    return RV_OK;
}

rv_status rv_scene_add_words(rv_scene *s, int count, const char *const *words) {
    RVI_ENTRY(s->ctx);
    if (s->now != NULL)
        return rvi_fail(s->ctx, RV_ERROR_USAGE, "A scene that runs takes no more words.");
    size_t longest = 0;
    for (int i = 0; i < count; i++)
        longest = strlen(words[i]) > longest ? strlen(words[i]) : longest;
    size_t room = longest + sizeof "run.";
    const char **said = rvi_alloc(s->ctx, (size_t)count + 1, sizeof *said, "the scene");
    char *texts = rvi_alloc(s->ctx, (size_t)count + 1, room, "the scene");
    rv_status status = said != NULL && texts != NULL ? RV_OK : RV_ERROR_MEMORY;
    bool first = true; /* no word yet that parameters could be of */
    for (int i = 0; i < count && status == RV_OK; i++) {
        const char *equals = strchr(words[i], '=');
        first = first && equals != NULL;
        bool bare = first && memchr(words[i], '.', (size_t)(equals - words[i])) == NULL;
        snprintf(texts + (size_t)i * room, room, "%s%s", bare ? "run." : "", words[i]);
        said[i] = texts + (size_t)i * room;
        const char *dot = strchr(said[i], '.');
        if (equals != NULL && dot != NULL)
            status = demand_word(s, said[i], (size_t)(dot - said[i]));
    }
    if (status == RV_OK)
        status = rvi_words_add(&s->words, count, said);
    rvi_free(s->ctx, said);
    rvi_free(s->ctx, texts);
    return status;
}

int rv_scene_print(const rv_scene *s, char *out, size_t size) {
    RVI_ENTRY(s->ctx);
    return rvi_words_print(&s->words, out, size);
}

/* ---- frames ---- */

/* What the solids say of what they were told does not know of the file. */
static rv_status say_where(const rv_scene *s, rv_status status) {
    if (status != RV_ERROR_USAGE)
        return status;
    char said[512];
    snprintf(said, sizeof said, "%s", rv_context_error(s->ctx));
    return rvi_fail(s->ctx, status, "%s: %s", s->name, said);
}

rv_status rvi_scene_fill(const rv_scene *s, const rvi_scene_setup *setup, rvi_scene **out) {
    return say_where(s, rvi_scene_create(s->ctx, &setup->desc, out));
}

rv_status rv_scene_start(rv_scene *s) {
    RVI_ENTRY(s->ctx);
    if (s->now != NULL)
        return RV_OK;
    rvi_progress_begin(s->ctx, "the scene");
    rv_status status = rvi_scene_set_up(&s->words, s->name, s->beside, NULL, &s->setup);
    if (status == RV_OK)
        status = rvi_scene_fill(s, &s->setup, &s->now);
    if (status != RV_OK)
        rvi_scene_setup_free(s->ctx, &s->setup);
    return status;
}

rv_status rv_scene_step(rv_scene *s) {
    RVI_ENTRY(s->ctx);
    rv_status status = rv_scene_start(s);
    if (status != RV_OK)
        return status;
    rvi_progress_begin(s->ctx, "a frame");
    return rvi_scene_frame(s->now);
}

static rv_status not_started(const rv_scene *s) {
    return rvi_fail(s->ctx, RV_ERROR_USAGE, "%s: the scene has not been started.", s->name);
}

rv_status rv_scene_info(const rv_scene *s, rv_frame *out) {
    RVI_ENTRY(s->ctx);
    *out = (rv_frame){0};
    if (s->now == NULL)
        return not_started(s);
    const rvi_scene *now = s->now;
    rv_status status = rvi_sph_fetch(now->water);
    if (status != RV_OK)
        return status;
    rvi_sph_view water = rvi_sph_view_of(now->water);
    out->frame = now->frame;
    out->frames = s->setup.run.frames;
    out->every = s->setup.run.every;
    out->time = water.time;
    out->particles = water.count;
    out->smallest_angle = (double)NAN;
    out->hash = rvi_scene_hash(now);
    out->ms.particles = now->times.particles;
    out->ms.faces = now->times.faces;
    out->ms.pressure = now->times.press;
    out->ms.force = now->times.force;
    out->ms.advance = now->times.advance;
    out->ms.frame = now->times.frame;
    if (now->rock != NULL) {
        out->vertices = now->rock->live_vertices;
        out->faces = now->rock->live_faces;
        out->smallest_angle = rvi_edit_smallest_angle(now->rock);
        out->volume = rvi_edit_volume(now->rock);
    }
    if (now->wear != NULL) {
        rvi_wear_ledger l = rvi_wear_ledger_of(now->wear);
        out->ledger = (rv_ledger){.eroded = l.eroded,
                                  .deposited = l.deposited,
                                  .left_map = l.left_map,
                                  .suspended = l.suspended};
        out->owed = l.owed;
        out->refused = l.refused;
        out->pushed_out = l.pushed_out;
        out->trapped = l.trapped;
    }
    return RV_OK;
}

int rv_scene_material_count(const rv_scene *s) {
    bool worn = s->now != NULL && s->now->wear != NULL;
    return worn ? (int)s->setup.desc.wear.material_count : 0;
}

const char *rv_scene_material_name(const rv_scene *s, int material) {
    return s->setup.materials[material].name;
}

rv_ledger rv_scene_material_ledger(const rv_scene *s, int material) {
    RVI_ENTRY(s->ctx);
    rv_ledger out = {0};
    rvi_wear_material_ledger(s->now->wear, (size_t)material, &out.eroded, &out.deposited);
    return out;
}

rv_status rv_scene_mesh(const rv_scene *s, rv_mesh **out) {
    RVI_ENTRY(s->ctx);
    *out = NULL;
    return s->now != NULL ? rvi_scene_rock(s, out) : not_started(s);
}

rv_status rvi_scene_rock(const rv_scene *s, rv_mesh **out) {
    rv_status status = rvi_scene_mesh(s->now, out);
    for (size_t i = 0; *out != NULL && i < 3 * (*out)->vertex_count; i++)
        (*out)->points[i] += s->setup.box[i % 3];
    return status;
}

rv_status rv_scene_particles(const rv_scene *s, rv_particles *out) {
    RVI_ENTRY(s->ctx);
    *out = (rv_particles){0};
    if (s->now == NULL)
        return not_started(s);
    rv_status status = rvi_sph_fetch(s->now->water);
    if (status != RV_OK)
        return status;
    rvi_sph_view w = rvi_sph_view_of(s->now->water);
    const double *low = s->setup.box;
    *out = (rv_particles){.count = w.count,
                          .origin = {low[0], low[1], low[2]},
                          .spacing = s->setup.desc.water.spacing,
                          .positions = (const float *)w.places,
                          .velocities = (const float *)w.speeds,
                          .sediments = w.sediments,
                          .ids = w.numbers};
    return RV_OK;
}

rv_status rvi_scene_shoot(const rv_scene *s, const char *png) {
    rvi_scene_view view = {.width = s->setup.run.width,
                           .height = s->setup.run.height,
                           .azimuth = s->setup.azimuth,
                           .elevation = s->setup.elevation,
                           .cut = s->setup.cut,
                           .top = s->setup.top,
                           .wet = s->setup.run.wet,
                           .wire = s->setup.run.wire};
    return rvi_scene_draw(s->now, &view, png);
}

rv_status rv_scene_picture(const rv_scene *s, const char *png) {
    RVI_ENTRY(s->ctx);
    if (s->now == NULL)
        return not_started(s);
    rvi_progress_begin(s->ctx, "a picture");
    return rvi_scene_shoot(s, png);
}

/* ---- checkpoints ---- */

/* What cannot be read from words again without the models. */
typedef struct head {
    double box[6];
    uint64_t text, name, beside; /* bytes that follow */
} head;

rv_status rv_scene_save(const rv_scene *s, const char *checkpoint) {
    RVI_ENTRY(s->ctx);
    if (s->now == NULL)
        return not_started(s);
    rvi_progress_begin(s->ctx, "a checkpoint");
    return rvi_scene_save(s, checkpoint, true); /* the caller named the file, and now */
}

rv_status rvi_scene_save(const rv_scene *s, const char *checkpoint, bool any) {
    char *text = rvi_words_save(&s->words);
    if (text == NULL)
        return RV_ERROR_MEMORY;
    head h = {.text = strlen(text), .name = strlen(s->name), .beside = strlen(s->beside)};
    memcpy(h.box, s->setup.box, sizeof h.box);
    rvi_archive_writer to;
    rv_status status = rvi_archive_create(s->ctx, checkpoint, magic, s->run, &to);
    to.any = any;
    if (status == RV_OK)
        status = rvi_archive_put(&to, &h, sizeof h);
    if (status == RV_OK)
        status = rvi_archive_put(&to, text, (size_t)h.text);
    if (status == RV_OK)
        status = rvi_archive_put(&to, s->name, (size_t)h.name);
    if (status == RV_OK)
        status = rvi_archive_put(&to, s->beside, (size_t)h.beside);
    if (status == RV_OK)
        status = rvi_scene_checkpoint(s->now, &to);
    rvi_free(s->ctx, text);
    return rvi_archive_close(&to, status);
}

static rv_status get_text(rvi_archive *from, uint64_t size, char **out) {
    *out = NULL;
    if (size > from->size - from->at)
        return rvi_archive_damaged(from);
    *out = rvi_alloc(from->ctx, (size_t)size + 1, 1, "the scene");
    rv_status status = *out != NULL ? rvi_archive_get(from, *out, (size_t)size) : RV_ERROR_MEMORY;
    return status == RV_OK && strlen(*out) != size ? rvi_archive_damaged(from) : status;
}

/* Words change from version to version, and nobody can edit those in a checkpoint. */
static rv_status other_words(const rvi_archive *from) {
    char said[512];
    snprintf(said, sizeof said, "%s", rv_context_error(from->ctx));
    return rvi_fail(from->ctx, RV_ERROR_INPUT, "%s: another version of Ravine has saved it: %s",
                    from->name, said);
}

/* A model that lies beside the file of the scene is named so. */
static rv_status move_model(rv_scene *s, const rvi_word *word) {
    const rv_param_info *param = word->info->params;
    while (param->type != RV_PARAM_FILE)
        param++;
    const char *named = rv_param_text(param, word->params);
    bool moved = named[0] == '\0' ||
                 rvi_words_rename(&s->words, word, param, rvi_model_path(s->ctx, s->beside, named));
    return moved ? RV_OK : RV_ERROR_MEMORY;
}

/* Files of a scene that began in another folder are those of that folder. */
static rv_status move_scene(rv_scene *s, const char *folder) {
    char *beside = s->beside[0] != '\0' ? rvi_path_within(s->ctx, folder, s->beside) : NULL;
    if (s->beside[0] != '\0' && beside == NULL)
        return RV_ERROR_MEMORY;
    if (beside != NULL) {
        rvi_free(s->ctx, s->beside);
        s->beside = beside;
    }
    rv_status status = RV_OK;
    for (int i = 0; i < s->words.count && status == RV_OK; i++)
        if (s->words.list[i].which == (int)RVI_WORD_model ||
            s->words.list[i].which == (int)RVI_WORD_box)
            status = move_model(s, &s->words.list[i]);
    return status == RV_OK ? rvi_words_move(&s->words, folder) : status;
}

static rv_status resume_from(rvi_archive *from, rv_scene **out) {
    rv_context *ctx = from->ctx;
    head h;
    char *text = NULL, *name = NULL, *beside = NULL, *folder = NULL;
    rv_status status = rvi_archive_get(from, &h, sizeof h);
    if (status == RV_OK)
        status = get_text(from, h.text, &text);
    if (status == RV_OK)
        status = get_text(from, h.name, &name);
    if (status == RV_OK)
        status = get_text(from, h.beside, &beside);
    if (status == RV_OK)
        status = parse(ctx, text, strlen(text), name, beside, true, out);
    if (status == RV_ERROR_USAGE)
        status = other_words(from);
    if (status == RV_OK)
        status = rvi_words_folder(ctx, text, from->name, &folder);
    if (status == RV_OK && folder != NULL)
        status = move_scene(*out, folder);
    for (int i = 0; i < 6 && status == RV_OK; i++)
        if (!isfinite(h.box[i]) || !(h.box[i % 3] < h.box[i % 3 + 3]))
            status = rvi_archive_damaged(from);
    if (status == RV_OK)
        status = rvi_scene_set_up(&(*out)->words, name, (*out)->beside, h.box, &(*out)->setup);
    if (status == RV_OK)
        status = rvi_scene_restore(ctx, &(*out)->setup.desc, from, &(*out)->now);
    if (status == RV_OK && (*out)->now->frame > (*out)->setup.run.frames)
        status = rvi_archive_damaged(from); /* a run ends at its last frame */
    if (status == RV_OK) {
        (*out)->run = from->run;
        (*out)->resumed = true;
    }
    rvi_free(ctx, text);
    rvi_free(ctx, name);
    rvi_free(ctx, beside);
    rvi_free(ctx, folder);
    return status;
}

rv_status rvi_scene_decode(rv_context *ctx, const char *name, const unsigned char *data,
                           size_t size, rv_scene **out) {
    rvi_archive from;
    *out = NULL;
    rv_status status =
        rvi_archive_decode(ctx, name, data, size, magic, "a checkpoint of a scene", &from);
    if (status == RV_OK)
        status = resume_from(&from, out);
    if (status != RV_OK) {
        rv_scene_destroy(*out);
        *out = NULL;
    }
    return status;
}

rv_status rv_scene_resume(rv_context *ctx, const char *checkpoint, rv_scene **out) {
    RVI_ENTRY(ctx);
    rvi_bytes bytes;
    *out = NULL;
    rvi_progress_begin(ctx, "a checkpoint");
    rv_status status = rvi_file_read(ctx, checkpoint, &bytes);
    if (status != RV_OK)
        return status;
    status = rvi_scene_decode(ctx, checkpoint, bytes.data, bytes.size, out);
    rvi_free(ctx, bytes.data);
    return status;
}

bool rv_scene_is_checkpoint(rv_context *ctx, const char *path) {
    RVI_ENTRY(ctx);
    rvi_progress_begin(ctx, "a checkpoint");
    return rvi_archive_is(ctx, path, magic);
}
