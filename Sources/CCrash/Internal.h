/* Shared by the files of this target. */
#ifndef CCRASH_INTERNAL_H
#define CCRASH_INTERNAL_H

#include "CCrash.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* MARK: - State that outlives the process */

enum { ccrash_text_size = 256, ccrash_path_size = 4096, ccrash_activity_limit = 16 };

struct ccrash_slot {
    atomic_uint began; /* counts what has begun, from 1; 0: free, or being filled */
    atomic_bool is_taken;
    bool is_command;
    int64_t since;
    char text[ccrash_text_size];
    char scene[ccrash_text_size];
    char module[128];
};

/* In memory shared with the supervisor, if there is one, so that it knows what a killed process was doing. */
struct ccrash_state {
    struct ccrash_slot slots[ccrash_activity_limit];
    atomic_uint begun;
    char record_path[ccrash_path_size];
    atomic_bool is_installed;
    atomic_bool is_ready;
    atomic_bool is_leaving; /* exit() is announced */
    atomic_bool is_ending;  /* what is left is to leave */
    atomic_bool has_record;
    atomic_bool starts_again; /* the parent executes the host again when this process has ended */
    bool is_supervised; /* the next host reports the crash */
};

extern struct ccrash_state *ccrash_state;

/* What runs in `state`, in the order in which it began; returns how much. Async-signal-safe. */
size_t ccrash_running(struct ccrash_state *state, ccrash_activity activities[ccrash_activity_limit]);

/* The time in microseconds since 1970, with the resolution of the clock tick; costs some nanoseconds. */
int64_t ccrash_now(void);

/* Copies a slot of ccrash_state to the note, and frees it there. */
void ccrash_note_slot(int number);
void ccrash_note_end_of_slot(int number);
/* Copies the newest step to the note. */
void ccrash_note_newest_step(void);
/* Whether a signal ends the process as by default, but for the note. */
bool ccrash_ends_process(int signal);
/* Whether a store to the note failed, at `address`; it is kept in memory only from then on. Async-signal-safe. */
bool ccrash_note_lost(const void *address);

/* MARK: - Steps of modules */

struct ccrash_module {
    const char *name, *digest;
};

/* In the memory of this process: what it points to is not shared with the supervisor. */
struct ccrash_step {
    atomic_uint began; /* counts what has begun, from 1; 0: free */
    const struct ccrash_module *module;
    const char *phrase; /* "it registered" */
    bool is_waiting;    /* awaits in between, so that something else may be running */
    int64_t since;
};

/* The step that began last and has not ended; NULL if there is none. Async-signal-safe. */
const struct ccrash_step *ccrash_newest_step(void);
/* Whether the host is being started: a step is noted in the file of the start. */
bool ccrash_is_starting(void);
/* Begins to watch, if the host is to be watched and is not yet. */
void ccrash_begin_watching(void);
/* Ends the copy of the process that a module made by fork(), with a record. */
void ccrash_end_copy(void) __attribute__((noreturn));
/* Whether this is such a copy; set by a handler of fork(). */
extern bool ccrash_is_copy;

/* What a record of kind `hang` or `fork` says of its cause; set before the record is written. */
struct ccrash_cause {
    const struct ccrash_step *step; /* NULL: unknown */
    const char *phase; /* what the host did with the module, after "while"; NULL: unknown, or a step */
    unsigned seconds;  /* how long it took */
    bool in_start;
};
extern struct ccrash_cause ccrash_cause;

/* Executes the host anew; returns if it is not to be, or can't be. Async-signal-safe. */
void ccrash_execute_anew(void);
bool ccrash_will_execute_anew(void);
/* The image of the innermost module, or of typed code, that `thread` runs code of; or one of these. */
enum { ccrash_no_module = -1, ccrash_no_answer = -2 /* within a second: it takes no signals */ };
int ccrash_probe(pthread_t thread);
/* Whether ends of this process are recorded. */
bool ccrash_is_installed(void);
bool ccrash_unblock_crash_signals(void);
/* Records an end that is about to come, by a signal or with a status, with the frames from `frame` on. */
void ccrash_record_end(int signal, int status, const void *frame);
/* Writes the record of kind `fork`. */
void ccrash_write_copy_record(void);

/* The status of a process that called exit() without announcing it; EX_SOFTWARE of sysexits.h. */
enum { ccrash_exit_status = 70 };

/* Writes what was printed in the last tenth of a second to the real standard error. Async-signal-safe. */
void ccrash_show_last_prints(void);

/* MARK: - Images */

struct ccrash_image {
    uintptr_t text_start, text_end;
    uintptr_t bias; /* address in memory - address in the file */
    const char *name, *path, *digest;
    uint32_t generation;
    bool is_module;
    bool is_typed; /* code that was typed at a prompt */
    bool keeps_frames; /* built with frame pointers */
    bool runs_jobs;    /* calls asynchronous functions: the concurrency library */
};

/* Records the loaded libraries that are not recorded yet. */
void ccrash_add_images(void);
/* The number of the image that has code at `address`, or -1. Async-signal-safe, as is the next. */
int ccrash_find_image(uintptr_t address);
const struct ccrash_image *ccrash_image_at(int number);

/* MARK: - Frames */

enum { ccrash_frame_limit = 64 };

struct ccrash_frame {
    /* pc: the instruction; call: a return address; guess: one found on the stack; async: a waiting caller */
    const char *kind;
    uintptr_t address;
    int image;
};

struct ccrash_registers {
    uintptr_t pc, sp, fp, lr; /* pc 0: begin with the frame at fp */
};

/* Follows the calls from `registers` on; returns how many there are. Async-signal-safe, not reentrant. */
size_t ccrash_walk(struct ccrash_registers registers, struct ccrash_frame frames[ccrash_frame_limit]);

#endif
