/* interrupt_windows.c: stands for interrupt.c on Windows, which calls from a thread of its own and
 * has events for signals: Ctrl-C and Ctrl-Break, and the end of the console or of the session. */
#include "cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <windows.h>

enum { PATIENCE_MS = 2000 }; /* a run stops within 0.1 s */

static atomic_int caught;
static atomic_bool keeps, kept; /* one Ctrl-C may be taken as the wish to keep; it was */
static ULONGLONG first;         /* when; the system calls one at a time */

static BOOL WINAPI on_event(DWORD event) {
    bool keyboard = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
    int number = keyboard ? SIGINT : SIGTERM;
    if (event == CTRL_C_EVENT && atomic_load(&keeps) && !atomic_exchange(&kept, true))
        return TRUE;
    if (!atomic_load(&caught)) {
        first = GetTickCount64();
        atomic_store(&caught, number);
    } else if (GetTickCount64() - first > PATIENCE_MS) {
        ExitProcess(128 + (UINT)number);
    }
    if (!keyboard) /* when this returns the program is ended: it shall end by itself */
        Sleep(PATIENCE_MS);
    return TRUE;
}

void cli_interrupt_watch(bool keep) {
    atomic_store(&keeps, keep);
    SetConsoleCtrlHandler(NULL, FALSE); /* a shell may have told it to ignore Ctrl-C */
    SetConsoleCtrlHandler(on_event, TRUE);
}

void cli_interrupt_hold(bool on) {
    (void)on; /* events come to a thread of their own */
}

int cli_interrupt_caught(void) {
    return atomic_load(&caught);
}

bool cli_interrupt_kept(void) {
    return atomic_load(&kept);
}
