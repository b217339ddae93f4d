/* file_owner_none.c: stands for file_owner.c on machines without locks, users and groups. */
#include "base/file_owner.h"

#include <stdio.h>

rvi_lock rvi_lock_take(int fd) {
    (void)fd;
    return RVI_LOCK_NONE;
}

int rvi_lock_keep(int fd) {
    (void)fd;
    return -1;
}

void rvi_lock_pause(void) {
}

rvi_lock rvi_name_take(const char *from, const char *to) {
    (void)from, (void)to;
    return RVI_LOCK_NONE;
}

int rvi_folder_rename(int *note, const char *from, const char *to) {
    (void)note;
    return rename(from, to);
}

void rvi_name_fold(char *name, size_t room) {
    (void)name, (void)room;
}

void rvi_dead_remove(const char *path) {
    (void)path;
}

/* Films, whose notes need it, are made by a program that these machines do not run. */
bool rvi_file_cut(int fd, size_t size) {
    (void)fd, (void)size;
    return true;
}

uint64_t rvi_host(void) {
    return 0;
}

bool rvi_folder_own(const char *path) {
    (void)path;
    return false;
}

bool rvi_rights_read_only(const struct stat *file) {
    (void)file;
    return false;
}

void rvi_rights_copy(int fd, const struct stat *old) {
    (void)fd, (void)old;
}
