/* land_state.h: the land that a page works on, for the files that run it, keep it and tell of it.
 */
#ifndef RAVINE_LAND_STATE_H
#define RAVINE_LAND_STATE_H

#include "studio.h"

/* One run of a step: which of the list, in which turn of its repeats. */
typedef struct studio_turn {
    int step;  /* that runs */
    int place; /* after which its land is that of the list, where it is whole */
    int64_t turn, turns;
    bool whole; /* no repeat is open after it */
} studio_turn;

typedef struct studio_order {
    studio_turn *turns;
    size_t count, room;
} studio_order;

typedef struct studio_kept {
    struct studio_kept *next; /* the one used before it */
    char *key;
    rv_snapshot *snapshot;
    size_t bytes;
    double ms; /* that its step took; below 0: nobody knows */
} studio_kept;

struct studio_land {
    studio_session *session;
    const studio_place *place;
    const char *scratch;
    rv_context *ctx;
    rv_terrain *land, *viewer;
    char *list; /* the steps of the last run, a line each */
    int steps;
    char *stamps; /* a line for each of them: what its files were like */
    int at;       /* the place that `land` is the land of; -1: none */
    bool stopped; /* in a step, and kept: what follows is not what the list makes */
    char *viewer_key;
    studio_kept *kept; /* last used first */
    const char *out;   /* the folder below `scratch` for files that steps write */
    int device;        /* wanted from the next step on; -1: as it is */
    /* of the run */
    double run;
    int step;
    bool on;
    bool idle; /* what runs was asked for in idle time */
    const studio_live *live;
    double done;
    int64_t began_ms;
    int64_t unsaved_ms; /* work since the last rescue */
};

/* ---- session_list.c: lists of steps ---- */

/* A line for each step of a recipe whose files have their paths: another text when a file that it
 * reads is another. NULL: no memory. */
char *studio_list_stamps(const rv_recipe *recipe);
/* What the land after the first `count` steps is known by; NULL: no memory. */
char *studio_list_key(const char *list, const char *stamps, int count);
char *studio_land_key(const studio_land *l, int count); /* of its own list */
/* A line for each step of the list; NULL: no memory, or no list of texts. */
char *studio_list_join(const studio_json *steps, int *count);
/* Reads steps, and again with the paths of their files. After a failure `why` has the sentence. */
rv_status studio_list_read(studio_land *l, const char *text, bool stores, rv_recipe **out,
                           char why[CLI_TEXT]);
/* The order in which they run, with their repeats; free() its turns. RV_ERROR_USAGE: too many. */
rv_status studio_list_order(const rv_recipe *recipe, studio_order *out);

/* ---- session_kept.c: lands of earlier steps ---- */

/* That of a key, which is then the last used; NULL: none. */
studio_kept *studio_kept_find(studio_land *l, const char *key);
/* Without it the next run only starts further back. */
/* `key` is taken over. `ms`: that the step took. */
void studio_kept_add(studio_land *l, const rv_terrain *land, char *key, double ms);
/* Is there room for one more without letting another go? */
bool studio_kept_room(const studio_land *l, const rv_terrain *land);
rv_status studio_land_flat(studio_land *l, rv_terrain **out);
/* The land of a place: the one that is there, or a copy made from a snapshot. NULL with a sentence.
 */
const rv_terrain *studio_land_at(studio_land *l, int place, const char **why);

/* After a step that took so long: sends the land to the page, if it is time, for another engine to
 * go on with when this program has died. */
void studio_land_rescue(studio_land *l, int64_t ms);
studio_packet *studio_land_revive(studio_land *l, const studio_request *request);

/* ---- session_tell.c: what the page is told of a land and its run ---- */

void studio_put_real(FILE *out, const char *name, double value);
void studio_put_land(FILE *out, const rv_terrain *land);
void studio_put_figures(FILE *out, const rv_terrain *land);
void studio_add_fields(studio_letter *letter, const rv_terrain *land, const studio_json *fields,
                       int every);
void studio_tell_slice(studio_land *l, const rv_terrain *land, double done);
void studio_tell_started(studio_land *l);
void studio_tell_ended(studio_land *l, const char *how, rv_status status, const char *sentence);
void studio_tell_step(studio_land *l, const studio_turn *t);
void studio_tell_done(studio_land *l, const studio_turn *t, const rv_report *report, int64_t began);

#endif
