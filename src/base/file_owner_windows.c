/* file_owner_windows.c: stands for file_owner.c on Windows. */
#include "base/file_owner.h"
#include "base/hash.h"

#include <fcntl.h>
#include <unistd.h>
#include <windows.h>

/* A byte far behind the end of every file: others may still read and write what is there. The
 * system gives it back when the last copy of the handle is closed, or the process ends. */
rvi_lock rvi_lock_take(int fd) {
    OVERLAPPED at = {.Offset = 0, .OffsetHigh = 0x40000000};
    if (LockFileEx((HANDLE)_get_osfhandle(fd), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY,
                   0, 1, 0, &at))
        return RVI_LOCK_TAKEN;
    DWORD why = GetLastError();
    return why == ERROR_LOCK_VIOLATION || why == ERROR_IO_PENDING ? RVI_LOCK_HELD : RVI_LOCK_NONE;
}

int rvi_lock_keep(int fd) {
    HANDLE copy, self = GetCurrentProcess();
    if (!DuplicateHandle(self, (HANDLE)_get_osfhandle(fd), self, &copy, 0, FALSE,
                         DUPLICATE_SAME_ACCESS))
        return -1;
    int kept = _open_osfhandle((intptr_t)copy, 0);
    if (kept < 0)
        CloseHandle(copy);
    return kept;
}

void rvi_lock_pause(void) {
    Sleep(2);
}

rvi_lock rvi_name_take(const char *from, const char *to) {
    wchar_t old_name[PATH_MAX], new_name[PATH_MAX];
    if (!rvi_windows_wide(from, old_name) || !rvi_windows_wide(to, new_name))
        return RVI_LOCK_NONE;
    if (MoveFileExW(old_name, new_name, MOVEFILE_WRITE_THROUGH))
        return RVI_LOCK_TAKEN;
    DWORD why = GetLastError();
    return why == ERROR_ALREADY_EXISTS || why == ERROR_FILE_EXISTS ? RVI_LOCK_HELD : RVI_LOCK_NONE;
}

/* A directory with an open file in it cannot get another name: the lock goes first. */
int rvi_folder_rename(int *note, const char *from, const char *to) {
    close(*note);
    *note = -1;
    return rename(from, to);
}

void rvi_dead_remove(const char *path) {
    struct stat info;
    int fd = open(path, O_RDWR | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && rvi_lock_take(fd) == RVI_LOCK_TAKEN)
        unlink(path);
    close(fd);
}

bool rvi_file_cut(int fd, size_t size) {
    return _chsize_s(fd, (int64_t)size) == 0;
}

/* Upper and lower case of a letter are one name. */
void rvi_name_fold(char *name, size_t room) {
    wchar_t wide[PATH_MAX];
    char folded[PATH_MAX];
    int size = MultiByteToWideChar(CP_UTF8, 0, name, -1, wide, PATH_MAX);
    if (size <= 0)
        return;
    CharLowerBuffW(wide, (DWORD)size);
    size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, folded, sizeof folded, NULL, NULL);
    if (size > 0 && (size_t)size <= room)
        memcpy(name, folded, (size_t)size);
}

uint64_t rvi_host(void) {
    wchar_t name[MAX_COMPUTERNAME_LENGTH + 1];
    DWORD size = MAX_COMPUTERNAME_LENGTH + 1;
    return GetComputerNameW(name, &size) ? rvi_hash(name, size * sizeof *name, 0) : 0;
}

/* The system gives a new folder to its user alone, below that user's own. */
bool rvi_folder_own(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool rvi_rights_read_only(const struct stat *file) {
    return (file->st_mode & S_IWUSR) == 0;
}

/* A new file has the rights that its folder gives. */
void rvi_rights_copy(int fd, const struct stat *old) {
    (void)fd, (void)old;
}
