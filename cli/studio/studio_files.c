/* studio_files.c: the files of the page, read once into memory so that a request can reach nothing
 * else, and a folder for the files that pages bring and take. */
#define _DEFAULT_SOURCE   /* flock */
#define _XOPEN_SOURCE 700 /* realpath */
#include "studio.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 1000 }; /* files of a page */

char *studio_path(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s%s", folder, *folder && *name ? "/" : "", name);
    return path;
}

/* ---- folders in memory ---- */

bool studio_file_read(const char *path, studio_file *out) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    bool good = fseek(file, 0, SEEK_END) == 0;
    long size = good ? ftell(file) : -1;
    rewind(file);
    out->bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
    out->size = (size_t)size;
    good = out->bytes && fread(out->bytes, 1, out->size, file) == out->size;
    fclose(file);
    if (!good)
        free(out->bytes);
    return good;
}

void studio_file_stamp(const char *path, char out[64]) {
    struct stat info;
    *out = '\0';
    if (stat(path, &info) == 0)
        snprintf(out, 64, "%lld.%09ld %lld %lld", (long long)info.st_mtim.tv_sec,
                 info.st_mtim.tv_nsec, (long long)info.st_size, (long long)info.st_ino);
}

static bool read_below(const char *top, const char *below, int depth, studio_folder *out);

static bool read_entry(const char *top, const char *name, int depth, studio_folder *out) {
    struct stat info;
    char *path = studio_path(top, name);
    bool good = path && lstat(path, &info) == 0;
    if (good && S_ISDIR(info.st_mode) && depth > 0) {
        good = read_below(top, name, depth - 1, out);
    } else if (good && S_ISREG(info.st_mode) && out->count < MOST) {
        studio_file *file = &out->files[out->count];
        file->name = studio_path("", name);
        good = file->name && studio_file_read(path, file);
        if (good)
            out->count++;
        else
            free(file->name);
    }
    free(path);
    return good;
}

static bool read_below(const char *top, const char *below, int depth, studio_folder *out) {
    char *path = studio_path(top, below);
    DIR *folder = path ? opendir(path) : NULL;
    free(path);
    bool good = folder != NULL;
    const struct dirent *entry;
    while (good && (entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *name = studio_path(below, entry->d_name);
        good = name && read_entry(top, name, depth, out);
        free(name);
    }
    if (folder)
        closedir(folder);
    return good;
}

static int compare(const void *a, const void *b) {
    return strcmp(((const studio_file *)a)->name, ((const studio_file *)b)->name);
}

bool studio_folder_read(const char *path, studio_folder *out) {
    *out = (studio_folder){.files = calloc(MOST, sizeof *out->files)};
    if (out->files && read_below(path, "", 4, out)) {
        qsort(out->files, out->count, sizeof *out->files, compare);
        return true;
    }
    studio_folder_free(out);
    return false;
}

void studio_folder_free(studio_folder *folder) {
    for (size_t i = 0; i < folder->count; i++) {
        free(folder->files[i].name);
        free(folder->files[i].bytes);
    }
    free(folder->files);
    *folder = (studio_folder){.count = 0};
}

const studio_file *studio_folder_find(const studio_folder *folder, const char *name) {
    for (size_t i = 0; i < folder->count; i++)
        if (strcmp(folder->files[i].name, name) == 0)
            return &folder->files[i];
    return NULL;
}

/* ---- scratch ---- */

#define SCRATCH "ravine-studio-"
static const char OWNER[] = ".owner";

/* A file whose lock this program holds for as long as it lives. It gets its name when it is locked,
 * so that nobody finds it without a lock while the program runs. */
static FILE *lock_owner(const char *folder) {
    char *made = studio_path(folder, ".owner.new"), *path = studio_path(folder, OWNER);
    FILE *file = made && path ? fopen(made, "wbx") : NULL;
    if (file) {
        fcntl(fileno(file), F_SETFD, FD_CLOEXEC); /* else the browser would keep the lock */
        if (flock(fileno(file), LOCK_EX | LOCK_NB) != 0 || rename(made, path) != 0) {
            unlink(made);
            fclose(file);
            file = NULL;
        }
    }
    free(made);
    free(path);
    return file;
}

bool studio_scratch_make(const char *base, studio_scratch *out) {
    *out = (studio_scratch){.path = studio_path(base, SCRATCH "XXXXXX")};
    if (out->path && mkdtemp(out->path)) {
        out->owner = lock_owner(out->path);
        return true; /* without a lock, as on some file systems: then nobody else removes it */
    }
    free(out->path);
    out->path = NULL;
    return false;
}

void studio_scratch_end(studio_scratch *scratch) {
    if (scratch->path)
        studio_scratch_remove(scratch->path);
    if (scratch->owner)
        fclose(scratch->owner);
    free(scratch->path);
    *scratch = (studio_scratch){.path = NULL};
}

/* A folder of this user, with the lock of a program that has died; the lock is then held by the
 * file that is given, so that no other program removes it at the same time. */
static FILE *take_dead(const char *folder) {
    struct stat info, named, opened;
    if (lstat(folder, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid())
        return NULL;
    char *path = studio_path(folder, OWNER);
    FILE *file =
        path && lstat(path, &named) == 0 && S_ISREG(named.st_mode) && named.st_uid == geteuid()
            ? fopen(path, "rb+")
            : NULL;
    if (file && (flock(fileno(file), LOCK_EX | LOCK_NB) != 0 || fstat(fileno(file), &opened) != 0 ||
                 lstat(path, &named) != 0 || opened.st_ino != named.st_ino ||
                 opened.st_dev != named.st_dev)) {
        fclose(file);
        file = NULL;
    }
    free(path);
    return file;
}

void studio_scratch_clear(const char *base) {
    DIR *folder = opendir(base);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (strncmp(entry->d_name, SCRATCH, strlen(SCRATCH)) != 0 ||
            strlen(entry->d_name) != strlen(SCRATCH "XXXXXX"))
            continue;
        char *path = studio_path(base, entry->d_name);
        FILE *owner = path ? take_dead(path) : NULL;
        if (owner) {
            studio_scratch_remove(path);
            fclose(owner);
        }
        free(path);
    }
    if (folder)
        closedir(folder);
}

void studio_scratch_remove(const char *path) {
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        struct stat info;
        char *inner = studio_path(path, entry->d_name);
        if (inner && lstat(inner, &info) == 0 && S_ISDIR(info.st_mode))
            studio_scratch_remove(inner);
        else if (inner)
            unlink(inner);
        free(inner);
    }
    if (folder)
        closedir(folder);
    rmdir(path);
}

