#define _GNU_SOURCE
#include "Internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * What the host lets modules do, step by step: for the watchdog in memory, and while the host is being started
 * also in a file, so that the next start knows in whose step this one ended, however it ended.
 */

enum { step_limit = 32 };
static struct ccrash_step steps[step_limit];
static unsigned begun;

static int start_file = -1;
static struct stat start_identity;
static unsigned start_failures;
static bool is_starting;

/* MARK: - The file of a start: `key value` lines, filled up with line feeds */

/* `key`: "step" if the step is under way, "after" if it was the last to end. */
static void write_start(const char *key, const struct ccrash_step *step) {
    char text[ccrash_start_size];
    struct stat status;
    /* A module may have closed it, and another file have its number now. */
    if (start_file < 0 || fstat(start_file, &status) != 0 || status.st_ino != start_identity.st_ino ||
        status.st_dev != start_identity.st_dev)
        return;
    int length = snprintf(text, sizeof text, is_starting ? "starting %d\nfailures %u\n" : "started %d\n",
                          getpid(), start_failures);
    if (step)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s %s\nmodule %.100s\ndigest %.160s\n",
                           key, step->phrase, step->module->name, step->module->digest);
    memset(text + length, '\n', sizeof text - (size_t)length);
    (void)!pwrite(start_file, text, sizeof text, 0);
}

void ccrash_start_begin(const char *path, char former[ccrash_start_size]) {
    struct stat status;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    *former = 0;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (file < 0) return;
    /* The lock ends with this process; unlike one of flock(), also if a module's child outlives it. */
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || fcntl(file, F_SETLK, &lock) != 0) {
        close(file);
        return;
    }
    ssize_t length = pread(file, former, ccrash_start_size - 1, 0);
    former[length < 0 ? 0 : length] = 0;
    start_file = file;
    start_identity = status;
}

void ccrash_start_note(unsigned failures) {
    start_failures = failures;
    is_starting = true;
    write_start("", NULL);
}

void ccrash_start_end(void) {
    if (!is_starting) return;
    is_starting = false;
    write_start("", NULL);
}

bool ccrash_is_starting(void) { return is_starting; }

/* MARK: - Steps */

const ccrash_module *ccrash_note_module(const char *name, const char *digest) {
    struct ccrash_module *module = malloc(sizeof *module);
    if (!module) return NULL;
    *module = (struct ccrash_module){strdup(name), strdup(digest)};
    if (module->name && module->digest) return module;
    free(module);
    return NULL;
}

int ccrash_step_begin(const ccrash_module *module, const char *phrase, bool is_waiting) {
    int number = 0;
    while (number < step_limit && atomic_load_explicit(&steps[number].began, memory_order_relaxed)) number++;
    if (number == step_limit || !module) return -1;
    struct ccrash_step *step = &steps[number];
    step->module = module;
    step->phrase = phrase;
    step->is_waiting = is_waiting;
    step->since = ccrash_now();
    atomic_store_explicit(&step->began, ++begun, memory_order_release);
    ccrash_note_newest_step();
    if (is_starting) write_start("step", step);
    ccrash_begin_watching();
    return number;
}

void ccrash_step_end(int number) {
    if (ccrash_is_copy) ccrash_end_copy();
    if (number < 0 || number >= step_limit) return;
    struct ccrash_step *step = &steps[number];
    atomic_store_explicit(&step->began, 0, memory_order_release);
    ccrash_note_newest_step();
    /* The other steps of a start are followed by the next at once. */
    if (!is_starting || !step->is_waiting) return;
    const struct ccrash_step *outer = ccrash_newest_step();
    write_start(outer ? "step" : "after", outer ? outer : step);
}

const struct ccrash_step *ccrash_newest_step(void) {
    const struct ccrash_step *newest = NULL;
    unsigned latest = 0;
    for (int number = 0; number < step_limit; number++) {
        unsigned began = atomic_load_explicit(&steps[number].began, memory_order_acquire);
        if (began <= latest) continue;
        latest = began;
        newest = &steps[number];
    }
    return newest;
}

/* MARK: - Copies of the process */

bool ccrash_is_copy;

void ccrash_end_copy(void) {
    ccrash_cause = (struct ccrash_cause){.step = ccrash_newest_step(), .in_start = is_starting};
    ccrash_write_copy_record();
    _exit(0);
}
