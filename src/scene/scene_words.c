/* scene_words.c: the table of words of scenes as data. */
#include "scene/scene_words.h"

#include <assert.h>

#define RVI_TABLE_STRUCT(word) rvi_word_##word
#define RVI_TABLE_ENUM(word, key, name) RVI_scene_##word##_##key##_##name
#include "words/table_options.inc"

#include "scene/scene.def"

#include "words/table_params.inc"

#include "scene/scene.def"

static const rv_word_info words[RVI_WORD_COUNT] = {
#define RV_WORD(word, sentence) RVI_TABLE_WORD(word, sentence),
#include "scene/scene.def"
};

static const rv_word_info *get_word(int index) {
    assert(index >= 0 && index < RVI_WORD_COUNT);
    return &words[index];
}

static const rvi_other_name other[] = {
    {"stage", NULL, "preset"},
    {"particles", "most", "max"},
    {"wear", "most", "capacity"},
    {"wear", "lay", "deposit"},
};

const rvi_vocabulary rvi_scene_vocabulary = {.get = get_word,
                                             .count = RVI_WORD_COUNT,
                                             .word = "word",
                                             .whole = "the scene",
                                             .change = "WORD.KEY=VALUE",
                                             .bare_choices = true,
                                             .other = other,
                                             .other_count = sizeof other / sizeof other[0]};

int rv_scene_word_count(void) {
    return RVI_WORD_COUNT;
}

const rv_word_info *rv_scene_word(int index) {
    return get_word(index);
}

const void *rvi_scene_last(const rvi_words *scene, rvi_scene_word which, void *room) {
    for (int i = scene->count - 1; i >= 0; i--)
        if (scene->list[i].which == (int)which)
            return scene->list[i].params;
    rv_word_default(&words[which], room);
    return room;
}
