/* Loaded before the host. Calls that change files are counted in the file $ATRIUM_CALLS once it is there, by all
   processes together, each with a line of 128 bytes. At call number $ATRIUM_FAULT_AT all processes end by SIGKILL, or
   with $ATRIUM_FAULT=full this call and all later ones that need space fail, as on a full disk. With $ATRIUM_ERRNO each
   call of the function $ATRIUM_CALL fails with that number: `open`, `fstat`, `read`, `pread`, `lstat` and `stat` of the
   file $ATRIUM_PATH; with $ATRIUM_FAULT=once only the first of a process. With $ATRIUM_FAULT=errno instead a call that changes files does, number $ATRIUM_FAULT_AT of those of
   that function for that path, or all that begin with it before a `*`; $ATRIUM_MATCHES has the lines of these. For SIGKILL, each
   message counts as two calls, one before and one after it is sent, of a connection that has sent $ATRIUM_SENDS. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum { record_size = 128 };

/* The number of the call that comes now in the file that a variable names; 0 if calls are not counted. */
static long counted(const char *variable, const char *call, const char *path) {
    const char *calls = getenv(variable);
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

/* Whether only one call has to fail. */
static int fails_once(void) {
    const char *kind = getenv("ATRIUM_FAULT");
    return kind && strcmp(kind, "errno") == 0;
}

/* Whether a path is $ATRIUM_PATH, or begins with it. */
static int matches(const char *path) {
    const char *wanted = getenv("ATRIUM_PATH");
    size_t length = wanted ? strlen(wanted) : 0;
    if (!length || !path) return 0;
    return wanted[length - 1] == '*' ? strncmp(path, wanted, length - 1) == 0 : strcmp(path, wanted) == 0;
}

/* Whether it is the function that has to fail; sets errno. */
static int is_wanted(const char *call) {
    const char *wanted = getenv("ATRIUM_CALL"), *number = getenv("ATRIUM_ERRNO");
    if (!wanted || !number || strcmp(wanted, call) != 0) return 0;
    errno = atoi(number);
    return 1;
}

/* Whether the call that comes now has to fail. */
static int fails(int needs_space, const char *call, const char *path) {
    const char *at = getenv("ATRIUM_FAULT_AT"), *kind = getenv("ATRIUM_FAULT");
    if (!at) return 0;
    int former = errno;
    long number = counted("ATRIUM_CALLS", call, path);
    if (fails_once() && matches(path) && is_wanted(call) && counted("ATRIUM_MATCHES", call, path) == atol(at))
        return is_wanted(call);
    errno = former;
    if (!number || number < atol(at) || fails_once()) return 0;
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
    if (!getenv("ATRIUM_FAULT_AT") || REAL(fstat)(file, &status) != 0) return 0;
    if (!S_ISREG(status.st_mode) && !(S_ISDIR(status.st_mode) && fails_once())) return 0;
    char name[64], path[1024];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    return fails(needs_space, call, path);
}

/* MARK: - One function of one file */

enum { file_limit = 1024 };
static _Atomic(char) is_matched[file_limit];
static _Atomic(char) is_watched[file_limit];

static int is_refused(const char *call, int is_match) {
    static _Atomic(int) has_failed;
    const char *kind = getenv("ATRIUM_FAULT");
    if (!is_match || fails_once() || !is_wanted(call)) return 0;
    return !kind || strcmp(kind, "once") != 0 || !atomic_exchange(&has_failed, 1);
}

static int is_file_refused(const char *call, int file) {
    return file >= 0 && file < file_limit && is_refused(call, is_matched[file]);
}

static int opened(const char *path, int file) {
    if (file >= 0 && file < file_limit) is_matched[file] = matches(path);
    return file;
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
    if (is_refused("open", matches(path)) || open_fails(path, flags)) return -1;
    return opened(path, REAL(open64)(path, flags, mode));
}

int open(const char *path, int flags, ...) {
    mode_t mode = MODE(flags);
    if (is_refused("open", matches(path)) || open_fails(path, flags)) return -1;
    return opened(path, REAL(open)(path, flags, mode));
}

int fstat(int file, struct stat *status) {
    return is_file_refused("fstat", file) ? -1 : REAL(fstat)(file, status);
}

int stat(const char *path, struct stat *status) {
    return is_refused("stat", matches(path)) ? -1 : REAL(stat)(path, status);
}

int lstat(const char *path, struct stat *status) {
    return is_refused("lstat", matches(path)) ? -1 : REAL(lstat)(path, status);
}

ssize_t read(int file, void *bytes, size_t count) {
    return is_file_refused("read", file) ? -1 : REAL(read)(file, bytes, count);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    return is_file_refused("pread", file) ? -1 : REAL(pread)(file, bytes, count, offset);
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
    return is_file_refused("pread", file) ? -1 : REAL(pread64)(file, bytes, count, offset);
}

int fsync(int file) { return file_fails(0, "fsync", file) ? -1 : REAL(fsync)(file); }

int fdatasync(int file) { return file_fails(0, "fdatasync", file) ? -1 : REAL(fdatasync)(file); }

ssize_t write(int file, const void *bytes, size_t count) {
    if (file > 2 && file_fails(1, "write", file)) return -1;
    return REAL(write)(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return file_fails(1, "pwrite", file) ? -1 : REAL(pwrite)(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return file_fails(1, "pwrite", file) ? -1 : REAL(pwrite64)(file, bytes, count, offset);
}

/* Whether a message counts: its connection has sent $ATRIUM_SENDS, and not PostgreSQL's message of its end. */
static int is_counted_message(int file, const char *bytes, size_t count) {
    const char *text = getenv("ATRIUM_SENDS"), *kind = getenv("ATRIUM_FAULT");
    if (!text || file < 0 || file >= file_limit || (kind && strcmp(kind, "full") == 0)) return 0;
    if (memmem(bytes, count, text, strlen(text))) is_watched[file] = 1;
    if (count == 5 && bytes[0] == 'X') is_watched[file] = 0;
    return is_watched[file];
}

ssize_t send(int file, const void *bytes, size_t count, int flags) {
    int is_counted = is_counted_message(file, bytes, count);
    char text[48] = "";
    for (size_t index = 5; is_counted && index < count && index < 5 + sizeof text - 1; index++)
        text[index - 5] = isprint(((const char *)bytes)[index]) ? ((const char *)bytes)[index] : '.';
    if (is_counted) fails(0, "send", text);
    ssize_t sent = REAL(send)(file, bytes, count, flags);
    int former = errno;
    if (is_counted) fails(0, "sent", text);
    errno = former;
    return sent;
}

int posix_fallocate(int file, off_t offset, off_t length) {
    return file_fails(1, "posix_fallocate", file) ? errno : REAL(posix_fallocate)(file, offset, length);
}

int ftruncate(int file, off_t length) {
    return file_fails(0, "ftruncate", file) ? -1 : REAL(ftruncate)(file, length);
}

int ftruncate64(int file, off64_t length) {
    return file_fails(0, "ftruncate", file) ? -1 : REAL(ftruncate64)(file, length);
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

int unlink(const char *path) { return fails(0, "unlink", path) ? -1 : REAL(unlink)(path); }

int unlinkat(int folder, const char *path, int flags) {
    return fails(0, "unlinkat", path) ? -1 : REAL(unlinkat)(folder, path, flags);
}

int rmdir(const char *path) { return fails(0, "rmdir", path) ? -1 : REAL(rmdir)(path); }

int rename(const char *from, const char *to) { return fails(0, "rename", to) ? -1 : REAL(rename)(from, to); }

int renameat2(int from, const char *source, int to, const char *target, unsigned flags) {
    return fails(0, "renameat2", target) ? -1 : REAL(renameat2)(from, source, to, target, flags);
}
