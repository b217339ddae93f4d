/* step_table.c: the table of steps as data. */
#include <ravine/ravine.h>

#include <assert.h>
#include <string.h>

#define RVI_TABLE_STRUCT(step) rv_##step##_params
#define RVI_TABLE_ENUM(step, key, name) RV_##step##_##key##_##name
#include "words/table_options.inc"

#include <ravine/steps.def>

#include "words/table_params.inc"

#include <ravine/steps.def>

/* Kinds as the table has them. */
#define KIND_make RV_KIND_MAKE
#define KIND_shape RV_KIND_SHAPE
#define KIND_limit RV_KIND_LIMIT
#define KIND_field RV_KIND_FIELD
#define KIND_wear RV_KIND_WEAR
#define KIND_show RV_KIND_SHOW
#define KIND_order RV_KIND_ORDER

static const rv_step_info steps[RV_STEP_COUNT] = {
#define RV_STEP(step, kind_, flags_, sentence, source_, reads_, writes_)                           \
    {.word = RVI_TABLE_WORD(step, sentence),                                                       \
     .id = RV_STEP_##step,                                                                         \
     .kind = KIND_##kind_,                                                                         \
     .flags = flags_,                                                                              \
     .source = source_,                                                                            \
     .reads = reads_,                                                                              \
     .writes = writes_},
#include <ravine/steps.def>
};

static const char *const other_names[RV_STEP_COUNT] = {
#define RV_ALSO(step, words) [RV_STEP_##step] = words,
#include <ravine/steps.def>
};

static const rv_field_info fields[] = {
#define RV_FIELD(name, unit, meaning) {#name, unit, meaning},
#include <ravine/steps.def>
};

#define RV_STEP(name, kind, flags, sentence, source, reads, writes)                                \
    rv_##name##_params rv_##name##_params_default(void) {                                          \
        rv_##name##_params p;                                                                      \
        memset(&p, 0, sizeof p);                                                                   \
        rv_word_default(&steps[RV_STEP_##name].word, &p);                                          \
        return p;                                                                                  \
    }
#include <ravine/steps.def>

int rv_step_count(void) {
    return RV_STEP_COUNT;
}

const rv_step_info *rv_step_get(rv_step_id id) {
    assert(id >= 0 && id < RV_STEP_COUNT);
    return &steps[id];
}

const rv_step_info *rv_step_find(const char *name) {
    for (int i = 0; i < RV_STEP_COUNT; i++)
        if (strcmp(steps[i].word.name, name) == 0)
            return &steps[i];
    return NULL;
}

const char *rv_step_name(rv_step_id id) {
    return rv_step_get(id)->word.name;
}

const char *rv_step_also(rv_step_id id) {
    assert(id >= 0 && id < RV_STEP_COUNT);
    return other_names[id] ? other_names[id] : "";
}

const char *rv_kind_name(rv_step_kind kind) {
    static const char *const names[RV_KIND_COUNT] = {"make", "shape", "limit", "field",
                                                     "wear", "show",  "order"};
    assert(kind >= 0 && kind < RV_KIND_COUNT);
    return names[kind];
}

const char *rv_kind_text(rv_step_kind kind) {
    static const char *const texts[RV_KIND_COUNT] = {
        "make land", "reshape it",       "limit the steps that follow", "describe it as fields",
        "erode it",  "show and save it", "control the order of steps"};
    assert(kind >= 0 && kind < RV_KIND_COUNT);
    return texts[kind];
}

int rv_field_count(void) {
    return (int)(sizeof fields / sizeof fields[0]);
}

const rv_field_info *rv_field_get(int index) {
    assert(index >= 0 && index < rv_field_count());
    return &fields[index];
}

const rv_field_info *rv_field_find(const char *name) {
    for (int i = 0; i < rv_field_count(); i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}
