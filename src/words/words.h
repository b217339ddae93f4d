/* words.h: words with parameters, as recipes and scenes are written in: a list of them in memory,
 * read from text, changed and printed. What words there are comes from a vocabulary; this folder
 * knows neither steps nor scenes. */
#ifndef RVI_WORDS_WORDS_H
#define RVI_WORDS_WORDS_H

#include "base/context.h"

enum {
    RVI_DEPTH = 8,         /* blocks inside each other */
    RVI_MOST_CELLS = 65536 /* of a length that is said in cells */
};

/* Another name of a word, or of a parameter of it, from earlier versions or of people's own: who
 * writes that is told what it is called. */
typedef struct rvi_other_name {
    const char *word, *key; /* key NULL: the word itself */
    const char *name;
} rvi_other_name;

/* What words there are, and what sentences call them. */
typedef struct rvi_vocabulary {
    const rv_word_info *(*get)(int index);
    int count;
    const char *word, *whole;       /* "step" of "the recipe" */
    const char *change;             /* how to change one: "STEP.KEY=VALUE" */
    int block_begin, block_end;     /* the words around a block; the same: there are no blocks */
    bool bare_choices;              /* a choice that comes first may stand without its key */
    const char *(*also)(int index); /* what else people call it, ", " between; NULL: nobody knows */
    const rvi_other_name *other;
    int other_count;
} rvi_vocabulary;

/* Where a word stands, for sentences. */
typedef struct rvi_place {
    const char *name; /* of the file, or "command line"; NULL: nowhere */
    int line, column; /* from 1; line 0: the command line, and column counts words */
} rvi_place;

typedef struct rvi_word {
    int which; /* its place in the vocabulary */
    const rv_word_info *info;
    void *params; /* its struct; the texts in it belong to the list */
    rvi_place at; /* its name belongs to the list, too */
} rvi_word;

typedef struct rvi_words {
    rv_context *ctx;
    const rvi_vocabulary *vocabulary;
    rvi_word *list;
    int count, room;
    char **texts; /* every text that a parameter was set to */
    int text_count, text_room;
} rvi_words;

/* ---- word_list.c ---- */

rvi_words rvi_words_none(rv_context *ctx, const rvi_vocabulary *vocabulary);
void rvi_words_free(rvi_words *words);
rv_status rvi_words_append(rvi_words *words, int which); /* with its defaults */
/* A copy that lives as long as the list, or until it is the `old` of another call. NULL: memory. */
const char *rvi_words_keep(rvi_words *words, const char *old, const char *text, size_t size);

void rvi_words_remove(rvi_words *words, int index);
/* Names of files that count from the working folder count from that one. */
rv_status rvi_words_move(rvi_words *words, const char *folder);
/* A parameter that is a file gets another name, from rvi_alloc, which is freed. false: memory, also
 * where it is NULL. */
bool rvi_words_rename(rvi_words *words, const rvi_word *word, const rv_param_info *param,
                      char *path);
/* FOLDER/FILE, from rvi_alloc; a copy where the file counts from no folder. NULL: memory. */
char *rvi_path_within(rv_context *ctx, const char *folder, const char *file);

/* RV_ERROR_USAGE: a word names the file that is to be `what`, too. */
rv_status rvi_words_check_other(const rvi_words *words, const char *file, const char *what);

/* ---- value.c: a sentence names the place, and the nearest right word ---- */

/* "a.rv, line 2, column 7: ", or nothing. */
void rvi_place_print(const rvi_place *at, char *out, size_t size);
/* Puts the place before the sentence of a failure, and returns `status`. */
rv_status rvi_place_fail(rv_context *ctx, const rvi_place *at, rv_status status);
int rvi_words_find(const rvi_words *words, const char *text, size_t size); /* -1: no such word */
rv_status rvi_words_unknown(const rvi_words *words, const rvi_place *at, const char *text,
                            size_t size);
/* Which words of a list are meant by "noise", all of them, or by "noise#2", the second. There is at
 * least one, or the sentence says that there is none. */
typedef struct rvi_meant {
    int which;
    int first, last; /* in the list; others stand between them */
} rvi_meant;
rv_status rvi_words_mean(const rvi_words *words, const rvi_place *at, const char *text, size_t size,
                         rvi_meant *out);
/* The parameter of a word; NULL: there is none, and the sentence is set. */
const rv_param_info *rvi_words_param(const rvi_words *words, const rvi_place *at,
                                     const rv_word_info *info, const char *key, size_t size);
/* Sets a parameter of one word of the list from text. */
rv_status rvi_words_set(rvi_words *words, const rvi_place *at, rvi_word *to,
                        const rv_param_info *param, const char *text, size_t size);

/* ---- parse.c ---- */

/* Reads `size` bytes of text, which a zero follows, as words of a vocabulary. saved: it comes
 * from rvi_words_save. On failure `out` is empty. */
rv_status rvi_words_parse(rv_context *ctx, const rvi_vocabulary *vocabulary, const char *text,
                          size_t size, const char *name, bool saved, rvi_words *out);
/* Adds what one command line says. On failure no word is added. */
rv_status rvi_words_add(rvi_words *words, int count, const char *const *said);

/* ---- print.c ---- */

/* As rv_recipe_print. */
int rvi_words_print(const rvi_words *words, char *out, size_t size);
/* As text for a checkpoint, from rvi_alloc: the version of Ravine, then any words, also with the
 * end of a line in a name, then the working folder. NULL: memory. */
char *rvi_words_save(const rvi_words *words);
/* Who goes on with what was saved in another folder finds the files there: *out is that folder,
 * from rvi_alloc, and a line says so; NULL: it is this one, or is gone, which is said, too. `name`
 * is that of the checkpoint. */
rv_status rvi_words_folder(rv_context *ctx, const char *saved, const char *name, char **out);
size_t rvi_words_version(char *out, size_t size); /* its first line; returns its length */

#endif
