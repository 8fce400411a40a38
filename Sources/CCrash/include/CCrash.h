/*
 * Crashes of the host: a record, written by a signal handler, and a parent process that starts the host again.
 * In C, because neither may run Swift code.
 */
#ifndef CCRASH_H
#define CCRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ProcessLimits.h"

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
 * Records that `address` lies in a library of code that was typed after `command`; call it after dlopen, and never
 * dlclose the library.
 */
void ccrash_add_code(const void *address, const char *command);

/*
 * Notes what begins to run until ccrash_end: a command of a person, or something that the host does by itself.
 * `scene` names its front end, "" for the host's own; `module` the module whose code it runs, "" if none. Keeps up
 * to 255 bytes of each text, and 16 entries at a time. Call it from any thread.
 * Returns the number for ccrash_end; -1, which ccrash_end ignores, if 16 run already.
 */
int ccrash_begin(bool is_command, const char *text, const char *scene, const char *module);
void ccrash_end(int number);

/* Announces a call of exit(). */
void ccrash_will_exit(void);
/* The host leaves: it is not started again if it crashes now. */
void ccrash_set_leaving(void);

/*
 * Ends the process with a record of kind `hang` that has the frames of `thread`, a pthread_t, or none if it takes no
 * signals for two seconds: by SIGABRT, or with `status` if that is not 0. Call it from another thread.
 */
void ccrash_report_hang(unsigned long thread, int status) __attribute__((noreturn));

/* MARK: - Steps of modules */

/* A module for ccrash_step_begin; never freed. The texts are copied. */
typedef struct ccrash_module ccrash_module;
const ccrash_module *ccrash_note_module(const char *name, const char *digest);

/*
 * Notes that a step of a module begins on the main thread, until ccrash_step_end. `phrase` says it after "while"
 * ("it registered"), and is never freed; `is_waiting` steps await in between. While the host is being started the
 * step is also written to the file of ccrash_start_begin. Returns the number for ccrash_step_end.
 */
int ccrash_step_begin(const ccrash_module *module, const char *phrase, bool is_waiting);
void ccrash_step_end(int number);

/* MARK: - The file of a start */

enum { ccrash_start_size = 512 };

/*
 * Notes in the file `path` that the host is being started, after `failures` starts in a row that failed, and what
 * the file said before in `former`, "" if nothing. It is written without fsync: it survives the process, not a
 * failure of power. Does nothing if another host has the file, or it can't be written.
 */
void ccrash_start_begin(const char *path, char former[ccrash_start_size]);
void ccrash_start_note(unsigned failures);
/* Notes that the host has started, or ends by itself. */
void ccrash_start_end(void);

/* MARK: - The note of what the host does */

/* What was running; `scene` and `module` are "" if it had none. */
typedef struct {
    bool is_command;
    int64_t since; /* microseconds since 1970, accurate to a few milliseconds */
    const char *text, *scene, *module;
} ccrash_activity;

/* A step of a module. */
struct ccrash_note_step {
    char module[128], digest[160], phrase[64];
    int64_t since;
};

/* What another process noted in the file and did not end; process 0: nothing. */
typedef struct {
    int32_t process;
    const struct ccrash_note_step *step; /* NULL: none was under way */
    uint32_t activity_count;
    const ccrash_activity *activities; /* what was running, in the order in which it began */
} ccrash_former;

/*
 * Notes in the file `path` from now on what runs: what ccrash_begin and ccrash_step_begin begin. The file is mapped,
 * so that it costs some stores, and survives the process; a clean end removes it. Without space nothing is noted.
 */
ccrash_former ccrash_note_begin(const char *path);
/* Notes a clean end, and removes the file: the host ends, and says how. */
void ccrash_note_end(void);

/* MARK: - The limit of open files */

/*
 * Raises the soft limit of open files to the hard one until ccrash_restore_file_limit, which the same thread calls
 * soon; other threads wait. Returns false, and is not to be restored, if the system refuses or this thread has raised
 * it already. Async-signal-safe.
 */
bool ccrash_raise_file_limit(void);
void ccrash_restore_file_limit(void);

/* MARK: - The watchdog */

/* The main thread begins or ends a turn of its queue: in between it is busy. */
void ccrash_turn_begin(void);
void ccrash_turn_end(void);

/*
 * Watches from the first step of a module on: a module that keeps the main thread (the calling one) busy for
 * `milliseconds` in one turn is named on standard error and, as an event of a line, in the file `journal`. While
 * the host is being started the process ends as by ccrash_report_hang; without a supervisor it is executed anew,
 * with `arguments`, unless that is NULL.
 */
