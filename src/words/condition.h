/* condition.h: a condition in words, such as "height < 1500~100 and not (slope > 30 or lake)".
 *
 *     either    = both { "or" both }
 *     both      = one { "and" one }
 *     one       = "not" one | "(" either ")" | NAME [ test ]
 *     test      = ( "<" | "<=" | ">" | ">=" ) NUMBER [ "~" NUMBER ]
 *               | "in" NUMBER ".." NUMBER [ "~" NUMBER ]
 *
 * The number behind ~ is how wide the edge is. What names mean is for the caller to say. */
#ifndef RVI_WORDS_CONDITION_H
#define RVI_WORDS_CONDITION_H

#include <ravine/ravine.h>

enum {
    RVI_CONDITION_PARTS = 64, /* at most */
    RVI_CONDITION_NAME = 32,  /* bytes of a name with its end */
};

typedef enum rvi_condition_kind {
    RVI_CONDITION_VALUE, /* a name alone */
    RVI_CONDITION_BELOW, /* < high */
    RVI_CONDITION_UP_TO, /* <= high */
    RVI_CONDITION_ABOVE, /* > low */
    RVI_CONDITION_FROM,  /* >= low */
    RVI_CONDITION_IN,    /* low to high, both among them */
    RVI_CONDITION_NOT,   /* of the part before it */
    RVI_CONDITION_AND,   /* of the two before it */
    RVI_CONDITION_OR,
} rvi_condition_kind;

typedef struct rvi_condition_part {
    rvi_condition_kind kind;
    char name[RVI_CONDITION_NAME]; /* of a value or a test */
    float low, high, soft;
} rvi_condition_part;

/* What is joined stands before what joins it: one pass with a stack computes it. */
typedef struct rvi_condition {
    rvi_condition_part parts[RVI_CONDITION_PARTS];
    int count; /* 0: there is no condition */
} rvi_condition;

/* RV_ERROR_USAGE with a sentence that begins with `key` and says at which letter it fails. */
rv_status rvi_condition_parse(rv_context *ctx, const char *key, const char *text,
                              rvi_condition *out);

#endif
