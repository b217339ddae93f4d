/* recipes.c: the recipes that come with Ravine, by name. They lie beside the installed program, in
 * share/ravine/recipes, or in the tree that it was built from. */
#include "cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, NAME_ROOM = 64, RECIPES_MOST = 1000 };

/* As seen from the folder of the program. */
static const char *const places[] = {"../" RAVINE_DATADIR "/recipes", "../../recipes"};
enum { PLACES = sizeof places / sizeof places[0] };

/* false: the place of the program is not known, or the name is too long. */
static bool place(int which, const char *name, char out[PATH_ROOM]) {
    char program[PATH_ROOM];
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    if (size <= 0)
        return false;
    program[size] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash)
        return false;
    *slash = '\0';
    int length = snprintf(out, PATH_ROOM, "%s/%s/%s", program, places[which], name);
    return length > 0 && length < PATH_ROOM;
}

char *cli_recipe_file(const char *name) {
    char file[NAME_ROOM], path[PATH_ROOM];
    if (strchr(name, '/') || snprintf(file, sizeof file, "%s.rv", name) >= (int)sizeof file)
        return NULL;
    for (int i = 0; i < PLACES; i++)
        if (place(i, file, path) && cli_file_exists(path))
            return strdup(path);
    return NULL;
}

/* ---- the list ---- */

typedef struct entry {
    char name[NAME_ROOM], sentence[160];
} entry;

/* Its first line is "# alps.rv: high mountains ..." */
static bool read_entry(const char *folder, const char *file, entry *out) {
    char path[PATH_ROOM + NAME_ROOM], line[256] = "";
    size_t size = strlen(file);
    if (size <= 3 || size - 3 >= sizeof out->name || strcmp(file + size - 3, ".rv") != 0)
        return false;
    FILE *in = snprintf(path, sizeof path, "%s/%s", folder, file) < (int)sizeof path
                   ? fopen(path, "r")
                   : NULL;
    if (!in)
        return false;
    if (!fgets(line, sizeof line, in))
        line[0] = '\0';
    fclose(in);
    line[strcspn(line, "\r\n")] = '\0';
    const char *colon = strstr(line, ".rv: ");
    snprintf(out->name, sizeof out->name, "%.*s", (int)(size - 3), file);
    snprintf(out->sentence, sizeof out->sentence, "%.159s", colon ? colon + 5 : "");
    return true;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

/* How many recipes lie in the first of the places that is there. */
static int read_entries(entry *out) {
    char folder[PATH_ROOM];
    DIR *dir = NULL;
    int count = 0;
    for (int i = 0; i < PLACES && !dir; i++)
        dir = place(i, "", folder) ? opendir(folder) : NULL;
    for (struct dirent *file; dir && count < RECIPES_MOST && (file = readdir(dir)) != NULL;)
        count += read_entry(folder, file->d_name, &out[count]);
    if (dir)
        closedir(dir);
    qsort(out, (size_t)count, sizeof *out, by_name);
    return count;
}

int cli_list(void) {
    entry *entries = calloc(RECIPES_MOST, sizeof *entries);
    if (!entries)
        return cli_fail(5, "There is not enough memory for the list.");
    int count = read_entries(entries);
    puts(count > 0 ? "Recipes: ravine NAME [STEP.KEY=VALUE ...]"
                   : "The recipes were not found beside the program.");
    for (int i = 0; i < count; i++)
        printf("  %-11s %s\n", entries[i].name, entries[i].sentence);
    free(entries);
    puts("Scenes: ravine scene NAME [WORD.KEY=VALUE ...]");
    for (int i = 0; i < rv_scene_preset_count(); i++)
        printf("  %s\n", rv_scene_preset_name(i));
    return 0;
}
