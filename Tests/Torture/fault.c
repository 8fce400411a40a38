/* Loaded before the host: at call number $ATRIUM_FAULT_AT of those that change files, the process ends by SIGKILL, or
   with $ATRIUM_FAULT=full this call and all later ones that need space fail, as on a full disk. */
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

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t count) {
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
    fails(0);
    return REAL(rename)(from, to);
}

int renameat2(int from, const char *source, int to, const char *target, unsigned flags) {
    fails(0);
    return REAL(renameat2)(from, source, to, target, flags);
}
