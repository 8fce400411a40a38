/*
 * Tells the thread sanitizer when a contended `Mutex` is locked and unlocked.
 *
 * The fast path of `Mutex` is compiled into its caller, where the sanitizer sees it. The slow path, which runs when
 * threads wait, is in libswiftSynchronization, which is not built with the sanitizer; without help, correct uses
 * are reported as races. These wrappers of its three functions call the originals and report the lock operation
 * on this lock only, so that races without the lock, or under another one, are still reported.
 *
 * Load with LD_PRELOAD. Has no effect in a program that is not built with the sanitizer.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF void *handle) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK);

static void *original(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "mutex.c: this toolchain's Mutex has no function %s\n", name);
        abort();
    }
    return function;
}

SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
    ((SWIFT void (*)(uint32_t, SELF void *))original(LOCK))(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT bool try_lock_slow(SELF void *handle) {
    bool is_locked = ((SWIFT bool (*)(SELF void *))original(TRY_LOCK))(handle);
    if (is_locked && __tsan_acquire) __tsan_acquire(handle);
    return is_locked;
}

SWIFT void unlock_slow(SELF void *handle) {
    if (__tsan_release) __tsan_release(handle);
    ((SWIFT void (*)(SELF void *))original(UNLOCK))(handle);
}
