/* Shared by the files of this target. */
#ifndef CCRASH_INTERNAL_H
#define CCRASH_INTERNAL_H

#include "CCrash.h"

#include <stdatomic.h>

/* MARK: - State that outlives the process */

enum { ccrash_text_size = 256, ccrash_path_size = 4096, ccrash_activity_limit = 16 };

struct ccrash_slot {
    atomic_uint began; /* counts what has begun, from 1; 0: free, or being filled */
    atomic_bool is_taken;
    bool is_command;
    char text[ccrash_text_size];
    char link[ccrash_text_size];
};

/* In memory shared with the supervisor, if there is one, so that it knows what a killed process was doing. */
struct ccrash_state {
    struct ccrash_slot slots[ccrash_activity_limit];
    atomic_uint begun;
    char record_path[ccrash_path_size];
    atomic_bool is_installed;
    atomic_bool is_ready;
    atomic_bool is_leaving;
    atomic_bool has_record;
    bool is_supervised; /* the next host reports the crash */
};

extern struct ccrash_state *ccrash_state;

/* What runs in `state`, in the order in which it began; returns how much. Async-signal-safe. */
size_t ccrash_running(struct ccrash_state *state, ccrash_activity activities[ccrash_activity_limit]);

/* The status of a process that called exit() without announcing it; EX_SOFTWARE of sysexits.h. */
enum { ccrash_exit_status = 70 };

/* MARK: - Images */

struct ccrash_image {
    uintptr_t text_start, text_end;
    uintptr_t bias; /* address in memory - address in the file */
    const char *name, *path, *digest;
    uint32_t generation;
    bool is_module;
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
