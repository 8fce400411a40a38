#define _GNU_SOURCE
#include "Internal.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * The reserve of descriptors beyond the soft limit. Only one thread at a time may use it: a second one would save the
 * raised limit and restore that. Uses only system calls and atomics, because a signal handler may call open().
 */

/* The process whose thread has raised the limit; 0: none. A copy made by fork() takes the lock from its original. */
static _Atomic pid_t holder;
/* Set before the lock is taken, so that a handler on this thread does not wait for it. */
static _Thread_local volatile bool is_raising;
static struct rlimit former;

static void unlock(void) {
    atomic_store(&holder, 0);
    is_raising = false;
}

bool ccrash_raise_file_limit(void) {
    if (is_raising) return false;
    is_raising = true;
    pid_t process = getpid(), found = 0;
    while (!atomic_compare_exchange_weak(&holder, &found, process)) {
        if (found != process) continue;
        sched_yield();
        found = 0;
    }
    if (getrlimit(RLIMIT_NOFILE, &former) == 0) {
        struct rlimit raised = former;
        /* Without a reserve, raises the hard limit too; only root may. See process_limits_keep_reserve(). */
        if (raised.rlim_cur == raised.rlim_max) raised.rlim_max += 1024;
        raised.rlim_cur = raised.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0) return true;
    }
    unlock();
    return false;
}

void ccrash_restore_file_limit(void) {
    setrlimit(RLIMIT_NOFILE, &former);
    unlock();
}
