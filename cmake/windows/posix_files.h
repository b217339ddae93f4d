/* posix_files.h: the calls of POSIX for files that base/file.c, base/run_files.c and the program
 * make, on Windows. Names are UTF-8, bytes are not changed, and a file that is open can get another
 * name or be removed: the functions of mingw-w64 do none of this. unistd.h, fcntl.h, dirent.h,
 * poll.h and sys/stat.h of this folder stand before those of the compiler and lead here. */
#ifndef RVI_WINDOWS_POSIX_FILES_H
#define RVI_WINDOWS_POSIX_FILES_H

/* What of the system declares the same names, before they become others. */
#include <direct.h>
#include <io.h>
#include <limits.h>
#include <process.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <wchar.h>

#undef PATH_MAX /* bytes of UTF-8; the system has 32767 letters of 16 bits */
#undef NAME_MAX
#define PATH_MAX 4096
#define NAME_MAX 255

#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2

enum {
    O_RDONLY = 0,
    O_WRONLY = 1,
    O_RDWR = 2,
    O_CREAT = 0x100,
    O_EXCL = 0x200,
    O_TRUNC = 0x400,
    O_CLOEXEC = 0,  /* no program inherits a file here */
    O_NONBLOCK = 0, /* nothing waits in open */
    O_NOFOLLOW = 0x800,
};

#define S_IFMT 0170000
#define S_IFREG 0100000
#define S_IFDIR 0040000
#define S_IFCHR 0020000
#define S_IFIFO 0010000
#define S_IFLNK 0120000
#undef S_ISREG
#undef S_ISDIR
#undef S_ISLNK
#define S_ISREG(mode) (((mode)&S_IFMT) == S_IFREG)
#define S_ISDIR(mode) (((mode)&S_IFMT) == S_IFDIR)
#define S_ISLNK(mode) (((mode)&S_IFMT) == S_IFLNK)
#define S_IRUSR 0400
#define S_IWUSR 0200

#undef F_OK
#undef R_OK
#undef W_OK
#undef X_OK
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4

#define stat rvi_windows_stat
#define lstat rvi_windows_lstat
#define fstat rvi_windows_fstat
#define dirent rvi_windows_dirent
#define open rvi_windows_open
#define close rvi_windows_close
#define read rvi_windows_read
#define write rvi_windows_write
#define lseek rvi_windows_lseek
#define fsync rvi_windows_fsync
#define access rvi_windows_access
#define mkdir rvi_windows_mkdir
#define rmdir rvi_windows_rmdir
#define unlink rvi_windows_unlink
#define rename rvi_windows_rename
#define remove rvi_windows_unlink
#define fopen rvi_windows_fopen
#define chmod rvi_windows_chmod
#define getcwd rvi_windows_getcwd
#define readlink rvi_windows_readlink
#define geteuid rvi_windows_geteuid
#define getpid rvi_windows_getpid

struct stat {
    uint64_t st_dev, st_ino;
    unsigned st_mode; /* of rights those of the owner: who else has some is not told */
    unsigned st_nlink;
    unsigned st_uid; /* always that of geteuid */
    int64_t st_size;
};

int stat(const char *path, struct stat *out);
int lstat(const char *path, struct stat *out); /* a link itself, not what it leads to */
int fstat(int fd, struct stat *out);
int open(const char *path, int flags, ...); /* "/dev/null" is NUL */
int close(int fd);
ssize_t read(int fd, void *to, size_t size);
ssize_t write(int fd, const void *from, size_t size);
int64_t lseek(int fd, int64_t at, int from);
int fsync(int fd);
int access(const char *path, int how);
int mkdir(const char *path, unsigned mode);
int rmdir(const char *path);
int unlink(const char *path);
/* Also over a file that is there, and one that a process has open through open(). */
int rename(const char *from, const char *to);
FILE *fopen(const char *path, const char *how);
int chmod(const char *path, unsigned mode); /* files alone, and of the mode the owner may write */
char *getcwd(char *out, size_t room);       /* with / between the names */
ssize_t readlink(const char *path, char *out, size_t room); /* fails: no link is followed */
unsigned geteuid(void);
int getpid(void);

/* ---- dirent.h ---- */

typedef struct rvi_windows_dir DIR;
struct dirent {
    char d_name[NAME_MAX * 3 + 1];
};
DIR *opendir(const char *path);
struct dirent *readdir(DIR *dir);
void rewinddir(DIR *dir);
int closedir(DIR *dir);

/* ---- poll.h, for one file ---- */

#define POLLIN 1
struct pollfd {
    int fd;
    short events, revents;
};
int poll(struct pollfd *one, unsigned count, int wait_ms);

/* For the twins of other files: the name in the letters of the system. false: errno says why not.
 */
int rvi_windows_wide(const char *path, wchar_t out[PATH_MAX]);
int rvi_windows_errno(unsigned long error); /* sets errno, returns -1 */

#endif
