/* parse.h: a recipe in memory. */
#ifndef RVI_WORDS_PARSE_H
#define RVI_WORDS_PARSE_H

#include "base/context.h"

enum { RVI_DEPTH = 8 }; /* repeats inside each other */

/* What words there are, and what sentences call them. */
typedef struct rvi_vocabulary {
    const rv_step_info *(*get)(int index);
    int count;
    const char *word, *whole; /* "step" of a "recipe" */
    bool orders;              /* repeat and end say what runs when */
    bool bare_choices;        /* a choice that comes first may stand without its key, too */
} rvi_vocabulary;

typedef struct rvi_recipe_step {
    rv_step_id id; /* of a step; the place of other words in their vocabulary */
    const rv_step_info *info;
    void *params; /* the step's struct; its texts belong to the recipe */
} rvi_recipe_step;

struct rv_recipe {
    rv_context *ctx;
    const rvi_vocabulary *vocabulary;
    rvi_recipe_step *steps;
    int count, room;
    char **texts; /* every text a parameter points to */
    int text_count, text_room;
};

/* Reads `size` bytes of text, which a zero follows, as words of a vocabulary. */
rv_status rvi_words_parse(rv_context *ctx, const rvi_vocabulary *vocabulary, const char *text,
                          size_t size, const char *name, rv_recipe **out);

#endif
