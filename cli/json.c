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

static void put_value(FILE *out, const rv_param_info *param, const void *params) {
    double number = rv_param_number(param, params);
    uint64_t seed;
    if (rv_param_automatic(param) && (number != number || number == param->def)) {
        fputs("\"auto\"", out);
        return;
    }
    switch (param->type) {
    case RV_PARAM_REAL:
        cli_json_float(out, (float)number);
        break;
    case RV_PARAM_INT:
    case RV_PARAM_COUNT:
        fprintf(out, "%" PRId64, (int64_t)number);
        break;
    case RV_PARAM_SEED: /* more digits than a double holds */
        memcpy(&seed, (const char *)params + param->offset, sizeof seed);
        fprintf(out, "%" PRIu64, seed);
        break;
    case RV_PARAM_SWITCH:
        fputs(number != 0.0 ? "true" : "false", out);
        break;
    case RV_PARAM_CHOICE:
        cli_json_text(out, param->options[(int)number].name);
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

void cli_json_params(FILE *out, const rv_step_info *step, const void *params) {
    fputc('{', out);
    for (int i = 0; i < step->param_count; i++) {
        if (i > 0)
            fputc(',', out);
        cli_json_text(out, step->params[i].name);
        fputc(':', out);
        put_value(out, &step->params[i], params);
    }
    fputc('}', out);
}
