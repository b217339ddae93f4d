/* text.c: numbers and words as people write them, without locales. */
#include "base/text.h"
#include "base/context.h"

#include <stdio.h>
#include <string.h>

rv_status rvi_text_begin(rv_context *ctx, const char *name, const void *text, size_t size,
                         size_t *begin) {
    bool marked =
        size >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0);
    bool wide = marked && memchr(text, 0, size) != NULL;
    *begin = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    return wide ? rvi_fail(ctx, RV_ERROR_INPUT, "%s: is UTF-16 text; save it as UTF-8.", name)
                : RV_OK;
}

static double power_of_ten(int n) {
    double p = 1.0;
    for (int i = 0; i < n; i++)
        p *= 10.0;
    return p; /* exact up to 22 */
}

/* ---- Decimal to binary, rounded once ---- */

enum { LIMBS = 96 }; /* 10^343 times 2^1075 has 70 */

/* A whole number, its lowest 32 bits first. */
typedef struct whole {
    uint32_t limb[LIMBS];
    size_t count;
} whole;

static whole whole_of(uint64_t value) {
    return (whole){.limb = {(uint32_t)value, (uint32_t)(value >> 32)}, .count = 2};
}

static void whole_times(whole *a, uint32_t factor) {
    uint64_t carry = 0;
    for (size_t i = 0; i < a->count; i++) {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        a->limb[a->count++] = (uint32_t)carry;
}

static void whole_times_power(whole *a, uint32_t base, int power) {
    uint32_t most = base == 10 ? UINT32_C(1000000000) : UINT32_C(1) << 31;
    int step = base == 10 ? 9 : 31;
    for (; power >= step; power -= step)
        whole_times(a, most);
    for (; power > 0; power--)
        whole_times(a, base);
}

static int whole_compare(const whole *a, const whole *b) {
    size_t count = a->count > b->count ? a->count : b->count;
    for (size_t i = count; i-- > 0;) {
        uint32_t x = i < a->count ? a->limb[i] : 0, y = i < b->count ? b->limb[i] : 0;
        if (x != y)
            return x > y ? 1 : -1;
    }
    return 0;
}

/* Does mantissa 10^exponent lie above the middle between the double of these bits, positive and
 * finite, and the next one? 0: on it. */
static int beside_middle(uint64_t mantissa, int exponent, uint64_t bits) {
    int power = (int)(bits >> 52);
    uint64_t digits = (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(power > 0) << 52;
    power = (power > 0 ? power : 1) - 1076; /* the middle is (2 digits + 1) 2^power */
    whole value = whole_of(mantissa), middle = whole_of(2 * digits + 1);
    whole_times_power(exponent > 0 ? &value : &middle, 10, exponent > 0 ? exponent : -exponent);
    whole_times_power(power < 0 ? &value : &middle, 2, power < 0 ? -power : power);
    return whole_compare(&value, &middle);
}

/* The double nearest to mantissa 10^exponent; of two as near, the even one. */
static double nearest_double(uint64_t mantissa, int exponent) {
    double value = (double)mantissa;
    if (mantissa == 0 || exponent < -343)
        return 0.0;
    if (exponent > 309)
        return value * 1e300 * 1e300;
    if (mantissa <= UINT64_C(1) << 53 && exponent >= -22 && exponent <= 22)
        return exponent < 0 ? value / power_of_ten(-exponent) : value * power_of_ten(exponent);
    for (int left = exponent; left != 0;) { /* near it, but rounded more than once */
        int step = left < -22 ? -22 : left > 22 ? 22 : left;
        value = step < 0 ? value / power_of_ten(-step) : value * power_of_ten(step);
        left -= step;
    }
    uint64_t bits, top = UINT64_C(0x7fefffffffffffff);
    memcpy(&bits, &value, sizeof bits);
    bits = bits < top ? bits : top;
    for (int side; (side = beside_middle(mantissa, exponent, bits)) > 0 || (side == 0 && bits & 1);)
        if (bits++ == top)
            break;
    for (int side; bits > 0 && bits <= top; bits--)
        if ((side = beside_middle(mantissa, exponent, bits - 1)) > 0 || (side == 0 && !(bits & 1)))
            break;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool digit(char c) {
    return c >= '0' && c <= '9';
}

bool rvi_text_number(const char *text, size_t size, double *out) {
    size_t i = 0;
    bool negative = false, any = false;
    if (i < size && (text[i] == '-' || text[i] == '+'))
        negative = text[i++] == '-';
    /* Nineteen digits are gathered in one whole number; later ones only move the point. */
    uint64_t mantissa = 0;
    int exponent = 0;
    bool fraction = false;
    for (; i < size && (digit(text[i]) || (text[i] == '.' && !fraction)); i++) {
        if (text[i] == '.') {
            fraction = true;
            continue;
        }
        any = true;
        bool fits = mantissa < UINT64_C(1000000000000000000);
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
    double value = nearest_double(mantissa, exponent);
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

bool rvi_text_vector(const char *text, size_t size, double out[3]) {
    size_t at = 0;
    for (int i = 0; i < 3; i++) {
        const char *slash = i < 2 ? memchr(text + at, '/', size - at) : text + size;
        if (slash == NULL || !rvi_text_number(text + at, (size_t)(slash - text) - at, &out[i]))
            return false;
        at = (size_t)(slash - text) + 1;
    }
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

size_t rvi_text_print(char *out, size_t room, int digits, double value) {
    int size = snprintf(out, room, "%.*g", digits, value);
    for (char *c = out; *c; c++)
        *c = *c == ',' ? '.' : *c;
    return (size_t)size;
}

size_t rvi_text_exact(char *out, size_t room, double value) {
    double back;
    for (int digits = 15; digits < 17; digits++) {
        size_t size = rvi_text_print(out, room, digits, value);
        if (rvi_text_number(out, size, &back) && back == value)
            return size;
    }
    return rvi_text_print(out, room, 17, value);
}
