/* posix_files.c: see posix_files.h. */
#include "posix_files.h"

#include <errno.h>
#include <windows.h>

/* ---- names and errors ---- */

int rvi_windows_errno(unsigned long error) {
    static const struct {
        unsigned long error;
        int number;
    } table[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_BAD_NET_NAME, ENOENT},
        {ERROR_INVALID_DRIVE, ENOENT},
        {ERROR_NOT_READY, ENOENT},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_BUFFER_OVERFLOW, ENAMETOOLONG},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_NOT_SAME_DEVICE, EXDEV},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_INVALID_HANDLE, EBADF},
        {ERROR_BROKEN_PIPE, EPIPE},
        {ERROR_NO_UNICODE_TRANSLATION, EILSEQ},
    };
    errno = EACCES; /* such as ERROR_SHARING_VIOLATION */
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].error == error)
            errno = table[i].number;
    return -1;
}

static int fail(void) {
    return rvi_windows_errno(GetLastError());
}

/* The form \\?\ of a long name, which the system does not limit to 260 letters. */
static int lengthen(wchar_t path[PATH_MAX]) {
    static const wchar_t mark[] = L"\\\\?\\";
    enum { MARK = 4 };
    wchar_t whole[PATH_MAX];
    DWORD size = GetFullPathNameW(path, PATH_MAX - MARK, whole, NULL);
    if (size == 0 || size >= PATH_MAX - MARK || whole[0] == L'\\')
        return size < PATH_MAX - MARK; /* a name of the network is left as it is */
    memcpy(path, mark, MARK * sizeof *mark);
    memcpy(path + MARK, whole, (size + 1) * sizeof *whole);
    return 1;
}

int rvi_windows_wide(const char *path, wchar_t out[PATH_MAX]) {
    enum { LONG = 240 };
    if (strcmp(path, "/dev/null") == 0)
        path = "NUL";
    int size = MultiByteToWideChar(CP_UTF8, 0, path, -1, out, PATH_MAX);
    if (size > 1 && (size < LONG || lengthen(out)))
        return 1;
    errno = size == 1 ? ENOENT : ENAMETOOLONG;
    return 0;
}

/* ---- what there is ---- */

