#define _GNU_SOURCE
#include "ProcessLimits.h"

#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static intptr_t limit_of(__rlimit_resource_t resource) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return -1;
    return limit.rlim_cur > LONG_MAX ? -1 : (intptr_t)limit.rlim_cur;
}

intptr_t process_limits_files(void) { return limit_of(RLIMIT_NOFILE); }

/* The kernel does not count root's. */
intptr_t process_limits_threads(void) { return getuid() == 0 ? -1 : limit_of(RLIMIT_NPROC); }

intptr_t process_limits_addresses(void) { return limit_of(RLIMIT_AS); }

void process_limits_raise_files(intptr_t wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= (rlim_t)wanted) return;
    limit.rlim_cur = limit.rlim_max < (rlim_t)wanted ? limit.rlim_max : (rlim_t)wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int process_limits_free_files(int count) {
    enum { most = 64 };
    int files[most], opened = 0;
    while (opened < count && opened < most && (files[opened] = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)) >= 0) opened++;
    for (int i = 0; i < opened; i++) close(files[i]);
    return opened;
}

void process_limits_keep_reserve(void) {
    enum { reserve = 2 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur != limit.rlim_max) return;
    limit.rlim_cur -= reserve;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* MARK: - Trying */

static void *wait_for(void *mutex) {
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

bool process_limits_has_threads(int count) {
    enum { most = 64 };
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t attributes;
    pthread_t threads[most];
    int made = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 * 1024);
    pthread_mutex_lock(&mutex);
    while (made < count && made < most && pthread_create(&threads[made], &attributes, wait_for, &mutex) == 0) made++;
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < made; i++) pthread_join(threads[i], NULL);
    pthread_attr_destroy(&attributes);
    return made >= count || made == most;
}

bool process_limits_has_addresses(size_t bytes) {
    void *place = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return false;
    munmap(place, bytes);
    return true;
}

void process_limits_spare_addresses(void) {
    pthread_attr_t attributes;
    mallopt(M_ARENA_MAX, 1);
    if (pthread_getattr_default_np(&attributes) != 0) return;
    pthread_attr_setstacksize(&attributes, 1024 * 1024);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}
