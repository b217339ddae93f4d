/* bar.c: one line on a terminal that shows how far the step is. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum {
    WAIT_MS = 200,
    GUESS_MS = 2000, /* before that nobody can say how long it will take */
    WIDEST = 60,
    BESIDE = 20, /* columns of name, brackets and percent */
    REST = 30,   /* of the number of the step and the time left */
    LEAST = 20,  /* columns of a bar that has them beside it */
};

static int columns(void) {
    const char *told = getenv("COLUMNS");
    int n = told ? atoi(told) : 0;
    if (n <= 0)
        n = cli_columns();
    return n > 0 ? n : 80;
}

void cli_bar_begin(cli_bar *bar, const char *step) {
    bar->step = step;
    bar->begun_ms = cli_now_ms();
    bar->from = -1.0;
}

/* "  step 4 of 13, 12 s left": what there is to say, if the terminal has room for it. */
static void put_rest(const cli_bar *bar, double done, int room, char out[64]) {
    char left[32];
    int64_t spent = cli_now_ms() - bar->begun_ms;
    double more_done = done - bar->from;
    int size = bar->number > 0 ? snprintf(out, 64, "  step %d of %d", bar->number, bar->count) : 0;
    out[size] = '\0';
    if (size > room) {
        out[0] = '\0';
    } else if (spent >= GUESS_MS && more_done > 0.0) {
        cli_time((double)spent / 1000.0 * (1.0 - done) / more_done, left);
        int more =
            snprintf(out + size, 64 - (size_t)size, "%s%s left", size > 0 ? ", " : "  ", left);
        if (size + more > room)
            out[size] = '\0';
    }
}

void cli_bar_show(cli_bar *bar, double done) {
    done = done > 0.0 ? (done < 1.0 ? done : 1.0) : 0.0;
    bar->from = bar->from < 0.0 ? done : bar->from;
    /* Steps that are over at once show no bar: a line that comes and goes only disturbs. */
    if (!bar->on || !bar->step || cli_now_ms() - bar->begun_ms < WAIT_MS)
        return;
    char line[sizeof bar->line + 8], rest[64], filled[WIDEST + 1], open[WIDEST + 1];
    int all = columns(), width = all - BESIDE - REST;
    width = width >= LEAST ? width : all - BESIDE;
    if (width < 4)
        return;
    width = width < WIDEST ? width : WIDEST;
    int cells = (int)(done * width), percent = (int)(done * 100.0);
    put_rest(bar, done, all - BESIDE - width, rest);
    memset(filled, '#', sizeof filled);
    memset(open, '-', sizeof open);
    snprintf(line, sizeof bar->line, "\r%-10.10s [%s%.*s%s%.*s] %3d%%%s", bar->step,
             bar->colour ? "\033[32m" : "", cells, filled, bar->colour ? "\033[0m" : "",
             width - cells, open, percent, rest);
    /* One write for the whole line, and none when it would look the same: nothing flickers. */
    if (bar->drawn && strcmp(line, bar->line) == 0)
        return;
    bool shorter = !bar->drawn || strlen(line) < strlen(bar->line) || bar->columns != width;
    strcpy(bar->line, line);
    bar->columns = width;
    bar->drawn = true;
    if (shorter)
        strcat(line, "\033[K");
    fwrite(line, 1, strlen(line), stderr);
}

void cli_bar_erase(cli_bar *bar) {
    if (bar->drawn)
        fputs("\r\033[K", stderr);
    bar->drawn = false;
    bar->columns = 0;
}
