/* words.c: sentences, numbers and letters for people. */
#include "cli.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const cli_exit cli_exit_table[] = {
    {0, "done"},
    {1, "a bug in Ravine"},
    {2, "wrong usage: an unknown word, a value out of range"},
    {3, "a file that cannot be read, or has unexpected contents"},
    {4, "a file that cannot be written"},
    {5, "more memory is needed than the limit or the machine allows"},
    {6, "the land does not meet what a step requires"},
    {7, "a device that is not there, fails, or computes other bits"},
    {130, "stopped by Ctrl-C; 143 by the signal TERM, 129 by HUP"},
};
const int cli_exit_count = (int)(sizeof cli_exit_table / sizeof cli_exit_table[0]);

int cli_exit_code(rv_status status) {
    switch (status) {
    case RV_OK:
        return 0;
    case RV_CANCELLED:
        return 128 + (cli_interrupt_caught() ? cli_interrupt_caught() : SIGINT); /* of --keep */
    case RV_ERROR_USAGE:
        return 2;
    case RV_ERROR_INPUT:
        return 3;
    case RV_ERROR_OUTPUT:
        return 4;
    case RV_ERROR_MEMORY:
        return 5;
    case RV_ERROR_UNMET:
        return 6;
    case RV_ERROR_DEVICE:
        return 7;
    case RV_ERROR_VERSION:
    case RV_ERROR_INTERNAL:
    case RV_STATUS_COUNT:
        break;
    }
    return 1;
}

bool cli_colour(FILE *stream) {
    const char *no = getenv("NO_COLOR");
    return !(no && no[0]) && cli_terminal(stream);
}

int cli_fail(int code, const char *format, ...) {
    char sentence[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    bool colour = cli_colour(stderr);
    fputs(colour ? "\033[31mravine:\033[0m " : "ravine: ", stderr);
    cli_put_line(stderr, sentence);
    size_t size = strlen(sentence);
    bool whole = size > 0 && strchr(".?", sentence[size - 1]);
    fputs(whole ? "\n" : " ...\n", stderr); /* a name in it was too long */
    return code;
}

/* RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
size_t cli_utf8(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80)
        return 1;
    size_t size = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    unsigned low = 0x80, high = 0xBF; /* of the second byte */
    if (s[0] == 0xE0)
        low = 0xA0;
    if (s[0] == 0xED)
        high = 0x9F;
    if (s[0] == 0xF0)
        low = 0x90;
    if (s[0] == 0xF4)
        high = 0x8F;
    if (s[0] < 0xC2 || s[0] > 0xF4 || s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < size; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return size;
}

/* U+0080 to U+009F are controls that terminals obey, too. */
static bool is_control(const char *text, size_t size) {
    unsigned char first = (unsigned char)text[0], second = (unsigned char)(size > 1 ? text[1] : 0);
    return first < 0x20 || first == 0x7F || (first == 0xC2 && second < 0xA0);
}

void cli_put_line(FILE *out, const char *text) {
    while (*text) {
        size_t size = cli_utf8(text);
        if (size == 0 || (size <= 2 && is_control(text, size)))
            fputc('?', out);
        else
            fwrite(text, 1, size, out);
        text += size ? size : 1;
    }
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Letters changed, added, left out, or swapped with the next; the longest words are cut. */
int cli_distance(const char *a, const char *b) {
    enum { MOST = 48 };
    int rows[3][MOST + 1];
    int a_size = (int)strnlen(a, MOST), b_size = (int)strnlen(b, MOST);
    for (int j = 0; j <= b_size; j++)
        rows[0][j] = j;
    for (int i = 1; i <= a_size; i++) {
        int *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= b_size; j++) {
            bool same = a[i - 1] == b[j - 1];
            row[j] = least(last[j - 1] + !same, least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[a_size % 3][b_size];
}

void cli_number(double value, char out[32]) {
    snprintf(out, 32, "%.7g", value);
    char *e = strchr(out, 'e');
    if (!e)
        return;
    int power = atoi(e + 1); /* 1e+12 reads better as 1e12 */
    snprintf(e, (size_t)(out + 32 - e), "e%d", power);
}

void cli_bytes(size_t bytes, char out[32]) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    while (value >= 1023.95 && unit < 4) {
        value /= 1024.0;
        unit++;
    }
    snprintf(out, 32, "%.*f %s", unit ? 1 : 0, value, units[unit]);
}

void cli_time(double seconds, char out[32]) {
    if (seconds < 99.5)
        snprintf(out, 32, "%.0f s", seconds > 1.0 ? seconds : 1.0);
    else if (seconds < 99.5 * 60.0)
        snprintf(out, 32, "%.0f min", seconds / 60.0);
    else
        snprintf(out, 32, "%.0f h", seconds / 3600.0);
}

int64_t cli_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
