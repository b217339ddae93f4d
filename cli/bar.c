/* bar.c: one line on a terminal that shows how far the step is. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WAIT_MS = 200, WIDEST = 60, BESIDE = 20 }; /* BESIDE: name, brackets and percent */

static int columns(void) {
    const char *told = getenv("COLUMNS");
    int n = told ? atoi(told) : 0;
    struct winsize size;
    if (n <= 0 && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0)
        n = size.ws_col;
    return n > 0 ? n : 80;
}

void cli_bar_begin(cli_bar *bar, const char *step) {
    bar->step = step;
    bar->begun_ms = cli_now_ms();
}

/* One write for the whole line, and none when it would look the same: nothing flickers. */
static void draw(cli_bar *bar, int width, int cells, int percent) {
    char line[256], filled[WIDEST + 1], open[WIDEST + 1];
    memset(filled, '#', sizeof filled);
    memset(open, '-', sizeof open);
    int size = snprintf(line, sizeof line, "\r%-10.10s [%s%.*s%s%.*s] %3d%%%s", bar->step,
                        bar->colour ? "\033[32m" : "", cells, filled, bar->colour ? "\033[0m" : "",
                        width - cells, open, percent, bar->columns == width ? "" : "\033[K");
    fwrite(line, 1, (size_t)size, stderr);
    bar->columns = width;
    bar->cells = cells;
    bar->percent = percent;
    bar->drawn = true;
}

void cli_bar_show(cli_bar *bar, double done) {
    /* Steps that are over at once show no bar: a line that comes and goes only disturbs. */
    if (!bar->on || !bar->step || cli_now_ms() - bar->begun_ms < WAIT_MS)
        return;
    int width = columns() - BESIDE;
    if (width < 4)
        return;
    width = width < WIDEST ? width : WIDEST;
    done = done > 0.0 ? (done < 1.0 ? done : 1.0) : 0.0;
    int cells = (int)(done * width), percent = (int)(done * 100.0);
    if (!bar->drawn || bar->columns != width || bar->cells != cells || bar->percent != percent)
        draw(bar, width, cells, percent);
}

void cli_bar_erase(cli_bar *bar) {
    if (bar->drawn)
        fputs("\r\033[K", stderr);
    bar->drawn = false;
    bar->columns = 0;
}
