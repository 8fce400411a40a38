#define _GNU_SOURCE
#include "Internal.h"

#include <fenv.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Attributes of the process that Swift can't read or set directly. */

/* MARK: - Signals */

/* The action that the host wants of each signal; the one it was found with, if it never set one. */
static struct sigaction wanted[NSIG];
static bool is_wanted[NSIG];

int ccrash_set_action(int signal, const struct sigaction *action, struct sigaction *former) {
    int result = sigaction(signal, action, former);
    if (result != 0) return result;
    wanted[signal] = *action;
    is_wanted[signal] = true;
    return 0;
}

void ccrash_set_default_action(int signal) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    ccrash_set_action(signal, &action, NULL);
}

/* system() sets the actions of SIGINT and SIGQUIT as it found them, but with flags that mean nothing there. */
static bool is_same(const struct sigaction *one, const struct sigaction *other) {
    int flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_NOCLDWAIT;
    bool has_handler = one->sa_handler != SIG_DFL && one->sa_handler != SIG_IGN;
    if (!has_handler) flags = SA_NOCLDWAIT;
    return one->sa_handler == other->sa_handler && ((one->sa_flags ^ other->sa_flags) & flags) == 0;
}

bool ccrash_has_wanted_action(int signal) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) != 0) return true; /* one of the C library's own */
    if (is_wanted[signal]) return is_same(&wanted[signal], &action);
    wanted[signal] = action;
    is_wanted[signal] = true;
    return true;
}

void ccrash_restore_action(int signal) {
    if (is_wanted[signal]) sigaction(signal, &wanted[signal], NULL);
}

/* MARK: - Floating point: rounding, and what traps */

#if defined(__x86_64__)
enum { status_flags = 0x3F };
uint64_t ccrash_floating_point(void) {
    fenv_t state;
    fegetenv(&state);
    return (uint64_t)state.__control_word << 32 | (state.__mxcsr & ~status_flags);
}
void ccrash_set_floating_point(uint64_t control) {
    fenv_t state;
    fegetenv(&state);
    state.__control_word = (unsigned short)(control >> 32);
    state.__mxcsr = (unsigned)control;
    fesetenv(&state);
}
#elif defined(__aarch64__)
uint64_t ccrash_floating_point(void) {
    fenv_t state;
    fegetenv(&state);
    return state.__fpcr;
}
void ccrash_set_floating_point(uint64_t control) {
    fenv_t state;
    fegetenv(&state);
    state.__fpcr = (unsigned)control;
    fesetenv(&state);
}
#endif

/* MARK: - The rest */

void ccrash_get_ids(bool of_group, uint32_t *real, uint32_t *effective, uint32_t *saved) {
    if (of_group) getresgid(real, effective, saved);
    else getresuid(real, effective, saved);
}
void ccrash_set_ids(bool of_group, uint32_t real, uint32_t effective, uint32_t saved) {
    (void)!(of_group ? setresgid(real, effective, saved) : setresuid(real, effective, saved));
}

int ccrash_parent_death(void) {
    int signal = 0;
    prctl(PR_GET_PDEATHSIG, &signal);
    return signal;
}
void ccrash_set_parent_death(int signal) { prctl(PR_SET_PDEATHSIG, signal); }

int ccrash_restrictions(void) { return prctl(PR_GET_SECCOMP) * 2 + prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); }

void ccrash_delete_timer(int number) { syscall(SYS_timer_delete, number); }
