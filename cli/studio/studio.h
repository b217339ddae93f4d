/* studio.h: `ravine studio`: a page in the browser, and the library on this machine behind it. The
 * messages that the two exchange are those of studio/src/engine/messages.ts. */
#ifndef RAVINE_STUDIO_H
#define RAVINE_STUDIO_H

#include "cli.h"

/* ---- message.c: JSON that came in, and messages that go out ---- */

typedef enum studio_kind {
    STUDIO_NULL,
    STUDIO_TRUE,
    STUDIO_FALSE,
    STUDIO_NUMBER,
    STUDIO_TEXT,
    STUDIO_LIST,
    STUDIO_OBJECT
} studio_kind;

typedef struct studio_json {
    studio_kind kind;
    double number;
    const char *text;
    const char *key;          /* in an object */
    struct studio_json *next; /* of the same list or object */
    struct studio_json *first;
} studio_json;

/* Reads `size` bytes, which it changes and which must live as long as the result; free() that.
 * NULL: it is not JSON, or deeper than any message is. */
studio_json *studio_json_read(char *text, size_t size);
const studio_json *studio_json_get(const studio_json *object, const char *key); /* NULL: none */
const char *studio_json_text(const studio_json *object, const char *key);       /* "": none */
double studio_json_number(const studio_json *object, const char *key, double otherwise);

/* A message as it goes out. */
typedef struct studio_packet {
    struct studio_packet *next;
    bool slice;
    bool stopped; /* the reply of what was stopped before it was done */
    size_t size;
    char *bytes;
} studio_packet;

/* A message that is being made: its members are printed to `json`, and data in bulk are added. */
typedef struct studio_letter {
    FILE *json;
    char *text;
    size_t text_size;
    int count;
    size_t sizes[64];
    char *data[64];
} studio_letter;

bool studio_letter_begin(studio_letter *letter); /* false: no memory */
/* Room for `size` bytes that go with the message; NULL: no memory, or there are 64 already. */
void *studio_letter_add(studio_letter *letter, size_t size);
studio_packet *studio_letter_end(studio_letter *letter); /* NULL: no memory */
studio_packet *studio_ok(double id);
studio_packet *studio_wrong(double id, int status, const char *sentence);
void studio_packet_free(studio_packet *packet);

/* ---- studio_files.c: the page, and files that come and go with messages ---- */

typedef struct studio_file {
    char *name; /* below its folder */
    char *bytes;
    size_t size;
} studio_file;

typedef struct studio_folder {
    studio_file *files;
    size_t count;
} studio_folder;

bool studio_file_read(const char *path, studio_file *out); /* free() its bytes */
/* When and how large: another text when the file is another. "": there is none. */
void studio_file_stamp(const char *path, char out[64]);
/* All plain files of a folder and its folders, in memory. Links are left out. */
bool studio_folder_read(const char *path, studio_folder *out);
void studio_folder_free(studio_folder *folder);
const studio_file *studio_folder_find(const studio_folder *folder, const char *name);

/* A folder for files that come and go, and what tells other programs that this one lives. */
typedef struct studio_scratch {
    char *path;
    FILE *owner;
} studio_scratch;

/* A new folder in `base` that others cannot read; false: errno says why. */
bool studio_scratch_make(const char *base, studio_scratch *out);
void studio_scratch_end(studio_scratch *scratch); /* removes it; one of no path is fine */
/* Removes the folders that programs which have died since have made in `base`. */
void studio_scratch_clear(const char *base);
bool studio_scratch_sub(const char *path); /* a folder in it, and empty */
void studio_scratch_remove(const char *path);
void studio_scratch_drop(const char *path); /* one file */
/* A file that is read meanwhile stays as it was for its reader. */
bool studio_scratch_put(const char *folder, const char *name, const void *bytes, size_t size);
char *studio_path(const char *folder, const char *name); /* both; free() it */
/* Where `name` leads in `folder`, if it stays below it; NULL: it does not. Of a file that is to be
 * written, its folder must be there. */
char *studio_path_below(const char *folder, const char *name, bool writes);
bool studio_is_link(const char *path);
bool studio_name_plain(const char *name); /* one that can stand in any folder? */

/* ---- session.c: what one page asks for, and what it is told ---- */

typedef struct studio_session studio_session;

