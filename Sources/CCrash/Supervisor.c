#define _GNU_SOURCE
#include "Internal.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Gives up after this many restarts in this many seconds, or this many crashes before a prompt. */
enum { restart_limit = 5, restart_period = 30, early_limit = 3 };

/* Ctrl-C, Ctrl-\ and Ctrl-Z are for the host; signals to this process alone are forwarded to it. */
static const int ignored[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};
static const int forwarded[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { ignored_count = sizeof ignored / sizeof *ignored };
enum { forwarded_count = sizeof forwarded / sizeof *forwarded };
static struct sigaction former_ignored[ignored_count], former_forwarded[forwarded_count], former_child;

static const char *executable;
static char *const *arguments;
static bool has_parent; /* this process is the host, and its parent waits for it */

static volatile pid_t child;
static volatile sig_atomic_t pending; /* arrived while there was no child */

/* MARK: - The terminal */

static int terminal = -1;
static struct termios terminal_mode;

static void save_terminal(void) {
    for (int descriptor = 0; descriptor <= 2 && terminal < 0; descriptor++)
        if (tcgetattr(descriptor, &terminal_mode) == 0) terminal = descriptor;
}

/* Restores the terminal after a crashed host, unless another program has it meanwhile. */
static void restore_terminal(void) {
    static const char sequences[] = "\033[?2004l\033[?25h\033[0m"; /* no bracketed paste, visible cursor, no colors */
    struct termios mode;
    if (terminal < 0 || tcgetattr(terminal, &mode) != 0) return;
    pid_t foreground = tcgetpgrp(terminal);
    bool is_orphaned = foreground > 0 && kill(-foreground, 0) != 0 && errno == ESRCH;
    if (is_orphaned) tcsetpgrp(terminal, getpgrp());
    if (!is_orphaned && foreground != getpgrp()) return;
    bool was_editing = !(mode.c_lflag & ICANON);
    tcsetattr(terminal, TCSANOW, &terminal_mode);
    (void)!write(terminal, sequences, sizeof sequences - 1);
    if (was_editing) (void)!write(terminal, "\r\n", 2);
}

/* MARK: - Signals */

/* The terminal signals host and supervisor alike; what is sent to the whole group arrives twice. */
static void forward(int signal, siginfo_t *info, void *context) {
    (void)context;
    int error = errno;
    if (info->si_code == SI_KERNEL) return;
    if (child > 0) kill(child, signal);
    else pending = signal;
    errno = error;
}

static void take_signals(void) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, plain = {.sa_handler = SIG_DFL};
    struct sigaction pass_on = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
    for (int i = 0; i < ignored_count; i++) {
        /* A container may be ended by SIGINT to its process 1. */
        bool is_for_container = getpid() == 1 && ignored[i] == SIGINT;
        sigaction(ignored[i], is_for_container ? &pass_on : &ignore, &former_ignored[i]);
    }
    for (int i = 0; i < forwarded_count; i++) {
        sigaction(forwarded[i], NULL, &former_forwarded[i]);
        bool is_ignored = former_forwarded[i].sa_handler == SIG_IGN; /* as nohup has it */
        if (!is_ignored) sigaction(forwarded[i], &pass_on, NULL);
    }
    sigaction(SIGCHLD, &plain, &former_child); /* if ignored, a child leaves no status */
}

static void give_signals_back(void) {
    for (int i = 0; i < ignored_count; i++) sigaction(ignored[i], &former_ignored[i], NULL);
    for (int i = 0; i < forwarded_count; i++) sigaction(forwarded[i], &former_forwarded[i], NULL);
    sigaction(SIGCHLD, &former_child, NULL);
}

void ccrash_act_by_default(int signal) {
    struct sigaction action = {.sa_handler = SIG_DFL}, former;
    sigset_t set, mask;
    sigaction(signal, &action, &former);
    sigemptyset(&set);
    sigaddset(&set, signal);
    raise(signal);
    sigprocmask(SIG_UNBLOCK, &set, &mask);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(signal, &former, NULL);
}

/* MARK: - Waiting */

static int wait_for_child(void) {
    for (;;) {
        int status = 0;
        pid_t pid = waitpid(-1, &status, WUNTRACED); /* and the orphans that process 1 is given */
        if (pid < 0 && errno != EINTR) return 0;
        if (pid != child) continue;
        if (!WIFSTOPPED(status)) return status;
        int signal = WSTOPSIG(status);
        if (signal != SIGTSTP && signal != SIGTTIN && signal != SIGTTOU) continue;
        ccrash_act_by_default(signal); /* the shell waits for this process to stop; continues here with fg */
        kill(child, SIGCONT);
    }
}

static bool is_crash(int status) {
    if (WIFSIGNALED(status)) {
        int signal = WTERMSIG(status);
        return signal != SIGINT && signal != SIGTERM && signal != SIGHUP && signal != SIGQUIT;
    }
    /* It called _exit(), or exit() without announcing it. */
    return atomic_load(&ccrash_state->is_installed) && !atomic_load(&ccrash_state->is_leaving);
}

