/* made.c: the files that a run has made, and how large they are. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

struct cli_made {
    char *path;
    uint64_t bytes;
};

static bool same_place(const cli_run *run, const char *path) {
    return run->options->checkpoint && strcmp(path, run->options->checkpoint) == 0;
}

/* In JSON each step tells its own files: those before are told. */
static size_t told(const cli_run *run) {
    return run->options->json ? run->made_told : 0;
}

/* A file that is written again soon is one file. Checkpoints go with the run. */
void cli_made_add(void *user, const char *path, uint64_t bytes) {
    cli_run *run = user;
    if (same_place(run, path))
        return;
    enum { SOON = 256 }; /* files; a film has many, and each is new */
    for (size_t i = run->made_count; i > told(run) && run->made_count - i < SOON; i--)
        if (strcmp(run->made[i - 1].path, path) == 0) {
            run->made[i - 1].bytes = bytes;
            return;
        }
    if (run->made_count == run->made_room) {
        size_t room = 2 * run->made_room + 16;
        cli_made *larger = realloc(run->made, room * sizeof *larger);
        if (!larger)
            return;
        run->made = larger;
        run->made_room = room;
    }
    char *copy = strdup(path);
    if (copy)
        run->made[run->made_count++] = (cli_made){copy, bytes};
}

/* Some may be gone: frames of a film that became one file. */
static void forget_gone(cli_run *run) {
    size_t kept = 0;
    for (size_t i = 0; i < run->made_count; i++)
        if (cli_file_exists(run->made[i].path))
            run->made[kept++] = run->made[i];
        else
            free(run->made[i].path);
    run->made_count = kept;
}

void cli_made_tell(cli_run *run) {
    enum { SHOWN = 12 };
    uint64_t rest = 0;
    char size[32];
    if (run->options->quiet || run->options->json)
        return;
    forget_gone(run);
    for (size_t i = 0; i < run->made_count; i++) {
        if (i >= SHOWN) {
            rest += run->made[i].bytes;
            continue;
        }
        cli_bytes((size_t)run->made[i].bytes, size);
        fprintf(stderr, "%-13s %10s  ", i == 0 ? "Made" : "", size);
        cli_put_line(stderr, run->made[i].path);
        fputc('\n', stderr);
    }
    if (run->made_count > SHOWN) {
        cli_bytes((size_t)rest, size);
        fprintf(stderr, "%-13s %10s  in %zu more\n", "", size, run->made_count - SHOWN);
    }
}

/* "files":[{"name":"a.png","bytes":123}] of those made since the last call. */
void cli_made_json(cli_run *run, FILE *out) {
    fputs(",\"files\":[", out);
    for (size_t i = run->made_told; i < run->made_count; i++) {
        fputs(i > run->made_told ? ",{\"name\":" : "{\"name\":", out);
        cli_json_text(out, run->made[i].path);
        fprintf(out, ",\"bytes\":%llu}", (unsigned long long)run->made[i].bytes);
    }
    fputc(']', out);
    run->made_told = run->made_count;
}

void cli_made_free(cli_run *run) {
    for (size_t i = 0; i < run->made_count; i++)
        free(run->made[i].path);
    free(run->made);
}
