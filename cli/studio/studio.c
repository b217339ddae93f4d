/* studio.c: `ravine studio [FILE]`: finds the page, starts the server, opens the browser, and waits
 * until it is told to end. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "studio.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#ifndef RAVINE_STUDIO_DIR
#define RAVINE_STUDIO_DIR ""
#endif

extern char **environ;

/* Where the program lies; "": unknown. */
static void find_program(char out[PATH_MAX]) {
#ifdef __APPLE__
    uint32_t room = PATH_MAX;
    if (_NSGetExecutablePath(out, &room) != 0)
        out[0] = '\0';
#else
    ssize_t size = readlink("/proc/self/exe", out, PATH_MAX - 1);
    out[size > 0 ? size : 0] = '\0';
#endif
}

/* The folder of the page: as the user says, beside where the program lies, or as it was installed.
 */
static bool find_page(studio_folder *page) {
    const char *said = getenv("RAVINE_STUDIO");
    if (said && *said)
        return studio_folder_read(said, page);
    char program[PATH_MAX], path[PATH_MAX + 32];
    find_program(program);
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    static const char *const below[] = {"../share/ravine/studio", "studio"};
    for (int i = 0; slash && i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", program, below[i]);
        if (studio_folder_read(path, page))
            return true;
    }
    return *RAVINE_STUDIO_DIR && studio_folder_read(RAVINE_STUDIO_DIR, page);
}

/* What opens pages; it goes its own way. */
static bool open_browser(const char *page) {
    static const char *const programs[] = {"xdg-open", "open", "sensible-browser"};
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    for (int fd = 0; fd < 3; fd++)
        posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_RDWR, 0);
    bool opened = false;
    for (int i = 0; i < 3 && !opened; i++) {
        char *words[] = {(char *)programs[i], (char *)page, NULL};
        pid_t pid;
        opened = posix_spawnp(&pid, programs[i], &quiet, NULL, words, environ) == 0;
    }
    posix_spawn_file_actions_destroy(&quiet);
    return opened;
}

/* What leads the browser to the page, for as long as no page has come. */
typedef struct door {
    studio_scratch folder; /* of its own, in the user's home, where that takes one */
    char *path;            /* NULL: none */
} door;

static const char DOOR[] = "open.html";

static void close_door(door *d) {
    if (d->path)
        studio_scratch_drop(d->path);
    studio_scratch_end(&d->folder);
    free(d->path);
    *d = (door){.path = NULL};
}

/* A file: what a program is called with can be read by all users of the machine, and the token is
 * for one. It lies in the user's home, since browsers that come as a snap read no other place;
 * where it cannot, in `scratch`. */
static door make_door(const char *scratch, const char *address) {
    char text[512];
    int size =
        snprintf(text, sizeof text,
                 "<!doctype html><meta charset=utf-8><title>Ravine</title>"
                 "<meta http-equiv=refresh content=\"0;url=%s\"><a href=\"%s\">To the studio</a>\n",
                 address, address);
    const char *home = getenv("HOME");
    door d = {.path = NULL};
    if (home && *home == '/') {
        studio_scratch_clear(home);
        studio_scratch_make(home, &d.folder);
    }
    if (d.folder.path && studio_scratch_put(d.folder.path, DOOR, text, (size_t)size)) {
        d.path = studio_path(d.folder.path, DOOR);
        return d;
    }
    close_door(&d);
    if (studio_scratch_put(scratch, DOOR, text, (size_t)size))
        d.path = studio_path(scratch, DOOR);
    return d;
}

static door open_address(const char *scratch, const char *address) {
    door d = make_door(scratch, address);
    if (!d.path)
        fprintf(stderr,
                "%.400s: no file for the browser can be written there (%s): open the "
                "address yourself.\n",
                scratch, strerror(errno));
    else if (!open_browser(d.path))
        fprintf(stderr, "No program that opens a browser was found: open the address yourself.\n");
    return d;
}

/* Until a signal says that it is enough. The door is not needed once a page has come. */
static void wait_for_end(studio_server *server, door *d) {
    const struct timespec tick = {.tv_nsec = 50 * 1000000};
    while (!cli_interrupt_caught()) {
        nanosleep(&tick, NULL);
        waitpid(-1, NULL, WNOHANG); /* the program that opened the browser */
        if (d->path && studio_server_met(server))
            close_door(d);
    }
    close_door(d);
}

