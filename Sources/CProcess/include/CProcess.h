/*
 * Functions for ChildProcess that Swift does not import: GNU extensions, a system call without a wrapper in
 * older C libraries, and a global variable.
 */
#ifndef CPROCESS_H
#define CPROCESS_H

#include <spawn.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A pipe whose two ends are closed on exec. Returns 0, or the value of errno. */
int process_pipe(int ends[2]);

/*
 * A descriptor that becomes readable when the process has ended; -1, with errno, if the system does not support
 * it (Linux before 5.3). Closed on exec.
 */
int process_descriptor(pid_t process);

/*
 * Makes the child close `first` and all descriptors above it, including those that a library opened without
 * FD_CLOEXEC. Does nothing with glibc before 2.34. Returns 0, or the value of errno.
 */
int process_close_from(posix_spawn_file_actions_t *actions, int first);

/* The environment of this process, ended by NULL. */
char *const *process_environment(void);

#ifdef __cplusplus
}
#endif

#endif
