/* params.c: the values in a parameter struct, by the description of its word. */
#include "words/words.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static bool is_text(const rv_param_info *param) {
    return param->type == RV_PARAM_TEXT || param->type == RV_PARAM_FILE;
}

static const void *place_of(const rv_param_info *param, const void *params) {
    return (const char *)params + param->offset;
}

bool rv_param_has_auto(const rv_param_info *param) {
    RVI_ENTRY(NULL);
    switch (param->type) {
    case RV_PARAM_REAL:
        return isnan(param->def);
    case RV_PARAM_VECTOR:
        return isnan(param->vector[0]);
    case RV_PARAM_INT:
    case RV_PARAM_COUNT:
        return param->def == RV_AUTO_INT && param->low >= 0.0;
    default:
        return false;
    }
}

bool rv_param_is_auto(const rv_param_info *param, const void *params) {
    RVI_ENTRY(NULL);
    if (!rv_param_has_auto(param))
        return false;
    if (param->type == RV_PARAM_VECTOR)
        return isnan(rv_param_vector(param, params)[0]);
    double number = rv_param_number(param, params);
    return isnan(number) || number == param->def;
}

double rv_param_number(const rv_param_info *param, const void *params) {
    RVI_ENTRY(NULL);
    const void *at = place_of(param, params);
    switch (param->type) {
    case RV_PARAM_REAL:
        return (double)*(const float *)at;
    case RV_PARAM_INT:
    case RV_PARAM_CHOICE:
        return *(const int *)at;
    case RV_PARAM_COUNT:
        return (double)*(const int64_t *)at;
    case RV_PARAM_SWITCH:
        return *(const bool *)at ? 1.0 : 0.0;
    case RV_PARAM_SEED:
    case RV_PARAM_TEXT:
    case RV_PARAM_FILE:
    case RV_PARAM_VECTOR:
        break;
    }
    assert(false && "the parameter is a number");
    return NAN;
}

uint64_t rv_param_seed(const rv_param_info *param, const void *params) {
    assert(param->type == RV_PARAM_SEED);
    return *(const uint64_t *)place_of(param, params);
}

const char *rv_param_text(const rv_param_info *param, const void *params) {
    return is_text(param) ? *(const char *const *)place_of(param, params) : NULL;
}

const double *rv_param_vector(const rv_param_info *param, const void *params) {
    assert(param->type == RV_PARAM_VECTOR);
    return place_of(param, params);
}

void rv_param_set_number(const rv_param_info *param, void *params, double number) {
    RVI_ENTRY(NULL);
    void *at = (char *)params + param->offset;
    switch (param->type) {
    case RV_PARAM_REAL:
        *(float *)at = (float)number;
        return;
    case RV_PARAM_INT:
    case RV_PARAM_CHOICE:
        *(int *)at = (int)number;
        return;
    case RV_PARAM_COUNT:
        *(int64_t *)at = (int64_t)number;
        return;
    case RV_PARAM_SWITCH:
        *(bool *)at = number != 0.0;
        return;
    case RV_PARAM_SEED:
    case RV_PARAM_TEXT:
    case RV_PARAM_FILE:
    case RV_PARAM_VECTOR:
        break;
    }
    assert(false && "the parameter is a number");
}

void rv_param_set_seed(const rv_param_info *param, void *params, uint64_t seed) {
    assert(param->type == RV_PARAM_SEED);
    memcpy((char *)params + param->offset, &seed, sizeof seed);
}

void rv_param_set_text(const rv_param_info *param, void *params, const char *text) {
    assert(is_text(param));
    memcpy((char *)params + param->offset, &text, sizeof text);
}

void rv_param_set_vector(const rv_param_info *param, void *params, const double value[3]) {
    assert(param->type == RV_PARAM_VECTOR);
    memcpy((char *)params + param->offset, value, 3 * sizeof(double));
}

void rv_word_default(const rv_word_info *word, void *params) {
    RVI_ENTRY(NULL);
    for (int i = 0; i < word->param_count; i++) {
        const rv_param_info *p = &word->params[i];
        if (p->type == RV_PARAM_VECTOR)
            rv_param_set_vector(p, params, p->vector);
        else if (p->type == RV_PARAM_SEED)
            rv_param_set_seed(p, params, p->seed);
        else if (is_text(p))
            rv_param_set_text(p, params, p->text);
        else
            rv_param_set_number(p, params, p->def);
    }
}

/* ---- is every value in its range? ---- */

static rv_status check_text(rv_context *ctx, const rv_word_info *word, const rv_param_info *p,
                            const char *text) {
    if (text && !(p->required && text[0] == '\0'))
        return RV_OK;
    return rvi_fail(ctx, RV_ERROR_USAGE, "%s needs a name for its %s.", word->name, p->name);
}

static rv_status check_number(rv_context *ctx, const rv_word_info *word, const rv_param_info *p,
                              double v) {
    if (p->in_cells && v <= -0.001 && v >= -RVI_MOST_CELLS)
        return RV_OK;
    /* A float just beside a limit that is no float itself counts as the limit. */
    bool inside = p->type == RV_PARAM_REAL ? (float)v >= (float)p->low && (float)v <= (float)p->high
                                           : v >= p->low && v <= p->high;
    if (inside)
        return RV_OK;
    return rvi_fail(ctx, RV_ERROR_USAGE, "%s: %s=%.7g is not within %.7g to %.7g%s%s.", word->name,
                    p->name, v, p->low, p->high, p->unit[0] ? " " : "", p->unit);
}

rv_status rv_word_check(rv_context *ctx, const rv_word_info *word, const void *params) {
    RVI_ENTRY(ctx);
    rv_status status = RV_OK;
    for (int i = 0; i < word->param_count && status == RV_OK; i++) {
        const rv_param_info *p = &word->params[i];
        if (p->type == RV_PARAM_SEED || rv_param_is_auto(p, params))
            continue;
        if (is_text(p))
            status = check_text(ctx, word, p, rv_param_text(p, params));
        else if (p->type != RV_PARAM_VECTOR)
            status = check_number(ctx, word, p, rv_param_number(p, params));
        else
            for (int k = 0; k < 3 && status == RV_OK; k++)
                status = check_number(ctx, word, p, rv_param_vector(p, params)[k]);
    }
    return status;
}