typedef struct studio_place {
    const char *folder;      /* where the program was started */
    const char *scratch;     /* for the files of pages */
    const char *name, *text; /* of the recipe to begin with; "": none */
    const char *devices;     /* that there are: members of a JSON list */
    const cli_options *options;
} studio_place;

/* NULL with a sentence in `why`. */
studio_session *studio_session_open(const studio_place *place, const char *id, const char **why);
void studio_session_end(studio_session *session); /* stops what runs, and answers who waits */
void studio_session_close(
    studio_session *session); /* after its end, when nobody uses it any more */
/* One request, whose bytes it takes over; gives the reply, NULL: no memory. */
studio_packet *studio_session_ask(studio_session *session, char *bytes, size_t size);
/* The next event; NULL: there was none for a while. */
studio_packet *studio_session_event(studio_session *session, int wait_ms);

/* ---- for session_land.c and session_scene.c, on the session's own thread ---- */

/* What the page wants to see. */
typedef struct studio_live {
    const studio_json *fields;
    double rate;
    int every;
    const studio_json *last; /* fields that come with the end of the run */
    bool slices;             /* hold after each */
    double rescue;           /* ms of work after which the land is sent */
} studio_live;

typedef struct studio_request {
    double id;
    const char *kind;
    const studio_json *json;
    const char *data; /* of its first buffer */
    size_t data_size;
    double run;
    studio_live live;
} studio_request;

typedef enum studio_wish {
    STUDIO_RESUME,
    STUDIO_PAUSE,
    STUDIO_SLICE,
    STUDIO_KEEP,
    STUDIO_CANCEL
} studio_wish;

void studio_event(studio_session *session, studio_packet *packet); /* NULL is fine */
bool studio_slice_wanted(studio_session *session, double rate); /* is it time, and is there room? */
void studio_gate_begin(studio_session *session, double run, bool held);
/* Asked by what runs: false: stop. `whole`: the land may be looked at. Holds when the page wishes;
 * `held` then tells it. */
bool studio_gate_pass(studio_session *session, double run, bool whole, void (*held)(void *user),
                      void *user);
/* For what neither shows itself nor holds: false: stop. */
bool studio_gate_lets(studio_session *session);
/* For what is asked while a run goes on: false: stop, the run is to end. */
bool studio_gate_meanwhile(studio_session *session);
/* For what was asked for in idle time: false: stop, since something else is asked or wished. */
bool studio_gate_idle(studio_session *session);
/* Does the page wish an end? STUDIO_RESUME: no. */
studio_wish studio_gate_ending(studio_session *session, double run);

typedef struct studio_land studio_land;
studio_land *studio_land_open(studio_session *session, const studio_place *place,
                              const char *scratch);
void studio_land_close(studio_land *land);
rv_context *studio_land_context(studio_land *land);
void studio_land_run(studio_land *land, const studio_request *request);
void studio_land_continue(studio_land *land, const studio_request *request);
studio_packet *studio_land_answer(studio_land *land, const studio_request *request);
/* The same while a run goes on, from lands that it does not change any more. */
studio_packet *studio_land_meanwhile(studio_land *land, const studio_request *request);
/* In idle time: makes the lands of a list that runs may begin with. */
studio_packet *studio_land_prepare(studio_land *land, const studio_request *request);
int studio_land_device(const studio_land *land); /* in use, or wanted from the next step on */
/* The device for what comes after the step that runs; `why` says what is wrong with it. */
rv_status studio_land_want_device(studio_land *land, int device, char why[CLI_TEXT]);
void studio_land_take_device(studio_land *land); /* where one is wanted */
void studio_log(void *land, const char *line);
bool studio_progress(void *land, const rv_progress *now);

void studio_scene_run(studio_session *session, studio_land *land, const char *scratch,
                      const studio_request *request);

/* ---- server.c: HTTP on the loopback address ---- */

typedef struct studio_server studio_server;
/* Not 0: the exit code; the error is printed. */
int studio_server_start(const studio_place *place, const studio_folder *page, int port,
                        studio_server **out);
int studio_server_port(const studio_server *server);
bool studio_server_met(studio_server *server); /* has a page come? */
const char *studio_server_token(const studio_server *server);
void studio_server_stop(studio_server *server);

#endif
