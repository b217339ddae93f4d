/* print.c: values and words as text that reads back as the same. */
#include "base/file.h"
#include "base/text.h"
#include "words/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A decimal as short as can be that reads back as the same float; 2000000, not 2e+06. */
static int print_real(float value, char *out, size_t size) {
    char text[32];
    for (int digits = 7; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    for (char *c = text; *c; c++) /* a program may have set a locale with another point */
        if (*c == ',')
            *c = '.';
    return snprintf(out, size, "%s", text);
}

/* The same for doubles. */
static int print_double(double value, char *out, size_t size) {
    char text[40];
    for (int digits = 7; digits <= 17; digits++) {
        double back;
        snprintf(text, sizeof text, "%.*g", digits, value);
        for (char *c = text; *c; c++)
            if (*c == ',')
                *c = '.';
        if (rvi_text_number(text, strlen(text), &back) && back == value)
            break;
    }
    return snprintf(out, size, "%s", text);
}

static int print_vector(const double *value, char *out, size_t size) {
    char text[3][40];
    for (int i = 0; i < 3; i++)
        print_double(value[i], text[i], sizeof text[i]);
    return snprintf(out, size, "%s/%s/%s", text[0], text[1], text[2]);
}

/* Adds text to out, which has room for `size`, at *length; counts on when it is full. */
static void add(char *out, size_t size, size_t *length, const char *text) {
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        if (*length + i + 1 < size)
            out[*length + i] = text[i];
    *length += n;
    if (size > 0)
        out[*length < size ? *length : size - 1] = '\0';
}

/* The same in quotes; those within are doubled. */
static void add_quoted(char *out, size_t size, size_t *length, const char *text) {
    add(out, size, length, "\"");
    for (; *text; text++) {
        const char letter[] = {*text, '\0'};
        add(out, size, length, *text == '"' ? "\"\"" : letter);
    }
    add(out, size, length, "\"");
}

static int print_text(const char *text, bool quotes, char *out, size_t size) {
    size_t length = 0;
    if (quotes)
        add_quoted(out, size, &length, text);
    else
        add(out, size, &length, text);
    return (int)length;
}

static int print_number(const rv_param_info *param, float number, char *out, size_t size) {
    if (!param->in_cells || number >= 0.0f)
        return print_real(number, out, size);
    char cells[64];
    print_real(-number, cells, sizeof cells);
    return snprintf(out, size, "%scells", cells);
}

int rv_param_print(const rv_param_info *param, const void *params, char *out, size_t size) {
    RVI_ENTRY(NULL);
    if (rv_param_is_auto(param, params))
        return snprintf(out, size, "auto");
    switch (param->type) {
    case RV_PARAM_REAL:
        return print_number(param, (float)rv_param_number(param, params), out, size);
    case RV_PARAM_INT:
    case RV_PARAM_COUNT:
        return snprintf(out, size, "%" PRId64, (int64_t)rv_param_number(param, params));
    case RV_PARAM_SEED:
        return snprintf(out, size, "%" PRIu64, rv_param_seed(param, params));
    case RV_PARAM_SWITCH:
        return snprintf(out, size, "%s", rv_param_number(param, params) != 0.0 ? "yes" : "no");
    case RV_PARAM_CHOICE:
        return snprintf(out, size, "%s", param->options[(int)rv_param_number(param, params)].name);
    case RV_PARAM_VECTOR:
        return print_vector(rv_param_vector(param, params), out, size);
    case RV_PARAM_TEXT:
    case RV_PARAM_FILE:
        break;
    }
    const char *text = rv_param_text(param, params);
    return print_text(text ? text : "", text && strpbrk(text, " \t\r\n#\"") != NULL, out, size);
}

static int print_words(const rvi_words *words, char *out, size_t size) {
    size_t length = 0;
    add(out, size, &length, "");
    for (int i = 0; i < words->count; i++) {
        const rv_word_info *info = words->list[i].info;
        const void *params = words->list[i].params;
        add(out, size, &length, info->name);
        for (int k = 0; k < info->param_count; k++) {
            const rv_param_info *p = &info->params[k];
            const char *text = rv_param_text(p, params);
            char number[128] = "";
            if (!text)
                rv_param_print(p, params, number, sizeof number);
            add(out, size, &length, " ");
            add(out, size, &length, p->name);
            add(out, size, &length, "=");
            if (text)
                add_quoted(out, size, &length, text);
            else
                add(out, size, &length, number);
        }
        add(out, size, &length, "\n");
    }
    return (int)length;
}

int rvi_words_print(const rvi_words *words, char *out, size_t size) {
    for (int i = 0; i < words->count; i++)
        for (int k = 0; k < words->list[i].info->param_count; k++) {
            const char *text =
                rv_param_text(&words->list[i].info->params[k], words->list[i].params);
            if (text && strchr(text, '\n'))
                return -1;
        }
    return print_words(words, out, size);
}

size_t rvi_words_version(char *out, size_t size) {
    return (size_t)snprintf(out, size, "# Ravine %s\n", rv_version());
}

static const char folder_line[] = "# Folder: "; /* the last, a remark to those who read words */

char *rvi_words_save(const rvi_words *words) {
    enum { PATH = 4096 };
    char folder[PATH];
    bool known = rvi_folder_here(folder, sizeof folder) && !strchr(folder, '\n');
    size_t line = rvi_words_version(NULL, 0), size = (size_t)print_words(words, NULL, 0);
    size_t end = known ? strlen(folder) + sizeof folder_line + 1 : 1;
    char *text = rvi_alloc(words->ctx, line + size + end, 1, words->vocabulary->whole);
    if (!text)
        return NULL;
    rvi_words_version(text, line + 1);
    print_words(words, text + line, size + 1);
    if (known)
        snprintf(text + line + size, end, "%s%s\n", folder_line, folder);
    return text;
}

rv_status rvi_words_folder(rv_context *ctx, const char *saved, const char *name, char **out) {
    size_t size = strlen(saved), at = size > 0 ? size - 1 : 0, line = sizeof folder_line - 1;
    *out = NULL;
    while (at > 0 && saved[at - 1] != '\n')
        at--;
    if (size - at <= line + 1 || memcmp(saved + at, folder_line, line) != 0)
        return RV_OK;
    size_t length = size - 1 - at - line;
    char *folder = rvi_alloc(ctx, length + 1, 1, "the name of a folder");
    if (!folder)
        return RV_ERROR_MEMORY;
    memcpy(folder, saved + at + line, length);
    rvi_folder_is where = rvi_folder_compare(folder);
    if (where == RVI_FOLDER_OTHER) {
        rvi_log(ctx, "%s: the run began in %s, and its files are read and written there", name,
                folder);
        *out = folder;
        return RV_OK;
    }
    if (where == RVI_FOLDER_GONE)
        rvi_log(ctx, "%s: the run began in %s, which is gone; its files are those of this folder",
                name, folder);
    rvi_free(ctx, folder);
    return RV_OK;
}
