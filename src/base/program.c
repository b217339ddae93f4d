/* program.c: runs another program, waits for it without being deaf to the user, and never leaves it
 * behind.
 *
 * Between this process and the program stands a third, the guard: it waits for the program and for
 * the end of a pipe that only this process holds open. However this process ends, also by SIGKILL,
 * the system closes the pipe, and the guard ends the program and itself. There is no moment at
 * which that does not hold, and it needs nothing but POSIX.
 *
 * How the program ended comes through a second pipe, and not from waitpid: a program that uses the
 * library may ignore SIGCHLD, or wait for all children itself. */
#include "base/program.h"
#include "base/context.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* The guard's ends of the two pipes are these files. */
enum { LOOK_MS = 5, NOT_STARTED = 126, LIFELINE = 3, REPORT, FREE };

/* Looks for a program as a shell does, before there is a second process: what runs between fork and
 * exec may not allocate. */
static bool find_program(const char *name, char found[PATH_MAX]) {
    const char *path = strchr(name, '/') ? NULL : getenv("PATH");
    if (!path)
        return snprintf(found, PATH_MAX, "%s", name) < PATH_MAX && strchr(name, '/') != NULL;
    for (;; path++) {
        size_t length = strcspn(path, ":");
        int size = length > 0 ? snprintf(found, PATH_MAX, "%.*s/%s", (int)length, path, name)
                              : snprintf(found, PATH_MAX, "./%s", name);
        if (size < PATH_MAX && access(found, X_OK) == 0)
            return true;
        path += length;
        if (*path == '\0')
            return false;
    }
}

bool rvi_program_there(const char *name) {
    char found[PATH_MAX];
    return find_program(name, found);
}

/* ---- the other two processes: no memory, no locks, nothing of the library ---- */

static _Noreturn void become(const char *program, const char *const *words, const sigset_t *mask,
                             pid_t parent) {
    /* `killall ravine` ends the guard, too: where the system can, it then ends the program. */
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(NOT_STARTED);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execv(program, (char *const *)words);
    _exit(errno == ENOENT || errno == ENOTDIR || errno == EACCES ? RVI_PROGRAM_MISSING
                                                                 : NOT_STARTED);
}

/* Files of this process that others wait for the end of, or want to lock, are not held by a program
 * that runs long. The ends of the pipes become the only ones. */
static bool close_others(int lifeline, int report) {
    enum { MOST = 65536 };
    if (dup2(lifeline, LIFELINE) < 0 || fcntl(LIFELINE, F_SETFD, FD_CLOEXEC) != 0 ||
        dup2(report, REPORT) < 0 || fcntl(REPORT, F_SETFD, FD_CLOEXEC) != 0)
        return false;
    long most = sysconf(_SC_OPEN_MAX);
    for (int fd = FREE; fd < (most > 0 && most < MOST ? (int)most : MOST); fd++)
        close(fd);
    return true;
}

/* The guard's end: what it does not report is as if it had been killed. */
static _Noreturn void leave(int report, int code) {
    unsigned char byte = (unsigned char)code;
    _exit(write(report, &byte, 1) == 1 ? 0 : 1);
}

/* Its own process group: Ctrl-C reaches this program alone, which then stops the other. */
static _Noreturn void guard(int lifeline, int report, const char *program, const char *const *words,
                            const sigset_t *mask) {
    int state = 0;
    setpgid(0, 0);
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++)
        if (nothing < 0 || dup2(nothing, fd) < 0)
            leave(report, NOT_STARTED);
    if (!close_others(lifeline, report))
        leave(report, NOT_STARTED);
    if (signal(SIGCHLD, SIG_DFL) == SIG_ERR)
        leave(REPORT, NOT_STARTED);
    pid_t self = getpid(), child = fork();
    if (child == 0)
        become(program, words, mask, self);
    if (child < 0)
        leave(REPORT, NOT_STARTED);
    struct pollfd end = {.fd = LIFELINE, .events = POLLIN};
    for (;;) {
        pid_t ended = waitpid(child, &state, WNOHANG);
        if (ended < 0)
            leave(REPORT, NOT_STARTED);
        if (ended > 0)
            leave(REPORT, WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state));
        if (poll(&end, 1, LOOK_MS) > 0)
            kill(-self, SIGKILL); /* the program, and this process */
    }
}

/* ---- this process ---- */

static void close_both(const int ends[2]) {
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

/* The ends of a pipe, none of them 0, 1 or 2, which the guard gives to the program, nor one that it
 * makes of these: this process may have those closed. */
static bool open_pipe(int ends[2]) {
    int raw[2];
    if (pipe(raw) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, FREE);
    int why = errno;
    close_both(raw);
    if (ends[0] >= 0 && ends[1] >= 0)
        return true;
    close_both(ends);
    errno = why;
    return false;
}

/* The guard, deaf to all signals but SIGKILL, and this process's ends of the pipes. */
typedef struct guarded {
    pid_t guard;
    int lifeline; /* the program lives while it is open */
    int report;   /* gives one byte when the program has ended */
} guarded;

/* False: errno says why not. */
static bool start(const char *program, const char *const *words, guarded *out) {
    int life[2], report[2];
    sigset_t all, mask;
    if (!open_pipe(life))
        return false;
    if (!open_pipe(report)) {
        int why = errno;
        close_both(life);
        errno = why;
        return false;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    pid_t child = fork();
    if (child == 0) {
        close(life[1]);
        close(report[0]);
        guard(life[0], report[1], program, words, &mask);
    }
    int why = errno;
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    close(life[0]);
    close(report[1]);
    *out = (guarded){child, life[1], report[0]};
    if (child < 0)
        close_both((int[]){life[1], report[0]});
    else
        setpgid(child, child); /* whoever comes first */
    errno = why;
    return child >= 0;
}

/* Without a child that nobody waits for; whoever ignores SIGCHLD has none. */
static void reap(pid_t child) {
    pid_t ended;
    while ((ended = waitpid(child, NULL, WNOHANG)) == 0 || (ended < 0 && errno == EINTR))
        nanosleep(&(struct timespec){.tv_nsec = 500000L}, NULL);
}

rv_status rvi_program_run(rv_context *ctx, const char *const *words, int *code) {
    char program[PATH_MAX];
    *code = RVI_PROGRAM_MISSING;
    if (!find_program(words[0], program))
        return RV_OK;
    guarded run;
    if (!start(program, words, &run))
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "The program %s cannot be started: %s.", words[0],
                        strerror(errno));
    rv_status status = RV_OK;
    struct pollfd report = {.fd = run.report, .events = POLLIN};
    while (poll(&report, 1, LOOK_MS) <= 0)
        if (status == RV_OK && (status = rvi_poll(ctx)) != RV_OK)
            close(run.lifeline); /* the guard ends the program and itself */
    unsigned char byte;
    ssize_t got;
    while ((got = read(run.report, &byte, 1)) < 0 && errno == EINTR)
        continue;
    *code = got == 1 ? byte : 128 + SIGKILL; /* nobody reports: the guard was killed */
    if (status == RV_OK)
        close(run.lifeline);
    close(run.report);
    reap(run.guard);
    return status;
}
