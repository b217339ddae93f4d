/* session.c: one page: a thread of its own with a context of its own, which takes requests in their
 * order; a gate through which the page holds and stops what runs; and events on their way. */
#include "studio.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct task {
    struct task *next;
    char *bytes;
    studio_json *json;
    studio_request request;
    bool waited; /* the one who asked waits for the reply; else it is freed here */
    bool done;
    studio_packet *reply;
} task;

/* What is wished of a run. */
typedef struct run_wish {
    double run;
    studio_wish wish;
} run_wish;

struct studio_session {
    const studio_place *place;
    char *scratch; /* its own folder */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change; /* of anything below */
    task *first;
    bool closing;
    run_wish wish;    /* for the run that has begun */
    run_wish early;   /* for one after it, or for what is made in idle time */
    double newest;    /* run that was asked for */
    double begun;     /* run that has begun */
    double preparing; /* number of what is made in idle time */
    bool running;
    bool told; /* that it is held */
    studio_packet *events, **last;
    bool slice_waits;
    int64_t shown_ms;
    studio_land *land;
};

/* ---- events ---- */

void studio_event(studio_session *s, studio_packet *packet) {
    if (!packet)
        return;
    pthread_mutex_lock(&s->lock);
    *s->last = packet;
    s->last = &packet->next;
    s->slice_waits |= packet->slice;
    pthread_cond_broadcast(&s->change);
    pthread_mutex_unlock(&s->lock);
}

static void wait_for(studio_session *s, int ms) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&s->change, &s->lock, &until);
}

studio_packet *studio_session_event(studio_session *s, int wait_ms) {
    pthread_mutex_lock(&s->lock);
    if (!s->events)
        wait_for(s, wait_ms);
    studio_packet *packet = s->events;
    if (packet) {
        s->events = packet->next;
        packet->next = NULL;
        if (!s->events)
            s->last = &s->events;
        if (packet->slice)
            s->slice_waits = false;
    }
    pthread_mutex_unlock(&s->lock);
    return packet;
}

/* As long as nothing is wished of a run, it goes on. */
static studio_wish wish_of(const studio_session *s, double run) {
    if (run == s->wish.run)
        return s->wish.wish;
    return run == s->early.run ? s->early.wish : STUDIO_RESUME;
}

bool studio_slice_wanted(studio_session *s, double rate) {
    int64_t now = cli_now_ms();
    pthread_mutex_lock(&s->lock);
    studio_wish wish = wish_of(s, s->begun);
    bool holds = wish == STUDIO_PAUSE || wish == STUDIO_SLICE;
    bool due = (double)(now - s->shown_ms) >= 1000.0 / (rate > 1.0 ? rate : 1.0) - 4.0;
    bool wanted = holds || (due && !s->slice_waits);
    if (wanted)
        s->shown_ms = now;
    pthread_mutex_unlock(&s->lock);
    return wanted;
}

/* ---- the gate ---- */

/* One for a run that ends anyway, or is over, is not heard. */
static void set_wish(studio_session *s, double run, studio_wish wish) {
    run_wish *kept = run > s->begun ? &s->early : &s->wish;
    if (run < s->newest || run < kept->run)
        return;
    *kept = (run_wish){run, wish};
    pthread_cond_broadcast(&s->change);
}

void studio_gate_begin(studio_session *s, double run, bool held) {
    pthread_mutex_lock(&s->lock);
    s->wish = (run_wish){run, wish_of(s, run)};
    s->begun = run;
    if (held && s->wish.wish == STUDIO_RESUME)
        set_wish(s, run, STUDIO_SLICE);
    s->running = true;
    s->told = false;
    s->shown_ms = 0;
    pthread_mutex_unlock(&s->lock);
}

static bool unwanted(const studio_session *s, double run) {
    studio_wish wish = wish_of(s, run);
    return s->closing || run < s->newest || wish == STUDIO_KEEP || wish == STUDIO_CANCEL;
}

static bool answer_from_session(studio_session *s, task *t);
static void end_task(studio_session *s, task *t);

