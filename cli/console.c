/* console.c: the terminal that the program runs in, and what else each system does its own way. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

void cli_console_begin(int *argc, char ***argv) {
    (void)argc, (void)argv;
}

bool cli_terminal(FILE *stream) {
    const char *kind = getenv("TERM");
    return kind && strcmp(kind, "dumb") != 0 && isatty(fileno(stream)) == 1;
}

const char *cli_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int cli_columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool cli_lock(FILE *file) {
    (void)fcntl(fileno(file), F_SETFD, FD_CLOEXEC); /* programs that steps run do not keep it */
    return flock(fileno(file), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}
