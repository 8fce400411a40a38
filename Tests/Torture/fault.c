/* Loaded before the host. Calls that change files are counted in the file $ATRIUM_CALLS once it is there, by all
   processes together, each with a line of 128 bytes. At call number $ATRIUM_FAULT_AT all processes end by SIGKILL, or
   with $ATRIUM_FAULT=full this call and all later ones that need space fail, as on a full disk. With $ATRIUM_ERRNO each
   call of the function $ATRIUM_CALL fails with that number: `open`, `fstat`, `read`, `lstat` and `stat` of the file
   $ATRIUM_PATH, `write`, `fsync` and `rename` of any file in the folder of that name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum { record_size = 128 };

/* The number of the call that comes now; 0 if calls are not counted. */
static long counted(const char *call, const char *path) {
    const char *calls = getenv("ATRIUM_CALLS");
    int file = calls ? (int)syscall(SYS_openat, AT_FDCWD, calls, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (file < 0) return 0;
    char record[record_size + 1];
    size_t length = strlen(path), most = 100;
    snprintf(record, sizeof record, "%-15s %-111s\n", call, length > most ? path + length - most : path);
    syscall(SYS_write, file, record, record_size);
    long number = syscall(SYS_lseek, file, 0, SEEK_CUR) / record_size;
    syscall(SYS_close, file);
    return number;
}

/* Whether the call that comes now has to fail. */
static int fails(int needs_space, const char *call, const char *path) {
    const char *at = getenv("ATRIUM_FAULT_AT"), *kind = getenv("ATRIUM_FAULT");
    if (!at) return 0;
    int former = errno;
    long number = counted(call, path);
    errno = former;
    if (!number || number < atol(at)) return 0;
    if (!kind || strcmp(kind, "full") != 0) {
        // The host leads the session; the processes that it starts may have groups of their own.
        kill(-getsid(0), SIGKILL);
        kill(0, SIGKILL);
    }
    if (needs_space) errno = ENOSPC;
    return needs_space;
}

/* The same for a call with an open file; others than regular ones need no space. */
static int file_fails(int needs_space, const char *call, int file) {
    struct stat status;
    if (!getenv("ATRIUM_FAULT_AT") || REAL(fstat)(file, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
    char name[64], path[1024];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    return fails(needs_space, call, path);
}

/* MARK: - One function of one file */

enum { file_limit = 1024 };
static _Atomic(char) is_matched[file_limit];

/* Whether the function has to fail; sets errno. `path` is the file, or is in the folder. */
static int is_refused(const char *call, const char *path, int in_folder) {
    const char *wanted = getenv("ATRIUM_CALL"), *file = getenv("ATRIUM_PATH"), *number = getenv("ATRIUM_ERRNO");
    if (!wanted || !file || !number || strcmp(wanted, call) != 0 || !path) return 0;
    if (in_folder ? strncmp(path, file, strlen(file)) != 0 : strcmp(path, file) != 0) return 0;
    errno = atoi(number);
    return 1;
}

static int is_file_refused(const char *call, int file) {
    return file >= 0 && file < file_limit && is_matched[file] && is_refused(call, getenv("ATRIUM_PATH"), 0);
}

#define MODE(flags) ({ \
    va_list arguments; \
    va_start(arguments, flags); \
    mode_t mode = makes_file(flags) ? va_arg(arguments, mode_t) : 0; \
    va_end(arguments); \
    mode; \
})

static int makes_file(int flags) { return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE; }

/* Whether opening a file has to fail, if that makes or empties it. */
static int open_fails(const char *path, int flags) {
    int is_new = makes_file(flags) && ((flags & O_TMPFILE) == O_TMPFILE || access(path, F_OK) != 0);
    return (is_new || flags & O_TRUNC) && fails(is_new, "open", path);
}

int open64(const char *path, int flags, ...) {
    mode_t mode = MODE(flags);
    return open_fails(path, flags) ? -1 : REAL(open64)(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    mode_t mode = MODE(flags);
    if (is_refused("open", path, 0) || open_fails(path, flags)) return -1;
    int file = REAL(open)(path, flags, mode);
    const char *wanted = getenv("ATRIUM_PATH");
    if (file >= 0 && file < file_limit)
        is_matched[file] = wanted && strncmp(path, wanted, strlen(wanted)) == 0;
    return file;
}

int fstat(int file, struct stat *status) {
    return is_file_refused("fstat", file) ? -1 : REAL(fstat)(file, status);
}

int stat(const char *path, struct stat *status) {
    return is_refused("stat", path, 0) ? -1 : REAL(stat)(path, status);
}

int lstat(const char *path, struct stat *status) {
    return is_refused("lstat", path, 0) ? -1 : REAL(lstat)(path, status);
}

ssize_t read(int file, void *bytes, size_t count) {
    return is_file_refused("read", file) ? -1 : REAL(read)(file, bytes, count);
}

int fsync(int file) {
    if (is_file_refused("fsync", file)) return -1;
    file_fails(0, "fsync", file);
    return REAL(fsync)(file);
}

int fdatasync(int file) {
    file_fails(0, "fdatasync", file);
    return REAL(fdatasync)(file);
}

ssize_t write(int file, const void *bytes, size_t count) {
    if (is_file_refused("write", file) || (file > 2 && file_fails(1, "write", file))) return -1;
    return REAL(write)(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return file_fails(1, "pwrite", file) ? -1 : REAL(pwrite)(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return file_fails(1, "pwrite", file) ? -1 : REAL(pwrite64)(file, bytes, count, offset);
}

int posix_fallocate(int file, off_t offset, off_t length) {
    return file_fails(1, "posix_fallocate", file) ? ENOSPC : REAL(posix_fallocate)(file, offset, length);
}

int ftruncate(int file, off_t length) {
    file_fails(0, "ftruncate", file);
    return REAL(ftruncate)(file, length);
}

int ftruncate64(int file, off64_t length) {
    file_fails(0, "ftruncate", file);
    return REAL(ftruncate64)(file, length);
}

int mkdir(const char *path, mode_t mode) { return fails(1, "mkdir", path) ? -1 : REAL(mkdir)(path, mode); }

char *mkdtemp(char *path) { return fails(1, "mkdtemp", path) ? NULL : REAL(mkdtemp)(path); }

int symlink(const char *target, const char *path) {
    return fails(1, "symlink", path) ? -1 : REAL(symlink)(target, path);
}

int link(const char *from, const char *to) { return fails(1, "link", to) ? -1 : REAL(link)(from, to); }

int linkat(int from, const char *source, int to, const char *target, int flags) {
    return fails(1, "linkat", target) ? -1 : REAL(linkat)(from, source, to, target, flags);
}

int unlink(const char *path) {
    fails(0, "unlink", path);
    return REAL(unlink)(path);
}

int unlinkat(int folder, const char *path, int flags) {
    fails(0, "unlinkat", path);
    return REAL(unlinkat)(folder, path, flags);
}

int rmdir(const char *path) {
    fails(0, "rmdir", path);
    return REAL(rmdir)(path);
}

int rename(const char *from, const char *to) {
    if (is_refused("rename", to, 1)) return -1;
    fails(0, "rename", to);
    return REAL(rename)(from, to);
}

int renameat2(int from, const char *source, int to, const char *target, unsigned flags) {
    fails(0, "renameat2", target);
    return REAL(renameat2)(from, source, to, target, flags);
}
