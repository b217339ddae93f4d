/* interrupt.c: the first signal asks the run to stop and clean up. One that comes soon after it,
 * such as the second of a quick Ctrl-C Ctrl-C, changes nothing; one that comes later ends the
 * program. With --keep the first asks it to keep what is there, and the others count from the
 * second on. */
#include "cli.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_S = 2 }; /* a run stops within 0.1 s */

static volatile sig_atomic_t caught;
static volatile sig_atomic_t keeps, kept; /* one signal may be taken as the wish to keep; it was */
static struct timespec first;             /* when; both handlers run with all signals blocked */

static void on_signal(int number) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (keeps && number == SIGINT && !kept) {
        kept = 1;
        return;
    }
    if (!caught)
        first = now;
    else if (now.tv_sec - first.tv_sec > PATIENCE_S)
        _exit(128 + number);
    else
        return;
    caught = number;
}

void cli_interrupt_watch(bool keep) {
    keeps = keep;
    struct sigaction act = {.sa_handler = on_signal}, old;
    sigfillset(&act.sa_mask);
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup ignores it */
        sigaction(SIGHUP, &act, NULL);
    /* A reader that goes away and a file that may not grow are errors of writing, not a reason to
     * die with a file half written. */
    act.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &act, NULL);
    sigaction(SIGXFSZ, &act, NULL);
}

void cli_interrupt_hold(bool on) {
    static sigset_t before;
    sigset_t all;
    sigfillset(&all);
    if (on)
        pthread_sigmask(SIG_SETMASK, &all, &before);
    else
        pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int cli_interrupt_caught(void) {
    return caught;
}

bool cli_interrupt_kept(void) {
    return kept;
}
