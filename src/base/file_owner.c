/* file_owner.c: locks of files, what dead processes left, the machine, and the rights of users. */
#include "base/file_owner.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

rvi_lock rvi_lock_take(int fd) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return RVI_LOCK_TAKEN;
    return errno == EWOULDBLOCK || errno == EINTR ? RVI_LOCK_HELD : RVI_LOCK_NONE;
}

int rvi_lock_keep(int fd) {
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

void rvi_lock_pause(void) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

rvi_lock rvi_name_take(const char *from, const char *to) {
    if (link(from, to) != 0)
        return errno == EEXIST ? RVI_LOCK_HELD : RVI_LOCK_NONE;
    unlink(from);
    return RVI_LOCK_TAKEN;
}

int rvi_folder_rename(int *note, const char *from, const char *to) {
    (void)note;
    return rename(from, to);
}

void rvi_name_fold(char *name, size_t room) {
    (void)name, (void)room;
}

void rvi_dead_remove(const char *path) {
    struct stat file, named;
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && rvi_lock_take(fd) == RVI_LOCK_TAKEN &&
        lstat(path, &named) == 0 && named.st_ino == file.st_ino && named.st_dev == file.st_dev)
        unlink(path);
    close(fd);
}

bool rvi_file_cut(int fd, size_t size) {
    return ftruncate(fd, (off_t)size) == 0;
}

uint64_t rvi_host(void) {
    char name[256] = "";
    if (gethostname(name, sizeof name - 1) != 0)
        name[0] = '\0';
    return rvi_hash(name, strlen(name), 0);
}

bool rvi_folder_own(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           !(info.st_mode & (S_IWGRP | S_IWOTH));
}

bool rvi_rights_read_only(const struct stat *file) {
    return (file->st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0;
}

/* Where the group cannot stay, the new one may do what all others may, and not more. */
void rvi_rights_copy(int fd, const struct stat *old) {
    struct stat now;
    mode_t mode = old->st_mode & 07777;
    if (fstat(fd, &now) != 0)
        return;
    bool same_user = now.st_uid == old->st_uid || fchown(fd, old->st_uid, (gid_t)-1) == 0;
    bool same_group = now.st_gid == old->st_gid || fchown(fd, (uid_t)-1, old->st_gid) == 0;
    if (!same_user || !same_group)
        mode &= ~(mode_t)(S_ISUID | S_ISGID);
    if (!same_group)
        mode = (mode & ~(mode_t)S_IRWXG) | ((mode & S_IRWXO) << 3);
    (void)fchmod(fd, mode); /* some file systems have no rights */
}
