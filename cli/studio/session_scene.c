/* session_scene.c: runs a scene for a page, frame after frame. */
#include "studio.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct scene_run {
    studio_session *session;
    const studio_request *request;
    rv_scene *scene;
    rv_scene_plan plan;
    int64_t began_ms;
} scene_run;

static void tell_held(void *user) {
    const scene_run *s = user;
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return;
    fprintf(letter.json, "\"kind\":\"held\",\"run\":%.0f,\"place\":0,\"done\":0", s->request->run);
    studio_event(s->session, studio_letter_end(&letter));
}

static void tell_ended(const scene_run *s, const char *how, rv_status status,
                       const char *sentence) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return;
    fprintf(letter.json,
            "\"kind\":\"ended\",\"run\":%.0f,\"how\":\"%s\",\"place\":0,\"ms\":%" PRId64
            ",\"land\":null,\"status\":%d,\"sentence\":",
            s->request->run, how, cli_now_ms() - s->began_ms, (int)status);
    cli_json_text(letter.json, sentence);
    studio_event(s->session, studio_letter_end(&letter));
}

static float length(double x, double y, double z) {
    return (float)sqrt(x * x + y * y + z * z);
}

/* Points and faces of the rock. */
static void add_rock(const scene_run *s, studio_letter *letter) {
    rv_mesh *rock = NULL;
    if (rv_scene_mesh(s->scene, &rock) != RV_OK)
        rock = NULL;
    size_t vertices = rock ? rv_mesh_vertex_count(rock) : 0,
           faces = rock ? rv_mesh_face_count(rock) : 0;
    const double *points = rock ? rv_mesh_points(rock) : NULL;
    float *to = studio_letter_add(letter, 3 * vertices * sizeof *to);
    for (size_t i = 0; to && i < 3 * vertices; i++)
        to[i] = (float)points[i];
    void *corners = studio_letter_add(letter, 3 * faces * sizeof(uint32_t));
    if (corners && rock)
        memcpy(corners, rv_mesh_faces(rock), 3 * faces * sizeof(uint32_t));
    rv_mesh_destroy(rock);
}

static void add_particles(studio_letter *letter, const rv_particles *p) {
    float *to = studio_letter_add(letter, 4 * p->count * sizeof *to);
    for (size_t i = 0; to && i < p->count; i++) {
        for (int k = 0; k < 3; k++)
            to[4 * i + (size_t)k] = (float)((double)p->positions[4 * i + (size_t)k] + p->origin[k]);
        const float *v = &p->velocities[4 * i];
        to[4 * i + 3] = length((double)v[0], (double)v[1], (double)v[2]);
    }
}

static void put_number(FILE *out, const char *name, double value) {
    fprintf(out, ",\"%s\":", name);
    cli_json_real(out, value);
}

static void put_vector(FILE *out, const char *name, const double v[3]) {
    fprintf(out, ",\"%s\":", name);
    for (int i = 0; i < 3; i++) {
        fputc(i ? ',' : '[', out);
        cli_json_real(out, v[i]);
    }
    fputc(']', out);
}

static void put_frame(scene_run *s, FILE *out, const rv_frame *frame, const rv_particles *p,
                      int64_t ms) {
    fprintf(out,
            "\"kind\":\"frame\",\"run\":%.0f,\"frame\":%" PRId64 ",\"frames\":%" PRId64
            ",\"ms\":%" PRId64,
            s->request->run, frame->frame, frame->frames, ms);
    put_number(out, "time", frame->time);
    fprintf(out, ",\"particles\":%zu", p->count);
    put_vector(out, "low", s->plan.low);
    put_vector(out, "high", s->plan.high);
    put_number(out, "spacing", (double)p->spacing);
    fputs(",\"ledger\":{\"before\":0,\"raised\":0", out);
    put_number(out, "eroded", frame->ledger.eroded);
    put_number(out, "deposited", frame->ledger.deposited);
    put_number(out, "left_map", frame->ledger.left_map);
    put_number(out, "suspended", frame->ledger.suspended);
    fprintf(out, "},\"hash\":\"%016" PRIx64 "\"", frame->hash);
}

/* Tells the page how it looks now. */
static rv_status show(scene_run *s, int64_t ms, bool *more) {
    rv_frame frame;
    rv_particles particles;
    studio_letter letter;
    rv_status status = rv_scene_info(s->scene, &frame);
    if (status == RV_OK)
        status = rv_scene_particles(s->scene, &particles);
    if (status != RV_OK)
        return status;
    *more = frame.frame < frame.frames;
    /* The last one is always shown. */
    if ((!studio_slice_wanted(s->session, s->request->live.rate) && *more) ||
        !studio_letter_begin(&letter))
        return RV_OK;
    put_frame(s, letter.json, &frame, &particles, ms);
    add_rock(s, &letter);
    add_particles(&letter, &particles);
    studio_packet *packet = studio_letter_end(&letter);
    if (packet)
        packet->slice = true;
    studio_event(s->session, packet);
    return RV_OK;
}

static void run_frames(scene_run *s, rv_context *ctx) {
    bool more = false;
    rv_status status = rv_scene_plan_run(s->scene, &s->plan);
    if (status == RV_OK)
        status = rv_scene_start(s->scene);
    if (status == RV_OK)
        status = show(s, 0, &more);
    while (status == RV_OK && more) {
        if (!studio_gate_pass(s->session, s->request->run, true, tell_held, s)) {
            status = RV_CANCELLED;
            break;
        }
        int64_t began = cli_now_ms();
        status = rv_scene_step(s->scene);
        if (status == RV_OK)
            status = show(s, cli_now_ms() - began, &more);
    }
    if (status == RV_CANCELLED)
        tell_ended(s, "cancelled", status, "");
    else
        tell_ended(s, status == RV_OK ? "finished" : "failed", status,
                   status == RV_OK ? "" : rv_context_error(ctx));
}

/* Models are files that the page has put: no name says a folder. */
static bool names_are_plain(const rv_scene *scene) {
    int size = rv_scene_print(scene, NULL, 0);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    bool plain = text != NULL;
    if (text)
        rv_scene_print(scene, text, (size_t)size + 1);
    for (const char *at = text; plain && at && (at = strstr(at, "file="));) {
        at += strlen("file=");
        size_t name = *at == '"' ? 1 + strcspn(at + 1, "\"\n") : strcspn(at, " \n");
        plain = !memchr(at, '/', name);
        at += name;
    }
    free(text);
    return plain;
}

void studio_scene_run(studio_session *session, studio_land *land, const char *scratch,
                      const studio_request *request) {
    scene_run s = {.session = session, .request = request, .began_ms = cli_now_ms()};
    rv_context *ctx = studio_land_context(land);
    const char *words = studio_json_text(request->json, "words");
    studio_gate_begin(session, request->run, request->live.slices);
    /* From a file: models are looked for beside it, where those are that the page has put. */
    char *path = studio_path(scratch, "scene");
    rv_status status = RV_ERROR_OUTPUT;
    if (path && studio_scratch_put(scratch, "scene", words, strlen(words)))
        status = rv_scene_load(ctx, path, &s.scene);
    free(path);
    if (status == RV_OK && !names_are_plain(s.scene))
        tell_ended(&s, "failed", RV_ERROR_INPUT, "A model is a file that the page has opened.");
    else if (status == RV_OK)
        run_frames(&s, ctx);
    else
        tell_ended(&s, "failed", status, rv_context_error(ctx));
    rv_scene_destroy(s.scene);
}