static void end_like(int status) __attribute__((noreturn));
static void end_like(int status) {
    struct rlimit none = {0, 0};
    if (WIFSIGNALED(status)) {
        setrlimit(RLIMIT_CORE, &none); /* the host has left one */
        ccrash_act_by_default(WTERMSIG(status));
        _exit(128 + WTERMSIG(status));
    }
    _exit(WEXITSTATUS(status));
}

static void describe(int status, char *out, size_t size) {
    int signal = WTERMSIG(status);
    if (WIFSIGNALED(status)) snprintf(out, size, "signal %d (%s)", signal, strsignal(signal));
    else snprintf(out, size, "a module that called exit");
}

static void give_up(int status, unsigned crashes, bool is_early) __attribute__((noreturn));
static void give_up(int status, unsigned crashes, bool is_early) {
    char cause[128];
    describe(status, cause, sizeof cause);
    dprintf(2, "error: The host crashed %u times %s, at last by %s; it is not started again.\n", crashes,
            is_early ? "before it had a prompt" : "in half a minute", cause);
    dprintf(2, "  hint: 'atrium --safe' starts without modules; 'atrium --no-supervisor' runs it once, for a debugger.\n");
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : ccrash_exit_status);
}

/* MARK: - Starting */

static int64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/* Whether another restart is allowed; counts it. */
static bool may_restart(uint32_t restarts) {
    static int64_t times[restart_limit];
    int64_t *oldest = &times[restarts % restart_limit];
    int64_t moment = now(CLOCK_MONOTONIC);
    if (restarts >= restart_limit && moment - *oldest < restart_period * 1000000LL) return false;
    *oldest = moment;
    return true;
}

/* Keeps how the process ended, and resets the shared state for the next. */
static void note_end(ccrash_start *start, pid_t pid, int status) {
    struct ccrash_state *state = ccrash_state;
    start->restarts++;
    start->pid = pid;
    start->status = status;
    start->time = now(CLOCK_REALTIME);
    start->has_record = atomic_load(&state->has_record);
    static struct ccrash_state former;
    former = *state;
    static ccrash_activity activities[ccrash_activity_limit];
    start->record_path = former.record_path;
    start->activities = activities;
    start->activity_count = (uint32_t)ccrash_running(&former, activities);
    memset(state, 0, sizeof *state);
    state->is_supervised = true;
}

void ccrash_adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

static bool has_one_thread(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    if (!folder) return true;
    for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
    closedir(folder);
    return count == 1;
}

/* In the child: makes it end with its parent, and otherwise run as if there were none. */
static void become_host(pid_t parent, const sigset_t *mask) {
    bool hangup_ends = former_forwarded[1].sa_handler != SIG_IGN;
    prctl(PR_SET_PDEATHSIG, hangup_ends ? SIGHUP : SIGTERM);
    give_signals_back();
    if (getppid() != parent) _exit(128 + SIGHUP);
    sigprocmask(SIG_SETMASK, mask, NULL);
}

/* Executes the host with the arguments that it was started with: the present file, else that of this process. */
static void execute(void) {
    execv(executable, arguments);
    execv("/proc/self/exe", arguments);
    dprintf(2, "error: The host can't be started again: %s.\n", strerror(errno));
    _exit(71); /* EX_OSERR */
}

void ccrash_prepare_restart(const char *path, char *const *words) {
    executable = strdup(path);
    arguments = words;
}

void ccrash_start_again(void) {
    if (has_parent) return atomic_store(&ccrash_state->starts_again, true);
    ccrash_restore_outputs();
    execute();
}

ccrash_start ccrash_supervise(bool restarts) {
    static ccrash_start start;
    int protection = PROT_READ | PROT_WRITE;
    struct ccrash_state *shared = mmap(NULL, sizeof *shared, protection, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || !has_one_thread()) return start;
    ccrash_state = shared;
    start.is_supervised = restarts;
    shared->is_supervised = restarts;
    save_terminal();
    take_signals();
    pid_t parent = getpid();
    unsigned early = 0;
    for (;;) {
        sigset_t all, mask;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, &mask);
        child = fork();
        if (child == 0) {
            become_host(parent, &mask);
            has_parent = true;
            return start;
        }
        sigprocmask(SIG_SETMASK, &mask, NULL);
        if (child < 0) {
            dprintf(2, "error: The host can't be started: %s.\n", strerror(errno));
            _exit(71); /* EX_OSERR */
        }
        pid_t pid = child;
        if (pending) kill(pid, pending);
        pending = 0;
        int status = wait_for_child();
        child = 0;
        if (!is_crash(status) && atomic_load(&ccrash_state->starts_again)) {
            give_signals_back();
            execute();
        }
        if (!restarts || !is_crash(status)) end_like(status);
        restore_terminal();
        if (atomic_load(&ccrash_state->is_ending)) end_like(status); /* the next start reports it */
        early = atomic_load(&ccrash_state->is_ready) ? 0 : early + 1;
        if (early == early_limit) give_up(status, early, true);
        if (!may_restart(start.restarts)) give_up(status, restart_limit + 1, false);
        note_end(&start, pid, status);
    }
}
