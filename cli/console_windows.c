/* console_windows.c: stands for console.c on Windows. */
#include "cli.h"

#include <stdlib.h>
#include <unistd.h>
#include <windows.h>

#include <shellapi.h>

static UINT code_page; /* of the console before */

static void restore_console(void) {
    SetConsoleOutputCP(code_page);
}

/* The words in UTF-8, whatever the code page. They live as long as the program. */
static char **read_words(int *count) {
    LPWSTR *wide = CommandLineToArgvW(GetCommandLineW(), count);
    char **words = wide ? calloc((size_t)*count + 1, sizeof *words) : NULL;
    for (int i = 0; words && i < *count; i++) {
        int size = WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, NULL, 0, NULL, NULL);
        words[i] = size > 0 ? malloc((size_t)size) : NULL;
        if (!words[i])
            return NULL;
        WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, words[i], size, NULL, NULL);
    }
    LocalFree(wide);
    return words;
}

void cli_console_begin(int *argc, char ***argv) {
    enum { BINARY = 0x8000 }; /* _O_BINARY: a line ends as it does everywhere */
    _setmode(STDIN_FILENO, BINARY);
    _setmode(STDOUT_FILENO, BINARY);
    _setmode(STDERR_FILENO, BINARY);
    int count;
    char **words = read_words(&count);
    if (words) {
        *argc = count;
        *argv = words;
    }
    code_page = GetConsoleOutputCP();
    if (code_page != 0 && code_page != CP_UTF8 && SetConsoleOutputCP(CP_UTF8))
        atexit(restore_console);
}

static HANDLE handle_of(FILE *stream) {
    return (HANDLE)_get_osfhandle(_fileno(stream));
}

/* Windows 10 and later obey the sequences that move the cursor, once they are told to. */
bool cli_terminal(FILE *stream) {
    enum { OBEY = 4 }; /* ENABLE_VIRTUAL_TERMINAL_PROCESSING */
    DWORD mode;
    return GetConsoleMode(handle_of(stream), &mode) &&
           ((mode & OBEY) || SetConsoleMode(handle_of(stream), mode | OBEY));
}

const char *cli_path_name(const char *path) {
    const char *name = path;
    for (const char *at = path; *at; at++)
        if (*at == '/' || *at == '\\' || (*at == ':' && at == path + 1))
            name = at + 1;
    return name;
}

int cli_columns(void) {
    CONSOLE_SCREEN_BUFFER_INFO info;
    return GetConsoleScreenBufferInfo(handle_of(stderr), &info)
               ? info.srWindow.Right - info.srWindow.Left + 1
               : 0;
}

/* A byte far behind the end: others may read the file. */
bool cli_lock(FILE *file) {
    OVERLAPPED at = {.Offset = 0, .OffsetHigh = 0x40000000};
    if (LockFileEx(handle_of(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                   &at))
        return true;
    DWORD why = GetLastError();
    return why != ERROR_LOCK_VIOLATION && why != ERROR_IO_PENDING;
}