static unsigned mode_of(HANDLE file, const BY_HANDLE_FILE_INFORMATION *info, int link) {
    unsigned rights = info->dwFileAttributes & FILE_ATTRIBUTE_READONLY ? 0400 : 0600;
    if (link && (info->dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT))
        return S_IFLNK | rights;
    if (info->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
        return S_IFDIR | 0700; /* there the mark means something else */
    return GetFileType(file) == FILE_TYPE_DISK ? S_IFREG | rights : S_IFCHR | rights;
}

static int describe(HANDLE file, struct stat *out, int link) {
    BY_HANDLE_FILE_INFORMATION info;
    DWORD type = GetFileType(file);
    *out = (struct stat){.st_mode = type == FILE_TYPE_PIPE ? S_IFIFO | 0600 : S_IFCHR | 0600};
    if (type == FILE_TYPE_PIPE || type == FILE_TYPE_CHAR)
        return 0;
    if (!GetFileInformationByHandle(file, &info))
        return fail();
    out->st_dev = info.dwVolumeSerialNumber;
    out->st_ino = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
    out->st_mode = mode_of(file, &info, link);
    out->st_nlink = info.nNumberOfLinks;
    out->st_size = (int64_t)((uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow);
    return 0;
}

static const DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

static int describe_path(const char *path, struct stat *out, int link) {
    wchar_t name[PATH_MAX];
    if (!rvi_windows_wide(path, name))
        return -1;
    HANDLE file =
        CreateFileW(name, 0, shared, NULL, OPEN_EXISTING,
                    FILE_FLAG_BACKUP_SEMANTICS | (link ? FILE_FLAG_OPEN_REPARSE_POINT : 0), NULL);
    if (file == INVALID_HANDLE_VALUE)
        return fail();
    int result = describe(file, out, link);
    CloseHandle(file);
    return result;
}

int stat(const char *path, struct stat *out) {
    return describe_path(path, out, 0);
}

int lstat(const char *path, struct stat *out) {
    return describe_path(path, out, 1);
}

int fstat(int fd, struct stat *out) {
    return describe((HANDLE)_get_osfhandle(fd), out, 0);
}

static int read_attributes(const char *path, wchar_t name[PATH_MAX], DWORD *out) {
    if (!rvi_windows_wide(path, name))
        return -1;
    *out = GetFileAttributesW(name);
    return *out == INVALID_FILE_ATTRIBUTES ? fail() : 0;
}

int access(const char *path, int how) {
    wchar_t name[PATH_MAX];
    DWORD is;
    if (read_attributes(path, name, &is) != 0)
        return -1;
    if ((how & W_OK) && (is & FILE_ATTRIBUTE_READONLY) && !(is & FILE_ATTRIBUTE_DIRECTORY))
        return rvi_windows_errno(ERROR_ACCESS_DENIED);
    return 0;
}

ssize_t readlink(const char *path, char *out, size_t room) {
    (void)path, (void)out, (void)room;
    errno = EINVAL;
    return -1;
}

unsigned geteuid(void) {
    return 0;
}

int getpid(void) {
    return (int)GetCurrentProcessId();
}

char *getcwd(char *out, size_t room) {
    wchar_t wide[PATH_MAX];
    DWORD size = GetCurrentDirectoryW(PATH_MAX, wide);
    if (size == 0 || size >= PATH_MAX ||
        !WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, (int)room, NULL, NULL)) {
        errno = ERANGE;
        return NULL;
    }
    for (char *at = out; (at = strchr(at, '\\')) != NULL;)
        *at = '/';
    return out;
}

/* ---- files ---- */

int open(const char *path, int flags, ...) {
    wchar_t name[PATH_MAX];
    if (!rvi_windows_wide(path, name))
        return -1;
    int how = flags & (O_WRONLY | O_RDWR);
    DWORD rights = how == O_RDONLY   ? GENERIC_READ
                   : how == O_WRONLY ? GENERIC_WRITE
                                     : GENERIC_READ | GENERIC_WRITE;
    DWORD make = flags & O_EXCL                           ? CREATE_NEW
                 : (flags & O_CREAT) && (flags & O_TRUNC) ? CREATE_ALWAYS
                 : flags & O_CREAT                        ? OPEN_ALWAYS
                 : flags & O_TRUNC                        ? TRUNCATE_EXISTING
                                                          : OPEN_EXISTING;
    DWORD more = FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS; /* folders, too */
    if (flags & O_NOFOLLOW)
        more |= FILE_FLAG_OPEN_REPARSE_POINT;
    HANDLE file = CreateFileW(name, rights, shared, NULL, make, more, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return fail();
    /* Without _O_TEXT bytes stay what they are. */
    int fd = _open_osfhandle((intptr_t)file, 0);
    if (fd < 0)
        CloseHandle(file);
    return fd;
}

int close(int fd) {
    if (fd >= 0)
        return _close(fd);
    errno = EBADF;
    return -1;
}

enum { MOST = 1 << 30 };

ssize_t read(int fd, void *to, size_t size) {
    return _read(fd, to, (unsigned)(size < MOST ? size : MOST));
}

ssize_t write(int fd, const void *from, size_t size) {
    return _write(fd, from, (unsigned)(size < MOST ? size : MOST));
}

int64_t lseek(int fd, int64_t at, int from) {
    return _lseeki64(fd, at, from);
}

int fsync(int fd) {
    return _commit(fd);
}

int unlink(const char *path) {
    wchar_t name[PATH_MAX];
    if (!rvi_windows_wide(path, name))
        return -1;
    return DeleteFileW(name) ? 0 : fail();
}

FILE *fopen(const char *path, const char *how) {
    wchar_t name[PATH_MAX], mode[8];
    if (!rvi_windows_wide(path, name) || !MultiByteToWideChar(CP_UTF8, 0, how, -1, mode, 8))
        return NULL;
    return _wfopen(name, mode);
}

int chmod(const char *path, unsigned mode) {
    wchar_t name[PATH_MAX];
    DWORD is;
    if (read_attributes(path, name, &is) != 0)
        return -1;
    if (is & FILE_ATTRIBUTE_DIRECTORY)
        return 0;
    DWORD now =
        mode & S_IWUSR ? is & ~(DWORD)FILE_ATTRIBUTE_READONLY : is | FILE_ATTRIBUTE_READONLY;
    return SetFileAttributesW(name, now) ? 0 : fail();
}

int mkdir(const char *path, unsigned mode) {
    wchar_t name[PATH_MAX];
    (void)mode;
    if (!rvi_windows_wide(path, name))
        return -1;
    return CreateDirectoryW(name, NULL) ? 0 : fail();
}

int rmdir(const char *path) {
    wchar_t name[PATH_MAX];
    if (!rvi_windows_wide(path, name))
        return -1;
    return RemoveDirectoryW(name) ? 0 : fail();
}

/* ---- a new name ---- */

/* Windows 10 can replace a file that is open, as POSIX has it (FILE_RENAME_FLAG_POSIX_SEMANTICS).
 */
static BOOL rename_as_posix(const wchar_t *from, const wchar_t *to) {
    enum { FILE_RENAME_INFO_EX = 22, REPLACE_POSIX = 3 };
    struct {
        DWORD flags;
        HANDLE root;
        DWORD bytes;
        wchar_t name[PATH_MAX];
    } info = {.flags = REPLACE_POSIX, .bytes = (DWORD)(wcslen(to) * sizeof *to)};
    HANDLE file =
        CreateFileW(from, DELETE, shared, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return FALSE;
    memcpy(info.name, to, (wcslen(to) + 1) * sizeof *to);
    BOOL done = SetFileInformationByHandle(file, (FILE_INFO_BY_HANDLE_CLASS)FILE_RENAME_INFO_EX,
                                           &info, sizeof info);
    CloseHandle(file);
    return done;
}

/* Where that is not known, an old file that is open goes out of the way first. */
static BOOL rename_in_two(const wchar_t *from, const wchar_t *to) {
    wchar_t aside[PATH_MAX];
    if (wcslen(to) + 24 >= PATH_MAX)
        return FALSE;
    swprintf(aside, PATH_MAX, L"%ls.old%08lx%08lx", to, GetCurrentProcessId(), GetTickCount());
    if (!MoveFileExW(to, aside, 0))
        return FALSE;
    BOOL done = MoveFileExW(from, to, MOVEFILE_WRITE_THROUGH);
    if (done)
        DeleteFileW(aside);
    else
        MoveFileExW(aside, to, 0);
    return done;
}

int rename(const char *from, const char *to) {
    wchar_t old_name[PATH_MAX], new_name[PATH_MAX], whole[PATH_MAX];
    if (!rvi_windows_wide(from, old_name) || !rvi_windows_wide(to, new_name))
        return -1;
    if (GetFileAttributesW(old_name) & FILE_ATTRIBUTE_DIRECTORY) /* or it is not there */
        RemoveDirectoryW(new_name);                              /* where it is empty */
    DWORD size = GetFullPathNameW(new_name, PATH_MAX, whole, NULL);
    if (size > 0 && size < PATH_MAX && rename_as_posix(old_name, whole))
        return 0;
    if (MoveFileExW(old_name, new_name, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
        return 0;
    DWORD why = GetLastError();
    if ((why == ERROR_ACCESS_DENIED || why == ERROR_SHARING_VIOLATION) &&
        rename_in_two(old_name, new_name))
        return 0;
    return rvi_windows_errno(why);
}

/* ---- folders ---- */

struct rvi_windows_dir {
    wchar_t pattern[PATH_MAX];
    HANDLE search;
    int first; /* `found` was not told yet */
    WIN32_FIND_DATAW found;
    struct dirent entry;
};

void rewinddir(DIR *dir) {
    if (dir->search != INVALID_HANDLE_VALUE)
        FindClose(dir->search);
    dir->search = FindFirstFileW(dir->pattern, &dir->found);
    dir->first = 1;
}

DIR *opendir(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0)
        return NULL;
    if (!S_ISDIR(info.st_mode)) {
        errno = ENOTDIR;
        return NULL;
    }
    DIR *dir = malloc(sizeof *dir);
    if (!dir || !rvi_windows_wide(path, dir->pattern) || wcslen(dir->pattern) + 3 > PATH_MAX) {
        free(dir);
        return NULL;
    }
    wcscat(dir->pattern, L"\\*");
    dir->search = INVALID_HANDLE_VALUE;
    rewinddir(dir);
    return dir;
}

struct dirent *readdir(DIR *dir) {
    if (dir->search == INVALID_HANDLE_VALUE)
        return NULL;
    if (!dir->first && !FindNextFileW(dir->search, &dir->found))
        return NULL;
    dir->first = 0;
    if (!WideCharToMultiByte(CP_UTF8, 0, dir->found.cFileName, -1, dir->entry.d_name,
                             sizeof dir->entry.d_name, NULL, NULL))
        return NULL;
    return &dir->entry;
}

int closedir(DIR *dir) {
    if (dir->search != INVALID_HANDLE_VALUE)
        FindClose(dir->search);
    free(dir);
    return 0;
}

/* ---- waiting ---- */

/* Only a pipe can have nothing to read and no end either. */
int poll(struct pollfd *one, unsigned count, int wait_ms) {
    HANDLE file = (HANDLE)_get_osfhandle(one->fd);
    DWORD there = 0;
    (void)count;
    one->revents = POLLIN;
    if (GetFileType(file) != FILE_TYPE_PIPE || !PeekNamedPipe(file, NULL, 0, NULL, &there, NULL) ||
        there > 0)
        return 1;
    Sleep((DWORD)wait_ms);
    one->revents = 0;
    return 0;
}
