/*
 * Crashes of the host: a record, written by a signal handler, and a parent process that starts the host again.
 * In C, because neither may run Swift code.
 */
#ifndef CCRASH_H
#define CCRASH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* MARK: - The record */

/*
 * Records crashes of this process in the file `record_path`, which is made (mode 0600) at the first crash:
 * SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE and SIGSYS, which then end the process as usual, and calls
 * of exit() that were not announced, which end it with status 70. The calling thread gets an alternate stack.
 * Replaces the handlers of the Swift runtime. Returns false, with errno, if the system refuses. Another call
 * only changes the path.
 */
bool ccrash_install(const char *record_path);

/*
 * Records that `address` lies in a library loaded for a module; call it after dlopen, and never dlclose the
 * library. Looks also for libraries that came with it. Frames of what is more than 4096 libraries have an
 * address only. Returns the bytes of address space that the library takes; 0 if no library has the address.
 */
size_t ccrash_add_module(const void *address, const char *name, uint32_t generation, const char *digest);

/*
 * Notes what begins to run until ccrash_end: a command of a person, or something that the host does by itself.
 * `link` says where a command runs. Up to 255 bytes of each text are kept, of 16 at a time. From any thread.
 * Returns the number for ccrash_end; -1, which ccrash_end ignores, if 16 run already.
 */
int ccrash_begin(bool is_command, const char *text, const char *link);
void ccrash_end(int number);

/* Announces a call of exit(). */
void ccrash_will_exit(void);

/*
 * Ends the process with SIGABRT and a record of kind `hang` that has the frames of `thread`, or none if it
 * takes no signals for ten seconds. Call it from another thread.
 */
void ccrash_report_hang(pthread_t thread) __attribute__((noreturn));

/* MARK: - The supervisor */

/* What was running; `link` is "" if it had none. */
typedef struct {
    bool is_command;
    const char *text, *link;
} ccrash_activity;

/* How this process of the host was started, and how the one before it ended. */
typedef struct {
    bool is_supervised;
    uint32_t restarts; /* 0: this is the first process; the rest is then not set */
    pid_t pid;
    int status;      /* as waitpid gives it */
    int64_t time;    /* microseconds since 1970 */
    bool has_record; /* it wrote one to record_path */
    const char *record_path;
    uint32_t activity_count;
    const ccrash_activity *activities; /* what was running, in the order in which it began */
} ccrash_start;

/*
 * Forks. The child returns; the parent never does: it waits, starts another child after a crash, and ends as the
 * last one ended. Call it before there is a second thread: with one it does nothing, and returns with
 * is_supervised false.
 */
ccrash_start ccrash_supervise(void);

/* The host shows its prompt: a crash from now on is no failure to start. */
void ccrash_set_ready(void);

#ifdef __cplusplus
}
#endif

#endif
