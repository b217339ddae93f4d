/* json.c: values as JSON (RFC 8259). */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void cli_json_text(FILE *out, const char *text) {
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    while (*text) {
        size_t size = cli_utf8(text);
        unsigned char c = (unsigned char)*text;
        if (size == 0)
            fputs("\\ufffd", out); /* the sign for what is not UTF-8 */
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7F)
            fprintf(out, "\\u%04x", c);
        else
            fwrite(text, 1, size, out);
        text += size ? size : 1;
    }
    fputc('"', out);
}

/* The fewest digits that read back as the same number; JSON knows no NaN and no infinity. */
void cli_json_real(FILE *out, double value) {
    char text[40];
    if (value - value != 0.0) {
        fputs("null", out);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
}

void cli_json_float(FILE *out, float value) {
    char text[40];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    fputs(value - value == 0.0f ? text : "null", out);
}

/* A length that is said in cells is a text. */
static void put_real(FILE *out, const rv_param_info *param, const void *params) {
    float number = (float)rv_param_number(param, params);
    char text[64];
    if (!param->in_cells || number >= 0.0f) {
        cli_json_float(out, number);
        return;
    }
    rv_param_print(param, params, text, sizeof text);
    cli_json_text(out, text);
}

void cli_json_value(FILE *out, const rv_param_info *param, const void *params) {
    if (rv_param_is_auto(param, params)) {
        fputs("\"auto\"", out);
        return;
    }
    switch (param->type) {
    case RV_PARAM_REAL:
        put_real(out, param, params);
        break;
    case RV_PARAM_INT:
    case RV_PARAM_COUNT:
        fprintf(out, "%" PRId64, (int64_t)rv_param_number(param, params));
        break;
    case RV_PARAM_SEED:
        fprintf(out, "%" PRIu64, rv_param_seed(param, params));
        break;
    case RV_PARAM_SWITCH:
        fputs(rv_param_number(param, params) != 0.0 ? "true" : "false", out);
        break;
    case RV_PARAM_CHOICE:
        cli_json_text(out, param->options[(int)rv_param_number(param, params)].name);
        break;
    case RV_PARAM_VECTOR:
        for (int i = 0; i < 3; i++) {
            fputc(i == 0 ? '[' : ',', out);
            cli_json_real(out, rv_param_vector(param, params)[i]);
        }
        fputc(']', out);
        break;
    case RV_PARAM_TEXT:
    case RV_PARAM_FILE:
        cli_json_text(out, rv_param_text(param, params));
        break;
    }
}

void cli_json_params(FILE *out, const rv_word_info *word, const void *params) {
    fputc('{', out);
    for (int i = 0; i < word->param_count; i++) {
        if (i > 0)
            fputc(',', out);
        cli_json_text(out, word->params[i].name);
        fputc(':', out);
        cli_json_value(out, &word->params[i], params);
    }
    fputc('}', out);
}
