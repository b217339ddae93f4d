/* text.c: numbers and words as people write them, without locales. */
#include "base/text.h"

#include <string.h>

static double power_of_ten(int n) {
    double p = 1.0;
    for (int i = 0; i < n; i++)
        p *= 10.0;
    return p; /* exact up to 22 */
}

static bool digit(char c) {
    return c >= '0' && c <= '9';
}

bool rvi_text_number(const char *text, size_t size, double *out) {
    size_t i = 0;
    bool negative = false, any = false;
    if (i < size && (text[i] == '-' || text[i] == '+'))
        negative = text[i++] == '-';
    /* Digits are gathered in one whole number while it is exact; later ones only move the point. */
    uint64_t mantissa = 0;
    int exponent = 0;
    bool fraction = false;
    for (; i < size && (digit(text[i]) || (text[i] == '.' && !fraction)); i++) {
        if (text[i] == '.') {
            fraction = true;
            continue;
        }
        any = true;
        bool fits = mantissa < UINT64_C(900000000000000);
        if (fits)
            mantissa = mantissa * 10 + (uint64_t)(text[i] - '0');
        exponent += (fits ? 0 : 1) - (fraction ? 1 : 0);
    }
    if (!any)
        return false;
    if (i < size && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        bool minus = false;
        if (i < size && (text[i] == '-' || text[i] == '+'))
            minus = text[i++] == '-';
        if (i >= size || !digit(text[i]))
            return false;
        int e = 0;
        for (; i < size && digit(text[i]); i++)
            e = e < 1000 ? e * 10 + (text[i] - '0') : e;
        exponent += minus ? -e : e;
    }
    if (i < size) { /* moves the point, so that 1.001k is exactly 1001 */
        int places = text[i] == 'k' ? 3 : text[i] == 'M' ? 6 : text[i] == 'G' ? 9 : 0;
        if (places == 0)
            return false;
        exponent += places;
        i++;
    }
    if (i != size)
        return false;
    double value = (double)mantissa;
    if (mantissa != 0)
        value = exponent < -340  ? 0.0
                : exponent < 0   ? value / power_of_ten(-exponent)
                : exponent < 310 ? value * power_of_ten(exponent)
                                 : value * 1e300 * 1e300;
    *out = negative ? -value : value;
    return true;
}

bool rvi_text_uint(const char *text, size_t size, uint64_t *out) {
    uint64_t value = 0;
    if (size == 0)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (!digit(text[i]))
            return false;
        uint64_t d = (uint64_t)(text[i] - '0');
        if (value > (UINT64_MAX - d) / 10)
            return false;
        value = value * 10 + d;
    }
    *out = value;
    return true;
}

int rvi_text_distance(const char *a, size_t a_size, const char *b) {
    enum { MOST = 40 };
    size_t b_size = strlen(b);
    if (a_size > MOST || b_size > MOST)
        return (int)(a_size > b_size ? a_size : b_size); /* never more than that */
    int row[3][MOST + 1]; /* the last three rows of the table of distances */
    for (size_t j = 0; j <= b_size; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= a_size; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= b_size; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = before[j - 2] + 1 < best ? before[j - 2] + 1 : best;
            now[j] = best;
        }
    }
    return row[a_size % 3][b_size];
}

bool rvi_text_is(const char *text, size_t size, const char *word) {
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool rvi_text_ends(const char *text, const char *end) {
    size_t size = strlen(text), end_size = strlen(end);
    if (end_size > size)
        return false;
    for (size_t i = 0; i < end_size; i++)
        if (lower(text[size - end_size + i]) != lower(end[i]))
            return false;
    return true;
}
