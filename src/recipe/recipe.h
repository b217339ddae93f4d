/* recipe.h: a recipe in memory: a list of words that are steps. */
#ifndef RVI_RECIPE_RECIPE_H
#define RVI_RECIPE_RECIPE_H

#include "words/words.h"

extern const rvi_vocabulary rvi_step_vocabulary;

struct rv_recipe {
    rv_context *ctx;
    rvi_words words;
    char *file; /* that it was read from; NULL: none */
};

/* Reads what rvi_words_save wrote. */
rv_status rvi_recipe_parse_saved(rv_context *ctx, const char *text, const char *name,
                                 rv_recipe **out);

#endif
