/* sweep_values.c: what varies: noise.seed=1..100, rivers.erosion=4,8,16, noise.gain=0.3..0.5..0.1
 */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Letters of the key, where the word is STEP.KEY=VALUE or STEP#2.KEY=VALUE of a step that there is;
 * 0: it is not. */
static size_t key_size(const char *word) {
    char step[64];
    size_t size = strcspn(word, "#.="), dot = strcspn(word, ".="), equals = strcspn(word, "=");
    if (word[dot] != '.' || word[equals] != '=' || size >= sizeof step)
        return 0;
    memcpy(step, word, size);
    step[size] = '\0';
    return rv_step_find(step) ? equals : 0;
}

/* ---- ranges ---- */

typedef struct range {
    double from, to, step;
    bool stepped; /* the step was given */
    int decimals; /* of the numbers as they were written */
} range;

static bool read_number(const char *text, size_t size, double *out) {
    char copy[64], *end;
    if (size == 0 || size >= sizeof copy)
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    *out = strtod(copy, &end);
    return *end == '\0' && isfinite(*out) && !strpbrk(copy, "xXpP");
}

/* Digits behind the point, were there no exponent. */
static int count_decimals(const char *text, size_t size) {
    size_t point = 0, end = 0;
    while (end < size && text[end] != 'e' && text[end] != 'E')
        end++;
    while (point < end && text[point] != '.')
        point++;
    long exponent = end < size ? strtol(text + end + 1, NULL, 10) : 0;
    long count = (point < end ? (long)(end - point - 1) : 0) - exponent;
    return count < 0 ? 0 : count > 999 ? 999 : (int)count;
}

/* FROM..TO or FROM..TO..STEP; false: it is a value, such as the name of a file. */
static bool read_range(const char *text, size_t size, range *out) {
    size_t at[2] = {size, size};
    int dots = 0;
    for (size_t i = 0; i + 1 < size && dots < 3; i++)
        if (text[i] == '.' && text[i + 1] == '.') {
            if (dots < 2)
                at[dots] = i;
            dots++;
            i++;
        }
    *out = (range){.step = 1.0, .stepped = dots == 2};
    int from = count_decimals(text, at[0]),
        step = dots == 2 ? count_decimals(text + at[1] + 2, size - at[1] - 2) : 0;
    out->decimals = from > step ? from : step;
    return dots >= 1 && dots <= 2 && read_number(text, at[0], &out->from) &&
           read_number(text + at[0] + 2, at[1] - at[0] - 2, &out->to) &&
           (dots == 1 || read_number(text + at[1] + 2, size - at[1] - 2, &out->step));
}

static bool is_list(const char *text) {
    range r;
    return strchr(text, ',') || read_range(text, strlen(text), &r);
}

bool sweep_varies(const char *word) {
    size_t size = key_size(word);
    return size > 0 && is_list(word + size + 1);
}

/* ---- values ---- */

static int too_many(const char *word) {
    return cli_fail(2, "%.100s: a sweep has at most %d runs.", word, SWEEP_MOST);
}

static int add_value(sweep_axis *axis, const char *word, const char *value, size_t size) {
    if (axis->count == SWEEP_MOST)
        return too_many(word);
    char *copy = malloc(size + 1);
    if (!copy)
        return cli_fail(5, "There is not enough memory.");
    memcpy(copy, value, size);
    copy[size] = '\0';
    axis->values[axis->count++] = copy;
    return 0;
}

/* As people write it: with no more digits than the range has, and no exponent. */
static void print_value(double value, int decimals, char out[64]) {
    enum { MOST = 30 };
    if (decimals > MOST || fabs(value) >= 1e22) {
        snprintf(out, 64, "%.17g", value);
        return;
    }
    snprintf(out, 64, "%.*f", decimals, value);
    if (strchr(out, '.')) {
        size_t size = strlen(out);
        while (out[size - 1] == '0')
            size--;
        out[out[size - 1] == '.' ? size - 1 : size] = '\0';
    }
    if (strcmp(out, "-0") == 0)
        strcpy(out, "0");
}

static int add_range(sweep_axis *axis, const char *word, const range *r) {
    if (!r->stepped && (r->from != floor(r->from) || r->to != floor(r->to)))
        return cli_fail(
            2, "%.100s: a range that is not of whole numbers needs a step: 0.5..2..0.5.", word);
    if (!(r->step > 0.0))
        return cli_fail(2, "%.100s: the step of a range must be above 0.", word);
    if (r->from > r->to)
        return cli_fail(
            2, "%.100s: the range is empty; it goes from the lower number to the higher.", word);
    if (r->from <= -0x1p53 || r->to >= 0x1p53) /* doubles leave numbers out there */
        return cli_fail(
            2, "%.100s: a range stays below 2^53; name larger numbers one by one: 7,8,9.", word);
    double count = floor((r->to - r->from) / r->step * (1.0 + 1e-12) + 1e-9) + 1.0;
    if (count > SWEEP_MOST)
        return too_many(word);
    int code = 0;
    for (int i = 0; i < (int)count && code == 0; i++) {
        char value[64];
        print_value(r->from + i * r->step, r->decimals, value);
        code = add_value(axis, word, value, strlen(value));
    }
    return code;
}

int sweep_axis_read(const char *word, sweep_axis *out) {
    size_t size = key_size(word);
    *out = (sweep_axis){.key = malloc(size + 1), .values = calloc(SWEEP_MOST, sizeof(char *))};
    if (!out->key || !out->values)
        return cli_fail(5, "There is not enough memory.");
    memcpy(out->key, word, size);
    out->key[size] = '\0';
    const char *at = word + size + 1;
    for (;;) {
        size_t length = strcspn(at, ",");
        range r;
        int code = length == 0 ? cli_fail(2, "%.100s: a value is missing beside a comma.", word)
                   : read_range(at, length, &r) ? add_range(out, word, &r)
                                                : add_value(out, word, at, length);
        if (code != 0 || at[length] == '\0')
            return code;
        at += length + 1;
    }
}

void sweep_axis_free(sweep_axis *axis) {
    for (int i = 0; i < axis->count; i++)
        free(axis->values[i]);
    free(axis->values);
    free(axis->key);
    *axis = (sweep_axis){.count = 0};
}
