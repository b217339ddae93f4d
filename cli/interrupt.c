/* interrupt.c: the first signal asks the run to stop and clean up, the second ends the program. */
#include "cli.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void on_signal(int number) {
    if (caught)
        _exit(128 + number);
    caught = number;
}

void cli_interrupt_watch(void) {
    struct sigaction act = {.sa_handler = on_signal}, old;
    sigemptyset(&act.sa_mask);
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup ignores it */
        sigaction(SIGHUP, &act, NULL);
    /* A reader that goes away is an error of writing, not a reason to die with a file half written.
     */
    act.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &act, NULL);
}

int cli_interrupt_caught(void) {
    return caught;
}
