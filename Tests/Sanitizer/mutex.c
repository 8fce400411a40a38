/*
 * Shows the thread sanitizer what `Mutex` orders where threads wait for each other.
 *
 * To lock and to unlock a free `Mutex` is compiled into its user, where the sanitizer sees it. What happens once a
 * second thread wants it is inside libswiftSynchronization, which is not built for the sanitizer: it then takes a
 * correct use for a race. The three functions of that are replaced here by the same ones, which tell what they did
 * to this one lock. Nothing else becomes quieter, so a race beside the lock, or under another one, is still seen.
 *
 * For LD_PRELOAD; does nothing in a program that is not built for the sanitizer.
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
