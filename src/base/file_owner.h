/* file_owner.h: whose a file is: of the living process that holds its lock, and of the user and the
 * group that have rights to it. */
#ifndef RVI_BASE_FILE_OWNER_H
#define RVI_BASE_FILE_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

typedef enum rvi_lock {
    RVI_LOCK_TAKEN, /* it is ours until the last copy of the descriptor is closed, or we die */
    RVI_LOCK_HELD,  /* a living process has it */
    RVI_LOCK_NONE,  /* here files cannot be locked, so nobody knows */
} rvi_lock;

rvi_lock rvi_lock_take(int fd);
/* A descriptor that keeps the lock when `fd` is closed; -1: none. */
int rvi_lock_keep(int fd);

void rvi_lock_pause(void); /* waits a little, before a lock that is held is tried again */

/* The file gets a new name instead of its old one. RVI_LOCK_HELD: there is a file of that name.
 * RVI_LOCK_NONE: here that cannot be done without replacing one. */
rvi_lock rvi_name_take(const char *from, const char *to);

/* As rename() does with a folder, whose file `note` we have open and locked: also over an empty
 * one. Where the system renames no folder with an open file, *note is closed, and -1. */
int rvi_folder_rename(int *note, const char *from, const char *to);

/* Where the system takes several spellings for one name, all of them become the same. */
void rvi_name_fold(char *name, size_t room);

/* Removes a file that no living process holds. A process that makes such a file locks it at once,
 * and takes another name when it could not, or the file is gone then. */
void rvi_dead_remove(const char *path);

/* The file ends behind so many bytes. */
bool rvi_file_cut(int fd, size_t size);

/* A number for this machine: locks of others need not be seen here, on a network file system. */
uint64_t rvi_host(void);

/* Is it a folder of the user who runs the program, to which no other user may write? */
bool rvi_folder_own(const char *path);

/* Is nobody to write to it, by its mode? The system would let root. */
bool rvi_rights_read_only(const struct stat *file);
/* Gives the new file `fd` the mode, the user and the group of an old one, as far as we may. */
void rvi_rights_copy(int fd, const struct stat *old);

#endif
