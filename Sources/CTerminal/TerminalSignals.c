#define _GNU_SOURCE
#include "TerminalSignals.h"

#include "CCrash.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

/* MARK: - Counting signals */

static _Atomic int counters[NSIG]; /* descriptor + 1, so that 0 means none */
static struct sigaction former_actions[NSIG];

static void count_signal(int signal, siginfo_t *info, void *context) {
    int error = errno;
    (void)context;
    if (info && (signal == SIGTERM || signal == SIGHUP)) ccrash_record_own_signal(signal, info);
    int descriptor = atomic_load(&counters[signal]) - 1;
    uint64_t one = 1;
    if (descriptor >= 0) (void)!write(descriptor, &one, sizeof one);
    errno = error;
}

/* The descriptor of a signal, empty. Never closed: a handler on another thread may be about to write. */
static int counter_of(int signal) {
    uint64_t count;
    int descriptor = atomic_load(&counters[signal]) - 1;
    if (descriptor < 0) {
        descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (descriptor >= 0) atomic_store(&counters[signal], descriptor + 1);
    }
    (void)!read(descriptor, &count, sizeof count);
    return descriptor;
}

int terminal_signals_watch(int signal) {
    struct sigaction action = {.sa_sigaction = count_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    if (signal <= 0 || signal >= NSIG) return -1;
    int descriptor = counter_of(signal);
    sigemptyset(&action.sa_mask);
    if (descriptor < 0 || ccrash_set_action(signal, &action, &former_actions[signal]) != 0) return -1;
    return descriptor;
}

void terminal_signals_unwatch(int signal) { ccrash_set_action(signal, &former_actions[signal], NULL); }

/* MARK: - Restoring the terminal */

static struct termios normal_mode;
static int terminal_descriptor = -1;
static atomic_bool is_armed;
static pid_t owner; /* a child that forked and exits must not touch the terminal */

/* Signals that end the process by default. SIGINT belongs to the interrupt source. */
static const int end_signals[] = {SIGTERM, SIGHUP};
/* Signals that have handlers, of the crash record or of Swift: also Ctrl-\, which the record notes. */
static const int crash_signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGQUIT};

void terminal_signals_restore(void) {
    /* Bracketed paste off, the end of a frame, the cursor shown. */
    static const char normal_screen[] = "\033[?2004l\033[?2026l\033[?25h";
    if (!atomic_load(&is_armed) || getpid() != owner) return;
    int error = errno;
    (void)!write(terminal_descriptor, normal_screen, sizeof normal_screen - 1);
    (void)tcsetattr(terminal_descriptor, TCSANOW, &normal_mode);
    errno = error;
}

static void restore_and_end(int signal) {
    terminal_signals_restore();
    ccrash_act_by_default(signal);
}

/* Restores, then passes the crash to the former handler, such as the crash record's. */
static void restore_and_crash(int signal, siginfo_t *info, void *context) {
    const struct sigaction *former = &former_actions[signal];
    terminal_signals_restore();
    sigaction(signal, former, NULL);
    /* With the context of the crash: a signal that is raised again has the frames of this function. */
    if (former->sa_flags & SA_SIGINFO) former->sa_sigaction(signal, info, context);
    /* A fault happens again on return, with its address; a signal that was sent has to be sent again. */
    if (info->si_code <= 0 || signal == SIGABRT || signal == SIGQUIT) raise(signal);
}

static bool is_ignored(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static void install_for_crash(int signal) {
    struct sigaction action = {.sa_sigaction = restore_and_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (is_ignored(signal)) return;
    sigemptyset(&action.sa_mask);
    ccrash_set_action(signal, &action, &former_actions[signal]);
}

/* Installs a handler where the disposition is the default. */
static void install(int signal, void (*handler)(int)) {
    struct sigaction former;
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaction(signal, NULL, &former) != 0) return;
    if ((former.sa_flags & SA_SIGINFO) || former.sa_handler != SIG_DFL) return;
    ccrash_set_action(signal, &action, NULL);
}

/*
 * Stops the process in normal mode. The watcher of SIGCONT restores editing mode; it is notified here too,
 * because in an orphaned process group SIGTSTP stops nothing and no SIGCONT follows.
 */
static void restore_and_stop(int signal) {
    int error = errno;
    terminal_signals_restore();
    ccrash_act_by_default(signal); /* returns after SIGCONT */
    count_signal(SIGCONT, NULL, NULL);
    errno = error;
}

void terminal_signals_stop(void) {
    if (is_ignored(SIGTSTP)) count_signal(SIGCONT, NULL, NULL);
    else kill(0, SIGTSTP);
}

static void install_handlers(void) {
    atexit(terminal_signals_restore);
    for (size_t i = 0; i < sizeof end_signals / sizeof *end_signals; i++)
        install(end_signals[i], restore_and_end);
    for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++)
        install_for_crash(crash_signals[i]);
    install(SIGTSTP, restore_and_stop);
}

void terminal_signals_arm(int fd, const struct termios *mode) {
    static bool is_installed;
    atomic_store(&is_armed, false);
    normal_mode = *mode;
    terminal_descriptor = fd;
    owner = getpid();
    atomic_store(&is_armed, true);
    if (!is_installed) {
        is_installed = true;
        install_handlers();
    }
}

void terminal_signals_disarm(void) { atomic_store(&is_armed, false); }
