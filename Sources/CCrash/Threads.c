#define _GNU_SOURCE
#include "Internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Replacements for functions of the C library, so that the record of an end has frames and Dispatch gets a
 * descriptor. The libraries of modules, of Swift and of Dispatch find the program's functions first.
 */

#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) && !__has_feature(thread_sanitizer) && \
    !__has_feature(address_sanitizer)

#define REPLACES __attribute__((visibility("default"), used))

/* MARK: - Threads: a stack on which to record that the thread's own is used up */

enum { handler_stack_size = 64 * 1024 };

struct thread {
    void *(*body)(void *);
    void *argument;
};

static void drop_stack(void *memory) {
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    munmap(memory, handler_stack_size);
}

static void *run_thread(void *argument) {
    struct thread thread = *(struct thread *)argument;
    void *result, *memory = MAP_FAILED;
    free(argument);
    if (ccrash_is_installed())
        memory = mmap(NULL, handler_stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                      -1, 0);
    if (memory == MAP_FAILED) return thread.body(thread.argument);
    stack_t stack = {.ss_sp = memory, .ss_size = handler_stack_size};
    sigaltstack(&stack, NULL);
    ccrash_unblock_crash_signals();
    pthread_cleanup_push(drop_stack, memory);
    result = thread.body(thread.argument);
    pthread_cleanup_pop(1);
    return result;
}

REPLACES int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                            void *argument) {
    static _Atomic(__typeof__(&pthread_create)) real;
    if (!atomic_load(&real)) atomic_store(&real, (__typeof__(&pthread_create))dlsym(RTLD_NEXT, "pthread_create"));
    struct thread *started = malloc(sizeof *started);
    if (!started) return atomic_load(&real)(thread, attributes, body, argument);
    *started = (struct thread){body, argument};
    int error = atomic_load(&real)(thread, attributes, run_thread, started);
    if (error != 0) free(started);
    return error;
}

/* MARK: - A descriptor for Dispatch, which traps without one while it looks for blocked threads */

static int open_beyond_limit(const char *path, int flags, mode_t mode) {
    if (!ccrash_raise_file_limit()) return -1;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    ccrash_restore_file_limit();
    return file;
}

REPLACES int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    static _Atomic(__typeof__(&open)) real;
    if (!atomic_load(&real)) atomic_store(&real, (__typeof__(&open))dlsym(RTLD_NEXT, "open"));
    int file = atomic_load(&real)(path, flags, mode);
    if (file >= 0 || errno != EMFILE || strncmp(path, "/proc/", 6) != 0) return file;
    file = open_beyond_limit(path, flags, mode);
    if (file < 0) errno = EMFILE;
    return file;
}

/* MARK: - Ends that no handler sees */

static bool is_of_module(const void *caller) {
    const struct ccrash_image *image = ccrash_image_at(ccrash_find_image((uintptr_t)caller));
    return image && image->is_module;
}

REPLACES void _exit(int status) {
    bool is_of_modules = is_of_module(__builtin_return_address(0));
    if (is_of_modules && ccrash_is_copy) ccrash_end_copy();
    if (is_of_modules && ccrash_is_installed()) {
        ccrash_record_end(0, status, __builtin_frame_address(0));
        status = ccrash_exit_status;
    }
    for (;;) syscall(SYS_exit_group, status);
}

REPLACES int kill(pid_t process, int number) {
    if (process == getpid() && is_of_module(__builtin_return_address(0)) && ccrash_ends_process(number))
        ccrash_record_end(number, 0, __builtin_frame_address(0));
    return (int)syscall(SYS_kill, process, number);
}

#endif
