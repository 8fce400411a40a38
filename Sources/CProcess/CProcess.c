#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int process_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
}

int process_descriptor(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

int process_enter_folder(posix_spawn_file_actions_t *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

int process_close_from(posix_spawn_file_actions_t *actions, int first) {
#if __GLIBC_PREREQ(2, 34)
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
    (void)actions;
    (void)first;
    return 0;
#endif
}

char *const *process_environment(void) {
    return environ;
}

ssize_t process_write(int descriptor, const void *bytes, size_t count) {
    sigset_t broken_pipe, former, pending;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    sigpending(&pending);
    int was_pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, &former);
    ssize_t written = write(descriptor, bytes, count);
    int error = errno;
    if (written < (ssize_t)count && !was_pending) {
        /*
         * The signal is pending on this thread, also if the reader left after a part was written (Linux,
         * fs/pipe.c); it is taken before it can be delivered.
         */
        struct timespec at_once = {0, 0};
        while (sigtimedwait(&broken_pipe, NULL, &at_once) < 0 && errno == EINTR) {}
    }
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    errno = error;
    return written;
}
