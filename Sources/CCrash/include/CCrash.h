/*
 * What happens to a host that crashes: a record of it, written by a signal handler, and a parent process that
 * starts the host again. In C, because neither may run Swift code.
 */
#ifndef CCRASH_H
#define CCRASH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* MARK: - The record */

/*
 * Records crashes of this process in the file `record_path`, which is made (mode 0600) when there is one:
 * SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE and SIGSYS, each of which then ends the process as it
 * would have, and calls of exit() that nobody announced, which end it with status 70. The calling thread gets an
 * alternate stack. Replaces the handlers of the Swift runtime. False, with errno, where the system refuses.
 * Another call only changes the path.
 */
bool ccrash_install(const char *record_path);

/* Gives the calling thread an alternate stack until it ends, so that running out of stack is recorded too. */
bool ccrash_protect_thread(void);

/*
 * Records that `address` lies in a library loaded for a module; call it after dlopen, and never dlclose the
 * library. Looks also for libraries that came with it. False where no library has the address, or 4096 are
 * recorded already: its frames are then told by address only.
 */
bool ccrash_add_module(const void *address, const char *name, uint32_t generation, const char *digest);

/* Says what is running, and where; up to 255 bytes are kept. Cheap, and for one thread at a time. */
void ccrash_set_command(const char *text, size_t length);
void ccrash_set_place(const char *text, size_t length);

/* The process is about to call exit() by its own will. */
void ccrash_will_exit(void);

/*
 * Ends the process with SIGABRT and a record of kind `hang` that has the frames of `thread`, or none where it
 * takes no signals for ten seconds. Call it from another thread.
 */
void ccrash_report_hang(pthread_t thread) __attribute__((noreturn));

/* MARK: - The supervisor */

/* How a process of the host came to be, and how the one before it ended. */
typedef struct {
    bool is_supervised;
    uint32_t restarts; /* 0: there was none before; the rest is then not set */
    pid_t pid;
    int status;      /* as waitpid gives it */
    int64_t time;    /* microseconds since 1970 */
    bool has_record; /* it wrote one to record_path */
    const char *record_path, *command, *place; /* as the process had set them; "" where it had not */
} ccrash_start;

/*
 * Forks. The child returns; the parent never does: it waits, starts the next child where one crashed, and
 * ends as the last one ended. Call it before there is a second thread; where there is one, this returns with
 * is_supervised false, and nothing was done.
 */
ccrash_start ccrash_supervise(void);

/* The host has come to its prompt: a crash from now on is not one of starting. */
void ccrash_set_ready(void);

#ifdef __cplusplus
}
#endif

#endif