static int serve(const cli_options *options, const studio_place *place, const studio_folder *page) {
    studio_server *server;
    char address[160];
    int code = studio_server_start(place, page, options->port, &server);
    if (code != 0)
        return code;
    snprintf(address, sizeof address, "http://127.0.0.1:%d/?token=%s", studio_server_port(server),
             studio_server_token(server));
    printf("%s\n", address);
    if (!options->quiet)
        printf("The studio runs until Ctrl-C. Its address works on this machine only.\n");
    fflush(stdout);
    door d = {.path = NULL};
    if (!options->no_open)
        d = open_address(place->scratch, address);
    wait_for_end(server, &d);
    studio_server_stop(server);
    return 0;
}

/* All devices, for the page to choose from; "": none. free() it. */
static char *list_devices(void) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    rv_device_info info;
    for (int i = 1; out && rv_device_get(i, &info); i++) {
        fprintf(out, "%s{\"number\":%d,\"name\":", i > 1 ? "," : "", i);
        cli_json_text(out, info.name);
        fputc('}', out);
    }
    if (out)
        fclose(out);
    return text;
}

/* Is the device there on which pages are to begin? */
static int try_device(int device) {
    rv_context *ctx;
    if (device == RV_DEVICE_CPU)
        return 0;
    rv_status status = rv_context_create(NULL, &ctx);
    if (status != RV_OK)
        return cli_fail(cli_exit_code(status), "Ravine cannot start: %s.", rv_status_text(status));
    int code = 0;
    status = rv_context_use_device(ctx, device);
    if (status != RV_OK)
        code = cli_fail(cli_exit_code(status), "%s", rv_context_error(ctx));
    rv_context_destroy(ctx);
    return code;
}

/* The recipe to begin with, as text. */
static int read_recipe(const char *name, char **text) {
    rv_context *ctx;
    rv_recipe *recipe;
    rv_status status = rv_context_create(NULL, &ctx);
    if (status != RV_OK)
        return cli_fail(cli_exit_code(status), "Ravine cannot start: %s.", rv_status_text(status));
    int code = 0;
    status = rv_recipe_load(ctx, name, &recipe);
    if (status != RV_OK) {
        code = cli_fail(cli_exit_code(status), "%s", rv_context_error(ctx));
    } else {
        int size = rv_recipe_print(recipe, NULL, 0);
        *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
        if (*text)
            rv_recipe_print(recipe, *text, (size_t)size + 1);
        else
            code = cli_fail(5, "There is not enough memory for %.200s.", name);
        rv_recipe_destroy(recipe);
    }
    rv_context_destroy(ctx);
    return code;
}

static int run_with(const cli_options *options, studio_place *place, const studio_folder *page) {
    const char *base = getenv("TMPDIR");
    char *folder = realpath(".", NULL), *devices = list_devices();
    studio_scratch scratch;
    int code;
    base = base && *base ? base : "/tmp";
    studio_scratch_clear(base);
    if (!studio_scratch_make(base, &scratch) || !folder) {
        code =
            cli_fail(4, "A folder for the files of the page cannot be made: %s.", strerror(errno));
    } else {
        place->folder = folder;
        place->scratch = scratch.path;
        place->devices = devices ? devices : "";
        code = serve(options, place, page);
    }
    studio_scratch_end(&scratch);
    free(folder);
    free(devices);
    return code;
}

int cli_studio(const cli_options *options) {
    studio_place place = {.name = "", .text = "", .options = options};
    studio_folder page;
    char *text = NULL;
    if (options->count > 2 || options->dry_run || options->json || options->checkpoint)
        return cli_fail(
            2, "studio takes one recipe at most, and --port, --no-open, --threads, --memory and "
               "--device.");
    cli_interrupt_watch(false);
    int code = try_device(options->device);
    if (code == 0 && options->count == 2)
        code = read_recipe(options->words[1], &text);
    if (code != 0)
        return code;
    if (text) {
        const char *slash = strrchr(options->words[1], '/');
        place.name = slash ? slash + 1 : options->words[1];
        place.text = text;
    }
    if (find_page(&page)) {
        code = run_with(options, &place, &page);
        studio_folder_free(&page);
    } else {
        code = cli_fail(3, "The page of the studio is not installed; `make studio` builds it.");
    }
    free(text);
    return code;
}
