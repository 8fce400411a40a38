/* What the files of this target share. */
#ifndef CCRASH_INTERNAL_H
#define CCRASH_INTERNAL_H

#include "CCrash.h"

#include <stdatomic.h>
#include <stddef.h>

/* MARK: - State that outlives the process */

enum { ccrash_text_size = 256, ccrash_path_size = 4096 };

/* In memory shared with the supervisor, where there is one: so it knows what a killed process was doing. */
struct ccrash_state {
    char command[ccrash_text_size];
    char place[ccrash_text_size];
    char record_path[ccrash_path_size];
    atomic_bool is_installed;
    atomic_bool is_ready;
    atomic_bool is_leaving;
    atomic_bool has_record;
    bool is_supervised; /* somebody will tell the person what happened */
};

extern struct ccrash_state *ccrash_state;

/* The status of a process that exit() ended which nobody announced; EX_SOFTWARE of sysexits.h. */
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

/* Records the libraries that are loaded and not recorded yet. */
void ccrash_add_images(void);
/* The number of the image that has code at `address`, or -1. Async-signal-safe, as is the next. */
int ccrash_find_image(uintptr_t address);
const struct ccrash_image *ccrash_image_at(int number);

/* MARK: - Frames */

enum { ccrash_frame_limit = 64 };

struct ccrash_frame {
    /* pc: where it is; call: a return address; guess: one found on the stack; async: a caller that waits */
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
