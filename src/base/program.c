/* program.c: runs another program, and waits for it without being deaf to the user. */
#include "base/program.h"
#include "base/context.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { LOOK_NS = 5000000 };

extern char **environ;

/* Its own process group: Ctrl-C reaches this program alone, which then stops the other. */
static int spawn(const char *const *words, pid_t *child) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    int error = posix_spawn_file_actions_init(&files);
    if (error != 0)
        return error;
    error = posix_spawnattr_init(&how);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&files);
        return error;
    }
    for (int fd = 0; error == 0 && fd < 3; fd++)
        error = posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    if (error == 0)
        error = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    if (error == 0)
        error = posix_spawnp(child, words[0], &files, &how, (char *const *)words, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

rv_status rvi_program_run(rv_context *ctx, const char *const *words, int *code) {
    pid_t child, ended;
    int error = spawn(words, &child), state = 0;
    *code = RVI_PROGRAM_MISSING;
    if (error == ENOENT || error == ENOTDIR || error == EACCES)
        return RV_OK;
    if (error != 0)
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "The program %s cannot be started: %s.", words[0],
                        strerror(error));
    rv_status status = RV_OK;
    while ((ended = waitpid(child, &state, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (status == RV_OK && (status = rvi_poll(ctx)) != RV_OK)
            kill(child, SIGKILL);
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    }
    if (status != RV_OK)
        return status;
    if (ended < 0)
        return rvi_fail(ctx, RV_ERROR_OUTPUT, "The exit status of the program %s is unknown: %s.",
                        words[0], strerror(errno));
    *code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    return RV_OK;
}