void studio_scratch_drop(const char *path) {
    unlink(path);
}

bool studio_scratch_sub(const char *path) {
    struct stat info;
    if (lstat(path, &info) == 0)
        studio_scratch_remove(path);
    return mkdir(path, 0700) == 0;
}

bool studio_name_plain(const char *name) {
    return *name && *name != '.' && !strchr(name, '/') && strlen(name) < 200;
}

bool studio_scratch_put(const char *folder, const char *name, const void *bytes, size_t size) {
    char *path = studio_path(folder, name), *part = studio_path(folder, ".part");
    FILE *file = path && part ? fopen(part, "wb") : NULL;
    bool good = file && fwrite(bytes, 1, size, file) == size;
    good = file && fclose(file) == 0 && good && rename(part, path) == 0;
    if (file && !good)
        studio_scratch_drop(part);
    free(path);
    free(part);
    return good;
}

/* ---- the user's own folder ---- */

static bool is_below(const char *folder, const char *path) {
    size_t size = strlen(folder);
    return strcmp(folder, "/") == 0 || (strncmp(path, folder, size) == 0 && path[size] == '/');
}

/* What stands for a folder, not for a file in it. */
static bool is_no_name(const char *name) {
    return !*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

bool studio_is_link(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

char *studio_path_below(const char *folder, const char *name, bool writes) {
    char *path = *name == '/' ? studio_path("", name) : studio_path(folder, name);
    char *top = realpath(folder, NULL), *end = path ? strrchr(path, '/') : NULL, *found = NULL;
    if (path && top && !writes)
        found = realpath(path, NULL);
    if (path && top && writes && end) {
        /* A link there would lead the bytes elsewhere; what it leads to is not looked for. */
        bool leads_away = studio_is_link(path) || is_no_name(end + 1);
        *end = '\0';
        char *parent = leads_away ? NULL : realpath(*path ? path : "/", NULL);
        found = parent ? studio_path(parent, end + 1) : NULL;
        free(parent);
    }
    if (found && !is_below(top, found)) {
        free(found);
        found = NULL;
    }
    free(path);
    free(top);
    return found;
}
