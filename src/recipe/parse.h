/* parse.h: a recipe in memory. */
#ifndef RVI_RECIPE_PARSE_H
#define RVI_RECIPE_PARSE_H

#include "base/context.h"

enum { RVI_DEPTH = 8 }; /* repeats inside each other */

typedef struct rvi_recipe_step {
    rv_step_id id;
    void *params; /* the step's struct; its texts belong to the recipe */
} rvi_recipe_step;

struct rv_recipe {
    rv_context *ctx;
    rvi_recipe_step *steps;
    int count, room;
    char **texts; /* every text a parameter points to */
    int text_count, text_room;
};

#endif
