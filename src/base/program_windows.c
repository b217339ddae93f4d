/* program_windows.c: stands for program.c on Windows. The program is in a job that ends all its
 * processes when the last handle of it is closed: however this process ends, the system closes its
 * handles. */
#include "base/context.h"
#include "base/program.h"

#include <unistd.h>
#include <windows.h>

enum { LOOK_MS = 5, LINE = 32767 }; /* the longest line that the system takes */

static bool find_program(const char *name, wchar_t found[PATH_MAX]) {
    wchar_t wide[PATH_MAX];
    if (!rvi_windows_wide(name, wide))
        return false;
    DWORD size = SearchPathW(NULL, wide, L".exe", PATH_MAX, found, NULL);
    return size > 0 && size < PATH_MAX;
}

bool rvi_program_there(const char *name) {
    wchar_t found[PATH_MAX];
    return find_program(name, found);
}

/* ---- words to a line, as CommandLineToArgvW takes it apart ---- */

typedef struct line {
    wchar_t *text; /* LINE letters */
    size_t size;
} line;

static bool add(line *l, wchar_t letter, size_t times) {
    if (l->size + times >= LINE)
        return false;
    for (; times > 0; times--)
        l->text[l->size++] = letter;
    l->text[l->size] = L'\0';
    return true;
}

/* In quotes; backslashes count only before a quote. */
static bool add_word(line *l, const char *word) {
    wchar_t wide[PATH_MAX];
    if (!MultiByteToWideChar(CP_UTF8, 0, word, -1, wide, PATH_MAX))
        return false;
    bool good = (l->size == 0 || add(l, L' ', 1)) && add(l, L'"', 1);
    size_t slashes = 0;
    for (const wchar_t *at = wide; good && *at; at++) {
        if (*at == L'"')
            good = add(l, L'\\', slashes + 1);
        slashes = *at == L'\\' ? slashes + 1 : 0;
        good = good && add(l, *at, 1);
    }
    return good && add(l, L'\\', slashes) && add(l, L'"', 1);
}

/* ---- the process ---- */

/* What it writes is dropped, and it has nothing to read. */
static HANDLE open_nothing(void) {
    SECURITY_ATTRIBUTES given = {.nLength = sizeof given, .bInheritHandle = TRUE};
    return CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                       &given, OPEN_EXISTING, 0, NULL);
}

static HANDLE make_job(void) {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags =
                                                       JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
    HANDLE job = CreateJobObjectW(NULL, NULL);
    if (job)
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return job;
}

/* It begins when it is in the job. NULL: GetLastError says why not. */
static HANDLE start(const wchar_t *program, wchar_t *words, HANDLE job) {
    HANDLE nothing = open_nothing();
    STARTUPINFOW how = {.cb = sizeof how,
                        .dwFlags = STARTF_USESTDHANDLES,
                        .hStdInput = nothing,
                        .hStdOutput = nothing,
                        .hStdError = nothing};
    PROCESS_INFORMATION made = {0};
    BOOL good = CreateProcessW(program, words, NULL, NULL, TRUE,
                               CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP, NULL,
                               NULL, &how, &made);
    DWORD why = GetLastError();
    if (nothing != INVALID_HANDLE_VALUE)
        CloseHandle(nothing);
    if (!good) {
        SetLastError(why);
        return NULL;
    }
    if (job)
        AssignProcessToJobObject(job, made.hProcess);
    ResumeThread(made.hThread);
    CloseHandle(made.hThread);
    return made.hProcess;
}

/* Waits for its end, or ends it with the run. */
static rv_status await_end(rv_context *ctx, HANDLE process, int *code) {
    rv_status status = RV_OK;
    DWORD result = 1;
    while (WaitForSingleObject(process, LOOK_MS) == WAIT_TIMEOUT)
        if (status == RV_OK && (status = rvi_poll(ctx)) != RV_OK)
            TerminateProcess(process, 1);
    GetExitCodeProcess(process, &result);
    *code = result <= 255 ? (int)result : 255;
    return status;
}

rv_status rvi_program_run(rv_context *ctx, const char *const *words, int *code) {
    wchar_t program[PATH_MAX];
    *code = RVI_PROGRAM_MISSING;
    if (!find_program(words[0], program))
        return RV_OK;
    line l = {.text = rvi_alloc(ctx, LINE, sizeof *l.text, "a program's words")};
    if (!l.text)
        return RV_ERROR_MEMORY;
    bool fits = true;
    for (int i = 0; fits && words[i]; i++)
        fits = add_word(&l, words[i]);
    HANDLE job = fits ? make_job() : NULL, process = fits ? start(program, l.text, job) : NULL;
    unsigned why = (unsigned)GetLastError();
    rv_status status = RV_OK;
    if (process)
        status = await_end(ctx, process, code);
    else if (fits)
        status = rvi_fail(ctx, RV_ERROR_OUTPUT, "The program %s cannot be started: error %u.",
                          words[0], why);
    else
        status = rvi_fail(ctx, RV_ERROR_OUTPUT,
                          "The program %s cannot be started: its words are too long.", words[0]);
    if (process)
        CloseHandle(process);
    if (job)
        CloseHandle(job);
    rvi_free(ctx, l.text);
    return status;
}