void ccrash_watch(unsigned milliseconds, const char *journal, char *const *arguments);
/* Nobody can interrupt this host: what keeps a step of a module or its end from going on ends it, with a record. */
void ccrash_watch_steps(void);
/* The host does something with the state of modules, said after "while", until NULL. */
void ccrash_set_phase(const char *phrase);
/* Whether it has named a module in this turn of the main thread. */
bool ccrash_has_named(void);
/* How often the process was executed anew, by the watchdog, before this one. */
unsigned ccrash_times_executed(void);

/* MARK: - Outputs */

/*
 * Gives descriptors 1 and 2 to a pipe, which is read by ccrash_read_prints, and keeps copies of them for the host.
 * Returns the end of the pipe to wait at; -1, and changes nothing, if there are no descriptors left, or a
 * sanitizer needs them.
 */
int ccrash_divert_outputs(void);
/* Gives them to the pipe again, after something else did with them as it liked. */
void ccrash_divert_again(void);
/* The descriptor of the real standard output (1) or standard error (2). Async-signal-safe. */
int ccrash_output(int descriptor);
/* Makes 1 and 2 what they were; call it before exec(). Async-signal-safe. */
void ccrash_restore_outputs(void);

/* Passes on what the C library still holds of what was printed; waits for a thread that is printing. */
void ccrash_flush_prints(void);
/* Reads some of what was printed without waiting; returns 0 if there is nothing. */
size_t ccrash_read_prints(char *bytes, size_t size);
/* Whether the pipe was full before `count` bytes were read at once, so that more was printed and is lost. */
bool ccrash_has_lost_prints(size_t count);

/* Records an end by SIGTERM or the like that this process sent itself; `info` is a siginfo_t. Returns whether it did.
 * Async-signal-safe. */
bool ccrash_record_own_signal(int number, const void *info);

/* MARK: - What a process has */

/* sigaction() of the host itself: modules must not change what it sets. */
struct sigaction;
int ccrash_set_action(int signal, const struct sigaction *action, struct sigaction *former);
/* Leaves a signal to its default action, at once; returns if that does not end the process. */
void ccrash_act_by_default(int signal);
void ccrash_set_default_action(int signal);
/* Whether a signal has the action that the host set last or, if it set none, that of the first call. */
bool ccrash_has_wanted_action(int signal);
void ccrash_restore_action(int signal);

/* The user or the group: real, effective, saved. */
void ccrash_get_ids(bool of_group, uint32_t *real, uint32_t *effective, uint32_t *saved);
void ccrash_set_ids(bool of_group, uint32_t real, uint32_t effective, uint32_t saved);

/* The rounding mode of this thread, and its enabled floating-point traps. */
uint64_t ccrash_floating_point(void);
void ccrash_set_floating_point(uint64_t control);
/* The signal that this process gets when its parent ends; 0: none. */
int ccrash_parent_death(void);
void ccrash_set_parent_death(int signal);
/* 0: none; else a filter of system calls, or no new privileges. */
int ccrash_restrictions(void);
/* A timer by its number in /proc/self/timers. */
void ccrash_delete_timer(int number);

/* MARK: - The supervisor */

/* How this process of the host was started, and how the one before it ended. */
typedef struct {
    bool is_supervised;
    uint32_t restarts; /* 0: this is the first process; the rest is then not set */
    int32_t pid;
    int status;      /* as waitpid gives it */
    int64_t time;    /* microseconds since 1970 */
    bool has_record; /* it wrote one to record_path */
    const char *record_path;
    uint32_t activity_count;
    const ccrash_activity *activities; /* what was running, in the order in which it began */
} ccrash_start;

/*
 * Forks. The child returns; the parent never does: it waits, starts another child after a crash if it `restarts`, and
 * ends as the last one ended. Call it before there is a second thread: with one it does nothing, and returns with
 * is_supervised false.
 */
ccrash_start ccrash_supervise(bool restarts);

/* How the host is executed again: its file, and the arguments, which stay valid. Call it before ccrash_supervise(). */
void ccrash_prepare_restart(const char *path, char *const *arguments);

/*
 * Executes the host again, in this process; where there is a parent of ccrash_supervise(), it does so as soon as this
 * process has ended without a crash, and the call returns.
 */
void ccrash_start_again(void);

/* Makes the orphans of this process's children its own children, for good. */
void ccrash_adopt_orphans(void);

/* The host shows its prompt: a crash from now on is no failure to start. */
void ccrash_set_ready(void);

#ifdef __cplusplus
}
#endif

#endif
