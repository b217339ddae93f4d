/* scene_words.h: the table of words of scenes as data. */
#ifndef RVI_SCENE_SCENE_WORDS_H
#define RVI_SCENE_SCENE_WORDS_H

#include "words/words.h"

/* Enumerations of choices: RVI_scene_preset_name_river and so on. */
#define RV_CHOICE(word, key, def, help) typedef enum rvi_scene_##word##_##key {
#define RV_OPTION(word, key, name, help) RVI_scene_##word##_##key##_##name,
#define RV_OPTION_AS(word, key, id, name, help) RVI_scene_##word##_##key##_##id,
#define RV_CHOICE_END(word, key)                                                                   \
    RVI_scene_##word##_##key##_COUNT                                                               \
    }                                                                                              \
    rvi_scene_##word##_##key;
#include "scene/scene.def"

/* Parameters: rvi_word_model and so on. */
#define RV_WORD(name, sentence) typedef struct rvi_word_##name {
#define RV_REAL(word, key, def, low, high, unit, help) float key;
#define RV_INT(word, key, def, low, high, unit, help) int key;
#define RV_COUNT(word, key, def, low, high, unit, help) int64_t key;
#define RV_SEED(word, key, def, help) uint64_t key;
#define RV_SWITCH(word, key, def, help) bool key;
#define RV_VECTOR(word, key, x, y, z, low, high, unit, help) double key[3];
#define RV_CHOICE(word, key, def, help) int key;
#define RV_TEXT(word, key, def, help) const char *key;
#define RV_FILE(word, key, def, help) const char *key;
#define RV_WORD_END(name)                                                                          \
    }                                                                                              \
    rvi_word_##name;
#include "scene/scene.def"

typedef enum rvi_scene_word {
#define RV_WORD(name, sentence) RVI_WORD_##name,
#include "scene/scene.def"
    RVI_WORD_COUNT
} rvi_scene_word;

extern const rvi_vocabulary rvi_scene_vocabulary;

/* The last word of a kind in a scene, else its defaults in `room`, which is of its struct. */
const void *rvi_scene_last(const rvi_words *words, rvi_scene_word which, void *room);

#endif