/* What needs neither the land that runs nor its context. */
static bool is_answered_meanwhile(const char *kind) {
    static const char *const kinds[] = {"hello", "read",  "look",   "measure",
                                        "save",  "store", "device", "put"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

/* Asked by what runs, with the lock held: answers those who would else wait until it is over. */
static void answer_meanwhile(studio_session *s, double run) {
    task *t;
    while ((t = s->first) && !unwanted(s, run) && is_answered_meanwhile(t->request.kind)) {
        s->first = t->next;
        pthread_mutex_unlock(&s->lock);
        if (!answer_from_session(s, t))
            t->reply = studio_land_meanwhile(s->land, &t->request);
        pthread_mutex_lock(&s->lock);
        if (!t->reply || !t->reply->stopped) {
            end_task(s, t);
            continue;
        }
        studio_packet_free(t->reply); /* it waits after all, until the run has ended */
        t->reply = NULL;
        t->next = s->first;
        s->first = t;
        return;
    }
}

bool studio_gate_pass(studio_session *s, double run, bool whole, void (*held)(void *user),
                      void *user) {
    pthread_mutex_lock(&s->lock);
    for (;;) {
        answer_meanwhile(s, run);
        studio_wish wish = wish_of(s, run);
        if (unwanted(s, run) || wish == STUDIO_RESUME)
            break;
        if (wish == STUDIO_SLICE && !whole)
            break;
        if (wish == STUDIO_SLICE) { /* this is the slice: hold from here on */
            set_wish(s, run, STUDIO_PAUSE);
            s->told = false;
        }
        if (!s->told) {
            s->told = true;
            pthread_mutex_unlock(&s->lock);
            held(user);
            pthread_mutex_lock(&s->lock);
            continue;
        }
        pthread_cond_wait(&s->change, &s->lock);
        whole = false;
    }
    if (wish_of(s, run) == STUDIO_RESUME)
        s->told = false;
    bool goes_on = !unwanted(s, run);
    pthread_mutex_unlock(&s->lock);
    return goes_on;
}

bool studio_gate_lets(studio_session *s) {
    pthread_mutex_lock(&s->lock);
    if (s->running)
        answer_meanwhile(s, s->begun);
    bool lets = s->running ? !unwanted(s, s->begun) : !s->closing && s->newest <= s->begun;
    pthread_mutex_unlock(&s->lock);
    return lets;
}

bool studio_gate_meanwhile(studio_session *s) {
    pthread_mutex_lock(&s->lock);
    bool lets = !unwanted(s, s->begun);
    pthread_mutex_unlock(&s->lock);
    return lets;
}

bool studio_gate_idle(studio_session *s) {
    pthread_mutex_lock(&s->lock);
    bool idle = !s->closing && !s->first && wish_of(s, s->preparing) != STUDIO_CANCEL;
    pthread_mutex_unlock(&s->lock);
    return idle;
}

studio_wish studio_gate_ending(studio_session *s, double run) {
    pthread_mutex_lock(&s->lock);
    studio_wish wish = s->closing || run < s->newest ? STUDIO_CANCEL : wish_of(s, run);
    pthread_mutex_unlock(&s->lock);
    return wish == STUDIO_CANCEL || wish == STUDIO_KEEP ? wish : STUDIO_RESUME;
}

/* ---- requests ---- */

static studio_packet *reply_ready(studio_session *s, double id) {
    studio_letter letter;
    const rv_context *ctx = studio_land_context(s->land);
    if (!studio_letter_begin(&letter))
        return NULL;
    fprintf(letter.json, "\"id\":%.0f,\"kind\":\"ready\",\"engine\":\"machine\",\"version\":\"%s\"",
            id, rv_version());
    fprintf(letter.json,
            ",\"threads\":%d,\"memory\":%zu,\"pauses\":true,\"folder\":", rv_context_threads(ctx),
            rv_context_memory_limit(ctx));
    cli_json_text(letter.json, s->place->folder);
    fprintf(letter.json, ",\"device\":%d,\"devices\":[%s],\"name\":", studio_land_device(s->land),
            s->place->devices);
    cli_json_text(letter.json, s->place->name);
    fputs(",\"recipe\":", letter.json);
    cli_json_text(letter.json, s->place->text);
    return studio_letter_end(&letter);
}

/* Runs go on with another device, or with the processor alone, from the next step on. */
static studio_packet *change_device(studio_session *s, const studio_request *request) {
    double device = studio_json_number(request->json, "device", 0.0);
    if (!(device >= 0.0 && device <= 1000.0))
        return studio_wrong(request->id, RV_ERROR_USAGE, "There is no such device.");
    char why[CLI_TEXT];
    rv_status status = studio_land_want_device(s->land, (int)device, why);
    if (status != RV_OK)
        return studio_wrong(request->id, (int)status, why);
    return reply_ready(s, request->id);
}

static studio_packet *put_file(studio_session *s, const studio_request *request) {
    const char *name = studio_json_text(request->json, "name");
    if (!studio_name_plain(name))
        return studio_wrong(request->id, RV_ERROR_USAGE,
                            "A file is put by its name alone, without folders.");
    if (!request->data || !studio_scratch_put(s->scratch, name, request->data, request->data_size))
        return studio_wrong(request->id, RV_ERROR_OUTPUT,
                            "The file could not be kept on this machine.");
    return studio_ok(request->id);
}

static studio_packet *prepare(studio_session *s, const studio_request *request) {
    pthread_mutex_lock(&s->lock);
    s->preparing = request->run;
    pthread_mutex_unlock(&s->lock);
    return studio_land_prepare(s->land, request);
}

/* What needs no land. False: it is another request. */
static bool answer_from_session(studio_session *s, task *t) {
    const studio_request *request = &t->request;
    if (strcmp(request->kind, "hello") == 0)
        t->reply = reply_ready(s, request->id);
    else if (strcmp(request->kind, "device") == 0)
        t->reply = change_device(s, request);
    else if (strcmp(request->kind, "put") == 0)
        t->reply = put_file(s, request);
    else
        return false;
    return true;
}

static void work_on(studio_session *s, task *t) {
    const studio_request *request = &t->request;
    if (strcmp(request->kind, "run") == 0)
        studio_land_run(s->land, request);
    else if (strcmp(request->kind, "continue") == 0)
        studio_land_continue(s->land, request);
    else if (strcmp(request->kind, "scene") == 0)
        studio_scene_run(s, s->land, s->scratch, request);
    else if (strcmp(request->kind, "prepare") == 0)
        t->reply = prepare(s, request);
    else if (!answer_from_session(s, t))
        t->reply = studio_land_answer(s->land, request);
}

static void free_task(task *t) {
    free(t->json);
    free(t->bytes);
    free(t);
}

/* With the lock held. */
static void end_task(studio_session *s, task *t) {
    if (!t->waited) {
        free_task(t);
        return;
    }
    t->done = true;
    pthread_cond_broadcast(&s->change);
}

static void *work(void *arg) {
    studio_session *s = arg;
    pthread_mutex_lock(&s->lock);
    while (!s->closing) {
        task *t = s->first;
        if (!t) {
            pthread_cond_wait(&s->change, &s->lock);
            continue;
        }
        s->first = t->next;
        pthread_mutex_unlock(&s->lock);
        work_on(s, t);
        studio_land_take_device(s->land);
        pthread_mutex_lock(&s->lock);
        s->running = false;
        end_task(s, t);
    }
    while (s->first) {
        task *t = s->first;
        s->first = t->next;
        end_task(s, t);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* The head and the data of a message. NULL: a message, else the sentence about what is wrong. */
static const char *read_request(task *t, size_t size) {
    size_t length = 0;
    for (size_t i = 0; size >= 4 && i < 4; i++)
        length |= (size_t)(unsigned char)t->bytes[i] << (8 * i);
    if (size < 4 || length > size - 4 || length > 1 << 22)
        return "The message has not the length that it tells.";
    t->json = studio_json_read(t->bytes + 4, length);
    if (!t->json || t->json->kind != STUDIO_OBJECT)
        return "The message is not a JSON object.";
    const studio_json *buffers = studio_json_get(t->json, "buffers");
    const studio_json *live = studio_json_get(t->json, "live");
    double data =
        buffers && buffers->kind == STUDIO_LIST && buffers->first ? buffers->first->number : 0.0;
    if (data < 0.0 || data > (double)(size - 4 - length))
        return "The message has less data than it tells.";
    double every = studio_json_number(live, "every", 1.0);
    t->request = (studio_request){.id = studio_json_number(t->json, "id", 0.0),
                                  .kind = studio_json_text(t->json, "kind"),
                                  .json = t->json,
                                  .data = t->bytes + 4 + length,
                                  .data_size = (size_t)data,
                                  .run = studio_json_number(t->json, "run", 0.0)};
    t->request.live = (studio_live){.fields = studio_json_get(live, "fields"),
                                    .last = studio_json_get(live, "last"),
                                    .rate = studio_json_number(live, "rate", 20.0),
                                    .rescue = studio_json_number(live, "rescue", 1e300),
                                    .every = every >= 1.0 && every <= 65536.0 ? (int)every : 1};
    const studio_json *slices = studio_json_get(live, "slices");
    t->request.live.slices = slices && slices->kind == STUDIO_TRUE;
    return NULL;
}

static studio_packet *control(studio_session *s, const studio_request *request) {
    static const char *const names[] = {"resume", "pause", "slice", "keep", "cancel"};
    const char *wish = studio_json_text(request->json, "do");
    if (!(request->run > 0.0))
        return studio_wrong(request->id, RV_ERROR_USAGE, "A wish names the run that it is for.");
    for (int i = 0; i < 5; i++) {
        if (strcmp(wish, names[i]) != 0)
            continue;
        pthread_mutex_lock(&s->lock);
        set_wish(s, request->run, (studio_wish)i);
        pthread_mutex_unlock(&s->lock);
        return studio_ok(request->id);
    }
    return studio_wrong(request->id, RV_ERROR_USAGE,
                        "A run can be told to resume, pause, slice, keep or cancel.");
}

static bool is_run(const char *kind) {
    return strcmp(kind, "run") == 0 || strcmp(kind, "continue") == 0 || strcmp(kind, "scene") == 0;
}

/* Takes the task over, and gives its reply when there is one. */
static studio_packet *hand_over(studio_session *s, task *t) {
    double id = t->request.id;
    bool runs = is_run(t->request.kind);
    studio_packet *reply = runs ? studio_ok(id) : NULL;
    t->waited = !runs;
    pthread_mutex_lock(&s->lock);
    if (s->closing) { /* its thread takes nothing any more */
        pthread_mutex_unlock(&s->lock);
        studio_packet_free(reply);
        free_task(t);
        return studio_wrong(id, RV_CANCELLED, "The page was closed.");
    }
    if (runs && t->request.run > s->newest)
        s->newest = t->request.run; /* what runs ends */
    task **last = &s->first;
    while (*last)
        last = &(*last)->next;
    *last = t;
    pthread_cond_broadcast(&s->change);
    while (!runs && !t->done)
        pthread_cond_wait(&s->change, &s->lock);
    pthread_mutex_unlock(&s->lock);
    if (runs)
        return reply;
    reply = t->reply ? t->reply : studio_wrong(id, RV_CANCELLED, "The page was closed.");
    free_task(t);
    return reply;
}

studio_packet *studio_session_ask(studio_session *s, char *bytes, size_t size) {
    task *t = calloc(1, sizeof *t);
    if (!t) {
        free(bytes);
        return NULL;
    }
    t->bytes = bytes;
    const char *wrong = read_request(t, size);
    studio_packet *reply;
    if (wrong) {
        reply = studio_wrong(0.0, RV_ERROR_USAGE, wrong);
    } else if (strcmp(t->request.kind, "control") == 0) {
        reply = control(s, &t->request);
    } else {
        return hand_over(s, t);
    }
    free_task(t);
    return reply;
}

/* ---- from open to close ---- */

studio_session *studio_session_open(const studio_place *place, const char *id, const char **why) {
    studio_session *s = calloc(1, sizeof *s);
    *why = "There is not enough memory for another page.";
    if (!s)
        return NULL;
    s->place = place;
    s->last = &s->events;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->change, &clock);
    pthread_condattr_destroy(&clock);
    s->scratch = studio_path(place->scratch, id);
    if (s->scratch && studio_scratch_sub(s->scratch))
        s->land = studio_land_open(s, place, s->scratch);
    if (s->land && pthread_create(&s->thread, NULL, work, s) == 0)
        return s;
    if (s->land)
        studio_land_close(s->land);
    if (s->scratch)
        studio_scratch_remove(s->scratch);
    pthread_cond_destroy(&s->change);
    pthread_mutex_destroy(&s->lock);
    free(s->scratch);
    free(s);
    return NULL;
}

void studio_session_end(studio_session *s) {
    pthread_mutex_lock(&s->lock);
    s->closing = true;
    pthread_cond_broadcast(&s->change);
    pthread_mutex_unlock(&s->lock);
}

void studio_session_close(studio_session *s) {
    pthread_join(s->thread, NULL);
    studio_land_close(s->land);
    studio_scratch_remove(s->scratch);
    while (s->events) {
        studio_packet *next = s->events->next;
        studio_packet_free(s->events);
        s->events = next;
    }
    pthread_cond_destroy(&s->change);
    pthread_mutex_destroy(&s->lock);
    free(s->scratch);
    free(s);
}
