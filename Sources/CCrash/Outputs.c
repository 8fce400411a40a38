#define _GNU_SOURCE
#include "Internal.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * What modules print. They and all libraries see a pipe as descriptors 1 and 2; the host writes to copies of what
 * was there before.
 */

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1 /* the sanitizer reports to descriptor 2 when nobody reads the pipe any more */
#endif
#endif

static int outputs[3] = {-1, -1, -1}; /* of 1 and 2, the copies; -1: not diverted */
static int pipe_ends[2] = {-1, -1};
/* Nothing waits for room in the pipe: what does not fit is lost, and that is told. */
enum { pipe_size = 1 << 20 };
static size_t capacity;

/* What was printed last, and when: the reason of a crash may be in it. */
enum { tail_size = 2048, tail_period = 100 * 1000 * 1000 };
static char tail[tail_size];
static atomic_size_t tail_length;
static _Atomic int64_t tail_time;

int ccrash_output(int descriptor) {
    bool is_diverted = descriptor > 0 && descriptor <= 2 && outputs[descriptor] >= 0;
    return is_diverted ? outputs[descriptor] : descriptor;
}

/* A copy that is out of the way of the standard descriptors. */
static int copy(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 3); }

int ccrash_divert_outputs(void) {
#ifdef IS_SANITIZED
    return -1;
#endif
    if (pipe_ends[0] >= 0) return pipe_ends[0];
    int output = copy(1), errors = copy(2);
    if (output < 0 || errors < 0 || pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        if (output >= 0) close(output);
        if (errors >= 0) close(errors);
        return -1;
    }
    int size = fcntl(pipe_ends[1], F_SETPIPE_SZ, pipe_size);
    capacity = size > 0 ? (size_t)size : 64 * 1024;
    fflush(stdout);
    setvbuf(stdout, NULL, _IOLBF, 0); /* keeps its buffer: a line reaches the pipe when it ends */
    outputs[1] = output;
    outputs[2] = errors;
    ccrash_divert_again();
    return pipe_ends[0];
}

void ccrash_divert_again(void) {
    for (int descriptor = 1; descriptor <= 2 && pipe_ends[1] >= 0; descriptor++) dup2(pipe_ends[1], descriptor);
}

void ccrash_restore_outputs(void) {
    for (int descriptor = 1; descriptor <= 2; descriptor++)
        if (outputs[descriptor] >= 0) dup2(outputs[descriptor], descriptor);
}

/* MARK: - Reading */

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void remember(const char *bytes, size_t count) {
    int64_t moment = now();
    size_t length = moment - atomic_load(&tail_time) > tail_period ? 0 : atomic_load(&tail_length);
    if (count > tail_size) {
        bytes += count - tail_size;
        count = tail_size;
    }
    size_t kept = length + count > tail_size ? tail_size - count : length;
    memmove(tail, tail + length - kept, kept);
    memcpy(tail + kept, bytes, count);
    atomic_store(&tail_length, kept + count);
    atomic_store(&tail_time, moment);
}

void ccrash_flush_prints(void) {
    if (pipe_ends[0] >= 0 && __fpending(stdout) > 0) fflush(stdout);
}

size_t ccrash_read_prints(char *bytes, size_t size) {
    ssize_t count = pipe_ends[0] < 0 ? 0 : read(pipe_ends[0], bytes, size);
    if (count <= 0) return 0;
    remember(bytes, (size_t)count);
    return (size_t)count;
}

bool ccrash_has_lost_prints(size_t count) {
    /* Long writes fill the pipe with fewer bytes; then the C library has noticed. */
    bool has_failed = pipe_ends[0] >= 0 && ferror_unlocked(stdout);
    if (has_failed) clearerr(stdout);
    return has_failed || (capacity > 0 && count + PIPE_BUF > capacity);
}

/* Async-signal-safe. */
void ccrash_show_last_prints(void) {
    static char bytes[4096];
    if (pipe_ends[0] < 0) return;
    for (int reads = 0; reads < 256 && ccrash_read_prints(bytes, sizeof bytes) > 0; reads++) continue;
    if (now() - atomic_load(&tail_time) > tail_period) return;
    (void)!write(outputs[2], tail, atomic_load(&tail_length));
}
