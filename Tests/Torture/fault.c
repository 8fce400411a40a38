/* Loaded before the host: at call number $ATRIUM_FAULT_AT of those that change files, the process ends by SIGKILL, or
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
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long calls;

/* Whether the call that comes now has to fail. */
static int fails(int needs_space) {
    const char *at = getenv("ATRIUM_FAULT_AT"), *kind = getenv("ATRIUM_FAULT");
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (!at || number < atol(at)) return 0;
    if (!kind || strcmp(kind, "full") != 0) kill(getpid(), SIGKILL);
    errno = ENOSPC;
    return needs_space;
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

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (is_refused("open", path, 0)) return -1;
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

int fsync(int file) { return is_file_refused("fsync", file) ? -1 : REAL(fsync)(file); }

ssize_t write(int file, const void *bytes, size_t count) {
    if (is_file_refused("write", file)) return -1;
    if (file > 2 && fails(1)) return -1;
    return REAL(write)(file, bytes, count);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return fails(1) ? -1 : REAL(pwrite64)(file, bytes, count, offset);
}

int mkdir(const char *path, mode_t mode) { return fails(1) ? -1 : REAL(mkdir)(path, mode); }

int unlink(const char *path) {
    fails(0);
    return REAL(unlink)(path);
}

int rmdir(const char *path) {
    fails(0);
    return REAL(rmdir)(path);
}

int rename(const char *from, const char *to) {
    if (is_refused("rename", to, 1)) return -1;
    fails(0);
    return REAL(rename)(from, to);
}

int renameat2(int from, const char *source, int to, const char *target, unsigned flags) {
    fails(0);
    return REAL(renameat2)(from, source, to, target, flags);
}
