/*
 * What ChildProcess needs of the C library and the kernel that Swift does not see: GNU extensions, a system
 * call without a wrapper in older C libraries, and a global variable.
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
 * A descriptor that becomes readable when the process has ended; -1 where the system has no such thing
 * (Linux before 5.3), errno says why. Closed on exec.
 */
int process_descriptor(pid_t process);

/* Has the child enter the folder before it runs its program. Returns 0, or the value of errno. */
int process_enter_folder(posix_spawn_file_actions_t *actions, const char *folder);

/*
 * Has the child close `first` and all descriptors above it, those too that some library opened without
 * FD_CLOEXEC. Does nothing where the C library can't (glibc before 2.34). Returns 0, or the value of errno.
 */
int process_close_from(posix_spawn_file_actions_t *actions, int first);

/* The variables of this process, ended by NULL. */
char *const *process_environment(void);

/*
 * Like write(2), but a pipe that nobody reads is EPIPE and not the end of this process, whatever it does with
 * SIGPIPE.
 */
ssize_t process_write(int descriptor, const void *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
