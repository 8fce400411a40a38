/* Loaded before the host: adds the seconds in the file $ATRIUM_CLOCK, an int64, to the time of day. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset;
static int (*real)(clockid_t, struct timespec *);

__attribute__((constructor)) static void start(void) {
    real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const char *path = getenv("ATRIUM_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) offset = page;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!real) start();
    int result = real(clock, time);
    if (result == 0 && clock == CLOCK_REALTIME && offset) time->tv_sec += *offset;
    return result;
}
