/* scene_words.c: the table of words of scenes as data. */
#include "scene/scene_words.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Options of all choices. */
#define RV_CHOICE(word, key, def, help) static const rv_option_info word##_##key##_options[] = {
#define RV_OPTION(word, key, id, name, help) {name, help},
#define RV_CHOICE_END(word, key)                                                                   \
    }                                                                                              \
    ;
#include "scene/scene.def"

/* Parameters of all words. */
#define AT(word, key) .name = #key, .offset = offsetof(rvi_word_##word, key)
#define NUMBER(kind, word, key, d, l, h, u, t)                                                     \
    {AT(word, key),       .type = kind, .def = (double)(d), .low = (double)(l),                    \
     .high = (double)(h), .unit = u,    .help = t},
#define NAME(kind, word, key, d, t)                                                                \
    {AT(word, key), .type = kind, .text = d, .required = (const char *)d == NULL,                  \
     .unit = "",    .help = t},
#define RV_WORD(name, sentence) static const rv_param_info name##_table[] = {
#define RV_REAL(word, key, d, l, h, u, t) NUMBER(RV_PARAM_REAL, word, key, d, l, h, u, t)
#define RV_INT(word, key, d, l, h, u, t) NUMBER(RV_PARAM_INT, word, key, d, l, h, u, t)
#define RV_COUNT(word, key, d, l, h, u, t) NUMBER(RV_PARAM_COUNT, word, key, d, l, h, u, t)
#define RV_SEED(word, key, d, t)                                                                   \
    NUMBER(RV_PARAM_SEED, word, key, d, 0, 18446744073709551615.0, "", t)
#define RV_SWITCH(word, key, d, t) NUMBER(RV_PARAM_SWITCH, word, key, d, 0, 1, "", t)
#define RV_VECTOR(word, key, x, y, z, l, h, u, t)                                                  \
    {                                                                                              \
        AT(word, key),                                                                             \
        .type = RV_PARAM_VECTOR,                                                                   \
        .vector = {(double)(x), (double)(y), (double)(z)},                                         \
        .low = (double)(l),                                                                        \
        .high = (double)(h),                                                                       \
        .unit = u,                                                                                 \
        .help = t},
#define RV_CHOICE(word, key, d, t)                                                                 \
    {AT(word, key),                                                                                \
     .type = RV_PARAM_CHOICE,                                                                      \
     .def = RVI_scene_##word##_##key##_##d,                                                        \
     .high = RVI_scene_##word##_##key##_COUNT - 1,                                                 \
     .options = word##_##key##_options,                                                            \
     .option_count = RVI_scene_##word##_##key##_COUNT,                                             \
     .unit = "",                                                                                   \
     .help = t},
#define RV_TEXT(word, key, d, t) NAME(RV_PARAM_TEXT, word, key, d, t)
#define RV_FILE(word, key, d, t) NAME(RV_PARAM_FILE, word, key, d, t)
#define RV_WORD_END(word)                                                                          \
    }                                                                                              \
    ;
#include "scene/scene.def"

static const rv_step_info words[RVI_WORD_COUNT] = {
#define RV_WORD(word, sentence_)                                                                   \
    {.id = (rv_step_id)RVI_WORD_##word,                                                            \
     .name = #word,                                                                                \
     .kind = RV_KIND_make,                                                                         \
     .sentence = sentence_,                                                                        \
     .source = "Ravine",                                                                           \
     .reads = "",                                                                                  \
     .writes = "",                                                                                 \
     .params_size = sizeof(rvi_word_##word),                                                       \
     .params = word##_table,                                                                       \
     .param_count = (int)(sizeof word##_table / sizeof word##_table[0])},
#include "scene/scene.def"
};

static const rv_step_info *get_word(int index) {
    assert(index >= 0 && index < RVI_WORD_COUNT);
    return &words[index];
}

const rvi_vocabulary rvi_scene_vocabulary = {.get = get_word,
                                             .count = RVI_WORD_COUNT,
                                             .word = "word",
                                             .whole = "scene",
                                             .bare_choices = true};

int rv_scene_word_count(void) {
    return RVI_WORD_COUNT;
}

const rv_step_info *rv_scene_word(int index) {
    return get_word(index);
}

const void *rvi_scene_last(const rv_recipe *scene, rvi_scene_word which, void *room) {
    for (int i = scene->count - 1; i >= 0; i--)
        if ((int)scene->steps[i].id == (int)which)
            return scene->steps[i].params;
    rv_word_default(&words[which], room);
    return room;
}
